"""The report of a monitor: paragraph, tables, figure and words."""

from __future__ import annotations

import pytest
from tests.unit.questions.monitor.examples import answers, filled

import bestby as bb


def test_the_paragraph_for_a_paper_and_its_works() -> None:
    result = filled(answers(400, 0.3, 0.02), stop=True, n_items=1000, margin=0.05).result()
    text = result.methods()
    assert f"on {result.n_items} items of at most 1000" in text
    assert "is a betting confidence sequence (Waudby-Smith and Ramdas, 2024" in text
    assert "The smallest difference that matters was set to 0.05." in text
    assert "waudby-smith-ramdas-2020-confidence" in result.citations()


def test_the_figure_has_the_path_the_margin_and_the_decision() -> None:
    axes = filled(answers(400, 0.3, 0.02), stop=True, margin=0.05).plot()
    drawn = {line.get_gid() for line in axes.lines} | {area.get_gid() for area in axes.collections}
    assert {"estimate", "interval", "zero", "margin", "decision"} <= drawn


@pytest.mark.parametrize("exchanged", [False, True])
def test_a_difference_that_is_clear_of_0_is_said_though_the_margin_is_open(exchanged: bool) -> None:
    names = ["a", "b"][:: -1 if exchanged else 1]
    monitor = bb.Monitor(names, bounds=(0, 1), margin=0.18)
    for item in range(300):
        monitor.add(item, {"a": 1.0 if item % 5 else 0.0, "b": 1.0 if item % 5 > 1 else 0.0})
        assert monitor.decision is None
    result = monitor.result()
    assert result.pairs[0].interval is not None
    assert 0.0 not in result.pairs[0].interval
    side = "lower" if exchanged else "higher"
    start = f"{names[0]} has a significantly {side} score than {names[1]}; whether by more than 0.18 is open"
    assert result.sentence.startswith(start)
    assert (result.pairs[0].significant, result.pairs[0].winner) == (True, "a")
    lower = bb.load(result.to_json().replace('"greater_is_better": true', '"greater_is_better": false'))
    assert lower.pairs[0].winner == "b"
