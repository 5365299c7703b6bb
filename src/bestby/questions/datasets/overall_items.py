"""The items of all datasets together, for other items of these very datasets.

The estimate is the mean over the datasets of the difference on each. Datasets are independent, so the
variances inside them add up, with Satterthwaite's degrees of freedom; from `FROM_UNITS` units on, interval
and test allow for skewness (`bestby.inference.skewness`), of which the third cumulants add up.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core import rounding
from bestby._core.text import counted
from bestby.comparisons import equivalence, family
from bestby.comparisons.best import IntervalOfPair
from bestby.comparisons.per_dataset import Options
from bestby.engine.estimate import Estimate
from bestby.engine.interval_choice import FEW_DIFFERING, reservation
from bestby.engine.unseen import Evidence, evidence
from bestby.inference import clusters, skewness
from bestby.inference.clusters import StandardError
from bestby.inference.distributions import LEAST_TAIL
from bestby.questions.datasets.source import DatasetScores
from bestby.report.comparison import Difference
from bestby.report.pairs import IDENTICAL
from bestby.results.base import MetricInfo, Note, notes_about
from bestby.results.values import Interval, TestResult, defined

METHODS = {
    None: "stratified-t",
    skewness.FOR_INTERVALS: "stratified-hall",
    skewness.FOR_VERDICTS: "stratified-hall",
}
"""The names of intervals and tests by the standard errors of the skewness that they allow for."""

ASKED = {"normal": None, "hall": skewness.FOR_INTERVALS, "hall-wide": skewness.FOR_VERDICTS}
"""The same by the interval that was asked for; of others the number of units decides."""


WITHOUT_BOUNDS: dict[str, Any] = dict.fromkeys(
    ("interval", "equivalence_interval", "verdict", "margin", "standard_error", "standard_error_method")
)
"""The fields of a difference that only those have who asked for an interval."""


@dataclass(frozen=True)
class Part:
    """The difference on one dataset: its standard error by the allowance for skewness, and what units say."""

    errors: dict[float | None, StandardError]
    evidence: Evidence
    method: str


@dataclass(frozen=True)
class Mean:
    """The mean of the differences on the datasets: its standard errors, and the allowance that is shown."""

    estimate: float
    parts: Sequence[Part]
    units: Evidence
    errors: dict[float | None, StandardError]
    shown: float | None
    scale: float
    metric: MetricInfo

    @classmethod
    def of(cls, d: Difference, parts: Sequence[Part], scores: DatasetScores, options: Options) -> Mean:
        """Return the mean of the differences of a pair."""
        units = equivalence.mean_of([part.evidence for part in parts])
        default = skewness.FOR_INTERVALS if units.n_units >= skewness.FROM_UNITS else None
        shown = ASKED.get(options.interval or "", default)
        errors = {key: clusters.mean_error([part.errors[key] for part in parts]) for key in METHODS}
        scale = float(np.abs(scores.matrix).max())
        return cls(d.estimate, parts, units, errors, shown, scale, scores.metric)

    def bounds(self, level: float) -> family.Bounds:
        """Return the interval at a level, and why there is none."""
        ends = skewness.interval(self.estimate, self.errors[self.shown], level)
        interval = Interval(*ends, level, METHODS[self.shown], exact=True)
        return defined(clipped(interval, self.metric), scale=self.scale)


def has_errors(scores: DatasetScores) -> bool:
    """Return whether the items of every dataset show how sure a difference there is."""
    if scores.compared:
        name = scores.metric.name
        return all(
            d.standard_error is not None
            for comparison in scores.compared.values()
            for d in comparison.differences
            if d.metric == name and {d.a, d.b} <= set(scores.names)
        )
    groups = [one.group for one in scores.estimates.values()]
    return bool(groups) and all(group.n_units > group.n_strata for group in groups)


def over_items(
    scores: DatasetScores, differences: Sequence[Difference], options: Options
) -> tuple[tuple[Difference, ...], IntervalOfPair]:
    """Return the mean differences over these very datasets, and what gives their intervals at any level.

    In `differences` the datasets vary.
    """
    means = {(d.a, d.b): Mean.of(d, _parts(scores, d.a, d.b), scores, options) for d in differences}

    def interval(a: str, b: str, level: float) -> Interval | None:
        if (a, b) in means:
            return means[a, b].bounds(level)[0]
        opposite = means[b, a].bounds(level)[0]
        return opposite and opposite.mirrored()

    found = [_difference(d, means[d.a, d.b], scores.metric, options) for d in differences]
    return tuple(family.adjusted(found, options.correction)), interval


def few_items_notes(scores: DatasetScores) -> list[Note]:
    """Return the note on so few items of all datasets together that they do not show their skewness."""
    n = sum(one.group.n_units for one in scores.estimates.values())
    if not 0 < n < skewness.FROM_UNITS:
        return []
    message = (
        f"the datasets have {n} items together, which do not show whether differences are skewed: the"
        " interval and the test of the mean over the datasets hold if they are roughly symmetric"
    )
    return [Note("few_items", message)]


def _parts(scores: DatasetScores, a: str, b: str) -> list[Part]:
    """Return the differences on all datasets."""
    if not scores.compared:
        places = scores.names.index(a), scores.names.index(b)
        return [_part(one.of(*places)) for one in scores.estimates.values()]
    parts = []
    for comparison in scores.compared.values():
        d = comparison[a, b, scores.metric.name]
        n_units = d.n_clusters or d.n_items
        error = StandardError(d.standard_error or 0.0, max(1.0, n_units - 1.0))
        units = Evidence(None, None, d.n_differing, n_units, clustered=d.n_clusters > 0)
        parts.append(Part(dict.fromkeys(METHODS, error), units, d.standard_error_method or "formula"))
    return parts


def _part(estimate: Estimate) -> Part:
    """Return the difference on one dataset."""
    group, pair = estimate.group, (estimate.systems[0], estimate.systems[1])
    errors = {allowance: _error(estimate, allowance) for allowance in METHODS}
    method = "two-way" if group.crossed else "cr2" if group.clustered or group.in_blocks else "formula"
    if any(error is None for error in errors.values()):
        errors, method = dict.fromkeys(METHODS, _drawn_error(estimate)), "bootstrap"
    return Part(
        {key: error for key, error in errors.items() if error is not None}, evidence(group, pair), method
    )


def _error(estimate: Estimate, allowance: float | None) -> StandardError | None:
    """Return the standard error of a difference by formula; None where only resamples tell."""
    sample, group = estimate.sample, estimate.group
    if not estimate.among.by_units or sample.moves_in_steps:
        return None
    error, single = None, not (group.clustered or group.crossed or group.in_blocks)
    if allowance is not None:
        error = estimate.robust_error(allowance)
    elif single and sample.standard_error is not None:
        error = StandardError(sample.standard_error, sample.degrees_of_freedom)
    error = error or sample.error
    return error if error is not None and math.isfinite(error.se) else None


def _drawn_error(estimate: Estimate) -> StandardError:
    """Return the standard error from resamples.

    Those of n units vary by (n - 1) / n of what other units would.
    """
    group, drawn = estimate.group, estimate.replicates
    drawn, free = drawn[np.isfinite(drawn)], group.n_units - group.n_strata
    if drawn.size < 2 or free < 1:
        return StandardError(math.nan, 1.0)
    return StandardError(float(drawn.std(ddof=1)) * math.sqrt(group.n_units / free), float(free))


def _difference(d: Difference, mean: Mean, metric: MetricInfo, options: Options) -> Difference:
    """Return the mean of the differences on the datasets; its p-value is not adjusted yet."""
    units, shown, errors = mean.units, mean.shown, mean.errors
    inside = [part.evidence for part in mean.parts]
    notes = (Note("identical", IDENTICAL),) if units.n_differing == 0 else ()
    test = None if options.test is None else _test(d.estimate, errors[shown], METHODS[shown], units, options)
    p, about = None if test is None else test.p_value, notes_about(notes, d.metric, d.a, d.b)
    plain = dataclasses.replace(d, test=test, p_adjusted=p, notes=about, **WITHOUT_BOUNDS)
    if options.interval is None:
        return plain
    interval, undefined = mean.bounds(options.level)
    deciding = mean if options.interval in ASKED else dataclasses.replace(mean, shown=skewness.FOR_VERDICTS)
    tost = family.for_equivalence(interval, deciding.bounds, options.level, options.margin)
    tost, unseen = equivalence.interval_of_mean(inside, tost, d.estimate, options)
    doubts = _doubts(inside, errors[shown], tested=test is not None)
    methods = {part.method for part in mean.parts}
    bounded = dataclasses.replace(
        plain,
        interval=interval,
        standard_error=errors[shown].se,
        standard_error_method=methods.pop() if len(methods) == 1 else "formula",
        notes=notes_about((*notes, *undefined, *doubts, *unseen), d.metric, d.a, d.b),
    )
    decides = None if deciding.shown == shown else deciding.bounds(options.level)[0]
    return family.with_verdict(
        bounded, clipped(tost, metric), options.margin, decides=decides, doubted=bool(doubts)
    )


def _test(
    estimate: float, error: StandardError, name: str, units: Evidence, options: Options
) -> TestResult | None:
    """Return the test whose interval this is; its p-value is no smaller than the signs of the units allow."""
    if math.isnan(error.se):
        return None
    test = skewness.wald(estimate, error, options.alternative, name)
    if error.se > rounding.noise_width(abs(estimate), rounding.ERROR) and test.p_value >= LEAST_TAIL:
        return test
    sides = 2.0 if options.alternative == "two-sided" else 1.0
    least = min(1.0, max(sides * 0.5**units.n_differing, LEAST_TAIL))
    return dataclasses.replace(test, p_value=max(test.p_value, least))


def _doubts(inside: Sequence[Evidence], error: StandardError, *, tested: bool) -> tuple[Note, ...]:
    """Return the note on so few units that the interval and the test may be wrong, if they are."""
    units, effective = equivalence.mean_of(inside), None
    if units.influences is not None:
        squares = units.influences.values**2
        effective = clusters.equal_units(squares, units.influences.counts) if squares.any() else 0.0
    note = reservation(
        "hall", difference=True, n_differing=units.n_differing, n_effective=effective, n_units=units.n_units,
        plain_mean=True, clustered=units.clustered, tested=tested,
    )  # fmt: skip
    n_hidden = _hidden(inside, error) if note is None and units.n_differing else 0
    if n_hidden:
        message = (
            f"on {counted(n_hidden, 'dataset')} so few items differ that others like them could change the"
            " mean difference by more than its standard error says: the interval is probably too short"
        )
        note = Note("few_differing", message + (", and a small p-value too small" if tested else ""))
    return () if note is None else (note,)


def _hidden(inside: Sequence[Evidence], error: StandardError) -> int:
    """Return on how many datasets the few units that differ may hide most of the variance of the mean.

    None of n units differing says that at most 3 of as many others probably do (Hanley & Lippman-Hand 1983).
    Where so many, each of which moves the difference as much as a unit at most does, would more than double
    the standard error, the dataset does not show it.
    """
    influences = [one.influences for one in inside if one.influences is not None]
    if len(influences) < len(inside):
        return 0
    largest = max(
        float(np.abs(one.values).max(initial=0.0)) * part.n_units
        for one, part in zip(influences, inside, strict=True)
    )
    seen = (len(inside) * error.se) ** 2
    return sum(
        part.n_differing < min(FEW_DIFFERING, 0.5 * part.n_units)
        and 3.0 * (largest / part.n_units) ** 2 > 3.0 * seen
        for part in inside
    )


def clipped(interval: Interval | None, metric: MetricInfo) -> Interval | None:
    """Return the interval without what no difference can be."""
    if interval is None:
        return None
    reach = metric.bounds[1] - metric.bounds[0]
    return dataclasses.replace(interval, low=max(interval.low, -reach), high=min(interval.high, reach))
