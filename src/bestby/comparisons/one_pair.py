"""One pair of systems on one metric: the method of its interval, and its difference with its notes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from bestby._core import rounding
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, FloatArray
from bestby.comparisons import equivalence, swap_notes
from bestby.comparisons.family import for_equivalence, with_verdict
from bestby.comparisons.settings import CheckedSettings
from bestby.data.evaluation import Evaluation
from bestby.engine import interval_choice, interval_methods
from bestby.engine.estimate import Estimate, Situation
from bestby.inference import proportions
from bestby.inference.influence import Shown
from bestby.inference.skewness import FEWEST, FOR_INTERVALS, FROM_UNITS
from bestby.metrics.agreement import Agreement
from bestby.metrics.base import BaseMetric
from bestby.report.comparison import Difference
from bestby.report.pairs import IDENTICAL
from bestby.results.base import Note, notes_about
from bestby.results.values import Interval, TestResult

_BY_FORMULA = ("normal", "abc", "hall", "hall-wide", "fisher-z")
"""Intervals of ranks and functions that need no resamples."""


def chosen(estimate: Estimate, method: str) -> tuple[str, Situation]:
    """Return the method of the interval of an estimate, and what its choice depends on.

    `method` is the method asked for; "auto" is replaced by the one the rule chooses.
    """
    # Ranks and callables have no cheap jackknife: it is made where the interval needs it anyhow.
    situation = estimate.situation(jackknife=method in ("auto", "bca"))
    if method == "auto":
        method = interval_choice.choose_interval(**situation).method
        agreement = estimate.b is None and isinstance(estimate.metric, Agreement)
        if agreement and estimate.among.by_units and not (situation["crossed"] or situation["blocks"]):
            # Agreement is skewed near 1, and less so by Fisher's transformation (calibration, `agreement`).
            # The interval of `bestby.agreement`, which is longer where a label is rare, is no choice here: it
            # asks what an item would add with other labels, and an estimate has the sums of items, perhaps
            # weighted or counted, but no labels. The note "rare_label" says where Fisher's does not hold.
            method = "fisher-z"
    return method, situation


def deciding(method: str, asked: str, situation: Situation) -> str:
    """Return the method of the intervals that a verdict is read from, where that of the interval is `method`.

    It is the same where the user named one.
    """
    if asked != "auto" or situation["drawn"] or situation["blocks"]:
        return method
    mean = situation["mean"] or situation["plain_mean"]
    return interval_choice.for_verdict(method, mean=mean, n_units=situation["n_units"])


def doubts(interval: Interval | None, situation: Situation, *, tested: bool = False) -> tuple[Note, ...]:
    """Return notes if an interval covers less than it says; none of one that could not be made.

    They name the method by which it was made in the end, which need not be the one that was chosen. `tested`:
    there is a p-value beside it, of which the same is true.
    """
    if interval is None:
        return ()
    note = interval_choice.reservation(
        interval.method,
        difference=situation["difference"],
        n_differing=situation["n_differing"],
        n_units=situation["n_units"],
        clustered=situation["clustered"],
        plain_mean=situation["plain_mean"] or situation["mean"],
        n_effective=situation["n_effective"],
        ranks=situation["ranks"],
        steps=situation["steps"],
        tested=tested,
    )
    formula = (situation["formula"] or situation["ranks"]) and not situation["drawn"]
    shown = Shown(situation["shown_by_formula"], situation["shown_by_resamples"])
    notes = note, interval_choice.strata_note(interval.method, shown, formula=formula)
    return tuple(one for one in notes if one is not None)


def standard_error(estimate: Estimate, interval: Interval | None) -> tuple[float | None, str | None]:
    """Return the standard error of an estimate and where it comes from; None and None where there is none.

    Returns 0 where nothing but rounding varies.
    """
    group, sample, by_units = estimate.group, estimate.sample, estimate.among.by_units
    value: float | None = None
    method = "formula"
    if by_units and (group.crossed or group.clustered or group.in_blocks) and group.has_formula:
        error = sample.error
        value, method = None if error is None else error.se, "two-way" if group.crossed else "cr2"
    elif by_units and group.has_formula:
        plain = None if estimate.b is None else estimate.proportion
        if plain is not None and plain.bounds.size == 2:
            n_differing = int(plain.counts @ np.abs(plain.values))
            value = float(proportions.paired_error(n_differing, estimate.value, int(plain.counts.sum())))
        else:
            value = sample.standard_error
    elif interval is not None and interval.method == "cr2":
        error = sample.error
        value, method = None if error is None else error.se, "cr2"
    elif interval is not None and interval.method in _BY_FORMULA:
        value = sample.standard_error
    elif interval is not None:
        drawn = estimate.replicates[np.isfinite(estimate.replicates)]
        value, method = float(drawn.std(ddof=1)) if drawn.size > 1 else None, "bootstrap"
    if value is None or not math.isfinite(value):
        return None, None
    least = rounding.noise_width(abs(estimate.value), rounding.ERROR)
    return (value if value > least else 0.0), method


def differing_items(runs: Sequence[Array]) -> int:
    """Return on how many items some run differs from the first; all runs agree where each agrees with it."""
    first = runs[0]
    differs = np.zeros(len(first), dtype=np.bool_)
    for run in runs[1:]:
        if run.ndim != first.ndim:
            return len(first)
        unequal = run != first
        differs |= unequal if unequal.ndim == 1 else unequal.any(axis=1)
    return int(differs.sum())


def check_defined(scores: FloatArray, metric: BaseMetric, name_of: Callable[[int], str]) -> None:
    """Refuse data on which a metric has no value for some system or run, named by its position."""
    undefined = (~np.isfinite(scores)).nonzero()[0]
    if undefined.size:
        raise InvalidInputError(
            f"metric {metric.name} is undefined for {name_of(int(undefined[0]))}",
            hint="a class or all variation is missing; choose another metric or look at the predictions",
        )


class Bounds(NamedTuple):
    """What is known of how far a difference may be from its estimate.

    `interval` is what is shown, and `tost` that of two one-sided tests. `decides` tells whether the
    difference is beyond the margin, where the interval that is shown does not. `few`: there are so few units
    that no interval tells whether one in ten is unlike the others.
    """

    interval: Interval | None = None
    tost: Interval | None = None
    notes: tuple[Note, ...] = ()
    decides: Interval | None = None
    few: bool = False

    @property
    def doubted(self) -> bool:
        """Whether the interval is probably too short, or may be, so that no verdict may be read from it."""
        return self.few or any(
            note.code == "few_effective" or (note.code == "few_differing" and "too short" in note.message)
            for note in self.notes
        )


def intervals(
    estimate: Estimate,
    method: str | None,
    settings: CheckedSettings,
    units: str = "",
) -> Bounds:
    """Return the intervals of a pair, that shown by the method asked for.

    `units` is what units are called, as a plural, that are no items or clusters: few of these have verdicts.
    """
    if method is None:
        return Bounds()
    name, situation = chosen(estimate, method)
    for_verdict = deciding(name, method, situation)
    interval, notes = interval_methods.interval(estimate, name, settings.level)
    tost = for_equivalence(
        interval,
        lambda level: interval_methods.interval(estimate, for_verdict, level),
        settings.level,
        settings.margin,
    )
    tost, unseen = equivalence.interval_of_pair(estimate, tost, settings)
    decides = None
    if settings.margin is not None and for_verdict != name and interval is not None:
        decides = (
            interval_methods.interval(estimate, for_verdict, settings.level)[0]
            if interval.method == name
            else None
        )
    doubted = doubts(interval, situation, tested=settings.test is not None)
    n_units, by_formula = situation["n_units"], name in interval_choice.BY_FORMULA
    by_t = by_formula and (situation["mean"] or situation["plain_mean"]) and not situation["blocks"]
    few = by_t and n_units < interval_choice.FEW_DIFFERING and not units
    untested = settings.test is None and settings.margin is None and method == "auto"
    if untested and by_t and FEWEST <= n_units < FROM_UNITS:
        called = units or ("clusters" if estimate.group.clustered else "items")
        notes = (*notes, *_weakly_shown(estimate, interval, called))
    return Bounds(interval, tost, (*notes, *doubted, *unseen), decides, few)


def _weakly_shown(estimate: Estimate, shown: Interval | None, units: str) -> tuple[Note, ...]:
    """Return a note where skewness may explain that the interval of a mean of few units excludes 0."""
    if shown is None or 0.0 in shown or estimate.sample.robust_error(FOR_INTERVALS) is None:
        return ()
    return swap_notes.note_on_interval(
        shown, interval_methods.interval(estimate, "hall", shown.level)[0], units
    )


def difference(
    estimate: Estimate,
    evaluation: Evaluation,
    test: TestResult | None,
    bounds: Bounds,
    settings: CheckedSettings,
    p_adjusted: float | None = None,
    error: tuple[float | None, str | None] | None = None,
) -> Difference:
    """Return A minus B with its intervals (those of `bounds`), verdict and test.

    The standard error belongs to the intervals: where none are asked for, there is none. `error` is that of
    the interval of the pair by itself, and where it comes from, if `bounds` has another one that holds for
    all pairs at once.
    """
    notes = bounds.notes
    assert estimate.b is not None
    metric, (score_a, score_b) = estimate.metric, estimate.scores.tolist()
    name_a, name_b = (evaluation.names[s] for s in estimate.systems)
    n_differing = estimate.sample.differing[0]
    if n_differing == 0:
        notes += (Note("identical", IDENTICAL),)
    if settings.interval is None:
        error = None, None
    elif error is None:
        error = standard_error(estimate, bounds.interval)
    if test is not None and p_adjusted is None:
        p_adjusted = test.p_value
    plain = Difference(
        metric=metric.name,
        a=name_a,
        b=name_b,
        estimate=estimate.value,
        score_a=score_a,
        score_b=score_b,
        interval=bounds.interval,
        level=settings.level,
        test=test,
        p_adjusted=p_adjusted,
        greater_is_better=metric.greater_is_better,
        n_items=evaluation.n_items,
        n_clusters=evaluation.n_clusters,
        n_differing=n_differing,
        notes=notes_about(notes, metric.name, name_a, name_b),
        standard_error=error[0],
        standard_error_method=error[1],
    )
    return with_verdict(plain, bounds.tost, settings.margin, decides=bounds.decides, doubted=bounds.doubted)
