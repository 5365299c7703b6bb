"""A share of right answers from the verdicts of a judge whose two error rates are known from other items.

Rogan & Gladen (1978, Amer. J. Epidemiol. 107, 71-76) correct the judge's share for its specificity and
sensitivity. Lee, Zeng, Jeong, Sohn & Lee (2025, How to correctly report LLM-as-a-judge evaluations,
arXiv 2511.21140, section 4) allow for the uncertainty of both error rates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bestby._core.errors import DesignError
from bestby.inference.proportions import two_sided_quantile


@dataclass(frozen=True)
class ErrorRates:
    """What the judge says of items with a human verdict: right ones of all that are 0, and of all that are 1.

    Parameters
    ----------
    right_zeros, zeros : int
        Items that humans and judge call 0, and all that humans call 0.
    right_ones, ones : int
        Items that humans and judge call 1, and all that humans call 1.
    """

    right_zeros: int
    zeros: int
    right_ones: int
    ones: int

    @property
    def specificity(self) -> float:
        """The share of the zeros that the judge calls 0."""
        return self.right_zeros / self.zeros

    @property
    def sensitivity(self) -> float:
        """The share of the ones that the judge calls 1."""
        return self.right_ones / self.ones

    @property
    def smoothed(self) -> tuple[float, float]:
        """Specificity and sensitivity with one right and one wrong verdict more, so that none is 0 or 1."""
        return (self.right_zeros + 1) / (self.zeros + 2), (self.right_ones + 1) / (self.ones + 2)


def corrected_share(judged_ones: int, n: int, rates: ErrorRates) -> float:
    """Return the share of ones among `n` items of which the judge calls `judged_ones` 1.

    It is (p + q0 - 1) / (q0 + q1 - 1) with the judge's share p, its specificity q0 and sensitivity q1,
    brought into [0, 1].

    >>> round(corrected_share(400, 1000, ErrorRates(140, 200, 180, 200)), 4)
    0.1667
    """
    better = _better(rates)
    return min(1.0, max(0.0, (judged_ones / n + rates.specificity - 1.0) / better))


def interval(judged_ones: int, n: int, rates: ErrorRates, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of `corrected_share`.

    It adds z^2 / 2 ones and zeros to the share and one right and one wrong verdict to each error rate, and
    moves its middle accordingly. It is approximate: with few items of either kind, or a judge that is hardly
    better than chance, it is too short.

    >>> low, high = interval(400, 1000, ErrorRates(140, 200, 180, 200))
    >>> round(low, 4), round(high, 4)
    (0.0564, 0.2627)
    """
    _better(rates)
    z = two_sided_quantile(level)
    size = n + z * z
    p = (judged_ones + 0.5 * z * z) / size
    zeros, ones = rates.zeros + 2, rates.ones + 2
    q0, q1 = rates.smoothed
    slope = q0 + q1 - 1.0
    middle = (p + q0 - 1.0) / slope
    of_zeros, of_ones = q0 * (1.0 - q0) / zeros, q1 * (1.0 - q1) / ones
    variance = (p * (1.0 - p) / size + (1.0 - middle) ** 2 * of_zeros + middle**2 * of_ones) / slope**2
    moved = middle + 2.0 * z * z * (middle * of_ones - (1.0 - middle) * of_zeros)
    error = math.sqrt(variance)
    low, high = (min(1.0, max(0.0, moved + side * z * error)) for side in (-1.0, 1.0))
    return low, high


def _better(rates: ErrorRates) -> float:
    """Return by how much a judge is better than chance; refuse one that is not."""
    if rates.zeros < 1 or rates.ones < 1:
        raise DesignError(
            "the items with a human verdict are all of one kind, so that one of the error rates is not known",
            hint="label more items, until there are right and wrong ones",
        )
    better = rates.specificity + rates.sensitivity - 1.0
    if better <= 0.0:
        raise DesignError(
            f"the judge is no better than chance: specificity {rates.specificity:.3g}, sensitivity"
            f" {rates.sensitivity:.3g}",
            hint="use the human verdicts alone",
        )
    return better
