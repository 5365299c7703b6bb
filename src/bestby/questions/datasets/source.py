"""From what the user has to scores without gaps: tables, items, comparisons, frames."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import FloatArray
from bestby.comparisons.common import per_dataset, provenance
from bestby.data.evaluation import Evaluation
from bestby.data.frames import backend_of, is_partitioned, is_table, table_of, unreadable
from bestby.data.layouts.datasets import Cells, RunCells, datasets_of
from bestby.data.layouts.evaluations import refuse_partitions
from bestby.data.layouts.options import TableOptions, chosen_names
from bestby.data.roles import average_note, averages, check_no_predictions, listed, transposed, unknown_system
from bestby.data.table import merged_order
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.engine.text_statistics import Counting
from bestby.metrics.base import BaseMetric
from bestby.metrics.directions import Turned, direction_of, rising
from bestby.questions.datasets.nesting import holds_runs, nested
from bestby.questions.runs.source import Data
from bestby.results.base import MetricInfo, Note
from bestby.results.comparison import Comparison
from bestby.vocabulary import allowed_names

_ASSUMED = '; the outer keys are taken as datasets: if they are systems, pass outer="system"'


@dataclass(frozen=True)
class Source:
    """The data in one of four forms; exactly one is not None."""

    table: Cells | None = None
    runs: Mapping[str, Mapping[str, Any]] | None = None
    items: Mapping[str, Evaluation] | None = None
    compared: Mapping[str, Comparison] | None = None
    systems: Sequence[str] | None = None
    ignore: Sequence[str] | None = None
    notes: tuple[Note, ...] = ()
    assumed: str = ""
    """What the note on datasets and systems adds where nobody said which keys are which."""


@dataclass(frozen=True)
class DatasetScores:
    """Scores without gaps, and what lies behind them."""

    metric: MetricInfo
    datasets: tuple[str, ...]
    names: tuple[str, ...]
    matrix: FloatArray
    makers: Mapping[str, Estimates]
    items: Mapping[str, Evaluation]
    compared: Mapping[str, Comparison]
    measure: BaseMetric | None
    data_hash: str
    notes: tuple[Note, ...]
    runs: Mapping[str, Data] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] | None = None
    from_data: bool = False
    """Whether the ranges are those of the scores themselves."""

    def about(self) -> dict[str, Any]:
        """Return the number of datasets, the systems, and how many items or runs there are if any are."""
        about: dict[str, Any] = {"datasets": len(self.datasets), "systems": list(self.names)}
        if self.runs:
            about["runs"] = [[int(x.size) for x in one.maker.scores] for one in self.runs.values()]
        elif self.items:
            about["items"] = sum(part.n_items for part in self.items.values())
        return about


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


def source_of(
    data: Any, outer: str | None, dataset: str | None, options: TableOptions, run: str | None = None
) -> Source:
    """Return the data in one of four forms."""
    checks.valid_name(dataset, "dataset")
    given, data = data, nested(data, outer)
    if not isinstance(data, Mapping) and is_table(data):
        return _from_table(data, dataset, options, run)
    chosen = Source(systems=options.systems, ignore=options.ignore)
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
    kinds = {
        kind
        for value in named.values()
        for kind in (Evaluation, Comparison, Mapping)
        if isinstance(value, kind)
    }
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
    assumed = _ASSUMED if outer is None and given is data else ""
    if holds_runs(table):
        return dataclasses.replace(chosen, runs=table, assumed=assumed)
    return dataclasses.replace(chosen, table=table, assumed=assumed)


def _from_table(data: Any, dataset: str | None, options: TableOptions, run: str | None) -> Source:
    """Return the data of a frame or of records."""
    if is_partitioned(data) and (options.roles.gold is not None or options.roles.item is not None):
        refuse_partitions("this comparison")
    datasets = datasets_of(table_of(data), dataset, options, run)
    if isinstance(datasets, Evaluation):
        whole = dataclasses.replace(datasets, frame_backend=backend_of(data))
        return Source(items=per_dataset.split(whole, "dataset"), notes=whole.notes)
    refuse_p_values(datasets)
    if holds_runs(cast(Cells, datasets)):
        return Source(runs=cast(RunCells, datasets))
    return Source(table=cast(Cells, datasets))


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
    kept, names, notes = complete(table, source, on_missing)
    if metric is None:
        check_no_predictions(dict(zip(names, names, strict=True)))
    reading = f"a table of scores; datasets: {listed([*kept])}; systems: {listed(names)}{source.assumed}"
    greater, direction_notes = direction_of(metric, greater_is_better)
    info = MetricInfo(metric or "score", greater, (-math.inf, math.inf))
    columns = [np.array([row[system] for row in kept.values()]) for system in names]
    hashes = {name: repr(sorted(row.items())) for name, row in kept.items()}
    return DatasetScores(
        info,
        tuple(kept),
        names,
        np.column_stack(rounding.in_one_precision(columns)),
        {},
        {},
        {},
        None,
        provenance.hash_of(hashes),
        (Note("read_as", reading), *source.notes, *left_out, *notes, *direction_notes),
    )


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
    kept = {name: parts[name].with_systems(names) for name in whole}
    own = [part.suggested for part in kept.values()]
    measure: BaseMetric | None = None
    if metric is None and any(one != own[0] for one in own):
        kept, measures, notes_on_items = _each_its_own(kept, greater_is_better)
        info = MetricInfo("score", greater_is_better=True, bounds=(-math.inf, math.inf))
    else:
        measure, notes_on_items = per_dataset.one_metric(metric, kept, "dataset", greater_is_better)
        measures = dict.fromkeys(kept, measure)
        info = None
    makers = {
        name: per_dataset.intervals_on(part, measures[name], drawing, f"dataset {quoted(name)}", counting)
        for name, part in kept.items()
    }
    fitted = next(iter(makers.values())).group.metric
    return DatasetScores(
        metric=info or MetricInfo(fitted.name, fitted.greater_is_better, fitted.bounds),
        datasets=tuple(kept),
        names=names,
        matrix=np.array([maker.scores for maker in makers.values()]),
        makers=makers,
        items=kept,
        compared={},
        measure=measure,
        data_hash=provenance.hash_of({name: part.data_hash() for name, part in kept.items()}),
        notes=(*source.notes, *notes_on_items, *notes),
    )


def _each_its_own(
    parts: Mapping[str, Evaluation], greater_is_better: bool | None
) -> tuple[dict[str, Evaluation], dict[str, BaseMetric], list[Note]]:
    """Return datasets that suggest metrics of their own with these, all better the higher they are."""
    turned, measures, notes = {}, {}, []
    for name, part in parts.items():
        own, found = per_dataset.one_metric(None, {name: part}, "dataset", greater_is_better)
        turned[name], measures[name] = rising(part, own)
        notes += found
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
    kept, names, notes = complete(table, source, on_missing)
    return DatasetScores(
        metric=next(m for m in first.metrics if m.name == name),
        datasets=tuple(kept),
        names=names,
        matrix=np.array([[kept[label][system] for system in names] for label in kept]),
        makers={},
        items={},
        compared={label: compared[label] for label in kept},
        measure=None,
        data_hash=provenance.hash_of({label: compared[label].provenance.data_hash for label in kept}),
        notes=(*source.notes, *notes),
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


def complete(
    table: Mapping[str, Mapping[str, float]], source: Source, on_missing: str
) -> tuple[dict[str, Mapping[str, float]], tuple[str, ...], tuple[Note, ...]]:
    """Return the datasets on which every system has a score, the systems, and a note on the others."""
    known = tuple(merged_order(table.values()))
    checks.valid_names(known, "system")
    checks.valid_names(table, "dataset")
    outer = next((name for name in source.systems or () if name in table and name not in known), None)
    if outer is not None:
        error = unknown_system(None, known)(outer)
        hint = f'{error.hint}; outer="system" takes the outer keys for the systems'
        raise InvalidInputError(error.message, hint, error.argument)
    names = tuple(chosen_names(known, source.systems, source.ignore))
    checks.two_systems(names, hint="pass the scores of each system on every dataset")
    gaps = [(name, system) for name, row in table.items() for system in names if system not in row]
    without = list(dict.fromkeys(name for name, _ in gaps))
    if gaps and on_missing != "drop":
        raise InvalidInputError(
            f"{len(gaps)} of {len(table) * len(names)} scores are missing, on {len(without)} of {len(table)}"
            f" datasets; first: {quoted(gaps[0][1])} on dataset {quoted(gaps[0][0])}",
            hint='pass on_missing="drop" to compare on the other datasets only',
        )
    kept = {name: row for name, row in table.items() if name not in without}
    if len(kept) < 2:
        raise InvalidInputError(
            f"at least 2 datasets with a score of every system are needed, got {len(kept)}",
            hint="for one dataset use compare, or compare_runs for several runs",
        )
    if not gaps:
        return kept, names, ()
    said = (
        f"{len(without)} of {len(table)} datasets were left out because some system has no score there:"
        f" {', '.join(without)} ({len(gaps)} scores missing)"
    )
    return kept, names, (Note("datasets_dropped", said),)
