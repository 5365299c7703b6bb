"""What the reports of all kinds of results have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from bestby._version import __version__
from bestby.report.document import Document, Picture, Section
from bestby.report.numbers import margin_text, percent
from bestby.report.summary import all_notes, lines_of
from bestby.report.words import computed
from bestby.results.base import Provenance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.report.comparison import Difference

MOST_PAIRS = 130
"""Pairs in a forest plot: those of 16 systems."""


def document(result: Any, title: str, subtitle: str, sections: Iterable[Section], methods: str) -> Document:
    """Return the report of a result, with its notes and those of all its differences."""
    return Document(
        title=title,
        subtitle=subtitle,
        sections=tuple(sections),
        notes=tuple(lines_of(all_notes(result))),
        methods=methods,
        settings=_settings(result.provenance),
        signature=result.signature,
        version=__version__ if result.provenance is None else result.provenance.version,
    )


def one_section(result: Any, title: str, subtitle: str, methods: str, **section: Any) -> Document:
    """Return the report of a result that has one section, described by the fields of `Section`."""
    return document(result, title, subtitle, [Section(**section)], methods)


def _settings(p: Provenance | None) -> dict[str, Any]:
    """Return everything that the numbers depend on, by name."""
    if p is None:
        return {}
    return {
        **p.settings,
        "resamples": p.n_resamples,
        "seed": p.seed,
        **p.data,
        "data hash": p.data_hash,
        "bestby": p.version,
        **p.versions,
    }


def subtitle(c: Any, extent: str, *others: str) -> str:
    """Return what a comparison rests on: its extent, the level, others, the baseline, the margin."""
    parts = [extent, *([f"{percent(c.level)} intervals"] if computed(c, "interval") else []), *others]
    if c.baseline is not None:
        parts.append(f"against the baseline {c.baseline}")
    if c.margin is not None:
        parts.append(f"smallest difference that matters {margin_text(c.margin)}")
    return ", ".join(parts)


def differences_with(c: Any, system: str) -> dict[str, Difference]:
    """Return the differences of one system and each other, in the order of the systems."""
    other = {(d.b if d.a == system else d.a): d for d in c.differences if system in (d.a, d.b)}
    return {name: other[name] for name in c.systems if name in other}


def all_within(c: Any) -> list[Difference]:
    """Return the differences on single datasets, or in single repetitions."""
    return [d for differences in c.within.values() for d in differences]


def forest_picture(c: Any, metric: str, n_pairs: int, draw: Callable[[], Axes]) -> Picture:
    """Return the forest plot of the differences on one metric."""
    caption = filled_caption(c)
    caption += "" if c.margin is None else " The band is the margin."
    return Picture(f"Forest plot of {n_pairs} differences in {metric}", caption, draw)


def filled_caption(c: Any) -> str:
    """Return what a filled marker of a difference means."""
    if computed(c, "test"):
        return "A filled marker is a difference that the test, after any correction, finds significant."
    if computed(c, "interval"):
        return "A filled marker is a difference whose interval does not hold 0; nothing was tested."
    return "Neither intervals nor tests were computed."
