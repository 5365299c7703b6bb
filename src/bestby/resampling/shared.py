"""Settings of the whole process, changed while any thread needs them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager


class Shared:
    """A context manager entered by the first thread inside, and left by the last.

    Threads that each save and restore a setting of the process can leave it changed for good.
    """

    def __init__(self, make: Callable[[], AbstractContextManager[object]]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._inside = 0
        self._entered: AbstractContextManager[object] | None = None

    def __enter__(self) -> None:
        with self._lock:
            if self._entered is None:
                entered = self._make()
                entered.__enter__()
                self._entered = entered
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._entered is not None:
                entered, self._entered = self._entered, None
                entered.__exit__(None, None, None)
