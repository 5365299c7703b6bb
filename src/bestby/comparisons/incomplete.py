"""Systems of which some lack items: every two are compared on the items that both have, or within bounds.

What is computed of a pair depends on no other system, so that a pair here is what it would be alone. Systems
that have the same items are compared together, and p-values are corrected over all pairs.

Bounds hold whatever the missing results would be: a difference is taken with those of A as the worst and
those of B as the best, and the other way round (Horowitz & Manski 2000, J. Amer. Statist. Assoc. 95, 77-84).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, combinations_with_replacement

import numpy as np

from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import counted
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.comparisons import best, dependence, family, note_rules
from bestby.comparisons.item_effects import Effects
from bestby.comparisons.one_metric import (
    MetricPart,
    assembled,
    estimates_by_metric,
    focus_rank,
    ranked,
    system_scores,
    tested_pairs,
    with_standings,
)
from bestby.comparisons.settings import Settings, check_reach
from bestby.data.columns import group_codes
from bestby.data.evaluation import Evaluation
from bestby.data.roles import listed
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.inference.multiplicity import Joint
from bestby.metrics.base import BaseMetric, MeanMetric
from bestby.report.comparison import Comparison, Difference, Leader, SystemScore
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


@dataclass(frozen=True)
class Part:
    """Systems of which every two are compared or, if there are `bases`, each of these with each other one."""

    names: tuple[str, ...]
    bases: tuple[str, ...] = ()

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The systems of each pair."""
        if not self.bases:
            return list(combinations(self.names, 2))
        return [(a, b) for a in self.names if a not in self.bases for b in self.bases]


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
        check_reach(settings.margin, one, evaluation.scores)
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
    clusters = None if evaluation.clusters is None else group_codes(evaluation.clusters)[1]
    parts: list[Part] = []
    few: list[tuple[str, str]] = []
    sizes: list[int] = []
    for part, both in _meetings(evaluation, alike, baseline):
        size = _n_items(evaluation, both)
        if size < FEWEST_SHARED or (clusters is not None and np.unique(clusters[both]).size < 2):
            few += part.pairs
        else:
            parts.append(part)
            sizes.append(size)
    compared = {name for part in parts for name in part.names}
    asked = baseline or settings.focus
    if not compared or (asked is not None and asked not in compared):
        who = "no two systems have" if asked is None else f"no system and {asked} have"
        raise InvalidInputError(
            f"{who} {FEWEST_SHARED} items in common, which a comparison of pairs needs",
            hint='pass on_missing="worst" if missing results are failures, or give more items',
        )
    few = [(a, b) for a, b in few if a in compared and b in compared]
    gone = [name for name in evaluation.names if name not in compared]
    notes = (
        _note_on_gaps(evaluation, sizes),
        *notes_on_few_shared(gone, few, f"{FEWEST_SHARED} items", baseline),
    )
    return Plan(alike, tuple(parts), notes)


def notes_on_few_shared(
    gone: Sequence[str], few: Sequence[tuple[str, str]], fewest: str, baseline: str | None = None
) -> Iterator[Note]:
    """Yield notes on systems and on pairs of the others that are left out, as they share too little."""
    if gone:
        other = "any other system" if baseline is None else f"the baseline {baseline}"
        verb = "is" if len(gone) == 1 else "are"
        message = f"{listed(gone)} {verb} left out: fewer than {fewest} in common with {other}"
        yield Note("few_shared", message)
    if few:
        verb = "is" if len(few) == 1 else "are"
        pairs = listed([f"{a} and {b}" for a, b in few], 3)
        message = f"{counted(len(few), 'pair')} of systems with fewer than {fewest} in common"
        yield Note("few_shared", f"{message} {verb} not compared: {pairs}")


def _alike(evaluation: Evaluation) -> tuple[Alike, ...]:
    """Return the systems by the items they have, in the order in which the systems came."""
    found: dict[bytes, tuple[list[str], BoolArray]] = {}
    for name in evaluation.names:
        has = evaluation.has(name)
        found.setdefault(np.packbits(has).tobytes(), ([], has))[0].append(name)
    return tuple(Alike(tuple(names), has) for names, has in found.values())


def _meetings(
    evaluation: Evaluation, alike: Sequence[Alike], baseline: str | None
) -> Iterator[tuple[Part, BoolArray]]:
    """Yield which systems meet, and the items that all of them have."""
    if baseline is not None:
        for one in alike:
            others = tuple(name for name in one.names if name != baseline)
            if others:
                yield Part((*others, baseline), (baseline,)), one.has & evaluation.has(baseline)
        return
    for one, other in combinations_with_replacement(alike, 2):
        if one is not other:
            yield Part((*one.names, *other.names), other.names), one.has & other.has
        elif len(one.names) > 1:
            yield Part(one.names), one.has


def _note_on_gaps(evaluation: Evaluation, sizes: Collection[int]) -> Note:
    """Return the note on which systems lack how many items, and when a comparison of pairs is not valid."""
    message = (
        f"{_who_has(evaluation)}: each pair is compared on the items both have ({_span(sizes)}). If results"
        ' are missing because they failed, this is not valid: use on_missing="worst", or "bounds" for scores'
        " and accuracy"
    )
    return Note("compared_in_pairs", message)


def _who_has(evaluation: Evaluation) -> str:
    """Return how many items the systems have that lack some."""
    n, missing = evaluation.n_items, evaluation.missing
    span = _span([_n_items(evaluation, evaluation.has(name)) for name in missing])
    if len(missing) == 1:
        return f"{next(iter(missing))} has {span} of {n} items"
    return f"{len(missing)} of {len(evaluation.names)} systems have {span} of {n} items"


def _n_items(evaluation: Evaluation, rows: BoolArray) -> int:
    """Return how many items some rows are, which may stand for several each."""
    return int((rows if evaluation.counts is None else evaluation.counts[rows]).sum())


def _span(sizes: Collection[int]) -> str:
    """Return the least and the greatest of some numbers of items, or the one there is.

    >>> _span([300, 900]), _span([300])
    ('300 to 900', '300')
    """
    low, high = min(sizes), max(sizes)
    return f"{low}" if low == high else f"{low} to {high}"


# -- one metric ------------------------------------------------------------------------------------


def _in_pairs(
    evaluation: Evaluation, *, plan: Plan, metric: BaseMetric, settings: Settings, drawing: Drawing
) -> MetricPart:
    """Return the comparison of every two systems on the items that both have."""
    notes: list[Note] = []
    differences: list[Difference] = []
    scores: dict[str, SystemScore] = {}
    same_items: list[tuple[Estimates, tuple[str, ...]]] = []
    effects = Effects(evaluation)
    for alike in plan.alike:
        names = tuple(name for name in alike.names if name in evaluation.systems)
        if names:
            whole = evaluation.complete(names)
            own, estimates = _scored(whole, metric, settings, drawing, notes)
            scores |= {name: dataclasses.replace(score, n_items=whole.n_items) for name, score in own.items()}
            effects.add(estimates, names, alike.has)
            same_items.append((estimates, names))
    for part in plan.parts:
        differences += _tested(evaluation.complete(part.names), part, metric, settings, drawing, notes)
    ends = [(d, d) for d in differences]
    notes = [*_once(notes), *effects.on_difficulty(metric)]
    found = _together(evaluation, metric, scores, differences, ends, effects, notes, settings, drawing)
    return dataclasses.replace(found, leader=_leader(found.systems, same_items, settings))


def _leader(
    systems: Sequence[SystemScore],
    same_items: Sequence[tuple[Estimates, tuple[str, ...]]],
    settings: Settings,
) -> Leader | None:
    """Return the score of the first system without its luck, if all that could be first have its items."""
    if settings.test is None or settings.baseline is not None:
        return None
    could = {systems[0].system, *(entry.system for entry in systems if entry.rank_low == 1)}
    for estimates, names in same_items:
        if could <= set(names):
            mine = [entry for entry in systems if entry.system in names]
            order = [names.index(entry.system) for entry in mine]
            return best.leader(estimates, names, order, mine, settings)
    return None


def _scored(
    whole: Evaluation, metric: BaseMetric, settings: Settings, drawing: Drawing, notes: list[Note]
) -> tuple[dict[str, SystemScore], Estimates]:
    """Return the scores of systems that have all items, and what they are from; add the notes on them."""
    (estimates,) = estimates_by_metric(whole, [metric], settings, drawing, "compare")
    found, on_scores = system_scores(estimates, ranked(estimates, whole), whole.names, settings)
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
    places = [whole.names.index(base) for base in part.bases] or None
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
    ends: best.Ends,
    effects: Effects | None,
    notes: Sequence[Note],
    settings: Settings,
    drawing: Drawing,
) -> MetricPart:
    """Return all pairs as one family, and the systems in the order of their mean differences."""
    names = sorted(scores)  # so that draws do not depend on the order given
    found = None
    if best.is_asked(len(names), settings, settings.baseline):
        found = best.set_of_best_of_pairs(names, ends, effects, settings.alpha, drawing.seed)
    ahead = _ahead(names, differences)
    # Rounding must not put equal ones in an order of their places.
    scale = float(np.abs(ahead).max()) or 1.0
    order = family.ranked(np.round(ahead / scale, 12), names, metric.greater_is_better)
    place = {names[system]: position for position, system in enumerate(order)}
    if settings.baseline is None:
        differences = [d if place[d.a] < place[d.b] else d.mirrored() for d in differences]
    in_order = sorted(differences, key=lambda d: (place[d.a], place[d.b]))
    family_of_pairs = family.with_direction_notes(
        family.adjusted(in_order, settings.correction), settings.alpha
    )
    in_pairs = settings.baseline is None and evaluation.on_missing == "pairs"
    ordered = [
        dataclasses.replace(scores[names[s]], mean_difference=float(ahead[s]) if in_pairs else None)
        for s in order
    ]
    systems, more = with_standings(ordered, names, family_of_pairs, found, settings)
    tests = [d.test for d in family_of_pairs if d.test is not None]
    more += note_rules.resample_notes(metric.name, tests, settings.correction, settings.alpha)

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
    estimates = np.full((len(names), len(names)), np.nan)
    for d in differences:
        estimates[place[d.a], place[d.b]], estimates[place[d.b], place[d.a]] = d.estimate, -d.estimate
    met = ~np.isnan(estimates)
    check_one_order(met, "items")
    normal = np.diag(met.sum(axis=0)) - met.astype(np.float64)
    solution = np.linalg.lstsq(normal, np.nansum(estimates, axis=1), rcond=None)[0]
    ahead: FloatArray = solution * (len(names) / (len(names) - 1.0))
    return ahead


def check_one_order(met: BoolArray, units: str) -> None:
    """Refuse systems that fall into groups none of which meets another, shape (S, S)."""
    if np.linalg.matrix_rank(np.diag(met.sum(axis=0)) - met.astype(np.float64)) < len(met) - 1:
        raise DesignError(
            f"the systems fall into groups that have too few {units} in common to be put in one order",
            hint="compare each group by itself: systems=[...]",
        )


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
            n_items=_n_items(evaluation, evaluation.has(name)),
        )
        for name, one in with_worst.items()
    }
    worst = {name: one.score for name, one in with_worst.items()}
    ends: list[tuple[Difference, Difference]] = []
    for part in _parts_of_bounds(evaluation, settings.baseline):
        # The other systems less the bases: as small as it can be, then as large.
        low, high = (
            _tested(
                _filled(evaluation, metric, as_best).with_systems(part.names),
                part, metric, settings, drawing, notes,
            )
            for as_best in (part.bases, set(part.names) - set(part.bases))
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
    systems, missing, gold = dict(evaluation.systems.items()), dict(evaluation.missing), evaluation.gold
    as_best = [name for name in missing if name in as_best]
    if gold is None and metric.reads == "numbers":
        seen = [values[~missing[name]] if name in missing else values for name, values in systems.items()]
        least, most = min(float(x.min()) for x in seen), max(float(x.max()) for x in seen)
        worst, top = (least, most) if metric.greater_is_better else (most, least)
        for name, gone in missing.items():
            systems[name] = np.where(
                gone, top if name in as_best else worst, systems[name].astype(np.float64)
            )
        missing = {}
    elif isinstance(metric, MeanMetric) and metric.reads == "labels" and gold is not None and gold.ndim == 1:
        for name in as_best:
            systems[name] = np.where(missing.pop(name), gold, systems[name])
    else:  # of a metric such as F1, a wrong label also counts against its class, which no label does not
        raise DesignError(
            f"a missing prediction has no worst and no best value for {metric.name}",
            hint='pass on_missing="pairs" or on_missing="worst"',
        )
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
            whole = np.bincount(codes, gone) == sizes
            if 2 * int(sizes[whole].sum()) > int(
                gone.sum()
            ):  # not of single items, as chance leaves them out
                message = (
                    f"{name} lacks all items of {int(whole.sum())} of {names.size} groups by {what}:"
                    " intervals hold for the groups it has; if these are a sample, pass them as clusters"
                )
                notes.append(Note("whole_groups_missing", message, (name,)))
    return notes


def _within(groups: IntArray, clusters: IntArray) -> bool:
    """Return whether each group lies in one cluster."""
    joint = np.unique(np.stack([groups, clusters.astype(np.int64)]), axis=1).shape[1]
    return bool(joint == np.unique(groups).size)
