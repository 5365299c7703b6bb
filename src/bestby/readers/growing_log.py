"""A growing log of scores, from which each item comes once, when all systems have scored it."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby._core.paths import exists, readable_file, user_path
from bestby._core.text import quoted
from bestby.readers.files import stem_of
from bestby.readers.formats.base import head_of, recognised
from bestby.readers.growing_sources import Columns, Entry, LinesSource, Source, WholeSource
from bestby.readers.naming import named_paths


class GrowingLog:
    """The items of a log in the order in which they begin, each when all systems have scored it.

    An item waits for those that began before it. Whatever makes a system slow or silent on some items can
    have to do with its score on them: counting the others first would prefer the quick ones.
    """

    def __init__(self, paths: Sequence[str], columns: Columns) -> None:
        named = named_paths(list(paths))
        files = named if isinstance(named, Mapping) else {"": named}
        self._names = {
            user_path(path): name if f"{name}={path}" in paths else None for name, path in files.items()
        }
        self._several, self._columns = len(files) > 1, columns
        self._sources: dict[Path, Source] = {}
        self._items: dict[str, dict[str, float]] = {}
        self._where: dict[tuple[str, str], str] = {}
        self._clusters: dict[str, str | None] = {}
        self._waiting: deque[str] = deque()
        self.systems: dict[str, None] = dict.fromkeys(columns.systems)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, item: str) -> bool:
        return item in self._items

    @property
    def size(self) -> int:
        """The number of scores that were read."""
        return len(self._where)

    @property
    def waiting(self) -> tuple[str, ...]:
        """The items that began and were not given away."""
        return tuple(self._waiting)

    @property
    def greater_is_better(self) -> bool | None:
        """The direction of the scores, where the format tells it."""
        told = {source.greater_is_better for source in self._sources.values()} - {None}
        return told.pop() if len(told) == 1 else None

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
            entries = [self._named_systems_only(entry) for entry in source.read(final)]
            self._check(entries)
            source.taken()
            self._sources[path] = source
            for entry in entries:
                self._take(entry)

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
            scores, names = self._items[item], list(needed())
            if any(name not in scores for name in names):
                return
            self._waiting.popleft()
            yield item, {name: scores[name] for name in names}, self._clusters[item]

    def lacking(self, needed: Iterable[str]) -> tuple[str, str] | None:
        """Return the item that others wait for and a system that has no score on it; None if none waits."""
        names, first = list(needed), self._waiting[0] if self._waiting else None
        absent = next((name for name in names if first is not None and name not in self._items[first]), None)
        behind = any(all(name in self._items[item] for name in names) for item in self._waiting)
        return (first, absent) if first is not None and absent is not None and behind else None

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

    def _named_systems_only(self, entry: Entry) -> Entry:
        """Return the entry with the scores of the systems that were named, if any were."""
        if not self._columns.systems:
            return entry
        scores = {name: one for name, one in entry.scores.items() if name in self._columns.systems}
        return dataclasses.replace(entry, scores=scores)

    def _check(self, entries: Sequence[Entry]) -> None:
        """Refuse a score that is another than before."""
        fresh: dict[tuple[str, str], tuple[float, str]] = {}
        for entry in entries:
            for system, score in entry.scores.items():
                key = (entry.item, system)
                known = self._items.get(entry.item, {}).get(system)
                before, where = fresh.get(key, (known, self._where.get(key, "")))
                if before is not None and before != score:
                    raise InvalidInputError(
                        f"{entry.where}: the score of {quoted(system)} on item {quoted(entry.item)} is"
                        f" {score:g}, and was {before:g} in {where.rpartition(', ')[2]}",
                        hint="the first is kept; give every item an id of its own, and log one run (epoch)",
                    )
                fresh[key] = (score, entry.where)

    def _take(self, entry: Entry) -> None:
        if not entry.scores:
            return
        if entry.item not in self._items:
            self._items[entry.item] = {}
            self._waiting.append(entry.item)
            self._clusters[entry.item] = entry.cluster
        for name, one in entry.scores.items():
            self.systems.setdefault(name)
            self._items[entry.item].setdefault(name, one)
            self._where.setdefault((entry.item, name), entry.where)
