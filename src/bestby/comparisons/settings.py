"""The settings of a comparison, checked once."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from bestby._core import checks
from bestby._core.checks import margin_of
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Alternative, Array, Question
from bestby.comparisons.family import oriented
from bestby.inference.multiplicity import alpha_at
from bestby.metrics.base import BaseMetric
from bestby.report.comparison import SIMULTANEOUS
from bestby.resampling.settings import resample_size as size_of
from bestby.results.base import MetricInfo
from bestby.vocabulary import SKIPPABLE, allowed_names


def check_reach(margin: float | None, metric: BaseMetric | MetricInfo, scores: Sequence[Array] = ()) -> None:
    """Refuse a margin that no difference of a metric can reach, so that it would decide nothing.

    Scores without bounds, all of which lie between 0 and 1, are shares.

    >>> check_reach(0.05, MetricInfo("accuracy", True, (0.0, 1.0)))
    >>> check_reach(5.0, MetricInfo("accuracy", True, (0.0, 1.0)))
    Traceback (most recent call last):
    ...
    bestby._core.errors.InvalidInputError: margin of accuracy is 5, and accuracy lies between 0 and 1, so ...
    hint: the margin is on the scale of accuracy: of shares, 0.01 is one percentage point
    """
    low, high = metric.bounds
    if margin is None:
        return
    if scores and margin >= 1.0 and math.isinf(high - low) and all(map(_are_shares, scores)):
        low, high = 0.0, 1.0
    if margin >= high - low:
        raise InvalidInputError(
            f"margin of {metric.name} is {margin:g}, and {metric.name} lies between {low:g} and {high:g},"
            " so that no difference could be larger",
            hint=f"the margin is on the scale of {metric.name}: of shares, 0.01 is one percentage point",
            argument="margin",
        )


def _are_shares(scores: Array) -> bool:
    return scores.dtype.kind in "biuf" and bool(np.all((scores >= 0) & (scores <= 1)))


_CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "annotators": lambda value, what: (
        "fixed" if value is None else checks.choice(value, allowed_names(what), what)
    ),
    "level": checks.level,
    "margin": lambda value, what: None if value is None else margin_of(value, what),
    "paired": checks.flag,
    "resample_size": lambda value, _: size_of(value),
}
_CHECKED_ELSEWHERE = ("baseline", "focus", "rescale", "blocks", "order", "prior")
_DEFAULT_CORRECTION = "holm"
AT_ONCE = "simultaneous"
"""The correction that is made by the intervals, which hold for all differences at once."""


class CheckedSettings:
    """What the settings of all comparisons share; `among` is for those that have a baseline."""

    interval: str | None
    level: float
    test: str | None
    alternative: Question
    correction: str
    margin: float | None

    def __post_init__(self) -> None:
        if self.interval is None and self.margin is not None:
            raise InvalidInputError(
                "a verdict compares the interval with the margin, and interval=None computes no interval",
                hint="leave out margin, or interval=None",
            )
        if self.test is None and self.alternative != "two-sided":
            raise InvalidInputError(
                f"alternative={self.alternative!r} is a question to a test, and test=None runs no test",
                hint="leave out alternative, or test=None",
            )
        if self.test is None and self.correction not in (_DEFAULT_CORRECTION, "none"):
            raise InvalidInputError(
                f"correction={self.correction!r} is for p-values, and test=None computes none",
                hint="leave out correction, or test=None",
            )

    @classmethod
    def checked(cls, comparison: str, **settings: Any) -> Self:
        """Return the settings if each is one there is in comparisons of this kind."""
        for name, value in settings.items():
            if name in _CHECKS:
                settings[name] = _CHECKS[name](value, name)
            elif name not in _CHECKED_ELSEWHERE and not (
                value is None and f"{comparison}.{name}" in SKIPPABLE
            ):
                settings[name] = checks.choice(value, allowed_names(name, comparison), name)
        if settings.get("correction") == AT_ONCE:  # nothing is left to correct
            settings |= {"correction": _DEFAULT_CORRECTION, "simultaneous": True}
        return cls(**settings)

    @property
    def bare(self) -> bool:
        """Whether neither intervals nor tests were asked for: nothing says then how sure a difference is."""
        return self.interval is None and self.test is None

    @property
    def corrected_by(self) -> str:
        """The correction of the p-values: none where there are no p-values."""
        return "none" if self.test is None else self.correction

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return alpha_at(self.level)

    def by_name(self) -> dict[str, Any]:
        """Return the settings as they are in the provenance: those of tests only where there are tests."""
        of_tests = ("alternative", "correction") if self.test is None else ()
        return {name: value for name, value in vars(self).items() if name not in of_tests}

    def towards(self, greater_is_better: bool) -> Alternative:
        """Return the alternative on the scale of a metric of this direction."""
        return oriented(self.alternative, greater_is_better)

    def among(self, names: Sequence[str]) -> Self:
        """Return the settings for these systems, with baseline and focus spelled as the systems are."""
        named = {name: value for name, value in vars(self).items() if name in ("baseline", "focus")}
        spelled: dict[str, Any] = {
            name: checks.valid_baseline(one, names, name) for name, one in named.items()
        }
        if spelled == named:
            return self
        return dataclasses.replace(self, **spelled)  # type: ignore[type-var]  # of dataclasses only


class FamilySettings(CheckedSettings):
    """Settings of comparisons whose intervals may hold for all differences at once."""

    simultaneous: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.simultaneous and self.interval is None:
            raise InvalidInputError(
                "simultaneous intervals are intervals, and interval=None computes none",
                hint="leave out interval=None, or correction",
            )

    @property
    def corrected_by(self) -> str:
        """The name of the correction in the results."""
        return SIMULTANEOUS if self.simultaneous and self.test is not None else super().corrected_by

    def by_name(self) -> dict[str, Any]:
        """Return the settings as they are in the provenance: the correction where it is used."""
        named = super().by_name()
        return named | {"correction": AT_ONCE} if named.pop("simultaneous") else named


@dataclass(frozen=True)
class Settings(FamilySettings):
    """The arguments of `compare` that are not data; see there."""

    interval: str | None
    level: float
    simultaneous: bool = False
    test: str | None = "auto"
    alternative: Question = "two-sided"
    correction: str = "holm"
    margin: float | None = None
    baseline: str | None = None
    focus: str | None = None
    resample_size: float | None = None
    rescale: bool = True
    annotators: str = "fixed"
    blocks: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.focus is not None and (self.test is None or self.alternative != "two-sided" or self.baseline):
            raise InvalidInputError(
                "focus asks for the rank of a system, which takes two-sided tests of every pair",
                hint="leave out focus, or test=None, alternative and baseline",
                argument="focus",
            )

    def by_name(self) -> dict[str, Any]:
        """Return the settings as they are in the provenance: those few ask for where they matter."""
        named = super().by_name()
        if self.focus is None:
            del named["focus"]
        if self.resample_size is None:
            del named["resample_size"], named["rescale"]
        if self.annotators == "fixed":
            del named["annotators"]
        if self.blocks is None:
            del named["blocks"]
        return named
