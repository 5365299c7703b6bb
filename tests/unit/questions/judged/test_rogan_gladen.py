"""A judge's share corrected for its error rates: the published example and coverage."""

from __future__ import annotations

import numpy as np
import pytest

from bestby import DesignError
from bestby.inference.proportions import two_sided_quantile
from bestby.questions.judged.rogan_gladen import ErrorRates, Part, corrected_share, interval_of_parts

Z = two_sided_quantile(0.95)


def interval(ones: int, n: int, rates: ErrorRates) -> tuple[float, float]:
    """Return the 95 % interval of a share whose error rates are the same for all items."""
    return interval_of_parts([Part(1.0, ones, n, rates)], Z)


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


@pytest.mark.parametrize("ones", [0, 5, 99, 100])
def test_intervals_stay_inside_the_bounds_and_shares_need_not(ones: int) -> None:
    rates = ErrorRates(80, 100, 90, 100)
    assert corrected_share(ones, 100, rates) == pytest.approx((ones / 100 - 0.2) / 0.7)
    low, high = interval(ones, 100, rates)
    assert 0.0 <= low <= high <= 1.0


def test_design_effects_and_parts() -> None:
    rates = ErrorRates(80, 100, 90, 100)
    plain = Part(1.0, 400, 1000, rates)
    fewer = Part(1.0, 400, 1000, rates, items_effect=4.0, rates_effect=2.0)
    halved = Part(1.0, 100, 250, ErrorRates(40, 50, 45, 50))
    assert interval_of_parts([fewer], 1.96) == pytest.approx(interval_of_parts([halved], 1.96))
    wide, narrow = (high - low for low, high in (interval_of_parts([one], 1.96) for one in (fewer, plain)))
    assert wide > 1.3 * narrow
    low, high = interval_of_parts([Part(0.5, 400, 1000, rates), Part(0.5, 400, 1000, rates)], 1.96)
    assert high - low == pytest.approx(narrow / 2**0.5, rel=1e-6)
