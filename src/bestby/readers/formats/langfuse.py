"""Experiments of Langfuse: its exports, the answers of its API, and the results of its libraries.

A file holds items of the runs of experiments, and scores that stand apart from them. A run is a system, and
an item of its dataset an item; without a dataset the input of the task is. Runs stand in the answers to
``/api/public/experiment-items``, in the exported tables of traces or observations, and in the results that
the libraries return. Runs of a dataset (``/api/public/datasets/NAME/runs/RUN``) are joined with scores beside
them by their traces. Of the runs in one file, the one that began first is the first system. Several values of
one score are averaged. The score ``output`` takes outputs as predictions and expected outputs as gold.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.text import quoted
from bestby.metrics.base import BaseMetric
from bestby.readers.files import read_table
from bestby.readers.formats._logs import Harness, Sample, Scored, mean_score, quantities_of
from bestby.readers.formats.base import File, head_of
from bestby.readers.text import (
    CUT_OFF,
    Record,
    as_number,
    beginning,
    column_names,
    document,
    listing,
    number,
    parsed_or_text,
    records,
    whole_number,
    word,
)

_EMPTY = re.compile(rb'\s*\{\s*"data"\s*:\s*\[\s*\]\s*,\s*"meta"\s*:\s*\{')
_OBJECT = re.compile(rb'\s*(\[\s*)?\{\s*"\w+"\s*:')
_KEYS = (
    ("experimentId", "experimentItemId"),
    ("datasetId", "datasetRunItems"),
    ("runName", "itemResults"),
    ("run_name", "item_results"),
    ("id", "timestamp", "sessionId", "bookmarked"),
    ("id", "traceId", "startTime", "projectId", "parentObservationId"),
    ("id", "traceId", "startTime", "parentObservationId", "metadata"),
    ("id", "traceId", "startTime", "traceName", "completionStartTime"),
    ("id", "traceId", "source", "name", "dataType", "value"),
    ("id", "projectId", "source", "name", "dataType", "value"),
)
"""Keys of one record or answer that stand before the texts of any length, or columns of a table."""


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file is such a table, holds such records, or is an answer without any."""
    if _EMPTY.match(head) is not None:
        return True
    if _OBJECT.match(head) is not None:
        return any(all(f'"{key}"'.encode() in head for key in keys) for keys in _KEYS)
    return any({*keys} <= {*column_names(head)} for keys in _KEYS)


_OUTPUT = "output"
_NO_NUMBERS = frozenset({"CATEGORICAL", "TEXT", "CORRECTION"})
_OF_USERS = frozenset(
    ("input", "output", "expectedOutput", "metadata", "experimentItemMetadata", "traceTags", "tags")
)
"""What users of Langfuse write, in which no number is a score or what an item took."""


@dataclass(frozen=True)
class _Entry(Sample):
    """What one run of an experiment did on one item, as one row tells; a score may have several values.

    `experiment` is the id of the run, and `began` the time as the file writes it (ISO 8601).
    """

    of_run: str = ""
    experiment: str | None = None
    dataset: str | None = None
    trace: str | None = None
    began: str = ""
    output: str | None = None
    expected: str | None = None


class _Run(Scored):
    """One run, whose outputs are predictions where no score is called so."""

    def has(self, name: str) -> bool:
        """Tell whether there is such a score, or outputs are asked for."""
        return name in self.choices or name == _OUTPUT

    def value(self, sample: Sample, name: str) -> tuple[Any, Any]:
        """Return a score or quantity, or the output and the expected one."""
        if name in self.choices or not isinstance(sample, _Entry):
            return super().value(sample, name)
        lacking = "has several outputs" if sample.run else "has no expected output"
        if sample.run or sample.expected is None:
            raise InvalidInputError(
                f"{sample.where}: item {sample.item!r} {lacking}",
                hint="fetch the items with fields=core,dataset,io, or name a score: value_column=...",
            )
        return sample.output, sample.expected


def _metric(parts: Sequence[Scored], name: str) -> BaseMetric | str:
    """Return what compares outputs with expected ones, or the mean of a score."""
    return "accuracy" if not any(name in one.choices for one in parts) else mean_score(parts, name)


def _scored(files: Sequence[File]) -> Iterator[_Run]:
    """Yield the runs of each file, with the scores that stand beside them in others."""
    contents = [(file, *_contents(file.path)) for file in files]
    if not any(entries for _, entries, _ in contents):
        raise InvalidInputError(
            f"{contents[0][0].path} holds scores without the items that they belong to",
            hint="give the runs beside it (/api/public/datasets/NAME/runs/RUN), or export the traces instead",
        )
    beside: dict[str | None, list[tuple[str, float]]] = {}
    for trace, name, value in (score for _, _, scores in contents for score in scores):
        if value is not None:
            beside.setdefault(trace, []).append((name, value))
    for file, found, _ in contents:
        runs: dict[tuple[str, str | None, str | None], list[_Entry]] = {}
        for entry in found:
            runs.setdefault((entry.of_run, entry.experiment, entry.dataset), []).append(entry)
        several = Counter(dataset for _, _, dataset in runs)
        # The API lists the newest first.
        for entries in sorted(runs.values(), key=lambda entries: min(entry.began for entry in entries)):
            run, dataset = entries[0].of_run, entries[0].dataset
            yield _Run.of(file, [*_samples(entries, beside)], run, dataset, is_one=several[dataset] == 1)


def _samples(
    entries: Sequence[_Entry], beside: Mapping[str | None, Sequence[tuple[str, float]]]
) -> Iterator[_Entry]:
    """Yield the repetitions of each item of a run; rows about one trace are one, with all their scores."""
    traces: dict[str, dict[str, list[_Entry]]] = {}
    for entry in entries:
        traces.setdefault(entry.item, {}).setdefault(entry.trace or entry.where, []).append(entry)
    for repetitions in traces.values():
        for run, rows in enumerate(repetitions.values()):
            values: dict[str, list[float]] = {}
            of_rows = [(name, value) for row in rows for name in row.scores for value in row.scores[name]]
            for name, value in (*of_rows, *beside.get(rows[0].trace, ())):
                values.setdefault(name, []).append(value)
            output = next((row.output for row in rows if row.output is not None), None)
            scores = {name: sum(several) / len(several) for name, several in values.items()}
            yield replace(rows[0], run=run, scores=scores, output=output)


def _contents(path: Path) -> tuple[list[_Entry], list[tuple[str, str, float | None]]]:
    """Return the items of the runs in a file, and the scores apart from them: trace, name, value.

    It is a table (CSV, JSON or JSON Lines), holds answers of the API, or is the result of an experiment.
    """
    entries: list[_Entry] = []
    scores, pages = [], []
    for record in _records(readable_file(path)):
        is_page = isinstance(record.data.get("data"), list) and isinstance(record.data.get("meta"), dict)
        if is_page:
            pages.append(record.part("meta"))
        for row in listing(record, "data") if is_page else [record]:
            if row.data.get("dataType") is None:
                entries.extend(_entries(row))
            elif (score := _score(row)) is not None:
                scores.append(score)
    _check_pages(path, pages)
    if not entries and not scores:
        raise InvalidInputError(
            f"{path} holds no items of experiments",
            hint="export the traces of a run of a dataset, or fetch /api/public/experiment-items by the"
            " names that Langfuse shows, and from a time before they began",
        )
    return entries, scores


def _check_pages(path: Path, pages: Sequence[Mapping[str, Any]]) -> None:
    """Refuse answers of several pages of which one is missing: all stand in one file."""
    numbers = [whole_number(page.get("page")) for page in pages]
    total = max((whole_number(page.get("totalPages")) or 0 for page in pages), default=0)
    absent = next((f"page {n} of {total}" for n in range(1, total + 1) if n not in numbers), None)
    if pages and all(page.get("cursor") for page in pages):
        absent = "the last page"
    if absent is not None:
        hint = "fetch all pages, and write all of them into one file"
        raise InvalidInputError(f"{path}: {absent} is missing", hint)


def _records(path: Path) -> list[Record]:
    start = head_of(path).lstrip()
    if start.startswith((b"[", b"{")):
        first, newline, _ = start.partition(b"\n")
        is_laid_out = start.startswith(b"{") and newline and not first.rstrip().endswith(b"}")
        return [document(path)] if is_laid_out else records(path)
    table = read_table(path, frozenset({""}))
    columns = {name: table.cells(name) for name in table.names}
    return [
        Record(f"{path}, row {row + 2}", {name: _cell(name, cells[row]) for name, cells in columns.items()})
        for row in range(table.n_rows)
    ]


def _cell(name: str, text: str) -> Any:
    """Return what a cell holds: lists and objects are JSON, and texts were until March 2026.

    >>> _cell("correct", "[0.5]"), _cell("name", '"a"'), _cell("value", "1"), _cell("output", "7")
    ([0.5], 'a', 1.0, '7')
    """
    if name == "value":
        return as_number(text)
    if text[:1] in ("[", "{", '"'):
        return parsed_or_text(text, f"the cell of {quoted(name)}")
    return text or None


def _entries(record: Record) -> Iterator[_Entry]:
    """Yield what a record holds: a run with its items, or one row."""
    data = record.data
    if "schema_version" in data and "results" in data:  # of the GitHub action
        for one in listing(record, "results"):
            yield from _entries(Record(one.where, one.part("experiment_result")))
    elif "itemResults" in data or "item_results" in data:
        key = "itemResults" if "itemResults" in data else "item_results"
        yield from (_result(record, row) for row in listing(record, key))
    elif "datasetRunItems" in data:
        for row in listing(record, "datasetRunItems"):
            run = word(row.data.get("datasetRunName")) or row.name("datasetRunId")
            item, dataset = row.name("datasetItemId"), data.get("datasetId")
            yield _entry(row, run, item, dataset, {}, row.name("traceId"), {})
    elif data.get("experimentItemId") is not None:
        run = word(data.get("experimentName")) or record.name("experimentId")
        item, dataset = record.name("experimentItemId"), data.get("experimentDatasetId")
        groups, trace = record.labels("experimentItemMetadata"), word(data.get("traceId"))
        yield _entry(record, run, item, dataset, _values(record, "scores"), trace, groups)
    else:
        yield from _table_row(record)


def _entry(
    record: Record,
    run: str,
    item: str,
    dataset: Any,
    scores: Mapping[str, Sequence[float]],
    trace: str | None,
    groups: Mapping[str, str],
) -> _Entry:
    """Return a row of an answer, of a table or of a result as an entry."""
    data, expected = record.data, _label(record.data.get("expectedOutput"))
    times = (word(data.get(key)) for key in ("startTime", "timestamp", "createdAt"))
    return _Entry(
        record.where,
        item,
        scores,
        content=beginning(expected),
        groups=groups,
        quantities=quantities_of({key: value for key, value in data.items() if key not in _OF_USERS}),
        of_run=run,
        experiment=word(data.get("experimentId")) or word(data.get("datasetRunId")),
        dataset=word(dataset),
        trace=trace,
        began=next(filter(None, times), ""),
        output=_label(data.get("output")),
        expected=expected,
    )


def _result(whole: Record, row: Record) -> _Entry:
    """Return an item of the result of an experiment, whose traces may have no ids of their own."""
    item = Record(row.where, row.part("item"))
    name = word(item.data.get("id")) or _label(item.data.get("input"))
    if name is None:
        raise InvalidInputError(f"{row.where}: an item without id and input", hint=CUT_OFF)
    run = word(_spelt(whole.data, "runName")) or whole.name("name")
    texts = {"output": row.data.get("output"), "expectedOutput": _spelt(item.data, "expectedOutput")}
    dataset, scores = _spelt(item.data, "datasetId"), _values(row, "evaluations")
    return _entry(Record(row.where, texts), run, name, dataset, scores, None, item.labels("metadata"))


def _spelt(data: Mapping[str, Any], key: str) -> Any:
    """Return what stands under a key, which Python spells with underscores.

    >>> _spelt({"runName": "a"}, "runName"), _spelt({"run_name": "a"}, "runName")
    ('a', 'a')
    """
    return data.get(key, data.get(re.sub("([A-Z])", r"_\1", key).lower()))


def _table_row(record: Record) -> Iterator[_Entry]:
    """Yield a row of the table or of the list of traces or observations, if it belongs to an experiment."""
    data = record.data
    metadata = _parsed(data.get("metadata"))
    if not isinstance(metadata, dict):
        return
    run = word(metadata.get("experiment_run_name")) or word(metadata.get("experiment_name"))
    item = word(metadata.get("dataset_item_id"))
    if item is not None:  # version 3 calls the run so
        run = run or word(metadata.get("run_name"))
    elif run is not None:
        item = _label(data.get("input"))
    if run is None or item is None:
        return
    scores: dict[str, list[float]] = {}
    for name, cells in data.items():
        if isinstance(cells, list) and name not in _OF_USERS:
            values = [value for cell in cells if (value := number(cell)) is not None]
            scores |= {word(name) or name: values} if values else {}
    trace, groups = word(data.get("traceId")), Record(record.where, {"of": metadata}).labels("of")
    trace = trace or record.name("id")
    yield _entry(record, run, item, metadata.get("dataset_id"), scores, trace, groups)


def _score(record: Record) -> tuple[str, str, float | None] | None:
    """Return a row of the table or of the list of scores, if it is the score of a trace."""
    subject = record.part("subject")
    trace = word(record.data.get("traceId")) or word(subject.get("traceId"))
    if trace is None and subject.get("kind") == "trace":
        trace = word(subject.get("id"))
    return None if trace is None else (trace, record.name("name"), _value(record.data))


def _values(record: Record, key: str) -> dict[str, list[float]]:
    """Return the scores of an item that are numbers, by their names, which may occur several times."""
    found: dict[str, list[float]] = {}
    for one in listing(record, key) if record.data.get(key) is not None else ():
        if (value := _value(one.data)) is not None:
            found.setdefault(one.name("name"), []).append(value)
    return found


def _value(data: Mapping[str, Any]) -> float | None:
    """Return what a score says as a number; that of a category, whose name stands beside it, is none."""
    return None if word(_spelt(data, "dataType")) in _NO_NUMBERS else number(data.get("value"))


def _label(value: Any) -> str | None:
    """Return a text, number or boolean as a label, and anything else as JSON whose keys are in order.

    >>> _label("en"), _label(True), _label({"b": 1, "a": 2}), _label(None)
    ('en', 'true', '{"a": 2, "b": 1}', None)
    """
    value = _parsed(value)
    if value is None or isinstance(value, str) or (number(value) is not None and not isinstance(value, bool)):
        return word(value)
    return word(json.dumps(value, sort_keys=True, ensure_ascii=False, default=str))


def _parsed(value: Any) -> Any:
    """Return the list or object that a text is as JSON; anything else as it is."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        return parsed_or_text(value, "the text")
    return value


read = Harness(
    "experiments of Langfuse",
    recognises=recognises,
    scored=_scored,
    hint="fetch its items with fields=core,dataset,io,scores, or give scores beside it that are numbers",
    metric=_metric,
).read
