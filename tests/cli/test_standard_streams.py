"""Standard streams that are closed or full, and what is shown on those that are open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.helpers import COMMAND, environment

from bestby.cli import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")

CLOSED = [
    "InvalidInputError: cannot write the standard output: it is closed",
    "hint: open it, or write to a file (such as --json FILE); all requested files are complete",
]
FULL = [
    "InvalidInputError: cannot write the standard output: No space left on device",
    "hint: free some space, or write to a file elsewhere; all requested files are complete",
]


def shell(folder: Path, words: str, streams: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command line in a shell that closes or redirects its streams."""
    code = f'exec "$@" {words} {streams}'
    return subprocess.run(
        ["sh", "-c", code, "sh", *COMMAND], cwd=folder, env=environment(), capture_output=True, check=False
    )  # fmt: skip


@pytest.mark.parametrize(
    "words", ["--help", "compare table.csv --gold label --item item --cluster doc --json -"]
)
@pytest.mark.parametrize(("streams", "said"), [(">&-", CLOSED), (">/dev/full", FULL)])
def test_stdout_cannot_be_written(table: Path, words: str, streams: str, said: list[str]) -> None:
    if "full" in streams and not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    done = shell(table.parent, words, streams)
    assert (done.returncode, done.stderr.decode().splitlines()) == (2, said)


@pytest.mark.parametrize(("streams", "status"), [("2>&-", 0), (">&-", 2), ("<&- >&- 2>&-", 2)])
def test_files_are_written_all_the_same(table: Path, streams: str, status: int) -> None:
    words = "compare table.csv --gold label --item item --cluster doc --json out.json --csv out.csv"
    done = shell(table.parent, words, streams)
    assert done.returncode == status
    assert (table.parent / "out.json").read_text(encoding="utf-8").rstrip().endswith("}")
    assert (table.parent / "out.csv").read_text(encoding="utf-8").count("\n") == 4
    assert b"Traceback" not in done.stderr
    assert table.read_text(encoding="utf-8").startswith("item,label")


def test_an_error_that_nobody_can_read_is_still_a_status(table: Path) -> None:
    assert shell(table.parent, "compare table.csv --gold no", "2>&-").returncode == 2


def test_control_characters_stay_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    evil = "\x1b[31mE\x1b]0;pwn\x07\x9b\u202e\x7f"
    lines = [f"id,gold,{evil},=b", *(f"{i},x,{'xy'[i % 2]},{'xxy'[i % 3]}" for i in range(12))]
    Path("e.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    shown = r"\x1b[31mE\x1b]0;pwn\x07\x9b\u202e\x7f"
    for words, status in (
        ("compare e.csv --gold gold", 0),
        ("compare e.csv --gold gold --json -", 0),
        ("compare e.csv --gold none", 2),
        (f"compare e.csv --gold gold --system {evil}x --system =b", 2),
        (f"compare {evil}.csv --gold gold", 2),
        (f"study add s {evil} --run 0 --predictions p.txt --gold g.txt --tag a={evil}", 0),
        ("study list s", 0),
        (f"study remove s {evil} --all", 0),
    ):
        Path("p.txt").write_text("x\ny\n", encoding="utf-8")
        Path("g.txt").write_text("x\nx\n", encoding="utf-8")
        assert main(words.split(" ")) == status, words
        said = "".join(capsys.readouterr())
        assert not set(said) & {"\x1b", "\x07", "\x9b", "\u202e", "\x7f"}, words
        if "--json" not in words:
            assert shown in said.replace("\n", ""), words


def test_safe_csv(
    table: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(table.parent)
    text = table.read_text(encoding="utf-8").replace("low,middle", "=low,@middle")
    table.write_text(text, encoding="utf-8")
    words = ["compare", "table.csv", "--gold", "label", "--item", "item", "--cluster", "doc"]
    assert main([*words, "--csv", "plain.csv"]) == main([*words, "--csv", "safe.csv", "--csv-safe"]) == 0
    plain, safe = (Path(name).read_text(encoding="utf-8") for name in ("plain.csv", "safe.csv"))
    assert ",=low," in plain
    assert safe == plain.replace(",=low", ",'=low").replace(",@middle", ",'@middle")
    capfdbinary.readouterr()
    assert main([*words, "--csv-safe"]) == 2
    assert capfdbinary.readouterr().err.decode().splitlines() == [
        "InvalidInputError: --csv-safe needs --csv: no CSV is written",
        "hint: give --csv too, or leave --csv-safe out",
    ]


def test_a_warning_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from bestby.cli import commands

    commands._show_warning(UserWarning("two\nlines \x1b"), UserWarning, "file.py", 3)
    assert capsys.readouterr().err == "warning: two lines \\x1b\n"
