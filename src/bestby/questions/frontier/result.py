"""What a comparison of quality and cost returns: which systems may be on the frontier, and their costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from bestby._core import rounding
from bestby.report.reported import Drawn, Reported, record_called
from bestby.results.base import MetricInfo, Note, Provenance
from bestby.results.values import Interval, extent


@dataclass(frozen=True, slots=True)
class SystemCost:
    """What a system costs, of one kind of cost.

    Parameters
    ----------
    system : str
        The system.
    cost : str
        The kind of cost: its name, with the quantile if it is one, such as ``"latency_ms@0.95"``.
    value : float
        The mean or the quantile over the items, or the price.
    interval : Interval or None
        Its confidence interval; None of prices, and where nothing varies.
    per_success : float or None
        The mean cost divided by the share of successes: what one right answer costs. None of quantiles, of
        scores that are not all 0 or 1, and without a success.
    per_success_interval : Interval or None
        Its confidence interval.

    See Also
    --------
    FrontierSystem : Holds them.
    """

    system: str
    cost: str
    value: float
    interval: Interval | None = None
    per_success: float | None = None
    per_success_interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class FrontierSystem:
    """A system with its quality and its costs.

    Parameters
    ----------
    system : str
        The system.
    score : float
        Its quality, on the scale of the metric.
    interval : Interval or None
        The interval of the score by itself.
    costs : tuple of SystemCost
        Its costs, one of each kind.
    may_be_on_frontier : bool
        Whether no system is significantly better and costs no more.
    dominated_by : str or None
        The system that shows most clearly that it is not on the frontier; None if it may be.
    p_adjusted : float
        The p-value that it is on the frontier, corrected for all systems.
    behind : float
        By how much its score is worse than the best at most; holds for all systems at once.

    See Also
    --------
    Frontier : Holds them.
    """

    system: str
    score: float
    interval: Interval | None
    costs: tuple[SystemCost, ...]
    may_be_on_frontier: bool
    dominated_by: str | None
    p_adjusted: float
    behind: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Frontier(Drawn, Reported):
    """Which systems may be on the frontier of quality and cost.

    Parameters
    ----------
    metric : MetricInfo
        What the quality is.
    costs : tuple of str
        The kinds of cost.
    systems : tuple of FrontierSystem
        The systems, the best score first.
    margin : float or None
        How far behind the best a system may be to be as good.
    level : float
        The level at which all systems of the frontier are kept at once, and of the intervals.
    n_items, n_clusters : int
        Number of items, and of the clusters they lie in; 0 if they are independent.
    notes : tuple of Note
        What must be known about the data and the numbers.
    provenance : Provenance
        Settings, versions, seed and data hash.

    See Also
    --------
    bestby.frontier : Makes it.
    bestby.load : Reads it back from JSON.
    """

    metric: MetricInfo
    costs: tuple[str, ...]
    systems: tuple[FrontierSystem, ...]
    margin: float | None
    level: float
    n_items: int
    n_clusters: int
    notes: tuple[Note, ...]
    provenance: Provenance

    kind: ClassVar[str] = "frontier"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.frontier import report

        return report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.frontier.figure import frontier

        return frontier

    def __getitem__(self, system: str) -> FrontierSystem:
        return record_called(system, self.systems, "system")

    def __iter__(self) -> Iterator[FrontierSystem]:
        return iter(self.systems)

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def extent(self) -> str:
        """How much was compared, in words."""
        return extent(self.n_items, self.n_clusters)

    @property
    def best(self) -> FrontierSystem:
        """The system with the best score in these data."""
        return self.systems[0]

    def as_good(self, cost: str | None = None) -> tuple[FrontierSystem, ...]:
        """Return the systems that are within the margin of the best, the cheapest first; none without one.

        That they are within the margin holds for all of them at once, so that any may be chosen afterwards.
        Which is the cheapest is what the data show.

        Parameters
        ----------
        cost : str, optional
            The kind of cost; the first by default.

        Raises
        ------
        InvalidInputError
            If there is no such cost.
        """
        name = self.costs[0] if cost is None else cost
        values = {one.system: record_called(name, one.costs, "cost", "cost").value for one in self.systems}
        if self.margin is None:
            return ()
        good = [entry for entry in self.systems if rounding.at_most(entry.behind, self.margin)]
        return tuple(sorted(good, key=lambda entry: values[entry.system]))
