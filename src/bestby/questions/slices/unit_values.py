"""What single units add to a difference, to first order, whatever the protocol of the metric."""

from __future__ import annotations

import numpy as np

from bestby._core.typing import FloatArray
from bestby.engine.base import Group, Pair
from bestby.engine.ranked import RankSample, WeightGroup
from bestby.engine.sample import SumSample
from bestby.engine.weighted import MOST_LEFT_OUT, ItemGroup


def added_by_units(group: Group, pair: Pair) -> FloatArray | None:
    """Return what each unit adds to a difference, shape (U,), in any order; None if nothing tells it."""
    sample = group.sample(*pair)
    if isinstance(sample, SumSample):
        return np.repeat(sample.influence, sample.units.counts)
    if isinstance(sample, RankSample) and sample.influence is not None:
        return np.repeat(sample.influence[0], group.units.counts)
    return _left_out(group, pair)


def added_by_items(group: Group, pair: Pair) -> FloatArray | None:
    """Return numbers of the items, shape (n,), of which those of a unit sum to what it adds to a difference.

    None if nothing tells it.
    """
    sample = group.sample(*pair)
    if isinstance(sample, SumSample):
        return sample.item_influence
    if isinstance(group, WeightGroup):
        of_a, of_b = (group.derivatives(s) for s in pair)
        if of_a is not None and of_b is not None:
            return np.asarray(of_a.first - of_b.first, dtype=np.float64)
    added = _left_out(group, pair) if isinstance(group, ItemGroup) else None
    if added is None or not isinstance(group, ItemGroup) or group.unit_of is None:
        return added
    values = np.zeros(group.unit_of.size)  # the first item of a unit stands for all of it
    values[np.unique(group.unit_of, return_index=True)[1]] = added
    return values


def _left_out(group: Group, pair: Pair) -> FloatArray | None:
    """Return what each unit adds by leaving it out; None of too many, or of a score undefined without one."""
    n = group.n_units
    if n > MOST_LEFT_OUT:
        return None
    sample = group.sample(*pair)
    moved = sample.estimate - sample.left_out().values
    return moved * ((n - 1.0) / n) if np.isfinite(moved).all() else None
