"""From columns to an `Evaluation`: one type for all values, ids, groups, what is missing."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, OnMissing
from bestby.data.annotations import Annotations
from bestby.data.coding import EXACT, Coded
from bestby.data.columns import Column, text_of
from bestby.data.evaluation import Evaluation
from bestby.data.label_sets import in_code, separator_of
from bestby.data.layouts.classes import one_kind
from bestby.data.layouts.label_sets import as_items, items_of
from bestby.data.layouts.soft import Soft
from bestby.data.table import Table
from bestby.data.values import Rule, merged_note, read_together
from bestby.results.base import Note


def side_by_side(
    source: str,
    systems: Mapping[str, Column],
    gold: Column | None,
    *,
    items: Sequence[str] | None,
    groups: Mapping[str, Sequence[str]],
    slices: Mapping[str, Sequence[str]] | None = None,
    on_missing: OnMissing,
    soft: Soft,
) -> Evaluation:
    """Make an evaluation of columns of equal length; where no ids are given, the rows are the items."""
    if items is not None:
        check_unique(items, f"{source}: item ids")
    columns, gold, classes, notes = typed(systems, gold, soft)
    if gold is not None:
        check_whole(source, gold, items)
    lengths = {column.size for column in columns.values()} | ({gold.size} if gold is not None else set())
    if len(lengths) > 1 or not any(column.missing.any() for column in columns.values()):
        evaluation = Evaluation.of(
            {name: column.compact for name, column in columns.items()},
            None if gold is None else _gold_values(gold, classes),
            items=items,
            **_groupings(groups),
            slices=slices,
            on_missing=on_missing,
            classes=classes,
            objects=soft.objects,
            label_sets=any(column.is_items for column in columns.values()),
        )
        return dataclasses.replace(evaluation, notes=(*notes, *evaluation.notes))
    if on_missing == "error":
        for name, column in columns.items():
            check_present(source, name, column, items)
    keys: Sequence[Any] = items if items is not None else range(1, lengths.pop() + 1)
    return by_id(
        {name: (keys, column) for name, column in columns.items()},
        None if gold is None else (keys, gold),
        classes,
        notes,
        groups={role: dict(zip(keys, labels, strict=True)) for role, labels in groups.items()},
        slices={name: dict(zip(keys, labels, strict=True)) for name, labels in (slices or {}).items()},
        on_missing=on_missing,
        objects=soft.objects,
    )


def _groupings(groups: Mapping[str, Any]) -> dict[str, Any]:
    """Return the groups of the items as `Evaluation.of` takes them."""
    clusters = groups.get("cluster")
    if "crossed" in groups:
        clusters = [clusters, groups["crossed"]]
    return {"clusters": clusters, "strata": groups.get("stratum")}


def values_of(table: Table, name: str, soft: Soft) -> Column:
    """Return a column of predictions, scores or the gold."""
    if soft.label_sets:
        return items_of(table, name, soft.label_separator)
    return table.objects(name) if soft.objects else table.column(name)


def by_id(
    systems: Mapping[str, tuple[Sequence[Any], Column]],
    gold: tuple[Sequence[Any], Column] | None,
    classes: Array | None,
    notes: tuple[Note, ...],
    *,
    groups: Mapping[str, Mapping[Any, str]],
    slices: Mapping[str, Mapping[Any, str]] | None = None,
    on_missing: OnMissing,
    objects: bool = False,
) -> Evaluation:
    """Make an evaluation of ids and values, which `typed` returned; a missing value has no id."""
    labels: Any = None
    if gold is not None:
        labels = keyed(*gold)
        if gold[1].is_annotated:
            labels = Annotations.of(labels, classes)
    evaluation = Evaluation.of(
        {name: keyed(*values) for name, values in systems.items()},
        labels,
        **_groupings(groups),
        slices=slices,
        on_missing=on_missing,
        classes=classes,
        objects=objects,
        label_sets=any(column.is_items for _, column in systems.values()),
    )
    return dataclasses.replace(evaluation, notes=(*notes, *evaluation.notes))


def _gold_values(gold: Column, classes: Array | None) -> Array | Coded | Annotations:
    return Annotations.of(gold.values, classes) if gold.is_annotated else gold.compact


def typed(
    systems: Mapping[str, Column], gold: Column | None, soft: Soft
) -> tuple[dict[str, Column], Column | None, Array | None, tuple[Note, ...]]:
    """Return systems, gold, classes (or None) with their values as they are compared, and notes."""
    if soft.objects:
        return dict(systems), gold, None, ()
    if soft.texts:
        texts = {name: text_of(column) for name, column in systems.items()}
        return texts, None if gold is None else text_of(gold), None, ()
    values = [*systems.values()] + ([] if gold is None else [gold])
    if any(column.is_items for column in values):
        return (*as_items(systems, gold, soft), ())
    if soft.classes is None and not any(column.is_soft or column.is_annotated for column in values):
        labels, columns, merged = read_together(gold, systems)
        return columns, labels, None, merged_note(merged)
    return (*one_kind(systems, gold, soft), ())


def keyed(keys: Sequence[Any], column: Column) -> dict[Any, Any]:
    """Return the values that are there by id."""
    rows = zip(keys, column.values.tolist(), column.missing.tolist(), strict=True)
    return {key: value for key, value, gone in rows if not gone}


def agreed(
    source: str,
    role: str,
    items: Sequence[str],
    column: Column,
    rule: Rule | None = None,
    hint: str | None = None,
) -> dict[str, str]:
    """Return one value per item; its rows must agree on it, as the rule compares values if there is one."""
    values: dict[str, str] = {}
    for item, value in zip(items, text_of(column).values.tolist(), strict=True):
        known = values.setdefault(item, value)
        if known != value and (rule is None or rule.key(known) != rule.key(value)):
            raise InvalidInputError(
                f"{source}: the {role} of item {item!r} is {values[item]!r} here and {value!r} there",
                hint=hint or f"an item has one {role}, whichever system is asked",
            )
    return values


def check_exact(source: str, systems: Mapping[str, Column], gold: Column | None) -> None:
    """Refuse whole numbers too large for floats that became floats because a value is missing."""
    if gold is None or gold.distinct.is_text or gold.distinct.values.dtype.kind not in "iu":
        return
    for name, column in ((name, column.distinct) for name, column in systems.items()):
        there = column.values[~column.missing]
        if there.dtype.kind != "f" or there.size == column.size or there.ndim > 1:
            continue
        if (np.abs(there) >= EXACT).any() and np.all(there == np.rint(there)):
            raise InvalidInputError(
                f"{source}: column {name!r} holds whole numbers as floats because a value is missing, and"
                " some are too large for floats to hold exactly",
                hint='read it as a type that has missing values, such as dtype="Int64" in pandas, or as text',
            )


def _if_blank(column: Column) -> str:
    """Return what to do about a missing set of labels that is a blank cell."""
    advice = "if a blank is an item without labels, pass label_separator="
    seen = separator_of(column.values.tolist())
    return f'{advice}"|", or what separates them' if seen is None else f'{advice}"{in_code(seen)}"'


GROUP_ROLES = ("cluster", "crossed", "stratum")
"""The parts of columns that say which group an item belongs to."""

CLUSTERS_HINT = "items of the same document or person are clusters (clusters=...), not the same item"


def check_unique(items: Sequence[str], what: str, hint: str = CLUSTERS_HINT) -> None:
    """Refuse an id that occurs twice."""
    if len(set(items)) == len(items):
        return
    counts = {item: count for item, count in Counter(items).items() if count > 1}
    first = next(iter(counts))
    raise InvalidInputError(
        f"{what} must be unique, but {len(counts)} of {len(set(items))} occur more than once;"
        f" first: {first!r} ({counts[first]} times)",
        hint=hint,
    )


def check_whole(source: str, gold: Column, items: Sequence[str] | None) -> None:
    """Refuse a gold that is missing somewhere."""
    if gold.missing.any():
        raise InvalidInputError(
            f"{source}: the gold is missing for {_counted(gold, items)}",
            hint=f"remove these items; {_if_blank(gold)}"
            if gold.is_items
            else 'remove these items; if NA is a label here, let only blank cells be missing: missing=""',
        )


def check_present(source: str, name: str, column: Column, items: Sequence[str] | None) -> None:
    """Refuse a prediction that is missing somewhere."""
    if column.missing.any():
        raise InvalidInputError(
            f"{source}: system {name!r} has no value for {_counted(column, items)}",
            hint='pass on_missing="drop" to compare the other items only,'
            ' or on_missing="worst" to count the missing as wrong'
            + (f"; {_if_blank(column)}" if column.is_items else ""),
        )


def _counted(column: Column, items: Sequence[str] | None) -> str:
    first = int(np.flatnonzero(column.missing)[0])
    where = f"row {first + 1}" + (f", item {items[first]!r}" if items is not None else "")
    return f"{int(column.missing.sum())} of {column.size} items; first: {where}"
