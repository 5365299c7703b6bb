"""`bestby advise`: from a description, from files, as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.helpers import Run

import bestby as bb
from bestby.cli import main


def test_a_description(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "--metric", "f1_macro", "--items", "200", "--systems", "5"]) == 0
    assert capsys.readouterr().out == f"{bb.advise('f1_macro', n_items=200, n_systems=5)}\n"


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ("--differing 30", {"n_differing": 30}),
        ("--runs 5", {"n_runs": 5}),
        ("--datasets 6 --systems 3", {"n_datasets": 6, "n_systems": 3}),
        ("--folds 10", {"n_folds": 10}),
        ("--clustered", {"clustered": True}),
        ("--unpaired", {"paired": False}),
        ("--metric bleu", {"metric": "bleu"}),
        ("--metric grace --per-item real", {"metric": "grace", "mean_of_items": True, "binary": False}),
        ("--metric grace --per-item none", {"metric": "grace", "mean_of_items": False}),
    ],
)
def test_every_option_reaches_the_advice(
    options: str, arguments: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["advise", *options.split(), "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == bb.advise(**arguments).to_dict()  # type: ignore[arg-type]


def test_a_file(run: Run, table: Path) -> None:
    done = run("advise", table, "--gold", "label", "--item", "item", "--system", "low", "--system", "high")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("test:        permutation\ninterval:    tango")
    assert "McNemar" in done.stdout
    clustered = run("advise", table, "--gold", "label", "--item", "item", "--cluster", "doc", "--json", "-")
    case = json.loads(clustered.stdout)["case"]
    assert (case["n_items"], case["n_systems"], case["clustered"], case["metric"]) == (
        120,
        3,
        True,
        "accuracy",
    )


def test_files_of_datasets(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "seeds.csv"
    rows = [f"{d},{s},{r},0.{7 + s}{(3 * r + d) % 10}" for d in range(3) for s in range(2) for r in range(4)]
    path.write_text("\n".join(["dataset,system,seed,score", *rows]) + "\n", encoding="utf-8")
    case = json.loads(run("advise", path, "--json", "-").stdout)["case"]
    assert (case["n_datasets"], case["n_systems"], case["n_runs"], case["n_items"]) == (3, 2, 4, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--gold", "label"], "--gold needs files to read"),
        (["--on-missing", "drop"], "--on-missing needs files to read"),
        (["table.csv", "--items", "5"], "--items cannot be given beside files"),
        (["--per-item", "some"], "--per-item is binary, real or none, got 'some'"),
        (["--metric", "f1_marco"], "did you mean f1_macro"),
    ],
)
def test_bad_usage_is_two_lines_and_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["advise", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert len(captured.err.splitlines()) <= 2
