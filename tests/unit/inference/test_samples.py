"""Two samples of runs: against SciPy, against formulas, and where formulas end."""

from __future__ import annotations

import itertools
import math
import tracemalloc
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from bestby._core.errors import InvalidInputError
from bestby._core.typing import Alternative
from bestby.inference import samples
from bestby.vocabulary import allowed_names

SIZES = [(2, 2), (3, 5), (5, 5), (10, 4), (12, 12)]
ALTERNATIVES = ("two-sided", "greater", "less")


def two(n: int, m: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([seed, n, m])
    return rng.normal(0.4, 1.0, n), rng.normal(0.0, 2.0, m)


@pytest.mark.parametrize(("n", "m"), SIZES)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("statistic", "trim"), [("mean", 0.0), ("trimmed_mean", 0.2)])
def test_t_against_scipy(n: int, m: int, alternative: str, statistic: str, trim: float) -> None:
    a, b = two(n, m)
    expected = stats.ttest_ind(a, b, equal_var=False, trim=trim, alternative=alternative)
    found = samples.t_test(a, b, statistic, alternative, paired=False)
    assert found is not None
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    error, freedom = samples.difference_error(a, b, statistic, paired=False)
    interval = samples.t_interval(1.0, error, freedom, 0.9, "welch")
    half = stats.t.ppf(0.95, expected.df) * error
    assert (interval.low, interval.high) == pytest.approx((1.0 - half, 1.0 + half), rel=1e-9)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_paired_t_against_scipy(alternative: str) -> None:
    a, b = two(8, 8)
    expected = stats.ttest_rel(a, b, alternative=alternative)
    found = samples.t_test(a, b, "mean", alternative, paired=True)
    assert found is not None
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    error, freedom = samples.difference_error(a, b, "mean", paired=True)
    low, high = expected.confidence_interval(0.95) if alternative == "two-sided" else (None, None)
    if low is not None:
        interval = samples.t_interval(float((a - b).mean()), error, freedom, 0.95, "t")
        assert (interval.low, interval.high) == pytest.approx((low, high), rel=1e-9)


def test_paired_trimmed_mean_is_that_of_the_winsorized_differences() -> None:
    """Wilcox (2012), Introduction to Robust Estimation, eq. 5.21: q_a + q_b - 2 q_ab over h (h - 1)."""
    a, b = two(10, 10)
    wa, wb = (np.clip(x, np.sort(x)[2], np.sort(x)[7]) for x in (a, b))
    q = [float(((x - x.mean()) * (y - y.mean())).sum()) for x, y in ((wa, wa), (wb, wb), (wa, wb))]
    error, freedom = samples.difference_error(a, b, "trimmed_mean", paired=True)
    assert error == pytest.approx(math.sqrt((q[0] + q[1] - 2 * q[2]) / (6 * 5)))
    assert freedom == 5


@pytest.mark.parametrize(("n", "m"), SIZES[:4])
@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_permutation_against_scipy(n: int, m: int, alternative: str, statistic: str) -> None:
    a, b = two(n, m)

    def welch(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        squares = x.var(axis=axis, ddof=1) / x.shape[axis] + y.var(axis=axis, ddof=1) / y.shape[axis]
        return (x.mean(axis=axis) - y.mean(axis=axis)) / np.sqrt(squares)

    def of_medians(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        squares = 0.0
        for z in (x, y):
            # The order statistics of Price and Bonett are the first and the last of up to five runs.
            c = 2 if z.shape[axis] == 10 else 1
            distance = -2 * stats.norm.ppf(stats.binom.cdf(c - 1, z.shape[axis], 0.5))
            ordered = np.moveaxis(np.sort(z, axis=axis), axis, -1)
            squares = squares + ((ordered[..., -c] - ordered[..., c - 1]) / distance) ** 2
        return (np.median(x, axis=axis) - np.median(y, axis=axis)) / np.sqrt(squares)

    expected = stats.permutation_test(
        (a, b),
        welch if statistic == "mean" else of_medians,
        alternative=alternative,
        n_resamples=np.inf,
        vectorized=True,
    )
    found = samples.permutation_test(a, b, statistic, alternative, paired=False, n_resamples=1, seed=0)
    assert found.exact
    assert found.n_resamples == 0
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-12)


def test_many_runs_are_permuted_at_random_and_agree_with_the_normal_limit() -> None:
    a, b = two(40, 60)
    found = samples.permutation_test(a, b, "mean", "two-sided", paired=False, n_resamples=20_000, seed=3)
    limit = 2 * stats.norm.sf(abs(stats.ttest_ind(a, b, equal_var=False).statistic))
    assert not found.exact
    assert found.n_resamples == 20_000
    # 4 standard errors: a false alarm in 16 000 seeds.
    assert abs(found.p_value - limit) < 4 * found.error + 0.003


def test_monte_carlo_and_enumeration_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = two(5, 6)
    for paired, x, y in ((False, a, b), (True, a, b[:5])):
        exact = samples.permutation_test(x, y, "median", "two-sided", paired=paired, n_resamples=1, seed=0)
        with monkeypatch.context() as patch:
            patch.setattr(samples, "MOST_SPLITS", 0)
            patch.setattr(samples, "MOST_SWAPS", 0)
            drawn = samples.permutation_test(
                x, y, "median", "two-sided", paired=paired, n_resamples=20_000, seed=1
            )
        assert exact.exact
        assert not drawn.exact
        assert abs(drawn.p_value - exact.p_value) < 4 * drawn.error


def test_p_is_never_zero() -> None:
    a, b = np.arange(30.0) + 1000.0, np.arange(30.0)
    for paired in (False, True):
        for alternative in ALTERNATIVES:
            found = samples.permutation_test(a, b, "mean", alternative, paired=paired, n_resamples=99, seed=0)
            assert 0.0 < found.p_value <= 1.0
    for test in (
        samples.t_test(a, b, "mean", "two-sided", paired=False),
        samples.brunner_munzel(a, b, "greater"),
    ):
        assert test is not None
        assert test.p_value > 0.0


def test_runs_that_do_not_overlap_have_the_smallest_p_of_the_permutation_test() -> None:
    a, b = np.array([4.0, 5.0, 6.0]), np.array([1.0, 2.0])
    assert samples.brunner_munzel(a, b, "greater").p_value == pytest.approx(1 / 10)
    assert samples.brunner_munzel(a, b, "less").p_value == 1.0
    assert samples.brunner_munzel(b, a, "less").p_value == pytest.approx(1 / 10)


@pytest.mark.parametrize(
    ("a", "b", "alternative", "p"),
    [
        ([1.0, 1.0], [1.0, 1.0, 1.0], "two-sided", 1.0),
        ([2.0, 2.0], [1.0, 1.0, 1.0], "two-sided", 0.2),
        ([2.0, 2.0], [1.0, 1.0, 1.0], "greater", 0.1),
        ([2.0, 2.0], [1.0, 1.0, 1.0], "less", 1.0),
        ([1.0, 1.0], [2.0, 2.0, 2.0], "less", 0.1),
        ([0.1 + 0.2, 0.3], [0.3, 0.3], "two-sided", 1.0),
    ],
)
def test_t_without_variance(a: list[float], b: list[float], alternative: str, p: float) -> None:
    found = samples.t_test(np.array(a), np.array(b), "mean", alternative, paired=False)
    assert found is not None
    assert found.p_value == pytest.approx(p)


def test_errors_of_single_runs_and_of_few() -> None:
    for statistic in allowed_names("statistic"):
        assert samples.squared_error(np.array([1.0]), statistic) is None
        assert samples.t_test(np.array([1.0]), np.arange(3.0), statistic, "less", paired=False) is None
    # Of four runs the interquartile mean keeps two, of two runs both.
    assert samples.squared_error(np.arange(4.0), "iqm") == (0.5, 1)
    assert samples.squared_error(np.arange(2.0), "iqm") == samples.squared_error(np.arange(2.0), "mean")


@pytest.mark.parametrize("statistic", allowed_names("statistic"))
@pytest.mark.parametrize("n", [2, 3, 4, 5, 10, 11])
def test_locations_against_scipy(statistic: str, n: int) -> None:
    x = np.random.default_rng(n).lognormal(size=(3, n))
    expected = {
        "mean": x.mean(axis=1),
        "median": np.median(x, axis=1),
        "trimmed_mean": stats.trim_mean(x, 0.2, axis=1),
        "iqm": stats.trim_mean(x, 0.25, axis=1),
    }[statistic]
    assert samples.location(x, statistic) == pytest.approx(expected)
    assert samples.left_out(x[0], statistic) == pytest.approx(
        [float(samples.location(np.delete(x[0], i), statistic)) for i in range(n)]
    ) if n > 2 else True  # fmt: skip


def test_an_unknown_statistic_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="statistic must be one of mean, median"):
        samples.location(np.arange(3.0), "mode")


def test_runs_are_drawn_by_name_and_evenly() -> None:
    drawn = samples.drawn_runs(5, 20_000, 0, "a")
    assert (samples.drawn_runs(5, 20_000, 0, "a") == drawn).all()
    assert (samples.drawn_runs(5, 20_000, 0, "b") != drawn).any()
    assert (samples.drawn_runs(5, 20_000, 1, "a") != drawn).any()
    counts = np.bincount(drawn.reshape(-1), minlength=5)
    # 5 standard deviations of a binomial of 100 000 at 1/5.
    assert np.abs(counts - 20_000).max() < 5 * math.sqrt(100_000 * 0.16)
    assert np.corrcoef(drawn[:, 0], drawn[:, 1])[0, 1] == pytest.approx(0.0, abs=0.03)


def test_few_against_many_runs_are_drawn_not_listed() -> None:
    """Every split of 2 + 600 runs can be counted, but would be written down in 120 million positions."""
    a, b = two(2, 600)
    tracemalloc.start()
    result = samples.permutation_test(a, b, "mean", "two-sided", paired=False, n_resamples=2000, seed=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert not result.exact
    assert peak < 2e8
    expected = stats.permutation_test(
        (a, b),
        lambda x, y, axis: stats.ttest_ind(x, y, axis=axis, equal_var=False).statistic,
        n_resamples=2000,
        vectorized=True,
        rng=1,
    ).pvalue
    assert result.p_value == pytest.approx(expected, abs=0.05)


def test_a_run_far_from_the_median_of_its_system() -> None:
    """Distances 2, 1, 0, 1, 98 have the median 1; with those of a wider system, ten in all, (2 + 10) / 2."""
    odd, wide = np.array([0.0, 1.0, 2.0, 3.0, 100.0]), np.array([0.0, 10.0, 20.0, 30.0, 40.0])
    assert samples.outlying([odd]) == [(0, 4, pytest.approx(98 / 1.4826))]
    assert samples.outlying([1e-6 * odd]) == [(0, 4, pytest.approx(98 / 1.4826))]
    assert samples.outlying([wide, odd]) == [(1, 4, pytest.approx(98 / (1.4826 * 6)))]
    # A system of its own spread is not held to the smaller one of all.
    assert samples.outlying([odd, np.append(wide[:4], 94.0)]) == [(0, 4, pytest.approx(98 / (1.4826 * 6)))]


def test_five_robust_standard_deviations_are_not_far() -> None:
    far = 5.0 * 1.4826
    assert samples.outlying([np.array([-1.0, -1.0, 0.0, 1.0, far])]) == []
    assert len(samples.outlying([np.array([-1.0, -1.0, 0.0, 1.0, np.nextafter(far, 9.0)])])) == 1


def test_systems_in_which_nothing_can_be_told() -> None:
    few, odd = np.array([0.0, 1.0, 2.0, 50.0]), np.array([0.0, 1.0, 2.0, 3.0, 100.0])
    assert samples.outlying([]) == []
    assert samples.outlying([few]) == []
    assert [system for system, _, _ in samples.outlying([few, odd])] == [1]
    # Where more than half of all runs are at their medians there is no spread to measure by, but in a system.
    flat = np.full(20, 0.5)
    assert samples.outlying([flat, np.append(flat, 9.0)]) == []
    assert [system for system, _, _ in samples.outlying([flat, odd])] == [1]


# --- tests of two samples ---------------------------------------------------------------------

SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
LOCATIONS: dict[str, Callable[[np.ndarray], float]] = {
    "mean": np.mean,
    "median": np.median,
    "iqm": lambda x: np.sort(x)[len(x) // 4 : -(len(x) // 4)].mean(),
}


def t_of_six_pairs(a: np.ndarray, b: np.ndarray, statistic: str) -> float:
    """Return the difference in its standard errors; of means in none, which gives the same p-values."""
    difference = float(LOCATIONS[statistic](a) - LOCATIONS[statistic](b))
    if statistic == "mean":
        return difference
    if statistic == "iqm":
        w = [np.clip(x, np.sort(x)[1], np.sort(x)[4]) for x in (a, b)]
        error = math.sqrt((w[0] - w[1]).var(ddof=0) * 6 / (4 * 3))
    else:  # the order statistics of Price and Bonett are the first and the last, of which 2^-6 lie beyond
        one, other = (np.ptp(x) / (2 * stats.norm.isf(0.5**6)) for x in (a, b))
        left, right = a - np.median(a), b - np.median(b)
        alike, apart = int((left * right > 0.0).sum()), int((left * right < 0.0).sum())
        error = math.sqrt(one**2 + other**2 - 2 * (alike - apart) / 7 * one * other)
    return difference / max(error, 1e-12)


def of_all_swaps(a: np.ndarray, b: np.ndarray, statistic: str, alternative: Alternative) -> float:
    """Return the share of the swaps of pairs with a t as extreme, one swap after the other."""
    sides: dict[str, Callable[[float], float]] = {"two-sided": abs, "greater": float, "less": lambda x: -x}
    extreme = sides[alternative]
    found = []
    for swap in itertools.product([False, True], repeat=a.size):
        x, y = np.where(swap, b, a), np.where(swap, a, b)
        found.append(extreme(t_of_six_pairs(x, y, statistic)))
    observed = extreme(t_of_six_pairs(a, b, statistic))
    return float(np.mean(np.array(found) >= observed - 1e-9))


@pytest.mark.parametrize("statistic", ["mean", "median", "iqm"])
@pytest.mark.parametrize("alternative", SIDES)
def test_paired_permutation_by_hand(statistic: str, alternative: Alternative) -> None:
    rng = np.random.default_rng(5)
    ways = {"mean": "convolution"}
    for _ in range(3):
        a, b = rng.integers(0, 9, 6) / 10.0, rng.integers(0, 7, 6) / 10.0
        found = samples.permutation_test(a, b, statistic, alternative, paired=True, n_resamples=1, seed=0)
        assert found.p_value == pytest.approx(of_all_swaps(a, b, statistic, alternative), rel=1e-12)
        assert (found.name, found.alternative, found.exact) == ("permutation", alternative, True)
        assert found.method == ways.get(statistic, "enumeration")
        assert found.statistic == pytest.approx(t_of_six_pairs(a, b, statistic))


def test_paired_means_of_many_runs_are_exact() -> None:
    a, b = np.arange(40.0) + 3.0, np.arange(40.0)[::-1]
    found = samples.permutation_test(a, b, "mean", "greater", paired=True, n_resamples=1, seed=0)
    assert found.exact
    differences = [int(d) for d in a - b]
    ways = Counter({0: 1})
    for d in differences:
        before, ways = ways, Counter()
        for total, times in before.items():
            ways[total + d] += times
            ways[total - d] += times
    hits = sum(times for total, times in ways.items() if total >= sum(differences))
    assert found.p_value == pytest.approx(hits / 2**40, rel=1e-9, abs=0.0)


def test_up_to_how_many_runs_swaps_and_splits_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "MOST_SWAPS", 4)
    for n, exact in ((4, True), (5, False)):
        a, b = np.arange(float(n)) ** 2, np.arange(float(n))[::-1]
        found = samples.permutation_test(a, b, "median", "greater", paired=True, n_resamples=9, seed=0)
        assert found.exact is exact
    a, b = np.array([1.0, 5.0]), np.array([2.0, 4.0, 9.0])  # 10 splits of 5 positions each
    for most_splits, most_listed, exact in ((10, 50, True), (9, 50, False), (10, 49, False)):
        monkeypatch.setattr(samples, "MOST_SPLITS", most_splits)
        monkeypatch.setattr(samples, "MOST_LISTED", most_listed)
        found = samples.permutation_test(a, b, "mean", "greater", paired=False, n_resamples=9, seed=0)
        assert found.exact is exact


@pytest.mark.parametrize("paired", [False, True])
def test_drawn_permutations_depend_on_the_seed_and_on_nothing_else(
    paired: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=21), rng.normal(size=21)
    ps = []
    for seed in (0, 0, 1, 2, 3):
        found = samples.permutation_test(a, b, "median", "less", paired=paired, n_resamples=500, seed=seed)
        assert (found.name, found.alternative) == ("permutation" if paired else "permutation-2", "less")
        assert (found.exact, found.method, found.n_resamples) == (False, "monte carlo", 500)
        test = samples.t_test(a, b, "median", "less", paired=paired)
        assert test is not None
        assert found.statistic == pytest.approx(test.statistic)
        ps.append(found.p_value)
    assert ps[0] == ps[1]
    assert len(set(ps)) > 2
    monkeypatch.setattr(samples, "CHUNK", 100)
    found = samples.permutation_test(a, b, "median", "less", paired=paired, n_resamples=500, seed=0)
    assert found.p_value == ps[0]


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("n", [6, 25])
def test_ties_are_ties_on_any_scale(n: int, paired: bool) -> None:
    """Multiples of 0.1, and the same above a million, where their differences are rounded to ten digits."""
    rng = np.random.default_rng(n)
    a, b = rng.integers(0, 5, n) / 10.0, rng.integers(0, 4, n) / 10.0
    for statistic in ("median", "trimmed_mean"):
        ps = [
            samples.permutation_test(
                shift + a, shift + b, statistic, "greater", paired=paired, n_resamples=300, seed=0
            ).p_value
            for shift in (0.0, 1e6)
        ]
        assert ps[0] == ps[1]


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e6])
def test_permutations_have_no_unit(scale: float, paired: bool) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b = rng.integers(0, 5, 5) / 10.0, rng.integers(0, 4, 5) / 10.0
        ps = [
            samples.permutation_test(
                unit * a, unit * b, "median", "greater", paired=paired, n_resamples=1, seed=0
            ).p_value
            for unit in (1.0, scale)
        ]
        assert ps[0] == ps[1]


def test_placements_by_hand() -> None:
    """Of 2, 2, 5 below 2: none and half of two; below 6 all; of 2, 6 below 2: half of one."""
    p, of_a, of_b = samples.placements(np.array([2.0, 6.0]), np.array([2.0, 2.0, 5.0]))
    assert p == pytest.approx((1 / 3 + 1) / 2)
    assert of_a.tolist() == pytest.approx([1 / 3, 1.0])
    assert of_b.tolist() == pytest.approx([0.75, 0.75, 0.5])


@pytest.mark.parametrize("alternative", SIDES)
def test_brunner_munzel_with_ties_against_scipy(alternative: Alternative) -> None:
    a, b = np.array([1.0, 2.0, 2.0, 4.0, 5.0]), np.array([0.0, 2.0, 3.0, 0.0])
    found = samples.brunner_munzel(a, b, alternative)
    expected = stats.brunnermunzel(a, b, alternative=alternative)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    assert abs(found.statistic) == pytest.approx(abs(expected.statistic))
    assert (found.name, found.alternative, found.exact, found.method) == (
        "brunner-munzel",
        alternative,
        False,
        "asymptotic",
    )


def test_t_tests_have_their_names() -> None:
    a, b = np.array([1.0, 2.0, 4.0, 7.0, 8.0]), np.array([1.5, 2.0, 3.0, 3.5, 9.0])
    names = {
        (statistic, paired): test.name
        for statistic in ("mean", "trimmed_mean", "iqm", "median")
        for paired in (False, True)
        if (test := samples.t_test(a, b, statistic, "two-sided", paired=paired)) is not None
    }
    assert names == {
        ("mean", False): "welch",
        ("mean", True): "t",
        ("trimmed_mean", False): "yuen",
        ("trimmed_mean", True): "yuen",
        ("iqm", False): "yuen",
        ("iqm", True): "yuen",
        ("median", False): "price-bonett",
        ("median", True): "price-bonett",
    }
    assert samples.difference_error(a[:1], b[:1], "median", paired=True) is None
    for one, other in ((a[:1], b), (a, b[:1]), (a[:1], b[:1])):
        assert samples.difference_error(one, other, "mean", paired=False) is None


def test_paired_t_of_interquartile_means_by_hand() -> None:
    """Of four runs two are kept; winsorized a: 2 2 3 3, b: 1 3 3 1, differences 1 -1 0 2, their mean 1/2."""
    a, b = np.array([0.0, 2.0, 3.0, 9.0]), np.array([1.0, 8.0, 3.0, -5.0])
    error = math.sqrt((0.5**2 + 1.5**2 + 0.5**2 + 1.5**2) / 2)
    assert samples.difference_error(a, b, "iqm", paired=True) == (pytest.approx(error), 1.0)
    found = samples.t_test(a, b, "iqm", "greater", paired=True)
    assert found is not None
    assert found.statistic == pytest.approx(0.5 / error)
    assert found.p_value == pytest.approx(stats.cauchy.sf(0.5 / error))


def test_a_paired_trimmed_difference_without_variance_has_the_p_of_its_signs() -> None:
    a = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    ps = [samples.t_test(a + 1.0, a, "trimmed_mean", side, paired=True) for side in SIDES]
    assert [test.p_value for test in ps if test is not None] == [2 / 32, 1 / 32, 1.0]


def test_t_without_error() -> None:
    """p is the least there is on the side of the difference and 1 on the other; twice the least for both."""
    for difference, ps in ((2.0, (0.25, 0.125, 1.0)), (-2.0, (0.25, 1.0, 0.125)), (0.0, (1.0, 1.0, 1.0))):
        found = [samples.t_result("t", difference, 0.0, 3.0, side, 0.125, 2.0) for side in SIDES]
        assert tuple(test.p_value for test in found) == ps
        assert [test.alternative for test in found] == list(SIDES)
        expected = math.copysign(math.inf, difference) if difference else 0.0
        assert {(test.name, test.exact, test.method, test.statistic) for test in found} == {
            ("t", True, "enumeration", expected)
        }
    assert samples.t_result("t", 0.0, 0.0, 3.0, "two-sided").p_value == 1.0
    assert samples.t_result("t", 1.0, 0.0, 3.0, "two-sided").p_value == 0.0  # unless a least p is given


@pytest.mark.parametrize("scale", [1e-15, 1e-9, 1.0, 1e9])
def test_the_t_tests_have_no_unit(scale: float) -> None:
    """Three runs against three: differences with and without a spread, and one of rounding only."""
    a, b = np.array([0.8, 0.7, 0.9]), np.array([0.6, 0.8, 0.3])
    real = samples.t_test(scale * a, scale * b, "mean", "greater", paired=False)
    assert real is not None
    assert real.p_value == pytest.approx(stats.ttest_ind(a, b, equal_var=False, alternative="greater").pvalue)
    apart = samples.t_test(np.full(3, 0.8 * scale), np.full(3, 0.6 * scale), "mean", "greater", paired=False)
    assert apart is not None
    assert (apart.p_value, apart.exact) == (1 / 20, True)
    rounded = samples.t_test(
        scale * np.array([0.1 + 0.2, 0.3, 0.3]), np.full(3, 0.3 * scale), "mean", "greater", paired=False
    )
    assert rounded is not None
    assert (rounded.p_value, rounded.exact) == (1.0, True)
    error = 0.1 * scale
    assert samples.t_result("t", scale, error, 9.0, "less").p_value == pytest.approx(stats.t.cdf(10.0, 9))
