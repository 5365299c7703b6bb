"""`bestby datasets`: systems compared over several datasets."""

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
    Interval,
    Item,
    Jobs,
    Json,
    Latex,
    Level,
    Lower,
    Markdown,
    MissingValue,
    Plot,
    Resamples,
    Seed,
    System,
    SystemColumn,
    Test,
    ValueColumn,
    _option,
    greater_is_better,
)
from bestby.cli.progress import shown
from bestby.vocabulary import choices

Files = Annotated[list[str], typer.Argument(metavar="FILES", hidden=True)]
Dataset = Annotated[str | None, _option("COLUMN", "The dataset of each row, if not 'dataset' or 'task'.")]
Gold = Annotated[str | None, _option("COLUMN", "Gold, where rows are items; without, they are scores.")]
Metric = Annotated[str | None, _option("NAME", "See 'bestby metrics'; a name for the scores of a table.")]
OnMissing = Annotated[
    str, _option("error|drop|worst", "Datasets, or items, that a system lacks.", shown=True)
]
Across = Annotated[str, _option("NAME", "Over datasets: " + choices("across", "datasets") + ".", shown=True)]


def datasets(
    files: Files,
    dataset: Dataset = None,
    gold: Gold = None,
    metric: Metric = None,
    system: System = None,
    baseline: Baseline = None,
    item: Item = None,
    cluster: Cluster = None,
    system_column: SystemColumn = None,
    value_column: ValueColumn = None,
    lower_is_better: Lower = False,
    higher_is_better: Higher = False,
    on_missing: OnMissing = "error",
    missing_value: MissingValue = None,
    interval: Interval = "auto",
    level: Level = 0.95,
    test: Test = "permutation",
    across: Across = "t",
    alternative: Alternative = "two-sided",
    correction: Correction = "holm",
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
) -> None:
    """Compare systems over several datasets: on how many they differ, how they rank.

    FILES is a table with a row per dataset and a column per system (or columns dataset, system, score), a
    table with a row per item, or a table with columns dataset and p_value. Logs of evaluation tools with
    several tasks are recognised; there may be several.

    With items, every dataset has its differences, intervals and tests (--test), and it is counted on how
    many there is a difference. Over the datasets, each pair is tested by --across; three or more systems
    are ranked. The figure is the diagram of average ranks, for two systems the differences per dataset.

    \b
    Examples:
      bestby datasets scores.csv --plot ranks.svg
      bestby datasets predictions.csv --dataset task --gold gold --system old --system new
      bestby datasets p_values.csv --level 0.95
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
    from bestby.comparisons.datasets.comparing import compare_datasets
    from bestby.comparisons.items import names_objects
    from bestby.data.columns import MISSING
    from bestby.readers.datasets_and_folds import read_datasets
    from bestby.results.replicability import Replicability

    data: Any = read_datasets(
        files,
        dataset=dataset,
        gold=gold,
        item=item,
        cluster=cluster,
        systems=system or None,
        on_missing=on_missing,
        system_column=system_column,
        value_column=value_column,
        missing=MISSING if missing_value is None else missing_value,
        texts=names_objects(metric),
    )
    with shown() as progress:
        result = compare_datasets(
            data,
            outer="dataset",  # files say which column has the datasets
            metric=metric,
            greater_is_better=greater_is_better(lower_is_better, higher_is_better),
            on_missing=on_missing,
            baseline=baseline,
            interval=interval,
            level=level,
            test=test,
            across=across,
            alternative=alternative,
            correction=correction,
            n_resamples=resamples,
            rng=seed,
            n_jobs=jobs,
            progress=progress,
        )
    if plot is not None and isinstance(result, Replicability):
        raise typer.BadParameter("p-values alone make no figure", param_hint="--plot")
    outputs.write(result)
