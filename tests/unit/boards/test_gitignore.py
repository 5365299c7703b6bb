"""`.gitignore` of a board keeps the gold, its keys and what is made anew out of git."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from bestby.boards import folder as folders
from bestby.boards.folder import Folder

ALL = ["gold/", "lock.sqlite*", "tmp/"]


def lacking(path: Path, text: str | None, gold: str | None = None) -> list[str]:
    """Return what the `.gitignore` of a board lacks."""
    if text is not None:
        (path / ".gitignore").write_text(text)
    return folders.missing_patterns(Folder.at(path, gold and path / gold))


def test_the_file_of_a_new_board_lacks_nothing(tmp_path: Path) -> None:
    assert lacking(tmp_path, None) == ALL
    assert lacking(tmp_path, folders.gitignore_text(Folder.at(tmp_path))) == []


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("", ALL),
        ("/gold\nlock.sqlite*\ntmp\n", []),
        ("gold/**\r\nlock.sqlite*\r\ntmp/\r\n*.pyc\r\n", []),
        ("gold/  \nlock.sqlite*\ntmp/\n", []),
        (" gold/\nlock.sqlite*\ntmp/\n", ["gold/"]),
        ("# gold/\nlock.sqlite*\ntmp/\n", ["gold/"]),
        ("gold/1/task.csv\nlock.sqlite*\ntmp/\n", ["gold/"]),
        ("gold/\nlock.sqlite*\ntmp/\n!gold/\n", ["gold/"]),
        ("!gold/\ngold/\nlock.sqlite*\ntmp/\n!items.csv\n", []),
        ("gold/\nlock.sqlite*\ntmp/\n!*\n", ALL),
        ("gold/\nlock.sqlite*\ntmp/\n!*.sqlite\n", ["lock.sqlite*"]),
    ],
)
def test_what_is_lacking(tmp_path: Path, text: str, missing: list[str]) -> None:
    assert lacking(tmp_path, text) == missing


@pytest.mark.parametrize("place", ["vault", "a vault/[x]", "."])
def test_a_gold_elsewhere_in_the_board_is_named(tmp_path: Path, place: str) -> None:
    folder = Folder.at(tmp_path, tmp_path / place)
    assert len(lacking(tmp_path, "".join(f"{one}\n" for one in ALL), place)) == 1
    assert lacking(tmp_path, folders.gitignore_text(folder), place) == []
    assert folders.gitignore_patterns(Folder.at(tmp_path, tmp_path.parent / "outside")) == folders.GITIGNORED


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("place", ["a vault/[x]", "."])
def test_git_leaves_out_what_the_file_names(tmp_path: Path, place: str) -> None:
    (tmp_path / ".gitignore").write_text(folders.gitignore_text(Folder.at(tmp_path, tmp_path / place)))
    for name in ("gold/1/key", f"{place}/1/key", "tmp/cache/x", "lock.sqlite", "tmp/x", "items.csv"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    found = subprocess.run(
        ["git", "-C", tmp_path, "status", "--porcelain", "-uall"], check=True, capture_output=True, text=True
    )
    assert sorted(line[3:] for line in found.stdout.splitlines()) == [".gitignore", "items.csv"]


NEGATIONS = [
    r"!/\gold/", r"!g\old", "!/[g]old/", "![[:alpha:]]old", "![^x]old/", "!/**/gold/", "!**/**/gold", "!g*d",
    "!gold/1/key", "!golden/", "!old/", r"!\!gold", "!GOLD.csv", "!/gold/**", "![]g]old", "!?old/", "!gold/*",
]  # fmt: skip


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("first", ["gold/", "/gold/**"])
@pytest.mark.parametrize("more", ["", "\n!/gold/1/"])
@pytest.mark.parametrize("line", NEGATIONS)
def test_what_git_takes_back_is_lacking(tmp_path: Path, first: str, more: str, line: str) -> None:
    text = f"{first}\nlock.sqlite*\ntmp/\n{line}{more}\n"
    (tmp_path / "gold" / "1").mkdir(parents=True)
    (tmp_path / "gold" / "1" / "key").write_text("x")
    found = lacking(tmp_path, text)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    left_out = subprocess.run(["git", "-C", tmp_path, "check-ignore", "-q", "gold/1/key"], check=False)
    assert left_out.returncode in (0, 1)
    if left_out.returncode == 1:
        assert found == ["gold/"]
    elif line in ("!golden/", "!old/", r"!\!gold", "!GOLD.csv") and not more:
        assert found == []
    if first == "gold/" and line == "!gold/1/key":  # git does not look inside a folder that is left out
        assert found == []


def test_lines_that_take_back_files_of_sqlite(tmp_path: Path) -> None:
    for line in ("!lock.sqlite-wal", "!*-journal"):
        assert "lock.sqlite*" in lacking(tmp_path, "\n".join([*ALL, line, ""]))
