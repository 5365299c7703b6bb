"""Values and ids that come as arrays or sequences, in memory: no value changes on the way into an array."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable
from decimal import Decimal
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.arrays import objects
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, ArrayLike
from bestby.data.coding import Coded
from bestby.data.columns import CodedColumn, Column, complete, text_of_value, texts_of_dates

_PLAIN = (str, bool, int, float, np.generic, Decimal, dt.date)


def label_column(values: ArrayLike | Coded, what: str, length: int | None = None) -> Column:
    """Return labels or numbers as a column; as text where no type holds all of them exactly."""
    if isinstance(values, Coded):
        try:
            return CodedColumn(label_column(values.distinct, what), values.codes)
        except InvalidInputError:  # said again below, with the position of the value
            values = np.asarray(values)
    array = _as_array(values, what)
    if array.dtype.kind in "biu" and array.ndim == 1 and length in (None, array.size):
        return complete(array)  # of these every value is one
    if array.dtype.kind == "M" and array.ndim == 1 and not np.isnat(array).any():
        array = np.array(texts_of_dates(array), dtype=np.str_)
    elif array.dtype.kind == "O" and array.ndim == 1:
        listed = array.tolist()
        _check_no_nul(listed, what)
        numbers = _without_decimals(listed)
        array = objects(numbers)
        if _needs_text(numbers):
            array = np.array([text_of_value(value) for value in listed], dtype=np.str_)
    array = checks.column(array, what, length)
    checks.check_not_tiny(array, what)
    return complete(array)


def frame_column(values: Any, what: str, *, ids: bool = False) -> Column:
    """Return a column of a data frame, of any library, with a mask of what is missing.

    Whole numbers and decimal numbers stay exact, which libraries make floats of where a value is missing.
    `values` has shape (n,). `ids` says whether these are ids or groups: then they may be whatever
    `identifiers` takes.

    >>> import polars
    >>> column = frame_column(polars.Series([2**53 + 1, None]), "column 'a'")
    >>> column.values[0], column.missing
    (np.int64(9007199254740993), array([False,  True]))
    """
    array = checks.as_array(values, what)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.ndim == 1 and (array.dtype.kind == "f" or "Decimal" in str(getattr(values, "dtype", ""))):
        array = _exact(values, array)
    if array.dtype.kind == "f":
        return Column(array.astype(np.float64), np.isnan(array))
    if array.dtype.kind == "M":
        return Column(objects(texts_of_dates(array)), np.isnat(array))
    if array.dtype.kind != "O" or array.ndim != 1:
        return label_column(array, what)
    listed = array.tolist()
    absent = np.array([checks.missing(value) for value in listed], dtype=np.bool_)
    filler = next((value for value, gone in zip(listed, absent, strict=True) if not gone), 0)
    filled = objects([filler if gone else value for value, gone in zip(listed, absent, strict=True)])
    return Column(identifiers(filled, what) if ids else label_column(filled, what).values, absent)


def _exact(values: Any, array: Array) -> Array:
    """Return the column as objects if its library makes floats of numbers that are none."""
    if hasattr(values, "to_pylist"):  # Arrow
        return objects(values.to_pylist()) if values.null_count else array
    if callable(getattr(values, "null_count", None)) and not str(values.dtype).startswith("Float"):  # polars
        return objects(values.to_list())
    if hasattr(values, "isna") and not isinstance(values.dtype, np.dtype):  # pandas' own types, such as Int64
        return objects(values.tolist())
    return array


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


def _as_array(values: ArrayLike, what: str) -> Array:
    """Return an array of the values, as objects if NumPy has no type for them that keeps them exact."""
    if isinstance(values, list | tuple):
        _check_no_nul(values, what)
    array = checks.as_array(values, what)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    is_listed = array.dtype.kind == "f" and array.ndim == 1 and isinstance(values, list | tuple)
    if is_listed and any(isinstance(value, int) and abs(value) > 2**53 for value in values):
        return objects(list(values))
    return array


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


def _check_no_nul(values: Any, what: str) -> None:
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
