"""The order of very many numbers, from a sort of single words."""

from __future__ import annotations

import numpy as np

from bestby._core.mixing import Words
from bestby._core.typing import Array, FloatArray, IntArray

_WORDS_FROM = 1 << 12
"""Numbers from which words are sorted, which takes vector registers a quarter of the time of positions."""

_BLOCK = 1 << 14
"""Numbers that are made words at a time: they stay in the cache of the processor."""

_PASSES = 8
"""Passes in which neighbours in the wrong order change places; after these NumPy sorts the numbers."""

_FEW = 1000
"""NumPy sorts them at once where more than one of so many neighbours are in the wrong order."""

_SIGN = np.uint64(1 << 63)


def in_order(values: Array) -> tuple[IntArray, Array]:
    """Return the positions of finite numbers in rising order, equal ones in any, and the numbers so.

    Many floats are sorted as words. A word is the leading bits of a number, which rise with it, and below
    them its position. The few numbers that differ only in the bits left out then change places.

    >>> in_order(np.array([0.5, -1.0, 0.0]))
    (array([1, 2, 0]), array([-1. ,  0. ,  0.5]))
    """
    if values.size < _WORDS_FROM or values.dtype != np.float64:
        order = values.argsort()
        return order, values.take(order)
    order = _order_of_words(values)
    found = values.take(order)
    for _ in range(_PASSES):
        wrong = np.flatnonzero(found[1:] < found[:-1])
        if not wrong.size:
            return order, found
        if wrong.size > values.size // _FEW:
            break
        wrong = wrong[np.diff(wrong, prepend=-2) > 1]  # of three that stand wrong, the first two
        for array in (order, found):
            array[wrong], array[wrong + 1] = array[wrong + 1], array[wrong]
    order = np.argsort(values)
    return order, values.take(order)


def _order_of_words(values: FloatArray) -> IntArray:
    positions = np.uint64((1 << (values.size - 1).bit_length()) - 1)
    words: Words = np.empty(values.size, dtype=np.uint64)
    for start in range(0, values.size, _BLOCK):
        part = np.add(values[start : start + _BLOCK], 0.0).view(np.uint64)  # -0.0 becomes 0.0
        part ^= (part.view(np.int64) >> 63).view(np.uint64) | _SIGN
        part &= ~positions
        part |= np.arange(start, start + part.size, dtype=np.uint64)
        words[start : start + _BLOCK] = part
    words.sort()
    words &= positions
    return words.view(np.int64)
