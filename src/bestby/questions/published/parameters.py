"""What `bestby published` takes."""

from __future__ import annotations

from typing import ClassVar

from bestby.cli.options import REQUIRED, Group, argument, flag, option, record, result_file
from bestby.cli.parameters import groups, outputs
from bestby.cli.parameters.groups import Count, Names, Text


@record
class Data(groups.Columns):
    gold: Names = option(
        "COLUMN|FILE",
        "Gold; without it the values are scores. Repeatable for references.",
        file="read",
    )
    on_missing: str = option(
        "RULE", "What to do if items lack a value: error, drop or worst.", default="error"
    )
    label_separator: Text = groups.label_separator_option()


@record
class Score(Group):
    heading: ClassVar[str] = "Published score"
    published: str = option(
        "SCORE", "The score as it was published, such as 0.874 or 87.4%.", "--score", default=REQUIRED
    )
    name: str = option("TEXT", "Name of the published system, such as 'Smith 2020'.", default="published")
    n_items: Count = option("N", "Number of items behind the published score (default: as many as in FILES).")
    same_items: bool | None = flag(
        "Whether the published score is of the items of FILES (default: both answers if it is of as many).",
        "--same-items",
        "--other-items",
        default=None,
    )
    sd: Text = option("SD", "Standard deviation between the published runs; FILES then hold runs, too.")
    n_runs: Count = option("N", "Number of published runs.")


@record
class Statistics(groups.Direction):
    metric: Text = option("NAME", "Metric, see 'bestby metrics'.", choices=groups.metric_names)
    level: float = option("P", "Level of the intervals.", default=0.95)


@record
class Output(outputs.InPercent, outputs.Tables):
    csv: Text = result_file("Write the answers under each assumption as CSV.")


@record
class Published:
    """
    FILES hold the predictions or 0/1 scores of one system, or with --n-runs the scores of its runs, in any
    form that 'bestby evaluate' or 'bestby runs' reads; --system chooses one of several. The metric is a share
    of right answers, such as accuracy.

    \b
    Examples:
      bestby published p.csv --gold label --score 87.4% --name 'Smith 2020'
      bestby published p.csv --gold label --score 0.874 --n-items 1821
      bestby published seeds.csv --score 0.874 --sd 0.004 --n-runs 5
    """

    paths: list[str] = argument("FILES", file="read")
    data: Data
    score: Score
    statistics: Statistics
    output: Output
