"""What happens to a study when a process is killed, the disk is full, or many write at once.

The children are real processes. They are killed before every step that an add takes on the disk, and, in a
loop, after random times.
"""

from __future__ import annotations

import errno
import os
import random
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.children import LIMITING, STEPPING, at_once, child, finished, posix

from bestby._core.errors import InvalidInputError, StudyError
from bestby.comparisons.study import aligning
from bestby.comparisons.study.store import Store

pytestmark = pytest.mark.long

N = 3000
GOLD = np.arange(N) % 3

PRELUDE = f"""
import numpy as np
from bestby.comparisons.study.store import Store
store, gold = Store(sys.argv[1]), np.arange({N}) % 3
"""

# Runs 0, 1, 2, … of one condition, each told when it was added.
ADDING = """
start, stop = int(sys.argv[2]), int(sys.argv[3])
for run in range(start, stop):
    store.add("h1", run=run, predictions=(gold + run) % 3, gold=gold)
    say(run)
"""

# For k = 0, 1, 2, …: a study of its own, to which a fork adds, killed just before its k-th step on the disk.
STEPS = """
for limit in range(100):
    store = Store(f"{sys.argv[1]}-{limit}")
    if sys.argv[2] != "new study":
        store.add("h1", run="old", predictions=gold, gold=gold)
    if sys.argv[2] == "replace":
        store.add("h1", run="new", predictions=(gold + 1) % 3)
    def change():
        store.add("h1", run="new", predictions=gold, gold=gold, replace=sys.argv[2] == "replace")
    word = killed_at_step(limit, change)
    say(word)
    if word != "killed":
        break
"""

# Every child says "ready", waits for a line, then adds the runs it is told to.
RACING = """
say("ready")
sys.stdin.readline()
for run in sys.argv[2].split(","):
    try:
        store.add("h1", run=run, predictions=(gold + int(sys.argv[3])) % 3, gold=gold[::int(sys.argv[4])],
                  ids=np.arange(gold.size)[::int(sys.argv[4])])
        say(f"added {run}")
    except BestbyError as error:
        say(f"refused {run}: {error.message}")
"""

LIMITED = """
def change():
    store.add("h1", run="new", predictions=gold, gold=gold, replace=sys.argv[3] == "replace")
with_room(int(sys.argv[2]), change)
"""


def check_whole(store: Store) -> list[str]:
    """Load everything in the study; return the runs of h1."""
    if not store.conditions():
        return []
    gold = store.gold()
    assert gold.values.tolist() == GOLD.tolist()
    for condition in store.conditions():
        for run in store.runs(condition):
            assert store.load(condition, run, gold=gold).predictions.size == N
    return list(store.runs("h1"))


@posix
@pytest.mark.parametrize(
    ("kills", "seed"),
    [pytest.param(6, 1, marks=pytest.mark.check), pytest.param(150, 2, marks=pytest.mark.slow)],
)
def test_killed_at_random_times(tmp_path: Path, kills: int, seed: int) -> None:
    """What processes said was added before they were killed is there, and everything is whole."""
    path = tmp_path / "study"
    store, chance = Store(path), random.Random(seed)
    reported: set[str] = set()
    interrupted = 0
    for _ in range(kills):
        start = max((int(run) for run in check_whole(store)), default=-1) + 1
        process = child(PRELUDE + ADDING, path, start, start + 400)
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()  # it is past its imports
        time.sleep(chance.uniform(0.0, 0.1))
        process.kill()
        lines = [first, *process.stdout.read().splitlines()]
        errors = process.stderr.read()
        process.communicate()
        assert "Error" not in errors
        reported |= {line.strip() for line in lines if line.strip()}
        runs = check_whole(store)
        assert reported <= set(runs)
        # one may be there whose adder died before it said so
        assert len(set(runs) - reported) <= interrupted + 1
        interrupted += process.returncode == -signal.SIGKILL
        for run in runs:
            assert store.load("h1", run).predictions.tolist() == ((GOLD + int(run)) % 3).tolist()
            store.remove("h1", run)
            reported.discard(run)
    assert interrupted >= kills / 2  # otherwise nothing was tested
    store.add("h1", run="after", predictions=GOLD, gold=GOLD)
    assert "after" in check_whole(store)


@posix
@pytest.mark.parametrize("begun", ["new study", "add", "replace"])
def test_killed_at_every_step(tmp_path: Path, begun: str) -> None:
    """The study has the new run or it has not; the old one is there in any case, and adding again works."""
    first, second = GOLD.tolist(), ((GOLD + 1) % 3).tolist()
    told = finished(child(PRELUDE + STEPPING + STEPS, tmp_path / "study", begun))
    assert len(told) > 10
    assert told == ["killed"] * (len(told) - 1) + ["done"]
    for limit, word in enumerate(told):
        store = Store(tmp_path / f"study-{limit}")
        there = check_whole(store)
        assert ("old" in there) == (begun != "new study")
        assert "new" in there or (word == "killed" and begun != "replace")
        if "new" in there:
            values = store.load("h1", "new").predictions.tolist()
            assert values == first or (begun == "replace" and word == "killed" and values == second)
        store.add("h1", run="new", predictions=first, gold=first, replace=True)
        assert store.load("h1", "new").predictions.tolist() == first


@pytest.mark.parametrize("writers", [4, pytest.param(8, marks=pytest.mark.check)])
def test_many_writers_lose_nothing(tmp_path: Path, writers: int) -> None:
    """They begin a new study together, so they race for its gold as well, half of them in another order."""
    each = 24 // writers
    mine = [[str(writer * each + i) for i in range(each)] for writer in range(writers)]
    processes = [
        child(PRELUDE + RACING, tmp_path / "study", ",".join(runs), 1, -1 if writer % 2 else 1)
        for writer, runs in enumerate(mine)
    ]
    for lines, runs in zip(at_once(processes), mine, strict=True):
        assert lines == [f"added {run}" for run in runs]
    store = Store(tmp_path / "study")
    gold = store.gold()
    assert store.runs("h1") == tuple(str(i) for i in range(24))
    where = np.argsort(gold.ids)  # whichever order the winner had
    for writer, runs in enumerate(mine):
        expected = (GOLD + 1) % 3 if writer % 2 == 0 else ((GOLD + 1) % 3)[::-1]
        for run in runs:
            assert store.load("h1", run, gold=gold).predictions[where].tolist() == expected.tolist()
    assert list((store.path / "tmp").iterdir()) == []


def test_a_first_run_that_comes_meanwhile_brings_the_gold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process begins the study after this one saw none, with the same items in another order."""
    aligned, other = aligning.aligned, Store(tmp_path / "study")

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(aligning, "aligned", aligned)
        other.add("h1", run="first", predictions=GOLD, gold=GOLD[::-1], ids=np.arange(N)[::-1])
        return aligned(*args, **kwargs)

    monkeypatch.setattr(aligning, "aligned", interrupted)
    run = Store(tmp_path / "study").add("h1", run="second", predictions=GOLD, gold=GOLD, ids=np.arange(N))
    assert run.gold_hash == other.gold().hash
    assert run.predictions.tolist() == GOLD[::-1].tolist()
    assert set(other.runs("h1")) == {"first", "second"}


@pytest.mark.parametrize("links", [True, False])
def test_of_many_who_add_the_same_run_one_succeeds(tmp_path: Path, links: bool) -> None:
    store = Store(tmp_path / "study")
    store.add("h0", run=0, predictions=GOLD, gold=GOLD)
    without = "def gone(*_): raise PermissionError(1, 'no links')\nos.link = gone\n"
    processes = [
        child(PRELUDE + ("" if links else without) + RACING, store.path, "0,1,2,3", i, 1) for i in range(4)
    ]
    told = at_once(processes)
    for run in store.runs("h1"):
        winners = [i for i, lines in enumerate(told) if f"added {run}" in lines]
        assert len(winners) == 1
        assert store.load("h1", run).predictions.tolist() == ((GOLD + winners[0]) % 3).tolist()
    refused = [line for lines in told for line in lines if line.startswith("refused")]
    assert len(refused) == 12
    assert all("is already in the study" in line for line in refused)


@posix
@pytest.mark.parametrize("begun", ["add", "replace"])
@pytest.mark.parametrize("room", [0, 1000, 5000])
def test_a_full_disk(tmp_path: Path, room: int, begun: str) -> None:
    store = Store(tmp_path / "study")
    store.add("h1", run="old", predictions=GOLD, gold=GOLD)
    if begun == "replace":
        store.add("h1", run="new", predictions=GOLD[::-1])
    before = {path: path.read_bytes() for path in store.path.rglob("*") if path.is_file()}
    kind, message, hint = finished(child(PRELUDE + LIMITING + LIMITED, store.path, room, begun))
    assert kind == "StudyError"
    assert message.startswith("cannot add run 'new' of 'h1' to the study")
    assert "File too large" in message
    assert hint.startswith("hint: the study is as it was; check the space left")
    assert {path: path.read_bytes() for path in store.path.rglob("*") if path.is_file()} == before


@posix
def test_a_disk_that_is_full_from_the_start(tmp_path: Path) -> None:
    assert finished(child(PRELUDE + LIMITING + LIMITED, tmp_path / "study", 0, "add"))[0] == "StudyError"
    store = Store(tmp_path / "study")
    assert store.conditions() == ()
    store.add("h1", run=0, predictions=GOLD, gold=GOLD)
    assert check_whole(store) == ["0"]


@pytest.mark.parametrize("name", ["study.json", "gold.json", "runs/h1/0.json"])
@pytest.mark.parametrize("kept", [0.0, 0.25, 0.5, 0.75, 0.999])
def test_a_truncated_file_is_named_and_the_rest_is_well(tmp_path: Path, name: str, kept: float) -> None:
    store = Store(tmp_path / "study")
    for run in (0, 1):
        store.add("h1", run=run, predictions=GOLD, gold=GOLD)
    path = store.path / name
    data = path.read_bytes()
    path.write_bytes(data[: min(int(len(data) * kept), len(data) - 2)])
    with pytest.raises(StudyError, match=Path(name).name) as error:
        store.load("h1", 0)
    assert error.value.hint
    if name.startswith("runs"):
        assert store.runs("h1") == ("0", "1")
        assert store.load("h1", 1).predictions.tolist() == GOLD.tolist()
        store.remove("h1", 0)
        store.add("h1", run=0, predictions=GOLD)
    else:
        path.write_bytes(data)
    assert check_whole(store) == ["0", "1"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_study_that_may_only_be_read(tmp_path: Path) -> None:
    store = Store(tmp_path / "study")
    store.add("h1", run=0, predictions=GOLD, gold=GOLD)
    folders = [store.path, *(path for path in store.path.rglob("*") if path.is_dir())]
    for path in folders:
        path.chmod(0o555)
    try:
        assert check_whole(store) == ["0"]
        store.keep("ab12", {"score": 0.1})  # no error
        with pytest.raises(StudyError, match=r"cannot add run '1' of 'h1'.*Permission denied"):
            store.add("h1", run=1, predictions=GOLD)
    finally:
        for path in folders:
            path.chmod(0o755)


def test_an_error_of_the_disk_leaves_the_study_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "study")
    store.add("h1", run=0, predictions=GOLD, gold=GOLD)

    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error")

    for name in ("fsync", "link"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, broken)
            with pytest.raises(
                StudyError, match=r"cannot add run '1' of 'h1' .*: Input/output error"
            ) as error:
                store.add("h1", run=1, predictions=GOLD)
        assert isinstance(error.value.__cause__, OSError)
        assert store.runs("h1") == ("0",)
        assert list((store.path / "tmp").iterdir()) == []


def test_a_name_that_cannot_be_forced_to_the_disk_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "study")
    store.add("h1", run=0, predictions=GOLD, gold=GOLD)
    link, fsync = os.link, os.fsync
    linked = []

    def noted(*args: str) -> None:
        link(*args)
        linked.append(args)

    def broken(handle: int) -> None:
        if linked:
            raise OSError(5, "Input/output error")
        fsync(handle)

    monkeypatch.setattr(os, "link", noted)
    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(StudyError, match="Input/output error"):
        store.add("h1", run=1, predictions=GOLD)
    assert linked
    assert store.runs("h1") == ("0",)


def test_readers_see_whole_runs_while_one_is_replaced(tmp_path: Path) -> None:
    store = Store(tmp_path / "study")
    first, second = GOLD.tolist(), ((GOLD + 1) % 3).tolist()
    store.add("h1", run=0, predictions=first, gold=GOLD)
    done = threading.Event()
    failed: list[BaseException] = []

    def write() -> None:
        try:
            for i in range(40):
                store.add("h1", run=0, predictions=second if i % 2 == 0 else first, replace=True)
        except BaseException as error:
            failed.append(error)
        finally:
            done.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = set()
    while not done.is_set():
        values = store.load("h1", 0).predictions.tolist()
        assert values in (first, second)
        seen.add(values[0])
        assert store.runs("h1") == ("0",)
    writer.join()
    assert not failed
    assert seen == {0, 1}


def test_the_loser_of_the_race_for_the_gold_compares_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between looking for the gold and writing its own, another process writes another."""
    from bestby.comparisons.study import layout

    begin, path = layout.begin, tmp_path / "study"

    def late(study: Path) -> None:
        monkeypatch.setattr(layout, "begin", begin)
        Store(path).add("h0", run=0, predictions=GOLD, gold=(GOLD + 1) % 3)
        begin(study)

    monkeypatch.setattr(layout, "begin", late)
    with pytest.raises(InvalidInputError, match="the gold of item 0 is 1 in the study, 0 in the new gold"):
        Store(path).add("h1", run=0, predictions=GOLD, gold=GOLD)
    assert Store(path).conditions() == ("h0",)


def failing(call: int, number: int, calls: list[str], name: str) -> object:
    """Return a function of the system whose nth call (counted together with others) fails."""
    real = getattr(os, name)

    def step(*arguments: object, **options: object) -> object:
        calls.append(name)
        if len(calls) == call:
            raise OSError(number, os.strerror(number), str(arguments[0]))
        return real(*arguments, **options)

    return step


@posix
@pytest.mark.parametrize("change", ["add", "replace", "remove"])
def test_an_error_tells_what_became_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """Whichever call of the system fails: what the error says of the study is what the study is."""
    old, new, said = [0, 1, 2], [2, 2, 2], set()
    for call in range(1, 60):
        store = Store(tmp_path / str(call))
        store.add("h1", run="first", predictions=old, gold=old)
        if change != "add":
            store.add("h1", run="run", predictions=old)
        calls: list[str] = []
        error = None
        with monkeypatch.context() as patch:
            for name in ("open", "fsync", "link", "replace", "unlink"):
                number = (errno.EIO, errno.ENOSPC, errno.ESTALE)[call % 3]
                patch.setattr(os, name, failing(call, number, calls, name))
            try:
                if change == "remove":
                    store.remove("h1", "run")
                else:
                    store.add("h1", run="run", predictions=new, replace=change == "replace")
            except StudyError as caught:
                error = str(caught)
        there = "run" in store.runs("h1")
        values = store.load("h1", "run").predictions.tolist() if there else None
        before, after = (None if change == "add" else old), (None if change == "remove" else new)
        if error is None or "disk did not confirm it" in error:
            assert values == after, calls
        else:
            assert "the study is as it was" in error
            assert values == before, calls
        said.add("none" if error is None else "made" if "disk did not confirm it" in error else "as it was")
        if len(calls) < call:
            break
    assert said == {"none", "as it was"} | ({"made"} if change != "add" else set())
