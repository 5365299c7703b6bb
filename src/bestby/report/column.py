"""Columns of tables: a column is one record that says what it shows of each entry."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable
from operator import attrgetter
from typing import Any

from bestby.report.numbers import DASH, MINUS, Rounding, alpha, ends, p_text, percent
from bestby.results.values import Interval


@dataclasses.dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text, not yet escaped, and what the table sorts by.

    `rounded` writes a number or an interval of the metric with another number of decimals; a cell that is
    `strong` is bold by itself, whatever its row is.
    """

    text: str
    key: float | str
    rounded: Callable[[int], str] | None = None
    strong: bool = False

    def followed_by(self, mark: str) -> Cell:
        """Return the cell with a mark after its number."""
        rounded = self.rounded
        again = None if rounded is None else (lambda decimals: rounded(decimals) + mark)
        return Cell(self.text + mark, self.key, again, self.strong)

    def shown(self, decimals: int | None = None) -> str:
        """Return the text, that of a number with so many decimals."""
        return self.text if decimals is None or self.rounded is None else self.rounded(decimals)


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """A column: its header, and the cell that it shows of an entry; a long `name` is broken first.

    The short answer leaves out a column that is `details`.
    """

    header: str
    cell: Callable[[Any], Cell]
    numeric: bool = True
    name: bool = False
    applies: bool = True
    details: bool = False


THREE_DECIMALS = Rounding(3)


@dataclasses.dataclass(frozen=True, slots=True)
class Look:
    """How the values of a table look: the digits of its numbers, its level, its correction and its metric."""

    digits: Rounding = THREE_DECIMALS
    level: float | None = None
    correction: str = "none"
    metric: str = ""

    @property
    def percent(self) -> str:
        """The level as a percentage."""
        return "" if self.level is None else percent(self.level)


Format = Callable[[Any, Look], Cell]
"""Makes the cell of a value."""


def as_number(value: float | None, look: Look) -> Cell:
    """Return the cell of a number on the scale of the metric."""
    return number_cell(look.digits, value)


def as_interval(value: Interval | None, look: Look) -> Cell:
    """Return the cell of an interval on the scale of the metric."""
    return interval_cell(look.digits, value)


def as_p_value(value: float, look: Look) -> Cell:
    """Return the cell of a p-value."""
    return Cell(p_text(value, alpha(0.95 if look.level is None else look.level)), float(value))


def as_word(value: str | None, _look: Look) -> Cell:
    """Return the cell of a word; a dash where there is none."""
    return Cell(value or DASH, value or "")


def as_name(value: str, _look: Look) -> Cell:
    """Return the cell of a name, which a narrow table breaks first."""
    return Cell(value, value)


def as_count(value: int, _look: Look) -> Cell:
    """Return the cell of a count."""
    return Cell(str(value), float(value))


def written(spec: str) -> Format:
    """Return the format of numbers on a scale of their own, such as ".4f"."""
    return lambda value, _look: Cell(format(value, spec), value)


def name(header: str, value: Callable[[Any], str], baselines: Collection[str | None] = ()) -> Column:
    """Return a column of names; baselines are marked."""

    def cell(entry: Any) -> Cell:
        name = value(entry)
        return Cell(f"{name} (baseline)" if name in baselines else name, name)

    return Column(header, cell, numeric=False, name=True)


def text(header: str, value: Callable[[Any], str], *, applies: bool = True) -> Column:
    """Return a column of words; a dash where there is none."""
    return Column(header, lambda e: as_word(value(e), Look()), numeric=False, applies=applies)


def number(
    header: str, digits: Rounding, value: Callable[[Any], float | None], *, applies: bool = True
) -> Column:
    """Return a column of rounded numbers; a dash where there is none."""
    return Column(header, lambda e: number_cell(digits, value(e)), applies=applies)


def number_cell(digits: Rounding, value: float | None) -> Cell:
    """Return the cell of a rounded number, or a dash, which sorts before all numbers."""
    if value is None:
        return Cell(DASH, float("-inf"))
    value = float(value)
    again = (lambda decimals: digits.with_decimals(decimals).text(value)) if digits.measured else None
    return Cell(digits.text(value), value, again)


def interval_cell(digits: Rounding, value: Interval | None) -> Cell:
    """Return the cell of an interval, sorted by its lower end."""
    again = (lambda decimals: digits.with_decimals(decimals).interval(value)) if digits.measured else None
    return Cell(digits.interval(value), float(ends(value)[0]), again)


def interval(
    level: float | None,
    digits: Rounding,
    value: Callable[[Any], Interval | None],
    *,
    applies: bool = True,
) -> Column:
    """Return a column of intervals of one level, sorted by their lower ends."""
    return Column(interval_header(level), lambda e: interval_cell(digits, value(e)), applies=applies)


def interval_header(level: float | None) -> str:
    """Return the header of intervals of one level."""
    return "interval" if level is None else f"{percent(level)} interval"


def p_value(header: str, value: Callable[[Any], float], level: float, *, applies: bool = True) -> Column:
    """Return a column of p-values."""
    look = Look(level=level)
    return Column(header, lambda e: as_p_value(value(e), look), applies=applies)


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


DIFFERENCE_HEADER = "difference"
FIRST, SECOND, SYSTEM = "first", "second", "system"


@dataclasses.dataclass(frozen=True, slots=True)
class Sides:
    """What the two systems of the differences of a table are called, each the first minus the second.

    A system that all of them share goes by its name, which stands in the caption. `columns` are the names
    that differ from row to row.
    """

    first: str
    second: str
    columns: tuple[Column, ...]

    @property
    def minus(self) -> str:
        """The two, with a minus sign between them."""
        return f"{self.first} {MINUS} {self.second}"

    @property
    def one(self) -> str:
        """The first in a sentence."""
        return _in_sentence(self.first)

    @property
    def other(self) -> str:
        """The second in a sentence."""
        return _in_sentence(self.second)


def _in_sentence(side: str) -> str:
    return f"the {side}" if side in (FIRST, SECOND, SYSTEM) else side


def sides(differences: Iterable[Any]) -> Sides:
    """Return what the systems of some differences, or of other entries with `a` and `b`, are called.

    >>> from types import SimpleNamespace as Pair
    >>> sides([Pair(a="bert", b="aen")]).minus
    'bert − aen'
    >>> sides([Pair(a="bert", b="base"), Pair(a="aen", b="base")]).minus
    'system − base'
    >>> sides([Pair(a="x", b="y"), Pair(a="x", b="z"), Pair(a="y", b="z")]).minus
    'first − second'
    """
    a: str | None = None
    b: str | None = None
    for position, entry in enumerate(differences):
        a = entry.a if position == 0 or entry.a == a else None
        b = entry.b if position == 0 or entry.b == b else None
        if a is None and b is None:
            break
    if a is None and b is None:
        return Sides(FIRST, SECOND, (name(FIRST, attrgetter("a")), name(SECOND, attrgetter("b"))))
    one = [name(SYSTEM, attrgetter(side)) for side, shared in (("a", a), ("b", b)) if shared is None]
    return Sides(a or SYSTEM, b or SYSTEM, tuple(one))
