"""Columns of tables: a column is one record that says what it shows of each entry."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection
from operator import attrgetter
from typing import Any

from bestby.report.numbers import DASH, MINUS, Rounding, alpha, ends, p_text, percent
from bestby.results.values import Interval


@dataclasses.dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text, not yet escaped, and what the table sorts by."""

    text: str
    key: float | str


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """A column: its header, and the cell that it shows of an entry; a long `name` is broken first."""

    header: str
    cell: Callable[[Any], Cell]
    numeric: bool = True
    name: bool = False
    applies: bool = True


def name(header: str, value: Callable[[Any], str], baselines: Collection[str | None] = ()) -> Column:
    """Return a column of names; baselines are marked."""

    def cell(entry: Any) -> Cell:
        name = value(entry)
        return Cell(f"{name} (baseline)" if name in baselines else name, name)

    return Column(header, cell, numeric=False, name=True)


def text(header: str, value: Callable[[Any], str], *, applies: bool = True) -> Column:
    """Return a column of words; a dash where there is none."""
    return Column(header, lambda e: Cell(value(e) or DASH, value(e)), numeric=False, applies=applies)


def number(header: str, digits: Rounding, value: Callable[[Any], float], *, applies: bool = True) -> Column:
    """Return a column of rounded numbers."""
    return Column(header, lambda e: Cell(digits.text(float(value(e))), float(value(e))), applies=applies)


def interval(
    level: float | None,
    digits: Rounding,
    value: Callable[[Any], Interval | None],
    *,
    applies: bool = True,
) -> Column:
    """Return a column of intervals of one level, sorted by their lower ends."""
    header = "interval" if level is None else f"{percent(level)} interval"
    return Column(
        header, lambda e: Cell(digits.interval(value(e)), float(ends(value(e))[0])), applies=applies
    )


def p_value(header: str, value: Callable[[Any], float], level: float, *, applies: bool = True) -> Column:
    """Return a column of p-values."""
    return Column(header, lambda e: Cell(p_text(value(e), alpha(level)), float(value(e))), applies=applies)


def count(header: str, value: Callable[[Any], tuple[int, ...] | int], join: str = DASH) -> Column:
    """Return a column of counts: one, or several that are sorted by the first."""

    def cell(entry: Any) -> Cell:
        shown = value(entry)
        counts = shown if isinstance(shown, tuple) else (shown,)
        return Cell(join.join(map(str, counts)), float(counts[0]))

    return Column(header, cell)


def part(column: Column, part: Callable[[Any], Any]) -> Column:
    """Return a column that shows a part of each entry."""
    return dataclasses.replace(column, cell=lambda entry: column.cell(part(entry)))


PAIR = (name("A", attrgetter("a")), name("B", attrgetter("b")))
DIFFERENCE = f"A {MINUS} B"


def differences(
    digits: Rounding,
    level: float | None,
    correction: str,
    *,
    with_intervals: bool = True,
    with_tests: bool = True,
) -> list[Column]:
    """Return the columns of any table of differences; adjusted p-values if there was a correction."""
    threshold = 0.95 if level is None else level
    adjusted = attrgetter("p_adjusted")
    return [
        *PAIR,
        number(DIFFERENCE, digits, attrgetter("estimate")),
        interval(level, digits, attrgetter("interval"), applies=with_intervals),
        Column("p", lambda d: Cell(p_text(d.p_value, alpha(d.level)), float(d.p_value)), applies=with_tests),
        p_value(f"p ({correction})", adjusted, threshold, applies=with_tests and correction != "none"),
    ]
