"""Soft labels of ordered classes: positions 0 to K - 1, in the order of the classes.

The order is that in which the classes are named; without names, that of the alphabet.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from bestby._core.typing import Array, FloatArray
from bestby.metrics._distributions import PerItem, over_classes
from bestby.metrics._items import required_gold
from bestby.metrics.base import Names


@dataclass(frozen=True, repr=False)
class _Ordered(PerItem):
    """What the metrics of ordered classes share: `fit` sets their greatest value, K - 1."""

    name: str = ""
    bounds: tuple[float, float] = (0.0, np.inf)
    greater_is_better = False
    ordered = True

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the greatest value fixed."""
        return dataclasses.replace(
            self, bounds=(0.0, required_gold(gold, self.name, "gold labels").shape[1] - 1.0)
        )


class OrdinalMAE(_Ordered):
    """The mean absolute difference of the expected positions; lower is better.

    ``|sum_k k p_k - sum_k k q_k|``, positions counted from 0 (Gaudette & Japkowicz 2009, Evaluation methods
    for ordinal classification, Canadian AI, 207-210). It sees the means only: one who is sure of the middle
    and one who is torn between the ends do not differ. `EarthMover` tells them apart.

    >>> gold = np.array([[1.0, 0.0, 0.0], [0.5, 0.0, 0.5]])
    >>> OrdinalMAE("ordinal_mae").values(gold, np.array([[0.0, 0.5, 0.5], [0.0, 1.0, 0.0]]))
    array([1.5, 0. ])
    """

    def row_values(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the absolute differences."""
        positions = np.arange(gold.shape[1], dtype=np.float64)
        return np.abs(over_classes((gold - predictions) * positions))


class EarthMover(_Ordered):
    """The mean earth mover's distance; lower is better.

    The least probability times steps that turns one distribution into the other: ``sum_k |P_k - Q_k|`` over
    the cumulative distributions (the first Wasserstein distance; the match distance of Werman, Peleg &
    Rosenfeld 1985, Computer Vision, Graphics, and Image Processing 32, 328-336). On hard labels it is the
    mean absolute error of the positions. Over K - 1 it is the normalised match distance of Sakai (2021, ACL,
    2759-2769).

    >>> gold = np.array([[1.0, 0.0, 0.0], [0.5, 0.0, 0.5]])
    >>> EarthMover("emd").values(gold, np.array([[0.0, 0.5, 0.5], [0.0, 1.0, 0.0]]))
    array([1.5, 1. ])
    """

    def row_values(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the distances."""
        moved = np.cumsum(gold[:, :-1] - predictions[:, :-1], axis=1)
        return over_classes(np.abs(moved))


NAMES: Names = {
    "ordinal_mae": ("absolute difference of the expected positions of ordered classes", OrdinalMAE),
    "emd": ("earth mover's distance between ordered classes", EarthMover),
}

SUGGESTIONS = {
    "earth_mover": "emd",
    "earth_movers_distance": "emd",
    "wasserstein": "emd",
}
