"""What an evaluation is made of, checked: values, ids and groups of one length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import InvalidInputError, MissingValueError
from bestby._core.text import counted, normal_form
from bestby._core.typing import Array, ArrayLike, IntArray
from bestby.data.alignment import Aligned, unequal_lengths
from bestby.data.annotations import Annotations
from bestby.data.arrays import identifiers
from bestby.data.checked_values import (
    check_numeric,
    checked_counts,
    checked_labels,
    item_namer,
    opaque,
    system_or_gold,
)
from bestby.data.coding import Coded, Columns
from bestby.data.groupings import check_countable, check_nested, check_unique_ids
from bestby.data.label_sets import label_sets as sets_of
from bestby.data.values import forms_note
from bestby.results.base import Note

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


def checked_parts(
    together: Aligned, labels: Labels | None, counts: ArrayLike | None, *, label_sets: bool = False
) -> dict[str, Any]:
    """Return the fields of an evaluation; no `labels` for items of any kind."""
    side = together.side
    ids = None if together.items is None else identifiers(together.items, "items")
    columns = {**together.systems, **({} if side["gold"] is None else {"": side["gold"]})}
    annotations = None if labels is None else labels[0]
    notes = together.notes
    coded: dict[str, Coded] = {}
    try:
        values: dict[str, Array | Coded]
        names: Array | None
        if label_sets:
            classes = None if labels is None else labels[1]
            sets, names, merged = sets_of(columns, classes, item_namer(ids))
            values = {name: opaque(column, system_or_gold(name)) for name, column in sets.items()}
            notes += merged
        elif labels is None:
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
    elif len(gold) != n:
        raise InvalidInputError(
            f"gold has {counted(len(gold), 'value')}, expected {n}",
            hint="pass one value per item, in the same order for gold and every system",
        )
    if gold is None or gold.ndim > 1 or gold.dtype.kind in "biuU":  # labels of a gold are no real numbers
        values = _in_one_precision(values)
    if ids is not None:
        ids = checks.column(ids, "items", n)  # as many as the systems have values
        check_unique_ids(ids, "items")
    groups, slices, forms = _groups(side, n)
    notes += forms
    if groups["crossed"] is None:
        check_nested(groups["clusters"], groups["strata"])
    if number is not None and any(value.ndim > 1 for value in values.values()):
        check_countable(soft=True)
    return {
        "systems": Columns(values),
        "gold": gold,
        "items": ids,
        **groups,
        "groupings": slices,
        "missing": dict(together.missing),
        "notes": notes,
        "classes": names,
        "annotations": annotations,
        "counts": number,
        "codes_of_texts": coded,
    }


def _groups(
    side: Mapping[str, Any], n: int
) -> tuple[dict[str, Array | None], dict[str, Array], tuple[Note, ...]]:
    """Return the groups of the items, the columns of slices, and notes on names that were joined."""
    groups: dict[str, Array | None] = dict.fromkeys(("clusters", "strata", "crossed"))
    slices: dict[str, Array] = {}
    notes: tuple[Note, ...] = ()
    for what, group in side.items():
        if group is None or what == "gold":
            continue
        names, forms = in_one_form(identifiers(group, what, n))
        notes += forms
        if what.startswith(SLICES):
            slices[what.removeprefix(SLICES)] = names
        else:
            groups[what] = names
    return groups, slices, notes


def in_one_form(groups: Array) -> tuple[Array, tuple[Note, ...]]:
    """Return the names of groups with one spelling for those that look alike, and a note if some do."""
    if groups.dtype.kind != "U" or np.ascontiguousarray(groups).view(np.uint32).max(initial=0) < 128:
        return groups, ()  # of ASCII texts no two look alike
    names, places = np.unique(groups, return_inverse=True)
    forms: dict[str, list[str]] = {}
    for name in names.tolist():
        forms.setdefault(normal_form(name), []).append(name)
    several = [spellings for spellings in forms.values() if len(spellings) > 1]
    if not several:
        return groups, ()
    form = np.array([normal_form(name) for name in names.tolist()])
    return form[places], (forms_note("group", several),)


def _in_one_precision(values: Mapping[str, Array | Coded]) -> dict[str, Array | Coded]:
    """Return values of which real numbers in single precision are those of others that they stand for."""
    real = {name: np.asarray(column) for name, column in values.items() if column.dtype.kind == "f"}
    if len({column.shape for column in real.values()}) != 1:
        return dict(values)
    alike = rounding.in_one_precision([column.reshape(-1) for column in real.values()])
    pairs = zip(real.items(), alike, strict=True)
    return {**values, **{name: own.reshape(column.shape) for (name, column), own in pairs}}


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
