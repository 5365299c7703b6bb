"""A design of a study: how its test decides, what a pilot leaves open, the search for its size or effect."""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import gammaincinv, ndtri

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Alternative, FloatArray, IntArray, Rng
from bestby.resampling.progress import Progress, shown_progress
from bestby.resampling.settings import Resampling, combined_settings
from bestby.resampling.streams import seed_of
from bestby.results.base import Note, Provenance, provenance_of
from bestby.vocabulary import allowed_names

USUAL_POWER = 0.8
"""The power that reports speak of; the default of the functions of this package."""


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

    @property
    def tail(self) -> float:
        """The chance with which a test rejects to one side, or to each, without a difference."""
        return self.alpha / 2.0 if self.alternative == "two-sided" else self.alpha

    def by_name(self) -> dict[str, Any]:
        """Return what results hold of it."""
        names = ("alpha", "level", "alternative", "n_comparisons")
        return {name: getattr(self, name) for name in names}


def checked_question(
    level: float,
    alternative: str,
    n_comparisons: int,
    n_simulations: int | None = None,
    n_resamples: int = 999,
    rng: Rng = 0,
    resampling: Resampling | None = None,
) -> Question:
    """Return how the test will decide, every argument checked."""
    chosen = combined_settings(
        resampling, n_resamples, rng, 999, function="planning",
        unused="n_jobs executor cache resample_size rescale",
    )  # fmt: skip
    return Question(
        checks.level(level),
        checks.choice(alternative, allowed_names("alternative"), "alternative"),
        checks.positive_int(n_comparisons, "n_comparisons"),
        None if n_simulations is None else checks.positive_int(n_simulations, "n_simulations"),
        int(chosen.n_resamples or 0),
        seed_of(chosen.rng),
        shown_progress(chosen.progress),
    )


def check_wanted(wanted: float, question: Question) -> None:
    """Refuse a power that a test has without any difference."""
    if wanted <= question.alpha:
        raise InvalidInputError(
            f"power must be above the level of the test, {question.alpha:g}, got {wanted:g}",
            hint="0.8 is customary",
            argument="power",
        )


def check_not_negative(**values: float) -> None:
    """Refuse numbers that are negative or not finite."""
    for what, value in values.items():
        if not (math.isfinite(checks.amount(value, what)) and value >= 0.0):
            raise InvalidInputError(f"{what} must be 0 or a positive number, got {value}", argument=what)


# -- what is assumed of a study ------------------------------------------------------------------------------


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

    def _looks_down(self, alternative: Alternative) -> bool:
        """Return whether A is to be shown to be lower: by the alternative, or as assumed."""
        return alternative == "less" or (alternative == "two-sided" and self.true_difference < 0.0)

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
        return -math.inf if self._looks_down(alternative) else math.inf

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
    return provenance_of(
        settings,
        {what: len(value) if isinstance(value, list) else value for what, value in design.settings().items()},
        data_hash=design.data_hash(),
        seed=question.seed,
        n_resamples=question.n_resamples if design.simulated else 0,
    )


# -- what a pilot leaves open --------------------------------------------------------------------------------


_POINTS = 20
"""Points of an integral over one unknown; powers are smooth in it, and 20 give four digits."""

FEW_DF = 30.0
"""Degrees of freedom of a pilot below which a note says what they do to the power."""


@cache
def gauss_legendre() -> tuple[FloatArray, FloatArray]:
    """Return the points and weights of Gauss and Legendre for an integral from 0 to 1."""
    points, weights = np.polynomial.legendre.leggauss(_POINTS)
    points, weights = 0.5 * (points + 1.0), 0.5 * weights
    points.flags.writeable = weights.flags.writeable = False
    return points, weights


def mean_squares(df: float, u: FloatArray) -> FloatArray:
    """Return quantiles of an estimated variance over the true one: a chi-square over its degrees of freedom.

    Given the estimate s², the true variance is s² divided by such a number (fiducial distribution). A plan
    whose power, averaged over it, is .80 then has a power of .80 on average over the pilots there could have
    been: the size is a multiple of s², and the ratio of s² to the true variance has the same distribution
    in both averages.

    >>> mean_squares(4.0, np.array([0.1, 0.5, 0.9])).round(3)
    array([0.266, 0.839, 1.945])
    """
    quantiles: FloatArray = 2.0 * gammaincinv(0.5 * df, u) / df
    return quantiles


def clustered_df(squares: FloatArray, sizes: FloatArray, expected: FloatArray) -> float:
    """Return the degrees of freedom with which a pilot knows the variance of a mean over clusters.

    They are 2 over the squared relative error of the variance, the larger of two estimates: of normal
    scores, 2 / (G - 1) with the effective number G of clusters (Kish 1965), plus what clusters of other
    sizes would change; and from the squared deviations, which show heavy tails and items on which systems
    seldom differ.
    """
    effective = float(sizes.sum()) ** 2 / float(sizes @ sizes)
    normal = 2.0 / max(effective - 1.0, 0.5) + _relative_variance(expected, sizes)
    return 2.0 / max(normal, _relative_variance(squares, sizes) if squares.any() else 0.0)


def _relative_variance(parts: FloatArray, sizes: FloatArray) -> float:
    """Return the squared relative error of a ratio of sums over clusters, by linearisation."""
    count = parts.size
    change = parts / parts.mean() - sizes / sizes.mean()
    return float(change @ change) / (count * (count - 1.0))


def effective_units_df(effective: float, units: int) -> float:
    """Return the degrees of freedom of a variance that so many units of equal weight carry.

    Their number is that of the units over their kurtosis; never more than the units less one are counted.
    Where no unit deviates (0 effective units) there is no variance to doubt, and the units less one count.

    >>> [round(effective_units_df(effective, 100), 1) for effective in (100 / 3, 10.0, 0.0)]
    [99.0, 22.0, 99.0]
    """
    kurtosis = (1.0 / effective - 1.0 / units) * units / (units - 1.0) if effective > 0.0 else 0.0
    return 2.0 / max(kurtosis, 2.0 / (units - 1.0))


def few_df_notes(df: float | None, what: str = "the spread") -> tuple[Note, ...]:
    """Return a note if a pilot knows a variance from few degrees of freedom."""
    if df is None or df >= FEW_DF:
        return ()
    low, high = (float(x) ** -0.5 for x in mean_squares(df, np.array([0.9, 0.1])))
    return (
        Note(
            "uncertain_pilot",
            f"the pilot estimates {what} with only {df:.3g} degrees of freedom: the true value may well be"
            f" {low:.2g} to {high:.2g} times as large (80 % interval). The power is averaged over this"
            f" uncertainty; that of one study can be far lower or higher, and with heavy-tailed scores it"
            f" is lower than stated",
        ),
    )


@lru_cache(maxsize=4)
def cube_points(n_points: int, dimensions: int) -> FloatArray:
    """Return points that fill the unit cube evenly: multiples, modulo 1, of powers of an irrational number.

    >>> cube_points(3, 1).round(3)
    array([[0.118, 0.736, 0.354]])
    """
    ratio = 2.0
    for _ in range(64):
        ratio = (1.0 + ratio) ** (1.0 / (dimensions + 1))  # the golden one in one dimension
    steps = ratio ** -np.arange(1.0, dimensions + 1.0)
    points: FloatArray = (0.5 + steps[:, None] * np.arange(1.0, n_points + 1.0)) % 1.0
    return points


def mean_square(u: FloatArray, df: float) -> FloatArray:
    """Return quantiles of a chi-square over its degrees of freedom; 0 without any.

    >>> [
    ...     mean_square(np.array([0.05, 0.95]), df).round(4).tolist()
    ...     for df in (3, 1000, 1001)
    ... ]
    [[0.1173, 2.6049], [0.9276, 1.0747], [0.9276, 1.0746]]
    """
    if df == 0:
        return np.zeros_like(u)
    # Degrees of freedom beyond which the cube root of a chi-square is taken for normal (Wilson and Hilferty)
    if df > 1000:
        part = 2.0 / (9.0 * df)
        return np.asarray((1.0 - part + np.sqrt(part) * ndtri(u)) ** 3)
    return mean_squares(df, u)


# -- the size and the effect that have the power wanted ------------------------------------------------------


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

    def power(size: float) -> float:
        n = round(size)
        if n not in computed:
            computed[n] = PlanPoint(n, *power_at(design, n, question))
        return computed[n].power

    low, high = _sizes_around(design, power, wanted, start or design.size or design.least)
    if not design.simulated:
        n = _first_size(design, round(_crossing(power, low, high, 1.0, wanted)), wanted, question)
        return n, {n: PlanPoint(n, power(n))}
    # A simulated size is searched to a tenth; within it, a line through all sizes tried takes out the noise.
    slack = max(1, math.floor(0.1 * high))
    while high - low > slack:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= wanted else (middle, high)
    n = _read_off(computed, low, high, wanted) if high - low > 1 else high
    power(n)
    return n, computed


def _sizes_around(
    design: Design, power: Callable[[float], float], wanted: float, start: int
) -> tuple[int, int]:
    """Return sizes, apart by a factor of at most two, of which the greater has the power wanted."""
    high = min(max(design.least, start), design.most)
    if power(high) >= wanted:
        while high > design.least:
            low = max(design.least, high // 2)
            if power(low) < wanted:
                return low, high
            high = low
        return design.least - 1, design.least
    while high < design.most:
        low, high = high, min(design.most, 2 * high)
        if power(high) >= wanted:
            return low, high
    raise DesignError(
        f"a power of {wanted:g} is not reached: with {high} {design.unit} it is {power(high):.3g}",
        hint=design.too_small,
    )


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

    low, high = _effects_around(design, power, n, wanted, design.reach(question.alternative))
    if not design.simulated:
        return _crossing(power, low, high, 2.0**-40 * abs(high - low), wanted)
    for _ in range(14):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if power(middle) >= wanted else (middle, high)
    return high


def _effects_around(
    design: Design, power: Callable[[float], float], n: int, wanted: float, limit: float
) -> tuple[float, float]:
    """Return two effects of which the one farther from no effect is detected."""
    null = design.null
    if math.isfinite(limit):
        if limit != null and power(limit) >= wanted:
            return null, limit
    else:
        low, step = null, math.copysign(abs(design.effect - null) or 1.0, limit)
        for _ in range(60):
            if power(null + step) >= wanted:
                return low, null + step
            low, step = null + step, 2.0 * step
    raise DesignError(
        f"no difference is detected with a power of {wanted:g} by {n} {design.unit}",
        hint=f"plan for more {design.unit} or a lower power",
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
