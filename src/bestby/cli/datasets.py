"""`bestby datasets`: systems compared over several datasets."""

from __future__ import annotations

import inspect
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
    from bestby.comparisons.common.reading import of_objects
    from bestby.comparisons.datasets.comparing import compare_datasets
    from bestby.data.columns import MISSING
    from bestby.readers.datasets_and_folds import read_datasets

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
        texts=of_objects(metric),
    )
    options: dict[str, Any] = {
        "metric": metric,
        "greater_is_better": greater_is_better(lower_is_better, higher_is_better),
        "baseline": baseline,
        "interval": interval,
        "test": test,
        "across": across,
        "alternative": alternative,
        "correction": correction,
    }
    if isinstance(data, dict) and all(isinstance(value, float) for value in data.values()):
        if plot is not None:
            raise typer.BadParameter("p-values alone make no figure", param_hint="--plot")
        outputs.write(_counted(data, level, options))
        return
    options |= {
        "on_missing": on_missing,
        "level": level,
        "n_resamples": resamples,
        "rng": seed,
        "n_jobs": jobs,
    }
    with shown() as progress:
        # Files say which column has the datasets.
        result = compare_datasets(data, outer="dataset", **options, progress=progress)
    outputs.write(result)


def _counted(p_values: dict[str, float], level: float, options: dict[str, Any]) -> Any:
    """Count the datasets with an effect; refuse the options that are for scores and items."""
    from bestby._core import checks
    from bestby.comparisons.common.family import alpha_of
    from bestby.comparisons.datasets.comparing import compare_datasets
    from bestby.inference.replicability import replicability

    parameters = inspect.signature(compare_datasets).parameters
    unused = {name: (value, parameters[name].default) for name, value in options.items()}
    checks.refuse_unused("p-values, which are results of tests", **unused)
    return replicability(p_values, alpha=alpha_of(checks.probability(level, "level")))
