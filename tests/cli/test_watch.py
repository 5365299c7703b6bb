"""`bestby watch` prints a line at every look at a growing log, and ends with the decision as its status."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import json
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.cli.helpers import COMMAND, Run, check_refused, environment

import bestby as bb

Row = dict[str, Any]


def rows(n: int, old: float = 0.6, new: float = 0.6, seed: int = 1) -> list[Row]:
    """Return lines of a log, in random order."""
    chance = random.Random(seed)
    places = chance.sample(range(n), n)
    return [
        {"item": f"q{i}", "old": int(chance.random() < old), "new": int(chance.random() < new)}
        for i in places
    ]


def alike(n: int, seed: int = 2) -> list[Row]:
    chance = random.Random(seed)
    return [{**row, "new": row["old"] ^ (chance.random() < 0.02)} for row in rows(n, seed=seed)]


def write(path: Path, lines: Sequence[Row]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def append(path: Path, lines: Sequence[Row]) -> None:
    with path.open("a", encoding="utf-8") as stream:
        for line in lines:
            stream.write(json.dumps(line) + "\n")


def looks_of(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in done.stdout.splitlines() if re.match(r"\d+ items?: ", line)]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


@pytest.mark.parametrize(
    ("lines", "arguments", "decision", "status"),
    [
        (rows(400, 0.4, 0.8), [], "better", 0),
        (rows(400, 0.8, 0.4), [], "worse", 1),
        (alike(900), ["--margin", "0.1"], "equivalent", 0),
        (rows(200), [], "open", 3),
        (rows(200), ["--items", "200", "--population", "wider"], "futile", 3),
        (rows(400, 0.4, 0.8), ["--candidate", "old"], "worse", 1),
        (rows(400, 0.4, 0.8), ["--baseline", "new"], "worse", 1),
        (rows(400, 0.4, 0.8), ["--lower-is-better"], "worse", 1),
        (
            [
                {"item": row["item"], "system": name, "loss": row[name]}
                for row in rows(400, 0.4, 0.8)
                for name in ("old", "new")
            ],
            ["--value-column", "loss"],
            "worse",
            1,
        ),
    ],
)
def test_the_decision_is_the_status(
    run: Run, log: Path, lines: list[Row], arguments: list[str], decision: str, status: int
) -> None:
    write(log, lines)
    done = run("watch", "log.jsonl", *arguments)
    assert (done.returncode, done.stderr) == (status, "")
    looks = [
        line for line in done.stdout.splitlines() if line.endswith(("open", decision)) and "items:" in line
    ]
    assert looks[-1].endswith(f"; {decision}")
    assert all(line.endswith("; open") for line in looks[:-1])
    assert looks[0].startswith("50 items: ")


def test_the_lines_are_those_of_the_monitor(run: Run, log: Path) -> None:
    lines = write(log, rows(220, 0.6, 0.7)).read_text().splitlines()
    monitor = bb.Monitor(["new", "old"], bounds=(0, 1), n_items=1000, margin=0.02)
    expected = []
    for place, line in enumerate(lines, 1):
        row = json.loads(line)
        monitor.add(row["item"], {"new": row["new"], "old": row["old"]})
        if place % 100 == 0 or place == 220:
            assert monitor.decision is None
            interval, estimate = monitor.interval, monitor.pairs[0].estimate
            assert interval is not None
            expected.append(
                f"{place} items: new - old {estimate:+.4f} [{interval.low:+.4f}, {interval.high:+.4f}]; open"
            )
    done = run(
        "watch", "log.jsonl", "--margin", "0.02", "--items", "1000", "--every", "100", "--json", "r.json"
    )
    assert looks_of(done) == expected
    saved = bb.load((log.parent / "r.json").read_text())
    assert saved.pairs == monitor.result().pairs


def test_nothing_is_loaded_that_a_watch_does_not_need(log: Path) -> None:
    write(log, rows(400, 0.6, 0.65))
    heavy = ("scipy", "pandas", "polars", "duckdb", "matplotlib", "sacrebleu", "yaml")
    code = (
        "import sys, bestby.cli\n"
        "status = bestby.cli.main(sys.argv[1:])\n"
        f"sys.exit(repr((status, [name for name in {heavy} if name in sys.modules])))"
    )
    arguments = ["watch", str(log), "--items", "2000", "--margin", "0.01"]
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment(), check=False)
    assert looks_of(done)[-1].startswith("400 items: new - old ")
    assert done.stderr.strip() == "(3, [])"


def test_with_a_result_on_stdout_the_looks_go_to_stderr(run: Run, log: Path) -> None:
    write(log, rows(60))
    done = run("watch", "log.jsonl", "--json", "-")
    assert json.loads(done.stdout)["decision"] is None
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == ["50 items", "60 items"]


def test_more_items_than_the_benchmark_has_are_refused(run: Run, log: Path) -> None:
    write(log, rows(150, 0.6, 0.6))
    check_refused(
        run("watch", "log.jsonl", "--items", "60", "--every", "60"),
        "besides the 60 items of the benchmark",
        "--population wider",
    )
    assert run("watch", "log.jsonl", "--items", "60", "--population", "wider").returncode != 2
    assert run("watch", "log.jsonl", "--items", "150").returncode != 2


def test_planned_looks(run: Run, log: Path) -> None:
    write(log, rows(250, 0.6, 0.7))
    done = run("watch", "log.jsonl", "--looks", "3", "--items", "300", "--population", "wider")
    assert done.returncode == 3
    assert [line.split(":")[0] for line in looks_of(done)] == ["100 items", "200 items"]
    assert "50 items are not counted yet: the next look is at 300 items" in done.stdout.replace("\n", " ")


def test_clusters_and_lines_for_each_system(run: Run, log: Path) -> None:
    chance = random.Random(3)
    lines: list[Row] = []
    for page in chance.sample(range(40), 40):
        for item in range(3):
            lines += [
                {
                    "id": f"{page}-{item}",
                    "model": name,
                    "value": float(chance.random() < p),
                    "cluster": f"p{page * 7 % 41}",
                }
                for name, p in (("a", 0.2), ("b", 0.9))
            ]
    write(log, lines)
    done = run("watch", "log.jsonl", "--largest-cluster", "3", "--every", "30")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].startswith("27 items: b - a ")


def test_several_systems(run: Run, log: Path) -> None:
    write(log, [{**row, "third": 0} for row in rows(300, 0.6, 0.9)])
    check_refused(run("watch", "log.jsonl"), "the log has 3 systems: old, new, third", "--candidate NAME")
    done = run("watch", "log.jsonl", "--candidate", "new")
    assert done.returncode == 0
    assert "of 3 systems can be first; better" in done.stdout
    pair = run("watch", "log.jsonl", "--candidate", "new", "--baseline", "third")
    assert "new - third" in pair.stdout
    assert "old" not in looks_of(pair)[0]


# -- a log that grows while it is watched ------------------------------------------------------------


class Watching:
    """A watch that is running."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "watch", *arguments], cwd=folder, env=environment(PYTHONUNBUFFERED="1"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.lines: list[str] = []
        self._thread = threading.Thread(target=self._collect, daemon=True)
        self._thread.start()

    def _collect(self) -> None:
        assert self.process.stdout is not None
        self.lines.extend(iter(self.process.stdout.readline, ""))

    def wait_for(self, start: str) -> None:
        deadline = time.monotonic() + 60
        while not any(line.startswith(start) for line in self.lines):
            assert time.monotonic() < deadline, (start, self.lines)
            assert self.process.poll() is None, (start, self.lines)
            time.sleep(0.02)

    def end(self) -> tuple[int, str]:
        status = self.process.wait(timeout=60)
        self._thread.join(timeout=60)
        assert self.process.stderr is not None
        assert self.process.stdout is not None
        with self.process.stdout, self.process.stderr:
            return status, self.process.stderr.read()


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Any]:
    started: list[Watching] = []

    def start(*arguments: str) -> Watching:
        started.append(Watching(tmp_path, *arguments))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
            one.end()


@pytest.mark.long
def test_a_growing_log_is_read_as_a_whole_one(watching: Any, run: Run, log: Path) -> None:
    lines = rows(400, 0.5, 0.75)
    watch = watching("log.jsonl", "--follow", "--margin", "0.05")
    text = "".join(json.dumps(line) + "\n" for line in lines)
    with log.open("a") as stream:
        for start in range(0, len(text), 997):  # pieces end within lines
            stream.write(text[start : start + 997])
            stream.flush()
            time.sleep(0.01)
    status, said = watch.end()
    whole = run("watch", "log.jsonl", "--margin", "0.05")
    assert (status, said) == (0, "")
    assert "".join(watch.lines) == whole.stdout


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_watch_that_was_stopped_goes_on_from_its_state(
    watching: Any, run: Run, log: Path, how: int
) -> None:
    lines = rows(700, 0.5, 0.6)
    arguments = ("log.jsonl", "--margin", "0.05", "--state", "state.jsonl")
    watch = watching(*arguments, "--follow")
    append(log, lines[:130])
    watch.wait_for("100 items")
    watch.process.send_signal(how)
    status, said = watch.end()
    assert (status, said) == ((130, "") if how == signal.SIGINT else (-how, ""))
    append(log, lines[130:])
    done = run("watch", *arguments)
    shutil.move(log.parent / "state.jsonl", log.parent / "old.jsonl")
    whole = run("watch", *arguments)
    assert done.returncode == whole.returncode
    looks = looks_of(whole)
    assert looks_of(done) == looks[2:]
    again = run("watch", *arguments)
    assert looks_of(again) == looks[-1:]


@pytest.mark.long
def test_patience_ends_a_log_that_grows_no_more(watching: Any, log: Path) -> None:
    write(log, rows(70))
    status, said = watching("log.jsonl", "--follow", "--patience", "0.5").end()
    assert (status, said) == (3, "")


# -- wrong use, and logs that cannot be used ---------------------------------------------------------


def test_an_order_that_follows_the_ids_is_warned_about(run: Run, log: Path) -> None:
    write(log, sorted(rows(60), key=lambda row: int(row["item"][1:])))
    done = run("watch", "log.jsonl")
    assert done.returncode == 3
    assert done.stderr.startswith("warning: the 50 items came in the order of their ids")
    assert "bestby judged choose --shuffle" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_order_is_looked_at_again_as_the_log_grows(run: Run, log: Path) -> None:
    lines = [{"item": f"{s}/{i}", "old": 0, "new": i % 2} for s in ("law", "art") for i in range(1000)]
    first, second = lines[:1000], lines[1000:]
    for part in (first, second):
        random.Random(1).shuffle(part)
    write(log, [*first[:15], *second, *first[15:]])
    done = run("watch", "log.jsonl", "--every", "5", "--margin", "0.45")
    assert done.stderr.count("whose ids begin alike came together") == 1, done.stderr


def test_a_system_that_stops_appearing(run: Run, log: Path) -> None:
    lines = [
        {"item": row["item"], "system": name, "score": row[name]}
        for row in rows(40)
        for name in ("old", "new")
    ]
    gap = next(place for place, line in enumerate(lines) if place > 20 and line["system"] == "new")
    item = lines[gap]["item"]
    write(log, lines[:gap] + lines[gap + 1 :])
    done = run("watch", "log.jsonl", "--state", "state.jsonl")
    check_refused(
        done, f"system 'new' has no score on item '{item}', for which", "log the score that no answer"
    )
    assert bb.Monitor.resume(log.parent / "state.jsonl").n_items == gap // 2
    append(log, [lines[gap]])
    assert run("watch", "log.jsonl", "--state", "state.jsonl").stdout.startswith("40 items: ")


def test_the_last_item_may_lack_a_score(run: Run, log: Path) -> None:
    write(log, [*rows(30), {"item": "x", "old": 1}])
    done = run("watch", "log.jsonl")
    assert (done.returncode, looks_of(done)[-1].split(":")[0]) == (3, "30 items")
    assert done.stderr == "warning: 1 item of the log lacks a score and was not counted: 'x'\n"


@pytest.mark.parametrize(
    ("lines", "arguments", "first", "second"),
    [
        ([], [], "the log is empty", "--follow"),
        (rows(3), ["--bounds", "0", "inf"], "--bounds must be two rising numbers", "--unbounded"),
        (rows(3), ["--bounds", "0", "1", "--unbounded"], "contradict each other", "give one"),
        (rows(3), ["--largest", "5"], "--largest is for scores without bounds", "--unbounded too"),
        (rows(3), ["--unbounded", "--largest", "0.5"], "two systems differ by 1", "--largest 1"),
        (rows(3), ["--every", "0"], "--every must be", ""),
        (rows(3), ["--patience", "3"], "--patience needs --follow", "--follow"),
        (rows(3), ["--candidate", "next"], "--candidate 'next' is not in the log", "old, new"),
        (rows(3), ["--candidate", "new", "--baseline", "new"], "both baseline and candidate", "two"),
        (rows(3), ["--looks", "x"], "--looks must be", "--looks 3"),
        (rows(3) + rows(3, seed=9), [], "the score of", "the first is kept"),
        ([*rows(1), {"item": "x", "old": 1}, *rows(3)], [], "system 'new' has no score on item 'x'", "log"),
        ([*rows(1), {"item": "x", "old": 1, "new": 0, "c": 1}], [], "the log has 3 systems: old, new, c", "--candidate"),
        ([{"item": "x", "old": 1}], [], "scores of one system: old", "a=a.jsonl"),
    ],
)  # fmt: skip
def test_refusals_have_two_lines(
    run: Run, log: Path, lines: list[Row], arguments: list[str], first: str, second: str
) -> None:
    write(log, lines)
    check_refused(run("watch", "log.jsonl", *arguments), first, second)


def test_a_state_of_something_else_is_refused(run: Run, log: Path) -> None:
    write(log, rows(30))
    assert run("watch", "log.jsonl", "--state", "s").returncode == 3
    state = (log.parent / "s").read_bytes()
    check_refused(
        run("watch", "log.jsonl", "--state", "s", "--margin", "0.1"),
        "was made with margin None, and the command says 0.1",
        "--state",
    )
    write(log, rows(20, seed=4)[:15])
    check_refused(run("watch", "log.jsonl", "--state", "s"), "does not hold item", "another --state")
    assert (log.parent / "s").read_bytes() == state
    check_refused(run("watch", "log.jsonl", "--state", "log.jsonl"), "log.jsonl", "")
    assert len(log.read_text().splitlines()) == 15
