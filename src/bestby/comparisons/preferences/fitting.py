"""Strengths fitted to judgements and to their resamples, and what must be known of them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.typing import FloatArray, Question
from bestby.comparisons.common import note_rules
from bestby.comparisons.common.settings import CheckedSettings
from bestby.comparisons.preferences.source import Data
from bestby.engine.base import Drawing
from bestby.inference import preference
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
    """Strengths and win rates of the judgements and of B resamples, and sums of the judgements.

    `wins` and `ties` have shape (S, S), `drawn` (B, S), with NaN where a resample has no finite strengths.
    Both are None where nothing that was asked for needs resamples. `errors` are covariances of the log
    strengths.
    """

    data: Data
    wins: FloatArray
    ties: FloatArray
    strengths: preference.Strengths
    drawn: preference.Strengths | None
    rates: FloatArray
    drawn_rates: FloatArray | None
    errors: preference.Errors

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
    judged, size = data.judged, len(data.names)
    wins, ties = judged.matrices()
    if settings.prior == 0.0:
        preference.refuse_unconnected(wins, ties, data.names)
    strengths = preference.strengths(wins, ties, model=settings.ties, prior=settings.prior)
    preference.refuse_infinite(strengths)

    errors = preference.errors(
        strengths,
        judged.first,
        judged.second,
        judged.values,
        clusters=judged.clusters,
        model=settings.ties,
        prior=settings.prior,
    )
    fit = Fit(data, wins, ties, strengths, None, preference.win_rates(wins, ties), None, errors)
    if settings.interval is None and settings.test != "bootstrap":
        return fit

    def refitted(w: FloatArray, t: FloatArray) -> FloatArray:
        again = preference.strengths(w, t, model=settings.ties, prior=settings.prior)
        return np.column_stack([again.log, again.tie, preference.win_rates(w, t)])

    drawn = judged.bootstrap(
        drawing.n_resamples, drawing.seed, refitted, n_jobs=drawing.n_jobs, progress=drawing.progress
    )
    resampled = preference.Strengths(drawn[:, :size], drawn[:, size])
    return dataclasses.replace(fit, drawn=resampled, drawn_rates=drawn[:, size + 1 :])


def notes_on(fit: Fit, tests: Sequence[TestResult], settings: Settings) -> Iterator[Note]:
    """Yield notes on few clusters, resamples without a finite fit, the prior, ties and tests."""
    judged = fit.data.judged
    if settings.interval is not None and judged.n_units < FEW_CLUSTERS:
        what = "judgements" if judged.clusters is None else "clusters"
        told = f"there are only {judged.n_units} {what}: intervals tend to be too short below {FEW_CLUSTERS}"
        yield Note("few_clusters", told)
    yield from _undefined_notes(fit, settings)
    if settings.prior > 0.0:
        told = f"{settings.prior:g} judgements, half won and half lost, were added between every two systems"
        yield Note("prior", f"{told}, which draws strengths together")
    if settings.ties == "half" and bool(fit.ties.any()):
        told = f"{int(fit.ties.sum() / 2)} ties count as half a win for both"
        if settings.interval is not None:
            told += "; the standard errors of the Fisher information treat them as wins and losses, and are"
            told += " too large"
        yield Note("ties_as_halves", told)
    yield from note_rules.direction_notes(settings.metric, True, settings.alternative)
    yield from note_rules.resample_notes(settings.metric, tests, settings.correction, settings.alpha)


def _undefined_notes(fit: Fit, settings: Settings) -> Iterator[Note]:
    """Yield a note on intervals that rest on resamples of which some have no finite strengths."""
    if fit.drawn is None or settings.interval is None:
        return
    lost, size = int(np.isnan(fit.drawn.log).any(axis=1).sum()), fit.drawn.log.shape[0]
    text = f"strengths have no finite estimate on {lost} of {size} resamples, where some system wins or loses"
    if 2 * lost >= size:
        text += " all; there are no intervals of strengths, so their uncertainty is unknown"
        yield Note("undefined_interval", text)
    elif lost:
        text += " all; the intervals use the others and are too short on that side"
        yield Note("undefined_resamples", text)
