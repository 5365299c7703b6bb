"""The folder of a board: its files, how they are read and written, its lock, and what git leaves out."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import os
import re
import sqlite3
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bestby._core import checks, files
from bestby._core.errors import BoardError, InvalidInputError
from bestby._core.paths import is_file, possible_path
from bestby._core.text import path_text
from bestby.boards import record
from bestby.boards.record import Event, File, GoldSet, Line
from bestby.boards.settings import Settings, parse
from bestby.readers.text import csv_rows

GOLD_VARIABLE = "BESTBY_BOARD_GOLD"
"""The environment variable that names the folder of the gold, where it lies elsewhere than in the board."""

ATTRIBUTES = "* -text\n"
"""What git is told of the files of a board: their bytes are never converted, as hashes are of bytes."""


@dataclass(frozen=True, slots=True)
class Folder:
    """The paths of a board; nothing is kept in memory, every call looks at the files.

    `gold_folder` is where the versions of the gold lie.
    """

    path: Path
    gold_folder: Path

    @classmethod
    def at(cls, path: str | Path, gold: str | Path | None = None) -> Folder:
        """Return the folder under a path; the gold lies where `gold` or the environment says, or in it."""
        board = possible_path(path)
        hint = "name the folder of the gold, or leave it out"
        if gold is not None:
            checks.valid_path(gold, hint)
        elsewhere = gold or os.environ.get(GOLD_VARIABLE)
        if not elsewhere:
            return cls(board, board / "gold")
        return cls(board, possible_path(checks.valid_path(elsewhere, hint)))

    @classmethod
    def existing(cls, path: str | Path, gold: str | Path | None = None) -> Folder:
        """Return the folder of a board that is there."""
        folder = cls.at(path, gold)
        if not is_file(folder.settings_file):
            raise InvalidInputError(
                f"{path_text(path)} is not a board: it has no board.toml",
                hint="name the folder of a board; `bestby board init` makes one",
            )
        return folder

    @property
    def settings_file(self) -> Path:
        """The settings."""
        return self.path / "board.toml"

    @property
    def record_file(self) -> Path:
        """The record."""
        return self.path / "record.jsonl"

    @property
    def submissions(self) -> Path:
        """The folder of the submissions."""
        return self.path / "submissions"

    @property
    def scratch(self) -> Path:
        """The folder of files that are being written."""
        return self.path / "tmp"

    @property
    def cache(self) -> Path:
        """The folder of what was read and computed before, which may be removed at any time."""
        return self.scratch / "cache"

    def items_file(self, task: str, settings: Settings) -> Path:
        """Return the public list of the items of a task."""
        return self.path / ("items.csv" if len(settings.tasks) == 1 else f"items/{task}.csv")

    def gold_version(self, version: int) -> Path:
        """Return the folder of a version of the gold."""
        return self.gold_folder / str(version)

    def submission_file(self, file: File) -> Path:
        """Return where the bytes of a submission lie."""
        return self.submissions / f"{file.sha256}{file.suffix}"

    def text(self) -> str:
        """Return the text of `board.toml`."""
        with files.reported(f"read {path_text(self.settings_file)}", BoardError):
            data = self.settings_file.read_bytes()
        try:
            return data.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            raise InvalidInputError(
                f"{path_text(self.settings_file)} is not UTF-8: {error.reason} at byte {error.start}",
                hint="save it as UTF-8",
            ) from error

    def settings(self) -> Settings:
        """Return the settings as `board.toml` has them now."""
        return parse(self.text(), str(self.settings_file))

    def lines(self) -> tuple[Line, ...]:
        """Return the lines of the record, of which every hash was checked."""
        with files.reported(f"read {path_text(self.record_file)}", BoardError):
            return record.read_lines(self.record_file)

    def items(self, task: str, settings: Settings) -> tuple[str, ...]:
        """Return the ids of the items of a task, in their order."""
        path = self.items_file(task, settings)
        return tuple(read_columns(path, self._read(path), "id")["id"])

    def check_items(self, settings: Settings, gold: GoldSet) -> None:
        """Refuse public lists of items that are not those of the record."""
        for task in settings.tasks:
            self.check_items_of(task.name, settings, gold)

    def check_items_of(self, task: str, settings: Settings, gold: GoldSet) -> None:
        """Refuse a public list of the items of a task that is not that of the record."""
        path = self.items_file(task, settings)
        if hashlib.sha256(self._read(path)).hexdigest() != gold.items.get(task):
            raise BoardError(
                f"{path_text(path)} is not the list of items in the record",
                hint="restore it from a copy or from git; the items of a board never change",
            )

    def submission(self, file: File) -> bytes:
        """Return the bytes of a submission, whose hash was checked."""
        path = self.submission_file(file)
        data = self._read(path)
        if hashlib.sha256(data).hexdigest() != file.sha256:
            raise BoardError(
                f"{path_text(path)} was changed: its bytes are not those that were submitted",
                hint="restore it from a copy or from git",
            )
        return data

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the board, which every change needs."""
        with files.reported(f"open the board {path_text(self.path)}", BoardError):
            files.folder(self.scratch)
        with exclusive_lock(self.path / "lock.sqlite"):
            files.sweep(self.scratch)
            yield

    def append(self, lines: Sequence[Line], events: Sequence[Event], now: datetime) -> tuple[Line, ...]:
        """Add events to the record, whose `lines` were read under the lock; they are on the disk then."""
        with files.reported(f"write {path_text(self.record_file)}", BoardError):
            return record.append_events(self.record_file, lines, events, now)

    def store(self, data: bytes, suffix: str) -> File:
        """Store the bytes of a submission under their hash, read-only; nothing happens if they are there."""
        file = file_of(data, suffix)
        target = self.submission_file(file)
        with files.reported(f"write {path_text(target)}", BoardError):
            files.folder(self.submissions)
            if files.create(target, data, self.scratch):
                target.chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
        self.submission(file)  # what lay there already is what it should be
        return file

    def _read(self, path: Path) -> bytes:
        with files.reported(f"read {path_text(path)}", BoardError):
            return path.read_bytes()


def file_of(data: bytes, suffix: str) -> File:
    """Return what the record says of a file."""
    return File(hashlib.sha256(data).hexdigest(), suffix=suffix)


LONGEST_WAIT = 60.0
"""Seconds that a process waits for the others."""


@contextlib.contextmanager
def exclusive_lock(path: Path, wait: float = LONGEST_WAIT) -> Iterator[None]:
    """Hold a lock, whose file is made if it is not there; others wait for as many seconds."""
    # The kernel frees it when its holder ends, however it ends. It is a lock of SQLite on an empty database,
    # so that it works on every system where Python does.
    with _reported_lock_error(path, wait):
        connection = sqlite3.connect(path, timeout=wait, isolation_level=None)
    with contextlib.closing(connection):
        with _reported_lock_error(path, wait):
            connection.execute("PRAGMA journal_mode=MEMORY")  # nothing is ever written, so no journal either
            connection.execute("BEGIN EXCLUSIVE")
        yield


@contextlib.contextmanager
def _reported_lock_error(path: Path, wait: float) -> Iterator[None]:
    """Turn an error of SQLite into one that says why the board is not locked."""
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
            raise BoardError(
                f"another process has been writing to the board for {wait:g} seconds: {path_text(path)} is"
                " locked",
                hint="wait until it has ended, then do it again",
            ) from error
        raise BoardError(
            f"the board cannot be locked: {error} ({path_text(path)})",
            hint="the board is as it was; check the permissions and the space left; if the file is damaged,"
            " remove it",
        ) from error


def table_bytes(columns: Mapping[str, Sequence[str]]) -> bytes:
    """Return a table as CSV with a line per item, in the one way in which boards write tables."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return stream.getvalue().encode()


def read_columns(path: Path, data: bytes, *needed: str) -> dict[str, list[str]]:
    """Return the columns of a table that `table_bytes` wrote, perhaps edited since; ids occur once."""
    try:
        rows = list(csv_rows(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))
    except (ValueError, csv.Error) as error:
        raise _damaged(path) from error
    rows = [row for row in rows if row]
    names = rows[0] if rows else []
    if not set(needed) <= set(names) or any(len(row) != len(names) for row in rows):
        raise _damaged(path)
    columns = {name: [row[place] for row in rows[1:]] for place, name in enumerate(names)}
    if len(columns) < len(names) or len(set(columns["id"])) < len(columns["id"]):
        raise _damaged(path)
    return columns


def _damaged(path: Path) -> BoardError:
    return BoardError(
        f"{path_text(path)} is not a table of items as a board keeps it",
        hint="restore it from a copy: CSV with a header, a column id and a line per item",
    )


# What `.gitignore` must hold: git stores neither the gold with its keys nor what is made anew. Git itself is
# not asked: a board can be verified where git is not installed and before the folder is a repository. Lines
# of `.gitignore` are compared with the patterns that boards need, so that a file that leaves the same out in
# other words is reported too.

GITIGNORED = ("gold/", "lock.sqlite*", "tmp/")
"""Patterns of every board."""

_TOKEN = re.compile(r"\\.|\*\*/|\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]])*\]|.")
"""A letter that a backslash takes as it is, ``**/``, one of several letters, or any other letter."""


def gitignore_patterns(folder: Folder) -> tuple[str, ...]:
    """Return the patterns that `.gitignore` needs, that of a gold elsewhere in the board among them."""
    try:
        place = folder.gold_folder.resolve().relative_to(folder.path.resolve()).as_posix()
    except ValueError:  # outside
        return GITIGNORED
    if place.split("/")[0] == "gold":
        return GITIGNORED
    if place == ".":
        return (*GITIGNORED, "/[0-9]*/")  # the folders of the versions lie beside the other files
    return (*GITIGNORED, "/" + re.sub(r"([\\*?\[\]!#\s])", r"\\\1", place) + "/")


def gitignore_text(folder: Folder) -> str:
    """Return the `.gitignore` of a new board."""
    return "".join(f"{pattern}\n" for pattern in gitignore_patterns(folder))


def missing_patterns(folder: Folder) -> list[str]:
    """Return the patterns that are not in force in the `.gitignore` of a board, all if it cannot be read."""
    try:
        lines = (folder.path / ".gitignore").read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    ended = [line.rstrip(" ") for line in lines]  # a space in front is part of a name
    return [pattern for pattern in gitignore_patterns(folder) if not _in_force(pattern, ended)]


def _in_force(pattern: str, lines: Sequence[str]) -> bool:
    """Return whether a line is the pattern, and no line after it takes back what the pattern names.

    Inside a folder that is left out git takes nothing back, but where only its contents are (``gold/**``).
    """
    name, named, is_open = _bare_pattern(pattern), False, False
    for line in lines:
        if line.startswith("!"):
            back = _expression(line[1:])
            named = named and not any(back.fullmatch(one) for one in _named_by(name))
            named = named and not (is_open and _bare_pattern(line[1:]).startswith(f"{name}/"))
        elif _bare_pattern(line) == name:
            named, is_open = True, line.endswith("/**")
    return named


def _named_by(name: str) -> list[str]:
    """Return paths that a pattern of a board names; SQLite puts files of its own beside a file."""
    if name == "[0-9]*":
        return ["1", "10"]
    if name.endswith("*"):
        return [name.rstrip("*") + end for end in ("", "-journal", "-wal", "-shm")]
    return [re.sub(r"\\(.)", r"\1", name)]


def _expression(pattern: str) -> re.Pattern[str]:
    r"""Return what matches at least the paths that a pattern of git does.

    >>> [bool(_expression(one).fullmatch("gold")) for one in (r"/\g[[:alpha:]]l?/", "golden")]
    [True, False]
    """
    parts = {"**/": "(?:.*/)?", "*": ".*", "?": "."}
    tokens = _TOKEN.findall(pattern.strip("/").removesuffix("/**"))
    others = (re.escape(token[-1]) if len(token) < 3 else "." for token in tokens)
    return re.compile("".join(parts.get(token, other) for token, other in zip(tokens, others, strict=True)))


def _bare_pattern(pattern: str) -> str:
    """Return a pattern without what says where and for folders alone; a name stands for both."""
    return pattern.removeprefix("**/").strip("/").removesuffix("/**")
