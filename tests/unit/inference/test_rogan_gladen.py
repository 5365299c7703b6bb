"""A judge's share corrected for its error rates: the published example and coverage."""

from __future__ import annotations

import numpy as np
import pytest

from bestby import DesignError
from bestby.inference.rogan_gladen import ErrorRates, corrected_share, interval


def test_the_published_example() -> None:
    rates = ErrorRates(140, 200, 180, 200)
    assert corrected_share(400, 1000, rates) == pytest.approx(1 / 6)
    assert interval(400, 1000, rates) == pytest.approx((0.0564, 0.2627), abs=5e-5)  # Lee et al. 2025


def test_it_covers() -> None:
    rng = np.random.default_rng(3)
    held = []
    for _ in range(1000):
        ones = rng.binomial(500, 0.3 * 0.85 + 0.7 * 0.2)
        rates = ErrorRates(int(rng.binomial(80, 0.8)), 80, int(rng.binomial(60, 0.85)), 60)
        low, high = interval(int(ones), 500, rates)
        held.append(low <= 0.3 <= high)
    assert 0.93 < np.mean(held) < 0.975  # outside by chance in about 1 %


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        (ErrorRates(0, 0, 9, 10), "all of one kind"),
        (ErrorRates(5, 10, 5, 10), "no better than chance"),
    ],
)
def test_what_it_refuses(rates: ErrorRates, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        corrected_share(3, 10, rates)


def test_estimates_stay_inside_the_bounds() -> None:
    assert corrected_share(5, 100, ErrorRates(80, 100, 90, 100)) == 0.0
    assert corrected_share(99, 100, ErrorRates(80, 100, 90, 100)) == 1.0
