"""The score of one system over its runs."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field

from bestby.report.comparison import SystemScore


@dataclass(frozen=True, slots=True, repr=False)
class RunsScore(SystemScore):
    """The score of one system over its runs.

    Parameters
    ----------
    score : float
        The mean (or median, …) of the runs.
    runs : tuple of float
        The score of each run, in the order given.
    changing_items : float or None
        The share of items whose outcome is not the same in all runs: the value of the item for means, such as
        whether an answer is right, and the answer itself for other metrics. It grows with the number of
        runs. None of one run, and without items.

    See Also
    --------
    RunsComparison : Holds one per system.
    SystemScore : What all scores have.
    """

    runs: tuple[float, ...] = field(kw_only=True)
    changing_items: float | None = field(default=None, kw_only=True)

    @property
    def n_runs(self) -> int:
        """The number of runs."""
        return len(self.runs)

    @property
    def sd(self) -> float:
        """The standard deviation between runs; NaN of one run."""
        return statistics.stdev(self.runs) if len(self.runs) > 1 else math.nan

    @property
    def least(self) -> float:
        """The lowest score of a run."""
        return min(self.runs)

    @property
    def greatest(self) -> float:
        """The highest score of a run."""
        return max(self.runs)
