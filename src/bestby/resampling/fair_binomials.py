"""Fair binomial draws: how many of n units are swapped, if each is with probability one half.

What replicate b draws depends on its key and the numbers of units alone, so that blocks and threads change
nothing. A draw takes 1 to 5 ns, where `numpy.random.Generator.binomial` takes 25 to 150.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import DTypeLike

from bestby._core.typing import Array, FloatArray, IntArray
from bestby.resampling import streams
from bestby.resampling.streams import Words

WIDTHS = (8, 16, 32, 64)
"""Bits of a word that a draw takes: the fewest that hold a bit for each unit."""

_AT_ONCE = 1 << 13
"""Draws from tables made at a time, whose temporaries stay in the cache of one core."""

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

    def draws(self, keys: Words, dtype: DTypeLike = np.float64) -> Array:
        """Return all draws, shape (C, R), of replicates with keys (R,): quicker for few numbers.

        A `dtype` of floats must hold the counts exactly.
        """
        out = np.empty((self.counts.size, keys.size), dtype=dtype)
        position = 0
        for mask, (_, rows) in zip(self._masks, self._by_width, strict=True):
            bits = mask.view("<u8")
            word = streams.words_by_position(keys, position, bits.size)
            word &= bits[:, None]
            ones = np.bitwise_count(np.ascontiguousarray(word.T, dtype="<u8").view(mask.dtype))
            out[rows] = ones.T[: rows.size]
            position += bits.size
        if self._large.size:
            out[self._large] = self._of_tables(keys, position)
        return out

    @cached_property
    def order(self) -> IntArray:
        """The order of the numbers in `side_by_side`: those drawn by bits of a word, then by tables."""
        return np.concatenate([*(rows for _, rows in self._by_width), self._large])

    def side_by_side(self, keys: Words, dtype: DTypeLike = np.float64) -> Array:
        """Return the same draws, shape (R, C), in another `order`: quicker for many numbers."""
        out = np.empty((keys.size, self.counts.size), dtype=dtype)
        position = first = 0
        for mask, (_, rows) in zip(self._masks, self._by_width, strict=True):
            bits = mask.view("<u8")
            word = streams.words(keys, position, bits.size).astype("<u8", copy=False)
            word &= bits
            out[:, first : first + rows.size] = np.bitwise_count(word.view(mask.dtype)[:, : rows.size])
            position, first = position + bits.size, first + rows.size
        if self._large.size:
            out[:, first:] = self._of_tables(keys, position).T
        return out

    def _of_tables(self, keys: Words, position: int) -> FloatArray:
        return self._tables.draws(streams.words_by_position(keys, position, self._large.size))

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
    def _masks(self) -> list[Array]:
        """The bits that count, of whole words of 64 bits, for the numbers of each width."""
        masks = []
        for width, rows in self._by_width:
            bits = np.zeros(-(-rows.size * width // 64) * (64 // width), dtype=f"<u{width // 8}")
            bits[: rows.size] = [(1 << n) - 1 for n in self.counts[rows].tolist()]
            masks.append(bits)
        return masks

    @cached_property
    def _large(self) -> IntArray:
        return np.flatnonzero(self.counts > WIDTHS[-1])

    @cached_property
    def _tables(self) -> _Tables:
        return _Tables.of(self.counts[self._large].tolist())


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
class _Tables:
    """Alias tables of 2^bits places each, end to end: a word chooses a place and its value.

    `least`, `bits` and `starts` have shape (T, 1); `normals` has the units of those that are too many for a
    table, by their position.
    """

    least: FloatArray
    bits: Words
    starts: IntArray
    limits: Words
    aliases: IntArray
    normals: dict[int, int]

    @classmethod
    def of(cls, counts: Sequence[int]) -> _Tables:
        """Return the tables of numbers of units; those too large get one of two units in their place."""
        tables = [_table(n if n <= LARGEST_TABLE else 2) for n in counts]
        sizes = [limits.size for _, limits, _ in tables]
        return cls(
            np.array([[float(least)] for least, _, _ in tables]),
            np.array([[size.bit_length() - 1] for size in sizes], dtype=np.uint64),
            (np.cumsum(sizes, dtype=np.int64) - np.array(sizes))[:, None],
            np.concatenate([limits for _, limits, _ in tables]),
            np.concatenate([aliases for _, _, aliases in tables]),
            {row: n for row, n in enumerate(counts) if n > LARGEST_TABLE},
        )

    def draws(self, word: Words) -> FloatArray:
        """Return the draws of words (T, R)."""
        out = np.empty(word.shape)
        step = max(1, _AT_ONCE // word.shape[1])
        for first in range(0, len(word), step):
            part = slice(first, first + step)
            self._draw(part, word[part], out[part])
        for row, n in self.normals.items():
            _draw_normal(n, word[row], out[row])
        return out

    def _draw(self, part: slice, word: Words, out: FloatArray) -> None:
        shift = np.uint64(64) - self.bits[part]
        place = (word >> shift).view(np.int64)
        there = place + self.starts[part]
        own = (word & ((np.uint64(1) << shift) - np.uint64(1))) < self.limits.take(there, mode="clip")
        np.add(np.where(own, place, self.aliases.take(there, mode="clip")), self.least[part], out=out)


def _draw_normal(n: int, word: Words, out: FloatArray) -> None:
    """Write the draws of words (R,) from the rounded normal distribution, for very many units."""
    from scipy.special import ndtri

    u = ((word >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    np.rint(0.5 * n + 0.5 * math.sqrt(n) * ndtri(u), out=out)


def _table(n: int) -> tuple[int, Words, IntArray]:
    """Return the least value of n units, and the limits and aliases of 2^bits places.

    They are made by sweeping over light and heavy places (Vose 1991).
    """
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
    return least, limits, aliases
