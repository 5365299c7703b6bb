"""Making a board from a gold, and correcting the gold of one."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import numpy as np

from bestby._core import checks, files
from bestby._core.arrays import objects
from bestby._core.errors import BoardError, InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.text import counted, grouped, path_text, quoted, suggestion
from bestby._core.typing import Rng
from bestby.boards import gold as golds
from bestby.boards.folder import ATTRIBUTES, Folder, gitignore_text, table_bytes
from bestby.boards.gold import RESERVED_COLUMNS, TaskGold, split
from bestby.boards.predictions import Hidden, Labels, form_of
from bestby.boards.record import Event, GoldSet, SettingsSet, gold_in_force
from bestby.boards.settings import (
    Phase,
    Settings,
    Task,
    check_visible,
    checked_name,
    checked_text,
    parse,
    text_of,
)
from bestby.boards.submitting import changed_settings, checked_settings
from bestby.data.roles import GOLD_WORDS, ITEM_WORDS, gold_names, listed
from bestby.metrics.directions import is_label
from bestby.metrics.registry import resolve
from bestby.questions.items.evaluate import evaluate
from bestby.readers.files import read_table

TASK = "task"
"""The name of the one task of a board whose gold was given without a name."""


@dataclasses.dataclass(frozen=True, slots=True)
class Columns:
    """The columns of the ids and of the gold in the file of a gold; None for those with telling names."""

    items: str | None = None
    gold: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Wish:
    """What a board is to be: what all its tasks share, and what of the gold is split and published.

    The name of `task` is not used, and its labels, if there are none, are those of the gold.
    """

    title: str
    task: Task
    public_columns: tuple[str, ...] = ()
    baseline: str | None = None
    private_share: float | None = None


def make(folder: Folder, golds_by_task: Mapping[str, TaskGold], wish: Wish, rng: Rng, now: datetime) -> None:
    """Make a board: settings, public items, hidden gold and the first lines of the record.

    The settings are written last: without them, there is no board.
    """
    check_free(folder)
    if not wish.task.metrics:
        raise InvalidInputError(
            "a board needs a metric", hint='metrics="accuracy"; the first decides the ranks'
        )
    read = dict(golds_by_task)
    tasks = tuple(_task(name, gold, wish) for name, gold in read.items())
    _check_apart([task.name for task in tasks])
    for task, gold in zip(tasks, read.values(), strict=True):
        _check_metrics(task, gold)
    settings = Settings(
        title=wish.title, tasks=tasks, phases=_phases(wish.private_share is not None), baseline=wish.baseline
    )
    text = text_of(settings)
    parse(text, str(folder.settings_file))
    if wish.private_share is not None:
        read = {
            name: split(gold, wish.private_share, rng, wish.task.clusters, wish.task.strata)
            for name, gold in read.items()
        }
    with folder.locked():
        check_free(folder)
        hashes = {name: _write_items(folder, settings, name, gold, wish) for name, gold in read.items()}
        mark = golds.write(folder, 1, read)
        events: list[Event] = [SettingsSet(text), GoldSet(1, mark, hashes)]
        folder.append((), events, now)
        with files.reported(f"write {path_text(folder.path)}", BoardError):
            files.folder(folder.submissions)
            files.replace(folder.path / ".gitignore", gitignore_text(folder).encode(), folder.scratch)
            files.replace(folder.path / ".gitattributes", ATTRIBUTES.encode(), folder.scratch)
            files.replace(folder.settings_file, text.encode(), folder.scratch)


def read_gold(path: str | Path, columns: Columns, *, scores: bool) -> TaskGold:
    """Return the gold of a table: ids, labels unless `scores` are submitted, and all other columns."""
    table = read_table(readable_file(path), frozenset({""}))
    ids = table.item_column(columns.items)
    if ids is None:
        raise InvalidInputError(
            f"{table.source} has no column of item ids",
            hint=f"call it {' or '.join(ITEM_WORDS)}, or name it: items=...",
        )
    column_names = {"id": ids}
    if not scores:
        words = gold_names(table.names) or GOLD_WORDS
        column_names["gold"] = table.column_called(columns.gold, words, "gold_column")
    others = [
        name for name in table.names if name not in column_names.values() and not (scores and name == "gold")
    ]
    taken = [name for name in others if name in RESERVED_COLUMNS]
    if taken:
        raise InvalidInputError(
            f"{table.source}: the column {quoted(taken[0])} has a name that boards use for something else",
            hint="rename it or leave it out",
        )
    for name in [*column_names.values(), *others]:
        raw = table.raw(name)
        if isinstance(raw, np.ndarray) and any(
            isinstance(one, list | dict | np.ndarray) for one in np.ma.getdata(raw)
        ):
            raise InvalidInputError(
                f"{table.source}: column {quoted(name)} holds lists or objects, and a board takes one value"
                " per item",
                hint="leave the column out; to rank sets of labels, give the board per-item scores:"
                ' scores=True and metrics="score"',
            )
    cells: dict[str, list[str]] = {key: table.texts(name, key) for key, name in column_names.items()}
    cells |= {name: table.cells(name) for name in others}
    seen: set[str] = set()
    for item in cells["id"]:
        if item in seen:
            raise InvalidInputError(
                f"{table.source} has the item {quoted(item)} twice", hint="give every item a line of its own"
            )
        seen.add(item)
    return TaskGold(cells)


def _task(name: str, gold: TaskGold, wish: Wish) -> Task:
    """Return the settings of a task, checked against its gold."""
    asked = wish.task
    labels: tuple[str, ...] = ()
    if asked.scores:
        needing = [one for one in asked.metrics if not is_label(one) and resolve(one).needs_gold]
        if needing:
            raise InvalidInputError(
                f"{needing[0]} compares predictions with a gold, and what systems submit are scores",
                hint='give the scores another name, such as "score", or give a gold',
                argument="metrics",
            )
    else:
        first = resolve(asked.metrics[0])
        if first.reads == "distributions":
            raise InvalidInputError(
                f"{first.name} takes a probability per class, and a board takes one value per item",
                hint="give the board per-item scores: scores=True",
                argument="metrics",
            )
        sets = next((one for one in asked.metrics if resolve(one).label_sets), None)
        if sets is not None:
            raise InvalidInputError(
                f"{sets} reads a set of labels per item, and a board takes one value per item",
                hint='give the board per-item scores: scores=True and metrics="score"',
                argument="metrics",
            )
        if any(resolve(metric).reads == "labels" for metric in asked.metrics):
            labels = asked.labels or _labels(gold, first.name)
    for column in wish.public_columns:
        if column in RESERVED_COLUMNS[1:]:
            raise InvalidInputError(
                f"the column {quoted(column)} cannot be public: it is what systems predict",
                hint="name other columns, such as the texts of the items",
                argument="public_columns",
            )
    groups = [one for one in (asked.clusters, asked.strata, *asked.slices) if one is not None]
    for what in (*groups, *wish.public_columns):
        if what not in gold.columns:
            raise InvalidInputError(
                f"the gold has no column {quoted(what)}{suggestion(what, gold.columns)}",
                hint=f"its columns are: {listed(list(gold.columns))}",
            )
    for what in groups:
        if "" in gold.columns[what]:
            raise InvalidInputError(
                f"the gold has items without a value in the column {quoted(what)}",
                hint="give every item one",
            )
    task_name = checked_name(name, "task")
    check_visible(task_name, "task")
    return dataclasses.replace(asked, name=task_name, labels=labels)


def _labels(gold: TaskGold, metric: str) -> tuple[str, ...]:
    """Return the labels of a gold, which `board.toml` lists for everybody; answers to items are no labels."""
    labels = tuple(sorted(set(gold.labels or ())))
    # So many labels are never taken for the answers to single items
    if len(labels) > max(20, len(gold.ids) // 2):
        raise InvalidInputError(
            f"the gold has {grouped(len(labels))} different labels for {grouped(len(gold.ids))} items, and a"
            f" board publishes the labels of {metric}: they would tell the answers",
            hint="score answers by em or em_strict",
            argument="metrics",
        )
    return labels


def _phases(split: bool) -> tuple[Phase, ...]:
    """Return the phases of a new board: one, or a public one and a private one after it."""
    if not split:
        return (Phase("all"),)
    return (Phase("public", part="public"), Phase("private", part="private", show="after"))


def check_free(folder: Folder) -> None:
    """Refuse to make a board where there is one, or what is left of one."""
    if folder.settings_file.exists():
        raise InvalidInputError(
            f"{path_text(folder.path)} is a board already", hint="name another folder, or edit its board.toml"
        )
    for left in (folder.record_file, folder.gold_version(1)):
        if left.exists():
            raise InvalidInputError(
                f"{path_text(left)} is there, but no board.toml beside the record",
                hint="restore board.toml; or remove what is left of a board whose making was interrupted",
            )


def _check_apart(names: Sequence[str]) -> None:
    """Refuse tasks whose files would be one file where capital letters make no difference in paths."""
    spelled: dict[str, str] = {}
    for name in names:
        other = spelled.setdefault(name.casefold(), name)
        if other != name:
            raise InvalidInputError(
                f"the tasks {quoted(other)} and {quoted(name)} differ in capital letters alone, and would"
                " share their files on some file systems",
                hint="rename one of them",
            )


def _check_metrics(task: Task, gold: TaskGold) -> None:
    """Refuse metrics that cannot score a system which predicts the gold itself."""
    if task.scores:
        return
    hidden = Hidden.of(task, gold, gold.ids, "all")
    labels = list(gold.labels or ())
    form = form_of(task)
    if form == "labels":
        perfect = Labels(task.labels).codes(labels)
    elif form == "texts":
        perfect = objects(labels)
    elif hidden.gold is not None and hidden.gold.dtype.kind == "f":
        perfect = hidden.gold
        checks.check_bounded(perfect, f"the gold of {quoted(task.name)}")
        checks.check_not_tiny(perfect, f"the gold of {quoted(task.name)}")
    else:  # labels of which the probability of the last is predicted
        _, codes = np.unique(labels, return_inverse=True)
        perfect = codes / max(1, int(codes.max()))
    evaluation = hidden.evaluation({"the gold itself": perfect})
    for metric in task.metrics:
        score = evaluate(evaluation, metric=metric, interval=None).systems[0].score
        if not math.isfinite(score):
            raise InvalidInputError(
                f"the gold of {quoted(task.name)} gives a system that predicts it no score by {metric}",
                hint="give another metric or another gold",
            )


def _write_items(folder: Folder, settings: Settings, name: str, gold: TaskGold, wish: Wish) -> str:
    """Write the public list of the items of a task, and return its hash."""
    path = folder.items_file(name, settings)
    data = table_bytes({column: gold.columns[column] for column in ("id", *wish.public_columns)})
    with files.reported(f"write {path_text(path)}", BoardError):
        files.folder(path.parent)
        files.replace(path, data, folder.scratch)
    return hashlib.sha256(data).hexdigest()


def correct(folder: Folder, files: Mapping[str, Path], columns: Columns, reason: str, now: datetime) -> int:
    """Give a board a corrected gold and return the number of its version; the old one stays beside it.

    Tasks that are not given keep their gold. A corrected gold has the items of the public list or some of
    them; each stays in its part, and keeps what the new gold has no columns for.
    """
    reason = checked_text(reason)
    if not reason.strip():
        raise InvalidInputError("a corrected gold needs a reason", hint="say what was corrected: reason=...")
    with folder.locked():
        lines = folder.lines()
        settings = checked_settings(folder, lines)
        old = gold_in_force(lines)
        before = golds.read(folder, old, settings.tasks)
        new = dict(before)
        for name, path in files.items():
            task = settings.task(name)
            corrected = read_gold(path, columns, scores=task.scores)
            new[name] = _corrected(corrected, before[name], folder.items(name, settings), task, path)
            _check_metrics(task, new[name])
        if all(dict(new[name].columns) == dict(before[name].columns) for name in new):
            raise InvalidInputError(
                "the corrected gold is the gold that the board has", hint="give another one"
            )
        mark = golds.write(folder, old.version + 1, new)
        event = GoldSet(old.version + 1, mark, old.items, reason)
        folder.append(lines, [*changed_settings(folder, lines), event], now)
    return old.version + 1


def _corrected(
    new: TaskGold, before: TaskGold, items: Sequence[str], task: Task, path: str | Path
) -> TaskGold:
    """Return a corrected gold; what it has no columns for is taken over from the gold before it."""
    listed = set(items)
    unknown = [item for item in new.ids if item not in listed]
    if unknown:
        raise InvalidInputError(
            f"{path_text(path)} has {counted(len(unknown), 'item')} that the public list does not have;"
            f" first: {quoted(unknown[0])}",
            hint="a corrected gold may leave items out, but not add any",
        )
    if task.labels and (Labels(task.labels).codes(new.labels or ()) < 0).any():
        raise InvalidInputError(
            f"{path_text(path)} has labels that board.toml does not list for the task {quoted(task.name)}",
            hint="correct the gold, or add the labels to board.toml",
        )
    left = [name for name in before.columns if name not in new.columns]
    place_of = {item: place for place, item in enumerate(before.ids)}
    lost = [item for item in new.ids if item not in place_of] if left else []
    if lost:
        raise InvalidInputError(
            f"{path_text(path)} has an item that the gold before it left out: {quoted(lost[0])}",
            hint="leave it out again" if "part" in left else f"give the columns {', '.join(left)} too",
        )
    places = [place_of[item] for item in new.ids] if left else []
    carried = {name: [before.columns[name][place] for place in places] for name in left}
    return TaskGold({**new.columns, **carried})
