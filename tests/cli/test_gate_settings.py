"""`bestby gate` with a stored baseline, and with its settings in a file."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.cli.gates import GOLD, N, write_labels
from tests.cli.helpers import Run, check_refused
from tests.unit.readers.formats.log_files import inspect_log

import bestby as bb

# -- stored baselines ------------------------------------------------------------------------------


def test_a_stored_baseline_gives_what_its_file_gives(run: Run, gate_files: Path) -> None:
    saved = run("gate", "--save", "main.bestby.json", "main.csv", *GOLD)
    assert (saved.returncode, saved.stdout) == (0, "")
    assert saved.stderr == "stored the predictions of 'main' on 200 items in 'main.bestby.json'\n"
    asked = (*GOLD, "--margin", ".05", "--json", "-")
    lines = (gate_files / "worse.csv").read_text(encoding="utf-8").splitlines()
    (gate_files / "worse.csv").write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n", encoding="utf-8")
    stored = bb.load(run("gate", "--baseline-file", "main.bestby.json", "worse.csv", *asked).stdout)
    direct = bb.load(run("gate", "main.csv", "worse.csv", *asked).stdout)
    assert stored.checks == direct.checks
    assert (stored.baseline, stored.candidate) == ("main", "worse")
    assert {flip.item for flip in stored.flips} == {flip.item for flip in direct.flips}


def test_numbers_and_scores_are_stored_too(run: Run, gate_files: Path) -> None:
    write_labels(gate_files / "a.csv", "score", [str(place % 7 / 7) for place in range(N)])
    write_labels(
        gate_files / "b.csv", "score", [str(place % 7 / 7 - 0.1 * (place % 5)) for place in range(N)]
    )
    run("gate", "--save", "a.json", "a.csv")
    done = run("gate", "--baseline-file", "a.json", "b.csv", "--margin", "0.1")
    assert done.returncode == 1
    assert "the difference is −0.200" in done.stdout


def test_other_items_another_gold_and_other_files_are_refused(run: Run, gate_files: Path) -> None:
    run("gate", "--save", "main.json", "main.csv", *GOLD)
    stored = ("gate", "--baseline-file", "main.json")
    write_labels(gate_files / "few.csv", "prediction", ["x"] * N, first=5)
    write_labels(gate_files / "few_gold.csv", "gold", ["x"] * N, first=5)
    check_refused(
        run(*stored, "few.csv", "--gold", "few_gold.csv"),
        "5 of them are missing from 'main.json', the first being 'q200'",
        "compare on the same items",
    )
    write_labels(
        gate_files / "other_gold.csv", "gold", ["x", *["xyz"[place % 3] for place in range(1, N - 1)], "x"]
    )
    check_refused(
        run(*stored, "same.csv", "--gold", "other_gold.csv"),
        "the gold of the candidate is not the gold that 'main.json' was made for",
        "bestby gate --save",
    )
    text = (gate_files / "main.json").read_text(encoding="utf-8")
    for content, message in (
        (text.replace('"x"', '"y"', 1), "damaged"),
        (text.replace('"format": 1', '"format": 2'), "in format 2"),
        (text.replace('"kind"', '"more": 1, "kind"'), "damaged"),
        ("{}", "is not a stored baseline"),
        ("[1]", "is not a stored baseline"),
        ("item,prediction\nq1,x\n", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
    ):
        (gate_files / "bad.json").write_text(content, encoding="utf-8")
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
    assert not (gate_files / "s.json").exists()


# -- settings --------------------------------------------------------------------------------------


def test_one_word_is_enough(run: Run, gate_files: Path) -> None:
    (gate_files / "bestby.toml").write_text(
        'files = ["main.csv", "worse.csv"]\ngold = "gold.csv"\nmetrics = ["accuracy", "f1_macro"]\n'
        "margins = {accuracy = 0.3, f1_macro = 0.3}\n",
        encoding="utf-8",
    )
    assert run("gate").returncode == 0
    done = run("gate", "--metric", "accuracy", "--margin", ".01")
    assert done.returncode == 1
    assert "f1_macro" not in done.stdout
    assert run("gate", "main.csv", "same.csv", "--margin", "0.3", "--metric", "accuracy").returncode == 0


def test_a_baseline_and_settings_of_another_folder(run: Run, gate_files: Path) -> None:
    inner = gate_files / "inner"
    inner.mkdir()
    for name in ("main.csv", "worse.csv", "gold.csv"):
        (gate_files / name).rename(inner / name)
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
        ("metric = 'accuracy'", "has unknown keys: 'metric' (metrics?)", "the keys are: files, baseline_file"),
        ("margn = 1\nxyz = 1", "has unknown keys: 'margn' (margins?), 'xyz'", "the keys are"),
        ("level = 'high'", "'level' must be a number, such as 0.95, got 'high'", "correct it"),
        ("min_items = 2.5", "'min_items' must be a whole number, such as 10, got 2.5", "correct it"),
        ("level = true", "'level' must be a number", "correct it"),
        ("metrics = [1]", "'metrics' must be a text or a list of texts", "correct it"),
        ("at_most = {ms = 1}", """must be a text or a list of texts, such as ["latency_ms=+10%"]""", "correct"),
        ("margins = {accuracy = 'x'}", "'margins' must be a number, or a table", "correct it"),
        ("gold = [", "is not TOML", "https://toml.io"),
        ("margins = -1", "--margin must be a positive number", "smallest difference"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_used(run: Run, gate_files: Path, text: str, message: str, hint: str) -> None:
    (gate_files / "bestby.toml").write_text(text, encoding="utf-8")
    check_refused(run("gate", "main.csv", "same.csv", *GOLD), message, hint)


# -- wrong use -------------------------------------------------------------------------------------


def test_a_baseline_file_is_not_overwritten(run: Run, gate_files: Path) -> None:
    run("gate", "--save", "main.json", "main.csv", *GOLD)
    check_refused(
        run("gate", "--baseline-file", "main.json", "same.csv", *GOLD, "--json", "main.json"),
        "--json would overwrite the input 'main.json'",
        "another",
    )
    del gate_files


def test_the_settings_are_not_overwritten(run: Run, gate_files: Path) -> None:
    settings = gate_files / "gate.toml"
    settings.write_text("gold = 'gold.csv'", encoding="utf-8")
    done = run("gate", "main.csv", "same.csv", "--settings", "gate.toml", "--markdown", "gate.toml")
    check_refused(done, "--markdown would overwrite the input 'gate.toml'", "name another file")
    assert settings.read_text(encoding="utf-8") == "gold = 'gold.csv'"


@pytest.mark.parametrize("target", ["main.csv", "gold.csv"])
def test_a_stored_baseline_does_not_overwrite_what_is_read(run: Run, gate_files: Path, target: str) -> None:
    before = (gate_files / target).read_bytes()
    done = run("gate", "--save", target, "main.csv", *GOLD)
    check_refused(done, f"--save would overwrite the input '{target}'", "name another file")
    assert (gate_files / target).read_bytes() == before


def test_junit_names_the_file_that_set_the_margins(run: Run, gate_files: Path) -> None:
    (gate_files / "bestby.toml").write_text("margins = 0.9\n", encoding="utf-8")
    done = run("gate", "main.csv", "worse.csv", *GOLD, "--junit", "g.xml")
    assert done.returncode == 0
    text = ET.parse(gate_files / "g.xml").findtext("testsuite/system-out")
    assert text is not None
    assert "settings of bestby.toml: margins = 0.9" in text.splitlines()
    assert "settings of bestby.toml: margins = 0.9" in " ".join(done.stdout.split())


def test_a_stored_baseline_keeps_the_trials_of_its_items(run: Run, gate_files: Path) -> None:
    for name, rows in (("main", ["CIC", "CCC", "III", "CII"] * 5), ("new", ["CCC", "CCI", "IIC", "CCI"] * 5)):
        epochs = [[row[epoch] for row in rows] for epoch in range(3)]
        (gate_files / f"{name}.json").write_text(
            json.dumps(inspect_log(epochs, model=name)), encoding="utf-8"
        )
    asked = ("--metric", "pass@2", "--margin", "0.5", "--json", "-")
    direct = bb.load(run("gate", "main.json", "new.json", *asked).stdout)
    assert run("gate", "--save", "stored.json", "main.json").returncode == 0
    log = json.loads((gate_files / "new.json").read_text(encoding="utf-8"))
    log["samples"].reverse()
    (gate_files / "new.json").write_text(json.dumps(log), encoding="utf-8")
    stored = bb.load(run("gate", "--baseline-file", "stored.json", "new.json", *asked).stdout)
    assert isinstance(direct, bb.results.Gate)
    assert direct.checks[0].metric == "pass@2"
    assert stored.checks == direct.checks
    content = json.loads((gate_files / "stored.json").read_text(encoding="utf-8"))
    content["trials"][0] = [3, 3]
    (gate_files / "stored.json").write_text(json.dumps(content), encoding="utf-8")
    check_refused(run("gate", "--baseline-file", "stored.json", "new.json", *asked), "is damaged", "write it")
