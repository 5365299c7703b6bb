"""The file of a monitor is read as scores of its systems, and is not changed by that."""

from __future__ import annotations

from pathlib import Path

import pytest

import bestby as bb


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
    with pytest.raises(bb.InvalidInputError, match="2 files of monitors were given"):
        bb.read([tmp_path / "one.jsonl", tmp_path / "two.jsonl"])


def test_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    saved(path)
    path.write_text(path.read_text(encoding="utf-8").replace('"a": 1', '"a": 3', 1), encoding="utf-8")
    with pytest.raises(bb.InvalidInputError, match="was changed since it was saved"):
        bb.read(path)
