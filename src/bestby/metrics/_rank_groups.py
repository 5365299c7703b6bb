"""Second derivatives of metrics of ranks by the common weight of the items of a group, such as a cluster.

A score is a quotient whose numerator and denominator are polynomials in a change of the weights. What they
have of second order is a sum over pairs of items of the same group, and so comes from ranks within groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bestby._core.chunks import CHUNK
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.metrics._rank_pairs import concordance
from bestby.metrics._ranked import Ranking, from_here


@dataclass(frozen=True, eq=False)
class _Part:
    """A polynomial in the change e of the weights of a group: value + e first + e^2 second, groups (G,)."""

    value: float
    first: FloatArray
    second: FloatArray


# -- areas under curves ----------------------------------------------------------------------------


def roc_auc(ranking: Ranking, of: IntArray) -> FloatArray:
    """Return the second derivatives of the area under the ROC curve by the weight of each group, shape (G,).

    `of`, of shape (n,), is the group of each item from 0.
    """
    y, unit = ranking.positive.astype(np.float64), of[ranking.order]
    below, above = (ranking.at_positions(one) for one in (ranking.below, ranking.above))
    pairs_of_item = np.where(y == 1.0, below, above)
    ties = _Within.from_items(unit, np.cumsum(ranking.last) - ranking.last)
    own_positives, own_negatives = ties.mass(y), ties.mass(1.0 - y)
    own_pairs = own_negatives * (ties.before(own_positives) + 0.5 * own_positives)
    of_class = [_sums(unit, one) for one in (y, 1.0 - y)]
    first = _sums(unit, pairs_of_item)
    pairs = _Part(float(ranking.positives @ ranking.below), first, ties.by_group(own_pairs))
    nothing = np.zeros(first.size)
    classes = [_Part(float(sums.sum()), sums, nothing) for sums in of_class]
    return _bend(pairs, classes, power=1.0)


def average_precision(ranking: Ranking, of: IntArray) -> FloatArray:
    """Return the second derivatives of average precision by the weight of each group; see `roc_auc`.

    The changes of a group are steps at its own items: sums over the thresholds from one of these to the next
    are differences of sums over all thresholds from there.
    """
    y, unit, positives = ranking.positive.astype(np.float64), of[ranking.order], ranking.positives
    true, size = np.cumsum(positives), np.flatnonzero(ranking.last) + 1.0
    ties = _Within.from_items(unit, np.cumsum(ranking.last) - ranking.last)
    own_positives, own_size = ties.mass(y), ties.mass(np.ones(y.size))
    more_true = ties.before(own_positives) + own_positives
    more_size = ties.before(own_size) + own_size

    def summed(of_thresholds: FloatArray, of_group: FloatArray) -> FloatArray:
        """Return sums over the thresholds, from each of a group to its next one, times what the group has."""
        return ties.by_group(ties.until_next(from_here(of_thresholds)) * of_group)

    at = ties.values
    moved = more_true / size[at] - true[at] * more_size / size[at] ** 2
    first = summed(positives / size, more_true) - summed(positives * true / size**2, more_size)
    first += ties.by_group(own_positives * (true / size)[at])
    second = ties.by_group(own_positives * moved)
    second += summed(positives * true / size**3, more_size**2)
    second -= summed(positives / size**2, more_true * more_size)
    gains = _Part(float(positives @ (true / size)), first, second)
    of_positives = _sums(unit, y)
    return _bend(gains, [_Part(float(true[-1]), of_positives, np.zeros(first.size))], power=1.0)


# -- correlations ----------------------------------------------------------------------------------


def spearman(groups_x: IntArray, groups_y: IntArray, of: IntArray) -> FloatArray:
    """Return the second derivatives of Spearman's correlation by the weight of each group, shape (G,).

    `of`, of shape (n,), is the group of each item from 0; the others are as for `_rank_weights.spearman`.
    """
    products = _rank_products(groups_x, groups_y, of, _products_of_moves(groups_x, groups_y, of))
    squares = [
        _rank_products(groups, groups, of, _squares_of_moves(groups, of)) for groups in (groups_x, groups_y)
    ]
    return _bend(products, squares, power=0.5)


def kendall(groups_x: IntArray, groups_y: IntArray, of: IntArray) -> FloatArray:
    """Return the second derivatives of Kendall's tau-b by the weight of each group; see `spearman`."""
    sizes = np.bincount(of)
    signs = concordance(groups_x, groups_y)
    # With groups laid end to end in both columns, items of two groups are concordant.
    laid = [_Within.from_items(of, groups).place for groups in (groups_x, groups_y)]
    own = concordance(laid[0], laid[1]) - (of.size - sizes[of])
    agreement = _Part(float(signs.sum()), 2.0 * _sums(of, signs), _sums(of, own))
    untied = []
    for groups in (groups_x, groups_y):
        others = _sums(of, (of.size - np.bincount(groups)[groups]).astype(np.float64))
        ties = _Within.from_items(of, groups)
        squares = ties.by_group(ties.mass(np.ones(of.size)) ** 2)
        untied.append(_Part(float(others.sum()), 2.0 * others, sizes**2 - squares))
    return _bend(agreement, untied, power=0.5)


def _rank_products(groups_x: IntArray, groups_y: IntArray, of: IntArray, of_moves: FloatArray) -> _Part:
    """Return the sum of the products of the centred mid-ranks in two columns.

    An item moves the mid-rank of each item by half the sign of their difference. `of_moves`, of shape (G,),
    are the sums over all items of the products of what each group moves their two mid-ranks by.
    """
    n = of.size
    ones = np.ones(n)
    x, y = (_half_below(groups, ones, np.zeros(n, dtype=np.int64)) for groups in (groups_x, groups_y))
    of_item = x * y + _signed_sums(groups_x, y) + _signed_sums(groups_y, x)
    own_x, own_y = (_half_below(groups, ones, of) for groups in (groups_x, groups_y))
    second = _sums(of, x * own_y + own_x * y) + of_moves
    return _Part(float(x @ y), _sums(of, of_item), second)


def _products_of_moves(groups_x: IntArray, groups_y: IntArray, of: IntArray) -> FloatArray:
    """Return the sums over all items of the products of what each group moves their two mid-ranks by.

    A product is a quarter of a sum over pairs of items of the group: of how much the point with the x of one
    and the y of the other is concordant with all items. Of large groups the items are moved instead.
    """
    n, sizes = of.size, np.bincount(of)
    found = np.zeros(sizes.size)
    for group in np.flatnonzero(sizes**2 > n).tolist():
        own = of == group
        moved = [_moved(groups, own) for groups in (groups_x, groups_y)]
        found[group] = moved[0] @ moved[1]
    small = np.flatnonzero(sizes[of] ** 2 <= n)
    for one, other in _pairs(small[np.argsort(of[small], kind="stable")], of):
        weights = np.concatenate([np.ones(n), np.zeros(one.size)])
        points = [np.concatenate(both) for both in ((groups_x, groups_x[one]), (groups_y, groups_y[other]))]
        near = concordance(points[0], points[1], weights)[n:]
        found += 0.25 * _sums(of[one], near, sizes.size)
    return found


def _squares_of_moves(groups: IntArray, of: IntArray) -> FloatArray:
    """Return the same for the squares of what moves one mid-rank.

    The move is the same at all items between two values of a group that follow each other.
    """
    ties = _Within.from_items(of, groups)
    below = np.concatenate([[0.0], np.cumsum(np.bincount(groups))])
    own = ties.mass(np.ones(of.size))
    half = 0.5 * np.bincount(of)[ties.groups]
    before = ties.before(own) - half  # the move of items below a value, down to the value before it
    lower = below[ties.values]
    follows = np.concatenate([[False], ties.groups[1:] == ties.groups[:-1]])
    lower[follows] -= below[ties.values[:-1][follows[1:]] + 1]
    at = below[ties.values + 1] - below[ties.values]
    squares = ties.by_group(lower * before**2 + at * (before + 0.5 * own) ** 2)
    last = np.append(~follows[1:], True)
    squares += (below[-1] - below[ties.values[last] + 1]) * half[last] ** 2
    return squares


def _pairs(items: IntArray, of: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield all pairs of items of the same group, both ways and with themselves; `items` are by group."""
    if not items.size:
        return
    starts = np.concatenate([[0], np.flatnonzero(np.diff(of[items])) + 1])
    sizes = np.diff(np.append(starts, items.size))
    part = np.cumsum(sizes**2) // max(of.size, CHUNK)
    for number in np.unique(part).tolist():
        chosen = np.flatnonzero(part == number)
        first, last = starts[chosen[0]], starts[chosen[-1]] + sizes[chosen[-1]]
        own = np.repeat(sizes[chosen], sizes[chosen])
        start = np.repeat(starts[chosen], sizes[chosen])
        one = np.repeat(np.arange(first, last), own)
        step = np.arange(one.size) - np.repeat(np.cumsum(own) - own, own)
        yield items[one], items[np.repeat(start, own) + step]


# -- parts -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Within:
    """The distinct values of each group, laid end to end, ascending within the group.

    `place`, of shape (n,), is where the value of each item stands; `values` and `groups`, of shape (D,), are
    the distinct values and their groups.
    """

    place: IntArray
    values: IntArray
    groups: IntArray

    @classmethod
    def from_items(cls, of: IntArray, values: IntArray) -> _Within:
        """Return those of items with groups `of` and `values`, which are whole numbers from 0."""
        width = int(values.max()) + 1
        keys, place = np.unique(of * width + values, return_inverse=True)
        groups, distinct = np.divmod(keys, width)
        return cls(place.reshape(-1), distinct, groups)

    def mass(self, weights: FloatArray) -> FloatArray:
        """Return the sums of weights of items (n,) at each value."""
        return _sums(self.place, weights, self.groups.size)

    def before(self, mass: FloatArray) -> FloatArray:
        """Return the sums of a mass (D,) over the lower values of the same group."""
        running = np.cumsum(mass) - mass
        below: FloatArray = running - running[np.searchsorted(self.groups, self.groups)]
        return below

    def until_next(self, from_here: FloatArray) -> FloatArray:
        """Return sums from each value to before the next one of its group, from sums from each to the end."""
        found = from_here[self.values]
        follows = self.groups[1:] == self.groups[:-1]
        found[:-1][follows] -= from_here[self.values[1:]][follows]
        return found

    def by_group(self, mass: FloatArray) -> FloatArray:
        """Return the sums of a mass (D,) over each group."""
        return _sums(self.groups, mass)


def _half_below(groups: IntArray, weights: FloatArray, of: IntArray) -> FloatArray:
    """Return for each item half the weight below it less half of that above it, in its own group."""
    ties = _Within.from_items(of, groups)
    mass = ties.mass(weights)
    half = ties.before(mass) + 0.5 * mass
    return half[ties.place] - 0.5 * _sums(of, weights)[of]


def _moved(groups: IntArray, own: Array) -> FloatArray:
    """Return by how much items of weight 1 move the mid-rank of each item."""
    mass = _sums(groups, own.astype(np.float64))
    moved: FloatArray = np.cumsum(mass) - 0.5 * mass - 0.5 * mass.sum()
    return moved[groups]


def _signed_sums(groups: IntArray, values: FloatArray) -> FloatArray:
    """Return for each item half the sum of values, negative those below it, and 0 those tied with it."""
    sums = _sums(groups, values)
    half: FloatArray = 0.5 * (from_here(sums) - np.cumsum(sums))
    return half[groups]


def _sums(of: IntArray, weights: FloatArray, n: int = 0) -> FloatArray:
    """Return the sum of the weights in each group, of at least n groups."""
    return np.bincount(of, weights=weights, minlength=n).astype(np.float64, copy=False)


def _bend(numerator: _Part, denominators: list[_Part], *, power: float) -> FloatArray:
    """Return the second derivatives of a numerator over the product of denominators to a power."""
    size = float(np.prod([part.value**power for part in denominators]))
    logs = [part.first / part.value for part in denominators]
    slope = -power * np.sum(logs, axis=0)
    bends = [2.0 * part.second / part.value - log**2 for part, log in zip(denominators, logs, strict=True)]
    bend = slope**2 - power * np.sum(bends, axis=0)
    found: FloatArray = (
        2.0 * numerator.second + 2.0 * numerator.first * slope + numerator.value * bend
    ) / size
    return found
