"""Tables of several runs (seeds) of each system: a score per run, or a value per run and item."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import counted, quoted, visible
from bestby._core.typing import Array
from bestby.data.alignment import chosen_names
from bestby.data.columns import Column, column_of_texts
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.assemble import agreed, typed, values_of
from bestby.data.layouts.items import (
    check_alike,
    check_no_counter,
    check_one_test_set,
    evaluation_of,
    system_column_of,
)
from bestby.data.layouts.soft import gathered, is_number
from bestby.data.roles import (
    ITEM_WORDS,
    RUN_WORDS,
    Roles,
    SeedOf,
    Soft,
    TableOptions,
    are_scores,
    average_note,
    averages,
    check_no_gold,
    check_no_step,
    facet_columns,
    left_out_notes,
    listed,
    matching,
    of_several_seeds,
    recognised,
    score_column,
    seed_of,
    shared_levels_note,
    shares_levels,
    transposed,
    unknown_system,
    without_quantities,
)
from bestby.data.table import Table, order_in_groups
from bestby.results.base import Note

FAILED_RUN = "a run that failed has a score too, the worst that a run can have"
"""What to know of a run without a score."""

VALUE_WORDS = ("score", "prediction", "value")

Cells: TypeAlias = Callable[[Collection[str]], Table]
"""Returns what logs hold as a table of cells, given the facets that are asked for."""


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
    description : str
        How the source was read.
    greater_is_better : bool or None
        The direction of the scores, if the source knows it.
    notes : tuple of Note
        What must be known of how the source was read.
    called : str or None
        The column of the values of a long table: without gold it tells scores from predictions.
    cells : callable or None
        Of logs: returns their table of cells, as `compare_facets` reads it, for the facets that it is given.
    """

    runs: dict[str, Any]
    gold: Array | None
    clusters: Array | None
    metric: str | None
    description: str
    greater_is_better: bool | None = None
    notes: tuple[Note, ...] = ()
    called: str | None = None
    cells: Cells | None = None

    def __repr__(self) -> str:
        numbers = [f"{visible(str(name))} ({len(runs)})" for name, runs in self.runs.items()]
        return f"<runs of {counted(len(numbers), 'system')}: {listed(numbers)}>"


@dataclass(frozen=True, eq=False)
class _Record:
    """The rows of one system: which run, which item or dataset, and its value."""

    runs: list[str]
    inner: list[str] | None
    column: Column


@dataclass(frozen=True)
class RunColumns:
    """Which columns of a table of runs are what; `facets` are those that cells have beside the item."""

    run: str | None
    item: str | None
    dataset: str | None
    gold: str | None
    cluster: str | None
    system: str | None
    facets: tuple[str, ...] = ()

    @property
    def inner(self) -> str | None:
        """The column of what a run has several values for."""
        return self.item or self.dataset

    @property
    def taken(self) -> set[str | None]:
        """The columns that hold no values of a system."""
        return {self.run, self.item, self.dataset, self.gold, self.cluster, self.system, *self.facets}


def runs_of(
    table: Table,
    options: TableOptions,
    *,
    run: str | None = None,
    dataset: str | None = None,
    datasets: Sequence[str] | None = None,
    paired: bool = False,
) -> Runs:
    """Return the runs of a table: a column per system and a row per run (wide), or a column of systems.

    A table of items may have a column per system and seed, called so.
    """
    table, options = table.prepared(options)
    seeds = of_several_seeds(table.names)
    if seeds and run is dataset is datasets is None and {*table.names}.isdisjoint(options.systems or ()):
        return _runs_side_by_side(table, options, seeds, paired=paired)
    return _runs_of_rows(table, options, run, dataset, datasets, paired)


def _runs_of_rows(
    table: Table,
    options: TableOptions,
    run: str | None,
    dataset: str | None,
    datasets: Sequence[str] | None,
    paired: bool,
) -> Runs:
    """Return the runs of a table with a row per run, or per run and item or dataset."""
    roles = run_columns(table, options, run, dataset)
    _check_no_fold(table, roles, options.systems)
    if options.soft.texts:  # whose gold may be lists of several right answers
        table = gathered(table, options.soft, roles.taken)
    if options.roles.gold is not None and roles.item is None:
        raise InvalidInputError(
            f"{table.source}: a gold needs a column of items (item or id), which is not there",
            hint=f"name it: items=...; its columns are: {listed(table.names)}",
        )
    rows = _rows_of_datasets(table, roles, datasets)
    value = value_column_of(table, roles, options.value_column)
    soft = options.soft
    records = _records(table, roles, value, options.systems, rows, soft)
    if value is None and options.systems is None:
        check_no_counter(table, {name: record.column for name, record in records.items()}, None)
    gold = None if roles.gold is None or roles.item is None else values_of(table, roles.gold, soft).take(rows)
    columns, gold, _, _ = typed({name: record.column for name, record in records.items()}, gold, soft)
    records = {name: dataclasses.replace(r, column=columns[name]) for name, r in records.items()}
    notes = _left_out(table, roles, options, value, records)
    facets = facet_columns(name for name in table.names if name not in records)
    if len(facets) > 1 or shares_levels(run for one in records.values() for run in one.runs):
        notes += (shared_levels_note(facets if len(facets) > 1 else ()),)
    message = f"a {'wide' if value is None else 'long'} table of runs; systems: {listed(list(records))}"
    message += "" if value is None else f" (column {roles.system})"
    metric = None if value is None or value in VALUE_WORDS or are_scores(value) is False else value
    if roles.inner is None:
        if value is not None:
            _check_scored(table, records)
        records, mean = _without_means(records)
        scores = _scores(table, records, paired)
        return Runs(scores, None, None, metric, message, notes=(*notes, *mean), called=value)
    ids = table.texts(roles.inner, "item" if roles.item else "dataset")
    ids = [ids[row] for row in rows]
    items = list(dict.fromkeys(ids))
    if roles.item is None and len(items) > 1:
        _refuse_datasets(table, roles, items)
    if roles.item is not None and roles.dataset is not None:
        named = [*dict.fromkeys(table.texts(roles.dataset, "dataset")[row] for row in rows)]
        if len(named) > 1:
            said = (
                f"the items of {len(named)} datasets (column {roles.dataset}: {listed(named)}) count as one"
                " test set; read_runs(path, datasets=...) (--dataset) chooses one"
            )
            notes += (Note("datasets_as_one", said),)
    arrays = _arrays(table, records, items, paired, needs_numbers=gold is None)
    if roles.item is None:
        only = {name: np.array(by_run)[:, 0] for name, by_run in arrays.items()}
        return Runs(only, None, None, metric, f"{message}; dataset: {items[0]}", notes=notes, called=value)
    labels = None
    if gold is not None:
        agreed(table.source, "gold", ids, gold)
        if not soft.as_given and not gold.is_items:  # two texts are seldom equal
            check_alike(table, columns, gold)
        message += f"; gold: {roles.gold}"
        # `agreed` returns text; the gold keeps the type that it has with the predictions.
        first = {key: position for position, key in reversed(list(enumerate(ids)))}
        labels = plain_values(gold.take([first[key] for key in items]))
        metric = None
    clusters = None
    if roles.cluster is not None:
        names = column_of_texts(table.texts(roles.cluster, "cluster")).take(rows)
        groups = agreed(table.source, "cluster", ids, names)
        clusters = np.array([groups[key] for key in items])
    return Runs(dict(arrays), labels, clusters, metric, message, notes=notes, called=value)


_NUMBER_LAST = re.compile(
    r"(?P<system>.+?)[^a-z0-9]+(?:run|rep|trial|r|s)?[^a-z0-9]*(?P<run>\d+)", re.IGNORECASE
)


def _check_no_fold(table: Table, roles: RunColumns, systems: Sequence[str] | None) -> None:
    """Refuse scores of folds, which share training items, unless they are said to be the runs."""
    if "fold" in table.data and roles.item is None and "fold" not in {roles.run, *(systems or ())}:
        check_one_test_set(table, ["fold"])


def _runs_side_by_side(
    table: Table, options: TableOptions, columns: Mapping[str, Sequence[str]], *, paired: bool
) -> Runs:
    """Return the runs of a table of items; `columns` are those of each system."""
    names = [name for several in columns.values() for name in several]
    roles = recognised(options.roles, table.data)
    taken = {*names, *(name for _, name in roles.named())}
    others = without_quantities([name for name in table.names if name not in taken])
    if roles.gold is None:
        check_no_gold(table.source, others)
    if others:
        raise InvalidInputError(
            f"{table.source}: column {quoted(others[0])} is of no seed, beside those that are",
            hint=f"leave it out: ignore={others[0]!r}",
        )
    evaluation = evaluation_of(table, dataclasses.replace(options, roles=roles, systems=tuple(names)))
    return runs_by_name(evaluation, options.systems, None, paired=paired)


def runs_by_name(
    evaluation: Evaluation,
    systems: str | Sequence[str] | None,
    ignore: str | Sequence[str] | None,
    *,
    paired: bool,
) -> Runs:
    """Return the runs of what was read as a system per run."""
    found: dict[str, dict[str, str]] = {}
    for name in evaluation.names:
        system, run = run_of(name)
        other = found.setdefault(system, {}).setdefault(run, name)
        if other != name:
            raise InvalidInputError(
                f"{quoted(other)} and {quoted(name)} are both run {run} of {system}",
                hint="leave one out, or name the runs by numbers of their own",
            )
    chosen = {name: found[name] for name in chosen_names([*found], systems, ignore, "the files")}
    orders = {name: list(names) for name, names in chosen.items()}
    if paired:
        first, *others = orders
        for name in others:
            if {*orders[name]} != {*orders[first]}:
                raise InvalidInputError(
                    f"paired runs must be the same for all systems: {first} has {listed(orders[first])},"
                    f" {name} {listed(orders[name])}",
                    hint="leave out the runs that not all have, or do not pair them",
                )
            orders[name] = orders[first]
    runs = {name: [evaluation.systems[chosen[name][run]] for run in order] for name, order in orders.items()}
    read = "; ".join(f"{name}: {listed(order)}" for name, order in orders.items())
    notes = tuple(note for note in evaluation.notes if note.code != "read_as")
    called = next(iter(evaluation.called.values()), None)
    description = f"values per item and run; runs of {read}"
    return Runs(runs, evaluation.gold, evaluation.clusters, None, description, notes=notes, called=called)


def run_of(name: str) -> SeedOf:
    """Return the system and the run of a file; a number at the end of its name is enough."""
    match = _NUMBER_LAST.fullmatch(name)
    found = seed_of(name) or (None if match is None else SeedOf(match["system"], match["run"]))
    if found is None:
        raise InvalidInputError(
            "the runs of all systems must be in one table, or in a file per run whose name tells the run;"
            f" {name!r} does not",
            hint="give each file the name of its system and run: bert-1=FILE; or give one table of all runs",
        )
    return found


def _refuse_datasets(table: Table, roles: RunColumns, datasets: Sequence[str]) -> None:
    """Refuse the runs of several datasets: their mean would hide on which of them there is a difference."""
    raise InvalidInputError(
        f"{table.source}: the runs are of {len(datasets)} datasets (column {roles.dataset!r}:"
        f" {listed(datasets)}), and this comparison is of the runs on one",
        hint="compare them over all datasets: compare_datasets (bestby datasets); or choose one dataset",
    )


def run_columns(
    table: Table, options: TableOptions, run: str | None = None, dataset: str | None = None
) -> RunColumns:
    """Return which columns are what: as the user named them, and as they are called."""
    named = options.roles
    others = Roles(named.gold, named.item, named.cluster, dataset)
    by = options.system_column or system_column_of(table, others, options.systems)
    wanted = {"run": run, "item": named.item, "dataset": dataset}
    wanted |= {"gold": named.gold, "cluster": named.cluster}
    for role, name in wanted.items():
        if name is not None:
            table.require(name, role)
    by_name = {name.lower(): name for name in reversed(table.names)}
    taken = {name for name in wanted.values() if name is not None} | {by}
    chosen = set(options.systems or ()) if by is None else set()

    def part(role: str, *words: str) -> str | None:
        if wanted[role] is not None:
            return wanted[role]
        names = (by_name[word] for word in words if word in by_name)
        return next((name for name in names if name not in taken and name not in chosen), None)

    return RunColumns(
        run=part("run", *RUN_WORDS),
        item=part("item", *ITEM_WORDS),
        dataset=part("dataset", "dataset"),
        gold=part("gold", "gold"),
        cluster=part("cluster", "cluster"),
        system=None if by is None else table.require(by, "system"),
    )


def _rows_of_datasets(table: Table, roles: RunColumns, datasets: Sequence[str] | None) -> list[int]:
    """Return the rows of the datasets asked for; all if none were."""
    if datasets is None:
        return list(range(table.n_rows))
    datasets = checks.valid_name_list(datasets, "datasets")
    if roles.dataset is None:
        raise InvalidInputError(
            f"{table.source} has no column of datasets",
            hint=f"name it: dataset=...; its columns are: {listed(table.names)}",
        )
    labels = table.texts(roles.dataset, "dataset")
    for name in datasets:
        if name not in labels:
            known = listed(list(dict.fromkeys(labels)))
            raise InvalidInputError(f"{table.source}: no dataset {name!r}", hint=f"it has: {known}")
    return [row for row, label in enumerate(labels) if label in set(datasets)]


def value_column_of(table: Table, roles: RunColumns, value_column: str | None) -> str | None:
    """Return the column of the values of all systems; None in a wide table."""
    if roles.system is None:
        return None
    if value_column is not None:
        return table.require(value_column, "value column")
    words = ("prediction", "score") if roles.gold and roles.item else VALUE_WORDS
    return column_of_values(table, roles.taken, words)


def column_of_values(table: Table, taken: Collection[str | None], words: Sequence[str]) -> str:
    """Return the column that is called by one of the words, or the only one that is not taken."""
    others = [name for name in table.names if name not in taken]
    called = [word for word in words if word in table.data]
    if called or len(others) == 1:
        return (called or others)[0]
    first = score_column(others) or next(iter(others), None)
    raise InvalidInputError(
        f"{table.source}: which column holds the scores? Candidates: {listed(others) or 'none'}",
        hint=f"name it: value_column={'...' if first is None else repr(first)}",
    )


def _run_ids(table: Table, roles: RunColumns, rows: Sequence[int]) -> list[str]:
    if roles.run is None:
        if roles.item is not None or roles.dataset is not None:
            raise InvalidInputError(
                f"{table.source} has no column called {' or '.join(RUN_WORDS)}",
                hint=f"name it: run=...; its columns are: {listed(table.names)}",
            )
        return [str(row + 1) for row in rows]
    ids = table.texts(roles.run, "run")
    return [ids[row] for row in rows]


def _records(
    table: Table,
    roles: RunColumns,
    value: str | None,
    systems: Sequence[str] | None,
    rows: Sequence[int],
    soft: Soft,
) -> dict[str, _Record]:
    """Return the rows of each system."""
    ids = None if roles.inner is None else table.texts(roles.inner, "item")
    return {
        name: _Record(
            _run_ids(table, roles, own), None if ids is None else [ids[row] for row in own], column.take(own)
        )
        for name, (own, column) in columns_of_systems(table, roles, value, systems, rows, soft).items()
    }


def columns_of_systems(
    table: Table,
    roles: RunColumns,
    value: str | None,
    systems: Sequence[str] | None,
    rows: Sequence[int],
    soft: Soft,
) -> dict[str, tuple[Sequence[int], Column]]:
    """Return the rows of each system, of those given, and the column that holds its values."""
    if value is None:
        names = _wide_systems(table, roles, systems)
        return {name: (rows, values_of(table, name, soft)) for name in names}
    column = values_of(table, value, soft)
    return {name: (own, column) for name, own in _rows_of_systems(table, roles, systems, rows).items()}


def _rows_of_systems(
    table: Table, roles: RunColumns, systems: Sequence[str] | None, rows: Sequence[int]
) -> dict[str, list[int]]:
    labels = table.texts(str(roles.system), "system")
    column_of_runs = None if roles.run is None else table.texts(roles.run, "run")
    groups = [row if column_of_runs is None else column_of_runs[row] for row in rows]
    known = order_in_groups([labels[row] for row in rows], groups)
    names = known if systems is None else matching(systems, known, unknown_system(table.source, known))
    places: dict[str, list[int]] = {name: [] for name in names}
    for row in rows:
        if labels[row] in places:
            places[labels[row]].append(row)
    return places


def _wide_systems(table: Table, roles: RunColumns, systems: Sequence[str] | None) -> list[str]:
    names = [name for name in table.names if name not in roles.taken]
    if systems is None:
        names = without_quantities(names)
    else:
        names = matching(systems, names, lambda name: table.unknown(name, "system"))
    if not names:
        raise InvalidInputError(
            f"{table.source}: there is no column of a system",
            hint=f"its columns are: {listed(table.names)}",
        )
    if systems is None and roles.gold is None:
        scores = score_column(names)
        if scores is not None:
            return [scores]
        check_no_gold(table.source, names)
        check_no_step(table.source, names)
    return names


def _left_out(
    table: Table, roles: RunColumns, options: TableOptions, value: str | None, systems: Collection[str]
) -> tuple[Note, ...]:
    """Return the notes on columns of a wide table that were not read."""
    if value is not None or options.systems is not None:
        return ()
    others = [name for name in table.names if name not in roles.taken and name not in systems]
    return tuple(left_out_notes(systems, others))


def _without_means(records: dict[str, _Record]) -> tuple[dict[str, _Record], list[Note]]:
    """Return the records without rows that are the mean of the other runs, and notes on them."""
    scores = {
        name: {
            run: float(value)
            for run, value, gone in zip(one.runs, one.column.values, one.column.missing, strict=True)
            if not gone and is_number(str(value))
        }
        for name, one in records.items()
    }
    means = averages(transposed(scores))
    rest = {}
    for name, one in records.items():
        rows = [place for place, run in enumerate(one.runs) if run not in means]
        rest[name] = _Record([one.runs[row] for row in rows], None, one.column.take(rows))
    return rest, [average_note("run", name) for name in means]


def _numbers(table: Table, name: str, values: Array) -> Array:
    """Return values as numbers; all columns are text if one of them holds a text."""
    if values.dtype.kind not in "biuf":
        text = next((value for value in map(str, values) if not is_number(value)), None)
        if text is not None:
            raise InvalidInputError(
                f"{table.source}: system {name!r} has a value that is not a number: {text!r}",
                hint=checks.number_hint(
                    text,
                    "choose the columns of the systems: systems=[...]; a column of their names is"
                    " system_column=...; predictions need gold=... and items=...",
                ),
            )
    return values.astype(np.float64)


def _check_scored(table: Table, records: dict[str, _Record]) -> None:
    """Refuse a run that has a row, but no score."""
    for name, record in records.items():
        if record.column.missing.any():
            run = record.runs[int(record.column.missing.argmax())]
            raise unscored_run(f"{table.source}: run {quoted(run)} of system {quoted(name)} has no score")


def unscored_run(message: str) -> InvalidInputError:
    """Return the error that a row of a run has no score."""
    return InvalidInputError(message, hint=f"remove the row, if there is no such run; {FAILED_RUN}")


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
    order = _common_order(table, {name: list(by_run) for name, by_run in out.items()}, paired)
    return {name: np.array([by_run[key] for key in (order or by_run)]) for name, by_run in out.items()}


def _check_once(table: Table, name: str, keys: Sequence[Any], what: str) -> None:
    key, times = next(iter(Counter(keys).most_common(1)), (None, 0))
    if times > 1:
        facets = facet_columns(table.names)
        hint = "is there a column of items or datasets? Name it: items=... or dataset=..."
        if len(facets) > 1:
            hint = f"compare over {listed(facets)} at once: compare_facets (bestby facets); or name items=..."
        raise InvalidInputError(
            f"{table.source}: {what} {key!r} of system {name!r} occurs {times} times", hint=hint
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
                f"{table.source}: paired runs must be the same for all systems, but run {quoted(absent[0])}"
                f" is missing from {quoted(name if absent[0] in ids[first] else first)}",
                hint="leave that run out, or do not pair the runs",
            )
    return ids[first]


def _arrays(
    table: Table, records: dict[str, _Record], items: Sequence[str], paired: bool, *, needs_numbers: bool
) -> dict[str, list[Array]]:
    """Return one array per run, its values in the order of the items."""
    place = {item: position for position, item in enumerate(items)}
    by_system: dict[str, dict[str, Array]] = {}
    for name, record in records.items():
        values = record.column.values
        if needs_numbers:
            there = ~record.column.missing
            values = np.full(values.size, np.nan)
            values[there] = _numbers(table, name, record.column.values[there])
        rows: dict[str, list[int]] = {}
        for position, run in enumerate(record.runs):
            rows.setdefault(run, []).append(position)
        by_system[name] = {}
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
            by_system[name][run] = values[at] if needs_numbers else plain_values(record.column.take(at))
    order = _common_order(table, {name: list(by_run) for name, by_run in by_system.items()}, paired)
    return {name: [by_run[run] for run in (order or by_run)] for name, by_run in by_system.items()}


def plain_values(column: Column) -> Array:
    """Return text as fixed-width strings, which the rest of the package takes."""
    return column.values.astype(np.str_) if column.is_text else column.values
