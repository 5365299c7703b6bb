"""Differences of two systems by a metric of ranks that are sums over the items, whichever items are swapped.

Such metrics compare items two by two: with h(x, y) the share of x above y, and s_i = 1 where item i is as it
was and -1 where the systems have swapped its predictions, a pair of items adds to the difference A minus B

    (s_i + s_j) / 2 * (h(a_i, a_j) - h(b_i, b_j)) + (s_i - s_j) / 2 * (h(a_i, b_j) - h(b_i, a_j)),

which has no product of two signs. So the difference is the sum of s_i (u(a_i) - u(b_i)), where u counts among
the items of both systems: for the area under the ROC curve it is the placement. The permutation test is then
that of a sum of signed numbers, and its distribution is exact (Bandos, Rockette & Gur 2005, Statist. Med. 24,
2873-2893, have its variance for the area).

Each function takes the items of both systems, prepared together: those of A, then those of B in the same
order of the items. It returns u in units of its own, whole numbers, shape (2 n,).
"""

from __future__ import annotations

import numpy as np

from bestby._core.typing import FloatArray
from bestby.metrics._rank_pairs import concordance
from bestby.metrics._ranked import Ranking, Ranks, places_in


def roc_auc(both: Ranking) -> FloatArray:
    """Return the items of the other class that each item is on the right side of, ties half, doubled."""
    doubled = 2.0 * np.where(both.positive == 1, both.at_positions(both.below), both.at_positions(both.above))
    return doubled.take(places_in(both.order))


def spearman(x: Ranks, y: Ranks) -> FloatArray | None:
    """Return the rank of an item times its rank of the gold, less the gold's ranks up to it.

    None where items share predictions: the variance of the ranks depends on the swaps then.
    """
    if _share_values(x):
        return None
    gold = y.doubled.astype(np.float64)
    up_to = np.cumsum(np.bincount(x.groups, weights=gold))
    return gold * x.doubled.astype(np.float64) - 2.0 * up_to.take(x.groups)


def kendall(x: Ranks, y: Ranks) -> FloatArray | None:
    """Return the concordant items less the discordant ones; None where items share predictions."""
    return None if _share_values(x) else concordance(x.groups, y.groups)


def _share_values(x: Ranks) -> bool:
    """Return whether an item of both systems is tied with another than its own of the other system."""
    if x.tied is None:
        return False
    own = np.equal(*np.split(x.groups, 2))
    return bool((x.tied > 1 + np.concatenate([own, own])).any())
