"""Intervals of coefficients of agreement, by the spread that items would have at each end.

Where a label is rare, the items do not show how much a coefficient varies: if nobody ever gave the rare label
twice to an item, its standard error is next to nothing. So the standard error at a value other than the
estimate is that of a mixture that has this value: of the items and of unanimous ones for greater values, of
the items and of labels given at random for smaller ones. Both keep how often each label is given. Wilson's
interval of a share does the same: it takes the standard error that belongs to each value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from bestby._core import special
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.inference import clusters
from bestby.inference.bisection import last_that_holds
from bestby.inference.proportions import added_in_squares
from bestby.questions.agreement.coefficients import Coefficient
from bestby.results.values import Interval

METHOD = "mixture-score"

MOST_ROWS = 4096
"""Rows up to which all combinations of labels are listed; of more, so many are drawn, by a fixed seed."""


@dataclass(frozen=True, eq=False)
class Items:
    """The labels of items, equal rows counted once, and the cluster of each item if they lie in clusters.

    `kinds` are the distinct rows, shape (C, A), `place` says which of them each item has, shape (n,).
    """

    kinds: IntArray
    place: IntArray
    clusters: IntArray | None

    @classmethod
    def of(cls, codes: IntArray, clusters: IntArray | None) -> Items:
        """Return the items of codes."""
        kinds, place = np.unique(codes, axis=0, return_inverse=True)
        return cls(kinds, place.reshape(-1), clusters)

    def columns(self, chosen: list[int]) -> Items:
        """Return the items with the labels of some annotators, in their order."""
        return Items.of(self.kinds[self.place][:, chosen], self.clusters)


class Measured:
    """A coefficient on the items that count for it: its value, and what each item adds to it."""

    def __init__(self, coefficient: Coefficient, items: Items) -> None:
        rows = coefficient.rows(items.kinds)
        usable = np.asarray(rows.any(axis=1))[items.place]
        self.coefficient, self.items = coefficient, items
        self.usable, self.rows = usable, rows[items.place][usable]
        self.n = int(usable.sum())
        self.totals = self.rows.sum(axis=0)
        self.value = float(coefficient.value(self.totals)) if self.n else math.nan
        self._intervals: dict[float, Interval | None] = {}
        self.groups: IntArray | None = None
        if items.clusters is not None:
            _, self.groups = np.unique(items.clusters[usable], return_inverse=True)

    @property
    def shares(self) -> tuple[float, float] | None:
        """The observed and the expected agreement, if these are shares."""
        shares = self.coefficient.shares(self.totals)
        return None if shares is None else (float(shares[0]), float(shares[1]))

    @property
    def degrees_of_freedom(self) -> float:
        """The items, or the clusters of equal size, less one."""
        return max(1.0, self.n_units - 1.0)

    @property
    def n_units(self) -> float:
        """The number of items, or of clusters of equal size."""
        if self.groups is None:
            return float(self.n)
        return clusters.equal_units(np.bincount(self.groups).astype(np.float64))

    def left_out(self) -> FloatArray:
        """Return the value without each item, or each cluster, of all there are; as it is where undefined."""
        rows = np.zeros((self.usable.size, self.rows.shape[1]))
        rows[self.usable] = self.rows
        if self.items.clusters is not None:
            codes = np.unique(self.items.clusters, return_inverse=True)[1]
            rows = np.stack([np.bincount(codes, column) for column in rows.T], axis=1)
        values = self.coefficient.value(self.totals - rows)
        without: FloatArray = np.where(np.isfinite(values), values, self.value)
        return without

    def interval(self, level: float) -> Interval | None:
        """Return the interval of the coefficient; None where it is undefined."""
        if level not in self._intervals:
            self._intervals[level] = self._interval(level)
        return self._intervals[level]

    def _interval(self, level: float) -> Interval | None:
        if math.isnan(self.value) or self.n_units < 2.0:
            return None
        z = float(special.stdtrit(self.degrees_of_freedom, 0.5 * (1.0 + level)))
        ends = self._end(z, unanimous=False), self._end(z, unanimous=True)
        if not all(map(math.isfinite, ends)):
            return None
        return Interval(*ends, level, METHOD, True)

    def _end(self, z: float, *, unanimous: bool) -> float:
        """Return the end of the interval on the side of unanimous labels, or of labels at random.

        The end is where value and estimate are z standard errors of that value apart.
        """
        other, weights = self._other(unanimous=unanimous)
        mean = weights @ other
        own = self.totals / self.n
        moments = self.rows.T @ self.rows / self.n, (other * weights[:, None]).T @ other

        def at(share: float) -> tuple[float, float]:
            totals = (1.0 - share) * own + share * mean
            gradient = self._gradient(self.n * totals)
            moment = (1.0 - share) * moments[0] + share * moments[1]
            variance = float(gradient @ moment @ gradient) - float(gradient @ totals) ** 2
            error = math.sqrt(max(variance, 0.0) * self._design_effect(gradient) * self.n**2 / (self.n - 1.0))
            return float(self.coefficient.value(self.n * totals)), error

        way = 1.0 if unanimous else -1.0

        def inside(share: float) -> bool:
            value, error = at(share)
            return not way * (value - self.value) > z * error

        last, error = at(1.0)
        if way * (last - self.value) <= 0.0 or inside(1.0):
            # Not even labels at random agree so little, or so few items say nothing of it: from there on the
            # standard error is that of the end of the path.
            return max(self.value - z * error, self._least) if not unanimous else last
        if self.value == last:
            return last
        return at(last_that_holds(inside, 0.0, 1.0)[0])[0]

    @property
    def _least(self) -> float:
        # The mean of several annotators has no least value
        return -math.inf if self.coefficient.name == "icc_a_k" else -1.0

    def _gradient(self, totals: FloatArray) -> FloatArray:
        """Return the derivatives of the value by the sums, by central differences."""
        steps = 1e-5 * np.maximum(np.abs(totals), np.sqrt(self.n * (self.rows**2).sum(axis=0)))
        steps = np.where(steps > 0.0, steps, 1e-5)
        change = np.diag(steps)
        above, below = (self.coefficient.value(totals + sign * change) for sign in (1.0, -1.0))
        gradient: FloatArray = (above - below) / (2.0 * steps)
        return np.nan_to_num(gradient, nan=0.0, posinf=0.0, neginf=0.0)

    def _design_effect(self, gradient: FloatArray) -> float:
        """Return by how much clusters raise the variance, at least 1."""
        if self.groups is None:
            return 1.0
        added = (self.rows - self.totals / self.n) @ gradient
        n_clusters = int(self.groups.max()) + 1
        together = np.bincount(self.groups, added)
        itemwise = float(added @ added)
        if itemwise <= 0.0:
            return self.n / n_clusters  # nothing tells how items of a cluster go together: all alike
        factor = n_clusters / max(n_clusters - 1.0, 1.0) * (self.n - 1.0) / self.n
        return max(1.0, factor * float(together @ together) / itemwise)

    # -- mixtures ----------------------------------------------------------------------------------

    def _other(self, *, unanimous: bool) -> tuple[FloatArray, FloatArray]:
        """Return the rows of unanimous items, or of labels at random, and their weights, which sum to 1."""
        labelled = self.items.kinds[self.items.place][self.usable]
        codes, weights = [], []
        shares = self._margins(labelled)
        for columns, weight, width in self._patterns(np.asarray(labelled >= 0)):
            margins = [shares[column] for column in columns]
            if self.coefficient.uniform and not unanimous:
                margins = [np.full(one.size, 1.0 / one.size) for one in margins]
            listed = _unanimous(margins) if unanimous else _at_random(margins)
            full = np.full((len(listed[0]), width), -1)
            full[:, columns] = listed[0]
            codes.append(full)
            weights.append(weight * listed[1])
        # Rows of these labels never fail: each kind of item that counts has two labels or more.
        return self.coefficient.rows(np.concatenate(codes)), np.concatenate(weights)

    def _patterns(self, present: BoolArray) -> Iterator[tuple[IntArray, float, int]]:
        """Yield who labels an item together, how often, and the number of annotators.

        Of annotators who may be exchanged only their number counts.
        """
        first = {"all": 0, "first": 1, "none": present.shape[1]}[self.coefficient.among]
        ordered = np.concatenate([present[:, :first], np.sort(present[:, first:], axis=1)[:, ::-1]], axis=1)
        kinds, counts = np.unique(ordered, axis=0, return_counts=True)
        for kind, count in zip(kinds, counts.tolist(), strict=True):
            yield np.flatnonzero(kind), count / len(present), present.shape[1]

    def _margins(self, labelled: IntArray) -> list[FloatArray]:
        """Return how often each annotator gives each label; those who may be exchanged have one in common."""
        k = int(self.items.kinds.max()) + 1

        def shares(codes: IntArray) -> FloatArray:
            counts = np.bincount(codes[codes >= 0], minlength=k).astype(np.float64)
            return counts / max(float(counts.sum()), 1.0)

        n_annotators = labelled.shape[1]
        first = {"all": 0, "first": 1, "none": n_annotators}[self.coefficient.among]
        pooled = shares(labelled[:, first:]) if first < n_annotators else np.zeros(k)
        return [shares(labelled[:, a]) if a < first else pooled for a in range(n_annotators)]


def _unanimous(margins: list[FloatArray]) -> tuple[IntArray, FloatArray]:
    """Return each label given by all, as often as it is given."""
    shares: FloatArray = np.mean(margins, axis=0)
    labels = np.flatnonzero(shares)
    return np.repeat(labels[:, None], len(margins), axis=1), shares[labels]


def _at_random(margins: list[FloatArray]) -> tuple[IntArray, FloatArray]:
    """Return all combinations of labels with their probabilities, or so many that are drawn evenly."""
    labels = [np.flatnonzero(one) for one in margins]
    if math.prod(map(len, labels)) <= MOST_ROWS:
        codes = np.array(list(product(*(one.tolist() for one in labels))))
        weights = np.prod([one[codes[:, place]] for place, one in enumerate(margins)], axis=0)
        return codes, weights
    generator, evenly = np.random.default_rng(0), (np.arange(MOST_ROWS) + 0.5) / MOST_ROWS
    drawn = [
        generator.permutation(np.minimum(np.searchsorted(np.cumsum(one), evenly), one.size - 1))
        for one in margins
    ]
    return np.stack(drawn, axis=1), np.full(MOST_ROWS, 1.0 / MOST_ROWS)


def difference(one: Measured, other: Measured, level: float) -> tuple[float, Interval | None]:
    """Return the difference of two coefficients of the same items, with an interval.

    Its ends are the outer ones of two intervals. One is of the intervals of both coefficients and the
    correlation of what items add to them (Zou 2007, Toward using confidence intervals to compare
    correlations, Psychol. Methods 12, 399-413, eq. 15), which holds where a label is rare; the other is
    Student's by the jackknife, which holds where the two coefficients nearly go together.
    """
    estimate = one.value - other.value
    a, b = one.interval(level), other.interval(level)
    if a is None or b is None:
        return estimate, None
    u, v = one.left_out(), other.left_out()
    u, v = u - u.mean(), v - v.mean()
    size = math.sqrt(float(u @ u) * float(v @ v))
    r = float(u @ v) / size if size > 0.0 else 0.0
    by_squares = added_in_squares((one.value, other.value), ((a.low, a.high), (b.low, b.high)), r)

    # Few items change the difference: those on which annotators disagree. Student's t has as many degrees of
    # freedom as units of equal weight would carry the variance.
    squares = (u - v) ** 2
    n_effective = clusters.equal_units(squares) if squares.any() else 1.0
    t = float(special.stdtrit(max(1.0, n_effective - 1.0), 0.5 * (1.0 + level)))
    jackknife = t * math.sqrt((u.size - 1.0) / u.size * float(squares.sum()))
    low = min(float(by_squares[0]), estimate - jackknife)
    high = max(float(by_squares[1]), estimate + jackknife)
    return estimate, Interval(low, high, level, METHOD, True) if high > low else None
