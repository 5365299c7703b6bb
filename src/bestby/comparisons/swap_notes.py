"""Notes on what tests take for granted: that two systems could change places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeGuard

import numpy as np

from bestby._core.typing import FloatArray
from bestby.comparisons import few_units, one_pair
from bestby.engine import significance_tests
from bestby.engine.base import STANDARDISED, Group, Pair
from bestby.engine.estimate import Estimates
from bestby.engine.sums import SumGroup
from bestby.inference import exchangeability, multiplicity
from bestby.inference.clusters import FEW_CLUSTERS
from bestby.results.base import Note, notes_about
from bestby.results.values import TestResult


def exchange_notes(
    group: Group, tests: Mapping[Pair, TestResult], names: Sequence[str], asked: str | None
) -> list[Note]:
    """Return notes on permutation tests of correlations and ranks: what is swapped, and when it is right.

    `asked` is the test by the name that the user gave.
    """
    metric = group.metric.name
    notes = []
    swapped = [pair for pair in tests if tests[pair].name == STANDARDISED]
    if swapped and asked != STANDARDISED:
        (a, b), more = swapped[0], len(swapped) - 1
        told = (
            f"the predictions of {names[a]} and {names[b]} are on scales too different to be swapped"
            f"{f', and so are {more} other pairs' if more else ''}: there the test swaps standard"
            " scores, which is not exact and rejects too often with few items or heavy tails; use one scale"
        )
        notes.append(Note("standardised_swaps", told, (metric,)))
    elif swapped:
        told = (
            "the test swaps ranks or standard scores, which suits many items of systems on different scales."
            " It is not exact, and rejects too often with few items or heavy tails (6 to 13 % at 5 %);"
            ' test="permutation" swaps the predictions themselves, and is exact for exchangeable systems'
        )
        notes.append(Note("standardised_swaps", told, (metric,)))
    far = _on_different_scales(group, [pair for pair in tests if tests[pair].name == "permutation"])
    if far:
        (a, b), widest = max(far.items(), key=lambda one: one[1].distance)
        means, deviations = (
            " and ".join(f"{x:.3g}" for x in both) for both in (widest.means, widest.deviations)
        )
        others = f", and so are {len(far) - 1} other pairs" if len(far) > 1 else ""
        told = (
            f"the predictions of {names[a]} and {names[b]} are on different scales (means {means}, standard"
            f" deviations {deviations}){others}. The permutation test swaps the predictions themselves and"
            f" finds a difference in {metric} less often here; test={STANDARDISED!r} swaps ranks or"
            " standard scores"
        )
        notes.append(Note("different_scales", told, (metric,)))
    return notes


def _on_different_scales(group: Group, pairs: Sequence[Pair]) -> dict[Pair, exchangeability.Scales]:
    """Return the pairs of systems on visibly different scales, if the metric does not depend on these."""
    if not group.has_standardised_swaps:
        return {}

    def numbers(system: int) -> FloatArray:
        found = group.numbers(system)
        assert found is not None  # of a system that has a location
        return found

    locations = {}
    for s in {s for pair in pairs for s in pair}:
        values = group.numbers(s)
        if values is not None:
            locations[s] = exchangeability.mean_and_deviation(values)
    found = {
        (a, b): exchangeability.scales_apart(
            locations[a], locations[b], partial(numbers, a), partial(numbers, b)
        )
        for a, b in pairs
        if a in locations and b in locations
    }
    return {pair: both for pair, both in found.items() if both is not None}


TESTS_OF_MEANS = ("permutation", "t", "bootstrap", "wald")
"""Tests that are read as tests of a difference of means (or scores)."""


def exchangeability_notes(
    estimates: Estimates,
    tests: Mapping[Pair, TestResult],
    names: Sequence[str],
    correction: str,
    alpha: float,
    what: str = "items",
    *,
    bounded: bool = True,
) -> list[Note]:
    """Return notes where two systems cannot change places, though tests of one metric take it so.

    Only pairs are looked at whose tests reject, as these may do so too often. `what` is what the units are
    called, if they are no clusters. Intervals of the differences, if there are such (`bounded`), have the
    notes on few effective units.
    """
    group = estimates.group
    if group.in_blocks or group.crossed or not tests:
        return []
    pairs, units = list(tests), "clusters" if group.clustered else what
    metric = group.metric.name
    correction = "holm" if correction == multiplicity.STEP_DOWN else correction
    adjusted = multiplicity.adjust([test.p_value for test in tests.values()], correction)
    rejected = multiplicity.rejects(adjusted, alpha)
    allowing = [
        p_allowing(estimates, pair, tests[pair], one) for pair, one in zip(pairs, rejected, strict=True)
    ]
    named = [(names[a], names[b]) for a, b in pairs]
    again = multiplicity.adjust(allowing, correction)
    notes = few_units.note_on_skewness(metric, named, adjusted, again, alpha, units)
    for position in np.flatnonzero(rejected & (not bounded)).tolist():
        found = one_pair.doubts_of_test(estimates.of(*pairs[position]))
        a, b = pairs[position]
        notes += [] if found is None else notes_about((found,), metric, names[a], names[b])
    sized = [pair for pair, one in zip(pairs, rejected, strict=True) if one or len(pairs) == 1]
    sized = [pair for pair in sized if _goes_with_size(group, pair, tests[pair], len(pairs))]
    unsure = [
        pair
        for pair, one in zip(pairs, rejected, strict=True)
        if one and pair not in sized and _may_go_with_size(group, pair, tests[pair])
    ]
    if sized:
        told = (
            f"the difference of {_pairs(sized, names)} depends on the size of the cluster, and sizes are"
            " unequal: the permutation test of clusters assumes exchangeable systems in each, and rejects too"
            ' often if the overall difference is 0. The cr2 interval and test="wald" correct most of this,'
            " more clusters the rest"
        )
        notes.append(Note("effect_of_size", told, _about(metric, sized, names)))
    if unsure:
        told = (
            f"the {group.n_units} clusters are of unequal size and too few to show whether the difference"
            f" of {_pairs(unsure, names)} depends on it: if it does, tests of clusters reject too often"
            " (about 10 % at a level of 5 %), so a p-value near the level is weak evidence"
        )
        notes.append(Note("effect_of_size", told, _about(metric, unsure, names)))
    return notes


def p_allowing(estimates: Estimates, pair: Pair, test: TestResult, rejects: bool) -> float:
    """Return the p-value of a test of means that rejects, or that of Hall's t test if it is larger."""
    if not rejects or test.name not in TESTS_OF_MEANS:
        return test.p_value
    other = significance_tests.allowing_for_skewness(estimates.of(*pair), test)
    return test.p_value if other is None else max(test.p_value, other.p_value)


def _goes_with_size(group: Group, pair: Pair, test: TestResult, n_tests: int) -> bool:
    """Return whether the difference of a pair goes with the size of its clusters."""
    if not _of_unequal_clusters(group, pair, test):
        return False
    found = group.sample(*pair).influences
    return exchangeability.follows_size(found.values / found.sizes, found.sizes, found.counts, n_tests)


def _may_go_with_size(group: Group, pair: Pair, test: TestResult) -> bool:
    """Return whether clusters are unequal, and too few to show whether a difference goes with their size."""
    if group.n_units >= FEW_CLUSTERS or not _of_unequal_clusters(group, pair, test):
        return False
    sizes = group.design.unit_sizes
    return sizes is not None and exchangeability.unequal(sizes)


def _of_unequal_clusters(group: Group, pair: Pair, test: TestResult) -> TypeGuard[SumGroup]:
    """Return whether a test of a mean is one of clusters that may be of unequal size."""
    if test.name not in TESTS_OF_MEANS or not (isinstance(group, SumGroup) and group.clustered):
        return False
    return group.n_strata == 1 and group.sample(*pair).contributions is None


def _pairs(pairs: Sequence[Pair], names: Sequence[str]) -> str:
    """Return a pair in words, and how many others there are.

    >>> _pairs([(0, 1)], ["x", "y"]), _pairs([(0, 1), (0, 2), (1, 2)], ["x", "y", "z"])
    ('x and y', 'x and y (and of 2 other pairs)')
    """
    a, b = pairs[0]
    others = len(pairs) - 1
    more = f" (and of {others} other pair{'s' if others > 1 else ''})" if others else ""
    return f"{names[a]} and {names[b]}{more}"


def _about(metric: str, pairs: Sequence[Pair], names: Sequence[str]) -> tuple[str, ...]:
    return (metric, *(names[s] for s in pairs[0])) if len(pairs) == 1 else (metric,)
