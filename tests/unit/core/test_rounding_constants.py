"""What is equal up to rounding is said in `_core/rounding.py` alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np
import pytest
from tests.unit.source_trees import ROOT as SOURCE
from tests.unit.source_trees import nodes

from bestby._core import rounding

TINY = 1e-6

ALGORITHMS = {
    "questions/monitor/monitor.py": {1e-9},  # keeps a scale above 0
    "questions/monitor/evidence.py": {
        1e-12,
        1e-9,
        1e-7,
    },  # where bisection ends; digits that cancel
    "questions/monitor/confidence_sequences.py": {
        1e-12,
        1e-9,
        1e-7,
    },  # keeps a share off 0 and 1; where bisection ends, and how far outside an end is put
    "questions/monitor/planned_looks.py": {
        1e-12,
        1e-10,
        1e-9,
    },  # where root finders stop; the start of a bracket
    "questions/judged/judge_quality.py": {1e-9},  # regressors that depend on each other
    "questions/labels/choose.py": {1e-9},  # the weight of a stratum without spread
    "questions/judged/prediction_powered.py": {1e-10},  # regressors that depend on each other
    "_core/checks.py": {1e-12},  # keeps a level off 0 and 1
    "questions/preferences/model.py": {1e-10, 1e-300},  # where Newton's method stops; keeps a divisor above 0
    "questions/preferences/precision.py": {1e-9},  # what keeps a matrix regular
    "questions/preferences/strengths.py": {
        1e-7,
        1e-9,
        1e-12,
    },  # where Newton's method stops; information of nothing, sums of clusters that balance
    "questions/preferences/doubts.py": {1e-9, 1e-300},  # what pairs determine; keeps a divisor above 0
    "questions/preferences/compare.py": {1e-9},  # strengths that the order does not change
    "inference/distributions.py": {1e-10, 1e-12, 1e-13, 1e-15, 1e-17},
    "inference/samples.py": {1e-15},  # keeps a probability off 0 and 1
    "inference/proportions.py": {1e-15, 4e-16},  # how far the numbers around an end lie apart
    # the bound of what a series leaves out; a finite logarithm; terms of a series
    "inference/characteristic_functions.py": {1e-9, 1e-300, 1e-8},
    "comparisons/simultaneous.py": {1e-9, 1e-12},  # how far an adjusted p is moved off the level
    "inference/intervals.py": {1e-12, 1e-10},  # the least p looked for, and where bisection ends
    "questions/published/shares.py": {5e-324},  # a p-value above 0
    "questions/datasets/overall_runs.py": {1e-12},  # shares of a run that a cut leaves by rounding alone
    "planning/base.py": {1e-12},  # keeps a power off 0 and 1
    "inference/multiplicity.py": {1e-12},  # keeps a matrix positive definite
    "engine/interval_methods.py": {1e-12},  # keeps a level below 1
    "inference/dominating_point.py": {1e-13, 1e-8, 1e-9},  # too small a spread; where a search stops
    "engine/estimate.py": {1e-12},  # keeps a correlation below 1
    "questions/judged/labelled.py": {1e-10},  # eigenvalues of a covariance that are rounding alone
    # mass left out, terms of a series, a target in reach, a p-value that no correction asks for
    "inference/permutation.py": {1e-19, 1e-15, 1e-9, 1e-12},
    # too small a mean square; keeps a divisor above 0
    "questions/agreement/coefficients.py": {1e-12, 1e-300},
    "questions/attempts/bands.py": {1e-12},  # variance that is rounding alone
    "questions/facets/result.py": {1e-12},  # keeps a divisor above 0
    # keeps a divisor above 0; a level that the budget just pays
    "questions/facets/study.py": {1e-9, 1e-12},
    "questions/datasets/ranking.py": {1e-300},  # keeps a logarithm negative
    "inference/clusters.py": {1e-12},  # keeps a correlation below 1
    "metrics/classification.py": {1e-14},  # counts: the least real margin is 2 / n, far above rounding
    # the clip of probabilities in a logarithm, as documented, and bins that rounding alone fills; a mean
    # square relative to that of the full data
    "metrics/soft.py": {1e-12, 1e-10},
    "questions/planning/simulated.py": {1e-9},  # the least factor of a search
    "questions/planning/runs_items.py": {1e-100},  # keeps a variance above 0
    "report/replicability.py": {1e-16},  # keeps a p-value on a logarithmic axis
    "report/numbers.py": {6e-10, 1e-15, 1e-9},  # what is too small to be shown; last bits of a power of ten
}
"""The tolerances of algorithms, and bounds that keep a number defined: none says what is equal."""


def tiny_numbers() -> Iterator[tuple[str, float]]:
    """Yield the float literals below a millionth, with their module."""
    for path, every in nodes().items():
        for node in every:
            if isinstance(node, ast.Constant) and isinstance(node.value, float) and 0.0 < node.value < TINY:
                yield path.relative_to(SOURCE).as_posix(), node.value


def test_no_other_module_says_what_is_equal() -> None:
    found: dict[str, set[float]] = {}
    for module, value in tiny_numbers():
        found.setdefault(module, set()).add(value)
    assert len(found.pop("_core/rounding.py")) > 5
    assert found == ALGORITHMS


def test_nothing_else_compares_with_a_tolerance() -> None:
    for path, every in nodes().items():
        for node in every:
            assert not (isinstance(node, ast.Attribute) and node.attr in ("isclose", "allclose")), path


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_each_notion_is_relative_to_its_scale(unit: float) -> None:
    assert rounding.level((0.1 + 0.2) * unit, 0.3 * unit, 0.3 * unit)
    assert not rounding.level(0.3 * unit, 0.3000001 * unit, 0.3 * unit)
    assert rounding.at_most((0.1 + 0.2) * unit, 0.3 * unit)
    assert not rounding.at_most(0.3000001 * unit, 0.3 * unit)
    assert rounding.is_nothing(1e-13 * unit, unit)
    assert not rounding.is_nothing(1e-11 * unit, unit)
    assert rounding.tie_width(unit, 0.0) == pytest.approx(1e-13 * unit)
    assert rounding.tie_width(0.0, unit) == pytest.approx(1e-10 * unit)


def test_nan_is_neither_level_nor_nothing() -> None:
    assert rounding.level(np.array([np.nan, 1.0]), np.ones(2), 1.0).tolist() == [False, True]
    assert rounding.is_nothing(np.array([np.nan, 0.0]), 1.0).tolist() == [False, True]


def test_whole_numbers_are_reached_but_for_rounding() -> None:
    numbers, whole = [0.0, 0.2 * 15, 0.3 / 0.1, 0.9999, -0.5, 1e15 - 0.25], [0, 3, 3, 0, -1, 10**15]
    assert [rounding.round_down(x) for x in numbers] == whole
    assert rounding.round_down(np.array(numbers)).tolist() == whole
