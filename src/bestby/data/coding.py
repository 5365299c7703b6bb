"""Distinct values and codes of a column, and equal rows of several columns, counted once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from bestby._core.arrays import objects
from bestby._core.cached import cached_property
from bestby._core.typing import Array, BoolArray, IntArray

CODED_FROM = 4096
"""Values of a column from which texts are coded as they are read; fewer are read one by one as quickly."""

MOST_DISTINCT = 1 << 16
"""Distinct texts up to which a column is coded as it is read."""

HEAD = 10_000
"""Values that are looked at to tell whether few of them are distinct."""

EXACT = 2**53
"""Whole numbers up to this are exact as floats."""


@dataclass(frozen=True, eq=False)
class Coded:
    """Values of which few are distinct: each of these once, and the position of every value among them.

    `distinct` has shape (k,) and `codes` shape (n,). Each of the distinct values occurs.
    """

    distinct: Array
    codes: Array

    def __len__(self) -> int:
        return len(self.codes)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.values if dtype is None else self.values.astype(dtype)

    @cached_property
    def values(self) -> Array:
        """All values, shape (n,); made when they are first asked for."""
        values: Array = self.distinct.take(self.codes)
        return values

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return self.distinct.dtype

    ndim = 1

    def in_order(self) -> Coded:
        """Return these values with the distinct ones sorted, each once, as `codes` gives them."""
        distinct, place = np.unique(self.distinct, return_inverse=True)
        narrow = _narrow(distinct.size)
        if np.array_equal(place, np.arange(distinct.size)) and self.codes.dtype == narrow:
            return self
        return Coded(distinct, place.reshape(-1).astype(narrow)[self.codes])

    @classmethod
    def of(cls, distinct: Iterable[Any], codes: Array) -> Coded:
        """Return values by the codes of a library: -1 stands for none, and a value need not occur."""
        values = [None, *distinct]
        narrow = _narrow(len(values))
        shifted = codes.astype(narrow)
        shifted += narrow(1)  # from -1, which is the largest unsigned number, to 0
        there = occurring(shifted, len(values))
        place = (np.cumsum(there) - 1).astype(narrow)
        kept = [value for value, occurs in zip(values, there.tolist(), strict=True) if occurs]
        return cls(objects(kept), shifted if len(kept) == len(values) else place.take(shifted))


@dataclass(frozen=True, eq=False)
class Columns(Mapping[str, Array]):
    """Arrays by name; of those that are codes the array is made when it is first asked for.

    `compact` has the columns as they were given, for whoever needs only their type or their codes.
    """

    compact: Mapping[str, Array | Coded]

    def __getitem__(self, name: str) -> Array:
        column = self.compact[name]
        return column.values if isinstance(column, Coded) else column

    def __iter__(self) -> Iterator[str]:
        return iter(self.compact)

    def __len__(self) -> int:
        return len(self.compact)

    @classmethod
    def of(cls, columns: Mapping[str, Array]) -> Columns:
        """Return any mapping of arrays as such columns."""
        return columns if isinstance(columns, cls) else cls(columns)


def coded_texts(values: Sequence[Any] | Array) -> Coded | None:
    """Return texts, of which some may be None or NaN, as codes; None for anything else or many texts."""
    n = len(values)
    if n < CODED_FROM or not has_few(values[:HEAD]):
        return None
    values = values.tolist() if isinstance(values, np.ndarray) else values
    kinds = {*map(type, values)}
    if str not in kinds or kinds - {str, float, type(None)}:
        return None
    texts = {*values}
    if len(texts) > MOST_DISTINCT:
        return None
    absent = [value for value in texts if not isinstance(value, str)]
    if not all(value is None or np.isnan(value) for value in absent):
        return None
    distinct = sorted(texts.difference(absent)) + absent
    place = {text: position for position, text in enumerate(distinct)}
    codes = np.fromiter(map(place.__getitem__, values), dtype=_narrow(len(distinct)), count=n)
    return Coded(objects([value if isinstance(value, str) else None for value in distinct]), codes)


def texts_coded(values: Array | Coded) -> Coded:
    """Return an array of texts, or codes, as codes of the distinct texts in order."""
    if isinstance(values, Coded):
        return values.in_order()
    coded = Coded(*codes(values))
    vars(coded)["values"] = values  # there already
    return coded


def has_few(values: Collection[Any]) -> bool:
    """Return whether few of the first values of a column are distinct."""
    try:
        return 2 * len({*values}) <= len(values)
    except TypeError:  # lists, which cannot be told apart so
        return False


def codes(values: Array) -> tuple[Array, Array]:
    """Return the sorted distinct values, and the position of each value among them in the narrowest type."""
    if values.dtype.kind in "biu" and values.size:
        shifted = _shifted(values)
        if shifted is not None:
            return _without_gaps(*shifted, values.dtype)
    if values.dtype.kind == "U" and values.size >= CODED_FROM:
        texts = coded_texts(values.tolist())
        if texts is not None:  # quicker than to sort the texts
            ordered = Coded(texts.distinct.astype(values.dtype), texts.codes).in_order()
            return ordered.distinct, ordered.codes
    distinct, inverse = np.unique(values, return_inverse=True)
    return distinct, inverse.reshape(-1).astype(_narrow(distinct.size))


def group_codes(groups: Array) -> tuple[Array, Array]:
    """Return the distinct groups as texts, in order, and the position of each value among them.

    A file spells the groups that an array has as numbers, so groups have one order, that of their texts:
    resamples are drawn stratum by stratum, in an order that must not depend on where the strata came from.

    >>> group_codes(np.array([2, 10, 2]))
    (array(['10', '2'], dtype='<U2'), array([1, 0, 1], dtype=uint8))
    >>> group_codes(np.array([2.0, 10.0]))[0].tolist()
    ['10', '2']
    """
    distinct, code = codes(groups)
    if distinct.dtype.kind == "U":
        return distinct, code
    if distinct.dtype.kind == "f" and bool(np.all((distinct == np.rint(distinct)) & (abs(distinct) < EXACT))):
        distinct = distinct.astype(np.int64)  # 2.0 is the group 2
    texts = np.array([str(value) for value in distinct.tolist()], dtype=np.str_)
    order = np.argsort(texts)
    return texts[order], np.argsort(order).astype(code.dtype)[code]


def _shifted(values: Array) -> tuple[Array, int, int] | None:
    """Return whole numbers less the least one in the narrowest type, the least, and the span; None if wide.

    Unsigned integers of the same width and order of bytes wrap round: nothing overflows.
    """
    least = int(np.minimum.reduce(values))
    span = int(np.maximum.reduce(values)) - least + 1
    if span > max(1024, values.size):
        return None
    unsigned = _unsigned(values.dtype)
    base = np.array([least], dtype=values.dtype).view(unsigned)
    return (values.view(unsigned) - base).astype(_narrow(span)), least, span


def _without_gaps(shifted: Array, least: int, span: int, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """Return the distinct values, and codes, of whole numbers given by `_shifted`."""
    present = occurring(shifted, span)
    numbers = _numbers(least, span, dtype)
    if np.logical_and.reduce(present):
        return numbers, shifted
    return numbers[present], (np.cumsum(present) - 1).astype(_narrow(span))[shifted]


def occurring(codes: Array, size: int) -> BoolArray:
    """Return which of the numbers below `size` occur among codes, none of which is negative.

    >>> occurring(np.array([2, 0, 2]), 3)
    array([ True, False,  True])
    """
    if codes.dtype.itemsize == 1:  # most occur early, and bytes are searched at the speed of the memory
        searched = codes.tobytes()
        return np.array([code in searched for code in range(size)], dtype=np.bool_)
    present = np.zeros(size, dtype=np.bool_)
    present[codes] = True
    return present


def _numbers(least: int, span: int, dtype: np.dtype[Any]) -> Array:
    """Return so many whole numbers from the least one, to be read only."""
    unsigned = _unsigned(dtype)
    own: Array = np.arange(span, dtype=unsigned) + np.array([least], dtype=dtype).view(unsigned)
    numbers = own.astype(unsigned, copy=False).view(dtype)
    numbers.flags.writeable = False
    return numbers


@cache
def _unsigned(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of unsigned integers of the same width and order of bytes."""
    return np.dtype(f"u{dtype.itemsize}").newbyteorder(dtype.byteorder)


def _narrow(size: int) -> type[np.unsignedinteger[Any]]:
    """Return the narrowest unsigned type that numbers `size` values."""
    return np.uint8 if size <= 1 << 8 else np.uint16 if size <= 1 << 16 else np.uint32


def numbered(columns: Sequence[Array | None]) -> tuple[IntArray, IntArray]:
    """Return the position of one of each kind of joint rows of whole numbers, and the kind of every row.

    Kinds are numbered from 0 in the order of the numbers.

    >>> numbered([np.array([1, 0, 1, 1]), None, np.array([2, 2, 2, -1])])
    (array([1, 3, 2]), array([2, 0, 2, 1]))
    """
    used = [column for column in columns if column is not None]
    n, span = used[0].size, 1
    key = np.zeros(n, dtype=np.int64)
    for column in used:
        low = int(column.min())
        size = int(column.max()) - low + 1
        if span * size >= 1 << 62:  # the next product would not fit
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
            span = int(key.max()) + 1
        key *= size
        key += column
        key -= low
        span *= size
    if span <= max(4 * n, 1 << 16):
        occurs = np.zeros(span, dtype=np.bool_)
        occurs[key] = True
        kind = (np.cumsum(occurs) - 1).take(key)
    else:
        kind = np.unique(key, return_inverse=True)[1].reshape(-1)
    position = np.empty(int(kind.max()) + 1, dtype=np.int64)
    position[kind] = np.arange(n)
    return position, kind


def collapsed(
    columns: Sequence[Array], sizes: Sequence[int], strata: IntArray | None, counts: IntArray | None = None
) -> tuple[IntArray, IntArray]:
    """Return one position per distinct joint row of code columns, and how often each row occurs."""
    n = columns[0].size
    span = 1 if strata is None else int(strata.max()) + 1
    key = np.zeros(1, dtype=np.int64) if strata is None else strata
    most = max(4 * n, 1 << 16)  # numbers of joint rows that are counted without sorting them
    for codes, size in zip(columns, sizes, strict=True):
        if span * size > most:
            distinct, key = np.unique(key, return_inverse=True)
            key, span = key.reshape(-1), distinct.size
        key = key * size + codes if span > 1 else codes.astype(np.int64, copy=False)
        span *= size
    if span > most:
        distinct, key = np.unique(key, return_inverse=True)
        key, span = key.reshape(-1), distinct.size
    summed = occurrences(key, span, counts)
    position = np.empty(span, dtype=np.int64)
    position[key] = np.arange(n)
    present = np.flatnonzero(summed)
    return position[present], summed[present]


def occurrences(key: Array, span: int, weights: IntArray | None = None) -> IntArray:
    """Return how often each number below `span` occurs, with whole weights perhaps."""
    # A weighted count goes through floats, which hold whole numbers to 2**53.
    return np.bincount(key, weights, minlength=span).astype(np.int64, copy=False)
