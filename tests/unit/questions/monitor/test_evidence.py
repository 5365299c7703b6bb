"""Intervals that are found again at each look are those of all units, and cost little for each look."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.questions.monitor import evidence


def scores(shape: str, n: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    if shape == "0/1":
        return (rng.random((n, 2)) < (0.75, 0.70)).astype(float)
    if shape == "alike":
        return np.repeat((rng.random(n) < 0.7).astype(float)[:, None], 2, axis=1)
    if shape == "one way":
        return np.column_stack([np.ones(n), rng.random(n) < 0.02])
    return rng.beta((2.0, 1.0), (1.0, 1.0), (n, 2)) * 40.0 - 20.0


@pytest.mark.parametrize("shape", ["0/1", "alike", "one way", "continuous"])
@pytest.mark.parametrize("options", [{}, {"n_items": 1500}, {"n_items": 4000}, {"clusters": True}], ids=str)
def test_they_are_those_of_all_units(shape: str, options: dict[str, Any]) -> None:
    options = dict(options)
    clustered = options.pop("clusters", False)
    bounds = (-20.0, 20.0) if shape == "continuous" else (0.0, 1.0)
    rows = scores(shape, 1500)
    monitor = bb.Monitor(["a", "b"], bounds=bounds, margin=0.02, **options)
    compared = looks = 0
    for place, (a, b) in enumerate(rows.tolist(), 1):
        cluster = f"c{place * 7 // 40}" if clustered else None
        monitor.add(f"q{place * 7 % 1511}", {"a": a, "b": b}, cluster=cluster)
        if place % (3 if place < 100 or place > 1450 else 50):
            continue
        shown, looks = monitor.pairs[0], looks + 1
        if looks % 3:
            continue
        exact = [evidence.exact_ends(monitor._first, monitor._collected, 0, alpha) for alpha in (0.05, 0.1)]
        for found, alone in zip((shown.interval, shown.equivalence_interval), exact, strict=True):
            assert found is not None
            tolerance = 3e-7 * (bounds[1] - bounds[0])
            # What earlier looks have excluded is left out: then an end is a hypothesis.
            hypotheses = {-0.02, 0.0, 0.02}
            assert found.low == pytest.approx(alone[0], abs=tolerance) or found.low in hypotheses
            assert found.high == pytest.approx(alone[1], abs=tolerance) or found.high in hypotheses
            compared += 1
    assert compared > 40


@pytest.mark.parametrize("n_items", [None, 5000])
def test_not_every_look_goes_through_all_units(n_items: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    gone_through = []
    interval = evidence.interval

    def counted(units: Any, *arguments: Any) -> Any:
        gone_through.append(len(units.sizes))
        return interval(units, *arguments)

    monkeypatch.setattr(evidence, "interval", counted)
    monitor = bb.Monitor(["a", "b"], bounds=(0, 1), n_items=n_items)
    for place, (a, b) in enumerate(scores("0/1", 4000).tolist(), 1):
        monitor.add(f"q{place * 7 % 4001}", {"a": a, "b": b})
        if place % 10 == 0:
            assert monitor.interval is not None
    assert len(gone_through) < 80  # of 400 looks


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
    assert (kept.low, kept.high) == pytest.approx(
        (result["c"].interval.low, result["c"].interval.high), abs=1e-6
    )
