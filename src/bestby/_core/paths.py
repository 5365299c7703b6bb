"""The one place where a path that a user gives becomes a file that can be read, or a refusal."""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted

_URL = re.compile(r"([a-z][a-z0-9+.-]+):/{1,2}", re.IGNORECASE)
_LONGEST_SHOWN = 120
"""Characters of a path that a message shows: about a line."""
_TROUBLE = {
    errno.ENAMETOOLONG: ("the path is too long for a file", "give a shorter path"),
    errno.ELOOP: ("its symbolic links form a loop", "name the file itself"),
    errno.EACCES: ("Permission denied", "check the permissions of the file and of its folders"),
    errno.EPERM: ("Permission denied", "check the permissions of the file and of its folders"),
}


def is_url(path: str | Path) -> bool:
    """Tell whether a path is written as an address, such as https://host/name; pathlib drops one slash.

    >>> is_url("https://host/p.csv"), is_url(Path("s3://bucket/p.csv")), is_url("C:/p.csv"), is_url("a.csv")
    (True, True, False, False)
    """
    return _URL.match(str(path)) is not None


def checked_path(path: Any, what: str = "a path") -> str | os.PathLike[str]:
    """Return what can be the path of a file or a folder; refuse anything else."""
    if isinstance(path, str | os.PathLike):
        return path
    raise InvalidInputError(
        f"{what} must be a str or a Path, got {quoted(path, 60)}", hint="pass the path of a file or a folder"
    )


def user_path(path: str | Path) -> Path:
    """Return a path as it is, with the home directory in place of a leading ~ unless such a file exists."""
    checked_path(path)
    plain = Path(path)
    if str(plain).startswith("~") and not exists(plain):
        try:
            return plain.expanduser()
        except RuntimeError:  # there is no such user
            return plain
    return plain


def possible_path(path: str | Path) -> Path:
    """Return the path of something that may not be there yet; refuse what no file system can name."""
    place = user_path(path)
    try:
        place.stat()
    except ValueError as error:
        raise InvalidInputError(
            f"{str(place)!r} is not a path: {error}", hint="name another place"
        ) from error
    except OSError as error:
        if not _is_missing(error) and error.errno in _TROUBLE:
            raise refused(place, error) from error
    return place


def exists(path: str | Path) -> bool:
    """Tell whether there is something under a path; what cannot be a path is not there."""
    return _status(Path(path)) is not None


def is_file(path: str | Path) -> bool:
    """Tell whether a path is a regular file (never raises)."""
    status = _status(Path(path))
    return status is not None and stat.S_ISREG(status.st_mode)


def is_directory(path: str | Path) -> bool:
    """Tell whether a path is a directory (never raises)."""
    status = _status(Path(path))
    return status is not None and stat.S_ISDIR(status.st_mode)


def readable_file(path: str | Path) -> Path:
    """Return the path of a regular file that can be opened for reading."""
    file = readable(path)
    if is_directory(file):
        raise InvalidInputError(f"{file} is a directory, expected a file", hint="name a file")
    return file


def readable(path: str | Path) -> Path:
    """Return the path of a file or of a directory that can be opened; refuse anything else.

    Pipes and devices are refused before anything opens them: to open a pipe waits for its writer.
    """
    file = user_path(path)
    try:
        status = file.stat()
    except (OSError, ValueError) as error:
        raise refused(file, error) from error
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        raise InvalidInputError(f"{file} is not a regular file", hint="save its output to a file first")
    try:
        if stat.S_ISDIR(status.st_mode):
            with os.scandir(file):
                return file
        with file.open("rb") as stream:
            stream.read(1)
    except OSError as error:
        raise refused(file, error) from error
    return file


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (OSError, ValueError):
        return None


def refused(path: Path, error: Exception) -> InvalidInputError:
    """Return the refusal of a path that cannot be opened."""
    text = str(path)
    shown = repr(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}...")
    if isinstance(error, OSError) and error.errno in _TROUBLE:
        reason, hint = _TROUBLE[error.errno]
        length = f" ({len(text)} characters)" if len(text) > _LONGEST_SHOWN else ""
        return InvalidInputError(f"{shown}{length} cannot be read: {reason}", hint=hint)
    if isinstance(error, ValueError) or not isinstance(error, OSError) or _is_missing(error):
        return _missing(text, shown)
    return InvalidInputError(
        f"{shown} cannot be read: {error.strerror or error}", hint="check that the file can be opened"
    )


def _is_missing(error: OSError) -> bool:
    return error.errno in (errno.ENOENT, errno.ENOTDIR)


def _missing(text: str, shown: str) -> InvalidInputError:
    if text == "-":
        return InvalidInputError(
            "no file '-': the standard input is not read",
            hint="save the output of the pipe to a file, and name that file",
        )
    address = _URL.match(text)
    if address is not None:
        whole = f"{address[1]}://{text[address.end() :]}"
        return InvalidInputError(
            f"no file {whole!r}: addresses (URLs) are not read", hint="download it first, and name the file"
        )
    return InvalidInputError(f"no file {shown}", hint="check the path and the current directory")
