"""Memory of one call is used again by the next, and not given back to the system in between."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

CODE = """
import resource
import numpy as np
from bestby import compare

rng = np.random.default_rng(0)
gold = rng.normal(size=10_000)
systems = {name: gold + rng.normal(size=gold.size) for name in "ab"}


def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    compare(systems, gold, metric="spearman", test=None)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


print(min(faults() for _ in range(10)))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_freed_memory_is_kept_for_the_next_call() -> None:
    """A call makes 400 pages and more anew where it is not; the system may take some back at any time."""
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 100
