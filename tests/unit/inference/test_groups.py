"""Letters and rank intervals: particular cases, limits and messages; the oracle has the properties."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable

import numpy as np
import pytest

from bestby._core.errors import InvalidInputError
from bestby._core.typing import ArrayLike
from bestby.inference.groups import _runs, cliques, labels, letters, rank_intervals


def matrix(size: int, *pairs: tuple[int, int]) -> np.ndarray:
    different = np.zeros((size, size), dtype=bool)
    for i, j in pairs:
        different[i, j] = different[j, i] = True
    return different


@pytest.mark.parametrize(
    ("different", "expected"),
    [
        (matrix(0), ()),
        (matrix(1), ("a",)),
        (matrix(3), ("a", "a", "a")),
        (~np.eye(3, dtype=bool), ("a", "b", "c")),
        (matrix(3, (0, 2)), ("a", "ab", "b")),
        # neighbours differ while the extremes do not: the letter skips a rank
        (matrix(3, (0, 1), (1, 2)), ("a", "b", "a")),
        (matrix(4, (1, 3)), ("ab", "a", "ab", "b")),
    ],
)
def test_letters(different: np.ndarray, expected: tuple[str, ...]) -> None:
    assert letters(different) == expected


def test_letters_after_z() -> None:
    names = letters(~np.eye(55, dtype=bool))
    assert names[:2] == ("a", "b")
    assert names[25:28] == ("z", "A", "B")
    assert names[51:] == ("Z", "(53)", "(54)", "(55)")


def test_letters_of_a_thousand_systems_in_runs() -> None:
    # Systems differ if they are more than 300 ranks apart: one letter for each run of 301.
    rank = np.arange(1000)
    different = np.abs(rank[:, None] - rank) > 300
    start = time.process_time()
    names = letters(different)
    assert time.process_time() - start < 5.0  # takes a tenth of that; quadratic sets would take minutes
    assert names[0] == "a"
    assert names[1] == "ab"
    assert names[999] == "(700)"


def test_letters_where_maximal_cliques_are_exponentially_many() -> None:
    # 30 pairs of rivals, all else alike: 2^30 maximal cliques, of which a few cover all.
    different = matrix(60, *((2 * i, 2 * i + 1) for i in range(30)))
    names = letters(different)
    last = int(max(re.findall(r"\((\d+)\)", "".join(names)), key=int))
    assert last <= 60


def test_letters_do_not_modify_the_matrix() -> None:
    different = matrix(3, (0, 2))
    different.flags.writeable = False
    assert letters(different) == letters(matrix(3, (0, 2)))


def test_rank_intervals() -> None:
    better = np.zeros((4, 4), dtype=bool)
    better[0, 2] = better[0, 3] = better[1, 3] = True
    low, high = rank_intervals(better)
    assert low.tolist() == [1, 1, 2, 3]
    assert high.tolist() == [2, 3, 4, 4]


@pytest.mark.parametrize("function", [letters, rank_intervals])
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.zeros((2, 3), dtype=bool), r"square matrix of booleans, got shape \(2, 3\) of bool"),
        (np.zeros(4, dtype=bool), "square matrix of booleans"),
        (np.zeros((2, 2)), "square matrix of booleans, got shape .* of float64"),
        (np.diag([False, True]), "must be False on the diagonal: system 1 against itself"),
    ],
)
def test_matrices_refused(function: object, bad: np.ndarray, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        function(bad)  # type: ignore[operator]


def test_asymmetric_matrix() -> None:
    with pytest.raises(InvalidInputError, match=r"symmetric: \[0, 1\] is True, \[1, 0\] is False"):
        letters(np.array([[False, True], [False, False]]))


def test_systems_that_beat_each_other() -> None:
    with pytest.raises(InvalidInputError, match="systems 0 and 1 cannot each be better"):
        rank_intervals(~np.eye(2, dtype=bool))


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
