"""`compare_facets`: systems over prompts, seeds, judges and items, of which others could have been drawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bestby._core import arrays, rounding
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.typing import Correction, OnMissing, Question, Rng
from bestby.comparisons import best, family, note_rules
from bestby.comparisons.provenance import made_by
from bestby.comparisons.settings import CheckedSettings, check_reach
from bestby.data.layouts.runs import Runs
from bestby.data.reading import Reading, checked_reading
from bestby.data.table import backend_of
from bestby.engine.base import Drawing
from bestby.inference.best import standing
from bestby.questions.facets.doubts import notes_on_design, notes_on_pair
from bestby.questions.facets.means import METHOD, Analysis, Mean, Pair, components_of, design_text, sizes_in
from bestby.questions.facets.reference import many_levels
from bestby.questions.facets.result import (
    Facet,
    FacetDifference,
    FacetsComparison,
    FacetStudy,
    facets_of,
    sizes_of,
)
from bestby.questions.facets.source import Asked, FacetData, data_of, names_of
from bestby.report.comparison import SystemScore
from bestby.report.pairs import IDENTICAL
from bestby.report.reported import with_backend
from bestby.resampling.settings import Resampling, combined_settings
from bestby.results.base import MetricInfo, Note, notes_about
from bestby.results.values import Interval, TestResult


@with_suggestions
def compare_facets(
    data: Mapping[str, Any] | Runs | Any,
    gold: Any = None,
    *,
    metric: Any = None,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    items: str | Sequence[str] | None = None,
    facets: str | Sequence[str] | None = None,
    nested: Mapping[str, Any] | str | Sequence[str] | None = None,
    fixed: str | Sequence[str] = (),
    unmatched: str | Sequence[str] = (),
    clusters: str | Sequence[str] | None = None,
    on_missing: OnMissing = "pairs",
    reading: Reading | None = None,
    weights: Literal["levels", "cells"] = "levels",
    study: Mapping[str, int] | Sequence[Mapping[str, int]] | None = None,
    correction: Correction = "holm",
    level: float = 0.95,
    alternative: Question = "two-sided",
    margin: float | None = None,
    rng: Rng = 0,
    n_resamples: int = 10_000,
    resampling: Resampling | None = None,
) -> FacetsComparison:
    """Compare systems over several facets at once: prompts, seeds, judges and items.

    What would other prompts, other seeds and other items like these give? Every facet is a sample of levels,
    or *fixed* if its levels are all that matter, and each brings a part of the uncertainty.

    Parameters
    ----------
    data : data frame, mapping of str to array_like, or Runs
        A long table with a row per cell: its system, its level of each facet, its item, and a score or
        prediction; or such a table with a column per system. A mapping of system to an array with an axis for
        each of `facets`, in their order, and one for the items last; NaN is a cell without a value. Or what
        `read_runs` returns: of logs each sample is a cell, whose facets may be its "epoch", its "task", its
        "scorer" and what its metadata name; of tables the runs are the one facet.
    gold : str, or array_like, shape (n,), optional
        The column of the gold, or, beside arrays, a label for each item; the values are then predictions.
    metric : str, Metric or callable, optional
        A metric that is a mean over items or a function of sums, as for `compare`; a function, such as
        macro-F1, is computed for each run, which is one level of each facet. Without gold a name for the
        scores.
    systems : str or list of str, optional
        The systems to compare (all by default), by name or by pattern, such as ``"gpt-*"``.
    baseline : str, optional
        Compare every other system with this one only; otherwise every pair.
    items : str or sequence of str, optional
        The column of the items ("item" or "id" by default), or several that make an id together; or what the
        last axis is called. There need be none.
    facets : str or sequence of str, optional
        The columns, or the axes, other than the items. By default the columns that are called prompt,
        template, seed, run, judge, epoch and the like.
    nested : mapping of str to str, or str, or list of str, optional
        Which facet lies in which: ``{"seed": "prompt"}`` or ``"seed in prompt"`` says that seed 1 of one
        prompt has nothing to do with seed 1 of another. It is found in the data where each seed has one
        prompt only.
    fixed : str or sequence of str
        The facets whose levels are all that matter. The answer is then about these, not about others.
    unmatched : str or sequence of str
        The facets of which level 3 of one system has nothing to do with level 3 of another, such as seeds of
        different models. They should lie in one that is matched, as seeds do in prompts.
    clusters : str, optional
        The column of groups of items, such as their documents, which then are a facet that items lie in.
    on_missing : {"pairs", "drop", "error"}
        Of cells that some systems lack. "pairs": every two are compared on the cells that both have. "drop":
        items that lack some cell are left out. "error": a missing cell is an error.
    reading : Reading, optional
        How a table is read: `ignore`, `system_column` and `value_column`.
    weights : {"levels", "cells"}
        Whether every level of a facet has the same weight in the mean, however many cells it has, or every
        cell.
    study : mapping of str to int, or list of such, optional
        Other numbers of levels, of which the report says how sure they would make the first difference. By
        default twice those of each sampled facet.
    correction : {"holm", "bonferroni", "bh", "none"}
        How p-values are corrected; the family is all pairs.
    level : float
        Nominal coverage; 1 - level is the level of the tests.
    alternative : {"two-sided", "greater", "less", "better"}
        As for `compare`.
    margin : float, optional
        The smallest difference that matters; turns on verdicts.
    rng, n_resamples, resampling
        The seed and the number of the generalised draws from which components have their intervals. No
        difference, no interval of one and no p-value depends on them.

    Returns
    -------
    FacetsComparison
        Scores and differences with intervals and tests, what each facet adds to their variance, and what
        other numbers of levels would give.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If a sampled facet has one level, two facets change together, nothing tells effects apart, or the
        metric is neither a mean over items nor a function of sums.

    See Also
    --------
    compare_runs : One facet, the runs, and all metrics.
    compare : One run of each system, item by item.
    compare_datasets : Datasets as a facet, each with its own difference.

    Notes
    -----
    Cells are averaged over fixed facets and over what lies in a sampled facet. Variance components follow
    from quadratic forms [1]_ [2]_, and the variance of the mean from these. Its error is referred to a
    mixture of two Student's t, one of what few levels bring and one of what goes on with the items, each with
    Satterthwaite's degrees of freedom [3]_, a relative of Cochran's approximation [4]_. With one facet this
    is Student's t test. Intervals of components are from generalised draws [5]_. Of a function of sums, the
    scores of runs and the influence of items on them take the place of values; where a class has few items,
    such as three, the interval of the score of one system is too short.

    It misleads where few levels carry most of the variance and are far from normal in one system: where one
    prompt in ten breaks one system, ten prompts mostly do not show it. No rule can allow for what was not
    seen; the note ``"rests_on_few"`` speaks wherever half of the variance rests on fewer than 20 levels. Two
    levels give intervals that are very long and can still be too short (``"two_levels"``).

    References
    ----------
    .. [1] Henderson (1953), Estimation of variance and covariance components, Biometrics 9, 226-252.
    .. [2] Brennan (2001), Generalizability Theory, chapters 4 to 7.
    .. [3] Satterthwaite (1946), An approximate distribution of estimates of variance components, Biometrics
       Bull. 2, 110-114.
    .. [4] Cochran (1964), Approximate significance levels of the Behrens-Fisher test, Biometrics 20, 191-195.
    .. [5] Weerahandi (1993), Generalized confidence intervals, J. Amer. Statist. Assoc. 88, 899-905.

    Examples
    --------
    >>> import numpy as np
    >>> from bestby import compare_facets
    >>> prompt, item = np.indices((3, 8))
    >>> gain = np.array([0.05, 0.10, 0.21])[prompt] + np.linspace(-0.2, 0.2, 8)[item]
    >>> new = gain + 0.05 * (-1.0) ** (prompt + item)
    >>> result = compare_facets({"new": new, "old": np.zeros((3, 8))}, facets="prompt")
    >>> d = result["new", "old"]
    >>> round(d.estimate, 3), round(d.standard_error, 4), round(d.p_value, 3)
    (0.12, 0.0665, 0.164)
    >>> {one.effect: round(one.share, 2) for one in d.components}
    {'prompt': 0.47, 'item': 0.5, 'prompt x item': 0.04}
    """
    how = checked_reading(reading, "compare_facets", "ignore system_column value_column")
    resampling = combined_settings(
        resampling, n_resamples, rng, function="compare_facets", unused="resample_size rescale executor cache"
    )
    drawing = Drawing.of(resampling)
    settings = Settings.checked(
        "facets", on_missing=on_missing, weights=weights, level=level, alternative=alternative,
        correction=correction, margin=margin, baseline=baseline,
    )  # fmt: skip
    named = names_of(fixed, "fixed"), names_of(unmatched, "unmatched")
    asked = Asked(facets, items, nested, *named, clusters, systems, how)
    cells = data_of(data, gold, metric, asked)
    if on_missing != "pairs":
        cells = cells.complete(on_missing)
    check_reach(settings.margin, cells.metric)
    result = _compared(cells, settings.among(cells.names), drawing, study)
    return with_backend(result, backend_of(data))


@dataclass(frozen=True)
class Settings(CheckedSettings):
    """The arguments of `compare_facets` that are not data; see there."""

    on_missing: str
    weights: str
    level: float
    alternative: Question
    correction: str
    margin: float | None
    baseline: str | None
    interval: str | None = METHOD
    test: str | None = METHOD


def _compared(data: FacetData, settings: Settings, drawing: Drawing, study: Any) -> FacetsComparison:
    analysis = Analysis(data, by_levels=settings.weights == "levels")
    name, greater = data.metric.name, data.metric.greater_is_better
    means = [analysis.score(s) for s in range(len(data.names))]
    order, places = family.order_and_pairs(
        np.array([mean.value for mean in means]), data.names, greater, settings.baseline, settings.alternative
    )
    pairs = {(data.names[a], data.names[b]): analysis.pair(a, b) for a, b in places}
    unadjusted = [_difference(names, pair, data.metric, settings, drawing) for names, pair in pairs.items()]
    differences = family.with_direction_notes(
        family.adjusted(unadjusted, settings.correction), settings.alpha
    )
    ranked = {data.names[s]: means[s] for s in order}
    scores, notes = _scores(ranked, pairs, differences, data.metric, settings)
    best_set = best.best_set(name, scores, settings.level)
    shown = differences[0]
    single = tuple(Facet(facet, 1.0, (), True) for facet in data.single)
    studies = _studies(shown, study)
    asked = {} if study is None else {"study": [dict(one.levels) for one in studies]}
    return FacetsComparison(
        metrics=(data.metric,),
        systems=scores,
        differences=differences,
        omnibus=(),
        notes=(
            *data.notes,
            *notes,
            *notes_on_design(data, differences, settings.weights),
            *note_rules.direction_notes(name, greater, settings.alternative),
        ),
        provenance=made_by(
            drawing,
            {"metrics": [name], "greater_is_better": greater, **settings.by_name(), **asked},
            {"systems": list(data.names), "design": design_text(shown.facets)},
            data.data_hash,
        ),
        n_items=shown.n_items,
        level=settings.level,
        correction=settings.corrected_by,
        margin=settings.margin,
        baseline=settings.baseline,
        facets=(*single, *shown.facets),
        studies=studies,
        weights=settings.weights,
        best_sets=() if best_set is None else (best_set,),
    )


def _scores(
    means: Mapping[str, Mean],
    pairs: Mapping[tuple[str, str], Pair],
    differences: Sequence[FacetDifference],
    metric: MetricInfo,
    settings: Settings,
) -> tuple[tuple[SystemScore, ...], list[Note]]:
    """Return the scores of the systems, the best first, and notes on them."""

    def interval(a: str, b: str, level: float) -> Interval | None:
        turned = (a, b) not in pairs
        found, _ = pairs[(b, a) if turned else (a, b)].mean.interval_at(level)
        return found.mirrored() if turned and found is not None else found

    may_be_best = best.set_by_bonferroni(
        {name: mean.value for name, mean in means.items()}, interval, settings, settings.baseline,
        greater_is_better=metric.greater_is_better,
    )  # fmt: skip
    lettered = settings.baseline is None
    standings = family.standings([*means], differences, settings.alpha, lettered=lettered)
    scores, notes = [], list(note_rules.group_notes(metric.name, standings[2], lettered=lettered))
    for place, (name, mean) in enumerate(means.items()):
        ends, interval_notes = mean.interval_at(settings.level, "constant_scores")
        notes += notes_about(interval_notes, metric.name, name)
        scores.append(
            SystemScore(
                metric.name, name, mean.value, ends, **family.standing(standings, place),
                standard_error=None if mean.error is None else mean.error.standard_error,
                standard_error_method=None if mean.error is None else "components",
                **standing(may_be_best, place),
            )
        )  # fmt: skip
    return tuple(scores), notes


def _difference(
    names: tuple[str, str], pair: Pair, metric: MetricInfo, settings: Settings, drawing: Drawing
) -> FacetDifference:
    (a, b), mean, alternative = names, pair.mean, settings.towards(metric.greater_is_better)
    notes: tuple[Note, ...] = ()
    interval = tost = error = None
    if mean.error is not None:
        interval, tost, notes = family.with_equivalence(mean.interval_at, settings.level, settings.margin)
        error, p = mean.error.standard_error, mean.error.p_value(mean.value, alternative)
    elif rounding.is_nothing(abs(mean.value), mean.scale):
        notes, p = (Note("identical", IDENTICAL),), 1.0
    else:
        raise InvalidInputError(
            f"{a} and {b} differ by the same in all cells: nothing shows how that would vary",
            hint="are the values scores of single cells, or means that were repeated?",
        )
    whole, draws = pair.design.whole, (drawing.n_resamples, drawing.seed)
    item = whole.codes[whole.nesting.items or many_levels(whole)]
    differs = np.abs(pair.cells) > rounding.noise_width(mean.scale)
    d = FacetDifference(
        metric=metric.name, a=a, b=b, estimate=mean.value, score_a=pair.scores[0], score_b=pair.scores[1],
        interval=interval, level=settings.level,
        test=TestResult(
            METHOD, p, alternative, False, "asymptotic", statistic=mean.value / error if error else 0.0
        ),
        p_adjusted=p, greater_is_better=metric.greater_is_better,
        n_items=int(item.max()) + 1, n_differing=np.unique(item[differs]).size,
        standard_error=error, standard_error_method=None if error is None else "components",
        facets=facets_of(whole.nesting, sizes_in(whole)), freedom=mean.freedom,
        components=components_of(pair, settings.level, draws), draws=draws,
        runs_interval=pair.interval_of_runs(settings.level),
    )  # fmt: skip
    notes = notes_about((*notes, *notes_on_pair(mean, d)), metric.name, a, b)
    return family.with_verdict(dataclasses.replace(d, notes=notes), tost, settings.margin)


def _studies(d: FacetDifference, study: Any) -> tuple[FacetStudy, ...]:
    """Return what the numbers of levels that were asked for would give, or twice those of each facet."""
    if study is not None:
        asked = [study] if isinstance(study, Mapping) else arrays.listed(study, "study")
    else:
        asked = [{one.name: max(2, round(2 * one.levels))} for one in d.facets if not one.fixed]
    now = np.array([one.levels for one in d.facets])
    sizes = [sizes_of(levels, d.nesting, now) for levels in asked]
    if not d.components or not sizes:
        return ()
    return d.at(d.estimates, np.array(sizes))
