"""The differences on each dataset, and over all datasets together."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.comparisons import family, note_rules, one_pair, per_dataset
from bestby.comparisons.best import IntervalOfPair
from bestby.comparisons.per_dataset import Options
from bestby.engine.base import Drawing
from bestby.engine.text_statistics import Counting
from bestby.inference import multiplicity
from bestby.metrics.base import BaseMetric
from bestby.questions.datasets.overall_items import WITHOUT_BOUNDS, has_errors, over_items
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
from bestby.results.base import Note, notes_about
from bestby.results.values import WITHOUT_INTERVAL


@dataclass(frozen=True)
class InnerDifferences:
    """The differences on each dataset and over all together, with notes on them.

    `over_these` are the mean differences with items or runs varying, if there are any, and `interval` gives
    their intervals at any level.
    """

    within: Mapping[str, tuple[Difference, ...]]
    over_these: Sequence[Difference]
    overall: tuple[Overall, ...]
    notes: Sequence[Note]
    runs: RunsOnDatasets | None = None
    interval: IntervalOfPair | None = None


def differences_inside(
    scores: DatasetScores,
    pairs: Sequence[Names],
    differences: Sequence[Difference],
    options: Options,
    settings: Settings | None,
    drawing: Drawing,
    counting: Counting,
) -> InnerDifferences:
    """Return what items or runs tell of each pair; `differences` are the means with the datasets varying.

    `settings` are those of runs; None where there are none.
    """
    if settings is None:
        within = differences_within(scores, pairs, options)
        over_these: tuple[Difference, ...] = ()
        interval: IntervalOfPair | None = None
        if has_errors(scores):
            over_these, interval = over_items(scores, differences, options)
        macro = () if options.bare else tuple((_macro(d, "items"), d.notes) for d in over_these)
        micro = _micro(scores, scores.measure, pairs, options, drawing, counting)
        overall, notes = joined(differences, [*macro, *micro], options, scores.metric.name)
        return InnerDifferences(within, over_these, overall, notes, interval=interval)
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
    by_rank = [
        dataclasses.replace(d, estimate=entry.estimate)
        for d, (entry, _) in zip(_over_runs(differences, pooled), pooled, strict=False)
    ]
    gaps = scores.ranges is not None and better and not scores.from_data
    runs = RunsOnDatasets(
        statistic=settings.statistic,
        paired=settings.paired,
        scores={
            name: {s: tuple(x.tolist()) for s, x in zip(one.names, one.estimator.scores, strict=True)}
            for name, one in scores.runs.items()
        },
        systems=systems_overall(together, by_rank, better, gaps=gaps),
        improvements=mean_improvements(strata, pairs),
    )
    return InnerDifferences(
        on_each,
        _over_runs(differences, over_runs) or differences,
        overall,
        [*notes, *short, *unbounded],
        runs,
        strata.interval_of,
    )


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
        d = dataclasses.replace(d, **WITHOUT_BOUNDS)
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


Noted = tuple[Overall, tuple[Note, ...]]
"""A difference over all datasets and the notes on its interval."""


def _micro(
    scores: DatasetScores,
    measure: BaseMetric | None,
    pairs: Sequence[Names],
    options: Options,
    drawing: Drawing,
    counting: Counting,
) -> list[Noted]:
    """Return the differences on all items pooled: items redrawn inside datasets, then whole datasets."""
    if not scores.items or measure is None or per_dataset.obstacle_to_pooling(scores.items) is not None:
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


def _macro(d: Difference, resampled: str | None) -> Overall:
    """Return a mean difference over the datasets as what the interval and the test take to vary says."""
    return Overall(d.a, d.b, "macro", resampled, d.estimate, **{name: getattr(d, name) for name in _ANSWER})


_ANSWER = (
    "interval", "standard_error", "standard_error_method", "verdict", "equivalence_interval", "test",
    "p_adjusted",
)  # fmt: skip
"""What differences on all datasets together and of one pair both have."""


def _over_runs(differences: Sequence[Difference], entries: Sequence[Noted]) -> list[Difference]:
    """Return differences over the datasets with the runs varying, in place of the datasets."""
    return [
        dataclasses.replace(
            d,
            notes=notes_about(notes, d.metric, d.a, d.b),
            **{name: getattr(entry, name) for name in _ANSWER},
        )
        for d, (entry, notes) in zip(differences, entries, strict=False)
    ]


def joined(
    differences: Sequence[Difference], others: Sequence[Noted], options: Options, metric: str
) -> tuple[tuple[Overall, ...], list[Note]]:
    """Return the mean differences for other datasets and the others, pair by pair.

    Each of the others without an interval has a note that says why.
    """
    bounded = options.interval is not None
    entries = [_macro(d, None if options.bare else "datasets") for d in differences]
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
