"""The settings of a comparison of runs, checked once."""

from __future__ import annotations

from dataclasses import dataclass

from bestby._core import checks
from bestby._core.typing import Alternative, Question
from bestby.comparisons.common import family
from bestby.comparisons.common.settings import margin_of
from bestby.vocabulary import allowed_names


@dataclass(frozen=True)
class Settings:
    """The arguments of `compare_runs` that are not data; see there."""

    statistic: str
    paired: bool
    interval: str
    level: float
    test: str
    alternative: Question
    correction: str
    margin: float | None
    baseline: str | None

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return family.alpha_of(self.level)

    def towards(self, greater_is_better: bool) -> Alternative:
        """Return the alternative on the scale of a metric of this direction."""
        return family.oriented(self.alternative, greater_is_better)


def checked_settings(
    statistic: str,
    paired: bool,
    interval: str,
    level: float,
    test: str,
    alternative: str,
    correction: str,
    margin: float | None,
    baseline: str | None,
) -> Settings:
    """Return the settings if each is one there is."""
    return Settings(
        checks.choice(statistic, allowed_names("statistic"), "statistic"),
        checks.flag(paired, "paired"),
        checks.choice(interval, allowed_names("interval", "runs"), "interval"),
        checks.probability(level, "level"),
        checks.choice(test, allowed_names("test", "runs"), "test"),
        checks.choice(alternative, allowed_names("alternative", "runs"), "alternative"),
        checks.choice(correction, allowed_names("correction"), "correction"),
        margin_of(margin),
        baseline,
    )
