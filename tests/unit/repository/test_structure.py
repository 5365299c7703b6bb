"""What stands beside the package keeps to the length of its functions too."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.unit.test_structure import FUNCTION_LINES, functions, length

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("benchmarks", "calibration", "docs", "examples", "tests", "tools")


def test_no_function_is_long() -> None:
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    assert len(paths) > 400
    long = {
        name: length(node)
        for path in paths
        for name, node in functions(
            ast.parse(path.read_text(encoding="utf-8")).body, path.relative_to(ROOT).as_posix()
        )
        if length(node) > FUNCTION_LINES
    }
    assert long == {}
