"""Tables of runs exported from MLflow or Weights & Biases: a row per run, with its settings and results."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.typing import FloatArray, OnMissing
from bestby.data.columns import MISSING
from bestby.data.roles import listed
from bestby.data.table import SYSTEM_WORDS, Table
from bestby.data.values import as_scores
from bestby.readers.files import read_table
from bestby.readers.formats.base import Read
from bestby.readers.text import as_number, check_new, column_names
from bestby.results.base import Note

_SYSTEM_WORDS = (*SYSTEM_WORDS, "group")
_SEED_WORDS = ("seed", "random_seed", "random_state")
_RUN_NUMBER = re.compile(
    r"^(?P<system>.*?)(?:(?P<sign>[\s_/.=-]+(?:s|r)|[\s_/.=-]*(?:seed|run|rep|trial)s?)[\s_/.=#-]*|[\s_/.=#-]*)"
    r"(?P<number>\d{1,9})$",
    re.IGNORECASE,
)
"""A name that ends in a number, and the word before it that says that it is the number of a run."""


class _Tool(NamedTuple):
    """How one tool writes its tables.

    All columns `needed` are there, and at least one of `one_of`; `more` are others that are neither settings
    nor results. `status` and `run` are the columns of the status and the name of a run. With `prefixed` the
    names of settings and results begin with ``params.`` and ``metrics.``.
    """

    name: str
    status: str
    run: str
    needed: frozenset[str]
    one_of: frozenset[str]
    more: frozenset[str] = frozenset()
    prefixed: bool = False

    def others(self, names: Sequence[str]) -> list[str]:
        """Return the columns that are settings or results."""
        return [name for name in names if name not in self.needed | self.one_of | self.more]


def _columns(names: str) -> frozenset[str]:
    return frozenset(names.split(", "))


_TOOLS = (
    _Tool(
        *("mlflow.search_runs", "status", "tags.mlflow.runName"),
        _columns("run_id, experiment_id, status"),
        _columns("artifact_uri, start_time, end_time"),
        prefixed=True,
    ),
    _Tool(
        *("MLflow", "Status", "Name"),
        _columns("Run ID, Name, Status"),
        _columns("Start Time, Duration, Source Name, User"),
        _columns("Source Type"),
    ),
    _Tool(
        *("Weights & Biases", "State", "Name"),
        _columns("Name, State"),
        _columns("Runtime, Created, Sweep, User, Notes, Tags"),
        _columns("ID, End Time, GPU Type, GPU Count, Hostname, Updated, Description, Job Type, Group"),
    ),
)


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file is such a table, from the names of its columns."""
    return _tool(column_names(head)) is not None


def _tool(names: Sequence[str]) -> _Tool | None:
    columns = set(names)
    return next((tool for tool in _TOOLS if tool.needed <= columns and tool.one_of & columns), None)


def read(
    paths: Mapping[str, Path],
    *,
    on_missing: OnMissing = "error",
    value_column: str | None = None,
    system_column: str | None = None,
) -> Read:
    """Read the runs of two or more systems.

    Runs that did not finish are left out. Runs of one system that differ in their seed come in its order.
    The system of a run is, by default, in a column called system, model, method or the like; else the
    settings that vary other than the seed (``mlflow.search_runs``); else the name of the run, if several runs
    share it; else that name without the number of the run, which a note says.
    """
    if not paths:
        raise InvalidInputError("no file was given", hint="give a table of runs")
    runs: dict[str, FloatArray] = {}
    metrics: dict[str, None] = {}
    description: dict[str, None] = {}
    notes: list[Note] = []
    for name, path in paths.items():
        own = None if len(paths) == 1 else name
        table_of_runs = _runs(path, own, on_missing, value_column, system_column)
        runs |= table_of_runs.runs or {}
        metrics[str(table_of_runs.metric)] = None
        description |= dict.fromkeys(table_of_runs.description.split("; "))
        notes += table_of_runs.notes
    if len(metrics) > 1:
        raise InvalidInputError(f"the tables hold different scores: {listed([*metrics])}")
    if len(runs) < 2:
        raise InvalidInputError(
            f"{next(iter(paths.values()))}: a comparison needs at least 2 systems, got"
            f" {listed([*runs]) or 'none'}",
            hint="name the column of the systems: system_column=...",
        )
    said = "; ".join([*description, f"systems: {listed([*runs])}"])
    return Read(said, runs=runs, metric=next(iter(metrics)), notes=tuple(notes))


def _runs(path: Path, name: str | None, on_missing: OnMissing, value: str | None, system: str | None) -> Read:
    """Return the runs of one table, which are those of one system if it has a name."""
    table = read_table(readable_file(path), frozenset(MISSING))
    tool = _tool(table.names)
    if tool is None:
        raise InvalidInputError(
            f"{path} is not a table of runs of MLflow or Weights & Biases",
            hint=f"its columns are: {listed(table.names)}",
        )
    rows = [row for row, text in enumerate(table.cells(tool.status)) if text.lower() == "finished"]
    if not rows:
        raise InvalidInputError(f"{path}: none of the {table.n_rows} runs has finished")
    score = _value_column(table, tool, value, system)
    systems, how, notes = (
        _systems(table, tool, system, rows)
        if name is None
        else ([name] * table.n_rows, "one table per system", ())
    )
    scores = _scores(table, score, rows, on_missing)
    seeds = _seeds(table, tool, system)
    description = [f"runs exported from {tool.name}", f"score: {score}", f"system: {how}"]
    for left_out, what in (
        (table.n_rows - len(rows), "that did not finish"),
        (len(rows) - len(scores), "without a score"),
    ):
        description += [f"{left_out} runs {what} were left out"] if left_out else []
    description += [] if seeds is None else ["runs in the order of their seeds"]
    runs = _by_system(table, systems, scores, seeds)
    metric = score.removeprefix("metrics.") if tool.prefixed else score
    return Read("; ".join(description), runs=runs, metric=metric, notes=notes)


def _last(name: str) -> str:
    """Return the last part of the name of a column, as in ``params.seed`` or ``config/seed``."""
    return re.split(r"[./]", name)[-1].strip().lower()


def _value_column(table: Table, tool: _Tool, column: str | None, system: str | None) -> str:
    if column is not None:
        prefixed = f"metrics.{column}"
        return prefixed if prefixed in table.data else table.require(column, "score")
    names = [name for name in tool.others(table.names) if name != system]
    if tool.prefixed:
        names = [name for name in names if name.startswith("metrics.")]
    else:
        known = {*_SYSTEM_WORDS, *_SEED_WORDS}
        names = [name for name in names if _last(name) not in known and not _last(name).startswith("_")]
    numeric = [name for name in names if as_scores(table.column(name)).values.dtype.kind in "iuf"]
    if len(numeric) != 1:
        raise InvalidInputError(
            f"{table.source}: which column holds the scores? columns of numbers: {listed(numeric) or 'none'}",
            hint="name it: value_column=...",
        )
    return numeric[0]


def _seeds(table: Table, tool: _Tool, system: str | None) -> list[str] | None:
    taken = (system, f"params.{system}")
    names = [name for name in tool.others(table.names) if name not in taken and _last(name) in _SEED_WORDS]
    if tool.prefixed:
        names = [name for name in names if name.startswith("params.")] or names
    return table.cells(names[0]) if names else None


def _systems(
    table: Table, tool: _Tool, column: str | None, rows: Sequence[int]
) -> tuple[list[str], str, tuple[Note, ...]]:
    """Return the system of every run, what says so, and a note if names were joined."""
    if column is not None:
        name = f"params.{column}" if f"params.{column}" in table.data else table.require(column, "system")
        return table.texts(name, "system"), f"column {name}", ()
    for wanted in _SYSTEM_WORDS:
        for name in table.names:
            if _last(name) == wanted and not name.startswith("metrics."):
                texts = table.cells(name)
                if len({texts[row] for row in rows}) > 1 and all(texts[row] for row in rows):
                    return texts, f"column {name}", ()
    if tool.prefixed:
        combined = _settings(table, rows)
        if combined is not None:
            return (*combined, ())
    if tool.run in table.data:
        names = table.cells(tool.run)
        finished = [names[row] for row in rows]
        if 1 < len(set(finished)) < len(finished) and all(finished):
            return names, f"column {tool.run}", ()
        joined = _without_run_numbers(finished)
        if joined is not None:
            systems = [joined.get(name, name) for name in names]
            return systems, f"column {tool.run} without the numbers of the runs", (_joined_note(joined),)
    raise InvalidInputError(
        f"{table.source}: which column names the system of a run?",
        hint="name it: system_column=...; a number at the end of a run's name is taken as a run number only"
        " after a word such as seed or run, or if the numbers of every system begin at 0 or 1; the columns"
        f" are: {listed(table.names)}",
    )


def _settings(table: Table, rows: Sequence[int]) -> tuple[list[str], str] | None:
    """Return the settings that vary between runs, other than the seed, spelt out for each run."""
    names = [name for name in table.names if name.startswith("params.") and _last(name) not in _SEED_WORDS]
    columns = {name: table.cells(name) for name in names}
    varying = [name for name in names if len({columns[name][row] for row in rows}) > 1]
    if not varying:
        return None
    spelt = [
        " ".join(f"{name.removeprefix('params.')}={columns[name][row]}" for name in varying)
        for row in range(table.n_rows)
    ]
    if len({spelt[row] for row in rows}) == len(rows):  # every run on its own: nothing was repeated
        return None
    return spelt, f"columns {listed(varying)}"


def _without_run_numbers(names: Sequence[str]) -> dict[str, str] | None:
    """Return the system of each run whose name is that of its system and a number; None if that is in doubt.

    The number of a run has a word before it (seed, run, rep, trial, or a single s or r), or the runs of every
    system are numbered without gaps from 0 or 1. The numbers of resnet18 and resnet50, or of gpt-3 and gpt-4,
    are parts of names.
    """
    matches = [match for name in names if (match := _RUN_NUMBER.match(name)) and match["system"]]
    if len(set(names)) < len(names) or len(matches) < len(names):
        return None
    systems: dict[str, list[int]] = {}
    for match in matches:
        systems.setdefault(match["system"], []).append(int(match["number"]))
    if len(systems) < 2 or all(len(numbers) == 1 for numbers in systems.values()):
        return None
    counted = all(
        len(numbers) > 1 and sorted(numbers) in (list(range(len(numbers))), list(range(1, len(numbers) + 1)))
        for numbers in systems.values()
    )
    if not counted and not all(match["sign"] for match in matches):
        return None
    return {name: match["system"] for name, match in zip(names, matches, strict=True)}


def _joined_note(joined: Mapping[str, str]) -> Note:
    """Return a note on which runs were taken for runs of one system."""
    members: dict[str, list[str]] = {}
    for name, system in joined.items():
        members.setdefault(system, []).append(name)
    text = "; ".join(f"{system} = {listed(names)}" for system, names in members.items())
    return Note(
        "runs_joined",
        f"numbers at the end of run names were read as run numbers: {text}. If these are different"
        " systems, name the column of the systems: system_column=...",
    )


def _scores(table: Table, value: str, rows: Sequence[int], on_missing: OnMissing) -> dict[int, float]:
    """Return the scores by row."""
    column = as_scores(table.column(value))
    if column.values.dtype.kind not in "iufb" or column.values.ndim != 1:
        raise InvalidInputError(
            f"{table.source}: column {value!r} does not hold numbers", hint="name another: value_column=..."
        )
    numbers = column.values.astype(np.float64)
    absent = [row for row in rows if column.missing[row] or not np.isfinite(numbers[row])]
    if absent and on_missing != "drop":
        raise InvalidInputError(
            f"{table.source}, row {absent[0] + 1}: a run that finished has no {value!r}"
            f" ({len(absent)} of {len(rows)} have none)",
            hint='pass on_missing="drop" to leave such runs out',
        )
    return {row: float(numbers[row]) for row in rows if row not in set(absent)}


def _by_system(
    table: Table, systems: Sequence[str], scores: Mapping[int, float], seeds: Sequence[str] | None
) -> dict[str, FloatArray]:
    """Return the scores of each system, in the order of the seeds, of which none may be there twice."""
    runs: dict[str, list[int]] = {}
    places: dict[tuple[str, str], str] = {}
    for row in scores:
        name, seed = systems[row], "" if seeds is None else seeds[row]
        runs.setdefault(name, []).append(row)
        if seed:
            hint = "leave out one of them, or name the column of the systems: system_column=..."
            what = f"a run of {name!r} with the seed {seed}"
            check_new(places, (name, seed), f"{table.source}, row {row + 1}", what, hint)
    if seeds is not None:
        numbers = [as_number(seed) for seed in seeds]
        order = [(np.inf if n is None else n, seed) for n, seed in zip(numbers, seeds, strict=True)]
        for rows in runs.values():
            rows.sort(key=order.__getitem__)
    return {name: np.array([scores[row] for row in rows]) for name, rows in runs.items()}
