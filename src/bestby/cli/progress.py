"""A line on stderr that tells how far the work is: on a terminal only, and after a second only."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO


@contextmanager
def shown(stream: TextIO | None = None) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function to call with the work done and all work; wipe the line when it is over.

    `stream` says where to write; stderr by default. If it is not a terminal, nothing is shown, and None is
    given.
    """
    target = sys.stderr if stream is None else stream
    if not target.isatty():
        yield None
        return
    began = time.monotonic()
    # A command that takes less than a second shows no progress
    due = began + 1.0
    drawn = False

    def show(done: int, total: int) -> None:
        nonlocal due, drawn
        now = time.monotonic()
        if now < due or total <= 0:
            return
        # Ten times a second is as often as anybody sees
        due, drawn = now + 0.1, True
        left = (now - began) * (total - done) / done if done else 0.0
        draw(f"{done / total:.0%} done{_left(left)}")

    def draw(line: str) -> None:
        with suppress(OSError):  # the terminal has gone: no reason to stop
            target.write(f"\r\x1b[K{line}")
            target.flush()

    try:
        yield show
    finally:
        if drawn:
            draw("")


def _left(seconds: float) -> str:
    """Return about how long work still takes; nothing below a second.

    >>> _left(0.4), _left(12.3), _left(200.0), _left(9000.0)
    ('', ', about 12 s left', ', about 3 min left', ', about 2.5 h left')
    """
    if seconds < 1.0:
        return ""
    if seconds < 90.0:
        return f", about {seconds:.0f} s left"
    return (
        f", about {seconds / 60.0:.0f} min left"
        if seconds < 5400.0
        else f", about {seconds / 3600.0:.1f} h left"
    )
