"""What human labels tell of a judge: its bias, whether it favours a system, how well it agrees.

All of it is computed from the labelled items alone, weighted as they are in the means of the human scores.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import fdtrc, stdtr

from bestby._core import checks, rounding
from bestby._core.arrays import listed as listed_values
from bestby._core.arrays import objects
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.data.columns import codes, column_of_texts, texts_of_dates
from bestby.data.layouts.judged import JudgedItems
from bestby.data.roles import listed
from bestby.data.values import as_scores
from bestby.inference import powered_intervals, proportions, skewness
from bestby.inference.classical import doubled_ranks
from bestby.inference.clusters import StandardError, carrying, cr2, equal_units
from bestby.inference.multiplicity import holm
from bestby.inference.powered_intervals import Shares
from bestby.questions.judged.labelled import LabelDraw
from bestby.questions.judged.result import (
    BiasEffect,
    BiasLevel,
    CalibrationBin,
    EqualBias,
    Favour,
    HumanAgreement,
    JudgeOfSystem,
    JudgeQuality,
)
from bestby.questions.judged.source import item_text, item_values
from bestby.results.base import Note
from bestby.results.values import Interval, has_length

MOST_CURVE_BINS = 10
"""Bins of the calibration curve."""

LEAST_APART = 5
"""Values that must differ from the commonest one: with fewer, intervals from a spread are far too short."""

LEAST_CARRYING, LEAST_SHARE = 100, 0.2
"""Answers of equal weight, and their share, below which the judge's errors rest on few (kurtosis above 5)."""

ORDER = "order"
"""The name of the order of the items, where no column has it."""

_DATE = re.compile(r"\d{4}-\d\d")
"""How a date begins: a year alone is a number."""


def judges_of(
    scores: JudgedItems, draw: LabelDraw, bias_by: Any, level: float, *, same: bool, greater: bool
) -> tuple[tuple[JudgeQuality, ...], tuple[Note, ...]]:
    """Return what the labels tell of every judge, and on which judges that rests on few answers."""
    if bias_by is not None and not same:
        raise InvalidInputError(
            "bias_by needs judge and humans on the same scale, as the bias is the judge's score minus the"
            " human one",
            hint='leave it out, or bring both to one scale and say scale="same"',
            argument="bias_by",
        )
    data = draw.data
    item, system = np.nonzero(data.is_labelled)
    columns = [
        (name, _column_values(scores, name, values, item, system))
        for name, values in _columns(scores, bias_by)
    ]
    plain = draw.n_clusters == 0 and draw.n_strata == 1 and not data.weighted
    judges, notes = [], []
    for place, name in enumerate(scores.judges):
        judge, human = data.judge[item, system, place], data.human[item, system]
        pairs = Pairs(
            judge, human, data.weights[item, system], system, data.clusters[item], data.strata[item],
            scores.names, plain, binary(judge, human),
        )  # fmt: skip
        quality = quality_of_judge(name, pairs, columns, level, same=same, greater=greater)
        judges.append(quality)
        each = (pairs.part(system == s) for s in range(len(scores.names)))
        few_named = [one for one, part in zip(scores.names, each, strict=True) if carried_by_few(part)]
        who = name if len(scores.judges) > 1 else "the judge"
        notes += [_few_answers_off(who, few_named, same=same)] if few_named else []
        notes += _favour_untested(who, quality, binary=pairs.binary)
    return tuple(judges), tuple(notes)


def _columns(scores: JudgedItems, bias_by: Any) -> list[tuple[str, Any]]:
    """Return the columns that were named, with what holds their values."""
    if bias_by is None:
        return []
    if isinstance(bias_by, Mapping):
        checks.valid_names(bias_by, "columns")
        return list(bias_by.items())
    names = checks.valid_name_list(bias_by, "bias_by")
    order = np.arange(len(scores.human))
    return [(name, order if name == ORDER and name not in scores.columns else name) for name in names]


def _column_values(scores: JudgedItems, name: str, column: Any, item: Array, system: Array) -> Array:
    """Return the values of a column for the labelled pairs: numbers, or texts."""
    if isinstance(column, Mapping) and set(column) == set(scores.names):
        column = [item_values(scores, column[one], "bias_by") for one in scores.names]
        values = np.stack([objects(listed_values(one, f"bias_by: {quoted(name)}")) for one in column], axis=1)
    else:
        values = item_values(scores, column, "bias_by")
        if not (isinstance(values, np.ndarray) and values.ndim):
            values = objects(listed_values(values, f"bias_by: {quoted(name)}"))
    if values.shape not in (scores.human.shape, scores.human.shape[:1]):
        raise InvalidInputError(
            f"bias_by: {quoted(name)} must have a value per item, {len(scores.human)}, got {len(values)}",
            hint="give one per item, or per item and system",
            argument="bias_by",
        )
    chosen = values[item, system] if values.ndim > 1 else values[item]
    missing = np.array([checks.missing(one) for one in chosen.tolist()], dtype=np.bool_)
    if missing.any():
        first = item_text(scores, int(item[int(np.flatnonzero(missing)[0])]))
        raise InvalidInputError(
            f"bias_by: {quoted(name)} has no value for item {first}, which has a human label",
            hint="fill it in, or leave the column out",
            argument="bias_by",
        )
    bias_values = _numbers_or_texts(chosen)
    if bias_values.dtype.kind == "f" and not np.isfinite(bias_values).all():
        first = item_text(scores, int(item[int(np.flatnonzero(~np.isfinite(bias_values))[0])]))
        raise InvalidInputError(
            f"bias_by: {quoted(name)} is infinite for item {first}, so that the bias has no slope by it",
            hint="give a finite number, or leave the column out",
            argument="bias_by",
        )
    return bias_values


def _numbers_or_texts(values: Array) -> Array:
    """Return numbers where all values are numbers, as in a file; days where all are dates; else texts.

    >>> _numbers_or_texts(np.array(["0", "2"])), _numbers_or_texts(np.array(["2024-01-31", "2024-02-01"]))
    (array([0., 2.]), array([0., 1.]))
    >>> _numbers_or_texts(np.array(["01", "02"]))
    array(['01', '02'], dtype='<U2')
    """
    dates = values.dtype.kind == "M"
    array = values if dates else np.array(values.tolist())
    if array.dtype.kind not in "fiub":
        spelt = texts_of_dates(values) if dates else [str(one) for one in values.tolist()]
        array = as_scores(column_of_texts(spelt)).values
    if array.dtype.kind in "fiub":
        return array.astype(np.float64)
    texts = array.astype(str)
    if not all(_DATE.match(one) for one in texts.tolist()):
        return texts
    try:
        times = texts.astype("datetime64[us]")
    except ValueError:
        return texts
    days: Array = (times - times.min()) / np.timedelta64(1, "D")
    return days


def _few_answers_off(judge: str, systems: list[str], *, same: bool) -> Note:
    """Return a note on a judge whose errors rest on few answers."""
    what = "its bias and its correlation with the humans" if same else "its correlation with the humans"
    are = "are" if same else "is"
    return Note(
        "few_answers_off",
        f"{judge} is far off on a few of the labelled answers of {listed(systems, 3)}: {what} {are} hardly"
        " known there, and intervals of the report on the judge may be much too short",
    )


def _favour_untested(judge: str, quality: JudgeQuality, *, binary: bool) -> list[Note]:
    """Return a note if favour is not tested, or not among answers of one human label."""
    tested = {one.label for one in quality.favour}
    untested = [f"the humans give {label:g}" for label in (1.0, 0.0) if label not in tested]
    if not binary:
        what, takes = "items with the same human score", "more labels, or scores of the judge that vary more"
        untested = [] if tested else ["any"]
    else:
        what = f"answers that {' or '.join(untested)}"
        takes = (
            "labels of such answers of every system, and at least"
            f" {LEAST_APART} verdicts of either kind on them by the judge, not alike for all"
            " systems"
        )
    return [
        Note(
            "favour_untested",
            f"whether {judge} scores the systems alike among {what} is not tested: that takes {takes}",
        )
    ] if untested else []  # fmt: skip


def humans_of(scores: JudgedItems) -> HumanAgreement | None:
    """Return how far several humans agree; None if no item has several."""
    item, system = np.nonzero(scores.n_humans > 0)
    return agreement(
        scores.human_variance[item, system], scores.n_humans[item, system], scores.human[item, system], system
    )


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
    deviations = means[several].copy()
    place = system[several]
    counts = np.bincount(place)
    deviations -= (np.bincount(place, weights=deviations) / np.maximum(counts, 1))[place]
    freedom = deviations.size - int((counts > 0).sum())
    whole = float(deviations @ deviations) / freedom if freedom > 0 else 0.0
    varies = not rounding.is_nothing(math.sqrt(whole), float(np.abs(means[several]).max()))
    reliability = min(1.0, max(0.0, 1.0 - error / whole)) if varies else None
    return HumanAgreement(int(several.sum()), error, reliability)


# -- one judge -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Pairs:
    """The scores of one judge and of humans for the M labelled pairs of item and system.

    Parameters
    ----------
    judge, human, weights : ndarray, shape (M,)
        The scores, and the weights of the labels, which per system sum to 1.
    system, cluster, stratum : ndarray of int, shape (M,)
        Codes from 0; without clusters the item is the cluster.
    names : tuple of str
        The systems.
    plain : bool
        Whether items are independent and of equal weight, so that exact score intervals hold.
    binary : bool
        Whether humans, and the judge, score 0 and 1 only, on all items.
    """

    judge: FloatArray
    human: FloatArray
    weights: FloatArray
    system: IntArray
    cluster: IntArray
    stratum: IntArray
    names: tuple[str, ...]
    plain: bool
    binary: bool

    @property
    def bias(self) -> FloatArray:
        """The judge's scores less the human ones."""
        return self.judge - self.human

    @property
    def systems(self) -> FloatArray:
        """A column per system, 1 in the rows of its pairs, shape (M, S)."""
        columns: FloatArray = (self.system[:, None] == np.arange(len(self.names))).astype(np.float64)
        return columns

    def part(self, which: BoolArray) -> Pairs:
        """Return some of the pairs."""
        columns = ("judge", "human", "weights", "system", "cluster", "stratum")
        return dataclasses.replace(self, **{name: getattr(self, name)[which] for name in columns})


def binary(*scores: FloatArray) -> bool:
    """Return whether all scores are 0 or 1."""
    return all(bool(np.isin(one, (0.0, 1.0)).all()) for one in scores)


def quality_of_judge(
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
    r, interval_of_r = pearson(pairs, level)
    ranked = dataclasses.replace(
        pairs, judge=doubled_ranks(pairs.judge) / 2.0, human=doubled_ranks(pairs.human) / 2.0
    )
    spearman = pearson(ranked, level)[0]
    agreement_of_system = JudgeOfSystem(name, pairs.human.size, bias, interval, r, interval_of_r, spearman)
    if not (same and pairs.binary):
        return agreement_of_system
    right = (pairs.judge == pairs.human).astype(np.float64)
    sensitivity, sensitivity_interval = _share(right, pairs, pairs.human == 1.0, level)
    specificity, specificity_interval = _share(right, pairs, pairs.human == 0.0, level)
    return dataclasses.replace(
        agreement_of_system,
        sensitivity=sensitivity,
        sensitivity_interval=sensitivity_interval,
        specificity=specificity,
        specificity_interval=specificity_interval,
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
    scaled_error = StandardError(error.se / left, df)
    low, high = skewness.interval(math.atanh(r), scaled_error, level)
    return r, Interval(math.tanh(low), math.tanh(high), level, "fisher-z", True)


def equal_bias(pairs: Pairs, *, greater: bool = True) -> EqualBias | None:
    """Return the test that the judge has the same bias on all systems; None if the labels cannot tell.

    The bias of a judge that is blind to the system differs, too, where the systems differ and the judge is
    imperfect: it is not favour. Wald's test of the differences of the biases, with CR2 covariances by item or
    cluster, so that items labelled for several systems count as pairs. Where all systems have the same items
    it is Hotelling's.
    """
    k = len(pairs.names)
    fit = _fit(pairs.systems, pairs.bias, pairs)
    if fit is None or k < 2:
        return None
    contrasts = np.eye(k)[:-1] - np.eye(k)[-1]
    test = _wald(fit, contrasts, float(np.abs(pairs.bias).max(initial=0.0)))
    if test is None:
        return None
    most = int(np.argmax(fit.coefficients if greater else -fit.coefficients))
    return EqualBias(test[0], k - 1, fit.n_clusters, test[1], pairs.names[most])


def favour(pairs: Pairs) -> tuple[Favour, ...]:
    """Return the tests that the judge scores the systems alike where the humans score them alike.

    Of scores 0 and 1 these are of equal sensitivity and of equal specificity, corrected by Holm's method.
    """
    if len(pairs.names) < 2:
        return ()
    if not pairs.binary:
        test = _favour_at_equal_scores(pairs)
        return () if test is None else (test,)
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
    x = pairs.systems[:, 1:]
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
    x = pairs.systems[:, 1:]
    fit = _fit(np.column_stack([human, x - 1.0 / k]), pairs.judge, pairs)
    if fit is None:
        return None
    test = _wald(fit, np.eye(k - 1, fit.coefficients.size, human.shape[1]), float(np.abs(pairs.judge).max()))
    if test is None:
        return None
    return _favour(pairs, None, test, fit.n_clusters, np.append(0.0, fit.coefficients[human.shape[1] :]))


def _favour(
    pairs: Pairs, label: float | None, test: tuple[float, float], n: int, by_system: FloatArray
) -> Favour:
    """Return the record of a test; `by_system` is what the judge gives to each, but for a constant."""
    high, low = int(np.argmax(by_system)), int(np.argmin(by_system))
    return Favour(
        label, test[0], len(pairs.names) - 1, n, test[1], test[1], pairs.names[high], pairs.names[low],
        float(by_system[high] - by_system[low]),
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
    curve = []
    for number in range(int(bins.max()) + 1):
        part = pairs.part(bins == number)
        human, interval = _mean(part.human, part, level, share=shares)
        judge = float(part.weights @ part.judge / part.weights.sum())
        low, high = float(part.judge.min()), float(part.judge.max())
        curve.append(CalibrationBin(low, high, judge, human, interval, part.human.size))
    return tuple(curve)


def effect(pairs: Pairs, column: str, values: Array, level: float) -> BiasEffect:
    """Return how the bias goes with a column, within the systems, by least squares with CR2 errors."""
    numbers = values.dtype.kind in "fiub"
    k = len(pairs.names)
    size = float(np.abs(pairs.bias).max(initial=0.0))
    if numbers:
        x = values.astype(np.float64)
        fit = _fit(np.column_stack([pairs.systems, x - x.mean()]), pairs.bias, pairs)
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
    fit = _fit(np.column_stack([levels, pairs.systems[:, 1:] - 1.0 / k]), pairs.bias, pairs)
    if fit is None:
        return BiasEffect(column, False, None, None, (), None)
    contrasts = np.eye(names.size, fit.coefficients.size)
    bias_levels = []
    for number, name in enumerate(names.tolist()):
        error = fit.error(contrasts[number])
        mean = _unless_nothing(float(fit.coefficients[number]), size)
        interval = None if _alike(pairs.bias[place == number]) else _t_interval(mean, error, level)
        bias_levels.append(BiasLevel(name, mean, interval, int(counts[number])))
    test = _wald(fit, contrasts[:-1] - contrasts[-1], size) if names.size > 1 else None
    return BiasEffect(column, False, None, None, tuple(bias_levels), None if test is None else test[1])


# -- means, their errors and intervals -------------------------------------------------------------


def _alike(values: FloatArray) -> bool:
    """Return whether nearly all values are the same, so that their spread is hardly known."""
    return bool(values.size - np.unique(values, return_counts=True)[1].max(initial=0) < LEAST_APART)


def _mean_bias(pairs: Pairs, level: float) -> tuple[float, Interval | None]:
    """Return the mean bias with its interval: of a difference of shares if the scores are 0 and 1."""
    if not pairs.binary:
        return _mean(pairs.bias, pairs, level)
    w = pairs.weights / pairs.weights.sum()
    mean = _weighted(w, pairs.bias)
    return mean, _net_interval(mean, pairs.bias, w, pairs, level)


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


def _weighted(w: FloatArray, values: FloatArray) -> float:
    """Return a weighted mean."""
    return _unless_nothing(float(w @ values), float(w @ np.abs(values)))


def _unless_nothing(value: float, size: float) -> float:
    """Return a mean of values of this size, 0 where it is mere rounding."""
    return float(rounding.on_marks(np.array(value), (0.0,), size))


def _share_interval(mean: float, values: FloatArray, w: FloatArray, pairs: Pairs, level: float) -> Interval:
    """Return the interval of a share: Wilson's, with effective labels if these depend on each other."""
    if pairs.plain:
        low, high = proportions.wilson(float(values.sum()), values.size, level)
        return Interval(low, high, level, "wilson", True)
    return Interval(*_ends(mean, Shares.from_labels(values, w), values, pairs, level), level, "wilson", True)


def _net_interval(mean: float, values: FloatArray, w: FloatArray, pairs: Pairs, level: float) -> Interval:
    """Return the interval of a difference of shares: Tango's, with effective labels likewise."""
    if pairs.plain:
        above, below = int((values > 0.0).sum()), int((values < 0.0).sum())
        return Interval(*proportions.tango(above, below, values.size, level), level, "tango", True)
    shares = Shares.from_differences(values, w)
    return Interval(*_ends(mean, shares, values, pairs, level), level, "tango", True)


def _ends(mean: float, shares: Shares, values: FloatArray, pairs: Pairs, level: float) -> tuple[float, float]:
    error = error_of_mean(values, pairs)
    low, high, _ = powered_intervals.interval(mean, error, shares, level)
    return low, high


def _t_interval(mean: float, error: StandardError, level: float, size: float = 0.0) -> Interval | None:
    """Return the interval of Student's t; None without length."""
    interval = Interval(*skewness.interval(mean, error, level), level, "t", True)
    return interval if error.df > 0.0 and has_length(interval, max(size, abs(mean))) else None


def error_of_mean(values: FloatArray, pairs: Pairs) -> StandardError:
    """Return the standard error of the weighted mean of some pairs of one or several systems, by CR2."""
    w = pairs.weights / pairs.weights.sum()
    distinct, place = codes(pairs.cluster)
    sums = np.bincount(place, weights=w * (values - float(w @ values))).astype(np.float64)
    sizes, squares = (np.bincount(place, weights=one).astype(np.float64) for one in (w, w * w))
    stratum = np.zeros(distinct.size, dtype=np.int64)
    stratum[place] = pairs.stratum
    order = np.argsort(stratum, kind="stable")
    bounds = np.searchsorted(stratum[order], np.arange(int(stratum.max(initial=0)) + 2))
    return cr2(sums[order], sizes[order], None, bounds, squares=squares[order])


def effective_clusters(influence: FloatArray, pairs: Pairs) -> float:
    """Return how many clusters of equal influence would give an estimate its error."""
    squares = np.bincount(codes(pairs.cluster)[1], weights=pairs.weights * influence) ** 2
    return equal_units(squares / squares.max())


def carried_by_few(pairs: Pairs) -> bool:
    """Tell whether few answers (or clusters) make most of what the judge's scores have beside the human ones.

    So it is if the residuals of the judge's scores from a line in the human ones have a kurtosis above 5, and
    fewer than 100 of equal size would have their sum of squares. Bias and correlation are then hardly known,
    as is what other such answers would change. Scores 0 and 1 have score intervals, which allow for it.
    """
    if pairs.binary:
        return False
    w = pairs.weights / pairs.weights.sum()
    x, y = (values - float(w @ values) for values in (pairs.human, pairs.judge))
    spread = float(w @ (x * x))
    residuals = y - x * (float(w @ (x * y)) / spread if spread > 0.0 else 0.0)
    largest = float(np.abs(residuals).max())
    if rounding.is_nothing(largest, float(np.abs(pairs.judge).max())):
        return False
    place = codes(pairs.cluster)[1]
    sums = np.bincount(place, weights=w * (residuals / largest)).astype(np.float64)
    if rounding.is_nothing(float(np.abs(sums).max()), float(w.max())):
        return False
    sizes = np.bincount(place, weights=w * w).astype(np.float64)
    return carrying(sums, sizes) < min(LEAST_CARRYING, LEAST_SHARE * sums.size)


# -- weighted least squares with cluster-robust errors ---------------------------------------------


_SINGULAR = 1e-9
"""Share of the largest eigenvalue below which regressors count as dependent on each other."""


def _fit(x: FloatArray, y: FloatArray, pairs: Pairs) -> Regression | None:
    return regressed(x, y, pairs.weights / pairs.weights.sum(), codes(pairs.cluster)[1])


def _wald(fit: Regression, contrasts: FloatArray, size: float) -> tuple[float, float] | None:
    """Return Wald's statistic that all contrasts are 0, and its p-value; None if that cannot be told."""
    values = np.linalg.eigvalsh(contrasts @ fit.covariance @ contrasts.T)
    distinguishable = values[0] > max(rounding.noise_width(values[-1]), rounding.noise_width(size) ** 2)
    return fit.wald(contrasts) if distinguishable else None


def regressed(x: FloatArray, y: FloatArray, weights: FloatArray, clusters: IntArray) -> Regression | None:
    """Return the regression of `y`, shape (M,), on `x`, shape (M, P); None if `x` is singular.

    `clusters` are codes from 0, each of which occurs.

    >>> x = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
    >>> fit = regressed(x, np.array([0.1, 1.0, 2.2, 2.9]), np.ones(4), np.arange(4))
    >>> fit.coefficients.round(3), round(fit.error(np.array([0.0, 1.0])).df, 2)
    (array([0.11, 0.96]), 1.51)
    """
    scale = np.sqrt(weights @ x**2)
    if not (scale > 0.0).all():
        return None
    z = x / scale * np.sqrt(weights)[:, None]
    v = y * np.sqrt(weights)
    values, vectors = np.linalg.eigh(z.T @ z)
    if values[0] <= _SINGULAR * values[-1]:
        return None
    root = (vectors / np.sqrt(values)) @ vectors.T
    u = z @ root
    solution = u.T @ v
    residuals = v - u @ solution
    n, p = int(clusters.max()) + 1, x.shape[1]
    leverage, sums = np.zeros((n, p, p)), np.zeros((n, p))
    np.add.at(leverage, clusters, u[:, :, None] * u[:, None, :])
    np.add.at(sums, clusters, u * residuals[:, None])
    eigenvalues, axes = np.linalg.eigh(leverage)
    left = 1.0 - eigenvalues
    factors = np.where(left > _SINGULAR, 1.0 / np.sqrt(np.maximum(left, _SINGULAR)), 0.0)
    adjust: Array = np.einsum("gpk,gk,gqk->gpq", axes, factors, axes)
    adjusted = np.einsum("gpq,gq->gp", adjust, sums)
    back = root / scale[:, None]
    return Regression(back @ solution, adjusted @ back.T, back.T, leverage, adjust)


@dataclass(frozen=True, eq=False)
class Regression:
    """Coefficients of shape (P,), and what their errors are made of.

    Parameters
    ----------
    coefficients : ndarray, shape (P,)
        The coefficients.
    scores : ndarray, shape (G, P)
        What each cluster adds to them, adjusted for its leverage.
    root : ndarray, shape (P, P)
        The symmetric root of the inverse of the weighted cross products of the regressors.
    leverage : ndarray, shape (G, P, P)
        The cross products of each cluster, between two such roots.
    adjust : ndarray, shape (G, P, P)
        The inverse root of 1 minus the leverage.
    """

    coefficients: FloatArray
    scores: FloatArray
    root: FloatArray
    leverage: FloatArray
    adjust: FloatArray

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return len(self.scores)

    @property
    def covariance(self) -> FloatArray:
        """The covariances of the coefficients, shape (P, P)."""
        covariance: FloatArray = self.scores.T @ self.scores
        return covariance

    def error(self, contrast: FloatArray) -> StandardError:
        """Return the standard error of a sum of coefficients with its degrees of freedom.

        The degrees of freedom are Satterthwaite's.
        """
        se = math.sqrt(float(((self.scores @ contrast) ** 2).sum()))
        return StandardError(se, self.freedom(contrast[None]))

    def freedom(self, contrasts: FloatArray) -> float:
        """Return the degrees of freedom of the covariance of Q sums of coefficients, contrasts (Q, P).

        Those of a Wishart matrix whose entries vary as much in total, each in the unit of its expectation.
        For one contrast this is Satterthwaite's rule: the adjusted residuals of the clusters have a
        covariance D - B B', with D diagonal and a column of B per regressor, of which the trace and that of
        the square are used. 0 if some contrast has no variance.
        """
        a = np.einsum("gpr,rq->gqp", self.adjust, self.root @ contrasts.T)
        b = np.einsum("gpr,gqr->gqp", self.leverage, a)
        shares = np.einsum("gsp,gtp->gst", a, b) - np.einsum("gsp,gtp->gst", b, b)
        values, axes = np.linalg.eigh(shares.sum(axis=0))
        if values[0] <= _SINGULAR * max(values[-1], 0.0):
            return 0.0
        unit = axes / np.sqrt(values)
        a, b = (np.einsum("gqp,qs->gsp", one, unit) for one in (a, b))
        diagonal = np.einsum("gsp,gtp->gst", a, b)
        less = np.einsum("gsp,gtp->gst", b, b)
        across = np.einsum("gsp,gtr->sptr", b, b, optimize=True)
        squares = float((across**2).sum() + np.einsum("sptr,tpsr->", across, across))
        traces = np.einsum("gss->g", diagonal)
        squares += float(traces @ (traces - 2.0 * np.einsum("gss->g", less)))
        squares += float(np.einsum("gst,gts->", diagonal, diagonal - 2.0 * less))
        q = len(contrasts)
        return q * (q + 1.0) / squares

    def wald(self, contrasts: FloatArray) -> tuple[float, float] | None:
        """Return Wald's statistic that Q sums of coefficients are 0, and its p-value; None without freedom.

        The approximate Hotelling test of Tipton & Pustejovsky (2015), J. Educ. Behav. Stat. 40, 604-634: with
        eta degrees of freedom (eta - Q + 1) / (eta Q) times the statistic is F(Q, eta - Q + 1). For means of
        the same clusters it is Hotelling's test.
        """
        q, eta = len(contrasts), self.freedom(contrasts)
        if eta < q:
            return None
        estimates = contrasts @ self.coefficients
        statistic = float(estimates @ np.linalg.solve(contrasts @ self.covariance @ contrasts.T, estimates))
        left = eta - q + 1.0
        return statistic, float(fdtrc(q, left, statistic * left / (eta * q)))
