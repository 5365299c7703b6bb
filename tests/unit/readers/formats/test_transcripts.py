"""Transcripts: .trn by utterance, .stm and .ctm by time."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.readers.helpers import Make

from bestby import compare
from bestby._core.errors import InvalidInputError
from bestby.metrics.recognition import WordErrorRate
from bestby.readers.formats import transcripts
from bestby.readers.formats.base import Read

REFERENCE = "The cat { sat / sits } (anna-01)\n;; a comment\n{ um / @ } yes (anna-02)\nno (bo-01)\n"
HEARD = "the cat sits (anna-01)\nYES (anna-02)\n(BO-01)\n"
OTHER = "no (bo-01)\num yes (anna-02)\ncat sat (anna-01)\n"

STM = """\
;; LABEL "O" "Overall" "Overall"
talk A anna 1.0 2.0 <O,F> one a\\;b
talk A anna 2.5 3.0 IGNORE_TIME_SEGMENT_IN_SCORING
talk A bo 3.5 5.0 { two / too } three
chat B cy 0 1.5
"""
CTM = """\
talk A 0.1 0.2 early 0.9
talk A 1.9 0.1 A\\;B;tag1
talk A 2.1 0.1 gap
talk A 2.6 0.1 ignored
talk A 4.9 0.4 too
talk A 9.0 0.4 late
chat B 0.5 0.1 noise
"""


def by_item(found: Read, name: str) -> dict[str, str]:
    assert found.evaluation is not None
    assert found.evaluation.items is not None
    return dict(zip(found.evaluation.items.tolist(), found.evaluation.systems[name].tolist(), strict=True))


def test_utterances_are_joined_by_id(make: Make) -> None:
    paths = {"a": make("a.trn", HEARD), "b": make("b.trn", OTHER)}
    found = transcripts.read(paths, gold=make("r.trn", REFERENCE))
    assert found.evaluation is not None
    assert found.evaluation.gold is not None
    assert by_item(found, "a") == {"anna-01": "the cat sits", "anna-02": "yes", "bo-01": ""}
    assert by_item(found, "b") == {"anna-01": "cat sat", "anna-02": "um yes", "bo-01": "no"}
    assert found.evaluation.gold.tolist() == [("the cat sat", "the cat sits"), ("um yes", "yes"), "no"]
    assert found.clusters["speaker"].tolist() == ["anna", "anna", "bo"]
    assert found.metric == "wer"
    assert found.description.startswith("transcripts (.trn): a, b; reference: ")
    assert found.description.endswith("; 3 utterances, 2 with alternatives; upper and lower case are equal")
    result = compare(found.evaluation, metric=WordErrorRate())
    # a misses "no"; b misses "the": of 5 and 6 words, as the nearest reading counts
    scores = {score.system: score.score for score in result.systems}
    assert scores == pytest.approx({"a": 1 / 5, "b": 1 / 6})


def test_case_counts_if_asked(make: Make) -> None:
    paths = {"a": make("a.trn", HEARD.replace("BO", "bo")), "b": make("b.trn", OTHER)}
    found = transcripts.read(paths, gold=make("r.trn", REFERENCE), case=True)
    assert by_item(found, "a")["anna-02"] == "YES"
    assert not found.description.endswith("case the same")


@pytest.mark.parametrize(
    ("ids", "speakers"),
    [
        (["4t0c0201", "4T0C0202", "4t1c0201"], ["4t0", "4t0", "4t1"]),
        (["cmh_sa01", "cmh_sa02", "fx_sa01"], ["cmh", "cmh", "fx"]),
        (["1089-134686-0000", "1089-134686-0001", "121-2-3"], ["1089", "1089", "121"]),
        (["utt-1", "utt-2", "utt-3"], None),  # one name for all is no speaker
        (["a-1", "b-1", "c-1"], None),  # nor is a name of each
        (["one", "two", "three"], None),
    ],
)
def test_speakers_are_told_from_ids(make: Make, ids: list[str], speakers: list[str] | None) -> None:
    text = "".join(f"word ({item})\n" for item in ids)
    paths = {"a": make("a.trn", text), "b": make("b.trn", text)}
    found = transcripts.read(paths, gold=make("r.trn", text))
    assert {name: group.tolist() for name, group in found.clusters.items()} == (
        {} if speakers is None else {"speaker": speakers}
    )


def test_a_missing_utterance(make: Make) -> None:
    short = make("a.trn", "the cat sits (anna-01)\nyes (anna-02)\n")
    paths, gold = {"a": short, "b": make("b.trn", OTHER)}, make("r.trn", REFERENCE)
    with pytest.raises(InvalidInputError, match="1 missing from 'a', first: 'bo-01'"):
        transcripts.read(paths, gold=gold)
    found = transcripts.read(paths, gold=gold, on_missing="drop")
    assert list(by_item(found, "a")) == ["anna-01", "anna-02"]
    assert found.clusters == {} or found.clusters["speaker"].tolist() == ["anna", "anna"]
    found = transcripts.read(paths, gold=gold, on_missing="worst")
    assert found.evaluation is not None
    result = compare(found.evaluation, metric=WordErrorRate())
    assert {s.system: s.score for s in result.systems}["a"] == pytest.approx(1 / 5)  # "no" was not said


def test_words_go_to_segments_by_their_middle(make: Make) -> None:
    paths = {"a": make("a.ctm", CTM), "b": make("b.ctm", "chat B 0 1 x\ntalk A 1 1 one\n")}
    found = transcripts.read(paths, gold=make("r.stm", STM))
    assert by_item(found, "a") == {
        "chat b 0.0-1.5 cy": "noise",
        "talk a 1.0-2.0 anna": "early a;b",
        "talk a 3.5-5.0 bo": "gap too late",  # 4.9 + 0.4 / 2 lies after the end; nothing comes after it
    }
    assert found.evaluation is not None
    assert found.evaluation.gold is not None
    assert found.evaluation.gold.tolist() == ["", "one a;b", ("two three", "too three")]
    assert found.clusters["speaker"].tolist() == ["cy", "anna", "bo"]
    assert found.clusters["recording"].tolist() == ["chat", "talk", "talk"]
    assert ".ctm" in found.description
    assert "3 segments" in found.description


def test_a_recording_that_a_system_lacks_is_missing(make: Make) -> None:
    paths = {"a": make("a.ctm", CTM), "b": make("b.ctm", "talk A 1 1 one\ntalk A 4 1 two\n")}
    gold = make("r.stm", STM)
    with pytest.raises(InvalidInputError, match=r"1 missing from 'b', first: 'chat b 0\.0-1\.5 cy'"):
        transcripts.read(paths, gold=gold)
    found = transcripts.read(paths, gold=gold, on_missing="drop", clusters="speaker")
    assert found.evaluation is not None
    assert found.evaluation.clusters is not None
    assert found.evaluation.clusters.tolist() == ["anna", "bo"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("r", "one (a)\ntwo (b)\nthree (a)\n", "line 3: utterance 'a' was already in line 1"),
        ("r", "one { two (a)\nx (b)\n", "line 1: a { is not closed"),
        ("r", "one } two (a)\nx (b)\n", "line 1: a } has no matching {"),
        ("r", "{ one } two (a)\nx (b)\n", "line 1: a } has no matching { or no alternatives"),
        ("r", "one\ntwo\n", "must be a reference transcript in .trn or .stm"),
        ("a", "one (a)\ntwo (a)\n", "line 2: utterance 'a' was already in line 1"),
        ("a", "{ one / two } (a)\ntwo (b)\n", "line 1: the output of a system must be words"),
        ("a", "talk A 1 1 one\n", "must be a .trn file, as .* is a .trn file"),
    ],
)
def test_malformed_utterances(make: Make, name: str, content: str, message: str) -> None:
    good = "one (a)\ntwo (b)\n"
    files = {"r": good, "a": good, name: content}
    paths = {"a": make("a", files["a"]), "b": make("b", good)}
    with pytest.raises(InvalidInputError, match=message):
        transcripts.read(paths, gold=make("r", files["r"]))


def test_a_line_without_id_further_down_is_named(make: Make) -> None:
    long = "".join(f"one (u{n})\n" for n in range(20_000))
    path = make("a.trn", long + "two\n")
    with pytest.raises(InvalidInputError, match=r"a\.trn, line 20001: no utterance id in brackets"):
        transcripts.read({"a": path, "b": path}, gold=make("r.trn", long))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("r", "talk A anna 2 1 one\n", "line 1: the segment ends at 1, before it starts at 2"),
        ("r", "talk A anna 1 2 one\ntalk A anna 1 2 two\n", "the segment .* was already in line 1"),
        ("a", "talk A 1 1 one\ntalk A 1 two\n", "must be a .ctm file"),
        ("a", "talk A 1 1 one\ntalk A * * <ALT_BEGIN>\n", "line 2: the output of a system must be words"),
        ("a", "talk A 1 1 one\ntalk A * 1 two\n", "line 2: a time must be a finite number, got '*'"),
        ("a", "talk B 1 1 one\n", "words of recording 'talk', channel 'b', for which the reference has no"),
    ],
)
def test_malformed_times(make: Make, name: str, content: str, message: str) -> None:
    files = {"r": "talk A anna 1 2 one\ntalk A anna 2 3 two\n", "a": "talk A 1 1 one\n", name: content}
    paths = {"a": make("a", files["a"]), "b": make("b", "talk A 1 1 one\n")}
    with pytest.raises(InvalidInputError, match=message):
        transcripts.read(paths, gold=make("r", files["r"]))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (HEARD, True),
        (CTM, True),
        ("(u1)\n(u2)\n", True),
        ("one sentence (with a remark)\nanother (u2)\n", False),
        ("talk A 1 1 one 0.5 more\n", False),
        ("1 Q0 3 4 5 tag\n2 Q0 3 4 5 tag\n", False),
        ("1 0 3 4 5 6\n", False),
        (";; nothing\n", False),
        ("", False),
    ],
)
def test_recognition(content: str, expected: bool) -> None:
    assert transcripts.recognises(Path("file"), content.encode()) is expected
