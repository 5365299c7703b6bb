"""What a comparison by a judge and a few human labels returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from bestby._core.keywords import with_suggestions
from bestby._core.lazy import module_by_name
from bestby._core.text import counted
from bestby.questions.judged.judge_quality_result import HumanAgreement, JudgeQuality, JudgeWorth
from bestby.results.base import negated
from bestby.results.comparison import Comparison, Difference, SystemScore
from bestby.results.drawn import canvas_of, shown_metric
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
        own = Difference.extent.fget(self)  # type: ignore[attr-defined]
        return f"{own}, {counted(self.n_labels, 'label')}"

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
    >>> human = {"new": [1, 1, 0, 0] * 10 + [None] * 60, "old": [1, 0, 0, 0] * 10 + [None] * 60}
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

    described_by: ClassVar[str] = "judged"

    @property
    def extent(self) -> str:
        """How much was compared, in words."""
        own = Comparison.extent.fget(self)  # type: ignore[attr-defined]
        if self.labels_drawn == "calibration":
            return f"{own}, error rates from {self.n_labelled} others"
        return f"{own}, {self.n_labelled} with human labels"

    @property
    def contradicted(self) -> tuple[JudgedDifference, ...]:
        """The differences in which the judge puts one system ahead and the labels the other, surest first.

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
        told = [(d, d.estimate if d.labels_estimate is None else d.labels_estimate) for d in self.differences]
        found = [d for d, labels in told if way * d.judge_estimate * labels < 0.0]
        return tuple(sorted(found, key=lambda d: d.p_adjusted or 0.0))

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
        canvas = canvas_of(ax, width, font)
        shown, metric = shown_metric(self, metric, percent)
        return module_by_name("bestby.questions.judged.figure").judged(shown, metric, kind, canvas)
