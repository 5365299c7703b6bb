"""Tables of a judge's scores of all items and the human scores of a few: long or wide."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.arrays import objects
from bestby._core.errors import InvalidInputError
from bestby._core.text import counted, quoted, visible
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.data.alignment import common_spelling
from bestby.data.columns import Column
from bestby.data.roles import listed
from bestby.data.table import SYSTEM_WORDS, Table
from bestby.data.values import as_scores, number_of

JUDGE, HUMAN = "judge", "human"
"""What columns of scores are called: alone, with a name (judge_gpt), and with a system (judge[a])."""

JUDGE_NAME = "judge_name"
"""The column that says which judge a row is of, where several share a column."""

_WIDE = re.compile(r"(.+)\[(.+)\]")

FORMS = (
    'a table has the columns "item", "system", "judge" and "human" (a row per item and system), or'
    ' "judge[a]", "human[a]", "judge[b]", ... (a row per item)'
)


@dataclass(frozen=True, eq=False)
class Judged:
    """What tables of scores and tables of labels have in common; `JudgedItems` says what it is."""

    names: tuple[str, ...]
    judges: tuple[str, ...]
    ids: tuple[Any, ...] | None = field(default=None, kw_only=True)
    columns: Mapping[str, Array] = field(default_factory=dict, kw_only=True)
    clusters: str | None = field(default=None, kw_only=True)
    strata: str | None = field(default=None, kw_only=True)
    description: str = field(default="", kw_only=True)

    def __repr__(self) -> str:
        systems, judges = (
            counted(len(one), what) for one, what in ((self.names, "system"), (self.judges, "judge"))
        )
        return f"<{systems} scored by {judges} and humans: {visible(listed(self.names))}>"


@dataclass(frozen=True, eq=False, repr=False)
class JudgedItems(Judged):
    """Scores of N items and S systems by J judges and by humans.

    Parameters
    ----------
    names, judges : tuple of str
        The systems and the judges.
    judge : ndarray, shape (N, S, J)
        The judges' scores; NaN where there is none.
    human : ndarray, shape (N, S)
        The human scores, of several humans their mean; NaN where there is none.
    n_humans : ndarray of int, shape (N, S)
        How many humans gave it.
    human_variance : ndarray, shape (N, S)
        The variance of their scores, with divisor n - 1; NaN for less than two.
    ids : tuple or None
        The ids of the items.
    columns : dict
        Other columns: a value per item, shape (N,), or per item and system, shape (N, S); None where there is
        no value.
    clusters, strata : str or None
        Those of `columns` that are called "cluster" and "stratum".
    description : str
        What was taken for what.
    """

    judge: FloatArray
    human: FloatArray
    n_humans: IntArray
    human_variance: FloatArray


@dataclass(frozen=True)
class JudgedColumns:
    """The columns that the user named; of `judge` and `human` one or several.

    Where `labelled` is false a table may have no human scores.
    """

    judge: tuple[str, ...] = ()
    human: tuple[str, ...] = ()
    items: str | None = None
    system: str | None = None
    labelled: bool = True


def judged_of(table: Table, named: JudgedColumns | None = None) -> JudgedItems:
    """Return the scores of a table."""
    named = named or JudgedColumns()
    parts = {} if named.judge or named.human or named.system else wide_parts(table)
    return _wide(table, parts, named) if any(role == JUDGE for role, _, _ in parts) else _long(table, named)


def joined_humans(scores: FloatArray) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return mean, number and variance of the human scores of each item, from shape (..., H), NaN for none.

    >>> joined_humans(np.array([[1.0, 3.0], [2.0, np.nan], [np.nan, np.nan]]))
    (array([ 2.,  2., nan]), array([2, 1, 0]), array([ 2., nan, nan]))
    """
    there = ~np.isnan(scores)
    n = there.sum(axis=-1)
    mean = np.where(there, scores, 0.0).sum(axis=-1) / np.maximum(n, 1)
    squares = (np.where(there, scores - mean[..., None], 0.0) ** 2).sum(axis=-1)
    variance = np.where(n > 1, squares / np.maximum(n - 1, 1), np.nan)
    return np.where(n > 0, mean, np.nan), n, variance


# -- a row per item ----------------------------------------------------------------------------------


def wide_parts(table: Table) -> dict[tuple[str, str, str], str]:
    """Return the columns called judge[a], judge_x[a], human[a], ..., by role, name in the role and system."""
    found = {}
    for name in table.names:
        match = _WIDE.fullmatch(name)
        role, _, which = (match[1] if match else "").partition("_")
        if match and role in (JUDGE, HUMAN):
            found[role, which, match[2]] = name
    return found


def _wide(table: Table, parts: Mapping[tuple[str, str, str], str], named: JudgedColumns) -> JudgedItems:
    names = tuple(dict.fromkeys(system for role, _, system in parts if role == JUDGE))
    which = {role: list(dict.fromkeys(w for r, w, _ in parts if r == role)) for role in (JUDGE, HUMAN)}
    unknown = next((key for key in parts if key[2] not in names), None)
    if unknown is not None:
        raise InvalidInputError(
            f"{table.source}: there is {parts[unknown]} and no {JUDGE}[{unknown[2]}]", hint=FORMS
        )
    if not which[HUMAN] and named.labelled:
        raise InvalidInputError(f"{table.source} has no column of human scores", hint=FORMS)

    def scores(role: str) -> FloatArray:
        gap = np.full(table.n_rows, np.nan)
        if not which[role]:
            return np.full((table.n_rows, len(names), 1), np.nan)
        return np.stack(
            [
                np.stack([numbers(table, parts[key]) if key in parts else gap for key in keys], axis=1)
                for keys in ([(role, w, system) for w in which[role]] for system in names)
            ],
            axis=1,
        )

    item = table.item_column(named.items)
    ids = None if item is None else ids_of(table, item)
    columns: dict[str, Array] = {}
    for name in table.names:
        match = _WIDE.fullmatch(name)
        if name == item or name in parts.values():
            continue
        whole = [] if match is None else [f"{match[1]}[{system}]" for system in names]
        if match is not None and name == whole[0] and all(one in table.data for one in whole):
            columns[match[1]] = np.stack([plain(table.column(one)) for one in whole], axis=1)
        else:
            columns[name] = plain(table.column(name))
    mean, n, variance = joined_humans(scores(HUMAN))
    return JudgedItems(
        names, _judges(which[JUDGE]), scores(JUDGE), mean, n, variance, ids=ids, columns=columns,
        **groups(columns),
        description=f"{source_name(table)} was read as scores per item; systems: {listed(names)}",
    )  # fmt: skip


def ids_of(table: Table, item: str) -> tuple[str, ...]:
    """Return the ids of the items, a row each."""
    ids = tuple(table.texts(item, "item"))
    if len(set(ids)) < len(ids):
        twice = next(one for place, one in enumerate(ids) if one in ids[:place])
        raise InvalidInputError(
            f"{table.source}: item {quoted(twice)} has several rows",
            hint="give one row per item; several humans are human_1[a], human_2[a], ...",
        )
    return ids


# -- a row per item and system -----------------------------------------------------------------------


def _long(table: Table, named: JudgedColumns) -> JudgedItems:
    item, system = _required(table, table.item_column(named.items), "item"), _system(table, named)
    judges = role_columns(table, JUDGE, named.judge, (item, system))
    humans = _humans(table, named, (item, system, *judges))
    items, systems = table.texts(item, "item"), table.texts(system, "system")
    by_system: dict[str, dict[str, None]] = {}
    for one, name in zip(items, systems, strict=True):
        by_system.setdefault(name, {})[one] = None
    spelling = common_spelling([*by_system.values()])
    items = [spelling.get(one, one) for one in items]
    ids, names = tuple(dict.fromkeys(items)), tuple(by_system)
    places = {one: place for place, one in enumerate(ids)}
    columns_of = {one: place for place, one in enumerate(names)}
    rows = np.array([places[one] for one in items]), np.array([columns_of[one] for one in systems])
    scores = np.stack([numbers(table, name) for name in judges], axis=1)
    gap = np.full((table.n_rows, 1), np.nan)
    labels = np.stack([numbers(table, name) for name in humans], axis=1) if humans else gap
    found = judge_names(judges, named)
    which = np.zeros(table.n_rows, dtype=np.int64)
    by_name = JUDGE_NAME in table.data and len(judges) == 1
    if by_name:
        texts = table.texts(JUDGE_NAME, "judge")
        found = tuple(dict.fromkeys(texts))
        which = np.array([found.index(one) for one in texts])
    shape = (len(ids), len(names), len(found))
    judge = np.full(shape, np.nan)
    for place in range(len(judges)):
        at = (*rows, which if by_name else np.full(table.n_rows, place))
        _fill(judge, at, scores[:, place], table, ids, names)
    mean, n, variance = joined_humans(_labels(labels, rows, which, shape, table, ids, names))
    taken = {item, system, JUDGE_NAME, *judges, *humans}
    columns = {
        name: _by_item(table.column(name), rows, shape[:2]) for name in table.names if name not in taken
    }
    of_humans = f"human: {listed(humans)}; " if humans else ""
    what = f"systems: {system}; judge: {listed(judges)}; {of_humans}item: {item}"
    if spelling:
        what += f" ({len({*spelling.values()})} of them in several Unicode forms, which count as one)"
    return JudgedItems(
        names, found, judge, mean, n, variance, ids=ids, columns=columns, **groups(columns),
        description=f"{source_name(table)} was read as scores per item and system; {what}",
    )  # fmt: skip


def _humans(table: Table, named: JudgedColumns, taken: Sequence[str]) -> list[str]:
    """Return the columns of human scores, which a table without labels need not have."""
    if named.labelled or named.human or any(name.startswith(HUMAN) for name in table.names):
        return role_columns(table, HUMAN, named.human, taken)
    return []


def _system(table: Table, named: JudgedColumns) -> str:
    by_name = {name.lower(): name for name in reversed(table.names)}
    return _required(
        table, named.system or next((by_name[w] for w in SYSTEM_WORDS if w in by_name), None), "system"
    )


def role_columns(table: Table, role: str, named: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Return the columns of scores of a role: those named, the one called so, or those that begin so."""
    if named:
        return [table.require(name, role) for name in named]
    if role in table.data:
        return [role]
    found = [n for n in table.names if n.startswith(f"{role}_") and n not in taken and n != JUDGE_NAME]
    if not found:
        raise _lacking(table, role)
    return found


def _required(table: Table, name: str | None, role: str) -> str:
    if name is None:
        raise _lacking(table, role)
    return table.require(name, role)


def _lacking(table: Table, role: str) -> InvalidInputError:
    return InvalidInputError(
        f"{table.source} has no column {quoted(role)}; its columns: {listed(table.names)}", hint=FORMS
    )


def _fill(
    judge: FloatArray,
    at: tuple[Any, ...],
    scores: FloatArray,
    table: Table,
    ids: Sequence[Any],
    names: Sequence[str],
) -> None:
    """Write the judge's scores to their places; rows of one item and system have to agree."""
    there = ~np.isnan(scores)
    at = tuple(part[there] for part in at)
    judge[at] = scores[there]
    differ = np.flatnonzero(judge[at] != scores[there])
    if differ.size:
        item, system = (int(part[differ[0]]) for part in at[:2])
        raise InvalidInputError(
            f"{table.source}: item {quoted(ids[item])} of system {quoted(names[system])} has several scores"
            " of the judge",
            hint=f"average several runs of the judge first; several judges need a column {JUDGE_NAME}",
        )


def _labels(
    labels: FloatArray,
    rows: tuple[IntArray, IntArray],
    which: IntArray,
    shape: tuple[int, ...],
    table: Table,
    ids: Sequence[Any],
    names: Sequence[str],
) -> FloatArray:
    """Return the human scores, shape (N, S, H), of all rows of an item and system; judges share them."""
    cell = (rows[0] * shape[1] + rows[1]) * shape[2] + which
    order = np.argsort(cell, kind="stable")
    first = np.searchsorted(cell[order], cell[order], side="left")
    turn = np.arange(cell.size) - first
    by_cell = np.full((shape[0] * shape[1] * shape[2], int(turn.max()) + 1, labels.shape[1]), np.nan)
    by_cell[cell[order], turn] = labels[order]
    ordered = np.sort(by_cell.reshape(*shape, -1), axis=-1)  # NaN last
    found: FloatArray = ordered[:, :, 0]
    for other in range(1, shape[2]):
        own = ordered[:, :, other]
        empty, there = np.isnan(found).all(axis=-1), ~np.isnan(own).all(axis=-1)
        wrong = there & ~empty & ~((own == found) | (np.isnan(own) & np.isnan(found))).all(axis=-1)
        if wrong.any():
            item, system = (int(x) for x in np.argwhere(wrong)[0])
            raise InvalidInputError(
                f"{table.source}: item {quoted(ids[item])} of system {quoted(names[system])} has other human"
                " scores in the rows of another judge",
                hint="repeat the human scores in the rows of every judge, or give them for one judge only",
            )
        found = np.where((empty & there)[:, :, None], own, found)
    return found


def _by_item(column: Column, rows: tuple[IntArray, IntArray], shape: tuple[int, ...]) -> Array:
    """Return a column as a value per item if it has only one for each, else per item and system."""
    values = plain(column)
    whole = np.full(shape, None, dtype=object)
    there = np.array([value is not None for value in values], dtype=np.bool_)
    whole[rows[0][there], rows[1][there]] = values[there]
    each = np.full(shape[0], None, dtype=object)
    each[rows[0][there]] = values[there]
    return each if bool((each[rows[0][there]] == values[there]).all()) else whole


# -- values ------------------------------------------------------------------------------------------


def numbers(table: Table, name: str) -> FloatArray:
    """Return a column of scores, NaN where nothing is."""
    column = as_scores(table.column(name))
    if column.missing.all():
        return np.full(column.size, np.nan)
    if column.is_text:
        text = next(one for one in column.values[~column.missing].tolist() if number_of(one) is None)
        raise InvalidInputError(
            f"{table.source}: column {quoted(name)} must hold numbers, got {quoted(text)}",
            hint="code labels as numbers, such as right 1 and wrong 0",
        )
    numbers = np.full(column.size, np.nan)
    numbers[~column.missing] = column.values[~column.missing].astype(np.float64)
    check_scores(numbers, f"{table.source}: column {quoted(name)}")
    return numbers


def check_scores(scores: FloatArray, what: str) -> None:
    """Refuse scores, of shape (n,) or (n, k), that are infinite or too large; NaN stands for no score."""
    for column in np.atleast_2d(scores.T):
        checks.check_bounded(np.where(np.isnan(column), 0.0, column), what)


def plain(column: Column) -> Array:
    """Return the values of a column as objects, numbers where all are; None where nothing is."""
    column = as_scores(column)
    values = objects(list(column.values))
    values[column.missing] = None
    return values


def judge_names(columns: Sequence[str], named: JudgedColumns) -> tuple[str, ...]:
    """Return what judges are called: as their columns if these were named, else without "judge_"."""
    if named.judge:
        return tuple(columns)
    return _judges([name.removeprefix(JUDGE).removeprefix("_") for name in columns])


def _judges(found: Sequence[str]) -> tuple[str, ...]:
    return tuple(name or JUDGE for name in found)


def groups(columns: Mapping[str, Array]) -> dict[str, Any]:
    """Return the columns that are clusters and strata by their names."""
    return {
        "clusters": "cluster" if "cluster" in columns else None,
        "strata": "stratum" if "stratum" in columns else None,
    }


def source_name(table: Table) -> str:
    """Return the name of the file."""
    return Path(table.source).name
