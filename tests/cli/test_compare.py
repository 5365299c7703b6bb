"""`bestby compare` as a process: options, tables, and wrong use."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.helpers import Run, environment

from bestby.cli import main


def _arguments(table: Path, *more: str) -> list[str]:
    return ["compare", str(table), "--gold", "label", "--item", "item", "--cluster", "doc", *more]


def test_the_table_goes_to_stdout_in_plain_text(run: Run, table: Path) -> None:
    done = run(*_arguments(table, "--metric", "accuracy"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "high has the highest accuracy" in done.stdout
    assert "wide table; systems: low, middle, high; gold: label; item: item; cluster: doc" in " ".join(
        done.stdout.split()
    )


def test_nothing_is_loaded_that_a_comparison_does_not_need(table: Path) -> None:
    heavy = ("scipy.optimize", "scipy.stats", "pandas", "polars", "matplotlib", "sacrebleu", "yaml")
    rooms = (
        "bestby.boards",
        "bestby.questions.gate",
        "bestby.questions.monitor.monitor",
        "bestby.questions.planning.simulated",
    )
    code = (
        "import sys, bestby.cli\n"
        "status = bestby.cli.main(sys.argv[1:])\n"
        f"sys.exit(status or repr([name for name in {heavy + rooms} if name in sys.modules]))"
    )
    command = [sys.executable, "-c", code, *_arguments(table)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment(), check=False)
    assert "high has the highest accuracy" in done.stdout
    assert done.stderr.strip() == "[]"


def test_scores_of_ones_own_have_a_name_and_a_direction(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "latency.csv"
    rows = [f"{i},{3 + i % 3},{1 + i % 2}" for i in range(8)]
    path.write_text("\n".join(["item,a,b", *rows]), encoding="utf-8")
    named = [str(path), "--metric", "speed"]
    assert main(["compare", *named, "--lower-is-better", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["differences"][0]["winner"] == "b"
    assert not any(note["code"] == "direction_guessed" for note in document["notes"])
    assert main(["evaluate", *named, "--lower-is-better"]) == 0
    assert "Scores on speed (lower is better)" in capsys.readouterr().out
    assert main(["compare", *named, "--higher-is-better", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["differences"][0]["winner"] == "a"


@pytest.mark.parametrize(
    ("arguments", "first", "second"),
    [
        (["nowhere.csv"], "InvalidInputError: no file 'nowhere.csv'", "hint: check the path and the current directory"),
        (["table.csv", "--gold", "label", "--json", "-", "--csv", "-"], "InvalidInputError: --json and --csv both go to stdout (-)",
         "hint: give each output a place of its own; only one can go to -"),
        (["table.csv", "--gold", "label", "--json", "x", "--csv", "./x"], "InvalidInputError: --json and --csv both go to './x'",
         "hint: give each output a place of its own; only one can go to -"),
        (["table.csv", "table.csv"], "InvalidInputError: two files are called 'table': 'table.csv' and 'table.csv'",
         "hint: give each system a name of its own: name=path"),
        ([], "UsageError: Missing argument 'FILES'.", "hint: bestby compare --help"),
        (["holes.csv"], "InvalidInputError: holes.csv: system 'a' has no value for 1 of 3 items; first: row 2",
         "hint: pass --on-missing drop to compare the other items only, or --on-missing worst to count the missing as wrong; compare alone can take every two systems on the items both have: --on-missing pairs"),
        (["table.csv", "--option", "item=x"], "InvalidInputError: --option is for options of the format, not for 'item'",
         "hint: it is given by itself: --item ..."),
        (["table.csv", "--no-rescale"], "InvalidInputError: --no-rescale has no effect without --resample-size: nothing is rescaled then",
         "hint: leave --no-rescale out, or give --resample-size too"),
        (["table.csv", "--gold", "label", "--cluster", "doc", "--resample-annotators"], "InvalidInputError: --resample-annotators needs --annotators: the columns of their labels",
         "hint: give both, or leave --resample-annotators out"),
        (["holes.csv", "table.csv", "--format", "texts"], "InvalidInputError: texts with a segment per line need a file of references",
         "hint: name it: --gold ..."),
        ([""], "InvalidInputError: FILES is empty: it names nothing", "hint: name it, or leave it out"),
        (["table.csv", "--json", "x" * 300], f"InvalidInputError: cannot write '{'x' * 300}': File name too long",
         "hint: check the permissions of the folder and the space left, or name another file"),
    ],
)  # fmt: skip
def test_bad_input_is_two_lines_on_stderr(
    run: Run, table: Path, tmp_path: Path, arguments: list[str], first: str, second: str
) -> None:
    (tmp_path / "holes.csv").write_text("gold,a,b\nx,x,y\ny,,y\nx,y,x\n", encoding="utf-8")
    done = run("compare", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"{first}\n{second}\n".replace("{}", str(tmp_path))


@pytest.mark.parametrize("flags", [["--stream", "--no-stream"], ["--no-stream", "--stream"]])
def test_a_flag_and_its_opposite_contradict_each_other(run: Run, table: Path, flags: list[str]) -> None:
    done = run("compare", table, *flags)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "InvalidInputError: --stream and --no-stream contradict each other",
        "hint: give one of them",
    ]


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (
            "gate scores.csv --metric mean --baseline old --candidate new --margin 0.05",
            "the margin of 5: the difference is 20.0",
        ),
        ("slices scores.csv --by half --resamples 99", "all items 100 80.0 60.0 20.0"),
        ("published scores.csv --system new --score 0.850", "published 85.0"),
    ],
)
def test_percent_of_what_is_no_comparison_of_items(
    command: str,
    shown: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"{i},{i % 2},{int(i % 10 < 8)},{int(i % 10 < 6)}" for i in range(100)]
    Path("scores.csv").write_text("\n".join(["item,half,new,old", *lines]))
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    github = ["--github"] if command.startswith("gate") else []
    assert main([*command.split(), "--percent", *github, "--json", "t.json"]) == 0
    assert shown in " ".join(capsys.readouterr().out.split())
    assert not github or shown in " ".join(summary.read_text(encoding="utf-8").split())
    assert shown not in Path("t.json").read_text(encoding="utf-8")


def test_a_gold_among_the_systems_is_noted(tmp_path: Path, run: Run) -> None:
    for name, labels in (("gold", "xyxy"), ("a", "xyyy"), ("b", "xxxy")):
        (tmp_path / f"{name}.txt").write_text("\n".join(labels * 9), encoding="utf-8")
    note = "'gold' is compared as a system and called as a gold is"
    assert note in " ".join(run("compare", "gold.txt", "a.txt", "--gold", "b.txt").stdout.split())
    assert note not in " ".join(run("compare", "a.txt", "b.txt", "--gold", "gold.txt").stdout.split())
