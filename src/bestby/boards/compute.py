"""All that the site of a board shows, computed from its record, its gold and its submissions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bestby._core import files
from bestby._core.errors import BoardError
from bestby._core.files import Cache
from bestby._core.versions import blas, versions
from bestby.boards import gold as golds_on_disk
from bestby.boards.content import (
    Best,
    BoardContent,
    Entry,
    Gap,
    ItemsAgainst,
    Overall,
    OverallStanding,
    PhaseContent,
    Standing,
    Table,
    VersionContent,
)
from bestby.boards.folder import Folder
from bestby.boards.gold import TaskGold
from bestby.boards.overall import overall
from bestby.boards.predictions import NO_CACHE, Hidden, SubmissionReader, direction_of
from bestby.boards.record import (
    Chosen,
    GoldSet,
    Line,
    System,
    as_of,
    chosen,
    ended,
    gold_in_force,
    gold_versions,
    head,
)
from bestby.boards.settings import Phase, Settings, Task, stamp
from bestby.boards.tables import Scored, items_against, tables
from bestby.report.loading import decoded, encoded

GoldOf = Callable[[GoldSet], Mapping[str, TaskGold]]
"""The gold of a version, by task."""


def board_content(
    folder: Folder,
    settings: Settings,
    lines: Sequence[Line],
    gold: GoldOf,
    now: datetime,
    cache: Cache = NO_CACHE,
) -> BoardContent:
    """Return everything that a site shows of a board.

    Parameters
    ----------
    folder : Folder
        The board, whose lock the caller holds.
    settings : Settings
        Its settings.
    lines : sequence of Line
        Its record.
    gold : callable
        From a version of the gold to the gold of each task: `gold_of` reads it from the disk.
    now : datetime
        The clock; the content is that of `as_of`.
    cache : Cache, optional
        What was read before; without one, every submission is read.

    Returns
    -------
    BoardContent
        The same for the same record, gold, settings and `as_of`.

    Raises
    ------
    BoardError
        If a submission, the list of items or the gold is not there or was changed.
    """
    reader = SubmissionReader(folder, settings, cache)
    moment = as_of(lines, settings, now)
    versions: list[VersionContent] = []
    entries: tuple[Entry, ...] = ()
    before: int | None = None
    for line, event in gold_versions(lines):
        content, shown = _version(reader, lines, line, event, gold(event), moment, before)
        versions.append(content)
        entries = entries or shown.entries  # those of the version in force
        before = line.number  # an older version has the submissions up to its correction
    return BoardContent(
        title=settings.title,
        about=settings.about,
        url=settings.url,
        contact=settings.contact,
        as_of=stamp(moment),
        record_head=head(lines),
        tasks=tuple((task.name, task.title or task.name) for task in settings.tasks),
        versions=tuple(versions),
        entries=entries,
    )


def gold_of(folder: Folder, settings: Settings) -> GoldOf:
    """Return what reads a version of the gold from the folder of a board, after checking its mark."""
    return lambda event: golds_on_disk.read(folder, event, settings.tasks)


def cache_of(folder: Folder, lines: Sequence[Line]) -> Cache:
    """Return the cache of a board, keyed with the secret beside the gold.

    Who sends files along with a submission cannot bring one whose value is used.
    """
    key = folder.gold_version(gold_in_force(lines).version) / "key"
    with files.reported("read the gold", BoardError):
        secret = key.read_bytes()
    return replace(NO_CACHE, folder=folder.cache, secret=secret)


def _version(
    reader: SubmissionReader,
    lines: Sequence[Line],
    line: Line,
    event: GoldSet,
    gold: Mapping[str, TaskGold],
    moment: datetime,
    before: int | None,
) -> tuple[VersionContent, Chosen]:
    """Return the results by a version of the gold, and what is shown.

    Those that no submission can change any more are kept: the phase is over, or the gold is an older one.
    """
    shown, over = chosen(lines, reader.settings, before), ended(lines)
    contents = []
    for phase in reader.settings.phases:
        end = over.get(phase.name)
        mark = None if before is None and end is None else event.mark
        scored = ScoredPhase(reader, phase, gold, mark)
        contents.append(scored.content(shown.systems.get(phase.name), moment, end))
    return VersionContent(event.version, stamp(line.time), event.reason, tuple(contents)), shown


@dataclass(frozen=True, slots=True)
class PhaseResults:
    """What a phase shows that is computed: its tables, those over the tasks, and items won and lost."""

    tables: tuple[Table, ...] = ()
    overall: Overall | None = None
    items: tuple[ItemsAgainst, ...] = ()


_RECORDS = {
    one.__name__: one
    for one in (PhaseResults, Best, Gap, ItemsAgainst, Overall, OverallStanding, Standing, Table)
}

MOST_PAIRS = 50_000
"""Differences of all pairs of a table, above which they are made anew: reading them takes as long."""


@dataclass(frozen=True, eq=False)
class ScoredPhase:
    """A phase by one version of the gold, whose `mark` is given if what is computed may be kept."""

    reader: SubmissionReader
    phase: Phase
    gold: Mapping[str, TaskGold]
    mark: str | None = None

    def hidden(self, task: Task) -> Hidden:
        """Return the items of a task that the phase scores."""
        return Hidden.of(task, self.gold[task.name], self.reader.items(task), self.phase.part)

    def content(self, systems: Sequence[System] | None, moment: datetime, end: Line | None) -> PhaseContent:
        """Return the tables of the phase, none while its results are not shown; `end` is the line of its end.

        A phase that ended before its date ended by its line.
        """
        phase = self.phase
        ends = [one for one in (phase.end, end.time if end else None) if one is not None]
        begun = phase.start is None or moment >= phase.start
        results = self._results(systems or ())
        return PhaseContent(
            name=phase.name,
            title=phase.title or phase.name,
            start=stamp(phase.start) if phase.start else None,
            end=stamp(min(ends)) if ends else None,
            state="over" if end else "open" if begun else "coming",
            part=phase.part,
            visible=systems is not None,
            tables=results.tables,
            overall=results.overall,
            items=results.items,
            per_day=phase.per_day,
            per_team=phase.per_team,
        )

    def _results(self, systems: Sequence[System]) -> PhaseResults:
        """Return the results of systems, from the cache if they were kept; their files are checked first."""
        if self.mark is None or not systems:
            return self._computed(systems)
        reader, settings, phase = self.reader, self.reader.settings, self.phase
        reader.check({file for one in systems for _, run in one.runs for file in run.files.values()})
        public = (settings.public.items, settings.public.pairs, settings.public.smallest_slice)
        scored = (settings.tasks, phase.name, phase.part, settings.baseline, settings.level, public)
        key = reader.cache.key(
            "results", versions(), blas(), self.mark, reader.marks(), repr(scored), repr(tuple(systems))
        )
        stored = reader.cache.read(key)
        if stored is not None:
            results: PhaseResults = decoded(json.loads(stored), _RECORDS)
            return results
        computed = self._computed(systems)
        if sum(table.n_pairs for table in computed.tables if table.comparison is not None) <= MOST_PAIRS:
            reader.cache.write(key, json.dumps(encoded(computed)).encode())
        return computed

    def _computed(self, systems: Sequence[System]) -> PhaseResults:
        settings, phase = self.reader.settings, self.phase
        computed: list[Table] = []
        first: dict[str, Table] = {}
        evaluations, items = {}, []
        for task in settings.tasks if systems else ():
            scored = self._scored(task, [system for system in systems if task.name in system.event.files])
            own = tables(scored)
            computed += own
            if own:
                first[task.name], evaluations[task.name] = own[0], scored.evaluation
                items += items_against(scored, own[0]) if settings.public.items else []
        directions = {task.name: direction_of(task) for task in settings.tasks}
        whole = None
        if len(settings.tasks) > 1 and len(first) == len(settings.tasks):
            whole = overall(phase.name, first, evaluations, directions, settings.baseline, settings.level)
        if not settings.public.pairs:
            computed = [replace(table, comparison=None) for table in computed]
        return PhaseResults(tuple(computed), whole, tuple(items))

    def _scored(self, task: Task, systems: Sequence[System]) -> Scored:
        numbered = [one for system in systems for one in system.runs if task.name in one[1].files]
        return Scored(
            self.hidden(task),
            self.phase,
            self.reader.settings,
            {system.key: system for system in systems},
            self.reader.predicted(task, numbered),
        )
