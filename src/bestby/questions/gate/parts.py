"""The parts of the items that a gate asks about: all of them, or each task, and each slice."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

from bestby.data.evaluation import Evaluation
from bestby.questions.slices.source import Column, hash_with_slices, slicings
from bestby.results.base import Note, Provenance
from bestby.results.comparison import Comparison

_NOT_OF_GATES = ("one_sided", "no_groups", "direction")
"""Notes on ranks, groups and one-sided questions of many systems, of which a gate has none."""


class GatePart(NamedTuple):
    """Items that a gate asks about, and their name; None for all items."""

    name: str | None
    evaluation: Evaluation


def by_task(evaluation: Evaluation) -> list[GatePart]:
    """Return the items of each task in the order of the log; all under None where there are no tasks.

    >>> import numpy as np
    >>> whole = Evaluation.of({"a": [1, 0, 1, 1], "b": [1, 1, 1, 0]})
    >>> tasks = dataclasses.replace(whole, tasks=np.array(["qa", "qa", "nli", "nli"]))
    >>> [part.name for part in by_task(whole)], [part.name for part in by_task(tasks)]
    ([None], ['qa', 'nli'])
    """
    if evaluation.tasks is None:
        return [GatePart(None, evaluation)]
    return [
        GatePart(
            task,
            dataclasses.replace(evaluation.with_rows(evaluation.tasks == task), strata=None, tasks=None),
        )
        for task in dict.fromkeys(evaluation.tasks.tolist())
    ]


def by_slice(
    evaluation: Evaluation, columns: Sequence[Column], min_items: int, *, crossed: bool
) -> tuple[list[GatePart], list[Note]]:
    """Return the items of each slice of each column, and notes on slices that are left out.

    >>> language = {"lang": ["de", "de", "ja", "ja"]}
    >>> whole = Evaluation.of({"a": [1, 0, 1, 1], "b": [1, 1, 1, 0]}, slices=language)
    >>> [part.name for part in by_slice(whole, [Column("lang")], 1, crossed=False)[0]]
    ['lang=de', 'lang=ja']
    """
    evaluation.uncounted("a gate over slices")
    whole = dataclasses.replace(evaluation, tasks=None)
    cut, notes = slicings(whole, columns, min_items, crossed=crossed)
    made = [
        GatePart(f"{slicing.column}={slicing.names[place]}", whole.with_rows(slicing.rows(place)))
        for slicing in cut
        for place in slicing.order.tolist()
    ]
    return made, notes


def parts_of(
    evaluation: Evaluation, columns: Sequence[Column], min_items: int, *, crossed: bool
) -> tuple[list[GatePart], list[Note]]:
    """Return all items or each task, then the slices, and notes on slices that are left out."""
    if not columns:
        return by_task(evaluation), []
    slices, notes = by_slice(evaluation, columns, min_items, crossed=crossed)
    others = {one.name for one in columns}
    kept = {name: values for name, values in evaluation.groupings.items() if name not in others}
    return [*by_task(dataclasses.replace(evaluation, groupings=kept)), *slices], notes


def notes_of(
    evaluation: Evaluation, made: Sequence[Comparison], names: Sequence[str | None]
) -> tuple[Note, ...]:
    """Return the notes of the comparisons, those on one part with its name before them."""
    notes = [] if evaluation.tasks is None else [*evaluation.notes]
    for one, name in zip(made, names, strict=True):
        own = [note for note in one.notes if note.code not in _NOT_OF_GATES]
        notes += [note if name is None else _within(name, note) for note in own]
    return tuple(dict.fromkeys(notes))


def provenance_of(evaluation: Evaluation, columns: Sequence[Column], first: Comparison) -> Provenance:
    """Return the provenance of the first comparison, with the data of all tasks and slices."""
    made = first.provenance
    if evaluation.tasks is not None:
        data = {
            "items": evaluation.n_items,
            "systems": list(evaluation.names),
            "tasks": len(set(evaluation.tasks.tolist())),
            **evaluation.n_groups,
        }
        made = dataclasses.replace(made, data=data, data_hash=evaluation.data_hash())
    if columns:
        made = dataclasses.replace(made, data_hash=hash_with_slices(made.data_hash, evaluation, columns))
    return made


def _within(name: str, note: Note) -> Note:
    return Note(note.code, f"{name}: {note.message}", note.about)
