"""Tables of runs exported from MLflow or Weights & Biases: a row per run, with its settings and results."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import compress, count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bestby._core.arrays import objects
from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby.data.columns import MISSING
from bestby.data.layouts.runs import runs_of
from bestby.data.roles import TableOptions, listed
from bestby.data.table import SYSTEM_WORDS, Table
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
    paths: Mapping[str, Path], *, value_column: str | None = None, system_column: str | None = None
) -> Read:
    """Read the runs of two or more systems.

    Runs that did not finish are left out, and those with seeds come in their order. The system of a run is,
    by default, in a column called system, model, method or the like; else the settings that vary other than
    the seed (``mlflow.search_runs``); else the name of the run, if several runs share it; else that name
    without the number of the run, which a note says.
    """
    tables = [
        _runs(path, None if len(paths) == 1 else name, value_column, system_column)
        for name, path in paths.items()
    ]
    metrics = dict.fromkeys(table.metric for table in tables)
    if len(metrics) > 1:
        raise InvalidInputError(f"the tables hold different scores: {listed([*metrics])}")
    rows = sorted((row for table in tables for row in table.rows), key=_place)
    systems, seeds, scores = (objects([*column]) for column in zip(*rows, strict=True))
    columns = {"system": systems, "score": scores, **({"run": seeds} if all(seeds) else {})}
    table = Table(listed([*map(str, paths.values())], 3), columns, frozenset(MISSING))
    found = runs_of(table, TableOptions(system_column="system", value_column="score"))
    if len(found.runs) < 2:
        raise InvalidInputError(
            f"{table.source}: a comparison needs at least 2 systems, got {listed([*found.runs])}",
            hint="name the column of the systems: system_column=...",
        )
    said = dict.fromkeys(part for table in tables for part in table.description)
    said |= dict.fromkeys(["runs in the order of their seeds"] if all(seeds) else [])
    notes = (*(note for table in tables for note in table.notes), *found.notes)
    description = "; ".join([*said, f"systems: {listed([*found.runs])}"])
    return Read(description, runs=found.runs, metric=next(iter(metrics)), notes=notes)


class _Runs(NamedTuple):
    """The runs of one table: of each its system, its seed and its score, as texts."""

    rows: list[tuple[str, str, str]]
    metric: str
    description: list[str]
    notes: list[Note]


def _place(row: tuple[str, str, str]) -> tuple[float, str]:
    """Return what the runs are ordered by: their seed, as a number if it is one."""
    number = as_number(row[1])
    return np.inf if number is None else number, row[1]


def _runs(path: Path, name: str | None, value: str | None, system: str | None) -> _Runs:
    """Return the runs of one table, which are those of one system if it has a name."""
    table = read_table(readable_file(path), frozenset(MISSING))
    tool = _tool(table.names)
    if tool is None:
        raise InvalidInputError(
            f"{path} is not a table of runs of MLflow or Weights & Biases",
            hint=f"its columns are: {listed(table.names)}",
        )
    finished = [text.lower() == "finished" for text in table.cells(tool.status)]
    if not any(finished):
        raise InvalidInputError(f"{path}: none of the {table.n_rows} runs has finished")
    cells = {column: [*compress(table.cells(column), finished)] for column in table.names}
    score = _value_column(table, cells, tool, value, system)
    notes: list[Note] = []
    if name is None:
        systems, how = _systems(table, cells, tool, system, notes)
    else:
        systems, how = [name] * sum(finished), "one table per system"
    description = [f"runs exported from {tool.name}", f"score: {score}", f"system: {how}"]
    if not all(finished):
        description.append(f"{finished.count(False)} runs that did not finish were left out")
    seeds, places = _seeds(cells, tool, system), dict[Any, str]()
    for row, run in zip(compress(count(1), finished), zip(systems, seeds, strict=True), strict=True):
        if run[1]:
            hint = "leave out one of them, or name the column of the systems: system_column=..."
            what = f"a run of {run[0]!r} with the seed {run[1]}"
            check_new(places, run, f"{path}, row {row}", what, hint)
    metric = score.removeprefix("metrics.") if tool.prefixed else score
    return _Runs([*zip(systems, seeds, cells[score], strict=True)], metric, description, notes)


_Cells = Mapping[str, Sequence[str]]
"""The texts of the runs that finished, by column."""


def _last(name: str) -> str:
    """Return the last part of the name of a column, as in ``params.seed`` or ``config/seed``."""
    return re.split(r"[./]", name)[-1].strip().lower()


def _value_column(table: Table, cells: _Cells, tool: _Tool, column: str | None, system: str | None) -> str:
    if column is not None:
        name = f"metrics.{column}"
        name = name if name in cells else table.require(column, "score")
        if not _are_numbers(cells[name]):
            raise InvalidInputError(
                f"{table.source}: column {name!r} does not hold numbers",
                hint="name another: value_column=...",
            )
        return name
    names = [name for name in tool.others(table.names) if name != system]
    if tool.prefixed:
        names = [name for name in names if name.startswith("metrics.")]
    else:
        known = {*_SYSTEM_WORDS, *_SEED_WORDS}
        names = [name for name in names if _last(name) not in known and not _last(name).startswith("_")]
    numeric = [name for name in names if _are_numbers(cells[name])]
    if len(numeric) != 1:
        raise InvalidInputError(
            f"{table.source}: which column holds the scores? columns of numbers: {listed(numeric) or 'none'}",
            hint=f"name it: value_column={repr(numeric[0]) if numeric else '...'}",
        )
    return numeric[0]


def _are_numbers(texts: Sequence[str]) -> bool:
    return any(texts) and all(not text or as_number(text) is not None for text in texts)


def _seeds(cells: _Cells, tool: _Tool, system: str | None) -> Sequence[str]:
    """Return the seed of each run, "" where it has none."""
    taken = (system, f"params.{system}")
    names = [name for name in tool.others([*cells]) if name not in taken and _last(name) in _SEED_WORDS]
    if tool.prefixed:
        names = [name for name in names if name.startswith("params.")] or names
    return cells[names[0]] if names else [""] * len(cells[tool.status])


def _systems(
    table: Table, cells: _Cells, tool: _Tool, column: str | None, notes: list[Note]
) -> tuple[Sequence[str], str]:
    """Return the system of every run and what says so; add a note if names were joined."""
    if column is not None:
        name = f"params.{column}" if f"params.{column}" in cells else table.require(column, "system")
        return cells[name], f"column {name}"
    called = [name for word in _SYSTEM_WORDS for name in cells if _last(name) == word]
    for name in called:
        if not name.startswith("metrics.") and len({*cells[name]}) > 1 and all(cells[name]):
            return cells[name], f"column {name}"
    if tool.prefixed and (spelt := _settings(cells)) is not None:
        return spelt
    names = cells.get(tool.run, ())
    if 1 < len({*names}) < len(names) and all(names):
        return names, f"column {tool.run}"
    if (joined := _without_run_numbers(names)) is not None:
        notes.append(_joined_note(joined))
        return [*joined.values()], f"column {tool.run} without the numbers of the runs"
    raise InvalidInputError(
        f"{table.source}: which column names the system of a run?",
        hint="name it: system_column=...; a number at the end of a run's name is taken as a run number only"
        " after a word such as seed or run, or if the numbers of every system begin at 0 or 1; the columns"
        f" are: {listed(table.names)}",
    )


def _settings(cells: _Cells) -> tuple[Sequence[str], str] | None:
    """Return the settings that vary between runs, other than the seed, spelt out for each run.

    None if nothing was repeated: then every run has settings of its own.
    """
    varying = {
        name: texts
        for name, texts in cells.items()
        if name.startswith("params.") and _last(name) not in _SEED_WORDS and len({*texts}) > 1
    }
    spelt = [
        " ".join(f"{name.removeprefix('params.')}={text}" for name, text in zip(varying, row, strict=True))
        for row in zip(*varying.values(), strict=True)
    ]
    return (spelt, f"columns {listed([*varying])}") if len({*spelt}) < len(spelt) else None


def _without_run_numbers(names: Sequence[str]) -> dict[str, str] | None:
    """Return the system of each run whose name is that of its system and a number; None if that is in doubt.

    The number of a run has a word before it (seed, run, rep, trial, or a single s or r), or the runs of every
    system are numbered without gaps from 0 or 1. The numbers of resnet18 and resnet50, or of gpt-3 and gpt-4,
    are parts of names.
    """
    matches = [match for name in names if (match := _RUN_NUMBER.match(name)) and match["system"]]
    if len({*names}) < len(names) or len(matches) < len(names):
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
    members = {one: [name for name, system in joined.items() if system == one] for one in joined.values()}
    text = "; ".join(f"{system} = {listed(names)}" for system, names in members.items())
    return Note(
        "runs_joined",
        f"numbers at the end of run names were read as run numbers: {text}. If these are different"
        " systems, name the column of the systems: system_column=...",
    )
