"""What happens to a study when a process is killed, or many write at once."""

from __future__ import annotations

import random
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.children import STEPPING, at_once, child, finished, posix
from tests.unit.questions.study.faulty import GOLD, PRELUDE, N, check_whole

from bestby._core.errors import InvalidInputError
from bestby.questions.study import source
from bestby.questions.study.store import Store

pytestmark = pytest.mark.long
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
    aligned, other = source.aligned, Store(tmp_path / "study")

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(source, "aligned", aligned)
        other.add("h1", run="first", predictions=GOLD, gold=GOLD[::-1], ids=np.arange(N)[::-1])
        return aligned(*args, **kwargs)

    monkeypatch.setattr(source, "aligned", interrupted)
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
    from bestby.questions.study import store as study_store

    begin, path = study_store.begin_folder, tmp_path / "study"

    def late(study: Path) -> None:
        monkeypatch.setattr(study_store, "begin_folder", begin)
        Store(path).add("h0", run=0, predictions=GOLD, gold=(GOLD + 1) % 3)
        begin(study)

    monkeypatch.setattr(study_store, "begin_folder", late)
    with pytest.raises(InvalidInputError, match="the gold of item 0 is 1 in the study, 0 in the new gold"):
        Store(path).add("h1", run=0, predictions=GOLD, gold=GOLD)
    assert Store(path).conditions() == ("h0",)
