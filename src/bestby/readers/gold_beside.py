"""A table of several systems, wide or long, whose gold is a file of its own: joined by item id, or by row."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.paths import is_file
from bestby._core.text import counted, quoted
from bestby.data.columns import Column, Raw, column_of_texts
from bestby.data.layouts.assemble import check_unique
from bestby.data.layouts.long import is_long
from bestby.data.layouts.options import TableOptions
from bestby.data.layouts.soft_tables import gathered, has_classes
from bestby.data.roles import VALUE_WORDS, Roles, check_no_gold, recognised
from bestby.data.table import Table
from bestby.readers.file_per_system import (
    Part,
    annotated_part,
    gold_part,
    group_names,
    groups_of,
    only_column,
)
from bestby.readers.files import stem_of


def is_gold_beside(table: Table, options: TableOptions) -> bool:
    """Tell whether the gold of a table is another file."""
    gold = options.roles.gold
    return gold is not None and gold not in table.data and is_file(gold)


def holds_systems(table: Table, options: TableOptions) -> bool:
    """Tell whether a table beside its gold holds several systems, and not the values of one."""
    if options.ignore:  # columns, as one file is not to be left out
        return True
    roles, soft = dataclasses.replace(options.roles, gold=None), options.soft
    table, options = dataclasses.replace(options, roles=roles).prepared(table)
    named = any(name in table.data for name in options.systems or ()) or options.system_column is not None
    if named or is_long(table, roles, options.systems, soft, options.value_column):
        return True
    told = options.value_column is not None or any(word in table.data for word in VALUE_WORDS)
    if (
        told
        or any(one in table.data for one in roles.annotators)
        or soft.every_column
        or has_classes(table, soft)
    ):
        return False
    table = gathered(table, soft, options.columns, roles.item)
    taken = {name for _, name in recognised(options.roles, table.data).named()}
    others = [name for name in table.names if name not in taken]
    return len(others) > 1 and only_column(table, others, (stem_of(table.source),)) is None


def with_gold(table: Table, options: TableOptions) -> tuple[Table, TableOptions, str]:
    """Return the table with the gold, and groups that stand beside it, as columns; and how they were joined.

    The column of the gold is called as its file; of several annotators each has a column.
    """
    name = str(options.roles.gold)
    named = options.roles.annotators
    of_gold = dataclasses.replace(options, ignore=())  # columns of the table
    gold = annotated_part(of_gold) if named else gold_part(name, [], of_gold)
    own = dataclasses.replace(options, roles=dataclasses.replace(options.roles, gold=None, annotators=()))
    table, prepared = own.prepared(table)
    _check_no_other_gold(table, prepared)
    ids = table.item_column(prepared.roles.item)
    items = None if ids is None else table.texts(ids, "item")
    rows, joined = _rows(table, items, gold, options.on_missing)
    labelled = Part(table.source, gold.column.take(rows), items, table)
    labels = {name: labelled.column} if not named else _by_annotator(labelled.column, named, name)
    data: dict[str, Raw | Column] = {**table.data, **labels}
    for role, group in _groups_beside(gold, prepared.roles, data):
        of_item = groups_of(role, group, [labelled, gold])
        data[group] = column_of_texts([of_item[key] for key in labelled.keys])
    roles = dataclasses.replace(prepared.roles, item=ids)
    roles = dataclasses.replace(roles, **({"annotators": tuple(labels)} if named else {"gold": name}))
    return dataclasses.replace(table, data=data), dataclasses.replace(prepared, roles=roles), joined


def _by_annotator(labels: Column, named: Sequence[str], file: str) -> dict[str, Column]:
    """Return a column for each annotator, or for each first, second, ... label of items in rows."""
    n = labels.values.shape[1]
    names = named if len(named) > 1 else [str(place + 1) for place in range(n)]
    gone = [[value is None for value in column] for column in labels.values.T.tolist()]
    return {
        f"{file} {name}": Column(labels.values[:, place], np.array(gone[place], dtype=np.bool_))
        for place, name in enumerate(names)
    }


def _check_no_other_gold(table: Table, options: TableOptions) -> None:
    """Refuse a wide table with a column that is called as a gold is: it would pass for a system."""
    roles, systems = options.roles, options.systems
    told = systems is not None or options.system_column is not None or options.value_column is not None
    if not told and not is_long(table, roles, systems, options.soft):
        taken = {name for _, name in roles.named()}
        check_no_gold(table.source, [name for name in table.names if name not in taken])


def _groups_beside(gold: Part, roles: Roles, data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return role and name of the groups to look up beside the gold: those there, and those in no file."""
    beside = {} if gold.table is None else gold.table.data
    groups = [*group_names(roles, gold), *(("slice", name) for name in roles.slices)]
    return [(role, name) for role, name in groups if name in beside or name not in data]


def _rows(table: Table, items: list[str] | None, gold: Part, on_missing: str) -> tuple[Sequence[int], str]:
    """Return the row of the gold for every row of the table."""
    if (items is None) != (gold.items is None):
        with_ids, without = (table, gold) if gold.items is None else (gold, table)
        remedy = "give it a column called item or id"
        if without is table:
            remedy = "name the column that holds them: items=..."
        raise InvalidInputError(
            f"{with_ids.source} has item ids, {without.source} has none",
            hint=f"{remedy}; or give ids in both, or in none",
        )
    if items is None or gold.items is None:
        if gold.column.size != table.n_rows:
            raise InvalidInputError(
                f"{table.source} has {counted(table.n_rows, 'row')}, {gold.source} has {gold.column.size}",
                hint="give one label per row in the same order, or an item column in both files",
            )
        return range(table.n_rows), "joined by line"
    check_unique(gold.items, f"{gold.source}: item ids")
    places = {item: place for place, item in enumerate(gold.items)}
    left_out = _n_left_out(table, items, gold, places, on_missing)
    more = f"; {counted(left_out, 'item')} of {gold.source} without a row left out" if left_out else ""
    return [places[item] for item in items], f"joined by item id{more}"


def _n_left_out(
    table: Table, items: Sequence[str], gold: Part, places: Mapping[str, int], on_missing: str
) -> int:
    """Return how many items of the gold have no row, which may be dropped; refuse items without gold."""
    lacking = [item for item in dict.fromkeys(items) if item not in places]
    if lacking:
        raise InvalidInputError(
            f"{gold.source} has no gold for {counted(len(lacking), 'item')} of {table.source}; first:"
            f" {quoted(lacking[0])}",
            hint="complete the gold, or leave these items out of the table",
        )
    known = {*items}
    extra = [item for item in places if item not in known]
    if extra and on_missing != "drop":
        raise InvalidInputError(
            f"{table.source} has no row for {counted(len(extra), 'item')} of {gold.source}; first:"
            f" {quoted(extra[0])}",
            hint='pass on_missing="drop" to compare the other items only, or add the rows',
        )
    return len(extra)
