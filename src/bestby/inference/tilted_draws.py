"""Swaps of units drawn with chances of their own: tilts that lead to a difference, and the draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from bestby._core.typing import FloatArray, IntArray
from bestby.inference.sign_sums import tilt
from bestby.resampling import streams

_BLOCK = 1 << 18
_STEPS = 1 << 16
_STEEPEST = 1e6
_HALVINGS = 30
_SUMMED = 32  # units of a kind up to which they are drawn one by one: sooner done than a binomial draw


@dataclass(frozen=True, eq=False)
class Swaps:
    """How the difference of a pair depends on the swaps of its units.

    Parameters
    ----------
    counts : ndarray of int, shape (D,)
        How many units there are of each kind; the units of a kind change the difference alike.
    own : ndarray of int, shape (D,)
        The data: of each kind, the units with a plus sign less those with a minus sign.
    changes : ndarray, shape (D,)
        What the sign of one unit of each kind changes in the difference, near the data; it may be undefined.
    difference : callable
        Takes such sums of signs (R, D), and returns the differences A minus B, shape (R,).
    changes_at : callable, optional
        Takes sums of signs (D,), which need not be whole, and returns what the sign of one unit of each kind
        changes there, shape (D,). None if the difference is known at whole numbers of units only.
    """

    counts: IntArray
    own: IntArray
    changes: FloatArray
    difference: Callable[[FloatArray], FloatArray]
    changes_at: Callable[[FloatArray], FloatArray] | None = None

    @property
    def effects(self) -> FloatArray:
        """Half of the changes, 0 where they are undefined: the effect of a plus sign."""
        return _effects(self.changes)

    def least(self, tolerance: float) -> float:
        """Return the difference from which draws are as extreme as the data."""
        return float(self.difference(self.own[None, :].astype(np.float64))[0]) - tolerance

    def towards(self, direction: float) -> Swaps:
        """Return the same times the direction, its signs such that no plus sign has a negative effect.

        Exchanging the two systems then changes nothing.
        """
        turn = np.where(direction * self.effects < 0.0, -1, 1)

        def difference(signs: FloatArray) -> FloatArray:
            return direction * self.difference(signs * turn)

        def changes_at(signs: FloatArray) -> FloatArray:
            assert self.changes_at is not None
            return direction * turn * self.changes_at(signs * turn)

        own, changes = turn * self.own, direction * turn * self.changes
        return Swaps(self.counts, own, changes, difference, self.changes_at and changes_at)


def _effects(changes: FloatArray) -> FloatArray:
    effects: FloatArray = np.where(np.isfinite(changes), 0.5 * changes, 0.0)
    return effects


def log_odds_of(chances: FloatArray) -> FloatArray:
    """Return the logarithms of the odds of a plus sign."""
    log_odds: FloatArray = np.log(chances) - np.log1p(-chances)
    return log_odds


def chances_near(swaps: Swaps) -> FloatArray | None:
    """Return the tilted probability of a plus sign for each kind; None if no tilt leads to the data."""
    effects = swaps.effects
    target = float(effects @ swaps.own)
    if target <= 0.0:
        return None
    unit = float(effects.max())
    theta = tilt(2.0 * effects / unit, swaps.counts, 2.0 * target / unit)
    return _in_steps(expit(2.0 * theta * effects / unit))


def chances_elsewhere(swaps: Swaps, least: float) -> FloatArray | None:
    """Return the chances of a tilt that has the difference `least` in the mean, by the effects at a mean.

    That mean is the one of the tilt by the effects near the data. None if no tilt leads there.
    """
    assert swaps.changes_at is not None
    near = _reaching(swaps, swaps.effects, least)
    if near is None:
        return None
    far = _reaching(swaps, _effects(swaps.changes_at(swaps.counts * (2.0 * near - 1.0))), least)
    return None if far is None else _in_steps(far)


def _reaching(swaps: Swaps, effects: FloatArray, least: float) -> FloatArray | None:
    """Return the chances of the tilt by these effects whose mean signs have the difference `least`."""
    unit = float(np.abs(effects).max())
    if unit == 0.0:
        return None

    def reaches(theta: float) -> bool:
        mean: FloatArray = np.tanh(theta * effects / unit) * swaps.counts
        return float(swaps.difference(mean[None, :])[0]) >= least

    low, high = 0.0, 1.0
    while not reaches(high):
        low, high = high, 2.0 * high
        if high > _STEEPEST:
            return None
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return np.asarray(expit(2.0 * high * effects / unit))


def _in_steps(chances: FloatArray) -> FloatArray:
    """Return chances as multiples of 2^-16, so that sixteen random bits decide a sign."""
    steps: FloatArray = np.clip(np.rint(_STEPS * chances), 1, _STEPS - 1)
    return steps / _STEPS


def signs_of(
    seed: int, batch: int, n_draws: int, counts: IntArray, chances: FloatArray
) -> Iterator[FloatArray]:
    """Yield the sums of signs (R, D) of a batch of draws, a part at a time, in the memory of the last one."""
    generator = streams.block_generator(seed, "tilted", batch)
    # Single units first: what follows is summed by kind, or drawn as a binomial where units are many.
    single, several = np.flatnonzero(counts == 1), np.flatnonzero((counts > 1) & (counts <= _SUMMED))
    many = np.flatnonzero(counts > _SUMMED)
    place = np.argsort(np.concatenate([single, several, many]))
    limits = (_STEPS * chances).astype(np.uint16)
    limits = np.concatenate([limits[single], np.repeat(limits[several], counts[several])])
    firsts = np.cumsum(counts[several]) - counts[several]
    size = min(n_draws, max(1, _BLOCK // max(counts.size, limits.size)))
    # New memory for each part takes twice as long as all the rest, as do columns in another order one by one.
    part, small = np.empty((size, counts.size)), np.zeros((size, counts.size), dtype=np.int8)
    for start in range(0, n_draws, size):
        signs, sums = part[: n_draws - start], small[: n_draws - start]
        plus = generator.integers(0, _STEPS, (len(signs), limits.size), np.uint16) < limits
        units = plus.view(np.int8)
        sums[:, : single.size] = units[:, : single.size]
        if several.size:
            ends = slice(single.size, single.size + several.size)
            np.add.reduceat(units[:, single.size :], firsts, axis=1, out=sums[:, ends])
        signs[:] = sums.take(place, axis=1)
        if many.size:
            signs[:, many] = generator.binomial(counts[many], chances[many], (len(signs), many.size))
        signs *= 2.0
        signs -= counts
        yield signs
