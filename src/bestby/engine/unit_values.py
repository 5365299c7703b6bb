"""What single units add to a difference, to first order, whatever the protocol of the metric."""

from __future__ import annotations

import numpy as np

from bestby._core.typing import FloatArray
from bestby.data.evaluation import Evaluation
from bestby.engine.base import Group, Pair
from bestby.engine.ranked import WeightGroup
from bestby.engine.sums import SumGroup
from bestby.engine.weighted import MOST_LEFT_OUT, ItemGroup
from bestby.metrics.base import BaseMetric


def added_by_units(group: Group, pair: Pair) -> FloatArray | None:
    """Return what each unit adds to a difference, shape (U,), in any order; None if nothing tells it."""
    _, a, b = pair
    if isinstance(group, SumGroup):
        sample = group.sample(a, b)
        return np.repeat(sample.influence, sample.units.counts)
    if isinstance(group, WeightGroup):
        found = group.influence(a, b)
        if found is not None:
            return np.repeat(found[0], group.units.counts)
    if group.n_units > MOST_LEFT_OUT:
        return None
    return _left_out(group, pair)


def added_by_items(evaluation: Evaluation, metric: BaseMetric, group: Group, pair: Pair) -> FloatArray | None:
    """Return numbers of the items, shape (n,), of which those of a unit sum to what it adds to a difference.

    `metric` has not seen the data, and `group` holds it on the items of `evaluation`. None if nothing tells
    it.
    """
    _, a, b = pair
    if isinstance(group, SumGroup):
        return group.item_influence(a, b)
    if isinstance(group, WeightGroup):
        of_a, of_b = group.derivatives(a), group.derivatives(b)
        if of_a is not None and of_b is not None:
            return np.asarray(of_a.first - of_b.first, dtype=np.float64)
    if not isinstance(group, ItemGroup) or group.n_units > MOST_LEFT_OUT:
        return None
    added = _left_out(group, pair)
    if added is None or group.unit_of is None:
        return added
    values = np.zeros(evaluation.n_items)  # the first item of a unit stands for all of it
    values[np.unique(group.unit_of, return_index=True)[1]] = added
    return values


def _left_out(group: Group, pair: Pair) -> FloatArray | None:
    """Return what each unit adds by leaving it out; None if the score is undefined without one."""
    m, a, b = pair
    whole, without = group.scores()[m], group.jackknife().scores[:, m]
    moved = (whole[a] - whole[b]) - (without[:, a] - without[:, b])
    n = group.n_units
    return moved * ((n - 1.0) / n) if np.isfinite(moved).all() else None
