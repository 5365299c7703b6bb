"""Sums with steps: most of their terms are near the multiples of one.

The characteristic function of such a sum dies out, and comes near 1 again farther on. Whoever inverts it only
up to where it has died out would smooth the steps away.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from bestby._core.typing import Array, FloatArray, IntArray

FREQUENCIES = 1 << 13
"""Frequencies at which steps are looked for; those that show only beyond move a tail by 5e-4."""

_LEAST = 1e-8
"""Frequencies k at which the characteristic function is below k times this move no tail by 1e-6."""

_GRID = 8 * FREQUENCIES
"""Points of a turn that angles are shared out to, for one FFT: a wave turns by at most 45 degrees between two
of them."""

_TINY = 1e-300
"""What stands for 0 where a logarithm is taken."""

_MOST_PRODUCTS = 1 << 20
"""Frequencies times terms at which a characteristic function is computed where a bound does not do."""


def later_terms(
    sizes: FloatArray, h: float, theta: float, first: int, gap: float = 0.0
) -> tuple[IntArray, Array] | None:
    """Return the k >= first at which E exp(i k h (S - ES)) counts, and its values.

    S is the sum of the sizes with random signs, whose means are tanh(theta size). `gap` is the distance of
    neighbouring values of S, if it is known: beyond half of that period nothing new comes. None if the
    function still counts at the last frequencies, or at very many.
    """
    means = np.tanh(theta * sizes)
    # |cos x + i m sin x|^2 = 1 - (1 - m^2) sin^2 x <= exp(-(1 - m^2) sin^2 x), and 2 sin^2 x = 1 - cos 2x.
    weights = 1.0 - means**2
    period = math.pi / (gap * h) if gap > 0.0 else math.inf
    k = np.arange(first, max(first, math.ceil(min(period, FREQUENCIES))))
    # Terms of which some are looked at before all are
    for step in sorted({1, 1 + sizes.size // (1 << 16)}, reverse=True):  # a product of some factors is larger
        waves, missed = _waves(sizes[::step], weights[::step], 2.0 * h)
        k = _counting(-0.25 * (float(weights[::step].sum()) - waves.real - missed)[k], k)
        if not k.size:
            break
    if k.size * sizes.size > _MOST_PRODUCTS:
        return None
    angles = np.multiply.outer(h * k, sizes)
    values = (np.cos(angles) + 1j * means * np.sin(angles)).prod(axis=1)
    values = values * np.exp(-1j * h * k * float(sizes @ means))
    # A value this large among the last frequencies will come again beyond them
    if period > FREQUENCIES and (np.abs(values[k >= FREQUENCIES // 2]) >= 0.03).any():
        return None
    counting = np.abs(values) >= _LEAST * k
    return k[counting], values[counting]


def total_has_steps(values: FloatArray, counts: IntArray, bounds: IntArray, h: float, first: int) -> bool:
    """Return whether E exp(i k h T) counts at some k >= first, T a bootstrap total as for `mean_bootstrap`.

    It counts as well if it may do so at very many.
    """
    parts = [(values[a:b], counts[a:b], int(counts[a:b].sum())) for a, b in pairwise(bounds.tolist())]
    k = np.arange(first, FREQUENCIES)
    k = _counting(np.sum([_log_bound(*part, h)[first:] for part in parts], axis=0), k)
    if k.size * values.size > _MOST_PRODUCTS:
        return True
    exact = np.zeros(k.size)
    for x, c, n in parts:
        one = np.exp(1j * h * np.multiply.outer(k, x)) @ (c / n)
        exact += n * np.log(np.clip(np.abs(one), _TINY, 1.0))
    return _counting(exact, k).size > 0


def _log_bound(values: FloatArray, counts: Array, n: int, h: float) -> FloatArray:
    """Return a bound of log |E exp(i k h T)|, T a total of n draws, from all or some of the n values."""
    waves, missed = _waves(values, counts, h)
    others = n - float(counts.sum())
    return np.asarray(n * np.log(np.clip((np.abs(waves) + missed + others) / n, _TINY, 1.0)))


def _waves(values: FloatArray, weights: Array, h: float) -> tuple[Array, FloatArray]:
    """Return the sum of weight exp(-i k h value) for all k, and a bound of its error.

    Each value is shared out between the two points of the grid beside it. A chord in place of an arc of the
    angle a is at most a^2 / 8 away from it.
    """
    turns = values * (h / (2.0 * np.pi))
    places = (turns - np.floor(turns)) * _GRID
    points = places.astype(np.int64)
    right = weights * (places - points)
    grid = np.bincount(np.append(points, points + 1), np.append(weights - right, right), _GRID + 2)
    grid[:2] += grid[_GRID:]
    angles = (2.0 * np.pi / _GRID) * np.arange(FREQUENCIES)
    missed = np.square(angles) * (float(weights.sum()) / 8.0)
    return np.fft.rfft(grid[:_GRID])[:FREQUENCIES], missed


def _counting(logarithms: FloatArray, k: IntArray) -> IntArray:
    """Return the frequencies that count, by the logarithms of the modulus or a bound of it."""
    return k[logarithms >= math.log(_LEAST) + np.log(np.maximum(k, 1))]
