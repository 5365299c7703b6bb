"""Tables of several datasets or folds: a score per row, or an item per row, told apart by what is in them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from bestby._core import checks
from bestby._core.checks import NUMERAL
from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.typing import FloatArray, OnMissing
from bestby.comparisons.common.per_dataset import taken
from bestby.comparisons.datasets.source import cells
from bestby.data.columns import MISSING
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.long import is_long, read_long, system_column_of, value_word
from bestby.data.layouts.soft import Soft
from bestby.data.layouts.wide import read_wide
from bestby.data.roles import Roles
from bestby.data.table import ITEM_WORDS, Table, listed
from bestby.data.values import as_scores
from bestby.readers import arguments
from bestby.readers.files import read_table
from bestby.readers.formats.base import Read
from bestby.readers.opening import log_of
from bestby.results.base import Note
from bestby.vocabulary import allowed_names

DATASET_WORDS = ("dataset", "task")
P_WORDS = ("p_value", "p")
_FOLD = "\x1f"  # no file has a column of this name
_UNIT = "\x1f"


def read_datasets(
    path: str | Path | Sequence[str | Path],
    *,
    dataset: str | None = None,
    gold: str | None = None,
    item: str | None = None,
    cluster: str | None = None,
    systems: Sequence[str] | None = None,
    on_missing: str = "error",
    system_column: str | None = None,
    value_column: str | None = None,
    missing: str | Iterable[str] = MISSING,
    texts: bool = False,
) -> Mapping[str, float] | Mapping[str, Mapping[str, float]] | Mapping[str, Evaluation] | Evaluation:
    r"""Read results on several datasets from one file, for `bestby.compare_datasets`.

    A table of *scores* has a row per dataset and a column per system, or columns dataset, system and score. A
    table of *items* has a row per item (dataset names occur more than once), wide or long as for
    `bestby.read`. A table of *p-values* has columns dataset and p_value.

    Parameters
    ----------
    path : path, or sequence of paths
        CSV, TSV, JSON Lines or Parquet, plain or packed; or the logs of an evaluation tool with several
        tasks, which may be several files.
    dataset : str, optional
        The column of the datasets; "dataset" or "task" by default.
    gold, item, cluster, systems, system_column, value_column, missing, texts
        As for `bestby.read`. Item ids need be unique within a dataset only.
    on_missing : {"error", "drop", "worst"}
        For items that some system lacks. Missing scores of a table are left to `compare_datasets`.

    Returns
    -------
    mapping or Evaluation
        P-values, scores, evaluations by dataset, or items whose strata are the datasets.

    Raises
    ------
    InvalidInputError
        If the file cannot be read or what it holds does not fit together.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "scores.csv")
    ...     _ = path.write_text("dataset,old,new\nnews,0.5,0.75\ntalks,0.25,NA\n", encoding="utf-8")
    ...     read_datasets(path)
    {'news': {'old': 0.5, 'new': 0.75}, 'talks': {'old': 0.25}}
    """
    arguments.check(
        path, gold, missing=missing, dataset=dataset, item=item, cluster=cluster, systems=systems,
        system_column=system_column, value_column=value_column,
    )  # fmt: skip
    log = log_of(path, checks.choice(on_missing, allowed_names("on_missing", "readers"), "on_missing"))
    if log is not None:
        return _of_log(log)
    table = _table(_one(path), missing)
    key = _named(table, dataset, DATASET_WORDS, "dataset")
    labels = table.texts(key, "dataset")
    unique = len(set(labels)) == len(labels)
    p_column = next((word for word in P_WORDS if word in table.data), None)
    if p_column and systems is None and gold is None and value_column is None:
        if not unique:
            raise InvalidInputError(
                f"{table.source}: a dataset occurs more than once beside column {p_column!r}",
                hint="give one p-value per dataset: those of one pair of systems",
            )
        return dict(zip(labels, _whole(table, p_column), strict=True))
    roles = Roles(gold, item, cluster, key)
    by = system_column or system_column_of(table, roles, systems) or "system"
    itemised = gold is not None or item is not None or table.item_column(None) is not None
    if by in table.data and not itemised:
        value = value_column or value_word(table.data, prefer_score=True)
        if value is None:
            raise InvalidInputError(
                f"{table.source}: no column is called score", hint="name it: value_column=..."
            )
        names = table.texts(by, "system")
        scores = _floats(table, (table.require(value, "score"),))[0]
        kept = [row for row, name in enumerate(names) if systems is None or name in systems]
        return cells([labels[i] for i in kept], [names[i] for i in kept], [scores[i] for i in kept])
    if unique and gold is None and by not in table.data:
        return _scores(table, labels, _systems(table, systems, {key}))
    return _items(
        _within(table, labels, item),
        roles,
        systems,
        on_missing,
        by,
        system_column,
        value_column,
        Soft(texts=texts),
    )


def read_folds(
    path: str | Path,
    *,
    fold: str | None = None,
    repetition: str | None = None,
    gold: str | None = None,
    item: str | None = None,
    cluster: str | None = None,
    systems: Sequence[str] | None = None,
    system_column: str | None = None,
    value_column: str | None = None,
    missing: str | Iterable[str] = MISSING,
    texts: bool = False,
) -> Mapping[str, FloatArray] | Mapping[str, Evaluation]:
    r"""Read results of cross-validation from one file, for `bestby.compare_folds`.

    A table of *scores* has a row per fold (and repetition) and a column per system. A table of *items* has a
    row per item and repetition with its out-of-fold predictions and its fold, wide or long.

    Parameters
    ----------
    path : path
        CSV, TSV, JSON Lines or Parquet, plain or packed.
    fold, repetition : str, optional
        Their columns; "fold" and "repetition" (if there is one) by default.
    gold, item, cluster, systems, system_column, value_column, missing, texts
        As for `bestby.read`. Item ids need be unique within a repetition only.

    Returns
    -------
    mapping
        Scores of shape (repetitions, folds) per system, or an Evaluation per repetition whose strata are the
        folds.

    Raises
    ------
    InvalidInputError
        If the file cannot be read or what it holds does not fit together.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "folds.csv")
    ...     _ = path.write_text("fold,old,new\n1,0.5,0.75\n2,0.25,0.5\n", encoding="utf-8")
    ...     read_folds(path)["new"]
    array([[0.75, 0.5 ]])
    """
    arguments.check(
        path, gold, missing=missing, fold=fold, repetition=repetition, item=item, cluster=cluster,
        systems=systems, system_column=system_column, value_column=value_column,
    )  # fmt: skip
    table = _table(_one(path), missing)
    by = _named(table, fold, ("fold",), "fold")
    again = repetition or ("repetition" if "repetition" in table.data else None)
    folds = table.texts(by, "fold")
    rounds = (
        ["1"] * len(folds) if again is None else table.texts(table.require(again, "repetition"), "repetition")
    )
    labels = list(zip(rounds, folds, strict=True))
    rest = {name: column for name, column in table.data.items() if name not in (by, again)}
    bare = Table(table.source, rest, table.missing)
    roles = Roles(gold, item, cluster, _FOLD)
    system = system_column or system_column_of(bare, roles, systems) or "system"
    if gold is None and len(set(labels)) == len(labels) and system not in rest:
        return _fold_scores(bare, rounds, systems)
    marked = np.empty(len(labels), dtype=object)
    marked[:] = [_UNIT.join(label) for label in labels]
    inner = _within(Table(table.source, {**rest, _FOLD: marked}, table.missing), rounds, item)
    whole = _items(inner, roles, systems, "error", system, system_column, value_column, Soft(texts=texts))
    return _by_repetition(whole)


def _of_log(log: Read) -> Mapping[str, Evaluation]:
    if log.datasets is None:
        raise InvalidInputError(
            f"the files were read as {log.told}: they hold one dataset",
            hint="compare the systems on it: bestby compare",
        )
    told = Note("read_as", f"the files were read as {log.told}")
    return {
        name: dataclasses.replace(part, suggested=log.metric, notes=(told, *part.notes))
        for name, part in log.datasets.items()
    }


def _one(path: str | Path | Sequence[str | Path]) -> str | Path:
    if isinstance(path, str | Path):
        return path
    if len(path) != 1:
        raise InvalidInputError(f"the results on all datasets stand in one table, got {len(path)} files")
    return next(iter(path.values() if isinstance(path, Mapping) else path))


def _table(path: str | Path, missing: str | Iterable[str]) -> Table:
    texts = [missing] if isinstance(missing, str) else missing
    return read_table(readable_file(path), frozenset(text.strip() for text in texts) | {""})


def _named(table: Table, name: str | None, words: Sequence[str], role: str) -> str:
    if name is not None:
        return table.require(name, role)
    found = next((word for word in words if word in table.data), None)
    if found is None:
        raise InvalidInputError(
            f"{table.source}: no column is called {' or '.join(words)}",
            hint=f"name the column: {role}=...; its columns are: {listed(table.names)}",
        )
    return found


def _systems(table: Table, systems: Sequence[str] | None, other: set[str]) -> tuple[str, ...]:
    if systems is None:
        return tuple(name for name in table.names if name not in other)
    return tuple(table.require(name, "system") for name in systems)


def _scores(table: Table, labels: Sequence[str], systems: Sequence[str]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {label: {} for label in labels}
    for name, column in zip(systems, _floats(table, systems), strict=True):
        for label, value in zip(labels, column, strict=True):
            if value is not None:
                found[label][name] = value
    return found


def _floats(table: Table, names: Sequence[str]) -> list[list[float | None]]:
    """Return columns as numbers, None where nothing is."""
    found = []
    for name in names:
        column = as_scores(table.column(name))
        there = np.flatnonzero(~column.missing)
        if not there.size:
            raise InvalidInputError(f"{table.source}: column {name!r} has no value in any row")
        if column.is_text:
            row = next(i for i in there if not NUMERAL.fullmatch(column.values[i]))
            raise InvalidInputError(
                f"{table.source}: column {name!r} holds text ({column.values[row]!r}), expected scores;"
                f" first: row {row + 1}",
                hint="name the columns that are systems: systems=[...], or correct this value",
            )
        found.append(
            [None if gone else float(v) for v, gone in zip(column.values, column.missing, strict=True)]
        )
    return found


def _whole(table: Table, name: str) -> list[float]:
    values = [value for value in _floats(table, (name,))[0] if value is not None]
    if len(values) < table.n_rows:
        raise InvalidInputError(
            f"{table.source}: column {name!r} has no value in {table.n_rows - len(values)} of"
            f" {table.n_rows} rows"
        )
    return values


def _fold_scores(table: Table, rounds: Sequence[str], systems: Sequence[str] | None) -> dict[str, FloatArray]:
    names = _systems(table, systems, set())
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(rounds):
        rows.setdefault(name, []).append(row)
    sizes = {name: len(found) for name, found in rows.items()}
    if len(set(sizes.values())) > 1:
        raise InvalidInputError(
            f"{table.source}: repetitions have different numbers of folds:"
            f" {', '.join(f'{name}: {size}' for name, size in list(sizes.items())[:6])}",
            hint="every repetition needs a score of every fold",
        )
    order = np.array(list(rows.values()))
    return {name: np.array(_whole(table, name))[order] for name in names}


def _within(table: Table, groups: Sequence[str], item: str | None) -> Table:
    """Return the table with item ids that are unique if they are so inside each group."""
    name = item or next((word for word in ITEM_WORDS if word in table.data), None)
    if name is None:
        return table
    ids = table.texts(table.require(name, "item"), "item")
    joined = np.empty(len(ids), dtype=object)
    joined[:] = [f"{group}/{one}" for group, one in zip(groups, ids, strict=True)]
    return Table(table.source, {**table.data, name: joined}, table.missing)


def _items(
    table: Table,
    roles: Roles,
    systems: Sequence[str] | None,
    on_missing: str,
    by: str,
    system_column: str | None,
    value_column: str | None,
    soft: Soft,
) -> Evaluation:
    choice: OnMissing = checks.choice(on_missing, allowed_names("on_missing", "readers"), "on_missing")
    long = by in table.data and (value_column is not None or is_long(table, roles, systems))
    if long or system_column is not None:
        evaluation, told = read_long(
            table, roles, systems, choice, system_column=system_column, value_column=value_column, soft=soft
        )
    else:
        evaluation, told = read_wide(table, roles, systems, choice, soft)
    note = Note("read_as", f"{table.source} was read as {told.replace(_FOLD, 'fold')}")
    return dataclasses.replace(evaluation, notes=(note, *evaluation.notes))


def _by_repetition(whole: Evaluation) -> dict[str, Evaluation]:
    """Return one evaluation per repetition, its strata the folds."""
    marked = [] if whole.strata is None else [str(label).split(_UNIT, 1) for label in whole.strata]
    rounds, folds = np.array([name for name, _ in marked]), np.array([name for _, name in marked])
    parts = {}
    for name in dict.fromkeys(rounds.tolist()):
        rows = rounds == name
        parts[name] = dataclasses.replace(taken(whole, rows), strata=folds[rows], notes=whole.notes)
    return parts
