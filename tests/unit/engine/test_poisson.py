"""Poisson weights belong to the items: any division and order of them gives the same resamples."""

from __future__ import annotations

import hashlib
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.unit.item_keys import item_keys

from bestby.engine import poisson
from bestby.resampling import streams

IDS = [f"q{i}" for i in range(600)]
KEYS = item_keys(IDS)
MASK = (1 << 64) - 1


def _mixed(z: int) -> int:
    """SplitMix64's finaliser in plain integers (Steele, Lea & Flood 2014)."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def _word(item: str, seed: int, purpose: str, block: int) -> int:
    digest = hashlib.md5(item.encode()).digest()
    key = int(streams.stream_key(seed, purpose))
    of_block = _mixed((key + block * 0xD1342543DE82EF95) & MASK)
    return _mixed((of_block + int.from_bytes(digest[8:], "little") * 0x9E3779B97F4A7C15) & MASK)


def _weight(bits: int) -> int:
    """The quantile of the Poisson distribution, by adding up its mass."""
    k, reached = 0, round(math.exp(-1.0) * 65536)
    while bits >= reached:
        k += 1
        reached = round(sum(math.exp(-1.0) / math.factorial(j) for j in range(k + 1)) * 65536)
    return k


def test_weights_against_a_plain_loop() -> None:
    drawn = poisson.weights(KEYS[:20], 5, 0, 11)
    for b in range(11):
        for i, name in enumerate(IDS[:20]):
            bits = (_word(name, 5, "bootstrap", b // 4) >> (16 * (b % 4))) & 0xFFFF
            assert drawn[i, b] == _weight(bits)


def test_swaps_against_a_plain_loop() -> None:
    drawn = poisson.swap_bits(KEYS[:5], 5, 0, 130)
    for b in range(130):
        for i, name in enumerate(IDS[:5]):
            assert drawn[i, b] == (_word(name, 5, "swap", b // 64) >> (b % 64)) & 1


@given(
    st.permutations(range(40)),
    st.integers(0, 90),
    st.integers(1, 90),
    st.lists(st.integers(1, 39), unique=True, max_size=5),
)
def test_weights_are_those_of_the_items_however_divided(
    order: list[int], first: int, count: int, cuts: list[int]
) -> None:
    keys = KEYS[:40]
    for draw in (poisson.weights, poisson.swap_bits):
        whole = draw(keys, 3, 0, 200)[:, first : first + count]
        parts = [draw(part, 3, first, count) for part in np.split(keys[list(order)], sorted(cuts))]
        assert (np.concatenate(parts) == whole[list(order)]).all()


@given(st.permutations(range(60)), st.lists(st.integers(1, 59), unique=True, max_size=6))
def test_totals_of_whole_numbers_are_the_same_however_divided(order: list[int], cuts: list[int]) -> None:
    keys, X = KEYS[:60], np.arange(120.0).reshape(60, 2)
    for add in (poisson.add_weighted, poisson.add_swapped):
        whole, parts = np.zeros((70, 2)), np.zeros((70, 2))
        add(whole, X, keys, 1)
        for rows in np.split(np.array(order), sorted(cuts)):
            add(parts, X[rows], keys[rows], 1)
        assert (whole == parts).all()


def test_weights_have_the_poisson_distribution() -> None:
    """Chi-squared of 600 x 400 weights; a right stream fails once in 10^6 seeds."""
    from scipy import stats

    drawn = np.bincount(poisson.weights(KEYS, 0, 0, 400).ravel(), minlength=7)
    expected = 240_000 * np.array([math.exp(-1.0) / math.factorial(k) for k in range(6)])
    observed = np.append(drawn[:6], drawn[6:].sum())
    assert stats.chisquare(observed, np.append(expected, 240_000 - expected.sum())).pvalue > 1e-6
    mean = np.arange(drawn.size) @ drawn / 240_000
    assert abs(mean - 1.0) < 5.0 / math.sqrt(240_000)


def test_another_seed_and_another_id_are_other_weights() -> None:
    one = poisson.weights(KEYS, 0, 0, 40)
    assert np.corrcoef(one.ravel(), poisson.weights(KEYS, 1, 0, 40).ravel())[0, 1] < 0.05
    other = poisson.weights(item_keys(f"r{i}" for i in range(600)), 0, 0, 40)
    assert np.corrcoef(one.ravel(), other.ravel())[0, 1] < 0.05


def test_the_table_of_weights_is_the_quantile_function() -> None:
    """Each weight k has the 16 bits from 65536 F(k - 1) to 65536 F(k), rounded; F is that of SciPy."""
    table = poisson._quantiles()
    assert (table.dtype, table.shape) == (np.uint8, (1 << 16,))
    assert (np.diff(table.astype(int)) >= 0).all()
    ends = np.rint(stats.poisson(1.0).cdf(np.arange(9)) * 65536)
    assert np.bincount(table, minlength=9).tolist() == np.diff(ends, prepend=0).tolist()
    assert (table == poisson.WEIGHTS).all()


@pytest.mark.parametrize("add", [poisson.add_weighted, poisson.add_swapped])
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(("replicates", "at_once"), [(128, 16), (1024, 512)])
def test_poisson_totals_are_those_of_the_weights(
    add: poisson.Add, n_jobs: int, replicates: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many are held at once; and they are added to what is there."""
    pools: list[int] = []

    def pool(n: int) -> ThreadPoolExecutor:
        pools.append(n)
        return ThreadPoolExecutor(n)

    monkeypatch.setattr(poisson, "ThreadPoolExecutor", pool)
    monkeypatch.setattr(poisson, "_ITEMS", at_once)
    monkeypatch.setattr(poisson, "_REPLICATES", replicates)
    items = item_keys(range(41))
    X = np.random.default_rng(1).integers(-50, 50, (41, 2)).astype(float)
    draw = poisson.weights if add is poisson.add_weighted else poisson.swap_bits
    out = np.full((301, 2), 5.0)
    add(out, X, items, 8, **({} if n_jobs == 1 else {"n_jobs": n_jobs}))
    assert pools == ([] if n_jobs == 1 else [n_jobs])
    drawn = draw(items, 8, 0, 301)
    assert drawn.dtype == np.uint8
    assert (out == 5.0 + drawn.T.astype(float) @ X).all()
