"""A pilot and a design, which several files of tests plan with."""

from __future__ import annotations

import numpy as np

import bestby as bb

SCORES = [0.61, 0.70, 0.66, 0.74, 0.69, 0.72, 0.58, 0.71]
RUNS = bb.planning.RunsAndItems(0.03, item_sd=0.3, run_sd=0.01, rest_sd=0.4, runs=5)


def small_pilot(n: int = 120, **options: object) -> bb.planning.Pilot:
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 2, n)
    a, b = (np.where(rng.random(n) < p, gold, 1 - gold) for p in (0.9, 0.75))
    extra = {key: options.pop(key) for key in ("clusters", "strata") if key in options}
    return bb.planning.Pilot(bb.Evaluation.of({"a": a, "b": b}, gold, **extra), **options)  # type: ignore[arg-type]
