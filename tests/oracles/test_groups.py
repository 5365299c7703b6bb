"""Letters and rank intervals against plain enumeration, over every small matrix and many larger ones."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestby.inference.groups import letters, rank_intervals


def as_matrix(size: int, pairs: set[tuple[int, int]]) -> np.ndarray:
    different = np.zeros((size, size), dtype=bool)
    for i, j in pairs:
        different[i, j] = different[j, i] = True
    return different


def groups_of(names: tuple[str, ...]) -> dict[str, set[int]]:
    groups: dict[str, set[int]] = {}
    for system, name in enumerate(names):
        for letter in re.findall(r"[a-zA-Z]|\(\d+\)", name):
            groups.setdefault(letter, set()).add(system)
    return groups


def check(size: int, pairs: set[tuple[int, int]]) -> dict[str, set[int]]:
    groups = groups_of(letters(as_matrix(size, pairs)))
    for i, j in itertools.combinations(range(size), 2):
        share = any(i in group and j in group for group in groups.values())
        assert share == ((i, j) not in pairs), (i, j)
    assert set().union(*groups.values()) == set(range(size))
    return groups


def maximal_cliques(size: int, pairs: set[tuple[int, int]]) -> list[set[int]]:
    alike = [
        set(subset)
        for k in range(1, size + 1)
        for subset in itertools.combinations(range(size), k)
        if not any(pair in pairs for pair in itertools.combinations(subset, 2))
    ]
    return [one for one in alike if not any(one < other for other in alike)]


def fewest(size: int, pairs: set[tuple[int, int]]) -> int:
    """Fewest maximal cliques that cover every system and every pair that does not differ."""
    cliques = maximal_cliques(size, pairs)
    wanted = {(i, j) for i in range(size) for j in range(i, size)} - pairs
    for k in range(1, len(cliques) + 1):
        for chosen in itertools.combinations(cliques, k):
            covered = {(i, j) for clique in chosen for i in clique for j in clique if i <= j}
            if wanted <= covered:
                return k
    raise AssertionError("the maximal cliques cover everything")


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_every_matrix_shares_letters_exactly_where_not_different(size: int) -> None:
    every = list(itertools.combinations(range(size), 2))
    for chosen in itertools.product([False, True], repeat=len(every)):
        pairs = {pair for pair, is_different in zip(every, chosen, strict=True) if is_different}
        groups = check(size, pairs)
        assert len(groups) == fewest(size, pairs)
        assert not any(one < other for one in groups.values() for other in groups.values())


@settings(max_examples=200, deadline=None)
@given(size=st.integers(6, 70), share=st.floats(0.0, 1.0), seed=st.integers(0, 2**32 - 1))
def test_any_matrix_shares_letters_exactly_where_not_different(size: int, share: float, seed: int) -> None:
    draws = np.random.default_rng(seed).random((size, size))
    pairs = {(i, j) for i in range(size) for j in range(i + 1, size) if draws[i, j] < share}
    groups = check(size, pairs)
    assert len(groups) <= max(size * (size - 1) // 2 - len(pairs), 0) + size


@settings(deadline=None)
@given(lengths=st.lists(st.integers(0, 8), min_size=1, max_size=9))
def test_runs_of_ranks_get_their_maximal_cliques_in_rank_order(lengths: list[int]) -> None:
    # last[i]: the last system, in rank order, that does not differ from i; it never moves back.
    size = len(lengths)
    last = list(itertools.accumulate((min(i + k, size - 1) for i, k in enumerate(lengths)), max))
    pairs = {(i, j) for i in range(size) for j in range(i + 1, size) if j > last[i]}
    groups = check(size, pairs)
    expected = sorted(sorted(clique) for clique in maximal_cliques(size, pairs))
    assert [sorted(group) for _, group in sorted(groups.items())] == expected


@settings(deadline=None)
@given(order=st.permutations(range(6)), cut=st.integers(1, 5))
def test_rank_intervals_hold_every_order_that_the_tests_allow(order: list[int], cut: int) -> None:
    # system order[r] truly has rank r + 1; the tests see every difference of at least `cut` ranks
    rank = {system: r for r, system in enumerate(order)}
    better = np.array([[rank[j] - rank[i] >= cut for j in range(6)] for i in range(6)])
    allowed: list[set[int]] = [set() for _ in range(6)]
    for ranking in itertools.permutations(range(6)):
        if all(ranking[i] < ranking[j] for i in range(6) for j in range(6) if better[i, j]):
            for system, position in enumerate(ranking):
                allowed[system].add(position + 1)
    low, high = rank_intervals(better)
    assert [(min(ranks), max(ranks)) for ranks in allowed] == list(zip(low, high, strict=True))
