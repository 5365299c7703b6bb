"""What the units so far show of many pairs of systems side by side; each look adds to what was shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np

from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.comparisons.monitor import planned
from bestby.comparisons.monitor.collected import Collected
from bestby.comparisons.monitor.settings import FEW_DIFFERING, FEW_FOR_ASYMPTOTICS, OPTIMAL, Settings
from bestby.inference import betting
from bestby.inference.betting import Before, Units, log_capital, log_factors
from bestby.inference.confidence_sequences import asymptotic_interval, normal_mixture_bound

Ends = tuple[float, float]
_ALL: Final = slice(None)


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over units with means x and sizes s, of pairs side by side: what closed forms need.

    `differing` counts the units in which the two systems differ.
    """

    n_units: int
    s: float
    ss: float
    sss: float
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
        return cls(0, 0.0, 0.0, 0.0, zeros, zeros, zeros, zeros, zeros, zeros, zeros)

    @classmethod
    def of(cls, units: Units) -> Sums:
        """Return the sums of some units."""
        size, x = units.sizes.astype(np.float64)[:, None], units.values
        square = size * size
        parts = [size * x, square * x, square * x * x]
        parts += [size * part for part in parts[1:]]
        parts += [parts[-1] * x, x != 0.0]
        s, ss, sss = (float((size**power).sum()) for power in (1, 2, 3))
        return cls(len(size), s, ss, sss, *np.sum(parts, axis=1))

    def plus(self, other: Sums, on: IntArray | slice = _ALL) -> Sums:
        """Return the sums over the units of both; of pairs that are not `on` as they are."""

        def added(mine: Any, theirs: Any) -> Any:
            if not isinstance(mine, np.ndarray):
                return mine + theirs
            both = mine.copy()
            both[on] += theirs
            return both

        names = [field.name for field in fields(self)]
        return Sums(*(added(getattr(self, name), getattr(other, name)) for name in names))

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


def closed_form_intervals(
    sums: Sums, settings: Settings, alpha: float, counts: tuple[int, ...] = ()
) -> tuple[FloatArray, FloatArray]:
    """Return the intervals in closed form, infinite where there are too few units.

    `counts` are the numbers of items at the planned looks so far.
    """
    if settings.looks is not None:
        below, above = planned.reaches(settings, sums.n_units, sums.deviation, sums.third, alpha, counts)
        return sums.mean - below, sums.mean + above
    n_opt = 0.5 * (settings.n_items or OPTIMAL)
    if settings.method == "normal-mixture":
        reach = settings.difference_bounds[1]
        square = reach * reach
        radius = normal_mixture_bound(sums.ss * square, alpha, n_opt * square) / sums.s
        low, high = sums.mean - radius, sums.mean + radius
        return np.maximum(low, -reach), np.minimum(high, reach)
    deviation = sums.deviation
    # The variance is a difference of sums, exact to half of the digits only.
    constant = deviation <= 1e-7 * np.sqrt(sums.ssxx / max(sums.ss, 1.0))
    unknown = constant | (sums.differing < FEW_DIFFERING) | (sums.n_units < FEW_FOR_ASYMPTOTICS)
    low, high = asymptotic_interval(sums.mean, deviation, max(sums.n_units, 1), alpha, n_opt)
    return np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)


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
        return betting.betting_interval(units, bounds, alpha, population, tolerance)
    counts = (
        () if settings.looks is None else planned.reached(settings.looks, np.cumsum(units.sizes).tolist())
    )
    low, high = closed_form_intervals(Sums.of(units), settings, alpha, counts)
    return float(low[0]), float(high[0])


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
        self._logs = np.zeros((2, self.means.size, width, betting.FRACTIONS.size))
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
