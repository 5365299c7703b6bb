"""Derivatives of scores: against formulas, at the edges of what a score is defined for, in any unit."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from bestby import compare
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.engine.functionals import Directions, influence, response
from bestby.engine.prepare import statistics_of
from bestby.inference.influence import score_and_bend
from bestby.inference.intervals import effective_units
from bestby.metrics import resolve
from bestby.metrics.base import Metric
from bestby.metrics.classification import BalancedAccuracy
from bestby.metrics.correlation import Pearson
from bestby.metrics.registry import _Wrapped
from bestby.metrics.regression import MeanSquaredError, RootMeanSquaredError
from bestby.metrics.smooth import derivatives
from bestby.resampling.units import Units

RNG = np.random.default_rng(0)
GOLD = RNG.normal(size=50)
PREDICTIONS = GOLD + RNG.normal(0.0, 0.5, 50)
UNITS = (1e-12, 1e-5, 1.0, 1e9)


class OneSided(Metric):
    """A metric that is undefined where its first total is above 10."""

    name = "one_sided"
    needs_gold = False

    def statistics(self, gold: Any, predictions: Any) -> Any:  # noqa: ARG002
        return np.column_stack([predictions, np.ones(predictions.size)])

    def score(self, totals: Any) -> Any:
        return np.where(totals[..., 0] > 10.0, np.nan, totals[..., 0] / totals[..., 1])


def of_units(metric: Metric, gold: Any, predictions: Any) -> Any:
    rows = metric.statistics(gold, predictions)
    return influence(metric, metric.score, rows.sum(axis=0), rows)


ROOTS: tuple[Metric, ...] = (RootMeanSquaredError(), _Wrapped(RootMeanSquaredError()))
"""One that knows its derivatives, and the same by steps."""


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("metric", ROOTS, ids=["formula", "steps"])
def test_influence_on_a_root(metric: Metric, unit: float) -> None:
    squares = ((PREDICTIONS - GOLD) * unit) ** 2
    root = np.sqrt(squares.mean())
    expected = (squares - root**2) / (2.0 * root * 50)
    found = of_units(metric, GOLD * unit, PREDICTIONS * unit)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7 * np.abs(expected).max())


ONE_EACH = Units(np.ones(50, dtype=np.int64), np.array([0, 50]))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("metric", ROOTS, ids=["formula", "steps"])
def test_both_derivatives_of_a_root(metric: Metric, unit: float) -> None:
    """As weight w moves to one unit, the mean square is m + w (x - m) / n, and the score its root."""
    squares = ((PREDICTIONS - GOLD) * unit) ** 2
    slope, root = (squares - squares.mean()) / 50, np.sqrt(squares.mean())
    rows = metric.statistics(GOLD * unit, PREDICTIONS * unit)
    found = response(metric, metric.score, rows.sum(axis=0), rows, ONE_EACH)
    expected = slope / (2.0 * root)
    first, others = (1e-12, 1e-12) if metric is ROOTS[0] else (1e-6, 1e-4)
    for here, within in ((found.influence, first), (found.first, others)):
        np.testing.assert_allclose(here, expected, rtol=within, atol=within * np.abs(expected).max())
    assert found.curvature == pytest.approx(-float((slope**2).sum()) / (4.0 * root**3), rel=others)


@pytest.mark.parametrize("several", [False, True])
def test_the_response_of_a_correlation_is_that_in_each_direction(several: bool) -> None:
    metric = Pearson().fit(GOLD, [PREDICTIONS], None)
    rows = metric.statistics(GOLD, PREDICTIONS)
    units = Units(1 + np.arange(50) % 3, np.array([0, 20, 50])) if several else ONE_EACH
    counts, total = units.counts, units.counts @ rows
    moves = rows.copy()
    for start, stop in pairwise(units.bounds):
        moves[start:stop] -= np.average(rows[start:stop], axis=0, weights=counts[start:stop])
    found = response(metric, metric.score, total, rows, units)
    for of_units, directions in ((found.influence, rows), (found.first, moves)):
        known = derivatives(metric, total, directions)
        assert known is not None
        np.testing.assert_allclose(of_units, known[0], atol=1e-14)
    assert found.curvature == pytest.approx(float(counts @ known[1]), rel=1e-11)


def test_both_derivatives_of_a_mean_are_those_of_its_steps() -> None:
    """A mean of units of unequal sizes, by formula and by steps of the same score."""
    sizes = np.arange(50) % 4 + 1.0
    rows = np.column_stack([PREDICTIONS * sizes, sizes])
    by_formula, by_steps = (
        response(metric, MeanSquaredError().score, rows.sum(axis=0), rows, ONE_EACH)
        for metric in (MeanSquaredError(), OneSided())
    )
    assert by_steps.curvature == pytest.approx(by_formula.curvature, rel=1e-3)
    for here, there in (
        (by_formula.influence, by_steps.influence),
        (by_formula.first, by_steps.first),
    ):
        np.testing.assert_allclose(here, there, rtol=1e-3, atol=1e-3 * np.abs(here).max())


def test_influence_on_a_mean_is_to_the_last_digit() -> None:
    squares = (PREDICTIONS - GOLD) ** 2
    found = of_units(MeanSquaredError(), GOLD, PREDICTIONS)
    np.testing.assert_allclose(found, (squares - squares.mean()) / 50, rtol=1e-13, atol=1e-16)


def test_influence_where_a_root_is_0_and_where_one_item_makes_it() -> None:
    assert (of_units(RootMeanSquaredError(), GOLD, GOLD) == 0.0).all()
    one = GOLD.copy()
    one[3] += 0.1
    found = of_units(RootMeanSquaredError(), GOLD, one)
    assert found.sum() == pytest.approx(0.0, abs=1e-9)
    assert found[3] == pytest.approx(0.5 * 0.1 / np.sqrt(50.0) * (1.0 - 1.0 / 50.0), rel=1e-6)


@pytest.mark.parametrize("noise", [1e-3, 1e-4])
@pytest.mark.parametrize("by_steps", [False, True])
def test_influence_on_a_correlation_next_to_1(by_steps: bool, noise: float) -> None:
    """r is at most 1: steps that would lead beyond it are cut off, and halve the slope."""
    x = GOLD + noise * RNG.normal(size=50)
    metric: Metric = Pearson().fit(GOLD, [x], None)
    metric, exact = (_Wrapped(metric), 1.0) if by_steps else (metric, 1e-4)
    found = of_units(metric, GOLD, x)
    u, v = (x - x.mean()) / x.std(), (GOLD - GOLD.mean()) / GOLD.std()
    r = float(metric.score(metric.statistics(GOLD, x).sum(axis=0)))
    # u v - r (u^2 + v^2) / 2, without cancellation: half of (1 - r)(u^2 + v^2) - (u - v)^2.
    expected = 0.5 * ((1.0 - r) * (u * u + v * v) - (u - v) ** 2) / 50
    np.testing.assert_allclose(found, expected, rtol=2e-2, atol=2e-2 * exact * np.abs(expected).max())


def test_a_score_undefined_on_one_side_has_the_slope_of_the_other() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0])  # their total is 10: more is undefined
    found = of_units(OneSided(), None, values)
    np.testing.assert_allclose(found, (values - 2.5) / 4, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("unit", UNITS)
def test_directions_give_the_variance_of_the_influence(unit: float) -> None:
    metric = Pearson().fit(GOLD, [], None)
    rows = metric.statistics(GOLD, PREDICTIONS) * np.array([unit, unit**2, unit, 1.0, 1.0, 1.0])

    def score(totals: Any) -> Any:
        return metric.score(totals / np.array([unit, unit**2, unit, 1.0, 1.0, 1.0]))

    total, centred = rows.sum(axis=0), rows - rows.mean(axis=0)
    directions = Directions.of(centred.T @ centred / 50)
    assert directions.along.shape == (6, 5)  # the last column does not vary
    z = centred @ directions.across
    np.testing.assert_allclose(z.T @ z / 50, np.eye(5), atol=1e-9)
    assert (np.abs(z @ directions.along.T - centred) <= 1e-9 * np.abs(centred).max(axis=0) + 1e-15).all()
    slopes = directions.slopes(score, total[None, :], 50)[0]
    found = influence(metric, score, total, rows)
    np.testing.assert_allclose(z @ slopes, found, atol=1e-7 * np.abs(found).max())


def test_columns_that_do_not_vary_have_no_directions() -> None:
    directions = Directions.of(np.zeros((2, 2)))
    assert directions.slopes(lambda t: t[:, 0], np.ones((3, 2)), 4).shape == (3, 0)


def test_a_first_prediction_of_a_class_has_the_slope_of_a_jump() -> None:
    """Of a class that was never predicted a right prediction takes its precision from 0 to 1 at once."""
    metric = resolve("precision_macro").fit(np.array([0, 1, 0]), [np.zeros(3, dtype=np.int64)], np.arange(2))
    gold, predictions = np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1])
    rows = metric.statistics(gold, predictions)
    slopes = influence(metric, metric.score, rows[:3].sum(axis=0), rows)
    assert np.abs(slopes[:3]).max() < 1.0
    assert slopes[3] > 1000.0


BY_FORMULA = ("f1_macro", "balanced_accuracy", "matthews_corrcoef", "cohen_kappa", "pearson")


def two_systems(name: str, n: int) -> Evaluation:
    rng = np.random.default_rng(3)
    if name == "pearson":
        gold = rng.normal(size=n)
        return Evaluation.of({s: gold + rng.normal(size=n) for s in "ab"}, gold)
    gold = rng.integers(0, 3, n)
    return Evaluation.of({s: np.where(rng.random(n) < 0.7, gold, rng.integers(0, 3, n)) for s in "ab"}, gold)


@pytest.mark.parametrize("name", BY_FORMULA)
def test_the_beginning_of_a_path_is_that_of_small_steps(name: str) -> None:
    group = prepare.groups(two_systems(name, 300), [resolve(name)])[0]
    for systems in ((0, 1), (1, 0), (0, None)):
        expansion = group.sample(*systems).expansion
        assert expansion is not None
        assert expansion.path.beginning is not None
        by_steps = score_and_bend(expansion.along)
        assert expansion.path.beginning == pytest.approx(by_steps, abs=1e-7)


def test_units_that_bring_much_of_a_total_are_left_out() -> None:
    """Derivatives do not show that a class of two items could be lost, the jackknife does."""
    gold = np.r_[np.arange(298) % 2, 2, 2]
    a, b = gold.copy(), gold.copy()
    a[:60], b[30:90] = 1 - a[:60], 1 - b[30:90]
    b[-1] = 0
    evaluation = Evaluation.of({"a": a, "b": b}, gold)
    group = prepare.groups(evaluation, [resolve("f1_macro")])[0]
    expansion = group.sample(0, 1).expansion
    found = group.sample(0, 1).effective_units
    assert expansion is not None
    metric, rows = statistics_of(evaluation, resolve("f1_macro"))
    without = [metric.score(of_system.sum(axis=0) - of_system) for of_system in rows]
    left_out = effective_units(without[0] - without[1], np.ones(300, dtype=np.int64))
    assert found == pytest.approx(left_out, rel=1e-9)
    assert abs(expansion.n_effective / left_out - 1.0) > 0.02


def test_a_subclass_with_a_score_of_its_own_has_the_standard_error_of_any_metric() -> None:
    """Its derivatives come from steps, which are smaller for a standard error than for an interval."""

    class Root(BalancedAccuracy):
        def score(self, totals: Any) -> Any:
            return np.sqrt(super().score(totals))

    class Plain(Metric):
        name, reads = "plain", "labels"

        def statistics(self, gold: Any, predictions: Any) -> Any:
            return fitted.statistics(gold, predictions)

        def score(self, totals: Any) -> Any:
            return fitted.score(totals)

    rng = np.random.default_rng(2)
    gold = rng.integers(0, 3, 40)
    systems = {name: np.where(rng.random(40) < 0.3, rng.integers(0, 3, 40), gold) for name in "ab"}
    fitted = Root("root").fit(gold, [], np.arange(3))
    errors = [
        compare(systems, gold, metric=metric, interval="normal", test=None)["a", "b"].standard_error
        for metric in (Root("root"), Plain())
    ]
    assert errors[0] == pytest.approx(errors[1], rel=1e-9)


@pytest.mark.parametrize("name", BY_FORMULA)
@pytest.mark.parametrize("n", [1000, 3000])
def test_derivatives_tell_the_effective_units_of_the_jackknife(name: str, n: int) -> None:
    evaluation = two_systems(name, n)
    metric, rows = statistics_of(evaluation, resolve(name))
    of_a, of_b = (metric.score(system.sum(axis=0) - system) for system in rows)
    (group,) = prepare.groups(evaluation, [resolve(name)])
    for systems, left_out in (((0, 1), of_a - of_b), ((0, None), of_a)):
        expected = effective_units(left_out, np.ones(n, dtype=np.int64))
        found = group.sample(*systems).effective_units
        assert found != expected
        assert found == pytest.approx(expected, rel=10.0 / n)
