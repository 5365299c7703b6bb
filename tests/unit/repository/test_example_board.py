"""The example of a board: its script, and the steps of its workflow in a git repository."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import tarfile
from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import yaml

import bestby as bb
from bestby.boards import record
from bestby.boards.record import Submitted

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "board"
GITHUB_SHELL = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]

in_git = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("git") is None, reason="a POSIX shell and git"
)


# -- the script ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the board of the example."""
    folder = tmp_path_factory.mktemp("example")
    script = [sys.executable, str(EXAMPLE / "make_board.py"), str(folder)]
    done = subprocess.run(script, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        f"the board: {folder / 'board'}",
        f"its pages: {folder / 'site' / 'index.html'}",
    ]
    return folder


def table(site: Path, start: str) -> list[dict[str, str]]:
    (path,) = [one for one in (site / "data").glob(f"{start}*.csv") if "slices" not in one.name]
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_the_pages_are_those_that_the_readme_tells_of(made: Path) -> None:
    private = table(made / "site", "private-task-accuracy")
    assert private[0]["system"] == "linear/logreg_14"
    assert [row["rank_low"] for row in private] == ["1", "1", "1", "1", "5"]
    assert {row["system"] for row in table(made / "site", "public-task-accuracy")} == {
        "organisers/knn_3", "bayes/nb_12", "bayes/nb_13", "linear/svm_14", "linear/logreg_14",
    }  # fmt: skip


def test_the_site_is_verified_and_holds_no_territory(made: Path) -> None:
    assert bb.Board(made / "board").verify(made / "site").sound
    lines = (made / "board" / "gold" / "1" / "task.csv").read_bytes().splitlines()
    assert lines[0].split(b",") == [b"id", b"gold", b"territory", b"words", b"name", b"part"]
    for path in (made / "site").rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert not any(line in data for line in lines[1:])


# -- the workflow ----------------------------------------------------------------------------------


class Repository:
    """A board in a git repository with a remote one, and the jobs of the workflow run by a shell."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder, ""
        self.origin, self.clone, self.temporary = folder / "origin", folder / "clone", folder / "temporary"
        commands = folder / "bin"
        commands.mkdir()
        for name, line in (("bestby", f'exec "{sys.executable}" -m bestby "$@"'), ("python", "true")):
            (commands / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
            (commands / name).chmod(0o755)
        who = {f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        self.env = os.environ | who | {"RUNNER_TEMP": str(self.temporary)}
        self.env |= {"PATH": f"{commands}{os.pathsep}{os.environ['PATH']}", "GIT_CONFIG_GLOBAL": os.devnull}
        self.git("init", "--quiet", "--bare", "--initial-branch=main", str(self.origin), cwd=folder)
        self.git("clone", "--quiet", str(self.origin), str(self.clone), cwd=folder)
        self.workflow: dict[str, Any] = yaml.safe_load((EXAMPLE / "workflow.yml").read_text(encoding="utf-8"))

    def git(self, *words: str, cwd: Path | None = None) -> str:
        done = subprocess.run(
            ["git", *words], cwd=cwd or self.clone, env=self.env, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def bring(self, files: dict[str, str], branch: str = "team") -> None:
        """Commit files on a branch that starts at the main one, as participants do."""
        self.git("checkout", "--quiet", "-B", branch, "main")
        for name, text in files.items():
            path = self.clone / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.git("add", "--all", "--force", ".")
        self.git("commit", "--quiet", "--message", "a submission")

    def merge(self, branch: str = "team") -> None:
        self.git("checkout", "--quiet", "main")
        self.git("merge", "--quiet", "--no-ff", "--message", "merged", branch)
        self.git("push", "--quiet", "origin", "main")

    def run(self, job: str, **values: str) -> dict[str, int]:
        """Run the steps of a job in a checkout of its own until one fails; return their exit statuses."""
        place = self.folder / "checkout"
        shutil.rmtree(place, ignore_errors=True)
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir()
        if job == "check":
            shutil.copytree(self.clone, place, symlinks=True)
        else:
            self.git("clone", "--quiet", str(self.origin), str(place), cwd=self.folder)
        statuses: dict[str, int] = {}
        for step in self.workflow["jobs"][job]["steps"]:
            if "run" not in step or any(statuses.values()):
                continue
            env = self.env | {name: values[name] for name in step.get("env", {})}
            script = self.folder / "step.sh"
            script.write_text(step["run"], encoding="utf-8")
            done = subprocess.run(
                [*GITHUB_SHELL, str(script)], cwd=place, env=env, check=False, capture_output=True, text=True
            )
            self.log += done.stdout + done.stderr
            statuses[step["name"]] = done.returncode
        self.git("fetch", "--quiet", "origin")
        return statuses

    def check(self) -> dict[str, int]:
        return self.run("check", BASE=self.git("rev-parse", "main"))

    def publish(self, secret: str) -> dict[str, int]:
        return self.run("publish", BOARD_GOLD=secret)

    def update(self) -> None:
        """Take over what the workflow pushed."""
        self.git("checkout", "--quiet", "main")
        self.git("pull", "--quiet", "--ff-only", "origin", "main")

    def every_byte(self) -> bytes:
        """Return the contents of everything that the remote repository ever had."""
        whole = ["git", "cat-file", "--batch-all-objects", "--batch"]
        return subprocess.run(whole, cwd=self.origin, env=self.env, check=True, capture_output=True).stdout


N = 120
GOLD = {f"q{place}": "xyz"[(place + place // 5) % 3] for place in range(N)}


def predictions(wrong: int, last: int = N) -> str:
    """Return a submission of which every so many-th item is another label."""
    lines = [
        f"{item},{'z' if place % wrong == 0 else label}"
        for place, (item, label) in enumerate(list(GOLD.items())[:last])
    ]
    return "\n".join(["id,prediction", *lines, ""])


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Repository, str]:
    """Make a board in a repository, and the secret with its gold, which lies elsewhere."""
    made = Repository(tmp_path)
    lines = [f"{item},{label},hidden-group-{place // 4}" for place, (item, label) in enumerate(GOLD.items())]
    (tmp_path / "gold.csv").write_text("\n".join(["id,gold,group", *lines]), encoding="utf-8")
    bb.Board.create(
        made.clone / "new", tmp_path / "gold.csv", title="In git", metrics="accuracy", clusters="group",
        gold_folder=tmp_path / "gold",
    )  # fmt: skip
    for path in (made.clone / "new").iterdir():
        if path.name not in ("tmp", "lock.sqlite"):
            shutil.move(path, made.clone / path.name)
    shutil.rmtree(made.clone / "new")
    made.git("checkout", "--quiet", "-B", "main")
    made.git("add", "--all", ".")
    made.git("commit", "--quiet", "--message", "a board")
    made.git("push", "--quiet", "origin", "main")
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.add(tmp_path / "gold", arcname=".")
    return made, b64encode(packed.getvalue()).decode()


@in_git
def test_a_pull_request_becomes_a_line_of_the_table_and_the_gold_is_nowhere(
    repository: tuple[Repository, str],
) -> None:
    board, secret = repository
    board.bring({"incoming/ours/first.csv": predictions(3), "incoming/the others/one.csv": predictions(7)})
    assert set(board.check().values()) == {0}
    board.merge()
    assert set(board.publish(secret).values()) == {0}
    board.update()
    assert not (board.clone / "incoming").exists()
    assert [row["system"] for row in table(board.clone / "docs", "all-task-accuracy")] == [
        "the others/one",
        "ours/first",
    ]
    assert bb.Board(board.clone, board.folder / "gold").verify(board.clone / "docs").sound

    everything = board.every_byte() + board.log.encode()
    key = (board.folder / "gold" / "1" / "key").read_bytes().strip()
    for hidden in (key, secret.encode(), b"hidden-group-"):
        assert hidden not in everything
    assert b"ours" in everything


@in_git
def test_a_run_without_a_change_stores_nothing(repository: tuple[Repository, str]) -> None:
    board, secret = repository
    board.bring({"incoming/ours/first.csv": predictions(3)})
    board.merge()
    board.publish(secret)
    before = board.git("rev-parse", "origin/main")
    assert set(board.publish(secret).values()) == {0}
    assert board.git("rev-parse", "origin/main") == before


@in_git
@pytest.mark.parametrize(
    "files",
    [
        {"incoming/ours/first.csv": predictions(3, last=N - 1)},
        {"incoming/ours/first.csv": predictions(3).replace("q1,y", "q1,w")},
        {"incoming/first.csv": predictions(3)},
        {"incoming/ours/first.csv": predictions(3), "board.toml": "title = 'mine'"},
        {"incoming/ours/a\nb.csv": predictions(3), ".github/workflows/board.yml": ""},
    ],
)
def test_a_pull_request_with_other_files_or_wrong_ones_is_refused(
    repository: tuple[Repository, str], files: dict[str, str]
) -> None:
    board, _ = repository
    board.bring(files)
    assert board.check()["Check the files"] != 0


@in_git
def test_links_to_other_files_are_refused_and_never_followed(repository: tuple[Repository, str]) -> None:
    board, secret = repository
    board.bring({"incoming/ours/first.csv": predictions(3)})
    (board.clone / "incoming" / "ours" / "link.csv").symlink_to(board.temporary / "gold" / "1" / "task.csv")
    (board.clone / "incoming" / "theirs").symlink_to(board.temporary / "gold" / "1")
    board.git("add", "--all", ".")
    board.git("commit", "--quiet", "--message", "links")
    assert board.check()["Check the files"] != 0
    board.merge()  # by mistake
    board.publish(secret)
    assert b"hidden-group-" not in board.every_byte() + board.log.encode()
    assert [one.key for one in _lines(board)] == ["ours/first"]


@in_git
def test_what_comes_too_late_stays_and_fails_the_run_while_the_rest_is_published(
    repository: tuple[Repository, str],
) -> None:
    board, secret = repository
    board.bring({"incoming/ours/first.csv": predictions(3), "incoming/ours/..csv": predictions(5)})
    board.merge()
    statuses = board.publish(secret)
    assert (statuses["Store"], statuses["Report what was refused"]) == (0, 1)
    assert [one.key for one in _lines(board)] == ["ours/first"]
    board.update()
    assert (board.clone / "incoming" / "ours" / "..csv").exists()
    assert (board.clone / "docs" / "index.html").exists()


def _lines(board: Repository) -> list[Any]:

    board.update()
    return [
        line.event
        for line in record.read_lines(board.clone / "record.jsonl")
        if isinstance(line.event, Submitted)
    ]
