"""What a `Monitor` has found so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from bestby.report.reported import Drawn, Reported, record_called, shown_in
from bestby.results.base import Note, Provenance
from bestby.results.values import Interval
from bestby.vocabulary import MonitorPopulation

Decision = Literal["better", "worse", "equivalent", "futile"]


@dataclass(frozen=True, slots=True)
class MonitoredSystem:
    """A system in a monitored comparison.

    Parameters
    ----------
    system : str
        Its name.
    score : float
        The mean of its scores on the items that were counted.
    n_items : int
        Their number.
    behind : str or None
        A system that was shown to be better, so that this one can no longer be first: its items need not be
        scored any more. None while it can be first.

    See Also
    --------
    MonitoredComparison : Holds one for each system.
    """

    system: str
    score: float
    n_items: int
    behind: str | None


@dataclass(frozen=True, slots=True)
class MonitoredDifference:
    """The difference of two systems in a monitored comparison.

    Parameters
    ----------
    a, b : str
        The two systems.
    estimate : float
        The mean of A minus B over the items that were counted.
    interval : Interval or None
        The interval that holds at every look, of all pairs of systems at once. None while there are too few
        items for it.
    equivalence_interval : Interval or None
        The interval of two one-sided statements, from which "equivalent" is read: at the level 1 - 2 alpha.
        None without a margin.
    n_items, n_clusters : int
        What was counted; 0 clusters if there are none.
    p_value : float or None
        The p-value of no difference that holds at every look, corrected for the number of pairs: 1 / e-value,
        the least of all looks. For scores of 0 and 1 of independent items only those on which the two systems
        differ count, as in McNemar's test. None for methods other than betting.
    wins, losses : int
        How many items A and B have the better score on.
    decision : {"better", "worse", "equivalent", "futile"} or None
        Of A against B, made at the first look at which it could be; None while it is open.
    decided_at : int or None
        How many items had been counted then.
    overturned_by : float or None
        Of scores without bounds: the decision is right, with the error of the level, if no single item can
        differ from the mean by so much. None with bounds, and without a decision that rests on an interval.
    provisional : bool
        Whether that is less than three times the largest deviation so far, and nothing was said of the
        largest that is possible.
    greater_is_better : bool
        The direction of the scores.

    See Also
    --------
    MonitoredComparison : Holds one for each other system.
    """

    a: str
    b: str
    estimate: float
    interval: Interval | None
    equivalence_interval: Interval | None
    n_items: int
    n_clusters: int
    p_value: float | None
    wins: int
    losses: int
    decision: Decision | None
    decided_at: int | None
    overturned_by: float | None = None
    provisional: bool = False
    greater_is_better: bool = True

    @property
    def significant(self) -> bool | None:
        """Whether 0 lies outside the interval, which holds at every look; None while there is none."""
        return None if self.interval is None else 0.0 not in self.interval

    @property
    def winner(self) -> str | None:
        """The system with the better score, if the two differ significantly; else None."""
        if self.interval is None or not self.significant:
            return None
        return self.a if (self.interval.low > 0.0) == self.greater_is_better else self.b


def rests_on_provisional(decision: Decision | None, pairs: Sequence[MonitoredDifference]) -> bool:
    """Tell whether the decision of the first system against all others rests on one that is provisional.

    One pair is enough for "worse"; every other decision rests on all pairs.
    """
    if decision == "worse":
        return all(one.provisional for one in pairs if one.decision == "worse")
    return decision is not None and any(one.provisional for one in pairs)


@dataclass(frozen=True, slots=True)
class MonitorLook:
    """The estimate and the interval of a pair as they were after some items.

    Parameters
    ----------
    n_items : int
        How many items had been counted.
    estimate, low, high : float
        The difference and its interval; infinite where there was none yet.

    See Also
    --------
    MonitoredComparison : Holds the path of the first two systems.
    """

    n_items: int
    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MonitoredComparison(Drawn, Reported):
    """Systems that were compared item by item, with intervals that hold whenever one stops.

    Parameters
    ----------
    systems : tuple of MonitoredSystem
        The systems as they were named; the first is the one that the decision is about.
    pairs : tuple of MonitoredDifference
        The first system against each other one.
    path : tuple of MonitorLook
        How the first pair developed, for figures.
    decision : {"better", "worse", "equivalent", "futile"} or None
        Of the first system against all others: better than every other; worse than one of them; as good as
        all of them within the margin; or not to be decided with the items that are left. None while open.
    decided_at : int or None
        How many items had been counted when it was made.
    n_items, n_clusters : int
        What was counted so far; 0 clusters if there are none.
    n_looks : int
        After how many different numbers of items a decision was looked for.
    n_available : int or None
        How many items there are, or how many may be asked for; None if any number.
    looks : tuple of int or None
        The numbers of items at which looks were planned; None if there were looks at any time.
    population : {"bank", "wider"}
        What the intervals are about: the mean over the items of this benchmark, or over all items like these.
    method : str
        The confidence sequence, such as "betting", or the boundaries of planned looks.
    bounds : tuple of float or None
        The least and the greatest score.
    greater_is_better : bool
        The direction of the scores.
    level : float
        The level of all statements together, over all looks.
    margin : float or None
        The smallest difference that matters.
    notes : tuple of Note
        What must be known to read them.
    provenance : Provenance
        Settings, versions and data hash.
    largest : float or None
        The largest difference on an item that is possible, as far as it was said.

    See Also
    --------
    bestby.Monitor : Makes it.
    """

    systems: tuple[MonitoredSystem, ...]
    pairs: tuple[MonitoredDifference, ...]
    path: tuple[MonitorLook, ...]
    decision: Decision | None
    decided_at: int | None
    n_items: int
    n_clusters: int
    n_looks: int
    n_available: int | None
    looks: tuple[int, ...] | None
    population: MonitorPopulation
    method: str
    bounds: tuple[float, float] | None
    greater_is_better: bool
    level: float
    margin: float | None
    notes: tuple[Note, ...]
    provenance: Provenance
    largest: float | None = None

    kind: ClassVar[str] = "monitored"

    def __post_init__(self) -> None:
        # Pairs that version 0.2.0 wrote do not know the direction.
        pairs = tuple(replace(one, greater_is_better=self.greater_is_better) for one in self.pairs)
        object.__setattr__(self, "pairs", pairs)

    @staticmethod
    def _report() -> Any:
        from bestby.questions.monitor import report

        return report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.monitor.report import monitored

        return monitored

    @property
    def estimate(self) -> float:
        """The difference between the first two systems."""
        return self.pairs[0].estimate

    @property
    def interval(self) -> Interval | None:
        """The interval of that difference, which is valid whenever one stops."""
        return self.pairs[0].interval

    @property
    def provisional(self) -> bool:
        """Whether the decision rests on one that is provisional."""
        return rests_on_provisional(self.decision, self.pairs)

    @property
    def dropped(self) -> tuple[str, ...]:
        """The systems that can no longer be first."""
        return tuple(one.system for one in self.systems if one.behind is not None)

    @property
    def sentence(self) -> str:
        """What can be concluded at this moment."""
        from bestby.questions.monitor import report

        return report.sentence(shown_in(self))

    def __getitem__(self, other: str) -> MonitoredDifference:
        """Return the difference between the first system and another, by the name of the other.

        Raises
        ------
        InvalidInputError
            If there is none.
        """
        return record_called(other, self.pairs, "b")
