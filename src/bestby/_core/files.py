"""Files that are either complete or not there, however many processes write and whenever one is killed.

Everything is first written to a file of its own in a scratch folder on the same file system, and forced to
the disk. It then gets its name in one step: a hard link, which fails if the name is taken (`create`), or a
rename, which takes the place of what was there (`replace`). A process that is killed leaves nothing but a
scratch file, which nobody reads and which a later `sweep` removes.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import json
import os
import secrets
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestby._core.errors import BestbyError, BoardError, StudyError
from bestby._core.text import shortened
from bestby._version import __version__

STALE = 3600.0
"""Seconds after which a scratch file is known to be left behind; writing one takes far less than a second."""

UNCHANGED: dict[type[BestbyError], str] = {
    StudyError: "the study is as it was",
    BoardError: "the board is as it was",
}
"""What a hint says of the files that could not be changed, by the error that is raised."""

_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.EMLINK}

_NO_SYNC = {errno.EACCES, errno.EINVAL, errno.ENOTSUP}


class NotSyncedError(OSError):
    """The names in a folder were changed, but the system did not confirm that the disk has them."""


@contextlib.contextmanager
def reported(doing: str, error_type: type[BestbyError] = StudyError) -> Iterator[None]:
    """Turn an error of the file system into one of `KEPT` that says what was being done."""
    try:
        yield
    except NotSyncedError as error:
        raise error_type(
            f"the change was made, but the disk did not confirm it ({doing}): {error.strerror or error}",
            hint="check the disk and repeat the change: it may be lost if the machine fails",
        ) from error
    except OSError as error:
        reason = error.strerror or str(error)
        where = "" if error.filename is None else f" ({shortened(str(error.filename), 200)})"
        raise error_type(
            f"cannot {doing}: {reason}{where}",
            hint=f"{UNCHANGED[error_type]}; check the space left and the permissions, then do it again",
        ) from error


def create(target: Path, data: bytes, scratch: Path) -> bool:
    """Make a file unless there is one of its name, and tell whether: of several processes one gets True."""
    with _written(scratch, data) as temporary:
        if not _named(temporary, target, scratch):
            return False
        try:
            _sync(target.parent)
        except OSError as error:  # nobody was told that it is there
            try:
                target.unlink()
            except OSError:
                raise _not_synced(error) from error
            raise
        return True


def replace(target: Path, data: bytes, scratch: Path) -> None:
    """Make a file in the place of one of its name; readers see the old one or the new one, each whole."""
    with _written(scratch, data) as temporary:
        temporary.replace(target)
        _force(target.parent)


def remove(target: Path) -> None:
    """Remove a file for good."""
    target.unlink()
    _force(target.parent)


def folder(path: Path) -> None:
    """Make a folder, and those above it, if they are not there, and force their names to the disk."""
    absent = [above for above in path.parents if not above.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for new in (path, *absent):  # also if another process made the first just now, and did not come this far
        _sync(new.parent)


def sweep(scratch: Path) -> None:
    """Remove scratch files that were left behind long ago."""
    now = time.time()
    for left in scratch.glob("*.part"):
        with contextlib.suppress(OSError):  # another process was quicker
            if now - left.stat().st_mtime > STALE:
                left.unlink()


@contextlib.contextmanager
def _written(scratch: Path, data: bytes) -> Iterator[Path]:
    """Write a scratch file, force it to the disk, and remove it in the end if it is still there."""
    temporary = scratch / f"{secrets.token_hex(8)}.part"
    # Opened like this and not by tempfile, so that the new file gets the permissions any new file gets.
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        yield temporary
    finally:
        with contextlib.suppress(OSError):  # what cannot be removed now is swept later
            temporary.unlink()


def _named(temporary: Path, target: Path, scratch: Path) -> bool:
    """Give the scratch file its name in one step, unless the name is taken."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        return _renamed(temporary, target, scratch)
    return True


def _renamed(temporary: Path, target: Path, scratch: Path) -> bool:
    """Give the scratch file its name on a file system without hard links, such as FAT, unless it is taken."""
    # Windows has a rename that fails if the name is taken. Elsewhere a rename replaces, so looking and
    # renaming happen under a lock; the kernel releases it when its holder is killed, so none is ever stale. A
    # `replace` needs no lock: either of the two files is whole.
    if sys.platform == "win32":
        try:
            temporary.rename(target)
        except FileExistsError:
            return False
        return True
    import fcntl

    with (scratch / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.exists():
            return False
        temporary.replace(target)
        return True


def _force(changed: Path) -> None:
    """Force the names in a folder to the disk after a change that cannot be undone."""
    try:
        _sync(changed)
    except OSError as error:
        raise _not_synced(error) from error


def _not_synced(error: OSError) -> NotSyncedError:
    return NotSyncedError(error.errno, error.strerror, error.filename)


def _sync(path: Path) -> None:
    """Force the names in a folder to the disk, where the system can."""
    if sys.platform == "win32":
        return
    try:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise


def digest(content: Any) -> str:
    """Return 32 hexadecimal digits that any change of the content, which JSON can hold, changes."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


# -- values that can be computed again --------------------------------------------------------------


@dataclass(frozen=True)
class Cache:
    """Values of a kind, whose form has a number that changes with it; without a folder none is stored."""

    # A file lies under the hash of all that its value depends on, and begins with a checksum. One that is
    # damaged or half written is as good as none, so several processes may write at the same time, and one may
    # be killed. Both hashes are keyed where a secret is given: who does not know it cannot bring a file whose
    # value is used. A folder that cannot be read or written holds nothing, which is no error.

    kind: str
    form: int
    folder: Path | None = None
    secret: bytes = b""

    def key(self, *parts: Any) -> str:
        """Return the key of a value that depends on these parts, which JSON can hold, and on this version."""
        text = json.dumps([self.kind, self.form, __version__, *parts], sort_keys=True)
        return hmac.digest(self.secret, text.encode(), "sha256").hex()

    def read(self, key: str) -> bytes | None:
        """Return the value of a key, None if there is none."""
        if self.folder is None:
            return None
        try:
            content = self._file(self.folder, key).read_bytes()
        except OSError:
            return None
        checksum, value = content[:32], content[32:]
        return value if hmac.compare_digest(checksum, self._checksum(key, value)) else None

    def write(self, key: str, value: bytes) -> None:
        """Store the value of a key, unless it cannot be written."""
        if self.folder is None:
            return
        path = self._file(self.folder, key)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self._checksum(key, value) + value)
        except OSError:  # the disk is full, the folder may only be read, …
            with contextlib.suppress(OSError):
                path.unlink()

    def _checksum(self, key: str, value: bytes) -> bytes:
        return hmac.digest(self.secret, key.encode() + value, "sha256")

    @staticmethod
    def _file(folder: Path, key: str) -> Path:
        return folder / f"{key}.cache"
