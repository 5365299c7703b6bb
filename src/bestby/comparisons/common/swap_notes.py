"""Notes on what tests take for granted: that two systems could change places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bestby.engine.base import STANDARDISED, Group, Pair
from bestby.engine.sums import SumGroup
from bestby.inference import exchangeability, scales
from bestby.results.base import Note
from bestby.results.values import TestResult


def exchange_notes(
    group: Group, m: int, tests: Mapping[Pair, TestResult], names: Sequence[str], asked: str | None
) -> list[Note]:
    """Return notes on permutation tests of correlations and ranks: what is swapped, and when it is right.

    `asked` is the test by the name that the user gave.
    """
    metric = group.metrics[m].name
    notes = []
    swapped = [pair for pair in tests if tests[pair].name == STANDARDISED]
    if swapped and asked != STANDARDISED:
        (_, a, b), more = swapped[0], len(swapped) - 1
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
    far = _on_different_scales(group, m, [pair for pair in tests if tests[pair].name == "permutation"])
    if far:
        (_, a, b), widest = max(far.items(), key=lambda one: one[1].distance)
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


def _on_different_scales(group: Group, m: int, pairs: Sequence[Pair]) -> dict[Pair, scales.Scales]:
    """Return the pairs of systems on visibly different scales, if the metric does not depend on these."""
    if not group.has_standardised_swaps(m):
        return {}
    numbers = {s: group.numbers(m, s) for s in {s for pair in pairs for s in pair[1:]}}
    compared = {}
    for pair in pairs:
        a, b = numbers[pair[1]], numbers[pair[2]]
        if a is not None and b is not None:
            compared[pair] = scales.compared(a[0], b[0], a[1])
    return {pair: both for pair, both in compared.items() if both.differ}


TESTS_OF_MEANS = ("permutation", "t", "bootstrap", "wald")
"""Tests that are read as tests of a difference of means (or scores)."""


def exchangeability_notes(
    group: Group,
    m: int,
    tests: Mapping[Pair, TestResult],
    names: Sequence[str],
    alpha: float,
    what: str = "items",
) -> list[Note]:
    """Return notes where the data show that two systems could not change places, though tests take it so.

    Of several pairs only those are looked at whose test rejects, as the test may do so too often. `what` is
    what the units are called, if they are no clusters.
    """
    if group.in_blocks or group.crossed or group.n_strata > 1:
        return []
    metric, skewed, sized = group.metrics[m].name, [], []
    for pair, test in tests.items():
        if test.name not in TESTS_OF_MEANS or (len(tests) > 1 and test.p_value > alpha):
            continue
        plain = group.contributions(*pair)
        if plain is not None:
            if exchangeability.skewed(plain.values, plain.counts, len(tests), plain.moments):
                skewed.append(pair)
        elif isinstance(group, SumGroup) and group.clustered:
            sizes, counts = group.table.sizes, group.table.units.counts
            if exchangeability.follows_size(group.influence(*pair) / sizes, sizes, counts, len(tests)):
                sized.append(pair)
    notes = []
    if skewed:
        units = "clusters" if group.clustered else what
        told = (
            f"the differences of {_pairs(skewed, names)} are skewed over the {units}: their mean is far"
            " from their median. Tests of the mean, including the permutation test, then reject too often"
            " if the means are equal (30 lognormal differences: 13 % at a level of 5 %), so a p-value near"
            f" the level is weak evidence; use more {units} if you can"
        )
        notes.append(Note("skewed_differences", told, _about(metric, skewed, names)))
    if sized:
        told = (
            f"the difference of {_pairs(sized, names)} depends on the size of the cluster, and sizes are"
            " unequal: the permutation test of clusters assumes exchangeable systems in each, and rejects too"
            ' often if the overall difference is 0. The cr2 interval and test="wald" correct most of this,'
            " more clusters the rest"
        )
        notes.append(Note("effect_of_size", told, _about(metric, sized, names)))
    return notes


def _pairs(pairs: Sequence[Pair], names: Sequence[str]) -> str:
    """Return a pair in words, and how many others there are.

    >>> _pairs([(0, 0, 1)], ["x", "y"]), _pairs([(0, 0, 1), (0, 0, 2), (0, 1, 2)], ["x", "y", "z"])
    ('x and y', 'x and y (and of 2 other pairs)')
    """
    _, a, b = pairs[0]
    others = len(pairs) - 1
    more = f" (and of {others} other pair{'s' if others > 1 else ''})" if others else ""
    return f"{names[a]} and {names[b]}{more}"


def _about(metric: str, pairs: Sequence[Pair], names: Sequence[str]) -> tuple[str, ...]:
    return (metric, *(names[s] for s in pairs[0][1:])) if len(pairs) == 1 else (metric,)
