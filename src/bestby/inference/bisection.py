"""Where a condition ceases to hold, by halving."""

from __future__ import annotations

from collections.abc import Callable


def last_that_holds(holds: Callable[[float], bool], inside: float, outside: float) -> tuple[float, float]:
    """Return two neighbouring numbers, of which a condition holds at the first and not at the second.

    It holds at `inside` and from there up to some number, and not at `outside`.

    >>> last_that_holds(lambda x: x * x <= 2.0, 1.0, 2.0)
    (1.414213562373095, 1.4142135623730951)
    """
    while (middle := 0.5 * (inside + outside)) not in (inside, outside):
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside, outside
