"""The settings of a comparison of runs, checked once."""

from __future__ import annotations

from dataclasses import dataclass

from bestby._core.typing import Question
from bestby.comparisons.common.settings import CheckedSettings


@dataclass(frozen=True)
class Settings(CheckedSettings):
    """The arguments of `compare_runs` that are not data; see there."""

    statistic: str
    paired: bool
    interval: str | None
    level: float
    test: str | None
    alternative: Question
    correction: str
    margin: float | None
    baseline: str | None
