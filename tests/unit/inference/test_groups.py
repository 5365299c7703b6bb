"""Letters and rank intervals: particular cases, limits and messages; the oracle has the properties."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest

from bestby._core.errors import InvalidInputError
from bestby.inference.groups import letters, rank_intervals


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
    letters(different)


def test_rank_intervals() -> None:
    better = np.zeros((4, 4), dtype=bool)
    better[0, 2] = better[0, 3] = better[1, 3] = True
    low, high = rank_intervals(better)
    assert low.tolist() == [1, 1, 2, 3]
    assert high.tolist() == [2, 3, 4, 4]


def test_rank_intervals_of_a_full_order_are_the_ranks() -> None:
    low, high = rank_intervals(np.triu(np.ones((5, 5), dtype=bool), 1))
    assert low.tolist() == high.tolist() == [1, 2, 3, 4, 5]


def test_rank_intervals_of_no_difference_are_everything() -> None:
    low, high = rank_intervals(np.zeros((3, 3), dtype=bool))
    assert low.tolist() == [1, 1, 1]
    assert high.tolist() == [3, 3, 3]


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
