"""Shares corrected by a judge's error rates, which are known from items of a calibration set."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from bestby._core.cached import cached_property
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Alternative, Array, FloatArray, IntArray
from bestby.data.groupings import one_grouping
from bestby.data.layouts.judged import JudgedItems
from bestby.inference import skewness
from bestby.inference.clusters import StandardError, cr2
from bestby.inference.joint import Joint
from bestby.inference.proportions import two_sided_quantile
from bestby.questions.judged import rogan_gladen
from bestby.questions.judged.calibration_set import CalibrationSet, Groups, sets_of
from bestby.questions.judged.drawing import check_nested_codes
from bestby.questions.judged.estimating import Common, contrast_of
from bestby.questions.judged.rogan_gladen import Part
from bestby.questions.judged.source import codes, labels_of
from bestby.results.base import Note
from bestby.results.values import Interval, TestResult

METHOD = "rogan-gladen"

FEW_CLUSTERS = 10
"""Clusters of a calibration set below which its error rates are hardly known."""


@dataclass(frozen=True, eq=False)
class Calibrated:
    """Corrected shares of S systems; `own` says whether each has a calibration set of its own.

    `clusters` and `strata` are codes of the items, shape (N,); without clusters each item is one.
    `description` says how a table of the calibration set was read.
    """

    verdicts: FloatArray
    sets: tuple[CalibrationSet, ...]
    own: bool
    clusters: IntArray
    strata: IntArray
    n_clusters: int
    description: str = ""

    method = METHOD
    bounds = (0.0, 1.0)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.verdicts)

    @property
    def n_strata(self) -> int:
        """The number of strata of the items."""
        return int(self.strata.max()) + 1

    @property
    def judge(self) -> FloatArray:
        """The judge's own shares, shape (S,)."""
        shares: FloatArray = self.verdicts.mean(axis=0)
        return shares

    @cached_property
    def scores(self) -> FloatArray:
        """The corrected shares, shape (S,)."""
        systems = range(len(self.sets))
        return np.array([math.fsum(w * share for w, share, _ in self._corrected(s)) for s in systems])

    def _corrected(self, system: int) -> Iterator[tuple[float, float, int]]:
        """Yield the share of each stratum with error rates of its own, what is right there, and its code."""
        one = self.sets[system]
        for stratum in (0,) if one.strata is None else range(self.n_strata):
            verdicts = self._verdicts(system, stratum)
            share = rogan_gladen.corrected_share(float(verdicts.sum()), verdicts.size, one.rates(stratum))
            yield verdicts.size / self.n_items, share, stratum

    def _verdicts(self, system: int, stratum: int) -> FloatArray:
        """Return the verdicts on the items that a stratum of the calibration set is for."""
        found: FloatArray = self.verdicts[self._places(system, stratum), system]
        return found

    @property
    def without_interval(self) -> Note:
        """Why a score has no interval, where it has none."""
        return Note(
            "unlike_calibration",
            "no Rogan-Gladen interval: the judge calls more items right, or fewer, than its error rates on"
            " the calibration set allow, so that these items are not like those of the set",
        )

    def estimate(self, contrast: FloatArray) -> float:
        """Return a share or a difference of shares."""
        return float(contrast @ self.scores)

    def labels_mean(self, contrast: FloatArray) -> None:
        """Return None: the calibration set says nothing of these items by itself."""

    def contrast(self, a: int, b: int | None = None) -> FloatArray:
        """Return the contrast of a system, or of a minus b."""
        return contrast_of(len(self.sets), a, b)

    def common(self, a: int, b: int) -> Common:
        """Return the items of the calibration set, and those of all whose verdicts differ."""
        return Common(self.sets[a].size, int((self.verdicts[:, a] != self.verdicts[:, b]).sum()))

    def error(self, contrast: FloatArray) -> StandardError:
        """Return the standard error, by the delta method over the items and the error rates."""
        parts = [self._error_of_items(contrast), *(error for error, _, _ in self._errors_of_rates(contrast))]
        variance = math.fsum(one.se**2 for one in parts)
        if variance == 0.0:
            return StandardError(0.0, math.inf)
        fewer = math.fsum((one.se**2 / variance) ** 2 / one.df for one in parts if one.se > 0.0)
        return StandardError(math.sqrt(variance), 1.0 / fewer if fewer > 0.0 else math.inf)

    def _error_of_items(self, contrast: FloatArray) -> StandardError:
        """Return the error of the judge's shares, divided by their slopes."""
        added = np.zeros(self.n_items)
        for s in np.flatnonzero(contrast):
            for _, _, stratum in self._corrected(int(s)):
                rates = self.sets[s].rates(stratum)
                slope = rates.specificity + rates.sensitivity - 1.0
                here = self._places(int(s), stratum)
                added[here] += contrast[s] / slope * self.verdicts[here, s]
        if not self.n_clusters and self.n_strata == 1:
            return StandardError(math.sqrt(float(added.var(ddof=1)) / self.n_items), math.inf)
        found = self._robust(added, np.ones(self.n_items, dtype=np.bool_))
        return found if self.n_clusters else StandardError(found.se, math.inf)

    def _places(self, system: int, stratum: int) -> Array:
        if self.sets[system].strata is None:
            return np.arange(self.n_items)
        return np.flatnonzero(self.strata == stratum)

    def _robust(self, values: FloatArray, part: Array) -> StandardError:
        """Return the cluster-robust error of the mean over all items of values of a part of them."""
        unit = np.unique(self.clusters[part], return_inverse=True)[1].reshape(-1)
        stratum = np.zeros(int(unit.max()) + 1, dtype=np.int64)
        stratum[unit] = self.strata[part]
        order = np.argsort(stratum, kind="stable")
        sums = np.bincount(unit, weights=values[part] / self.n_items)[order].astype(np.float64)
        bounds = np.searchsorted(stratum[order], np.unique(stratum))
        return cr2(sums, np.bincount(unit)[order].astype(np.float64), None, np.append(bounds, stratum.size))

    def _errors_of_rates(self, contrast: FloatArray) -> Iterator[tuple[StandardError, float, int]]:
        """Yield the error that comes from the error rates of each set and stratum, with its design effect."""
        involved = np.flatnonzero(contrast)
        for group in [[int(s)] for s in involved] if self.own else [[int(s) for s in involved]]:
            totals: dict[int, tuple[float, float]] = {}
            for s in group:
                for weight, share, stratum in self._corrected(s):
                    rates = self.sets[s].rates(stratum)
                    step = contrast[s] * weight / (rates.specificity + rates.sensitivity - 1.0)
                    zeros, ones = totals.get(stratum, (0.0, 0.0))
                    totals[stratum] = zeros + step * (1.0 - share), ones - step * share
            for stratum, (zeros, ones) in totals.items():
                yield *self.sets[group[0]].error(zeros, ones, stratum), stratum

    def interval(self, contrast: FloatArray, level: float, *, alone: bool = False) -> Interval | None:
        """Return the interval of a share (Lee et al. 2025), or of a difference by the delta method."""
        if alone:
            return None
        involved = np.flatnonzero(contrast)
        error = self.error(contrast)
        if involved.size == 1:
            z = two_sided_quantile(level)
            quantile = z if math.isinf(error.df) else float(stdtrit(max(1.0, error.df), 0.5 * (1.0 + level)))
            ends = rogan_gladen.interval_of_parts(list(self._parts(int(involved[0]))), quantile)
            return Interval(*ends, level, METHOD, True) if ends[0] < ends[1] else None
        if error.se == 0.0:
            return None
        low, high = skewness.interval(self.estimate(contrast), error, level)
        return Interval(max(low, -1.0), min(high, 1.0), level, METHOD, True)

    def _parts(self, system: int) -> Iterator[Part]:
        """Yield the parts of the items that have error rates of their own, with their design effects."""
        effects = {stratum: effect for _, effect, stratum in self._errors_of_rates(self.contrast(system))}
        for weight, _, stratum in self._corrected(system):
            verdicts, here = self._verdicts(system, stratum), self._places(system, stratum)
            share = float(verdicts.mean())
            alone = share * (1.0 - share) / verdicts.size
            effect = 1.0
            if alone > 0.0 and (self.n_clusters or self.n_strata > 1):
                effect = (self._robust(self.verdicts[:, system], here).se / weight) ** 2 / alone
            rates = self.sets[system].rates(stratum)
            yield Part(
                weight, float(verdicts.sum()), verdicts.size, rates, effect or 1.0, effects[stratum]
            )  # fmt: skip

    def test(self, contrast: FloatArray, alternative: Alternative) -> TestResult:
        """Return Wald's test of a difference."""
        return skewness.wald(self.estimate(contrast), self.error(contrast), alternative)

    def extra_labels(self, _contrast: FloatArray, _level: float) -> None:
        """Return None: there are no labels of these items."""

    def on_interval(self, _contrast: FloatArray, _level: float) -> Iterator[Note]:
        """Yield nothing: the intervals allow for unsure error rates."""
        return iter(())

    def tuning(self, _system: int) -> tuple[float, ...]:
        """Return nothing: no coefficient is tuned."""
        return ()

    def joint(self, pairs: list[tuple[int, int]], _names: Any) -> Joint:
        """Return the family by Bonferroni's bound."""
        a, b = np.array(pairs).T
        return Joint.of(None, a, b, 0)


def calibrated(scores: JudgedItems, calibration: Any, clusters: Any = None, strata: Any = None) -> Calibrated:
    """Return the shares that humans would find, by the error rates of a calibration set."""
    verdicts = scores.judge[:, :, 0]
    if scores.judge.shape[2] != 1 or not np.isin(verdicts, (0.0, 1.0)).all():
        raise InvalidInputError(
            "error rates correct the verdicts of one judge, 0 or 1, and these are other scores",
            hint="code verdicts as 1 for right and 0 for wrong, or give human scores of some of the items",
            argument="judge",
        )
    clusters = one_grouping(scores.clusters if clusters is None else clusters, "compare_judged")
    strata = scores.strata if strata is None else strata
    named = Groups(*(one if isinstance(one, str) else None for one in (clusters, strata)))
    distinct, stratum = (None, np.zeros(len(verdicts), dtype=np.int64))
    if strata is not None:
        distinct, stratum = labels_of(scores, strata, "strata")
    cluster = np.arange(len(verdicts)) if clusters is None else codes(scores, clusters, "clusters")
    if clusters is not None:
        check_nested_codes(stratum, cluster)
    sets, own = sets_of(calibration, scores.names, named, distinct)
    n_clusters = 0 if clusters is None else int(cluster.max()) + 1
    read_as = calibration.description if isinstance(calibration, JudgedItems) else ""
    made = Calibrated(verdicts, sets, own, cluster, stratum, n_clusters, read_as)
    _ = made.scores  # refuses a judge that is no better than chance
    return made
