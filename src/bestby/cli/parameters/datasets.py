"""What `bestby datasets` takes."""

from __future__ import annotations

from bestby.cli.options import argument, choice, option, record
from bestby.cli.parameters import groups
from bestby.cli.parameters.groups import Text
from bestby.vocabulary import allowed_names


@record
class Data(groups.Table):
    dataset: Text = option("COLUMN", "Column with the dataset of each row (default: dataset or task).")
    on_missing: str = choice(
        "RULE",
        allowed_names("on_missing", "datasets"),
        "What to do if a system lacks datasets or items: ",
        default="error",
    )


@record
class Statistics(groups.ScoreFamily):
    test: str = choice("NAME", groups.skippable("test", "datasets"), "Test: ", default="permutation")
    across: str = choice("NAME", allowed_names("across", "datasets"), "Test over the datasets: ", default="t")


@record
class Output(groups.ComparisonTables):
    kind: str = groups.figure_kind("datasets")


@record
class Datasets:
    """
    FILES is a table with a row per dataset and a column per system (or columns dataset, system, score), a
    table with a row per item, or a table with columns dataset and p_value. Logs of evaluation tools with
    several tasks are recognised; there may be several.

    If rows are items, every dataset has its own differences, intervals and tests (--test), and the datasets
    with a difference are counted. Over the datasets, --across tests each pair; three or more systems are
    ranked. The figure is the diagram of average ranks, for two systems the differences per dataset, without
    scores the p-values.

    \b
    Examples:
      bestby datasets scores.csv --plot ranks.svg
      bestby datasets predictions.csv --dataset task --gold gold
      bestby datasets p_values.csv --level 0.95
    """

    paths: list[str] = argument("FILES")
    data: Data
    statistics: Statistics
    output: Output
