"""The labelled items: how they were chosen, their weights, and whether chance can have chosen them.

A choice that goes with the judge's scores, which all items have, shows: labels where the judge sees two
systems apart, of the best or the worst answers, of doubtful ones, or of the first rows of a sorted file. A
choice by anything else, such as the length of an answer, does not show unless the judge's scores go with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc, fdtrc

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import counted, quoted
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.data.alignment import one_grouping
from bestby.data.layouts.judged import JudgedItems
from bestby.inference.classical import doubled_ranks
from bestby.questions.judged.result import LabelsDrawn
from bestby.questions.judged.source import group_numbers, item_text, item_values
from bestby.results.base import Note

_WHY = (
    'say how the labelled items were chosen: labels_drawn="random", or "stratified" with strata, or their'
    " probabilities"
)

_ASSUMED: dict[LabelsDrawn, str] = {
    "random": "the labelled items are taken to be drawn at random from all items",
    "stratified": "the labelled items are taken to be drawn at random inside each stratum",
    "probabilities": "the labelled items are taken to be drawn by chance with the probabilities given",
}


@dataclass(frozen=True, eq=False)
class LabelDraw:
    """The labelled data, how its items were drawn, and the numbers of strata and clusters (0: none)."""

    data: Labelled
    how: LabelsDrawn
    n_strata: int
    n_clusters: int

    @property
    def note(self) -> Note:
        """What everything rests on."""
        return Note(
            "labels_drawn",
            f"{_ASSUMED[self.how]}. If they were chosen by their scores or by how doubtful they are, the"
            " corrected scores are biased, and more labels do not mend it",
        )


@dataclass(frozen=True, eq=False)
class Labelled:
    """The scores of N items and S systems by J judges, and those by humans.

    Parameters
    ----------
    judge : ndarray, shape (N, S, J)
        The judges' scores, all there.
    human : ndarray, shape (N, S)
        The human scores; NaN where there is none.
    weights : ndarray, shape (N, S)
        Those of the labels in the mean, see `label_weights`; 0 where there is none.
    strata, clusters : ndarray of int, shape (N,)
        Codes from 0; a cluster lies in one stratum.
    """

    judge: FloatArray
    human: FloatArray
    weights: FloatArray
    strata: IntArray
    clusters: IntArray

    @cached_property
    def is_labelled(self) -> BoolArray:
        """Where there is a label, shape (N, S)."""
        return ~np.isnan(self.human)

    @cached_property
    def weighted(self) -> bool:
        """Whether labels of one system and stratum have different weights."""
        item, system = np.nonzero(self.is_labelled)
        weights, group = self.weights[item, system], self.strata[item] * self.is_labelled.shape[1] + system
        _, first, place = np.unique(group, return_index=True, return_inverse=True)
        return not bool(rounding.level(weights, weights[first][place.reshape(-1)], weights).all())


def label_draw(scores: JudgedItems, labels_drawn: Any, clusters: Any, strata: Any) -> LabelDraw:
    """Return the data with the weights of its labels, if these can carry an estimate."""
    if labels_drawn is None:
        raise InvalidInputError(
            "labels_drawn is missing: a correction by labels holds only if chance chose the labelled items,"
            " and the scores show few of the ways in which it did not",
            hint=_WHY,
            argument="labels_drawn",
        )
    n = len(scores.human)
    is_labelled = ~np.isnan(scores.human)
    _check_labels(scores, is_labelled)
    clusters = one_grouping(scores.clusters if clusters is None else clusters, "compare_judged")
    strata = scores.strata if strata is None else strata
    stratum = np.zeros(n, dtype=np.int64)
    if strata is not None:
        stratum = group_numbers(scores, strata, "strata")
    cluster = np.arange(n)
    if clusters is not None:
        cluster = group_numbers(scores, clusters, "clusters")
    how: LabelsDrawn = "probabilities"
    probabilities = None
    if isinstance(labels_drawn, str) and labels_drawn in ("random", "stratified"):
        how = "stratified" if labels_drawn == "stratified" else "random"
    else:
        probabilities = _probabilities(scores, labels_drawn, is_labelled)
    if how == "stratified" and strata is None:
        raise InvalidInputError(
            'labels_drawn="stratified" needs the strata', hint="give the stratum of every item: strata=...",
            argument="labels_drawn",
        )  # fmt: skip
    _check_groups(scores, is_labelled, stratum, cluster, clustered=clusters is not None)
    weights = label_weights(is_labelled, stratum, probabilities)
    return LabelDraw(
        Labelled(scores.judge, scores.human, weights, stratum, cluster),
        how,
        int(stratum.max()) + 1,
        0 if clusters is None else int(cluster.max()) + 1,
    )


def _check_labels(scores: JudgedItems, is_labelled: BoolArray) -> None:
    """Refuse too few labels, and labels of everything."""
    for name, count in zip(scores.names, is_labelled.sum(axis=0).tolist(), strict=True):
        if count < 2:
            raise DesignError(
                f"system {quoted(name)} has {counted(count, 'human label')}, and at least 2 are needed",
                hint="label more items, or leave the system out",
            )
    if is_labelled.all():
        raise DesignError(
            "every item of every system has a human label, so that there is nothing for the judge to add",
            hint="compare the human labels, with compare",
        )


def _probabilities(scores: JudgedItems, labels_drawn: Any, is_labelled: BoolArray) -> FloatArray:
    """Return the probabilities of the labels, shape (N, S), by column, item or system."""
    by_system = isinstance(labels_drawn, Mapping) and set(labels_drawn) == set(scores.names)
    columns = [labels_drawn[name] for name in scores.names] if by_system else [labels_drawn]
    arrays = []
    for one in columns:
        values = item_values(scores, one, "labels_drawn", _WHY)
        try:
            array = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            array = np.zeros(())
        if array.shape not in ((len(is_labelled),), is_labelled.shape):
            raise InvalidInputError(
                'labels_drawn must be "random", "stratified" or a probability per item, got'
                f" {quoted(labels_drawn)}",
                hint=_WHY,
                argument="labels_drawn",
            )
        arrays.append(array if array.ndim > 1 else array[:, None])
    probabilities = np.broadcast_to(np.concatenate(arrays, axis=1), is_labelled.shape)
    wrong = is_labelled & ~((probabilities > 0.0) & (probabilities <= 1.0))
    if wrong.any():
        item, system = (int(x) for x in np.argwhere(wrong)[0])
        raise InvalidInputError(
            f"the probability of labelling item {item_text(scores, item)} must lie in (0, 1], got"
            f" {probabilities[item, system]:g}",
            hint="give the probability with which each item was drawn to be labelled",
            argument="labels_drawn",
        )
    return np.where(is_labelled, probabilities, 1.0)


def _check_groups(
    scores: JudgedItems, is_labelled: BoolArray, stratum: IntArray, cluster: IntArray, *, clustered: bool
) -> None:
    """Refuse clusters across strata, labels of one cluster, and strata with fewer than two labelled units."""
    if clustered:
        check_nested_codes(stratum, cluster)
    unit = "labelled cluster" if clustered else "label"
    for place, name in enumerate(scores.names):
        labelled = is_labelled[:, place]
        units = np.unique(np.stack([stratum[labelled], cluster[labelled]]), axis=1)[0]
        counts = np.bincount(units, minlength=int(stratum.max()) + 1)
        if counts.sum() < 2:
            raise DesignError(
                f"all labels of system {quoted(name)} lie in one cluster: nothing tells how clusters vary",
                hint="label items of several clusters",
            )
        if counts.min() < 2 and counts.size > 1:
            raise DesignError(
                f"a stratum has {counted(int(counts.min()), unit)} of system {quoted(name)}, and at least 2"
                " are needed",
                hint="label more of its items, or join it with another stratum",
            )


def check_nested_codes(stratum: IntArray, cluster: IntArray) -> None:
    """Refuse a cluster that lies in several strata."""
    pairs = np.unique(np.stack([cluster, stratum]), axis=1)
    if pairs.shape[1] > int(cluster.max()) + 1:
        raise DesignError(
            "a cluster lies in several strata", hint="give strata of whole clusters", argument="strata"
        )


def label_weights(
    is_labelled: BoolArray, strata: IntArray, probabilities: FloatArray | None = None
) -> FloatArray:
    """Return the weights of the labels in the mean over all items, shape (N, S), per system summing to 1.

    Each stratum counts as the share of its items, and inside it a label as the inverse of the probability
    with which it was drawn (Hajek 1971, in Foundations of Statistical Inference, p. 236), of shape (N, S).

    >>> label_weights(np.array([[True], [True], [False], [True]]), np.array([0, 0, 0, 1])).ravel()
    array([0.375, 0.375, 0.   , 0.25 ])
    """
    raw = np.where(is_labelled, 1.0 if probabilities is None else 1.0 / probabilities, 0.0)
    sums = np.zeros((int(strata.max()) + 1, is_labelled.shape[1]))
    np.add.at(sums, strata, raw)
    shares = np.bincount(strata) / strata.size
    each = shares[:, None] / np.where(sums > 0.0, sums, 1.0)
    weights: FloatArray = raw * each[strata]
    return weights


# -- whether they look drawn at random -------------------------------------------------------------


DRAW_LEVEL = 0.001
"""P-value of all comparisons together below which a draw is not taken for random."""

_SINGULAR = 1e-10


def unlike_random_draw(
    judge: FloatArray, is_labelled: BoolArray, strata: IntArray, clusters: IntArray | None
) -> bool:
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
    is_labelled : ndarray of bool, shape (N, S)
        Which items are labelled.
    strata : ndarray of int, shape (N,)
        Codes from 0 of the strata inside which items were drawn.
    clusters : ndarray of int, shape (N,), or None
        Codes from 0; None if items are independent.
    """
    # Strata above which a draw inside them is not looked at
    if int(strata.max()) >= 20:
        return False
    sets = [np.array(one) for one in {tuple(column) for column in is_labelled.T.tolist()}]
    level = DRAW_LEVEL / (len(sets) * judge.shape[2])
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
        rounding.on_marks(rounding.levelled(values[None])[0], (0.0,), size)
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
        stratum_of_cluster = np.zeros(sizes.size, dtype=np.int64)
        stratum_of_cluster[clusters] = strata
        return _unlike_draws(means, share == 1.0, stratum_of_cluster, level)
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

    observed = statistic(np.flatnonzero(labelled))
    if float(chdtrc(x.shape[1], observed)) >= level:
        return False
    rng, starts = np.random.default_rng(0), np.cumsum(sizes) - sizes
    # No draw of so many may reach what was found: the p-value is 1 / 2000
    for _ in range(1999):
        parts = [start + rng.choice(size, k, replace=False, shuffle=False)
                 for start, size, k in zip(starts, sizes, n, strict=True)]  # fmt: skip
        if statistic(np.concatenate(parts)) >= observed:
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
    centred: FloatArray = x - means[strata]
    return centred
