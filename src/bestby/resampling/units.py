"""The units that are resampled: rows with multiplicities, in strata."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.typing import FloatArray, IntArray

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
