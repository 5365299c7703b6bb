"""What planning returns: frozen records with the answer, the curve around it, and what was assumed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from bestby._core.errors import DesignError
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.planning.base import Design, PlanPoint
from bestby.report.reported import Drawn, Reported
from bestby.results.base import Note, Provenance


@dataclass(frozen=True, slots=True)
class StoredDesign:
    """The assumptions of a loaded plan whose design cannot be made again without its data.

    Parameters
    ----------
    name, doubt_words, test_words, assumed_words, simulated, true_difference, effect
        As those of the design.
    assumptions : dict
        Its settings by name.

    See Also
    --------
    bestby.load : Makes it in place of a design that holds a pilot.
    """

    name: str
    simulated: bool
    true_difference: float
    effect: float
    doubt_words: str
    test_words: str
    assumed_words: str
    assumptions: dict[str, Any]

    @classmethod
    def of(cls, design: Design) -> StoredDesign:
        """Return what can be stored of a design."""
        stored: dict[str, Any] = {field.name: getattr(design, field.name, None) for field in fields(cls)}
        return cls(**{**stored, "assumptions": design.settings()})

    def powers(self, n: IntArray, question: Any, /) -> tuple[FloatArray, FloatArray]:  # noqa: ARG002
        """Refuse: the data of the design were not stored."""
        raise DesignError(
            f"a loaded plan of the design {self.name!r} cannot compute power at other sizes",
            hint="its curve has the sizes that were stored; plan again with the data for others",
        )

    def settings(self) -> dict[str, Any]:
        """Return the assumptions by name."""
        return dict(self.assumptions)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plan(Drawn, Reported):
    """The answer of `power`, `sample_size` or `minimum_detectable`.

    Parameters
    ----------
    asked : {"power", "sample_size", "minimum_detectable"}
        Which of the three was asked for.
    design : Design
        The assumptions, with the effect the answer is about.
    n : int
        The size of the study: given, or the least that is enough.
    unit : str
        What n counts: items, clusters or runs.
    power, error : float
        The power of a study of that size (with a pilot, averaged over the spreads that it leaves open), and
        its Monte Carlo standard error; 0 from a formula.
    power_as_estimated : float or None
        The power of the same study if what was estimated from the pilot were the truth; None without a pilot.
    difference : float
        The true difference A minus B, on the scale of the metric: assumed, or the smallest detectable.
    wanted : float or None
        The power asked for, if it was not the question.
    alpha, level : float
        The level of the test, after division by the number of comparisons; one minus that of the family.
    alternative : {"two-sided", "greater", "less"}
        Of A against B.
    n_comparisons : int
        The size of the family.
    curve : tuple of PlanPoint
        Power at other sizes, in ascending order, the answer included.
    notes : tuple of Note
        What must be known about the plan.
    provenance : Provenance
        Settings, versions, seed and data hash.

    See Also
    --------
    bestby.power : Makes it, for one size.
    bestby.sample_size : Makes it, for the size that a power needs.
    bestby.minimum_detectable : Makes it, for the smallest difference that is found.
    """

    asked: str
    design: Design | StoredDesign
    n: int
    unit: str
    power: float
    error: float
    power_as_estimated: float | None
    difference: float
    wanted: float | None
    alpha: float
    level: float
    alternative: Alternative
    n_comparisons: int
    curve: tuple[PlanPoint, ...]
    notes: tuple[Note, ...]
    provenance: Provenance

    kind: ClassVar[str] = "plan"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.planning import report

        return report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.planning.figure import plan

        return plan

    @property
    def exact(self) -> bool:
        """Whether power came from a formula."""
        return not self.design.simulated


@dataclass(frozen=True, slots=True)
class Split:
    """One way to spend a budget.

    Parameters
    ----------
    runs, items : int
        Runs of each system, and the most items the rest of the budget pays for.
    cost, standard_error, power : float
        What it costs; the standard error of the difference; the power, NaN where one run cannot show its own
        spread.

    See Also
    --------
    Allocation : Holds one per number of runs.
    """

    runs: int
    items: int
    cost: float
    standard_error: float
    power: float

    @property
    def levels(self) -> tuple[tuple[str, int], ...]:
        """How many there are of each, by its name."""
        return (("run", self.runs), ("item", self.items))


@dataclass(frozen=True, slots=True)
class FacetedSplit:
    """One way to spend a budget on levels of facets.

    Parameters
    ----------
    levels : tuple of (str, int)
        The number of levels of each facet; of one that lies in another, in each level of that.
    cost, standard_error, power : float
        As of `Split`.

    See Also
    --------
    FacetedAllocation : Holds one per number of levels of the first facet.
    """

    levels: tuple[tuple[str, int], ...]
    cost: float
    standard_error: float
    power: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Allocation(Drawn, Reported):
    """The answer of `allocate`: how to spend a budget on runs and items.

    Parameters
    ----------
    design : RunsAndItems
        The assumptions; its `runs` are those of the best split.
    budget : float
        What may be spent.
    best : Split
        The split of the greatest power; with a pilot, averaged over the components that it leaves open.
    power_as_estimated : float or None
        The power of that split if the components of the pilot were the truth; None without a pilot.
    splits : tuple of Split
        All of them, one per number of runs.
    alpha, level, alternative, n_comparisons
        As in `Plan`.
    notes : tuple of Note
        What must be known.
    provenance : Provenance
        Settings and versions.

    See Also
    --------
    bestby.allocate : Makes it.
    """

    design: Design | StoredDesign
    budget: float
    best: Split
    power_as_estimated: float | None
    splits: tuple[Split, ...]
    alpha: float
    level: float
    alternative: Alternative
    n_comparisons: int
    notes: tuple[Note, ...]
    provenance: Provenance

    kind: ClassVar[str] = "allocation"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.planning import allocation_report

        return allocation_report

    @staticmethod
    def _figure() -> Any:
        from bestby.questions.planning.figure import allocation

        return allocation


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FacetedAllocation(Allocation):
    """The answer of `allocate` for facets: how to spend a budget on their levels.

    Parameters
    ----------
    design : FacetedScores
        The assumptions; its `levels` are those of the best split.
    budget : float
        What may be spent; or the least that has the power wanted.
    best : FacetedSplit
        The split of the greatest power.
    splits : tuple of FacetedSplit
        Those with the best numbers of the other levels, for some numbers of levels of the first facet.
    power_as_estimated, alpha, level, alternative, n_comparisons, notes, provenance
        As in `Allocation`.
    wanted : float or None
        The power whose least budget was asked for.

    See Also
    --------
    bestby.allocate : Makes it.
    """

    best: FacetedSplit  # type: ignore[assignment]
    splits: tuple[FacetedSplit, ...]  # type: ignore[assignment]
    wanted: float | None = None
