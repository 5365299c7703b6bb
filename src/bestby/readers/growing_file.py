"""A file that another process appends lines to: its complete lines, each once."""

from __future__ import annotations

import codecs
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file

_PIECE = 1 << 20

REWRITTEN = (
    "a log must only grow, and nothing of the change was counted: restore it, or start anew with"
    " another state file"
)


class GrowingFile:
    """The lines of a growing file; what was read once must stay as it is.

    A line counts when its end is there. Each call that finds the file changed reads the part before again, to
    compare its hash: a file that was written anew is refused, whatever its size.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = self._next = _Prefix()

    def taken(self) -> None:
        """Say that the lines that were given last are taken; until then they are new."""
        self._read = self._next

    def lines(self, final: bool) -> list[tuple[int, bytes]]:
        """Return the lines that are new, with their numbers; `final` if no more will come.

        The last line of a final file may lack its end if it is a whole JSON value.
        """
        path = readable_file(self.path)
        status = path.stat()
        seen = (status.st_size, status.st_mtime_ns)
        if seen == self._read.seen and not final:
            return []
        if status.st_size < self._read.size:
            raise self._changed(f"is shorter than before: {status.st_size} bytes, not {self._read.size}")
        with path.open("rb") as stream:
            before = hashlib.blake2b()
            left = self._read.size
            while left and (piece := stream.read(min(left, _PIECE))):
                before.update(piece)
                left -= len(piece)
            if left or before.digest() != self._read.digest:
                raise self._changed("was written anew: the lines that were read before are other ones now")
            rest = stream.read()
        end = len(rest) if final and _whole(rest.rpartition(b"\n")[2]) else rest.rfind(b"\n") + 1
        before.update(rest[:end])
        first = self._read.lines + 1
        lines = rest[:end].removesuffix(b"\n").split(b"\n") if end else []
        self._next = _Prefix(self._read.size + end, self._read.lines + len(lines), before.digest(), seen)
        if first == 1 and lines:
            lines[0] = lines[0].removeprefix(codecs.BOM_UTF8)
        return [(number, line) for number, line in enumerate(lines, first) if line.strip()]

    def _changed(self, what: str) -> InvalidInputError:
        return InvalidInputError(
            f"{self.path} {what}",
            hint=REWRITTEN,
        )


@dataclass(frozen=True)
class _Prefix:
    """What was read of a file, and the size and the time that it had then."""

    size: int = 0
    lines: int = 0
    digest: bytes = hashlib.blake2b().digest()
    seen: tuple[int, int] | None = None


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
