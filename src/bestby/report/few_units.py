"""The sentence below a headline on how few units it rests on, and what so few cannot show."""

from __future__ import annotations

from collections.abc import Sequence

from bestby.inference.permutation import least_p
from bestby.inference.skewness import FROM_UNITS
from bestby.report.words import name_of_test
from bestby.results.base import Note
from bestby.results.comparison import Comparison, Difference
from bestby.results.runs import RunsComparison

FEW_FOR_SWAPS = 10
"""Units below which the least p-value of a swap is named."""

_BY_T = ("normal", "cr2", "t", "welch")
"""Intervals that take units to be near normal."""


def sentence(c: Comparison, differences: Sequence[Difference]) -> str:
    """Return the sentence on the units of a comparison on one metric, with a space before it; "" if many."""
    units, n = ("clusters", c.n_clusters) if c.n_clusters else ("items", c.n_items)
    if isinstance(c, RunsComparison):
        if c.n_items:
            return ""
        n = min(len(entry.runs) for entry in c.systems)
        units = "pairs of runs" if c.paired else "runs of a system"
    return sentence_of(n, units, differences, c.notes)


def sentence_of(n: int, units: str, differences: Sequence[Difference], notes: Sequence[Note]) -> str:
    """Return the same for so many units, named by a plural."""
    if n >= FROM_UNITS or not differences:
        return ""
    shown = differences[0]
    parts = []
    if any(d.interval is not None and d.interval.method in _BY_T for d in differences):
        parts.append("cannot show whether their differences are skewed")
    swapped = any(d.test is not None and d.test.name in ("permutation", "hall") for d in differences)
    if n < FEW_FOR_SWAPS and swapped and shown.test is not None and not units.startswith("runs"):
        least = least_p(n, shown.test.alternative)
        parts.append(f"have no swap with a p-value below {least:.2g}")
        if any(d.test is not None and d.test.name == "hall" for d in differences):
            parts[-1] += f" (where all point the same way, {name_of_test('hall')} decides)"
    if not parts:
        return ""
    text = f" This rests on {n} {units}, which {' and '.join(parts)}"
    allowing = [note for note in notes if note.code == "skewed_differences" and shown.metric in note.about]
    return f"{text}; {allowing[0].message}." if allowing else f"{text}."
