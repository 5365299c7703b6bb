"""Sets of labels in tables and lines: columns of lists, of texts with separators, of 0 and 1 per label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core.arrays import objects
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array
from bestby.data.columns import Column, Items
from bestby.data.label_sets import WRITE_SETS, cut_labels, in_code, items_of_matrix, separator_of
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

    >>> items_of_cells(["x|y", "", None], "|").values.tolist()
    [['x', 'y'], [], None]
    """
    cells = [cell.tolist() if isinstance(cell, np.ndarray) else cell for cell in cells]
    if separator is not None:
        cells = [_Cut(cell, separator) if isinstance(cell, str) else cell for cell in cells]
        cells = [cell if cell is None or isinstance(cell, list) else [cell] for cell in cells]
    return Items(objects([*cells]), np.array([cell is None for cell in cells], dtype=np.bool_))


class _Cut(list[str]):
    """The labels of a text that was cut."""

    def __init__(self, text: str, separator: str) -> None:
        super().__init__(cut_labels(text, separator))
        self.text = text


def _check_separator(columns: Mapping[str, Column], separator: str) -> None:
    """Refuse a separator that occurs nowhere, or not in one column, where another one parts labels."""
    cut = {name: [cell for cell in own.values if isinstance(cell, _Cut)] for name, own in columns.items()}
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
