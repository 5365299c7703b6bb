"""Distributions and sets of labels: from cells, lines, columns and arrays to checked values."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core.arrays import objects
from bestby._core.errors import InvalidInputError
from bestby._core.text import normal_form, quoted
from bestby._core.typing import Array, FloatArray
from bestby.data.columns import Coded, Column, Missing, Numerals, Raw, raw_values
from bestby.data.label_sets import (
    WRITE_SETS,
    are_marks,
    cut_labels,
    in_code,
    items_of_matrix,
    separator_of,
    written,
)
from bestby.data.roles import ITEM_WORDS, VALUE_WORDS, Soft, listed
from bestby.data.soft import distributions
from bestby.data.table import Table
from bestby.data.values import as_scores

Place = Callable[[int], str]
"""Names a row by its position, for messages."""


def gathered(table: Table, soft: Soft, used: Collection[str | None], item: str | None = None) -> Table:
    """Return the table with every distribution that its columns `name[class]` or lists hold in one column."""
    place = _row_names(table, item)
    groups = {
        name: columns
        for name, columns in _systems_of_columns(table, soft).items()
        if not {*columns.values()} & {*used}
    }
    classes = soft.classes or tuple(next(iter(groups.values()), ()))
    first = {next(iter(columns.values())): name for name, columns in groups.items()}
    gathered_columns = {column for columns in groups.values() for column in columns.values()}
    data: dict[str, Raw | Column] = {}
    for column, raw in table.data.items():
        if column in first:
            name = first[column]
            if name in table.data:
                columns_of_name = listed([*groups[name].values()], 3)
                raise InvalidInputError(
                    f"{table.source}: column {name!r} and the columns {columns_of_name} have one name",
                    hint="rename one of them, or leave it out of the file",
                )
            _check_same(table, name, groups[name], classes, next(iter(groups)))
            data[name] = _from_columns(table, [groups[name][one] for one in classes], classes, soft, place)
        elif column not in gathered_columns:
            data[column] = raw if isinstance(raw, Column) else _from_lists(table, column, raw, soft, place)
    return dataclasses.replace(table, data=data)


def _systems_of_columns(table: Table, soft: Soft) -> dict[str, dict[str, str]]:
    """Return, per name, the column of each class: those that hold numbers, and at least two of them."""
    groups: dict[str, dict[str, str]] = {}
    for match in filter(None, map(_CLASS_COLUMN.fullmatch, table.names)):
        columns, name = groups.setdefault(match[1], {}), normal_form(match[2])
        columns[match[2] if name in columns else name] = match[0]
    return {
        name: columns
        for name, columns in groups.items()
        if (len(columns) > 1 if soft.classes is None else {*columns} & {*soft.classes})
        and any(_has_number(table.column(column)) for column in columns.values())
    }


_CLASS_COLUMN = re.compile(r"(.*\S)\s*\[\s*([^\[\]]*[^\[\]\s])\s*\]", re.DOTALL)


def _has_number(column: Column) -> bool:
    if not column.is_text:
        return column.values.ndim == 1
    return any(is_number(text) for text, gone in zip(column.values, column.missing, strict=True) if not gone)


def _row_names(table: Table, item: str | None) -> Place:
    """Return how rows are named: by number, and by the id of the item if there are ids."""
    words = ITEM_WORDS if item is None else (item,)
    name = next((word for word in words if word in table.data), None)
    if name is None:
        return "row {}".format
    ids = table.raw(name)
    return lambda row: (
        f"row {row} (item {str(ids[row - 1])!r})" if isinstance(ids, np.ndarray) else f"row {row}"
    )


def _check_same(
    table: Table, name: str, columns: Mapping[str, str], classes: Sequence[str], first: str
) -> None:
    absent = [f"{name}[{one}]" for one in classes if one not in columns]
    extra = [column for one, column in columns.items() if one not in classes]
    if absent or extra:
        message = f"no column {absent[0]!r}" if absent else f"a column {extra[0]!r}"
        raise InvalidInputError(
            f"{table.source} has {message}, but the classes are {listed(classes)}"
            + (f" (of {first!r})" if name != first else ""),
            hint="give gold and every system a column per class; if columns with brackets are systems of"
            " their own, choose them: systems=[...]",
        )


def _from_columns(
    table: Table, columns: Sequence[str], classes: Sequence[str], soft: Soft, place: Place
) -> Column:
    cells = [
        floats(
            as_scores(_hard_column(table, name)) if soft.label_sets else _hard_column(table, name),
            lambda row, name=name: f"{table.source}: column {name!r}, {place(row)}",  # type: ignore[misc]
            table.missing,
        )
        for name in columns
    ]
    what = f"{table.source}: columns {listed(columns, 8)}"
    return column_of_matrix(np.column_stack(cells), what, place, tuple(classes), soft)


def _hard_column(table: Table, name: str) -> Column:
    column = table.column(name)
    if column.values.ndim > 1:
        raise InvalidInputError(
            f"{table.source}: column {name!r} holds lists, expected one probability",
            hint="name the columns of the classes: classes=[...]",
        )
    return column


def _from_lists(table: Table, name: str, raw: Raw, soft: Soft, place: Place) -> Raw | Column:
    """Return a column of lists of numbers as distributions, any other as it is."""
    distinct = raw.distinct if isinstance(raw, Coded) else raw
    if isinstance(distinct, Numerals) or distinct.dtype.kind != "O":
        return raw
    present = [cell for cell in _cells_of_column(distinct, table) if cell is not None]
    are_sets = present and _are_label_lists(present, any_labels=soft.label_sets)
    if not are_sets and (not present or soft.label_sets or not _are_lists(present)):
        return raw
    cells = _cells_of_column(raw_values(raw), table)
    if are_sets:
        return items_of_cells(cells)
    rows = [None if cell is None else _listed_cells(cell) for cell in cells]
    what = f"{table.source}: column {name!r}"
    return column_of_rows(rows, what, place, soft.classes, soft, table.missing)


def _listed_cells(cell: Any) -> list[Any]:
    if isinstance(cell, str):
        return cut(cell)
    if isinstance(cell, np.ndarray):  # masked where Parquet has a null
        return list(cell.tolist())
    return cell if isinstance(cell, list) else [cell]


def _cells_of_column(values: Array, table: Table) -> list[Any]:
    """Return the values of a raw column, None where one is missing."""
    cells: list[Any] = [None if _is_absent(cell, table) else cell for cell in np.ma.getdata(values)]
    for i in np.flatnonzero(np.ma.getmaskarray(values)).tolist():
        cells[i] = None
    return cells


def _is_absent(cell: Any, table: Table) -> bool:
    return cell is None or (isinstance(cell, str) and cell.strip() in table.missing)


def _are_lists(cells: Sequence[Any]) -> bool:
    """Tell whether these are lists of numbers; lists of labels are not."""
    if isinstance(cells[0], str):
        return all(
            isinstance(cell, str) and cell.strip()[:1] == "[" and cell.strip()[-1:] == "]" for cell in cells
        ) and are_rows(cells)
    return any(
        isinstance(number, int | float | np.number)
        for cell in cells
        if isinstance(cell, list | np.ndarray) and len(cell) > 1
        for number in cell
    )


def _are_label_lists(cells: Sequence[Any], *, any_labels: bool) -> bool:
    """Tell whether these are lists of texts, which are the labels of items, or of any labels."""
    if isinstance(cells[0], str):
        cells = [written(cell) if isinstance(cell, str) else cell for cell in cells]
        if not all(isinstance(cell, list) for cell in cells):
            return False
    lists = [cell for cell in cells if isinstance(cell, list | np.ndarray)]
    kinds = {type(label) for cell in lists for label in cell}
    return bool(lists) and (any_labels or kinds == {str})


def class_columns(
    table: Table, soft: Soft, other: Iterable[str | None], words: Sequence[str] = (), *, marks: bool = False
) -> tuple[Table, str | None]:
    """Gather the columns that are called as the classes are; return the name of the new column, or None.

    With `marks`, columns of 0 and 1 may be labels that nobody named.
    """
    marks = marks and soft.label_sets and soft.classes is None and not soft.every_column
    if soft.every_column or (marks and not any(word in table.data for word in VALUE_WORDS)):
        taken = {*other}
        classes = tuple(name for name in table.names if name not in taken and name not in table.soft)
        if len(classes) < 2 or any(word in table.data for word in words):
            return table, None
        if marks and not all(_holds_marks(table.column(name)) for name in classes):
            return table, None
    else:
        classes = soft.classes or ()
    columns = [_column_called(table, name) for name in classes]
    absent = [name for name, column in zip(classes, columns, strict=True) if column not in table.data]
    if len(absent) == len(classes):
        return table, None
    if absent:
        raise InvalidInputError(
            f"{table.source} has columns for some of the classes, but none for {listed(absent)}",
            hint=f"its columns are: {listed(table.names)}",
        )
    name = listed(classes, limit=8)
    column = _from_columns(table, columns, classes, soft, _row_names(table, None))
    rest = {key: raw for key, raw in table.data.items() if key not in columns}
    return dataclasses.replace(table, data={**rest, name: column}), name


def _holds_marks(column: Column) -> bool:
    """Tell whether a column says of each item whether it has a label."""
    read = as_scores(column)
    if read.is_text or read.is_items or read.values.ndim > 1:
        return False
    return bool(np.isin(read.values[~read.missing], (0, 1)).all())


def has_classes(table: Table, soft: Soft) -> bool:
    """Tell whether the user named classes that the table has columns for."""
    return any(_column_called(table, name) in table.data for name in soft.classes or ())


def _column_called(table: Table, name: str) -> str:
    """Return the column that is called as a class is, in any Unicode form; the name itself if none is."""
    if name in table.data:
        return name
    return next((column for column in table.names if normal_form(column) == normal_form(name)), name)


def column_of_lines(lines: Sequence[str], what: str, soft: Soft, missing: Missing) -> Column | None:
    """Return a distribution per line, or None if the lines are labels or single numbers.

    >>> column_of_lines(["0.25 0.75", "1 0"], "a.txt", Soft(), frozenset()).values
    array([[0.25, 0.75],
           [1.  , 0.  ]])
    """
    if not are_rows(lines):
        return None
    return column_of_rows([cut(line) for line in lines], what, "line {}".format, soft.classes, soft, missing)


def are_rows(texts: Sequence[str]) -> bool:
    """Tell whether most of the first 1000 texts are two or more numbers each; labels of text are not."""
    first = [cut(text) for text in texts[:1000]]
    return 2 * sum(len(cells) > 1 and all(map(is_number, cells)) for cells in first) > len(first)


def cut(text: str) -> list[str]:
    r"""Return the cells of a row that was written as text, at commas or else at white space.

    >>> cut("[0.1, 0.9]"), cut("0.1\t0.9"), cut("new")
    (['0.1', ' 0.9'], ['0.1', '0.9'], ['new'])
    """
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    return text.split(",") if "," in text else text.split()


def is_number(text: str) -> bool:
    """Tell whether a text is a number, as `float` reads it, but for underscores."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def column_of_rows(
    rows: Sequence[Sequence[Any] | None],
    what: str,
    place: Place,
    classes: tuple[str, ...] | None,
    soft: Soft,
    missing: Missing,
) -> Column:
    """Return a soft column of rows of numbers; None or only missing values: there is no distribution."""
    numbers = [_numbers_or_none(row, f"{what}, {place(i)}", missing) for i, row in enumerate(rows, start=1)]
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


def _numbers_or_none(row: Sequence[Any] | None, where: str, missing: Missing) -> list[float] | None:
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


def items_of(table: Table, name: str, separator: str | None) -> Column:
    """Return a column of sets of labels, however they are written; texts are cut if there is a separator."""
    raw = table.raw(name)
    if isinstance(raw, Column):
        if raw.is_items:
            return raw
        raw = objects([None if gone else v for v, gone in zip(raw.values, raw.missing, strict=True)])
    gone = np.ma.getmaskarray(raw).tolist()
    cells = [None if void else cell for cell, void in zip(np.ma.getdata(raw).tolist(), gone, strict=True)]
    words = table.missing if separator is None else table.missing - {""}
    cells = [None if isinstance(cell, str) and cell.strip() in words else cell for cell in cells]
    return items_of_cells(
        [cell.tolist() if isinstance(cell, np.ndarray) else cell for cell in cells], separator
    )


def items_of_cells(cells: Sequence[Any], separator: str | None = None) -> Column:
    """Return cells as sets of labels, None for a missing one; with a separator, a blank one has no label.

    >>> items_of_cells(["x|y", "", None], "|").values.tolist()
    [['x', 'y'], [], None]
    """
    cells = [cell.tolist() if isinstance(cell, np.ndarray) else cell for cell in cells]
    if separator is not None:
        cells = [_CutText(cell, separator) if isinstance(cell, str) else cell for cell in cells]
        cells = [cell if cell is None or isinstance(cell, list) else [cell] for cell in cells]
    return Column(
        objects([*cells]), np.array([cell is None for cell in cells], dtype=np.bool_), is_items=True
    )


class _CutText(list[str]):
    """The labels of a text that was cut."""

    def __init__(self, text: str, separator: str) -> None:
        super().__init__(cut_labels(text, separator))
        self.text = text


def items_of_lines(lines: Sequence[str], soft: Soft, missing: frozenset[str]) -> Column:
    """Return the sets of labels of a file with a line per item; a line of numbers is a row of 0 and 1."""
    words = missing - {""} if soft.blank else missing
    cells: list[Any] = [None if line.strip() in words else line for line in lines]
    if soft.label_separator is None:
        rows = [None if cell is None else cut(cell) for cell in cells]
        cells = [
            [_mark_or_label(number) for number in row] if row and all(map(is_number, row)) else cell
            for row, cell in zip(rows, cells, strict=True)
        ]
    return items_of_cells(cells, soft.label_separator)


def _mark_or_label(number: str) -> Any:
    value = float(number)
    return bool(value) if value in (0, 1) else int(value) if value.is_integer() else value


def as_items(
    systems: Mapping[str, Column], gold: Column | None, soft: Soft
) -> tuple[dict[str, Column], Column | None, Array | None]:
    """Return systems, gold and all labels, if known, where some column holds sets of labels."""
    columns = {**({} if gold is None else {"the gold": gold}), **systems}
    items = {name: _as_items(name, column) for name, column in columns.items()}
    if soft.label_separator is not None:
        _check_separator(items, soft.label_separator)
    named = {name: column.classes for name, column in items.items() if column.classes is not None}
    classes = soft.classes or next(iter(named.values()), None)
    for name, own in named.items():
        if {*own} != {*(classes or ())}:
            raise InvalidInputError(
                f"the labels of {name!r} are {listed(own)}, those of {next(iter(named))!r}"
                f" {listed(classes or ())}",
                hint="gold and every system need a column for each label",
            )
    for name, column in items.items():
        cells = [label for cell in column.values if isinstance(cell, list) for label in cell]
        is_row = cells and not any(isinstance(label, str) for label in cells)
        if named and soft.classes is None and column.classes is None and is_row:
            raise InvalidInputError(
                f"nothing names the labels of {name!r}, while those of {next(iter(named))!r} are"
                f" {listed(classes or ())}",
                hint="name the labels in the order of its numbers: classes=[...]",
            )
    labels = None if classes is None else np.array(classes)
    return {name: items[name] for name in systems}, items.get("the gold"), labels


def _as_items(name: str, column: Column) -> Column:
    if column.is_items:
        return column
    if column.is_soft and bool(np.isin(column.values[~column.missing], (0, 1)).all()):
        return items_of_matrix(column.values, f"the column {name!r}", "row {}".format, column.classes)
    kind = "probabilities" if column.is_soft else "one label per item"
    raise InvalidInputError(
        f"{name!r} holds {kind}, while other columns hold sets of labels", hint=WRITE_SETS
    )


def _check_separator(columns: Mapping[str, Column], separator: str) -> None:
    """Refuse a separator that occurs nowhere, or not in one column, where another one parts labels."""
    cut = {name: [cell for cell in own.values if isinstance(cell, _CutText)] for name, own in columns.items()}
    parted = [name for name, cells in cut.items() if any(len(cell) > 1 for cell in cells)]
    known = {label for name in parted for cell in cut[name] for label in cell}
    before = [label for name in parted for cell in cut[name] for label in cell[:-1]]
    for end in ",;|/":  # as blanks part "x, y" into "x," and "y"
        torn = [label for label in before if label.endswith(end)]
        if 2 * len(torn) > len(before):
            raise InvalidInputError(
                f"labels that the separator {separator!r} parts end with {end!r}, such as {quoted(torn[0])}",
                hint=f'if it separates labels, pass label_separator="{end}"',
            )
    texts = {name: [cell.text for cell in cells] for name, cells in cut.items() if name not in parted}
    if not parted:
        texts = {"gold and systems": [text for own in texts.values() for text in own]}
    for name, own in texts.items():
        seen = separator_of(own)
        if seen is None:
            continue
        pieces = {piece for text in own for piece in cut_labels(text, seen)}
        if parted and 2 * len(pieces & known) <= len(pieces):  # labels that hold it, such as "Smith, John"
            continue
        first = next(text for text in own if len(cut_labels(text, seen)) > 1)
        raise InvalidInputError(
            f"no text of {name} holds the separator {separator!r}, and many hold {seen!r}, such as"
            f" {quoted(first)}",
            hint="write the labels of all columns with one separator"
            if parted
            else "where it is part of a label, write the labels of an item as a list; if it separates labels,"
            f' pass label_separator="{in_code(seen)}"',
        )
