"""The settings of a gate in a file, so that the call of a repository is one word."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, NamedTuple

from bestby._core.errors import InvalidInputError
from bestby._core.paths import is_file, readable_file, user_path
from bestby._core.text import path_text, quoted, shortened
from bestby.questions.gate.command import Gate
from bestby.results.base import Note

NAME = "bestby.toml"
"""The file that is read where none is named."""

NONE = "none"
"""What is named where none is to be read; a file of that name is ./none."""


class _Key(NamedTuple):
    """Where a key goes: a group of the command (None for the files), a field, and what it must be."""

    group: str | None
    field: str
    kind: str


KEYS = {
    "files": _Key(None, "paths", "texts"),
    "baseline_file": _Key("data", "baseline_file", "text"),
    "gold": _Key("data", "gold", "texts"),
    "items": _Key("data", "items", "texts"),
    "clusters": _Key("data", "clusters", "texts"),
    "strata": _Key("data", "strata", "text"),
    "format": _Key("data", "format", "text"),
    "metrics": _Key("statistics", "metric", "texts"),
    "margins": _Key("statistics", "margin", "margins"),
    "fail_test": _Key("statistics", "fail_test", "text"),
    "by": _Key("cut", "by", "texts"),
    "crossed": _Key("cut", "crossed", "flag"),
    "min_items": _Key("cut", "min_items", "count"),
    "pool": _Key("statistics", "pool", "flag"),
    "level": _Key("statistics", "level", "number"),
    "baseline": _Key("statistics", "baseline", "text"),
    "candidate": _Key("statistics", "candidate", "text"),
    "inconclusive": _Key("output", "inconclusive", "text"),
}
"""The keys of the file."""

_PATHS = ("files", "baseline_file", "gold")
_WANTED = {
    "text": 'a text, such as "label"',
    "texts": 'a text or a list of texts, such as ["accuracy", "f1_macro"]',
    "flag": "true or false",
    "count": "a whole number, such as 10",
    "number": "a number, such as 0.95",
    "margins": "a number, or a table of numbers by metric, such as {accuracy = 0.01}",
}


def with_settings(values: Gate) -> tuple[Gate, tuple[Note, ...]]:
    """Return the values of a command, those that were not given from the file of settings if there is one.

    Whoever brings the file decides by it, such as a pull request: a note says what it set.
    """
    named = values.data.settings
    path = user_path(NAME if named is None else named)
    if named == NONE or (named is None and not is_file(path)):
        return values, ()
    taken: list[str] = []
    for key, value in _read(path).items():
        group, field, _ = KEYS[key]
        if values.output.save is not None and key == "baseline_file":
            continue  # what is stored is what the file names, from now on
        owner: Any = values if group is None else getattr(values, group)
        if getattr(owner, field) is None or getattr(owner, field) is False:
            shown = " ".join(value) if isinstance(value, list) else str(value)
            taken.append(key if key in _PATHS else f"{key} = {shortened(shown)}")
            owner = dataclasses.replace(owner, **{field: value})
            changed: dict[str, Any] = {} if group is None else {group: owner}
            values = owner if group is None else dataclasses.replace(values, **changed)
    message = f"settings of {path}: {', '.join(taken)}"
    return values, (Note("settings_file", message),) if taken else ()


def _read(path: Path) -> dict[str, Any]:
    """Return the settings as the command line would give them; refuse unknown keys and other types."""
    import tomllib

    shown = path_text(path)
    try:
        content = tomllib.loads(readable_file(path).read_bytes().decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{shown} is not TOML: {error}", hint="https://toml.io shows how") from error
    unknown = [f"{key!r}{_meant(key)}" for key in content if key not in KEYS]
    if unknown:
        raise InvalidInputError(
            f"{shown} has unknown keys: {', '.join(unknown)}", hint=f"the keys are: {', '.join(KEYS)}"
        )
    settings = {key: _value(key, value, shown) for key, value in content.items()}
    for key in _PATHS:
        if key in settings:
            settings[key] = _beside(path, settings[key])
    return settings


def _meant(key: str) -> str:
    """Return the key that was probably meant, in brackets; nothing if none is similar.

    >>> _meant("metric"), _meant("xyz")
    (' (metrics?)', '')
    """
    from difflib import get_close_matches

    close = get_close_matches(key.lower(), KEYS, n=1)
    return f" ({close[0]}?)" if close else ""


def _value(key: str, value: Any, shown: str) -> Any:
    kind = KEYS[key].kind
    if kind == "text" and isinstance(value, str):
        return value
    if kind == "texts":
        texts = [value] if isinstance(value, str) else value
        if isinstance(texts, list) and texts and all(isinstance(one, str) for one in texts):
            return texts
    if kind == "flag" and isinstance(value, bool):
        return value
    if kind == "count" and isinstance(value, int) and not isinstance(value, bool):
        return value
    if kind == "number" and _is_number(value):
        return float(value)
    if kind == "margins":
        if _is_number(value):
            return [repr(value)]
        if isinstance(value, dict) and value and all(map(_is_number, value.values())):
            return [f"{name}={size!r}" for name, size in value.items()]
    raise InvalidInputError(
        f"{shown}: {key!r} must be {_WANTED[kind]}, got {quoted(value)}", hint="correct it in the file"
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _beside(path: Path, value: Any) -> Any:
    """Return paths as they are from here: they are relative to the folder of the file, names stay names."""
    if isinstance(value, list):
        return [_beside(path, one) for one in value]
    name, sign, file = value.rpartition("=")
    beside = path.parent / file
    return f"{name}{sign}{beside}" if is_file(beside) else value
