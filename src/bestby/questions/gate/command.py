"""`bestby gate`: is the candidate good enough to merge? The answer is the exit status, too."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

import typer

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import counted
from bestby.cli import streams
from bestby.cli.evaluations import read_evaluation
from bestby.cli.outputs import check_outputs, write_result
from bestby.data.evaluation import Evaluation
from bestby.data.roles import VALUE_WORDS
from bestby.questions.gate import github
from bestby.questions.gate.compare import gate as gate_systems
from bestby.questions.gate.parameters import INCONCLUSIVE, Gate
from bestby.questions.gate.settings_file import with_settings
from bestby.questions.gate.stored_baseline import stored, with_stored
from bestby.questions.slices.source import without_bins
from bestby.readers.files import stem_of
from bestby.report.writers.files import place_of, write_text
from bestby.results.base import Note

STATUS = {"pass": 0, "fail": 1, "inconclusive": 3}
"""The exit status of each outcome."""


def gate(values: Gate) -> None:
    """Decide, write what was asked for, and end with the status of the outcome; or store a baseline."""
    values, notes = with_settings(values)
    output = values.output
    if output.inconclusive is not None:
        checks.choice(output.inconclusive, INCONCLUSIVE, "inconclusive")
    if not values.paths:
        raise InvalidInputError(
            "no file was given", hint="give a baseline and a candidate: bestby gate main.csv new.csv"
        )
    if output.save is not None:
        _save(values, output.save)
        return
    places = github.places() if output.github else None
    result = write_result(partial(_gate, notes), values)
    status = STATUS[result.outcome]
    if result.outcome == "inconclusive" and output.inconclusive is not None:
        status = STATUS[output.inconclusive]
    if places is not None:
        github.report(result, status, places, percent=output.percent)
    raise typer.Exit(status)


def _gate(notes: tuple[Note, ...], values: Gate, progress: Any) -> Any:
    cut = values.cut.arguments()
    columns = {} if "by" not in cut else {"by": without_bins(cut["by"])}
    evaluation, statistics = _read(_two_systems_only(values), **columns)
    if values.data.baseline_file is not None:
        evaluation = with_stored(values.data.baseline_file, evaluation)
    elif len(evaluation.names) == 1:
        raise InvalidInputError(
            f"a gate needs a baseline and a candidate, got one system: {evaluation.names[0]}",
            hint="give two files, a table of both, or --baseline-file",
        )
    result = gate_systems(evaluation, **cut, **statistics, progress=progress)
    return dataclasses.replace(result, notes=(*notes, *result.notes))


def _read(values: Gate, **columns: Any) -> tuple[Evaluation, dict[str, Any]]:
    """Return the systems and the arguments; one whose column says nothing is called as its file is."""
    evaluation, statistics = read_evaluation(values, **columns)
    (first, *_), paths = evaluation.names, values.paths or []
    if len(evaluation.names) == 1 and first in VALUE_WORDS and len(paths) == 1 and "=" not in paths[0]:
        systems = {stem_of(paths[0]): evaluation.systems[first]}
        missing = {stem_of(paths[0]): mask for mask in evaluation.missing.values()}
        called = {stem_of(paths[0]): first}
        evaluation = dataclasses.replace(evaluation, systems=systems, missing=missing, called=called)
    return evaluation, statistics


def _two_systems_only(values: Gate) -> Gate:
    """Return the values of which a table is asked for the two systems alone, if both are named."""
    data, statistics = values.data, values.statistics
    names = [name for name in (statistics.baseline, statistics.candidate) if name is not None]
    if len(names) < 2 or data.systems is not None or data.baseline_file is not None:
        return values
    return dataclasses.replace(values, data=dataclasses.replace(data, systems=names))


def _save(values: Gate, path: str) -> None:
    """Store the one system of the files."""
    if values.output.targets() or values.output.github or values.data.baseline_file is not None:
        raise InvalidInputError(
            "--save stores a baseline and compares nothing, so nothing else can be written",
            hint="leave out the other outputs and --baseline-file, or --save",
        )
    check_outputs(values)
    with place_of(path):
        evaluation, _ = _read(values)
        text = stored(evaluation)
    write_text(path, text)
    items = counted(evaluation.n_items, "item")
    streams.print_stderr(f"stored the predictions of {evaluation.names[0]!r} on {items} in {path!r}")
