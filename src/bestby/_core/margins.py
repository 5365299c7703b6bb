"""The smallest difference that matters."""

from __future__ import annotations

import math
from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError


def margin_of(value: Any, what: str = "margin") -> float:
    """Return a margin if it is a positive number, finite and of a size that squares can be taken of.

    >>> margin_of(0.5)
    0.5
    >>> margin_of(math.inf)
    Traceback (most recent call last):
    ...
    bestby._core.errors.InvalidInputError: margin must be a positive number that is finite, got inf
    hint: it is the smallest difference that matters, on the scale of the metric; leave it out if ...
    """
    size = checks.number(value, what)
    if not 0.0 < size < math.inf:
        raise InvalidInputError(
            f"{what} must be a positive number{' that is finite' if size > 0.0 else ''}, got {value}",
            hint="it is the smallest difference that matters, on the scale of the metric; leave it out"
            " if there is none",
            argument="margin",
        )
    return checks.amount(size, what)
