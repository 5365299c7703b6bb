"""The lock of a board: one process at a time writes.

The kernel frees it when its holder ends, however it ends. It is a lock of SQLite on an empty database, so
that it works on every system where Python does.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from bestby._core.errors import BoardError
from bestby._core.text import path_text

WAIT = 60.0
"""Seconds that a process waits for the others."""


@contextlib.contextmanager
def held(path: Path, wait: float = WAIT) -> Iterator[None]:
    """Hold a lock, whose file is made if it is not there; others wait for as many seconds."""
    with _reported(path, wait):
        connection = sqlite3.connect(path, timeout=wait, isolation_level=None)
    with contextlib.closing(connection):
        with _reported(path, wait):
            connection.execute("PRAGMA journal_mode=MEMORY")  # nothing is ever written, so no journal either
            connection.execute("BEGIN EXCLUSIVE")
        yield


@contextlib.contextmanager
def _reported(path: Path, wait: float) -> Iterator[None]:
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
