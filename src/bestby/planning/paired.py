"""Designs of studies of two systems on the same items: scores, and right and wrong answers."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import betaincinv, gammainc, gammaincinv, ndtr, stdtrit

from bestby._core import arrays, checks, rounding
from bestby._core.checks import margin_of
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted
from bestby._core.typing import Alternative, ArrayLike, FloatArray, IntArray
from bestby.data.alignment import one_grouping
from bestby.data.columns import codes
from bestby.inference import classical
from bestby.inference.power import mcnemar_power, t_power
from bestby.planning.base import (
    FEW_DF,
    Design,
    PlannedDifference,
    Question,
    clustered_df,
    few_df_notes,
    gauss_legendre,
    mean_squares,
)
from bestby.results.base import Note
from bestby.vocabulary import ProportionsTest, allowed_names, long_name


@with_suggestions
@dataclass(frozen=True)
class PairedScores(PlannedDifference):
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
    size_ratio : float
        Mean size of the cluster an item is in, over the mean size of a cluster: 1 for clusters of one size.
        It divides the degrees of freedom of the test.
    pilot_df : float or None
        Degrees of freedom with which a pilot has estimated the variance (n - 1 for `sd` from n items): the
        power is averaged over the true variances that this leaves open. None: the variance is known.
    margin : float or None
        The smallest difference that matters. Power is then that to show what is true: that the difference is
        beyond the margin (the two-sided interval lies there), or within it (equivalence, by two one-sided
        tests). Without it, that there is a difference.

    Raises
    ------
    InvalidInputError
        If `sd` is not positive, or the design effect, the cluster size or another number is not positive (or
        not at least 1).

    See Also
    --------
    bestby.power : The power of a study of this design.
    bestby.sample_size : The size that has the power wanted.
    Pilot : From the data of a pilot study, on any metric.

    Notes
    -----
    Given the estimate s² with f degrees of freedom, the true variance is taken to be s² f / chi², chi² being
    a chi-square of f degrees of freedom; the power is that of the noncentral t, averaged over it. The size
    then has the power asked for on average over the pilots there might have been; with the estimate taken
    for the truth it has less [4]_. The difference is what the study is planned for, and is not in doubt.

    References
    ----------
    .. [1] Kish (1965), Survey Sampling, sections 5.4 and 8.2.
    .. [2] Donner & Klar (2000), Design and Analysis of Cluster Randomization Trials in Health
       Research, chapter 1.
    .. [3] Miller (2024), Adding error bars to evals, arXiv:2411.00640, section 5.
    .. [4] Julious & Owen (2006), Sample size calculations for clinical studies allowing for uncertainty about
       the variance, Pharmaceutical Statistics 5, 29-37.

    Examples
    --------
    >>> from bestby import sample_size
    >>> sample_size(PairedScores(difference=0.5, sd=1.0), power=0.9).n
    44
    >>> sample_size(PairedScores(difference=0.5, sd=1.0, pilot_df=9), power=0.9).n
    59
    >>> sample_size(
    ...     PairedScores(difference=0.0, sd=1.0, margin=0.2), power=0.9
    ... ).n  # equivalence
    272
    """

    difference: float
    sd: float
    design_effect: float = 1.0
    cluster_size: float = 1.0
    intracluster_correlation: float | None = None
    size_ratio: float = 1.0
    pilot_df: float | None = None
    margin: float | None = None

    name: ClassVar[str] = "paired scores"

    def __post_init__(self) -> None:
        self._check_difference()
        limits = {"sd": 0.0, "design_effect": 0.0, "cluster_size": 1.0, "size_ratio": 1.0}
        if self.pilot_df is not None:
            limits["pilot_df"] = 0.0
        if self.margin is not None:
            margin_of(self.margin)
        for what, least in limits.items():
            value = checks.amount(getattr(self, what), what)
            if not (math.isfinite(value) and value > 0.0 and value >= least):
                raise InvalidInputError(
                    f"{what} must be {'at least 1' if least else 'a positive number'}, got {value}",
                    hint="a pilot measures it",
                    argument=what,
                )
        self._check_design_effect()

    def _check_design_effect(self) -> None:
        """Refuse a correlation inside clusters that the design effect, left at 1, does not hold."""
        if self.intracluster_correlation is None or self.design_effect != 1.0:
            return
        correlation = checks.number(self.intracluster_correlation, "intracluster_correlation")
        effect = 1.0 + (self.cluster_size * self.size_ratio - 1.0) * correlation
        if effect > 1.0:
            raise InvalidInputError(
                f"design_effect is 1, but clusters of {self.cluster_size:g} items whose correlation is"
                f" {correlation:g} make it {effect:.4g}",
                hint=f"design_effect={effect:.4g}: the correlation alone changes no number",
                argument="design_effect",
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
            taken to be below 1. The degrees of freedom of the pilot are those of its effective number of
            clusters, fewer if differences have heavy tails or few items differ.

        Raises
        ------
        InvalidInputError
            If lengths differ, all differences are equal, or there are too few items or clusters.
        DesignError
            If clusters are two crossed groupings.

        Examples
        --------
        >>> design = PairedScores.from_pilot(
        ...     [1, 2, 4, 5, 3, 3], clusters=["x", "x", "y", "y", "z", "z"]
        ... )
        >>> round(design.intracluster_correlation, 3), round(design.design_effect, 3)
        (0.862, 1.862)
        """
        grouping = one_grouping(clusters, "the design effect of a pilot")
        columns = {"a": a, "b": b, "clusters": grouping}
        together = arrays.joined_by_key(
            {what: values for what, values in columns.items() if values is not None}, "items"
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
        sd, deviations = float(d.std(ddof=1)), d - d.mean()
        if clusters is None:
            one = np.ones(d.size)
            return cls(assumed, sd, pilot_df=clustered_df(deviations**2, one, one))
        group = codes(checks.column(together["clusters"], "clusters", d.size))[1].astype(np.int64)
        sizes = np.bincount(group)
        if not 2 <= sizes.size < d.size:
            raise InvalidInputError(
                f"clusters must hold several items and there must be 2 of them, got {sizes.size} clusters of"
                f" {d.size} items",
                hint="leave clusters out if every item is one of its own",
            )
        icc = _intracluster(d, group, sizes)
        # The mean size of the cluster that an item is in, and of a cluster
        met, mean_size = float(sizes @ sizes) / d.size, d.size / sizes.size
        effect = max(1.0, 1.0 + (met - 1.0) * icc)
        squares = np.bincount(group, weights=deviations).astype(np.float64) ** 2
        # A sum over m items of correlation r has the variance m (1 + (m - 1) r) of one.
        weights = sizes.astype(np.float64)
        expected = weights * (1.0 + (weights - 1.0) * max(0.0, min(icc, 1.0)))
        df = clustered_df(squares, weights, expected)
        return cls(assumed, sd, effect, mean_size, icc, met / mean_size, df)

    @property
    def null(self) -> float:
        """The effect of which nothing can be shown: 0, or the margin on the side of the difference."""
        return math.copysign(self.margin or 0.0, self.difference)

    @property
    def least(self) -> int:
        """Two clusters."""
        return math.ceil(2.0 * self.cluster_size)

    def standard_error(self, n: IntArray) -> FloatArray:
        """Return the standard error of the mean difference of n items."""
        se: FloatArray = self.sd * np.sqrt(self.design_effect / n)
        return se

    def taken_as_true(self) -> Self:
        """Return the design whose variance is that of the pilot."""
        return dataclasses.replace(self, pilot_df=None)

    @property
    def doubt_words(self) -> str:
        """The variance, and how well it is known."""
        if self.pilot_df is None:
            return ""
        return f"the variance of the pilot, estimated with {self.pilot_df:.3g} degrees of freedom"

    def powers(self, n: IntArray, question: Question) -> tuple[FloatArray, FloatArray]:
        """Return the power of the t-test at each n, averaged over the variances the pilot leaves open."""
        error = self.standard_error(n)
        # Satterthwaite's degrees of freedom of CR2 count clusters of unequal size as fewer equal ones.
        df = n / (self.cluster_size * self.size_ratio) - 1.0
        if self.size_ratio > 1.0:  # of two clusters there is one, however unequal they are
            df = np.where(n >= self.least, np.maximum(df, 1.0), df)
        ratios, weights = np.ones(1), np.ones(1)  # of the variance estimated to the true one
        if self.pilot_df is not None:
            u, weights = gauss_legendre()
            ratios = mean_squares(self.pilot_df, u)
        errors, df = error[:, None] / np.sqrt(ratios), df[:, None]
        if self.margin is None:
            powers = t_power(self.difference / errors, df, question.alpha, question.alternative)
        else:
            powers = margin_power(self.difference, self.margin, errors, df, question)
        return powers @ weights, np.zeros(n.size)

    @property
    def test_words(self) -> str:
        """The test."""
        test = "paired t-test" if self.cluster_size == 1.0 else "t-test of clusters (CR2, 'wald')"
        if self.margin is None:
            return f"the {test}"
        if abs(self.difference) > self.margin:
            return f"the {test} against the margin of {self.margin:g}"
        return f"two one-sided tests of equivalence within {self.margin:g}, each by the {test}"

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
        settings = dataclasses.asdict(self)
        return settings if self.margin is not None else {k: v for k, v in settings.items() if k != "margin"}

    def notes(self, n: int, question: Question) -> tuple[Note, ...]:  # noqa: ARG002
        """Tell of few pilot data, how many clusters n items are, and of a negative correlation."""
        out = list(few_df_notes(self.pilot_df))
        if self.cluster_size > 1.0:
            clusters = math.ceil(n / self.cluster_size)
            effective = n / self.design_effect
            out.append(
                Note(
                    "clusters",
                    f"{n} items are about {clusters} clusters and carry as much information as"
                    f" {effective:.0f}"
                    " independent items",
                )
            )
        icc = self.intracluster_correlation
        if icc is not None and icc < 0.0:
            out.append(
                Note(
                    "negative_icc",
                    f"the intra-cluster correlation of the pilot is negative ({icc:.3g}): the plan assumes 0",
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


def margin_power(
    difference: float, margin: float, error: FloatArray, df: FloatArray, question: Question
) -> FloatArray:
    """Return the power to show what is true of a difference and a margin.

    Beyond the margin this is that the interval at level 1 - alpha lies beyond it on that side; within it,
    that two one-sided tests at level alpha show it to be equivalent.

    Parameters
    ----------
    difference, margin : float
        The true mean difference, and the smallest that matters.
    error, df : ndarray
        The standard errors of the mean, and their degrees of freedom.
    question : Question
        The level; the alternative must be "two-sided".

    Returns
    -------
    ndarray
        The power at each standard error; NaN where there are no degrees of freedom.

    Raises
    ------
    DesignError
        If the alternative has one side.

    References
    ----------
    .. [1] Phillips (1990), Power of the two one-sided tests procedure in bioequivalence, J. Pharmacokinet.
       Biopharm. 18, 137-144.
    """
    if question.alternative != "two-sided":
        raise DesignError(
            f"a margin is looked at on both sides, and the alternative is {question.alternative!r}",
            hint='alternative="two-sided"',
        )
    if abs(difference) > margin:
        return t_power((abs(difference) - margin) / error, df, question.alpha / 2.0, "greater")
    return _both_shown(difference / error, margin / error, df, question.alpha)


def _both_shown(centre: FloatArray, reach: FloatArray, df: FloatArray, alpha: float) -> FloatArray:
    """Return the power of two one-sided t-tests at `alpha`; all lengths are in standard errors.

    Given the estimated over the true standard error, w, the estimate must lie within reach - t w of 0. The
    mean over w is taken up to where nothing is left of that.
    """
    df, reach, centre = np.broadcast_arrays(df, reach, centre)
    usable = np.where(df > 0.0, df, 1.0)[..., None]
    critical = -stdtrit(usable, alpha)
    points, weights = gauss_legendre()
    last = gammainc(0.5 * usable, 0.5 * usable * (reach[..., None] / critical) ** 2)
    ratio = np.sqrt(2.0 * gammaincinv(0.5 * usable, points * last) / usable)
    room = reach[..., None] - critical * ratio
    shown = ndtr(room - centre[..., None]) - ndtr(-room - centre[..., None])
    power: FloatArray = (shown * last) @ weights
    return np.where(df > 0.0, np.clip(power, 0.0, 1.0), np.nan)


@with_suggestions
@dataclass(frozen=True)
class PairedProportions(Design):
    """Two systems that are right or wrong on the same independent items: McNemar's test.

    Parameters
    ----------
    accuracy_a, accuracy_b : float
        The assumed accuracies.
    agreement : float
        The share of items on which both are right or both are wrong.
    test : {"mcnemar", "mcnemar-midp"}
        The exact test, which for accuracy is also the permutation test of `compare`; or its mid-p version.
    pilot_items : int or None
        Items of the pilot that the agreement was measured on: the power is averaged over the agreements which
        they leave open, at the difference assumed. None: the agreement is known.

    Raises
    ------
    DesignError
        If no two systems have these accuracies and this agreement.

    See Also
    --------
    bestby.power : The power of a study of this design.
    bestby.sample_size : The size that has the power wanted.
    Pilot : From the data of a pilot study, on any metric.

    Notes
    -----
    If x of the n items of a pilot differ, the true share of such items has the Beta distribution with the
    parameters x + 1 and n - x + 1 (all shares being equally likely before), cut off at the difference.

    References
    ----------
    .. [1] Duffy (1984), Asymptotic and exact power for the McNemar test, Biometrics 40, 1005-1015.
    .. [2] Card, Henderson, Khandelwal, Jia, Mahowald & Jurafsky (2020), With little power comes great
       responsibility, EMNLP, section 3 (agreement, and what it was in published comparisons).

    Examples
    --------
    >>> from bestby import power
    >>> round(power(PairedProportions(0.83, 0.80, agreement=0.9), 1000).power, 3)
    0.835
    """

    accuracy_a: float
    accuracy_b: float
    agreement: float
    test: ProportionsTest = "mcnemar"
    pilot_items: int | None = None

    name: ClassVar[str] = "paired proportions"
    too_small: ClassVar[str] = "plan for a larger difference, a higher agreement or a lower power"

    def __post_init__(self) -> None:
        checks.choice(self.test, allowed_names("test", "proportions"), "test")
        if self.pilot_items is not None:
            checks.positive_int(self.pilot_items, "pilot_items")
        for what in ("accuracy_a", "accuracy_b", "agreement"):
            value = checks.amount(getattr(self, what), what)
            if not 0.0 <= value <= 1.0:
                raise InvalidInputError(
                    f"{what} must lie in [0, 1], got {value}", hint="0.9 means 90 %", argument=what
                )
        a, b = self.accuracy_a, self.accuracy_b
        low, high = 1.0 - min(a + b, 2.0 - a - b), 1.0 - abs(a - b)
        if self.pilot_items is not None:  # an estimate may lie above what the difference allows
            high = 1.0
        slack = rounding.level_width(1.0)  # 1 - 0.9 and 0.83 - 0.73 are the same number
        if not low - slack <= self.agreement <= high + slack:
            least, most = math.ceil(low * 1e4 - 1e-6) / 1e4, math.floor(high * 1e4 + 1e-6) / 1e4
            raise DesignError(
                f"accuracies of {a:g} and {b:g} are impossible with an agreement of {self.agreement:g}",
                hint=f"it lies between {least:g} and {most:g}: the share of items on which both are"
                " right or both are wrong",
            )

    @classmethod
    def from_pilot(cls, right_a: ArrayLike, right_b: ArrayLike, *, test: ProportionsTest = "mcnemar") -> Self:
        """Return the design with the accuracies and the agreement of a pilot.

        Parameters
        ----------
        right_a, right_b : array_like, shape (n,), or mapping of item to value
            1 where the system was right on the item, 0 where it was wrong.
        test : str
            As above.

        Returns
        -------
        PairedProportions
            With the shares observed.

        Raises
        ------
        InvalidInputError
            If the lengths differ or a value is neither 0 nor 1.

        Examples
        --------
        >>> PairedProportions.from_pilot([1, 1, 0, 1], [1, 0, 0, 1])
        PairedProportions(accuracy_a=0.75, accuracy_b=0.5, agreement=0.75, test='mcnemar', pilot_items=4)
        """
        both = arrays.joined_by_key({"right_a": right_a, "right_b": right_b}, "items")
        a = checks.column(both["right_a"], "right_a")
        b = checks.column(both["right_b"], "right_b", a.size)
        for values, what in ((a, "right_a"), (b, "right_b")):
            if a.size == 0 or not np.isin(values, (0, 1)).all():
                raise InvalidInputError(
                    f"{what} must hold only 0 and 1", hint="PairedScores.from_pilot takes scores of any kind"
                )
        return cls(float(a.mean()), float(b.mean()), float((a == b).mean()), test, a.size)

    @property
    def true_difference(self) -> float:
        """Accuracy of A minus accuracy of B."""
        return self.accuracy_a - self.accuracy_b

    def slack(self, n: int) -> int:
        """Return a stretch that holds several jumps of the critical value, whose distance grows like √n."""
        if self.pilot_items is not None:  # the average over agreements is smooth
            return 0
        return min(64 + 8 * math.isqrt(n), 512)

    def reach(self, alternative: Alternative) -> float:
        """Return the largest difference there can be with this agreement and this accuracy of B.

        The agreement of a pilot is an estimate, which the true difference may contradict.
        """
        differing, b = 1.0 - self.agreement, self.accuracy_b
        room = min(2.0 * b, 2.0 - 2.0 * b)
        if differing > room + rounding.level_width(1.0):
            raise DesignError(
                f"two systems of accuracy {b:g} agree on at least {1.0 - room:g} of the items,"
                f" but the agreement is {self.agreement:g}",
                hint="the difference is varied at this agreement: give a higher agreement",
            )
        down = self._looks_down(alternative)
        accuracies = b if down else 1.0 - b
        most = min(accuracies if self.pilot_items is not None else differing, 2.0 * accuracies - differing)
        return -max(most, 0.0) if down else max(most, 0.0)

    def with_effect(self, effect: float) -> Self:
        """Return the design with another accuracy of A, the accuracy of B and the agreement kept."""
        accuracy_a = min(max(self.accuracy_b + effect, 0.0), 1.0)
        return dataclasses.replace(self, accuracy_a=accuracy_a)

    def with_margin(self, margin: float) -> PairedScores:
        """Return the design that shows on which side of a margin the difference lies, by paired t-tests.

        McNemar's test knows no difference but 0. Where the systems differ on few items, the t-tests are
        only approximate. A margin of 1 or more, which no difference of accuracies exceeds, is refused.

        >>> PairedProportions(0.84, 0.80, agreement=0.9).with_margin(0.02).margin
        0.02
        """
        if margin_of(margin) >= 1.0:
            raise InvalidInputError(
                f"margin is {margin:g}, and no difference of accuracies is larger than 1",
                hint="0.01 is one percentage point",
                argument="margin",
            )
        differing = 1.0 - self.agreement
        df = None
        if self.pilot_items is not None:  # of a variance that is known from the items that differ
            df = 2.0 * differing * self.pilot_items / (1.0 - differing) if differing < 1.0 else None
        spread = math.sqrt(max(differing - self.true_difference**2, 0.0))
        return PairedScores(self.true_difference, spread, pilot_df=df, margin=margin)

    def taken_as_true(self) -> Self:
        """Return the design whose agreement is that of the pilot."""
        most = 1.0 - abs(self.true_difference)
        return dataclasses.replace(self, agreement=min(self.agreement, most), pilot_items=None)

    @property
    def doubt_words(self) -> str:
        """The agreement, and how well it is known."""
        if self.pilot_items is None:
            return ""
        return f"the agreement of the pilot, estimated from {self.pilot_items} items"

    def powers(self, n: IntArray, question: Question) -> tuple[FloatArray, FloatArray]:
        """Return the unconditional power at each n: exactly, or averaged over the agreements left open."""
        differing = 1.0 - self.agreement
        shares, weights = np.array([differing]), np.ones(1)
        if self.pilot_items is not None:
            u, weights = gauss_legendre()
            n_differing = differing * self.pilot_items
            shares = betaincinv(n_differing + 1.0, self.pilot_items - n_differing + 1.0, u)
        powers = np.column_stack([self._powers(n, share, question) for share in shares.tolist()])
        return powers @ weights, np.zeros(n.size)

    def _powers(self, n: IntArray, differing: float, question: Question) -> FloatArray:
        """Return the power at each n for a share of differing items."""
        sizes = [n[place : place + 1] for place in range(n.size)]
        if n.size and int(n.max()) - int(n.min()) < 1024:  # neighbours share one table of the sign test
            sizes = [n]
        return np.concatenate(
            [
                mcnemar_power(
                    one,
                    max(differing, abs(self.true_difference)),
                    self.true_difference,
                    question.alpha,
                    question.alternative,
                    mid=self.test == "mcnemar-midp",
                )
                for one in sizes
            ]
        )

    @property
    def test_words(self) -> str:
        """The test."""
        return long_name("test", self.test)

    @property
    def assumed_words(self) -> str:
        """The assumptions."""
        items = "items" if self.pilot_items is None else f"{self.pilot_items} items of a pilot"
        return (
            f"accuracies of {self.accuracy_a:.4g} and {self.accuracy_b:.4g},"
            f" both right or both wrong on {self.agreement:.4g} of the {items}"
        )

    def settings(self) -> dict[str, Any]:
        """Return the assumptions by name."""
        return dataclasses.asdict(self)

    def notes(self, n: int, question: Question) -> tuple[Note, ...]:  # noqa: ARG002
        """Warn of an agreement that was measured on few items, or where few items differ."""
        if self.pilot_items is None:
            return ()
        differing = round((1.0 - self.agreement) * self.pilot_items)
        if 2 * differing >= FEW_DF:  # twice the count: what a variance known from it has
            return ()
        low, high = betaincinv(differing + 1.0, self.pilot_items - differing + 1.0, [0.1, 0.9])
        return (
            Note(
                "uncertain_pilot",
                f"the systems differ on {differing} of the {self.pilot_items} items of the pilot: the"
                f" true share may well lie between {low:.2g} and {high:.2g} (80 % interval). The power is"
                f" averaged over this uncertainty; that of one study can be far lower or higher",
            ),
        )
