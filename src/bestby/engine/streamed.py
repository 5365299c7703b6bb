"""Metrics that are functions of sums, over items that come in batches: totals, moments, Poisson resamples."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.mixing import Words
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.data.evaluation import Batch, Streamed
from bestby.engine import poisson
from bestby.engine.base import Drawing, Group, GroupSample, Jackknife, Memo, Squares
from bestby.engine.functionals import Directions, Functional, scores
from bestby.engine.statistics import check_width
from bestby.inference import permutation
from bestby.inference.influence import Expansion, Path
from bestby.metrics.base import BaseMetric, MeanMetric, Metric
from bestby.resampling.executing import one_blas_thread
from bestby.resampling.units import Units
from bestby.results.values import TestResult

GROUPS = 256
"""Groups of items, by their keys, that are left out one at a time."""


@dataclass(frozen=True, eq=False)
class Moments:
    """What one pass over the data yields.

    `groups` has shape (GROUPS, K) and `centred` has shape (K, K). `differing` says of each metric on how
    many items two systems differ.
    """

    groups: FloatArray
    centred: FloatArray
    differing: dict[tuple[int, int, int], int]


@dataclass(eq=False)
class Powers:
    """Sums of powers of the influence of the items on a score or difference, and the largest influence."""

    squares: float = 0.0
    cubes: float = 0.0
    largest: float = 0.0

    def add(self, influence: FloatArray) -> None:
        """Add some items."""
        squares = influence * influence
        self.squares += float(squares.sum())
        self.cubes += float(squares @ influence)
        self.largest = max(self.largest, float(np.abs(influence).max()))


@dataclass(frozen=True, eq=False)
class Passes:
    """What passes over a stream of items yield for several metrics and all systems."""

    metrics: Sequence[Metric]
    data: Streamed

    @property
    def n_systems(self) -> int:
        """The number of systems."""
        return len(self.data.names)

    @cached_property
    def squares(self) -> Squares:
        """The sums of all columns, from a pass over the items."""
        parts = [
            (rows.sum(axis=0), (rows**2).sum(axis=0), (rows != 0.0).sum(axis=0)) for _, rows in self.passed()
        ]
        return Squares(*np.sum(parts, axis=0))

    @cached_property
    def columns(self) -> list[list[IntArray]]:
        """The columns of each metric and system; column 0 counts the items."""
        out: list[list[IntArray]] = []
        width = 1
        for metric in self.metrics:
            used = []
            for _ in range(self.n_systems):
                size = 1 if isinstance(metric, MeanMetric) else self._widths[metric.name]
                own = np.arange(width, width + size)
                used.append(np.append(own, 0) if isinstance(metric, MeanMetric) else own)
                width += size
            out.append(used)
        return out

    @cached_property
    def _widths(self) -> dict[str, int]:
        batch = next(self._batches())
        few = Batch(
            batch.keys[:2],
            None if batch.gold is None else batch.gold[:2],
            [values[:2] for values in batch.systems],
        )
        widths = {}
        for metric in self.metrics:
            by_system = [metric.statistics(few.gold, values).shape[1] for values in few.systems]
            check_width(metric, dict(zip(self.data.names, by_system, strict=True)))
            widths[metric.name] = by_system[0]
        return widths

    def _rows(self, batch: Batch) -> FloatArray:
        """Return the statistics of all metrics and systems side by side, shape (m, K)."""
        parts = [np.ones((batch.keys.size, 1))]
        for metric in self.metrics:
            for values in batch.systems:
                rows = np.asarray(metric.statistics(batch.gold, values), dtype=np.float64)
                if not np.isfinite(rows).all():
                    raise InvalidInputError(f"metric {metric.name!r} returned statistics that are not finite")
                parts.append(rows[:, :1] if isinstance(metric, MeanMetric) else rows)
        return np.concatenate(parts, axis=1)

    def passed(self) -> Iterator[tuple[Words, FloatArray]]:
        """Yield the keys of the items of each batch, and their statistics."""
        with one_blas_thread():
            for batch in self._batches():
                yield batch.keys, self._rows(batch)

    def _batches(self) -> Iterator[Batch]:
        """Yield the batches that have items: those of one may all have been dropped."""
        return (batch for batch in self.data.batches() if batch.keys.size)

    @cached_property
    def moments(self) -> Moments:
        """What the first pass yields."""
        width = 1 + max(int(used.max()) for systems in self.columns for used in systems)
        groups, products = np.zeros((GROUPS, width)), np.zeros((width, width))
        shifted, centre = np.zeros(width), None
        pairs = [
            (m, a, b)
            for m in range(len(self.metrics))
            for a, b in itertools.combinations(range(self.n_systems), 2)
        ]
        differing = dict.fromkeys(pairs, 0)
        for keys, X in self.passed():
            group = (keys % np.uint64(GROUPS)).astype(np.int64)
            for column in range(width):
                groups[:, column] += np.bincount(group, X[:, column], minlength=GROUPS)
            centre = X.mean(axis=0) if centre is None else centre  # near the mean: nothing cancels
            deviations = X - centre
            shifted += deviations.sum(axis=0)
            products += deviations.T @ deviations
            for m, a, b in pairs:
                unlike = X[:, self.columns[m][a]] != X[:, self.columns[m][b]]
                differing[m, a, b] += int(np.count_nonzero(unlike.any(axis=1)))
        # Products about the mean, from those about the mean of the first batch: that is near, so that nothing
        # cancels.
        return Moments(groups, products - np.outer(shifted, shifted) / self.data.n, differing)

    @cached_property
    def total(self) -> FloatArray:
        """The totals of all columns."""
        total: FloatArray = self.moments.groups.sum(axis=0)
        return total

    def drawn(self, drawing: Drawing, add: poisson.Add) -> FloatArray:
        """Return the totals of all columns of resamples or swaps, shape (B, K); the last ones are kept."""
        return self._drawn_totals.get(
            (add.__name__, drawing.n_resamples, drawing.seed), lambda _: self._drawn(drawing, add)
        )

    @cached_property
    def _drawn_totals(self) -> Memo[tuple[str, int, int], FloatArray]:
        return Memo(2)

    def _drawn(self, drawing: Drawing, add: poisson.Add) -> FloatArray:
        totals = np.zeros((drawing.n_resamples, self.total.size))
        done = 0
        for keys, X in self.passed():
            add(totals, X, keys, drawing.seed, n_jobs=drawing.n_jobs)
            done += keys.size
            if drawing.progress is not None:
                drawing.progress(drawing.n_resamples * done // self.data.n, drawing.n_resamples)
        return totals

    def directions(self, columns: IntArray) -> Directions:
        """Return the directions in which the items vary in some columns."""
        return Directions.of(self.moments.centred[np.ix_(columns, columns)] / self.data.n)

    def curvature(self, metric: int, system: int) -> float:
        """Return the sum of the second derivatives of a score by the weight of each item."""
        used, score = self.columns[metric][system], Functional(self.metrics[metric])
        return self.directions(used).curvature(score, self.total[used], self.data.n)

    @cached_property
    def slopes(self) -> list[FloatArray]:
        """The slopes of the scores of each metric by the columns of an item, shape (K, S)."""
        out = []
        for metric, systems in zip(self.metrics, self.columns, strict=True):
            by_column = np.zeros((self.total.size, self.n_systems))
            for s, used in enumerate(systems):
                directions = self.directions(used)
                slopes = directions.slopes(Functional(metric), self.total[used][None, :], self.data.n)[0]
                by_column[used, s] = directions.across @ slopes
            out.append(by_column)
        return out

    @cached_property
    def powers(self) -> dict[tuple[int, tuple[int, ...]], Powers]:
        """The powers of the influence of the items on each score and each difference of two systems."""
        systems = range(self.n_systems)
        targets = [*itertools.combinations(systems, 1), *itertools.combinations(systems, 2)]
        powers = {(m, chosen): Powers() for m in range(len(self.metrics)) for chosen in targets}
        mean = self.total / self.data.n
        for _, X in self.passed():
            for m, slopes in enumerate(self.slopes):
                influence = (X - mean) @ slopes
                for chosen in targets:
                    first, *others = (influence[:, s] for s in chosen)
                    powers[m, chosen].add(first - others[0] if others else first)
        return powers


@dataclass(frozen=True, eq=False)
class StreamGroup(Group):
    """One metric over a stream of items; `place` is its position among those of the passes."""

    passes: Passes
    place: int

    has_formula = True
    in_batches = True
    shares_draws = True

    @property
    def metric(self) -> Metric:  # type: ignore[override]
        """The metric."""
        return self.passes.metrics[self.place]

    @property
    def n_systems(self) -> int:  # type: ignore[override]
        """The number of systems."""
        return self.passes.n_systems

    @property
    def units(self) -> Units:  # type: ignore[override]
        """All items, in one stratum."""
        return Units(np.array([self.passes.data.n]), np.array([0, 1]))

    @property
    def columns(self) -> list[IntArray]:
        """The columns of each system; column 0 counts the items."""
        return self.passes.columns[self.place]

    def sample(self, a: int, b: int | None = None) -> StreamSample:
        """Return the sample of the score of A, or of the difference A minus B."""
        return StreamSample(self, a, b)

    def every_unit(self, what: str) -> None:
        """Refuse it: the items come in batches."""
        self.passes.data.uncounted(what)

    def scored(self, totals: FloatArray) -> FloatArray:
        """Return the scores (..., S) of totals (..., K) of all columns."""
        return np.stack([scores(self.metric, totals[..., used]) for used in self.columns], axis=-1)

    @cached_property
    def scores(self) -> FloatArray:
        """The scores on the full data, shape (S,)."""
        return self.scored(self.passes.total)

    def squares(self, system: int) -> Squares:
        """Return sums over the items of the statistics of a system."""
        return Squares(*(each[self.columns[system]] for each in self.passes.squares))

    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of Poisson resamples, shape (B, S).

        Totals are brought to the scale of n items by the resample's own number of items.
        """
        if drawing.resample_size is not None:
            raise DesignError(
                "a table that is read in batches is resampled by Poisson weights of mean 1, not m out of n",
                hint="leave resample_size out, or read the table whole: stream=False",
            )
        totals = self.passes.drawn(drawing, poisson.add_weighted)
        # A Poisson resample has a random number of items: totals are brought to n of them.
        return self.scored(totals * (self.n_units / totals[:, :1]))

    def jackknife(self, drawing: Drawing | None = None) -> Jackknife:  # noqa: ARG002
        """Return the scores without each of `GROUPS` groups of items, which their keys make."""
        groups = self.passes.moments.groups
        groups = groups[groups[:, 0] > 0.0]
        size = len(groups)
        left_out = self.scored(self.passes.total - groups)
        return Jackknife(left_out, np.ones(size, dtype=np.int64), np.array([0, size]))


@dataclass(frozen=True, eq=False)
class StreamSample(GroupSample):
    """One system or two over a stream of items."""

    group: StreamGroup

    @property
    def metric(self) -> Metric:  # type: ignore[override]
        """The metric."""
        return self.group.metric

    @property
    def differing(self) -> tuple[int, int]:
        """On how many items the two systems differ, twice."""
        assert self.b is not None
        number = self.group.passes.moments.differing[self.group.place, min(self.systems), max(self.systems)]
        return number, number

    @property
    def equal_units(self) -> float | None:
        """The number of items for a mean."""
        return float(self.units.n) if isinstance(self.metric, MeanMetric) else None

    @property
    def standard_error(self) -> float:
        """The delta-method standard error of a score or difference."""
        passes, n = self.group.passes, self.units.n
        used, place = np.unique(
            np.concatenate([self.group.columns[s] for s in self.systems]), return_inverse=True
        )
        score = Functional(self.metric, *np.split(place, len(self.systems)))
        directions = Directions.of(passes.moments.centred[np.ix_(used, used)] / n)
        slopes = directions.slopes(score, passes.total[used][None, :], n)[0]
        return float(np.sqrt(slopes @ slopes * n * n / (n - 1)))

    @property
    def expansion(self) -> Expansion:
        """The score or difference to second order in the weights of the items; one more pass for all."""
        passes, m, systems = self.group.passes, self.group.place, tuple(sorted(self.systems))
        powers = passes.powers[m, systems]
        error = float(np.sqrt(powers.squares))
        acceleration = powers.cubes / (6.0 * error**3) if error > 0.0 else 0.0
        if systems[0] != self.a:
            acceleration = -acceleration
        slopes_a, *slopes_b = (passes.slopes[m][:, s] for s in self.systems)
        bend_a, *bend_b = (passes.curvature(m, s) for s in self.systems)
        change = slopes_a - slopes_b[0] if slopes_b else slopes_a
        # The least favourable direction u / s, u = (x - mean) @ slopes, moves the totals by sum u (x - mean)
        # / s.
        shift = passes.moments.centred @ change / error if error > 0.0 else np.zeros(change.size)

        def along(multiples: FloatArray) -> FloatArray:
            moved = passes.total + multiples[:, None] * shift
            score, *other = (scores(self.metric, moved[:, self.group.columns[s]]) for s in self.systems)
            return score - other[0] if other else score

        return Expansion(error, acceleration, bend_a - sum(bend_b), powers.largest, Path(along))

    def permutation(
        self,
        alternative: Alternative,
        drawing: Drawing,
        *,
        standardised: bool = False,  # noqa: ARG002
    ) -> TestResult:
        """Return the paired permutation test, by swaps drawn by the keys of the items."""
        passes = self.group.passes
        taken = passes.drawn(drawing, poisson.add_swapped)
        columns_a, columns_b = (self.group.columns[s] for s in self.systems)
        moved = taken[:, columns_b] - taken[:, columns_a]
        drawn = scores(self.metric, passes.total[columns_a] + moved)
        drawn = drawn - scores(self.metric, passes.total[columns_b] - moved)
        return permutation.monte_carlo(
            drawn, self.estimate, alternative, name="permutation", scale=self.scale
        )


def takes_batches(metric: BaseMetric) -> bool:
    """Return whether a metric can be computed of batches: sums of numbers, with nothing fixed before."""
    return isinstance(metric, Metric) and metric.reads == "numbers" and type(metric).fit is BaseMetric.fit


def groups(data: Streamed, metrics: Sequence[BaseMetric]) -> list[Group]:
    """Return the group of each metric; they share the passes over the data."""
    chosen: list[Metric] = []
    for metric in metrics:
        if not isinstance(metric, Metric) or not takes_batches(metric):
            data.uncounted(f"metric {metric.name}")
        elif metric.needs_gold and data.gold is None:
            raise DesignError(
                f"metric {metric.name} compares predictions with gold, but no gold was given",
                hint="pass gold=..., or metric='mean' for per-item scores",
            )
        else:
            chosen.append(metric)
    passes = Passes(chosen, data)
    return [StreamGroup(passes, m) for m in range(len(chosen))]
