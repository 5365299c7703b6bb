"""Tags in columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.readers.helpers import Make

from bestby import compare
from bestby._core.errors import InvalidInputError
from bestby.metrics.spans import Spans
from bestby.readers.formats import bio

GOLD = """\
-DOCSTART- -X- O

Anna NNP B-PER
sings VBZ O


in IN O
Ulm NNP B-LOC
-DOCSTART- -X- O

Yes UH O
"""
A = "Anna B-PER\nsings O\n\nin O\nUlm O\n\nYes O\n"
B = "Anna\tO\nsings\tO\n\nin\tO\nUlm\tB-LOC\n\nYes\tB-PER"
BOTH = "Anna B-PER {}\nsings O O\n\nin O O\nUlm B-LOC {}\n"


def test_a_gold_file(make: Make) -> None:
    paths = {"a": make("a", A), "b": make("b", B)}
    found = bio.read(paths, gold=make("g", GOLD))
    assert found.evaluation is not None
    assert found.evaluation.gold is not None
    assert found.evaluation.gold.tolist() == [("B-PER", "O"), ("O", "B-LOC"), ("O",)]
    assert found.evaluation.systems["b"].tolist() == [("O", "O"), ("O", "B-LOC"), ("B-PER",)]
    assert found.clusters["document"].tolist() == ["document 1", "document 1", "document 2"]
    assert found.description.startswith("tags in columns, 3 sentences: a, b; gold: ")
    assert found.metric == "span_f1"
    result = compare(found.evaluation, metric=Spans("span_f1", "f1"))
    assert {score.system: score.score for score in result.systems} == pytest.approx({"a": 2 / 3, "b": 0.5})
    found = bio.read(paths, gold=make("g", GOLD), clusters="document")
    assert found.evaluation is not None
    assert found.evaluation.clusters is not None
    assert found.evaluation.clusters.tolist() == ["document 1", "document 1", "document 2"]


def test_gold_and_tags_in_one_file(make: Make) -> None:
    found = bio.read({"a": make("a", BOTH.format("B-PER", "O")), "b": make("b", BOTH.format("O", "O"))})
    assert found.evaluation is not None
    assert found.evaluation.gold is not None
    assert found.evaluation.gold.tolist() == [("B-PER", "O"), ("O", "B-LOC")]
    assert found.evaluation.systems["a"].tolist() == [("B-PER", "O"), ("O", "O")]
    assert found.clusters == {}
    assert found.description.endswith("gold: the column before the last")


def test_comments_are_passed_over_and_hashes_are_tokens(make: Make) -> None:
    text = "# id 1 domain=en\n# O\nAnna B-PER\n\n# text = Ulm\nUlm B-LOC\n"
    found = bio.read({"a": make("a", text), "b": make("b", text)}, gold=make("g", text))
    assert found.evaluation is not None
    assert found.evaluation.systems["a"].tolist() == [("O", "B-PER"), ("B-LOC",)]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("b", A.replace("Ulm", "Bonn"), r"begin at .*g, line 7 and .*b, line 4 differ: 'Ulm' and 'Bonn'"),
        ("b", A.replace("sings O\n", ""), "differ: 2 and 1 tokens"),
        ("b", A.replace("\nYes O\n", ""), r"b has 2 sentences, .*g has 3"),
        ("b", A.replace("in O", "in"), "b, line 4: got 1 columns, expected 2, as in the lines before"),
        ("b", "Anna\n", "b, line 1: got 1 columns, expected at least 2"),
        ("b", "Anna\t\n", "b, line 1: got 1 columns"),
        ("b", "\n\n", "holds no token"),
    ],
)
def test_files_that_do_not_fit(make: Make, name: str, content: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        bio.read({"a": make("a", A), "b": make("b", content)}, gold=make("g", GOLD))


def test_gold_columns_that_differ(make: Make) -> None:
    one, two = make("a", BOTH.format("O", "O")), make("b", BOTH.replace("B-LOC", "O").format("O", "O"))
    with pytest.raises(InvalidInputError, match="the gold tags, in the column before the last, differ"):
        bio.read({"a": one, "b": two})
    with pytest.raises(InvalidInputError, match="got 2 columns, expected at least 3"):
        bio.read({"a": make("c", A), "b": one})


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (GOLD, True),
        (A, True),
        (B, True),
        (BOTH.format("S-PER", "E-LOC"), True),
        ("a O\nb O\n", False),
        ("a DET\nb NOUN\n", False),
        ("B-PER\nO\n", False),
        ("1\ta\t_\tX\t_\t_\t0\troot\t_\tO\n", False),
        ("", False),
    ],
)
def test_recognition(content: str, expected: bool) -> None:
    assert bio.recognises(Path("file"), content.encode()) is expected
