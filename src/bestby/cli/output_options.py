"""The options that say where results go and how they are shown, which several commands share."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from bestby.cli.option_groups import Count, Names, Text
from bestby.cli.options import File, Group, choice, flag, option, record, result_file, set_options
from bestby.vocabulary import allowed_names, choices

TERMINAL = "terminal"
"""The form of the result that is printed where no other goes to the standard output."""


def figure_kind(question: str) -> Any:
    """Declare the option for the kind of figure of results of such a question."""
    return choice(
        "KIND",
        allowed_names("kind", question),
        "What --plot draws: ",
        "--plot-kind",
        default="auto",
        shapes=("plot",),
    )


@record
class Json(Group):
    """Results for programs; - is the standard output."""

    heading: ClassVar[str] = "Output"
    table: ClassVar[str | None] = None  # that --csv writes, if not the first of the result
    json: Text = result_file("Write everything as JSON.")

    def written(self, *kinds: File) -> dict[str, str]:
        """Return the files, or - for the standard output, by the field that names them."""
        # As text, so that messages show what is not expanded as it was given.
        return {one.name: os.path.expanduser(one.value) for one in set_options(self) if one.file in kinds}  # noqa: PTH111

    def targets(self) -> dict[str, str]:
        """Return where the result goes: a file, or - for the standard output, by form."""
        return self.written("result")

    def arguments_of(self, form: str) -> dict[str, Any]:
        """Return the arguments that were given of a form of the result: `to_latex` takes those of latex.

        An option of one form may have the name of the form before that of its argument: latex_label.
        """
        shaping = [one for one in set_options(self) if form in one.shapes]
        return {one.name.removeprefix(f"{form}_"): one.value for one in shaping}

    def for_people(self, result: Any) -> Any:
        """Return the result as tables and figures show it."""
        return result


@record
class Output(Json):
    """The files that are written."""

    csv: Text = result_file("Write the differences as CSV.")
    markdown: Text = result_file("Write the tables as Markdown.")
    latex: Text = result_file("Write the tables as LaTeX (booktabs).")
    html: Text = result_file("Write one HTML page with tables and figures.")
    plot: Text = result_file("Draw the (first) metric as .png, .svg or .pdf; - writes SVG.")
    width: Text = option(
        "WIDTH",
        f"Width of the figure in a paper: {choices('width', 'figure')}, or inches (default: what it needs).",
        "--plot-width",
        choices=allowed_names("width", "figure"),
        shapes=("plot",),
    )
    font: Text = option(
        "FONT",
        f"Letters of the figure: {choices('font', 'figure')}.",
        "--plot-font",
        choices=allowed_names("font", "figure"),
        shapes=("plot",),
    )


@record
class Tables(Output):
    """The same, with how numbers are shown, and with CSV that is safe to open in a spreadsheet."""

    latex_parts: Names = option(
        "NAME",
        "Tables to write as LaTeX: scores, differences, pairs (a matrix), ...; repeatable (default: all).",
        "--latex-part",
        shapes=("latex",),
    )
    latex_wide: bool = flag("Set LaTeX tables over both columns of the page (table*).", shapes=("latex",))
    latex_label: Text = option("NAME", "Label of the (first) LaTeX table.", shapes=("latex",))
    latex_caption: Text = option("LATEX", "Caption of the LaTeX table, if there is one.", shapes=("latex",))
    latex_digits: Count = option(
        "N", "Decimals of scores and differences in LaTeX tables.", shapes=("latex",)
    )
    spreadsheet_safe: bool = flag(
        "CSV for spreadsheets: put ' before texts that look like formulas.",
        "--csv-safe",
        shapes=("csv", "csv_scores", "csv_judges"),
    )


@record
class InPercent(Group):
    """Scores of systems in percent."""

    heading: ClassVar[str] = "Output"
    percent: bool = flag("Show scores in percent everywhere but in JSON and CSV.")

    def for_people(self, result: Any) -> Any:
        """Return the result as tables and figures show it, in percent if that was asked for."""
        from bestby.report.percent import in_percent  # the help of a command needs no reports

        return in_percent(result) if self.percent else result


@record
class ClassTables(InPercent, Tables):
    """The same in percent, with how often each class occurs."""

    terminal_classes: bool = flag(
        "Also print how often each class occurs in the gold and in the predictions.",
        "--class-shares",
        shapes=(TERMINAL,),
    )


@record
class ComparisonTables(Tables):
    """The same, with the scores beside the differences."""

    csv_scores: Text = result_file("Write the scores of the systems as CSV.")
