"""What the scripts `make_*.py` of this folder do with what they make."""

from __future__ import annotations

import sys
from pathlib import Path


def write_or_check(path: Path, text: str) -> None:
    """Write a file; with `--check` on the command line, only say whether it holds this text already."""
    if "--check" not in sys.argv[1:]:
        path.write_text(text, encoding="utf-8")
    elif path.read_text(encoding="utf-8") != text:
        sys.exit(f"{path.name} is out of date: run python docs/{Path(sys.argv[0]).name}")
