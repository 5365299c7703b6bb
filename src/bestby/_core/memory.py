"""Memory that the process keeps between calls."""

from __future__ import annotations

from typing import Final

import numpy as np

KEPT: Final = 1 << 22
"""Bytes of the largest arrays whose memory is kept when they are freed; twice as many are kept in all."""


def keep_what_is_freed() -> None:
    """Let glibc, the C library of most Linux systems, keep the memory of arrays that are freed.

    It gives the end of its heap back to the system where more is free than twice the size of the largest
    array that it has freed so far (mallopt(3), M_TRIM_THRESHOLD), and gets it back in the next call, page by
    page: up to a third of the time of a call with ten thousand items. An array that nobody fills is enough to
    move this limit. Where MALLOC_TRIM_THRESHOLD_ is set, and in other C libraries, nothing changes.
    """
    np.empty(KEPT, dtype=np.uint8)
