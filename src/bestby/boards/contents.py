"""From the record, the gold and the submissions of a board to all that its site shows."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from typing import Any, TypeVar

from bestby._core import files
from bestby._core.errors import BoardError
from bestby._core.typing import Array
from bestby.boards import gold as golds_on_disk
from bestby.boards.cache import Cache, opened
from bestby.boards.content import BoardContent, Entry, PhaseContent, Table, VersionContent
from bestby.boards.entries import Chosen, Numbered, System, as_of, chosen, golds, head
from bestby.boards.events import File, GoldSet, Line, Submitted
from bestby.boards.folder import Folder, gold_in_force
from bestby.boards.gold import TaskGold
from bestby.boards.items import outcomes
from bestby.boards.kept import PhaseResults, kept, parts_of_ladder, parts_of_results
from bestby.boards.ladder import improvement_of, shown_by_ladder
from bestby.boards.overall import overall
from bestby.boards.record import stamp
from bestby.boards.scoring import (
    Hidden,
    direction_of,
    form_of,
    metric_of,
    predictions,
    predictions_of_systems,
)
from bestby.boards.settings import Phase, Settings, Task
from bestby.boards.tables import Scored, tables
from bestby.inference.ladder import Improvement, mean_improvement

T = TypeVar("T")

GoldOf = Callable[[GoldSet], Mapping[str, TaskGold]]
"""The gold of a version, by task."""


@dataclass(frozen=True, eq=False)
class Source:
    """Where predictions come from: the files of a board, through its cache."""

    folder: Folder
    settings: Settings
    cache: Cache

    def predicted(self, task: Task, numbered: Sequence[Numbered]) -> dict[int, Array]:
        """Return the predictions of submissions for a task, in the order of the public list of items."""
        items, mark = self._task(task)
        files = {one.files[task.name] for _, one in numbered}
        self.check(files)
        keys = {f: self.cache.key("predictions", mark, f.sha256, f.suffix, f.column) for f in files}
        known = {file: self.cache.find(key) for file, key in keys.items()}
        found = {file: values for file, values in known.items() if values is not None}
        for file, values in self._read(task, items, [file for file in files if file not in found]):
            self.cache.keep(keys[file], values)
            found[file] = values
        return {number: found[one.files[task.name]] for number, one in numbered}

    def check(self, files: Iterable[File]) -> None:
        """Refuse files whose bytes are not those that were submitted; each is read once."""
        for whole in {dataclasses.replace(file, column=None) for file in files} - self._checked:
            self.folder.submission(whole)
            self._checked.add(whole)

    def items(self, task: Task) -> tuple[str, ...]:
        """Return the ids of the items of a task, in the order of the public list."""
        return self._task(task)[0]

    def _task(self, task: Task) -> tuple[tuple[str, ...], str]:
        """Return the items of a task and a hash of what its predictions are read by."""
        if task.name not in self._tasks:
            items = self.folder.items(task.name, self.settings)
            mark = self.cache.key("items and labels", form_of(task), task.labels, items)
            self._tasks[task.name] = items, mark
        return self._tasks[task.name]

    @cached_property
    def _tasks(self) -> dict[str, tuple[tuple[str, ...], str]]:
        return {}

    @cached_property
    def _checked(self) -> set[File]:
        return set()

    def kept(self, mark: str, parts: Sequence[Any], files: Iterable[File], make: Callable[[], T]) -> T:
        """Return what follows from the gold of a `mark`, the lists of items, submitted files and `parts`.

        It is made if the cache does not have it, and what it follows from was checked before it is used.
        """
        self.check(files)
        of_tasks = [self._task(task)[1] for task in self.settings.tasks]
        return kept(self.cache, (mark, of_tasks, *parts), make)

    def _read(self, task: Task, items: Sequence[str], files: Sequence[File]) -> Iterator[tuple[File, Array]]:
        """Yield the predictions of files, each of which is read once however many systems it holds."""
        of_several: dict[str, list[File]] = {}
        for file in files:
            if file.column is None:
                yield file, predictions(self.folder.submission_file(file), task, items)
            else:
                of_several.setdefault(file.sha256, []).append(file)
        for group in of_several.values():
            path, columns = self.folder.submission_file(group[0]), [str(file.column) for file in group]
            together = predictions_of_systems(path, task, items, columns)
            yield from ((file, together[str(file.column)]) for file in group)


def contents(
    folder: Folder,
    settings: Settings,
    lines: Sequence[Line],
    gold: GoldOf,
    now: datetime,
    cache: Cache | None = None,
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
    source = Source(folder, settings, cache or Cache())
    moment = as_of(lines, settings, now)
    versions: list[VersionContent] = []
    entries: tuple[Entry, ...] = ()
    before: int | None = None
    for line, event in golds(lines):
        made, picked = _version(source, lines, line, event, gold(event), moment, before)
        versions.append(made)
        entries = entries or picked.entries  # those of the version in force
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
    return partial(_read_gold, folder, settings)


@contextlib.contextmanager
def opened_cache(folder: Folder, lines: Sequence[Line]) -> Iterator[Cache]:
    """Open the cache of a board, whose lock the caller holds."""
    key = folder.gold_version(gold_in_force(lines).version) / "key"
    with files.reported("read the gold", BoardError):
        secret = key.read_bytes()
    with opened(folder.cache, secret) as cache:
        yield cache


def _read_gold(folder: Folder, settings: Settings, event: GoldSet) -> Mapping[str, TaskGold]:
    return golds_on_disk.read(folder, event, settings.tasks)


def chosen_by(
    source: Source,
    lines: Sequence[Line],
    gold: Mapping[str, TaskGold],
    moment: datetime,
    before: int | None = None,
    mark: str | None = None,
) -> Chosen:
    """Return what is shown at a moment by a version of the gold; `before` as for `chosen`.

    The mark of the version is given if what cannot change any more is to be kept in the cache.
    """

    def ladder(phase: Phase, numbered: Sequence[Numbered]) -> frozenset[int]:
        return OnePhase(source, phase, gold, _mark_to_keep(mark, phase, moment, before)).shown(numbered)

    return chosen(lines, source.settings, moment, ladder, before)


def _mark_to_keep(mark: str | None, phase: Phase, moment: datetime, before: int | None) -> str | None:
    """Return the mark if no submission can come: the phase is over, or the gold is of an older version."""
    return mark if before is not None or state_at(phase, moment) == "over" else None


def _version(
    source: Source,
    lines: Sequence[Line],
    line: Line,
    event: GoldSet,
    gold: Mapping[str, TaskGold],
    moment: datetime,
    before: int | None,
) -> tuple[VersionContent, Chosen]:
    """Return the results by a version of the gold, and what was chosen to be shown."""
    picked = chosen_by(source, lines, gold, moment, before, event.mark)
    made = tuple(
        OnePhase(source, phase, gold, _mark_to_keep(event.mark, phase, moment, before)).content(
            picked.systems.get(phase.name), moment
        )
        for phase in source.settings.phases
    )
    return VersionContent(event.version, stamp(line.time), event.reason, made), picked


@dataclass(frozen=True, eq=False)
class OnePhase:
    """A phase by one version of the gold, whose `mark` is given if what is computed may be kept."""

    source: Source
    phase: Phase
    gold: Mapping[str, TaskGold]
    mark: str | None = None

    def hidden(self, task: Task) -> Hidden:
        """Return the items of a task that the phase scores."""
        return Hidden.of(task, self.gold[task.name], self.source.items(task), self.phase.part)

    def shown(self, numbered: Sequence[Numbered]) -> frozenset[int]:
        """Return the submissions that the ladder shows."""

        def made() -> tuple[int, ...]:
            return tuple(sorted(shown_by_ladder(numbered, Improvements(self, dict(numbered)))))

        if self.mark is None:
            return frozenset(made())
        parts = parts_of_ladder(self.source.settings, self.phase, numbered)
        return frozenset(self.source.kept(self.mark, parts, _files(numbered), made))

    def content(self, systems: Sequence[System] | None, moment: datetime) -> PhaseContent:
        """Return the tables of the phase; none while its results are not shown."""
        phase = self.phase
        results = self._results(systems or ())
        return PhaseContent(
            name=phase.name,
            title=phase.title or phase.name,
            start=stamp(phase.start) if phase.start else None,
            end=stamp(phase.end) if phase.end else None,
            state=state_at(phase, moment),
            part=phase.part,
            ladder=phase.ladder,
            visible=systems is not None,
            tables=results.tables,
            overall=results.overall,
            items=results.items,
            per_day=phase.per_day,
            per_team=phase.per_team,
        )

    def _results(self, systems: Sequence[System]) -> PhaseResults:
        """Return the results of systems, from the cache if they were kept."""
        make = partial(self._computed, systems)
        if self.mark is None or not systems:
            return make()
        parts = parts_of_results(self.source.settings, self.phase, systems)
        files = _files([one for system in systems for one in system.runs])
        return self.source.kept(self.mark, parts, files, make)

    def _computed(self, systems: Sequence[System]) -> PhaseResults:
        settings, phase = self.source.settings, self.phase
        made: list[Table] = []
        first: dict[str, Table] = {}
        evaluations, items = {}, []
        for task in settings.tasks if systems else ():
            scored = self._scored(task, [system for system in systems if task.name in system.event.files])
            own = tables(scored)
            made += own
            if own:
                first[task.name], evaluations[task.name] = own[0], scored.evaluation
                items += outcomes(scored, own[0]) if settings.public.items else []
        directions = {task.name: direction_of(task) for task in settings.tasks}
        whole = None
        if len(settings.tasks) > 1 and len(first) == len(settings.tasks):
            whole = overall(phase.name, first, evaluations, directions, settings.baseline, settings.level)
        shown = made if settings.public.pairs else map(_without_pairs, made)
        return PhaseResults(tuple(shown), whole, tuple(items))

    def _scored(self, task: Task, systems: Sequence[System]) -> Scored:
        numbered = [one for system in systems for one in system.runs if task.name in one[1].files]
        return Scored(
            self.hidden(task),
            self.phase,
            self.source.settings,
            {system.key: system for system in systems},
            self.source.predicted(task, numbered),
        )


def _files(numbered: Sequence[Numbered]) -> set[File]:
    return {file for _, one in numbered for file in one.files.values()}


def _without_pairs(table: Table) -> Table:
    """Return a table that does not hold the differences of all pairs."""
    return dataclasses.replace(table, comparison=None)


def state_at(phase: Phase, moment: datetime) -> str:
    """Return whether a phase is "coming", "open" or "over" at a moment."""
    if phase.open_at(moment):
        return "open"
    return "coming" if phase.start is not None and moment < phase.start else "over"


@dataclass(frozen=True, eq=False)
class Improvements:
    """By how much submissions of a phase are better than others, over their tasks by the first metrics."""

    phase: OnePhase
    submitted: Mapping[int, Submitted]

    def __call__(self, new: int, last: int) -> Improvement:
        """Return by how much a submission is better than another one of the same tasks."""
        tasks = [task for task in self.phase.source.settings.tasks if task.name in self.submitted[new].files]
        return mean_improvement([self._in_task(task, new, last) for task in tasks])

    def _in_task(self, task: Task, new: int, last: int) -> Improvement:
        if task.name not in self._read:
            numbered = [one for one in self.submitted.items() if task.name in one[1].files]
            self._read[task.name] = self.phase.hidden(task), self.phase.source.predicted(task, numbered)
        hidden, predicted = self._read[task.name]
        names = {number: f"submission {number}" for number in (new, last)}
        evaluation = hidden.evaluation({name: predicted[number] for number, name in names.items()})
        metric = metric_of(task, task.metrics[0], evaluation)
        return improvement_of(evaluation, metric, *names.values())

    @cached_property
    def _read(self) -> dict[str, tuple[Hidden, dict[int, Array]]]:
        """The items and the predictions of each task that was asked for."""
        return {}
