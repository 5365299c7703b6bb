"""Routes to a permutation p-value: which is taken, what it says, and its edges."""

from __future__ import annotations

import itertools
import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bestby.inference import permutation, proportions
from bestby.inference.lattice import merged
from bestby.inference.permutation import central_binomial, exact_enumeration, exact_mean, monte_carlo
from bestby.results.values import TestResult


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


@pytest.mark.parametrize(("n", "net"), [(2000, 2), (20_000, 400)])
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


SIDES = ("two-sided", "greater", "less")


def whole(found: TestResult | None) -> tuple[Any, ...]:
    """Return every field but p."""
    assert found is not None
    return (
        found.name,
        found.alternative,
        found.exact,
        found.method,
        found.error,
        found.n_resamples,
        found.statistic,
    )


def test_all_in_one_direction_underflow_to_the_smallest_float() -> None:
    for n in (1073, 1074, 1075, 5000):
        found = exact_mean(np.array([0.3]), np.array([n]), "greater", 1.0)
        assert found is not None
        assert found.p_value == sys.float_info.min


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_the_unit_does_not_matter(scale: float) -> None:
    """Ties are told from near ties relative to the sum: d and d in another unit have one p."""
    d = np.array([math.pi, math.e, -1.0, 0.1, math.sqrt(2.0), -0.7, 0.3, 1.9])
    sums = [
        abs(sum(s * x for s, x in zip(signs, d, strict=True)))
        for signs in itertools.product((1, -1), repeat=8)
    ]
    expected = np.mean(np.array(sums) >= abs(d.sum()) * (1 - 1e-9))
    found = exact_mean(scale * d, np.ones(8, dtype=np.int64), "two-sided", 1.0)
    assert found is not None
    assert found.p_value == expected


def test_up_to_36_units_are_enumerated() -> None:
    d = np.random.default_rng(1).uniform(0.5, 1.5, 37) * np.where(np.arange(37) % 3, 1.0, -1.0)
    for n, method in ((36, "enumeration"), (37, "characteristic function")):
        found = exact_mean(d[:n], np.ones(n, dtype=np.int64), "two-sided", 1.0)
        assert found is not None
        assert found.method == method


@pytest.mark.parametrize(
    ("kinds", "units", "span"),
    [(7, 60, 20_000), (110, 1, 14_000)],
    ids=["the grid is too long", "grid times steps is too long"],
)
def test_a_lattice_too_fine_for_its_fft_counts_as_real(kinds: int, units: int, span: int) -> None:
    rng = np.random.default_rng(2)
    steps = np.unique(rng.integers(1, span, 4 * kinds))
    sizes = rng.permutation(steps)[:kinds].astype(np.float64)
    counts = np.full(kinds, units)
    values = np.concatenate([sizes, -sizes])
    taken = rng.binomial(counts, 0.55)
    halves = np.concatenate([taken, counts - taken])
    found = exact_mean(values, halves, "greater", 3.0)
    assert found is not None
    assert (found.method, found.alternative) == ("characteristic function", "greater")
    assert found.statistic == pytest.approx(float(halves @ values) / 3.0)
    # The normal approximation of such a sum: Berry and Esseen leave less than 0.02 at 110 units and more.
    z = float(halves @ values) / math.sqrt(float(counts @ sizes**2))
    assert found.p_value == pytest.approx(0.5 * math.erfc(z / math.sqrt(2.0)), abs=0.02)


@pytest.mark.parametrize("unit", [0.001, 1.0, 1000.0])
def test_the_tilt_is_the_root_of_its_equation(unit: float) -> None:
    sizes, counts = unit * np.array([0.2, 1.0, 7.0]), np.array([30, 5, 2])
    total = float(counts @ sizes)
    for share in (0.01, 0.4, 0.9, 0.999):
        theta = permutation.sign_tilt(sizes, counts, share * total)
        reached = float(counts @ (sizes * np.tanh(0.5 * theta * sizes)))
        assert reached == pytest.approx(share * total, rel=1e-10)


def test_a_target_that_is_never_reached_is_nearly_reached() -> None:
    assert permutation.sign_tilt(np.array([1.0]), np.array([5]), 5.0) == pytest.approx(
        2.0 * math.atanh(1.0 - 1e-9), rel=1e-6
    )


@pytest.mark.parametrize("far", [0.3, 3.0, 4.9, 6.5])
def test_the_tilted_and_the_plain_inversion_agree(far: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """They integrate other series; the plain one is absolutely precise, to 1e-15 or so."""
    sizes = np.abs(np.random.default_rng(3).normal(size=300)) + 0.1
    s = far * math.sqrt(float(sizes @ sizes))
    monkeypatch.setattr(permutation, "TILT_FROM", 1e9)
    plain = permutation._inverted_upper(sizes, s)
    monkeypatch.setattr(permutation, "TILT_FROM", 0.0)
    tilted = permutation._inverted_upper(sizes, s)
    assert plain is not None
    assert tilted == pytest.approx(plain, rel=1e-9, abs=2e-14)


@pytest.mark.parametrize(
    ("steps", "counts", "targets"),
    [
        ([1, 2, 5], [40, 30, 40], (0, 40, 180, 290)),
        ([7, 19, 31, 64, 127, 200, 333, 401, 512, 777], [1, 1, 3, 1, 1, 1, 2, 1, 1, 1], (0, 900, 2600, 3300)),
    ],
    ids=["repeated", "single"],
)
@pytest.mark.parametrize("place", range(4))
def test_the_lattice_tail_against_its_convolution(
    steps: Any, counts: Any, targets: tuple[int, ...], place: int
) -> None:
    """Tilted or not, to twelve digits of p: integers as Python has them need no rounding."""
    steps, counts, target = np.array(steps), np.array(counts), targets[place]
    ways = {0: 1}
    for step, count in zip(steps.tolist(), counts.tolist(), strict=True):
        for _ in range(count):
            new: dict[int, int] = {}
            for total, number in ways.items():
                for move in (total - step, total + step):
                    new[move] = new.get(move, 0) + number
            ways = new
    exact = sum(number for total, number in ways.items() if total >= target) / 2 ** int(counts.sum())
    most = permutation.MOST_CONVOLVED
    assert permutation._lattice_upper(steps, counts, target, most) == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize("sd", [0.3, 1.9, 4.0, 7.0])
@pytest.mark.parametrize("tails", ["normal", "heavy", "one-sided"])
def test_multiples_of_a_fine_step_without_their_convolution(sd: float, tails: str) -> None:
    rng = np.random.default_rng(1)
    draws = {
        "normal": rng.normal(size=500),
        "heavy": 0.4 * rng.standard_t(2, 500),
        "one-sided": rng.exponential(size=500),
    }
    values = np.abs(np.rint(draws[tails] * 120.0))
    sizes, counts = merged(values, np.ones(500, dtype=np.int64))
    sizes, counts = sizes[sizes > 0.0], counts[sizes > 0.0]
    total = int(counts @ sizes)
    target = total - 2 * round((total - sd * math.sqrt(float(counts @ sizes**2))) / 2.0)
    found = permutation.upper_tail(sizes * 0.7, counts, target * 0.7)
    exact = permutation._lattice_upper(sizes.astype(np.int64), counts, target, permutation.MOST_CONVOLVED)
    assert found is not None
    assert exact is not None
    assert found[1] == "characteristic function" or tails == "heavy"
    assert found[0] == pytest.approx(exact, rel=1e-4, abs=0.0)
    assert found[0] == pytest.approx(exact, abs=2e-8)


def added_up(sizes: list[int], target: int) -> float:
    """Return P(S >= target) by adding the sizes one by one, with all sums in whole numbers."""
    ways = {0: 1}
    for size in sizes:
        after: dict[int, int] = {}
        for total, number in ways.items():
            for moved in (total - size, total + size):
                after[moved] = after.get(moved, 0) + number
        ways = after
    return sum(number for total, number in ways.items() if total >= target) / 2 ** len(sizes)


@pytest.mark.parametrize("coarse", [2, 5, 8, 16])
def test_multiples_of_a_coarse_step_but_one(coarse: int) -> None:
    """The sums lie on few residues: their characteristic function comes back beyond the first frequencies."""
    rng = np.random.default_rng(coarse)
    sizes = coarse * rng.integers(1, 3000 // coarse + 1, 60)
    sizes[0] += 1
    values, counts = merged(sizes.astype(np.float64), np.ones(60, dtype=np.int64))
    sd = math.sqrt(float((sizes.astype(np.float64) ** 2).sum()))
    for place in (0.1, 1.0, 2.5):
        target = int(sizes.sum()) - 2 * round((int(sizes.sum()) - place * sd) / 2.0)
        found = permutation.upper_tail(values, counts, float(target))
        assert found is not None
        assert found[0] == pytest.approx(added_up(sizes.tolist(), target), abs=5e-4)


@pytest.mark.parametrize("place", [2.0, 3.5, 4.9])
def test_few_sizes_that_are_far_larger_than_all_others(place: float) -> None:
    """Less than 1e-16 of the mass is there, though the target is within five standard deviations."""
    sizes = np.concatenate([np.full(100, 1), [300, 350, 399]])
    target = int(sizes.sum()) - 2 * round(
        (int(sizes.sum()) - place * math.sqrt(float((sizes**2).sum()))) / 2.0
    )
    exact = added_up(sizes.tolist(), target)
    values, counts = merged(sizes.astype(np.float64), np.ones(sizes.size, dtype=np.int64))
    found = permutation.upper_tail(values, counts, float(target))
    assert found is not None
    assert found[0] == pytest.approx(exact, rel=1e-6, abs=0.0)


def test_rounding_never_makes_p_more_than_1() -> None:
    delta = np.array([[1.0], [math.sqrt(2.0)], [math.e]])
    found = exact_enumeration(
        delta, np.array([90, 80, 70]), np.zeros(3, dtype=np.int64), lambda x: x[:, 0], 0.0, "two-sided", 0.0
    )
    assert found is not None
    assert found.p_value == 1.0


@pytest.mark.parametrize("alternative", SIDES)
def test_where_nothing_differs_p_is_1(alternative: Any) -> None:
    found = exact_mean(np.zeros(2), np.array([3, 4]), alternative, 7.0)
    assert found is not None
    assert (found.p_value, found.statistic) == (1.0, 0.0)


def test_differences_within_the_tolerance_tie() -> None:
    delta, one, own = np.array([[1.0], [2.0], [4.0]]), np.ones(3, dtype=np.int64), np.array([-1, 1, 1])
    for tolerance, p in (
        (0.0, 0.5),
        (0.99, 0.5),
        (1.0, 0.75),
    ):  # signs make 3.5, 2.5, 1.5, 0.5
        found = exact_enumeration(delta, one, own, lambda x: x[:, 0], 2.5, "two-sided", tolerance)
        assert found is not None
        assert found.p_value == p


@pytest.mark.parametrize(("alternative", "least"), [("two-sided", 0.25), ("greater", 0.125), ("less", 0.125)])
def test_an_enumeration_is_never_below_the_mass_of_the_data(alternative: Any, least: float) -> None:
    """Whatever the score does: here every arrangement other than the first asked about is less extreme."""
    delta, one, own = np.array([[1.0], [2.0], [4.0]]), np.ones(3, dtype=np.int64), np.array([-1, 1, 1])
    asked: list[int] = []

    def difference(shifts: Any) -> Any:
        asked.append(len(shifts))
        sign = 1.0 if alternative != "less" else -1.0
        return np.full(len(shifts), sign if len(asked) == 1 else 0.0)

    found = exact_enumeration(delta, one, own, difference, 2.5, alternative, 0.0)
    assert found is not None
    assert found.p_value == least


def test_the_binomial_of_few_units_in_whole_numbers() -> None:
    for n in range(1, 65):
        net, chances, outside = central_binomial(n)
        assert net.tolist() == list(range(-n, n + 1, 2))
        assert outside == 0.0
        assert chances == pytest.approx([math.comb(n, k) / 2**n for k in range(n + 1)], rel=1e-13, abs=0.0)


@pytest.mark.parametrize("net", [0, 60, 200, 400])
def test_two_sizes_of_five_thousand_units_each(net: int) -> None:
    """All counts would be 25 million pairs, those with a mass half a million."""
    n = 5000
    up, down = (n + net) // 2, (n - net) // 2
    found = exact_mean(
        np.array([1.0, -1.0, math.pi, -math.pi]), np.array([up, down, up, down]), "greater", 1.0
    )
    assert found is not None
    assert found.method == "convolution"
    k, true = np.arange(n + 1), stats.binom(n, 0.5)
    least = np.ceil(((1.0 + math.pi) * net - math.pi * (2.0 * k - n) + n) / 2.0 - 1e-6)
    assert found.p_value == pytest.approx(float(true.pmf(k) @ true.sf(least - 1.0)), rel=1e-6, abs=1e-17)
