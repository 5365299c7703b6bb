"""Scores of many systems or pairs at once: their totals, side by side, are handed to a metric together.

A score of a few dozen resamples takes as long as the call of it; sixteen systems have 120 pairs, and two
scores each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from bestby._core.typing import FloatArray, IntArray
from bestby.engine.base import Pair
from bestby.engine.table import Table
from bestby.metrics.base import Metric

STACKED = 1 << 17
"""Numbers handed at once to a metric: they stay in the cache of one core."""

Midpoint: TypeAlias = tuple[FloatArray, FloatArray, float, float]
"""The mean of the totals of A and B, half of B minus A, the difference of their scores, and its scale."""


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def scores(metric: Metric, totals: FloatArray) -> FloatArray:
    """Return the scores of totals; what a metric divides by 0 is undefined, and no matter for a warning."""
    found = np.asarray(metric.score(totals))
    if math.isfinite(np.add.reduce(found, axis=None)):  # then all of them are
        return found
    return np.where(np.isfinite(found), found, np.nan)


def scored(metrics: Sequence[Metric], table: Table, totals: FloatArray) -> FloatArray:
    """Return the scores (..., M, S) of totals (..., K) of all columns."""
    if totals.ndim == 1:
        every = zip(metrics, table.columns, strict=True)  # each by itself: others would change its last bits
        return np.array([[scores(metric, totals[used]) for used in systems] for metric, systems in every])
    rows = totals.reshape(-1, totals.shape[-1])
    n_systems = len(table.columns[0])
    out = np.empty((rows.shape[0], len(metrics), n_systems))
    widest = max(used.size for systems in table.columns for used in systems)
    step = max(1, STACKED // max(1, n_systems * widest))
    for first in range(0, rows.shape[0], step):
        # Column by column, as metrics read them: a column of many systems and resamples is contiguous.
        by_column = np.ascontiguousarray(rows[first : first + step].T)
        for m, metric in enumerate(metrics):
            out[first : first + step, m] = _scores(metric, table.columns[m], by_column).T
    return out.reshape(*totals.shape[:-1], len(metrics), n_systems)


def _scores(metric: Metric, columns: Sequence[IntArray], totals: FloatArray) -> FloatArray:
    """Return the scores (S, R) of totals (K, R)."""
    if len({used.size for used in columns}) > 1:
        return np.stack([scores(metric, totals[used].T) for used in columns])
    stacked = totals[np.stack(columns, axis=1)]
    return scores(metric, stacked.reshape(stacked.shape[0], -1).T).reshape(len(columns), -1)


@dataclass(frozen=True, eq=False)
class Batch:
    """Pairs of one metric whose differences under swaps are scored together.

    `positions`, of shape (P,), says which pairs; `a` and `b`, of shape (k, P), are the columns of their
    systems. `midpoint` and `half`, of shape (k, P, 1), are the mean of their totals, and half of B minus A.
    """

    metric: int
    positions: IntArray
    a: IntArray
    b: IntArray
    midpoint: FloatArray
    half: FloatArray

    def fill(self, metric: Metric, taken: FloatArray, out: FloatArray) -> None:
        """Write the differences A minus B, for sums (K, R) of the rows swapped, into out (pairs, R)."""
        k, size = self.a.shape[0], taken.shape[1]
        step = max(1, STACKED // max(1, 2 * k * size))
        for first in range(0, self.positions.size, step):
            part = slice(first, first + step)
            shift = taken[self.b[:, part]]
            shift -= taken[self.a[:, part]]
            shift -= self.half[:, part]
            both = np.empty((k, 2, *shift.shape[1:]))
            np.add(self.midpoint[:, part], shift, out=both[:, 0])
            np.subtract(self.midpoint[:, part], shift, out=both[:, 1])
            of_a, of_b = scores(metric, both.reshape(k, -1).T).reshape(2, -1, size)
            out[self.positions[part]] = of_a - of_b


def batches(table: Table, pairs: Sequence[Pair], midpoints: Sequence[Midpoint]) -> list[Batch]:
    """Return the pairs put together by metric, and by number of columns should its systems differ in that."""
    alike: dict[tuple[int, int], list[int]] = {}
    for i, (m, a, _) in enumerate(pairs):
        alike.setdefault((m, table.columns[m][a].size), []).append(i)
    return [
        Batch(
            m,
            np.array(positions),
            np.stack([table.columns[m][pairs[i][1]] for i in positions], axis=1),
            np.stack([table.columns[m][pairs[i][2]] for i in positions], axis=1),
            np.stack([midpoints[i][0] for i in positions], axis=1)[:, :, None],
            np.stack([midpoints[i][1] for i in positions], axis=1)[:, :, None],
        )
        for (m, _), positions in alike.items()
    ]
