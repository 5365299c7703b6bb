"""`bestby study` as a process: errors are two lines on stderr."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.helpers import Run
from tests.cli.studies import GOLD, Lines

from bestby.questions.study.study import Study


@pytest.mark.parametrize(
    ("arguments", "first", "second"),
    [
        (["run", "nowhere"], "InvalidInputError: the study 'nowhere' has no runs", "hint: bestby study add adds one"),
        (
            ["add", "new", "h0", "--run", "0", "--predictions", "gold.txt"],
            "InvalidInputError: the study new has no gold yet",
            "hint: pass --gold ...",
        ),
        (
            ["add", "s", "h3", "--run", "0", "--predictions", "short.txt"],
            "InvalidInputError: run '0' of 'h3' has 2 values, but the gold of the study has 60 items",
            "hint: give one value per item",
        ),
        (
            ["add", "s", "h3", "--run", "0", "--predictions", "gold.txt", "--tag", "lr"],
            "InvalidInputError: --tag must be NAME=VALUE, got 'lr'",
            "hint: bestby",
        ),
        (
            ["add", "s", "h3", "--run", "0", "--predictions", "gold.txt", "--tag", "a=1", "--tag", "a=2"],
            "InvalidInputError: --tag a is given twice",
            "hint: bestby",
        ),
        (
            ["add", "s", "h3", "--run", "0", "--predictions", "gold.txt", "--baseline", "--against", "h0"],
            "cannot both be a baseline and be compared against",
            "hint: leave out",
        ),
        (["add", "s", "h3", "--predictions", "gold.txt"], "Missing option '--run'.", "hint: --run NAME: Run of the"),
        (["remove", "s", "h1"], "InvalidInputError: name the runs to remove", "hint: --run NAME, repeatable, or --all"),
        (
            ["run", "s", "--condition", "h1", "--condition", "h2", "--results-tsv", "-"],
            "DesignError: a results.tsv has rows of baselines",
            "hint: name a baseline: --baseline ...",
        ),
        (["run", "s", "--json", "o", "--results-tsv", "o"], "InvalidInputError: --json and --results-tsv both go to 'o'", "hint: give each output"),
    ],
)  # fmt: skip
def test_bad_input_is_two_lines_on_stderr(
    run: Run, lines: Lines, study: Path, arguments: list[str], first: str, second: str
) -> None:
    lines("gold.txt", GOLD), lines("short.txt", ["x", "y"])
    done = run("study", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    said = done.stderr.splitlines()
    assert len(said) == 2
    assert first in said[0]
    assert said[1].startswith(second)
    assert Study(study).conditions() == ("h0", "h1", "h2")


def test_a_damaged_run_is_told(run: Run, study: Path) -> None:
    (study / "runs" / "h1" / "0.json").write_text("{", encoding="utf-8")
    for command in ("run", "list"):
        done = run("study", command, "s")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("StudyError: s/runs/h1/0.json is damaged or cut off")
