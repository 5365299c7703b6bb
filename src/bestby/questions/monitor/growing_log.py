"""A growing log of scores, from which each item comes once, when all systems have scored it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby._core.paths import exists, readable_file, user_path
from bestby._core.text import quoted
from bestby.questions.monitor.growing_sources import Columns, Entry, LinesSource, Source, WholeSource
from bestby.readers.files import stem_of
from bestby.readers.formats.base import head_of, recognised
from bestby.readers.paths import GivenName, named_paths


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
        """The direction of the scores, where the format tells it."""
        told = [source.metric for source in self._sources.values() if source.metric is not None]
        return told[0].greater_is_better if told else None

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
            clusters, found = self._told(source.read(final))
            self._check_metric(path, source)
            source.taken()
            self._sources[path] = source
            self._take(clusters, found)

    def _check_metric(self, path: Path, source: Source) -> None:
        """Refuse a file whose scores are of another metric than those of another file."""
        for other, known in self._sources.items():
            if None not in (source.metric, known.metric) and source.metric != known.metric:
                names = [one.metric.name for one in (source, known) if one.metric is not None]
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
        told = {name: self._scores[name].values if name in self._scores else {} for name in needed}
        first = self._waiting[0]
        absent = next((name for name, values in told.items() if first not in values), None)
        behind = any(all(item in values for values in told.values()) for item in self._waiting)
        return (first, absent) if absent is not None and behind else None

    def _source(self, path: Path, final: bool) -> Source | None:
        """Return what reads a file, None while too little of it is there to tell."""
        head = head_of(readable_file(path))
        form, own = recognised(path), self._names[path]
        if form is None and not final and b"\n" not in head:
            return None
        if form is None:
            name = own or (stem_of(path) if self._several else None)
            return LinesSource(path, name, self._columns)
        options = {"value_column": self._columns.score, "clusters": self._columns.cluster}
        return WholeSource(path, own, form, {name: one for name, one in options.items() if one is not None})

    def _told(self, entries: Iterable[Entry]) -> tuple[dict[str, str | None], dict[str, _Scores]]:
        """Return the clusters of new items and the new scores of systems; the log stays as it is.

        Of most lines nothing is kept but their scores: many small objects would take the time that their
        collector needs to look through them.
        """
        clusters: dict[str, str | None] = {}
        found: dict[str, _Scores] = {}
        named = self._columns.systems
        for entry in entries:
            for system, score in entry.scores.items():
                if named and system not in named:
                    continue
                scores = found.get(system)
                if scores is None:
                    scores = found[system] = _Scores({}, {}, self._scores.get(system))
                scores.add(system, score, entry)
                if entry.item not in self._clusters:
                    clusters.setdefault(entry.item, entry.cluster)
        return clusters, found

    def _take(self, clusters: Mapping[str, str | None], found: Mapping[str, _Scores]) -> None:
        self._clusters.update(clusters)
        self._waiting.extend(clusters)
        for name, scores in found.items():
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
