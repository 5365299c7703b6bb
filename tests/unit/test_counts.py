"""Counts are written in one way in all texts: a comma every three digits, from five digits on."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import bestby as bb

SOURCE = Path(bb.__file__).parent
WRITER = SOURCE / "_core" / "text.py"


def test_no_other_module_puts_commas_into_numbers() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in SOURCE.rglob("*.py")
        if path != WRITER
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FormattedValue)
        and isinstance(node.format_spec, ast.JoinedStr)
        and any(isinstance(part, ast.Constant) and part.value == "," for part in node.format_spec.values)
    ]
    assert found == []


@pytest.mark.parametrize(("n", "shown", "other"), [(1200, "1200", "1,200"), (12_000, "12,000", "12000")])
def test_a_report_writes_a_number_of_items_in_one_way(n: int, shown: str, other: str) -> None:
    rng = np.random.default_rng(0)
    result = bb.compare({"a": rng.integers(0, 2, n), "b": rng.integers(0, 2, n)})
    said = f"{result}".rpartition("\nbestby ")[0]
    assert f"{shown} items" in said
    assert f"{other} items" not in said
    assert "10,000 resamples" not in said or "10000 resamples" not in said
