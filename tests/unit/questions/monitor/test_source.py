"""Of a growing log every item comes once, in the order in which the items begin, or the log is refused."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bestby import read
from bestby._core.errors import InvalidInputError
from bestby.questions.monitor.source import Columns, GrowingLog

LOGS = Path(__file__).parents[4] / "examples" / "logs"
HARNESS = "samples_langid_2026-01-01T00-00-00.000000.jsonl"


class Grown:
    """A log in a file, and what is read of it."""

    def __init__(self, path: Path, **columns: Any) -> None:
        self.path = path
        self.log = GrowingLog([str(path)], Columns(**columns))

    def add(self, *rows: dict[str, Any] | str, end: str = "\n") -> None:
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write("\n".join(lines) + end)

    def new(self, *, final: bool = False) -> list[tuple[str, dict[str, float], str | None]]:
        self.log.read(final=final, absent=True)
        return list(self.log.complete(lambda: self.log.systems))


@pytest.fixture
def grown(tmp_path: Path) -> Grown:
    return Grown(tmp_path / "log.jsonl")


def wide(item: Any, a: Any = 1, b: Any = 0, **more: Any) -> dict[str, Any]:
    return {"item": item, "a": a, "b": b, **more}


def long(item: str, system: str, score: float) -> dict[str, Any]:
    return {"item": item, "system": system, "score": score}


def test_a_line_for_all_systems(grown: Grown) -> None:
    assert grown.new() == []  # the file is not there yet
    grown.add(wide("q2"), wide(7, True, 0.5, note="long answer"))
    assert grown.new() == [("q2", {"a": 1.0, "b": 0.0}, None), ("7", {"a": 1.0, "b": 0.5}, None)]
    assert grown.new() == []
    grown.add(wide("q1"))
    assert [item for item, _, _ in grown.new()] == ["q1"]


def test_a_line_for_each_system(grown: Grown) -> None:
    grown.add(long("q1", "new", 1), long("q1", "old", 0), long("q2", "old", 1))
    assert grown.new() == [("q1", {"new": 1.0, "old": 0.0}, None)]
    assert grown.log.waiting == ("q2",)
    grown.add({"model": "new", "id": "q2", "value": 0})
    assert grown.new() == [("q2", {"new": 0.0, "old": 1.0}, None)]


def test_an_item_waits_for_those_that_began_before_it(grown: Grown) -> None:
    grown.add(
        long("q1", "a", 1), long("q1", "b", 1), long("slow", "a", 1), long("q3", "a", 0), long("q3", "b", 0)
    )
    assert [item for item, _, _ in grown.new()] == ["q1"]
    assert grown.log.lacking(["a", "b"]) == ("slow", "b")
    assert grown.log.lacking(["a"]) is None
    grown.add(long("slow", "b", 0))
    assert [item for item, _, _ in grown.new()] == ["slow", "q3"]
    assert grown.log.lacking(["a", "b"]) is None


def test_an_unfinished_line_waits_for_its_end(grown: Grown) -> None:
    grown.add(wide("q1"), '{"item": "q2", "a"', end="")
    assert [item for item, _, _ in grown.new()] == ["q1"]
    grown.add(": 1, ", end="")
    assert grown.new() == []
    grown.add('"b": 1}')
    assert [item for item, _, _ in grown.new()] == ["q2"]


def test_at_the_end_a_whole_last_line_counts_and_half_a_line_does_not(grown: Grown) -> None:
    grown.add(wide("q1"), end="")
    assert grown.new() == []
    assert [item for item, _, _ in grown.new(final=True)] == ["q1"]
    grown.add('\n{"item": "q2", "a"', end="")
    assert grown.new(final=True) == []


def test_lines_in_small_pieces_are_lines(grown: Grown) -> None:
    text = (
        b"\xef\xbb\xbf"
        + "\r\n".join(json.dumps(wide(f"frage-ü{i}"), ensure_ascii=False) for i in range(9)).encode()
    )
    found = []
    for start in range(0, len(text), 7):
        with grown.path.open("ab") as stream:
            stream.write(text[start : start + 7])
        found += grown.new()
    found += grown.new(final=True)
    assert [item for item, _, _ in found] == [f"frage-ü{i}" for i in range(9)]


@pytest.mark.parametrize("change", ["shorter", "same length", "longer", "other file"])
def test_a_log_that_was_written_anew_is_refused_until_it_is_restored(grown: Grown, change: str) -> None:
    grown.add(*(wide(f"q{i}") for i in range(20)))
    assert len(grown.new()) == 20
    sound = grown.path.read_bytes()
    status = grown.path.stat()
    other = {
        "shorter": sound[:100],
        "same length": sound.replace(b'"q7", "a": 1', b'"q7", "a": 0'),
        "longer": b"\n" + sound + sound,
        "other file": b'{"item": "x", "a": 0, "b": 0}\n' * 40,
    }[change]
    grown.path.write_bytes(other)
    os.utime(grown.path, ns=(status.st_atime_ns, status.st_mtime_ns + 10**9))
    with pytest.raises(InvalidInputError, match=r"is shorter than before|was written anew") as refused:
        grown.new()
    assert refused.value.hint is not None
    assert "must only grow" in refused.value.hint
    grown.path.write_bytes(sound)
    grown.add(wide("next"))
    assert [item for item, _, _ in grown.new()] == ["next"]


def grow(grown: Grown, steps: int) -> None:
    for step in range(steps):
        grown.add(wide(f"more {step} {grown.path.stat().st_size}"))
        assert len(grown.new()) == 1


def change(path: Path, old: bytes, new: bytes) -> None:
    """Change a file where it is."""
    text = path.read_bytes()
    assert text.count(old) == 1
    assert len(old) == len(new)
    with path.open("r+b") as stream:
        stream.seek(text.index(old))
        stream.write(new)


@pytest.mark.parametrize("item", [0, 57, 119])
@pytest.mark.parametrize("found", ["with more lines", "at the end", "by a check"])
def test_a_change_far_back_is_found(grown: Grown, item: int, found: str) -> None:
    grown.add(*(wide(f"q{i}") for i in range(120)))
    assert len(grown.new()) == 120
    grow(grown, 30)
    grown.log.check()
    change(grown.path, f'"item": "q{item}", "a": 1'.encode(), f'"item": "q{item}", "a": 0'.encode())
    readings: dict[str, Callable[[], object]] = {
        "with more lines": lambda: grow(grown, 1),
        "at the end": lambda: grown.new(final=True),
        "by a check": grown.log.check,
    }
    with pytest.raises(InvalidInputError, match="was written anew"):
        readings[found]()


def test_a_file_in_the_place_of_the_log_is_compared(grown: Grown) -> None:
    grown.add(*(wide(f"q{i}") for i in range(120)))
    assert len(grown.new()) == 120
    other = grown.path.with_name("other")
    other.write_bytes(grown.path.read_bytes().replace(b'"q57", "a": 1', b'"q57", "a": 0'))
    other.replace(grown.path)
    grown.add(wide("next"))
    with pytest.raises(InvalidInputError, match="was written anew"):
        grown.new()


def test_the_same_score_twice_counts_once_and_another_is_refused(grown: Grown) -> None:
    grown.add(wide("q1"), wide("q1"))
    assert len(grown.new()) == 1
    grown.add(wide("q1", 0))
    with pytest.raises(
        InvalidInputError, match=r"log.jsonl, line 3: the score of 'a' on item 'q1' is 0, and was 1 in line 1"
    ):
        grown.new()


def test_the_first_of_several_places_is_named(grown: Grown) -> None:
    grown.add(wide("q1"), wide("q1"), wide("q1", b=1))
    with pytest.raises(InvalidInputError, match=r"line 3: .* 'b' on item 'q1' is 1, and was 0 in line 1"):
        grown.new()


def test_nothing_of_a_reading_that_fails_is_kept(grown: Grown) -> None:
    grown.add(wide("q1"))
    assert len(grown.new()) == 1
    sound = grown.path.read_bytes()
    grown.add(wide("q2"), '{"item": "q3", oops}')
    for _ in range(2):  # the second reading says it again
        with pytest.raises(InvalidInputError, match="line 3: not JSON"):
            grown.new()
    assert "q2" not in grown.log
    grown.path.write_bytes(sound)
    grown.add(wide("q2"), wide("q3"))
    assert [item for item, _, _ in grown.new()] == ["q2", "q3"]


def test_keys_may_be_named(tmp_path: Path) -> None:
    rows = [
        {"key": "q1", "who": "a", "points": 3, "item": 1, "page": "p1"},
        {"key": "q1", "who": "b", "points": 2, "item": 2, "page": "p1"},
    ]
    grown = Grown(tmp_path / "log", item="key", system="who", score="points", cluster="page")
    grown.add(*rows)
    assert grown.new() == [("q1", {"a": 3.0, "b": 2.0}, "p1")]


def test_named_systems_leave_others_out(tmp_path: Path) -> None:
    grown = Grown(tmp_path / "wide", systems=("b", "c"))
    grown.add({"id": 1, "a": 0, "b": 1, "c": 0, "cluster": 4})
    assert grown.new() == [("1", {"b": 1.0, "c": 0.0}, "4")]
    grown = Grown(tmp_path / "long", systems=("b", "c"))
    grown.add(long("q1", "a", 1), long("q1", "c", 1), long("q1", "b", 0))
    assert grown.new() == [("q1", {"b": 0.0, "c": 1.0}, None)]
    assert list(grown.log.systems) == ["b", "c"]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("[1, 2]", "expected a JSON object, got a list"),
        ({"a": 1, "b": 0}, "no key tells the id of the item; keys: a, b"),
        (wide(None), "the id of the item is None"),
        ({"item": "q", "gold": 1, "text": "x"}, "no system has a score"),
        ({"item": "q", "system": "a"}, "no key tells the score"),
        ({"item": "q", "system": ["a"], "score": 1}, "the system is"),
        ({"item": "q", "system": "a", "score": "C"}, "the score 'score' is 'C', expected a number"),
        ('{"item": "q", "system": "a", "score": NaN}', "the score 'score' is"),
        ('{"item": "q", "system": "a", "score": 1e999}', "the score 'score' is"),
    ],
)
def test_lines_that_cannot_be_used(grown: Grown, row: Any, told: str) -> None:
    grown.add(wide("q0"), row)
    with pytest.raises(InvalidInputError) as refused:
        grown.new()
    assert f"log.jsonl, line 2: {told}" in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("item,a,b\n1,1,0\n", "a log is lines of JSON objects, and this is 'item,a,b'"),
        ('"item","a","b"\n"1",1,0\n', "a log is lines of JSON objects, and this is "),
        ("\ufeffitem\ta\tb\r\n1\t1\t0\r\n", "a log is lines of JSON objects, and this is "),
        ('[{"item": "q", "a": 1, "b": 0}]\n', "expected a JSON object, got a list"),
    ],
)
def test_a_file_that_is_no_log_is_not_called_damaged(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError) as refused:
        GrowingLog([str(path)], Columns()).read(final=True)
    assert refused.value.message.startswith(f"{path}, line 1: {told}")
    assert str(refused.value.hint).startswith('write {"item": "q1", "system": "a", "score": 1}')


def test_a_file_for_each_system(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    log = GrowingLog([f"a={one}", str(two)], Columns())
    one.write_text('{"item": "q1", "score": 1}\n{"item": "q2", "score": 0}\n')
    log.read(final=False, absent=True)
    assert list(log.systems) == ["a"]
    two.write_text('{"item": "q2", "score": 0.5}\n{"item": "q1", "score": 0}\n')
    log.read(final=False, absent=True)
    assert [(item, scores) for item, scores, _ in log.complete(lambda: log.systems)] == [
        ("q1", {"a": 1.0, "two": 0.0}),
        ("q2", {"a": 0.0, "two": 0.5}),
    ]


def pieces(text: bytes, n: int) -> Iterator[bytes]:
    step = len(text) // n + 1
    yield from (text[start : start + step] for start in range(0, len(text), step))


@pytest.mark.long
def test_samples_of_the_harness_as_they_grow(tmp_path: Path) -> None:
    """What was read in pieces is what is read at once."""
    names = ("nb_13", "svm_14")
    places = {name: tmp_path / name / HARNESS for name in names}
    log = GrowingLog([f"{name}={place}" for name, place in places.items()], Columns())
    found: dict[str, dict[str, float]] = {}
    for name, place in places.items():
        place.parent.mkdir()
        for piece in pieces((LOGS / "harness" / name / HARNESS).read_bytes(), 4):
            with place.open("ab") as stream:
                stream.write(piece)
            log.read(final=False, absent=True)
            if len(log.systems) == 2:
                found |= {item: scores for item, scores, _ in log.complete(lambda: log.systems)}
    whole = read({name: LOGS / "harness" / name / HARNESS for name in names})
    assert whole.items is not None
    expected = {
        item: {name: float(whole.systems[name][place]) for name in names}
        for place, item in enumerate(whole.items.tolist())
    }
    assert found == expected
    assert log.greater_is_better is True


@pytest.mark.long
def test_logs_of_inspect_are_read_when_they_are_whole(tmp_path: Path) -> None:
    names = ("nb_13", "svm_14")
    log = GrowingLog([f"{name}={tmp_path / name}.eval" for name in names], Columns())
    for name in names:
        source = LOGS / f"{name}.eval"
        (tmp_path / source.name).write_bytes(source.read_bytes()[:5000])
        log.read(final=False, absent=True)  # its tool is writing it
        shutil.copyfile(source, tmp_path / source.name)
        log.read(final=False, absent=True)
    items = list(log.complete(lambda: log.systems))
    whole = read({name: LOGS / f"{name}.eval" for name in names})
    assert len(items) == whole.n_items
    assert [scores["nb_13"] for _, scores, _ in items] == whole.systems["nb_13"].tolist()
    (tmp_path / "nb_13.eval").write_bytes((LOGS / "nb_13.eval").read_bytes()[:5000])
    with pytest.raises(InvalidInputError):
        log.read(final=True)


@pytest.mark.parametrize(
    "line",
    [
        '{"item": "n", "a": 1, "a": 0, "b": 0}', '{"item": "n", "item": "m", "a": 1, "b": 0}',
        '{"item": "n", "a": 1, "b": 0, "more": {"x": 1, "x": 2}}',
    ],
)  # fmt: skip
def test_a_key_that_a_line_has_twice_is_refused(tmp_path: Path, line: str) -> None:
    grown = Grown(tmp_path / "log.jsonl")
    grown.add('{"item": "m0", "a": 1, "b": 0}', line)
    with pytest.raises(InvalidInputError, match=r"line 2: the key '.*' occurs twice in one object") as caught:
        grown.new()
    assert caught.value.hint == "keep one of the two"
    grown.path.write_text('{"item": "m0", "a": 1, "b": 0}\n{"item": "n", "a": 1, "b": 0}\n')
    assert len(Grown(grown.path).new(final=True)) == 2


def test_a_key_that_a_log_of_the_harness_has_twice_is_refused(tmp_path: Path) -> None:
    """Both where the log is watched and where it is read at once."""
    line = '{"doc_id": %d, "target": "1", "resps": [["a"]], "filtered_resps": ["a"], "acc": %s}\n'
    logs = [tmp_path / name / HARNESS for name in "ab"]
    for log, last in zip(logs, ("1", '1, "acc": 0'), strict=True):
        log.parent.mkdir()
        log.write_text("".join(line % (i, i % 2) for i in range(4)) + line % (4, last))
    message = "line 5: the key 'acc' occurs twice in one object"
    with pytest.raises(InvalidInputError, match=message) as caught:
        GrowingLog([*map(str, logs)], Columns()).read(final=True)
    assert caught.value.hint == "keep one of the two"
    with pytest.raises(InvalidInputError, match=message):
        read(logs)
