"""What `bestby evaluate` takes."""

from __future__ import annotations

from typing import ClassVar

from bestby.cli.options import argument, option, record, result_file
from bestby.cli.parameters import groups, outputs
from bestby.cli.parameters.groups import Text
from bestby.questions.items.parameters import Data, Sampling


@record
class Statistics(groups.Direction, Sampling, groups.Intervals):
    level: float = option("P", "Level of the intervals.", default=0.95)


@record
class Output(outputs.ClassTables):
    table: ClassVar[str | None] = "scores"
    csv: Text = result_file("Write the scores as CSV.")


@record
class Evaluate:
    """
    FILES are as for 'bestby compare', but one system is enough: one wide or long table, or one file per
    system. The metric is accuracy, without gold the mean of the scores.

    \b
    Examples:
      bestby evaluate predictions.csv --gold label
      bestby evaluate bert=bert.txt --gold gold.txt --metric f1_macro
      bestby evaluate scores.csv --cluster document --json -
    """

    paths: list[str] = argument("FILES", file="read")
    data: Data
    statistics: Statistics
    output: Output
