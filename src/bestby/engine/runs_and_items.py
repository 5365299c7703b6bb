"""Means over several runs on the same items: components of variance, and score intervals of right answers.

The components are those of the two-way random model (Searle, Casella & McCulloch 1992, Variance Components,
section 4.5), the degrees of freedom Satterthwaite's (1946, Biometrics Bulletin 2, 110-114).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bestby._core.typing import FloatArray, IntArray
from bestby.inference.bisection import last_that_holds


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


def variance_components(
    by_items: float, freedom: float, scores: Sequence[FloatArray], rest: Sequence[float]
) -> Components:
    """Return the components for one sample of runs, or for the difference of two independent ones.

    `rest` is, per sample, the variance from the items of the score of one run, minus that of the mean of the
    runs. Those below 0 are set to 0. A sample of one run is taken to vary as the other, if that has several:
    both variances are then the same estimate, with its degrees of freedom.
    """
    # Both mean squares hold the part that neither items nor runs explain: it is taken away from each.
    by_runs, both, parts = _between_runs(scores, rest)
    items, runs = max(0.0, by_items - both), max(0.0, by_runs - both)
    total = items + runs + both
    if total > 0.0:
        spread = (by_items / total) ** 2 / freedom
        spread += math.fsum((v / total) ** 2 / df for v, df in parts)
        freedom = 1.0 / spread if spread > 0.0 else freedom
    return Components(items, runs, both, freedom)


def _between_runs(
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
    parts = [(v / n, n - 1.0) for v, n in zip(variances, sizes, strict=True) if n > 1]
    both = math.fsum(v / n for v, n in zip(luck, sizes, strict=True))
    return math.fsum(v for v, _ in parts), both, parts


# -- answers that are right or wrong ---------------------------------------------------------------
# A t interval takes its variance from the items at hand. Where nearly all answers are right, most samples
# hold too few of the rare items that differ, and the interval is far too short. A score interval takes the
# variance that each candidate value would bring, and so has a sensible width even where no item differs.


@dataclass(frozen=True, slots=True)
class Differences:
    """Differences of items, each a mean over runs, in terms of items that differ by one amount.

    Of `n` items as many as `differing` would have to differ by `size`, in (0, 1], to have the mean square of
    those at hand; `net` is the mean difference in units of ``size / n``. The size is the root of sum d^4 /
    sum d^2: 1 if the runs of a system agree on every item, and about 1 / R if each run errs for itself.
    """

    n: int
    size: float
    differing: float
    net: float

    @classmethod
    def of(cls, values: FloatArray, counts: IntArray) -> Differences:
        """Return the form of values in [-1, 1] that stand for `counts` items each."""
        squares = float(counts @ values**2)
        if squares == 0.0:
            return cls(int(counts.sum()), 1.0, 0.0, 0.0)
        size = math.sqrt(float(counts @ values**4) / squares)
        return cls(int(counts.sum()), size, squares / size**2, float(counts @ values) / size)

    def null_variance(self) -> float:
        """Return the variance of the mean difference if the true one is 0."""
        return self.size**2 * self.differing / self.n**2

    def interval(self, others: float, quantile: float, variance: float = 0.0) -> tuple[float, float]:
        """Return the differences that the score test does not reject.

        `others` is the variance from other sources than the choice of items, `quantile` the number of
        standard errors that are not rejected, `variance` that of the mean difference at the estimate from all
        sources. The variance from the items under a candidate difference is that of `proportions.tango` for
        items that differ by `size`. It falls to 0 as the difference reaches `size`, because all items then
        differ by that much. Means over runs also differ by other amounts, and keep their variance: the end
        further from 0 is therefore never closer to the estimate than that of the t interval.
        """
        low, high = -self._high(-self.net, others, quantile), self._high(self.net, others, quantile)
        if self.size < 1.0:
            mean, half = self.size * self.net / self.n, quantile * math.sqrt(variance)
            if mean > 0.0:
                high = max(high, min(1.0, mean + half))
            elif mean < 0.0:
                low = min(low, max(-1.0, mean - half))
        return low, high

    def _high(self, net: float, others: float, quantile: float) -> float:
        n, m = self.n, self.differing
        allowed, rest = quantile**2, others / self.size**2

        def holds(delta: float) -> bool:
            spread = 0.0
            if delta < 1.0:
                # Tango's s for n items that differ by 1, as in `proportions.tango_high`; others differ by
                # `size`.
                half = (m + net * delta) / 2.0
                inner = half * half - n * (net * delta - (n - m) * delta * delta)
                spread = (half + math.sqrt(max(inner, 0.0))) / n - delta * delta
            return (net / n - delta) ** 2 <= allowed * (max(spread, 0.0) / n + rest)

        largest = 1.0 / self.size
        return 1.0 if holds(largest) else min(1.0, self.size * last_that_holds(holds, net / n, largest)[1])


def mean_interval(mean: float, items: float, n: int, others: float, quantile: float) -> tuple[float, float]:
    """Return the score interval of one mean of 0/1 answers over runs and items.

    Wilson's interval for as many independent answers as have the variance of this mean (Korn & Graubard 1998,
    Survey Methodology 24, 193-201): the share p of right answers has the variance p (1 - p) f / n, f being
    the design effect of the runs on n items; 1 if all answers are alike. `others` is as for
    `Differences.interval`.
    """
    # The design effect f = variance of the mean over p (1 - p) / n; 1 where nothing varies.
    spread = mean * (1.0 - mean)
    effect = items * (n - 1) / spread if spread > 0.0 and items > 0.0 else 1.0
    k, rest = quantile**2 * effect / n, quantile**2 * others
    # The ends solve (1 + k) p^2 - (2 mean + k) p + mean^2 - rest = 0.
    middle = (mean + 0.5 * k) / (1.0 + k)
    half = math.sqrt(max(k * spread + 0.25 * k * k + rest * (1.0 + k), 0.0)) / (1.0 + k)
    return max(0.0, min(mean, middle - half)), min(1.0, max(mean, middle + half))
