"""What `bestby cite` takes."""

from __future__ import annotations

from bestby.cli.options import argument, choice, record
from bestby.cli.parameters.groups import Text

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
        "FORM",
        FORMS,
        "What to print: BibTeX, or the paragraph on the methods of RESULT in one of the other forms: ",
        "--as",
        default="bibtex",
    )
