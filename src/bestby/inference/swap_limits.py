"""The least p-value that swaps of few units allow, and the test that goes on from there."""

from __future__ import annotations

from bestby._core import rounding
from bestby._core.typing import Alternative
from bestby.results.values import TestResult

NEVER_NEEDED = 1e-12
"""A p-value that no correction for many tests asks for: 10^10 of them at 5 %."""


def least_p(n_units: int, alternative: Alternative) -> float:
    """Return the p-value of the most extreme swap of n units, which differ or not: no other is smaller.

    >>> least_p(5, "two-sided"), least_p(5, "greater")
    (0.0625, 0.03125)
    """
    return (2.0 if alternative == "two-sided" else 1.0) * 0.5**n_units


def at_least_p(test: TestResult, n_units: int) -> bool:
    """Return whether no swap of n units is more extreme than the data, so that p cannot be smaller.

    It is if all units point the same way. Not for so many units that no correction for many tests asks for a
    smaller p-value.
    """
    least = least_p(n_units, test.alternative)
    return test.exact and least >= NEVER_NEEDED and rounding.at_most(test.p_value, least)


def refined(test: TestResult, n_units: int, other: TestResult | None) -> TestResult:
    """Return the permutation test, or where its p-value cannot be smaller, the smaller of it and another.

    At every level that swaps can reach this is the exact test. Below, it rejects only if no swap is more
    extreme than the data and the other test rejects, so that its level is at most that of the other.

    >>> swaps = TestResult("permutation", 0.0625, "two-sided", True, "enumeration", statistic=1.0)
    >>> refined(swaps, 5, TestResult("hall", 0.004, "two-sided", False, "asymptotic", statistic=6.0)).name
    'hall'
    >>> refined(swaps, 9, TestResult("hall", 0.004, "two-sided", False, "asymptotic", statistic=6.0)).name
    'permutation'
    """
    if other is None or not at_least_p(test, n_units):
        return test
    return other if other.p_value < test.p_value else test
