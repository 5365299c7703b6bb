"""The file of a monitor: whole after a crash at any byte, refused if changed, and read by `compare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.questions.monitor.examples import filled, ids

import bestby as bb


@given(
    rows=st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0.0, 1.0)), min_size=1, max_size=40),
    looks=st.sets(st.integers(0, 39)),
    cut=st.integers(0, 10_000),
    clusters=st.booleans(),
)
def test_a_crash_at_any_byte_loses_no_more_than_the_line_that_was_written(
    rows: list[tuple[float, float]], looks: set[int], cut: int, clusters: bool, tmp_path_factory: Any
) -> None:
    path = tmp_path_factory.mktemp("crash") / "m.jsonl"
    monitor = bb.Monitor(["a", "b"], bounds=(0, 1), margin=0.2)
    monitor.save(path)
    head = len(path.read_bytes())

    def add(to: bb.Monitor, place: int) -> bool:
        scores = dict(zip("ab", rows[place], strict=True))
        return to.add(f"q{place * 7 % 41}", scores, cluster=place // 3 if clusters else None)

    for place in range(len(rows)):
        add(monitor, place)
        if place in looks:
            _ = monitor.decision
    data = path.read_bytes()
    end = head + cut % (len(data) - head + 1)
    path.write_bytes(data[:end])
    again = bb.Monitor.resume(path)
    kept = sum("item" in json.loads(line) for line in data[:end][: data[:end].rfind(b"\n")].splitlines())
    assert again.n_items == kept
    assert [add(again, place) for place in range(len(rows))] == [place >= kept for place in range(len(rows))]
    if end == len(data):
        monitor.save(path.with_name("other.jsonl"))  # two monitors cannot write one file
        assert again.result() == monitor.result()
    assert bb.Monitor.resume(path).n_items == len(rows)


def test_a_resumed_monitor_has_its_decision_and_its_dropped_systems(tmp_path: Path) -> None:
    monitor = bb.Monitor(["a", "b", "c"], bounds=(0, 1))
    rng = np.random.default_rng(3)
    for item in ids(400):
        drawn = dict(zip("abc", (rng.random(3) < (0.8, 0.75, 0.3)).astype(int).tolist(), strict=True))
        monitor.add(item, {name: drawn[name] for name in monitor.running})
        _ = monitor.decision
    assert monitor.running == ("a", "b")
    monitor.save(tmp_path / "m.jsonl")
    again = bb.Monitor.resume(tmp_path / "m.jsonl")
    assert again.running == ("a", "b")
    assert again.result() == monitor.result()


def test_saved_and_appended_files_are_the_same(tmp_path: Path) -> None:
    for clusters in (False, True):
        appended, saved = tmp_path / "appended.jsonl", tmp_path / "saved.jsonl"
        monitor = bb.Monitor(["a", "b"], bounds=(0, 1))
        monitor.save(appended)
        for item in range(12):
            monitor.add(f"q{5 * item % 12}", {"a": 1, "b": 0}, cluster=item // 4 if clusters else None)
            if item % 5 == 0:
                _ = monitor.decision
        monitor.save(saved)
        one, two = bb.Monitor.resume(appended), bb.Monitor.resume(saved)
        assert one.result() == two.result()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: "", "not the file of a monitor"),
        (lambda text: '{"a": 1}\n' + text, "not the file of a monitor"),
        (lambda text: text.replace('"format": 2', '"format": 99'), "format 99"),
        (lambda text: text.replace('"item": "q1"', '"item": "q0"'), "changed since it was saved"),
        (lambda text: text.replace('"scores"', '"score"'), "changed since it was saved"),
        (lambda text: text.replace('"bounds"', '"bound"'), "changed since it was saved"),
        (lambda text: text.replace('{"item"', "{item", 1), "line 2: this is no line of a monitor"),
    ],
)
def test_a_file_that_was_changed_is_refused(change: Any, message: str, tmp_path: Path) -> None:
    monitor = bb.Monitor(["a", "b"], bounds=(0, 1))
    monitor.add("q0", {"a": 1, "b": 0})
    monitor.add("q1", {"a": 0, "b": 0})
    path = tmp_path / "m.jsonl"
    monitor.save(path)
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(bb.errors.InvalidInputError, match=message) as caught:
        bb.Monitor.resume(path)
    assert caught.value.hint


def test_a_file_that_another_program_writes_to(tmp_path: Path) -> None:
    monitor = filled([(1, 0)])
    path = tmp_path / "m.jsonl"
    monitor.save(path)
    with path.open("a", encoding="utf-8") as file:
        file.write("x\n")
    with pytest.raises(bb.errors.InvalidInputError, match="changed by another program"):
        monitor.add("other", {"a": 1, "b": 0})
    assert monitor.n_items == 1
    monitor.save(path)
    assert monitor.add("other", {"a": 1, "b": 0})


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(bb.errors.BestbyError, match="cannot write"):
        filled([(1, 0)]).save(tmp_path / "no" / "folder" / "m.jsonl")


def saved(path: Path) -> bb.Monitor:
    """Return a monitor that was saved after 40 items."""
    monitor = bb.Monitor(["a", "b"], bounds=(0, 1))
    for item in range(40):
        monitor.add(f"q{item * 7 % 40}", {"a": 1, "b": int(item % 4 == 0)})
    assert monitor.decision == "better"
    monitor.save(path)
    return monitor


def test_scores_and_the_note(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    saved(path)
    path.write_bytes(path.read_bytes() + b'{"item": "cut o')
    before = path.read_bytes()
    data = bb.read(path)
    assert path.read_bytes() == before
    assert data.n_items == 40
    result = bb.compare(data, n_resamples=99)
    assert result["a", "b"].estimate == pytest.approx(0.75)
    assert [note.code for note in result.notes] == ["read_as", "monitored"]


def test_one_monitor_at_a_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        saved(tmp_path / f"{name}.jsonl")
    with pytest.raises(bb.errors.InvalidInputError, match="2 files of monitors were given"):
        bb.read([tmp_path / "one.jsonl", tmp_path / "two.jsonl"])


def test_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    saved(path)
    path.write_text(path.read_text(encoding="utf-8").replace('"a": 1', '"a": 3', 1), encoding="utf-8")
    with pytest.raises(bb.errors.InvalidInputError, match="was changed since it was saved"):
        bb.read(path)
