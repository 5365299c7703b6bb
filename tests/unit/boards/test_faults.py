"""What happens to a board when a process is killed, the disk is full, or many submit at once.

The children are real processes. They are killed before every step that they take on the disk, and, in a loop,
after random times.
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import time
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest
from tests.unit.boards.examples import (
    board_in,
    edit,
    folder_of,
    gold_labels,
    ids,
    predictions_file,
    state,
    write_table,
)
from tests.unit.children import LIMITING, STEPPING, at_once, child, finished, posix

from bestby.boards.board import Board
from bestby.boards.publishing import files_in, listed_files
from bestby.boards.record import Published

pytestmark = pytest.mark.long

PRELUDE = """
from bestby.boards.board import Board
import bestby.boards.publishing, bestby.readers.database
"""

# For k = 0, 1, 2, ...: a copy of the board, where a fork works that is killed just before its k-th step on
# the disk.
STEPS = """
import shutil
root, command, stride = sys.argv[1], sys.argv[2], int(sys.argv[3])
limit, word = 0, "killed"
while word == "killed":
    copy = f"{root}-{limit}"
    shutil.copytree(root, copy)
    def change():
        board = Board(f"{copy}/board", f"{copy}/secret")
        if command == "submit":
            board.submit(f"{copy}/new.csv", team="ours", system="new")
        elif command == "correct":
            board.correct(f"{copy}/corrected.csv", reason="a typo")
        else:
            board.publish(f"{copy}/site")
    word = killed_at_step(limit, change)
    say(word)
    limit += stride
"""

# Submissions of one team, each told when it was acknowledged.
SUBMITTING = """
board, start = Board(f"{sys.argv[1]}/board", f"{sys.argv[1]}/secret"), int(sys.argv[2])
for number in range(start, start + 400):
    board.submit(f"{sys.argv[1]}/p{number % 5}.csv", team="ours", system=f"s{number}")
    say(f"s{number}")
"""

PUBLISHING = """
board = Board(f"{sys.argv[1]}/board", f"{sys.argv[1]}/secret")
for number in range(400):
    board.submit(f"{sys.argv[1]}/p{number % 5}.csv", team="ours", system=f"s{sys.argv[2]}", run=f"{number}")
    board.publish(f"{sys.argv[1]}/site")
    say(number)
"""

# Every child says "ready", waits for a line, then submits what it is told to.
RACING = """
board = Board(f"{sys.argv[1]}/board", f"{sys.argv[1]}/secret")
say("ready")
sys.stdin.readline()
for file in sys.argv[2].split(","):
    try:
        receipt = board.submit(f"{sys.argv[1]}/{file}", team=sys.argv[3], system=sys.argv[4])
        say(f"{'added' if receipt.is_new else 'known'} {receipt.number}")
    except BestbyError as error:
        say(f"refused {error.message}")
"""

# For each room: a copy of the board, where a fork works that has so much room for a file.
LIMITED = """
command, rooms = sys.argv[2], sys.argv[3:]
for room in rooms:
    folder = f"{sys.argv[1]}-{room}"
    board = Board(f"{folder}/board", f"{folder}/secret")
    def change():
        if command == "submit":
            board.submit(f"{folder}/new.csv", team="ours", system="new")
        else:
            board.publish(f"{folder}/site")
    process = os.fork()
    if process == 0:
        with_room(int(room), change)
        os._exit(0)
    os.waitpid(process, 0)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder with a board that has a submission and a site, and files that can be submitted."""
    root = tmp_path / "root"
    root.mkdir()
    board = board_in(root)
    for every in range(5):
        predictions_file(root, f"p{every}.csv", every + 2)
    board.submit(predictions_file(root, "old.csv", 7), team="theirs", system="old")
    board.publish(root / "site")
    predictions_file(root, "new.csv", 3)
    labels = ["z", *gold_labels()[1:]]
    write_table(root / "corrected.csv", {"id": ids(), "gold": labels})
    return root


def board_of(root: Path) -> Board:
    """Return the board in a folder."""
    return Board(root / "board", root / "secret")


def check_whole(root: Path) -> list[str]:
    """Check the chain, the files and the site; return the systems that were submitted."""
    board = board_of(root)
    folder = folder_of(board)
    lines = folder.lines()
    receipts = board.submissions()
    for receipt in receipts:
        event = lines[receipt.number].event
        for file in event.files.values():  # type: ignore[union-attr]
            folder.submission(file)
    check_site(root)
    return [f"{one.system} {one.run}".strip() for one in receipts]


def check_site(root: Path) -> None:
    """Check that the site is one whole site, that the record knows of."""
    site = root / "site"
    data = (site / "manifest.json").read_bytes()
    listed = listed_files(data)
    assert listed is not None
    assert {*files_in(site)} == {*listed, "manifest.json"}
    published = [
        one.event.manifest for one in folder_of(board_of(root)).lines() if isinstance(one.event, Published)
    ]
    assert sha256(data).hexdigest() in published
    for path, known in listed.items():
        assert sha256((site / path).read_bytes()).hexdigest() == known


def check_published(root: Path, systems: list[str]) -> None:
    """Publish, and check that every submission of a system is on the site, once."""
    made = board_of(root).publish(root / "site")
    check_site(root)
    assert board_of(root).publish(root / "site").n_changed == 0
    listed = json.loads((root / "site" / "data" / "submissions.json").read_text(encoding="utf-8"))
    assert Counter(row["system"] for row in listed["rows"]) == Counter(systems)
    assert made.n_files > len(set(systems))
    manifests = [
        one.event.manifest for one in folder_of(board_of(root)).lines() if isinstance(one.event, Published)
    ]
    assert len(manifests) == len(set(manifests))


@posix
@pytest.mark.parametrize(
    ("command", "stride"),
    [
        *(("submit", 3), ("correct", 4), ("publish", 15)),
        *(
            pytest.param(*case, marks=pytest.mark.check)
            for case in (("submit", 1), ("correct", 2), ("publish", 9))
        ),
    ],
)
def test_killed_at_many_steps(root: Path, command: str, stride: int) -> None:
    """The change is there or it is not, what was there is there; again, it is made, and once."""
    told = finished(child(PRELUDE + STEPPING + STEPS, root, command, stride))
    assert (len(told) - 1) * stride >= {"submit": 8, "correct": 16, "publish": 54}[command]
    assert told == ["killed"] * (len(told) - 1) + ["done"]
    seen = set()
    for place, word in enumerate(told):
        copy = root.with_name(f"{root.name}-{place * stride}")
        systems = check_whole(copy)
        board = board_of(copy)
        if command == "submit":
            assert systems in (["old"], ["old", "new"])
            seen.add(len(systems))
            assert word == "killed" or systems == ["old", "new"]
            receipt = board.submit(copy / "new.csv", team="ours", system="new")
            assert receipt.is_new == (systems == ["old"])
            systems = ["old", "new"]
        elif command == "correct" and len([*folder_of(board).lines()]) == len(
            [*folder_of(board_of(root)).lines()]
        ):
            assert word == "killed"
            assert board.correct(copy / "corrected.csv", reason="a typo") == 2
        if place % 4 == 0 or word == "done":
            check_published(copy, systems)
        shutil.rmtree(copy)
    assert seen in (set(), {1, 2})


@posix
@pytest.mark.parametrize(
    "kills", [pytest.param(3, marks=pytest.mark.check), pytest.param(100, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("code", [SUBMITTING, PUBLISHING], ids=["submit", "publish"])
def test_killed_at_random_times(root: Path, code: str, kills: int) -> None:
    """Every submission that was acknowledged is there, and none twice."""
    chance, said, interrupted = random.Random(kills), set(), 0
    for kill in range(kills):
        start = 1000 * kill
        process = child(PRELUDE + code, root, start)
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.15))
        process.kill()
        lines = [first, *process.stdout.read().splitlines()]
        _, errors = process.communicate()
        assert "Error" not in errors
        interrupted += process.returncode == -signal.SIGKILL
        told = {line.strip() for line in lines if line.strip()}
        said |= told if code == SUBMITTING else {f"s{start} {number}" for number in told}
        there = check_whole(root)
        assert len(there) == len(set(there))
        assert said <= set(there)
        assert len(there) - 1 - len(said) <= interrupted
    assert interrupted >= kills / 2
    check_published(root, [one.split()[0] for one in check_whole(root)])


def test_submissions_at_once_are_all_there(root: Path) -> None:
    """Half of the writers submit for the same team: what is there already is not added again."""
    writers = 4
    jobs = [("p0.csv,p1.csv", f"team {place}" if place % 2 else "same", "s") for place in range(writers)]
    processes = [child(PRELUDE + RACING, root, *job) for job in jobs]
    told = at_once(processes)
    assert all(line.startswith(("added", "known")) for lines in told for line in lines)
    numbers = {line.split()[1] for lines in told for line in lines}
    receipts = board_of(root).submissions()
    assert numbers == {str(one.number) for one in receipts[1:]}
    by_team = Counter(one.team for one in receipts)
    assert all(by_team[f"team {place}"] == 2 for place in range(1, writers, 2))
    check_whole(root)


def test_limits_hold_for_submissions_at_once(root: Path) -> None:
    edit(board_of(root), 'name = "all"', 'name = "all"\nper_team = 3')
    processes = [child(PRELUDE + RACING, root, "p0.csv,p1.csv", "ours", f"s{place}") for place in range(3)]
    told = [line for lines in at_once(processes) for line in lines]
    assert Counter(line.split()[0] for line in told) == {"added": 3, "refused": 3}
    assert all("which is its limit" in line for line in told if line.startswith("refused"))
    assert len(check_whole(root)) == 4


@posix
@pytest.mark.parametrize(("command", "rooms"), [("submit", (0, 300, 1500)), ("publish", (0, 3000))])
def test_a_full_disk(root: Path, command: str, rooms: tuple[int, ...]) -> None:
    """What cannot be written is not there, the error says what to do, and nothing was changed."""
    if command == "publish":
        board_of(root).submit(root / "new.csv", team="ours", system="new")
    before = {path: data for path, data in state(root).items() if "/cache/" not in path}
    copies = [shutil.copytree(root, f"{root}-{room}") for room in rooms]
    told = finished(child(PRELUDE + LIMITING + LIMITED, root, command, *rooms))
    assert len(told) == 3 * len(rooms)
    for place, copy in enumerate(map(Path, copies)):
        kind, message, hint = told[3 * place : 3 * place + 3]
        assert kind == "BoardError"
        assert "File too large" in message
        assert "the board is as it was; check the space left" in hint
        after = {path: data for path, data in state(copy).items() if "/cache/" not in path}
        assert after == before
        check_whole(copy)
        board_of(copy).submit(copy / "new.csv", team="ours", system="new")
        check_published(copy, ["old", "new"])
