"""The hidden gold of a board: its versions as files, and the mark that a changed gold does not fit.

The mark is a keyed hash whose key lies beside the gold, so that who sees the record cannot try labels until
the mark fits.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core import files
from bestby._core.errors import BoardError
from bestby._core.text import path_text
from bestby._core.typing import BoolArray
from bestby.boards.events import GoldSet, Line
from bestby.boards.folder import Folder, gold_in_force, read_columns, table_bytes
from bestby.boards.settings import Task

OWN_COLUMNS = ("id", "gold", "part")
"""Columns that mean the same on every board; all others are named by the settings."""


@dataclass(frozen=True, slots=True)
class TaskGold:
    """The gold of a task: what each of its items has in every column, as text.

    `columns` has "id", "gold" if the task has gold, "part" if the items are split, and those that the
    settings name. Its ids may be fewer than those of the public list: a corrected gold leaves items out.
    """

    columns: Mapping[str, Sequence[str]]

    @property
    def ids(self) -> Sequence[str]:
        """The ids of the items, in the order of the gold."""
        return self.columns["id"]

    @property
    def labels(self) -> Sequence[str] | None:
        """The gold label, number or text of each item; None if systems are submitted as scores."""
        return self.columns.get("gold")

    def in_part(self, part: str) -> BoolArray:
        """Return which items belong to a part: "all", "public" or "private"."""
        if part == "all":
            return np.ones(len(self.ids), dtype=np.bool_)
        if "part" not in self.columns:
            raise BoardError(
                f"the gold is not split, but a phase uses its {part} part",
                hint='set part = "all" in board.toml, or make the board with a private share',
            )
        return np.array([one == part for one in self.columns["part"]], dtype=np.bool_)

    def grouping(self, name: str) -> Sequence[str]:
        """Return the cluster, stratum or slice of each item, by the name of the column."""
        if name not in self.columns:
            raise BoardError(
                f"the gold has no column {name!r}, which board.toml names",
                hint="name a column of the gold, or give a gold with it: `bestby board correct`",
            )
        return self.columns[name]


def write(folder: Folder, version: int, golds: Mapping[str, TaskGold], key: bytes | None = None) -> str:
    """Write a version of the gold, and return its mark; it counts once the record tells of it.

    A version that the record does not know was left behind by a process that was killed, and is replaced.
    """
    target = folder.gold_version(version)
    with files.reported("write the gold", BoardError):
        files.folder(target)
        target.chmod(stat.S_IRWXU)
        for left in target.iterdir():
            left.unlink()
        files.replace(target / "key", key or _new_key(), target)  # a scratch folder may be on another disk
        for task, gold in golds.items():
            files.replace(target / f"{task}.csv", table_bytes(gold.columns), target)
    return mark_of(folder, version)


def _new_key() -> bytes:
    """Return a secret key for the mark, as its file holds it."""
    return f"{secrets.token_hex(32)}\n".encode()


def mark_of(folder: Folder, version: int) -> str:
    """Return the mark of a version of the gold as it lies in the folder now."""
    target = folder.gold_version(version)
    with files.reported("read the gold", BoardError):
        try:
            key = bytes.fromhex((target / "key").read_text(encoding="ascii").strip())
        except ValueError:
            raise BoardError(
                f"the key of the gold is damaged: {path_text(target / 'key')}", _RESTORE
            ) from None
        mark = hmac.new(key, digestmod=hashlib.sha256)
        for path in sorted(target.glob("*.csv")):
            name, data = path.stem.encode(), path.read_bytes()
            mark.update(b"%d %d " % (len(name), len(data)) + name + data)
    return mark.hexdigest()


def key_is_as_written(folder: Folder, version: int) -> bool:
    """Return whether the file of a key has no other bytes, such as white space, than it was written with."""
    with files.reported("read the gold", BoardError):
        data = (folder.gold_version(version) / "key").read_bytes()
    return re.fullmatch(rb"[0-9a-f]{64}\n", data) is not None


def is_there(folder: Folder, version: int) -> bool:
    """Tell whether a version of the gold is there: who only adds submissions need not have it."""
    return folder.gold_version(version).is_dir()


def check(folder: Folder, lines: Sequence[Line]) -> None:
    """Refuse a gold in force that is not the one of the record; one that is not there is let pass."""
    gold = gold_in_force(lines)
    if is_there(folder, gold.version):
        check_mark(folder, gold)


def check_there(folder: Folder, gold: GoldSet) -> None:
    """Refuse a version of the gold that is not there."""
    if not is_there(folder, gold.version):
        raise BoardError(
            f"version {gold.version} of the gold is not in {path_text(folder.gold_folder)}",
            hint="say where it lies: --gold-folder, Board(path, gold), or the environment variable"
            " BESTBY_BOARD_GOLD",
        )


def check_mark(folder: Folder, gold: GoldSet) -> None:
    """Refuse a version of the gold that is not there, or not the one that the record tells of."""
    check_there(folder, gold)
    if mark_of(folder, gold.version) != gold.mark:
        raise BoardError(
            f"version {gold.version} of the gold was changed: it is not the one in the record",
            hint="restore it from a copy; to correct the gold, use `bestby board correct`",
        )


def read(folder: Folder, gold: GoldSet, tasks: Sequence[Task]) -> dict[str, TaskGold]:
    """Return a version of the gold by task, after checking its mark."""
    check_mark(folder, gold)
    found = {}
    for task in tasks:
        path = folder.gold_version(gold.version) / f"{task.name}.csv"
        with files.reported("read the gold", BoardError):
            data = path.read_bytes()
        needed = ("id",) if task.scores else ("id", "gold")
        found[task.name] = TaskGold(read_columns(path, data, *needed))
    return found


def rows(gold: TaskGold, kept: Sequence[bool] | BoolArray) -> TaskGold:
    """Return the gold of some of the items."""
    places = [place for place, one in enumerate(kept) if one]
    return TaskGold({name: [values[place] for place in places] for name, values in gold.columns.items()})


_RESTORE = "restore the gold from a copy"
