"""Tables of a judge and humans: long and wide, several judges and humans, other columns; and what is wrong."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bestby as bb
from bestby.data.layouts.judged import judged_of
from bestby.data.table import table_of
from bestby.errors import InvalidInputError
from bestby.questions.judged.source import read_calibration, read_judged

Write = Callable[[str], Path]
NAN = np.nan

LONG = "item,system,judge,human q1,a,0.9,1 q1,b,0.3,0 q2,a,0.5, q2,b,0.6,"
WIDE = "item,judge[a],human[a],judge[b],human[b] q1,0.9,1,0.3,0 q2,0.5,,0.6,"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(text: str) -> Path:
        path = tmp_path / "judged.csv"
        path.write_text(text.replace(" ", "\n") + "\n", encoding="utf-8")
        return path

    return to_file


@pytest.mark.parametrize("text", [LONG, WIDE])
def test_long_and_wide_are_the_same(write: Write, text: str) -> None:
    found = read_judged(write(text))
    assert (found.names, found.judges, found.ids) == (("a", "b"), ("judge",), ("q1", "q2"))
    assert found.judge[:, :, 0].tolist() == [[0.9, 0.3], [0.5, 0.6]]
    np.testing.assert_array_equal(found.human, [[1.0, 0.0], [NAN, NAN]])
    assert found.n_humans.tolist() == [[1, 1], [0, 0]]
    assert found.description.startswith("judged.csv was read as scores per item")


def test_a_frame_is_read_as_a_file_is(write: Write) -> None:
    path = write(LONG)
    of_file, of_frame = read_judged(path), judged_of(table_of(pl.read_csv(path)))
    np.testing.assert_array_equal(of_file.judge, of_frame.judge)
    np.testing.assert_array_equal(of_file.human, of_frame.human)


def test_named_columns(write: Write) -> None:
    text = "q,arm,chrf,mqm q1,a,0.9,1 q1,b,0.3,0"
    found = read_judged(
        write(text), judge="chrf", human="mqm", items="q", reading=bb.Reading(system_column="arm")
    )
    assert found.judges == ("chrf",)
    assert found.human.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize(
    "text",
    [
        "item,system,judge_x,judge_y,human q1,a,0.9,8,1 q1,b,0.3,2,0",
        "item,system,judge_name,judge,human q1,a,x,0.9,1 q1,b,x,0.3,0 q1,a,y,8,1 q1,b,y,2,0",
        "item,system,judge_name,judge,human q1,a,x,0.9, q1,b,x,0.3,0 q1,a,y,8,1 q1,b,y,2,",
        "item,judge_x[a],judge_y[a],judge_x[b],judge_y[b],human[a],human[b] q1,0.9,8,0.3,2,1,0",
    ],
)
def test_several_judges(write: Write, text: str) -> None:
    found = read_judged(write(text))
    assert found.judges == ("x", "y")
    assert found.judge.tolist() == [[[0.9, 8.0], [0.3, 2.0]]]
    assert found.human.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize(
    "text",
    [
        "item,system,judge,human q1,a,0.9,5 q1,a,0.9,3 q1,b,0.3,2 q2,a,0.1, q2,b,0.2,",
        "item,system,judge,human q1,a,0.9,5 q1,a,,3 q1,b,0.3,2 q2,a,0.1, q2,b,0.2,",
        "item,system,judge,human_1,human_2 q1,a,0.9,5,3 q1,b,0.3,,2 q2,a,0.1,, q2,b,0.2,,",
        "item,judge[a],judge[b],human_1[a],human_2[a],human_1[b] q1,0.9,0.3,5,3,2 q2,0.1,0.2,,,",
    ],
)
def test_several_humans_are_averaged(write: Write, text: str) -> None:
    found = read_judged(write(text))
    np.testing.assert_array_equal(found.human, [[4.0, 2.0], [NAN, NAN]])
    np.testing.assert_array_equal(found.human_variance, [[2.0, NAN], [NAN, NAN]])
    assert found.n_humans.tolist() == [[2, 1], [0, 0]]


def test_other_columns_are_of_items_or_of_cells(write: Write) -> None:
    long = read_judged(write("item,system,judge,human,cluster,position q1,a,1,1,d,1 q1,b,0,0,d,2"))
    assert (long.clusters, long.strata) == ("cluster", None)
    assert long.columns["cluster"].tolist() == ["d"]
    assert long.columns["position"].tolist() == [[1, 2]]
    wide = read_judged(write("judge[a],judge[b],human[a],human[b],n,position[a],position[b] 1,0,1,,7,2,1"))
    assert wide.columns["n"].tolist() == [7]
    assert wide.columns["position"].tolist() == [[2, 1]]
    assert wide.ids is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,system,judge q1,a,1", "has no column 'human'; its columns: item, system, judge"),
        ("item,judge,human q1,1,1", "has no column 'system'"),
        ("system,judge,human a,1,1", "has no column 'item'"),
        ("item,system,judge,human q1,a,1,1 q1,a,2,1", "item 'q1' of system 'a' has several scores of the judge"),
        ("item,system,judge,human q1,a,good,1", "column 'judge' must hold numbers, got 'good'"),
        ("item,system,judge,human q1,a,1,1 q2,a,inf,1", "column 'judge' must be finite, got inf at position 1"),
        ("item,system,judge,human q1,a,1,1 q2,a,1,1e200", "column 'human' must be at most 1e+75 in size"),
        ("item,judge[a],human[b] q1,1,1", "there is human[b] and no judge[b]"),
        ("item,judge[a] q1,1", "has no column of human scores"),
        ("item,judge[a],human[a] q1,1,1 q1,1,1", "item 'q1' has several rows"),
        ("item,system,judge_name,judge,human q1,a,x,1,1 q1,a,y,1,2", "other human scores in the rows of another judge"),
    ],
)  # fmt: skip
def test_what_is_refused(write: Write, text: str, message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        read_judged(write(text))
    assert message in caught.value.message
    assert caught.value.hint


def test_groups_that_are_named_per_system_are_those_of_the_items() -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {f"judge[{s}]": rng.random(40) for s in "ab"}
        | {f"human[{s}]": [*rng.random(20).tolist(), *[None] * 20] for s in "ab"}
        | {"cluster[a]": np.arange(40) // 2, "cluster[b]": np.arange(40) // 2}
    )
    assert bb.compare_judged(frame, labels_drawn="random").n_clusters == 20
    other = frame.with_columns(pl.Series("cluster[b]", np.arange(40) // 4))
    with pytest.raises(InvalidInputError, match="item 2 has several values in column 'cluster'"):
        bb.compare_judged(other, labels_drawn="random")


def test_labels_and_predictions(write: Write) -> None:
    path = write("item,judge,human,prediction[a],prediction[b],lang q1,x,y,x,y,de q2,y,,y,y,en")
    found = read_judged(path)
    assert isinstance(found, bb.JudgedLabels)
    assert (found.names, found.judges, found.ids) == (("a", "b"), ("judge",), ("q1", "q2"))
    assert found.judge.tolist() == [["x"], ["y"]]
    assert found.human.tolist() == ["y", None]
    assert found.predictions.tolist() == [["x", "y"], ["y", "y"]]
    assert found.columns["lang"].tolist() == ["de", "en"]
    named = read_judged(path, judge=["lang", "judge"], human="human")
    assert named.judges == ("lang", "judge")
    several = read_judged(write("judge_m,judge_n,human,prediction[a] 1,2,1,1 0,1,,0"))
    assert (several.judges, several.ids) == (("m", "n"), None)
    assert several.judge.tolist() == [[1, 2], [0, 1]]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("judge,prediction[a] x,x", {}, "has no column 'human'"),
        ("human,prediction[a] x,x", {}, "has no column 'judge'"),
        (
            "judge,human,prediction[a] x,x,x",
            {"reading": bb.Reading(system_column="human")},
            "has a column for each system",
        ),
        ("item,judge,human,prediction[a] q,x,x,x q,x,x,x", {}, "item 'q' has several rows"),
    ],
)
def test_labels_that_are_refused(write: Write, text: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        read_judged(write(text), **options)


@pytest.mark.parametrize(
    "text", ["item,system,judge q1,a,1 q1,b,0 q2,a,1 q2,b,1", "item,judge[a],judge[b] q1,1,0 q2,1,1"]
)
def test_verdicts_without_human_scores(write: Write, text: str) -> None:
    path = write(text)
    found = read_judged(path, human=False)
    assert found.judge[:, :, 0].tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert np.isnan(found.human).all()
    assert not found.n_humans.any()
    with pytest.raises(InvalidInputError, match="human"):
        read_judged(path)


def test_calibration_sets(write: Write) -> None:
    one = read_calibration(write("judge,human,doc 1,1,x 0,1,y 1,0,y"))
    assert (one.names, one.judge[:, 0, 0].tolist(), one.human[:, 0].tolist()) == (("",), [1, 0, 1], [1, 1, 0])
    assert one.columns["doc"].tolist() == ["x", "y", "y"]
    own = read_calibration(write("item,system,judge,human q,a,1,1 q,b,0,1"))
    assert own.names == ("a", "b")
    renamed = read_calibration(write("v,h 1,1 0,1"), judge="v", human="h")
    assert renamed.judge[:, 0, 0].tolist() == [1, 0]
    with pytest.raises(InvalidInputError, match="has no column 'human'"):
        read_calibration(write("judge 1 0"))
