"""The statistics of one system on one metric: its distinct rows, counted, and what its score makes of them.

All that is computed of one system is computed here, once; a sample of `engine.sums` puts two systems, or all,
together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.chunks import CHUNK, chunks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.engine import functionals
from bestby.engine.base import Squares
from bestby.engine.functionals import Functional, Response, scores
from bestby.metrics.base import MeanMetric, Metric
from bestby.metrics.smooth import SmoothMetric
from bestby.resampling.units import Units

IN_ORDER_FROM = 1 << 16
"""Single items above which rows stay in the order of the items unless many are equal: sorting them would take
longer than all that is computed by formula."""

_SAMPLED_ROWS = 1 << 12
"""Rows of so many items that tell whether many are equal."""

MOST_OF_A_TOTAL = 1.0 / 32.0
"""The largest part of a total that one unit may bring if derivatives are to tell the score without it."""

_LARGE = float(np.finfo(np.float64).max) / 4.0  # numbers below have a power of two above them
_TINY = float(np.finfo(np.float64).tiny)  # in place of 0, below numbers that are all 0


@dataclass(frozen=True, eq=False)
class Design:
    """How items make units: a row of statistics stands for an item, or for several equal ones.

    Of I rows of items, `counts` says how many items each stands for, `strata` the stratum, and `clusters` the
    cluster of each, as codes from 0; None for one each, one stratum and single items. `sizes` are the items
    of each row where these are clusters already.
    """

    n_rows: int
    counts: IntArray | None = None
    strata: IntArray | None = None
    clusters: IntArray | None = None
    sizes: FloatArray | None = None

    @property
    def clustered(self) -> bool:
        """Whether units are clusters of items."""
        return self.clusters is not None or self.sizes is not None

    @cached_property
    def n_units(self) -> int:
        """The number U of rows that units have, before equal ones are counted."""
        return self.n_rows if self.clusters is None else int(self.clusters.max()) + 1

    @cached_property
    def item_counts(self) -> IntArray:
        """How many items each of the I rows stands for."""
        return np.broadcast_to(np.int64(1), self.n_rows) if self.counts is None else self.counts

    @cached_property
    def unit_counts(self) -> IntArray:
        """How many units each of the U rows stands for."""
        return self.item_counts if self.clusters is None else np.ones(self.n_units, dtype=np.int64)

    @cached_property
    def unit_sizes(self) -> FloatArray | None:
        """How many items each of the U units has; None for one each."""
        if self.clusters is None:
            return self.sizes
        return np.bincount(self.clusters, self.item_counts, self.n_units).astype(np.float64)

    @cached_property
    def unit_strata(self) -> IntArray | None:
        """The stratum of each of the U units."""
        if self.strata is None or self.clusters is None:
            return self.strata
        out = np.zeros(self.n_units, dtype=np.int64)
        out[self.clusters] = self.strata
        return out

    @cached_property
    def single(self) -> Units:
        """Single items in the order in which they came, no two of them put together."""
        return Units(np.broadcast_to(np.int64(1), self.n_rows), np.array([0, self.n_rows]))

    @cached_property
    def units(self) -> Units:
        """The units of each stratum, as if all in it were alike."""
        if self.unit_strata is None:
            sizes = np.array([int(np.add.reduce(self.unit_counts))])
        else:
            sizes = np.bincount(self.unit_strata, self.unit_counts).astype(np.int64)
        return Units(sizes, np.arange(sizes.size + 1))


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of statistics (C, k) and which of them each of many units has; None if unit u has row u."""

    X: FloatArray
    place: IntArray | None = None

    def each(self) -> FloatArray:
        """Return the row of every unit, column by column."""
        return self.X if self.place is None else self.X.T.take(self.place, axis=1).T

    def spread(self, values: FloatArray) -> FloatArray:
        """Return for every unit what `values` (C,) has for its row."""
        return values if self.place is None else values.take(self.place)


@dataclass(frozen=True, eq=False)
class Statistics:
    """One system on one metric.

    `X`, of shape (C, k), has the distinct rows of its units in an order that does not depend on that of the
    items; `units` are their multiplicities and strata, `sizes` their items. `place`, of shape (U,), says
    which row each unit has. Of very many single items that are mostly different, rows stand in the order of
    the items, and `place` is None. `item_rows` are the rows of single items. `system` is the position of the
    system in what the metric was fitted to.
    """

    metric: Metric
    system: int
    X: FloatArray
    units: Units
    sizes: FloatArray
    place: IntArray | None
    item_rows: Rows

    @classmethod
    def of(cls, metric: Metric, system: int, rows: Rows, design: Design) -> Statistics:
        """Return the statistics of a system whose items have these rows."""
        rows = Rows(np.asfortranarray(rows.X), rows.place)
        if design.clusters is not None:
            sums = Rows(_summed(rows, design.clusters, design.n_units))
            return cls._distinct(metric, system, sums, rows, design)
        plain = rows.place is None and design.counts is None and design.strata is None
        if plain and design.sizes is None and design.n_rows > IN_ORDER_FROM and _mostly_differ(rows.X):
            return cls(metric, system, rows.X, design.single, np.broadcast_to(1.0, design.n_rows), None, rows)
        return cls._distinct(metric, system, rows, None, design)

    @classmethod
    def _distinct(
        cls, metric: Metric, system: int, rows: Rows, item_rows: Rows | None, design: Design
    ) -> Statistics:
        """Return the statistics of units, equal ones counted; units are items where there are no others."""
        counts, strata, sizes = design.unit_counts, design.unit_strata, design.unit_sizes
        if rows.place is not None:  # cells: of each of them the units are in one stratum
            if strata is not None:
                cell_strata = np.zeros(len(rows.X), dtype=np.int64)
                cell_strata[rows.place] = strata
                strata = cell_strata
            weights = None if design.counts is None else counts
            counts = np.bincount(rows.place, weights, len(rows.X)).astype(np.int64, copy=False)
        distinct = distinct_rows(rows.X, counts, strata, sizes)
        place = distinct.rows.astype(np.min_scalar_type(distinct.units.n_rows - 1))
        place = place if rows.place is None else place.take(rows.place)
        X = np.asfortranarray(distinct.X)
        items = Rows(X, place) if item_rows is None else item_rows
        return cls(metric, system, X, distinct.units, distinct.sizes, place, items)

    # -- the score -----------------------------------------------------------------------------------

    @cached_property
    def total(self) -> FloatArray:
        """The totals of the columns, shape (k,)."""
        total: FloatArray = self.units.weights @ self.X
        return total

    @cached_property
    def score(self) -> float:
        """The score on the full data."""
        return float(scores(self.metric, self.total))

    @property
    def rank(self) -> tuple[float, ...]:
        """What systems are put in order by, whatever their names and places: the score, then the totals.

        Totals may be rounding alone, as those of standard scores are.
        """
        return (-math.inf if math.isnan(self.score) else self.score, *self.total.tolist())

    @cached_property
    def left_out(self) -> FloatArray:
        """The score without one unit of each kind, shape (C,)."""
        total, by_column = self.total[:, None], self.X.T
        parts = [by_column[:, part] for part in chunks(by_column.shape[1], 2 * total.size)]
        # Column by column, as metrics read them.
        return np.concatenate([scores(self.metric, np.subtract(total, part).T) for part in parts])

    # -- derivatives by the weights of units -----------------------------------------------------------

    @cached_property
    def influence(self) -> FloatArray:
        """What each distinct unit adds to the score, to first order, shape (C,)."""
        # The second derivatives of a metric that knows them come with the first.
        if "response" in self.__dict__ or isinstance(self.metric, SmoothMetric):
            return self.response.influence
        return self.influence_of(self.X)

    def influence_of(self, rows: FloatArray) -> FloatArray:
        """Return what units with these rows (R, k) add to the score, to first order, shape (R,)."""
        return functionals.influence(self.metric, Functional(self.metric), self.total, rows)

    @cached_property
    def item_influence(self) -> FloatArray:
        """What each row of items adds to the score, to first order, shape (I,)."""
        if self.item_rows.X is self.X:
            return self.item_rows.spread(self.influence)
        return self.item_rows.spread(self.influence_of(self.item_rows.X))

    @cached_property
    def response(self) -> Response:
        """How the score responds to the weights of the units, to second order."""
        return functionals.response(self.metric, Functional(self.metric), self.total, self.X, self.units)

    @cached_property
    def nearly_linear(self) -> bool:
        """Whether derivatives tell what the score is without a unit, as none brings much of a total."""
        for column in self.X.T:
            sizes = np.abs(column)
            if float(sizes.max()) > MOST_OF_A_TOTAL * max(float(self.units.weights @ sizes), _TINY):
                return False
        return True

    # -- sums ------------------------------------------------------------------------------------------

    @cached_property
    def squares(self) -> Squares:
        """Sums over the units of the statistics and of their squares, and how many have one other than 0."""
        weights = self.units.weights
        return Squares(self.total, weights @ self.X**2, weights @ (self.X != 0.0))

    @cached_property
    def items_of_each(self) -> float | None:
        """How many items each unit of a mean has; None of other metrics, and where units differ in that."""
        if not isinstance(self.metric, MeanMetric):
            return None
        sizes = self.X[:, 1]
        return float(sizes[0]) if (sizes == sizes[0]).all() else None


def check_width(metric: Metric, widths: Mapping[str, int]) -> None:
    """Refuse statistics that have another number of columns for some systems: totals are exchanged."""
    (first, width), *others = widths.items()
    for name, other in others:
        if other != width:
            raise InvalidInputError(
                f"metric {metric.name!r} must return equally many statistics per item for every system, got"
                f" {width} for system {first!r} and {other} for system {name!r}",
                hint="fix in fit, which sees all systems, what each column stands for",
            )


def _summed(rows: Rows, clusters: IntArray, n: int) -> FloatArray:
    """Return the sums of the rows of the items of each cluster, shape (n, k).

    The leading digits of the numbers add up exactly, the rest separately, so that the order of the items in a
    cluster changes no sum (Rump, Ogita & Oishi 2008, SIAM J. Sci. Comput. 31, 189-224, algorithm 3.2).
    """
    most = int(np.bincount(clusters).max())
    sums = []
    for column in rows.X.T:
        parts = [column]
        reach = (most + 2) * 2.0 * float(np.abs(column).max())
        if reach < _LARGE:
            # Adding and subtracting `unit` cuts every number on one grid: those parts add up without
            # rounding.
            unit = math.ldexp(1.0, math.frexp(reach)[1])
            leading = (column + unit) - unit
            rest = column - leading
            parts = [leading, rest] if rest.any() else parts
        sums.append(sum(np.bincount(clusters, rows.spread(part), n) for part in parts))
    return np.stack(sums).astype(np.float64, copy=False).T


def _mostly_differ(X: FloatArray) -> bool:
    """Return whether few of many rows are equal to others, as some of them show."""
    some = projected(X[:: len(X) // _SAMPLED_ROWS])
    return 2 * np.unique(some).size > some.size


# -- distinct rows ---------------------------------------------------------------------------------
# In an order that does not depend on where they stand, in which equal rows meet.


_FEW = 1 << 10
"""Counts that are put in order sooner than it is known whether they are all the same."""


def projected(rows: FloatArray) -> FloatArray:
    """Return a fixed random combination of the columns.

    Column by column, not as a matrix product, so that equal rows give equal numbers wherever they stand.
    """
    size, k = rows.shape
    factors = _factors(k)
    step = max(2, CHUNK // max(1, k))
    out: FloatArray
    if size <= step:
        # Column by column, not as a matrix product, so that equal rows give equal numbers wherever they
        # stand.
        out = np.add.reduce(np.multiply(factors, rows.T, order="C"))
        return out
    out = np.empty(size)
    for start in range(0, size - 1, step):
        # NumPy adds up a single row in another order than several: the last one goes with those before it.
        part = slice(start, size if start + step >= size - 1 else start + step)
        np.add.reduce(np.multiply(factors, rows[part].T, order="C"), out=out[part])
    return out


@lru_cache(maxsize=64)
def _factors(k: int) -> FloatArray:
    """Return k fixed random numbers, shape (k, 1)."""
    return np.random.Generator(np.random.PCG64(7)).normal(size=(k, 1))


def ordered(rows: FloatArray, keys: Sequence[FloatArray | IntArray]) -> tuple[IntArray, BoolArray]:
    """Return an order in which equal rows stand together, and which of them differ from the one before.

    `rows` has shape (C, k). `keys`, arrays of shape (C,), is what the order goes by, the last first:
    projections, which are alike for equal rows, and what else is to keep rows apart.
    """
    # One key is sorted several times as quickly alone.
    order = keys[0].argsort() if len(keys) == 1 else np.lexsort(keys)
    alike = np.ones(max(order.size - 1, 0), dtype=np.bool_)
    for key in keys:
        in_order = key.take(order)  # several times as quick as an index in brackets
        alike &= in_order[1:] == in_order[:-1]
    fresh = np.empty(order.size, dtype=np.bool_)
    fresh[:1] = True
    np.logical_not(alike, out=fresh[1:])
    same = alike.nonzero()[0]
    if same.size and _differ(rows, order, same).any():  # a column so large that the others are lost in sums
        order = np.lexsort([*rows.T, *keys])
        fresh[same + 1] = _differ(rows, order, same)
    return order, fresh


def _differ(rows: FloatArray, order: IntArray, places: IntArray) -> BoolArray:
    """Return at which places in this order a row differs from the next one."""
    by_column = rows.T
    one, next_one = (by_column.take(order.take(at), axis=1) for at in (places, places + 1))
    differ: BoolArray = np.logical_or.reduce(one != next_one)
    return differ


def varies(column: FloatArray | IntArray) -> bool:
    """Return whether some value is another than the first; most often the last one is."""
    return bool(column[0] != column[-1] or np.count_nonzero(column != column[0]))


@dataclass(frozen=True, eq=False)
class Distinct:
    """Distinct rows within strata in a canonical order, with their counts and items per unit.

    `order`, of shape (C,), puts rows that are equal together, and `starts` says where each begins.
    """

    X: FloatArray
    units: Units
    sizes: FloatArray
    order: IntArray
    starts: IntArray

    @property
    def first(self) -> IntArray:
        """One of the rows that were given for each distinct one."""
        return self.order[self.starts]

    @property
    def rows(self) -> IntArray:
        """Which of the distinct rows each row is that was given, shape (C,)."""
        out = np.empty(self.order.size, dtype=np.int64)
        if self.starts.size == self.order.size:
            out[self.order] = self.starts
            return out
        fresh = np.zeros(self.order.size, dtype=np.int64)
        fresh[self.starts[1:]] = 1
        out[self.order] = fresh.cumsum()
        return out


def distinct_rows(
    X: FloatArray, counts: IntArray, strata: IntArray | None, sizes: FloatArray | None = None
) -> Distinct:
    """Return distinct rows within strata in a canonical order; units without `sizes` hold one item each."""
    projection = projected(X)
    keys: list[FloatArray | IntArray] = [projection]
    if sizes is not None and varies(sizes):
        keys.insert(0, sizes)
    order, fresh = ordered(X, keys if strata is None else [*keys, strata])
    starts = fresh.nonzero()[0]
    bounds = np.array([0, starts.size])
    if strata is not None:
        in_strata = strata[order]
        edges = np.flatnonzero(in_strata[1:] != in_strata[:-1]) + 1
        bounds = np.concatenate([[0], np.searchsorted(starts, edges), [starts.size]])
    ordered_counts = counts.take(order) if order.size <= _FEW or varies(counts) else counts
    distinct = starts.size == order.size
    first = order if distinct else order[starts]
    return Distinct(
        _taken(X, first),
        Units(ordered_counts if distinct else np.add.reduceat(ordered_counts, starts), bounds),
        np.ones(first.size) if sizes is None else sizes.take(first),
        order,
        starts,
    )


def _taken(X: FloatArray, rows: IntArray) -> FloatArray:
    """Return some rows of columns that may lie one after the other, without a copy of all of them by rows."""
    if X.flags.c_contiguous:
        return X.take(rows, axis=0)
    out = np.empty((rows.size, X.shape[1]))
    for part in chunks(rows.size, X.shape[1]):
        out[part] = X.T.take(rows[part], axis=1).T
    return out
