"""Bootstrap distributions: drawn, exact on a lattice, or inverted from a characteristic function.

Intervals and tests ask a distribution for three things only: the mass below a point, the mass at
a point, and quantiles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bestby._core import rounding, special
from bestby._core.errors import DesignError
from bestby._core.typing import Array, FloatArray
from bestby.results.base import Note

WINDOW = 9.5
"""Half width, in standard deviations, of the window outside which mass is below 1e-20."""


LEAST_TAIL = 1e-12
"""Mass below which the tail of an exact bootstrap distribution is rounding error."""


class Distribution(Protocol):
    """What intervals and tests need of a bootstrap distribution."""

    @property
    def exact(self) -> bool:
        """True if nothing was drawn."""

    @property
    def sd(self) -> float:
        """The standard deviation."""

    @property
    def size(self) -> int:
        """The number of replicates; 0 if nothing was drawn."""

    def below(self, x: float) -> float:
        """Return the mass strictly below x."""

    def above(self, x: float) -> float:
        """Return the mass strictly above x."""

    def at(self, x: float) -> float:
        """Return the mass at x."""

    def quantile(self, p: float) -> float:
        """Return the p-quantile; that of the negated variable at 1 - p is its negative."""


@dataclass(frozen=True, eq=False)
class Replicates:
    """Replicates of a statistic, as drawn.

    `values` has shape (B,).
    """

    values: FloatArray
    tolerance: float
    exact: bool = False

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return float(np.std(self.values, ddof=1)) if self.values.size > 1 else 0.0

    @property
    def size(self) -> int:
        """The number of replicates."""
        return int(self.values.size)

    def below(self, x: float) -> float:
        """Return the share of replicates below x and not tied with it."""
        return float(np.searchsorted(self.values, x - self.tolerance, side="left")) / self.size

    def above(self, x: float) -> float:
        """Return the share of replicates above x and not tied with it."""
        return 1.0 - float(np.searchsorted(self.values, x + self.tolerance, side="right")) / self.size

    def at(self, x: float) -> float:
        """Return the share of replicates tied with x."""
        low = np.searchsorted(self.values, x - self.tolerance, side="left")
        high = np.searchsorted(self.values, x + self.tolerance, side="right")
        return float(high - low) / self.size

    def quantile(self, p: float) -> float:
        """Return the order statistic of rank p (B + 1), interpolated (Davison & Hinkley 1997, eq. 5.6)."""
        rank = min(max(p * (self.size + 1), 1.0), float(self.size))
        low = int(rank)
        high = min(low + 1, self.size)
        left, right = float(self.values[low - 1]), float(self.values[high - 1])
        return left + (rank - low) * (right - left)


def replicates(values: FloatArray, scale: float = 0.0) -> Replicates:
    """Return the distribution of drawn replicates; `scale` is the size of the numbers they came from."""
    ordered = np.sort(values)
    finite = ordered[np.isfinite(ordered)]
    low, high = (float(finite[0]), float(finite[-1])) if finite.size else (0.0, 0.0)
    return Replicates(ordered, rounding.tie_width(max(scale, abs(low), abs(high)), high - low))


def defined_replicates(drawn: FloatArray, scale: float) -> tuple[Replicates, tuple[Note, ...]]:
    """Return the distribution of the replicates that are defined, with a note on those that are not."""
    undefined = np.isnan(drawn)
    if not undefined.any():
        return replicates(drawn, scale), ()
    if undefined.all():
        raise DesignError(
            "the metric is undefined on every resample",
            hint="there are too few items of some class; use more items or another metric",
        )
    note = Note(
        "undefined_resamples",
        f"the metric is undefined on {int(undefined.sum())} of {undefined.size} resamples, which are left out"
        " (a class or all variation is missing there)",
    )
    return replicates(drawn[~undefined], scale), (note,)


@dataclass(frozen=True, eq=False)
class Lattice:
    """An exact distribution on equally spaced points.

    Parameters
    ----------
    first : float
        The first point, in steps; a whole number but for a distribution with a single point.
    step : float
        The distance of the points, times `divisor`.
    divisor : int
        Points are ``(first + i) * step / divisor``, so that a mirrored lattice has the mirrored bits.
    pmf : ndarray, shape (m,)
        The mass of each point.
    """

    first: float
    step: float
    divisor: int
    pmf: FloatArray
    exact: bool = True
    size: int = 0

    @property
    def sd(self) -> float:
        """The standard deviation."""
        points = np.arange(self.pmf.size)
        mean = float(self.pmf @ points)
        spread = float(np.sqrt(max(float(self.pmf @ (points - mean) ** 2), 0.0)))
        return spread * self.step / self.divisor

    def _position(self, x: float) -> float:
        return x * self.divisor / self.step - self.first

    def below(self, x: float) -> float:
        """Return the mass strictly below x."""
        stop = int(np.ceil(self._position(x) - rounding.ON_POINT))
        return float(self.pmf[: max(stop, 0)].sum())

    def above(self, x: float) -> float:
        """Return the mass strictly above x, summed from its own end: a small tail keeps its digits."""
        start = int(np.floor(self._position(x) + rounding.ON_POINT)) + 1
        return float(self.pmf[max(start, 0) :].sum())

    def at(self, x: float) -> float:
        """Return the mass at x."""
        position = self._position(x)
        nearest = round(position)
        on = abs(position - nearest) < rounding.ON_POINT and 0 <= nearest < self.pmf.size
        return float(self.pmf[nearest]) if on else 0.0

    def quantile(self, p: float) -> float:
        """Return the outermost point with at least mass p (below one half) or 1 - p (above) beyond it.

        Smallest x with F(x) >= p in the lower half, largest x with 1 - F(x-) >= 1 - p in the upper, so
        that negating the variable negates the quantile.
        """
        if p <= 0.5:
            index = int(np.searchsorted(np.cumsum(self.pmf), p))
        else:
            index = self.pmf.size - 1 - int(np.searchsorted(np.cumsum(self.pmf[::-1]), 1.0 - p))
        return (self.first + min(max(index, 0), self.pmf.size - 1)) * self.step / self.divisor


@dataclass(frozen=True, eq=False)
class Inverted:
    """A continuous distribution given by its characteristic function on equispaced frequencies.

    `coefficients` has shape (K,). `frequency` is the spacing h of the frequencies; the distribution must lie
    within pi / h of its mean.
    """

    mean: float
    sd: float
    frequency: float
    coefficients: Array
    exact: bool = True
    size: int = 0

    def below(self, x: float) -> float:
        """Return the mass below x: the Fourier series of the density, integrated from the window's edge."""
        k = np.arange(1, self.coefficients.size + 1)
        half = np.pi / self.frequency
        y = x - self.mean
        if abs(y) >= half:
            return float(y > 0.0)
        waves = np.exp(-1j * k * self.frequency * y) - np.exp(1j * k * np.pi)
        series = (self.coefficients * waves / (-1j * k)).real.sum() / np.pi
        return float(min(max((y + half) / (2.0 * half) + series, 0.0), 1.0))

    def above(self, x: float) -> float:
        """Return the mass above x."""
        return 1.0 - self.below(x)

    def at(self, x: float) -> float:  # noqa: ARG002
        """Return 0: the distribution has no atoms."""
        return 0.0

    def quantile(self, p: float) -> float:
        """Return the p-quantile by Newton's method, kept within a shrinking bracket."""
        half = np.pi / self.frequency
        low, high = self.mean - half, self.mean + half
        x = self.mean + self.sd * float(special.ndtri(min(max(p, 1e-15), 1.0 - 1e-15)))
        for _ in range(100):
            gap = self.below(x) - p
            low, high = (x, high) if gap < 0.0 else (low, x)
            density = self._density(x)
            step = gap / density if density > 0.0 else np.inf
            x_next = x - step if low < x - step < high else 0.5 * (low + high)
            if abs(x_next - x) <= 1e-13 * self.sd:
                return float(x_next)
            x = x_next
        return float(x)

    def _density(self, x: float) -> float:
        k = np.arange(1, self.coefficients.size + 1)
        waves = np.exp(-1j * k * self.frequency * (x - self.mean))
        return float(self.frequency / (2.0 * np.pi) * (1.0 + 2.0 * (self.coefficients * waves).real.sum()))
