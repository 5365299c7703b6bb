"""Values that can be computed again, in the files of a folder.

A file lies under the hash of all that its value depends on, and begins with a checksum. One that is damaged
or half written is as good as none, so several processes may write at the same time, and one may be killed.
Both hashes are keyed where a secret is given: who does not know it cannot bring a file whose value is used.
A folder that cannot be read or written holds nothing, which is no error.
"""

from __future__ import annotations

import contextlib
import hmac
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestby._version import __version__


@dataclass(frozen=True)
class Cache:
    """Values of a kind, whose form has a number that changes with it; without a folder none is stored."""

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
