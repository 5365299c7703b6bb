"""Equal joint rows of codes, counted once: the cells of a comparison of labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestby._core.typing import Array, IntArray


def numbered(columns: Sequence[Array | None]) -> tuple[IntArray, IntArray]:
    """Return the position of one of each kind of joint rows of whole numbers, and the kind of every row.

    Kinds are numbered from 0 in the order of the numbers.

    >>> numbered([np.array([1, 0, 1, 1]), None, np.array([2, 2, 2, -1])])
    (array([1, 3, 2]), array([2, 0, 2, 1]))
    """
    used = [column for column in columns if column is not None]
    n, span = used[0].size, 1
    key = np.zeros(n, dtype=np.int64)
    for column in used:
        low = int(column.min())
        size = int(column.max()) - low + 1
        if span * size >= 1 << 62:  # the next product would not fit
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
            span = int(key.max()) + 1
        key *= size
        key += column
        key -= low
        span *= size
    if span <= max(4 * n, 1 << 16):
        occurs = np.zeros(span, dtype=np.bool_)
        occurs[key] = True
        kind = (np.cumsum(occurs) - 1).take(key)
    else:
        kind = np.unique(key, return_inverse=True)[1].reshape(-1)
    position = np.empty(int(kind.max()) + 1, dtype=np.int64)
    position[kind] = np.arange(n)
    return position, kind


def collapsed(
    columns: Sequence[Array], sizes: Sequence[int], strata: IntArray | None, counts: IntArray | None = None
) -> tuple[IntArray, IntArray]:
    """Return one position per distinct joint row of code columns, and how often each row occurs."""
    n = columns[0].size
    span = 1 if strata is None else int(strata.max()) + 1
    key = np.zeros(1, dtype=np.int64) if strata is None else strata
    most = max(4 * n, 1 << 16)  # numbers of joint rows that are counted without sorting them
    for codes, size in zip(columns, sizes, strict=True):
        if span * size > most:
            distinct, key = np.unique(key, return_inverse=True)
            key, span = key.reshape(-1), distinct.size
        key = key * size + codes if span > 1 else codes.astype(np.int64, copy=False)
        span *= size
    if span > most:
        distinct, key = np.unique(key, return_inverse=True)
        key, span = key.reshape(-1), distinct.size
    summed = occurrences(key, span, counts)
    position = np.empty(span, dtype=np.int64)
    position[key] = np.arange(n)
    present = np.flatnonzero(summed)
    return position[present], summed[present]


def occurrences(key: Array, span: int, weights: IntArray | None = None) -> IntArray:
    """Return how often each number below `span` occurs, with whole weights perhaps."""
    # A weighted count goes through floats, which hold whole numbers to 2**53.
    return np.bincount(key, weights, minlength=span).astype(np.int64, copy=False)
