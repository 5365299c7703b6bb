"""The sentence below a headline on how few units it rests on, and what so few cannot show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bestby.inference.permutation import least_p
from bestby.inference.skewness import FROM_UNITS
from bestby.report.comparison import Comparison, Difference, SystemScore
from bestby.results.base import Note, Provenance

_AT_ONCE = "max-t"
"""Intervals that hold at once, from which the corrected p-values are read, whatever the test."""

_BY_T = ("normal", "cr2", "t", "welch", _AT_ONCE)
"""Intervals that take units to be near normal, or may."""


def few_units_sentence(c: Comparison, differences: Sequence[Difference]) -> str:
    """Return the sentence on the units of a comparison on one metric, with a space before it; "" if many."""
    n, units = units_of(c)
    if c.kind == "runs" and c.n_items:
        return ""
    return few_units_text(n, units, differences, c.notes, c.provenance.settings.get("test"))


def few_units_of_scores(c: Comparison, systems: Sequence[SystemScore]) -> str:
    """Return the same where scores are not compared; intervals of shares hold for few items."""
    n, units = units_of(c)
    methods = {entry.interval.method for entry in systems if entry.interval is not None}
    if n >= FROM_UNITS or not methods - {"wilson", "wilson-midp"}:
        return ""
    return (
        f" This rests on {n} {units}, which hardly show how skewed the scores are, or that a rare one fails."
    )


def units_of(c: Any) -> tuple[int, str]:
    """Return how many independent units a comparison rests on, and what they are called, as a plural."""
    if c.kind == "runs":
        return min(
            len(entry.runs) for entry in c.systems
        ), "pairs of runs" if c.paired else "runs of a system"
    n, units = units_of_items(c.n_items, c.n_clusters, c.provenance)
    return n, "judgements" if units == "items" and c.kind == "preferences" else units


def units_of_items(n_items: int, n_clusters: int | None, provenance: Provenance) -> tuple[int, str]:
    """Return the same for so many items, which may be in clusters or blocks of text."""
    if n_clusters:
        return n_clusters, "clusters"
    if blocks := provenance.settings.get("blocks"):
        return n_items // int(blocks), "blocks"
    return n_items, "items"


def by_swaps(d: Difference, asked: str | None) -> bool:
    """Return whether the test of a difference is by swaps, or what goes on where these end."""
    return d.test is not None and (
        d.test.name == "permutation" or (d.test.name == "hall" and asked == "auto")
    )


def few_units_text(
    n: int, units: str, differences: Sequence[Difference], notes: Sequence[Note], asked: str | None
) -> str:
    """Return the same for so many units, named by a plural, of tests that were `asked` for."""
    if n >= FROM_UNITS or not any(map(_differs, differences)):
        return ""
    shown, parts = differences[0], []
    if any(d.interval is not None and d.interval.method in _BY_T for d in differences):
        parts.append(
            f"cannot show whether {'they' if units.startswith('runs') else 'differences'} are skewed"
        )
    at_once = any(d.interval is not None and d.interval.method == _AT_ONCE for d in differences)
    swapped = not at_once and any(by_swaps(d, asked) for d in differences)
    # Units below which the least p-value of a swap is named
    if n < 10 and shown.test is not None and swapped:
        least = least_p(n, shown.test.alternative)
        parts.append(f"have no swap with a p-value below {least:.2g}")
        if any(d.test is not None and d.test.name == "hall" for d in differences):
            parts[-1] += " (where all point the same way, Hall's t test decides)"
    if not parts:
        return ""
    text = f" This rests on {n} {units}, which {' and '.join(parts)}"
    every = (*notes, *(note for d in differences for note in d.notes))
    skewed = [note for note in every if note.code == "skewed_differences"]
    allowing = [note for note in skewed if note.about[:1] == (shown.metric,)]  # none on a single dataset
    return f"{text}; {allowing[0].message}." if allowing else f"{text}."


def _differs(d: Difference) -> bool:
    """Return whether two systems differ on some unit; of runs without items no number tells, but a note."""
    if hasattr(d, "n_runs") and not d.n_items:
        return all(note.code != "identical" for note in d.notes)
    return d.n_differing > 0
