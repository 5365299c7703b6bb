"""What `compare_published` returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from bestby._core.keywords import Renamed
from bestby.report.reported import Drawn, Reported
from bestby.results.base import MetricInfo, Note, Provenance
from bestby.results.values import Interval

Assumption = Literal["other items", "fewest differing", "most differing", "runs"]

Decided = Literal["always", "never", "depends"]


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


def union(intervals: Iterable[Interval]) -> Interval:
    """Return the interval from the least low to the greatest high end."""
    several = list(intervals)
    low, high = min(one.low for one in several), max(one.high for one in several)
    return Interval(low, high, several[0].level, several[0].method, several[0].exact)


def paired(answers: Sequence[PublishedAnswer]) -> Sequence[PublishedAnswer]:
    """Return the answers on the same items where there are some, or else all."""
    return [answer for answer in answers if answer.n_differing is not None] or answers


def p_range(answers: Sequence[PublishedAnswer]) -> tuple[float, float]:
    """Return the least and the greatest possible p-value."""
    return min(answer.p_low for answer in answers), max(answer.p_high for answer in answers)


def differing(answers: Sequence[PublishedAnswer]) -> tuple[int, int] | None:
    """Return the fewest and the most items on which two can disagree; None if the items are not the same."""
    counts = [n for answer in answers for n in answer.n_differing or ()]
    return (min(counts), max(counts)) if counts else None


def decided(p_low: float, p_high: float, level: float) -> Decided:
    """Return whether p-values between two are always significant, never, or for some of what is not known."""
    return "always" if p_high <= 1.0 - level else "depends" if p_low <= 1.0 - level else "never"


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
        from bestby.questions.published.report import draw

        return draw

    @property
    def estimate(self) -> float:
        """The score of the system minus the published one."""
        return self.score - self.published_score

    @property
    def decided(self) -> Decided:
        """Whether the difference is significant whatever was not published, never, or for some of it.

        If both systems answered the same items, the answers on the same items count. The one on other items,
        where there is one, is for readers who doubt that they are the same.
        """
        return decided(*p_range(paired(self.answers)), self.level)

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


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """A score as it was published.

    Parameters
    ----------
    system, printed : str
        The system, and its score with the digits and the spread that were published.
    score, low, high : float
        Its value, and the least and the greatest that round to it.
    n : int
        The number of items or runs.
    unit : {"items", "runs"}
        What `n` counts.

    See Also
    --------
    PublishedScores : Holds them.
    """

    system: str
    printed: str
    score: float
    low: float
    high: float
    n: int
    unit: str


@dataclass(frozen=True, slots=True)
class PublishedPair:
    """What two published scores allow to be said.

    Parameters
    ----------
    a, b : str
        The two systems.
    estimate : float
        The score of `a` minus that of `b`.
    answers : tuple of PublishedAnswer
        Interval and p-value; of the same items two, for the most and the least agreement that is possible.
    p_adjusted : tuple of float
        The least and the greatest p-value, corrected for all pairs.
    differing_limit : int or None
        The number of items on which they disagree up to which the difference is significant; None if it is
        for none, or the items are not the same.
    level : float
        The level: p-values of at most 1 - level are significant.

    See Also
    --------
    PublishedScores : Holds them.
    """

    a: str
    b: str
    estimate: float
    answers: tuple[PublishedAnswer, ...]
    p_adjusted: tuple[float, float]
    differing_limit: int | None
    level: float

    @property
    def interval(self) -> Interval:
        """The interval of the difference, from the least low to the greatest high end."""
        return union(answer.interval for answer in self.answers)

    @property
    def p_low(self) -> float:
        """The least possible p-value."""
        return p_range(self.answers)[0]

    @property
    def p_high(self) -> float:
        """The greatest possible p-value."""
        return p_range(self.answers)[1]

    @property
    def n_differing(self) -> tuple[int, int] | None:
        """The fewest and the most items on which they can disagree; None if the items are not the same."""
        return differing(self.answers)

    @property
    def decided(self) -> Decided:
        """Whether the difference is significant whatever was not published, never, or for some of it."""
        return decided(*self.p_adjusted, self.level)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PublishedScores(Drawn, Reported):
    """What published scores of several systems allow to be said, without any predictions.

    Parameters
    ----------
    metric : str
        What the scores are of.
    scores : tuple of PublishedScore
        The scores.
    pairs : tuple of PublishedPair
        Every two of them.
    spread : str or None
        What follows ± in the scores: "sd", "se", "ci95" or "ci95-normal"; None of shares.
    level : float
        The level of the intervals; tests reject at 1 - level.
    notes : tuple of Note
        What must be known to read them.
    provenance : Provenance
        Settings, versions and a hash of the numbers.

    See Also
    --------
    bestby.compare_published : Makes it.
    """

    metric: str
    scores: tuple[PublishedScore, ...]
    pairs: tuple[PublishedPair, ...]
    spread: str | None
    level: float
    notes: tuple[Note, ...]
    provenance: Provenance

    kind: ClassVar[str] = "published scores"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.published import scores_report

        return scores_report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.published.scores_report import draw

        return draw
