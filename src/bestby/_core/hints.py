"""Hints that name only arguments that can be given where they are read."""

from __future__ import annotations

import re
from collections.abc import Collection

SETTING = re.compile(r"(?:^|(?<= )|(?<= \())([a-z_]+)=(?!path\b|[\w-]+\.[a-z])")
"""A setting, written as in Python. The file of a system, ``name=path`` or ``a=a.jsonl``, is none."""

_OPTION = re.compile(r"--[\w-]+ \S+")
"""An option as it is written on the command line, whose value may look like a setting."""

_EXPRESSION = re.compile(r"\b[a-z_]+=[{(]|\bnp\.|\bframe\[|\bbestby\.\w+\(|\b(?:compare|fit)\(")
"""What only Python can say: a mapping as the value of a setting, an array, or the call of a function."""

_ASIDE = re.compile(r" \([^()]*\)")
_BETWEEN = re.compile(r"(; (?:or )?|, or )")
_OPPOSED = re.compile(r"^(?:otherwise|if not,) ")


def possible(hint: str, known: Collection[str], taken: Collection[str], *, typed: bool = False) -> str | None:
    """Return the parts of a hint that can be followed; None if there are none.

    A reader raises the same error for every function and command that reads with it, and not all of them have
    all its arguments; where a command is `typed`, nobody can write an expression of Python. A part goes that
    is one, or that sets one of the `known` arguments which is none of those `taken` here.
    Parts are separated by semicolons or by "or"; what is in parentheses is a part as well.

    >>> possible("choose them: systems=[...]; or name the column: system_column=...",
    ...          {"systems", "system_column"}, {"systems"})
    'choose them: systems=[...]'
    >>> possible("name it: value_column=..., or correct this value (in files: stream=False)",
    ...          {"value_column", "stream"}, {})
    'correct this value'
    >>> possible("read it whole: stream=False", {"stream"}, {})
    >>> possible("pass by={name: values}, or by=[...]", {"by"}, {"by"}, typed=True)
    'by=[...]'
    """

    def can_be_followed(part: str) -> bool:
        if typed and _EXPRESSION.search(part):
            return False
        return all(name in taken or name not in known for name in SETTING.findall(_OPTION.sub("", part)))

    hint = _ASIDE.sub(lambda aside: aside[0] if can_be_followed(aside[0]) else "", hint)
    pieces = _BETWEEN.split(hint)
    kept = [
        (before, part)
        for before, part in zip(["", *pieces[1::2]], pieces[::2], strict=True)
        if can_be_followed(part)
    ]
    text = "".join(part if place == 0 else before + part for place, (before, part) in enumerate(kept))
    return (text if text.startswith(pieces[0]) else _OPPOSED.sub("", text)) or None
