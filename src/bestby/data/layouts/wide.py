"""A wide table: one row per item, or per several items that are alike, and one column per system."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, BoolArray, IntArray, OnMissing
from bestby.data.alignment import counted_as_worst_note, dropped_note, no_prediction_error
from bestby.data.columns import Column, NumeralColumn
from bestby.data.evaluation import Evaluation
from bestby.data.layouts import assemble
from bestby.data.layouts.assemble import GROUP_ROLES, check_exact, labels_of, side_by_side, typed, values_of
from bestby.data.layouts.options import TableOptions
from bestby.data.roles import (
    Roles,
    check_no_gold,
    check_no_item,
    check_no_run,
    counts_rows,
    describe_wide,
    left_out_note,
    listed,
    matching,
    recognised,
    score_column,
    shares_nothing,
)
from bestby.data.table import SYSTEM_WORDS, Table, check_there
from bestby.data.values import as_scores, key_of, read_together, without_labels
from bestby.results.base import Note


def read_wide(table: Table, options: TableOptions) -> tuple[Evaluation, str]:
    """Make an evaluation of a wide table."""
    roles, systems, soft = options.roles, options.systems, options.soft
    completed = roles_of(table, roles, chosen=systems is not None)
    names = systems_of(table, completed, systems)
    columns = {name: values_of(table, name, soft) for name in names}
    gold = None if completed.gold is None else values_of(table, completed.gold, soft)
    if roles.annotators:
        gold = assemble.labels_of_columns(table, roles.annotators)
    if "gold" in left_aside(table, names, completed):
        check_no_labels(table, columns)
    check_exact(table.source, columns, gold)
    if systems is None:
        check_no_counter(table, columns, gold)
    if systems is None and gold is not None and not soft.as_given:  # two texts are seldom equal
        check_alike(table, columns, gold)
    items = None if completed.item is None else table.texts(completed.item, "item")
    evaluation = side_by_side(
        table.source,
        columns,
        gold,
        items=items,
        groups={role: table.texts(name, role) for role, name in completed.named() if role in GROUP_ROLES},
        slices={name: table.texts(name, "slice") for name in completed.slices},
        on_missing=options.on_missing,
        soft=soft,
    )
    unused = (
        "" if not roles.annotators or completed.gold is None else f"; column {completed.gold} was not used"
    )
    evaluation = with_left_out(evaluation, table, completed, systems)
    if roles.annotators:
        completed = dataclasses.replace(completed, gold=None)
    return evaluation, f"{described(table, names, completed)}{unused}"


def roles_of(table: Table, roles: Roles, *, chosen: bool) -> Roles:
    """Return the roles with those filled in that the columns' own names tell, unless systems were chosen."""
    check_there(table, roles)
    return roles if chosen else recognised(roles, table.data)


def left_aside(table: Table, names: Sequence[str], roles: Roles) -> list[str]:
    """Return the columns that are called as a gold or a group is and were not used, as systems were named.

    The labels of annotators take the place of a column of the gold.
    """
    free = [name for name in table.names if name not in names]
    told = recognised(roles, free).named()
    others = ("item", "gold") if roles.annotators else ("item",)
    return [name for role, name in told if role not in others and (role, name) not in roles.named()]


def described(table: Table, names: Sequence[str], roles: Roles) -> str:
    """Return what was taken for what, and which columns were not though their names tell what they are."""
    aside = left_aside(table, names, roles)
    told = "" if not aside else f"; not used, since the systems were named: {', '.join(aside)}"
    return f"{describe_wide(names, roles)}{told}"


def check_no_labels(table: Table, columns: Mapping[str, Column]) -> None:
    """Refuse labels as scores, beside a gold that was not named."""
    name = next((name for name, column in columns.items() if as_scores(column).is_text), None)
    if name is not None:
        raise InvalidInputError(
            f"{table.source}: system {quoted(name)} holds text, and no gold was named",
            hint='name the column gold: gold="gold"; where systems are named, it is not taken for the gold by'
            " itself",
        )


def systems_of(table: Table, roles: Roles, systems: Sequence[str] | None) -> list[str]:
    """Return the columns of the systems: those asked for, or all that play no other part."""
    other = {name: role for role, name in reversed(roles.named())}
    if systems is None:
        names = [name for name in table.names if name not in other]
        if not names:
            raise InvalidInputError(
                f"{table.source}: there is no column of a system ({roles.description()})",
                hint=f"its columns are: {listed(table.names)}",
            )
        check_no_item(table.source, names)
        check_no_run(table.source, names)
        if roles.gold is not None or roles.annotators:
            return names
        scores = score_column(names)
        if scores is not None and not _names_systems(table):
            return [scores]
        check_no_gold(table.source, names)
        return names
    free = [name for name in table.names if name in systems or name not in other]
    names = matching(systems, free, lambda name: table.unknown(name, "system"))
    for name in names:
        if name in other:
            raise InvalidInputError(
                f"{table.source}: column {name!r} cannot be {other[name]} and system at once"
            )
    return names


def _names_systems(table: Table) -> bool:
    """Tell whether rows are of several systems, or a column called model has the scores of one."""
    named = [name for name in table.names if name.lower() in SYSTEM_WORDS]
    return any(len(table.distinct(one)) > 1 or not as_scores(table.column(one)).is_text for one in named)


def with_left_out(
    evaluation: Evaluation, table: Table, roles: Roles, systems: Sequence[str] | None
) -> Evaluation:
    """Return the evaluation with a note on columns beside the scores of one system, unless one was chosen."""
    used = {*evaluation.names, *(name for _, name in roles.named())}
    others = [name for name in table.names if name not in used]
    if not others or systems is not None:
        return evaluation
    note = left_out_note(evaluation.names[0], others)
    return dataclasses.replace(evaluation, notes=(*evaluation.notes, note))


def check_no_counter(table: Table, columns: Mapping[str, Column], gold: Column | None) -> None:
    """Refuse a column that numbers the rows, of a spreadsheet or a data frame: it would pass for a system."""
    if gold is not None and _numbers_rows(gold):  # as a right prediction of the gold would
        return
    for name, column in columns.items():
        if _numbers_rows(column):
            raise counts_rows(table.source, name)


def _numbers_rows(column: Column) -> bool:
    """Tell whether a column of a few rows or more holds 0, 1, 2, ... or 1, 2, 3, ... in this order."""
    n = column.size
    # Labels that repeat and numbers with fractions do not; to look at their values would make texts of them.
    # Rows from which a column of their numbers is no system's; fewer can be by chance
    if n < 10 or isinstance(column, NumeralColumn) or column.distinct.size < n:
        return False
    if column.values.ndim > 1 or column.missing.any():
        return False
    first, last = map(key_of, column.take([0, n - 1]).values.tolist())
    if first not in (0, 1) or last != first + n - 1:
        return False
    read = as_scores(column)
    return not read.is_text and np.array_equal(read.values, np.arange(n) + first)


def holds_ids(table: Table, name: str) -> bool:
    """Tell whether a column is called as ids are, and has a value of its own in each row."""
    return name.lower().endswith("id") and len(table.distinct(name)) == table.n_rows


def check_alike(table: Table, columns: dict[str, Column], gold: Column) -> None:
    """Refuse a column of something else, such as the sentences: it would pass for a bad system."""
    hard = {name: column for name, column in columns.items() if not column.is_soft}
    labels = labels_of(gold)
    if labels is None:
        return
    labels, alike, _ = read_together(labels, hard)
    assert labels is not None
    for name in without_labels(labels, alike):
        hint = "choose the columns of the systems: systems=[...]; or leave columns out: ignore=[...]"
        if name in table.data and table.repeats(name):
            hint += "; a column of their names is system_column=..."
        elif name in table.data and table.item_column(None) is None and holds_ids(table, name):
            hint = f"if it holds the ids of the items, name it: items={name!r}; otherwise {hint}"
        elif labels.is_text and sum(not as_scores(column).is_text for column in hard.values()) > 1:
            hint += "; probabilities of classes are classes=[...]"
        raise shares_nothing(table.source, name, hint)


def evaluation_of_counts(
    table: Table, counts: IntArray, names: Sequence[str], roles: Roles, options: TableOptions
) -> Evaluation:
    """Make an evaluation of distinct rows, by the same rules as one of items side by side."""
    keep = counts > 0  # a file without rows, all of whose columns are folders
    columns = {name: table.column(name).take(keep) for name in names}
    gold = None if roles.gold is None else table.column(roles.gold).take(keep)
    strata = None if roles.stratum is None else _strata(table, roles.stratum, counts, keep)
    counts = counts[keep]
    if options.systems is None and gold is not None:
        check_alike(table, columns, gold)
    check_exact(table.source, columns, gold)
    columns, gold, _, notes = typed(columns, gold, options.soft)
    if gold is not None and gold.missing.any():
        raise InvalidInputError(
            f"{table.source}: the gold is missing for {_how_many_items(gold.missing, counts)}",
            hint='remove these items; if NA is a label here, let only blank cells be missing: missing=""',
        )
    if not any(column.missing.any() for column in columns.values()):
        evaluation = Evaluation.of(
            {name: column.values for name, column in columns.items()},
            None if gold is None else gold.values,
            strata=strata,
            counts=counts,
        )
    else:
        evaluation = _with_missing(table, columns, gold, strata, counts, options.on_missing)
    message = (
        f"{evaluation.n_items} rows were counted into {evaluation.n_rows} distinct ones, which give the same"
        " numbers as the rows one by one"
    )
    if roles.item is not None:
        message += f"; that the ids in column {roles.item} are unique was not checked"
    return dataclasses.replace(evaluation, notes=(Note("counted", message), *notes, *evaluation.notes))


def _with_missing(
    table: Table,
    columns: Mapping[str, Column],
    gold: Column | None,
    strata: Array | None,
    counts: IntArray,
    on_missing: OnMissing,
) -> Evaluation:
    absent = np.column_stack([column.missing for column in columns.values()])
    if on_missing == "error":
        name = next(name for name, column in columns.items() if column.missing.any())
        raise InvalidInputError(
            f"{table.source}: system {name!r} has no value for"
            f" {_how_many_items(columns[name].missing, counts)}",
            hint='pass on_missing="drop" to compare the other items only,'
            ' or on_missing="worst" to count the missing as wrong',
        )
    known = ~absent.all(axis=1) if gold is None else np.ones(counts.size, dtype=np.bool_)
    rows = known & ~absent.any(axis=1) if on_missing == "drop" else known
    of, n = int(counts[known].sum()), int(counts[rows].sum())
    notes = [dropped_note(of - n, of)] if n < of else []
    masks: dict[str, BoolArray] = {}
    systems: dict[str, list[Any]] = {}
    for name, column in columns.items():
        mask = column.missing[rows]
        values = column.values[rows].tolist()
        if mask.all():
            raise no_prediction_error(name, of)
        if mask.any():
            filler = values[int((~mask).argmax())]
            values = [filler if gone else value for value, gone in zip(values, mask, strict=True)]
            masks[name] = mask
            notes.append(counted_as_worst_note(name, int(counts[rows][mask].sum()), of))
        systems[name] = values
    evaluation = Evaluation.of(
        systems,
        None if gold is None else gold.values[rows].tolist(),
        strata=None if strata is None else strata[rows],
        counts=counts[rows],
    )
    return dataclasses.replace(evaluation, missing=masks, notes=tuple(notes))


def _how_many_items(missing: BoolArray, counts: IntArray) -> str:
    return f"{int(counts[missing].sum())} of {int(counts.sum())} items"


def _strata(table: Table, name: str, counts: IntArray, keep: BoolArray) -> Array:
    column = table.column(name).take(keep)
    if column.missing.any():
        raise InvalidInputError(
            f"{table.source}: stratum column {name!r} has no value in"
            f" {_how_many_items(column.missing, counts[keep]).removesuffix(' items')} rows",
            hint="every item needs its stratum",
        )
    return np.array([str(value) for value in column.values.tolist()])
