"""Where numbers are drawn: intervals as whiskers and sets of ranks as bars, in percent of the width."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bestby.results.values import Interval

_BEYOND = 0.03
"""The share of the width that is free on both sides."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from `low` to `high`."""

    low: float
    high: float

    @classmethod
    def of(cls, measured: Iterable[tuple[float, Interval | None]], *also: float) -> Axis:
        """Return the scale that shows numbers with their intervals, as far as these are finite."""
        ends = [
            end
            for value, interval in measured
            for end in ((value,) if interval is None else (value, interval.low, interval.high))
        ]
        finite = [end for end in (*ends, *also) if math.isfinite(end)] or [0.0]
        low, high = min(finite), max(finite)
        room = _BEYOND * (high - low) or _BEYOND * abs(high) or 1.0
        return cls(low - room, high + room)

    def at(self, value: float) -> float:
        """Return the place of a number; what lies beyond the scale is at its end."""
        if math.isnan(value):
            return 0.0
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(100.0 * share, 2)

    def whisker(self, value: float, interval: Interval | None) -> dict[str, float] | None:
        """Return the places of a number and of the ends of its interval; None for a number that is none."""
        if math.isnan(value):
            return None
        low, high = (value, value) if interval is None else (interval.low, interval.high)
        return {"mid": self.at(value), "low": self.at(low), "high": self.at(high)}


def bar(low: int, high: int, place: int, of: int) -> dict[str, Any]:
    """Return where the bar of a set of ranks begins, how wide it is, and where the system itself stands.

    >>> bar(1, 2, place=2, of=4)
    {'start': 0.0, 'width': 50.0, 'mid': 37.5}
    """
    one = 100.0 / of
    return {
        "start": round(one * (low - 1), 2),
        "width": round(one * (high - low + 1), 2),
        "mid": round(one * (place - 0.5), 2),
    }
