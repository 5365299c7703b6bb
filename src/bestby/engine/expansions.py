"""Scores and differences of functions of sums to second order in the weights of the units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bestby._core.typing import FloatArray
from bestby.engine import slopes
from bestby.engine.responses import Part
from bestby.engine.transforms import Functional
from bestby.inference.abc import Expansion, moments
from bestby.inference.influence import Path
from bestby.resampling.units import Units


def expansion(score: Functional, estimate: float, units: Units, parts: Sequence[Part]) -> Expansion:
    """Return the score of one system, or the difference of two, to second order in the weights of units.

    `estimate` is the score or difference on the data.
    """
    of_a, *of_b = (part.response for part in parts)
    if not of_b and of_a.shift is not None:
        return _of_exact_sums(score, estimate, units, parts[0], of_a.shift)
    first, curvature = of_a.first, of_a.curvature
    for of_other in of_b:
        first, curvature = first - of_other.first, curvature - of_other.curvature
    return Expansion.from_derivatives(first, units.weights, curvature, Along(score, estimate, units, parts))


def _of_exact_sums(
    score: Functional, estimate: float, units: Units, part: Part, shift: FloatArray
) -> Expansion:
    """Return the same of one system whose sums are exact; `shift` is that of its response.

    Units that do the same to the score are one kind here, so that what tells them apart for other systems
    does not change a bit of it.
    """
    response = part.response
    order = response.first.argsort()
    first, counts = response.first.take(order), units.weights.take(order)
    fresh = np.empty(first.size, dtype=np.bool_)
    fresh[:1] = True
    np.not_equal(first[1:], first[:-1], out=fresh[1:])
    starts = fresh.nonzero()[0]
    if starts.size < first.size:
        first, counts = first.take(starts), np.add.reduceat(counts, starts)
    error, acceleration, largest, n_effective = moments(first, counts)
    step = shift / error if error > 0.0 else np.zeros(shift.size)
    path = _path(score, estimate, [part], [step])
    return Expansion(error, acceleration, response.curvature, largest, path, n_effective)


@dataclass(frozen=True, eq=False)
class Along:
    """A score, or the difference of two, as the weights of units change and their sum by stratum does not."""

    score: Functional
    estimate: float
    units: Units
    parts: Sequence[Part]

    def __call__(self, change: FloatArray) -> Path:
        """Return the path on which the weights change by multiples of a change (C,)."""
        units, counts = self.units, self.units.weights
        weights = change.copy() if units.single else counts * change
        for size, (start, stop) in zip(units.sizes.tolist(), pairwise(units.bounds.tolist()), strict=True):
            own = weights[start:stop]
            mean = own.sum() / size
            own -= mean if units.single else counts[start:stop] * mean
        return _path(self.score, self.estimate, self.parts, [weights @ part.rows for part in self.parts])


def _path(score: Functional, estimate: float, parts: Sequence[Part], shifts: Sequence[FloatArray]) -> Path:
    """Return the path on which the totals of one system or two move by multiples of a shift each."""
    totals = [part.total for part in parts]  # an expansion that is kept holds these, and not the rows

    def along(multiples: FloatArray) -> FloatArray:
        steps = multiples[:, None]
        moved = [total + steps * shift for total, shift in zip(totals, shifts, strict=True)]
        of_a, *of_b = score.each_score(moved)
        return of_a - of_b[0] if of_b else of_a

    bends = [
        slopes.bend(score.metric, part.total, part.response.hessian, shift)
        for part, shift in zip(parts, shifts, strict=True)
    ]
    known = [bend for bend in bends if bend is not None]
    if len(known) < len(bends):
        return Path(along)
    return Path(along, (estimate, known[0] - sum(known[1:])))
