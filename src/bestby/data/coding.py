"""Distinct values and codes of a column."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestby._core.typing import Array
from bestby.data.cells import FEW_VALUES


def codes(values: Array) -> tuple[Array, Array]:
    """Return the sorted distinct values, and the position of each value among them in the narrowest type."""
    if values.dtype.kind in "biu" and values.size:
        low, high = int(values.min()), int(values.max())
        span = high - low + 1
        if span <= max(1024, values.size):
            # Unsigned integers of the same width and order of bytes wrap round: nothing overflows.
            unsigned = np.dtype(f"u{values.dtype.itemsize}").newbyteorder(values.dtype.byteorder)
            base = np.array([low], dtype=values.dtype).view(unsigned)
            shifted = (values.view(unsigned) - base).astype(_narrow(span), copy=False)
            present = np.zeros(span, dtype=np.bool_)
            if span <= FEW_VALUES:  # a pass per value beats scattering into a handful of places
                present[:] = [bool((shifted == value).any()) for value in range(span)]
            else:
                present[shifted] = True
            distinct = (np.flatnonzero(present).astype(unsigned) + base).astype(unsigned).view(values.dtype)
            if distinct.size == span:
                return distinct, shifted
            return distinct, (np.cumsum(present) - 1).astype(_narrow(span))[shifted]
    distinct, inverse = np.unique(values, return_inverse=True)
    return distinct, inverse.reshape(-1).astype(_narrow(distinct.size))


def _narrow(size: int) -> type[np.unsignedinteger[Any]]:
    """Return the narrowest unsigned type that numbers `size` values."""
    return np.uint8 if size <= 1 << 8 else np.uint16 if size <= 1 << 16 else np.uint32
