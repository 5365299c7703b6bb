"""A phase of a board by one version of its gold: what a ladder shows, and the results of its systems."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from bestby._core.cached import cached_property
from bestby._core.typing import Array
from bestby.boards.cached_results import PhaseResults, parts_of_ladder, parts_of_results
from bestby.boards.content import PhaseContent, Table
from bestby.boards.entries import Numbered, System
from bestby.boards.events import File, Submitted
from bestby.boards.gold import TaskGold
from bestby.boards.items import outcomes
from bestby.boards.ladder import improvement_of, shown_by_ladder
from bestby.boards.overall import overall
from bestby.boards.record import stamp
from bestby.boards.scoring import Hidden, direction_of, metric_of
from bestby.boards.settings import Phase, Task
from bestby.boards.submission_reader import SubmissionReader
from bestby.boards.tables import Scored, tables
from bestby.inference.ladder import Improvement, mean_improvement


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

    def shown(self, numbered: Sequence[Numbered]) -> frozenset[int]:
        """Return the submissions that the ladder shows."""

        def made() -> tuple[int, ...]:
            return tuple(sorted(shown_by_ladder(numbered, Improvements(self, dict(numbered)))))

        if self.mark is None:
            return frozenset(made())
        parts = parts_of_ladder(self.reader.settings, self.phase, numbered)
        return frozenset(self.reader.cached(self.mark, parts, _files(numbered), made))

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
        parts = parts_of_results(self.reader.settings, self.phase, systems)
        files = _files([one for system in systems for one in system.runs])
        return self.reader.cached(self.mark, parts, files, make)

    def _computed(self, systems: Sequence[System]) -> PhaseResults:
        settings, phase = self.reader.settings, self.phase
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
            self.reader.settings,
            {system.key: system for system in systems},
            self.reader.predicted(task, numbered),
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

    phase: ScoredPhase
    submitted: Mapping[int, Submitted]

    def __call__(self, new: int, last: int) -> Improvement:
        """Return by how much a submission is better than another one of the same tasks."""
        tasks = [task for task in self.phase.reader.settings.tasks if task.name in self.submitted[new].files]
        return mean_improvement([self._in_task(task, new, last) for task in tasks])

    def _in_task(self, task: Task, new: int, last: int) -> Improvement:
        if task.name not in self._read:
            numbered = [one for one in self.submitted.items() if task.name in one[1].files]
            self._read[task.name] = self.phase.hidden(task), self.phase.reader.predicted(task, numbered)
        hidden, predicted = self._read[task.name]
        names = {number: f"submission {number}" for number in (new, last)}
        evaluation = hidden.evaluation({name: predicted[number] for number, name in names.items()})
        metric = metric_of(task, task.metrics[0], evaluation)
        return improvement_of(evaluation, metric, *names.values())

    @cached_property
    def _read(self) -> dict[str, tuple[Hidden, dict[int, Array]]]:
        """The items and the predictions of each task that was asked for."""
        return {}
