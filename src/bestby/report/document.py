"""What a report holds, whatever its result is and whatever it is written in, and how it is put together."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import visible
from bestby._version import __version__
from bestby.report.column import Cell
from bestby.report.comparison import Comparison, Difference
from bestby.report.numbers import margin_text, percent
from bestby.report.tables import BEST, Table, systems_of
from bestby.report.words import all_notes, computed, lines_of
from bestby.results.base import MetricInfo, Provenance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PAIRS = 130
"""Pairs in a forest plot: those of 16 systems."""

MOST_ROWS = 18
"""Rows of tables beside which a screen holds all words: 9 systems and their differences from the best."""

_OF_READING = ("read_as",)
_SENTENCE = re.compile(r"(?<=[.?]) (?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure: its name, how to read it, and the function that draws it when it is needed."""

    label: str
    caption: str
    draw: Callable[[], Axes]


@dataclass(frozen=True, slots=True)
class Search:
    """Tables of systems that are too many to be shown; `pairs` makes the numbers of all pairs, or None."""

    systems: Callable[[], Table]
    pairs: Callable[[], dict[str, Any] | None]
    differences: Callable[[], Table]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report, for one metric; the first of `tables` is that of systems.

    `remarks` belong to the tables, as do `details`, which the short answer leaves out; `answers` are the
    remarks that were asked for, which the briefest answer has; `readings` are all differences in words.
    `next_step` makes what is said below the lead: what these data can show, and what more would take.
    `items` are tables of single items, for pages only. `pairs` makes the differences of every two systems as
    a matrix, or is None. The short answer leaves out a section that is `detailed`.
    """

    name: str
    lead: str
    tables: tuple[Table, ...]
    remarks: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    readings: tuple[str, ...] = ()
    search: Search | None = None
    next_step: Callable[[], str] = lambda: ""
    items: tuple[Table, ...] = ()
    pairs: Callable[[], Table] | None = None
    detailed: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """A score in the table of all metrics, with its interval if intervals were computed."""

    number: Cell
    interval: Cell | None
    group: str
    best: bool


@dataclass(frozen=True, slots=True)
class Overview:
    """The scores of all systems on all metrics, for papers; None for a system not among the best shown."""

    caption: str
    metrics: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Score | None, ...]], ...]
    footnote: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A report: its sections, the notes on its numbers, and in `methods` how these were computed.

    The short answer has `short_methods` in place of the methods, if there are such, the notes `short_notes`,
    or `brief_notes` beside many rows, and in place of the tables of several sections those that are `joint`.
    `by_metric` is the table of two systems on all metrics, for papers; `classes` that of how often each class
    occurs.
    """

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...]
    methods: str
    settings: Mapping[str, Any]
    signature: str
    version: str
    overview: Overview | None = None
    by_metric: Table | None = None
    classes: Table | None = None
    short_methods: str = ""
    short_notes: tuple[str, ...] = ()
    brief_notes: tuple[str, ...] = ()
    joint: tuple[Table, ...] = ()


def check_top(result: Any) -> None:
    """Refuse to show the best systems only where the systems are not all compared with each other."""
    if result.kind != "comparison":
        raise InvalidInputError(
            "top is for comparisons on one test set; this report shows everything", hint="pass top=None"
        )


def describe(result: Any, top: int | None = None, *, items: bool = False) -> Document:
    """Return the report of a result.

    Of a comparison, `top` says how many of the best systems to show, and `items` whether to list the items on
    which they differ.
    """
    options: dict[str, Any] = {"items": True} if items else {}
    if top is not None:
        check_top(result)
        options["top"] = top
    document: Document = kind_of(result).document(result, **options)
    return document


def kind_of(result: Any) -> Any:
    """Return the module that describes a kind of result."""
    return result._report()


def headline(result: Any) -> str:
    """Return what a report says first, on one line."""
    return visible(describe(result).sections[0].lead)


def in_short(document: Document) -> Document:
    """Return the short answer: a report without tables, columns, remarks and sentences that are details.

    Beside tables of many rows it has of the methods the test alone, and the first sentence of each note.
    """
    sections = [
        dataclasses.replace(
            section,
            tables=()
            if document.joint
            else tuple(part for table in section.tables for part in table.in_short()),
            details=(),
        )
        for section in document.sections
        if not section.detailed
    ]
    if document.joint:
        sections[-1] = dataclasses.replace(sections[-1], tables=document.joint)
    notes, methods = document.short_notes, document.short_methods or document.methods
    if sum(len(table.rows) for section in sections for table in section.tables) > MOST_ROWS:
        notes = tuple(_SENTENCE.split(note)[0] for note in document.brief_notes)
        said = [one for one in _SENTENCE.split(methods) if one.startswith(("Test", "No "))]
        methods = " ".join(said) or methods
    return dataclasses.replace(
        document,
        sections=tuple(sections),
        notes=notes,
        methods=methods,
        signature=_short_signature(document),
        classes=None,
    )


def _short_signature(document: Document) -> str:
    """Return version, seed and the beginning of the hash of the data, and how to get the whole report."""
    p, parts = document.settings, [document.version]
    parts += [f"seed {p['seed']}", f"data {p['data hash'][:8]}"] if p else []
    return f"bestby {', '.join(parts)}. The whole report: --details, or result.details()"


def in_brief(document: Document) -> Document:
    """Return the headlines of a report with one table each."""
    document = in_short(document)
    sections = (
        dataclasses.replace(section, tables=section.tables[:1], remarks=section.answers, next_step=lambda: "")
        for section in document.sections
    )
    return dataclasses.replace(document, sections=tuple(sections), notes=(), methods="", signature="")


def several_sections(
    result: Any,
    title: str,
    subtitle: str,
    sections: Iterable[Section],
    methods: str,
    short_methods: str = "",
    detail_notes: Collection[str] = (),
) -> Document:
    """Return the report of a result, with the notes on it and its differences that no headline has said.

    The short answer leaves out the notes whose codes are `detail_notes`.
    """
    sections = tuple(sections)
    said = " ".join(section.lead for section in sections)
    notes = [note for note in all_notes(result) if note.message not in said]
    short = [note for note in notes if note.code not in detail_notes]
    return Document(
        title=title,
        subtitle=subtitle,
        sections=sections,
        notes=tuple(lines_of(notes)),
        methods=methods,
        settings=_settings(result.provenance),
        signature=result.signature,
        version=__version__ if result.provenance is None else result.provenance.version,
        short_methods=short_methods,
        short_notes=tuple(lines_of(short)),
        brief_notes=tuple(lines_of(note for note in short if note.code not in _OF_READING)),
    )


def one_section(
    result: Any, title: str, subtitle: str, methods: str, short_methods: str = "", **section: Any
) -> Document:
    """Return the report of a result that has one section, described by the fields of `Section`."""
    return several_sections(result, title, subtitle, [Section(**section)], methods, short_methods)


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


def best_systems(c: Comparison, top: int | None) -> Comparison | None:
    """Return the comparison with the best systems only, no number changed; None if all are to be shown."""
    n_systems = len({entry.system for entry in c.systems})
    if top is None:
        # Systems up to which all are shown
        if c.kind not in ("comparison", "preferences") or n_systems <= 50:
            return None
        top = BEST
    else:
        check_top(c)
    if checks.positive_int(top, "top") >= n_systems:
        return None
    systems = tuple(entry for metric in c.metrics for entry in systems_of(c, metric)[:top])
    differences = tuple(d for metric in c.metrics for d in _differences(c, metric, top))
    return dataclasses.replace(c, systems=systems, differences=differences)


def _differences(c: Comparison, metric: MetricInfo, top: int) -> list[Difference]:
    names = [entry.system for entry in systems_of(c, metric)[:top]]
    if c.baseline is not None:
        pairs = [(name, c.baseline) for name in names]
    else:
        pairs = [*((names[0], name) for name in names[1:]), *pairwise(names[1:])]
    differences = [c.find(metric.name, a, b) or c.find(metric.name, b, a) for a, b in pairs]
    return [d for d in differences if d is not None]
