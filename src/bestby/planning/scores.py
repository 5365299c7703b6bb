"""Scores of two systems on the same items."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from bestby._core import arrays, checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Alternative, ArrayLike, FloatArray, IntArray
from bestby.evaluation import codes, one_grouping
from bestby.inference import classical
from bestby.inference.power import t_power
from bestby.planning.base import Design, Question
from bestby.results import Note


@dataclass(frozen=True)
class PairedScores(Design):
    """A number per item and system, compared by the paired t-test.

    Parameters
    ----------
    difference : float
        The assumed mean difference, A minus B.
    sd : float
        The standard deviation of the differences of single items.
    design_effect : float
        By how much clusters multiply the variance of the mean: 1 + (m - 1) times the intra-cluster
        correlation, for clusters of m items.
    cluster_size : float
        Mean number of items per cluster; the test has a degree of freedom per cluster, less one.
    intracluster_correlation : float or None
        Where the design effect came from, if it was measured.

    Raises
    ------
    InvalidInputError
        If `sd` is not positive, or the design effect or the cluster size is not a positive number (of
        at least 1 for the size).

    References
    ----------
    .. [1] Kish (1965), Survey Sampling, sections 5.4 and 8.2.
    .. [2] Donner & Klar (2000), Design and Analysis of Cluster Randomization Trials in Health
       Research, chapter 1.
    .. [3] Miller (2024), Adding error bars to evals, arXiv:2411.00640, section 5.

    Examples
    --------
    >>> from bestby import sample_size
    >>> sample_size(PairedScores(difference=0.5, sd=1.0), power=0.9).n
    44
    """

    difference: float
    sd: float
    design_effect: float = 1.0
    cluster_size: float = 1.0
    intracluster_correlation: float | None = None

    name: ClassVar[str] = "paired scores"

    def __post_init__(self) -> None:
        if not math.isfinite(checks.amount(self.difference, "difference")):
            raise InvalidInputError(f"difference must be finite, got {self.difference}")
        for what, least in (("sd", 0.0), ("design_effect", 0.0), ("cluster_size", 1.0)):
            value = checks.amount(getattr(self, what), what)
            if not (math.isfinite(value) and value > 0.0 and value >= least):
                raise InvalidInputError(
                    f"{what} must be {'at least 1' if least else 'a positive number'}, got {value}",
                    hint="a pilot measures it",
                )

    @classmethod
    def from_pilot(
        cls,
        a: ArrayLike,
        b: ArrayLike | None = None,
        *,
        clusters: ArrayLike | None = None,
        difference: float | None = None,
    ) -> Self:
        """Return the design with the spread, and the clustering, of a pilot.

        Parameters
        ----------
        a, b : array_like, shape (n,), or mapping of item to score
            Scores of the two systems per item; or differences per item, without `b`.
        clusters : array_like, shape (n,), or mapping of item to cluster, optional
            The cluster of each item.
        difference : float, optional
            The difference to plan for; by default that of the pilot, which is often too hopeful: pilots that
            are followed up are those that looked good.

        Returns
        -------
        PairedScores
            With clusters, the design effect is 1 + (m - 1) * ICC, where m is the mean size of the cluster
            of an item (sum of squared sizes over n) and ICC is the analysis-of-variance estimate; it is never
            taken to be below 1.

        Raises
        ------
        InvalidInputError
            If lengths differ, all differences are equal, or there are too few items or clusters.
        DesignError
            If clusters are two crossed groupings.

        Examples
        --------
        >>> design = PairedScores.from_pilot([1, 2, 4, 5, 3, 3], clusters=["x", "x", "y", "y", "z", "z"])
        >>> round(design.intracluster_correlation, 3), round(design.design_effect, 3)
        (0.862, 1.862)
        """
        grouping = one_grouping(clusters, "the design effect of a pilot")
        given = {"a": a, "b": b, "clusters": grouping}
        together = arrays.joined_by_key(
            {what: values for what, values in given.items() if values is not None}, "items"
        )
        d = _numbers(together.get("a"), "a")
        if b is not None:
            d = classical.paired_differences(d, _numbers(together["b"], "b", d.size))
        if d.size < 2 or float(np.ptp(d)) == 0.0:
            raise InvalidInputError(
                f"a pilot needs at least 2 items whose differences vary, got {d.size} without variation",
                hint="give the standard deviation itself: PairedScores(difference, sd)",
            )
        assumed = float(d.mean()) if difference is None else checks.number(difference, "difference")
        sd = float(d.std(ddof=1))
        if clusters is None:
            return cls(assumed, sd)
        group = codes(checks.column(together["clusters"], "clusters", d.size))[1].astype(np.int64)
        sizes = np.bincount(group)
        if not 2 <= sizes.size < d.size:
            raise InvalidInputError(
                f"clusters must hold several items and there must be 2 of them, got {sizes.size} clusters of"
                f" {d.size} items",
                hint="leave clusters out if every item is one of its own",
            )
        icc = _intracluster(d, group, sizes)
        met = float(sizes @ sizes) / d.size
        return cls(assumed, sd, max(1.0, 1.0 + (met - 1.0) * icc), d.size / sizes.size, icc)

    @property
    def least(self) -> int:
        """Two clusters."""
        return math.ceil(2.0 * self.cluster_size)

    @property
    def true_difference(self) -> float:
        """The difference assumed."""
        return self.difference

    @property
    def effect(self) -> float:
        """The same."""
        return self.difference

    def reach(self, alternative: Alternative) -> float:
        """Return infinity: any difference may be planned for."""
        down = alternative == "less" or (alternative == "two-sided" and self.difference < 0.0)
        return -math.inf if down else math.inf

    def with_effect(self, effect: float) -> Self:
        """Return the design with another difference."""
        return dataclasses.replace(self, difference=effect)

    def standard_error(self, n: IntArray) -> FloatArray:
        """Return the standard error of the mean difference of n items."""
        se: FloatArray = self.sd * np.sqrt(self.design_effect / n)
        return se

    def powers(self, n: IntArray, question: Question) -> tuple[FloatArray, FloatArray]:
        """Return the power of the t-test at each n."""
        shift = self.difference / self.standard_error(n)
        power = t_power(shift, n / self.cluster_size - 1.0, question.alpha, question.alternative)
        return power, np.zeros(n.size)

    @property
    def test_words(self) -> str:
        """The test."""
        return "the paired t-test" if self.cluster_size == 1.0 else "the t-test of cluster means"

    @property
    def assumed_words(self) -> str:
        """The assumptions."""
        text = f"a mean difference of {self.difference:.4g}, differences of items with standard deviation"
        text += f" {self.sd:.4g}"
        if self.design_effect != 1.0 or self.cluster_size != 1.0:
            text += f", design effect {self.design_effect:.4g} of clusters of {self.cluster_size:.4g} items"
        if self.intracluster_correlation is not None:
            text += f" (intra-cluster correlation {self.intracluster_correlation:.3g})"
        return text

    def settings(self) -> dict[str, Any]:
        """Return the assumptions by name."""
        return dataclasses.asdict(self)

    def notes(self, n: int, question: Question) -> tuple[Note, ...]:  # noqa: ARG002
        """Tell how many clusters n items are, and of a negative correlation that was not made use of."""
        out = []
        if self.cluster_size > 1.0:
            clusters = math.ceil(n / self.cluster_size)
            effective = n / self.design_effect
            out.append(
                Note(
                    "clusters",
                    f"{n} items are about {clusters} clusters and tell as much as {effective:.0f}"
                    " independent items",
                )
            )
        icc = self.intracluster_correlation
        if icc is not None and icc < 0.0:
            out.append(
                Note(
                    "negative_icc",
                    f"the intra-cluster correlation of the pilot is negative ({icc:.3g}):"
                    " the plan counts on none",
                )
            )
        return tuple(out)


def _intracluster(d: FloatArray, group: IntArray, sizes: IntArray) -> float:
    """Return the one-way analysis-of-variance estimate of the intra-cluster correlation."""
    means = np.bincount(group, weights=d) / sizes
    between = float(sizes @ (means - d.mean()) ** 2) / (sizes.size - 1)
    within = float(((d - means[group]) ** 2).sum()) / (d.size - sizes.size)
    usual = (d.size - float(sizes @ sizes) / d.size) / (sizes.size - 1)
    return (between - within) / (between + (usual - 1.0) * within)


def _numbers(values: ArrayLike, what: str, length: int | None = None) -> FloatArray:
    array = checks.column(values, what, length)
    if array.dtype.kind == "U":
        raise InvalidInputError(f"{what} must hold numbers, got text: {quoted(str(array[0]))}")
    return array.astype(np.float64)
