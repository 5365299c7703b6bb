"""The order of many numbers, from sorts of whole numbers that tell their order."""

from __future__ import annotations

import sys

import numpy as np

from bestby._core.mixing import Words
from bestby._core.typing import Array, FloatArray, IntArray

_DIGITS_FROM = 1 << 11
"""Numbers from which two sorts of 16 bits, which compare nothing, take less time than one of all."""

_WORDS_FROM = 1 << 14
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

    Many floats are sorted by their leading bits, which rise with them. The few numbers that differ only in
    the bits left out then change places.

    >>> in_order(np.array([0.5, -1.0, 0.0]))
    (array([1, 2, 0]), array([-1. ,  0. ,  0.5]))
    """
    if values.size >= _DIGITS_FROM and values.dtype == np.float64:
        ways = [_order_of_words] if values.size >= _WORDS_FROM else [_order_of_digits, _order_of_words]
        for order_of in ways:
            order = order_of(values)
            found = values.take(order)
            if _put_right(order, found):
                return order, found
    order = values.argsort()
    return order, values.take(order)


def _put_right(order: IntArray, found: Array) -> bool:
    """Let neighbours in the wrong order change places, and return whether all numbers are in order then."""
    for _ in range(_PASSES):
        wrong = (found[1:] < found[:-1]).nonzero()[0]
        if not wrong.size:
            return True
        if wrong.size > found.size // _FEW:
            break
        wrong = wrong[np.diff(wrong, prepend=-2) > 1]  # of three that stand wrong, the first two
        for array in (order, found):
            array[wrong], array[wrong + 1] = array[wrong + 1], array[wrong]
    return False


def _words(values: FloatArray) -> Words:
    """Return a whole number for each float, in the same order."""
    words = np.add(values, 0.0).view(np.uint64)  # -0.0 becomes 0.0
    words ^= (words.view(np.int64) >> 63).view(np.uint64) | _SIGN
    return words


def _order_of_digits(values: FloatArray) -> IntArray:
    """Return the order of the leading 32 bits: that of the lower half, put in the order of the upper one."""
    digits = _words(values).view(np.uint16).reshape(-1, 4)
    upper, lower = (digits[:, place] for place in ((3, 2) if sys.byteorder == "little" else (0, 1)))
    by_lower = lower.argsort(kind="stable")
    return by_lower.take(upper.take(by_lower).argsort(kind="stable"))


def _order_of_words(values: FloatArray) -> IntArray:
    """Return the order of all bits but the last ones, in the place of which each word has its position."""
    positions = np.uint64((1 << (values.size - 1).bit_length()) - 1)
    words: Words = np.empty(values.size, dtype=np.uint64)
    for start in range(0, values.size, _BLOCK):
        part = _words(values[start : start + _BLOCK])
        part &= ~positions
        part |= np.arange(start, start + part.size, dtype=np.uint64)
        words[start : start + _BLOCK] = part
    words.sort()
    words &= positions
    return words.view(np.int64)
