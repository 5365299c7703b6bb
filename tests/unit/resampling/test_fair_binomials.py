"""Fair binomial draws have the binomial distribution, and each depends on its replicate alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from bestby.resampling import fair_binomials, streams
from bestby.resampling.fair_binomials import FairBinomials

COUNTS = np.array([0, 1, 2, 7, 8, 9, 16, 17, 32, 33, 64, 65, 100, 257, 1_000, 10_001, 300_000, 1 << 31])
KEYS = streams.replicate_keys(streams.stream_key(3, "swap"), 0, 40_000)


@pytest.fixture(scope="module")
def drawn() -> np.ndarray:
    """Draws of all the counts together, shape (C, R)."""
    return FairBinomials(COUNTS).draws(KEYS)


@pytest.mark.parametrize("n", [65, 66, 100, 257, 1_000, 1_001])
def test_the_alias_table_holds_the_exact_probabilities(n: int) -> None:
    least, limits, aliases = fair_binomials._table(n)
    places = limits.size
    own = np.ldexp(limits.astype(np.float64), places.bit_length() - 1 - 64)
    mass = np.bincount(np.arange(places), own, places) + np.bincount(aliases, 1.0 - own, places)
    exact = [math.comb(n, k) / (1 << n) for k in range(n + 1)]
    held = np.zeros(n + 1)
    size = min(places, n + 1 - least)
    held[least : least + size] = mass[:size] / places
    assert np.abs(held - exact).sum() < 1e-13
    assert mass[size:].sum() < 1e-13  # places beyond the values are never drawn
    outside = [*exact[:least], *exact[n + 1 - least :]]
    assert math.fsum(outside) < 1e-21


@pytest.mark.parametrize("n", [65, 100, 1_001, 40_000])
def test_a_word_takes_the_value_of_its_place_or_its_alias(n: int) -> None:
    least, limits, aliases = fair_binomials._table(n)
    bits = limits.size.bit_length() - 1
    first = np.arange(limits.size, dtype=np.uint64) << np.uint64(64 - bits)
    for steps in (0, 1):  # the first word of a place and the next, the last of its own and the one after
        low = np.uint64(steps)
        for part in (np.zeros_like(limits) + low, limits - np.uint64(1) + low):
            inside = part < np.uint64(1 << (64 - bits))  # a place without a limit, or one without an alias
            word, own = (first + part)[inside], (part < limits)[inside]
            expected = np.where(own, np.arange(limits.size)[inside], aliases[inside]) + least
            assert (
                fair_binomials._Tables.of([n], np.float64).draws(word[None], slice(0, 1))[0] == expected
            ).all()


@pytest.mark.parametrize("n", [10**6, 10**6 + 1, 10**8])
def test_large_tables_have_the_distribution_function_of_scipy(n: int) -> None:
    least, mass = fair_binomials.probabilities(n)
    assert mass.size == n + 1 - 2 * least
    assert (mass == mass[::-1]).all()
    values = least + np.linspace(0, mass.size - 1, 50).astype(np.int64)
    assert np.cumsum(mass)[values - least] == pytest.approx(stats.binom.cdf(values, n, 0.5), abs=1e-10)
    assert 2.0 * stats.binom.cdf(least - 1, n, 0.5) < 1e-21


def test_every_draw_of_few_units_counts_bits() -> None:
    for n, width in ((1, 8), (7, 8), (8, 8), (9, 16), (31, 32), (64, 64)):
        words = streams.words_by_position(KEYS[:20], 0, 1)
        per_word = 64 // width
        found = FairBinomials(np.full(per_word, n)).draws(KEYS[:20])
        for r, word in enumerate(words[0].tolist()):
            parts = [(word >> (width * part)) & ((1 << n) - 1) for part in range(per_word)]
            assert found[:, r].tolist() == [part.bit_count() for part in parts]


def test_draws_fit_the_binomial_distribution(drawn: np.ndarray) -> None:
    """Chi-square of 40,000 draws in up to 60 groups of equal chance; each fails once in 10^5."""
    for n, draws in zip(COUNTS[1:].tolist(), drawn[1:], strict=True):
        binomial = stats.binom(n, 0.5)
        ends = np.unique(binomial.ppf(np.arange(1, 60) / 60.0))
        expected = np.diff(np.concatenate([[0.0], binomial.cdf(ends), [1.0]]))
        observed = np.bincount(np.searchsorted(ends, draws), minlength=expected.size)
        kept = expected > 0.0
        statistic = ((observed - KEYS.size * expected)[kept] ** 2 / (KEYS.size * expected[kept])).sum()
        assert stats.chi2.sf(statistic, kept.sum() - 1) > 1e-5
        assert (draws == np.rint(draws)).all()
    assert (drawn[0] == 0.0).all()


def test_means_variances_and_tails(drawn: np.ndarray) -> None:
    """Each within five standard errors; each fails once in 10^6."""
    for n, draws in zip(COUNTS[1:].tolist(), drawn[1:], strict=True):
        z = (draws - 0.5 * n) / (0.5 * math.sqrt(n))
        assert abs(z.mean()) < 5.0 / math.sqrt(KEYS.size)
        kurtosis = 3.0 - 2.0 / n
        assert abs((z**2).mean() - 1.0) < 5.0 * math.sqrt((kurtosis - 1.0) / KEYS.size) + 1e-12
        beyond = 2.0 * stats.binom.cdf(math.ceil(0.5 * n - 1.5 * math.sqrt(n)) - 1, n, 0.5)
        tolerance = 5.0 * math.sqrt(max(beyond, 1.0 / KEYS.size) / KEYS.size)
        assert abs((np.abs(z) > 3.0).mean() - beyond) < tolerance


def test_draws_of_different_numbers_and_replicates_are_unrelated(drawn: np.ndarray) -> None:
    """Correlations of 40,000 draws are below 5.5 of their standard errors."""
    rows = drawn[1:]
    limit = 5.5 / math.sqrt(KEYS.size)
    assert (np.abs(np.corrcoef(rows) - np.eye(len(rows))) < limit).all()
    for lag in (1, 2, 64):
        assert all(abs(np.corrcoef(row[:-lag], row[lag:])[0, 1]) < limit for row in rows)


@pytest.mark.parametrize("size", [1, 7, 999])
def test_blocks_change_no_draw(size: int, drawn: np.ndarray) -> None:
    binomials = FairBinomials(COUNTS)
    for first in (0, 5, 20_000):
        assert (binomials.draws(KEYS[first : first + size]) == drawn[:, first : first + size]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_draws_side_by_side_are_the_same_in_another_order(
    dtype: type[np.floating], drawn: np.ndarray
) -> None:
    for counts in (COUNTS, COUNTS[:3], COUNTS[-3:], np.repeat([1, 40, 3, 9, 1, 70], 13)):
        binomials = FairBinomials(counts, dtype)
        found = binomials.side_by_side(KEYS[:70])
        assert found.dtype == dtype
        assert sorted(binomials.order.tolist()) == list(range(counts.size))
        assert (found == binomials.draws(KEYS[:70])[binomials.order].T).all()


def test_the_draws_of_a_seed_are_pinned() -> None:
    """They must be the same in every version, or p-values change."""
    found = FairBinomials(np.array([3, 8, 20, 50, 90, 5_000])).draws(KEYS[:3])
    assert found.T.tolist() == [
        [2, 3, 11, 25, 52, 2447],
        [2, 4, 10, 27, 49, 2514],
        [2, 4, 12, 26, 47, 2492],
    ]
