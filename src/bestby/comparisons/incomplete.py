"""Systems of which some lack items: every two are compared on the items that both have, or within bounds.

What is computed of a pair depends on no other system, so that a pair here is what it would be alone. Systems
that have the same items are compared together, and p-values are corrected over all pairs.

Bounds hold whatever the missing results would be: a difference is taken with those of A as the worst and
those of B as the best, and the other way round (Horowitz & Manski 2000, J. Amer. Statist. Assoc. 95, 77-84).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from bestby._core import special
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import counted
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.comparisons import dependence, family, note_rules
from bestby.comparisons.one_metric import (
    MetricPart,
    assembled,
    estimates_by_metric,
    focus_rank,
    ranked,
    system_scores,
    tested_pairs,
)
from bestby.comparisons.settings import Settings, check_reach
from bestby.data.columns import group_codes
from bestby.data.evaluation import Evaluation
from bestby.data.roles import listed
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.engine.sums import SumGroup
from bestby.inference import best
from bestby.inference.multiplicity import FEW_UNITS, Joint
from bestby.metrics.base import BaseMetric, MeanMetric
from bestby.report.comparison import Comparison, Difference, SystemScore
from bestby.resampling.settings import Resampling
from bestby.results.base import Note
from bestby.results.values import Interval

FEWEST_SHARED = 15
"""Items that two systems must both have to be compared: intervals and tests of fewer say next to nothing."""

_OF_ALL = ("few_resamples",)
"""Codes of notes that depend on the number of all pairs, which no part of them knows."""


Ends: TypeAlias = Sequence[tuple[Difference, Difference]]
"""Each pair with A at its worst and at its best, which is the same difference if nothing is missing."""


@dataclass(frozen=True, eq=False)
class Alike:
    """Systems that have the same items; `has`, of shape (n,), says which."""

    names: tuple[str, ...]
    has: BoolArray


@dataclass(frozen=True)
class Part:
    """Systems of which every two are compared or, if there are `bases`, each of these with each other one."""

    names: tuple[str, ...]
    bases: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class Plan:
    """Which systems are compared on which items."""

    alike: tuple[Alike, ...]
    parts: tuple[Part, ...]
    notes: tuple[Note, ...]

    @property
    def names(self) -> list[str]:
        """The systems that are compared with some other."""
        compared = {name for part in self.parts for name in part.names}
        return [name for one in self.alike for name in one.names if name in compared]


def compared_with_gaps(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], settings: Settings, resampling: Resampling
) -> Comparison:
    """Return the comparison of systems that lack items, as `on_missing` of the evaluation asks for."""
    _check(evaluation, settings)
    for one in metrics:
        check_reach(settings.margin, one)
    dependence.check(evaluation, settings)
    drawing = dataclasses.replace(Drawing.of(resampling), progress=None)
    named = {**settings.by_name(), "on_missing": evaluation.on_missing}
    if evaluation.on_missing == "bounds":
        part, of_gaps = _bounded, [_note_on_bounds(evaluation)]
    else:
        plan = _plan(evaluation, settings)
        evaluation = evaluation.with_systems(plan.names)
        part, of_gaps = partial(_in_pairs, plan=plan), [*plan.notes, *_whole_groups(evaluation)]
    notes = [*note_rules.evaluation_notes(evaluation, metrics, settings), *of_gaps]
    parts = [part(evaluation, metric=metric, settings=settings, drawing=drawing) for metric in metrics]
    return assembled(parts, notes, (), evaluation, metrics, settings, named, drawing)


def _check(evaluation: Evaluation, settings: Settings) -> None:
    """Refuse what needs all systems on the same items."""
    if settings.simultaneous or settings.correction == "step-down":
        asked = "simultaneous" if settings.simultaneous else settings.correction
        raise DesignError(
            f"correction={asked!r} reads how all differences vary together on the same items, which systems"
            " that lack items do not have",
            hint='correction="holm" needs no more than the p-values',
        )
    if settings.alternative != "two-sided" and settings.baseline is None:
        raise DesignError(
            f'one-sided tests of every two systems do not go with on_missing="{evaluation.on_missing}"',
            hint='name a baseline, or leave alternative at "two-sided"',
        )


# -- which systems are compared on which items -----------------------------------------------------


def _plan(evaluation: Evaluation, settings: Settings) -> Plan:
    alike, baseline = _alike(evaluation), settings.baseline
    weights = np.ones(evaluation.n_rows) if evaluation.counts is None else evaluation.counts.astype(float)
    has = np.array([one.has for one in alike], dtype=np.float64)
    shared = (has * weights) @ has.T
    clusters = None if evaluation.clusters is None else group_codes(evaluation.clusters)[1]

    def enough(p: int, q: int) -> bool:
        if shared[p, q] < FEWEST_SHARED:
            return False
        return clusters is None or np.unique(clusters[alike[p].has & alike[q].has]).size > 1

    parts: list[Part] = []
    few: list[tuple[str, str]] = []
    sizes: list[float] = []
    for p, one in enumerate(alike):
        for q in range(p, len(alike)):
            found = _between(one, alike[q], baseline)
            if found is not None and not enough(p, q):
                few += _pairs_of(one, alike[q], baseline)
            elif found is not None:
                parts.append(found)
                sizes.append(float(shared[p, q]))
    compared = {name for part in parts for name in part.names}
    asked = baseline or settings.focus
    if not compared or (asked is not None and asked not in compared):
        who = "no two systems have" if asked is None else f"no system and {asked} have"
        raise InvalidInputError(
            f"{who} {FEWEST_SHARED} items in common, which a comparison of pairs needs",
            hint='pass on_missing="worst" if missing results are failures, or give more items',
        )
    gone = [name for name in evaluation.names if name not in compared]
    apart = [f"{a} and {b}" for a, b in few if a in compared and b in compared]
    notes = [_note_on_gaps(evaluation, sizes)]
    if gone:
        other = "any other system" if baseline is None else f"the baseline {baseline}"
        verb = "is" if len(gone) == 1 else "are"
        message = f"{listed(gone)} {verb} left out: fewer than {FEWEST_SHARED} items in common with {other}"
        notes.append(Note("systems_without_pairs", message))
    if apart:
        message = f"{counted(len(apart), 'pair')} of systems with fewer than {FEWEST_SHARED} items in common"
        message += f" {'is' if len(apart) == 1 else 'are'} not compared: {listed(apart, 3)}"
        notes.append(Note("few_shared", message))
    return Plan(alike, tuple(parts), tuple(notes))


def _alike(evaluation: Evaluation) -> tuple[Alike, ...]:
    """Return the systems by the items they have, in the order in which the systems came."""
    found: dict[bytes, tuple[list[str], BoolArray]] = {}
    everything = np.ones(evaluation.n_rows, dtype=np.bool_)
    for name in evaluation.names:
        gone = evaluation.missing.get(name)
        has = everything if gone is None else ~gone
        found.setdefault(np.packbits(has).tobytes(), ([], has))[0].append(name)
    return tuple(Alike(tuple(names), has) for names, has in found.values())


def _between(one: Alike, other: Alike, baseline: str | None) -> Part | None:
    """Return the part in which systems meet those with other items, or each other; None if they do not."""
    if baseline is None:
        if one is other:
            return Part(one.names) if len(one.names) > 1 else None
        return Part((*one.names, *other.names), other.names)
    if baseline not in (*one.names, *other.names) or (one is other and len(one.names) == 1):
        return None
    others = one if one is other or baseline in other.names else other
    return Part((*(name for name in others.names if name != baseline), baseline), (baseline,))


def _pairs_of(one: Alike, other: Alike, baseline: str | None) -> Iterator[tuple[str, str]]:
    for i, a in enumerate(one.names):
        for b in one.names[i + 1 :] if one is other else other.names:
            if baseline is None or baseline in (a, b):
                yield a, b


def _note_on_gaps(evaluation: Evaluation, sizes: Collection[float]) -> Note:
    """Return the note on which systems lack how many items, and when a comparison of pairs is not valid."""
    who = _who_has(evaluation)
    message = (
        f"{who}: each pair is compared on the items both have ({_span(sizes)}). If results are missing"
        ' because they failed, this is not valid: use on_missing="worst" or "bounds"'
    )
    return Note("compared_in_pairs", message)


def _who_has(evaluation: Evaluation) -> str:
    """Return how many items the systems have that lack some."""
    n, has = evaluation.n_items, {name: _n_items(evaluation, name) for name in evaluation.missing}
    if len(has) == 1:
        return next(f"{name} has {size} of {n} items" for name, size in has.items())
    return f"{len(has)} of {len(evaluation.names)} systems have {_span(has.values())} of {n} items"


def _n_items(evaluation: Evaluation, name: str) -> int:
    gone = evaluation.missing.get(name)
    if gone is None:
        return evaluation.n_items
    return int((~gone).sum() if evaluation.counts is None else evaluation.counts[~gone].sum())


def _span(sizes: Collection[float]) -> str:
    """Return the least and the greatest of some numbers of items, or the one there is.

    >>> _span([300, 900]), _span([300.0])
    ('300 to 900', '300')
    """
    low, high = int(min(sizes)), int(max(sizes))
    return f"{low}" if low == high else f"{low} to {high}"


# -- one metric ------------------------------------------------------------------------------------


def _in_pairs(
    evaluation: Evaluation, *, plan: Plan, metric: BaseMetric, settings: Settings, drawing: Drawing
) -> MetricPart:
    """Return the comparison of every two systems on the items that both have."""
    notes: list[Note] = []
    differences: list[Difference] = []
    scores: dict[str, SystemScore] = {}
    shown = set(plan.names)
    effects = Effects(evaluation)
    for alike in plan.alike:
        names = tuple(name for name in alike.names if name in shown)
        if names:
            whole = evaluation.complete(names)
            own, estimates = _scored(whole, metric, settings, drawing, notes)
            scores |= {name: dataclasses.replace(score, n_items=whole.n_items) for name, score in own.items()}
            effects.add(estimates, whole.names, alike.has)
    for part in plan.parts:
        differences += _tested(evaluation.complete(part.names), part, metric, settings, drawing, notes)
    ends = [(d, d) for d in differences]
    notes = [*_once(notes), *effects.on_difficulty(metric)]
    return _together(evaluation, metric, scores, differences, ends, effects, notes, settings, drawing)


def _scored(
    whole: Evaluation, metric: BaseMetric, settings: Settings, drawing: Drawing, notes: list[Note]
) -> tuple[dict[str, SystemScore], Estimates]:
    """Return the scores of systems that have all items, and what they are from; add the notes on them."""
    (estimates,) = estimates_by_metric(whole, [metric], settings, drawing, "compare")
    found, on_scores = system_scores(estimates, ranked(estimates, whole), None, whole.names, settings)
    notes += on_scores
    return {score.system: score for score in found}, estimates


def _tested(
    whole: Evaluation,
    part: Part,
    metric: BaseMetric,
    settings: Settings,
    drawing: Drawing,
    notes: list[Note],
) -> Sequence[Difference]:
    """Return the differences of a part, whose systems have all items, uncorrected; add the notes on them."""
    settings = dataclasses.replace(settings, correction="none", baseline=None)
    (estimates,) = estimates_by_metric(whole, [metric], settings, drawing, "compare")
    places = None if part.bases is None else [whole.names.index(base) for base in part.bases]
    found = tested_pairs(estimates, metric, ranked(estimates, whole), places, whole, settings)
    notes += (*found.on_test, *found.on_family, *found.on_pairs)
    return found.differences


def _once(notes: Sequence[Note]) -> list[Note]:
    """Return the first of the notes of each code on the same, without those that no part can give."""
    first = {(note.code, note.about): note for note in reversed(notes) if note.code not in _OF_ALL}
    return [*reversed(first.values())]


def _together(
    evaluation: Evaluation,
    metric: BaseMetric,
    scores: Mapping[str, SystemScore],
    differences: Sequence[Difference],
    ends: Ends,
    effects: Effects | None,
    notes: Sequence[Note],
    settings: Settings,
    drawing: Drawing,
) -> MetricPart:
    """Return all pairs as one family, and the systems in the order of their mean differences."""
    names = [name for name in evaluation.names if name in scores]
    may_be_best = _of_best(names, ends, effects, settings, drawing)
    ahead = _ahead(names, differences)
    order = _in_order(names, ahead, metric.greater_is_better)
    place = {name: position for position, name in enumerate(order)}
    if settings.baseline is None:
        differences = [d if place[d.a] < place[d.b] else d.mirrored() for d in differences]
    in_order = sorted(differences, key=lambda d: (place[d.a], place[d.b]))
    family_of_pairs = family.with_direction_notes(
        family.adjusted(in_order, settings.correction), settings.alpha
    )
    standings, lettered = None, settings.baseline is None
    more: list[Note] = []
    if settings.test is not None:
        standings = family.standings(order, family_of_pairs, settings.alpha, lettered=lettered)
        more += note_rules.group_notes(metric.name, standings[2], lettered=lettered)
        tests = [d.test for d in family_of_pairs if d.test is not None]
        more += note_rules.resample_notes(metric.name, tests, settings.correction, settings.alpha)
    in_pairs = settings.baseline is None and evaluation.on_missing == "pairs"
    mean = dict(zip(names, ahead.tolist(), strict=True)) if in_pairs else {}
    systems = tuple(
        dataclasses.replace(
            scores[name],
            **family.standing(standings, position),
            **may_be_best.get(name, {}),
            mean_difference=mean.get(name),
        )
        for position, name in enumerate(order)
    )

    def joint(others: Sequence[str]) -> Joint:
        correlations = None if effects is None else effects.correlations(str(settings.focus), others)
        return Joint.from_correlations(correlations, len(others), drawing.seed)

    focus = focus_rank(family_of_pairs, metric, len(names), settings, joint)
    return MetricPart(systems, family_of_pairs, None, (*more, *notes), focus=focus)


def _ahead(names: Sequence[str], differences: Sequence[Difference]) -> FloatArray:
    """Return by how much each system is ahead of the others on average, shape (S,).

    Where every two were compared, it is the mean of its differences to the others; where some were not, the
    least squares solution of all differences takes its place.
    """
    place = {name: position for position, name in enumerate(names)}
    size = len(names)
    a = np.array([place[d.a] for d in differences])
    b = np.array([place[d.b] for d in differences])
    value = np.array([d.estimate for d in differences])
    laplacian, right = np.zeros((size, size)), np.zeros(size)
    np.add.at(laplacian, (a, a), 1.0)
    np.add.at(laplacian, (b, b), 1.0)
    np.add.at(laplacian, (a, b), -1.0)
    np.add.at(laplacian, (b, a), -1.0)
    np.add.at(right, a, value)
    np.add.at(right, b, -value)
    if np.linalg.matrix_rank(laplacian) < size - 1:
        raise DesignError(
            "the systems fall into groups that have too few items in common to be put in one order",
            hint="compare each group by itself: systems=[...]",
        )
    levels = np.linalg.lstsq(laplacian, right, rcond=None)[0] * (size / (size - 1.0))
    return levels.astype(np.float64)


def _in_order(names: Sequence[str], ahead: FloatArray, greater_is_better: bool) -> list[str]:
    """Return the systems from best to worst; rounding must not put equal ones in an order of their places."""
    scale = float(np.abs(ahead).max(initial=0.0)) or 1.0
    return [names[s] for s in family.ranked(np.round(ahead / scale, 12), names, greater_is_better)]


# -- which may be the best -------------------------------------------------------------------------


def _of_best(
    names: Sequence[str], ends: Ends, effects: Effects | None, settings: Settings, drawing: Drawing
) -> dict[str, dict[str, Any]]:
    """Return what the scores of systems say of the best: nothing of two, without tests or with a baseline."""
    if len(names) < 3 or settings.test is None or settings.baseline is not None:
        return {}
    in_order = sorted(names)  # so that draws do not depend on the order given
    found = set_of_best(in_order, ends, effects, settings.alpha, drawing.seed)
    if found is None:
        return {}
    behind = [None if math.isnan(value) else value for value in found.behind.tolist()]
    columns = zip(in_order, found.kept.tolist(), behind, strict=True)
    return {name: {"may_be_best": kept, "behind": most} for name, kept, most in columns}


def set_of_best(
    names: Sequence[str], ends: Ends, effects: Effects | None, alpha: float, seed: int
) -> best.SetOfBest | None:
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


# -- bounds ----------------------------------------------------------------------------------------


def _note_on_bounds(evaluation: Evaluation) -> Note:
    kind = "wrong or right" if evaluation.gold is not None else "the worst or the best score"
    as_worst = "as wrong" if evaluation.gold is not None else "as the worst score"
    message = f"{_who_has(evaluation)}: scores count the missing {as_worst}; intervals, tests and ranks hold"
    return Note("bounds", f"{message} whether they are {kind}")


def _bounded(evaluation: Evaluation, metric: BaseMetric, settings: Settings, drawing: Drawing) -> MetricPart:
    """Return the comparison that holds whatever the missing values are."""
    notes: list[Note] = []
    with_worst, with_best = (
        _scored(_filled(evaluation, metric, as_best), metric, settings, drawing, notes)[0]
        for as_best in ((), evaluation.missing)
    )
    scores = {
        name: dataclasses.replace(
            one,
            interval=_hull_of_intervals(one.interval, with_best[name].interval),
            n_items=_n_items(evaluation, name),
        )
        for name, one in with_worst.items()
    }
    worst = {name: one.score for name, one in with_worst.items()}
    ends: list[tuple[Difference, Difference]] = []
    for part in _parts_of_bounds(evaluation, settings.baseline):
        # The other systems less the bases: as small as it can be, then as large.
        bases = part.bases or ()
        low, high = (
            _tested(
                _filled(evaluation, metric, as_best).with_systems(part.names),
                part, metric, settings, drawing, notes,
            )
            for as_best in (bases, set(part.names) - set(bases))
        )  # fmt: skip
        other_end = {(d.a, d.b): d for d in high}
        ends += [(d, other_end[d.a, d.b]) for d in low]
    differences = [_hull(low, high, worst) for low, high in ends]
    return _together(evaluation, metric, scores, differences, ends, None, _once(notes), settings, drawing)


def _parts_of_bounds(evaluation: Evaluation, baseline: str | None) -> list[Part]:
    """Return the systems that lack nothing as one part, and each other one with all before it."""
    if baseline is not None:
        return [Part((*(name for name in evaluation.names if name != baseline), baseline), (baseline,))]
    lacking = [name for name in evaluation.names if name in evaluation.missing]
    seen = tuple(name for name in evaluation.names if name not in evaluation.missing)
    parts = [Part(seen)] if len(seen) > 1 else []
    for name in lacking:
        seen = (*seen, name)
        parts += [Part(seen, (name,))] if len(seen) > 1 else []
    return parts


def _filled(evaluation: Evaluation, metric: BaseMetric, as_best: Collection[str]) -> Evaluation:
    """Return the evaluation with missing values of some systems as the best, those of others as the worst.

    The best label is that of the gold; the worst and the best score are those that some system has.
    """
    systems, missing = dict(evaluation.systems.items()), dict(evaluation.missing)
    as_best = [name for name in missing if name in as_best]
    if evaluation.gold is None and metric.reads == "numbers":
        seen = [values[~missing[name]] if name in missing else values for name, values in systems.items()]
        least, most = min(float(x.min()) for x in seen), max(float(x.max()) for x in seen)
        worst, top = (least, most) if metric.greater_is_better else (most, least)
        for name, gone in missing.items():
            systems[name] = np.where(
                gone, top if name in as_best else worst, systems[name].astype(np.float64)
            )
        missing = {}
    elif metric.reads != "labels" or evaluation.gold is None or evaluation.gold.ndim > 1:
        raise DesignError(
            f"a missing prediction has no best value for {metric.name}",
            hint='pass on_missing="pairs" or on_missing="worst"',
        )
    else:
        for name in as_best:
            systems[name] = np.where(missing.pop(name), evaluation.gold, systems[name])
    return dataclasses.replace(evaluation, systems=systems, missing=missing, on_missing="worst")


def _hull(low: Difference, high: Difference, scores: Mapping[str, float]) -> Difference:
    """Return a difference whose interval and test hold at both ends; its scores are given."""
    less = low if (low.p_value or 0.0) >= (high.p_value or 0.0) else high
    test = less.test
    if test is not None and low.estimate * high.estimate <= 0.0:
        test = dataclasses.replace(test, p_value=1.0)
    errors = [d.standard_error for d in (low, high) if d.standard_error is not None]
    joined = dataclasses.replace(
        less,
        estimate=scores[low.a] - scores[low.b],
        score_a=scores[low.a],
        score_b=scores[low.b],
        interval=_hull_of_intervals(low.interval, high.interval),
        test=test,
        p_adjusted=None if test is None else test.p_value,
        n_differing=max(low.n_differing, high.n_differing),
        standard_error=max(errors, default=None),
        notes=tuple(dict.fromkeys((*low.notes, *high.notes))),
    )
    tost = _hull_of_intervals(low.equivalence_interval, high.equivalence_interval)
    return family.with_verdict(joined, tost, joined.margin)


def _hull_of_intervals(low: Interval | None, high: Interval | None) -> Interval | None:
    if low is None or high is None:
        return None
    return dataclasses.replace(low, low=min(low.low, high.low), high=max(low.high, high.high))


# -- are items missing by difficulty? --------------------------------------------------------------


class Effects:
    """What each item adds to the score of each system, times the number of its items: of a mean a deviation.

    They tell which items are easy, and how differences vary together. Nothing is held of metrics that are no
    functions of sums, whose items add nothing by themselves.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        clusters = evaluation.clusters
        self.units = None if clusters is None else group_codes(clusters)[1].astype(np.int64)
        self.of: dict[str, Array] = {}

    def add(self, estimates: Estimates, names: Sequence[str], has: BoolArray) -> None:
        """Add the effects of some systems, which have the same items."""
        if not isinstance(estimates.group, SumGroup):
            return
        for statistics, name in zip(estimates.group.statistics, names, strict=True):
            # Single precision is enough for what is read from them, and holds twice as many systems.
            self.of[name] = np.zeros(has.size, dtype=np.float32)
            self.of[name][has] = statistics.item_influence * float(_n_items(self.evaluation, name))

    def has(self, name: str) -> BoolArray:
        """Return which items a system has."""
        gone = self.evaluation.missing.get(name)
        return np.ones(self.evaluation.n_rows, dtype=np.bool_) if gone is None else ~gone

    def on_difficulty(self, metric: BaseMetric) -> list[Note]:
        """Return notes on systems whose items are harder or easier for the others than those they lack.

        What is easy is read from the systems that have all items, or from all others where there are none.
        """
        missing, notes = self.evaluation.missing, []
        way = 1.0 if metric.greater_is_better else -1.0
        judges = [name for name in self.of if name not in missing] or list(self.of)
        total, n = np.zeros(self.evaluation.n_rows), np.zeros(self.evaluation.n_rows)
        for name in judges:
            total += self.of[name]
            n += self.has(name)
        for name in (one for one in missing if one in self.of):
            own = name in judges
            easy, n_others = (total - self.of[name], n - self.has(name)) if own else (total, n)
            there = n_others > 0
            tested = contrast(
                way * easy[there] / n_others[there],
                self.has(name)[there],
                None if self.units is None else self.units[there],
                None if self.evaluation.counts is None else self.evaluation.counts[there],
            )
            if tested is None or tested.p_value * len(missing) > 0.05:  # Bonferroni over the systems
                continue
            kind = "easier" if tested.difference > 0.0 else "harder"
            by = f"by {abs(tested.difference):.2g} on average, " if isinstance(metric, MeanMetric) else ""
            message = (
                f"the items that {name} has are {kind} for the other systems than those it lacks"
                f" ({by}t = {tested.t:.1f}): what is said of it holds for the items both have, not for all"
                f" {self.evaluation.n_items}"
            )
            notes.append(Note("missing_by_difficulty", message, (metric.name, name)))
        return notes

    def correlations(self, candidate: str, others: Sequence[str]) -> FloatArray | None:
        """Return how the differences of others minus one system vary together, drawn towards 1/2.

        Each is on the items that both have. Those of unrelated systems of equal variance are 1/2, the worst
        case (Hayter 1984); the share that is drawn there is the noise of correlations, (1 - r^2)^2 / n each,
        over the squared distance (Schäfer & Strimmer 2005). None of too few units.
        """
        if candidate not in self.of:
            return None
        counts = self.evaluation.counts  # of single items alone
        weights = None if counts is None else np.sqrt(counts).astype(np.float32)
        mine, has = self.of[candidate], self.has(candidate)
        rows, sizes = [], []
        for other in others:
            both = has & self.has(other)
            difference = (self.of[other] - mine) * both
            n = np.count_nonzero(both) if counts is None else int(counts[both].sum())
            total = difference.sum(dtype=np.float64) if counts is None else counts @ difference
            difference -= np.float32(total / n) * both
            row = difference if weights is None else difference * weights
            row = row if self.units is None else np.bincount(self.units, row)
            sizes.append(n if self.units is None else np.unique(self.units[both]).size)
            norm = math.sqrt(float(np.square(row, dtype=np.float64).sum()))
            rows.append(row / np.float64(norm or 1.0))
        if min(sizes) < FEW_UNITS:
            return None
        stacked = np.stack(rows)
        r = stacked @ stacked.T
        apart = ~np.eye(len(others), dtype=np.bool_)
        distance = float(((r - 0.5)[apart] ** 2).sum())
        noise = float(((1.0 - r**2)[apart] ** 2).sum()) / min(sizes)
        share = min(1.0, noise / distance) if distance > 0.0 else 1.0
        r[apart] = (1.0 - share) * r[apart] + share * 0.5
        np.fill_diagonal(r, 1.0)
        return r


@dataclass(frozen=True)
class Contrast:
    """The mean of some items minus that of the others, over its standard error, and a two-sided p-value."""

    difference: float
    t: float
    p_value: float


def contrast(
    values: FloatArray, chosen: BoolArray, units: IntArray | None = None, counts: IntArray | None = None
) -> Contrast | None:
    """Return Welch's test of the mean of the chosen items against that of the others; None of fewer than 2.

    All arrays have shape (n,). Where items come in `units`, the sums of these are what varies; both samples
    may then share one. Degrees of freedom are those of the smaller sample, which is conservative.

    >>> contrast(np.array([1.0, 2.0, 6.0, 8.0]), np.array([True, True, False, False])).difference
    -5.5
    """
    weights = np.ones(values.size) if counts is None else counts.astype(np.float64)
    sizes = float(weights[chosen].sum()), float(weights[~chosen].sum())
    if min(sizes) < 2.0:
        return None
    means = [
        float(weights[part] @ values[part]) / size
        for part, size in zip((chosen, ~chosen), sizes, strict=True)
    ]
    share = np.where(chosen, (values - means[0]) / sizes[0], (means[1] - values) / sizes[1])
    if units is None:
        bessel = np.where(chosen, sizes[0] / (sizes[0] - 1.0), sizes[1] / (sizes[1] - 1.0))
        variance, df = float(weights @ (share**2 * bessel)), min(sizes) - 1.0
    else:
        sums = np.bincount(units, share * weights)
        n_units = int(np.unique(units).size)
        smaller = min(np.unique(units[chosen]).size, np.unique(units[~chosen]).size)
        if smaller < 2:
            return None
        variance, df = float(sums @ sums) * n_units / (n_units - 1.0), smaller - 1.0
    difference = means[0] - means[1]
    if not variance > 0.0:
        return None
    t = difference / math.sqrt(variance)
    return Contrast(difference, t, 2.0 * float(special.stdtr(df, -abs(t))))


def _whole_groups(evaluation: Evaluation) -> list[Note]:
    """Return a note on each system that lacks whole groups of items, such as tasks, that are no clusters."""
    groupings = dict(evaluation.groupings)
    if evaluation.tasks is not None:
        groupings["task"] = evaluation.tasks
    notes = []
    for what, values in groupings.items():
        names, codes = group_codes(values)
        codes = codes.astype(np.int64)
        if evaluation.clusters is not None and _within(codes, group_codes(evaluation.clusters)[1]):
            continue
        sizes = np.bincount(codes)
        if 2 * names.size > codes.size:  # such groups are the items themselves
            continue
        for name, gone in evaluation.missing.items():
            lacking = np.bincount(codes, gone)
            n_gone = int((lacking == sizes).sum())
            if n_gone and int((lacking > 0).sum()) == n_gone:
                message = (
                    f"{name} lacks all items of {n_gone} of {names.size} groups by {what}, and no others:"
                    " intervals hold for the groups it has; if these are a sample, pass them as clusters"
                )
                notes.append(Note("whole_groups_missing", message, (name,)))
    return notes


def _within(groups: IntArray, clusters: IntArray) -> bool:
    """Return whether each group lies in one cluster."""
    joint = np.unique(np.stack([groups, clusters.astype(np.int64)]), axis=1).shape[1]
    return bool(joint == np.unique(groups).size)
