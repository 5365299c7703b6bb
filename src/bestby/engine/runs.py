"""The runs of several systems, each a single score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bestby._core.errors import DesignError
from bestby._core.typing import Alternative, FloatArray
from bestby.engine.base import Drawing
from bestby.inference import intervals, permutation, samples
from bestby.inference.distributions import replicates
from bestby.results import Interval, Note, TestResult, defined

INTERVALS = ("auto", "t", "bca", "percentile", "basic")
TESTS = ("auto", "permutation", "t", "brunner-munzel", "bootstrap")

FEW_FOR_BOOTSTRAP = 20
"""Runs below which the bootstrap interval of a mean covers 80 to 93 % instead of 95 %."""

Found = tuple[Interval | None, tuple[Note, ...]]


@dataclass(frozen=True, eq=False)
class Separate:
    """Runs of which nothing is known but their scores.

    Parameters
    ----------
    scores : sequence of ndarray, shape (n,)
        The runs of each system.
    names : sequence of str
        The names of the systems.
    statistic : str
        What is taken of the runs; one of `samples.STATISTICS`.
    paired : bool
        Whether run i of one system belongs to run i of the others.
    drawing : Drawing
        How to resample.
    """

    scores: Sequence[FloatArray]
    names: Sequence[str]
    statistic: str
    paired: bool
    drawing: Drawing
    _drawn: dict[int, FloatArray] = field(default_factory=dict, init=False, repr=False)

    def estimate(self, a: int, b: int | None = None) -> float:
        """Return the score of a system, or a difference."""
        score = float(samples.location(self.scores[a], self.statistic))
        return score if b is None else score - float(samples.location(self.scores[b], self.statistic))

    def interval(self, a: int, b: int | None, method: str, level: float) -> Found:
        """Return the interval of a score or a difference.

        Parameters
        ----------
        a : int
            The system.
        b : int or None
            The system to subtract, if any.
        method : str
            One of `INTERVALS`. "auto": Student's t (Welch's for two systems, Yuen's for trimmed means) where
            there is a standard error, the percentile bootstrap for medians.
        level : float
            Nominal coverage.

        Returns
        -------
        (Interval or None, tuple of Note)
            The interval, whose `method` says what was done, and what must be known about it.

        Raises
        ------
        DesignError
            If a t interval of the median is asked for.
        """
        error = self._error(a, b)
        if method == "auto":
            method = "t" if error is not None else "percentile"
        if method == "t":
            if error is None:
                raise DesignError(
                    f"there is no t interval of the {self.statistic.replace('_', ' ')} of so few runs",
                    hint='interval="percentile", or statistic="mean"',
                )
            name = (
                "yuen" if self.statistic != "mean" else "welch" if b is not None and not self.paired else "t"
            )
            return defined(samples.t_interval(self.estimate(a, b), *error, level, name))
        return self._bootstrap(a, b, method, level)

    def standard_error(self, a: int, b: int | None = None) -> tuple[float, str]:
        """Return the standard error of a score or a difference, and where it comes from.

        Of a mean or a trimmed mean by formula, of a median that of the bootstrap replicates.
        """
        error = self._error(a, b)
        if error is not None:
            return error[0], "formula"
        drawn = self.resampled(a) if b is None else self.resampled(a) - self.resampled(b)
        return float(drawn.std(ddof=1)), "bootstrap"

    def _error(self, a: int, b: int | None) -> tuple[float, float] | None:
        if b is not None:
            return samples.difference_error(
                self.scores[a], self.scores[b], self.statistic, paired=self.paired
            )
        found = samples.squared_error(self.scores[a], self.statistic)
        return None if found is None else (float(np.sqrt(found[0])), float(found[1]))

    def _bootstrap(self, a: int, b: int | None, method: str, level: float) -> Found:
        estimate = self.estimate(a, b)
        drawn = self.resampled(a) if b is None else self.resampled(a) - self.resampled(b)
        scale = samples.size_of(self.scores[a], self.scores[a if b is None else b], self.statistic)
        distribution = replicates(drawn, scale)
        notes: tuple[Note, ...] = ()
        fewest = min(self.scores[s].size for s in (a, b) if s is not None)
        if self.statistic == "mean" and fewest < FEW_FOR_BOOTSTRAP:
            told = f'a bootstrap interval of the mean of {fewest} runs is too short; take interval="t"'
            notes = (Note("short_interval", told),)
        if method == "basic":
            return defined(
                Interval(*intervals.basic(distribution, estimate, level), level, method, False), notes
            )
        ends = None
        if method == "bca":
            ends = intervals.bca(distribution, estimate, self._acceleration(a, b), level)
        if ends is None:
            if method == "bca":
                told = "the BCa interval is undefined here; the percentile interval is given"
                notes += (Note("bca_undefined", told),)
            method, ends = "percentile", intervals.percentile(distribution, level)
        return defined(Interval(*ends, level, method, False), notes)

    def resampled(self, system: int) -> FloatArray:
        """Return the location of resampled runs, shape (B,).

        Paired runs are drawn together; otherwise every system draws by its name.
        """
        if system not in self._drawn:
            x, name = self.scores[system], "" if self.paired else self.names[system]
            drawn = samples.drawn_runs(x.size, self.drawing.n_resamples, self.drawing.seed, name)
            self._drawn[system] = samples.location(x[drawn], self.statistic)
        return self._drawn[system]

    def _acceleration(self, a: int, b: int | None) -> float:
        of_a = samples.left_out(self.scores[a], self.statistic)
        if b is None:
            return intervals.acceleration(of_a, np.ones(of_a.size, dtype=np.int64))
        of_b = -samples.left_out(self.scores[b], self.statistic)
        if self.paired:
            return intervals.acceleration(of_a + of_b, np.ones(of_a.size, dtype=np.int64))
        both = np.concatenate([of_a, of_b])
        bounds = np.array([0, of_a.size, both.size])
        return intervals.acceleration(both, np.ones(both.size, dtype=np.int64), bounds)

    def test(self, a: int, b: int, name: str, alternative: Alternative) -> TestResult:
        """Return the test of a difference.

        Parameters
        ----------
        a, b : int
            The systems.
        name : str
            One of `TESTS`; "auto" is the permutation test.
        alternative : {"two-sided", "greater", "less"}
            A against B.

        Raises
        ------
        DesignError
            If the test does not fit the statistic or the design.
        """
        x, y = self.scores[a], self.scores[b]
        if name in ("auto", "permutation"):
            return samples.permutation_test(
                x,
                y,
                self.statistic,
                alternative,
                paired=self.paired,
                n_resamples=self.drawing.n_resamples,
                seed=self.drawing.seed,
            )
        if name == "brunner-munzel":
            return rank_test(x, y, alternative, paired=self.paired)
        if name == "bootstrap":
            observed = self.estimate(a, b)
            drawn = self.resampled(a) - self.resampled(b) - observed
            scale = samples.size_of(x, y, self.statistic)
            return permutation.monte_carlo(drawn, observed, alternative, name="bootstrap-runs", scale=scale)
        found = samples.t_test(x, y, self.statistic, alternative, paired=self.paired)
        if found is None:
            raise DesignError(
                f"there is no t test of the {self.statistic.replace('_', ' ')} of so few runs",
                hint='test="permutation" applies to every statistic',
            )
        return found


def rank_test(x: FloatArray, y: FloatArray, alternative: Alternative, *, paired: bool) -> TestResult:
    """Return the test of Brunner and Munzel, if the runs are not paired."""
    if paired:
        raise DesignError(
            "the Brunner-Munzel test is for independent runs, and these are paired",
            hint='test="permutation" exchanges the runs of each pair',
        )
    return samples.brunner_munzel(x, y, alternative)
