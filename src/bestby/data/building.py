"""What an evaluation is made of, checked: values, ids and groups of one length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import InvalidInputError, MissingValueError
from bestby._core.text import counted
from bestby._core.typing import Array, ArrayLike, IntArray
from bestby.data.alignment import Aligned, unequal_lengths
from bestby.data.annotations import Annotations
from bestby.data.arrays import identifiers
from bestby.data.checked_values import check_numeric, checked_counts, checked_labels, opaque, system_or_gold
from bestby.data.coding import Coded, Columns
from bestby.data.groupings import check_countable, check_nested, check_unique_ids

SLICES = "column "
"""What the names of the columns of slices begin with, beside the gold and the groups of the items."""

Labels = tuple[Annotations | None, ArrayLike | None, bool]
"""Annotators' labels, the classes, and whether soft rows are divided by their sums."""


def _with_on_missing(error: MissingValueError) -> InvalidInputError:
    """Return an error about a value of the gold or of a system, with what `on_missing` does about it."""
    hint = 'remove the item for all systems; compare does so with on_missing="drop"'
    if not error.message.startswith(system_or_gold("")):
        hint = (
            "remove the item for all systems, or give the value the failure should count as; compare does so"
            ' with on_missing="drop" or "worst"'
        )
    return InvalidInputError(error.message, hint=hint)


def checked_parts(together: Aligned, labels: Labels | None, counts: ArrayLike | None) -> dict[str, Any]:
    """Return the fields of an evaluation; no `labels` for items of any kind."""
    side = together.side
    ids = None if together.items is None else identifiers(together.items, "items")
    columns = {**together.systems, **({} if side["gold"] is None else {"": side["gold"]})}
    annotations = None if labels is None else labels[0]
    notes = together.notes
    coded: dict[str, Coded] = {}
    try:
        values: dict[str, Array | Coded]
        if labels is None:
            values = {name: opaque(column, system_or_gold(name)) for name, column in columns.items()}
            names = None
        else:
            values, names, merged = checked_labels(columns, ids, *labels, coded)
            notes += merged
    except MissingValueError as error:  # of a system or the gold: for others on_missing does nothing
        raise _with_on_missing(error) from error
    gold: Any = values.pop("", None)
    if isinstance(gold, Coded):
        gold = gold.values
    n, number = _sizes(values, counts)
    if annotations is not None and names is not None:
        annotations = annotations.ordered(names)
        gold = annotations.distribution()
    if gold is None:
        check_numeric(Columns(values))
        if any(column.dtype.kind == "f" for column in values.values()):
            values = _in_one_precision(values)
    elif len(gold) != n:
        raise InvalidInputError(
            f"gold has {counted(len(gold), 'value')}, expected {n}",
            hint="pass one value per item, in the same order for gold and every system",
        )
    if ids is not None:
        ids = checks.column(ids, "items", n)  # as many as the systems have values
        check_unique_ids(ids, "items")
    groups = {
        what: None if side[what] is None else identifiers(side[what], what, n)
        for what in ("clusters", "strata", "crossed")
    }
    slices = {key.removeprefix(SLICES): value for key, value in side.items() if key.startswith(SLICES)}
    if groups["crossed"] is None:
        check_nested(groups["clusters"], groups["strata"])
    if number is not None and any(value.ndim > 1 for value in values.values()):
        check_countable(soft=True)
    return {
        "systems": Columns(values),
        "gold": gold,
        "items": ids,
        **groups,
        "groupings": {name: identifiers(value, f"{SLICES}{name}", n) for name, value in slices.items()},
        "missing": dict(together.missing),
        "notes": notes,
        "classes": names,
        "annotations": annotations,
        "counts": number,
        "codes_of_texts": coded,
    }


def _in_one_precision(values: Mapping[str, Array | Coded]) -> dict[str, Array | Coded]:
    """Return scores of which those in single precision are the numbers of others that they stand for."""
    real = {name: column for name, column in values.items() if column.dtype.kind == "f"}
    alike = rounding.in_one_precision([np.asarray(column) for column in real.values()])
    return {**values, **dict(zip(real, alike, strict=True))}


def _sizes(values: Mapping[str, Array | Coded], counts: ArrayLike | None) -> tuple[int, IntArray | None]:
    """Return the number of rows, the same for all, and how many items each stands for."""
    first, *others = values
    n = len(values[first])
    for name in others:
        if len(values[name]) != n:
            raise unequal_lengths(first, n, name, len(values[name]))
    number = None if counts is None else checked_counts(counts, n)
    n_items = n if number is None else int(number.sum())
    if n_items < 2:
        raise InvalidInputError(
            f"a comparison needs at least 2 items, got {n_items}",
            hint="with one item nothing can be said about the uncertainty",
        )
    return n, number
