"""`gate`: whether a candidate is good enough to merge. One pair, one or several checks, one outcome."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bestby._core import checks
from bestby._core.errors import InvalidInputError, within
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted
from bestby._core.typing import BoolArray, OnMissing, Rng
from bestby.comparisons import (
    classes,
    costs,
    dependence,
    equivalence,
    family,
    note_rules,
    one_metric,
    one_pair,
)
from bestby.comparisons.costs import Cost
from bestby.comparisons.provenance import evaluation_provenance
from bestby.comparisons.reading import Arguments, check_two_systems, evaluation_of
from bestby.comparisons.settings import Settings, check_reach
from bestby.data.evaluation import Evaluation
from bestby.data.reading import Reading, checked_reading, clusters_and_blocks
from bestby.engine import interval_methods, significance_tests
from bestby.engine.base import Drawing, Pair
from bestby.engine.estimate import Estimate, Estimates
from bestby.inference import multiplicity
from bestby.inference.skewness import FEWEST
from bestby.metrics.base import BaseMetric
from bestby.metrics.suitability import chosen_metrics
from bestby.questions.gate import foresight, unconditional
from bestby.questions.gate.budgets import budget_checks, budgets_of, named_costs
from bestby.questions.gate.flips import Gains, flips_by_check, gains_by_metric, skewness_notes
from bestby.questions.gate.result import (
    Gate,
    GateCheck,
    margins_of,
    outcome_by_margin,
    outcome_of,
    shown_margins,
)
from bestby.questions.slices.source import (
    Column,
    columns_of,
    hash_with_slices,
    settings_of,
    slicings,
    with_columns,
    without_bins,
)
from bestby.report.comparison import Difference
from bestby.report.reported import with_backend
from bestby.resampling.progress import in_turn
from bestby.resampling.settings import Resampling, combined_settings
from bestby.results.base import Note
from bestby.results.values import Interval, TestResult
from bestby.vocabulary import FailTest, allowed_names


@with_suggestions
def gate(
    data: Mapping[str, Any] | Evaluation | Any,
    gold: Any = None,
    *,
    metric: Any = None,
    cost: Any = None,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    candidate: str | None = None,
    pool: bool = False,
    items: Any = None,
    clusters: Any = None,
    strata: Any = None,
    by: Any = None,
    crossed: bool = False,
    min_items: int = 1,
    on_missing: OnMissing = "error",
    reading: Reading | None = None,
    level: float = 0.95,
    margin: float | Mapping[str, float] | None = None,
    at_most: Mapping[str, Any] | None = None,
    fail_test: FailTest = "exact",
    rng: Rng = 0,
    n_resamples: int = 10_000,
    resampling: Resampling | None = None,
) -> Gate:
    """Decide whether a candidate is good enough to take the place of a baseline.

    With a margin this is a test of non-inferiority [1]_: the gate passes if the data exclude, at the level, a
    loss of the margin or more. Without one it is an alarm: it fails only if the data show a loss, and that it
    passes does not show that there is none.

    Parameters
    ----------
    data : mapping of str to array_like, shape (n,), or Evaluation, or data frame, or list of dict
        The two systems, as for `compare`; the first is the baseline unless they are named.
    gold : array_like, shape (n,), or mapping, or str, optional
        The gold labels or values, or the name of their column.
    metric : str, Metric, callable or list of them, optional
        What to compare; each metric is a check. Defaults as for `compare`; but without gold, scores need a
        name, ``"mean"`` or their own, unless their column is called as scores are (``score``, ``correct``).
    cost : mapping, optional
        The costs of `at_most` that are no columns of `data`, by their names, as for `frontier`.
    systems
        As for `compare`.
    baseline, candidate : str, optional
        The names of the two systems. By default the first and the second.
    pool : bool
        Of logs with several tasks, ask about the items of all tasks together, with the tasks as strata. By
        default each task is a check of its own for each metric.
    items, clusters, strata
        As for `compare`.
    by : str, list of str, or mapping of str to array_like, shape (n,), optional
        Columns to slice the items by, as for `compare_slices`; each slice is a check for each metric, beside
        those on all items. ``"length:4"`` cuts the numbers of column ``length`` at their quartiles.
    crossed : bool
        Cross the columns: a slice for every combination of their values that occurs.
    min_items : int
        Leave out slices of fewer items, or of fewer clusters if there are clusters; a note names them.
    on_missing
        As for `compare`, which alone takes "pairs" and "bounds".
    reading : Reading, optional
        As for `compare`.
    level : float
        The level of the one-sided bounds, above one half and below 1; one minus it is the level of the tests.
    margin : float or mapping of str to float, optional
        The smallest loss that matters, on the scale of the metric and smaller than its range, for all metrics
        or by metric. Metrics without one are alarms.
    at_most : mapping of str to str or float, optional
        Budgets: by how much more than the baseline the candidate may cost, such as ``{"latency_ms":
        "+10%"}``; "-20%" asks for a saving. Each is a check on all items, of the ratio of the two means, or
        of two quantiles (``"latency_ms@0.95"``). A name is that of a column, as for `frontier`.
    fail_test : {"exact", "bound"}
        By what a check with a margin fails. "exact": right and wrong answers to independent items by an exact
        test, other scores by a bound. "bound": all by a bound, as in version 0.2.0; where few answers differ,
        that fails candidates whose loss is the margin in up to 9 % of cases, instead of 5 %.
    rng, n_resamples, resampling
        As for `compare`.

    Returns
    -------
    Gate
        The outcome, the checks, the items that flipped, notes and provenance.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If the metric does not fit the data.

    See Also
    --------
    compare : The same two systems, with intervals, tests and verdicts on both sides.
    compare_slices : The differences in all slices, with simultaneous intervals and a test of heterogeneity.
    minimum_detectable : The smallest difference that a test set of some size finds.

    Notes
    -----
    The one-sided bound at the level L is an end of the interval at the level 2 L - 1 that `compare` reads
    equivalence from; where few items differ it allows for others that could.

    With margins every check must pass for the gate to pass, which is an intersection-union test: their number
    needs no correction [2]_. The gate fails if one check fails; so each of several checks fails only if its
    loss exceeds the margin at the level of their share of 1 - L (Bonferroni): by a bound that holds for all
    checks at once, or, of right and wrong answers to independent items, by the exact unconditional test of
    Tango's score [3]_, whose unknown share of gains is taken from an interval [4]_. Without margins one check
    is enough to fail;
    the one-sided permutation tests are corrected by Holm's method over these checks. A check is a metric on
    all items, on a task or in a slice; of many small tasks or slices some stay open with any margin that is
    not wide. Slices are of the items of all tasks together.

    A budget is tested as a margin is, on the logarithm of the ratio of the two costs, by Student's t with the
    delta method. Few items that make up much of a cost make its bounds too narrow.

    It misleads where a candidate was chosen by its score on these items: the loss on other items can be
    larger than the bound; and where few items of a small sample lose far more than the others, of which the
    note ``"skewed_differences"`` tells.

    References
    ----------
    .. [1] Wellek (2010), Testing Statistical Hypotheses of Equivalence and Noninferiority, section 2.
    .. [2] Berger (1982), Multiparameter hypothesis testing and acceptance sampling, Technometrics 24.
    .. [3] Sidik (2003), Exact unconditional tests for testing non-inferiority in matched-pairs design,
       Statist. Med. 22, 265-278.
    .. [4] Berger & Boos (1994), P values maximized over a confidence set for the nuisance parameter, J. Amer.
       Statist. Assoc. 89, 1012-1016.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> main = rng.random(2000) < 0.8
    >>> new = np.where(rng.random(2000) < 0.02, ~main, main)
    >>> result = gate(
    ...     {"main": main.astype(int), "new": new.astype(int)},
    ...     metric="mean",
    ...     margin=0.03,
    ... )
    >>> result.outcome, round(result.checks[0].bound, 3)
    ('pass', -0.02)
    """
    how = checked_reading(reading, "gate")
    resampling = combined_settings(
        resampling, n_resamples, rng, function="gate", unused="resample_size rescale"
    )
    _check_level(level)
    checks.choice(fail_test, allowed_names("fail_test", "gate"), "fail_test")
    clusters, blocks = clusters_and_blocks(clusters)
    columns, least = _columns(by, min_items, crossed=checks.flag(crossed, "crossed"))
    arguments = Arguments(
        gold=gold, systems=systems, items=items, clusters=clusters, strata=strata, on_missing=on_missing,
        reading=how, by=None if by is None else without_bins(by),
    )  # fmt: skip
    budgets = budgets_of(at_most)
    cost = named_costs(cost, budgets)
    without = costs.without_costs(data, cost, arguments) if cost else arguments
    whole = with_columns(evaluation_of(data, without, metric), data, arguments.by)
    check_two_systems(whole)
    base, new = _pair(whole.names, baseline, candidate)
    two = whole.with_systems([base, new])
    kinds: list[Cost] = []
    if cost:
        two.require_support("a budget", ("clusters", "strata"))
        two, kinds = costs.costs_of(
            cost, two, costs.reader_of(data, arguments, two.names), on_missing, blocks
        )
    if pool:
        two = dataclasses.replace(two, tasks=None)  # they stay its strata
    metrics, evaluation = chosen_metrics(metric, two, certain=True)
    margins = margins_of(margin, [one.name for one in metrics])
    for one in metrics:
        check_reach(margins[one.name], one, evaluation.scores)
    parts, left_out = parts_of(evaluation, columns, least, crossed=crossed)
    test = "auto" if None in margins.values() else None
    settings = Settings.checked(
        "items", interval="auto", level=level, test=test, annotators=how.annotators, blocks=blocks
    )
    drawing = Drawing.of(resampling)
    gains = gains_by_metric(evaluation, metrics)
    n_checks = len(parts) * len(metrics) + len(kinds)
    decisions, notes = decided(parts, metrics, margins, settings, drawing, gains, fail_test, len(kinds))
    foreseen = foresight.foreseen(decisions, level)
    of_costs = budget_checks(kinds, budgets, two, level, n_checks)
    every = (*foreseen, *foresight.foreseen(of_costs, level))
    notes += costs.notes_on(kinds, two.names)
    first = gains[metrics[0].name]
    named = {
        "metrics": list(margins),
        "interval": "auto",
        "level": level,
        "test": test,
        "correction": "holm",
        "margin": shown_margins(margins),
        "fail_test": fail_test if any(one is not None for one in margins.values()) else None,
        "baseline": base,
        "candidate": new,
        **settings_of(columns, least, crossed=crossed),
    }
    if budgets:
        named["at_most"] = [f"{name}={share:+.6g}" for name, share in budgets.items()]
    optional = {"annotators": how.annotators, "blocks": blocks}
    named |= {name: value for name, value in optional.items() if value not in (None, "fixed")}
    provenance = evaluation_provenance(parts[0].evaluation, metrics, named, drawing)
    if evaluation.tasks is not None:
        notes = [*evaluation.notes, *notes]
        n_tasks = len(set(evaluation.tasks.tolist()))
        counts = {"items": evaluation.n_items, "systems": [base, new], "tasks": n_tasks}
        data = counts | evaluation.n_groups
        provenance = dataclasses.replace(provenance, data=data, data_hash=evaluation.data_hash())
    if columns:
        data_hash = hash_with_slices(provenance.data_hash, evaluation, columns)
        provenance = dataclasses.replace(provenance, data_hash=data_hash)
    if kinds:
        data_hash = costs.hash_with_costs(provenance.data_hash, kinds, two.names)
        provenance = dataclasses.replace(provenance, data_hash=data_hash)
    result = Gate(
        outcome=outcome_of(every),
        baseline=base,
        candidate=new,
        checks=every,
        flips=flips_by_check(evaluation, {part.name: part.rows for part in parts}, foreseen, gains),
        n_worse=0 if first is None else int((first.values < 0.0).sum()),
        n_better=0 if first is None else int((first.values > 0.0).sum()),
        level=level,
        n_items=evaluation.n_items,
        n_clusters=evaluation.n_clusters,
        notes=tuple(dict.fromkeys([*left_out, *notes])),
        provenance=provenance,
    )
    return with_backend(result, evaluation.frame_backend)


def _check_level(level: Any) -> None:
    checks.level(level)
    if not level > 0.5:
        raise InvalidInputError(
            f"level must be above 0.5 for a gate, got {level}",
            hint="it is the level of a one-sided bound: 0.95 lets a candidate that is worse by the margin"
            " pass in one of twenty cases",
            argument="level",
        )


def _pair(names: Sequence[str], baseline: str | None, candidate: str | None) -> tuple[str, str]:
    """Return the names of the baseline and the candidate."""
    base = checks.valid_baseline(baseline, names)
    new = checks.valid_baseline(candidate, names, "candidate")
    if base is not None and base == new:
        raise InvalidInputError(
            f"baseline and candidate are the same system, {base!r}",
            hint=f"the systems are: {', '.join(names)}",
        )
    rest = [name for name in names if name not in (base, new)]
    needed = [base, new].count(None)
    if len(rest) > needed and needed:
        raise InvalidInputError(
            f"a gate compares two systems, got {len(names)}: {', '.join(names)}",
            hint="name both: baseline=... and candidate=...",
        )
    base = rest.pop(0) if base is None else base
    return base, rest.pop(0) if new is None else new


def _columns(by: Any, min_items: Any, *, crossed: bool) -> tuple[list[Column], int]:
    """Return the columns of the slices, and the least number of items that a slice has."""
    least = checks.positive_int(min_items, "min_items")
    if by is not None:
        return columns_of(by), least
    if crossed or least > 1:
        argument = "crossed" if crossed else "min_items"
        raise InvalidInputError(
            f"{argument} is of slices, and no column to slice by is named",
            hint="name it: by=...",
            argument=argument,
        )
    return [], least


class GatePart(NamedTuple):
    """Items that a gate asks about, their name, and which of all they are; None for all items."""

    name: str | None
    evaluation: Evaluation
    rows: BoolArray | None = None


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
            GatePart(f"{slicing.column}={slicing.names[place]}", pooled.with_rows(rows), rows)
            for slicing in cut
            for place in slicing.order.tolist()
            for rows in (slicing.rows(place),)
        ]
        # The other groups of items are looked at as clusters that the user may have forgotten.
        used = {column.name for column in columns}
        others = {name: values for name, values in evaluation.groupings.items() if name not in used}
        evaluation = dataclasses.replace(evaluation, groupings=others)
    tasks = evaluation.tasks
    if tasks is None:
        return [GatePart(None, evaluation), *slices], notes
    by_task = [
        GatePart(task, dataclasses.replace(evaluation.with_rows(rows), strata=None, tasks=None), rows)
        for task in dict.fromkeys(tasks.tolist())
        for rows in (tasks == task,)
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
    gains: Mapping[str, Gains | None],
    fail_test: FailTest = "exact",
    n_budgets: int = 0,
) -> tuple[tuple[GateCheck, ...], list[Note]]:
    """Return a check for each part and metric, and the notes on all that was computed for them.

    Metrics are known to suit the items of all parts together: in one part every answer may be wrong. `gains`
    are those of all items, by metric.
    `settings` have the test "auto" if there are alarms, metrics without a margin.
    """
    n_checks = len(parts) * len(metrics) + n_budgets
    measured: list[GateCheck] = []
    notes: list[Note] = []
    for place, part in enumerate(parts):
        drawing_of_part = dataclasses.replace(drawing, progress=in_turn(drawing.progress, place, len(parts)))
        with within(part.name):
            every = one_metric.estimates_by_metric(
                part.evaluation, metrics, settings, drawing_of_part, "gate"
            )
            for estimates, metric in zip(every, metrics, strict=True):
                check, check_notes = _measured(
                    part, metric, estimates, margins[metric.name], settings, n_checks, fail_test
                )
                gained = gains[metric.name]
                if check.margin is not None and gained is not None:
                    values = gained.values if part.rows is None else gained.values[part.rows]
                    d = check.difference
                    skewed = skewness_notes(values, part.evaluation.clusters, d)
                    d = dataclasses.replace(d, notes=(*d.notes, *skewed))
                    check = dataclasses.replace(check, difference=d)
                measured.append(check)
                notes += check_notes
    # One alarm is enough for the gate to fail: Holm's method corrects the p-values of all alarms together.
    alarms = [check.difference for check in measured if check.margin is None]
    corrected = iter(family.adjusted(alarms, "holm"))
    by_unit = settings.blocks is None  # blocks of text overlap: how many could be exchanged is not known
    outcomes = tuple(
        _alarm(check, next(corrected), settings.alpha / len(alarms), settings.alpha, by_unit=by_unit)
        if check.margin is None
        else _by_margin(check, check.margin, settings.alpha, n_checks)
        for check in measured
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
    data_notes = [
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
    test_notes: tuple[Note, ...] = ()
    if settings.test is not None:
        name, test_notes = dependence.supported_test(settings.test, estimates.group)
        tests[PAIR] = significance_tests.result(
            name, estimate, "less" if metric.greater_is_better else "greater"
        )

    # The interval that is shown, and the bounds that are read from one that allows for more skewness.
    method, situation = one_pair.chosen(estimate, "auto")
    interval, interval_notes = interval_methods.interval(estimate, method, settings.level)
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

    shown = one_pair.Bounds(interval, notes=(*interval_notes, *doubts))
    d = one_pair.difference(estimate, evaluation, tests.get(PAIR), shown, settings)
    (d,) = family.with_direction_notes([d], settings.alpha)
    where = () if part.name is None else (part.name,)
    difference_notes = tuple(dataclasses.replace(note, about=(*note.about, *where)) for note in d.notes)
    d = dataclasses.replace(d, margin=margin, equivalence_interval=bounds, notes=difference_notes)

    notes = [
        *note_rules.on_intervals(data_notes, [interval], [metric]),
        *test_notes,
        *note_rules.below_half_notes(estimates, names, settings.level),
        *one_metric.notes_on_pairs(estimates, metric, [PAIR], tests, evaluation, settings),
    ]
    if part.name is not None:
        notes = [Note(note.code, f"{part.name}: {note.message}", note.about) for note in notes]
    unit = "clusters" if d.n_clusters else "items"
    return GateCheck(
        d.metric, "inconclusive", d, margin, part.name, unit=unit, fail_bound=fail_bound, counted=counted
    ), notes


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


def with_margins(
    checks: Sequence[GateCheck], margins: Mapping[str, float], level: float, n_checks: int
) -> tuple[GateCheck, ...]:
    """Return the checks with other margins, by metric: bounds and counts are the same."""
    again = []
    for check in checks:
        margin = margins[check.metric]
        d = dataclasses.replace(check.difference, test=None, p_adjusted=None, margin=margin)
        fresh = dataclasses.replace(
            check, difference=d, margin=margin, smallest_p=None, detectable=None, more=None
        )
        again.append(_by_margin(fresh, margin, multiplicity.alpha_at(level), n_checks))
    return tuple(again)


def _by_margin(check: GateCheck, margin: float, alpha: float, n_checks: int) -> GateCheck:
    """Return a check of non-inferiority with its outcome; one minus the level of the gate is `alpha`.

    It passes by the bound on the side of a loss at the whole level: all checks must pass, so that a candidate
    that is worse by the margin in one of them passes no more often than that check does (intersection-union
    test; Berger 1982). It fails at its share, alpha over the number of checks: by the exact unconditional
    test where answers are counted, otherwise by the bound on the side of a gain at that share. If the data
    give none, it does not fail.
    """
    d = check.difference
    fail_p = threshold = fails = None
    if check.counted is not None:
        threshold = alpha / n_checks
        fail_p = unconditional.p_value(*check.counted, margin, threshold)
        fails = multiplicity.rejects(fail_p, threshold)
    elif n_checks > 1 and check.fail_bound is None:
        fails = False  # the other bound is at the whole level, which only a single check may use up
    outcome = outcome_by_margin(d.equivalence_interval, margin, d.greater_is_better, check.fail_bound, fails)
    return dataclasses.replace(check, outcome=outcome, fail_p=fail_p, threshold=threshold)


def _alarm(check: GateCheck, d: Difference, threshold: float, alpha: float, *, by_unit: bool) -> GateCheck:
    """Return a check without a margin with its outcome, by the p-value that is corrected for all of them."""
    assert d.p_adjusted is not None  # every alarm is tested
    assert d.test is not None
    n = check.n_units
    goes_on = n >= FEWEST and d.n_differing >= n  # where all units differ, p can be below that of swaps
    exchanges = by_unit and d.test.name == "permutation" and not goes_on
    return dataclasses.replace(
        check,
        difference=d,
        outcome="fail" if multiplicity.rejects(d.p_adjusted, alpha) else "pass",
        smallest_p=foresight.smallest_p(d.n_differing, d.n_clusters) if exchanges else None,
        threshold=threshold,
    )
