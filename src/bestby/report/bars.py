"""Intervals as bars of text, one below the other on a common scale."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from bestby.report.numbers import ends
from bestby.results.values import Interval

WIDTH = 20
"""Columns of a bar."""

LINE, POINT, MARK = "\N{BOX DRAWINGS LIGHT HORIZONTAL}", "\N{BLACK CIRCLE}", "\N{BOX DRAWINGS LIGHT VERTICAL}"


@dataclass(frozen=True, slots=True)
class Bars:
    """The estimates and intervals of the rows of a table, and the value that their scale marks, such as 0."""

    rows: tuple[tuple[float, float, float], ...]
    marked: float | None = None

    @classmethod
    def of(cls, rows: Iterable[tuple[float, Interval | None]], marked: float | None = None) -> Bars:
        """Return the bars of estimates with their intervals."""
        return cls(tuple((estimate, *ends(interval)) for estimate, interval in rows), marked)

    def lines(self) -> list[str]:
        """Return a bar for each row, blank where there is no interval; none if there is no scale.

        An end beyond all numbers reaches the end of the scale.

        >>> for line in Bars(((2.0, -1.0, 5.0), (6.0, 4.0, math.inf)), marked=0.0).lines():
        ...     print(line.replace(LINE, "-").replace(POINT, "o").replace(MARK, "|"))
        ---|----o--------
           |          -----o
        """
        drawn = [not any(map(math.isnan, row)) for row in self.rows]
        numbers = [one for row, yes in zip(self.rows, drawn, strict=True) if yes for one in row]
        finite = [one for one in numbers if math.isfinite(one)]
        finite += [] if self.marked is None else [self.marked]
        low, high = min(finite, default=0.0), max(finite, default=0.0)
        if not numbers or not 0.0 < high - low < math.inf:
            return []

        def place(value: float) -> int:
            return round((min(max(value, low), high) - low) / (high - low) * (WIDTH - 1))

        lines = []
        for (estimate, *interval), yes in zip(self.rows, drawn, strict=True):
            signs = [" "] * WIDTH
            first, last = map(place, interval) if yes else (0, -1)
            signs[first : last + 1] = LINE * (last + 1 - first)
            if self.marked is not None:
                signs[place(self.marked)] = MARK
            if yes:
                signs[place(estimate)] = POINT
            lines.append("".join(signs).rstrip())
        return lines
