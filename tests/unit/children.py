"""Real processes for the tests of faults: killed before a step on the disk, out of space, or many at once."""

from __future__ import annotations

import subprocess
import sys

import pytest

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")

SAYING = """
import os, signal, sys
from bestby._core.errors import BestbyError
def say(text):
    print(text, flush=True)
"""

# `killed_at_step(k, change)` forks; the child is killed just before its k-th step on the disk, or ends well.
STEPPING = """
def counted(function, steps, limit):
    def step(*args, **kwargs):
        if len(steps) == limit:
            os.kill(os.getpid(), signal.SIGKILL)
        steps.append(function)
        return function(*args, **kwargs)
    return step
def killed_at_step(limit, change):
    process = os.fork()
    if process == 0:
        steps = []
        names = "open", "fdopen", "fsync", "link", "rename", "replace", "unlink", "mkdir", "chmod", "rmdir"
        for name in names:
            setattr(os, name, counted(getattr(os, name), steps, limit))
        change()
        os._exit(0)
    status = os.waitpid(process, 0)[1]
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return "killed"
    return "done" if status == 0 else "failed"
"""

# Files may have at most so many bytes: what a full disk does to a write, without filling one.
LIMITING = """
import resource
def with_room(size, change):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    try:
        change()
        say("done")
    except BestbyError as error:
        say(type(error).__name__)
        say(error)
"""


def child(code: str, *args: object) -> subprocess.Popen[str]:
    """Start a process, which can `say` lines."""
    return subprocess.Popen(
        [sys.executable, "-c", SAYING + code, *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process: subprocess.Popen[str]) -> list[str]:
    """Wait for a child that must end well, and return its lines."""
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    return out.splitlines()


def at_once(processes: list[subprocess.Popen[str]]) -> list[list[str]]:
    """Let children begin that say that they are ready and wait for a line; return what each says then."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    return [finished(process) for process in processes]
