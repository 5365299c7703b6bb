"""What units that differ add to a difference, and how much a unit that has not been seen could add."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.typing import IntArray
from bestby.engine.base import Group, Influences, Pair
from bestby.engine.hierarchy import RunsWithItems
from bestby.engine.reach import finite_influence, reach
from bestby.engine.sums import SumGroup
from bestby.inference.intervals import Ends


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
    sample, (a, b) = group.sample(*pair), pair
    known = finite_influence(sample)
    n_units = group.n_units if known is None else int(known.counts.sum())
    clustered = group.clustered or group.crossed
    return Evidence(known, reach(group, [a], [b]), sample.differing[1], n_units, clustered)


def evidence_of_runs(maker: RunsWithItems, a: int, b: int, n_differing: int) -> Evidence:
    """Return the same of the mean over the runs of A minus that of B.

    Units differ if the mean rows of statistics do; of metrics that are no functions of sums, those count
    on which some run differs, of which there are `n_differing`.
    """
    group = maker.group
    of_runs = group.influences
    known = None
    if of_runs is not None and np.isfinite(of_runs.values).all():
        of_a, of_b = (of_runs.values[:, maker.columns(s)].mean(axis=1) for s in (a, b))
        known = dataclasses.replace(of_runs, values=of_a - of_b)
    runs = np.arange(sum(maker.n_runs))
    both = runs[maker.columns(a)], runs[maker.columns(b)]
    differing = _differing(group, *both) if isinstance(group, SumGroup) else min(n_differing, group.n_units)
    return Evidence(known, reach(group, *both), differing, group.n_units, group.clustered)


def _differing(group: SumGroup, a: IntArray, b: IntArray) -> int:
    """Return the number of units on which the mean rows of some systems differ from those of others."""
    sample = group.together
    rows = sample.rows()
    of_a, of_b = (np.mean([rows[s] for s in systems.tolist()], axis=0) for systems in (a, b))
    apart = (rounding.difference(of_a, of_b) != 0.0).any(axis=1)
    return int(sample.units.counts[apart].sum())
