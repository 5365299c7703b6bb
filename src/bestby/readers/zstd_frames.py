"""How long a zstd file is unpacked, as far as the headers of its frames and blocks tell."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from bestby._core.errors import InvalidInputError

MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = range(0x184D2A50, 0x184D2A60)
_LARGEST_BLOCK = 1 << 17
_RAW, _RLE, _COMPRESSED = 0, 1, 2
_SIZE_FORMS = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}


def unpacked_bound(path: Path) -> tuple[int, bool]:
    """Return how many bytes a zstd file has unpacked, and whether that is exact.

    Collet & Kucherawy (2021), RFC 8878, section 3.1.
    """
    total, exact = 0, True
    try:
        with path.open("rb") as stream:
            while magic := stream.read(4):
                if magic == MAGIC:
                    size, said = _frame(stream)
                    total, exact = total + size, exact and said
                elif len(magic) == 4 and int.from_bytes(magic, "little") in _SKIPPABLE:
                    _take(stream, int.from_bytes(_take(stream, 4), "little"))
                else:
                    raise EOFError("what follows its first frame is not a zstd frame")
    except (EOFError, OSError) as error:
        raise InvalidInputError(
            f"{path}: cannot be unpacked: {error}", hint="the file is damaged or cut off: copy it again"
        ) from error
    return total, exact


def _frame(stream: BinaryIO) -> tuple[int, bool]:
    (descriptor,) = _take(stream, 1)
    single = bool(descriptor & 0x20)
    if not single:
        _take(stream, 1)  # the size of the window
    _take(stream, (0, 1, 2, 4)[descriptor & 3])  # the number of a dictionary
    width = (1 if single else 0, 2, 4, 8)[descriptor >> 6]
    said = None
    if width:
        (said,) = struct.unpack(_SIZE_FORMS[width], _take(stream, width))
        said += 256 if width == 2 else 0
    bound, last = 0, False
    while not last:
        header = int.from_bytes(_take(stream, 3), "little")
        last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
        if kind not in (_RAW, _RLE, _COMPRESSED):
            raise EOFError("a block of it is of no known type")
        bound += _LARGEST_BLOCK if kind == _COMPRESSED else size
        _take(stream, 1 if kind == _RLE else size)
    if descriptor & 4:
        _take(stream, 4)  # a checksum
    return (bound, False) if said is None else (min(bound, int(said)), True)


def _take(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError("it is cut off")
    return data
