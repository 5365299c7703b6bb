"""Strengths fitted to judgements and to their resamples, and what must be known of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.text import counted
from bestby._core.typing import FloatArray, Question
from bestby.comparisons.common import note_rules
from bestby.comparisons.common.settings import CheckedSettings
from bestby.engine.base import Drawing
from bestby.questions.preferences import preference
from bestby.questions.preferences.judgements import Judgements
from bestby.questions.preferences.preference_errors import Errors, errors
from bestby.questions.preferences.source import Data
from bestby.results.base import Note
from bestby.results.values import TestResult

ELO_MEAN = 1000.0
FEW_CLUSTERS = 50


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
        return preference.ELO if self.scale == "elo" else 1.0

    @property
    def mean(self) -> float:
        """The mean strength on the scale."""
        return ELO_MEAN if self.scale == "elo" else 0.0


@dataclass(frozen=True, eq=False)
class Fit:
    """Strengths and win rates of the judgements, sums of the judgements, and how well these determine both.

    `wins` and `ties` have shape (S, S). `drawn` are the strengths of B resamples for the bootstrap test,
    shape (B, S), with NaN where a resample has no finite strengths; None for other tests.
    """

    data: Data
    wins: FloatArray
    ties: FloatArray
    strengths: preference.Strengths
    rates: FloatArray
    errors: Errors
    drawn: preference.Strengths | None = None

    def gap(self, i: int, j: int) -> float:
        """Return the difference of two log strengths; one within the rounding of the fit is 0."""
        gap = float(self.strengths.log[i] - self.strengths.log[j])
        return 0.0 if abs(gap) < rounding.spread_width(1.0) else gap

    def error(self, i: int, j: int) -> float:
        """Return the standard error of the difference of two log strengths."""
        covariance = self.errors.robust
        variance = float(covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j])
        return math.sqrt(max(variance, 0.0))


def fitted(data: Data, settings: Settings, drawing: Drawing) -> Fit:
    """Return the strengths of the judgements and of their resamples."""
    judged = data.judged
    wins, ties = judged.matrices()
    if settings.prior == 0.0:
        preference.refuse_unconnected(wins, ties, data.names)
    strengths = preference.strengths(wins, ties, model=settings.ties, prior=settings.prior)
    preference.refuse_infinite(strengths)

    estimated = errors(
        strengths,
        judged.first,
        judged.second,
        judged.values,
        clusters=judged.clusters,
        model=settings.ties,
        prior=settings.prior,
    )
    drawn = _drawn(judged, settings, drawing) if settings.test == "bootstrap" else None
    return Fit(data, wins, ties, strengths, preference.win_rates(wins, ties), estimated, drawn)


def _drawn(judged: Judgements, settings: Settings, drawing: Drawing) -> preference.Strengths:
    """Return the strengths of resamples."""

    def refitted(w: FloatArray, t: FloatArray) -> FloatArray:
        again = preference.strengths(w, t, model=settings.ties, prior=settings.prior)
        return np.column_stack([again.log, again.tie])

    drawn = judged.bootstrap(
        drawing.n_resamples, drawing.seed, refitted, n_jobs=drawing.n_jobs, progress=drawing.progress
    )
    return preference.Strengths(drawn[:, :-1], drawn[:, -1])


def notes_on(fit: Fit, tests: Sequence[TestResult], settings: Settings) -> Iterator[Note]:
    """Yield notes on few clusters, resamples without a finite fit, the prior, ties and tests."""
    judged = fit.data.judged
    bounded = settings.interval is not None
    if bounded and judged.clusters is not None and judged.n_units < FEW_CLUSTERS:
        told = f"there are only {judged.n_units} clusters: intervals can be too short below {FEW_CLUSTERS}"
        yield Note("few_clusters", told)
    decided = int(fit.wins.sum())
    # Judgements that are no tie, for each system but one, below which intervals are too long
    if bounded and decided < 6 * (len(fit.data.names) - 1):
        told = (
            f"only {decided} of {judged.n} judgements are no tie: with so few, no interval meets its level;"
            " these cover more than they say"
        )
        yield Note("few_differing", told)
    lost = 0 if fit.drawn is None else int(np.isnan(fit.drawn.log).any(axis=1).sum())
    if fit.drawn is not None and lost:
        text = (
            f"strengths have no finite estimate on {lost} of {len(fit.drawn.log)} resamples, where some"
            " system wins or loses all; the bootstrap test counts them as extreme"
        )
        yield Note("undefined_resamples", text)
    if settings.prior > 0.0:
        told = f"{settings.prior:g} judgements, half won and half lost, were added between every two systems"
        told += ", which draws strengths together"
        if bounded:
            told += ", and their intervals: they can miss strengths far apart"
        yield Note("prior", told)
    if settings.ties == "half" and bool(fit.ties.any()):
        n_ties = int(fit.ties.sum() / 2)
        told = f"{counted(n_ties, 'tie')} {'counts' if n_ties == 1 else 'count'} as half a win for both"
        if bounded:
            told += "; the standard errors of the Fisher information treat them as wins and losses, and are"
            told += " too large"
        yield Note("ties_as_halves", told)
    yield from note_rules.direction_notes(settings.metric, True, settings.alternative)
    yield from note_rules.resample_notes(settings.metric, tests, settings.correction, settings.alpha)
