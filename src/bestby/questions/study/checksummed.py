"""Files of JSON, a value per line, whose content is checked against a hash when it is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError, StudyError
from bestby._core.files import digest

VERSION = 1
_RESTORE = "restore it (from git or a backup), or remove the file and add its content again"


def checksummed(kind: str, head: Mapping[str, Any], bulk: Mapping[str, Any], bulk_hash: str) -> bytes:
    """Return the content of a file, with one line per element of the long lists in `bulk`.

    The hash of `bulk` stands before it and a checksum of the rest at the end: one pass reads both.
    """
    top = {"format": f"bestby {kind}", "version": VERSION, **head, "hash": bulk_hash}
    line = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    fields = [f"{line(key)}: {line(value)}" for key, value in top.items()]
    for key, value in bulk.items():
        if isinstance(value, list):
            fields.append(f"{line(key)}: [\n" + ",\n".join(map(line, value)) + "\n]")
        else:
            fields.append(f"{line(key)}: {line(value)}")
    fields.append(f'"checksum": "{digest(top)}"')
    text = "{\n" + ",\n".join(fields) + "\n}\n"
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            f"labels, ids and tags must be valid Unicode text, got {text[error.start : error.end]!r}",
        ) from error


def read_checksummed(path: Path, kind: str, bulk: tuple[str, ...]) -> dict[str, Any]:
    """Return what a file that `checksummed` wrote holds; refuse one that was changed since."""
    try:
        content = json.loads(path.read_bytes().decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON
        raise StudyError(f"{path} is damaged or cut off: {error}", hint=_RESTORE) from error
    if not isinstance(content, dict) or content.get("format") != f"bestby {kind}":
        raise StudyError(f"{path} is not the {kind} of a study, or is damaged", hint=_RESTORE)
    if content.get("version") != VERSION:
        raise StudyError(
            f"{path} is in version {content.get('version')!r} of its format; this bestby reads version"
            f" {VERSION}",
            hint="upgrade bestby, or use the one that wrote the study",
        )
    top = {key: value for key, value in content.items() if key not in bulk and key != "checksum"}
    if set(bulk) - set(content) or content.get("checksum") != digest(top):
        raise StudyError(f"{path} was changed since it was written: its checksum differs", hint=_RESTORE)
    if content.get("hash") != digest({key: content[key] for key in bulk}):
        raise StudyError(
            f"{path} was changed since it was written: the hash of its values differs", hint=_RESTORE
        )
    return content


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is not a number")
