"""`bestby board` as a process: a refusal is two lines with status 2, and leaves the board as it was."""

# ruff: noqa: E501 - rows of tables

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from tests.cli.helpers import Run, check_refused, run_in
from tests.unit.boards.examples import edit, gold_file, gold_labels, ids, predictions_file, state, write_table

from bestby import Board

OURS = ("--board", "task", "--team", "ours", "--system", "bert")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a board that the command line made, and files beside it."""
    folder = tmp_path_factory.mktemp("made")
    gold_file(folder)
    predictions_file(folder)
    predictions_file(folder, "other.csv", 5)
    done = run_in(folder)(
        "board", "init", "gold.csv", "--board", "task", "--title", "Our task", "--metric", "accuracy"
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("made the board task with 1 task; ")
    return folder


@pytest.fixture
def board(made: Path, tmp_path: Path) -> Board:
    """Return a copy of the board, with the files beside it."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return Board(tmp_path / "task")


def test_init_takes_every_option(run: Run, tmp_path: Path) -> None:
    columns = {"key": ids(), "truth": gold_labels(), "doc": [f"d{place // 4}" for place in range(60)]}
    columns |= {
        "part of speech": ["n", "v"] * 30,
        "language": [("de", "fr", "it")[place // 20] for place in range(60)],
    }
    write_table(tmp_path / "gold.csv", columns)
    done = run(
        "board", "init", "gold.csv", "--board", "task", "--gold-folder", "secret", "--title", "T", "--metric", "f1_macro",
        "--metric", "accuracy", "--item", "key", "--gold-column", "truth", "--cluster", "doc", "--stratum", "language",
        "--slice", "part of speech", "--slice", "language", "--public-column", "language", "--margin", "0.02",
        "--baseline", "we/base", "--private-share", "0.5", "--seed", "3",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    board = Board(tmp_path / "task", tmp_path / "secret")
    task = board.settings.task()
    assert (task.metrics, task.labels) == (("f1_macro", "accuracy"), ("x", "y", "z"))
    assert (task.clusters, task.strata, task.slices) == ("doc", "language", ("part of speech", "language"))
    assert dict(task.margins) == {"f1_macro": 0.02, "accuracy": 0.02}
    assert [phase.part for phase in board.settings.phases] == ["public", "private"]
    assert "the phase private are shown after 'bestby board end private'" in done.stderr.splitlines()[1]
    assert (tmp_path / "task" / "items.csv").read_text().startswith("id,language\nq0,de\n")
    assert (tmp_path / "secret" / "1" / "task.csv").is_file()


def test_prices_are_given_with_a_submission(run: Run, board: Board) -> None:
    edit(board, 'title = "Our task"\n', 'title = "Our task"\ncosts = ["usd"]\n')
    done = run("board", "submit", "mine.csv", *OURS, "--cost", "usd=3")
    assert done.returncode == 0, done.stderr
    assert board.submissions()[0].costs == {"usd": 3.0}
    done = run("board", "submit", "other.csv", *OURS, "--cost", "eur=3")
    check_refused(done, "the board takes no price 'eur'", "its costs: usd")
    check_refused(run("board", "submit", "other.csv", *OURS, "--cost", "usd"), "a cost must be", "")


def test_init_of_scores_and_of_several_tasks(run: Run, tmp_path: Path) -> None:
    write_table(tmp_path / "one.csv", {"id": ids()})
    write_table(tmp_path / "two.csv", {"id": ids(10)})
    done = run("board", "init", "a=one.csv", "b=two.csv", "--board", "task", "--title", "T", "--metric", "loss",
               "--scores", "--lower-is-better")  # fmt: skip
    assert done.returncode == 0, done.stderr
    tasks = Board(tmp_path / "task").settings.tasks
    assert [(task.name, task.scores, task.greater_is_better) for task in tasks] == [
        ("a", True, False),
        ("b", True, False),
    ]


def test_a_participant_checks_at_home(run: Run, board: Board, tmp_path: Path) -> None:
    for name in ("gold", "submissions", "record.jsonl"):
        (board.path / name).rename(tmp_path / f"away {name}")
    done = run("board", "check", "mine.csv", "--board", "task")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("task: 60 items; ")


def test_from_a_submission_to_the_site(run: Run, board: Board, tmp_path: Path) -> None:
    links = ("--paper", "https://example.org/p", "--code", "https://example.org/c")
    first = run("board", "submit", "mine.csv", *OURS, *links)
    assert (first.returncode, first.stdout) == (0, "2\n")
    again = run("board", "submit", "mine.csv", *OURS, *links)
    assert (again.returncode, again.stdout) == (0, "2\n")
    assert again.stderr.endswith("it was there already\n")
    assert run("board", "submit", "other.csv", *OURS, "--run", "two", "--phase", "all").stdout == "3\n"
    listed = run("board", "list", "--board", "task").stdout.splitlines()
    assert listed[0].split() == ["number", "time", "team", "system", "run", "phase", "state"]
    assert re.fullmatch(r"3 +\d{4}-\S+Z  ours  bert    two  all    in force", listed[2])
    done = run("board", "publish", "site", "--board", "task")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(
        r"published site: \d+ files as of \S+Z, \d+ changed; open site/index.html\n", done.stderr
    )
    assert "Our task" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    before = state(tmp_path)
    assert "0 changed" in run("board", "publish", "site", "--board", "task").stderr
    assert state(tmp_path) == before


def test_withdraw_and_correct(run: Run, board: Board, tmp_path: Path) -> None:
    run("board", "submit", "mine.csv", *OURS)
    done = run("board", "withdraw", "2", "--board", "task", "--hidden", "--reason", "a mistake")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("withdrew submission 2: ours/bert")
    assert board.submissions()[0].state == "withdrawn"
    labels = ["z", *gold_labels()[1:]]
    write_table(tmp_path / "new.csv", {"item": ids(), "truth": labels})
    done = run("board", "correct", "new.csv", "--board", "task", "--reason", "typo", "--gold-column", "truth")
    assert done.stderr.startswith("version 2 of the gold is in force")


def test_the_gold_may_lie_where_the_environment_says(run: Run, board: Board, tmp_path: Path) -> None:
    (board.path / "gold").rename(tmp_path / "vault")
    refused = run("board", "publish", "site", "--board", "task")
    check_refused(refused, "version 1 of the gold is not in 'task/gold'", "--gold-folder")
    assert run("board", "publish", "site", "--board", "task", "--gold-folder", "vault").returncode == 0
    done = run("board", "publish", "site", "--board", "task", BESTBY_BOARD_GOLD=str(tmp_path / "vault"))
    assert done.returncode == 0


def test_verify_finds_a_changed_byte(run: Run, board: Board, tmp_path: Path) -> None:
    run("board", "submit", "mine.csv", *OURS)
    run("board", "publish", "site", "--board", "task")
    done = run("board", "verify", "site", "--board", "task")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"verified: 4 lines, 1 submission, \d+ files of the site\n", done.stdout)
    page = tmp_path / "site" / "index.html"
    page.write_bytes(page.read_bytes().replace(b"Our task", b"Our tusk", 1))
    done = run("board", "verify", "site", "--board", "task")
    assert (done.returncode, done.stderr) == (1, "")
    assert "index.html is not what gold and submissions give" in done.stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "first", "second"),
    [
        (["submit", "items.csv", *OURS], "InvalidInputError: items.csv: the task has no item for 1 id, such as 'p0'", "public list"),
        (["submit", "label.csv", *OURS], "'w'", "labels are: x, y, z"),
        (["submit", "picture.png", *OURS], "does not end in .csv", "submit a table"),
        (["submit", "mine.csv", "mine.csv", *OURS], "two files are called 'mine'", "name=path"),
        (["submit", "mine.csv", *OURS, "--phase", "dev"], "no phase 'dev'", "its phases: all"),
        (["withdraw", "7", "--board", "task"], "the board has no submission 7", "nothing was submitted"),
        (["check", "label.csv", "--board", "task"], "'w'", "labels are"),
        (["publish", ".", "--board", "task"], "the gold and the submissions lie there", "folder of its own"),
        (["verify", "nowhere", "--board", "task"], "there is no folder 'nowhere'", "published site"),
        (["correct", "gold.csv", "--board", "task", "--reason", " "], "needs a reason", "say what was corrected"),
        (["init", "gold.csv", "--board", "task", "--title", "T", "--metric", "accuracy"], "is a board already", "board.toml"),
        (["init", "gold.csv", "--board", "new", "--title", "T", "--metric", "accuracy", "--private-share", "2"], "--private-share must be above 0", ""),
        (["init", "mine.csv", "--board", "new", "--title", "T", "--metric", "accuracy"], "no column is called gold", "--gold-column"),
    ],
)  # fmt: skip
def test_bad_input_is_two_lines_and_changes_nothing(
    run: Run, board: Board, tmp_path: Path, arguments: list[str], first: str, second: str
) -> None:
    write_table(tmp_path / "items.csv", {"id": ["p0", *ids()[1:]], "prediction": gold_labels()})
    write_table(tmp_path / "label.csv", {"id": ids(), "prediction": ["w", *gold_labels()[1:]]})
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    before = state(tmp_path)
    check_refused(run("board", *arguments), first, second)
    assert state(tmp_path) == before


def test_a_phase_ends_and_goes_on_by_a_command(run: Run, board: Board, tmp_path: Path) -> None:
    edit(board, 'part = "all"', 'part = "all"\nshow = "after"\nend = 2999-01-01')
    run("board", "submit", "mine.csv", *OURS)
    check_refused(
        run("board", "end", "--board", "task"), "phase 'all' ends on 2999-01-01T00:00:00Z", "or pass --early"
    )
    done = run("board", "end", "all", "--board", "task", "--early", "--reason", "all are in")
    assert (done.returncode, done.stdout) == (0, "")
    number = re.findall(r"line (\d+) of the record", done.stderr)
    assert re.findall(r"line (\d+) of the record", run("board", "end", "--board", "task").stderr) == number
    assert run("board", "publish", "site", "--board", "task").returncode == 0
    assert any((tmp_path / "site" / "data").glob("all-task-*"))
    done = run("board", "submit", "other.csv", *OURS)
    check_refused(done, "no phase of the board is open", "its phases: all")
    assert run("board", "end", "all", "--board", "task", "--revoke").returncode == 0
    assert run("board", "submit", "other.csv", *OURS).returncode == 0
    check_refused(run("board", "end", "all", "--board", "task", "--revoke"), "nothing to revoke", "ends it")


def test_the_hint_for_one_of_several_phases_can_be_typed(run: Run, tmp_path: Path) -> None:
    write_table(tmp_path / "gold.csv", {"id": [f"q{place}" for place in range(20)], "gold": ["x", "y"] * 10})
    asked = "--board task --title T --metric accuracy --private-share 0.5 --seed 3"
    done = run("board", "init", "gold.csv", *asked.split())
    assert done.returncode == 0, done.stderr
    refused = run("board", "end", "--board", "task")
    assert "the board has 2 phases: public, private" in refused.stderr
    typed = refused.stderr.strip().rpartition("name one: ")[2]
    assert typed == "public"
    assert run("board", "end", typed, "--early", "--board", "task").returncode == 0
