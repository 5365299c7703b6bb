"""The paired permutation test of a metric that is a function of sums."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.engine.base import Drawing
from bestby.engine.row_order import ordered, projected
from bestby.engine.transforms import Swap, Taken
from bestby.inference import permutation, tilted_draws, tilting
from bestby.metrics.base import MeanMetric, Metric
from bestby.resampling import executing
from bestby.resampling import totals as resampling
from bestby.resampling.units import CELL_COST_SWAP, Units
from bestby.results.values import TestResult


@dataclass(frozen=True, eq=False)
class Swaps:
    """What two systems swap: rows of statistics (C, k) of A and of B, on units of which there are so many each.

    `scores` are those of A and B.
    """

    metric: Metric
    of_a: FloatArray
    of_b: FloatArray
    units: Units
    scores: FloatArray
    clustered: bool

    @cached_property
    def observed(self) -> float:
        """The difference of the data."""
        return float(self.scores[0] - self.scores[1])

    @cached_property
    def _totals(self) -> tuple[FloatArray, FloatArray]:
        return self.units.weights @ self.of_a, self.units.weights @ self.of_b

    @cached_property
    def _difference(self) -> Swap:
        """A minus B as a function of the shift of the totals from their midpoint."""
        of_a, of_b = self._totals
        return Swap(self.metric, 0.5 * (of_a + of_b))

    @cached_property
    def _half(self) -> FloatArray:
        """Half of the totals of B minus those of A: the data stand at minus this."""
        of_a, of_b = self._totals
        return 0.5 * (of_b - of_a)

    @cached_property
    def _scale(self) -> float:
        return float(np.abs(self.scores).max())

    @cached_property
    def _slack(self) -> float:
        """A bound on the error of a difference that comes from rounding of the totals."""
        sizes = np.zeros(self._half.size)
        for rows in (self.of_a, self.of_b):  # sums of whole numbers are exact
            whole = (np.rint(rows) == rows).all(axis=0)
            sizes += np.where(whole, 0.0, self.units.weights @ np.abs(rows))
        return self._difference.slack(-self._half, sizes)

    @cached_property
    def _tolerance(self) -> float:
        """Within what differences are ties."""
        return max(rounding.tie_width(self._scale, abs(self.observed)), self._slack)

    @cached_property
    def _kinds(self) -> tuple[FloatArray, IntArray, IntArray]:
        """The distinct changes of totals by a swap, up to sign, and the number of units of each.

        The third array is the data's own arrangement, as `permutation.exact_enumeration` takes it.
        """
        delta = rounding.difference(self.of_b, self.of_a)
        differs, used = delta.any(axis=1), delta.any(axis=0)
        delta, counts = delta[differs], self.units.counts[differs]
        if counts.size == 0:
            return delta, counts, counts
        projection = projected(delta[:, used])
        signs = np.where(projection < 0.0, -1, 1)
        delta = signs[:, None] * delta
        order, fresh = ordered(delta, [np.abs(projection)])
        first = np.flatnonzero(fresh)
        # A swap shifts the totals of A by half of B minus A: the data stand at the other end.
        own = -np.add.reduceat((signs * counts)[order], first)
        return delta[order[first]], np.add.reduceat(counts[order], first), own

    def test(self, alternative: Alternative, drawing: Drawing, *, exact: bool = True) -> TestResult:
        """Return the test: exact, by draws that are tilted towards the data, or by plain ones.

        Without `exact`, swaps are drawn even where all could be counted.
        """
        with executing.one_blas_thread():  # once, as it takes as long as many of the products inside
            if not exact:
                return self._drawn(alternative, drawing)
            found = self._without_plain(alternative, drawing) or self._drawn(alternative, drawing)
            return self._refined(found, drawing)

    def _refined(self, result: TestResult, drawing: Drawing) -> TestResult:
        """Return a test with few hits by tilted draws, or where these fail by more plain ones."""
        if not tilting.few_hits(result):
            return result
        result = tilting.refined(result, self._tilted, self._tolerance, drawing.seed)
        most = tilting.most_plain(drawing.n_resamples, self.units.n)
        if tilting.few_hits(result) and most > drawing.n_resamples:
            more = dataclasses.replace(drawing, n_resamples=most, progress=None)
            return self._drawn(result.alternative, more)
        return result

    def _without_plain(self, alternative: Alternative, drawing: Drawing) -> TestResult | None:
        """Return the exact test, or that of tilted draws alone where the data are far out; None elsewhere."""
        result = self._exact(alternative)
        if result is not None:
            return result
        return tilting.far(
            self._tilted, self.observed, alternative, self._tolerance, drawing.seed, drawing.n_resamples
        )

    @cached_property
    def _tilted(self) -> tilted_draws.Swaps:
        """How the difference depends on the swaps of the units."""
        delta, counts, own = self._kinds
        difference, half = self._difference, self._half
        step = np.where(own < 0, -1.0, 1.0)
        moved = np.concatenate([np.zeros((1, half.size)), step[:, None] * delta])
        values = difference(-half - moved)
        shifts = 0.5 * delta

        def changes_at(signs: FloatArray) -> FloatArray:
            here = signs @ shifts
            return difference(here + shifts) - difference(here - shifts)

        changes = step * (values[0] - values[1:])
        return tilted_draws.Swaps(counts, own, changes, difference, shifts, changes_at)

    def _exact(self, alternative: Alternative) -> TestResult | None:
        if isinstance(self.metric, MeanMetric) and bool((self.of_a[:, 1] == self.of_b[:, 1]).all()):
            d = rounding.difference(self.of_a[:, 0], self.of_b[:, 0])
            return permutation.exact_mean(d, self.units.counts, alternative, float(self._totals[0][1]))
        delta, counts, own = self._kinds
        if counts.size == 0:
            return TestResult("permutation", 1.0, alternative, True, "enumeration", statistic=0.0)
        return permutation.exact_enumeration(
            delta, counts, own, self._difference, self.observed, alternative, self._tolerance
        )

    def _drawn(self, alternative: Alternative, drawing: Drawing) -> TestResult:
        """Return the test by plain draws: binomial ones by kinds of changes, or a swap of each unit.

        Labels always have kinds, of which there are few.
        """
        delta, counts, _ = self._kinds
        labels = self.metric.reads == "labels" and not self.clustered
        if labels or Units(counts, np.array([0, counts.size])).by_cells(CELL_COST_SWAP):
            drawn = resampling.cell_swaps(
                delta,
                counts,
                drawing.n_resamples,
                drawing.seed,
                Taken(self._difference, 0.5 * (counts @ delta)),
                n_jobs=drawing.n_jobs,
                progress=drawing.progress,
                executor=drawing.executor,
            )
        else:
            delta = self.of_b - self.of_a
            used = np.flatnonzero(delta.any(axis=0))
            drawn = resampling.swaps(
                delta[:, used],
                self.units,
                drawing.n_resamples,
                drawing.seed,
                Taken(self._difference, self._half, used),
                n_jobs=drawing.n_jobs,
                progress=drawing.progress,
                executor=drawing.executor,
            )
        return permutation.monte_carlo(
            drawn, self.observed, alternative, name="permutation", scale=self._scale, slack=self._slack
        )
