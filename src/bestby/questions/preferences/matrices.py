"""Judgements as matrices of wins and ties, counted and resampled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.typing import FloatArray, IntArray
from bestby.data.alignment import one_grouping
from bestby.questions.preferences.source import Judgements
from bestby.resampling import streams, totals
from bestby.resampling.progress import Progress
from bestby.resampling.units import CELL_COST_BOOTSTRAP
from bestby.results.base import Note


@dataclass(frozen=True, eq=False)
class Data:
    """Judgements and the names of the systems."""

    names: tuple[str, ...]
    judged: WinMatrices
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, eq=False)
class WinMatrices:
    """Which of two systems was preferred, judgement by judgement.

    `first` and `second`, of shape (n,), are the systems of each; `values` are 1 where the first was
    preferred, 0 where the second was, 0.5 for a tie. `clusters` are codes from 0, or None: each judgement is
    its own.
    """

    n_systems: int
    first: IntArray
    second: IntArray
    values: FloatArray
    clusters: IntArray | None = None

    @classmethod
    def of(cls, judged: Judgements) -> WinMatrices:
        """Return codes as such judgements."""
        if len(judged.clusters) > 1:
            one_grouping([*judged.clusters.values()], "a comparison of judgements")
        codes = next(iter(judged.clusters.values()), None)
        first, second = (one.astype(np.int64) for one in (judged.first, judged.second))
        return cls(
            len(judged.systems),
            first,
            second,
            0.5 * judged.outcome,
            None if codes is None else codes.astype(np.int64),
        )

    @property
    def n(self) -> int:
        """The number of judgements."""
        return int(self.first.size)

    @property
    def n_units(self) -> int:
        """The number of clusters, or of judgements."""
        return self.n if self.clusters is None else int(self.clusters.max()) + 1

    @cached_property
    def _cells(self) -> tuple[IntArray, IntArray, IntArray]:
        """Outcomes that occur, which of them each judgement is, and how often each is.

        Outcome i S + j is a win of system i against j; S^2 + i S + j, with i < j, a tie of the two.
        """
        S = self.n_systems
        swapped = self.values < 0.5
        i, j = np.where(swapped, self.second, self.first), np.where(swapped, self.first, self.second)
        tied = S * S + np.minimum(i, j) * S + np.maximum(i, j)
        cells, place, counts = np.unique(
            np.where(self.values == 0.5, tied, i * S + j), return_inverse=True, return_counts=True
        )
        return cells, place.reshape(-1), counts

    def matrices(self, counts: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Return wins and ties, shape (..., S, S), of numbers (..., C) of the outcomes that occur."""
        cells, _, all_counts = self._cells
        S = self.n_systems
        c = all_counts.astype(np.float64) if counts is None else counts
        flat = np.zeros((*c.shape[:-1], 2 * S * S))
        flat[..., cells] = c
        both = flat.reshape(*c.shape[:-1], 2, S, S)
        wins: FloatArray = both[..., 0, :, :]
        ties: FloatArray = both[..., 1, :, :]
        mirrored: FloatArray = ties + np.swapaxes(ties, -1, -2)
        return wins, mirrored

    def direct(self, a: int, b: int) -> FloatArray:
        """Return wins less losses of A in its judgements against B, one number per unit that has any."""
        forth, back = (self.first == a) & (self.second == b), (self.first == b) & (self.second == a)
        met = forth | back
        balance: FloatArray = np.where(forth, 2.0 * self.values - 1.0, 1.0 - 2.0 * self.values)[met]
        if self.clusters is None:
            return balance
        summed: FloatArray = np.bincount(self.clusters[met], weights=balance).astype(np.float64)
        return summed[np.bincount(self.clusters[met]) > 0]

    def bootstrap(
        self,
        n_resamples: int,
        seed: int,
        transform: Callable[[FloatArray, FloatArray], FloatArray],
        *,
        n_jobs: int = 1,
        progress: Progress | None = None,
    ) -> FloatArray:
        """Transform the win matrices of bootstrap resamples of the clusters, or of the judgements."""
        cells, place, counts = self._cells
        # Numbers of all win matrices of a block
        few = max(1, (1 << 20) // self.n_systems**2)
        if self.clusters is None and cells.size * CELL_COST_BOOTSTRAP <= self.n:
            size = min(totals.CELL_BLOCK, few)

            def by_cells(first: int, stop: int) -> FloatArray:
                generator = streams.block_generator(seed, "bootstrap", first // size)
                drawn = generator.multinomial(self.n, counts / self.n, size=stop - first)
                return transform(*self.matrices(drawn.astype(np.float64)))

            return totals.run_blocks(by_cells, n_resamples, size, n_jobs, progress)
        table = self._table(place, cells.size)
        bounds = np.array([0, self.n_units])
        key = streams.stream_key(seed, "bootstrap")

        def by_units(first: int, stop: int) -> FloatArray:
            keys = streams.replicate_keys(key, first, stop - first)
            drawn = totals.bootstrap_weights(keys, bounds).astype(np.float64)
            return transform(*self.matrices((table @ drawn.T).T))

        size = max(1, min(totals.WEIGHT_BLOCK // self.n_units, few))
        return totals.run_blocks(by_units, n_resamples, size, n_jobs, progress)

    def _table(self, place: IntArray, n_cells: int) -> Any:
        """Return how often each outcome occurs in each unit, sparse, shape (C, units)."""
        from scipy.sparse import csr_array

        # Without clusters, judgements in the order of their outcomes: the order given does not matter.
        unit = np.arange(self.n) if self.clusters is None else self.clusters
        rows = np.sort(place) if self.clusters is None else place
        return csr_array((np.ones(self.n), (rows, unit)), shape=(n_cells, self.n_units))
