"""Runs that vary unequally: tests of every statistic, effect sizes and P(A > B) hold what they say.

Each bound is at least four binomial standard errors beyond the share that the calibration page has.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from bestby.engine.base import Drawing
from bestby.engine.runs import RunScores
from bestby.inference import samples
from bestby.questions.runs import differences


def rejected(n: int, m: int, spread: float, statistic: str, correlation: float, size: int) -> float:
    """Return the share of normal data sets with equal locations in which the default test rejects."""
    rng = np.random.default_rng(0)
    hits = 0
    for i in range(size):
        z, b = rng.normal(size=n), rng.normal(size=m)
        if correlation:
            b = correlation * z + math.sqrt(1 - correlation**2) * b
        maker = RunScores([spread * z, b], ("a", "b"), statistic, correlation > 0, Drawing(199, i))
        hits += maker.test(0, 1, "auto", "two-sided").p_value <= 0.05
    return hits / size


@pytest.mark.parametrize(
    ("n", "m", "spread", "statistic", "correlation", "most"),
    [
        (3, 10, 5.0, "mean", 0.0, 0.14),
        (6, 30, 5.0, "mean", 0.0, 0.13),
        (10, 10, 10.0, "median", 0.0, 0.14),
        (10, 10, 10.0, "iqm", 0.0, 0.14),
        (12, 12, 10.0, "trimmed_mean", 0.9, 0.14),
        (12, 12, 10.0, "median", 0.9, 0.14),
    ],
)
def test_the_default_does_not_take_spread_for_a_difference(
    n: int, m: int, spread: float, statistic: str, correlation: float, most: float
) -> None:
    assert rejected(n, m, spread, statistic, correlation, size=250) < most


@pytest.mark.parametrize(("paired", "n", "m", "spread"), [(True, 10, 10, 1.0), (False, 10, 40, 3.0)])
def test_effect_sizes_are_covered(paired: bool, n: int, m: int, spread: float) -> None:
    rng, covered, effect = np.random.default_rng(0), 0, 2.0
    for _ in range(500):
        z, b = rng.normal(size=n), rng.normal(size=m)
        a = spread * (0.95 * b + math.sqrt(1 - 0.95**2) * z if paired else z)
        a += effect * math.sqrt((spread**2 + 1) / 2)
        _, interval = differences.effect_size(a, b, 0.95, paired=paired)
        covered += interval is not None and effect in interval
    assert covered / 500 > 0.91


@pytest.mark.parametrize(("n", "m"), [(3, 10), (20, 20)])
def test_the_chance_of_improvement_is_covered_where_one_system_varies_more(n: int, m: int) -> None:
    rng, covered = np.random.default_rng(0), 0
    for _ in range(200):
        a, b = 10.0 * rng.normal(size=n), rng.normal(size=m)
        covered += 0.5 in samples.improvement(a, b, 0.95, paired=False)[1]
    assert covered / 200 > (0.89 if m == 20 else 0.87)
