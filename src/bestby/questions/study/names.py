"""Names of conditions and runs as names of files, and their order."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted

LONGEST = 200
"""Bytes a file name may have before its ending; every common file system takes 255 with it."""

_KEPT = "_.-"  # beside letters and digits; "~" is not among them: it marks the capitals
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE | re.ASCII)


def checked(name: Any, what: str) -> str:
    """Return a name as text."""
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        name = str(int(name))
    if not isinstance(name, str) or not name.strip():
        raise InvalidInputError(
            f"the name of a {what} must be text or a whole number, and not empty, got {quoted(name)}"
        )
    try:
        length = len(file_name(name))
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            f"the name of a {what} must be valid Unicode text, got {quoted(name)}"
        ) from error
    if length > LONGEST:
        raise InvalidInputError(
            f"the name of a {what} becomes the name of a file of at most {LONGEST} bytes, got {length}:"
            f" {quoted(name[:40])}…",
            hint="give it a shorter name and put the details into tags",
        )
    return name


def file_name(name: str) -> str:
    """Return the name of the file (without its ending) of a condition or run.

    ASCII letters, digits, ``_``, ``-`` and ``.`` stay; everything else is percent-encoded, and so are a dot
    at either end and the first letter of a name that Windows keeps for devices. Names that differ in
    capitals alone must not meet on a file system that ignores case, so a name with capitals ends in ``~``
    and, in hexadecimal, the number whose bits say which of its characters are capitals.
    """
    stem = quote(name, safe=_KEPT).replace("~", "%7E")  # quote() never encodes "~"
    if _DEVICES.match(stem):
        stem = f"%{ord(stem[0]):02X}{stem[1:]}"
    if stem.startswith("."):
        stem = f"%2E{stem[1:]}"
    if stem.endswith("."):
        stem = f"{stem[:-1]}%2E"
    capitals = sum(1 << place for place, letter in enumerate(name) if "A" <= letter <= "Z")
    return f"{stem}~{capitals:x}" if capitals else stem


def name_of(stem: str) -> str | None:
    """Return the name that a file of this name belongs to, None if `file_name` never makes it."""
    try:
        name = unquote(stem.partition("~")[0], errors="strict")
        return name if name and file_name(name) == stem else None
    except (UnicodeDecodeError, UnicodeEncodeError):
        return None
