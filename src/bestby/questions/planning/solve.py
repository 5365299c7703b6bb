"""The three questions of planning: power, sample size, smallest detectable difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bestby._core import arrays, checks
from bestby._core.keywords import with_suggestions
from bestby._core.typing import Alternative, FloatArray, Rng
from bestby.planning.arguments import check_effect, check_wanted, checked_question, checked_size
from bestby.planning.base import Design, PlanPoint, Question, plan_provenance
from bestby.planning.search import least_effect, least_size, power_at
from bestby.questions.planning.result import Plan
from bestby.resampling.progress import Progress
from bestby.resampling.settings import Resampling

_FACTORS = 2.0 ** (np.arange(-6, 5) / 2.0)
_FEW_FACTORS = np.array([0.25, 0.5, 2.0])


@with_suggestions
def power(
    design: Design,
    n: int | None = None,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_comparisons: int = 1,
    curve: Sequence[int] | None = None,
    n_simulations: int | None = None,
    n_resamples: int = 999,
    rng: Rng = 0,
    progress: Progress | None = None,
    resampling: Resampling | None = None,
) -> Plan:
    """Return the power of a study: the probability that its test rejects.

    Parameters
    ----------
    design : Design
        What is assumed: `PairedProportions`, `PairedScores`, `LiftedScores`, `Pilot` or `RunsAndItems`.
    n : int, optional
        The size of the study, in the unit of the design (items, clusters, runs); that of the pilot if the
        design has one.
    level : float
        1 - level is the level of the test.
    alternative : {"two-sided", "greater", "less"}
        Of A against B.
    n_comparisons : int
        Number of comparisons that 1 - level is divided over (Bonferroni, an upper bound for Holm).
    curve : sequence of int, optional
        Other sizes to report; by default some around n. ``()`` for none.
    n_simulations : int, optional
        Simulated studies, for designs without a formula.
    n_resamples : int
        Resamples of the test in each simulated study.
    rng : int, numpy.random.Generator or None
        The seed of the simulation.
    progress : callable, optional
        Called with the number of studies simulated and their number.
    resampling : Resampling, optional
        The last three as one record.

    Returns
    -------
    Plan
        The power, and the curve around it. What a design has estimated from a pilot is in doubt: `power` is
        averaged over what the pilot leaves open, `power_as_estimated` takes its estimates for the truth, as
        does ``power(design.taken_as_true(), n)``.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used as given.
    DesignError
        If the assumptions contradict each other.

    See Also
    --------
    sample_size : The size that has the power wanted.
    minimum_detectable : The smallest difference that a size detects.

    Examples
    --------
    >>> from bestby import PairedProportions
    >>> plan = power(PairedProportions(0.83, 0.80, agreement=0.9), 500)
    >>> round(plan.power, 4)
    0.5187
    """
    question = checked_question(
        level, alternative, n_comparisons, n_simulations, n_resamples, rng, progress, resampling
    )
    size = checked_size(design, n)
    value, error = power_at(design, size, question)
    known = {size: PlanPoint(size, value, error)}
    return _plan("power", design, size, None, question, known, curve)


@with_suggestions
def sample_size(
    design: Design,
    power: float = 0.8,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_comparisons: int = 1,
    curve: Sequence[int] | None = None,
    n_simulations: int | None = None,
    n_resamples: int = 999,
    rng: Rng = 0,
    progress: Progress | None = None,
    resampling: Resampling | None = None,
) -> Plan:
    """Return the least size of a study that has the power wanted.

    Parameters
    ----------
    design : Design
        What is assumed; see `power`.
    power : float
        The power wanted.
    level, alternative, n_comparisons, curve, n_simulations, n_resamples, rng, progress, resampling
        As in `power`.

    Returns
    -------
    Plan
        Its `n` is the size: with a pilot, that whose power is the one wanted on average over what the pilot
        leaves open. Where power is simulated, a line through all sizes tried (the normal quantile of
        power against √n) gives n, and `power` and `error` are what was simulated there.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used as given.
    DesignError
        If no size has that power, or the assumptions contradict each other.

    See Also
    --------
    power : The power of a size.
    minimum_detectable : The smallest difference that a size detects.

    Examples
    --------
    >>> from bestby import PairedProportions
    >>> sample_size(PairedProportions(0.83, 0.80, agreement=0.9), power=0.8).n
    920
    """
    wanted = checks.probability(power, "power")
    question = checked_question(
        level, alternative, n_comparisons, n_simulations, n_resamples, rng, progress, resampling
    )
    check_effect(design, wanted, question)
    n, known = least_size(design, wanted, question)
    return _plan("sample_size", design, n, wanted, question, known, curve)


@with_suggestions
def minimum_detectable(
    design: Design,
    n: int | None = None,
    power: float = 0.8,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_comparisons: int = 1,
    curve: Sequence[int] | None = None,
    n_simulations: int | None = None,
    n_resamples: int = 999,
    rng: Rng = 0,
    progress: Progress | None = None,
    resampling: Resampling | None = None,
) -> Plan:
    """Return the smallest true difference that a study of a given size detects with the power wanted.

    Parameters
    ----------
    design : Design
        What is assumed; its effect gives no more than the direction, and is replaced: accuracy_a, the
        difference, the lift, the effect_scale.
    n : int, optional
        The size of the study; that of the pilot if the design has one.
    power : float
        The power wanted.
    level, alternative, n_comparisons, curve, n_simulations, n_resamples, rng, progress, resampling
        As in `power`.

    Returns
    -------
    Plan
        Its `difference` is the smallest detectable one, its `design` holds the effect that goes with it.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used as given.
    DesignError
        If no difference is detected with that power, or the assumptions contradict each other.

    See Also
    --------
    power : The power of a size.
    sample_size : The size that has the power wanted.

    Examples
    --------
    >>> from bestby import PairedProportions
    >>> plan = minimum_detectable(PairedProportions(0.80, 0.80, agreement=0.9), 500)
    >>> round(plan.difference, 4), round(plan.design.accuracy_a, 4)
    (0.0407, 0.8407)
    """
    wanted = checks.probability(power, "power")
    question = checked_question(
        level, alternative, n_comparisons, n_simulations, n_resamples, rng, progress, resampling
    )
    check_wanted(wanted, question)
    size = checked_size(design, n)

    found = design.with_effect(least_effect(design, size, wanted, question))
    known = {size: PlanPoint(size, *power_at(found, size, question))}
    return _plan("minimum_detectable", found, size, wanted, question, known, curve)


def _plan(
    plan: str,
    design: Design,
    n: int,
    wanted: float | None,
    question: Question,
    known: dict[int, PlanPoint],
    curve: Sequence[int] | None,
) -> Plan:
    points = dict(known)
    sizes = (
        _around(design, n)
        if curve is None
        else [checked_size(design, size) for size in arrays.listed(curve, "curve")]
    )
    for size in sizes:
        if size not in points:
            points[size] = PlanPoint(size, *power_at(design, size, question))
    if curve is not None:
        points = {size: points[size] for size in {n, *sizes}}
    estimated = None  # the power if what was estimated from a pilot were the truth
    if design.doubt_words:
        estimated = power_at(design.taken_as_true(), n, replace(question, progress=None))[0]
    return Plan(
        asked=plan,
        design=design,
        n=n,
        unit=design.unit,
        power=known[n].power,
        error=known[n].error,
        power_as_estimated=estimated,
        difference=design.true_difference,
        wanted=wanted,
        alpha=question.alpha,
        level=question.level,
        alternative=question.alternative,
        n_comparisons=question.n_comparisons,
        curve=tuple(points[size] for size in sorted(points)),
        notes=design.notes(n, question),
        provenance=plan_provenance(plan, design, question),
    )


def _around(design: Design, n: int) -> list[int]:
    """Return sizes around n, rounded to two digits; few where each of them takes a simulation."""
    wanted: FloatArray = n * (_FEW_FACTORS if design.simulated else _FACTORS)
    digits = 10.0 ** np.maximum(np.floor(np.log10(wanted)) - 1.0, 0.0)
    sizes = (np.rint(wanted / digits) * digits).astype(np.int64)
    return sorted({int(size) for size in sizes if design.least <= size <= design.most})
