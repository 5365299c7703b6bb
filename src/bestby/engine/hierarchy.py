"""Items and runs together: the same items in all runs, and neither more independent than it is.

The items (or clusters) are drawn once for all runs and systems; the runs are drawn within their system. A
score that varies with both has the variance of the two-way random model [1]_: what the items add, what the
runs add, and what neither explains.

References
----------
.. [1] Searle, Casella & McCulloch (1992), Variance Components, section 4.5.
.. [2] Owen (2007), The pigeonhole bootstrap, Ann. Appl. Stat. 1, 386-411.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from bestby._core.errors import DesignError
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.engine.base import Drawing, Group
from bestby.engine.interval import Intervals
from bestby.engine.runs import FEW_FOR_BOOTSTRAP, Found, rank_test
from bestby.engine.sums import SumGroup
from bestby.inference import intervals, permutation, samples
from bestby.inference.distributions import replicates
from bestby.results import Interval, Note, TestResult, defined


@dataclass(frozen=True)
class Components:
    """The variance of a mean over runs, in parts that add up, and its degrees of freedom.

    Parameters
    ----------
    items, runs, rest : float
        What the choice of items, the choice of runs, and both together add; none is below 0.
    freedom : float
        Satterthwaite's degrees of freedom of their sum.
    """

    items: float
    runs: float
    rest: float
    freedom: float

    @property
    def standard_error(self) -> float:
        """The root of the sum."""
        return math.sqrt(self.items + self.runs + self.rest)


@dataclass(frozen=True, eq=False)
class Crossed:
    """The runs of several systems on one set of items.

    A system with one run has no variance between runs that could be known: only the items count.

    Parameters
    ----------
    makers : Intervals
        Metrics on an evaluation whose systems are the runs of all systems, one after the other.
    n_runs : sequence of int
        The number of runs of each system.
    names : sequence of str
        The names of the systems.
    paired : bool
        Whether run i of one system belongs to run i of the others: they are then drawn together.
    metric : int
        Position of the metric.
    """

    makers: Intervals
    n_runs: Sequence[int]
    names: Sequence[str]
    paired: bool
    metric: int = 0
    _drawn: dict[int, FloatArray] = field(default_factory=dict, init=False, repr=False)
    _covariances: dict[tuple[int, ...], FloatArray] = field(default_factory=dict, init=False, repr=False)

    @property
    def group(self) -> Group:
        """The metrics on the evaluation of all runs."""
        return self.makers.group

    @property
    def drawing(self) -> Drawing:
        """How to resample."""
        return self.makers.drawing

    def columns(self, system: int) -> slice:
        """Return which columns the runs of a system have."""
        start = sum(self.n_runs[:system])
        return slice(start, start + self.n_runs[system])

    @cached_property
    def scores(self) -> tuple[FloatArray, ...]:
        """The scores of the runs of each system on all items."""
        found = self.makers.scores[self.metric]
        return tuple(found[self.columns(s)] for s in range(len(self.n_runs)))

    @cached_property
    def replicates(self) -> FloatArray:
        """The scores of all runs on resampled items, shape (B, runs)."""
        return self.makers.replicates[:, self.metric, :]

    @cached_property
    def _by_delta(self) -> FloatArray | None:
        return _delta_covariance(self.group, self.metric) if isinstance(self.group, SumGroup) else None

    def covariance(self, *systems: int) -> FloatArray:
        """Return how the scores of the runs of some systems vary together with the choice of items.

        By the delta method for measures that are functions of sums (for a mean that is the sample covariance
        over n), by the bootstrap for others. No other system changes it.

        Parameters
        ----------
        *systems : int
            The systems, whose runs come one after the other.

        Returns
        -------
        ndarray, shape (runs, runs)

        Raises
        ------
        DesignError
            If the scores of these runs are hardly ever defined together.
        """
        if systems not in self._covariances:
            self._covariances[systems] = self._covariance(systems)
        return self._covariances[systems]

    def _covariance(self, systems: tuple[int, ...]) -> FloatArray:
        runs = np.concatenate([np.arange(sum(self.n_runs))[self.columns(s)] for s in systems])
        if self._by_delta is not None:
            found: FloatArray = self._by_delta[np.ix_(runs, runs)]
            if np.isfinite(found).all():
                return found  # at the edge of its range a measure may have no gradient
        drawn = self.replicates[:, runs]
        drawn = drawn[np.isfinite(drawn).all(axis=1)]
        if len(drawn) < 2:
            named = " and ".join(self.names[s] for s in systems)
            raise DesignError(
                f"the measure is undefined for the runs of {named} on nearly every resample of the items",
                hint="there are too few items of some class; use more items or another measure",
            )
        return np.atleast_2d(np.cov(drawn, rowvar=False))

    def components(self, a: int, b: int | None = None) -> Components:
        """Return the parts of the variance of a mean over runs, or of the difference of two.

        Parameters
        ----------
        a : int
            The system.
        b : int, optional
            The system to subtract.

        Returns
        -------
        Components
            For a mean over items those of the two-way analysis of variance, those below 0 set to 0.
        """
        if b is None:
            return self._made([self.covariance(a)], [self.scores[a]], None)
        covariance, r = self.covariance(a, b), self.n_runs[a]
        blocks, cross = [covariance[:r, :r], covariance[r:, r:]], covariance[:r, r:]
        if self.paired:
            block = blocks[0] + blocks[1] - cross - cross.T
            return self._made([block], [self.scores[a] - self.scores[b]], None)
        return self._made(blocks, [self.scores[a], self.scores[b]], cross)

    def _made(
        self, blocks: list[FloatArray], scores: list[FloatArray], cross: FloatArray | None
    ) -> Components:
        """Return the components of one sample of runs, or of the difference of two independent ones."""
        over_items = [float(block.mean()) for block in blocks]  # items + rest, of the mean over runs
        single = [float(block.diagonal().mean()) for block in blocks]  # of one run
        sizes = [x.size for x in scores]
        rest = [max(0.0, s - m) / max(1, r - 1) for s, m, r in zip(single, over_items, sizes, strict=True)]
        over_runs = [float(x.var(ddof=1)) / x.size if x.size > 1 else 0.0 for x in scores]  # runs + rest
        shared = 0.0 if cross is None else 2.0 * float(cross.mean())
        by_items = max(0.0, math.fsum(over_items) - shared)
        by_runs, both = math.fsum(over_runs), math.fsum(rest)
        items, runs = max(0.0, by_items - both), max(0.0, by_runs - both)
        total = items + runs + both
        freedom = self.group.n_units - 1.0
        if total > 0.0:
            spread = (by_items / total) ** 2 / (self.group.n_units - 1)
            spread += math.fsum(
                (v / total) ** 2 / (r - 1) for v, r in zip(over_runs, sizes, strict=True) if r > 1
            )
            freedom = 1.0 / spread if spread > 0.0 else freedom
        return Components(items, runs, both, freedom)

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

    def estimate(self, a: int, b: int | None = None) -> float:
        """Return the mean over the runs of a system, or a difference."""
        score = float(self.scores[a].mean())
        return score if b is None else score - float(self.scores[b].mean())

    def interval(self, a: int, b: int | None, method: str, level: float) -> Found:
        """Return the interval of a score or a difference over items and runs alike.

        Parameters
        ----------
        a : int
            The system.
        b : int or None
            The system to subtract, if any.
        method : {"auto", "t", "percentile", "basic"}
            "auto" is "t": the variance is the sum of its components, with Satterthwaite's degrees of freedom.
            The others are those of resampled runs on resampled items.
        level : float
            Nominal coverage.

        Raises
        ------
        DesignError
            For "bca", which is made for one sample.
        """
        estimate = self.estimate(a, b)
        least, greatest = self.group.metrics[self.metric].bounds
        if b is not None:
            least, greatest = least - greatest, greatest - least
        notes: tuple[Note, ...] = ()
        if method in ("auto", "t"):
            parts = self.components(a, b)
            found = samples.t_interval(estimate, parts.standard_error, parts.freedom, level, "crossed-t")
        elif method == "bca":
            raise DesignError(
                "there is no BCa interval over items and runs at once",
                hint='interval="t" or interval="percentile"',
            )
        else:
            distribution = replicates(self._defined(a, b), abs(estimate))
            ends = (
                intervals.basic(distribution, estimate, level)
                if method == "basic"
                else intervals.percentile(distribution, level)
            )
            found = Interval(*ends, level, method, False)
            fewest = min(self.scores[s].size for s in (a, b) if s is not None)
            if 1 < fewest < FEW_FOR_BOOTSTRAP:
                told = f'a bootstrap interval over {fewest} runs can be too short; take interval="t"'
                notes = (Note("short_interval", told),)
        clipped = dataclasses.replace(found, low=max(found.low, least), high=min(found.high, greatest))
        return defined(clipped, notes)

    def standard_error(self, a: int, b: int | None = None) -> tuple[float, str]:
        """Return the standard error of a score or a difference, and where it comes from."""
        return self.components(a, b).standard_error, "crossed"

    def _defined(self, a: int, b: int | None) -> FloatArray:
        drawn = self.resampled(a) if b is None else self.resampled(a) - self.resampled(b)
        kept = drawn[np.isfinite(drawn)]
        if kept.size < 2:
            raise DesignError(
                "the measure is undefined on nearly every resample of the items",
                hint="there are too few items of some class; use more items or another measure",
            )
        return kept

    def test(self, a: int, b: int, name: str, alternative: Alternative) -> TestResult:
        """Return the test of a difference.

        Parameters
        ----------
        a, b : int
            The systems.
        name : {"auto", "t", "bootstrap", "permutation", "brunner-munzel"}
            "auto" is "t". That and "bootstrap" generalise over items and runs; the others take the items as
            given and ask about other runs on these very items.
        alternative : {"two-sided", "greater", "less"}
            A against B.
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
            drawn = self.resampled(a) - self.resampled(b) - observed
            return permutation.monte_carlo(
                drawn, observed, alternative, name="crossed-bootstrap", scale=scale
            )
        parts = self.components(a, b)
        least = 0.5 ** min(self.group.n_units, 1000)
        error = parts.standard_error
        return samples.t_result("crossed-t", observed, error, parts.freedom, alternative, least, scale)


def _delta_covariance(group: SumGroup, metric: int) -> FloatArray:
    influence = np.column_stack([group.influence(metric, s) for s in range(group.n_systems)])
    units = group.table.units
    total = np.zeros((group.n_systems, group.n_systems))
    for start, stop in pairwise(units.bounds.tolist()):
        counts, rows = units.counts[start:stop].astype(np.float64), influence[start:stop]
        n = float(counts.sum())
        if n > 1.0:
            centred = rows - (counts @ rows) / n
            total += (centred * counts[:, None]).T @ centred * (n / (n - 1.0))
    return total
