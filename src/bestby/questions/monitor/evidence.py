"""What the units so far show of pairs of systems: the evidence of all looks, and the intervals at each.

`Pairs` adds up what each look shows, of many pairs side by side; `interval` goes through all units of one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np

from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.questions.monitor import planned_looks
from bestby.questions.monitor.confidence_sequences import (
    FRACTIONS,
    Before,
    Units,
    asymptotic_interval,
    betting_interval,
    log_capital,
    log_factors,
    normal_mixture_bound,
    rare_loss,
)
from bestby.questions.monitor.items import Collected, look_counts
from bestby.questions.monitor.settings import FEW_DIFFERING, FEW_FOR_ASYMPTOTICS, FORMAT, OPTIMAL, Settings

Ends = tuple[float, float]

Claim = tuple[int, float, float]
"""That a difference lies above (0) or below (1) a value, and the error of this one-sided statement."""


# -- many pairs, look by look --------------------------------------------------------------------------------


class Pairs:
    """The differences of pairs of systems against some hypothetical means; `look` and `freeze` change it.

    Parameters
    ----------
    settings : Settings
        Those of the monitor.
    pairs : sequence of tuple of int
        The columns of the two systems of each pair.
    means : sequence of float
        The hypotheses about the difference.
    """

    def __init__(self, settings: Settings, pairs: Sequence[tuple[int, int]], means: Sequence[float]) -> None:
        self.settings = settings
        self.pairs = list(pairs)
        self.means = np.array(means)
        self.active: BoolArray = np.ones(len(self.pairs), dtype=np.bool_)
        self.n_units: IntArray = np.zeros(len(self.pairs), dtype=np.int64)
        width = len(self.pairs)
        self.sums = Sums.none(width)
        """The sums of all pairs; those of a pair that is not active are as they were, its number apart."""
        self._logs = np.zeros((2, self.means.size, width, FRACTIONS.size))
        self.counts: tuple[int, ...] = ()
        """The numbers of items at the looks so far."""
        # The strongest evidence of all looks, for the two sides: the logarithm of an e-value.
        self.peak: FloatArray = np.full((2, self.means.size, width), -np.inf)

    def freeze(self, systems: Sequence[int]) -> None:
        """Take no more units of the pairs of some systems."""
        self.active &= ~np.array([a in systems or b in systems for a, b in self.pairs], dtype=np.bool_)

    def look(self, collected: Collected, first: int) -> None:
        """Add the units from `first` on, and what they show."""
        last = len(collected.ends)
        on = np.flatnonzero(self.active)
        if not on.size or first == last:
            return
        means, sizes = collected.units(first, last, range(len(self.settings.systems)))
        a, b = np.array(self.pairs)[on].T
        units = Units(means[:, a] - means[:, b], sizes, collected.weights(first, last))
        self._bet(units, on)
        self.sums = self.sums.plus(Sums.of(units), on)
        self.counts = (*self.counts, round(self.sums.s)) if self.settings.looks is not None else ()
        self.n_units[on] = last
        self._raise_peak(on)

    def _bet(self, units: Units, on: IntArray) -> None:
        if self.settings.method != "betting":
            return
        s, bounds = self.settings, self.settings.difference_bounds
        before = Before(round(self.sums.s), self.sums.sx[on])
        self._logs[:, :, on] += log_factors(units, self.means, bounds, s.n_population, before)

    def _raise_peak(self, on: IntArray) -> None:
        """Note the evidence at this look, and what follows from the items that are left."""
        if self.settings.method == "betting":
            now = log_capital(self._logs[:, :, on])
        else:
            now = self._evidence_of_sums(on)
        population = self.settings.n_population
        if population is not None and self.settings.bounds is not None:
            left, (low, high) = population - self.sums.s, self.settings.difference_bounds
            total = self.sums.sx[on]
            wide = 1e-12 * high
            least, most = (total + left * low) / population, (total + left * high) / population
            now[0][least - wide > self.means[:, None]] = np.inf
            now[1][most + wide < self.means[:, None]] = np.inf
        self.peak[:, :, on] = np.maximum(self.peak[:, :, on], now)

    def _evidence_of_sums(self, on: IntArray) -> FloatArray:
        """Return the evidence as that of e-values: enough for an interval, for one side of it, or none."""
        now = np.full((2, self.means.size, on.size), -np.inf)
        for alpha in (2.0 * self.settings.alpha, self.settings.alpha):
            low, high = closed_form_intervals(self.sums, self.settings, alpha, self.counts)
            enough = math.log(2.0 / alpha)
            now[0][low[on] >= self.means[:, None]] = enough
            now[1][high[on] <= self.means[:, None]] = enough
        return now

    def shown(self, side: int, place: int, alpha: float) -> BoolArray:
        """Return of each pair whether the difference was shown to lie on one side of a hypothesis.

        Side 0 is above it, side 1 below; `alpha` is the error of the one-sided statement.
        """
        enough: BoolArray = self.peak[side, place] >= math.log(1.0 / alpha) - 1e-9
        return enough


# -- sums, and what follows from them in closed form ---------------------------------------------------------


_ALL: Final = slice(None)


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over units with means x and sizes s, of pairs side by side: what closed forms need.

    `differing` counts the units in which the two systems differ; `size` is the largest s, `ends` are the
    largest x and the largest -x.
    """

    n_units: int
    s: float
    ss: float
    sss: float
    size: float
    ends: FloatArray
    sx: FloatArray
    ssx: FloatArray
    ssxx: FloatArray
    sssx: FloatArray
    sssxx: FloatArray
    sssxxx: FloatArray
    differing: FloatArray

    @classmethod
    def none(cls, width: int) -> Sums:
        """Return the sums over no units."""
        zeros = np.zeros(width)
        ends = np.full((2, width), -np.inf)
        return cls(0, 0.0, 0.0, 0.0, 0.0, ends, zeros, zeros, zeros, zeros, zeros, zeros, zeros)

    @classmethod
    def of(cls, units: Units) -> Sums:
        """Return the sums of some units."""
        size, x = units.sizes.astype(np.float64)[:, None], units.values
        square = size * size
        parts = [size * x, square * x, square * x * x]
        parts += [size * part for part in parts[1:]]
        parts += [parts[-1] * x, x != 0.0]
        s, ss, sss = (float((size**power).sum()) for power in (1, 2, 3))
        ends = np.stack([x.max(axis=0), -x.min(axis=0)])
        return cls(len(size), s, ss, sss, float(size.max()), ends, *np.sum(parts, axis=1))

    def plus(self, other: Sums, on: IntArray | slice = _ALL) -> Sums:
        """Return the sums over the units of both; of pairs that are not `on` as they are."""

        def added(mine: Any, theirs: Any) -> Any:
            if not isinstance(mine, np.ndarray):
                return mine + theirs
            both = mine.copy()
            both[on] += theirs
            return both

        names = [field.name for field in fields(self) if field.name not in ("size", "ends")]
        ends = self.ends.copy()
        ends[:, on] = np.maximum(ends[:, on], other.ends)
        sums = {name: added(getattr(self, name), getattr(other, name)) for name in names}
        return Sums(**sums, size=max(self.size, other.size), ends=ends)

    @property
    def mean(self) -> FloatArray:
        """The mean of the items."""
        return self.sx / self.s

    @property
    def deviation(self) -> FloatArray:
        """The standard deviation of a unit, as far as it moves the mean of the items."""
        mean = self.mean
        squares = np.maximum(self.ssxx - 2.0 * mean * self.ssx + mean * mean * self.ss, 0.0)
        return np.sqrt(squares / max(self.n_units - 1, 1)) * self.n_units / self.s

    @property
    def third(self) -> FloatArray:
        """The third central moment of a unit, as far as it moves the mean of the items."""
        mean = self.mean
        cubes = self.sssxxx - mean * (3.0 * self.sssxx - mean * (3.0 * self.sssx - mean * self.sss))
        # The sums are exact to some digits only, of which none are left where units hardly vary.
        exact = self.deviation > 1e-4 * np.sqrt(self.ssxx / max(self.ss, 1.0))
        return np.where(exact, cubes / max(self.n_units, 1) * (self.n_units / self.s) ** 3, 0.0)

    @property
    def constant(self) -> BoolArray:
        """Whether the differences do not vary: their variance is exact to half of the digits only."""
        alike: BoolArray = self.deviation <= 1e-7 * np.sqrt(self.ssxx / max(self.ss, 1.0))
        return alike

    @property
    def largest(self) -> FloatArray:
        """The largest deviation of an x from the mean."""
        mean = self.mean
        largest: FloatArray = np.maximum(self.ends[0] - mean, self.ends[1] + mean)
        return largest

    @property
    def units_needed(self) -> FloatArray:
        """How many units the asymptotic sequence needs: 300, and 25 times the squared skewness.

        The latter is Cochran's rule for when a mean is about normal (1977, Sampling Techniques, equation
        2.15).
        """
        cubes = self.deviation**3
        skewness = np.divide(self.third, cubes, out=np.zeros_like(cubes), where=cubes > 0.0)
        needed: FloatArray = np.maximum(FEW_FOR_ASYMPTOTICS, 25.0 * skewness**2)
        return needed


def closed_form_intervals(
    sums: Sums, settings: Settings, alpha: float, counts: tuple[int, ...] = ()
) -> tuple[FloatArray, FloatArray]:
    """Return the intervals in closed form, infinite where there are too few units.

    `counts` are the numbers of items at the planned looks so far.
    """
    if settings.looks is not None:
        below, above = planned_looks.reaches(
            settings, sums.n_units, sums.deviation, sums.third, alpha, counts
        )
        # Units that are all alike tell nothing of their spread, and no interval is a point because of them.
        unknown = sums.constant & (settings.largest_difference is None) & (settings.file_format > 1)
        low, high = sums.mean - below, sums.mean + above
        return np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)
    n_opt = 0.5 * (settings.n_items or OPTIMAL)
    if settings.method == "normal-mixture":
        reach = settings.difference_bounds[1]
        square = reach * reach
        radius = normal_mixture_bound(sums.ss * square, alpha, n_opt * square) / sums.s
        low, high = sums.mean - radius, sums.mean + radius
        return np.maximum(low, -reach), np.minimum(high, reach)
    unknown = sums.constant | (sums.differing < FEW_DIFFERING) | (sums.n_units < FEW_FOR_ASYMPTOTICS)
    low, high = asymptotic_interval(sums.mean, sums.deviation, max(sums.n_units, 1), alpha, n_opt)
    if settings.file_format > 1:
        largest = settings.largest_difference
        if largest is None:
            unknown = unknown | (sums.n_units < sums.units_needed)
        # A difference in a cluster of `size` items moves the mean so many times as far as one of an item.
        size = max(sums.size, settings.largest_cluster or 0)
        more = size * rare_loss(sums.largest if largest is None else largest, sums.s, alpha)
        low, high = low - more, high + more
    return np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)


def overturned_by(
    sums: Sums, settings: Settings, claims: Sequence[Claim], counts: tuple[int, ...] = ()
) -> float:
    """Return from which size on a single difference, were it possible, would overturn some claims.

    That is the least `largest` with which the interval of one of them no longer shows it; 0 if it does not
    show it anyway. The claims are about the only pair of the sums.
    """

    def shown(largest: float) -> bool:
        allowing = replace(settings, bounds=None, largest=largest, file_format=FORMAT)
        for side, mean, alpha in claims:
            low, high = closed_form_intervals(sums, allowing, 2.0 * alpha, counts)
            if (low[0] < mean) if side == 0 else (high[0] > mean):
                return False
        return True

    inside, outside = 0.0, max(1e-9, float(sums.largest[0]))
    if not shown(inside):
        return 0.0
    while shown(outside):
        inside, outside = outside, 2.0 * outside
    while outside - inside > 1e-9 * outside:
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if shown(middle) else (inside, middle)
    return inside


# -- one interval --------------------------------------------------------------------------------------------


def interval(units: Units, settings: Settings, alpha: float, tolerance: float = 1e-7) -> Ends:
    """Return the interval of one difference, infinite where there are too few units for it."""
    n_items = int(units.sizes.sum())
    if n_items and n_items == settings.n_population:
        mean = float((units.values[:, 0] * units.sizes).sum() / n_items)
        return mean, mean
    if not n_items:
        return settings.difference_bounds if settings.bounds else (-math.inf, math.inf)
    if settings.method == "betting":
        bounds, population = settings.difference_bounds, settings.n_population
        return betting_interval(units, bounds, alpha, population, tolerance)
    low, high = closed_form_intervals(Sums.of(units), settings, alpha, look_counts(settings, units))
    return float(low[0]), float(high[0])


def exact_ends(pairs: Pairs, collected: Collected, place: int, alpha: float) -> Ends:
    """Return the interval that the units of a pair give at this look, from all units."""
    return interval(collected.pair(*pairs.pairs[place], int(pairs.n_units[place])), pairs.settings, alpha)
