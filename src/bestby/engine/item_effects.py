"""What single items add to the difference of two systems, whatever the protocol of the metric."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.chunks import chunks
from bestby._core.typing import FloatArray, IntArray
from bestby.data.evaluation import Evaluation
from bestby.engine import permutations, prepare
from bestby.engine.functionals import scores as scored
from bestby.engine.items import ItemGroup
from bestby.engine.sums import SumGroup
from bestby.metrics.base import BaseMetric, MeanMetric, Metric, StandardisedMetric
from bestby.resampling import totals as resampling


@dataclass(frozen=True, eq=False)
class ItemEffects:
    """The items that two systems differ on, by their positions (D,), and what each adds to A minus B.

    An effect, of shape (D,), is half of what the difference changes by if the two systems exchange what they
    gave on that item: for a mean over n items the difference of the item's scores over n. NaN where the
    metric is undefined after the exchange. `scores` are the item's own, where the metric is their mean.
    """

    positions: IntArray
    effects: FloatArray
    scores: tuple[FloatArray, FloatArray] | None


def item_effects(evaluation: Evaluation, metric: BaseMetric, a: str, b: str) -> ItemEffects:
    """Return what each item on which A and B differ adds to their difference.

    Raises
    ------
    DesignError
        If the rows of the evaluation are counts of equal items.
    """
    evaluation.uncounted("a list of single items")
    pair = _pair(evaluation, a, b)
    (group,) = prepare.groups(pair, [metric], consumer="a list of single items")
    if isinstance(group, SumGroup):
        return _effects_in_sums(group)
    assert isinstance(group, ItemGroup)  # groups are of sums or of items
    return _effects_by_scoring(group)


def _pair(evaluation: Evaluation, a: str, b: str) -> Evaluation:
    """Return the two systems with every item as a cluster of its own, which keeps the order of the items."""
    return dataclasses.replace(
        evaluation.with_systems([a, b]),
        clusters=np.arange(evaluation.n_items),
        crossed=None,
        strata=None,
        groupings={},
    )


def _effects_in_sums(group: SumGroup) -> ItemEffects:
    metric = group.metric
    rows_a, rows_b = _rows(group, metric)
    apart = (rows_a != rows_b).any(axis=1)
    apart[apart] = (rounding.difference(rows_a[apart], rows_b[apart]) != 0.0).any(axis=1)
    positions = np.flatnonzero(apart)
    if isinstance(metric, MeanMetric) and np.array_equal(rows_a[:, 1], rows_b[:, 1]):
        values = rows_a[positions, 0], rows_b[positions, 0]
        return ItemEffects(positions, rounding.difference(*values) / float(rows_a[:, 1].sum()), values)
    total_a, total_b = rows_a.sum(axis=0), rows_b.sum(axis=0)
    moved = rows_b[positions] - rows_a[positions]
    swapped = np.empty(positions.size)
    for part in chunks(*moved.shape):
        swapped[part] = scored(metric, total_a + moved[part]) - scored(metric, total_b - moved[part])
    observed = scored(metric, total_a[None, :]) - scored(metric, total_b[None, :])
    return ItemEffects(positions, 0.5 * (observed - swapped), None)


def _rows(group: SumGroup, metric: Metric) -> Sequence[FloatArray]:
    """Return the statistics of every item of both systems, of numbers as they were given."""
    rows = [one.item_rows.each() for one in group.statistics]
    if isinstance(metric, StandardisedMetric) and permutations.raw_values_comparable(metric, (0, 1)):
        return permutations.raw_rows(metric, (0, 1), rows)
    return rows


def _effects_by_scoring(group: ItemGroup) -> ItemEffects:
    """Return the effects by scoring the items again after each exchange."""
    positions = np.flatnonzero(group._differs(0, 1))
    difference = group._score_swapped(0, 1)
    n = len(group.systems[0])

    def block(first: int, stop: int) -> FloatArray:
        bits = np.zeros((stop - first, n), dtype=np.uint8)
        bits[np.arange(stop - first), positions[first:stop]] = 1
        return difference(bits)

    observed = float(difference(np.zeros((1, n), dtype=np.uint8))[0])
    size = max(1, min(group._most(), resampling.WEIGHT_BLOCK // n))
    swapped = resampling.run_blocks(block, positions.size, size, 1, None) if positions.size else np.zeros(0)
    return ItemEffects(positions, 0.5 * (observed - swapped), None)
