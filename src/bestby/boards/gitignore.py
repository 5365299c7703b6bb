"""What `.gitignore` must hold for a board: git stores neither the gold with its keys nor what is made anew.

Git itself is not asked: a board can be verified where git is not installed and before the folder is a
repository. Lines of `.gitignore` are compared with the patterns that boards need, so that a file that leaves
the same out in other words is reported too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bestby.boards.folder import Folder

ALWAYS = ("gold/", "lock.sqlite*", "tmp/")
"""Patterns of every board."""

_TOKEN = re.compile(r"\\.|\*\*/|\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]])*\]|.")
"""A letter that a backslash takes as it is, ``**/``, one of several letters, or any other letter."""


def patterns(folder: Folder) -> tuple[str, ...]:
    """Return the patterns that `.gitignore` needs, that of a gold elsewhere in the board among them."""
    try:
        place = folder.gold_folder.resolve().relative_to(folder.path.resolve()).as_posix()
    except ValueError:  # outside
        return ALWAYS
    if place.split("/")[0] == "gold":
        return ALWAYS
    if place == ".":
        return (*ALWAYS, "/[0-9]*/")  # the folders of the versions lie beside the other files
    return (*ALWAYS, "/" + re.sub(r"([\\*?\[\]!#\s])", r"\\\1", place) + "/")


def text(folder: Folder) -> str:
    """Return the `.gitignore` of a new board."""
    return "".join(f"{pattern}\n" for pattern in patterns(folder))


def lacking(folder: Folder) -> list[str]:
    """Return the patterns that are not in force in the `.gitignore` of a board, all if it cannot be read."""
    try:
        lines = (folder.path / ".gitignore").read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    ended = [line.rstrip(" ") for line in lines]  # a space in front is part of a name
    return [pattern for pattern in patterns(folder) if not _in_force(pattern, ended)]


def _in_force(pattern: str, lines: Sequence[str]) -> bool:
    """Return whether a line is the pattern, and no line after it takes back what the pattern names.

    Inside a folder that is left out git takes nothing back, but where only its contents are (``gold/**``).
    """
    name, found, is_open = _plain(pattern), False, False
    for line in lines:
        if line.startswith("!"):
            back = _expression(line[1:])
            found = found and not any(back.fullmatch(one) for one in _named_by(name))
            found = found and not (is_open and _plain(line[1:]).startswith(f"{name}/"))
        elif _plain(line) == name:
            found, is_open = True, line.endswith("/**")
    return found


def _named_by(name: str) -> list[str]:
    """Return paths that a pattern of a board names; SQLite puts files of its own beside a file."""
    if name == "[0-9]*":
        return ["1", "10"]
    if name.endswith("*"):
        return [name.rstrip("*") + end for end in ("", "-journal", "-wal", "-shm")]
    return [re.sub(r"\\(.)", r"\1", name)]


def _expression(pattern: str) -> re.Pattern[str]:
    r"""Return what matches at least the paths that a pattern of git does.

    >>> [bool(_expression(one).fullmatch("gold")) for one in (r"/\g[[:alpha:]]l?/", "golden")]
    [True, False]
    """
    parts = {"**/": "(?:.*/)?", "*": ".*", "?": "."}
    tokens = _TOKEN.findall(pattern.strip("/").removesuffix("/**"))
    others = (re.escape(token[-1]) if len(token) < 3 else "." for token in tokens)
    return re.compile("".join(parts.get(token, other) for token, other in zip(tokens, others, strict=True)))


def _plain(pattern: str) -> str:
    """Return a pattern without what says where and for folders alone; a name stands for both."""
    return pattern.removeprefix("**/").strip("/").removesuffix("/**")
