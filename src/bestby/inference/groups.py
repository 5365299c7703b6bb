"""What a family of tests says about all systems at once: letters and ranks."""

from __future__ import annotations

import math
import string

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.typing import ArrayLike, BoolArray, IntArray

_LETTERS = string.ascii_lowercase + string.ascii_uppercase

MOST_LETTERS = 26
"""Groups up to which labels are letters."""


def letters(different: ArrayLike) -> tuple[str, ...]:
    """Compact letter display: systems share a letter if and only if they are not different.

    `different`, of shape (S, S), is symmetric and in rank order, the best first. "a" goes to the best; after
    "z" come "A" to "Z", then "(53)" and so on.

    A letter is a set of systems no two of which differ: a cover of the edges of a graph by cliques (Gramm et
    al. 2007, Comput. Statist. Data Anal. 52, 725-736). Insert-and-absorb (Piepho 2004, J. Comput. Graph.
    Statist. 13, 456-466) lists all maximal cliques, of which there can be exponentially many. Here the
    systems are visited in rank order; each takes the farthest one it still needs a letter with, and all
    others ranked below it that fit, those that need the letter first. Where the groups are runs of neighbours
    in rank, as nearly always, these are Piepho's letters, which are the fewest; otherwise there is at most
    one letter for each pair.
    """
    matrix = _square(different, "different")
    if (matrix != matrix.T).any():
        i, j = np.argwhere(matrix != matrix.T)[0]
        raise InvalidInputError(
            f"different must be symmetric: [{i}, {j}] is {matrix[i, j]}, [{j}, {i}] is {matrix[j, i]}"
        )
    return _lettered(sorted(_cliques(~matrix)), len(matrix))


def _lettered(groups: list[list[int]], size: int) -> tuple[str, ...]:
    """Return the letters of each of so many systems."""
    names: list[list[str]] = [[] for _ in range(size)]
    for letter, members in enumerate(groups):
        for system in members:
            names[system].append(_LETTERS[letter] if letter < len(_LETTERS) else f"({letter + 1})")
    return tuple("".join(system) for system in names)


def cliques(different: ArrayLike) -> tuple[tuple[int, ...], ...]:
    """Return the groups of `letters` as positions: every two systems that do not differ share one."""
    return tuple(tuple(group) for group in sorted(_cliques(~_square(different, "different"))))


def labels(different: ArrayLike) -> tuple[str, ...] | None:
    """Label the groups of `letters`: by letters as long as there are enough, else by numbers.

    Up to 26 groups have letters. More are numbered from the best, and runs of numbers written with their
    ends. None if there are more groups than letters and than systems: such labels would be longer than the
    pairs they stand for.
    """
    matrix = _square(different, "different")
    most = max(MOST_LETTERS, len(matrix))
    groups = sorted(_cliques(~matrix, most + 1))
    if len(groups) <= MOST_LETTERS:
        return _lettered(groups, len(matrix))
    if len(groups) > most:
        return None
    member: list[list[int]] = [[] for _ in matrix]
    for number, group in enumerate(groups, 1):
        for system in group:
            member[system].append(number)
    return tuple(_runs(numbers) for numbers in member)


def _runs(numbers: list[int]) -> str:
    """Return rising numbers as runs."""
    ends = [i for i, number in enumerate(numbers) if i + 1 == len(numbers) or numbers[i + 1] > number + 1]
    starts = [0, *(end + 1 for end in ends[:-1])]
    return ", ".join(
        f"{numbers[i]}" if i == j else f"{numbers[i]}-{numbers[j]}" for i, j in zip(starts, ends, strict=True)
    )


def _cliques(alike: BoolArray, most: float = math.inf) -> list[list[int]]:
    """Cover every pair of alike systems by groups in which all are alike; sets are bits of an int.

    Stops at `most` groups.
    """
    rows = [sum(1 << int(j) for j in np.flatnonzero(row)) for row in alike]
    covered = [0] * len(rows)
    groups: list[list[int]] = []
    for i, row in enumerate(rows):
        from_here = -1 << i  # pairs with an earlier system were covered when that one was visited
        while (missing := row & ~covered[i] & from_here) and len(groups) < most:
            farthest = missing.bit_length() - 1
            group = 1 << i | 1 << farthest
            candidates = row & rows[farthest] & from_here & ~group
            while candidates:
                wanted = candidates & missing or candidates  # those that still need this letter first
                lowest = wanted & -wanted
                group |= lowest
                candidates &= rows[lowest.bit_length() - 1] & ~lowest
            members = [j for j in range(i, len(rows)) if group >> j & 1]
            for j in members:
                covered[j] |= group
            groups.append(members)
    return groups


def rank_intervals(better: ArrayLike) -> tuple[IntArray, IntArray]:
    """Return the best and the worst rank that the tests leave open for each system.

    Al Mohamad, Goeman & van Zwet (2022), J. R. Statist. Soc. B 84, 1243-1267. The best rank, 1 or more, is
    one more than the number of systems significantly better; the worst is the number of systems less those
    significantly worse. If the tests control the family-wise error rate, the intervals hold for all systems
    simultaneously at that level.
    """
    matrix = _square(better, "better")
    both = matrix & matrix.T
    if both.any():
        i, j = np.argwhere(both)[0]
        raise InvalidInputError(f"systems {i} and {j} cannot each be better than the other")
    low = 1 + matrix.sum(axis=0, dtype=np.int64)
    high = len(matrix) - matrix.sum(axis=1, dtype=np.int64)
    return low, high


def _square(values: ArrayLike, what: str) -> BoolArray:
    matrix = np.asarray(values)
    if matrix.dtype != np.bool_ or matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InvalidInputError(
            f"{what} must be a square matrix of booleans, got shape {matrix.shape} of {matrix.dtype}"
        )
    if matrix.diagonal().any():
        raise InvalidInputError(
            f"{what} must be False on the diagonal: system {int(matrix.diagonal().argmax())} against itself"
        )
    return matrix
