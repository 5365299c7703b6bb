"""The file of a monitor: JSON Lines, of which every item is one; whole after a crash at any moment.

`Monitor.save` and `resume` write and read it; `compare` reads it as scores of systems on items.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bestby._core import files
from bestby._core.errors import BestbyError, InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.text import path_text
from bestby._core.typing import OnMissing
from bestby._version import __version__
from bestby.questions.monitor.settings import FORMAT, Settings
from bestby.readers.formats.base import Read, files_of, refuse_gold

KIND = "bestby monitor"
_HINT = "resume a file that Monitor.save has written; a copy of it can be made at any time"


class Journal:
    """A file to which lines are added; `add` changes nothing in it if it fails."""

    def __init__(self, path: Path, size: int) -> None:
        self.path = path
        self._size = size

    @classmethod
    def written(cls, path: Path, settings: Settings, lines: Iterable[Mapping[str, Any]]) -> Journal:
        """Write a whole file in the place of what was there, and return it."""
        asked = settings.as_dict()
        head = {"kind": KIND, "format": settings.file_format, "version": __version__, "settings": asked}
        data = b"".join(_line(one) for one in (head, *lines))
        with _reported(path):
            files.replace(path, data, path.absolute().parent)
        return cls(path, len(data))

    @classmethod
    def resumed(cls, source: str | Path, size: int, *, torn: bool) -> Journal:
        """Return a file that is there, without a line that a crash cut off."""
        path = readable_file(source)
        if torn:
            with _reported(path), path.open("r+b") as stream:
                stream.truncate(size)
        return cls(path, size)

    def add(self, line: Mapping[str, Any]) -> None:
        """Add a line."""
        data = _line(line)
        with _reported(self.path), self.path.open("r+b") as stream:
            if stream.seek(0, 2) != self._size:
                raise InvalidInputError(
                    f"{path_text(self.path)} was changed by another program while it was monitored",
                    hint="save the monitor to another file, which then holds all its items",
                )
            try:
                stream.write(data)
                stream.flush()
            except OSError:
                stream.truncate(self._size)
                raise
        self._size += len(data)


@contextlib.contextmanager
def _reported(path: Path) -> Iterator[None]:
    """Turn an error of the file system into one that says what was being done."""
    try:
        yield
    except OSError as error:
        raise BestbyError(
            f"cannot write {path_text(path)}: {error.strerror or error}",
            hint="the monitor is as it was; check the space left and the permissions, then do it again",
        ) from error


def item_line(
    systems: Sequence[str], item: str | int, row: Sequence[float], cluster: str | int | None
) -> dict[str, Any]:
    """Return the line of an item; systems that had been dropped, of which the row has NaN, are left out."""
    scores = {name: score for name, score in zip(systems, row, strict=True) if score == score}
    line: dict[str, Any] = {"item": item, "scores": scores}
    return line if cluster is None else {**line, "cluster": cluster}


def _line(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode() + b"\n"


def read_state(source: str | Path) -> tuple[dict[str, Any], list[dict[str, Any]], int, bool]:
    """Return the settings and the lines of a file, the size of its whole lines, and whether one is torn.

    The format of the file is among the settings.
    A last line without an end is one that a crash cut off; it is left out.
    """
    path = readable_file(source)
    data = path.read_bytes()
    size = data.rfind(b"\n") + 1
    lines: list[dict[str, Any]] = []
    for number, text in enumerate(data[:size].splitlines(), start=1):
        try:
            line = json.loads(text)
            if not isinstance(line, dict):
                raise TypeError
        except (ValueError, TypeError) as error:
            raise InvalidInputError(
                f"{path_text(path)}, line {number}: this is no line of a monitor", _HINT
            ) from error
        lines.append(line)
    head = lines[0] if lines else {}
    if head.get("kind") != KIND or not isinstance(head.get("settings"), dict):
        raise InvalidInputError(f"{path_text(path)} is not the file of a monitor", _HINT)
    if head.get("format") not in range(1, FORMAT + 1):
        raise InvalidInputError(
            f"{path_text(path)} is written in format {head.get('format')}, and this version reads up to"
            f" {FORMAT}",
            hint="update bestby, or resume it with the version that has written it",
        )
    return {**head["settings"], "file_format": head["format"]}, lines[1:], size, size < len(data)


# -- the file as a format that `compare` reads ---------------------------------------------------------------


_START = re.compile(rb'\s*\{\s*"kind"\s*:\s*"%s"' % KIND.encode())


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file begins with the settings of a monitor."""
    return _START.match(head) is not None


def read(
    paths: Mapping[str, Path],
    *,
    gold: Path | None = None,
    on_missing: OnMissing = "error",  # noqa: ARG001
) -> Read:
    """Read the items of one monitor; a note says that they were looked at as they came."""
    refuse_gold(gold, "the file of a monitor holds scores and needs no gold")
    files = files_of(paths, recognises)
    if len(files) > 1:
        raise InvalidInputError(
            f"{len(files)} files of monitors were given", hint="a comparison reads one of them at a time"
        )
    from bestby.questions.monitor.monitor import evaluation_in  # every file is asked whether it is one

    evaluation = evaluation_in(files[0].path)
    return Read("items of a monitor", evaluation, metric="mean")
