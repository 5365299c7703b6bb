"""Samples of the Language Model Evaluation Harness: a record per document and filter, beside its results.

The name of a model, and whether lower is better, come from the file ``results_*.json`` of the same run, if it
lies beside the samples. Tasks are datasets, each with a metric of its own: by default the first with one
score per document, and the first filter. Items are scores; for BLEU and the like texts, for perplexities
pairs of numbers.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bestby._core.cached import cached_property
from bestby._core.errors import InvalidInputError
from bestby._core.text import visible
from bestby.metrics.base import BaseMetric
from bestby.metrics.directions import direction_of
from bestby.metrics.regression import Mean
from bestby.readers.files import stem_of
from bestby.readers.formats._logs import Harness, Sample, Scored
from bestby.readers.formats.base import File
from bestby.readers.text import Record, document, number, records, word

_START = re.compile(rb'\s*(\[\s*)?\{\s*"doc_id"\s*:\s*-?\d+\s*,\s*"(doc|target|arguments|filter)"\s*:')
_NAME = re.compile(r"samples_(?P<task>.+?)_(?P<date>\d{4}-\d\d-\d\dT[\d:.+-]+)\.jsonl?(\.gz|\.zst)?")

# What a record holds beside its metrics, in the versions from 0.3 on.
_OTHER = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
}

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


def recognises(path: Path, head: bytes) -> bool:
    """Tell whether a file holds samples: its first record begins with the number of a document."""
    if _START.match(head) is None:
        return False
    return b'"filtered_resps"' in head or b'"target"' in head or path.name.startswith("samples_")


class _Samples(Scored):
    """The samples of one task, of which some metrics have two values per document."""

    @cached_property
    def names(self) -> dict[str, None]:
        """The metrics with a score per document, then those that are computed of pairs."""
        values: dict[str, Any] = {}
        for name, value in (pair for sample in self.samples for pair in sample.scores.items()):
            values[name] = value if values.get(name) is None else values[name]
        plain = [name for name, value in values.items() if number(value) is not None]
        return dict.fromkeys([*plain, *(name for name in values if name in _PAIR_METRICS)])

    def value(self, sample: Sample, name: str) -> tuple[Any, Any]:
        """Return the score, or prediction and gold of a pair, or log-probability and length with no gold."""
        value = sample.scores.get(name)
        score = number(value)
        if value is None or value != value:
            return None, None
        if score is not None:
            # The harness stores the log-probability of each document and takes exp(-mean) at the end.
            return ((score, 1.0) if name == "perplexity" else score), None
        if not _is_pair(value) or name not in _PAIR_METRICS:
            raise InvalidInputError(
                f"{sample.where}: {name} is not a score of one document but {value!r:.60}",
                hint=f"supported metrics of pairs: {', '.join(_PAIR_METRICS)}",
            )
        _, is_gold = _PAIR_METRICS[name]
        return _prediction_and_gold(sample, name, value) if is_gold else ((value[0], value[1]), None)


def _scored(files: Sequence[File]) -> Iterator[_Samples]:
    n_files = Counter(file.name for file in files)
    rows_of = {file: records(file.path, without=_LONG) for file in files}
    # The documents themselves tell whether two models saw the same ones, where some have no hash.
    hashed = all(isinstance(row.data.get("doc_hash"), str) for rows in rows_of.values() for row in rows)
    for file, rows in rows_of.items():
        match = _NAME.fullmatch(file.path.name)
        task = match["task"] if match else None
        if match is None and file.path.name.startswith("samples_"):
            task = file.path.name.split(".")[0].removeprefix("samples_") or None
        # Of several files of one system, none is without a task: it is called as its file is.
        task = task or (stem_of(file.path) if n_files[file.name] > 1 else None)
        results = _results(file.path, match["date"] if match else None)
        arguments = re.search(r"pretrained=([^,]+)", str(results.part("config").get("model_args")))
        model = word(results.data.get("model_name")) or (word(arguments[1]) if arguments else None)
        samples = [_sample(row, hashed=hashed) for row in rows]
        directions, remarks = _of_metrics(results, task or "")
        rising, falling = ({name for name, up in directions.items() if up is side} for side in (True, False))
        yield _Samples.of(
            file, samples, model, task, rising=rising - falling, falling=falling, remarks=remarks
        )


def _results(path: Path, date: str | None) -> Record:
    """Return the results file of the run that wrote the samples, if it is certain which that is."""
    beside = sorted(path.parent.glob("results_*.json"))
    exact = [file for file in beside if date is not None and file.name == f"results_{date}.json"]
    sure = exact or (beside if len(beside) == 1 and date is None else [])
    return document(sure[0]) if sure else Record("", {})


def _sample(row: Record, *, hashed: bool) -> Sample:
    doc = row.data.get("doc")
    content = None if doc is None else json.dumps(doc, sort_keys=True, default=str)
    used = visible(str(row.data["filter"])) if "filter" in row.data else None
    return Sample(
        row.where,
        row.name("doc_id"),
        {name: row.data[name] for name in _metrics(row)},
        content=row.data["doc_hash"] if hashed else content,
        groups=row.labels("doc"),
        split=used,
    )


def _metrics(row: Record) -> list[str]:
    """Return the metrics of a record, in order: as it lists them, else every key that is nothing else."""
    named = row.data.get("metrics")
    if isinstance(named, list):
        return [name for name in named if isinstance(name, str) and name in row.data]
    others = {name: value for name, value in row.data.items() if name not in _OTHER}
    return [name for name, value in others.items() if number(value) is not None or _is_pair(value)]


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2


def _of_metrics(results: Record, task: str) -> tuple[dict[str, bool], dict[str, str]]:
    """Return whether higher is better, by metric of a task, and remarks on scores that are no means."""
    config = results.part("configs").get(task)
    entries = config.get("metric_list") if isinstance(config, dict) else None
    directions: dict[str, bool] = {}
    remarks: dict[str, str] = {}
    for entry in filter(lambda one: isinstance(one, dict), entries if isinstance(entries, list) else []):
        name, how = word(entry.get("metric")), word(entry.get("aggregation"))
        if name is not None and entry.get("higher_is_better") is not None:
            directions.setdefault(name, entry["higher_is_better"])
        if name is not None and name not in _PAIR_METRICS and how not in (None, "mean", "nanmean"):
            remarks["the harness itself reports"] = f"the {how} of {name}"
    told = results.part("higher_is_better").get(task)
    return {**directions, **(told if isinstance(told, dict) else {})}, remarks


def _prediction_and_gold(sample: Sample, metric: str, pair: list[Any]) -> tuple[Any, Any]:
    """Return a prediction and its gold, which the harness writes first."""
    first, second = pair
    if metric in ("bleu", "chrf", "ter"):
        # The harness may have put a translation in a list of one.
        second = second[0] if isinstance(second, list) and len(second) == 1 else second
        references = first if isinstance(first, list) and first else [first]
        if not all(isinstance(text, str) for text in (second, *references)):
            raise InvalidInputError(f"{sample.where}: expected references and a text, got {pair!r:.60}")
        return second, first if isinstance(first, str) else tuple(references)
    if not all(isinstance(label, int) and -(2**31) < label < 2**31 for label in pair):
        raise InvalidInputError(f"{sample.where}: {metric} needs two classes, got {pair!r:.60}")
    return int(second), int(first)


def _metric(parts: Sequence[Scored], name: str) -> BaseMetric | str:
    """Return the metric of a task to compute: by its name from pairs, else the mean of the scores."""
    values = (one.value(sample, name)[0] for one in parts for sample in one.samples)
    if name in _PAIR_METRICS and not all(value is None or isinstance(value, float) for value in values):
        return _PAIR_METRICS[name][0]
    told = {
        side for one in parts for side, names in ((True, one.rising), (False, one.falling)) if name in names
    }
    if len(told) > 1:
        raise InvalidInputError(
            f"the results disagree on whether a higher {name} is better",
            hint="give samples of one version of the task",
        )
    return Mean(name, greater_is_better=direction_of(name, next(iter(told), None))[0])


read = Harness(
    "samples of lm-evaluation-harness",
    recognises=recognises,
    scored=_scored,
    first=True,
    what="metric",
    items="samples",
    split="filter",
    metric=_metric,
).read
