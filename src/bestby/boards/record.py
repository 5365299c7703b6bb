"""The record of a board: a log in JSON Lines, each line chained to the one before by its hash.

A line counts once it ends with a line feed. What a process that was killed left behind it is no line: it is
never read, and the next writer cuts it off. Whoever writes holds the lock of the board.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bestby._core.errors import BoardError
from bestby._core.text import path_text
from bestby.boards.events import Event, Line, event_of, fields_of

SKEW = timedelta(minutes=5)
"""By how much the clocks of machines may differ without a word."""

START = hashlib.sha256(b"bestby board").hexdigest()
"""What the first line is chained to."""


def read(path: Path) -> tuple[Line, ...]:
    """Return the lines of a record, of which every hash was checked; none if there is no record."""
    whole, rest = _whole_lines(path)
    if _is_object(rest[:-1]):  # a process that was killed leaves the beginning of a line, not a line and more
        raise BoardError(
            f"the end of {path_text(path)} was changed: its last line is complete", hint=_RESTORE
        )
    lines: list[Line] = []
    for number, text in enumerate(whole):
        lines.append(_line(text, number, lines[-1].hash if lines else START, path))
    return tuple(lines)


def append(path: Path, lines: Sequence[Line], events: Sequence[Event], now: datetime) -> tuple[Line, ...]:
    """Add events to a record whose lines were read, and return all lines; they are on the disk then.

    The order of the lines is theirs in the chain. Their moments are those of the clocks of who wrote them, so
    that a clock that was ahead once does not stamp all lines after it.
    """
    made = list(lines)
    for event in events:
        moment = now.astimezone(UTC).replace(microsecond=0)
        content = {"number": len(made), "time": stamp(moment), **fields_of(event)}
        content["previous"] = made[-1].hash if made else START
        made.append(Line(content["number"], moment, event, content["previous"], _hash(content)))
    data = "".join(_text(line) for line in made[len(lines) :]).encode()
    size = path.stat().st_size - torn(path) if path.exists() else 0
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    with os.fdopen(handle, "r+b") as stream:
        stream.truncate(size)
        stream.seek(size)
        try:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        except OSError:
            stream.truncate(size)  # such as a full disk: nothing was added
            raise
    return tuple(made)


def ahead(lines: Sequence[Line], now: datetime) -> str:
    """Return what is to be said of a record with a line that is later than now; nothing if it has none."""
    latest = max(lines, key=lambda line: line.time, default=None)
    if latest is None or latest.time <= now + SKEW:
        return ""
    return (
        f"the record is ahead of the clock: its line {latest.number + 1} is of {stamp(latest.time)}, and here"
        f" it is {stamp(now)}; the clock of one of the machines is wrong, and ends no phase"
    )


def torn(path: Path) -> int:
    """Return how many bytes after the last line a killed process left behind."""
    return len(_whole_lines(path)[1])


def _whole_lines(path: Path) -> tuple[list[bytes], bytes]:
    """Return the lines that end with a line feed, and what comes after them."""
    try:
        *lines, rest = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return [], b""
    return lines, rest


def _is_object(text: bytes) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _line(text: bytes, number: int, previous: str, path: Path) -> Line:
    where = f"line {number + 1} of {path_text(path)}"
    try:
        content = json.loads(text)
        hashed, claimed = dict(content), content["hash"]
        del hashed["hash"]
        event = event_of(content)
        moment = datetime.fromisoformat(content["time"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BoardError(f"{where} was changed: it is not an event of a board", hint=_RESTORE) from error
    if claimed != _hash(hashed) or content["number"] != number or _text_of(content) != text:
        raise BoardError(f"{where} was changed: its hash does not belong to it", hint=_RESTORE)
    if content["previous"] != previous:
        raise BoardError(f"{where} does not follow the line before it", hint=_RESTORE)
    return Line(number, moment, event, previous, claimed)


_RESTORE = "restore the record from a copy or from git: its lines are only ever added to"


def _text(line: Line) -> str:
    content = {"number": line.number, "time": stamp(line.time), **fields_of(line.event)}
    return _text_of({**content, "previous": line.previous, "hash": line.hash}).decode() + "\n"


def _text_of(content: dict[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def _hash(content: dict[str, Any]) -> str:
    return hashlib.sha256(_text_of(content)).hexdigest()


def stamp(moment: datetime) -> str:
    """Return a moment in UTC as the record and the pages write it."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
