"""Sets of labels in tables and lines: columns of lists, of texts with separators, of 0 and 1 per label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core.arrays import objects
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array
from bestby.data.columns import Column, Items
from bestby.data.label_sets import WRITE_SETS, items_of_matrix
from bestby.data.layouts.soft import Soft, cut, is_number
from bestby.data.table import Table, listed


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


def items_of_cells(cells: Sequence[Any], separator: str | None = None) -> Items:
    """Return cells as sets of labels, None for a missing one; with a separator, a blank one has no label.

    >>> items_of_cells(["x|y", "", None], "|").values
    array([list(['x', 'y']), list([]), None], dtype=object)
    """
    cells = [cell.tolist() if isinstance(cell, np.ndarray) else cell for cell in cells]
    if separator is not None:
        cells = [_cut(cell, separator) if isinstance(cell, str) else cell for cell in cells]
        cells = [cell if cell is None or isinstance(cell, list) else [cell] for cell in cells]
    return Items(objects([*cells]), np.array([cell is None for cell in cells], dtype=np.bool_))


def _cut(text: str, separator: str) -> list[str]:
    labels = (label.strip() for label in text.split(separator))
    return [label for label in labels if label]


def items_of_lines(lines: Sequence[str], soft: Soft, missing: frozenset[str]) -> Items:
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
