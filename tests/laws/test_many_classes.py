"""A great many classes: a result soon and in little memory, or a refusal."""

from __future__ import annotations

import subprocess
import sys

import pytest

CLASSES = """
import time
import numpy as np
import bestby as bb
n = 1_000_000
rng = np.random.default_rng(0)
gold = np.arange(n)
systems = {name: np.where(rng.random(n) < p, gold, (gold + 1) % n) for name, p in (("a", 0.7), ("b", 0.69))}
for metric in ("accuracy", "f1[3]", "f1_macro"):
    begin = time.process_time()
    try:
        found = bb.compare(systems, gold, metric=metric, n_resamples=50)["a", "b"]
        assert found.interval is None or found.interval.low <= found.estimate <= found.interval.high
        told = "result"
    except bb.errors.BestbyError as error:
        assert error.hint
        told = type(error).__name__
    with open("/proc/self/status") as status:  # getrusage would count the process that started this one
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
    print(metric, told, time.process_time() - begin, peak)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells the peak of the memory")
@pytest.mark.check
def test_a_million_classes_end_soon_and_within_a_gigabyte() -> None:
    """A metric with a column per class says that they are too many; the others have their result."""
    done = subprocess.run([sys.executable, "-c", CLASSES], capture_output=True, text=True, check=True)
    rows = {row[0]: row[1:] for row in map(str.split, done.stdout.splitlines())}
    assert {metric: row[0] for metric, row in rows.items()} == {
        "accuracy": "result",
        "f1[3]": "result",
        "f1_macro": "DesignError",
    }
    assert all(float(seconds) < 20 and float(megabytes) < 1024 for _, seconds, megabytes in rows.values())
