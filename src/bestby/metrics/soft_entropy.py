"""Whether a system is uncertain where the annotators are: entropies of gold and predictions, item by item."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from bestby._core import rounding
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, FloatArray
from bestby.metrics._distributions import normalised_entropies
from bestby.metrics._items import required_gold
from bestby.metrics.base import Names, StandardisedMetric
from bestby.metrics.correlation import Pearson

_LEAST_SQUARE = 1e-10  # sums of squares below this are rounding where the mean square of the full data is 1


@dataclass(frozen=True, repr=False)
class EntropySimilarity(StandardisedMetric):
    """The cosine between the entropies of the gold and those of the predictions.

    Each side is a vector with one entry per item, the entropy of its distribution over log K (Uma et al.
    2021, JAIR 72, 1385-1470). The entropies are never negative, so neither is the cosine, and predictions
    that have nothing to do with the gold easily reach 0.9. `EntropyCorrelation` leaves the means out.

    Before they are squared, the entropies of each side are divided by their root mean square on the full
    data, `scale` and the second of each of `locations`, so that `statistics` must be given whole columns. The
    test ``"permutation"`` swaps the entropies as they are, ``"permutation-standardised"`` those divided.
    Undefined (NaN) on a resample in which a side has no entropy.
    """

    name: str = "entropy_similarity"
    scale: float = 1.0
    locations: tuple[tuple[float, float], ...] = ()
    bounds = (0.0, 1.0)
    reads = "distributions"
    standard_column = 1

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the scales of the gold and the systems fixed."""
        entropies = normalised_entropies(required_gold(gold, self.name, "gold labels"))
        sizes = [_root_mean_square(normalised_entropies(predictions)) for predictions in systems]
        return dataclasses.replace(
            self, scale=self._size("the gold has", entropies), locations=tuple((0.0, size) for size in sizes)
        )

    def statistics(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the product of the scaled entropies and their squares."""
        y = normalised_entropies(gold) / self.scale
        x = normalised_entropies(predictions)
        x = x / self._size("the predictions have", x)
        return np.column_stack([x * y, x * x, y * y])

    def standard_scores(self, column: FloatArray) -> FloatArray:
        """Return the roots of the squares: entropies are not negative."""
        return np.sqrt(column)

    def as_given(self, rows: FloatArray, system: int, centre: float, scale: float) -> FloatArray:  # noqa: ARG002
        """Return the statistics of the entropies divided by `scale`; the centre is always 0."""
        factor = self.locations[system][1] / scale
        xy, xx, yy = rows.T
        return np.column_stack([factor * xy, factor * factor * xx, yy])

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the cosine; NaN where a side has no entropy."""
        xy, xx, yy = np.moveaxis(totals, -1, 0)
        defined = (xx > _LEAST_SQUARE) & (yy > _LEAST_SQUARE)
        norms = np.sqrt(np.where(defined, xx, 1.0)) * np.sqrt(np.where(defined, yy, 1.0))
        return np.where(defined, np.clip(xy / norms, 0.0, 1.0), np.nan)

    def _size(self, what: str, entropies: FloatArray) -> float:
        if rounding.is_nothing(entropies.max(), 1.0):
            raise InvalidInputError(
                f"{self.name} is undefined: {what} no entropy (every item is certain of its class)",
                hint="use cross_entropy, js_divergence or soft_accuracy, which take hard labels too",
            )
        return _root_mean_square(entropies)


def _root_mean_square(entropies: FloatArray) -> float:
    return float(np.sqrt(np.mean(entropies * entropies)))


@dataclass(frozen=True, repr=False)
class EntropyCorrelation(Pearson):
    """Pearson's correlation between the entropies of the gold and those of the predictions.

    Whether a system is less certain on the items on which the annotators agree less, whatever its certainty
    on the whole (Uma et al. 2021, JAIR 72, 1385-1470). Undefined (NaN) on a resample in which a side has the
    same entropy on all items. Entropies are centred and scaled as `Pearson` does with numbers, and swapped as
    they are.
    """

    name: str = "entropy_correlation"
    reads = "distributions"

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:
        """Return the metric with the centre and scale of the entropies of the gold fixed."""
        entropies = self._varying(
            "the gold has", normalised_entropies(required_gold(gold, self.name, "gold labels"))
        )
        return super().fit(entropies, [normalised_entropies(predictions) for predictions in systems], labels)

    def statistics(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return standard scores of the entropies, their squares, their product and 1."""
        entropies = self._varying("the predictions have", normalised_entropies(predictions))
        return super().statistics(normalised_entropies(gold), entropies)

    def _varying(self, what: str, entropies: FloatArray) -> FloatArray:
        if rounding.is_nothing(np.ptp(entropies), 1.0):
            raise InvalidInputError(
                f"{self.name} is undefined: {what} the same entropy on all items"
                f" ({entropies[0]:.3g} of the greatest)",
                hint="use cross_entropy, js_divergence or soft_accuracy, which need no variation",
            )
        return entropies


NAMES: Names = {
    "entropy_similarity": ("cosine of the entropies of gold and predictions", EntropySimilarity),
    "entropy_correlation": (
        "linear correlation of the entropies of gold and predictions",
        EntropyCorrelation,
    ),
}

SUGGESTIONS = {"cor": "entropy_correlation", "sim": "entropy_similarity"}
