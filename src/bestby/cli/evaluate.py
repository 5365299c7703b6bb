"""`bestby evaluate`: the scores of systems in files, with their intervals."""

from __future__ import annotations

from typing import Any

from bestby.cli.compare import (
    Blocks,
    Clusters,
    Csv,
    CsvSafe,
    Files,
    Format,
    Gold,
    Html,
    Interval,
    Item,
    Jobs,
    Json,
    Latex,
    Level,
    Markdown,
    Metric,
    MissingValue,
    OnMissing,
    Plot,
    Resamples,
    Seed,
    Stratum,
    System,
    SystemColumn,
    ValueColumn,
)
from bestby.cli.progress import shown


def evaluate(
    files: Files,
    gold: Gold = None,
    metric: Metric = None,
    system: System = None,
    item: Item = None,
    cluster: Clusters = None,
    stratum: Stratum = None,
    blocks: Blocks = None,
    system_column: SystemColumn = None,
    value_column: ValueColumn = None,
    on_missing: OnMissing = "error",
    format: Format = None,
    missing_value: MissingValue = None,
    interval: Interval = "auto",
    level: Level = 0.95,
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
    """Give the scores of one system or several with their intervals; nothing is tested.

    FILES are as for 'bestby compare', where one system is not enough: one wide or long table, or one file per
    system. The metric is accuracy, without gold the mean of the scores.

    \b
    Examples:
      bestby evaluate predictions.csv --gold label
      bestby evaluate bert=bert.txt --gold gold.txt --metric f1_macro
      bestby evaluate scores.csv --cluster document --json -
    """  # noqa: D301 - \b keeps the lines of the examples apart
    from bestby import readers
    from bestby.cli.outputs import Outputs
    from bestby.comparisons.common.reading import needs_items, of_objects
    from bestby.comparisons.scores import evaluate as run
    from bestby.data.columns import MISSING

    outputs = Outputs.of(
        {"FILES": files, "--gold": gold},
        csv_safe=csv_safe, json=json, csv=csv, markdown=markdown, latex=latex, html=html, plot=plot,
    )  # fmt: skip
    evaluation = readers.read(
        files,
        gold=gold,
        item=item,
        cluster=cluster or None,
        stratum=stratum,
        systems=system or None,
        on_missing=on_missing,  # type: ignore[arg-type]  # checked by read
        system_column=system_column,
        value_column=value_column,
        missing=MISSING if missing_value is None else missing_value,
        texts=of_objects(metric),
        format=format,
        stream=False if blocks is not None or needs_items(metric) else None,
    )
    options: dict[str, Any] = {
        "metric": (metric[0] if len(metric) == 1 else metric) if metric else None,
        "blocks": blocks,
        "interval": interval,
        "level": level,
        "n_resamples": resamples,
        "rng": seed,
        "n_jobs": jobs,
    }
    with shown() as progress:
        result = run(evaluation, **options, progress=progress)
    outputs.write(result)
