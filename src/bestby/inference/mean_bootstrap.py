"""Exact bootstrap distributions of means: the limit of infinitely many resamples."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np

from bestby._core import rounding
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.inference import series
from bestby.inference.distributions import WINDOW, Distribution, Inverted, Lattice
from bestby.inference.lattice import (
    all_single,
    as_lattice,
    in_order,
    merged_in_order,
    weighted_sum,
)
from bestby.inference.steps import total_has_steps

Numbers = TypeVar("Numbers", FloatArray, IntArray)


def mean_bootstrap(
    values: FloatArray, counts: IntArray, bounds: IntArray, known: series.PowerSums | None = None
) -> Distribution | None:
    """Return the exact bootstrap distribution of a mean, if it has one that is accurate and cheap.

    The total of n draws has the characteristic function of one draw to the n-th power. On a lattice it is
    inverted by one FFT; for real values at about thirty equispaced frequencies, which is accurate where it
    has died out by then (below 1e-10) for good, which it has not for values near the multiples of a step. Of
    20,000 distinct values or more it is the series of their moments, with an error below 1e-9. `counts`
    has shape (C,) and `bounds` has shape (H + 1,). `values`, of shape (C,), are those of the units by
    stratum, in any order; `known` are their power sums about the mean, if these were made. Returns None where
    neither route is accurate or cheap: then resamples must be drawn.
    """
    given = values.size
    values, counts, bounds, scale = _merged_by_stratum(values, counts, bounds)
    n = int(counts.sum())
    known = known if values.size == given else None  # power sums of other values
    if known is None:
        totals, variances = _moments(values, counts, bounds)
    else:
        totals, variances = [n * known.centre], [float(known.sums[2]) * known.scale**2]
    variance = sum(variances)
    low, high = (values[0], values[-1]) if bounds.size == 2 else (values.min(), values.max())
    if _is_nothing(variance, n, low, high):
        step = n * max(float(high), -float(low)) or 1.0  # ties are relative to the step
        return Lattice(sum(totals) / step, step, n, np.ones(1))
    lattice = as_lattice(values if bounds.size == 2 else np.unique(values), scale)
    if lattice is not None:
        step = lattice[0]
        return _lattice_bootstrap(step, np.rint(values / step).astype(np.int64), counts, bounds)
    found = _inverted_bootstrap(values, counts, bounds, totals, float(np.sqrt(variance)), known)
    if found is None:
        return None
    first = found.coefficients.size + 1
    return None if total_has_steps(values, counts, bounds, found.frequency / n, first) else found


def _is_nothing(variance: float, n: float, low: float, high: float) -> bool:
    """Return whether the variance of a total of n values from `low` to `high` is rounding alone."""
    return bool(variance <= rounding.noise_width(max(float(high), -float(low))) ** 2 * n)


def _merged_by_stratum(
    values: FloatArray, counts: IntArray, bounds: IntArray
) -> tuple[FloatArray, IntArray, IntArray, float]:
    """Return the distinct values of each stratum in rising order, counts, bounds, and a typical deviation."""
    parts = [in_order(values[a:b], counts[a:b]) for a, b in pairwise(bounds.tolist())]
    # A constant that all values share must not hide how they vary.
    scale = rounding.typical_deviation(_joined([values for values, _ in parts]))
    parts = [merged_in_order(*part, scale) for part in parts]
    edges = np.cumsum([0] + [part[0].size for part in parts])
    return _joined([part[0] for part in parts]), _joined([part[1] for part in parts]), edges, scale


def _joined(parts: Sequence[Numbers]) -> Numbers:
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
    w = 2.0 * np.pi * np.arange(size // 2 + 1) / size
    log_modulus, phase = np.zeros(w.size), np.zeros(w.size)
    for a, b in pairwise(bounds):
        total = int(counts[a:b].sum())
        centre = round(mean / n)
        one = _characteristic(w, v[a:b] - centre, counts[a:b] / total)
        with np.errstate(divide="ignore"):
            log_modulus += total * np.log(np.abs(one))
        phase += total * (np.angle(one) + w * centre)
    spectrum = np.exp(log_modulus) * np.exp(1j * (phase - w * start))
    pmf = np.fft.irfft(spectrum.conj(), size)[: stop - start + 1]
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
    known: series.PowerSums | None = None,
) -> Inverted | None:
    n = int(counts.sum())
    h = np.pi / (WINDOW * sd)
    n_frequencies = 36
    log_modulus, phase = np.zeros(n_frequencies), np.zeros(n_frequencies)
    for (a, b), total in zip(pairwise(bounds), totals, strict=True):
        n_units = int(counts[a:b].sum())
        centre = total / n_units
        logarithm = series.log_characteristic(h, n_frequencies, values[a:b], counts[a:b], centre, known)
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
