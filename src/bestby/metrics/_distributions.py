"""What the metrics of soft labels share: clipped logarithms, entropies, sums over classes."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

import numpy as np

from bestby._core.typing import FloatArray
from bestby.metrics.base import MeanMetric

CLIP: Final = 1e-12
"""Probabilities inside logarithms are raised to this, so that a class held impossible costs 27.6 nats."""

LEAST: Final = float(np.finfo(np.float64).tiny)
"""The least normal number: what stands for 0 where a factor 0 outside makes the term 0 anyway."""


class PerItem(MeanMetric):
    """The mean of one number per item, computed from a row of the gold and a row of the predictions."""

    reads = "distributions"

    @abstractmethod
    def row_values(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the number of each item, shape (n,), up to rounding."""

    def values(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the number of each item."""
        # Rows may miss 1 by the rounding they came with, and the number its bounds by as much. Adding 0
        # turns -0 into 0.
        return np.clip(self.row_values(gold, predictions), *self.bounds) + 0.0


def dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the sum of products over the classes of each item: einsum is several times faster than sum()."""
    product: FloatArray = np.einsum("...k,...k->...", a, b)
    return product


def over_classes(values: FloatArray) -> FloatArray:
    """Return the sum over the classes, the last axis."""
    total: FloatArray = np.einsum("...k->...", values)
    return total


def clipped_log(p: FloatArray) -> FloatArray:
    """Return the natural logarithm of probabilities raised to `CLIP`.

    >>> clipped_log(np.array([0.0, 0.5, 1.0])).round(2)
    array([-27.63,  -0.69,   0.  ])
    """
    return np.log(np.maximum(p, CLIP))


def normalised_entropies(p: FloatArray) -> FloatArray:
    """Return the entropy of each row over log K: from 0 (certain) to 1 (all classes alike).

    >>> normalised_entropies(np.array([[1.0, 0.0], [0.5, 0.5]]))
    array([0., 1.])
    """
    greatest = np.log(max(p.shape[-1], 2))  # with a single class there is no entropy, whatever the scale
    entropies: FloatArray = 0.0 - dot(p, np.log(np.maximum(p, LEAST))) / greatest
    return entropies
