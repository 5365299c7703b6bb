"""What a report holds, whatever it is of and whatever it is written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bestby._core.errors import InvalidInputError
from bestby.report.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of a report.

    `caption` is what the reader must know to read it. `draw` makes it; nothing is drawn before it is asked
    for.
    """

    label: str
    caption: str
    draw: Callable[[], Axes]


@dataclass(frozen=True, slots=True)
class Search:
    """What a report that can be searched holds of systems too many to be shown.

    `pairs` makes the numbers of the pairs, for JSON; None where they are not those of all pairs.
    """

    systems: Callable[[], Table]
    pairs: Callable[[], dict[str, Any] | None]
    differences: Callable[[], Table]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report, for one metric.

    Parameters
    ----------
    name : str
        Its heading, where there is more than one section.
    lead : str
        What it says, in a sentence or two.
    tables : tuple of Table
        The tables, the one of systems first.
    remarks : tuple of str
        Sentences that belong to the tables.
    pictures : tuple of Picture
        Figures, for reports that can hold them.
    readings : tuple of str
        Every difference in words, for reports that have room for them.
    omitted : str
        What is not shown, and where it is; empty if everything is.
    search : Search or None
        For reports that can be searched, where not everything is shown.
    """

    name: str
    lead: str
    tables: tuple[Table, ...]
    remarks: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    readings: tuple[str, ...] = ()
    omitted: str = ""
    search: Search | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A report.

    `notes` is what the reader must know about the numbers. `methods` says how they were made, in a sentence
    or two.
    """

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...]
    methods: str
    settings: Mapping[str, Any]
    signature: str
    version: str


def comparable(result: Any) -> None:
    """Refuse to show the best systems only where the systems are not all compared with each other."""
    if result.described_by != "comparison":
        raise InvalidInputError(
            "top is for comparisons on one test set; this report shows everything",
            hint="pass top=None",
        )


def describe(result: Any, top: int | None = None) -> Document:
    """Return the report of a result, made by the module of this room that the result names.

    For a comparison, `top` says how many of the best systems to show.
    """
    shown = {}
    if top is not None:
        comparable(result)
        shown["top"] = top
    document: Document = import_module(f"bestby.report.kinds.{result.described_by}").document(result, **shown)
    return document
