"""Metrics that know their derivatives: by their formulas, as by small steps, and only of their own score."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby._core.typing import FloatArray
from bestby.metrics import resolve
from bestby.metrics.base import Metric
from bestby.metrics.correlation import Pearson
from bestby.metrics.regression import R2
from bestby.metrics.smooth import Line, SmoothMetric, derivatives

OF_LABELS = (
    *(f"{part}_{how}" for part in ("precision", "recall", "f1") for how in ("macro", "weighted", "micro")),
    *(f"{part}[b]" for part in ("precision", "recall", "f1")),
    "balanced_accuracy",
    "matthews_corrcoef",
    "cohen_kappa",
)
OF_NUMBERS = ("pearson", "rmse", "r2")
N = 40


def fitted(name: str, seed: int = 0) -> tuple[Any, FloatArray]:
    """Return a metric that has seen data, and its statistics; some predictions are missing, one label too."""
    rng = np.random.default_rng(seed)
    metric: Any = resolve(name)
    if name in OF_NUMBERS:
        gold: Any = rng.normal(size=N)
        predictions, labels = gold + rng.normal(size=N), None
    else:
        gold = rng.integers(0, 3, N)
        predictions = np.where(rng.random(N) < 0.6, gold, rng.integers(0, 4, N))
        predictions[:3], labels = -1, np.array(list("abcd"))
    metric = metric.fit(gold, [predictions], labels)
    return metric, metric.statistics(gold, predictions)


def by_steps(metric: Metric, total: FloatArray, directions: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return both derivatives from five scores, whose error is of the fourth order in the step."""
    step = 2.0**-6
    at = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])[:, None, None] * step
    scores = metric.score(total + at * directions)
    first = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) @ scores / (12.0 * step)
    second = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) @ scores / (12.0 * step**2)
    return first, second


@pytest.mark.parametrize("name", [name for name in (*OF_LABELS, *OF_NUMBERS) if name != "recall_micro"])
def test_derivatives_are_those_of_small_steps(name: str) -> None:
    metric, rows = fitted(name)
    if not isinstance(metric, SmoothMetric):
        assert name == "recall_weighted"  # which is accuracy, a mean
        return
    total = rows.sum(axis=0)
    for directions in (rows, rows - total / N):
        found = derivatives(metric, total, directions)
        assert found is not None
        for here, there in zip(found, by_steps(metric, total, directions), strict=True):
            assert here.shape == (N,)
            np.testing.assert_allclose(here, there, atol=1e-7 * np.abs(there).max() + 1e-12)


@pytest.mark.parametrize("name", ["matthews_corrcoef", "cohen_kappa", "pearson", "r2", "rmse"])
def test_there_are_none_where_the_score_is_undefined_or_has_no_slope(name: str) -> None:
    metric, rows = fitted(name)
    one = np.repeat(rows[5:6], 4, axis=0)  # four items alike
    if name == "rmse":
        one[:, 0] = 0.0
    assert derivatives(metric, one.sum(axis=0), one) is None


def test_a_class_that_nothing_has_counts_as_0_and_changes_nothing() -> None:
    metric, rows = fitted("f1_macro")
    found = derivatives(metric, rows.sum(axis=0), rows)
    left = rows.copy()
    left[:, [2, 6, 10]] = 0.0  # neither hit, predicted nor due
    without = derivatives(metric, left.sum(axis=0), left)
    assert found is not None
    assert without is not None
    assert np.isfinite(without).all()
    assert (without[0] != found[0]).any()


def test_the_derivatives_of_a_score_that_a_subclass_replaced_are_not_known() -> None:
    class Squared(R2):
        def score(self, totals: FloatArray) -> FloatArray:
            return super().score(totals) ** 2

    class Renamed(R2):
        caution = "of the square"

    class Fisher(Pearson):
        def score(self, totals: FloatArray) -> FloatArray:
            return np.arctanh(super().score(totals))

    class Half(Pearson):
        def score(self, totals: FloatArray) -> FloatArray:
            return 0.5 * super().score(totals)

        def along(self, totals: Line) -> Line | None:
            found = super().along(totals)
            return None if found is None else 0.5 * found

    _, rows = fitted("r2")
    assert derivatives(Squared(), rows.sum(axis=0), rows) is None
    _, pairs = fitted("pearson")
    assert derivatives(Fisher(), pairs.sum(axis=0), pairs) is None
    assert derivatives(Half(), pairs.sum(axis=0), pairs) is not None
    assert derivatives(Renamed(), rows.sum(axis=0), rows) is not None


@pytest.mark.parametrize("name", ["f1[b]", "f1_macro", "f1_weighted"])
def test_statistics_that_a_subclass_adds_to_do_not_move_the_score(name: str) -> None:
    class More(type(resolve(name))):  # type: ignore[misc]
        def statistics(self, gold: Any, predictions: Any) -> FloatArray:
            return np.column_stack([super().statistics(gold, predictions), np.ones(len(gold))])

    rng = np.random.default_rng(1)
    gold = rng.choice(list("abc"), 200)
    systems = {s: np.where(rng.random(200) < 0.8, gold, rng.choice(list("abc"), 200)) for s in "xy"}
    plain = resolve(name)
    (one,), (other,) = (
        bb.compare(systems, gold, metric=m, test=None).differences for m in (plain, More(**vars(plain)))
    )
    assert one.standard_error == pytest.approx(other.standard_error, rel=1e-9)
    assert one.interval.low == pytest.approx(other.interval.low, rel=1e-9)
