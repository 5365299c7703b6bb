"""The scores of one system or several on one test set, without comparing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from bestby._core.arrays import is_table
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted
from bestby._core.typing import OnMissing, Rng
from bestby.comparisons import best, family, note_rules, one_pair
from bestby.comparisons.one_metric import MetricPart, compared_by_metric, system_scores
from bestby.comparisons.reading import Arguments, evaluation_of
from bestby.comparisons.settings import Settings
from bestby.data.evaluation import Evaluation
from bestby.data.reading import Reading, checked_reading, clusters_and_blocks
from bestby.engine.estimate import Estimates
from bestby.metrics.base import BaseMetric
from bestby.metrics.suitability import chosen_metrics
from bestby.report.comparison import Comparison
from bestby.resampling.settings import Resampling, combined_settings
from bestby.vocabulary import ItemInterval

_SETTINGS = ("interval", "level", "resample_size", "rescale", "annotators", "blocks")
"""The settings of a comparison that scores alone have."""


@with_suggestions
def evaluate(
    data: Mapping[str, Any] | Evaluation | Any,
    gold: Any = None,
    *,
    metric: Any = None,
    systems: str | Sequence[str] | None = None,
    items: Any = None,
    clusters: Any = None,
    strata: Any = None,
    on_missing: OnMissing = "error",
    reading: Reading | None = None,
    interval: ItemInterval | None = "auto",
    level: float = 0.95,
    rng: Rng = 0,
    n_resamples: int = 10_000,
    resampling: Resampling | None = None,
) -> Comparison:
    """Give the scores of one system or several on one test set, with their confidence intervals.

    Parameters
    ----------
    data : mapping of str to array_like, shape (n,), or Evaluation, or data frame, or array_like
        As for `compare`; one system is enough, and its predictions or scores need no name.
    gold : array_like, shape (n,), or mapping, or str, optional
        The gold labels or values; for a data frame the name of their column.
    metric, systems, items, clusters, strata
        As for `compare`.
    on_missing
        As for `compare`, which alone takes "pairs" and "bounds".
    reading : Reading, optional
        As for `compare`.
    interval, level
        As for `compare`; ``interval=None`` gives the scores alone.
    rng, n_resamples, resampling
        As for `compare`.

    Returns
    -------
    Comparison
        Scores with intervals, notes and provenance. It has no differences, ranks and groups, as nothing is
        tested; ``result["a"]`` is the score of the system a. Of three or more systems ``result.leader`` is
        the score of the first one without the luck of having been chosen.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If the metric or the interval does not fit the data.

    See Also
    --------
    compare : The same scores, and the differences between systems with tests.

    Notes
    -----
    The intervals are those that `compare` gives for the same systems. Do not compare two systems by whether
    their intervals overlap: they share the items, and the interval of their difference is mostly shorter.

    Examples
    --------
    >>> from bestby import evaluate
    >>> gold = [1, 0, 1, 1, 0, 1, 0, 0, 1, 1]
    >>> result = evaluate([1, 0, 1, 1, 0, 1, 0, 0, 1, 0], gold)
    >>> score = result.systems[0]
    >>> (
    ...     score.score,
    ...     round(score.interval.low, 3),
    ...     round(score.interval.high, 3),
    ...     score.interval.method,
    ... )
    (0.9, 0.596, 0.995, 'wilson-midp')
    """
    how = checked_reading(reading, "evaluate")
    resampling = combined_settings(resampling, n_resamples, rng)
    clusters, blocks = clusters_and_blocks(clusters)
    settings = Settings.checked(
        "items", interval=interval, level=level, test=None,
        resample_size=resampling.resample_size, rescale=resampling.rescale, annotators=how.annotators,
        blocks=blocks,
    )  # fmt: skip
    if not isinstance(data, Evaluation | Mapping | str) and not is_table(data):
        data = {"system": data}
    arguments = Arguments(
        gold=gold, systems=systems, items=items, clusters=clusters, strata=strata, on_missing=on_missing,
        reading=how,
    )  # fmt: skip
    evaluation = evaluation_of(data, arguments, metric)
    metrics, evaluation = chosen_metrics(metric, evaluation)
    named = {name: value for name, value in settings.by_name().items() if name in _SETTINGS}
    return compared_by_metric(
        evaluation,
        metrics,
        settings,
        named,
        resampling,
        partial(_scored, evaluation=evaluation, settings=settings),
        "evaluate",
    )


def _scored(
    intervals: Estimates, unfitted: BaseMetric, *, evaluation: Evaluation, settings: Settings
) -> MetricPart:
    """Return the scores on one metric, the best first."""
    metric, scores, names = intervals.group.metric, intervals.scores, evaluation.names
    one_pair.check_defined(scores, metric, lambda s: f"system {quoted(names[s])} on these data")
    order = family.ranked(scores, names, metric.greater_is_better)
    systems, notes = system_scores(intervals, order, names, settings)
    of_metric = note_rules.metric_notes(intervals.group, {}, settings)
    return MetricPart(
        systems,
        (),
        None,
        (*notes, *of_metric, *note_rules.signature_notes(unfitted, evaluation)),
        best.leader(intervals, names, order, systems, settings),
    )
