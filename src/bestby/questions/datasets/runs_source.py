"""Several runs of each system on each dataset: from what the user has to runs without gaps."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from bestby._core import arrays, checks
from bestby._core.errors import BestbyError, DesignError, InvalidInputError
from bestby._core.text import counted, quoted
from bestby._core.typing import FloatArray
from bestby.comparisons.common import provenance
from bestby.data.layouts.runs import FAILED_RUN
from bestby.data.roles import listed
from bestby.engine.base import Drawing
from bestby.engine.text_statistics import Counting
from bestby.metrics.directions import direction_of
from bestby.questions.datasets.nesting import holds_several
from bestby.questions.datasets.source import DatasetScores, Source, complete, without_averages
from bestby.questions.runs.settings import Settings
from bestby.questions.runs.source import Data, RunsInput, data_of
from bestby.results.base import Note

T = TypeVar("T")


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
    kept, names, notes = complete(rows, source, on_missing)
    _refuse_single(kept, names)
    _, direction_notes = direction_of(metric, greater_is_better)
    made: dict[str, Data] = {}
    for name, row in kept.items():
        given = RunsInput({s: row[s] for s in names}, None, metric, None, greater_is_better)
        made[name] = on_dataset(name, partial(data_of, given, settings, drawing, counting))
    reading = f"several runs on each dataset; datasets: {listed([*kept])}; systems: {listed(names)}"
    first = next(iter(made.values()))
    by_name = {f"{d} {s}": repr(_values(kept[d][s]).tolist()) for d in kept for s in names}
    return DatasetScores(
        metric=first.metric,
        datasets=tuple(kept),
        names=names,
        matrix=np.array([[one.maker.estimate(s) for s in range(len(names))] for one in made.values()]),
        makers={},
        items={},
        compared={},
        measure=None,
        data_hash=provenance.hash_of(by_name),
        notes=(Note("read_as", reading + source.assumed), *source.notes, *left_out, *notes, *direction_notes),
        runs=made,
    )


def on_dataset(name: str, work: Callable[[], T]) -> T:
    """Return what a function makes; an error in it names the dataset."""
    try:
        return work()
    except (DesignError, InvalidInputError) as error:
        raise _about(name, error) from error


def _about(name: str, error: BestbyError) -> BestbyError:
    return type(error)(f"dataset {quoted(name)}: {error.message}", error.hint, error.argument)


def _runs(dataset: str, system: str, runs: Any) -> Any:
    """Return the runs of a system as a mapping of run to score or an array; a single score is one run."""
    what = f"the runs of {quoted(system)} on dataset {quoted(dataset)}"
    if not holds_several(runs):
        return [] if checks.missing(runs) else [runs]
    values = arrays.listed(arrays.values_of(runs), what)
    gone = [place for place, value in enumerate(values, start=1) if checks.missing(value)]
    if gone:
        raise InvalidInputError(
            f"{counted(len(gone), 'score')} of {what} {'is' if len(gone) == 1 else 'are'} missing; first: run"
            f" {gone[0]} of {len(values)}",
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
