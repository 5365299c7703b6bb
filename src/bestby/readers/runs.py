"""Files of several runs (seeds) of each system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby.data.columns import MISSING
from bestby.data.layouts.options import TableOptions, chosen_names
from bestby.data.layouts.runs import Runs, runs_of
from bestby.readers import arguments
from bestby.readers.formats.base import Read
from bestby.readers.opening import log_of, one_table


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
        return _from_log(log, systems, ignore)
    arguments.refuse_by_task(value_column)
    table = one_table(paths, "the runs of all systems", missing, soft)
    options = TableOptions.of(gold, soft=soft, **columns)
    return runs_of(table, options, run=run, dataset=dataset, datasets=datasets, paired=paired)


def _from_log(log: Read, systems: str | Sequence[str] | None, ignore: str | Sequence[str] | None) -> Runs:
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
