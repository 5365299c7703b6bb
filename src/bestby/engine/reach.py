"""By how much a unit moves a difference: each of those seen, and one that has not been seen."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bestby.engine.base import Group, Influences, Sample
from bestby.engine.estimate import Estimate
from bestby.engine.sums import SumGroup
from bestby.inference import unseen
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
    of_a, of_b = (
        np.array([group.statistics[int(s)].influence_of(flat).reshape(golds, predictions) for s in systems])
        for systems in (a, b)
    )
    lowers = (of_b.max(axis=2).mean(axis=0) - of_a.min(axis=2).mean(axis=0)).max()
    raises = (of_a.max(axis=2).mean(axis=0) - of_b.min(axis=2).mean(axis=0)).max()
    if not (np.isfinite(lowers) and np.isfinite(raises)):
        return None
    return max(0.0, float(lowers)), max(0.0, float(raises))


def reach_of_cluster(reach: Ends, known: Influences) -> Ends:
    """Return the reach of a cluster all of whose items differ; a larger one changes more."""
    size = float(known.counts @ known.sizes**2 / (known.counts @ known.sizes))
    return reach[0] * size, reach[1] * size


def bound_of_copies(estimate: Estimate, level: float) -> Ends | None:
    """Return the interval of the difference of two systems that do not differ, from what units could do.

    None for systems that differ, and where nothing tells what a unit could do.
    """
    group, sample = estimate.group, estimate.sample
    if estimate.b is None or sample.differing[0]:
        return None
    most, known = reach(group, [estimate.a], [estimate.b]), finite_influence(sample)
    if most is None or known is None:
        return None
    if group.clustered or group.crossed:
        most = reach_of_cluster(most, known)
    least, greatest = estimate.bounds
    low, high = unseen.widened((0.0, 0.0), 0.0, known.values, known.counts, known.bounds, most, level)
    low, high = max(low, least), min(high, greatest)
    return (low, high) if low < high else None


def finite_influence(sample: Sample) -> Influences | None:
    """Return what each unit adds to the difference; None where nothing tells, or it is undefined for one."""
    found = sample.influences
    return found if found is not None and np.isfinite(found.values).all() else None
