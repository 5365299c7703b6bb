"""Where the results go: every output is rendered before the first is written."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby.cli.streams import standard_output

STDOUT = "-"
_OF_SYSTEMS = ("markdown", "latex", "html")  # and figures: what shows the best systems only, if asked to
_PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class Outputs:
    """What to write and where.

    `targets` has a file, or ``-`` for stdout, by format: json, csv, markdown, latex, html, plot, results-tsv.
    `csv_safe` says whether texts of the CSV are written so that no spreadsheet takes them for formulas.
    """

    targets: Mapping[str, str]
    csv_safe: bool = False

    @classmethod
    def of(
        cls, read: Mapping[str, Sequence[str] | None], *, csv_safe: bool = False, **asked: str | None
    ) -> Outputs:
        """Check the targets before any work is done."""
        for argument, words in read.items():
            if "" in (words or ()):
                raise InvalidInputError(
                    f"{argument} is empty: it names nothing", hint="name it, or leave it out"
                )
        targets = {form: target for form, target in asked.items() if target is not None}
        if csv_safe and "csv" not in targets:
            raise InvalidInputError(
                "--csv-safe needs --csv: no CSV is written", hint="give --csv too, or leave --csv-safe out"
            )
        inputs = _inputs(read) if set(targets.values()) - {STDOUT} else {}
        places: dict[str, str] = {}
        for form, target in targets.items():
            place = target if target == STDOUT else os.path.realpath(target)
            if place in places:
                where = "stdout (-)" if target == STDOUT else repr(target)
                raise InvalidInputError(
                    f"--{places[place]} and --{form} both go to {where}",
                    hint="give each output a place of its own; only one can go to -",
                )
            places[place] = form
            if target != STDOUT:
                _check_place(form, target)
            if place in inputs:
                raise InvalidInputError(
                    f"--{form} would overwrite the input {inputs[place]!r}", hint="name another file"
                )
        plot = targets.get("plot", STDOUT)
        if plot != STDOUT and Path(plot).suffix.lower() not in _PICTURES:
            raise InvalidInputError(
                f"--plot writes {', '.join(_PICTURES)}, got {plot!r}", hint="change the suffix of the file"
            )
        return cls(targets, csv_safe)

    def write(self, result: Any, *, top: int | None = None, **plotting: Any) -> None:
        """Render everything, then write the files, then stdout: the table, unless an output goes there.

        `top` says how many of the best systems tables and figures show.
        """
        shown = {} if top is None else {"top": top}
        rendered = {form: self._rendered(result, form, shown, plotting) for form in self.targets}
        from bestby.report.writers.files import write_bytes
        from bestby.report.writers.terminal import print_to

        for form, content in rendered.items():
            if self.targets[form] != STDOUT:
                write_bytes(self.targets[form], content)
        printed = [content for form, content in rendered.items() if self.targets[form] == STDOUT]
        with standard_output() as stream:
            for content in printed:
                stream.flush()
                stream.buffer.write(content)
                stream.buffer.flush()
            if not printed:
                print_to(result, stream, top)

    def _rendered(
        self, result: Any, form: str, shown: Mapping[str, int], plotting: Mapping[str, Any]
    ) -> bytes:
        if form == "plot":
            from bestby.report.figures.drawing import render

            target = self.targets[form]
            suffix = ".svg" if target == STDOUT else Path(target).suffix.lower()
            return render(result.plot(**plotting, **shown), suffix)
        arguments: Mapping[str, Any] = shown if form in _OF_SYSTEMS else {}
        if form == "csv":
            arguments = {"spreadsheet_safe": self.csv_safe}
        text: str = getattr(result, f"to_{form.replace('-', '_')}")(**arguments)
        return text.encode("utf-8")


def _inputs(read: Mapping[str, Sequence[str] | None]) -> dict[str, str]:
    """Return the files that are read, as the user calls them, by where they really are."""
    from bestby.readers.multi_file import pieces_of

    words = [word for given in read.values() for word in given or ()]
    paths = [path for word in words for path in (word, word.partition("=")[2])]  # NAME=FILE, or a file
    for given in read.values():
        with suppress(InvalidInputError):  # reading them will tell what is wrong
            pieces = pieces_of(given)
            paths += [] if pieces is None else map(str, pieces.paths)
    return {os.path.realpath(path): path for path in paths if os.path.isfile(path)}  # noqa: PTH113 - any text


def _check_place(form: str, target: str) -> None:
    if not target:
        raise InvalidInputError(
            f"--{form} is empty: it names nothing", hint="name a file, or - for the standard output"
        )
    path = Path(os.path.realpath(target))
    try:
        if path.is_dir():
            raise InvalidInputError(f"cannot write {target!r}: it is a folder", hint="name a file in it")
        if not path.parent.is_dir():
            raise InvalidInputError(
                f"cannot write {target!r}: there is no folder {str(path.parent)!r}",
                hint="create the folder first",
            )
        writable = os.access(path if path.exists() else path.parent, os.W_OK)
    except OSError as error:
        raise InvalidInputError(
            f"cannot write {target!r}: {error.strerror or error}", hint="name another file"
        ) from error
    if not writable:
        raise InvalidInputError(f"cannot write {target!r}: permission denied", hint="name another file")
