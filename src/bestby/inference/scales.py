"""Whether the numbers of two systems on the same items are visibly on different scales."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bestby._core.typing import FloatArray, IntArray

RATIO = 1.5
"""How many times wider one system's numbers must spread than the other's."""

SHIFT = 0.5
"""By how many standard deviations their means must differ."""

SURE = 3.0
"""Standard errors that either must be from what equal scales give."""


@dataclass(frozen=True, slots=True)
class Scales:
    """The scales of the numbers of two systems, and whether they `differ` by more than chance, and enough."""

    means: tuple[float, float]
    deviations: tuple[float, float]
    differ: bool

    @property
    def distance(self) -> float:
        """How far apart the scales are: the ratio of the spreads plus the shift in standard deviations."""
        low, high = sorted(self.deviations)
        shift = abs(self.means[0] - self.means[1])
        return (high + shift) / low if low > 0.0 else math.inf


def compared(a: FloatArray, b: FloatArray, counts: IntArray) -> Scales:
    """Compare the scales of paired numbers.

    They differ if the paired t statistic of the absolute deviations from the medians (Brown & Forsythe 1974)
    is beyond `SURE` and the standard deviations have a ratio of `RATIO` or more; or if the paired t statistic
    of the numbers is, and the means are `SHIFT` root mean square deviations apart or more. How often that
    happens by chance is in the page "Calibration", "Correlations and ranks".
    """
    first, second = np.repeat(a, counts), np.repeat(b, counts)
    means = float(first.mean()), float(second.mean())
    deviations = float(first.std()), float(second.std())
    spreads = [np.abs(x - np.median(x)) for x in (first, second)]
    low, high = sorted(deviations)
    wider = high >= RATIO * low and _sure(spreads[0] - spreads[1])
    pooled = math.sqrt((low * low + high * high) / 2.0)
    shifted = abs(means[0] - means[1]) >= SHIFT * pooled and _sure(first - second)
    return Scales(means, deviations, pooled > 0.0 and (wider or shifted))


def _sure(differences: FloatArray) -> bool:
    """Return whether the mean of paired differences is beyond chance."""
    error = float(differences.std(ddof=1)) / math.sqrt(differences.size) if differences.size > 1 else math.inf
    return abs(float(differences.mean())) > SURE * error
