"""Budgets of a gate: by how much more than the baseline a candidate may cost, as a test of the ratio."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import InvalidInputError, within
from bestby._core.text import quoted
from bestby.comparisons import costs
from bestby.comparisons.costs import Cost
from bestby.data.evaluation import Evaluation
from bestby.inference.clusters import StandardError
from bestby.questions.gate.result import GateCheck, Outcome, outcome_by_margin
from bestby.report.comparison import Difference
from bestby.results.values import Interval

_INCREASE = re.compile(r"\s*([+-]\s*\d+(?:\.\d+)?)\s*%\s*")


def budgets_of(at_most: Any) -> dict[str, float]:
    """Return by which share of the baseline each cost may be more.

    >>> budgets_of({"latency_ms": "+10%", "usd@0.95": -0.2})
    {'latency_ms': 0.1, 'usd@0.95': -0.2}
    """
    if at_most is None:
        return {}
    form = 'at_most={"latency_ms": "+10%"}'
    given = checks.mapping(at_most, "at_most", "cost to increase", form)
    budgets = {}
    for name, value in given.items():
        text = _INCREASE.fullmatch(value) if isinstance(value, str) else None
        if isinstance(value, str) and text is None:
            raise InvalidInputError(
                f"at_most of {quoted(name)} must be an increase such as '+10%', got {quoted(value)}",
                hint=form,
                argument="at_most",
            )
        share = checks.number(value, "at_most") if text is None else float(text[1].replace(" ", "")) / 100.0
        if not -1.0 < share < math.inf:
            raise InvalidInputError(
                f"at_most of {quoted(name)} must be above -100 %, got {quoted(value)}",
                hint=form,
                argument="at_most",
            )
        budgets[checks.check_text(checks.text(name, "at_most"), "at_most")] = share
    return budgets


def named_costs(cost: Any, budgets: Mapping[str, float]) -> dict[str, Any]:
    """Return what is given of the cost of each budget: by default the column of its name."""
    given = (
        {} if cost is None else checks.mapping(cost, "cost", "a cost to its values", 'cost={"usd": {...}}')
    )
    unknown = next((name for name in given if name not in budgets), None)
    if unknown is not None:
        raise InvalidInputError(
            f"cost gives {quoted(unknown)}, which has no budget",
            hint=f'at_most={{{quoted(str(unknown))}: "+10%"}}',
            argument="cost",
        )
    return {name: given.get(name, name) for name in budgets}


def budget_checks(
    kinds: Sequence[Cost], budgets: Mapping[str, float], evaluation: Evaluation, level: float, n_checks: int
) -> tuple[GateCheck, ...]:
    """Return a check for each budget; the baseline is the first of the two systems.

    It passes if the one-sided bound of the ratio of the candidate's cost to the baseline's excludes the
    budget at the level, as a check with a margin does, and fails by the other bound at its share of one minus
    the level.
    """
    return tuple(_check(kind, budgets[kind.name], evaluation, level, n_checks) for kind in kinds)


def _check(kind: Cost, budget: float, evaluation: Evaluation, level: float, n_checks: int) -> GateCheck:
    base, new = evaluation.names
    old_cost, new_cost = map(float, kind.values[[0, 1]])
    with within(kind.name):
        if not old_cost > 0.0:
            raise InvalidInputError(
                f"the baseline {quoted(base)} costs nothing, so that no increase is a share of it",
                hint="leave this budget out",
                argument="at_most",
            )
    change = new_cost / old_cost - 1.0
    error = StandardError(0.0, math.inf) if kind.units is None else kind.units.error(1, 0)
    bounds = _bounds(new_cost / old_cost, error, round(2.0 * level - 1.0, 15))
    together = _bounds(new_cost / old_cost, error, 1.0 - 2.0 * (1.0 - level) / n_checks)
    fail_bound = None if together is None or n_checks == 1 else together.low
    # What is the same on all items is known, as prices are
    within_budget = rounding.at_most(new_cost, old_cost * (1.0 + budget))
    outcome: Outcome = "pass" if within_budget else "fail"
    if bounds is not None:
        outcome = outcome_by_margin(bounds, budget, False, fail_bound)
    differing = 0 if kind.items is None else int(np.count_nonzero(kind.items[:, 0] != kind.items[:, 1]))
    d = Difference(
        kind.name,
        new,
        base,
        change,
        new_cost,
        old_cost,
        _bounds(new_cost / old_cost, error, level),
        None,
        None,
        greater_is_better=False,
        n_items=evaluation.n_items,
        n_differing=differing,
        n_clusters=evaluation.n_clusters,
        equivalence_interval=bounds,
        level=level,
        standard_error=error.se * new_cost / old_cost,
    )
    unit = "clusters" if d.n_clusters else "items"
    return GateCheck(
        kind.name,
        outcome,
        d,
        budget,
        unit=unit,
        fail_bound=None if bounds is None else fail_bound,
        relative=True,
    )


def _bounds(ratio: float, error: StandardError, level: float) -> Interval | None:
    """Return the interval of a ratio less 1; None where nothing varies."""
    interval = costs.log_interval(ratio, error, level)
    if interval is None:
        return None
    return Interval(interval.low - 1.0, interval.high - 1.0, level, interval.method, True)
