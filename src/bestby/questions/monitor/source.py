"""A growing log of scores, from which each item comes once, when all systems have scored it.

Its files are plain JSON Lines, samples of lm-evaluation-harness, logs of Inspect and of other tools. Of a
file that another process appends lines to, each complete line is read once, and what was read must stay.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import tempfile
import time
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

import numpy as np

from bestby._core.chunks import chunks
from bestby._core.errors import InvalidInputError
from bestby._core.paths import exists, readable_file, user_path
from bestby._core.text import quoted
from bestby.data.roles import ITEM_WORDS, called_predictions, listed, score_column
from bestby.metrics.base import BaseMetric
from bestby.metrics.directions import greater_is_better_by_name
from bestby.readers.files import stem_of
from bestby.readers.formats.base import Format, Read, format_in, head_of, read_format
from bestby.readers.paths import GivenName, named_paths
from bestby.readers.text import Record, kind, number, parsed, word


class GrowingLog:
    """The items of a log in the order in which they begin, each when all systems have scored it.

    An item waits for those that began before it. Whatever makes a system slow or silent on some items can
    have to do with its score on them: counting the others first would prefer the quick ones.
    """

    def __init__(self, paths: Sequence[str], columns: Columns) -> None:
        named = named_paths(list(paths))
        files = named if isinstance(named, Mapping) else {"": named}
        self._names = {
            user_path(path): str(name) if isinstance(name, GivenName) else None
            for name, path in files.items()
        }
        self._several, self._columns = len(files) > 1, columns
        self._sources: dict[Path, Source] = {}
        self._scores: dict[str, _Scores] = {}
        self._clusters: dict[str, str | None] = {}
        self._waiting: deque[str] = deque()
        self.systems: dict[str, None] = dict.fromkeys(columns.systems)

    def __len__(self) -> int:
        return len(self._clusters)

    def __contains__(self, item: str) -> bool:
        return item in self._clusters

    @property
    def size(self) -> int:
        """The number of scores that were read."""
        return sum(len(one.values) for one in self._scores.values())

    @property
    def waiting(self) -> tuple[str, ...]:
        """The items that began and were not given away."""
        return tuple(self._waiting)

    @property
    def greater_is_better(self) -> bool | None:
        """The direction of the scores, where the format or the name of the key tells it."""
        metrics = [source.metric for source in self._sources.values() if source.metric is not None]
        if metrics:
            return metrics[0].greater_is_better
        return None if greater_is_better_by_name(self._columns.score or "") else False

    def read(self, *, final: bool, absent: bool = False) -> None:
        """Read what is new, keeping nothing of a file where that fails.

        `absent` says that a file need not be there yet.
        """
        for path in self._names:
            if absent and not exists(path):
                continue
            source = self._sources.get(path) or self._source(path, final)
            if source is None:
                continue
            clusters, scores = self._new_scores(source.read(final))
            self._check_metric(path, source)
            source.taken()
            self._sources[path] = source
            self._take(clusters, scores)

    def _check_metric(self, path: Path, source: Source) -> None:
        """Refuse a file whose scores are of another metric than those of another file."""
        for other, earlier in self._sources.items():
            if None not in (source.metric, earlier.metric) and source.metric != earlier.metric:
                names = [one.metric.name for one in (source, earlier) if one.metric is not None]
                raise InvalidInputError(
                    f"{path} has the scores {names[0]}, and {other} has {names[1]}",
                    hint="name a score that all files have: value_column=...",
                )

    def check(self) -> None:
        """Refuse the log if anything has changed of what was read."""
        for source in self._sources.values():
            source.check()

    def complete(
        self, needed: Callable[[], Iterable[str]]
    ) -> Iterator[tuple[str, dict[str, float], str | None]]:
        """Yield items with their scores and clusters, up to the first that a needed system has not scored."""
        while self._waiting:
            item = self._waiting[0]
            try:
                scores = {name: self._scores[name].values[item] for name in needed()}
            except KeyError:
                return
            self._waiting.popleft()
            yield item, scores, self._clusters[item]

    def lacking(self, needed: Iterable[str]) -> tuple[str, str] | None:
        """Return the item that others wait for and a system that has no score on it; None if none waits."""
        if not self._waiting:
            return None
        scores = {name: self._scores[name].values if name in self._scores else {} for name in needed}
        first = self._waiting[0]
        absent = next((name for name, values in scores.items() if first not in values), None)
        behind = any(all(item in values for values in scores.values()) for item in self._waiting)
        return (first, absent) if absent is not None and behind else None

    def _source(self, path: Path, final: bool) -> Source | None:
        """Return what reads a file, None while too little of it is there to tell."""
        head = head_of(readable_file(path))
        form, name_of_file = format_in(path), self._names[path]
        if form is None and not final and b"\n" not in head:
            return None
        if form is None:
            name = name_of_file or (stem_of(path) if self._several else None)
            return LinesSource(path, name, self._columns)
        options = {"value_column": self._columns.score, "clusters": self._columns.cluster}
        return WholeSource(
            path, name_of_file, form, {name: one for name, one in options.items() if one is not None}
        )

    def _new_scores(self, entries: Iterable[Entry]) -> tuple[dict[str, str | None], dict[str, _Scores]]:
        """Return the clusters of new items and the new scores of systems; the log stays as it is.

        Of most lines nothing is kept but their scores: many small objects would take the time that their
        collector needs to look through them.
        """
        clusters: dict[str, str | None] = {}
        by_system: dict[str, _Scores] = {}
        named = self._columns.systems
        for entry in entries:
            for system, score in entry.scores.items():
                if named and system not in named:
                    continue
                scores = by_system.get(system)
                if scores is None:
                    scores = by_system[system] = _Scores({}, {}, self._scores.get(system))
                scores.add(system, score, entry)
                if entry.item not in self._clusters:
                    clusters.setdefault(entry.item, entry.cluster)
        return clusters, by_system

    def _take(self, clusters: Mapping[str, str | None], by_system: Mapping[str, _Scores]) -> None:
        self._clusters.update(clusters)
        self._waiting.extend(clusters)
        for name, scores in by_system.items():
            self.systems.setdefault(name)
            self._scores[name] = scores.with_earlier()


@dataclass(slots=True)
class _Scores:
    """The scores of one system by item, with the number of the line that told each first, or its file.

    `earlier` are those of the readings before.
    """

    values: dict[str, float]
    places: dict[str, int | str]
    earlier: _Scores | None = None

    def add(self, system: str, score: float, entry: Entry) -> None:
        """Add the score of an item, or refuse one that is another than before."""
        item, home = entry.item, self
        if self.earlier is not None and item in self.earlier.values:
            home = self.earlier
        before = home.values.setdefault(item, score)
        place = home.places.setdefault(item, entry.file if entry.line is None else entry.line)
        if before != score:
            raise InvalidInputError(
                f"{entry.where}: the score of {quoted(system)} on item {quoted(item)} is {score:g}, and was"
                f" {before:g} in {place if isinstance(place, str) else f'line {place}'}",
                hint="the first is kept; give every item an id of its own, and log one run (epoch)",
            )

    def with_earlier(self) -> _Scores:
        """Return them together with those of the readings before, which are not needed any more."""
        if self.earlier is None:
            return self
        self.earlier.values.update(self.values)
        self.earlier.places.update(self.places)
        return self.earlier


# -- the files of a log --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Columns:
    """Which keys of a line are what; those that are None are told by their names."""

    item: str | None = None
    cluster: str | None = None
    system: str | None = None
    score: str | None = None
    systems: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


class Entry(NamedTuple):
    """The scores that a record tells of one item; `line` is None where a file has no lines."""

    file: str
    line: int | None
    item: str
    scores: dict[str, float]
    cluster: str | None

    @property
    def where(self) -> str:
        """The place of the record, for messages."""
        return self.file if self.line is None else f"{self.file}, line {self.line}"


class Source(Protocol):
    """One file of a log."""

    metric: BaseMetric | None
    """What the scores are, where the format tells it."""

    def read(self, final: bool) -> Iterable[Entry]:
        """Return what is new, once; `final` if no more will come."""

    def taken(self) -> None:
        """Say that what was returned last is taken; until then it is new."""

    def check(self) -> None:
        """Refuse the file if what was taken has changed."""


_SYSTEM_WORDS = ("system", "model")
_SCORE_WORDS = ("score", "value")

_NO_SYSTEM = frozenset(("gold", "stratum", "run", "seed", "epoch", "time", "timestamp", "line", "index"))
"""Keys of a wide line that are numbers, perhaps, and no systems."""

_DAMAGED = "the log is damaged there: correct the line, or start a new log"
_LINES = 'write {"item": "q1", "system": "a", "score": 1}, or {"item": "q1", "a": 1, "b": 0}'
_TABLE = f"{_LINES}; tables such as CSV are read by bestby compare"


class LinesSource:
    """A file of plain JSON Lines: item, system and score, or an item and a score for each system."""

    metric: BaseMetric | None = None

    def __init__(self, path: Path, name: str | None, columns: Columns) -> None:
        self._file, self._path = GrowingFile(path), str(path)
        self._name, self._columns = name, columns
        self._no_systems = _NO_SYSTEM.union(columns.ignore)

    def read(self, final: bool) -> Iterator[Entry]:
        """Yield the entries of new complete lines."""
        return (self._entry(number, line) for number, line in self._file.lines(final))

    def taken(self) -> None:
        """Take the lines."""
        self._file.taken()

    def check(self) -> None:
        """Compare the lines that were taken with the file."""
        self._file.check()

    def _entry(self, place: int, text: bytes) -> Entry:
        if place == 1:
            self._check_first(text)
        value = parsed(text, self._path, place, hint=_DAMAGED)
        if not isinstance(value, dict):
            raise InvalidInputError(
                f"{self._path}, line {place}: expected a JSON object, got {kind(value)}",
                hint=_LINES if place == 1 else _DAMAGED,
            )
        line, columns = _Line(self._path, place, value), self._columns
        key = _key(line, columns.item, ITEM_WORDS, "the id of the item", "--item KEY")
        item = word(value[key])
        if item is None:
            raise InvalidInputError(
                f"{line.record.where}: the id of the item is {quoted(value[key])}", hint=_DAMAGED
            )
        group = columns.cluster or ("cluster" if "cluster" in value else None)
        cluster = None if group is None else word(line.need(group))
        return Entry(self._path, place, item, self._scores(line, (key, group)), cluster)

    def _check_first(self, text: bytes) -> None:
        """Refuse a file that is no log, from its first line."""
        if not text.lstrip(b"\xef\xbb\xbf \t").startswith((b"{", b"[")):
            shown = quoted(text.decode("utf-8", errors="replace").strip())
            raise InvalidInputError(
                f"{self._path}, line 1: a log is lines of JSON objects, and this is {shown}", hint=_TABLE
            )

    def _scores(self, line: _Line, used: tuple[str | None, ...]) -> dict[str, float]:
        columns, value = self._columns, line.data
        teller = columns.system or _first(_SYSTEM_WORDS, value)
        if teller is not None or self._name is not None:
            system = self._name if teller is None else word(line.need(teller))
            if system is None:
                raise InvalidInputError(
                    f"{line.record.where}: the system is {quoted(value.get(teller or ''))}", hint=_DAMAGED
                )
            key = _key(line, columns.score, _SCORE_WORDS, "the score", "--value-column KEY")
            return {system: _score(line, key)}
        if columns.systems:
            return {name: _score(line, name) for name in columns.systems}
        scores = {
            name: _score(line, name)
            for name, one in value.items()
            if isinstance(one, (int, float)) and name not in self._no_systems and name not in used
        }
        if line.number == 1:
            _check_systems(line, [*scores])
        if not scores:
            raise InvalidInputError(
                f"{line.record.where}: no system has a score; keys: {listed(list(value))}",
                hint=_LINES,
            )
        return scores


class _Line(NamedTuple):
    """A line, with the object in it. There are many, so that the texts of messages are made of few."""

    file: str
    number: int
    data: dict[str, Any]

    @property
    def record(self) -> Record:
        """The line as other readers have a record, with the text of its place."""
        return Record(f"{self.file}, line {self.number}", self.data)

    def need(self, key: str) -> Any:
        """Return the value of a key that must be there."""
        return self.data[key] if key in self.data else self.record.need(key)


def _key(line: _Line, named: str | None, words: Sequence[str], what: str, option: str) -> str:
    """Return the key under which something is told."""
    if named is not None:
        line.need(named)
        return named
    key = _first(words, line.data)
    if key is None:
        raise InvalidInputError(
            f"{line.record.where}: no key tells {what}; keys: {listed(list(line.data))}",
            hint=f"call it {' or '.join(words)}, or name it: {option}",
        )
    return key


def _first(words: Sequence[str], keys: Container[str]) -> str | None:
    """Return the first word that is a key."""
    for name in words:
        if name in keys:
            return name
    return None


def _check_systems(line: _Line, keys: Sequence[str]) -> None:
    """Refuse keys of numbers, which nobody named, that are no systems with their scores, by their names."""
    hint = "if they are the scores of systems, name these: --system NAME"
    scores, predictions = score_column(keys), called_predictions(keys)
    if scores is not None:
        raise InvalidInputError(
            f"{line.record.where}: {quoted(scores)} holds the scores of one system, and no key says which;"
            f" keys: {listed(list(line.data))}",
            hint=f"{hint}, or {_LINES}",
        )
    if predictions:
        raise InvalidInputError(
            f"{line.record.where}: {quoted(predictions[0])} is called as predictions are, not scores",
            hint=hint,
        )


def _score(line: _Line, key: str) -> float:
    score = number(line.need(key))
    if score is None or score != score:
        raise InvalidInputError(
            f"{line.record.where}: the score {quoted(key)} is {quoted(line.data[key])}, expected a number",
            hint="give an answer that failed the score that it should count as",
        )
    return score


class WholeSource:
    """A file in the format of a tool, which is read again as a whole whenever it has changed."""

    metric: BaseMetric | None = None

    def __init__(self, path: Path, name: str | None, form: Format, options: Mapping[str, Any]) -> None:
        self._path, self._name, self._form = path, name, form
        self._options = dict(options)
        self._lines = GrowingFile(path) if ".jsonl" in path.name else None
        self._text = self._next_text = b""
        self._seen = self._next_seen = (-1, -1)
        self._items: set[str] = set()

    def read(self, final: bool) -> list[Entry]:
        """Return all entries of the file as it is now; none if it has not changed."""
        status = readable_file(self._path).stat()
        now = (status.st_size, status.st_mtime_ns)
        if now == self._seen and not final:
            return []
        try:
            content = self._content(final)
        except InvalidInputError:
            # Seconds for which a file that cannot be read may be one that its tool is writing
            if final or self._lines is not None or time.time() - status.st_mtime > 10.0:
                raise
            return []
        if content is None:
            return []
        entries = self._entries(content)
        here = {entry.item for entry in entries}
        gone = self._items - here
        self._items |= here
        if gone:
            raise InvalidInputError(f"{self._path} no longer holds item {quoted(min(gone))}", hint=REWRITTEN)
        self._next_seen = now
        return entries

    def taken(self) -> None:
        """Take the file as it was."""
        self._seen, self._text = self._next_seen, self._next_text
        if self._lines is not None:
            self._lines.taken()

    def check(self) -> None:
        """Compare lines that were taken with the file; another file was read as a whole the last time."""
        if self._lines is not None:
            self._lines.check()

    def _content(self, final: bool) -> Read | None:
        """Read the file; of a file of lines a copy of those that are complete."""
        if self._lines is None:
            return self._opened(self._path)
        self._next_text = self._text + b"".join(line + b"\n" for _, line in self._lines.lines(final))
        if not self._next_text:
            return None
        with tempfile.TemporaryDirectory(prefix="bestby-") as folder:
            copy = Path(folder, self._path.name)
            copy.write_bytes(self._next_text)
            for results in self._path.parent.glob("results_*.json"):  # which way a metric goes
                Path(folder, results.name).write_bytes(results.read_bytes())
            try:
                return self._opened(copy)
            except InvalidInputError as error:
                error.message = error.message.replace(str(copy), str(self._path))
                raise

    def _opened(self, path: Path) -> Read:
        return read_format(self._form, {self._name or stem_of(self._path): path}, **self._options)

    def _entries(self, content: Read) -> list[Entry]:
        evaluation = content.evaluation
        if evaluation is None or evaluation.gold is not None or evaluation.items is None:
            raise InvalidInputError(
                f"{self._path} was read as {content.description}: it has no score of each item",
                hint="name a metric with one number per item: --value-column NAME",
            )
        if isinstance(content.metric, BaseMetric):
            self.metric = content.metric
        names = list(evaluation.names)
        shown = [self._name] if len(names) == 1 and self._name is not None else names
        none = np.zeros(evaluation.n_items, np.bool_)
        columns = [
            (shown_name, evaluation.systems[name].tolist(), evaluation.missing.get(name, none).tolist())
            for shown_name, name in zip(shown, names, strict=True)
        ]
        items = [str(item) for item in evaluation.items.tolist()]
        groups = evaluation.clusters
        clusters = [None] * len(items) if groups is None else [str(one) for one in groups.tolist()]
        return [
            Entry(
                str(self._path),
                None,
                item,
                {name: float(values[place]) for name, values, absent in columns if not absent[place]},
                clusters[place],
            )
            for place, item in enumerate(items)
        ]


# -- a file that grows ---------------------------------------------------------------------------------------


REWRITTEN = (
    "a log must only grow, and nothing of the change was counted: restore it, or start anew with"
    " another state file"
)


class GrowingFile:
    """The lines of a growing file; what was read once must stay as it is.

    A line counts when its end is there. What was read is known by its hash, with which it is compared by a
    reading that finds the file grown, and by `check`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = self._next = _Prefix()

    def taken(self) -> None:
        """Say that the lines that were given last are taken; until then they are new."""
        self._read = self._next

    def lines(self, final: bool) -> Iterator[tuple[int, bytes]]:
        """Return an iterator of the lines that are new, with their numbers; `final` if no more will come.

        The last line of a final file may lack its end if it is a whole JSON value.
        """
        path = readable_file(self.path)
        status = path.stat()
        seen = (status.st_size, status.st_mtime_ns, status.st_ino)
        if seen == self._read.seen and not final:
            return iter(())
        if status.st_size < self._read.size:
            raise self._changed(f"is shorter than before: {status.st_size} bytes, not {self._read.size}")
        with path.open("rb") as stream:
            known = self._compared(stream)
            rest = stream.read()
        end = len(rest) if final and _whole(rest.rpartition(b"\n")[2]) else rest.rfind(b"\n") + 1
        first = self._read.lines + 1
        lines = rest[:end].removesuffix(b"\n").split(b"\n") if end else []
        known.update(rest[:end])
        self._next = _Prefix(self._read.size + end, self._read.lines + len(lines), known.digest(), seen)
        if first == 1 and lines:
            lines[0] = lines[0].removeprefix(codecs.BOM_UTF8)
        return ((number, line) for number, line in enumerate(lines, first) if line.strip())

    def check(self) -> None:
        """Refuse the file if anything of what was taken has changed."""
        with readable_file(self.path).open("rb") as stream:
            self._compared(stream)

    def _compared(self, stream: BinaryIO) -> Any:
        """Return the hash of the beginning of a file, if that is what was taken; the rest is left to read."""
        known = hashlib.blake2b()
        for part in chunks(self._read.size, 1):
            known.update(stream.read(part.stop - part.start))
        if known.digest() != self._read.digest:
            raise self._changed("was written anew: the lines that were read before are other ones now")
        return known

    def _changed(self, what: str) -> InvalidInputError:
        return InvalidInputError(f"{self.path} {what}", hint=REWRITTEN)


@dataclass(frozen=True)
class _Prefix:
    """What was read of a file: so many bytes and lines, and their hash.

    `seen` is the size, the time and the number of the file as they were then.
    """

    size: int = 0
    lines: int = 0
    digest: bytes = hashlib.blake2b().digest()
    seen: tuple[int, int, int] | None = None


def _whole(line: bytes) -> bool:
    """Tell whether a line without an end is a JSON object all the same.

    >>> _whole(b'{"a": 1}'), _whole(b'{"a": 1'), _whole(b"")
    (True, False, False)
    """
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict)
