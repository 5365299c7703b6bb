"""`bestby frontier`: files, costs, outputs and errors."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.cli.helpers import Run

SYSTEMS = {"large": (0.8, 4.0), "medium": (0.8, 1.0), "odd": (0.5, 1.5)}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write one run of three systems as a long table, as a wide one with gold, and as a file per system."""
    chance = random.Random(3)
    long, wide = ["system,item,score,usd"], ["id,label,large,large_usd,medium,medium_usd,odd,odd_usd"]
    for item in range(200):
        cells = []
        for name, (share, cost) in SYSTEMS.items():
            right, usd = chance.random() < share, cost * chance.uniform(0.5, 1.5)
            long.append(f"{name},q{item},{int(right)},{usd:.4f}")
            cells += ["x" if right else "y", f"{usd:.4f}"]
        wide.append(",".join([f"q{item}", "x", *cells]))
    for name in SYSTEMS:
        rows = [line.partition(",")[2] for line in long if line.startswith(f"{name},")]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,score,usd", *rows]), encoding="utf-8")
    (tmp_path / "long.csv").write_text("\n".join(long), encoding="utf-8")
    (tmp_path / "wide.csv").write_text("\n".join(wide), encoding="utf-8")
    return tmp_path


def systems(text: str) -> list[tuple[str, bool, float]]:
    rows = json.loads(text)
    return [(one["system"], one["may_be_on_frontier"], one["p_adjusted"]) for one in rows["systems"]]


def test_long_wide_and_single_files_have_one_answer(files: Path, run: Run) -> None:
    long = systems(run("frontier", "long.csv", "--quality", "score", "--cost", "usd", "--json", "-").stdout)
    wide = systems(run("frontier", "wide.csv", "--gold", "label", "--cost", "usd", "--json", "-").stdout)
    apart = [f"{name}={name}.csv" for name in SYSTEMS]
    single = systems(run("frontier", *apart, "--quality", "score", "--cost", "usd", "--json", "-").stdout)
    assert long == wide == single
    assert {name: on for name, on, _ in long} == {"large": True, "medium": True, "odd": False}


def test_prices_and_columns_together(files: Path, run: Run) -> None:
    prices = ["--cost", "large=3", "--cost", "medium=1", "--cost", "odd=1"]
    said = run("frontier", "long.csv", "--quality", "score", *prices, "--cost", "usd@0.9").stdout
    assert "On the frontier of score, price and usd@0.9 may be" in " ".join(said.split())


def test_the_cheapest_within_the_margin(files: Path, run: Run) -> None:
    said = run("frontier", "long.csv", "--quality", "score", "--cost", "usd", "--margin", "0.15").stdout
    assert "within 0.15 of the best: medium" in " ".join(said.split())


def test_a_gate_with_a_budget(files: Path, run: Run) -> None:
    words = ["--metric", "score", "--margin", "0.2", "--baseline", "large", "--candidate", "medium"]
    assert run("gate", "long.csv", *words, "--at-most", "usd=+10%").returncode == 0
    failed = run("gate", "long.csv", *words, "--at-most", "usd=-90%")
    assert failed.returncode == 1
    assert "Fail: usd fails; 1 of 2 checks pass" in " ".join(failed.stdout.split())
    wrong = run("gate", "long.csv", *words, "--at-most", "usd=10")
    assert wrong.returncode == 2
    assert "--at-most of 'usd' must be an increase such as '+10%'" in wrong.stderr
    missing = run("gate", "long.csv", *words, "--at-most", "eur=+10%")
    assert "there is no column 'eur'" in missing.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["long.csv", "--quality", "score"], "no cost was given"),
        (["long.csv", "--quality", "score", "--cost", "eur"], "there is no column 'eur'"),
        (["long.csv", "--quality", "score", "--cost", "large=3"], "system 'medium' has no cost"),
        (
            ["long.csv", "--quality", "score", "--cost", "large=dear"],
            "--cost must be a column or SYSTEM=PRICE",
        ),
        (["long.csv", "--quality", "score", "--cost", "usd@2"], "a quantile is between 0 and 1"),
        (["wide.csv", "--gold", "label", "--quality", "acuracy", "--cost", "usd"], "there is no metric"),
    ],
)
def test_wrong_input(files: Path, run: Run, words: list[str], message: str) -> None:
    done = run("frontier", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert "metric" not in done.stderr.partition("hint")[2] or "acuracy" in words
