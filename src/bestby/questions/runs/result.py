"""What a comparison of runs returns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import grouped, quoted
from bestby.questions.order.result import StochasticOrder, StochasticOrders
from bestby.report.comparison import Comparison, Difference, RunsScore
from bestby.report.reported import SQUARE, canvas_of, labelled_pair, shown_metric
from bestby.results.base import negated
from bestby.results.values import Interval
from bestby.vocabulary import FigureFont, FigureWidth, RunsFigure


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RunsComparison(Comparison):
    """The result of `compare_runs`: scores, differences, and how they were computed.

    Parameters
    ----------
    metrics, systems, differences, n_items
        One metric, `RunsScore`, `RunsDifference`; `n_items` is 0 if the runs came as scores.
    orders : StochasticOrders or None
        Almost stochastic order between every two systems; None without tests (``test=None``).
    variances : tuple of Variance
        Of the systems, then of the differences; empty if the runs came as scores, and without intervals
        (``interval=None``).
    statistic : str
        What is compared: the mean of the runs, or their median, trimmed mean or interquartile mean.
    paired : bool
        Whether run i of one system belongs to run i of the others.

    See Also
    --------
    bestby.compare_runs : Makes it.
    bestby.load : Reads it back from JSON.

    Examples
    --------
    >>> from bestby import compare_runs
    >>> result = compare_runs(
    ...     {
    ...         "new": [0.81, 0.84, 0.83, 0.86, 0.82],
    ...         "old": [0.79, 0.80, 0.78, 0.81, 0.80],
    ...     }
    ... )
    >>> round(result["new", "old"].estimate, 3), result["new", "old"].improvement
    (0.036, 0.98)
    """

    systems: tuple[RunsScore, ...]
    differences: tuple[RunsDifference, ...]
    orders: StochasticOrders | None = field(kw_only=True)
    variances: tuple[Variance, ...] = field(kw_only=True)
    statistic: str = field(kw_only=True)
    paired: bool = field(kw_only=True)

    kind: ClassVar[str] = "runs"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.runs import report

        return report

    @property
    def extent(self) -> str:
        """What was compared, in words."""
        return extent([entry.n_runs for entry in self.systems], self.n_items)

    def variance(self, a: str, b: str | None = None) -> Variance:
        """Return where the uncertainty of a score, or of the difference A minus B, comes from."""
        for entry in self.variances:
            if (entry.a, entry.b) in ((a, b), (b, a)):
                return entry
        raise InvalidInputError(
            f"no variances of {quoted(a)}"
            + ("" if b is None else f" minus {quoted(b)}")
            + " in this comparison",
            hint="they need intervals, per-item scores or predictions of every run, and a pair that was"
            " compared",
        )

    @with_suggestions
    def plot(  # type: ignore[override]
        self,
        metric: str | None = None,
        *,
        kind: RunsFigure = "auto",
        pair: Any = None,
        width: FigureWidth | float | None = None,
        font: FigureFont | None = None,
        percent: bool = False,
        ax: Any = None,
    ) -> Any:
        """Draw the comparison; return the matplotlib Axes.

        Parameters
        ----------
        metric : str, optional
            The metric; there is one.
        kind : {"auto", "forest", "systems", "scores", "baseline", "matrix", "quantiles", "order"}
            "scores" (and "auto"): every run and the interval of each system. "quantiles": the quantile
            functions of two systems with the violation of stochastic order shaded. "order": the matrix of
            epsilon_min. The others as for `Comparison.plot`.
        pair : tuple of str, optional
            For "quantiles": the two systems; the best two by default.
        width, font, percent, ax
            As for `Comparison.plot`.
        """
        from bestby.questions.runs import report

        canvas = canvas_of(ax, width, font)
        shown, metric = shown_metric(self, metric, percent)
        return report.runs(shown, metric, kind, labelled_pair(self, pair), canvas)


@dataclass(frozen=True, slots=True, repr=False)
class RunsDifference(Difference):
    """The difference A minus B between the runs of two systems, and how sure it is.

    Parameters
    ----------
    n_items, n_differing : int
        Number of items, and of those on which some runs of the two systems differ; 0 if the runs came as
        scores.
    n_runs : tuple of int
        Runs of A and of B.
    p_welch : float or None
        p-value of Welch's t test of the run scores (Yuen's for trimmed means, with Price and Bonett's error
        for medians; of the t test of the differences if the runs are paired), before correction. None without
        tests (``test=None``).
    improvement : float
        The probability that a run of A scores above one of B (of paired runs: above its partner), ties
        counting half.
    improvement_interval : Interval or None
        Its interval; None if none was asked for (``interval=None``).
    effect_size : float
        The difference of means in standard deviations between runs: d_av, which for as many independent runs
        of A as of B is Hedges' g. NaN without variance.
    effect_interval : Interval or None
        Its interval; None without variance, or if none was asked for.
    order, reverse_order : StochasticOrder or None
        How nearly A is stochastically better than B, and B than A; None without tests.

    See Also
    --------
    RunsComparison : Holds one per pair.
    Difference : What all differences have.
    """

    n_runs: tuple[int, int] = field(kw_only=True)
    p_welch: float | None = field(kw_only=True)
    improvement: float = field(kw_only=True)
    improvement_interval: Interval | None = field(kw_only=True)
    effect_size: float = field(kw_only=True)
    effect_interval: Interval | None = field(kw_only=True)
    order: StochasticOrder | None = field(kw_only=True)
    reverse_order: StochasticOrder | None = field(kw_only=True)

    @property
    def cliffs_delta(self) -> float:
        """P(A > B) - P(A < B)."""
        return 2.0 * self.improvement - 1.0

    @property
    def extent(self) -> str:
        """What was compared, in words."""
        return extent(self.n_runs, self.n_items)

    @property
    def sentence(self) -> str:
        """The difference in plain words, the size before the significance."""
        from bestby.questions.runs import report

        return report.difference_sentence(self)

    def _mirrored_fields(self) -> dict[str, Any]:
        return {
            # not super(): a class with slots is made twice, and super() knows the first
            **Difference._mirrored_fields(self),
            "n_runs": self.n_runs[::-1],
            "improvement": 1.0 - self.improvement,
            "improvement_interval": self.improvement_interval and self.improvement_interval.complement(),
            "effect_size": negated(self.effect_size),
            "effect_interval": self.effect_interval and self.effect_interval.mirrored(),
            "order": self.reverse_order,
            "reverse_order": self.order,
        }


@dataclass(frozen=True, slots=True)
class Variance:
    """Where the uncertainty of a score or difference comes from, and what would make it smaller.

    Parameters
    ----------
    a : str
        The system.
    b : str or None
        The system to subtract, if any.
    items : float
        What the choice of items adds to the variance of the estimate.
    runs : float
        What the choice of runs adds.
    rest : float
        What neither explains: items on which each run has its own luck.
    n_runs : tuple of int
        Runs of A (and of B).
    n_units : int
        Items, or clusters.

    See Also
    --------
    RunsComparison : Holds them as `variances`.
    bestby.allocate : Divides a budget between runs and items.

    References
    ----------
    .. [1] Searle, Casella & McCulloch (1992), Variance Components, section 4.5 (two-way random model).
    """

    _scales: ClassVar[Mapping[str, float]] = dict.fromkeys(("items", "runs", "rest"), SQUARE)

    a: str
    b: str | None
    items: float
    runs: float
    rest: float
    n_runs: tuple[int, ...]
    n_units: int

    def standard_error(self, *, runs: float = 1.0, items: float = 1.0) -> float:
        """Return the standard error of the estimate, now or with more runs or items.

        Parameters
        ----------
        runs, items : float
            By how much their numbers are multiplied; ``math.inf`` gives what remains in the limit.

        Examples
        --------
        >>> variance = Variance(
        ...     "a", None, items=0.03, runs=0.01, rest=0.0, n_runs=(5,), n_units=100
        ... )
        >>> variance.standard_error(), round(variance.standard_error(runs=math.inf), 4)
        (0.2, 0.1732)
        """
        return math.sqrt(self.items / items + self.runs / runs + self.rest / (runs * items))

    @property
    def share_of_runs(self) -> float:
        """The share of the variance that more runs would take away; NaN if there is no variance."""
        total = self.items + self.runs + self.rest
        return (self.runs + self.rest) / total if total > 0.0 else math.nan


def extent(n_runs: Any, n_items: int) -> str:
    """Return numbers of runs and of items in words."""
    low, high = min(n_runs), max(n_runs)
    each = "" if n_items else " each"
    runs = f"{low} runs{each}" if low == high else f"{low} to {high} runs"
    return f"{runs} of {grouped(n_items)} items" if n_items else runs
