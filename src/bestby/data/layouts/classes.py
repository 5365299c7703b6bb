"""One order of the classes and one type of the labels for gold, systems and annotators together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array
from bestby.data.columns import Column, column_of, column_of_texts
from bestby.data.layouts.soft import Soft
from bestby.data.table import listed
from bestby.data.values import Rule

GOLD = "the gold"


def one_kind(
    systems: Mapping[str, Column], gold: Column | None, soft: Soft
) -> tuple[dict[str, Column], Column | None, Array | None]:
    """Bring soft columns into one order of classes, all of one type; return the classes, None if unnamed."""
    names = _names([*systems.items(), *([] if gold is None else [(GOLD, gold)])], soft)
    columns = [*systems.values(), *([] if gold is None else [gold])]
    ordered = [_ordered(column, names) if column.is_soft else column for column in columns]
    hard = [_flat(column) for column in ordered if not column.is_soft]
    named = None if names is None else column_of_texts([*names])
    is_hard_gold = named is None and gold is not None and not gold.is_soft
    rule = Rule.of(_flat(ordered[-1]) if is_hard_gold else named)
    read = [rule.read(column, rule.keys_of(column)) for column in hard]
    classes = None if named is None else rule.read(named, rule.keys_of(named)).values
    rest = iter(read)
    done = [column if column.is_soft else _shaped(next(rest), column) for column in ordered]
    if classes is None:
        classes = _numbered(done)
    return dict(zip(systems, done, strict=False)), None if gold is None else done[-1], classes


def _names(columns: Sequence[tuple[str, Column]], soft: Soft) -> tuple[str, ...] | None:
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


def _ordered(column: Column, names: tuple[str, ...] | None) -> Column:
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
    return _flat(gold)


def _flat(column: Column) -> Column:
    """Return the labels of all annotators one after another."""
    return column_of(column.values.reshape(-1), "annotations", frozenset()) if column.is_annotated else column


def _shaped(column: Column, like: Column) -> Column:
    if not like.is_annotated:
        return column
    labels = np.empty(column.size, dtype=object)
    labels[:] = column.values.tolist()
    labels[column.missing] = None
    return Column(labels.reshape(like.values.shape), like.missing)


def _numbered(columns: Sequence[Column]) -> Array | None:
    """Return 0 to K - 1 where annotators gave such labels and the K classes of a system have no names."""
    size = next((column.values.shape[1] for column in columns if column.is_soft), 0)
    labels = {label for column in columns if column.is_annotated for label in column.values.reshape(-1)}
    return np.arange(size) if labels - {None} and labels - {None} <= {*range(size)} else None
