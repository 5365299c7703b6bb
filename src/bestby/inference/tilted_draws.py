"""Swaps of units drawn with chances of their own: tilts that lead to a difference, and the draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from bestby._core.cached import cached_property
from bestby._core.mixing import Words
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.inference.sign_sums import tilt
from bestby.resampling import executing
from bestby.resampling.streams import BlockWords

_BLOCK = 1 << 19
"""Random signs that are drawn at a time."""

_FINE, _COARSE = 16, 8
"""Random bits that decide a sign."""

_COARSE_UNITS, _COARSE_CHANCE = 1 << 13, 1 / 64
"""So few units, and no sign more certain than that, need the coarse chances only."""

_STEEPEST = 1e6
"""The tilt, per unit of the largest effect, after which none is looked for."""

_ACCURACY = 2.0**-12
"""Relative accuracy of a tilt: one this far off leads as close to the data as draws tell."""

_SUMMED = 24
"""Units of a kind up to which each has a random number of its own."""

_IN_WORDS = 256
"""Units of a kind up to which each is a bit of a random word; of more, only their number is drawn."""

_WHOLE_IN_SINGLE = 2.0**24
"""Whole numbers up to which sums are exact in single precision."""


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

    @cached_property
    def few(self) -> IntArray:
        """The kinds of few units, shape (F,), those of more units first; of which unit by unit is drawn."""
        kinds = np.flatnonzero(self.counts <= _SUMMED)
        return kinds[np.argsort(-self.counts[kinds], kind="stable")]

    @cached_property
    def layers(self) -> list[int]:
        """How many of these have a first unit, a second one, ...: their units are drawn side by side."""
        of_size = np.bincount(self.counts[self.few], minlength=2)
        return [int(kinds) for kinds in of_size[:0:-1].cumsum()[::-1]]

    @cached_property
    def several(self) -> IntArray:
        """The kinds of several units, which are drawn as bits of words."""
        return np.flatnonzero((self.counts > _SUMMED) & (self.counts <= _IN_WORDS))

    @cached_property
    def many(self) -> IntArray:
        """The kinds of many units, whose number is drawn."""
        return np.flatnonzero(self.counts > _IN_WORDS)

    @cached_property
    def doubled(self) -> tuple[FloatArray, bool]:
        """What a plus in place of a minus sign changes in the sums; if single precision is exact for them."""
        assert self.rows is not None
        rows = 2.0 * self.rows
        sizes = self.counts @ np.abs(rows)
        return rows, bool((np.rint(rows) == rows).all()) and sizes.max(initial=0.0) < _WHOLE_IN_SINGLE

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
    theta = tilt(2.0 * effects / unit, swaps.counts, 2.0 * target / unit, _ACCURACY)
    return _in_steps(expit(2.0 * theta * effects / unit), swaps.counts)


def chances_elsewhere(swaps: Swaps, least: float) -> FloatArray | None:
    """Return the chances of a tilt that has the difference `least` in the mean, by the effects at a mean.

    That mean is the one of the tilt by the effects near the data. None if no tilt leads there.
    """
    assert swaps.changes_at is not None
    near = _reaching(swaps, swaps.effects, least)
    if near is None:
        return None
    far = _reaching(swaps, _effects(swaps.changes_at(swaps.counts * (2.0 * near - 1.0))), least)
    return None if far is None else _in_steps(far, swaps.counts)


def _reaching(swaps: Swaps, effects: FloatArray, least: float) -> FloatArray | None:
    """Return the chances of the tilt by these effects whose mean signs have the difference `least`."""
    unit = float(np.abs(effects).max())
    if unit == 0.0:
        return None

    def reaches(theta: float) -> bool:
        return swaps.at(np.tanh(theta * effects / unit) * swaps.counts) >= least

    low, high = 0.0, 1.0
    while not reaches(high):
        low, high = high, 2.0 * high
        if high > _STEEPEST:
            return None
    while high - low > _ACCURACY * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return np.asarray(expit(2.0 * high * effects / unit))


def _in_steps(chances: FloatArray, counts: IntArray) -> FloatArray:
    """Return chances as multiples of 2^-16, or 2^-8 if that costs nothing: so many random bits decide a sign.

    Chances that are off by 2^-9 at most add n 2^-17.6 to the variance of the logarithms of the weights.
    """
    certain = np.minimum(chances, 1.0 - chances).min(initial=0.5) < _COARSE_CHANCE
    steps = 1 << (_FINE if certain or counts.sum() > _COARSE_UNITS else _COARSE)
    rounded: FloatArray = np.clip(np.rint(steps * chances), 1, steps - 1)
    return rounded / steps


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws of the signs of all units, with the `chances` (D,) of a plus sign.

    A draw is the difference, and the sum of the signs times `along` (D,).
    """

    swaps: Swaps
    chances: FloatArray
    along: FloatArray

    def batch(self, words: BlockWords, batch: int, size: int) -> tuple[FloatArray, FloatArray]:
        """Return the differences, and the sums along, of a batch of draws, shape (size,) each."""
        step = max(1, _BLOCK // max(1, self._limits.size))
        sizes = [min(step, size - start) for start in range(0, size, step)]
        n_several = self._words[0].size if self.swaps.several.size else 0
        total = sum(map(self._words_of, sizes)) + self._bits * size * n_several
        read = words.reader(batch, total)
        if self.swaps.rows is None:
            drawn = [self._read(2.0 * self._plus(read, part) - 1.0) for part in sizes]
            found, along = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
            return found, along
        with executing.one_blas_thread():
            parts = [self._plus(read, part).astype(self._columns.dtype) @ self._columns for part in sizes]
        sums = np.concatenate([part.T for part in parts], axis=1, dtype=np.float64)
        if self.swaps.several.size:
            mask, _, kinds = self._words
            sums += self._gained[kinds].T @ np.bitwise_count(self._bits_of_words(read, size) & mask).T
        if self.swaps.many.size:
            many = self.swaps.many
            generator = words.generator_after(batch, total)
            plus = generator.binomial(self.swaps.counts[many], self.chances[many], (size, many.size))
            sums += self._gained[many].T @ plus.T
        sums -= self._below_zero[:, None]
        k = self.swaps.rows.shape[1]
        return self.swaps.difference(sums[:k].T), sums[k:].sum(axis=0)

    def _read(self, signs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the differences, and the sums along, of signs (R, D)."""
        return self.swaps.difference(signs), signs @ self.along

    def _words_of(self, size: int) -> int:
        """Return how many random words `_plus` takes."""
        n = self._limits.size
        return size * -(-n // 64) if self._bits == 1 else -(-size * n * self._bits // 64)

    def _plus(self, read: Callable[[int], Words], size: int) -> Array:
        """Return how many units of each kind get a plus sign, but for kinds of many units, shape (R, F).

        A unit is decided by as many random bits as its chance has, or by one if that is a half.
        """
        n = self._limits.size
        words = read(self._words_of(size)).astype("<u8", copy=False)
        if self._bits == 1:
            of_draws = words.view(np.uint8).reshape(size, -1)
            units = np.unpackbits(of_draws, axis=1, count=n, bitorder="little")
        else:
            drawn = words.view(self._limits.dtype)[: size * n].reshape(size, n)
            units = (drawn < self._limits).view(np.uint8)
        plus = units[:, : self.swaps.few.size]
        start = plus.shape[1]
        for width in self.swaps.layers[1:]:
            plus[:, :width] += units[:, start : start + width]
            start += width
        return plus

    def _bits_of_words(self, read: Callable[[int], Words], size: int) -> Words:
        """Return words (R, W) whose bits are units of the kinds of several units: 1 for a plus sign.

        Bits of chance p, combined with random ones by and (or by or), have the chance p / 2 (or (1 + p) / 2).
        """
        mask, steps, _ = self._words
        drawn = np.zeros((size, mask.size), dtype=np.uint64)
        unequal = np.empty_like(drawn)
        for step in steps:
            fresh = read(drawn.size).reshape(drawn.shape)
            # Or is and, but for the bits that are unequal.
            np.bitwise_xor(drawn, fresh, out=unequal)
            unequal &= step
            drawn &= fresh
            drawn ^= unequal
        return drawn

    @cached_property
    def _words(self) -> tuple[Words, Words, IntArray]:
        """The words of these kinds: the bits that are units, those that each step sets, the kind of each."""
        counts = self.swaps.counts[self.swaps.several]
        n_words = -(-counts // 64)
        kinds = np.repeat(self.swaps.several, n_words)
        mask = np.full(kinds.size, ~np.uint64(0))
        mask[np.cumsum(n_words) - 1] >>= (64 * n_words - counts).astype(np.uint64)
        limits = np.ldexp(self.chances[kinds], self._bits).astype(np.uint64)
        steps = np.arange(self._bits, dtype=np.uint64)[:, None]
        return mask, ~np.uint64(0) * (limits >> steps & np.uint64(1)), kinds

    @cached_property
    def _bits(self) -> int:
        """The random bits that decide a sign."""
        for bits in (1, _COARSE):
            steps = np.ldexp(self.chances, bits)
            if (np.rint(steps) == steps).all():
                return bits
        return _FINE

    @cached_property
    def _limits(self) -> Array:
        """The random numbers below which a unit gets a plus sign, shape (U,)."""
        limits = np.ldexp(self.chances[self.swaps.few], self._bits).astype(
            np.uint8 if self._bits <= 8 else "<u2"
        )
        return np.concatenate([limits[:width] for width in self.swaps.layers])

    @cached_property
    def _gained(self) -> FloatArray:
        """What a plus in place of a minus sign changes in the sums, shape (D, k + 1), the sum along last.

        Where the sums are exact in single precision, which takes half the time, the sum along is that of two
        columns: one that is exact too, and what is left of it.
        """
        rows, single = self.swaps.doubled
        along = _in_single(2.0 * self.along, self.swaps.counts) if single else (2.0 * self.along,)
        return np.column_stack([rows, *along])

    @cached_property
    def _columns(self) -> FloatArray:
        """The same for the kinds of few units, shape (F, k + 1), or k + 2 in single precision."""
        _, single = self.swaps.doubled
        return self._gained[self.swaps.few].astype(np.float32 if single else np.float64)

    @cached_property
    def _below_zero(self) -> FloatArray:
        """How far below 0 the sums are with minus signs alone."""
        return 0.5 * (self.swaps.counts @ self._gained)


def _in_single(values: FloatArray, counts: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return two columns with the sum `values`: one whose sums over units are exact in single precision."""
    total = float(counts @ np.abs(values))
    fine = 2.0 ** np.floor(np.log2(0.25 * _WHOLE_IN_SINGLE / total)) if total > 0.0 else 1.0
    exact = np.rint(values * fine) / fine
    return exact, values - exact
