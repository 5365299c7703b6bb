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
from typing import Any

import numpy as np

from bestby._core import special
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import counted
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.comparisons import dependence, family, note_rules
from bestby.comparisons.best import is_asked
from bestby.comparisons.one_metric import (
    ComparedPairs,
    MetricPart,
    assembled,
    estimates_by_metric,
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
from bestby.inference.multiplicity import FEW_UNITS
from bestby.metrics.base import BaseMetric, MeanMetric
from bestby.report.comparison import Comparison, Difference, SystemScore
from bestby.resampling.settings import Resampling
from bestby.results.base import Note
from bestby.results.values import Interval

FEWEST_SHARED = 15
"""Items that two systems must both have to be compared: intervals and tests of fewer say next to nothing."""

_OF_ALL = ("few_resamples",)
"""Codes of notes that depend on the number of all pairs, which no part of them knows."""


@dataclass(frozen=True, eq=False)
class Alike:
    """Systems that have the same items; `has`, of shape (n,), says which."""

    names: tuple[str, ...]
    has: BoolArray


@dataclass(frozen=True, eq=False)
class Plan:
    """Which systems are compared on which items: every two of a part, or its `bases` and each other one."""

    alike: tuple[Alike, ...]
    parts: tuple[tuple[tuple[str, ...], tuple[str, ...] | None], ...]
    notes: tuple[Note, ...]

    @property
    def names(self) -> list[str]:
        """The systems that are compared with some other."""
        compared = {name for names, _ in self.parts for name in names}
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
        notes = [*note_rules.evaluation_notes(evaluation, metrics, settings), _note_on_bounds(evaluation)]
        parts = [_bounded(evaluation, metric, settings, drawing) for metric in metrics]
        return assembled(parts, notes, (), evaluation, metrics, settings, named, drawing)
    plan = _plan(evaluation, settings.baseline)
    evaluation = evaluation.with_systems(plan.names)
    notes = [
        *note_rules.evaluation_notes(evaluation, metrics, settings),
        *plan.notes,
        *_whole_groups(evaluation),
    ]
    parts = [_part(evaluation, plan, metric, settings, drawing) for metric in metrics]
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
    if settings.focus is not None:
        raise DesignError(
            f'the rank of one system (focus) does not go with on_missing="{evaluation.on_missing}"',
            hint="leave out focus: the ranks that hold for all systems are there",
        )
    if settings.alternative != "two-sided" and settings.baseline is None:
        raise DesignError(
            f'one-sided tests of every two systems do not go with on_missing="{evaluation.on_missing}"',
            hint='name a baseline, or leave alternative at "two-sided"',
        )


# -- which systems are compared on which items -----------------------------------------------------


def _plan(evaluation: Evaluation, baseline: str | None) -> Plan:
    alike = _alike(evaluation)
    weights = np.ones(evaluation.n_rows) if evaluation.counts is None else evaluation.counts.astype(float)
    has = np.array([one.has for one in alike], dtype=np.float64)
    shared = (has * weights) @ has.T
    clusters = None if evaluation.clusters is None else group_codes(evaluation.clusters)[1]

    def enough(p: int, q: int) -> bool:
        if shared[p, q] < FEWEST_SHARED:
            return False
        return clusters is None or np.unique(clusters[alike[p].has & alike[q].has]).size > 1

    parts: list[tuple[tuple[str, ...], tuple[str, ...] | None]] = []
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
    compared = {name for names, _ in parts for name in names}
    if (baseline is not None and baseline not in compared) or len(compared) < 2:
        who = "no two systems have" if baseline is None else f"no system and the baseline {baseline} have"
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


def _between(
    one: Alike, other: Alike, baseline: str | None
) -> tuple[tuple[str, ...], tuple[str, ...] | None] | None:
    """Return the part in which systems meet those with other items, or each other; None if they do not."""
    if baseline is None:
        if one is other:
            return (one.names, None) if len(one.names) > 1 else None
        return (*one.names, *other.names), other.names
    if baseline not in (*one.names, *other.names) or (one is other and len(one.names) == 1):
        return None
    others = one if one is other or baseline in other.names else other
    return (*(name for name in others.names if name != baseline), baseline), (baseline,)


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


def _part(
    evaluation: Evaluation, plan: Plan, metric: BaseMetric, settings: Settings, drawing: Drawing
) -> MetricPart:
    inner = dataclasses.replace(settings, correction="none", baseline=None)
    seen: dict[tuple[str, tuple[str, ...]], Note] = {}
    differences: list[Difference] = []
    scores: dict[str, SystemScore] = {}
    shown = set(plan.names)
    effects = Effects(evaluation)

    def gather(notes: Sequence[Note]) -> None:
        for note in notes:
            if note.code not in _OF_ALL:
                seen.setdefault((note.code, note.about), note)

    for alike in plan.alike:
        names = tuple(name for name in alike.names if name in shown)
        if not names:
            continue
        whole = evaluation.complete(names)
        (estimates,) = estimates_by_metric(whole, [metric], settings, drawing, "compare")
        order = ranked(estimates, whole)
        effects.add(estimates, whole.names, alike.has)
        own, notes = system_scores(estimates, order, None, whole.names, settings)
        scores |= {score.system: dataclasses.replace(score, n_items=whole.n_items) for score in own}
        gather(notes)
    for names, bases in plan.parts:
        tested = _tested(evaluation.complete(names), bases, metric, inner, drawing)
        differences += tested.differences
        gather((*tested.on_test, *tested.on_family, *tested.on_pairs))
    notes_on_metric = [*seen.values(), *effects.on_difficulty(metric)]
    ends = [Ends.of(d, d) for d in differences]
    may_be_best = _of_best(list(scores), ends, effects, settings, drawing)
    return _together(evaluation, metric, scores, differences, notes_on_metric, settings, may_be_best)


def _tested(
    whole: Evaluation,
    bases: Sequence[str] | None,
    metric: BaseMetric,
    settings: Settings,
    drawing: Drawing,
) -> ComparedPairs:
    (estimates,) = estimates_by_metric(whole, [metric], settings, drawing, "compare")
    places = None if bases is None else [whole.names.index(base) for base in bases]
    return tested_pairs(estimates, metric, ranked(estimates, whole), places, whole, settings)


def _together(
    evaluation: Evaluation,
    metric: BaseMetric,
    scores: Mapping[str, SystemScore],
    differences: Sequence[Difference],
    notes: Sequence[Note],
    settings: Settings,
    may_be_best: Mapping[str, Mapping[str, Any]],
) -> MetricPart:
    """Return all pairs as one family, and the systems in the order of their mean differences."""
    names = [name for name in evaluation.names if name in scores]
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
    return MetricPart(systems, family_of_pairs, None, (*more, *notes))


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
    names: Sequence[str], ends: Sequence[Ends], effects: Effects | None, settings: Settings, drawing: Drawing
) -> dict[str, dict[str, Any]]:
    """Return what the scores of systems say of the best: nothing of two, without tests or with a baseline."""
    if not is_asked(len(names), settings, settings.baseline):
        return {}
    in_order = sorted(names)  # so that draws do not depend on the order given
    found = set_of_best(in_order, ends, effects, settings.alpha, drawing.seed)
    return {name: best.standing(found, place) for place, name in enumerate(in_order)}


def set_of_best(
    names: Sequence[str], ends: Sequence[Ends], effects: Effects | None, alpha: float, seed: int
) -> best.SetOfBest | None:
    """Return which of the systems may be the best, each judged by the pairs in which it is; larger is better.

    `ends` are the pairs; None where some has no standard error. Without `effects`, or where these do not tell
    how the differences of a candidate vary together, Bonferroni's bound is all there is.
    """
    if any(one.errors is None for one in ends):
        return None
    size, place = len(names), {name: position for position, name in enumerate(names)}
    least, most, low, high, df = (np.full((size, size), np.nan) for _ in range(5))
    for one in ends:
        a, b = place[one.a], place[one.b]
        assert one.errors is not None
        for (j, i), (small, large), errors in (
            ((a, b), (one.least, one.most), one.errors),
            ((b, a), (-one.most, -one.least), one.errors[::-1]),
        ):
            least[j, i], most[j, i] = small, large
            (low[j, i], high[j, i]), df[j, i] = errors, one.df
    evidence = best.evidence_by_t(least, low, df)
    compared = ~np.isnan(least)
    points = np.array([best.point_of_one(None, n, alpha, seed) for n in compared.sum(axis=0).tolist()])
    if effects is not None:
        # The others fail at a lower point, too
        for i in np.flatnonzero(best.kept(evidence, points)).tolist():
            others = [names[j] for j in np.flatnonzero(compared[:, i]).tolist()]
            correlations = effects.correlations(names[i], others)
            points[i] = best.point_of_one(correlations, len(others), alpha, seed)
    return best.set_of_best(best.kept(evidence, points), best.upper_by_t(most, high, df, points))


@dataclass(frozen=True)
class Ends:
    """The least and the most that A may be better than B by, with standard errors and degrees of freedom."""

    a: str
    b: str
    least: float
    most: float
    errors: tuple[float, float] | None
    df: float

    @classmethod
    def of(cls, low: Difference, high: Difference) -> Ends:
        """Return them from the differences with A at its worst and at its best, one if nothing is missing."""
        way = 1.0 if low.greater_is_better else -1.0
        errors = None
        if low.standard_error is not None and high.standard_error is not None:
            errors = low.standard_error, high.standard_error
        units = low.n_clusters or low.n_items
        return cls(low.a, low.b, way * low.estimate, way * high.estimate, errors, max(1.0, units - 1.0))


# -- bounds ----------------------------------------------------------------------------------------


def _note_on_bounds(evaluation: Evaluation) -> Note:
    kind = "wrong or right" if evaluation.gold is not None else "the worst or the best score"
    as_worst = "as wrong" if evaluation.gold is not None else "as the worst score"
    message = f"{_who_has(evaluation)}: scores count the missing {as_worst}; intervals, tests and ranks hold"
    return Note("bounds", f"{message} whether they are {kind}")


def _bounded(evaluation: Evaluation, metric: BaseMetric, settings: Settings, drawing: Drawing) -> MetricPart:
    """Return the comparison that holds whatever the missing values are."""
    inner = dataclasses.replace(settings, correction="none", baseline=None)
    names, lacking = evaluation.names, tuple(evaluation.missing)
    whole = tuple(name for name in names if name not in lacking)
    filled = [_filled(evaluation, metric, as_best) for as_best in ((), lacking)]
    scored: list[dict[str, SystemScore]] = []
    notes: dict[tuple[str, tuple[str, ...]], Note] = {}
    for end in filled:
        (estimates,) = estimates_by_metric(end, [metric], settings, drawing, "compare")
        order = ranked(estimates, end)
        own, of_scores = system_scores(estimates, order, None, names, settings)
        scored.append({score.system: score for score in own})
        notes |= {(note.code, note.about): note for note in of_scores}
    worst = {name: score.score for name, score in scored[0].items()}
    scores = {
        name: dataclasses.replace(
            scored[0][name],
            interval=_hull_of_intervals(scored[0][name].interval, scored[1][name].interval),
            n_items=_n_items(evaluation, name),
        )
        for name in names
    }
    differences: list[Difference] = []
    ends: list[Ends] = []

    def tested(
        values: Evaluation, systems: Sequence[str], bases: Sequence[str] | None
    ) -> Sequence[Difference]:
        found = _tested(values.with_systems(systems), bases, metric, inner, drawing)
        for note in (*found.on_test, *found.on_family, *found.on_pairs):
            if note.code not in _OF_ALL:
                notes.setdefault((note.code, note.about), note)
        return found.differences

    base = settings.baseline
    if len(whole) > 1 and (base is None or base in whole):
        differences += tested(filled[0], whole, None if base is None else (base,))
        ends += [Ends.of(d, d) for d in differences]
    for place, name in enumerate(lacking):
        others = [*whole, *lacking[:place]]
        if base is not None:
            others = [other for other in names if other != name] if base == name else [base]
        if base in lacking and base != name:  # the pair is compared when it is the turn of the baseline
            continue
        # The others less this one: as small as it can be, then as large.
        low = tested(_filled(evaluation, metric, (name,)), [*others, name], (name,))
        high = tested(
            _filled(evaluation, metric, [one for one in lacking if one != name]), [*others, name], (name,)
        )
        by_name = {d.a: d for d in high}
        ends += [Ends.of(d, by_name[d.a]) for d in low]
        between = [_hull(d, by_name[d.a], worst) for d in low]
        differences += between if base in (None, name) else [d.mirrored() for d in between]
    may_be_best = _of_best(names, ends, None, settings, drawing)
    return _together(evaluation, metric, scores, differences, [*notes.values()], settings, may_be_best)


def _filled(evaluation: Evaluation, metric: BaseMetric, as_best: Collection[str]) -> Evaluation:
    """Return the evaluation with missing values of some systems as the best, those of others as the worst.

    The best label is that of the gold; the worst and the best score are those that some system has.
    """
    systems, missing = dict(evaluation.systems.items()), dict(evaluation.missing)
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
