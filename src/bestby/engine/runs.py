"""The runs of several systems, each a single score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError
from bestby._core.typing import Alternative, FloatArray
from bestby.engine.base import Drawing
from bestby.inference import improvement, intervals, locations, permutation, samples, skewness
from bestby.inference.clusters import StandardError
from bestby.inference.distributions import Replicates, replicates
from bestby.results.base import Note
from bestby.results.values import Interval, TestResult, defined

FEW_FOR_BOOTSTRAP = 20
"""Runs below which the bootstrap interval of a mean covers 80 to 93 % instead of 95 %."""

FEW_FOR_MEDIANS = 6
"""Runs below which the bootstrap knows too few medians: 6 % of samples of five are all on one side."""

NotedInterval = tuple[Interval | None, tuple[Note, ...]]


@dataclass(frozen=True, eq=False)
class Separate:
    """Runs of which nothing is known but their scores.

    The arrays in `scores` have shape (n,).
    """

    scores: Sequence[FloatArray]
    names: Sequence[str]
    statistic: str
    paired: bool
    drawing: Drawing
    _drawn: dict[int, FloatArray] = field(default_factory=dict, init=False, repr=False)

    def estimate(self, a: int, b: int | None = None) -> float:
        """Return the score of a system, or a difference."""
        score = self._locations[a]
        return score if b is None else score - self._locations[b]

    @cached_property
    def _locations(self) -> list[float]:
        """The score of each system."""
        return [float(locations.location(scores, self.statistic)) for scores in self.scores]

    def interval(self, a: int, b: int | None, method: str, level: float) -> NotedInterval:
        """Return the interval of a score or a difference.

        For `method`, "auto" is Student's t (Welch's for two systems, Yuen's for trimmed means), which from 15
        runs on allows for skewness; for medians the percentile bootstrap, below six runs t with the standard
        error of Price and Bonett. Returns the interval, whose `method` says what was done, and its notes.
        """
        if method == "auto":
            t = "hall" if self._shows_skewness(a, b) else "t"
            method = "percentile" if self._resamples_medians(a, b) else t
        if method in skewness.ERRORS:
            allowing = self._allowing(a, b, skewness.ERRORS[method])
            ends = skewness.interval(self.estimate(a, b), allowing, level)
            return self._defined(Interval(*ends, level, method, True), a, b)
        if method != "t":
            return self._bootstrap(a, b, method, level)
        error = self._error(a, b)
        if error is None:
            raise DesignError("a single run has no t interval", hint="a system needs two runs or more")
        plain = self.statistic == "mean" and (b is None or self.paired)
        name, estimate = "t" if plain else samples.T_NAMES[self.statistic], self.estimate(a, b)
        return self._defined(samples.t_interval(estimate, *error, level, name), a, b)

    def _defined(
        self, interval: Interval, a: int, b: int | None, notes: tuple[Note, ...] = ()
    ) -> NotedInterval:
        """Return an interval; None and a note if it has no length, as of runs that do not vary."""
        scale = max(self._size(a, a if b is None else b), abs(self.estimate(a, b)))
        constant = "constant_scores" if b is None else "constant_difference"
        return defined(interval, notes, scale=scale, constant=constant)

    def _size(self, a: int, b: int) -> float:
        return locations.size_of(self.scores[a], self.scores[b], self.statistic)

    def _resamples_medians(self, a: int, b: int | None) -> bool:
        """Return whether medians of so many runs are compared that the bootstrap holds."""
        return self.statistic == "median" and self._fewest(a, b) >= FEW_FOR_MEDIANS

    def standard_error(self, a: int, b: int | None = None) -> tuple[float, str]:
        """Return the standard error of a score or a difference, and where it comes from.

        By formula where there is one, else that of the bootstrap replicates.
        """
        error = self._error(a, b)
        if error is not None:
            return error[0], "formula"
        drawn = self.resampled(a) if b is None else self.resampled(a) - self.resampled(b)
        return float(drawn.std(ddof=1)), "bootstrap"

    def _error(self, a: int, b: int | None) -> tuple[float, float] | None:
        if b is not None:
            return locations.difference_error(
                self.scores[a], self.scores[b], self.statistic, paired=self.paired
            )
        found = locations.squared_error(self.scores[a], self.statistic)
        return None if found is None else (float(np.sqrt(found[0])), float(found[1]))

    def _shows_skewness(self, a: int, b: int | None) -> bool:
        """Return whether means of so many runs are compared that the runs show whether they are skewed."""
        return self.statistic == "mean" and self._fewest(a, b) >= skewness.FROM_UNITS

    def _fewest(self, a: int, b: int | None) -> int:
        return min(self.scores[s].size for s in (a, b) if s is not None)

    def _allowing(self, a: int, b: int | None, errors: float) -> StandardError:
        """Return the standard error of means that allows for so many standard errors of their skewness."""
        found = self._error(a, b)
        if self.statistic != "mean" or found is None:
            what = "a single run has none" if found is None else f"these are for a {self.statistic}"
            raise DesignError(
                f"Hall's t allows for the skewness of a mean of several runs, and {what}",
                hint='interval="auto" and test="auto" choose what suits the runs',
            )
        x, y = self.scores[a], None if b is None else self.scores[b]
        if y is not None and not self.paired:
            return skewness.between(x, y, StandardError(*found), errors)
        return skewness.error_of_mean(x if y is None else rounding.difference(x, y), errors)

    def _bootstrap(self, a: int, b: int | None, method: str, level: float) -> NotedInterval:
        estimate = self.estimate(a, b)
        drawn = self.resampled(a) if b is None else self.resampled(a) - self.resampled(b)
        scale = self._size(a, a if b is None else b)
        distribution = replicates(drawn, scale)
        notes: tuple[Note, ...] = ()
        fewest = self._fewest(a, b)
        if self.statistic == "mean" and fewest < FEW_FOR_BOOTSTRAP:
            told = f'a bootstrap interval of the mean of {fewest} runs is too short; use interval="t"'
            notes = (Note("short_interval", told),)
        if method == "basic":
            ends = intervals.basic(distribution, estimate, level)
            return self._defined(Interval(*ends, level, method, False), a, b, notes)
        found: tuple[float, float] | None = None
        if method == "bca":
            found = intervals.bca(distribution, estimate, self._acceleration(a, b), level)
        if found is None:
            if method == "bca":
                told = "the BCa interval is undefined here; the percentile interval is given"
                notes += (Note("bca_undefined", told),)
            method, found = "percentile", self._percentile(distribution, level)
        return self._defined(Interval(*found, level, method, False), a, b, notes)

    def _percentile(self, distribution: Replicates, level: float) -> tuple[float, float]:
        """Return the percentile interval; of medians its ends are replicates, which their test counts."""
        rank = rounding.round_down(0.5 * (1.0 - level) * (distribution.size + 1))
        if self.statistic != "median" or rank == 0:
            return intervals.percentile(distribution, level)
        return float(distribution.values[rank - 1]), float(distribution.values[-rank])

    def resampled(self, system: int) -> FloatArray:
        """Return the location of resampled runs, shape (B,).

        Paired runs are drawn together; otherwise every system draws by its name.
        """
        if system not in self._drawn:
            x, name = self.scores[system], "" if self.paired else self.names[system]
            drawn = samples.drawn_runs(x.size, self.drawing.n_resamples, self.drawing.seed, name)
            self._drawn[system] = locations.location(x[drawn], self.statistic)
        return self._drawn[system]

    def _acceleration(self, a: int, b: int | None) -> float:
        of_a = locations.left_out(self.scores[a], self.statistic)
        if b is None:
            return intervals.acceleration(of_a, np.ones(of_a.size, dtype=np.int64))
        of_b = -locations.left_out(self.scores[b], self.statistic)
        if self.paired:
            return intervals.acceleration(of_a + of_b, np.ones(of_a.size, dtype=np.int64))
        both = np.concatenate([of_a, of_b])
        bounds = np.array([0, of_a.size, both.size])
        return intervals.acceleration(both, np.ones(both.size, dtype=np.int64), bounds)

    def test(self, a: int, b: int, name: str, alternative: Alternative) -> TestResult:
        """Return the test of a difference.

        For `name`, "auto" is the permutation test for paired means, which goes on as Hall's t test where all
        pairs point the same way; for means of independent runs whichever has the larger p-value, the
        permutation test or Welch's t test, from 15 runs on Hall's; the t test for trimmed means; the
        bootstrap test for medians, below six runs the t test. "bootstrap" of medians inverts the percentile
        interval, so that it rejects where that interval excludes 0.
        """
        x, y = self.scores[a], self.scores[b]
        if name == "auto":
            return self._by_default(a, b, alternative)
        if name == "permutation":
            return samples.permutation_test(
                x,
                y,
                self.statistic,
                alternative,
                paired=self.paired,
                n_resamples=self.drawing.n_resamples,
                seed=self.drawing.seed,
            )
        if name == "hall":
            error = self._allowing(a, b, skewness.FOR_INTERVALS)
            if not samples.no_spread(error.se, self.estimate(a, b), self._size(a, b)):
                return skewness.wald(self.estimate(a, b), error, alternative, "hall")
        if name == "brunner-munzel":
            return rank_test(x, y, alternative, paired=self.paired)
        if name == "bootstrap":
            return self._bootstrap_test(a, b, alternative)
        found = samples.t_test(x, y, self.statistic, alternative, paired=self.paired)
        if found is None:
            raise DesignError("a single run has no t test", hint="a system needs two runs or more")
        return found

    def _by_default(self, a: int, b: int, alternative: Alternative) -> TestResult:
        """Return the test that "auto" stands for."""
        if self.statistic != "mean":
            return self.test(a, b, "bootstrap" if self._resamples_medians(a, b) else "t", alternative)
        exchanged = self.test(a, b, "permutation", alternative)
        if not self.paired:
            # The permutation test rejects too often if runs vary unequally, Welch's if they are skewed.
            t = self.test(a, b, "hall" if self._shows_skewness(a, b) else "t", alternative)
            return t if t.p_value > exchanged.p_value else exchanged
        n = self.scores[a].size
        if n < skewness.FEWEST or not permutation.at_least_p(exchanged, n):
            return exchanged
        return permutation.refined(exchanged, n, self.test(a, b, "hall", alternative))

    def _bootstrap_test(self, a: int, b: int, alternative: Alternative) -> TestResult:
        """Return the test that inverts a bootstrap interval: for medians percentile, otherwise basic."""
        observed, scale = self.estimate(a, b), self._size(a, b)
        x, y, name = self.scores[a], self.scores[b], "bootstrap-runs"
        drawn = self.resampled(a) - self.resampled(b)
        if samples.no_spread(float(np.ptp(drawn)), observed, scale):
            least = samples.fewest(x.size, y.size, self.paired)
            return samples.t_result(name, observed, 0.0, 1.0, alternative, least, scale)
        if self.statistic != "median":
            return permutation.monte_carlo(drawn - observed, observed, alternative, name=name, scale=scale)
        scores = max(abs(self.estimate(a)), abs(self.estimate(b)))
        # A replicate within rounding of 0 is 0, as an end of the interval is.
        drawn = rounding.on_marks(drawn, (0.0,), scores)
        return permutation.inverted_percentile(drawn, observed, alternative, name=name)


def rank_test(x: FloatArray, y: FloatArray, alternative: Alternative, *, paired: bool) -> TestResult:
    """Return the test of Brunner and Munzel, if the runs are not paired."""
    if paired:
        raise DesignError(
            "the Brunner-Munzel test is for independent runs, and these are paired",
            hint='test="permutation" exchanges the runs of each pair',
        )
    return improvement.brunner_munzel(x, y, alternative)
