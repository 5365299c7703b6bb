"""Published numbers, and how far the exact ones may be from them."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted


@dataclass(frozen=True)
class Rounded:
    """A published number: its value, and how far the exact one may be from it."""

    value: float
    half: float

    @property
    def low(self) -> float:
        """The least number that rounds to it."""
        return self.value - self.half

    @property
    def high(self) -> float:
        """The greatest number that rounds to it."""
        return self.value + self.half


def rounded(value: Any, what: str) -> Rounded:
    """Return a published number with the rounding that its digits tell.

    >>> rounded("87.4%", "published")
    Rounded(value=0.874, half=0.0005)
    >>> rounded(0.87, "published")
    Rounded(value=0.87, half=0.005)
    """
    text = str(value).strip() if isinstance(value, str) else repr(checks.number(value, what))
    percent = text.endswith("%")
    try:
        number = Decimal(text.removesuffix("%").strip())
    except InvalidOperation:
        number = Decimal("NaN")
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int):  # infinite, or no number
        raise InvalidInputError(
            f"{what} must be a number, got {quoted(value)}",
            hint="write it as 0.874 or '87.4%'",
            argument=what,
        )
    last = Decimal(10) ** (exponent - 2 * percent)
    return Rounded(float(number * Decimal(10) ** (-2 * percent)), float(min(last, Decimal(1)) / 2))
