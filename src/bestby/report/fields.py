"""Columns as data, each declared once: its name in frames, CSV and JSON, and what it shows of an entry."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core.typing import Array
from bestby.report import disagreements
from bestby.report.column import (
    DIFFERENCE_HEADER,
    Cell,
    Column,
    Format,
    Look,
    as_interval,
    as_name,
    as_number,
    as_p_value,
    as_word,
    interval_header,
)
from bestby.report.pairs import Differences, Pairs
from bestby.report.words import computed

INTERVAL, TEST = ("interval",), ("test",)
"""What a column needs to have been computed; one that names both needs either."""


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """A column: its name, and the path of attributes that leads from an entry to its value.

    A number in the path is a position in a tuple, a name a key where the entry is a dictionary. A function
    takes the place of the path where there is no attribute. `absent` is the value where the path leads
    through None. `needs` is what must have been computed for the column to be there. The value of a field
    `of_result` is that of the whole result, equal in all rows.

    In tables for readers the column has a `header` and a `format`; `reads` is the path to what they see where
    it is another, such as an interval as a whole. Without a header readers have no such column.
    """

    name: str
    path: str | Callable[[Any], Any] = ""
    needs: tuple[str, ...] = ()
    absent: Any = None
    of_result: bool = False
    header: str | Callable[[Look], str] = ""
    format: Format = as_number
    reads: str = ""

    def applies(self, c: Any) -> bool:
        """Return whether the table of a result has the column."""
        return not self.needs or any(computed(c, what) for what in self.needs)

    def value(self, entry: Any) -> Any:
        """Return what the column shows of an entry."""
        path = self.path or self.name
        return path(entry) if callable(path) else _at(path, entry, self.absent)

    def column(self, look: Look, *, applies: bool = True) -> Column:
        """Return the column of a table for readers."""
        header = self.header if isinstance(self.header, str) else self.header(look)
        read = dataclasses.replace(self, path=self.reads or self.path)
        return Column(
            header,
            lambda entry: self.format(read.value(entry), look),
            numeric=self.format not in (as_name, as_word),
            name=self.format is as_name,
            applies=applies,
        )


def _at(path: str, entry: Any, absent: Any = None) -> Any:
    for part in path.split("."):
        if entry is None:
            return absent
        if isinstance(entry, Mapping):
            entry = entry[part]
        else:
            entry = entry[int(part)] if part.isdigit() else getattr(entry, part)
    return entry


def attributes(*names: str) -> tuple[Field, ...]:
    """Return columns that are called as the attributes that they show."""
    return tuple(map(Field, names))


def interval_ends(
    path: str,
    low: str = "low",
    high: str = "high",
    *,
    needs: tuple[str, ...] = INTERVAL,
    absent: Any = math.nan,
) -> tuple[Field, Field]:
    """Return the columns of the two ends of an interval."""
    return Field(low, f"{path}.low", needs, absent), Field(high, f"{path}.high", needs, absent)


def shown_interval(path: str, low: str = "low", high: str = "high") -> tuple[Field, Field]:
    """Return the columns of the two ends of an interval, in the place of which readers see it as a whole."""
    first, second = interval_ends(path, low, high, needs=(), absent=None)
    shown = dataclasses.replace(
        first, header=lambda look: interval_header(look.level), format=as_interval, reads=path
    )
    return shown, second


def inside(part: str, columns: Iterable[Field]) -> tuple[Field, ...]:
    """Return columns that show a part of each entry, as others show that part itself."""
    return tuple(
        column
        if column.of_result
        else dataclasses.replace(
            column, path=_below(part, column), reads=f"{part}.{column.reads}" * bool(column.reads)
        )
        for column in columns
    )


def _below(part: str, column: Field) -> str | Callable[[Any], Any]:
    path = column.path or column.name
    return (lambda entry: path(_at(part, entry))) if callable(path) else f"{part}.{path}"


def by_name(columns: Iterable[Field]) -> tuple[Field, ...]:
    """Return columns that show dictionaries, which hold the values by the names of the columns."""
    return tuple(dataclasses.replace(column, path="") for column in columns)


def named(columns: Iterable[Field]) -> dict[str, Field]:
    """Return columns by their names."""
    return {column.name: column for column in columns}


def values(columns: Iterable[Field], entry: Any) -> dict[str, Any]:
    """Return what columns show of an entry, by their names."""
    return {column.name: column.value(entry) for column in columns}


def disagreement(d: Any) -> str | None:
    """Return in words which parts of a difference disagree."""
    return disagreements.words(disagreements.kinds(d))


METHOD = Field(
    "interval",
    "interval.method",
    needs=INTERVAL,
    header=lambda look: interval_header(look.level),
    format=as_interval,
    reads="interval",
)
"""The column of the methods of intervals, in the place of which readers see the intervals."""

DIFFERENCE = (
    *attributes("metric", "a", "b"),
    Field("difference", "estimate", header=DIFFERENCE_HEADER),
    *attributes("score_a", "score_b"),
    *interval_ends("interval"),
    Field("level", needs=(*INTERVAL, *TEST)),
    METHOD,
    Field("p_value", needs=TEST, header="p", format=as_p_value),
    Field("p_adjusted", needs=TEST, header=lambda look: f"p ({look.correction})", format=as_p_value),
    Field("test", "test.name", needs=TEST),
    Field("exact", needs=TEST),
    Field("n_differing"),
    Field("verdict", needs=INTERVAL, header="verdict", format=as_word),
    Field("significant", needs=TEST),
    Field("winner", needs=TEST),
    *interval_ends("equivalence_interval", "equivalence_low", "equivalence_high", absent=None),
    Field("standard_error", needs=INTERVAL),
    Field("standard_error_method", needs=INTERVAL),
    Field("disagreement", disagreement, needs=(*INTERVAL, *TEST)),
)
"""The columns of any table of differences."""

SCORE = (
    *attributes("metric", "system"),
    Field("score", header=lambda look: look.metric),
    *interval_ends("interval"),
    Field("level", of_result=True, needs=(*INTERVAL, *TEST)),
    METHOD,
    Field("rank_low", needs=TEST),
    Field("rank_high", needs=TEST),
    Field("group", needs=TEST),
    Field("standard_error", needs=INTERVAL),
    Field("standard_error_method", needs=INTERVAL),
)
"""The columns of any table of the scores of systems."""


N_ITEMS = (Field("n_items"),)
"""The column of how many items a system has, or a pair, where systems lack items."""


def _dot(value: Any, look: Look) -> Cell:  # noqa: ARG001
    """Return a dot for a system that may be the best, and nothing for others."""
    return Cell("•" if value else "", str(int(bool(value))))


MAY_BE_BEST = (
    Field("may_be_best", needs=TEST, header="best?", format=_dot),
    Field("behind", needs=TEST, header="behind at most"),
)
"""The columns on which of three or more systems may be the best."""


def best_fields(c: Any) -> tuple[Field, ...]:
    """Return the columns on the best if a result says which systems may be it."""
    return MAY_BE_BEST if c.best_sets else ()


N_RUNS = (Field("n_runs_a", "n_runs.0"), Field("n_runs_b", "n_runs.1"))
"""The columns of differences between systems that were run several times."""


@dataclasses.dataclass(frozen=True, slots=True)
class Rows:
    """A table as data: its columns, and the entries of a result that its rows show.

    What columns there are may depend on the result; then `fields` is a function of it.
    """

    fields: tuple[Field, ...] | Callable[[Any], tuple[Field, ...]]
    entries: Callable[[Any], Iterable[Any]]

    def columns(self, c: Any, *, complete: bool = False) -> tuple[Field, ...]:
        """Return the columns that the table of a result has; if complete, those nobody asked for, too."""
        fields = self.fields(c) if callable(self.fields) else self.fields
        return tuple(field for field in fields if complete or field.applies(c))

    def shown(self, c: Any, look: Look) -> list[Column]:
        """Return the columns of the table for readers: those that have a header."""
        return [field.column(look) for field in self.columns(c) if field.header]

    def rows(self, c: Any, *, complete: bool = False) -> list[dict[str, Any]]:
        """Return the rows, each as a dictionary; `complete` as for `columns`."""
        names = [field.name for field in self.columns(c, complete=complete)]
        return [
            dict(zip(names, values, strict=True))
            for part in self.parts(c, complete=complete)
            for values in zip(*map(_listed, part.values()), strict=True)
        ]

    def parts(self, c: Any, *, complete: bool = False) -> Iterator[dict[str, Any]]:
        """Yield the columns, part by part: there is one part, but for thousands of pairs one per metric."""
        fields = self.columns(c, complete=complete)
        entries = self.entries(c)
        for part in entries.parts if isinstance(entries, Differences) else [tuple(entries)]:
            yield {field.name: _column(field, c, part) for field in fields}


def _column(field: Field, c: Any, entries: Sequence[Any]) -> Sequence[Any] | Array:
    """Return a column of a table, of thousands of pairs without a record of each."""
    if field.of_result:
        return [field.value(c)] * len(entries)
    if not isinstance(entries, Pairs):
        return [field.value(entry) for entry in entries]
    if field.path is disagreement:
        return disagreements.words_of_pairs(entries)
    held = None if callable(field.path) else entries.values(field.path or field.name)
    return [field.value(d) for d in entries] if held is None else held


def _listed(column: Sequence[Any] | Array) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else list(column)
