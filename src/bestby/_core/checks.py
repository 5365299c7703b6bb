"""Checks of what users pass: each returns the value, or says what must hold and what came."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bestby._core.arrays import as_array as as_array
from bestby._core.arrays import listed
from bestby._core.errors import InvalidInputError, MissingValueError
from bestby._core.hints import counterpart
from bestby._core.text import counted, normal_form, quoted, shortened, suggestion, surrogate
from bestby._core.typing import Array, ArrayLike, FloatArray

# -- columns ----------------------------------------------------------------------------------------

ASK_VALUE = "correct it, or leave out the item, run or fold that it belongs to"
"""What to do about values that are infinite or missing."""

LARGEST = 1e75
"""The largest number there may be: variances of variances are sums of fourth powers, and must be floats."""


def column(values: ArrayLike, what: str, length: int | None = None) -> Array:
    """Return `values` as a one-dimensional array of labels or numbers, with nothing missing."""
    array = as_array(values, what)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.ndim != 1:
        raise InvalidInputError(
            f"{what} must be one-dimensional, got shape {array.shape}",
            hint="pass one value per item: a label or a score, not a row of probabilities",
        )
    if length is not None and array.size != length:
        raise InvalidInputError(
            f"{what} has {counted(array.size, 'value')}, expected {length}",
            hint="pass one value per item, in the same order for gold and every system",
        )
    if array.dtype.kind == "O":
        array = _homogeneous(array, what)
    check_bounded(array, what)
    if array.dtype.kind not in "biufUS":
        raise InvalidInputError(
            f"{what} must hold labels or numbers, got values of type {array.dtype}",
            hint="pass strings, integers, booleans or floats",
        )
    if array.dtype.kind == "f" and array.dtype.itemsize != 8:
        return array.astype(np.float64)
    if array.dtype.kind == "S":
        return _decoded(array, what)
    invalid = first_invalid(array)
    if invalid is not None:
        check_text(str(array[invalid]), f"{what}, position {invalid},")
    return array


def numeric_column(values: ArrayLike, what: str, hint: str) -> FloatArray:
    """Return a column of numbers as floats."""
    numbers = column(values, what)
    if numbers.dtype.kind not in "biuf":
        raise InvalidInputError(f"{what} must be numbers, got {quoted(str(numbers[0]))}", hint=hint)
    check_not_tiny(numbers, what)
    return numbers.astype(np.float64)


def _homogeneous(array: Array, what: str) -> Array:
    """Turn an object array into one of a plain type, or say which value does not fit."""
    for position, value in enumerate(array):
        if missing(value):
            raise MissingValueError(
                f"{what} has a missing value at position {position}",
                hint=ASK_VALUE,
            )
    if all(isinstance(value, str) for value in array):
        return array.astype(np.str_)
    if all(isinstance(value, bool | np.bool_) for value in array):
        return array.astype(np.bool_)
    try:
        if all(isinstance(value, int | np.integer) and not isinstance(value, bool) for value in array):
            return array.astype(np.int64)
        if not any(isinstance(value, str) for value in array):
            return array.astype(np.float64)
    except OverflowError:
        raise InvalidInputError(
            f"{what} has a number that is too large", hint="scale the values down, or pass labels as str()"
        ) from None
    except (TypeError, ValueError):
        pass
    kinds = sorted({type(value).__name__ for value in array})
    member = next((value for value in array if isinstance(value, Enum)), None)
    if member is not None:
        raise InvalidInputError(
            f"{what} holds members of an enumeration, such as {quoted(member)}",
            hint="pass their values, such as [label.value for label in labels], all of one type",
        )
    if len(kinds) == 1:
        raise InvalidInputError(
            f"{what} holds values of the type {kinds[0]}, which are neither labels nor numbers",
            hint=SEVERAL_LABELS
            if isinstance(array[0], list | tuple | set | frozenset)
            else "give all labels one type, for example with str()",
        )
    raise InvalidInputError(
        f"{what} mixes values of the types {', '.join(kinds)}",
        hint="give all labels one type, for example with str()",
    )


SEVERAL_LABELS = (
    "compare takes several labels per item with a multi-label metric, such as multilabel_f1_micro"
)
"""What to do where an item has a collection of labels, and one is expected."""


def _decoded(array: Array, what: str) -> Array:
    try:
        return np.char.decode(array, "utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{what} holds bytes that are not UTF-8: {quoted(error.object)}", hint="decode them first, to str"
        ) from None


def missing(value: Any) -> bool:
    """Return whether a value stands for none: None, NaN of any type, pandas' NA and NaT, a masked cell."""
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    if isinstance(value, Decimal):
        return value.is_nan()
    return value is None or value is np.ma.masked or type(value).__name__ in {"NAType", "NaTType"}


def check_bounded(array: Array, what: str, start: int = 0) -> None:
    """Refuse floats that are missing, infinite or too large; positions are counted from `start`."""
    extent = largest(array) if array.dtype.kind == "f" else 0.0
    if not math.isfinite(extent) or (array.dtype.kind == "c" and not np.isfinite(array).all()):
        first = int(np.flatnonzero(~np.isfinite(array))[0])
        kind = MissingValueError if np.isnan(array[first]) else InvalidInputError
        raise kind(
            f"{what} must be finite, got {array[first]} at position {start + first}"
            f" ({int((~np.isfinite(array)).sum())} of {array.size} values)",
            hint=ASK_VALUE,
        )
    if extent > LARGEST:
        first = int(np.flatnonzero(np.abs(array) > LARGEST)[0])
        raise InvalidInputError(
            f"{what} must be at most {LARGEST:g} in size, got {array[first]} at position {start + first}",
            hint="scale the values down: their squares could not be added up",
        )


def check_not_tiny(array: Array, what: str) -> None:
    """Refuse floats that are all too small, but not 0, for the powers that metrics and variances take."""
    if array.dtype.kind != "f" or (array.size and abs(array.item(0)) >= 1.0 / LARGEST):
        return
    if 0.0 < largest(array) < 1.0 / LARGEST:
        raise InvalidInputError(
            f"{what} must not all be smaller than {1.0 / LARGEST:g} in absolute value; the largest is"
            f" {largest(array):g}",
            hint="scale the values up: their fourth powers would be rounded to 0",
        )


def largest(array: Array) -> float:
    """Return the largest absolute value, NaN if one is, 0 of no values, without an array of them."""
    highest = float(np.maximum.reduce(array, axis=None, initial=0.0))
    return max(highest, -float(np.minimum.reduce(array, axis=None, initial=0.0)))


NUMERAL = re.compile(
    r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|[iI]nf(?:inity)?)", re.ASCII
)
"""A text that is a number. A leading zero is none: "01" is a code, and "01" and "1" must stay apart."""


def number_hint(text: str, otherwise: str) -> str:
    """Return what to do about a text where a number should be; a comma may be what makes a number a text.

    >>> number_hint("0,858", "choose other columns")
    "if '0,858' is a number, write it with a decimal point and no comma; otherwise choose other columns"
    >>> number_hint("cat", "choose other columns")
    'choose other columns'
    """
    if "," in text and any(NUMERAL.fullmatch(text.replace(",", mark)) for mark in (".", "")):
        commas = f"if {quoted(text)} is a number, write it with a decimal point and no comma"
        return f"{commas}; otherwise {otherwise}"
    return otherwise


# -- texts and names --------------------------------------------------------------------------------


def first_invalid(array: Array) -> int | None:
    r"""Return the position of the first text of an array that is no valid Unicode; None if all are.

    >>> first_invalid(np.array(["a", "\ud800"])), first_invalid(np.array(["a", "é"]))
    (1, None)
    """
    if array.dtype.kind != "U" or not array.size or not array.dtype.itemsize:
        return None
    native = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    letters = native.view(np.uint32)
    if letters.max() < 0xD800:  # nearly always
        return None
    bad = np.flatnonzero((letters & 0xFFFFF800) == 0xD800)
    return int(bad[0]) // (native.dtype.itemsize // 4) if bad.size else None


def check_text(text: str, what: str) -> str:
    """Return a text if it is valid Unicode: no half of a surrogate pair, which no file can hold.

    >>> check_text("naïve", "system name")
    'naïve'
    """
    half = surrogate(text)
    if half is not None:
        raise InvalidInputError(
            f"{what} must be valid Unicode text, got {shortened(repr(text))}",
            hint=f"{half!r} is half of a character: decode the text with its own encoding, or rename it",
        )
    return text


T = TypeVar("T", bound=str)


def text(value: Any, what: str) -> str:
    """Return `value` if it is a text."""
    if isinstance(value, str):
        return value
    raise InvalidInputError(
        f"{what} must be a text, got {quoted(value)}", hint=f'such as {what}="name"', argument=what
    )


def name_text(value: Any, what: str) -> str:
    """Return a value that names one `what` as text; a number of thousands of digits has none."""
    try:
        return str(value)
    except ValueError:
        raise InvalidInputError(
            f"the name of a {what} must be text or a number of fewer digits, got {quoted(value)}",
            hint="give it a text for a name",
        ) from None


def valid_name(value: Any, what: str) -> str | None:
    """Return `value` if it is text or None, such as the name of a column."""
    if value is None or isinstance(value, str):
        return value
    raise InvalidInputError(
        f"{what} must be a name, got {quoted(value)}",
        hint="pass text, such as the name of a column",
        argument=what,
    )


def valid_names(values: Iterable[Any], what: str) -> tuple[str, ...]:
    """Return names if every one is text, not empty and valid Unicode, and no two of them look alike."""
    names = tuple(values)
    first: dict[str, str] = {}
    for one in names:
        if not isinstance(one, str) or not one:
            raise InvalidInputError(f"{what} names must be non-empty strings, got {quoted(one)}")
        check_text(one, f"{what} names")
        if (other := first.setdefault(normal_form(one), one)) != one:
            raise InvalidInputError(
                f"{what} names must look different, got {other!a} and {one!a}, which do not",
                hint="write both with the same characters if they are one, or give one another name",
            )
    return names


def valid_name_list(values: Any, what: str, otherwise: str | None = None) -> tuple[str, ...]:
    """Return names as a tuple; a single one need not stand in a list.

    `otherwise` is a hint for those who gave something else than names.

    >>> valid_name_list("old", "systems"), valid_name_list(["old", "new"], "systems")
    (('old',), ('old', 'new'))
    """
    names = [values] if isinstance(values, str | Mapping) else listed(values, what)
    if not all(isinstance(one, str) for one in names):
        raise InvalidInputError(
            f"{what} must be names, got {quoted(values)}",
            hint=f"pass one name as text, or a list of names: {what}=['a', 'b']"
            + (f"; {otherwise}" if otherwise else ""),
            argument=what,
        )
    return tuple(names)


def valid_baseline(value: Any, names: Sequence[str], what: str = "baseline") -> str | None:
    """Return the name of the baseline, or of the candidate, as the system's is; None if it is None.

    Names that look alike in Unicode are one, as in ids and labels.
    """
    if value is None or (isinstance(value, str) and value in names):
        return value
    alike = [name for name in names if isinstance(value, str) and normal_form(name) == normal_form(value)]
    if len(alike) == 1:
        return alike[0]
    meant = suggestion(value, names) if isinstance(value, str) else ""
    raise InvalidInputError(
        f"{what} {quoted(value)} is not among the systems: {', '.join(names)}{meant}",
        hint=f"{what} is the name of one system, such as {what}={names[0]!r}",
        argument=what,
    )


def two_systems(names: Sequence[str], hint: str) -> None:
    """Refuse a comparison of one system."""
    if len(names) < 2:
        raise InvalidInputError(
            f"a comparison needs at least 2 systems, got {len(names)}: {', '.join(names) or 'none'}",
            hint=hint,
        )


def choice(value: str, allowed: Sequence[T], what: str) -> T:
    """Return `value` if it is one of `allowed`."""
    for option in allowed:
        if isinstance(value, str) and value == option:
            return option
    ours = counterpart(value, what, allowed) if isinstance(value, str) else None
    meant = suggestion(value, allowed) if isinstance(value, str) else ""
    if ours is not None:
        meant = f"; did you mean {ours!r}?"
    raise InvalidInputError(
        f"{what} must be one of {', '.join(allowed)}, got {quoted(value)}{meant}",
        hint=f'{what}="auto" chooses by the data' if "auto" in allowed else None,
        argument=what,
    )


def mapping(value: Any, what: str, of: str, hint: str) -> Mapping[Any, Any]:
    """Return `value` if it is a mapping; `of` says what of what to what."""
    if isinstance(value, Mapping):
        return value
    raise InvalidInputError(
        f"{what} must be a mapping of {of}, got {quoted(value)}", hint=hint, argument=what
    )


def valid_path(value: Any, hint: str) -> Path:
    """Return `value` as a path if it is text or a path."""
    if isinstance(value, str | PathLike):
        try:
            return Path(value)
        except TypeError:  # one of bytes
            pass
    raise InvalidInputError(f"a path must be text or a pathlib.Path, got {quoted(value)}", hint=hint)


# -- numbers ----------------------------------------------------------------------------------------


def number(value: Any, what: str) -> float:
    """Return `value` as a float if it is one real number; NaN and infinity are left to the caller."""
    try:
        unfit = isinstance(value, str | bytes | complex | np.complexfloating) or value is np.ma.masked
        if unfit or getattr(value, "shape", ()) != ():
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(
            f"{what} must be a number, got {quoted(value, 60)}",
            hint="pass one integer or float that a float can hold",
            argument=what,
        ) from None


def amount(value: Any, what: str) -> float:
    """Return `value` as a float if it is a number whose fourth power and its inverse are floats too."""
    size = abs(number(value, what))
    if size > 0.0 and not 1.0 / LARGEST <= size <= LARGEST and math.isfinite(size):
        raise InvalidInputError(
            f"{what} must be 0 or lie between {1.0 / LARGEST:g} and {LARGEST:g} in size, got {value}",
            hint="give differences and deviations in another unit",
            argument=what,
        )
    return float(value)


def margin_of(value: Any, what: str = "margin") -> float:
    """Return a margin if it is a positive number, finite and of a size that squares can be taken of.

    >>> margin_of(0.5)
    0.5
    >>> margin_of(math.inf)
    Traceback (most recent call last):
    ...
    bestby._core.errors.InvalidInputError: margin must be a positive number that is finite, got inf
    hint: it is the smallest difference that matters, on the scale of the metric; leave it out if ...
    """
    size = number(value, what)
    if not 0.0 < size < math.inf:
        raise InvalidInputError(
            f"{what} must be a positive number{' that is finite' if size > 0.0 else ''}, got {value}",
            hint="it is the smallest difference that matters, on the scale of the metric; leave it out"
            " if there is none",
            argument="margin",
        )
    return amount(size, what)


NEAREST = 1e-12
"""How near to 0 and 1 a level or a power may lie: nearer, quantiles lose their digits."""


def probability(value: float, what: str) -> float:
    """Return `value` if it lies strictly between 0 and 1, and not so near that quantiles break down."""
    chance = number(value, what)
    if not NEAREST <= chance <= 1.0 - NEAREST:
        percent = chance if 50.0 <= chance < 100.0 else 80.0 if what == "power" else 95.0
        near = f" and not within {NEAREST:g} of them" if 0.0 < chance < 1.0 else ""
        raise InvalidInputError(
            f"{what} must lie strictly between 0 and 1{near}, got {value}",
            hint=f"{percent / 100:g} means {percent:g} %",
            argument=what,
        )
    return chance


def level(value: float, what: str = "level") -> float:
    """Return the level that a user asks for; nearly everything differs significantly by tests at 1 - 0.05."""
    chance = probability(value, what)
    if chance < 0.5:
        raise InvalidInputError(
            f"{what} is that of the intervals, 0.95 for 95 %, got {chance:g}",
            hint=f"{what}={1.0 - chance:g}, if you mean tests at {chance:g}",
            argument=what,
        )
    return chance


def p_values(values: ArrayLike) -> FloatArray:
    """Return p-values as floats, each in [0, 1]."""
    raw = as_array(values, "p_values")
    if raw.ndim != 1:
        raise InvalidInputError(f"p_values must be one-dimensional, got shape {raw.shape}")
    if raw.dtype.kind == "O":
        raw = np.array([number(value, "every one of p_values") for value in raw], dtype=np.float64)
    elif raw.dtype.kind not in "biuf" and raw.size:
        raise InvalidInputError(
            f"p_values must be numbers, got values of type {raw.dtype}", hint="pass floats in [0, 1]"
        )
    array = raw.astype(np.float64)
    bad = ~((array >= 0.0) & (array <= 1.0))
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise InvalidInputError(f"p_values must lie in [0, 1], got {array[first]} at position {first}")
    return array


def positive_int(value: int, what: str) -> int:
    """Return `value` if it is a whole number of at least one."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InvalidInputError(
            f"{what} must be a whole number of at least 1, got {quoted(value)}", argument=what
        )
    if value >= 1 << 63:
        raise InvalidInputError(
            f"{what} must be below 2**63, got {quoted(value)}",
            hint="use a smaller one",
            argument=what,
        )
    return int(value)


def flag(value: Any, what: str) -> bool:
    """Return `value` if it is true or false."""
    if isinstance(value, bool | np.bool_) or (isinstance(value, int | np.integer) and value in (0, 1)):
        return bool(value)
    raise InvalidInputError(
        f"{what} must be True or False, got {quoted(value)}",
        hint=f"pass {what}=True or {what}=False",
        argument=what,
    )


# -- other arguments --------------------------------------------------------------------------------


def single(value: Any, what: str) -> Any:
    """Return `value` if it is one value; of an array, each element would give an answer of its own."""
    if is_scalar(value) and type(value).__name__ != "NAType":
        return value
    raise InvalidInputError(f"{what} must be one value, got {quoted(value)}", argument=what)


def is_scalar(value: Any) -> bool:
    """Tell whether a value is one that two of can be compared: of arrays, each element gives an answer."""
    return not hasattr(value, "shape") or value.shape == ()


def refuse_unused(where: str, **options: tuple[object, object]) -> None:
    """Refuse options that have no effect, instead of ignoring them.

    >>> refuse_unused("a table of scores", test=("permutation", "permutation"))
    >>> refuse_unused("a table of scores", test=("sign", "permutation"))
    Traceback (most recent call last):
    bestby._core.errors.InvalidInputError: test='sign' has no effect on a table of scores...
    """
    for name, (value, default) in options.items():
        odd = default is None or not is_scalar(value) or missing(value)  # NA has no answer to !=
        if value is not default and (odd or value != default):
            raise InvalidInputError(
                f"{name}={quoted(value)} has no effect on {where}", hint="leave it out", argument=name
            )
