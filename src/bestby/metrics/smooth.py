"""Metrics that know how their scores respond to their totals: values with both derivatives along lines.

Automatic differentiation forwards, of second order and in many directions at once: a score is computed from
`Line` in place of arrays, by the formula of its `score`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeGuard

import numpy as np

from bestby._core.typing import FloatArray
from bestby.metrics.base import Metric


@dataclass(eq=False, slots=True)  # not frozen, which takes most of the time of few numbers
class Line:
    """K numbers that move along C directions at once.

    `value`, of shape (K,), is where they are; `first` and `second`, of shape (C, K), are their derivatives in
    each direction, the latter 0 for straight lines. A number without a class has K = 1.

    >>> x = Line(np.array([3.0]), np.array([[1.0], [2.0]]))
    >>> square = x * x
    >>> square.value.tolist(), square.first[:, 0].tolist(), square.second[:, 0].tolist()
    ([9.0], [6.0, 12.0], [2.0, 8.0])
    """

    value: FloatArray
    first: FloatArray
    second: FloatArray | float = 0.0

    def split(self, parts: int) -> list[Line]:
        """Return straight lines cut into parts of equally many numbers."""
        width = self.value.size // parts
        return [self[slice(place * width, (place + 1) * width)] for place in range(parts)]

    def __getitem__(self, which: slice | Sequence[int]) -> Line:
        second = self.second if isinstance(self.second, float) else self.second[:, which]
        return Line(self.value[which], self.first[:, which], second)

    def __add__(self, other: Line) -> Line:
        return Line(self.value + other.value, self.first + other.first, self.second + other.second)

    def __sub__(self, other: Line) -> Line:
        return Line(self.value - other.value, self.first - other.first, self.second - other.second)

    def __mul__(self, other: Line) -> Line:
        # (u v)' = u' v + u v' and (u v)'' = u'' v + 2 u' v' + u v''; u'' of a straight line is 0.
        first = self.first * other.value + self.value * other.first
        second = 2.0 * self.first * other.first
        if not isinstance(self.second, float):
            second += self.second * other.value
        if not isinstance(other.second, float):
            second += other.second * self.value
        return Line(self.value * other.value, first, second)

    def __rmul__(self, factor: float) -> Line:
        return Line(factor * self.value, factor * self.first, factor * self.second)

    def __truediv__(self, other: Line) -> Line:
        """Return the quotient; 0 where the denominator (and so the numerator) is 0."""
        # Of q = u / v, from u = q v: q' = (u' - q v') / v and q'' = (u'' - 2 q' v' - q v'') / v.
        there = other.value > 0.0
        everywhere = bool(there.all())
        size = other.value if everywhere else np.where(there, other.value, 1.0)
        value = self.value / size
        first = (self.first - value * other.first) / size
        second = self.second - 2.0 * first * other.first
        if not isinstance(other.second, float):
            second -= value * other.second
        if not everywhere:
            # A direction in which a denominator of 0 grows has no slope: the quotient jumps, as the precision
            # of a class that was never predicted does with the first prediction.
            first[(other.first != 0.0) & ~there] = np.nan
        return Line(value, first, second / size)

    def square(self) -> Line:
        """Return the product with itself."""
        double = 2.0 * self.value
        second = 2.0 * self.first * self.first
        if not isinstance(self.second, float):
            second += self.second * double
        return Line(self.value * self.value, self.first * double, second)

    def root(self) -> Line:
        """Return the square root of positive numbers."""
        # Of r = sqrt(u), from u = r^2: r' = u' / (2 r) and r'' = (u'' - 2 r'^2) / (2 r).
        value = np.sqrt(self.value)
        double = 2.0 * value
        first = self.first / double
        return Line(value, first, (self.second - 2.0 * first * first) / double)

    def over_classes(self) -> Line:
        """Return the sum of the numbers."""
        second = self.second
        if not isinstance(second, float):
            second = np.add.reduce(second, axis=1, keepdims=True)
        value = np.add.reduce(self.value, keepdims=True)
        return Line(value, np.add.reduce(self.first, axis=1, keepdims=True), second)


class SmoothMetric(Metric):
    """A function of sums that knows its own derivatives; of others they are taken by small steps."""

    @abstractmethod
    def along(self, totals: Line) -> Line | None:
        """Return the score (K = 1) as totals (k,) move along straight lines; None if it has no slope here."""


@cache
def _has_own_slopes(kind: type[Metric]) -> bool:
    """Return whether no class below the one that defines `along` has another score."""
    # The first class in the order of resolution that defines either: one with `score` alone is a user's,
    # whose score the inherited slopes do not belong to.
    return next("along" in vars(one) for one in kind.__mro__ if {"along", "score"} & vars(one).keys())


def has_own_derivatives(metric: Metric) -> TypeGuard[SmoothMetric]:
    """Return whether a metric tells the derivatives of its score; a subclass may have another score."""
    return isinstance(metric, SmoothMetric) and _has_own_slopes(type(metric))


def derivatives(
    metric: Metric, total: FloatArray, directions: FloatArray
) -> tuple[FloatArray, FloatArray] | None:
    """Return both derivatives of a score, shape (C,), as its totals (k,) move in directions (C, k).

    None for a metric that does not know them, such as a subclass that has another score.
    """
    if not has_own_derivatives(metric):
        return None
    score = metric.along(Line(total, directions))
    if score is None:
        return None
    second = score.second
    return score.first[:, 0], np.zeros(len(directions)) if isinstance(second, float) else second[:, 0]
