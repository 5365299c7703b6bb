"""Samples of the Language Model Evaluation Harness: a record per document and filter, beside its results."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.text import visible
from bestby._core.typing import OnMissing
from bestby.data.roles import listed
from bestby.metrics.base import BaseMetric
from bestby.metrics.directions import direction_of
from bestby.metrics.regression import Mean
from bestby.readers.files import stem_of
from bestby.readers.formats._logs import (
    Log,
    chosen_by_task,
    datasets_of,
    gathered,
    in_words,
    named_apart,
    names_by_task,
    system_of,
)
from bestby.readers.formats.base import File, Read, check_available, files_of, refuse_gold
from bestby.readers.text import Record, check_new, document, number, records, word

_START = re.compile(rb'\s*(\[\s*)?\{\s*"doc_id"\s*:\s*-?\d+\s*,\s*"(doc|target|arguments|filter)"\s*:')
_NAME = re.compile(r"samples_(?P<task>.+?)_(?P<date>\d{4}-\d\d-\d\dT[\d:.+-]+)\.jsonl?(\.gz|\.zst)?")

# What a record holds beside its metrics, in the versions from 0.3 on.
_OTHER = frozenset(
    (
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
        *("doc_hash", "prompt_hash", "target_hash"),
    )
)

SIBLINGS = ("results_*.json",)

_LONG = ("arguments", "resps", "filtered_resps")
"""What takes most of a file, and is not looked at."""

_PAIR_METRICS: dict[str, tuple[str, bool]] = {
    # The name here, and whether the pair is (gold, prediction), not (log-probability, length).
    "bleu": ("bleu", True),
    "chrf": ("chrf", True),
    "ter": ("ter", True),
    "mcc": ("matthews_corrcoef", True),
    "f1": ("f1[1]", True),
    "perplexity": ("perplexity", False),
    "word_perplexity": ("perplexity", False),
    "byte_perplexity": ("perplexity", False),
    "bits_per_byte": ("bits_per_byte", False),
}
_OF_OBJECTS = {name for name, _ in _PAIR_METRICS.values()} - {"matthews_corrcoef", "f1[1]"}


@dataclass(frozen=True)
class _Samples:
    """One file, and what the results file beside it says."""

    file: File
    task: str
    model: str | None
    rows: list[Record]
    filters: dict[str, None]
    results: Record | None


def recognises(path: Path, head: bytes) -> bool:
    """Tell whether a file holds samples: its first record begins with the number of a document."""
    if _START.match(head) is None:
        return False
    return b'"filtered_resps"' in head or b'"target"' in head or path.name.startswith("samples_")


def read(
    paths: Mapping[str, Path],
    *,
    gold: Path | None = None,
    on_missing: OnMissing = "error",
    value_column: str | Mapping[str, str] | None = None,
    clusters: str | None = None,
) -> Read:
    """Read the samples of two or more models.

    The name of a model, and whether lower is better, come from the file ``results_*.json`` of the same run,
    if it lies beside the samples. Tasks are datasets, each with a metric of its own. `value_column` is the
    metric, or that of each task, with or without the filter (``exact_match,strict-match``); by default the
    first metric with one score per document, and the first filter. Items are scores; for BLEU and the like
    texts, for perplexities pairs of numbers.
    """
    refuse_gold(gold, "samples of the evaluation harness hold their scores and need no gold")
    files = files_of(paths, recognises)
    n_files = Counter(file.name for file in files)
    # Of several files of one system, none is without a task: it is called as its file is.
    named = [
        _task(file.path.name) or (stem_of(file.path) if n_files[file.name] > 1 else None) for file in files
    ]
    tasks = datasets_of(named, "samples")
    samples = [_samples(file, task) for file, task in zip(files, tasks, strict=True)]
    _identify(samples)
    names = named_apart(
        [(one.file.name, one.task, system_of(one.file, one.model)) for one in samples],
        [one.file.path for one in samples],
    )
    chosen = chosen_by_task(
        samples, tasks, lambda one: _metrics(one.rows[0]), _chosen, value_column, "metric"
    )
    logs = [_log(one, system, *chosen[one.task]) for one, system in zip(samples, names, strict=True)]
    metrics = {task: _metric(samples, logs, task, name) for task, (name, _) in chosen.items()}
    description = (
        f"samples of lm-evaluation-harness; {in_words('metric', (name for name, _ in chosen.values()))}"
    )
    known = list(dict.fromkeys(f"{chosen[one.task][0]},{used}" for one in samples for used in one.filters))
    if len(known) > len({name for name, _ in chosen.values()}):
        used = list(dict.fromkeys(one for _, one in chosen.values() if one is not None))
        description += visible(f", filter: {listed(used)} (available: {listed(known)})")
    description += _aggregated(samples, chosen, metrics)
    return gathered(
        logs,
        metrics,
        description,
        on_missing=on_missing,
        cluster=clusters,
        objects={task for task, one in metrics.items() if one in _OF_OBJECTS},
        names=names_by_task(samples, tasks, lambda one: _metrics(one.rows[0])),
    )


def _task(name: str) -> str | None:
    """Return the task that the name of a file of samples tells.

    >>> _task("samples_arc_easy_2026-01-21T03-44-18.458309.jsonl"), _task("a.jsonl")
    ('arc_easy', None)
    """
    match = _NAME.fullmatch(name)
    if match is not None:
        return match["task"]
    return name.split(".")[0].removeprefix("samples_") or None if name.startswith("samples_") else None


def _samples(file: File, task: str) -> _Samples:
    rows = records(file.path, without=_LONG)
    if not rows:
        raise InvalidInputError(f"{file.path} is empty", hint="check that the evaluation was finished")
    match = _NAME.fullmatch(file.path.name)
    results = _results(file.path, None if match is None else match["date"])
    model = None
    if results is not None:
        arguments = re.search(r"pretrained=([^,]+)", str(results.part("config").get("model_args")))
        model = word(results.data.get("model_name")) or (word(arguments[1]) if arguments else None)
    filters = {str(row.data["filter"]): None for row in rows if "filter" in row.data}
    return _Samples(file, task, model, rows, filters, results)


def _identify(samples: Sequence[_Samples]) -> None:
    """Let the documents themselves tell whether two models saw the same ones, where some have no hash."""
    rows = [row for one in samples for row in one.rows]
    if not all(isinstance(row.data.get("doc_hash"), str) for row in rows):
        for row in rows:
            doc = row.data.get("doc")
            row.data["doc_hash"] = None if doc is None else json.dumps(doc, sort_keys=True, default=str)


def _results(path: Path, date: str | None) -> Record | None:
    """Return the results file of the run that wrote the samples, if it is certain which that is."""
    beside = sorted(path.parent.glob("results_*.json"))
    exact = [file for file in beside if date is not None and file.name == f"results_{date}.json"]
    if exact:
        return document(exact[0])
    return document(beside[0]) if len(beside) == 1 and date is None else None


def _chosen(samples: Sequence[_Samples], wanted: str | None) -> tuple[str, str | None]:
    """Return the metric of the files of a task, and the filter, if there are any."""
    known = {name: None for one in samples for name in _metrics(one.rows[0])}
    if wanted is not None:
        name, _, chosen = (part.strip() for part in wanted.partition(","))
        for one in samples:
            check_available(name, _metrics(one.rows[0]), "metric", one.rows[0].where)
        return name, _filter(samples, chosen or None)
    shared = [name for name in known if all(name in _metrics(one.rows[0]) for one in samples)]
    plain = [name for name in shared if all(number(_first(one, name)) is not None for one in samples)]
    usable = plain or [name for name in shared if name in _PAIR_METRICS]
    if not usable:
        raise InvalidInputError(
            f"{samples[0].file.path}: no metric with a score per document that all files have",
            hint=f"available metrics: {listed(list(known)) or 'none'}; name one: value_column=...",
        )
    return usable[0], _filter(samples, None)


def _metrics(row: Record) -> dict[str, None]:
    """Return the metrics of a record, in order: as it lists them, else every key that is nothing else."""
    listing = row.data.get("metrics")
    if isinstance(listing, list):
        return {name: None for name in listing if isinstance(name, str) and name in row.data}
    return {
        name: None
        for name, value in row.data.items()
        if name not in _OTHER and (number(value) is not None or _is_pair(value))
    }


def _first(one: _Samples, name: str) -> Any:
    """Return the first score of a metric that there is."""
    return next((row.data[name] for row in one.rows if row.data.get(name) is not None), None)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2


def _filter(samples: Sequence[_Samples], chosen: str | None) -> str | None:
    """Return the filter of a task: the one wanted, else the first that all its files have."""
    known = list(samples[0].filters)
    shared = [name for name in known if all(name in one.filters for one in samples)]
    name = chosen or next(iter(shared or known), None)
    for one in samples:
        if name is not None:
            check_available(name, one.filters, "filter", one.file.path)
    return name


def _aggregated(
    samples: Sequence[_Samples],
    chosen: Mapping[str, tuple[str, str | None]],
    metrics: Mapping[str, BaseMetric | str],
) -> str:
    """Say so if the harness makes something else than a mean of the scores."""
    for one in samples:
        for entry in _metric_list(one):
            if entry.get("metric") == chosen[one.task][0] and not isinstance(metrics[one.task], str):
                how = word(entry.get("aggregation"))
                if how not in (None, "mean", "nanmean"):
                    return f" (the mean of the documents; the harness itself reports their {how})"
    return ""


def _metric_list(one: _Samples) -> list[dict[str, Any]]:
    """Return what the results say of the metrics of a task."""
    config = one.results.part("configs").get(one.task) if one.results is not None else None
    listing = config.get("metric_list") if isinstance(config, dict) else None
    return [entry for entry in listing if isinstance(entry, dict)] if isinstance(listing, list) else []


def _log(one: _Samples, name: str, metric: str, used: str | None) -> Log:
    rows = [row for row in one.rows if used is None or str(row.data.get("filter")) == used]
    values: dict[str, Any] = {}
    gold: dict[str, Any] = {}
    places: dict[Any, str] = {}
    groups: dict[str, dict[str, str]] = {}
    hashes: dict[str, str] = {}
    for row in rows:
        item = row.name("doc_id")
        hint = "the file holds more than one run or filter: keep one record per document"
        check_new(places, item, row.where, f"document {item}", hint)
        value = row.need(metric)
        absent = value is None or value != value
        values[item], right = (math.nan, None) if absent else _checked(row, metric, value)
        if right is not None:
            gold[item] = right
        if isinstance(row.data.get("doc_hash"), str):
            hashes[item] = row.data["doc_hash"]
        for key, label in row.labels("doc").items():
            groups.setdefault(key, {})[item] = label
    return Log(name, one.task, str(one.file.path), values, gold or None, (), groups, hashes)


def _checked(row: Record, metric: str, value: Any) -> tuple[Any, Any]:
    """Return the score, or prediction and gold of a pair, or log-probability and length with no gold."""
    score = number(value)
    if score is not None:
        # The harness stores the log-probability of each document and takes exp(-mean) at the end.
        return ((score, 1.0) if metric == "perplexity" else score), None
    if not _is_pair(value) or metric not in _PAIR_METRICS:
        raise InvalidInputError(
            f"{row.where}: {metric} is not a score of one document but {value!r:.60}",
            hint=f"supported metrics of pairs: {', '.join(_PAIR_METRICS)}",
        )
    first, second = value
    name, is_gold = _PAIR_METRICS[metric]
    if not is_gold:
        return (first, second), None
    if name in ("bleu", "chrf", "ter"):
        return _translation(row, second), _reference(row, first)
    if not all(isinstance(label, int) and -(2**31) < label < 2**31 for label in value):
        raise InvalidInputError(f"{row.where}: {metric} needs two classes, got {value!r:.60}")
    return int(second), int(first)


def _translation(row: Record, value: Any) -> str:
    """Return a translation, which the harness may have put in a list of one."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str):
        raise InvalidInputError(f"{row.where}: expected a text as the prediction, got {value!r:.60}")
    return value


def _reference(row: Record, value: Any) -> str | tuple[str, ...]:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise InvalidInputError(f"{row.where}: expected a reference or a list of them, got {value!r:.60}")


def _metric(samples: Sequence[_Samples], logs: Sequence[Log], task: str, metric: str) -> BaseMetric | str:
    """Return the metric of a task to compute: by its name from pairs, else the mean of the scores."""
    ours = [(one, log) for one, log in zip(samples, logs, strict=True) if one.task == task]
    pairs = any(log.gold is not None or any(map(_is_pair, log.values.values())) for _, log in ours)
    if pairs and metric in _PAIR_METRICS:
        return _PAIR_METRICS[metric][0]
    directions = {_rising(one, metric) for one, _ in ours} - {None}
    if len(directions) > 1:
        raise InvalidInputError(
            f"the results disagree on whether a higher {metric} is better on {task}",
            hint="give samples of one version of the task",
        )
    return Mean(metric, greater_is_better=direction_of(metric, next(iter(directions), None))[0])


def _rising(one: _Samples, metric: str) -> bool | None:
    """Return whether higher is better, as the results say: for the task, or in its list of metrics."""
    by_metric = one.results.part("higher_is_better").get(one.task) if one.results is not None else None
    of_metric = by_metric.get(metric) if isinstance(by_metric, dict) else None
    listed_ = (entry.get("higher_is_better") for entry in _metric_list(one) if entry.get("metric") == metric)
    return next((rising for rising in (of_metric, *listed_) if isinstance(rising, bool)), None)
