"""Matching n-grams of many texts at once: whole numbers and sorted arrays, no dictionary per text."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, pairwise

import numpy as np

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


class Splitter:
    """Splits texts into tokens, every distinct piece of them once.

    `pieces` cuts a text where that does not change its tokens, at spaces for most tokenisers; `tokenize`
    gives the tokens of a piece. Words repeat, so that most of a text is looked up. The vocabulary numbers
    the tokens and grows if it is to; otherwise a token that it lacks is -1.
    """

    def __init__(
        self,
        pieces: Callable[[str], Sequence[str]],
        tokenize: Callable[[str], Sequence[str]],
        vocabulary: dict[str, int],
        *,
        grow: bool = False,
    ) -> None:
        self._pieces, self._tokenize = pieces, tokenize
        self._vocabulary, self._grow = vocabulary, grow
        self._places = _Numbering()
        self._numbers, self._lengths = array("q"), array("q")

    def tokens(self, texts: Sequence[str]) -> Tokens:
        """Return the tokens of the texts."""
        cut = list(map(self._pieces, texts))
        sizes = np.fromiter(map(len, cut), np.int64, len(cut))
        looked_up = map(self._places.__getitem__, chain.from_iterable(cut))
        places = np.fromiter(looked_up, np.int64, int(sizes.sum()))
        for piece in islice(self._places, len(self._lengths), None):
            tokens = self._tokenize(piece)
            self._lengths.append(len(tokens))
            if self._grow:
                self._numbers.extend(
                    self._vocabulary.setdefault(one, len(self._vocabulary)) for one in tokens
                )
            else:
                self._numbers.extend(self._vocabulary.get(one, -1) for one in tokens)
        numbers, lengths = np.array(self._numbers, np.int64), np.array(self._lengths, np.int64)
        firsts = np.cumsum(lengths) - lengths
        per_piece = lengths[places]
        ends = np.concatenate([[0], np.cumsum(per_piece)])
        every = np.arange(ends[-1]) + np.repeat(firsts[places] - ends[:-1], per_piece)
        return Tokens(numbers[every], np.diff(ends[np.cumsum(sizes)], prepend=0))


class _Numbering(dict[str, int]):
    """Numbers keys from 0 as they are looked up."""

    def __missing__(self, key: str) -> int:
        self[key] = number = len(self)
        return number


def characters(texts: Sequence[str]) -> Tokens:
    """Return the characters of the texts by their code points."""
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    return Tokens(points.astype(np.int64), np.fromiter(map(len, texts), np.int64, len(texts)))


@dataclass(frozen=True, eq=False)
class _Order:
    """The distinct n-grams of one order in each segment's references, ascending.

    They are sorted by the place of their first n - 1 tokens in the order below (for single tokens: by
    segment), then by the number of the last token, which is in `last`, of shape (U,). Those that go on from
    place p lie from `firsts[p]` up to `firsts[p + 1]`. `keys` has both in one number, the place times the
    size of the vocabulary plus the last token, so that no two n-grams share one. `most` is how often the
    reference that has an n-gram most often has it. Those of segment i lie from `bounds[i]` up to
    `bounds[i + 1]`.
    """

    last: IntArray
    firsts: IntArray
    keys: IntArray
    most: IntArray
    bounds: IntArray


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
            going = _goes_on(starts, n, texts.owners)
            starts, place = starts[going], place[going]
            place = self._places(order, place, texts.numbers[starts + n])
            equal = place >= 0
            starts, place = starts[equal], place[equal]
            clipped = np.minimum(np.bincount(place, minlength=order.most.size), order.most)
            out[:, n] = _sums(clipped, order.bounds)[segments]
        return out

    def _places(self, order: _Order, place: IntArray, last: IntArray) -> IntArray:
        """Return the places of n-grams among those of the references, -1 for those they lack."""
        first = order.firsts[place]
        several = order.firsts[place + 1] - first
        equal = (several > 0) & (np.append(order.last, -2)[first] == last)
        out = np.where(equal, first, -1)
        # Few n-grams of two or more tokens go on in two ways, so that few are left to be searched for.
        left = np.flatnonzero(~equal & (several > 1) & (last >= 0))
        wanted = place[left] * self.n_tokens + last[left]
        at = np.searchsorted(order.keys, wanted)
        equal = np.append(order.keys, -2)[at] == wanted
        out[left[equal]] = at[equal]
        return out


def count_references(
    references: Tokens, segments: IntArray, n_segments: int, n_tokens: int, highest: int
) -> NGrams:
    """Count the n-grams of the references up to an order; `segments` has the segment of each, ascending."""
    orders = []
    starts, owners = np.arange(references.numbers.size), references.owners
    place, n_places = segments[owners], n_segments
    alone = np.unique(segments).size == segments.size  # no segment has several references
    bounds = np.arange(n_segments + 1)
    for n in range(highest):
        going = _goes_on(starts, n, owners)
        starts, place = starts[going], place[going]
        wanted = place * n_tokens + references.numbers[starts + n]
        keys, place, counts = np.unique(wanted, return_inverse=True, return_counts=True)
        if not alone:
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
    ends = starts + n
    inside = ends < owners.size
    inside[inside] = owners[ends[inside]] == owners[starts[inside]]
    return inside


def _sums(counts: IntArray, bounds: IntArray) -> IntArray:
    """Return the sums of the counts between successive bounds."""
    sums: IntArray = np.diff(np.concatenate([[0], np.cumsum(counts)])[bounds])
    return sums
