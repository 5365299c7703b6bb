"""Distributions over classes: from cells, lines and arrays to checked rows of probabilities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core import arrays, checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import normal_form
from bestby._core.typing import Array, FloatArray
from bestby.data.columns import Column, Missing
from bestby.data.label_sets import are_marks, items_of_matrix
from bestby.data.soft import distributions

EVERY_COLUMN = "columns"
"""What stands in place of the names of the classes when every column without another part is one."""

Place = Callable[[int], str]
"""Names a row by its position, for messages."""


@dataclass(frozen=True)
class Soft:
    """How the user wants soft labels to be read.

    `every_column`: columns without another role are the classes. `texts`, `objects`: values stay as they are.
    `label_sets`: every item has any number of labels, in texts separated by `label_separator`.
    """

    classes: tuple[str, ...] | None = None
    every_column: bool = False
    normalise: bool = False
    texts: bool = False
    objects: bool = False
    label_sets: bool = False
    label_separator: str | None = None

    @property
    def as_given(self) -> bool:
        """Whether the values are neither labels nor numbers."""
        return self.texts or self.objects or self.label_sets

    @property
    def blank(self) -> bool:
        """Whether a blank cell is a value: a set without any label."""
        return self.label_separator is not None

    @classmethod
    def of(cls, classes: str | Sequence[Any] | None, normalise: bool) -> Soft:
        """Check what the user asks for.

        >>> Soft.of(["no", "yes"], False).classes, Soft.of("columns", False).every_column
        (('no', 'yes'), True)
        """
        if classes is None or (isinstance(classes, str) and classes == EVERY_COLUMN):
            return cls(None, classes is not None, normalise)
        if isinstance(classes, str):
            raise InvalidInputError(
                f"classes must be a list of names, or {EVERY_COLUMN!r} for every column that plays no other"
                f" part, got {classes!r}",
                hint="name the classes in the order you want: classes=[...]",
            )
        names = tuple(
            normal_form(checks.name_text(name, "class").strip()) for name in arrays.listed(classes, "classes")
        )
        if len(names) < 2:
            raise InvalidInputError(
                f"there must be at least 2 classes, got {len(names)}",
                hint="one probability per class is needed, for two classes too",
            )
        for name, count in Counter(names).items():
            if count > 1 or not name:
                raise InvalidInputError(
                    f"class {name!r} is named {count} times" if name else "a class has no name",
                    hint="give every class a name of its own",
                )
        return cls(names, False, normalise)


def cut(text: str) -> list[str]:
    r"""Return the cells of a row that was written as text, at commas or else at white space.

    >>> cut("[0.1, 0.9]"), cut("0.1\t0.9"), cut("new")
    (['0.1', ' 0.9'], ['0.1', '0.9'], ['new'])
    """
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    return text.split(",") if "," in text else text.split()


def are_rows(texts: Sequence[str]) -> bool:
    """Tell whether most of the first 1000 texts are two or more numbers each; labels of text are not."""
    first = [cut(text) for text in texts[:1000]]
    return 2 * sum(len(cells) > 1 and all(map(is_number, cells)) for cells in first) > len(first)


def is_number(text: str) -> bool:
    """Tell whether a text is a number, as `float` reads it, but for underscores."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def column_of_lines(lines: Sequence[str], what: str, soft: Soft, missing: Missing) -> Column | None:
    """Return a distribution per line, or None if the lines are labels or single numbers.

    >>> column_of_lines(["0.25 0.75", "1 0"], "a.txt", Soft(), frozenset()).values
    array([[0.25, 0.75],
           [1.  , 0.  ]])
    """
    if not are_rows(lines):
        return None
    return column_of_rows([cut(line) for line in lines], what, "line {}".format, soft.classes, soft, missing)


def column_of_rows(
    rows: Sequence[Sequence[Any] | None],
    what: str,
    place: Place,
    classes: tuple[str, ...] | None,
    soft: Soft,
    missing: Missing,
) -> Column:
    """Return a soft column of rows of numbers; None or only missing values: there is no distribution."""
    numbers = [_numbers(row, f"{what}, {place(i)}", missing) for i, row in enumerate(rows, start=1)]
    sizes = Counter(len(row) for row in numbers if row is not None)
    if not sizes:
        raise InvalidInputError(f"{what} holds no value", hint="every item needs one probability per class")
    size = sizes.most_common(1)[0][0] if classes is None else len(classes)
    matrix = np.full((len(rows), size), np.nan)
    for i, row in enumerate(numbers):
        if row is None:
            continue
        if len(row) != size:
            reason = "as in most rows" if classes is None else f"one for each of {', '.join(classes[:8])}"
            numbers_there = f"{len(row)} number" + ("" if len(row) == 1 else "s")
            raise InvalidInputError(
                f"{what}, {place(i + 1)} holds {numbers_there}, expected {size} ({reason})",
                hint="every row needs one probability per class, 0 where it is impossible",
            )
        matrix[i] = row
    return column_of_matrix(matrix, what, place, classes, soft)


def column_of_matrix(
    matrix: Array, what: str, place: Place, classes: tuple[str, ...] | None, soft: Soft
) -> Column:
    """Return a column of an array of shape (n, K), of distributions or of marks of labels; NaN is missing."""
    if matrix.dtype.kind not in "biuf":
        raise InvalidInputError(
            f"{what} holds rows of values of type {matrix.dtype}, expected probabilities",
            hint="save one number per item and class; labels of several annotators need columns with names",
        )
    if classes is not None and matrix.shape[1] != len(classes):
        raise InvalidInputError(
            f"{what} holds {matrix.shape[1]} numbers per row, but {len(classes)} classes are named:"
            f" {', '.join(classes[:8])}",
            hint="name one class per column, in the order of the columns: classes=[...]",
        )
    values = np.array(matrix, dtype=np.float64)
    if soft.label_sets or (not soft.normalise and are_marks(values)):
        return items_of_matrix(values, what, place, classes)
    void = np.isnan(values)
    absent = np.asarray(void.all(axis=1))
    torn = np.flatnonzero(void.any(axis=1) & ~absent)
    if torn.size:
        cell = int(np.flatnonzero(void[torn[0]])[0])
        name = f"number {cell + 1} of {values.shape[1]}" if classes is None else f"class {classes[cell]!r}"
        raise InvalidInputError(
            f"{what}, {place(int(torn[0]) + 1)} has no value for {name}"
            + (f" ({torn.size} such rows)" if torn.size > 1 else ""),
            hint="write 0 for a class that is impossible; leave the whole row out if there is no prediction",
        )
    rows = np.flatnonzero(~absent)
    values[rows] = distributions(
        values[rows], what, normalise=soft.normalise, place=lambda position: place(int(rows[position]) + 1)
    )
    return Column(values, absent, classes)


def _numbers(row: Sequence[Any] | None, where: str, missing: Missing) -> list[float] | None:
    """Return the cells as numbers, NaN where one is missing; None if all are."""
    if row is None:
        return None
    numbers = [number_of(cell, where, missing) for cell in row]
    return None if all(number != number for number in numbers) else numbers


def number_of(cell: Any, where: str, missing: Missing) -> float:
    """Return a cell as a number, NaN if it is missing.

    >>> number_of(" 0.5", "a.csv, row 1", frozenset())
    0.5
    """
    if isinstance(cell, str):
        text = cell.strip()
        if text in missing:
            return float("nan")
        try:
            if "_" not in text:
                return float(text)
        except ValueError:
            pass  # said below
    elif cell is None:
        return float("nan")
    elif isinstance(cell, int | float | np.number):
        try:
            return float(cell)
        except OverflowError:  # an integer of more than 308 digits
            return float("inf")
    raise InvalidInputError(
        f"{where} holds {str(cell)[:40]!r}, expected a probability",
        hint="every class needs a number; name the columns of the classes: classes=[...]",
    )


def floats(column: Column, where: Place, missing: Missing) -> FloatArray:
    """Return a column of numbers, or of texts that are numbers, as floats, NaN where a value is missing."""
    if column.is_text:
        cells = column.values.tolist()
        numbers = [
            np.nan if gone else number_of(cell, where(i), missing)
            for i, (cell, gone) in enumerate(zip(cells, column.missing.tolist(), strict=True), start=1)
        ]
        return np.array(numbers, dtype=np.float64)
    values: FloatArray = column.values.astype(np.float64)
    values[column.missing] = np.nan
    return values
