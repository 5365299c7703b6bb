"""The records of a judged comparison, and of what human labels tell of a judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from bestby._core.keywords import with_suggestions
from bestby._core.text import counted
from bestby.report.comparison import Comparison, Difference, SystemScore
from bestby.report.reported import OF_JUDGE, SCORE, SQUARE, canvas_of, shown_metric
from bestby.results.base import negated
from bestby.results.values import Interval
from bestby.vocabulary import FigureFont, FigureWidth, JudgedFigure

HUMAN_SCORE = "human score"
"""What the metric is called where scores are compared, and no metric makes them of labels."""

LabelsDrawn = Literal["random", "stratified", "probabilities", "calibration"]


@dataclass(frozen=True, slots=True, repr=False)
class JudgedScore(SystemScore):
    """The mean human score of one system, from the judge's scores and the human labels together.

    Parameters
    ----------
    score : float
        The corrected mean, or score by the metric; it may lie a little outside [0, 1], its interval does not.
    judge_score : float
        The mean of the judge's scores of all items, on the judge's scale, or the score by the judge's labels;
        of several judges their mean.
    labels_score : float or None
        The mean of the human labels, each weighted by how it was drawn, or the score by them; None with a
        calibration set.
    labels_interval : Interval or None
        Its interval.
    n_labels : int
        The number of items with a human label, or of the calibration set.
    tuning : tuple of float
        Per judge the coefficient of the judge's score of this system: 0 if the judge was found worth nothing,
        1 for a judge on the human scale that is right but for a constant bias. Empty with a calibration set.
    extra_labels : float or None
        How many more labels would have been needed for as short an interval without the judge; negative if
        the judge has made it longer. None if there is no interval.

    See Also
    --------
    JudgedComparison : Holds one per system.
    SystemScore : What all scores have.
    """

    judge_score: float = field(kw_only=True)
    labels_score: float | None = field(kw_only=True)
    labels_interval: Interval | None = field(kw_only=True)
    n_labels: int = field(kw_only=True)
    tuning: tuple[float, ...] = field(kw_only=True)
    extra_labels: float | None = field(kw_only=True)


@dataclass(frozen=True, slots=True, repr=False)
class JudgedDifference(Difference):
    """The difference of two corrected means.

    Parameters
    ----------
    n_items, n_differing : int
        Number of items, and of those labelled for both whose human scores differ.
    judge_estimate : float
        The difference of the judge's own means.
    labels_estimate : float or None
        The difference of the means of the labels alone; None with a calibration set.
    labels_interval : Interval or None
        Its interval.
    n_labels : int
        Items that are labelled for both systems.
    extra_labels : float or None
        As for `JudgedScore`.

    See Also
    --------
    JudgedComparison : Holds one per pair.
    Difference : What all differences have.
    """

    judge_estimate: float = field(kw_only=True)
    labels_estimate: float | None = field(kw_only=True)
    labels_interval: Interval | None = field(kw_only=True)
    n_labels: int = field(kw_only=True)
    extra_labels: float | None = field(kw_only=True)

    @property
    def extent(self) -> str:
        """How much was compared, in words."""
        extent_of_items = Difference.extent.fget(self)  # type: ignore[attr-defined]
        return f"{extent_of_items}, {counted(self.n_labels, 'label')}"

    def _mirrored_fields(self) -> dict[str, Any]:
        return {
            **Difference._mirrored_fields(self),
            "judge_estimate": negated(self.judge_estimate),
            "labels_estimate": None if self.labels_estimate is None else negated(self.labels_estimate),
            "labels_interval": self.labels_interval and self.labels_interval.mirrored(),
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JudgedComparison(Comparison):
    """The result of `compare_judged`: corrected means, their differences, and how they were computed.

    Parameters
    ----------
    metrics, systems, differences
        One metric, "human score" or that of the predictions; `JudgedScore`; `JudgedDifference`.
    labels_drawn : {"random", "stratified", "probabilities", "calibration"}
        How the labelled items were said to be chosen, on which everything rests; "calibration" if they are
        other items, which tell the error rates of the judge.
    scale : {"same", "different"}
        Whether judge and humans score on the same scale.
    n_labelled : int
        Items with a human label of some system, or of the calibration set.
    n_judges : int
        The number of judges.
    n_strata : int
        The number of strata; 1 if there are none.
    judges : tuple of JudgeQuality
        What the labels tell of each judge; empty with a calibration set, and for metrics that no item has by
        itself, such as F1.
    worth : tuple of JudgeWorth
        Of several judges, what each would be worth by itself; empty for one judge.
    humans : HumanAgreement or None
        How far several humans agree; None if no item has several.

    See Also
    --------
    bestby.compare_judged : Makes it.
    bestby.load : Reads it back from JSON.

    Examples
    --------
    >>> from bestby import compare_judged
    >>> judge = {"new": [1, 1, 1, 0] * 25, "old": [1, 0, 0, 1] * 25}
    >>> human = {
    ...     "new": [1, 1, 0, 0] * 10 + [None] * 60,
    ...     "old": [1, 0, 0, 0] * 10 + [None] * 60,
    ... }
    >>> result = compare_judged(judge, human, labels_drawn="random")
    >>> round(result["new", "old"].estimate, 3), result["new", "old"].n_labels
    (0.25, 40)
    """

    systems: tuple[JudgedScore, ...]
    differences: tuple[JudgedDifference, ...]
    labels_drawn: LabelsDrawn = field(kw_only=True)
    scale: Literal["same", "different"] = field(kw_only=True)
    n_labelled: int = field(kw_only=True)
    n_judges: int = field(kw_only=True)
    n_strata: int = field(kw_only=True)
    judges: tuple[JudgeQuality, ...] = field(kw_only=True)
    humans: HumanAgreement | None = field(kw_only=True)
    worth: tuple[JudgeWorth, ...] = field(default=(), kw_only=True)

    kind: ClassVar[str] = "judged"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.judged import report

        return report

    @property
    def extent(self) -> str:
        """How much was compared, in words."""
        extent_of_items = Comparison.extent.fget(self)  # type: ignore[attr-defined]
        if self.labels_drawn == "calibration":
            return f"{extent_of_items}, error rates from {self.n_labelled} others"
        return f"{extent_of_items}, {self.n_labelled} with human labels"

    @property
    def contradicted(self) -> tuple[JudgedDifference, ...]:
        """The differences whose sign the labels reverse, surest first.

        The labels alone, or with a calibration set the corrected scores. On another scale the judge's
        correlations with the humans say which scores are better; none if they differ in sign.
        """
        way = 1.0
        if self.scale == "different":
            correlations = [s.pearson or 0.0 for judge in self.judges for s in judge.systems]
            if all(r < 0.0 for r in correlations):
                way = -1.0
            elif not all(r > 0.0 for r in correlations):
                return ()
        by_labels = [
            (d, d.estimate if d.labels_estimate is None else d.labels_estimate) for d in self.differences
        ]
        contradicting = [d for d, labels in by_labels if way * d.judge_estimate * labels < 0.0]
        return tuple(sorted(contradicting, key=lambda d: d.p_adjusted or 0.0))

    @with_suggestions
    def plot(  # type: ignore[override]
        self,
        metric: str | None = None,
        *,
        kind: JudgedFigure = "auto",
        width: FigureWidth | float | None = None,
        font: FigureFont | None = None,
        percent: bool = False,
        ax: Any = None,
    ) -> Any:
        """Draw the comparison, or the judge; return the matplotlib Axes.

        Parameters
        ----------
        metric : str, optional
            The metric; there is one.
        kind : {"auto", "forest", "systems", "scores", "baseline", "matrix", "judge"}
            "judge": the mean human score by the score of the (first) judge; the others as for
            `Comparison.plot`.
        width, font, percent, ax
            As for `Comparison.plot`.
        """
        from bestby.questions.judged import report

        canvas = canvas_of(ax, width, font)
        shown, metric = shown_metric(self, metric, percent)
        return report.judged(shown, metric, kind, canvas)


# -- judges and humans -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JudgeQuality:
    """What the human labels tell of one judge.

    Parameters
    ----------
    judge : str
        The name of the judge.
    systems : tuple of JudgeOfSystem
        Its agreement with the humans on each system.
    equal_bias : EqualBias or None
        Whether its error differs between the systems; None on different scales, or if there are too few
        labels to tell.
    calibration : tuple of CalibrationBin
        The mean human score by the judge's score, over all systems.
    effects : tuple of BiasEffect
        How its bias goes with the columns that were named.
    favour : tuple of Favour
        Whether it favours a system: by the human label for scores 0 and 1, else one. Without those for which
        there are too few labels, as the note ``favour_untested`` of the result says.

    See Also
    --------
    JudgedComparison : Holds one per judge, as ``judges``.
    """

    judge: str
    systems: tuple[JudgeOfSystem, ...]
    equal_bias: EqualBias | None
    calibration: tuple[CalibrationBin, ...]
    effects: tuple[BiasEffect, ...]
    favour: tuple[Favour, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeOfSystem:
    """How far a judge agrees with the humans on one system, from the items that both have scored.

    Parameters
    ----------
    system : str
        The system.
    n_labels : int
        Items with a human label.
    bias : float or None
        The mean of judge minus human; None if they score on different scales.
    bias_interval : Interval or None
        Its interval; too short where the judge is far off on a few answers only, as the note
        ``few_answers_off`` of the result says.
    pearson, spearman : float or None
        The correlations of judge and human; None if one of them is constant.
    pearson_interval : Interval or None
        The interval of Pearson's, by Fisher's z; much too short in the same case. None if fewer than five
        scores of the judge, or of the humans, differ from the commonest one.
    sensitivity, specificity : float or None
        The share of the items with human label 1 (0) that the judge gives 1 (0), where all scores are 0 or 1.
    sensitivity_interval, specificity_interval : Interval or None
        Their intervals: Wilson's.
    kappa : float or None
        Cohen's kappa, also for scores 0 and 1 only.

    See Also
    --------
    JudgeQuality : Holds one per system.
    """

    system: str
    n_labels: int
    bias: float | None
    bias_interval: Interval | None
    pearson: float | None
    pearson_interval: Interval | None
    spearman: float | None
    sensitivity: float | None = None
    sensitivity_interval: Interval | None = None
    specificity: float | None = None
    specificity_interval: Interval | None = None
    kappa: float | None = None


@dataclass(frozen=True, slots=True)
class EqualBias:
    """Whether a judge has the same bias on all systems.

    Parameters
    ----------
    statistic : float
        Wald's statistic of the differences of the biases.
    df : int
        Their number, that of the systems less 1.
    n_units : int
        Items (or clusters) with labels.
    p_value : float
        That of the hypothesis that the bias is the same on all systems.
    helped : str
        The system that the judge's bias helps most. Every imperfect judge helps the weaker systems, whose
        answers leave more to overlook: whether it favours one is another question, that of `Favour`.

    See Also
    --------
    JudgeQuality : Holds it.
    """

    statistic: float
    df: int
    n_units: int
    p_value: float
    helped: str


@dataclass(frozen=True, slots=True)
class Favour:
    """Whether a judge scores the systems alike where the humans score them alike.

    Parameters
    ----------
    label : float or None
        Of scores 0 and 1 the human label of the answers compared: 1 for the sensitivity, 0 for the
        specificity. None for other scores, which are compared at equal human scores.
    statistic : float
        The statistic: Wald's; of scores 0 and 1 that of Rao and Scott.
    df : int
        The number of systems less 1.
    n_units : int
        Items (or clusters) with such labels.
    p_value : float
        That of the hypothesis that the judge's mean score of such answers is the same for all systems.
    p_adjusted : float
        The p-value, by Holm's correction where both labels are tested.
    highest, lowest : str
        The systems to whose answers the judge gives most, and least, where the humans score them alike.
    difference : float
        How much more it gives to the one than to the other.

    See Also
    --------
    JudgeQuality : Holds them.
    """

    _scales: ClassVar[Mapping[str, float]] = {"difference": OF_JUDGE}

    label: float | None
    statistic: float
    df: int
    n_units: int
    p_value: float
    p_adjusted: float
    highest: str
    lowest: str
    difference: float


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """The human scores of items to which a judge gave about the same score.

    Parameters
    ----------
    low, high : float
        The least and the greatest score of the judge in the bin.
    judge, human : float
        The means of the judge's and of the human scores.
    interval : Interval or None
        That of the human mean.
    n_labels : int
        Labels in the bin, of all systems.

    See Also
    --------
    JudgeQuality : Holds the bins in rising order.
    """

    _scales: ClassVar[Mapping[str, float]] = {
        **dict.fromkeys(("low", "high", "judge"), OF_JUDGE), "human": SCORE, "interval": SCORE
    }  # fmt: skip

    low: float
    high: float
    judge: float
    human: float
    interval: Interval | None
    n_labels: int


@dataclass(frozen=True, slots=True)
class BiasEffect:
    """How the bias of a judge goes with something else: length, language, position, time.

    Parameters
    ----------
    column : str
        What it goes with.
    numeric : bool
        Whether the column holds numbers (or dates, in days), not other values.
    slope : float or None
        How much the bias rises if the number rises by 1, within a system; None for other values.
    interval : Interval or None
        Its interval.
    levels : tuple of BiasLevel
        The bias for each value; empty for numbers.
    p_value : float or None
        That of the hypothesis that the bias does not depend on the column; None if there are too few labels,
        or too few clusters of one value.

    See Also
    --------
    JudgeQuality : Holds one for each column.
    """

    column: str
    numeric: bool
    slope: float | None
    interval: Interval | None
    levels: tuple[BiasLevel, ...]
    p_value: float | None


@dataclass(frozen=True, slots=True)
class BiasLevel:
    """The bias of a judge on the items that have one value of a column.

    Parameters
    ----------
    value : str
        The value.
    bias : float
        The mean of judge minus human, adjusted for the systems.
    interval : Interval or None
        Its interval; None if fewer than five biases differ from the commonest one.
    n_labels : int
        Labels of these items.

    See Also
    --------
    BiasEffect : Holds one per value of a column of texts.
    """

    value: str
    bias: float
    interval: Interval | None
    n_labels: int


@dataclass(frozen=True, slots=True)
class JudgeWorth:
    """How many more labels one of several judges would be worth, were it the only one.

    Parameters
    ----------
    judge : str
        The judge.
    scores, differences : tuple of float or None
        As `extra_labels` of each score and each difference, in the order of the result; None if an error
        is 0.

    See Also
    --------
    JudgedComparison : Holds one per judge, as ``worth``.
    """

    _scales: ClassVar[Mapping[str, float]] = {}

    judge: str
    scores: tuple[float | None, ...]
    differences: tuple[float | None, ...]

    @property
    def mean_of_differences(self) -> float | None:
        """The mean over the differences; None if it is known of none."""
        return mean_of_known(self.differences)


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are there; None if there are none."""
    numbers = [value for value in values if value is not None]
    return sum(numbers) / len(numbers) if numbers else None


@dataclass(frozen=True, slots=True)
class HumanAgreement:
    """How far several humans agree on the items that more than one has scored.

    Parameters
    ----------
    n_labels : int
        Labels that are means of several humans.
    variance : float
        The mean variance of such a mean: that of the humans of an item, over their number.
    reliability : float or None
        The share of the variance of these means, within a system, that is not due to the choice of the
        humans. No judge can be expected to have a greater correlation with the labels than its root. None if
        the means do not vary.

    See Also
    --------
    JudgedComparison : Holds it, as ``humans``.
    """

    _scales: ClassVar[Mapping[str, float]] = {"variance": SQUARE}

    n_labels: int
    variance: float
    reliability: float | None
