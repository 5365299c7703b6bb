"""Files that are either complete or not there."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby._core.paths import user_path
from bestby._core.text import path_text


def write_text(path: str | Path, text: str) -> None:
    """Write text as UTF-8, all of it or nothing; a file is replaced once the new one is complete."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write bytes, all of them or nothing; a file is replaced once the new one is complete."""
    with place_of(path) as target:
        if target.exists() and not target.is_file():
            target.write_bytes(content)  # a device or a pipe, such as /dev/stdout, cannot be replaced
        else:
            _replace(target, content)


@contextlib.contextmanager
def place_of(path: str | Path) -> Iterator[Path]:
    """Give the place that is written for a path; an error of the file system names the path."""
    # A link stays a link: what it points to is replaced.
    try:
        target = Path(os.path.realpath(user_path(path)))
        if target.is_dir():
            raise InvalidInputError(
                f"cannot write {path_text(path)}: it is a folder", hint="name a file in it"
            )
        if not target.parent.is_dir():
            raise InvalidInputError(
                f"cannot write {path_text(path)}: there is no folder {path_text(target.parent)}",
                hint="create the folder first, or name another",
            )
        yield target
    except (OSError, ValueError) as error:  # a path with a NUL character is a ValueError
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(
            f"cannot write {path_text(path)}: {getattr(error, 'strerror', None) or error}",
            hint="check the permissions of the folder and the space left, or name another file",
        ) from error


def _replace(target: Path, content: bytes) -> None:
    """Write a file beside the target, then put it in the target's place in one step."""
    # Opened like this and not by tempfile, so that the new file gets the permissions any new file gets.
    new = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.part")
    try:
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            new.chmod(target.stat().st_mode & 0o777)
        new.replace(target)
    except BaseException:  # an interrupt too must not leave half a file behind
        with contextlib.suppress(FileNotFoundError):
            new.unlink()
        raise
