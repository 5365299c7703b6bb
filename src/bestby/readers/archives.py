"""Zip archives: members unpacked one by one within limits, by their names alone."""

from __future__ import annotations

import dataclasses
import io
import os
import stat
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, TypeVar, cast

from bestby._core.errors import BestbyError, InvalidInputError, MissingExtraError
from bestby._core.paths import is_file, user_path
from bestby.readers.database import UNPACKED_VARIABLE, most_unpacked, too_long
from bestby.readers.paths import named_paths

F = TypeVar("F", bound=Callable[..., Any])

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


def member_of_archive(archive: zipfile.ZipFile, path: Path, name: str, most: int | None = None) -> bytes:
    """Return what a member of an archive holds, if it is no longer than `most` bytes."""
    try:
        info = archive.getinfo(name)  # a list of all names for each of them takes time that is quadratic
    except KeyError:
        raise InvalidInputError(
            f"{path}: there is no {name} in the archive",
            hint="the log is damaged, or was cut off: copy it again",
        ) from None
    most = most_bytes() if most is None else most
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


MOST_MEMBERS = 10_000
"""How many files a zipped submission may hold."""

MOST_RATIO = 200
"""How many times as long as packed a submission may be: several times what tables of labels are."""

_SMALL = 1 << 24
"""So many bytes may be packed as densely as they can: they do no harm."""

_ASIDE = ("__MACOSX", ".", "Thumbs.db")
"""How names of members begin that systems of windows write beside the files of a user."""


_ENDING = ".zip"


class Submissions:
    """Zipped submissions, each unpacked into a folder for as long as they are read."""

    def __init__(self, folders: ExitStack) -> None:
        self._folders = folders
        self._archives: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._archives)

    def plain(self, path: str | Path) -> str | Path:
        """Return what lies in an archive: its only file, else the folder of its files; others as they are."""
        archive = user_path(path)
        if not is_submission(archive):
            return path
        place = Path(self._folders.enter_context(TemporaryDirectory(prefix="bestby-"))) / archive.stem
        self._archives[str(place)] = str(archive)
        files = _unpacked(archive, place)
        return files[0] if len(files) == 1 else place

    def typed(self, file: str) -> str:
        """Return a file as it is typed, NAME=PATH or a path, with what lies in an archive in its place."""
        name, sign, path = ("", "", file) if is_submission(user_path(file)) else file.rpartition("=")
        return f"{name}{sign}{self.plain(path)}"

    def paths(self, paths: Any) -> Any:
        """Return paths as readers take them, with what lies in archives in place of these."""
        given = [*paths.values()] if isinstance(paths, Mapping) else paths
        files = [given] if isinstance(given, str | Path) else given
        if not isinstance(files, Sequence) or not any(str(one).lower().endswith(_ENDING) for one in files):
            return paths
        named = named_paths(paths)
        if isinstance(named, Path):
            return self.plain(named)
        return {name: self.plain(path) for name, path in named.items()}

    def called(self, found: Any) -> Any:
        """Return what was read with its texts and notes calling files by their archives."""
        if isinstance(found, str):
            return self.by_archive(found)
        if isinstance(found, tuple | dict) and type(found) in (tuple, dict):
            values = [self.called(one) for one in (found.values() if isinstance(found, dict) else found)]
            return dict(zip(found, values, strict=True)) if isinstance(found, dict) else tuple(values)
        if not dataclasses.is_dataclass(found) or isinstance(found, type):
            return found
        own = {field.name: getattr(found, field.name) for field in dataclasses.fields(found) if field.init}
        changed = {name: new for name, old in own.items() if (new := self.called(old)) is not old}
        return dataclasses.replace(found, **changed)

    def by_archive(self, text: str) -> str:
        """Return a text in which files are called by their archive, not by where they lie for now."""
        for place, archive in self._archives.items():
            text = text.replace(place, archive)
        return text


@contextmanager
def submissions() -> Iterator[Submissions]:
    """Unpack submissions, and call their files by their archives in what is wrong with them."""
    with ExitStack() as folders:
        unpacked = Submissions(folders)
        try:
            yield unpacked
        except BestbyError as error:
            error.message = unpacked.by_archive(error.message)
            error.hint = None if error.hint is None else unpacked.by_archive(error.hint)
            raise


def unpacking(read: F) -> F:
    """Let a reader of paths, and of the gold beside them, take zipped submissions for what lies in them."""

    @wraps(read)
    def reads(*args: Any, **kwargs: Any) -> Any:
        with submissions() as unpacked:
            for name in kwargs.keys() & {"path", "paths"}:
                kwargs[name] = unpacked.paths(kwargs[name])
            gold = kwargs.get("gold")
            if isinstance(gold, str | Path):
                kwargs["gold"] = unpacked.plain(gold)
            elif isinstance(gold, list | tuple):
                kwargs["gold"] = [unpacked.plain(one) if isinstance(one, str | Path) else one for one in gold]
            found = read(*map(unpacked.paths, args[:1]), *args[1:], **kwargs)
            return unpacked.called(found) if unpacked else found

    return cast(F, reads)


def is_submission(path: Path) -> bool:
    """Tell whether a path is a zip archive by its name, and no log of Inspect."""
    return path.suffix.lower() == _ENDING and is_file(path) and zipfile.is_zipfile(path)


def _unpacked(path: Path, folder: Path) -> list[Path]:
    """Unpack an archive into a new folder, and return its files; nothing is written outside of the folder."""
    with opened_archive(path) as archive:
        members = [one for one in archive.infolist() if not one.is_dir() and not _is_aside(one.filename)]
        _check_sizes(path, members)
        files = []
        for member in members:
            place = folder / _inner_path(path, member)
            if place in files:
                raise InvalidInputError(f"{path} holds {member.filename!r} twice", hint="pack each file once")
            if member.flag_bits & 1:
                raise InvalidInputError(f"{path} is encrypted", hint="pack it without a password")
            data = member_of_archive(archive, path, member.filename, most_unpacked())
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
            except OSError as error:  # such as a full disk, or a name that this system does not allow
                raise InvalidInputError(
                    f"{path}: {member.filename!r} cannot be written: {error.strerror}",
                    hint="unpack it yourself and give the files",
                ) from error
            files.append(place)
    return files


def _is_aside(name: str) -> bool:
    return any(part.startswith(_ASIDE) and part not in (".", "..") for part in name.split("/"))


def _check_sizes(path: Path, members: Sequence[zipfile.ZipInfo]) -> None:
    """Refuse an archive without files, and one that holds more than is unpacked, by its own word."""
    if not members:
        raise InvalidInputError(f"{path} holds no file", hint="pack the files of predictions again")
    if len(members) > MOST_MEMBERS:
        raise InvalidInputError(
            f"{path} holds {len(members)} files, more than the {MOST_MEMBERS} that are unpacked",
            hint="pack the files of predictions only, or unpack it yourself and give the folder",
        )
    size = sum(one.file_size for one in members)
    if size > most_unpacked():
        raise too_long(path, most_unpacked())
    packed = max(1, sum(one.compress_size for one in members))
    if size > max(_SMALL, MOST_RATIO * packed):
        raise InvalidInputError(
            f"{path} is {size / packed:.0f} times as long unpacked, more than the {MOST_RATIO} times that"
            " predictions are",
            hint="if that is no mistake, unpack it yourself and give the files",
        )


def _inner_path(path: Path, member: zipfile.ZipInfo) -> PurePosixPath:
    """Return where a member lies below the folder; refuse a name that leads elsewhere, and a link."""
    inner = PurePosixPath(member.filename)
    is_link = stat.S_ISLNK(member.external_attr >> 16)
    if inner.is_absolute() or ".." in inner.parts or set(member.filename) & set("\\:\0") or is_link:
        raise InvalidInputError(
            f"{path}: {member.filename!r} {'is a link' if is_link else 'leads out of the archive'}",
            hint="pack the files themselves, by names without .., \\ and :",
        )
    return inner
