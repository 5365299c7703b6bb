"""What was asked of a comparison, checked once."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Alternative, Question
from bestby.comparisons.common.family import alpha_of, oriented
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
        """Return the alternative on the scale of a measure of this direction."""
        return oriented(self.alternative, greater_is_better)

    def told(self) -> dict[str, Any]:
        """Return the settings as the provenance tells them: those of resampling where they matter."""
        found = dataclasses.asdict(self)
        if self.resample_size is None:
            del found["resample_size"], found["rescale"]
        if self.annotators == "fixed":
            del found["annotators"]
        if self.blocks is None:
            del found["blocks"]
        return found


def asked(
    interval: str,
    level: float,
    simultaneous: bool,
    test: str,
    alternative: str,
    correction: str,
    margin: float | None,
    baseline: str | None,
    resample_size: float | None = None,
    rescale: bool = True,
    annotators: str | None = None,
    blocks: int | None = None,
) -> Settings:
    """Return the settings if each is one there is."""
    settings = Settings(
        checks.choice(interval, allowed_names("interval", "items"), "interval"),
        checks.probability(level, "level"),
        checks.flag(simultaneous, "simultaneous"),
        checks.choice(test, allowed_names("test", "items"), "test"),
        checks.choice(alternative, allowed_names("alternative", "items"), "alternative"),
        checks.choice(correction, allowed_names("correction"), "correction"),
        margin_of(margin),
        baseline,
        resample_size_of(resample_size),
        checks.flag(rescale, "rescale"),
        checks.choice(annotators or "fixed", allowed_names("annotators"), "annotators"),
        None if blocks is None else checks.positive_int(blocks, "blocks"),
    )
    return _refuse_ignored(settings, resample_size)


def _refuse_ignored(settings: Settings, resample_size: float | None) -> Settings:
    """Refuse settings that another one would make meaningless; a resample may be as large as the data."""
    if settings.simultaneous and settings.interval != "auto":
        raise InvalidInputError(
            f"simultaneous intervals are made by max-T, so interval={settings.interval!r} would be ignored",
            hint="leave out one of the two: intervals of one difference at a time, or of all at once",
        )
    if not settings.rescale and resample_size is None:
        raise InvalidInputError(
            "rescale=False has no effect without resample_size: resamples as large as the data are never"
            " rescaled",
            hint="leave rescale out, or give resample_size too",
        )
    return settings


def resample_size_of(size: float | None) -> float | None:
    """Return the size of a resample: a whole number of units, or a fraction of them; None for all.

    >>> resample_size_of(0.2), resample_size_of(200), resample_size_of(1.0)
    (0.2, 200, None)
    """
    if size is None:
        return None
    if isinstance(size, int | np.integer) and not isinstance(size, bool) and size >= 2:
        return int(size)
    if isinstance(size, float | np.floating) and 0.0 < size <= 1.0:
        return None if size == 1.0 else float(size)
    raise InvalidInputError(
        f"resample_size must be a fraction up to 1 or a whole number of at least 2, got {quoted(size)}",
        hint="0.2 draws a fifth of the items for each resample, 200 draws 200",
    )


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
            hint="it is the smallest difference that matters, on the scale of the measure",
        )
    return float(margin)
