"""The end of a phase: a line of the record, which a later line revokes; no clock ends one by itself."""

from __future__ import annotations

from datetime import datetime

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.boards import names
from bestby.boards.entries import ended
from bestby.boards.events import PhaseEnded
from bestby.boards.folder import Folder
from bestby.boards.record import stamp
from bestby.boards.submitting import changed_settings, checked


def end(folder: Folder, phase: str | None, now: datetime, *, early: bool, revoke: bool, reason: str) -> int:
    """End a phase or revoke its end; return the number of the line that says so.

    A phase that has ended stays so without another line, so that a job may do it every night.
    """
    reason = names.checked_text(reason)
    with folder.locked():
        lines = folder.lines()
        settings = checked(folder, lines)
        one = settings.phase(phase)
        known = ended(lines).get(one.name)
        if revoke and known is None:
            raise InvalidInputError(
                f"phase {quoted(one.name)} has not ended, so that there is nothing to revoke",
                hint="`bestby board end` without revoke=True ends it",
            )
        if known is not None and not revoke:
            return known.number
        if one.end is not None and now < one.end and not (early or revoke):
            raise InvalidInputError(
                f"phase {quoted(one.name)} ends on {stamp(one.end)}, and it is {stamp(now)}",
                hint="do it after this date, change the date in board.toml, or pass early=True",
            )
        event = PhaseEnded(one.name, revoke, reason)
        return folder.append(lines, [*changed_settings(folder, lines), event], now)[-1].number
