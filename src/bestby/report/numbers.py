"""Numbers for readers: rounded by their standard error, never to a fixed number of digits."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist, median

from bestby.results import Interval

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"
INFINITY = "\N{INFINITY}"
_MOST_DECIMALS = 8  # beyond it, powers of ten read better than a row of zeros


def alpha(level: float) -> float:
    """Return 1 − level without the noise of the subtraction.

    Examples
    --------
    >>> alpha(0.95)
    0.05
    """
    return round(1.0 - level, 12)


def percent(level: float) -> str:
    """Return a level as a percentage.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100.0 * level:.6g} %"


def standard_error(estimate: float, interval: Interval) -> float:
    """Return the standard error that an interval implies under a normal approximation.

    Parameters
    ----------
    estimate : float
        What the interval is of; needed only if one end is infinite.
    interval : Interval
        Its interval.

    Returns
    -------
    float
        Half the width over the normal quantile; NaN if no end is finite.

    Examples
    --------
    >>> round(standard_error(0.06, Interval(0.0235, 0.094, 0.95, "bca", False)), 4)
    0.018
    """
    low, high = interval.low, interval.high
    if math.isfinite(low) and math.isfinite(high):
        return (high - low) / 2.0 / NormalDist().inv_cdf((1.0 + interval.level) / 2.0)
    quantile = NormalDist().inv_cdf(max(interval.level, 0.6))
    for end in (low, high):
        if math.isfinite(end):
            return abs(end - estimate) / quantile
    return math.nan


@dataclass(frozen=True, slots=True)
class Rounding:
    """How many decimals the numbers of one column get.

    Parameters
    ----------
    decimals : int
        Decimals; more than eight are written as powers of ten.

    Examples
    --------
    >>> Rounding(3).text(-0.0251), Rounding(3).text(-0.0004), Rounding(2).text(float("nan"))
    ('−0.025', '0.000', '–')
    """

    decimals: int

    @classmethod
    def of(cls, measured: Iterable[tuple[float, Interval]]) -> Rounding:
        """Return the rounding that shows the second significant digit of the standard errors.

        All numbers of a column get the same decimals: those of the smallest standard error, but no more
        than one above those of the median, lest one odd row litter all others with digits.

        Parameters
        ----------
        measured : iterable of (float, Interval)
            The estimates of the column with their intervals.

        Returns
        -------
        Rounding
            For every number of the column.

        Examples
        --------
        >>> Rounding.of([(0.06, Interval(0.0235, 0.094, 0.95, "bca", False))])
        Rounding(decimals=3)
        """
        rows = list(measured)
        errors = [standard_error(estimate, interval) for estimate, interval in rows]
        usable = [error for error in errors if math.isfinite(error) and error > 0.0]
        if usable:
            return cls(min(_decimals(min(usable)), _decimals(median(usable)) + 1))
        sizes = [abs(estimate) for estimate, _ in rows if math.isfinite(estimate) and estimate != 0.0]
        return cls(_decimals(max(sizes) / 100.0) if sizes else 3)  # without errors: four digits

    def text(self, value: float) -> str:
        """Return the number, a real minus sign before it if it is negative; a dash for NaN."""
        if math.isnan(value):
            return DASH
        if math.isinf(value):
            return INFINITY if value > 0 else MINUS + INFINITY
        text = f"{value:.1e}" if self.decimals > _MOST_DECIMALS else f"{value:.{self.decimals}f}"
        if float(text) == 0.0:
            text = text.removeprefix("-")
        return text.replace("-", MINUS, 1) if text.startswith("-") else text

    def size(self, value: float) -> str:
        """Return the absolute value; one that would round to nothing is written as a bound.

        Examples
        --------
        >>> Rounding(3).size(-0.0251), Rounding(3).size(0.0002), Rounding(3).size(0.0)
        ('0.025', 'less than 0.001', '0')
        """
        text = self.text(abs(value))
        if value == 0.0:
            return "0"
        if math.isfinite(value) and float(text) == 0.0:
            return f"less than {10.0**-self.decimals:.{self.decimals}f}"
        return text

    def interval(self, interval: Interval) -> str:
        """Return both ends in brackets; an infinite end has a round one.

        Examples
        --------
        >>> Rounding(3).interval(Interval(-0.0251, 0.0439, 0.95, "bca", False))
        '[−0.025, 0.044]'
        """
        if math.isnan(interval.low) or math.isnan(interval.high):
            return DASH
        left = "(" if math.isinf(interval.low) else "["
        right = ")" if math.isinf(interval.high) else "]"
        return f"{left}{self.text(interval.low)}, {self.text(interval.high)}{right}"


def _decimals(error: float) -> int:
    """Return the decimals that show the second significant digit of `error`."""
    return max(0, 1 - math.floor(math.log10(error)))


def p_text(p_value: float, threshold: float | None = None) -> str:
    """Return a p-value with about two significant digits.

    Parameters
    ----------
    p_value : float
        In [0, 1], or NaN.
    threshold : float, optional
        As many digits are shown as it takes to see on which side of it the p-value lies.

    Returns
    -------
    str
        "1" is exactly 1, and nothing else is; smaller than 1e-15 is not told apart from 0.

    Examples
    --------
    >>> [p_text(p) for p in (1.0, 0.998, 0.5774, 0.0402, 0.0013, 2.6e-5, 3e-12, 0.0)]
    ['1', '>0.99', '0.58', '0.040', '0.0013', '3e-5', '3e-12', '<1e-15']
    >>> p_text(0.05004, 0.05)
    '0.05004'
    """
    if math.isnan(p_value):
        return DASH
    if p_value == 1.0:
        return "1"
    if p_value < 1e-15:
        return "<1e-15"
    if p_value < 1e-4:
        mantissa, exponent = f"{p_value:.0e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    decimals = min(4, 1 - math.floor(math.log10(p_value)))
    text = f"{p_value:.{decimals}f}"
    while threshold is not None and (float(text) <= threshold) != (p_value <= threshold) and decimals < 15:
        decimals += 1
        text = f"{p_value:.{decimals}f}"
    return ">0.99" if float(text) == 1.0 else text


def p_clause(p_value: float, threshold: float | None = None, name: str = "p") -> str:
    """Return a p-value with its sign of relation.

    Examples
    --------
    >>> p_clause(0.0013), p_clause(0.0)
    ('p = 0.0013', 'p < 1e-15')
    """
    text = p_text(p_value, threshold)
    return f"{name} {text[0]} {text[1:]}" if text[0] in "<>" else f"{name} = {text}"
