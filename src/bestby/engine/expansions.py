"""Scores and differences of functions of sums to second order in the weights of the units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bestby._core.typing import FloatArray
from bestby.engine.responses import Part
from bestby.engine.transforms import Functional
from bestby.inference.abc import Expansion
from bestby.resampling.units import Units


def expansion(score: Functional, units: Units, parts: Sequence[Part]) -> Expansion:
    """Return the score of one system, or the difference of two, to second order in the weights of units."""
    of_a, *of_b = (part.response for part in parts)
    first, curvature = of_a.first, of_a.curvature
    for of_other in of_b:
        first, curvature = first - of_other.first, curvature - of_other.curvature
    return Expansion.from_derivatives(first, units.weights, curvature, Along(score, units, parts))


@dataclass(frozen=True, eq=False)
class Along:
    """A score, or the difference of two, as the weights of units change and their sum by stratum does not."""

    score: Functional
    units: Units
    parts: Sequence[Part]

    def __call__(self, change: FloatArray) -> Callable[[FloatArray], FloatArray]:
        """Return the scores (R,) as a function of multiples (R,) of a change of the weights (C,)."""
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

        return along
