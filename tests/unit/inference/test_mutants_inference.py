"""Cases in most of the inference modules that mutants showed to be untested; numbers by hand or by SciPy."""

from __future__ import annotations

import itertools
import math
import sys
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import cochrans_q

from bestby._core.errors import InvalidInputError
from bestby._core.typing import Alternative, ArrayLike
from bestby.inference import classical, effect_sizes, improvement, locations, ranking, samples
from bestby.inference.classical import mcnemar, mcnemar_midp, paired_t, sign, wilcoxon
from bestby.inference.clusters import StandardError, cr2, design_effect, two_way, two_way_variance, wald
from bestby.inference.groups import _runs, cliques, labels, letters, rank_intervals
from bestby.inference.intervals import effective_units
from bestby.inference.lattice import as_lattice, merged
from bestby.inference.omnibus import cochran_q, friedman
from bestby.inference.proportions import wilson
from bestby.inference.replicability import partial_conjunctions, replicability
from bestby.results.values import TestResult

PINNED_RUNS = [[1, 3, 4, 1, 2], [0, 4, 1, 3, 0], [0, 2, 4, 2, 1]]
PINNED_DEALS = [[1, 5, 0, 2, 4, 3], [5, 3, 0, 4, 2, 1], [0, 2, 3, 1, 5, 4]]

# --- clusters ---------------------------------------------------------------------------------


def test_the_design_effect_with_strata_of_one_and_two_units() -> None:
    """A stratum of one unit adds nothing; one of two units adds half the squared difference, times 2 / 1."""
    influence = np.array([7.0, 0.5, -0.1, 0.2, 0.3, -0.5])
    strata = np.array([0, 1, 1, 2, 2, 2])
    found = design_effect(influence, np.arange(6), strata)
    of_two, of_three = 0.6**2 / 2 * 2, (0.2**2 + 0.3**2 + 0.5**2) * 3 / 2
    assert found.itemwise == pytest.approx(math.sqrt(of_two + of_three))
    assert found.clustered == pytest.approx(found.itemwise)


def test_cr2_centres_within_strata() -> None:
    """Two strata whose sums are 3 and -3: sum over strata of sums (x - h S)^2 / (1 - h)."""
    influence, sizes = np.array([2.0, 1.0, -2.0, -1.0]), np.array([3.0, 1.0, 2.0, 2.0])
    found = cr2(influence, sizes, bounds=np.array([0, 2, 4]))
    first = (2 - 0.75 * 3) ** 2 / 0.25 + (1 - 0.25 * 3) ** 2 / 0.75
    second = (-2 + 0.5 * 3) ** 2 / 0.5 + (-1 + 0.5 * 3) ** 2 / 0.5
    assert found.se == pytest.approx(math.sqrt(first + second))


def test_a_stratum_of_one_cluster_costs_no_degrees_of_freedom() -> None:
    """Four clusters alike in size have three, whatever share of the items lies in a stratum apart."""
    sums = np.array([0.5, 0.3, -0.1, -0.4, 0.2])
    for alone in (1.0, 10.0, 1000.0):
        found = cr2(sums, np.array([alone, 10.0, 10.0, 10.0, 10.0]), bounds=np.array([0, 1, 5]))
        assert found.df == pytest.approx(3.0)
        assert found.se == pytest.approx(math.sqrt(0.3 * 4 / 3))


def test_two_way_subtracts_the_variance_of_the_cells() -> None:
    """Rows and columns of 4 x 4, one item in each: 4/3 (rows^2 + columns^2) - 16/15 (items^2)."""
    influence = np.array([[5, 3, 3, 1], [2, 1, 0, -3], [1, 0, -1, -2], [-1, -3, -2, -4]]) / 16.0
    rows, columns = (code.reshape(-1) for code in np.indices((4, 4)))
    of_rows, of_columns, items = 12**2 + 0 + 2**2 + 10**2, 7**2 + 1 + 0 + 8**2, 94
    expected = (4 / 3 * (of_rows + of_columns) - 16 / 15 * items) / 256
    assert expected > 4 / 3 * max(of_rows, of_columns) / 256  # the cells matter
    assert two_way_variance(influence.reshape(-1), rows, columns) == pytest.approx(expected)
    found = two_way(influence.reshape(-1), rows, columns)
    assert (found.se, found.df) == pytest.approx((math.sqrt(expected), 3.0))


def test_two_groups_of_each_are_enough() -> None:
    """2 x 2 items: 2 (2 * 0.5^2) by rows, 2 (2 * 0.1^2) by columns, less 4/3 of the squares of the items."""
    influence = np.array([0.4, 0.1, -0.3, -0.2])
    rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    together = 4 * 0.25 + 4 * 0.01 - 4 / 3 * (0.16 + 0.01 + 0.09 + 0.04)
    assert two_way_variance(influence, rows, columns) == pytest.approx(together)
    found = two_way(influence, rows, columns)
    assert found.se == pytest.approx(math.sqrt(max(together, 1.0, 0.04)))
    assert found.df == pytest.approx(1.0)


def test_wald_with_less_than_one_degree_of_freedom_is_cauchys() -> None:
    expected = 2 * stats.cauchy.sf(2.0)
    for df in (1.0, 0.5, 0.0):
        assert wald(1.0, StandardError(0.5, df), "two-sided").p_value == pytest.approx(expected)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_wald_says_what_it_is(alternative: str) -> None:
    found = wald(-1.0, StandardError(0.5, 7.0), alternative)  # type: ignore[arg-type]
    assert (found.name, found.alternative, found.exact, found.method) == (
        "wald",
        alternative,
        False,
        "asymptotic",
    )


# --- groups -----------------------------------------------------------------------------------


def alike(size: int, *pairs: tuple[int, int]) -> np.ndarray:
    """Return the matrix of differences where only these pairs do not differ."""
    different = ~np.eye(size, dtype=bool)
    for i, j in pairs:
        different[i, j] = different[j, i] = False
    return different


def bipartite(first: int, second: int) -> np.ndarray:
    """Return two camps: systems of one differ among themselves, no two of different camps do."""
    return alike(first + second, *itertools.product(range(first), range(first, first + second)))


def chain(size: int, reach: int) -> np.ndarray:
    rank = np.arange(size)
    return np.abs(rank[:, None] - rank) > reach


def test_groups_as_positions() -> None:
    assert cliques(np.zeros((0, 0), dtype=bool)) == ()
    assert cliques([[False]]) == ((0,),)
    assert cliques(chain(5, 2)) == ((0, 1, 2), (1, 2, 3), (2, 3, 4))
    assert cliques(alike(4, (0, 2))) == ((0, 2), (1,), (3,))


@pytest.mark.parametrize("function", [letters, cliques, labels])
def test_groups_need_a_square_matrix(function: Callable[[ArrayLike], object]) -> None:
    with pytest.raises(InvalidInputError, match=r"^different must be a square matrix"):
        function(np.zeros((2, 3), dtype=bool))


def test_groups_are_not_kept_small_by_systems_ranked_above() -> None:
    """Systems 4 and 5 need a letter in common; 3, which differs from neither, belongs to it too."""
    different = ~alike(6, (0, 3), (0, 5), (1, 5), (2, 4)) & ~np.eye(6, dtype=bool)
    assert cliques(different) == ((0, 1, 2), (0, 1, 4), (1, 2, 3), (2, 3, 5), (3, 4, 5))


def test_up_to_26_groups_have_letters() -> None:
    for different in (chain(28, 2), ~np.eye(26, dtype=bool), bipartite(2, 13)):
        assert labels(different) == letters(different)
        assert len(cliques(different)) == 26
    assert labels([[False, True], [True, False]]) == ("a", "b")


def test_more_than_26_groups_have_numbers() -> None:
    numbered = labels(chain(29, 2))
    assert numbered is not None
    assert numbered[:4] == ("1", "1-2", "1-3", "2-4")
    assert numbered[-3:] == ("25-27", "26-27", "27")
    assert labels(~np.eye(27, dtype=bool)) == tuple(str(i) for i in range(1, 28))


def test_more_groups_than_letters_and_systems_have_no_labels() -> None:
    """Two camps of a and b have a b pairs that do not differ, of which no three fit into one group."""
    assert labels(bipartite(3, 9)) is None  # 27 groups of 12 systems
    assert labels(bipartite(2, 15)) is None  # 30 of 17
    assert labels(bipartite(5, 5)) == letters(bipartite(5, 5))  # 25 of 10
    joined = bipartite(2, 14)  # 28 groups of 16 systems, and 12 more systems that differ from all: 40 of 28
    wide = ~np.eye(28, dtype=bool)
    wide[:16, :16] = joined
    assert labels(wide) is None


def test_a_system_in_groups_that_are_no_neighbours() -> None:
    """Systems 0 and 2 do not differ, nor 0 and 4; 26 others differ from everything."""
    found = labels(alike(30, (0, 2), (0, 4)))
    assert found is not None
    assert found[:6] == ("1-2", "3", "1", "4", "2", "5")
    far = labels(alike(30, (0, 29), (1, 29)))
    assert far is not None
    assert (far[0], far[1], far[2], far[28], far[29]) == ("1", "2", "3", "29", "1-2")
    gap = labels(alike(30, (0, 29), (2, 29)))
    assert gap is not None
    assert gap[29] == "1, 3"


@pytest.mark.parametrize(
    ("numbers", "written"),
    [
        ([5], "5"),
        ([1, 2], "1-2"),
        ([1, 3], "1, 3"),
        ([1, 3, 4, 5, 9, 11, 12], "1, 3-5, 9, 11-12"),
        ([0, 1, 2, 4], "0-2, 4"),
    ],
)
def test_runs_of_numbers(numbers: list[int], written: str) -> None:
    assert _runs(numbers) == written


def test_rank_intervals_name_what_is_wrong() -> None:
    with pytest.raises(InvalidInputError, match=r"^better must be a square matrix"):
        rank_intervals(np.zeros((2, 3), dtype=bool))
    with pytest.raises(InvalidInputError, match=r"^better must be False on the diagonal"):
        rank_intervals(np.eye(2, dtype=bool))


# --- proportions ------------------------------------------------------------------------------


def test_wilson_of_two_numbers_is_two_floats() -> None:
    assert [type(end) for end in wilson(81, 263)] == [float, float]
    low, high = wilson([81, 0], 263)
    assert (low.shape, high.shape) == ((2,), (2,))


# --- lattice ----------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [[], [0.0], [0.0, 0.5, -1.5], [0.0, 7.0]])
def test_multiples_are_whole_numbers(values: list[float]) -> None:
    found = as_lattice(np.array(values))
    assert found is not None
    assert found[1].dtype == np.int64
    assert (found[0] * found[1]).tolist() == values


def test_the_largest_lattices() -> None:
    """4096 values at most, and a step of at least 1e-5 of the largest."""
    most = as_lattice(np.arange(4096.0))
    assert most is not None
    assert most[0] == 1.0
    assert as_lattice(np.arange(4097.0)) is None
    finest = as_lattice(np.array([1.0, 1e5]))
    assert finest is not None
    assert finest[1].tolist() == [1, 100_000]
    assert as_lattice(np.array([1.0, 1e5 + 1.0])) is None


def test_zeros_are_merged() -> None:
    values, counts = merged(np.array([0.0, -0.0, 0.0]), np.array([1, 2, 4]))
    assert (values.tolist(), counts.tolist()) == ([0.0], [7])
    values, counts = merged(np.zeros(3), np.ones(3, dtype=np.int64))
    assert (values.tolist(), counts.tolist()) == ([0.0], [3])


# --- replicability ----------------------------------------------------------------------------


def test_a_claim_by_fisher_at_alpha_itself_is_made() -> None:
    p = [0.01, 0.2, 0.04, 0.6]
    claims = replicability(p).fisher
    assert [replicability(p, alpha=claims[u]).k_fisher for u in range(4)] == [1, 2, 3, 4]


def test_fisher_of_tiny_p_values_is_tiny_and_not_0() -> None:
    """Their product is 1e-400, which no double can be."""
    claims = partial_conjunctions([1e-200, 1e-200, 0.5], "fisher")
    assert claims[0] == sys.float_info.min
    assert claims[2] == pytest.approx(0.5)
    assert partial_conjunctions([0.0, 1e-200], "fisher").tolist() == [
        0.0,
        pytest.approx(1e-200, rel=1e-10, abs=0.0),
    ]


# --- classical tests --------------------------------------------------------------------------


def test_classical_tests_have_their_names() -> None:
    equal, real = [0.5, 0.5], [0.5, 1.5, -0.25]
    found = [mcnemar(3, 1), mcnemar_midp(3, 1), sign(real), wilcoxon(real), paired_t(equal), paired_t(real)]
    assert [test.name for test in found] == ["mcnemar", "mcnemar-midp", "sign", "wilcoxon", "t", "t"]


@pytest.mark.parametrize("block", [1, 6, 12, 1000])
def test_counted_rows_are_repeated_rows(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Statsmodels and SciPy have the rows one by one; ours may be ranked a few at a time."""
    monkeypatch.setattr(classical, "_BLOCK", block)
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 9, 7)
    right, scores = rng.integers(0, 2, (7, 3)), rng.integers(0, 4, (7, 3))
    every = np.repeat(scores, counts, axis=0)
    assert friedman(scores, counts)[0] == pytest.approx(stats.friedmanchisquare(*every.T).statistic)
    assert friedman(scores, counts) == friedman(every)
    expected = cochrans_q(np.repeat(right, counts, axis=0))
    assert cochran_q(right, counts)[0] == pytest.approx(expected.statistic)
    assert cochran_q(right, counts)[2] == pytest.approx(expected.pvalue)


# --- samples ----------------------------------------------------------------------------------


def test_the_runs_drawn_for_a_seed_and_a_name() -> None:
    """Pinned: another order of the bytes of the name, another stream or a later start changes them all."""
    assert samples.drawn_runs(5, 3, 7, "système 2").tolist() == PINNED_RUNS
    assert samples.drawn_runs(5, 2, 7, "système 2").tolist() == PINNED_RUNS[:2]


def test_the_runs_dealt_out_for_a_seed() -> None:
    assert samples._deals(6, 0, 3, 7).tolist() == PINNED_DEALS
    assert samples._deals(6, 1, 3, 7).tolist() == PINNED_DEALS[1:]


def test_paired_improvement_counts_ties_half() -> None:
    a, b = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 2.0, 3.0, 5.0])
    p, interval = improvement.improvement(a, b, 0.9, paired=True)
    assert p == 0.5
    z2 = stats.norm.ppf(0.95) ** 2
    half = math.sqrt(z2) / (1 + z2 / 4) * math.sqrt(0.25 / 4 + z2 / 64)
    assert (interval.low, interval.high) == pytest.approx((0.5 - half, 0.5 + half))


def test_paired_improvement_never_leaves_its_range() -> None:
    for n in range(1, 100):
        for level in (0.5, 0.8, 0.9, 0.95, 0.99):
            won = improvement.improvement(np.ones(n), np.zeros(n), level, paired=True)[1]
            lost = improvement.improvement(np.zeros(n), np.ones(n), level, paired=True)[1]
            z2 = stats.norm.ppf((1 + level) / 2) ** 2
            assert 0.0 <= won.low <= won.high <= 1.0
            assert 0.0 <= lost.low <= lost.high <= 1.0
            assert (won.low, lost.high) == pytest.approx((n / (n + z2), z2 / (n + z2)))


@pytest.mark.parametrize(("paired", "method"), [(True, "wilson"), (False, "newcombe")])
def test_improvement_says_what_it_is(paired: bool, method: str) -> None:
    interval = improvement.improvement(np.array([1.0, 2.0]), np.array([0.0, 3.0]), 0.8, paired=paired)[1]
    assert (interval.level, interval.method, interval.exact) == (0.8, method, True)


def test_paired_effect_size_of_a_textbook() -> None:
    """Borenstein et al. (2009), p. 29: means 103, 100, sd of the differences 5.5, r 0.7, n 50: d 0.4225.

    Bonett's correction for few pairs is the root of 48 / 49.
    """
    u, v = np.tile([-1.0, 1.0], 25), np.r_[np.tile([-1.0, -1.0, 1.0, 1.0], 12), 0.0, 0.0]
    u, v = (x / x.std(ddof=1) for x in (u, v))
    within = 5.5 / math.sqrt(2 * (1 - 0.7))
    a, b = 103 + within * u, 100 + within * (0.7 * u + math.sqrt(1 - 0.7**2) * v)
    g, interval = effect_sizes.effect_size(a, b, 0.95, paired=True)
    assert g == pytest.approx(0.4225 * math.sqrt(48 / 49), abs=5e-5)
    assert (interval.high + interval.low) / 2 == pytest.approx(0.4225, abs=5e-5)
    # Equal variances: (2 + 2 * 0.7**2) / 8 of d**2 / 49, and 2 (1 - 0.7) / 49.
    variance = (0.4225**2 * 2.98 / 8 + 0.6) / 49
    assert ((interval.high - interval.low) / 2 / 1.959964) ** 2 == pytest.approx(variance, abs=5e-6)


def test_paired_effect_size_by_hand() -> None:
    """The root of the mean variance as the unit, n = 3, correction root 1/2; then variances 1, 4, r = 1."""
    a, b = np.array([5.0, 4.0, 3.0]), np.array([4.0, 2.0, 0.0])
    tilted = np.array([3.5, 2.5, 0.0])
    variance = float(tilted.var(ddof=1))
    r = float(np.corrcoef(a, tilted)[0, 1])
    assert r > 0.9
    d = 2.0 / math.sqrt((1 + variance) / 2)
    g, interval = effect_sizes.effect_size(a, tilted, 0.8, paired=True)
    assert g == pytest.approx(math.sqrt(1 / 2) * d)
    mean, both = (1 + variance) / 2, r * math.sqrt(variance)
    squares = (1 + variance**2 + 2 * both**2) / (16 * mean**2), (1 + variance - 2 * both) / (2 * mean)
    half = stats.norm.ppf(0.9) * math.sqrt(d * d * squares[0] + squares[1])
    assert (interval.low, interval.high) == pytest.approx((d - half, d + half))
    # Correlated entirely, the difference of 2 has the variance 1 of b - a; (1 + 16 + 8) / (16 * 2.5^2) = 1/4.
    g, interval = effect_sizes.effect_size(a, b, 0.8, paired=True)
    assert g == pytest.approx(math.sqrt(1 / 2) * 2 / math.sqrt(2.5))
    half = stats.norm.ppf(0.9) * math.sqrt(4 / 2.5 / 4 + 1 / 5)
    assert interval.high - interval.low == pytest.approx(2 * half)


def test_effect_size_of_three_plus_two_runs_by_hand() -> None:
    """Variances 1 and 8, their mean 4.5; J = 1 - 3 / 11."""
    g, interval = effect_sizes.effect_size(np.array([5.0, 6.0, 7.0]), np.array([1.0, 5.0]), 0.9, paired=False)
    d = 3.0 / math.sqrt(4.5)
    assert g == pytest.approx(8 / 11 * d)
    half = stats.norm.ppf(0.95) * math.sqrt(d * d * (1 / 2 + 64 / 1) / (8 * 4.5**2) + (1 / 2 + 8 / 1) / 4.5)
    assert (interval.low, interval.high) == pytest.approx((d - half, d + half))


def test_paired_effect_size_where_rounding_makes_the_differences_vary_less_than_0() -> None:
    rng = np.random.default_rng(0)
    below = 0
    for _ in range(200):
        a = rng.normal(size=4)
        b = a + 1e-10
        covariance = float(((a - a.mean()) * (b - b.mean())).sum()) / 3
        below += float(a.var(ddof=1)) + float(b.var(ddof=1)) < 2.0 * covariance
        g, interval = effect_sizes.effect_size(a, b, 0.95, paired=True)
        assert interval.low <= g <= interval.high <= g + 1e-6
    assert below > 0


def test_two_pairs_have_an_effect_size_though_no_correction() -> None:
    d, interval = effect_sizes.effect_size(np.array([3.0, 5.0]), np.array([1.0, 2.0]), 0.95, paired=True)
    assert d == pytest.approx(2.5 / math.sqrt(1.25))
    assert (interval.low + interval.high) / 2 == pytest.approx(d)


def test_paired_effect_size_where_one_system_never_varies() -> None:
    """d = 2 / sqrt(0.5), variance d^2 / (8 * 2 * 0.5^2) + 1 / (2 * 0.5)."""
    g, interval = effect_sizes.effect_size(np.array([1.0, 2.0, 3.0]), np.zeros(3), 0.95, paired=True)
    d = 2.0 / math.sqrt(0.5)
    assert g == pytest.approx(math.sqrt(1 / 2) * d)
    assert interval.high - d == pytest.approx(stats.norm.ppf(0.975) * math.sqrt(d * d / 4 + 1))


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_effect_size_has_no_unit(scale: float, paired: bool) -> None:
    a, b = np.array([0.8, 0.7, 0.9, 0.75]), np.array([0.6, 0.8, 0.7, 0.65])
    (one, interval), (other, scaled) = (
        effect_sizes.effect_size(c * a, c * b, 0.95, paired=paired) for c in (1.0, scale)
    )
    assert (other, scaled.low, scaled.high) == pytest.approx((one, interval.low, interval.high), rel=1e-9)


@pytest.mark.parametrize("paired", [False, True])
def test_small_variation_has_an_effect_size_and_rounding_has_none(paired: bool) -> None:
    shape, level = np.array([0.0, 1.0, 2.0]), np.array([4.0, 6.0, 5.0])
    large = effect_sizes.effect_size(shape, level, 0.95, paired=paired)[0]
    small = effect_sizes.effect_size(1.0 + 1e-8 * shape, 1.0 + 1e-8 * level, 0.95, paired=paired)[0]
    assert small == pytest.approx(large, rel=1e-6)
    for size in (0.0, 1e-6, 1.0, 1e6):
        rounded = size * np.array([0.1 + 0.2, 0.3, 0.3])
        g, interval = effect_sizes.effect_size(rounded, rounded[::-1], 0.9, paired=paired)
        assert math.isnan(g)
        assert interval is None


@pytest.mark.parametrize("paired", [False, True])
def test_effect_size_says_what_it_is(paired: bool) -> None:
    interval = effect_sizes.effect_size(np.array([1.0, 2.0]), np.array([0.0, 3.0]), 0.8, paired=paired)[1]
    assert (interval.level, interval.method, interval.exact) == (0.8, "normal", True)


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


# --- tests of two samples ---------------------------------------------------------------------

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
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
@pytest.mark.parametrize("alternative", ALTERNATIVES)
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


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_two_samples_permuted_say_what_they_are(
    alternative: Alternative, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = np.array([1.0, 5.0, 6.5]), np.array([2.0, 4.0, 9.0])

    def found() -> TestResult:
        return samples.permutation_test(a, b, "median", alternative, paired=False, n_resamples=400, seed=2)

    exact = found()
    assert (exact.name, exact.alternative, exact.exact, exact.method) == (
        "permutation-2",
        alternative,
        True,
        "enumeration",
    )
    t = 1.0 / (math.hypot(5.5, 7.0) / (2 * stats.norm.isf(0.5**3)))
    assert (exact.statistic, exact.n_resamples) == (pytest.approx(t), 0)
    monkeypatch.setattr(samples, "MOST_SPLITS", 0)
    drawn = found()
    assert (drawn.name, drawn.alternative, drawn.exact, drawn.method) == (
        "permutation-2",
        alternative,
        False,
        "monte carlo",
    )
    assert (drawn.statistic, drawn.n_resamples) == (pytest.approx(t), 400)
    # The deals that are kept for the next pair are those that are not, in blocks of any size.
    monkeypatch.setattr(samples, "MOST_KEPT", 0)
    assert found() == drawn
    monkeypatch.setattr(samples, "_BLOCK", 7 * 6)
    assert found() == drawn


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
    monkeypatch.setattr(samples, "_BLOCK", 100)
    monkeypatch.setattr(samples, "MOST_KEPT", 0)
    found = samples.permutation_test(a, b, "median", "less", paired=paired, n_resamples=500, seed=0)
    assert found.p_value == ps[0]


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("n", [6, 25])
@pytest.mark.parametrize("kept", [samples.MOST_KEPT, 0])
def test_ties_are_ties_on_any_scale(n: int, paired: bool, kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Multiples of 0.1, and the same above a million, where their differences are rounded to ten digits."""
    monkeypatch.setattr(samples, "MOST_KEPT", kept)
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
    p, of_a, of_b = improvement.placements(np.array([2.0, 6.0]), np.array([2.0, 2.0, 5.0]))
    assert p == pytest.approx((1 / 3 + 1) / 2)
    assert of_a.tolist() == pytest.approx([1 / 3, 1.0])
    assert of_b.tolist() == pytest.approx([0.75, 0.75, 0.5])


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_brunner_munzel_with_ties_against_scipy(alternative: Alternative) -> None:
    a, b = np.array([1.0, 2.0, 2.0, 4.0, 5.0]), np.array([0.0, 2.0, 3.0, 0.0])
    found = improvement.brunner_munzel(a, b, alternative)
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
    assert locations.difference_error(a[:1], b[:1], "median", paired=True) is None
    for one, other in ((a[:1], b), (a, b[:1]), (a[:1], b[:1])):
        assert locations.difference_error(one, other, "mean", paired=False) is None


def test_paired_t_of_interquartile_means_by_hand() -> None:
    """Of four runs two are kept; winsorized a: 2 2 3 3, b: 1 3 3 1, differences 1 -1 0 2, their mean 1/2."""
    a, b = np.array([0.0, 2.0, 3.0, 9.0]), np.array([1.0, 8.0, 3.0, -5.0])
    error = math.sqrt((0.5**2 + 1.5**2 + 0.5**2 + 1.5**2) / 2)
    assert locations.difference_error(a, b, "iqm", paired=True) == (pytest.approx(error), 1.0)
    found = samples.t_test(a, b, "iqm", "greater", paired=True)
    assert found is not None
    assert found.statistic == pytest.approx(0.5 / error)
    assert found.p_value == pytest.approx(stats.cauchy.sf(0.5 / error))


def test_a_paired_trimmed_difference_without_variance_has_the_p_of_its_signs() -> None:
    a = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    ps = [samples.t_test(a + 1.0, a, "trimmed_mean", side, paired=True) for side in ALTERNATIVES]
    assert [test.p_value for test in ps if test is not None] == [2 / 32, 1 / 32, 1.0]


def test_a_t_interval_says_what_it_is() -> None:
    interval = samples.t_interval(1.0, 0.5, 4.0, 0.9, "yuen")
    assert (interval.level, interval.method, interval.exact) == (0.9, "yuen", True)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_wilcoxon_says_what_it_is(alternative: Alternative) -> None:
    none = wilcoxon([0.0, 0.0], alternative)
    assert (none.name, none.alternative, none.exact, none.method) == (
        "wilcoxon",
        alternative,
        True,
        "convolution",
    )
    d = np.random.default_rng(2).integers(-3, 5, 400).astype(float)
    many = wilcoxon(d, alternative)
    assert (many.name, many.alternative, many.exact, many.method) == (
        "wilcoxon",
        alternative,
        False,
        "asymptotic",
    )
    ranks = stats.rankdata(np.abs(d[d != 0.0]))
    assert many.statistic == pytest.approx(float((ranks * np.sign(d[d != 0.0])).sum()), rel=1e-12)


def test_omnibus_tests_name_what_is_no_array() -> None:
    for test in (cochran_q, friedman):
        with pytest.raises(InvalidInputError, match=r"\bx\b"):
            test([[1.0, 0.0], [1.0]])


def test_t_without_error() -> None:
    """p is the least there is on the side of the difference and 1 on the other; twice the least for both."""
    for difference, ps in ((2.0, (0.25, 0.125, 1.0)), (-2.0, (0.25, 1.0, 0.125)), (0.0, (1.0, 1.0, 1.0))):
        found = [samples.t_result("t", difference, 0.0, 3.0, side, 0.125, 2.0) for side in ALTERNATIVES]
        assert tuple(test.p_value for test in found) == ps
        assert [test.alternative for test in found] == list(ALTERNATIVES)
        expected = math.copysign(math.inf, difference) if difference else 0.0
        assert {(test.name, test.exact, test.method, test.statistic) for test in found} == {
            ("t", True, "enumeration", expected)
        }
    assert samples.t_result("t", 0.0, 0.0, 3.0, "two-sided").p_value == 1.0
    assert samples.t_result("t", 1.0, 0.0, 3.0, "two-sided").p_value == 0.0  # unless a least p is given


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_t_with_an_error(alternative: Alternative) -> None:
    found = samples.t_result("yuen", 1.0, 0.5, 1.0, alternative)
    sides = {"two-sided": 2 * stats.cauchy.sf(2), "greater": stats.cauchy.sf(2), "less": stats.cauchy.cdf(2)}
    assert found.p_value == pytest.approx(sides[alternative])
    assert (found.name, found.alternative, found.exact, found.method, found.statistic) == (
        "yuen",
        alternative,
        False,
        "asymptotic",
        2.0,
    )


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


# --- the tails of classical tests -------------------------------------------------------------


@pytest.mark.parametrize("n", [5, 30, 60, 200])
def test_wilcoxon_keeps_its_digits_far_out_on_either_side(n: int) -> None:
    """All ranks on one side have probability 2^-n, and all but that of rank 1 as much again."""
    d = np.arange(1.0, n + 1.0)
    assert wilcoxon(d, "greater").p_value == pytest.approx(0.5**n, rel=1e-12, abs=0.0)
    assert wilcoxon(-d, "less").p_value == pytest.approx(0.5**n, rel=1e-12, abs=0.0)
    d[0] = -1.0
    assert wilcoxon(d, "greater").p_value == pytest.approx(2 * 0.5**n, rel=1e-12, abs=0.0)
    assert wilcoxon(-d).p_value == pytest.approx(4 * 0.5**n, rel=1e-12, abs=0.0)


def test_mid_p_on_the_wrong_side_of_a_clean_sweep() -> None:
    for m in (1, 3, 5):
        assert mcnemar_midp(m, 0, "less").p_value == pytest.approx(1.0 - 0.5**m / 2, rel=1e-14)
        assert mcnemar_midp(0, m, "greater").p_value == pytest.approx(1.0 - 0.5**m / 2, rel=1e-14)


def test_how_the_classical_tests_were_made() -> None:
    real = [0.5, 1.5, -0.25]
    found = [mcnemar(3, 1), mcnemar_midp(3, 1), sign(real), wilcoxon(real), paired_t(real)]
    assert [(test.exact, test.method) for test in found] == [
        *[(True, "binomial")] * 3,
        (True, "convolution"),
        (False, "asymptotic"),
    ]


# --- ranking ----------------------------------------------------------------------------------


def test_the_f_of_iman_and_davenport_by_hand() -> None:
    """Chi-squared 14/3 of three systems on three datasets: 2 (14/3) / (6 - 14/3) = 7."""
    found = ranking.friedman([[3, 2, 1], [3, 1, 2], [3, 2, 1]])
    assert (found.statistic, found.f) == (pytest.approx(14 / 3), pytest.approx(7.0))
    assert (found.df, found.df_within) == (2, 4)
    assert found.p_f == pytest.approx(stats.f.sf(7.0, 2, 4))


@pytest.mark.parametrize(("n", "k"), [(2, 3), (3, 4), (4, 4), (5, 3), (6, 3), (7, 3), (9, 2), (2, 5)])
def test_the_exact_p_over_all_orders_of_every_dataset(n: int, k: int) -> None:
    """Rank sums of every combination of orders, ties and all; that of the first dataset may stay."""
    rng = np.random.default_rng([n, k])
    for most in (k, 100):  # with ties and without
        x = rng.integers(0, most, (n, k)).astype(float)
        ranks = stats.rankdata(x, axis=1)
        sums = ranks[:1]
        for row in ranks[1:]:
            orders = np.array(list(itertools.permutations(row)))
            sums = (sums[:, None, :] + orders).reshape(-1, k)
        spread = ((sums - n * (k + 1) / 2) ** 2).sum(axis=1)
        observed = ((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum()
        assert ranking.friedman(x).p_exact == pytest.approx((spread >= observed - 1e-9).mean(), rel=1e-12)


def test_up_to_how_many_systems_the_p_is_exact() -> None:
    """Two datasets that agree on seven systems do so in one order out of 7!."""
    assert ranking.friedman([range(7)] * 2).p_exact == pytest.approx(1 / math.factorial(7))
    assert ranking.friedman([range(8)] * 2).p_exact is None


def test_no_dataset_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="scores must have a row per dataset"):
        ranking.average_ranks(np.zeros((0, 3)))
    with pytest.raises(InvalidInputError, match=r"\bscores\b"):
        ranking.average_ranks([[1.0, 2.0], [1.0]])


def test_holm_ranks_has_ones_on_the_diagonal() -> None:
    for baseline in (None, 1):
        assert ranking.holm_ranks([1.5, 2.0, 2.5], 12, baseline).diagonal().tolist() == [1.0] * 3


@pytest.mark.parametrize(
    ("k", "five", "ten"),
    [(2, 1.960, 1.645), (3, 2.343, 2.052), (4, 2.569, 2.291), (7, 2.949, 2.693), (10, 3.164, 2.920)],
)
def test_critical_values_of_a_table(k: int, five: float, ten: float) -> None:
    """Demsar (2006), Table 5 (a), the two-tailed Nemenyi test; the level is 5 % where none is given."""
    scale = math.sqrt(k * (k + 1) / (6 * 14))
    assert ranking.critical_difference(k, 14) / scale == pytest.approx(five, abs=1.1e-3)
    assert ranking.critical_difference(k, 14, 0.1) / scale == pytest.approx(ten, abs=1.1e-3)


def test_critical_differences_at_odd_levels() -> None:
    """Of two systems the range over sqrt(2) is a normal variable."""
    for alpha in (0.99, 0.9, 0.5, 1e-6):
        expected = float(stats.norm.isf(alpha / 2)) * ranking.rank_scale(2, 10)
        assert ranking.critical_difference(2, 10, alpha) == pytest.approx(expected, rel=1e-6)
    with pytest.raises(InvalidInputError, match=r"^alpha must lie"):
        ranking.critical_difference(4, 14, 1.0)


def test_a_range_of_nothing_is_exceeded_for_certain() -> None:
    for k in (2, 3, 10, 50):
        assert ranking.studentized_range_sf(0.0, k) == 1.0
        for q in (1e-300, 1e-12, 1e-6, 1e-3):
            assert 1.0 - 1e-2 < ranking.studentized_range_sf(q, k) <= 1.0


# --- effective units --------------------------------------------------------------------------


def test_effective_units_by_hand() -> None:
    """(sum u^2)^2 / sum u^4, u the deviations from the mean, of each stratum its own."""
    left_out, once = np.array([1.0, 2.0, 6.0]), np.ones(3, dtype=np.int64)
    assert effective_units(left_out, once) == pytest.approx((4 + 1 + 9) ** 2 / (16 + 1 + 81))
    for unit in (1e-100, 1e-9, 1e100):
        assert effective_units(unit * left_out, once) == pytest.approx(2.0)
    # Each unit four times: four times as many, and those of a stratum that never varies are none.
    assert effective_units(left_out, 4 * once) == pytest.approx(8.0)
    strata = np.array([5.0, 5.0, 1.0, 2.0, 6.0])
    assert effective_units(strata, np.ones(5, dtype=np.int64), np.array([0, 2, 5])) == pytest.approx(2.0)


def test_no_effective_units() -> None:
    once = np.ones(3, dtype=np.int64)
    assert effective_units(np.array([1.0, math.nan, 2.0]), once) == 0.0
    assert effective_units(np.array([1.0, math.inf, 2.0]), once) == 0.0
    assert effective_units(np.full(3, 0.7), once) == 0.0
    assert effective_units(np.zeros(3), once) == 0.0
    assert effective_units(np.array([1e3, 1e3 + 1e-12, 1e3]), once) == 0.0  # rounding
    assert effective_units(1.0 + 1e-9 * np.array([1.0, 2.0, 6.0]), once) == pytest.approx(2.0, rel=1e-6)
