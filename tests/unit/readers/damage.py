"""What may happen to the bytes of a file before somebody reads it."""

from __future__ import annotations

import gzip
from collections.abc import Callable

from hypothesis import strategies as st

_WORDS = [b"1e999", b"-1", b"nan", b"None", b"{", b"/", b"}", b"@", b"\xff", b"\0", b"[]", b"1e-320"]
_REPEATED = [b"9", b"x", b" ", b"{ ", b"(", b"\t"]


def _replaced(draw: st.DrawFn, data: bytes, start: int) -> bytes:
    fields = data.split(b" ")
    fields[start % len(fields)] = draw(st.sampled_from(_WORDS))
    return b" ".join(fields)


_WAYS: dict[str, Callable[[st.DrawFn, bytes, int, int], bytes]] = {
    "cut": lambda _, data, __, end: data[:end],
    "splice": lambda _, data, start, end: data[:start] + data[end:],
    "insert": lambda draw, data, start, _: data[:start] + draw(st.binary(max_size=8)) + data[start:],
    "shuffle": lambda draw, data, *_: b"\n".join(draw(st.permutations(data.split(b"\n")))),
    "double": lambda _, data, start, end: data[:end] + data[start:],
    "huge": lambda draw, data, start, _: (
        data[:start] + draw(st.sampled_from(_REPEATED)) * 100_000 + data[start:]
    ),
    "pack": lambda _, data, __, end: gzip.compress(data, mtime=0)[: max(end, 12)],
    "replace": lambda draw, data, start, _: _replaced(draw, data, start),
    "flip": lambda _, data, start, __: (
        data[:start] + bytes(byte ^ 0x41 for byte in data[start : start + 4]) + data[start + 4 :]
    ),
}


@st.composite
def damaged(draw: st.DrawFn, data: bytes, *ways: str) -> bytes:
    """Draw what is left of some bytes after damage in one of several ways."""
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(data))] * 2)))
    return _WAYS[draw(st.sampled_from(ways))](draw, data, start, end)
