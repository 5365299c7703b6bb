"""`bestby agreement`: files, options, outputs."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.helpers import Run

ROWS = [("x", "x", "x", "d1"), ("y", "y", "x", "d1"), ("y", "y", "y", "d2"), ("x", "", "x", "d2")] * 5


def written(folder: Path) -> None:
    wide = ["item,ann,ben,cem,doc", *(f"{item},{','.join(row)}" for item, row in enumerate(ROWS))]
    long = ["item,annotator,label"]
    for item, row in enumerate(ROWS):
        long += [f"{item},{who},{one}" for who, one in zip(("ann", "ben", "cem"), row, strict=False) if one]
    (folder / "wide.csv").write_text("\n".join(wide), encoding="utf-8")
    (folder / "long.csv").write_text("\n".join(long), encoding="utf-8")


def test_wide_and_long_files_have_one_answer(tmp_path: Path, run: Run) -> None:
    written(tmp_path)
    wide = json.loads(run("agreement", "wide.csv", "--ignore", "doc", "--json", "-").stdout)
    long = json.loads(run("agreement", "long.csv", "--json", "-").stdout)
    named = json.loads(run("agreement", "wide.csv", "--annotators", "cem,ann,ben", "--json", "-").stdout)
    assert wide["coefficients"] == long["coefficients"] == named["coefficients"]
    assert wide["pairs"] == long["pairs"] == named["pairs"]


def test_clusters_classes_and_tables(tmp_path: Path, run: Run) -> None:
    written(tmp_path)
    said = run("agreement", "wide.csv", "--cluster", "doc", "--classes", "x,y,z").stdout
    assert "20 items in 2 clusters" in said or "few" in said
    assert "nobody gave z" in " ".join(said.split())
    csv = run("agreement", "wide.csv", "--ignore", "doc", "--csv", "-").stdout.splitlines()
    assert csv[0].startswith("coefficient,value,low,high,level,interval,observed,expected,n_items")
    assert csv[1].startswith("krippendorff_alpha,")


def test_the_short_answer_is_short(tmp_path: Path, run: Run) -> None:
    written(tmp_path)
    assert len(run("agreement", "wide.csv", "--ignore", "doc").stdout.splitlines()) <= 45


def test_check_proposes_it(tmp_path: Path, run: Run) -> None:
    written(tmp_path)
    assert "bestby agreement long.csv" in run("check", "long.csv").stdout
