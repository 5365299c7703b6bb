"""In a log of GitHub no name is a command, the settings file is named, and nobody is mentioned."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.cli.helpers import Run

ON_GITHUB = {"GITHUB_ACTIONS": "true"}
NASTY = "::error::pwn"
FORMS = ([], ["--csv", "-"], ["--markdown", "-"], ["--latex", "-"], ["--json", "-"])


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write a table whose items, systems and classes are commands to GitHub, and a file of a candidate."""
    values = [NASTY, "##[warning]w", "x"]
    rows = [f"::error::i{n},{values[n % 3]},{values[n % 2]},{values[n % 5 % 3]}" for n in range(60)]
    (tmp_path / "all.csv").write_text("\n".join(["id,gold,::set-output a,##[group]b", *rows]) + "\n")
    return tmp_path


def commands(text: str) -> list[str]:
    """Return the lines that a runner takes for commands: it removes white space before it looks."""
    return [line for line in text.splitlines() if line.lstrip().startswith("::") or "##[" in line]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("form", FORMS, ids=" ".join)
@pytest.mark.parametrize("variable", ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"])
def test_no_line_of_a_comparison_is_a_command(run: Run, form: list[str], variable: str) -> None:
    asked = ("compare", "all.csv", "--gold", "gold", "--metric", "accuracy", *form)
    plain, done = run(*asked), run(*asked, **{variable: "summary.md"})
    assert done.returncode == plain.returncode == 0
    assert commands(plain.stdout)
    assert commands(done.stdout + done.stderr) == []
    if "--json" in form:
        assert json.loads(done.stdout) == json.loads(plain.stdout)
    else:
        assert done.stdout.replace(r"\x3a:", "::").replace(r"\x23#[", "##[") == plain.stdout


def test_files_are_as_ever(run: Run, files: Path) -> None:
    for place, more in (("plain", {}), ("github", ON_GITHUB)):
        run(
            "compare", "all.csv", "--gold", "gold", "--csv", f"{place}.csv", "--json", f"{place}.json",
            "--markdown", f"{place}.md", **more,
        )  # fmt: skip
    for suffix in ("csv", "json", "md"):
        assert (files / f"github.{suffix}").read_bytes() == (files / f"plain.{suffix}").read_bytes()
    with (files / "github.csv").open(newline="", encoding="utf-8") as stream:
        assert any(cell == "::set-output a" for row in csv.reader(stream) for cell in row)


def test_no_line_of_a_gate_is_a_command(run: Run, files: Path) -> None:
    places = {"GITHUB_STEP_SUMMARY": str(files / "summary.md"), "GITHUB_OUTPUT": str(files / "outputs")}
    done = run("gate", "all.csv", "--gold", "gold", "--github", **places)
    assert done.returncode in (0, 1, 3)
    assert commands(done.stdout + done.stderr) == []
    assert r"\x3a:error" in done.stdout


def test_errors_and_other_commands_have_no_such_lines(run: Run, files: Path) -> None:
    for words in (
        ("compare", "all.csv", "--gold", "##[error]x"),
        (
            "board",
            "init",
            "all.csv",
            "--board",
            "::notice::b",
            "--title",
            "T",
            "--metric",
            "accuracy",
            "--ite",
            "id",
        ),
        (
            "board",
            "init",
            "all.csv",
            "--board",
            "::notice::b",
            "--title",
            "T",
            "--metric",
            "accuracy",
            "--item",
            "id",
        ),
        ("board", "list", "--board", "::notice::b"),
    ):
        done = run(*words, **ON_GITHUB)
        assert commands(done.stdout + done.stderr) == []
    (files / "p.csv").write_text("\n".join(["id,prediction", *(f"::error::i{n},{NASTY}" for n in range(60))]))
    assert commands(run("board", "check", "p.csv", "--board", "::notice::b", **ON_GITHUB).stdout) == []


# -- settings --------------------------------------------------------------------------------------


@pytest.fixture
def gate_of_two(files: Path) -> Path:
    """Write a baseline, and a candidate that is worse by 20 points."""
    rows = [
        f"q{place},x,{'x' if place % 10 else 'y'},{'x' if place % 10 > 2 else 'y'}" for place in range(200)
    ]
    (files / "two.csv").write_text("\n".join(["id,gold,main,new", *rows]) + "\n")
    return files


TWO = ("gate", "two.csv", "--gold", "gold", "--baseline", "main", "--candidate", "new")


def test_what_the_file_of_settings_set_is_in_every_output(run: Run, gate_of_two: Path) -> None:
    (gate_of_two / "bestby.toml").write_text(
        'margins = 0.9\nlevel = 0.9\ninconclusive = "pass"\ngold = "gold"\n'
    )
    summary = gate_of_two / "summary.md"
    done = run(*TWO, "--github", "--json", "g.json", "--csv", "g.csv", GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 0
    said = "settings of bestby.toml: margins = 0.9, level = 0.9, inconclusive = pass"
    assert said in " ".join(done.stdout.split())
    assert said in summary.read_text()
    notes = json.loads((gate_of_two / "g.json").read_text())["notes"]
    assert [(one["code"], one["message"]) for one in notes if one["code"] == "settings_file"] == [
        ("settings_file", said)
    ]


def test_settings_none_reads_no_file_and_options_are_not_named(run: Run, gate_of_two: Path) -> None:
    (gate_of_two / "bestby.toml").write_text("margins = 0.9\n")
    assert run(*TWO).returncode == 0
    for more in (("--settings", "none"), ("--margin", "0.05")):
        done = run(*TWO, *more)
        assert done.returncode == 1
        assert "settings of" not in done.stdout
    (gate_of_two / "none").write_text("margins = 0.9\n")
    assert run(*TWO, "--settings", "none").returncode == 1
    assert run(*TWO, "--settings", "./none").returncode == 0
    (gate_of_two / "bestby.toml").write_text("margins = [")
    assert run(*TWO).returncode == 2
    assert run(*TWO, "--settings", "none").returncode == 1
