"""Compare systems by several runs (random seeds) of each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core.keywords import with_suggestions
from bestby._core.typing import Array, ArrayLike, BoolArray, Correction, Question, Rng, Statistic
from bestby.comparisons import best, family, note_rules
from bestby.comparisons.provenance import made_by
from bestby.comparisons.settings import check_reach
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.runs import Runs
from bestby.data.reading import Reading, checked_reading
from bestby.data.table import backend_of
from bestby.engine.base import Drawing
from bestby.engine.runs import RunsWithItems
from bestby.engine.text_statistics import Counting
from bestby.inference.best import SetOfBest, standing
from bestby.metrics.base import BaseMetric, MeanMetric
from bestby.metrics.functions import name_and_direction
from bestby.questions.runs.differences import (
    difference_of,
    few_runs_note,
    notes_on_scores,
    orders_of,
    tests_of,
)
from bestby.questions.runs.result import RunsComparison, RunsDifference, Variance
from bestby.questions.runs.source import Columns, Data, Settings, chosen_runs, data_of
from bestby.report.comparison import RunsScore
from bestby.report.reported import with_backend
from bestby.resampling.settings import Resampling, combined_settings
from bestby.results.base import Note, Provenance, notes_about
from bestby.results.values import Interval
from bestby.vocabulary import RunsInterval, RunsTest


@with_suggestions
def compare_runs(
    data: Mapping[str, Any] | Runs | Any,
    gold: ArrayLike | str | None = None,
    *,
    metric: Any = None,
    statistic: Statistic = "mean",
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    items: str | Sequence[str] | None = None,
    dataset: str | None = None,
    run: str | None = None,
    clusters: ArrayLike | str | None = None,
    reading: Reading | None = None,
    paired: bool = False,
    interval: RunsInterval | None = "auto",
    test: RunsTest | None = "auto",
    correction: Correction = "holm",
    level: float = 0.95,
    alternative: Question = "two-sided",
    margin: float | None = None,
    rng: Rng = 0,
    n_resamples: int = 10_000,
    resampling: Resampling | None = None,
) -> RunsComparison:
    """Compare systems of which each was run several times, with different random seeds.

    Parameters
    ----------
    data : mapping of str to array_like, shape (R,) or (R, n), or to mapping of run to such, or data frame
        Per system the score of each run; or, for each run, its score on every item; or, with `gold`, its
        predictions. Paired runs in mappings are joined by their keys. The items are the same in all runs of
        all systems; the number of runs may differ. A data frame is read as a table is by `read_runs`: a
        column per system and a row per run, or a column of systems. Or what `read_runs` returns, which brings
        gold, clusters and the name of the scores with it.
    gold : array_like, shape (n,), or str, optional
        The gold labels or values: `data` are then predictions. Of a data frame the name of their column.
    metric : str, Metric or callable, optional
        With items what to compute of each run, as for `compare`. Where the runs are scores already, the name
        they go by ("score" by default), which also says whether higher or lower is better: that of the metric
        of this name, or else a guess ("error_rate" and "val_loss" are lower), which a note tells.
    statistic : {"mean", "median", "trimmed_mean", "iqm"}
        What is compared of the runs: their mean, median, 20 % trimmed mean, or the mean of the middle half.
        With items the mean only.
    systems : str or list of str, optional
        The systems to compare (all by default), by name or by pattern, such as ``"gpt-*"``.
    baseline : str, optional
        Compare every other system with this one only (system minus baseline); otherwise every pair.
    items, dataset, run : str, optional
        Columns of a data frame, as for `read_runs`.
    clusters : array_like, shape (n,), or str, optional
        The cluster (document, speaker, template) of each item, or the column of a data frame with it.
    reading : Reading, optional
        How the data are read: `ignore`, `system_column` and `value_column`.
    paired : bool
        Whether run i of one system and run i of the others share what was drawn: the seed, the split, the
        order of the data. The numbers of runs must then be equal.
    interval : str or None
        How intervals are made, by a name in the table of the guide "Choosing an interval"; the result names
        the method used. "auto" is "t" (Welch's, for paired runs Student's, for trimmed means Yuen's, for
        medians with the standard error of Price and Bonett), for means of 15 runs or more "hall", and for
        medians of six runs or more "percentile". With items "auto" is the t interval over items and runs, and
        there is no "bca". None: no intervals, standard errors and parts of the variance, which saves their
        time.
    test : str or None
        The significance test, by a name in the table of the guide "Choosing a test". "auto" gives, for means,
        the larger p-value of the permutation test and of Welch's t test (from 15 runs on Hall's) if, with so
        many runs and pairs, the permutation test can give a p-value below 1 - level after correction, and the
        t test otherwise; for paired runs the permutation test, or where all pairs point the same way "hall",
        if its p-value is smaller; for trimmed means Yuen's t test; for medians the bootstrap test,
        below six runs the t test; with items the t test over items and runs. None: no test and no almost
        stochastic order, so no p-values, ranks and groups, which saves their time.
    correction : {"holm", "bonferroni", "bh", "none"}
        How p-values are corrected; the family is all pairs.
    level : float
        Nominal coverage; 1 - level is the level of the tests.
    alternative : {"two-sided", "greater", "less", "better"}
        "greater" asks whether A's score is greater than B's, also where lower is better; "better" whether A
        is better, whichever direction that is. One-sided pairs stand in the order the systems were given.
        Intervals are two-sided always, and almost stochastic order is told in both directions.
    margin : float, optional
        The smallest difference that matters; turns on verdicts, which need intervals.
    rng, n_resamples, resampling
        As for `compare`.

    Returns
    -------
    RunsComparison
        Scores, differences with the probability of improvement, effect size and almost stochastic order;
        with items, what of the variance they and the runs bring.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If a system has one run only, or the statistic, interval or test does not fit.

    See Also
    --------
    read_runs : Runs from a table or the logs of a tool.
    multi_aso : Almost stochastic order alone, with its own settings.
    compare : One run of each system, item by item.
    compare_datasets : Several runs of each system on each of several datasets.

    Notes
    -----
    With items, the default test and interval ask what other runs on other items would give. The items
    are one sample, shared by all runs; the runs are another. The permutation test of the runs takes the items
    as given: where items differ in which system they favour, it finds differences between equal
    systems in far more than 5 % of the cases (the guide "Comparing runs" has the numbers).

    The items' part of the variance is cluster-robust (CR2); of answers that are right or wrong it is that of
    a score interval, which has a width where accuracies are near 1 as well, except in clusters. The t
    interval is too short where few clusters carry a difference, as they do where accuracies are near 1, and
    where failures make the scores of runs skewed. The notes `few_effective` and `none_effective` tell of the
    former, and no verdict rests on such an interval.

    References
    ----------
    .. [1] Agarwal, Schwarzer, Castro, Courville & Bellemare (2021), Deep reinforcement learning at the edge
       of the statistical precipice, NeurIPS.
    .. [2] Dror, Shlomov & Reichart (2019), Deep dominance: how to properly compare deep neural models, ACL.

    Examples
    --------
    >>> from bestby import compare_runs
    >>> result = compare_runs(
    ...     {
    ...         "new": [0.81, 0.84, 0.83, 0.86, 0.82],
    ...         "old": [0.79, 0.80, 0.78, 0.81, 0.80],
    ...     }
    ... )
    >>> difference = result["new", "old"]
    >>> (
    ...     round(difference.estimate, 3),
    ...     difference.interval.method,
    ...     round(difference.p_value, 4),
    ... )
    (0.036, 'welch', 0.0159)
    """
    how = checked_reading(reading, "compare_runs", "ignore system_column value_column")
    resampling = combined_settings(
        resampling, n_resamples, rng, function="compare_runs", unused="resample_size rescale"
    )
    drawing = Drawing.of(resampling)
    settings = Settings.checked(
        "runs", statistic=statistic, paired=paired, interval=interval, level=level, test=test,
        alternative=alternative, correction=correction, margin=margin, baseline=baseline,
    )  # fmt: skip
    columns = Columns(systems, how, run, items, dataset)
    metric, greater_is_better = name_and_direction(metric)
    runs_input = chosen_runs(data, gold, metric, clusters, greater_is_better, columns, paired=paired)
    runs = data_of(runs_input, settings, drawing, Counting.of(drawing))
    check_reach(settings.margin, runs.metric, runs.scores)
    settings = settings.among(runs.names)
    estimates = np.array([runs.estimator.estimate(s) for s in range(len(runs.names))])
    greater = runs.metric.greater_is_better
    order, pairs = family.order_and_pairs(
        estimates, runs.names, greater, settings.baseline, settings.alternative
    )
    corrected = settings.correction != "none"
    n_orders = 2 * len(pairs) if corrected else 1
    orders = None if test is None else orders_of(runs, settings, drawing, n_orders)
    tests, reasons = tests_of(
        runs, pairs, settings, settings.towards(greater), len(pairs) if corrected else 1
    )
    unadjusted = [
        difference_of(runs, a, b, tests.get((a, b)), orders, settings, len(pairs)) for a, b in pairs
    ]
    adjusted = family.adjusted(unadjusted, settings.correction)
    differences = family.with_direction_notes(adjusted, settings.alpha)
    differences, long = family.with_one_long_note(differences)
    scores, system_notes = _scores(runs, order, differences, settings)
    best_set = best.best_set(runs.metric.name, scores, settings.level)
    result = RunsComparison(
        metrics=(runs.metric,),
        systems=scores,
        differences=differences,
        omnibus=(),
        notes=(
            *runs_input.notes,
            *system_notes,
            *_notes(runs, settings, differences),
            *reasons,
            *long,
            *note_rules.resample_notes(runs.metric.name, tests.values(), settings.correction, settings.alpha),
        ),
        provenance=_provenance(runs, settings, drawing),
        n_items=runs.n_items,
        level=settings.level,
        correction=settings.corrected_by,
        margin=settings.margin,
        baseline=settings.baseline,
        orders=orders,
        variances=() if interval is None else _variances(runs, order, pairs),
        statistic=settings.statistic,
        paired=settings.paired,
        best_sets=() if best_set is None else (best_set,),
    )
    return with_backend(result, backend_of(data))


def _scores(
    data: Data, order: Sequence[int], differences: Sequence[RunsDifference], settings: Settings
) -> tuple[tuple[RunsScore, ...], list[Note]]:
    names = [data.names[s] for s in order]
    lettered = settings.baseline is None
    standings = None
    entries: list[RunsScore] = []
    notes: list[Note] = []
    if settings.test is not None:
        standings = family.standings(names, differences, settings.alpha, lettered=lettered)
        notes += note_rules.group_notes(data.metric.name, standings[2], lettered=lettered)
    found = _set_of_best(data, names, settings)
    for position, system in enumerate(order):
        interval, error, error_method = None, None, None
        if settings.interval is not None:
            interval, interval_notes = data.estimator.interval(
                system, None, settings.interval, settings.level
            )
            notes += notes_about(interval_notes, data.metric.name, names[position])
            error, error_method = data.estimator.standard_error(system)
        entries.append(
            RunsScore(
                metric=data.metric.name,
                system=names[position],
                score=data.estimator.estimate(system),
                interval=interval,
                **family.standing(standings, position),
                runs=tuple(data.estimator.scores[system].tolist()),
                standard_error=error,
                standard_error_method=error_method,
                changing_items=_share_changing(data, system),
                **standing(found, position),
            )
        )
    return tuple(entries), notes


def _set_of_best(data: Data, names: Sequence[str], settings: Settings) -> SetOfBest | None:
    """Return which systems may be the best by the intervals of their differences, ordered as `names`."""
    place = {name: s for s, name in enumerate(data.names)}

    def interval(a: str, b: str, level: float) -> Interval | None:
        return data.estimator.interval(place[a], place[b], str(settings.interval), level)[0]

    return best.set_by_bonferroni(
        {name: data.estimator.estimate(place[name]) for name in names},
        interval,
        settings,
        settings.baseline,
        greater_is_better=data.metric.greater_is_better,
    )


def _share_changing(data: Data, system: int) -> float | None:
    estimator = data.estimator
    if data.evaluation is None or not isinstance(estimator, RunsWithItems):
        return None
    return changing_items(data.evaluation, estimator.group.metric, estimator.columns(system))


def changing_items(evaluation: Evaluation, metric: BaseMetric, runs: slice) -> float | None:
    """Return the share of items whose outcome is not the same in all runs of a system; None of one run.

    `metric` is fitted to the data. The outcome of an item is its value for means, such as whether an answer
    is right, and the answer itself for other metrics. The share grows with the number of runs.
    """
    names = evaluation.names[runs]
    if len(names) < 2:
        return None
    changes = np.zeros(evaluation.n_rows, dtype=bool)
    first = _outcomes(evaluation, metric, names[0])
    for name in names[1:]:
        changes |= _differ(first, _outcomes(evaluation, metric, name))
    return float(np.average(changes, weights=evaluation.counts))


def _outcomes(evaluation: Evaluation, metric: BaseMetric, name: str) -> Array:
    answers, gold = evaluation.systems[name], evaluation.gold
    single = answers.ndim == 1 and (gold is None or gold.ndim == 1) and metric.reads != "distributions"
    return metric.values(gold, answers) if isinstance(metric, MeanMetric) and single else answers


def _differ(a: Array, b: Array) -> BoolArray:
    if a.shape != b.shape:  # one run gives labels, another one distributions
        return np.ones(len(a), dtype=bool)
    different: BoolArray = np.asarray(a != b, dtype=bool)
    return different if different.ndim == 1 else np.asarray(different.reshape(len(a), -1).any(axis=1))


def _variances(data: Data, order: Sequence[int], pairs: Sequence[tuple[int, int]]) -> tuple[Variance, ...]:
    estimator = data.estimator
    if not isinstance(estimator, RunsWithItems):
        return ()
    variances = []
    for a, b in [*((s, None) for s in order), *pairs]:
        parts = estimator.components(a, b)
        n_runs = tuple(estimator.n_runs[s] for s in (a, b) if s is not None)
        variances.append(
            Variance(
                data.names[a],
                None if b is None else data.names[b],
                parts.items,
                parts.runs,
                parts.rest,
                n_runs,
                estimator.group.n_units,
            )
        )
    return tuple(variances)


def _notes(data: Data, settings: Settings, differences: Sequence[RunsDifference]) -> Iterator[Note]:
    if data.evaluation is not None:
        yield from data.evaluation.notes
        size_notes = note_rules.data_notes(data.evaluation)
        yield from note_rules.on_intervals(size_notes, (d.interval for d in differences))
    yield from data.notes
    yield from few_runs_note([data], settings)
    yield from notes_on_scores(data, differences, settings)
    yield from note_rules.direction_notes(
        data.metric.name, data.metric.greater_is_better, settings.alternative
    )
    if isinstance(data.estimator, RunsWithItems) and settings.test in ("permutation", "brunner-munzel"):
        message = "the test treats the items as fixed: it is about other runs on the same items"
        message += "" if settings.interval is None else ", the intervals are about other items too"
        yield Note("items_fixed", message)


def _provenance(data: Data, settings: Settings, drawing: Drawing) -> Provenance:
    settings_by_name = {
        "metrics": [data.metric.name],
        "greater_is_better": data.metric.greater_is_better,
        **settings.by_name(),
    }
    about: dict[str, Any] = {
        "runs": [int(x.size) for x in data.estimator.scores],
        "systems": list(data.names),
    }
    if data.evaluation is not None:
        about = {"items": data.n_items, **about, **data.evaluation.n_groups}
    return made_by(drawing, settings_by_name, about, _data_hash(data))


def _data_hash(data: Data) -> str:
    if data.evaluation is not None:
        return data.evaluation.data_hash()
    digest = hashlib.blake2b(digest_size=8)
    for name, x in sorted(zip(data.names, data.estimator.scores, strict=True), key=lambda entry: entry[0]):
        digest.update(f"runs {name}|{x.size}|".encode())
        digest.update(np.ascontiguousarray(x).view(np.uint8).data)
    return digest.hexdigest()
