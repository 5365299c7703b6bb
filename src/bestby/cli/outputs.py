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
from bestby.cli.option_groups import TERMINAL, Json, labels_by_name
from bestby.cli.options import set_options
from bestby.cli.streams import logged, standard_output
from bestby.readers.joined_files import pieces_of
from bestby.readers.paths import matches
from bestby.report.figures.canvas import Canvas
from bestby.report.figures.drawing import render
from bestby.report.reported import shown_in
from bestby.report.writers.files import place_of, write_bytes
from bestby.report.writers.terminal import print_to
from bestby.resampling.progress import ProgressLine, shown_progress

STDOUT = "-"
_FOR_PEOPLE = ("markdown", "comment", "latex", "html", "plot")
_PICTURES = (".png", ".svg", ".pdf")
_UNWRITTEN = {
    "csv": "no CSV is written",
    "latex": "no LaTeX is written",
    "html": "no page is written",
    "plot": "no figure is drawn",
}
"""What makes an option of a form useless, if the result is not written in that form."""


def write_result(command: Callable[[Any, Any], Any], values: Any) -> Any:
    """Check the outputs, run a command with a function that shows the progress, and write its result."""
    check_outputs(values)
    progress = shown_progress(True)
    try:
        result = command(values, progress)
    finally:
        if isinstance(progress, ProgressLine):
            progress.wipe()
    _write(values.output, result)
    return result


def check_outputs(values: Any) -> None:
    """Check the outputs before any work is done."""
    output: Json = values.output
    printed = output.arguments_of(TERMINAL)
    if (top := printed.get("top")) is not None:
        checks.positive_int(top, "top")
    labels_by_name(getattr(output, "labels", None) or [])
    if {"brief", "details"} <= printed.keys():
        raise InvalidInputError("--brief and --details contradict each other", hint="give one of them")
    read = _read(values)
    for argument, words in read.items():
        if "" in words:
            raise InvalidInputError(f"{argument} is empty: it names nothing", hint="name it, or leave it out")
    targets = output.targets()
    _check_shapes(output, targets)
    _check_places(output.written("result", "written"), read)
    plot = targets.get("plot", STDOUT)
    if plot != STDOUT and Path(plot).suffix.lower() not in _PICTURES:
        raise InvalidInputError(
            f"--plot writes {', '.join(_PICTURES)}, got {plot!r}", hint="change the suffix of the file"
        )


def _check_shapes(output: Json, targets: Mapping[str, str]) -> None:
    """Refuse options of a form in which the result is not written, and a figure that cannot be drawn."""
    for one in set_options(output):
        if one.shapes and not {TERMINAL, *targets} & {*one.shapes}:
            form = one.shapes[0]
            raise InvalidInputError(
                f"{one.option} needs --{form}: {_UNWRITTEN[form]}",
                hint=f"give --{form} too, or leave {one.option} out",
            )
    figure = output.arguments_of("plot")
    Canvas.of(None, figure.get("width"), figure.get("font"))


def _check_places(written: Mapping[str, str], read: Mapping[str, Sequence[str]]) -> None:
    """Refuse files that cannot be written, that two options name, or that are read."""
    inputs = _inputs(read) if set(written.values()) - {STDOUT} else {}
    places: dict[str, str] = {}
    for name, target in written.items():
        option = f"--{name.replace('_', '-')}"
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


def _read(values: Any) -> dict[str, Sequence[str]]:
    """Return the files, or the columns, that are read, by the option or the argument that names them."""
    return {
        one.option: [one.value] if isinstance(one.value, str) else one.value
        for one in set_options(values)
        if one.file == "read"
    }


def _write(output: Json, result: Any) -> None:
    """Render everything, then write the files, then stdout: the table, unless an output goes there."""
    targets = output.targets()
    for_people = shown_in(output.for_people(result))
    rendered = {
        form: _rendered(output, for_people if form in _FOR_PEOPLE else result, form) for form in targets
    }
    for form, content in rendered.items():
        if targets[form] != STDOUT:
            write_bytes(targets[form], content)
    printed = {form: content for form, content in rendered.items() if targets[form] == STDOUT}
    with standard_output() as stream:
        for form, content in printed.items():
            stream.flush()
            stream.buffer.write(_logged(form, content))
            stream.buffer.flush()
        if not printed:
            print_to(for_people, stream, **output.arguments_of(TERMINAL))


def _logged(form: str, content: bytes) -> bytes:
    """Return what goes to stdout, where no line is a command to a workflow; JSON says what it said."""
    if form == "plot":
        return content
    if form == "json":
        return content.replace(b"##[", logged("##[").replace("\\x", "\\u00").encode())
    return logged(content.decode()).encode()


def _rendered(output: Json, result: Any, form: str) -> bytes:
    arguments = output.arguments_of(form)
    if form == "plot":
        target = output.targets()[form]
        suffix = ".svg" if target == STDOUT else Path(target).suffix.lower()
        return render(result.plot(**arguments), suffix)
    if form.startswith("csv"):
        what = output.table if form == "csv" else form.removeprefix("csv_")
        text: str = result.to_csv(what=what, **arguments)
    else:
        text = getattr(result, f"to_{form}")(**arguments)
    return text.encode("utf-8")


def _inputs(read: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the files that are read, as the user calls them, by where they really are."""
    paths = [path for words in read.values() for word in words for path in (word, word.partition("=")[2])]
    for words in read.values():
        with suppress(InvalidInputError):  # reading them will say what is wrong
            pieces = pieces_of(words or None)
            paths += [] if pieces is None else map(str, pieces.paths)
            paths += [str(path) for word in words for path in matches(word)]
    return {os.path.realpath(path): path for path in paths if os.path.isfile(path)}  # noqa: PTH113 - any text


def _check_place(option: str, target: str) -> None:
    if not target:
        raise InvalidInputError(
            f"{option} is empty: it names nothing", hint="name a file, or - for the standard output"
        )
    with place_of(target) as path:
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
