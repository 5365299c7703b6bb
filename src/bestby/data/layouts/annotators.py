"""Gold from annotators: a column per annotator, or a row per item and annotator."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array
from bestby.data.columns import Column, column_of_texts
from bestby.data.layouts.assemble import agreed
from bestby.data.table import Table, listed


def names_of(annotators: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the columns that the user names: one says who labelled, several are one annotator each.

    >>> names_of("worker"), names_of(["ann1", "ann2"]), names_of(None)
    (('worker',), ('ann1', 'ann2'), ())
    """
    if annotators is None:
        return ()
    names = Counter(checks.valid_name_list(annotators, "annotators"))
    if not names:
        raise InvalidInputError("annotators is an empty list", hint="name their columns: annotators=[...]")
    for name, times in names.items():
        if times > 1:
            raise InvalidInputError(f"annotator {name!r} was named {times} times")
    return tuple(names)


def labels_of_columns(table: Table, names: Sequence[str]) -> Column:
    """Return the labels of a column per annotator, shape (n, A); an item is missing if nobody labelled it."""
    columns = []
    for name in names:
        column = table.column(table.require(name, "annotator"))
        if column.values.ndim > 1:
            raise InvalidInputError(
                f"{table.source}: column {name!r} holds lists, expected the labels of one annotator",
                hint="give every annotator one label per item",
            )
        columns.append(column)
    labels = np.empty((table.n_rows, len(columns)), dtype=object)
    for place, column in enumerate(columns):
        labels[:, place] = column.values.tolist()
        labels[column.missing, place] = None
    return _column(labels)


def _column(labels: Array) -> Column:
    return Column(labels, np.array([all(label is None for label in row) for row in labels], dtype=np.bool_))


def labels_of_rows(
    table: Table, annotator: str, item: str | None, groups: Sequence[str]
) -> tuple[Column, list[str], Table]:
    """Return a row per item, with the columns of the groups, of a table with a row per item and annotator."""
    by = table.texts(table.require(annotator, "annotator"), "annotator")
    ids = table.item_column(item)
    if ids is None:
        raise InvalidInputError(
            f"{table.source}: a row per item and annotator needs a column of item ids",
            hint=f"name it: items=...; its columns are: {listed(table.names)}",
        )
    items = table.texts(ids, "item")
    value = _value(table, {annotator, ids, *groups})
    column = table.column(value)
    if column.values.ndim > 1:
        raise InvalidInputError(
            f"{table.source}: column {value!r} holds lists, expected the label of one annotator",
            hint="give one label per row",
        )
    rows: dict[str, dict[str, int]] = {one: {} for one in items}
    for row, (one, who) in enumerate(zip(items, by, strict=True)):
        if who in rows[one]:
            raise InvalidInputError(
                f"{table.source}: annotator {who!r} labelled item {one!r} twice, in rows {rows[one][who] + 1}"
                f" and {row + 1}",
                hint="keep one label per item and annotator",
            )
        rows[one][who] = row
    labels = np.full((len(rows), max(map(len, rows.values()))), None, dtype=object)
    values = column.values.tolist()
    for place, mine in enumerate(rows.values()):
        present = [values[row] for row in mine.values() if not column.missing[row]]
        labels[place, : len(present)] = present
    data = {}
    for name in groups:
        if name in table.data:
            texts = column_of_texts(table.texts(name, "group"))
            by_item = agreed(table.source, f"value of {name!r}", items, texts)
            data[name] = column_of_texts([*by_item.values()])
    return _column(labels), [*rows], dataclasses.replace(table, data=data)


def _value(table: Table, other: set[str]) -> str:
    names = [name for name in table.names if name not in other]
    named = [word for word in ("gold", "label") if word in names]
    if not named and len(names) != 1:
        raise InvalidInputError(
            f"{table.source}: which column holds the labels of the annotators? its columns are:"
            f" {listed(table.names)}",
            hint="call it label",
        )
    return (named or names)[0]
