"""What `compare_runs` takes: its settings, and the runs of all systems from mappings, frames and files."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core import arrays, checks, rounding
from bestby._core.arrays import is_table
from bestby._core.errors import DesignError, InvalidInputError, MissingValueError
from bestby._core.text import quoted
from bestby._core.typing import Array, Question
from bestby.comparisons import note_rules, one_pair
from bestby.comparisons.reading import reads_label_sets, reads_objects
from bestby.comparisons.settings import CheckedSettings
from bestby.data.alignment import chosen_systems
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.runs import FAILED_RUN, Runs, runs_of
from bestby.data.reading import AS_FOUND, Reading
from bestby.data.roles import (
    Soft,
    TableOptions,
    check_no_predictions,
    shared_levels_note,
    shares_levels,
    with_left_out,
)
from bestby.data.table import table_of, unreadable
from bestby.engine import prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.engine.runs import RunScores, RunsWithItems
from bestby.engine.text_statistics import Counting
from bestby.metrics.directions import direction_of, mean_called
from bestby.metrics.suitability import chosen_metric, system_scales
from bestby.results.base import MetricInfo, Note


@dataclass(frozen=True)
class Settings(CheckedSettings):
    """The arguments of `compare_runs` that are not data; see there."""

    statistic: str
    paired: bool
    interval: str | None
    level: float
    test: str | None
    alternative: Question
    correction: str
    margin: float | None
    baseline: str | None


@dataclass(frozen=True, eq=False)
class RunsInput:
    """Runs and what goes with them, from the arguments of `compare_runs` or from a file."""

    runs: Any
    gold: Any
    metric: Any
    clusters: Any
    greater_is_better: bool | None
    notes: tuple[Note, ...] = ()
    called: str | None = None

    def called_by(self, systems: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """Return what the values of each run are called: their column, or else as their system."""
        return {run: self.called or name for name, runs in systems.items() for run in runs}


@dataclass(frozen=True)
class Columns:
    """Which columns of a data frame are what, and which systems of any data are chosen."""

    systems: Any = None
    reading: Reading = AS_FOUND
    run: str | None = None
    items: str | Sequence[str] | None = None
    dataset: str | None = None


def chosen_runs(
    data: Any,
    gold: Any,
    metric: Any,
    clusters: Any,
    greater_is_better: bool | None,
    columns: Columns,
    *,
    paired: bool,
) -> RunsInput:
    """Return the runs of the chosen systems; those that were read bring gold, clusters and name along."""
    if isinstance(data, Runs):
        if gold is not None or clusters is not None:
            raise InvalidInputError(
                "what read_runs returns already holds gold and clusters",
                hint="name their columns to read_runs instead",
            )
        return _from_runs(data, metric, greater_is_better, columns)
    if is_table(data):
        table = table_of(data)
        options = TableOptions.of(
            gold, columns.items, clusters, systems=columns.systems, reading=columns.reading,
            soft=Soft(label_sets=reads_label_sets(metric)),
        )  # fmt: skip
        runs = runs_of(table, options, run=columns.run, dataset=columns.dataset, paired=paired)
        note = Note("read_as", f"{table.source} was read as {runs.description}")
        runs = dataclasses.replace(runs, notes=(note, *runs.notes))
        return _from_runs(runs, metric, greater_is_better, Columns())
    named = {**vars(columns), **vars(columns.reading)}
    unused = {name: (named[name], None) for name in _TABLE_COLUMNS}
    checks.refuse_unused("data other than a data frame, because it names a column", **unused)
    if not isinstance(data, Mapping):
        raise unreadable(
            data,
            "a mapping of system to its runs, a data frame or a list of records",
            'compare_runs({"new": [0.81, 0.84], "old": [0.79, 0.80]})',
            "compare_runs(bestby.read_runs({}))",
        )
    chosen = chosen_systems(data, columns.systems, columns.reading.ignore)
    of_runs = (str(run) for runs in chosen.values() if isinstance(runs, Mapping) for run in runs)
    notes = (shared_levels_note(),) if shares_levels(of_runs) else ()
    return RunsInput(chosen, gold, metric, clusters, greater_is_better, notes)


_TABLE_COLUMNS = ("run", "items", "dataset", "system_column", "value_column")


def _from_runs(runs: Runs, metric: Any, greater_is_better: bool | None, columns: Columns) -> RunsInput:
    better = runs.greater_is_better if greater_is_better is None else greater_is_better
    if metric is None:
        metric = runs.metric
        if isinstance(metric, str) and any(isinstance(values, list) for values in runs.runs.values()):
            metric = mean_called(metric, better)
    return RunsInput(
        chosen_systems(runs.runs, columns.systems, columns.reading.ignore),
        runs.gold,
        metric,
        runs.clusters,
        better,
        runs.notes,
        runs.called,
    )


@dataclass(frozen=True, eq=False)
class Data:
    """The systems, the estimator of their scores, and the evaluation behind it if there are items."""

    names: tuple[str, ...]
    metric: MetricInfo
    estimator: RunScores | RunsWithItems
    evaluation: Evaluation | None
    notes: tuple[Note, ...] = ()

    @property
    def scores(self) -> Sequence[Array]:
        """The scores of the runs of each system, or of their items; none where there is a gold."""
        return (
            self.estimator.scores
            if isinstance(self.estimator, RunScores)
            else self.evaluation.scores
            if self.evaluation
            else ()
        )

    @property
    def n_items(self) -> int:
        """The number of items; 0 if the runs came as scores."""
        return 0 if self.evaluation is None else self.evaluation.n_items


def data_of(runs_input: RunsInput, settings: Settings, drawing: Drawing, counting: Counting) -> Data:
    """Return the runs of all systems, once they are known to fit together."""
    hint = with_left_out("pass the runs of each system by its name", runs_input.notes)
    systems = _systems_of(runs_input.runs, hint, paired=settings.paired)
    sizes = {name: len(rows) for name, rows in systems.items()}
    if settings.paired and len(set(sizes.values())) > 1:
        numbers = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise InvalidInputError(
            f"paired runs must be equally many for all systems, got {numbers}",
            hint="leave out the runs that some system lacks, or pass paired=False",
        )
    per_item = {name: _any_nested(rows, f"the runs of {quoted(name)}") for name, rows in systems.items()}
    if runs_input.gold is not None or any(per_item.values()):
        flat = next((name for name, nested in per_item.items() if not nested), None)
        if flat is not None:
            raise InvalidInputError(
                f"system {quoted(flat)} has one value per run, where one per run and item is needed",
                hint="pass an array of shape (runs, items) for every system",
            )
        return _item_data(systems, runs_input, settings, drawing, counting)
    if runs_input.clusters is not None:
        raise InvalidInputError(
            "clusters are groups of items, but every run is a single score",
            hint="pass per-item scores or predictions of every run",
        )
    return _score_data(systems, runs_input, settings, drawing)


def _systems_of(runs: Mapping[str, Any], hint: str, *, paired: bool) -> dict[str, list[Any]]:
    """Return per system its runs: numbers, or one sequence of values each."""
    checks.valid_names(runs, "system")
    checks.two_systems(tuple(runs), hint)
    summary = next((name for name, values in runs.items() if _is_summary(values)), None)
    if summary is not None:
        raise InvalidInputError(
            f"the runs of {quoted(summary)} are the tuple {quoted(runs[summary])}, which looks like a mean,"
            " a standard deviation and a number of runs",
            hint="pass the score of each run; if these are the scores of three runs, pass them as a list",
        )
    rows = {f"the runs of {quoted(name)}": values for name, values in runs.items()}
    lined = (
        arrays.joined_by_key(rows, "runs")
        if paired
        else {what: arrays.values_of(row) for what, row in rows.items()}
    )
    return {name: _rows(values, name) for name, values in zip(runs, lined.values(), strict=True)}


def _is_summary(values: Any) -> bool:
    """Return whether this is a tuple of a mean, a standard deviation and a number of runs."""
    return (
        isinstance(values, tuple)
        and len(values) == 3
        and all(isinstance(value, float) for value in values[:2])
        and isinstance(values[2], int | np.integer)
        and bool(values[2] >= 2)
    )


def _rows(values: Any, name: str) -> list[Any]:
    what = f"the runs of {quoted(name)}"
    values = arrays.sequence(values, what)
    if hasattr(values, "iloc") and values.ndim == 2:  # a pandas frame: its columns label the items
        rows = [values.iloc[run] for run in range(len(values))]
    elif isinstance(values, list | tuple) and any(_nested(row, what) for row in values):
        rows = list(values)
    else:
        array = checks.as_array(values, what)
        # A column of scores, as tensors often are: runs of a single item could not be compared.
        rows = list(array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array)
    if len(rows) == 1:
        raise DesignError(
            f"system {quoted(name)} has one run: nothing can be said about how much its runs vary",
            hint="train it with more seeds, or compare single runs item by item with compare()",
        )
    if not rows:
        raise InvalidInputError(
            f"system {quoted(name)} has no runs", hint="leave the system out, or give the scores of its runs"
        )
    return rows


def _nested(row: Any, what: str) -> bool:
    """Return whether a run has several values, one per item."""
    if isinstance(row, np.generic | float | int):
        return False
    if isinstance(row, list | tuple | Mapping):  # also a ragged one, which NumPy has no shape for
        return True
    return hasattr(row, "__array__") and checks.as_array([row], what).ndim > 1


def _any_nested(rows: Iterable[Any], what: str) -> bool:
    return any(_nested(row, what) for row in rows)


def _score_data(
    systems: dict[str, list[Any]], runs_input: RunsInput, settings: Settings, drawing: Drawing
) -> Data:
    metric = runs_input.metric
    if metric is not None and not isinstance(metric, str):
        raise InvalidInputError(
            "the runs are scores already: metric can only name them",
            hint='metric="accuracy", or pass predictions and gold',
        )
    scores = []
    for name, rows in systems.items():
        absent = next((place for place, value in enumerate(rows, start=1) if checks.missing(value)), None)
        if absent is not None:
            raise MissingValueError(
                f"run {absent} of {len(rows)} of {quoted(name)} has no score",
                hint=f"leave it out, the numbers of runs may differ; {FAILED_RUN}",
            )
        hint = "pass gold=... to compare predictions"
        numbers = checks.numeric_column(rows, f"the runs of {quoted(name)}", hint)
        # Unpaired runs have no order; sorted, they give the same bits in any.
        scores.append(numbers if settings.paired else np.sort(numbers))
    if runs_input.greater_is_better is not None:
        checks.flag(runs_input.greater_is_better, "greater_is_better")
    if metric is None:
        check_no_predictions(runs_input.called_by({name: [name] for name in systems}))
    better, notes = direction_of(metric, runs_input.greater_is_better)
    info = MetricInfo(metric or "score", better, (-math.inf, math.inf))
    names = tuple(systems)
    if len({*map(len, scores)}) == 1:
        scores = rounding.in_one_precision(scores)
    estimator = RunScores(scores, names, settings.statistic, settings.paired, drawing)
    scales = system_scales(dict(zip(names, scores, strict=True)))
    return Data(names, info, estimator, None, (*notes, *scales, *_like_items(scores)))


def _like_items(scores: Sequence[Array]) -> Iterator[Note]:
    """Yield a note if every run is right or wrong, as only a single item is."""
    if max(map(len, scores)) >= 10 and all(np.isin(one, (0.0, 1.0)).all() for one in scores):
        yield Note(
            "runs_like_items",
            "all scores are 0 or 1, as those of single items are: if they are of the same items, compare"
            " (bestby compare) tests them in pairs",
        )


def _item_data(
    systems: dict[str, list[Any]],
    runs_input: RunsInput,
    settings: Settings,
    drawing: Drawing,
    counting: Counting,
) -> Data:
    if settings.statistic != "mean":
        raise DesignError(
            f"with items the mean of the runs is compared, not their {settings.statistic.replace('_', ' ')}",
            hint="pass the score of each run to compare other statistics",
        )
    runs = {name: [_NAME.format(name, place) for place in range(len(rows))] for name, rows in systems.items()}
    flat = {
        run: row
        for name, run_names in runs.items()
        for run, row in zip(run_names, systems[name], strict=True)
    }
    try:
        gold, label_sets = runs_input.gold, reads_label_sets(runs_input.metric)
        # Several right answers to an item, as files hold them.
        has_lists = isinstance(gold, np.ndarray) and any(
            isinstance(one, list) for one in gold.ravel().tolist()
        )
        evaluation = Evaluation.of(
            flat,
            gold,
            clusters=runs_input.clusters,
            label_sets=label_sets,
            objects=has_lists and reads_objects(runs_input.metric) and not label_sets,
        )
    except InvalidInputError as error:
        if isinstance(error.__cause__, MissingValueError):  # without the advice on on_missing
            raise error.__cause__ from None
        raise
    evaluation = dataclasses.replace(evaluation, called=runs_input.called_by(runs))
    note_rules.data_notes(evaluation)  # refuses a single cluster
    metric, evaluation = chosen_metric(runs_input.metric, evaluation, runs_input.greater_is_better)
    consumer = "a comparison of runs"
    (group,) = prepare.groups(evaluation, [metric], consumer=consumer, counting=counting)
    one_pair.check_defined(group.scores, metric, lambda s: f"run {quoted(evaluation.names[s])}")
    names = tuple(systems)
    n_runs = [len(rows) for rows in systems.values()]
    by_item = Estimates(group, drawing)
    notes = note_rules.below_half_notes(by_item, evaluation.names, settings.level)
    estimator = RunsWithItems(by_item, n_runs, names, settings.paired)
    info = MetricInfo(metric.name, metric.greater_is_better, metric.bounds)
    return Data(names, info, estimator, evaluation, tuple(notes))


_NAME = "{}#{}"
