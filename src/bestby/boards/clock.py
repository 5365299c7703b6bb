"""The clock of boards: the moment at which something is done."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """Return the moment in UTC."""
    return datetime.now(UTC)
