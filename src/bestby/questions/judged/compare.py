"""`compare_judged`: systems by the scores of a judge, corrected by a few human labels."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.typing import FloatArray, Question, Rng
from bestby.comparisons import best, family
from bestby.comparisons.provenance import hash_of, hash_of_rows
from bestby.comparisons.settings import FamilySettings, check_reach
from bestby.data.layouts.judged import JudgedItems
from bestby.data.reading import Reading, checked_reading
from bestby.data.table import backend_of
from bestby.engine.base import Drawing
from bestby.inference.best import SetOfBest, standing
from bestby.metrics.functions import ScoreMetric
from bestby.questions.judged.judge_quality import humans_of, judges_of
from bestby.questions.judged.label_metrics import (
    Scored,
    resampled_estimates,
    scored_by_metric,
    scored_without_metric,
)
from bestby.questions.judged.labelled import DRAW_LEVEL, LabelDraw, label_draw, unlike_random_draw
from bestby.questions.judged.prediction_powered import Estimates, estimated
from bestby.questions.judged.result import (
    HUMAN_SCORE,
    JudgedComparison,
    JudgedDifference,
    JudgedScore,
    JudgeQuality,
    JudgeWorth,
    LabelsDrawn,
)
from bestby.questions.judged.rogan_gladen import FEW_CLUSTERS, Calibrated, calibrated
from bestby.questions.judged.source import JudgedLabels, source_of, verdicts_of
from bestby.report.comparison import SIMULTANEOUS
from bestby.report.reported import with_backend
from bestby.resampling.settings import Resampling, combined_settings
from bestby.results.base import MetricInfo, Note, Provenance, notes_about, provenance_of
from bestby.results.values import Interval, without_interval
from bestby.vocabulary import ItemCorrection, allowed_names


@with_suggestions
def compare_judged(
    judge: Any,
    human: Any = None,
    *,
    predictions: Any = None,
    calibration: Any = None,
    metric: Any = None,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    clusters: Any = None,
    strata: Any = None,
    labels_drawn: Any = None,
    bias_by: Any = None,
    reading: Reading | None = None,
    scale: Literal["same", "different"] | None = None,
    correction: ItemCorrection = "holm",
    level: float = 0.95,
    alternative: Question = "two-sided",
    margin: float | None = None,
    rng: Rng = 0,
    n_resamples: int = 10_000,
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
    metric : str, Metric or ScoreMetric, optional
        The metric of predictions against labels, a function of sums over the items such as ``f1_macro``,
        ``matthews_corrcoef`` or ``pearson``; accuracy by default. Of scores, a `ScoreMetric` says whether
        higher human scores are better, as they are by default.
    systems
        Which systems to compare, by name or pattern.
    baseline
        As for `compare`, on the scale of the human scores.
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
    reading : Reading, optional
        How the data are read: `ignore`.
    scale : {"same", "different"}, optional
        Whether judge and humans score on the same scale; by default they do if their ranges are alike.
    correction, level, alternative, margin
        As for `compare`, on the scale of the human scores.
    rng, n_resamples, resampling
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
    >>> judge = {
    ...     name: values + 0.5 * rng.normal(size=500) for name, values in truth.items()
    ... }
    >>> human = {name: [*values[:100], *[None] * 400] for name, values in truth.items()}
    >>> result = compare_judged(judge, human, labels_drawn="random")
    >>> difference = result["new", "old"]
    >>> (
    ...     round(difference.labels_estimate, 2),
    ...     round(difference.estimate, 2),
    ...     round(difference.extra_labels),
    ... )
    (0.55, 0.45, 211)

    Predictions, by labels of the judge and of humans:

    >>> gold = rng.choice(["x", "y"], 500)
    >>> predictions = {
    ...     "new": np.where(rng.random(500) < 0.8, gold, "x"),
    ...     "old": np.full(500, "x"),
    ... }
    >>> labels = np.where(rng.random(500) < 0.9, gold, "y")
    >>> few = [*gold[:100], *[None] * 400]
    >>> result = compare_judged(
    ...     labels,
    ...     few,
    ...     predictions=predictions,
    ...     metric="f1_macro",
    ...     labels_drawn="random",
    ... )
    >>> [
    ...     (s.system, round(s.judge_score, 2), round(s.labels_score, 2))
    ...     for s in result.systems
    ... ]
    [('new', 0.88, 0.92), ('old', 0.31, 0.34)]
    """
    how = checked_reading(reading, "compare_judged", "ignore")
    resampling = combined_settings(
        resampling, n_resamples, rng, function="compare_judged", unused="executor cache resample_size rescale"
    )
    drawing = Drawing.of(resampling)
    settings = Settings.checked(
        "judged", level=level, alternative=alternative, correction=correction,
        margin=margin, baseline=baseline,
    )  # fmt: skip
    greater = None
    if isinstance(metric, ScoreMetric):
        metric, greater = None, metric.greater_is_better
    if calibration is not None:
        unused = {
            "human": human, "predictions": predictions, "metric": metric, "labels_drawn": labels_drawn,
            "bias_by": bias_by, "scale": scale,
        }  # fmt: skip
        checks.refuse_unused("a calibration set", **{name: (value, None) for name, value in unused.items()})
        items = verdicts_of(judge, systems, how.ignore)
        _check_systems(items.names)
        settings = settings.among(items.names)
        shares = calibrated(items, calibration, clusters, strata)
        info = MetricInfo(HUMAN_SCORE, greater is None or greater, shares.bounds)
        result = _comparison(
            Scored(info, items), shares, _described_by_error_rates(items, shares), settings, "same", ()
        )
        return with_backend(result, backend_of(judge))
    source = source_of(judge, human, predictions, systems, how.ignore)
    _check_systems(source.names)
    settings = settings.among(source.names)
    if isinstance(source, JudgedLabels):
        checks.refuse_unused("a metric of predictions and labels", scale=(scale, None))
        scored, scale = scored_by_metric(source, metric, greater), "same"
    else:
        scored = scored_without_metric(source, metric, greater)
    draw = label_draw(scored.items, labels_drawn, clusters, strata)
    result = _by_labels(scored, draw, bias_by, settings, scale, drawing)
    return with_backend(result, backend_of(judge))


def _check_systems(names: Sequence[str]) -> None:
    checks.two_systems(
        names,
        hint="give the judge's scores of a second system too, and the scores of both are corrected;"
        " evaluate would take the judge's scores as they are",
    )


def _by_labels(
    scored: Scored, draw: LabelDraw, bias_by: Any, settings: Settings, scale: Any, drawing: Drawing
) -> JudgedComparison:
    """Compare by labels of some of the items: means by formulas, other metrics with resamples."""
    if scored.parts is not None:
        checks.refuse_unused(f"{scored.metric.name}, which no item has by itself", bias_by=(bias_by, None))
        estimates = resampled_estimates(draw, scored.parts, drawing)
        return _comparison(
            scored,
            estimates,
            _described_by_labels(scored, draw, estimates, drawing),
            settings,
            scale,
            (),
        )
    estimates_of_means, chosen = estimated(draw), _scale(scored.items, scale)
    greater = scored.metric.greater_is_better
    judges, notes = judges_of(
        scored.items, draw, bias_by, settings.level, same=chosen == "same", greater=greater
    )
    description = _described_by_labels(scored, draw, estimates_of_means, drawing)
    description = dataclasses.replace(description, notes=(*description.notes, *notes))
    if scored.metric.name == HUMAN_SCORE:
        scored = dataclasses.replace(
            scored, metric=MetricInfo(HUMAN_SCORE, greater, estimates_of_means.bounds)
        )
    return _comparison(scored, estimates_of_means, description, settings, chosen, judges)


def _scale(scores: JudgedItems, said: Any) -> Literal["same", "different"]:
    """Return whether judge and humans score on the same scale; refuse ranges that cannot be the same."""
    human = scores.human[~np.isnan(scores.human)]
    ends = [(float(x.min()), float(x.max())) for x in (scores.judge, human)]
    whole = max(high for _, high in ends) - min(low for low, _ in ends)
    least = min(high - low for low, high in ends)
    shares = min(low for low, _ in ends) >= 0.0 and max(high for _, high in ends) <= 1.0
    # How much wider the range of judge and humans together may be than that of each, on the same scale
    alike = shares or whole <= 1.5 * least
    if said is None:
        return "same" if alike else "different"
    checks.choice(said, allowed_names("scale", "judged"), "scale")
    apart = ends[0][0] > ends[1][1] or ends[1][0] > ends[0][1]
    beyond = bool(np.isin(human, (0.0, 1.0)).all()) and not shares
    if said == "same" and (apart or beyond):
        raise InvalidInputError(
            f'scale="same", but the judge\'s scores lie from {ends[0][0]:g} to {ends[0][1]:g} and the human'
            f" ones from {ends[1][0]:g} to {ends[1][1]:g}",
            hint='bring them to the same scale, or say scale="different"',
            argument="scale",
        )
    return "same" if said == "same" else "different"


@dataclass(frozen=True)
class Settings(FamilySettings):
    """The arguments of `compare_judged` that are not data; see there."""

    level: float
    alternative: Question
    correction: str
    margin: float | None
    baseline: str | None
    simultaneous: bool = False
    interval: str | None = "auto"
    test: str | None = "auto"


# -- what is said of the data ----------------------------------------------------------------------


FEW_LABELS = 20
"""Labels of a system below which the calibration says nothing of the intervals."""

FEW_LABELLED_CLUSTERS = 50
"""Labelled clusters below which intervals can be too short, if several of their items are labelled."""


@dataclass(frozen=True)
class DataDescription:
    """What a result says of its data: how labels were drawn, numbers, notes, and the hash."""

    how: LabelsDrawn
    n_labelled: int
    n_strata: int
    notes: tuple[Note, ...]
    data: Mapping[str, Any]
    data_hash: str
    drawing: Drawing | None = None

    def provenance(self, settings: Mapping[str, Any], scale: str, metric: MetricInfo) -> Provenance:
        """Return where the numbers come from."""
        design = {"labels_drawn": self.how, "scale": scale, "greater_is_better": metric.greater_is_better}
        drawing = self.drawing
        return provenance_of(
            {"metrics": [metric.name], **design, **settings},
            self.data,
            data_hash=self.data_hash,
            seed=0 if drawing is None else drawing.seed,
            n_resamples=0 if drawing is None else drawing.n_resamples,
        )


def _described_by_labels(
    scored: Scored, draw: LabelDraw, estimates: Estimates, drawing: Drawing
) -> DataDescription:
    """Return what is said of scores corrected by labels of some of the items."""
    scores = scored.items
    data = draw.data
    n_labelled = int(data.is_labelled.any(axis=1).sum())
    by_system = scored.metric.name == HUMAN_SCORE  # else the label of an item is for all systems
    numbers: dict[str, Any] = {
        "items": len(scores.human),
        "systems": list(scores.names),
        "labels": int(data.is_labelled.sum()) if by_system else n_labelled,
    }
    if draw.n_clusters:
        numbers["clusters"] = draw.n_clusters
    if draw.n_strata > 1:
        numbers["strata"] = draw.n_strata
    n = len(scores.human)
    clusters = data.clusters if draw.n_clusters else np.zeros(n)  # else they are positions
    table = [*_content(scored), data.weights, data.strata, clusters]
    return DataDescription(
        draw.how,
        n_labelled,
        draw.n_strata,
        (*scored.notes, *_label_notes(draw, estimates, scores.names)),
        numbers,
        hash_of_rows(scores.names, np.column_stack(table)),
        None if scored.parts is None else drawing,
    )


def _content(scored: Scored) -> list[FloatArray]:
    """Return what the hash of the data is about: scores, or statistics of labels."""
    scores, parts = scored.items, scored.parts
    if parts is None:
        return [scores.judge.reshape(len(scores.judge), -1), scores.human]
    human = np.full((len(scores.human), sum(rows.shape[1] for rows in parts.human)), np.nan)
    human[parts.labelled] = np.concatenate(parts.human, axis=1)
    return [*(rows for systems in parts.judge for rows in systems), human]


def _label_notes(draw: LabelDraw, estimates: Estimates, names: Sequence[str]) -> Iterator[Note]:
    """Yield what must be known of the whole."""
    yield draw.note
    yield from (*_unlike_draw(draw, estimates), *estimates.notes, *estimates.few_heavy(names))
    fewest = int(draw.data.is_labelled.sum(axis=0).min())
    if fewest < FEW_LABELS:
        yield Note(
            "few_labels",
            f"a system has {fewest} human labels: with fewer than {FEW_LABELS} the intervals may be too"
            " short",
        )
    data = draw.data
    if draw.n_clusters:
        counts = [np.bincount(data.clusters, weights=one) for one in data.is_labelled.T]
        few = min(int(np.count_nonzero(one)) for one in counts)
        if few < FEW_LABELLED_CLUSTERS and max(one.max() for one in counts) > 1:
            yield Note(
                "few_clusters",
                f"the labels of a system lie in {few} clusters, with several labels in one cluster: with"
                f" fewer than {FEW_LABELLED_CLUSTERS} clusters the intervals may be too short",
            )
    yield from _outside(estimates, "the correction adds a difference of means")


def _unlike_draw(draw: LabelDraw, estimates: Estimates) -> Iterator[Note]:
    """Yield a note if the judge's scores show that chance did not choose the labelled items."""
    data = estimates.data
    clusters = data.clusters if draw.n_clusters else None
    in_strata = draw.how == "stratified"
    strata = data.strata if in_strata else np.zeros_like(data.strata)
    if draw.how != "probabilities" and unlike_random_draw(data.judge, data.is_labelled, strata, clusters):
        yield Note(
            "labels_not_random",
            "the judge's scores of the labelled items are not like those of items drawn at random"
            f"{' inside strata' * in_strata} (p < {DRAW_LEVEL:g}): they are higher, lower or nearer to"
            " the middle, or the systems are further apart or closer together. So chance did not choose the"
            " labelled items, and the corrected scores are biased; label items that are drawn at random, or"
            " give the probabilities of the draw",
        )


def _described_by_error_rates(scores: JudgedItems, shares: Calibrated) -> DataDescription:
    """Return what is said of shares corrected by error rates."""
    sets = shares.sets if shares.per_system else shares.sets[:1]
    sizes = [one.size for one in sets]
    numbers = {"items": shares.n_items, "systems": list(scores.names), "calibration": sum(sizes)}
    if shares.n_clusters:
        numbers["clusters"] = shares.n_clusters
    if shares.n_strata > 1:
        numbers["strata"] = shares.n_strata
    tables = [
        [one.judge, one.human, *(np.zeros(one.size) if x is None else x for x in (one.clusters, one.strata))]
        for one in sets
    ]
    items = [
        shares.verdicts,
        shares.strata,
        shares.clusters if shares.n_clusters else np.zeros(shares.n_items),
    ]
    parts = {f"calibration {place}": np.column_stack(columns) for place, columns in enumerate(tables)}
    parts["items"] = np.column_stack(items)
    hashed = hash_of({part: hash_of_rows(scores.names, table) for part, table in parts.items()})
    return DataDescription(
        "calibration", max(sizes), shares.n_strata, tuple(_notes_on_rates(shares)), numbers, hashed
    )


def _notes_on_rates(shares: Calibrated) -> Iterator[Note]:
    """Yield what error rates of other items rest on."""
    assumed = (
        "the judge is taken to err as often on these items as on those of the calibration set. If these are"
        " easier, or were chosen by what the judge said, the corrected scores are biased"
    )
    if shares.description:
        yield Note("read_as", shares.description)
    yield Note("error_rates", assumed)
    clusters = [int(np.unique(one.clusters).size) for one in shares.sets if one.clusters is not None]
    if shares.n_clusters and not clusters:
        yield Note(
            "calibration_items",
            "the items of the calibration set are taken to be independent, as they have no clusters; if"
            " they lie in such, too, the intervals are too short",
        )
    if clusters and min(clusters) < FEW_CLUSTERS:
        yield Note(
            "few_calibration_clusters",
            f"the calibration set has {min(clusters)} clusters: with fewer than {FEW_CLUSTERS} the error"
            " rates are hardly known, and intervals may be too short",
        )
    yield from _outside(shares, "the error rates of the judge are known from few items")


def _outside(estimates: Estimates | Calibrated, why: str) -> tuple[Note, ...]:
    """Return a note on corrected shares that are none."""
    outside = estimates.bounds == (0.0, 1.0) and bool(
        ((estimates.scores < 0.0) | (estimates.scores > 1.0)).any()
    )
    message = f"a corrected score lies outside [0, 1], as {why}; an interval of it does not"
    return (Note("outside_bounds", message),) if outside else ()


# -- scores and differences ------------------------------------------------------------------------


AnyEstimates: TypeAlias = Estimates | Calibrated
"""Estimates by either method."""


def _comparison(
    scored: Scored,
    estimates: AnyEstimates,
    description: DataDescription,
    settings: Settings,
    scale: Any,
    judges: tuple[JudgeQuality, ...],
) -> JudgedComparison:
    """Return the comparison, once everything is estimated."""
    scores, metric = scored.items, scored.metric
    check_reach(settings.margin, metric)
    names, greater = scores.names, metric.greater_is_better
    by = {"bias_by": [one.column for one in judges[0].effects]} if judges and judges[0].effects else {}
    order, pairs = family.order_and_pairs(
        estimates.scores, names, greater, settings.baseline, settings.alternative
    )
    at = (
        estimates.joint(pairs, names).single_level(settings.alpha)
        if settings.simultaneous
        else settings.alpha
    )
    unadjusted = [_difference(names, estimates, a, b, settings, metric, at) for a, b in pairs]
    differences = family.with_direction_notes(
        _adjusted(unadjusted, estimates, pairs, names, settings, greater), settings.alpha
    )
    found = _set_of_best([names[s] for s in order], names, estimates, settings, metric)
    systems = _scores(names, estimates, order, differences, settings, metric.name, found)
    best_set = best.best_set(metric.name, systems, settings.level)
    return JudgedComparison(
        metrics=(metric,),
        systems=systems,
        differences=differences,
        omnibus=(),
        notes=(
            *([Note("read_as", scores.description)] if scores.description else []),
            *description.notes,
            *_on_scores(systems, estimates, order, settings.level, metric.name),
        ),
        provenance=description.provenance({**settings.by_name(), **by}, scale, metric),
        n_items=len(scores.human),
        level=settings.level,
        correction=settings.corrected_by,
        margin=settings.margin,
        baseline=settings.baseline,
        n_clusters=estimates.n_clusters,
        labels_drawn=description.how,
        scale=scale,
        n_labelled=description.n_labelled,
        n_judges=scores.judge.shape[2],
        n_strata=description.n_strata,
        judges=judges,
        humans=humans_of(scores),
        worth=tuple(_worths(scores.judges, estimates, order, pairs, settings.level)),
        best_sets=() if best_set is None else (best_set,),
    )


def _set_of_best(
    ranked: Sequence[str],
    names: Sequence[str],
    estimates: AnyEstimates,
    settings: Settings,
    metric: MetricInfo,
) -> SetOfBest | None:
    """Return which systems may be the best by the intervals of their differences, ordered as `ranked`."""
    place = {name: s for s, name in enumerate(names)}

    def interval(a: str, b: str, level: float) -> Interval | None:
        return estimates.interval(estimates.contrast(place[a], place[b]), level)

    return best.set_by_bonferroni(
        {name: float(estimates.scores[place[name]]) for name in ranked},
        interval,
        settings,
        settings.baseline,
        greater_is_better=metric.greater_is_better,
    )


def _scores(
    names: Sequence[str],
    estimates: AnyEstimates,
    order: Sequence[int],
    differences: Sequence[JudgedDifference],
    settings: Settings,
    metric: str,
    found: SetOfBest | None,
) -> tuple[JudgedScore, ...]:
    ranked = [names[s] for s in order]
    standings = family.standings(ranked, differences, settings.alpha, lettered=settings.baseline is None)
    return tuple(
        JudgedScore(
            metric=metric, system=names[s], score=float(estimates.scores[s]),
            interval=estimates.interval(contrast, settings.level),
            **family.standing(standings, place),
            standard_error=estimates.error(contrast).se,
            standard_error_method="cr2" if estimates.n_clusters else "formula",
            judge_score=float(estimates.judge[s]), labels_score=estimates.labels_mean(contrast),
            labels_interval=estimates.interval(contrast, settings.level, labels_only=True),
            n_labels=estimates.common(s, s).n, tuning=estimates.tuning(s),
            extra_labels=estimates.extra_labels(contrast, settings.level),
            **standing(found, place),
        )
        for place, s in enumerate(order)
        for contrast in (estimates.contrast(s),)
    )  # fmt: skip


def _difference(
    names: Sequence[str],
    estimates: AnyEstimates,
    a: int,
    b: int,
    settings: Settings,
    metric: MetricInfo,
    at: float,
) -> JudgedDifference:
    """Return all that is told of A minus B; its p-value is not adjusted."""
    contrast, greater = estimates.contrast(a, b), metric.greater_is_better

    def bounds(level: float) -> family.Bounds:
        interval = estimates.interval(contrast, 1.0 - at * (1.0 - level) / (1.0 - settings.level))
        if interval is not None and settings.simultaneous:
            interval = dataclasses.replace(interval, level=level, method=SIMULTANEOUS)
        return interval, () if interval is not None else (
            without_interval("constant_difference", estimates.method),
        )

    interval, tost, notes = family.with_equivalence(bounds, settings.level, settings.margin)
    test = estimates.test(contrast, settings.towards(greater))
    common = estimates.common(a, b)
    difference = JudgedDifference(
        metric=metric.name, a=names[a], b=names[b],
        estimate=estimates.estimate(contrast),
        score_a=float(estimates.scores[a]), score_b=float(estimates.scores[b]),
        interval=interval, test=test, p_adjusted=test.p_value, greater_is_better=greater,
        n_items=estimates.n_items, n_differing=common.differing,
        n_clusters=estimates.n_clusters, level=settings.level,
        notes=notes_about(
            (*notes, *estimates.on_interval(contrast, settings.level)),
            metric.name, names[a], names[b],
        ),
        standard_error=estimates.error(contrast).se,
        standard_error_method="cr2" if estimates.n_clusters else "formula",
        judge_estimate=float(rounding.difference(estimates.judge[a], estimates.judge[b])),
        labels_estimate=estimates.labels_mean(contrast),
        labels_interval=estimates.interval(contrast, settings.level, labels_only=True),
        n_labels=common.n, extra_labels=estimates.extra_labels(contrast, settings.level),
    )  # fmt: skip
    return family.with_verdict(difference, tost, settings.margin)


def _adjusted(
    unadjusted: list[JudgedDifference],
    estimates: AnyEstimates,
    pairs: list[tuple[int, int]],
    names: Sequence[str],
    settings: Settings,
    greater: bool,
) -> Sequence[JudgedDifference]:
    """Return the differences with the p-values of the family."""
    if not settings.simultaneous and settings.correction != "step-down":
        return family.adjusted(unadjusted, settings.correction)
    joint, side = estimates.joint(pairs, names), settings.towards(greater)
    if settings.simultaneous:
        two_sided = [estimates.test(estimates.contrast(a, b), "two-sided").p_value for a, b in pairs]
        p_values = joint.adjusted(np.array(two_sided))
        wrong = [side != "two-sided" and (d.estimate > 0.0) != (side == "greater") for d in unadjusted]
        p_values = np.where(wrong, 1.0, p_values)
    else:
        p_values = joint.stepped_down(np.array([d.p_value for d in unadjusted]), side)
    return [dataclasses.replace(d, p_adjusted=float(p)) for d, p in zip(unadjusted, p_values, strict=True)]


def _on_scores(
    systems: Sequence[JudgedScore], estimates: AnyEstimates, order: Sequence[int], level: float, metric: str
) -> Iterator[Note]:
    """Yield why a score has no interval, or what its interval rests on."""
    for one, s in zip(systems, order, strict=True):
        notes = estimates.on_interval(estimates.contrast(s), level)
        yield from notes_about(
            [estimates.without_interval] if one.interval is None else notes, metric, one.system
        )


def _worths(
    judges: Sequence[str],
    estimates: AnyEstimates,
    order: Sequence[int],
    pairs: Sequence[tuple[int, int]],
    level: float,
) -> Iterator[JudgeWorth]:
    """Yield what each of several judges is worth by itself."""
    if isinstance(estimates, Calibrated):
        return
    scores = [estimates.contrast(s) for s in order]
    differences = [estimates.contrast(a, b) for a, b in pairs]
    for name, by_judge in zip(judges, estimates.each, strict=bool(estimates.each)):
        worth = [
            tuple(estimates.extra_labels(one, level, by_judge) for one in what)
            for what in (scores, differences)
        ]
        yield JudgeWorth(name, *worth)
