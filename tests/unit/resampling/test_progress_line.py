"""The line that says how far the work is, of commands and of functions that are asked for it."""

from __future__ import annotations

import io

import pytest

import bestby as bb
from bestby.resampling import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time, which only the test changes."""
    time = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: time[0])
    return time


def test_nothing_is_shown_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert progress.shown_progress(True) is None
    assert progress.shown_progress(False) is None


def test_a_line_is_drawn_after_a_second_and_wiped(now: list[float]) -> None:
    stream = Terminal()
    line = progress.ProgressLine(stream)
    for second in (0.5, 1.5, 1.55, 2.0, 4.0):
        now[0] = second
        line(int(second * 1000), 4000)
    drawn = ["38% done, about 2 s left", "50% done, about 2 s left", " " * 24]
    assert stream.getvalue() == "".join(f"\r{one}\r" for one in drawn)


def test_the_next_job_begins_anew(now: list[float]) -> None:
    stream = Terminal()
    line = progress.ProgressLine(stream)
    for second, done in ((10.0, 1), (20.0, 2), (22.0, 1)):
        now[0] = second
        line(done, 2)
    assert stream.getvalue().endswith("\r50% done, about 2 s left\r")


def test_quick_work_leaves_no_trace() -> None:
    stream = Terminal()
    line = progress.ProgressLine(stream)
    line(1, 2)
    line.wipe()
    assert stream.getvalue() == ""


def test_a_comparison_draws_it_where_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, seconds = Terminal(), iter(range(10**6))
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(seconds))
    gold = [0.5, 0.25, 0.75, 0.5, 1.0]
    systems = {"a": [0.25, 0.5, 0.25, 0.0, 0.5], "b": [0.5, 0.5, 0.5, 1.0, 1.0]}
    for asked, drawn in ((False, False), (True, True)):
        settings = bb.Resampling(n_resamples=99, progress=asked)
        bb.compare(systems, gold, metric=lambda a, b: float(max(abs(a - b))), resampling=settings)
        assert ("% done" in stream.getvalue()) is drawn
    assert stream.getvalue().rsplit("\r", 2)[1].isspace()
