"""Names of teams, systems, tasks and phases, links, and other texts that a board publishes.

What is said of look-alikes is Unicode's: UTS #39, Unicode Security Mechanisms, sections 4 and 5.4.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from typing import Any
from urllib.parse import urlsplit

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted

LONGEST_NAME = 80
LONGEST_TEXT = 2000

REFUSED = re.compile(r"[<>&\"'`/\\|?*:;$%{}\[\]^~=]")
"""Characters that a page or a path gives a meaning."""

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}

_BLANK = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\u2800\ufffc\U00016fe4\U0001d159]"
)
"""The Default_Ignorable_Code_Points of Unicode, and in the last line other characters that show nothing."""

MOST_MARKS = 4
"""Combining marks on a character: no language needs more (UTS #39, section 5.4)."""


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


def unseen(text: str) -> list[str]:
    """Return the characters of a text that nobody sees, or that turn its direction; spaces are seen."""
    return [
        one
        for one in text
        if unicodedata.category(one) in _HIDDEN or _BLANK.match(one) or (one != " " and one.isspace())
    ]


def check_visible(name: str, what: str) -> None:
    """Refuse a new name with characters that nobody sees, or with a pile of combining marks."""
    if found := sorted(set(unseen(name))):
        raise InvalidInputError(
            f"the {what} {quoted(name)} has characters that nobody sees: {', '.join(map(ascii, found))}",
            hint="write it without them, and with plain spaces",
        )
    marks = [unicodedata.category(one) in ("Mn", "Me") for one in unicodedata.normalize("NFD", name)]
    if marks[0] or any(all(marks[place:][: MOST_MARKS + 1]) for place in range(len(marks) - MOST_MARKS)):
        raise InvalidInputError(
            f"the {what} {quoted(name)} has combining marks on no letter, or more than {MOST_MARKS} on one",
            hint="write it with fewer",
        )


def look_alike(name: str, known: Iterable[str]) -> str | None:
    """Return a name that a reader cannot tell from another one; None if there is none.

    >>> look_alike("\u043eurs", ["theirs", "ours"]), look_alike("0urs", ["ours"]), look_alike("AI", ["Al"])
    ('ours', None, 'Al')
    """
    looks = _looks(name)
    return next((one for one in known if looks & _looks(one)), None)


@lru_cache(maxsize=100_000)
def _looks(name: str) -> frozenset[str]:
    """Return how a name looks, as it is and in small letters: its skeletons (UTS #39, section 4)."""
    plain = " ".join(unicodedata.normalize("NFKC", _BLANK.sub("", name)).split())
    return frozenset({_skeleton(plain), _skeleton(plain.casefold())})


def _skeleton(text: str) -> str:
    return unicodedata.normalize("NFD", unicodedata.normalize("NFKD", text).translate(_prototypes()))


@lru_cache(maxsize=1)
def _prototypes() -> dict[int, str]:
    """Return what is compared in the place of characters, by their numbers."""
    path = resources.files("bestby.boards").joinpath("assets", "confusables.txt")
    rows = path.read_text(encoding="utf-8").partition("\n\n")[2].splitlines()  # what follows the licence
    points = ([int(point, 16) for point in row.split()] for row in rows)
    return {one: "".join(map(chr, others)) for one, *others in points}


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


def checked_link(link: str, *, visible: bool = False) -> str:
    """Return the address of a page, which must be of http or https; an empty one stays empty.

    A new link has only `visible` characters, and none that turn its direction.
    """
    if not _text(link, "address of a page"):
        return link
    try:
        parts = urlsplit(link)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        sound = False
    # Browsers take longer addresses, which nobody reads
    if not sound or len(link) > 500 or re.search(r"[\s<>\"'`\\\x00-\x1f\x7f]", link):
        raise InvalidInputError(
            f"{quoted(link)} is not the address of a page", hint="links begin with https:// or http://"
        )
    if visible and (found := sorted(set(unseen(link)))):
        raise InvalidInputError(
            f"a link has characters that nobody sees: {', '.join(map(ascii, found))}",
            hint="copy the address without them, or write them as %XX",
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
