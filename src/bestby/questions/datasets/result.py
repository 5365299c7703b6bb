"""What `compare_datasets` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from bestby._core.keywords import with_suggestions
from bestby._core.typing import FloatArray
from bestby.inference.multiplicity import alpha_at, rejects
from bestby.report.comparison import BestSet, Difference, Paired, Tested
from bestby.report.replicability import Counts
from bestby.report.reported import canvas_of, labelled_pair, shown_in
from bestby.results.base import MetricInfo, Note, Provenance
from bestby.results.values import Friedman, Interval, TestResult
from bestby.vocabulary import DatasetFigure, FigureFont, FigureWidth


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DatasetComparison(Paired):
    """The result of `compare_datasets`.

    Parameters
    ----------
    metric : MetricInfo
        What the scores are.
    datasets : tuple of str, length N
        In the order given.
    systems : tuple of str, length k
        The best first: by mean score, or by average rank where the datasets vary.
    scores : ndarray, shape (N, k)
        Score of each system on each dataset, NaN where there is none; read only.
    means : tuple of float
        Mean score of each system over the datasets on which it has one.
    average_ranks : tuple of float
        Average rank of each system, 1 being the best; where scores are missing, from the datasets that every
        two systems have both.
    differences : tuple of Difference
        Per pair the mean difference over the N datasets (`n_items`), its interval and its test, corrected
        over the pairs; `varying` says what they take to vary.
    within : mapping of str to tuple of Difference
        Per dataset the differences on its items or between its runs (then `RunsDifference`), if there are
        such; `p_adjusted` is Holm's over the datasets of one pair.
    replicability : Counts, a mapping of (str, str) to Replicability
        Per pair, on how many datasets and on which there is a difference; in whichever order the two systems
        are named, unless the tests are one-sided. Empty without items, and without tests (``test=None``).
    overall : tuple of Overall
        Micro and macro differences, whatever they take to vary: the mean differences of both questions.
    friedman : Friedman or None
        Whether all systems rank alike; None for two systems, and without tests.
    ranking : tuple of RankDifference
        Post-hoc tests of the average ranks; empty for two systems, and without tests.
    critical_difference : float or None
        The difference of average ranks that Nemenyi's test takes for real; None for two systems, against a
        baseline and without tests.
    notes, provenance, level, correction, margin, baseline
        As for `Comparison`.
    runs : RunsOnDatasets or None
        What several runs on each dataset add; None without runs.
    ranges : mapping of str to (float, float), or None
        Per dataset the scores that became 0 and 1; None where scores were not normalised.
    varying : {"items", "runs", "datasets"}
        What `differences` take to vary: the items or the runs on these very datasets (``datasets="fixed"``),
        or the datasets as a sample of others like them (``datasets="random"``).
    best_sets : tuple of BestSet
        Which of three or more systems may have the best mean over these very datasets; empty where the
        datasets vary, against a baseline, and without tests or intervals. ``result.best`` is the one.
    behind : tuple of (float or None)
        By how much the best system is better than each at most, in the order of `systems`, as for
        `SystemScore`. Empty where `best_sets` is.

    See Also
    --------
    bestby.compare_datasets : Makes it.
    bestby.load : Reads it back from JSON.
    """

    metric: MetricInfo
    datasets: tuple[str, ...]
    systems: tuple[str, ...]
    scores: FloatArray
    means: tuple[float, ...]
    average_ranks: tuple[float, ...]
    differences: tuple[Difference, ...]
    within: Mapping[str, tuple[Difference, ...]]
    replicability: Counts
    overall: tuple[Overall, ...]
    friedman: Friedman | None
    ranking: tuple[RankDifference, ...]
    critical_difference: float | None
    notes: tuple[Note, ...]
    provenance: Provenance
    level: float
    correction: str
    margin: float | None = None
    baseline: str | None = None
    runs: RunsOnDatasets | None = None
    ranges: Mapping[str, tuple[float, float]] | None = None
    varying: str = "datasets"
    best_sets: tuple[BestSet, ...] = field(default=(), kw_only=True)
    behind: tuple[float | None, ...] = field(default=(), kw_only=True)

    kind: ClassVar[str] = "datasets"

    def __post_init__(self) -> None:
        """Tell rows over all datasets the level and the direction; older files say them of the whole only."""
        better = self.metric.greater_is_better
        rows = (replace(one, greater_is_better=better, level=self.level) for one in self.overall)
        object.__setattr__(self, "overall", tuple(rows))
        object.__setattr__(self, "ranking", tuple(replace(one, level=self.level) for one in self.ranking))

    @staticmethod
    def _report() -> Any:
        from bestby.questions.datasets import report

        return report

    @property
    def fixed(self) -> bool:
        """Whether the answer is about the mean over these very datasets."""
        return self.varying != "datasets"

    @property
    def with_gaps(self) -> bool:
        """Whether some system has no score on some dataset, so that pairs are over those that both have."""
        return bool(np.isnan(self.scores).any())

    def wins(self, a: str, b: str) -> tuple[int, int, int]:
        """Return on how many datasets A is better than, level with, and worse than B."""
        first, second = (self.scores[:, self.systems.index(name)] for name in (a, b))
        ahead = first - second if self.metric.greater_is_better else second - first
        return int((ahead > 0).sum()), int((ahead == 0).sum()), int((ahead < 0).sum())

    @with_suggestions
    def plot(
        self,
        kind: DatasetFigure = "auto",
        *,
        cliques: str = "pairs",
        pair: tuple[str, str] | None = None,
        width: FigureWidth | float | None = None,
        font: FigureFont | None = None,
        ax: Any = None,
    ) -> Any:
        """Draw a figure and return the matplotlib Axes.

        Parameters
        ----------
        kind : {"auto", "forest", "matrix", "ranks", "profiles"}
            "ranks": critical-difference diagram; "matrix": every pair with its mean difference, wins, ties
            and losses, and p; "forest": the difference of one pair on each dataset; "profiles": of several
            runs, which share of them is better than each score (Agarwal et al. 2021, section 4.2).
            "auto": the forest for two systems; for more the ranks or, where a bar would pass over a system
            that it does not join, the matrix.
        cliques : {"pairs", "nemenyi", "holm"}
            Which test joins systems by bars in the diagram of ranks; "pairs" stands for the tests of
            `differences`, whatever they are ("wilcoxon" is an older name of it), so that the diagram says
            what the table says. The others are tests of the average ranks: "nemenyi" draws the critical
            difference.
        pair : (str, str), optional
            The pair of the forest; the first by default.
        width, font, ax
            As for `Comparison.plot`.
        """
        from bestby.questions.datasets import figure

        canvas = canvas_of(ax, width, font)
        return figure.datasets(shown_in(self), kind, cliques, labelled_pair(self, pair), canvas)


@dataclass(frozen=True, slots=True)
class Overall(Tested):
    """A difference over all datasets together.

    Parameters
    ----------
    a, b : str
        The systems.
    average : {"macro", "micro"}
        The mean over datasets of their differences, or the difference on all items pooled; of runs, the
        difference of the statistic of the runs of all datasets together.
    resampled : {"items", "runs", "datasets"} or None
        What the interval takes to vary: the items or the runs within these very datasets, or the datasets as
        a sample of all those that might have been chosen. None where neither an interval nor a test was
        asked for.
    estimate : float
        A minus B.
    interval : Interval or None
        Its confidence interval; None where it is undefined, which a note then says, or if none was asked for.
    standard_error, standard_error_method, verdict, equivalence_interval
        As for `Difference`.
    test : TestResult or None
        Its test; None of micro differences of items, and without tests.
    p_adjusted : float or None
        Its p-value, corrected over the pairs.
    greater_is_better, level
        The direction of the metric and the level, those of the comparison.

    See Also
    --------
    DatasetComparison : Holds them as `overall`.
    """

    a: str
    b: str
    average: str
    resampled: str | None
    estimate: float
    interval: Interval | None
    standard_error: float | None = None
    standard_error_method: str | None = None
    verdict: str | None = None
    equivalence_interval: Interval | None = None
    test: TestResult | None = None
    p_adjusted: float | None = None
    greater_is_better: bool = field(default=True, kw_only=True)
    level: float = field(default=0.95, kw_only=True)


@dataclass(frozen=True, slots=True)
class RankDifference:
    """Two systems compared by their average ranks.

    Parameters
    ----------
    a, b : str
        The systems.
    estimate : float
        Average rank of A minus that of B; negative if A ranks better.
    p_nemenyi, p_holm : float
        Nemenyi's p-value for all pairs, None against a baseline; and that from the normal approximation,
        after Holm's correction over the pairs.
    level : float
        That of the comparison; 1 - level is the level of the tests.

    See Also
    --------
    DatasetComparison : Holds them as `ranking`.
    """

    _scales: ClassVar[Mapping[str, float]] = {}

    a: str
    b: str
    estimate: float
    p_nemenyi: float | None
    p_holm: float
    level: float = field(default=0.95, kw_only=True)

    @property
    def significant(self) -> bool:
        """Whether the ranks differ significantly: by Nemenyi's test or, against a baseline, by Holm's."""
        p = self.p_holm if self.p_nemenyi is None else self.p_nemenyi
        return rejects(p, alpha_at(self.level))

    @property
    def winner(self) -> str | None:
        """The system that ranks better, if the two differ significantly; else None."""
        return (self.a if self.estimate < 0.0 else self.b) if self.significant else None


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

    _scales: ClassVar[Mapping[str, float]] = {}

    a: str
    b: str
    estimate: float
    interval: Interval | None
