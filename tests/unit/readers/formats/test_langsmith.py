"""Experiments of LangSmith: `samples/langsmith.csv` was written by langsmith 0.15 from a local evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.readers.formats.log_files import message, scores_of
from tests.unit.readers.helpers import Make

from bestby import compare, read
from bestby.readers.formats import langsmith as form
from bestby.readers.formats.base import format_in

SAMPLE = Path(__file__).parent / "samples" / "langsmith.csv"
HEAD = "inputs.q,outputs.a,error,reference.a,feedback.ok,feedback.note,execution_time,example_id,id\n"


def _rows(*scores: str, repeated: int = 1) -> str:
    lines = [
        f"q{i},x,,y,{score},fine,0.{i + 1},e{i},r{i}{again}\n"
        for again in range(repeated)
        for i, score in enumerate(scores)
    ]
    return HEAD + "".join(lines)


def test_a_table_that_langsmith_wrote() -> None:
    assert format_in(SAMPLE) is form
    found = form.read({"a": SAMPLE, "b": SAMPLE}, value_column="correct")
    assert scores_of(found)["a"] == [0.0, 1.0, 0.0] * 4, "the answer is 1, the example i has i % 3"
    assert message(form, {"a": SAMPLE, "b": SAMPLE}).endswith(
        "which feedback? the files have: correct, length"
    )
    assert form.read({"a": SAMPLE, "b": SAMPLE}, value_column="length").metric.greater_is_better


def test_the_only_feedback_that_is_a_score_is_compared(make: Make) -> None:
    paths = {"a": make("a.csv", _rows("True", "False", "0.5")), "b": make("b.csv", _rows("1", "1", "0"))}
    found = form.read(paths)
    assert scores_of(found) == {"a": [1.0, 0.0, 0.5], "b": [1.0, 1.0, 0.0]}
    assert message(form, paths, value_column="note").endswith("no feedback 'note'")
    time = form.read(paths, value_column="execution_time")
    assert not time.metric.greater_is_better
    assert scores_of(time)["a"] == [0.1, 0.2, 0.3]


def test_the_time_is_compared_only_if_it_is_wanted(make: Make) -> None:
    a = make("a.csv", _rows("True", "False", "1"))
    texts = make("texts.csv", _rows("good", "bad", "good"))
    other = make("other.csv", _rows("1", "1", "0").replace("feedback.ok", "feedback.fine"))
    assert message(form, {"a": a, "b": texts}) == "texts.csv: no sample has a feedback"
    assert (
        message(form, {"a": a, "b": other}) == "the files share no feedback: ok in a.csv, fine in other.csv"
    )
    assert form.read({"a": a, "b": other}, value_column="execution_time").metric.name == "execution_time"


def test_rows_of_one_example_are_runs(make: Make) -> None:
    path = make("a.csv", _rows("1", "0", "1", repeated=3))
    assert form.read({"a": path, "b": path}).runs["a"].shape == (3, 3)


def test_missing_feedback(make: Make) -> None:
    paths = [make("a.csv", _rows("1", "", "0")), make("b.csv", _rows("1", "1", "0"))]
    with pytest.raises(ValueError, match=r"a has no score \(NaN\) for item e1 in"):
        read(paths)
    assert compare(read(paths, on_missing="drop")).n_items == 2


def test_other_tables(make: Make) -> None:
    other = make("o.csv", "example_id,execution_time,score\n1,2,3\n")
    assert format_in(other) is not form
    assert "no sample has a feedback" in message(form, {"a": other, "b": other})
    blank = make("blank.csv", HEAD + "q,x,,y,1,fine,0.1,,r\n" + "q,x,,y,1,fine,0.1,e,r\n")
    assert message(form, {"a": blank, "b": blank}).endswith("row 2: no example_id")
