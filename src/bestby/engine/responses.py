"""How the scores of the systems of a table respond to the weights of its units; each is computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.typing import FloatArray, IntArray
from bestby.engine import slopes
from bestby.engine.slopes import Response
from bestby.engine.stacked import STACKED, scores
from bestby.engine.table import Table
from bestby.engine.transforms import Functional
from bestby.inference import intervals
from bestby.metrics._curvatures import Derivatives
from bestby.metrics._lines import SmoothMetric, gradient_and_hessian
from bestby.metrics.base import Metric
from bestby.resampling.units import Units

MOST_ALONE = 1 << 12
"""Distinct units up to which formulas for one system or two take a table of their own.

With more, they do so only where labels of these systems make few kinds of units.
Sums in another order differ in the last bit, and other systems have a say in the order of the common table.
"""

MOST_ROWS = 1 << 20
"""Numbers up to which the statistics of systems are kept."""


MOST_OF_A_TOTAL = 1.0 / 32.0
"""The largest part of a total that one unit may bring if derivatives are to tell the score without it."""


_AT_ONCE = 1 << 14
"""Numbers of several columns whose sizes are made at once: they stay in the cache."""

_TINY = float(np.finfo(np.float64).tiny)  # in place of 0, below numbers that are all 0


@dataclass(frozen=True, eq=False)
class Part:
    """One system of an expansion: the totals (k,) and rows (C, k) of its units, and what its score does."""

    total: FloatArray
    rows: FloatArray
    response: Response


@dataclass(frozen=True, eq=False)
class Single:
    """How the weights of units change the score of one system.

    `responses` may be those of a table of this system alone; `metric` and `system` are its positions there.
    `rows`, of shape (C,), is the row of that table for each of the C units that are asked about; None if
    these are the units of the table.
    """

    responses: Responses
    metric: int
    system: int
    rows: IntArray | None

    def among(self, units: IntArray) -> Single:
        """Return the same for some of the units."""
        return replace(self, rows=units if self.rows is None else self.rows[units])

    def part(self) -> Part:
        """Return what an expansion needs of the system."""
        found = self.responses.part(self.metric, self.system)
        if self.rows is None:
            return found
        response = found.response
        influence, first = response.influence[self.rows], response.first[self.rows]
        of_units = Response(influence, first, response.curvature, response.hessian, response.shift)
        return Part(found.total, found.rows.T.take(self.rows, axis=1).T, of_units)

    def influence(self) -> FloatArray:
        """Return what each unit adds to the score, to first order, shape (C,)."""
        return self._of_units(self.responses.influence(self.metric, self.system))

    def left_out(self) -> FloatArray:
        """Return the scores without one unit of each kind, shape (C,)."""
        return self._of_units(self.responses.left_out(self.metric, self.system))

    @property
    def nearly_linear(self) -> bool:
        """Whether derivatives tell what the score is without a unit, as none brings much of a total."""
        return self.responses.largest_share(self.metric, self.system) <= MOST_OF_A_TOTAL

    def _of_units(self, values: FloatArray) -> FloatArray:
        return values if self.rows is None else values[self.rows]


@dataclass(frozen=True, eq=False)
class Responses:
    """Those of the systems of a table on its metrics, by the table as it is."""

    metrics: Sequence[Metric]
    table: Table

    def part(self, metric: int, system: int) -> Part:
        """Return what an expansion needs of a system."""
        return Part(self._total(metric, system), self._rows(metric, system), self._response(metric, system))

    def influence(self, metric: int, system: int) -> FloatArray:
        """Return what each distinct unit adds to the score of a system, to first order, shape (C,)."""
        # The second derivatives of a metric that knows them come with the first.
        if (metric, system) in self._made or isinstance(self.metrics[metric], SmoothMetric):
            return self._response(metric, system).influence
        if (metric, system) not in self._influences:
            own, rows = self.metrics[metric], self._rows(metric, system)
            found = slopes.influence(own, Functional(own), self._total(metric, system), rows)
            self._influences[metric, system] = found
        return self._influences[metric, system]

    @cached_property
    def _influences(self) -> dict[tuple[int, int], FloatArray]:
        return {}

    def left_out(self, metric: int, system: int) -> FloatArray:
        """Return the score of a system without one unit of each kind, shape (C,)."""
        if (metric, system) not in self._without:
            total, rows = self._total(metric, system)[:, None], self._rows(metric, system).T
            step = max(1, STACKED // max(1, 4 * total.size))  # what a score is made of fits the cache as well
            parts = [rows[:, start : start + step] for start in range(0, rows.shape[1], step)]
            # Column by column, as metrics read them.
            found = [scores(self.metrics[metric], np.subtract(total, part).T) for part in parts]
            self._without[metric, system] = found[0] if len(found) == 1 else np.concatenate(found)
        return self._without[metric, system]

    @cached_property
    def _without(self) -> dict[tuple[int, int], FloatArray]:
        return {}

    def largest_share(self, metric: int, system: int) -> float:
        """Return the largest part of the total of some column, all numbers taken positive, of one unit."""
        if (metric, system) not in self._shares:
            rows, weights = self._rows(metric, system), self.table.units.weights
            step = max(1, _AT_ONCE // max(1, len(rows)))
            largest = 0.0
            for start in range(0, rows.shape[1], step):
                sizes = np.abs(rows[:, start : start + step])
                shares = np.maximum.reduce(sizes, axis=0) / np.maximum(weights @ sizes, _TINY)
                largest = max(largest, float(np.maximum.reduce(shares)))
            self._shares[metric, system] = largest
        return self._shares[metric, system]

    @cached_property
    def _shares(self) -> dict[tuple[int, int], float]:
        return {}

    def _response(self, metric: int, system: int) -> Response:
        if (metric, system) not in self._made:
            own, bent = self.metrics[metric], self._bent(metric, system)
            total, rows = self._total(metric, system), self._rows(metric, system)
            self._made[metric, system] = slopes.response(
                own, Functional(own), total, rows, self.table.units, bent=bent, whole=self._whole
            )
        return self._made[metric, system]

    def are_exact(self, metric: int, system: int) -> bool:
        """Return whether derivatives come from exact sums: what else tells units apart changes no bit."""
        return self._whole and self._bent(metric, system) is not None

    @cached_property
    def _whole(self) -> bool:
        return self.table.units.n_rows <= MOST_ALONE and self.table.exact_products

    def _bent(self, metric: int, system: int) -> Derivatives | None:
        """Return the derivatives of a score by the totals, of a metric that knows them."""
        if (metric, system) not in self._known_bent:
            found = gradient_and_hessian(self.metrics[metric], self._total(metric, system))
            self._known_bent[metric, system] = found
        return self._known_bent[metric, system]

    @cached_property
    def _known_bent(self) -> dict[tuple[int, int], Derivatives | None]:
        return {}

    @cached_property
    def _made(self) -> dict[tuple[int, int], Response]:
        return {}

    def _total(self, metric: int, system: int) -> FloatArray:
        return self.table.total()[self.table.columns[metric][system]]

    def _rows(self, metric: int, system: int) -> FloatArray:
        """Return the statistics of one system, shape (C, k), to be read only."""
        if (metric, system) not in self._kept_rows:
            rows = self.table.rows(self.table.columns[metric][system])
            if (1 + len(self._kept_rows)) * rows.size > MOST_ROWS:
                self._kept_rows.clear()
            self._kept_rows[metric, system] = rows
        return self._kept_rows[metric, system]

    @cached_property
    def _kept_rows(self) -> dict[tuple[int, int], FloatArray]:
        return {}


def effective_units_left_out(parts: Sequence[Single], units: Units) -> float:
    """Return how many units of equal weight would carry the variance of a score or difference.

    The scores without each unit tell it.
    """
    left_out = [part.left_out() for part in parts]
    without = left_out[0] if len(left_out) == 1 else rounding.difference(*left_out)
    return intervals.effective_units(without, units.counts, units.bounds)
