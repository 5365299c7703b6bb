"""Scores of one's own: what they are called, and whether higher ones are better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bestby._core import checks
from bestby._core.keywords import with_suggestions


@with_suggestions
@dataclass(frozen=True)
class ScoreMetric:
    """Scores of one's own as a metric: their name, and whether higher ones are better.

    A name alone, ``metric="COMET"``, leaves the direction to a guess, which a note tells. What is compared is
    the mean of the scores.

    Parameters
    ----------
    name : str
        What the scores are called.
    greater_is_better : bool
        Whether higher scores are better.

    Raises
    ------
    InvalidInputError
        If a parameter cannot be used as given.

    See Also
    --------
    FunctionMetric : A function of gold and predictions, with its direction.

    Examples
    --------
    >>> from bestby import ScoreMetric, compare
    >>> times = {"new": [3.0, 2.5, 4.0, 3.1], "old": [4.0, 2.9, 4.4, 3.9]}
    >>> result = compare(times, metric=ScoreMetric("seconds", greater_is_better=False))
    >>> result.systems[0].system
    'new'
    """

    name: str
    greater_is_better: bool

    def __post_init__(self) -> None:
        checks.check_text(self.name, "name")
        checks.flag(self.greater_is_better, "greater_is_better")


def name_and_direction(metric: Any, greater_is_better: bool | None = None) -> tuple[Any, bool | None]:
    """Return the name of scores and their direction; another metric as it is, and what was said beside it."""
    if isinstance(metric, ScoreMetric):
        return metric.name, metric.greater_is_better
    return metric, greater_is_better
