"""What `compare_datasets` takes: scores, runs, items, comparisons; without gaps and on one scale."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from bestby._core import arrays, checks, rounding
from bestby._core.arrays import is_partitioned, is_table
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import counted, quoted
from bestby._core.typing import BoolArray, FloatArray
from bestby.comparisons import per_dataset, provenance
from bestby.comparisons.incomplete import check_one_order, notes_on_few_shared
from bestby.data.alignment import chosen_names
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.datasets import Cells, Named, RunCells, datasets_of
from bestby.data.layouts.items import refuse_partitions
from bestby.data.layouts.runs import FAILED_RUN
from bestby.data.roles import (
    TableOptions,
    average_note,
    averages,
    check_no_predictions,
    listed,
    transposed,
    unknown_system,
)
from bestby.data.table import backend_of, merged_order, table_of, unreadable
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.engine.runs import RunScores
from bestby.engine.text_statistics import Counting
from bestby.metrics.base import BaseMetric
from bestby.metrics.directions import Turned, direction_of, rising
from bestby.metrics.suitability import FAR_APART, system_scales
from bestby.questions.runs.source import Data, RunsInput, Settings, data_of
from bestby.report.comparison import Comparison
from bestby.results.base import MetricInfo, Note
from bestby.vocabulary import allowed_names


@dataclass(frozen=True)
class Source:
    """The data in one of four forms; exactly one is not None. `metric` is what a column calls the scores."""

    table: Cells | None = None
    runs: Mapping[str, Mapping[str, Any]] | None = None
    items: Mapping[str, Evaluation] | None = None
    compared: Mapping[str, Comparison] | None = None
    systems: Sequence[str] | None = None
    ignore: Sequence[str] | None = None
    metric: str | None = None
    notes: tuple[Note, ...] = ()
    assumed: str = ""
    """What the note on datasets and systems adds where nobody said which keys are which."""


def source_of(
    data: Any, outer: str | None, dataset: str | None, options: TableOptions, run: str | None = None
) -> Source:
    """Return the data in one of four forms."""
    checks.valid_name(dataset, "dataset")
    original, data = data, nested(data, outer)
    if not isinstance(data, Mapping) and is_table(data):
        return _from_table(data, dataset, options, run)
    called = data.metric if isinstance(data, Named) else None
    chosen = Source(systems=options.systems, ignore=options.ignore, metric=called)
    if isinstance(data, Evaluation):
        data.uncounted("a comparison over datasets")
        return dataclasses.replace(chosen, items=per_dataset.split(data, "dataset"), notes=data.notes)
    if not isinstance(data, Mapping):
        raise unreadable(
            data,
            "a mapping, a data frame, a list of records or an Evaluation",
            'compare_datasets({"news": {"old": 0.71, "new": 0.74}, ...})',
            "compare_datasets(bestby.read_datasets({}))",
        )
    named = {checks.name_text(name, "dataset"): value for name, value in data.items()}
    if len(named) < len(data):
        raise InvalidInputError(
            "two datasets have the same name as text",
            hint=f"give each a name of its own: {', '.join(repr(name) for name in data)}",
        )
    forms = (Evaluation, Comparison, Mapping)
    kinds = {form for value in named.values() for form in forms if isinstance(value, form)}
    if len(kinds) != 1 or not all(isinstance(value, tuple(kinds)) for value in named.values()):
        types = ", ".join(sorted({type(value).__name__ for value in named.values()}))
        raise InvalidInputError(
            f"datasets must all be tables of scores, all Evaluations, or all Comparisons,"
            f" got {types or 'none'}",
            hint='compare_datasets({"news": {"old": 0.71, "new": 0.74}, ...})',
        )
    if Evaluation in kinds:
        return dataclasses.replace(chosen, items=named)
    if Comparison in kinds:
        return dataclasses.replace(chosen, compared=named)
    table: Cells = named
    if outer == "system":
        table = transposed(
            {name: {checks.name_text(d, "dataset"): x for d, x in row.items()} for name, row in named.items()}
        )
    assumed = _ASSUMED if outer is None and original is data else ""
    if holds_runs(table):
        return dataclasses.replace(chosen, runs=table, assumed=assumed)
    return dataclasses.replace(chosen, table=table, assumed=assumed)


_ASSUMED = '; the outer keys are taken as datasets: if they are systems, pass outer="system"'


def _from_table(data: Any, dataset: str | None, options: TableOptions, run: str | None) -> Source:
    """Return the data of a frame or of records."""
    if is_partitioned(data) and (options.roles.gold is not None or options.roles.item is not None):
        refuse_partitions("this comparison")
    datasets = datasets_of(table_of(data), dataset, options, run)
    if isinstance(datasets, Evaluation):
        whole = dataclasses.replace(datasets, frame_backend=backend_of(data))
        return Source(items=per_dataset.split(whole, "dataset"), notes=whole.notes)
    refuse_p_values(datasets)
    called = datasets.metric if isinstance(datasets, Named) else None
    if holds_runs(cast(Cells, datasets)):
        return Source(runs=cast(RunCells, datasets), metric=called)
    return Source(table=cast(Cells, datasets), metric=called)


def nested(data: Any, outer: str | None) -> Any:
    """Return arrays of runs as a mapping of dataset to system to runs; anything else as it is.

    An array has the shape (systems, datasets, runs); a mapping of names to arrays of shape (datasets, runs)
    has the systems outside, unless `outer` says "dataset". What has no name is numbered from 1.
    """
    by_system = None
    if isinstance(data, Mapping) and data and all(_depth(value) == 2 for value in data.values()):
        by_system = {checks.name_text(name, "system"): _rows(value) for name, value in data.items()}
        if outer == "dataset":
            return {name: dict(enumerate(rows, start=1)) for name, rows in by_system.items()}
    elif not isinstance(data, Mapping) and _depth(data) == 3:
        by_system = {str(place): _rows(value) for place, value in enumerate(_rows(data), start=1)}
    if by_system is None:
        return data
    sizes = {name: len(rows) for name, rows in by_system.items()}
    if len(set(sizes.values())) > 1:
        listing = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise InvalidInputError(
            f"all systems need runs on the same datasets, got numbers of datasets {listing}",
            hint="the shape is (systems, datasets, runs); mappings name the datasets:"
            ' {"new": {"news": [0.71, 0.74], ...}, ...} with outer="system"',
        )
    n_datasets = next(iter(sizes.values()))
    return {
        str(place + 1): {name: rows[place] for name, rows in by_system.items()} for place in range(n_datasets)
    }


def _depth(value: Any) -> int:
    """Return how deeply sequences are nested, going by their first entries; 0 for anything else."""
    if hasattr(value, "ndim"):
        return int(value.ndim) if not hasattr(value, "columns") else 0
    if isinstance(value, list | tuple) and value:
        return 1 + _depth(value[0])
    return 0


def _rows(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else list(checks.as_array(value, "the runs"))


def holds_runs(rows: Mapping[str, Mapping[Any, Any]]) -> bool:
    """Return whether some system has several scores on a dataset."""
    return any(holds_several(value) for row in rows.values() for value in row.values())


def holds_several(value: Any) -> bool:
    """Return whether this is not a single score, but a container of them."""
    return isinstance(value, Mapping | list | tuple) or getattr(value, "ndim", 0) > 0


def without_runs(source: Source) -> Source:
    """Return a source in which no system has more than one run anywhere as a table of scores."""
    rows = source.runs or {}
    if not rows or any(holds_several(v) and len(v) != 1 for row in rows.values() for v in row.values()):
        return source
    table = {
        name: {s: arrays.listed(arrays.values_of(v), "runs")[0] if holds_several(v) else v
               for s, v in row.items()}
        for name, row in rows.items()
    }  # fmt: skip
    note = Note("single_runs", "every system has one run on each dataset: how runs vary is not known")
    return dataclasses.replace(source, runs=None, table=table, notes=(*source.notes, note))


def means_of_runs(source: Source) -> Source:
    """Return a source of runs in which some system lacks a dataset as a table of their means."""
    if source.runs is None:
        return source
    table = {
        name: {
            system: float(_values(runs).mean())
            for system, value in row.items()
            if len(runs := _runs(name, checks.name_text(system, "system"), value))
        }
        for name, row in source.runs.items()
    }
    if len({frozenset(row) for row in table.values()}) == 1:
        return source
    message = (
        "the mean of the runs of a system on a dataset is its score there, as some systems lack datasets"
    )
    return dataclasses.replace(
        source, runs=None, table=table, notes=(*source.notes, Note("read_as", message))
    )


def check_outer(data: Any, outer: str | None) -> None:
    """Refuse `outer` for data that are not a mapping of mappings of scores."""
    if outer is None:
        return
    checks.choice(outer, allowed_names("outer"), "outer")
    inner = isinstance(data, Mapping) and all(isinstance(row, Mapping) for row in data.values())
    if outer == "system" and not inner:
        raise InvalidInputError(
            "outer is for a mapping of mappings of scores, {system: {dataset: score}}",
            hint="leave outer out: in other forms of data the datasets are marked",
        )


def refuse_p_values(data: Any) -> None:
    """Refuse one number per dataset, which `replicability` is for."""
    if (
        isinstance(data, Mapping)
        and bool(data)
        and all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in data.values())
    ):
        raise InvalidInputError(
            "there is one number per dataset, where a score of every system is needed",
            hint="replicability counts the datasets with an effect from one p-value per dataset",
        )


@dataclass(frozen=True)
class DatasetScores:
    """Scores without gaps, and what lies behind them."""

    metric: MetricInfo
    datasets: tuple[str, ...]
    names: tuple[str, ...]
    matrix: FloatArray
    data_hash: str
    notes: tuple[Note, ...]
    estimates: Mapping[str, Estimates] = field(default_factory=dict)
    items: Mapping[str, Evaluation] = field(default_factory=dict)
    compared: Mapping[str, Comparison] = field(default_factory=dict)
    measure: BaseMetric | None = None
    runs: Mapping[str, Data] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] | None = None
    from_data: bool = False
    """Whether the ranges are those of the scores themselves."""

    @property
    def with_gaps(self) -> bool:
        """Whether some system has no score on some dataset."""
        return bool(np.isnan(self.matrix).any())

    def about(self) -> dict[str, Any]:
        """Return the number of datasets, the systems, and how many items or runs there are if any are."""
        about: dict[str, Any] = {"datasets": len(self.datasets), "systems": list(self.names)}
        if self.runs:
            about["runs"] = [[int(x.size) for x in one.estimator.scores] for one in self.runs.values()]
        elif self.items:
            about["items"] = sum(part.n_items for part in self.items.values())
        return about


def scores_of(
    source: Source,
    metric: Any,
    greater_is_better: bool | None,
    on_missing: str,
    drawing: Drawing,
    counting: Counting,
) -> DatasetScores:
    """Return scores without gaps, or say what is missing."""
    if source.items is not None:
        return _item_scores(source, metric, greater_is_better, on_missing, drawing, counting)
    if source.compared is not None:
        return _comparison_scores(source, metric, on_missing)
    table = {name: numbers(name, row) for name, row in (source.table or {}).items()}
    if metric is not None and not isinstance(metric, str):
        raise InvalidInputError(
            "a table of scores leaves nothing to compute: metric must be a name for them, or None",
            hint="pass one Evaluation per dataset to have a metric computed",
        )
    table, left_out = without_averages(table, source)
    rows, names, notes = complete(table, source, on_missing)
    if metric is None:
        check_no_predictions(dict(zip(names, names, strict=True)))
    reading = f"a table of scores; datasets: {listed([*rows])}; systems: {listed(names)}{source.assumed}"
    greater, direction_notes = direction_of(metric, greater_is_better)
    info = MetricInfo(metric or "score", greater, (-math.inf, math.inf))
    columns = [np.array([row.get(system, math.nan) for row in rows.values()]) for system in names]
    hashes = {name: repr(sorted(row.items())) for name, row in rows.items()}
    return DatasetScores(
        info,
        tuple(rows),
        names,
        np.column_stack(rounding.in_one_precision(columns)),
        provenance.hash_of(hashes),
        (Note("read_as", reading), *source.notes, *left_out, *notes, *direction_notes),
    )


def numbers(name: str, row: Mapping[str, Any]) -> dict[str, float]:
    """Return the scores of one dataset; those that are None or NaN are not there."""
    row_scores: dict[str, float] = {}
    for one, value in row.items():
        if checks.missing(value):
            continue
        system = checks.name_text(one, "system")
        what = f"the score of {quoted(system)} on dataset {quoted(name)}"
        try:
            number = checks.number(value, what)
        except InvalidInputError:
            raise InvalidInputError(
                f"{what} is not a number: {quoted(value)}",
                hint="name the columns that are systems: systems=[...]",
            ) from None
        if math.isinf(number):
            raise InvalidInputError(f"{what} is infinite")
        row_scores[system] = number
    return row_scores


def without_averages(
    table: Mapping[str, Mapping[str, float]], source: Source
) -> tuple[dict[str, dict[str, float]], list[Note]]:
    """Return the scores without rows, and systems that were not chosen, that are the mean of the others."""
    rows = averages(table)
    rest = {name: row for name, row in table.items() if name not in rows}
    systems = [] if source.systems is not None else averages(transposed(rest))
    notes = [average_note("dataset", name) for name in rows] + [
        average_note("system", one) for one in systems
    ]
    return {d: {s: x for s, x in row.items() if s not in systems} for d, row in rest.items()}, notes


def complete(
    table: Mapping[str, Mapping[str, float]], source: Source, on_missing: str
) -> tuple[dict[str, Mapping[str, float]], tuple[str, ...], tuple[Note, ...]]:
    """Return the datasets on which every system has a score, the systems, and a note on the others.

    In "pairs" they are the datasets on which some two systems have one.
    """
    present = tuple(merged_order(table.values()))
    checks.valid_names(present, "system")
    checks.valid_names(table, "dataset")
    outer = next((name for name in source.systems or () if name in table and name not in present), None)
    if outer is not None:
        error = unknown_system(None, present)(outer)
        hint = f'{error.hint}; outer="system" takes the outer keys for the systems'
        raise InvalidInputError(error.message, hint, error.argument)
    names = tuple(chosen_names(present, source.systems, source.ignore))
    checks.two_systems(names, hint="pass the scores of each system on every dataset")
    gaps = [(name, system) for name, row in table.items() for system in names if system not in row]
    without = list(dict.fromkeys(name for name, _ in gaps))
    if gaps and on_missing not in ("drop", "pairs"):
        in_pairs = (source.table or source.runs) is not None and len(names) > 2
        raise InvalidInputError(
            f"{len(gaps)} of {len(table) * len(names)} scores are missing, on {len(without)} of {len(table)}"
            f" datasets; first: {quoted(gaps[0][1])} on dataset {quoted(gaps[0][0])}",
            hint='pass on_missing="drop" to compare on the other datasets only'
            + ', or on_missing="pairs" to compare every two systems on those that both have' * in_pairs,
        )
    rows = {name: row for name, row in table.items() if name not in without}
    without_pairs: tuple[Note, ...] = ()
    if on_missing == "pairs" and gaps:
        names, without_pairs = _in_pairs(table, names)
        rows = {name: row for name, row in table.items() if sum(system in row for system in names) > 1}
    if len(rows) < 2:
        raise InvalidInputError(
            f"at least 2 datasets with a score of every system are needed, got {len(rows)}",
            hint="for one dataset use compare, or compare_runs for several runs",
        )
    if not gaps:
        return rows, names, ()
    if on_missing == "pairs":
        return rows, names, (_note_on_pairs(rows, names), *without_pairs)
    said = (
        f"{len(without)} of {len(table)} datasets were left out because some system has no score there:"
        f" {', '.join(without)} ({len(gaps)} scores missing)"
    )
    return rows, names, (Note("datasets_dropped", said),)


def _in_pairs(
    table: Mapping[str, Mapping[str, float]], names: Sequence[str]
) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """Return the systems that share two datasets with some other, and a note on those that do not."""
    has = np.array([[name in row for row in table.values()] for name in names], dtype=np.int64)
    linked = has @ has.T > 1
    np.fill_diagonal(linked, False)
    kept: BoolArray = np.asarray(linked.any(axis=0))
    if not kept.any():
        raise InvalidInputError(
            "no two systems have scores on two datasets in common",
            hint="give more scores, or compare fewer systems",
        )
    check_one_order(linked[np.ix_(kept, kept)], "datasets")
    gone = tuple(names[place] for place in np.flatnonzero(~kept).tolist())
    left = tuple(name for name in names if name not in gone)
    return left, tuple(notes_on_few_shared(gone, (), "2 datasets"))


def _note_on_pairs(rows: Mapping[str, Mapping[str, float]], names: Sequence[str]) -> Note:
    has = {name: sum(name in row for row in rows.values()) for name in names}
    lacking = [f"{name} on {size}" for name, size in has.items() if size < len(rows)]
    message = (
        f"of {len(rows)} datasets there is a score of {listed(lacking, 5)}: each pair is compared on the"
        " datasets both have. If scores are missing because the system failed, this is not valid: give the"
        " score of a failure"
    )
    return Note("compared_in_pairs", message)


def _item_scores(
    source: Source,
    metric: Any,
    greater_is_better: bool | None,
    on_missing: str,
    drawing: Drawing,
    counting: Counting,
) -> DatasetScores:
    parts = source.items or {}
    present = {name: dict.fromkeys(part.names, 0.0) for name, part in parts.items()}
    whole, names, notes = complete(present, source, on_missing)
    items = {name: parts[name].with_systems(names) for name in whole}
    suggested = [part.suggested for part in items.values()]
    measure: BaseMetric | None = None
    if metric is None and any(one != suggested[0] for one in suggested):
        items, measures, notes_on_items = _each_its_own(items, greater_is_better)
        info = MetricInfo("score", greater_is_better=True, bounds=(-math.inf, math.inf))
    else:
        measure, notes_on_items = per_dataset.one_metric(metric, items, "dataset", greater_is_better)
        measures = dict.fromkeys(items, measure)
        info = None
    estimates = {
        name: per_dataset.intervals_on(part, measures[name], drawing, f"dataset {quoted(name)}", counting)
        for name, part in items.items()
    }
    fitted = next(iter(estimates.values())).group.metric
    return DatasetScores(
        metric=info or MetricInfo(fitted.name, fitted.greater_is_better, fitted.bounds),
        datasets=tuple(items),
        names=names,
        matrix=np.array([one.scores for one in estimates.values()]),
        estimates=estimates,
        items=items,
        measure=measure,
        data_hash=provenance.hash_of({name: part.data_hash() for name, part in items.items()}),
        notes=(*source.notes, *notes_on_items, *notes),
    )


def _each_its_own(
    parts: Mapping[str, Evaluation], greater_is_better: bool | None
) -> tuple[dict[str, Evaluation], dict[str, BaseMetric], list[Note]]:
    """Return datasets that suggest metrics of their own with these, all better the higher they are."""
    turned, measures, notes = {}, {}, []
    for name, part in parts.items():
        measure, notes_on_metric = per_dataset.one_metric(None, {name: part}, "dataset", greater_is_better)
        turned[name], measures[name] = rising(part, measure)
        notes += notes_on_metric
    text = f"each dataset has a metric of its own: {listed([f'{d}: {m.name}' for d, m in measures.items()])}"
    lower = [
        name for name, one in parts.items() if turned[name] is not one or isinstance(measures[name], Turned)
    ]
    if lower:
        text += (
            f"; lower is better on {listed(lower)}, whose scores have a minus so that higher is better on all"
        )
    return turned, measures, [Note("own_metrics", text), *notes]


def _comparison_scores(source: Source, metric: Any, on_missing: str) -> DatasetScores:
    compared = source.compared or {}
    first = next(iter(compared.values()))
    name = first.metrics[0].name if metric is None else str(metric)
    for label, comparison in compared.items():
        if all(m.name != name for m in comparison.metrics):
            raise InvalidInputError(
                f"the comparison on dataset {quoted(label)} has no metric {quoted(name)}",
                hint=f"it has: {', '.join(m.name for m in comparison.metrics)}",
            )
    table = {
        label: {entry.system: entry.score for entry in comparison.systems if entry.metric == name}
        for label, comparison in compared.items()
    }
    rows, names, notes = complete(table, source, on_missing)
    return DatasetScores(
        metric=next(m for m in first.metrics if m.name == name),
        datasets=tuple(rows),
        names=names,
        matrix=np.array([[rows[label][system] for system in names] for label in rows]),
        compared={label: compared[label] for label in rows},
        data_hash=provenance.hash_of({label: compared[label].provenance.data_hash for label in rows}),
        notes=(*source.notes, *notes),
    )


def run_scores(
    source: Source,
    metric: Any,
    greater_is_better: bool | None,
    on_missing: str,
    settings: Settings,
    drawing: Drawing,
    counting: Counting,
) -> DatasetScores:
    """Return the runs of every dataset on which each system has some, and the location of each."""
    if metric is not None and not isinstance(metric, str):
        raise InvalidInputError(
            "the runs are scores already: metric can only name them",
            hint="several runs of items are compared on one dataset: compare_runs",
        )
    rows = {
        name: {
            (text := checks.name_text(system, "system")): _runs(name, text, runs)
            for system, runs in row.items()
        }
        for name, row in (source.runs or {}).items()
    }
    rows = {name: {s: runs for s, runs in row.items() if len(runs)} for name, row in rows.items()}
    if on_missing == "drop":
        rows = {name: {s: r for s, r in row.items() if len(r) > 1} for name, row in rows.items()}
    means = {d: {s: float(_values(runs).mean()) for s, runs in row.items()} for d, row in rows.items()}
    means, left_out = without_averages(means, source)
    rows = {name: {system: rows[name][system] for system in row} for name, row in means.items()}
    complete_rows, names, notes = complete(rows, source, on_missing)
    _refuse_single(complete_rows, names)
    _, direction_notes = direction_of(metric, greater_is_better)
    data: dict[str, Data] = {}
    for name, row in complete_rows.items():
        runs_input = RunsInput({s: row[s] for s in names}, None, metric, None, greater_is_better)
        data[name] = on_dataset(name, partial(data_of, runs_input, settings, drawing, counting))
    reading = f"several runs on each dataset; datasets: {listed([*complete_rows])}; systems: {listed(names)}"
    first = next(iter(data.values()))
    by_name = {f"{d} {s}": repr(_values(complete_rows[d][s]).tolist()) for d in complete_rows for s in names}
    return DatasetScores(
        metric=first.metric,
        datasets=tuple(complete_rows),
        names=names,
        matrix=_locations(data),
        data_hash=provenance.hash_of(by_name),
        notes=(Note("read_as", reading + source.assumed), *source.notes, *left_out, *notes, *direction_notes),
        runs=data,
    )


def _locations(runs: Mapping[str, Data]) -> FloatArray:
    """Return the location of the runs of each system on each dataset."""
    return np.array([[one.estimator.estimate(s) for s in range(len(one.names))] for one in runs.values()])


def _runs(dataset: str, system: str, runs: Any) -> Any:
    """Return the runs of a system as a mapping of run to score or an array; a single score is one run."""
    what = f"the runs of {quoted(system)} on dataset {quoted(dataset)}"
    if not holds_several(runs):
        return [] if checks.missing(runs) else [runs]
    values = arrays.listed(arrays.values_of(runs), what)
    gaps = [place for place, value in enumerate(values, start=1) if checks.missing(value)]
    if gaps:
        raise InvalidInputError(
            f"{counted(len(gaps), 'score')} of {what} {'is' if len(gaps) == 1 else 'are'} missing; first: run"
            f" {gaps[0]} of {len(values)}",
            hint=f"leave out runs without a score, the numbers of runs may differ; {FAILED_RUN}",
        )
    if any(holds_several(value) for value in values):
        raise InvalidInputError(
            f"{what} hold several values each, where each run has one score",
            hint="compute the score of each run first; runs of items are compared on one dataset:"
            " compare_runs",
        )
    for place, value in enumerate(values, start=1):
        number = checks.number(value, f"run {place} of {what.removeprefix('the runs of ')}")
        if math.isinf(number):
            raise InvalidInputError(f"run {place} of {len(values)} of {what} is infinite", hint=FAILED_RUN)
    return dict(zip(runs, values, strict=True)) if isinstance(runs, Mapping) else values


def _values(runs: Any) -> FloatArray:
    return np.asarray(arrays.values_of(runs), dtype=np.float64)


def _refuse_single(rows: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> None:
    single = [(name, system) for name, row in rows.items() for system in names if len(row[system]) == 1]
    if not single:
        return
    first = single[0]
    raise DesignError(
        f"system {quoted(first[1])} has one run on dataset {quoted(first[0])}: nothing can be said about how"
        " much its runs vary",
        hint='train it with more seeds, or pass on_missing="drop" to leave such datasets out',
    )


T = TypeVar("T")


def on_dataset(name: str, work: Callable[[], T]) -> T:
    """Return what a function returns; an error in it names the dataset."""
    try:
        return work()
    except (DesignError, InvalidInputError) as error:
        message = f"dataset {quoted(name)}: {error.message}"
        raise type(error)(message, error.hint, error.argument) from error


# -- scores of all datasets on one scale -----------------------------------------------------------


Ranges = Mapping[str, tuple[float, float]]
"""Per dataset the scores that become 0 and 1."""

MINMAX = "minmax"

_ONE_SCALE = (1.0, 100.0)  # shares and percentages have one scale, however small some of them are

_AS_PERCENT = (30.0, 300.0)
"""How many times as large as the others a score is that is probably a percentage among shares."""


def on_one_scale(scores: DatasetScores, normalise: Any) -> DatasetScores:
    """Return scores on the scale asked for, with a note on it, or on scales that are far apart."""
    if scores.items or scores.compared:
        return scores
    values = {
        name: np.concatenate(scores.runs[name].estimator.scores) if scores.runs else row
        for name, row in zip(scores.datasets, scores.matrix, strict=True)
    }
    values = {name: x[~np.isnan(x)] for name, x in values.items()}
    ranges = ranges_of(normalise, values)
    notes = scale_notes(values, normalise)
    if not notes:
        columns = zip(scores.names, scores.matrix.T, strict=True)
        notes = system_scales({name: x[~np.isnan(x)] for name, x in columns})
    scores = dataclasses.replace(scores, notes=(*scores.notes, *notes))
    if ranges is None:
        return scores
    scores = dataclasses.replace(scores, ranges=ranges, from_data=isinstance(normalise, str))
    if not scores.runs:
        rows = [normalised(row, ranges[n]) for n, row in zip(scores.datasets, scores.matrix, strict=True)]
        return dataclasses.replace(scores, matrix=np.array(rows))
    runs = {name: _rescaled(data, ranges[name]) for name, data in scores.runs.items()}
    return dataclasses.replace(scores, matrix=_locations(runs), runs=runs)


def _rescaled(data: Data, limits: tuple[float, float]) -> Data:
    runs = data.estimator
    assert isinstance(runs, RunScores)  # runs of items were refused
    scores = [normalised(x, limits) for x in runs.scores]
    return dataclasses.replace(
        data, estimator=RunScores(scores, runs.names, runs.statistic, runs.paired, runs.drawing)
    )


def ranges_of(normalise: Any, scores: Mapping[str, FloatArray]) -> Ranges | None:
    """Return what becomes 0 and 1 on each dataset, given or from all scores; None if nothing does."""
    if normalise is None:
        return None
    if isinstance(normalise, str):
        checks.choice(normalise, (MINMAX,), "normalise")
        return {name: _range(name, (float(x.min()), float(x.max()))) for name, x in scores.items()}
    if not isinstance(normalise, Mapping):
        raise InvalidInputError(
            f'normalise must be "minmax" or a mapping of dataset to (low, high), got {quoted(normalise)}',
            hint='normalise={"news": (0.2, 0.9), ...}: the scores that become 0 and 1',
            argument="normalise",
        )
    ranges = {checks.name_text(name, "dataset"): value for name, value in normalise.items()}
    absent = [name for name in scores if name not in ranges]
    if absent:
        raise InvalidInputError(
            f"normalise has no range for {len(absent)} of {len(scores)} datasets: {listed(absent)}",
            hint="give the scores that become 0 and 1 on each dataset, such as those of chance and of people",
            argument="normalise",
        )
    return {name: _range(name, ranges[name]) for name in scores}


def _range(name: str, value: Any) -> tuple[float, float]:
    what = f"the range of dataset {quoted(name)}"
    if not isinstance(value, tuple | list | np.ndarray) or len(value) != 2:
        raise InvalidInputError(
            f"{what} must be two numbers, got {quoted(value)}",
            hint="give (low, high): the scores that become 0 and 1",
        )
    low, high = (checks.number(one, what) for one in value)
    if not np.isfinite(low) or not np.isfinite(high) or low >= high:
        raise InvalidInputError(
            f"{what} must go from a lower to a higher score, got {low:g} to {high:g}",
            hint="leave out the dataset if all scores on it are the same"
            if low == high
            else "the first number becomes 0, the second 1; the direction of the scores stays as it is",
        )
    return low, high


def normalised(x: FloatArray, limits: tuple[float, float]) -> FloatArray:
    """Return scores on the scale on which the limits are 0 and 1.

    >>> normalised(np.array([2.0, 5.0]), (2.0, 4.0))
    array([0. , 1.5])
    """
    return np.asarray((x - limits[0]) / (limits[1] - limits[0]))


def scale_notes(scores: Mapping[str, FloatArray], normalise: Any) -> list[Note]:
    """Return the note on how scores were normalised, or on scales that are far apart."""
    if isinstance(normalise, str):
        message = (
            "the scores are normalised: 0 and 1 are the lowest and the highest score of any system on each"
            " dataset; intervals take these as known, and another system can change them"
        )
        return [Note("normalised", message)]
    if normalise is not None:
        return [Note("normalised", "the scores are normalised by the given ranges, to 0 and 1")]
    if mixed := _mixed(scores):
        return [mixed]
    sizes = {name: float(np.median(np.abs(x))) for name, x in scores.items()}
    least, most = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    everything = np.concatenate(list(scores.values()))
    if sizes[most] < FAR_APART * sizes[least] or sizes[most] == 0.0:
        return []
    if everything.min() >= 0.0 and any(everything.max() <= top for top in _ONE_SCALE):
        return []
    message = (
        f"the scores have sizes from {sizes[least]:.3g} on {least} to {sizes[most]:.3g} on {most}: means over"
        " the datasets are made by those with large scores; normalise=... brings them to one scale"
    )
    return [Note("scales_differ", message)]


def _mixed(scores: Mapping[str, FloatArray]) -> Note | None:
    """Return the note on percentages among shares, or shares among percentages; None without any.

    A score is one if it is about a hundred times as large, or as small, as the scores of the other kind on
    its dataset, or on all if it has none there. Scores of 0 and 1 may be either.
    """
    everything = np.concatenate(list(scores.values()))
    if everything.min() < 0.0 or everything.max() > _ONE_SCALE[1]:
        return None
    shares, percentages = everything[_are_shares(everything)], everything[everything > 1.0]
    if not shares.size or not percentages.size:
        return None
    few_large = percentages.size < shares.size
    odd: list[tuple[str, float]] = []
    for name, x in scores.items():
        small, large = x[_are_shares(x)], x[x > 1.0]
        usual, unusual = (small, large) if few_large else (large, small)
        typical = float(np.median(usual if usual.size else shares if few_large else percentages))
        for value in unusual.tolist():
            ratio = value / typical if few_large else typical / value
            odd += [(name, value)] * (_AS_PERCENT[0] <= ratio <= _AS_PERCENT[1])
    if not odd:
        return None
    one, many = ("a percentage", "shares") if few_large else ("a share", "percentages")
    if len(odd) > 1:
        one = one.removeprefix("a ") + "s"
    are = "one score looks like" if len(odd) == 1 else f"{len(odd)} scores look like"
    message = (
        f"{are} {one} among {many}: {odd[0][1]:.4g} on {odd[0][0]}"
        f"{', among others' * (len(odd) > 1)}. If so, every mean over the datasets is wrong: give all scores"
        " as shares, or all in percent"
    )
    return Note("mixed_percent", message)


def _are_shares(x: FloatArray) -> BoolArray:
    return (x > 0.0) & (x < 1.0)


def read_ranges(path: str | Path) -> dict[str, tuple[float, float]]:
    """Return the scores that become 0 and 1 on each dataset: columns dataset (or task), low and high."""
    from bestby.data.columns import MISSING
    from bestby.data.roles import DATASET_WORDS
    from bestby.data.values import as_scores
    from bestby.readers.one_table import one_table

    table = one_table(path, "the ranges of the datasets", MISSING)
    names = table.texts(table.column_called(None, DATASET_WORDS, "dataset"), "dataset")
    ends = []
    for word in ("low", "high"):
        column = as_scores(table.column(table.require(word, word)))
        if column.is_text or column.missing.any():
            raise InvalidInputError(
                f"{table.source}: column {word!r} must hold a number in every row",
                hint="give the scores that become 0 (low) and 1 (high) on each dataset",
            )
        ends.append(column.values.tolist())
    ranges: dict[str, tuple[float, float]] = {}
    for name, low, high in zip(names, *ends, strict=True):
        if name in ranges:
            raise InvalidInputError(
                f"{table.source}: dataset {quoted(name)} occurs more than once", hint="give it one range"
            )
        ranges[name] = (float(low), float(high))
    return ranges
