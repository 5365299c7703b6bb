"""The files of a growing log: plain JSON Lines, samples of lm-eval, logs of Inspect and other tools."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.text import quoted
from bestby.data.roles import ITEM_WORDS, called_predictions, score_column
from bestby.data.table import listed
from bestby.metrics.base import BaseMetric
from bestby.questions.monitor.growing_file import REWRITTEN, GrowingFile
from bestby.readers.files import stem_of
from bestby.readers.formats._documents import Record, kind, number, word
from bestby.readers.formats.base import Format, Read
from bestby.readers.opening import read_format
from bestby.readers.text import parsed

_SYSTEM_WORDS = ("system", "model")
_SCORE_WORDS = ("score", "value")
_NO_SYSTEM = frozenset(("gold", "stratum", "run", "seed", "epoch", "time", "timestamp", "line", "index"))
"""Keys of a wide line that are numbers, perhaps, and no systems."""

_DAMAGED = "the log is damaged there: correct the line, or start a new log"

_LINES = 'write {"item": "q1", "system": "a", "score": 1}, or {"item": "q1", "a": 1, "b": 0}'
_TABLE = f"{_LINES}; tables such as CSV are read by bestby compare"


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


class _Line(NamedTuple):
    """A line, with the object in it. There are many, so that the texts of messages are made of few."""

    file: str
    number: int
    data: dict[str, Any]

    @property
    def record(self) -> Record:
        """The same as other readers have it, with the text of its place."""
        return Record(f"{self.file}, line {self.number}", self.data)

    def need(self, key: str) -> Any:
        """Return the value of a key that must be there."""
        return self.data[key] if key in self.data else self.record.need(key)


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
        options = dict(self._options)
        clusters, name = options.pop("clusters", None), self._name or stem_of(self._path)
        return read_format(
            self._form, {name: path}, gold=(), clusters=clusters, on_missing="error", options=options
        )

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
            (own, evaluation.systems[name].tolist(), evaluation.missing.get(name, none).tolist())
            for own, name in zip(shown, names, strict=True)
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


def _first(words: Sequence[str], keys: Container[str]) -> str | None:
    """Return the first word that is a key."""
    for name in words:
        if name in keys:
            return name
    return None


def _key(line: _Line, given: str | None, words: Sequence[str], what: str, option: str) -> str:
    """Return the key under which something is told."""
    if given is not None:
        line.need(given)
        return given
    found = _first(words, line.data)
    if found is None:
        raise InvalidInputError(
            f"{line.record.where}: no key tells {what}; keys: {listed(list(line.data))}",
            hint=f"call it {' or '.join(words)}, or name it: {option}",
        )
    return found


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
