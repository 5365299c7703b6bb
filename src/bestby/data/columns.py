"""A column: text, numbers or booleans, of which some may be missing; few distinct values as codes."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any, TypeAlias

import numpy as np

from bestby._core import checks
from bestby._core.arrays import objects
from bestby._core.cached import cached_property
from bestby._core.checks import SEVERAL_LABELS
from bestby._core.checks import missing as missing_value
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, ArrayLike, BoolArray, FloatArray, IntArray

Missing = frozenset[str]

MISSING = ("", "NA", "NaN", "nan")
"""Cells that stand for no value, unless the user says otherwise; in an order, as signatures show them."""

EXACT = 2**53
"""Whole numbers up to this are exact as floats."""

TOLERANCE = 1e-6
"""How far the sum of a row may be from 1."""

CODED_FROM = 4096
"""Values of a column from which texts are coded as they are read; fewer are read one by one as quickly."""

MOST_DISTINCT = 1 << 16
"""Distinct texts up to which a column is coded as it is read."""

HEAD = 10_000
"""Values that are looked at to tell whether few of them are distinct."""


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
        occurring_values = [value for value, occurs in zip(values, there.tolist(), strict=True) if occurs]
        return cls(
            objects(occurring_values),
            shifted if len(occurring_values) == len(values) else place.take(shifted),
        )


@dataclass(frozen=True, eq=False)
class Numerals:
    """Texts that all spell finite numbers, not all of them whole, as the library that read them made numbers.

    `numbers` and `missing` have shape (n,); `texts` reads the texts themselves, for whoever needs them.
    """

    numbers: FloatArray
    missing: BoolArray
    texts: Callable[[], Array]

    def __len__(self) -> int:
        return self.numbers.size

    @cached_property
    def values(self) -> Array:
        """The texts, shape (n,); to read them takes four fifths of the time of reading a table of scores."""
        return self.texts()

    dtype = np.dtype(object)
    ndim = 1


Raw: TypeAlias = "Array | Coded | Numerals"
"""Values as they were read, perhaps masked: an array, codes of few values, or texts that are numbers."""


def raw_values(raw: Raw) -> Array:
    """Return the array of values in any form."""
    return raw if isinstance(raw, np.ndarray) else raw.values


@dataclass(frozen=True, eq=False)
class Column:
    """Values of which some may be missing: text (objects), numbers or booleans, shape (n,).

    A soft column has K probabilities per row and perhaps their `classes`, an annotated one the labels of A
    annotators; where it `is_items`, each value stands for several labels, in whatever form `data.label_sets`
    reads, and `classes` are all labels.
    """

    data: Raw
    missing: BoolArray
    classes: tuple[str, ...] | None = None
    is_items: bool = False

    def __len__(self) -> int:
        return self.size

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.missing.size)

    @property
    def values(self) -> Array:
        """All values; an array of codes or numerals is made only if somebody asks for it."""
        return raw_values(self.data)

    @property
    def compact(self) -> Array | Coded:
        """The values, as codes where few are distinct."""
        return self.data if isinstance(self.data, Coded) else self.values

    @property
    def numbers(self) -> Column | None:
        """The column as numbers, where its texts were read as such; None where they were not."""
        return Column(self.data.numbers, self.missing) if isinstance(self.data, Numerals) else None

    @property
    def distinct(self) -> Column:
        """The column with each value once, or a few times if it was written in several ways.

        Where the values are no codes it is the column itself.
        """
        if not isinstance(self.data, Coded):
            return self
        missing = np.zeros(self.data.distinct.size, dtype=np.bool_)
        if self.missing.any():
            missing[self.data.codes] = self.missing  # of one value all rows are missing, or none
        return Column(self.data.distinct, missing)

    @property
    def is_text(self) -> bool:
        """Whether the values are strings, one per row."""
        return self.data.ndim == 1 and self.data.dtype.kind in "OU" and not self.is_items

    @property
    def is_soft(self) -> bool:
        """Whether the values are a distribution over classes per row."""
        return self.data.ndim == 2 and self.data.dtype.kind == "f"

    @property
    def is_annotated(self) -> bool:
        """Whether the values are the labels of several annotators per row."""
        return self.data.ndim == 2 and self.data.dtype.kind == "O"

    def take(self, positions: Any) -> Column:
        """Return the values at these positions."""
        return replace(self, data=self.values[positions], missing=self.missing[positions])


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


def complete(values: Array | Coded) -> Column:
    """Return values, all of them there, as a column."""
    return Column(values, np.zeros(len(values), dtype=np.bool_))


def column_of_texts(texts: list[str]) -> Column:
    """Return texts, all of them there, as a column."""
    return complete(objects(texts))


def text_of(column: Column) -> Column:
    """Return the column as text, as a CSV file would spell it; rows of several values as lists."""
    if column.is_text:
        return column
    values = column.values.tolist()
    if column.is_items:  # labels in an order of their own; that of marks says which labels they are
        values = [
            sorted(value, key=str) if value is not None and not {*map(type, value)} - {str} else value
            for value in values
        ]
    is_whole = column.data.dtype.kind in "iu" and column.data.ndim == 1
    texts = [*map(str if is_whole else text_of_value, values)]
    return Column(objects(texts), column.missing)


def column_of(raw: Raw, what: str, missing: Missing = frozenset(MISSING)) -> Column:
    """Tell the values of a raw column from its missing ones.

    Surrounding white space is no part of a value. `raw`, of shape (n,), holds numbers, dates, or objects:
    strings, numbers, booleans, dates, None; possibly masked. Returns text, numbers or booleans. Dates become
    text, and so do numbers that no type of 64 bits holds exactly.

    >>> column = column_of(np.array(["1", " NA", None], dtype=object), "column 'a'")
    >>> column.missing
    array([False,  True,  True])
    """
    if isinstance(raw, Numerals):
        texts = raw.texts
        return Column(
            replace(raw, texts=lambda: column_of(texts(), "a column of numbers", missing).values), raw.missing
        )
    coded = raw if isinstance(raw, Coded) else None
    if not isinstance(raw, Coded) and raw.dtype.kind == "O" and not np.ma.is_masked(raw):
        coded = coded_texts(np.ma.getdata(raw))
    if coded is not None:
        try:
            distinct = _column_of_values(coded.distinct, what, missing)
            values = Coded(distinct.values, coded.codes)
            return (
                Column(values, distinct.missing[coded.codes]) if distinct.missing.any() else complete(values)
            )
        except InvalidInputError:  # said again below, with the number of the row
            pass
    return _column_of_values(raw_values(raw), what, missing)


def _column_of_values(raw: Array, what: str, missing: Missing) -> Column:
    if raw.dtype.kind not in "biufMOU":
        raise InvalidInputError(
            f"{what} holds values of type {raw.dtype}",
            hint="labels and scores must be text, numbers or booleans",
        )
    absent = np.array(np.ma.getmaskarray(raw), dtype=np.bool_)
    values: Array = np.asarray(np.ma.getdata(raw))
    if values.dtype.kind in "biu":
        return Column(values, absent)
    if values.dtype.kind == "f":
        return Column(values.astype(np.float64), absent | np.isnan(values))
    if values.dtype.kind == "M":
        absent = absent | np.isnat(values)
        return Column(objects(texts_of_dates(values)), absent)
    return _object_column(
        [None if gone else value for value, gone in zip(values, absent, strict=True)], what, missing
    )


def _object_column(values: list[Any], what: str, missing: Missing) -> Column:
    kinds = {type(value) for value in values} - {type(None)}
    if kinds <= {str}:
        texts = [None if value is None else value.strip() for value in values]
        absent = np.array([text is None or text in missing for text in texts], dtype=np.bool_)
        _check_no_nul_in_rows(texts, what)
        return Column(objects(texts), absent)
    odd = next((value for value in values if not isinstance(value, _VALUES)), None)
    if odd is not None:
        kind = "nested" if isinstance(odd, list | dict) else type(odd).__name__
        raise InvalidInputError(
            f"{what} holds {kind} values, first in row {values.index(odd) + 1}",
            hint="labels and scores must be text, numbers or booleans: choose other columns as systems;"
            f" {SEVERAL_LABELS}; or read them as such: bestby.read(path, label_sets=True)",
        )
    absent = np.array([missing_value(value) for value in values], dtype=np.bool_)
    filler: Any = next((value for value, gone in zip(values, absent, strict=True) if not gone), 0)
    filled = [filler if gone else value for value, gone in zip(values, absent, strict=True)]
    if kinds <= {bool}:
        return Column(np.array(filled, dtype=np.bool_), absent)
    if kinds <= {int} and all(_fits(value) for value in filled):
        return Column(np.array(filled, dtype=np.int64), absent)
    # Whole numbers up to this size are exact as floats
    if kinds <= {int, float} and all(isinstance(value, float) or abs(value) <= 2**53 for value in filled):
        return Column(np.array([float(value) for value in filled]), absent)
    texts = [None if gone else text_of_value(value) for value, gone in zip(filled, absent, strict=True)]
    return _object_column(texts, what, missing)


_VALUES = str | int | float | Decimal | dt.date | None  # a datetime is a date


def text_of_value(value: Any) -> str:
    """Return the text of a value as a CSV file would spell it; of dates in the form of ISO 8601.

    >>> text_of_value(dt.date(2024, 1, 31)), text_of_value(dt.datetime(2024, 1, 31, 12)), text_of_value(0.5)
    ('2024-01-31', '2024-01-31 12:00:00', '0.5')
    """
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, int) and value.bit_length() > 64:  # Python refuses to write more than 4300 digits
        return str(Decimal(value))
    return str(value)


def texts_of_dates(values: Array) -> list[str]:
    """Return dates and times as text: without the time if none has one, as a CSV file would have it."""
    days = values.astype("datetime64[D]")
    if np.all((days == values) | np.isnat(values)):
        return [str(day) for day in days]
    seconds = values.astype("datetime64[s]")
    exact = seconds if np.all((seconds == values) | np.isnat(values)) else values.astype("datetime64[us]")
    return [str(moment).replace("T", " ") for moment in exact]


def _check_no_nul_in_rows(texts: Iterable[str | None], what: str) -> None:
    # NumPy's strings end at trailing NULs, so "a" and "a\0" would become one label.
    for row, text in enumerate(texts):
        if text and "\0" in text:
            raise InvalidInputError(
                f"{what} holds a NUL character in row {row + 1}",
                hint="the file is not text; was it saved in another encoding, such as UTF-16?",
            )


def _fits(value: int) -> bool:
    return -(2**63) <= value < 2**63


def label_column(values: ArrayLike | Coded, what: str, length: int | None = None) -> Column:
    """Return labels or numbers as a column; as text where no type holds all of them exactly."""
    if isinstance(values, Coded):
        try:
            return complete(Coded(label_column(values.distinct, what).values, values.codes))
        except InvalidInputError:  # said again below, with the position of the value
            values = np.asarray(values)
    array = _as_array(values, what)
    if array.dtype.kind in "biu" and array.ndim == 1 and length in (None, array.size):
        return complete(array)  # of these every value is one
    if array.dtype.kind == "M" and array.ndim == 1 and not np.isnat(array).any():
        array = np.array(texts_of_dates(array), dtype=np.str_)
    elif array.dtype.kind == "O" and array.ndim == 1:
        listed = array.tolist()
        _check_no_nul_in_values(listed, what)
        numbers = _without_decimals(listed)
        array = objects(numbers)
        if _needs_text(numbers):
            array = np.array([text_of_value(value) for value in listed], dtype=np.str_)
    array = checks.column(array, what, length)
    checks.check_not_tiny(array, what)
    return complete(array)


def _as_array(values: ArrayLike, what: str) -> Array:
    """Return an array of the values, as objects if NumPy has no type for them that keeps them exact."""
    if isinstance(values, list | tuple):
        _check_no_nul_in_values(values, what)
    array = checks.as_array(values, what)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    is_listed = array.dtype.kind == "f" and array.ndim == 1 and isinstance(values, list | tuple)
    if is_listed and any(isinstance(value, int) and abs(value) > 2**53 for value in values):
        return objects(list(values))
    return array


_PLAIN = (str, bool, int, float, np.generic, Decimal, dt.date)


def _without_decimals(values: list[Any]) -> list[Any]:
    """Return decimal numbers as whole numbers or floats, unless the values are texts beside them."""
    if any(isinstance(value, str | dt.date) for value in values):
        return values

    def plain(value: Decimal) -> Any:
        is_whole = value.is_finite() and value == value.to_integral_value()
        return None if value.is_nan() else int(value) if is_whole else float(value)

    return [plain(value) if isinstance(value, Decimal) else value for value in values]


def _needs_text(values: list[Any]) -> bool:
    """Tell whether plain values have no type in common that holds all of them exactly."""
    if not all(isinstance(value, _PLAIN) and not checks.missing(value) for value in values):
        return False  # what does not fit is said where all columns are checked
    if any(isinstance(value, str | dt.date) for value in values):
        return not all(isinstance(value, str) for value in values)
    if not any(isinstance(value, int | np.integer) and abs(int(value)) > 2**53 for value in values):
        return False
    whole = [v for v in values if isinstance(v, int | np.integer) and not isinstance(v, bool)]
    return len(whole) < len(values) or not all(-(2**63) <= value < 2**63 for value in whole)


def _check_no_nul_in_values(values: Any, what: str) -> None:
    """Refuse a text with a NUL in it, where values come as a list or an array."""
    # NumPy's strings end at trailing NULs, so "a" and "a\0" would become one label.
    try:
        if "\0" not in "".join(values):
            return  # most lists hold texts only, without any: a look at all of them at once
    except TypeError:
        pass
    for position, value in enumerate(values):
        if isinstance(value, str) and "\0" in value:
            raise InvalidInputError(
                f"{what} holds a NUL character at position {position}",
                hint="remove it: NumPy's strings end there, so that two labels could become one",
            )


def identifiers(values: ArrayLike, what: str, length: int | None = None) -> Array:
    """Return ids or groups, any hashable values with a text, as an array that keeps different ones apart."""
    if isinstance(values, list | tuple) and any(isinstance(value, tuple) for value in values):
        texts = [value if isinstance(value, str) else repr(value) for value in values]
        _check_apart(values, texts, what)
        return checks.column(texts, what, length)
    raw = _as_array(values, what)
    if raw.dtype.kind == "O" and raw.ndim == 1 and any(map(is_other_key, raw)):
        listed = raw.tolist()
        if all(isinstance(value, _PLAIN) or is_other_key(value) for value in listed):
            texts = [text_of_value(value) for value in listed]
            _check_apart(listed, texts, what)
            return checks.column(texts, what, length)
    array = label_column(raw, what, length).values
    if array.dtype.kind == "U" and isinstance(values, list | tuple):
        _check_apart(values, array.tolist(), what)
    return array


def is_other_key(value: Any) -> bool:
    """Tell whether a value that is no label, such as a UUID, can be an id: its text says which it is."""
    if isinstance(value, _PLAIN) or checks.missing(value) or not isinstance(value, Hashable):
        return False
    kind = type(value)
    return not (kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__)


def _check_apart(values: Any, texts: list[str], what: str) -> None:
    first: dict[str, Any] = {}
    for value, text in zip(values, texts, strict=True):
        if first.setdefault(text, value) != value:
            raise InvalidInputError(
                f"{what} holds {quoted(first[text])} and {quoted(value)}, which are different but written"
                " alike",
                hint="give all of them one type, for example with str()",
            )


@lru_cache(maxsize=1024)
def system_or_gold(name: str) -> str:
    """Return what messages call a system, or the gold, whose name is empty."""
    return f"system {quoted(name)}" if name else "gold"


def item_namer(ids: Array | None) -> Callable[[int], str]:
    """Return how to name an item by its position."""
    return "row {}".format if ids is None else lambda position: f"item {quoted(str(ids[position]))}"


def is_plain(values: Array | Coded) -> bool:
    """Tell whether these are hard labels or scores, one per item."""
    return values.ndim == 1 and values.dtype.kind != "O"


def is_soft(values: Any) -> bool:
    """Return whether these are rows of numbers, one row per item, rather than one value per item."""
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple) and len(shape) == 2:
        if shape[1] == 1 or shape[0] != 1:
            return bool(shape[1] != 1)
        array = checks.as_array(values, "values")  # one item with its classes, or a column laid down
        is_positive = array.dtype.kind == "f" and bool((array >= 0.0).all())
        return is_positive and bool(abs(array.sum() - 1.0) <= TOLERANCE)
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        return False
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__") or shape == ():
        return False
    column = checks.as_array(values, "values") if _is_array(values) else values
    first = next((value for value in column if not checks.missing(value)), None)
    if isinstance(first, str | bytes | Mapping | AbstractSet) or getattr(first, "shape", None) == ():
        return False
    return hasattr(first, "__len__")


def _is_array(values: Any) -> bool:
    return hasattr(values, "shape") or hasattr(values, "to_numpy") or hasattr(values, "__array__")


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

    Unsigned integers wrap round: what is left of the higher bytes does not count.
    """
    least = int(np.minimum.reduce(values))
    span = int(np.maximum.reduce(values)) - least + 1
    if span > max(1024, values.size):
        return None
    shifted = values.astype(_narrow(span))
    shifted -= np.array(least, dtype=values.dtype).astype(shifted.dtype)
    return shifted, least, span


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
    (array([1, 3, 0]), array([2, 0, 2, 1], dtype=uint8))
    """
    used = [column for column in columns if column is not None]
    n, span = used[0].size, 1
    lows = [int(column.min()) for column in used]
    sizes = [int(column.max()) - low + 1 for column, low in zip(used, lows, strict=True)]
    kind = _joint_type(sizes)
    key = np.zeros(n, dtype=kind)
    for column, low, size in zip(used, lows, sizes, strict=True):
        if span * size >= 1 << 62:  # the next product would not fit
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
            span = int(key.max()) + 1
        key *= kind.type(size)
        key += column.astype(kind)  # below 0 unsigned numbers wrap round, and back
        key -= np.array(low).astype(kind)
        span *= size
    if span > max(4 * n, 1 << 16):
        distinct, key = np.unique(key, return_inverse=True)
        key, span = key.reshape(-1), distinct.size
    position = _one_of_each(key, span)
    occurs = position >= 0
    number = np.cumsum(occurs) - 1
    return position[occurs], number.astype(np.min_scalar_type(number[-1])).take(key)


def _joint_type(sizes: Sequence[int]) -> np.dtype[Any]:
    """Return the type that numbers the joint rows of columns of so many codes each, in few bytes if few."""
    span = math.prod(sizes)
    return np.min_scalar_type(span) if span < 1 << 16 else np.dtype(np.int64)


def _one_of_each(key: Array, span: int) -> IntArray:
    """Return where one of each number below `span` stands among the keys, -1 of those that do not occur."""
    if key.dtype.itemsize == 1:  # most occur early, and bytes are searched at the speed of the memory
        searched = key.tobytes()
        return np.array([searched.find(number) for number in range(span)])
    position = np.full(span, -1)
    position[key] = np.arange(key.size)
    return position


def collapsed(
    columns: Sequence[Array], sizes: Sequence[int], strata: IntArray | None, counts: IntArray | None = None
) -> tuple[IntArray, IntArray]:
    """Return one position per distinct joint row of code columns, and how often each row occurs."""
    n = columns[0].size
    if strata is not None:
        columns, sizes = [strata, *columns], [int(strata.max()) + 1, *sizes]
    kind, span = _joint_type(sizes), 1
    key = np.zeros(n, dtype=kind)
    most = max(4 * n, 1 << 16)  # numbers of joint rows that are counted without sorting them
    for codes, size in zip(columns, sizes, strict=True):
        if span * size > most:
            distinct, key = np.unique(key, return_inverse=True)
            key, span = key.reshape(-1), distinct.size
        key = key * kind.type(size) + codes.astype(kind, copy=False)
        span *= size
    if span > most:
        distinct, key = np.unique(key, return_inverse=True)
        key, span = key.reshape(-1), distinct.size
    summed = occurrences(key, span, counts)
    present = np.flatnonzero(summed)
    return _one_of_each(key, span)[present], summed[present]


def occurrences(key: Array, span: int, weights: IntArray | None = None) -> IntArray:
    """Return how often each number below `span` occurs, with whole weights perhaps."""
    # A weighted count goes through floats, which hold whole numbers to 2**53.
    return np.bincount(key, weights, minlength=span).astype(np.int64, copy=False)
