"""Files of several runs, datasets or folds; their content says which."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.typing import FloatArray, OnMissing
from bestby.data.alignment import chosen_names
from bestby.data.columns import MISSING
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.datasets import Cells, FoldScores, RunCells, datasets_of, folds_of
from bestby.data.layouts.runs import Runs, runs_of
from bestby.data.roles import TableOptions
from bestby.readers import arguments
from bestby.readers.formats.base import Read
from bestby.readers.opening import log_of, one_table
from bestby.results.base import Note
from bestby.vocabulary import allowed_names


@with_suggestions
def read_runs(
    path: str | Path | Sequence[str | Path],
    *,
    gold: str | None = None,
    systems: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    items: str | Sequence[str] | None = None,
    dataset: str | None = None,
    datasets: str | Sequence[str] | None = None,
    run: str | None = None,
    system_column: str | None = None,
    value_column: str | Mapping[str, str] | None = None,
    clusters: str | None = None,
    paired: bool = False,
    missing: str | Iterable[str] = MISSING,
    texts: bool = False,
    label_sets: bool = False,
    label_separator: str | None = None,
) -> Runs:
    r"""Read the runs of two or more systems from one table.

    A *wide* table has a column per system and a row per run; a *long* table has a column system (or
    model, method and the like), a column run (or seed), and one of scores. With a column of
    items, there is a row per run and item, of scores or, if there is a gold, of predictions. With a column
    of datasets, the runs of one dataset are read; `read_datasets` reads those of several.

    Parameters
    ----------
    path : str or Path, or sequence of them
        CSV, TSV, JSON Lines or Parquet; or the logs of a tool that knows of runs (Inspect, exports of MLflow
        and Weights & Biases), which are recognised by what they hold and may be several.
    gold, items, dataset, run, clusters : str, optional
        Columns; those called gold, item (or id), cluster, run (or seed) and dataset are found by their names.
    datasets : str or sequence of str, optional
        The dataset to keep, where there is a column of datasets.
    systems, ignore : str or sequence of str, optional
        The systems (all by default), and the columns that are not systems, by name or pattern
        (``"gpt-*"``).
    system_column : str, optional
    value_column : str or mapping of str to str, optional
        Columns of a long table; of logs, the metric, or that of each task, as for `bestby.read`.
    paired : bool
        Whether runs of one id belong together: they are then brought into one order.
    missing : str or iterable of str
        The texts that mean a missing value; in a wide table, a system with fewer runs has such cells.
    texts : bool
        Whether predictions and gold are texts, which metrics of texts read, also where they look like
        numbers.
    label_sets, label_separator
        As for `bestby.read`.

    Returns
    -------
    Runs
        The arguments of `compare_runs`.

    Raises
    ------
    InvalidInputError
        If the file cannot be read or what it holds does not fit together.

    See Also
    --------
    compare_runs : Compare the systems by their runs.
    read_datasets : Runs on several datasets.
    read : One run of each system.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "runs.csv")
    ...     _ = path.write_text("seed,old,new\n0,0.1,0.3\n1,0.2,\n", encoding="utf-8")
    ...     data = read_runs(path)
    >>> data.runs["old"].tolist(), data.runs["new"].tolist()
    ([0.1, 0.2], [0.3])
    """
    columns: dict[str, Any] = {
        "items": items, "clusters": clusters, "systems": systems, "ignore": ignore,
        "system_column": system_column, "value_column": value_column,
    }  # fmt: skip
    arguments.check(path, gold, missing=missing, run=run, dataset=dataset, datasets=datasets, **columns)
    soft = arguments.soft(texts=texts, label_sets=label_sets, label_separator=label_separator)
    paths = [path] if isinstance(path, str | Path) else list(path)
    log = log_of(paths, clusters=clusters, value_column=value_column, system_column=system_column)
    if log is not None:
        return _runs_of_log(log, systems, ignore)
    arguments.refuse_by_task(value_column)
    table = one_table(paths, "the runs of all systems", missing, soft)
    options = TableOptions.of(gold, soft=soft, **columns)
    return runs_of(table, options, run=run, dataset=dataset, datasets=datasets, paired=paired)


def _runs_of_log(log: Read, systems: str | Sequence[str] | None, ignore: str | Sequence[str] | None) -> Runs:
    if log.runs is None:
        raise InvalidInputError(
            f"the files were read as {log.description}: they hold one run of each system",
            hint="compare the systems item by item: bestby compare",
        )
    clusters = None if log.evaluation is None else log.evaluation.clusters
    # Scores of items are computed already.
    is_name = isinstance(log.metric, str) and all(np.ndim(values) == 1 for values in log.runs.values())
    metric = str(log.metric) if is_name else None
    runs = {name: log.runs[name] for name in chosen_names([*log.runs], systems, ignore, "the files")}
    return Runs(runs, None, clusters, metric, log.description, log.greater_is_better, log.notes)


@with_suggestions
def read_datasets(
    path: str | Path | Sequence[str | Path],
    *,
    gold: str | None = None,
    systems: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    items: str | Sequence[str] | None = None,
    dataset: str | None = None,
    run: str | None = None,
    system_column: str | None = None,
    value_column: str | Mapping[str, str] | None = None,
    clusters: str | None = None,
    on_missing: OnMissing = "error",
    missing: str | Iterable[str] = MISSING,
    texts: bool = False,
    label_sets: bool = False,
    label_separator: str | None = None,
) -> Mapping[str, float] | Cells | RunCells | Mapping[str, Evaluation] | Evaluation:
    r"""Read results on several datasets from one file, for `bestby.compare_datasets`.

    A table of *scores* has a row per dataset and a column per system, or columns dataset, system and score.
    With a column run (or seed) too, there is a row per run, and each system has several runs on each dataset;
    a cell without a value is a run that the system does not have. A table of *items* has a row per item
    (dataset names occur more than once), wide or long as for `bestby.read`. A table of *p-values* has columns
    dataset and p_value.

    Parameters
    ----------
    path : path, or sequence of paths
        CSV, TSV, JSON Lines or Parquet, plain or packed; or the logs of an evaluation tool with several
        tasks, which may be several files.
    dataset : str, optional
        The column of the datasets; "dataset" or "task" by default.
    run : str, optional
        The column of the runs of a table of scores; "run" or "seed" by default.
    gold, systems, ignore, items, system_column, value_column, clusters, missing, texts
        As for `bestby.read`.
    label_sets, label_separator
        As for `bestby.read`. Item ids need be unique within a dataset only.
    on_missing : {"error", "drop", "worst"}
        For items that some system lacks. Missing scores of a table are left to `compare_datasets`.

    Returns
    -------
    mapping or Evaluation
        P-values, scores, runs (a mapping of dataset to system to run to score), evaluations by dataset, or
        items whose strata are the datasets.

    Raises
    ------
    InvalidInputError
        If the file cannot be read or what it holds does not fit together.

    See Also
    --------
    compare_datasets : Compare the systems over the datasets.
    read : One test set.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "scores.csv")
    ...     _ = path.write_text("dataset,old,new\nnews,0.5,0.75\ntalks,0.25,NA\n", encoding="utf-8")
    ...     read_datasets(path)
    {'news': {'old': 0.5, 'new': 0.75}, 'talks': {'old': 0.25}}
    """
    columns: dict[str, Any] = {
        "items": items, "clusters": clusters, "systems": systems, "ignore": ignore,
        "system_column": system_column, "value_column": value_column,
    }  # fmt: skip
    arguments.check(path, gold, missing=missing, dataset=dataset, run=run, **columns)
    soft = arguments.soft(texts=texts, label_sets=label_sets, label_separator=label_separator)
    on_missing = checks.choice(on_missing, allowed_names("on_missing", "readers"), "on_missing")
    log = log_of(path, on_missing, clusters=clusters, value_column=value_column)
    if log is not None:
        return _datasets_of_log(log, systems, ignore)
    arguments.refuse_by_task(value_column)
    options = TableOptions.of(gold, on_missing=on_missing, soft=soft, **columns)
    table = one_table(path, "the results on all datasets", missing, soft)
    return datasets_of(table, dataset, options, run)


def _datasets_of_log(
    log: Read, systems: str | Sequence[str] | None, ignore: str | Sequence[str] | None
) -> Mapping[str, Evaluation]:
    if log.datasets is None:
        raise InvalidInputError(
            f"the files were read as {log.description}: they hold one dataset",
            hint="compare the systems on it: bestby compare",
        )
    note = Note("read_as", f"the files were read as {log.description}")
    known = dict.fromkeys(name for part in log.datasets.values() for name in part.names)
    chosen = chosen_names([*known], systems, ignore, "the files")
    return {
        name: dataclasses.replace(
            part.with_systems([system for system in chosen if system in part.systems]),
            suggested=part.suggested if log.metric is None else log.metric,
            notes=(note, *log.notes, *part.notes),
        )
        for name, part in log.datasets.items()
    }


@with_suggestions
def read_folds(
    path: str | Path | Sequence[str | Path],
    *,
    gold: str | None = None,
    systems: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    items: str | Sequence[str] | None = None,
    fold: str | None = None,
    repetition: str | None = None,
    system_column: str | None = None,
    value_column: str | None = None,
    clusters: str | None = None,
    missing: str | Iterable[str] = MISSING,
    texts: bool = False,
    label_sets: bool = False,
    label_separator: str | None = None,
) -> Mapping[str, FloatArray] | Mapping[str, Evaluation]:
    r"""Read results of cross-validation from one file, for `bestby.compare_folds`.

    A table of *scores* has a row per fold (and repetition) and a column per system. A table of *items* has a
    row per item and repetition with its out-of-fold predictions and its fold, wide or long; without a column
    of folds the repetitions have none.

    Parameters
    ----------
    path : path
        CSV, TSV, JSON Lines or Parquet, plain or packed.
    fold, repetition : str, optional
        Their columns; "fold" and "repetition" (if there is one) by default.
    gold, systems, ignore, items, system_column, value_column, clusters, missing, texts
        As for `bestby.read`.
    label_sets, label_separator
        As for `bestby.read`. Item ids need be unique within a repetition only.

    Returns
    -------
    mapping
        Scores of shape (repetitions, folds) per system, or an Evaluation per repetition whose strata are the
        folds, if these are known.

    Raises
    ------
    InvalidInputError
        If the file cannot be read or what it holds does not fit together.

    See Also
    --------
    compare_folds : Compare the systems by cross-validation.
    read : One test set.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "folds.csv")
    ...     _ = path.write_text("fold,old,new\n1,0.5,0.75\n2,0.25,0.5\n", encoding="utf-8")
    ...     read_folds(path)["new"]
    array([[0.75, 0.5 ]])
    """
    columns: dict[str, Any] = {
        "items": items, "clusters": clusters, "systems": systems, "ignore": ignore,
        "system_column": system_column, "value_column": value_column,
    }  # fmt: skip
    arguments.check(path, gold, missing=missing, fold=fold, repetition=repetition, **columns)
    soft = arguments.soft(texts=texts, label_sets=label_sets, label_separator=label_separator)
    table = one_table(path, "the results on all folds", missing, soft)
    folds = folds_of(table, fold, repetition, TableOptions.of(gold, soft=soft, **columns))
    if not isinstance(folds, FoldScores):
        return folds
    rows: dict[str, list[int]] = {}
    for row, (name, _) in enumerate(folds.labels):
        rows.setdefault(name, []).append(row)
    sizes = {name: len(places) for name, places in rows.items()}
    if len(set(sizes.values())) > 1:
        raise InvalidInputError(
            f"{table.source}: repetitions have different numbers of folds:"
            f" {', '.join(f'{name}: {size}' for name, size in list(sizes.items())[:6])}",
            hint="every repetition needs a score of every fold",
        )
    order = np.array(list(rows.values()))
    return {name: scores[order] for name, scores in zip(folds.names, folds.matrix.T, strict=True)}
