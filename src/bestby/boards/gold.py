"""The hidden gold of a board: its versions as files, the mark that a changed gold does not fit, its split.

The mark is a keyed hash whose key lies beside the gold, so that who sees the record cannot try labels until
the mark fits. Whatever reads the gold runs in `sealed`, which keeps it out of messages.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import stat
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from bestby._core import checks, files
from bestby._core.errors import BoardError, InvalidInputError
from bestby._core.text import path_text
from bestby._core.typing import BoolArray, IntArray, Rng
from bestby.boards.folder import Folder, read_columns, table_bytes
from bestby.boards.record import GoldSet, Line, gold_in_force
from bestby.boards.settings import Task
from bestby.resampling.streams import seed_of

RESERVED_COLUMNS = ("id", "gold", "part")
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


def read(folder: Folder, gold: GoldSet, tasks: Sequence[Task]) -> dict[str, TaskGold]:
    """Return a version of the gold by task, after checking its mark."""
    check_mark(folder, gold)
    golds = {}
    for task in tasks:
        path = folder.gold_version(gold.version) / f"{task.name}.csv"
        with files.reported("read the gold", BoardError):
            data = path.read_bytes()
        needed = ("id",) if task.scores else ("id", "gold")
        golds[task.name] = TaskGold(read_columns(path, data, *needed))
    return golds


def check(folder: Folder, lines: Sequence[Line]) -> None:
    """Refuse a gold in force that is not the one of the record; one that is not there is let pass."""
    gold = gold_in_force(lines)
    if folder.gold_version(gold.version).is_dir():  # who only adds submissions need not have it
        check_mark(folder, gold)


def check_there(folder: Folder, gold: GoldSet) -> None:
    """Refuse a version of the gold that is not there."""
    if not folder.gold_version(gold.version).is_dir():
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


def mark_of(folder: Folder, version: int) -> str:
    """Return the mark of a version of the gold as it lies in the folder now."""
    target = folder.gold_version(version)
    with files.reported("read the gold", BoardError):
        try:
            key = bytes.fromhex((target / "key").read_text(encoding="ascii").strip())
        except ValueError:
            raise BoardError(
                f"the key of the gold is damaged: {path_text(target / 'key')}", _RESTORE_GOLD
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


_RESTORE_GOLD = "restore the gold from a copy"


def write(folder: Folder, version: int, golds: Mapping[str, TaskGold]) -> str:
    """Write a version of the gold, and return its mark; it counts once the record tells of it.

    A version that the record does not know was left behind by a process that was killed, and is replaced.
    """
    target = folder.gold_version(version)
    with files.reported("write the gold", BoardError):
        files.folder(target)
        target.chmod(stat.S_IRWXU)
        for left in target.iterdir():
            left.unlink()
        key = f"{secrets.token_hex(32)}\n".encode()
        files.replace(target / "key", key, target)  # a scratch folder may be on another disk
        for task, gold in golds.items():
            files.replace(target / f"{task}.csv", table_bytes(gold.columns), target)
    return mark_of(folder, version)


def split(
    gold: TaskGold, private_share: float, rng: Rng, clusters: str | None = None, strata: str | None = None
) -> TaskGold:
    """Return a gold with the column `part`: of every stratum, about a share of the items is private.

    Clusters stay whole. Without strata, the gold labels are the strata if they are few. The units of each
    stratum come in random order, and each is private if this brings the number of private items so far nearer
    to the share.
    """
    if not 0.0 < checks.number(private_share, "private_share") < 1.0:
        raise InvalidInputError(
            f"private_share must be above 0 and below 1, got {private_share!r}", argument="private_share"
        )
    groups = list(range(len(gold.ids))) if clusters is None else _codes_of_texts(gold.grouping(clusters))
    labels = gold.grouping(strata) if strata is not None else gold.labels
    # With more labels than this, the gold is no grouping of the items
    if labels is None or len(set(labels)) > 50:
        labels = [""] * len(gold.ids)
    private = _private_items(
        np.array(groups),
        np.array(_codes_of_texts(labels)),
        private_share,
        np.random.default_rng(seed_of(rng)),
    )
    if private.all() or not private.any():
        raise InvalidInputError(
            f"with private_share={private_share:g}, one of the two parts has no item",
            hint="give another share; there must be two clusters at least",
        )
    parts = ["private" if one else "public" for one in private]
    return TaskGold({**gold.columns, "part": parts})


def _codes_of_texts(values: Sequence[str]) -> list[int]:
    places: dict[str, int] = {}
    return [places.setdefault(value, len(places)) for value in values]


def _private_items(
    units: IntArray, strata: IntArray, share: float, generator: np.random.Generator
) -> BoolArray:
    """Return which items are private; the stratum of a unit is that of most of its items."""
    n_units = int(units.max()) + 1
    counts = np.zeros((n_units, int(strata.max()) + 1), dtype=np.int64)
    np.add.at(counts, (units, strata), 1)
    sizes, largest = counts.sum(axis=1), counts.argmax(axis=1)
    order = generator.permutation(n_units)
    order = order[np.argsort(largest[order], kind="stable")]
    chosen = np.zeros(n_units, dtype=np.bool_)
    owed = float(generator.uniform(-0.5, 0.5))
    for unit in order:
        owed += share * float(sizes[unit])
        if owed > sizes[unit] / 2.0:
            chosen[unit] = True
            owed -= float(sizes[unit])
    private: BoolArray = chosen[units]
    return private


SHOW_VARIABLE = "BESTBY_BOARD_SHOW_ERRORS"
"""The environment variable by which an organiser sees what went wrong, where nobody else reads it."""


@contextmanager
def sealed(doing: str) -> Iterator[None]:
    """Turn every error inside into one that says what was being done and nothing else; hide warnings.

    The errors of boards pass, as their texts quote nothing of the gold and of submissions, but not what they
    arose from.
    """
    if os.environ.get(SHOW_VARIABLE):
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except BoardError as error:
            raise error from None  # without the error that it arose from, whose text is not known
        except Exception as error:  # an error of any kind may quote the gold, and logs are often public
            raise BoardError(
                f"cannot {doing}: {type(error).__name__}; its text may tell of the gold and is not shown",
                hint=f"set {SHOW_VARIABLE}=1 and do it again where nobody else reads the output",
            ) from None
