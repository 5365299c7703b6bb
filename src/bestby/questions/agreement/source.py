"""The data of a question of agreement: labels of annotators, in files, tables and arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from bestby._core import arrays, checks
from bestby._core.arrays import is_table, objects
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, IntArray
from bestby.data.alignment import one_grouping
from bestby.data.columns import column_of_texts, group_codes, identifiers
from bestby.data.layouts.assemble import agreed, annotator_names, labels_of_columns
from bestby.data.reading import Reading
from bestby.data.roles import ANNOTATOR_WORDS, GOLD_WORDS, VALUE_WORDS, listed
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
        return labelled_table(data, reading, items, clusters)
    if isinstance(data, str | PathLike):
        raise unreadable(data, NEEDED, "", "agreement(pandas.read_csv({}))")
    if is_table(data):
        return dataclasses.replace(
            labelled_table(table_of(data), reading, items, clusters), description="", backend=backend_of(data)
        )
    if not isinstance(data, Mapping) or not data:
        raise InvalidInputError(
            f"data must be {NEEDED}, got {quoted(data)}",
            hint='data={"ann": ["yes", "no", None], "ben": ["yes", "yes", "no"]}', argument="data",
        )  # fmt: skip
    checks.valid_names(data, "annotators")
    names = [name for name in data if name not in checks.valid_name_list(reading.ignore or [], "ignore")]
    columns = {name: _labels(data[name], f"the labels of {quoted(name)}") for name in names}
    sizes = {name: len(column) for name, column in columns.items()}
    if len({*sizes.values()}) > 1:
        (first, n), (other, m) = next(
            (one, two)
            for one, two in zip(sizes.items(), list(sizes.items())[1:], strict=False)
            if one[1] != two[1]
        )
        raise InvalidInputError(
            f"{quoted(first)} has {n} labels and {quoted(other)} {m}",
            hint="give every annotator a list with an entry per item, None where there is no label",
            argument="data",
        )
    if isinstance(clusters, str):
        raise InvalidInputError(
            "clusters names a column, and the labels come in no table",
            hint="give the cluster of each item: clusters=[...]", argument="clusters",
        )  # fmt: skip
    n = next(iter(sizes.values()))
    groups = None if clusters is None else identifiers(clusters, "clusters", n)
    return _checked(Labelled(tuple(names), np.stack(list(columns.values()), axis=1), groups))


def labelled_table(table: Table, reading: Reading, items: Any, clusters: Any) -> Labelled:
    """Return the labels of a table: with a column per annotator, or a row per item and annotator."""
    ignore = [] if reading.ignore is None else checks.valid_name_list(reading.ignore, "ignore")
    table = table.without(ignore)
    cluster = clusters if isinstance(clusters, str) else "cluster" if "cluster" in table.data else None
    if cluster is not None:
        table.require(cluster, "cluster")
    ids = [*checks.valid_name_list(items, "items")] if items is not None else []
    if len(ids) > 1:
        table, item = table.with_joined_ids(ids, [cluster])
    else:
        found = table.item_column(ids[0] if ids else None)
        item = "" if found is None else found
    named = annotator_names(reading.annotators)
    value = reading.value_column if isinstance(reading.value_column, str) else None
    who = named[0] if len(named) == 1 else None
    if not named:
        who = next((name for name in table.names if name.lower() in ANNOTATOR_WORDS), None)
    if who is None:
        if value is not None:
            raise InvalidInputError(
                f"value_column names {quoted(value)}, and no column says who labelled",
                hint="name that column: annotators=..., or leave out what names the labels",
                argument="value_column",
            )  # fmt: skip
        labelled = _wide(table, named, item, cluster)
    else:
        labelled = _long(table, table.require(who, "annotator"), item, value, cluster)
    if clusters is not None and not isinstance(clusters, str):
        if who is not None:
            raise InvalidInputError(
                "clusters is a list, and the table has a row per item and annotator",
                hint="put the clusters into a column, and name it", argument="clusters",
            )  # fmt: skip
        groups = identifiers(clusters, "clusters", table.n_rows)
        labelled = dataclasses.replace(labelled, clusters=groups)
    return _checked(labelled)


def _wide(table: Table, named: Sequence[str], item: str, cluster: str | None) -> Labelled:
    names = list(named) or [
        name for name in table.names if name not in (item, cluster) and name.lower() not in GROUP_WORDS
    ]
    if not names:
        raise InvalidInputError(
            f"{table.source} has no column of an annotator; its columns are: {listed(table.names)}",
            hint="name them: annotators=[...]",
        )
    read = labels_of_columns(table, names).values
    labels = _given(read.ravel()).reshape(read.shape)
    groups = None if cluster is None else np.array(table.texts(cluster, "cluster"))
    description = f"{table.source} was read as a column per annotator: {listed(names)}"
    return Labelled(tuple(names), labels, groups, description)


def _long(table: Table, who: str, item: str, value: str | None, cluster: str | None) -> Labelled:
    if not item:
        raise InvalidInputError(
            f"{table.source}: a row per item and annotator needs a column of item ids",
            hint=f"name it: items=...; its columns are: {listed(table.names)}",
        )
    others = [name for name in table.names if name not in (who, item, cluster)]
    words = [name for name in others if name.lower() in (*GOLD_WORDS, *VALUE_WORDS, "value", "rating")]
    candidates = words or others
    if value is None and len(candidates) != 1:
        raise InvalidInputError(
            f"{table.source}: which column holds the labels? its columns are: {listed(table.names)}",
            hint="name it: value_column=...; a single name after annotators is that of a column of names",
        )
    value = table.require(value or candidates[0], "value column")
    ids, by = table.texts(item, "item"), table.texts(who, "annotator")
    column = table.column(value)
    if column.values.ndim > 1:
        raise InvalidInputError(
            f"{table.source}: column {value!r} holds lists, expected one label", hint="give one label per row"
        )
    names, rows = list(dict.fromkeys(by)), {one: place for place, one in enumerate(dict.fromkeys(ids))}
    labels = np.full((len(rows), len(names)), None, dtype=object)
    places = {name: place for place, name in enumerate(names)}
    seen: dict[tuple[int, int], int] = {}
    for row, (one, annotator, label) in enumerate(
        zip(ids, by, _given(column.values, column.missing).tolist(), strict=True)
    ):
        at = rows[one], places[annotator]
        if at in seen:
            raise InvalidInputError(
                f"{table.source}: annotator {annotator!r} labelled item {one!r} twice, in rows"
                f" {seen[at] + 1} and {row + 1}",
                hint="keep one label per item and annotator",
            )
        seen[at] = row
        labels[at] = label
    groups = None
    if cluster is not None:
        of = agreed(table.source, "cluster", ids, column_of_texts(table.texts(cluster, "cluster")))
        groups = np.array([of[one] for one in rows])
    description = (
        f"{table.source} was read as a row per item and annotator; labels: {value};"
        f" annotators: {listed(names)}"
    )
    return Labelled(tuple(names), labels, groups, description)


def _labels(values: Any, what: str) -> Array:
    array = arrays.as_array(values, what)
    if array.ndim != 1:
        raise InvalidInputError(
            f"{what} must be one label per item, got an array of shape {array.shape}",
            hint="give a list of labels, None where there is none", argument="data",
        )  # fmt: skip
    return _given(array)


def _given(values: Array, missing: Array | None = None) -> Array:
    """Return labels as objects, None where there is none."""
    missing = np.zeros(values.size, dtype=np.bool_) if missing is None else missing
    return objects(
        [
            None if gone or checks.missing(value) or value == "" else value
            for value, gone in zip(values.tolist(), missing.tolist(), strict=True)
        ]
    )


def _checked(labelled: Labelled) -> Labelled:
    """Return the labels with the annotators in the order of their names; refuse fewer than two of them."""
    n = len(labelled.annotators)
    if n < 2:
        raise InvalidInputError(
            f"agreement needs two annotators or more, got {n}: {listed(labelled.annotators)}",
            hint="give a column per annotator, or name the column that says who labelled: annotators=...",
        )
    silent = [
        name
        for name, column in zip(labelled.annotators, labelled.labels.T, strict=True)
        if all(label is None for label in column)
    ]
    if silent:
        raise InvalidInputError(
            f"annotator {quoted(silent[0])} gave no label", hint="leave the column out: ignore=..."
        )
    order = sorted(range(n), key=lambda place: labelled.annotators[place])
    names = tuple(labelled.annotators[place] for place in order)
    return dataclasses.replace(labelled, annotators=names, labels=labelled.labels[:, order])


def as_codes(labels: Array, scale: str, classes: Any = None) -> tuple[IntArray, list[Any]]:
    """Return codes of labels, shape (n, A), -1 where there is none, and the labels in their order.

    >>> as_codes(np.array([["yes", "no"], [None, "no"]], dtype=object), "nominal")[0]
    array([[ 1,  0],
           [-1,  0]])
    """
    flat = labels.ravel().tolist()
    given = [label for label in flat if label is not None]
    if scale == "nominal" or (classes is not None and not isinstance(classes, str)):
        return _by_name(labels, flat, given, None if classes is None else list(classes))
    try:
        numbers = [float(label) for label in given]
    except (TypeError, ValueError):
        odd = next(label for label in given if not _is_number(label))
        raise InvalidInputError(
            f"scale={scale!r} needs numbers as labels, got {quoted(odd)}",
            hint="name all labels in their order as classes, such as low, mid and high"
            if scale == "ordinal"
            else "scale='nominal' takes any labels",
            argument="scale",
        ) from None
    if not np.isfinite(numbers).all():
        raise InvalidInputError("labels must be finite numbers", hint="leave such labels out: None")
    if scale == "ratio" and min(numbers, default=0.0) < 0.0:
        raise InvalidInputError(
            f"scale='ratio' needs labels of at least 0, got {min(numbers):g}",
            hint="scale='interval' takes negative numbers", argument="scale",
        )  # fmt: skip
    values = sorted(set(numbers))
    place = {value: code for code, value in enumerate(values)}
    codes = [-1 if label is None else place[float(label)] for label in flat]
    return np.array(codes, dtype=np.int64).reshape(labels.shape), values


def _by_name(
    labels: Array, flat: list[Any], given: list[Any], classes: list[Any] | None
) -> tuple[IntArray, list[Any]]:
    texts = {_text(label): label for label in given}
    if classes is None:
        order = sorted(
            texts, key=lambda text: (not _is_number(text), float(text) if _is_number(text) else 0.0, text)
        )
    else:
        order = [_text(one) for one in classes]
        odd = next((text for text in texts if text not in order), None)
        if odd is not None or len(set(order)) < len(order):
            wrong = (
                "classes has one twice" if odd is None else f"label {quoted(odd)} is not among the classes"
            )
            raise InvalidInputError(
                wrong,
                hint=f"classes: {listed(order)}", argument="reading.classes",
            )  # fmt: skip
    place = {text: code for code, text in enumerate(order)}
    codes = [-1 if label is None else place[_text(label)] for label in flat]
    return np.array(codes, dtype=np.int64).reshape(labels.shape), order


def _text(label: Any) -> str:
    """Return a label as text, whole numbers without decimals.

    >>> _text(1.0), _text(True), _text("a")
    ('1', 'True', 'a')
    """
    if isinstance(label, float | np.floating) and float(label).is_integer():
        return str(int(label))
    return str(label)


def _is_number(label: Any) -> bool:
    try:
        float(label)
    except (TypeError, ValueError):
        return False
    return True


def group_numbers(clusters: Array | None) -> IntArray | None:
    """Return clusters as whole numbers from 0."""
    return None if clusters is None else group_codes(clusters)[1].astype(np.int64)
