"""SQuAD datasets and predictions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.readers.helpers import Make

from bestby import compare
from bestby._core.errors import InvalidInputError
from bestby.metrics.answers import AnswerF1, ExactMatch
from bestby.readers.formats import squad


def question(key: str, *answers: str, **more: Any) -> dict[str, Any]:
    return {
        "id": key,
        "question": "?",
        "answers": [{"text": text, "answer_start": 0} for text in answers],
        **more,
    }


DATASET = {
    "version": "2.0",
    "data": [
        {"title": "Alps", "paragraphs": [{"context": "", "qas": [question("q1", "the Alps", "Alps")]}]},
        {
            "title": "Alps",
            "paragraphs": [
                {"context": "", "qas": [question("q2", "1912"), question("q3", is_impossible=True)]},
                {"context": "", "qas": [question("q4", "red wine")]},
            ],
        },
    ],
}
ANSWERS = {"q1": "alps", "q2": "in 1912", "q3": "", "q4": "wine"}
OTHERS = {"q4": "red wine", "q3": "blue", "q2": "1912", "q1": "Rome"}


def read(make: Make, a: Any = ANSWERS, b: Any = OTHERS, gold: Any = DATASET, **arguments: Any) -> squad.Read:
    paths = {"a": make("a.json", json.dumps(a)), "b": make("b.json", json.dumps(b))}
    return squad.read(paths, gold=make("gold.json", json.dumps(gold)), **arguments)


def test_questions_are_items(make: Make) -> None:
    found = read(make)
    assert found.evaluation is not None
    assert found.evaluation.gold is not None
    assert found.evaluation.items is not None
    assert found.evaluation.items.tolist() == ["q1", "q2", "q3", "q4"]
    assert found.evaluation.gold.tolist() == [("the Alps", "Alps"), ("1912",), (), ("red wine",)]
    assert found.evaluation.systems["b"].tolist() == ["Rome", "1912", "blue", "red wine"]
    assert found.clusters["article"].tolist() == ["article 1", *["article 2"] * 3]
    assert found.clusters["paragraph"].tolist()[1:] == [f"article 2, paragraph {n}" for n in (1, 1, 2)]
    assert "answers to the 4 questions of " in found.description
    result = compare(found.evaluation, metric=[ExactMatch(), AnswerF1()])
    scores = {(score.metric, score.system): score.score for score in result.systems}
    assert scores == pytest.approx(
        {("em", "a"): 0.5, ("em", "b"): 0.5, ("qa_f1", "a"): (1 + 2 / 3 + 1 + 2 / 3) / 4, ("qa_f1", "b"): 0.5}
    )


def test_articles_as_clusters(make: Make) -> None:
    found = read(make, clusters="article")
    assert found.evaluation is not None
    assert found.evaluation.clusters is not None
    assert found.evaluation.clusters.tolist() == ["article 1", *["article 2"] * 3]
    assert list(found.clusters) == ["paragraph"]


def test_a_missing_answer_is_wrong_also_where_there_is_none(make: Make) -> None:
    some = {"q1": "alps"}
    with pytest.raises(InvalidInputError, match="3 missing from 'a', first: 'q2'"):
        read(make, a=some)
    found = read(make, a=some, on_missing="worst")
    assert found.evaluation is not None
    result = compare(found.evaluation, metric=[ExactMatch(), AnswerF1()])
    assert [score.score for score in result.systems if score.system == "a"] == [0.25, 0.25]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a", [], "expected a JSON object, got a list"),
        ("a", {"q1": ["alps"]}, r"'q1' must be a text, got \['alps'\]"),
        ("gold", {"q1": "alps"}, "gold.json: no 'data' in this record"),
        ("gold", {"data": [{"paragraphs": 3}]}, "data 1: 'paragraphs' is a number, expected a list"),
        ("gold", {"data": [{"paragraphs": [{"qas": [7]}]}]}, "qas 1: expected a JSON object, got a number"),
        (
            "gold",
            {"data": [{"paragraphs": [{"qas": [{"id": "x"}]}]}]},
            "qas 1: no 'answers' in this record",
        ),
        ("gold", {"data": []}, "holds no question"),
        (
            "gold",
            {"data": DATASET["data"] * 2},
            "data 3, paragraphs 1, qas 1: question 'q1' was already in .*, qas 1",
        ),
    ],
)
def test_malformed_content(make: Make, name: str, content: Any, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message.replace("[]", r"\[\]")):
        read(make, **{name: content})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"q1": "a",\n"q2": "b', "line 2: not JSON"),
        ('{"q1": "a", "q1": "b"}', "the key 'q1' occurs twice in one object"),
        ("[" * 100_000, "not JSON that can be read"),
        ("1" * 5000, "not JSON that can be read"),
        ("", "not JSON"),
    ],
)
def test_malformed_json(make: Make, content: str, message: str) -> None:
    path = make("a.json", content)
    with pytest.raises(InvalidInputError, match=message):
        squad.read({"a": path, "b": path}, gold=make("gold.json", json.dumps(DATASET)))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (json.dumps(ANSWERS), True),
        (json.dumps(ANSWERS, indent=2), True),
        (json.dumps({f"q{n}": 'a "quoted" \\ answer' for n in range(5000)}), True),
        (json.dumps(DATASET), False),
        ('{"a": "b"}', False),
        ('{"a": "b", "c": 1}', False),
        ('{"a": "b", "c": "d"}\n{"a": "b", "c": "d"}\n', False),
        ("[]", False),
        ("", False),
    ],
)
def test_recognition(content: str, expected: bool) -> None:
    assert squad.recognises(Path("file"), content.encode()[: 1 << 16]) is expected
