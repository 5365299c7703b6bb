"""Expected calibration errors of systems that are calibrated, and of systems that are not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from bestby import compare
from bestby.metrics.soft import ExpectedCalibrationError
from calibration.statements import Outcome, Statements, What, holds

TITLE = "Calibration errors"
TEXT = """
Probabilities of systems whose log odds are so many times those of the truth: at 1 a system is calibrated,
above it is too sure, below not sure enough. `coverage`: of the scores of the two systems in 15 bins (*score
of a*, *score of b*) and of their difference, by the interval of the default. The truth is the score on two
million items. Intervals from resamples or a standard error never hold the score 0 of a calibrated system, as
the error of a sample is above 0 and that of a resample more so. Intervals of the difference take the errors
for independent, and are too long.
"""

_SLOPES = ((1.0, 1.0), (1.0, 1.4), (1.0, 3.0), (0.7, 1.4))


def cells() -> Iterator[Statements]:
    """Yield two and four classes, by what the systems make of the odds and the number of items."""
    for classes in (2, 4):
        for slopes in _SLOPES:
            for n, datasets in ((50, 400), (300, 400), (2000, 200)):
                told = f"{classes} classes, {slopes[0]:g} and {slopes[1]:g}"
                yield Statements(
                    "calibration_errors", told, str(n), n, partial(_one, classes, slopes, n), datasets
                )


def _one(
    classes: int, slopes: tuple[float, float], n: int, rng: np.random.Generator, seed: int
) -> dict[What, Outcome]:
    odds = rng.normal(0.0, 1.3, (n, classes))
    p = _probabilities(odds, 1.0)
    gold = (rng.random((n, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(0, classes - 1)
    # Of two calibrated systems the second knows nothing but the shares of the classes.
    systems = {name: _probabilities(odds, slope) for name, slope in zip("ab", slopes, strict=True)}
    if slopes[0] == slopes[1]:
        systems["b"] = np.full((n, classes), 1.0 / classes)
    result = compare(systems, gold, metric="ece", test=None, n_resamples=99, rng=seed)
    true = {"a": truth(classes, slopes[0]), "b": truth(classes, slopes[1])}
    found = {
        What("coverage", f"score of {one.system}", True): Outcome(
            holds(one.interval, true[one.system]), False
        )
        for one in sorted(result.systems, key=lambda one: one.system)
    }
    (d,) = result.differences
    found[What("coverage", "difference", True)] = Outcome(holds(d.interval, true[d.a] - true[d.b]), False)
    return found


def _probabilities(odds: Any, slope: float) -> Any:
    powers = np.exp(slope * odds)
    return powers / powers.sum(axis=1, keepdims=True)


@cache
def truth(classes: int, slope: float) -> float:
    """Return the error over two million items; 0 if calibrated, as that of the constant system is."""
    if slope == 1.0:
        return 0.0
    metric = ExpectedCalibrationError()
    totals = 0.0
    for seed in range(20):
        odds = np.random.default_rng(seed).normal(0.0, 1.3, (100_000, classes))
        # Against the probabilities themselves as gold: no noise.
        totals = totals + metric.statistics(_probabilities(odds, 1.0), _probabilities(odds, slope)).sum(
            axis=0
        )
    return float(metric.score(np.asarray(totals)))
