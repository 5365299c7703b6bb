"""`bestby study`: conditions and their runs, fed as experiments finish."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bestby._core.errors import InvalidInputError
from bestby._core.text import counted
from bestby.cli import option_groups, streams
from bestby.cli.inputs import in_records
from bestby.cli.option_groups import Names, Number, Text
from bestby.cli.options import REQUIRED, Group, argument, flag, option, record, result_file
from bestby.vocabulary import choices

if TYPE_CHECKING:
    from bestby.questions.study.store import Store


@record
class Role(Group):
    heading: ClassVar[str] = "Run"

    run: str = option(
        "NAME", "Run of the condition: a number, a seed or a name.", default=REQUIRED, common=True
    )
    baseline: bool = flag("Other conditions are compared with this one.", common=True)
    against: Names = option("NAME", "Baseline to compare it with; repeatable (default: all baselines).")
    epochs: Number = option("N", "Number of training epochs.")
    tag: Names = option("NAME=VALUE", "Any other property of the run; repeatable.")
    replace: bool = flag("Replace runs of the same name.", common=True)


@record
class Added(option_groups.SoftLabels, option_groups.Rows):
    items: Text = option("COLUMN", f"{option_groups.ITEM_HELP}.", "--item")
    predictions: str = option(
        "FILE",
        "File with the predictions: a value, or a distribution, per item.",
        default=REQUIRED,
        common=True,
    )
    gold: Text = option(
        "COLUMN|FILE", "Gold; needed with the first run, later it must be the same.", common=True
    )
    ids: Text = option("FILE", "File with the item ids of predictions and gold, if they have none.")
    clusters: Text = option("COLUMN", "Column with the cluster of each item, beside the gold.", "--cluster")
    value_column: Text = option("COLUMN", "Column with the predictions (default: detected by name).")


@record
class StudyAdd:
    """
    Any number of processes may add runs at the same time. A file is text with a value per line (numbers
    between commas, tabs or spaces: a distribution), .npy, or a table with columns called prediction, gold,
    item or id. Without ids, the values are in the order of the gold.

    \b
    Examples:
      bestby study add s h0 --run 0 --predictions h0.txt --gold y.txt --baseline
      bestby study add s h1 --run seed7 --predictions h1.csv --tag lr=1e-5
    """

    study: str = argument("STUDY", "Directory of the study.")
    condition: str = argument("CONDITION", "Name of the condition.")
    role: Role
    data: Added


@record
class Statistics(option_groups.ItemFamily):
    cache: Text = option("FOLDER", option_groups.CACHE_HELP)
    per_class: bool = flag("Add f1[LABEL] for every class of the gold.")
    conditions: Names = option(
        "NAME", "Compare this condition; repeatable (default: all).", "--condition", common=True
    )
    baseline: Names = option(
        "NAME", "Compare all others with this condition, whatever its role; repeatable.", common=True
    )
    interval: str = option(
        "METHOD",
        f"Intervals: {choices('interval', 'study_runs')}; for single runs those of compare too; or none.",
        choices=option_groups.skippable("interval", "study"),
        default="auto",
    )
    test: str = option(
        "NAME",
        f"Test: {choices('test', 'study_runs')}; for single runs those of compare too; or none.",
        choices=option_groups.skippable("test", "study"),
        default="auto",
    )


@record
class Output(option_groups.InPercent, option_groups.ComparisonTables):
    kind: str = option_groups.figure_kind("study")
    by: Names = option(
        "CONDITION=PLACE",
        "Place of a condition in the figure of growth: a number, or a date such as 2026-01-31; repeatable"
        " (default: its epochs).",
        "--plot-by",
        shapes=("plot",),
    )
    results_tsv: Text = result_file("Write a results.tsv in the form of BooStSa.")

    def arguments_of(self, form: str) -> dict[str, Any]:
        """Return the arguments that were given of a form of the result; places as numbers or dates."""
        arguments = super().arguments_of(form)
        if "by" not in arguments:
            return arguments
        if self.kind != "growth":
            raise InvalidInputError(
                "--plot-by is for the figure of growth", hint="give --plot-kind growth too, or leave it out"
            )
        return {**arguments, "by": places(arguments["by"])}


def places(texts: Sequence[str]) -> dict[str, float | str]:
    """Return the places of conditions, a date as it was written.

    >>> places(["small=1000", "v=2=2026-01-31"])
    {'small': 1000.0, 'v=2': '2026-01-31'}
    """
    by_condition: dict[str, float | str] = {}
    for one in texts:
        condition, equals, place = (part.strip() for part in one.rpartition("="))
        if not equals or not condition or not place:
            raise InvalidInputError(
                f"--plot-by must be CONDITION=PLACE, got {one!r}", hint="--plot-by h1=2026-01-31"
            )
        if condition in by_condition:
            raise InvalidInputError(f"--plot-by is given twice for {condition}", hint="give it one place")
        try:
            by_condition[condition] = float(place)
        except ValueError:
            by_condition[condition] = place
    return by_condition


@record
class StudyRun:
    """
    If a condition has several runs, items and runs are both resampled. Results are stored in the study, so
    that only new ones are computed. The default metric is accuracy, for soft gold the cross-entropy.

    \b
    Examples:
      bestby study run s --metric f1_macro --metric accuracy
      bestby study run s --alternative better --html report.html
      bestby study run s --condition h1 --condition h2 --results-tsv out.tsv
    """

    study: str = argument("STUDY", "Directory of the study.")
    statistics: Statistics
    output: Output


@record
class StudyList:
    """The columns are condition, role, run, epochs, tags, and when it was added (UTC)."""

    study: str = argument("STUDY", "Directory of the study.")


@record
class StudyRemove:
    """The gold stays, even if no run is left."""

    study: str = argument("STUDY", "Directory of the study.")
    condition: str = argument("CONDITION", "Name of the condition.")
    run: Names = option("NAME", "Run to remove; repeatable.", common=True)
    all_runs: bool = flag("Remove all runs of the condition.", "--all")


@record
class StudyImport:
    """Every experiment of the file becomes a condition with its runs."""

    study: str = argument("STUDY", "Directory of the study.")
    file: str = argument("FILE", "An outcomes.json of BooStSa.")
    replace: bool = flag("Replace runs of the same name.")


@record
class StudyExport:
    """Labels that are not numbers get numbers; a line on stderr lists them."""

    study: str = argument("STUDY", "Directory of the study.")
    file: str = argument("FILE", "File to write.")


def study_add(values: StudyAdd) -> None:
    """Add a run and say so."""
    from bestby.questions.study.source import read_run
    from bestby.questions.study.store import gold_file

    store, role = _store(values.study), values.role
    tags = _tags(role.tag)
    study_gold = store.gold() if gold_file(store.path).exists() else None
    data = values.data.arguments()
    added = store.add(
        values.condition,
        run=role.run,
        **read_run(data.pop("predictions"), study_gold=study_gold, **data),
        baseline=True if role.baseline else None,
        against=role.against,
        epochs=int(role.epochs) if role.epochs is not None and role.epochs.is_integer() else role.epochs,
        tags=tags,
        replace=role.replace,
    )
    streams.print_stderr(
        f"added run {added.run!r} of {added.condition!r}, {added.role}: {len(added.predictions)} items"
    )


def study_run(values: StudyRun, progress: Any) -> Any:
    """Compare the conditions."""
    from bestby.questions.study.study import Study

    _conditions(_store(values.study))
    study = Study(Path(values.study).expanduser())
    comparison = study.compare(**in_records(study.compare, values.statistics.arguments(), progress=progress))
    if comparison.n_reused:
        streams.print_stderr(
            f"{comparison.n_computed} computed, {comparison.n_reused} from the study's cache"
        )
    return comparison


def study_list(values: StudyList) -> None:
    """Print a line per run."""
    store = _store(values.study)
    conditions = _conditions(store)
    gold = store.gold()
    rows = [("condition", "role", "run", "epochs", "tags", "added")]
    for condition in conditions:
        for name in store.runs(condition):
            run = store.load(condition, name, gold=gold)
            tags = " ".join(f"{key}={value}" for key, value in run.tags.items())
            epochs = "" if run.epochs is None else f"{run.epochs:g}"
            rows.append((condition, run.role.removeprefix("a "), name, epochs, tags, run.added))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        streams.print_stdout("  ".join(cells).rstrip())
    looks = store.n_looks()
    seen = f", looked at {counted(looks, 'time')}" if looks else ""
    streams.print_stdout(f"\n{_counts(len(conditions), len(rows) - 1)}, {gold.n_items} items{seen}")


def study_remove(values: StudyRemove) -> None:
    """Remove runs and say so."""
    if bool(values.run) == values.all_runs:
        raise InvalidInputError("name the runs to remove", hint="--run NAME, repeatable, or --all")
    store, condition = _store(values.study), values.condition
    if condition not in _conditions(store):
        raise InvalidInputError(
            f"the study {values.study} has no condition {condition!r}",
            hint=f"its conditions: {', '.join(store.conditions())}",
        )
    names = store.runs(condition) if values.all_runs else tuple(dict.fromkeys(values.run or ()))
    for name in names:
        store.load(condition, name)  # all are looked for before the first is removed
    for name in names:
        store.remove(condition, name)
    streams.print_stderr(f"removed {counted(len(names), 'run')} of {condition!r}")


def study_import(values: StudyImport) -> None:
    """Add the experiments of a file and say how many they are."""
    from bestby.questions.study.boostsa import import_outcomes

    runs = import_outcomes(_store(values.study), values.file, replace=values.replace)
    streams.print_stderr(f"added {_counts(len({run.condition for run in runs}), len(runs))}")


def study_export(values: StudyExport) -> None:
    """Write the file, and say which number stands for which label."""
    from bestby.questions.study.boostsa import write_outcomes

    store = _store(values.study)
    _conditions(store)
    labels = write_outcomes(store, values.file)
    if labels is not None:
        streams.print_stderr(
            "labels as numbers: " + ", ".join(f"{place} = {label}" for place, label in enumerate(labels))
        )


def _store(path: str) -> Store:
    from bestby.questions.study.store import Store

    return Store(Path(path).expanduser())


def _conditions(store: Store) -> Sequence[str]:
    conditions = store.conditions()
    if not conditions:
        raise InvalidInputError(
            f"the study {str(store.path)!r} has no runs", hint="bestby study add adds one"
        )
    return conditions


def _tags(texts: list[str] | None) -> dict[str, str | float | bool]:
    """Return tags: numbers and booleans where they are such.

    >>> _tags(["lr=1e-5", "seed=7", "warm=true", "model=bert"])
    {'lr': 1e-05, 'seed': 7, 'warm': True, 'model': 'bert'}
    """
    tags: dict[str, str | float | bool] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not name.strip() or not equals:
            raise InvalidInputError(f"--tag must be NAME=VALUE, got {text!r}")
        if name.strip() in tags:
            raise InvalidInputError(f"--tag {name.strip()} is given twice")
        tags[name.strip()] = _plain(value.strip())
    return tags


def _plain(text: str) -> str | float | bool:
    from bestby.data.columns import column_of_texts
    from bestby.data.values import as_scores

    if text in ("true", "false"):
        return text == "true"
    value: str | float | bool = as_scores(column_of_texts([text])).values.tolist()[0]
    return value if value not in (float("inf"), float("-inf")) else text


def _counts(conditions: int, runs: int) -> str:
    """Return how many runs of how many conditions there are.

    >>> _counts(1, 2)
    '2 runs of 1 condition'
    """
    return f"{counted(runs, 'run')} of {counted(conditions, 'condition')}"
