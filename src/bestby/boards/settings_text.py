"""Settings as the text of a `board.toml`, for a board that is made."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING
from datetime import datetime
from typing import Any

from bestby.boards.record import stamp
from bestby.boards.settings import Phase, Settings, keys_of


def text_of(settings: Settings) -> str:
    """Return the text from which `settings.parse` makes the same settings; defaults are left out."""
    parts = [_lines(settings)]
    parts += [f"[[task]]\n{_lines(task)}" for task in settings.tasks]
    parts += [f"[[phase]]\n{_lines(phase)}" for phase in settings.phases]
    public = _lines(settings.public)
    return "\n".join(parts + ([f"[public]\n{public}"] if public else []))


def _lines(record: Any) -> str:
    """Return a line for each key of a record that has not its default."""
    lines = []
    for one in keys_of(record):
        value = getattr(record, one.name)
        default = one.default if one.default_factory is MISSING else one.default_factory()
        always = isinstance(record, Phase) and one.name == "part"
        if value is not None and (always or value != default):
            lines.append(f"{one.name} = {_value(value)}\n")
    return "".join(lines)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # escapes what TOML escapes, in the same way
    if isinstance(value, datetime):
        return stamp(value)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_value(key)} = {_value(one)}' for key, one in value.items())}}}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(_value, value))}]"
    return repr(value)
