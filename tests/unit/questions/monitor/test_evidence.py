"""The interval of a monitor at a look, which is that of its record."""

from __future__ import annotations

import numpy as np
import pytest

import bestby as bb


@pytest.mark.parametrize("options", [{}, {"n_items": 900}, {"clusters": True}], ids=str)
def test_it_is_that_of_the_record(options: dict[str, int]) -> None:
    clustered = "clusters" in options
    monitor = bb.Monitor(["a", "b"], bounds=(0, 1), margin=0.02, n_items=options.get("n_items"))
    chance = np.random.default_rng(5)
    for place in range(800):
        row = (chance.random(2) < (0.75, 0.7)).astype(float).tolist()
        cluster = f"c{place // 6}" if clustered else None
        monitor.add(f"q{place * 7 % 801}", dict(zip("ab", row, strict=True)), cluster=cluster)
        if place % 100 == 99:
            (shown,), recorded = monitor.pairs, monitor.result().pairs[0]
            assert shown == recorded
            assert monitor.interval == recorded.interval is not None


def test_a_pair_that_is_frozen_keeps_its_interval() -> None:
    chance = np.random.default_rng(8)
    monitor = bb.Monitor(["a", "b", "c"], bounds=(0, 1))
    seen = set()
    for place in range(600):
        row = (chance.random(3) < (0.8, 0.75, 0.3)).astype(int).tolist()
        monitor.add(f"q{place * 7 % 601}", {n: row["abc".index(n)] for n in monitor.running})
        one = monitor.pairs[1]
        if "c" not in monitor.running:
            seen.add((one.n_items, one.interval))
    assert len(seen) == 1
    result = monitor.result()
    assert result["c"].interval is not None
    ((n_items, kept),) = seen
    assert n_items == result["c"].n_items < 600
    assert kept is not None
    assert (kept.low, kept.high) == (result["c"].interval.low, result["c"].interval.high)
