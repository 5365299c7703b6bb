"""Shares corrected by a judge's error rates, which are known from items of a calibration set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Alternative, FloatArray
from bestby.comparisons.judged.estimating import Common, contrast_of
from bestby.comparisons.judged.source import numbers
from bestby.data.layouts.judged import JudgedItems
from bestby.inference import cluster_pivots, rogan_gladen
from bestby.inference.clusters import StandardError
from bestby.inference.joint import Joint
from bestby.inference.rogan_gladen import ErrorRates
from bestby.results.values import Interval, TestResult

METHOD = "rogan-gladen"

_HINT = (
    "calibration={'a': (verdicts of the judge, of humans), ...} for other items, all 0 or 1; or one such pair"
)


@dataclass(frozen=True, eq=False)
class Calibrated:
    """Corrected shares of S systems; `own` says whether each has error rates of its own."""

    verdicts: FloatArray
    rates: tuple[ErrorRates, ...]
    own: bool

    method = METHOD
    n_clusters = 0
    bounds = (0.0, 1.0)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.verdicts)

    @property
    def judge(self) -> FloatArray:
        """The judge's own shares, shape (S,)."""
        shares: FloatArray = self.verdicts.mean(axis=0)
        return shares

    @cached_property
    def scores(self) -> FloatArray:
        """The corrected shares, shape (S,)."""
        shares = zip(self.ones, self.rates, strict=True)
        return np.array([rogan_gladen.corrected_share(ones, self.n_items, rates) for ones, rates in shares])

    @cached_property
    def ones(self) -> tuple[int, ...]:
        """How many items the judge calls 1, by system."""
        return tuple(int(count) for count in self.verdicts.sum(axis=0))

    def estimate(self, contrast: FloatArray) -> float:
        """Return a share or a difference of shares."""
        return float(contrast @ self.scores)

    def labels_mean(self, contrast: FloatArray) -> None:
        """Return None: the calibration set says nothing of these items by itself."""

    def contrast(self, a: int, b: int | None = None) -> FloatArray:
        """Return the contrast of a system, or of a minus b."""
        return contrast_of(len(self.rates), a, b)

    def common(self, a: int, b: int) -> Common:
        """Return the items of the calibration set, and those of all whose verdicts differ."""
        rates = self.rates[a]
        return Common(rates.zeros + rates.ones, int((self.verdicts[:, a] != self.verdicts[:, b]).sum()))

    def error(self, contrast: FloatArray) -> StandardError:
        """Return the standard error, by the delta method over the items and both error rates."""
        slopes = np.array([one.specificity + one.sensitivity - 1.0 for one in self.rates])
        parts = self.verdicts @ (contrast / slopes)
        variance = float(parts.var(ddof=1)) / self.n_items
        of_zeros, of_ones = contrast * (1.0 - self.scores) / slopes, contrast * self.scores / slopes
        if not self.own:
            of_zeros, of_ones = of_zeros.sum(keepdims=True), of_ones.sum(keepdims=True)
        for zero, one, rates in zip(of_zeros, of_ones, self.rates, strict=False):
            q0, q1 = rates.smoothed
            variance += zero**2 * q0 * (1.0 - q0) / rates.zeros + one**2 * q1 * (1.0 - q1) / rates.ones
        return StandardError(math.sqrt(variance), math.inf)

    def interval(self, contrast: FloatArray, level: float, *, alone: bool = False) -> Interval | None:
        """Return the interval of a share (Lee et al. 2025), or of a difference by the delta method."""
        if alone:
            return None
        involved = np.flatnonzero(contrast)
        if involved.size == 1:
            place = int(involved[0])
            ends = rogan_gladen.interval(self.ones[place], self.n_items, self.rates[place], level)
            return Interval(*ends, level, METHOD, True)
        error = self.error(contrast)
        if error.se == 0.0:
            return None
        low, high = cluster_pivots.interval(self.estimate(contrast), error, level)
        return Interval(max(low, -1.0), min(high, 1.0), level, METHOD, True)

    def test(self, contrast: FloatArray, alternative: Alternative) -> TestResult:
        """Return Wald's test of a difference."""
        return cluster_pivots.wald(self.estimate(contrast), self.error(contrast), alternative)

    def extra_labels(self, contrast: FloatArray) -> None:
        """Return None: there are no labels of these items."""

    def tuning(self, _system: int) -> tuple[float, ...]:
        """Return nothing: no coefficient is tuned."""
        return ()

    def joint(self, pairs: list[tuple[int, int]], _names: Any) -> Joint:
        """Return the family by Bonferroni's bound."""
        a, b = np.array(pairs).T
        return Joint.of(None, a, b, 0)


def calibrated(scores: JudgedItems, calibration: Any) -> Calibrated:
    """Return the shares that humans would find, by the error rates of a calibration set."""
    verdicts = scores.judge[:, :, 0]
    if scores.judge.shape[2] != 1 or not np.isin(verdicts, (0.0, 1.0)).all():
        raise InvalidInputError(
            "error rates correct the verdicts of one judge, 0 or 1, and these are other scores",
            hint="code verdicts as 1 for right and 0 for wrong, or give human scores of some of the items",
            argument="judge",
        )
    own = isinstance(calibration, Mapping)
    if own:
        absent = [name for name in scores.names if name not in calibration]
        if absent:
            raise InvalidInputError(
                f"calibration lacks system {quoted(absent[0])}", hint=_HINT, argument="calibration"
            )
    pairs = [calibration[name] if own else calibration for name in scores.names]
    return Calibrated(verdicts, tuple(_rates(pair) for pair in pairs), own)


def _rates(pair: Any) -> ErrorRates:
    """Return what a judge and humans say of the items of a calibration set."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InvalidInputError(
            f"calibration must be pairs, got {quoted(pair)}", hint=_HINT, argument="calibration"
        )
    judge, human = (numbers(values, "the verdicts of the calibration set") for values in pair)
    if judge.shape != human.shape or judge.ndim != 1 or not np.isin([*judge, *human], (0.0, 1.0)).all():
        raise InvalidInputError(
            "the calibration set needs a verdict, 0 or 1, of judge and human for every item", hint=_HINT,
            argument="calibration",
        )  # fmt: skip
    ones = human == 1.0
    return ErrorRates(
        int((judge[~ones] == 0.0).sum()), int((~ones).sum()), int(judge[ones].sum()), int(ones.sum())
    )
