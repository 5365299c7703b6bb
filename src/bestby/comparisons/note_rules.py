"""What must be known beside the numbers: notes on the data and the metrics."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from bestby._core import rounding
from bestby._core.errors import InvalidInputError
from bestby._core.text import percentage, quoted
from bestby._core.typing import IntArray, Question
from bestby.comparisons import dependence, one_pair
from bestby.comparisons.settings import CheckedSettings, Settings
from bestby.data.evaluation import Evaluation
from bestby.data.roles import gold_names, listed
from bestby.engine import interval_choice, interval_methods
from bestby.engine.base import Drawing, Group, Pair
from bestby.engine.estimate import Estimates
from bestby.engine.sums import SumGroup
from bestby.inference import multiplicity, samples, tilting
from bestby.metrics._items import shown_label
from bestby.metrics.base import BaseMetric, MeanMetric
from bestby.metrics.ranking import RocAuc
from bestby.metrics.texts import TextMetric
from bestby.results.base import Note
from bestby.results.values import Interval, TestResult

FEW_ITEMS = 30

FEW_DRAWN = 50
"""Units of a resample below which a test at 5 % does not reject between 4 and 6 %."""


def data_notes(evaluation: Evaluation, *, intervals: bool = True) -> list[Note]:
    """Return notes on what the size of the data does to `intervals`; refuse data in a single cluster."""
    notes = []
    if evaluation.clusters is not None:
        n_clusters = evaluation.n_clusters
        if n_clusters < 2:
            raise InvalidInputError(
                "all items are in one cluster: nothing can be said about the uncertainty",
                hint="clusters are groups such as documents or speakers; at least 2 are needed",
            )
        notes += dependence.cluster_notes(evaluation) if intervals else []
    elif intervals and evaluation.n_items < FEW_ITEMS:
        notes.append(
            Note("few_items", f"there are only {evaluation.n_items} items: intervals tend to be too short")
        )
    return notes


HOLD_FOR_FEW = frozenset({"tango", "wilson", "wilson-midp", "hall", "hall-wide", "fisher-z", "unseen"})
"""Estimates that are not too short because there are few items."""


def on_intervals(
    notes: Sequence[Note], intervals: Iterable[Interval | None], metrics: Sequence[BaseMetric] = ()
) -> list[Note]:
    """Return notes, without those of `data_notes` that are not true of the intervals that came out.

    Student's t of a mean is right for few items too, if they are not skewed, which the headline says; and
    so are intervals of means that hold at once, which are by the same methods.
    """
    if not any(note.code in ("few_items", "few_clusters") for note in notes):
        return [*notes]  # very many intervals may be made when they are looked at
    hold = HOLD_FOR_FEW
    if metrics and all(isinstance(metric, MeanMetric) for metric in metrics):
        hold |= {"normal", "max-t"}
    methods = {one.method for one in intervals if one is not None}
    untrue = () if methods - hold else ("few_items",) if methods else ("few_items", "few_clusters")
    return [note for note in notes if note.code not in untrue]


def evaluation_notes(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], settings: CheckedSettings
) -> list[Note]:
    """Return notes on how the data were read, and their size; refuse data in a single cluster."""
    compares_labels = any(metric.reads != "numbers" for metric in metrics)
    brought = [note for note in evaluation.notes if compares_labels or note.code != "labels_merged"]
    gold = [
        Note(
            "gold_as_system",
            f"{quoted(name)} is compared as a system and called as a gold is: if it is the gold, name it so:"
            " gold=... (--gold)",
            (name,),
        )
        for name in gold_names(evaluation.names if evaluation.gold is not None else ())
    ]
    return [*brought, *gold, *data_notes(evaluation, intervals=settings.interval is not None)]


def drawing_notes(group: Group, drawing: Drawing, settings: Settings) -> list[Note]:
    """Return notes on resamples that are drawn otherwise than as many units as there are."""
    notes: list[Note] = []
    if settings.interval is None and settings.test != "bootstrap":
        return notes  # nothing is drawn with replacement
    small_strata = interval_choice.strata_note("bootstrap", group.shown(drawing))
    if settings.test == "bootstrap" and small_strata is not None:
        notes.append(small_strata)
    sizes = group.stratum_sizes
    if drawing.subsampling(sizes):
        m, n = int(drawing.draws(sizes).sum()), group.n_units
        if settings.test not in ("bootstrap", None):
            notes.append(
                Note(
                    "resample_size_of_intervals",
                    f"the intervals come from resamples of {m} of {n} units; the"
                    f" {'permutation' if settings.test == 'auto' else settings.test} test does not draw with"
                    ' replacement: test="bootstrap" would use these resamples',
                )
            )
        notes += rescaling_notes(drawing, sizes)
        if not drawing.rescale:
            notes.append(
                Note(
                    "not_rescaled",
                    f"resamples of {m} of {n} units vary {math.sqrt(n / m):.3g} times as much as resamples of"
                    f" all {n} and were not rescaled: p-values and intervals are those of an experiment with"
                    f" {m} units, and depend on this choice",
                )
            )
    if group.gold_varies:
        notes.append(
            Note(
                "annotators_resampled",
                "items were resampled, and the annotators of each item: intervals allow for other items and"
                " other annotators. The variation between annotators is partly counted twice, because items"
                " contain it too: the intervals are somewhat too long. Permutation tests use the gold as"
                " it is",
            )
        )
    return notes


def rescaling_notes(drawing: Drawing, sizes: IntArray) -> list[Note]:
    """Return notes where smaller resamples of strata, brought to scale, do not keep the level."""
    notes = []
    m = int(drawing.draws(sizes).sum())
    if drawing.rescale and m < FEW_DRAWN:
        message = (
            f"resamples of {m} units are too small to keep the level: with 10 to 40 units, tests at 5 %"
            f" rejected 1.9 to 5.5 % of true null hypotheses; with {FEW_DRAWN} or more, 4 to 6 %"
        )
        notes.append(Note("small_resamples", message))
    shares = drawing.shares(sizes)[sizes > 1]
    # How many times greater the share drawn of one stratum may be than that of another
    if shares.size and shares.max() > 1.5 * shares.min():
        message = (
            f"resamples hold {100.0 * shares.min():.0f} to {percentage(shares.max())} of the units of a"
            " stratum, because each must give one: the variation within small strata has too little weight;"
            " draw more units or merge strata"
        )
        notes.append(Note("uneven_strata", message))
    return notes


def metric_notes(group: Group, tests: Mapping[Pair, TestResult], settings: Settings) -> list[Note]:
    """Return notes on one metric: parts counted as 0, one-sided directions, too few resamples."""
    metric = group.metric
    notes: list[Note] = []
    if isinstance(group, SumGroup):
        for s in range(group.n_systems):
            text = group.metric.undefined(group.statistics[s].total)
            if text is not None:
                notes.append(Note("counted_as_zero", text, (metric.name,)))
    notes = list(dict.fromkeys(notes))
    if metric.caution is not None:
        notes.append(Note("caution", metric.caution, (metric.name,)))
    notes += direction_notes(metric.name, metric.greater_is_better, settings.alternative)
    if not settings.simultaneous:  # which reads adjusted p-values from the intervals
        notes += resample_notes(metric.name, tests.values(), settings.correction, settings.alpha)
    return notes


def below_half_notes(
    estimates: Estimates,
    names: Sequence[str],
    level: float,
    *,
    method: str | None = None,
    where: str = "",
) -> list[Note]:
    """Return a note on systems whose area under the ROC curve is significantly below 0.5, that of guesses.

    `names` are those of the first systems, which alone are looked at. It is if the whole interval is, that
    of the `method` asked for or the one that suits the data. An area of 0 has none: of all orders of the
    items (or clusters), one puts every positive one last.
    """
    metric, n = estimates.group.metric, estimates.group.n_units
    if not isinstance(metric, RocAuc):
        return []
    shown = []
    for s, (name, score) in enumerate(zip(names, estimates.scores.tolist(), strict=False)):
        if score >= 0.5:
            continue
        estimate = estimates.of(s)
        interval, _ = interval_methods.interval(
            estimate, one_pair.chosen(estimate, method or "auto")[0], level
        )
        if interval is not None and interval.high < 0.5:
            shown.append(f"{name} ({score:.3f}, interval up to {interval.high:.3f})")
        elif score == 0.0 and 1.0 / math.comb(n, max(round(n * metric.share), 1)) < (1.0 - level) / 2.0:
            shown.append(f"{name} (0)")
    if not shown:
        return []
    instead = "negate them"
    if metric.negative is not None:
        other = f"{metric.name.partition('[')[0]}[{shown_label(metric.negative)}]"
        instead += f', or name metric="{other}" (--metric "{other}")'
    message = (
        f"{where}{metric.name} is significantly below 0.5, that of guesses, for {listed(shown, 5)}: the class"
        f" {metric.positive!r} has the lower numbers there; if these are meant to speak for it, {instead}"
    )
    return [Note("below_chance", message, (metric.name,))]


def signature_notes(metric: BaseMetric, evaluation: Evaluation) -> list[Note]:
    """Return a note of how another library writes down what the metric does, if it does."""
    signature = metric.signature(evaluation.gold) if isinstance(metric, TextMetric) else None
    if signature is None:
        return []
    message = f"signature of {', '.join(metric.packages)}: {signature}"
    return [Note("metric_signature", message, (metric.name,))]


def same_on_all(parts: str, *, by_signs: bool) -> Note:
    """Return the note on a difference that is the same on all datasets or folds, named by `parts`.

    `by_signs` says whether there is a p-value, which then has only the signs of the differences to go by.
    """
    text = f"the difference is the same on all {parts}, so its spread is unknown: there is no interval"
    return Note("constant_difference", text + ", and the p-value comes from the signs alone" * by_signs)


def group_notes(metric: str, labels: Sequence[str] | None, *, lettered: bool) -> list[Note]:
    """Return a note if groups are numbered, or left out, as there are too many of them for letters."""
    if not lettered:
        return []
    if labels is None:
        message = (
            "there are more groups of systems that cannot be told apart than there are systems: the groups"
            " are left out; the ranks and the differences show the same"
        )
        return [Note("no_groups", message, (metric,))]
    if not any(label[:1].isdigit() for label in labels):
        return []
    message = (
        "groups are numbered from the best, as there are too many for letters: two systems whose numbers"
        " overlap cannot be told apart (3-7 is in the groups 3, 4, 5, 6 and 7)"
    )
    return [Note("numbered_groups", message, (metric,))]


def sample_notes(group: Group, pairs: Sequence[Pair], evaluation: Evaluation) -> list[Note]:
    """Return a note on what other samples of the same items would change, where an item is a sample itself.

    Resamples of items answer for other items, with other samples of each; beside their standard error stands
    that of other samples alone. The samples of two systems are taken to be independent.
    """
    metric = group.metric
    if not isinstance(metric, MeanMetric) or any(evaluation.missing):
        return []
    if type(metric).variance_within is MeanMetric.variance_within:  # items are no samples: no text is read
        return []
    variances_of = {
        name: metric.variance_within(evaluation.values_of(name, trials=metric.reads_trials))
        for name in evaluation.names
    }
    n = evaluation.n_items
    variances = [float(v.sum()) / n**2 for v in variances_of.values() if v is not None]
    if not variances:
        return []
    errors = [(group.sample(a, b).standard_error, variances[a] + variances[b]) for a, b in pairs]
    both_errors = [(new, math.sqrt(same)) for new, same in errors if new is not None and math.isfinite(same)]
    text = ""
    if both_errors:
        both = [_span(column) for column in zip(*both_errors, strict=True)]
        text = f"standard errors of differences are {both[0]} for other items with other samples of each, and"
        text += f" {both[1]} for other samples of these items alone; intervals and tests use the former"
    few = [name for name, v in zip(variances_of, variances, strict=True) if not math.isfinite(v)]
    if few:
        text += "; " if text else ""
        text += f"some items have too few samples to show what other samples would change: {', '.join(few)}"
    return [Note("within_items", text, (metric.name,))]


def constant_run_notes(metric: str, scores: Mapping[str, Sequence[float]]) -> list[Note]:
    """Return notes on systems of which several runs have one score."""
    return [
        Note(
            "constant_runs",
            f"all runs of {name} have the same score: they are copies, or the metric is too coarse to"
            " show how they vary",
            (metric, name),
        )
        for name, runs in scores.items()
        if len(runs) > 1 and max(runs) == min(runs)
    ]


def run_notes(metric: str, scores: Mapping[str, Sequence[float]], uneven: Collection[str] = ()) -> list[Note]:
    """Return notes on runs that lie far from the other runs of their system.

    Differences of the systems `uneven` have the note that their intervals can be too short.
    """
    names = list(scores)
    notes = []
    for system, run, times in samples.outlying([np.asarray(scores[name], dtype=float) for name in names]):
        name = names[system]
        message = (
            f"the run of {name} with {scores[name][run]:.4g} lies {times:.2g} standard deviations"
            " (robust) from the median of its runs: check whether it failed"
        )
        if name not in uneven:
            message += (
                ". It makes the t intervals of its differences longer, so they cover more than they say"
            )
            message += "; a median is hardly affected" if len(scores[name]) >= samples.FEW_FOR_ADVICE else ""
        notes.append(Note("outlying_run", message, (metric, name)))
    return notes


def _span(values: Collection[float]) -> str:
    """Return the least and the greatest value as text, or the one there is.

    >>> _span([0.0123, 0.0211]), _span([0.5])
    ('0.012 to 0.021', '0.5')
    """
    low, high = (f"{value:.2g}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def direction_notes(metric: str, greater_is_better: bool, alternative: Question) -> list[Note]:
    """Return notes on one-sided tests: what they ask, and what they leave open."""
    if alternative == "two-sided":
        return []
    notes = []
    if alternative != "better" and not greater_is_better:
        asks = "worse" if alternative == "greater" else "better"
        message = f"lower is better for {metric}: alternative {alternative!r} asks whether the first of two"
        message += f" systems is {asks}"
        notes.append(Note("direction", message, (metric,)))
    message = (
        f"ranks and groups come from one-sided tests ({alternative}), which cannot find a difference in the"
        " other direction: systems that share a rank or a group may still differ clearly"
    )
    return [*notes, Note("one_sided", message, (metric,))]


def resample_notes(metric: str, tests: Collection[TestResult], correction: str, alpha: float) -> list[Note]:
    """Return a note if more resamples could take a p-value below the level after correction."""
    tests = list(tests)
    if correction == multiplicity.STEP_DOWN:
        correction = "holm"  # nearly the same, without the draws
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
    message = (
        f"chance in the resamples decides {undecided} of {len(tests)} comparisons: fewer than"
        f" {tilting.FEW_HITS} of {min(test.n_resamples for test in few)} resamples were as extreme as"
        f" the data, and with more the corrected p-value could be {alpha:.3g} or less; use"
        f" n_resamples={10 * needed}"
    )
    return [Note("few_resamples", message, (metric,))]
