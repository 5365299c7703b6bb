"""`compare_published`: predictions of one system beside a score whose predictions are not known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, cast, overload

import numpy as np

from bestby._core import checks
from bestby._core.arrays import is_table
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted
from bestby._core.typing import FloatArray, OnMissing
from bestby.comparisons import swap_notes
from bestby.comparisons.reading import Arguments, evaluation_of
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.runs import Runs
from bestby.data.reading import Reading, checked_reading
from bestby.engine import prepare
from bestby.engine.base import Contributions, Group
from bestby.engine.sums import SumGroup
from bestby.inference import skewness
from bestby.inference.clusters import StandardError
from bestby.inference.proportions import wilson_midp
from bestby.inference.samples import t_interval
from bestby.metrics.base import BaseMetric
from bestby.metrics.directions import bounds_of, direction_of
from bestby.metrics.functions import name_and_direction
from bestby.metrics.suitability import chosen_metric
from bestby.questions.published import shares
from bestby.questions.published.result import PublishedComparison, PublishedScores
from bestby.questions.published.scores import compare_scores
from bestby.questions.published.shares import Rounded, check_bounds, rounded
from bestby.report.reported import with_backend
from bestby.results.base import MetricInfo, Note, provenance_of
from bestby.results.values import Interval, TestResult

UNPUBLISHED = Note(
    "unpublished_predictions",
    "the predictions behind the published score are not known: how often the two systems agree can only be"
    " bounded by their scores",
)


@overload
def compare_published(
    data: Mapping[str, Any] | Evaluation | Any,
    gold: Any = None,
    *,
    published: str | float,
    name: str = "published",
    n_items: int | Sequence[int] | None = None,
    same_items: bool | None = None,
    sd: str | float | None = None,
    n_runs: int | Sequence[int] | None = None,
    metric: Any = None,
    systems: str | Sequence[str] | None = None,
    items: Any = None,
    on_missing: OnMissing = "error",
    reading: Reading | None = None,
    level: float = 0.95,
) -> PublishedComparison: ...


@overload
def compare_published(
    *,
    scores: Mapping[str, Any],
    n_items: int | Sequence[int] | None = None,
    same_items: bool | None = None,
    spread: str | None = None,
    n_runs: int | Sequence[int] | None = None,
    metric: Any = None,
    level: float = 0.95,
) -> PublishedScores: ...


@with_suggestions
def compare_published(
    data: Mapping[str, Any] | Evaluation | Any = None,
    gold: Any = None,
    *,
    published: str | float | None = None,
    scores: Mapping[str, Any] | None = None,
    name: str = "published",
    n_items: int | Sequence[int] | None = None,
    same_items: bool | None = None,
    sd: str | float | None = None,
    spread: str | None = None,
    n_runs: int | Sequence[int] | None = None,
    metric: Any = None,
    systems: str | Sequence[str] | None = None,
    items: Any = None,
    on_missing: OnMissing = "error",
    reading: Reading | None = None,
    level: float = 0.95,
) -> PublishedComparison | PublishedScores:
    """Compare published scores, whose predictions are not known, with one's own system or with each other.

    Of a share of right answers the number of right ones follows from the score and the number of items. How
    many items each system alone has right does not: McNemar's exact test and Tango's interval are computed
    for the fewest and for the most items on which the two can differ, and for every count that rounds to the
    published score. The true answer lies between. If the items are others, the shares are compared as
    independent. Of means over runs, Welch's t-test needs their standard deviation and number;
    from 15 runs of one's own on it allows for their skewness (Hall's t).

    Parameters
    ----------
    data : mapping of str to array_like, shape (n,), or Evaluation, or data frame, or array_like
        The predictions of one system, or its score per item, as for `evaluate`. With `n_runs` the score of
        each of its runs, at least two.
    gold : array_like, shape (n,), or mapping, or str, optional
        The gold labels; for a data frame the name of their column.
    published : str or float
        The score as it was published. Text keeps the last digit (``"0.870"``) and may be in percent
        (``"87.4%"``).
    scores : mapping of str to str, float or tuple, optional
        In place of `data` and `published`: two or more published scores, such as ``{"A": "88.3%", "B":
        "87.6%"}`` with `n_items`, or means of runs with their spread, ``"0.883±0.004"`` or ``("0.883",
        "0.004")``, with `n_runs` and `spread`.
    name : str
        What the published score is called, such as ``"Smith 2020"``.
    n_items : int or sequence of int, optional
        The number of items behind the published score; by default that of `data`. Of several `scores` one
        number for all, or one for each.
    same_items : bool, optional
        Whether both answered the same items. By default they are taken to be the same if their numbers are
        equal, and the answer for different items stands beside for those who doubt it.
    sd : str or float, optional
        The published standard deviation of the runs; in percent if `published` is.
    spread : {"sd", "se", "ci95", "ci95-normal"}, optional
        What follows ± in `scores`, which is never guessed: the standard deviation between runs, the standard
        error of their mean, or half the length of its 95 % interval, by Student's t or 1.96 standard errors.
    n_runs : int or sequence of int, optional
        The number of published runs; `data` are runs then, too. Of several `scores` as `n_items`.
    metric, systems, items
        As for `evaluate`; one metric. For items its score must be a share of right answers: accuracy, the
        mean of 0/1 scores, recall of a class, exact match.
    on_missing
        As for `compare`.
    reading : Reading, optional
        How the data are read: `ignore`.
    level : float
        The level of the intervals; a p-value of at most 1 - level is significant.

    Returns
    -------
    PublishedComparison or PublishedScores
        The difference under each assumption, with its interval and p-value; of `scores` for every two,
        corrected by Holm's method.

    Raises
    ------
    InvalidInputError
        If the data, the published score or an argument cannot be used as given.
    DesignError
        If the metric is not a share of right answers and no spread of runs was published: it is then unknown
        how much the published score would vary.

    See Also
    --------
    compare : Compare systems whose predictions are known, which says more.
    compare_runs : Compare runs that are known.
    evaluate : The score of one system with its interval.

    Notes
    -----
    With a fixed difference of the scores, McNemar's p-value and the length of Tango's interval [1]_ grow with
    the number of items on which the systems differ, so that the fewest and the most give the range. For items
    that are not the same the interval is Newcombe's [2]_, and the test the chi-squared test with N - 1 in
    place of N, or Fisher's exact test [3]_. Clusters of items are not allowed for: if items of one document
    are alike, all the intervals are too short.

    References
    ----------
    .. [1] Tango (1998), Equivalence test and confidence interval for the difference in proportions for the
       paired-sample design, Statist. Med. 17, 891-908.
    .. [2] Newcombe (1998), Interval estimation for the difference between independent proportions, Statist.
       Med. 17, 873-890, method 10.
    .. [3] Campbell (2007), Chi-squared and Fisher-Irwin tests of two-by-two tables with small sample
       recommendations, Statist. Med. 26, 3661-3675.

    Examples
    --------
    >>> from bestby import compare_published
    >>> gold = [0, 1] * 100
    >>> mine = [0, 1] * 90 + [0, 0] * 10
    >>> result = compare_published(
    ...     {"mine": mine}, gold, published="88.5%", name="Smith 2020"
    ... )
    >>> result.decided, result.differing_limit
    ('always', 33)

    Without predictions, two numbers of a paper:

    >>> (pair,) = compare_published(
    ...     scores={"A": "88.3%", "B": "86.0%"}, n_items=872
    ... ).pairs
    >>> pair.decided, pair.differing_limit, pair.n_differing
    ('depends', 94, (20, 224))
    """
    how = checked_reading(reading, "compare_published", "ignore")
    metric, greater_is_better = name_and_direction(metric)
    checks.level(level)
    if scores is not None:
        of_data = {"data": data, "gold": gold, "published": published, "sd": sd, "systems": systems}
        of_data |= {"items": items, "reading": reading, "metric": greater_is_better}
        checks.refuse_unused("published scores alone", **{key: (one, None) for key, one in of_data.items()})
        what = "score" if metric is None else checks.name_text(metric, "metric")
        return compare_scores(scores, n_items, n_runs, spread, same_items, what, level)
    if data is None or published is None:
        raise InvalidInputError(
            f"{'data' if data is None else 'published'} is missing",
            hint='give the predictions of one system and published="87.4%", or two published scores:'
            ' scores={"A": "88.3%", "B": "87.6%"}, n_items=872',
        )
    checks.refuse_unused("a score beside data", spread=(spread, None))
    score = rounded(published, "published")
    settings = {"published": str(published), "name": _named(name), "level": level}
    if sd is not None or n_runs is not None:
        for_items = {"gold": gold, "n_items": n_items, "same_items": same_items, "items": items}
        checks.refuse_unused("published runs", **{key: (value, None) for key, value in for_items.items()})
        return compare_runs_with(data, score, sd, n_runs, metric, greater_is_better, settings)
    if not isinstance(data, Evaluation | Mapping | str) and not is_table(data):
        data = {"system": data}
    arguments = Arguments(gold=gold, systems=systems, reading=how, items=items, on_missing=on_missing)
    evaluation = evaluation_of(data, arguments, metric)
    _check_names(name, evaluation.names)
    chosen, evaluation = chosen_metric(metric, evaluation, greater_is_better)
    info, right, n = _share(evaluation, chosen)
    theirs = n if n_items is None else checks.positive_int(cast("int", n_items), "n_items")
    same = shares.are_same(n, theirs, same_items, f"leave out same_items, or pass n_items={n}")
    check_bounds(score, info.name, (0.0, 1.0))
    counts = shares.counts_of(score, theirs)
    # Whoever says that the items are the same has no use for the answer as if they were others.
    known = range(right, right + 1)
    answers = [shares.other_items(known, n, counts, theirs, level)] if same_items is None or not same else []
    if same:
        answers += [shares.same_items(known, counts, n, level, most=most) for most in (False, True)]
    result = PublishedComparison(
        metric=info, system=evaluation.names[0], published=name, score=right / n,
        interval=Interval(*wilson_midp(right, n, level), level, "wilson-midp", True), n=n,
        published_score=score.value, published_low=counts[0] / theirs, published_high=counts[-1] / theirs,
        n_published=theirs, answers=tuple(answers),
        differing_limit=shares.differing_limit(known, counts, n, 1.0 - level) if same else None,
        level=level, notes=(*evaluation.notes, UNPUBLISHED),
        provenance=provenance_of(
            {"metrics": [info.name], **settings}, {"items": n, "published_items": theirs},
            data_hash=evaluation.data_hash(),
        ),
    )  # fmt: skip
    return with_backend(result, evaluation.frame_backend)


def _named(name: Any) -> str:
    """Return what the published score is called."""
    if not isinstance(name, str) or not name.strip():
        raise InvalidInputError(
            f"name must be a text, got {name!r}", hint="such as 'Smith 2020'", argument="name"
        )
    return checks.check_text(name, "name")


def _check_names(name: str, systems: Sequence[str]) -> None:
    if [name] == list(systems):
        raise InvalidInputError(
            f"the system and the published score are both called {name!r}",
            hint="give the published one another name=..., such as 'Smith 2020'",
            argument="name",
        )


def _share(evaluation: Evaluation, chosen: BaseMetric) -> tuple[MetricInfo, int, int]:
    """Return the metric, the number of right answers and of all, of the one system."""
    if len(evaluation.names) != 1:
        raise InvalidInputError(
            f"one system is compared with a published score, got {len(evaluation.names)}",
            hint="choose it: systems=[...]",
            argument="systems",
        )
    group, *_ = prepare.groups(evaluation, [chosen], supports=(), consumer="compare_published")
    answers = _answers(group)
    if answers is None or not answers.binary:
        raise DesignError(
            f"{chosen.name} is not a share of right answers, so the published score alone does not show how"
            " much it would vary",
            hint="compare the accuracy or another share, or give sd=... and n_runs=... of published runs",
        )
    info = MetricInfo(chosen.name, chosen.greater_is_better, chosen.bounds)
    return info, int(answers.counts[answers.values == 1.0].sum()), int(answers.counts.sum())


def _answers(group: Group) -> Contributions | None:
    """Return what a score is the mean of, or the share."""
    if not isinstance(group, SumGroup):
        return None
    return group.sample(0).contributions or group.sample(0).shares


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
    mean, deviation, level = float(runs.mean()), float(runs.std(ddof=1)), float(settings["level"])
    if not deviation > 0.0:
        raise DesignError(
            "all runs have the same score, so that they do not show how much it varies",
            hint="give the scores unrounded, or runs with other seeds",
        )
    nearest = min(max(mean, score.low), score.high)
    # p neither only grows nor only falls with the published spread, which brings degrees of freedom, too
    # Values of the published standard deviation that are gone through, from the least to the greatest
    spreads = np.linspace(max(spread.low, 0.0), spread.high, 65)
    possible = list(product((score.low, nearest, score.high), spreads.tolist()))
    by_hall = [_allowing_for_skewness(runs, *one, theirs, level) for one in possible]
    pairs = by_hall
    if runs.size < skewness.FROM_UNITS:
        pairs = [shares.welch(mean, deviation, runs.size, *one, theirs, level) for one in possible]
    answer = shares.independent_runs(pairs)
    info = MetricInfo(metric or "score", greater, (-math.inf, math.inf))
    most = np.array([answer.p_high]), np.array([shares.independent_runs(by_hall).p_high])
    skewed = swap_notes.note_on_skewness(
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


def _allowing_for_skewness(
    runs: FloatArray, published: float, sd: float, n_published: int, level: float
) -> tuple[Interval, TestResult]:
    """Return interval and test of the difference to one published mean, which allow for skewed own runs."""
    difference, deviation = float(runs.mean()) - published, float(runs.std(ddof=1))
    welch = StandardError(*shares.welch_error(deviation, runs.size, sd, n_published))
    error = skewness.between(runs, None, welch, skewness.FOR_INTERVALS)
    ends = skewness.interval(difference, error, level)
    test = skewness.wald(difference, error, "two-sided", "hall")
    return Interval(*ends, level, "hall", True), test


def check_complete(sd: Any, n_runs: Any) -> None:
    """Refuse a published standard deviation of runs without their number, or the number alone."""
    if n_runs is not None:
        checks.positive_int(n_runs, "n_runs")
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
    shares.check_several(theirs)
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
