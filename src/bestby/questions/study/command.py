"""`bestby study`: conditions and their runs, fed as experiments finish."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.text import counted
from bestby.cli import streams
from bestby.data.columns import column_of_texts
from bestby.data.values import as_scores
from bestby.questions.study.boostsa import import_outcomes, write_outcomes
from bestby.questions.study.layout import gold_file
from bestby.questions.study.parameters import (
    StudyAdd,
    StudyExport,
    StudyImport,
    StudyList,
    StudyRemove,
    StudyRun,
)
from bestby.questions.study.run import read_run
from bestby.questions.study.store import Store
from bestby.questions.study.study import Study


def study_add(values: StudyAdd) -> None:
    """Add a run and say so."""
    store, role = _store(values.study), values.role
    tags = _tags(role.tag)
    known = store.gold() if gold_file(store.path).exists() else None
    data = values.data.arguments()
    added = store.add(
        values.condition,
        run=role.run,
        **read_run(data.pop("predictions"), known=known, **data),
        normalise=values.data.normalise,
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
    _conditions(_store(values.study))
    study = Study(Path(values.study).expanduser())
    comparison = study.compare(**values.statistics.arguments(), progress=progress)
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
    runs = import_outcomes(_store(values.study), values.file, replace=values.replace)
    streams.print_stderr(f"added {_counts(len({run.condition for run in runs}), len(runs))}")


def study_export(values: StudyExport) -> None:
    """Write the file, and say which number stands for which label."""
    store = _store(values.study)
    _conditions(store)
    labels = write_outcomes(store, values.file)
    if labels is not None:
        streams.print_stderr(
            "labels as numbers: " + ", ".join(f"{place} = {label}" for place, label in enumerate(labels))
        )


def _store(path: str) -> Store:
    return Store(Path(path).expanduser())


def _conditions(store: Store) -> Sequence[str]:
    conditions = store.conditions()
    if not conditions:
        raise InvalidInputError(
            f"the study {str(store.path)!r} has no runs", hint="bestby study add adds one"
        )
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
    value: str | float | bool = as_scores(column_of_texts([text])).values.tolist()[0]
    return value if value not in (float("inf"), float("-inf")) else text


def _counts(conditions: int, runs: int) -> str:
    """Return how many runs of how many conditions there are.

    >>> _counts(1, 2)
    '2 runs of 1 condition'
    """
    return f"{counted(runs, 'run')} of {counted(conditions, 'condition')}"
