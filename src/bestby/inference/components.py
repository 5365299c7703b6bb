"""The components of the variance of a mean over runs and items: the two-way random model.

Searle, Casella & McCulloch (1992), Variance Components, section 4.5; degrees of freedom by Satterthwaite
(1946), Biometrics Bulletin 2, 110-114.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bestby._core.typing import FloatArray


@dataclass(frozen=True)
class Components:
    """The variance of a mean over runs: what items, runs, and both together add, none below 0."""

    items: float
    runs: float
    rest: float
    freedom: float

    @property
    def standard_error(self) -> float:
        """The root of the sum."""
        return math.sqrt(self.items + self.runs + self.rest)


def with_items(
    by_items: float, freedom: float, scores: Sequence[FloatArray], rest: Sequence[float]
) -> Components:
    """Return the components for one sample of runs, or for the difference of two independent ones.

    `rest` is, per sample, the variance from the items of the score of one run, minus that of the mean of the
    runs. Those below 0 are set to 0. A sample of one run is taken to vary as the other, if that has several:
    both variances are then the same estimate, with its degrees of freedom.
    """
    by_runs, both, known = _between(scores, rest)
    items, runs = max(0.0, by_items - both), max(0.0, by_runs - both)
    total = items + runs + both
    if total > 0.0:
        spread = (by_items / total) ** 2 / freedom
        spread += math.fsum((v / total) ** 2 / df for v, df in known)
        freedom = 1.0 / spread if spread > 0.0 else freedom
    return Components(items, runs, both, freedom)


def _between(
    scores: Sequence[FloatArray], rest: Sequence[float]
) -> tuple[float, float, list[tuple[float, float]]]:
    """Return what other runs change, the rest that is in it, and its independent parts with their freedom."""
    variances, luck = [], []
    for x, r in zip(scores, rest, strict=True):
        several = x.size > 1
        variances.append(float(x.var(ddof=1)) if several else 0.0)
        luck.append(max(0.0, r) * x.size / (x.size - 1) if several else 0.0)
    sizes = [x.size for x in scores]
    if len(scores) == 2 and min(sizes) == 1 < max(sizes):
        other = sizes.index(max(sizes))  # what is known of its runs stands for the single one too
        share = 1.0 + 1.0 / sizes[other]
        by_runs, both = variances[other] * share, luck[other] * share
        return by_runs, both, [(by_runs, sizes[other] - 1.0)]
    known = [(v / n, n - 1.0) for v, n in zip(variances, sizes, strict=True) if n > 1]
    both = math.fsum(v / n for v, n in zip(luck, sizes, strict=True))
    return math.fsum(v for v, _ in known), both, known
