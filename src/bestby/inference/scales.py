"""Whether the numbers of two systems on the same items are visibly on different scales."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bestby._core.typing import FloatArray

RATIO = 1.5
"""How many times wider one system's numbers must spread than the other's."""

SHIFT = 0.5
"""By how many standard deviations their means must differ."""

SURE = 3.0
"""Standard errors that either must be from what equal scales give."""


@dataclass(frozen=True, slots=True)
class Scales:
    """The scales of the numbers of two systems, which differ by more than chance, and enough."""

    means: tuple[float, float]
    deviations: tuple[float, float]

    @property
    def distance(self) -> float:
        """How far apart the scales are: the ratio of the spreads plus the shift in standard deviations."""
        low, high = sorted(self.deviations)
        shift = abs(self.means[0] - self.means[1])
        return (high + shift) / low if low > 0.0 else math.inf


Numbers = Callable[[], FloatArray]
"""Returns the numbers of a system, one per item."""


def location(numbers: FloatArray) -> tuple[float, float]:
    """Return the mean and the standard deviation of numbers."""
    return float(numbers.mean()), float(numbers.std())


def apart(
    a: tuple[float, float], b: tuple[float, float], numbers_a: Numbers, numbers_b: Numbers
) -> Scales | None:
    """Return the scales of paired numbers with these locations if they differ, else None.

    They differ if the paired t statistic of the absolute deviations from the medians (Brown & Forsythe 1974)
    is beyond `SURE` and the standard deviations have a ratio of `RATIO` or more; or if the paired t statistic
    of the numbers is, and the means are `SHIFT` root mean square deviations apart or more. How often that
    happens by chance is in the page "Calibration", "Correlations and ranks".
    """
    (mean_a, sd_a), (mean_b, sd_b) = a, b
    low, high = sorted((sd_a, sd_b))
    pooled = math.sqrt((low * low + high * high) / 2.0)
    wider, shifted = high >= RATIO * low, abs(mean_a - mean_b) >= SHIFT * pooled
    if pooled == 0.0 or not (wider or shifted):  # as mostly
        return None
    first, second = numbers_a(), numbers_b()
    spreads = [np.abs(x - np.median(x)) for x in (first, second)]
    differ = (wider and _sure(spreads[0] - spreads[1])) or (shifted and _sure(first - second))
    return Scales((mean_a, mean_b), (sd_a, sd_b)) if differ else None


def _sure(differences: FloatArray) -> bool:
    """Return whether the mean of paired differences is beyond chance."""
    error = float(differences.std(ddof=1)) / math.sqrt(differences.size) if differences.size > 1 else math.inf
    return abs(float(differences.mean())) > SURE * error
