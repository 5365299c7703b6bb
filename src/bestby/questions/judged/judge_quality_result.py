"""What a comparison by a judge tells of the judge itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bestby.results.values import Interval


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

    low: float
    high: float
    judge: float
    human: float
    interval: Interval | None
    n_labels: int


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


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are there; None if there are none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


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

    judge: str
    scores: tuple[float | None, ...]
    differences: tuple[float | None, ...]

    @property
    def mean_of_differences(self) -> float | None:
        """The mean over the differences; None if it is known of none."""
        return mean_of_known(self.differences)


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

    n_labels: int
    variance: float
    reliability: float | None
