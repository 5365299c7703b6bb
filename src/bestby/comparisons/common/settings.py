"""The settings of a comparison on one test set, checked once."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Alternative, Question
from bestby.comparisons.common.family import alpha_of, oriented
from bestby.resampling.settings import Resampling, size_of
from bestby.vocabulary import allowed_names


@dataclass(frozen=True)
class Settings:
    """The arguments of `compare` that are not data; see there."""

    interval: str
    level: float
    simultaneous: bool
    test: str
    alternative: Question
    correction: str
    margin: float | None
    baseline: str | None
    resample_size: float | None = None
    rescale: bool = True
    annotators: str = "fixed"
    blocks: int | None = None

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return alpha_of(self.level)

    def towards(self, greater_is_better: bool) -> Alternative:
        """Return the alternative on the scale of a metric of this direction."""
        return oriented(self.alternative, greater_is_better)

    def by_name(self) -> dict[str, Any]:
        """Return the settings as they are in the provenance: those of resampling where they matter."""
        named = dataclasses.asdict(self)
        if self.resample_size is None:
            del named["resample_size"], named["rescale"]
        if self.annotators == "fixed":
            del named["annotators"]
        if self.blocks is None:
            del named["blocks"]
        return named


def checked_settings(
    interval: str,
    level: float,
    simultaneous: bool,
    test: str,
    alternative: str,
    correction: str,
    margin: float | None,
    baseline: str | None,
    resampling: Resampling,
    annotators: str | None = None,
    blocks: int | None = None,
) -> Settings:
    """Return the settings if each is one there is."""
    annotated = checks.choice(
        "fixed" if annotators is None else annotators, allowed_names("annotators"), "annotators"
    )
    settings = Settings(
        checks.choice(interval, allowed_names("interval", "items"), "interval"),
        checks.probability(level, "level"),
        checks.flag(simultaneous, "simultaneous"),
        checks.choice(test, allowed_names("test", "items"), "test"),
        checks.choice(alternative, allowed_names("alternative", "items"), "alternative"),
        checks.choice(correction, allowed_names("correction"), "correction"),
        margin_of(margin),
        baseline,
        size_of(resampling.resample_size),
        resampling.rescale,
        annotated,
        None if blocks is None else checks.positive_int(blocks, "blocks"),
    )
    if simultaneous and interval != "auto":
        raise InvalidInputError(
            f"simultaneous intervals are made by max-T, so interval={interval!r} would be ignored",
            hint="leave out one of the two: intervals of one difference at a time, or of all at once",
        )
    return settings


def margin_of(margin: float | None) -> float | None:
    """Return the smallest difference that matters, if there is one and it is positive.

    >>> margin_of(0.5)
    0.5
    """
    if margin is None:
        return None
    if not checks.number(margin, "margin") > 0.0:
        raise InvalidInputError(
            f"margin must be a positive number, got {margin}",
            hint="it is the smallest difference that matters, on the scale of the metric",
            argument="margin",
        )
    return float(margin)
