"""`bestby compare`: systems in files, compared on one test set."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer

from bestby.cli.progress import shown
from bestby.vocabulary import choices

_FILE = "FILE|-"


def _option(metavar: str, text: str, *names: str, shown: bool = False) -> Any:
    return typer.Option(*names, metavar=metavar, help=text, show_default=shown)


# What FILES are is told in the text of the page, where there is room for it.
Files = Annotated[list[str], typer.Argument(metavar="FILES", hidden=True)]
Gold = Annotated[
    list[str] | None,
    _option("COLUMN|FILE", "Gold: a column or a file; without, scores. Repeatable."),
]
Metric = Annotated[list[str] | None, _option("NAME", "See 'bestby metrics'; repeatable.")]
System = Annotated[list[str] | None, _option("NAME", "Compare this system; repeatable. Without, all.")]
Baseline = Annotated[str | None, _option("NAME", "Compare each system with this one only.")]
Item = Annotated[str | None, _option("COLUMN", "Item ids.")]
Cluster = Annotated[str | None, _option("COLUMN", "Cluster of each item: its document, its person.")]
Clusters = Annotated[
    list[str] | None, _option("COLUMN", "Cluster of each item; twice for two that cross.", "--cluster")
]
Blocks = Annotated[int | None, _option("N", "Items of ordered text: resample blocks of so many.")]
Stratum = Annotated[str | None, _option("COLUMN", "Stratum of each item.")]
SystemColumn = Annotated[str | None, _option("COLUMN", "Long table: the system of each row.")]
ValueColumn = Annotated[str | None, _option("COLUMN", "The predictions or scores, if not called so.")]
OnMissing = Annotated[str, _option("error|drop|worst", "Items that a system lacks.", shown=True)]
Format = Annotated[
    str | None, _option("NAME", "table, texts, or a format by name, if it is not to be recognised.")
]
FormatOption = Annotated[
    list[str] | None, _option("NAME=VALUE", "What a format takes beside; repeatable.", "--option")
]
MissingValue = Annotated[
    list[str] | None, _option("TEXT", "Cell without a value, in place of NA, NaN, nan; repeatable.")
]
Stream = Annotated[
    bool | None,
    typer.Option("--stream/--no-stream", help="Count the rows of one table, or not; by default if large."),
]
Classes = Annotated[
    list[str] | None,
    _option("A,B,...", "Soft labels: the classes in order, or their columns; or: columns."),
]
Normalise = Annotated[bool, typer.Option("--normalise", help="Divide every soft row by its sum.")]
Annotators = Annotated[
    list[str] | None,
    _option("A,B,...", "Gold of several annotators: their columns, or who labelled a row."),
]
ResampleAnnotators = Annotated[
    bool, typer.Option("--resample-annotators", help="Resample the annotators of each item as well.")
]
Interval = Annotated[
    str,
    _option("METHOD", choices("interval", "items") + ".", shown=True),
]
Level = Annotated[float, _option("P", "Level of the intervals and of the groups.", shown=True)]
Simultaneous = Annotated[
    bool, typer.Option("--simultaneous", help="Intervals that hold for all differences at once (max-T).")
]
Test = Annotated[str, _option("NAME", choices("test", "items") + ".", shown=True)]
Alternative = Annotated[str, _option("SIDE", choices("alternative", "items") + " (A vs B).", shown=True)]
Correction = Annotated[str, _option("METHOD", choices("correction") + ".", shown=True)]
Margin = Annotated[float | None, _option("SIZE", "Smallest difference that matters; gives verdicts.")]
Resamples = Annotated[int, _option("N", "Resamples, where any are drawn.", shown=True)]
ResampleSize = Annotated[
    str | None, _option("SIZE", "Items per resample: a share of all (0.2) or a number (200).")
]
NoRescale = Annotated[
    bool, typer.Option("--no-rescale", help="Do not rescale: the answer for a test set of that size.")
]
Seed = Annotated[int, _option("N", "Seed of the resamples.", shown=True)]
Jobs = Annotated[int, _option("N", "Threads; no number depends on it.", shown=True)]
Lower = Annotated[
    bool, typer.Option("--lower-is-better", help="Lower scores are better (default: by their name).")
]
Higher = Annotated[
    bool, typer.Option("--higher-is-better", help="Higher scores are better (default: by their name).")
]
Json = Annotated[str | None, _option(_FILE, "Write everything as JSON.")]
Csv = Annotated[str | None, _option(_FILE, "Write the differences as CSV.")]
CsvSafe = Annotated[
    bool, typer.Option("--csv-safe", help="CSV for spreadsheets: ' before texts that look like formulas.")
]
Markdown = Annotated[str | None, _option(_FILE, "Write the tables as Markdown.")]
Latex = Annotated[str | None, _option(_FILE, "Write the tables as LaTeX (booktabs).")]
Html = Annotated[str | None, _option(_FILE, "Write one HTML page with tables and figures.")]
Plot = Annotated[str | None, _option(_FILE, "Draw the (first) metric: .png, .svg, .pdf; - is SVG.")]
Top = Annotated[int | None, _option("K", "Show the K best systems; by default all of 50, 20 of more.")]


def compare(
    files: Files,
    gold: Gold = None,
    metric: Metric = None,
    system: System = None,
    baseline: Baseline = None,
    item: Item = None,
    cluster: Clusters = None,
    stratum: Stratum = None,
    blocks: Blocks = None,
    system_column: SystemColumn = None,
    value_column: ValueColumn = None,
    on_missing: OnMissing = "error",
    format: Format = None,
    option: FormatOption = None,
    missing_value: MissingValue = None,
    stream: Stream = None,
    classes: Classes = None,
    normalise: Normalise = False,
    annotators: Annotators = None,
    resample_annotators: ResampleAnnotators = False,
    interval: Interval = "auto",
    level: Level = 0.95,
    simultaneous: Simultaneous = False,
    test: Test = "permutation",
    alternative: Alternative = "two-sided",
    correction: Correction = "holm",
    margin: Margin = None,
    resamples: Resamples = 10_000,
    resample_size: ResampleSize = None,
    no_rescale: NoRescale = False,
    seed: Seed = 0,
    jobs: Jobs = 1,
    json: Json = None,
    csv: Csv = None,
    csv_safe: CsvSafe = False,
    markdown: Markdown = None,
    latex: Latex = None,
    html: Html = None,
    plot: Plot = None,
    top: Top = None,
) -> None:
    """Compare systems on one test set: differences, intervals, tests.

    FILES are one wide table (a row per item, a column per system), one long table (columns system,
    item, and prediction or score), or one NAME=FILE per system: a value per line, .npy, or a table with
    an id column. Tables are CSV, TSV, JSON Lines or Parquet; one table may be a folder, or a pattern in
    quotes. Columns called gold, item or id, cluster and
    stratum are what they say, unless --system is given.

    Soft labels are read from columns bert[neg], bert[pos], from columns of lists, from lines of several
    numbers, from .npy of shape (items, classes), and from the columns that --classes names ("columns":
    all that play no other part). A single name after --annotators is a column that says who labelled, in a
    gold file with a row per item and annotator.

    Logs of evaluation tools (lm-evaluation-harness, Inspect, HELM, SWE-bench, alpaca_eval), CoNLL-U, BIO
    columns, TREC runs, transcripts, segment scores of mt-metrics-eval and answers to SQuAD are recognised by
    what they hold, and suggest a metric. A line of plain text is a segment if the metric is one of texts.

    The metric is accuracy, without gold the mean of the scores. The table is printed unless an output
    goes to - (stdout). JSON and CSV hold every system and pair, whatever --top shows; an HTML page that does
    not show all can be searched for them.

    \b
    Examples:
      bestby compare predictions.csv --gold label --metric accuracy --metric f1_macro
      bestby compare predictions.csv --gold label --cluster document --html report.html
      bestby compare 'preds/*.parquet' --gold label
      bestby compare aen=aen.txt bert=bert.txt --gold gold.txt --margin 0.01
      bestby compare scores.csv --item id --system old --system new --json - | jq .differences
      bestby compare a=a.csv b=b.csv --gold gold.csv --classes neg,neu,pos --metric cross_entropy
      bestby compare old.txt new.txt --gold references.txt --metric bleu --metric chrf
      bestby compare *.conllu --gold gold.conllu --metric las
    """  # noqa: D301 - \b keeps the lines of the examples apart
    from bestby._core import checks
    from bestby.cli.outputs import Outputs

    if top is not None:
        checks.positive_int(top, "--top")
    outputs = Outputs.of(
        {"FILES": files, "--gold": gold},
        csv_safe=csv_safe, json=json, csv=csv, markdown=markdown, latex=latex, html=html, plot=plot,
    )  # fmt: skip
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
        **_resampled(resample_size, no_rescale),
    }
    if blocks is not None:
        options["blocks"] = blocks
    if resample_annotators:
        options["annotators"] = "resample"
    from bestby import readers
    from bestby.comparisons.common.reading import needs_items, of_objects
    from bestby.comparisons.items import compare as run
    from bestby.data.columns import MISSING

    names = _listed(classes)
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
        classes="columns" if names == ["columns"] else names,
        normalise=normalise,
        annotators=_listed(annotators),
        texts=of_objects(metric),
        format=format,
        stream=False if stream is None and (blocks is not None or needs_items(metric)) else stream,
        **_named_options(option),
    )
    with shown() as progress:
        comparison = run(evaluation, **options, progress=progress)
    outputs.write(comparison, top=top)


def _listed(given: list[str] | None) -> list[str] | None:
    """Return the names of options that are repeated, or parted by commas, or both.

    >>> _listed(["neg, neu", "pos"])
    ['neg', 'neu', 'pos']
    """
    names = [name.strip() for one in given or () for name in one.split(",")]
    return [name for name in names if name] or None


def greater_is_better(lower: bool, higher: bool) -> bool | None:
    """Return the direction that --lower-is-better and --higher-is-better set; None if neither is given."""
    from bestby._core.errors import InvalidInputError

    if lower and higher:
        raise InvalidInputError(
            "--lower-is-better and --higher-is-better contradict each other", hint="give one"
        )
    return higher if lower or higher else None


def _named_options(given: list[str] | None) -> dict[str, Any]:
    """Return options as they are given to a format.

    >>> _named_options(["documents=docs.tsv", "case=true"])
    {'documents': 'docs.tsv', 'case': 'true'}
    """
    from bestby._core.errors import InvalidInputError
    from bestby.readers import read

    out: dict[str, Any] = {}
    for one in given or ():
        word, sign, value = one.partition("=")
        name = word.strip().replace("-", "_")
        if not sign or not name:
            raise InvalidInputError(f"expected NAME=VALUE after --option, got {one!r}")
        if name in inspect.signature(read).parameters:
            raise InvalidInputError(
                f"--option is for what a format takes beside, not for {word.strip()!r}",
                hint=f"it is given by itself: {name}=...",
            )
        out[name] = value
    return out


def _resampled(size: str | None, no_rescale: bool) -> dict[str, Any]:
    """Return how large resamples are, as far as it was said.

    >>> _resampled(None, False), _resampled("0.2", True)
    ({}, {'resample_size': 0.2, 'rescale': False})
    """
    from bestby._core.errors import InvalidInputError

    if size is not None:
        return {"resample_size": _size(size), "rescale": not no_rescale}
    if no_rescale:
        raise InvalidInputError(
            "--no-rescale has no effect without --resample-size: nothing is rescaled then",
            hint="leave --no-rescale out, or give --resample-size too",
        )
    return {}


def _size(text: str) -> float | int:
    """Return a share of the items (with a dot) or a number of them.

    >>> _size("0.2"), _size("200")
    (0.2, 200)
    """
    from bestby._core.errors import InvalidInputError

    try:
        return float(text) if "." in text else int(text)
    except ValueError as error:
        raise InvalidInputError(
            f"--resample-size must be a share of the items or a number of them, got {text!r}",
            hint="0.2 is a fifth of the items, 200 are 200 of them",
        ) from error
