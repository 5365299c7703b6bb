"""`bestby runs`: systems with several runs (seeds) each."""

from __future__ import annotations

from typing import Any

from bestby.cli import option_groups
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Names, Text
from bestby.cli.options import argument, choice, flag, option, record
from bestby.vocabulary import allowed_names


@record
class Data(option_groups.Table):
    gold: Text = option("COLUMN|FILE", "Gold; without it the values are scores.", file="read", common=True)
    run: Text = option(
        "COLUMN", "Column with the run or seed of each row (default: detected by name).", common=True
    )
    datasets: Names = option(
        "NAME", "Use this dataset; bestby datasets compares the runs on several.", "--dataset"
    )
    dataset: Text = option(
        "COLUMN", "Column with the dataset of each row (default: detected by name).", "--dataset-column"
    )
    paired: bool = flag("Runs with the same seed belong together: differences are taken seed by seed.")


@record
class Statistics(option_groups.ScoreFamily):
    statistic: str = choice(allowed_names("statistic"), "Statistic of the runs.", default="mean")
    interval: str = choice(option_groups.skippable("interval", "runs"), "Intervals.", default="auto")
    test: str = choice(option_groups.skippable("test", "runs"), "Test.", default="auto")


@record
class Output(option_groups.InPercent, option_groups.ComparisonTables):
    kind: str = option_groups.figure_kind("runs")


@record
class Runs:
    """
    FILES is a wide table (a row per run, a column per system) or a long one (columns system, run or seed, and
    score). If there is a column of items (item or id), a row is a run and an item: it holds scores, or
    predictions if there is a gold, and items and runs are resampled together. If there is a column of
    datasets, --dataset chooses one; bestby datasets compares the runs on all of them. Several files, or a
    folder of them, hold the items of one run each: bert_seed1.csv, bert/seed1/predictions.csv or
    bert-1=FILE. Tables are CSV, TSV, JSON Lines or Parquet. Logs of Inspect (several epochs) and exports of
    MLflow and Weights & Biases are recognised; there may be several.

    \b
    Examples:
      bestby runs seeds.csv
      bestby runs seeds.csv --system new --system old --paired --statistic iqm
      bestby runs runs.csv --value-column f1_macro --html report.html
      bestby runs predictions.csv --gold gold --item item --metric accuracy
      bestby runs bert_seed*.csv roberta_seed*.csv --gold gold
    """

    paths: list[str] = argument("FILES", file="read")
    data: Data
    statistics: Statistics
    output: Output


def runs(values: Runs, progress: Any) -> Any:
    """Read and compare."""
    from bestby.comparisons.reading import reading_of
    from bestby.questions.runs.compare import compare_runs
    from bestby.readers.reading import read_runs

    statistics = values.statistics.arguments()
    table = read_runs(
        values.paths, **in_records(read_runs, values.data.arguments()), **reading_of(values.statistics.metric)
    )
    return compare_runs(
        table, paired=values.data.paired, **in_records(compare_runs, statistics, progress=progress)
    )
