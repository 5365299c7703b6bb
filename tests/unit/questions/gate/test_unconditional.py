"""The exact test of a loss beyond a margin: its formula, its exact size, and the prototype's cells."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, binom, norm

from bestby._core.typing import FloatArray, IntArray
from bestby.inference import proportions
from bestby.questions.gate import unconditional

ALPHA = 0.05


def least_losses(n: int, margin: float, most_gains: int, alpha: float = ALPHA) -> IntArray:
    """Return from how many losses the test rejects, beside 0, 1, ... gains."""
    found, b = [], 1
    for c in range(most_gains + 1):
        while b <= n - c and unconditional.p_value(b, c, n, margin, alpha) > alpha:
            b += 1
        found.append(b)
    return np.array(found)


def least_losses_by_bound(n: int, margin: float, most_gains: int) -> IntArray:
    """Return from how many losses Tango's bound shows more than the margin, beside 0, 1, ... gains."""
    found, b = [], 0
    for c in range(most_gains + 1):
        while b <= n - c and not proportions.tango(c, b, n, 1.0 - 2.0 * ALPHA)[1] < -margin:
            b += 1
        found.append(b)
    return np.array(found)


def chance(least: IntArray, n: int, losses: FloatArray | float, gains: float) -> FloatArray:
    """Return how often the losses reach the least at which the test rejects, by the multinomial."""
    c = np.arange(least.size)
    share = np.atleast_1d(losses)[:, None] / (1.0 - gains)
    found: FloatArray = (binom.pmf(c, n, gains) * binom.sf(least - 1, n - c, np.minimum(1.0, share))).sum(1)
    return found


@pytest.mark.parametrize(
    ("n", "margin", "size", "by_bound", "power"),
    [
        (300, 0.005, 4.76, 5.97, 32),
        (600, 0.005, 4.51, 8.94, 62),
        (1500, 0.005, 4.73, 7.87, 93),
        (300, 0.01, 4.51, 8.92, 62),
        (150, 0.02, 4.49, 8.88, 63),
        (300, 0.02, 4.79, 8.18, 89),
        (100, 0.05, 3.99, 6.46, 82),
        (150, 0.05, 4.29, 7.40, 94),
        (600, 0.05, 4.54, 6.00, 100),
    ],
)
def test_the_exact_size_where_few_items_are_gained(
    n: int, margin: float, size: float, by_bound: float, power: float
) -> None:
    most = int(0.02 * n + 6.0 * np.sqrt(0.02 * n) + 8.0)
    gains = np.linspace(0.0, 0.02, 81)
    for least, expected in ((least_losses, size), (least_losses_by_bound, by_bound)):
        found = least(n, margin, most)
        worst = max(float(chance(found, n, q + margin, q)[0]) for q in gains)
        assert 100.0 * worst == pytest.approx(expected, abs=0.01)
    reached = 100.0 * chance(least_losses(n, margin, 0), n, 2.5 * margin, 0.0)[0]
    assert reached == pytest.approx(power, abs=0.6)


@pytest.mark.parametrize(("n", "margin", "alpha"), [(12, 0.1, 0.05), (25, 0.04, 0.05), (25, 0.04, 0.001)])
def test_the_size_over_all_losses_and_gains_that_the_null_hypothesis_allows(
    n: int, margin: float, alpha: float
) -> None:
    least = least_losses(n, margin, n, alpha)
    worst = 0.0
    for gains in np.linspace(0.0, 0.99, 100):
        losses = np.linspace(0.0, min(gains + margin, 1.0 - gains), 8)
        worst = max(worst, float(chance(least, n, losses, gains).max()))
    assert 0.2 * alpha < worst <= alpha


def test_the_p_value_is_the_largest_tail_over_the_interval_of_gains() -> None:
    losses, gains, n, margin = 9, 2, 60, 0.03
    b, c = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    inside = b + c <= n
    scores = unconditional.score(np.where(inside, b, 0), np.where(inside, c, 0), n, margin)
    extreme = inside & (scores >= scores[losses, gains] * (1.0 - 1e-12))
    low, high = beta.ppf(0.0005, gains, n - gains + 1), beta.ppf(0.9995, gains + 1, n - gains)
    tails = [
        (binom.pmf(c, n, q) * binom.pmf(b, n - c, min(1.0, (q + margin) / (1.0 - q))))[extreme].sum()
        for q in np.linspace(low, high, 2000)
    ]
    assert unconditional.p_value(losses, gains, n, margin) == pytest.approx(max(tails) + 0.001, rel=1e-4)


def test_the_score_is_that_of_tangos_interval_and_monotone() -> None:
    n, margin = 40, 0.07
    for losses, gains in ((8, 0), (12, 3), (40, 0), (21, 19)):
        z = float(unconditional.score(np.array(losses), np.array(gains), n, margin))
        level = 1.0 - 2.0 * float(norm.sf(abs(z)))
        low, high = proportions.tango(gains, losses, n, level)
        assert (high if z > 0.0 else low) == pytest.approx(-margin, abs=1e-9)
    for margin in (0.001, 0.07, 0.6):
        for total in range(1, n):
            grid = np.arange(n - total + 1)
            held = np.full_like(grid, total)
            assert (np.diff(unconditional.score(grid, held, n, margin)) > 0.0).all()
            assert (np.diff(unconditional.score(held, grid, n, margin)) < 0.0).all()


def test_extremes_and_cells_of_measured_gates() -> None:
    cells = {(5, 300, 0.005): 0.0469, (6, 300, 0.01): 0.0902, (6, 600, 0.005): 0.0903, (7, 600, 0.005): 0.045}
    for (losses, n, margin), expected in cells.items():
        assert unconditional.p_value(losses, 0, n, margin) == pytest.approx(expected, abs=5e-5)
    for counts in ((0, 0, 5), (0, 5, 5), (2, 3, 5)):
        assert unconditional.p_value(*counts, 0.9) == 1.0
    for margin in (1.0, 2.0):  # of scores without bounds that are 0 and 1 all the same
        assert unconditional.p_value(5, 0, 5, margin) == 1.0
    # All items are lost: the tail is p to the power n, and p is largest where q + margin = 1 - q.
    assert unconditional.p_value(5, 0, 5, 0.1) == pytest.approx(0.55**5 + 0.001)
    assert unconditional.p_value(1, 0, 1, 0.9) == pytest.approx(0.95 + 0.001)
    assert 0.0 < unconditional.p_value(60, 39, 99, 0.05) <= 1.0


def test_a_strict_level_has_p_values_below_a_thousandth() -> None:
    """The interval of the share of gains is wider for it: with that of 99.9 % no p is below .001."""
    assert unconditional.p_value(40, 0, 300, 0.01) > 0.001
    strict = ALPHA / 50
    assert unconditional.p_value(40, 0, 300, 0.01, strict) < strict
    assert unconditional.p_value(40, 0, 300, 0.01, strict) == pytest.approx(strict / 50, rel=1e-6)
