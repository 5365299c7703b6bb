"""The best system of a table, with the luck of the choice taken off its score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from bestby import evaluate
from bestby._core.typing import FloatArray
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.inference.best import optimism
from bestby.metrics import resolve
from bestby.metrics.base import BaseMetric
from bestby.report.comparison import Leader

RNG = np.random.default_rng(22)
GOLD = RNG.integers(0, 3, 240)
SYSTEMS = {f"s{k}": np.where(RNG.random(240) < 0.6, GOLD, RNG.integers(0, 3, 240)) for k in range(8)}


def best_of(evaluation: Evaluation, metric: BaseMetric, candidates: Sequence[str]) -> Leader | None:
    """Return the leader among candidates."""
    return evaluate(evaluation.with_systems(list(candidates)), metric=metric).leader


def in_order(metric: str, evaluation: Evaluation) -> tuple[str, ...]:
    """Return the systems, those with the largest scores first."""
    (group,) = prepare.groups(evaluation, [resolve(metric)])
    return tuple(evaluation.names[k] for k in np.argsort(-group.scores, kind="stable"))


def of_means(right: FloatArray) -> float:
    found = optimism(right.mean(axis=0), (right - right.mean(axis=0)) / len(right))
    assert found is not None
    return found.optimism


def test_an_accuracy_is_corrected_as_the_means_of_right_answers() -> None:
    evaluation = Evaluation.of(SYSTEMS, GOLD)
    order = in_order("accuracy", evaluation)
    best = best_of(evaluation, resolve("accuracy"), order)
    assert best is not None
    right = np.stack([(SYSTEMS[name] == GOLD).astype(float) for name in order], axis=1)
    assert best.system == order[0]
    assert best.score == pytest.approx(right[:, 0].mean())
    assert abs(best.score - best.corrected) == pytest.approx(of_means(right), rel=0.2)
    assert best.corrected < best.score
    assert 0.0 < abs(best.score - best.corrected) < 0.1


@pytest.mark.parametrize("metric", ["f1_macro", "matthews_corrcoef", "spearman", "kendall", "pearson"])
@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(40), 6)])
def test_metrics_that_are_no_means_are_corrected_about_as_much(
    metric: str, clusters: FloatArray | None
) -> None:
    evaluation = Evaluation.of(SYSTEMS, GOLD, clusters=clusters)
    best = best_of(evaluation, resolve(metric), in_order(metric, evaluation))
    assert best is not None
    assert 0.0 < abs(best.score - best.corrected) < 0.15


def test_the_area_under_a_curve_is_corrected_by_class() -> None:
    gold = RNG.integers(0, 2, 200)
    systems = {f"s{k}": gold + 2.0 * RNG.normal(size=200) for k in range(10)}
    evaluation = Evaluation.of(systems, gold)
    best = best_of(evaluation, resolve("roc_auc"), in_order("roc_auc", evaluation))
    assert best is not None
    assert 0.0 < abs(best.score - best.corrected) < 0.08


def test_a_metric_without_derivatives_is_corrected_by_the_jackknife() -> None:
    values = {f"s{k}": RNG.normal(size=60) for k in range(5)}
    evaluation = Evaluation.of(values, np.zeros(60))
    mean = resolve(lambda gold, predictions: float(np.mean(predictions - gold)))
    order = sorted(values, key=lambda name: -values[name].mean())
    best = best_of(evaluation, mean, order)
    assert best is not None
    assert abs(best.score - best.corrected) == pytest.approx(
        of_means(np.stack([values[name] for name in order], axis=1)), rel=1e-6
    )


def test_errors_are_corrected_upwards() -> None:
    gold = RNG.normal(size=80)
    systems = {f"s{k}": gold + RNG.normal(size=80) for k in range(6)}
    evaluation = Evaluation.of(systems, gold)
    best = best_of(evaluation, resolve("mse"), in_order("mse", evaluation)[::-1])
    assert best is not None
    assert best.corrected > best.score
    assert abs(best.score - best.corrected) > 0.0


def test_one_candidate_has_no_luck_to_take_off() -> None:
    assert best_of(Evaluation.of(SYSTEMS, GOLD), resolve("accuracy"), ["s1"]) is None
