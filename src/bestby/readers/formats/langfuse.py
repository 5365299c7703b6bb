"""Experiments of Langfuse: its exports, the answers of its API, and the results of its libraries."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby._core.typing import OnMissing
from bestby.data.table import listed
from bestby.readers.formats._documents import beginning, check_new
from bestby.readers.formats._langfuse_rows import Contents, Entry, Page, Value, contents_of, with_underscores
from bestby.readers.formats._lines import column_names
from bestby.readers.formats._logs import Log, datasets_of, gathered, named_apart
from bestby.readers.formats._scored import Sample, Scored, compared
from bestby.readers.formats.base import File, Read, files_of, refuse_gold

_OUTPUT = "output"
_TOOL = "experiments of Langfuse"
_TABLES = (
    {"id", "timestamp", "sessionId", "bookmarked", "metadata"},  # traces
    {"id", "traceId", "startTime", "parentObservationId", "metadata"},  # observations
    {"id", "traceId", "source", "name", "dataType", "value"},  # scores
)
_EMPTY = re.compile(rb'\s*\{\s*"data"\s*:\s*\[\s*\]\s*,\s*"meta"\s*:\s*\{')
_OBJECT = re.compile(rb'\s*(\[\s*)?\{\s*"\w+"\s*:')
_KEYS = (
    ("experimentId", "experimentItemId"),
    ("datasetItemId", "datasetRunId"),
    ("datasetId", "datasetRunItems"),
    ("runName", "itemResults"),
    ("id", "timestamp", "sessionId", "bookmarked"),
    ("id", "traceId", "startTime", "projectId", "parentObservationId"),
    ("id", "traceId", "startTime", "traceName", "completionStartTime"),
    ("id", "traceId", "source", "name", "dataType", "value"),
    ("id", "projectId", "source", "name", "dataType", "value"),
)
"""Keys of one record or answer that stand before the texts of any length."""


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file is such a table, holds such records, or is an answer without any."""
    if _OBJECT.match(head) is not None:
        return _EMPTY.match(head) is not None or any(all(_has(head, key) for key in keys) for keys in _KEYS)
    names = set(column_names(head))
    return any(table <= names for table in _TABLES)


def _has(head: bytes, key: str) -> bool:
    return any(f'"{name}"'.encode() in head for name in (key, with_underscores(key)))


def read(
    paths: Mapping[str, Path],
    *,
    gold: Path | None = None,
    on_missing: OnMissing = "error",
    value_column: str | Mapping[str, str] | None = None,
    clusters: str | None = None,
) -> Read:
    """Read the runs of one or more experiments.

    A run is a system, and an item of its dataset an item; without a dataset the input of the task is.
    Runs stand in the answers to ``/api/public/experiment-items``, in the exported tables of traces or
    observations, and in the results that the libraries return. Runs of a dataset
    (``/api/public/datasets/NAME/runs/RUN``) are joined with scores beside them by their traces. Of the runs
    in one file, the one that began first is the first system.
    `value_column` is a score of numbers or booleans, by default the only one; several values of one score
    are averaged. ``output`` takes the outputs as predictions and the expected outputs as gold.
    """
    refuse_gold(gold, "experiments of Langfuse hold their scores and need no gold")
    contents = [(file, contents_of(file.path)) for file in files_of(paths, recognises)]
    _refuse_without_items(contents)
    _refuse_without_pages(contents)
    runs = _runs(contents)
    _refuse_without_numbers(runs, value_column if isinstance(value_column, str) else None)
    if value_column == _OUTPUT and not any(_OUTPUT in run.numbers for run in runs):
        return _labels(runs, on_missing, clusters)
    scored = [Scored(run.source, run.own, run.other, run.dataset, run.samples()) for run in runs]
    return compared(scored, _TOOL, wanted=value_column, on_missing=on_missing, clusters=clusters)


@dataclass(frozen=True)
class _Run:
    """The entries of one run by item, each once for every repetition."""

    source: str
    own: str | None
    other: str
    dataset: str
    items: Mapping[str, Sequence[Entry]]

    @property
    def numbers(self) -> dict[str, None]:
        """The names of the scores that have numbers."""
        return {name: None for name, value in self._values() if not isinstance(value, str)}

    @property
    def texts(self) -> dict[str, list[str]]:
        """The categories of the scores that have no numbers."""
        found: dict[str, dict[str, None]] = {}
        numbers = self.numbers
        for name, value in self._values():
            if isinstance(value, str) and name not in numbers:
                found.setdefault(name, {})[value] = None
        return {name: list(values) for name, values in found.items()}

    def _values(self) -> Iterable[tuple[str, Value]]:
        for entries in self.items.values():
            for entry in entries:
                for name, values in entry.scores.items():
                    yield from ((name, value) for value in values)

    def samples(self) -> list[Sample]:
        """Return the scores of each item and repetition: several values of one score as their mean."""
        return [
            Sample(entry.where, item, _means(entry), place, beginning(entry.expected), entry.groups)
            for item, entries in self.items.items()
            for place, entry in enumerate(entries)
        ]


def _means(entry: Entry) -> dict[str, float | None]:
    means: dict[str, float | None] = {}
    for name, values in entry.scores.items():
        numbers = [value for value in values if not isinstance(value, str)]
        if numbers:
            means[name] = sum(numbers) / len(numbers)
    return means


def _runs(contents: Sequence[tuple[File, Contents]]) -> list[_Run]:
    """Return the runs of all files, with the scores that stand beside them; pages of one run are one."""
    beside: dict[str, dict[str, list[Value]]] = {}
    for _, found in contents:
        for score in found.scores:
            beside.setdefault(score.trace, {}).setdefault(score.name, []).append(score.value)
    groups: dict[tuple[str | None, ...], list[Entry]] = {}
    files: dict[tuple[str | None, ...], File] = {}
    key: tuple[str | None, ...]
    for file, found in contents:
        for entry in _oldest_first(found.entries):
            place = None if entry.part else str(file.path)
            key = (file.name if file.named else None, place, entry.run, entry.experiment, entry.dataset)
            groups.setdefault(key, []).append(_with(entry, beside.get(entry.trace or "", {})))
            files.setdefault(key, file)
    datasets = datasets_of([key[-1] for key in groups], "items")
    counts = Counter((files[key].name, dataset) for key, dataset in zip(groups, datasets, strict=True))
    several = {name for (name, _), count in counts.items() if count > 1}
    runs = []
    for (key, entries), dataset in zip(groups.items(), datasets, strict=True):
        file, run = files[key], entries[0].run
        own, other = file.system(run), file.name
        if file.name in several:
            other = f"{file.name} {run}"
            own = other if file.named else run
        runs.append(_Run(str(file.path), own, other, dataset, _repetitions(entries)))
    return runs


def _oldest_first(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries of a file in the order in which their runs began: the API lists the newest first."""
    began: dict[tuple[str, str | None], str] = {}
    for entry in entries:
        run = (entry.run, entry.experiment)
        began[run] = min(began.get(run, entry.began), entry.began)
    return sorted(entries, key=lambda entry: began[entry.run, entry.experiment])


def _with(entry: Entry, scores: Mapping[str, list[Value]]) -> Entry:
    """Return an entry with the scores beside it that it does not have itself."""
    return dataclasses.replace(entry, scores={**scores, **entry.scores}) if scores else entry


def _repetitions(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Return the entries of each item, which are repetitions if every item has as many."""
    items: dict[str, dict[str, Entry]] = {}
    for entry in entries:
        traces = items.setdefault(entry.item, {})
        key = entry.trace if entry.row and entry.trace is not None else entry.where
        traces[key] = _both(traces[key], entry) if key in traces else entry
    counts = {item: len(traces) for item, traces in items.items()}
    most, least = max(counts, key=counts.__getitem__), min(counts, key=counts.__getitem__)
    _refuse_same(items)
    if counts[most] != counts[least]:
        again = list(items[most].values())[1]
        raise InvalidInputError(
            f"{again.where}: item {most!r} is there {counts[most]} times in the run {again.run!r}, and"
            f" {least!r} {counts[least]} times",
            hint="keep as many of each; a run that is started anew needs a new name",
        )
    return {item: list(traces.values()) for item, traces in items.items()}


def _both(first: Entry, second: Entry) -> Entry:
    """Return one entry of two rows of the same trace; what both say is averaged later."""
    scores = {name: [*values] for name, values in first.scores.items()}
    for name, values in second.scores.items():
        scores.setdefault(name, []).extend(values)
    return dataclasses.replace(first, scores=scores, output=first.output or second.output)


def _refuse_same(items: Mapping[str, Mapping[str, Entry]]) -> None:
    """Refuse a trace that occurs twice: a page or an answer was given twice."""
    for item, entries in items.items():
        places: dict[str, str] = {}
        for entry in entries.values():
            if entry.trace is not None:
                what = f"item {item!r} of the run {entry.run!r}"
                check_new(places, entry.trace, entry.where, what, "give each page once")


def _refuse_without_items(contents: Sequence[tuple[File, Contents]]) -> None:
    """Refuse a file that holds nothing of an experiment, and scores alone."""
    for file, found in contents:
        if not found.entries and not found.scores:
            hint = "export the traces of a run of a dataset, or fetch /api/public/experiment-items"
            if found.pages:
                hint = (
                    "ask for experiments by the names that Langfuse shows, and from a time before they began"
                )
            raise InvalidInputError(f"{file.path} holds no items of experiments", hint=hint)
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
        runs, pages = {(name, entry.run) for entry in found.entries if entry.part}, list(found.pages)
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


def _refuse_without_numbers(runs: Sequence[_Run], wanted: str | None) -> None:
    """Refuse runs without scores, and scores that are categories."""
    for run in runs:
        texts, numbers = run.texts, run.numbers
        if wanted in texts or (texts and not numbers and wanted is None):
            name = wanted or next(iter(texts))
            known = f"name a score of numbers: {listed(list(numbers))}" if numbers else "score with numbers"
            raise InvalidInputError(
                f"{run.source}: the score {name!r} has categories ({listed(texts[name], 4)}), not numbers",
                hint=known,
            )
        if not texts and not numbers and wanted != _OUTPUT:
            raise InvalidInputError(
                f"{run.source}: the run {next(iter(run.items.values()))[0].run!r} has no scores",
                hint="fetch its items with fields=core,dataset,io,scores, or give the scores beside it",
            )


def _labels(runs: Sequence[_Run], on_missing: OnMissing, clusters: str | None) -> Read:
    """Read the outputs as predictions, and the expected outputs as gold."""
    names = named_apart([(run.other, run.dataset, run.own) for run in runs], [run.source for run in runs])
    logs = []
    for run, name in zip(runs, names, strict=True):
        entries = {item: several[0] for item, several in run.items.items()}
        repeated = next((item for item, several in run.items.items() if len(several) > 1), None)
        if repeated is not None:
            raise InvalidInputError(
                f"{run.source}: item {repeated!r} has several outputs", hint="name a score: value_column=..."
            )
        gold = {item: entry.expected for item, entry in entries.items() if entry.expected is not None}
        if len(gold) < len(entries):
            raise InvalidInputError(
                f"{run.source}: {len(entries) - len(gold)} of {len(entries)} items have no expected output",
                hint="fetch them with fields=core,dataset,io, or name a score: value_column=...",
            )
        outputs = {item: entry.output for item, entry in entries.items() if entry.output is not None}
        groups: dict[str, dict[str, str]] = {}
        for item, entry in entries.items():
            for key, label in entry.groups.items():
                groups.setdefault(key, {})[item] = label
        logs.append(Log(name, run.dataset, run.source, outputs, gold, groups=groups))
    description = f"{_TOOL}; outputs as predictions, expected outputs as gold"
    return gathered(logs, "accuracy", description, on_missing=on_missing, cluster=clusters)
