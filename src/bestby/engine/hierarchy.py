"""Items and runs together: the same items in all runs, and neither more independent than it is.

The items (or clusters) are drawn once for all runs and systems; the runs are drawn within their system. A
score that varies with both has the variance of the two-way random model [1]_: what the items add, what the
runs add, and what neither explains. The items' part is cluster-robust (CR2, `inference.clusters`); of answers
that are right or wrong it is that of a score interval (`inference.repeated`).

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

from bestby._core.cached import cached_property
from bestby._core.errors import DesignError
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.engine.base import Drawing, Group, Influences
from bestby.engine.effective_units import few_carrying, whole_sums
from bestby.engine.estimate import Estimates
from bestby.engine.runs import FEW_FOR_BOOTSTRAP, NotedInterval, rank_test
from bestby.inference import clusters, components, intervals, permutation, samples
from bestby.inference.components import Components
from bestby.inference.distributions import replicates
from bestby.inference.repeated import Differences, mean_interval
from bestby.metrics.base import MeanMetric
from bestby.results.base import Note
from bestby.results.values import Interval, TestResult, defined

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
        found = self.estimates.scores
        return tuple(found[self.columns(s)] for s in range(len(self.n_runs)))

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
        found = self._influences
        if found is None or not self.group.clustered:
            return self.group.n_units - 1.0
        nothing = np.zeros(found.sizes.size)
        return max(1.0, clusters.cr2(nothing, found.sizes, found.counts, found.bounds).df)

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
        found = self._influences
        if found is not None:
            values = combined(found.values[:, runs])
            made = clusters.cr2_covariance(values, found.sizes, found.counts, found.bounds)
            if np.isfinite(made).all():
                return made  # at the edge of its range a metric may have no gradient
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
            return self._made([self.covariance(a)], [x], mean)
        y = self.scores[b]
        mean = self._covariance(
            [a, b],
            lambda runs: runs[:, :r].mean(axis=1, keepdims=True) - runs[:, r:].mean(axis=1, keepdims=True),
        )
        if self.paired:
            block = self._covariance([a, b], lambda runs: runs[:, :r] - runs[:, r:])
            return self._made([block], [x - y], mean)
        both = self.covariance(a, b)
        return self._made([both[:r, :r], both[r:, r:]], [x, y], mean)

    def _made(self, blocks: list[FloatArray], scores: list[FloatArray], mean: FloatArray) -> Components:
        """Return the components of one sample of runs, or of the difference of two independent ones.

        `blocks` are the covariances of the runs of each, `mean` is the variance of the mean or difference.
        """
        over_items = [float(block.mean()) for block in blocks]  # items + rest, of the mean over runs
        single = [float(block.diagonal().mean()) for block in blocks]  # of one run
        rest = [s - m for s, m in zip(single, over_items, strict=True)]
        return components.with_items(float(mean[0, 0]), self._freedom, scores, rest)

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
        for alone, other, sign in ((a, b, 1.0), (b, a, -1.0)):
            if self.n_runs[alone] == 1 < self.n_runs[other]:
                on_items = self.replicates[:, self.columns(other)]
                n, drawing = self.n_runs[other], self.drawing
                run = samples.drawn_runs(n, drawing.n_resamples, drawing.seed, self.names[alone])[:, :1]
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
        of_a, of_b = self._right[a], self._right[b]
        if of_a is None or of_b is None:
            return None
        assert self._unit_means is not None  # as answers have them
        return Differences.of(of_a - of_b, self._unit_means[1])

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
        told = (
            "the runs vary no more than chance on single items explains; so few runs may hide a larger"
            " variation, for which the interval allows, and it covers more than it says if there is none"
        )
        return (Note("long_interval", told),)

    def _few(self, a: int, b: int, method: str) -> tuple[Note, ...]:
        """Return a note if the items that carry a difference are few for its interval."""
        answers = self.answers(a, b)
        if answers is not None and method == "t":
            if answers.differing >= FEW_DIFFERING:
                return ()
            told = (
                "the difference of the runs is based on few items, at most"
                f" {math.ceil(answers.differing)} that differ by the same amount: with so few, no interval"
                " meets its level; this one covers more than it says"
            )
            return (Note("few_differing", told),)
        found = self._influences
        if found is None:
            return ()
        rights = all(self._rights(found, s) for s in (a, b))
        columns, scores = (self.columns(a), self.columns(b)), (self.scores[a], self.scores[b])
        return few_carrying(found, columns, scores, clustered=self.group.clustered, rights=rights)

    def _rights(self, found: Influences, system: int) -> bool:
        """Return whether its scores can be shares of right answers."""
        metric = self.group.metric
        if not isinstance(metric, MeanMetric) or not metric.proportions:
            return False
        return whole_sums(found, self.columns(system), self.scores[system])

    def estimate(self, a: int, b: int | None = None) -> float:
        """Return the mean over the runs of a system, or a difference."""
        score = float(self.scores[a].mean())
        return score if b is None else score - float(self.scores[b].mean())

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
            found = self._t_interval(a, b, level)
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
            found = Interval(*ends, level, method, False)
            fewest = min(self.scores[s].size for s in (a, b) if s is not None)
            if 1 < fewest < FEW_FOR_BOOTSTRAP:
                told = f'a bootstrap interval over {fewest} runs can be too short; use interval="t"'
                notes = (Note("short_interval", told),)
        if b is not None:
            notes += self._reservation(a, b, "t" if method == "auto" else method)
        clipped = dataclasses.replace(found, low=max(found.low, least), high=min(found.high, greatest))
        scale = max(float(np.abs(self.scores[s]).max()) for s in (a, b) if s is not None)
        constant = "constant_scores" if b is None else "constant_difference"
        return defined(clipped, notes, scale=scale, constant=constant)

    def standard_error(self, a: int, b: int | None = None) -> tuple[float, str]:
        """Return the standard error of a score or a difference, and where it comes from."""
        return self.components(a, b).standard_error, "crossed"

    def _finite_resamples(self, a: int, b: int | None) -> FloatArray:
        """Return the resampled scores or differences on which the metric has a value."""
        drawn = self.resampled(a) if b is None else self._resampled_difference(a, b)
        kept = drawn[np.isfinite(drawn)]
        if kept.size < 2:
            raise DesignError(
                "the metric is undefined on nearly every resample of the items",
                hint="there are too few items of some class; use more items or another metric",
            )
        return kept

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
        least = 0.5 ** min(self.group.n_units, 1000)
        answers = self.answers(a, b)
        error = parts.standard_error
        if answers is not None:
            error = math.sqrt(answers.null_variance() + parts.runs)
        return samples.t_result("crossed-t", observed, error, parts.freedom, alternative, least, scale)
