"""From counted rows, each of which stands for several items, to an evaluation."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, BoolArray, IntArray, OnMissing
from bestby.data.alignment import counted_as_worst_note, dropped_note, no_prediction_error
from bestby.data.columns import Column
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.assemble import check_exact, typed
from bestby.data.layouts.options import TableOptions
from bestby.data.layouts.wide import check_alike
from bestby.data.roles import Roles
from bestby.data.table import Table
from bestby.results.base import Note


def evaluation_of_counts(
    table: Table, counts: IntArray, names: Sequence[str], roles: Roles, options: TableOptions
) -> Evaluation:
    """Make an evaluation of distinct rows, by the same rules as one of items side by side."""
    keep = counts > 0  # a file without rows, all of whose columns are folders
    columns = {name: table.column(name).take(keep) for name in names}
    gold = None if roles.gold is None else table.column(roles.gold).take(keep)
    strata = None if roles.stratum is None else _texts(table, roles.stratum, counts, keep)
    counts = counts[keep]
    if options.systems is None and gold is not None:
        check_alike(table, columns, gold)
    check_exact(table.source, columns, gold)
    columns, gold, _, notes = typed(columns, gold, options.soft)
    if gold is not None and gold.missing.any():
        raise InvalidInputError(
            f"{table.source}: the gold is missing for {_share(gold.missing, counts)}",
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
        evaluation = _incomplete(table, columns, gold, strata, counts, options.on_missing)
    message = (
        f"{evaluation.n_items} rows were counted into {evaluation.n_rows} distinct ones, which give the same"
        " numbers as the rows one by one"
    )
    if roles.item is not None:
        message += f"; that the ids in column {roles.item} are unique was not checked"
    return dataclasses.replace(evaluation, notes=(Note("counted", message), *notes, *evaluation.notes))


def _incomplete(
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
            f"{table.source}: system {name!r} has no value for {_share(columns[name].missing, counts)}",
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


def _share(missing: BoolArray, counts: IntArray) -> str:
    return f"{int(counts[missing].sum())} of {int(counts.sum())} items"


def _texts(table: Table, name: str, counts: IntArray, keep: BoolArray) -> Array:
    column = table.column(name).take(keep)
    if column.missing.any():
        raise InvalidInputError(
            f"{table.source}: stratum column {name!r} has no value in"
            f" {_share(column.missing, counts[keep]).removesuffix(' items')} rows",
            hint="every item needs its stratum",
        )
    return np.array([str(value) for value in column.values.tolist()])
