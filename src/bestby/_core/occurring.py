"""Which small whole numbers occur among many, and where first."""

from __future__ import annotations

import numpy as np

from bestby._core.typing import Array, BoolArray

_HEAD = 4096
"""Bytes that are searched first: most numbers occur early."""

_BLOCK = 1 << 20
"""Bytes that are searched at a time after that."""

_MOST_SEARCHED = 64
"""Numbers up to which bytes are searched for each: more are marked in a pass over the codes."""


def first_places(codes: Array, size: int) -> list[int]:
    """Return where each number below `size` occurs first among bytes, -1 for those that do not.

    What is not among the first bytes is searched among the others, at the speed of the memory.

    >>> first_places(np.array([2, 0, 2], dtype=np.uint8), 3)
    [1, -1, 0]
    """
    head = codes[:_HEAD].tobytes()
    places = [head.find(code) for code in range(size)]
    for start in range(_HEAD, codes.size, _BLOCK):
        if min(places) >= 0:
            break
        block = codes[start : start + _BLOCK].tobytes()
        for code in [code for code, place in enumerate(places) if place < 0]:
            place = block.find(code)
            places[code] = -1 if place < 0 else start + place
    return places


def occurring(codes: Array, size: int) -> BoolArray:
    """Return which of the numbers below `size` occur among codes, none of which is negative.

    >>> occurring(np.array([2, 0, 2]), 3)
    array([ True, False,  True])
    """
    if size <= _MOST_SEARCHED and codes.dtype.itemsize == 1:
        return np.array(first_places(codes, size)) >= 0
    present = np.zeros(size, dtype=np.bool_)
    present[codes] = True
    return present
