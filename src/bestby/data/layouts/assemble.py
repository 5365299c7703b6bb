"""From columns to an evaluation: types, order of classes, ids, groups, annotators, missing values."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, OnMissing
from bestby.data.alignment import OTHER_WAYS
from bestby.data.columns import EXACT, Coded, Column, column_of, column_of_texts, text_of
from bestby.data.evaluation import Evaluation
from bestby.data.label_sets import in_code, separator_of
from bestby.data.layouts.soft import as_items, items_of
from bestby.data.roles import GOLD_WORDS, VALUE_WORDS, Soft, listed
from bestby.data.soft import Annotations
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
            **_group_arguments(groups),
            slices=slices,
            on_missing=on_missing,
            classes=classes,
            **_kind([*columns.values()], gold, objects=soft.objects),
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
        **_group_arguments(groups),
        slices=slices,
        on_missing=on_missing,
        classes=classes,
        **_kind([column for _, column in systems.values()], gold and gold[1], objects=objects),
    )
    return dataclasses.replace(evaluation, notes=(*notes, *evaluation.notes))


def _kind(systems: Sequence[Column], gold: Column | None, *, objects: bool) -> dict[str, bool]:
    """Return whether items are sets of labels, or texts whose gold may be a list of several right ones."""
    label_sets = any(column.is_items for column in systems)
    several = gold is not None and gold.is_items and not label_sets
    return {"objects": objects or several, "label_sets": label_sets}


def keyed(keys: Sequence[Any], column: Column) -> dict[Any, Any]:
    """Return the values that are there by id."""
    rows = zip(keys, column.values.tolist(), column.missing.tolist(), strict=True)
    return {key: value for key, value, gone in rows if not gone}


def _gold_values(gold: Column, classes: Array | None) -> Array | Coded | Annotations:
    return Annotations.of(gold.values, classes) if gold.is_annotated else gold.compact


def _group_arguments(groups: Mapping[str, Any]) -> dict[str, Any]:
    """Return the groups of the items as `Evaluation.of` takes them."""
    clusters = groups.get("cluster")
    if "crossed" in groups:
        clusters = [clusters, groups["crossed"]]
    return {"clusters": clusters, "strata": groups.get("stratum")}


GROUP_ROLES = ("cluster", "crossed", "stratum")
"""The parts of columns that say which group an item belongs to."""


def values_of(table: Table, name: str, soft: Soft) -> Column:
    """Return a column of predictions, scores or the gold."""
    if soft.label_sets:
        return items_of(table, name, soft.label_separator)
    return table.objects(name) if soft.objects else table.column(name)


def typed(
    systems: Mapping[str, Column], gold: Column | None, soft: Soft
) -> tuple[dict[str, Column], Column | None, Array | None, tuple[Note, ...]]:
    """Return systems, gold, classes (or None) with their values as they are compared, and notes."""
    if soft.objects:
        return dict(systems), gold, None, ()
    if soft.texts:
        listed_texts = next((name for name, column in systems.items() if column.is_items), None)
        if listed_texts is not None:
            raise InvalidInputError(
                f"{quoted(listed_texts)} holds lists, and the metric reads a text of each item",
                hint="give one text per item; several right answers are lists in the gold",
            )
        texts = {name: text_of(column) for name, column in systems.items()}
        return texts, gold if gold is None or gold.is_items else text_of(gold), None, ()
    values = [*systems.values()] + ([] if gold is None else [gold])
    if any(column.is_items for column in values):
        return (*as_items(systems, gold, soft), ())
    if soft.classes is None and not any(column.is_soft or column.is_annotated for column in values):
        labels, columns, merged = read_together(gold, systems)
        return columns, labels, None, merged_note(merged)
    return (*one_kind(systems, gold, soft), ())


GOLD = "the gold"


def one_kind(
    systems: Mapping[str, Column], gold: Column | None, soft: Soft
) -> tuple[dict[str, Column], Column | None, Array | None]:
    """Bring soft columns into one order of classes, all of one type; return the classes, None if unnamed."""
    names = _class_names([*systems.items(), *([] if gold is None else [(GOLD, gold)])], soft)
    columns = [*systems.values(), *([] if gold is None else [gold])]
    ordered = [_in_class_order(column, names) if column.is_soft else column for column in columns]
    hard = [_all_labels(column) for column in ordered if not column.is_soft]
    named = None if names is None else column_of_texts([*names])
    is_hard_gold = named is None and gold is not None and not gold.is_soft
    rule = Rule.of(_all_labels(ordered[-1]) if is_hard_gold else named)
    read = [rule.read(column, rule.keys_of(column)) for column in hard]
    classes = None if named is None else rule.read(named, rule.keys_of(named)).values
    rest = iter(read)
    done = [column if column.is_soft else _by_annotator(next(rest), column) for column in ordered]
    if classes is None:
        classes = _numbered_classes(done)
    return dict(zip(systems, done, strict=False)), None if gold is None else done[-1], classes


def _class_names(columns: Sequence[tuple[str, Column]], soft: Soft) -> tuple[str, ...] | None:
    """Return the names of the classes, from the user or from the files; all that is soft must have them."""
    soft_columns = [(name, column) for name, column in columns if column.is_soft]
    named = [(name, column.classes) for name, column in soft_columns if column.classes is not None]
    names = soft.classes or (named[0][1] if named else None)
    for name, classes in named:
        if names is not None and {*classes} != {*names}:
            raise InvalidInputError(
                f"the classes of {name!r} are {listed(classes)}, those of {named[0][0]!r} {listed(names)}",
                hint="gold and every system need the same classes",
            )
    for name, column in soft_columns:
        size = column.values.shape[1]
        if names is not None and column.classes is None:
            raise InvalidInputError(
                f"nothing names the {size} classes of {name!r}, while those of {named[0][0]!r} are"
                f" {listed(names)}",
                hint="name the classes in the order of its numbers: classes=[...]",
            )
        first, usual = soft_columns[0][0], soft_columns[0][1].values.shape[1]
        if size != usual:
            raise InvalidInputError(
                f"{name!r} has {size} classes, {first!r} has {usual}",
                hint="gold and every system need one probability per class, in the same order",
            )
    return names


def _in_class_order(column: Column, names: tuple[str, ...] | None) -> Column:
    if names is None or column.classes is None or column.classes == names:
        return column
    places = [column.classes.index(name) for name in names]
    return Column(column.values[:, places], column.missing, names)


def labels_of(gold: Column) -> Column | None:
    """Return the labels that a gold holds, one after another; None for sets, and classes without names.

    >>> soft = Column(np.array([[0.5, 0.5]]), np.array([False]), ("no", "yes"))
    >>> labels_of(soft).values
    array(['no', 'yes'], dtype=object)
    """
    if gold.is_items:
        return None
    if gold.is_soft:
        return None if gold.classes is None else column_of_texts([*gold.classes])
    return _all_labels(gold)


def _all_labels(column: Column) -> Column:
    """Return the labels of all annotators one after another."""
    return column_of(column.values.reshape(-1), "annotations", frozenset()) if column.is_annotated else column


def _by_annotator(column: Column, like: Column) -> Column:
    if not like.is_annotated:
        return column
    labels = np.empty(column.size, dtype=object)
    labels[:] = column.values.tolist()
    labels[column.missing] = None
    return Column(labels.reshape(like.values.shape), like.missing)


def _numbered_classes(columns: Sequence[Column]) -> Array | None:
    """Return 0 to K - 1 where annotators gave such labels and the K classes of a system have no names."""
    size = next((column.values.shape[1] for column in columns if column.is_soft), 0)
    labels = {label for column in columns if column.is_annotated for label in column.values.reshape(-1)}
    return np.arange(size) if labels - {None} and labels - {None} <= {*range(size)} else None


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
            f"{source}: the gold is missing for {_how_many_missing(gold, items)}",
            hint=f"remove these items; {_if_blank(gold)}"
            if gold.is_items
            else 'remove these items; if NA is a label here, let only blank cells be missing: missing=""',
        )


def check_present(source: str, name: str, column: Column, items: Sequence[str] | None) -> None:
    """Refuse a prediction that is missing somewhere."""
    if column.missing.any():
        raise InvalidInputError(
            f"{source}: system {name!r} has no value for {_how_many_missing(column, items)}",
            hint=f'pass on_missing="drop" to compare the other items only, {OTHER_WAYS}'
            + (f"; {_if_blank(column)}" if column.is_items else ""),
        )


def _how_many_missing(column: Column, items: Sequence[str] | None) -> str:
    first = int(np.flatnonzero(column.missing)[0])
    where = f"row {first + 1}" + (f", item {items[first]!r}" if items is not None else "")
    return f"{int(column.missing.sum())} of {column.size} items; first: {where}"


def _if_blank(column: Column) -> str:
    """Return what to do about a missing set of labels that is a blank cell."""
    advice = "if a blank is an item without labels, pass label_separator="
    seen = separator_of(column.values.tolist())
    return f'{advice}"|", or what separates them' if seen is None else f'{advice}"{in_code(seen)}"'


def annotator_names(annotators: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the columns that the user names: one says who labelled, several are one annotator each.

    >>> annotator_names("worker"), annotator_names(["ann1", "ann2"]), annotator_names(None)
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
    return _annotated_column(labels)


def labels_of_rows(
    table: Table, annotator: str, item: str | None, groups: Sequence[str]
) -> tuple[Column, list[str], Table]:
    """Return a row per item, with the columns of the groups, of a table with a row per item and annotator.

    Who gave which label of an item is not kept: of many annotators each labels few items.
    """
    ids = table.item_column(item)
    value = label_column(table, {annotator, ids, *groups}, "call it label", ("gold", "label"))
    column, rows = rows_of_annotators(table, annotator, ids, value)
    labels = np.full((len(rows), max(map(len, rows.values()))), None, dtype=object)
    values = column.values.tolist()
    for place, mine in enumerate(rows.values()):
        present = [values[row] for row in mine.values() if not column.missing[row]]
        labels[place, : len(present)] = present
    data = {}
    for name in groups:
        if name in table.data:
            texts = column_of_texts(table.texts(name, "group"))
            by_item = agreed(table.source, f"value of {name!r}", table.texts(str(ids), "item"), texts)
            data[name] = column_of_texts([*by_item.values()])
    return _annotated_column(labels), [*rows], dataclasses.replace(table, data=data)


def rows_of_annotators(
    table: Table, annotator: str, item: str | None, value: str
) -> tuple[Column, dict[str, dict[str, int]]]:
    """Return a column of labels, and by item and annotator in which row of it the label stands."""
    by = table.texts(table.require(annotator, "annotator"), "annotator")
    if item is None:
        raise InvalidInputError(
            f"{table.source}: a row per item and annotator needs a column of item ids",
            hint=f"name it: items=...; its columns are: {listed(table.names)}",
        )
    items = table.texts(item, "item")
    column = table.column(table.require(value, "value column"))
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
    return column, rows


def _annotated_column(labels: Array) -> Column:
    return Column(labels, np.array([all(label is None for label in row) for row in labels], dtype=np.bool_))


def label_column(table: Table, other: Collection[str | None], hint: str, first: Sequence[str] = ()) -> str:
    """Return the column of the labels of annotators: called so, or the only one beside the others.

    Of several that are called so, one of `first` is taken; else they are refused, as one may be the gold.
    """
    names = [name for name in table.names if name not in other]
    words = {*GOLD_WORDS, *VALUE_WORDS, "value", "rating"}
    named = [word for word in first if word in names][:1]
    named = named or [name for name in names if name.lower() in words] or names
    if len(named) != 1:
        raise InvalidInputError(
            f"{table.source}: which column holds the labels of the annotators? its columns are:"
            f" {listed(table.names)}",
            hint=hint,
        )
    return named[0]
