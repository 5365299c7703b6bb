"""`frontier`: which systems may be worth what they cost. A pair is compared in quality and in every cost."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy.special import ndtr

from bestby._core.errors import BestbyError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.typing import FloatArray, OnMissing, Rng
from bestby.comparisons import best, costs, note_rules, one_metric
from bestby.comparisons.costs import Cost, PerSuccess
from bestby.comparisons.provenance import evaluation_provenance
from bestby.comparisons.reading import Arguments, check_two_systems, evaluation_of
from bestby.comparisons.settings import Settings, check_reach
from bestby.data.evaluation import Evaluation
from bestby.data.reading import Reading, checked_reading, clusters_and_blocks
from bestby.data.roles import listed
from bestby.engine import prepare
from bestby.engine.base import Drawing, Pair
from bestby.inference.best import evidence_by_t
from bestby.metrics.base import BaseMetric, MeanMetric
from bestby.metrics.directions import mean_called
from bestby.metrics.suitability import chosen_metrics
from bestby.questions.frontier import dominance
from bestby.questions.frontier.result import Frontier, FrontierSystem, SystemCost
from bestby.report.reported import with_backend
from bestby.resampling.settings import Resampling, combined_settings
from bestby.results.base import MetricInfo, Note

FEW_SUCCESSES = 10
"""Successes below which the interval of a cost per success covers too little (`calibration`)."""


@with_suggestions
def frontier(
    data: Mapping[str, Any] | Evaluation | Any,
    gold: Any = None,
    *,
    quality: Any = None,
    cost: Any,
    systems: str | Sequence[str] | None = None,
    items: Any = None,
    clusters: Any = None,
    strata: Any = None,
    on_missing: OnMissing = "error",
    reading: Reading | None = None,
    level: float = 0.95,
    margin: float | None = None,
    rng: Rng = 0,
    n_resamples: int = 10_000,
    resampling: Resampling | None = None,
) -> Frontier:
    """Find the systems that may be worth what they cost: quality beside money, time or tokens.

    A system is off the frontier if another one is significantly better and costs no more. Every system that
    is truly on it is kept, all of them at once, with the probability `level`: that a system stays does not
    show that it is on the frontier.

    Parameters
    ----------
    data : mapping of str to array_like, shape (n,), or Evaluation, or data frame, or list of dict
        The systems, as for `compare`.
    gold
        As for `compare`.
    quality : str, Metric, ScoreMetric or callable, optional
        What is compared beside the cost, as `metric` of `compare`; without gold also the column of a long
        table that holds it.
    cost : str, list of str, or mapping
        What the systems cost; lower is better, and 0 is the least. The name of a column of `data`: in a long
        table a number per system and item, in a wide one a column for each system, such as
        ``bert_latency_ms`` for ``"latency_ms"``. A mapping of system to price, or to an array of shape (n,);
        of several costs, a mapping of their names to such mappings, to an `Evaluation` or to a column.
        The mean over the items counts, of ``"latency_ms@0.95"`` the quantile, of ``"latency_ms@median"`` the
        median. Prices are known without error.
    systems, items, clusters, strata
        As for `compare`; two crossed groupings are refused.
    on_missing
        As for `compare`, which alone takes "pairs" and "bounds"; of an item without a cost, "worst" takes
        the greatest.
    reading
        As for `compare`.
    level : float
        The level of the frontier and of the intervals.
    margin : float, optional
        How far a score may be behind the best to be as good. Names the cheapest of these systems.
    rng, n_resamples, resampling
        As for `compare`.

    Returns
    -------
    Frontier
        The systems with scores and costs, which of them may be on the frontier, notes and provenance.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If the metric does not fit the data, or the items come in two crossed groupings.

    See Also
    --------
    compare : The differences in quality alone.
    gate : Whether one system may take the place of another, with budgets for costs.

    Notes
    -----
    That a system is dominated by another one is shown by the larger of the one-sided p-values of all
    quantities, which needs no correction for their number [1]_. All ordered pairs are corrected together by
    Bonferroni's bound in steps [2]_, without those that clearly do not dominate [3]_. Quality is
    compared by the tests and intervals of `compare`; costs by Student's t of the logarithm of their ratio,
    with the standard errors of the items or clusters. Systems within the margin follow from bounds that hold
    for all systems at once [4]_, so that the cheapest of them may be chosen afterwards.

    Where every answer is right or wrong, the cost per success is the mean cost over the share of right ones,
    with an interval of its logarithm by the delta method. It misleads where few items make up much of the
    cost, of which the note ``"few_effective"`` tells if the data show it, and below ten successes
    (``"few_successes"``). Latencies that were measured one after the other, or on a busy machine, vary
    together: give the run as `clusters`, or measure again.

    References
    ----------
    .. [1] Berger (1982), Multiparameter hypothesis testing and acceptance sampling, Technometrics 24,
       295-300.
    .. [2] Holm (1979), A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6, 65-70.
    .. [3] Romano, Shaikh & Wolf (2014), A practical two-step method for testing moment inequalities,
       Econometrica 82, 1979-2002.
    .. [4] Hsu (1996), Multiple Comparisons, chapter 4.

    Examples
    --------
    >>> right = {"large": [1, 1, 1, 0] * 50, "small": [1, 1, 0, 0] * 50, "odd": [0, 1, 0, 0] * 50}
    >>> result = frontier(right, cost={"large": 3.0, "small": 0.5, "odd": 0.8})
    >>> [(one.system, one.may_be_on_frontier) for one in result]
    [('large', True), ('small', True), ('odd', False)]
    >>> result["large"].costs[0].per_success
    4.0
    """
    how = checked_reading(reading, "frontier")
    resampling = combined_settings(
        resampling, n_resamples, rng, function="frontier", unused="resample_size rescale"
    )
    clusters, blocks = clusters_and_blocks(clusters)
    settings = Settings.checked(
        "items", interval="auto", level=level, test="auto", correction="none", margin=margin,
        annotators=how.annotators, blocks=blocks,
    )  # fmt: skip
    if isinstance(quality, list | tuple):
        raise InvalidInputError(
            "quality must be one metric", hint="ask for each metric in a call of its own", argument="quality"
        )
    names_values = isinstance(quality, str) and gold is None and how.value_column is None
    if names_values and quality in (costs.columns_of(data) or ()):
        how = dataclasses.replace(how, value_column=quality)
        quality = mean_called(quality)
    arguments = Arguments(
        gold=gold, systems=systems, items=items, clusters=clusters, strata=strata, reading=how,
        on_missing="error" if isinstance(data, Evaluation) else on_missing,
    )  # fmt: skip
    with _metric_as_quality():
        evaluation = evaluation_of(data, costs.without_costs(data, cost, arguments), quality)
        check_two_systems(evaluation)
        read = costs.reader_of(data, arguments, evaluation.names)
        metrics, evaluation = chosen_metrics(quality, evaluation)
        # Draws, and which of equal systems is named, do not depend on the order in which they were given
        evaluation = evaluation.with_systems(sorted(evaluation.names))
        evaluation, kinds = costs.costs_of(cost, evaluation, read, on_missing, blocks)
        result = _compared(evaluation, metrics, kinds, settings, Drawing.of(resampling))
    return with_backend(result, evaluation.frame_backend)


@contextmanager
def _metric_as_quality() -> Iterator[None]:
    """Let errors call the metric as it is called here."""
    try:
        yield
    except BestbyError as error:
        error.message = re.sub(r"^metric\b", "quality", error.message)
        error.hint = None if error.hint is None else re.sub(r"\bmetric=", "quality=", error.hint)
        if error.argument == "metric":
            error.argument = "quality"
        raise


def _compared(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    kinds: Sequence[Cost],
    settings: Settings,
    drawing: Drawing,
) -> Frontier:
    """Return the frontier of the systems by one metric and their costs."""
    evaluation.require_support("a frontier", ("clusters", "strata"))
    (metric,), names = metrics, evaluation.names
    check_reach(settings.margin, metric, evaluation.scores)
    (estimates,) = one_metric.estimates_by_metric(evaluation, metrics, settings, drawing, "frontier")
    scores, order = estimates.scores, one_metric.ranked(estimates, evaluation)
    by_tests = dataclasses.replace(settings, interval=None, margin=None)
    tested = one_metric.tested_pairs(estimates, metric, order, None, evaluation, by_tests)
    as_best = best.set_of_best(estimates, names, order, settings, tested.counts)
    entries, score_notes = one_metric.system_scores(estimates, order, names, settings)

    p_values = [_p_of_quality(scores, metric, *tested.p_values(names)), *map(_p_of_cost, kinds)]
    found = dominance.dominated(p_values, settings.alpha)
    remains = dominance.on_frontier(found, settings.alpha)

    success = _successes(evaluation, metric)
    ratios = [None if success is None else kind.per_success(success) for kind in kinds]
    systems = tuple(
        FrontierSystem(
            names[s],
            entry.score,
            entry.interval,
            tuple(
                _cost_of(names[s], s, kind, ratio, settings.level)
                for kind, ratio in zip(kinds, ratios, strict=True)
            ),
            bool(remains[s]),
            None if remains[s] else names[found.by[s]],
            float(found.p_adjusted[s]),
            float(as_best.behind[s]),
        )
        for s, entry in zip(order, entries, strict=True)
    )
    on_data = note_rules.on_intervals(
        [
            *note_rules.evaluation_notes(evaluation, metrics, settings),
            *note_rules.drawing_notes(estimates.group, drawing, settings),
        ],
        [entry.interval for entry in entries],
        metrics,
    )
    named = {"costs": [kind.name for kind in kinds], "level": settings.level, "margin": settings.margin}
    provenance = evaluation_provenance(evaluation, metrics, named, drawing)
    return Frontier(
        metric=MetricInfo(metric.name, metric.greater_is_better, metric.bounds),
        costs=tuple(kind.name for kind in kinds),
        systems=systems,
        margin=settings.margin,
        level=settings.level,
        n_items=evaluation.n_items,
        n_clusters=evaluation.n_clusters,
        notes=(
            *on_data,
            *tested.on_test,
            *score_notes,
            *tested.on_pairs,
            *costs.notes_on(kinds, names),
            *_notes_on_successes(kinds, ratios, names),
        ),
        provenance=dataclasses.replace(
            provenance, data_hash=costs.hash_with_costs(provenance.data_hash, kinds, names)
        ),
    )


def _p_of_quality(
    scores: FloatArray, metric: BaseMetric, pairs: Sequence[Pair], two_sided: FloatArray
) -> FloatArray:
    """Return the p-value that each system scores no better than each other one, shape (k, k)."""
    a, b = np.array(pairs).T
    better = scores[a] >= scores[b] if metric.greater_is_better else scores[a] <= scores[b]
    p = np.ones((scores.size, scores.size))
    p[a, b] = np.where(better, 0.5 * two_sided, 1.0 - 0.5 * two_sided)
    p[b, a] = 1.0 - p[a, b]
    return p


def _p_of_cost(kind: Cost) -> FloatArray:
    """Return the p-value that each system is dearer than each other one, shape (k, k)."""
    as_prices = dominance.price_p_values(kind.values)
    if kind.units is None:
        return as_prices
    a, b = np.indices(as_prices.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        cheaper = -np.log(kind.values)
        difference = np.nan_to_num(cheaper[a] - cheaper[b], nan=0.0, posinf=math.inf, neginf=-math.inf)
    errors = np.sqrt(kind.units.spread.variances(a.ravel(), b.ravel())).reshape(a.shape)
    # Units of equal size, less a mean of each stratum
    freedom = max(1.0, kind.units.spread.n_units - kind.units.n_strata)
    p: FloatArray = ndtr(-evidence_by_t(difference, errors, freedom))
    return np.where(kind.known, as_prices, p)


def _cost_of(system: str, place: int, kind: Cost, ratio: PerSuccess | None, level: float) -> SystemCost:
    value, interval = float(kind.values[place]), kind.interval(place, level)
    if ratio is None or not math.isfinite(ratio.values[place]):
        return SystemCost(system, kind.name, value, interval)
    return SystemCost(
        system, kind.name, value, interval, float(ratio.values[place]), ratio.interval(place, level)
    )


def _successes(evaluation: Evaluation, metric: BaseMetric) -> FloatArray | None:
    """Return which items each system has right, shape (n, k); None of scores that are not all 0 or 1."""
    if not isinstance(metric, MeanMetric) or not metric.greater_is_better or evaluation.counts is not None:
        return None
    _, rows = prepare.statistics_of(evaluation, metric)
    values = np.column_stack([one[:, 0] for one in rows])
    return values if np.isin(values, (0.0, 1.0)).all() else None


def _notes_on_successes(
    kinds: Sequence[Cost], ratios: Sequence[PerSuccess | None], names: Sequence[str]
) -> Iterator[Note]:
    """Yield where too few successes tell what one costs."""
    for kind, ratio in zip(kinds, ratios, strict=True):
        successes = {} if ratio is None else dict(zip(names, ratio.n.tolist(), strict=True))
        scarce = {name: n for name, n in successes.items() if n < FEW_SUCCESSES}
        if scarce:
            shown = [f"{name} ({n:.0f})" for name, n in scarce.items()]
            message = (
                f"fewer than {FEW_SUCCESSES} successes of {listed(shown, 4)}: the interval of {kind.name} per"
                " success is probably too short, and without a success there is none"
            )
            yield Note("few_successes", message, (kind.name,))
