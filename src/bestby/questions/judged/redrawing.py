"""Corrected scores by metrics that are not means, with resamples of labelled and judged items."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.engine import slopes
from bestby.engine.base import Drawing
from bestby.engine.sample import SumSample
from bestby.engine.statistics import Design, Rows, Statistics
from bestby.engine.transforms import Functional
from bestby.inference.distributions import defined_replicates
from bestby.questions.judged import powered_bootstrap
from bestby.questions.judged.drawing import Drawn
from bestby.questions.judged.estimating import Common, Estimates, by_judge, extra_labels
from bestby.questions.judged.powered_bootstrap import Redrawn
from bestby.questions.judged.prediction_powered import Corrected, Labelled, corrected
from bestby.questions.judged.scoring import Parts
from bestby.results.base import Note
from bestby.results.values import Interval, TestResult, has_length


@dataclass(frozen=True, eq=False)
class RedrawnEstimates(Estimates):
    """Corrected scores of all systems, and the same of resamples.

    `data` and `means` are of the linear parts of the scores: what each item adds to them. `draws` and
    `draws_alone`, of shape (B, S), are the corrected scores and those of the labels alone of resamples.
    `added` and `added_alone`, of shape (U, S), are what each unit adds, and `blocks` says which units are
    drawn together.
    """

    parts: Parts
    draws: FloatArray
    draws_alone: FloatArray
    added: FloatArray
    added_alone: FloatArray
    blocks: IntArray

    @property
    def method(self) -> str:
        """The method of the intervals."""
        return powered_bootstrap.NAME

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

    def interval(self, contrast: FloatArray, level: float, *, alone: bool = False) -> Interval | None:
        """Return the interval of a score or a difference, or of the labels alone; None without length."""
        redrawn = self._redrawn(contrast, alone=alone)
        if not redrawn.varies:
            return None
        low, high = self.bounds
        if np.count_nonzero(contrast) > 1:
            low, high = low - high, high - low
        ends = [min(max(end, low), high) for end in redrawn.interval(level)]
        found = Interval(ends[0], ends[1], level, self.method, False)
        size = max(float(np.abs(self.scores[contrast != 0.0]).max()), abs(redrawn.estimate))
        return found if has_length(found, size) else None

    def test(self, contrast: FloatArray, alternative: Alternative) -> TestResult:
        """Return the test of a difference."""
        return self._redrawn(contrast).tested(alternative)

    def extra_labels(self, contrast: FloatArray, level: float, by: Corrected | None = None) -> float | None:
        """Return the same; of one judge of several, which has no resamples, by the linear errors."""
        if by is None:
            return super().extra_labels(contrast, level)
        errors = (one.se for one in (by.error(contrast), self.means.error_alone(contrast)))
        return extra_labels(self._n_labels(contrast), *errors)

    def on_interval(self, _contrast: FloatArray, _level: float) -> Iterator[Note]:
        """Yield nothing: no item has a score by itself."""
        return iter(())

    @cached_property
    def _redrawn_by_contrast(self) -> dict[tuple[bytes, bool], Redrawn]:
        return {}

    def _redrawn(self, contrast: FloatArray, *, alone: bool = False) -> Redrawn:
        key = (contrast.tobytes(), alone)
        if key not in self._redrawn_by_contrast:
            draws = self.draws_alone if alone else self.draws
            added = self.added_alone if alone else self.added
            estimate = self.labels_mean(contrast) if alone else self.estimate(contrast)
            error = self.means.error_alone(contrast) if alone else self.error(contrast)
            size = float(np.abs(self.scores[contrast != 0.0]).max())
            values = defined_replicates(_contrast_on_resamples(draws, contrast), size)[0]
            drawn = _drawn_error(added @ contrast, self.blocks)
            known = not rounding.is_nothing(drawn, size)
            self._redrawn_by_contrast[key] = Redrawn(estimate, values, error, drawn if known else 0.0)
        return self._redrawn_by_contrast[key]


def redrawn(drawn: Drawn, parts: Parts, drawing: Drawing) -> RedrawnEstimates:
    """Return the corrected scores of labelled data and of their resamples.

    A score is that by the human labels, plus coefficients times what the score by the judge's labels is
    higher on all items than on the labelled ones (Zrnic 2024, arXiv 2405.18379). The coefficients are those
    of the regression of `corrected`, on the linear parts of the scores, and the same in all resamples. Items
    (or clusters) are drawn anew inside strata, those with labels and those without apart where all labels of
    a stratum have one weight.
    """
    if rounding.difference(drawn.data.weights, drawn.data.weights[:, :1]).any():
        raise InvalidInputError(
            "a label of an item is for all systems, and its probability differs from system to system",
            hint="give one probability per item",
            argument="labels_drawn",
        )
    units = drawn.data.clusters if drawn.n_clusters else None
    blocks = _blocks(drawn.data)
    sample = _sample(drawn.data, parts, units, blocks)
    shape = (2 * len(parts.judge) + 1, len(parts.human))
    scores = sample.scores.reshape(shape)
    _check_defined(scores, parts)
    data = _linear(drawn.data, parts, scores)
    means = corrected(data, pooled=True)
    coefficients = means.coefficients[0]  # of systems on systems and judges
    every = sample.bootstrap(drawing).reshape(-1, *shape)
    n_judges = len(parts.judge)

    def combined(of_parts: FloatArray) -> FloatArray:
        gap = of_parts[..., :n_judges, :] - of_parts[..., n_judges:-1, :]
        made: FloatArray = of_parts[..., -1, :] + np.einsum("...jt,stj->...s", gap, coefficients)
        return made

    judged = np.tensordot(data.judge - scores[:n_judges].T, coefficients, axes=([1, 2], [1, 2]))
    human = np.where(data.known, data.human - scores[-1], 0.0)
    alone = data.weights * human
    added = data.weights * (human - judged) + judged / len(judged)
    return RedrawnEstimates(
        data,
        dataclasses.replace(means, scores=combined(scores), labels=scores[-1]),
        by_judge(data, pooled=True),
        scores[:n_judges].mean(axis=0),
        drawn.n_clusters,
        False,
        parts,
        combined(every),
        every[:, -1],
        _summed_by_unit(added, units),
        _summed_by_unit(alone, units),
        blocks if units is None else blocks[np.unique(units, return_index=True)[1]],
    )


def _blocks(data: Labelled) -> IntArray:
    """Return which items are drawn together: those of a stratum, labelled and others apart if that can be."""
    labelled = data.known[:, 0]
    shares = np.bincount(data.clusters, weights=labelled) / np.bincount(data.clusters)
    if data.weighted or not np.isin(shares, (0.0, 1.0)).all():
        return data.strata
    found: IntArray = np.unique(2 * data.strata + labelled, return_inverse=True)[1].reshape(-1)
    return found


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
    weights = data.weights[:, 0] * np.count_nonzero(data.known[:, 0])
    whole = np.rint(weights)
    near = rounding.level(weights, whole, float(weights.max(initial=1.0)))
    return np.where(near, whole, weights)


def _linear(data: Labelled, parts: Parts, scores: FloatArray) -> Labelled:
    """Return the linear parts of the scores: means of them are the scores, to first order."""
    weights, n = _counts(data)[parts.labelled], len(data.human)
    judge, human = np.empty(data.judge.shape), np.full(data.human.shape, np.nan)
    functional = Functional(parts.metric)
    for s, rows in enumerate(parts.human):
        total = weights @ rows
        slope = slopes.influence(parts.metric, functional, total, rows)
        human[parts.labelled, s] = scores[-1, s] + weights.sum() * slope
        for j, systems in enumerate(parts.judge):
            own = systems[s]
            slope = slopes.influence(parts.metric, functional, own.sum(axis=0), own)
            judge[:, s, j] = scores[j, s] + n * slope
    return dataclasses.replace(data, judge=judge, human=human)


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


def _contrast_on_resamples(draws: FloatArray, contrast: FloatArray) -> FloatArray:
    """Return a score or a difference on the resamples, whatever the other systems are there."""
    plus, *minus = (draws[:, place] for sign in (1.0, -1.0) for place in np.flatnonzero(contrast == sign))
    return rounding.difference(plus, minus[0]) if minus else plus


def _summed_by_unit(values: FloatArray, units: IntArray | None) -> FloatArray:
    """Return the sums over the items of each unit."""
    if units is None:
        return values
    sums = np.zeros((int(units.max()) + 1, values.shape[1]))
    np.add.at(sums, units, values)
    return sums


def _drawn_error(added: FloatArray, blocks: IntArray) -> float:
    """Return the standard deviation over resamples of a sum of what units add."""
    counts = np.bincount(blocks)
    means = np.bincount(blocks, weights=added) / counts
    return math.sqrt(float(((added - means[blocks]) ** 2).sum()))
