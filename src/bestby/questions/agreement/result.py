"""What a question of agreement returns: coefficients, and the tables of annotators, pairs and labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.report.reported import Drawn, Reported
from bestby.results.base import Note, Provenance
from bestby.results.values import Interval, extent


@dataclass(frozen=True, slots=True)
class AgreementCoefficient:
    """A coefficient of agreement.

    Parameters
    ----------
    name : str
        Which one, such as ``"krippendorff_alpha"``, ``"ac1"`` or ``"icc_a_1"``.
    value : float
        1 if all labels of an item are equal, 0 if labels agree as often as chance by this coefficient would
        have it.
    interval : Interval or None
        Its confidence interval, for other items and the same annotators; None where it is undefined.
    observed, expected : float or None
        The share of pairs of labels of an item that agree, and the share that chance would give; None of
        coefficients that are no shares.
    n_items : int
        The items that count for it.

    See Also
    --------
    Agreement : Holds them.
    """

    name: str
    value: float
    interval: Interval | None
    observed: float | None
    expected: float | None
    n_items: int


@dataclass(frozen=True, slots=True)
class AnnotatorPair:
    """Two annotators, on the items that both labelled.

    Parameters
    ----------
    a, b : str
        The annotators.
    n_items : int
        The items that both labelled.
    observed, expected : float
        How far their labels agree, from 0 to 1, and how far chance would have it.
    kappa : float or None
        Cohen's kappa, with quadratic weights if labels have an order; None if both gave one label only.
    interval : Interval or None
        Its confidence interval.

    See Also
    --------
    Agreement : Holds them.
    """

    a: str
    b: str
    n_items: int
    observed: float
    expected: float
    kappa: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement:
    """An annotator against the others, and what agreement is without this one.

    Parameters
    ----------
    annotator : str
        The annotator.
    n_items : int
        The items that this annotator and another one labelled.
    observed : float
        How far these labels agree with another one of the item, drawn at random.
    kappa : float or None
        The same beyond chance, by the shares of the labels of this annotator and of the others.
    interval : Interval or None
        Its confidence interval.
    without : float or None
        The first coefficient of the result without this annotator; None if it is undefined, or nobody else
        labelled.
    difference : float or None
        That less the coefficient of all: above 0 if the others agree better without this one.
    difference_interval : Interval or None
        Its confidence interval.

    See Also
    --------
    Agreement : Holds them.
    """

    annotator: str
    n_items: int
    observed: float
    kappa: float | None
    interval: Interval | None
    without: float | None
    difference: float | None
    difference_interval: Interval | None


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """A label: how often it is given, and how often another annotator gives it, too.

    Parameters
    ----------
    label : str
        The label.
    share : float
        Its share in all labels of items with two labels or more.
    n_items : int
        The items to which at least one annotator gave it.
    specific : float or None
        If an annotator gives it, how often another one of the item does: its specific agreement; None if
        nobody gave it.

    See Also
    --------
    Agreement : Holds them.
    """

    label: str
    share: float
    n_items: int
    specific: float | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Agreement(Drawn, Reported):
    """How far annotators agree.

    Parameters
    ----------
    scale : {"nominal", "ordinal", "interval", "ratio"}
        What the labels mean.
    annotators : tuple of AnnotatorAgreement
        Each annotator against the others, by name.
    coefficients : tuple of AgreementCoefficient
        The coefficients, Krippendorff's alpha first.
    pairs : tuple of AnnotatorPair
        Every two annotators with items in common; none if there are very many annotators.
    labels : tuple of LabelAgreement
        The labels in their order; none of numbers.
    level : float
        The level of the intervals.
    n_items, n_clusters : int
        Number of items with two labels or more, and of the clusters they lie in; 0 if they are independent.
    n_labels : int
        Number of labels of these items.
    notes : tuple of Note
        What must be known about the data and the numbers.
    provenance : Provenance
        Settings, versions and data hash.

    See Also
    --------
    bestby.agreement : Makes it.
    bestby.load : Reads it back from JSON.
    """

    scale: str
    annotators: tuple[AnnotatorAgreement, ...]
    coefficients: tuple[AgreementCoefficient, ...]
    pairs: tuple[AnnotatorPair, ...]
    labels: tuple[LabelAgreement, ...]
    level: float
    n_items: int
    n_clusters: int
    n_labels: int
    notes: tuple[Note, ...]
    provenance: Provenance

    kind: ClassVar[str] = "agreement"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.agreement import report

        return report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.agreement.figure import agreement

        return agreement

    def __getitem__(self, name: str) -> AgreementCoefficient:
        for entry in self.coefficients:
            if entry.name == name:
                return entry
        raise InvalidInputError(
            f"no coefficient {quoted(name)} in this result",
            hint=f"coefficients: {', '.join(entry.name for entry in self.coefficients)}",
        )

    def __iter__(self) -> Iterator[AgreementCoefficient]:
        return iter(self.coefficients)

    def __len__(self) -> int:
        return len(self.coefficients)

    @property
    def extent(self) -> str:
        """How much was labelled, in words."""
        return extent(self.n_items, self.n_clusters)

    @property
    def paradox(self) -> bool:
        """Whether labels agree on most items and chance would, too, so that coefficients are far apart."""
        return any(note.code == "kappa_paradox" for note in self.notes)
