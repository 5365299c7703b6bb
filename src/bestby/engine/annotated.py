"""Functions of sums against a gold that is the labels of annotators, which are resampled too."""

from __future__ import annotations

from dataclasses import dataclass

from bestby._core.typing import FloatArray
from bestby.engine.base import Drawing
from bestby.engine.stacked import scored
from bestby.engine.sums import TableGroup
from bestby.engine.table import Table


@dataclass(frozen=True, eq=False)
class AnnotatedGroup(TableGroup):
    """Metrics against a gold made of annotations, which the bootstrap resamples within the items.

    A resample draws as many units as there are, each with one of V versions of its gold; a version
    is a resample of the item's annotators.
    """

    versions: Table

    gold_varies = True

    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of resampled items with resampled annotators, shape (B, M, S)."""
        return self._resampled(self.versions, drawing)

    def resampled_scores(self) -> FloatArray:
        """Return the scores of all items against the mean of their versions, shape (M, S)."""
        table, n = self.versions, self.n_units
        mean = table.units.counts @ table.X * (n / table.units.n)
        return scored(self.metrics, table, table.full(mean, n))
