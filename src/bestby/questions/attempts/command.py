"""`bestby attempts`: systems compared for every number of attempts."""

from __future__ import annotations

from typing import Any, ClassVar

from bestby.cli import option_groups
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Text
from bestby.cli.options import Group, argument, option, record, result_file


@record
class Statistics(Group):
    heading: ClassVar[str] = "Statistics"
    metric: str = option(
        "NAME",
        "Whether one of k attempts is right, pass@k, or all of them, pass^k.",
        choices=("pass@k", "pass^k"),
        default="pass@k",
        common=True,
    )
    level: float = option("P", "Level of each band.", default=0.95)
    rng: int = option("N", "Seed of the draws.", "--seed", default=0)


@record
class Output(option_groups.InPercent, option_groups.Tables):
    table: ClassVar[str | None] = "curves"
    csv: Text = result_file("Write the curves as CSV, a row for each system and k.")
    csv_differences: Text = result_file("Write the differences as CSV, a row for each pair and k.")


@record
class Attempts:
    """
    FILES have for each system and item the number of samples and how many of them are right: a long table
    with columns system, item, n and c (or samples and correct), a wide one with short.n, short.c, ..., or one
    file per system. Or they have a row per sample, 0 or 1: a long table with a column sample (or attempt,
    trial), or logs with several runs of each item. One system is enough.

    \b
    Examples:
      bestby attempts samples.csv
      bestby attempts samples.csv --metric pass^k --plot attempts.svg
      bestby attempts drawn.csv --format pairs --value-column drawn,passed
    """

    paths: list[str] = argument("FILES", file="read")
    data: option_groups.AnyFormat
    statistics: Statistics
    output: Output


def attempts(values: Attempts, progress: Any) -> Any:  # noqa: ARG001
    """Read and compare."""
    from bestby.cli.inputs import format_options
    from bestby.comparisons.reading import reading_of
    from bestby.questions.attempts.compare import compare_attempts
    from bestby.readers import read

    data = values.data.arguments()
    data |= {"stream": False, **format_options(data.pop("format_options", None))}
    # Tables that are no pairs by the names of their columns are read as they are for pass@1
    evaluation = read(values.paths, **reading_of("pass@1"), **in_records(read, data))
    return compare_attempts(evaluation, **in_records(compare_attempts, values.statistics.arguments()))
