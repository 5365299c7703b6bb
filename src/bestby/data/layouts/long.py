"""A long table: one row per item and system."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from bestby._core.errors import InvalidInputError
from bestby._core.text import normal_form, quoted
from bestby.data.columns import Column, column_of_texts
from bestby.data.evaluation import Evaluation
from bestby.data.layouts import assemble
from bestby.data.layouts.assemble import (
    CLUSTERS_HINT,
    GROUP_ROLES,
    agreed,
    by_id,
    check_exact,
    check_present,
    check_unique,
    check_whole,
    typed,
    values_of,
)
from bestby.data.layouts.options import TableOptions
from bestby.data.layouts.soft import Soft, class_columns, has_classes
from bestby.data.roles import (
    GOLD_WORDS,
    RUN_WORDS,
    RUNS_HINT,
    VALUE_WORDS,
    Roles,
    listed,
    matching,
    unknown_system,
)
from bestby.data.table import SYSTEM_WORDS, Table, check_there, order_in_groups
from bestby.data.values import Rule, as_scores

_GROUP_WORDS = ("gold", "cluster", "stratum")


def is_long(
    table: Table,
    roles: Roles,
    systems: Sequence[str] | None,
    soft: Soft = Soft(),  # noqa: B008 - frozen
    value_column: str | None = None,
) -> bool:
    """Tell whether the columns are called as in a long table, and the user does not say otherwise.

    `value_column` is the name of the values where the user gives it.
    """
    item = roles.item
    return (
        _has_values(table, soft, value_column)
        and (item in table.data if item is not None else table.item_column(None) is not None)
        and system_column_of(table, roles, systems) is not None
    )


def _has_values(table: Table, soft: Soft, value_column: str | None) -> bool:
    told = value_column is not None or any(word in table.data for word in VALUE_WORDS)
    return told or _only_soft(table) is not None or soft.every_column or has_classes(table, soft)


def check_not_long(table: Table, options: TableOptions) -> None:
    """Refuse a long table whose item ids or values have other names: its columns would pass for systems.

    A column of ids that numbers the rows is none of items, as no two systems share one.
    """
    roles, systems = options.roles, options.systems
    by = system_column_of(table, roles, systems)
    if by is None or options.soft.objects:  # the gold may hold lists
        return
    labels = {
        text
        for name in (*GOLD_WORDS, roles.gold or "gold")
        if name in table.data
        for text in table.distinct(name)
    }
    if not table.repeats(by) or len(table.distinct(by)) < 2 or table.distinct(by) & labels:
        return
    items = table.item_column(roles.item)
    taken = {by, items, *VALUE_WORDS, *GOLD_WORDS, *(name for _, name in roles.named())}
    free = {name: column for name in table.names if name not in taken and (column := _plain(table, name))}
    has_values = _has_values(table, options.soft, options.value_column)
    named, lacking = [], []
    if items is None or (systems is None and len({*map(normal_form, table.distinct(items))}) == table.n_rows):
        pairs = {name: len({*zip(table.cells(by), table.cells(name), strict=True)}) for name in free}
        ids = [name for name in free if pairs[name] == table.n_rows > len(table.distinct(name))]
        if not ids and not has_values:  # a wide table
            return
        lacking.append(
            "no column is called item or id" if items is None else f"{quoted(items)} numbers the rows"
        )
        items = min(ids, key=lambda name: not name.lower().endswith("id"), default=None)
        named.append(f"items={items!r}" if items else "items=...")
    if not has_values:
        free.pop(str(items), None)
        numbers = [name for name, column in free.items() if not as_scores(column).is_text]
        candidates = [*(numbers if roles.gold is None else ()), *free]
        lacking.append(f"no column is called {' or '.join(VALUE_WORDS)}")
        named.append(f"value_column={candidates[0]!r}" if candidates else "value_column=...")
    if named:
        raise InvalidInputError(
            f"{table.source}: column {quoted(by)} names systems, as in a table with a row per item and"
            f" system, but {' and '.join(lacking)}; its columns are: {listed(table.names)}",
            hint=f"name the columns: {' and '.join(named)}; or leave this one out: ignore={by!r}",
        )


def _plain(table: Table, name: str) -> Column | None:
    """Return a column of one value per row; None if it holds anything else."""
    try:
        column = table.column(name)
    except InvalidInputError:
        return None
    return None if column.is_soft else column


def system_column_of(table: Table, roles: Roles, systems: Sequence[str] | None) -> str | None:
    """Return the column that says which system a row is of; None in a wide table."""
    if any(name in table.data for name in systems or ()):
        return None
    if "system" in table.data:
        return "system"
    by_name = {name.lower(): name for name in reversed(table.names)}
    named = [by_name[word] for word in SYSTEM_WORDS if word in by_name]
    gold = roles.gold or "gold"
    labels = table.distinct(gold) if named and gold in table.data else set()
    taken = {name for _, name in roles.named()}
    return next(
        (
            name
            for name in named
            if name not in taken and table.repeats(name) and not table.distinct(name) & labels
        ),
        None,
    )


def read_long(table: Table, options: TableOptions) -> tuple[Evaluation, str]:
    """Make an evaluation of a long table."""
    roles, systems, soft, on_missing = options.roles, options.systems, options.soft, options.on_missing
    system_column, value_column = options.system_column, options.value_column
    by = system_column or system_column_of(table, roles, systems) or "system"
    if value_column is None:
        other = {by, table.item_column(roles.item), *VALUE_WORDS, *_GROUP_WORDS}
        other |= {name for _, name in roles.named()}
        table, value_column = class_columns(table, soft, other)
    completed, value = _columns(table, roles, by, value_column)
    items = table.texts(str(completed.item), "item")
    labels = table.texts(by, "system")
    names = _chosen(table, by, labels, items, systems)
    rows: dict[str, list[int]] = {name: [] for name in names}
    for row, label in enumerate(labels):
        if label in rows:
            rows[label].append(row)
    keys = {name: [items[row] for row in rows[name]] for name in names}
    hint = RUNS_HINT if any(name.lower() in RUN_WORDS for name in table.names) else CLUSTERS_HINT
    for name in names:
        check_unique(keys[name], f"{table.source}: item ids of system {name!r}", hint)
    values = values_of(table, value, soft)
    rows_used = [row for row, label in enumerate(labels) if label in rows]
    item_of_row = [items[row] for row in rows_used]
    first = first_rows(item_of_row)
    firsts = [rows_used[position] for position in first.values()]
    gold = _gold_of_rows(table, completed, soft)
    check_exact(table.source, {value: values}, gold)
    if gold is not None:
        _check_same(table, item_of_row, gold.take(rows_used), soft)
        gold = gold.take(firsts)
    columns, gold, classes, notes = typed({name: values.take(rows[name]) for name in names}, gold, soft)
    if on_missing == "error":
        for name in names:
            check_present(table.source, name, columns[name], keys[name])
    groups = {
        role: agreed(
            table.source, role, item_of_row, column_of_texts(table.texts(column, role)).take(rows_used)
        )
        for role, column in completed.named()
        if role in GROUP_ROLES
    }
    evaluation = by_id(
        {name: (keys[name], columns[name]) for name in names},
        None if gold is None else (list(first), gold),
        classes,
        notes,
        groups=groups,
        slices=_slices(table, completed, item_of_row, rows_used),
        on_missing=on_missing,
        objects=soft.objects,
    )
    message = (
        f"a long table; systems: {listed(names)} (column {by}); values: {value}; {completed.description()}"
    )
    return dataclasses.replace(evaluation, called=dict.fromkeys(names, value)), message


def _slices(
    table: Table, roles: Roles, item_of_row: Sequence[str], rows_used: Sequence[int]
) -> dict[str, dict[str, str]]:
    """Return the value of each item in each column of slices."""
    columns = {name: column_of_texts(table.texts(name, "slice")).take(rows_used) for name in roles.slices}
    return {
        name: agreed(table.source, f"slice ({name})", item_of_row, column) for name, column in columns.items()
    }


def _gold_of_rows(table: Table, roles: Roles, soft: Soft) -> Column | None:
    if roles.annotators:
        return assemble.labels_of_columns(table, roles.annotators)
    return None if roles.gold is None else values_of(table, roles.gold, soft)


def _check_same(table: Table, items: Sequence[str], labels: Column, soft: Soft) -> None:
    """Refuse gold labels that differ between the rows of an item."""
    check_whole(table.source, labels, items)
    rule = None if labels.values.ndim > 1 or labels.is_items or soft.as_given else Rule.of(labels)
    agreed(table.source, "gold", items, labels, rule)


def first_rows(items: Sequence[str]) -> dict[str, int]:
    """Return the position where each item occurs first."""
    first: dict[str, int] = {}
    for position, item in enumerate(items):
        first.setdefault(item, position)
    return first


def _only_soft(table: Table) -> str | None:
    """Return the column of distributions, if there is one beside the gold."""
    names = [name for name in table.soft if name != "gold"]
    return names[0] if len(names) == 1 else None


def _columns(table: Table, roles: Roles, by: str, value_column: str | None) -> tuple[Roles, str]:
    check_there(table, roles)
    table.require(by, "system column")
    no_gold = roles.gold is None and not roles.annotators and "gold" not in table.data
    value = value_column or value_word(table.data, prefer_score=no_gold) or _only_soft(table)
    if value is None:
        raise InvalidInputError(
            f"{table.source}: no column is called {' or '.join(VALUE_WORDS)}",
            hint=f"name the column of the values: value_column=...; its columns are: {listed(table.names)}",
        )
    table.require(value, "value column")
    item = table.item_column(roles.item)
    if item is None:
        raise InvalidInputError(
            f"{table.source}: a long table needs a column of item ids",
            hint=f"name it: items=...; its columns are: {listed(table.names)}",
        )
    taken = {by, value, item}

    def column_for(name: str | None, word: str) -> str | None:
        return name or (word if word in table.data and word not in taken else None)

    # Scores need no gold; one that lies beside them is not used unless it is asked for.
    gold = roles.gold if value == "score" or roles.annotators else column_for(roles.gold, "gold")

    def group_for(name: str | None, word: str) -> str | None:
        return name if word in roles.slices else column_for(name, word)

    groups = group_for(roles.cluster, "cluster"), group_for(roles.stratum, "stratum")
    return Roles(gold, item, *groups, roles.annotators, roles.crossed, roles.slices), value


def value_word(names: Mapping[str, object], *, prefer_score: bool) -> str | None:
    """Return the column with a telling name; of two, that which the gold (or its absence) asks for."""
    words = VALUE_WORDS[::-1] if prefer_score else VALUE_WORDS
    return next((word for word in words if word in names), None)


def _chosen(
    table: Table, by: str, labels: Sequence[str], items: Sequence[str], systems: Sequence[str] | None
) -> list[str]:
    known = order_in_groups(labels, items)
    return known if systems is None else matching(systems, known, unknown_system(table.source, known, by))
