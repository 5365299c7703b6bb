"""First and second derivatives, by their totals, of quotients that several metrics are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np

from bestby._core.typing import FloatArray, IntArray

MOST_TOTALS = 64
"""Totals up to which the matrix of second derivatives is made: with more, lines take less time."""

Derivatives = tuple[FloatArray, FloatArray]
"""The first derivatives (k,) and the second ones (k, k) of a score by its k totals."""


def product_form(k: int, products: Sequence[tuple[int, int, float]]) -> FloatArray:
    """Return the second derivatives, shape (k, k), of a sum of products of two totals, each with a factor.

    >>> product_form(2, [(0, 1, 1.0), (1, 1, -1.0)])
    array([[ 0.,  1.],
           [ 1., -2.]])
    """
    form = np.zeros((k, k))
    for one, other, factor in products:
        form[one, other] += factor
        form[other, one] += factor
    return form


def over_root(forms: FloatArray, total: FloatArray, least: tuple[float, float]) -> Derivatives | None:
    """Return the derivatives of p / sqrt(a b), of three quadratic forms of the totals (k,).

    `forms`, of shape (3, k, k), holds the second derivatives of p, a and b. None where a or b is not above
    the least value that is more than rounding.
    """
    gradients = forms @ total
    p, a, b = (0.5 * (gradients @ total)).tolist()
    if a <= least[0] or b <= least[1]:
        return None
    q = 1.0 / (math.sqrt(a) * math.sqrt(b))
    r = p * q
    slopes = np.array([q, -0.5 * r / a, -0.5 * r / b])  # of r by p, a and b
    parts = gradients * np.array([[q], [0.5 / a], [0.5 / b]])
    bends = np.array([[0.0, -1.0, -1.0], [-1.0, 3.0 * r, r], [-1.0, r, 3.0 * r]])
    hessian = (slopes @ forms.reshape(3, -1)).reshape(forms.shape[1:])
    hessian += parts.T @ bends @ parts
    return slopes @ gradients, hessian


def over_form(forms: FloatArray, total: FloatArray, least: float) -> Derivatives | None:
    """Return the derivatives of p / a, of two quadratic forms of the totals (k,).

    `forms`, of shape (2, k, k), holds the second derivatives of p and a. None where a is not above `least`.
    """
    of_p, of_a = forms @ total
    p, a = 0.5 * float(of_p @ total), 0.5 * float(of_a @ total)
    if a <= least:
        return None
    r = p / a
    gradient = (of_p - r * of_a) / a
    crossed = np.outer(gradient, of_a)
    return gradient, (forms[0] - r * forms[1] - crossed - crossed.T) / a


@dataclass(frozen=True, eq=False)
class Quotients:
    """Where the totals of m quotients, each of one total over a sum of others, stand among all k totals.

    `numerators` and each of `denominators`, of shape (m,), are the places of these totals for each quotient.
    `mixed` and `squared` are the places in the flat matrix of second derivatives, of shape (k * k,), that
    are by a numerator and a denominator, and by two denominators, quotient by quotient.
    """

    numerators: IntArray
    denominators: Sequence[IntArray]
    mixed: IntArray
    squared: IntArray


@lru_cache(maxsize=64)
def quotients_of_classes(classes: tuple[int, ...], n_labels: int, n_blocks: int) -> Quotients:
    """Return the quotients of some classes among blocks of a total per label, the numerators first.

    >>> quotients_of_classes((0, 2), 3, 2).denominators
    [array([3, 5])]
    """
    own, k = np.array(classes, dtype=np.int64), n_blocks * n_labels
    numerators, *denominators = (own + block * n_labels for block in range(n_blocks))
    mixed = [(numerators * k + below, below * k + numerators) for below in denominators]
    squared = [one * k + other for one in denominators for other in denominators]
    return Quotients(numerators, denominators, np.concatenate(list(chain(*mixed))), np.concatenate(squared))


def mean_of_quotients(total: FloatArray, quotients: Quotients, factor: float) -> Derivatives | None:
    """Return the derivatives of the mean of quotients, times a factor; None where a denominator is 0."""
    numerators, denominators = quotients.numerators, quotients.denominators
    below = total[denominators[0]]
    for places in denominators[1:]:
        below = below + total[places]
    if below.size == 0 or np.minimum.reduce(below) <= 0.0:
        return None
    by_numerator = factor / (below.size * below)
    by_denominator = -by_numerator * total[numerators] / below
    gradient, hessian = np.zeros(total.size), np.zeros((total.size, total.size))
    gradient[numerators] = by_numerator
    for places in denominators:
        gradient[places] = by_denominator
    flat, n = hessian.reshape(-1), len(denominators)
    flat[quotients.mixed] = np.concatenate([-by_numerator / below] * (2 * n))
    flat[quotients.squared] = np.concatenate([-2.0 * by_denominator / below] * (n * n))
    return gradient, hessian


def mean_by_gold(total: FloatArray, n_labels: int, n_denominators: int, factor: float) -> Derivatives | None:
    """Return the derivatives of a mean over the classes of hits over other counts, weighted by the gold.

    The totals are the hits, predictions and gold items of each label. The denominators are the first of the
    latter two, or both, and a quotient is multiplied by `factor`. None where a denominator is 0, unless the
    label has no counts at all, or there is no gold.
    """
    hits, predicted, gold = total.reshape(3, n_labels)
    last = 1 + n_denominators
    below, n_items = predicted + gold if last == 3 else predicted.copy(), float(np.add.reduce(gold))
    least = np.minimum.reduce(below)
    if least <= 0.0:
        below += predicted + gold == 0.0  # without counts: any number will do
        least = np.minimum.reduce(below)
    if n_items <= 0.0 or least <= 0.0:
        return None
    # Of the quotients over the number of items, which the gold multiplies ...
    by_hits, weight = factor / (n_items * below), gold / below
    value = by_hits * hits
    by_others = value / -below
    slopes = np.zeros((3, n_labels))
    slopes[0], slopes[1:last] = by_hits, by_others
    gradient = slopes * gold
    gradient[2] += value - float(gold @ value) / n_items
    bends = np.zeros((3, 3, n_labels))  # by counts of the same label
    bends[0, 1:last] = bends[1:last, 0] = -weight * by_hits
    bends[1:last, 1:last] = -2.0 * weight * by_others
    bends[2] += slopes
    bends[:, 2] += slopes
    hessian = np.zeros((total.size, total.size))
    hessian.reshape(-1)[_places_by_label(n_labels)] = bends
    # ... and of the number of items, which is all gold.
    of_gold, by_items = 2 * n_labels, gradient.reshape(-1) / n_items
    hessian[of_gold:] -= by_items
    hessian[:, of_gold:] -= by_items[:, None]
    return gradient.reshape(-1), hessian


@lru_cache(maxsize=64)
def _places_by_label(n_labels: int) -> IntArray:
    """Return where the second derivatives by two of three totals of a label stand, shape (3, 3, n_labels).

    The places are those in the flat matrix of the blocks of a total per label.
    """
    own = np.arange(3)[:, None] * n_labels + np.arange(n_labels)
    return own[:, None] * 3 * n_labels + own
