"""Ctrl-C and a full disk: the command ends soon, quietly, and every file is whole or as it was."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.helpers import environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and limits")

PROMPT = 2.0
"""Seconds within which an interrupted command has ended; a loaded machine gets five times as long."""

RUN = """
import os, resource, sys, time
import bestby.cli, bestby.questions.items.compare, bestby.questions.study.study
import bestby.readers, bestby.report.writers.html
from bestby.resampling import totals
how, *arguments = sys.argv[1:]
said = lambda: os.write(2, b"ready\\n")
if how == "writing":  # the first file that is forced to the disk takes for ever
    def slow(handle, real=os.fsync):
        said()
        for _ in range(6000):  # an interrupt just before a sleep is seen after it
            time.sleep(0.01)
    os.fsync = slow
elif how == "drawing":  # ready when the first resamples are drawn
    def drawn(*given, real=totals.run_blocks, **named):
        said()
        return real(*given, **named)
    totals.run_blocks = drawn
elif how.startswith("room="):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(how[5:]), int(how[5:])))
else:
    said()
sys.exit(bestby.cli.main(arguments))
"""


def interrupted(folder: Path, how: str, *arguments: str, after: float = 0.0) -> tuple[int, bytes, float]:
    """Run a command, interrupt it once it is ready; return its status, what it said, and how long it took."""
    with subprocess.Popen(
        [sys.executable, "-c", RUN, how, *arguments],
        cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            assert process.stderr is not None
            assert process.stderr.readline() == b"ready\n"
            time.sleep(after)
            assert process.poll() is None
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            out, said = process.communicate(timeout=60)
            assert out == b""
            return process.returncode, said.strip(), time.monotonic() - begin
        finally:
            process.kill()


def limited(folder: Path, room: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command that can write files of so many bytes."""
    return subprocess.run(
        [sys.executable, "-c", RUN, f"room={room}", *arguments],
        cwd=folder, env=environment(), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def compare(table: Path, *more: str) -> list[str]:
    return ["compare", table.name, "--gold", "label", "--item", "item", "--cluster", "doc", *more]


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder, but for values that were computed and kept for the next run."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".cache")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture
def study(table: Path) -> Callable[..., list[str]]:
    """Return a function that makes the words of `bestby study` for a study of two conditions."""
    from bestby.cli import main

    gold, low, high = (table.parent / f"{name}.txt" for name in ("gold", "low", "high"))
    rows = [line.split(",") for line in table.read_text(encoding="utf-8").splitlines()[1:]]
    for path, column in ((gold, 1), (low, 3), (high, 5)):
        path.write_text("".join(row[column] + "\n" for row in rows), encoding="utf-8")
    folder = str(table.parent / "s")
    given = ["--predictions", str(low), "--gold", str(gold), "--baseline"]
    assert main(["study", "add", folder, "h0", "--run", "0", *given]) == 0
    assert main(["study", "add", folder, "h1", "--run", "0", "--predictions", str(high)]) == 0
    return lambda command, *more: ["study", command, "s", *more]


@pytest.mark.parametrize(("jobs", "metric"), [("2", "f1_macro"), ("1", "mean of pairs")])
def test_while_resampling(table: Path, jobs: str, metric: str) -> None:
    """A hundred million resamples would take minutes; what is drawn is drawn in blocks of milliseconds."""
    if metric == "mean of pairs":  # real scores: all items are drawn
        lines = [
            "item,u,v",
            *(f"q{i},{i * 7919 % 997 / 997},{i * 104729 % 1009 / 1009}" for i in range(3000)),
        ]
        (table.parent / "table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        given = ["compare", "table.csv", "--item", "item", "--test", "bootstrap", "--interval", "studentized"]
    else:
        given = compare(table, "--metric", metric, "--interval", "bca")
    before = contents(table.parent)
    given += ["--resamples", "100000000", "--jobs", jobs, "--json", "out.json", "--html", "out.html"]
    status, said, seconds = interrupted(table.parent, "drawing", *given, after=0.5)
    assert (status, said) == (130, b"")
    assert seconds < 5 * PROMPT
    assert contents(table.parent) == before


def first_of(*forms: str) -> list[Any]:
    """Return forms of outputs, all but the first of which are left to `make check`."""
    return [forms[0], *(pytest.param(form, marks=pytest.mark.check) for form in forms[1:])]


@pytest.mark.parametrize("form", first_of("html", "json", "csv", "latex", "markdown", "plot"))
@pytest.mark.parametrize("there", [pytest.param(False, marks=pytest.mark.check), True], ids=["new", "old"])
def test_while_writing(table: Path, form: str, there: bool) -> None:
    target = table.parent / ("out.png" if form == "plot" else "out")
    if there:
        target.write_bytes(b"old")
    before = contents(table.parent)
    status, said, seconds = interrupted(
        table.parent, "writing", *compare(table, "--resamples", "200", f"--{form}", target.name)
    )
    assert (status, said) == (130, b"")
    assert seconds < 5 * PROMPT
    assert contents(table.parent) == before


@pytest.mark.check
def test_at_any_moment(table: Path) -> None:
    """Wherever it falls, into the import of a library or a query: nothing half written, nothing said."""
    given = compare(
        table, "--resamples", "2000", "--json", "out.json", "--html", "out.html", "--plot", "out.png"
    )
    for moment in (0.02, 0.08, 0.14, 0.3, 0.42, 0.6, 0.9):
        (table.parent / "out.json").write_text("old")
        try:
            status, said, seconds = interrupted(table.parent, "computing", *given, after=moment)
        except AssertionError:  # it had ended before
            break
        # The last: Python's own, before the command began or when it had ended.
        assert status in (0, 130, -signal.SIGINT), said.decode()
        assert status != 130 or said == b""
        assert seconds < 5 * PROMPT
        assert not list(table.parent.glob(".*.part"))
        text = (table.parent / "out.json").read_text(encoding="utf-8")
        assert text == "old" or json.loads(text)["n_items"] == 120
        if (table.parent / "out.html").exists():
            assert (table.parent / "out.html").read_text(encoding="utf-8").rstrip().endswith("</html>")


SLOW_IMPORT = """
import os, sys, time, types
import bestby.cli
folder = sys.argv[1]
with open(os.path.join(folder, "slow.py"), "w") as module:
    module.write("import os, time\\nos.write(2, b'ready\\\\n')\\nend = time.monotonic() + 1\\n"
                 "while time.monotonic() < end: pass\\nos.write(2, b'imported\\\\n')\\n")
sys.path.insert(0, folder)
def slowly(values):
    import slow
    for _ in range(6000):
        time.sleep(0.01)
import bestby.cli.metrics
bestby.cli.metrics.metrics = slowly
sys.exit(bestby.cli.main(["metrics"]))
"""


def test_an_import_is_finished_first(tmp_path: Path) -> None:
    """Extension modules that are interrupted while they are initialised fail with errors of all kinds."""
    with subprocess.Popen(
        [sys.executable, "-c", SLOW_IMPORT, str(tmp_path)], env=environment(), stderr=subprocess.PIPE
    ) as process:
        try:
            assert process.stderr is not None
            assert process.stderr.readline() == b"ready\n"
            process.send_signal(signal.SIGINT)
            begin = time.monotonic()
            _, said = process.communicate(timeout=60)
            assert (process.returncode, said) == (130, b"imported\n")
            assert time.monotonic() - begin < 5 * PROMPT
        finally:
            process.kill()


AT_THE_START = """
import builtins, os, sys
from bestby.cli import main
load = builtins.__import__
def first(*given, **named):
    builtins.__import__ = load
    os.write(2, b"ready\\n")
    return load(*given, **named)
builtins.__import__ = first
sys.exit(main())
"""


@pytest.mark.check
def test_while_the_commands_are_loaded(table: Path) -> None:
    """The first third of a second, when Python imports: a traceback would show where it is."""
    chance = random.Random(3)
    drawn_for_hours = ("--resamples", "50000000", "--metric", "f1_macro", "--interval", "percentile")
    given = compare(table, *drawn_for_hours)  # what is not drawn takes half a second
    for moment in [0.0, 0.005, *(chance.uniform(0.0, 0.3) for _ in range(6))]:
        with subprocess.Popen(
            [sys.executable, "-c", AT_THE_START, *given],
            cwd=table.parent, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as process:  # fmt: skip
            try:
                assert process.stderr is not None
                assert process.stderr.readline() == b"ready\n"
                time.sleep(moment)
                process.send_signal(signal.SIGINT)
                _, said = process.communicate(timeout=60)
                assert (process.returncode, said) == (130, b""), moment
            finally:
                process.kill()


def test_nothing_is_imported_before_interrupts_are_looked_after() -> None:
    code = (
        "import sys; known = set(sys.modules); from bestby.cli import main; print(*set(sys.modules) - known)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env=environment(PYTHONPATH=os.pathsep.join(path for path in sys.path if path)),
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded <= {"__future__", "importlib", "warnings", "_warnings", "_imp", "bestby"}


def test_a_query_that_is_interrupted_is_no_error_of_the_file(table: Path) -> None:
    from duckdb import InterruptException

    from bestby.readers import database

    for error in (RuntimeError("Query interrupted"), InterruptException("INTERRUPT Error: Interrupted!")):
        with pytest.raises(KeyboardInterrupt), database.connection(table):
            raise error
    with pytest.raises(RuntimeError, match="another"), database.connection(table):
        raise RuntimeError("another")


@pytest.mark.parametrize("form", first_of("json", "csv", "html", "plot"))
def test_a_disk_that_fills_up(table: Path, form: str) -> None:
    target = table.parent / ("out.png" if form == "plot" else "out")
    target.write_bytes(b"old")
    before = contents(table.parent)
    done = limited(table.parent, 100, *compare(table, "--resamples", "200", f"--{form}", target.name))
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        f"InvalidInputError: cannot write '{target.name}': File too large",
        "hint: check the permissions of the folder and the space left, or name another file",
    ]
    assert contents(table.parent) == before


def test_an_interrupt_of_which_compiled_code_made_another_error() -> None:
    """Matplotlib's renderer, for one, says "Invalid bounding box" if the interrupt falls into it."""
    code = """
import signal, sys
from bestby.cli.errors import reported
from bestby.cli.interrupts import after_imports

with after_imports(), reported() as status:
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        pass
    raise ValueError("Invalid bounding box")
sys.exit(status.code)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"")
