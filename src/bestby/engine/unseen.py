"""What units that differ add to a difference, and how much a unit that has not been seen could add."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.typing import FloatArray, IntArray
from bestby.engine.base import Group, Influences, Pair
from bestby.engine.dependent_units import CrossedGroup, item_influence
from bestby.engine.hierarchy import RunsWithItems
from bestby.engine.pairwise import PairGroup
from bestby.engine.ranked import WeightGroup
from bestby.engine.sums import SumGroup
from bestby.engine.targets import Target
from bestby.inference.intervals import Ends

MOST_NUMBERS = 1 << 24
"""Statistics of possible items up to which their influence is computed."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the units say of a difference, and what a unit could do to it.

    `influences` has the values (C,) of the difference; None where no formula tells them. `reach` is by how
    much one item can lower and raise the difference, both at least 0; None where nothing bounds it.
    `n_differing` of `n_units` units differ, and `clustered` tells that these hold several items.
    """

    influences: Influences | None
    reach: Ends | None
    n_differing: int
    n_units: int
    clustered: bool


def evidence(group: Group, pair: Pair) -> Evidence:
    """Return what is known of the difference of two systems."""
    if isinstance(group, PairGroup):
        alone, target = group.target_alone(Target(*pair))
        assert target.b is not None
        return evidence(alone, (target.metric, target.a, target.b))
    influences, clustered = _influences(group, pair), group.clustered or group.crossed
    n_units = group.n_units if influences is None else int(influences.counts.sum())
    m, a, b = pair
    return Evidence(influences, reach(group, m, [a], [b]), group.differing(pair)[1], n_units, clustered)


def evidence_of_runs(maker: RunsWithItems, a: int, b: int, n_differing: int) -> Evidence:
    """Return the same of the mean over the runs of A minus that of B.

    Units differ if the mean rows of statistics do; of metrics that are no functions of sums, those count
    on which some run differs, of which there are `n_differing`.
    """
    group, m = maker.group, maker.metric
    of_runs = group.influences(m)
    influences = None
    if of_runs is not None and np.isfinite(of_runs.values).all():
        of_a, of_b = (of_runs.values[:, maker.columns(s)].mean(axis=1) for s in (a, b))
        influences = dataclasses.replace(of_runs, values=of_a - of_b)
    runs = np.arange(sum(maker.n_runs))
    both = runs[maker.columns(a)], runs[maker.columns(b)]
    differing = (
        _differing(group, m, *both) if isinstance(group, SumGroup) else min(n_differing, group.n_units)
    )
    return Evidence(influences, reach(group, m, *both), differing, group.n_units, group.clustered)


def _differing(group: SumGroup, m: int, a: IntArray, b: IntArray) -> int:
    """Return the number of units on which the mean rows of some systems differ from those of others."""
    table = group.table
    of_a, of_b = (
        np.mean([table.rows(table.columns[m][int(s)]) for s in systems], axis=0) for systems in (a, b)
    )
    apart = (rounding.difference(of_a, of_b) != 0.0).any(axis=1)
    return int(table.units.counts[apart].sum())


def reach(group: Group, m: int, a: Iterable[int], b: Iterable[int]) -> Ends | None:
    """Return by how much one item can lower and raise the mean of the systems `a` minus that of `b`.

    That is to first order. The systems may have any rows that the metric knows to be possible for the same
    gold; None if it knows none.
    """
    if not isinstance(group, SumGroup):
        return None
    rows = group.metrics[m].possible_rows()
    if rows is None or rows.size > MOST_NUMBERS:
        return None
    golds, predictions, width = rows.shape
    flat = rows.reshape(-1, width)
    of_a, of_b = (
        np.array([group.influence_of_rows(m, int(s), flat).reshape(golds, predictions) for s in systems])
        for systems in (a, b)
    )
    lowers = (of_b.max(axis=2).mean(axis=0) - of_a.min(axis=2).mean(axis=0)).max()
    raises = (of_a.max(axis=2).mean(axis=0) - of_b.min(axis=2).mean(axis=0)).max()
    if not (np.isfinite(lowers) and np.isfinite(raises)):
        return None
    return max(0.0, float(lowers)), max(0.0, float(raises))


def _influences(group: Group, pair: Pair) -> Influences | None:
    """Return what each unit adds to the difference; of two crossed groupings, those with fewer groups."""
    found: Influences | None = None
    if isinstance(group, CrossedGroup):
        codes = min((group.first, group.second), key=lambda one: int(one.max()))
        values = np.bincount(codes, weights=item_influence(group, *pair)).astype(np.float64)
        found = _single(values, np.bincount(codes).astype(np.float64), np.array([0, values.size]))
    elif isinstance(group, SumGroup):
        table = group.table
        found = Influences(group.influence(*pair), table.sizes, table.units.counts, table.units.bounds)
    elif isinstance(group, WeightGroup):
        parts = group.influence(pair[1], pair[2])
        found = None if parts is None else _single(parts[0], np.ones(parts[0].size), parts[1])
    return found if found is not None and np.isfinite(found.values).all() else None


def _single(values: FloatArray, sizes: FloatArray, bounds: IntArray) -> Influences:
    return Influences(values, sizes, np.ones(values.size, dtype=np.int64), bounds)
