"""The scores of a judge and of humans for the same answers, and what errors of their means rest on."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.data.coding import codes
from bestby.inference.clusters import StandardError, carrying, cr2, equal_units

LEAST_CARRYING, LEAST_SHARE = 100, 0.2
"""Answers of equal weight, and their share, below which the judge's errors rest on few (kurtosis above 5)."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """The scores of one judge and of humans for the M labelled pairs of item and system.

    Parameters
    ----------
    judge, human, weights : ndarray, shape (M,)
        The scores, and the weights of the labels, which per system sum to 1.
    system, cluster, stratum : ndarray of int, shape (M,)
        Codes from 0; without clusters the item is the cluster.
    names : tuple of str
        The systems.
    plain : bool
        Whether items are independent and of equal weight, so that exact score intervals hold.
    binary : bool
        Whether humans, and the judge, score 0 and 1 only, on all items.
    """

    judge: FloatArray
    human: FloatArray
    weights: FloatArray
    system: IntArray
    cluster: IntArray
    stratum: IntArray
    names: tuple[str, ...]
    plain: bool
    binary: bool

    @property
    def bias(self) -> FloatArray:
        """The judge's scores less the human ones."""
        return self.judge - self.human

    def part(self, which: BoolArray) -> Pairs:
        """Return some of the pairs."""
        return dataclasses.replace(
            self,
            judge=self.judge[which],
            human=self.human[which],
            weights=self.weights[which],
            system=self.system[which],
            cluster=self.cluster[which],
            stratum=self.stratum[which],
        )


def carried_by_few(pairs: Pairs) -> bool:
    """Tell whether few answers (or clusters) make most of what the judge's scores have beside the human ones.

    So it is if the residuals of the judge's scores from a line in the human ones have a kurtosis above 5, and
    fewer than 100 of equal size would have their sum of squares. Bias and correlation are then hardly known,
    as is what other such answers would change. Scores 0 and 1 have score intervals, which allow for it.
    """
    if pairs.binary:
        return False
    w = pairs.weights / pairs.weights.sum()
    x, y = (values - float(w @ values) for values in (pairs.human, pairs.judge))
    spread = float(w @ (x * x))
    residuals = y - x * (float(w @ (x * y)) / spread if spread > 0.0 else 0.0)
    largest = float(np.abs(residuals).max())
    if rounding.is_nothing(largest, float(np.abs(pairs.judge).max())):
        return False
    place = codes(pairs.cluster)[1]
    sums = np.bincount(place, weights=w * (residuals / largest)).astype(np.float64)
    if rounding.is_nothing(float(np.abs(sums).max()), float(w.max())):
        return False
    sizes = np.bincount(place, weights=w * w).astype(np.float64)
    return carrying(sums, sizes) < min(LEAST_CARRYING, LEAST_SHARE * sums.size)


def error_of_mean(values: FloatArray, pairs: Pairs) -> StandardError:
    """Return the standard error of the weighted mean of some pairs of one or several systems, by CR2."""
    w = pairs.weights / pairs.weights.sum()
    distinct, place = codes(pairs.cluster)
    sums = np.bincount(place, weights=w * (values - float(w @ values))).astype(np.float64)
    sizes, squares = (np.bincount(place, weights=one).astype(np.float64) for one in (w, w * w))
    stratum = np.zeros(distinct.size, dtype=np.int64)
    stratum[place] = pairs.stratum
    order = np.argsort(stratum, kind="stable")
    bounds = np.searchsorted(stratum[order], np.arange(int(stratum.max(initial=0)) + 2))
    return cr2(sums[order], sizes[order], None, bounds, squares=squares[order])


def effective_clusters(influence: FloatArray, pairs: Pairs) -> float:
    """Return how many clusters of equal influence would give an estimate its error."""
    squares = np.bincount(codes(pairs.cluster)[1], weights=pairs.weights * influence) ** 2
    return equal_units(squares / squares.max())
