"""`bestby agreement`: how far annotators agree."""

from __future__ import annotations

from typing import Any, ClassVar

from bestby.cli import option_groups
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Names, Text
from bestby.cli.options import Group, argument, choice, option, record, result_file
from bestby.vocabulary import allowed_names


@record
class Data(option_groups.Rows):
    items: Names = option(
        "COLUMN",
        f"{option_groups.ITEM_HELP}; repeat it if ids are in several.",
        "--item",
        common=True,
    )
    annotators: Names = option(
        "A,B,...",
        "Columns of the annotators (default: all others), or the column that names them.",
        common=True,
    )
    ignore: Names = option("NAME", "Column, or pattern of columns, that is no annotator; repeatable.")
    value_column: Text = option(
        "COLUMN", "Column with the labels, of a row per item and annotator (default: detected by name)."
    )
    clusters: Text = option_groups.cluster_option()
    classes: Names = option("A,B,...", "All labels there are, in their order.", common=True)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments, with names that were joined by commas separated."""
        parts = {name: option_groups.split_names(getattr(self, name)) for name in ("annotators", "classes")}
        return super().arguments() | {name: value for name, value in parts.items() if value is not None}


@record
class Statistics(Group):
    scale: str = choice(
        allowed_names("scale", "agreement"), "What labels mean: names, ranks or numbers.", default="nominal"
    )
    level: float = option("P", "Level of the intervals.", default=0.95)


@record
class Output(option_groups.Labelled, option_groups.Tables):
    table: ClassVar[str | None] = "coefficients"
    csv: Text = result_file("Write the coefficients as CSV.")


@record
class Agreement:
    """
    FILE is a table with a column per annotator and a row per item, or with a row per item and annotator: a
    column called annotator, rater or the like, and one with the labels. Cells may be empty.

    \b
    Examples:
      bestby agreement labels.csv
      bestby agreement labels.csv --annotators ann,ben,cem --item id
      bestby agreement ratings.csv --scale interval --cluster document
      bestby agreement long.csv --annotators worker --value-column answer
    """

    paths: list[str] = argument("FILE", file="read")
    data: Data
    statistics: Statistics
    output: Output


def agreement(values: Agreement, progress: Any) -> Any:
    """Read the labels, and measure."""
    from bestby.data.columns import MISSING
    from bestby.questions.agreement.compare import agreement as measure
    from bestby.readers.one_table import one_table

    del progress  # nothing is drawn
    data = in_records(measure, {**values.data.arguments(), **values.statistics.arguments()})
    missing = data.pop("missing", MISSING)
    return measure(one_table(values.paths, "the labels of the annotators", missing), **data)
