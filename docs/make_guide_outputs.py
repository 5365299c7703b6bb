"""Run the commands in the documentation and put in what they print; `--check` only compares.

A command of bestby stands after "$ " at the start of a block of kind console. What it prints is shown with 80
columns, without the line with the signature, which names versions.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BEGIN = "```console\n"
PAGES = tuple(
    path
    for path in (*ROOT.glob("README.md"), *sorted((ROOT / "docs").rglob("*.md")))
    if BEGIN in path.read_text(encoding="utf-8")
)
BLOCK = re.compile(r"```console\n(\$ (?:[^\n]*\\\n)*[^\n]*\n)(.*?)```\n", re.DOTALL)
MESSAGE = re.compile(r"hint:|\w+Error:")
"""How lines of errors begin, which a terminal wraps."""

MAIN = """import sys
from bestby.cli import main
from bestby.report.writers import terminal

terminal.WIDTH = 80
sys.exit(main())"""


def page(text: str) -> str:
    """Return the page with the output of every command made anew."""
    return BLOCK.sub(lambda block: f"```console\n{block[1]}{output(block[1])}```\n", text)


def output(command: str) -> str:
    """Return what a command prints, run at the root of the repository."""
    name, *arguments = shlex.split(command.removeprefix("$ ").replace("\\\n", ""))
    if name != "bestby":
        raise ValueError(f"expected a command of bestby, got {name!r}")
    kept = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "FORCE_COLOR")}
    done = subprocess.run(
        [sys.executable, "-c", MAIN, *arguments],
        cwd=ROOT,
        env=kept | {"PYTHONUTF8": "1", "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    lines = [line.rstrip() for line in done.stdout.splitlines() if not re.match(r"bestby[: ]\d", line)]
    lines = [part for line in lines for part in (_wrapped(line) if MESSAGE.match(line) else [line])]
    return "\n".join(lines).strip("\n") + "\n"


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, 80, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    from generated_pages import write_or_check

    for path in PAGES:
        write_or_check(path, page(path.read_text(encoding="utf-8")))
