"""How many pairs of weighted items stand in the wrong order, for many sets of weights at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.typing import Array, FloatArray, IntArray

_WIDTH = 64
"""Neighbours that are compared each with each: a product of matrices takes less time than six merges."""


@dataclass(frozen=True, eq=False)
class Inversions:
    """Items in one order, and the place of each in another: `places`, a permutation.

    Two items are inverted if the first of them has the greater place. They are counted as in a merge sort
    (Knight 1966, J. Amer. Statist. Assoc. 61, 436-439): blocks of items are merged two by two, and each
    item of the left one is inverted with all of the right one that come before it. How blocks merge does
    not depend on the weights, so that each merge is one running total.
    """

    places: IntArray

    def count(self, weights: Array) -> IntArray:
        """Return the sums, over all inverted pairs, of the products of their weights (R, n), shape (R,)."""
        found: IntArray = self._among_neighbours(weights)
        for order, left, starts in self._merges:
            drawn = weights.take(order, axis=1).astype(np.int64)
            of_left = drawn * left
            drawn -= of_left
            before = np.cumsum(drawn, axis=1)
            found += np.einsum("rn,rn->r", of_left, before)
            # Less the right blocks of the merges before this one, which stand in the same running total.
            of_left, others = (np.add.reduceat(part, starts, axis=1) for part in (of_left, drawn))
            found -= np.einsum("rb,rb->r", of_left[:, 1:], np.cumsum(others, axis=1)[:, :-1])
        return found

    def _among_neighbours(self, weights: Array) -> IntArray:
        size, n = weights.shape
        blocks = np.zeros((size, len(self._neighbours) * _WIDTH), dtype=np.float32)
        blocks[:, :n] = weights
        by_block = np.ascontiguousarray(blocks.reshape(size, -1, _WIDTH).transpose(1, 0, 2))
        pairs: FloatArray = np.einsum("brn,brn->r", by_block @ self._neighbours, by_block, dtype=np.float64)
        return pairs.astype(np.int64)

    @cached_property
    def _neighbours(self) -> FloatArray:
        """1 for each inverted pair of a block of neighbours, shape (blocks, width, width)."""
        n = self.places.size
        padded = np.concatenate([self.places, np.arange(n, n + -n % _WIDTH)]).reshape(-1, _WIDTH)
        inverted: FloatArray = np.triu(padded[:, :, None] > padded[:, None, :]).astype(np.float32)
        return inverted

    @cached_property
    def _merges(self) -> list[tuple[IntArray, Array, IntArray]]:
        """For each width of blocks: the order after the merge, who is of a left block, where merges begin."""
        return list(self._widths())

    def _widths(self) -> Iterator[tuple[IntArray, Array, IntArray]]:
        at, width = np.arange(self.places.size), _WIDTH
        while width < at.size:
            order = np.lexsort((self.places, at // (2 * width)))
            yield order, order % (2 * width) < width, np.arange(0, at.size, 2 * width)
            width *= 2
