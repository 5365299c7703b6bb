"""Correlations between gold values and predictions."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.metrics import _rank_groups, _rank_pairs, _rank_swaps, _rank_weights
from bestby.metrics._inversions import Inversions
from bestby.metrics._items import required_gold
from bestby.metrics._lines import Line, SmoothMetric
from bestby.metrics._ranked import RankMetric, Ranks, places_in, totals_to_group_ends
from bestby.metrics.base import Names, StandardisedMetric
from bestby.metrics.derivatives import WeightDerivatives

_ROUNDING = 8.0 * rounding.EPS  # numbers apart by less than this part are the same


@dataclass(frozen=True, repr=False)
class Pearson(StandardisedMetric, SmoothMetric):
    """Pearson's correlation.

    Gold and the predictions of each system are first centred and scaled by their own mean and standard
    deviation on the full data, which makes the sums accurate, so that `statistics` must be given whole
    columns. The test ``"permutation"`` swaps the predictions as they were given,
    ``"permutation-standardised"`` the standard scores.
    """

    name: str = "pearson"
    centre: float = 0.0
    scale: float = 1.0
    locations: tuple[tuple[float, float], ...] = ()
    bounds = (-1.0, 1.0)
    correlation = True

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the centres and scales of the gold and the systems fixed."""
        centre, scale = _location(self.name, "the gold is", required_gold(gold, self.name))
        locations = tuple(_centre_and_scale(predictions) for predictions in systems)
        return dataclasses.replace(self, centre=centre, scale=scale, locations=locations)

    def statistics(self, gold: Array, predictions: Array) -> FloatArray:
        """Return standard scores, their squares, their product and 1."""
        out = np.empty((6, len(predictions)))
        x, xx, xy, y, yy, ones = out
        np.subtract(np.asarray(gold, dtype=np.float64), self.centre, out=y)
        y /= self.scale
        centre, scale = _location(self.name, "the predictions are", predictions)
        np.subtract(np.asarray(predictions, dtype=np.float64), centre, out=x)
        x /= scale
        np.multiply(x, x, out=xx)
        np.multiply(x, y, out=xy)
        np.multiply(y, y, out=yy)
        ones.fill(1.0)
        return out.T

    def standard_scores(self, column: FloatArray) -> FloatArray:
        """Return the column as it is."""
        return column

    def as_given(self, rows: FloatArray, system: int, centre: float, scale: float) -> FloatArray:
        """Return the statistics of x = shift + factor z, from those of the standard scores z."""
        own_centre, own_scale = self.locations[system]
        shift, factor = (own_centre - centre) / scale, own_scale / scale
        z, zz, zy, y, yy, n = rows.T
        out = np.empty((6, len(rows)))
        out[0] = factor * z + shift * n
        out[1] = factor * factor * zz + 2.0 * shift * factor * z + shift * shift * n
        out[2] = factor * zy + shift * y
        out[3:] = y, yy, n
        return out.T

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the correlation; NaN where a column is constant."""
        x, xx, xy, y, yy, n = (totals[..., column] for column in range(6))
        x_part, y_part = n * xx, n * yy
        noise_x, noise_y = (rounding.noise_width(part, rounding.SQUARES) for part in (x_part, y_part))
        x_part -= x * x
        y_part -= y * y
        defined = x_part > noise_x
        defined &= y_part > noise_y
        products = n * xy
        products -= x * y
        return _over_roots(products, x_part, y_part, defined)

    def along(self, totals: Line) -> Line | None:
        """Return the same; None where a column is constant."""
        x, xx, xy, y, yy, n = totals.split(6)
        x_part, y_part = n * xx - x.square(), n * yy - y.square()
        for part, squares in ((x_part, xx), (y_part, yy)):
            if part.value[0] <= rounding.noise_width(n.value[0] * squares.value[0], rounding.SQUARES):
                return None
        return (n * xy - x * y) / (x_part * y_part).root()


@dataclass(frozen=True, eq=False)
class TwoOrders:
    """The predictions (x) and the gold (y), each sorted once."""

    x: Ranks
    y: Ranks

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self.x.groups.size

    @cached_property
    def y_by_x(self) -> IntArray:
        """Where each item stands in the order of y, the items being in the order of x."""
        return places_in(self.y.order).take(self.x.order)

    @cached_property
    def order(self) -> IntArray:
        """The items in the order of x, and of y where they are tied in x."""
        return np.lexsort((self.y.groups, self.x.groups))

    @cached_property
    def inversions(self) -> Inversions:
        """The items in this order, with their places in the order of y: ties are not inverted."""
        return Inversions(places_in(np.argsort(self.y.groups.take(self.order), kind="stable")))

    @cached_property
    def last(self) -> BoolArray:
        """True at the last position in this order of each group of items tied in both columns."""
        tied = [np.diff(column.groups.take(self.order)) == 0 for column in (self.x, self.y)]
        return np.append(~(tied[0] & tied[1]), True)


@dataclass(frozen=True, repr=False)
class _RankCorrelation(RankMetric):
    """What `Spearman` and `Kendall` share: one sort of each column.

    The gold, in order, is kept for all systems.
    """

    name: str = ""
    gold: Ranks | None = dataclasses.field(default=None, repr=False, compare=False)
    bounds = (-1.0, 1.0)
    correlation = True

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the gold in order, having seen that it is not constant."""
        return dataclasses.replace(self, gold=self._ranks("the gold is", required_gold(gold, self.name)))

    def prepare(self, gold: Any, predictions: Any) -> TwoOrders:
        """Sort both columns, once."""
        return TwoOrders(self._ranks("the predictions are", np.asarray(predictions)), self._of_gold(gold))

    def of_both(self, gold: Array, predictions: Array) -> TwoOrders:
        """Prepare the items of two systems; the gold is in order already."""
        return TwoOrders(self._ranks("the predictions are", predictions), self._of_gold(gold).twice())

    def _of_gold(self, gold: Any) -> Ranks:
        y = self.gold
        return y if y is not None and y.values is gold else self._ranks("the gold is", np.asarray(gold))

    def _ranks(self, what: str, values: Array) -> Ranks:
        _check_varied(self.name, what, values.min(), values.max())
        return Ranks.of(values)


class Spearman(_RankCorrelation):
    """Spearman's rank correlation: Pearson's correlation of midranks, ranked anew in every resample.

    Undefined (NaN) on a resample in which a column is constant.
    """

    def _vectorised(self, prepared: TwoOrders, counts: Array) -> FloatArray:
        n_items = counts.sum(axis=1, dtype=np.int64)[:, None]
        largest = int(n_items.max())
        # Sums of products are exact in floats for few items, and in whole numbers for more.
        # Products of up to 200,000 ranks that are halves add up exactly in floats, and cubes of sizes up to
        # 2,000,000 fit whole numbers of 64 bits.
        exact = np.int64 if 200_000 < largest <= 2_000_000 else np.float64
        drawn = counts.take(prepared.x.order, axis=1)
        x, sizes = _doubled_ranks(drawn, n_items, prepared.x)
        xx = yy = _sum_of_squares(sizes.astype(exact), n_items)
        drawn_y = counts.take(prepared.y.order, axis=1)
        y, sizes_y = _doubled_ranks(drawn_y, n_items, prepared.y)
        if prepared.x.has_ties or prepared.y.has_ties:
            yy = _sum_of_squares(sizes_y.astype(exact), n_items)
        products = x.astype(exact)
        products *= drawn
        products *= y.take(prepared.y_by_x, axis=1)
        return _quotient(products.sum(axis=1).astype(np.float64), xx, yy)

    def swap_effects(self, prepared: TwoOrders) -> FloatArray | None:
        """Return what swaps change, where no two items share predictions; see `RankMetric`."""
        return _rank_swaps.spearman(prepared.x, prepared.y)

    def derivatives(self, prepared: TwoOrders) -> WeightDerivatives:
        """Return the derivatives by the weights of the items."""
        of_groups = partial(_rank_groups.spearman, prepared.x.groups, prepared.y.groups)
        return dataclasses.replace(_rank_weights.spearman(prepared.x, prepared.y), second_of_groups=of_groups)


class Kendall(_RankCorrelation):
    """Kendall's tau-b: concordant minus discordant pairs, over the geometric mean of the untied pairs.

    Kendall (1945), Biometrika 33, 239-251. Copies of one item in a resample are tied with each other.
    Undefined (NaN) on a resample in which a column is constant.

    >>> metric = Kendall("kendall")
    >>> orders = metric.prepare(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    >>> metric.weighted(orders, np.array([[1, 1, 1]])).round(4)
    array([0.3333])
    """

    def _vectorised(self, prepared: TwoOrders, counts: Array) -> FloatArray:
        tied_x, tied_y = (
            _pairs(counts.take(column.order, axis=1), column.last) for column in (prepared.x, prepared.y)
        )
        pairs = counts.sum(axis=1, dtype=np.int64) ** 2
        in_order = counts.take(prepared.order, axis=1)
        untied = pairs - tied_x - tied_y + _pairs(in_order, prepared.last)
        agreement = (untied - 4 * prepared.inversions.count(in_order)).astype(np.float64)
        return _quotient(agreement, (pairs - tied_x).astype(np.float64), (pairs - tied_y).astype(np.float64))

    def whole(self, prepared: TwoOrders) -> float:
        """Score the data, from the pairs of items in the same order."""
        n, groups = prepared.n_items, (prepared.x.groups, prepared.y.groups)
        sums = _rank_pairs.agreement(*groups), *(float(n * n - _squares(one)) for one in groups)
        return float(_quotient(*(np.array([one]) for one in sums))[0])

    def swap_effects(self, prepared: TwoOrders) -> FloatArray | None:
        """Return what swaps change, where no two items share predictions; see `RankMetric`."""
        return _rank_swaps.kendall(prepared.x, prepared.y)

    def derivatives(self, prepared: TwoOrders) -> WeightDerivatives:
        """Return the derivatives by the weights of the items."""
        groups = prepared.x.groups, prepared.y.groups
        of_groups = partial(_rank_groups.kendall, *groups)
        return dataclasses.replace(_rank_weights.kendall(*groups), second_of_groups=of_groups)


def _pairs(in_order: Array, last: BoolArray) -> IntArray:
    """Return the pairs of tied copies, in either order and each with itself, from weights in order (R, n)."""
    sizes = in_order
    if not last.all():
        up_to, before = totals_to_group_ends(in_order, last)
        sizes = up_to - before
    pairs: IntArray = np.einsum("rg,rg->r", sizes, sizes, dtype=np.int64)
    return pairs


def _doubled_ranks(drawn: Array, n_items: IntArray, column: Ranks) -> tuple[Array, Array]:
    """Return midranks at each position (R, n), doubled and centred, and the sizes of the groups of ties.

    `drawn` are the weights (R, n) in the order of the column, and `n_items` (R, 1) their sums.
    """
    # Twice the ranks of so many items have a place in 32 bits
    narrow = np.int32 if n_items.max() <= 1 << 29 else np.int64
    ranks: Array = np.cumsum(drawn, axis=1, dtype=narrow)
    sizes = drawn
    if column.has_ties:
        ranks = ranks[:, column.last]
        sizes = np.diff(ranks, axis=1, prepend=narrow(0))
    ranks += ranks
    ranks -= sizes
    ranks -= n_items.astype(narrow)
    return ranks.take(column.group_at, axis=1) if column.has_ties else ranks, sizes


def _sum_of_squares(sizes: Array, n_items: IntArray) -> FloatArray:
    """Return the sum of squares of doubled and centred midranks, from the sizes (R, G) of the groups of ties.

    It is (n^3 - sum of size^3) / 3, summed as size (n - size) (n + size), which loses no digit.
    """
    n = n_items.astype(sizes.dtype)
    parts = n - sizes
    parts *= n + sizes
    parts *= sizes
    squares: FloatArray = parts.sum(axis=1).astype(np.float64) / 3.0
    return squares


def _squares(groups: IntArray) -> int:
    """Return the sum of the squares of the sizes of groups."""
    sizes = np.bincount(groups)
    return int(sizes @ sizes)


def _quotient(products: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the correlation from whole-numbered sums; NaN where a column is constant."""
    return _over_roots(products, x, y, (x > 0.0) & (y > 0.0))


def _over_roots(products: FloatArray, x: FloatArray, y: FloatArray, defined: BoolArray) -> FloatArray:
    """Return the products over the roots of both squares; NaN where that is not defined."""
    everywhere = bool(defined.all())
    if not everywhere:
        x, y = np.where(defined, x, 1.0), np.where(defined, y, 1.0)
    roots = np.sqrt(x)
    roots *= np.sqrt(y)
    found = np.minimum(np.maximum(products / roots, -1.0), 1.0)
    return np.asarray(found if everywhere else np.where(defined, found, np.nan))


def _location(name: str, what: str, values: Array) -> tuple[float, float]:
    """Return mean and standard deviation, if there is any spread beyond rounding."""
    numbers = np.asarray(values, dtype=np.float64)
    centre, scale = _centre_and_scale(numbers)
    # The range is at least the deviation, and no number is more than the root of n deviations from the mean.
    if not scale > _ROUNDING * (abs(centre) + scale * math.sqrt(numbers.size)):
        low, high = float(numbers.min()), float(numbers.max())
        _check_varied(name, what, low, high, _ROUNDING * max(abs(low), abs(high)))
    return centre, scale


def _centre_and_scale(values: Array) -> tuple[float, float]:
    numbers = np.asarray(values, dtype=np.float64)
    centre = float(np.add.reduce(numbers)) / numbers.size
    squares = numbers - centre
    squares *= squares
    return centre, math.sqrt(float(np.add.reduce(squares)) / numbers.size)


def _check_varied(name: str, what: str, low: float, high: float, rounding: float = 0.0) -> None:
    """Refuse values, from the lowest to the highest, that are all the same."""
    if low == high or high - low <= rounding:
        raise InvalidInputError(
            f"{name} is undefined: {what} constant ({low:g} on all items)",
            hint="a correlation needs values that vary",
        )


NAMES: Names = {
    "pearson": ("linear correlation", Pearson),
    "spearman": ("rank correlation", Spearman),
    "kendall": ("rank correlation, tau-b", Kendall),
}

SUGGESTIONS = {"tau": "kendall"}
