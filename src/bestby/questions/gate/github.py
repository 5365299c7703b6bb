"""What a step of a GitHub workflow shows and hands on: its summary and its outputs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from bestby._core.errors import InvalidInputError
from bestby.questions.gate.report import message
from bestby.questions.gate.result import Gate
from bestby.report.writers.files import place_of

_SUMMARY, _OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"


class Places(NamedTuple):
    """The files that GitHub names in the environment of a step; the second may be missing."""

    summary: Path
    outputs: Path | None


def places() -> Places:
    """Return the files of this step; refuse if it is none, or they cannot be written."""
    summary, outputs = os.environ.get(_SUMMARY), os.environ.get(_OUTPUT)
    if not summary:
        raise InvalidInputError(
            f"--github writes to the file named in {_SUMMARY}, which is not set",
            hint="it is set in the steps of GitHub workflows; elsewhere use --markdown FILE",
        )
    _append(Path(summary), "")
    if outputs:
        _append(Path(outputs), "")
    return Places(Path(summary), Path(outputs) if outputs else None)


def report(result: Gate, status: int, to: Places, *, percent: bool = False) -> None:
    """Append the report to the summary, and outcome, status and message to the outputs."""
    _append(to.summary, result.to_markdown(percent=percent) + "\n")
    if to.outputs is not None:
        # The message is one line: names with line feeds in them are escaped.
        _append(to.outputs, f"outcome={result.outcome}\nstatus={status}\nmessage={message(result)}\n")


def _append(path: Path, text: str) -> None:
    with place_of(path) as target, target.open("a", encoding="utf-8") as stream:
        stream.write(text)
