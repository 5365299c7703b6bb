"""A gold and the predictions of two systems."""

from __future__ import annotations

from bestby.results import Comparison

GOLD = ["x", "y", "x", "y", "x", "y", "x", "y"] * 5
A = ["x", "y", "x", "y", "x", "y", "x", "x"] * 5
B = ["x", "x", "x", "y", "y", "y", "x", "y"] * 5


def codes(result: Comparison) -> list[str]:
    return [note.code for note in result.notes]
