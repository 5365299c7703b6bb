"""Columns of a table: text, numbers or booleans, of which some may be missing."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, TypeAlias

import numpy as np

from bestby._core.arrays import objects
from bestby._core.cached import cached_property
from bestby._core.checks import SEVERAL_LABELS
from bestby._core.checks import missing as missing_value
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, BoolArray, FloatArray
from bestby.data.coding import Coded, coded_texts

Missing = frozenset[str]

MISSING = ("", "NA", "NaN", "nan")
"""Cells that stand for no value, unless the user says otherwise; in an order, as signatures show them."""


@dataclass(frozen=True, eq=False)
class Column:
    """Values of which some may be missing: text (objects), numbers or booleans, shape (n,).

    A soft column has K probabilities per row and perhaps their `classes`, an annotated one the labels of A
    annotators; where it `is_items`, each value stands for several labels.
    """

    values: Array
    missing: BoolArray
    classes: tuple[str, ...] | None = None
    is_items: ClassVar[bool] = False

    def __len__(self) -> int:
        return self.size

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.missing.size)

    @property
    def is_text(self) -> bool:
        """Whether the values are strings, one per row."""
        return self.values.ndim == 1 and self.values.dtype.kind in "OU" and not self.is_items

    @property
    def is_soft(self) -> bool:
        """Whether the values are a distribution over classes per row."""
        return self.values.ndim == 2 and self.values.dtype.kind == "f"

    @property
    def is_annotated(self) -> bool:
        """Whether the values are the labels of several annotators per row."""
        return self.values.ndim == 2 and self.values.dtype.kind == "O"

    def take(self, positions: Any) -> Column:
        """Return the values at these positions."""
        return type(self)(self.values[positions], self.missing[positions], self.classes)

    @property
    def distinct(self) -> Column:
        """The column with each of its values once, where these are known; otherwise the column itself."""
        return self

    def with_distinct(self, distinct: Column) -> Column:
        """Return the column with other values in place of those of `distinct`."""
        return distinct

    @property
    def compact(self) -> Array | Coded:
        """The values, as codes where these are known."""
        return self.values


class Items(Column):
    """A column of sets of labels, in whatever form `data.label_sets` reads; `classes` are all labels."""

    is_items: ClassVar[bool] = True


class _LazyColumn(Column):
    """A column of one value per row that makes the array of them only if somebody asks for it.

    What its values are made of takes their place in the instance, which has no field `values`.
    """

    def __init__(self, missing: BoolArray, **parts: Any) -> None:
        vars(self).update(parts, missing=missing, classes=None)

    @property
    def is_soft(self) -> bool:
        """False: a distribution is not one value."""
        return False

    @property
    def is_annotated(self) -> bool:
        """False, likewise."""
        return False

    def take(self, positions: Any) -> Column:
        """Return the values at these positions."""
        return Column(self.values[positions], self.missing[positions])


class CodedColumn(_LazyColumn):
    """A column of few distinct values."""

    def __init__(self, distinct: Column, codes: Array) -> None:
        some = bool(distinct.missing.any())
        missing = distinct.missing[codes] if some else np.zeros(codes.size, dtype=np.bool_)
        super().__init__(missing, _distinct=distinct, _coded=Coded(distinct.values, codes))

    _distinct: Column
    _coded: Coded

    @property
    def values(self) -> Array:
        """All values, shape (n,)."""
        return self._coded.values

    @property
    def is_text(self) -> bool:
        """Whether the values are strings."""
        return self._distinct.is_text

    @property
    def distinct(self) -> Column:
        """The column with each of its values once, or a few times if they were written in several ways."""
        return self._distinct

    def with_distinct(self, distinct: Column) -> Column:
        """Return the column with other values in place of those of `distinct`."""
        return CodedColumn(distinct, self._coded.codes)

    @property
    def compact(self) -> Array | Coded:
        """The values as codes."""
        return self._coded


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


Raw: TypeAlias = "Array | Coded | Numerals"
"""A column as it was read, perhaps masked: values, codes of few values, or texts that are numbers."""


def raw_values(raw: Raw) -> Array:
    """Return the values of a raw column."""
    if isinstance(raw, Numerals):
        return raw.texts()
    return raw.values if isinstance(raw, Coded) else raw


class NumeralColumn(_LazyColumn):
    """A column of texts that spell numbers, which are read already; the texts are read only if asked for."""

    def __init__(self, numerals: Numerals, missing: Missing) -> None:
        super().__init__(numerals.missing, _numerals=numerals, _words=missing)

    _numerals: Numerals
    _words: Missing

    @cached_property
    def values(self) -> Array:
        """The texts, shape (n,)."""
        return column_of(self._numerals.texts(), "a column of numbers", self._words).values

    @property
    def numbers(self) -> Column:
        """The column as numbers."""
        return Column(self._numerals.numbers, self.missing)

    @property
    def is_text(self) -> bool:
        """True."""
        return True


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
        return NumeralColumn(raw, missing)
    coded = raw if isinstance(raw, Coded) else None
    if not isinstance(raw, Coded) and raw.dtype.kind == "O" and not np.ma.is_masked(raw):
        coded = coded_texts(np.ma.getdata(raw))
    if coded is not None:
        try:
            return CodedColumn(_column_of_values(coded.distinct, what, missing), coded.codes)
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
        _check_no_nul(texts, what)
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


def _check_no_nul(texts: Iterable[str | None], what: str) -> None:
    # NumPy's strings end at trailing NULs, so "a" and "a\0" would become one label.
    for row, text in enumerate(texts):
        if text and "\0" in text:
            raise InvalidInputError(
                f"{what} holds a NUL character in row {row + 1}",
                hint="the file is not text; was it saved in another encoding, such as UTF-16?",
            )


def _fits(value: int) -> bool:
    return -(2**63) <= value < 2**63


def complete(values: Array) -> Column:
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
    texts = [text_of_value(value) for value in values]
    return Column(objects(texts), column.missing)
