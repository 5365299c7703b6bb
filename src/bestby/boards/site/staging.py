"""The folder of a site: built beside its place with what did not change, then put there in one step.

Where the system cannot exchange two folders in one step, two renames do.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.text import counted, path_text, quoted
from bestby.boards.content import BoardContent
from bestby.boards.site.page import MANIFEST, Page, manifest


@dataclass(frozen=True, slots=True)
class Staged:
    """A site that was written: the SHA-256 of its manifest, its files, and how many had to be made."""

    manifest: str
    n_files: int
    n_made: int


def write(
    pages: Sequence[Page],
    content: BoardContent,
    target: Path,
    trusted: Collection[str],
    announce: Callable[[Staged], None],
) -> Staged:
    """Write a site, all of it or nothing.

    Files of the site that is there are linked if their key and their bytes are as its manifest says, and the
    SHA-256 of that manifest is one of `trusted`. `announce` is called when the new site is complete, before
    it takes its place.
    """
    new, aside = (target.with_name(f".{target.name}.bestby-{part}") for part in ("new", "old"))
    recover(new, target, aside)
    kept = _trusted_files(target, trusted)
    try:
        new.mkdir()
        made, digests = 0, []
        for page in pages:
            digest = _linked(page, kept, target, new)
            if digest is None:
                made, digest = made + 1, _write_page(page, new)
            digests.append((page, digest))
        listed = manifest(content, digests)
        (new / MANIFEST).write_bytes(listed)
        if target.exists():
            new.chmod(target.stat().st_mode & 0o7777)
        staged = Staged(hashlib.sha256(listed).hexdigest(), len(digests) + 1, made)
        announce(staged)
        put_in_place(new, target, aside)
    finally:  # it has another name by now if all went well
        shutil.rmtree(new, ignore_errors=True)
    return staged


def checked_place(site: Path, board: Path, secret: Sequence[Path]) -> Path:
    """Return the folder that a site is written to; one that holds anything else is refused.

    `board` is the folder of the board, and `secret` are folders of which nothing may be published.
    """
    target = Path(os.path.realpath(site))
    for kept in (Path(os.path.realpath(one)) for one in (board, *secret)):
        inside = kept in target.parents and kept != Path(os.path.realpath(board))
        if inside or target == kept or target in kept.parents:
            raise InvalidInputError(
                f"the site cannot be {path_text(site)}: the gold and the submissions lie there",
                hint="name a folder of its own, such as the folder site in the board",
            )
    if target.exists() and not target.is_dir():
        raise InvalidInputError(f"{path_text(site)} is not a folder", hint="name a folder for the site")
    if not target.parent.is_dir():
        raise InvalidInputError(
            f"there is no folder {path_text(target.parent)} to write the site in", hint="create it first"
        )
    if target.exists():
        _check_files(site, target)
    return target


def _check_files(site: Path, target: Path) -> None:
    """Refuse a folder with files that were not published, since publishing replaces the whole folder."""
    present = sorted(files_in(target))
    known = listed_files(_bytes_or_none(target / MANIFEST))
    if present and known is None:
        raise InvalidInputError(
            f"{path_text(site)} is not the site of a board, and it is not empty",
            hint="name an empty folder, or one that does not exist",
        )
    foreign = [path for path in present if path != MANIFEST and path not in (known or {})]
    if foreign:
        raise InvalidInputError(
            f"{path_text(site)} holds {counted(len(foreign), 'file')} that no publication wrote, such as"
            f" {quoted(foreign[0])}; publishing replaces the whole folder",
            hint="move them out of the folder first",
        )


def _trusted_files(target: Path, trusted: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the files of the site that is there, if its manifest is one that the record knows."""
    if mark_of(target / MANIFEST) not in trusted:
        return {}
    return listed_files(_bytes_or_none(target / MANIFEST)) or {}


def _linked(page: Page, kept: Mapping[str, Mapping[str, str]], target: Path, new: Path) -> str | None:
    """Take a file over from the site that is there, if it shows the same; return its hash, else None."""
    known, source = kept.get(page.path), target / page.path
    if known is None or known["key"] != page.key or source.is_symlink():
        return None
    data = _bytes_or_none(source)
    if data is None or hashlib.sha256(data).hexdigest() != known["sha256"]:
        return None
    place = _place(page, new)
    try:
        os.link(source, place)
    except OSError:  # a file system without links
        place.write_bytes(data)
    return known["sha256"]


def _write_page(page: Page, new: Path) -> str:
    data = page.make()
    _place(page, new).write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def _place(page: Page, new: Path) -> Path:
    place = new / page.path
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def put_in_place(new: Path, target: Path, aside: Path) -> None:
    """Put a folder in the place of another one, which is then removed; readers see one of them, whole.

    Without an exchange in one step, the old folder is first renamed to `aside`, and for a moment there is
    none. `recover` puts it back if the process ends just then.
    """
    if not target.exists():
        new.rename(target)
    elif _exchanged(new, target):
        shutil.rmtree(new, ignore_errors=True)
    else:
        target.rename(aside)
        try:
            new.rename(target)
        finally:
            if not target.exists():
                aside.rename(target)
        shutil.rmtree(aside, ignore_errors=True)


def recover(new: Path, target: Path, aside: Path) -> None:
    """Clear up after a process that was killed: the target is then the old folder or the new one."""
    if aside.exists() and not target.exists():
        aside.rename(target)
    for left in (new, aside):
        if left.exists():
            shutil.rmtree(left)


def _exchanged(new: Path, target: Path) -> bool:
    """Exchange two folders in one step, and tell whether the system can."""
    names = os.fsencode(new), os.fsencode(target)
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "linux":
            failed = library.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _EXCHANGE)
        elif sys.platform == "darwin":
            failed = library.renamex_np(*names, _EXCHANGE)
        else:
            return False
    except (AttributeError, OSError, TypeError):  # a library without the function, or no library at all
        return False
    if failed and (code := ctypes.get_errno()) not in _UNABLE:
        raise OSError(code, os.strerror(code), str(target))
    return not failed


_AT_FDCWD = -100

_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS

_UNABLE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


def differences(expected: Mapping[str, str], site: Path, other: str) -> tuple[str, ...]:
    """Return how the files of a folder differ from those with the SHA-256 `expected`, in words.

    `other` is what is said of a file with other bytes.
    """
    present = set(files_in(site)) if site.is_dir() else set()
    found = [f"{path} is missing" for path in expected if path not in present]
    found += [f"{path} is not of the site" for path in present if path not in expected]
    found += [
        f"{path} {other}" for path in present & expected.keys() if mark_of(site / path) != expected[path]
    ]
    return tuple(sorted(found))


def as_published(site: Path) -> dict[str, str]:
    """Return the SHA-256 of the files of a site as its manifest has them, and that of the manifest itself."""
    listed = listed_files(_bytes_or_none(site / MANIFEST)) or {}
    return {path: one["sha256"] for path, one in listed.items()} | {MANIFEST: mark_of(site / MANIFEST)}


def listed_files(data: bytes | None) -> dict[str, dict[str, str]] | None:
    """Return the files that a manifest lists, with their keys and hashes; None if it is none."""
    try:
        document: Any = json.loads(data or b"")
        files = document["files"]
        if document["format"] != 1 or not all({"key", "sha256"} <= one.keys() for one in files.values()):
            return None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return dict(files)


def mark_of(path: Path) -> str:
    """Return the SHA-256 of a file; nothing if it cannot be read."""
    data = _bytes_or_none(path)
    return "" if data is None else hashlib.sha256(data).hexdigest()


def files_in(folder: Path) -> Iterator[str]:
    """Return the paths of the files of a folder; links count as files, whatever they lead to."""
    for place, folders, names in os.walk(folder):
        here = Path(place)
        links = [name for name in folders if (here / name).is_symlink()]
        yield from ((here / name).relative_to(folder).as_posix() for name in (*names, *links))


def _bytes_or_none(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
