"""Matching n-grams of many texts at once: whole numbers and sorted arrays, no dictionary per text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class _Order:
    """The distinct n-grams of one order in each segment's references.

    `most` and `segments` have shape (U,). `keys`, of shape (U,), are the n-grams, ascending: the place of the
    first n - 1 tokens among the keys of the order below (for words: the segment), times the size of the
    vocabulary, plus the number of the last token.
    """

    keys: IntArray
    most: IntArray
    segments: IntArray


@dataclass(frozen=True, eq=False)
class NGrams:
    """The n-grams of the references of all segments; made by `count_references`.

    `lengths` has shape (n, R).
    """

    numbers: dict[str, int]
    orders: tuple[_Order, ...]
    lengths: FloatArray

    def matches(self, texts: Sequence[Sequence[str]]) -> FloatArray:
        """Return how many n-grams of each text are in its references too, shape (n, orders).

        An n-gram matches no more often than it occurs in the reference that has it most often: the modified
        precision of Papineni et al. (2002), section 2.1.1.
        """
        tokens = np.array([self.numbers.get(token, -1) for text in texts for token in text], dtype=np.int64)
        owners = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
        out = np.zeros((len(texts), len(self.orders)))
        starts, place = np.arange(tokens.size), owners
        for n, order in enumerate(self.orders):
            # Only what matched so far can go on matching.
            held = _goes_on(starts, n, owners)
            starts, place = starts[held], place[held]
            last = tokens[starts + n]
            wanted = np.where(last >= 0, place * len(self.numbers) + last, -1)
            place = np.searchsorted(order.keys, wanted)
            found = np.zeros(place.size, dtype=np.bool_)
            inside = place < order.keys.size
            found[inside] = order.keys[place[inside]] == wanted[inside]
            starts, place = starts[found], place[found]
            counts = np.minimum(np.bincount(place, minlength=order.keys.size), order.most)
            out[:, n] = np.bincount(order.segments, weights=counts, minlength=len(texts))
        return out

    def closest(self, sizes: IntArray) -> FloatArray:
        """Return the length of the reference closest to each size, the shorter of two equally close."""
        distance = np.abs(self.lengths - sizes[:, None]) + 0.25 * (self.lengths > sizes[:, None])
        closest: FloatArray = self.lengths[np.arange(sizes.size), distance.argmin(axis=1)]
        return closest


def count_references(references: Sequence[Sequence[Sequence[str]]], highest: int) -> NGrams:
    """Count the n-grams of the references."""
    numbers: dict[str, int] = {}
    texts = [text for several in references for text in several]
    sizes = np.array([len(text) for text in texts], dtype=np.int64)
    tokens = np.array([numbers.setdefault(token, len(numbers)) for text in texts for token in text], np.int64)
    owners = np.repeat(np.arange(sizes.size), sizes)
    segment_of = np.repeat(np.arange(len(references)), [len(several) for several in references])
    orders = []
    starts, place = np.arange(tokens.size), segment_of[owners]
    for n in range(highest):
        held = _goes_on(starts, n, owners)
        starts, place = starts[held], place[held]
        keys, place = np.unique(place * len(numbers) + tokens[starts + n], return_inverse=True)
        segments = np.empty(keys.size, dtype=np.int64)
        segments[place] = segment_of[owners[starts]]
        in_text, counts = np.unique(place * sizes.size + owners[starts], return_counts=True)
        most = np.zeros(keys.size, dtype=np.int64)
        np.maximum.at(most, in_text // max(1, sizes.size), counts)
        orders.append(_Order(keys, most, segments))
    lengths = np.full((len(references), max(len(several) for several in references)), np.inf)
    for i, several in enumerate(references):
        lengths[i, : len(several)] = [len(text) for text in several]
    return NGrams(numbers, tuple(orders), lengths)


def _goes_on(starts: IntArray, n: int, owners: IntArray) -> BoolArray:
    """Return whether the text that each start lies in holds another n tokens after it."""
    ends = starts + n
    inside = ends < owners.size
    inside[inside] = owners[ends[inside]] == owners[starts[inside]]
    return inside
