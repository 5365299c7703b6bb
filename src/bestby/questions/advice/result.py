"""What `advise` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from bestby.questions.order.result import Normality
from bestby.report.reported import Drawn, Reported
from bestby.results.base import Note, Provenance


@dataclass(frozen=True, slots=True)
class Case:
    """What is known about a comparison before it is made.

    Parameters
    ----------
    metric : str
        The metric.
    mean_of_items, binary : bool
        Whether the score is the mean of one number per item, and whether that number is 0 or 1.
    of_sums : bool
        Whether the score is a function of sums over items; ranks are not.
    n_items : int or None
        Items of the test set; None if only scores of whole test sets are known.
    n_differing : int or None
        Items (with clusters: clusters) on which the systems differ.
    n_systems, n_runs, n_datasets, n_folds : int
        Systems; runs (seeds) of each, with folds the repetitions of the cross-validation; datasets; folds of
        a cross-validation, 0 if there is none.
    clustered : bool
        Whether items come in documents, speakers, templates.
    paired : bool
        Whether all systems were evaluated on the same items.
    crossed : bool
        Whether a second grouping of the items crosses the clusters.

    See Also
    --------
    Advice : Holds what was known of a comparison as its `case`.
    """

    metric: str
    mean_of_items: bool
    binary: bool
    of_sums: bool = True
    n_items: int | None = None
    n_differing: int | None = None
    n_systems: int = 2
    n_runs: int = 1
    n_datasets: int = 1
    n_folds: int = 0
    clustered: bool = False
    paired: bool = True
    crossed: bool = False

    @property
    def one_output(self) -> bool:
        """Whether there is one test set and one output of each system: the items are the sample."""
        return self.n_folds == 0 and self.n_datasets == 1 and self.n_runs == 1

    @property
    def most_differing(self) -> int | None:
        """The most items that can differ, as far as that is known."""
        return self.n_items if self.n_differing is None else self.n_differing


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path.

    Parameters
    ----------
    question, answer, reason, source : str
        What was asked, what the case answers, why that matters, who showed it.

    See Also
    --------
    Advice : Holds the questions on the way to the recommendation.
    """

    question: str
    answer: str
    reason: str
    source: str


@dataclass(frozen=True, slots=True)
class Wrong:
    """What would be wrong in a case.

    Parameters
    ----------
    what, why, source : str
        The mistake, the reason, and who showed it (empty for plain arithmetic).

    See Also
    --------
    Advice : Holds what would be wrong, and why.
    """

    what: str
    why: str
    source: str = ""

    def __str__(self) -> str:
        return f"{self.what}: {self.why}" + (f" [{self.source}]" if self.source else "")


@dataclass(frozen=True, slots=True)
class Shape:
    """How far the differences of two systems, item by item, are from normal.

    Parameters
    ----------
    a, b : str
        The systems; the differences are A minus B.
    normality : Normality
        Moments and tests.

    See Also
    --------
    Advice : Holds one per pair of systems, if there are data.
    Normality : What it says of the differences.
    """

    a: str
    b: str
    normality: Normality


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Advice(Drawn, Reported):
    """The recommended test and interval, the way there, and what would be wrong.

    Parameters
    ----------
    test, interval, call : str
        The recommendation.
    interval_reason : str
        Why this interval.
    correction : str
        How p-values of several comparisons are corrected: ``"holm"``, or ``"none"`` for a single one.
    path : tuple of Step
        The questions on the way with their answers, reasons and sources.
    wrong : tuple of Wrong
        What would be wrong here, and why.
    case : Case
        What the advice was given on.
    shapes : tuple of Shape
        Normality of the differences, where data with real numbers per item were given.
    provenance : Provenance
        The case and the versions, which made the advice; with data, their names and numbers.
    data_notes : tuple of Note
        How the data were read, where data were given.

    See Also
    --------
    bestby.advise : Makes it.
    """

    test: str
    interval: str
    call: str
    interval_reason: str
    correction: str
    path: tuple[Step, ...]
    wrong: tuple[Wrong, ...]
    case: Case
    shapes: tuple[Shape, ...]
    provenance: Provenance
    data_notes: tuple[Note, ...] = ()

    kind: ClassVar[str] = "advice"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.advice import report

        return report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.advice.report import advice

        return advice

    @property
    def notes(self) -> tuple[Note, ...]:
        """What must be known about the data and the tests of normality."""
        return (*self.data_notes, *(note for shape in self.shapes for note in shape.normality.notes))
