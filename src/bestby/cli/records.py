"""The options of a command as the records in which Python has what belongs together."""

from __future__ import annotations

from typing import Any


def in_records(arguments: dict[str, Any], progress: Any = None) -> dict[str, Any]:
    """Return arguments of a question, with settings of resampling as one record; `progress` is one."""
    from bestby._core.keywords import MOVED
    from bestby.resampling.settings import Resampling

    of_record = {name: arguments[name] for name in MOVED if name in arguments}
    rest = {name: value for name, value in arguments.items() if name not in of_record}
    return rest | {"resampling": Resampling(**of_record, progress=progress)}
