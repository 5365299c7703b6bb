"""What every design offers, and how the planned test will decide."""

from __future__ import annotations

import hashlib
import math
import platform
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby._version import __version__
from bestby.resampling.progress import Progress
from bestby.results.base import Note, Provenance

USUAL_POWER = 0.8
"""The power that reports speak of; the default of the functions of this package."""


@dataclass(frozen=True)
class Question:
    """How the planned test will decide, and how to simulate it where there is no formula.

    `n_comparisons` is the number of comparisons the level is divided over. `n_simulations` counts simulated
    studies; None for the default of the design.
    """

    level: float = 0.95
    alternative: Alternative = "two-sided"
    n_comparisons: int = 1
    n_simulations: int | None = None
    n_resamples: int = 999
    seed: int = 0
    progress: Progress | None = None

    @property
    def alpha(self) -> float:
        """The level of one test: Bonferroni's share of 1 - level."""
        return round(1.0 - self.level, 12) / self.n_comparisons


def simulated_power(hits: int, studies: int) -> tuple[float, float]:
    """Return a simulated power and its standard error, which is not 0 even if all studies agree.

    >>> simulated_power(800, 1000), simulated_power(1000, 1000)
    ((0.8, 0.0126...), (1.0, 0.0009...))
    """
    centred = (hits + 1.0) / (studies + 2.0)
    return hits / studies, math.sqrt(centred * (1.0 - centred) / studies)


class Design(ABC):
    """What is assumed of a study: enough to compute or simulate its power at any size.

    Attributes
    ----------
    name : str
        The name of the kind of design.
    simulated : bool
        Whether power is the share of rejections in simulated studies.
    simulations : int
        How many studies are simulated by default.
    margin : float or None
        The smallest difference that matters, if the study is to show on which side of it the true one lies.
    """

    name: ClassVar[str]
    simulated: ClassVar[bool] = False
    simulations: ClassVar[int] = 0
    margin: float | None = None

    @property
    def unit(self) -> str:
        """What n counts: items, clusters or runs."""
        return "items"

    @property
    def size(self) -> int | None:
        """The size of the pilot, which is n if none is given; None if there was no pilot."""
        return None

    @property
    def least(self) -> int:
        """The least n there is a test for."""
        return 2

    @property
    def most(self) -> int:
        """The greatest n that is tried."""
        return 10_000_000

    @property
    def too_small(self) -> str:
        """What to do if no n is enough."""
        return "plan for a larger difference or a lower power"

    def slack(self, n: int) -> int:  # noqa: ARG002
        """Return how far below n power may be higher again, for tests of counts, whose power is jagged."""
        return 0

    @property
    @abstractmethod
    def true_difference(self) -> float:
        """The true difference A minus B that is assumed, on the scale of the metric."""

    @property
    def effect(self) -> float:
        """The parameter that `minimum_detectable` varies: the difference itself, a lift, a scale."""
        return self.true_difference

    @property
    def null(self) -> float:
        """The effect at which there is no difference."""
        return 0.0

    @abstractmethod
    def reach(self, alternative: Alternative) -> float:
        """Return the largest effect in this direction; infinite if there is no limit."""

    @abstractmethod
    def with_effect(self, effect: float) -> Self:
        """Return the same design with another effect."""

    @abstractmethod
    def powers(self, n: IntArray, question: Question) -> tuple[FloatArray, FloatArray]:
        """Return the power at each n and its Monte Carlo standard error (0 from formulas), shape (N,).

        What a pilot has estimated is not taken for the truth: the power is the average over what the pilot
        leaves open.
        """

    def taken_as_true(self) -> Self:
        """Return the same design without the doubt about what was estimated from a pilot.

        Its power is what the study has if the true spread (agreement, correlation) is that of the pilot.
        """
        return self

    @property
    def doubt_words(self) -> str:
        """What of the pilot is left open, as one writes it in a sentence; empty if nothing is."""
        return ""

    @property
    @abstractmethod
    def test_words(self) -> str:
        """The test, as one writes it in a sentence."""

    @property
    @abstractmethod
    def assumed_words(self) -> str:
        """The assumptions, as one writes them in a sentence."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Return the assumptions by name, as plain values."""

    def data_hash(self) -> str:
        """Return 16 hexadecimal digits that tell these assumptions from others."""
        return hashlib.blake2b(repr(sorted(self.settings().items())).encode(), digest_size=8).hexdigest()

    def notes(self, n: int, question: Question) -> tuple[Note, ...]:  # noqa: ARG002
        """Return what a reader of the plan must know."""
        return ()

    def _simulated(
        self, n: IntArray, question: Question, hits: Callable[[int, int, Question], int]
    ) -> tuple[FloatArray, FloatArray]:
        """Return the shares of rejections at each n, with their errors, from numbers of hits."""
        studies = question.n_simulations or self.simulations
        powers = np.array([simulated_power(hits(int(size), studies, question), studies) for size in n])
        return powers[:, 0], powers[:, 1]


class PlannedDifference(Design):
    """A design whose effect is the mean difference of two systems, a field of its own."""

    difference: float

    def _check_difference(self) -> None:
        if not math.isfinite(checks.amount(self.difference, "difference")):
            raise InvalidInputError(
                f"difference must be finite, got {self.difference}", argument="difference"
            )

    @property
    def true_difference(self) -> float:
        """The difference assumed."""
        return self.difference

    def reach(self, alternative: Alternative) -> float:
        """Return infinity: any difference may be planned for."""
        down = alternative == "less" or (alternative == "two-sided" and self.difference < 0.0)
        return -math.inf if down else math.inf

    def with_effect(self, effect: float) -> Self:
        """Return the design with another difference."""
        return replace(self, difference=effect)  # type: ignore[type-var]  # designs are dataclasses


def plan_provenance(kind: str, design: Design, question: Question, **more: Any) -> Provenance:
    """Return what it takes to make a plan again."""
    settings = {
        "plan": kind,
        "design": design.name,
        "level": question.level,
        "alternative": question.alternative,
        "comparisons": question.n_comparisons,
        **more,
    }
    if design.simulated:
        settings["simulations"] = question.n_simulations or design.simulations
    assumed = design.settings()
    versions = {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__}
    resamples = question.n_resamples if design.simulated else 0
    shown = {what: len(value) if isinstance(value, list) else value for what, value in assumed.items()}
    return Provenance(__version__, versions, question.seed, resamples, settings, shown, design.data_hash())


@dataclass(frozen=True, slots=True)
class PlanPoint:
    """The power of a study of one size.

    Parameters
    ----------
    n : int
        Its size.
    power, error : float
        The probability that the test rejects, and its Monte Carlo standard error; 0 from a formula.

    See Also
    --------
    Plan : Holds one per size.
    """

    n: int
    power: float
    error: float = 0.0
