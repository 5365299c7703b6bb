"""Confidence intervals of scores and differences: checked, of families, and each method by its name.

`METHODS` has a function for each name; what it returns is checked in `interval`, for whoever asks.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from bestby._core import rounding, special
from bestby._core.errors import DesignError
from bestby._core.typing import FloatArray, IntArray
from bestby.engine import calibration_error
from bestby.engine.base import Group
from bestby.engine.estimate import Estimate
from bestby.engine.unseen import bound_of_copies
from bestby.inference import influence, intervals, proportions, skewness
from bestby.inference.distributions import defined_replicates
from bestby.metrics.agreement import Agreement
from bestby.metrics.soft import ExpectedCalibrationError
from bestby.results.base import Note
from bestby.results.values import Interval, defined, without_interval
from bestby.vocabulary import needs

USUAL_LEVEL = 0.95
"""A level at which an interval tells whether it is made of resamples."""

BY_QUANTILES = ("percentile", "basic", "bca")
"""Intervals whose ends are quantiles of the bootstrap distribution."""

_NEARLY = 1.0 - 1e-6  # a level is known to its last digits only


def interval(estimate: Estimate, method: str, level: float) -> tuple[Interval | None, tuple[Note, ...]]:
    """Return the interval by one method, whose `method` says what was done in the end, with notes.

    None if it is undefined or would have no length, which a note then says.
    """
    return _checked(estimate, *unchecked_interval(estimate, method, level))


def _checked(
    estimate: Estimate, interval: Interval, notes: tuple[Note, ...] = ()
) -> tuple[Interval | None, tuple[Note, ...]]:
    """Return an interval if it is defined and has a length; else a bound from unseen units, or None."""
    constant = "constant_scores" if estimate.b is None else "constant_difference"
    checked, reason = defined(interval, scale=_size(estimate), constant=constant)
    if estimate.b is not None and estimate.sample.same_ranks:
        checked, reason = None, (without_interval("identical_ranks", interval.method),)
    if checked is not None or reason[0].code == "undefined_interval":
        return checked, (*notes, *reason)
    # Notes on how the method got to its ends mean nothing now; that on lost resamples does.
    left = tuple(note for note in notes if note.code == "undefined_resamples")
    if reason[0].code != constant:
        return None, (*left, *reason)
    some_vary = _some_resamples_vary(estimate, interval.method)
    bound = unseen_interval(estimate, interval.level)
    if bound is None:
        why = (without_interval("equal_resamples", interval.method),) if some_vary else reason
        return None, (*left, *why)
    what = "score" if estimate.b is None else "difference"
    same = "in nearly all resamples" if some_vary else "whichever of the items or clusters are taken"
    same = f"the {what} is the same {same}"
    text = f"{same}: the interval says only how far items of a kind that these data lack could move it"
    return bound, (*left, Note(constant, text))


def _some_resamples_vary(estimate: Estimate, method: str) -> bool:
    """Return whether an interval is of resamples of which only those at the ends differ."""
    return method in BY_QUANTILES and not rounding.is_nothing(estimate.distribution[0].sd, _size(estimate))


def _size(estimate: Estimate) -> float:
    """Return the size of the scores, or where these are means of the numbers they are made of."""
    size = estimate.scale
    for system in estimate.systems:
        plain = estimate.group.sample(system).contributions
        if plain is not None and plain.moments is not None:
            size = max(size, plain.moments.size)
    return size


def simultaneous(
    estimate: Estimate, method: str, level: float, family_method: str, at: float
) -> tuple[Interval | None, Interval | None, tuple[Note, ...]]:
    """Return the interval as one of a family, and by itself, with what must be known.

    By itself it is by `method` at `level`; as one of the family by `family_method` at the level `at`, made
    longer where it does not contain the other.
    """
    single, notes = interval(estimate, method, level)
    wide, more = interval(estimate, family_method, at)
    notes = tuple(dict.fromkeys((*notes, *more)))
    if single is None or wide is None:
        return None, single, notes
    low, high = min(single.low, wide.low), max(single.high, wide.high)
    return Interval(low, high, level, "max-t", single.exact and wide.exact), single, notes


def p_value(estimate: Estimate, method: str) -> float:
    """Return one minus the level at which the interval by a method ends at 0.

    1 if the interval contains 0 at every level, and not less than what the resamples can tell.
    """
    side = np.sign(estimate.value)
    usual, _ = interval(estimate, method, USUAL_LEVEL)
    if side == 0.0 or usual is None:
        return 1.0

    if usual.method == "abc":
        by_abc = abc_p_value(estimate, float(side), intervals.LEAST_P)
        if by_abc is not None:
            return by_abc
    fewest = min(1.0, 2.0 / (estimate.drawing.n_resamples + 1))

    def clearance(level: float) -> float:
        # As it is made: at a low level the interval of a score that moves in steps has no length.
        resolved = 1.0 - level >= _NEARLY * fewest  # by resamples
        if usual.method == "unseen":
            at_level = unseen_interval(estimate, level)
        else:
            at_level = without_fallback(estimate, method, level)
        if at_level is None and resolved:
            at_level, _ = unchecked_interval(estimate, method, level)
        if at_level is None or not (at_level.exact or resolved):
            return -1.0
        end = at_level.low if side > 0.0 else -at_level.high
        return -1.0 if math.isnan(end) else end

    return intervals.p_value(clearance, intervals.LEAST_P if usual.exact else fewest)


# -- by the name of the method ---------------------------------------------------------------------


NotedInterval: TypeAlias = tuple[Interval, tuple[Note, ...]]
"""An interval, whose `method` says what was done in the end, and what must be known about it."""


def unchecked_interval(estimate: Estimate, method: str, level: float) -> NotedInterval:
    """Return the interval by one method."""
    if _only_by_calibration(estimate):
        return _calibration(estimate, level)
    _check(estimate, method)
    return METHODS[method](estimate, level)


def _only_by_calibration(estimate: Estimate) -> bool:
    """Return whether no interval but its own covers a metric: that of two systems which differ at all."""
    return isinstance(estimate.metric, ExpectedCalibrationError) and estimate.differs


def without_fallback(estimate: Estimate, method: str, level: float) -> Interval | None:
    """Return the interval by this method alone; None where ABC is undefined, for which BCa draws resamples.

    An ABC interval at a level near 0 need not hold the estimate.
    """
    if method != "abc" or _only_by_calibration(estimate):
        return unchecked_interval(estimate, method, level)[0]
    _check(estimate, method)
    return _abc_interval(estimate, level, holding=False)


def abc_p_value(estimate: Estimate, side: float, least: float) -> float | None:
    """Return one minus the level at which an ABC interval ends at 0; None where that is undefined."""
    expansion = _expansion(estimate)
    scale, limits = estimate.scale, estimate.bounds
    return influence.abc_p_value(expansion, side, least, scale=scale, bounds=limits)


def clipped(estimate: Estimate, low: float, high: float, level: float, method: str, exact: bool) -> Interval:
    """Return the interval cut to the values the metric can take."""
    least, greatest = estimate.bounds
    return Interval(max(low, least), min(high, greatest), level, method, exact)


def unseen_interval(estimate: Estimate, level: float) -> Interval | None:
    """Return the interval of what does not vary on the data, where it is bounded; None for others.

    A share of z^2 / (n + z^2) of all units may differ from the n that were seen: the upper end of Wilson's
    interval of a share of 0. They may have any value within the bounds of the metric. For answers that are
    right or wrong these are the ends of Wilson's and Tango's intervals. Clusters of unequal size count as
    fewer of equal size. That is for means and shares; the difference of copies under other functions of sums
    is bounded by what one item can do to it (`widened` of `bestby.inference.intervals`).
    """
    least, greatest = estimate.bounds
    n = estimate.sample.equal_units
    if n is None or not np.isfinite([least, greatest]).all():
        ends = None if estimate.b is None else bound_of_copies(estimate, level)
        return None if ends is None else Interval(*ends, level, "unseen", True)
    # None of n units differed: the upper end of Wilson's interval of a share of 0 is z^2 / (n + z^2).
    share = proportions.wilson(0.0, max(n, 1.0), level)[1]
    low, high = (estimate.value + share * (end - estimate.value) for end in (least, greatest))
    return Interval(low, high, level, "unseen", True)


def _check(estimate: Estimate, method: str) -> None:
    """Refuse a method that does not allow for how the items are resampled."""
    needed = needs("interval", method)
    if ("crossed" in needed) != estimate.group.crossed:
        if estimate.group.crossed:
            raise DesignError(
                f"the {method} interval supports one grouping of the items, not two crossed ones",
                hint='interval="two-way", or give one grouping as clusters',
            )
        raise DesignError(
            "the two-way interval needs two crossed groupings", hint="clusters=[templates, languages]"
        )
    if ("units" in needed and not estimate.among.by_units) or (
        "no blocks" in needed and not estimate.among.by_formula
    ):
        what = "resample_size" if estimate.among.subsampling else 'annotators="resample"'
        raise DesignError(
            f"the {method} interval does not allow for {what if not estimate.among.by_units else 'blocks'}",
            hint='interval="basic" or "percentile", which use the resamples as they are drawn',
        )


# -- from the bootstrap distribution ---------------------------------------------------------------


def _basic(estimate: Estimate, level: float) -> NotedInterval:
    distribution, notes = estimate.distribution
    low, high = intervals.basic(distribution, estimate.value, level)
    interval = clipped(estimate, low, high, level, "basic", distribution.exact)
    return interval, notes + _coarse_gold(estimate)


def _percentile(estimate: Estimate, level: float) -> NotedInterval:
    distribution, notes = estimate.distribution
    low, high = intervals.percentile(distribution, level)
    interval = clipped(estimate, low, high, level, "percentile", distribution.exact)
    return interval, notes + _coarse_gold(estimate)


def _bca(estimate: Estimate, level: float) -> NotedInterval:
    distribution, notes = estimate.distribution
    notes += _coarse_gold(estimate)
    rate = estimate.acceleration
    method, ends = "bca", intervals.bca(distribution, estimate.value, rate or 0.0, level)
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
    return clipped(estimate, *ends, level, method, distribution.exact), notes


def _coarse_gold(estimate: Estimate) -> tuple[Note, ...]:
    """Return a note if resampled annotators shift a score by more than a quarter of its spread."""
    if estimate.b is not None or not estimate.group.gold_varies:
        return ()
    shift = float(estimate.gold_shift[0])
    if abs(shift) <= 0.25 * float(np.nanstd(estimate.drawn)):
        return ()
    way = "lower" if shift < 0.0 else "higher"
    message = (
        f"the score against resampled annotators is {abs(shift):.3g} {way}, because few labels per item"
        " make a coarse gold; against a gold of very many annotators it would probably be as much"
        f" {'higher' if way == 'lower' else 'lower'}, and the interval is for a gold with as many labels"
        " as here"
    )
    return (Note("coarse_gold", message),)


def _studentized(estimate: Estimate, level: float) -> NotedInterval:
    se = estimate.sample.standard_error
    pivots = None if se is None else estimate.sample.pivots(estimate.drawing)
    if se is None or pivots is None:
        estimate.group.every_unit("the studentized interval")
        raise DesignError(
            f"no studentized interval for {estimate.metric.name} here:"
            " it needs a metric of at most 24 sums and no strata",
            hint='pass interval="bca" or "percentile"',
        )
    distribution, notes = defined_replicates(pivots, 1.0)
    low, high = intervals.studentized(distribution, estimate.value, se, level)
    if not (np.isfinite(low) and np.isfinite(high)):
        fallback, more = _percentile(estimate, level)
        note = Note(
            "studentized_undefined",
            "too many resamples have no variance for the studentized interval;"
            " the percentile interval is given",
        )
        return fallback, (*notes, *more, note)
    return clipped(estimate, low, high, level, "studentized", False), notes


# -- by formula ------------------------------------------------------------------------------------


def _normal(estimate: Estimate, level: float) -> NotedInterval:
    se = estimate.sample.standard_error
    if se is None:
        raise _no_formula(estimate)
    df = estimate.sample.degrees_of_freedom
    low, high = intervals.normal(estimate.value, se, level, df=df)
    return clipped(estimate, low, high, level, "normal", True), ()


FEW_RARE = 10
"""Units with another label than the commonest below which no interval of agreement is right."""


def _rare_label(estimate: Estimate) -> tuple[Note, ...]:
    """Return a note if few units have another label than the commonest."""
    metric = estimate.metric
    columns = metric.label_columns() if isinstance(metric, Agreement) else None
    sums = None if columns is None else estimate.group.squares(estimate.a)
    if columns is None or sums is None:
        return ()
    with_label = sums.nonzero[columns]
    rare = int(with_label.sum() - with_label[np.argmax(sums.total[columns])])
    if rare >= FEW_RARE:
        return ()
    units = f"{rare} {'cluster' if estimate.group.clustered else 'item'}{'s' * (rare != 1)}"
    have = "has" if rare == 1 else "have"
    return (
        Note(
            "rare_label",
            f"only {units} {have} another label than the commonest, which does not show how often annotators"
            f" agree on it: with fewer than {FEW_RARE} no interval of agreement keeps its level",
        ),
    )


def _abc(estimate: Estimate, level: float) -> NotedInterval:
    interval = _abc_interval(estimate, level)
    if interval is None:
        fallback, notes = _bca(estimate, level)
        message = (
            "the ABC interval is undefined here, as the metric bends too much or an end lies beyond its"
            f" bounds: the {fallback.method} interval is given"
        )
        return fallback, (*notes, Note("abc_undefined", message))
    return interval, ()


def _abc_interval(estimate: Estimate, level: float, *, holding: bool = True) -> Interval | None:
    expansion, limits = _expansion(estimate), estimate.bounds
    ends = influence.abc(expansion, level, scale=estimate.scale, bounds=limits, holding=holding)
    return None if ends is None else clipped(estimate, *ends, level, "abc", True)


def _expansion(estimate: Estimate) -> influence.Expansion:
    expansion = estimate.sample.expansion
    if expansion is None:
        estimate.group.every_unit("the abc interval")
        raise _no_formula(estimate)
    return expansion


def _no_formula(estimate: Estimate) -> DesignError:
    return DesignError(
        f"{estimate.metric.name} has no delta-method standard error",
        hint='pass interval="bca" or "percentile"',
    )


def _calibration(estimate: Estimate, level: float) -> NotedInterval:
    group = estimate.group
    low = high = math.nan
    errors = [calibration_error_of(group, system, level) for system in estimate.systems]
    defined_errors = [error for error in errors if error is not None]
    if (
        estimate.among.by_units
        and not group.in_blocks
        and not group.crossed
        and len(defined_errors) == len(errors)
    ):
        low, high = (
            (defined_errors[0].low, defined_errors[0].high)
            if estimate.b is None
            else calibration_error.difference(*defined_errors)
        )
    return clipped(estimate, low, high, level, "calibration", True), ()


def calibration_error_of(
    group: Group, system: int, level: float
) -> calibration_error.CalibrationError | None:
    """Return the calibration error of a system with what is known of it; None for other metrics."""
    own = group.metric
    sums = group.squares(system) if isinstance(own, ExpectedCalibrationError) else None
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


def _allowing_for_skewness(estimate: Estimate, level: float, method: str) -> NotedInterval:
    group = estimate.group
    error = estimate.robust_error(skewness.ERRORS[method])
    if error is None:
        group.every_unit(f"the {method} interval")
        raise DesignError(
            f"nothing tells what each unit adds to {estimate.metric.name} here, as the {method}"
            " interval needs",
            hint='interval="basic" or "percentile"',
        )
    low, high = skewness.interval(estimate.value, error, level)
    return clipped(estimate, low, high, level, method, True), ()


def _fisher_z(estimate: Estimate, level: float) -> NotedInterval:
    """Return the interval of a correlation or agreement on the scale atanh(r), where it is nearly normal."""
    r = estimate.value
    if abs(r) >= 1.0:
        return Interval(r, r, level, "fisher-z", True), ()
    error = estimate.robust_error(skewness.FOR_INTERVALS, np.arctanh)
    if error is None:
        raise _no_formula(estimate)
    # On the scale atanh(r), where the variance hardly depends on r, and back.
    low, high = np.tanh(skewness.interval(math.atanh(r), error, level)).tolist()
    return clipped(estimate, low, high, level, "fisher-z", True), _rare_label(estimate)


def _bca_expanded(estimate: Estimate, level: float) -> NotedInterval:
    """Return the BCa interval at the level that makes up for the small variance of few resampled units.

    Resamples of n units vary by (n - 1) / n of what other units would, and quantiles are normal where
    Student's are needed (Hesterberg 2015, Amer. Statist. 69, 371-386, section 5.2).
    """
    n = estimate.group.n_units
    # The level whose normal quantile is that of Student's t times sqrt(n / (n - 1)).
    z = float(special.stdtrit(max(n - 1.0, 1.0), 0.5 * (1.0 + level))) * math.sqrt(n / max(n - 1.0, 1.0))
    interval, notes = _bca(estimate, min(2.0 * float(special.ndtr(z)) - 1.0, 1.0 - 1e-12))
    method = "bca-expanded" if interval.method == "bca" else interval.method
    return dataclasses.replace(interval, level=level, method=method), notes


def _robust(estimate: Estimate, level: float, method: str) -> NotedInterval:
    """Return the interval by a standard error for few, unequal or crossed clusters."""
    group = estimate.group
    if not group.has_robust_error:
        group.every_unit(f"the {method} interval")
        raise DesignError(
            f"{estimate.metric.name} is not a function of sums, and of"
            f" {group.n_units} units one cannot be left out at a time",
            hint='interval="basic" or "percentile"',
        )
    error = estimate.sample.error
    if error is None:
        fallback, notes = _basic(estimate, level)
        message = "the metric is undefined without some unit: the basic interval is given in place of cr2"
        return fallback, (*notes, Note("cr2_undefined", message))
    low, high = skewness.interval(estimate.value, error, level)
    return clipped(estimate, low, high, level, method, True), ()


def _score_interval(estimate: Estimate, level: float) -> NotedInterval:
    plain = estimate.answers
    if plain is None or plain.bounds.size > 2:
        estimate.group.every_unit("a score interval")
        raise DesignError(
            "a score interval needs 0/1 values of independent, unstratified items;"
            f" {estimate.metric.name} has none here",
            hint='interval="auto" chooses one that applies',
        )
    values, counts = plain.merged
    n = int(counts.sum())
    if estimate.b is None:
        low, high = proportions.wilson(_count(values, counts, 1.0), n, level)
        return Interval(low, high, level, "wilson", True), ()
    n10, n01 = _count(values, counts, 1.0), _count(values, counts, -1.0)
    interval = Interval(*proportions.tango(n10, n01, n, level), level, "tango", True)
    if n10 + n01 or estimate.proportion is not None:  # without a difference, copies, which are noted
        return interval, ()
    message = (
        f"the systems differ on none of the {n} items that {estimate.metric.name} counts: with"
        " so few, no interval meets its level; this one covers more than it says"
    )
    return interval, (Note("few_differing", message),)


def _wilson_midp(estimate: Estimate, level: float) -> NotedInterval:
    """Return the union of Wilson's interval of one share and the mid-P interval."""
    wilson, notes = _score_interval(estimate, level)
    plain = estimate.answers
    assert plain is not None  # as the interval above needs them too
    values, counts = plain.merged
    low, high = proportions.wilson_midp(_count(values, counts, 1.0), int(counts.sum()), level)
    return dataclasses.replace(wilson, low=low, high=high, method="wilson-midp"), notes


def _count(values: FloatArray, counts: IntArray, value: float) -> int:
    return int(counts[values == value].sum())


METHODS: dict[str, Callable[[Estimate, float], NotedInterval]] = {
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
    "cr2": partial(_robust, method="cr2"),
    "hall": partial(_allowing_for_skewness, method="hall"),
    "hall-wide": partial(_allowing_for_skewness, method="hall-wide"),
    "two-way": partial(_robust, method="two-way"),
}
"""What makes each interval of items; `needs` of the vocabulary says which data it takes."""
