"""A gate on several tasks: each is a check, or all are pooled."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.unit.questions.gate.examples import answers

import bestby as bb


def _of_tasks(losses: dict[str, int]) -> bb.Evaluation:
    """Return 400 answers for each task, of which the candidate loses so many."""
    both = [answers(400, lost, 0) for lost in losses.values()]
    names = np.repeat([*losses], 400)
    items = [f"{name}/{place}" for place, name in enumerate(names)]
    systems = {name: np.concatenate([one[name] for one in both]) for name in ("main", "new")}
    made = bb.Evaluation.of(systems, items=items, strata=names)
    return dataclasses.replace(made, tasks=names)


def test_each_task_is_a_check_and_margins_are_not_corrected() -> None:
    data = _of_tasks({"qa": 0, "nli": 40})
    result = bb.gate(data, margin=0.1, metric="accuracy of answers")
    assert [check.name for check in result] == ["accuracy of answers (qa)", "accuracy of answers (nli)"]
    assert [check.outcome for check in result] == ["pass", "inconclusive"]
    assert (result.outcome, result.n_items, result.n_worse) == ("inconclusive", 800, 40)
    for check, lost in zip(result, (0, 40), strict=True):
        alone = bb.gate(answers(400, lost, 0), margin=0.1, metric="accuracy of answers").checks[0]
        assert (check.bound, check.outcome, check.more) == (alone.bound, alone.outcome, alone.more)
    assert result.provenance.data["tasks"] == 2
    assert result.provenance.data_hash == data.data_hash()
    assert [check.part for check in result.with_margin(0.5)] == ["qa", "nli"]


def test_alarms_of_tasks_are_one_family() -> None:
    losses = {"qa": 4, "nli": 5, "sts": 0}
    result = bb.gate(_of_tasks(losses), metric="mean")
    assert [check.difference.p_value for check in result] == pytest.approx([1 / 16, 1 / 32, 1.0])
    assert [check.difference.p_adjusted for check in result] == pytest.approx([2 / 16, 3 / 32, 1.0])
    assert result.outcome == "pass"
    assert bb.gate(answers(400, 5, 0), metric="mean").outcome == "fail"


def test_tasks_can_be_pooled() -> None:
    data = _of_tasks({"qa": 0, "nli": 40})
    (check,) = bb.gate(data, metric="mean", margin=0.1, pool=True).checks
    assert (check.part, check.outcome, check.difference.n_items) == (None, "pass", 800)
    plain = dataclasses.replace(data, tasks=None)
    assert bb.gate(plain, metric="mean", margin=0.1).checks[0].bound == check.bound


@pytest.mark.parametrize("differing", [0, 1, 4])
def test_pooled_tasks_that_hardly_differ_are_decided(differing: int) -> None:
    main = np.tile([1, 1, 1, 0], 500)
    new = main.copy()
    new[:differing] = 1 - new[:differing]
    tasks = np.repeat(["a", "b", "c", "d"], [800, 600, 400, 200])
    scores = bb.Evaluation.of({"main": main, "new": new}, strata=tasks)
    answers_ = bb.Evaluation.of({"main": main, "new": new}, np.ones(2000, dtype=int), strata=tasks)
    result = bb.gate(scores, metric=bb.ScoreMetric("acc", greater_is_better=True), margin=0.02)
    assert result.outcome == "pass"
    assert result.checks[0].bound == pytest.approx(bb.gate(answers_, margin=0.02).checks[0].bound)
    assert (
        bb.gate(scores, metric=bb.ScoreMetric("acc", greater_is_better=True), margin=0.0005).outcome
        == "inconclusive"
    )
