"""A line on stderr that tells how far the resampling is: on a terminal only, and after a second only."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

_WAIT = 1.0
_EVERY = 0.1


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
    due = time.monotonic() + _WAIT
    drawn = False

    def show(done: int, total: int) -> None:
        nonlocal due, drawn
        now = time.monotonic()
        if now < due or total <= 0:
            return
        due, drawn = now + _EVERY, True
        draw(f"resampling: {done:,} of {total:,} ({done / total:.0%})")

    def draw(line: str) -> None:
        with suppress(OSError):  # the terminal has gone: no reason to stop
            target.write(f"\r\x1b[K{line}")
            target.flush()

    try:
        yield show
    finally:
        if drawn:
            draw("")
