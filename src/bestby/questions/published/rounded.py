"""Published numbers, and how far the exact ones may be from them."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted


@dataclass(frozen=True)
class Rounded:
    """A published number: its value, and how far the exact one may be from it; both are decimal."""

    digits: Decimal
    margin: Decimal

    @property
    def value(self) -> float:
        """The number as it was published."""
        return float(self.digits)

    @property
    def half(self) -> float:
        """Half a unit of its last digit."""
        return float(self.margin)

    @property
    def low(self) -> float:
        """The least number that rounds to it."""
        return float(self.digits - self.margin)

    @property
    def high(self) -> float:
        """The greatest number that rounds to it."""
        return float(self.digits + self.margin)


def rounded(value: Any, what: str) -> Rounded:
    """Return a published number with the rounding that its digits tell.

    >>> rounded("87.4%", "published")
    Rounded(digits=Decimal('0.874'), margin=Decimal('0.0005'))
    >>> rounded(0.87, "published").half
    0.005
    """
    text = value.strip() if isinstance(value, str) else _shortest(checks.number(value, what), value)
    percent = text.endswith("%")
    try:
        number = Decimal(text.removesuffix("%").strip())
    except InvalidOperation:
        number = Decimal("NaN")
    exponent = number.as_tuple().exponent
    # The greatest power of ten of a number that a float holds, and so of a score
    if not isinstance(exponent, int) or abs(number.adjusted()) > 300:  # infinite, or no number
        raise InvalidInputError(
            f"{what} must be a number, got {quoted(value)}",
            hint="write it as 0.874 or '87.4%'",
            argument=what,
        )
    places = exponent - 2 * percent
    return Rounded(number.scaleb(-2 * percent), Decimal(1).scaleb(min(places, 0)) / 2)


def _shortest(number: float, value: Any) -> str:
    """Return the fewest digits that tell a number from others of its precision."""
    return str(value) if isinstance(value, np.floating) else repr(number)


def check_bounds(score: Rounded, metric: str, bounds: tuple[float, float]) -> None:
    """Refuse a published score that the metric cannot have."""
    low, high = bounds
    if low <= score.value <= high:
        return
    in_percent = bounds == (0.0, 1.0) and 1.0 < score.value <= 100.0
    raise InvalidInputError(
        f"{metric} lies between {low:g} and {high:g}, and the published score is {score.value:g}",
        hint=f"write {score.value:g}%" if in_percent else "check the published score",
        argument="published",
    )
