"""Intervals by betting that are found again at each look without the units of the looks before.

What each bet has won is a smooth function of the hypothesis, for independent units and for a benchmark alike.
Near an end of the interval it is held at a few Chebyshev nodes, to which new units add; between the nodes it
is interpolated (Berrut & Trefethen 2004, SIAM Review 46, 501-517). All units are gone through again only
where an end has left its nodes, which happens each time that their number has grown by a share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from bestby._core.typing import FloatArray
from bestby.questions.monitor.betting import (
    TOLERANCE,
    Before,
    Units,
    log_capital,
    log_factors,
    logical_bounds,
)
from bestby.questions.monitor.collected import Collected
from bestby.questions.monitor.sequences import Ends, Pairs, interval
from bestby.questions.monitor.settings import Settings

_NODES: Final = 12
_NODES_AT: Final[FloatArray] = np.cos(np.pi * np.arange(_NODES) / (_NODES - 1))
_BARYCENTRIC: Final[FloatArray] = np.array([0.5 if n in (0, _NODES - 1) else 1.0 for n in range(_NODES)])
_BARYCENTRIC[1::2] *= -1.0

_NOTHING: Final = Before(0, np.zeros(1))


class Tracker:
    """The intervals of some pairs at each look; `ends` remembers what it needs for the next."""

    def __init__(self, pairs: Pairs, collected: Collected) -> None:
        self._pairs, self._collected = pairs, collected
        self._tracks: dict[tuple[int, float], _Track] = {}

    def ends(self, place: int, alpha: float) -> Ends:
        """Return the interval that the units of a pair give at this look."""
        pairs, n_units = self._pairs, int(self._pairs.n_units[place])
        if pairs.settings.method != "betting":
            return exact_ends(pairs, self._collected, place, alpha)
        track = self._tracks.get((place, alpha))
        if track is None:
            track = self._tracks[place, alpha] = _Track(pairs.settings, pairs.pairs[place], alpha)
        return track.ends(self._collected, n_units)


def exact_ends(pairs: Pairs, collected: Collected, place: int, alpha: float) -> Ends:
    """Return the interval that the units of a pair give at this look, from all units."""
    return interval(collected.pair(*pairs.pairs[place], int(pairs.n_units[place])), pairs.settings, alpha)


class _Track:
    """The interval of one pair at one level."""

    def __init__(self, settings: Settings, pair: tuple[int, int], alpha: float) -> None:
        self._settings, self._pair, self._alpha = settings, pair, alpha
        self._n_units, self._before = 0, _NOTHING
        self._windows: tuple[_Window, ...] = ()
        self._last: Ends | None = None

    def ends(self, c: Collected, n_units: int) -> Ends:
        if self._last is None or n_units > self._n_units:
            self._last = self._ends_between_nodes(c, n_units) or self._renewed(c.pair(*self._pair, n_units))
        return self._last

    def _ends_between_nodes(self, c: Collected, n_units: int) -> Ends | None:
        """Take more units, and return the interval from the nodes, None if an end is not between them."""
        n_before, before = self._n_units, self._before
        new = c.pair(*self._pair, n_units, first=n_before)
        self._n_units, self._before = n_units, before.after(new)
        s, threshold = self._settings, np.log(2.0 / self._alpha)
        if not self._windows:
            return None
        if any(window.logs is None for window in self._windows):
            units = c.pair(*self._pair, n_units)
            if not all(window.holds_end(threshold, units, s) for window in self._windows):
                return None
            first = units.part(0, n_before)
            self._windows = tuple(window.after(first, s, _NOTHING) for window in self._windows)
        self._windows = tuple(window.after(new, s, before) for window in self._windows)
        finest = TOLERANCE * s.difference_bounds[1]
        low, high = (window.end(threshold, finest) for window in self._windows)
        return (low, high) if low is not None and high is not None and low <= high else None

    def _renewed(self, units: Units) -> Ends:
        """Return the interval from all units, and lay nodes around its ends, empty until the next look."""
        s, ends = self._settings, interval(units, self._settings, self._alpha)
        self._windows = ()
        if not self._before.n_items:
            return ends
        middle, reach = float(self._before.total[0]) / self._before.n_items, s.difference_bounds[1]
        possible = logical_bounds(self._before, s.difference_bounds, s.n_population)
        # Nodes reach a fifth of the way from an end to the mean, or to what can be at all
        halves = [
            0.2 * min(abs(end - middle), abs(end - most)) for end, most in zip(ends, possible, strict=True)
        ]
        if min(halves) > 10.0 * TOLERANCE * reach:
            self._windows = tuple(
                _Window(side, end, half) for side, (end, half) in enumerate(zip(ends, halves, strict=True))
            )
        return ends


@dataclass(frozen=True, slots=True)
class _Window:
    """What the bets on one side have won by each of the nodes, from the greatest to the least: (K, L).

    None as long as it was not computed.
    """

    side: int
    centre: float
    half: float
    logs: FloatArray | None = None

    def holds_end(self, threshold: float, units: Units, s: Settings) -> bool:
        """Tell whether the end that all units give is between the outermost nodes, from these two alone.

        Where looks are far apart the ends leave their nodes at every look, and no other node is needed.
        """
        inner, outer = (0, 1) if self.side == 0 else (1, 0)
        won = log_capital(self._gains(units, s, _NOTHING, np.array([1.0, -1.0])))
        return bool(won[outer] >= threshold > won[inner])

    def after(self, units: Units, s: Settings, before: Before) -> _Window:
        """Return the same nodes with more units."""
        more = self._gains(units, s, before, _NODES_AT)
        return _Window(self.side, self.centre, self.half, more if self.logs is None else self.logs + more)

    def _gains(self, units: Units, s: Settings, before: Before, places: FloatArray) -> FloatArray:
        """Return what the bets gain by some units at places from -1 to 1."""
        means = self.centre + self.half * places
        more = log_factors(units, means, s.difference_bounds, s.n_population, before, sides=(self.side,))
        return more[0, :, 0]

    def end(self, threshold: float, finest: float) -> float | None:
        """Return the end, rounded outwards by `finest` at most; None if it is not between the nodes."""
        if self.logs is None or not np.isfinite(self.logs).all():
            return None
        outside, inside = (-1.0, 1.0) if self.side == 0 else (1.0, -1.0)
        while True:
            # Hypotheses that are tried at a time
            tried = np.linspace(outside, inside, 33)
            rejected = log_capital(_interpolated(self.logs, tried)) >= threshold
            last = int(np.argmin(rejected)) - 1  # the last of those next to `outside`
            if last < 0 or rejected[-1]:
                return None
            outside, inside = tried[last], tried[last + 1]
            if abs(inside - outside) * self.half <= finest:
                return self.centre + self.half * float(outside)


def _interpolated(logs: FloatArray, places: FloatArray) -> FloatArray:
    """Return the values (T, L) at places from -1 to 1 from those at the nodes, (K, L)."""
    gaps = places[:, None] - _NODES_AT
    weights = _BARYCENTRIC / np.where(
        gaps == 0.0, np.finfo(np.float64).tiny, gaps
    )  # at a node, its own value
    values: FloatArray = (weights / weights.sum(axis=1, keepdims=True)) @ logs
    return values
