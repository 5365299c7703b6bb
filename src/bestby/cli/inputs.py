"""The standard input as a file: the readers read a table more than once, and tell what it is by its name."""

from __future__ import annotations

import dataclasses
import gzip
import io
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bestby._core.errors import BestbyError, InvalidInputError

STDIN = "-"
_GZIP = b"\x1f\x8b"


@contextmanager
def with_stdin(values: Any) -> Iterator[Any]:
    """Give the values of a command, with a file that holds the standard input in place of a path -."""
    name = "path" if hasattr(values, "path") else "paths"
    paths = getattr(values, name, None)
    if paths is None or STDIN not in ([paths] if isinstance(paths, str) else paths):
        yield values
        return
    if paths not in (STDIN, [STDIN]):
        raise InvalidInputError(
            "- is the standard input, which holds one table: it is read alone", hint="name files, or only -"
        )
    with tempfile.TemporaryDirectory(prefix="bestby-") as folder:
        content = sys.stdin.buffer.read()
        if not content.strip():
            raise InvalidInputError(
                "the standard input is empty", hint="pipe a table into it, or name a file"
            )
        file = Path(folder, f"stdin{_ending(content)}")
        file.write_bytes(content)
        try:
            yield dataclasses.replace(values, **{name: str(file) if paths == STDIN else [str(file)]})
        except BestbyError as error:
            error.message = error.message.replace(str(file), "stdin")
            raise


def _ending(content: bytes) -> str:
    r"""Return the ending of a file with this content; Parquet and what is packed are told by their bytes.

    >>> _ending(b"a,b\n"), _ending(b'{"a": 1}\n'), _ending(gzip.compress(b'[{"a": 1}]'))
    ('.csv', '.jsonl', '.json')
    """
    if content.startswith(_GZIP):
        with gzip.open(io.BytesIO(content)) as stream:
            content = stream.read(1 << 10)
    start = content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    return {b"{": ".jsonl", b"[": ".json"}.get(start, ".csv")
