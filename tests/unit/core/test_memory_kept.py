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
import bestby.engine.prepare
print(before, settled())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries keep memory in other ways")
def test_comparisons_keep_freed_memory() -> None:
    # Dask leaves a limit of its own in the environment of the tests.
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        check=True,
        capture_output=True,
        text=True,
        env=plain | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    before, after = map(float, done.stdout.split())
    if before < 100.0:
        pytest.skip("this process keeps freed memory by itself")
    assert after < 20.0
