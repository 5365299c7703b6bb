"""How much one item can move a difference: by the rows that its metric knows to be possible."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.engine.unseen import evidence
from bestby.metrics import resolve

RNG = np.random.default_rng(0)
GOLD = RNG.integers(0, 3, 300)
A = np.where(RNG.random(300) < 0.8, GOLD, RNG.integers(0, 3, 300))
B = np.where(RNG.random(300) < 0.95, A, RNG.integers(0, 3, 300))


def group_of(metric: Any, systems: dict[str, Any], gold: Any = None, **groups: Any) -> Any:
    (group,) = prepare.groups(Evaluation.of(systems, gold, **groups), [resolve(metric)])
    return group


LABELS = (
    "accuracy", "f1_macro", "f1_weighted", "precision_macro", "recall[1]", "precision[2]", "f1[0]",
    "balanced_accuracy", "matthews_corrcoef", "cohen_kappa",
)  # fmt: skip


@pytest.mark.parametrize("metric", LABELS)
def test_no_item_moves_the_difference_further_than_the_reach(metric: str) -> None:
    """Plain loops: one more item, of every gold and predictions, moves it by about the influence at most."""
    systems = {"a": A, "b": B}
    found = evidence(group_of(metric, systems, GOLD), (0, 1))
    assert found.reach is not None
    here = group_of(metric, systems, GOLD).scores
    moved = []
    for gold in range(3):
        for a in range(3):
            for b in range(3):
                more = {"a": np.r_[A, a], "b": np.r_[B, b]}
                there = group_of(metric, more, np.r_[GOLD, gold]).scores
                moved.append((there[0] - there[1]) - (here[0] - here[1]))
    assert found.reach == pytest.approx((-min(moved), max(moved)), rel=0.03)


@pytest.mark.parametrize("metric", ["soft_f1[0]", "soft_f1_macro", "soft_recall[1]"])
def test_soft_labels_reach_as_far_as_certain_ones(metric: str) -> None:
    hard = evidence(group_of(metric.removeprefix("soft_"), {"a": A, "b": B}, GOLD), (0, 1)).reach
    rows = np.eye(3)
    systems = {"a": rows[A], "b": rows[B]}
    soft = evidence(group_of(metric, systems, rows[GOLD], classes=[0, 1, 2]), (0, 1)).reach
    assert soft == pytest.approx(hard, rel=1e-9)


def test_a_third_system_does_not_change_the_reach() -> None:
    other = np.where(RNG.random(300) < 0.1, 7, A)
    for metric in LABELS:
        alone = evidence(group_of(metric, {"a": A, "b": B}, GOLD), (0, 1)).reach
        together = evidence(group_of(metric, {"a": A, "b": B, "c": other}, GOLD), (0, 1)).reach
        assert together == pytest.approx(alone, rel=1e-9), metric


def test_scores_without_bounds_have_no_reach() -> None:
    found = evidence(group_of("mean", {"a": A.astype(float), "b": B.astype(float)}), (0, 1))
    assert (found.reach, found.clustered) == (None, False)
    assert found.n_differing == int((A != B).sum())
    assert found.influences is not None


def test_clusters_are_units() -> None:
    group = group_of("accuracy", {"a": A, "b": B}, GOLD, clusters=np.arange(300) // 10)
    found = evidence(group, (0, 1))
    assert (found.n_units, found.clustered) == (30, True)
    assert found.reach == pytest.approx((1 / 300, 1 / 300), rel=0.05)


@pytest.mark.parametrize("strata", [None, np.arange(300) % 4])
def test_scores_that_are_all_0_or_1_reach_as_far_as_answers(strata: Any) -> None:
    groups = {} if strata is None else {"strata": strata}
    right = {"a": (A == GOLD).astype(float), "b": (B == GOLD).astype(float)}
    answers = evidence(group_of("accuracy", {"a": A, "b": B}, GOLD, **groups), (0, 1)).reach
    assert evidence(group_of("mean", right, **groups), (0, 1)).reach == pytest.approx(answers)
    right["a"][0] = 0.5
    assert evidence(group_of("mean", right, **groups), (0, 1)).reach is None


def test_scores_of_clusters_have_no_such_bound() -> None:
    right = {"a": (A == GOLD).astype(float), "b": (B == GOLD).astype(float)}
    assert evidence(group_of("mean", right, clusters=np.arange(300) // 3), (0, 1)).reach is None
