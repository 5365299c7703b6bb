"""Matching n-grams of many texts at once: whole numbers and sorted arrays, no dictionary per text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of many texts one after the other, as numbers; -1 is a token that no reference has.

    `numbers` has shape (T,), `sizes` the number of tokens of each text.
    """

    numbers: IntArray
    sizes: IntArray

    @cached_property
    def owners(self) -> IntArray:
        """The text that each token belongs to, shape (T,)."""
        return np.repeat(np.arange(self.sizes.size), self.sizes)


class Splitter(dict[str, list[int]]):
    """Splits texts into tokens, every distinct piece of them once: the numbers of the tokens by piece.

    `pieces` cuts a text where that does not change its tokens, and `tokenize` a piece into these. Words
    repeat, so that most of a text is looked up. The vocabulary numbers the tokens and grows if it is to;
    otherwise a token that it lacks is -1.
    """

    def __init__(
        self,
        pieces: Callable[[str], Sequence[str]],
        tokenize: Callable[[str], Sequence[str]],
        vocabulary: dict[str, int],
        *,
        lowercase: bool,
        grow: bool = False,
    ) -> None:
        super().__init__()
        self._pieces, self._tokenize, self._lowercase = pieces, tokenize, lowercase
        self._vocabulary, self._grow = vocabulary, grow

    def __missing__(self, piece: str) -> list[int]:
        vocabulary, tokens = self._vocabulary, self._tokenize(piece)
        if self._grow:
            numbers = [vocabulary.setdefault(token, len(vocabulary)) for token in tokens]
        else:
            numbers = [vocabulary.get(token, -1) for token in tokens]
        self[piece] = numbers
        return numbers

    def tokens(self, texts: Sequence[str]) -> Tokens:
        """Return the tokens of the texts."""
        cut = (self._pieces(text.lower() if self._lowercase else text) for text in texts)
        numbers = [list(chain.from_iterable(map(self.__getitem__, pieces))) for pieces in cut]
        sizes = np.fromiter(map(len, numbers), np.int64, len(numbers))
        return Tokens(np.fromiter(chain.from_iterable(numbers), np.int64, int(sizes.sum())), sizes)


def characters(texts: Sequence[str]) -> Tokens:
    """Return the characters of the texts by their code points."""
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    return Tokens(points.astype(np.int64), np.fromiter(map(len, texts), np.int64, len(texts)))


@dataclass(frozen=True, eq=False)
class _Order:
    """The distinct n-grams of one order in each segment's references, ascending.

    `last`, of shape (U,), has the last token of each, `most` how often the reference that has it most often
    has it. Those that go on from place p lie from `firsts[p]` up to `firsts[p + 1]`, those of segment i from
    `bounds[i]` up to `bounds[i + 1]`.
    """

    # A trie, level by level: n-grams are sorted by the place of their first n - 1 tokens in the order below
    # (for single tokens: by segment), then by the last token. `keys` has both in one number, the place times
    # the size of the vocabulary plus the last token, so that no two n-grams share one.

    last: IntArray
    firsts: IntArray
    keys: IntArray
    most: IntArray
    bounds: IntArray

    @cached_property
    def last_or_none(self) -> IntArray:
        """The last tokens, and one behind them that no text has."""
        return np.append(self.last, -2)

    @cached_property
    def keys_or_none(self) -> IntArray:
        """The keys, and one behind them that no n-gram has."""
        return np.append(self.keys, -2)


@dataclass(frozen=True, eq=False)
class NGrams:
    """The n-grams of the references of all segments; made by `count_references`.

    `n_tokens` is the size of the vocabulary.
    """

    n_tokens: int
    orders: tuple[_Order, ...]

    @cached_property
    def totals(self) -> list[IntArray]:
        """Per order, how many n-grams the references of each segment have, if each has one at most."""
        return [_sums(order.most, order.bounds) for order in self.orders]

    def matches(self, texts: Tokens, segments: IntArray) -> FloatArray:
        """Return how many n-grams of each text are in its segment's references too, shape (texts, orders).

        An n-gram matches no more often than it occurs in the reference that has it most often: the modified
        precision of Papineni et al. (2002), section 2.1.1. `segments` must ascend, one text per segment.
        """
        out = np.zeros((texts.sizes.size, len(self.orders)))
        starts = np.arange(texts.numbers.size)
        place = segments[texts.owners]
        for n, order in enumerate(self.orders):
            # Only what matched so far can go on matching.
            going = np.flatnonzero(_goes_on(starts, n, texts.owners))
            starts, place = starts.take(going), place.take(going)
            place = self._places(order, place, texts.numbers.take(starts + n))
            equal = np.flatnonzero(place >= 0)
            starts, place = starts.take(equal), place.take(equal)
            clipped = np.minimum(np.bincount(place, minlength=order.most.size), order.most)
            out[:, n] = _sums(clipped, order.bounds)[segments]
        return out

    def _places(self, order: _Order, place: IntArray, last: IntArray) -> IntArray:
        """Return the places of n-grams among those of the references, -1 for those they lack."""
        first = order.firsts.take(place)
        several = order.firsts.take(place + 1) - first
        equal = (several > 0) & (order.last_or_none.take(first) == last)
        out = np.where(equal, first, -1)
        # Few n-grams of two or more tokens go on in two ways, so that few are left to be searched for.
        left = np.flatnonzero(~equal & (several > 1) & (last >= 0))
        wanted = place.take(left) * self.n_tokens + last.take(left)
        at = np.searchsorted(order.keys, wanted)
        equal = order.keys_or_none.take(at) == wanted
        out[left[equal]] = at[equal]
        return out


def count_references(
    references: Tokens, segments: IntArray, n_segments: int, n_tokens: int, highest: int
) -> NGrams:
    """Count the n-grams of the references up to an order; `segments` has the segment of each, ascending."""
    # Of several references the most counts, so that they are counted one by one; with one each, at once.
    orders = []
    starts, owners = np.arange(references.numbers.size), references.owners
    place, n_places = segments[owners], n_segments
    one_each = np.unique(segments).size == segments.size  # no segment has several references
    bounds = np.arange(n_segments + 1)
    for n in range(highest):
        going = _goes_on(starts, n, owners)
        starts, place = starts[going], place[going]
        wanted = place * n_tokens + references.numbers[starts + n]
        keys, place, counts = np.unique(wanted, return_inverse=True, return_counts=True)
        if not one_each:
            in_text, counts_in_text = np.unique(
                place * references.sizes.size + owners[starts], return_counts=True
            )
            counts = np.zeros(keys.size, dtype=np.int64)
            np.maximum.at(counts, in_text // references.sizes.size, counts_in_text)
        before, last = np.divmod(keys, max(n_tokens, 1))
        firsts = np.concatenate([[0], np.cumsum(np.bincount(before, minlength=n_places))])
        bounds, n_places = firsts[bounds], keys.size
        orders.append(_Order(last, firsts, keys, counts, bounds))
    return NGrams(n_tokens, tuple(orders))


def ascending(segments: IntArray) -> Iterator[slice]:
    """Yield the runs in which the numbers of segments ascend, so that none occurs twice."""
    bounds = [0, *(np.flatnonzero(np.diff(segments) <= 0) + 1).tolist(), segments.size]
    for first, stop in pairwise(bounds):
        yield slice(first, stop)


def _goes_on(starts: IntArray, n: int, owners: IntArray) -> BoolArray:
    """Return whether the text that each start lies in holds another n tokens after it."""
    if n == 0:
        return np.ones(starts.size, dtype=np.bool_)
    ends = starts + n
    inside: BoolArray = ends < owners.size
    inside &= owners.take(ends, mode="clip") == owners.take(starts)
    return inside


def _sums(counts: IntArray, bounds: IntArray) -> IntArray:
    """Return the sums of the counts between successive bounds."""
    sums: IntArray = np.diff(np.concatenate([[0], np.cumsum(counts)])[bounds])
    return sums
