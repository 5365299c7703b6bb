"""A score, or the difference of two, to second order in the weights of the units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from bestby._core.typing import FloatArray
from bestby.engine import slopes
from bestby.engine.statistics import Statistics
from bestby.engine.transforms import Functional
from bestby.inference.abc import Expansion
from bestby.inference.influence import Path

if TYPE_CHECKING:
    from bestby.engine.sample import Sample


def expansion(sample: Sample) -> Expansion:
    """Return the score of one system, or the difference of two, to second order in the weights of units."""
    responses = [one.response for one in sample.systems]
    first, *of_b = sample.spread([response.first for response in responses])
    curvature = responses[0].curvature
    if of_b:
        first, curvature = first - of_b[0], curvature - responses[1].curvature
    return Expansion.from_derivatives(first, sample.units.weights, curvature, Along(sample))


@dataclass(frozen=True, eq=False)
class Along:
    """A score, or the difference of two, as the weights of units change and their sum by stratum does not."""

    sample: Sample

    def __call__(self, change: FloatArray) -> Path:
        """Return the path on which the weights change by multiples of a change (C,)."""
        units, counts = self.sample.units, self.sample.units.weights
        weights = change.copy() if units.single else counts * change
        for size, (start, stop) in zip(units.sizes.tolist(), pairwise(units.bounds.tolist()), strict=True):
            own = weights[start:stop]
            mean = own.sum() / size
            own -= mean if units.single else counts[start:stop] * mean
        shifts = []
        for one, place in zip(self.sample.systems, self.sample.place, strict=True):
            of_rows = weights if place is None else np.bincount(place, weights, one.units.n_rows)
            shifts.append(of_rows @ one.X)
        return _path(self.sample.estimate, self.sample.systems, shifts)


def _path(estimate: float, systems: Sequence[Statistics], shifts: Sequence[FloatArray]) -> Path:
    """Return the path on which the totals of one system or two move by multiples of a shift (k,) each."""
    score = Functional(systems[0].metric)
    totals = [one.total for one in systems]  # an expansion holds these, and not the rows

    def along(multiples: FloatArray) -> FloatArray:
        steps = multiples[:, None]
        moved = [total + steps * shift for total, shift in zip(totals, shifts, strict=True)]
        of_a, *of_b = score.each_score(moved)
        return of_a - of_b[0] if of_b else of_a

    bends = [
        slopes.bend(score.metric, one.total, one.response.hessian, shift)
        for one, shift in zip(systems, shifts, strict=True)
    ]
    known = [bend for bend in bends if bend is not None]
    if len(known) < len(bends):
        return Path(along)
    return Path(along, (estimate, known[0] - sum(known[1:])))
