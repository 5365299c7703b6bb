"""Tables of several runs (seeds) of each system: a score per run, or a value per run and item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.typing import Array
from bestby.data.columns import MISSING, Column, column_of_texts
from bestby.data.layouts.assemble import agreed, typed
from bestby.data.layouts.long import system_column_of
from bestby.data.layouts.soft import Soft
from bestby.data.layouts.wide import check_alike
from bestby.data.order import order_in_groups
from bestby.data.roles import RUN_WORDS, Roles, check_no_gold
from bestby.data.table import ITEM_WORDS, Table, listed
from bestby.readers import arguments
from bestby.readers.files import read_table
from bestby.readers.formats.base import Read
from bestby.readers.opening import log_of
from bestby.results.base import Note

VALUE_WORDS = ("score", "prediction", "value")
_DATASET_OPTION = "--dataset-column (dataset in Python)"  # the option --dataset chooses among the datasets


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of several systems, as `compare_runs` takes them.

    Parameters
    ----------
    runs : dict
        Per system an array of scores, one per run, or a list of arrays, one per run.
    gold : ndarray, shape (n,), or None
        The gold labels, for predictions.
    clusters : ndarray, shape (n,), or None
        The cluster of each item.
    metric : str or None
        What the column of the scores is called.
    told : str
        What was taken for what.
    greater_is_better : bool or None
        The direction of the scores, if the source knows it.
    notes : tuple of Note
        What must be known of how the source was read.
    """

    runs: dict[str, Any]
    gold: Array | None
    clusters: Array | None
    metric: str | None
    told: str
    greater_is_better: bool | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, eq=False)
class _Record:
    """The rows of one system: which run, which item or dataset, and its value."""

    runs: list[str]
    inner: list[str] | None
    column: Column


@dataclass(frozen=True)
class _Roles:
    run: str | None
    item: str | None
    dataset: str | None
    gold: str | None
    cluster: str | None
    system: str | None

    @property
    def taken(self) -> set[str]:
        return {
            name
            for name in (self.run, self.item, self.dataset, self.gold, self.cluster, self.system)
            if name is not None
        }


def read_runs(
    path: str | Path | Sequence[str | Path],
    *,
    gold: str | None = None,
    item: str | None = None,
    cluster: str | None = None,
    run: str | None = None,
    dataset: str | None = None,
    datasets: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    system_column: str | None = None,
    value_column: str | None = None,
    paired: bool = False,
    missing: str | Iterable[str] = MISSING,
    texts: bool = False,
) -> Runs:
    r"""Read the runs of two or more systems from one table.

    A *wide* table has a column per system and a row per run; a *long* table has a column system (or
    model, method and the like), a column run (or seed), and one of scores. With a column of
    items, there is a row per run and item, of scores or, if there is a gold, of predictions. With a column
    of datasets, the score of a run is its mean over them.

    Parameters
    ----------
    path : str or Path, or sequence of them
        CSV, TSV, JSON Lines or Parquet; or the logs of a tool that knows of runs (Inspect, exports of MLflow
        and Weights & Biases), which are recognised by what they hold and may be several.
    gold, item, cluster, run, dataset : str, optional
        Columns; those called gold, item (or id), cluster, run (or seed) and dataset are found by their names.
    datasets : sequence of str, optional
        The datasets to keep.
    systems : sequence of str, optional
        The systems; all if not given.
    system_column, value_column : str, optional
        Columns of a long table.
    paired : bool
        Whether runs of one id belong together: they are then brought into one order.
    missing : str or iterable of str
        The texts that mean a missing value; in a wide table, a system with fewer runs has such cells.
    texts : bool
        Whether predictions and gold are texts, which measures of texts read, also where they look like
        numbers.

    Returns
    -------
    Runs
        The arguments of `compare_runs`.

    Raises
    ------
    InvalidInputError
        If the file cannot be read or what it holds does not fit together.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "runs.csv")
    ...     _ = path.write_text("seed,old,new\n0,0.1,0.3\n1,0.2,\n", encoding="utf-8")
    ...     found = read_runs(path)
    >>> found.runs["old"].tolist(), found.runs["new"].tolist()
    ([0.1, 0.2], [0.3])
    """
    arguments.check(
        path, gold, missing=missing, item=item, cluster=cluster, run=run, dataset=dataset, datasets=datasets,
        systems=systems, system_column=system_column, value_column=value_column,
    )  # fmt: skip
    empty = frozenset(text.strip() for text in ([missing] if isinstance(missing, str) else missing)) | {""}
    log = log_of(
        [path] if isinstance(path, str | Path) else list(path),
        cluster=cluster,
        value_column=value_column,
        system_column=system_column,
    )
    if log is not None:
        return _of_log(log, systems)
    if not isinstance(path, str | Path):
        if len(path) != 1:
            raise InvalidInputError(f"the runs of all systems stand in one table, got {len(path)} files")
        path = path[0]
    table = read_table(readable_file(path), empty)
    by = system_column or system_column_of(table, Roles(gold, item, cluster, dataset), systems)
    is_long = by is not None
    wanted = {"run": run, "item": item, "dataset": dataset, "gold": gold, "cluster": cluster}
    for role, name in wanted.items():
        if name is not None:
            table.require(name, role)
    roles = _recognised(table, wanted, by, systems)
    if roles.system is not None:
        table.require(roles.system, "system")
    if gold is not None and roles.item is None:
        raise InvalidInputError(
            f"{table.source}: a gold needs a column of items (item or id), which is not there",
            hint=f"name it: item=...; its columns are: {listed(table.names)}",
        )
    inner = roles.item or roles.dataset
    kept = _kept(table, roles, datasets)
    value = _value_column(table, roles, value_column) if is_long else None
    records = (
        _long(table, roles, inner, str(value), systems, kept)
        if is_long
        else _wide(table, roles, inner, systems, kept)
    )
    golds = None if roles.gold is None or roles.item is None else table.column(roles.gold).take(kept)
    given = {name: record.column for name, record in records.items()}
    columns, golds, _, _ = typed(given, golds, Soft(texts=texts))
    records = {name: _Record(r.runs, r.inner, columns[name]) for name, r in records.items()}
    told = f"a {'long' if is_long else 'wide'} table of runs; systems: {listed(list(records))}"
    told += f" (column {by})" if is_long else ""
    metric = value if value not in VALUE_WORDS else None
    if inner is None:
        return Runs(_scores(table, records, paired), None, None, metric, told)
    ids = table.texts(inner, "item" if roles.item else "dataset")
    items = list(dict.fromkeys(ids[row] for row in kept))
    arrays = _arrays(table, records, items, paired, needs_numbers=golds is None)
    if roles.item is None:
        told += f"; the score of a run is its mean over {len(items)} datasets"
        return Runs(
            {name: np.array(rows).mean(axis=1) for name, rows in arrays.items()}, None, None, metric, told
        )
    by_row = [ids[row] for row in kept]
    gold_of = None if golds is None else agreed(table.source, "gold", by_row, golds)
    if golds is not None:
        if not texts:  # two texts are seldom equal
            check_alike(table, columns, golds)
        told += f"; gold: {roles.gold}"
    # `agreed` speaks of text; the gold is given back in the type it has with the predictions.
    first = {key: position for position, key in reversed(list(enumerate(by_row)))}
    gold_array = None if golds is None or gold_of is None else golds.values[[first[key] for key in items]]
    clusters = None
    if roles.cluster is not None:
        names = column_of_texts(table.texts(roles.cluster, "cluster")).take(kept)
        groups = agreed(table.source, "cluster", by_row, names)
        clusters = np.array([groups[key] for key in items])
    return Runs(dict(arrays), _plain(gold_array), clusters, None if golds is not None else metric, told)


def _of_log(log: Read, systems: Sequence[str] | None) -> Runs:
    if log.runs is None:
        raise InvalidInputError(
            f"the files were read as {log.told}: they hold one run of each system",
            hint="compare the systems item by item: bestby compare",
        )
    clusters = None if log.evaluation is None else log.evaluation.clusters
    of_items = any(np.ndim(values) > 1 for values in log.runs.values())  # scores of items are scored already
    metric = log.metric if isinstance(log.metric, str) and not of_items else None
    for name in systems or ():
        if name not in log.runs:
            raise InvalidInputError(
                f"the files have no system {name!r}", hint=f"systems: {listed(list(log.runs))}"
            )
    runs = {name: log.runs[name] for name in systems or log.runs}
    return Runs(runs, None, clusters, metric, log.told, log.greater_is_better, log.notes)


def _recognised(
    table: Table,
    wanted: dict[str, str | None],
    system: str | None,
    systems: Sequence[str] | None,
) -> _Roles:
    """Return the roles, with those filled in that the columns' own names tell."""
    by_name = {name.lower(): name for name in reversed(table.names)}
    taken = {name for name in wanted.values() if name is not None} | {system}
    chosen = set(systems or ()) if system is None else set()

    def told(role: str, *words: str) -> str | None:
        if wanted[role] is not None:
            return wanted[role]
        found = (by_name[word] for word in words if word in by_name)
        return next((name for name in found if name not in taken and name not in chosen), None)

    return _Roles(
        run=told("run", *RUN_WORDS),
        item=told("item", *ITEM_WORDS),
        dataset=told("dataset", "dataset"),
        gold=told("gold", "gold"),
        cluster=told("cluster", "cluster"),
        system=system,
    )


def _kept(table: Table, roles: _Roles, datasets: Sequence[str] | None) -> list[int]:
    """Return the rows of the datasets asked for; all if none were."""
    if not datasets:
        return list(range(table.n_rows))
    if roles.dataset is None:
        raise InvalidInputError(
            f"{table.source} has no column of datasets",
            hint=f"name it: {_DATASET_OPTION}; its columns are: {listed(table.names)}",
        )
    labels = table.texts(roles.dataset, "dataset")
    for name in datasets:
        if name not in labels:
            known = listed(list(dict.fromkeys(labels)))
            raise InvalidInputError(f"{table.source}: no dataset {name!r}", hint=f"it has: {known}")
    return [row for row, label in enumerate(labels) if label in set(datasets)]


def _value_column(table: Table, roles: _Roles, value_column: str | None) -> str:
    if value_column is not None:
        return table.require(value_column, "value column")
    words = ("prediction", "score") if roles.gold and roles.item else VALUE_WORDS
    for word in words:
        if word in table.data:
            return word
    others = [name for name in table.names if name not in roles.taken]
    if len(others) == 1:
        return others[0]
    raise InvalidInputError(
        f"{table.source}: which column holds the scores? Candidates: {listed(others) or 'none'}",
        hint="name it: value_column=...",
    )


def _run_ids(table: Table, roles: _Roles, rows: Sequence[int]) -> list[str]:
    if roles.run is None:
        if roles.item is not None or roles.dataset is not None:
            raise InvalidInputError(
                f"{table.source} has no column called {' or '.join(RUN_WORDS)}",
                hint=f"name it: run=...; its columns are: {listed(table.names)}",
            )
        return [str(row + 1) for row in rows]
    ids = table.texts(roles.run, "run")
    return [ids[row] for row in rows]


def _long(
    table: Table,
    roles: _Roles,
    inner: str | None,
    value: str,
    systems: Sequence[str] | None,
    kept: Sequence[int],
) -> dict[str, _Record]:
    labels = table.texts(str(roles.system), "system")
    column_of_runs = None if roles.run is None else table.texts(roles.run, "run")
    groups = [row if column_of_runs is None else column_of_runs[row] for row in kept]
    known = order_in_groups([labels[row] for row in kept], groups)
    for name in systems or ():
        if name not in known:
            raise InvalidInputError(f"{table.source}: no system {name!r}", hint=f"it has: {listed(known)}")
    rows: dict[str, list[int]] = {name: [] for name in (systems or known)}
    for row in kept:
        if labels[row] in rows:
            rows[labels[row]].append(row)
    column = table.column(value)
    ids = None if inner is None else table.texts(inner, "item")
    return {
        name: _Record(
            _run_ids(table, roles, mine),
            None if ids is None else [ids[row] for row in mine],
            column.take(mine),
        )
        for name, mine in rows.items()
    }


def _wide(
    table: Table, roles: _Roles, inner: str | None, systems: Sequence[str] | None, kept: Sequence[int]
) -> dict[str, _Record]:
    names = list(systems) if systems is not None else [n for n in table.names if n not in roles.taken]
    if len(names) < 2:
        raise InvalidInputError(
            f"{table.source}: a comparison needs at least 2 columns of systems, got {len(names)}",
            hint=f"its columns are: {listed(table.names)}",
        )
    if systems is None and roles.gold is None:
        check_no_gold(table.source, names)
    for name in names:
        table.require(name, "system")
    run_ids = _run_ids(table, roles, kept)
    ids = None if inner is None else table.texts(inner, "item")
    inner_ids = None if ids is None else [ids[row] for row in kept]
    return {name: _Record(run_ids, inner_ids, table.column(name).take(list(kept))) for name in names}


def _numbers(table: Table, name: str, values: Array) -> Array:
    """Return values as numbers; all columns are text if one of them holds a text."""
    if values.dtype.kind not in "biuf":
        text = next((value for value in map(str, values) if not _is_number(value)), None)
        if text is not None:
            raise InvalidInputError(
                f"{table.source}: system {name!r} has a value that is no number: {text!r}",
                hint="choose the columns of the systems: systems=[...]; a column of their names is"
                " system_column=...; predictions need gold=... and item=...",
            )
    return values.astype(np.float64)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _scores(table: Table, records: dict[str, _Record], paired: bool) -> dict[str, Array]:
    """Return the score of each run; cells without a value are runs that a system does not have."""
    out: dict[str, dict[str, float]] = {}
    for name, record in records.items():
        there = np.flatnonzero(~record.column.missing)
        if there.size == 0:
            raise InvalidInputError(f"{table.source}: system {name!r} has no runs")
        values = _numbers(table, name, record.column.values[there])
        ids = [record.runs[position] for position in there]
        _check_once(table, name, ids, "run")
        out[name] = dict(zip(ids, values.tolist(), strict=True))
    order = _common_order(table, {name: list(of_runs) for name, of_runs in out.items()}, paired)
    return {name: np.array([of_runs[key] for key in (order or of_runs)]) for name, of_runs in out.items()}


def _check_once(table: Table, name: str, keys: Sequence[Any], what: str) -> None:
    doubled = next((key for key in keys if keys.count(key) > 1), None) if len(set(keys)) < len(keys) else None
    if doubled is not None:
        raise InvalidInputError(
            f"{table.source}: {what} {doubled!r} of system {name!r} occurs {keys.count(doubled)} times",
            hint=f"is there a column of items or datasets? Name it: item=... or {_DATASET_OPTION}",
        )


def _common_order(table: Table, ids: dict[str, list[str]], paired: bool) -> list[str] | None:
    """Return the runs in the order of the first system, if they are paired."""
    if not paired:
        return None
    first, *others = ids
    for name in others:
        absent = sorted(set(ids[first]) ^ set(ids[name]))
        if absent:
            raise InvalidInputError(
                f"{table.source}: paired runs must be the same for all systems, but run {absent[0]!r} is"
                f" missing from {first!r} or {name!r}",
                hint="leave that run out, or do not pair the runs",
            )
    return ids[first]


def _arrays(
    table: Table, records: dict[str, _Record], items: Sequence[str], paired: bool, *, needs_numbers: bool
) -> dict[str, list[Array]]:
    """Return one array per run, its values in the order of the items."""
    place = {item: position for position, item in enumerate(items)}
    found: dict[str, dict[str, Array]] = {}
    for name, record in records.items():
        values = record.column.values
        if needs_numbers:
            there = ~record.column.missing
            values = np.full(values.size, np.nan)
            values[there] = _numbers(table, name, record.column.values[there])
        rows: dict[str, list[int]] = {}
        for position, run in enumerate(record.runs):
            rows.setdefault(run, []).append(position)
        found[name] = {}
        for run, positions in rows.items():
            at = np.full(len(items), -1, dtype=np.int64)
            inner = [str(record.inner[position]) for position in positions] if record.inner else []
            _check_once(table, name, inner, f"run {run!r}: item")
            at[[place[item] for item in inner]] = positions
            gone = np.flatnonzero((at < 0) | record.column.missing[at])
            if gone.size:
                raise InvalidInputError(
                    f"{table.source}: run {run!r} of system {name!r} has no value for {gone.size} of"
                    f" {len(items)} items; first: {items[int(gone[0])]!r}",
                    hint="every run needs the same items; leave out the others",
                )
            found[name][run] = _plain(values[at])
    order = _common_order(table, {name: list(of_runs) for name, of_runs in found.items()}, paired)
    return {name: [of_runs[run] for run in (order or of_runs)] for name, of_runs in found.items()}


def _plain(values: Any) -> Any:
    """Return text as fixed-width strings, which the rest of the package takes."""
    return values.astype(np.str_) if values is not None and values.dtype.kind == "O" else values
