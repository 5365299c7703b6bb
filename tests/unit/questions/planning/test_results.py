"""Plans as texts, tables and figures, and their signatures."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.unit.questions.planning.examples import RUNS, SCORES, small_pilot

import bestby as bb
from bestby.report.figures.drawing import render


@cache
def _results() -> list[bb.results.Plan | bb.results.Allocation]:
    return [
        bb.power(
            bb.planning.PairedScores(0.1, 1.0, design_effect=2.0, cluster_size=4.0), 800, n_comparisons=3
        ),
        bb.sample_size(bb.planning.PairedProportions(0.83, 0.8, 0.9)),
        bb.minimum_detectable(RUNS, 500),
        bb.power(bb.planning.LiftedScores(SCORES, 1.05), 6, n_simulations=200),
        bb.power(small_pilot(), 60, n_simulations=50),
        bb.allocate(RUNS, 1000.0, run_cost=10.0, item_cost=0.1),
    ]


@pytest.mark.long
@pytest.mark.parametrize("position", range(6))
def test_every_result_in_every_form(position: int, tmp_path: Path) -> None:
    result = _results()[position]
    text = result.details()
    assert result.signature not in str(result)
    assert repr(result).startswith(f"<{type(result).__name__}: ")
    assert "\n" not in repr(result)
    assert result.signature in text
    document = json.loads(result.to_json(tmp_path / "plan.json"))
    assert (tmp_path / "plan.json").read_text(encoding="utf-8") == result.to_json()
    assert document["design"]["name"] == result.design.name
    assert document["signature"] == result.signature
    frame = result.to_frame()
    lines = result.to_csv().splitlines()
    assert lines[0].split(",") == list(frame.columns)
    assert len(lines) == len(frame) + 1 > 2
    assert "**" in result.to_markdown()
    assert "tabular" in result.to_latex()
    assert "<svg" in result.to_html()
    assert render(result.plot(), ".png").startswith(b"\x89PNG")


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
