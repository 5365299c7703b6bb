"""Where the results go: every output is rendered before the first is written."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby.cli.parameters.groups import Json, Output
from bestby.cli.progress import shown
from bestby.cli.streams import standard_output
from bestby.readers.multi_file import pieces_of
from bestby.report.figures.canvas import Canvas
from bestby.report.figures.drawing import render
from bestby.report.percent import in_percent
from bestby.report.writers.files import place_of, write_bytes
from bestby.report.writers.terminal import print_to

STDOUT = "-"
_OF_SYSTEMS = ("markdown", "latex", "html")  # and figures: they can show the best systems only
_FOR_PEOPLE = (*_OF_SYSTEMS, "plot")
_PICTURES = (".png", ".svg", ".pdf")


def write_result(command: Callable[[Any, Any], Any], values: Any) -> Any:
    """Check the outputs, run a command with a function that shows the progress, and write its result."""
    check_outputs(values)
    with shown() as progress:
        result = command(values, progress)
    _write(values.output, result)
    return result


def check_outputs(values: Any) -> None:
    """Check the outputs before any work is done."""
    output: Json = values.output
    if getattr(output, "top", None) is not None:
        checks.positive_int(output.top, "top")  # type: ignore[attr-defined]
    read = _read(values)
    for argument, words in read.items():
        if "" in words:
            raise InvalidInputError(f"{argument} is empty: it names nothing", hint="name it, or leave it out")
    targets = output.targets()
    _check_figure(output, targets)
    if getattr(output, "csv_safe", False) and not {"csv", "csv_scores"} & set(targets):
        raise InvalidInputError(
            "--csv-safe needs --csv: no CSV is written", hint="give --csv too, or leave --csv-safe out"
        )
    if getattr(output, "items_on_page", False) and "html" not in targets:
        raise InvalidInputError(
            "--items needs --html: the items are listed on the page",
            hint="give --html too, or leave --items out",
        )
    if "latex" not in targets and (given := output.of_latex()):
        option = f"--latex-{'part' if 'parts' in given else next(iter(given))}"
        raise InvalidInputError(
            f"{option} needs --latex: no LaTeX is written", hint=f"give --latex too, or leave {option} out"
        )
    save = getattr(output, "save", None)
    targets = targets if save is None else {**targets, "save": save}
    inputs = _inputs(read) if set(targets.values()) - {STDOUT} else {}
    places: dict[str, str] = {}
    for form, target in targets.items():
        option = f"--{form.replace('_', '-')}"
        place = target if target == STDOUT else os.path.realpath(target)
        if place in places:
            where = "stdout (-)" if target == STDOUT else repr(target)
            raise InvalidInputError(
                f"{places[place]} and {option} both go to {where}",
                hint="give each output a place of its own; only one can go to -",
            )
        places[place] = option
        if target != STDOUT:
            _check_place(option, target)
        if place in inputs:
            raise InvalidInputError(
                f"{option} would overwrite the input {inputs[place]!r}", hint="name another file"
            )
    plot = targets.get("plot", STDOUT)
    if plot != STDOUT and Path(plot).suffix.lower() not in _PICTURES:
        raise InvalidInputError(
            f"--plot writes {', '.join(_PICTURES)}, got {plot!r}", hint="change the suffix of the file"
        )


def _check_figure(output: Json, targets: Mapping[str, str]) -> None:
    """Refuse options of a figure that are wrong, or without a figure."""
    given = output.figure() if isinstance(output, Output) else {}
    if given and "plot" not in targets:
        option = f"--plot-{next(iter(given))}"
        raise InvalidInputError(
            f"{option} needs --plot: no figure is drawn", hint=f"give --plot too, or leave {option} out"
        )
    Canvas.of(None, given.get("width"), given.get("font"))


def _read(values: Any) -> dict[str, Sequence[str]]:
    """Return the files, or the columns, that are read, by the argument that names them."""
    read: dict[str, Any] = {"FILES": getattr(values, "paths", None)}
    if hasattr(values, "path"):
        read = {"FILE": [values.path]}
    data = getattr(values, "data", None)
    read["--gold"] = getattr(data, "gold", None)
    if (stored := getattr(data, "baseline_file", None)) is not None:
        read["--baseline-file"] = [stored]
    return {name: words or [] for name, words in read.items() if not isinstance(words, str)}


def _write(output: Json, result: Any) -> None:
    """Render everything, then write the files, then stdout: the table, unless an output goes there."""
    top = getattr(output, "top", None)
    targets = output.targets()
    shown_result = in_percent(result) if getattr(output, "percent", False) else result
    for_people = {form: shown_result if form in _FOR_PEOPLE else result for form in targets}
    rendered = {form: _rendered(output, one, form) for form, one in for_people.items()}
    for form, content in rendered.items():
        if targets[form] != STDOUT:
            write_bytes(targets[form], content)
    printed = [content for form, content in rendered.items() if targets[form] == STDOUT]
    with standard_output() as stream:
        for content in printed:
            stream.flush()
            stream.buffer.write(content)
            stream.buffer.flush()
        if not printed:
            print_to(shown_result, stream, top, classes=getattr(output, "class_shares", False))


def _rendered(output: Json, result: Any, form: str) -> bytes:
    top = getattr(output, "top", None)
    arguments: dict[str, Any] = {} if top is None else {"top": top}
    if form == "plot":
        target = output.targets()[form]
        suffix = ".svg" if target == STDOUT else Path(target).suffix.lower()
        assert isinstance(output, Output)
        return render(result.plot(**output.figure(), **arguments), suffix)
    if form not in _OF_SYSTEMS:
        arguments = {}
    if form in ("csv", "csv_scores"):
        what = "scores" if form == "csv_scores" else output.table
        text: str = result.to_csv(what=what, spreadsheet_safe=getattr(output, "csv_safe", False))
    else:
        if form == "html" and getattr(output, "items_on_page", False):
            arguments["items"] = True
        arguments |= output.of_latex() if form == "latex" else {}
        text = getattr(result, f"to_{form}")(**arguments)
    return text.encode("utf-8")


def _inputs(read: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the files that are read, as the user calls them, by where they really are."""
    paths = [path for words in read.values() for word in words for path in (word, word.partition("=")[2])]
    for words in read.values():
        with suppress(InvalidInputError):  # reading them will say what is wrong
            pieces = pieces_of(words or None)
            paths += [] if pieces is None else map(str, pieces.paths)
    return {os.path.realpath(path): path for path in paths if os.path.isfile(path)}  # noqa: PTH113 - any text


def _check_place(option: str, target: str) -> None:
    if not target:
        raise InvalidInputError(
            f"{option} is empty: it names nothing", hint="name a file, or - for the standard output"
        )
    with place_of(target) as path:
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
