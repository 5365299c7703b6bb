"""What single items add to the scores of systems that lack some, and whether these are the hard ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core import special
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.data.columns import group_codes
from bestby.data.evaluation import Evaluation
from bestby.engine.estimate import Estimates
from bestby.engine.sums import SumGroup
from bestby.inference import clusters
from bestby.inference.multiplicity import FEW_UNITS, drawn_towards
from bestby.metrics.base import BaseMetric, MeanMetric
from bestby.results.base import Note


class Effects:
    """What each item adds to the score of each system, times the number of its items: of a mean a deviation.

    They tell which items are easy, and how differences vary together. Nothing is held of metrics that are no
    functions of sums, whose items add nothing by themselves.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation, self.of = evaluation, dict[str, Array]()
        counts, groups = evaluation.counts, evaluation.clusters
        self.weights = np.ones(evaluation.n_rows) if counts is None else counts.astype(np.float64)
        self.units = None if groups is None else group_codes(groups)[1].astype(np.int64)

    def add(self, estimates: Estimates, names: Sequence[str], has: BoolArray) -> None:
        """Add the effects of some systems, which have the same items."""
        if not isinstance(estimates.group, SumGroup):
            return
        for statistics, name in zip(estimates.group.statistics, names, strict=True):
            # Single precision is enough for what is read from them, and holds twice as many systems.
            self.of[name] = np.zeros(has.size, dtype=np.float32)
            self.of[name][has] = statistics.item_influence * float(self.weights[has].sum())

    def on_difficulty(self, metric: BaseMetric) -> list[Note]:
        """Return notes on systems whose items are harder or easier for the others than those they lack.

        What is easy is read from the systems that have all items, or from all others where there are none.
        """
        evaluation, notes = self.evaluation, []
        lacking = [name for name in evaluation.missing if name in self.of]
        judges = [name for name in self.of if name not in lacking] or lacking
        nothing = np.zeros(evaluation.n_rows)
        total = sum((self.of[name] for name in judges), nothing)
        n = sum((evaluation.has(name) for name in judges), nothing)
        way = 1.0 if metric.greater_is_better else -1.0
        for name in lacking:
            has, own = evaluation.has(name), name in judges
            n_others = n - own * has
            there = n_others > 0
            tested = contrast(
                way * (total - own * self.of[name])[there] / n_others[there],
                has[there],
                None if self.units is None else self.units[there],
                None if evaluation.counts is None else evaluation.counts[there],
            )
            if tested is None or tested.p_value * len(evaluation.missing) > 0.05:  # Bonferroni over systems
                continue
            kind = "easier" if tested.difference > 0.0 else "harder"
            by = f"by {abs(tested.difference):.2g} on average, " if isinstance(metric, MeanMetric) else ""
            message = (
                f"the items that {name} has are {kind} for the other systems than those it lacks"
                f" ({by}t = {tested.t:.1f}): what is said of it holds for the items both have, not for all"
                f" {evaluation.n_items}"
            )
            notes.append(Note("missing_by_difficulty", message, (metric.name, name)))
        return notes

    def correlations(self, candidate: str, others: Sequence[str]) -> FloatArray | None:
        """Return how the differences of others minus one system vary together, drawn towards 1/2.

        Each is on the items that both have. Those of unrelated systems of equal variance are 1/2, the worst
        case (Hayter 1984). None of too few units.
        """
        if candidate not in self.of:
            return None
        has = self.evaluation.has(candidate)
        rows, sizes = [], []
        for other in others:
            both = has & self.evaluation.has(other)
            row = (self.of[other] - self.of[candidate]) * both
            n = float(self.weights @ both)
            row -= np.float32(self.weights @ row / n) * both
            if self.units is None:
                row = row * np.sqrt(self.weights)  # of the rows themselves, which stand for several items
            else:
                row, n = np.bincount(self.units, row), np.unique(self.units[both]).size
            rows.append(row / (np.linalg.norm(row) or 1.0))
            sizes.append(n)
        if min(sizes) < FEW_UNITS:
            return None
        stacked = np.stack(rows)
        return drawn_towards(stacked @ stacked.T, 0.5, min(sizes))


@dataclass(frozen=True)
class Contrast:
    """The mean of some items minus that of the others, over its standard error, and a two-sided p-value."""

    difference: float
    t: float
    p_value: float


def contrast(
    values: FloatArray, chosen: BoolArray, units: IntArray | None = None, counts: IntArray | None = None
) -> Contrast | None:
    """Return Welch's test of the mean of the chosen items against that of the others; None of fewer than 2.

    All arrays have shape (n,). Where items come in `units`, the sums of these are what varies; both samples
    may then share one. Degrees of freedom are those of the smaller sample, which is conservative.

    >>> contrast(np.array([1.0, 2.0, 6.0, 8.0]), np.array([True, True, False, False])).difference
    -5.5
    """
    weights = np.ones(values.size, dtype=np.int64) if counts is None else counts
    parts = [~chosen, chosen]
    sizes = [float(weights[part].sum()) if units is None else np.unique(units[part]).size for part in parts]
    if min(sizes) < 2.0:
        return None
    n = [float(weights[part].sum()) for part in parts]
    means = [float(weights[part] @ values[part]) / size for part, size in zip(parts, n, strict=True)]
    share = np.where(chosen, (values - means[1]) / n[1], (means[0] - values) / n[0])
    if units is None:  # the two samples are strata
        order, of_one = np.argsort(chosen, kind="stable"), np.ones(values.size)
        bounds = np.array([0, np.count_nonzero(~chosen), values.size])
        error = clusters.cr2(share[order], of_one, weights[order], bounds).se
    else:
        sums, n_of = (np.bincount(units, x).astype(np.float64) for x in (share * weights, weights))
        error = clusters.cr2(sums, n_of).se
    if not error > 0.0:
        return None
    difference = means[1] - means[0]
    t = difference / error
    return Contrast(difference, t, 2.0 * float(special.stdtr(min(sizes) - 1.0, -abs(t))))
