"""Fair binomial draws: how many of n units are swapped, if each is with probability one half.

What replicate b draws depends on its key and the numbers of units alone, so that blocks and threads change
nothing. A draw takes 1 to 5 ns, where `numpy.random.Generator.binomial` takes 25 to 150.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import DTypeLike

from bestby._core.cached import cached_property
from bestby._core.chunks import chunks
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.resampling import streams
from bestby.resampling.streams import Words

WIDTHS = (8, 16, 32, 64)
"""Bits of a word that a draw takes: the fewest that hold a bit for each unit."""

_HIGHEST_BIT = np.array(63, dtype=np.uint64)

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
    dtype: DTypeLike = np.float64
    """The type of the draws; one of floats must hold the counts exactly."""

    def draws(self, keys: Words) -> Array:
        """Return all draws, shape (C, R), of replicates with keys (R,): quicker for few numbers."""
        out = np.empty((self.counts.size, keys.size), dtype=self.dtype)
        if self._by_width:
            self._count_ones(keys, out)
        for part in chunks(self._large.size, 4 * keys.size):
            words = streams.words_by_position(keys, self._mask.size + part.start, part.stop - part.start)
            out[self._large[part]] = self._tables.draws(words, part)
        return out

    def _count_ones(self, keys: Words, out: Array) -> None:
        """Write the draws that are numbers of ones."""
        counted = streams.words_by_position(keys, 0, self._mask.size).astype("<u8", copy=False)
        counted &= self._mask[:, None]
        for numbers in self._by_width:
            # The number of ones among n random bits is binomial(n, 1/2), and exact.
            ones = np.bitwise_count(counted[numbers.words].view(numbers.kind))
            ones = ones.reshape(-1, keys.size, numbers.per_word)
            for place, row in enumerate(numbers.rows.tolist()):
                word, part = divmod(place, numbers.per_word)
                out[row] = ones[word, :, part]

    @cached_property
    def order(self) -> IntArray:
        """The order of the numbers in `side_by_side`: those drawn by bits of a word, then by tables."""
        return np.concatenate([*(numbers.rows for numbers in self._by_width), self._large])

    def side_by_side(self, keys: Words) -> Array:
        """Return all draws, shape (R, C), in the order of `order`: quicker for many numbers."""
        out = np.empty((keys.size, self.counts.size), dtype=self.dtype)
        words = streams.words(keys, 0, self._mask.size + self._large.size)
        counted = words[:, : self._mask.size].astype("<u8", copy=False)
        counted &= self._mask
        first = 0
        for numbers in self._by_width:
            stop = first + numbers.rows.size
            parts = counted[:, numbers.words].view(numbers.kind)
            out[:, first:stop] = np.bitwise_count(parts[:, : stop - first])
            first = stop
        drawn, words = out[:, first:], words[:, self._mask.size :]
        for part in chunks(self._large.size, 4 * keys.size):
            drawn[:, part] = self._tables.draws(words[:, part].T, part).T
        return out

    @cached_property
    def _by_width(self) -> list[_BitWidth]:
        """The numbers drawn by counting ones, by the bits that each takes."""
        out, low, first = [], -1, 0
        for width in WIDTHS:
            rows = np.flatnonzero((low < self.counts) & (self.counts <= width))
            if rows.size:
                stop = first + -(-rows.size * width // 64)
                out.append(_BitWidth(width, rows, slice(first, stop)))
                first = stop
            low = width
        return out

    @cached_property
    def _mask(self) -> Words:
        """The bits that count of the words, of 64 bits, that ones are counted in, shape (W,)."""
        masks = [np.zeros(0, dtype="<u8")]
        for numbers in self._by_width:
            n_words = numbers.words.stop - numbers.words.start
            bits = np.zeros(n_words * numbers.per_word, dtype=numbers.kind)
            bits[: numbers.rows.size] = [(1 << n) - 1 for n in self.counts[numbers.rows].tolist()]
            masks.append(bits.view("<u8"))
        return np.concatenate(masks)

    @cached_property
    def _large(self) -> IntArray:
        return np.flatnonzero(self.counts > WIDTHS[-1])

    @cached_property
    def _tables(self) -> _Tables:
        return _Tables.of(self.counts[self._large].tolist(), self.dtype)


@dataclass(frozen=True, eq=False)
class _BitWidth:
    """The numbers at `rows` of the counts, each the ones among `width` bits of the words at `words`."""

    width: int
    rows: IntArray
    words: slice

    @property
    def kind(self) -> str:
        """The type of so many bits."""
        return f"<u{self.width // 8}"

    @property
    def per_word(self) -> int:
        """How many of them a word of 64 bits holds."""
        return 64 // self.width


def probabilities(n: int) -> tuple[int, FloatArray]:
    """Return the least value within ten standard deviations of the mean, and the probabilities from it on.

    They are made by ratios of neighbours from the middle, as logarithms of factorials lose digits.
    """
    middle = n // 2
    last = min(n, middle + math.ceil(5.0 * math.sqrt(n)))
    value = np.arange(middle, last, dtype=np.float64)
    # C(n, k + 1) / C(n, k) = (n - k) / (k + 1), from the middle on; the other half is its mirror image.
    upper = np.concatenate([[1.0], np.cumprod((n - value) / (value + 1.0))])
    mirrored = upper[1:] if n % 2 == 0 else upper[2:]
    mass = np.concatenate([mirrored[::-1], upper])
    return n - last, mass / mass.sum()


@dataclass(frozen=True, eq=False)
class _Tables:
    """Alias tables of 2^bits places each, end to end: a word chooses a place and one of its two values.

    `shifts` and `starts` have shape (T, 1). A word above that of its place in `lasts`, of shape (places,),
    takes the second of its `values`, of shape (2 * places,). `normals` has the units of those that are too
    many for a table, by their position.
    """

    shifts: Words
    starts: IntArray
    lasts: Words
    values: Array
    normals: dict[int, int]

    @classmethod
    def of(cls, counts: Sequence[int], dtype: DTypeLike) -> _Tables:
        """Return the tables of numbers of units; those too large get one of two units in their place."""
        # Units up to which tables are kept for later comparisons: 32 KB or less of each
        tables = [
            (_cached_words_and_values if n <= (1 << 14) else _words_and_values)(
                n if n <= LARGEST_TABLE else 2
            )
            for n in counts
        ]
        sizes = [lasts.size for lasts, _ in tables]
        return cls(
            np.array([[65 - size.bit_length()] for size in sizes], dtype=np.uint64),
            (np.cumsum(sizes, dtype=np.int64) - np.array(sizes))[:, None],
            np.concatenate([lasts for lasts, _ in tables]),
            np.concatenate([values for _, values in tables], dtype=dtype),
            {row: n for row, n in enumerate(counts) if n > LARGEST_TABLE},
        )

    def draws(self, words: Words, part: slice) -> Array:
        """Return the draws of words (T, R) of a part of the tables."""
        # The first bits choose a place, and all of the word says which of its two values it is.
        place = (words >> self.shifts[part]).view(np.int64)
        place += self.starts[part]
        # 1 for words above the last, as both are in the same place of the table; else 0.
        second = self.lasts.take(place, mode="clip")
        second -= words
        second >>= _HIGHEST_BIT
        place *= 2
        place += second.view(np.int64)
        out = self.values.take(place, mode="clip")
        for row, n in self.normals.items():
            if part.start <= row < part.stop:
                _draw_normal(n, words[row - part.start], out[row - part.start])
        return out


def _draw_normal(n: int, word: Words, out: Array) -> None:
    """Write the draws of words (R,) from the rounded normal distribution, for very many units."""
    from scipy.special import ndtri

    # 53 bits, in the middle of their cells: never 0 or 1, at which the quantile is infinite.
    u = ((word >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    np.rint(0.5 * n + 0.5 * math.sqrt(n) * ndtri(u), out=out)


def _words_and_values(n: int) -> tuple[Words, FloatArray]:
    """Return the table of n units as `_Tables` has it: the last words of the places, and their values."""
    least, limits, aliases = _table(n)
    places = np.arange(limits.size)
    lasts = (places.astype(np.uint64) << np.uint64(65 - limits.size.bit_length())) + limits - np.uint64(1)
    # A place without words of its own has twice the other value: there is no word before the first.
    values = np.column_stack([np.where(limits > 0, places, aliases), aliases]).reshape(-1)
    return lasts, (values + least).astype(np.float64)


_cached_words_and_values = lru_cache(maxsize=128)(_words_and_values)


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
