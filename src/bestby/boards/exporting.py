"""The systems of a phase as one table, which `bestby compare` and other tools read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from bestby._core import files
from bestby._core.errors import BoardError, InvalidInputError
from bestby._core.text import path_text, quoted
from bestby._core.typing import Array
from bestby.boards.content_maker import gold_of
from bestby.boards.entries import System, chosen
from bestby.boards.folder import Folder, gold_in_force, table_bytes
from bestby.boards.gold import OWN_COLUMNS, TaskGold
from bestby.boards.scoring import form_of
from bestby.boards.secrets import sealed
from bestby.boards.settings import Settings, Task
from bestby.boards.site.page import MANIFEST
from bestby.boards.submission_reader import SubmissionReader
from bestby.boards.submitting import checked
from bestby.data.values import number_of
from bestby.report.writers.csv import FORMULA

Columns = Mapping[str, Sequence[str]]


def export(folder: Folder, path: Path, task: str | None, phase: str | None, *, with_gold: bool) -> int:
    """Write the predictions of the systems that a phase shows, a column per system; return how many.

    `with_gold` adds the gold of the items that the phase scores and their groups; without it, all items of
    the public list are written.
    """
    _check_place(folder, path)
    lines = folder.lines()
    settings = checked(folder, lines)
    own = settings.task(task)
    reader = SubmissionReader(folder, settings)
    shown = chosen(lines, settings).systems
    name = _phase(settings, phase, shown)
    systems = [system for system in shown[name] if own.name in system.event.files]
    with sealed("export the board"):
        predicted = reader.predicted(own, [(system.submission, system.event) for system in systems])
        written = {system.key: _texts(predicted[system.submission], own) for system in systems}
        columns = _harmless(written, own)
        table: Columns = {"id": folder.items(own.name, settings), **columns}
        if with_gold:
            gold = gold_of(folder, settings)(gold_in_force(lines))[own.name]
            table = _with_gold(table, gold, own, settings.phase(name).part)
    with files.reported(f"write {path_text(path)}", BoardError):
        files.replace(path, table_bytes(table), path.parent)
    return len(systems)


_OF_SQLITE = [f"lock.sqlite{end}" for end in ("", "-journal", "-wal", "-shm")]


def _check_place(folder: Folder, path: Path) -> None:
    """Refuse to write over a file of the board, or into a site."""
    place = path.resolve()
    folders = (folder.gold_folder, folder.submissions, folder.path / "items", folder.scratch)
    kept = ("board.toml", "record.jsonl", "items.csv", ".gitignore", ".gitattributes", *_OF_SQLITE)
    own = place.parent == folder.path.resolve() and place.name.casefold() in kept
    in_site = any((one / MANIFEST).is_file() for one in place.parents)
    if own or in_site or any(one.resolve() in place.parents for one in folders):
        raise InvalidInputError(
            f"{path_text(path)} is a place of the board's own files or of a published site",
            hint="name another file, such as all.csv",
        )


def _phase(settings: Settings, asked: str | None, shown: Mapping[str, Sequence[System]]) -> str:
    """Return the phase asked for, or the last one that has systems to show."""
    hint = "systems are exported when their results are published"
    if asked is not None:
        name = settings.phase(asked).name
        if not shown.get(name):
            raise InvalidInputError(f"phase {quoted(name)} shows no system", hint=hint)
        return name
    found = next((one.name for one in reversed(settings.phases) if shown.get(one.name)), None)
    if found is None:
        raise InvalidInputError("the board shows no system", hint=hint)
    return found


def _with_gold(table: Columns, gold: TaskGold, task: Task, part: str) -> Columns:
    """Return the rows of a part of the gold, with the gold and the groups of its items before the systems."""
    inside = gold.in_part(part).tolist()
    row_of = {item: row for row, item in enumerate(table["id"])}
    rows = [row_of[item] for item, kept in zip(gold.ids, inside, strict=True) if kept]
    names = [name for name in gold.columns if name not in (*OWN_COLUMNS, *table)]
    labels = ["gold"] if gold.labels is not None else []
    hidden: dict[str, Sequence[str]] = {
        name: [value for value, kept in zip(gold.columns[name], inside, strict=True) if kept]
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


def _texts(values: Array, task: Task) -> Sequence[str]:
    if form_of(task) == "labels":
        return [task.labels[code] for code in values.tolist()]
    return [one if isinstance(one, str) else repr(one) for one in values.tolist()]
