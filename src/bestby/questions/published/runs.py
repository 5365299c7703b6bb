"""Runs of one system beside a published mean and standard deviation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import FloatArray
from bestby.comparisons.common import few_units
from bestby.data.layouts.runs import Runs
from bestby.inference import skewness
from bestby.inference.clusters import StandardError
from bestby.inference.samples import t_interval
from bestby.metrics.directions import bounds_of, direction_of
from bestby.questions.published import independent
from bestby.questions.published.result import PublishedAnswer, PublishedComparison
from bestby.questions.published.rounded import Rounded, check_bounds, rounded
from bestby.questions.published.shares import union
from bestby.results.base import MetricInfo, Note, provenance_of
from bestby.results.values import Interval, TestResult

SPREAD_OF_RUNS = Note(
    "published_spread",
    "the published standard deviation is taken to be that of single runs: if it is the standard error of"
    " their mean, multiply it by the square root of their number",
)

SHAPE_OF_RUNS = Note(
    "published_shape",
    "a mean and a standard deviation do not show whether the published runs are skewed: the interval and the"
    " p-value take them to be near normal, and can be wrong if a few of these runs failed",
)


def compare_runs_with(
    data: Any,
    score: Rounded,
    sd: Any,
    n_runs: Any,
    metric: Any,
    greater_is_better: bool | None,
    settings: Mapping[str, Any],
) -> PublishedComparison:
    """Return the comparison of the runs of one system with a published mean and standard deviation."""
    spread, theirs = _spread(settings["published"], sd, n_runs)
    reading: tuple[Note, ...] = ()
    if isinstance(data, Runs):
        reading = data.notes
        metric = data.metric if metric is None else metric
        greater_is_better = data.greater_is_better if greater_is_better is None else greater_is_better
        data = data.runs
    system, runs = _one_system(data)
    if metric is not None and not isinstance(metric, str):
        raise InvalidInputError("of runs the metric is a name", hint="metric='accuracy'", argument="metric")
    greater, notes = direction_of(metric, greater_is_better)
    _check_scale(score, settings["published"], metric, runs)
    mean, own, level = float(runs.mean()), float(runs.std(ddof=1)), float(settings["level"])
    if not own > 0.0:
        raise DesignError(
            "all runs have the same score, so that they do not show how much it varies",
            hint="give the scores unrounded, or runs with other seeds",
        )
    nearest = min(max(mean, score.low), score.high)
    # p neither only grows nor only falls with the published spread, which brings degrees of freedom, too
    # Values of the published standard deviation that are gone through, from the least to the greatest
    spreads = np.linspace(max(spread.low, 0.0), spread.high, 65)
    possible = list(product((score.low, nearest, score.high), spreads.tolist()))
    allowing = [_allowing(runs, other, deviation, theirs, level) for other, deviation in possible]
    few = runs.size < skewness.FROM_UNITS
    found = allowing
    if few:
        found = [independent.welch(mean, own, runs.size, *one, theirs, level) for one in possible]
    p, test = [test.p_value for _, test in found], found[0][1].name
    answer = PublishedAnswer("runs", None, union(interval for interval, _ in found), min(p), max(p), test)
    info = MetricInfo(metric or "score", greater, (-math.inf, math.inf))
    most = np.array([max(p)]), np.array([max(test.p_value for _, test in allowing)])
    skewed = few_units.note_on_skewness(
        info.name, [(system, settings["name"])], *most, 1.0 - level, "runs of one's own"
    )
    notes = (*reading, *notes, SPREAD_OF_RUNS, SHAPE_OF_RUNS, *skewed)
    return PublishedComparison(
        metric=info, system=system, published=settings["name"], score=mean,
        interval=_interval(runs, level), n=runs.size,
        published_score=score.value, published_low=score.low, published_high=score.high, n_published=theirs,
        answers=(answer,), differing_limit=None, level=level, notes=notes,
        provenance=provenance_of(
            {"metrics": [info.name], **settings, "sd": str(sd)},
            {"runs": runs.size, "published_runs": theirs},
            runs.tolist(),
        ),
    )  # fmt: skip


def _interval(runs: FloatArray, level: float) -> Interval:
    """Return the interval of the mean of one's own runs, as `compare_runs` gives it."""
    error = skewness.error_of_mean(runs, skewness.FOR_INTERVALS)
    if runs.size < skewness.FROM_UNITS:
        return t_interval(float(runs.mean()), error.se, error.df, level, "t")
    return Interval(*skewness.interval(float(runs.mean()), error, level), level, "hall", True)


def _allowing(
    runs: FloatArray, published: float, sd: float, n_published: int, level: float
) -> tuple[Interval, TestResult]:
    """Return interval and test of the difference to one published mean, which allow for skewed own runs."""
    difference, own = float(runs.mean()) - published, float(runs.std(ddof=1))
    welch = StandardError(*independent.welch_error(own, runs.size, sd, n_published))
    error = skewness.between(runs, None, welch, skewness.FOR_INTERVALS)
    ends = skewness.interval(difference, error, level)
    test = skewness.wald(difference, error, "two-sided", "hall")
    return Interval(*ends, level, "hall", True), test


def check_complete(sd: Any, n_runs: Any) -> None:
    """Refuse a published standard deviation of runs without their number, or the number alone."""
    if sd is None or n_runs is None:
        missing = "sd" if sd is None else "n_runs"
        raise InvalidInputError(
            "published runs need their standard deviation and their number",
            hint=f"give {missing}=... too",
            argument=missing,
        )


def _spread(score: str, sd: Any, n_runs: Any) -> tuple[Rounded, int]:
    """Return the published standard deviation and number of runs."""
    check_complete(sd, n_runs)
    spread, theirs = rounded(sd, "sd"), checks.positive_int(n_runs, "n_runs")
    if theirs < 2:
        raise InvalidInputError(
            "the spread of a single run is not known", hint="n_runs is at least 2", argument="n_runs"
        )
    if str(score).strip().endswith("%") != str(sd).strip().endswith("%") and spread.value > 0.0:
        raise InvalidInputError(
            f"the published score is {score}, and its standard deviation is {sd}",
            hint="write both in percent, or none",
            argument="sd",
        )
    if spread.value < 0.0:
        raise InvalidInputError(
            f"sd must be at least 0, got {sd}", hint="give the standard deviation", argument="sd"
        )
    return spread, theirs


def _check_scale(score: Rounded, published: str, metric: str | None, runs: FloatArray) -> None:
    """Refuse a published score on another scale than the runs, as far as that can be seen."""
    if published.endswith("%") and runs.max() > 1.0:
        raise InvalidInputError(
            f"the published score is {published}, and the runs reach {runs.max():g}",
            hint="write it on the scale of the runs, without %",
            argument="published",
        )
    bounds = bounds_of(metric)
    if bounds[0] <= runs.min() and runs.max() <= bounds[1]:
        check_bounds(score, str(metric), bounds)


def _one_system(runs: Any) -> tuple[str, FloatArray]:
    """Return the name of the system and the scores of its runs."""
    if not isinstance(runs, Mapping):
        runs = {"system": runs}
    if len(runs) != 1:
        raise InvalidInputError(
            f"one system is compared with a published score, got {len(runs)}",
            hint="give the runs of one system",
        )
    ((name, scores),) = runs.items()
    array = checks.numeric_column(scores, f"the runs of {quoted(name)}", "give one score per run")
    if array.size < 2:
        raise InvalidInputError(
            f"at least 2 runs are needed, got {array.size}", hint="leave out sd and n_runs to compare items"
        )
    return checks.name_text(name, "system"), array
