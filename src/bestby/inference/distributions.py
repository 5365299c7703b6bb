"""Bootstrap distributions: drawn, exact on a lattice, or inverted from a characteristic function.

Intervals and tests ask a distribution for three things only: the mass below a point, the mass at a point, and
quantiles. That of a mean is exact, the limit of infinitely many resamples, wherever `mean_bootstrap` has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, TypeVar

import numpy as np

from bestby._core import rounding, special
from bestby._core.errors import DesignError
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.inference import characteristic_functions
from bestby.inference.characteristic_functions import total_has_steps
from bestby.inference.lattice import (
    all_single,
    as_lattice,
    in_order,
    merged_in_order,
    weighted_sum,
)
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
        # The density is (1 + 2 Re sum of phi_k exp(-i k h y)) / (2 half), y from the mean; integrated term by
        # term from -half on, with h half = pi.
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
            # In a tail the density is nearly 0 and a step goes too far: then the bracket is halved.
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


# -- exact distributions of means ------------------------------------------------------------------


Numbers = TypeVar("Numbers", FloatArray, IntArray)


def mean_bootstrap(
    values: FloatArray,
    counts: IntArray,
    bounds: IntArray,
    powers: characteristic_functions.PowerSums | None = None,
) -> Distribution | None:
    """Return the exact bootstrap distribution of a mean, if it has one that is accurate and cheap.

    The total of n draws has the characteristic function of one draw to the n-th power. On a lattice it is
    inverted by one FFT; for real values at about thirty equispaced frequencies, which is accurate where it
    has died out by then (below 1e-10) for good, which it has not for values near the multiples of a step. Of
    20,000 distinct values or more it is the series of their moments, with an error below 1e-9. `counts`
    has shape (C,) and `bounds` has shape (H + 1,). `values`, of shape (C,), are those of the units by
    stratum, in any order; `powers` are their power sums about the mean, if there are any yet. The result is
    None where neither route is accurate or cheap: then resamples must be drawn.
    """
    n_values = values.size
    values, counts, bounds, scale = _merged_by_stratum(values, counts, bounds)
    n = int(counts.sum())
    powers = powers if values.size == n_values else None  # power sums of other values
    if powers is None:
        totals, variances = _moments(values, counts, bounds)
    else:
        totals, variances = [n * powers.centre], [float(powers.sums[2]) * powers.scale**2]
    variance = sum(variances)
    low, high = (values[0], values[-1]) if bounds.size == 2 else (values.min(), values.max())
    if _is_nothing(variance, n, low, high):
        step = n * max(float(high), -float(low)) or 1.0  # ties are relative to the step
        return Lattice(sum(totals) / step, step, n, np.ones(1))
    lattice = as_lattice(values if bounds.size == 2 else np.unique(values), scale)
    if lattice is not None:
        step = lattice[0]
        return _lattice_bootstrap(step, np.rint(values / step).astype(np.int64), counts, bounds)
    inverted = _inverted_bootstrap(values, counts, bounds, totals, float(np.sqrt(variance)), powers)
    if inverted is None:
        return None
    first = inverted.coefficients.size + 1
    return None if total_has_steps(values, counts, bounds, inverted.frequency / n, first) else inverted


def _is_nothing(variance: float, n: float, low: float, high: float) -> bool:
    """Return whether the variance of a total of n values from `low` to `high` is rounding alone."""
    return bool(variance <= rounding.noise_width(max(float(high), -float(low))) ** 2 * n)


def _merged_by_stratum(
    values: FloatArray, counts: IntArray, bounds: IntArray
) -> tuple[FloatArray, IntArray, IntArray, float]:
    """Return the distinct values of each stratum in rising order, counts, bounds, and a typical deviation."""
    parts = [in_order(values[a:b], counts[a:b]) for a, b in pairwise(bounds.tolist())]
    # A constant that all values share must not hide how they vary.
    scale = rounding.typical_deviation(_concatenated([values for values, _ in parts]))
    parts = [merged_in_order(*part, scale) for part in parts]
    edges = np.cumsum([0] + [part[0].size for part in parts])
    return (
        _concatenated([part[0] for part in parts]),
        _concatenated([part[1] for part in parts]),
        edges,
        scale,
    )


def _concatenated(parts: Sequence[Numbers]) -> Numbers:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _moments(values: FloatArray, counts: IntArray, bounds: IntArray) -> tuple[list[float], list[float]]:
    """Return the mean and the variance of the total of a bootstrap sample from each stratum."""
    totals, variances = [], []
    for start, stop in pairwise(bounds):
        x, c = values[start:stop], counts[start:stop]
        weights = None if all_single(c) else c.astype(np.float64)
        totals.append(weighted_sum(x, weights))
        deviations = x - totals[-1] / int(c.sum())
        if weights is None:
            variances.append(float(deviations @ deviations))
        else:
            deviations *= deviations
            variances.append(float(weights @ deviations))
    return totals, variances


def _lattice_bootstrap(step: float, v: IntArray, counts: IntArray, bounds: IntArray) -> Lattice | None:
    n = int(counts.sum())
    totals, variances = _moments(v.astype(np.float64), counts, bounds)
    mean = sum(totals)
    reach = int(np.ceil(WINDOW * np.sqrt(sum(variances)))) + 2
    lowest = sum(int(v[a:b].min()) * int(counts[a:b].sum()) for a, b in pairwise(bounds))
    highest = sum(int(v[a:b].max()) * int(counts[a:b].sum()) for a, b in pairwise(bounds))
    start = max(lowest, int(np.floor(mean)) - reach)
    stop = min(highest, int(np.ceil(mean)) + reach)
    size = _fft_size(stop - start + 1)
    if size > 1 << 20 or size * v.size > 1 << 25:
        return None
    # Total mass outside of the window is below 1e-20, so that nothing is folded onto it.
    w = 2.0 * np.pi * np.arange(size // 2 + 1) / size
    log_modulus, phase = np.zeros(w.size), np.zeros(w.size)
    for a, b in pairwise(bounds):
        total = int(counts[a:b].sum())
        # The phase of one draw is multiplied by their number: measured from the step nearest to the mean it
        # is small, and keeps its digits.
        centre = round(mean / n)
        one = _characteristic(w, v[a:b] - centre, counts[a:b] / total)
        with np.errstate(divide="ignore"):
            log_modulus += total * np.log(np.abs(one))
        phase += total * (np.angle(one) + w * centre)
    spectrum = np.exp(log_modulus) * np.exp(1j * (phase - w * start))
    # Both the transform of NumPy and a characteristic function have exp(+i w x): hence the conjugate.
    pmf = np.fft.irfft(spectrum.conj(), size)[: stop - start + 1]
    # Smaller numbers are rounding of the FFT, of either sign.
    pmf = np.where(pmf < 1e-17, 0.0, pmf)
    return Lattice(start, step, n, pmf / pmf.sum())


def _characteristic(w: FloatArray, v: IntArray, p: FloatArray) -> Array:
    total = np.zeros(w.size, dtype=np.complex128)
    for value, mass in zip(v.tolist(), p.tolist(), strict=True):
        total += mass * np.exp(1j * w * value) if value else mass
    return total


def _fft_size(least: int) -> int:
    """Return the next power of two."""
    return 1 << max(int(least - 1).bit_length(), 3)


def _inverted_bootstrap(
    values: FloatArray,
    counts: IntArray,
    bounds: IntArray,
    totals: Sequence[float],
    sd: float,
    powers: characteristic_functions.PowerSums | None = None,
) -> Inverted | None:
    n = int(counts.sum())
    h = np.pi / (WINDOW * sd)
    # At 36 h, 11.9 over the standard deviation, a normal characteristic function is exp(-71). One that has
    # not died out there is of few units that carry the sum, or of steps.
    n_frequencies = 36
    log_modulus, phase = np.zeros(n_frequencies), np.zeros(n_frequencies)
    for (a, b), total in zip(pairwise(bounds), totals, strict=True):
        n_units = int(counts[a:b].sum())
        centre = total / n_units
        logarithm = characteristic_functions.log_characteristic(
            h, n_frequencies, values[a:b], counts[a:b], centre, powers
        )
        if logarithm is not None:
            log_modulus += logarithm.real
            phase += logarithm.imag
            continue
        one = _powers(h * (values[a:b] - centre), counts[a:b] / n_units)
        with np.errstate(divide="ignore"):
            log_modulus += n_units * np.log(np.abs(one))
        phase += n_units * np.angle(one)
    coefficients = np.exp(log_modulus) * np.exp(1j * phase)
    if np.abs(coefficients[-6:]).max() > 1e-10:
        return None
    return Inverted(sum(totals) / n, sd / n, h * n, coefficients)


def _powers(angles: FloatArray, p: FloatArray) -> Array:
    """Return sum of p exp(i k angle) for k = 1 … 36, as one product of 6 by 6 powers."""
    z = np.exp(1j * angles)
    low = np.empty((6, z.size), dtype=np.complex128)
    low[0] = z
    for k in range(1, 6):
        np.multiply(low[k - 1], z, out=low[k])
    high = np.empty((6, z.size), dtype=np.complex128)
    high[0] = p
    for k in range(1, 6):
        np.multiply(high[k - 1], low[5], out=high[k])
    return (high @ low.T).reshape(-1)
