"""Significance tests of differences of one group of metrics."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from bestby._core import rounding
from bestby._core.errors import DesignError
from bestby._core.typing import Alternative
from bestby.engine.base import STANDARDISED, Pair
from bestby.engine.interval_maker import Intervals
from bestby.engine.sums import SumGroup
from bestby.engine.targets import Target
from bestby.inference import classical, permutation, skewness
from bestby.inference.clusters import StandardError
from bestby.inference.distributions import LEAST_TAIL, Distribution, Lattice, Replicates
from bestby.metrics.base import MeanMetric
from bestby.results.values import TestResult

_OF_COUNTS = {"mcnemar": classical.mcnemar, "mcnemar-midp": classical.mcnemar_midp}
_OF_RANKS = {"sign": classical.sign, "wilcoxon": classical.wilcoxon}

MOST_DIFFERENCES = 1 << 28
"""Items of a counted table up to which each gets its difference; the sorts take some GB there."""


def run(
    name: str, makers: Intervals, pairs: Sequence[Pair], alternative: Alternative
) -> dict[Pair, TestResult]:
    """Return one test of every pair.

    `pairs` are positions of a metric and two systems.
    """
    if name == "auto" and makers.group.crossed:
        name = "wald"  # no swap keeps two groupings
    if name in ("wald", "hall"):
        return {pair: _by_error(makers, pair, alternative, name) for pair in pairs}
    if makers.group.crossed:
        raise DesignError(
            f"test {name!r} supports one grouping of the items, not two crossed ones", hint='test="wald"'
        )
    if name == "auto":
        return _refined(makers, pairs, alternative)
    if name == "permutation":
        return makers.group.permutation(pairs, alternative, makers.drawing)
    if name == STANDARDISED:
        return _standardised(makers, pairs, alternative)
    if name == "bootstrap":
        return {pair: _bootstrap(makers, pair, alternative) for pair in pairs}
    if name in _OF_COUNTS:
        return {pair: _OF_COUNTS[name](*_discordant(name, makers, pair), alternative) for pair in pairs}
    return {pair: _difference_test(name, makers, pair, alternative) for pair in pairs}


def _standardised(
    makers: Intervals, pairs: Sequence[Pair], alternative: Alternative
) -> dict[Pair, TestResult]:
    """Return the permutation tests that swap ranks or standard scores."""
    for m in {pair[0] for pair in pairs}:
        if not makers.group.has_standardised_swaps(m):
            raise DesignError(
                f"test {STANDARDISED!r} needs a correlation or a metric of ranks;"
                f" {makers.group.metrics[m].name} depends on the scale of the predictions",
                hint='test="permutation" applies to every metric',
            )
    tests = makers.group.permutation(pairs, alternative, makers.drawing, standardised=True)
    return {pair: dataclasses.replace(test, name=STANDARDISED) for pair, test in tests.items()}


def _refined(makers: Intervals, pairs: Sequence[Pair], alternative: Alternative) -> dict[Pair, TestResult]:
    """Return the permutation tests; where no swap is more extreme than the data, Hall's t test can go on."""
    group = makers.group
    tests = group.permutation(pairs, alternative, makers.drawing)
    for pair, test in tests.items():
        if permutation.at_least_p(test, group.n_units):
            tests[pair] = permutation.refined(test, group.n_units, allowing_for_skewness(makers, pair, test))
    return tests


def allowing_for_skewness(makers: Intervals, pair: Pair, test: TestResult) -> TestResult | None:
    """Return Hall's t test in place of one that takes units to be symmetric.

    None for right and wrong answers, and where nothing tells what a unit adds.
    """
    target = Target(*pair)
    if not makers.by_units or makers.group.n_units < skewness.FEWEST or makers.proportion(target) is not None:
        return None
    error, estimate = makers.group.robust_error(*pair, skewness.FOR_INTERVALS), makers.estimate(target)
    if error is None or not _varies(error, estimate):
        return None
    return skewness.wald(estimate, error, test.alternative, "hall")


def _by_error(makers: Intervals, pair: Pair, alternative: Alternative, name: str) -> TestResult:
    """Return the test "wald" or "hall": the difference over its standard error."""
    group = makers.group
    group.every_unit(f"test {name!r}")
    error = None
    if makers.by_units:
        error = group.error(*pair) if name == "wald" else group.robust_error(*pair, skewness.FOR_INTERVALS)
    if error is None:
        raise DesignError(
            f"test {name!r} needs a standard error, and {group.metrics[pair[0]].name} has none here",
            hint='test="permutation" applies to every metric',
        )
    if np.isnan(error.se):
        raise DesignError(
            f"test {name!r} needs a standard error, and that of {group.metrics[pair[0]].name} is"
            " undefined on these data",
            hint='test="permutation" needs none',
        )
    estimate = makers.estimate(Target(*pair))
    found = skewness.wald(estimate, error, alternative, name)
    if _varies(error, estimate) and found.p_value >= LEAST_TAIL:
        return found
    # All units differ by the same amount, nearly: there is no spread, and signs are all there is.
    return dataclasses.replace(found, p_value=max(found.p_value, _least(makers, pair, alternative)))


def _varies(error: StandardError, estimate: float) -> bool:
    """Return whether units differ by more than rounding from each other."""
    return error.se > rounding.noise_width(abs(estimate), rounding.ERROR)


def _bootstrap(makers: Intervals, pair: Pair, alternative: Alternative) -> TestResult:
    """Return the bootstrap test: replicates centred on the estimate (Davison & Hinkley 1997, section 4.4)."""
    target = Target(*pair)
    distribution, _ = makers.distribution(target)
    observed = makers.estimate(target)
    if isinstance(distribution, Replicates):
        drawn = distribution.values - observed
        scale = makers.scale(target)
        return permutation.monte_carlo(drawn, observed, alternative, name="bootstrap", scale=scale)
    least = _least(makers, pair, alternative)
    p = min(1.0, max(_centred_tail(distribution, observed, alternative), least))
    method = "convolution" if isinstance(distribution, Lattice) else "characteristic function"
    return TestResult("bootstrap", p, alternative, True, method, statistic=observed)


def _least(makers: Intervals, pair: Pair, alternative: Alternative) -> float:
    """Return the least p-value that as many differing units can give.

    Beyond all resamples the tail is 0; but n units that may each point either way cannot say more than their
    signs do, least of all when all differ by the same amount and no resample varies.
    """
    sides = 2.0 if alternative == "two-sided" else 1.0
    return min(1.0, max(sides * 0.5 ** makers.group.differing(pair)[1], LEAST_TAIL))


def _centred_tail(distribution: Distribution, observed: float, alternative: Alternative) -> float:
    """Return the mass of replicates whose distance from the estimate is at least the estimate's from 0."""
    reach = abs(observed) if alternative == "two-sided" else observed
    high_point = observed + reach
    upper = distribution.above(high_point) + distribution.at(high_point)
    low_point = observed - reach if alternative == "two-sided" else 2.0 * observed
    lower = distribution.below(low_point) + distribution.at(low_point)
    if alternative == "greater":
        return upper
    if alternative == "less":
        return lower
    return 1.0 if observed == 0.0 else upper + lower


def _discordant(name: str, makers: Intervals, pair: Pair) -> tuple[int, int]:
    makers.group.every_unit(f"test {name!r}")
    plain = makers.proportion(Target(*pair))
    if plain is None:
        metric = makers.group.metrics[pair[0]].name
        raise DesignError(
            f"test {name!r} needs 0/1 values of independent items; {metric} has none here",
            hint='test="permutation" applies to every metric, with clusters too',
        )
    values, counts = plain.merged
    return int(counts[values == 1.0].sum()), int(counts[values == -1.0].sum())


def _difference_test(name: str, makers: Intervals, pair: Pair, alternative: Alternative) -> TestResult:
    """Return a test of the difference of each unit: of items, or of the sums over clusters."""
    group, (m, a, b) = makers.group, pair
    group.every_unit(f"test {name!r}")
    if not isinstance(group, SumGroup) or not isinstance(group.metrics[m], MeanMetric):
        raise DesignError(
            f"test {name!r} needs one number per item; {group.metrics[m].name} is not a mean of such",
            hint='test="permutation" applies to every metric',
        )
    sample = group.sample(a, b)
    if group.n_units > max(MOST_DIFFERENCES, sample.units.n_rows):
        raise DesignError(
            f"test {name!r} needs a difference per item, and the table counts {group.n_units} items",
            hint='test="permutation" takes them as they are counted',
        )
    first, second = (rows[:, 0] for rows in sample.rows())
    sizes = np.abs(first) + np.abs(second)
    differences = np.repeat(classical.paired_differences(first, second), sample.units.counts)
    if name not in _OF_RANKS:
        return classical.paired_t(differences, alternative)
    typical = float(np.median(sizes[sizes > 0.0])) if sizes.any() else 0.0
    return _OF_RANKS[name](differences, alternative, rounding=rounding.level_width(typical))
