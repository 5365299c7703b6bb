"""`bestby datasets` and `bestby folds`: every kind of table, every output, messages."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.cli.helpers import Run

from bestby.cli import main

FORMS = {"json": "json", "csv": "csv", "markdown": "md", "latex": "tex", "html": "html", "plot": "svg"}


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    rows = [
        "dataset,old,new,big",
        "news,.71,.74,.80",
        "talks,.63,.66,.69",
        "legal,.58,.57,.66",
        "bio,.55,.61,.60",
    ]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    generator = np.random.default_rng(4)
    path = tmp_path / "items.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["task", "seed", "fold", "item", "gold", "a", "b"])
        for task in ("x", "y"):
            for seed in (1, 2):
                for item in range(40):
                    gold = int(generator.integers(0, 2))
                    pair = [gold if generator.random() < chance else 1 - gold for chance in (0.9, 0.6)]
                    writer.writerow([task, seed, item % 4, f"{seed}-{item}", gold, *pair])
    return path


def test_items_and_folds_of_one_file(predictions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = ["--gold", "gold", "--system", "a", "--system", "b"]
    assert main(["datasets", str(predictions), *chosen, "--item", "item", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["scores"]) == {"x", "y"}
    assert {row["average"] for row in found["differences"]} == {"macro", "micro", None}
    assert main(["folds", str(predictions), *chosen, "--repetition", "seed", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["spread"][0]["repetitions"] == 2
    assert len(found["scores"]) == 8
    assert found["ratio"] == pytest.approx(1 / 3)


def test_p_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.csv"
    pairs = zip("abcdef", (0.168, 0.297, 0.357, 0.019, 0.218, 0.001), strict=True)
    path.write_text("dataset,p_value\n" + "".join(f"{name},{p}\n" for name, p in pairs), encoding="utf-8")
    assert main(["datasets", str(path), "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["k_bonferroni"], found["k_fisher"], found["found"]) == (1, 2, ["f"])
    assert main(["datasets", str(path), "--plot", str(tmp_path / "x.svg"), "--html", "-"]) == 0
    assert (tmp_path / "x.svg").read_bytes().startswith(b"<?xml")
    assert "P-values of the datasets" in capsys.readouterr().out


def test_scores_of_folds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "folds.csv"
    rows = [f"{i},{j},{0.7 + 0.01 * i},{0.6 + 0.02 * j}" for i in (1, 2, 3, 4, 5) for j in (1, 2)]
    path.write_text("\n".join(["repetition,fold,a,b", *rows]) + "\n", encoding="utf-8")
    folds = ["folds", str(path), "--plot", str(tmp_path / "folds.png"), "--lower-is-better", "--details"]
    assert main(folds) == 0
    captured = capsys.readouterr()
    assert "b has the lowest mean score" in captured.out
    assert "combined 5×2 cv F-test" in captured.out
    assert main(["folds", str(path), "--required", "some"]) == 2
    assert "--required must be a whole number or all" in capsys.readouterr().err


def test_big_bench_hard_through_the_command(shared_data: Callable[[str], Path], run: Run) -> None:
    table = shared_data("bbh_codex") / "bbh_direct_vs_cot.csv"
    systems = ["--system", "direct_correct", "--system", "cot_correct"]
    done = run("datasets", table, "--item", "item", *systems, "--plot", "bbh.png", "--details")
    assert (done.returncode, done.stderr) == (0, "")
    assert "a significant difference on at least 16 of 27 datasets" in done.stdout
    drop = run("datasets", table, "--item", "item", "--gold", "gold", "--system", "direct_pred",
               "--system", "cot_pred", "--on-missing", "drop")  # fmt: skip
    assert drop.returncode == 0
    assert "items were dropped" in drop.stdout


@pytest.fixture
def returns(tmp_path: Path) -> Path:
    """Write runs of two systems on two tasks whose scales are far apart."""
    generator = np.random.default_rng(1)
    path = tmp_path / "returns.csv"
    lines = ["task,seed,old,new"]
    for task, low, high in (("reacher", -12.0, -4.0), ("cheetah", 0.0, 9000.0)):
        for seed in range(5):
            old, new = low + (high - low) * (np.array([0.6, 0.9]) + 0.05 * generator.normal(size=2))
            lines.append(f"{task},{seed},{old},{new}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_runs_on_several_datasets(run: Run, returns: Path, tmp_path: Path) -> None:
    outputs = [word for form, end in FORMS.items() for word in (f"--{form}", f"out.{end}")]
    done = run("datasets", returns, "--paired", "--details", *outputs)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Systems over the runs on all datasets" in done.stdout
    assert "the scores have sizes from" in done.stdout
    found = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert found["runs"]["paired"] is True
    assert len(found["runs"]["differences"]) == 2


def test_ranges_come_from_a_file(run: Run, returns: Path, tmp_path: Path) -> None:
    ranges = tmp_path / "ranges.csv"
    ranges.write_text("dataset,low,high\nreacher,-12,-4\ncheetah,0,9000\n", encoding="utf-8")
    figure = ["--plot-kind", "profiles", "--plot", "p.svg", "--statistic", "iqm", "--json", "out.json"]
    done = run("datasets", returns, "--normalise", ranges, "--details", *figure)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert found["ranges"] == {"reacher": [-12.0, -4.0], "cheetah": [0.0, 9000.0]}
    assert [round(entry["score"], 1) for entry in found["runs"]["systems"]] == [0.9, 0.6]
    assert "optimality gap" in done.stdout
    assert (tmp_path / "p.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ("dataset,low\nreacher,1\n", "ranges.csv has no column 'high'"),
        ("dataset,low,high\nreacher,a,2\n", "column 'low' must hold a number in every row"),
        ("dataset,low,high\nreacher,1,2\nreacher,1,2\n", "dataset 'reacher' occurs more than once"),
        ("dataset,low,high\nreacher,1,2\n", "--normalise has no range for 1 of 2 datasets: cheetah"),
    ],
)
def test_what_is_no_table_of_ranges(
    run: Run, returns: Path, tmp_path: Path, ranges: str, message: str
) -> None:
    (tmp_path / "ranges.csv").write_text(ranges, encoding="utf-8")
    done = run("datasets", returns, "--normalise", "ranges.csv")
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 2


def test_bestby_runs_refuses_several_datasets(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    lines = [f"{s},{d},{k},{k + 1}" for s in "ab" for d in "xy" for k in range(4)]
    path.write_text("\n".join(["system,dataset,run,score", *lines]) + "\n", encoding="utf-8")
    done = run("runs", path)
    assert done.returncode == 2
    assert "the runs are of 2 datasets" in done.stderr
    assert "bestby datasets" in done.stderr
    assert run("runs", path, "--dataset", "x").returncode == 0
    assert run("datasets", path).returncode == 0
