"""What several runs on each dataset add to a comparison over datasets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bestby.results.values import Interval


@dataclass(frozen=True, slots=True)
class RunsOverall:
    """One system over its runs on all datasets.

    Parameters
    ----------
    system : str
        The system.
    score : float
        The mean over the datasets of the mean (or median, ...) of its runs; with another statistic than the
        mean, that statistic of the runs of all datasets together.
    interval : Interval or None
        Its confidence interval for other runs on these datasets; None without variation, or if none was asked
        for (``interval=None``).
    rank_low, rank_high : int or None
        The ranks of the system that the tests of these differences leave open, 1 being the best; None without
        tests (``test=None``).
    optimality_gap : float or None
        Where scores are normalised by given ranges and higher is better: how far the runs are below 1 on
        average, those above 1 counting as 1 (Agarwal et al. 2021).
    gap_interval : Interval or None
        Its confidence interval for other runs on these datasets.

    See Also
    --------
    RunsOnDatasets : Holds one per system.
    """

    system: str
    score: float
    interval: Interval | None
    rank_low: int | None
    rank_high: int | None
    optimality_gap: float | None = None
    gap_interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class MeanImprovement:
    """How likely a run of A is better than one of B, on average over the datasets.

    Parameters
    ----------
    a, b : str
        The systems.
    estimate : float
        The mean over the datasets of the probability that a run of A scores above one of B (of paired runs:
        above its partner), ties counting half.
    interval : Interval or None
        Its confidence interval for other runs on these datasets; None if none was asked for.

    See Also
    --------
    RunsOnDatasets : Holds one per pair.
    """

    a: str
    b: str
    estimate: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class RunsOnDatasets:
    """What several runs of each system on each dataset add to a `DatasetComparison`.

    Parameters
    ----------
    statistic : {"mean", "median", "trimmed_mean", "iqm"}
        What is compared of the runs.
    paired : bool
        Whether run i of one system and run i of the others belong together.
    scores : mapping of str to mapping of str to tuple of float
        The score of each run, by dataset and system; runs that are not paired in ascending order.
    systems : tuple of RunsOverall
        Every system over the runs on all datasets, the best first.
    improvements : tuple of MeanImprovement
        Per pair, as in `DatasetComparison.differences`.

    See Also
    --------
    DatasetComparison : Holds it as `runs`.
    bestby.compare_datasets : Makes it.
    """

    statistic: str
    paired: bool
    scores: Mapping[str, Mapping[str, tuple[float, ...]]]
    systems: tuple[RunsOverall, ...]
    improvements: tuple[MeanImprovement, ...]

    @property
    def n_runs(self) -> tuple[int, int]:
        """The least and the greatest number of runs of a system on a dataset."""
        sizes = [len(runs) for row in self.scores.values() for runs in row.values()]
        return min(sizes), max(sizes)
