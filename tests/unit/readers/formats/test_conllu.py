"""CoNLL-U files of several systems."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.readers.helpers import Make

from bestby import compare
from bestby._core.errors import InvalidInputError
from bestby.metrics.parsing import Aligned
from bestby.readers.formats import conllu_files


def sentence(*rows: str) -> str:
    """Write rows "form head relation" as a sentence."""
    lines = []
    for number, row in enumerate(rows, start=1):
        form, head, relation = row.split()
        lines.append(f"{number}\t{form}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_")
    return "\n".join(lines) + "\n\n"


GO = sentence("Go 0 root", "! 1 punct")
YES = sentence("Yes 0 root", ". 1 punct")
NO = sentence("No 0 root", ". 1 punct")
GOLD = "# newdoc id = one\n# sent_id = 1\n" + GO + YES + "# newdoc\n" + NO + "# newdoc\n" + NO


def test_blocks_are_items(make: Make) -> None:
    wrong = sentence("No 2 dep", ". 0 root")
    joined = sentence("Go 0 root", "! 1 punct", "Yes 1 dep", ". 3 punct")
    paths = {"a": make("a", GO + YES + wrong + NO), "b": make("b", joined + NO + NO)}
    found = conllu_files.read(paths, gold=make("g", GOLD))
    assert found.evaluation is not None
    assert [len(block.sentences) for block in found.evaluation.systems["a"]] == [2, 1, 1]
    assert found.clusters["document"].tolist() == ["one", "document 2", "document 3"]
    assert found.description.endswith("4 sentences in 3 blocks between places where all end a sentence")
    assert found.metric == "las"
    result = compare(found.evaluation, metric=Aligned("las", "las"))
    assert {score.system: score.score for score in result.systems} == pytest.approx({"a": 6 / 8, "b": 7 / 8})


def test_documents_that_share_a_block_are_one(make: Make) -> None:
    joined = sentence("Yes 0 root", ". 1 punct", "No 1 dep", ". 1 punct")
    paths = {"a": make("a", GO + joined + NO), "b": make("b", GO + YES + NO + NO)}
    found = conllu_files.read(paths, gold=make("g", GOLD), clusters="document")
    assert found.evaluation is not None
    assert found.evaluation.clusters is not None
    assert found.evaluation.clusters.tolist() == ["one", "one", "document 3"]


def test_no_documents_are_offered_where_there_is_one(make: Make) -> None:
    paths = {"a": make("a", GO + YES), "b": make("b", GO + YES)}
    assert conllu_files.read(paths, gold=make("g", "# newdoc\n" + GO + YES)).clusters == {}
    assert conllu_files.read(paths, gold=make("h", GO + YES)).clusters == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GO + YES.replace("Yes", "Yea"), "gold and system 'b' must have the same characters"),
        (GO, "gold and system 'b' must have the same characters"),
        (GO + YES.replace("\t1\t", "\t7\t"), "b, line 5: the head must be 0 or one of the 2 words"),
        ((GO + YES)[:-20], "b, line 5: a line of CoNLL-U must have 10 columns"),
    ],
)
def test_malformed_parses(make: Make, content: str, message: str) -> None:
    paths = {"a": make("a", GO + YES), "b": make("b", content)}
    with pytest.raises(InvalidInputError, match=message):
        conllu_files.read(paths, gold=make("g", GO + YES))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (GOLD, True),
        (sentence("x 0 root").replace("1\tx", "1-2\tx"), True),
        ("# only a comment\n", False),
        ("1\tx\n", False),
        (sentence("x 0 root").replace("1\tx", "one\tx"), False),
        ("", False),
    ],
)
def test_recognition(content: str, expected: bool) -> None:
    assert conllu_files.recognises(Path("file"), content.encode()) is expected
