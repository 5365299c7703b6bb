"""Effect sizes and medians of two samples: the examples in the documentation of the R package statpsych 1.x.

The package is by the author of the methods (Bonett 2008; Bonett & Price 2002, 2020). Of effect sizes only
means, standard deviations and the correlation are given: the runs are made to have them.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from bestby.inference.samples import difference_error, location, squared_error
from bestby.questions.runs.differences import effect_size


def two(n: int, moments: tuple[float, float, float, float], r: float) -> tuple[np.ndarray, np.ndarray]:
    """Return two samples with these means, standard deviations and correlation."""
    z = np.random.default_rng(0).normal(size=(n, 2))
    q = np.linalg.qr(z - z.mean(axis=0))[0] * math.sqrt(n - 1)
    mean_a, mean_b, sd_a, sd_b = moments
    return mean_a + sd_a * q[:, 0], mean_b + sd_b * (r * q[:, 0] + math.sqrt(1 - r * r) * q[:, 1])


def test_paired_effect_size() -> None:
    """ci.stdmean.ps(.05, 110.4, 102.1, 15.3, 14.6, .75, 25), unweighted standardizer."""
    a, b = two(25, (110.4, 102.1, 15.3, 14.6), 0.75)
    d, interval = effect_size(a, b, 0.95, paired=True)
    assert interval is not None
    assert (d, interval.low, interval.high) == pytest.approx((0.5433457, 0.2394905, 0.8705732), abs=1e-7)


@pytest.mark.parametrize(
    ("n", "moments", "expected"),
    [
        (30, (35.1, 26.7, 7.32, 6.98), (1.159240, 0.6170771, 1.731909)),
        (50, (20.9, 19.1, 3.85, 3.19), (0.5052248, 0.10657659, 0.9116857)),
    ],
)
def test_effect_size_of_independent_runs(
    n: int, moments: tuple[float, float, float, float], expected: tuple[float, float, float]
) -> None:
    """ci.stdmean2(.05, 35.1, 26.7, 7.32, 6.98, 30, 30) and (.05, 20.9, 19.1, 3.85, 3.19, 50, 50)."""
    a, b = two(n, moments, 0.3)  # the correlation has no part in it
    d, interval = effect_size(a, b, 0.95, paired=False)
    assert interval is not None
    assert (d, interval.low, interval.high) == pytest.approx(expected, abs=1e-6)


def test_standard_error_of_the_difference_of_medians() -> None:
    """The two examples of ci.median2: differences -8.5 and -85, standard errors 4.316291 and 37.11502."""
    pairs = (
        (
            [32, 39, 26, 35, 43, 27, 40, 37, 34, 29],
            [36, 44, 47, 42, 49, 39, 46, 31, 33, 48],
            (-8.5, 4.316291),
        ),
        (
            [70, 394, 43, 95, 62, 128, 2, 203, 81, 436, 85, 35, 156, 1, 3, 27, 63, 181, 184, 18],
            [102, 120, 78, 78, 417, 124, 86, 171, 176, 129, 230, 194, 100, 157, 306, 411, 164, 103, 193, 312],
            (-85.0, 37.11502),
        ),
    )
    for first, second, expected in pairs:
        a, b = np.array(first, dtype=float), np.array(second, dtype=float)
        error = difference_error(a, b, "median", paired=False)
        assert error is not None
        found = (float(location(a, "median") - location(b, "median")), error[0])
        assert found == pytest.approx(expected, rel=1e-6)


def test_standard_error_of_the_difference_of_paired_medians() -> None:
    """The example of ci.median.ps with 15 pairs: difference -17, standard error 3.362289.

    Its covariance counts the 6 pairs below both medians. The package counts the 7 above both as well, and
    half of those at a median: the correlation is then 13 / 15 instead of 4 (6 + 1/4) / 15 - 1.
    """
    a = np.array([21, 4, 9, 12, 35, 18, 10, 22, 24, 1, 6, 8, 13, 16, 19], dtype=float)
    b = np.array([67, 28, 30, 28, 52, 40, 25, 37, 44, 10, 14, 20, 28, 40, 51], dtype=float)
    error = difference_error(a, b, "median", paired=True)
    assert error is not None
    assert float(location(a, "median") - location(b, "median")) == -17.0
    of_a, of_b = (squared_error(x, "median") for x in (a, b))
    assert of_a is not None
    assert of_b is not None
    squares, product = of_a[0] + of_b[0], (of_a[0] * of_b[0]) ** 0.5
    published = 4.0 * (6 + 0.25) / 15 - 1.0
    assert (squares - 2.0 * published * product) ** 0.5 == pytest.approx(3.362289, abs=1e-6)
    assert error[0] == pytest.approx((squares - 2.0 * 13 / 15 * product) ** 0.5)
