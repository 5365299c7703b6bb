"""One process at a time holds the lock of a board, and the kernel frees that of a process that was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bestby.boards import folder
from bestby.errors import BoardError

HOLDS = """
import sys, time
from pathlib import Path
from bestby.boards import folder
with folder.exclusive_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_another_thread_is_refused_while_it_is_held_and_gets_it_then(tmp_path: Path) -> None:
    lock = tmp_path / "lock.sqlite"
    with folder.exclusive_lock(lock):
        with (
            pytest.raises(BoardError, match="another process has been writing") as caught,
            folder.exclusive_lock(lock, 0.0),
        ):
            pass
        assert "do it again" in str(caught.value.hint)
    with folder.exclusive_lock(lock, 0.0):
        pass


def test_who_waits_gets_it_when_it_is_free(tmp_path: Path) -> None:
    lock, order = tmp_path / "lock.sqlite", []

    def second() -> None:
        with folder.exclusive_lock(lock, 10.0):
            order.append("second")

    with folder.exclusive_lock(lock):
        waiting = threading.Thread(target=second)
        waiting.start()
        time.sleep(0.05)
        order.append("first")
    waiting.join(10.0)
    assert order == ["first", "second"]


@pytest.mark.long
def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    lock = tmp_path / "lock.sqlite"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(lock)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(BoardError), folder.exclusive_lock(lock, 0.0):
            pass
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
    with folder.exclusive_lock(lock, 0.0):
        pass


def test_an_error_inside_frees_it(tmp_path: Path) -> None:
    lock = tmp_path / "lock.sqlite"
    with pytest.raises(ZeroDivisionError), folder.exclusive_lock(lock):
        _ = 1 / 0
    with folder.exclusive_lock(lock, 0.0):
        pass


def test_a_folder_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with (
        pytest.raises(BoardError, match="cannot be locked"),
        folder.exclusive_lock(tmp_path / "no" / "lock.sqlite"),
    ):
        pass


def test_a_damaged_file_is_reported(tmp_path: Path) -> None:
    lock = tmp_path / "lock.sqlite"
    lock.write_bytes(b"no database" * 100)
    with pytest.raises(BoardError, match="cannot be locked"), folder.exclusive_lock(lock, 0.0):
        pass
