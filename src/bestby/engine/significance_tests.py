"""Significance tests of differences, each by its name."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from bestby._core import rounding
from bestby._core.errors import DesignError
from bestby._core.typing import Alternative
from bestby.engine.base import STANDARDISED, Pair
from bestby.engine.estimate import Estimate, Estimates
from bestby.engine.sums import SumSample
from bestby.inference import classical, permutation, skewness
from bestby.inference.clusters import StandardError
from bestby.inference.distributions import LEAST_TAIL, Distribution, Lattice, Replicates
from bestby.metrics.base import MeanMetric
from bestby.results.values import TestResult

_COUNT_TESTS = {"mcnemar": classical.mcnemar, "mcnemar-midp": classical.mcnemar_midp}
_RANK_TESTS = {"sign": classical.sign, "wilcoxon": classical.wilcoxon}

MOST_DIFFERENCES = 1 << 28
"""Items of a counted table up to which each gets its difference; the sorts take some GB there."""


def run(
    name: str, estimates: Estimates, pairs: Sequence[Pair], alternative: Alternative
) -> dict[Pair, TestResult]:
    """Return one test of every pair."""
    return {pair: result(name, estimates.of(*pair), alternative) for pair in pairs}


def result(name: str, estimate: Estimate, alternative: Alternative) -> TestResult:
    """Return the test of a difference."""
    if name == "auto" and estimate.group.crossed:
        name = "wald"  # no swap keeps two groupings
    if name in ("wald", "hall"):
        return _by_error(estimate, alternative, name)
    if estimate.group.crossed:
        raise DesignError(
            f"test {name!r} supports one grouping of the items, not two crossed ones", hint='test="wald"'
        )
    if name == "auto":
        return _by_default(estimate, alternative)
    if name == "permutation":
        return estimate.sample.permutation(alternative, estimate.drawing)
    if name == STANDARDISED:
        return _standardised(estimate, alternative)
    if name == "bootstrap":
        return _bootstrap(estimate, alternative)
    if name in _COUNT_TESTS:
        return _COUNT_TESTS[name](*_discordant(name, estimate), alternative)
    return _difference_test(name, estimate, alternative)


def _standardised(estimate: Estimate, alternative: Alternative) -> TestResult:
    """Return the permutation test that swaps ranks or standard scores."""
    if not estimate.group.has_standardised_swaps:
        raise DesignError(
            f"test {STANDARDISED!r} needs a correlation or a metric of ranks;"
            f" {estimate.metric.name} depends on the scale of the predictions",
            hint='test="permutation" applies to every metric',
        )
    test = estimate.sample.permutation(alternative, estimate.drawing, standardised=True)
    return dataclasses.replace(test, name=STANDARDISED)


def _by_default(estimate: Estimate, alternative: Alternative) -> TestResult:
    """Return the permutation test; where no swap is more extreme than the data, Hall's t test can go on."""
    test, n_units = estimate.sample.permutation(alternative, estimate.drawing), estimate.group.n_units
    if not permutation.at_least_p(test, n_units):
        return test
    return permutation.refined(test, n_units, allowing_for_skewness(estimate, test))


def allowing_for_skewness(estimate: Estimate, test: TestResult) -> TestResult | None:
    """Return Hall's t test in place of one that takes units to be symmetric.

    None for right and wrong answers, and where nothing tells what a unit adds.
    """
    few = estimate.group.n_units < skewness.FEWEST
    if not estimate.among.by_units or few or estimate.proportion is not None:
        return None
    error = estimate.sample.robust_error(skewness.FOR_INTERVALS)
    if error is None or not _varies(error, estimate.value):
        return None
    return skewness.wald(estimate.value, error, test.alternative, "hall")


def _by_error(estimate: Estimate, alternative: Alternative, name: str) -> TestResult:
    """Return the test "wald" or "hall": the difference over its standard error."""
    estimate.group.every_unit(f"test {name!r}")
    error, sample = None, estimate.sample
    if estimate.among.by_units:
        error = sample.error if name == "wald" else sample.robust_error(skewness.FOR_INTERVALS)
    if error is None:
        raise DesignError(
            f"test {name!r} needs a standard error, and {estimate.metric.name} has none here",
            hint='test="permutation" applies to every metric',
        )
    if np.isnan(error.se):
        raise DesignError(
            f"test {name!r} needs a standard error, and that of {estimate.metric.name} is"
            " undefined on these data",
            hint='test="permutation" needs none',
        )
    result = skewness.wald(estimate.value, error, alternative, name)
    if _varies(error, estimate.value) and result.p_value >= LEAST_TAIL:
        return result
    # All units differ by the same amount, nearly: there is no spread, and signs are all there is.
    return dataclasses.replace(result, p_value=max(result.p_value, _least(estimate, alternative)))


def _varies(error: StandardError, estimate: float) -> bool:
    """Return whether units differ by more than rounding from each other."""
    return error.se > rounding.noise_width(abs(estimate), rounding.ERROR)


def _bootstrap(estimate: Estimate, alternative: Alternative) -> TestResult:
    """Return the bootstrap test: replicates centred on the estimate (Davison & Hinkley 1997, section 4.4)."""
    distribution, _ = estimate.distribution
    observed = estimate.value
    if isinstance(distribution, Replicates):
        drawn = distribution.values - observed
        return permutation.monte_carlo(drawn, observed, alternative, name="bootstrap", scale=estimate.scale)
    least = _least(estimate, alternative)
    p = min(1.0, max(_centred_tail(distribution, observed, alternative), least))
    method = "convolution" if isinstance(distribution, Lattice) else "characteristic function"
    return TestResult("bootstrap", p, alternative, True, method, statistic=observed)


def _least(estimate: Estimate, alternative: Alternative) -> float:
    """Return the least p-value that as many differing units can give.

    Beyond all resamples the tail is 0; but n units that may each point either way cannot say more than their
    signs do, least of all when all differ by the same amount and no resample varies.
    """
    sides = 2.0 if alternative == "two-sided" else 1.0
    return min(1.0, max(sides * 0.5 ** estimate.sample.differing[1], LEAST_TAIL))


def _centred_tail(distribution: Distribution, observed: float, alternative: Alternative) -> float:
    """Return the mass of replicates whose distance from the estimate is at least the estimate's from 0."""
    # Replicates less the estimate stand for the null hypothesis: |d* - d| >= |d|, or d* - d >= d on one side.
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


def _discordant(name: str, estimate: Estimate) -> tuple[int, int]:
    estimate.group.every_unit(f"test {name!r}")
    plain = estimate.proportion
    if plain is None:
        metric = estimate.metric.name
        raise DesignError(
            f"test {name!r} needs 0/1 values of independent items; {metric} has none here",
            hint='test="permutation" applies to every metric, with clusters too',
        )
    values, counts = plain.merged
    return int(counts[values == 1.0].sum()), int(counts[values == -1.0].sum())


def _difference_test(name: str, estimate: Estimate, alternative: Alternative) -> TestResult:
    """Return a test of the difference of each unit: of items, or of the sums over clusters."""
    group, sample = estimate.group, estimate.sample
    group.every_unit(f"test {name!r}")
    if not isinstance(sample, SumSample) or not isinstance(estimate.metric, MeanMetric):
        raise DesignError(
            f"test {name!r} needs one number per item; {estimate.metric.name} is not a mean of such",
            hint='test="permutation" applies to every metric',
        )
    if group.n_units > max(MOST_DIFFERENCES, sample.units.n_rows):
        raise DesignError(
            f"test {name!r} needs a difference per item, and the table counts {group.n_units} items",
            hint='test="permutation" takes them as they are counted',
        )
    first, second = (rows[:, 0] for rows in sample.rows())
    sizes = np.abs(first) + np.abs(second)
    differences = np.repeat(classical.paired_differences(first, second), sample.units.counts)
    if name not in _RANK_TESTS:
        return classical.paired_t(differences, alternative)
    typical = float(np.median(sizes[sizes > 0.0])) if sizes.any() else 0.0
    return _RANK_TESTS[name](differences, alternative, rounding=rounding.level_width(typical))
