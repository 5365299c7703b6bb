"""The differences over all datasets together, with datasets or items resampled."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from bestby.comparisons.common import equivalence, one_pair, per_dataset
from bestby.comparisons.common.family import Bounds, on_marks, verdict, with_equivalence
from bestby.comparisons.common.per_dataset import Options
from bestby.engine.base import Drawing
from bestby.engine.text_statistics import Counting
from bestby.engine.unseen import evidence
from bestby.inference import clusters, skewness
from bestby.inference.distributions import replicates
from bestby.inference.intervals import percentile
from bestby.metrics.base import BaseMetric
from bestby.questions.datasets.result import Overall
from bestby.questions.datasets.source import DatasetScores
from bestby.results.base import MetricInfo, Note
from bestby.results.by_pair import Names
from bestby.results.comparison import Difference
from bestby.results.values import WITHOUT_INTERVAL, Interval, defined


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
    found: list[Noted] = []
    if scores.items and bounded:
        found += _macro_over_items(scores, differences, options, drawing)
    if scores.items and scores.measure is not None:
        found += _micro(scores, scores.measure, pairs, options, drawing, counting)
    return joined(differences, found, options, scores.metric.name)


def joined(
    differences: Sequence[Difference], others: Sequence[Noted], options: Options, metric: str
) -> tuple[tuple[Overall, ...], list[Note]]:
    """Return the mean differences for other datasets and the others, pair by pair.

    Each of the others without an interval has a note that says why.
    """
    bounded = options.interval is not None
    made = [
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
    made += [entry for entry, _ in others]
    place = {(d.a, d.b): i for i, d in enumerate(differences)}
    lost = [one for one in others if bounded and one[0].interval is None]
    notes = [_without_interval(*one, metric) for one in lost]
    return tuple(sorted(made, key=lambda entry: place[entry.a, entry.b])), notes


Noted = tuple[Overall, tuple[Note, ...]]
"""A difference over all datasets and the notes on its interval."""


def _judged(
    entry: Overall,
    bounds: one_pair.Bounds,
    of_systems: tuple[float, float],
    scores: DatasetScores,
    margin: float | None,
) -> Overall:
    """Return a difference with its verdict, from its intervals."""
    if margin is None:
        return entry
    beyond, tost = (
        on_marks(one, of_systems, margin) for one in (bounds.decides or entry.interval, bounds.tost)
    )
    better = scores.metric.greater_is_better
    return dataclasses.replace(
        entry,
        verdict=verdict(beyond, tost, margin, better, doubted=bounds.doubted),
        equivalence_interval=tost,
    )


def _macro_over_items(
    scores: DatasetScores, differences: Sequence[Difference], options: Options, drawing: Drawing
) -> list[Noted]:
    """Return intervals of the mean difference for other items of the same datasets."""
    pairs = [(scores.names.index(d.a), scores.names.index(d.b)) for d in differences]
    crossed = any(makers.group.crossed for makers in scores.makers.values())
    spreads = _macro_by_formula(scores, pairs) if crossed else _macro_drawn(scores, pairs, drawing)
    method, error_method = ("two-way", "two-way") if crossed else ("percentile", "bootstrap")
    scale, made = float(np.abs(scores.matrix).max()), []
    for d, pair, (ends, error) in zip(differences, pairs, spreads, strict=True):

        def bounds(level: float, ends: _Ends = ends) -> Bounds:
            made = clipped(Interval(*ends(level), level, method, exact=crossed), scores.metric)
            return defined(made, scale=scale)

        interval, tost, notes = with_equivalence(bounds, options.level, options.margin)
        if options.margin is not None:
            parts = [evidence(makers.group, pair) for makers in scores.makers.values()]
            tost, _ = equivalence.interval_of_mean(parts, tost, d.estimate, options)
            tost = clipped(tost, scores.metric)
        known = None if error is None else error_method
        entry = Overall(d.a, d.b, "macro", "items", d.estimate, interval, error, known)
        of_items = one_pair.Bounds(interval, tost, notes)
        made.append((_judged(entry, of_items, (d.score_a, d.score_b), scores, options.margin), notes))
    return made


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
    for name, makers in scores.makers.items():
        own = dataclasses.replace(drawing, seed=per_dataset.derived_seed(drawing.seed, name))
        group, observed = makers.group, makers.scores
        free = group.n_units - group.n_strata
        spread = math.sqrt(group.n_units / free) if free else 1.0
        drawn = observed + spread * (group.bootstrap(own) - observed)
        total += drawn / len(scores.makers)
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
        errors = [makers.group.sample(a, b).error for makers in scores.makers.values()]
        known = [error for error in errors if error is not None]
        assert len(known) == len(errors)  # two crossed groupings go with functions of sums only
        error = clusters.mean_error(known)
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
        found = per_dataset.intervals_on(whole, measure, drawing, where, counting).scores
        place = {name: position for position, name in enumerate(scores.names)}
        return [
            (Overall(a, b, "micro", None, float(found[place[a]] - found[place[b]]), None), ())
            for a, b in pairs
        ]
    labels = [name for name, part in scores.items.items() for _ in range(part.n_items)]
    by_dataset = dataclasses.replace(whole, strata=None, clusters=np.array(labels, dtype=np.str_))
    made = []
    for resampled, evaluation in (("items", whole), ("datasets", by_dataset)):
        makers = per_dataset.intervals_on(evaluation, measure, drawing, where, counting)
        for a, b in pairs:
            estimate = makers.of(scores.names.index(a), scores.names.index(b))
            pooled = one_pair.intervals(estimate, "auto", options)
            error = one_pair.standard_error(estimate, pooled.interval)
            entry = Overall(a, b, "micro", resampled, estimate.value, pooled.interval, *error)
            of_systems = (float(estimate.scores[0]), float(estimate.scores[1]))
            made.append((_judged(entry, pooled, of_systems, scores, options.margin), pooled.notes))
    return made


def _without_interval(entry: Overall, notes: tuple[Note, ...], metric: str) -> Note:
    """Return the note that says why a difference over all datasets has no interval."""
    why = next(note for note in notes if note.code in WITHOUT_INTERVAL)
    told = f"{entry.average} difference, {entry.resampled} resampled: {why.message}"
    return Note(why.code, told, (metric, entry.a, entry.b))


def clipped(interval: Interval | None, metric: MetricInfo) -> Interval | None:
    """Return the interval without what no difference can be."""
    if interval is None:
        return None
    reach = metric.bounds[1] - metric.bounds[0]
    return dataclasses.replace(interval, low=max(interval.low, -reach), high=min(interval.high, reach))
