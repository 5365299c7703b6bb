"""`bestby study`: conditions and their runs, fed as experiments finish."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bestby._core.errors import InvalidInputError
from bestby._core.text import counted
from bestby.cli import streams
from bestby.cli.compare import (
    Alternative,
    Classes,
    Correction,
    Csv,
    CsvSafe,
    Html,
    Jobs,
    Json,
    Latex,
    Level,
    Margin,
    Markdown,
    Metric,
    MissingValue,
    NoRescale,
    Normalise,
    Plot,
    Resamples,
    ResampleSize,
    Seed,
    _listed,
    _option,
    _resampled,
)
from bestby.cli.progress import shown
from bestby.vocabulary import choices

if TYPE_CHECKING:
    from bestby.comparisons.study.store import Store

Path_ = Annotated[str, typer.Argument(metavar="STUDY", help="The directory of the study.")]
Condition = Annotated[str, typer.Argument(metavar="CONDITION", help="Its name.")]
Outcomes = Annotated[str, typer.Argument(metavar="FILE", help="An outcomes.json of BooStSa.")]
Exported = Annotated[str, typer.Argument(metavar="FILE", help="The file to write.")]
Run = Annotated[str, _option("NAME", "Which run of the condition: a number, a seed, a name.")]
Predictions = Annotated[str, _option("FILE", "The predictions: a value, or a distribution, per item.")]
Gold = Annotated[
    str | None, _option("COLUMN|FILE", "The gold; needed with the first run, later it must be the same.")
]
Ids = Annotated[str | None, _option("FILE", "Item ids of predictions and gold, if they have none.")]
Item = Annotated[str | None, _option("COLUMN", "Item ids, if not called item or id.")]
Cluster = Annotated[str | None, _option("COLUMN", "With the gold: the cluster of each item.")]
ValueColumn = Annotated[str | None, _option("COLUMN", "The predictions, if not called so.")]
IsBaseline = Annotated[bool, typer.Option("--baseline", help="Other conditions are compared with this one.")]
Against = Annotated[
    list[str] | None, _option("NAME", "The baseline to compare it with; repeatable. Without, all.")
]
Epochs = Annotated[float | None, _option("N", "For how long it was trained.")]
Tag = Annotated[list[str] | None, _option("NAME=VALUE", "Whatever else is to be remembered; repeatable.")]
Replace = Annotated[bool, typer.Option("--replace", help="Take the place of runs of the same name.")]
PerClass = Annotated[bool, typer.Option("--per-class", help="Add f1[LABEL] for every class of the gold.")]
OfCondition = Annotated[
    list[str] | None, _option("NAME", "Compare this condition; repeatable. Without, all.")
]
Baselines = Annotated[
    list[str] | None,
    _option("NAME", "Compare all others with this one, whatever the study says; repeatable."),
]
Interval = Annotated[
    str,
    _option(
        "METHOD", choices("interval", "study_runs") + "; of single runs bca, tango, ... too.", shown=True
    ),
]
Test = Annotated[
    str,
    _option(
        "NAME", choices("test", "study_runs") + "; of single runs permutation, mcnemar, ... too.", shown=True
    ),
]
ResultsTsv = Annotated[str | None, _option("FILE|-", "Write a results.tsv as BooStSa does.")]
Removed = Annotated[list[str] | None, _option("NAME", "The run to remove; repeatable.")]
Whole = Annotated[bool, typer.Option("--all", help="Remove all runs of the condition.")]

study = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="""Keep the runs of experiments in a directory, and compare them as it grows.

    A study has one gold; its conditions are baselines or treatments, with one or more runs each.

    \b
    Examples:
      bestby study add s h0 --run 0 --predictions preds.txt --gold targs.txt --ids idxs.txt --baseline
      bestby study add s h1 --run 0 --predictions preds.txt --ids idxs.txt --epochs 10
      bestby study run s --metric f1_macro --metric accuracy --html report.html
    """,
)


@study.command()
def add(
    study: Path_,
    condition: Condition,
    run: Run,
    predictions: Predictions,
    gold: Gold = None,
    ids: Ids = None,
    item: Item = None,
    cluster: Cluster = None,
    value_column: ValueColumn = None,
    missing_value: MissingValue = None,
    classes: Classes = None,
    normalise: Normalise = False,
    baseline: IsBaseline = False,
    against: Against = None,
    epochs: Epochs = None,
    tag: Tag = None,
    replace: Replace = False,
) -> None:
    """Add a run; it is on the disk when the command ends.

    Any number of processes may add at the same time. A file is text with a value per line (numbers between
    commas, tabs or spaces: a distribution), .npy, or a table with columns called prediction, gold, item or
    id. Without ids, values are in the order of the gold.

    \b
    Examples:
      bestby study add s h0 --run 0 --predictions preds.txt --gold targs.txt --ids idxs.txt --baseline
      bestby study add s h1 --run seed7 --predictions preds.csv --epochs 10 --tag lr=1e-5
    """  # noqa: D301 - \b keeps the lines of the examples apart
    from bestby.comparisons.study.layout import gold_file
    from bestby.data.columns import MISSING
    from bestby.readers.run import read_run

    store = _store(study)
    tags, names = _tags(tag), _listed(classes)
    found = read_run(
        predictions,
        known=store.gold() if gold_file(store.path).exists() else None,
        gold=gold,
        ids=ids,
        item=item,
        cluster=cluster,
        value_column=value_column,
        classes="columns" if names == ["columns"] else names,
        normalise=normalise,
        missing=MISSING if missing_value is None else missing_value,
    )
    added = store.add(
        condition,
        run=run,
        **found,
        normalise=normalise,
        baseline=True if baseline else None,
        against=against or None,
        epochs=int(epochs) if epochs is not None and epochs.is_integer() else epochs,
        tags=tags,
        replace=replace,
    )
    streams.print_stderr(
        f"added run {added.run!r} of {added.condition!r}, {added.role}: {len(added.predictions)} items"
    )


@study.command()
def run(
    study: Path_,
    metric: Metric = None,
    per_class: PerClass = False,
    condition: OfCondition = None,
    baseline: Baselines = None,
    interval: Interval = "auto",
    level: Level = 0.95,
    test: Test = "auto",
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
    results_tsv: ResultsTsv = None,
) -> None:
    """Compare every treatment with its baselines; without a baseline, every two conditions.

    Where a condition has several runs, items and runs are both resampled. Results are kept in the study, so
    that only what is new is computed. The metric is accuracy, for soft gold the cross-entropy.

    \b
    Examples:
      bestby study run s --metric f1_macro --metric accuracy
      bestby study run s --metric cross_entropy --alternative better --html report.html
      bestby study run s --condition h1 --condition h2 --results-tsv results.tsv
    """  # noqa: D301 - \b keeps the lines of the examples apart
    from bestby.cli.outputs import Outputs

    targets = {"json": json, "csv": csv, "markdown": markdown, "latex": latex, "html": html, "plot": plot}
    outputs = Outputs.of({}, csv_safe=csv_safe, **targets, **{"results-tsv": results_tsv})
    from bestby.comparisons.study.study import Study

    _conditions(_store(study))
    options: dict[str, Any] = {
        "metric": metric or None,
        "per_class": per_class,
        "conditions": condition or None,
        "baseline": baseline or None,
        "interval": interval,
        "level": level,
        "test": test,
        "alternative": alternative,
        "correction": correction,
        "margin": margin,
        "n_resamples": resamples,
        "rng": seed,
        "n_jobs": jobs,
        **_resampled(resample_size, no_rescale),
    }
    with shown() as progress:
        comparison = Study(study).compare(**options, progress=progress)
    if comparison.n_reused:
        streams.print_stderr(
            f"{comparison.n_computed} computed, {comparison.n_reused} from the study's cache"
        )
    outputs.write(comparison)


@study.command("list")
def list_(study: Path_) -> None:
    """List the runs: condition, role, run, epochs, tags, when it was added (UTC)."""
    store = _store(study)
    conditions = _conditions(store)
    gold = store.gold()
    rows = [("condition", "role", "run", "epochs", "tags", "added")]
    for condition in conditions:
        for name in store.runs(condition):
            found = store.load(condition, name, gold=gold)
            tags = " ".join(f"{key}={value}" for key, value in found.tags.items())
            epochs = "" if found.epochs is None else f"{found.epochs:g}"
            rows.append((condition, found.role.removeprefix("a "), name, epochs, tags, found.added))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        streams.print_stdout("  ".join(cells).rstrip())
    streams.print_stdout(f"\n{_told(len(conditions), len(rows) - 1)}, {gold.n_items} items")


@study.command()
def remove(study: Path_, condition: Condition, run: Removed = None, all_: Whole = False) -> None:
    """Remove runs. The gold stays, even if no run is left."""
    if bool(run) == all_:
        raise InvalidInputError("name the runs to remove", hint="--run NAME, repeatable, or --all")
    store = _store(study)
    if condition not in _conditions(store):
        raise InvalidInputError(
            f"the study {study} has no condition {condition!r}",
            hint=f"its conditions: {', '.join(store.conditions())}",
        )
    names = store.runs(condition) if all_ else tuple(dict.fromkeys(run or ()))
    for name in names:
        store.load(condition, name)  # all are looked for before the first is removed
    for name in names:
        store.remove(condition, name)
    streams.print_stderr(f"removed {counted(len(names), 'run')} of {condition!r}")


@study.command("import")
def import_(study: Path_, file: Outcomes, replace: Replace = False) -> None:
    """Add the experiments of an outcomes.json of BooStSa."""
    from bestby.comparisons.study.boostsa import import_outcomes

    runs = import_outcomes(_store(study), file, replace=replace)
    streams.print_stderr(f"added {_told(len({found.condition for found in runs}), len(runs))}")


@study.command()
def export(study: Path_, file: Exported) -> None:
    """Write the study as an outcomes.json that BooStSa loads."""
    from bestby.comparisons.study.boostsa import write_outcomes

    store = _store(study)
    _conditions(store)
    labels = write_outcomes(store, file)
    if labels is not None:
        streams.print_stderr(
            "labels as numbers: " + ", ".join(f"{place} = {label}" for place, label in enumerate(labels))
        )


def _store(path: str) -> Store:
    from bestby.comparisons.study.store import Store

    return Store(path)  # type: ignore[arg-type]  # text is taken too


def _conditions(store: Store) -> Sequence[str]:
    conditions = store.conditions()
    if not conditions:
        raise InvalidInputError(f"there is no run in {str(store.path)!r}", hint="bestby study add adds one")
    return conditions


def _tags(given: list[str] | None) -> dict[str, str | float | bool]:
    """Return tags: numbers and booleans where they are such.

    >>> _tags(["lr=1e-5", "seed=7", "warm=true", "model=bert"])
    {'lr': 1e-05, 'seed': 7, 'warm': True, 'model': 'bert'}
    """
    tags: dict[str, str | float | bool] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not name.strip() or not equals:
            raise InvalidInputError(f"--tag must be NAME=VALUE, got {text!r}")
        if name.strip() in tags:
            raise InvalidInputError(f"--tag {name.strip()} is given twice")
        tags[name.strip()] = _plain(value.strip())
    return tags


def _plain(text: str) -> str | float | bool:
    if text in ("true", "false"):
        return text == "true"
    from bestby.data.columns import column_of_texts
    from bestby.data.values import as_scores

    value: str | float | bool = as_scores(column_of_texts([text])).values.tolist()[0]
    return value if value not in (float("inf"), float("-inf")) else text


def _told(conditions: int, runs: int) -> str:
    """Return how many."""
    return f"{counted(runs, 'run')} of {counted(conditions, 'condition')}"
