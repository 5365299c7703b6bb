"""By how much units move a difference: those seen, and one that has not been seen."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.typing import IntArray
from bestby.engine.base import Group, Influences, Pair, Sample
from bestby.engine.estimate import Estimate
from bestby.engine.runs import RunsWithItems
from bestby.engine.sums import SumGroup
from bestby.inference import intervals
from bestby.inference.intervals import Ends

_ANSWERS = np.array([[[0.0, 1.0], [1.0, 1.0]]])
"""The rows of a mean of answers: wrong and right, each beside a 1."""

MOST_NUMBERS = 1 << 24
"""Statistics of possible items up to which their influence is computed."""


def reach(group: Group, a: Iterable[int], b: Iterable[int]) -> Ends | None:
    """Return by how much one item can lower and raise the mean of the systems `a` minus that of `b`.

    That is to first order. The systems may have any rows that the metric knows to be possible for the same
    gold; where it knows none, scores that are all 0 or 1 are answers, which have no others. None if neither
    tells.
    """
    if not isinstance(group, SumGroup):
        return None
    a, b = tuple(a), tuple(b)
    rows = group.metric.possible_rows()
    if rows is None and group.are_answers((*a, *b)):
        rows = _ANSWERS
    if rows is None or rows.size > MOST_NUMBERS:
        return None
    golds, predictions, width = rows.shape
    flat = rows.reshape(-1, width)
    reach_a, reach_b = (
        np.array([group.statistics[int(s)].influence_of(flat).reshape(golds, predictions) for s in systems])
        for systems in (a, b)
    )
    # Whatever the gold of the item: the worst that A and the best that B could say of it, in the mean of the
    # runs.
    lowers = (reach_b.max(axis=2).mean(axis=0) - reach_a.min(axis=2).mean(axis=0)).max()
    raises = (reach_a.max(axis=2).mean(axis=0) - reach_b.min(axis=2).mean(axis=0)).max()
    if not (np.isfinite(lowers) and np.isfinite(raises)):
        return None
    return max(0.0, float(lowers)), max(0.0, float(raises))


def reach_of_cluster(reach: Ends, influences: Influences) -> Ends:
    """Return the reach of a cluster all of whose items differ; a larger one changes more."""
    # The mean size of the cluster of an item, in which large clusters count by their items.
    size = float(influences.counts @ influences.sizes**2 / (influences.counts @ influences.sizes))
    return reach[0] * size, reach[1] * size


def bound_of_copies(estimate: Estimate, level: float) -> Ends | None:
    """Return the interval of the difference of two systems that do not differ, from what units could do.

    None for systems that differ, and where nothing tells what a unit could do.
    """
    group, sample = estimate.group, estimate.sample
    if estimate.b is None or sample.differing[0]:
        return None
    most, influences = reach(group, [estimate.a], [estimate.b]), finite_influence(sample)
    if most is None or influences is None:
        return None
    if group.clustered or group.crossed:
        most = reach_of_cluster(most, influences)
    least, greatest = estimate.bounds
    low, high = intervals.widened(
        (0.0, 0.0), 0.0, influences.values, influences.counts, influences.bounds, most, level
    )
    low, high = max(low, least), min(high, greatest)
    return (low, high) if low < high else None


def finite_influence(sample: Sample) -> Influences | None:
    """Return what each unit adds to the difference; None where nothing tells, or it is undefined for one."""
    influences = sample.influences
    return influences if influences is not None and np.isfinite(influences.values).all() else None


# -- what the units say of a difference ------------------------------------------------------------


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
    influences = finite_influence(sample)
    n_units = group.n_units if influences is None else int(influences.counts.sum())
    clustered = group.clustered or group.crossed
    return Evidence(influences, reach(group, [a], [b]), sample.differing[1], n_units, clustered)


def evidence_of_runs(runs_with_items: RunsWithItems, a: int, b: int, n_differing: int) -> Evidence:
    """Return what is known of the mean over the runs of A minus that of B.

    Units differ if the mean rows of statistics do; of metrics that are no functions of sums, those count
    on which some run differs, of which there are `n_differing`.
    """
    group = runs_with_items.group
    run_influences = group.influences
    influences = None
    if run_influences is not None and np.isfinite(run_influences.values).all():
        mean_a, mean_b = (run_influences.values[:, runs_with_items.columns(s)].mean(axis=1) for s in (a, b))
        influences = dataclasses.replace(run_influences, values=mean_a - mean_b)
    runs = np.arange(sum(runs_with_items.n_runs))
    both = runs[runs_with_items.columns(a)], runs[runs_with_items.columns(b)]
    differing = _differing(group, *both) if isinstance(group, SumGroup) else min(n_differing, group.n_units)
    return Evidence(influences, reach(group, *both), differing, group.n_units, group.clustered)


def _differing(group: SumGroup, a: IntArray, b: IntArray) -> int:
    """Return the number of units on which the mean rows of some systems differ from those of others."""
    sample = group.together
    rows = sample.rows()
    mean_a, mean_b = (np.mean([rows[s] for s in systems.tolist()], axis=0) for systems in (a, b))
    apart = (rounding.difference(mean_a, mean_b) != 0.0).any(axis=1)
    return int(sample.units.counts[apart].sum())
