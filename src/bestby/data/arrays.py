"""Values and ids that come as arrays or sequences, checked; no value changes on the way into an array."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Hashable, Mapping
from collections.abc import Set as AbstractSet
from decimal import Decimal
from functools import lru_cache
from typing import Any

import numpy as np

from bestby._core import arrays, checks
from bestby._core.arrays import objects
from bestby._core.checks import NUMERAL, number_hint
from bestby._core.errors import InvalidInputError, MissingValueError
from bestby._core.text import quoted
from bestby._core.typing import Array, ArrayLike, IntArray
from bestby.data import soft
from bestby.data.annotations import Annotations
from bestby.data.coding import Coded, coded_texts, texts_coded
from bestby.data.columns import CodedColumn, Column, complete, text_of_value, texts_of_dates
from bestby.data.values import Rule, merged_note, read_together
from bestby.results.base import Note

_PLAIN = (str, bool, int, float, np.generic, Decimal, dt.date)


def checked_labels(
    inputs: Mapping[str, Any],
    ids: Array | None,
    annotations: Annotations | None,
    classes: ArrayLike | None,
    normalise: bool,
    coded: dict[str, Coded],
) -> tuple[dict[str, Array | Coded], Array | None, tuple[Note, ...]]:
    """Return the values of the systems and the gold (under ``""``), the classes of soft ones, and notes."""
    inputs = {
        name: (coded_texts(values) if isinstance(values, list) else None) or values
        for name, values in inputs.items()
    }
    rows = [name for name, values in inputs.items() if not isinstance(values, Coded) and soft.is_soft(values)]
    if not rows:
        checks.refuse_unused(
            "hard labels and scores: only soft labels are normalised", normalise=(normalise, False)
        )
    if not rows and annotations is None and classes is None:
        as_given, notes = _hard_labels(inputs, coded)
        return as_given, None, notes
    named = classes
    if named is None and annotations is not None and annotations.named:
        named = annotations.classes
    hint = soft.ASK_CLASSES
    if named is None:
        named = soft.named_classes({system_or_gold(name): inputs[name] for name in rows}, system_or_gold(""))
        hint = hint if named is None else soft.ASK_NAMES
    if named is None and annotations is not None:
        named = annotations.classes
    known = None if named is None else checks.column(named, "classes")
    n_classes = None if known is None else int(known.size)
    out: dict[str, Array] = {}
    for name, values in inputs.items():
        if name in rows:
            ordered = soft.by_name(values, known, system_or_gold(name))
            out[name] = soft.distributions(
                ordered, system_or_gold(name), n_classes=n_classes, normalise=normalise, place=item_namer(ids)
            )
            n_classes = out[name].shape[1]
        else:
            out[name] = label_column(values, system_or_gold(name)).values
    assert n_classes is not None  # of a row, of the annotations, or named
    names = soft.classes_of(known, n_classes)
    if "" in inputs or annotations is not None:
        rule = Rule.of(label_column(names, "classes"), strings=True)
        for name in inputs:
            if name not in rows:
                column = label_column(out[name], system_or_gold(name))
                out[name] = rule.read(column, rule.keys_of(column)).values
                soft.positions(out[name], names, system_or_gold(name), hint=hint)
    return {**out}, names, ()


def _hard_labels(
    inputs: Mapping[str, Any], coded: dict[str, Coded]
) -> tuple[dict[str, Array | Coded], tuple[Note, ...]]:
    """Return one label or number per item, texts as codes if there is a gold, and notes."""
    columns = {name: label_column(values, system_or_gold(name)) for name, values in inputs.items()}
    if "" in columns:
        coded |= {name: texts_coded(column.compact) for name, column in columns.items() if column.is_text}
    # The values stay as given, for functions of the user's own; metrics of labels read them in this way.
    as_given = {
        name: coded[name] if name in coded else column.values  # noqa: SIM401 - makes no array in vain
        for name, column in columns.items()
    }
    if not any(column.is_text for column in columns.values()):
        return as_given, ()  # numbers have one spelling
    columns |= {name: complete(texts.distinct) for name, texts in coded.items()}
    merged = read_together(columns.pop("", None), columns, strings=True)[2]
    return as_given, merged_note(merged)


def assumed_classes_note(annotations: Annotations, columns: Mapping[str, Any]) -> tuple[Note, ...]:
    """Return a note if columns of soft systems are read as the sorted labels of the annotators."""
    names = tuple(
        name
        for name, values in columns.items()
        if soft.is_soft(values) and arrays.are_default_names(arrays.column_names(values) or [])
    )
    classes = annotations.classes
    if not names or annotations.named or np.array_equal(classes, np.arange(classes.size)):
        return ()
    listed = ", ".join(map(str, classes[:8])) + (", …" if classes.size > 8 else "")
    message = (
        f"the columns of {', '.join(names)} are taken for the annotators' labels in sorted order ({listed}):"
        " pass classes=[...] to say which they are"
    )
    return (Note("classes_assumed", message, names),)


def checked_counts(counts: ArrayLike, n: int) -> IntArray:
    """Return how many items each of n rows stands for."""
    numbers = checks.column(counts, "counts", n)
    if numbers.dtype.kind not in "iu" or (numbers < 1).any():
        raise InvalidInputError(
            "counts must be whole numbers of at least 1", hint="leave out rows that represent no item"
        )
    return numbers.astype(np.int64)


def keyed_or_sequence(values: Any, what: str) -> Any:
    """Return values that come by item id, or in an order; refuse all others."""
    return values if isinstance(values, Mapping | Annotations) else arrays.sequence(values, what)


@lru_cache(maxsize=1024)
def system_or_gold(name: str) -> str:
    """Return what messages call a system, or the gold, whose name is empty."""
    return f"system {quoted(name)}" if name else "gold"


def item_namer(ids: Array | None) -> Callable[[int], str]:
    """Return how to name an item by its position."""
    return "row {}".format if ids is None else lambda position: f"item {quoted(str(ids[position]))}"


def opaque(values: Any, what: str) -> Array:
    """Return items of any kind as an array of objects, with none missing.

    >>> opaque([(10, 3), (10, 0)], "system 'a'")
    array([(10, 3), (10, 0)], dtype=object)
    """
    listed = arrays.listed(values, what)
    array = np.empty(len(listed), dtype=object)
    if set(map(type, listed)) == {str}:  # most often, and none of these is missing
        array[:] = listed
        return array
    for position, value in enumerate(listed):
        if checks.missing(value):
            raise MissingValueError(
                f"{what} has a missing value at position {position}", hint=checks.ASK_VALUE
            )
        array[position] = value  # not all at once: NumPy would take lists for rows
    return array


def is_plain(values: Array | Coded) -> bool:
    """Tell whether these are hard labels or scores, one per item."""
    return values.ndim == 1 and values.dtype.kind != "O"


def check_scores(arrays: Mapping[str, Array]) -> None:
    """Refuse systems that hold no scores where there is no gold."""
    for name, array in arrays.items():
        if array.ndim == 2 and array.dtype.kind != "O":
            raise InvalidInputError(
                f"without gold, systems must be per-item scores, but {quoted(name)} holds a row per item",
                hint="pass gold=... to compare soft predictions",
            )
    texts = {name: array for name, array in arrays.items() if array.dtype.kind == "U"}
    if texts:
        # One text makes text of all columns of a file: the one to be named is none that spells a number.
        odd = (
            (name, place)
            for name, array in texts.items()
            for place, text in enumerate(array.tolist())
            if not NUMERAL.fullmatch(text)
        )
        name, place = next(odd, (next(iter(texts)), 0))
        text = str(texts[name][place])
        raise InvalidInputError(
            f"without gold, systems must be per-item scores, but {quoted(name)} holds text:"
            f" {quoted(text)} at position {place}",
            hint=number_hint(text, "pass gold=... to compare predictions, or correct this value"),
        )


def objects_as_text(values: Array) -> bytes:
    """Return items of any kind as text that is the same in every process and leaves nothing out."""
    listed = values.tolist()
    some_sets = any(issubclass(kind, AbstractSet) for kind in set(map(type, listed)))
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
        return "\n".join(map(_item_as_text if some_sets else repr, listed)).encode()


def _item_as_text(value: Any) -> str:
    """Return an item as text; the elements of a set in an order of their own."""
    return f"{{{', '.join(sorted(map(repr, value)))}}}" if isinstance(value, AbstractSet) else repr(value)


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
