"""What was read from submissions, in a SQLite database that can be removed at any time.

Every value is kept under a hash of all that it follows from, so that nothing in it can be out of date, and
with a mark of its bytes, so that a changed value is not used. Both are keyed with the secret beside the gold:
who sends a database along with a submission cannot make one whose values are used. A database that is damaged
or was written by another version of the package, is made anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core.arrays import objects
from bestby._core.typing import Array
from bestby._version import __version__

_LAYOUT = f"4 {__version__}"
_SMALL = 100.0


class Cache:
    """Arrays by key; without a database none is kept."""

    def __init__(self, database: sqlite3.Connection | None = None, secret: bytes = b"") -> None:
        self._database = database
        self._secret = secret

    def key(self, *parts: Any) -> str:
        """Return the key of a value that follows from these parts, which JSON can hold."""
        return hmac.new(self._secret, json.dumps(parts, sort_keys=True).encode(), hashlib.sha256).hexdigest()

    def find(self, key: str) -> Array | None:
        """Return the array of a key, None if it is not there or cannot be read."""
        if self._database is None:
            return None
        with contextlib.suppress(sqlite3.Error, ValueError, zlib.error, TypeError):
            row = self._database.execute(
                "SELECT kind, data, mark FROM arrays WHERE key = ?", (key,)
            ).fetchone()
            if row is not None and hmac.compare_digest(self._mark(key, *row[:2]), str(row[2])):
                return _unpacked(*row[:2])
        return None

    def keep(self, key: str, values: Array) -> None:
        """Keep an array under a key; a database that cannot be written is left as it is."""
        if self._database is not None:
            with contextlib.suppress(sqlite3.Error):
                kind, data = _packed(values)
                self._database.execute(
                    "INSERT OR REPLACE INTO arrays VALUES (?, ?, ?, ?)",
                    (key, kind, data, self._mark(key, kind, data)),
                )

    def _mark(self, key: str, kind: str, data: bytes) -> str:
        """Return the keyed hash of a value as it is stored."""
        return hmac.new(self._secret, f"{key} {kind} ".encode() + data, hashlib.sha256).hexdigest()


@contextlib.contextmanager
def opened(path: Path, secret: bytes) -> Iterator[Cache]:
    """Open the cache of a board, whose lock the caller holds; where it cannot be kept, nothing is."""
    database = _connection(path)
    try:
        yield Cache(database, secret)
        if database is not None:
            with contextlib.suppress(sqlite3.Error):
                database.commit()
    finally:
        if database is not None:
            database.close()


def _connection(path: Path) -> sqlite3.Connection | None:
    """Return the database under a path, made anew if it is damaged or of another layout; None if it fails."""
    for _ in range(2):
        database = None
        try:
            database = sqlite3.connect(path, isolation_level="DEFERRED")
            database.execute("PRAGMA synchronous = OFF")  # what a crash loses is made again
            database.execute("CREATE TABLE IF NOT EXISTS layout (name TEXT)")
            known = database.execute("SELECT name FROM layout").fetchall()
            if known == [(_LAYOUT,)]:
                return database
            if (
                not known
                and not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'arrays'").fetchall()
            ):
                database.execute(
                    "CREATE TABLE arrays (key TEXT PRIMARY KEY, kind TEXT, data BLOB, mark TEXT)"
                )
                database.execute("INSERT INTO layout VALUES (?)", (_LAYOUT,))
                database.commit()
                return database
        except sqlite3.Error:
            pass
        if database is not None:
            database.close()
        with contextlib.suppress(OSError):
            for suffix in ("", "-journal", "-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
    return None


def _packed(values: Array) -> tuple[str, bytes]:
    if values.dtype.kind == "O":
        return "texts", zlib.compress(json.dumps(values.tolist()).encode(), 1)
    if values.dtype == np.float64:  # scores of 0 and 1 take a byte each
        small = np.where(np.abs(values) < _SMALL, values, 0.0).astype(np.int8)
        if np.array_equal(small, values) and not np.signbit(values[values == 0.0]).any():
            return "small", small.tobytes()
    return values.dtype.str, np.ascontiguousarray(values).tobytes()


def _unpacked(kind: str, data: bytes) -> Array:
    if kind == "texts":
        return objects(json.loads(zlib.decompress(data)))
    if kind == "small":
        return np.frombuffer(data, dtype=np.int8).astype(np.float64)
    if np.dtype(kind).kind not in "biuf":
        raise ValueError(kind)
    return np.frombuffer(data, dtype=kind)
