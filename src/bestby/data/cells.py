"""Equal joint rows of codes, counted once: the cells of a comparison of labels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bestby._core.typing import Array, IntArray

FEW_VALUES = 64
"""Values (or joint rows) up to which a pass for each beats sorting or scattering."""

_HEAD = 4096


def collapsed(
    columns: Sequence[Array], sizes: Sequence[int], strata: IntArray | None, counts: IntArray | None = None
) -> tuple[IntArray, IntArray]:
    """Return one position per distinct joint row of code columns, and how often each row occurs."""
    n = columns[0].size
    span = 1 if strata is None else int(strata.max()) + 1
    if span * math.prod(sizes) <= FEW_VALUES:
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
    # A weighted count goes through floats, which hold whole numbers to 2**53.
    summed = np.bincount(key, counts, minlength=span).astype(np.int64, copy=False)
    position = np.empty(span, dtype=np.int64)
    position[key] = np.arange(n)
    present = np.flatnonzero(summed)
    return position[present], summed[present]


def _few(
    columns: Sequence[Array], sizes: Sequence[int], strata: IntArray | None, weights: IntArray | None
) -> tuple[IntArray, IntArray]:
    """Return the same where few joint rows are possible: a pass for each beats scattering."""
    key = np.zeros(columns[0].size, dtype=np.uint8) if strata is None else strata.astype(np.uint8)
    span = 1 if strata is None else int(strata.max()) + 1
    for codes, size in zip(columns, sizes, strict=True):
        key *= np.uint8(size)
        key += codes.astype(np.uint8, copy=False)
        span *= size
    counts = np.bincount(key, weights, minlength=span).astype(np.int64, copy=False)
    present = np.flatnonzero(counts)
    return np.array([_first(key, value) for value in present.tolist()]), counts[present]


def _first(key: Array, value: int) -> int:
    """Return where a value occurs first; most occur early."""
    head = key[:_HEAD] == value
    return int(head.argmax()) if head.any() else int((key == value).argmax())
