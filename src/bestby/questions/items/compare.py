"""Compare systems on one test set: the orchestration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from bestby._core.keywords import with_suggestions
from bestby._core.typing import OnMissing, Question, Rng
from bestby.comparisons.incomplete import compared_with_gaps
from bestby.comparisons.one_metric import compared, compared_by_metric
from bestby.comparisons.reading import Arguments, check_two_systems, evaluation_of
from bestby.comparisons.settings import Settings
from bestby.data.evaluation import Evaluation
from bestby.data.reading import Reading, checked_reading, clusters_and_blocks
from bestby.metrics.suitability import chosen_metrics
from bestby.report.comparison import Comparison
from bestby.resampling.settings import Resampling, combined_settings
from bestby.vocabulary import ItemCorrection, ItemInterval, ItemTest


@with_suggestions
def compare(
    data: Mapping[str, Any] | Evaluation | Any,
    gold: Any = None,
    *,
    metric: Any = None,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    focus: str | None = None,
    items: Any = None,
    clusters: Any = None,
    strata: Any = None,
    on_missing: OnMissing = "error",
    reading: Reading | None = None,
    interval: ItemInterval | None = "auto",
    test: ItemTest | None = "auto",
    correction: ItemCorrection = "holm",
    level: float = 0.95,
    alternative: Question = "two-sided",
    margin: float | None = None,
    rng: Rng = 0,
    n_resamples: int = 10_000,
    resampling: Resampling | None = None,
) -> Comparison:
    """Compare systems on one test set: scores, differences, intervals, tests, groups.

    Parameters
    ----------
    data : mapping of str to array_like, shape (n,), or Evaluation, or data frame, or list of dict
        Per system its predictions, or its per-item scores if there is no gold. Values may also be mappings
        of item id to prediction; systems are then aligned by id. A data frame (pandas, polars, Arrow, dask,
        DuckDB and what else narwhals takes, lazy or not) or a list of records is read as a table is by
        `read`: wide, with a column per system, or long, with a row per item and system. Columns called gold,
        item (or id), cluster and stratum play that part unless `systems` are chosen; the note ``"read_as"``
        tells what was taken for what. The rows of a wide dask frame are counted on its workers, and only the
        distinct ones come here.
    gold : array_like, shape (n,), or mapping, or str, optional
        The gold labels or values, or the name of their column or key in `data`.
    metric : str, Metric, ScoreMetric, callable or list of them, optional
        What to compare; ``bestby metrics`` lists the names. Defaults to accuracy (real numbers are refused
        then: name a metric for them), for soft gold to cross-entropy, without gold to the mean. A callable
        takes ``(gold, predictions)`` and returns a number. Without gold, any other name is that of the
        scores, such as ``"COMET"``, and what is compared is their mean; a note tells which direction the name
        was taken for, which ``ScoreMetric("COMET", greater_is_better=True)`` says.
    systems : str or list of str, optional
        The systems to compare (all by default), by name or by pattern, such as ``"gpt-*"``.
    baseline : str, optional
        Compare every other system with this one only (system minus baseline); otherwise every pair.
    focus : str, optional
        A system that interests you whichever place it has, named before you saw the scores: ``result.focus``
        has its rank from its own differences, which is narrower than ranks that hold for all systems.
    items, clusters, strata : array_like, shape (n,), or mapping, or str, optional
        Ids of the items; the cluster (document, speaker, template) and the stratum of each item, or their
        columns (several columns may make an id: ``items=["task", "id"]``). Items of one cluster are resampled
        and swapped together. A list of two `clusters` is two crossed groupings, such as ``[templates,
        languages]``. ``Blocks(25)``: the items are consecutive pieces of text, near ones alike.
    on_missing : {"error", "drop", "worst", "drop-systems", "pairs", "bounds"}
        What to do with items that some system lacks: those whose id is not there, or whose value is None,
        NaN, NA or masked. "drop" leaves them out for all systems, "drop-systems" the systems that lack some.
        "worst" counts them as wrong; with "bounds", intervals and tests of scores and of accuracy hold
        whether they are wrong or right.
        "pairs" compares every two systems on the items that both have, corrected by Holm or another
        correction of p-values alone; systems then stand in the order of their mean differences.
    reading : Reading, optional
        How the data are read: columns that are no systems, the columns of a long table, classes and rows of
        soft labels, labels of several annotators.
    interval : str or None
        How intervals are made, by a name in the table of the guide "Choosing an interval"; the result names
        the method used. "auto": a score interval for proportions; for means of 15 units or more Hall's t, of
        fewer Student's; for other metrics ABC or BCa where enough units carry the variance, otherwise normal
        or basic; for few or unequal clusters CR2, for two crossed groupings two-way. None: no intervals and
        no standard errors, which saves their time.
    test : str or None
        The significance test, by a name in the table of the guide "Choosing a test". "permutation" swaps
        predictions as they were given; of a correlation or a metric of ranks "permutation-standardised" swaps
        standard scores or ranks, which suits systems on different scales, but is not exact. "auto" is
        "permutation", but where all units point the same way, and are so few that swaps allow no smaller
        p-value, the test "hall" may give one. None: no test, so no p-values, ranks and groups, which saves
        their time.
    correction : {"holm", "bonferroni", "step-down", "simultaneous", "bh", "none"}
        How p-values are corrected; the family is all pairs of one metric. "step-down" finds more than "holm",
        as it reads how the differences vary together; it has no intervals of its own. "simultaneous" makes
        intervals that hold for all pairs of a metric at once: each by its own method, at a level that depends
        on how the systems vary together. Verdicts, groups, ranks and adjusted p-values are then read from
        these intervals, so that they agree.
    level : float
        Nominal coverage; 1 - level is the level of the tests.
    alternative : {"two-sided", "greater", "less", "better"}
        "greater" asks whether A's score is greater than B's, on the scale of the metric, also
        where lower is better; "better" whether A is better, whichever direction that is. One-sided pairs
        stand in the order the systems were given. Intervals are two-sided always.
    margin : float, optional
        The smallest difference that matters. Turns on verdicts: better or worse (the whole interval
        beyond the margin), equivalent (two one-sided tests), not worse or not better (one of these two, and
        the interval holds 0), inconclusive. They need intervals.
    rng : int, numpy.random.Generator or None
        The seed; None for fresh entropy, which is recorded.
    n_resamples : int
        Resamples, where any are drawn; exact results draw none.
    resampling : Resampling, optional
        The two before this and all other settings of resampling as one record: threads, progress, an
        executor, a folder for counts of texts, smaller resamples.

    Returns
    -------
    Comparison
        Scores, differences, tests, groups, notes and provenance. Of three or more systems also which may be
        the best (``result.best``), how far each is behind it at most, and the score of the first one without
        the luck of having been chosen (``result.leader``).

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If the metric, interval or test does not fit the data: where labels are compared, for example,
        probabilities, or predictions of which none is a label of the gold.

    See Also
    --------
    evaluate : The scores alone, also of one system.
    compare_runs : Several runs (random seeds) of each system.
    compare_datasets, compare_folds : Several datasets; cross-validation.
    compare_preferences : Judgements of which of two outputs is better.
    advise : Which test and interval suit a comparison, and why.

    Notes
    -----
    Where a metric reads probabilities, one number from 0 to 1 per item is the probability of the greater of
    two gold labels; a note says so.

    Scores are on the scale of the metric; a difference is A minus B, whichever direction is better.

    Examples
    --------
    >>> from bestby import compare
    >>> gold = [1, 0, 1, 1, 0, 1, 0, 0, 1, 1]
    >>> result = compare({"a": gold, "b": [1, 1, 1, 0, 0, 0, 0, 1, 0, 1]}, gold=gold)
    >>> difference = result["a", "b"]
    >>> difference.estimate, difference.test.method, difference.p_value
    (0.5, 'enumeration', 0.0625)

    The interval alone:

    >>> result = compare(
    ...     {"a": gold, "b": [1, 1, 1, 0, 0, 0, 0, 1, 0, 1]}, gold=gold, test=None
    ... )
    >>> difference = result["a", "b"]
    >>> (
    ...     round(difference.interval.low, 3),
    ...     round(difference.interval.high, 3),
    ...     difference.p_value,
    ... )
    (0.084, 0.763, None)
    """
    how = checked_reading(reading, "compare")
    resampling = combined_settings(resampling, n_resamples, rng)
    clusters, blocks = clusters_and_blocks(clusters)
    settings = Settings.checked(
        "items", interval=interval, level=level, test=test,
        alternative=alternative, correction=correction, margin=margin, baseline=baseline,
        focus=focus,
        resample_size=resampling.resample_size, rescale=resampling.rescale, annotators=how.annotators,
        blocks=blocks,
    )  # fmt: skip
    arguments = Arguments(
        gold=gold, systems=systems, items=items, clusters=clusters, strata=strata, on_missing=on_missing,
        reading=how,
    )  # fmt: skip
    evaluation = evaluation_of(data, arguments, metric)
    check_two_systems(evaluation)
    settings = settings.among(evaluation.names)
    metrics, evaluation = chosen_metrics(metric, evaluation)
    if evaluation.with_gaps:
        return compared_with_gaps(evaluation, metrics, settings, resampling)
    return compared_by_metric(
        evaluation,
        metrics,
        settings,
        settings.by_name(),
        resampling,
        partial(compared, evaluation=evaluation, settings=settings),
        "compare",
    )
