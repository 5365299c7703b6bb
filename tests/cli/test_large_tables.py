"""`bestby compare` on tables in many files and on tables that are counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.helpers import Run

ROWS = [(i, "xyz"[i % 3], "xyz"[(i + i // 5) % 3], "xyz"[(i * i) % 3]) for i in range(60)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for lang, rows in (("de", ROWS[:25]), ("en", ROWS[25:])):
        path = tmp_path / "preds" / f"lang={lang}" / "part.csv"
        path.parent.mkdir(parents=True)
        body = "\n".join(",".join(map(str, row)) for row in rows)
        path.write_text(f"id,label,a,b\n{body}\n", encoding="utf-8")
    return tmp_path


def result(run: Run, *arguments: str) -> dict[str, Any]:
    done = run("compare", *arguments, "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_folder_and_a_pattern_are_one_table(run: Run, folder: Path) -> None:
    one = result(run, str(folder / "preds"), "--gold", "label")
    assert (
        one["differences"]
        == result(run, str(folder / "preds" / "**" / "*.csv"), "--gold", "label")["differences"]
    )
    assert one["n_items"] == 60


def test_counted_and_whole_are_the_same(run: Run, folder: Path) -> None:
    arguments = (
        str(folder / "preds" / "*" / "*.csv"),
        "--gold",
        "label",
        "--item",
        "id",
        "--stratum",
        "lang",
    )
    arguments += ("--metric", "accuracy", "--metric", "f1_macro", "--resamples", "200")
    whole, counted = (result(run, *arguments, how) for how in ("--no-stream", "--stream"))
    for part in ("systems", "differences", "provenance"):
        assert whole[part] == counted[part]
    assert "60 rows were counted into" in json.dumps(counted["notes"])
