"""What files of Langfuse hold: items of the runs of experiments, and scores that stand apart from them."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.text import quoted
from bestby.readers.files import read_table
from bestby.readers.formats._documents import Record, document, listing, number, records, whole_number, word
from bestby.readers.formats._lines import as_number
from bestby.readers.formats.base import head_of
from bestby.readers.json_text import parsed_or_text

Value = float | str

_TEXTS = frozenset({"CATEGORICAL", "TEXT", "CORRECTION"})
_NO_SCORES = frozenset(
    (
        *("input", "output", "metadata", "tags", "traceTags", "comments", "toolCallNames"),
        *("observations", "scores"),
    )
)
"""Columns of the tables of traces and observations that may hold lists and are not scores by their names."""
_TOLD = frozenset(
    (
        *("experiment_name", "experiment_run_name", "run_name", "dataset_id", "dataset_item_id"),
        *("resourceAttributes", "scope", "attributes"),
    )
)
"""What Langfuse itself writes into the metadata of a trace."""
_CUT = "export the file again; it is not as Langfuse writes it"


@dataclass(frozen=True)
class Entry:
    """What one run of an experiment did on one item, as one row tells.

    `experiment` is the id of the run, and `scores` has numbers and texts by the name of the score. `began` is
    the time as the file writes it (ISO 8601), "" if it tells none. `part` says whether other files may hold
    more of the run, as pages do; `row` whether other rows of the file may tell more of the same trace.
    """

    where: str
    run: str
    item: str
    experiment: str | None = None
    dataset: str | None = None
    trace: str | None = None
    began: str = ""
    scores: Mapping[str, list[Value]] = field(default_factory=dict)
    output: str | None = None
    expected: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict)
    part: bool = False
    row: bool = False


@dataclass(frozen=True)
class Score:
    """A score of a trace that stands apart from the items of the runs."""

    trace: str
    name: str
    value: Value


@dataclass(frozen=True)
class Page:
    """What a page of the API says of the others: that more follow, or its number and how many."""

    more: bool
    number: int | None
    of: int | None


@dataclass(frozen=True)
class Contents:
    """What a file holds."""

    entries: list[Entry] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)


def contents_of(path: Path) -> Contents:
    """Read a table (CSV, JSON or JSON Lines), answers of the API, or the result of an experiment."""
    contents = Contents()
    for record in _records(readable_file(path)):
        _add(record, contents)
    return contents


def _records(path: Path) -> list[Record]:
    start = head_of(path).lstrip()
    if start.startswith(b"["):
        return records(path)
    if start.startswith(b"{"):
        first, newline, _ = start.partition(b"\n")
        if newline and not first.rstrip().endswith(b"}"):
            return [document(path)]
        found = records(path)
        return found if len(found) > 1 else [Record(str(path), one.data) for one in found]
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


def _add(record: Record, contents: Contents, *, part: bool = False) -> None:
    """Add what a record holds: a page of others, a run with its items, or one row."""
    data = record.data
    results, links = _spelled(data, "itemResults"), _spelled(data, "datasetRunItems")
    if isinstance(data.get("data"), list) and isinstance(data.get("meta"), dict):
        contents.pages.append(_page(data["meta"]))
        for row in listing(record, "data"):
            _add(row, contents, part=True)
    elif "schema_version" in data and "results" in data:
        for one in listing(record, "results"):
            if one.part("experiment_result"):
                _add(Record(one.where, one.part("experiment_result")), contents)
    elif results is not None:
        contents.entries.extend(_result(record, row) for row in listing(record, results))
    elif links is not None:
        dataset = _word(data, "datasetId")
        contents.entries.extend(_run_item(row, dataset, part=False) for row in listing(record, links))
    elif _get(data, "experimentItemId") is not None:
        contents.entries.append(_experiment_item(record))
    elif _get(data, "datasetItemId") is not None:
        contents.entries.append(_run_item(record, None, part=part))
    elif _get(data, "dataType") is not None:
        contents.scores.extend(_score(record))
    else:
        contents.entries.extend(_table_row(record, part=part))


def _page(meta: Mapping[str, Any]) -> Page:
    numbers = (whole_number(meta.get("page")), whole_number(_get(meta, "totalPages")))
    return Page(bool(meta.get("cursor")), *numbers)


def _experiment_item(record: Record) -> Entry:
    """Return a row of ``GET /api/public/experiment-items``."""
    data = record.data
    failed = data.get("level") == "ERROR"
    return Entry(
        record.where,
        _need(record, "experimentName", "experimentId"),
        _need(record, "experimentItemId"),
        experiment=_word(data, "experimentId"),
        dataset=_word(data, "experimentDatasetId"),
        trace=_word(data, "traceId"),
        began=_word(data, "startTime") or "",
        scores=_values(record, "scores"),
        output=None if failed else _label(data.get("output")),
        expected=_label(_get(data, "expectedOutput")),
        groups=Record(record.where, {"of": _get(data, "experimentItemMetadata")}).labels("of"),
        part=True,
    )


def _run_item(record: Record, dataset: str | None, *, part: bool) -> Entry:
    """Return an item of a run of a dataset, which holds no scores."""
    return Entry(
        record.where,
        _need(record, "datasetRunName", "datasetRunId"),
        _need(record, "datasetItemId"),
        experiment=_word(record.data, "datasetRunId"),
        dataset=dataset,
        trace=_need(record, "traceId"),
        began=_word(record.data, "createdAt") or "",
        part=part,
    )


def _result(run: Record, record: Record) -> Entry:
    """Return an item of the result of an experiment, as the libraries have it at its end."""
    item = record.part("item")
    asked = item.get("input", record.data.get("input"))
    expected = _get(item, "expectedOutput")
    name = _word(item, "id") or (None if asked is None else _called(asked))
    if name is None:
        raise InvalidInputError(f"{record.where}: an item without id and input", hint=_CUT)
    return Entry(
        record.where,
        _need(run, "runName", "name"),
        name,
        experiment=_word(run.data, "experimentId") or _word(run.data, "datasetRunId"),
        dataset=_word(item, "datasetId"),
        scores=_values(record, "evaluations"),
        output=_label(record.data.get("output")),
        expected=_label(_get(record.data, "expectedOutput") if expected is None else expected),
        groups=Record(record.where, item).labels("metadata"),
    )


def _table_row(record: Record, *, part: bool) -> list[Entry]:
    """Return a row of the table or of the list of traces or observations, if it belongs to an experiment."""
    data = record.data
    told = data.get("metadata")
    told = _parsed(told) if isinstance(told, str) else told
    if not isinstance(told, dict):
        return []
    run, item = _run_and_item(told, data.get("input"))
    if run is None or item is None:
        return []
    scores = {
        word(name) or name: [_plain(value) for value in values]
        for name, values in data.items()
        if isinstance(values, list) and values and name not in _NO_SCORES and _are_plain(values)
    }
    told_apart = data.get("scores")  # a trace by itself has them whole, and the list of traces their ids
    if isinstance(told_apart, list) and all(isinstance(one, dict) for one in told_apart):
        scores |= _values(record, "scores")
    labels = Record(record.where, {"of": {k: v for k, v in told.items() if k not in _TOLD}}).labels("of")
    return [
        Entry(
            record.where,
            run,
            item,
            dataset=word(told.get("dataset_id")),
            trace=_word(data, "traceId") or _need(record, "id"),
            began=_word(data, "startTime") or _word(data, "timestamp") or "",
            scores=scores,
            output=_label(data.get("output")),
            groups=labels,
            part=part,
            row=True,
        )
    ]


def _run_and_item(told: Mapping[str, Any], asked: Any) -> tuple[str | None, str | None]:
    """Return what the metadata of a trace call its run and item; without a dataset the input is the item.

    >>> _run_and_item({"run_name": "a", "dataset_item_id": "q1"}, None), _run_and_item({"run_name": "a"}, "x")
    (('a', 'q1'), (None, None))
    """
    run, item = word(told.get("experiment_run_name")) or word(told.get("experiment_name")), None
    if "dataset_item_id" in told:
        run, item = run or word(told.get("run_name")), word(told["dataset_item_id"])
    elif run is not None and asked is not None:
        item = _called(asked)
    return run, item


def _score(record: Record) -> list[Score]:
    """Return a row of the table or of the list of scores, if it is the score of a trace."""
    subject = record.part("subject")
    trace = _word(record.data, "traceId") or _word(subject, "traceId")
    if trace is None and subject.get("kind") == "trace":
        trace = _word(subject, "id")
    value = _value(record.data)
    if trace is None or value is None:
        return []
    return [Score(trace, _need(record, "name"), value)]


def _values(record: Record, key: str) -> dict[str, list[Value]]:
    """Return the scores of an item by their names, which may occur several times."""
    found: dict[str, list[Value]] = {}
    if record.data.get(key) is not None:
        for one in listing(record, key):
            value = _value(one.data)
            if value is not None:
                found.setdefault(_need(one, "name"), []).append(value)
    return found


def _value(data: Mapping[str, Any]) -> Value | None:
    """Return what a score says: the name of a category stands beside its number, which counts for nothing."""
    value, text = data.get("value"), word(_get(data, "stringValue"))
    if word(_get(data, "dataType")) in _TEXTS:
        return text or word(value)
    amount = number(value)
    return amount if amount is not None else text or word(value)


def _are_plain(values: list[Any]) -> bool:
    return all(isinstance(value, str) or number(value) is not None for value in values)


def _plain(value: Any) -> Value:
    amount = number(value)
    return str(value) if amount is None else amount


def _label(value: Any) -> str | None:
    """Return a text, number or boolean as a label, and anything else as JSON whose keys are in order.

    >>> _label("en"), _label(True), _label({"b": 1, "a": 2}), _label(None)
    ('en', 'true', '{"a": 2, "b": 1}', None)
    """
    value = _parsed(value) if isinstance(value, str) else value
    if value is None or isinstance(value, str) or (number(value) is not None and not isinstance(value, bool)):
        return word(value)
    return word(json.dumps(value, sort_keys=True, ensure_ascii=False, default=str))


def _parsed(text: str) -> Any:
    """Return the list or object that a text is as JSON; else the text."""
    return parsed_or_text(text, "the text") if text[:1] in ("[", "{") else text


def _called(asked: Any) -> str | None:
    """Return a name of an item that has no id: its input, or the hash of a long one."""
    label = _label(asked)
    # Longer inputs are called by their hash
    if label is None or len(label) <= 64:
        return label
    return hashlib.sha256(label.encode("utf-8", "replace")).hexdigest()[:16]


def _get(data: Mapping[str, Any], name: str) -> Any:
    """Return what stands under a name, however it is spelled."""
    return data[name] if name in data else data.get(with_underscores(name))


def _spelled(data: Mapping[str, Any], name: str) -> str | None:
    """Return the key for a name, which Python writes with underscores; None if neither is there."""
    return next((key for key in (name, with_underscores(name)) if key in data), None)


@functools.cache
def with_underscores(name: str) -> str:
    """Return how Python writes a name.

    >>> with_underscores("runName")
    'run_name'
    """
    return re.sub("([A-Z])", r"_\1", name).lower()


def _word(data: Mapping[str, Any], name: str) -> str | None:
    return word(_get(data, name))


def _need(record: Record, *names: str) -> str:
    """Return the first of these that is there, as a name or an id."""
    found = next((text for text in (_word(record.data, name) for name in names) if text is not None), None)
    if found is None:
        raise InvalidInputError(f"{record.where}: no {names[0]!r} in this record", hint=_CUT)
    return found
