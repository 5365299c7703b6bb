"""What human labels tell of a judge: its bias, whether it favours a system, how well it agrees.

All of it is computed from the labelled items alone, weighted as they are in the means of the human scores.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
from scipy.special import fdtrc, stdtr

from bestby._core import rounding
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.data.coding import codes
from bestby.inference import powered_intervals, proportions, skewness
from bestby.inference.classical import doubled_ranks
from bestby.inference.clusters import StandardError
from bestby.inference.multiplicity import holm
from bestby.inference.powered_intervals import Shares
from bestby.questions.judged.judge_pairs import Pairs, effective_clusters, error_of_mean
from bestby.questions.judged.judge_quality_result import (
    BiasEffect,
    BiasLevel,
    CalibrationBin,
    EqualBias,
    Favour,
    HumanAgreement,
    JudgeOfSystem,
    JudgeQuality,
)
from bestby.questions.judged.robust_regression import Regression, regressed
from bestby.results.values import Interval, has_length

MOST_CURVE_BINS = 10
"""Bins of the calibration curve."""

LEAST_APART = 5
"""Values that must differ from the commonest one: with fewer, intervals from a spread are far too short."""


def quality(
    name: str,
    pairs: Pairs,
    columns: Sequence[tuple[str, Array]],
    level: float,
    *,
    same: bool,
    greater: bool = True,
) -> JudgeQuality:
    """Return all that the labels tell of a judge.

    `columns` have a name and a value per pair, numbers or texts; `same` says whether judge and humans have
    the same scale, without which there is no bias, and `greater` whether a greater score is better.
    """
    return JudgeQuality(
        name,
        tuple(
            _agreement_on_system(pairs.part(pairs.system == s), one, level, same)
            for s, one in enumerate(pairs.names)
        ),
        equal_bias(pairs, greater=greater) if same else None,
        calibration(pairs, level),
        tuple(effect(pairs, column, values, level) for column, values in columns) if same else (),
        favour(pairs),
    )


def _agreement_on_system(pairs: Pairs, name: str, level: float, same: bool) -> JudgeOfSystem:
    """Return the agreement on one system."""
    bias, interval = _mean_bias(pairs, level) if same else (None, None)
    r, of_r = pearson(pairs, level)
    ranked = dataclasses.replace(
        pairs, judge=doubled_ranks(pairs.judge) / 2.0, human=doubled_ranks(pairs.human) / 2.0
    )
    spearman = pearson(ranked, level)[0]
    found = JudgeOfSystem(name, pairs.human.size, bias, interval, r, of_r, spearman)
    if not (same and pairs.binary):
        return found
    right = (pairs.judge == pairs.human).astype(np.float64)
    sensitivity, of_sensitivity = _share(right, pairs, pairs.human == 1.0, level)
    specificity, of_specificity = _share(right, pairs, pairs.human == 0.0, level)
    return dataclasses.replace(
        found,
        sensitivity=sensitivity,
        sensitivity_interval=of_sensitivity,
        specificity=specificity,
        specificity_interval=of_specificity,
        kappa=kappa(pairs),
    )


def _share(
    right: FloatArray, pairs: Pairs, which: BoolArray, level: float
) -> tuple[float | None, Interval | None]:
    """Return the share of some pairs that are right, with its interval."""
    return _mean(right[which], pairs.part(which), level, share=True) if which.any() else (None, None)


def kappa(pairs: Pairs) -> float | None:
    """Return Cohen's kappa of scores 0 and 1 (1960, Educ. Psychol. Meas. 20, 37-46), None if constant."""
    w = pairs.weights / pairs.weights.sum()
    agree, p, q = float(w @ (pairs.judge == pairs.human)), float(w @ pairs.judge), float(w @ pairs.human)
    chance = p * q + (1.0 - p) * (1.0 - q)
    return None if rounding.is_nothing(1.0 - chance, 1.0) else (agree - chance) / (1.0 - chance)


def pearson(pairs: Pairs, level: float) -> tuple[float | None, Interval | None]:
    """Return Pearson's correlation, None if one is constant, and its interval by Fisher's z.

    The standard error is that of the influence values z_x z_y - r (z_x^2 + z_y^2) / 2 of the pairs (Devlin,
    Gnanadesikan & Kettenring 1975, Biometrika 62, 531-545), so that scores need not be normal. The degrees of
    freedom are at most as many as units of equal influence would carry the error, but for scores 0 and 1,
    whose influence is bounded. It covers far too seldom where `carried_by_few` is true.
    """
    w = pairs.weights / pairs.weights.sum()
    centred = [x - float(w @ x) for x in (pairs.judge, pairs.human)]
    spreads = [math.sqrt(float(w @ x**2)) for x in centred]
    sizes = [float(np.abs(x).max(initial=0.0)) for x in (pairs.judge, pairs.human)]
    if any(rounding.is_nothing(spread, size) for spread, size in zip(spreads, sizes, strict=True)):
        return None, None
    zx, zy = (x / spread for x, spread in zip(centred, spreads, strict=True))
    r = min(1.0, max(-1.0, float(w @ (zx * zy))))
    left = 1.0 - r * r
    influence = zx * zy - 0.5 * r * (zx**2 + zy**2)
    error = error_of_mean(influence, pairs)
    if _alike(pairs.judge) or _alike(pairs.human) or rounding.is_nothing(left, 1.0) or error.se == 0.0:
        return r, None
    df = error.df if pairs.binary else min(error.df, effective_clusters(influence, pairs))
    own = StandardError(error.se / left, df)
    low, high = skewness.interval(math.atanh(r), own, level)
    return r, Interval(math.tanh(low), math.tanh(high), level, "fisher-z", True)


def equal_bias(pairs: Pairs, *, greater: bool = True) -> EqualBias | None:
    """Return the test that the judge has the same bias on all systems; None if the labels cannot tell.

    The bias of a judge that is blind to the system differs, too, where the systems differ and the judge is
    imperfect: it is not favour. Wald's test of the differences of the biases, with CR2 covariances by item or
    cluster, so that items labelled for several systems count as pairs. Where all systems have the same items
    it is Hotelling's.
    """
    k = len(pairs.names)
    x = (pairs.system[:, None] == np.arange(k)).astype(np.float64)
    fit = _fit(x, pairs.bias, pairs)
    if fit is None or k < 2:
        return None
    contrasts = np.eye(k)[:-1] - np.eye(k)[-1]
    found = _wald(fit, contrasts, float(np.abs(pairs.bias).max(initial=0.0)))
    if found is None:
        return None
    most = int(np.argmax(fit.coefficients if greater else -fit.coefficients))
    return EqualBias(found[0], k - 1, fit.n_clusters, found[1], pairs.names[most])


def favour(pairs: Pairs) -> tuple[Favour, ...]:
    """Return the tests that the judge scores the systems alike where the humans score them alike.

    Of scores 0 and 1 these are of equal sensitivity and of equal specificity, corrected by Holm's method.
    """
    if len(pairs.names) < 2:
        return ()
    if not pairs.binary:
        found = _favour_at_equal_scores(pairs)
        return () if found is None else (found,)
    both = (_favour_on_label(pairs.part(pairs.human == label), label) for label in (1.0, 0.0))
    tests = [one for one in both if one is not None]
    adjusted = holm([one.p_value for one in tests]).tolist()
    return tuple(dataclasses.replace(one, p_adjusted=p) for one, p in zip(tests, adjusted, strict=True))


def _favour_on_label(pairs: Pairs, label: float) -> Favour | None:
    """Return the test that the judge gives 1 to the same share of each system's answers of one label.

    Pearson's chi-squared over the mean design effect of items or clusters, by F(k - 1, (k - 1)(n - 1)): Rao &
    Scott (1984), Ann. Statist. 12, 46-60; Thomas & Rao (1987), J. Amer. Statist. Assoc. 82, 630-636. Errors
    of a good judge are rare; Wald's test with a variance per system rejects up to 30 % of blind judges then,
    as it takes a system without an error in the sample to have none at all.
    """
    k = len(pairs.names)
    rare = min(pairs.judge.sum(), (1.0 - pairs.judge).sum())
    cluster = codes(pairs.cluster)[1]
    n = int(cluster.max(initial=0)) + 1
    if np.bincount(pairs.system, minlength=k).min() == 0 or rare < LEAST_APART or n < 2:
        return None
    w = pairs.weights / pairs.weights.sum()
    share = float(w @ pairs.judge)
    x = (pairs.system[:, None] == np.arange(1, k)).astype(np.float64)
    added = w[:, None] * (x - w @ x)
    residual = pairs.judge - share
    each = added * residual[:, None]
    sums = np.zeros((n, k - 1))
    np.add.at(sums, cluster, each)
    squares = added.T @ added
    independent = share * (1.0 - share) * squares
    total = sums.sum(axis=0)
    chi_squared = float(total @ np.linalg.solve(independent, total))
    # `total` is the sum of a_i (y_i - share) with weights a_i that sum to 0, so its variance is that of an
    # answer times the sum of a_i a_i', plus the covariances inside clusters. Verdicts of a blind judge have
    # one variance whatever the system, which is taken from all answers together: the sums of clusters hardly
    # know it where a system has few answers of the label. It is not share (1 - share) where labels are drawn
    # by the verdict, so the squares have the weights of their verdicts, relative to those of the system's
    # other answers: else the system with the fewest labels, and so the greatest weights, would decide.
    mean_square = np.bincount(pairs.system, weights=w * w, minlength=k) / np.bincount(pairs.system)
    variance = float(((w * residual) ** 2 / mean_square[pairs.system]).mean())
    robust = n / (n - 1.0) * (variance * squares + sums.T @ sums - each.T @ each)
    design = float(np.trace(np.linalg.solve(independent, robust))) / (k - 1)
    if rounding.is_nothing(design, 1.0):  # answers of several systems that are alike within each item
        return None
    statistic = chi_squared / design
    p = float(fdtrc(k - 1, (k - 1) * (n - 1), statistic / (k - 1)))
    counts = np.bincount(pairs.system, weights=w, minlength=k)
    shares = np.bincount(pairs.system, weights=w * pairs.judge, minlength=k) / counts
    return _favour(pairs, label, (statistic, p), n, shares)


def _favour_at_equal_scores(pairs: Pairs) -> Favour | None:
    """Return the test that the systems add nothing to the judge's scores beside the human ones.

    Wald's test of the systems in judge ~ human + system, with CR2 covariances by item or cluster (Liang &
    Zeger 1986, Biometrika 73, 13-22; Bell & McCaffrey 2002). A judge may be blind to the systems and yet not
    follow a line in the human scores, which would look like favour: few grades have a mean each, and other
    scores a line and a cubic curve in their ranks. A cubic curve in the scores themselves does not do where
    these are skewed.
    """
    k = len(pairs.names)
    if _alike(pairs.judge):
        return None
    grades, place = codes(pairs.human)
    root = np.sqrt(pairs.weights)[:, None]
    # Human scores up to which each has a mean judge's score of its own; through more there goes a curve
    if grades.size <= 10:
        human = (place[:, None] == np.arange(grades.size)).astype(np.float64)
    else:  # orthonormal, as scores and ranks are nearly dependent
        ranks = doubled_ranks(pairs.human) / pairs.human.size - 1.0
        curve = np.column_stack([np.vander(ranks, 4), pairs.human])
        human = np.linalg.qr(root * curve)[0] / root
    x = (pairs.system[:, None] == np.arange(1, k)).astype(np.float64)
    fit = _fit(np.column_stack([human, x - 1.0 / k]), pairs.judge, pairs)
    if fit is None:
        return None
    found = _wald(fit, np.eye(k - 1, fit.coefficients.size, human.shape[1]), float(np.abs(pairs.judge).max()))
    if found is None:
        return None
    return _favour(pairs, None, found, fit.n_clusters, np.append(0.0, fit.coefficients[human.shape[1] :]))


def _favour(
    pairs: Pairs, label: float | None, found: tuple[float, float], n: int, given: FloatArray
) -> Favour:
    """Return the record of a test; `given` is what the judge gives to each system, but for a constant."""
    high, low = int(np.argmax(given)), int(np.argmin(given))
    return Favour(
        label, found[0], len(pairs.names) - 1, n, found[1], found[1], pairs.names[high], pairs.names[low],
        float(given[high] - given[low]),
    )  # fmt: skip


def calibration(pairs: Pairs, level: float) -> tuple[CalibrationBin, ...]:
    """Return the mean human score by the judge's score: by each of few scores, else in bins of equal size."""
    pairs = dataclasses.replace(pairs, plain=pairs.plain and len(pairs.names) == 1)
    shares = binary(pairs.human)
    scores, bins = codes(pairs.judge)
    if scores.size > MOST_CURVE_BINS:
        # Labels in a bin, at least, where the judge's scores are not few
        n_bins = min(MOST_CURVE_BINS, max(2, pairs.judge.size // 10))
        edges = np.quantile(pairs.judge, np.linspace(0.0, 1.0, n_bins + 1)[1:-1])
        _, bins = codes(np.searchsorted(edges, pairs.judge, side="right"))
    found = []
    for number in range(int(bins.max()) + 1):
        part = pairs.part(bins == number)
        human, interval = _mean(part.human, part, level, share=shares)
        judge = float(part.weights @ part.judge / part.weights.sum())
        low, high = float(part.judge.min()), float(part.judge.max())
        found.append(CalibrationBin(low, high, judge, human, interval, part.human.size))
    return tuple(found)


def effect(pairs: Pairs, column: str, values: Array, level: float) -> BiasEffect:
    """Return how the bias goes with a column, within the systems, by least squares with CR2 errors."""
    numbers = values.dtype.kind in "fiub"
    k = len(pairs.names)
    systems = (pairs.system[:, None] == np.arange(k)).astype(np.float64)
    size = float(np.abs(pairs.bias).max(initial=0.0))
    if numbers:
        x = values.astype(np.float64)
        fit = _fit(np.column_stack([systems, x - x.mean()]), pairs.bias, pairs)
        if fit is None or fit.n_clusters <= k + 1:
            return BiasEffect(column, True, None, None, (), None)
        contrast = np.zeros(k + 1)
        contrast[-1] = 1.0
        slope, error = float(fit.coefficients[-1]), fit.error(contrast)
        if rounding.is_nothing(error.se * float(x.std()), size):
            return BiasEffect(column, True, slope, None, (), None)
        p = 2.0 * float(stdtr(max(1.0, error.df), -abs(slope / error.se)))
        return BiasEffect(column, True, slope, _t_interval(slope, error, level), (), p)
    names, place, counts = np.unique(values.astype(str), return_inverse=True, return_counts=True)
    place = place.reshape(-1)
    # Values of a column of texts of which the bias is told
    if names.size > 20:
        return BiasEffect(column, False, None, None, (), None)
    # A column per level, and one per system but the first less the mean of them all: levels are adjusted.
    levels = (place[:, None] == np.arange(names.size)).astype(np.float64)
    fit = _fit(np.column_stack([levels, systems[:, 1:] - 1.0 / k]), pairs.bias, pairs)
    if fit is None:
        return BiasEffect(column, False, None, None, (), None)
    contrasts = np.eye(names.size, fit.coefficients.size)
    told = []
    for number, name in enumerate(names.tolist()):
        error = fit.error(contrasts[number])
        mean = _unless_nothing(float(fit.coefficients[number]), size)
        interval = None if _alike(pairs.bias[place == number]) else _t_interval(mean, error, level)
        told.append(BiasLevel(name, mean, interval, int(counts[number])))
    found = _wald(fit, contrasts[:-1] - contrasts[-1], size) if names.size > 1 else None
    return BiasEffect(column, False, None, None, tuple(told), None if found is None else found[1])


def agreement(
    variances: FloatArray, n_humans: IntArray, means: FloatArray, system: IntArray
) -> HumanAgreement | None:
    """Return how far humans agree, from labels that are means of several; None if none is.

    `variances`, shape (M,), are those of the humans of one item (NaN of a single one), `n_humans` their
    number, `means` the labels.
    """
    several = n_humans > 1
    if not several.any():
        return None
    error = float((variances[several] / n_humans[several]).mean())
    own = means[several].copy()
    place = system[several]
    counts = np.bincount(place)
    own -= (np.bincount(place, weights=own) / np.maximum(counts, 1))[place]
    freedom = own.size - int((counts > 0).sum())
    whole = float(own @ own) / freedom if freedom > 0 else 0.0
    varies = not rounding.is_nothing(math.sqrt(whole), float(np.abs(means[several]).max()))
    reliability = min(1.0, max(0.0, 1.0 - error / whole)) if varies else None
    return HumanAgreement(int(several.sum()), error, reliability)


def _alike(values: FloatArray) -> bool:
    """Return whether nearly all values are the same, so that their spread is hardly known."""
    return bool(values.size - np.unique(values, return_counts=True)[1].max(initial=0) < LEAST_APART)


def binary(*scores: FloatArray) -> bool:
    """Return whether all scores are 0 or 1."""
    return all(bool(np.isin(one, (0.0, 1.0)).all()) for one in scores)


def _mean_bias(pairs: Pairs, level: float) -> tuple[float, Interval | None]:
    """Return the mean bias with its interval: of a difference of shares if the scores are 0 and 1."""
    if not pairs.binary:
        return _mean(pairs.bias, pairs, level)
    w = pairs.weights / pairs.weights.sum()
    mean = _weighted(w, pairs.bias)
    return mean, _net_interval(mean, pairs.bias, w, pairs, level)


def _weighted(w: FloatArray, values: FloatArray) -> float:
    """Return a weighted mean."""
    return _unless_nothing(float(w @ values), float(w @ np.abs(values)))


def _unless_nothing(value: float, size: float) -> float:
    """Return a mean of values of this size, 0 where it is mere rounding."""
    return float(rounding.on_marks(np.array(value), (0.0,), size))


def _mean(
    values: FloatArray, pairs: Pairs, level: float, *, share: bool = False
) -> tuple[float, Interval | None]:
    """Return a weighted mean with its interval; of a `share` the values are 0 and 1."""
    w = pairs.weights / pairs.weights.sum()
    mean = _weighted(w, values)
    if share:
        return mean, _share_interval(mean, values, w, pairs, level)
    if values.size < 2:
        return mean, None
    return mean, _t_interval(mean, error_of_mean(values, pairs), level, float(np.abs(values).max()))


def _share_interval(mean: float, values: FloatArray, w: FloatArray, pairs: Pairs, level: float) -> Interval:
    """Return the interval of a share: Wilson's, with effective labels if these depend on each other."""
    if pairs.plain:
        low, high = proportions.wilson(float(values.sum()), values.size, level)
        return Interval(low, high, level, "wilson", True)
    return Interval(*_ends(mean, Shares.of_share(values, w), values, pairs, level), level, "wilson", True)


def _net_interval(mean: float, values: FloatArray, w: FloatArray, pairs: Pairs, level: float) -> Interval:
    """Return the interval of a difference of shares: Tango's, with effective labels likewise."""
    if pairs.plain:
        above, below = int((values > 0.0).sum()), int((values < 0.0).sum())
        return Interval(*proportions.tango(above, below, values.size, level), level, "tango", True)
    shares = Shares.of_difference(values, w)
    return Interval(*_ends(mean, shares, values, pairs, level), level, "tango", True)


def _ends(mean: float, shares: Shares, values: FloatArray, pairs: Pairs, level: float) -> tuple[float, float]:
    error = error_of_mean(values, pairs)
    low, high, _ = powered_intervals.interval(mean, error, shares, level)
    return low, high


def _t_interval(mean: float, error: StandardError, level: float, size: float = 0.0) -> Interval | None:
    """Return the interval of Student's t; None without length."""
    interval = Interval(*skewness.interval(mean, error, level), level, "t", True)
    return interval if error.df > 0.0 and has_length(interval, max(size, abs(mean))) else None


def _fit(x: FloatArray, y: FloatArray, pairs: Pairs) -> Regression | None:
    return regressed(x, y, pairs.weights / pairs.weights.sum(), codes(pairs.cluster)[1])


def _wald(fit: Regression, contrasts: FloatArray, size: float) -> tuple[float, float] | None:
    """Return Wald's statistic that all contrasts are 0, and its p-value; None if that cannot be told."""
    values = np.linalg.eigvalsh(contrasts @ fit.covariance @ contrasts.T)
    known = values[0] > max(rounding.noise_width(values[-1]), rounding.noise_width(size) ** 2)
    return fit.wald(contrasts) if known else None
