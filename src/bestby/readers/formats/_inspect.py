"""Inspect's own reader of its logs, where it is installed."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from bestby.readers.formats import _archive


def by_inspect(path: Path) -> tuple[dict[str, Any], list[Any]] | None:
    """Return the header of a log and the summaries of its samples as Inspect reads them.

    Inspect knows every version of its logs. Where it refuses a log, our own reading says in two lines what
    is wrong, or reads it all the same.
    """
    try:
        from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
    except ImportError:
        return None
    if not _bounded(path):
        return None
    try:
        header = read_eval_log(str(path), header_only=True).model_dump(mode="json")
        summaries = [one.model_dump(mode="json") for one in read_eval_log_sample_summaries(str(path))]
    except Exception:  # whatever a damaged log makes of it
        return None
    return (header, summaries) if summaries else None


def _bounded(path: Path) -> bool:
    """Tell whether what Inspect would unpack stays within our bound; a document is as large as its file."""
    if not zipfile.is_zipfile(path):
        return True
    with _archive.opened(path) as archive:
        sizes = [
            member.file_size for member in archive.infolist() if not member.filename.startswith("samples/")
        ]
    return sum(sizes) <= _archive.most_bytes()
