"""Values that can be computed again, stored in a folder under the hash of all that they depend on."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from bestby._core import files


def digest(content: Any) -> str:
    """Return 32 hexadecimal digits that any change of the content changes."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def read(folder: Path, key: str) -> dict[str, Any] | None:
    """Return the value stored under a key, None if there is none or it is damaged."""
    try:
        content = json.loads((folder / f"{key}.json").read_bytes().decode("utf-8"))
        value = content["value"]
        sound = content["key"] == key and content["checksum"] == digest(value)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return value if sound and isinstance(value, dict) else None


def write(folder: Path, key: str, value: dict[str, Any], scratch: Path) -> None:
    """Store a value under a key; nothing happens if it cannot be written.

    `scratch` is a folder of files that are being written, on the same file system.
    """
    data = json.dumps({"key": key, "value": value, "checksum": digest(value)}, indent=1)
    try:
        files.folder(scratch)
        files.folder(folder)
        files.replace(folder / f"{key}.json", f"{data}\n".encode(), scratch)
    except OSError:  # the disk is full, the folder may only be read, …
        return
