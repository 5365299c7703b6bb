"""Notes on p-values of few or skewed units: swaps that cannot decide, tests that skewness may explain."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from bestby._core.typing import BoolArray, FloatArray
from bestby.comparisons.settings import CheckedSettings
from bestby.engine.base import Group
from bestby.inference import multiplicity, permutation
from bestby.results.base import Note
from bestby.results.values import Interval, TestResult


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
    """Return the same for so many units, named by a plural; `n_tests`, or these, are corrected together."""
    tests = list(tests)
    n_tests = len(tests) if n_tests is None else n_tests
    refined = settings.test == "auto" and any(test.name == "hall" for test in tests)
    swapped = [test for test in tests if test.name.startswith("permutation")]
    if not (refined or swapped):
        return []
    least = permutation.least_p(n_units, tests[0].alternative)
    correction = "holm" if settings.correction == multiplicity.STEP_DOWN else settings.correction
    corrected = float(multiplicity.adjust([least] * n_tests, correction)[0])
    told = f"swaps of {n_units} {units} cannot give a p-value below {least:.2g}"
    if corrected > least:
        told += f", {corrected:.2g} after the correction for {n_tests} tests"
    if refined:
        told += (
            f"; where all {units} point the same way, Hall's t test decides, which takes what they add to be"
            " near normal or moderately skewed"
        )
        # Units below which a system that fails on one unit in some is mostly seen without that unit
        if n_units < 10:
            told += f"; so few {units} cannot show that a system fails on a rare one"
        return [Note("few_units_for_permutation", told, about)]
    stuck = settings.test != "auto" or any(permutation.at_least_p(test, n_units) for test in swapped)
    if multiplicity.rejects(corrected, settings.alpha) or not stuck:
        return []
    told += f": they cannot make a difference significant at the level {settings.alpha:.2g}"
    return [Note("out_of_reach", told, about)]


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
    found = np.flatnonzero(weakly_shown(adjusted, allowing, alpha)).tolist()
    if not found:
        return []
    (a, b), others = pairs[found[0]], len(found) - 1
    more = f" (and of {others} other pair{'s' * (others > 1)})" * (others > 0)
    p = f"the {'adjusted ' * (len(pairs) > 1)}p-value of {a} and {b}{more} is {allowing[found[0]]:.2g}"
    told = f"{p} by Hall's t test, which allows for skewed {units}: that the systems differ is weakly shown"
    return [Note("skewed_differences", told, (metric,) if others else (metric, a, b))]


def note_on_interval(shown: Interval | None, allowing: Interval | None, units: str) -> tuple[Note, ...]:
    """Return a note where an interval of a difference excludes 0, and Hall's, which is `allowing`, holds it.

    It is for differences without a test: the p-value has the same note.
    """
    if shown is None or allowing is None or 0.0 in shown or 0.0 not in allowing:
        return ()
    told = f"the interval by Hall's t, which allows for skewed {units}, holds 0: that the systems differ is"
    told += " weakly shown"
    return (Note("skewed_differences", told),)


def weakly_shown(adjusted: FloatArray, allowing: FloatArray, alpha: float) -> BoolArray:
    """Return where a test rejects, and one that allows for skewed units does not."""
    weak: BoolArray = multiplicity.rejects(adjusted, alpha) & ~multiplicity.rejects(allowing, alpha)
    return weak
