"""Annotations of AlpacaEval: which of the outputs of two generators was preferred, by instruction."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bestby._core.errors import InvalidInputError
from bestby._core.typing import OnMissing
from bestby.data.evaluation import Evaluation
from bestby.data.roles import listed
from bestby.metrics.regression import Mean
from bestby.readers.formats._logs import holding, lines_in
from bestby.readers.formats.base import File, Read, files_of
from bestby.readers.formats.judged_pairs import columns_of
from bestby.readers.text import Record, check_new, number, word
from bestby.results.base import Note

SIBLINGS = ("model_outputs.json", "reference_outputs.json", "leaderboard.csv")


class _Judged(NamedTuple):
    """One judgement: by how much the second was preferred to the first, from 0 to 1; NaN if it failed."""

    item: str
    a: str
    b: str
    won: float
    annotator: str | None
    length_a: int | None
    length_b: int | None


recognises = holding(rb"\s*(\[\s*)?\{", "generator_1", "generator_2", "preference")


def read(paths: Mapping[str, Path], *, on_missing: OnMissing = "error") -> Read:
    """Read the annotations of one or more pairs of generators.

    A preference of 1 is a win of the first, 2 of the second, 1.5 (or 0) a tie. If all were judged against
    one generator, the others are compared by their win rates against it; of two generators the two win rates
    are compared; otherwise there are only judgements. A name given by the user is that of the generator that
    is judged in the file.
    """
    judged, n_of_itself = _judgements(files_of(paths, recognises))
    there = [one for one in judged if not math.isnan(one.won)]
    if not there:
        raise InvalidInputError(
            f"{next(iter(paths.values()))}: no annotation has a preference", hint="annotate the outputs again"
        )
    description = "annotations of AlpacaEval"
    if n_of_itself:
        description += f"; {n_of_itself} annotations of a generator against itself were left out"
    if len(there) < len(judged):
        description += f"; {len(judged) - len(there)} of {len(judged)} without a preference"
    preferences = columns_of(there)
    preferences["winner"] = [1.0 - won for won in preferences.pop("won")]  # of the first
    notes = _other_judges(there)
    names = list(dict.fromkeys(name for one in judged for name in (one.a, one.b)))
    against = [name for name in names if all(name in (one.a, one.b) for one in judged)]
    if len(names) == 2:
        systems, description = names, f"{description}: {listed(names)}"
    elif len(against) == 1:
        systems = [name for name in names if name != against[0]]
        description += f"; win rates against {against[0]} of: {listed(systems)}"
    else:
        description += f"; judgements of: {listed(names)}"
        return Read(description, preferences=preferences, metric="win_rate", notes=notes)
    wins: dict[str, dict[str, float]] = {name: {} for name in systems}
    for one in there:
        for name, won in ((one.a, 1.0 - one.won), (one.b, one.won)):
            if name in wins:
                wins[name][one.item] = won
    evaluation = Evaluation.of(wins, on_missing=on_missing)
    return Read(description, evaluation, preferences=preferences, metric=Mean("win_rate"), notes=notes)


def _other_judges(judged: Sequence[_Judged]) -> tuple[Note, ...]:
    """Return a note if not the same annotators judged every pair of generators."""
    judges: dict[tuple[str, str], dict[str, None]] = {}
    for one in judged:
        first, second = sorted((one.a, one.b))
        judges.setdefault((first, second), {})[one.annotator or "unknown"] = None
    if len({frozenset(names) for names in judges.values()}) < 2:
        return ()
    each = "; ".join(f"{first} and {second}: {listed([*names])}" for (first, second), names in judges.items())
    return (Note("other_judges", f"the preferences come from different annotators: {each}"),)


def _judgements(files: Sequence[File]) -> tuple[list[_Judged], int]:
    """Return the judgements, and how many annotations judge a generator against itself."""
    rows_of = {file: lines_in(file.path) for file in files}
    apart = {file: [row for row in rows if len({*_generators(row)}) > 1] for file, rows in rows_of.items()}
    others = {file: rows for file, rows in apart.items() if rows}
    n_of_itself = sum(map(len, rows_of.values())) - sum(map(len, others.values()))
    if not others:
        row = next(iter(rows_of.values()))[0]
        raise InvalidInputError(
            f"{row.where}: {_generators(row)[0]!r} was judged against itself",
            hint="give the annotations of other generators too",
        )
    numbers: dict[str, int] = {}
    places: dict[Any, str] = {}
    judged = []
    for rows, renamed in zip(others.values(), _renamed(others), strict=True):
        outputs: dict[tuple[str, ...], list[tuple[str, str]]] = {}
        for row in rows:
            first, second = (renamed.get(name, name) for name in _generators(row))
            if first == second:
                raise InvalidInputError(f"{row.where}: {first!r} was judged against itself")
            item = _item(row, (first, second), numbers, outputs)
            hint = "give the annotations of one annotator, each pair and instruction once"
            what = f"the judgement of {first} and {second} on this instruction"
            check_new(places, (item, frozenset((first, second))), row.where, what, hint)
            texts = (row.data.get(key) for key in ("output_1", "output_2"))
            lengths = (len(text) if isinstance(text, str) else None for text in texts)
            judged.append(_Judged(item, first, second, _won(row), word(row.data.get("annotator")), *lengths))
    return judged, n_of_itself


def _renamed(rows_of: Mapping[File, Sequence[Record]]) -> list[dict[str, str]]:
    """Return per file what its generators are called instead.

    The generator that a file is about (the one that is not the reference of all files) goes by the name that
    the user gave to the file, or by that of the file where others are about a generator of the same name.
    """
    generators = [{name for row in rows for name in _generators(row)} for rows in rows_of.values()]
    everywhere = set.intersection(*generators)
    if len(rows_of) < 2 or not everywhere:
        return [{} for _ in rows_of]
    # Of the same two in all files, the first is the reference: so AlpacaEval writes them.
    first = _generators(next(iter(rows_of.values()))[0])[0]
    reference = first if len(everywhere) > 1 else next(iter(everywhere))
    about = [names - {reference} for names in generators]
    renamed = []
    for file, names in zip(rows_of, about, strict=True):
        # A folder with the files of several generators names none of them.
        alike = [other == names for one, other in zip(rows_of, about, strict=True) if one.name == file.name]
        is_named = (file.named and all(alike)) or about.count(names) > 1
        renamed.append({next(iter(names)): file.name} if len(names) == 1 and is_named else {})
    return renamed


def _generators(row: Record) -> tuple[str, str]:
    return row.name("generator_1"), row.name("generator_2")


def _item(
    row: Record,
    pair: tuple[str, str],
    numbers: dict[str, int],
    outputs: dict[tuple[str, ...], list[tuple[str, str]]],
) -> str:
    """Return a short id of an instruction; one that occurs again with other outputs is another item."""
    instruction = row.name("instruction")
    texts = (str(row.data.get("output_1")), str(row.data.get("output_2")))
    known = outputs.setdefault((instruction, *pair), [])
    if texts not in known:
        known.append(texts)
    again = known.index(texts)
    place = numbers.setdefault(instruction, len(numbers) + 1)
    # Letters enough to know an instruction by
    shown = " ".join(instruction.split())[:40]
    return f"{place}: {shown}" + (f" ({again + 1})" if again else "")


def _won(row: Record) -> float:
    value = row.data.get("preference")
    if value is None or value != value:
        return math.nan
    preference = 1.5 if value == 0.0 else number(value)  # the first versions wrote a tie as 0
    if preference is None or not 1.0 <= preference <= 2.0:
        raise InvalidInputError(
            f"{row.where}: the preference is {value!r:.40}, expected a number from 1 to 2 (1.5: a tie)"
        )
    return preference - 1.0
