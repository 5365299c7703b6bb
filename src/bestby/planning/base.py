"""A design of a study, how its test will decide, and the search for the size that has the power wanted."""

from __future__ import annotations

import hashlib
import math
import platform
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np
import scipy
from scipy.special import ndtri

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Alternative, FloatArray, IntArray, Rng
from bestby._version import __version__
from bestby.resampling.progress import Progress
from bestby.resampling.settings import Resampling, combined_settings
from bestby.resampling.streams import seed_of
from bestby.results.base import Note, Provenance
from bestby.vocabulary import allowed_names

USUAL_POWER = 0.8
"""The power that reports speak of; the default of the functions of this package."""


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
        """Return the design with another effect."""

    @abstractmethod
    def powers(self, n: IntArray, question: Question) -> tuple[FloatArray, FloatArray]:
        """Return the power at each n and its Monte Carlo standard error (0 from formulas), shape (N,).

        What a pilot has estimated is not taken for the truth: the power is the average over what the pilot
        leaves open.
        """

    def taken_as_true(self) -> Self:
        """Return the design without the doubt about what was estimated from a pilot.

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


def simulated_power(hits: int, studies: int) -> tuple[float, float]:
    """Return a simulated power and its standard error, which is not 0 even if all studies agree.

    >>> simulated_power(800, 1000), simulated_power(1000, 1000)
    ((0.8, 0.0126...), (1.0, 0.0009...))
    """
    centred = (hits + 1.0) / (studies + 2.0)
    return hits / studies, math.sqrt(centred * (1.0 - centred) / studies)


# -- how the test decides ------------------------------------------------------------------------------------


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


def checked_question(
    level: float,
    alternative: str,
    n_comparisons: int,
    n_simulations: int | None = None,
    n_resamples: int = 999,
    rng: Rng = 0,
    progress: Progress | None = None,
    resampling: Resampling | None = None,
) -> Question:
    """Return how the test will decide, every argument checked."""
    chosen = combined_settings(resampling, n_resamples, 999, rng=rng, progress=progress)
    return Question(
        checks.probability(level, "level"),
        checks.choice(alternative, allowed_names("alternative"), "alternative"),
        checks.positive_int(n_comparisons, "n_comparisons"),
        None if n_simulations is None else checks.positive_int(n_simulations, "n_simulations"),
        int(chosen.n_resamples or 0),
        seed_of(chosen.rng),
        chosen.progress,
    )


def check_wanted(wanted: float, question: Question) -> None:
    """Refuse a power that a test has without any difference."""
    if wanted <= question.alpha:
        raise InvalidInputError(
            f"power must be above the level of the test, {question.alpha:g}, got {wanted:g}",
            hint="0.8 is customary",
            argument="power",
        )


def check_costs(**costs: float) -> None:
    """Refuse a budget or a cost that is negative or not finite."""
    for what, value in costs.items():
        if not (math.isfinite(checks.amount(value, what)) and value >= 0.0):
            raise InvalidInputError(f"{what} must be 0 or a positive number, got {value}", argument=what)


# -- the power wanted ----------------------------------------------------------------------------------------


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


def power_at(design: Design, n: int, question: Question) -> tuple[float, float]:
    """Return the power at one size and its Monte Carlo standard error."""
    value, error = design.powers(np.array([n], dtype=np.int64), question)
    return float(value[0]), float(error[0])


def least_size(
    design: Design, wanted: float, question: Question, start: int | None = None
) -> tuple[int, dict[int, PlanPoint]]:
    """Return the least size that has the power wanted, and the sizes whose powers are shown with it.

    The search begins at `start`, or else at the size of the pilot.

    Raises
    ------
    DesignError
        If no size has that power.
    """
    computed: dict[int, PlanPoint] = {}

    def power(n: int) -> float:
        if n not in computed:
            computed[n] = PlanPoint(n, *power_at(design, n, question))
        return computed[n].power

    def reached(n: int) -> bool:
        return power(n) >= wanted

    low, high = _bracket(design, reached, computed, wanted, start or design.size or design.least)
    if design.simulated:
        # To which share of n a simulated size is searched; within it, the noise is smoothed out
        slack = max(1, math.floor(0.1 * high))
        while high - low > slack:
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        if high - low > 1:
            high = _read_off(computed, low, high, wanted)
            power(high)
        return high, computed
    high = _first_size(
        design, round(_crossing(lambda n: power(round(n)), low, high, 1.0, wanted)), wanted, question
    )
    power(high)
    return high, {high: computed[high]}


def least_effect(design: Design, n: int, wanted: float, question: Question) -> float:
    """Return the effect nearest to none that n items detect with the power wanted.

    Raises
    ------
    DesignError
        If no effect is detected.
    """

    @cache
    def power(effect: float) -> float:
        return power_at(design.with_effect(effect), n, question)[0]

    def reached(effect: float) -> bool:
        return power(effect) >= wanted

    low, high = _effect_bracket(design, n, design.reach(question.alternative), reached, wanted)
    if design.simulated:
        # Halvings of the range in which a simulated effect is searched
        for _ in range(14):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if reached(middle) else (middle, high)
        return high
    # The share of the range to which an effect with a formula for its power is searched
    return _crossing(power, low, high, 2.0**-40 * abs(high - low), wanted)


def _bracket(
    design: Design,
    reached: Callable[[int], bool],
    computed: dict[int, PlanPoint],
    wanted: float,
    start: int,
) -> tuple[int, int]:
    """Return sizes, apart by a factor of at most two, of which the greater has the power wanted."""
    high = min(max(design.least, start), design.most)
    if reached(high):
        low = high
        while low > design.least:
            low = max(design.least, low // 2)
            if not reached(low):
                return low, high
            high = low
        return design.least - 1, design.least
    while high < design.most:
        low, high = high, min(design.most, 2 * high)
        if reached(high):
            return low, high
    raise DesignError(
        f"a power of {wanted:g} is not reached: with {high} {design.unit} it is {computed[high].power:.3g}",
        hint=design.too_small,
    )


def _crossing(
    power: Callable[[float], float], low: float, high: float, finest: float, wanted: float
) -> float:
    """Return where, between two points, a power gets to the one wanted: the first point of those tried.

    The power is too small at `low`, which may also be the greater number, and is enough at `high`. Points are
    whole steps of `finest` from `low`. Lines through the normal quantiles of two powers, which nearly lie on
    one, tell which to try; where these powers are 0 or 1, and every eighth time, it is the middle. A point is
    asked for more than once, so `power` should remember what it found.
    """
    # Powers nearer to 0 or 1 than this are taken to be this near
    goal, most = float(ndtri(wanted)), float(ndtri(1.0 - 1e-12))

    def point(x: float) -> tuple[float, float]:
        return x, min(max(float(ndtri(power(x))), -most), most) - goal

    nearest: list[tuple[float, float]] = []
    step, attempts = math.copysign(finest, high - low), 0
    while (left := round((high - low) / step)) > 1:
        nearest = nearest or [point(low), point(high)]
        (x0, z0), (x1, z1) = nearest
        steps = left // 2
        if abs(z1 + goal) < most and z0 != z1 and attempts % 8 < 7:
            steps = min(max(math.ceil((x0 - z0 * (x1 - x0) / (z1 - z0) - low) / step), 1), left - 1)
        x = low + steps * step
        low, high = (low, x) if power(x) >= wanted else (x, high)
        nearest = sorted([*nearest, point(x)], key=lambda tried: abs(tried[1]))[:2]
        attempts += 1
    return high


def _read_off(computed: dict[int, PlanPoint], low: int, high: int, wanted: float) -> int:
    """Return the size between two others at which the power wanted is expected.

    The power of a test with a nearly normal statistic is a normal distribution function of √n.
    """
    points = [point for point in computed.values() if 0.01 < point.power < 0.99]
    if len(points) < 2:
        return high
    root = np.sqrt([point.n for point in points])
    power = np.array([point.power for point in points])
    z = ndtri(power)
    weight = np.exp(-0.5 * z**2) / np.array([point.error for point in points])  # 1 / sd of z
    slope, start = np.polyfit(root, z, 1, w=weight)
    if not slope > 0.0:
        return high
    size = math.ceil(float((ndtri(wanted) - start) / slope) ** 2)
    return min(max(size, low + 1), high)


def _first_size(design: Design, n: int, wanted: float, question: Question) -> int:
    """Return the first size near and below n that has the power, for tests of counts."""
    while slack := min(design.slack(n), n - design.least):
        before = np.arange(n - slack, n)
        hits = np.flatnonzero(design.powers(before, question)[0] >= wanted)
        if hits.size == 0:
            break
        n = int(before[hits[0]])
    return n


def _effect_bracket(
    design: Design, n: int, limit: float, reached: Callable[[float], bool], wanted: float
) -> tuple[float, float]:
    """Return two effects of which the one farther from no effect is detected."""
    null = design.null
    if math.isfinite(limit):
        if limit != null and reached(limit):
            return null, limit
    else:
        step = math.copysign(abs(design.effect - null) or 1.0, limit)
        low = null
        for _ in range(60):
            if reached(null + step):
                return low, null + step
            low, step = null + step, 2.0 * step
    raise DesignError(
        f"no difference is detected with a power of {wanted:g} by {n} {design.unit}",
        hint=f"plan for more {design.unit} or a lower power",
    )


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
