"""Where the results go: every output is rendered before the first is written."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError

STDOUT = "-"
_OF_SYSTEMS = ("markdown", "latex", "html")  # and figures: what shows the best systems only, if asked to
_PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class Outputs:
    """What to write and where.

    Parameters
    ----------
    targets : mapping of str to str
        A file, or ``-`` for stdout, by format: json, csv, markdown, latex, html, plot, results-tsv.
    """

    targets: Mapping[str, str]

    @classmethod
    def of(cls, **asked: str | None) -> Outputs:
        """Check the targets before any work is done.

        Raises
        ------
        InvalidInputError
            If two outputs go to one place, or a file cannot be made there.
        """
        targets = {form: target for form, target in asked.items() if target is not None}
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
                _check_place(target)
        plot = targets.get("plot", STDOUT)
        if plot != STDOUT and Path(plot).suffix.lower() not in _PICTURES:
            raise InvalidInputError(
                f"--plot writes {', '.join(_PICTURES)}, got {plot!r}", hint="change the suffix of the file"
            )
        return cls(targets)

    @property
    def print_table(self) -> bool:
        """Whether stdout is free for the table."""
        return STDOUT not in self.targets.values()

    def write(self, result: Any, *, top: int | None = None, **plotting: Any) -> None:
        """Render everything, then write the files, then stdout.

        Parameters
        ----------
        result : Comparison or alike
            What to write.
        top : int, optional
            How many of the best systems tables and figures show.
        **plotting
            Goes to the figure.
        """
        shown = {} if top is None else {"top": top}
        rendered = {
            form: _rendered(result, form, target, shown, plotting) for form, target in self.targets.items()
        }
        from bestby.report.write import write_bytes

        for form, content in rendered.items():
            if self.targets[form] != STDOUT:
                write_bytes(self.targets[form], content)
        for form, content in rendered.items():
            if self.targets[form] == STDOUT:
                sys.stdout.flush()
                sys.stdout.buffer.write(content)
                sys.stdout.buffer.flush()


def _check_place(target: str) -> None:
    path = Path(os.path.realpath(target))
    if not target or path.is_dir():
        raise InvalidInputError(f"cannot write {target!r}: it is a folder", hint="name a file in it")
    if not path.parent.is_dir():
        raise InvalidInputError(
            f"cannot write {target!r}: there is no folder {str(path.parent)!r}",
            hint="create the folder first",
        )
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InvalidInputError(f"cannot write {target!r}: permission denied", hint="name another file")


def _rendered(
    result: Any, form: str, target: str, shown: Mapping[str, int], plotting: Mapping[str, Any]
) -> bytes:
    if form == "plot":
        from bestby.report.drawing import render

        suffix = ".svg" if target == STDOUT else Path(target).suffix.lower()
        return render(result.plot(**plotting, **shown), suffix)
    arguments = shown if form in _OF_SYSTEMS else {}
    text: str = getattr(result, f"to_{form.replace('-', '_')}")(**arguments)
    return text.encode("utf-8")
