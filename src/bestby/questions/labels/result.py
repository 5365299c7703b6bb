"""The records of a draw of items to label, and of plans of labels beside a judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from bestby.questions.labels.judged_scores import JudgedScores
from bestby.report.reported import Drawn, Reported
from bestby.results.base import Note, Provenance


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChosenItems(Drawn, Reported):
    """The answer of `choose_items`: which items to label, and how probable it was to draw each.

    Parameters
    ----------
    chosen : tuple of ChosenItem
        The items drawn, in the order in which they are to be labelled; the items of a cluster lie together.
    strata : tuple of ChosenStratum
        One per stratum; one called "all" without strata.
    n_items, n_clusters : int
        What was drawn from; 0 clusters without clusters.
    stratify_by : str or None
        What the strata were made of: "score", "disagreement", "strata" for those given, or None.
    allocation : {"proportional", "neyman"}
        How the draw is divided over the strata.
    shuffled : bool
        Whether `chosen` is in random order; otherwise in the order of the data.
    notes : tuple of Note
        What must be known.
    provenance : Provenance
        Settings, versions, seed and data hash.

    See Also
    --------
    bestby.choose_items : Makes it.
    """

    chosen: tuple[ChosenItem, ...]
    strata: tuple[ChosenStratum, ...]
    n_items: int
    n_clusters: int
    stratify_by: str | None
    allocation: str
    shuffled: bool
    notes: tuple[Note, ...]
    provenance: Provenance

    kind: ClassVar[str] = "chosen"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.labels import chosen_report

        return chosen_report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.labels.figure import chosen

        return chosen

    def __len__(self) -> int:
        return len(self.chosen)

    def __iter__(self) -> Iterator[ChosenItem]:
        return iter(self.chosen)

    @property
    def items(self) -> tuple[str | int, ...]:
        """The ids of the items drawn."""
        return tuple(one.item for one in self.chosen)

    @property
    def probabilities(self) -> tuple[float, ...]:
        """The probability of each item drawn."""
        return tuple(one.probability for one in self.chosen)


@dataclass(frozen=True, slots=True)
class ChosenItem:
    """An item to label.

    Parameters
    ----------
    item : str or int
        Its id; its position, from 0, where items have no ids.
    cluster : str or None
        Its cluster, which was drawn as a whole; None without clusters.
    stratum : str or None
        The stratum that it was drawn from; None without strata.
    probability : float
        The probability with which it was drawn, in (0, 1].

    See Also
    --------
    ChosenItems : Holds one for every item drawn.
    """

    item: str | int
    cluster: str | None
    stratum: str | None
    probability: float


@dataclass(frozen=True, slots=True)
class ChosenStratum:
    """How many units were drawn from a stratum.

    Parameters
    ----------
    name : str
        Its name: a value of the column of strata, or the range of the scores that it holds.
    n_units, n_chosen : int
        The number of items (or clusters) that it has, and that were drawn from it.
    probability : float
        `n_chosen` over `n_units`: the probability with which each of its items was drawn.
    sd : float or None
        The standard deviation that Neyman's allocation went by; None for a proportional one.

    See Also
    --------
    ChosenItems : Holds one per stratum.
    """

    name: str
    n_units: int
    n_chosen: int
    probability: float
    sd: float | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelPlan(Drawn, Reported):
    """The answer of `plan_labels`: how many items people must label beside a judge.

    Parameters
    ----------
    asked : {"half_width", "margin", "n"}
        What was given: the half-width wanted, the margin, or the number of labels.
    design : JudgedScores
        The assumptions.
    n_labels : int
        The number of labels: given, or the least that is enough.
    n_alone : int
        The labels that give the same without the judge.
    n_cautious : int or None
        As `n_labels`, if both variances of the pilot are at their upper 80 % limits. None if there is no
        pilot, `n` was given, or no number of labels is enough then.
    half_width, half_width_alone : float
        Half the length of the interval that `n_labels` give with the judge, and alone.
    margin, power : float or None
        The difference that is to be detected and the probability wanted, if these were given.
    alpha, level : float
        The level of one interval or test, after division by the number of comparisons; one minus that of the
        family.
    n_comparisons : int
        The size of the family.
    curve : tuple of LabelPoint
        Half-widths with other numbers of labels, the answer included.
    notes : tuple of Note
        What must be known.
    provenance : Provenance
        Settings and versions.

    See Also
    --------
    bestby.plan_labels : Makes it.
    """

    asked: str
    design: JudgedScores
    n_labels: int
    n_alone: int
    n_cautious: int | None
    half_width: float
    half_width_alone: float
    margin: float | None
    power: float | None
    alpha: float
    level: float
    n_comparisons: int
    curve: tuple[LabelPoint, ...]
    notes: tuple[Note, ...]
    provenance: Provenance

    kind: ClassVar[str] = "label_plan"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.labels import label_plan_report

        return label_plan_report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.labels.figure import plan

        return plan


@dataclass(frozen=True, slots=True)
class LabelPoint:
    """What one number of labels gives.

    Parameters
    ----------
    n_labels : int
        The number of labels.
    half_width, half_width_alone : float
        Half the length of the interval with the judge, and of the labels alone.

    See Also
    --------
    LabelPlan : Holds one per number of labels.
    """

    n_labels: int
    half_width: float
    half_width_alone: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelAllocation(Drawn, Reported):
    """The answer of `allocate` for judged scores: how to divide a budget between judge and labels.

    Parameters
    ----------
    design : JudgedScores
        The assumptions; its `n_items` are not looked at.
    budget : float
        What may be spent.
    best : LabelSplit
        The split of the least standard error; with 0 judged items if labels alone are better.
    alone : LabelSplit
        The whole budget spent on labels.
    splits : tuple of LabelSplit
        Some of the splits with the judge, by the number of labels, the best of them included.
    alpha, level, n_comparisons
        As in `LabelPlan`.
    notes : tuple of Note
        What must be known.
    provenance : Provenance
        Settings and versions.

    See Also
    --------
    bestby.allocate : Makes it.
    """

    design: JudgedScores
    budget: float
    best: LabelSplit
    alone: LabelSplit
    splits: tuple[LabelSplit, ...]
    alpha: float
    level: float
    n_comparisons: int
    notes: tuple[Note, ...]
    provenance: Provenance

    kind: ClassVar[str] = "label_allocation"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.labels import label_allocation_report

        return label_allocation_report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.labels.figure import allocation

        return allocation


@dataclass(frozen=True, slots=True)
class LabelSplit:
    """One way to spend a budget on a judge and on labels.

    Parameters
    ----------
    labels, items : int
        How many items people label, and how many the judge scores, the labelled ones among them; 0 items if
        the judge is not used.
    cost, standard_error, half_width : float
        What it costs, the standard error, and half the length of the interval.

    See Also
    --------
    LabelAllocation : Holds one per number of labels.
    """

    labels: int
    items: int
    cost: float
    standard_error: float
    half_width: float
