"""How far a job is that resamples in several stages: the bootstrap, each test, scores without each unit."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

Progress = Callable[[int, int], None]


def shown_progress(progress: Progress | bool | None) -> Progress | None:
    """Return what is told how far the work is: where a line was asked for, one that can be drawn."""
    if progress is not True:
        return progress or None
    in_notebook = type(sys.stderr).__module__.startswith("ipykernel")
    return ProgressLine(sys.stderr) if in_notebook or sys.stderr.isatty() else None


class ProgressLine:
    """A line that is called with the work done and all work, and wiped when it is over.

    Work that takes less than a second shows none.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._began = stream, time.monotonic()
        self._due, self._width = self._began + 1.0, 0

    def __call__(self, done: int, total: int) -> None:
        """Show how much of the work is done."""
        now = time.monotonic()
        if done >= total:
            self.wipe()
            self._began = now
        elif now >= self._due:
            self._due = now + 0.1  # ten times a second is as often as anybody sees
            left = (now - self._began) * (total - done) / done if done else 0.0
            self._draw(f"{done / total:.0%} done{_left(left)}")

    def wipe(self) -> None:
        """Take the line away, if it was drawn."""
        if self._width:
            self._draw("")

    def _draw(self, line: str) -> None:
        with suppress(OSError):  # the terminal has gone: no reason to stop
            # The next line that anything writes there begins where this one does.
            self._stream.write(f"\r{line:<{self._width}}\r")
            self._stream.flush()
        self._width = len(line)


def _left(seconds: float) -> str:
    """Return about how long work still takes; nothing below a second.

    >>> _left(0.4), _left(12.3), _left(200.0), _left(9000.0)
    ('', ', about 12 s left', ', about 3 min left', ', about 2.5 h left')
    """
    if seconds < 1.0:
        return ""
    if seconds < 90.0:
        return f", about {seconds:.0f} s left"
    if seconds < 5400.0:
        return f", about {seconds / 60.0:.0f} min left"
    return f", about {seconds / 3600.0:.1f} h left"


@contextmanager
def counted_stages(progress: Progress | None, expected: int) -> Iterator[Progress | None]:
    """Give what stages tell how far they are, to tell `progress` of all of them; None for None.

    `expected` is how many resamples the stages have together. The share that is done never falls, and is
    whole at the end and not before.
    """
    if progress is None:
        yield None
        return
    stages = _Stages(progress, expected)
    yield stages
    stages.finish()


def in_turn(progress: Progress | None, place: int, jobs: int) -> Progress | None:
    """Return what one of several jobs tells, one after the other, to tell `progress` of all of them."""
    return None if progress is None else lambda done, of: progress(place * of + done, jobs * of)


def extra_stage(progress: Progress | None) -> Progress | None:
    """Return what a stage tells how far it is that was not among the expected ones."""
    return progress.besides() if isinstance(progress, _Stages) else progress


class _Stages:
    def __init__(self, tell: Progress, expected: int) -> None:
        self._tell, self._expected = tell, expected
        self._done = 0  # by the stages that are over
        self._last_told = (0, 1)

    def __call__(self, done: int, of: int) -> None:
        now, total = self._done + done, max(self._expected, self._done + of)
        if done >= of:
            self._done += of
        if now < total and now * self._last_told[1] >= self._last_told[0] * total:
            self._last_told = (now, total)
            self._tell(now, total)

    def besides(self) -> Progress:
        began = False

        def stage(done: int, of: int) -> None:
            nonlocal began
            self._expected += 0 if began else of
            began = True
            self(done, of)

        return stage

    def finish(self) -> None:
        whole = max(1, self._done)
        self._tell(whole, whole)
