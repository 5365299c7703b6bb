"""Scores and differences of functions of sums to second order in the weights of the units."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bestby._core.records import record
from bestby._core.typing import FloatArray
from bestby.engine import slopes
from bestby.engine.responses import Part
from bestby.engine.transforms import Functional
from bestby.inference.abc import Expansion
from bestby.inference.influence import Path
from bestby.resampling.units import Units


def expansion(score: Functional, estimate: float, units: Units, parts: Sequence[Part]) -> Expansion:
    """Return the score of one system, or the difference of two, to second order in the weights of units.

    `estimate` is the score or difference on the data.
    """
    of_a, *of_b = (part.response for part in parts)
    first, curvature = of_a.first, of_a.curvature
    for of_other in of_b:
        first, curvature = first - of_other.first, curvature - of_other.curvature
    return Expansion.from_derivatives(first, units.weights, curvature, Along(score, estimate, units, parts))


@record
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
        score = self.score
        # An expansion that is kept holds these sums, and not the rows.
        sums = [(part.total, weights @ part.rows) for part in self.parts]

        def along(multiples: FloatArray) -> FloatArray:
            steps = multiples[:, None]
            of_a, *of_b = score.each_score([total + steps * shift for total, shift in sums])
            return of_a - of_b[0] if of_b else of_a

        bends = [
            slopes.bend(score.metric, part.total, part.response.hessian, shift)
            for part, (_, shift) in zip(self.parts, sums, strict=True)
        ]
        known = [bend for bend in bends if bend is not None]
        if len(known) < len(bends):
            return Path(along)
        return Path(along, (self.estimate, known[0] - sum(known[1:])))
