"""Whether labelled items look drawn by chance from all: by the judge's scores, which all of them have.

A choice that goes with these scores shows: labels where the judge sees two systems apart, of the best or the
worst answers, of doubtful ones, or of the first rows of a sorted file. A choice by anything else, such as the
length of an answer, does not show unless the judge's scores go with it.
"""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc, fdtrc

from bestby._core import rounding
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.inference.classical import doubled_ranks

LEVEL = 0.001
"""P-value of all comparisons together below which a draw is not taken for random."""

_SINGULAR = 1e-10


def differ(judge: FloatArray, known: BoolArray, strata: IntArray, clusters: IntArray | None) -> bool:
    """Tell whether the labelled items have other scores of a judge than a random draw would have.

    For each judge and each set of labelled items the ranks of the items by their mean over the systems, by
    how far this is from the middle, and by the standard deviation between the systems are compared. Their
    sums over the labelled items have known means and covariances over all draws inside the strata
    (Cochran 1977, Sampling Techniques, section 2.3), which gives a chi-squared statistic. It is too large too
    often if few items have other scores than most, so that a small p-value is checked by 1999 random draws,
    none of which may have as large a statistic. Bonferroni's bound holds for all comparisons together.

    Clusters of which all items or none are labelled count as one item. If others are labelled in part, items
    may have been drawn inside a few clusters, so that Hotelling's test of what clusters add to the sums must
    reject, too (Hotelling 1931, Ann. Math. Statist. 2, 360-378); of fewer than 30 such clusters nothing is
    said, as it would reject too often.

    Parameters
    ----------
    judge : ndarray, shape (N, S, J)
        The scores of all items.
    known : ndarray of bool, shape (N, S)
        Which items are labelled.
    strata : ndarray of int, shape (N,)
        Codes from 0 of the strata inside which items were drawn.
    clusters : ndarray of int, shape (N,), or None
        Codes from 0; None if items are independent.
    """
    # Strata above which a draw inside them is not looked at
    if int(strata.max()) >= 20:
        return False
    sets = [np.array(one) for one in {tuple(column) for column in known.T.tolist()}]
    level = LEVEL / (len(sets) * judge.shape[2])
    for one in np.moveaxis(judge, 2, 0):
        ranks = _ranks(one)
        for labelled in sets:
            if _not_random(ranks, labelled, strata, clusters, level):
                return True
    return False


def _ranks(scores: FloatArray) -> FloatArray:
    """Return the ranks of items, from 0 to 1, by mean, distance from the middle, and spread."""
    size = float(np.abs(scores).max())
    mean, spread = (
        rounding.on_marks(rounding.made_equal(values[None])[0], (0.0,), size)
        for values in (scores.mean(axis=1), scores.std(axis=1))
    )
    place = doubled_ranks(mean) / (2.0 * len(mean))
    return np.stack(
        [place, np.abs(place - place.mean()), doubled_ranks(spread) / (2.0 * len(spread))], axis=1
    )


def _not_random(
    ranks: FloatArray, labelled: BoolArray, strata: IntArray, clusters: IntArray | None, level: float
) -> bool:
    if clusters is None:
        return _unlike_draws(ranks, labelled, strata, level)
    sizes = np.bincount(clusters)
    share = np.bincount(clusters, weights=labelled) / sizes
    if np.isin(share, (0.0, 1.0)).all():
        means = np.stack([np.bincount(clusters, weights=one) / sizes for one in ranks.T], axis=1)
        of_cluster = np.zeros(sizes.size, dtype=np.int64)
        of_cluster[clusters] = strata
        return _unlike_draws(means, share == 1.0, of_cluster, level)
    return _hotelling(ranks, labelled, strata, clusters) < level and _unlike_draws(
        ranks, labelled, strata, level
    )


def _unlike_draws(x: FloatArray, labelled: BoolArray, strata: IntArray, level: float) -> bool:
    """Tell whether the sums over labelled units are further from their means than those of random draws."""
    order = np.lexsort((*x.T, strata))  # so that the order of the items does not matter
    x, labelled, strata = x[order], labelled[order], strata[order]
    sizes = np.bincount(strata)
    n = np.bincount(strata, weights=labelled).astype(np.int64)
    x = _centred(x, strata)
    factor = n * (sizes - n) / (sizes * np.maximum(sizes - 1.0, 1.0))
    inverse = np.linalg.pinv(x.T @ (x * factor[strata, None]), rcond=_SINGULAR, hermitian=True)

    def statistic(units: Array) -> float:
        total = x[units].sum(axis=0)
        return float(total @ inverse @ total)

    found = statistic(np.flatnonzero(labelled))
    if float(chdtrc(x.shape[1], found)) >= level:
        return False
    rng, starts = np.random.default_rng(0), np.cumsum(sizes) - sizes
    # No draw of so many may reach what was found: the p-value is 1 / 2000
    for _ in range(1999):
        parts = [start + rng.choice(size, k, replace=False, shuffle=False)
                 for start, size, k in zip(starts, sizes, n, strict=True)]  # fmt: skip
        if statistic(np.concatenate(parts)) >= found:
            return False
    return True


def _hotelling(x: FloatArray, labelled: BoolArray, strata: IntArray, clusters: IntArray) -> float:
    """Return the p-value of Hotelling's test that labelled clusters add nothing to the sums on average."""
    codes = np.unique(clusters[labelled], return_inverse=True)[1].reshape(-1)
    each = _centred(x, strata)[labelled]
    added = np.stack([np.bincount(codes, weights=one) for one in each.T], axis=1)
    n, k = added.shape
    # Clusters labelled in part below which nothing is said
    if n < 30:
        return 1.0
    total = added.sum(axis=0)
    # By moments about 0 in place of the mean: T^2 = (n - 1) u / (n - u).
    u = float(total @ np.linalg.pinv(added.T @ added, rcond=_SINGULAR, hermitian=True) @ total)
    return float(fdtrc(k, n - k, (n - k) / k * u / (n - u))) if u < n else 0.0


def _centred(x: FloatArray, strata: IntArray) -> FloatArray:
    sizes = np.bincount(strata)
    means = np.stack([np.bincount(strata, weights=one) / sizes for one in x.T], axis=1)
    found: FloatArray = x - means[strata]
    return found
