"""Codes of a few short texts from the memory of a data frame: a pass over two words per value for each text.

Arrow can keep a text in 16 bytes [1]_: its length in four of them, then the text itself, followed by zeros,
if it has at most twelve. Such texts are equal if both words of eight bytes are. Columns of polars are of this
form, and show it by the C interface for streams of Arrow [2]_, which is read here without a copy and without
pyarrow.

References
----------
.. [1] Apache Arrow, Columnar Format, "Variable-size Binary View Layout".
.. [2] Apache Arrow, "The Arrow C stream interface" and "The Arrow C data interface".
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bestby._core.arrays import objects
from bestby._core.typing import Array, BoolArray
from bestby.data.coding import Coded

LONGEST = 12
"""Bytes of the longest text that stands beside its length."""

MOST_TEXTS = 8
"""Distinct texts up to which a pass for each beats the codes that the library makes."""

_TEXT_VIEWS = b"vu"
"""How Arrow calls this form of texts."""

_BLOCK = 1 << 14
"""Values that are looked at at a time: they stay in the cache of the processor."""

_Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Schema(ctypes.Structure):
    _fields_ = (
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_char_p),
        ("flags", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", _Release),
        ("private_data", ctypes.c_void_p),
    )


class _Chunk(ctypes.Structure):
    _fields_ = (
        ("length", ctypes.c_int64),
        ("null_count", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("buffers", ctypes.POINTER(ctypes.c_void_p)),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", _Release),
        ("private_data", ctypes.c_void_p),
    )


class _Stream(ctypes.Structure):
    _fields_ = (
        ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Schema))),
        ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Chunk))),
        ("get_last_error", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    )


def inline_coded(column: Any, texts: Sequence[str]) -> Coded | None:
    """Return a column of texts as codes, if it holds these few short texts and no others; None if not.

    `texts` are those at the beginning of `column`, an array of polars or Arrow. The result is None as well if
    the column keeps its texts in another form.
    """
    spelled = [text.encode() for text in texts]
    if not 0 < len(spelled) <= MOST_TEXTS or max(map(len, spelled)) > LONGEST:
        return None
    sought = np.frombuffer(b"".join(map(_view, spelled)), dtype=np.uint64).reshape(-1, 2)
    codes = np.empty(len(column), dtype=np.uint8)
    start, some_missing = 0, False
    for words, there in _chunks(column):
        part = codes[start : start + len(words)]
        if not _coded(words, there, sought, part):
            return None
        start += len(words)
        some_missing |= there is not None and not there.all()
    if start < len(column):
        return None
    return Coded(objects([*texts, None] if some_missing else [*texts]), codes)


def _view(text: bytes) -> bytes:
    return len(text).to_bytes(4, sys.byteorder) + text.ljust(LONGEST, b"\0")


def _coded(words: Array, there: BoolArray | None, sought: Array, codes: Array) -> bool:
    """Write the codes of texts, their number for a missing one; return whether all texts are among them.

    `words` has shape (n, 2), `sought` (K, 2), `there` and `codes` (n,).
    """
    for start in range(0, len(words), _BLOCK):
        part = slice(start, start + _BLOCK)
        first, second = np.ascontiguousarray(words[part].T)
        own = codes[part]
        own[:] = 0
        n_known = 0
        for code, (first_sought, second_sought) in enumerate(sought):
            same = first == first_sought
            same &= second == second_sought
            if there is not None:
                same &= there[part]
            n_known += int(np.count_nonzero(same))
            if code:
                own += same.view(np.uint8) * np.uint8(code)
        if there is not None:
            own[~there[part]] = len(sought)
            n_known += int(np.count_nonzero(~there[part]))
        if n_known < own.size:
            return False
    return True


def _chunks(column: Any) -> Iterator[tuple[Array, BoolArray | None]]:
    """Yield the words of each chunk, shape (n, 2), and which values are there, None for all.

    Both are good until the next chunk is asked for. Nothing is yielded if the texts have another form, or the
    library is too old to show them.
    """
    if not hasattr(column, "__arrow_c_stream__"):
        return
    capsule = column.__arrow_c_stream__()  # holds the stream, and ends it when it goes
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    address = pointer(capsule, b"arrow_array_stream")
    stream = _Stream.from_address(address)
    schema = _Schema()
    if stream.get_schema(address, ctypes.byref(schema)):
        return
    kind = schema.format
    schema.release(ctypes.addressof(schema))
    while kind == _TEXT_VIEWS:
        chunk = _Chunk()
        if stream.get_next(address, ctypes.byref(chunk)) or not chunk.release:
            return
        try:
            if chunk.length:
                yield _words(chunk), _there(chunk)
        finally:
            chunk.release(ctypes.addressof(chunk))


def _words(chunk: _Chunk) -> Array:
    texts = (ctypes.c_uint64 * (2 * chunk.length)).from_address(chunk.buffers[1] + 16 * chunk.offset)
    return np.frombuffer(texts, dtype=np.uint64).reshape(-1, 2)


def _there(chunk: _Chunk) -> BoolArray | None:
    if not chunk.null_count or not chunk.buffers[0]:
        return None
    end = chunk.offset + chunk.length
    bits = np.frombuffer((ctypes.c_uint8 * -(-end // 8)).from_address(chunk.buffers[0]), dtype=np.uint8)
    return np.unpackbits(bits, bitorder="little")[chunk.offset : end].view(np.bool_)
