"""BooStSa in an environment of its own, asked for one job after the other."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PYTHON = ROOT / "build" / "boostsa" / "bin" / "python"
"""`make bench` makes it."""


class BooStSa:
    """A process that runs BooStSa, to be asked for one job after the other.

    Parameters
    ----------
    python : Path
        The interpreter of an environment that has BooStSa.
    """

    def __init__(self, python: Path) -> None:
        worker = Path(__file__).with_name("boostsa_worker.py")
        self._process = subprocess.Popen(
            [python, worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, **job: Any) -> dict[str, Any]:
        """Return the answer of boostsa_worker.py to a job."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"BooStSa's process ended with status {self._process.wait()}")
        return dict(json.loads(answer))
