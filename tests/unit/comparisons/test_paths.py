"""A path in place of data: the error names the function that reads such a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bestby as bb
from bestby._core.errors import InvalidInputError


@pytest.mark.parametrize(
    ("function", "call"),
    [
        (bb.compare, "compare(bestby.read("),
        (bb.compare_runs, "compare_runs(bestby.read_runs("),
        (bb.multi_aso, "multi_aso(bestby.read_runs("),
        (bb.compare_datasets, "compare_datasets(bestby.read_datasets("),
        (bb.compare_folds, "compare_folds(bestby.read_folds("),
        (bb.compare_preferences, "compare_preferences(bestby.read_preferences("),
    ],
)
@pytest.mark.parametrize("kind", [str, Path])
def test_the_reader_is_named(function: Callable[..., Any], call: str, kind: Callable[[str], Any]) -> None:
    with pytest.raises(InvalidInputError) as caught:
        function(kind("scores.csv"))
    assert "got" in str(caught.value)
    assert call in (caught.value.hint or "")
    assert "scores.csv" in (caught.value.hint or "")


def test_what_the_hint_for_runs_says_works(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("run,a,b\n0,0.8,0.7\n1,0.9,0.75\n2,0.85,0.7\n", encoding="utf-8")
    assert set(bb.multi_aso(bb.read_runs(str(path)).runs).systems) == {"a", "b"}
