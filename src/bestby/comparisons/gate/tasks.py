"""The tasks of a log one by one: the items of each, and what its notes and the hash of all are."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from bestby.data.evaluation import Evaluation
from bestby.results.base import Note, Provenance
from bestby.results.comparison import Comparison

_NOT_OF_GATES = ("one_sided", "no_groups", "direction")
"""Notes on ranks, groups and one-sided questions of many systems, of which a gate has none."""


def by_task(evaluation: Evaluation) -> dict[str | None, Evaluation]:
    """Return the items of each task in the order of the log; all under None where there are no tasks.

    >>> import numpy as np
    >>> whole = Evaluation.of({"a": [1, 0, 1, 1], "b": [1, 1, 1, 0]})
    >>> [*by_task(whole)], [*by_task(dataclasses.replace(whole, tasks=np.array(["qa", "qa", "nli", "nli"])))]
    ([None], ['qa', 'nli'])
    """
    if evaluation.tasks is None:
        return {None: evaluation}
    return {
        task: dataclasses.replace(evaluation.with_rows(evaluation.tasks == task), strata=None, tasks=None)
        for task in dict.fromkeys(evaluation.tasks.tolist())
    }


def notes_of(
    evaluation: Evaluation, made: Sequence[Comparison], tasks: Sequence[str | None]
) -> tuple[Note, ...]:
    """Return the notes of the comparisons, those on one task with its name before them."""
    notes = [] if evaluation.tasks is None else [*evaluation.notes]
    for one, task in zip(made, tasks, strict=True):
        own = [note for note in one.notes if note.code not in _NOT_OF_GATES]
        notes += [note if task is None else _within(task, note) for note in own]
    return tuple(dict.fromkeys(notes))


def provenance_of(evaluation: Evaluation, first: Comparison) -> Provenance:
    """Return the provenance of the first comparison, with the data of all tasks."""
    if evaluation.tasks is None:
        return first.provenance
    data = {
        "items": evaluation.n_items,
        "systems": list(evaluation.names),
        "tasks": len(by_task(evaluation)),
        **evaluation.n_groups,
    }
    return dataclasses.replace(first.provenance, data=data, data_hash=evaluation.data_hash())


def _within(task: str, note: Note) -> Note:
    return Note(note.code, f"{task}: {note.message}", note.about)
