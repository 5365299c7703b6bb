"""What a report holds, whatever its result is and whatever it is written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bestby._core.errors import InvalidInputError
from bestby._core.text import visible
from bestby.report.column import Cell
from bestby.report.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


BEST_GROUP = "best group"
"""The header of the last column of many systems: those that nothing tells apart from the best."""


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

    `remarks` belong to the tables, `readings` are all differences in words, `omitted` says what is not shown.
    `next_step` makes what is said below the lead: what these data can show, and what more would take.
    `items` are tables of single items, for pages only. `pairs` makes the differences of every two systems as
    a matrix, or is None.
    """

    name: str
    lead: str
    tables: tuple[Table, ...]
    remarks: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    readings: tuple[str, ...] = ()
    omitted: str = ""
    search: Search | None = None
    next_step: Callable[[], str] = lambda: ""
    items: tuple[Table, ...] = ()
    pairs: Callable[[], Table] | None = None


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

    `classes` is the table of how often each class occurs.
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
    classes: Table | None = None


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
