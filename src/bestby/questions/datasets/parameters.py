"""What `bestby datasets` takes."""

from __future__ import annotations

from bestby.cli.options import argument, choice, flag, option, record
from bestby.cli.parameters import groups, outputs
from bestby.cli.parameters.groups import Text
from bestby.vocabulary import NONE, allowed_names


@record
class Data(groups.Table):
    dataset: Text = option("COLUMN", "Column with the dataset of each row (default: dataset or task).")
    run: Text = option("COLUMN", "Column with the run of each row of scores (default: run or seed).")
    on_missing: str = choice(
        "RULE",
        allowed_names("on_missing", "datasets"),
        "What to do if a system lacks datasets or items: ",
        default="error",
    )


def _either(what: str) -> tuple[str, ...]:
    """Return the names that items or runs on datasets take."""
    return tuple(
        dict.fromkeys((*allowed_names(what, "datasets"), *allowed_names(what, "dataset_runs"), NONE))
    )


@record
class Statistics(groups.ScoreFamily):
    statistic: str = choice("NAME", allowed_names("statistic"), "Statistic of the runs: ", default="mean")
    normalise: Text = option(
        "FILE|minmax",
        "Bring scores to one scale: a table with columns dataset, low and high, or minmax.",
        file="read",
    )
    paired: bool = flag("Runs with the same seed belong together: differences are taken seed by seed.")
    interval: str = choice("METHOD", _either("interval"), "Intervals: ", default="auto")
    test: str = choice("NAME", _either("test"), "Test: ", default="auto")
    across: str = choice(
        "NAME", allowed_names("across", "datasets"), "Test over the datasets: ", default="auto"
    )


@record
class Output(outputs.InPercent, outputs.ComparisonTables):
    kind: str = outputs.figure_kind("datasets")


@record
class Datasets:
    """
    FILES is a table with a row per dataset and a column per system (or columns dataset, system, score), the
    same with a column run or seed and a row per run, a table with a row per item, or a table with columns
    dataset and p_value. Logs of evaluation tools with several tasks are recognised; there may be several.

    If rows are items or runs, every dataset has its own differences, intervals and tests (--test), and the
    datasets with a difference are counted. Over the datasets, --across tests each pair; three or more systems
    are ranked. The figure is the diagram of average ranks, for two systems the differences per dataset,
    without scores the p-values.

    \b
    Examples:
      bestby datasets scores.csv --plot ranks.svg
      bestby datasets predictions.csv --dataset task --gold gold
      bestby datasets runs.csv --run seed
      bestby datasets p_values.csv --level 0.95
    """

    paths: list[str] = argument("FILES", file="read")
    data: Data
    statistics: Statistics
    output: Output
