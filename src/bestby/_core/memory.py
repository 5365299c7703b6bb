"""How memory that was freed is kept for what is computed next."""

from __future__ import annotations

import functools

import numpy as np

_BYTES = 16 << 20
"""The C library of Linux keeps up to twice as many freed bytes at the end of its memory."""


@functools.cache
def keep_freed() -> None:
    """Let the C library keep the memory of freed arrays for the next ones, once in a process.

    It gives 128 kB and more at the end of its memory back to the system, so that the arrays of the next call
    come as fresh pages, which takes up to a quarter of the time for ten thousand items. After a large block
    was freed, it keeps twice as much (``M_MMAP_THRESHOLD`` in mallopt(3)). The block is not written to, so
    that no memory is used for it. Other C libraries do as they did.
    """
    np.empty(_BYTES, dtype=np.uint8)
