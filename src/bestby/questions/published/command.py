"""`bestby published`: a system in a file beside a score that somebody published."""

from __future__ import annotations

from typing import Any, ClassVar

from bestby.cli import option_groups
from bestby.cli.option_groups import Count, Names, Text
from bestby.cli.options import REQUIRED, Group, argument, flag, option, record, result_file
from bestby.cli.records import in_records


@record
class Data(option_groups.Columns):
    gold: Names = option(
        "COLUMN|FILE",
        "Gold; without it the values are scores. Repeatable for references.",
        file="read",
        common=True,
    )
    on_missing: str = option(
        "RULE", "What to do if items lack a value: error, drop or worst.", default="error"
    )
    label_separator: Text = option_groups.label_separator_option()


@record
class Score(Group):
    heading: ClassVar[str] = "Published score"
    published: str = option(
        "SCORE",
        "The score as it was published, such as 0.874 or 87.4%.",
        "--score",
        default=REQUIRED,
        common=True,
    )
    name: str = option("TEXT", "Name of the published system, such as 'Smith 2020'.", default="published")
    n_items: Count = option(
        "N", "Number of items behind the published score (default: as many as in FILES).", common=True
    )
    same_items: bool | None = flag(
        "Whether the published score is of the items of FILES (default: both answers if it is of as many).",
        "--same-items",
        "--other-items",
        default=None,
        common=True,
    )
    sd: Text = option(
        "SD", "Standard deviation between the published runs; FILES then hold runs, too.", common=True
    )
    n_runs: Count = option("N", "Number of published runs.", common=True)


@record
class Statistics(option_groups.Direction):
    metric: Text = option(
        "NAME", "Metric, see 'bestby metrics'.", choices=option_groups.metric_names, common=True
    )
    level: float = option("P", "Level of the intervals.", default=0.95, common=True)


@record
class Output(option_groups.InPercent, option_groups.Tables):
    csv: Text = result_file("Write the answers under each assumption as CSV.", common=True)


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


def published(values: Published, progress: Any) -> Any:
    """Read and compare."""
    from bestby._core.errors import InvalidInputError
    from bestby.comparisons.reading import reading_of
    from bestby.questions.published.compare import check_complete, compare_published
    from bestby.readers.reading import read, read_runs

    del progress  # nothing is drawn
    arguments = {**values.score.arguments(), **values.statistics.arguments()}
    data = values.data.arguments()
    if values.score.n_runs is None and values.score.sd is None:
        return compare_published(
            read(values.paths, **in_records(read, data), **reading_of(values.statistics.metric)),
            **in_records(compare_published, arguments),
        )
    check_complete(values.score.sd, values.score.n_runs)
    if values.data.gold is not None:
        raise InvalidInputError(
            "runs are compared by their scores, which have no gold",
            hint="leave out --gold, or --sd and --n-runs to compare items",
        )
    del data["on_missing"]
    return compare_published(
        read_runs(values.paths, **in_records(read_runs, data)), **in_records(compare_published, arguments)
    )
