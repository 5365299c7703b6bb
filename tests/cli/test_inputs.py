"""What the command line does with names of files and columns before the readers see them."""

# ruff: noqa: E501 - rows of tables

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bestby.cli import main

Pipe = Callable[[bytes], None]

CSV = b"item,gold,a,b\n1,x,x,y\n2,y,y,y\n3,x,x,x\n4,y,x,y\n"
LINES = b"".join(
    json.dumps(dict(zip(("item", "gold", "a", "b"), row, strict=True))).encode() + b"\n"
    for row in ("1xxy", "2yyy", "3xxx", "4yxy")
)


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Pipe:
    def put(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


@pytest.mark.parametrize(
    "content",
    [CSV, CSV.replace(b",", b"\t"), b"\xef\xbb\xbf" + CSV, LINES, gzip.compress(CSV), gzip.compress(LINES)],
    ids=["csv", "tsv", "byte order mark", "json lines", "packed csv", "packed json lines"],
)
def test_a_table_is_read_from_the_standard_input(
    content: bytes, pipe: Pipe, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table.csv"
    table.write_bytes(CSV)
    assert main(["compare", str(table), "--json", "-"]) == 0
    expected = capsys.readouterr().out
    for _ in range(2):
        pipe(content)
        assert main(["compare", "-", "--json", "-"]) == 0
        assert json.loads(capsys.readouterr().out)["differences"] == json.loads(expected)["differences"]


@pytest.mark.parametrize(
    ("command", "content"),
    [
        ("runs", b"seed,a,b\n1,.5,.7\n2,.6,.8\n3,.5,.9\n"),
        ("folds", b"fold,a,b\n1,.5,.7\n2,.6,.8\n3,.5,.9\n"),
        ("datasets", b"dataset,a,b\nx,.5,.7\ny,.6,.8\nz,.5,.9\n"),
        ("preferences", b"item,a,b,winner\n1,p,q,p\n2,p,q,q\n3,p,q,p\n"),
        ("advise", CSV),
    ],
)
def test_other_commands_read_the_standard_input_too(
    command: str, content: bytes, pipe: Pipe, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe(content)
    assert main([command, "-", "--json", "-"]) == 0
    json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("arguments", "content", "lines"),
    [
        (["-", "--gold", "god"], CSV,
         ["InvalidInputError: stdin has no column 'god' (named as gold); did you mean 'gold'?",
          "hint: its columns are: item, gold, a, b"]),
        (["-"], b"\n", ["InvalidInputError: the standard input is empty", "hint: pipe a table into it, or name a file"]),
        (["-", "other.csv"], CSV,
         ["InvalidInputError: - is the standard input, which holds one table: it is read alone", "hint: name files, or only -"]),
        (["https://example.com/p.csv"], b"",
         ["InvalidInputError: no file 'https://example.com/p.csv': addresses (URLs) are not read",
          "hint: download it first, and name the file"]),
    ],
)  # fmt: skip
def test_what_cannot_be_read(
    arguments: list[str], content: bytes, lines: list[str], pipe: Pipe, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe(content)
    assert main(["compare", *arguments]) == 2
    assert capsys.readouterr().err.splitlines() == lines


@pytest.mark.parametrize("words", [["--system", "a,b"], ["--system", "a, b"], ["--system", "a", "b"]])
def test_several_systems_after_one_option(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_bytes(CSV)
    assert main(["compare", "table.csv", "--gold", "gold", *words]) == 2
    assert capsys.readouterr().err.splitlines()[1] == "hint: repeat the option: --system a --system b"


def test_a_name_may_hold_a_comma(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_bytes(CSV.replace(b",a,b\n", b',"a,b",b\n'))
    words = ["--gold", "gold", "--system", "a,b", "--system", "b", "--json", "-"]
    assert main(["compare", "table.csv", *words]) == 0
    assert {one["system"] for one in json.loads(capsys.readouterr().out)["systems"]} == {"a,b", "b"}


def test_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "gold.txt").write_text("x\ny\nx\n", encoding="utf-8")
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("x\ny\ny\n", encoding="utf-8")
    files = ["a=~/a.txt", "b=~/b.txt", "--gold", "~/gold.txt"]
    assert main(["compare", *files, "--json", "~/out.json", "--csv", "-"]) == 0
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["n_items"] == 3
    assert capsys.readouterr().out.startswith("metric,")


def test_metrics_by_word(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["metrics", "BLEU"]) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading == "Translation"
    assert {line.split()[0] for line in lines} >= {"bleu", "bleu_segment_mean", "bleu@13a"}
    assert all("BLEU" in line for line in lines)
    assert main(["metrics", "bleu", "mean"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert main(["metrics", "nothing of the kind"]) == 2
    assert "no metric matches 'nothing of the kind'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ([], ["InvalidInputError: a.run, line 2: document 'd1' occurs twice for topic 't1'",
              "hint: keep one line per topic and document, or say which one counts (first, last or max): --option duplicates=max"]),
        (["duplicates=least"], ["InvalidInputError: --option duplicates must be one of error, first, last, max, got 'least'",
                                "hint: --option duplicates=max"]),
    ],
)  # fmt: skip
def test_an_option_of_a_format_is_called_so(
    options: list[str],
    lines: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.run", "b.run"):
        Path(name).write_text("t1 Q0 d1 1 2.0 x\nt1 Q0 d1 2 1.0 x\n", encoding="utf-8")
    Path("qrels").write_text("t1 0 d1 1\n", encoding="utf-8")
    words = [word for option in options for word in ("--option", option)]
    assert main(["compare", "a.run", "b.run", "--gold", "qrels", *words]) == 2
    assert capsys.readouterr().err.splitlines() == lines


@pytest.mark.parametrize(
    ("words", "content"),
    [
        ("compare", "a;b\n0,5;0,25\n0,75;0,5\n"),
        ("compare --gold gold --metric mse", "gold;a;b\n0,5;0,5;0,25\n0,75;0,75;0,5\n"),
        ("runs", "system;run;score\na;1;0,5\na;2;0,75\nb;1;0,25\nb;2;0,5\n"),
        ("datasets", "dataset;a;b\nx;0,5;0,25\ny;0,75;0,5\n"),
    ],
)
def test_decimal_commas_are_named(
    words: str, content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "german.csv"
    file.write_text(content)
    command, *options = words.split()
    assert main([command, str(file), *options]) == 2
    hint = capsys.readouterr().err.splitlines()[1]
    assert hint.startswith(
        "hint: if '0,5' is a number, write it with a decimal point and no comma; otherwise "
    )


def test_ids_of_two_spellings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "gold.csv").write_text("id,gold\n1.0,x\n2.0,y\n")
    (tmp_path / "a.csv").write_text("id,prediction\n1,x\n2,x\n")
    files = [f"{name}={tmp_path / 'a.csv'}" for name in "ab"]
    assert main(["compare", *files, "--gold", str(tmp_path / "gold.csv"), "--item", "id"]) == 2
    assert (
        capsys.readouterr().err.splitlines()[1] == "hint: spell the ids alike: the gold has ids such as '1.0'"
    )
