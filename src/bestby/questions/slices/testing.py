"""Whether the difference depends on the slice, and what each difference is once chance is allowed for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core.text import percentage, quoted
from bestby._core.typing import FloatArray
from bestby.engine.base import Pair
from bestby.metrics.base import MeanMetric
from bestby.questions.slices import heterogeneity as inference
from bestby.questions.slices import unit_values
from bestby.questions.slices.parts import Part
from bestby.questions.slices.result import Heterogeneity, HeterogeneityTest
from bestby.results.base import Note
from bestby.results.comparison import Difference

FEWEST_UNITS = 10
"""Items (clusters) of a slice below which nothing made of a standard error holds its level."""

MOST_WORK = 30_000_000
"""Permutations times items above which there are fewer permutations."""

LEAST_PERMUTATIONS = 999


@dataclass(frozen=True, eq=False)
class Tested:
    """Whether a difference depends on the slices of a column; `errors` and `shrunken` have shape (K,)."""

    errors: FloatArray | None
    shrunken: FloatArray | None
    result: Heterogeneity | None
    notes: tuple[Note, ...]


def tested(
    parts: Sequence[Part],
    pair: Pair,
    differences: Sequence[Difference],
    together: FloatArray | None,
    spanned: bool,
) -> Tested:
    """Return the test of heterogeneity of one pair over the slices of one column.

    `together`, of shape (K, K), are the correlations of the differences, and `spanned` says whether clusters
    lie in more than one slice, so that they are correlated.
    """
    d = differences[0]
    about, column = (d.metric, d.a, d.b), parts[0].column
    errors = _errors(parts, differences, spanned=spanned)
    if errors is None:
        told = "nothing tells how far the differences in the slices vary"
        return Tested(None, None, None, (_untested(column, told, about),))
    n_spanning, correlations = None, np.eye(len(parts))
    if spanned:
        n_spanning = np.unique(np.concatenate([np.asarray(part.evaluation.clusters) for part in parts])).size
        if together is None or not _well_known(together, n_spanning):
            told = (
                f"the {n_spanning} clusters across the slices do not tell how all {len(parts)} vary together"
            )
            return Tested(errors, None, None, (_untested(column, told, about),))
        correlations = together
    estimates = np.array([one.estimate for one in differences])
    pooled = inference.pooled(estimates, correlations * np.outer(errors, errors))
    name: HeterogeneityTest = "hotelling"
    notes: tuple[Note, ...] = ()
    if n_spanning is not None:
        p, sign, sign_p = inference.hotelling(pooled.q, pooled.df, n_spanning), None, None
    else:
        degrees = np.array([freedom(part, pair) for part in parts])
        name, p, notes = _p_value(parts, pair, differences, errors, degrees)
        exact = np.array([_tail(part, one) for part, one in zip(parts, differences, strict=True)])
        sign, sign_p = inference.gail_simon(estimates, errors, degrees, exact)
    result = Heterogeneity(
        *about, column, pooled.q, pooled.df, p, name, pooled.mean, pooled.error, pooled.tau, sign, sign_p
    )
    return Tested(errors, pooled.shrunken, result, (*notes, *_few(parts, pooled, about)))


def _few(parts: Sequence[Part], pooled: inference.Pooled, about: tuple[str, ...]) -> tuple[Note, ...]:
    """Return a note if few slices tell how far to shrink: how often a spread would then be missed."""
    # Slices below which the spread of the true differences is known so badly that a note says it
    if len(parts) >= 10:
        return ()
    found = "0, so that all of them are the mean" if pooled.tau == 0.0 else f"{pooled.tau:.2g}"
    told = (
        f"the shrunken differences of {quoted(parts[0].column)} rest on the spread of {len(parts)} slices,"
        f" estimated as {found}: if the true spread were as large as the standard errors, the"
        " estimate from so few independent slices would be 0 in"
        f" {percentage(inference.missed(pooled.df))} of all cases"
    )
    return (Note("few_slices", told, about),)


def _untested(column: str, why: str, about: tuple[str, ...]) -> Note:
    """Return the note that nothing tests whether a difference depends on a column."""
    return Note(
        "heterogeneity", f"whether the difference depends on {quoted(column)} is not tested: {why}", about
    )


def _well_known(correlations: FloatArray, n_units: int) -> bool:
    """Return whether enough clusters tell the correlations of slices, and no slice is known from others."""
    size = len(correlations)
    return n_units > 2 * size and bool(np.linalg.matrix_rank(correlations) == size)


def _errors(parts: Sequence[Part], differences: Sequence[Difference], *, spanned: bool) -> FloatArray | None:
    """Return the standard errors; where nothing varies, that of a slice that varies as the others do."""
    if any(one.standard_error is None for one in differences):
        return None
    sizes = np.array([part.makers.group.n_units for part in parts])
    errors = np.array([one.standard_error for one in differences], dtype=np.float64)
    if spanned and not errors.any():
        return None  # the clusters show no correlations
    estimates = np.array([one.estimate for one in differences])
    steadied = inference.steadied_errors(estimates, errors, sizes)
    return steadied if bool((steadied > 0.0).all()) else None


def _tail(part: Part, d: Difference) -> float:
    """Return the one-sided p-value of a mean to which all units add the same; NaN of others.

    It is that of the swaps, of which only one leaves all of them as they are.
    """
    group = part.makers.group
    constant = d.standard_error == 0.0 and isinstance(group.metric, MeanMetric)
    return 0.5**group.n_units if constant and d.estimate != 0.0 else math.nan


def _p_value(
    parts: Sequence[Part],
    pair: Pair,
    differences: Sequence[Difference],
    errors: FloatArray,
    degrees: FloatArray,
) -> tuple[HeterogeneityTest, float, tuple[Note, ...]]:
    """Return the test of independent slices, its p-value and what to know of it.

    It is Welch's F, which lets slices vary unequally; where a slice does not vary at all, permutations.
    `errors` and their `degrees` of freedom have shape (K,).
    """
    values = _values(parts, pair, differences)
    constant = any(one.standard_error == 0.0 for one in differences)
    if constant and values is not None:
        n = sum(one.size for one in values)
        drawing = parts[0].makers.drawing
        times = min(drawing.n_resamples, max(LEAST_PERMUTATIONS, MOST_WORK // n))
        return "permutation-q", inference.permuted(values, times, drawing.seed), ()
    p = inference.welch(np.array([one.estimate for one in differences]), errors, degrees)
    if constant:
        why = "in some slice nothing varies, and its standard error is taken from all slices"
    elif values is not None and inference.skewed(values):
        why = "the differences of the items are skewed, and some slice has few"
    else:
        return "welch-q", p, ()
    d = differences[0]
    told = (
        f"the test whether the difference depends on {quoted(parts[0].column)} takes the differences in the"
        f" slices for normal, and is approximate: {why}"
    )
    return "welch-q", p, (Note("heterogeneity_approximate", told, (d.metric, d.a, d.b)),)


def freedom(part: Part, pair: Pair) -> float:
    """Return the degrees of freedom of the standard error in a slice."""
    group = part.makers.group
    error = group.sample(*pair).error if group.clustered else None
    return max(1.0, group.sample(*pair).degrees_of_freedom if error is None else error.df)


def _values(parts: Sequence[Part], pair: Pair, differences: Sequence[Difference]) -> list[FloatArray] | None:
    """Return numbers of the items of each slice whose mean is its difference; None if items are no units."""
    found = []
    # Items up to which they are permuted
    if sum(part.evaluation.n_items for part in parts) > 30_000:
        return None
    for part, one in zip(parts, differences, strict=True):
        group = part.makers.group
        if group.clustered or group.n_strata > 1:
            return None
        influence = unit_values.added_by_units(group, pair)
        if influence is None or not np.isfinite(influence).all():
            return None
        found.append(one.estimate + influence.size * influence)
    return found
