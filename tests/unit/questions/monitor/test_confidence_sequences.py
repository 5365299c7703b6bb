"""Bets are a fair game at the true mean; sequences have the published numbers and hold at every look."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestby.questions.monitor.confidence_sequences import (
    FRACTIONS,
    SHARES,
    Before,
    Units,
    asymptotic_interval,
    beta_binomial_interval,
    betting_interval,
    log_capital,
    log_factors,
    logical_bounds,
    normal_mixture_bound,
    single,
)

UNIT = (0.0, 1.0)


def capital(units: Units, mean: float, bounds: tuple[float, float], n: int | None = None) -> list[float]:
    """Return the capital of both sides."""
    logs = log_capital(log_factors(units, np.array([mean]), bounds, n))[:, 0, 0]
    return [float(x) for x in np.exp(logs)]


def plainly(values: list[float], mean: float, bounds: tuple[float, float], n: int | None) -> list[float]:
    """Return the same by plain loops."""
    found = []
    for side in (1, -1):
        total = 0.0
        for fraction, share in zip(FRACTIONS, SHARES, strict=True):
            stake, drawn = 1.0, 0.0
            for count, x in enumerate(values):
                m = mean if n is None else (n * mean - drawn) / (n - count)
                room = m - bounds[0] if side == 1 else bounds[1] - m
                stake *= 1.0 + fraction * side * (x - m) / room
                drawn += x
            total += share * stake
        found.append(total)
    return found


@pytest.mark.parametrize("n", [None, 20])
def test_capital_against_plain_loops(n: int | None) -> None:
    values = np.random.default_rng(0).uniform(-0.4, 0.9, 12)
    found = capital(single(values), 0.2, (-1.0, 1.0), n)
    assert found == pytest.approx(plainly(values.tolist(), 0.2, (-1.0, 1.0), n), rel=1e-12)
    assert SHARES.sum() == pytest.approx(1.0)


def test_independent_bets_are_fair() -> None:
    """The expected capital after five items of two values is 1, by full enumeration."""
    p, total = 0.3, np.zeros(2)
    for draws in itertools.product((0.0, 1.0), repeat=5):
        chance = math.prod(p if x else 1.0 - p for x in draws)
        total += chance * np.array(capital(single(draws), p, UNIT))
    assert total == pytest.approx([1.0, 1.0], rel=1e-12)


def test_bets_without_replacement_are_fair() -> None:
    """The mean capital over all orders of six items is 1, after each number of them."""
    bank = [0.0, 0.1, 0.4, 0.4, 0.9, 1.0]
    mean = sum(bank) / 6
    for drawn in (1, 3, 5):
        found = [capital(single(order), mean, UNIT, 6) for order in itertools.permutations(bank, drawn)]
        assert np.mean(found, axis=0) == pytest.approx([1.0, 1.0], rel=1e-12)


def test_bets_on_whole_clusters_without_replacement_are_fair() -> None:
    """Clusters whose mean grows with their size: the bets are about the mean of the items."""
    clusters = [(0.0, 1), (0.5, 2), (1.0, 4), (0.2, 3)]
    sizes = np.array([size for _, size in clusters])
    mean = sum(x * size for x, size in clusters) / sizes.sum()
    found = []
    for order in itertools.permutations(range(4), 3):
        values = np.array([[clusters[i][0]] for i in order])
        units = Units(values, sizes[list(order)], sizes[list(order)] / 4.0)
        found.append(capital(units, mean, UNIT, int(sizes.sum())))
    assert np.mean(found, axis=0) == pytest.approx([1.0, 1.0], rel=1e-12)


@pytest.mark.parametrize("n", [None, 40])
def test_blocks_are_the_same_as_all_at_once(n: int | None) -> None:
    units = single(np.random.default_rng(1).random(30))
    means = np.array([0.4, 0.5, 0.7])
    whole = log_factors(units, means, UNIT, n)
    first = units.part(0, 13)
    before = Before(0, np.zeros(1)).after(first)
    parts = log_factors(first, means, UNIT, n) + log_factors(units.part(13, 30), means, UNIT, n, before)
    assert parts == pytest.approx(whole, rel=1e-10)


def test_an_impossible_mean_is_lost_at_once() -> None:
    """Of 10 items the first 9 are 1: the mean is at least .9, whatever the last one is."""
    logs = log_capital(log_factors(single([1.0] * 9 + [0.0]), np.array([0.85, 0.9]), UNIT, 10))
    assert logs[0, 0, 0] == math.inf
    assert logs[0, 1, 0] < math.inf


@given(
    values=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=60),
    extra=st.integers(0, 40),
    level=st.sampled_from([0.5, 0.9, 0.99]),
)
def test_an_interval_lies_within_what_is_possible(values: list[float], extra: int, level: float) -> None:
    n, total = len(values) + extra, sum(values)
    for population in (None, n):
        low, high = betting_interval(single(values), UNIT, 1.0 - level, population)
        assert 0.0 <= low <= total / len(values) + 1e-6
        assert total / len(values) - 1e-6 <= high <= 1.0 or population == n
        assert low <= high
        if population == n:
            assert low >= total / n - 1e-9
            assert high <= (total + extra) / n + 1e-9
            if extra == 0:
                assert (low, high) == pytest.approx((total / n, total / n))


@given(values=st.lists(st.floats(0.0, 1.0), min_size=2, max_size=40))
def test_mirrored_values_give_the_mirrored_interval(values: list[float]) -> None:
    low, high = betting_interval(single(values), UNIT, 0.1)
    mirrored = betting_interval(single([1.0 - x for x in values]), UNIT, 0.1)
    assert mirrored == pytest.approx((1.0 - high, 1.0 - low), abs=1e-6)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_other_units(scale: float) -> None:
    values = np.random.default_rng(2).random(80)
    low, high = betting_interval(single(values), UNIT, 0.05)
    found = betting_interval(single(scale * (values - 3.0)), (-3.0 * scale, -2.0 * scale), 0.05)
    assert np.array(found) / scale + 3.0 == pytest.approx([low, high], abs=1e-6)


@pytest.mark.parametrize("population", [None, 400])
def test_the_interval_misses_at_most_one_in_twenty(population: int | None) -> None:
    """1000 sequences looked at after each of 300 items: the error is below .05 but for chance 1e-4."""
    rng = np.random.default_rng(4)
    if population is None:
        values = rng.choice([-1.0, 0.0, 1.0], size=(300, 1000), p=[0.1, 0.8, 0.1])
    else:
        bank = np.repeat([-1.0, 0.0, 1.0], [40, 320, 40])
        values = rng.permuted(np.repeat(bank[:, None], 1000, axis=1), axis=0)[:300]
    logs, before = np.zeros((2, 1, 1000, FRACTIONS.size)), Before(0, np.zeros(1000))
    missed = np.zeros(1000, dtype=bool)
    for row in values:
        units = Units(row[None, :], np.ones(1, dtype=np.int64), np.ones(1))
        logs += log_factors(units, np.zeros(1), (-1.0, 1.0), population, before)
        missed |= (log_capital(logs) >= math.log(40.0)).any(axis=(0, 1))
        before = before.after(units)
    assert 0.003 < missed.mean() < 0.05 + 3.7 * math.sqrt(0.05 * 0.95 / 1000)


def test_few_items_are_needed_for_differences_of_four_and_eight_points() -> None:
    """Two 0/1 systems that differ on a tenth of the items: medians of at most 576 and 142 items."""
    rng = np.random.default_rng(5)
    for points, most in ((0.04, 576), (0.08, 142)):
        share = [(0.1 - points) / 2, 0.9, (0.1 + points) / 2]
        values = rng.choice([-1.0, 0.0, 1.0], size=(3 * most, 300), p=share)
        logs, stop = np.zeros((2, 1, 300, FRACTIONS.size)), np.full(300, np.inf)
        for start in range(0, len(values), 2):
            part = values[start : start + 2]
            units = Units(part, np.ones(len(part), dtype=np.int64), np.ones(len(part)))
            logs += log_factors(units, np.zeros(1), (-1.0, 1.0))
            won = (log_capital(logs)[0, 0] >= math.log(40.0)) & np.isinf(stop)
            stop[won] = start + 2
        assert np.median(stop) <= most


@pytest.mark.parametrize("population", [None, 2, 1])
@pytest.mark.parametrize(
    "values",
    [[1.0] * 30, [-1.0] * 30, [0.0] * 30, [1.0, 0.0, 0.0, -1.0, 0.5] * 200, [0.0] * 999 + [1.0], [1.0, -1.0]],
)
def test_each_end_is_next_to_a_mean_that_is_rejected(values: list[float], population: int | None) -> None:
    """The means a hair inside of an end are not rejected; the end is, unless nothing beyond is possible."""
    units, n = single(values), len(values)
    items = None if population is None else population * n + (population == 1)
    low, high = betting_interval(units, (-1.0, 1.0), 0.05, items)
    if high - low <= 4e-7:
        return
    least, most = logical_bounds(Before(0, np.zeros(1)).after(units), (-1.0, 1.0), items)
    means = np.array([low, low + 2.1e-7, high - 2.1e-7, high])
    capital = log_capital(log_factors(units, means, (-1.0, 1.0), items))[:, :, 0]
    wins = math.log(2.0 / 0.05)
    assert capital[0, 1] < wins
    assert capital[1, 2] < wins
    assert low == least or capital[0, 0] >= wins
    assert high == most or capital[1, 3] >= wins


def test_a_normal_mixture_bound() -> None:
    """The number of issue 21, after Howard et al. (2021)."""
    assert normal_mixture_bound(100.0, 0.05, 100.0) == pytest.approx(30.35209, abs=5e-6)


@pytest.mark.parametrize(
    ("successes", "trials", "t_opt", "low", "high"),
    [(700, 1000, 100, 0.651629, 0.745949), (15, 50, 50, 0.129556, 0.511896)],
)
def test_beta_binomial_intervals(successes: int, trials: int, t_opt: int, low: float, high: float) -> None:
    """The numbers of issue 21, which are cut off after six digits."""
    ends = beta_binomial_interval(successes, trials, 0.05, t_opt)
    assert [math.floor(1e6 * end) / 1e6 for end in ends] == [low, high]


def test_beta_binomial_intervals_at_the_edges() -> None:
    assert beta_binomial_interval(0, 0, 0.05, 50) == (0.0, 1.0)
    low, high = beta_binomial_interval(0, 50, 0.05, 50)
    assert low == 0.0
    assert 0.05 < high < 0.15
    mirrored = beta_binomial_interval(50, 50, 0.05, 50)
    assert mirrored == (pytest.approx(1.0 - high, abs=1e-9), 1.0)


def test_a_mixture_is_tightest_near_where_it_was_asked_to_be() -> None:
    at = {v_opt: normal_mixture_bound(100.0, 0.05, v_opt) for v_opt in (1.0, 10.0, 100.0, 1000.0, 10_000.0)}
    assert min(at, key=at.__getitem__) == 100.0


def test_the_asymptotic_sequence_misses_at_most_one_in_twenty() -> None:
    """2000 sequences of 300 to 1500 normal items: the error is below .05 but for chance 1e-4."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(1500, 2000))
    n = np.arange(1, 1501)[:, None]
    mean = np.cumsum(values, axis=0) / n
    deviation = np.sqrt(np.cumsum(values**2, axis=0) / n - mean**2)
    missed = np.zeros(2000, dtype=bool)
    for last in range(300, 1501, 10):
        low, high = asymptotic_interval(mean[last - 1], deviation[last - 1], last, 0.05, 750.0)
        missed |= (low > 0.0) | (high < 0.0)
    assert 0.005 < missed.mean() < 0.05 + 3.7 * math.sqrt(0.05 * 0.95 / 2000)
