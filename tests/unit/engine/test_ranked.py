"""Intervals of metrics of ranks by formula: DeLong's error, clusters, strata, and BCa for comparison."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import t

from bestby import Evaluation, compare
from bestby.engine import interval_methods, prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.metrics import resolve

NAMES = ("roc_auc", "average_precision", "spearman", "kendall")


def data(metric: str, n: int, seed: int = 0) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=n)
    systems = {name: np.round(gold + rng.normal(0.0, sd, n), 1) for name, sd in (("a", 0.6), ("b", 1.0))}
    return (gold > 0.6).astype(int) if metric in NAMES[:2] else gold, systems


def interval(metric: str, how: str, n: int = 120, **more: Any) -> Any:
    gold, systems = data(metric, n)
    return compare(systems, gold, metric=metric, interval=how, n_resamples=5999, **more)["a", "b"].interval


def test_normal_of_auc_is_that_of_delong() -> None:
    """Variances of the placements of both classes over their numbers, with Satterthwaite's freedom."""
    gold, systems = data("roc_auc", 120)
    of_class = []
    for positive in (True, False):
        own, other = gold == positive, gold != positive
        side = 1.0 if positive else -1.0
        wins = [side * np.sign(values[own][:, None] - values[other]) for values in systems.values()]
        of_class.append(0.5 * wins[0].mean(axis=1) - 0.5 * wins[1].mean(axis=1))
    parts = [x.var(ddof=1) / x.size for x in of_class]
    df = sum(parts) ** 2 / sum(v**2 / (x.size - 1) for v, x in zip(parts, of_class, strict=True))
    half = t.ppf(0.975, df) * np.sqrt(sum(parts))
    found = interval("roc_auc", "normal")
    assert (found.method, found.exact) == ("normal", True)
    assert found.high - found.low == pytest.approx(2.0 * half, rel=1e-12)
    assert (found.high + found.low) / 2.0 == pytest.approx(of_class[0].mean(), rel=1e-12)


@pytest.mark.parametrize("metric", NAMES)
@pytest.mark.parametrize("how", ["normal", "abc"])
def test_clusters_of_copies_have_as_much_to_say_as_one_of_each(metric: str, how: str) -> None:
    gold, systems = data(metric, 60)
    twice = {name: np.repeat(values, 2) for name, values in systems.items()}
    settings: dict[str, Any] = {"metric": metric, "interval": how, "n_resamples": 99}
    once = compare(systems, gold, **settings)["a", "b"].interval
    copies = compare(twice, np.repeat(gold, 2), clusters=np.arange(120) // 2, **settings)["a", "b"].interval
    # DeLong's classes give the single items other degrees of freedom.
    slack = (0.02 if (how, metric) == ("normal", "roc_auc") else 1e-5) * (once.high - once.low)
    assert (copies.low, copies.high) == pytest.approx((once.low, once.high), abs=slack)


@pytest.mark.parametrize("metric", NAMES)
def test_effective_units_of_many_items_are_those_of_the_jackknife(metric: str) -> None:
    """Above 1000 items derivatives tell them: of two copies of 900 items, twice as many as without each."""
    gold, systems = data(metric, 900)
    twice = Evaluation.of({name: np.tile(values, 2) for name, values in systems.items()}, np.tile(gold, 2))
    for pair in ((0, 1), (1, None)):
        left_out, by_influence = (
            Estimates(prepare.groups(evaluation, [resolve(metric)])[0], Drawing(10, 0))
            .of(*pair)
            .effective_units
            for evaluation in (Evaluation.of(systems, gold), twice)
        )
        assert by_influence == pytest.approx(2.0 * left_out, rel=0.05)


@pytest.mark.parametrize("metric", NAMES)
def test_where_the_score_hangs_on_one_unit_there_is_one_and_no_standard_error(metric: str) -> None:
    n = 1100
    gold = np.zeros(n)
    gold[700] = 1.0
    rng = np.random.default_rng(2)
    systems = {name: rng.normal(size=n) for name in "ab"}
    group = prepare.groups(Evaluation.of(systems, gold), [resolve(metric)])[0]
    made = Estimates(group, Drawing(10, 0))
    assert made.of(0, 1).effective_units == 1.0
    if metric not in NAMES[:2]:
        return
    interval, notes = interval_methods.interval(made.of(0, 1), "normal", 0.95)
    assert (interval, [note.code for note in notes]) == (None, ["undefined_interval"])
    assert compare(systems, gold, metric=metric, n_resamples=99)["a", "b"].standard_error is None


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision"])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_a_class_of_few_items_is_noted_whatever_its_scores_are(metric: str, k: int) -> None:
    """Two positives that stand alike by chance do not show how others would."""
    rng = np.random.default_rng(5)
    gold = np.r_[np.ones(k), np.zeros(100 - k)]
    a, b = rng.normal(size=(2, 100))
    a[:k], b[:k] = 1.0, 0.8
    found = compare({"a": a, "b": b}, gold, metric=metric, n_resamples=99)["a", "b"]
    told = [note.message for note in found.notes if note.code == "few_effective"]
    if k == 1:
        assert found.interval is None
        assert told == []
        assert "undefined_interval" in {note.code for note in found.notes}
    else:
        assert len(told) == 1
        assert "effective units" in told[0]


def test_clusters_are_counted_that_have_items_of_the_scarce_class() -> None:
    gold = np.r_[np.ones(12), np.zeros(188)]
    rng = np.random.default_rng(6)
    systems = {name: gold + rng.normal(size=200) for name in "ab"}
    for metric in ("roc_auc", "average_precision"):
        for groups, units in ((np.arange(200) // 4, 3), (None, 12)):
            evaluation = Evaluation.of(systems, gold, clusters=groups)
            (group,) = prepare.groups(evaluation, [resolve(metric)])
            assert group.sample(0).scarce_units == units
            found = Estimates(group, Drawing(99, 0)).of(0, 1).situation()["n_effective"]
            assert found is not None
            assert found <= units


def test_the_smaller_class_may_be_that_of_the_negatives() -> None:
    gold = np.r_[np.zeros(3), np.ones(97)]
    rng = np.random.default_rng(7)
    systems = {name: gold + rng.normal(size=100) for name in "ab"}
    (group,) = prepare.groups(Evaluation.of(systems, gold), [resolve("roc_auc")])
    assert group.sample(0).scarce_units == 3
    (group,) = prepare.groups(Evaluation.of(systems, gold), [resolve("average_precision")])
    assert group.sample(0).scarce_units == 97
    (group,) = prepare.groups(Evaluation.of(systems, gold), [resolve("spearman")])
    assert group.sample(0).scarce_units is None
