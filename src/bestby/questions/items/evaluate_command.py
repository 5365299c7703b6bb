"""`bestby evaluate`: the scores of systems in files, with their intervals."""

from __future__ import annotations

from typing import Any, ClassVar

from bestby.cli import option_groups
from bestby.cli.option_groups import Text
from bestby.cli.options import argument, option, record, result_file
from bestby.cli.records import in_records
from bestby.questions.items.command import Data, Sampling


@record
class Statistics(option_groups.Direction, Sampling, option_groups.Intervals):
    level: float = option("P", "Level of the intervals.", default=0.95, common=True)


@record
class Output(option_groups.InPercent, option_groups.Tables):
    table: ClassVar[str | None] = "scores"
    csv: Text = result_file("Write the scores as CSV.", common=True)


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


def evaluate(values: Evaluate, progress: Any) -> Any:
    """Read and evaluate."""
    from bestby.cli.inputs import read_evaluation
    from bestby.questions.items.evaluate import evaluate as evaluate_systems

    evaluation, statistics = read_evaluation(values)
    return evaluate_systems(evaluation, **in_records(evaluate_systems, statistics, progress=progress))
