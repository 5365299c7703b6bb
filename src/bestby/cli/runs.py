"""`bestby runs`: systems with several runs (seeds) each, in one file."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bestby.cli.compare import (
    Alternative,
    Baseline,
    Cluster,
    Correction,
    Csv,
    CsvSafe,
    Higher,
    Html,
    Item,
    Jobs,
    Json,
    Latex,
    Level,
    Lower,
    Margin,
    Markdown,
    MissingValue,
    Plot,
    Resamples,
    Seed,
    System,
    SystemColumn,
    _option,
    greater_is_better,
)
from bestby.cli.progress import shown
from bestby.vocabulary import choices

Files = Annotated[list[str], typer.Argument(metavar="FILES", hidden=True)]
Gold = Annotated[str | None, _option("COLUMN", "Gold: the values are predictions, one per run and item.")]
Metric = Annotated[
    str | None, _option("NAME", "With items, see 'bestby metrics'; else what the scores are called.")
]
Run = Annotated[str | None, _option("COLUMN", "The run or seed of each row, if not called so.")]
Dataset = Annotated[
    list[str] | None, _option("NAME", "Keep this dataset; repeatable. Without, the mean over all.")
]
DatasetColumn = Annotated[str | None, _option("COLUMN", "The dataset of each row, if not called so.")]
ValueColumn = Annotated[str | None, _option("COLUMN", "Long table: the scores or predictions.")]
Statistic = Annotated[str, _option("NAME", choices("statistic") + " of the runs.", shown=True)]
Paired = Annotated[
    bool,
    typer.Option("--paired", help="A run of one system belongs to the run of the same seed of the others."),
]
Interval = Annotated[str, _option("METHOD", choices("interval", "runs") + ".", shown=True)]
Test = Annotated[str, _option("NAME", choices("test", "runs") + ".", shown=True)]
Figure = Annotated[str, _option("KIND", "What --plot draws: scores, forest, quantiles or order.", shown=True)]


def runs(
    files: Files,
    gold: Gold = None,
    metric: Metric = None,
    system: System = None,
    baseline: Baseline = None,
    run: Run = None,
    item: Item = None,
    cluster: Cluster = None,
    dataset: Dataset = None,
    dataset_column: DatasetColumn = None,
    system_column: SystemColumn = None,
    value_column: ValueColumn = None,
    missing_value: MissingValue = None,
    statistic: Statistic = "mean",
    paired: Paired = False,
    lower_is_better: Lower = False,
    higher_is_better: Higher = False,
    interval: Interval = "auto",
    level: Level = 0.95,
    test: Test = "auto",
    alternative: Alternative = "two-sided",
    correction: Correction = "holm",
    margin: Margin = None,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    jobs: Jobs = 1,
    json: Json = None,
    csv: Csv = None,
    csv_safe: CsvSafe = False,
    markdown: Markdown = None,
    latex: Latex = None,
    html: Html = None,
    plot: Plot = None,
    figure: Figure = "scores",
) -> None:
    """Compare systems by several runs (random seeds) of each.

    FILES is a wide table (a row per run, a column per system) or a long one (columns system, run or seed, and
    score). With a column of items (item or id) there is a row per run and item: of scores, or of
    predictions if there is a gold; items and runs are then resampled together. With a column of datasets, the
    score of a run is its mean over them. Tables are CSV, TSV, JSON Lines or Parquet. Logs of Inspect (several
    epochs) and exports of MLflow and Weights & Biases are recognised; there may be several.

    \b
    Examples:
      bestby runs seeds.csv
      bestby runs seeds.csv --system new --system old --paired --statistic iqm
      bestby runs runs.csv --value-column f1_macro --html report.html
      bestby runs predictions.csv --gold gold --item item --cluster document --metric accuracy
    """  # noqa: D301 - \b keeps the lines of the examples apart
    from bestby.cli.outputs import Outputs

    outputs = Outputs.of(
        {"FILES": files},
        csv_safe=csv_safe,
        json=json,
        csv=csv,
        markdown=markdown,
        latex=latex,
        html=html,
        plot=plot,
    )
    from bestby.comparisons.common.reading import of_objects
    from bestby.comparisons.runs.comparing import compare_runs
    from bestby.data.columns import MISSING
    from bestby.readers.runs import read_runs

    read = read_runs(
        files,
        gold=gold,
        item=item,
        cluster=cluster,
        run=run,
        dataset=dataset_column,
        datasets=dataset,
        systems=system or None,
        system_column=system_column,
        value_column=value_column,
        paired=paired,
        missing=MISSING if missing_value is None else missing_value,
        texts=of_objects(metric),
    )
    arguments: dict[str, Any] = {
        "metric": metric,
        "statistic": statistic,
        "paired": paired,
        "baseline": baseline,
        "greater_is_better": greater_is_better(lower_is_better, higher_is_better),
        "interval": interval,
        "level": level,
        "test": test,
        "alternative": alternative,
        "correction": correction,
        "margin": margin,
        "n_resamples": resamples,
        "rng": seed,
        "n_jobs": jobs,
    }
    with shown() as progress:
        comparison = compare_runs(read, **arguments, progress=progress)
    outputs.write(comparison, kind=figure)
