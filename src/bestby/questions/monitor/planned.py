"""Planned looks: when they are due, and the repeated confidence intervals at them.

At a look the interval is the estimate plus and minus a multiple of its standard error, the multiple being the
boundary of the look (Jennison & Turnbull 1989, J. R. Statist. Soc. B 51, 305-361): all intervals of all looks
hold at once, so that each is valid whatever made the monitor stop there, and stays so until the next look.
The boundary allows for the estimated deviation, by Student's t, and for skewed differences (Hall 1992, J. R.
Statist. Soc. B 54, 221-228).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from bestby._core import special
from bestby._core.errors import DesignError
from bestby._core.typing import BoolArray, FloatArray
from bestby.inference.skewness import restored
from bestby.questions.monitor.betting import Units
from bestby.questions.monitor.group_sequential import BOUNDARIES, NEAREST
from bestby.questions.monitor.settings import SPENDING_METHODS, Settings
from bestby.results.base import Note


def check_clusters(settings: Settings, cluster: object) -> None:
    """Refuse clusters where the looks must come exactly as planned."""
    if cluster is not None and settings.looks is not None and settings.method not in SPENDING_METHODS:
        raise DesignError(
            f"method={settings.method!r} needs looks at the planned numbers of items, and clusters are whole",
            hint=f"pass method={SPENDING_METHODS[0]!r}, which allows for looks somewhat later",
            argument="method",
        )


def due(looks: Sequence[int], ends: Sequence[int], n_counted: int) -> int | None:
    """Return after how many units the next look comes, None if it is not reached yet.

    >>> due((4, 8), [1, 3, 5, 7], 0), due((4, 8), [1, 3, 5, 7], 5)
    (3, None)
    """
    target = next((count for count in looks if count > n_counted), None)
    place = len(ends) if target is None else bisect_left(ends, target)
    return place + 1 if place < len(ends) else None


def reached(looks: Sequence[int], ends: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers of items at the looks that were reached.

    >>> reached((4, 8), [1, 3, 5, 7, 9, 11])
    (5, 9)
    """
    counts: list[int] = []
    while (units := due(looks, ends, counts[-1] if counts else 0)) is not None:
        counts.append(ends[units - 1])
    return tuple(counts)


def counts_of(settings: Settings, units: Units) -> tuple[int, ...]:
    """Return the numbers of items at the looks that some units reach; none if no looks are planned."""
    return () if settings.looks is None else reached(settings.looks, np.cumsum(units.sizes).tolist())


def multiples(settings: Settings, n_units: int, alpha: float, counts: tuple[int, ...]) -> tuple[float, float]:
    """Return the multiples of the standard error at this look and at the last one.

    `counts` are the numbers of items at the looks so far. The multiples of a normal statistic become those
    of Student's t with the same tail probabilities, as the standard deviation is estimated.
    """
    assert settings.looks is not None
    ahead = [count for count in settings.looks if count > counts[-1]]
    limits = _boundaries(settings.method, (*counts, *ahead), settings.n_population, alpha)
    here, last = limits[min(len(counts), len(limits)) - 1], limits[-1]
    units = max(n_units - 1, 1)
    return _student(here, units), _student(last, units)


def reaches(
    settings: Settings,
    n_units: int,
    deviation: FloatArray,
    third: FloatArray,
    alpha: float,
    counts: tuple[int, ...],
) -> tuple[FloatArray, FloatArray]:
    """Return how far the repeated confidence intervals reach below and above the estimates at the last look.

    `deviation` is that of a unit, `third` its third central moment. The estimate over its standard error is
    skewed the other way than the units: on the side on which it has the longer tail, the boundary is moved by
    Hall's transformation, and on the other side it stays, as an estimated skewness would make the interval
    too short there (see `bestby.inference.skewness`).
    """
    here, _ = multiples(settings, n_units, alpha, counts)
    if math.isinf(here) or n_units < 2:
        return np.full_like(deviation, np.inf), np.full_like(deviation, np.inf)
    wide = spread(settings, n_units, deviation)
    cubes = wide**3
    skewness = np.divide(third, cubes, out=np.zeros_like(third), where=cubes > 0.0) / math.sqrt(n_units)
    error = wide * share_left(settings, counts[-1]) / math.sqrt(n_units)
    below, above = np.maximum(here, restored(here, skewness)), np.maximum(here, -restored(-here, skewness))
    return below * error, above * error


def spread(settings: Settings, n_units: int, deviation: FloatArray) -> FloatArray:
    """Return the deviation of a unit, as if one more had been seen that differs as far as is possible.

    Without it the interval of systems that agreed on all items so far would be a point.
    """
    return np.hypot(deviation, (settings.largest_difference or 0.0) / math.sqrt(n_units + 1.0))


def share_left(settings: Settings, count: int) -> float:
    """Return the factor of the standard error where the items are drawn without replacement."""
    population = settings.n_population
    return 1.0 if population is None else math.sqrt(max(0.0, 1.0 - count / population))


FEW_UNITS, FEW_DIFFERING = 50, 20
"""Below these numbers at a look the normal approximation is in doubt."""


def doubtful(gaps: FloatArray) -> BoolArray:
    """Return of the differences of units up to the first look, (n, P), whether means may not be normal.

    That is so with few units, with few that differ, and below 25 times the squared skewness (Cochran 1977,
    Sampling Techniques, equation 2.15).
    """
    n = gaps.shape[0]
    centred = gaps - gaps.mean(axis=0)
    spread = np.sqrt((centred**2).mean(axis=0))
    skewness = (centred**3).mean(axis=0) / np.where(spread > 0.0, spread, 1.0) ** 3
    few = ((gaps != 0.0).sum(axis=0) < FEW_DIFFERING) | (n < FEW_UNITS)
    found: BoolArray = few | (n < 25.0 * skewness**2)
    return found


def notes(settings: Settings, means: FloatArray, ends: Sequence[int], n_items: int) -> Iterator[Note]:
    """Yield what must be known of planned looks.

    `means` (units, systems) are the scores that count, `ends` the numbers of items at the end of each unit,
    `n_items` is the number of items that were added.
    """
    assert settings.looks is not None
    counts = reached(settings.looks, ends)
    if counts:
        first = bisect_left(ends, counts[0]) + 1
        gaps = means[:first, :1] - means[:first, 1:]
        if doubtful(gaps).any():
            differing = int((gaps != 0.0).sum(axis=0).min())
            yield Note(
                "early_look",
                f"the first look had {first} units, of which {differing} differ: the intervals take means for"
                " normal, which is in doubt there; plan the first look later, or none (intervals by betting"
                " hold from the first item on)",
            )
    counted = counts[-1] if counts else 0
    if n_items > counted:
        ahead = next((count for count in settings.looks if count > counted), None)
        later = "no look is left" if ahead is None else f"the next look is at {ahead} items"
        waiting = n_items - counted
        are = "item is" if waiting == 1 else "items are"
        yield Note("between_looks", f"{waiting} {are} not counted yet: {later}")


def _student(limit: float, degrees: int) -> float:
    tail = float(special.ndtr(-limit))
    return math.inf if tail <= 0.0 else max(limit, -float(special.stdtrit(degrees, tail)))


@lru_cache(maxsize=256)
def _boundaries(
    method: str, counts: tuple[int, ...], population: int | None, alpha: float
) -> tuple[float, ...]:
    """Return the boundaries of looks at some numbers of items.

    Information is one over the variance of the mean: the number of items, or without replacement n / (1 - n /
    N), of which a look at all N items has no end; such a look needs no boundary.
    """
    known = [
        float(n) if population is None else n / (1.0 - n / population) for n in counts if n != population
    ]
    if not known:
        return (0.0,)
    for place in range(1, len(known)):  # looks that clusters moved together: as if apart, which errs high
        known[place] = max(known[place], known[place - 1] + 1.001 * NEAREST * max(known))
    return tuple(BOUNDARIES[method](known, alpha).tolist())
