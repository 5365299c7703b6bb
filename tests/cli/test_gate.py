"""`bestby gate`: statuses, outputs, slices, and wrong use."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.cli.gates import GOLD, N
from tests.cli.helpers import COMMAND, Run, check_refused, environment

import bestby as bb


@pytest.mark.parametrize(
    ("candidate", "options", "status", "word"),
    [
        ("same", ("--margin", "0.05"), 0, "Pass"),
        ("worse", ("--margin", "0.05"), 1, "Fail"),
        ("close", ("--margin", "0.011"), 3, "Inconclusive"),
        ("close", ("--margin", "0.011", "--inconclusive", "pass"), 0, "Inconclusive"),
        ("close", ("--margin", "0.011", "--inconclusive", "fail"), 1, "Inconclusive"),
        ("worse", (), 1, "Fail"),
        ("same", (), 0, "Pass"),
        ("none", (), 1, "Fail"),
        ("none", ("--margin", "0.05"), 1, "Fail"),
    ],
)
def test_the_status_is_the_outcome(
    run: Run, gate_files: Path, candidate: str, options: tuple[str, ...], status: int, word: str
) -> None:
    done = run("gate", "main.csv", f"{candidate}.csv", *GOLD, *options)
    assert (done.returncode, done.stderr) == (status, "")
    assert done.stdout.startswith(f"{word}: ")
    assert "predicts no label that the gold has" not in done.stdout or candidate == "none"
    del gate_files


def test_the_outputs_say_the_same(run: Run, gate_files: Path) -> None:
    metrics = [
        "--metric",
        "accuracy",
        "--metric",
        "f1_macro",
        "--margin",
        "accuracy=.05",
        "--margin",
        "f1_macro=.5",
    ]
    targets = [
        "--json",
        "g.json",
        "--markdown",
        "g.md",
        "--junit",
        "g.xml",
        "--csv",
        "g.csv",
        "--plot",
        "g.svg",
    ]
    done = run("gate", "main.csv", "worse.csv", *GOLD, *metrics, *targets)
    assert (done.returncode, done.stderr) == (1, "")
    result = bb.load(gate_files / "g.json")
    assert isinstance(result, bb.results.Gate)
    assert [check.outcome for check in result] == ["fail", "pass"]
    assert str(result).splitlines()[0] == done.stdout.splitlines()[0]
    assert (gate_files / "g.md").read_text(encoding="utf-8") == result.to_markdown()
    assert (gate_files / "g.csv").read_text(encoding="utf-8") == result.to_csv()
    assert len(ET.parse(gate_files / "g.xml").findall(".//failure")) == 1
    read = json.loads(run("gate", "main.csv", "worse.csv", *GOLD, *metrics, "--json", "-").stdout)
    assert [check["outcome"] for check in read["checks"]] == ["fail", "pass"]


def test_github(run: Run, gate_files: Path) -> None:
    summary, outputs = gate_files / "summary.md", gate_files / "outputs"
    summary.write_text("before\n", encoding="utf-8")
    places = {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(outputs)}
    done = run("gate", "main.csv", "worse.csv", *GOLD, "--margin", ".05", "--github", **places)
    assert done.returncode == 1
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("before\n**Fail: worse is worse than main in accuracy by more than")
    written = dict(line.split("=", 1) for line in outputs.read_text(encoding="utf-8").splitlines())
    assert (written["outcome"], written["status"]) == ("fail", "1")
    assert written["message"].startswith("Fail: worse is worse than main")
    outputs.unlink()
    assert run("gate", "main.csv", "same.csv", *GOLD, "--github", **places).returncode == 0
    no_loss = "Pass: no loss detected (no margin given: this is an alarm, not a proof)"
    assert f"message={no_loss}" in outputs.read_text(encoding="utf-8")
    assert no_loss in summary.read_text(encoding="utf-8").replace("\\", "")
    check_refused(
        run("gate", "main.csv", "worse.csv", *GOLD, "--github", GITHUB_STEP_SUMMARY=""),
        "--github writes to the file named in GITHUB_STEP_SUMMARY, which is not set",
        "--markdown FILE",
    )
    check_refused(
        run("gate", "main.csv", "worse.csv", *GOLD, "--github", GITHUB_STEP_SUMMARY="no/such/place"),
        "cannot write",
        "create the folder",
    )


# -- slices ----------------------------------------------------------------------------------------


@pytest.fixture
def sliced(gate_files: Path) -> Path:
    """Write a table of both systems with the language of each item; the candidate is worse in one of two."""
    lines = ["item,language,length,only,gold,main,new"]
    for place in range(N):
        language = "de" if place < 150 else "ja"
        gold = "xy"[place % 2]
        main = gold if place % 5 else "z"
        new = "z" if place >= 180 else main
        lines.append(f"q{place},{language},{place % 9},{int(place == 0)},{gold},{main},{new}")
    (gate_files / "both.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return gate_files


BOTH = ("both.csv", "--gold", "gold", "--item", "item", "--baseline", "main", "--candidate", "new")


def test_each_slice_is_a_test_case(run: Run, sliced: Path) -> None:
    asked = [
        "--by",
        "language",
        "--by",
        "length:2",
        "--margin",
        ".15",
        "--junit",
        "g.xml",
        "--json",
        "g.json",
    ]
    done = run("gate", *BOTH, *asked)
    assert (done.returncode, done.stderr) == (1, "")
    assert "worse than main in accuracy (language=ja) by more than the margin" in " ".join(
        done.stdout.split()
    )
    cases = ET.parse(sliced / "g.xml").findall(".//testcase")
    assert [case.get("name") for case in cases] == [
        "accuracy",
        "accuracy (language=de)",
        "accuracy (language=ja)",
        "accuracy (length:2=0 to 4)",
        "accuracy (length:2=5 to 8)",
    ]
    assert [check.name for check in bb.load(sliced / "g.json")] == [case.get("name") for case in cases]
    assert run("gate", *BOTH, "--margin", ".2").returncode == 0, "the slice is what fails"
    alarm = run("gate", *BOTH, "--by", "language", "--json", "-")
    assert (
        "no loss detected (no margin given: this is an alarm, not a proof) in 1 of 3 checks"
        in (json.loads(alarm.stdout)["message"])
    )
    crossed = bb.load(
        run("gate", *BOTH, "--by", "language", "--by", "length:2", "--crossed", "--json", "-").stdout
    )
    assert len(crossed) == 5


def test_slices_of_the_settings_and_a_stored_baseline(run: Run, sliced: Path) -> None:
    (sliced / "bestby.toml").write_text(
        'gold = "gold"\nitems = "item"\nby = ["language", "only"]\nmin_items = 2\ncrossed = true\n',
        encoding="utf-8",
    )
    direct = bb.load(run("gate", *BOTH, "--json", "-").stdout)
    assert len(direct) == 3
    (sliced / "bestby.toml").write_text('gold = "gold"\nitems = "item"\nby = "language"\n', encoding="utf-8")
    whole = bb.load(run("gate", *BOTH, "--json", "-").stdout)
    assert run("gate", "--save", "m.json", "both.csv", "--system", "main").returncode == 0
    stored = run("gate", "--baseline-file", "m.json", "both.csv", "--system", "new", "--json", "-")
    assert bb.load(stored.stdout).checks == whole.checks


# -- wrong use -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        ((), "no file was given", "bestby gate main.csv new.csv"),
        (("main.csv",), "a gate needs a baseline and a candidate, got one system: main", "--baseline-file"),
        (("main.csv", "no.csv"), "no file 'no.csv'", "check the path"),
        (("main.csv", "same.csv", "--margin", "x"), "--margin must be a number or METRIC=NUMBER", "accuracy=0.01"),
        (("main.csv", "same.csv", "--margin", "1", "--margin", "2"), "--margin is given twice", "one"),
        (("main.csv", "same.csv", "--margin", "1", "--margin", "a=2"), "for all metrics and for single", "name"),
        (("main.csv", "same.csv", "--margin", "acc=.1"), "--margin names 'acc'", "the metrics are: accuracy"),
        (("main.csv", "same.csv", "--inconclusive", "x"), "--inconclusive must be one of pass, fail", ""),
        (("main.csv", "same.csv", "--junit", "main.csv"), "--junit would overwrite the input", "another"),
    ],
)  # fmt: skip
def test_wrong_use(run: Run, gate_files: Path, words: tuple[str, ...], message: str, hint: str) -> None:
    check_refused(run("gate", *words, *GOLD), message, hint)
    del gate_files


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
def test_a_closed_pipe_is_no_verdict(gate_files: Path) -> None:
    for command in ("gate", "compare"):
        words = f"{command} main.csv worse.csv --gold gold.csv"
        # The reader has ended before anything is written; the status goes to another stream.
        code = f'exec 3>&1; {{ sleep 0.2; "$@" {words} 3>&-; echo $? >&3; }} | true'
        done = subprocess.run(
            ["sh", "-c", code, "sh", *COMMAND],
            cwd=gate_files,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout, done.stderr) == ("141\n", ""), command
