"""Notes on what tests take for granted: enough units, no skewness, systems that could change places."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TypeGuard

import numpy as np

from bestby._core.typing import BoolArray, FloatArray
from bestby.comparisons.settings import CheckedSettings
from bestby.engine import interval_choice, significance_tests
from bestby.engine.base import STANDARDISED, Group, Pair
from bestby.engine.estimate import Estimate, Estimates
from bestby.engine.sums import SumGroup
from bestby.inference import exchangeability, multiplicity, permutation
from bestby.inference.clusters import FEW_CLUSTERS
from bestby.results.base import Note, notes_about
from bestby.results.values import Interval, TestResult

TESTS_OF_MEANS = ("permutation", "t", "bootstrap", "wald")
"""Tests that are read as tests of a difference of means (or scores)."""


def notes_on_swaps(
    group: Group,
    metric: str,
    tests: Collection[TestResult],
    settings: CheckedSettings,
    n_tests: int | None = None,
) -> list[Note]:
    """Return a note where the swaps of the units of one test set cannot decide, and what decides then."""
    units = "blocks" if group.in_blocks else "clusters" if group.clustered else "items"
    return notes_on_few(group.n_units, units, tests, settings, (metric,), n_tests)


def notes_on_few(
    n_units: int,
    units: str,
    tests: Collection[TestResult],
    settings: CheckedSettings,
    about: tuple[str, ...] = (),
    n_tests: int | None = None,
) -> list[Note]:
    """Return a note where the swaps of so few units, named by a plural, cannot decide.

    `n_tests` are corrected together, or as many as there are.
    """
    tests = list(tests)
    n_tests = len(tests) if n_tests is None else n_tests
    refined = settings.test == "auto" and any(test.name == "hall" for test in tests)
    swapped = [test for test in tests if test.name.startswith("permutation")]
    if not (refined or swapped):
        return []
    least = permutation.least_p(n_units, tests[0].alternative)
    correction = "holm" if settings.correction == multiplicity.STEP_DOWN else settings.correction
    corrected = float(multiplicity.adjust([least] * n_tests, correction)[0])
    message = f"swaps of {n_units} {units} cannot give a p-value below {least:.2g}"
    if corrected > least:
        message += f", {corrected:.2g} after the correction for {n_tests} tests"
    if refined:
        message += (
            f"; where all {units} point the same way, Hall's t test decides, which takes what they add to be"
            " near normal or moderately skewed"
        )
        # Units below which a system that fails on one unit in some is mostly seen without that unit
        if n_units < 10:
            message += f"; so few {units} cannot show that a system fails on a rare one"
        return [Note("few_units_for_permutation", message, about)]
    stuck = settings.test != "auto" or any(permutation.at_least_p(test, n_units) for test in swapped)
    if multiplicity.rejects(corrected, settings.alpha) or not stuck:
        return []
    message += f": they cannot make a difference significant at the level {settings.alpha:.2g}"
    return [Note("out_of_reach", message, about)]


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
    notes = note_on_skewness(metric, named, adjusted, again, alpha, units)
    for position in np.flatnonzero(rejected & (not bounded)).tolist():
        doubt = doubts_of_test(estimates.of(*pairs[position]))
        a, b = pairs[position]
        notes += [] if doubt is None else notes_about((doubt,), metric, names[a], names[b])
    sized = [pair for pair, one in zip(pairs, rejected, strict=True) if one or len(pairs) == 1]
    sized = [pair for pair in sized if _goes_with_size(group, pair, tests[pair], len(pairs))]
    unsure = [
        pair
        for pair, one in zip(pairs, rejected, strict=True)
        if one and pair not in sized and _may_go_with_size(group, pair, tests[pair])
    ]
    if sized:
        message = (
            f"the difference of {_pairs(sized, names)} depends on the size of the cluster, and sizes are"
            " unequal: the permutation test of clusters assumes exchangeable systems in each, and rejects too"
            ' often if the overall difference is 0. The cr2 interval and test="wald" correct most of this,'
            " more clusters the rest"
        )
        notes.append(Note("effect_of_size", message, _about(metric, sized, names)))
    if unsure:
        message = (
            f"the {group.n_units} clusters are of unequal size and too few to show whether the difference"
            f" of {_pairs(unsure, names)} depends on it: if it does, tests of clusters reject too often"
            " (about 10 % at a level of 5 %), so a p-value near the level is weak evidence"
        )
        notes.append(Note("effect_of_size", message, _about(metric, unsure, names)))
    return notes


def p_allowing(estimates: Estimates, pair: Pair, test: TestResult, rejects: bool) -> float:
    """Return the p-value of a test of means that rejects, or that of Hall's t test if it is larger."""
    if not rejects or test.name not in TESTS_OF_MEANS:
        return test.p_value
    other = significance_tests.allowing_for_skewness(estimates.of(*pair), test)
    return test.p_value if other is None else max(test.p_value, other.p_value)


def doubts_of_test(estimate: Estimate) -> Note | None:
    """Return a note if so few units carry a difference that its p-value is not what it says.

    None where that takes scores without each unit.
    """
    situation = estimate.situation(jackknife=False)
    if situation["proportion"] or situation["n_effective"] is None:
        return None
    method = "hall" if situation["mean"] or situation["plain_mean"] else "normal"
    return interval_choice.reservation(
        method,
        difference=True,
        n_differing=interval_choice.FEW_DIFFERING,
        n_effective=situation["n_effective"],
        tested=True,
        bounded=False,
    )


def _goes_with_size(group: Group, pair: Pair, test: TestResult, n_tests: int) -> bool:
    """Return whether the difference of a pair goes with the size of its clusters."""
    if not _of_unequal_clusters(group, pair, test):
        return False
    influences = group.sample(*pair).influences
    return exchangeability.follows_size(
        influences.values / influences.sizes, influences.sizes, influences.counts, n_tests
    )


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
        message = (
            f"the predictions of {names[a]} and {names[b]} are on scales too different to be swapped"
            f"{f', and so are {more} other pairs' if more else ''}: there the test swaps standard"
            " scores, which is not exact and rejects too often with few items or heavy tails; use one scale"
        )
        notes.append(Note("standardised_swaps", message, (metric,)))
    elif swapped:
        message = (
            "the test swaps ranks or standard scores, which suits many items of systems on different scales."
            " It is not exact, and rejects too often with few items or heavy tails (6 to 13 % at 5 %);"
            ' test="permutation" swaps the predictions themselves, and is exact for exchangeable systems'
        )
        notes.append(Note("standardised_swaps", message, (metric,)))
    far = _on_different_scales(group, [pair for pair in tests if tests[pair].name == "permutation"])
    if far:
        (a, b), widest = max(far.items(), key=lambda one: one[1].distance)
        means, deviations = (
            " and ".join(f"{x:.3g}" for x in both) for both in (widest.means, widest.deviations)
        )
        others = f", and so are {len(far) - 1} other pairs" if len(far) > 1 else ""
        message = (
            f"the predictions of {names[a]} and {names[b]} are on different scales (means {means}, standard"
            f" deviations {deviations}){others}. The permutation test swaps the predictions themselves and"
            f" finds a difference in {metric} less often here; test={STANDARDISED!r} swaps ranks or"
            " standard scores"
        )
        notes.append(Note("different_scales", message, (metric,)))
    return notes


def _on_different_scales(group: Group, pairs: Sequence[Pair]) -> dict[Pair, exchangeability.Scales]:
    """Return the pairs of systems on visibly different scales, if the metric does not depend on these."""
    if not group.has_standardised_swaps:
        return {}

    def numbers(system: int) -> FloatArray:
        values = group.numbers(system)
        assert values is not None  # of a system that has a location
        return values

    locations = {}
    for s in {s for pair in pairs for s in pair}:
        values = group.numbers(s)
        if values is not None:
            locations[s] = exchangeability.mean_and_deviation(values)
    apart = {
        (a, b): exchangeability.scales_apart(
            locations[a], locations[b], partial(numbers, a), partial(numbers, b)
        )
        for a, b in pairs
        if a in locations and b in locations
    }
    return {pair: both for pair, both in apart.items() if both is not None}


def note_on_skewness(
    metric: str,
    pairs: Sequence[tuple[str, str]],
    adjusted: FloatArray,
    allowing: FloatArray,
    alpha: float,
    units: str,
) -> list[Note]:
    """Return a note where tests reject, and Hall's t test, which allows for skewed units, does not.

    `allowing`, shape (m,), are the larger of both p-values, adjusted as those of the tests are.
    """
    weak = np.flatnonzero(weakly_shown(adjusted, allowing, alpha)).tolist()
    if not weak:
        return []
    (a, b), others = pairs[weak[0]], len(weak) - 1
    more = f" (and of {others} other pair{'s' * (others > 1)})" * (others > 0)
    p = f"the {'adjusted ' * (len(pairs) > 1)}p-value of {a} and {b}{more} is {allowing[weak[0]]:.2g}"
    message = (
        f"{p} by Hall's t test, which allows for skewed {units}: that the systems differ is weakly shown"
    )
    return [Note("skewed_differences", message, (metric,) if others else (metric, a, b))]


def note_on_interval(shown: Interval | None, allowing: Interval | None, units: str) -> tuple[Note, ...]:
    """Return a note where an interval of a difference excludes 0, and Hall's, which is `allowing`, holds it.

    It is for differences without a test: the p-value has the same note.
    """
    if shown is None or allowing is None or 0.0 in shown or 0.0 not in allowing:
        return ()
    message = (
        f"the interval by Hall's t, which allows for skewed {units}, holds 0: that the systems differ is"
    )
    message += " weakly shown"
    return (Note("skewed_differences", message),)


def weakly_shown(adjusted: FloatArray, allowing: FloatArray, alpha: float) -> BoolArray:
    """Return where a test rejects, and one that allows for skewed units does not."""
    weak: BoolArray = multiplicity.rejects(adjusted, alpha) & ~multiplicity.rejects(allowing, alpha)
    return weak
