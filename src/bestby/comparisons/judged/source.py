"""From what the user has to scores of judges and humans, item by item."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from bestby._core import arrays, checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.data.arrays import identifiers
from bestby.data.frames import is_table, table_of, unreadable
from bestby.data.table import Table

_WIDE = re.compile(r"(judge|human)\[(.+)\]$")
_NEEDED = "the judge's scores: a mapping of system to scores, or a data frame"
_FORMS = (
    'a frame has the columns "item", "system", "judge" and "human" (a row per item and system), or'
    ' "judge[a]", "human[a]", "judge[b]", ... (a row per item)'
)


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of N items and S systems: of J judges, shape (N, S, J), and of humans, shape (N, S)."""

    names: tuple[str, ...]
    judge: FloatArray
    human: FloatArray
    ids: tuple[Any, ...] | None
    table: Table | None

    def side(self, value: Any, what: str) -> Any:
        """Return something of every item, which may be a column or have the ids of the items."""
        if isinstance(value, str):
            if self.table is None or value not in self.table.names:
                known = "" if self.table is None else f"; its columns: {', '.join(self.table.names)}"
                raise InvalidInputError(
                    f"{what}={quoted(value)} names no column of the data{known}",
                    hint="give one value per item, or name a column",
                    argument=what,
                )
            return self._by_item(value, what)
        if isinstance(value, Mapping):
            if self.ids is None:
                raise InvalidInputError(
                    f"{what} has item ids, but the judge's scores have none",
                    hint="give one value per item, in the order of the scores",
                    argument=what,
                )
            absent = [key for key in self.ids if key not in value]
            if absent:
                raise InvalidInputError(
                    f"{what} lacks {len(absent)} items, first: {quoted(absent[0])}",
                    hint="give it for every item",
                    argument=what,
                )
            return [value[key] for key in self.ids]
        return value

    def _by_item(self, column: str, what: str) -> list[Any]:
        """Return a column of a frame, one value per item."""
        assert self.table is not None
        values = self.table.column(column)
        if values.missing.any():
            raise InvalidInputError(
                f"column {quoted(column)} lacks values", hint="fill them in", argument=what
            )
        if "system" not in self.table.names:
            return list(values.values)
        found: dict[Any, Any] = {}
        for item, value in zip(self.table.texts("item", "item"), values.values.tolist(), strict=True):
            if found.setdefault(item, value) != value:
                raise InvalidInputError(
                    f"item {quoted(item)} has several values in column {quoted(column)}",
                    hint="an item has one value, whichever the system", argument=what,
                )  # fmt: skip
        return [found[item] for item in self.ids or ()]


def scores_of(judge: Any, human: Any, systems: Any, ignore: Any) -> Scores:
    """Return the scores of judges and humans, brought to the same items."""
    if isinstance(judge, str | PathLike):
        raise unreadable(judge, _NEEDED, "compare_judged(frame)")
    if is_table(judge):
        if human is not None:
            raise InvalidInputError(
                "the human scores are a column of the data frame", hint=_FORMS, argument="human"
            )
        table = table_of(judge)
        by_judge, by_human, ids = _from_table(table)
        return _joined(by_judge, by_human, ids, systems, ignore, table)
    if not isinstance(judge, Mapping) or not judge:
        raise InvalidInputError(
            f"judge must be {_NEEDED}, got {quoted(judge)}", hint='judge={"a": [...], "b": [...]}',
            argument="judge",
        )  # fmt: skip
    if not isinstance(human, Mapping):
        raise InvalidInputError(
            f"human must be a mapping of system to human scores, got {quoted(human)}",
            hint='human={"a": [4, None, None, 2, ...], ...} with None for an item without a label',
            argument="human",
        )
    checks.valid_names(judge, "systems")
    other = next((name for name in human if name not in judge), None)
    if other is not None:
        raise InvalidInputError(
            f"human has system {quoted(other)}, which the judge did not score",
            hint=f"systems of the judge: {', '.join(map(str, judge))}", argument="human",
        )  # fmt: skip
    by_id = [name for name, values in judge.items() if isinstance(values, Mapping)]
    if by_id and len(by_id) < len(judge):
        raise InvalidInputError(
            f"system {quoted(by_id[0])} has item ids, and another has none",
            hint="give every system as a mapping of id to score, or none", argument="judge",
        )  # fmt: skip
    if by_id:
        return _by_ids(judge, human, systems, ignore)
    return _joined(dict(judge), dict(human), None, systems, ignore, None)


def _by_ids(judge: Mapping[str, Any], human: Mapping[str, Any], systems: Any, ignore: Any) -> Scores:
    """Return the scores of mappings of id to score."""
    ids = list(next(iter(judge.values())))
    places = {key: place for place, key in enumerate(ids)}
    columns: dict[str, Any] = {}
    for name, values in judge.items():
        wrong = next((key for key in values if key not in places), None)
        if wrong is not None or len(values) < len(ids):
            absent = wrong if wrong is not None else next(key for key in ids if key not in values)
            raise InvalidInputError(
                f"the judge scored item {quoted(absent)} of one system and not of another,"
                f" such as {quoted(name)}",
                hint="give the judge's score of every item and system", argument="judge",
            )  # fmt: skip
        columns[name] = [values[key] for key in ids]
    labels: dict[str, Any] = {}
    for name, values in human.items():
        if not isinstance(values, Mapping):
            labels[name] = values
            continue
        unknown = next((key for key in values if key not in places), None)
        if unknown is not None:
            raise _unjudged(name, unknown)
        labels[name] = [values.get(key) for key in ids]
    return _joined(columns, labels, tuple(ids), systems, ignore, None)


def _unjudged(system: str, item: Any) -> InvalidInputError:
    return InvalidInputError(
        f"item {quoted(item)} of system {quoted(system)} has a human label, and the judge did not score it",
        hint="let the judge score every item, the labelled ones too, or leave the label out",
    )


def _from_table(table: Table) -> tuple[dict[str, Any], dict[str, Any], tuple[Any, ...] | None]:
    """Return the scores of the judge and of humans by system, and the ids, of a wide or long table."""
    wide = {name: match for name in table.names if (match := _WIDE.match(name))}
    if wide:
        sides: dict[str, dict[str, Any]] = {"judge": {}, "human": {}}
        for name, match in wide.items():
            sides[match[1]][match[2]] = _numbers(table.column(name), f"column {quoted(name)}")
        ids = tuple(table.texts("item", "item")) if "item" in table.names else None
        unknown = next((name for name in sides["human"] if name not in sides["judge"]), None)
        if unknown is not None:
            raise InvalidInputError(f"there is human[{unknown}] and no judge[{unknown}]", hint=_FORMS)
        return sides["judge"], sides["human"], ids
    absent = [name for name in ("item", "system", "judge", "human") if name not in table.names]
    if absent:
        raise InvalidInputError(
            f"{table.source} has no column {quoted(absent[0])}; its columns: {', '.join(table.names)}",
            hint=_FORMS,
        )
    items, names = table.texts("item", "item"), table.texts("system", "system")
    places = {item: place for place, item in enumerate(dict.fromkeys(items))}
    order = list(dict.fromkeys(names))
    filled = {role: {name: np.full(len(places), np.nan) for name in order} for role in ("judge", "human")}
    values = {role: _numbers(table.column(role), f"column {quoted(role)}") for role in filled}
    seen: set[tuple[str, str]] = set()
    for row, key in enumerate(zip(items, names, strict=True)):
        if key in seen:
            raise InvalidInputError(
                f"item {quoted(key[0])} of system {quoted(key[1])} has several rows",
                hint="give one row per item and system; average several humans, or several runs of the judge",
            )
        seen.add(key)
        for role, by_system in filled.items():
            by_system[key[1]][places[key[0]]] = values[role][row]
    return filled["judge"], filled["human"], tuple(places)


def _numbers(column: Any, what: str) -> FloatArray:
    """Return a column of a table as numbers, NaN where nothing is."""
    array = np.full(len(column.missing), np.nan)
    array[~column.missing] = numbers(column.values[~column.missing], what)
    return array


def numbers(values: Any, what: str) -> FloatArray:
    """Return numbers, NaN where there is none; of shape (n,) or (n, k)."""
    array = arrays.as_array(values, what)
    if array.dtype.kind == "O":
        flat = [np.nan if checks.missing(value) else value for value in array.ravel().tolist()]
        array = np.array(flat).reshape(array.shape)
    if array.dtype.kind not in "fiub":
        raise InvalidInputError(
            f"{what} must be numbers, got {quoted(array.ravel()[0] if array.size else values)}",
            hint="code labels as numbers, such as right 1 and wrong 0",
        )
    numbers = array.astype(np.float64)
    if np.isinf(numbers).any():
        raise InvalidInputError(f"{what} must be finite", hint="leave out a label that is not known")
    return numbers


def _joined(
    judge: dict[str, Any], human: dict[str, Any], ids: Any, systems: Any, ignore: Any, table: Table | None
) -> Scores:
    """Return the scores of the chosen systems as arrays of one shape."""
    names = _chosen(list(judge), systems, ignore)
    judged, labels = [], []
    for name in names:
        column = numbers(judge[name], f"the judge's scores of {quoted(name)}")
        judged.append(column[:, None] if column.ndim == 1 else column)
        label = human.get(name)
        found = np.full(len(column), np.nan) if label is None else numbers(
            label, f"the human scores of {quoted(name)}"
        )  # fmt: skip
        if found.ndim == 2:  # several humans
            there = ~np.isnan(found)
            sums = np.where(there, found, 0.0).sum(axis=1)
            found = np.where(there.any(axis=1), sums / np.maximum(there.sum(axis=1), 1), np.nan)
        labels.append(found)
    shapes = {column.shape for column in judged}
    lengths = {len(column) for column in (*judged, *labels)}
    if len(shapes) > 1 or len(lengths) > 1:
        raise InvalidInputError(
            f"the scores have different lengths: {', '.join(str(one) for one in sorted(lengths))} items",
            hint="give one score of the judge per item for every system, and None where there is no label",
        )
    scores = Scores(tuple(names), np.stack(judged, axis=1), np.stack(labels, axis=1), ids, table)
    _check_judged(scores)
    return scores


def _chosen(names: Sequence[str], systems: Any, ignore: Any) -> list[str]:
    asked = names if systems is None else checks.valid_name_list(systems, "systems")
    left = () if ignore is None else checks.valid_name_list(ignore, "ignore")
    for name in (*asked, *left):
        if name not in names:
            raise InvalidInputError(
                f"there is no system {quoted(name)}", hint=f"systems: {', '.join(map(str, names))}"
            )
    return [name for name in asked if name not in left]


def _check_judged(scores: Scores) -> None:
    """Refuse items that a judge did not score, and a judge that always says the same."""
    if len(scores.judge) == 0:
        raise InvalidInputError("there are no items", hint="give the judge's score of every item")
    gaps = np.isnan(scores.judge).any(axis=2)
    if gaps.any():
        labelled = gaps & ~np.isnan(scores.human)
        item, system = (int(x) for x in np.argwhere(labelled if labelled.any() else gaps)[0])
        which = item if scores.ids is None else scores.ids[item]
        if not np.isnan(scores.human[item, system]):
            raise _unjudged(scores.names[system], which)
        raise InvalidInputError(
            f"the judge did not score item {quoted(which)} of system {quoted(scores.names[system])}",
            hint="let the judge score every item of every system, or leave the item out for all",
        )
    constant = np.ptp(scores.judge, axis=0) == 0.0
    if constant.all(axis=0).any():
        judge = int(np.flatnonzero(constant.all(axis=0))[0])
        which = "the judge" if scores.judge.shape[2] == 1 else f"judge {judge + 1}"
        raise DesignError(
            f"{which} always says the same, so its scores tell nothing of the items",
            hint="compare the human labels alone, with compare",
        )


def codes(values: Any, what: str, n: int) -> IntArray:
    """Return groups as codes from 0."""
    found: Array = np.unique(identifiers(values, what, n), return_inverse=True)[1].reshape(-1)
    return found
