"""`bestby slices`: systems in files, compared in every slice of one test set."""

from __future__ import annotations

from typing import Any, ClassVar

from bestby.cli import option_groups
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Count, Names, Text
from bestby.cli.options import REQUIRED, Group, argument, choice, flag, option, record, result_file
from bestby.vocabulary import allowed_names


@record
class Cut(Group):
    heading: ClassVar[str] = "Slices"
    by: Names = option(
        "COLUMN[:BINS]",
        "Column whose values are the slices, or a column of numbers in so many bins (length:4); repeatable.",
        default=REQUIRED,
        common=True,
    )
    crossed: bool = flag("Make a slice of every combination of the values of the columns.")
    min_items: Count = option("N", "Leave out slices of fewer items (or clusters).")


@record
class Statistics(option_groups.Direction, option_groups.Resamples):
    metric: Names = option_groups.metrics_or_scores()
    baseline: Text = option_groups.baseline_option()
    interval: str = choice(allowed_names("interval", "items"), "Intervals.", default="auto")
    level: float = option("P", "Level of the intervals.", default=0.95)
    test: str = choice(allowed_names("test", "items"), "Test.", default="auto")
    alternative: str = option_groups.alternative_option("items")


@record
class Output(option_groups.InPercent, option_groups.Tables):
    csv: Text = result_file("Write the slices as CSV.")


@record
class Slices:
    """
    FILES are as for 'bestby compare'. The systems are compared in every slice. A slice is a value of the
    column that --by names, or a bin of its numbers. Several --by give the slices of each column, and with
    --crossed those of every combination of their values. The intervals hold for all slices at once.

    \b
    Examples:
      bestby slices predictions.csv --gold label --by language
      bestby slices p.csv --gold label --by language --by length:4 --html s.html
      bestby slices p.csv --gold label --by language --by length:2 --crossed
      bestby slices scores.csv --by task --cluster document --csv slices.csv
    """

    paths: list[str] = argument("FILES", file="read")
    data: option_groups.AnyFormat
    cut: Cut
    statistics: Statistics
    output: Output


def slices(values: Slices, progress: Any) -> Any:
    """Read and compare."""
    from bestby.cli.inputs import read_evaluation
    from bestby.questions.slices.compare import compare_slices
    from bestby.questions.slices.source import without_bins

    cut = values.cut.arguments()
    evaluation, statistics = read_evaluation(values, by=without_bins(cut["by"]))
    return compare_slices(evaluation, **cut, **in_records(compare_slices, statistics, progress=progress))
