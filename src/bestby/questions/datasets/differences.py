"""The differences on each dataset, and over all datasets together."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.comparisons import equivalence, family, note_rules, one_pair, per_dataset
from bestby.comparisons.per_dataset import Options
from bestby.engine.base import Drawing
from bestby.engine.text_statistics import Counting
from bestby.engine.unseen import evidence
from bestby.inference import clusters, multiplicity, skewness
from bestby.inference.distributions import replicates
from bestby.inference.intervals import percentile
from bestby.metrics.base import BaseMetric
from bestby.questions.datasets.overall_runs import (
    Pooled,
    Strata,
    mean_improvements,
    overall_of_runs,
    systems_overall,
)
from bestby.questions.datasets.result import Overall, RunsOnDatasets
from bestby.questions.datasets.source import DatasetScores, on_dataset
from bestby.questions.runs.differences import (
    difference_of,
    few_runs_note,
    notes_on_scores,
    orders_of,
    tests_of,
)
from bestby.questions.runs.result import RunsDifference
from bestby.questions.runs.source import Data, Settings
from bestby.report.comparison import Difference
from bestby.report.replicability import Names, Replicability, replicability
from bestby.results.base import MetricInfo, Note
from bestby.results.values import WITHOUT_INTERVAL, Interval, defined


@dataclass(frozen=True)
class InnerDifferences:
    """The differences on each dataset and over all together, with notes on them."""

    within: Mapping[str, tuple[Difference, ...]]
    overall: tuple[Overall, ...]
    notes: Sequence[Note]
    runs: RunsOnDatasets | None = None


def differences_inside(
    scores: DatasetScores,
    pairs: Sequence[Names],
    differences: Sequence[Difference],
    options: Options,
    settings: Settings | None,
    drawing: Drawing,
    counting: Counting,
) -> InnerDifferences:
    """Return what items or runs tell of each pair; `differences` are those of the means over the datasets.

    `settings` are those of runs; None where there are none.
    """
    if settings is None:
        within = differences_within(scores, pairs, options)
        overall, notes = overall_differences(scores, pairs, differences, options, drawing, counting)
        return InnerDifferences(within, overall, notes)
    on_each, notes = run_differences(scores, pairs, settings, drawing)
    better = scores.metric.greater_is_better
    strata = Strata.of(scores, settings, drawing)
    over_runs = [] if settings.bare else overall_of_runs(strata, pairs, better)
    together, pooled = strata, over_runs
    if settings.statistic != "mean":  # of means it is the same, as every dataset has the same weight
        together = Pooled.of(scores, settings, drawing)
        pooled = overall_of_runs(together, pairs, better)
        over_runs = [*over_runs, *pooled]
    short = [] if settings.interval is None else together.few()
    overall, unbounded = joined(differences, over_runs, options, scores.metric.name)
    gaps = scores.ranges is not None and better and not scores.from_data
    runs = RunsOnDatasets(
        statistic=settings.statistic,
        paired=settings.paired,
        scores={
            name: {s: tuple(x.tolist()) for s, x in zip(one.names, one.estimator.scores, strict=True)}
            for name, one in scores.runs.items()
        },
        systems=systems_overall(together, [entry for entry, _ in pooled], better, gaps=gaps),
        improvements=mean_improvements(strata, pairs),
    )
    return InnerDifferences(on_each, overall, [*notes, *short, *unbounded], runs)


def differences_within(
    scores: DatasetScores, pairs: Sequence[Names], options: Options
) -> dict[str, tuple[Difference, ...]]:
    """Return the differences on the items of each dataset, or those of the comparisons that were given."""
    if scores.compared:
        return {
            name: tuple(_without_unrequested(comparison[a, b, scores.metric.name], options) for a, b in pairs)
            for name, comparison in scores.compared.items()
        }
    return {
        name: per_dataset.differences(estimates, scores.items[name], pairs, options)
        for name, estimates in scores.estimates.items()
    }


def _without_unrequested(d: Difference, options: Options) -> Difference:
    """Return a difference of a comparison that was given, without what was not asked for here."""
    if options.test is None:
        d = dataclasses.replace(d, test=None, p_adjusted=None)
    if options.interval is None:
        d = dataclasses.replace(
            d, interval=None, equivalence_interval=None, verdict=None, margin=None, standard_error=None,
            standard_error_method=None,
        )  # fmt: skip
    return d


def run_differences(
    scores: DatasetScores, pairs: Sequence[Names], settings: Settings, drawing: Drawing
) -> tuple[dict[str, tuple[RunsDifference, ...]], list[Note]]:
    """Return what `compare_runs` tells of each pair on each dataset, and notes on the runs.

    The tests of a pair are one family over the datasets; stochastic orders share one error rate over all
    datasets, pairs and directions.
    """
    n_datasets, n_pairs = len(scores.datasets), len(pairs)
    n_orders = n_datasets * (1 if settings.correction == "none" else 2 * n_pairs)
    within: dict[str, tuple[RunsDifference, ...]] = {}
    notes: dict[str, Note] = {}
    on_one: list[Note] = []
    for name, data in scores.runs.items():

        def differences(data: Data = data, name: str = name) -> tuple[RunsDifference, ...]:
            places = [(data.names.index(a), data.names.index(b)) for a, b in pairs]
            orders = None if settings.test is None else orders_of(data, settings, drawing, n_orders)
            tests, reasons = tests_of(
                data, places, settings, settings.towards(data.metric.greater_is_better), n_datasets
            )
            notes.update({note.code: note for note in reasons if not note.about and note.code not in notes})
            on_one.extend(_about(name, note) for note in reasons if note.about)
            n_all = n_datasets * n_pairs
            return tuple(
                difference_of(data, *pair, tests.get(pair), orders, settings, n_all) for pair in places
            )

        within[name], long = family.with_one_long_note(on_dataset(name, differences))
        notes.update({f"{note.code} {name}": _about(name, note) for note in long})
    return within, [*notes.values(), *_summed(on_one), *_notes_on_runs(scores, settings, within)]


def _notes_on_runs(
    scores: DatasetScores, settings: Settings, within: dict[str, tuple[RunsDifference, ...]]
) -> Iterator[Note]:
    """Yield notes on few runs, on runs that do not vary, and on runs far from the others."""
    yield from few_runs_note(list(scores.runs.values()), settings)
    yield from _summed(
        [
            _about(name, note)
            for name, data in scores.runs.items()
            for note in notes_on_scores(data, within[name], settings)
        ]
    )
    metric = scores.metric
    yield from note_rules.direction_notes(metric.name, metric.greater_is_better, settings.alternative)


def _summed(notes: Sequence[Note]) -> Iterator[Note]:
    """Yield notes; of more than a handful with one code the first, which says how many there are."""
    for code in dict.fromkeys(note.code for note in notes):
        same = [note for note in notes if note.code == code]
        # Notes of one code on runs of single datasets; more are summed up
        if len(same) <= 6:
            yield from same
            continue
        where = len({note.about[0] for note in same})
        message = f"{same[0].message} (the first of {len(same)} such notes, on {where} datasets)"
        yield dataclasses.replace(same[0], message=message)


def _about(dataset: str, note: Note) -> Note:
    return dataclasses.replace(note, about=(dataset, *note.about))


def overall_differences(
    scores: DatasetScores,
    pairs: Sequence[Names],
    differences: Sequence[Difference],
    options: Options,
    drawing: Drawing,
    counting: Counting,
) -> tuple[tuple[Overall, ...], list[Note]]:
    """Return the mean differences over datasets (macro) and on all items (micro), pair by pair.

    Returns them with a note on each but the differences themselves that has no interval. Without intervals
    there is one of each, for which nothing is resampled.
    """
    bounded = options.interval is not None
    over_items: list[Noted] = []
    if scores.items and bounded:
        over_items += _macro_over_items(scores, differences, options, drawing)
    if scores.items and scores.measure is not None:
        over_items += _micro(scores, scores.measure, pairs, options, drawing, counting)
    return joined(differences, over_items, options, scores.metric.name)


Noted = tuple[Overall, tuple[Note, ...]]
"""A difference over all datasets and the notes on its interval."""


def _macro_over_items(
    scores: DatasetScores, differences: Sequence[Difference], options: Options, drawing: Drawing
) -> list[Noted]:
    """Return intervals of the mean difference for other items of the same datasets."""
    pairs = [(scores.names.index(d.a), scores.names.index(d.b)) for d in differences]
    crossed = any(one.group.crossed for one in scores.estimates.values())
    spreads = _macro_by_formula(scores, pairs) if crossed else _macro_drawn(scores, pairs, drawing)
    method, error_method = ("two-way", "two-way") if crossed else ("percentile", "bootstrap")
    scale, entries = float(np.abs(scores.matrix).max()), []
    for d, pair, (ends, error) in zip(differences, pairs, spreads, strict=True):

        def bounds(level: float, ends: _Ends = ends) -> family.Bounds:
            interval = Interval(*ends(level), level, method, exact=crossed)
            return defined(clipped(interval, scores.metric), scale=scale)

        interval, tost, notes = family.with_equivalence(bounds, options.level, options.margin)
        if options.margin is not None:
            parts = [evidence(one.group, pair) for one in scores.estimates.values()]
            tost, _ = equivalence.interval_of_mean(parts, tost, d.estimate, options)
            tost = clipped(tost, scores.metric)
        how = None if error is None else error_method
        entry = Overall(d.a, d.b, "macro", "items", d.estimate, interval, error, how)
        macro_bounds = one_pair.Bounds(interval, tost, notes)
        entries.append(
            (_with_verdict(entry, macro_bounds, (d.score_a, d.score_b), scores, options.margin), notes)
        )
    return entries


_Ends = Callable[[float], tuple[float, float]]
"""From a level to the ends of an interval."""


def _macro_drawn(
    scores: DatasetScores, pairs: Sequence[tuple[int, int]], drawing: Drawing
) -> list[tuple[_Ends, float | None]]:
    """Return percentile intervals and standard errors, items redrawn inside each dataset.

    Resamples of n units vary by (n - 1) / n of what other units would, so those of each dataset are moved
    away from its scores by the root of the inverse: of many small datasets the interval is too short without.
    """
    total = np.zeros((drawing.n_resamples, len(scores.names)))
    for name, estimates in scores.estimates.items():
        drawing_here = dataclasses.replace(drawing, seed=per_dataset.derived_seed(drawing.seed, name))
        group, observed = estimates.group, estimates.scores
        free = group.n_units - group.n_strata
        spread = math.sqrt(group.n_units / free) if free else 1.0
        drawn = observed + spread * (group.bootstrap(drawing_here) - observed)
        total += drawn / len(scores.estimates)
    scale = float(np.abs(scores.matrix).max())
    spreads: list[tuple[_Ends, float | None]] = []
    for a, b in pairs:
        drawn = total[:, a] - total[:, b]
        finite = drawn[np.isfinite(drawn)]
        if finite.size:
            error = float(finite.std(ddof=1)) if finite.size > 1 else None
            spreads.append((partial(percentile, replicates(finite, scale)), error))
        else:
            spreads.append((lambda _: (math.nan, math.nan), None))
    return spreads


def _macro_by_formula(
    scores: DatasetScores, pairs: Sequence[tuple[int, int]]
) -> list[tuple[_Ends, float | None]]:
    """Return intervals from the standard errors inside the datasets, which two crossed groupings need."""
    spreads: list[tuple[_Ends, float | None]] = []
    for a, b in pairs:
        errors = [one.group.sample(a, b).error for one in scores.estimates.values()]
        defined_errors = [error for error in errors if error is not None]
        assert len(defined_errors) == len(errors)  # two crossed groupings go with functions of sums only
        error = clusters.mean_error(defined_errors)
        estimate = float(np.mean(scores.matrix[:, a] - scores.matrix[:, b]))
        spreads.append((partial(skewness.interval, estimate, error), error.se))
    return spreads


def _micro(
    scores: DatasetScores,
    measure: BaseMetric,
    pairs: Sequence[Names],
    options: Options,
    drawing: Drawing,
    counting: Counting,
) -> list[Noted]:
    """Return the differences on all items pooled: items redrawn inside datasets, then whole datasets."""
    if per_dataset.obstacle_to_pooling(scores.items) is not None:
        return []
    whole = per_dataset.pooled(scores.items, scores.names)
    where = "all datasets pooled"
    if options.interval is None:
        pooled_scores = per_dataset.intervals_on(whole, measure, drawing, where, counting).scores
        place = {name: position for position, name in enumerate(scores.names)}
        return [
            (Overall(a, b, "micro", None, float(pooled_scores[place[a]] - pooled_scores[place[b]]), None), ())
            for a, b in pairs
        ]
    labels = [name for name, part in scores.items.items() for _ in range(part.n_items)]
    by_dataset = dataclasses.replace(whole, strata=None, clusters=np.array(labels, dtype=np.str_))
    entries = []
    for resampled, evaluation in (("items", whole), ("datasets", by_dataset)):
        estimates = per_dataset.intervals_on(evaluation, measure, drawing, where, counting)
        for a, b in pairs:
            estimate = estimates.of(scores.names.index(a), scores.names.index(b))
            pooled = one_pair.intervals(estimate, "auto", options)
            error = one_pair.standard_error(estimate, pooled.interval)
            entry = Overall(a, b, "micro", resampled, estimate.value, pooled.interval, *error)
            pair_scores = (float(estimate.scores[0]), float(estimate.scores[1]))
            entries.append((_with_verdict(entry, pooled, pair_scores, scores, options.margin), pooled.notes))
    return entries


def _with_verdict(
    entry: Overall,
    bounds: one_pair.Bounds,
    pair_scores: tuple[float, float],
    scores: DatasetScores,
    margin: float | None,
) -> Overall:
    """Return a difference with its verdict, from its intervals."""
    if margin is None:
        return entry
    beyond, tost = (
        family.on_marks(one, pair_scores, margin) for one in (bounds.decides or entry.interval, bounds.tost)
    )
    better = scores.metric.greater_is_better
    return dataclasses.replace(
        entry,
        verdict=family.verdict(beyond, tost, margin, better, doubted=bounds.doubted),
        equivalence_interval=tost,
    )


def joined(
    differences: Sequence[Difference], others: Sequence[Noted], options: Options, metric: str
) -> tuple[tuple[Overall, ...], list[Note]]:
    """Return the mean differences for other datasets and the others, pair by pair.

    Each of the others without an interval has a note that says why.
    """
    bounded = options.interval is not None
    entries = [
        Overall(
            d.a,
            d.b,
            "macro",
            "datasets" if bounded else None,
            d.estimate,
            d.interval,
            d.standard_error,
            d.standard_error_method,
            d.verdict,
            d.equivalence_interval,
        )
        for d in differences
    ]
    entries += [entry for entry, _ in others]
    place = {(d.a, d.b): i for i, d in enumerate(differences)}
    lost = [one for one in others if bounded and one[0].interval is None]
    notes = [_without_interval(*one, metric) for one in lost]
    return tuple(sorted(entries, key=lambda entry: place[entry.a, entry.b])), notes


def _without_interval(entry: Overall, notes: tuple[Note, ...], metric: str) -> Note:
    """Return the note that says why a difference over all datasets has no interval."""
    why = next(note for note in notes if note.code in WITHOUT_INTERVAL)
    message = f"{entry.average} difference, {entry.resampled} resampled: {why.message}"
    return Note(why.code, message, (metric, entry.a, entry.b))


def clipped(interval: Interval | None, metric: MetricInfo) -> Interval | None:
    """Return the interval without what no difference can be."""
    if interval is None:
        return None
    reach = metric.bounds[1] - metric.bounds[0]
    return dataclasses.replace(interval, low=max(interval.low, -reach), high=min(interval.high, reach))


def counts_of(
    within: Mapping[str, tuple[Difference, ...]], pairs: Sequence[Names], options: Options
) -> dict[Names, Replicability]:
    """Return per pair on how many datasets there is a difference; nothing without tests."""
    if not within or options.test is None:
        return {}
    untested = next((name for name, on_one in within.items() if any(d.test is None for d in on_one)), None)
    if untested is not None:
        raise InvalidInputError(
            f"the comparison on dataset {quoted(untested)} was made with test=None, so it has no p-values to"
            " count",
            hint="pass test=None here too, or make that comparison with a test",
        )
    return {
        pair: replicability({name: on_one[i].p_value for name, on_one in within.items()}, alpha=options.alpha)
        for i, pair in enumerate(pairs)
    }


def adjusted_within(
    within: Mapping[str, tuple[Difference, ...]], counts: Mapping[Names, Replicability], level: float
) -> dict[str, tuple[Difference, ...]]:
    """Return the differences inside the datasets with Holm's p-values over the datasets."""
    holm = {}
    for position, (name, on_one) in enumerate(within.items()):
        if counts:
            by_holm = [counts[d.a, d.b].p_adjusted[position] for d in on_one]
            corrected = [dataclasses.replace(d, p_adjusted=p) for d, p in zip(on_one, by_holm, strict=True)]
            on_one = family.with_direction_notes(corrected, multiplicity.alpha_at(level))
        holm[name] = tuple(
            dataclasses.replace(
                d, notes=tuple(dataclasses.replace(note, about=(name, *note.about)) for note in d.notes)
            )
            for d in on_one
        )
    return holm
