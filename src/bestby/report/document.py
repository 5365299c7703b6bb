"""What a report holds, whatever it is of and whatever it is written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bestby.report.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of a report.

    Parameters
    ----------
    label : str
        What it is, for readers who do not see it.
    caption : str
        What the reader must know to read it.
    draw : callable
        Makes it; nothing is drawn before it is asked for.
    """

    label: str
    caption: str
    draw: Callable[[], Axes]


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
    """

    name: str
    lead: str
    tables: tuple[Table, ...]
    remarks: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    readings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A report.

    Parameters
    ----------
    title, subtitle : str
        For a page of its own.
    sections : tuple of Section
        One per metric.
    notes : tuple of str
        What the reader must know about the numbers.
    methods : str
        How they were made, in a sentence or two.
    settings : mapping
        The same in full, by name.
    signature : str
        The same on one line.
    version : str
        Of this package.
    """

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...]
    methods: str
    settings: Mapping[str, Any]
    signature: str
    version: str


def describe(result: Any) -> Document:
    """Return the report of a result, made by the module of this room that the result names.

    Parameters
    ----------
    result : Comparison or alike
        A result whose class has an attribute `described_by`.

    Returns
    -------
    Document
        Its report.
    """
    document: Document = import_module(f"bestby.report.{result.described_by}").document(result)
    return document
