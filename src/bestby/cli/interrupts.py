"""Ctrl-C while libraries are imported, which waits until they are, and within compiled code."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_IMPORT = "<frozen importlib"

_raised_here: list[int] = []
"""The interrupts that were raised since the command began."""


@contextmanager
def after_imports() -> Iterator[None]:
    """Let an interrupt inside wait for the import that it would fall into.

    Extension modules that are interrupted while they are initialised say that they could not be, or end the
    process; both say nothing of Ctrl-C. Handlers other than Python's own, such as that of a job in the
    background, which ignores interrupts, are left alone.
    """
    _raised_here.clear()
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def was_raised() -> bool:
    """Return whether an interrupt was raised; compiled code may have made another error of it."""
    return bool(_raised_here)


def _interrupted(number: int, frame: FrameType | None) -> None:
    if not _importing(frame):
        _raised_here.append(number)
        signal.default_int_handler(number, frame)
    else:
        # Seconds after which it is seen whether an import has ended
        later = threading.Timer(0.02, _raised, [number])
        later.daemon = True
        later.start()


def _raised(number: int) -> None:
    """Raise the signal in the main thread, which a call of the system may keep waiting; Windows cannot."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, number)
    else:
        signal.raise_signal(number)


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith(_IMPORT):
            return True
        frame = frame.f_back
    return False
