"""What a gate could have seen, and what it would take to decide: questions to planning."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from bestby._core.errors import DesignError
from bestby._core.typing import Alternative
from bestby.planning.base import USUAL_POWER
from bestby.questions.gate.result import GateCheck
from bestby.report.comparison import Difference


def foreseen(checks: Sequence[GateCheck], level: float) -> tuple[GateCheck, ...]:
    """Return the checks with what alarms that pass could have seen, and what would decide open ones."""
    n_alarms = sum(check.margin is None for check in checks)
    completed = []
    for check in checks:
        if check.outcome == "inconclusive" and check.margin is not None:
            check = dataclasses.replace(check, more=more_units(check, check.margin, level, len(checks)))
        elif check.outcome == "pass" and check.margin is None and check.could_fail:
            check = dataclasses.replace(check, detectable=detectable(check, level, n_alarms))
        completed.append(check)
    return tuple(completed)


def smallest_p(n_differing: int, n_clusters: int) -> float:
    """Return the smallest p-value of a one-sided test of exchanges, where all units oppose the candidate.

    Each of the units that differ (of clusters, no more than there are) could be exchanged or not, and all
    these ways are equally likely.

    >>> smallest_p(3, 0), smallest_p(40, 2)
    (0.125, 0.25)
    """
    return 0.5 ** min(n_differing, n_clusters or n_differing)


def detectable(check: GateCheck, level: float, n_alarms: int) -> float | None:
    """Return the smallest true loss that is found with the power; None where the data do not tell.

    Of answers that are right or wrong, the design is that of McNemar's test, averaged over the agreements
    there could be if few items differ; of other scores that of the t-test, with the standard error measured.
    """
    from bestby.planning.paired import (
        PairedProportions,  # a gate that passes needs none of these
        PairedScores,
    )
    from bestby.questions.planning.plan import minimum_detectable

    d, n = check.difference, check.n_units
    bounds, sd = d.equivalence_interval, _spread(d, n)
    asked: dict[str, Any] = {"level": level, "n_comparisons": n_alarms, "curve": ()}
    if bounds is not None and bounds.method == "tango" and check.unit == "items":
        with suppress(DesignError):  # so many items differ that both cannot have the accuracy of the baseline
            # Differing items from which their share is taken as known: averaging over it would change little
            in_doubt = n if d.n_differing < 100 else None
            agreement = 1.0 - d.n_differing / n
            answers = PairedProportions(d.score_b, d.score_b, agreement, pilot_items=in_doubt)
            side: Alternative = "less" if d.greater_is_better else "greater"
            return abs(minimum_detectable(answers, n, USUAL_POWER, alternative=side, **asked).difference)
    # Differing items below which the spread of scores that are no answers says little
    if sd is not None and d.n_differing >= 10:
        with suppress(DesignError):
            return minimum_detectable(
                PairedScores(1.0, sd), n, USUAL_POWER, alternative="greater", **asked
            ).difference
    return None


def more_units(check: GateCheck, margin: float, level: float, n_checks: int) -> int | None:
    """Return how many more units would decide whether the loss reaches the margin; None if that is open.

    The true difference is taken to be the one observed. A loss beyond the margin is shown by a bound that
    holds for all checks at once.
    """
    from bestby.planning.paired import PairedScores
    from bestby.questions.planning.plan import sample_size

    d, n, bound = check.difference, check.n_units, check.bound
    if bound is None:
        return None
    if d.n_differing == 0:
        return _more_copies(n, abs(bound), margin)
    sd, distance, several = _spread(d, n), abs(margin - check.loss), check.loss > margin
    if sd is None or distance == 0.0:
        return None
    asked: dict[str, Any] = {"level": level, "n_comparisons": n_checks if several else 1, "curve": ()}
    try:
        plan = sample_size(PairedScores(distance, sd), USUAL_POWER, alternative="greater", **asked)
    except DesignError:
        return None
    return max(1, plan.n - n)


def _more_copies(n: int, worst: float, margin: float) -> int | None:
    """Return how many more items two systems must agree on before the bound is the margin.

    The score bound of a share of which none is seen is c / (n + c); other such bounds shrink no more slowly.
    """
    if not math.isfinite(worst):
        return None
    slower = (1.0 - margin) / (1.0 - worst) if worst < 1.0 else 1.0
    return max(1, math.floor(n * worst / margin * slower) + 1 - n)


def _spread(d: Difference, n: int) -> float | None:
    """Return the standard deviation of one unit that gives the standard error of the difference."""
    error = d.standard_error
    return None if not error or not math.isfinite(error) else error * math.sqrt(n)
