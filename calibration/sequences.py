"""Many sequences of items side by side, looked at by the parts that `bestby.Monitor` is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bestby.questions.monitor import monitor
from bestby.questions.monitor.confidence_sequences import Before, Units, log_capital, log_factors
from bestby.questions.monitor.evidence import Pairs, Sums, closed_form_intervals
from bestby.questions.monitor.settings import Settings, checked_settings
from calibration.populations import Floats
from calibration.statements import Outcome, What

BATCH = 500
"""Sequences that are drawn and looked at together, unless told."""

Draw = Callable[[np.random.Generator, int], Units]
"""Draws so many sequences of the same length, side by side."""


def settings(**changed: Any) -> Settings:
    """Return the settings of a monitor of two systems; by default of 0/1 scores of no certain number."""
    usual: dict[str, Any] = {
        "systems": ("a", "b"), "bounds": (0.0, 1.0), "greater_is_better": True, "n_items": None,
        "population": "wider", "largest_cluster": None, "method": "auto", "level": 0.95, "margin": None,
    }  # fmt: skip
    return checked_settings(**(usual | changed))


def ever_missed(units: Units, truth: float, s: Settings, every: int = 1) -> np.ndarray:
    """Return of each sequence whether the interval missed the truth at any look, shape (P,)."""
    n, width = units.values.shape
    missed = np.zeros(width, dtype=np.bool_)
    logs = np.zeros((2, 1, width, 1))
    before, sums = Before(0, np.zeros(width)), Sums.none(width)
    for start in range(0, n, every):
        part = units.part(start, start + every)
        if s.method == "betting":
            logs = logs + log_factors(part, np.array([truth]), s.difference_bounds, s.n_population, before)
            missed |= (log_capital(logs) >= np.log(2.0 / s.alpha)).any(axis=(0, 1))
            before = before.after(part)
        else:
            sums = sums.plus(Sums.of(part))
            low, high = closed_form_intervals(sums, s, s.alpha)
            missed |= (truth < low) | (truth > high)
    return missed


def peeked(units: Units, every: int = 50) -> np.ndarray:
    """Return whether an ordinary interval, looked at again and again, ever excludes 0."""
    sums = np.cumsum(units.values, axis=0)[every - 1 :: every]
    squares = np.cumsum(units.values**2, axis=0)[every - 1 :: every]
    n = np.arange(every, units.values.shape[0] + 1, every)[:, None]
    mean = sums / n
    error = np.sqrt(np.maximum(squares / n - mean**2, 0.0) / (n - 1))
    found: np.ndarray = (np.abs(mean) > 1.96 * error).any(axis=0) & (squares[-1] > 0.0)
    return found


@dataclass
class Batched:
    """Outcomes of sequences that are drawn in batches and handed out one by one.

    `noted`, if given, returns of each sequence whether a note warns of it.
    """

    draw: Draw
    outcomes: Callable[[Units], Mapping[What, np.ndarray]]
    noted: Callable[[Units], np.ndarray] | None = None
    size: int = BATCH
    _left: Iterator[dict[What, Outcome]] = field(default_factory=lambda: iter(()))

    def __call__(self, rng: np.random.Generator, _seed: int) -> dict[What, Outcome]:
        """Return the outcomes of the next sequence."""
        found = next(self._left, None)
        if found is None:
            self._left = iter(self._drawn(rng))
            found = next(self._left)
        return found

    def _drawn(self, rng: np.random.Generator) -> list[dict[What, Outcome]]:
        units = self.draw(rng, self.size)
        made = self.outcomes(units)
        noted = np.zeros(self.size, dtype=np.bool_) if self.noted is None else self.noted(units)
        return [
            {what: Outcome(bool(values[i]), bool(noted[i])) for what, values in made.items()}
            for i in range(self.size)
        ]


@dataclass
class SideBySide:
    """Sequences in the form in which a monitor holds items: columns 2i and 2i + 1 are pair i."""

    differences: Floats
    ends: list[int] = field(default_factory=list)

    def units(self, first: int, last: int, _columns: Sequence[int]) -> tuple[Floats, np.ndarray]:
        """Return the scores of units and their sizes."""
        part = self.differences[first:last]
        both = np.stack([part, np.zeros_like(part)], axis=2).reshape(last - first, -1)
        return both, np.ones(last - first, dtype=np.int64)

    def weights(self, first: int, last: int) -> Floats:
        """Return the sizes of units as shares of the largest."""
        return np.ones(last - first)


def decided(differences: Floats, s: Settings, every: int) -> list[tuple[str | None, int]]:
    """Return what a monitor decides on each sequence, (n, P), and after how many items."""
    n, width = differences.shape
    held: Any = SideBySide(differences)
    pairs = Pairs(s, [(2 * i, 2 * i + 1) for i in range(width)], monitor.hypotheses(s))
    found: list[tuple[str | None, int]] = [(None, n)] * width
    for last in range(every, n + 1, every):
        first = len(held.ends)
        held.ends = list(range(1, last + 1))
        pairs.look(held, first)
        for place in np.flatnonzero(pairs.active).tolist():
            made = monitor.pair_decision(pairs, place)
            if made is not None:
                found[place] = made, last
                pairs.active[place] = False
        if not pairs.active.any():
            break
    return found
