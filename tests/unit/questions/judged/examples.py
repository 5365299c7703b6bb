"""A judge's scores of all items, and human scores of some."""

from __future__ import annotations

from typing import Any

import numpy as np

import bestby as bb

RNG = np.random.default_rng(0)
TRUTH = {name: RNG.integers(1, 6, 200) + place for place, name in enumerate(("a", "b", "c"))}
JUDGE = {name: values + RNG.normal(size=200) for name, values in TRUTH.items()}
CHOSEN = np.isin(np.arange(200), RNG.choice(200, 60, replace=False))
HUMAN = {name: np.where(CHOSEN, values, np.nan) for name, values in TRUTH.items()}


def compared(judge: Any = JUDGE, human: Any = HUMAN, **options: Any) -> bb.results.JudgedComparison:
    return bb.compare_judged(judge, human, **{"labels_drawn": "random", **options})


def verdicts(ones: int, n: int) -> list[int]:
    return [1] * ones + [0] * (n - ones)


RATES = (verdicts(60, 200) + verdicts(180, 200), [0] * 200 + [1] * 200)
"""A judge with the specificity .7 and the sensitivity .9."""
