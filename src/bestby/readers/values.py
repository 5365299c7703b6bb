"""From text to labels and numbers: one rule for the gold and all systems together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core.checks import NUMERAL
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, BoolArray

Missing = frozenset[str]

MISSING: Missing = frozenset({"", "NA", "NaN", "nan"})
"""Cells that stand for no value, unless the user says otherwise."""

_INTEGER = re.compile(r"[+-]?(0|[1-9]\d*)", re.ASCII)
_BOOLEAN = {"true": True, "false": False}


@dataclass(frozen=True, eq=False)
class Column:
    """Values of which some may be missing.

    Parameters
    ----------
    values : ndarray, shape (n,) or (n, K) or (n, A)
        Text (strings as objects), or numbers, or booleans; anything where a value is missing. A soft column
        holds K probabilities (floats) per row, an annotated one the labels of A annotators (objects, None
        where an annotator gave none).
    missing : ndarray of bool, shape (n,)
        Where.
    classes : tuple of str, optional
        The names of the classes of a soft column, if the file tells them.
    """

    values: Array
    missing: BoolArray
    classes: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return self.size

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.missing.size)

    @property
    def is_text(self) -> bool:
        """Whether the values are strings, one per row."""
        return self.values.ndim == 1 and self.values.dtype.kind == "O"

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
        return Column(self.values[positions], self.missing[positions], self.classes)


def column_of(raw: Array, what: str, missing: Missing = MISSING) -> Column:
    """Tell the values of a raw column from its missing ones.

    Surrounding white space is no part of a value.

    Parameters
    ----------
    raw : ndarray, shape (n,)
        Numbers, or objects: strings, numbers, booleans, None; possibly masked.
    what : str
        What the data are, for messages.
    missing : frozenset of str
        The texts that stand for a missing value.

    Returns
    -------
    Column
        Text, numbers or booleans.

    Raises
    ------
    InvalidInputError
        If a value is not text, a number or a boolean.

    Examples
    --------
    >>> column = column_of(np.array(["1", " NA", None], dtype=object), "column 'a'")
    >>> column.missing
    array([False,  True,  True])
    """
    absent = np.array(np.ma.getmaskarray(raw), dtype=np.bool_)
    values: Array = np.asarray(np.ma.getdata(raw))
    if values.dtype.kind in "biu":
        return Column(values, absent)
    if values.dtype.kind == "f":
        return Column(values.astype(np.float64), absent | np.isnan(values))
    if values.dtype.kind not in "OU":
        raise InvalidInputError(
            f"{what} holds values of type {values.dtype}",
            hint="labels and scores must be text, numbers or booleans",
        )
    return _of_objects(
        [None if gone else value for value, gone in zip(values, absent, strict=True)], what, missing
    )


def _of_objects(values: list[Any], what: str, missing: Missing) -> Column:
    kinds = {type(value) for value in values} - {type(None)}
    if kinds <= {str}:
        texts = [None if value is None else value.strip() for value in values]
        absent = np.array([text is None or text in missing for text in texts], dtype=np.bool_)
        _check_no_nul(texts, what)
        return Column(_objects(texts), absent)
    odd = next((value for value in values if not isinstance(value, str | int | float | None)), None)
    if odd is not None:
        kind = "nested" if isinstance(odd, list | dict) else type(odd).__name__
        raise InvalidInputError(
            f"{what} holds {kind} values, first in row {values.index(odd) + 1}",
            hint="labels and scores must be text, numbers or booleans; choose other columns as systems",
        )
    absent = np.array([value is None or value != value for value in values], dtype=np.bool_)
    filler: Any = next((value for value, gone in zip(values, absent, strict=True) if not gone), 0)
    filled = [filler if gone else value for value, gone in zip(values, absent, strict=True)]
    if kinds <= {bool}:
        return Column(np.array(filled, dtype=np.bool_), absent)
    if kinds <= {int} and all(_fits(value) for value in filled):
        return Column(np.array(filled, dtype=np.int64), absent)
    if kinds <= {int, float}:
        return Column(np.array([_as_float(value) for value in filled]), absent)
    return _of_objects(
        [None if gone else str(value) for value, gone in zip(filled, absent, strict=True)], what, missing
    )


def _check_no_nul(texts: Iterable[str | None], what: str) -> None:
    # NumPy's strings end at trailing NULs, so "a" and "a\0" would become one label.
    for row, text in enumerate(texts):
        if text and "\0" in text:
            raise InvalidInputError(
                f"{what} holds a NUL character in row {row + 1}",
                hint="the file is not text; was it saved in another encoding, such as UTF-16?",
            )


def _objects(values: list[Any]) -> Array:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _fits(value: int) -> bool:
    return -(2**63) <= value < 2**63


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer of more than 308 digits
        return float("inf") if value > 0 else float("-inf")


def column_of_texts(texts: list[str]) -> Column:
    """Return texts, all of them there, as a column."""
    return Column(_objects(texts), np.zeros(len(texts), dtype=np.bool_))


def text_of(column: Column) -> Column:
    """Return the column as text, as a CSV file would spell it; rows of several values as lists."""
    if column.is_text:
        return column
    texts = [str(value) for value in column.values.tolist()]
    return Column(_objects(texts), column.missing)


def unified(columns: Sequence[Column]) -> list[Column]:
    """Give all columns one type: integers, floats or booleans if every value can be so read, else text.

    Parameters
    ----------
    columns : sequence of Column
        The gold and every system.

    Returns
    -------
    list of Column
        The same columns. Numbers that never were text stay as they are.

    Examples
    --------
    >>> column = lambda *values: column_of(np.array(values, dtype=object), "it")
    >>> unified([column("1", "2"), column("2", "1.0")])[1].values
    array([2., 1.])
    >>> unified([column("1", "2"), column("01", "2")])[0].values
    array(['1', '2'], dtype=object)
    """
    if not any(column.is_text for column in columns):
        return list(columns)
    texts = [text_of(column) for column in columns]
    distinct: set[str] = set()
    for column in texts:
        distinct.update(column.values[~column.missing].tolist())
    table = _parsed(distinct)
    if table is None:
        return texts
    filler = next(iter(table.values()))
    dtype = np.array([filler]).dtype
    parsed = [[table.get(value, filler) for value in column.values.tolist()] for column in texts]
    return [
        Column(np.array(values, dtype=dtype), column.missing)
        for values, column in zip(parsed, texts, strict=True)
    ]


def _parsed(texts: set[str]) -> dict[str, Any] | None:
    """Return the number or boolean that each text stands for, or None if some text stands for none."""
    if not texts:
        return None
    # An integer beyond 64 bits is read as a float.
    if all(map(_INTEGER.fullmatch, texts)) and all(len(text) < 20 and _fits(int(text)) for text in texts):
        return {text: int(text) for text in texts}
    if all(map(NUMERAL.fullmatch, texts)):
        return {text: float(text) for text in texts}
    if all(text.lower() in _BOOLEAN for text in texts):
        return {text: _BOOLEAN[text.lower()] for text in texts}
    return None
