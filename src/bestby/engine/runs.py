"""The runs of several systems: each a single score (`RunScores`), or on one set of items (`RunsWithItems`).

The items (or clusters) are drawn once for all runs and systems; the runs are drawn within their system. A
score that varies with both has the variance of the two-way random model [1]_: what the items add, what the
runs add, and what neither explains. The items' part is cluster-robust (CR2, `inference.clusters`); of answers
that are right or wrong it is that of a score interval (`inference.runs_and_items`).

References
----------
.. [1] Searle, Casella & McCulloch (1992), Variance Components, section 4.5.
.. [2] Owen (2007), The pigeonhole bootstrap, Ann. Appl. Stat. 1, 386-411.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import stdtrit

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.engine import runs_and_items
from bestby.engine.base import Drawing, Group, Influences
from bestby.engine.estimate import Estimates
from bestby.engine.runs_and_items import Components, Differences, mean_interval
from bestby.inference import clusters, intervals, permutation, samples, skewness
from bestby.inference.clusters import StandardError
from bestby.inference.distributions import Replicates, replicates
from bestby.metrics.base import MeanMetric
from bestby.results.base import Note
from bestby.results.values import Interval, TestResult, defined

FEW_FOR_BOOTSTRAP = 20
"""Runs below which the bootstrap interval of a mean covers 80 to 93 % instead of 95 %."""

FEW_FOR_MEDIANS = 6
"""Runs below which the bootstrap knows too few medians: 6 % of samples of five are all on one side."""

NotedInterval = tuple[Interval | None, tuple[Note, ...]]


@dataclass(frozen=True, eq=False)
class RunScores:
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
        score = np.asarray(self._locations[a])
        return float(score if b is None else rounding.difference(score, np.asarray(self._locations[b])))

    @cached_property
    def _locations(self) -> list[float]:
        """The score of each system."""
        return [float(samples.location(scores, self.statistic)) for scores in self.scores]

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
        return samples.typical_size(self.scores[a], self.scores[b], self.statistic)

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
            return samples.difference_error(
                self.scores[a], self.scores[b], self.statistic, paired=self.paired
            )
        squared = samples.squared_error(self.scores[a], self.statistic)
        return None if squared is None else (float(np.sqrt(squared[0])), float(squared[1]))

    def _shows_skewness(self, a: int, b: int | None) -> bool:
        """Return whether means of so many runs are compared that the runs show whether they are skewed."""
        return self.statistic == "mean" and self._fewest(a, b) >= skewness.FROM_UNITS

    def _fewest(self, a: int, b: int | None) -> int:
        return min(self.scores[s].size for s in (a, b) if s is not None)

    def _allowing(self, a: int, b: int | None, errors: float) -> StandardError:
        """Return the standard error of means that allows for so many standard errors of their skewness."""
        error = self._error(a, b)
        if self.statistic != "mean" or error is None:
            what = "a single run has none" if error is None else f"these are for a {self.statistic}"
            raise DesignError(
                f"Hall's t allows for the skewness of a mean of several runs, and {what}",
                hint='interval="auto" and test="auto" choose what suits the runs',
            )
        x, y = self.scores[a], None if b is None else self.scores[b]
        if y is not None and not self.paired:
            return skewness.between(x, y, StandardError(*error), errors)
        return skewness.error_of_mean(x if y is None else rounding.difference(x, y), errors)

    def _bootstrap(self, a: int, b: int | None, method: str, level: float) -> NotedInterval:
        estimate = self.estimate(a, b)
        drawn = self.resampled(a) if b is None else self.resampled(a) - self.resampled(b)
        scale = self._size(a, a if b is None else b)
        distribution = replicates(drawn, scale)
        notes: tuple[Note, ...] = ()
        fewest = self._fewest(a, b)
        if self.statistic == "mean" and fewest < FEW_FOR_BOOTSTRAP:
            message = f'a bootstrap interval of the mean of {fewest} runs is too short; use interval="t"'
            notes = (Note("short_interval", message),)
        if method == "basic":
            ends = intervals.basic(distribution, estimate, level)
            return self._defined(Interval(*ends, level, method, False), a, b, notes)
        ends_or_none: tuple[float, float] | None = None
        if method == "bca":
            ends_or_none = intervals.bca(distribution, estimate, self._acceleration(a, b), level)
        if ends_or_none is None:
            if method == "bca":
                message = "the BCa interval is undefined here; the percentile interval is given"
                notes += (Note("bca_undefined", message),)
            method, ends_or_none = "percentile", self._percentile(distribution, level)
        return self._defined(Interval(*ends_or_none, level, method, False), a, b, notes)

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
            self._drawn[system] = samples.location(x[drawn], self.statistic)
        return self._drawn[system]

    def _acceleration(self, a: int, b: int | None) -> float:
        left_out_a = samples.left_out(self.scores[a], self.statistic)
        if b is None:
            return intervals.acceleration(left_out_a, np.ones(left_out_a.size, dtype=np.int64))
        left_out_b = -samples.left_out(self.scores[b], self.statistic)
        if self.paired:
            return intervals.acceleration(left_out_a + left_out_b, np.ones(left_out_a.size, dtype=np.int64))
        both = np.concatenate([left_out_a, left_out_b])
        bounds = np.array([0, left_out_a.size, both.size])
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
        result = samples.t_test(x, y, self.statistic, alternative, paired=self.paired)
        if result is None:
            raise DesignError("a single run has no t test", hint="a system needs two runs or more")
        return result

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
            least = samples.smallest_p(x.size, y.size, self.paired)
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
    return samples.brunner_munzel(x, y, alternative)


# -- runs and items together -----------------------------------------------------------------------


FEW_DIFFERING = 6.0
"""Differing items below which a score interval covers more than it says."""

DOUBTED = frozenset({"few_effective", "none_effective"})
"""The codes of the notes on an interval that is probably too short."""


@dataclass(frozen=True, eq=False)
class RunsWithItems:
    """The runs of several systems on one set of items.

    Nothing tells how much the runs of a system with one run vary. Beside a system with several it is taken to
    vary as that one does; alone, or beside another single run, only the items count.
    """

    estimates: Estimates
    n_runs: Sequence[int]
    names: Sequence[str]
    paired: bool
    _drawn: dict[int, FloatArray] = field(default_factory=dict, init=False, repr=False)
    _components: dict[tuple[int, int | None], Components] = field(
        default_factory=dict, init=False, repr=False
    )

    @property
    def group(self) -> Group:
        """The metrics on the evaluation of all runs."""
        return self.estimates.group

    @property
    def drawing(self) -> Drawing:
        """How to resample."""
        return self.estimates.drawing

    def columns(self, system: int) -> slice:
        """Return which columns the runs of a system have."""
        start = sum(self.n_runs[:system])
        return slice(start, start + self.n_runs[system])

    @cached_property
    def scores(self) -> tuple[FloatArray, ...]:
        """The scores of the runs of each system on all items."""
        scores = self.estimates.scores
        return tuple(scores[self.columns(s)] for s in range(len(self.n_runs)))

    @cached_property
    def replicates(self) -> FloatArray:
        """The scores of all runs on resampled items, shape (B, runs)."""
        return self.estimates.replicates

    @cached_property
    def _influences(self) -> Influences | None:
        return self.group.influences

    @cached_property
    def _freedom(self) -> float:
        """The degrees of freedom of what is known of the items, which unequal clusters make fewer."""
        influences = self._influences
        if influences is None or not self.group.clustered:
            return self.group.n_units - 1.0
        nothing = np.zeros(influences.sizes.size)
        return max(1.0, clusters.cr2(nothing, influences.sizes, influences.counts, influences.bounds).df)

    def covariance(self, *systems: int) -> FloatArray:
        """Return how the scores of the runs of some systems vary together with the choice of items.

        By CR2, from the delta method for metrics that are functions of sums (for a mean over items that is
        the sample covariance over n) and from the jackknife for others in clusters; by the bootstrap for the
        rest. No other system changes it. The result has shape (runs, runs).
        """
        return self._covariance(systems, lambda runs: runs)

    def _covariance(self, systems: Sequence[int], combined: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Return the covariance of combinations of the runs of some systems, which `combined` makes.

        The units are combined first: the difference of two large covariances would leave their rounding.
        """
        runs = np.concatenate([np.arange(sum(self.n_runs))[self.columns(s)] for s in systems])
        influences = self._influences
        if influences is not None:
            values = combined(influences.values[:, runs])
            covariance = clusters.cr2_covariance(
                values, influences.sizes, influences.counts, influences.bounds
            )
            if np.isfinite(covariance).all():
                return covariance  # at the edge of its range a metric may have no gradient
        drawn = self.replicates[:, runs]
        drawn = drawn[np.isfinite(drawn).all(axis=1)]
        if len(drawn) < 2:
            named = " and ".join(self.names[s] for s in systems)
            raise DesignError(
                f"the metric is undefined for the runs of {named} on nearly every resample of the items",
                hint="there are too few items of some class; use more items or another metric",
            )
        return np.atleast_2d(np.cov(combined(drawn), rowvar=False))

    def components(self, a: int, b: int | None = None) -> Components:
        """Return the parts of the variance of a mean over runs, or of the difference of two.

        For a mean over items these are the components of the two-way analysis of variance; components below 0
        are set to 0.
        """
        if (a, b) not in self._components:
            self._components[a, b] = self._components_of(a, b)
        return self._components[a, b]

    def _components_of(self, a: int, b: int | None) -> Components:
        r, x = self.n_runs[a], self.scores[a]
        if b is None:
            mean = self._covariance([a], lambda runs: runs.mean(axis=1, keepdims=True))
            return self._split_variance([self.covariance(a)], [x], mean)
        y = self.scores[b]
        mean = self._covariance(
            [a, b],
            lambda runs: runs[:, :r].mean(axis=1, keepdims=True) - runs[:, r:].mean(axis=1, keepdims=True),
        )
        if self.paired:
            block = self._covariance([a, b], lambda runs: runs[:, :r] - runs[:, r:])
            return self._split_variance([block], [x - y], mean)
        both = self.covariance(a, b)
        return self._split_variance([both[:r, :r], both[r:, r:]], [x, y], mean)

    def _split_variance(
        self, blocks: list[FloatArray], scores: list[FloatArray], mean: FloatArray
    ) -> Components:
        """Return the components of one sample of runs, or of the difference of two independent ones.

        `blocks` are the covariances of the runs of each, `mean` is the variance of the mean or difference.
        """
        over_items = [float(block.mean()) for block in blocks]  # items + rest, of the mean over runs
        single = [float(block.diagonal().mean()) for block in blocks]  # of one run
        # The mean covariance of two runs is what items add; what single runs have beyond the mean of all is
        # the rest.
        rest = [s - m for s, m in zip(single, over_items, strict=True)]
        return runs_and_items.variance_components(float(mean[0, 0]), self._freedom, scores, rest)

    def resampled(self, system: int) -> FloatArray:
        """Return the mean over resampled runs on resampled items, shape (B,); NaN where undefined.

        The runs of each system are drawn by its name, so that no other system changes them; paired runs are
        drawn together.
        """
        if system not in self._drawn:
            n_runs, name = self.n_runs[system], "" if self.paired else self.names[system]
            drawn: IntArray = samples.drawn_runs(n_runs, self.drawing.n_resamples, self.drawing.seed, name)
            on_items = self.replicates[:, self.columns(system)]
            self._drawn[system] = np.take_along_axis(on_items, drawn, axis=1).mean(axis=1)
        return self._drawn[system]

    def _resampled_difference(self, a: int, b: int) -> FloatArray:
        """Return A minus B over resampled runs on resampled items, single runs as those of the other vary."""
        drawn = self.resampled(a) - self.resampled(b)
        for single, other, sign in ((a, b, 1.0), (b, a, -1.0)):
            if self.n_runs[single] == 1 < self.n_runs[other]:
                on_items = self.replicates[:, self.columns(other)]
                n, drawing = self.n_runs[other], self.drawing
                run = samples.drawn_runs(n, drawing.n_resamples, drawing.seed, self.names[single])[:, :1]
                # A single run is given the deviation of a random run of the other system from the mean of its
                # runs.
                apart = np.take_along_axis(on_items, run, axis=1)[:, 0] - on_items.mean(axis=1)
                drawn = drawn + sign * apart
        return drawn

    @cached_property
    def _right(self) -> tuple[FloatArray | None, ...]:
        """Per system the share of its runs that are right on each kind of item; None for other scores."""
        return tuple(self._share_right(self.columns(s)) for s in range(len(self.n_runs)))

    def _share_right(self, columns: slice) -> FloatArray | None:
        runs = range(columns.start, columns.stop)
        if self.group.n_strata > 1 or not self.group.are_answers(runs):
            return None
        assert self._unit_means is not None  # as answers have them
        return np.asarray(self._unit_means[0][:, columns].mean(axis=1))

    @cached_property
    def _unit_means(self) -> tuple[FloatArray, IntArray] | None:
        return self.group.unit_means

    def answers(self, a: int, b: int) -> Differences | None:
        """Return the differences of items that are right or wrong; None for other scores, and in clusters."""
        right_a, right_b = self._right[a], self._right[b]
        if right_a is None or right_b is None:
            return None
        assert self._unit_means is not None  # as answers have them
        return Differences.of(right_a - right_b, self._unit_means[1])

    def _t_interval(self, a: int, b: int | None, level: float) -> Interval:
        parts, name = self.components(a, b), "crossed-t"
        quantile = float(stdtrit(parts.freedom, 0.5 * (1.0 + level)))
        right, n = self._right[a], self.group.n_units
        if b is None and right is not None:
            ends = mean_interval(self.estimate(a), parts.items + parts.rest, n, parts.runs, quantile)
            return Interval(*ends, level, name, True)
        answers = None if b is None else self.answers(a, b)
        if answers is not None:
            ends = answers.interval(parts.runs, quantile, parts.standard_error**2)
            return Interval(*ends, level, name, True)
        return samples.t_interval(self.estimate(a, b), parts.standard_error, parts.freedom, level, name)

    def _reservation(self, a: int, b: int, method: str) -> tuple[Note, ...]:
        """Return notes if its interval is probably too short or too long."""
        few = self._few(a, b, method)
        if few or method != "t":
            return few
        parts = self.components(a, b)
        if parts.runs > 0.0 or parts.rest <= parts.items:
            return ()
        message = (
            "the runs vary no more than chance on single items explains; so few runs may hide a larger"
            " variation, for which the interval allows, and it covers more than it says if there is none"
        )
        return (Note("long_interval", message),)

    def _few(self, a: int, b: int, method: str) -> tuple[Note, ...]:
        """Return a note if the items that carry a difference are few for its interval."""
        answers = self.answers(a, b)
        if answers is not None and method == "t":
            if answers.differing >= FEW_DIFFERING:
                return ()
            message = (
                "the difference of the runs is based on few items, at most"
                f" {math.ceil(answers.differing)} that differ by the same amount: with so few, no interval"
                " meets its level; this one covers more than it says"
            )
            return (Note("few_differing", message),)
        influences = self._influences
        if influences is None:
            return ()
        rights = all(self._rights(influences, s) for s in (a, b))
        columns, scores = (self.columns(a), self.columns(b)), (self.scores[a], self.scores[b])
        return few_carrying(influences, columns, scores, clustered=self.group.clustered, rights=rights)

    def _rights(self, influences: Influences, system: int) -> bool:
        """Return whether its scores can be shares of right answers."""
        metric = self.group.metric
        if not isinstance(metric, MeanMetric) or not metric.proportions:
            return False
        return whole_sums(influences, self.columns(system), self.scores[system])

    def estimate(self, a: int, b: int | None = None) -> float:
        """Return the mean over the runs of a system, or a difference."""
        score = self.scores[a].mean()
        return float(score if b is None else rounding.difference(score, self.scores[b].mean()))

    def interval(self, a: int, b: int | None, method: str, level: float) -> NotedInterval:
        """Return the interval of a score or a difference over items and runs alike.

        For `method`, "auto" is "t": the variance is the sum of its components, with Satterthwaite's degrees
        of freedom. Of answers that are right or wrong, the items' part is that of a score interval. The
        others are those of resampled runs on resampled items.
        """
        estimate = self.estimate(a, b)
        least, greatest = self.group.metric.bounds
        if b is not None:
            least, greatest = least - greatest, greatest - least
        notes: tuple[Note, ...] = ()
        if method in ("auto", "t"):
            result = self._t_interval(a, b, level)
        elif method == "bca":
            raise DesignError(
                "there is no BCa interval over items and runs at once",
                hint='interval="t" or interval="percentile"',
            )
        else:
            distribution = replicates(self._finite_resamples(a, b), abs(estimate))
            ends = (
                intervals.basic(distribution, estimate, level)
                if method == "basic"
                else intervals.percentile(distribution, level)
            )
            result = Interval(*ends, level, method, False)
            fewest = min(self.scores[s].size for s in (a, b) if s is not None)
            if 1 < fewest < FEW_FOR_BOOTSTRAP:
                message = f'a bootstrap interval over {fewest} runs can be too short; use interval="t"'
                notes = (Note("short_interval", message),)
        if b is not None:
            notes += self._reservation(a, b, "t" if method == "auto" else method)
        clipped = dataclasses.replace(result, low=max(result.low, least), high=min(result.high, greatest))
        scale = max(float(np.abs(self.scores[s]).max()) for s in (a, b) if s is not None)
        constant = "constant_scores" if b is None else "constant_difference"
        return defined(clipped, notes, scale=scale, constant=constant)

    def standard_error(self, a: int, b: int | None = None) -> tuple[float, str]:
        """Return the standard error of a score or a difference, and where it comes from."""
        return self.components(a, b).standard_error, "crossed"

    def _finite_resamples(self, a: int, b: int | None) -> FloatArray:
        """Return the resampled scores or differences on which the metric has a value."""
        drawn = self.resampled(a) if b is None else self._resampled_difference(a, b)
        finite = drawn[np.isfinite(drawn)]
        if finite.size < 2:
            raise DesignError(
                "the metric is undefined on nearly every resample of the items",
                hint="there are too few items of some class; use more items or another metric",
            )
        return finite

    def test(self, a: int, b: int, name: str, alternative: Alternative) -> TestResult:
        """Return the test of a difference.

        For `name`, "auto" is "t". That and "bootstrap" generalise over items and runs; the others take the
        items as given and ask about other runs on these very items.
        """
        x, y = self.scores[a], self.scores[b]
        if name == "permutation":
            drawing = self.drawing
            return samples.permutation_test(
                x,
                y,
                "mean",
                alternative,
                paired=self.paired,
                n_resamples=drawing.n_resamples,
                seed=drawing.seed,
            )
        if name == "brunner-munzel":
            return rank_test(x, y, alternative, paired=self.paired)
        observed, scale = self.estimate(a, b), float(max(np.abs(x).max(), np.abs(y).max()))
        if name == "bootstrap":
            drawn = self._resampled_difference(a, b) - observed
            return permutation.monte_carlo(
                drawn, observed, alternative, name="crossed-bootstrap", scale=scale
            )
        parts = self.components(a, b)
        # Signs of the items are all there is without a standard error; 2^-1000 is a float yet.
        least = 0.5 ** min(self.group.n_units, 1000)
        answers = self.answers(a, b)
        error = parts.standard_error
        if answers is not None:
            # A score test takes the variance that holds if the difference is 0, not that at the estimate.
            error = math.sqrt(answers.null_variance() + parts.runs)
        return samples.t_result("crossed-t", observed, error, parts.freedom, alternative, least, scale)


# -- differences that few items or clusters carry --------------------------------------------------


ENOUGH_CARRYING = 9.0
"""Units that must carry a difference, were they equally large, before its t interval keeps its level."""

ENOUGH_OF_ALL = 6.0
"""Of few units, one in so many must carry a difference."""


def few_carrying(
    influences: Influences,
    columns: tuple[slice, slice],
    scores: tuple[FloatArray, FloatArray],
    *,
    clustered: bool,
    rights: bool,
) -> tuple[Note, ...]:
    """Return a note if few units carry the difference of two systems, or none does, or that is not known.

    `columns` are those of the runs of both systems, `scores` the scores of these runs; `rights` tells that
    these are shares of right answers.
    """
    units, n = "clusters" if clustered else "items", int(influences.counts.sum())
    mean_a, mean_b = (influences.values[:, runs].mean(axis=1) for runs in columns)
    contributions = n * np.array([mean_a, mean_b, mean_a - mean_b])
    if not np.isfinite(contributions).all():
        message = (
            f"what some of the {n} {units} contribute to the difference is undefined, for instance because a"
            " score is undefined without them: the interval may be too short, and no verdict is based on it"
        )
        return (Note("few_effective", message),)
    if rounding.is_nothing(
        np.abs(contributions[2]).max(), max(np.abs(z).max() for z in (contributions, *scores))
    ):
        return _constant_difference(units, *scores, rights=rights)
    carrying = clusters.carrying(mean_a - mean_b, influences.sizes, influences.counts)
    if carrying >= min(ENOUGH_CARRYING, n / ENOUGH_OF_ALL):
        return ()
    message = (
        f"at most {math.ceil(carrying)} of {n} {units} determine how the difference would change with"
        " other items: the interval is probably too short, and no verdict is based on it"
    )
    return (Note("few_effective", message),)


def whole_sums(influences: Influences, columns: slice, scores: FloatArray) -> bool:
    """Return whether the sums of all units can be numbers of right answers."""
    n, sizes = float(influences.counts @ influences.sizes), influences.sizes[:, None]
    sums = n * influences.values[:, columns] + sizes * scores
    whole = np.rint(sums)
    within = (whole >= 0.0) & (whole <= sizes)
    return bool((within & (np.abs(sums - whole) <= rounding.ON_POINT)).all())


def _constant_difference(units: str, x: FloatArray, y: FloatArray, *, rights: bool) -> tuple[Note, ...]:
    """Return a note on a difference that is the same on every unit, unless that is a copy of scores.

    `rights` tells that these are shares of right answers, of which the t interval does not allow for what
    has not been seen.
    """
    if rights:
        message = (
            f"no more answers are right in one of the two systems on any of the {units}: that others might"
            " differ is not in the interval, which is probably too short, and no verdict is based on it"
        )
        return (Note("none_effective", message),)
    if np.array_equal(np.sort(x), np.sort(y)):
        return ()
    message = (
        f"the difference between the mean runs is the same on all {units}: the data do not show how it"
        " would change with other items, and the interval allows for other runs only"
    )
    return (Note("same_difference", message),)
