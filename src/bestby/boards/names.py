"""Names of teams, systems, tasks and phases, links, and other texts that a board publishes."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Any
from urllib.parse import urlsplit

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted

LONGEST_NAME = 80
LONGEST_TEXT = 2000
LONGEST_LINK = 500

REFUSED = re.compile(r"[<>&\"'`/\\|?*:;$%{}\[\]^~=]")
"""Characters that a page or a path gives a meaning."""

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def checked_name(name: str, what: str) -> str:
    """Return the name of a team, system, run, task or phase; markup and characters of paths are refused."""
    name = unicodedata.normalize("NFC", _text(name, what).strip())
    if not name or len(name) > LONGEST_NAME:
        raise InvalidInputError(
            f"the {what} must have 1 to {LONGEST_NAME} characters, got {len(name)}", hint="give a shorter one"
        )
    refused = sorted({*REFUSED.findall(name), *(one for one in name if unicodedata.category(one) in _HIDDEN)})
    if refused or name.startswith((".", "-", "+", "@")):
        found = ", ".join(map(repr, refused)) or repr(name[0]) + " at its start"
        raise InvalidInputError(
            f"the {what} {quoted(name)} has characters that a page or a path gives a meaning: {found}",
            hint="use letters, digits, spaces and _ - . ( ) + , ! #",
        )
    return name


def checked_key(key: str) -> str:
    """Return the name of a system with its team, such as "team/system"."""
    team, slash, system = key.partition("/")
    if not slash:
        raise InvalidInputError(f"{quoted(key)} is not a team and a system", hint='write "team/system"')
    return f"{checked_name(team, 'team')}/{checked_name(system, 'system')}"


def checked_text(text: str) -> str:
    """Return a text that a page shows as it is; hidden characters and very long texts are refused."""
    hidden = [
        one for one in _text(text, "text") if unicodedata.category(one) in _HIDDEN and one not in "\n\t"
    ]
    if hidden:
        raise InvalidInputError(
            f"a text has hidden characters, the first is {hidden[0]!r}", hint="remove them"
        )
    if len(text) > LONGEST_TEXT:
        raise InvalidInputError(
            f"a text has {len(text)} characters, at most {LONGEST_TEXT} are shown", hint="shorten it"
        )
    return text


def checked_link(link: str) -> str:
    """Return the address of a page, which must be of http or https; an empty one stays empty."""
    if not _text(link, "address of a page"):
        return link
    try:
        parts = urlsplit(link)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        sound = False
    if not sound or len(link) > LONGEST_LINK or re.search(r"[\s<>\"'`\\\x00-\x1f\x7f]", link):
        raise InvalidInputError(
            f"{quoted(link)} is not the address of a page", hint="links begin with https:// or http://"
        )
    return link


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise InvalidInputError(f"the {what} must be a text, got {quoted(value)}", hint="write it in quotes")
    return value


def file_stem(*parts: str) -> str:
    """Return a part of a file name that belongs to some names alone, readable and of ASCII.

    >>> file_stem("Ünï", "bert base")
    'uni-bert-base-90426f4c'
    """
    plain = unicodedata.normalize("NFKD", "-".join(parts)).encode("ascii", "ignore").decode().lower()
    readable = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-")
    mark = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8]
    return f"{readable}-{mark}" if readable else mark
