"""Means of human scores, known for some items, corrected by a judge's scores of all: PPI++ for many systems.

Angelopoulos, Duchi & Zrnic (2023), PPI++: Efficient prediction-powered inference, arXiv 2311.01453. With
strata: Fisch, Maynez, Hofer, Dhingra, Globerson & Cohen (2024), Stratified prediction-powered inference,
NeurIPS. For a mean the estimate is the difference estimator of survey sampling.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.inference.clusters import StandardError, cr2, mean_error
from bestby.inference.skewness import no_longer
from bestby.questions.judged import tuning


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
    def known(self) -> BoolArray:
        """Where there is a label, shape (N, S)."""
        return ~np.isnan(self.human)

    @cached_property
    def weighted(self) -> bool:
        """Whether labels of one system and stratum have different weights."""
        item, system = np.nonzero(self.known)
        weights, group = self.weights[item, system], self.strata[item] * self.known.shape[1] + system
        _, first, place = np.unique(group, return_index=True, return_inverse=True)
        return not bool(rounding.level(weights, weights[first][place.reshape(-1)], weights).all())


def label_weights(known: BoolArray, strata: IntArray, probabilities: FloatArray | None = None) -> FloatArray:
    """Return the weights of the labels in the mean over all items, shape (N, S), per system summing to 1.

    Each stratum counts as the share of its items, and inside it a label as the inverse of the probability
    with which it was drawn (Hajek 1971, in Foundations of Statistical Inference, p. 236), of shape (N, S).

    >>> label_weights(np.array([[True], [True], [False], [True]]), np.array([0, 0, 0, 1])).ravel()
    array([0.375, 0.375, 0.   , 0.25 ])
    """
    raw = np.where(known, 1.0 if probabilities is None else 1.0 / probabilities, 0.0)
    sums = np.zeros((int(strata.max()) + 1, known.shape[1]))
    np.add.at(sums, strata, raw)
    shares = np.bincount(strata) / strata.size
    each = shares[:, None] / np.where(sums > 0.0, sums, 1.0)
    weights: FloatArray = raw * each[strata]
    return weights


@dataclass(frozen=True, eq=False)
class Corrected:
    """The corrected means of all systems, and what each cluster adds to them.

    Parameters
    ----------
    scores, labels : ndarray, shape (S,)
        The corrected means, and those of the labels alone.
    coefficients : ndarray, shape (T, S, S, J)
        By group of strata: those of the human score of a system on the judges' scores of all systems.
    tuned : ndarray of int, shape (H,)
        The group of each stratum.
    of_labels, of_labels_alone, of_judge : ndarray, shape (G, S)
        What each cluster with labels adds: by the residuals of its labels, by its labels without the judge,
        and by the judge's scores of all its items.
    sizes, squares : ndarray, shape (G, S)
        The sums of the weights of its labels, and of their squares.
    weighted : bool
        Whether labels of one stratum have different weights.
    bounds : ndarray of int
        Where the strata begin.
    judge_covariance : ndarray, shape (S, S)
        The covariances of the judge's part.
    judge_freedom : float
        Its degrees of freedom.
    """

    scores: FloatArray
    labels: FloatArray
    coefficients: FloatArray
    tuned: IntArray
    of_labels: FloatArray
    of_labels_alone: FloatArray
    of_judge: FloatArray
    sizes: FloatArray
    squares: FloatArray
    weighted: bool
    bounds: IntArray
    judge_covariance: FloatArray
    judge_freedom: float

    def error(self, contrast: FloatArray) -> StandardError:
        """Return the standard error of a sum of the corrected means, the contrast having shape (S,).

        The variance of the residuals is CR2's, that of the judge's part is added, and so is twice their
        covariance; the degrees of freedom are Satterthwaite's. What the judge leaves may be far more skewed
        than the labels, as of a judge that misses a few failures; no more of that skewness counts than makes
        the interval longer by a tenth than that of the labels alone.
        """
        residual = self._cr2(self.of_labels, contrast)
        of_judge = float(contrast @ self.judge_covariance @ contrast)
        cross = float((self.of_labels @ contrast) @ (self.of_judge @ contrast))
        own = residual.se**2
        variance = max(own + of_judge + 2.0 * cross, 0.0)
        if own == 0.0 or variance == 0.0:
            return StandardError(math.sqrt(variance), residual.df)
        shares = own / variance, of_judge / variance  # not their squares alone, which may be below all floats
        lost = shares[0] ** 2 / max(residual.df, 1.0) + shares[1] ** 2 / max(self.judge_freedom, 1.0)
        skewness = residual.skewness * shares[0] ** 1.5
        found = StandardError(math.sqrt(variance), 1.0 / lost, skewness, residual.effective)
        # How many times as long as that of the labels alone the skewness of residuals may make an interval
        return no_longer(found, self.error_alone(contrast), 1.1) if found.skewness else found

    def error_alone(self, contrast: FloatArray) -> StandardError:
        """Return the standard error of the same sum of the means of the labels alone."""
        return self._cr2(self.of_labels_alone, contrast)

    def _cr2(self, influence: FloatArray, contrast: FloatArray) -> StandardError:
        involved = contrast != 0.0
        labelled = self.sizes[:, involved] > 0.0
        if labelled.shape[1] > 1 and not (labelled.sum(axis=1) > 1).any():
            # Nothing is labelled for both: the means are independent, each with residuals around its own.
            alone = [np.where(np.arange(contrast.size) == s, contrast, 0.0) for s in np.flatnonzero(involved)]
            mean = mean_error([self._cr2(influence, one) for one in alone])
            return dataclasses.replace(mean, se=len(alone) * mean.se)
        sizes = self.sizes[:, involved].mean(axis=1)
        there = sizes > 0.0
        stratum = np.repeat(np.arange(self.bounds.size - 1), np.diff(self.bounds))
        bounds = np.searchsorted(stratum[there], np.arange(self.bounds.size))
        squares = self.squares[:, involved].mean(axis=1)[there]
        model = {"variances" if self.weighted else "squares": squares}
        return cr2((influence @ contrast)[there], sizes[there], None, bounds, **model)


def corrected(data: Labelled, *, pooled: bool = False) -> Corrected:
    """Return the corrected means beside those of the labels alone.

    With `pooled` all strata have the same coefficients, however many labels they have.

    The mean of a system is that of its labels, plus coefficients times what the labelled items have too
    little of the judges' scores of all systems. There is one regression for all systems: that of a human
    score on the judges' deviation of the system from the mean of all systems on the item, and on that mean,
    with the same coefficients for all. Where there are enough labels, each system has its own coefficients on
    the scores of all systems, if these leave less variance in the differences of labels that the fit has not
    seen. Fewer than ten labelled clusters leave the judge out.
    """
    centred = _centred_by_stratum(data)
    _, n_systems, n_judges = centred.shape
    item, system = np.nonzero(data.known)
    # Less the median, so that equal labels have a mean equal to them, and no error of rounding.
    middle = np.nanmedian(data.human, axis=0)
    weights = data.weights[item, system]
    y = rounding.difference(data.human[item, system], middle[system])
    group = data.strata[item] * n_systems + system
    n_groups = (int(data.strata.max()) + 1) * n_systems
    alone = _less_mean(y[:, None], weights, group, n_groups)[:, 0]
    tuned = np.zeros(int(data.strata.max()) + 1, dtype=np.int64) if pooled else _groups_of_strata(data)
    coefficients = np.zeros((int(tuned.max()) + 1, n_systems, n_systems, n_judges))
    residuals = alone.copy()
    # Labelled clusters below which the judge is left out: a slope from so few is mostly chance
    enough = np.unique(data.clusters[item]).size >= 10
    for one in range(len(coefficients)) if enough else ():
        part = tuned[data.strata[item]] == one
        found = _regressed(
            centred,
            item[part],
            system[part],
            alone[part],
            weights[part],
            group[part],
            n_groups,
            data.clusters,
            np.abs(data.judge).max(axis=(0, 1)),
        )
        coefficients[one], residuals[part] = found
    by_item = np.empty((len(centred), n_systems))
    for one, coefficient in enumerate(coefficients):
        part = tuned[data.strata] == one
        by_item[part] = np.tensordot(centred[part], coefficient, axes=([1, 2], [1, 2]))
    labels = middle.copy()
    np.add.at(labels, system, weights * y)
    scores = labels.copy()
    np.add.at(scores, system, -weights * by_item[item, system])
    return _with_influence(data, scores, labels, coefficients, tuned, residuals, alone, by_item)


def _with_influence(
    data: Labelled,
    scores: FloatArray,
    labels: FloatArray,
    coefficients: FloatArray,
    tuned: IntArray,
    residuals: FloatArray,
    alone: FloatArray,
    by_item: FloatArray,
) -> Corrected:
    """Return the corrected means with what the clusters add, those with labels by their strata."""
    item, system = np.nonzero(data.known)
    weights, n_systems = data.weights[item, system], scores.size
    n_clusters = int(data.clusters.max()) + 1
    sums = np.zeros((5, n_clusters, n_systems))
    for place, values in enumerate((weights * residuals, weights * alone, weights, weights**2)):
        np.add.at(sums[place], (data.clusters[item], system), values)
    np.add.at(sums[4], data.clusters, by_item / len(by_item))
    stratum = np.zeros(n_clusters, dtype=np.int64)
    stratum[data.clusters] = data.strata
    there = np.flatnonzero((sums[2] > 0.0).any(axis=1))
    order = there[np.argsort(stratum[there], kind="stable")]
    freedom = max(1, n_clusters - int(data.strata.max()) - 1)
    return Corrected(
        scores=scores,
        labels=labels,
        coefficients=coefficients,
        tuned=tuned,
        of_labels=sums[0][order],
        of_labels_alone=sums[1][order],
        of_judge=sums[4][order],
        sizes=sums[2][order],
        squares=sums[3][order],
        weighted=data.weighted,
        bounds=np.searchsorted(stratum[order], np.arange(int(data.strata.max()) + 2)),
        judge_covariance=sums[4].T @ sums[4] * (n_clusters / freedom),
        judge_freedom=float(freedom),
    )


def _centred_by_stratum(data: Labelled) -> FloatArray:
    """Return the judges' scores less their mean over all items of the stratum."""
    flat = data.judge.reshape(len(data.judge), -1)
    counts = np.bincount(data.strata)
    means = np.zeros((counts.size, flat.shape[1]))
    np.add.at(means, data.strata, flat)
    centred: FloatArray = (flat - (means / counts[:, None])[data.strata]).reshape(data.judge.shape)
    return centred


def _less_mean(values: FloatArray, weights: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    """Return values, shape (M, P), less their weighted mean in the group."""
    sums = np.zeros((n_groups, values.shape[1]))
    np.add.at(sums, group, values * weights[:, None])
    total = np.bincount(group, weights=weights, minlength=n_groups)
    less: FloatArray = values - (sums / np.where(total > 0.0, total, 1.0)[:, None])[group]
    return less


def _groups_of_strata(data: Labelled) -> IntArray:
    """Return which strata are tuned together: those with few labels of some system."""
    counts = np.zeros((int(data.strata.max()) + 1, data.known.shape[1]), dtype=np.int64)
    np.add.at(counts, data.strata, data.known)
    # Labels of every system below which a stratum shares its coefficients with the other small ones
    small = counts.min(axis=1) < 25
    numbers = np.cumsum(~small) - 1 + bool(small.any())
    return np.where(small, 0, numbers)


def _regressed(
    centred: FloatArray,
    item: IntArray,
    system: IntArray,
    y: FloatArray,
    weights: FloatArray,
    group: IntArray,
    n_groups: int,
    clusters: IntArray,
    largest: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients, shape (S, S, J), and the residuals of labels left out of the fit.

    `largest`, of shape (J,), are the sizes of the judges' scores: a regressor that varies by their rounding
    alone, as where all systems have equal scores in a stratum, would have an enormous coefficient.
    """
    _, n_systems, n_judges = centred.shape
    codes = np.unique(clusters[item], return_inverse=True)[1]
    mean = centred[item].mean(axis=1)
    own = centred[item, system] - mean
    several = n_systems > 1
    x = np.concatenate([own, mean], axis=1) if several else mean
    blocks = (n_judges, n_judges) if several else (n_judges,)
    x = rounding.on_marks(_less_mean(x, weights, group, n_groups), (0.0,), np.tile(largest, len(blocks)))
    fit = tuning.fitted(x, y, weights, codes, blocks)
    within, between = fit.coefficients[:n_judges], fit.coefficients[-n_judges:]
    level = (between - within) / n_systems if several else np.zeros(n_judges)
    coefficients = np.broadcast_to(level, (n_systems, n_systems, n_judges)).copy()
    coefficients[np.arange(n_systems), np.arange(n_systems)] += within
    counts = np.bincount(system, minlength=n_systems)
    # Labels per regressor below which every system has the same two coefficients per judge
    if not several or counts.min() < 10 * (n_systems * n_judges + 1):
        return coefficients, fit.residuals
    each = np.zeros_like(coefficients)
    residuals = np.zeros(y.size)
    for s in range(n_systems):
        part = system == s
        rows = centred[item[part]].reshape(int(part.sum()), -1)
        rows = _less_mean(rows, weights[part], group[part], n_groups)
        rows = rounding.on_marks(rows, (0.0,), np.tile(largest, n_systems))
        local = np.unique(codes[part], return_inverse=True)[1]
        one = tuning.fitted(rows, y[part], weights[part], local, (rows.shape[1],))
        each[s], residuals[part] = one.coefficients.reshape(n_systems, n_judges), one.residuals
    less = [_of_differences(weights * one, codes, system, n_systems) for one in (residuals, fit.residuals)]
    return (each, residuals) if less[0] < less[1] else (coefficients, fit.residuals)


def _of_differences(values: FloatArray, codes: IntArray, system: IntArray, n_systems: int) -> float:
    """Return the sum over all pairs of the squares of what clusters add to the difference."""
    sums = np.zeros((int(codes.max()) + 1, n_systems))
    np.add.at(sums, (codes, system), values)
    return float(n_systems * (sums**2).sum() - (sums.sum(axis=1) ** 2).sum())
