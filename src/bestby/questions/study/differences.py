"""Differences between two conditions: of single runs over the items, or over items and runs."""

from __future__ import annotations

from dataclasses import fields

from bestby._core.errors import DesignError
from bestby._core.typing import Alternative
from bestby.comparisons.common import equivalence, family, few_units, one_pair, swap_notes
from bestby.data.evaluation import Evaluation
from bestby.engine import test_maker
from bestby.engine.estimate import Estimates
from bestby.engine.hierarchy import DOUBTED, RunsWithItems
from bestby.questions.study.plan import Condition, Plan
from bestby.questions.study.result import StudyDifference
from bestby.results.base import Note
from bestby.results.values import TestResult
from bestby.vocabulary import allowed_names


def item_difference(
    plan: Plan,
    makers: Estimates,
    evaluation: Evaluation,
    both: tuple[Condition, Condition],
    alternative: Alternative,
) -> StudyDifference:
    """Return the difference of one run each, resampled over the items."""
    settings, pair, estimate = plan.settings, (0, 1), makers.of(0, 1)
    name, names, group = settings.test, evaluation.names, makers.group
    tests = {} if name is None else test_maker.run(name, makers, [pair], alternative)
    bounds = one_pair.intervals(estimate, settings.interval, settings)
    notes = [
        *swap_notes.exchange_notes(group, tests, names, name),
        *few_units.notes_on_swaps(group, group.metric.name, tests.values(), settings),
        *swap_notes.exchangeability_notes(
            makers, tests, names, "none", settings.alpha, bounded=settings.interval is not None
        ),
    ]
    bounds = bounds._replace(notes=(*bounds.notes, *notes))
    plain = one_pair.difference(estimate, evaluation, tests.get(pair), bounds, settings)
    values = {entry.name: getattr(plain, entry.name) for entry in fields(plain)}
    return StudyDifference(**{**values, "a": both[0].name, "b": both[1].name, "n_runs": (1, 1)})


def difference_over_runs(
    plan: Plan,
    makers: Estimates,
    evaluation: Evaluation,
    both: tuple[Condition, Condition],
    alternative: Alternative,
) -> StudyDifference:
    """Return the difference over the items and the runs."""
    settings, metric = plan.settings, makers.group.metric
    sizes = [len(condition.runs) for condition in both]
    crossed = RunsWithItems(makers, sizes, [condition.name for condition in both], paired=False)
    test: TestResult | None = None
    if settings.test is not None:
        test = crossed.test(0, 1, name_for_runs(settings.test, "test"), alternative)
    interval, tost, error, error_method = None, None, None, None
    notes: tuple[Note, ...] = ()
    if settings.interval is not None:
        method = name_for_runs(settings.interval, "interval")
        interval, tost, notes = family.with_equivalence(
            lambda level: crossed.interval(0, 1, method, level), settings.level, settings.margin
        )
        error, error_method = crossed.standard_error(0, 1)
    n_differing = one_pair.differing_items(list(evaluation.systems.values()))
    if settings.interval is not None:
        tost, unseen = equivalence.interval_of_runs(crossed, (0, 1), tost, n_differing, settings)
        notes += unseen
    if n_differing == 0:
        notes += (Note("identical", "no two runs of the two conditions differ on any item"),)
    plain = StudyDifference(
        metric=metric.name,
        a=both[0].name,
        b=both[1].name,
        estimate=crossed.estimate(0, 1),
        score_a=crossed.estimate(0),
        score_b=crossed.estimate(1),
        interval=interval,
        test=test,
        p_adjusted=None if test is None else test.p_value,
        greater_is_better=metric.greater_is_better,
        n_items=evaluation.n_items,
        n_differing=n_differing,
        notes=notes,
        n_runs=(sizes[0], sizes[1]),
        level=settings.level,
        standard_error=error,
        standard_error_method=error_method,
    )
    doubted = any(note.code in DOUBTED for note in notes)
    return family.with_verdict(plain, tost, settings.margin, doubted=doubted)


def name_for_runs(name: str, what: str) -> str:
    """Return the name of a test or interval (`what`), refused if it cannot take several runs."""
    if name not in allowed_names(what, "study_runs"):
        raise DesignError(
            f"the {what} {name!r} allows for items only, but here items and runs vary: a condition has"
            ' several runs, or the test or the interval is "t"',
            hint=f'{what}="auto" is for items and runs',
        )
    return name
