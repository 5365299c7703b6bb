"""The data of a question of agreement: labels of annotators, in files, tables and arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.arrays import is_table
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, IntArray
from bestby.data.alignment import one_grouping
from bestby.data.columns import column_of_texts, identifiers
from bestby.data.layouts.assemble import (
    agreed,
    annotator_names,
    label_column,
    labels_of_columns,
    rows_of_annotators,
)
from bestby.data.layouts.soft import is_number
from bestby.data.reading import Reading
from bestby.data.roles import ANNOTATOR_WORDS, GOLD_WORDS, TableOptions, listed
from bestby.data.table import Table, backend_of, table_of, unreadable

GROUP_WORDS = ("cluster", "stratum", *GOLD_WORDS)
"""Names of columns of a wide table that are no annotators."""

NEEDED = "a mapping of annotator to labels, a data frame or a list of records"


@dataclass(frozen=True, eq=False)
class Labelled:
    """Labels of n items by A annotators, as objects of shape (n, A), None where one gave no label."""

    annotators: tuple[str, ...]
    labels: Array
    clusters: Array | None
    description: str = ""
    backend: str | None = None


def labels_of(data: Any, reading: Reading, items: Any, clusters: Any) -> Labelled:
    """Return the labels of what a user passes: arrays by annotator, or a table."""
    clusters = one_grouping(clusters, "agreement")
    if isinstance(data, Table):
        return _of_table(data, reading, items, clusters)
    by_annotator = isinstance(data, Mapping) and not is_table(data)
    if not is_table(data) and not (by_annotator and data):
        raise unreadable(data, NEEDED, 'data={"ann": ["yes", "no", None]}', "agreement(pandas.read_csv({}))")
    table = table_of(data)
    if by_annotator:  # every other name is that of an annotator, also "item" or "rater"
        table, _ = table.prepared(TableOptions.of(reading=reading))
        cluster = table.require(clusters, "cluster") if isinstance(clusters, str) else None
        named = [name for name in table.names if name != cluster]
        return _checked(dataclasses.replace(_wide(table, named, None, cluster), description=""), clusters)
    return dataclasses.replace(
        _of_table(table, reading, items, clusters), description="", backend=backend_of(data)
    )


def _of_table(table: Table, reading: Reading, items: Any, clusters: Any) -> Labelled:
    """Return the labels of a table: with a column per annotator, or a row per item and annotator."""
    options = TableOptions.of(None, items, clusters if isinstance(clusters, str) else None, reading=reading)
    table, options = table.prepared(options)
    item, cluster = table.item_column(options.roles.item), options.roles.cluster
    cluster = cluster or ("cluster" if "cluster" in table.data else None)
    if cluster is not None:
        table.require(cluster, "cluster")
    named, value = annotator_names(reading.annotators), options.value_column
    who = named[0] if len(named) == 1 else None
    if not named:
        who = next((name for name in table.names if name.lower() in ANNOTATOR_WORDS), None)
    if who is not None and clusters is not None and not isinstance(clusters, str):
        raise InvalidInputError(
            "clusters is a list, and the table has a row per item and annotator",
            hint="put the clusters into a column, and name it", argument="clusters",
        )  # fmt: skip
    if who is not None:
        return _checked(_long(table, who, item, value, cluster), None)
    if value is not None:
        raise InvalidInputError(
            f"value_column names {quoted(value)}, and no column says who labelled",
            hint="name that column: annotators=..., or leave out what names the labels",
            argument="value_column",
        )  # fmt: skip
    return _checked(_wide(table, named, item, cluster), clusters)


def _wide(table: Table, named: Sequence[str], item: str | None, cluster: str | None) -> Labelled:
    names = list(named) or [
        name for name in table.names if name not in (item, cluster) and name.lower() not in GROUP_WORDS
    ]
    if not names:
        raise InvalidInputError(
            f"{table.source} has no column of an annotator; its columns are: {listed(table.names)}",
            hint="name them: annotators=[...]",
        )
    labels = labels_of_columns(table, names).values
    groups = None if cluster is None else np.array(table.texts(cluster, "cluster"))
    description = f"{table.source} was read as a column per annotator: {listed(names)}"
    return Labelled(tuple(names), labels, groups, description)


def _long(table: Table, who: str, item: str | None, value: str | None, cluster: str | None) -> Labelled:
    value = value or label_column(
        table,
        {who, item, cluster},
        "name it: value_column=...; a single name after annotators is that of a column of names",
    )
    column, rows = rows_of_annotators(table, who, item, value)
    names = list(dict.fromkeys(name for of_item in rows.values() for name in of_item))
    values = [None if gone else one for one, gone in zip(column.values.tolist(), column.missing, strict=True)]
    labels = np.full((len(rows), len(names)), None, dtype=object)
    for place, of_item in enumerate(rows.values()):
        labels[place] = [values[of_item[name]] if name in of_item else None for name in names]
    groups = None
    if cluster is not None:
        ids, texts = table.texts(str(item), "item"), column_of_texts(table.texts(cluster, "cluster"))
        groups = np.array([*agreed(table.source, "cluster", ids, texts).values()])
    description = (
        f"{table.source} was read as a row per item and annotator; labels: {value};"
        f" annotators: {listed(names)}"
    )
    return Labelled(tuple(names), labels, groups, description)


def _checked(labelled: Labelled, clusters: Any) -> Labelled:
    """Return the labels with the annotators in the order of their names, and clusters that came as a list."""
    n, labels = len(labelled.annotators), labelled.labels
    if n < 2:
        raise InvalidInputError(
            f"agreement needs two annotators or more, got {n}: {listed(labelled.annotators)}",
            hint="give a column per annotator, or name the column that says who labelled: annotators=...",
        )
    labels[np.vectorize(lambda label: checks.missing(label) or label == "", otypes=[np.bool_])(labels)] = None
    columns = zip(labelled.annotators, labels.T.tolist(), strict=True)
    silent = [name for name, column in columns if {*map(type, column)} <= {type(None)}]
    if silent:
        raise InvalidInputError(
            f"annotator {quoted(silent[0])} gave no label", hint="leave the column out: ignore=..."
        )
    order = sorted(range(n), key=lambda place: labelled.annotators[place])
    names = tuple(labelled.annotators[place] for place in order)
    groups = labelled.clusters
    if clusters is not None and not isinstance(clusters, str):
        groups = identifiers(clusters, "clusters", len(labels))
    return dataclasses.replace(labelled, annotators=names, labels=labels[:, order], clusters=groups)


def as_codes(labels: Array, scale: str, classes: Any = None) -> tuple[IntArray, list[Any]]:
    """Return codes of labels, shape (n, A), -1 where there is none, and the labels in their order.

    >>> as_codes(np.array([["yes", "no"], [None, "no"]], dtype=object), "nominal")[0]
    array([[ 1,  0],
           [-1,  0]])
    """
    if scale == "nominal" or (classes is not None and not isinstance(classes, str)):
        return _by_name(labels, None if classes is None else list(classes))
    flat = labels.ravel().tolist()
    numbers = [None if label is None else _number(label) for label in flat]
    odd = next(
        (label for label, x in zip(flat, numbers, strict=True) if label is not None and x is None), None
    )
    if odd is not None:
        raise InvalidInputError(
            f"scale={scale!r} needs numbers as labels, got {quoted(odd)}",
            hint="name all labels in their order as classes, such as low, mid and high"
            if scale == "ordinal"
            else "scale='nominal' takes any labels",
            argument="scale",
        )
    values = sorted({number for number in numbers if number is not None})
    if not np.isfinite(values).all():
        raise InvalidInputError("labels must be finite numbers", hint="leave such labels out: None")
    if scale == "ratio" and values[0] < 0.0:
        raise InvalidInputError(
            f"scale='ratio' needs labels of at least 0, got {values[0]:g}",
            hint="scale='interval' takes negative numbers", argument="scale",
        )  # fmt: skip
    return _codes(labels, numbers, values), values


def _by_name(labels: Array, classes: list[Any] | None) -> tuple[IntArray, list[Any]]:
    """Return codes of labels as texts, numbers first and in their order, or in the order of the classes."""
    texts = [None if label is None else _text(label) for label in labels.ravel().tolist()]

    def rank(text: str) -> tuple[bool, float, str]:
        return not is_number(text), float(text) if is_number(text) else 0.0, text

    order = sorted({text for text in texts if text is not None}, key=rank)
    if classes is not None:
        order = [_text(one) for one in classes]
        odd = next((text for text in texts if text is not None and text not in order), None)
        if odd is not None or len({*order}) < len(order):
            raise InvalidInputError(
                "classes has one twice" if odd is None else f"label {quoted(odd)} is not among the classes",
                hint=f"classes: {listed(order)}", argument="reading.classes",
            )  # fmt: skip
    return _codes(labels, texts, order), order


def _codes(labels: Array, values: Sequence[Any], order: Sequence[Any]) -> IntArray:
    """Return the places of values in an order, -1 for None, in the shape of the labels."""
    place = {value: code for code, value in enumerate(order)} | {None: -1}
    return np.array([place[value] for value in values], dtype=np.int64).reshape(labels.shape)


def _text(label: Any) -> str:
    """Return a label as text, whole numbers without decimals.

    >>> _text(1.0), _text(True), _text("a")
    ('1', 'True', 'a')
    """
    if isinstance(label, float | np.floating) and float(label).is_integer():
        return str(int(label))
    return str(label)


def _number(label: Any) -> float | None:
    try:
        return float(label)
    except (TypeError, ValueError):
        return None
