"""Intervals and tests."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Literal

from bestby._core import rounding
from bestby._core.text import grouped
from bestby._core.typing import Alternative
from bestby.results.base import Note, negated
from bestby.vocabulary import long_name

MIRRORED: dict[Alternative, Alternative] = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
"""The alternative of the same test with the two systems exchanged."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval.

    Parameters
    ----------
    low, high : float
        Its ends, on the scale of the metric.
    level : float
        The nominal coverage, such as 0.95.
    method : str
        How it was made, by a name in the table of the guide "Choosing an interval", such as ``"bca"``.
    exact : bool
        True if no resample was drawn: the ends are those of infinitely many, or of a formula.

    See Also
    --------
    Difference : Has the interval of a difference.
    SystemScore : Has that of a score.
    """

    low: float
    high: float
    level: float
    method: str
    exact: bool

    def mirrored(self) -> Interval:
        """Return the interval of the negated quantity."""
        return dataclasses.replace(self, low=negated(self.high), high=negated(self.low))

    def complement(self) -> Interval:
        """Return the interval of one minus the quantity."""
        return dataclasses.replace(self, low=1.0 - self.high, high=1.0 - self.low)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


_SAME = "so the data do not show how it would change with others"

WITHOUT_INTERVAL = {
    "undefined_interval": "no {} interval: the metric or its standard error is undefined on these data, so"
    " the uncertainty of this number is unknown",
    "constant_difference": "no {} interval: it would have no length, as the difference stays the same if any"
    f" item, cluster or run counts a little more, {_SAME}",
    "constant_scores": "no {} interval: it would have no length, as the score stays the same if any item,"
    f" cluster or run counts a little more, {_SAME}",
    "equal_resamples": "no {} interval: it would have no length, as nearly all resamples give the same"
    " number, though not all do: too few items change it to show how it would change with others",
    "identical_ranks": "no {} interval: the metric sees the same ranks or standard scores of both systems on"
    f" every item, {_SAME}",
}
"""The notes that say why there is no interval, by their codes; each names the interval that was asked for."""


def without_interval(code: str, method: str) -> Note:
    """Return the note that says why there is no interval by a method."""
    return Note(code, WITHOUT_INTERVAL[code].format(long_name("interval", method)))


def has_length(interval: Interval, scale: float) -> bool:
    """Return whether the ends of an interval are apart by more than rounding of numbers of this size.

    >>> has_length(Interval(0.1, 0.1 + 1e-15, 0.95, "normal", True), 1.0)
    False
    """
    length = interval.high - interval.low
    return length > 0.0 and not rounding.is_nothing(length, 2.0 * scale)  # each end may be off


def defined(
    interval: Interval | None,
    notes: tuple[Note, ...] = (),
    *,
    scale: float = 0.0,
    constant: str = "constant_difference",
) -> tuple[Interval | None, tuple[Note, ...]]:
    """Return an interval with its notes; None and a note if an end is no number, or it has no length.

    Data that do not vary give every method an interval without length, which would be a certainty that no
    sample gives. Every maker of intervals therefore ends with this function. `scale` is the size of the
    scores, to which rounding is relative, and `constant` the code of the note on an interval without length.
    """
    if interval is None:
        return None, notes
    if math.isnan(interval.low) or math.isnan(interval.high):
        return None, (*notes, without_interval("undefined_interval", interval.method))
    if not has_length(interval, scale):
        return None, (*notes, without_interval(constant, interval.method))
    return interval, notes


@dataclass(frozen=True, slots=True)
class TestResult:
    """One significance test.

    Parameters
    ----------
    name : str
        One of the names in the table of the guide "Choosing a test", such as ``"permutation"``.
    p_value : float
        Never 0 when it was estimated by resampling.
    alternative : {"two-sided", "greater", "less"}
        On the scale of the metric: "greater" asks whether the score of A is greater than that of B.
    exact : bool
        True if the whole reference distribution was used, False if it was sampled or approximated.
    method : str
        How the reference distribution was computed: ``"enumeration"``, ``"convolution"``,
        ``"characteristic function"``, ``"binomial"``, ``"monte carlo"``,
        ``"importance sampling"`` (swaps drawn where they reach the difference, for small p-values),
        ``"saddlepoint"`` (a formula for very many items) or ``"asymptotic"``.
    error : float
        Monte Carlo standard error of the p-value; of a saddlepoint what the formula was off by where that was
        measured, and no bound; 0 of other p-values.
    n_resamples : int
        Number of resamples drawn, those of importance sampling too; 0 if none.
    statistic : float
        What the test looks at; for the resampling tests the difference itself.
    signed : bool
        Whether the sign of the statistic says which system the test speaks for. Sums of squares and counts of
        folds have no such sign.

    See Also
    --------
    Difference : Holds the test of a difference.
    """

    __test__ = False  # not a pytest class

    name: str
    p_value: float
    alternative: Alternative
    exact: bool
    method: str
    error: float = 0.0
    n_resamples: int = 0
    statistic: float = float("nan")
    signed: bool = True

    @property
    def direction(self) -> Literal["greater", "less"] | None:
        """The side on which the test sees system A, on the scale of the metric.

        This is the sign of the statistic, not of the difference between the scores: a sign test counts the
        items that each system wins, and a system can win most items and have the lower mean. None if the
        statistic is 0, or if it has no sign and the test is two-sided.
        """
        if not self.signed:
            return None if self.alternative == "two-sided" else self.alternative
        if self.statistic > 0.0:
            return "greater"
        return "less" if self.statistic < 0.0 else None

    def mirrored(self) -> TestResult:
        """Return the test with the two systems exchanged."""
        return dataclasses.replace(
            self,
            alternative=MIRRORED[self.alternative],
            statistic=negated(self.statistic) if self.signed else self.statistic,
        )


def extent(n_items: int, n_clusters: int, what: str = "items") -> str:
    """Return in words how much was compared."""
    return f"{grouped(n_items)} {what}" + (f" in {grouped(n_clusters)} clusters" if n_clusters else "")


@dataclass(frozen=True, slots=True)
class Omnibus:
    """A test of the hypothesis that all systems are alike on one metric.

    Parameters
    ----------
    metric : str
        The metric.
    name : str
        ``"cochran_q"`` or ``"friedman"``.
    statistic, df, p_value : float
        The statistic, its degrees of freedom, and the p-value from the chi-squared approximation.

    See Also
    --------
    Comparison : Holds one per metric that is a mean.
    Friedman : The same question over datasets.
    """

    metric: str
    name: str
    statistic: float
    df: int
    p_value: float


@dataclass(frozen=True, slots=True)
class ClassShares:
    """How often each class occurs in the gold, or in the predictions of a system.

    Parameters
    ----------
    system : str or None
        The system; None for the gold.
    labels : tuple of str
        The classes, the same in all columns of a comparison.
    shares : tuple of float
        The share of each class in the items; of soft labels, its mean probability.
    counts : tuple of int or None
        How many items have the class, of a condition of several runs those of all runs; None for soft labels.

    See Also
    --------
    Comparison : Holds the shares of the gold and of each system, as ``classes``.
    """

    system: str | None
    labels: tuple[str, ...]
    shares: tuple[float, ...]
    counts: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Friedman:
    """Friedman's test that all systems rank alike on all datasets, and its refinement.

    Parameters
    ----------
    statistic, df, p_value : float
        Friedman's chi-squared with the correction for ties, its k - 1 degrees of freedom, and its p-value.
    f, df_within : float
        Iman and Davenport's F (infinite if all datasets rank the systems alike) and its second degrees of
        freedom, (k - 1)(N - 1); the first are `df`.
    p_f : float
        From the F distribution; the better of the two approximations.
    p_exact : float or None
        Over all orders of the systems on every dataset; None where they are too many.

    See Also
    --------
    DatasetComparison : Holds it for three systems or more.
    Omnibus : The same question on one test set.
    """

    statistic: float
    df: int
    p_value: float
    f: float
    df_within: int
    p_f: float
    p_exact: float | None = None
