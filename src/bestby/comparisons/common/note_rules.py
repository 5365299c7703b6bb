"""What must be known beside the numbers: notes on the data and the metrics, and the provenance."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core import rounding
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Question
from bestby._core.versions import versions
from bestby._version import __version__
from bestby.comparisons.common import dependence
from bestby.comparisons.common.settings import Settings
from bestby.data.evaluation import Evaluation
from bestby.engine.base import STANDARDISED, Drawing, Group, Pair
from bestby.engine.sums import SumGroup
from bestby.inference import exchangeability, locations, multiplicity, samples, scales, tilting
from bestby.metrics.base import BaseMetric, MeanMetric, Metric
from bestby.resampling.units import Units
from bestby.results.base import Note, Provenance
from bestby.results.values import TestResult

FEW_ITEMS = 30

FEW_DRAWN = 50
"""Units of a resample below which a test at 5 % does not reject between 4 and 6 %."""

UNEVEN = 1.5
"""How many times greater the share drawn of one stratum may be than that of another."""


def of_data(evaluation: Evaluation) -> list[Note]:
    """Return notes on the size of the data; refuse data in a single cluster."""
    notes = []
    if evaluation.clusters is not None:
        n_clusters = evaluation.n_clusters
        if n_clusters < 2:
            raise InvalidInputError(
                "all items are in one cluster: nothing can be said about the uncertainty",
                hint="clusters are groups such as documents or speakers; at least 2 are needed",
            )
        notes += dependence.of_clusters(evaluation)
    elif evaluation.n_items < FEW_ITEMS:
        notes.append(
            Note("few_items", f"there are only {evaluation.n_items} items: intervals tend to be too short")
        )
    return notes


def of_reading(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> list[Note]:
    """Return the notes that an evaluation brought, without those on labels if no metric compares labels."""
    compares_labels = any(metric.reads != "numbers" for metric in metrics)
    return [note for note in evaluation.notes if compares_labels or note.code != "labels_merged"]


def of_labels(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> list[Note]:
    """Return notes on how hard and soft labels were read by measures of the other kind."""
    if evaluation.classes is None or evaluation.gold is None:
        return []
    columns = {"the gold": evaluation.gold, **evaluation.systems}
    rows = {name: values for name, values in columns.items() if values.ndim == 2}
    notes = []
    of_labels_ = [metric.name for metric in metrics if metric.reads == "labels"]
    if of_labels_ and rows:
        tied = {
            name: int(((values == values.max(axis=1, keepdims=True)).sum(axis=1) > 1).sum())
            for name, values in rows.items()
        }
        told = "a soft label counts as its most probable class"
        shared = [f"{count} of {name}" for name, count in tied.items() if count]
        if shared:
            told += f", the first of equally probable ones ({', '.join(shared)})"
        notes += [Note("most_probable_class", f"for {name} {told}", (name,)) for name in of_labels_]
    of_rows = [metric.name for metric in metrics if metric.reads == "distributions"]
    hard = [name for name, values in columns.items() if values.ndim == 1]
    if of_rows and hard:
        told = f"{', '.join(hard)}: a hard label counts as certainty of its class"
        notes += [Note("certain_of_its_class", f"for {name}, {told}", (name,)) for name in of_rows]
    return notes


def of_drawing(group: Group, drawing: Drawing, settings: Settings) -> list[Note]:
    """Return notes on resamples that are drawn otherwise than as many units as there are."""
    notes = []
    if drawing.subsampling(group.units):
        m, n = int(drawing.draws(group.units).sum()), group.n_units
        if settings.test not in ("bootstrap",):
            notes.append(
                Note(
                    "resample_size_of_intervals",
                    f"resamples of {m} of {n} units make the intervals; the {settings.test} test does not"
                    ' draw with replacement: test="bootstrap" would use them',
                )
            )
        notes += of_rescaling(drawing, group.units)
        if not drawing.rescale:
            notes.append(
                Note(
                    "not_rescaled",
                    f"resamples of {m} of {n} units vary {math.sqrt(n / m):.3g} times what all {n} would"
                    " and were not rescaled: p-values and intervals are those of an experiment of"
                    f" {m} units, and depend on that choice",
                )
            )
    if group.gold_varies:
        notes.append(
            Note(
                "annotators_resampled",
                "annotators were resampled within items as well as items: intervals answer for other items"
                " and other annotators of each. What annotators add is counted twice in part, as items alone"
                " carry it too: the intervals are rather too long. Permutation tests take the gold as it is",
            )
        )
    return notes


def of_rescaling(drawing: Drawing, units: Units) -> list[Note]:
    """Return notes where smaller resamples, brought to scale, do not keep the level."""
    notes = []
    m = int(drawing.draws(units).sum())
    if drawing.rescale and m < FEW_DRAWN:
        told = (
            f"resamples of {m} units are too few to keep the level: of 10 to 40 units, tests at 5 % rejected"
            f" 1.9 to 5.5 % where nothing differed; from {FEW_DRAWN} units on 4 to 6 %"
        )
        notes.append(Note("small_resamples", told))
    shares = drawing.shares(units)[units.sizes > 1]
    if shares.size and shares.max() > UNEVEN * shares.min():
        told = (
            f"strata are drawn by {shares.min():.0%} to {shares.max():.0%} of their units, as each must give"
            " one: the variation within small strata counts for too little; draw more units or merge strata"
        )
        notes.append(Note("uneven_strata", told))
    return notes


def of_metric(group: Group, m: int, tests: Mapping[Pair, TestResult], settings: Settings) -> list[Note]:
    """Return notes on one metric: parts counted as 0, one-sided directions, too few resamples."""
    metric = group.metrics[m]
    notes: list[Note] = []
    if isinstance(group, SumGroup):
        for s in range(group.n_systems):
            totals = group.table.total()[group.table.columns[m][s]]
            text = group.metrics[m].undefined(totals)
            if text is not None:
                notes.append(Note("counted_as_zero", text, (metric.name,)))
    notes = list(dict.fromkeys(notes))
    if metric.caution is not None:
        notes.append(Note("caution", metric.caution, (metric.name,)))
    notes += of_direction(metric.name, metric.greater_is_better, settings.alternative)
    notes += of_resamples(metric.name, tests.values(), settings.correction, settings.alpha)
    return notes


def of_swaps(
    group: Group, m: int, tests: Mapping[Pair, TestResult], names: Sequence[str], asked: str
) -> list[Note]:
    """Return notes on permutation tests of correlations and ranks: what is swapped, and when it is right.

    `asked` is the test by the name that the user gave.
    """
    metric = group.metrics[m].name
    notes = []
    swapped = [pair for pair in tests if tests[pair].name == STANDARDISED]
    if swapped and asked != STANDARDISED:
        (_, a, b), more = swapped[0], len(swapped) - 1
        told = (
            f"the predictions of {names[a]} and {names[b]} are on scales too far apart to swap as given"
            f"{f', and so are {more} other pairs' if more else ''}: there the test swaps standard scores"
            " and is not exact: it rejects too often on few items and with heavy tails; use one scale"
        )
        notes.append(Note("standardised_swaps", told, (metric,)))
    elif swapped:
        told = (
            "the test swaps ranks or standard scores, which suits many items of systems on different scales."
            " It is not exact, and rejects too often on few items and with heavy tails (6 to 13 % at 5 %);"
            ' test="permutation" swaps predictions as given, and is exact for exchangeable systems'
        )
        notes.append(Note("standardised_swaps", told, (metric,)))
    far = _on_different_scales(group, m, [pair for pair in tests if tests[pair].name == "permutation"])
    if far:
        (_, a, b), widest = max(far.items(), key=lambda one: one[1].distance)
        means, deviations = (
            " and ".join(f"{x:.3g}" for x in both) for both in (widest.means, widest.deviations)
        )
        others = f", and so are {len(far) - 1} other pairs" if len(far) > 1 else ""
        told = (
            f"the predictions of {names[a]} and {names[b]} are on different scales (means {means}, standard"
            f" deviations {deviations}){others}. The permutation test swaps predictions as given and finds"
            f" a difference in {metric} less often here; test={STANDARDISED!r} swaps ranks or"
            " standard scores"
        )
        notes.append(Note("different_scales", told, (metric,)))
    return notes


def _on_different_scales(group: Group, m: int, pairs: Sequence[Pair]) -> dict[Pair, scales.Scales]:
    """Return the pairs of systems on visibly different scales, if the measure does not depend on these."""
    if not group.has_standardised_swaps(m):
        return {}
    numbers = {s: group.numbers(m, s) for s in {s for pair in pairs for s in pair[1:]}}
    found = {}
    for pair in pairs:
        a, b = numbers[pair[1]], numbers[pair[2]]
        if a is not None and b is not None:
            found[pair] = scales.compared(a[0], b[0], a[1])
    return {pair: compared for pair, compared in found.items() if compared.differ}


def of_groups(metric: str, labels: Sequence[str] | None, *, lettered: bool) -> list[Note]:
    """Return a note if groups are numbered, or left out, as there are too many of them for letters."""
    if not lettered:
        return []
    if labels is None:
        told = (
            "there are more groups of systems that cannot be told apart than there are systems: they are left"
            " out; the ranks, and the differences with a system, say the same"
        )
        return [Note("no_groups", told, (metric,))]
    if not any(label[:1].isdigit() for label in labels):
        return []
    told = (
        "groups are numbered from the best, as there are too many for letters: two systems whose numbers"
        " overlap could not be told apart (3-7 is in the groups 3, 4, 5, 6 and 7)"
    )
    return [Note("numbered_groups", told, (metric,))]


TESTS_OF_MEANS = ("permutation", "t", "bootstrap", "wald")
"""Tests that are read as tests of a difference of means (or scores)."""


def of_exchangeability(
    group: Group,
    m: int,
    tests: Mapping[Pair, TestResult],
    names: Sequence[str],
    alpha: float,
    what: str = "items",
) -> list[Note]:
    """Return notes where the data show that two systems could not change places, though tests take it so.

    Of several pairs only those are looked at whose test rejects, as the test may do so too often. `what` is
    what the units are called, if they are no clusters.
    """
    if group.in_blocks or group.crossed or group.n_strata > 1:
        return []
    metric, skewed, sized = group.metrics[m].name, [], []
    for pair, test in tests.items():
        if test.name not in TESTS_OF_MEANS or (len(tests) > 1 and test.p_value > alpha):
            continue
        plain = group.contributions(*pair)
        if plain is not None and exchangeability.skewed(plain.values, plain.counts, len(tests)):
            skewed.append(pair)
        elif plain is None and isinstance(group, SumGroup) and group.clustered:
            sizes, counts = group.table.sizes, group.table.units.counts
            if exchangeability.follows_size(group.influence(*pair) / sizes, sizes, counts, len(tests)):
                sized.append(pair)
    notes = []
    if skewed:
        units = "clusters" if group.clustered else what
        told = (
            f"the differences of {_pairs(skewed, names)} are skewed over the {units}: their mean lies far"
            " from their median. Tests of the mean, the permutation test among them, then reject too"
            " often where the means are equal (30 lognormal differences: 13 % at a level of 5 %), so a"
            f" p-value near the level is weak evidence; more {units} cure it"
        )
        notes.append(Note("skewed_differences", told, _about(metric, skewed, names)))
    if sized:
        told = (
            f"the difference of {_pairs(sized, names)} goes with the size of a cluster, and sizes are"
            " unequal: a permutation of clusters, which takes the systems to be exchangeable in each, then"
            ' rejects too often where the overall difference is 0; test="wald" allows for part of it,'
            " more clusters for all"
        )
        notes.append(Note("effect_of_size", told, _about(metric, sized, names)))
    return notes


def _pairs(pairs: Sequence[Pair], names: Sequence[str]) -> str:
    """Return a pair in words, and how many others there are.

    >>> _pairs([(0, 0, 1)], ["x", "y"]), _pairs([(0, 0, 1), (0, 0, 2), (0, 1, 2)], ["x", "y", "z"])
    ('x and y', 'x and y (and of 2 other pairs)')
    """
    _, a, b = pairs[0]
    others = len(pairs) - 1
    more = f" (and of {others} other pair{'s' if others > 1 else ''})" if others else ""
    return f"{names[a]} and {names[b]}{more}"


def _about(metric: str, pairs: Sequence[Pair], names: Sequence[str]) -> tuple[str, ...]:
    return (metric, *(names[s] for s in pairs[0][1:])) if len(pairs) == 1 else (metric,)


def of_samples(group: Group, m: int, pairs: Sequence[Pair], evaluation: Evaluation) -> list[Note]:
    """Return a note on what other samples of the same items would change, where an item is a sample itself.

    Resamples of items answer for other items, with other samples of each; beside their standard error stands
    that of other samples alone. The samples of two systems are taken to be independent.
    """
    metric = group.metrics[m]
    if not isinstance(metric, MeanMetric) or any(evaluation.missing):
        return []
    found = {name: metric.variance_within(values) for name, values in evaluation.systems.items()}
    n = evaluation.n_items
    variances = [float(v.sum()) / n**2 for v in found.values() if v is not None]
    if not variances:
        return []
    told = [(group.standard_error(m, a, b), variances[a] + variances[b]) for _, a, b in pairs]
    known = [(new, math.sqrt(same)) for new, same in told if new is not None and math.isfinite(same)]
    text = ""
    if known:
        both = [_span(column) for column in zip(*known, strict=True)]
        text = f"standard errors of differences are {both[0]} for other items with other samples of each, and"
        text += (
            f" {both[1]} for other samples of these items alone; intervals and tests answer for the former"
        )
    few = [name for name, v in zip(found, variances, strict=True) if not math.isfinite(v)]
    if few:
        text += "; " if text else ""
        text += f"there are too few samples of some items to tell what other samples change: {', '.join(few)}"
    return [Note("within_items", text, (metric.name,))]


def of_constant_runs(metric: str, scores: Mapping[str, Sequence[float]]) -> list[Note]:
    """Return notes on systems of which several runs have one score."""
    return [
        Note(
            "constant_runs",
            f"all runs of {name} have the same score: copies, or too coarse a measure?",
            (metric, name),
        )
        for name, of_system in scores.items()
        if len(of_system) > 1 and max(of_system) == min(of_system)
    ]


def of_runs(metric: str, scores: Mapping[str, Sequence[float]], uneven: Collection[str] = ()) -> list[Note]:
    """Return notes on runs that lie far from the other runs of their system.

    Differences of the systems `uneven` have the note that their intervals can be too short.
    """
    names = list(scores)
    notes = []
    for system, run, times in samples.outlying([np.asarray(scores[name], dtype=float) for name in names]):
        name = names[system]
        told = (
            f"the run of {name} with {scores[name][run]:.4g} lies {times:.2g} standard deviations"
            " (robust) from the median of its runs: did it fail?"
        )
        if name not in uneven:
            told += " It lengthens the t intervals of its differences, which then cover more than they say"
            told += "; a median hardly feels it" if len(scores[name]) >= locations.FEW_FOR_ADVICE else ""
        notes.append(Note("outlying_run", told, (metric, name)))
    return notes


def _span(values: Collection[float]) -> str:
    """Return the least and the greatest value as text, or the one there is.

    >>> _span([0.0123, 0.0211]), _span([0.5])
    ('0.012 to 0.021', '0.5')
    """
    low, high = (f"{value:.2g}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def of_direction(metric: str, greater_is_better: bool, alternative: Question) -> list[Note]:
    """Return notes on one-sided tests: what they ask, and what they leave open."""
    if alternative == "two-sided":
        return []
    notes = []
    if alternative != "better" and not greater_is_better:
        asks = "worse" if alternative == "greater" else "better"
        message = f"lower is better for {metric}: alternative {alternative!r} asks whether A is {asks}"
        notes.append(Note("direction", message, (metric,)))
    message = (
        f"ranks and groups come from one-sided tests ({alternative}), which cannot show a difference in the"
        " other direction: systems that share a rank or a group may still differ clearly"
    )
    return [*notes, Note("one_sided", message, (metric,))]


def of_resamples(metric: str, tests: Collection[TestResult], correction: str, alpha: float) -> list[Note]:
    """Return a note if more resamples could take a p-value below the level after correction."""
    tests = list(tests)
    few = [test for test in tests if tilting.few_hits(test)]
    if not few:
        return []
    adjusted = multiplicity.adjust([test.p_value for test in tests], correction)
    lowest = multiplicity.adjust([tilting.least_p(test) for test in tests], correction)
    undecided = int(((adjusted > alpha) & (lowest <= alpha)).sum())
    if not undecided:
        return []
    family = 1 if correction == "none" else len(tests)
    needed = -rounding.round_down(-family / alpha) - 1  # family / (1 + B), the least p, is at most alpha
    told = (
        f"draws, not data, decide {undecided} of {len(tests)} comparisons: fewer than {tilting.FEW_HITS} of"
        f" {min(test.n_resamples for test in few)} resamples were as extreme as the data, and with more the"
        f" corrected p-value could be {alpha:.3g} or less; take n_resamples={10 * needed}"
    )
    return [Note("few_resamples", told, (metric,))]


def provenance(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], settings: Settings, drawing: Drawing
) -> Provenance:
    """Return all that is needed to make the numbers again.

    The hash of labels is of their joint rows and counts where no number depends on the order of the items, so
    that a table counted by a database has the same one; blocks, ranks and functions of the user's own keep
    the order.
    """
    cells = evaluation.countable and settings.blocks is None and all(isinstance(m, Metric) for m in metrics)
    data: dict[str, Any] = {"items": evaluation.n_items, "systems": list(evaluation.names)}
    for name, groups_ in (
        ("clusters", evaluation.clusters),
        ("crossed", evaluation.crossed),
        ("strata", evaluation.strata),
    ):
        if groups_ is not None:
            data[name] = int(np.unique(groups_).size)
    return Provenance(
        version=__version__,
        versions=versions(package for metric in metrics for package in metric.packages),
        seed=drawing.seed,
        n_resamples=drawing.n_resamples,
        settings={"metrics": [metric.name for metric in metrics], **settings.told()},
        data=data,
        data_hash=evaluation.cells_hash() if cells else evaluation.data_hash(),
    )
