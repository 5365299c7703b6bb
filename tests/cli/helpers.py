"""What the tests of the command line share."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., "subprocess.CompletedProcess[str]"]

COMMAND = [sys.executable, "-c", "import sys; from bestby.cli import main; sys.exit(main())"]


def environment(**extra: str) -> dict[str, str]:
    """Return the environment of the tests without what changes how text is shown."""
    kept = {
        key: value for key, value in os.environ.items() if key not in ("COLUMNS", "FORCE_COLOR", "NO_COLOR")
    }
    return kept | {"PYTHONUTF8": "1"} | extra


def run_in(folder: Path) -> Run:
    def run(*arguments: object, **extra: str) -> subprocess.CompletedProcess[str]:
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
