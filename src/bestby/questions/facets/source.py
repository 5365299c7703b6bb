"""What `compare_facets` takes: a value per cell of each system, from tables, arrays and logs."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.arrays import is_table
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import counted, quoted
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.comparisons.provenance import hash_of
from bestby.comparisons.reading import reads_label_sets, reads_objects
from bestby.data.alignment import chosen_systems
from bestby.data.columns import MISSING, group_codes
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.assemble import typed, values_of
from bestby.data.layouts.runs import (
    VALUE_WORDS,
    Runs,
    columns_of_systems,
    plain_values,
    run_columns,
    value_column_of,
)
from bestby.data.reading import Reading
from bestby.data.roles import Soft, TableOptions, facet_columns, listed
from bestby.data.table import Table, table_of, unreadable
from bestby.engine import functionals, prepare
from bestby.metrics.base import MeanMetric, Metric
from bestby.metrics.directions import mean_called
from bestby.metrics.functions import name_and_direction
from bestby.metrics.suitability import metric_of_parts, notes_of_parts
from bestby.questions.facets.components import Averaging, n_combinations
from bestby.questions.facets.nesting import (
    Nesting,
    check_levels,
    joint_levels,
    nesting_of,
    one_of_each,
    pairs_named,
)
from bestby.readers.formats.base import read_log
from bestby.readers.one_table import one_table
from bestby.readers.reading import runs_of_log
from bestby.results.base import MetricInfo, Note

_OF_EACH = "give the values of each system under its name"

ITEM = "item"
"""What the items are called where no column names them."""


@dataclass(frozen=True)
class Asked:
    """The arguments of `compare_facets` that say what the data are; see there."""

    facets: Any = None
    items: str | Sequence[str] | None = None
    nested: Any = None
    fixed: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    clusters: Any = None
    systems: Any = None
    reading: Reading = dataclasses.field(default_factory=Reading)


@dataclass(frozen=True, eq=False)
class FacetData:
    """The value of each system in each cell, shape (S, n), NaN where there is none, and the design.

    `levels` are the names of the levels of each facet, `single` the fixed facets that have one level each.
    """

    names: tuple[str, ...]
    metric: MetricInfo
    values: FloatArray
    codes: Mapping[str, IntArray]
    levels: Mapping[str, Sequence[str]]
    nesting: Nesting
    unmatched: tuple[str, ...]
    single: tuple[str, ...]
    data_hash: str
    notes: tuple[Note, ...] = ()

    @property
    def cells(self) -> tuple[Averaging, FloatArray, int]:
        """Cells of matched levels, the share of systems that each has a value of, and how many could be."""
        facets = [facet for facet in self.nesting.facets if facet not in self.unmatched]
        cells = Averaging.over(self.codes, facets)
        there = np.isfinite(np.stack([cells.means(values) for values in self.values])).mean(axis=0)
        return cells, there, n_combinations(self.nesting, facets, cells.codes)

    def complete(self, on_missing: str) -> FacetData:
        """Return the data without items that lack a cell ("drop"), or refuse missing cells ("error")."""
        cells, there, full = self.cells
        n_lacking = len(self.names) * full - round(len(self.names) * float(there.sum()))
        item = self.nesting.items
        if n_lacking <= 0:
            return self
        if on_missing == "error" or item is None:
            raise InvalidInputError(
                f"{n_lacking} of {full * len(self.names)} cells have no value",
                hint='on_missing="pairs" compares every two systems on the cells that both have',
                argument="on_missing",
            )
        times = np.bincount(cells.codes[item], there == 1.0)
        keep = (times == times.max())[self.codes[item]]
        left_out = counted(int((times < times.max()).sum()), "item")
        note = Note("items_dropped", f"{left_out} without a value in every cell left out")
        codes = {facet: joint_levels([code[keep]]) for facet, code in self.codes.items()}
        return dataclasses.replace(self, codes=codes, values=self.values[:, keep], notes=(*self.notes, note))


def names_of(given: Any, what: str) -> tuple[str, ...]:
    """Return the names that an argument holds, of which there may be none."""
    return () if given is None else checks.valid_name_list(given, what)


def read_facets(paths: Sequence[str], missing: Any = None, value_column: Any = None) -> Table | Runs:
    """Return the table in a file, or what logs of a tool hold."""
    log = read_log(paths, "drop", value_column=value_column)
    if log is None:
        return one_table(paths, "all cells", MISSING if missing is None else missing)
    if log.unpooled is not None:
        raise log.unpooled
    return runs_of_log(log)


def data_of(data: Any, gold: Any, metric: Any, asked: Asked) -> FacetData:
    """Return the values of all systems by cell, and the facets with what lies in what."""
    metric, greater_is_better = name_and_direction(metric)
    rows = _rows(data, gold, metric, asked)
    checks.two_systems(tuple(rows.values), hint=_OF_EACH)
    better = rows.greater_is_better if greater_is_better is None else greater_is_better
    values, info, notes = _measured(rows, metric, better)
    nested = pairs_named(asked.nested)
    named = {"fixed": asked.fixed, "unmatched": asked.unmatched, "nested": [*chain(*nested)]}
    for what, name in ((what, name) for what, names in named.items() for name in names):
        if name not in rows.levels:
            raise InvalidInputError(
                f"no facet {quoted(name)} (named as {what})",
                hint=f"facets: {listed([*rows.levels])}",
                argument=what,
            )
    for facet in asked.unmatched:
        if facet in asked.fixed or facet == rows.items:
            raise InvalidInputError(
                f"{quoted(facet)} is named as unmatched, which a sampled facet beside the items can be",
                hint="leave it out of unmatched",
                argument="unmatched",
            )
    if rows.clusters is not None and rows.items is not None:
        nested.append((rows.items, rows.clusters))
    single = tuple(facet for facet in asked.fixed if len(rows.levels[facet]) == 1)
    codes = {facet: code for facet, code in rows.codes.items() if facet not in single}
    nested = [pair for pair in nested if codes.keys() >= {*pair}]
    nesting, found = nesting_of(codes, nested, {*asked.fixed} - {*single}, rows.items)
    check_levels(nesting, rows.levels)
    paired = [facet for facet in asked.unmatched if not nesting.parents[facet] - nesting.fixed]
    for facet in asked.unmatched:
        within = [codes[parent] for parent in sorted(nesting.parents[facet])]
        codes[facet] = _by_number(codes[facet], joint_levels([rows.system, *within]))
    cells = Averaging.over(codes, nesting.facets)
    table, averaged = _by_cell(cells, rows.system, values, len(rows.values))
    by_system = zip(rows.values, table, strict=True)
    return FacetData(
        names=tuple(rows.values), metric=info, values=table, codes=dict(cells.codes), levels=rows.levels,
        nesting=nesting, unmatched=tuple(facet for facet in asked.unmatched if facet not in paired),
        single=single,
        data_hash=hash_of({name: _hash_text(row, cells.codes, nesting.facets) for name, row in by_system}),
        notes=(*rows.notes, *notes, *found, *averaged, *map(_paired_by_number, paired)),
    )  # fmt: skip


def _by_number(codes: IntArray, group: IntArray) -> IntArray:
    """Return the levels of a facet numbered from 0 in each group, in their order."""
    pairs = joint_levels([group, codes])
    group_of = one_of_each(pairs, group)
    numbers: IntArray = np.arange(group_of.size) - np.searchsorted(group_of, group_of)
    return numbers[pairs]


def _paired_by_number(facet: str) -> Note:
    return Note(
        "paired_by_number",
        f"{facet} is unmatched and lies in no other sampled facet: the levels of two systems were paired in"
        " their order, which holds, with fewer degrees of freedom than two samples have",
    )


def _by_cell(
    cells: Averaging, system: IntArray, values: FloatArray, n_systems: int
) -> tuple[FloatArray, tuple[Note, ...]]:
    """Return the mean of each system's values in each cell, NaN without one, and a note on several."""
    table = np.stack([cells.means(np.where(system == one, values, np.nan)) for one in range(n_systems)])
    most = int(np.bincount(system * table.shape[1] + cells.place).max())
    message = (
        f"up to {most} values of a system in one cell ({listed([*cells.codes])}) were averaged; if a column"
        " tells them apart, name it as a facet or as the items"
    )
    notes = (Note("cells_averaged", message),) if most > 1 else ()
    return table, notes


def _hash_text(values: FloatArray, codes: Mapping[str, IntArray], facets: Sequence[str]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for array in (values, *(codes[facet] for facet in facets)):
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.hexdigest()


# -- rows of a table, of arrays, of logs ------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Rows:
    """Values before a metric has read them, a row each, those of one system after those of another.

    `values` and `gold` are by system; `system` and the `codes` of the levels of every facet are of all rows.
    """

    values: Mapping[str, Array]
    gold: Mapping[str, Array] | None
    codes: Mapping[str, IntArray]
    levels: Mapping[str, Sequence[str]]
    items: str | None
    clusters: str | None = None
    called: str | None = None
    soft: Soft = dataclasses.field(default_factory=Soft)
    greater_is_better: bool | None = None
    notes: tuple[Note, ...] = ()

    @property
    def system(self) -> IntArray:
        """The number of the system of each row."""
        return np.repeat(np.arange(len(self.values)), [len(one) for one in self.values.values()])


def _rows(data: Any, gold: Any, metric: Any, asked: Asked) -> Rows:
    if isinstance(data, Runs):
        if gold is not None or (asked.clusters is not None and data.cells is None):
            raise InvalidInputError(
                "what read_runs returns already holds gold and clusters",
                hint="name their columns to read_runs instead",
            )
        return _of_runs(data, asked)
    label_sets = reads_label_sets(metric)
    soft = Soft(objects=reads_objects(metric) and not label_sets, label_sets=label_sets)
    if isinstance(data, Table) or is_table(data):
        return _of_table(data if isinstance(data, Table) else table_of(data), gold, asked, soft)
    if not isinstance(data, Mapping):
        raise unreadable(
            data,
            "a long table, or a mapping of system to an array with an axis per facet",
            'compare_facets({"a": scores_a, "b": scores_b}, facets=("prompt", "seed"))',
            "compare_facets(bestby.read_runs({}))",
        )
    return _of_arrays(data, gold, asked, soft)


def _facet_names(asked: Asked, there: Sequence[str] | None, source: str) -> tuple[str, ...]:
    """Return the names of the facets: those asked for, or those that columns are called."""
    names = names_of(asked.facets, "facets") or tuple(facet_columns(there or ()))
    if not names:
        known = "" if there is None else f"; its columns are: {listed(there)}"
        raise InvalidInputError(
            f"{source}: which facets do the cells have?",
            hint=f'name them: facets=("prompt", "seed"){known}',
            argument="facets",
        )
    return names


def _of_table(table: Table, gold: str | None, asked: Asked, soft: Soft) -> Rows:
    """Return the rows of a long table, or of a wide one with a column per system."""
    options = TableOptions.of(
        gold, asked.items, asked.clusters, systems=asked.systems, reading=asked.reading, soft=soft
    )
    table, options = table.prepared(options)
    named = options.roles
    if named.crossed is not None:
        raise DesignError(
            f"clusters are one grouping of the items here, got {named.cluster} and {named.crossed}",
            hint=f'name the second as a facet: facets=(..., "{named.crossed}")',
            argument="clusters",
        )
    columns = dataclasses.replace(run_columns(table, options), run=None, dataset=None, cluster=named.cluster)
    free = [name for name in table.names if name not in (columns.item, columns.system)]
    facets = _facet_names(asked, free, table.source)
    if columns.system in [table.require(name, "facets") for name in facets]:
        raise InvalidInputError(
            f"{columns.system} is the column of the systems, and no facet of them",
            hint="name other columns",
            argument="facets",
        )
    columns = dataclasses.replace(columns, facets=facets)
    axes = dict.fromkeys(name for name in (*facets, columns.cluster, columns.item) if name is not None)
    levels, codes = {}, {}
    for name in axes:
        texts = np.asarray(table.texts(name, "item" if name == columns.item else "facet"))
        distinct, place = group_codes(texts)
        levels[name], codes[name] = distinct.tolist(), place.astype(np.int64)
    value = value_column_of(table, columns, options.value_column)
    found = columns_of_systems(table, columns, value, options.systems, range(table.n_rows), soft)
    golden = None if columns.gold is None else values_of(table, columns.gold, soft)
    read, golden, _, _ = typed({name: column for name, (_, column) in found.items()}, golden, soft)
    places = {
        name: np.asarray(rows)[~read[name].missing[np.asarray(rows)]] for name, (rows, _) in found.items()
    }
    every = np.concatenate([*places.values()])
    plain = attrgetter("values") if soft.objects else plain_values  # objects may be lists of texts
    what = f"{table.source} was read as a table of cells: {listed([*axes])}; systems: {listed([*places])}"
    return Rows(
        {name: plain(read[name].take(place)) for name, place in places.items()},
        None if golden is None else {name: plain(golden.take(place)) for name, place in places.items()},
        {facet: code[every] for facet, code in codes.items()},
        levels, columns.item, columns.cluster, value, soft, notes=(Note("read_as", what),),
    )  # fmt: skip


def _of_arrays(data: Mapping[str, Any], gold: Any, asked: Asked, soft: Soft) -> Rows:
    """Return the cells of arrays with an axis per facet, and one of the items if there is one more."""
    chosen = chosen_systems(data, asked.systems, asked.reading.ignore)
    checks.two_systems(tuple(map(str, chosen)), hint=_OF_EACH)
    axes = [*_facet_names(asked, None, "arrays of values")]
    item = checks.valid_name(asked.items, "items") or ITEM
    named = {checks.name_text(name, "system"): one for name, one in chosen.items()}
    tables = {name: checks.as_array(one, f"the values of {quoted(name)}") for name, one in named.items()}
    shapes = {name: array.shape for name, array in tables.items()}
    if {*map(len, shapes.values())} == {len(axes) + 1}:
        axes.append(item)
    elif {*map(len, shapes.values())} != {len(axes)}:
        raise InvalidInputError(
            f"arrays must have an axis for each of {listed(axes)}, and one for the items last; got"
            f" {listed([f'{name}: {shape}' for name, shape in shapes.items()], 3)}",
            hint="name the axes in their order: facets=(...)",
            argument="facets",
        )
    if asked.clusters is not None:
        raise InvalidInputError(
            "clusters name a column, and arrays have none",
            hint="give a long table with a column of the clusters",
            argument="clusters",
        )
    _check_shapes(shapes, axes, asked)
    labels = None if gold is None else checks.column(gold, "gold")
    if labels is not None and (axes[-1] != item or labels.size != next(iter(shapes.values()))[-1]):
        raise InvalidInputError(
            f"gold has {labels.size} values, and the last axis of the arrays does not",
            hint="give a gold label for each item, the items on the last axis",
            argument="gold",
        )
    values, places = {}, {}
    for name, array in tables.items():
        flat = array.reshape(-1)
        of_objects = array.dtype.kind == "O"
        gone = np.array([checks.missing(x) for x in flat]) if of_objects else flat != flat  # NaN
        values[name] = checks.column(flat[~gone].tolist() if of_objects else flat[~gone], name)
        places[name] = np.indices(array.shape).reshape(array.ndim, -1)[:, ~gone]
    sizes = zip(axes, np.max([*shapes.values()], axis=0).tolist(), strict=True)
    return Rows(
        values,
        None if labels is None else {name: labels[place[-1]] for name, place in places.items()},
        dict(zip(axes, np.concatenate([*places.values()], axis=1), strict=True)),
        {facet: [str(place + 1) for place in range(size)] for facet, size in sizes},
        item if axes[-1] == item else None,
        soft=soft,
    )


def _check_shapes(shapes: Mapping[str, tuple[int, ...]], axes: Sequence[str], asked: Asked) -> None:
    """Refuse arrays that differ in the number of levels of a facet that is the same for all systems."""
    first, *others = shapes
    for name in others:
        for facet, size, other in zip(axes, shapes[first], shapes[name], strict=True):
            if size != other and facet not in asked.unmatched:
                raise InvalidInputError(
                    f"{quoted(first)} has {size} levels of {facet}, and {quoted(name)} {other}",
                    hint="give NaN in cells without a value; of levels that differ between systems say"
                    f' unmatched=("{facet}",)',
                )


def _of_runs(data: Runs, asked: Asked) -> Rows:
    """Return the samples of logs; runs of a table as one facet, its levels the runs in their order."""
    names = names_of(asked.facets, "facets")
    if data.cells is not None:  # read_runs was told already in which columns they are
        as_read = dataclasses.replace(asked, reading=Reading(ignore=asked.reading.ignore))
        rows = _of_table(data.cells(names), None, as_read, Soft())
    elif len(names) > 1:
        raise InvalidInputError(
            f"runs that were read have one facet, and {len(names)} are named: {listed(names)}",
            hint="give a table with a column for each facet",
            argument="facets",
        )
    else:
        stacked = {name: np.array([*map(np.asarray, runs)]) for name, runs in data.runs.items()}
        rows = _of_arrays(stacked, data.gold, dataclasses.replace(asked, facets=names or ("run",)), Soft())
    read = dataclasses.replace(
        rows,
        called=data.called or data.metric,
        greater_is_better=data.greater_is_better,
        notes=(Note("read_as", f"the data were read as {data.description}"), *data.notes),
    )
    if data.clusters is None or data.cells is not None or rows.items is None:
        return read
    labels, of_item = group_codes(np.asarray(data.clusters))
    codes = {**rows.codes, "cluster": of_item[rows.codes[rows.items]].astype(np.int64)}
    return dataclasses.replace(
        read, codes=codes, levels={**rows.levels, "cluster": labels.tolist()}, clusters="cluster"
    )


# -- values by the metric --------------------------------------------------------------------------


def _measured(
    rows: Rows, metric: Any, greater_is_better: bool | None
) -> tuple[FloatArray, MetricInfo, tuple[Note, ...]]:
    """Return what the metric makes of each row, what it is, and notes on how it reads them."""
    empty = next((name for name, values in rows.values.items() if len(values) == 0), None)
    if empty is not None:
        raise InvalidInputError(f"system {quoted(empty)} has no values", hint="leave the system out")
    parts = {
        name: dataclasses.replace(
            Evaluation.of(
                {name: values}, None if rows.gold is None else rows.gold[name],
                objects=rows.soft.objects, label_sets=rows.soft.label_sets,
            ),
            called={} if rows.called is None else {name: rows.called},
        )
        for name, values in rows.values.items()
    }  # fmt: skip
    if metric is None and rows.gold is None and rows.called is not None and rows.called not in VALUE_WORDS:
        metric = mean_called(rows.called, greater_is_better)
    chosen, noted = metric_of_parts(metric, parts, greater_is_better)
    if not isinstance(chosen, Metric):
        raise DesignError(
            f"{chosen.name} is neither a mean over items nor a function of sums, which facets take",
            hint="choose such a metric, as accuracy, mse or f1_macro are; compare_runs takes others",
        )
    beside_items = [code for facet, code in rows.codes.items() if facet not in (rows.items, rows.clusters)]
    run, system, values = joint_levels([np.zeros_like(rows.system), *beside_items]), rows.system, []
    for place, (name, part) in enumerate(noted.items()):
        values.append(_values_of(part, chosen, joint_levels([run[system == place]])))
        checks.check_bounded(values[-1], f"the values of {quoted(name)}")
        checks.check_not_tiny(values[-1], f"the values of {quoted(name)}")
    info = MetricInfo(chosen.name, chosen.greater_is_better, chosen.bounds)
    return np.concatenate(values), info, tuple(notes_of_parts(noted))


def _values_of(part: Evaluation, metric: Metric, runs: IntArray) -> FloatArray:
    """Return the values of which the scores of runs are the means, shape (n,).

    Of a function of sums they are the score of the run and the influence of the item on it, so that the means
    are exact, and their variance is that of the delta method.
    """
    fitted, (X,) = prepare.statistics_of(part, metric)
    if isinstance(fitted, MeanMetric):
        return X[:, 0].astype(np.float64)
    values = np.empty(len(X))
    for rows_of_run in np.split(np.argsort(runs, kind="stable"), np.cumsum(np.bincount(runs))[:-1]):
        own = X[rows_of_run]
        total = own.sum(axis=0)
        influence = functionals.influence(fitted, functionals.Functional(fitted), total, own)
        values[rows_of_run] = functionals.scores(fitted, total) + len(own) * influence
    if not np.isfinite(values).all():
        raise InvalidInputError(
            f"{metric.name} of {quoted(part.names[0])} is undefined, or has no slope, on some levels",
            hint="such as one with a single class; choose a metric that is a mean, such as accuracy",
        )
    return values
