"""Distributions in tables: a column per class, `system[class]` columns, and columns of lists."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.text import normal_form
from bestby._core.typing import Array
from bestby.data.coding import Coded
from bestby.data.columns import Column, Numerals, Raw, raw_values
from bestby.data.label_sets import written
from bestby.data.layouts.label_sets import items_of_cells
from bestby.data.layouts.soft import (
    Place,
    Soft,
    are_rows,
    column_of_matrix,
    column_of_rows,
    cut,
    floats,
    is_number,
)
from bestby.data.roles import VALUE_WORDS
from bestby.data.table import ITEM_WORDS, Table, listed
from bestby.data.values import as_scores

_CLASS_COLUMN = re.compile(r"(.*\S)\s*\[\s*([^\[\]]*[^\[\]\s])\s*\]", re.DOTALL)


def gathered(table: Table, soft: Soft, used: Collection[str | None], item: str | None = None) -> Table:
    """Return the table with every distribution that its columns `name[class]` or lists hold in one column."""
    place = _places(table, item)
    groups = {
        name: columns for name, columns in _groups(table, soft).items() if not {*columns.values()} & {*used}
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
    column = _from_columns(table, columns, classes, soft, _places(table, None))
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


def _groups(table: Table, soft: Soft) -> dict[str, dict[str, str]]:
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


def _has_number(column: Column) -> bool:
    if not column.is_text:
        return column.values.ndim == 1
    return any(is_number(text) for text, gone in zip(column.values, column.missing, strict=True) if not gone)


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
            as_scores(_hard(table, name)) if soft.label_sets else _hard(table, name),
            lambda row, name=name: f"{table.source}: column {name!r}, {place(row)}",  # type: ignore[misc]
            table.missing,
        )
        for name in columns
    ]
    what = f"{table.source}: columns {listed(columns, 8)}"
    return column_of_matrix(np.column_stack(cells), what, place, tuple(classes), soft)


def _hard(table: Table, name: str) -> Column:
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
    present = [cell for cell in _cells(distinct, table) if cell is not None]
    are_sets = present and _are_label_lists(present, any_labels=soft.label_sets)
    if not are_sets and (not present or soft.label_sets or not _are_lists(present)):
        return raw
    cells = _cells(raw_values(raw), table)
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


def _cells(values: Array, table: Table) -> list[Any]:
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


def _places(table: Table, item: str | None) -> Place:
    """Return how rows are named: by number, and by the id of the item if there are ids."""
    words = ITEM_WORDS if item is None else (item,)
    name = next((word for word in words if word in table.data), None)
    if name is None:
        return "row {}".format
    ids = table.raw(name)
    return lambda row: (
        f"row {row} (item {str(ids[row - 1])!r})" if isinstance(ids, np.ndarray) else f"row {row}"
    )
