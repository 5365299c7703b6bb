"""Plain text with a segment per line."""

from __future__ import annotations

import gzip

import pytest
import sacrebleu
from tests.unit.readers.helpers import Make

from bestby import compare
from bestby._core.errors import InvalidInputError
from bestby.metrics.translation import Bleu
from bestby.readers.formats import texts

SYSTEM = "the cat sat on the mat\n\nit rains all day\n"
OTHER = "a cat sat on a mat\nno one came\nit rains\n"
GOLD = "the cat sat on a mat\nnobody came\nit rains all day long\n"


def test_lines_are_segments_and_blank_ones_are_kept(make: Make) -> None:
    found = texts.read({"a": make("a.txt", SYSTEM), "b": make("b.txt", OTHER)}, gold=make("g.txt", GOLD))
    assert found.evaluation is not None
    assert found.evaluation.gold is not None
    assert found.evaluation.systems["a"].tolist() == ["the cat sat on the mat", "", "it rains all day"]
    assert found.evaluation.gold.tolist() == GOLD.splitlines()
    assert found.metric == "bleu"
    assert found.description.startswith("text with a segment per line: a, b; references: ")
    result = compare(found.evaluation, metric=Bleu())
    expected = {
        name: sacrebleu.corpus_bleu(text.splitlines(), [GOLD.splitlines()]).score
        for name, text in (("a", SYSTEM), ("b", OTHER))
    }
    assert {score.system: score.score for score in result.systems} == pytest.approx(expected)


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_last_newline_begins_no_segment(make: Make, end: str) -> None:
    text = SYSTEM.removesuffix("\n") + end
    found = texts.read({"a": make("a", text), "b": make("b", OTHER)}, gold=make("g", GOLD))
    assert found.evaluation is not None
    assert found.evaluation.n_items == 3


def test_only_newlines_end_lines(make: Make) -> None:
    odd = "one\x0ctwo three\u2028four\r\nnext\x85line\r\n"
    found = texts.read({"a": make("a", odd), "b": make("b", "x\ny\n")}, gold=make("g", "x\ny\n"))
    assert found.evaluation is not None
    assert found.evaluation.systems["a"].tolist() == ["one\x0ctwo three\u2028four", "next\x85line"]


def test_packed_files_and_several_references(make: Make) -> None:
    packed = make("a.txt.gz", gzip.compress(SYSTEM.encode(), mtime=0))
    second = make("g2.txt", "on the mat sat a cat\n\n \n")
    paths = {"a": packed, "b": make("b.txt", OTHER)}
    found = texts.read(paths, gold=[make("g.txt", GOLD), second])
    assert found.evaluation is not None
    assert found.evaluation.gold is not None
    assert found.evaluation.gold.tolist() == [
        ("the cat sat on a mat", "on the mat sat a cat"),
        ("nobody came",),
        ("it rains all day long",),
    ]


def test_a_segment_without_any_reference_has_the_empty_one(make: Make) -> None:
    golds = [make("g1", "x\n\n"), make("g2", "y\n \n")]
    found = texts.read({"a": make("a", "x\ny\n"), "b": make("b", "x\ny\n")}, gold=golds)
    assert found.evaluation is not None
    assert found.evaluation.gold is not None
    assert found.evaluation.gold.tolist() == [("x", "y"), ("",)]


def test_documents_are_offered_or_used(make: Make) -> None:
    paths = {"a": make("a", SYSTEM), "b": make("b", OTHER)}
    docs = make("x.docs", "news d1\nnews d1\nspeech d2\n")
    found = texts.read(paths, gold=make("g", GOLD), documents=docs)
    assert {name: group.tolist() for name, group in found.clusters.items()} == {
        "document": ["d1", "d1", "d2"],
        "domain": ["news", "news", "speech"],
    }
    found = texts.read(paths, gold=make("g", GOLD), documents=docs, clusters="document")
    assert found.evaluation is not None
    assert found.evaluation.clusters is not None
    assert found.evaluation.clusters.tolist() == ["d1", "d1", "d2"]
    assert list(found.clusters) == ["domain"]


def test_unequal_numbers_of_lines_are_named(make: Make) -> None:
    short, gold = make("b", "one\n"), make("g", GOLD)
    with pytest.raises(InvalidInputError) as caught:
        texts.read({"a": make("a", SYSTEM), "b": short}, gold=gold)
    assert caught.value.message == f"{short} has 1 lines, {gold} has 3"
    with pytest.raises(InvalidInputError, match=r"has 1 lines, .* has 3"):
        texts.read({"a": make("a", SYSTEM)}, gold=[gold, short])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"one\ntwo \xff\nthree\n", "line 2: not UTF-8"),
        (b"\x1f\x8b\x08\x00abc", "cannot be unpacked"),
    ],
)
def test_files_that_cannot_be_read(make: Make, content: bytes, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        texts.read({"a": make("a", content), "b": make("b", OTHER)}, gold=make("g", GOLD))


def test_what_is_missing_is_asked_for(make: Make) -> None:
    paths = {"a": make("a", SYSTEM), "b": make("b", OTHER)}
    with pytest.raises(InvalidInputError, match="need a file of references"):
        texts.read(paths)
    with pytest.raises(InvalidInputError, match="no grouping 'document'"):
        texts.read(paths, gold=make("g", GOLD), clusters="document")
    with pytest.raises(InvalidInputError, match="documents of 2 segments, but there are 3"):
        texts.read(paths, gold=make("g", GOLD), documents=make("d", "a\nb\n"))
