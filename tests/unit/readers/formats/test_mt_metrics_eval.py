"""Scores of segments and documents of mt-metrics-eval."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.readers.helpers import Make, columns

import bestby as bb
from bestby._core.errors import InvalidInputError
from bestby.readers.formats import mt_metrics_eval

SCORES = "a 0.5\na -1e-2\na 3\nb\t0.25\nb  1\nb 2\n"
DOCS = "news d1\nnews d1\nspeech d2\n"


def test_blocks_are_systems_and_lines_segments(make: Make) -> None:
    found = mt_metrics_eval.read({"COMET": make("COMET-refA.seg.score", SCORES)})
    assert found.evaluation is not None
    assert columns(found.evaluation) == {"a": [0.5, -0.01, 3.0], "b": [0.25, 1.0, 2.0]}
    assert found.evaluation.items is not None
    assert found.evaluation.items.tolist() == ["1", "2", "3"]
    assert (found.metric, found.description) == ("mean", "scores of 3 segments (mt-metrics-eval): a, b")
    assert found.clusters == {}


@pytest.mark.parametrize(
    ("scores", "docs"),
    [
        ("metric-scores/en-de/COMET-refA.seg.score", "documents/en-de.docs"),
        ("human-scores/en-de.mqm.seg.score", "documents/en-de.docs"),
    ],
)
def test_documents_are_found_where_the_tool_has_them(tmp_path: Path, scores: str, docs: str) -> None:
    for name, content in ((scores, SCORES), (docs, DOCS)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    found = mt_metrics_eval.read({"x": tmp_path / scores})
    assert found.clusters["document"].tolist() == ["d1", "d1", "d2"]
    assert found.clusters["domain"].tolist() == ["news", "news", "speech"]
    assert found.description.endswith(f"; documents: {tmp_path / docs}")
    found = mt_metrics_eval.read({"x": tmp_path / scores}, clusters="document")
    assert found.evaluation is not None
    assert found.evaluation.clusters is not None
    assert found.evaluation.clusters.tolist() == ["d1", "d1", "d2"]


def test_segments_without_a_score(make: Make) -> None:
    docs = make("x.docs", DOCS)
    nobody = make("m.seg.score", "a 0.5\na None\na 3\nb 1\nb None\nb 2\n")
    found = mt_metrics_eval.read({"m": nobody}, documents=docs)
    assert found.evaluation is not None
    assert columns(found.evaluation) == {"a": [0.5, 3.0], "b": [1.0, 2.0]}
    assert "; 1 segments have no score; documents: " in found.description
    assert found.clusters["document"].tolist() == ["d1", "d2"]
    some = {"m": make("n.seg.score", "a 0.5\na 1\na 3\nb 1\nb None\nb 2\n")}
    with pytest.raises(InvalidInputError, match="1 missing from 'b', first: '2'"):
        mt_metrics_eval.read(some)
    found = mt_metrics_eval.read(some, on_missing="drop", documents=docs, clusters="document")
    assert found.evaluation is not None
    assert columns(found.evaluation) == {"a": [0.5, 3.0], "b": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a 1\na 2\nb 1\n", "a has 2 segments, b has 1"),
        ("a 1\na 2\nb 1\nb", "line 4: expected 2 columns, SYSTEM SCORE, got 1"),
        ("a 1\nb x\n", "line 2: the score must be a finite number, got 'x'"),
        ("a nan\nb 1\n", "line 1: the score must be a finite number, got 'nan'"),
        ("", "is empty"),
        ("a None\na None\nb None\nb None\n", "at least 2 items"),
    ],
)
def test_malformed_scores(make: Make, content: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        mt_metrics_eval.read({"x": make("x.seg.score", content)})


@pytest.mark.parametrize(
    ("content", "message"),
    [("d1\nd2\n", "documents of 2 segments, but there are 3"), ("n d\nn d\nn\n", "line 3: expected DOMAIN")],
)
def test_malformed_documents(make: Make, content: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        mt_metrics_eval.read({"x": make("x.seg.score", SCORES)}, documents=make("x.docs", content))


def test_one_file(make: Make) -> None:
    path = make("x.seg.score", SCORES)
    with pytest.raises(InvalidInputError, match="holds the scores of all systems, got"):
        mt_metrics_eval.read({"x": path, "y": path})


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("x", SCORES, True),
        ("x", SCORES.replace("3", "None"), True),
        ("x.sys.score", "a 1\nb 2\nc 3\n", False),
        ("x", "a 1\nb 2\na 3\n", False),
        ("x", DOCS, False),
        ("x", "1 2\n1 3\n2 4\n", False),
        ("x", "a 1\na 2\n", False),
        ("x.seg.score", "a 1\na 2\n", True),  # the other systems lie beyond the first bytes
        ("x", "", False),
    ],
)
def test_recognition(name: str, content: str, expected: bool) -> None:
    assert mt_metrics_eval.recognises(Path(name), content.encode()) is expected


def test_documents_are_the_means_of_the_segments_that_have_a_score(make: Make) -> None:
    docs = make("x.docs", DOCS)
    gaps = {"m": make("m.seg.score", "a 0.5\na 1\na 3\nb 1\nb None\nb 2\n")}
    found = mt_metrics_eval.read(gaps, documents=docs, items="document")
    assert found.evaluation is not None
    assert found.evaluation.items is not None
    assert found.evaluation.items.tolist() == ["d1", "d2"]
    assert columns(found.evaluation) == {"a": [0.75, 3.0], "b": [1.0, 2.0]}
    (note,) = [note for note in found.evaluation.notes if note.code == "segments_without_score"]
    assert note.message.endswith("segments without a score (of 3): b 1")
    assert found.clusters["domain"].tolist() == ["news", "speech"]
    whole_scores = make("n.seg.score", SCORES)
    read_whole = bb.read({"m": whole_scores}, documents=docs, items="document")
    whole = mt_metrics_eval.read({"m": whole_scores}, documents=docs, items="document")
    assert whole.evaluation is not None
    assert columns(read_whole) == columns(whole.evaluation)
    assert whole.evaluation is not None
    assert "segments_without_score" not in [note.code for note in whole.evaluation.notes]
    with pytest.raises(InvalidInputError, match="documents of the segments are not known"):
        mt_metrics_eval.read(gaps, items="document")
    with pytest.raises(InvalidInputError, match="items must be segment or document"):
        mt_metrics_eval.read(gaps, items="word")
