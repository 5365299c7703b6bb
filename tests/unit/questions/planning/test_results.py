"""Plans as texts, tables and figures, and their signatures."""

from __future__ import annotations

import numpy as np
from tests.unit.questions.planning.examples import RUNS

import bestby as bb


def test_the_answer_is_in_the_table_and_in_the_figure() -> None:
    plan = bb.sample_size(bb.planning.PairedProportions(0.83, 0.8, 0.9))
    assert str(plan).startswith("920 items are needed to detect a difference of 0.03 with power 0.8.")
    assert "| **0.800** |" in plan.to_markdown()
    assert plan.exact
    axes = plan.plot()
    marks = {line.get_gid(): line for line in axes.lines}
    assert marks["answer"].get_xdata()[0] == 920
    assert marks["answer"].get_ydata()[0] == plan.power
    curve = marks["curve"]
    assert plan.power in curve.get_ydata()
    assert (np.diff(curve.get_ydata()) > 0).all()
    assert marks["wanted"].get_ydata()[0] == 0.8


def test_the_figure_of_a_budget_marks_the_best() -> None:
    answer = bb.allocate(RUNS, 1000.0, run_cost=10.0, item_cost=0.1)
    marks = {line.get_gid(): line for line in answer.plot().lines}
    assert (marks["answer"].get_xdata()[0], marks["answer"].get_ydata()[0]) == (
        answer.best.runs,
        answer.best.power,
    )
    assert "runs, the power is within 0.01 of that." in str(answer)


def test_a_curve_of_the_sizes_asked_for() -> None:
    plan = bb.power(bb.planning.PairedScores(0.1, 1.0), 500, curve=[1000, 100])
    assert [point.n for point in plan.curve] == [100, 500, 1000]
    assert [point.n for point in bb.power(bb.planning.PairedScores(0.1, 1.0), 500, curve=()).curve] == [500]


def test_the_signature_tells_designs_apart() -> None:
    one, other = (bb.power(bb.planning.PairedScores(d, 1.0), 50).signature for d in (0.1, 0.2))
    assert one != other
    assert "plan:power|design:paired scores" in one
