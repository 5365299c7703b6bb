"""The settings of a comparison of slices, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.typing import Question
from bestby.comparisons.common.settings import CheckedSettings


@dataclass(frozen=True)
class Settings(CheckedSettings):
    """The arguments of `compare_slices` that are not data; see there."""

    interval: str
    level: float
    test: str
    alternative: Question
    correction: str
    baseline: str | None
    margin: float | None = None

    def __post_init__(self) -> None:
        for what, value in (("interval", self.interval), ("test", self.test)):
            if value is None:
                raise InvalidInputError(
                    f"every slice has an interval and a test, got {what}=None",
                    hint=f"leave {what} out",
                    argument=what,
                )
        super().__post_init__()

    def by_name(self) -> dict[str, Any]:
        """Return the settings as they are in the provenance; slices have no margin."""
        named = super().by_name()
        del named["margin"]
        return named
