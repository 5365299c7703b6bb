"""What the tests of the command line share."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.cli import forks

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


_SERVER = forks.Server(environment())


def run_in(folder: Path) -> Run:
    """Return a function that runs the command line in a folder, in a fork where there are forks."""

    def run(*arguments: object, **extra: str) -> subprocess.CompletedProcess[str]:
        if hasattr(os, "fork"):
            return _SERVER.run([str(x) for x in arguments], folder, environment(**extra))
        return subprocess.run(
            [*COMMAND, *map(str, arguments)],
            cwd=folder,
            env=environment(**extra),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )

    return run
