"""The second call does not get its memory from the system page by page."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

CODE = """
import resource
import numpy as np
import bestby as bb

rng = np.random.default_rng(0)
gold = rng.normal(size=10_000)
systems = {name: gold + rng.normal(size=10_000) for name in "ab"}


def call():
    bb.compare(systems, gold, metric="pearson", test=None)


for _ in range(3):
    call()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    call()
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 20)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries keep memory in other ways")
def test_calls_get_no_new_pages() -> None:
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", CODE], check=True, capture_output=True, text=True, env=environment
    )
    # A call frees some 2 MB, 500 pages, which it would get anew each time.
    assert float(done.stdout) < 100.0
