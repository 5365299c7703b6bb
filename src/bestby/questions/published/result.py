"""What `compare_published` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from bestby._core.keywords import Renamed
from bestby.report.reported import Drawn, Reported
from bestby.results.base import MetricInfo, Note, Provenance
from bestby.results.values import Interval

Assumption = Literal["other items", "fewest differing", "most differing", "runs"]


@dataclass(frozen=True, slots=True)
class PublishedAnswer:
    """The difference to a published score under one assumption on what was not published.

    The published score is rounded. Numbers that depend on the digits cut off are given as the least and the
    greatest; if only one score rounds to the published one, they are equal.

    Parameters
    ----------
    assumption : {"other items", "fewest differing", "most differing", "runs"}
        That the two systems answered different items; that they answered the same items and agree as often
        as their scores allow, or as rarely; or that the scores are means of independent runs.
    n_differing : tuple of int or None
        The least and the greatest number of items that one system alone has right; None unless they answered
        the same items.
    interval : Interval
        The interval of the difference, from the least low to the greatest high end.
    p_low, p_high : float
        The two-sided p-value.
    test : str
        The name of the test.

    See Also
    --------
    PublishedComparison : Holds one for each assumption.
    """

    assumption: Assumption
    n_differing: tuple[int, int] | None
    interval: Interval
    p_low: float
    p_high: float
    test: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PublishedComparison(Drawn, Reported, Renamed):
    """A system of one's own beside a score that somebody published.

    Parameters
    ----------
    metric : MetricInfo
        Name, direction and bounds of the metric.
    system, published : str
        The name of the system, and what the published score is called.
    score : float
        The score of the system.
    interval : Interval
        The interval of that score.
    n : int
        Its number of items, or of runs.
    published_score : float
        As published.
    published_low, published_high : float
        The least and the greatest score that rounds to it.
    n_published : int
        The items or runs behind it.
    answers : tuple of PublishedAnswer
        The difference (the system minus the published score) under each assumption.
    differing_limit : int or None
        The number of differing items up to which McNemar's exact test finds a difference, whichever score
        the published one is rounded from; None if it finds none, or if the items are not the same.
    level : float
        The level of the intervals; tests reject at 1 - level.
    notes : tuple of Note
        What must be known to read them.
    provenance : Provenance
        Settings, versions and data hash.

    See Also
    --------
    bestby.compare_published : Makes it.
    """

    metric: MetricInfo
    system: str
    published: str
    score: float
    interval: Interval
    n: int
    published_score: float
    published_low: float
    published_high: float
    n_published: int
    answers: tuple[PublishedAnswer, ...]
    differing_limit: int | None
    level: float
    notes: tuple[Note, ...]
    provenance: Provenance

    kind: ClassVar[str] = "published"

    _renamed: ClassVar[Mapping[str, str]] = {
        "better": "winner is the better side if the two differ significantly"
    }

    @staticmethod
    def _report() -> Any:
        from bestby.questions.published import report

        return report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.published.figure import published

        return published

    @property
    def estimate(self) -> float:
        """The score of the system minus the published one."""
        return self.score - self.published_score

    @property
    def decided(self) -> Literal["always", "never", "depends"]:
        """Whether the difference is significant whatever was not published, never, or for some of it.

        If both systems answered the same items, the answers on the same items count. The one on other items,
        where there is one, is for readers who doubt that they are the same.
        """
        paired = [answer for answer in self.answers if answer.n_differing is not None]
        counted = paired or list(self.answers)
        alpha = 1.0 - self.level
        if all(answer.p_high <= alpha for answer in counted):
            return "always"
        return "depends" if any(answer.p_low <= alpha for answer in counted) else "never"

    @property
    def significant(self) -> bool | None:
        """Whether the two differ significantly; None where that depends on what was not published."""
        return {"always": True, "never": False}.get(self.decided)

    @property
    def winner(self) -> str | None:
        """The side with the better score, if the two differ significantly; else None."""
        if not self.significant or self.published_low <= self.score <= self.published_high:
            return None
        better = (self.score > self.published_score) == self.metric.greater_is_better
        return self.system if better else self.published
