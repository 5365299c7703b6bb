"""Experiments of Langfuse: its exports, the answers of its API, and the results of its libraries.

A file holds items of the runs of experiments, and scores that stand apart from them. A run is a system, and
an item of its dataset an item; without a dataset the input of the task is. Runs stand in the answers to
``/api/public/experiment-items``, in the exported tables of traces or observations, and in the results that
the libraries return. Runs of a dataset (``/api/public/datasets/NAME/runs/RUN``) are joined with scores beside
them by their traces. Of the runs in one file, the one that began first is the first system. Several values of
one score are averaged. The score ``output`` takes outputs as predictions and expected outputs as gold.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from bestby._core.cached import cached_property
from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.text import quoted
from bestby.data.roles import listed
from bestby.metrics.base import BaseMetric
from bestby.readers.files import read_table
from bestby.readers.formats._logs import Harness, Sample, Scored, datasets_of, mean_score, quantities_of
from bestby.readers.formats.base import File, head_of
from bestby.readers.text import (
    Record,
    as_number,
    beginning,
    check_new,
    column_names,
    document,
    listing,
    number,
    parsed_or_text,
    records,
    whole_number,
    word,
)

_OUTPUT = "output"
_EMPTY = re.compile(rb'\s*\{\s*"data"\s*:\s*\[\s*\]\s*,\s*"meta"\s*:\s*\{')
_OBJECT = re.compile(rb'\s*(\[\s*)?\{\s*"\w+"\s*:')
_KEYS = (
    ("experimentId", "experimentItemId"),
    ("datasetItemId", "datasetRunId"),
    ("datasetId", "datasetRunItems"),
    ("runName", "itemResults"),
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
    names = None if _OBJECT.match(head) else {*column_names(head)}

    def has(key: str) -> bool:
        if names is not None:
            return key in names
        return any(f'"{name}"'.encode() in head for name in (key, _with_underscores(key)))

    return any(all(map(has, keys)) for keys in _KEYS)


def _with_underscores(name: str) -> str:
    """Return how Python writes a name.

    >>> _with_underscores("runName")
    'run_name'
    """
    return re.sub("([A-Z])", r"_\1", name).lower()


Value = float | str

_TEXTS = frozenset({"CATEGORICAL", "TEXT", "CORRECTION"})
_NO_SCORES = frozenset(
    (
        *("input", "output", "metadata", "tags", "traceTags", "comments", "toolCallNames"),
        *("observations", "scores"),
    )
)
"""Columns of the tables of traces and observations that may hold lists and are not scores by their names."""
_LANGFUSE_METADATA = frozenset(
    (
        *("experiment_name", "experiment_run_name", "run_name", "dataset_id", "dataset_item_id"),
        *("resourceAttributes", "scope", "attributes"),
    )
)
"""What Langfuse itself writes into the metadata of a trace."""
_OF_USERS = frozenset(
    ("input", "output", "expectedOutput", "metadata", "experimentItemMetadata", "traceTags", "tags")
)
"""What users of Langfuse write, in which no name is its own, and no number what an item took."""
_NAMES = {
    _with_underscores(name): name
    for name in (
        *("experimentId", "experimentName", "experimentItemId", "experimentDatasetId"),
        *("experimentItemMetadata", "datasetId", "datasetItemId", "datasetRunId", "datasetRunName"),
        *("datasetRunItems", "runName", "itemResults", "expectedOutput", "traceId", "startTime"),
        *("createdAt", "dataType", "stringValue", "totalPages"),
    )
}
"""The keys that are looked for, by how Python spells them."""
_TIMES = ("startTime", "timestamp", "createdAt")
_CUT = "export the file again; it is not as Langfuse writes it"


@dataclass(frozen=True)
class Entry(Sample):
    """What one run of an experiment did on one item, as one row tells.

    `experiment` is the id of the run, and `scores` has numbers and texts by the name of the score. `began` is
    the time as the file writes it (ISO 8601), "" if it tells none. `part` says whether other files may hold
    more of the run, as pages do; `row` whether other rows of the file may tell more of the same trace.
    """

    of_run: str = ""
    experiment: str | None = None
    dataset: str | None = None
    trace: str | None = None
    began: str = ""
    output: str | None = None
    expected: str | None = None
    part: bool = False
    row: bool = False


class _Run(Scored):
    """One run, whose samples have several values of a score: numbers, and texts that are categories."""

    @cached_property
    def values(self) -> dict[str, dict[Value, None]]:
        """The different values of each score."""
        values: dict[str, dict[Value, None]] = {}
        for name, of_sample in (score for sample in self.samples for score in sample.scores.items()):
            values.setdefault(name, {}).update(dict.fromkeys(of_sample))
        return values

    @cached_property
    def names(self) -> dict[str, None]:
        """The scores that have numbers."""
        return {
            name: None
            for name, values in self.values.items()
            if not all(isinstance(value, str) for value in values)
        }

    def has(self, name: str) -> bool:
        """Tell whether there is such a score; refuse one of categories."""
        if name in self.values and name not in self.names:
            categories = listed([str(value) for value in self.values[name]], 4)
            raise InvalidInputError(
                f"{self.source}: the score {name!r} has categories ({categories}), not numbers",
                hint=f"name a score of numbers: {listed([*self.names]) or 'there is none'}",
            )
        return name in self.choices or name == _OUTPUT

    def value(self, sample: Sample, name: str) -> Any:
        """Return the mean of the values of a score, or the output."""
        if self._is_label(name):
            if sample.run:
                raise InvalidInputError(
                    f"{self.source}: item {sample.item!r} has several outputs",
                    hint="name a score: value_column=...",
                )
            return getattr(sample, "output", None)
        numbers = [value for value in sample.scores.get(name, ()) if not isinstance(value, str)]
        return sum(numbers) / len(numbers) if numbers else sample.quantities.get(name)

    def gold(self, sample: Sample, name: str) -> Any:
        """Return the expected output for an output."""
        if not self._is_label(name):
            return None
        if (expected := getattr(sample, "expected", None)) is None:
            raise InvalidInputError(
                f"{sample.where}: item {sample.item!r} has no expected output",
                hint="fetch the items with fields=core,dataset,io, or name a score: value_column=...",
            )
        return expected

    def _is_label(self, name: str) -> bool:
        return name == _OUTPUT and name not in self.names


def _metric(parts: Sequence[Scored], name: str) -> BaseMetric | str:
    """Return what compares outputs with expected ones, or the mean of a score."""
    return "accuracy" if not any(name in one.choices for one in parts) else mean_score(parts, name)


def _scored(files: Sequence[File]) -> Iterator[_Run]:
    """Yield the runs of all files, with the scores that stand beside them; pages of one run are one."""
    contents = [(file, contents_of(file.path)) for file in files]
    _refuse_without_items(contents)
    _refuse_without_pages(contents)
    beside: dict[str, dict[str, list[Value]]] = {}
    for trace, name, value in (score for _, found in contents for score in found.scores):
        beside.setdefault(trace, {}).setdefault(name, []).append(value)
    groups: dict[tuple[str | None, ...], list[Entry]] = {}
    of_key: dict[tuple[str | None, ...], File] = {}
    key: tuple[str | None, ...]
    for file, found in contents:
        for entry in _oldest_first(found.entries):
            place = None if entry.part else str(file.path)
            key = (file.name if file.named else None, place, entry.of_run, entry.experiment, entry.dataset)
            scores = {**beside.get(entry.trace or "", {}), **entry.scores}
            groups.setdefault(key, []).append(replace(entry, scores=scores))
            of_key.setdefault(key, file)
    datasets = datasets_of([key[-1] for key in groups], "items")
    counts = Counter((of_key[key].name, dataset) for key, dataset in zip(groups, datasets, strict=True))
    several = {name for (name, _), count in counts.items() if count > 1}
    for (key, entries), dataset in zip(groups.items(), datasets, strict=True):
        file, run = of_key[key], entries[0].of_run
        yield _Run.of(file, _repetitions(entries), run, dataset, is_one=file.name not in several)


def _oldest_first(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries of a file in the order in which their runs began: the API lists the newest first."""
    began: dict[tuple[str, str | None], str] = {}
    for entry in entries:
        run = (entry.of_run, entry.experiment)
        began[run] = min(began.get(run, entry.began), entry.began)
    return sorted(entries, key=lambda entry: began[entry.of_run, entry.experiment])


def _repetitions(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries of each item, which are repetitions if every item has as many.

    Rows of a table about one trace are one; elsewhere a trace that occurs twice is of a page given twice.
    """
    items: dict[str, dict[str, Entry]] = {}
    places: dict[Any, str] = {}
    for entry in entries:
        traces = items.setdefault(entry.item, {})
        key = entry.trace if entry.row and entry.trace is not None else entry.where
        if (first := traces.get(key)) is not None:
            scores = {name: [*values] for name, values in first.scores.items()}
            for name, values in entry.scores.items():
                scores.setdefault(name, []).extend(values)
            entry = replace(first, scores=scores, output=first.output or entry.output)
        elif entry.trace is not None:
            what = f"item {entry.item!r} of the run {entry.of_run!r}"
            check_new(places, (entry.item, entry.trace), entry.where, what, "give each page once")
        traces[key] = replace(entry, run=[*traces, key].index(key))
    counts = {item: len(traces) for item, traces in items.items()}
    most, least = max(counts, key=counts.__getitem__), min(counts, key=counts.__getitem__)
    if counts[most] != counts[least]:
        again = [*items[most].values()][1]
        raise InvalidInputError(
            f"{again.where}: item {most!r} is there {counts[most]} times in the run {again.of_run!r}, and"
            f" {least!r} {counts[least]} times",
            hint="keep as many of each; a run that is started anew needs a new name",
        )
    return [entry for traces in items.values() for entry in traces.values()]


def _refuse_without_items(contents: Sequence[tuple[File, Contents]]) -> None:
    """Refuse a file that holds nothing of an experiment, and scores alone."""
    for file, found in contents:
        if not found.entries and not found.scores:
            raise InvalidInputError(
                f"{file.path} holds no items of experiments",
                hint="export the traces of a run of a dataset, or fetch /api/public/experiment-items by the"
                " names that Langfuse shows, and from a time before they began",
            )
    if not any(found.entries for _, found in contents):
        raise InvalidInputError(
            f"{contents[0][0].path} holds scores without the items that they belong to",
            hint="give the runs beside it (/api/public/datasets/NAME/runs/RUN), or export the traces instead",
        )


def _refuse_without_pages(contents: Sequence[tuple[File, Contents]]) -> None:
    """Refuse answers of several pages of which one is missing."""
    numbers: dict[tuple[str | None, bool, int], tuple[File, set[int | None]]] = {}
    chains: list[tuple[File, set[tuple[str | None, str]], list[Page]]] = []
    for file, found in contents:
        name = file.name if file.named else None
        for page in found.pages:
            if page.of is not None:
                key = (name, bool(found.entries), page.of)
                numbers.setdefault(key, (file, set()))[1].add(page.number)
        runs, pages = {(name, entry.of_run) for entry in found.entries if entry.part}, list(found.pages)
        for chain in [chain for chain in chains if chain[1] & runs]:
            chains.remove(chain)
            file, runs, pages = chain[0], chain[1] | runs, chain[2] + pages
        chains.append((file, runs, pages))
    for (_, _, of), (file, there) in numbers.items():
        absent = next((number for number in range(1, of + 1) if number not in there), None)
        if absent is not None:
            raise InvalidInputError(
                f"{file.path}: page {absent} of {of} is missing", hint="fetch all pages, and give all of them"
            )
    for file, _, pages in chains:
        if pages and all(page.more for page in pages):
            raise InvalidInputError(
                f"{file.path}: the last page is missing",
                hint="fetch the next page with the cursor of this one, and give all pages",
            )


class Page(NamedTuple):
    """What a page of the API says of the others: that more follow, or its number and how many."""

    more: bool
    number: int | None
    of: int | None


@dataclass(frozen=True)
class Contents:
    """What a file holds; `scores` of traces (trace, name, value) stand apart from the items of the runs."""

    entries: list[Entry] = field(default_factory=list)
    scores: list[tuple[str, str, Value]] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)


def contents_of(path: Path) -> Contents:
    """Read a table (CSV, JSON or JSON Lines), answers of the API, or the result of an experiment."""
    contents = Contents()
    for record in _records(readable_file(path)):
        try:
            _add(Record(record.where, _as_in_the_api(record.data)), contents)
        except InvalidInputError as error:  # say the names that are in the file
            for written, name in _NAMES.items():
                if f'"{written}"' in (text := json.dumps(record.data)) and f'"{name}"' not in text:
                    error.message = error.message.replace(name, written)
            error.args = (error.message,)
            raise
    return contents


def _as_in_the_api(value: Any) -> Any:
    """Return records with their keys as the API spells them, which Python writes with underscores.

    What the users of Langfuse write themselves stays as it is.

    >>> _as_in_the_api({"run_name": "a", "item_results": [{"trace_id": "t", "metadata": {"run_name": "b"}}]})
    {'runName': 'a', 'itemResults': [{'traceId': 't', 'metadata': {'run_name': 'b'}}]}
    """
    if isinstance(value, list):
        return [_as_in_the_api(one) for one in value]
    if not isinstance(value, dict):
        return value
    named = {_NAMES.get(key, key): part for key, part in value.items() if _NAMES.get(key, key) not in value}
    return {
        key: part if key in _OF_USERS else _as_in_the_api(part)
        for key, part in {**named, **value}.items()
        if key not in _NAMES
    }


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
    if isinstance(data.get("data"), list) and isinstance(data.get("meta"), dict):
        meta = data["meta"]
        numbers = (whole_number(meta.get("page")), whole_number(meta.get("totalPages")))
        contents.pages.append(Page(bool(meta.get("cursor")), *numbers))
        for row in listing(record, "data"):
            _add(row, contents, part=True)
    elif "schema_version" in data and "results" in data:
        for one in listing(record, "results"):
            if one.part("experiment_result"):
                _add(Record(one.where, one.part("experiment_result")), contents)
    elif "itemResults" in data:  # of an experiment, as the libraries have it at its end
        contents.entries.extend(_result(record, row) for row in listing(record, "itemResults"))
    elif "datasetRunItems" in data:
        rows = listing(record, "datasetRunItems")
        contents.entries.extend(_run_item(row, data.get("datasetId")) for row in rows)
    elif data.get("experimentItemId") is not None:  # GET /api/public/experiment-items
        run, item = _need(record, "experimentName", "experimentId"), _need(record, "experimentItemId")
        dataset, groups = data.get("experimentDatasetId"), record.labels("experimentItemMetadata")
        contents.entries.append(_entry(record, run, item, dataset, groups, part=True))
    elif data.get("datasetItemId") is not None:
        contents.entries.append(_run_item(record, None, part=part))
    elif data.get("dataType") is not None:
        contents.scores.extend(_score(record))
    else:
        contents.entries.extend(_table_row(record, part=part))


def _entry(
    record: Record, run: str, item: str, dataset: Any, groups: Mapping[str, str], **more: Any
) -> Entry:
    data = record.data
    failed, expected = data.get("level") == "ERROR", _label(data.get("expectedOutput"))
    read = {
        "experiment": word(data.get("experimentId")) or word(data.get("datasetRunId")),
        "dataset": word(dataset),
        "trace": word(data.get("traceId")),
        "began": next(filter(None, (word(data.get(key)) for key in _TIMES)), ""),
        "scores": _values(record, "scores"),
        "output": None if failed else _label(data.get("output")),
        "expected": expected,
        "content": beginning(expected),
        "quantities": quantities_of({key: value for key, value in data.items() if key not in _OF_USERS}),
    }
    return Entry(record.where, item, of_run=run, groups=groups, **{**read, **more})


def _run_item(record: Record, dataset: Any, *, part: bool = False) -> Entry:
    """Return an item of a run of a dataset, which holds no scores."""
    run, item = _need(record, "datasetRunName", "datasetRunId"), _need(record, "datasetItemId")
    trace = _need(record, "traceId")
    return _entry(record, run, item, dataset, {}, trace=trace, part=part)


def _result(run: Record, record: Record) -> Entry:
    """Return an item of the result of an experiment."""
    item = {key: value for key, value in record.part("item").items() if value is not None}
    whole = Record(record.where, {**record.data, **item, "scores": record.data.get("evaluations")})
    asked, name = whole.data.get("input"), word(item.get("id"))
    name = name or (None if asked is None else _called(asked))
    if name is None:
        raise InvalidInputError(f"{record.where}: an item without id and input", hint=_CUT)
    experiment = word(run.data.get("experimentId")) or word(run.data.get("datasetRunId"))
    return _entry(
        whole,
        _need(run, "runName", "name"),
        name,
        item.get("datasetId"),
        whole.labels("metadata"),
        experiment=experiment,
        output=_label(record.data.get("output")),
        trace=None,
        quantities={},
    )


def _table_row(record: Record, *, part: bool) -> list[Entry]:
    """Return a row of the table or of the list of traces or observations, if it belongs to an experiment."""
    data = record.data
    metadata = data.get("metadata")
    metadata = _parsed(metadata) if isinstance(metadata, str) else metadata
    if not isinstance(metadata, dict):
        return []
    run, item = _run_and_item(metadata, data.get("input"))
    if run is None or item is None:
        return []
    scores: dict[str, list[Value]] = {
        word(name) or name: [value if isinstance(value, str) else float(value) for value in values]
        for name, values in data.items()
        if isinstance(values, list) and values and name not in _NO_SCORES and _are_plain(values)
    }
    own_scores = data.get("scores")  # a trace by itself has them whole, and the list of traces their ids
    if isinstance(own_scores, list) and all(isinstance(one, dict) for one in own_scores):
        scores |= _values(record, "scores")
    groups = {key: value for key, value in metadata.items() if key not in _LANGFUSE_METADATA}
    labels = Record(record.where, {"of": groups}).labels("of")
    trace, dataset = word(data.get("traceId")) or _need(record, "id"), metadata.get("dataset_id")
    bare = Record(record.where, {**data, "scores": None})
    return [_entry(bare, run, item, dataset, labels, trace=trace, scores=scores, part=part, row=True)]


def _run_and_item(metadata: Mapping[str, Any], asked: Any) -> tuple[str | None, str | None]:
    """Return what the metadata of a trace call its run and item; without a dataset the input is the item.

    >>> _run_and_item({"run_name": "a", "dataset_item_id": "q1"}, None), _run_and_item({"run_name": "a"}, "x")
    (('a', 'q1'), (None, None))
    """
    run, item = word(metadata.get("experiment_run_name")) or word(metadata.get("experiment_name")), None
    if "dataset_item_id" in metadata:
        run, item = run or word(metadata.get("run_name")), word(metadata["dataset_item_id"])
    elif run is not None and asked is not None:
        item = _called(asked)
    return run, item


def _score(record: Record) -> list[tuple[str, str, Value]]:
    """Return a row of the table or of the list of scores, if it is the score of a trace."""
    subject = record.part("subject")
    trace = word(record.data.get("traceId")) or word(subject.get("traceId"))
    if trace is None and subject.get("kind") == "trace":
        trace = word(subject.get("id"))
    value = _value(record.data)
    return [] if trace is None or value is None else [(trace, _need(record, "name"), value)]


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
    value, text = data.get("value"), word(data.get("stringValue"))
    if word(data.get("dataType")) in _TEXTS:
        return text or word(value)
    amount = number(value)
    return amount if amount is not None else text or word(value)


def _are_plain(values: list[Any]) -> bool:
    return all(isinstance(value, str) or number(value) is not None for value in values)


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


def _need(record: Record, *names: str) -> str:
    """Return the first of these that is there, as a name or an id."""
    found = next((text for text in (word(record.data.get(name)) for name in names) if text is not None), None)
    if found is None:
        raise InvalidInputError(f"{record.where}: no {names[0]!r} in this record", hint=_CUT)
    return found


read = Harness(
    "experiments of Langfuse",
    recognises=recognises,
    scored=_scored,
    hint="fetch its items with fields=core,dataset,io,scores, or give scores beside it that are numbers",
    metric=_metric,
).read
