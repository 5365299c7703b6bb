"""Equal joint rows of codes, counted once: the cells of a comparison of labels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bestby._core.occurring import first_places
from bestby._core.typing import Array, IntArray

_FEW_ROWS = 64
"""Joint rows up to which one byte numbers them and each is searched."""

_BYTES = 1 << 8

_BLOCK = 1 << 16
"""Bytes that are counted at a time: what they become stays in the cache of the processor."""

_PAIRED_FROM = 1 << 17
"""Bytes from which two are counted at once."""


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
    if span * math.prod(sizes) <= _FEW_ROWS:
        return _few(columns, sizes, strata, counts)
    key = np.zeros(1, dtype=np.int64) if strata is None else strata
    most = max(4 * n, 1 << 16)
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


def _few(
    columns: Sequence[Array], sizes: Sequence[int], strata: IntArray | None, weights: IntArray | None
) -> tuple[IntArray, IntArray]:
    """Return the same where few joint rows are possible: a pass for each beats scattering."""
    columns = columns if strata is None else [strata, *columns]
    sizes = sizes if strata is None else [int(strata.max()) + 1, *sizes]
    key, span = columns[0].astype(np.uint8), sizes[0]
    for codes, size in zip(columns[1:], sizes[1:], strict=True):
        key *= np.uint8(size)
        key += codes.astype(np.uint8, copy=False)
        span *= size
    counts = occurrences(key, span, weights)
    present = counts.nonzero()[0]
    return np.array(first_places(key, span))[present], counts[present]


def occurrences(key: Array, span: int, weights: IntArray | None = None) -> IntArray:
    """Return how often each number below `span` occurs: of very many bytes, two are counted at once."""
    if weights is not None:
        # A weighted count goes through floats, which hold whole numbers to 2**53.
        return np.bincount(key, weights, minlength=span).astype(np.int64, copy=False)
    if key.size < _PAIRED_FROM or key.dtype != np.uint8 or not key.flags.c_contiguous:
        return np.bincount(key, minlength=span)
    counts = np.zeros((span, _BYTES), dtype=np.int64)
    last = key.size % 2
    for start in range(0, key.size - last, _BLOCK):
        pairs = key[start : min(start + _BLOCK, key.size - last)].view(np.uint16)
        counts += np.bincount(pairs, minlength=counts.size).reshape(counts.shape)
    single = np.bincount(key[key.size - last :], minlength=span)
    # Of the two bytes of a word, one says the row and the other the column.
    both: IntArray = counts.sum(axis=1) + counts[:, :span].sum(axis=0) + single
    return both
