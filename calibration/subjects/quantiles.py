"""Intervals of functions that move in steps, as medians and other quantiles do, beside smooth ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from bestby.comparisons import one_pair
from bestby.comparisons.note_rules import FEW_ITEMS
from bestby.data.evaluation import Evaluation
from bestby.engine import interval_methods, prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.metrics import FunctionMetric
from bestby.results.values import Interval
from calibration.populations import Floats
from calibration.statements import Outcome, Statements, What

TITLE = "Medians and other quantiles"
TEXT = """
Functions of the user's own, called on gold and predictions: how often their 95 % intervals cover. The
columns are of the difference of two systems; *one system* is the score of A by `auto`.
*Noted*: the interval carries `moves_in_steps`, `few_effective` or `few_differing`, or the result
`few_items`. Alike systems give the same answer on half of the items.

The delete-one values of a quantile tell no more than the gaps beside it, so that the acceleration of `bca`
and the number of effective units, by which `auto` chose before, mean nothing. `basic` covers 84.5 to 94.0 %
of the quantiles up to 200 items, `bca` 87.7 to 95.7 %, `percentile` 94.0 to 99.3 %. Of the smooth functions
on 20 items `percentile` covers 87.5 to 96.2 %, and `basic`, which they have now, is nearer its level for
means and RMSE; so one method for all of them would not do.

`auto` leaves out 100 random sets of the root of n units together. Of a smooth function the change by a set
is nearly the sum of the changes by its units; where their correlation is below .98 (.92 on 20 units, if the
delete-one values are many) the function moves in steps, and the difference gets the percentile interval.
The populations *Laplace* and *skewed* and the functions' scores of one system had no part in choosing the
rule. Up to 100 differing units a note says that the interval may be off; of alike systems it covers too
much there.
"""

RESAMPLES = 299
LEVEL = 0.95
Errors = Callable[[np.random.Generator, int], Floats]

ERRORS: dict[str, Errors] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "Laplace": lambda rng, n: rng.laplace(size=n),
    "skewed": lambda rng, n: rng.lognormal(size=n) - math.exp(0.5),
}


def f1(gold: Any, predictions: Any) -> float:
    """Return F1 of the positive numbers."""
    right = np.count_nonzero((gold > 0.0) & (predictions > 0.0))
    both = np.count_nonzero(gold > 0.0) + np.count_nonzero(predictions > 0.0)
    return 2.0 * right / both if both else math.nan


STATISTICS: dict[str, Callable[[Any, Any], float]] = {
    "median error": lambda gold, x: float(np.median(np.abs(gold - x))),
    "90 % quantile of errors": lambda gold, x: float(np.quantile(np.abs(gold - x), 0.9)),
    "interquartile range": lambda gold, x: float(np.subtract(*np.quantile(gold - x, (0.75, 0.25)))),
    "mean error": lambda gold, x: float(np.abs(gold - x).mean()),
    "RMSE": lambda gold, x: math.sqrt(np.square(gold - x).mean()),
    "Pearson": lambda gold, x: float(np.corrcoef(gold, x)[0, 1]),
    "F1": f1,
}
SMOOTH = ("mean error", "RMSE", "Pearson", "F1")


def draw(rng: np.random.Generator, kind: str, alike: bool, n: int) -> tuple[Floats, Floats, Floats]:
    """Return gold, A and B: alike they agree on half of the items; else the errors of B are a third wider."""
    gold, noise = rng.normal(size=n), ERRORS[kind]
    a, b = gold + 0.6 * noise(rng, n), gold + (0.6 if alike else 0.8) * noise(rng, n)
    return gold, a, np.where(rng.random(n) < 0.5, a, b) if alike else b


@cache
def truths(statistic: str, kind: str, alike: bool) -> tuple[float, float]:
    """Return the difference and the score of A in a sample of a million."""
    gold, a, b = draw(np.random.default_rng(1), kind, alike, 1_000_000)
    score = STATISTICS[statistic]
    return 0.0 if alike else score(gold, a) - score(gold, b), score(gold, a)


def covers(interval: Interval | None, truth: float, noted: bool = False) -> Outcome:
    """Return whether an interval that there is covers the truth."""
    return Outcome(None if interval is None else interval.low <= truth <= interval.high, noted)


def cell(statistic: str, kind: str, alike: bool, n: int, datasets: int) -> Statements:
    """Return a cell."""
    metric = FunctionMetric(STATISTICS[statistic], statistic)

    def one(rng: np.random.Generator, seed: int) -> Mapping[What, Outcome]:
        gold, a, b = draw(rng, kind, alike, n)
        (group,) = prepare.groups(Evaluation({"a": a, "b": b}, gold), [metric])
        estimates = Estimates(group, Drawing(RESAMPLES, seed))
        pair, one_system = estimates.of(0, 1), estimates.of(0)
        truth, truth_a = truths(statistic, kind, alike)
        found = {}
        for name, estimate, true in (("auto", pair, truth), ("one system", one_system, truth_a)):
            method, situation = one_pair.chosen(estimate, "auto")
            interval, _ = interval_methods.interval(estimate, method, LEVEL)
            noted = bool(one_pair.doubts(interval, situation)) or n < FEW_ITEMS
            found[What("coverage", name, True)] = covers(interval, true, noted)
        for method in ("percentile", "basic", "bca"):
            interval, _ = interval_methods.interval(pair, method, LEVEL)
            found[What("coverage", method)] = covers(interval, truth)
        return found

    population = f"{statistic}, {kind} errors, {'alike' if alike else 'apart'}"
    return Statements("quantiles", population, str(n), n, one, datasets)


def cells() -> Iterator[Statements]:
    """Yield the cells."""
    for statistic in ("median error", "90 % quantile of errors"):
        for alike in (True, False):
            for n, datasets in (
                (20, 400),
                (50, 300),
                (200, 200),
                (1000, 200 if statistic == "median error" else 60),
            ):
                yield cell(statistic, "normal", alike, n, datasets)
        for kind in ("Laplace", "skewed"):
            yield cell(statistic, kind, False, 50, 300)
            yield cell(statistic, kind, False, 200, 200)
    yield cell("interquartile range", "normal", True, 50, 300)
    yield cell("interquartile range", "normal", False, 200, 200)
    for statistic in SMOOTH:
        for alike in (True, False):
            yield cell(statistic, "normal", alike, 20, 400)
            yield cell(statistic, "normal", alike, 50, 300)
        yield cell(statistic, "normal", False, 200, 200)
