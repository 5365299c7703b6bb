"""The statistics of all metrics and systems side by side: distinct units, counted; columns, once each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from bestby._core import checks, rounding
from bestby._core.cached import cached_property
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.engine.distinct_columns import distinct_columns, side_by_side, varying_columns
from bestby.engine.memo import Memo
from bestby.engine.row_order import Distinct, distinct_rows, ordered, projected
from bestby.resampling.units import Units

_AT_ONCE = 1 << 16
"""Numbers of several columns that are compared at once."""

SMALL = 2.0**40
"""Whole numbers below this are equal or differ by more than their last bits."""

FEW_COMBINATIONS = 1 << 16
"""Combinations of the rows of one system or two up to which units are counted before they are sorted."""

EXACT = 2.0**53
"""Sums of whole numbers below this are exact."""


@dataclass(frozen=True, eq=False)
class Table:
    """Distinct rows of statistics, and where each metric and system finds its columns.

    `X`, of shape (C, k), has the columns that vary between units, one row per distinct unit, in an order that
    does not depend on that of the items; `units` are their multiplicities and strata, `sizes` their items.
    `constants`, of shape (c,), are the columns that do not vary, numbered after those of `X`. `columns[m][s]`
    says which columns are the statistics of metric m and system s. `item_counts`, of shape (I,), says how
    many items have each of the rows that the table was made of: `kinds` are the distinct ones among them, or
    `item_columns`, k + c of shape (I,) each, are their columns if they were summed to clusters.
    """

    X: FloatArray
    units: Units
    constants: FloatArray
    columns: Sequence[Sequence[IntArray]]
    item_counts: IntArray
    clustered: bool
    sizes: FloatArray
    item_columns: Sequence[FloatArray] = ()
    kinds: Distinct | None = None

    @cached_property
    def items(self) -> FloatArray:
        """The rows of items before they were summed to clusters, shape (I, k + c), column by column."""
        width = self.X.shape[1] + self.constants.size
        if self.kinds is not None:
            return self.rows(np.arange(width)).T.take(self.kinds.rows, axis=1).T
        return np.stack(self.item_columns).T if self.item_columns else np.empty((0, width))

    def full(self, totals: FloatArray, n_units: int) -> FloatArray:
        """Append the totals of the constant columns to totals (..., k) of `n_units` units."""
        if self.constants.size == 0:
            return totals
        tail = n_units * self.constants
        if totals.ndim > 1:
            tail = np.broadcast_to(tail, (*totals.shape[:-1], tail.size))
        return np.concatenate([totals, tail], axis=-1)

    def bare(self) -> Table:
        """Return the table without its rows: which columns there are, and the constant ones."""
        none = np.zeros(0, dtype=np.int64)
        units = Units(none, np.zeros(1, dtype=np.int64))
        return replace(
            self,
            X=self.X[:0],
            units=units,
            item_counts=none,
            sizes=self.sizes[:0],
            item_columns=(),
            kinds=None,
        )

    def total(self) -> FloatArray:
        """Return the totals of all columns over the full data."""
        return self._total

    @cached_property
    def _total(self) -> FloatArray:
        return self.full(self.units.weights @ self.X, self.units.n)

    def left_out(self) -> FloatArray:
        """Return the totals of all columns without one unit of each kind, shape (C, K)."""
        k, total = self.X.shape[1], self._total
        out = np.empty((total.size, self.units.n_rows))  # column by column, as metrics read them
        np.subtract(total[:k, None], self.X.T, out=out[:k])
        out[k:] = (self.units.n - 1) * self.constants[:, None]
        return out.T

    @cached_property
    def whole(self) -> bool:
        """Whether the numbers are whole and their totals exact, so that they are the same in any order."""
        return self._largest_sum < EXACT

    @cached_property
    def exact_products(self) -> bool:
        """Whether the numbers are whole, and so small that products of two of them have exact totals, too."""
        constants = self.constants
        largest = max(self._largest_sum, self.units.n * checks.largest(constants))
        return largest * largest < EXACT and bool((np.rint(constants) == constants).all())

    @cached_property
    def _largest_sum(self) -> float:
        """The largest total of the sizes of whole numbers; infinite of others."""
        for rows in (self.X[:1], self.X):  # mostly the first one tells
            if not np.logical_and.reduce(np.rint(rows) == rows, axis=None):
                return math.inf
        return float(np.maximum.reduce(self.units.weights @ np.abs(self.X), initial=0.0))

    @cached_property
    def _small(self) -> bool:
        """Whether the numbers are few, whole and so small that no two differ by rounding alone."""
        X, constants = self.X, self.constants
        if X.shape[0] > _AT_ONCE or self._largest_sum >= SMALL:
            return False
        return not constants.size or (
            bool((np.rint(constants) == constants).all()) and float(np.abs(constants).max()) < SMALL
        )

    def changes(self, a: IntArray, b: IntArray) -> FloatArray:
        """Return some columns minus others, shape (C, len(a)), 0 where only the last bits differ."""
        of_a, of_b = self.rows(a), self.rows(b)
        return np.subtract(of_a, of_b) if self._small else rounding.difference(of_a, of_b)

    def constant(self, column: int) -> float | None:
        """Return the value of a constant column, None for one that varies."""
        position = column - self.X.shape[1]
        return float(self.constants[position]) if position >= 0 else None

    def column(self, column: int) -> FloatArray:
        """Return one column, shape (C,)."""
        value = self.constant(column)
        return self.X[:, column] if value is None else np.full(self.X.shape[0], value)

    def difference(self, one: int, other: int) -> FloatArray:
        """Return one column less another, shape (C,), 0 where they are equal but for their last bits."""
        return self._differences.get((one, other), self._difference)

    def _difference(self, columns: tuple[int, int]) -> FloatArray:
        one, other = columns
        return rounding.difference(self.column(one), self.column(other))

    @cached_property
    def _differences(self) -> Memo[tuple[int, int], FloatArray]:
        return Memo(1)  # the interval and the test of a pair ask for the same one

    def rows(self, columns: IntArray, part: slice = slice(None)) -> FloatArray:
        """Return columns of some units, shape (C, len(columns)), as a new array; each is contiguous."""
        X = self.X[part]
        if not self.constants.size:
            return X.T[columns].T
        n_rows, k = X.shape
        constant = (columns >= k).nonzero()[0]
        out = X.T[np.minimum(columns, k - 1)] if k else np.empty((columns.size, n_rows))
        out[constant] = self.constants[columns[constant] - k, None]
        return out.T

    def only(self, systems: Sequence[IntArray]) -> tuple[Table, IntArray]:
        """Return the table of some systems on one metric, by their columns, as if there were no others.

        It has no rows of items. The second result is one of the units here for each of its rows.
        """
        varying, constant = self._used(systems)
        if self.few_kinds(systems):
            chosen, counts = self._first_of_each(*self._numbered(systems))
            strata = self._strata
            X = self.X.take(chosen, axis=0).take(varying, axis=1)
            kinds = distinct_rows(X, counts, None if strata is None else strata[chosen])
            chosen = chosen[kinds.first]
        else:
            kinds = self._distinct(varying)
            chosen = kinds.first
        return self._with(kinds.X, kinds.units, kinds.sizes, systems, varying, constant), chosen

    def alone(self, columns: IntArray) -> tuple[Table, IntArray]:
        """Return the same of one system, with the row of that table that each unit here has, shape (C,)."""
        varying, constant = self._used([columns])
        # Kinds are numbered in the order in which a table of their own has them.
        strata, numbered = self._strata, tuple(columns.tolist()) in self._known_kinds
        if (strata is None and not numbered) or not self.few_kinds([columns]):
            kinds = self._distinct(varying)
            found = self._with(kinds.X, kinds.units, kinds.sizes, [columns], varying, constant)
            rows = kinds.rows
            if strata is None and not self.clustered:
                self._keep_kinds(columns, rows, kinds.starts.size)
            return found, rows
        key, number = self._numbered([columns])
        chosen, counts = self._first_of_each(key, number)
        of_chosen = np.zeros(chosen.size) if strata is None else strata[chosen]
        units = Units(counts, np.searchsorted(of_chosen, np.arange(self.units.bounds.size)))
        X = self.X.take(chosen, axis=0).take(varying, axis=1)
        found = self._with(X, units, self.sizes[chosen], [columns], varying, constant)
        return found, key if strata is None else np.searchsorted(key[chosen], key)

    def _distinct(self, columns: Sequence[int]) -> Distinct:
        """Return the distinct units by some columns that vary."""
        sizes = self.sizes if self.clustered else None
        return distinct_rows(self.X.take(columns, axis=1), self.units.counts, self._strata, sizes)

    def rows_alone(self, columns: IntArray) -> IntArray:
        """Return the second result of `alone`."""
        if self._strata is None and self.few_kinds([columns]):
            return self._kinds(columns)[0]
        return self.alone(columns)[1]

    def _used(self, systems: Sequence[IntArray]) -> tuple[list[int], list[int]]:
        """Return the columns of some systems that vary, and those that do not, each once."""
        used = dict.fromkeys(chain.from_iterable(columns.tolist() for columns in systems))
        k = self.X.shape[1]
        return [column for column in used if column < k], [column for column in used if column >= k]

    def _with(
        self,
        X: FloatArray,
        units: Units,
        sizes: FloatArray,
        systems: Sequence[IntArray],
        varying: Sequence[int],
        constant: Sequence[int],
    ) -> Table:
        """Return the table of some systems with these units."""
        place = {column: position for position, column in enumerate((*varying, *constant))}
        k = self.X.shape[1]
        return Table(
            X=X,
            units=units,
            constants=self.constants[[column - k for column in constant]],
            columns=[[np.array([place[c] for c in columns.tolist()]) for columns in systems]],
            item_counts=np.empty(0, dtype=np.int64),
            clustered=self.clustered,
            sizes=sizes,
        )

    def few_kinds(self, systems: Sequence[IntArray]) -> int:
        """Return how many combinations the rows of some systems can have; 0 if over `FEW_COMBINATIONS`."""
        if self.clustered:
            return 0
        most = 1
        for columns in systems:
            most *= self._kinds(columns)[1]
            if most > FEW_COMBINATIONS:
                return 0
        return most if most * self.units.n_strata <= FEW_COMBINATIONS else 0

    def _kinds(self, columns: IntArray) -> tuple[IntArray, int]:
        """Return the kind of each unit by the columns of a system, shape (C,), and how many kinds there are.

        With more than `FEW_COMBINATIONS` kinds, only their number is told.
        """
        key = tuple(columns.tolist())
        if key not in self._known_kinds:
            rows = self.X.T[self._used([columns])[0]].T
            order, fresh = ordered(rows, [projected(rows)])
            codes = np.empty(order.size, dtype=np.int64)
            codes[order] = np.cumsum(fresh) - 1
            self._keep_kinds(columns, codes, int(np.count_nonzero(fresh)))
        return self._known_kinds[key]

    def _keep_kinds(self, columns: IntArray, codes: IntArray, number: int) -> None:
        if number > FEW_COMBINATIONS:
            codes = np.empty(0, dtype=np.int64)
        self._known_kinds[tuple(columns.tolist())] = codes, number

    @cached_property
    def _known_kinds(self) -> dict[tuple[int, ...], tuple[IntArray, int]]:
        return {}

    @cached_property
    def _strata(self) -> IntArray | None:
        """The stratum of each unit, shape (C,); None without strata."""
        bounds = self.units.bounds
        return np.repeat(np.arange(bounds.size - 1), np.diff(bounds)) if bounds.size > 2 else None

    def _numbered(self, systems: Sequence[IntArray]) -> tuple[IntArray, int]:
        """Return the kind of each unit by all of some systems and its stratum, shape (C,), of how many."""
        key, total = self._strata, self.units.n_strata
        for columns in systems:
            codes, number = self._kinds(columns)
            key, total = codes if key is None else key * number + codes, total * number
        assert key is not None  # there is a system
        return key, total

    def _first_of_each(self, key: IntArray, number: int) -> tuple[IntArray, IntArray]:
        """Return one unit of each kind that there is, and how many units are of it."""
        counts = self.units.counts
        one_each = bool(counts.max() == 1)
        of_key = np.bincount(key, None if one_each else counts, number).astype(np.int64, copy=False)
        unit = np.empty(number, dtype=np.int64)
        unit[key] = np.arange(key.size)
        present = of_key.nonzero()[0]
        return unit[present], of_key[present]

    def differing(self, a: IntArray, b: IntArray) -> tuple[int, int]:
        """Return on how many items, and on how many units, two sets of columns differ."""
        own = a != b  # a column that both use differs nowhere
        a, b = a[own], b[own]
        apart = _apart(self.rows, a, b, self.X.shape[0], exact=self._small)
        n_units = int(self.units.counts[apart].sum())
        if not self.clustered:
            return n_units, n_units
        items = _apart(lambda columns: self.items.take(columns, axis=1), a, b, self.items.shape[0])
        return int(self.item_counts[items].sum()), n_units


def _apart(
    rows: Callable[[IntArray], FloatArray], a: IntArray, b: IntArray, n: int, *, exact: bool = False
) -> BoolArray:
    """Return in which of n rows columns `a` differ from columns `b` by more than rounding.

    `rows` returns some columns, of which a few are taken at a time. `exact` numbers are not rounded.
    """
    out = np.zeros(n, dtype=np.bool_)
    step = max(1, _AT_ONCE // max(1, n))
    for start in range(0, a.size, step):
        of_a, of_b = rows(a[start : start + step]), rows(b[start : start + step])
        apart = of_a != of_b
        if not exact:
            apart[apart] = rounding.difference(of_a[apart], of_b[apart]) != 0.0
        out |= apart.any(axis=1)
    return out


def build(
    statistics: Iterable[Iterable[FloatArray]],
    counts: IntArray,
    strata: IntArray | None,
    clusters: IntArray | None,
    unit_sizes: FloatArray | None = None,
) -> Table:
    """Put the statistics of all metrics and systems side by side.

    `counts`, `strata` and `unit_sizes` have shape (I,) and the arrays in `statistics` have shape (I, k_m);
    they are taken one by one. `clusters`, of shape (I,), is the cluster of each row, as codes from 0; rows
    then stand for one item each. The distinct units are sorted by stratum and by a projection of their rows.
    """
    unique, columns = distinct_columns(statistics)
    of_units, row_counts, row_strata, sizes = unique, counts, strata, unit_sizes
    if clusters is not None:
        n_clusters = int(clusters.max()) + 1
        sizes = np.bincount(clusters, weights=counts, minlength=n_clusters).astype(np.float64)
        of_units = [
            np.bincount(clusters, weights=column, minlength=n_clusters).astype(np.float64, copy=False)
            for column in unique
        ]
        row_counts = np.ones(n_clusters, dtype=np.int64)
        if strata is not None:
            row_strata = np.zeros(n_clusters, dtype=np.int64)
            row_strata[clusters] = strata
    varying = varying_columns(of_units)
    order = [i for i, one in enumerate(varying) if one] + [i for i, one in enumerate(varying) if not one]
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    n_varying = sum(varying)
    rows = side_by_side([of_units[i] for i in order[:n_varying]], row_counts.size)
    constants = np.array([of_units[i][0] for i in order[n_varying:]])
    item_columns = [] if clusters is None else [unique[i] for i in order]
    del unique, of_units  # all their numbers are in the rows, which make place for their like
    kinds = distinct_rows(rows, row_counts, row_strata, sizes)
    return Table(
        X=kinds.X,
        units=kinds.units,
        constants=constants,
        columns=[[place[c] for c in systems] for systems in columns],
        item_counts=counts,
        clustered=clusters is not None or unit_sizes is not None,
        sizes=kinds.sizes,
        item_columns=item_columns,
        kinds=kinds if clusters is None else None,
    )


def restated(source: Table, statistics: Sequence[Sequence[FloatArray]]) -> Table:
    """Return a table of the same units with other statistics, shape (C, k) each, without rows of items."""
    unique, columns = distinct_columns(statistics)
    rows = np.column_stack(unique)
    varying = rows.max(axis=0) != rows.min(axis=0)
    place = np.empty(varying.size, dtype=np.int64)
    place[np.concatenate([np.flatnonzero(varying), np.flatnonzero(~varying)])] = np.arange(varying.size)
    return replace(
        source,
        X=np.ascontiguousarray(rows[:, varying]),
        constants=rows[0, ~varying],
        columns=[[place[c] for c in systems] for systems in columns],
        item_counts=np.empty(0, dtype=np.int64),
        item_columns=(),
        kinds=None,
    )
