"""Metrics of predictions against the labels of judge and humans: their scores, intervals and tests.

A metric that is a mean gives every item a score, and is compared as scores are. Of other functions of sums
both parts are resampled, the labelled items and the judged ones. Zrnic (2024), A note on the
prediction-powered bootstrap, arXiv 2405.18379, takes the percentiles of corrected estimates from resamples of
the labelled items and of all items. Two things are added here. The percentiles are bias-corrected (Efron
1981, Canad. J. Statist. 9, 139-158): a resample of few labels lacks some of them, which lowers the score of a
rare class. And they are expanded (Hesterberg 2015, Amer. Statist. 69, 371-386): the bootstrap takes n where
n - 1 is right, and coefficients that were fitted to the labels as given. The cluster-robust error of the
linear part of the estimate, from residuals that the fit has not seen, says how much wider the percentiles
have to be.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.judged import JudgedItems
from bestby.engine import functionals, prepare
from bestby.engine.base import Drawing
from bestby.engine.functionals import Functional
from bestby.engine.prepare import Reading
from bestby.engine.statistics import Design, Rows, Statistics
from bestby.engine.sums import SumSample
from bestby.inference import skewness
from bestby.inference.clusters import StandardError
from bestby.inference.distributions import Replicates, defined_replicates
from bestby.metrics.base import BaseMetric, MeanMetric, Metric
from bestby.metrics.suitability import chosen_metric
from bestby.questions.judged.labelled import LabelDraw, Labelled
from bestby.questions.judged.prediction_powered import (
    Common,
    Corrected,
    Estimates,
    by_judge,
    corrected,
    labels_worth,
)
from bestby.questions.judged.result import HUMAN_SCORE
from bestby.questions.judged.source import JudgedLabels
from bestby.results.base import MetricInfo, Note
from bestby.results.values import Interval, TestResult, has_length

FEW_OF_CLASS = 10
"""Human labels of a class below which a metric of classes is hardly known from them."""


@dataclass(frozen=True, eq=False)
class Scored:
    """What is compared: scores of the items, or `parts` with scores of which only the places count."""

    metric: MetricInfo
    items: JudgedItems
    parts: Parts | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, eq=False)
class Parts:
    """The statistics of S systems against the labels of J judges (all items) and of humans (n of them).

    Parameters
    ----------
    metric : Metric
        The metric, fitted to all labels.
    judge : tuple of tuple of ndarray, shape (N, k)
        By judge and system.
    human : tuple of ndarray, shape (n, k)
        By system, of the labelled items.
    labelled : ndarray of int, shape (n,)
        The positions of these among all items.
    """

    metric: Metric
    judge: tuple[tuple[FloatArray, ...], ...]
    human: tuple[FloatArray, ...]
    labelled: IntArray


def scored_without_metric(items: JudgedItems, metric: Any, greater: bool | None) -> Scored:
    """Return scores that need no metric."""
    if metric is not None:
        raise InvalidInputError(
            "metric compares predictions with labels, and these are scores",
            hint="leave out metric, or give labels of judge and humans, and predictions of each system:"
            " predictions={'a': [...], ...}, in a file columns prediction[a], ...",
            argument="metric",
        )
    return Scored(MetricInfo(HUMAN_SCORE, greater is None or greater, (-math.inf, math.inf)), items)


def scored_by_metric(labels: JudgedLabels, metric: Any, greater: bool | None) -> Scored:
    """Return the scores of predictions by a metric, against the labels of judges and of humans."""
    labelled = np.flatnonzero([value is not None for value in labels.human.tolist()])
    n_judges, n = len(labels.judges), len(labels.judge)
    if labelled.size == 0:
        raise DesignError("there are no human labels", hint="label some of the items")
    golds = [*labels.judge.T.ravel().tolist(), *labels.human[labelled].tolist()]
    evaluation = Evaluation.of(
        {
            name: [*(values.tolist() * n_judges), *values[labelled].tolist()]
            for name, values in zip(labels.names, labels.predictions.T, strict=True)
        },
        golds,
    )
    chosen, evaluation = chosen_metric(metric, evaluation, greater)
    summed = _as_sums(chosen)
    fitted, rows = prepare.statistics_of(evaluation, summed)
    info = MetricInfo(summed.name, summed.greater_is_better, summed.bounds)
    judge_rows = tuple(
        tuple(one[place * n : (place + 1) * n] for one in rows) for place in range(n_judges)
    )  # fmt: skip
    human_rows = tuple(one[n_judges * n :] for one in rows)
    notes = (*evaluation.notes, *_on_classes(evaluation, summed, n_judges * n))
    if isinstance(summed, MeanMetric):
        values = np.stack([[one[:, 0] for one in systems] for systems in judge_rows])
        human = np.full((n, len(rows)), np.nan)
        human[labelled] = np.stack([one[:, 0] for one in human_rows], axis=1)
        return Scored(info, _items(labels, values.transpose(2, 1, 0), human), None, notes)
    _check_varied(labels, labelled, summed.name)
    places = np.full((n, len(rows)), np.nan)
    places[labelled] = 0.0
    items = _items(labels, np.zeros((n, len(rows), n_judges)), places)
    return Scored(info, items, Parts(fitted, judge_rows, human_rows, labelled), notes)


def _as_sums(metric: BaseMetric) -> Metric:
    """Return the metric, if it is a function of sums."""
    if not isinstance(metric, Metric):
        raise DesignError(
            f"{metric.name} is not a function of sums over the items, in which labels could be weighted",
            hint="choose such a metric: f1_macro, matthews_corrcoef, pearson",
        )
    return metric


def _items(labels: JudgedLabels, judge: FloatArray, human: FloatArray) -> JudgedItems:
    """Return scores of the items, beside what else is known of these."""
    labelled = (~np.isnan(human)).astype(np.int64)
    return JudgedItems(
        labels.names, labels.judges, judge, human, labelled, np.full(human.shape, np.nan),
        ids=labels.ids, columns=labels.columns, clusters=labels.clusters, strata=labels.strata,
        description=labels.description,
    )  # fmt: skip


def _check_varied(labels: JudgedLabels, labelled: IntArray, name: str) -> None:
    """Refuse human labels that are all the same."""
    distinct = set(labels.human[labelled].tolist())
    if len(distinct) == 1:
        raise DesignError(
            f"all human labels are {quoted(next(iter(distinct)))}, so that {name} is not known from them",
            hint="label more items, until there are others too",
        )


def _on_classes(evaluation: Evaluation, metric: Metric, first_human: int) -> Iterator[Note]:
    """Yield which classes have no human label, or hardly any; refuse labels that are spelt otherwise."""
    if metric.reads != "labels":
        return
    names, gold, _ = Reading(evaluation).labels
    if not np.intersect1d(gold[:first_human], gold[first_human:]).size:
        judge_label, human_label = (quoted(str(names[one])) for one in (gold[0], gold[first_human]))
        raise InvalidInputError(
            f"judge and humans have no label in common: {judge_label} and {human_label}, for example",
            hint="spell the labels of both alike",
        )
    if isinstance(metric, MeanMetric):
        return
    used = np.bincount(gold, minlength=names.size) > 0
    counts = np.bincount(gold[first_human:], minlength=names.size)
    absent = [str(name) for name in names[used & (counts == 0)].tolist()]
    few = [str(name) for name in names[(counts > 0) & (counts < FEW_OF_CLASS)].tolist()]
    if absent:
        yield Note(
            "class_without_labels",
            f"no human label is {', '.join(map(quoted, absent))}, though the judge uses it: the labels do"
            f" not tell how {metric.name} would change with items of this class",
        )
    if few:
        yield Note(
            "few_of_class",
            f"fewer than {FEW_OF_CLASS} human labels are {', '.join(map(quoted, few))}: intervals of"
            f" {metric.name} may be too short",
        )


# -- corrected scores and their resamples ----------------------------------------------------------


def resampled_estimates(draw: LabelDraw, parts: Parts, drawing: Drawing) -> ResampledEstimates:
    """Return the corrected scores of labelled data and of their resamples.

    A score is that by the human labels, plus coefficients times what the score by the judge's labels is
    higher on all items than on the labelled ones (Zrnic 2024, arXiv 2405.18379). The coefficients are those
    of the regression of `corrected`, on the linear parts of the scores, and the same in all resamples. Items
    (or clusters) are drawn anew inside strata, those with labels and those without apart where all labels of
    a stratum have one weight.
    """
    if rounding.difference(draw.data.weights, draw.data.weights[:, :1]).any():
        raise InvalidInputError(
            "a label of an item is for all systems, and its probability differs from system to system",
            hint="give one probability per item",
            argument="labels_drawn",
        )
    units = draw.data.clusters if draw.n_clusters else None
    blocks = _blocks(draw.data)
    sample = _sample(draw.data, parts, units, blocks)
    shape = (2 * len(parts.judge) + 1, len(parts.human))
    scores = sample.scores.reshape(shape)
    _check_defined(scores, parts)
    data = _linear(draw.data, parts, scores)
    means = corrected(data, pooled=True)
    coefficients = means.coefficients[0]  # of systems on systems and judges
    every = sample.bootstrap(drawing).reshape(-1, *shape)
    n_judges = len(parts.judge)

    def combined(part_scores: FloatArray) -> FloatArray:
        gap = part_scores[..., :n_judges, :] - part_scores[..., n_judges:-1, :]
        corrected_scores: FloatArray = part_scores[..., -1, :] + np.einsum(
            "...jt,stj->...s", gap, coefficients
        )
        return corrected_scores

    judged = np.tensordot(data.judge - scores[:n_judges].T, coefficients, axes=([1, 2], [1, 2]))
    human = np.where(data.is_labelled, data.human - scores[-1], 0.0)
    label_parts = data.weights * human
    added = data.weights * (human - judged) + judged / len(judged)
    return ResampledEstimates(
        data,
        dataclasses.replace(means, scores=combined(scores), labels=scores[-1]),
        by_judge(data, pooled=True),
        scores[:n_judges].mean(axis=0),
        draw.n_clusters,
        False,
        parts,
        combined(every),
        every[:, -1],
        _summed_by_unit(added, units),
        _summed_by_unit(label_parts, units),
        blocks if units is None else blocks[np.unique(units, return_index=True)[1]],
    )


def _blocks(data: Labelled) -> IntArray:
    """Return which items are drawn together: those of a stratum, labelled and others apart if that can be."""
    labelled = data.is_labelled[:, 0]
    shares = np.bincount(data.clusters, weights=labelled) / np.bincount(data.clusters)
    if data.weighted or not np.isin(shares, (0.0, 1.0)).all():
        return data.strata
    blocks: IntArray = np.unique(2 * data.strata + labelled, return_inverse=True)[1].reshape(-1)
    return blocks


def _sample(data: Labelled, parts: Parts, units: IntArray | None, blocks: IntArray) -> SumSample:
    """Return each system by each judge on all items, then on the labelled ones, and last by humans."""
    weights = _counts(data)
    on_labelled = [[rows * weights[:, None] for rows in systems] for systems in parts.judge]
    by_humans = []
    for rows in parts.human:
        whole = np.zeros((len(weights), rows.shape[1]))
        whole[parts.labelled] = rows * weights[parts.labelled, None]
        by_humans.append(whole)
    design = Design(len(weights), None, blocks, units)
    every = (rows for systems in (*parts.judge, *on_labelled, by_humans) for rows in systems)
    return SumSample.of(
        [Statistics.of(parts.metric, s, Rows(rows), design) for s, rows in enumerate(every)], design
    )


def _counts(data: Labelled) -> FloatArray:
    """Return the weights of the labels as those of items, 1 each if all are alike, shape (N,)."""
    weights = data.weights[:, 0] * np.count_nonzero(data.is_labelled[:, 0])
    whole = np.rint(weights)
    near = rounding.level(weights, whole, float(weights.max(initial=1.0)))
    return np.where(near, whole, weights)


def _check_defined(scores: FloatArray, parts: Parts) -> None:
    """Refuse a metric that is undefined by the labels of judge or humans."""
    bad = np.argwhere(~np.isfinite(scores))
    if bad.size:
        part = int(bad[0][0])
        whose = "by the human labels" if part == len(scores) - 1 else "by the judge's labels"
        where = " of the labelled items" if part >= len(parts.judge) else ""
        raise DesignError(
            f"{parts.metric.name} {whose}{where} is undefined, as labels or predictions are all the same",
            hint="label more items, or choose another metric",
        )


def _linear(data: Labelled, parts: Parts, scores: FloatArray) -> Labelled:
    """Return the linear parts of the scores: means of them are the scores, to first order."""
    weights, n = _counts(data)[parts.labelled], len(data.human)
    judge, human = np.empty(data.judge.shape), np.full(data.human.shape, np.nan)
    functional = Functional(parts.metric)
    for s, rows in enumerate(parts.human):
        total = weights @ rows
        slope = functionals.influence(parts.metric, functional, total, rows)
        human[parts.labelled, s] = scores[-1, s] + weights.sum() * slope
        for j, systems in enumerate(parts.judge):
            rows_by_judge = systems[s]
            slope = functionals.influence(parts.metric, functional, rows_by_judge.sum(axis=0), rows_by_judge)
            judge[:, s, j] = scores[j, s] + n * slope
    return dataclasses.replace(data, judge=judge, human=human)


def _summed_by_unit(values: FloatArray, units: IntArray | None) -> FloatArray:
    """Return the sums over the items of each unit."""
    if units is None:
        return values
    sums = np.zeros((int(units.max()) + 1, values.shape[1]))
    np.add.at(sums, units, values)
    return sums


@dataclass(frozen=True, eq=False)
class ResampledEstimates(Estimates):
    """Corrected scores of all systems, and the same of resamples.

    `data` and `means` are of the linear parts of the scores: what each item adds to them. `draws` and
    `label_draws`, of shape (B, S), are the corrected scores and those of the labels alone of resamples.
    `added` and `added_by_labels`, of shape (U, S), are what each unit adds, and `blocks` says which units are
    drawn together.
    """

    parts: Parts
    draws: FloatArray
    label_draws: FloatArray
    added: FloatArray
    added_by_labels: FloatArray
    blocks: IntArray

    @property
    def method(self) -> str:
        """The method of the intervals."""
        return NAME

    @property
    def bounds(self) -> tuple[float, float]:
        """What the metric can be."""
        return self.parts.metric.bounds

    @property
    def notes(self) -> tuple[Note, ...]:
        """Which resamples were left out."""
        return defined_replicates(self.draws.sum(axis=1), 1.0)[1]

    def common(self, a: int, b: int) -> Common:
        """Return how many items are labelled, and on how many of them the two count differently."""
        first, second = self.parts.human[a], self.parts.human[b]
        return Common(len(first), int((first != second).any(axis=1).sum()))

    def interval(self, contrast: FloatArray, level: float, *, labels_only: bool = False) -> Interval | None:
        """Return the interval of a score or a difference, or of the labels alone; None without length."""
        bootstrap = self._bootstrap(contrast, labels_only=labels_only)
        if not bootstrap.varies:
            return None
        low, high = self.bounds
        if np.count_nonzero(contrast) > 1:
            low, high = low - high, high - low
        ends = [min(max(end, low), high) for end in bootstrap.interval(level)]
        interval = Interval(ends[0], ends[1], level, self.method, False)
        size = max(float(np.abs(self.scores[contrast != 0.0]).max()), abs(bootstrap.estimate))
        return interval if has_length(interval, size) else None

    def test(self, contrast: FloatArray, alternative: Alternative) -> TestResult:
        """Return the test of a difference."""
        return self._bootstrap(contrast).tested(alternative)

    def extra_labels(self, contrast: FloatArray, level: float, by: Corrected | None = None) -> float | None:
        """Return what the judges are worth in labels; one of several has no resamples, but linear errors."""
        if by is None:
            return super().extra_labels(contrast, level)
        errors = (one.se for one in (by.error(contrast), self.means.labels_error(contrast)))
        return labels_worth(self._n_labels(contrast), *errors)

    def on_interval(self, _contrast: FloatArray, _level: float) -> Iterator[Note]:
        """Yield nothing: no item has a score by itself."""
        return iter(())

    @cached_property
    def _bootstraps(self) -> dict[tuple[bytes, bool], PoweredBootstrap]:
        return {}

    def _bootstrap(self, contrast: FloatArray, *, labels_only: bool = False) -> PoweredBootstrap:
        key = (contrast.tobytes(), labels_only)
        if key not in self._bootstraps:
            draws = self.label_draws if labels_only else self.draws
            added = self.added_by_labels if labels_only else self.added
            estimate = self.labels_mean(contrast) if labels_only else self.estimate(contrast)
            error = self.means.labels_error(contrast) if labels_only else self.error(contrast)
            size = float(np.abs(self.scores[contrast != 0.0]).max())
            values = defined_replicates(_contrast_on_resamples(draws, contrast), size)[0]
            drawn = _drawn_error(added @ contrast, self.blocks)
            varies = not rounding.is_nothing(drawn, size)
            self._bootstraps[key] = PoweredBootstrap(estimate, values, error, drawn if varies else 0.0)
        return self._bootstraps[key]


def _contrast_on_resamples(draws: FloatArray, contrast: FloatArray) -> FloatArray:
    """Return a score or a difference on the resamples, whatever the other systems are there."""
    plus, *minus = (draws[:, place] for sign in (1.0, -1.0) for place in np.flatnonzero(contrast == sign))
    return rounding.difference(plus, minus[0]) if minus else plus


def _drawn_error(added: FloatArray, blocks: IntArray) -> float:
    """Return the standard deviation over resamples of a sum of what units add."""
    counts = np.bincount(blocks)
    means = np.bincount(blocks, weights=added) / counts
    return math.sqrt(float(((added - means[blocks]) ** 2).sum()))


# -- intervals and tests from resamples ------------------------------------------------------------


NAME = "powered-bootstrap"
"""The name of the interval and of the test."""


@dataclass(frozen=True, eq=False)
class PoweredBootstrap:
    """An estimate beside its resamples.

    Parameters
    ----------
    estimate : float
        The estimate.
    replicates : Replicates
        Those of the resamples, with the coefficients of the data.
    error : StandardError
        The cluster-robust error of the linear part of the estimate.
    drawn : float
        The standard deviation of the linear part over resamples, which `error` is compared with.
    """

    estimate: float
    replicates: Replicates
    error: StandardError
    drawn: float

    @property
    def varies(self) -> bool:
        """Whether resamples differ."""
        return bool(self.replicates.values[0] < self.replicates.values[-1])

    @property
    def _bias(self) -> float:
        """The normal quantile of the mass below the estimate, ties counted half."""
        size = self.replicates.size
        mass = self.replicates.below(self.estimate) + 0.5 * self.replicates.at(self.estimate)
        return float(ndtri(min(max(mass, 1.0 / (size + 1)), size / (size + 1))))

    @property
    def _wider(self) -> float:
        """By how much percentiles are expanded, on the scale of normal quantiles."""
        return max(1.0, self.error.se / self.drawn) if self.drawn > 0.0 else 1.0

    @property
    def _pivot(self) -> StandardError:
        """The error as that of a quantity of variance 1; skewness is in the percentiles already."""
        return StandardError(1.0, self.error.df)

    def interval(self, level: float) -> tuple[float, float]:
        """Return the ends of the interval.

        >>> values = np.sort(np.random.default_rng(0).normal(0.3, 0.1, 9999))
        >>> found = PoweredBootstrap(0.3, Replicates(values, 1e-12), StandardError(0.11, 19.0), 0.1)
        >>> low, high = found.interval(0.95)  # Student's t with 19 degrees of freedom and an error of .11
        >>> round(low, 2), round(high, 2)
        (0.07, 0.53)
        """
        ends = skewness.interval(0.0, self._pivot, level)
        low, high = (
            self.replicates.quantile(float(ndtr(2.0 * self._bias + self._wider * end))) for end in ends
        )
        return low, high

    def tested(self, alternative: Alternative) -> TestResult:
        """Return the test that the estimate is 0; two-sided it rejects where `interval` excludes 0."""
        size = self.replicates.size
        if not self.varies:
            p = 1.0  # no resample says how it would vary
        else:
            above, below = (self._tail(side) for side in ("greater", "less"))
            p = {"greater": above, "less": below, "two-sided": min(1.0, 2.0 * min(above, below))}[alternative]
        error = math.sqrt(p * (1.0 - p) / size)
        return TestResult(
            NAME, p, alternative, False, "monte carlo", error=error, n_resamples=size, statistic=self.estimate
        )

    def _tail(self, side: Alternative) -> float:
        """Return the one-sided p-value: from the percentile at which the interval ends at 0."""
        values = self.replicates.values
        rank = _rank(values) if side == "greater" else values.size + 1 - _rank(-values[::-1])
        mass = min(max(rank, 1.0), float(values.size)) / (values.size + 1)
        distance = (2.0 * self._bias - float(ndtri(mass))) / self._wider
        return skewness.wald(distance, self._pivot, side).p_value


def _rank(ordered: FloatArray) -> float:
    """Return the highest rank, between order statistics too, at which ordered values are at most 0.

    >>> _rank(np.array([-1.0, 3.0])), _rank(np.array([0.0, 1.0])), _rank(np.array([1.0, 2.0]))
    (1.25, 1.0, 0.0)
    """
    place = int(np.searchsorted(ordered, 0.0, side="right"))
    if place == 0:
        return 0.0
    if place == ordered.size:
        return float(place + 1)
    low, high = float(ordered[place - 1]), float(ordered[place])
    return place - low / (high - low)
