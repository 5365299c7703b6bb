"""The gold of a small study, and predictions that are wrong now and then."""

from __future__ import annotations

from collections.abc import Callable

GOLD = ["x", "y", "z"] * 20
Lines = Callable[[str, list[str]], str]


def wrong(every: int, start: int = 0) -> list[str]:
    """Predictions of which one in so many is wrong."""
    return [
        "x" if (place + start) % every == 0 and label != "x" else label for place, label in enumerate(GOLD)
    ]
