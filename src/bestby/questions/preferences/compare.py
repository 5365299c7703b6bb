"""`compare_preferences`: systems by which of two was preferred, judgement by judgement."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core import rounding
from bestby._core.errors import DesignError
from bestby._core.keywords import with_suggestions
from bestby._core.text import counted
from bestby._core.typing import Array, ArrayLike, Correction, Question, Rng, Scale, Ties
from bestby.comparisons import family, note_rules, swap_notes
from bestby.comparisons.provenance import hash_of_rows, made_by
from bestby.comparisons.settings import CheckedSettings
from bestby.data.reading import Reading, checked_reading
from bestby.data.table import backend_of
from bestby.engine.base import Drawing
from bestby.questions.preferences.bradley_terry import ELO
from bestby.questions.preferences.fitting import (
    Fit,
    bootstrap_test,
    fitted,
    gap_interval,
    permutation_test,
    preference_interval,
    refined,
    strength_interval,
    tie_interval,
    wald_test,
    win_rate_interval,
)
from bestby.questions.preferences.matrices import Data, WinMatrices
from bestby.questions.preferences.result import PreferenceComparison, PreferenceDifference, PreferenceScore
from bestby.questions.preferences.source import Columns, Preferences, data_of
from bestby.report.reported import with_backend
from bestby.resampling.settings import Resampling, combined_settings
from bestby.results.base import MetricInfo, Note, Provenance
from bestby.results.values import TestResult
from bestby.vocabulary import PreferenceInterval, PreferenceTest

ELO_MEAN = 1000.0
"""The mean strength on the Elo scale."""

FEW_CLUSTERS = 50
"""Clusters below which intervals can be too short."""


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
    clusters: ArrayLike | str | None = None,
    reading: Reading | None = None,
    ties: Ties = "half",
    scale: Scale = "log",
    prior: float = 0.0,
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
    clusters : array_like, shape (n,), or str, optional
        The cluster of each judgement, or the column with it: judgements of one cluster are drawn together.
        By default the items (prompts), if there are any.
    reading : Reading, optional
        How the data are read: `ignore`.
    ties : {"half", "davidson"}
        "half": a tie is half a win for both (Bradley and Terry's model). "davidson": ties have a probability
        of their own.
    scale : {"log", "elo"}
        The scale of strengths: logarithms with the mean 0; or 400 / ln 10 times that, plus 1000, on which 400
        points are odds of ten to one.
    prior : float
        That many judgements, half of them won and half lost, are added between every two systems, so that
        one which won or lost all has a finite strength.
    interval : {"auto"} or None
        "auto": score intervals. None: no intervals and no standard errors, which saves
        their time.
    test : {"auto", "permutation", "wald", "bootstrap"} or None
        "permutation": of the judgements of just the two systems, exact, by clusters; no model. "wald":
        whether two strengths differ, by their difference over its standard error, clusters taken together.
        "bootstrap": the same by the resamples. "auto" is "permutation" for two systems, "wald" for more.
        None: no test, so no p-values, ranks and groups, which saves their time.
    correction : {"holm", "bonferroni", "bh", "none"}
        How p-values are corrected; the family is all pairs.
    level : float
        Nominal coverage; 1 - level is the level of the tests.
    alternative : {"two-sided", "greater", "less", "better"}
        "greater" and "better" ask whether A is stronger than B. One-sided pairs stand in the order of the
        names. Intervals are two-sided always.
    margin : float, optional
        The smallest difference of strengths that matters, on their scale; turns on verdicts, which need
        intervals. It does not go with a prior, which draws strengths together.
    rng, n_resamples, resampling
        As for `compare`, for ``test="bootstrap"`` and drawn permutations; what is resampled are clusters, or
        judgements.

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
        If a system, or a group of systems, was never beaten by or never beat the others: strengths then have
        no finite estimate without a prior. If two systems never met, for the permutation test. If clusters
        are two crossed groupings, or a margin comes with a prior.

    See Also
    --------
    read_preferences : Judgements from a table or the annotations of a tool.
    compare : Win rates as scores, item by item, for graded preferences.

    Notes
    -----
    All judgements count the same whenever they were made: strengths are estimated by maximum likelihood, not
    followed from game to game as sequential Elo ratings are, which depend on the order of the games.

    Intervals are score intervals: Wilson's, and Tango's [4]_ if ties are halves, of as many independent
    judgements as would give the variance that the model has; clusters change it as they change the variance
    of the scores of the model, and the quantile is then Student's t. Judgements that are all alike therefore
    have intervals too. Below 50 clusters they can be too short, as the note `few_clusters` says, and they are
    too long where fewer than six judgements a system are no tie (`few_differing`).

    References
    ----------
    .. [1] Bradley & Terry (1952), Rank analysis of incomplete block designs: the method of paired
       comparisons, Biometrika 39, 324-345.
    .. [2] Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired comparison
       experiments, J. Amer. Statist. Assoc. 65, 317-328.
    .. [3] Hunter (2004), MM algorithms for generalized Bradley-Terry models, Ann. Statist. 32, 384-406.
    .. [4] Tango (1998), Equivalence test and confidence interval for the difference in proportions for the
       paired-sample design, Statist. Med. 17, 891-908.

    Examples
    --------
    >>> from bestby import compare_preferences
    >>> judged = [("new", "old", "new")] * 30 + [("old", "new", "old")] * 10 + [("new", "old", "tie")] * 8
    >>> difference = compare_preferences(judged)["new", "old"]
    >>> round(difference.probability, 4), round(difference.p_value, 5), difference.exact
    (0.7083, 0.00222, True)
    """
    how = checked_reading(reading, "compare_preferences", "ignore")
    resampling = combined_settings(
        resampling,
        n_resamples,
        rng,
        function="compare_preferences",
        unused="executor cache resample_size rescale",
    )
    settings = Settings.checked(
        "preferences", ties=ties, scale=scale, prior=prior, interval=interval, level=level, test=test,
        alternative=alternative, correction=correction, margin=margin, baseline=baseline,
    )  # fmt: skip
    if settings.margin is not None and settings.prior > 0.0:
        raise DesignError(
            "margin and prior do not go together: a prior draws strengths together, which could make them"
            " equivalent",
            hint="leave one of the two out",
        )
    drawing = Drawing.of(resampling)
    read = data_of(data, clusters, Columns(a, b, winner, items, systems, how.ignore))
    judgements = Data(read.systems, WinMatrices.of(read), read.notes)
    settings = settings.among(judgements.names)
    fit = fitted(
        judgements,
        model=settings.ties,
        prior=settings.prior,
        resampling=drawing if settings.test == "bootstrap" else None,
    )
    result = _compared(fit, settings, drawing)
    return with_backend(result, backend_of(data))


@dataclass(frozen=True)
class Settings(CheckedSettings):
    """The arguments of `compare_preferences` that are not data; see there."""

    ties: str
    scale: str
    prior: float
    interval: str | None
    level: float
    test: str | None
    alternative: Question
    correction: str
    margin: float | None
    baseline: str | None

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


def _compared(fit: Fit, settings: Settings, drawing: Drawing) -> PreferenceComparison:
    names = fit.data.names
    levelled = np.round(fit.strengths.log / rounding.spread_width(1.0))
    order, pairs = family.order_and_pairs(levelled, names, True, settings.baseline, settings.alternative)
    tests = {}
    if settings.test is not None:
        tests = {(i, j): _test(fit, i, j, settings.test, settings, drawing) for i, j in pairs}
    unadjusted = [_difference(fit, i, j, tests.get((i, j)), settings) for i, j in pairs]
    adjusted = family.adjusted(unadjusted, settings.correction)
    differences = family.with_direction_notes(adjusted, settings.alpha)
    tie = None
    if settings.ties == "davidson" and settings.interval is not None:
        tie = tie_interval(fit, settings.level)
    return PreferenceComparison(
        metrics=(MetricInfo(settings.metric, True, (-math.inf, math.inf)),),
        systems=_scores(fit, order, differences, settings),
        differences=differences,
        omnibus=(),
        notes=(
            *fit.data.notes,
            *_notes_on_swaps(fit, tests, settings),
            *_notes(fit, list(tests.values()), settings),
        ),
        provenance=_provenance(fit, settings, drawing),
        n_items=fit.data.judged.n,
        level=settings.level,
        correction=settings.corrected_by,
        margin=settings.margin,
        baseline=settings.baseline,
        n_clusters=0 if fit.data.judged.clusters is None else fit.data.judged.n_units,
        tie_model=settings.ties,
        tie_parameter=float(fit.strengths.tie),
        tie_interval=tie,
    )


def _test(fit: Fit, i: int, j: int, chosen: str, settings: Settings, drawing: Drawing) -> TestResult:
    side = settings.towards(True)
    if chosen == "permutation" or (chosen == "auto" and len(fit.data.names) == 2):
        pair = fit.data.names[i], fit.data.names[j]
        swaps = permutation_test(fit.data.judged, i, j, pair, side, drawing)
        return refined(swaps, fit.data.judged.direct(i, j)) if chosen == "auto" else swaps
    estimate, n_units = fit.gap(i, j), fit.data.judged.n_units
    if chosen == "bootstrap" and fit.resampled is not None:
        replicates = fit.resampled.log[:, i] - fit.resampled.log[:, j]
        return bootstrap_test(replicates, estimate, side, n_units)
    return wald_test(estimate, fit.error(i, j), side, n_units)


def _difference(
    fit: Fit, i: int, j: int, test: TestResult | None, settings: Settings
) -> PreferenceDifference:
    """Return all that is told of A minus B; its p-value is not adjusted."""
    names, unit = fit.data.names, settings.unit
    log = fit.strengths.log
    wins, losses, ties = (int(x) for x in (fit.wins[i, j], fit.wins[j, i], fit.ties[i, j]))
    bounded = settings.interval is not None
    interval, tost, chance = None, None, None
    if bounded:
        interval, tost, _ = family.with_equivalence(
            lambda level: (gap_interval(fit, i, j, level, unit), ()), settings.level, settings.margin
        )
        chance = preference_interval(fit, i, j, settings.level)
    difference = PreferenceDifference(
        metric=settings.metric,
        a=names[i],
        b=names[j],
        estimate=unit * fit.gap(i, j),
        score_a=settings.mean + unit * float(log[i]),
        score_b=settings.mean + unit * float(log[j]),
        interval=interval,
        level=settings.level,
        test=test,
        p_adjusted=None if test is None else test.p_value,
        greater_is_better=True,
        n_items=wins + ties + losses,
        n_differing=wins + losses,
        probability=float(fit.strengths.preference(i, j)),
        probability_interval=chance,
        wins=wins,
        ties=ties,
        losses=losses,
        standard_error=unit * fit.error(i, j) if bounded else None,
        standard_error_method="sandwich" if bounded else None,
    )
    return family.with_verdict(difference, tost, settings.margin)


def _scores(
    fit: Fit, order: Sequence[int], differences: Sequence[PreferenceDifference], settings: Settings
) -> tuple[PreferenceScore, ...]:
    names = [fit.data.names[s] for s in order]
    standings = None
    if settings.test is not None:
        lettered = settings.baseline is None
        standings = family.standings(names, differences, settings.alpha, lettered=lettered)
    unit, mean = settings.unit, settings.mean
    return tuple(
        PreferenceScore(
            metric=settings.metric,
            system=names[position],
            score=mean + unit * float(fit.strengths.log[s]),
            **family.standing(standings, position),
            win_rate=float(fit.rates[s]),
            wins=int(fit.wins[s].sum()),
            ties=int(fit.ties[s].sum()),
            losses=int(fit.wins[:, s].sum()),
            **_uncertainty(fit, s, settings),
        )
        for position, s in enumerate(order)
    )


def _uncertainty(fit: Fit, s: int, settings: Settings) -> dict[str, Any]:
    """Return the intervals and standard errors of one system; None each if none were asked for."""
    if settings.interval is None:
        return dict.fromkeys(("interval", "robust_error", "win_rate_interval"))
    unit, level = settings.unit, settings.level
    fisher, robust = (
        unit * math.sqrt(max(float(errors[s, s]), 0.0)) for errors in (fit.errors.fisher, fit.errors.robust)
    )
    return {
        "interval": strength_interval(fit, s, level, unit, settings.mean),
        "standard_error": fisher,
        "standard_error_method": "fisher",
        "robust_error": robust,
        "win_rate_interval": win_rate_interval(fit, s, level),
    }


def _notes(fit: Fit, tests: Sequence[TestResult], settings: Settings) -> Iterator[Note]:
    """Yield notes on few clusters, resamples without a finite fit, the prior, ties and tests."""
    judged = fit.data.judged
    bounded = settings.interval is not None
    if bounded and judged.clusters is not None and judged.n_units < FEW_CLUSTERS:
        message = f"there are only {judged.n_units} clusters: intervals can be too short below {FEW_CLUSTERS}"
        yield Note("few_clusters", message)
    decided = int(fit.wins.sum())
    # Judgements that are no tie, for each system but one, below which intervals are too long
    if bounded and decided < 6 * (len(fit.data.names) - 1):
        message = (
            f"only {decided} of {judged.n} judgements are no tie: with so few, no interval meets its level;"
            " these cover more than they say"
        )
        yield Note("few_differing", message)
    lost = 0 if fit.resampled is None else int(np.isnan(fit.resampled.log).any(axis=1).sum())
    if fit.resampled is not None and lost:
        message = (
            f"strengths have no finite estimate on {lost} of {len(fit.resampled.log)} resamples, where some"
            " system wins or loses all; the bootstrap test counts them as extreme"
        )
        yield Note("undefined_resamples", message)
    if settings.prior > 0.0:
        message = (
            f"{settings.prior:g} judgements, half won and half lost, were added between every two systems"
        )
        message += ", which draws strengths together"
        if bounded:
            message += ", and their intervals: they can miss strengths far apart"
        yield Note("prior", message)
    if settings.ties == "half" and bool(fit.ties.any()):
        n_ties = int(fit.ties.sum() / 2)
        message = f"{counted(n_ties, 'tie')} {'counts' if n_ties == 1 else 'count'} as half a win for both"
        if bounded:
            message += (
                "; the standard errors of the Fisher information treat them as wins and losses, and are"
            )
            message += " too large"
        yield Note("ties_as_halves", message)
    yield from note_rules.direction_notes(settings.metric, True, settings.alternative)
    yield from note_rules.resample_notes(settings.metric, tests, settings.correction, settings.alpha)


def _notes_on_swaps(fit: Fit, tests: Mapping[tuple[int, int], TestResult], settings: Settings) -> list[Note]:
    """Return a note where two systems were judged in so few units that no swap can decide."""
    if len(fit.data.names) != 2 or not tests:
        return []
    units = "judgements" if fit.data.judged.clusters is None else "clusters"
    n = fit.data.judged.direct(0, 1).size
    return swap_notes.notes_on_few(n, units, tests.values(), settings, (settings.metric,))


def _provenance(fit: Fit, settings: Settings, drawing: Drawing) -> Provenance:
    judged = fit.data.judged
    numbers: dict[str, Any] = {"judgements": judged.n, "systems": list(fit.data.names)}
    if judged.clusters is not None:
        numbers["clusters"] = judged.n_units
    return made_by(
        drawing, {"metrics": [settings.metric], **settings.by_name()}, numbers, _data_hash(fit.data)
    )


def _data_hash(data: Data) -> str:
    """Hash the judgements, whatever their order and whichever system of each came first."""
    judged = data.judged
    swapped = judged.first > judged.second
    columns: list[Array] = [
        np.where(swapped, judged.second, judged.first),
        np.where(swapped, judged.first, judged.second),
        np.where(swapped, 1.0 - judged.values, judged.values),
        np.zeros(judged.n) if judged.clusters is None else judged.clusters,
    ]
    return hash_of_rows(data.names, np.column_stack(columns))
