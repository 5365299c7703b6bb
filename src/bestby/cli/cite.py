"""`bestby cite`: the works behind methods, and how to report a result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby.cli import streams
from bestby.cli.parameters.cite import FORMS, Cite
from bestby.report.references import bibtex
from bestby.results.loading import load


def cite(values: Cite) -> None:
    """Print the works of one result or of all methods, or the paragraph that cites those of a result."""
    form: Any = checks.choice(values.form, FORMS, "form")
    if values.path is None:
        if form != "bibtex":
            raise InvalidInputError(
                f"--as {form} needs RESULT: the paragraph is about the methods of one result",
                hint="write one with --json, then: bestby cite result.json --as " + form,
            )
        streams.print_stdout(bibtex().rstrip())
        return
    result = load(Path(values.path))
    text = result.citations() if form == "bibtex" else result.methods(form)
    streams.print_stdout(text.rstrip())
