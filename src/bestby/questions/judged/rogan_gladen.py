"""Shares of right answers by a judge's verdicts, corrected by its error rates on a calibration set.

Rogan & Gladen (1978, Amer. J. Epidemiol. 107, 71-76) correct the judge's share for its specificity and
sensitivity. Lee, Zeng, Jeong, Sohn & Lee (2025, How to correctly report LLM-as-a-judge evaluations,
arXiv 2511.21140, section 4) allow for the uncertainty of both error rates.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from bestby._core.arrays import is_table
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Alternative, Array, BoolArray, FloatArray, IntArray
from bestby.data.alignment import one_grouping
from bestby.data.layouts.judged import JudgedItems
from bestby.data.table import table_of
from bestby.inference import skewness
from bestby.inference.clusters import StandardError, cr2
from bestby.inference.multiplicity import Joint
from bestby.inference.proportions import two_sided_quantile
from bestby.questions.judged.labelled import check_nested_codes
from bestby.questions.judged.prediction_powered import Common, contrast_of
from bestby.questions.judged.source import EVERY, calibration_of, group_numbers, numbered_groups, score_array
from bestby.results.base import Note
from bestby.results.values import Interval, TestResult

METHOD = "rogan-gladen"

FEW_CLUSTERS = 10
"""Clusters of a calibration set below which its error rates are hardly known."""

_HINT = (
    "calibration={'a': (verdicts of the judge, of humans), ...} for other items, all 0 or 1; or one such"
    " pair, or a table"
)


@dataclass(frozen=True)
class ErrorRates:
    """What the judge says of items with a human verdict: right ones of all that are 0, and of all that are 1.

    Parameters
    ----------
    right_zeros, zeros : float
        Items that humans and judge call 0, and all that humans call 0.
    right_ones, ones : float
        Items that humans and judge call 1, and all that humans call 1.
    """

    right_zeros: float
    zeros: float
    right_ones: float
    ones: float

    @property
    def specificity(self) -> float:
        """The share of the zeros that the judge calls 0."""
        return self.right_zeros / self.zeros

    @property
    def sensitivity(self) -> float:
        """The share of the ones that the judge calls 1."""
        return self.right_ones / self.ones

    @property
    def smoothed(self) -> tuple[float, float]:
        """Specificity and sensitivity with one right and one wrong verdict more, so that none is 0 or 1."""
        return (self.right_zeros + 1) / (self.zeros + 2), (self.right_ones + 1) / (self.ones + 2)

    def divided(self, effect: float) -> ErrorRates:
        """Return these rates, taken from as many items as are left after division by a design effect."""
        return ErrorRates(*(count / effect for count in astuple(self)))


def corrected_share(judged_ones: float, n: float, rates: ErrorRates) -> float:
    """Return the share of ones among `n` items of which the judge calls `judged_ones` 1.

    It is (p + q0 - 1) / (q0 + q1 - 1) with the judge's share p, its specificity q0 and sensitivity q1. Where
    these are known from few items it may lie outside [0, 1]: cut off, differences of shares would shrink.

    >>> round(corrected_share(400, 1000, ErrorRates(140, 200, 180, 200)), 4)
    0.1667
    >>> round(corrected_share(200, 1000, ErrorRates(140, 200, 180, 200)), 4)
    -0.1667
    """
    better = _better(rates)
    return (judged_ones / n + rates.specificity - 1.0) / better


def _better(rates: ErrorRates) -> float:
    """Return by how much a judge is better than chance; refuse one that is not."""
    if rates.zeros < 1 or rates.ones < 1:
        raise DesignError(
            "the items with a human verdict are all of one kind, so that one of the error rates is not known",
            hint="label more items, until there are right and wrong ones",
        )
    better = rates.specificity + rates.sensitivity - 1.0
    if better <= 0.0:
        raise DesignError(
            f"the judge is no better than chance: specificity {rates.specificity:.3g}, sensitivity"
            f" {rates.sensitivity:.3g}",
            hint="use the human verdicts alone",
        )
    return better


@dataclass(frozen=True)
class Part:
    """The items of which one pair of error rates holds.

    Parameters
    ----------
    weight : float
        Their share in all items.
    judged_ones, n : float
        How many of them the judge calls 1, and their number.
    rates : ErrorRates
        The error rates.
    items_effect, rates_effect : float
        Design effects: by how much the variance of the judge's share, and that of the error rates, is that
        of independent items. Clusters raise it, and strata lower it.
    """

    weight: float
    judged_ones: float
    n: float
    rates: ErrorRates
    items_effect: float = 1.0
    rates_effect: float = 1.0

    def moved(self, z: float) -> tuple[float, float]:
        """Return the middle of the interval of the corrected share, and the variance around it."""
        _better(self.rates)
        n = self.n / self.items_effect
        size = n + z * z
        p = (self.judged_ones / self.items_effect + 0.5 * z * z) / size
        rates = self.rates.divided(self.rates_effect)
        zeros, ones = rates.zeros + 2, rates.ones + 2
        q0, q1 = rates.smoothed
        # Rogan & Gladen's share (p + q0 - 1) / (q0 + q1 - 1); by the delta method its derivatives by p, q0
        # and q1 are 1, 1 - share and -share over the denominator, and p, q0, q1 are independent.
        slope = q0 + q1 - 1.0
        middle = (p + q0 - 1.0) / slope
        variance_zeros, variance_ones = q0 * (1.0 - q0) / zeros, q1 * (1.0 - q1) / ones
        variance = (
            p * (1.0 - p) / size + (1.0 - middle) ** 2 * variance_zeros + middle**2 * variance_ones
        ) / slope**2
        return middle + 2.0 * z * z * (middle * variance_ones - (1.0 - middle) * variance_zeros), variance


def interval_of_parts(parts: Sequence[Part], quantile: float) -> tuple[float, float]:
    """Return the interval of the share among all items, whose parts have error rates of their own.

    `quantile` is the two-sided one of the normal distribution, or of Student's with clusters; its square over
    2 ones and zeros are added to the share and one right and one wrong verdict to each error rate, and the
    middle moves accordingly. The interval is approximate: with few items of either kind, or a judge that is
    hardly better than chance, it is too short.

    >>> low, high = interval_of_parts([Part(1.0, 400, 1000, ErrorRates(140, 200, 180, 200))], 1.959964)
    >>> round(low, 4), round(high, 4)
    (0.0564, 0.2627)
    >>> half = Part(0.5, 400, 1000, ErrorRates(140, 200, 180, 200))
    >>> low, high = interval_of_parts([half, half], 1.96)
    >>> round(low, 4), round(high, 4)
    (0.0866, 0.2325)
    """
    moved = [(one.weight, *one.moved(quantile)) for one in parts]
    middle = math.fsum(weight * value for weight, value, _ in moved)
    error = math.sqrt(math.fsum(weight**2 * variance for weight, _, variance in moved))
    low, high = (min(1.0, max(0.0, middle + side * quantile * error)) for side in (-1.0, 1.0))
    return low, high


# -- the calibration set ---------------------------------------------------------------------------


def sets_of(
    calibration: Any, names: tuple[str, ...], columns: Mapping[str, Any], strata: Array | None
) -> tuple[tuple[CalibrationSet, ...], bool]:
    """Return the calibration set of each system, and whether each has one of its own.

    `columns` are what the user said of clusters and strata; of a table the columns are meant that are named
    there. `strata` are the distinct strata of the items of the comparison, in the order of their codes.
    """
    if is_table(calibration):
        calibration = calibration_of(table_of(calibration))
    if isinstance(calibration, JudgedItems):
        sets = _sets_from_table(calibration, columns, strata)
    elif isinstance(calibration, Mapping):
        sets = {name: _set_from_pair(pair) for name, pair in calibration.items()}
    else:
        sets = {EVERY: _set_from_pair(calibration)}
    if EVERY in sets:
        return (sets[EVERY],) * len(names), False
    absent = [name for name in names if name not in sets]
    if absent:
        raise InvalidInputError(
            f"calibration lacks system {quoted(absent[0])}", hint=_HINT, argument="calibration"
        )
    return tuple(sets[name] for name in names), True


@dataclass(frozen=True, eq=False)
class CalibrationSet:
    """Verdicts of M items by a judge and by humans, and the groups that the items lie in.

    Parameters
    ----------
    judge, human : ndarray, shape (M,)
        0 or 1.
    clusters : ndarray of int, shape (M,), or None
        Codes from 0; None if items are independent.
    strata : ndarray of int, shape (M,), or None
        The strata as the items of the comparison have them; None if all have the same error rates.
    """

    judge: FloatArray
    human: FloatArray
    clusters: IntArray | None = None
    strata: IntArray | None = None

    @property
    def size(self) -> int:
        """The number of items."""
        return int(self.judge.size)

    def in_stratum(self, stratum: int) -> BoolArray:
        """Return which items of the set tell the error rates of a stratum, shape (M,)."""
        if self.strata is None:
            return np.ones(self.size, dtype=np.bool_)
        is_in_stratum: BoolArray = self.strata == stratum
        return is_in_stratum

    def rates(self, stratum: int) -> ErrorRates:
        """Return the error rates in a stratum."""
        part = self.in_stratum(stratum)
        judge, ones = self.judge[part], self.human[part] == 1.0
        counts = ((judge[~ones] == 0.0).sum(), (~ones).sum(), judge[ones].sum(), ones.sum())
        return ErrorRates(*(int(count) for count in counts))

    def error(self, zeros_slope: float, ones_slope: float, stratum: int) -> tuple[StandardError, float]:
        """Return the error of a sum of both error rates, and by how much clusters raise its variance.

        `zeros_slope` and `ones_slope` are the coefficients of specificity and sensitivity. The variance is
        that of independent verdicts, one right and one wrong added to each kind, times the design effect.
        """
        rates = self.rates(stratum)
        q0, q1 = rates.smoothed
        variance = (
            zeros_slope**2 * q0 * (1.0 - q0) / rates.zeros + ones_slope**2 * q1 * (1.0 - q1) / rates.ones
        )
        if self.clusters is None:
            return StandardError(float(np.sqrt(variance)), np.inf), 1.0
        part = self.in_stratum(stratum)
        judge, ones = self.judge[part], self.human[part] == 1.0
        right = np.where(ones, judge, 1.0 - judge)
        # What each verdict adds to the sum of the two rates; CR2 over the clusters against as many squares of
        # independent verdicts is the design effect.
        added = np.where(
            ones,
            ones_slope * (right - rates.sensitivity) / rates.ones,
            zeros_slope * (right - rates.specificity) / rates.zeros,
        )
        codes = np.unique(self.clusters[part], return_inverse=True)[1].reshape(-1)
        sums, sizes = np.bincount(codes, weights=added), np.bincount(codes)
        robust = cr2(sums.astype(np.float64), sizes.astype(np.float64))
        independent = float((added**2).sum())
        effect = robust.se**2 / independent if independent > 0.0 and robust.se > 0.0 else 1.0
        return StandardError(float(np.sqrt(variance * effect)), max(robust.df, 1.0)), effect


def _set_from_pair(pair: Any) -> CalibrationSet:
    """Return what a judge and humans say of the items of a calibration set."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InvalidInputError(
            f"calibration must be pairs, got {quoted(pair)}", hint=_HINT, argument="calibration"
        )
    judge, human = (score_array(values, "the verdicts of the calibration set") for values in pair)
    return _checked(CalibrationSet(judge, human))


def _sets_from_table(
    table: JudgedItems, columns: Mapping[str, Any], strata: Array | None
) -> dict[str, CalibrationSet]:
    """Return the sets of a table by system."""
    if len(table.judges) > 1:
        raise InvalidInputError(
            f"a calibration set has one judge, got {len(table.judges)}", hint="name its column: judge=...",
            argument="calibration",
        )  # fmt: skip
    clusters = _column(table, columns["clusters"], table.clusters, "clusters")
    stratum = _column(table, columns["strata"], table.strata, "strata")
    if stratum is not None and strata is None:
        raise DesignError(
            "the calibration set has strata, and the items of the comparison have none",
            hint="give strata=..., or leave the column of strata out of the calibration set",
        )
    places = {} if strata is None else {text: place for place, text in enumerate(map(str, strata.tolist()))}
    sets = {}
    for s, name in enumerate(table.names):
        labelled = ~np.isnan(table.human[:, s])
        stratum_codes = None
        if stratum is not None:
            texts = [str(one) for one in _groups_for_system(stratum, s)[labelled].tolist()]
            every = np.array([places.get(text, -1) for text in texts], dtype=np.int64)
            labelled, stratum_codes = np.flatnonzero(labelled)[every >= 0], every[every >= 0]
        cluster_codes = None if clusters is None else _codes(_groups_for_system(clusters, s)[labelled])
        if cluster_codes is not None and stratum_codes is not None and cluster_codes.size:
            check_nested_codes(stratum_codes, cluster_codes)
        one = CalibrationSet(
            table.judge[labelled, s, 0], table.human[labelled, s], cluster_codes, stratum_codes
        )
        sets[name] = _checked(one)
        _check_strata(one, strata)
    return sets


def _column(table: JudgedItems, named: Any, usual: str | None, what: str) -> Array | None:
    """Return the groups of the items, if the table has them."""
    name = named if isinstance(named, str) and named in table.columns else usual
    if name is None:
        return None
    values = table.columns[name]
    if any(value is None for value in values.ravel().tolist()):
        raise InvalidInputError(
            f"column {quoted(name)} of the calibration set lacks values", hint="fill them in", argument=what
        )
    return values


def _codes(values: Array) -> IntArray:
    """Return groups as codes from 0, by their texts."""
    codes: IntArray = np.unique([str(one) for one in values.tolist()], return_inverse=True)[1].reshape(-1)
    return codes


def _groups_for_system(values: Array, system: int) -> Array:
    return values[:, system] if values.ndim > 1 else values


def _check_strata(one: CalibrationSet, strata: Array | None) -> None:
    """Refuse a stratum of which the calibration set does not tell the error rates."""
    if one.strata is None or strata is None:
        return
    for place, name in enumerate(strata.tolist()):
        human = one.human[one.in_stratum(place)]
        if not (human == 1.0).any() or not (human == 0.0).any():
            raise DesignError(
                f"the calibration set does not have both right and wrong items of stratum {quoted(name)}, so"
                " that the judge's error rates there are not known",
                hint="label more of its items, or leave out the strata of the calibration set",
            )


def _checked(one: CalibrationSet) -> CalibrationSet:
    verdicts = [*one.judge.ravel().tolist(), *one.human.ravel().tolist()]
    if one.judge.shape != one.human.shape or one.judge.ndim != 1 or not np.isin(verdicts, (0.0, 1.0)).all():
        raise InvalidInputError(
            "the calibration set needs a verdict, 0 or 1, of judge and human for every item", hint=_HINT,
            argument="calibration",
        )  # fmt: skip
    return one


# -- the corrected shares --------------------------------------------------------------------------


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
    distinct, stratum = (None, np.zeros(len(verdicts), dtype=np.int64))
    if strata is not None:
        distinct, stratum = numbered_groups(scores, strata, "strata")
    cluster = np.arange(len(verdicts)) if clusters is None else group_numbers(scores, clusters, "clusters")
    if clusters is not None:
        check_nested_codes(stratum, cluster)
    sets, per_system = sets_of(calibration, scores.names, {"clusters": clusters, "strata": strata}, distinct)
    n_clusters = 0 if clusters is None else int(cluster.max()) + 1
    read_as = calibration.description if isinstance(calibration, JudgedItems) else ""
    shares = Calibrated(verdicts, sets, per_system, cluster, stratum, n_clusters, read_as)
    _ = shares.scores  # refuses a judge that is no better than chance
    return shares


@dataclass(frozen=True, eq=False)
class Calibrated:
    """Corrected shares of S systems; `per_system` says whether each has a calibration set to itself.

    `clusters` and `strata` are codes of the items, shape (N,); without clusters each item is one.
    `description` says how a table of the calibration set was read.
    """

    verdicts: FloatArray
    sets: tuple[CalibrationSet, ...]
    per_system: bool
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
            share = corrected_share(float(verdicts.sum()), verdicts.size, one.rates(stratum))
            yield verdicts.size / self.n_items, share, stratum

    def _verdicts(self, system: int, stratum: int) -> FloatArray:
        """Return the verdicts on the items that a stratum of the calibration set is for."""
        verdicts: FloatArray = self.verdicts[self._places(system, stratum), system]
        return verdicts

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
        error = self._robust(added, np.ones(self.n_items, dtype=np.bool_))
        return error if self.n_clusters else StandardError(error.se, math.inf)

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
        for group in [[int(s)] for s in involved] if self.per_system else [[int(s) for s in involved]]:
            totals: dict[int, tuple[float, float]] = {}
            for s in group:
                for weight, share, stratum in self._corrected(s):
                    rates = self.sets[s].rates(stratum)
                    step = contrast[s] * weight / (rates.specificity + rates.sensitivity - 1.0)
                    zeros, ones = totals.get(stratum, (0.0, 0.0))
                    totals[stratum] = zeros + step * (1.0 - share), ones - step * share
            for stratum, (zeros, ones) in totals.items():
                yield *self.sets[group[0]].error(zeros, ones, stratum), stratum

    def interval(self, contrast: FloatArray, level: float, *, labels_only: bool = False) -> Interval | None:
        """Return the interval of a share (Lee et al. 2025), or of a difference by the delta method."""
        if labels_only:
            return None
        involved = np.flatnonzero(contrast)
        error = self.error(contrast)
        if involved.size == 1:
            z = two_sided_quantile(level)
            quantile = z if math.isinf(error.df) else float(stdtrit(max(1.0, error.df), 0.5 * (1.0 + level)))
            ends = interval_of_parts(list(self._parts(int(involved[0]))), quantile)
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
            independent = share * (1.0 - share) / verdicts.size
            effect = 1.0
            if independent > 0.0 and (self.n_clusters or self.n_strata > 1):
                effect = (self._robust(self.verdicts[:, system], here).se / weight) ** 2 / independent
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
