"""`bestby gate`: statuses, outputs, stored baselines, settings, and wrong use."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.cli.helpers import COMMAND, Run, check_refused, environment

import bestby as bb

N = 200


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write the gold, a baseline that is right on 160 of 200 items, and candidates beside it."""
    gold = ["xyz"[place % 3] for place in range(N)]

    def right_but(wrong: set[int]) -> list[str]:
        return ["xyz"[(place + (place in wrong)) % 3] for place in range(N)]

    columns = {
        "main": right_but({*range(40)}),
        "same": right_but({*range(40)}),
        "worse": right_but({*range(80)}),
        "close": right_but({*range(3, 45)}),
        "none": ["nothing"] * N,
    }
    _write(tmp_path / "gold.csv", "gold", gold)
    for name, values in columns.items():
        _write(tmp_path / f"{name}.csv", "prediction", values)
    return tmp_path


def _write(path: Path, column: str, values: list[str], first: int = 0) -> None:
    lines = [f"item,{column}", *(f"q{place + first},{value}" for place, value in enumerate(values))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


GOLD = ("--gold", "gold.csv")


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
    run: Run, files: Path, candidate: str, options: tuple[str, ...], status: int, word: str
) -> None:
    done = run("gate", "main.csv", f"{candidate}.csv", *GOLD, *options)
    assert (done.returncode, done.stderr) == (status, "")
    assert done.stdout.startswith(f"{word}: ")
    assert "predicts no label that the gold has" not in done.stdout or candidate == "none"
    del files


def test_the_outputs_say_the_same(run: Run, files: Path) -> None:
    metrics = (
        "--metric",
        "accuracy",
        "--metric",
        "f1_macro",
        "--margin",
        "accuracy=.05",
        "--margin",
        "f1_macro=.5",
    )
    targets = (
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
    )
    done = run("gate", "main.csv", "worse.csv", *GOLD, *metrics, *targets)
    assert (done.returncode, done.stderr) == (1, "")
    result = bb.load(files / "g.json")
    assert isinstance(result, bb.Gate)
    assert [check.outcome for check in result] == ["fail", "pass"]
    assert str(result).splitlines()[0] == done.stdout.splitlines()[0]
    assert (files / "g.md").read_text(encoding="utf-8") == result.to_markdown()
    assert (files / "g.csv").read_text(encoding="utf-8") == result.to_csv()
    assert len(ET.parse(files / "g.xml").findall(".//failure")) == 1
    read = json.loads(run("gate", "main.csv", "worse.csv", *GOLD, *metrics, "--json", "-").stdout)
    assert [check["outcome"] for check in read["checks"]] == ["fail", "pass"]


def test_github(run: Run, files: Path) -> None:
    summary, outputs = files / "summary.md", files / "outputs"
    summary.write_text("before\n", encoding="utf-8")
    places = {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(outputs)}
    done = run("gate", "main.csv", "worse.csv", *GOLD, "--margin", ".05", "--github", **places)
    assert done.returncode == 1
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("before\n**Fail: worse is worse than main in accuracy by more than")
    written = dict(line.split("=", 1) for line in outputs.read_text(encoding="utf-8").splitlines())
    assert (written["outcome"], written["status"]) == ("fail", "1")
    assert written["message"].startswith("Fail: worse is worse than main")
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


def test_a_table_of_both(run: Run, table: Path) -> None:
    named = (
        "--gold",
        "label",
        "--item",
        "item",
        "--cluster",
        "doc",
        "--baseline",
        "high",
        "--candidate",
        "low",
    )
    done = run("gate", table.name, *named)
    assert done.returncode == 1
    assert "low is worse than high in accuracy" in " ".join(done.stdout.split())
    check_refused(
        run("gate", table.name, "--gold", "label", "--item", "item", "--cluster", "doc"),
        "a gate compares two systems, got 3: low, middle, high",
        "name both: --baseline ... and --candidate ...",
    )


# -- slices ----------------------------------------------------------------------------------------


@pytest.fixture
def sliced(files: Path) -> Path:
    """Write a table of both systems with the language of each item; the candidate is worse in one of two."""
    lines = ["item,language,length,only,gold,main,new"]
    for place in range(N):
        language = "de" if place < 150 else "ja"
        gold = "xy"[place % 2]
        main = gold if place % 5 else "z"
        new = "z" if place >= 180 else main
        lines.append(f"q{place},{language},{place % 9},{int(place == 0)},{gold},{main},{new}")
    (files / "both.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return files


BOTH = ("both.csv", "--gold", "gold", "--item", "item", "--baseline", "main", "--candidate", "new")


def test_each_slice_is_a_test_case(run: Run, sliced: Path) -> None:
    asked = (
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
    )
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
    assert "Holm's method corrects the p-values of all 3" in json.loads(alarm.stdout)["message"]
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


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (("--by", "item"), "column 'item' has a different value for each of the 200 items", "language"),
        (("--by", "only"), "1 of the 2 slices of column 'only' has one item only: 1", "--min-items 2"),
        (("--by", "langage"), "langage", "language"),
        (("--crossed",), "--crossed is of slices, and no column to slice by is named", "--by"),
        (("--min-items", "3"), "--min-items is of slices, and no column", "--by"),
        (("--by", "language:3"), "column 'language' cannot be cut into bins: 'de' is no number", "leave"),
    ],
)
def test_slices_that_cannot_be_made(
    run: Run, sliced: Path, words: tuple[str, ...], message: str, hint: str
) -> None:
    check_refused(run("gate", *BOTH, *words), message, hint)
    del sliced


# -- stored baselines ------------------------------------------------------------------------------


def test_a_stored_baseline_gives_what_its_file_gives(run: Run, files: Path) -> None:
    saved = run("gate", "--save", "main.bestby.json", "main.csv", *GOLD)
    assert (saved.returncode, saved.stdout) == (0, "")
    assert saved.stderr == "stored the predictions of 'main' on 200 items in 'main.bestby.json'\n"
    asked = (*GOLD, "--margin", ".05", "--json", "-")
    lines = (files / "worse.csv").read_text(encoding="utf-8").splitlines()
    (files / "worse.csv").write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n", encoding="utf-8")
    stored = bb.load(run("gate", "--baseline-file", "main.bestby.json", "worse.csv", *asked).stdout)
    direct = bb.load(run("gate", "main.csv", "worse.csv", *asked).stdout)
    assert stored.checks == direct.checks
    assert (stored.baseline, stored.candidate) == ("main", "worse")
    assert {flip.item for flip in stored.flips} == {flip.item for flip in direct.flips}


def test_numbers_and_scores_are_stored_too(run: Run, files: Path) -> None:
    _write(files / "a.csv", "score", [str(place % 7 / 7) for place in range(N)])
    _write(files / "b.csv", "score", [str(place % 7 / 7 - 0.1 * (place % 5)) for place in range(N)])
    run("gate", "--save", "a.json", "a.csv")
    done = run("gate", "--baseline-file", "a.json", "b.csv", "--margin", "0.1")
    assert done.returncode == 1
    assert "the difference is −0.200" in done.stdout


def test_other_items_another_gold_and_other_files_are_refused(run: Run, files: Path) -> None:
    run("gate", "--save", "main.json", "main.csv", *GOLD)
    stored = ("gate", "--baseline-file", "main.json")
    _write(files / "few.csv", "prediction", ["x"] * N, first=5)
    _write(files / "few_gold.csv", "gold", ["x"] * N, first=5)
    check_refused(
        run(*stored, "few.csv", "--gold", "few_gold.csv"),
        "5 of them are missing from 'main.json', the first being 'q200'",
        "compare on the same items",
    )
    _write(files / "other_gold.csv", "gold", ["x", *["xyz"[place % 3] for place in range(1, N - 1)], "x"])
    check_refused(
        run(*stored, "same.csv", "--gold", "other_gold.csv"),
        "the gold of the candidate is not the gold that 'main.json' was made for",
        "bestby gate --save",
    )
    text = (files / "main.json").read_text(encoding="utf-8")
    for content, message in (
        (text.replace('"x"', '"y"', 1), "damaged"),
        (text.replace('"format": 1', '"format": 2'), "in format 2"),
        (text.replace('"kind"', '"more": 1, "kind"'), "damaged"),
        ("{}", "is no stored baseline"),
        ("[1]", "is no stored baseline"),
        ("item,prediction\nq1,x\n", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
    ):
        (files / "bad.json").write_text(content, encoding="utf-8")
        check_refused(run("gate", "--baseline-file", "bad.json", "same.csv", *GOLD), message, "--save")
    check_refused(run("gate", "--baseline-file", "no.json", "same.csv", *GOLD), "no file 'no.json'", "check")
    check_refused(run(*stored, "main.csv", "same.csv", *GOLD), "there is one candidate, got 2", "--system")
    check_refused(
        run("gate", "--save", "s.json", "main.csv", "same.csv", *GOLD), "one system is stored", "--system"
    )
    check_refused(
        run("gate", "--save", "s.json", "main.csv", *GOLD, "--json", "-"),
        "--save stores a baseline",
        "leave out",
    )
    assert not (files / "s.json").exists()


# -- settings --------------------------------------------------------------------------------------


def test_one_word_is_enough(run: Run, files: Path) -> None:
    (files / "bestby.toml").write_text(
        'files = ["main.csv", "worse.csv"]\ngold = "gold.csv"\nmetrics = ["accuracy", "f1_macro"]\n'
        "margins = {accuracy = 0.3, f1_macro = 0.3}\n",
        encoding="utf-8",
    )
    assert run("gate").returncode == 0
    done = run("gate", "--metric", "accuracy", "--margin", ".01")
    assert done.returncode == 1
    assert "f1_macro" not in done.stdout
    assert run("gate", "main.csv", "same.csv", "--margin", "0.3", "--metric", "accuracy").returncode == 0


def test_a_baseline_and_settings_of_another_folder(run: Run, files: Path) -> None:
    inner = files / "inner"
    inner.mkdir()
    for name in ("main.csv", "worse.csv", "gold.csv"):
        (files / name).rename(inner / name)
    (inner / "gate.toml").write_text(
        'files = "worse.csv"\nbaseline_file = "main.bestby.json"\ngold = "gold.csv"\nmargins = 0.05\n'
        'inconclusive = "pass"\nlevel = 0.9\n',
        encoding="utf-8",
    )
    saved = run("gate", "--settings", "inner/gate.toml", "--save", "inner/main.bestby.json", "inner/main.csv")
    assert (saved.returncode, saved.stdout) == (0, "")
    done = run("gate", "--settings", "inner/gate.toml", "--json", "-")
    assert done.returncode == 1
    assert bb.load(done.stdout).level == 0.9


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "metric = 'accuracy'",
            "has unknown keys: 'metric' (metrics?)",
            "the keys are: files, baseline_file",
        ),
        ("margn = 1\nxyz = 1", "has unknown keys: 'margn' (margins?), 'xyz'", "the keys are"),
        ("level = 'high'", "'level' must be a number, such as 0.95, got 'high'", "correct it"),
        ("min_items = 2.5", "'min_items' must be a whole number, such as 10, got 2.5", "correct it"),
        ("level = true", "'level' must be a number", "correct it"),
        ("metrics = [1]", "'metrics' must be a text or a list of texts", "correct it"),
        ("margins = {accuracy = 'x'}", "'margins' must be a number, or a table", "correct it"),
        ("gold = [", "is not TOML", "https://toml.io"),
        ("margins = -1", "--margin must be a positive number", "smallest loss"),
    ],
)
def test_settings_that_cannot_be_used(run: Run, files: Path, text: str, message: str, hint: str) -> None:
    (files / "bestby.toml").write_text(text, encoding="utf-8")
    check_refused(run("gate", "main.csv", "same.csv", *GOLD), message, hint)


# -- wrong use -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        ((), "no file was given", "bestby gate main.csv new.csv"),
        (("main.csv",), "a gate needs a baseline and a candidate, got one system: main", "--baseline-file"),
        (("main.csv", "no.csv"), "no file 'no.csv'", "check the path"),
        (("main.csv", "same.csv", "--level", "1"), "--level must lie strictly between 0 and 1", "95 %"),
        (("main.csv", "same.csv", "--level", "0.5"), "--level must be above 0.5", "one-sided"),
        (
            ("main.csv", "same.csv", "--margin", "x"),
            "--margin must be a number or METRIC=NUMBER",
            "accuracy=0.01",
        ),
        (("main.csv", "same.csv", "--margin", "1", "--margin", "2"), "--margin is given twice", "one"),
        (
            ("main.csv", "same.csv", "--margin", "1", "--margin", "a=2"),
            "for all metrics and for single",
            "name",
        ),
        (("main.csv", "same.csv", "--margin", "acc=.1"), "--margin names 'acc'", "the metrics are: accuracy"),
        (("main.csv", "same.csv", "--inconclusive", "x"), "--inconclusive must be one of pass, fail", ""),
        (("main.csv", "same.csv", "--candidate", "x"), "--candidate 'x' is not among", ""),
        (("none.csv", "none2=none.csv"), "no prediction of any system is a label of the gold", ""),
        (("main.csv", "same.csv", "--json", "no/such/place"), "cannot write 'no/such/place'", "folder"),
        (("main.csv", "same.csv", "--junit", "main.csv"), "--junit would overwrite the input", "another"),
    ],
)
def test_wrong_use(run: Run, files: Path, words: tuple[str, ...], message: str, hint: str) -> None:
    check_refused(run("gate", *words, *GOLD), message, hint)
    del files


def test_a_baseline_file_is_not_overwritten(run: Run, files: Path) -> None:
    run("gate", "--save", "main.json", "main.csv", *GOLD)
    check_refused(
        run("gate", "--baseline-file", "main.json", "same.csv", *GOLD, "--json", "main.json"),
        "--json would overwrite the input 'main.json'",
        "another",
    )
    del files


def test_the_settings_are_not_overwritten(run: Run, files: Path) -> None:
    settings = files / "gate.toml"
    settings.write_text("gold = 'gold.csv'", encoding="utf-8")
    done = run("gate", "main.csv", "same.csv", "--settings", "gate.toml", "--markdown", "gate.toml")
    check_refused(done, "--markdown would overwrite the input 'gate.toml'", "name another file")
    assert settings.read_text(encoding="utf-8") == "gold = 'gold.csv'"


@pytest.mark.parametrize("target", ["main.csv", "gold.csv"])
def test_a_stored_baseline_does_not_overwrite_what_is_read(run: Run, files: Path, target: str) -> None:
    before = (files / target).read_bytes()
    done = run("gate", "--save", target, "main.csv", *GOLD)
    check_refused(done, f"--save would overwrite the input '{target}'", "name another file")
    assert (files / target).read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
def test_a_closed_pipe_is_no_verdict(files: Path) -> None:
    for command in ("gate", "compare"):
        words = f"{command} main.csv worse.csv --gold gold.csv"
        # The reader has ended before anything is written; the status goes to another stream.
        code = f'exec 3>&1; {{ sleep 0.2; "$@" {words} 3>&-; echo $? >&3; }} | true'
        done = subprocess.run(
            ["sh", "-c", code, "sh", *COMMAND],
            cwd=files,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout == "141\n", (command, done.stderr)


def test_a_defect_is_no_verdict(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from bestby import cli

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.chdir(files)
    monkeypatch.setattr("bestby.cli.gate.gate_systems", broken)
    assert cli.main(["gate", "main.csv", "worse.csv", *GOLD]) == 70
    assert "InternalError: RuntimeError: a defect" in capsys.readouterr().err
    monkeypatch.setattr("bestby.cli.commands.run", broken)
    assert cli.main(["gate"]) == 70
    assert "a defect" in capsys.readouterr().err
