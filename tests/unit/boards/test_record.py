from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bestby import BoardError
from bestby.boards import record
from bestby.boards.events import SettingsSet

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def _record(folder: Path) -> Path:
    path = folder / "record.jsonl"
    record.append(path, (), [SettingsSet("a"), SettingsSet("b")], NOW)
    return path


def test_every_changed_byte_is_found(tmp_path: Path) -> None:
    path = _record(tmp_path)
    data = path.read_bytes()
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(BoardError):
            record.read(path)


def test_the_beginning_of_a_line_is_no_line_and_the_next_writer_cuts_it_off(tmp_path: Path) -> None:
    path = _record(tmp_path)
    data = path.read_bytes()
    first = data.index(b"\n") + 1
    for cut in range(first, len(data)):
        path.write_bytes(data[:cut])
        lines = record.read(path)
        assert len(lines) == 1
        assert record.torn(path) == cut - first
        assert len(record.append(path, lines, [SettingsSet("b")], NOW)) == 2
        assert path.read_bytes() == data


def test_a_clock_that_goes_back_does_not_count(tmp_path: Path) -> None:
    path = _record(tmp_path)
    lines = record.append(path, record.read(path), [SettingsSet("c")], NOW.replace(year=2020))
    assert lines[-1].time == NOW
    assert record.read(path) == lines
