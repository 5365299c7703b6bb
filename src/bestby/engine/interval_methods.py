"""The methods of confidence intervals, each by its name in `METHODS`."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from bestby._core import special
from bestby._core.errors import DesignError
from bestby._core.typing import FloatArray, IntArray
from bestby.engine.base import Group
from bestby.engine.reach import bound_of_copies
from bestby.engine.resampled import Resampled
from bestby.engine.targets import Target, defined_replicates, value_of
from bestby.inference import abc, calibration_error, intervals, proportions, skewness
from bestby.metrics.agreement import Agreement
from bestby.metrics.calibration import ExpectedCalibrationError
from bestby.results.base import Note
from bestby.results.values import Interval
from bestby.vocabulary import needs

Made: TypeAlias = tuple[Interval, tuple[Note, ...]]
"""An interval, whose `method` says what was done in the end, and what must be known about it."""


def interval(sample: Resampled, target: Target, method: str, level: float) -> Made:
    """Return the interval of one target by one method."""
    if _has_own(sample, target):
        return _of_calibration(sample, target, level)
    _check(sample, method)
    return METHODS[method](sample, target, level)


def _has_own(sample: Resampled, target: Target) -> bool:
    """Return whether no interval but its own covers a metric: that of two systems which differ at all."""
    m, a, b = target
    own = isinstance(sample.group.metrics[m], ExpectedCalibrationError)
    return own and (b is None or sample.group.differing((m, a, b))[1] > 0)


def without_fallback(sample: Resampled, target: Target, method: str, level: float) -> Interval | None:
    """Return the interval by this method alone; None where ABC is undefined, for which BCa draws resamples.

    An ABC interval at a level near 0 need not hold the estimate.
    """
    if method != "abc" or _has_own(sample, target):
        return interval(sample, target, method, level)[0]
    _check(sample, method)
    return _abc_alone(sample, target, level, holding=False)


def abc_p_value(sample: Resampled, target: Target, side: float, least: float) -> float | None:
    """Return one minus the level at which an ABC interval ends at 0; None where that is undefined."""
    expansion = _expansion(sample, target)
    scale, limits = sample.scale(target), bounds(sample.group, target)
    return abc.p_value(expansion, side, least, scale=scale, bounds=limits)


def clipped(
    group: Group, target: Target, low: float, high: float, level: float, method: str, exact: bool
) -> Interval:
    """Return the interval cut to the values the metric can take."""
    least, greatest = bounds(group, target)
    return Interval(max(low, least), min(high, greatest), level, method, exact)


def bounds(group: Group, target: Target) -> tuple[float, float]:
    """Return the least and the greatest value that a score or difference can take."""
    least, greatest = group.metrics[target.metric].bounds
    return (least, greatest) if target.b is None else (least - greatest, greatest - least)


def unseen(sample: Resampled, target: Target, level: float) -> Interval | None:
    """Return the interval of what does not vary on the data, where it is bounded; None for others.

    A share of z^2 / (n + z^2) of all units may differ from the n that were seen: the upper end of Wilson's
    interval of a share of 0. They may have any value within the bounds of the metric. For answers that are
    right or wrong these are the ends of Wilson's and Tango's intervals. Clusters of unequal size count as
    fewer of equal size. That is for means and shares; the difference of copies under other functions of sums
    is bounded by what one item can do to it (`widened` of `bestby.inference.unseen`).
    """
    least, greatest = bounds(sample.group, target)
    n = sample.group.equal_units(target.metric, target.a, target.b)
    if n is None or not np.isfinite([least, greatest]).all():
        pair = None if target.b is None else (target.metric, target.a, target.b)
        ends = None if pair is None else bound_of_copies(sample.group, pair, level)
        return None if ends is None else Interval(*ends, level, "unseen", True)
    share = proportions.wilson(0.0, max(n, 1.0), level)[1]
    estimate = sample.estimate(target)
    low, high = (estimate + share * (end - estimate) for end in (least, greatest))
    return Interval(low, high, level, "unseen", True)


def _check(sample: Resampled, method: str) -> None:
    """Refuse a method that does not allow for how the items are resampled."""
    needed = needs("interval", method)
    if ("crossed" in needed) != sample.group.crossed:
        if sample.group.crossed:
            raise DesignError(
                f"the {method} interval supports one grouping of the items, not two crossed ones",
                hint='interval="two-way", or give one grouping as clusters',
            )
        raise DesignError(
            "the two-way interval needs two crossed groupings", hint="clusters=[templates, languages]"
        )
    if ("units" in needed and not sample.by_units) or ("no blocks" in needed and not sample.by_formula):
        what = "resample_size" if sample.subsampling else 'annotators="resample"'
        raise DesignError(
            f"the {method} interval does not allow for {what if not sample.by_units else 'blocks'}",
            hint='interval="basic" or "percentile", which use the resamples as they are drawn',
        )


# -- from the bootstrap distribution ---------------------------------------------------------------


def _basic(sample: Resampled, target: Target, level: float) -> Made:
    distribution, notes = sample.distribution(target)
    low, high = intervals.basic(distribution, sample.estimate(target), level)
    made = clipped(sample.group, target, low, high, level, "basic", distribution.exact)
    return made, notes + _coarse_gold(sample, target)


def _percentile(sample: Resampled, target: Target, level: float) -> Made:
    distribution, notes = sample.distribution(target)
    low, high = intervals.percentile(distribution, level)
    made = clipped(sample.group, target, low, high, level, "percentile", distribution.exact)
    return made, notes + _coarse_gold(sample, target)


def _bca(sample: Resampled, target: Target, level: float) -> Made:
    distribution, notes = sample.distribution(target)
    notes += _coarse_gold(sample, target)
    rate = sample.acceleration(target)
    method, ends = "bca", intervals.bca(distribution, sample.estimate(target), rate or 0.0, level)
    if ends is None:
        method, ends = "percentile", intervals.percentile(distribution, level)
        notes += (
            Note(
                "bca_undefined",
                "the BCa interval is undefined here (the estimate lies at the edge of its"
                " replicates); the percentile interval is given",
            ),
        )
    elif rate is None:
        notes += (
            Note(
                "no_acceleration",
                "the metric is undefined without some single unit: the BCa interval is corrected"
                " for bias, not for skewness",
            ),
        )
    return clipped(sample.group, target, *ends, level, method, distribution.exact), notes


def _coarse_gold(sample: Resampled, target: Target) -> tuple[Note, ...]:
    """Return a note if resampled annotators shift a score by more than a quarter of its spread."""
    drawn = sample.drawn_of(target)
    if target.b is not None or drawn is None or not sample.group.gold_varies:
        return ()
    shift = float(value_of(sample.gold_shift, target))
    if abs(shift) <= 0.25 * float(np.nanstd(drawn)):
        return ()
    way = "lower" if shift < 0.0 else "higher"
    told = (
        f"the score against resampled annotators is {abs(shift):.3g} {way}, because few labels per item"
        " make a coarse gold; against a gold of very many annotators it would probably be as much"
        f" {'higher' if way == 'lower' else 'lower'}, and the interval is for a gold with as many labels"
        " as here"
    )
    return (Note("coarse_gold", told),)


def _studentized(sample: Resampled, target: Target, level: float) -> Made:
    group, of = sample.group, (target.metric, target.a, target.b)
    se = group.standard_error(*of)
    pivots = None if se is None else group.pivots(*of, sample.drawing)
    if se is None or pivots is None:
        group.every_unit("the studentized interval")
        raise DesignError(
            f"no studentized interval for {group.metrics[target.metric].name} here:"
            " it needs a metric of at most 24 sums and no strata",
            hint='pass interval="bca" or "percentile"',
        )
    distribution, notes = defined_replicates(pivots, 1.0)
    low, high = intervals.studentized(distribution, sample.estimate(target), se, level)
    if not (np.isfinite(low) and np.isfinite(high)):
        fallback, more = _percentile(sample, target, level)
        note = Note(
            "studentized_undefined",
            "too many resamples have no variance for the studentized interval;"
            " the percentile interval is given",
        )
        return fallback, (*notes, *more, note)
    return clipped(group, target, low, high, level, "studentized", False), notes


# -- by formula ------------------------------------------------------------------------------------


def _normal(sample: Resampled, target: Target, level: float) -> Made:
    group = sample.group
    se = group.standard_error(target.metric, target.a, target.b)
    if se is None:
        raise _no_formula(group, target)
    df = group.degrees_of_freedom(target.metric, target.a, target.b)
    low, high = intervals.normal(sample.estimate(target), se, level, df=df)
    return clipped(group, target, low, high, level, "normal", True), ()


FEW_RARE = 10
"""Units with another label than the commonest below which no interval of agreement is right."""


def _rare_label(group: Group, target: Target) -> tuple[Note, ...]:
    """Return a note if few units have another label than the commonest."""
    metric = group.metrics[target.metric]
    columns = metric.label_columns() if isinstance(metric, Agreement) else None
    sums = None if columns is None else group.squares(target.metric, target.a)
    if columns is None or sums is None:
        return ()
    with_label = sums.nonzero[columns]
    rare = int(with_label.sum() - with_label[np.argmax(sums.total[columns])])
    if rare >= FEW_RARE:
        return ()
    units = f"{rare} {'cluster' if group.clustered else 'item'}{'s' * (rare != 1)}"
    have = "has" if rare == 1 else "have"
    return (
        Note(
            "rare_label",
            f"only {units} {have} another label than the commonest, which does not show how often annotators"
            f" agree on it: with fewer than {FEW_RARE} no interval of agreement keeps its level",
        ),
    )


def _abc(sample: Resampled, target: Target, level: float) -> Made:
    made = _abc_alone(sample, target, level)
    if made is None:
        fallback, notes = _bca(sample, target, level)
        told = (
            "the ABC interval is undefined here, as the metric bends too much or an end lies beyond its"
            f" bounds: the {fallback.method} interval is given"
        )
        return fallback, (*notes, Note("abc_undefined", told))
    return made, ()


def _abc_alone(sample: Resampled, target: Target, level: float, *, holding: bool = True) -> Interval | None:
    group, expansion = sample.group, _expansion(sample, target)
    limits, scale = bounds(group, target), sample.scale(target)
    ends = abc.abc(expansion, level, scale=scale, bounds=limits, holding=holding)
    return None if ends is None else clipped(group, target, *ends, level, "abc", True)


def _expansion(sample: Resampled, target: Target) -> abc.Expansion:
    expansion = sample.group.expansion(target.metric, target.a, target.b)
    if expansion is None:
        sample.group.every_unit("the abc interval")
        raise _no_formula(sample.group, target)
    return expansion


def _no_formula(group: Group, target: Target) -> DesignError:
    return DesignError(
        f"{group.metrics[target.metric].name} has no delta-method standard error",
        hint='pass interval="bca" or "percentile"',
    )


def _of_calibration(sample: Resampled, target: Target, level: float) -> Made:
    group = sample.group
    low = high = math.nan
    errors = [calibration_error_of(group, target.metric, system, level) for system in target.systems]
    known = [error for error in errors if error is not None]
    if sample.by_units and not group.in_blocks and not group.crossed and len(known) == len(errors):
        low, high = (
            (known[0].low, known[0].high) if target.b is None else calibration_error.difference(*known)
        )
    return clipped(group, target, low, high, level, "calibration", True), ()


def calibration_error_of(
    group: Group, metric: int, system: int, level: float
) -> calibration_error.CalibrationError | None:
    """Return the calibration error of a system with what is known of it; None for other metrics."""
    own = group.metrics[metric]
    sums = group.squares(metric, system) if isinstance(own, ExpectedCalibrationError) else None
    if not isinstance(own, ExpectedCalibrationError) or sums is None:
        return None
    errors, variances = slice(own.n_bins), slice(own.n_bins, 2 * own.n_bins)
    deviations = calibration_error.noise(
        sums.total[errors], sums.squares[errors], sums.nonzero[variances], sums.total[variances]
    )
    df = max(1.0, group.n_units - 1.0)
    return calibration_error.calibration_error(
        sums.total[errors], deviations, float(sums.total[-1]), level, df
    )


def _cr2(sample: Resampled, target: Target, level: float) -> Made:
    return _robust(sample, target, level, "cr2")


def _hall(sample: Resampled, target: Target, level: float) -> Made:
    return _allowing_for_skewness(sample, target, level, "hall")


def _hall_wide(sample: Resampled, target: Target, level: float) -> Made:
    return _allowing_for_skewness(sample, target, level, "hall-wide")


def _allowing_for_skewness(sample: Resampled, target: Target, level: float, method: str) -> Made:
    group = sample.group
    error = sample.robust_error(target, skewness.ERRORS[method])
    if error is None:
        group.every_unit(f"the {method} interval")
        raise DesignError(
            f"nothing tells what each unit adds to {group.metrics[target.metric].name} here, as the {method}"
            " interval needs",
            hint='interval="basic" or "percentile"',
        )
    low, high = skewness.interval(sample.estimate(target), error, level)
    return clipped(group, target, low, high, level, method, True), ()


def _fisher_z(sample: Resampled, target: Target, level: float) -> Made:
    """Return the interval of a correlation or agreement on the scale atanh(r), where it is nearly normal."""
    group, r = sample.group, sample.estimate(target)
    if abs(r) >= 1.0:
        return Interval(r, r, level, "fisher-z", True), ()
    error = sample.robust_error(target, skewness.FOR_INTERVALS, np.arctanh)
    if error is None:
        raise _no_formula(group, target)
    low, high = np.tanh(skewness.interval(math.atanh(r), error, level)).tolist()
    return clipped(group, target, low, high, level, "fisher-z", True), _rare_label(group, target)


def _bca_expanded(sample: Resampled, target: Target, level: float) -> Made:
    """Return the BCa interval at the level that makes up for the small variance of few resampled units.

    Resamples of n units vary by (n - 1) / n of what other units would, and quantiles are normal where
    Student's are needed (Hesterberg 2015, Amer. Statist. 69, 371-386, section 5.2).
    """
    n = sample.group.n_units
    z = float(special.stdtrit(max(n - 1.0, 1.0), 0.5 * (1.0 + level))) * math.sqrt(n / max(n - 1.0, 1.0))
    made, notes = _bca(sample, target, min(2.0 * float(special.ndtr(z)) - 1.0, 1.0 - 1e-12))
    method = "bca-expanded" if made.method == "bca" else made.method
    return dataclasses.replace(made, level=level, method=method), notes


def _two_way(sample: Resampled, target: Target, level: float) -> Made:
    return _robust(sample, target, level, "two-way")


def _robust(sample: Resampled, target: Target, level: float, method: str) -> Made:
    """Return the interval by a standard error for few, unequal or crossed clusters."""
    group = sample.group
    if not group.has_robust_error:
        group.every_unit(f"the {method} interval")
        raise DesignError(
            f"{group.metrics[target.metric].name} is not a function of sums, and of"
            f" {group.n_units} units one cannot be left out at a time",
            hint='interval="basic" or "percentile"',
        )
    error = group.error(target.metric, target.a, target.b)
    if error is None:
        fallback, notes = _basic(sample, target, level)
        told = "the metric is undefined without some unit: the basic interval is given in place of cr2"
        return fallback, (*notes, Note("cr2_undefined", told))
    low, high = skewness.interval(sample.estimate(target), error, level)
    return clipped(group, target, low, high, level, method, True), ()


def _score_interval(sample: Resampled, target: Target, level: float) -> Made:
    group = sample.group
    plain = sample.answers(target, group.contributions(target.metric, target.a, target.b))
    if plain is None or plain.bounds.size > 2:
        group.every_unit("a score interval")
        raise DesignError(
            "a score interval needs 0/1 values of independent, unstratified items;"
            f" {group.metrics[target.metric].name} has none here",
            hint='interval="auto" chooses one that applies',
        )
    values, counts = plain.merged
    n = int(counts.sum())
    if target.b is None:
        low, high = proportions.wilson(_count(values, counts, 1.0), n, level)
        return Interval(low, high, level, "wilson", True), ()
    n10, n01 = _count(values, counts, 1.0), _count(values, counts, -1.0)
    made = Interval(*proportions.tango(n10, n01, n, level), level, "tango", True)
    if n10 + n01 or sample.proportion(target) is not None:  # without a difference, copies, which are noted
        return made, ()
    told = (
        f"the systems differ on none of the {n} items that {group.metrics[target.metric].name} counts: with"
        " so few, no interval meets its level; this one covers more than it says"
    )
    return made, (Note("few_differing", told),)


def _wilson_midp(sample: Resampled, target: Target, level: float) -> Made:
    """Return the union of Wilson's interval of one share and the mid-P interval."""
    wilson, notes = _score_interval(sample, target, level)
    plain = sample.answers(target, sample.group.contributions(target.metric, target.a))
    assert plain is not None  # as the interval above needs them too
    values, counts = plain.merged
    low, high = proportions.wilson_midp(_count(values, counts, 1.0), int(counts.sum()), level)
    return dataclasses.replace(wilson, low=low, high=high, method="wilson-midp"), notes


def _count(values: FloatArray, counts: IntArray, value: float) -> int:
    return int(counts[values == value].sum())


METHODS: dict[str, Callable[[Resampled, Target, float], Made]] = {
    "tango": _score_interval,
    "wilson": _score_interval,
    "wilson-midp": _wilson_midp,
    "fisher-z": _fisher_z,
    "bca-expanded": _bca_expanded,
    "bca": _bca,
    "abc": _abc,
    "percentile": _percentile,
    "basic": _basic,
    "studentized": _studentized,
    "normal": _normal,
    "cr2": _cr2,
    "hall": _hall,
    "hall-wide": _hall_wide,
    "two-way": _two_way,
}
"""What makes each interval of items; `needs` of the vocabulary says which data it takes."""
