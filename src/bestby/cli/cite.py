"""`bestby cite`: the works behind methods, and how to report a result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby.cli import streams
from bestby.cli.option_groups import Text
from bestby.cli.options import argument, choice, record

FORMS = ("bibtex", "text", "latex", "markdown")


@record
class Cite:
    """
    RESULT is a result that was written with --json. Without it, all works are printed: bestby, the four works
    that it brings together, and those of every method.

    \b
    Examples:
      bestby cite > references.bib
      bestby cite result.json
      bestby cite result.json --as text
    """

    path: Text = argument("RESULT", default=None)
    form: str = choice(
        FORMS,
        "What to print: BibTeX, or the paragraph on the methods of RESULT in one of the other forms.",
        "--as",
        default="bibtex",
    )


def cite(values: Cite) -> None:
    """Print the works of one result or of all methods, or the paragraph that cites those of a result."""
    from bestby._core import checks
    from bestby.report.loading import load
    from bestby.report.references import bibtex

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
