"""The checks of a gate: the parts of the items, what the data say of each metric on each, and the outcome."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import NamedTuple

from bestby._core.errors import within
from bestby._core.text import quoted
from bestby.comparisons import classes, dependence, equivalence, family, note_rules, one_metric, one_pair
from bestby.comparisons.settings import Settings
from bestby.data.evaluation import Evaluation
from bestby.engine import interval_methods, significance_tests
from bestby.engine.base import Drawing, Pair
from bestby.engine.estimate import Estimate, Estimates
from bestby.inference import multiplicity
from bestby.inference.skewness import FEWEST
from bestby.metrics.base import BaseMetric
from bestby.questions.gate import foresight, unconditional
from bestby.questions.gate.flips import skewness_notes
from bestby.questions.gate.result import GateCheck, outcome_by_margin
from bestby.questions.slices.source import Column, slicings
from bestby.report.comparison import Difference
from bestby.resampling.progress import in_turn
from bestby.results.base import Note
from bestby.results.values import Interval, TestResult
from bestby.vocabulary import FailTest


class GatePart(NamedTuple):
    """Items that a gate asks about, and their name; None for all items."""

    name: str | None
    evaluation: Evaluation


def parts_of(
    evaluation: Evaluation, columns: Sequence[Column], min_items: int, *, crossed: bool
) -> tuple[list[GatePart], list[Note]]:
    """Return all items, or each task of a log, then each slice of all tasks; and notes on slices left out.

    >>> language = {"lang": ["de", "de", "ja", "ja"]}
    >>> whole = Evaluation.of({"a": [1, 0, 1, 1], "b": [1, 1, 1, 0]}, slices=language)
    >>> [part.name for part in parts_of(whole, [Column("lang")], 1, crossed=False)[0]]
    [None, 'lang=de', 'lang=ja']
    """
    slices: list[GatePart] = []
    notes: list[Note] = []
    if columns:
        evaluation.uncounted("a gate over slices")
        pooled = dataclasses.replace(evaluation, tasks=None)
        cut, notes = slicings(pooled, columns, min_items, crossed=crossed)
        slices = [
            GatePart(f"{slicing.column}={slicing.names[place]}", pooled.with_rows(slicing.rows(place)))
            for slicing in cut
            for place in slicing.order.tolist()
        ]
        # The other groups of items are looked at as clusters that the user may have forgotten.
        used = {column.name for column in columns}
        others = {name: values for name, values in evaluation.groupings.items() if name not in used}
        evaluation = dataclasses.replace(evaluation, groupings=others)
    tasks = evaluation.tasks
    if tasks is None:
        return [GatePart(None, evaluation), *slices], notes
    by_task = [
        GatePart(task, dataclasses.replace(evaluation.with_rows(tasks == task), strata=None, tasks=None))
        for task in dict.fromkeys(tasks.tolist())
    ]
    return [*by_task, *slices], notes


PAIR: Pair = (1, 0)
"""The candidate minus the baseline, which is the first of the two systems."""


def decided(
    parts: Sequence[GatePart],
    metrics: Sequence[BaseMetric],
    margins: Mapping[str, float | None],
    settings: Settings,
    drawing: Drawing,
    fail_test: FailTest = "exact",
    cache: str | PathLike[str] | None = None,
) -> tuple[tuple[GateCheck, ...], list[Note]]:
    """Return a check for each part and metric, and the notes on all that was computed for them.

    Metrics are known to suit the items of all parts together: in one part every answer may be wrong.
    `settings` have the test "auto" if there are alarms, metrics without a margin.
    """
    n_checks = len(parts) * len(metrics)
    checks: list[GateCheck] = []
    notes: list[Note] = []
    for place, part in enumerate(parts):
        own = dataclasses.replace(drawing, progress=in_turn(drawing.progress, place, len(parts)))
        with within(part.name):
            every = one_metric.estimates_by_metric(part.evaluation, metrics, settings, own, "gate", cache)
            for estimates, metric in zip(every, metrics, strict=True):
                margin = margins[metric.name]
                check, found = _measured(part, metric, estimates, margin, settings, n_checks, fail_test)
                checks.append(check)
                notes += found
    # One alarm is enough for the gate to fail: Holm's method corrects the p-values of all alarms together.
    alarms = [check.difference for check in checks if check.margin is None]
    corrected = iter(family.adjusted(alarms, "holm"))
    by_unit = settings.blocks is None  # blocks of text overlap: how many could be exchanged is not known
    outcomes = tuple(
        _alarm(check, next(corrected), settings.alpha / len(alarms), settings.alpha, by_unit=by_unit)
        if check.margin is None
        else _by_margin(check, check.margin, settings.alpha / n_checks)
        for check in checks
    )
    return outcomes, notes


def _measured(
    part: GatePart,
    metric: BaseMetric,
    estimates: Estimates,
    margin: float | None,
    settings: Settings,
    n_checks: int,
    fail_test: FailTest,
) -> tuple[GateCheck, list[Note]]:
    """Return a check that is not decided yet, and notes on it; `metric` is the metric before it saw data."""
    evaluation, names = part.evaluation, part.evaluation.names
    if margin is not None:  # the bounds decide
        settings = dataclasses.replace(settings, test=None)
    shares = classes.class_shares(evaluation, [metric])
    of_data = [
        *note_rules.evaluation_notes(evaluation, [metric], settings),
        *classes.words_for_nothing(shares),
        *classes.never_predicted(shares),
        *note_rules.drawing_notes(estimates.group, estimates.drawing, settings),
    ]
    one_pair.check_defined(
        estimates.scores, estimates.metric, lambda s: f"system {quoted(names[s])} on these data"
    )
    estimate = estimates.of(*PAIR)

    # An alarm tests for a loss, in either direction of the metric.
    tests: dict[Pair, TestResult] = {}
    of_test: tuple[Note, ...] = ()
    if settings.test is not None:
        name, of_test = dependence.supported_test(settings.test, estimates.group)
        tests[PAIR] = significance_tests.result(
            name, estimate, "less" if metric.greater_is_better else "greater"
        )

    # The interval that is shown, and the bounds that are read from one that allows for more skewness.
    method, situation = one_pair.chosen(estimate, "auto")
    interval, of_interval = interval_methods.interval(estimate, method, settings.level)
    interval = family.on_marks(interval, estimate.scores.tolist(), margin)
    doubts = one_pair.doubts(interval, situation, tested=settings.test is not None)
    bounding = one_pair.deciding(method, "auto", situation)
    bounds = _one_sided_bounds(estimate, bounding, settings.level, margin)

    # One check is enough for the gate to fail, so each fails at its share of the level (Bonferroni). Tango's
    # bounds are approximate: where answers are counted, an exact test decides in their place.
    counted = _counted(estimate, bounds) if fail_test == "exact" else None
    fail_bound = None
    if counted is None and n_checks > 1:
        together = 1.0 - (1.0 - settings.level) / n_checks
        ends = _one_sided_bounds(estimate, bounding, together, margin)
        if ends is not None:
            fail_bound = ends.high if metric.greater_is_better else ends.low

    shown = one_pair.Bounds(interval, notes=(*of_interval, *doubts))
    d = one_pair.difference(estimate, evaluation, tests.get(PAIR), shown, settings)
    (d,) = family.with_direction_notes([d], settings.alpha)
    where = () if part.name is None else (part.name,)
    of_difference = tuple(dataclasses.replace(note, about=(*note.about, *where)) for note in d.notes)
    if margin is not None:
        of_difference += skewness_notes(evaluation, d, metric)
    d = dataclasses.replace(d, margin=margin, equivalence_interval=bounds, notes=of_difference)

    order = family.ranked(estimates.scores, names, metric.greater_is_better)
    systems, of_scores = one_metric.system_scores(estimates, order, None, names, "auto", settings.level)
    notes = [
        *note_rules.on_intervals(of_data, [*(one.interval for one in systems), interval], [metric]),
        *of_test,
        *of_scores,
        *one_metric.notes_on_pairs(estimates, metric, [PAIR], tests, evaluation, settings),
    ]
    if part.name is not None:
        notes = [Note(note.code, f"{part.name}: {note.message}", note.about) for note in notes]
    return _undecided(d, part.name, fail_bound, counted), notes


def _one_sided_bounds(estimate: Estimate, method: str, level: float, margin: float | None) -> Interval | None:
    """Return the one-sided bounds of a difference at a level L: the ends of the interval at 2 L - 1.

    A test of non-inferiority at 1 - L rejects if the bound on the side of a loss excludes the margin (Wellek
    2010, section 2). Where few items differ the bounds allow for others that could. None where the data give
    none.
    """
    two_sided = round(2.0 * level - 1.0, 15)  # twice 0.95 minus 1 is 0.8999999999999999
    seen, _ = interval_methods.interval(estimate, method, two_sided)
    bounds = equivalence.bounds_of_pair(estimate, seen, two_sided)
    return family.on_marks(bounds, estimate.scores.tolist(), margin)


def _counted(estimate: Estimate, bounds: Interval | None) -> tuple[int, int, int] | None:
    """Return losses, gains and items of answers to independent items; None of all else."""
    if bounds is None or bounds.method != "tango":
        return None
    answers = estimate.answers
    assert answers is not None  # Tango's interval is of answers
    values, counts = answers.merged
    lower, higher = (int(counts[values == value].sum()) for value in (-1.0, 1.0))
    n = int(counts.sum())
    return (lower, higher, n) if estimate.metric.greater_is_better else (higher, lower, n)


# -- outcomes ----------------------------------------------------------------------------------------


def _undecided(
    d: Difference, part: str | None, fail_bound: float | None, counted: tuple[int, int, int] | None
) -> GateCheck:
    """Return a check whose outcome is still to be read from its bounds, counts or test."""
    unit, _ = foresight.unit_of(d)
    return GateCheck(
        d.metric, "inconclusive", d, d.margin, part, unit=unit, fail_bound=fail_bound, counted=counted
    )


def with_margins(
    checks: Sequence[GateCheck], margins: Mapping[str, float], level: float
) -> tuple[GateCheck, ...]:
    """Return the checks with other margins, by metric: bounds and counts are the same."""
    again = []
    for check in checks:
        margin = margins[check.metric]
        d = dataclasses.replace(check.difference, test=None, p_adjusted=None, margin=margin)
        fresh = _undecided(d, check.part, check.fail_bound, check.counted)
        again.append(_by_margin(fresh, margin, multiplicity.alpha_at(level) / len(checks)))
    return tuple(again)


def _by_margin(check: GateCheck, margin: float, alpha: float) -> GateCheck:
    """Return a check of non-inferiority with its outcome; `alpha` is its share of the level of all checks.

    It passes by the bound on the side of a loss at the whole level: all checks must pass, so that a candidate
    that is worse by the margin in one of them passes no more often than that check does (intersection-union
    test; Berger 1982). It fails at its share: by the exact unconditional test where answers are counted (see
    `inference.unconditional`), otherwise by the bound on the side of a gain.
    """
    d = check.difference
    fail_p = threshold = fails = None
    if check.counted is not None:
        threshold, fail_p = alpha, unconditional.p_value(*check.counted, margin, alpha)
        fails = multiplicity.rejects(fail_p, alpha)
    outcome = outcome_by_margin(d.equivalence_interval, margin, d.greater_is_better, check.fail_bound, fails)
    return dataclasses.replace(check, outcome=outcome, fail_p=fail_p, threshold=threshold)


def _alarm(check: GateCheck, d: Difference, threshold: float, alpha: float, *, by_unit: bool) -> GateCheck:
    """Return a check without a margin with its outcome, by the p-value that is corrected for all of them."""
    assert d.p_adjusted is not None  # every alarm is tested
    assert d.test is not None
    _, n = foresight.unit_of(d)
    goes_on = n >= FEWEST and d.n_differing >= n  # where all units differ, p can be below that of swaps
    exchanges = by_unit and d.test.name == "permutation" and not goes_on
    return dataclasses.replace(
        check,
        difference=d,
        outcome="fail" if multiplicity.rejects(d.p_adjusted, alpha) else "pass",
        smallest_p=foresight.smallest_p(d.n_differing, d.n_clusters) if exchanges else None,
        threshold=threshold,
    )
