from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bestby.boards import record
from bestby.boards.record import SettingsSet
from bestby.errors import BoardError

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def _record(folder: Path) -> Path:
    path = folder / "record.jsonl"
    record.append_events(path, (), [SettingsSet("a"), SettingsSet("b")], NOW)
    return path


def test_every_changed_byte_is_found(tmp_path: Path) -> None:
    path = _record(tmp_path)
    data = path.read_bytes()
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(BoardError):
            record.read_lines(path)


def test_the_beginning_of_a_line_is_no_line_and_the_next_writer_cuts_it_off(tmp_path: Path) -> None:
    path = _record(tmp_path)
    data = path.read_bytes()
    first = data.index(b"\n") + 1
    for cut in range(first, len(data)):
        path.write_bytes(data[:cut])
        lines = record.read_lines(path)
        assert len(lines) == 1
        assert record.torn(path) == cut - first
        assert len(record.append_events(path, lines, [SettingsSet("b")], NOW)) == 2
        assert path.read_bytes() == data


def test_a_line_has_the_moment_of_its_writer_whatever_is_above_it(tmp_path: Path) -> None:
    path = _record(tmp_path)
    lines = record.append_events(path, record.read_lines(path), [SettingsSet("c")], NOW.replace(year=2020))
    assert [line.time.year for line in lines] == [2026, 2026, 2020]
    assert record.read_lines(path) == lines


def test_a_record_ahead_of_the_clock_says_so(tmp_path: Path) -> None:
    lines = record.read_lines(_record(tmp_path))
    lines = record.append_events(tmp_path / "record.jsonl", lines, [SettingsSet("c")], NOW.replace(year=2020))
    for behind in (0, 60, 300):
        assert record.ahead(lines, NOW - timedelta(seconds=behind)) == ""
    assert "its line 1 is of 2026-01-02T03:04:05Z, and here it is 2026-01-02T02:04:05Z" in record.ahead(
        lines, NOW - timedelta(hours=1)
    )
    assert record.ahead((), NOW) == ""
