"""What `bestby study` and its commands take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from bestby._core.errors import InvalidInputError
from bestby.cli.options import REQUIRED, Group, argument, flag, option, record, result_file
from bestby.cli.parameters import groups, outputs
from bestby.cli.parameters.groups import Names, Number, Text
from bestby.vocabulary import choices


@record
class Role(Group):
    heading: ClassVar[str] = "Run"

    run: str = option("NAME", "Run of the condition: a number, a seed or a name.", default=REQUIRED)
    baseline: bool = flag("Other conditions are compared with this one.")
    against: Names = option("NAME", "Baseline to compare it with; repeatable (default: all baselines).")
    epochs: Number = option("N", "Number of training epochs.")
    tag: Names = option("NAME=VALUE", "Any other property of the run; repeatable.")
    replace: bool = flag("Replace runs of the same name.")


@record
class Added(groups.SoftLabels, groups.Rows):
    items: Text = option("COLUMN", "Column with item ids (default: item, id or item_id).", "--item")
    predictions: str = option(
        "FILE", "File with the predictions: a value, or a distribution, per item.", default=REQUIRED
    )
    gold: Text = option("COLUMN|FILE", "Gold; needed with the first run, later it must be the same.")
    ids: Text = option("FILE", "File with the item ids of predictions and gold, if they have none.")
    clusters: Text = option("COLUMN", "Column with the cluster of each item, beside the gold.", "--cluster")
    value_column: Text = option("COLUMN", "Column with the predictions (default: detected by name).")


@record
class StudyAdd:
    """
    Any number of processes may add runs at the same time. A file is text with a value per line (numbers
    between commas, tabs or spaces: a distribution), .npy, or a table with columns called prediction, gold,
    item or id. Without ids, the values are in the order of the gold.

    \b
    Examples:
      bestby study add s h0 --run 0 --predictions h0.txt --gold y.txt --baseline
      bestby study add s h1 --run seed7 --predictions h1.csv --tag lr=1e-5
    """

    study: str = argument("STUDY", "Directory of the study.")
    condition: str = argument("CONDITION", "Name of the condition.")
    role: Role
    data: Added


@record
class Statistics(groups.ItemFamily):
    cache: Text = option("FOLDER", groups.CACHE_HELP)
    per_class: bool = flag("Add f1[LABEL] for every class of the gold.")
    conditions: Names = option("NAME", "Compare this condition; repeatable (default: all).", "--condition")
    baseline: Names = option("NAME", "Compare all others with this condition, whatever its role; repeatable.")
    interval: str = option(
        "METHOD",
        f"Intervals: {choices('interval', 'study_runs')}; for single runs those of compare too; or none.",
        choices=groups.skippable("interval", "study"),
        default="auto",
    )
    test: str = option(
        "NAME",
        f"Test: {choices('test', 'study_runs')}; for single runs those of compare too; or none.",
        choices=groups.skippable("test", "study"),
        default="auto",
    )


@record
class Output(outputs.InPercent, outputs.ComparisonTables):
    kind: str = outputs.figure_kind("study")
    by: Names = option(
        "CONDITION=PLACE",
        "Place of a condition in the figure of growth: a number, or a date such as 2026-01-31; repeatable"
        " (default: its epochs).",
        "--plot-by",
        shapes=("plot",),
    )
    results_tsv: Text = result_file("Write a results.tsv in the form of BooStSa.")

    def arguments_of(self, form: str) -> dict[str, Any]:
        """Return the arguments that were given of a form of the result; places as numbers or dates."""
        given = super().arguments_of(form)
        if "by" not in given:
            return given
        if self.kind != "growth":
            raise InvalidInputError(
                "--plot-by is for the figure of growth", hint="give --plot-kind growth too, or leave it out"
            )
        return {**given, "by": places(given["by"])}


def places(given: Sequence[str]) -> dict[str, float | str]:
    """Return the places of conditions, a date as it was written.

    >>> places(["small=1000", "v=2=2026-01-31"])
    {'small': 1000.0, 'v=2': '2026-01-31'}
    """
    found: dict[str, float | str] = {}
    for one in given:
        condition, equals, place = (part.strip() for part in one.rpartition("="))
        if not equals or not condition or not place:
            raise InvalidInputError(
                f"--plot-by must be CONDITION=PLACE, got {one!r}", hint="--plot-by h1=2026-01-31"
            )
        if condition in found:
            raise InvalidInputError(f"--plot-by is given twice for {condition}", hint="give it one place")
        try:
            found[condition] = float(place)
        except ValueError:
            found[condition] = place
    return found


@record
class StudyRun:
    """
    If a condition has several runs, items and runs are both resampled. Results are stored in the study, so
    that only new ones are computed. The default metric is accuracy, for soft gold the cross-entropy.

    \b
    Examples:
      bestby study run s --metric f1_macro --metric accuracy
      bestby study run s --alternative better --html report.html
      bestby study run s --condition h1 --condition h2 --results-tsv out.tsv
    """

    study: str = argument("STUDY", "Directory of the study.")
    statistics: Statistics
    output: Output


@record
class StudyList:
    """The columns are condition, role, run, epochs, tags, and when it was added (UTC)."""

    study: str = argument("STUDY", "Directory of the study.")


@record
class StudyRemove:
    """The gold stays, even if no run is left."""

    study: str = argument("STUDY", "Directory of the study.")
    condition: str = argument("CONDITION", "Name of the condition.")
    run: Names = option("NAME", "Run to remove; repeatable.")
    all_runs: bool = flag("Remove all runs of the condition.", "--all")


@record
class StudyImport:
    """Every experiment of the file becomes a condition with its runs."""

    study: str = argument("STUDY", "Directory of the study.")
    file: str = argument("FILE", "An outcomes.json of BooStSa.")
    replace: bool = flag("Replace runs of the same name.")


@record
class StudyExport:
    """Labels that are not numbers get numbers; a line on stderr lists them."""

    study: str = argument("STUDY", "Directory of the study.")
    file: str = argument("FILE", "File to write.")
