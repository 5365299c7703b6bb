"""Notes, reports and figures of `compare_preferences`."""

from __future__ import annotations

import json

import pytest
from tests.unit.questions.preferences.examples import ROWS, TWO, codes

from bestby.questions.preferences.compare import compare_preferences


def test_notes() -> None:
    few = compare_preferences(ROWS[:90], n_resamples=300)
    assert "few_clusters" in codes(few)
    rare = [("x", "y", "x")] * 60 + [("x", "y", "y")]
    lost = compare_preferences(rare, test="bootstrap", n_resamples=300)
    (note,) = (note for note in lost.notes if note.code == "undefined_resamples")
    count = int(note.message.split(" on ")[1].split(" of ")[0])
    assert 60 < count < 160  # (60 / 61)^61, a third or so of 300
    assert "few_resamples" in codes(compare_preferences(ROWS, test="bootstrap", n_resamples=50))
    assert "few_resamples" not in codes(compare_preferences(ROWS, n_resamples=50))


def test_report() -> None:
    result = compare_preferences(ROWS, n_resamples=200)
    text = result.details()
    assert text.startswith("one has the highest strength")
    for part in (
        "win rate",
        "Probability that the first is preferred to the second",
        "wins–ties–losses",
        "Bradley and Terry's model",
        "judgements:360",
    ):
        assert part in text
    document = json.loads(result.to_json())
    assert (document["n_judgements"], document["n_clusters"], document["tie"]) == (360, 60, None)
    assert len(document["systems"]) == 4
    frame = result.to_frame()
    assert frame.shape[0] == 6
    assert frame["probability"].tolist() == [d.probability for d in result]
    assert "probability" in result.to_csv().splitlines()[0]
    assert "| first | second | probability |" in result.to_markdown()
    assert "\\toprule" in result.to_latex()
    page = result.to_html()
    assert page.count("<svg") == 2
    assert "Probability that the first is preferred to the second by the strengths" in page


@pytest.mark.parametrize("kind", ["scores", "forest"])
def test_figures(kind: str) -> None:
    axes = compare_preferences(ROWS, n_resamples=99).plot(kind=kind)
    assert "strength" in axes.get_title(loc="left")


def test_report_of_two_systems_and_of_davidson() -> None:
    result = compare_preferences(TWO, ties="davidson", n_resamples=99)
    assert json.loads(result.to_json())["tie"]["parameter"] == result.tie_parameter
    assert result.to_html().count("<svg") == 1
    assert "Davidson's model" in str(result)
