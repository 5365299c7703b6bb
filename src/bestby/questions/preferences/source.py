"""From what the user has to judgements of pairs of systems."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from bestby._core import arrays, checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import counted, normal_form, quoted
from bestby._core.typing import Array, FloatArray
from bestby.data.frames import is_table, table_of, unreadable
from bestby.data.groupings import one_grouping
from bestby.questions.preferences.judgements import Judgements
from bestby.questions.preferences.layout import (
    TIES,
    Preferences,
    among,
    in_one_spelling,
    preferences_of,
    rows_among,
)
from bestby.results.base import Note

_POSITIONS = {"a": 1.0, "b": 0.0}
_HINT = 'each judgement is (a, b, winner) or (item, a, b, winner), the winner a, b or "tie"'


@dataclass(frozen=True, eq=False)
class Data:
    """Judgements and the names of the systems."""

    names: tuple[str, ...]
    judged: Judgements
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Columns:
    """The names of the columns of a frame; which systems' judgements are used."""

    a: str = "a"
    b: str = "b"
    winner: str = "winner"
    items: str | None = None
    systems: str | Sequence[str] | None = None
    ignore: str | Sequence[str] | None = None


def data_of(data: Any, clusters: Any, columns: Columns) -> Data:
    """Return checked judgements; if nothing else was given, the items are the clusters.

    >>> data = data_of([("q1", "x", "y", "y"), ("q2", "y", "x", "tie")], None, Columns())
    >>> data.names, data.judged.values, data.judged.clusters
    (('x', 'y'), array([0. , 0.5]), array([0, 1]))
    """
    clusters = one_grouping(clusters, "a comparison of judgements")
    notes: tuple[Note, ...] = ()
    if isinstance(data, Preferences):
        judged, named = _selected(data, clusters, columns)
        a, b, winner, items = judged.first, judged.second, judged.winners(), judged.items
        notes = (Note("read_as", judged.description), *judged.notes)
    elif isinstance(data, Mapping) or is_table(data):
        judged, named = _from_table(data, clusters, columns)
        a, b, winner, items = judged.first, judged.second, judged.winners(), judged.items
        notes = (Note("read_as", judged.description),)
    elif isinstance(data, str | PathLike):
        raise unreadable(data, "judgements", "", "compare_preferences(bestby.read_preferences({}))")
    else:
        a, b, winner, items, named = _read(data, clusters, columns)
    arrays.check_labels({"a": a, "b": b, "winner": winner, "items": items, "clusters": named})
    first, second, won = in_one_spelling(_texts(a, "a"), _texts(b, "b"), _texts(winner, "winner"))
    if not len(first) == len(second) == len(won):
        raise InvalidInputError(
            f"there are {len(first)} values of a, {len(second)} of b and {len(won)} of winner",
            hint="every judgement has one of each",
        )
    if not first:
        raise InvalidInputError("there are no judgements", hint=_HINT)
    for place, (x, y) in enumerate(zip(first, second, strict=True)):
        if x == y:
            raise InvalidInputError(f"judgement {place} is of {quoted(x)} against itself", hint=_HINT)
    names = tuple(sorted({*first, *second}))
    code = {name: position for position, name in enumerate(names)}
    values = _values(won, first, second)
    group = named if named is not None else items
    return Data(
        names,
        Judgements(
            len(names),
            np.array([code[x] for x in first]),
            np.array([code[y] for y in second]),
            values,
            None if group is None else _codes(group, len(first)),
        ),
        notes,
    )


def _read(data: Any, clusters: Any, columns: Columns) -> tuple[Any, Any, Any, Any, Any]:
    """Return a, b, winner, items and clusters as columns."""
    if isinstance(clusters, str):
        raise InvalidInputError(
            f"clusters={quoted(clusters)} names a column, but the judgements are not a data frame",
            hint="pass one cluster per judgement",
        )
    checks.refuse_unused(
        "tuples, which have no named columns",
        a=(columns.a, "a"),
        b=(columns.b, "b"),
        winner=(columns.winner, "winner"),
        items=(columns.items, None),
    )
    rows = _rows(data)
    if rows and (columns.systems is not None or columns.ignore is not None):
        pairs = list(
            zip(
                *in_one_spelling(*(_texts([row[place] for row in rows], "system") for place in (-3, -2))),
                strict=True,
            )
        )
        _, chosen = rows_among(pairs, columns.systems, columns.ignore)
        clusters = _in_rows(clusters, chosen, len(rows))
        rows = [rows[row] for row in chosen]
    fields = list(zip(*rows, strict=True)) if rows else [(), (), ()]
    return *fields[-3:], (fields[0] if len(fields) == 4 else None), clusters


def _from_table(data: Any, clusters: Any, columns: Columns) -> tuple[Preferences, Any]:
    """Return the judgements of a frame, of records or of a mapping of columns, and the clusters."""
    labelled = data if isinstance(data, Mapping) else {}
    if hasattr(data, "iloc") and data.shape[1]:  # the index may contradict that of the clusters
        labelled = {"the judgements": data.iloc[:, 0]}
    arrays.check_labels({**labelled, "clusters": None if isinstance(clusters, str) else clusters})
    named = {
        # The default is a column of that name, or one that is called in another usual way.
        role: None if checks.valid_name(name, role) == role else name
        for role, name in (("a", columns.a), ("b", columns.b), ("winner", columns.winner))
    }
    cluster = clusters if isinstance(clusters, str) else None
    judged = preferences_of(table_of(data), {**named, "item": columns.items, "cluster": cluster})
    return _selected(judged, None if cluster is not None else clusters, columns)


def _selected(judged: Preferences, clusters: Any, columns: Columns) -> tuple[Preferences, Any]:
    """Return the judgements of the chosen systems, and their clusters, which may lie beside them."""
    chosen = among(judged, columns.systems, columns.ignore)
    if clusters is None or chosen is judged:
        return chosen, chosen.clusters if clusters is None else clusters
    pairs = list(zip(judged.first, judged.second, strict=True))
    _, rows = rows_among(pairs, columns.systems, columns.ignore)
    return chosen, _in_rows(clusters, rows, len(pairs))


def _in_rows(clusters: Any, rows: Sequence[int], n: int) -> list[Any] | None:
    """Return the clusters of some of the `n` judgements."""
    if clusters is None:
        return None
    listed = _one_per_judgement(clusters, n)
    return [listed[row] for row in rows]


def _rows(data: Any) -> list[Sequence[Any]]:
    rows = arrays.listed(data, "the judgements")
    for place, row in enumerate(rows):
        listed = isinstance(row, Sequence) or (isinstance(row, np.ndarray) and row.ndim == 1)
        fits = listed and not isinstance(row, str) and len(row) in (3, 4)
        if not fits or len(row) != len(rows[0]):
            raise InvalidInputError(f"judgement {place} is {quoted(row)}", hint=_HINT)
    return rows


def _texts(values: Any, what: str) -> list[str]:
    listed = arrays.listed(values, what)
    for place, value in enumerate(listed):
        if checks.missing(value) or (isinstance(value, str) and value == ""):
            raise InvalidInputError(f"judgement {place} has no {what}", hint=_HINT)
        is_text = isinstance(value, str | bytes)
        if getattr(value, "shape", None) or (isinstance(value, Collection) and not is_text):
            raise InvalidInputError(
                f"the {what} of judgement {place} must be a name, got {quoted(value)}", hint=_HINT
            )
        checks.check_text(checks.name_text(value, what), f"{what} of judgement {place}")
    return [str(value) for value in listed]


def _values(winner: Sequence[str], first: Sequence[str], second: Sequence[str]) -> FloatArray:
    """Return 1, 0.5 or 0 per judgement; a name of one of the two goes before the positions "a" and "b"."""
    values = np.empty(len(first))
    for place, (won, a, b) in enumerate(zip(winner, first, second, strict=True)):
        value = {**_POSITIONS, TIES[0]: 0.5, b: 0.0, a: 1.0}.get(won)
        if value is None:
            raise InvalidInputError(
                f"the winner of judgement {place} must be {quoted(a)}, {quoted(b)} or 'tie',"
                f" got {quoted(won)}",
                hint=_HINT,
            )
        values[place] = value
    return values


def _one_per_judgement(clusters: Any, n: int) -> list[Any]:
    listed = arrays.listed(clusters, "clusters")
    if len(listed) != n:
        raise InvalidInputError(
            f"clusters has {counted(len(listed), 'value')}, expected {n}", hint="pass one per judgement"
        )
    return listed


def _codes(groups: Any, n: int) -> Array:
    labels = [*map(normal_form, _texts(_one_per_judgement(groups, n), "cluster or item"))]
    code: Array = np.unique(np.array(labels, dtype=np.str_), return_inverse=True)[1].reshape(-1)
    if code.max() == 0:
        raise InvalidInputError(
            "all judgements are in one cluster: nothing can be said about the uncertainty",
            hint="clusters are groups such as prompts; at least 2 are needed",
        )
    return code
