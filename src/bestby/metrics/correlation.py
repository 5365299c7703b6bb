"""Correlations between gold values and predictions: Pearson's, Spearman's, Kendall's.

Pearson's is a function of sums. The other two are functions of ranks: after one sort of each column they
take weights of the items, and respond smoothly to them. Their derivatives at equal weights follow below the
classes: those by the weight of each item, then by the common weight of the items of a group. A score does not
change if all weights are multiplied, so that first derivatives sum to 0.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.chunks import CHUNK, chunks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray, ScorePath
from bestby.metrics._items import required_gold
from bestby.metrics.base import Names, StandardisedMetric, WeightDerivatives
from bestby.metrics.ranks import (
    Concordance,
    GroupValues,
    Inversions,
    Polynomial,
    RankMetric,
    Ranks,
    from_here,
    group_sums,
    places_in,
    quotient_bend,
    quotients,
    totals_to_group_ends,
)
from bestby.metrics.smooth import Line, SmoothMetric

_ROUNDING = 8.0 * rounding.EPS
"""Part of their size by which the greatest and the least of equal numbers may differ, after arithmetic."""


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

    def on_scale(self, rows: FloatArray, system: int, centre: float, scale: float) -> FloatArray:
        """Return the statistics of x = shift + factor z, from those of the standard scores z."""
        # With x = s + f z, sums of x are f Z + s n, of x^2 f^2 ZZ + 2 s f Z + s^2 n, of x y f ZY + s Y.
        system_centre, system_scale = self.locations[system]
        shift, factor = (system_centre - centre) / scale, system_scale / scale
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
        # (n XY - X Y) / sqrt((n XX - X^2) (n YY - Y^2)). A difference of squares that is rounding would make
        # a constant column correlate with anything.
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
        """Return the correlation along lines; None where a column is constant."""
        x, xx, xy, y, yy, n = totals.split(6)
        x_part, y_part = n * xx - x.square(), n * yy - y.square()
        for part, squares in ((x_part, xx), (y_part, yy)):
            if part.value[0] <= rounding.noise_width(n.value[0] * squares.value[0], rounding.SQUARES):
                return None
        return (n * xy - x * y) / (x_part * y_part).root()


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


def _over_roots(products: FloatArray, x: FloatArray, y: FloatArray, defined: BoolArray) -> FloatArray:
    """Return the products over the roots of both squares; NaN where that is not defined."""
    everywhere = bool(defined.all())
    if not everywhere:
        x, y = np.where(defined, x, 1.0), np.where(defined, y, 1.0)
    roots = np.sqrt(x)
    roots *= np.sqrt(y)
    correlations = np.minimum(np.maximum(products / roots, -1.0), 1.0)
    return np.asarray(correlations if everywhere else np.where(defined, correlations, np.nan))


# -- Spearman and Kendall ---------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class _RankCorrelation(RankMetric):
    """What `Spearman` and `Kendall` share: one sort of each column, that of the gold for all systems."""

    name: str = ""
    gold: Ranks | None = dataclasses.field(default=None, repr=False, compare=False)
    bounds = (-1.0, 1.0)
    correlation = True

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the gold in order, having seen that it is not constant."""
        return dataclasses.replace(self, gold=self._ranks("the gold is", required_gold(gold, self.name)))

    def prepare(self, gold: Any, predictions: Any) -> TwoOrders:
        """Sort both columns, once."""
        return TwoOrders(self._ranks("the predictions are", np.asarray(predictions)), self._gold_ranks(gold))

    def prepare_both(self, gold: Array, predictions: Array) -> TwoOrders:
        """Prepare the items of two systems; the gold is in order already."""
        return TwoOrders(self._ranks("the predictions are", predictions), self._gold_ranks(gold).twice())

    def _gold_ranks(self, gold: Any) -> Ranks:
        y = self.gold
        return y if y is not None and y.values is gold else self._ranks("the gold is", np.asarray(gold))

    def _ranks(self, what: str, values: Array) -> Ranks:
        _check_varied(self.name, what, values.min(), values.max())
        return Ranks.of(values)


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
    def concordance(self) -> Concordance:
        """Which pairs of items are in the same order in both columns."""
        return Concordance(self.x.groups, self.y.groups)

    @cached_property
    def signs(self) -> FloatArray:
        """For each item how many are concordant with it, less how many are discordant."""
        return self.concordance.signs()

    @cached_property
    def last(self) -> BoolArray:
        """True at the last position in this order of each group of items tied in both columns."""
        tied = [np.diff(column.groups.take(self.order)) == 0 for column in (self.x, self.y)]
        return np.append(~(tied[0] & tied[1]), True)


class Spearman(_RankCorrelation):
    """Spearman's rank correlation: Pearson's correlation of midranks, ranked anew in every resample.

    Undefined (NaN) on a resample in which a column is constant.
    """

    def _vectorised(self, prepared: TwoOrders, counts: Array) -> FloatArray:
        n_items = counts.sum(axis=1, dtype=np.int64)[:, None]
        largest = int(n_items.max())
        # Doubled midranks are whole, so that sums of their products have no rounding: up to 200,000 items add
        # up exactly in floats (below 2^53), and up to 2,000,000 in whole numbers of 64 bits, which are
        # slower.
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
        x = prepared.x
        if _share_values(x):  # the variance of the ranks depends on the swaps then
            return None
        # A swap moves the item's own rank, and those of all items between its two predictions: the gold's
        # ranks up to an item say how much these add.
        gold = prepared.y.doubled.astype(np.float64)
        up_to = np.cumsum(np.bincount(x.groups, weights=gold))
        return gold * x.doubled.astype(np.float64) - 2.0 * up_to.take(x.groups)

    def derivatives(self, prepared: TwoOrders) -> WeightDerivatives:
        """Return the derivatives by the weights of the items."""
        by_group = partial(spearman_by_group, prepared.x.groups, prepared.y.groups)
        return dataclasses.replace(spearman_derivatives(prepared.x, prepared.y), second_of_groups=by_group)


def _doubled_ranks(drawn: Array, n_items: IntArray, column: Ranks) -> tuple[Array, Array]:
    """Return midranks at each position (R, n), doubled and centred, and the sizes of the groups of ties.

    `drawn` are the weights (R, n) in the order of the column, and `n_items` (R, 1) their sums.
    """
    # A group of size t that ends at the running total c has the midrank c - (t - 1) / 2; the mean of all is
    # (n + 1) / 2, so that twice the difference is 2 c - t - n. Twice the ranks of so many items fit 32 bits.
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
    """Return the sum of squares of doubled, centred midranks, from the sizes (R, G) of the groups of ties."""
    # (n^3 - sum of t^3) / 3, summed as t (n - t) (n + t), which loses no digit.
    n = n_items.astype(sizes.dtype)
    parts = n - sizes
    parts *= n + sizes
    parts *= sizes
    squares: FloatArray = parts.sum(axis=1).astype(np.float64) / 3.0
    return squares


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
        # Pairs in either order, each item with itself: of all n^2, those tied in x or y are left out, and
        # what is tied in both, which was left out twice, comes back. Concordant less discordant pairs are the
        # untied ones less twice the discordant ones, and each inversion is two of these, one in either order.
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
        n, columns = prepared.n_items, (prepared.x, prepared.y)
        untied = (float(n * n - int(column.sizes @ column.sizes)) for column in columns)
        sums = float(prepared.signs.sum()), *untied
        return float(_quotient(*(np.array([one]) for one in sums))[0])

    def swap_effects(self, prepared: TwoOrders) -> FloatArray | None:
        """Return what swaps change, where no two items share predictions; see `RankMetric`."""
        return None if _share_values(prepared.x) else prepared.signs

    def derivatives(self, prepared: TwoOrders) -> WeightDerivatives:
        """Return the derivatives by the weights of the items."""
        by_group = partial(kendall_by_group, prepared.x.groups, prepared.y.groups)
        return dataclasses.replace(kendall_derivatives(prepared), second_of_groups=by_group)


def _pairs(in_order: Array, last: BoolArray) -> IntArray:
    """Return the pairs of tied copies, in either order and each with itself, from weights in order (R, n)."""
    sizes = in_order
    if not last.all():
        up_to, before = totals_to_group_ends(in_order, last)
        sizes = up_to - before
    pairs: IntArray = np.einsum("rg,rg->r", sizes, sizes, dtype=np.int64)
    return pairs


def _quotient(products: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the correlation from whole-numbered sums; NaN where a column is constant."""
    return _over_roots(products, x, y, (x > 0.0) & (y > 0.0))


# -- derivatives by the weight of each item ---------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Term:
    """A quantity as a share of the weight is moved to each item: its value and its derivatives (n,).

    Derivatives that are the same for all items are 0, as their sum is 0.
    """

    value: float
    first: FloatArray | float


@dataclass(frozen=True, eq=False)
class _Quotient:
    """A product over the root of two squares; `first`, of shape (n,), are the derivatives by the weights."""

    product: float
    x: _Term
    y: _Term
    first: FloatArray

    @classmethod
    def of(cls, product: _Term, x: _Term, y: _Term) -> _Quotient:
        """Return that of three quantities."""
        logs = x.first / x.value + y.first / y.value
        first = np.asarray(product.first - 0.5 * product.value * logs)
        first /= np.sqrt(x.value * y.value)
        first /= first.size
        return cls(product.value, x, y, first)

    def second(self, bends: Sequence[FloatArray | float]) -> FloatArray:
        """Return the second derivatives; `bends` are those of the three quantities by the share."""
        n = self.first.size
        # The weight 1 + s of an item is a share e = s / (n + s) moved to it: e' = 1 / n and e'' = -2 / n^2,
        # and `first` is already by the weight.
        second: FloatArray = self._bend_in_share(bends, np.multiply) / n**2 - 2.0 * self.first / n
        return second

    def curvature(self, bends: Sequence[float]) -> float:
        """Return the sum of them, from the sums of the bends; the first derivatives sum to 0."""
        return float(self._bend_in_share(bends, _sum_of_products)) / self.first.size**2

    def _bend_in_share(self, bends: Sequence[Any], times: Callable[..., Any]) -> Any:
        """Return the second derivative by the share; `times` multiplies by item, or sums the products."""
        # Of r = P (X Y)^(-1/2), with l = X'/X + Y'/Y:
        #     r' = P' (X Y)^(-1/2) - r l / 2,
        #     r'' = P'' (X Y)^(-1/2) - r' l + r (l^2 / 4 - X'/X Y'/Y - (X''/X + Y''/Y) / 2).
        # `first` is r' by the weight, r' / n.
        root = np.sqrt(self.x.value * self.y.value)
        log_x, log_y = self.x.first / self.x.value, self.y.first / self.y.value
        logs = log_x + log_y
        bend = bends[0] / root - self.first.size * times(self.first, logs)
        return bend + (self.product / root) * (
            0.25 * times(logs, logs)
            - times(log_x, log_y)
            - 0.5 * (bends[1] / self.x.value + bends[2] / self.y.value)
        )


def _sum_of_products(a: FloatArray | float, b: FloatArray | float) -> float:
    """Return the sum over the items, 0 if one is 0 for all of them."""
    return float(np.dot(a, b)) if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) else 0.0


def _quotient_path(parts: list[list[float]]) -> ScorePath:
    """Return the path of a product over the roots of two squares.

    The three are sums of powers of the multiple m, with coefficients of which that of the highest is first.
    """
    coefficients = np.array(parts).T[:, :, None]

    def along(multiples: FloatArray) -> FloatArray:
        values = np.zeros((len(parts), multiples.size))
        for coefficient in coefficients:
            values = values * multiples + coefficient
        roots = np.sqrt(np.maximum(values[1:], 0.0))  # rounding may leave a square negative
        return quotients(values[0], roots[0] * roots[1])

    return along


def spearman_derivatives(x: Ranks, y: Ranks) -> WeightDerivatives:
    """Return the derivatives of Spearman's correlation, from both columns in order."""
    # The correlation is that of the mid-distribution functions F and G: the weight below an item and half of
    # that tied with it, less half of all. With a share e of the weight moved to one item, F and G move by e
    # towards the step at that item, F + e (step - F), and the mean product is cubic in e (Croux & Dehon 2010,
    # Stat. Methods Appl. 19, 497-515, has the first derivative without ties). `ends` are four times the mean
    # products of both steps: what is concordant with the item, and 1 less the share tied with it.
    n = x.groups.size
    squares = [_Term(*x.mean_square), _Term(*y.mean_square)]
    quotient = _Quotient.of(_mean_product(x, y), *squares)

    def second() -> FloatArray:
        terms = [_mean_product(x, y), *squares]
        ends = [Concordance(x.groups, y.groups).signs() / n, 1.0 - _tied(x), 1.0 - _tied(y)]
        return quotient.second(
            [0.5 * end - 4.0 * term.first - 6.0 * term.value for end, term in zip(ends, terms, strict=True)]
        )

    def curvature() -> float:
        values = [quotient.product, *(square.value for square in squares)]
        untied = [n * float(np.mean(1.0 - _tied(z))) for z in (x, y)]
        ends = [float(Concordance(x.groups, y.groups).signs().mean()), *untied]
        return quotient.curvature(
            [0.5 * end - 6.0 * n * value for end, value in zip(ends, values, strict=True)]
        )

    path = partial(_spearman_path, x, y)
    return WeightDerivatives(quotient.first, second, path, curvature=curvature, light_paths=True)


def _mean_product(x: Ranks, y: Ranks) -> _Term:
    """Return the mean product of both mid-distribution functions."""
    n = x.groups.size
    f, g = x.centred / n, y.centred / n
    value = float(f @ g) / n
    # What is linear in e, but for (1 - e)^2: the item's own product, and the others' with the step.
    first = x.step_mean(g)
    first += y.step_mean(f)
    f *= g
    first += f
    first -= 3.0 * value
    return _Term(value, first)


def _tied(column: Ranks) -> FloatArray | float:
    """Return the share of the items tied with each, itself included: a number if there are no ties."""
    tied, n = column.tied, column.groups.size
    return 1.0 / n if tied is None else tied / n


def _spearman_path(x: Ranks, y: Ranks, change: FloatArray) -> ScorePath:
    """Return the path of Spearman's correlation, from both columns in order."""
    columns = [part for z in (x, y) for part in (z.centred, z.mid_distribution(change))]
    products = np.zeros((8, 4))
    for part in chunks(change.size, 8):
        rows = np.stack([column[part] for column in columns])
        block = np.concatenate([rows, rows * change[part]])
        products += block @ block[:4].T  # all at once: the rows times their transpose take longer
    return _quotient_path([_cubic(products[:4], products[4:], u, v) for u, v in ((0, 2), (0, 0), (2, 2))])


def _cubic(sums: FloatArray, weighed: FloatArray, u: int, v: int) -> list[float]:
    """Return the sum of (1 + m change) (u + m more_u) (v + m more_v) as powers of m, the highest first.

    `sums` has the sums of products, also `weighed` by the change, of u at row u and more_u at the next row.
    """
    more_u, more_v = u + 1, v + 1
    return [
        float(weighed[more_u, more_v]),
        float(weighed[more_u, v] + weighed[u, more_v] + sums[more_u, more_v]),
        float(weighed[u, v] + sums[more_u, v] + sums[u, more_v]),
        float(sums[u, v]),
    ]


def kendall_derivatives(orders: TwoOrders) -> WeightDerivatives:
    """Return the derivatives of Kendall's tau-b."""
    # Agreement, and untied pairs of x and of y, are mean values over pairs of items: of a kernel h with the
    # mean h_i over the pairs of item i and the mean h, a share e moved to item i makes
    # (1 - e)^2 h + 2 e (1 - e) h_i, as an item is tied with itself. So h' = 2 (h_i - h), h'' = 2 h - 4 h_i.
    n = orders.n_items

    def parts() -> list[FloatArray | float]:
        return [orders.signs / n, 1.0 - _tied(orders.x), 1.0 - _tied(orders.y)]

    values = [float(np.mean(part)) for part in parts()]
    terms = [_Term(value, 2.0 * (part - value)) for value, part in zip(values, parts(), strict=True)]
    quotient = _Quotient.of(*terms)

    def second() -> FloatArray:
        bends = [2.0 * value - 4.0 * part for value, part in zip(values, parts(), strict=True)]
        return quotient.second(bends)

    def curvature() -> float:
        return quotient.curvature([-2.0 * n * value for value in values])

    path = partial(_kendall_path, orders)
    return WeightDerivatives(quotient.first, second, path, curvature=curvature, light_paths=True)


def _kendall_path(orders: TwoOrders, change: FloatArray) -> ScorePath:
    """Return the path of Kendall's tau-b."""
    linear = 2.0 * float(change @ orders.signs)
    square = orders.concordance.total(change) if change.any() else 0.0
    n, more, untied = change.size, float(change.sum()), []
    for column in (orders.x, orders.y):
        count, mass = column.sizes, group_sums(column.groups, change) if column.has_ties else change
        pairs = (more**2, 2.0 * n * more, float(n**2))
        tied = (mass @ mass, 2.0 * (count @ mass), count @ count)
        untied.append([float(all_of - same) for all_of, same in zip(pairs, tied, strict=True)])
    return _quotient_path([[square, linear, float(orders.signs.sum())], *untied])


# -- second derivatives by the weight of each group -------------------------------------------------


def spearman_by_group(groups_x: IntArray, groups_y: IntArray, of: IntArray) -> FloatArray:
    """Return the second derivatives of Spearman's correlation by the weight of each group, shape (G,).

    `of`, of shape (n,), is the group of each item from 0; the others are the groups of ties of each item in
    both columns.
    """
    # Numerator and denominator are polynomials in a change of the weights. What they have of second order is
    # a sum over pairs of items of the same group, and so comes from ranks within groups.
    products = _rank_products(groups_x, groups_y, of, _products_of_moves(groups_x, groups_y, of))
    squares = [
        _rank_products(groups, groups, of, _squares_of_moves(groups, of)) for groups in (groups_x, groups_y)
    ]
    return quotient_bend(products, squares, power=0.5)


def _rank_products(
    groups_x: IntArray, groups_y: IntArray, of: IntArray, move_products: FloatArray
) -> Polynomial:
    """Return the sum of the products of the centred mid-ranks in two columns.

    `move_products`, of shape (G,), are the sums over all items of the products of what each group moves their
    two mid-ranks by.
    """
    # An item of more weight moves the mid-rank of each item by half the sign of their difference, and its own
    # product counts more. Of second order are the moves of a group's own items, and products of two moves.
    n = of.size
    ones = np.ones(n)
    x, y = (_half_below(groups, ones, np.zeros(n, dtype=np.int64)) for groups in (groups_x, groups_y))
    item_products = x * y + _signed_sums(groups_x, y) + _signed_sums(groups_y, x)
    own_x, own_y = (_half_below(groups, ones, of) for groups in (groups_x, groups_y))
    second = group_sums(of, x * own_y + own_x * y) + move_products
    return Polynomial(float(x @ y), group_sums(of, item_products), second)


def _half_below(groups: IntArray, weights: FloatArray, of: IntArray) -> FloatArray:
    """Return for each item half the weight below it less half of that above it, in its own group."""
    ties = GroupValues.from_items(of, groups)
    mass = ties.mass(weights)
    half = ties.before(mass) + 0.5 * mass
    return half[ties.place] - 0.5 * group_sums(of, weights)[of]


def _signed_sums(groups: IntArray, values: FloatArray) -> FloatArray:
    """Return for each item half the sum of values, negative those below it, and 0 those tied with it."""
    sums = group_sums(groups, values)
    half: FloatArray = 0.5 * (from_here(sums) - np.cumsum(sums))
    return half[groups]


def _products_of_moves(groups_x: IntArray, groups_y: IntArray, of: IntArray) -> FloatArray:
    """Return the sums over all items of the products of what each group moves their two mid-ranks by."""
    # A product of moves is a quarter of a sum over pairs of items of the group: of how much the point with
    # the x of one and the y of the other is concordant with all items. A group of m items has m^2 pairs:
    # above n of them it is quicker to move all items.
    n, sizes = of.size, np.bincount(of)
    products = np.zeros(sizes.size)
    for group in np.flatnonzero(sizes**2 > n).tolist():
        members = of == group
        moved = [_moved(groups, members) for groups in (groups_x, groups_y)]
        products[group] = moved[0] @ moved[1]
    small = np.flatnonzero(sizes[of] ** 2 <= n)
    for one, other in _pairs_within(small[np.argsort(of[small], kind="stable")], of):
        points = groups_x[one], groups_y[other]
        among = [np.concatenate(both) for both in zip((groups_x, groups_y), points, strict=True)]
        near = Concordance(*among).signs()[n:]
        near -= Concordance(*(Ranks.of(part).groups for part in points)).signs()
        products += 0.25 * group_sums(of[one], near, sizes.size)
    return products


def _pairs_within(items: IntArray, of: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield all pairs of items of the same group, both ways and with themselves; `items` are by group."""
    if not items.size:
        return
    starts = np.concatenate([[0], np.flatnonzero(np.diff(of[items])) + 1])
    sizes = np.diff(np.append(starts, items.size))
    part = np.cumsum(sizes**2) // max(of.size, CHUNK)
    for number in np.unique(part).tolist():
        chosen = np.flatnonzero(part == number)
        first, last = starts[chosen[0]], starts[chosen[-1]] + sizes[chosen[-1]]
        size = np.repeat(sizes[chosen], sizes[chosen])
        start = np.repeat(starts[chosen], sizes[chosen])
        one = np.repeat(np.arange(first, last), size)
        step = np.arange(one.size) - np.repeat(np.cumsum(size) - size, size)
        yield items[one], items[np.repeat(start, size) + step]


def _moved(groups: IntArray, members: Array) -> FloatArray:
    """Return by how much items of weight 1 move the mid-rank of each item."""
    mass = group_sums(groups, members.astype(np.float64))
    moved: FloatArray = np.cumsum(mass) - 0.5 * mass - 0.5 * mass.sum()
    return moved[groups]


def _squares_of_moves(groups: IntArray, of: IntArray) -> FloatArray:
    """Return the sums over all items of the squares of what each group moves their mid-rank by."""
    # The move is the same at all items between two values of a group that follow each other: a square for
    # each gap, times the items in it, and one for each value of the group itself.
    ties = GroupValues.from_items(of, groups)
    below = np.concatenate([[0.0], np.cumsum(np.bincount(groups))])
    mass = ties.mass(np.ones(of.size))
    half = 0.5 * np.bincount(of)[ties.groups]
    before = ties.before(mass) - half  # the move of items below a value, down to the value before it
    lower = below[ties.values]
    follows = np.concatenate([[False], ties.groups[1:] == ties.groups[:-1]])
    lower[follows] -= below[ties.values[:-1][follows[1:]] + 1]
    at = below[ties.values + 1] - below[ties.values]
    squares = ties.by_group(lower * before**2 + at * (before + 0.5 * mass) ** 2)
    last = np.append(~follows[1:], True)
    squares += (below[-1] - below[ties.values[last] + 1]) * half[last] ** 2
    return squares


def kendall_by_group(groups_x: IntArray, groups_y: IntArray, of: IntArray) -> FloatArray:
    """Return the second derivatives of Kendall's tau-b by the weight of each group; see `spearman`."""
    sizes = np.bincount(of)
    signs = Concordance(groups_x, groups_y).signs()
    # With groups laid end to end in both columns, items of two groups are concordant: so one count over all
    # items has what lies within groups, and as many concordant items more as lie in other groups.
    laid = [GroupValues.from_items(of, groups).place for groups in (groups_x, groups_y)]
    inside = Concordance(*laid).signs() - (of.size - sizes[of])
    agreement = Polynomial(float(signs.sum()), 2.0 * group_sums(of, signs), group_sums(of, inside))
    untied = []
    for groups in (groups_x, groups_y):
        others = group_sums(of, (of.size - np.bincount(groups)[groups]).astype(np.float64))
        ties = GroupValues.from_items(of, groups)
        squares = ties.by_group(ties.mass(np.ones(of.size)) ** 2)
        untied.append(Polynomial(float(others.sum()), 2.0 * others, sizes**2 - squares))
    return quotient_bend(agreement, untied, power=0.5)


def _share_values(x: Ranks) -> bool:
    """Return whether an item of both systems is tied with another than its own of the other system."""
    if x.tied is None:
        return False
    same = np.equal(*np.split(x.groups, 2))
    return bool((x.tied > 1 + np.concatenate([same, same])).any())


# -- names ------------------------------------------------------------------------------------------

NAMES: Names = {
    "pearson": ("linear correlation", Pearson),
    "spearman": ("rank correlation", Spearman),
    "kendall": ("rank correlation, tau-b", Kendall),
}

SUGGESTIONS = {"tau": "kendall"}
