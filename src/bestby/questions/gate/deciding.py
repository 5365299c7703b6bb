"""The checks of a gate: a comparison of the two systems for each part and metric, and its outcome."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias

from bestby._core.errors import within
from bestby.comparisons.common import family, one_pair
from bestby.comparisons.common.one_metric import MetricPart, compared, compared_by_metric
from bestby.comparisons.common.settings import Settings
from bestby.engine.estimate import Estimates
from bestby.inference.skewness import FEWEST
from bestby.metrics.base import BaseMetric
from bestby.questions.gate import foresight, unconditional
from bestby.questions.gate.parts import GatePart
from bestby.questions.gate.result import GateCheck, outcome_by_margin
from bestby.questions.gate.skewness import skewness_notes
from bestby.resampling.progress import in_turn
from bestby.resampling.settings import Resampling
from bestby.results.comparison import Comparison, Difference
from bestby.vocabulary import FailTest

Counted: TypeAlias = tuple[int, int, int]
"""On how many items only the candidate is wrong, on how many only it is right, and how many there are."""


def decided(
    parts: Sequence[GatePart],
    metrics: Sequence[BaseMetric],
    baseline: str,
    margins: Mapping[str, float | None],
    level: float,
    resampling: Resampling,
    cache: str | PathLike[str] | None = None,
    fail_test: FailTest = "exact",
    **more: Any,
) -> tuple[list[Comparison], list[GateCheck]]:
    """Return the comparison of two systems on each part and metric, and its check; alarms are one family.

    An alarm is tested for a loss of the candidate, and answers that are right or wrong for one of more than
    the margin. Metrics are known to suit the items of all parts together: in one part every answer may be
    wrong. Several checks fail by a bound for all of them at once. `more` are other settings of `compare`.
    """
    asked_of = [(part, one) for part in parts for one in metrics]
    together = None if len(asked_of) == 1 else 1.0 - (1.0 - level) / len(asked_of)
    compared_parts = [
        _compared(
            part,
            one,
            _check_settings(one, baseline, margins[one.name], level, resampling, **more),
            together,
            dataclasses.replace(resampling, progress=in_turn(resampling.progress, place, len(asked_of))),
            cache,
            fail_test,
        )
        for place, (part, one) in enumerate(asked_of)
    ]
    made = [comparison for comparison, _, _ in compared_parts]
    differences = [
        _unjudged(next(iter(one.differences)), margins, part.name)
        for (part, _), one in zip(asked_of, made, strict=True)
    ]
    alarms = family.adjusted([d for d in differences if d.margin is None], "holm")
    by_unit = more.get("blocks") is None  # blocks of text overlap: how many could be exchanged is not known
    alarmed = iter([_alarm(d, level, len(alarms), by_unit=by_unit) for d in alarms])
    checks = []
    for (part, one), d, (_, bound, counted) in zip(asked_of, differences, compared_parts, strict=True):
        how: dict[str, Any] = {"part": part.name, "fail_bound": bound, "counted": counted}
        if d.margin is None:
            checks.append(dataclasses.replace(next(alarmed), **how))
            continue
        noted = dataclasses.replace(d, notes=(*d.notes, *skewness_notes(part.evaluation, d, one)))
        checks.append(_by_margin(noted, d.margin, level, len(asked_of), **how))
    return made, checks


def with_margins(
    checks: Sequence[GateCheck], margins: Mapping[str, float], level: float
) -> tuple[GateCheck, ...]:
    """Return the checks with other margins, by metric: bounds and counts are the same."""
    made = []
    for check in checks:
        margin = margins[check.metric]
        d = dataclasses.replace(check.difference, test=None, p_adjusted=None, verdict=None, margin=margin)
        how: dict[str, Any] = {"part": check.part, "fail_bound": check.fail_bound, "counted": check.counted}
        made.append(_by_margin(d, margin, level, len(checks), **how))
    return tuple(made)


def _by_margin(
    d: Difference, margin: float, level: float, n_checks: int, *, counted: Counted | None, **more: Any
) -> GateCheck:
    """Return one of some checks of non-inferiority; it fails by the exact test where answers are counted.

    `more` are other fields.
    """
    threshold = family.alpha_of(level) / n_checks
    p = None if counted is None else unconditional.p_value(*counted, margin, threshold)
    fails = None if p is None else family.rejects(p, threshold)
    outcome = outcome_by_margin(
        d.equivalence_interval, margin, d.greater_is_better, more["fail_bound"], fails
    )
    return GateCheck(
        d.metric, outcome, d, margin, fail_p=p, counted=counted, unit=foresight.unit_of(d)[0],
        threshold=None if p is None else threshold, **more,
    )  # fmt: skip


def _check_settings(
    metric: BaseMetric,
    baseline: str,
    margin: float | None,
    level: float,
    resampling: Resampling,
    **more: Any,
) -> Settings:
    """Return the settings of a check: with one-sided bounds, and with a test if it is an alarm."""
    worse = "less" if metric.greater_is_better else "greater"
    asked: dict[str, Any] = {"alternative": worse} if margin is None else {"test": None}
    return Settings.checked(
        "items", interval="auto", margin=_some_margin(metric) if margin is None else margin,
        baseline=baseline, level=level, resample_size=resampling.resample_size,
        rescale=resampling.rescale, **asked, **more,
    )  # fmt: skip


def _compared(
    part: GatePart,
    metric: BaseMetric,
    settings: Settings,
    other_level: float | None,
    resampling: Resampling,
    cache: str | PathLike[str] | None,
    fail_test: FailTest,
) -> tuple[Comparison, float | None, Counted | None]:
    """Return the comparison on a part, and what it fails by if that is not the bound of the comparison.

    This is from the same draws the bound of a gain at another level or, for the exact test, the counts.
    """
    bounds: list[float | None] = []
    counts: list[Counted] = []

    def part_of(makers: Estimates, unfitted: BaseMetric) -> MetricPart:
        found = compared(makers, unfitted, part.evaluation, settings)
        counted = _counted(makers, part.evaluation.names, found.differences[0])
        if counted is not None and fail_test == "exact":
            counts.append(counted)
        elif other_level is not None:
            other = dataclasses.replace(settings, level=other_level)
            bounds.append(_bound_of_gain(makers, part.evaluation.names, found.differences[0], other))
        return found

    with within(part.name):
        comparison = compared_by_metric(
            part.evaluation, [metric], settings, settings.by_name(), resampling, part_of, "compare", cache
        )
    return comparison, bounds[0] if bounds else None, counts[0] if counts else None


def _counted(makers: Estimates, names: Sequence[str], d: Difference) -> Counted | None:
    """Return losses, gains and items of answers to independent items; None of all else."""
    bounds = d.equivalence_interval
    if bounds is None or bounds.method != "tango":
        return None
    plain = makers.of(names.index(d.a), names.index(d.b)).answers
    assert plain is not None  # Tango's interval is of answers
    values, counts = plain.merged
    lower, higher = (int(counts[values == value].sum()) for value in (-1.0, 1.0))
    n = int(counts.sum())
    return (lower, higher, n) if d.greater_is_better else (higher, lower, n)


def _bound_of_gain(
    makers: Estimates, names: Sequence[str], d: Difference, settings: Settings
) -> float | None:
    """Return the one-sided bound on the side of a gain of the candidate; None where the data give none."""
    estimate = makers.of(names.index(d.a), names.index(d.b))
    ends = one_pair.intervals(estimate, settings.interval, settings).tost
    ends = family.on_marks(ends, (d.score_a, d.score_b), settings.margin)
    return None if ends is None else ends.high if d.greater_is_better else ends.low


def _some_margin(metric: BaseMetric) -> float:
    """Return a margin for `compare`, which makes the bounds where there is one; they do not depend on it."""
    low, high = metric.bounds
    return min(1.0, 0.5 * (high - low))


def _unjudged(d: Difference, margins: Mapping[str, float | None], part: str | None) -> Difference:
    """Return a difference without the verdict of `compare`, which looks at both sides, and notes on it.

    Its notes say which part they are about.
    """
    where = () if part is None else (part,)
    notes = tuple(
        dataclasses.replace(note, about=(*note.about, *where))
        for note in d.notes
        if note.code not in (family.UNSEEN, "doubted_verdict", "skewed_verdict")
    )
    return dataclasses.replace(d, verdict=None, margin=margins[d.metric], notes=notes)


def _alarm(d: Difference, level: float, n_alarms: int, *, by_unit: bool) -> GateCheck:
    alpha = family.alpha_of(level)
    assert d.p_adjusted is not None  # every alarm is tested
    assert d.test is not None
    _, n = foresight.unit_of(d)
    goes_on = n >= FEWEST and d.n_differing >= n  # where all units differ, p can be below that of swaps
    exchanges = by_unit and d.test.name == "permutation" and not goes_on
    return GateCheck(
        d.metric,
        "fail" if family.rejects(d.p_adjusted, alpha) else "pass",
        d,
        smallest_p=foresight.smallest_p(d.n_differing, d.n_clusters) if exchanges else None,
        threshold=alpha / n_alarms,
        unit=foresight.unit_of(d)[0],
    )
