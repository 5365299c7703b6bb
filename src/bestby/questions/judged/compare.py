"""`compare_judged`: systems by the scores of a judge, corrected by a few human labels."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal

from bestby._core import checks
from bestby._core.keywords import with_suggestions
from bestby._core.typing import Question, Rng
from bestby.data.frames import backend_of
from bestby.engine.base import Drawing
from bestby.questions.judged import about
from bestby.questions.judged.calibrating import calibrated
from bestby.questions.judged.drawing import Drawn, drawn
from bestby.questions.judged.estimating import estimated
from bestby.questions.judged.judged_labels_layout import JudgedLabels
from bestby.questions.judged.judges import judges_of
from bestby.questions.judged.label_source import source_of, verdicts_of
from bestby.questions.judged.records import Settings, compared
from bestby.questions.judged.redrawing import redrawn
from bestby.questions.judged.result import HUMAN_SCORE, JudgedComparison
from bestby.questions.judged.scoring import Scored, plain, scored
from bestby.resampling.progress import Progress
from bestby.resampling.settings import Resampling, combined
from bestby.results.base import MetricInfo, remember_backend
from bestby.vocabulary import ItemCorrection


@with_suggestions
def compare_judged(
    judge: Any,
    human: Any = None,
    *,
    predictions: Any = None,
    calibration: Any = None,
    metric: Any = None,
    greater_is_better: bool | None = None,
    systems: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    clusters: Any = None,
    strata: Any = None,
    labels_drawn: Any = None,
    bias_by: Any = None,
    scale: Literal["same", "different"] | None = None,
    baseline: str | None = None,
    level: float = 0.95,
    simultaneous: bool = False,
    alternative: Question = "two-sided",
    correction: ItemCorrection = "holm",
    margin: float | None = None,
    n_resamples: int = 10_000,
    rng: Rng = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
    resampling: Resampling | None = None,
) -> JudgedComparison:
    """Compare systems by a judge's scores of all items, corrected by human scores of a few.

    A judge, such as a language model or an automatic metric, scores everything and may be biased; people
    score little and are right. The means that people would give to all items are estimated from both: from
    the labels, plus what the judge says of the items that have none. They are as unbiased as the labels
    alone, and more precise by as much as the judge foretells them.

    Parameters
    ----------
    judge : mapping of str to array_like, shape (n,) or (n, J), or data frame, or JudgedItems
        By system, the judge's score of every item; of J judges a column each. The scores of a system may be a
        mapping of item id to score. A data frame has the human scores too: columns ``item``, ``system``,
        ``judge`` and ``human``, or ``judge[a]``, ``human[a]``, ``judge[b]``, ... for systems a, b, ..., as
        `read_judged` says, whose result may be given, too. With `predictions` the judge's label of every
        item, shape (n,) or (n, J).
    human : mapping of str to array_like, shape (n,) or (n, H)
        By system, the human score where there is one, else None or NaN; of H humans their mean is taken. A
        mapping of item id to score holds the labelled items only. Systems may have different items labelled.
        With `predictions` the human label of an item, where there is one, of shape (n,).
    predictions : mapping of str to array_like, shape (n,), optional
        What the systems predict for each item, to be compared with the labels of judge and humans by
        `metric`. In a data frame they are columns ``prediction[a]``, ``prediction[b]``, ... beside ``judge``
        and ``human``.
    calibration : mapping of str to pair of array_like, shape (m,), or one pair, or data frame, optional
        In place of `human`, for verdicts 0 and 1: by system (or for all of them), the judge's and the humans'
        verdicts of other items, from which the error rates of the judge follow. A data frame has columns
        ``judge`` and ``human``, and ``system`` if each has items of its own. Its clusters and strata are the
        columns that `clusters` and `strata` name, or ``cluster`` and ``stratum``.
    metric : str or Metric, optional
        The metric of predictions against labels, a function of sums over the items such as ``f1_macro``,
        ``matthews_corrcoef`` or ``pearson``; accuracy by default.
    greater_is_better : bool, optional
        Whether a greater human score is better, as by default; False for penalties.
    systems, ignore
        Which systems to compare, or to leave out, by name or pattern.
    clusters, strata : array_like, shape (n,), or mapping of item id to group, or str
        As for `compare`; a name of a column if `judge` is a data frame. Strata are counted by their share of
        all items, and a cluster lies in one stratum.
    labels_drawn : {"random", "stratified"} or array_like, shape (n,), or mapping, or str
        How the labelled items were chosen, which must be said: at random; at random inside each of `strata`;
        or with these probabilities in (0, 1] (by item, a column of the frame, or by system).
    bias_by : str, sequence of str or mapping of str to array_like, optional
        What the judge's bias may go with: columns of a frame, or values by name, one per item (such as
        length) or per item and system (such as the position in which it was shown): numbers, dates or other
        values. "order" is the order of the items, for drift over time, where no column is called so.
    scale : {"same", "different"}, optional
        Whether judge and humans score on the same scale; by default they do if their ranges are alike.
    baseline, level, simultaneous, alternative, correction, margin
        As for `compare`, on the scale of the human scores.
    n_resamples, rng, n_jobs, progress, resampling
        As for `compare`; resamples are drawn for metrics that are not means.

    Returns
    -------
    JudgedComparison
        The judge's own means, the labels' own, the corrected ones and their differences; and, as ``judges``,
        what the labels tell of the judge: its bias on each system, whether it favours one, its errors,
        correlations and calibration, and what its bias goes with.

    Raises
    ------
    InvalidInputError
        If `labels_drawn` is left out, an item has a label and no score of the judge, a probability lies
        outside (0, 1], or another argument cannot be used as given.
    DesignError
        If a metric is no function of sums, or undefined by the labels; a system has fewer than two labels,
        or labels of one cluster only; the judge always says the same; or everything is labelled.

    See Also
    --------
    compare : Compare systems by labels of all items.
    compare_preferences : Compare systems by which of two outputs was preferred.
    read_judged : Read the scores of judge and humans from a file.

    Notes
    -----
    *Estimate.* Prediction-powered inference with tuning [1]_: the mean of the labels of a system, plus
    coefficients times what the labelled items have less of the judge's scores than all items. It is one
    regression for all systems, on the scores of all of them, so that each difference is the difference of the
    scores beside it; a comparison of two systems alone may differ from the same pair among others.
    Coefficients are drawn towards 0 by as much as chance accounts for, so that a judge that foretells nothing
    leaves the labels alone. Strata have coefficients of their own if each has 25 labels [2]_. Probabilities
    weigh labels by their inverse [3]_.

    *Intervals* take each item (or cluster) as drawn anew, so they are also for items like these. They are of
    Student's t, from what each cluster adds, with bias-reduced errors (CR2) of residuals that the regression
    has not seen; for labels 0 and 1 they are score intervals with as many labels as would carry the same
    variance alone, and never more than there are (unequal weights: than as many of equal weight) where fewer
    than five of the heaviest labels are of the rarer kind. That is long where the heavy labels are alike.
    Where the judge is wrong on fewer than five of these labels, up to two more errors are counted, as others
    may be missing among them; that makes no standard error larger than that of the labels alone.
    Where the two systems of a difference have other items labelled, its interval is of Student's t; if they
    share none, the variances of both means are added. Intervals of such differences of labels 0 and 1 may be
    too short where few are of the rarer kind, as the note `few_of_a_kind` says. The skewness of what the
    judge leaves makes no interval longer by more than a tenth than that of the labels alone. A judge that
    misses a few failures looks better than it is if the labels have none of them: of scores other than 0 and
    1, the note `unseen_judge_errors` says where that may matter. Very skewed scores, such as penalties, can
    have too few of the large ones among few labels; the note `few_large_labels` says where the standard error
    comes from fewer than four labels and a fifth of them.

    *Metrics of labels.* The score by the human labels, plus coefficients times what the score by the judge's
    labels is higher on all items than on the labelled ones. The coefficients are those of the same
    regression, on what each item adds to the scores to first order. A metric that is a mean is compared as
    scores are. Of others, such as F1 and correlations, both parts are resampled, labelled items apart from
    the rest where that can be [6]_; intervals are bias-corrected percentiles, expanded as far as the robust
    error of what the items add is above that of the resamples. They are approximate: with fewer than ten
    human labels of a class they may be too short, as a note says.

    *Error rates.* With a calibration set the shares are corrected by the judge's specificity and sensitivity
    [4]_, with intervals that allow for the uncertainty of both [5]_; differences are by the delta method.
    Clusters of either set raise the variance of what it tells by their design effect (CR2), with Student's t.
    Strata have error rates of their own if the calibration set has strata, too. It rests on the judge erring
    as often on these items as on those of the calibration set.

    They mislead where the labelled items were chosen by their scores, or by how doubtful they looked: no
    number of labels mends that. Where the judge's scores of the labelled items are not those of a random draw
    (p < .001), the note `labels_not_random` says so. It does not see a choice by what the judge's scores do
    not show, one with wrong probabilities, or one inside more than twenty strata.

    References
    ----------
    .. [1] Angelopoulos, Duchi & Zrnic (2023), PPI++: Efficient prediction-powered inference, arXiv
       2311.01453.
    .. [2] Fisch et al. (2024), Stratified prediction-powered inference for effective hybrid evaluation of
       language models, NeurIPS.
    .. [3] Hajek (1971), Comment on an essay by D. Basu, in Foundations of Statistical Inference, 236.

    .. [4] Rogan & Gladen (1978), Estimating prevalence from the results of a screening test, Amer. J.
       Epidemiol. 107, 71-76.
    .. [5] Lee, Zeng, Jeong, Sohn & Lee (2025), How to correctly report LLM-as-a-judge evaluations, arXiv
       2511.21140.
    .. [6] Zrnic (2024), A note on the prediction-powered bootstrap, arXiv 2405.18379.

    Examples
    --------
    >>> import numpy as np
    >>> from bestby import compare_judged
    >>> rng = np.random.default_rng(0)
    >>> truth = {"new": rng.integers(1, 6, 500), "old": rng.integers(1, 5, 500)}
    >>> judge = {name: values + 0.5 * rng.normal(size=500) for name, values in truth.items()}
    >>> human = {name: [*values[:100], *[None] * 400] for name, values in truth.items()}
    >>> result = compare_judged(judge, human, labels_drawn="random")
    >>> difference = result["new", "old"]
    >>> round(difference.labels_estimate, 2), round(difference.estimate, 2), round(difference.extra_labels)
    (0.55, 0.45, 211)

    Predictions, by labels of the judge and of humans:

    >>> gold = rng.choice(["x", "y"], 500)
    >>> predictions = {"new": np.where(rng.random(500) < 0.8, gold, "x"), "old": np.full(500, "x")}
    >>> labels = np.where(rng.random(500) < 0.9, gold, "y")
    >>> few = [*gold[:100], *[None] * 400]
    >>> result = compare_judged(
    ...     labels, few, predictions=predictions, metric="f1_macro", labels_drawn="random"
    ... )
    >>> [(s.system, round(s.judge_score, 2), round(s.labels_score, 2)) for s in result.systems]
    [('new', 0.88, 0.92), ('old', 0.31, 0.34)]
    """
    drawing = Drawing.of(
        combined(
            resampling, n_resamples, function="compare_judged", rng=rng, n_jobs=n_jobs, progress=progress
        )
    )
    settings = Settings.checked(
        "judged", level=level, simultaneous=simultaneous, alternative=alternative, correction=correction,
        margin=margin, baseline=baseline,
    )  # fmt: skip
    greater = None if greater_is_better is None else checks.flag(greater_is_better, "greater_is_better")
    if calibration is not None:
        unused = {
            "human": human, "predictions": predictions, "metric": metric, "labels_drawn": labels_drawn,
            "bias_by": bias_by, "scale": scale,
        }  # fmt: skip
        checks.refuse_unused("a calibration set", **{name: (value, None) for name, value in unused.items()})
        items = verdicts_of(judge, systems, ignore)
        _check_systems(items.names)
        settings = settings.among(items.names)
        rates = calibrated(items, calibration, clusters, strata)
        info = MetricInfo(HUMAN_SCORE, greater is None or greater, rates.bounds)
        result = compared(Scored(info, items), rates, about.calibrated(items, rates), settings, "same", ())
        return remember_backend(result, backend_of(judge))
    source = source_of(judge, human, predictions, systems, ignore)
    _check_systems(source.names)
    settings = settings.among(source.names)
    if isinstance(source, JudgedLabels):
        checks.refuse_unused("a metric of predictions and labels", scale=(scale, None))
        given, scale = scored(source, metric, greater), "same"
    else:
        given = plain(source, metric, greater)
    labelled = drawn(given.items, labels_drawn, clusters, strata)
    result = _by_labels(given, labelled, bias_by, settings, scale, drawing)
    return remember_backend(result, backend_of(judge))


def _check_systems(names: Sequence[str]) -> None:
    checks.two_systems(
        names,
        hint="give the judge's scores of a second system too, and the scores of both are corrected;"
        " evaluate would take the judge's scores as they are",
    )


def _by_labels(
    given: Scored, labelled: Drawn, bias_by: Any, settings: Settings, scale: Any, drawing: Drawing
) -> JudgedComparison:
    """Compare by labels of some of the items: means by formulas, other metrics with resamples."""
    if given.parts is not None:
        checks.refuse_unused(f"{given.metric.name}, which no item has by itself", bias_by=(bias_by, None))
        scores = redrawn(labelled, given.parts, drawing)
        return compared(given, scores, about.corrected(given, labelled, scores, drawing), settings, scale, ())
    means, chosen = estimated(labelled), about.scale_of(given.items, scale)
    greater = given.metric.greater_is_better
    judges, notes = judges_of(
        given.items, labelled, bias_by, settings.level, same=chosen == "same", greater=greater
    )
    data = about.corrected(given, labelled, means, drawing)
    data = dataclasses.replace(data, notes=(*data.notes, *notes))
    if given.metric.name == HUMAN_SCORE:
        given = dataclasses.replace(given, metric=MetricInfo(HUMAN_SCORE, greater, means.bounds))
    return compared(given, means, data, settings, chosen, judges)
