"""Equal joint rows of codes, counted once: the cells of a comparison of labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestby._core.typing import Array, IntArray


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
