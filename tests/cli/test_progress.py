from __future__ import annotations

import io

import pytest

from bestby.cli import streams


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_shown_in_a_pipe() -> None:
    stream = io.StringIO()
    with streams.progress_line(stream) as show:
        assert show is None
    assert stream.getvalue() == ""


def test_a_terminal_gets_a_line_after_a_second_and_it_is_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(streams.time, "monotonic", lambda: now[0])
    stream = Terminal()
    with streams.progress_line(stream) as show:
        assert show is not None
        for second in (0.5, 1.5, 1.55, 2.0):
            now[0] = second
            show(int(second * 1000), 4000)
    assert stream.getvalue() == ("\r\x1b[K38% done, about 2 s left\r\x1b[K50% done, about 2 s left\r\x1b[K")


def test_quick_work_leaves_no_trace() -> None:
    stream = Terminal()
    with streams.progress_line(stream) as show:
        assert show is not None
        show(1, 2)
    assert stream.getvalue() == ""
