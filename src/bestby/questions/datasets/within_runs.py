"""The differences between the runs of two systems on each dataset."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from bestby.comparisons.common import family, note_rules
from bestby.engine.base import Drawing
from bestby.questions.datasets.runs_source import on_dataset
from bestby.questions.datasets.source import DatasetScores
from bestby.questions.runs.differences import difference_of, orders_of, tests_of
from bestby.questions.runs.note_rules import few_runs_note, notes_on_scores
from bestby.questions.runs.result import RunsDifference
from bestby.questions.runs.settings import Settings
from bestby.questions.runs.source import Data
from bestby.results.base import Note
from bestby.results.by_pair import Names


def run_differences(
    scores: DatasetScores, pairs: Sequence[Names], settings: Settings, drawing: Drawing
) -> tuple[dict[str, tuple[RunsDifference, ...]], list[Note]]:
    """Return what `compare_runs` tells of each pair on each dataset, and notes on the runs.

    The tests of a pair are one family over the datasets; stochastic orders share one error rate over all
    datasets, pairs and directions.
    """
    n_datasets, n_pairs = len(scores.datasets), len(pairs)
    n_orders = n_datasets * (1 if settings.correction == "none" else 2 * n_pairs)
    made: dict[str, tuple[RunsDifference, ...]] = {}
    notes: dict[str, Note] = {}
    on_one: list[Note] = []
    for name, data in scores.runs.items():

        def differences(data: Data = data, name: str = name) -> tuple[RunsDifference, ...]:
            places = [(data.names.index(a), data.names.index(b)) for a, b in pairs]
            orders = None if settings.test is None else orders_of(data, settings, drawing, n_orders)
            tests, reasons = tests_of(
                data, places, settings, settings.towards(data.metric.greater_is_better), n_datasets
            )
            notes.update({note.code: note for note in reasons if not note.about and note.code not in notes})
            on_one.extend(_about(name, note) for note in reasons if note.about)
            n_all = n_datasets * n_pairs
            return tuple(
                difference_of(data, *pair, tests.get(pair), orders, settings, n_all) for pair in places
            )

        made[name], long = family.with_one_long_note(on_dataset(name, differences))
        notes.update({f"{note.code} {name}": _about(name, note) for note in long})
    return made, [*notes.values(), *_summed(on_one), *_notes_on_runs(scores, settings, made)]


def _notes_on_runs(
    scores: DatasetScores, settings: Settings, made: dict[str, tuple[RunsDifference, ...]]
) -> Iterator[Note]:
    """Yield notes on few runs, on runs that do not vary, and on runs far from the others."""
    yield from few_runs_note(list(scores.runs.values()), settings)
    yield from _summed(
        [
            _about(name, note)
            for name, data in scores.runs.items()
            for note in notes_on_scores(data, made[name], settings)
        ]
    )
    metric = scores.metric
    yield from note_rules.direction_notes(metric.name, metric.greater_is_better, settings.alternative)


def _summed(notes: Sequence[Note]) -> Iterator[Note]:
    """Yield notes; of more than a handful with one code the first, which says how many there are."""
    for code in dict.fromkeys(note.code for note in notes):
        same = [note for note in notes if note.code == code]
        # Notes of one code on runs of single datasets; more are summed up
        if len(same) <= 6:
            yield from same
            continue
        where = len({note.about[0] for note in same})
        told = f"{same[0].message} (the first of {len(same)} such notes, on {where} datasets)"
        yield dataclasses.replace(same[0], message=told)


def _about(dataset: str, note: Note) -> Note:
    return dataclasses.replace(note, about=(dataset, *note.about))
