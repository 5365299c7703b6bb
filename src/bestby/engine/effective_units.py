"""Notes on differences over runs and items that few items or clusters carry."""

from __future__ import annotations

import math

import numpy as np

from bestby._core import rounding
from bestby._core.typing import FloatArray
from bestby.engine.base import Influences
from bestby.inference import clusters
from bestby.results.base import Note

ENOUGH_CARRYING = 9.0
"""Units that must carry a difference, were they equally large, before its t interval keeps its level."""

ENOUGH_OF_ALL = 6.0
"""The same as a part of all units, where these are few: one in six."""


def few_carrying(
    found: Influences,
    columns: tuple[slice, slice],
    scores: tuple[FloatArray, FloatArray],
    *,
    clustered: bool,
    rights: bool,
) -> tuple[Note, ...]:
    """Return a note if few units carry the difference of two systems, or none does, or that is not known.

    `columns` are those of the runs of both systems, `scores` the scores of these runs; `rights` tells that
    these are shares of right answers.
    """
    units, n = "clusters" if clustered else "items", int(found.counts.sum())
    of_a, of_b = (found.values[:, runs].mean(axis=1) for runs in columns)
    of_all = n * np.array([of_a, of_b, of_a - of_b])
    if not np.isfinite(of_all).all():
        told = (
            f"what some of the {n} {units} contribute to the difference is undefined, for instance because a"
            " score is undefined without them: the interval may be too short, and no verdict is based on it"
        )
        return (Note("few_effective", told),)
    if rounding.is_nothing(np.abs(of_all[2]).max(), max(np.abs(z).max() for z in (of_all, *scores))):
        return _same_everywhere(units, *scores, rights=rights)
    carrying = clusters.carrying(of_a - of_b, found.sizes, found.counts)
    if carrying >= min(ENOUGH_CARRYING, n / ENOUGH_OF_ALL):
        return ()
    told = (
        f"at most {math.ceil(carrying)} of {n} {units} determine how the difference would change with"
        " other items: the interval is probably too short, and no verdict is based on it"
    )
    return (Note("few_effective", told),)


def whole_sums(found: Influences, columns: slice, scores: FloatArray) -> bool:
    """Return whether the sums of all units can be numbers of right answers."""
    n, sizes = float(found.counts @ found.sizes), found.sizes[:, None]
    sums = n * found.values[:, columns] + sizes * scores
    whole = np.rint(sums)
    within = (whole >= 0.0) & (whole <= sizes)
    return bool((within & (np.abs(sums - whole) <= rounding.ON_POINT)).all())


def _same_everywhere(units: str, x: FloatArray, y: FloatArray, *, rights: bool) -> tuple[Note, ...]:
    """Return a note on a difference that is the same on every unit, unless that is a copy of scores.

    `rights` tells that these are shares of right answers, of which the t interval does not allow for what
    has not been seen.
    """
    if rights:
        told = (
            f"no more answers are right in one of the two systems on any of the {units}: that others might"
            " differ is not in the interval, which is probably too short, and no verdict is based on it"
        )
        return (Note("none_effective", told),)
    if np.array_equal(np.sort(x), np.sort(y)):
        return ()
    told = (
        f"the difference between the mean runs is the same on all {units}: the data do not show how it"
        " would change with other items, and the interval allows for other runs only"
    )
    return (Note("same_difference", told),)
