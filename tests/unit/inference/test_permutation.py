"""Routes to a permutation p-value: which is taken, what it says, and its edges."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from bestby.inference import permutation, proportions
from bestby.inference.permutation import exact_mean, monte_carlo


def ones(n: int) -> np.ndarray:
    return np.ones(n, dtype=np.int64)


def test_monte_carlo_counts_one_more_and_ties() -> None:
    drawn = np.array([0.3, -0.3, 0.1 + 0.2, 0.1, 0.29999, np.nan])
    p = {a: monte_carlo(drawn, 0.3, a, name="x").p_value * 7 for a in ("two-sided", "greater", "less")}
    assert p["two-sided"] == pytest.approx(1 + 4)  # what is undefined counts as extreme
    assert p["greater"] == pytest.approx(1 + 3)
    assert p["less"] == pytest.approx(1 + 6)
    found = monte_carlo(np.zeros(99), 1.0, "greater", name="x")
    assert (found.p_value, found.n_resamples, found.exact, found.method) == (0.01, 99, False, "monte carlo")
    assert found.error == pytest.approx(math.sqrt(0.01 * 0.99 / 99))


def test_ties_are_relative_to_the_scores_the_difference_was_taken_of() -> None:
    drawn = np.full(9, 0.1 - 2e-11)
    assert monte_carlo(drawn, 0.1, "greater", name="x").p_value == 0.1
    assert monte_carlo(drawn, 0.1, "greater", name="x", scale=1e3).p_value == 1.0


@pytest.mark.parametrize(
    ("d", "method"),
    [
        ([0.0, 0.0], "enumeration"),
        ([1.0, -1.0, 1.0], "binomial"),
        ([0.1, -0.3, 0.2], "convolution"),
        ([1.0, -math.pi, math.e, 0.777], "enumeration"),
        ([2.0, 3.0, 7.0], "enumeration"),
    ],
)
def test_routes_of_small_samples(d: list[float], method: str) -> None:
    found = exact_mean(np.array(d), ones(len(d)), "two-sided", 1.0)
    assert found is not None
    assert (found.method, found.exact, found.n_resamples, found.error) == (method, True, 0, 0.0)
    assert found.statistic == pytest.approx(sum(d))


def test_all_in_one_direction() -> None:
    for n in (1, 5, 60):
        d = np.random.default_rng(n).uniform(0.1, 1.0, n)
        for alternative, p in (("two-sided", 2.0 ** (1 - n)), ("greater", 2.0**-n), ("less", 1.0)):
            found = exact_mean(d, ones(n), alternative, 1.0)
            assert found is not None
            assert found.p_value == pytest.approx(min(p, 1.0), rel=1e-9)
            mirror = {"greater": "less", "less": "greater"}.get(alternative, alternative)
            twin = exact_mean(-d, ones(n), mirror, 1.0)
            assert twin is not None
            assert twin.p_value == pytest.approx(found.p_value, rel=1e-12)


def test_differences_that_are_rounding_are_ties() -> None:
    """A swap of the four last ones changes the sum by rounding: of 2^2 signs, the data have one."""
    d = np.array([1.53, 6.09, 9e-17, 9e-17, 9e-17, 9e-17])
    for alternative, p in (("two-sided", 0.5), ("greater", 0.25), ("less", 1.0)):
        found = exact_mean(d, ones(6), alternative, 1.0)
        assert found is not None
        assert found.p_value == pytest.approx(p)


def test_p_does_not_underflow_to_0() -> None:
    d = np.ones(3000)
    found = exact_mean(d, ones(3000), "two-sided", 1.0)
    assert found is not None
    assert found.p_value > 0.0


@pytest.mark.parametrize("net", [0, 2, 20, 100])
def test_the_binomial_tail_in_integers(net: int) -> None:
    n = 300
    d = np.concatenate([np.ones((n + net) // 2), -np.ones((n - net) // 2)])
    upper = Fraction(sum(math.comb(n, k) for k in range((n + net) // 2, n + 1)), 2**n)
    for alternative, p in (("greater", upper), ("two-sided", min(Fraction(1), 2 * upper))):
        found = exact_mean(d, ones(n), alternative, 1.0)
        assert found is not None
        assert found.p_value == pytest.approx(float(p) if net or alternative == "greater" else 1.0, rel=1e-10)


def test_units_that_do_not_differ_do_not_matter() -> None:
    d = np.array([0.3, -1.0, 2.2, 0.7])
    one = exact_mean(d, ones(4), "two-sided", 1.0)
    other = exact_mean(np.concatenate([d, np.zeros(50)]), ones(54), "two-sided", 1.0)
    assert one is not None
    assert other is not None
    assert one.p_value == other.p_value


def test_central_binomials_leave_out_next_to_nothing() -> None:
    for n in (1, 64, 65, 1000, 100_000):
        net, chances, outside = permutation.central_binomial(n)
        assert chances.sum() == pytest.approx(1.0, abs=1e-9)
        assert outside < 1e-18
        assert net @ chances == pytest.approx(0.0, abs=1e-6 * math.sqrt(n))
        assert net**2 @ chances == pytest.approx(n, rel=1e-9)


def test_nearly_all_units_in_one_direction_are_counted_not_given_up() -> None:
    rng = np.random.default_rng(4)
    d = rng.random(38) + 0.1
    d[:3] *= -1.0
    sizes, far = np.abs(d), float(d.sum())
    met = permutation._enumerated_upper(sizes, far, 1e-12)
    assert permutation._rare_upper(sizes, far, 1e-12) == pytest.approx(met, rel=1e-12)
    d = rng.random(60) + 0.1
    d[:2] *= -1.0
    found = exact_mean(d, ones(60), "two-sided", 60.0)
    assert found is not None
    assert (found.method, found.exact) == ("enumeration", True)
    assert 2.0**-59 < found.p_value < 1e-10  # the evidence is that strong, and not 1 / (1 + B)
    assert permutation._rare_upper(sizes, 0.0, 1e-12) is None


@pytest.mark.parametrize(("n", "net"), [(2000, 2), (20_000, 400), (100_000, 600)])
def test_the_binomial_tail_keeps_its_digits_when_many_items_differ(n: int, net: int) -> None:
    """A tail by `bdtrc` is off by 2e-11 at 20 000 items, 0.3 % at 10 million, and NaN from 2^31."""
    arrangements, tail = math.comb(n, (n + net) // 2), 0
    for successes in range((n + net) // 2, n + 1):
        tail += arrangements
        arrangements = arrangements * (n - successes) // (successes + 1)
    d, counts = np.array([1.0, -1.0]), np.array([(n + net) // 2, (n - net) // 2])
    p = exact_mean(d, counts, "greater", n).p_value
    assert float(abs(Fraction(p) * 2**n / tail - 1)) < 2e-13
    assert proportions.permutation_pairs(counts[:1], counts[1:], "greater")[0][0] == p


def test_the_binomial_tail_of_more_items_than_32_bits_count() -> None:
    n = 4_000_000_000
    d, counts = np.array([1.0, -1.0]), np.array([n // 2 + 50_000, n // 2 - 50_000])
    normal = math.erfc((100_000 - 1) / math.sqrt(2.0 * n)) / 2.0  # with the continuity correction
    assert exact_mean(d, counts, "greater", n).p_value == pytest.approx(normal, rel=1e-6)
