"""A file that another process appends lines to: its complete lines, each once."""

from __future__ import annotations

import codecs
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file

_BLOCK = 1 << 20
"""Bytes that are hashed together."""

REWRITTEN = (
    "a log must only grow, and nothing of the change was counted: restore it, or start anew with"
    " another state file"
)


class GrowingFile:
    """The lines of a growing file; what was read once must stay as it is.

    A line counts when its end is there. What was read is known by the hashes of its blocks. A reading that
    finds the file grown compares the first block, the last, and in turn as many of the others as are new, so
    that reading a log costs as much as it is long, however often it grows; it compares all blocks if the file
    took the place of another one. `check` compares them all.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = self._next = _Prefix()
        self._turn = 0

    def taken(self) -> None:
        """Say that the lines that were given last are taken; until then they are new."""
        self._read = self._next

    def lines(self, final: bool) -> Iterator[tuple[int, bytes]]:
        """Return an iterator of the lines that are new, with their numbers; `final` if no more will come.

        The last line of a final file may lack its end if it is a whole JSON value.
        """
        path = readable_file(self.path)
        status = path.stat()
        seen = (status.st_size, status.st_mtime_ns, status.st_ino)
        if seen == self._read.seen and not final:
            return iter(())
        if status.st_size < self._read.size:
            raise self._changed(f"is shorter than before: {status.st_size} bytes, not {self._read.size}")
        known = self._read
        with path.open("rb") as stream:
            last = _piece(stream, len(known.blocks), known.size)
            rest = stream.read()
            self._compare(stream, last, None if final or known.file != status.st_ino else len(rest))
        end = len(rest) if final and _whole(rest.rpartition(b"\n")[2]) else rest.rfind(b"\n") + 1
        first = known.lines + 1
        lines = rest[:end].removesuffix(b"\n").split(b"\n") if end else []
        self._next = known.with_more(last + rest[:end], len(lines), seen)
        if first == 1 and lines:
            lines[0] = lines[0].removeprefix(codecs.BOM_UTF8)
        return ((number, line) for number, line in enumerate(lines, first) if line.strip())

    def check(self) -> None:
        """Refuse the file if anything of what was taken has changed."""
        with readable_file(self.path).open("rb") as stream:
            self._compare(stream, _piece(stream, len(self._read.blocks), self._read.size), None)

    def _compare(self, stream: BinaryIO, last: bytes, n_new: int | None) -> None:
        """Compare blocks with those that were read: all, or as many as `n_new` bytes have."""
        known = self._read
        count = len(known.blocks)
        places = set(range(count))
        if n_new is not None and count:
            stop = self._turn + 1 + n_new // _BLOCK
            places &= {0, *(place % count for place in range(self._turn, min(stop, self._turn + count)))}
            self._turn = stop % count
        same = _digest(last) == known.rest and all(
            _digest(_piece(stream, place, known.size)) == known.blocks[place] for place in places
        )
        if not same:
            raise self._changed("was written anew: the lines that were read before are other ones now")

    def _changed(self, what: str) -> InvalidInputError:
        return InvalidInputError(
            f"{self.path} {what}",
            hint=REWRITTEN,
        )


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _piece(stream: BinaryIO, place: int, size: int) -> bytes:
    """Return a block of the first `size` bytes, the last of which is what is left."""
    stream.seek(place * _BLOCK)
    return stream.read(min(_BLOCK, size - place * _BLOCK))


@dataclass(frozen=True)
class _Prefix:
    """What was read of a file: the hashes of whole blocks, and that of the rest, which is less than a block.

    `seen` is the size, the time and the number of the file as they were then.
    """

    size: int = 0
    lines: int = 0
    blocks: tuple[bytes, ...] = ()
    rest: bytes = _digest(b"")
    seen: tuple[int, int, int] | None = None

    @property
    def file(self) -> int | None:
        """The number of the file on its device."""
        return None if self.seen is None else self.seen[2]

    def with_more(self, data: bytes, n_lines: int, seen: tuple[int, int, int]) -> _Prefix:
        """Return the prefix with more lines; `data` is the rest and what comes after it."""
        whole = len(data) // _BLOCK * _BLOCK
        new = [_digest(data[start : start + _BLOCK]) for start in range(0, whole, _BLOCK)]
        size = len(self.blocks) * _BLOCK + len(data)
        return _Prefix(size, self.lines + n_lines, (*self.blocks, *new), _digest(data[whole:]), seen)


def _whole(line: bytes) -> bool:
    """Tell whether a line without an end is a JSON object all the same.

    >>> _whole(b'{"a": 1}'), _whole(b'{"a": 1'), _whole(b"")
    (True, False, False)
    """
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict)
