"""A phase of a board by one version of its gold, and the results of its systems."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bestby._core.versions import blas, versions
from bestby.boards.content import (
    Best,
    Gap,
    ItemsAgainst,
    Overall,
    OverallStanding,
    PhaseContent,
    Standing,
    Table,
)
from bestby.boards.entries import System
from bestby.boards.events import Line
from bestby.boards.gold import TaskGold
from bestby.boards.items import outcomes
from bestby.boards.overall import overall
from bestby.boards.record import stamp
from bestby.boards.scoring import Hidden, direction_of
from bestby.boards.settings import Phase, Task
from bestby.boards.submission_reader import SubmissionReader
from bestby.boards.tables import Scored, tables
from bestby.results.loading import decoded, encoded

MOST_PAIRS = 50_000
"""Differences of all pairs of a table, above which they are made anew: reading them takes as long."""


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
        made = self._computed(systems)
        if sum(table.n_pairs for table in made.tables if table.comparison is not None) <= MOST_PAIRS:
            reader.cache.write(key, json.dumps(encoded(made)).encode())
        return made

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


def _without_pairs(table: Table) -> Table:
    """Return a table that does not hold the differences of all pairs."""
    return dataclasses.replace(table, comparison=None)
