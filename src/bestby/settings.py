"""What was asked of a comparison, checked once."""

from __future__ import annotations

from dataclasses import dataclass

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Alternative
from bestby.engine.interval import METHODS
from bestby.engine.testing import TESTS
from bestby.family import alpha_of

CORRECTIONS = ("holm", "bonferroni", "bh", "none")
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


@dataclass(frozen=True)
class Settings:
    """The arguments of `compare` that are not data; see there."""

    interval: str
    level: float
    simultaneous: bool
    test: str
    alternative: Alternative
    correction: str
    margin: float | None
    baseline: str | None

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return alpha_of(self.level)


def asked(
    interval: str,
    level: float,
    simultaneous: bool,
    test: str,
    alternative: str,
    correction: str,
    margin: float | None,
    baseline: str | None,
) -> Settings:
    """Return the settings if each is one there is.

    Raises
    ------
    InvalidInputError
        If one is not, naming those there are.
    """
    return Settings(
        checks.choice(interval, METHODS, "interval"),
        checks.probability(level, "level"),
        bool(simultaneous),
        checks.choice(test, (*TESTS, "auto"), "test"),
        checks.choice(alternative, ALTERNATIVES, "alternative"),
        checks.choice(correction, CORRECTIONS, "correction"),
        margin_of(margin),
        baseline,
    )


def margin_of(margin: float | None) -> float | None:
    """Return the smallest difference that matters, if there is one and it is positive.

    Examples
    --------
    >>> margin_of(0.5)
    0.5
    """
    if margin is None:
        return None
    if not margin > 0.0:
        raise InvalidInputError(
            f"margin must be a positive number, got {margin}",
            hint="it is the smallest difference that matters, on the scale of the measure",
        )
    return float(margin)
