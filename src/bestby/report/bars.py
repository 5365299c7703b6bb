"""Intervals as bars of text, one below the other on a common scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

WIDTH = 20
"""Columns of a bar."""

LINE, POINT, MARK = "\N{BOX DRAWINGS LIGHT HORIZONTAL}", "\N{BLACK CIRCLE}", "\N{BOX DRAWINGS LIGHT VERTICAL}"


def bars(spans: Sequence[tuple[float, float, float]], marked: float | None = None) -> list[str]:
    """Return a bar for each estimate with the ends of its interval; none if there is no scale.

    A bar whose ends are NaN is blank, an end beyond all numbers reaches the end of the scale, and a line
    stands where the scale has the value `marked`, such as 0.

    >>> for line in bars([(2.0, -1.0, 5.0), (6.0, 4.0, math.inf)], marked=0.0):
    ...     print(line.replace(LINE, "-").replace(POINT, "o").replace(MARK, "|"))
    ---|----o--------
       |          -----o
    """
    known = [not any(map(math.isnan, span)) for span in spans]
    ends = [one for span, yes in zip(spans, known, strict=True) if yes for one in span if math.isfinite(one)]
    values = [*ends, *([] if marked is None else [marked])]
    low, high = min(values, default=0.0), max(values, default=0.0)
    if not ends or not 0.0 < high - low < math.inf:
        return []

    def place(value: float) -> int:
        return round((min(max(value, low), high) - low) / (high - low) * (WIDTH - 1))

    lines = []
    for (estimate, *interval), yes in zip(spans, known, strict=True):
        signs = [" "] * WIDTH
        first, last = map(place, interval) if yes else (0, -1)
        signs[first : last + 1] = LINE * (last + 1 - first)
        if marked is not None:
            signs[place(marked)] = MARK
        if yes:
            signs[place(estimate)] = POINT
        lines.append("".join(signs).rstrip())
    return lines
