"""Two samples of runs: against SciPy, against formulas, and where formulas end."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from scipy import stats

from bestby._core.errors import InvalidInputError
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


@pytest.mark.parametrize(("n", "m"), SIZES[1:])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_brunner_munzel_against_scipy(n: int, m: int, alternative: str) -> None:
    a, b = two(n, m)
    expected = stats.brunnermunzel(a, b, alternative=alternative)
    found = samples.brunner_munzel(a, b, alternative)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-8)


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


PINNED_RUNS = [[1, 3, 4, 1, 2], [0, 4, 1, 3, 0], [0, 2, 4, 2, 1]]


PINNED_DEALS = [[1, 5, 0, 2, 4, 3], [5, 3, 0, 4, 2, 1], [0, 2, 3, 1, 5, 4]]


def test_the_runs_drawn_for_a_seed_and_a_name() -> None:
    """Pinned: another order of the bytes of the name, another stream or a later start changes them all."""
    assert samples.drawn_runs(5, 3, 7, "système 2").tolist() == PINNED_RUNS
    assert samples.drawn_runs(5, 2, 7, "système 2").tolist() == PINNED_RUNS[:2]


def test_the_runs_dealt_out_for_a_seed() -> None:
    assert samples._deals(6, 0, 3, 7).tolist() == PINNED_DEALS
    assert samples._deals(6, 1, 3, 7).tolist() == PINNED_DEALS[1:]


def test_a_run_far_from_the_median_of_its_system() -> None:
    """Distances 2, 1, 0, 1, 98 have the median 1; with those of a wider system, ten in all, (2 + 10) / 2."""
    odd, wide = np.array([0.0, 1.0, 2.0, 3.0, 100.0]), np.array([0.0, 10.0, 20.0, 30.0, 40.0])
    assert samples.outlying([odd]) == [(0, 4, pytest.approx(98 / 1.4826))]
    assert samples.outlying([1e-6 * odd]) == [(0, 4, pytest.approx(98 / 1.4826))]
    assert samples.outlying([wide, odd]) == [(1, 4, pytest.approx(98 / (1.4826 * 6)))]
    # A system of its own spread is not held to the smaller one of all.
    assert samples.outlying([odd, np.append(wide[:4], 94.0)]) == [(0, 4, pytest.approx(98 / (1.4826 * 6)))]


def test_two_outlying_runs_below_and_above() -> None:
    """The median is 2.5, and the median distance from it (0.5 + 1.5) / 2."""
    x = np.array([-50.0, 1.0, 2.0, 3.0, 2.0, 4.0, 3.0, 60.0])
    assert samples.outlying([x]) == [
        (0, 0, pytest.approx(52.5 / 1.4826)),
        (0, 7, pytest.approx(57.5 / 1.4826)),
    ]


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
