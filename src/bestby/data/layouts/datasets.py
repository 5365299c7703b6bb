"""Tables of several datasets or folds: a score per row, or an item per row; their columns say which."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from bestby._core.arrays import objects
from bestby._core.checks import NUMERAL, number_hint
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import FloatArray
from bestby.data.columns import column_of_texts
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.assemble import agreed
from bestby.data.layouts.items import check_no_counter, evaluation_of, system_column_of
from bestby.data.layouts.runs import VALUE_WORDS, column_of_values, unscored_run
from bestby.data.roles import (
    DATASET_WORDS,
    REPETITION_WORDS,
    RUN_WORDS,
    TableOptions,
    are_scores,
    averages,
    check_no_repetition,
    listed,
    matching,
    quantities_of_others,
    score_column,
    unknown_system,
)
from bestby.data.table import Table
from bestby.data.values import as_scores
from bestby.results.base import Note

P_WORDS = ("p_value", "p")
_FOLD = "\x1f"  # no file has a column of this name
_UNIT = "\x1f"

Cells = Mapping[str, Mapping[str, float | None]]
"""Scores by dataset and system; a score that is missing is None or not there."""

Place = TypeVar("Place", str, tuple[str, str])
"""A dataset, or a repetition and a fold."""

RunCells = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Scores by dataset, system and run; a system has the runs that have a score."""


class Named(dict[str, Any]):
    """Scores or runs by dataset, or scores of folds by system, with what their column calls them."""

    def __init__(self, scores: Mapping[str, Any], metric: str | None) -> None:
        super().__init__(scores)
        self.metric = metric


def _metric_called(column: str) -> str | None:
    """Return the name of scores by that of their column, if it says more than that they are values."""
    return None if column in VALUE_WORDS or are_scores(column) is False else column


@dataclass(frozen=True)
class FoldScores:
    """One score per system and fold; `labels` are repetition and fold, the rows of the matrix."""

    names: tuple[str, ...]
    labels: tuple[tuple[str, str], ...]
    matrix: FloatArray
    metric: str | None = None
    """What their column calls the scores."""


def datasets_of(
    table: Table, dataset: str | None, options: TableOptions, run: str | None = None
) -> Mapping[str, float] | Cells | RunCells | Evaluation:
    """Return p-values or scores by dataset, runs of each, or items whose strata are the datasets."""
    table, options = table.prepared(options)
    key = table.column_called(dataset, DATASET_WORDS, "dataset")
    marked = dataclasses.replace(options, roles=dataclasses.replace(options.roles, stratum=key))
    of_runs = _run_column(table, run, options)
    if run is None:
        _check_no_fold(table, key, options)
    if of_runs is not None:
        return _runs_by_dataset(table, key, of_runs, marked)
    gold, systems, value_column = options.roles.gold, options.systems, options.value_column
    labels = table.texts(key, "dataset")
    unique = len(set(labels)) == len(labels)
    p_column = next((word for word in P_WORDS if word in table.data), None)
    if p_column and systems is None and gold is None and value_column is None:
        if not unique:
            raise InvalidInputError(
                f"{table.source}: a dataset occurs more than once beside column {p_column!r}",
                hint="give one p-value per dataset: those of one pair of systems",
            )
        return dict(zip(labels, _complete(table, p_column), strict=True))
    options = marked
    by = _system_column(table, options)
    if by is not None and gold is None and table.item_column(options.roles.item) is None:
        column = _score_column(table, {key, by}, options)
        return Named(_long_scores(table, labels, by, column, options), _metric_called(column))
    if unique and gold is None and by is None:
        names = _systems(table, systems, {key, table.item_column(options.roles.item)})
        scores: dict[str, dict[str, float | None]] = {label: {} for label in labels}
        for name in names:
            for label, value in zip(labels, _floats(table, name), strict=True):
                if value is not None:
                    scores[label][name] = value
        return scores
    items = evaluation_of(_with_ids_in_groups(table, labels, options), options)
    return dataclasses.replace(items, notes=_named(items.notes, key, f"dataset: {key}"))


def _check_no_fold(table: Table, dataset: str, options: TableOptions) -> None:
    """Refuse scores of the folds of several datasets: neither their runs nor one score each."""
    of_items = options.roles.gold is not None or table.item_column(options.roles.item) is not None
    if "fold" in table.data and not of_items and "fold" not in (options.systems or ()):
        raise InvalidInputError(
            f"{table.source}: its rows are folds of the datasets in column {quoted(dataset)}, and the folds"
            " of a dataset share training items",
            hint="give the mean over the folds of each dataset and system, or compare the folds of one"
            " dataset: compare_folds (bestby folds)",
        )


def _named(notes: Sequence[Note], stratum: str, parts: str) -> tuple[Note, ...]:
    """Return notes that say which columns hold the datasets, or folds, in place of the strata they become."""
    return tuple(Note(n.code, n.message.replace(f"stratum: {stratum}", parts), n.about) for n in notes)


def folds_of(
    table: Table, fold: str | None, repetition: str | None, options: TableOptions
) -> FoldScores | dict[str, Evaluation]:
    """Return scores by fold, or an evaluation per repetition whose strata are the folds, if given."""
    table, options = table.prepared(options)
    again = repetition or ("repetition" if "repetition" in table.data else None)
    if fold is None and "fold" not in table.data:
        _check_are_items(table, again or _repetition_column(table, but=RUN_WORDS), options)
        if again is not None:
            return _repetitions_without_folds(table, again, options)
    by = table.column_called(fold, ("fold",), "fold")
    folds = table.texts(by, "fold")
    rounds = (
        ["1"] * len(folds) if again is None else table.texts(table.require(again, "repetition"), "repetition")
    )
    labels = list(zip(rounds, folds, strict=True))
    rest = {name: column for name, column in table.data.items() if name not in (by, again)}
    bare = dataclasses.replace(table, data=rest)
    roles = options.roles
    ids = bare.item_column(roles.item)
    system = _system_column(bare, options)
    of_scores = roles.gold is None and ids is None and system is not None
    if again is None and (of_scores or (system is None and options.systems is None)):
        check_no_repetition(bare.source, bare.data)
    if of_scores and system is not None:
        value = _score_column(bare, {system}, options)
        scores = _fold_scores(bare.source, _long_scores(bare, labels, system, value, options))
        scores = dataclasses.replace(scores, metric=_metric_called(value))
        return _without_mean(bare.source, scores)
    if roles.gold is None and len(set(labels)) == len(labels) and system is None:
        names = _systems(bare, options.systems, {ids})
        matrix = np.column_stack([_complete(bare, name) for name in names])
        return _without_mean(bare.source, FoldScores(tuple(names), tuple(labels), matrix))
    marked = {**rest, _FOLD: objects([_UNIT.join(label) for label in labels])}
    options = dataclasses.replace(options, roles=dataclasses.replace(roles, stratum=_FOLD))
    inner = _with_ids_in_groups(dataclasses.replace(table, data=marked), rounds, options)
    if ids is not None:
        items = bare.texts(ids, "item") if again is None else inner.texts(ids, "item")
        agreed(table.source, "fold", items, column_of_texts(folds), hint=_one_fold(bare, again))
    parts = [f"fold: {by}", *([] if again is None else [f"repetition: {again}"])]
    return _by_repetition(evaluation_of(inner, options), "; ".join(parts))


def _one_fold(table: Table, again: str | None) -> str:
    """Return the hint for an item that is in several folds: of several repetitions, if it may be."""
    if again is not None:
        return "an item is in one fold of a repetition, whichever system is asked"
    name = _repetition_column(table)
    column = "..." if name is None else repr(name)
    return f"an item is in one fold; if there are several repetitions, name their column: repetition={column}"


def _repetition_column(table: Table, but: Sequence[str] = ()) -> str | None:
    """Return the column that is called as repetitions are, but not as those of other words."""
    words = {*REPETITION_WORDS} - {*but}
    return next((name for name in table.names if name.lower() in words), None)


def _check_are_items(table: Table, again: str | None, options: TableOptions) -> None:
    """Refuse rows of repetitions that are no items and of which no column says the fold."""
    if again is not None and options.roles.gold is None and table.item_column(options.roles.item) is None:
        raise InvalidInputError(
            f"{table.source}: no column is called fold, and rows without gold or item id are scores of folds",
            hint=f"fold={again!r} alone, if each row is a random split of its own; or name the gold: then"
            " rows are items",
        )


def _repetitions_without_folds(table: Table, again: str, options: TableOptions) -> dict[str, Evaluation]:
    """Return an evaluation per repetition, which has no strata."""
    rounds = table.texts(table.require(again, "repetition"), "repetition")
    bare = dataclasses.replace(table, data={name: c for name, c in table.data.items() if name != again})
    marked = dataclasses.replace(
        table, data={**bare.data, _FOLD: objects([f"{one}{_UNIT}-" for one in rounds])}
    )
    options = dataclasses.replace(options, roles=dataclasses.replace(options.roles, stratum=_FOLD))
    whole = evaluation_of(_with_ids_in_groups(marked, rounds, options), options)
    parts = _by_repetition(whole, f"repetition: {again}")
    return {name: dataclasses.replace(part, strata=None) for name, part in parts.items()}


def scores_by_dataset(
    datasets: Sequence[Place], systems: Sequence[str], values: Sequence[float | None]
) -> Mapping[Place, Mapping[str, float | None]]:
    """Return a table of scores by dataset, or by repetition and fold, from its long form."""
    table: dict[Place, dict[str, float | None]] = {}
    for name, system, value in zip(datasets, systems, values, strict=True):
        row = table.setdefault(name, {})
        if system in row:
            raise InvalidInputError(
                f"system {quoted(system)} has more than one score on {_place(name)}",
                hint="give one score per system and dataset; several runs need a column run or seed, items a"
                " gold or an item column"
                if isinstance(name, str)
                else "give one score per system, fold and repetition; repetition=... names their column",
            )
        row[system] = value
    return table


def _place(name: str | tuple[str, str]) -> str:
    """Return the words for a dataset, or for a fold of a repetition."""
    if isinstance(name, str):
        return f"dataset {quoted(name)}"
    return f"fold {quoted(name[1])} of repetition {quoted(name[0])}"


def _system_column(table: Table, options: TableOptions) -> str | None:
    if options.system_column is not None:
        return table.require(options.system_column, "system column")
    return system_column_of(table, options.roles, options.systems)


def _long_scores(
    table: Table, labels: Sequence[Place], by: str, value: str, options: TableOptions
) -> Mapping[Place, Mapping[str, float | None]]:
    """Return the scores of a table with a row per dataset (or fold) and system."""
    names, scores, chosen = _long_columns(table, by, value, options)
    rows = [row for row in zip(labels, names, scores, strict=True) if row[1] in chosen]
    return scores_by_dataset(*(zip(*rows, strict=True) if rows else ((), (), ())))


def _long_columns(
    table: Table, by: str, value: str, options: TableOptions
) -> tuple[list[str], list[float | None], set[str]]:
    """Return the system and the score of each row, and the systems that were asked for."""
    names = table.texts(by, "system")
    scores = _floats(table, table.require(value, "value column"))
    if options.systems is None:
        return names, scores, set(names)
    known = list(dict.fromkeys(names))
    return names, scores, {*matching(options.systems, known, unknown_system(table.source, known, by))}


def _run_column(table: Table, run: str | None, options: TableOptions) -> str | None:
    """Return the column of the runs, where a row is the score of a run; None where a row is an item."""
    of_items = options.roles.gold is not None or table.item_column(options.roles.item) is not None
    if run is not None:
        if of_items:
            raise InvalidInputError(
                f"{table.source}: its rows are items, and several runs on several datasets have one score per"
                " run",
                hint="compute the score of each run first, or compare the runs on one dataset: compare_runs",
            )
        return table.require(run, "run")
    taken = {*(options.systems or ()), options.system_column, options.value_column}
    named = (name for name in table.names if name.lower() in RUN_WORDS and name not in taken)
    return None if of_items else next(named, None)


def _runs_by_dataset(table: Table, key: str, run: str, options: TableOptions) -> RunCells:
    """Return the scores of runs, of a long table or of one with a column per system and a row per run."""
    labels, ids = table.texts(key, "dataset"), table.texts(run, "run")
    by = _system_column(table, options)
    if by is None:
        names = _systems(table, options.systems, {key, run})
        rows = [
            (*row[:2], name, row[2])
            for name in names
            for row in zip(labels, ids, _floats(table, name), strict=True)
        ]
    else:
        value = _score_column(table, {key, run, by}, options)
        systems, scores, chosen = _long_columns(table, by, value, options)
        rows = [row for row in zip(labels, ids, systems, scores, strict=True) if row[2] in chosen]
    cells: dict[str, dict[str, dict[str, float]]] = {label: {} for label in labels}
    seen = set()
    for label, one, name, value_of_run in rows:
        if (label, name, one) in seen:
            raise InvalidInputError(
                f"{table.source}: run {quoted(one)} of system {quoted(name)} occurs more than once on dataset"
                f" {quoted(label)}",
                hint="give one score per run, system and dataset; run=... names their column; rows that"
                " are items need a gold or an item column",
            )
        seen.add((label, name, one))
        if value_of_run is None and by is not None:
            raise unscored_run(
                f"{table.source}: run {quoted(one)} of system {quoted(name)} has no score on dataset"
                f" {quoted(label)}"
            )
        if value_of_run is not None:
            cells[label].setdefault(name, {})[one] = value_of_run
    return cells if by is None else Named(cells, _metric_called(value))


def _score_column(table: Table, taken: set[str], options: TableOptions) -> str:
    """Return the column of the scores: the one named, one that is called so, or the only one left."""
    return options.value_column or column_of_values(table, taken, ("score", "prediction"))


def _fold_scores(source: str, scores: Mapping[tuple[str, str], Mapping[str, float | None]]) -> FoldScores:
    names = list(dict.fromkeys(name for row in scores.values() for name in row))
    for label, row in scores.items():
        absent = next((name for name in names if row.get(name) is None), None)
        if absent is not None:
            raise InvalidInputError(
                f"{source}: system {quoted(absent)} has no score on {_place(label)}",
                hint="complete the scores; the tests need every fold of every repetition",
            )
    matrix = np.array([[row[name] for name in names] for row in scores.values()])
    return FoldScores(tuple(names), tuple(scores), matrix)


def _without_mean(source: str, folds: FoldScores) -> FoldScores:
    """Refuse a fold that is the mean of the others of its repetition."""
    for again in dict.fromkeys(again for again, _ in folds.labels):
        rows = {
            fold: dict(zip(folds.names, row, strict=True))
            for (one, fold), row in zip(folds.labels, folds.matrix.tolist(), strict=True)
            if one == again
        }
        for fold in averages(rows):
            raise InvalidInputError(
                f"{source}: fold {quoted(fold)} is the mean of the others",
                hint="remove its row, which is no fold",
            )
    return folds


def _systems(table: Table, systems: Sequence[str] | None, other: set[str | None]) -> list[str]:
    names = [name for name in table.names if name not in other]
    if systems is not None:
        names = matching(systems, names, lambda name: table.unknown(name, "system"))
    elif len(names) > 1 and (scores := score_column(names)) is not None:
        raise InvalidInputError(
            f"{table.source}: column {quoted(scores)} holds the scores of one system, and several are"
            f" compared; its columns are: {listed(table.names)}",
            hint="name the columns that are systems: systems=[...], or the column of their names:"
            " system_column=...",
        )
    elif quantity := next(iter(quantities_of_others(names)), None):
        raise InvalidInputError(
            f"{table.source}: column {quoted(quantity)} holds a quantity of a system, beside its scores",
            hint=f"leave it out: ignore={quantity!r}; or choose the columns of the systems: systems=[...]",
        )
    if systems is None:
        check_no_counter(table, {name: table.column(name) for name in names}, None)
    if not names:
        raise InvalidInputError(
            f"{table.source}: there is no column of a system", hint=f"its columns are: {listed(table.names)}"
        )
    return names


def _floats(table: Table, name: str) -> list[float | None]:
    """Return a column as numbers, None where nothing is."""
    column = as_scores(table.column(name))
    there = np.flatnonzero(~column.missing)
    if not there.size:
        raise InvalidInputError(f"{table.source}: column {name!r} has no value in any row")
    if column.is_text:
        row = next(i for i in there if not NUMERAL.fullmatch(column.values[i]))
        raise InvalidInputError(
            f"{table.source}: column {name!r} holds text ({column.values[row]!r}), expected scores;"
            f" first: row {row + 1}",
            hint=number_hint(
                column.values[row], "name the columns that are systems: systems=[...], or correct this value"
            ),
        )
    return [None if gone else float(v) for v, gone in zip(column.values, column.missing, strict=True)]


def _complete(table: Table, name: str) -> list[float]:
    values = [value for value in _floats(table, name) if value is not None]
    n, gone = table.n_rows, table.n_rows - len(values)
    if gone:
        raise InvalidInputError(f"{table.source}: column {name!r} has no value in {gone} of {n} rows")
    return values


def _with_ids_in_groups(table: Table, groups: Sequence[str], options: TableOptions) -> Table:
    """Return the table with item ids that are unique if they are so inside each group."""
    name = table.item_column(options.roles.item)
    if name is None:
        return table
    ids = table.texts(name, "item")
    joined = objects([f"{group}/{one}" for group, one in zip(groups, ids, strict=True)])
    return dataclasses.replace(table, data={**table.data, name: joined})


def _by_repetition(whole: Evaluation, parts_read: str) -> dict[str, Evaluation]:
    """Return one evaluation per repetition, its strata the folds; `parts_read` names their columns."""
    notes = _named(whole.notes, _FOLD, parts_read)
    assert whole.strata is not None
    rounds, folds = map(np.array, zip(*(str(label).split(_UNIT, 1) for label in whole.strata), strict=True))
    parts = {}
    for name in dict.fromkeys(rounds.tolist()):
        rows = rounds == name
        parts[name] = dataclasses.replace(whole.with_rows(rows), strata=folds[rows], notes=notes)
    return parts
