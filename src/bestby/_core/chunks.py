"""How many numbers are worked on at a time."""

from __future__ import annotations

from collections.abc import Iterator

CHUNK = 1 << 16
"""Numbers at a time: half a megabyte of floats, which the cache of a core holds with what becomes of them."""


def chunks(n_rows: int, width: int = 1) -> Iterator[slice]:
    """Yield slices of successive rows of `width` numbers each, so that a slice has a chunk of numbers.

    >>> [part.stop - part.start for part in chunks(5, CHUNK // 2)], list(chunks(1, 10 * CHUNK))
    ([2, 2, 1], [slice(0, 1, None)])
    """
    step = max(1, CHUNK // max(1, width))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))
