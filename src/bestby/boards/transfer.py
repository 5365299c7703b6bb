"""Results that are there already become a board, and the systems of a board become one table."""

from __future__ import annotations

import dataclasses
import re
import tempfile
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core import files, hints
from bestby._core.arrays import objects
from bestby._core.errors import BestbyError, BoardError, InvalidInputError
from bestby._core.keywords import MOVED
from bestby._core.paths import readable_file
from bestby._core.text import counted, path_text, quoted
from bestby._core.typing import Array, OnMissing
from bestby.boards import gold as golds
from bestby.boards import making
from bestby.boards.folder import Folder, table_bytes
from bestby.boards.gold import RESERVED_COLUMNS, TaskGold, sealed
from bestby.boards.predictions import SubmissionReader, absent, form_of, predictions_of_systems
from bestby.boards.record import Event, Line, Submitted, System, chosen, ended, gold_in_force
from bestby.boards.settings import REFUSED, Settings, Task, checked_key, unseen
from bestby.boards.site.building import MANIFEST
from bestby.boards.submitting import changed_settings, checked_settings
from bestby.comparisons.reading import reading_of
from bestby.data.columns import MISSING, text_of_value
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.items import evaluation_of
from bestby.data.reading import Reading
from bestby.data.roles import TableOptions
from bestby.data.table import Table
from bestby.data.values import number_of
from bestby.metrics.suitability import chosen_metrics
from bestby.readers import paths
from bestby.readers.files import read_table
from bestby.readers.reading import read
from bestby.report.writers.csv import FORMULA
from bestby.results.base import Note


@dataclass(frozen=True)
class Results:
    """A table of results: where it is and what its columns are, as `read` takes them.

    `in_rows`: it has a row per system and a column per item, and the first column names the systems. Systems
    without a team in their names, as in "team/system", are of `team`.
    """

    path: str | Path
    gold: str | None = None
    items: str | None = None
    systems: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    clusters: str | None = None
    strata: str | None = None
    slices: tuple[str, ...] = ()
    in_rows: bool = False
    on_missing: OnMissing = "error"
    team: str = "imported"


ITEM = "id"
"""What the column of the ids is called in a table that had a row per system."""

SCORE = "score"
"""What scores without a name are called."""


def import_results(
    folder: Folder, results: Results, wish: making.Wish, phase: str | None, now: datetime
) -> tuple[Note, ...]:
    """Add the systems of a table to a board, which is made if it is not there; return how it was read.

    What a system predicted is stored without the gold: a file of all systems of the table. The same table
    twice adds nothing.
    """
    evaluation = _evaluation(results, wish.task.metrics)
    by_key = _keys(evaluation.names, results.team)
    ids = [str(one) for one in _ids(evaluation)]
    columns = {key: _texts(evaluation.systems[name]) for key, name in by_key.items()}
    if not folder.settings_file.exists():
        _make(folder, results, evaluation, ids, wish, now)
    _add(folder, ids, columns, phase, now, str(results.path))
    return evaluation.notes


def _evaluation(results: Results, metrics: Sequence[str]) -> Evaluation:
    """Return what the table holds; the hint of an error names none of the arguments that `read` alone has."""
    try:
        return _read(results, metrics)
    except BestbyError as error:
        parameters, taken = {*signature(read).parameters, *MOVED}, vars(results)
        if error.hint is not None:
            if "on_missing" in error.hint:
                error.hint = 'pass on_missing="drop" to leave out these items, or "drop-systems" the systems'
            error.hint = hints.possible_hint(hints.without_records(error.hint), parameters, taken)
        raise


def _read(results: Results, metrics: Sequence[str]) -> Evaluation:
    path = readable_file(results.path)
    reading = reading_of(list(metrics)) if results.gold else {}
    options: dict[str, Any] = {
        "gold": results.gold,
        "items": results.items,
        "systems": list(results.systems) or None,
        "clusters": results.clusters,
        "strata": results.strata,
        "on_missing": results.on_missing,
        "reading": Reading(ignore=list(results.ignore) or None),
    }
    if not results.in_rows:
        return read(path, stream=False, **reading, by=list(results.slices) or None, **options)
    table = _turned(read_table(path, frozenset({""})), results.gold)
    options |= {
        "items": ITEM,
        "slices": results.slices,
        "soft": paths.soft_options(**reading),
    }
    return evaluation_of(table, TableOptions.of(**options))


def _turned(table: Table, gold: str | None) -> Table:
    """Return a table with a row per system, one of which may be the gold, as one with a row per item."""
    names = table.texts(table.names[0], "system")
    if gold is not None and gold not in names:
        raise InvalidInputError(
            f"{table.source} has no row {quoted(gold)} with the gold",
            hint="the first column names the systems, and the gold is one of them",
            argument="gold",
        )
    if len({*names, ITEM}) <= len(names):
        raise InvalidInputError(
            f"{table.source} names a system twice, or calls one id",
            hint="give every system a name of its own",
        )
    columns = [
        ["" if gone else text_of_value(value) for value, gone in zip(one.values, one.missing, strict=True)]
        for one in map(table.column, table.names[1:])
    ]
    by_system = {
        name: objects(list(row)) for name, row in zip(names, zip(*columns, strict=True), strict=True)
    }
    return Table(table.source, {ITEM: objects(list(table.names[1:])), **by_system}, frozenset(MISSING))


def _keys(names: Sequence[str], team: str) -> dict[str, str]:
    """Return the names of the systems by the names that they have on the board.

    Characters that have a meaning in pages and paths become hyphens.
    """
    by_key: dict[str, str] = {}
    for name in names:
        before, slash, after = name.partition("/")
        key = checked_key(f"{_plain(before)}/{_plain(after)}" if slash else f"{team}/{_plain(name)}")
        if key in by_key:
            raise InvalidInputError(
                f"the systems {quoted(by_key[key])} and {quoted(name)} would both be called {quoted(key)}",
                hint="rename one of them",
            )
        by_key[key] = name
    return by_key


def _plain(name: str) -> str:
    plain = " ".join(unicodedata.normalize("NFC", name).split())
    seen = "".join(one for one in plain if one not in unseen(plain))
    return re.sub(r"^[.\-+@\s]+", "", REFUSED.sub("-", seen)).strip() or "system"


def _make(
    folder: Folder, results: Results, evaluation: Evaluation, ids: list[str], wish: making.Wish, now: datetime
) -> None:
    """Make a board from the gold and the groups of a table."""
    columns: dict[str, list[str]] = {"id": ids}
    labels: tuple[str, ...] = ()
    if evaluation.gold is not None:
        columns["gold"] = _texts(evaluation.gold)
        predicted = {text for values in evaluation.systems.values() for text in _texts(values)}
        labels = tuple(sorted({*columns["gold"], *predicted}))
    groups = {"cluster": evaluation.clusters, "stratum": evaluation.strata, **evaluation.groupings}
    present = {name: values for name, values in groups.items() if values is not None}
    columns |= {name: _texts(values) for name, values in present.items()}
    scores = evaluation.gold is None
    direction = wish.task.greater_is_better
    chosen, _ = chosen_metrics(list(wish.task.metrics), evaluation, direction if scores else None)
    if scores and direction is None:
        direction = chosen[0].greater_is_better
    task = dataclasses.replace(
        wish.task,
        clusters="cluster" if "cluster" in present else None,
        strata="stratum" if "stratum" in present else None,
        slices=tuple(name for name in results.slices if name in present),
        labels=labels,
        scores=scores,
        greater_is_better=direction if scores else None,
    )
    wish = dataclasses.replace(wish, task=task)
    making.make(folder, {making.TASK: TaskGold(columns)}, wish, None, now)


def _ids(evaluation: Evaluation) -> Array:
    if evaluation.items is not None:
        return evaluation.items
    return np.arange(1, evaluation.n_items + 1)


def _texts(values: Array) -> list[str]:
    if values.ndim != 1:
        raise InvalidInputError(
            "the table has several numbers per item and system, and a board takes one value",
            hint="give labels, numbers, texts, or the score of each item",
        )
    return [text_of_value(value) for value in values.tolist()]


def _add(
    folder: Folder,
    ids: list[str],
    columns: dict[str, list[str]],
    phase: str | None,
    now: datetime,
    shown: str,
) -> None:
    """Add the columns of a table, which messages call `shown`, as submissions to a board of one task."""
    with folder.locked():
        lines = folder.lines()
        settings = checked_settings(folder, lines)
        task = settings.task()
        data = table_bytes({"id": ids, **columns})
        with tempfile.TemporaryDirectory(dir=folder.scratch) as scratch:
            path = Path(scratch) / "results.csv"
            path.write_bytes(data)
            predictions_of_systems(path, task, folder.items(task.name, settings), list(columns), shown)
        name = _import_phase(settings, phase, lines, now)
        file = folder.store(data, ".csv")
        present = {
            (one.key, one.phase, *one.files.values())
            for one in (line.event for line in lines)
            if isinstance(one, Submitted)
        }
        events: list[Event] = []
        for key in columns:
            team, _, system = key.partition("/")
            one_column = dataclasses.replace(file, column=key)
            if (key, name, one_column) not in present:
                events.append(Submitted(team, system, name, {task.name: one_column}))
        if events:
            folder.append(lines, [*changed_settings(folder, lines), *events], now)


def _import_phase(settings: Settings, asked: str | None, lines: Sequence[Line], now: datetime) -> str:
    """Return the phase asked for, or the one that is open."""
    if asked is not None:
        return settings.phase(asked).name
    phase = settings.phase_at(now, ended(lines))
    if phase is None:
        raise InvalidInputError(
            "no phase of the board is open",
            hint=f"name one of its {counted(len(settings.phases), 'phase')}: phase=...",
        )
    return phase.name


Columns = Mapping[str, Sequence[str]]


def export(folder: Folder, path: Path, task: str | None, phase: str | None, *, with_gold: bool) -> int:
    """Write the predictions of the systems that a phase shows, a column per system; return how many.

    `with_gold` adds the gold of the items that the phase scores and their groups; without it, all items of
    the public list are written.
    """
    _check_place(folder, path)
    lines = folder.lines()
    settings = checked_settings(folder, lines)
    chosen_task = settings.task(task)
    reader = SubmissionReader(folder, settings)
    shown = chosen(lines, settings).systems
    name = _export_phase(settings, phase, shown)
    systems = [system for system in shown[name] if chosen_task.name in system.event.files]
    with sealed("export the board"):
        predicted = reader.predicted(chosen_task, [(system.submission, system.event) for system in systems])
        written = {
            system.key: _prediction_texts(predicted[system.submission], chosen_task) for system in systems
        }
        columns = _harmless(written, chosen_task)
        table: Columns = {"id": folder.items(chosen_task.name, settings), **columns}
        if with_gold:
            gold = golds.read(folder, gold_in_force(lines), [chosen_task])[chosen_task.name]
            table = _with_gold(table, gold, chosen_task, settings.phase(name).part)
    with files.reported(f"write {path_text(path)}", BoardError):
        files.replace(path, table_bytes(table), path.parent)
    return len(systems)


def _check_place(folder: Folder, path: Path) -> None:
    """Refuse to write over a file of the board, or into a site."""
    place = path.resolve()
    folders = (folder.gold_folder, folder.submissions, folder.path / "items", folder.scratch)
    protected = ("board.toml", "record.jsonl", "items.csv", ".gitignore", ".gitattributes", *_OF_SQLITE)
    in_board = place.parent == folder.path.resolve() and place.name.casefold() in protected
    in_site = any((one / MANIFEST).is_file() for one in place.parents)
    if in_board or in_site or any(one.resolve() in place.parents for one in folders):
        raise InvalidInputError(
            f"{path_text(path)} is a place of the board's own files or of a published site",
            hint="name another file, such as all.csv",
        )


_OF_SQLITE = [f"lock.sqlite{end}" for end in ("", "-journal", "-wal", "-shm")]


def _export_phase(settings: Settings, asked: str | None, shown: Mapping[str, Sequence[System]]) -> str:
    """Return the phase asked for, or the last one that has systems to show."""
    hint = "systems are exported when their results are published"
    if asked is not None:
        name = settings.phase(asked).name
        if not shown.get(name):
            raise InvalidInputError(f"phase {quoted(name)} shows no system", hint=hint)
        return name
    newest = next((one.name for one in reversed(settings.phases) if shown.get(one.name)), None)
    if newest is None:
        raise InvalidInputError("the board shows no system", hint=hint)
    return newest


def _with_gold(table: Columns, gold: TaskGold, task: Task, part: str) -> Columns:
    """Return the rows of a part of the gold, with the gold and the groups of its items before the systems."""
    inside = gold.in_part(part).tolist()
    row_of = {item: row for row, item in enumerate(table["id"])}
    rows = [row_of[item] for item, shown in zip(gold.ids, inside, strict=True) if shown]
    names = [name for name in gold.columns if name not in (*RESERVED_COLUMNS, *table)]
    labels = ["gold"] if gold.labels is not None else []
    hidden: dict[str, Sequence[str]] = {
        name: [value for value, shown in zip(gold.columns[name], inside, strict=True) if shown]
        for name in ["id", *labels, *names]
    }
    hidden.update(_harmless({name: hidden[name] for name in labels}, task))
    return {
        **hidden,
        **{name: [values[row] for row in rows] for name, values in table.items() if name != "id"},
    }


def _harmless(columns: Columns, task: Task) -> Columns:
    """Return columns whose texts no spreadsheet takes for formulas: such a text gets an apostrophe in front.

    Numbers stay, and so do labels, which are those of the settings. Gold and predictions get it alike: texts
    that were equal are.
    """
    if form_of(task) != "texts":
        return columns
    return {
        name: [
            "'" + one if one.startswith(FORMULA) and number_of(one.strip()) is None else one for one in values
        ]
        for name, values in columns.items()
    }


def _prediction_texts(values: Array, task: Task) -> Sequence[str]:
    if form_of(task) == "labels":
        texts = [task.labels[code] for code in values.tolist()]
    else:
        texts = [one if isinstance(one, str) else repr(one) for one in values.tolist()]
    return ["" if gone else text for text, gone in zip(texts, absent(values).tolist(), strict=True)]
