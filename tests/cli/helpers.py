"""What the tests of the command line share."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from bestby.cli import main

Run = Callable[..., "subprocess.CompletedProcess[str]"]

START = {
    "json": "{",
    "csv": "metric,a,b,difference",
    "markdown": "**",
    "latex": "% needs",
    "html": "<!DOCTYPE",
}
"""How the outputs of most commands begin."""

COMMAND = [sys.executable, "-c", "import sys; from bestby.cli import main; sys.exit(main())"]


def environment(**extra: str) -> dict[str, str]:
    """Return the environment of the tests without what changes how text is shown."""
    kept = {
        key: value for key, value in os.environ.items() if key not in ("COLUMNS", "FORCE_COLOR", "NO_COLOR")
    }
    return kept | {"PYTHONUTF8": "1"} | extra


def check_refused(done: subprocess.CompletedProcess[str], first: str, second: str) -> None:
    """Check that a command ended with an error of one line, or of two with the hint."""
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert first in lines[0]
    assert second in (lines[1] if len(lines) > 1 else "")
    assert len(lines) <= 2


def run_in(folder: Path) -> Run:
    """Return a function that runs the command line in a folder, within this process.

    Each command has its folder, environment, streams and exit status to itself. What the start of an
    interpreter or its end decides is tested by processes.
    """

    def run(*arguments: object, **extra: str) -> subprocess.CompletedProcess[str]:
        words = [str(x) for x in arguments]
        with (
            tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as out,
            tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as err,
            Path(os.devnull).open(encoding="utf-8") as nothing,
            mock.patch.multiple(sys, stdin=nothing, stdout=out, stderr=err, argv=["bestby", *words]),
            mock.patch.dict(os.environ, environment(**extra), clear=True),
            contextlib.chdir(folder),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("default")  # as in a process
            try:
                status = main(words)
            except SystemExit as stop:
                status = stop.code if isinstance(stop.code, int) else 1
            for stream in (out, err):
                stream.seek(0)
            return subprocess.CompletedProcess(words, status, out.read(), err.read())

    return run
