"""What `compare_facets` takes: a value per cell of each system, from tables, arrays and logs."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
from bestby.data.columns import MISSING, Column, group_codes
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.assemble import typed, values_of
from bestby.data.layouts.runs import VALUE_WORDS, Runs, columns_of_systems, run_columns, value_column_of
from bestby.data.reading import Reading
from bestby.data.roles import Soft, TableOptions, facet_columns, listed
from bestby.data.table import Table, table_of, unreadable
from bestby.engine import functionals, prepare
from bestby.metrics.base import MeanMetric, Metric
from bestby.metrics.functions import name_and_direction
from bestby.metrics.suitability import metric_of_parts, notes_of_parts
from bestby.questions.facets.components import Averaging, Nesting, joint_levels, n_combinations
from bestby.readers.formats.base import one_table, read_log
from bestby.readers.reading import runs_of_log
from bestby.results.base import MetricInfo, Note

_OF_EACH = "give the values of each system under its name"

ITEM = "item"
"""What the items are called where no column names them."""


@dataclass(frozen=True)
class Asked:
    """The arguments of `compare_facets` that say what the data are; see there."""

    facets: Any = None
    items: str | None = None
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
    fixed = _names_among(asked.fixed, rows.levels, "fixed")
    unmatched = _names_among(asked.unmatched, rows.levels, "unmatched")
    for facet in unmatched:
        if facet in fixed or facet == rows.items:
            raise InvalidInputError(
                f"{quoted(facet)} is named as unmatched, which a sampled facet beside the items can be",
                hint="leave it out of unmatched",
                argument="unmatched",
            )
    single = tuple(facet for facet in rows.levels if facet in fixed and len(rows.levels[facet]) == 1)
    facets = [facet for facet in rows.levels if facet not in single]
    joined = {facet: np.concatenate([rows.codes[name][facet] for name in values]) for facet in facets}
    parents, found = _parents(joined, _declared(asked.nested, rows, single))
    rest = _outer_first(facets, parents, rows.items)
    nesting = Nesting(tuple(rest), parents, frozenset(fixed) - {*single}, rows.items)
    _check_levels(nesting, rows.levels)
    system = np.repeat(np.arange(len(values)), [x.size for x in values.values()])
    paired = [facet for facet in unmatched if not parents[facet] - nesting.fixed]
    for facet in unmatched:
        within = [joined[parent] for parent in sorted(parents[facet])]
        joined[facet] = _by_number(joined[facet], joint_levels([system, *within]))
    codes, table, averaged = _cells(joined, rest, system, np.concatenate([*values.values()]), len(values))
    return FacetData(
        names=tuple(values), metric=info, values=table, codes=codes, levels=rows.levels, nesting=nesting,
        unmatched=tuple(facet for facet in unmatched if facet not in paired), single=single,
        data_hash=hash_of({name: _hash_text(table[s], codes, rest) for s, name in enumerate(values)}),
        notes=(*rows.notes, *notes, *found, *averaged, *map(_paired_by_number, paired)),
    )  # fmt: skip


# -- rows of a table, of arrays, of logs ------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Rows:
    """Values with their system and the level of every facet, a row each, before a metric has read them.

    `values` and `gold` are by system; `codes` are by system and facet.
    """

    values: Mapping[str, Array]
    gold: Mapping[str, Array] | None
    codes: Mapping[str, Mapping[str, IntArray]]
    levels: Mapping[str, Sequence[str]]
    items: str | None
    clusters: str | None = None
    called: str | None = None
    soft: Soft = dataclasses.field(default_factory=Soft)
    greater_is_better: bool | None = None
    notes: tuple[Note, ...] = ()


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
    columns = dataclasses.replace(
        run_columns(table, options), run=None, dataset=None, gold=named.gold, cluster=named.cluster
    )
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
    golden = None if named.gold is None else values_of(table, named.gold, soft)
    read, golden, _, _ = typed({name: column for name, (_, column) in found.items()}, golden, soft)
    values, golds, of_system = {}, {}, {}
    for name, (rows, _) in found.items():
        there = np.asarray(rows)[~read[name].missing[np.asarray(rows)]]
        values[name] = _plain(read[name].take(there))
        of_system[name] = {facet: code[there] for facet, code in codes.items()}
        if golden is not None:
            golds[name] = _plain(golden.take(there))
    what = f"{table.source} was read as a table of cells: {listed([*axes])}; systems: {listed([*values])}"
    return Rows(
        values, None if golden is None else golds, of_system, levels, columns.item, columns.cluster, value,
        soft, notes=(Note("read_as", what),),
    )  # fmt: skip


def _plain(column: Column) -> Array:
    return column.values.astype(np.str_) if column.is_text else column.values


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
    values, codes = {}, {}
    for name, array in tables.items():
        flat = array.reshape(-1)
        of_objects = array.dtype.kind == "O"
        gone = np.array([checks.missing(x) for x in flat]) if of_objects else flat != flat  # NaN
        values[name] = checks.column(flat[~gone].tolist() if of_objects else flat[~gone], name)
        places = np.indices(array.shape).reshape(array.ndim, -1)[:, ~gone]
        codes[name] = dict(zip(axes, places, strict=True))
    sizes = zip(axes, np.max([*shapes.values()], axis=0).tolist(), strict=True)
    levels = {facet: [str(place + 1) for place in range(size)] for facet, size in sizes}
    golds = None if labels is None else {name: labels[one[item]] for name, one in codes.items()}
    return Rows(values, golds, codes, levels, item if axes[-1] == item else None, soft=soft)


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
    if data.cells is not None:
        rows = _of_table(data.cells(names), None, asked, Soft())
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
    codes = {name: {**one, "cluster": of_item[one[rows.items]]} for name, one in rows.codes.items()}
    return dataclasses.replace(
        read, codes=codes, levels={**rows.levels, "cluster": labels.tolist()}, clusters="cluster"
    )


# -- values by the metric --------------------------------------------------------------------------


def _measured(
    rows: Rows, metric: Any, greater_is_better: bool | None
) -> tuple[dict[str, FloatArray], MetricInfo, tuple[Note, ...]]:
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
        metric = rows.called
    chosen, noted = metric_of_parts(metric, parts, greater_is_better)
    if not isinstance(chosen, Metric):
        raise DesignError(
            f"{chosen.name} is neither a mean over items nor a function of sums, which facets take",
            hint="choose such a metric, as accuracy, mse or f1_macro are; compare_runs takes others",
        )
    found = {name: _values_of(part, chosen, _runs_of(rows, name)) for name, part in noted.items()}
    for name, values in found.items():
        checks.check_bounded(values, f"the values of {quoted(name)}")
        checks.check_not_tiny(values, f"the values of {quoted(name)}")
    info = MetricInfo(chosen.name, chosen.greater_is_better, chosen.bounds)
    return found, info, tuple(notes_of_parts(noted))


def _runs_of(rows: Rows, name: str) -> IntArray:
    """Return the run of each row of a system: all that one level of each facet but the items answered."""
    codes = [code for facet, code in rows.codes[name].items() if facet not in (rows.items, rows.clusters)]
    return joint_levels([np.zeros(len(rows.values[name]), dtype=np.int64), *codes])


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


# -- facets ----------------------------------------------------------------------------------------


def _names_among(names: tuple[str, ...], levels: Iterable[str], what: str) -> tuple[str, ...]:
    """Return names of facets that an argument holds, all of which must be there."""
    known = [*levels]
    for name in names:
        if name not in known:
            raise InvalidInputError(
                f"no facet {quoted(name)} (named as {what})", hint=f"facets: {listed(known)}", argument=what
            )
    return names


def _declared(nested: Any, rows: Rows, single: Sequence[str]) -> dict[str, set[str]]:
    """Return what the user says lies in what: a mapping, or texts such as "seed in prompt"."""
    out: dict[str, set[str]] = {facet: set() for facet in rows.levels if facet not in single}
    if rows.clusters is not None and rows.items is not None:
        out[rows.items].add(rows.clusters)
    pairs = [*nested.items()] if isinstance(nested, Mapping) else []
    if not isinstance(nested, Mapping | None):
        for text in checks.valid_name_list(nested, "nested"):
            inner, word, outer = text.partition(" in ")
            if not word:
                raise InvalidInputError(
                    f"nested says which facet lies in which, got {quoted(text)}",
                    hint='nested="seed in prompt", or nested={"seed": "prompt"}',
                    argument="nested",
                )
            pairs.append((inner.strip(), outer.strip()))
    for inner, outer in pairs:
        named = (checks.name_text(inner, "facet"), *checks.valid_name_list(outer, "nested"))
        for name in _names_among(named, rows.levels, "nested")[1:]:
            if name not in single and inner not in single:
                out[named[0]].add(name)
    return out


def _parents(
    codes: Mapping[str, IntArray], declared: Mapping[str, set[str]]
) -> tuple[dict[str, frozenset[str]], tuple[Note, ...]]:
    """Return all facets that each facet lies in: those declared, and those whose data show it; and notes."""
    parents = {facet: {*named} for facet, named in declared.items()}
    sizes = {facet: int(np.unique(code).size) for facet, code in codes.items()}
    found = []
    for inner, size in sizes.items():
        for outer in codes:
            if inner == outer or outer in parents[inner] or not 1 < sizes[outer] <= size:
                continue
            if int(joint_levels([codes[inner], codes[outer]]).max()) + 1 > size:
                continue
            if sizes[outer] == size:
                raise DesignError(
                    f"{inner} and {outer} change together: every {inner} has one {outer}, and the reverse",
                    hint=f"leave one of the two out of the facets: {inner}, or {outer}",
                    argument="facets",
                )
            parents[inner].add(outer)
            found.append(f"{inner} in {outer}")
    for _ in parents:  # what lies in a seed lies in its prompt
        for facet, outside in parents.items():
            parents[facet] = outside.union(*(parents[one] for one in outside))
    circle = next((facet for facet, outside in parents.items() if facet in outside), None)
    if circle is not None:
        raise InvalidInputError(
            f"{quoted(circle)} would lie in itself",
            hint="say for each facet in which it lies",
            argument="nested",
        )
    text = f"found in the data: {listed(found)}, as no level of the former is seen in two of the latter"
    notes = (Note("facets_nested", text),) if found else ()
    return {facet: frozenset(outside) for facet, outside in parents.items()}, notes


def _outer_first(
    facets: Sequence[str], parents: Mapping[str, frozenset[str]], items: str | None
) -> list[str]:
    """Return the facets, each after those it lies in, and the items after all that do not lie in them."""
    order: list[str] = []

    def put(facet: str) -> None:
        if facet not in order and parents[facet] <= {*order}:
            order.append(facet)
            for inner in facets:
                if facet in parents[inner] and inner != items:
                    put(inner)

    before = [facet for facet in facets if facet != items and items not in parents[facet]]
    for facet in [*before, *before, *facets]:  # what lies in a later one comes in the second round
        put(facet)
    return order


def _check_levels(nesting: Nesting, levels: Mapping[str, Sequence[str]]) -> None:
    if not nesting.random:
        raise DesignError(
            "all facets are fixed, so nothing would be otherwise another time",
            hint="leave those out of fixed of which other levels could have been drawn",
            argument="fixed",
        )
    for facet in nesting.random:
        if len(levels[facet]) == 1:
            raise DesignError(
                f"{facet} has one level, {quoted(levels[facet][0])}, which cannot show how much they differ",
                hint=f'declare it fixed, fixed=("{facet}",), for an answer about this one, or leave it out',
                argument="facets",
            )


def _by_number(codes: IntArray, group: IntArray) -> IntArray:
    """Return the levels of a facet numbered from 0 in each group, in their order."""
    pairs = joint_levels([group, codes])
    group_of = np.empty(int(pairs.max()) + 1, dtype=np.int64)
    group_of[pairs] = group
    numbers: IntArray = np.arange(group_of.size) - np.searchsorted(group_of, group_of)
    return numbers[pairs]


def _paired_by_number(facet: str) -> Note:
    return Note(
        "paired_by_number",
        f"{facet} is unmatched and lies in no other sampled facet: the levels of two systems were paired in"
        " their order, which holds, with fewer degrees of freedom than two samples have",
    )


def _cells(
    joined: Mapping[str, IntArray],
    facets: Sequence[str],
    system: IntArray,
    values: FloatArray,
    n_systems: int,
) -> tuple[dict[str, IntArray], FloatArray, tuple[Note, ...]]:
    """Return the levels of all cells, the mean of each system's values there, NaN without one, and notes."""
    averaging = Averaging.over(joined, facets)
    size = next(iter(averaging.codes.values())).size
    place = system * size + averaging.place
    times = np.bincount(place, minlength=n_systems * size)
    total = np.bincount(place, values, n_systems * size)
    table = np.divide(total, times, out=np.full(times.size, np.nan), where=times > 0)
    most = int(times.max())
    message = (
        f"up to {most} values of a system in one cell ({listed([*facets])}) were averaged; if a column tells"
        " them apart, name it as a facet or as the items"
    )
    notes = (Note("cells_averaged", message),) if most > 1 else ()
    return dict(averaging.codes), table.reshape(n_systems, size), notes


def _hash_text(values: FloatArray, codes: Mapping[str, IntArray], facets: Sequence[str]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for array in (values, *(codes[facet] for facet in facets)):
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.hexdigest()
