"""`compare_slices`: where one system is ahead of another, and where it is not."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from bestby._core import checks
from bestby._core.errors import DesignError
from bestby._core.keywords import with_suggestions
from bestby._core.typing import ArrayLike, OnMissing, Question, Rng
from bestby.advising.reading import Arguments, check_two_systems, evaluation_of
from bestby.comparisons.common import note_rules
from bestby.comparisons.common.provenance import evaluation_provenance
from bestby.data.evaluation import Evaluation
from bestby.engine.base import Drawing
from bestby.metrics.suitability import chosen_metrics
from bestby.questions.slices.one_metric import slices_on
from bestby.questions.slices.parts import SUPPORTED, Sharing, without_slices
from bestby.questions.slices.result import SlicesComparison
from bestby.questions.slices.settings import Settings
from bestby.questions.slices.slicing import (
    Slicing,
    columns_of,
    hash_with_slices,
    settings_of,
    slicings,
    with_columns,
    without_bins,
)
from bestby.resampling.progress import Progress, in_turn
from bestby.resampling.settings import combined
from bestby.results.base import MetricInfo, remember_backend
from bestby.vocabulary import ItemInterval, ItemTest

MOST_COMPARISONS = 2000
"""Differences of a metric at most: slices times pairs."""


@with_suggestions
def compare_slices(
    data: Mapping[str, Any] | Evaluation | Any,
    gold: Any = None,
    *,
    metric: Any = None,
    greater_is_better: bool | None = None,
    systems: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    items: Any = None,
    system_column: str | None = None,
    value_column: str | None = None,
    clusters: Any = None,
    strata: Any = None,
    by: Any,
    crossed: bool = False,
    min_items: int = 1,
    on_missing: OnMissing = "error",
    classes: ArrayLike | None = None,
    normalise: bool = False,
    baseline: str | None = None,
    interval: ItemInterval = "auto",
    level: float = 0.95,
    test: ItemTest = "auto",
    alternative: Question = "two-sided",
    n_resamples: int = 10_000,
    rng: Rng = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> SlicesComparison:
    """Compare systems in every slice of a test set: by language, by length, by both.

    In each slice the systems are compared as `compare` would on its items alone. The intervals hold for all
    slices at once, and p-values are adjusted for their number. A test says whether the difference depends on
    the slice at all; another whether A is better in some slices and B in others. Effects that are shrunken
    towards the mean of all slices say how much of what was seen in a slice to expect again.

    Parameters
    ----------
    data : mapping of str to array_like, shape (n,), or Evaluation, or data frame, or list of dict
        Predictions or per-item scores of two or more systems, as for `compare`.
    gold : array_like, shape (n,), or mapping, or str, optional
        The gold, as for `compare`.
    metric, greater_is_better, systems, ignore, items, system_column, value_column
        As for `compare`. A metric that is an average over classes is one over the classes of a slice there.
    clusters, strata
        As for `compare`; one grouping into clusters, which may span slices.
    by : str, list of str, or mapping of str to array_like, shape (n,)
        The columns to slice by: names of columns of `data` (of a data frame, keys of a mapping, groupings of
        an Evaluation), or their values. ``"length:4"`` cuts the numbers of column ``length`` at their
        quartiles. Several columns are sliced one after the other, and each item is in a slice of each.
    crossed : bool
        Cross the columns instead: a slice for every combination of their values that occurs.
    min_items : int
        Leave out slices of fewer items, or of fewer clusters if there are clusters.
    on_missing, classes, normalise
        As for `compare`.
    baseline : str, optional
        Compare every other system with this one only; otherwise every pair.
    interval, level, test, alternative
        As for `compare`; every slice has both an interval and a test.
    n_resamples, rng, n_jobs, progress
        As for `compare`.

    Returns
    -------
    SlicesComparison
        The differences on all items and in every slice, the tests of heterogeneity, and notes.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given: an unknown column, one with a different value for
        every item, or a slice of one item.
    DesignError
        If the metric has a value in fewer than two slices, or there are too many differences.

    See Also
    --------
    compare : Compare systems on all items.
    compare_datasets : Compare systems on several test sets, which were collected each by itself.

    Notes
    -----
    *Intervals and p-values.* The differences in all slices are taken as jointly normal, with the
    correlations that follow from what each item (or cluster) adds to each of them; they are independent if
    slices share no unit. The p-values are adjusted by the step-down procedure of the largest statistics
    [1]_, which is never larger than Holm's, and each interval is made at the level at which all of them
    hold; of means, so far out, it allows for skewness however few the items are. As a step-down procedure
    finds more than its first step, an interval may hold 0 though the adjusted p-value is at most 1 - level.
    Bonferroni's bound and Holm's are used where too few units tell the correlations. The family is all slices
    and pairs of one metric.

    *Heterogeneity.* Cochran's Q [2]_ of the differences in the slices of a column. Its p-value is Welch's
    [4]_; if in some slice all items differ by the same, it is from permutations of the items among the
    slices, studentised [3]_. If clusters span slices, it is Hotelling's, by the covariance of the slices.
    The test of Gail and Simon [5]_ for opposite signs needs independent slices, and takes their differences
    as normal. With several columns, these tests are not corrected for the number of columns.

    *Shrunken effects* are those of DerSimonian and Laird's model [6]_, with the spread of the true effects
    that explains Q. With few slices that spread is known badly, and it is often 0: then all of them are the
    mean; below ten slices the note ``"few_slices"`` says how often. They suit slices of which none is known
    beforehand to be special.

    *Small slices.* In slices of fewer than ten items neither intervals nor tests that rest on a standard
    error hold their level; the note ``"small_slices"`` names them. Score intervals of right and wrong answers
    do.

    References
    ----------
    .. [1] Romano & Wolf (2005), Exact and approximate stepdown methods for multiple hypothesis testing, J.
       Amer. Statist. Assoc. 100, 94-108.
    .. [2] Cochran (1954), The combination of estimates from different experiments, Biometrics 10, 101-129.
    .. [3] Pauly, Brunner & Konietschke (2015), Asymptotic permutation tests in general factorial designs, J.
       R. Statist. Soc. B 77, 461-473.
    .. [4] Welch (1951), On the comparison of several mean values: an alternative approach, Biometrika 38,
       330-336.
    .. [5] Gail & Simon (1985), Testing for qualitative interactions between treatment effects and patient
       subsets, Biometrics 41, 361-372.
    .. [6] DerSimonian & Laird (1986), Meta-analysis in clinical trials, Controlled Clin. Trials 7, 177-188.

    Examples
    --------
    >>> from bestby import compare_slices
    >>> gold = [0, 1] * 60
    >>> language = ["de"] * 60 + ["ja"] * 60
    >>> old = [0, 0] * 30 + [0, 1] * 30
    >>> new = [0, 1] * 30 + [0, 0] * 15 + [0, 1] * 15
    >>> result = compare_slices({"new": new, "old": old}, gold, by={"language": language})
    >>> [(one.slice, one.difference.estimate, one.shown) for one in result]
    [('de', 0.5, True), ('ja', -0.25, True)]
    >>> print(result.sentence)
    new is ahead of old overall, ahead in de, behind in ja.
    """
    columns = columns_of(by)
    crossed, least = checks.flag(crossed, "crossed"), checks.positive_int(min_items, "min_items")
    resampling = combined(None, n_resamples, rng=rng, n_jobs=n_jobs, progress=progress)
    settings = Settings.checked(
        "items", interval=interval, level=level, test=test, alternative=alternative, correction="step-down",
        baseline=baseline,
    )  # fmt: skip
    given = Arguments(
        gold=gold, systems=systems, ignore=ignore, system_column=system_column, value_column=value_column,
        items=items, clusters=clusters, strata=strata, on_missing=on_missing, classes=classes,
        normalise=normalise, by=without_bins(by),
    )  # fmt: skip
    evaluation = with_columns(evaluation_of(data, given, metric), data, given.by).uncounted("compare_slices")
    evaluation.require_support("compare_slices", SUPPORTED)
    check_two_systems(evaluation)
    settings = settings.among(evaluation.names)
    metrics, evaluation = chosen_metrics(metric, evaluation, greater_is_better)
    cut, notes = slicings(evaluation, columns, least, crossed=crossed)
    _check_size(cut, len(evaluation.names), settings)
    plain = without_slices(evaluation)
    drawing = Drawing.of(resampling)
    sharing = Sharing.of(plain, cut)
    made = []
    for place, one in enumerate(metrics):
        own = dataclasses.replace(drawing, progress=in_turn(drawing.progress, place, len(metrics)))
        made.append(slices_on(plain, cut, sharing, one, settings, own))
    named = {**settings_of(columns, least, crossed=crossed), **settings.by_name()}
    provenance = evaluation_provenance(plain, metrics, named, drawing)
    data_hash = hash_with_slices(plain.data_hash(), evaluation, columns)
    result = SlicesComparison(
        metrics=tuple(MetricInfo(one.name, one.greater_is_better, one.bounds) for one in metrics),
        overall=tuple(d for part in made for d in part.overall),
        slices=tuple(one for part in made for one in part.slices),
        heterogeneity=tuple(one for part in made for one in part.heterogeneity),
        columns=tuple(one.column for one in cut),
        n_items=plain.n_items,
        n_clusters=plain.n_clusters,
        level=settings.level,
        baseline=settings.baseline,
        notes=(
            *note_rules.on_intervals(
                note_rules.evaluation_notes(plain, metrics, settings),
                (
                    d.interval
                    for part in made
                    for d in (*part.overall, *(one.difference for one in part.slices))
                ),
                metrics,
            ),
            *notes,
            *(note for part in made for note in part.notes),
        ),
        provenance=dataclasses.replace(provenance, data_hash=data_hash),
    )
    return remember_backend(result, evaluation.frame_backend)


def _check_size(cut: Sequence[Slicing], n_systems: int, settings: Settings) -> None:
    pairs = n_systems * (n_systems - 1) // 2 if settings.baseline is None else n_systems - 1
    n_slices = sum(len(one.names) for one in cut)
    if pairs * n_slices > MOST_COMPARISONS:
        raise DesignError(
            f"{n_slices} slices of {pairs} pairs of systems are {pairs * n_slices} differences,"
            f" more than {MOST_COMPARISONS}",
            hint="name two systems or a baseline, or columns with fewer values; numbers are cut into bins by"
            " column:4",
        )
