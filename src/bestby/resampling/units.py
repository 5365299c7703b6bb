"""The units that are resampled: rows with multiplicities, in strata, and blocks of consecutive items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.errors import DesignError
from bestby._core.typing import Array, FloatArray, IntArray

CELL_COST_BOOTSTRAP = 12
CELL_COST_SWAP = 2
"""What a draw for one cell costs, in draws for one item of the dense way."""


@dataclass(frozen=True, eq=False)
class Units:
    """Distinct rows, how many units (items or clusters) have each, and where the strata begin."""

    counts: IntArray
    bounds: IntArray

    @cached_property
    def n(self) -> int:
        """The number of units."""
        return int(np.add.reduce(self.counts))

    @property
    def n_rows(self) -> int:
        """The number of distinct rows."""
        return int(self.counts.size)

    @property
    def n_strata(self) -> int:
        """The number of strata."""
        return int(self.bounds.size - 1)

    @cached_property
    def weights(self) -> FloatArray:
        """The counts as floats: a product of these and other floats need not change them each time."""
        return self.counts.astype(np.float64)

    @property
    def single(self) -> bool:
        """Whether every row is of one unit, so that nothing need be multiplied by the counts."""
        return self.n_rows == self.n

    @cached_property
    def sizes(self) -> IntArray:
        """The number of units of each stratum, shape (H,)."""
        if self.n_strata == 1:
            return np.array([self.n])
        ends = np.concatenate([[0], np.cumsum(self.counts)])[self.bounds]
        return np.diff(ends)

    def by_cells(self, cost: int) -> bool:
        """Whether drawing cell counts is cheaper than drawing units one by one."""
        return self.n_rows * cost <= self.n

    def expanded(self, X: FloatArray) -> tuple[FloatArray, Units]:
        """Return every unit as a row of its own."""
        if self.single:
            return X, self
        ends = np.concatenate([[0], np.cumsum(self.counts)])
        ones = np.ones(self.n, dtype=np.int64)
        return np.repeat(X, self.counts, axis=0), Units(ones, ends[self.bounds])


def single_stratum(n: int) -> Units:
    """Return n units with distinct rows in one stratum."""
    return Units(np.ones(n, dtype=np.int64), np.array([0, n], dtype=np.int64))


# -- ordered text ----------------------------------------------------------------------------------
# Blocks of consecutive items, drawn circularly or laid end to end.


@dataclass(frozen=True, eq=False)
class Blocks:
    """All blocks of a circular block bootstrap, as units to draw from.

    A resample of n items is n // L blocks of L consecutive items and, if that leaves some over, one block of
    the rest; each begins anywhere, and the item after the last is the first. So it is a draw of n // L of n
    units and one of n others. `order` has the items, one stratum after the other, and `bounds` where the
    strata begin in it. Of each part (L and the rest, per stratum) `lengths` has the block length, `strata`
    the stratum and `draws` the number of blocks drawn.
    """

    order: IntArray
    bounds: IntArray
    lengths: IntArray
    strata: IntArray
    draws: IntArray

    @property
    def units(self) -> Units:
        """The blocks, a part after the other, as units of one row each."""
        sizes = np.diff(self.bounds)[self.strata]
        return Units(np.ones(int(sizes.sum()), dtype=np.int64), np.concatenate([[0], np.cumsum(sizes)]))

    def sums(self, rows: FloatArray) -> FloatArray:
        """Return the sum of the rows of each block, shape (units, k), of rows (n, k) of the items."""
        out = []
        for stratum, length in zip(self.strata.tolist(), self.lengths.tolist(), strict=True):
            part = rows[self.order[self.bounds[stratum] : self.bounds[stratum + 1]]]
            longer = np.concatenate([np.zeros((1, rows.shape[1])), part, part[: length - 1]])
            # Sums of `length` neighbours, round the end, as differences of running sums.
            running = longer.cumsum(axis=0)
            out.append(running[length:] - running[: len(part)])
        return np.concatenate(out)

    def spread(self, weights: Array) -> Array:
        """Return how often each item is drawn, shape (R, n), from how often each block is, (R, units)."""
        out = np.zeros((weights.shape[0], self.order.size), dtype=np.int32)
        edges = self.units.bounds
        for part, (stratum, length) in enumerate(
            zip(self.strata.tolist(), self.lengths.tolist(), strict=True)
        ):
            drawn = weights[:, edges[part] : edges[part + 1]].astype(np.int32)
            # An item is in the blocks that begin on it and on the length - 1 items before it.
            before = np.concatenate([drawn[:, drawn.shape[1] - length + 1 :], drawn], axis=1)
            running = np.concatenate(
                [np.zeros((drawn.shape[0], 1), dtype=np.int32), before.cumsum(axis=1, dtype=np.int32)], axis=1
            )
            items = self.order[self.bounds[stratum] : self.bounds[stratum + 1]]
            out[:, items] += running[:, length:] - running[:, : drawn.shape[1]]
        return out


def circular(n: int, length: int, strata: IntArray | None = None) -> Blocks:
    """Return the blocks of `length` consecutive items of a circular block bootstrap, within strata.

    Künsch (1989), Ann. Statist. 17, 1217-1241; Politis & Romano (1992), in LePage & Billard (eds.), Exploring
    the Limits of Bootstrap, 263-270.

    >>> blocks = circular(5, 2)
    >>> blocks.draws, blocks.sums(np.arange(5.0)[:, None]).ravel()
    (array([2, 1]), array([1., 3., 5., 7., 4., 0., 1., 2., 3., 4.]))
    """
    code = np.zeros(n, dtype=np.int64) if strata is None else strata
    order = np.argsort(code, kind="stable")
    sizes = np.bincount(code)
    if int(sizes.min()) < 2 * length:
        raise DesignError(
            f"blocks of {length} consecutive items need at least {2 * length} items"
            f"{'' if strata is None else ' in every stratum'}, got {int(sizes.min())}",
            hint="use shorter blocks: ten or more of them should fit",
        )
    parts = [
        (part, h, draws)
        for h, size in enumerate(sizes.tolist())
        for part, draws in ((length, size // length), (size % length, 1))
        if part
    ]
    lengths, part_strata, draws = (np.array(column, dtype=np.int64) for column in zip(*parts, strict=True))
    return Blocks(order, np.concatenate([[0], np.cumsum(sizes)]), lengths, part_strata, draws)


def consecutive(n: int, length: int, strata: IntArray | None = None) -> IntArray:
    """Return the block of each item, shape (n,), when blocks are laid end to end within strata."""
    code = np.zeros(n, dtype=np.int64) if strata is None else strata
    order = np.argsort(code, kind="stable")
    sizes = np.bincount(code)
    within = np.arange(n) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    blocks_before = np.concatenate([[0], np.cumsum(-(-sizes // length))])[:-1]
    out = np.empty(n, dtype=np.int64)
    out[order] = within // length + np.repeat(blocks_before, sizes)
    return out
