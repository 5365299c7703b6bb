"""The best of several systems on one metric: which may be it, how far each is behind, what its score is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Protocol, TypeAlias

import numpy as np

from bestby._core import rounding, special
from bestby._core.typing import BoolArray, FloatArray
from bestby.comparisons import family, many_systems, simultaneous
from bestby.comparisons.item_effects import Effects
from bestby.comparisons.settings import CheckedSettings, Settings
from bestby.data.evaluation import Evaluation
from bestby.engine import interval_methods, prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.engine.items import ItemGroup
from bestby.inference import best, proportions
from bestby.inference.best import SetOfBest
from bestby.metrics.base import BaseMetric
from bestby.report.comparison import SIMULTANEOUS, BestSet, Difference, Leader, SystemScore
from bestby.results.values import Interval

FEWEST_SYSTEMS = 3
"""Systems from which the best is asked for; of two their difference says all."""

MOST_SPLIT = 2000
"""Units up to which the luck of a leader is told by splitting them; sums of more are as good as normal."""


_N_RESAMPLES = 2000

IntervalOfPair: TypeAlias = Callable[[str, str, float], Interval | None]
"""Returns the interval of A minus B at a level; None where it is undefined."""


Ends: TypeAlias = Sequence[tuple[Difference, Difference]]
"""Each pair with A at its worst and at its best, which is the same difference if nothing is missing."""


class _Upper(Protocol):
    """The upper ends of the differences of a system minus the others, in the direction of better scores."""

    def excludes(self, candidate: int, point: float) -> bool:
        """Return whether it is seen at once that another system is better, at the level of a point."""

    def ends(self, candidates: BoolArray, points: FloatArray) -> FloatArray:
        """Return the upper ends of candidates at the levels of their points, shape (S, S); 0 of others."""


class _OfCounts:
    """Upper ends of Tango's intervals, from the numbers of items that only one of two systems has right."""

    def __init__(self, counts: many_systems.Counts, size: int, sign: float) -> None:
        only = np.zeros((size, size), dtype=np.int64)
        only[counts.a, counts.b], only[counts.b, counts.a] = counts.n10, counts.n01
        self.only = only if sign > 0.0 else only.T
        differing = self.only + self.only.T
        # Where Tango's interval ends at 0 (Tango 1998, Statist. Med. 17, 891-908)
        self.evidence = (self.only - self.only.T) / np.sqrt(np.maximum(differing, 1))
        self.n = counts.n

    def excludes(self, candidate: int, point: float) -> bool:
        return bool(self.evidence[:, candidate].max() > point)

    def ends(self, candidates: BoolArray, points: FloatArray) -> FloatArray:
        found = np.zeros(self.only.shape)
        for one in np.flatnonzero(candidates).tolist():
            won, lost = self.only[one], self.only[:, one]
            found[one] = proportions.tango_pairs(won, lost, self.n, _two_sided(points[one]))[1]
        return found


class _OfPairs:
    """Upper ends of the interval of each pair by its own method; by t where that is undefined."""

    def __init__(
        self, estimates: Estimates, order: Sequence[int], asked: str, level: float, sign: float
    ) -> None:
        size = len(order)
        scores, spread = sign * estimates.scores, estimates.spread
        self.estimates, self.asked, self.level, self.sign = estimates, asked, level, sign
        self.place = np.argsort(order)
        self.differences = rounding.difference(scores[:, None], scores[None, :])
        every = np.arange(size)
        a, b = np.repeat(every, size), np.tile(every, size)
        variances = np.zeros(size * size) if spread is None else spread.variances(a, b)
        self.errors, self.df = np.sqrt(variances).reshape(size, size), max(1.0, estimates.group.n_units - 1.0)
        self.evidence = best.evidence_by_t(self.differences, self.errors, self.df)

    def excludes(self, candidate: int, point: float) -> bool:
        rival = int(np.argsort(-self.evidence[:, candidate], kind="stable")[0])
        return self.differences[rival, candidate] > 0.0 and self._end(candidate, rival, point) < 0.0

    def ends(self, candidates: BoolArray, points: FloatArray) -> FloatArray:
        found = np.zeros(self.differences.shape)
        for pair in combinations(range(len(found)), 2):
            for one, other in (pair, pair[::-1]):  # both at once, while what they are made of is at hand
                if candidates[one]:
                    found[one, other] = self._end(one, other, points[one])
        return found

    def _end(self, a: int, b: int, point: float) -> float:
        first = self.place[a] < self.place[b]  # as the pair stands in the comparison
        estimate = self.estimates.of(a, b) if first else self.estimates.of(b, a)
        at = _two_sided(point)
        method = simultaneous.method_at(estimate, self.asked, self.level, at)
        interval, _ = interval_methods.interval(estimate, method, at)
        if interval is None:
            t = -float(special.stdtrit(self.df, special.ndtr(-point)))
            return float(self.differences[a, b] + t * self.errors[a, b])
        return interval.high if first == (self.sign > 0.0) else -interval.low


def _two_sided(point: float) -> float:
    """Return the level of a two-sided interval whose ends each are passed as a normal variable passes it."""
    return 1.0 - 2.0 * float(special.ndtr(-point))


def is_asked(n_systems: int, settings: CheckedSettings, baseline: str | None) -> bool:
    """Return whether there are three systems or more, and every pair with its interval and its test."""
    read = None not in (settings.interval, settings.test)
    return n_systems >= FEWEST_SYSTEMS and read and baseline is None


def set_of_best(
    estimates: Estimates,
    names: Sequence[str],
    order: Sequence[int],
    settings: Settings,
    counts: many_systems.Counts | None,
) -> SetOfBest:
    """Return which systems may be the best, and how far each is behind it at most; positions as in `names`.

    `order` are the systems from best to worst, and `counts` those of right answers where they tell all.
    """
    size, sign = len(names), 1.0 if estimates.metric.greater_is_better else -1.0
    upper: _Upper
    if counts is not None:
        upper = _OfCounts(counts, size, sign)
    else:
        assert settings.interval is not None
        upper = _OfPairs(estimates, order, settings.interval, settings.level, sign)
    by_name = sorted(range(size), key=lambda s: names[s])

    def points(needed: BoolArray) -> FloatArray:
        spread = None if estimates.spread is None else estimates.spread.ordered(by_name)
        found = np.empty(size)
        found[by_name] = best.points(spread, size, settings.alpha, estimates.drawing.seed, needed[by_name])
        return found

    bound = best.points(None, size, settings.alpha, 0)[0]
    needed = np.array([not upper.excludes(s, bound) for s in range(size)])
    ends = upper.ends(needed, points(needed))
    scores = sign * estimates.scores
    worse = (ends < 0.0) & (rounding.difference(scores[:, None], scores[None, :]) < 0.0)
    return best.set_of_best(needed & (worse.sum(axis=1) == 0), lambda s: ends[s])


def set_by_bonferroni(
    scores: Mapping[str, float],
    interval: IntervalOfPair,
    settings: CheckedSettings,
    baseline: str | None,
    *,
    greater_is_better: bool,
) -> SetOfBest | None:
    """Return which systems may be the best from the interval of each pair alone; positions as in `scores`.

    The intervals are asked for in the order of the names, at Bonferroni's level for all others of a
    candidate: nothing need be known of how the pairs vary together. A pair without an interval shows nothing,
    and bounds a difference only if its scores are the same. None where the set is not asked for.
    """
    if not is_asked(len(scores), settings, baseline):
        return None
    place = {name: position for position, name in enumerate(scores)}
    level = _two_sided(best.points(None, len(scores), settings.alpha, 0)[0])
    upper = np.full((len(scores), len(scores)), np.nan)  # of a row minus a column, larger is better
    for a, b in combinations(sorted(scores), 2):
        i, j = (place[a], place[b]) if greater_is_better else (place[b], place[a])
        ends = family.on_marks(interval(a, b, level), (scores[a], scores[b]), None)
        if ends is not None:
            upper[i, j], upper[j, i] = ends.high, -ends.low
        elif scores[a] == scores[b]:
            upper[i, j] = upper[j, i] = 0.0
    remain: BoolArray = (upper < 0.0).sum(axis=1) == 0
    return best.set_of_best(remain, lambda candidate: upper[candidate])


def fields_of_best(
    found: SetOfBest | None, metric: str, names: Sequence[str], level: float
) -> dict[str, Any]:
    """Return the fields of a result that holds its systems, the best first, by their names."""
    if found is None:
        return {}
    kept = tuple(name for name, one in zip(names, found.kept, strict=True) if one)
    behind = tuple(best.standing(found, place)["behind"] for place in range(len(names)))
    return {"best_sets": (BestSet(metric, kept, level),), "behind": behind}


def set_of_best_of_pairs(
    names: Sequence[str], ends: Ends, effects: Effects | None, alpha: float, seed: int
) -> SetOfBest | None:
    """Return which of the systems may be the best, each judged by the pairs in which it is.

    None where some pair has no standard error. Without `effects`, or where these do not tell how the
    differences of a candidate vary together, Bonferroni's bound is all there is.
    """
    if any(d.standard_error is None for both in ends for d in both):
        return None
    size, place = len(names), {name: position for position, name in enumerate(names)}
    # Of A minus B in the direction of the better score, the least and the most with their errors, at [A, B]
    of_pairs = np.full((5, size, size), np.nan)
    for low, high in ends:
        way = 1.0 if low.greater_is_better else -1.0
        df = max(1.0, (low.n_clusters or low.n_items) - 1.0)
        numbers = (way * low.estimate, way * high.estimate, low.standard_error, high.standard_error, df)
        of_pairs[:, place[low.a], place[low.b]] = numbers
    least, most, error, error_of_most, df_of = of_pairs
    turned = np.array([-most.T, -least.T, error_of_most.T, error.T, df_of.T])
    least, most, low_errors, high_errors, df = np.where(np.isnan(of_pairs), turned, of_pairs)
    evidence = best.evidence_by_t(least, low_errors, df)
    compared = ~np.isnan(least)
    points = np.array([best.point_of_one(None, n, alpha, seed) for n in compared.sum(axis=0).tolist()])
    if effects is not None:
        # The others fail at a lower point, too
        for i in np.flatnonzero(best.kept(evidence, points)).tolist():
            others = [names[j] for j in np.flatnonzero(compared[:, i]).tolist()]
            correlations = effects.correlations(names[i], others)
            points[i] = best.point_of_one(correlations, len(others), alpha, seed)
    return best.set_of_best(best.kept(evidence, points), best.upper_by_t(most, high_errors, df, points))


def best_set(metric: str, systems: Sequence[SystemScore], level: float) -> BestSet | None:
    """Return the record of the systems that may be the best; None where that was not asked."""
    kept = tuple(entry.system for entry in systems if entry.may_be_best)
    return BestSet(metric, kept, level) if kept else None


def leader(
    estimates: Estimates,
    names: Sequence[str],
    order: Sequence[int],
    systems: Sequence[SystemScore],
    settings: Settings,
    fewest: int = FEWEST_SYSTEMS,
) -> Leader | None:
    """Return the score of the first system without the luck of having been chosen, with its interval.

    `systems` are the scores in this order. None of fewer systems than `fewest`, where no other system could
    be first, where one that could be has no interval, and where nothing tells how the scores vary.
    """
    if len(systems) < fewest or settings.interval is None or estimates.spread is None:
        return None
    could = [s for s, entry in zip(order, systems, strict=True) if entry.rank_low == 1]
    if systems[0].rank_low is None:  # nothing was tested
        could = _may_be_first(estimates, names, order, settings)
    intervals = {s: e.interval for s, e in zip(order, systems, strict=True) if e.interval is not None}
    return _without_luck(estimates, names, order, could, intervals, settings)


def leading_difference(
    estimates: Estimates,
    names: Sequence[str],
    order: Sequence[int],
    differences: Iterable[Difference],
    settings: Settings,
) -> Leader | None:
    """Return the difference of the first system and the baseline without the luck of having been chosen.

    `differences` are those of every other system and the baseline. None where `leader` has none, and of one
    system beside the baseline.
    """
    rivals = [s for s in order if names[s] != settings.baseline]
    if len(rivals) < FEWEST_SYSTEMS - 1 or settings.interval is None or estimates.spread is None:
        return None
    intervals = {names.index(d.a): d.interval for d in differences if d.interval is not None}
    could = _may_be_first(estimates, names, rivals, settings)
    return _without_luck(estimates, names, rivals, could, intervals, settings)


def _may_be_first(
    estimates: Estimates, names: Sequence[str], order: Sequence[int], settings: Settings
) -> list[int]:
    """Return which of the systems in this order may be the best by Student's t."""
    assert estimates.spread is not None
    by_name = sorted(order, key=lambda s: names[s])
    sign = 1.0 if estimates.metric.greater_is_better else -1.0
    df, seed = max(1.0, estimates.group.n_units - 1.0), estimates.drawing.seed
    spread = estimates.spread.ordered(by_name)
    may_be = best.by_t(sign * estimates.scores[by_name], spread, df, settings.alpha, seed).kept
    return [s for s in order if may_be[by_name.index(s)]]


def _without_luck(
    estimates: Estimates,
    names: Sequence[str],
    order: Sequence[int],
    could: Sequence[int],
    intervals: Mapping[int, Interval],
    settings: Settings,
) -> Leader | None:
    """Return the score of the first of the systems in this order, or its difference from the baseline.

    The lower end is that of the leader at the level at which those of all systems hold at once, since it may
    be any of them; the upper end is the largest of all systems, by themselves: the true score of the leader
    is at most that of the best, which is at most its own upper end.
    """
    metric, first, asked = estimates.metric, order[0], settings.interval
    assert estimates.spread is not None
    if len(could) < 2 or asked is None or not intervals.keys() >= set(could):
        return None
    base = None if settings.baseline is None else names.index(settings.baseline)
    chance = _optimism(estimates, could, base)
    if chance is None:
        return None
    by_name, seed = sorted(order, key=lambda s: names[s]), estimates.drawing.seed
    spread = estimates.spread if base is None else estimates.spread.from_one(base)
    at = _two_sided(best.leader_point(spread.ordered(by_name), len(order), 0.5 * settings.alpha, seed))
    estimate = estimates.of(first, base)
    method = simultaneous.method_at(estimate, asked, settings.level, at)
    wide, _ = interval_methods.interval(estimate, method, at)
    if wide is None:
        return None
    if metric.greater_is_better:
        corrected = estimate.value - chance
        low, high = min(wide.low, corrected), max(interval.high for interval in intervals.values())
    else:
        corrected = estimate.value + chance
        low, high = min(interval.low for interval in intervals.values()), max(wide.high, corrected)
    interval = Interval(low, high, settings.level, SIMULTANEOUS, wide.exact)
    return Leader(
        metric.name, names[first], estimate.value, corrected, interval, len(order), settings.baseline
    )


def leader_of(
    evaluation: Evaluation, metric: BaseMetric, systems: Sequence[SystemScore], level: float
) -> Leader | None:
    """Return the score of the first of two systems or more without its luck."""
    (group,) = prepare.groups(
        evaluation, [metric], supports=prepare.ALL_GROUPINGS, consumer="the best of many"
    )
    estimates = Estimates(group, Drawing(_N_RESAMPLES, 0))
    order = [evaluation.names.index(entry.system) for entry in systems]
    settings = Settings(interval="auto", level=level)
    return leader(estimates, evaluation.names, order, systems, settings, fewest=2)


def _optimism(estimates: Estimates, could: Sequence[int], base: int | None) -> float | None:
    """Return by how much the first of some systems overstates its score, or its difference from another one.

    None where nothing tells it.
    """
    group, scores = estimates.group, estimates.scores[could]
    units = None
    if not group.crossed and group.n_units <= MOST_SPLIT:
        units = group.influences
        if units is None and isinstance(group, ItemGroup):
            units = group.by_jackknife
    if units is None:
        spread = (
            estimates.spread if base is None or estimates.spread is None else estimates.spread.from_one(base)
        )
        if spread is None or spread.of_scores is None:
            return None
        sign, seed = 1.0 if group.metric.greater_is_better else -1.0, estimates.drawing.seed
        return best.normal_optimism(sign * scores, spread.of_scores[np.ix_(could, could)], seed)
    values = units.values[:, could]
    found = best.optimism(
        scores,
        values if base is None else values - units.values[:, [base]],
        units.counts,
        units.bounds,
        greater_is_better=group.metric.greater_is_better,
    )
    return None if found is None else found.optimism
