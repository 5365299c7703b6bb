"""The probability that a run of one system beats one of the other: its equation, ties, ends."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, optimize, special, stats

from bestby.inference import samples


def test_paired_improvement_counts_ties_half() -> None:
    a, b = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 2.0, 3.0, 5.0])
    p, interval = samples.improvement(a, b, 0.9, paired=True)
    assert p == 0.5
    z2 = stats.norm.ppf(0.95) ** 2
    half = math.sqrt(z2) / (1 + z2 / 4) * math.sqrt(0.25 / 4 + z2 / 64)
    assert (interval.low, interval.high) == pytest.approx((0.5 - half, 0.5 + half))


@pytest.mark.parametrize(("paired", "method"), [(True, "wilson"), (False, "newcombe")])
def test_improvement_says_what_it_is(paired: bool, method: str) -> None:
    interval = samples.improvement(np.array([1.0, 2.0]), np.array([0.0, 3.0]), 0.8, paired=paired)[1]
    assert (interval.level, interval.method, interval.exact) == (0.8, method, True)


SIZES = [(2, 2), (3, 5), (5, 5), (10, 4), (12, 12)]


def two(n: int, m: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([seed, n, m])
    return rng.normal(0.4, 1.0, n), rng.normal(0.0, 2.0, m)


@pytest.mark.long
@pytest.mark.parametrize(("n", "m"), SIZES)
def test_improvement_solves_newcombes_equation(n: int, m: int) -> None:
    a, b = two(n, m, seed=4)
    p, interval = samples.improvement(a, b, 0.95, paired=False)
    assert p == pytest.approx(np.mean([(x > y) + 0.5 * (x == y) for x, y in itertools.product(a, b)]))
    star, var_a, var_b = (n + m) / 2 - 1, a.var(ddof=1), b.var(ddof=1)

    def covariance(t: float, rho: float) -> float:
        z = special.ndtri(t)

        def given(u: float) -> float:
            held = special.ndtr((z - math.sqrt(rho) * u) / math.sqrt(1 - rho))
            return float(math.exp(-u * u / 2) / math.sqrt(2 * math.pi) * held**2)

        return integrate.quad(given, -9, 9, epsabs=1e-11)[0] - t * t

    def variance(t: float) -> float:
        newcombe = t * (1 - t) * (1 + star * ((1 - t) / (2 - t) + t / (1 + t)))
        shared_b, shared_a = (covariance(t, v / (var_a + var_b)) for v in (var_b, var_a))
        return max(newcombe, t * (1 - t) + (n - 1) * shared_b + (m - 1) * shared_a) / (n * m)

    of_means = np.array([var_a / n, var_b / m])
    satterthwaite = of_means.sum() ** 2 / (of_means**2 / (np.array([n, m]) - 1)).sum()
    quantile = special.stdtrit(max(6.0, satterthwaite), 0.975) if min(n, m) < 5 else special.ndtri(0.975)

    def equation(t: float) -> float:
        return (p - t) ** 2 - quantile**2 * variance(t)

    if 0 < p < 1:
        assert interval.low == pytest.approx(optimize.brentq(equation, 1e-9, p), abs=1e-7)
        assert interval.high == pytest.approx(optimize.brentq(equation, p, 1 - 1e-9), abs=1e-7)
    mirrored = samples.improvement(b, a, 0.95, paired=False)[1]
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_improvement_without_overlap_is_no_certainty() -> None:
    p, interval = samples.improvement(np.array([3.0, 4.0]), np.array([1.0, 2.0]), 0.95, paired=False)
    assert p == 1.0
    assert interval.high == 1.0
    assert 0.0 < interval.low < 0.7


def test_paired_improvement_is_wilsons_interval() -> None:
    """Newcombe (1998), Statist. Med. 17, 857-872, Table I: 15 of 148 and 0 of 20."""
    won = np.r_[np.ones(15), np.zeros(133)]
    p, interval = samples.improvement(won, np.full(148, 0.5), 0.95, paired=True)
    assert p == 15 / 148
    assert (round(interval.low, 4), round(interval.high, 4)) == (0.0624, 0.1605)
    none = samples.improvement(np.zeros(20), np.ones(20), 0.95, paired=True)[1]
    assert (none.low, round(none.high, 4)) == (0.0, 0.1611)
