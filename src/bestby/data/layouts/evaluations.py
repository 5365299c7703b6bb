"""From a table of items, wide or long, to an evaluation."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import DesignError
from bestby._core.typing import IntArray
from bestby.data.evaluation import Evaluation
from bestby.data.frames import FRAME, backend_of, column_names, is_partitioned, table_of
from bestby.data.layouts.long import check_not_long, is_long, read_long
from bestby.data.layouts.options import TableOptions
from bestby.data.layouts.soft import Soft, gathered
from bestby.data.layouts.wide import (
    described,
    evaluation_of_counts,
    read_wide,
    roles_of,
    systems_of,
    with_left_out,
)
from bestby.data.roles import VALUE_WORDS, listed
from bestby.data.table import Table
from bestby.results.base import Note


def evaluation_of(table: Table, options: TableOptions, source: str | None = None) -> Evaluation:
    """Make an evaluation of a table of items; `source` is what the note calls the table."""
    table, options = table.prepared(options)
    if not options.soft.objects:
        table = gathered(table, options.soft, options.columns, options.roles.item)
    if options.system_column is None:
        check_not_long(table, options)
    read = read_long if _is_long(table, options) else read_wide
    evaluation, description = read(table, options)
    message = f"{source or table.source} was read as {description}"
    return with_reading_note(evaluation, message, options.soft)


def _is_long(table: Table, options: TableOptions) -> bool:
    if options.system_column is not None or options.value_column is not None:
        return True
    return is_long(table, options.roles, options.systems, options.soft)


def evaluation_of_frame(data: Any, options: TableOptions, every_item: str | None = None) -> Evaluation:
    """Make an evaluation of a frame or of records; `every_item` says what dask rows cannot be counted for."""
    if is_partitioned(data):
        evaluation = _evaluation_of_partitions(data, options, every_item)
    else:
        evaluation = evaluation_of(table_of(data), options)
    return dataclasses.replace(evaluation, frame_backend=backend_of(data))


def _evaluation_of_partitions(frame: Any, options: TableOptions, every_item: str | None) -> Evaluation:
    names = column_names(frame)
    heads = Table(FRAME, {name: np.empty(0, dtype=object) for name in names}, frozenset())
    heads = heads.without(options.ignore)
    roles = roles_of(heads, options.roles, chosen=options.systems is not None)
    value = options.value_column or next((word for word in VALUE_WORDS if word in heads.data), None)
    whole = {
        "clusters": roles.cluster is not None,
        "slices": bool(roles.slices),
        "joint item ids": bool(options.item_columns),
        "a long table": bool(options.system_column) or ("system" in heads.data and value is not None),
        "soft labels": options.soft.classes is not None or options.soft.normalise,
    }
    refuse_partitions(every_item or next((what for what, needed in whole.items() if needed), None))
    systems = systems_of(heads, roles, options.systems)
    others = [name for name in (roles.gold, roles.stratum) if name is not None]
    rows, counts = counted_partitions(frame, [*others, *systems])
    evaluation = evaluation_of_counts(table_of(rows), counts, systems, roles, options)
    evaluation = with_left_out(evaluation, heads, roles, options.systems)
    message = f"{FRAME} was read as {described(heads, systems, roles)}"
    return with_reading_note(evaluation, message, options.soft)


MOST_CELLS = 1_000_000
"""Distinct rows up to which a frame is counted; more would be the table itself, in one place."""

_COUNT = "n"


def counted_partitions(frame: Any, columns: Sequence[str]) -> tuple[Any, IntArray]:
    """Return the distinct joint rows of a dask frame and their counts, added up in a tree to save memory."""
    # Counts of partitions that are added at once, and the sums of these, and so on
    cells = (
        frame[list(columns)]
        .reduction(_counts_of_partition, combine=_added_counts, aggregate=_added_counts, split_every=8)
        .compute()
    )
    counts = np.asarray(cells[_COUNT], dtype=np.int64)
    return cells.drop(columns=_COUNT).set_axis(list(columns), axis=1).reset_index(drop=True), counts


def _counts_of_partition(part: Any) -> Any:
    """Return the distinct rows of a partition, columns numbered, with their counts."""
    plain = part.set_axis([str(i) for i in range(part.shape[1])], axis=1)
    for name in plain.columns:
        if type(plain[name].dtype).__name__ == "CategoricalDtype":  # partitions may know other categories
            plain[name] = plain[name].astype(plain[name].cat.categories.dtype)
    return _added_counts(plain.assign(**{_COUNT: 1}))


def _added_counts(rows: Any) -> Any:
    """Return the distinct rows of one or several partitions, with the sums of their counts."""
    names = [name for name in rows.columns if name != _COUNT]
    added = rows.groupby(names, dropna=False, sort=False, observed=True)[_COUNT].sum().reset_index()
    if len(added) > MOST_CELLS:
        raise DesignError(
            f"the frame has more than {MOST_CELLS} distinct rows, which are not counted",
            hint="scores that hardly repeat cannot be counted: pass frame.compute() if it fits into memory",
        )
    return added


def refuse_partitions(what: str | None) -> None:
    """Refuse what needs every item of a frame in partitions."""
    if what is not None:
        raise DesignError(
            f"the rows of a dask frame are counted where they are; every item is needed for {what}",
            hint="pass frame.compute() if it fits into memory",
        )


def with_reading_note(evaluation: Evaluation, message: str, soft: Soft) -> Evaluation:
    """Return the evaluation with the note on what was taken for what."""
    if evaluation.label_sets:
        labels = "" if evaluation.classes is None else f": {listed([*map(str, evaluation.classes)], 8)}"
        message += f"; every item has a set of labels{labels}"
    rows = [name or "gold" for name, column in evaluation.compact.items() if column.ndim == 2]
    if not rows:
        checks.refuse_unused(
            "hard labels and scores: only soft labels are normalised", normalise=(soft.normalise, False)
        )
    if rows and evaluation.classes is not None:
        message += f"; distributions over the classes {listed([str(name) for name in evaluation.classes])}"
        message += f": {listed(rows)}" + ("; every row divided by its sum" if soft.normalise else "")
    return dataclasses.replace(evaluation, notes=(Note("read_as", message), *evaluation.notes))
