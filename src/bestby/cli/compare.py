"""`bestby compare`: systems in files, compared on one test set."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from bestby.cli.progress import shown

_FILE = "FILE|-"
_TESTS = "permutation, bootstrap, mcnemar[-midp], sign, wilcoxon, t or auto."


def _option(metavar: str, text: str, *names: str, shown: bool = False) -> Any:
    return typer.Option(*names, metavar=metavar, help=text, show_default=shown)


# What FILES are is told in the text of the page, where there is room for it.
Files = Annotated[list[str], typer.Argument(metavar="FILES", hidden=True)]
Gold = Annotated[str | None, _option("COLUMN|FILE", "Gold: a column or a file; without, per-item scores.")]
Metric = Annotated[list[str] | None, _option("NAME", "See 'bestby metrics'; repeatable.")]
System = Annotated[list[str] | None, _option("NAME", "Compare this system; repeatable. Without, all.")]
Baseline = Annotated[str | None, _option("NAME", "Compare each system with this one only.")]
Item = Annotated[str | None, _option("COLUMN", "Item ids.")]
Cluster = Annotated[str | None, _option("COLUMN", "Cluster of each item: its document, its person.")]
Stratum = Annotated[str | None, _option("COLUMN", "Stratum of each item.")]
SystemColumn = Annotated[str | None, _option("COLUMN", "Long table: the system of each row.")]
ValueColumn = Annotated[str | None, _option("COLUMN", "The predictions or scores, if not called so.")]
OnMissing = Annotated[str, _option("error|drop|worst", "Items that a system lacks.", shown=True)]
MissingValue = Annotated[
    list[str] | None, _option("TEXT", "Cell without a value, in place of NA, NaN, nan; repeatable.")
]
Interval = Annotated[
    str, _option("METHOD", "auto, tango, bca, percentile, basic, studentized or normal.", shown=True)
]
Level = Annotated[float, _option("P", "Level of the intervals and of the groups.", shown=True)]
Simultaneous = Annotated[
    bool, typer.Option("--simultaneous", help="Intervals that hold for all differences at once (max-T).")
]
Test = Annotated[str, _option("NAME", _TESTS, shown=True)]
Alternative = Annotated[str, _option("SIDE", "two-sided, greater or less: A against B.", shown=True)]
Correction = Annotated[str, _option("METHOD", "holm, bonferroni, bh or none.", shown=True)]
Margin = Annotated[float | None, _option("SIZE", "Smallest difference that matters; gives verdicts.")]
Resamples = Annotated[int, _option("N", "Resamples, where any are drawn.", shown=True)]
Seed = Annotated[int, _option("N", "Seed of the resamples.", shown=True)]
Jobs = Annotated[int, _option("N", "Threads; no number depends on it.", shown=True)]
Json = Annotated[str | None, _option(_FILE, "Write everything as JSON.")]
Csv = Annotated[str | None, _option(_FILE, "Write the differences as CSV.")]
Markdown = Annotated[str | None, _option(_FILE, "Write the tables as Markdown.")]
Latex = Annotated[str | None, _option(_FILE, "Write the tables as LaTeX (booktabs).")]
Html = Annotated[str | None, _option(_FILE, "Write one HTML page with tables and figures.")]
Plot = Annotated[str | None, _option(_FILE, "Draw the (first) metric: .png, .svg, .pdf; - is SVG.")]


def compare(
    files: Files,
    gold: Gold = None,
    metric: Metric = None,
    system: System = None,
    baseline: Baseline = None,
    item: Item = None,
    cluster: Cluster = None,
    stratum: Stratum = None,
    system_column: SystemColumn = None,
    value_column: ValueColumn = None,
    on_missing: OnMissing = "error",
    missing_value: MissingValue = None,
    interval: Interval = "auto",
    level: Level = 0.95,
    simultaneous: Simultaneous = False,
    test: Test = "permutation",
    alternative: Alternative = "two-sided",
    correction: Correction = "holm",
    margin: Margin = None,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    jobs: Jobs = 1,
    json: Json = None,
    csv: Csv = None,
    markdown: Markdown = None,
    latex: Latex = None,
    html: Html = None,
    plot: Plot = None,
) -> None:
    """Compare systems on one test set: differences, intervals, tests.

    FILES are one wide table (a row per item, a column per system), one long table (columns system,
    item, and prediction or score), or one NAME=FILE per system: a value per line, .npy, or a table with
    an id column. Tables are CSV, TSV, JSON Lines or Parquet. Columns called gold, item or id, cluster and
    stratum are what they say, unless --system is given.

    The metric is accuracy, without gold the mean of the scores. The table is printed unless an output
    goes to - (stdout).

    \b
    Examples:
      bestby compare predictions.csv --gold label --metric accuracy --metric f1_macro
      bestby compare predictions.csv --gold label --cluster document --html report.html
      bestby compare aen=aen.txt bert=bert.txt --gold gold.txt --margin 0.01
      bestby compare scores.csv --item id --system old --system new --json - | jq .differences
    """  # noqa: D301 - \b keeps the lines of the examples apart
    from bestby.cli.outputs import Outputs

    outputs = Outputs.of(json=json, csv=csv, markdown=markdown, latex=latex, html=html, plot=plot)
    options: dict[str, Any] = {
        "metric": (metric[0] if len(metric) == 1 else metric) if metric else None,
        "baseline": baseline,
        "interval": interval,
        "level": level,
        "simultaneous": simultaneous,
        "test": test,
        "alternative": alternative,
        "correction": correction,
        "margin": margin,
        "n_resamples": resamples,
        "rng": seed,
        "n_jobs": jobs,
    }
    from bestby import readers
    from bestby.comparison import compare as run
    from bestby.readers.values import MISSING

    evaluation = readers.read(
        files,
        gold=gold,
        item=item,
        cluster=cluster,
        stratum=stratum,
        systems=system or None,
        on_missing=on_missing,  # type: ignore[arg-type]  # checked by read
        system_column=system_column,
        value_column=value_column,
        missing=MISSING if missing_value is None else missing_value,
    )
    with shown() as progress:
        comparison = run(evaluation, **options, progress=progress)
    outputs.write(comparison)
    if outputs.print_table:
        from bestby.report.terminal import print_to

        print_to(comparison, sys.stdout)
