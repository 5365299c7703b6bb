"""The ABC interval of a correlation is that of the published algorithm, written down in plain code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

from bestby import evaluate

LSAT = [576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594]
GPA = [3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96]
"""The law school data of Efron & Tibshirani 1993, Table 3.1, whose correlation is .776."""


def abc(score: Callable[[Any], float], n: int, level: float) -> list[float]:
    """Return the ends by Efron & Tibshirani 1993, section 22.6, as a function of the weights of n items.

    Derivatives are by steps of the weights; the bias correction is that of first order.
    """
    step, equal = 0.001 / n, np.full(n, 1.0 / n)
    here = score(equal)
    towards = [
        [score((1.0 - e) * equal + e * np.eye(n)[i]) for e in (step, -step)] for i in range(n)
    ]  # fmt: skip
    first = np.array([(up - down) / (2.0 * step) for up, down in towards])
    second = np.array([(up - 2.0 * here + down) / step**2 for up, down in towards])
    se = np.sqrt((first**2).sum()) / n
    a = (first**3).sum() / (6.0 * n**3 * se**3)
    delta = first / (n**2 * se)
    up, down = (score(equal + e * delta) for e in (step, -step))
    curvature = (up - 2.0 * here + down) / (2.0 * se * step**2)
    z0 = a + curvature - second.sum() / (2.0 * n**2) / se
    w = z0 + np.array([ndtri(0.5 * (1.0 - level)), ndtri(0.5 * (1.0 + level))])
    return [score(equal + reach * delta) for reach in w / (1.0 - a * w) ** 2]


def correlation(weights: Any) -> float:
    """Return the correlation of the law school data under weights that sum to 1."""
    x, y = np.array(LSAT) - weights @ LSAT, np.array(GPA) - weights @ GPA
    return float(weights @ (x * y) / np.sqrt((weights @ x**2) * (weights @ y**2)))


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_law_school_correlation(level: float) -> None:
    system = evaluate({"lsat": LSAT}, GPA, metric="pearson", interval="abc", level=level).systems[0]
    assert system.score == pytest.approx(0.776, abs=0.0005)
    assert system.interval.method == "abc"
    expected = abc(correlation, len(LSAT), level)
    assert (system.interval.low, system.interval.high) == pytest.approx(expected, abs=0.002)
