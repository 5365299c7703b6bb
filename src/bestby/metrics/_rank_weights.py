"""Metrics of ranks as smooth functions of the weights of the items, with their derivatives at equal weights.

A score does not change if all weights are multiplied, so that derivatives by the weight of one item alone say
all: their sum over the items is 0. Each function takes items sorted once and needs n log n steps; ties are
allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bestby._core.chunks import chunks
from bestby._core.typing import FloatArray, IntArray, ScorePath
from bestby.metrics._rank_pairs import agreement, concordance, mean_concordance
from bestby.metrics._ranked import Ranking, Ranks, from_here, places_in
from bestby.metrics.derivatives import Paths, WeightDerivatives

# -- areas under curves ----------------------------------------------------------------------------


def roc_auc(ranking: Ranking) -> WeightDerivatives:
    """Return the derivatives of the area under the ROC curve, by placements.

    The placement of an item is the share of the items of the other class that it stands on the right side of,
    ties half (DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44, 837-845, eq. 4).
    """
    positives, negatives, above, below = ranking.positives, ranking.negatives, ranking.above, ranking.below
    n_positive, n_negative = positives.sum(), negatives.sum()
    is_positive = ranking.positive == 1
    placement = np.where(
        is_positive, ranking.at_positions(below) / n_negative, ranking.at_positions(above) / n_positive
    )
    area = float(positives @ below) / float(n_positive * n_negative)
    place = places_in(ranking.order)
    classes = ranking.positive.take(place)
    first = ((placement - area) / np.where(is_positive, n_positive, n_negative)).take(place)

    def second() -> FloatArray:
        found: FloatArray = -2.0 * first / np.where(classes == 1, n_positive, n_negative)
        return found

    def path(change: FloatArray) -> ScorePath:
        negatives, above, is_positive = ranking.negatives, ranking.above, ranking.positive == 1
        c = change.take(ranking.order)
        more_positives = ranking.sums_by_group(np.where(is_positive, c, 0.0))
        more_negatives = ranking.sums_by_group(np.where(is_positive, 0.0, c))
        more_above = np.cumsum(more_positives) - 0.5 * more_positives
        pairs = negatives @ above, more_negatives @ above + negatives @ more_above
        bend, of_classes = more_negatives @ more_above, (more_positives.sum(), more_negatives.sum())

        def along(multiples: FloatArray) -> FloatArray:
            area = pairs[0] + multiples * (pairs[1] + multiples * bend)
            of_positives = n_positive + multiples * of_classes[0]
            return _defined(area, of_positives * (n_negative + multiples * of_classes[1]))

        return along

    return WeightDerivatives(first, second, Paths(path), classes, classes == int(n_positive <= n_negative))


def average_precision(ranking: Ranking) -> WeightDerivatives:
    """Return the derivatives of average precision.

    An item changes the precision at its own threshold and at all lower ones.
    """
    at, place = ranking.at_positions, places_in(ranking.order)

    def thresholds() -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return the positive items of each, and those and all items at or above it; and the precision."""
        positives, size = ranking.positives, (np.flatnonzero(ranking.last) + 1).astype(np.float64)
        true: FloatArray = np.cumsum(positives)
        return positives, true, size, true / size

    positives, true, size, precision = thresholds()
    total = float(true[-1])
    score = float(positives @ precision) / total
    y = ranking.positive.astype(np.float64)
    # Sums over the positive items at thresholds at or below that of an item.
    once, gain = (at(from_here(positives * term)) for term in (1.0 / size, precision / size))
    first = ((y * once - gain + y * at(precision) - score * y) / total).take(place)

    def second() -> FloatArray:
        positives, _, size, precision = thresholds()
        y, in_order = ranking.positive.astype(np.float64), first.take(ranking.order)
        terms = (1.0 / size**2, precision / size**2)
        once, gain = (at(from_here(positives * term)) for term in terms)
        bend = -2.0 * (y * once - gain) + 2.0 * y * (y - at(precision)) / at(size)
        found: FloatArray = ((bend - 2.0 * in_order * y) / total).take(place)
        return found

    def along(change: FloatArray, multiples: FloatArray) -> FloatArray:
        positives, true, size, _ = thresholds()
        c = change.take(ranking.order)
        more_positives, more = ranking.sums_by_group(c * ranking.positive), ranking.sums_by_group(c)
        columns = true, size, positives, np.cumsum(more_positives), np.cumsum(more), more_positives
        held, found = np.flatnonzero(positives), np.empty(multiples.size)  # the others add nothing
        true, size, positives, more_true, more_size, more_positives = (one.take(held) for one in columns)
        for i, multiple in enumerate(multiples.tolist()):
            shares, everything = true + multiple * more_true, size + multiple * more_size
            shares /= np.where(everything > 0.0, everything, np.inf)
            found[i] = (positives + multiple * more_positives) @ shares
        return _defined(found, total + multiples * more_positives.sum())

    return WeightDerivatives(first, second, along, scarce=(ranking.positive == 1).take(place))


# -- correlations ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Term:
    """A quantity as a share of the weight is moved to each item: its value and its derivatives (n,).

    Derivatives that are the same for all items are 0, as their sum is 0.
    """

    value: float
    first: FloatArray | float


def spearman(x: Ranks, y: Ranks) -> WeightDerivatives:
    """Return the derivatives of Spearman's correlation, from both columns in order.

    With a share e of the weight moved to one item, the mid-distribution functions move by e towards the step
    at that item, and the sums of their products are cubic in e (Croux & Dehon 2010, Stat. Methods Appl. 19,
    497-515, has the first derivative without ties).
    """
    n = x.groups.size
    squares = [_Term(*x.mean_square), _Term(*y.mean_square)]
    quotient = _Quotient.of(_mean_product(x, y), *squares)

    def second() -> FloatArray:
        terms = [_mean_product(x, y), *squares]
        ends = [concordance(x.groups, y.groups) / n, 1.0 - _tied(x), 1.0 - _tied(y)]
        return quotient.second(
            [0.5 * end - 4.0 * term.first - 6.0 * term.value for end, term in zip(ends, terms, strict=True)]
        )

    def curvature() -> float:
        values = [quotient.product, *(square.value for square in squares)]
        untied = [n * float(np.mean(1.0 - _tied(z))) for z in (x, y)]
        ends = [mean_concordance(x.groups, y.groups), *untied]
        return quotient.curvature(
            [0.5 * end - 6.0 * n * value for end, value in zip(ends, values, strict=True)]
        )

    return WeightDerivatives(
        quotient.first, second, Paths(partial(_spearman_path, x, y)), curvature=curvature
    )


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


def kendall(groups_x: IntArray, groups_y: IntArray) -> WeightDerivatives:
    """Return the derivatives of Kendall's tau-b, from the groups of ties of each item in both columns."""
    n = groups_x.size
    signs = concordance(groups_x, groups_y)
    parts = [signs / n, *(1.0 - np.bincount(groups)[groups] / n for groups in (groups_x, groups_y))]
    values = [float(part.mean()) for part in parts]
    terms = [_Term(value, 2.0 * (part - value)) for value, part in zip(values, parts, strict=True)]
    quotient = _Quotient.of(*terms)

    def second() -> FloatArray:
        return quotient.second([2.0 * value - 4.0 * part for value, part in zip(values, parts, strict=True)])

    path = partial(_kendall_path, groups_x, groups_y, signs)
    return WeightDerivatives(quotient.first, second, Paths(path))


def _kendall_path(groups_x: IntArray, groups_y: IntArray, signs: FloatArray, change: FloatArray) -> ScorePath:
    """Return the path of Kendall's tau-b, from the concordance of each item."""
    linear = 2.0 * float(change @ signs)
    square = agreement(groups_x, groups_y, change) if change.any() else 0.0
    untied = []
    for groups in (groups_x, groups_y):
        count, mass = np.bincount(groups), np.bincount(groups, weights=change)
        n, more = groups.size, float(change.sum())
        pairs = (more**2, 2.0 * n * more, float(n**2))
        tied = (mass @ mass, 2.0 * (count @ mass), count @ count)
        untied.append([float(all_of - same) for all_of, same in zip(pairs, tied, strict=True)])
    return _quotient_path([[square, linear, float(signs.sum())], *untied])


# -- parts -----------------------------------------------------------------------------------------


def _defined(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return quotients, NaN where the denominator is not positive."""
    defined = denominator > 0.0
    if defined.all():
        return numerator / denominator
    found: FloatArray = np.where(defined, numerator / np.where(defined, denominator, 1.0), np.nan)
    return found


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
        return _defined(values[0], roots[0] * roots[1])

    return along


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
        # The weight 1 + s of an item is a share s / (n + s) moved to it.
        found: FloatArray = self._bend_in_share(bends, np.multiply) / n**2 - 2.0 * self.first / n
        return found

    def curvature(self, bends: Sequence[float]) -> float:
        """Return the sum of them, from the sums of the bends; the first derivatives sum to 0."""
        return float(self._bend_in_share(bends, _sum_of_products)) / self.first.size**2

    def _bend_in_share(self, bends: Sequence[Any], times: Callable[..., Any]) -> Any:
        """Return the second derivative by the share; `times` multiplies by item, or sums the products."""
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
