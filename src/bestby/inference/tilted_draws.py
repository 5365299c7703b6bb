"""Swaps of units drawn with other chances than one half: a tilt that leads to a difference, and the draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from bestby._core.typing import FloatArray, IntArray
from bestby.resampling import executing
from bestby.resampling.streams import block_generator

_STEEPEST = 1e6
"""The tilt, per unit of the largest effect, after which none is looked for."""

_ACCURACY = 0.01
"""Relative accuracy of a tilt. Any tilt near the right one gives nearly as accurate a p-value."""

_ROUNDS = 2
"""How many times the effects are taken at the mean of a tilt."""

_ONE_BY_ONE = 128
"""Units of a kind up to which each is drawn; of more, only their number, which takes as long as so many."""

_NUMBERS = 1 << 17
"""Signs that are multiplied with rows at a time, which bounds the memory."""


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
        Takes sums (R, k) of the rows times the signs, and returns the differences A minus B, shape (R,).
    rows : ndarray, shape (D, k), optional
        What the sign of one unit of each kind adds to these sums. None if `difference` takes the signs (R, D)
        themselves; there is one unit of each kind then.
    changes_at : callable, optional
        Takes sums of signs (D,), which need not be whole, and returns what the sign of one unit of each kind
        changes there, shape (D,). None if the difference is known at whole numbers of units only.
    """

    counts: IntArray
    own: IntArray
    changes: FloatArray
    difference: Callable[[FloatArray], FloatArray]
    rows: FloatArray | None = None
    changes_at: Callable[[FloatArray], FloatArray] | None = None

    @property
    def effects(self) -> FloatArray:
        """Half of the changes, 0 where they are undefined: the effect of a plus sign."""
        return _effects(self.changes)

    def at(self, signs: FloatArray) -> float:
        """Return the difference at sums of signs (D,)."""
        sums = signs if self.rows is None else signs @ self.rows
        return float(self.difference(sums[None, :])[0])

    def least(self, tolerance: float) -> float:
        """Return the difference from which draws are as extreme as the data."""
        return self.at(self.own.astype(np.float64)) - tolerance

    def towards(self, direction: float) -> Swaps:
        """Return the same times the direction, its signs such that no plus sign has a negative effect.

        Exchanging the two systems then changes nothing.
        """
        turn = np.where(direction * self.effects < 0.0, -1, 1)

        def difference(sums: FloatArray) -> FloatArray:
            return direction * self.difference(sums * turn if self.rows is None else sums)

        def changes_at(signs: FloatArray) -> FloatArray:
            assert self.changes_at is not None
            return direction * turn * self.changes_at(signs * turn)

        own, changes = turn * self.own, direction * turn * self.changes
        rows = None if self.rows is None else turn[:, None] * self.rows
        return Swaps(self.counts, own, changes, difference, rows, self.changes_at and changes_at)


def _effects(changes: FloatArray) -> FloatArray:
    effects: FloatArray = np.where(np.isfinite(changes), 0.5 * changes, 0.0)
    return effects


def tilt(swaps: Swaps, least: float) -> FloatArray | None:
    """Return the chance of a plus sign for each kind with which the difference is `least` in the mean.

    The chance of a unit of effect e is 1 / (1 + exp(-2 theta e)). Where the difference bends, most
    arrangements as far out as the data lie elsewhere, where the effects are others: they are taken at the
    mean of the tilt by those near the data, which is near the dominating point [1]_. None if the effects lead
    away from the data.

    References
    ----------
    .. [1] Sadowsky & Bucklew (1990), On large deviations theory and asymptotically efficient Monte Carlo
       estimation, IEEE Trans. Inf. Theory 36, 579-588.
    """
    effects, changes_at = swaps.effects, swaps.changes_at
    target = float(effects @ swaps.own)
    if target <= 0.0:
        return None
    if changes_at is None:
        chances = _reaching(swaps.counts, effects, lambda signs: float(effects @ signs), target)
    else:
        chances = _reaching(swaps.counts, effects, swaps.at, least)
        for _ in range(_ROUNDS):
            effects = _effects(changes_at(swaps.counts * (2.0 * chances - 1.0)))
            chances = _reaching(swaps.counts, effects, swaps.at, least)
    return np.clip(np.rint(65536 * chances), 1, 65535) / 65536  # a sign is drawn from 16 random bits


def _reaching(
    counts: IntArray, effects: FloatArray, mean: Callable[[FloatArray], float], least: float
) -> FloatArray:
    """Return the chances of the tilt by these effects whose mean, a function of mean signs, is `least`."""
    effects = effects / (float(np.abs(effects).max()) or 1.0)
    low, high = 0.0, 1.0
    while mean(np.tanh(high * effects) * counts) < least and high < _STEEPEST:
        low, high = high, 2.0 * high
    while high - low > _ACCURACY * high:
        middle = 0.5 * (low + high)
        reached = mean(np.tanh(middle * effects) * counts) >= least
        low, high = (low, middle) if reached else (middle, high)
    return np.asarray(expit(2.0 * high * effects))


def drawn(
    swaps: Swaps, chances: FloatArray, along: FloatArray, seed: int, batch: int, size: int
) -> tuple[FloatArray, FloatArray]:
    """Return the differences of a batch of draws with these chances, and the sums of signs times `along`."""
    few = np.flatnonzero(swaps.counts <= _ONE_BY_ONE)
    many = np.flatnonzero(swaps.counts > _ONE_BY_ONE)
    of_each = swaps.counts[few]
    n_units = int(of_each.sum())
    generator = block_generator(seed, "tilted", batch)
    read = generator.bit_generator.random_raw(-(-size * n_units // 4)).astype("<u8", copy=False).view("<u2")
    limits = (65536 * np.repeat(chances[few], of_each)).astype("<u2")
    plus = read[: size * n_units].reshape(size, n_units) < limits
    if swaps.rows is None:
        signs = 2.0 * plus.astype(np.float64) - 1.0
        return swaps.difference(signs), signs @ along
    columns = 2.0 * np.column_stack([swaps.rows, along])
    rows = np.repeat(columns[few], of_each, axis=0)
    if n_units > 8 * few.size:  # it is quicker to count those of each kind first
        plus = np.add.reduceat(plus.view(np.uint8), np.cumsum(of_each) - of_each, axis=1, dtype=np.uint16)
        rows = columns[few]
    # All signs are minus, but for those drawn as plus: each of them moves the sums by twice its row.
    sums: FloatArray = np.tile(-0.5 * (swaps.counts @ columns), (size, 1))
    step = max(1, _NUMBERS // max(1, len(rows)))
    with executing.one_blas_thread():
        for start in range(0, size, step):
            sums[start : start + step] += plus[start : start + step].astype(np.float64) @ rows
    if many.size:
        number = generator.binomial(swaps.counts[many], chances[many], (size, many.size))
        sums += number.astype(np.float64) @ columns[many]
    return swaps.difference(sums[:, :-1]), sums[:, -1]
