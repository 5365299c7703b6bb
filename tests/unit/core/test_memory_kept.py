"""Memory that is freed is there for the next call, which need not get it from the system page by page."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

CODE = """
import resource
import numpy as np


def pages():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        held = [np.ones(10_000) for _ in range(40)]  # 3 MB
        del held
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 20


def settled():
    pages()
    return pages()


before = settled()
import {module}
print(before, settled())
"""


def pages_per_cycle() -> tuple[float, float]:
    """Return how many pages arrays of 3 MB get from the system each time, before the import and after."""
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(module="bestby.engine.prepare")],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    before, after = map(float, done.stdout.split())
    return before, after


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries keep memory in other ways")
def test_comparisons_keep_freed_memory() -> None:
    """In one of a few processes at least: how the heap of one happens to lie may hinder it."""
    for _ in range(4):
        before, after = pages_per_cycle()
        if before < 100.0:
            pytest.skip("this process keeps freed memory by itself")
        if after < 20.0:
            return
    pytest.fail(f"{after:.0f} pages after the import, {before:.0f} before it")
