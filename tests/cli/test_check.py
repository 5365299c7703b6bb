"""`bestby check`: every command that it proposes works, whatever the layout of the files."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from tests.cli.helpers import Run, check_refused
from tests.cli.layouts import GOLD_LINES, LAYOUTS, PER_LINE, Layout, csv, folds, long, one_per_system, wide

import bestby as bb


def written(folder: Path, layout: Layout) -> Path:
    """Write the files of a layout into a folder."""
    for name, text in layout.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_command_works(name: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = LAYOUTS[name]
    monkeypatch.chdir(written(tmp_path, layout))
    found = bb.check(list(layout.words))
    lines = [shlex.split(one.command) for one in found.commands]
    assert {line[1] for line in lines} >= layout.commands
    assert str(found).count("\n") < 40
    for line in lines:
        done = run(*line[1:])
        assert done.returncode in ((0, 1, 3) if line[1] == "gate" else (0,)), (line, done.stderr)
        assert done.stdout


@pytest.mark.parametrize(
    "name",
    [
        "runs, long", "datasets, wide", "folds", "folds, long, in repeats",
        "splits that only repetitions number", "judged", "preferences",
    ],
)  # fmt: skip
def test_no_command_takes_rows_for_items_that_are_none(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(written(tmp_path, LAYOUTS[name]))
    assert {one.command.split()[1] for one in bb.check(LAYOUTS[name].words[0]).commands} == LAYOUTS[
        name
    ].commands


def test_files_without_a_command_are_checked(run: Run, tmp_path: Path) -> None:
    written(tmp_path, LAYOUTS["a file per system, gold a file of lines"])
    done = run("bert.txt", "roberta.txt", "gold.txt")
    assert done.returncode == 0
    assert "bestby compare bert.txt roberta.txt --gold gold.txt" in done.stdout
    assert run("check", "bert.txt", "roberta.txt", "gold.txt").stdout == done.stdout
    assert run("a=bert.txt", "b=roberta.txt", "gold.txt").returncode == 0
    check_refused(run("compar", "bert.txt"), "No such command 'compar'", "bestby --help")
    check_refused(run("brt.txt", "roberta.txt"), "no file 'brt.txt'", "hint: check the path")


def test_the_gold_is_one_of_the_files(run: Run, tmp_path: Path) -> None:
    written(tmp_path, LAYOUTS["a file per system, gold a file of lines"])
    (tmp_path / "gold.txt").rename(tmp_path / "truth.txt")
    check_refused(run("check", "bert.txt", "roberta.txt", "--gold", "truth.txt"), "--gold", "gold=FILE")
    done = run("check", "bert.txt", "roberta.txt", "gold=truth.txt")
    assert "bestby compare bert.txt roberta.txt --gold truth.txt" in done.stdout


@pytest.mark.parametrize("ending", ["txt", "csv"])
def test_the_files_of_a_folder_that_is_no_table(run: Run, tmp_path: Path, ending: str) -> None:
    (tmp_path / "outputs").mkdir()
    for name, answers in {"bert": "xyxx", "gold": "xyxy", "roberta": "xyyy"}.items():
        rows = [f"{i},{answer}" if ending == "csv" else answer for i, answer in enumerate(answers * 8)]
        lines = ["id,label", *rows] if ending == "csv" else rows
        (tmp_path / "outputs" / f"{name}.{ending}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = [f"outputs/{name}.{ending}" for name in ("bert", "roberta", "gold")]
    done = run("check", "outputs")
    assert f"bestby compare {files[0]} {files[1]} --gold {files[2]}" in done.stdout


@pytest.mark.parametrize("name", ["a file per system, gold a file of lines", "preferences"])
def test_what_lies_beside_the_data_of_a_folder_is_no_data(name: str, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    written(folder, LAYOUTS[name])
    commands = {line.split()[1] for line in run("check", "data").stdout.splitlines() if line[:7] == "bestby "}
    assert commands >= LAYOUTS[name].commands
    written(folder, Layout({"README.md": "# Data\n\nText\n", "make.py": "print()\n"}, (), frozenset()))
    assert {
        line.split()[1] for line in run("check", "data").stdout.splitlines() if line[:7] == "bestby "
    } == commands


def test_what_cannot_be_read_is_refused(run: Run, tmp_path: Path) -> None:
    check_refused(run("check", "nothing.csv"), "no file 'nothing.csv'", "hint: check the path")
    (tmp_path / "page.html").write_text("<html></html>", encoding="utf-8")
    check_refused(run("page.html"), "page.html is an HTML page", "hint: write its rows as a table")


def test_what_answers_no_question_says_why(run: Run, tmp_path: Path) -> None:
    (tmp_path / "texts.csv").write_text("id,text\n1,one\n2,two\n", encoding="utf-8")
    done = run("check", "texts.csv")
    assert done.returncode == 0
    assert done.stdout.startswith("No question can be answered by these files")
    assert "hint: " in done.stdout


def test_the_reason_is_that_of_the_command_for_the_data(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"{person},{task},{(person * task) % 7}\n" for person in range(9) for task in (1, 2, 3))
    (tmp_path / "study.csv").write_text(f"person,task,score\n{rows}", encoding="utf-8")
    said = " ".join(run("check", "study.csv").stdout.split())
    assert "a comparison needs at least 2 systems, got 1: score" in said
    assert "--test none" not in said


def test_a_result_of_bestby_holds_no_data(run: Run, tmp_path: Path) -> None:
    for name, text in {**PER_LINE, "gold.txt": GOLD_LINES}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    run("compare", "bert.txt", "roberta.txt", "--gold", "gold.txt", "--json", "r.json")
    refused = "r.json is a result of bestby (Comparison), and no data to compare"
    check_refused(run("check", "r.json"), refused, "hint: name the files it was computed from")


@pytest.mark.parametrize(
    ("files", "words", "hint"),
    [
        (one_per_system(), ("preds_bert.jsonl", "preds_roberta.jsonl"), "--gold label"),
        ({**PER_LINE, "gold.txt": GOLD_LINES}, ("bert.txt", "roberta.txt", "gold.txt"), "--gold gold.txt"),
        (
            {"l.csv": csv(long("example_id", "graded"))},
            ("l.csv",),
            "--item example_id and --value-column graded",
        ),
        ({"l.csv": csv(long("input", "score"))}, ("l.csv",), "--item input"),
        (
            {"p.csv": csv([{"ground_truth": g["label"], "a": g["bert"], "b": g["roberta"]} for g in wide()])},
            ("p.csv",),
            "--gold ground_truth",
        ),
    ],
)
def test_the_hint_of_compare_looks_at_the_files(
    files: dict[str, str], words: tuple[str, ...], hint: str, run: Run, tmp_path: Path
) -> None:
    written(tmp_path, Layout(files, words, frozenset()))
    done = run("compare", *words)
    assert done.returncode == 2
    assert hint in done.stderr.splitlines()[1]


@pytest.mark.parametrize(
    ("files", "refusal", "hint"),
    [
        ({"t.csv": "model,accuracy\nbert,0.88\nroberta,0.9\n"}, "each row is another system", "published"),
        ({"t.json": '{"accuracy": 0.8, "f1": 0.7}'}, "are names of scores", "published"),
        ({"t.csv": "step,bert,roberta\n10,0.5,0.6\n20,0.6,0.7\n"}, "steps of a training curve", "runs"),
        (
            {"t.csv": csv([{**row, "dataset": d} for d in "xy" for row in folds("repeat")])},
            "rows are folds of the datasets",
            "the mean over the folds",
        ),
        (
            {"t.csv": csv([{"response_a": f"a{i}", "response_b": f"b{i}", "winner": "a"} for i in range(9)])},
            "no column names the two systems",
            "add two columns",
        ),
    ],
)  # fmt: skip
def test_what_holds_no_items_says_what_it_holds(
    files: dict[str, str], refusal: str, hint: str, run: Run, tmp_path: Path
) -> None:
    written(tmp_path, Layout(files, (), frozenset()))
    done = run("check", *files)
    text = " ".join((done.stdout + done.stderr).split())
    assert refusal in text
    assert hint in text.split("hint:")[1]
    assert "bestby compare" not in text
