"""The comparison of systems on one metric: scores, differences, tests, groups and notes."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from bestby._core.text import quoted
from bestby._core.typing import Alternative, FloatArray
from bestby.comparisons import (
    best,
    classes,
    dependence,
    family,
    many_systems,
    note_rules,
    one_pair,
    simultaneous,
    swap_notes,
)
from bestby.comparisons.provenance import evaluation_provenance
from bestby.comparisons.settings import Settings, check_reach
from bestby.comparisons.simultaneous import FamilyIntervals
from bestby.data.evaluation import Evaluation
from bestby.engine import interval_methods, prepare, significance_tests
from bestby.engine.base import STANDARDISED, Drawing, Group, Pair
from bestby.engine.estimate import Estimates
from bestby.engine.items import ItemGroup
from bestby.engine.ranked import WeightGroup
from bestby.engine.text_statistics import Counting
from bestby.inference import classical, multiplicity
from bestby.inference.best import SetOfBest, rank_of_one, standing
from bestby.metrics.base import BaseMetric
from bestby.metrics.texts import TextMetric
from bestby.report.comparison import Comparison, Difference, FocusRank, Leader, SystemScore
from bestby.report.differing_items import ComparedItems
from bestby.report.pairs import Differences, Pairs, involving
from bestby.report.reported import with_backend
from bestby.resampling.progress import counted_stages, in_turn
from bestby.resampling.settings import Resampling
from bestby.results.base import MetricInfo, Note, notes_about
from bestby.results.values import Omnibus, TestResult

Part = TypeVar("Part")

MOST_HELD = 5000
"""Pairs, those of 100 systems, up to which every difference is made at once and held."""


@dataclass(frozen=True)
class MetricPart:
    """What a comparison says of one metric."""

    systems: tuple[SystemScore, ...]
    differences: tuple[Difference, ...] | Pairs
    omnibus: Omnibus | None
    notes: tuple[Note, ...]
    leader: Leader | None = None
    focus: FocusRank | None = None


def compared_by_metric(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    settings: Settings,
    named: Mapping[str, Any],
    resampling: Resampling,
    part_of: Callable[[Estimates, BaseMetric], MetricPart],
    consumer: str,
) -> Comparison:
    """Return the comparison on all metrics from its part on each; `named` are settings for the provenance.

    The metrics suit the data, whose notes say how they read them.
    """
    for one in metrics:
        check_reach(settings.margin, one, evaluation.scores)
    drawing = Drawing.of(resampling)
    notes = note_rules.evaluation_notes(evaluation, metrics, settings)
    of_drawing: list[Note] = []
    parts: list[MetricPart] = []
    every = estimates_by_metric(evaluation, metrics, settings, drawing, consumer)
    for estimates, metric in zip(every, metrics, strict=True):
        on_drawing = note_rules.drawing_notes(estimates.group, drawing, settings)
        of_drawing += [note for note in on_drawing if note not in of_drawing]
        parts.append(part_of(estimates, metric))
    return assembled(parts, notes, of_drawing, evaluation, metrics, settings, named, drawing)


def assembled(
    parts: Sequence[MetricPart],
    notes: Sequence[Note],
    of_drawing: Sequence[Note],
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    settings: Settings,
    named: Mapping[str, Any],
    drawing: Drawing,
) -> Comparison:
    """Return the comparison whose parts these are, one per metric; `notes` are on the data."""
    shares = classes.class_shares(evaluation, metrics)  # from the distinct rows, if those were counted
    notes = [*notes, *classes.words_for_nothing(shares), *classes.never_predicted(shares), *of_drawing]
    intervals = (one.interval for part in parts for of in (part.systems, part.differences) for one in of)
    result = Comparison(
        metrics=tuple(MetricInfo(m.name, m.greater_is_better, m.bounds) for m in metrics),
        systems=tuple(score for part in parts for score in part.systems),
        differences=_joined([part.differences for part in parts]),
        omnibus=_present([part.omnibus for part in parts]),
        notes=(
            *note_rules.on_intervals(notes, intervals, metrics),
            *(note for part in parts for note in part.notes),
        ),
        provenance=evaluation_provenance(evaluation, metrics, named, drawing),
        n_items=evaluation.n_items,
        level=settings.level,
        correction=settings.corrected_by,
        margin=settings.margin,
        baseline=settings.baseline,
        n_clusters=evaluation.n_clusters,
        classes=shares,
        best_sets=_present(
            [
                best.best_set(m.name, part.systems, settings.level)
                for m, part in zip(metrics, parts, strict=True)
            ]
        ),
        leaders=_present([part.leader for part in parts]),
        focus=_present([part.focus for part in parts]),
        _items=ComparedItems(evaluation, {metric.name: metric for metric in metrics}),
    )
    return with_backend(result, evaluation.frame_backend)


def _present(parts: Iterable[Part | None]) -> tuple[Part, ...]:
    return tuple(part for part in parts if part is not None)


def estimates_by_metric(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    settings: Settings,
    drawing: Drawing,
    consumer: str,
) -> Iterator[Estimates]:
    """Yield the scores and differences of each metric, and tell progress how far all of them are.

    Statistics of texts are counted by as many jobs as make resamples, before anything is resampled.
    """
    dependence.check(evaluation, settings)
    n_texts = evaluation.n_items * len(evaluation.names) * sum(isinstance(one, TextMetric) for one in metrics)
    jobs = 2 if n_texts else 1
    with counted_stages(in_turn(drawing.progress, 0, jobs) if n_texts else None, n_texts) as progress:
        groups = prepare.groups(
            evaluation,
            metrics,
            annotators_seed=drawing.seed if settings.annotators == "resample" else None,
            blocks=settings.blocks,
            supports=prepare.ALL_GROUPINGS,
            consumer=consumer,
            counting=dataclasses.replace(Counting.of(drawing), progress=progress),
        )
    asked = settings.interval, settings.test, settings.baseline
    expected = sum(resamples(group, drawing, *asked) for group in groups)
    with counted_stages(in_turn(drawing.progress, jobs - 1, jobs), expected) as progress:
        drawing = dataclasses.replace(drawing, progress=progress)
        for group in groups:
            yield Estimates(group, drawing)


def _joined(parts: Sequence[tuple[Difference, ...] | Pairs]) -> tuple[Difference, ...] | Differences:
    """Return the differences of all metrics: as a tuple, or made when asked for if they are very many."""
    if sum(len(part) for part in parts if isinstance(part, Pairs)) > MOST_HELD:
        return Differences(tuple(parts))
    return tuple(difference for part in parts for difference in part)


@dataclass(frozen=True)
class ComparedPairs:
    """The differences of some pairs of systems, with notes: on the test, on the family, and on the pairs.

    `counts` are those of right answers, where they tell all.
    """

    differences: tuple[Difference, ...] | Pairs
    on_test: tuple[Note, ...]
    on_family: tuple[Note, ...]
    on_pairs: tuple[Note, ...]
    counts: many_systems.Counts | None

    def p_values(self, names: Sequence[str]) -> tuple[list[Pair], FloatArray]:
        """Return the pairs as positions, and their p-values."""
        if isinstance(self.differences, Pairs):
            a, b = self.differences.a.tolist(), self.differences.b.tolist()
            return list(zip(a, b, strict=True)), self.differences.p_value
        place = {name: position for position, name in enumerate(names)}
        pairs = [(place[d.a], place[d.b]) for d in self.differences]
        return pairs, np.array([d.p_value for d in self.differences])


def compared(
    estimates: Estimates, unfitted: BaseMetric, evaluation: Evaluation, settings: Settings
) -> MetricPart:
    """Return the comparison on one metric; `unfitted` is it before it saw data."""
    metric, names = estimates.group.metric, evaluation.names
    order = ranked(estimates, evaluation)
    base = None if settings.baseline is None else names.index(settings.baseline)
    tested = tested_pairs(estimates, unfitted, order, base, evaluation, settings)
    scores, notes = system_scores(estimates, order, names, settings)
    found = None
    if best.is_asked(len(names), settings, settings.baseline):
        found = best.set_of_best(estimates, names, order, settings, tested.counts)
    systems, group_notes = with_standings(scores, names, tested.differences, found, settings)

    def joint(others: Sequence[str]) -> multiplicity.Joint:
        pairs = [(names.index(str(settings.focus)), names.index(other)) for other in others]
        return simultaneous.joint_of(estimates, np.array(pairs), names)

    return MetricPart(
        systems,
        tested.differences,
        None if settings.test is None else _omnibus(estimates),
        (*tested.on_test, *group_notes, *tested.on_family, *notes, *tested.on_pairs),
        best.leader(estimates, names, order, systems, settings)
        if base is None
        else best.leading_difference(estimates, names, order, tested.differences, settings),
        focus_rank(tested.differences, metric, len(names), settings, joint),
    )


def with_standings(
    scores: Sequence[SystemScore],
    names: Sequence[str],
    differences: Sequence[Difference],
    found: SetOfBest | None,
    settings: Settings,
) -> tuple[tuple[SystemScore, ...], list[Note]]:
    """Return scores, the best first, with the ranks and groups that tests leave open, and notes on groups.

    `found` is which of the systems, at their places in `names`, may be the best.
    """
    place = {name: position for position, name in enumerate(names)}
    order = [place[entry.system] for entry in scores]
    standings, notes, lettered = None, [], settings.baseline is None
    if settings.test is not None:
        if isinstance(differences, Pairs):
            standings = family.standings_of(many_systems.beaten(differences, order), lettered=lettered)
        else:
            in_order = [entry.system for entry in scores]
            standings = family.standings(in_order, differences, settings.alpha, lettered=lettered)
        notes = note_rules.group_notes(scores[0].metric, standings[2], lettered=lettered)
    placed = []
    for position, (entry, system) in enumerate(zip(scores, order, strict=True)):
        more = family.standing(standings, position) | standing(found, system)
        placed.append(dataclasses.replace(entry, **more))
    return tuple(placed), notes


def ranked(estimates: Estimates, evaluation: Evaluation) -> list[int]:
    """Return the systems from best to worst; refuse data on which the metric has no value for some."""
    metric, scores, names = estimates.group.metric, estimates.scores, evaluation.names
    one_pair.check_defined(scores, metric, lambda s: f"system {quoted(names[s])} on these data")
    return family.ranked(scores, names, metric.greater_is_better)


def tested_pairs(
    estimates: Estimates,
    unfitted: BaseMetric,
    order: list[int],
    base: int | Sequence[int] | None,
    evaluation: Evaluation,
    settings: Settings,
) -> ComparedPairs:
    """Return the differences of every two systems, or of each and those at `base`, as one family."""
    names, alternative = evaluation.names, settings.towards(estimates.group.metric.greater_is_better)
    line = family.line(order, base, sided=alternative != "two-sided")
    test, path = _test(estimates, settings)
    counts = many_systems.counted(estimates, line, base, settings)
    if counts is not None:
        return _by_counts(counts, estimates, unfitted, test, path, evaluation, settings)
    pairs = family.pairs_to_compare(order, base, sided=alternative != "two-sided")
    tests = {} if test is None else significance_tests.run(test, estimates, pairs, alternative)
    intervals = _family_intervals(estimates, pairs, names, tests, alternative, settings)
    differences = family.with_direction_notes(
        [
            one_pair.difference(
                estimates.of(*pair),
                evaluation,
                tests.get(pair),
                intervals.bounds[pair],
                settings,
                intervals.p_adjusted.get(pair),
                intervals.errors.get(pair),
            )
            for pair in pairs
        ],
        settings.alpha,
    )
    on_pairs = notes_on_pairs(estimates, unfitted, pairs, tests, evaluation, settings)
    return ComparedPairs(differences, path, intervals.notes, tuple(on_pairs), None)


def notes_on_pairs(
    estimates: Estimates,
    unfitted: BaseMetric,
    pairs: Sequence[Pair],
    tests: Mapping[Pair, TestResult],
    evaluation: Evaluation,
    settings: Settings,
) -> list[Note]:
    """Return notes on one metric, on the tests of pairs, and on what their numbers do not allow for."""
    group, names, bounded = estimates.group, evaluation.names, settings.interval is not None
    deciding = {} if settings.simultaneous else tests  # corrected p-values are read from intervals then
    return [
        *note_rules.metric_notes(group, tests, settings),
        *note_rules.signature_notes(unfitted, evaluation),
        *swap_notes.notes_on_swaps(group, group.metric.name, deciding.values(), settings),
        *swap_notes.exchange_notes(group, tests, names, settings.test),
        *swap_notes.exchangeability_notes(
            estimates, deciding, names, settings.correction, settings.alpha, bounded=bounded
        ),
        *_uncertainty_notes(estimates, unfitted, pairs, evaluation, settings),
    ]


def _uncertainty_notes(
    estimates: Estimates,
    unfitted: BaseMetric,
    pairs: Sequence[Pair],
    evaluation: Evaluation,
    settings: Settings,
) -> list[Note]:
    """Return notes on what the standard errors, and so intervals and tests, do not allow for."""
    if settings.bare:
        return []
    return [
        *note_rules.sample_notes(estimates.group, pairs, evaluation),
        *dependence.dependence_notes(estimates.group, unfitted, pairs, evaluation, settings),
    ]


def _by_counts(
    counts: many_systems.Counts,
    estimates: Estimates,
    unfitted: BaseMetric,
    test: str | None,
    path: tuple[Note, ...],
    evaluation: Evaluation,
    settings: Settings,
) -> ComparedPairs:
    """Return differences where the counts of discordant items are all there is to know."""
    alternative = settings.towards(estimates.group.metric.greater_is_better)
    joint = many_systems.joint_of(counts, estimates, evaluation) if settings.simultaneous else None
    differences = many_systems.pairs(counts, estimates, test, alternative, evaluation, settings, joint)
    on_family: tuple[Note, ...] = ()
    if joint is not None:
        methods = Counter({"tango": len(differences)})
        on_family = (simultaneous.family_note(estimates, joint, methods, settings, drawn=False),)
    pairs = counts.noted_pairs()
    of_pairs = _uncertainty_notes(estimates, unfitted, pairs, evaluation, settings)
    if len(pairs) < len(differences):
        which = " (of the differences with the first system and of those between neighbours)"
        of_pairs = [dataclasses.replace(note, message=note.message + which) for note in of_pairs]
    of_metric = note_rules.metric_notes(estimates.group, {}, settings)
    return ComparedPairs(differences, path, on_family, (*of_metric, *of_pairs), counts)


def _test(estimates: Estimates, settings: Settings) -> tuple[str | None, tuple[Note, ...]]:
    """Return the test asked for, or the one that two crossed groupings allow, with a note on that."""
    return (None, ()) if settings.test is None else dependence.supported_test(settings.test, estimates.group)


def _family_intervals(
    estimates: Estimates,
    pairs: Sequence[Pair],
    names: Sequence[str],
    tests: Mapping[Pair, TestResult],
    alternative: Alternative,
    settings: Settings,
) -> FamilyIntervals:
    """Return the intervals and the adjusted p-values of all pairs: of all at once, or of each by itself."""
    if settings.simultaneous:
        return simultaneous.family_intervals(estimates, pairs, names, settings)
    bounds, errors = {}, {}
    for pair in pairs:  # both of a pair at once, while what they are made of is at hand
        bounds[pair] = one_pair.intervals(estimates.of(*pair), settings.interval, settings)
        if settings.interval is not None:
            errors[pair] = one_pair.standard_error(estimates.of(*pair), bounds[pair].interval)
    if not tests:
        return FamilyIntervals(bounds, errors=errors)
    raw = np.array([tests[pair].p_value for pair in pairs])
    joint = partial(simultaneous.joint_of, estimates, np.array(pairs), names)
    adjusted = multiplicity.adjust_jointly(raw, settings.correction, alternative, joint)
    return FamilyIntervals(bounds, errors=errors, p_adjusted=dict(zip(pairs, adjusted.tolist(), strict=True)))


def focus_rank(
    differences: Sequence[Difference],
    metric: BaseMetric,
    n_systems: int,
    settings: Settings,
    joint: Callable[[Sequence[str]], multiplicity.Joint],
) -> FocusRank | None:
    """Return the rank of the system that was named in advance, from its own differences alone.

    `joint` gives how its differences to some others vary together. Systems that it was not compared with may
    be before or after it.
    """
    if settings.focus is None:
        return None
    own = involving(differences, metric.name, settings.focus)
    mine = {d.b: d for d in (d if d.a == settings.focus else d.mirrored() for d in own)}
    others = sorted(mine)  # so that draws do not depend on the order given
    way = 1.0 if metric.greater_is_better else -1.0
    better_by = np.array([way * mine[other].estimate for other in others])
    p_values = np.array([mine[other].p_value for other in others])
    low, high = rank_of_one(joint(others), better_by, p_values, settings.alpha)
    return FocusRank(metric.name, settings.focus, low, high + n_systems - 1 - len(others))


def system_scores(
    estimates: Estimates, order: Sequence[int], names: Sequence[str], settings: Settings
) -> tuple[tuple[SystemScore, ...], tuple[Note, ...]]:
    """Return the scores of all systems, the best first, with intervals by the method asked for, and notes."""
    metric, method, level = estimates.group.metric, settings.interval, settings.level
    entries: list[SystemScore] = []
    notes: list[Note] = []
    for system in order:
        estimate = estimates.of(system)
        interval, error, error_method, noise = None, None, None, None
        if method is not None:
            chosen, situation = one_pair.chosen(estimate, method)
            interval, on_interval = interval_methods.interval(estimate, chosen, level)
            notes += notes_about(
                (*on_interval, *one_pair.doubts(interval, situation)), metric.name, names[system]
            )
            error, error_method = one_pair.standard_error(estimate, interval)
            noise = interval_methods.calibration_error_of(estimates.group, system, level)
        entries.append(
            SystemScore(
                metric.name,
                names[system],
                estimate.value,
                interval,
                standard_error=error,
                standard_error_method=error_method,
                if_calibrated=None if noise is None else noise.if_calibrated,
            )
        )
    notes += note_rules.below_half_notes(estimates, names, level, method=method)
    return tuple(entries), tuple(notes)


def _omnibus(estimates: Estimates) -> Omnibus | None:
    """Return Cochran's Q for 0/1 values, Friedman's test for other means, over items or cluster means."""
    group = estimates.group
    unit_means = None if group.n_systems < 3 else group.unit_means
    if unit_means is None:
        return None
    means, counts = unit_means
    binary = not group.clustered and bool(np.isin(means, (0.0, 1.0)).all())
    name, test = ("cochran_q", classical.cochran_q) if binary else ("friedman", classical.friedman)
    statistic, df, p = test(means, counts)
    return Omnibus(group.metric.name, name, statistic, df, p)


_ACCELERATED = ("bca", "bca-expanded")
_RESAMPLED = (*_ACCELERATED, "percentile", "basic", "studentized")
_SWAPPED = ("auto", "permutation", STANDARDISED)


def resamples(
    group: Group, drawing: Drawing, interval: str | None, test: str | None, baseline: str | None
) -> int:
    """Return how many resamples intervals and tests of a group take, if no p-value is exact or very small."""
    n_pairs = math.comb(group.n_systems, 2) if baseline is None else group.n_systems - 1
    formula = group.has_derivatives if isinstance(group, WeightGroup) else group.has_formula
    called = interval == "auto" and not formula
    stages = 0
    if called or interval in _RESAMPLED or test == "bootstrap":
        stages = 1 if isinstance(group, ItemGroup) else group.n_systems + n_pairs  # which draw for themselves
    if test in _SWAPPED:
        stages += n_pairs
    left_out = 0
    if isinstance(group, ItemGroup) and (called or interval in _ACCELERATED):
        left_out = group.n_left_out
    return left_out + stages * drawing.n_resamples
