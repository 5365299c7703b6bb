"""A share of right answers from the verdicts of a judge whose two error rates are known from other items.

Rogan & Gladen (1978, Amer. J. Epidemiol. 107, 71-76) correct the judge's share for its specificity and
sensitivity. Lee, Zeng, Jeong, Sohn & Lee (2025, How to correctly report LLM-as-a-judge evaluations,
arXiv 2511.21140, section 4) allow for the uncertainty of both error rates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from bestby._core.errors import DesignError


@dataclass(frozen=True)
class ErrorRates:
    """What the judge says of items with a human verdict: right ones of all that are 0, and of all that are 1.

    Parameters
    ----------
    right_zeros, zeros : float
        Items that humans and judge call 0, and all that humans call 0.
    right_ones, ones : float
        Items that humans and judge call 1, and all that humans call 1.
    """

    right_zeros: float
    zeros: float
    right_ones: float
    ones: float

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

    def divided(self, effect: float) -> ErrorRates:
        """Return the same rates from as many items as are left after division by a design effect."""
        return ErrorRates(*(count / effect for count in astuple(self)))


def corrected_share(judged_ones: float, n: float, rates: ErrorRates) -> float:
    """Return the share of ones among `n` items of which the judge calls `judged_ones` 1.

    It is (p + q0 - 1) / (q0 + q1 - 1) with the judge's share p, its specificity q0 and sensitivity q1. Where
    these are known from few items it may lie outside [0, 1]: cut off, differences of shares would shrink.

    >>> round(corrected_share(400, 1000, ErrorRates(140, 200, 180, 200)), 4)
    0.1667
    >>> round(corrected_share(200, 1000, ErrorRates(140, 200, 180, 200)), 4)
    -0.1667
    """
    better = _better(rates)
    return (judged_ones / n + rates.specificity - 1.0) / better


@dataclass(frozen=True)
class Part:
    """The items of which one pair of error rates holds.

    Parameters
    ----------
    weight : float
        Their share in all items.
    judged_ones, n : float
        How many of them the judge calls 1, and their number.
    rates : ErrorRates
        The error rates.
    items_effect, rates_effect : float
        Design effects: by how much the variance of the judge's share, and that of the error rates, is that
        of independent items. Clusters raise it, and strata lower it.
    """

    weight: float
    judged_ones: float
    n: float
    rates: ErrorRates
    items_effect: float = 1.0
    rates_effect: float = 1.0

    def moved(self, z: float) -> tuple[float, float]:
        """Return the middle of the interval of the corrected share, and the variance around it."""
        _better(self.rates)
        n = self.n / self.items_effect
        size = n + z * z
        p = (self.judged_ones / self.items_effect + 0.5 * z * z) / size
        rates = self.rates.divided(self.rates_effect)
        zeros, ones = rates.zeros + 2, rates.ones + 2
        q0, q1 = rates.smoothed
        slope = q0 + q1 - 1.0
        middle = (p + q0 - 1.0) / slope
        of_zeros, of_ones = q0 * (1.0 - q0) / zeros, q1 * (1.0 - q1) / ones
        variance = (p * (1.0 - p) / size + (1.0 - middle) ** 2 * of_zeros + middle**2 * of_ones) / slope**2
        return middle + 2.0 * z * z * (middle * of_ones - (1.0 - middle) * of_zeros), variance


def interval_of_parts(parts: Sequence[Part], quantile: float) -> tuple[float, float]:
    """Return the interval of the share among all items, whose parts have error rates of their own.

    `quantile` is the two-sided one of the normal distribution, or of Student's with clusters; its square over
    2 ones and zeros are added to the share and one right and one wrong verdict to each error rate, and the
    middle moves accordingly. The interval is approximate: with few items of either kind, or a judge that is
    hardly better than chance, it is too short.

    >>> low, high = interval_of_parts([Part(1.0, 400, 1000, ErrorRates(140, 200, 180, 200))], 1.959964)
    >>> round(low, 4), round(high, 4)
    (0.0564, 0.2627)
    >>> half = Part(0.5, 400, 1000, ErrorRates(140, 200, 180, 200))
    >>> low, high = interval_of_parts([half, half], 1.96)
    >>> round(low, 4), round(high, 4)
    (0.0866, 0.2325)
    """
    found = [(one.weight, *one.moved(quantile)) for one in parts]
    middle = math.fsum(weight * value for weight, value, _ in found)
    error = math.sqrt(math.fsum(weight**2 * variance for weight, _, variance in found))
    low, high = (min(1.0, max(0.0, middle + side * quantile * error)) for side in (-1.0, 1.0))
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
