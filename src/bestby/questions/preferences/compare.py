"""`compare_preferences`: systems by which of two was preferred, judgement by judgement."""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from bestby._core import rounding, special
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import counted, quoted
from bestby._core.typing import Array, ArrayLike, Correction, FloatArray, IntArray, Question, Rng, Scale, Ties
from bestby.comparisons import family, many_systems, note_rules, swap_notes
from bestby.comparisons.best import best_set, is_asked
from bestby.comparisons.one_metric import MOST_HELD
from bestby.comparisons.provenance import made_by
from bestby.comparisons.settings import CheckedSettings
from bestby.data.reading import Reading, checked_reading
from bestby.data.roles import listed
from bestby.data.table import backend_of
from bestby.engine.base import Drawing
from bestby.inference import best, multiplicity, permutation, samples, skewness
from bestby.inference.clusters import FEW_CLUSTERS
from bestby.questions.preferences import doubts
from bestby.questions.preferences.precision import quantile, variance_between
from bestby.questions.preferences.result import (
    KINDS,
    Covariate,
    FitTest,
    OrderEffect,
    PlainScore,
    PreferenceComparison,
    PreferencePairs,
    PreferenceScore,
)
from bestby.questions.preferences.source import Judgements, Preferences, data_of
from bestby.questions.preferences.strengths import Share, Strengths, bounds, shares_won, strengths
from bestby.report.pairs import Differences
from bestby.report.reported import with_backend
from bestby.resampling.settings import Resampling, combined_settings
from bestby.results.base import MetricInfo, Note, Provenance
from bestby.results.values import Interval, TestResult, defined
from bestby.vocabulary import PreferenceInterval, PreferenceTest

ELO = 400.0 / math.log(10.0)
"""Points on the Elo scale per unit of log strength."""

ELO_MEAN = 1000.0
"""The mean strength on the Elo scale."""


@with_suggestions
def compare_preferences(
    data: Preferences | Any,
    *,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    items: str | None = None,
    a: str = "a",
    b: str = "b",
    winner: str = "winner",
    clusters: ArrayLike | str | Sequence[str] | None = None,
    voter: ArrayLike | str | None = None,
    covariates: Any = None,
    order: Literal["auto"] | bool = "auto",
    reading: Reading | None = None,
    ties: Ties = "half",
    scale: Scale = "log",
    prior: Literal["jeffreys"] | None = None,
    voter_weights: Literal["votes", "shrunk"] = "votes",
    interval: PreferenceInterval | None = "auto",
    test: PreferenceTest | None = "auto",
    correction: Correction = "holm",
    level: float = 0.95,
    alternative: Question = "two-sided",
    margin: float | None = None,
    rng: Rng = 0,
    n_resamples: int = 10_000,
    resampling: Resampling | None = None,
) -> PreferenceComparison:
    """Compare systems by judgements of which of two was better.

    Parameters
    ----------
    data : sequence of tuples, mapping of columns, data frame, or Preferences
        Judgements: (a, b, winner) or (item, a, b, winner), with the names of two systems and of the one
        preferred, or "tie". "a" and "b" also stand for the first and the second, unless one of the two has
        that name. A frame has a row per judgement. Or what `read_preferences` returns.
    systems : str or list of str, optional
        The judgements of these systems (all by default, without those to ignore) with each other only, by
        name or by pattern, such as ``"gpt-*"``.
    baseline : str, optional
        Compare every other system with this one only; otherwise every pair.
    items, a, b, winner : str
        The columns of a frame. Those called model_a, model_b, preference and item (or id) are used if there
        are any, as by `read_preferences`.
    clusters : array_like, shape (n,), str, or two of these, optional
        The cluster of each judgement, or the column with it: judgements of one cluster belong together. Two
        groupings, such as ``["prompt", "voter"]``, are allowed for at once. By default the items (prompts),
        if there are any.
    voter : array_like, shape (n,), or str, optional
        Who judged, or the column with it, to find voters who decide the result; by default the cluster that
        is called so.
    covariates : list of str or of pairs, array_like, or mapping of str to array_like, optional
        What strengths are to be had without, such as the length of answers: ``["len"]`` for the columns len_a
        and len_b, pairs of columns, or differences, the first less the second.
    order : bool or "auto"
        Whether an effect of being shown first is in the model. "auto": wherever the judgements identify it,
        which takes pairs that were shown both ways; never by whether it is significant.
    reading : Reading, optional
        How the data are read: `ignore`.
    ties : {"half", "davidson"}
        "half": a tie is half a win for both (Bradley and Terry's model). "davidson": ties have a probability
        of their own.
    scale : {"log", "elo"}
        The scale of strengths: logarithms with the mean 0; or 400 / ln 10 times that, plus 1000, on which 400
        points are odds of ten to one.
    prior : {"jeffreys"}, optional
        Jeffreys' prior, which gives a system that won or lost all a finite strength, nearly without bias.
    voter_weights : {"votes", "shrunk"}
        "votes": every judgement counts the same, which estimates the preference of the mean vote. "shrunk":
        each counts less the more its voter gave, as far as voters differ, which estimates that of the mean
        voter: the same if preferences do not depend on how much somebody votes, and far surer.
    interval : {"auto"} or None
        "auto": by robust standard errors and Student's t; where an estimate is infinite, its other end by
        likelihood. None: no intervals and no standard errors.
    test : {"auto", "permutation", "wald"} or None
        "permutation": exchanges two systems in the judgements of just these two, clusters taken together; it
        knows of nothing else. "wald": whether strengths differ, by their difference over its standard error.
        "auto" is "permutation" for two systems with nothing else in the model, else "wald".
        None: no test, so no p-values, ranks and groups.
    correction : {"holm", "bonferroni", "bh", "none"}
        How p-values are corrected; the family is all pairs.
    level : float
        Nominal coverage; 1 - level is the level of the tests.
    alternative : {"two-sided", "greater", "less", "better"}
        "greater" and "better" ask whether A is stronger than B. One-sided pairs stand in the order of the
        names. Intervals are two-sided always.
    margin : float, optional
        The smallest difference of strengths that matters, on their scale; turns on verdicts, which need
        intervals.
    rng, n_resamples, resampling
        As for `compare`, for drawn permutations.

    Returns
    -------
    PreferenceComparison
        Strengths and win rates with intervals, ranks, and for every pair the probability that one is
        preferred, with its interval and a test.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given.
    DesignError
        If an order effect is asked for that the judgements do not identify, if covariates cannot be told from
        strengths or have no finite coefficients, or if two systems never met, for the permutation test.

    See Also
    --------
    read_preferences : Judgements from a table or the annotations of a tool.
    compare : Win rates as scores, item by item, for graded preferences.

    Notes
    -----
    All judgements count the same whenever they were made: strengths are estimated by maximum likelihood, not
    followed from game to game as sequential Elo ratings are, which depend on the order of the games.

    The model is logit P(i, shown first, beats j) = th_i - th_j + g + x'b [1]_, a tie being half a win by
    quasi-likelihood, or Davidson's [2]_ [3]_. Covariances are sandwiches over judgements (HC3) or over
    clusters, of which those with leverage are left out one by one (CR3) [4]_; Student's t then has as many
    degrees of freedom as there are clusters of equal size, less one. With two groupings the variances are
    added, less that of both crossed [5]_. Below 30 clusters intervals can be too short, as the note
    `few_clusters` says.

    A system that won or lost all has no finite strength: its differences have one bound, by likelihood
    without covariates, and its rank follows from the tests; judgements of one cluster count as one there.
    ``prior="jeffreys"`` [6]_ gives it a finite strength.

    References
    ----------
    .. [1] Bradley & Terry (1952), Rank analysis of incomplete block designs: the method of paired
       comparisons, Biometrika 39, 324-345.
    .. [2] Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired comparison
       experiments, J. Amer. Statist. Assoc. 65, 317-328.
    .. [3] Davidson & Beaver (1977), On extending the Bradley-Terry model to incorporate within-pair order
       effects, Biometrics 33, 693-702.
    .. [4] Bell & McCaffrey (2002), Bias reduction in standard errors for linear regression with multi-stage
       samples, Surv. Methodol. 28, 169-181.
    .. [5] Cameron, Gelbach & Miller (2011), Robust inference with multiway clustering, J. Bus. Econ. Statist.
       29, 238-249.
    .. [6] Firth (1993), Bias reduction of maximum likelihood estimates, Biometrika 80, 27-38.

    Examples
    --------
    >>> from bestby import compare_preferences
    >>> judged = [("new", "old", "new")] * 30 + [("old", "new", "old")] * 10 + [("new", "old", "tie")] * 8
    >>> difference = compare_preferences(judged)["new", "old"]
    >>> round(difference.probability, 4), round(difference.p_value, 5), difference.exact
    (0.7083, 0.00222, True)
    """
    how = checked_reading(reading, "compare_preferences", "ignore")
    unused = "executor cache resample_size rescale"
    resampling = combined_settings(
        resampling, n_resamples, rng, function="compare_preferences", unused=unused
    )
    settings = Settings.checked(
        "preferences", ties=ties, scale=scale, prior=_checked_prior(prior), interval=interval, level=level,
        test=test, alternative=alternative, correction=correction, margin=margin, baseline=baseline,
        order=_checked_order(order), voter_weights=voter_weights,
    )  # fmt: skip
    drawing = Drawing.of(resampling)
    judged = data_of(
        data, clusters, voter=voter, covariates=covariates, systems=systems, ignore=how.ignore, a=a, b=b,
        winner=winner, items=items,
    )  # fmt: skip
    settings = settings.among(judged.systems)
    if settings.voter_weights == "shrunk" and judged.voter is None:
        raise InvalidInputError(
            'voter_weights="shrunk" weighs the judgements of a voter, and there are no voters',
            hint="name who judged: voter=...",
            argument="voter_weights",
        )
    found = strengths(
        judged, davidson=settings.ties == "davidson", jeffreys=settings.prior is not None,
        order=settings.order, voter_weights=settings.voter_weights,
    )  # fmt: skip
    return with_backend(_compared(found, settings, drawing), backend_of(data))


def _checked_prior(prior: Any) -> str | None:
    if prior is None or (isinstance(prior, str) and prior == "jeffreys"):
        return prior
    if isinstance(prior, int | float) and not isinstance(prior, bool) and prior == 0:
        return None  # as version 0.2.0 wrote it
    raise InvalidInputError(
        f'prior must be "jeffreys" or None, got {quoted(prior)}: judgements half won and half lost draw'
        " systems far ahead together, and their intervals miss the truth",
        hint='prior="jeffreys" gives finite strengths nearly without bias',
        argument="prior",
    )


def _checked_order(order: Any) -> bool | str:
    if isinstance(order, bool | np.bool_) or (isinstance(order, str) and order == "auto"):
        return order if isinstance(order, str) else bool(order)
    raise InvalidInputError(
        f'order must be "auto", True or False, got {quoted(order)}',
        hint="whether an effect of being shown first is in the model",
        argument="order",
    )


@dataclass(frozen=True)
class Settings(CheckedSettings):
    """The arguments of `compare_preferences` that are not data; see there."""

    ties: str
    scale: str
    prior: str | None
    interval: str | None
    level: float
    test: str | None
    alternative: Question
    correction: str
    margin: float | None
    baseline: str | None
    order: bool | str
    voter_weights: str

    @property
    def metric(self) -> str:
        """What the strengths are called."""
        return "elo" if self.scale == "elo" else "strength"

    @property
    def unit(self) -> float:
        """Points of the scale per unit of log strength."""
        return ELO if self.scale == "elo" else 1.0

    @property
    def mean(self) -> float:
        """The mean strength on the scale."""
        return ELO_MEAN if self.scale == "elo" else 0.0


def _compared(found: Strengths, settings: Settings, drawing: Drawing) -> PreferenceComparison:
    judged, names = found.judged, found.judged.systems
    order, chosen = family.order_and_pairs(found.places, names, True, settings.baseline, settings.alternative)
    a, b = np.array(chosen, dtype=np.int64).reshape(-1, 2).T
    tests = _swap_tests(found, a, b, settings, drawing)
    pairs, unbounded = _pairs(found, a, b, tests, settings)
    differences: Any = Differences((pairs,))
    if len(pairs) <= MOST_HELD or tests:
        with_tests = (replace(d, test=test) for d, test in zip(pairs, tests, strict=True))
        differences = family.with_direction_notes(tuple(with_tests if tests else pairs), settings.alpha)
    standings = None
    if settings.test is not None:
        better = many_systems.beaten(pairs, order)
        standings = family.standings_of(better, lettered=settings.baseline is None)
    may_be_best = _set_of_best(found, pairs, settings, drawing)
    won = shares_won(judged, found.trials, settings.level)
    fitted = doubts.fit_test(found)
    estimates = _estimates(found, settings)
    effects = estimates[len(names) + found.ordered :]  # of covariates, and of ties behind them
    covariates = zip(judged.covariate_names, effects, found.sd.tolist(), strict=False)
    tied = estimates[-1][2] if found.fit.tie else None  # on the scale of the logarithm
    systems = _scores(found, order, standings, may_be_best, won, settings)
    best_ones = best_set(settings.metric, systems, settings.level)
    result = PreferenceComparison(
        metrics=(MetricInfo(settings.metric, True, (-math.inf, math.inf)),), systems=systems,
        differences=differences, omnibus=(), notes=(), provenance=_provenance(found, settings, drawing),
        n_items=judged.n, level=settings.level, correction=settings.corrected_by, margin=settings.margin,
        baseline=settings.baseline,
        n_clusters=min((clusters.n for clusters in judged.clusters.values()), default=0),
        tie_model=settings.ties, tie_parameter=found.fit.tie,
        tie_interval=tied and replace(tied, low=math.exp(tied.low), high=math.exp(tied.high)),
        prior=settings.prior, order=_order_effect(found, pairs, won[-1], fitted, settings),
        covariates=tuple(Covariate(name, *one, sd) for name, one, sd in covariates),
        without_covariates=_without_covariates(found, order, settings), fit=fitted,
        influence=doubts.influence(found, settings.unit) if settings.interval is not None else (),
        best_sets=() if best_ones is None else (best_ones,),
    )  # fmt: skip
    notes = (
        *judged.notes,
        *_notes_on_swaps(judged, tests, settings),
        *_notes(result, judged, settings, unbounded),
        *judged.unused,
        *note_rules.direction_notes(settings.metric, True, settings.alternative),
        *note_rules.resample_notes(settings.metric, tests, settings.correction, settings.alpha),
    )
    return replace(result, notes=notes)


# -- pairs -----------------------------------------------------------------------------------------


def _pairs(
    found: Strengths, a: IntArray, b: IntArray, tests: list[TestResult], settings: Settings
) -> tuple[PreferencePairs, tuple[int, int]]:
    """Return the differences of all pairs, and how many infinite ones have no bound and no test."""
    judged, fit, side, unit = found.judged, found.fit, settings.towards(True), settings.unit
    bounded, tested = settings.interval is not None, settings.test is not None
    nothing = np.full(a.size, np.nan)
    levels = settings.level, family.equivalence_level(settings.level, settings.margin) or settings.level
    same = fit.component[a] == fit.component[b]
    over, under = found.reach[a, b] & ~same, found.reach[b, a] & ~same
    gap = fit.strengths[a] - fit.strengths[b]
    gap = np.where(np.abs(gap) < rounding.spread_width(1.0), 0.0, gap)
    gap = np.where(same, gap, np.select([over, under], [np.inf, -np.inf], np.nan))
    error, df = found.precision.of(variance_between(a, b))
    error = np.where(same, error, np.nan)
    infinite = np.flatnonzero(over | under)
    ahead = over[infinite]
    lead = np.where(ahead, [a[infinite], b[infinite]], [b[infinite], a[infinite]]).T
    lows, of_both, lacking = bounds(found, lead, levels)
    # Ends that only rounding separates from 0 or the margin lie on it
    marks, ones = family.marks(settings.margin and settings.margin / unit), np.ones(a.size)

    def ends(level: float) -> tuple[FloatArray, FloatArray]:
        if not bounded:
            return nothing, nothing
        with np.errstate(invalid="ignore"):
            half = quantile(level, df) * error
            low, high = gap - half, gap + half
        low[infinite] = np.where(ahead, lows[level], -np.inf)
        high[infinite] = np.where(ahead, np.inf, -lows[level])
        return unit * rounding.on_marks(low, marks, ones), unit * rounding.on_marks(high, marks, ones)

    (low, high), tost = map(ends, levels)
    # Units that all point one way are the least that a test of theirs can see
    n_units = min([judged.n, 1000, *(clusters.n for clusters in judged.clusters.values())])
    least = max((1.0 if side != "two-sided" else 2.0) * 0.5**n_units, sys.float_info.min)
    ratio = np.divide(gap, error, out=np.zeros(a.size), where=same & (error > 0.0))
    p = np.where(same, np.maximum(_p_of(ratio, df, side), least), 1.0)
    towards = np.where(ahead == (side == "greater"), 0.5 * of_both, 1.0 - 0.5 * of_both)
    p[infinite] = of_both if side == "two-sided" else towards
    statistic = np.where(np.isnan(gap), 0.0, gap)
    if tests:
        p, statistic = np.array([(test.p_value, test.statistic) for test in tests]).T
    wins, ties, losses = (x[a, b].astype(np.int64) for x in found.trials.records)
    with np.errstate(invalid="ignore"):
        verdict = family.verdicts(low, high, *tost, settings.margin, True)
    pairs = PreferencePairs(
        metric=settings.metric, greater_is_better=True, names=judged.systems,
        scores=settings.mean + unit * found.scores, a=a, b=b, estimate=unit * gap, low=low, high=high,
        standard_error=unit * error if bounded else nothing, p_value=p if tested else nothing,
        p_adjusted=multiplicity.adjust(p, settings.correction) if tested else nothing,
        statistic=unit * statistic if tested else nothing, n_differing=wins + losses,
        how=(over | under).astype(np.uint8), verdict=verdict, methods=("asymptotic",) * len(KINDS),
        n_items=judged.n, level=settings.level, interval="wald" if bounded else None,
        test="wald" if tested else None, alternative=side, told={}, margin=settings.margin,
        equivalence=None if settings.margin is None else tost, equivalence_level=levels[1], wins=wins,
        ties=ties, losses=losses, probability=fit.preferred(gap), probability_low=fit.preferred(low / unit),
        probability_high=fit.preferred(high / unit),
    )  # fmt: skip
    return pairs, lacking


def _p_of(ratio: FloatArray, df: FloatArray, side: str) -> FloatArray:
    """Return p-values of Student's t."""
    if side == "two-sided":
        return np.asarray(2.0 * special.stdtr(df, -np.abs(ratio)))
    return np.asarray(special.stdtr(df, -ratio if side == "greater" else ratio))


# -- the permutation test ----------------------------------------------------------------------------


def _swap_tests(
    found: Strengths, a: IntArray, b: IntArray, settings: Settings, drawing: Drawing
) -> list[TestResult]:
    """Return the permutation tests of all pairs; none where another test was asked for."""
    judged = found.judged
    only_two = settings.test == "auto" and len(judged.systems) == 2
    why = {
        "knows of no order effect, which is in the model": found.ordered,
        "knows of no covariates": bool(judged.covariate_names),
        "knows of no weights of voters": judged.weights is not None,
        "does so within clusters, of which there are two crossed groupings": len(judged.clusters) > 1,
    }
    reason = next((reason for reason, holds in why.items() if holds), None)
    if settings.test != "permutation" and (not only_two or reason is not None):
        return []
    if reason is not None:
        raise DesignError(
            f"the permutation test exchanges systems, and {reason}", hint='test="wald" allows for it'
        )
    return [_swap_test(judged, *pair, settings, drawing) for pair in zip(a.tolist(), b.tolist(), strict=True)]


def _swap_test(judged: Judgements, a: int, b: int, settings: Settings, drawing: Drawing) -> TestResult:
    """Return the test of two systems, exchanged in the judgements of just these two, by cluster.

    The statistic is wins less losses, a share. Where swaps end, Hall's t of clusters may go on.
    """
    leads, n, side = *_leads(judged, a, b), settings.towards(True)
    if n == 0:
        raise DesignError(
            f"{judged.systems[a]} and {judged.systems[b]} were never judged against each other",
            hint='test="wald" compares their strengths, to which all judgements add',
        )
    test = samples.permutation_test(
        leads, np.zeros(leads.size), "mean", side, paired=True, n_resamples=drawing.n_resamples,
        seed=drawing.seed,
    )  # fmt: skip
    test = replace(test, statistic=float(leads.sum()) / n)
    # Where all clusters point the same way
    stuck = leads.size >= skewness.FEWEST and permutation.at_least_p(test, leads.size)
    if settings.test != "auto" or not stuck:
        return test
    mean, error = float(leads.mean()), skewness.error_of_mean(leads, skewness.FOR_INTERVALS)
    if rounding.is_nothing(error.se, abs(mean)):
        return test
    return permutation.refined(test, leads.size, skewness.wald(mean, error, side, "hall"))


def _leads(judged: Judgements, a: int, b: int) -> tuple[FloatArray, int]:
    """Return wins less losses of A against B, a number per unit that has any, and how often the two met."""
    forth, back = (judged.first == a) & (judged.second == b), (judged.first == b) & (judged.second == a)
    met = forth | back
    leads = np.where(forth, judged.outcome - 1.0, 1.0 - judged.outcome)[met]
    n = leads.size
    for clusters in judged.clusters.values():
        codes = clusters.codes[met]
        leads = np.bincount(codes, leads)[np.bincount(codes) > 0]
    return leads, n


# -- systems, order, covariates ----------------------------------------------------------------------


Estimate = tuple[float, float, Interval | None, float]
"""A parameter with its standard error, interval and two-sided p-value."""


def _estimates(found: Strengths, settings: Settings) -> list[Estimate]:
    """Return the estimates of all parameters."""
    values, (error, df) = found.fit.parameters, found.precision.of(np.diagonal)
    half = quantile(settings.level, df) * error
    p = _p_of(np.divide(values, error, out=np.zeros(values.size), where=error > 0.0), df, "two-sided")
    ends = zip((values - half).tolist(), (values + half).tolist(), strict=True)
    intervals = [defined(Interval(*both, settings.level, "wald", True))[0] for both in ends]
    intervals = intervals if settings.interval is not None else [None] * values.size
    return [*zip(values.tolist(), error.tolist(), intervals, p.tolist(), strict=True)]


def _strengths(found: Strengths, settings: Settings) -> list[tuple[float, float, Interval | None]]:
    """Return strengths on their scale, with standard errors, and intervals of those that are finite."""
    mean, unit, out = settings.mean, settings.unit, []
    scores = (mean + unit * found.scores).tolist()
    for score, (_, error, ends, _) in zip(scores, _estimates(found, settings), strict=False):
        if ends is not None:
            ends = replace(ends, low=mean + unit * ends.low, high=mean + unit * ends.high)
        out.append((score, unit * error, ends if math.isfinite(score) else None))
    return out


def _set_of_best(
    found: Strengths, pairs: PreferencePairs, settings: Settings, drawing: Drawing
) -> best.SetOfBest | None:
    """Return which systems may be the best, and how far each is behind it, as `compare` has them.

    Of two systems of which one never lost to the other, the evidence is that of the likelihood.
    """
    size = len(pairs.names)
    two_sided = pairs.alternative == "two-sided"
    if not is_asked(size, settings, settings.baseline):
        return None
    i, j = np.divmod(np.arange(size * size), size)
    error, df = (x.reshape(size, size) for x in found.precision.of(variance_between(i, j)))
    gap = np.full((size, size), np.nan)
    np.fill_diagonal(gap, 0.0)
    gap[pairs.a, pairs.b] = pairs.estimate / settings.unit
    gap[pairs.b, pairs.a] = -pairs.estimate / settings.unit
    finite = np.isfinite(gap)
    evidence = best.evidence_by_t(np.where(finite, gap, np.nan), error, df)
    ahead = np.isinf(pairs.estimate) & two_sided
    shown = np.sign(pairs.estimate[ahead]) * -special.ndtri(0.5 * pairs.p_value[ahead])
    evidence[pairs.a[ahead], pairs.b[ahead]], evidence[pairs.b[ahead], pairs.a[ahead]] = shown, -shown
    spread = multiplicity.Spread.normal(found.precision.covariance[:size, :size], float(df.min()) + 1.0)
    needed = best.kept(evidence, best.points(None, size, settings.alpha, drawing.seed))
    points = best.points(spread, size, settings.alpha, drawing.seed, needed)
    upper = best.upper_by_t(gap, error, df, points)

    def ends(candidate: int) -> FloatArray:
        of_pair = np.where(finite[candidate], upper(candidate), np.maximum(gap[candidate], 0.0))
        return settings.unit * of_pair

    return best.set_of_best(best.kept(evidence, points), ends)


def _scores(
    found: Strengths,
    order: Sequence[int],
    standings: Any,
    may_be_best: best.SetOfBest | None,
    won: list[Share],
    settings: Settings,
) -> tuple[PreferenceScore, ...]:
    cells, bounded = found.trials, settings.interval is not None
    wins, ties, losses = (x.sum(axis=1) for x in cells.records)
    first = cells.table(cells.count).sum(axis=1) / (wins + ties + losses)
    strengths_of, out = _strengths(found, settings), []
    for position, s in enumerate(order):
        score, robust, interval = strengths_of[s]
        fisher = settings.unit * math.sqrt(max(float(found.fit.inverse[s, s]), 0.0))
        errors = (fisher, "fisher", robust) if bounded and math.isfinite(score) else (None, None, None)
        one = PreferenceScore(
            metric=settings.metric, system=found.judged.systems[s], score=score, interval=interval,
            standard_error=errors[0], standard_error_method=errors[1], robust_error=errors[2],
            win_rate=won[s][0], win_rate_interval=won[s][1] if bounded else None, wins=int(wins[s]),
            ties=int(ties[s]), losses=int(losses[s]), first_share=float(first[s]),
            **family.standing(standings, position), **best.standing(may_be_best, s),
        )  # fmt: skip
        out.append(one)
    return tuple(out)


def _order_effect(
    found: Strengths, pairs: PreferencePairs, won: Share, fitted: FitTest | None, settings: Settings
) -> OrderEffect:
    names = found.judged.systems
    effect = OrderEffect(
        found.status, left=found.identified.left, within=found.identified.within, share=won[0],
        share_interval=won[1] if settings.interval else None,
    )  # fmt: skip
    if found.ordered:
        estimate, error, interval, p = _estimates(found, settings)[len(names)]
        chance = float(found.fit.preferred(np.array([estimate]))[0])
        plain = replace(found, fit=found.without_order)
        (x, y), scores = family.ranked(plain.places, names, True)[:2], plain.scores.tolist()
        lead = settings.unit * (scores[x] - scores[y])
        return replace(
            effect, estimate=estimate, standard_error=error, interval=interval, p_value=p, probability=chance,
            by_pair_p=None if fitted is None else doubts.order_by_pair(found.fit, fitted.design_effect),
            without=(names[x], names[y], lead) if math.isfinite(lead) else (),
        )  # fmt: skip
    undone_by, undone = (None, ()) if settings.test is None else _undone(found, pairs)
    return replace(effect, undone_by=undone_by, undone=undone)


def _undone(found: Strengths, pairs: PreferencePairs) -> tuple[float | None, tuple[str, ...]]:
    """Return the smallest order effect that would undo a significant difference, to first order.

    Strengths change by -V b per unit of the effect, where b is the information that they share with it.
    """
    plain = found.without_order
    S = plain.trials.size
    change = plain.inverse[:S, :S] @ found.identified.shared
    per_unit = change[pairs.a] - change[pairs.b]
    at = np.flatnonzero((pairs.sides != 0) & np.isfinite(pairs.estimate) & (np.abs(per_unit) > 1e-9))
    if not at.size:
        return None, ()
    gap = plain.strengths[pairs.a[at]] - plain.strengths[pairs.b[at]]
    needed = np.abs(gap / per_unit[at])
    place = int(needed.argmin())
    stronger = pairs.a[at[place]], pairs.b[at[place]]
    stronger = stronger if gap[place] > 0 else stronger[::-1]
    return float(needed[place]), tuple(found.judged.systems[s] for s in stronger)


def _without_covariates(found: Strengths, order: Sequence[int], settings: Settings) -> tuple[PlainScore, ...]:
    """Return the strengths without covariates, the best first."""
    if not found.judged.covariate_names:
        return ()
    plain, names = replace(found, fit=found.plain), found.judged.systems
    out, strengths_of, place = [], _strengths(plain, settings), {s: k for k, s in enumerate(order, start=1)}
    for rank, s in enumerate(family.ranked(plain.places, names, True), start=1):
        score, _, interval = strengths_of[s]
        out.append(PlainScore(names[s], score, interval, rank, place[s]))
    return tuple(out)


# -- notes and provenance ----------------------------------------------------------------------------


def _notes(
    c: PreferenceComparison, judged: Judgements, settings: Settings, unbounded: tuple[int, int]
) -> Iterator[Note]:
    """Yield notes on what was judged, and on systems without limits."""
    bounded = settings.interval is not None
    if bounded and 0 < c.n_clusters < FEW_CLUSTERS:
        message = f"there are only {c.n_clusters} clusters: intervals can be too short below {FEW_CLUSTERS}"
        yield Note("few_clusters", message)
    if bounded and (alone := _known_by_one_cluster(judged)):
        message = (
            f"all judgements of {listed(alone)} are of one cluster: how much clusters differ cannot be seen"
            " there, and intervals are too short"
        )
        yield Note("few_clusters", message)
    decided = sum(entry.wins for entry in c.systems)
    # Judgements that are no tie, for each system but one, below which intervals are too long
    if bounded and decided < 6 * (len(judged.systems) - 1):
        message = (
            f"only {decided} of {judged.n} judgements are no tie: with so few, no interval meets its level;"
            " these cover more than they say"
        )
        yield Note("few_differing", message)
    if settings.ties == "half" and (n_ties := judged.n - decided):
        message = f"{counted(n_ties, 'tie')} {'counts' if n_ties == 1 else 'count'} as half a win for both"
        too_large = "the standard errors of the Fisher information treat them as wins and losses, and are"
        yield Note("ties_as_halves", message + f"; {too_large} too large" * bounded)
    if any(unbounded):
        message = (
            f"of {unbounded[0]} infinite differences no bound was computed, and {unbounded[1]} were not"
            ' tested, which would take long: prior="jeffreys" gives all of them estimates and intervals'
        )
        yield Note("unbounded", message)


def _known_by_one_cluster(judged: Judgements) -> list[str]:
    """Return the systems that one cluster alone tells of."""
    alone, shown = np.zeros(len(judged.systems), np.bool_), (judged.first, judged.second)
    for clusters in judged.clusters.values():
        some, several = np.zeros(alone.size, clusters.codes.dtype), np.zeros(alone.size, np.bool_)
        for side in shown:
            some[side] = clusters.codes
        for side in shown:
            several[side[clusters.codes != some[side]]] = True
        alone |= ~several
    return [judged.systems[s] for s in np.flatnonzero(alone)]


def _notes_on_swaps(judged: Judgements, tests: list[TestResult], settings: Settings) -> list[Note]:
    """Return a note where two systems were judged in so few units that no swap can decide."""
    if len(judged.systems) != 2 or not tests:
        return []
    n, units = _leads(judged, 0, 1)[0].size, "clusters" if judged.clusters else "judgements"
    return swap_notes.notes_on_few(n, units, tests, settings, (settings.metric,))


def _provenance(found: Strengths, settings: Settings, drawing: Drawing) -> Provenance:
    judged = found.judged
    numbers: dict[str, Any] = {"judgements": judged.n, "systems": list(judged.systems)}
    if sizes := [clusters.n for clusters in judged.clusters.values()]:
        numbers["clusters"] = sizes[0] if len(sizes) == 1 else sizes
    if judged.covariate_names:
        numbers["covariates"] = list(judged.covariate_names)
    return made_by(drawing, {"metrics": [settings.metric], **settings.by_name()}, numbers, _data_hash(judged))


def _data_hash(judged: Judgements) -> str:
    """Hash the judgements, whatever their order; which system was shown first counts."""
    digest = hashlib.blake2b("|".join(judged.systems).encode(), digest_size=8)
    size = len(judged.systems)
    keys = (judged.outcome.astype(np.int64) * size + judged.first) * size + judged.second

    def in_order(numbers: Array) -> Array:
        numbers += keys  # in place, as there may be many
        numbers.sort()
        return numbers

    for codes in [clusters.codes for clusters in judged.clusters.values()] or [np.zeros(judged.n, np.int8)]:
        digest.update(in_order(codes.astype(np.int64) * (3 * size * size)).view(np.uint8).data)
    for column in judged.covariates.T:
        # Complex numbers are sorted by the real part, then the other, in half the time of two sorts
        digest.update(np.ascontiguousarray(in_order(1j * column).imag).view(np.uint8).data)
    return digest.hexdigest()
