"""The standard streams, which may be closed, full, or unable to show a character; how far the work is."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from bestby._core.errors import InvalidInputError
from bestby._core.text import one_line, visible

WRITING = frozenset({errno.EBADF, errno.EFBIG, errno.ENOSPC, errno.EDQUOT})
"""Error numbers that only writing raises. Files are written by `write_bytes`, whose errors name the file."""

_CLOSED_HINT = "open it, or write to a file (such as --json FILE); all requested files are complete"
_FULL_HINT = "free some space, or write to a file elsewhere; all requested files are complete"


def open_closed() -> None:
    """Replace standard streams that were closed when the process started.

    Python has None in their place, and the next file that is opened would take their number. Reading stdin
    then gives nothing, stderr goes nowhere, and writing to stdout fails like any other write that fails.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY), encoding="utf-8", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8", closefd=False)


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Give stdout to write to, and flush it."""
    try:
        yield cast(TextIO, _Logged(sys.stdout))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_stdout()
        raise unwritable(error) from error


def unwritable(error: OSError) -> InvalidInputError:
    """Return the error that says why stdout cannot be written."""
    closed = error.errno == errno.EBADF
    reason = "it is closed" if closed else error.strerror or str(error)
    return InvalidInputError(
        f"cannot write the standard output: {reason}", hint=_CLOSED_HINT if closed else _FULL_HINT
    )


def flush() -> None:
    """Flush stdout, so that what was printed comes before the message on stderr."""
    try:
        sys.stdout.flush()
    except OSError:
        discard_stdout()


def discard_stdout() -> None:
    """Discard what stdout still buffers, because the interpreter would report it at exit."""
    with suppress(OSError, ValueError):  # a stream of a test has no number
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def logged(text: str) -> str:
    """Return text as a log may show it: a step of a GitHub workflow takes some lines for commands.

    Its runner takes a line that begins with ``::``, after any white space, and one with ``##[`` anywhere, and
    names of items and systems come from files of strangers. The first sign of these becomes an escape.
    """
    if not (os.environ.get("GITHUB_ACTIONS") or os.environ.get("GITHUB_STEP_SUMMARY")):
        return text
    return _COLONS.sub(r"\1\\x3a", text).replace("##[", r"\x23#[")


_COLONS = re.compile(r"((?:^|\r)\s*):(?=:)", re.MULTILINE)


class _Logged:
    """A stream of text that is written as `logged` has it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(logged(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def print_stdout(text: str) -> None:
    """Print lines to stdout: hidden characters, and those it has no code for, as escapes."""
    lines = "\n".join(map(visible, text.split("\n")))
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    with standard_output() as stream:
        stream.write(lines.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def print_stderr(text: str) -> None:
    """Print one line to stderr, if anyone reads it."""
    with suppress(OSError):
        sys.stderr.write(logged(one_line(text)) + "\n")
        sys.stderr.flush()
