"""Fair binomial draws: how many of n units are swapped, if each is with probability one half.

What replicate b draws depends on its key and the numbers of units alone, so that blocks and threads change
nothing. A draw takes 1 to 5 ns, where `numpy.random.Generator.binomial` takes 25 to 150.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bestby._core.typing import FloatArray, IntArray
from bestby.resampling import streams
from bestby.resampling.streams import Words

WIDTHS = (8, 16, 32, 64)
"""Bits of a word that a draw takes: the fewest that hold a bit for each unit."""

LARGEST_TABLE = 1 << 30
"""Units above which the normal distribution takes the place of a table."""


@dataclass(frozen=True, eq=False)
class FairBinomials:
    """Binomial numbers with probability one half, one of each of `counts` (shape (C,)) per replicate.

    For up to 64 units a draw is the number of ones among as many random bits, which is exact. For more it
    comes from an alias table [1]_ of the values within ten standard deviations of the mean. The others have a
    probability below 1e-21 together (Hoeffding's inequality), and those of the table are off by less than
    1e-12 together. Above 2^30 units the normal distribution is rounded; its distribution function is within
    1e-9 of that of the binomial.

    References
    ----------
    .. [1] Walker (1977), ACM Trans. Math. Softw. 3, 253-256.
    """

    counts: IntArray

    def draws(self, keys: Words) -> FloatArray:
        """Return the draws, shape (C, R), of replicates with keys (R,)."""
        out = np.empty((self.counts.size, keys.size))
        position = 0
        for width, rows in self._by_width:
            n_words = -(-rows.size * width // 64)
            word = streams.words_by_position(keys, position, n_words)
            out[rows] = _ones(word, self.counts[rows], width)
            position += n_words
        for row, table in self._tables:
            table.draw(streams.words_by_position(keys, position, 1)[0], out[row])
            position += 1
        return out

    @cached_property
    def _by_width(self) -> list[tuple[int, IntArray]]:
        """The numbers drawn by counting ones, by the bits that each takes."""
        lows = (-1, *WIDTHS[:-1])
        rows = (
            np.flatnonzero((low < self.counts) & (self.counts <= width))
            for low, width in zip(lows, WIDTHS, strict=True)
        )
        return [(width, chosen) for width, chosen in zip(WIDTHS, rows, strict=True) if chosen.size]

    @cached_property
    def _tables(self) -> list[tuple[int, _Table | _Normal]]:
        large = np.flatnonzero(self.counts > WIDTHS[-1])
        return [
            (row, _Normal(n) if n > LARGEST_TABLE else _table(n))
            for row, n in zip(large.tolist(), self.counts[large].tolist(), strict=True)
        ]


def probabilities(n: int) -> tuple[int, FloatArray]:
    """Return the least value within ten standard deviations of the mean, and the probabilities from it on.

    They are made by ratios of neighbours from the middle, as logarithms of factorials lose digits.
    """
    middle = n // 2
    last = min(n, middle + math.ceil(5.0 * math.sqrt(n)))
    value = np.arange(middle, last, dtype=np.float64)
    upper = np.concatenate([[1.0], np.cumprod((n - value) / (value + 1.0))])
    mirrored = upper[1:] if n % 2 == 0 else upper[2:]
    mass = np.concatenate([mirrored[::-1], upper])
    return n - last, mass / mass.sum()


@dataclass(frozen=True, eq=False)
class _Table:
    """An alias table of 2^bits places: the first bits of a word choose a place, the others its value."""

    least: int
    bits: int
    limits: Words
    aliases: IntArray

    def draw(self, word: Words, out: FloatArray) -> None:
        """Write the draws of words (R,), which are used up."""
        place = (word >> np.uint64(64 - self.bits)).view(np.int64)
        word &= np.uint64((1 << (64 - self.bits)) - 1)
        own = word < self.limits.take(place, mode="clip")
        np.add(np.where(own, place, self.aliases.take(place, mode="clip")), self.least, out=out)


def _table(n: int) -> _Table:
    """Return the alias table for n units, made by sweeping over light and heavy places (Vose 1991)."""
    least, mass = probabilities(n)
    bits = max(1, (mass.size - 1).bit_length())
    share = np.zeros(1 << bits)
    share[: mass.size] = mass * (1 << bits)
    light, heavy = np.flatnonzero(share < 1.0), np.flatnonzero(share >= 1.0)
    lacking, surplus = np.cumsum(1.0 - share[light]), np.cumsum(share[heavy] - 1.0)
    aliases = np.arange(1 << bits)
    # A heavy place fills light ones until less than its own place is left, and the next heavy one fills that.
    before = np.concatenate([[0.0], lacking[:-1]])
    aliases[light] = heavy[np.minimum(np.searchsorted(surplus, before, side="right"), heavy.size - 1)]
    filled = np.minimum(np.searchsorted(lacking, surplus[:-1]), light.size - 1)
    share[heavy[:-1]] = np.clip(1.0 + surplus[:-1] - lacking[filled], 0.0, 1.0)
    aliases[heavy[:-1]] = heavy[1:]
    share[heavy[-1]] = 1.0
    limits = np.rint(np.ldexp(share, 64 - bits)).astype(np.uint64)
    return _Table(least, bits, limits, aliases)


@dataclass(frozen=True, eq=False)
class _Normal:
    """The rounded normal distribution in place of the binomial of very many units."""

    n: int

    def draw(self, word: Words, out: FloatArray) -> None:
        """Write the draws of words (R,)."""
        from scipy.special import ndtri

        u = ((word >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
        np.rint(0.5 * self.n + 0.5 * math.sqrt(self.n) * ndtri(u), out=out)


def _ones(word: Words, counts: IntArray, width: int) -> FloatArray:
    """Return the ones among the first `counts` (C,) bits of each part of words (W, R), shape (C, R)."""
    n_words, size = word.shape
    masks = np.zeros(n_words * (64 // width), dtype=f"<u{width // 8}")
    masks[: counts.size] = [(1 << n) - 1 for n in counts.tolist()]
    word &= masks.view("<u8")[:, None]
    ones = np.bitwise_count(word.astype("<u8", copy=False).view(masks.dtype))
    parts = ones.reshape(n_words, size, -1).transpose(0, 2, 1)
    found: FloatArray = parts.reshape(-1, size)[: counts.size].astype(np.float64)
    return found
