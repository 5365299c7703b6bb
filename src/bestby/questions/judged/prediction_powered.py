"""Means of human scores, known for some items, corrected by a judge's scores of all: PPI++ for many systems.

Angelopoulos, Duchi & Zrnic (2023), PPI++: Efficient prediction-powered inference, arXiv 2311.01453. With
strata: Fisch, Maynez, Hofer, Dhingra, Globerson & Cohen (2024), Stratified prediction-powered inference,
NeurIPS. For a mean the estimate is the difference estimator of survey sampling.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.text import counted, quoted
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.inference import clusters, powered_intervals
from bestby.inference.clusters import StandardError, cr2, cr2_covariance, mean_error
from bestby.inference.multiplicity import Joint, Spread
from bestby.inference.powered_intervals import FEW, Shares, heaviest
from bestby.inference.skewness import no_longer
from bestby.questions.judged.labelled import LabelDraw, Labelled
from bestby.results.base import Note
from bestby.results.values import Interval, TestResult, has_length, without_interval

MUCH_SHORTER, MOVED = 0.8, 0.25
"""Parts of the lengths of the labels' own interval and of a corrected one; see `Estimates.on_interval`."""

FEW_LARGE, LARGE_SHARE = 4, 0.2
"""Labels, and the share of them, below which a note says that a standard error comes from few of them."""

FEW_APART = 15
"""Labels of the rarer kind below which shares of systems with other labels have no sure difference."""


def estimated(drawn: LabelDraw) -> Estimates:
    """Return the estimates of labelled data."""
    data = drawn.data
    labels = data.human[data.is_labelled]
    binary = bool(np.isin(labels, (0.0, 1.0)).all())
    means, each = corrected(data), by_judge(data)
    return Estimates(data, means, each, data.judge.mean(axis=(0, 2)), drawn.n_clusters, binary)


def by_judge(data: Labelled, *, pooled: bool = False) -> tuple[Corrected, ...]:
    """Return the corrected means with each of several judges alone; nothing for one judge."""
    n_judges = data.judge.shape[2]
    data_of_judges = [dataclasses.replace(data, judge=data.judge[:, :, [place]]) for place in range(n_judges)]
    return tuple(corrected(one, pooled=pooled) for one in data_of_judges) if n_judges > 1 else ()


@dataclass(frozen=True, eq=False)
class Estimates:
    """The estimates of all systems; `judge` are the judge's own means.

    `each`, of several judges, are the corrected means with one judge alone.
    """

    data: Labelled
    means: Corrected
    each: tuple[Corrected, ...]
    judge: FloatArray
    n_clusters: int
    binary: bool

    @property
    def scores(self) -> FloatArray:
        """The corrected means, shape (S,)."""
        return self.means.scores

    @property
    def labels(self) -> FloatArray:
        """The means of the labels alone, shape (S,)."""
        return self.means.labels

    @property
    def method(self) -> str:
        """The method of the intervals of most differences."""
        return powered_intervals.SCORE if self.binary else powered_intervals.T

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.data.human)

    @property
    def bounds(self) -> tuple[float, float]:
        """What the mean human score can be, where that is known."""
        return (0.0, 1.0) if self.binary else (-math.inf, math.inf)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What has to be said of the estimates by themselves."""
        return ()

    def few_heavy(self, names: Sequence[str]) -> Iterator[Note]:
        """Yield a note if a few labels of a system weigh most: the fewest of all systems."""
        few = []
        for place in range(len(names)):
            is_labelled = self.data.is_labelled[:, place]
            human, weights = self.data.human[is_labelled, place], self.data.weights[is_labelled, place]
            heavy = heaviest(weights)
            n = int(heavy.sum())
            rare = Shares.from_labels(human, weights).rare if self.binary else FEW
            # Labels that weigh most below which a note says that the precision hangs on them
            if not heavy.all() and (n < 30 or rare < FEW):
                few.append((n, place, 1.0 / float(weights @ weights)))
        if not few:
            return
        n, place, equal = min(few)
        reach = (
            f"an interval is as long as that of {equal:.0f} labels of equal weight, wherever fewer than {FEW}"
            " of the heavy labels have the less frequent verdict"
            if self.binary
            else "intervals may be too short"
        )
        yield Note(
            "few_heavy_labels",
            f"the score of {quoted(names[place])} rests mostly on {counted(n, 'label')}, which have large"
            f" weights because few items of their kind were labelled: {reach}. Label more items of this kind",
        )

    @property
    def without_interval(self) -> Note:
        """Why a score has no interval, where it has none."""
        return without_interval("constant_scores", self.method)

    def contrast(self, a: int, b: int | None = None) -> FloatArray:
        """Return the contrast of a system, or of a minus b."""
        return contrast_of(self.scores.size, a, b)

    def estimate(self, contrast: FloatArray) -> float:
        """Return a score or a difference."""
        return _difference(contrast, self.scores)

    def labels_mean(self, contrast: FloatArray) -> float:
        """Return a score or a difference by the labels alone."""
        return _difference(contrast, self.labels)

    def common(self, a: int, b: int) -> Common:
        """Return how many items are labelled for both."""
        both = self.data.is_labelled[:, a] & self.data.is_labelled[:, b]
        apart = rounding.difference(self.data.human[both, a], self.data.human[both, b])
        return Common(int(both.sum()), int(np.count_nonzero(apart)))

    def error(self, contrast: FloatArray) -> StandardError:
        """Return the standard error of a score or of a difference."""
        error = self.means.error(contrast)
        if not self.binary:
            return error
        heaviest_label = float(self.data.weights[:, contrast != 0.0].max())
        units = self.means.residual_influence @ contrast
        return powered_intervals.allowing_for_unseen(
            error, self.means.labels_error(contrast), units, heaviest_label
        )

    def interval(self, contrast: FloatArray, level: float, *, labels_only: bool = False) -> Interval | None:
        """Return the interval of a score or a difference, or of the labels alone; None without length."""
        key = (contrast.tobytes(), level, labels_only)
        if key not in self._intervals:
            self._intervals[key] = self._interval(contrast, level, labels_only=labels_only)
        return self._intervals[key]

    @cached_property
    def _intervals(self) -> dict[tuple[bytes, float, bool], Interval | None]:
        return {}

    def _interval(self, contrast: FloatArray, level: float, *, labels_only: bool) -> Interval | None:
        estimate = self.labels_mean(contrast) if labels_only else self.estimate(contrast)
        error = self.means.labels_error(contrast) if labels_only else self.error(contrast)
        low, high, method = powered_intervals.interval(estimate, error, self._shares(contrast), level)
        interval = Interval(low, high, level, method, True)
        size = max(float(np.abs(self.scores[contrast != 0.0]).max()), abs(estimate))
        return interval if math.isfinite(low) and math.isfinite(high) and has_length(interval, size) else None

    def test(self, contrast: FloatArray, alternative: Alternative) -> TestResult:
        """Return the test of a difference."""
        estimate = self.estimate(contrast)
        return powered_intervals.tested(estimate, self.error(contrast), self._shares(contrast), alternative)

    def extra_labels(self, contrast: FloatArray, level: float, by: Corrected | None = None) -> float | None:
        """Return how many more labels alone would have had as short an interval; `by` one judge of several.

        Lengths of intervals go with the root of the number of labels.
        """
        estimates = self if by is None else dataclasses.replace(self, means=by)
        intervals = estimates.interval(contrast, level), self.interval(contrast, level, labels_only=True)
        return labels_worth(self._n_labels(contrast), *map(_length, intervals))

    def on_interval(self, contrast: FloatArray, level: float) -> Iterator[Note]:
        """Yield notes on the interval of a score or a difference, where it rests on little."""
        yield from self._few_apart(contrast)
        length, labels_length = (
            _length(self.interval(contrast, level, labels_only=labels_only)) for labels_only in (False, True)
        )
        if length is not None and labels_length is not None:
            yield from self._unseen_errors(contrast, length, labels_length)
            yield from self._few_large(contrast)

    def _few_apart(self, contrast: FloatArray) -> Iterator[Note]:
        """Yield a note on a difference of shares with other labels for each, if few are of the rarer kind."""
        if not self.binary or self._shares(contrast) is not None:
            return
        each = (self._shares(self.contrast(int(s))) for s in np.flatnonzero(contrast))
        rare = min(one.rare for one in each if one is not None)
        if rare < FEW_APART:
            yield Note(
                "few_of_a_kind",
                "different items are labelled for the two systems, and only"
                f" {counted(rare, 'label')} of one of them {'has' if rare == 1 else 'have'} its less frequent"
                f" verdict: with fewer than {FEW_APART} the interval of the difference may be too short",
            )

    def _unseen_errors(self, contrast: FloatArray, length: float, labels_length: float) -> Iterator[Note]:
        """Yield a note if an interval is short, and one error of the judge more would move it much.

        One answer in n that the judge misses is not among n labels with probability .37. The note is for
        intervals shorter than those of the labels alone, where such an answer would move the estimate by more
        than a quarter of their length; it says nothing of judges that miss fewer, or of smaller errors.
        Intervals of right and wrong allow for it.
        """
        involved = contrast != 0.0
        size = float(np.ptp(self.data.human[self.data.is_labelled & involved]))
        moved = size * float(self.data.weights[:, involved].max())
        if length < MUCH_SHORTER * labels_length and moved > MOVED * length:
            n = round(self._n_labels(contrast))
            yield Note(
                "unseen_judge_errors",
                f"the judge is nearly right on these {n} labels, which makes the interval short. They can"
                f" easily lack an error that it makes on one answer in {n}: if that is as large as the human"
                f" scores differ, it moves the true mean by {moved:.2g}. The interval of the labels alone is"
                " longer",
            )

    def _few_large(self, contrast: FloatArray) -> Iterator[Note]:
        """Yield a note if the standard error of scores other than 0 and 1 comes from few labels."""
        n = int(np.count_nonzero(self.means.sizes[:, contrast != 0.0].any(axis=1)))
        units = self.means.residual_influence @ contrast
        large = clusters.carrying(units, np.ones(units.size))
        if self.binary or large >= min(FEW_LARGE, LARGE_SHARE * n):
            return
        yield Note(
            "few_large_labels",
            f"the standard error comes from about {large:.0f} of the"
            f" {counted(n, 'labelled cluster' if self.n_clusters else 'label')}, far from what judge and mean"
            " say of them. Where such labels are rare, a draw often has too few of them, and the interval may"
            " be too short: label more items",
        )

    def _n_labels(self, contrast: FloatArray) -> float:
        """Return the labels of the systems of a contrast, on average."""
        return float(self.data.is_labelled[:, contrast != 0.0].sum(axis=0).mean())

    def tuning(self, system: int) -> tuple[float, ...]:
        """Return, per judge, the coefficient of its score of the system, over the strata by their size."""
        shares = np.bincount(self.data.strata) / self.n_items
        coefficients = self.means.coefficients[self.means.tuned, system, system]
        return tuple((shares @ coefficients).tolist())

    def joint(self, pairs: list[tuple[int, int]], names: Sequence[str]) -> Joint:
        """Return how the differences of pairs vary together, whatever the order of the systems."""
        order = sorted(range(len(names)), key=lambda s: names[s])
        place = np.argsort(order)
        a, b = np.array(pairs).T
        spread = Spread.normal(self._covariance, len(self.means.sizes)).ordered(order)
        return Joint.of(spread, place[a], place[b], 0)

    @cached_property
    def _covariance(self) -> FloatArray:
        """The covariances of the scores less their mean over the systems."""
        means = self.means
        cross = means.residual_influence.T @ means.judge_influence
        residual = cr2_covariance(means.residual_influence, means.sizes.mean(axis=1), None, means.bounds)
        whole = residual + means.judge_covariance + cross + cross.T
        centre = np.eye(len(whole)) - 1.0 / len(whole)
        covariance: FloatArray = centre @ whole @ centre
        return covariance

    def _shares(self, contrast: FloatArray) -> Shares | None:
        """Return what labels 0 and 1 say of a share or a difference; None if there is no score interval."""
        if not self.binary:
            return None
        involved = np.flatnonzero(contrast)
        a, b = int(involved[0]), int(involved[-1])
        is_labelled = self.data.is_labelled[:, a]
        if not np.array_equal(is_labelled, self.data.is_labelled[:, b]):
            return None
        weights = self.data.weights[is_labelled, a]
        first, second = self.data.human[is_labelled, a], self.data.human[is_labelled, b]
        if a == b:
            return Shares.from_labels(first, weights)
        return Shares.from_differences(first - second, weights)


@dataclass(frozen=True)
class Common:
    """Items labelled for two systems, and those of them whose human scores differ."""

    n: int
    differing: int


def contrast_of(n_systems: int, a: int, b: int | None) -> FloatArray:
    """Return the contrast of a system, or of a minus b, shape (S,)."""
    contrast = np.zeros(n_systems)
    contrast[a] = 1.0
    if b is not None:
        contrast[b] = -1.0
    return contrast


def labels_worth(n: float, length: float | None, labels_length: float | None) -> float | None:
    """Return how many more labels a length or an error is worth beside that of n labels alone."""
    return n * ((labels_length / length) ** 2 - 1.0) if length and labels_length else None


def _length(interval: Interval | None) -> float | None:
    return None if interval is None else interval.high - interval.low


def _difference(contrast: FloatArray, means: FloatArray) -> float:
    """Return a mean, or a difference of means that is 0 where only rounding makes one."""
    return float(rounding.difference(np.maximum(contrast, 0.0) @ means, np.maximum(-contrast, 0.0) @ means))


# -- the means and their errors --------------------------------------------------------------------


LEAST_TUNED = 25
"""Labels of every system below which a stratum shares its coefficients with the other small ones."""


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
    item, system = np.nonzero(data.is_labelled)
    # Less the median, so that equal labels have a mean equal to them, and no error of rounding.
    middle = np.nanmedian(data.human, axis=0)
    weights = data.weights[item, system]
    y = rounding.difference(data.human[item, system], middle[system])
    group = data.strata[item] * n_systems + system
    n_groups = (int(data.strata.max()) + 1) * n_systems
    centred_labels = _less_mean(y[:, None], weights, group, n_groups)[:, 0]
    tuned = np.zeros(int(data.strata.max()) + 1, dtype=np.int64) if pooled else _groups_of_strata(data)
    coefficients = np.zeros((int(tuned.max()) + 1, n_systems, n_systems, n_judges))
    residuals = centred_labels.copy()
    # Labelled clusters below which the judge is left out: a slope from so few is mostly chance
    enough = np.unique(data.clusters[item]).size >= 10
    for one in range(len(coefficients)) if enough else ():
        part = tuned[data.strata[item]] == one
        fit = _regressed(
            centred,
            item[part],
            system[part],
            centred_labels[part],
            weights[part],
            group[part],
            n_groups,
            data.clusters,
            np.abs(data.judge).max(axis=(0, 1)),
        )
        coefficients[one], residuals[part] = fit
    by_item = np.empty((len(centred), n_systems))
    for one, coefficient in enumerate(coefficients):
        part = tuned[data.strata] == one
        by_item[part] = np.tensordot(centred[part], coefficient, axes=([1, 2], [1, 2]))
    # PPI++: the mean of the labels, less what the judge's scores of the labelled items are above those of all
    # items, which are centred at 0.
    labels = middle.copy()
    np.add.at(labels, system, weights * y)
    scores = labels.copy()
    np.add.at(scores, system, -weights * by_item[item, system])
    return _with_influence(data, scores, labels, coefficients, tuned, residuals, centred_labels, by_item)


def _centred_by_stratum(data: Labelled) -> FloatArray:
    """Return the judges' scores less their mean over all items of the stratum."""
    flat = data.judge.reshape(len(data.judge), -1)
    counts = np.bincount(data.strata)
    means = np.zeros((counts.size, flat.shape[1]))
    np.add.at(means, data.strata, flat)
    centred: FloatArray = (flat - (means / counts[:, None])[data.strata]).reshape(data.judge.shape)
    return centred


def _groups_of_strata(data: Labelled) -> IntArray:
    """Return which strata are tuned together: those with few labels of some system."""
    counts = np.zeros((int(data.strata.max()) + 1, data.is_labelled.shape[1]), dtype=np.int64)
    np.add.at(counts, data.strata, data.is_labelled)
    small = counts.min(axis=1) < LEAST_TUNED
    numbers = np.cumsum(~small) - 1 + bool(small.any())
    return np.where(small, 0, numbers)


def _less_mean(values: FloatArray, weights: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    """Return values, shape (M, P), less their weighted mean in the group."""
    sums = np.zeros((n_groups, values.shape[1]))
    np.add.at(sums, group, values * weights[:, None])
    total = np.bincount(group, weights=weights, minlength=n_groups)
    centred: FloatArray = values - (sums / np.where(total > 0.0, total, 1.0)[:, None])[group]
    return centred


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
    within_item = centred[item, system] - mean
    several = n_systems > 1
    x = np.concatenate([within_item, mean], axis=1) if several else mean
    blocks = (n_judges, n_judges) if several else (n_judges,)
    x = rounding.on_marks(_less_mean(x, weights, group, n_groups), (0.0,), np.tile(largest, len(blocks)))
    fit = fitted(x, y, weights, codes, blocks)
    within, between = fit.coefficients[:n_judges], fit.coefficients[-n_judges:]
    # within (x_s - mean) + between mean = within x_s + (between - within) / S times the sum over the systems
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
        one = fitted(rows, y[part], weights[part], local, (rows.shape[1],))
        each[s], residuals[part] = one.coefficients.reshape(n_systems, n_judges), one.residuals
    less = [
        _variance_of_differences(weights * one, codes, system, n_systems)
        for one in (residuals, fit.residuals)
    ]
    return (each, residuals) if less[0] < less[1] else (coefficients, fit.residuals)


def _variance_of_differences(values: FloatArray, codes: IntArray, system: IntArray, n_systems: int) -> float:
    """Return the sum over all pairs of the squares of what clusters add to the difference."""
    sums = np.zeros((int(codes.max()) + 1, n_systems))
    np.add.at(sums, (codes, system), values)
    return float(n_systems * (sums**2).sum() - (sums.sum(axis=1) ** 2).sum())


def _with_influence(
    data: Labelled,
    scores: FloatArray,
    labels: FloatArray,
    coefficients: FloatArray,
    tuned: IntArray,
    residuals: FloatArray,
    centred_labels: FloatArray,
    by_item: FloatArray,
) -> Corrected:
    """Return the corrected means with what the clusters add, those with labels by their strata."""
    item, system = np.nonzero(data.is_labelled)
    weights, n_systems = data.weights[item, system], scores.size
    n_clusters = int(data.clusters.max()) + 1
    sums = np.zeros((5, n_clusters, n_systems))
    for place, values in enumerate((weights * residuals, weights * centred_labels, weights, weights**2)):
        np.add.at(sums[place], (data.clusters[item], system), values)
    np.add.at(sums[4], data.clusters, by_item / len(by_item))
    stratum = np.zeros(n_clusters, dtype=np.int64)
    stratum[data.clusters] = data.strata
    labelled_clusters = np.flatnonzero((sums[2] > 0.0).any(axis=1))
    order = labelled_clusters[np.argsort(stratum[labelled_clusters], kind="stable")]
    freedom = max(1, n_clusters - int(data.strata.max()) - 1)
    return Corrected(
        scores=scores,
        labels=labels,
        coefficients=coefficients,
        tuned=tuned,
        residual_influence=sums[0][order],
        label_influence=sums[1][order],
        judge_influence=sums[4][order],
        sizes=sums[2][order],
        squares=sums[3][order],
        weighted=data.weighted,
        bounds=np.searchsorted(stratum[order], np.arange(int(data.strata.max()) + 2)),
        judge_covariance=sums[4].T @ sums[4] * (n_clusters / freedom),
        judge_freedom=float(freedom),
    )


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
    residual_influence, label_influence, judge_influence : ndarray, shape (G, S)
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
    residual_influence: FloatArray
    label_influence: FloatArray
    judge_influence: FloatArray
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
        residual = self._cr2(self.residual_influence, contrast)
        judge_variance = float(contrast @ self.judge_covariance @ contrast)
        cross = float((self.residual_influence @ contrast) @ (self.judge_influence @ contrast))
        residual_variance = residual.se**2
        variance = max(residual_variance + judge_variance + 2.0 * cross, 0.0)
        if residual_variance == 0.0 or variance == 0.0:
            return StandardError(math.sqrt(variance), residual.df)
        # Not the squares of the variances alone, which may be below all floats
        shares = residual_variance / variance, judge_variance / variance
        # Satterthwaite: one over the degrees of freedom of a sum is the sum of share^2 / df.
        lost = shares[0] ** 2 / max(residual.df, 1.0) + shares[1] ** 2 / max(self.judge_freedom, 1.0)
        skewness = residual.skewness * shares[0] ** 1.5
        error = StandardError(math.sqrt(variance), 1.0 / lost, skewness, residual.effective)
        # How many times as long as that of the labels alone the skewness of residuals may make an interval
        return no_longer(error, self.labels_error(contrast), 1.1) if error.skewness else error

    def labels_error(self, contrast: FloatArray) -> StandardError:
        """Return the standard error of the same sum of the means of the labels alone."""
        return self._cr2(self.label_influence, contrast)

    def _cr2(self, influence: FloatArray, contrast: FloatArray) -> StandardError:
        involved = contrast != 0.0
        has_labels = self.sizes[:, involved] > 0.0
        if has_labels.shape[1] > 1 and not (has_labels.sum(axis=1) > 1).any():
            # Nothing is labelled for both: the means are independent, each with residuals around its own.
            contrasts = [
                np.where(np.arange(contrast.size) == s, contrast, 0.0) for s in np.flatnonzero(involved)
            ]
            mean = mean_error([self._cr2(influence, one) for one in contrasts])
            return dataclasses.replace(mean, se=len(contrasts) * mean.se)
        sizes = self.sizes[:, involved].mean(axis=1)
        labelled_clusters = sizes > 0.0
        stratum = np.repeat(np.arange(self.bounds.size - 1), np.diff(self.bounds))
        bounds = np.searchsorted(stratum[labelled_clusters], np.arange(self.bounds.size))
        squares = self.squares[:, involved].mean(axis=1)[labelled_clusters]
        model = {"variances" if self.weighted else "squares": squares}
        return cr2((influence @ contrast)[labelled_clusters], sizes[labelled_clusters], None, bounds, **model)


# -- how far the judge's scores foretell human ones ------------------------------------------------


_SINGULAR = 1e-10
"""Share of the largest eigenvalue below which a direction of the regressors counts as constant."""


def fitted(
    x: FloatArray, y: FloatArray, weights: FloatArray, clusters: IntArray, blocks: tuple[int, ...]
) -> Fit:
    """Return the coefficients of `y`, shape (M,), on `x`, shape (M, P), both centred.

    `weights` are those of the labels in the estimate: the coefficients minimise its variance, the sum of
    squares of weighted residuals (Angelopoulos, Duchi & Zrnic 2023, arXiv 2311.01453, section 4; for survey
    samples Cochran 1977, Sampling Techniques, section 7.3). `blocks` says how many columns are drawn towards
    0 together: by the positive part of James and Stein's factor, 1 - P / W, with the cluster-robust Wald
    statistic W (Efron & Morris 1973, J. Amer. Statist. Assoc. 68, 117-130). A judge that foretells nothing
    so has the coefficient 0, and the estimate is that of the labels alone.

    >>> y = np.array([-1.0, 0.0, 1.0, 0.5, -0.5])
    >>> fit = fitted(np.array([[-1.1], [0.1], [1.0], [0.4], [-0.4]]), y, np.full(5, 0.2), np.arange(5), (1,))
    >>> fit.coefficients.round(3)
    array([0.98])
    """
    spread = np.sqrt((weights**2) @ x**2)
    scale = np.where(spread > 0.0, spread, 1.0)
    z = x * weights[:, None] / scale
    v = y * weights
    n_clusters = int(clusters.max()) + 1
    squares = np.zeros((n_clusters, x.shape[1], x.shape[1]))
    products = np.zeros((n_clusters, x.shape[1]))
    np.add.at(squares, clusters, z[:, :, None] * z[:, None, :])
    np.add.at(products, clusters, z * v[:, None])
    total, sums = squares.sum(axis=0), products.sum(axis=0)
    inverse = np.linalg.pinv(total, rcond=_SINGULAR, hermitian=True)
    raw = inverse @ sums
    # Each cluster's residuals are from the coefficients of all others: a fit to them would look too good.
    without = np.linalg.pinv(total - squares, rcond=_SINGULAR, hermitian=True)
    left_out = np.einsum("gpq,gq->gp", without, sums - products)
    shrinkage = _shrinkage(raw, left_out, blocks)
    residuals = y - np.einsum("mp,mp->m", z, (shrinkage * left_out)[clusters]) / np.where(
        weights > 0, weights, 1.0
    )
    return Fit(shrinkage * raw / scale, residuals)


def _shrinkage(raw: FloatArray, left_out: FloatArray, blocks: tuple[int, ...]) -> FloatArray:
    """Return the factor of each coefficient, from the jackknife variance of those of its block."""
    n_clusters = len(left_out)
    change = left_out - raw
    covariance = change.T @ change * ((n_clusters - 1) / n_clusters)
    factors = np.zeros(raw.size)
    start = 0
    for size in blocks:
        part = slice(start, start + size)
        inverse = np.linalg.pinv(covariance[part, part], rcond=_SINGULAR, hermitian=True)
        wald = float(raw[part] @ inverse @ raw[part])
        exact = not covariance[part, part].any() and bool(raw[part].any())
        factors[part] = 1.0 if exact else max(0.0, 1.0 - size / wald) if wald > 0.0 else 0.0
        start += size
    return factors


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients, of shape (P,), and the residuals of each label without its own cluster, of shape (M,)."""

    coefficients: FloatArray
    residuals: FloatArray
