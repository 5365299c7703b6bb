"""Zip archives: members unpacked one by one within limits, by their names alone."""

from __future__ import annotations

import io
import os
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bestby._core.errors import InvalidInputError, MissingExtraError
from bestby.readers.database import UNPACKED_VARIABLE, most_unpacked

MOST_BYTES = 1 << 28
"""How large a member may be, unpacked."""

_ZSTD = 93  # the method of zip archives that zipfile knows from Python 3.14 on
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_ARCHIVE_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    RuntimeError,  # encrypted, or packed by a method that zipfile does not know
    ValueError,
    struct.error,
    UnicodeError,
)


def is_archive_with(path: Path, *members: str) -> bool:
    """Tell whether a file is a zip archive that has one of these members."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except _ARCHIVE_DAMAGE:
        return False
    return any(member in names for member in members)


@contextmanager
def opened_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive, and turn what is wrong with it into our error."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except InvalidInputError:
        raise
    except _ARCHIVE_DAMAGE as error:
        raise InvalidInputError(
            f"{path}: cannot be unpacked: {error}", hint="the file is damaged or cut off: copy it again"
        ) from error


def most_bytes() -> int:
    """Return how many bytes a member may have, unpacked: `MOST_BYTES`, or what the user sets."""
    return most_unpacked() if os.environ.get(UNPACKED_VARIABLE, "").strip() else MOST_BYTES


def member_of_archive(archive: zipfile.ZipFile, path: Path, name: str) -> bytes:
    """Return what a member of an archive holds."""
    try:
        info = archive.getinfo(name)  # a list of all names for each of them takes time that is quadratic
    except KeyError:
        raise InvalidInputError(
            f"{path}: there is no {name} in the archive",
            hint="the log is damaged, or was cut off: copy it again",
        ) from None
    most = most_bytes()
    if info.file_size > most:
        raise InvalidInputError(
            f"{path}: {name} has {info.file_size} bytes, more than the {most} that are read",
            hint="write the log again without images and attachments, or raise the limit: set the environment"
            f" variable {UNPACKED_VARIABLE}=8G",
        )
    if info.compress_type == _ZSTD and sys.version_info < (3, 14):
        data = _unpacked_zstd(_packed_member(path, info, most), most)
        if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
            raise zipfile.BadZipFile(f"the checksum of {name} does not match")
        return data
    with archive.open(info) as stream:
        data = stream.read(most + 1)
    if len(data) != info.file_size:
        raise zipfile.BadZipFile(f"{name} has a size other than the archive states")
    return data


def _packed_member(path: Path, info: zipfile.ZipInfo, most: int) -> bytes:
    """Return the packed bytes of a member: they follow its local header, whose name and extra field vary."""
    with path.open("rb") as stream:
        stream.seek(info.header_offset)
        magic, name, extra = _LOCAL_HEADER.unpack(stream.read(_LOCAL_HEADER.size))
        if magic != b"PK\x03\x04" or info.flag_bits & 1:
            raise zipfile.BadZipFile(f"{info.filename} has no header that can be read, or is encrypted")
        stream.seek(name + extra, io.SEEK_CUR)
        return stream.read(min(info.compress_size, most))


def _unpacked_zstd(data: bytes, most: int) -> bytes:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtraError("zstandard, which unpacks these logs,", "logs") from error
    try:
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True) as stream:
            unpacked = bytearray()
            while chunk := stream.read(1 << 20):
                unpacked += chunk
                if len(unpacked) > most:
                    break
            return bytes(unpacked)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from error
