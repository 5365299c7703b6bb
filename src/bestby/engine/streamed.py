"""Metrics that are functions of sums, over items that come in batches: totals, moments, Poisson resamples."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.data.batches import Batch, Streamed, Words
from bestby.engine.base import Drawing, Group, Jackknife, Pair, Squares
from bestby.engine.slopes import Directions
from bestby.engine.stacked import scores
from bestby.engine.transforms import Functional
from bestby.inference import permutation
from bestby.inference.abc import Expansion
from bestby.inference.influence import Path
from bestby.metrics.base import BaseMetric, MeanMetric, Metric
from bestby.resampling import poisson
from bestby.resampling.executing import one_blas_thread
from bestby.resampling.units import Units
from bestby.results.values import TestResult

GROUPS = 256
"""Groups of items, by their keys, that are left out one at a time."""


@dataclass(frozen=True, eq=False)
class Moments:
    """What one pass over the data yields.

    `groups` has shape (GROUPS, K) and `centred` has shape (K, K). `differing` says on how many items two
    systems differ.
    """

    groups: FloatArray
    centred: FloatArray
    differing: dict[Pair, int]


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
class StreamGroup(Group):
    """Metrics over a stream of items."""

    metrics: Sequence[Metric]
    data: Streamed

    @property
    def n_systems(self) -> int:  # type: ignore[override]
        """The number of systems."""
        return len(self.data.names)

    @property
    def units(self) -> Units:  # type: ignore[override]
        """All items, in one stratum."""
        return Units(np.array([self.data.n]), np.array([0, 1]))

    has_formula = True
    in_batches = True

    def squares(self, metric: int, system: int) -> Squares:
        """Return sums over the items of the statistics of a system."""
        return Squares(*(each[self.columns[metric][system]] for each in self._squares))

    @cached_property
    def _squares(self) -> Squares:
        """The sums of all columns, from a pass over the items."""
        parts = [
            (rows.sum(axis=0), (rows**2).sum(axis=0), (rows != 0.0).sum(axis=0)) for _, rows in self._passed()
        ]
        return Squares(*np.sum(parts, axis=0))

    def equal_units(self, metric: int, a: int, b: int | None = None) -> float | None:  # noqa: ARG002
        """Return the number of items for a mean."""
        return float(self.n_units) if isinstance(self.metrics[metric], MeanMetric) else None

    # -- passes ------------------------------------------------------------------------------------

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
        return {metric.name: metric.statistics(few.gold, few.systems[0]).shape[1] for metric in self.metrics}

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

    def _passed(self) -> Iterator[tuple[Words, FloatArray]]:
        with one_blas_thread():
            for batch in self._batches():
                yield batch.keys, self._rows(batch)

    def _batches(self) -> Iterator[Batch]:
        """Yield the batches that have items: those of one may all have been dropped."""
        return (batch for batch in self.data.batches() if batch.keys.size)

    @cached_property
    def _moments(self) -> Moments:
        width = 1 + max(int(used.max()) for systems in self.columns for used in systems)
        groups, products = np.zeros((GROUPS, width)), np.zeros((width, width))
        shifted, centre = np.zeros(width), None
        pairs = [
            (m, a, b)
            for m in range(len(self.metrics))
            for a, b in itertools.combinations(range(self.n_systems), 2)
        ]
        differing = dict.fromkeys(pairs, 0)
        for keys, X in self._passed():
            of_group = (keys % np.uint64(GROUPS)).astype(np.int64)
            for column in range(width):
                groups[:, column] += np.bincount(of_group, X[:, column], minlength=GROUPS)
            centre = X.mean(axis=0) if centre is None else centre  # near the mean: nothing cancels
            deviations = X - centre
            shifted += deviations.sum(axis=0)
            products += deviations.T @ deviations
            for m, a, b in pairs:
                unlike = X[:, self.columns[m][a]] != X[:, self.columns[m][b]]
                differing[m, a, b] += int(np.count_nonzero(unlike.any(axis=1)))
        return Moments(groups, products - np.outer(shifted, shifted) / self.data.n, differing)

    @cached_property
    def _total(self) -> FloatArray:
        total: FloatArray = self._moments.groups.sum(axis=0)
        return total

    def _scored(self, totals: FloatArray) -> FloatArray:
        return np.stack(
            [
                np.stack([scores(metric, totals[..., used]) for used in systems], axis=-1)
                for metric, systems in zip(self.metrics, self.columns, strict=True)
            ],
            axis=-2,
        )

    # -- what a group offers -----------------------------------------------------------------------

    def scores(self) -> FloatArray:
        """Return the scores on the full data, shape (M, S)."""
        return self._scored(self._total)

    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of Poisson resamples, shape (B, M, S).

        Totals are brought to the scale of n items by the resample's own number of items.
        """
        if drawing.resample_size is not None:
            raise DesignError(
                "a table that is read in batches is resampled by Poisson weights of mean 1, not m out of n",
                hint="leave resample_size out, or read the table whole: stream=False",
            )
        totals = self._drawn(drawing, poisson.add_weighted)
        return self._scored(totals * (self.data.n / totals[:, :1]))

    def _drawn(self, drawing: Drawing, add: poisson.Add) -> FloatArray:
        totals = np.zeros((drawing.n_resamples, self._total.size))
        done = 0
        for keys, X in self._passed():
            add(totals, X, keys, drawing.seed, n_jobs=drawing.n_jobs)
            done += keys.size
            if drawing.progress is not None:
                drawing.progress(drawing.n_resamples * done // self.data.n, drawing.n_resamples)
        return totals

    def jackknife(self, seed: int) -> Jackknife:  # noqa: ARG002
        """Return the scores without each of `GROUPS` groups of items, which their keys make."""
        groups = self._moments.groups
        groups = groups[groups[:, 0] > 0.0]
        size = len(groups)
        left_out = self._scored(self._total - groups)
        return Jackknife(left_out, np.ones(size, dtype=np.int64), np.array([0, size]))

    def standard_error(self, metric: int, a: int, b: int | None = None) -> float | None:
        """Return the delta-method standard error of a score or difference."""
        used, n = self.columns[metric][a], self.data.n
        score = Functional(self.metrics[metric])
        if b is not None:
            both = np.concatenate([used, self.columns[metric][b]])
            used, place = np.unique(both, return_inverse=True)
            half = self.columns[metric][a].size
            score = Functional(self.metrics[metric], place[:half], place[half:])
        directions = Directions.of(self._moments.centred[np.ix_(used, used)] / n)
        slopes = directions.slopes(score, self._total[used][None, :], n)[0]
        return float(np.sqrt(slopes @ slopes * n * n / (n - 1)))

    def expansion(self, metric: int, a: int, b: int | None = None) -> Expansion:
        """Return a score or difference to second order in the weights of the items; one more pass for all."""
        systems = (a,) if b is None else (min(a, b), max(a, b))
        found = self._powers[metric, systems]
        error = float(np.sqrt(found.squares))
        acceleration = found.cubes / (6.0 * error**3) if error > 0.0 else 0.0
        if systems[0] != a:
            acceleration = -acceleration
        change = self._slopes[metric][:, a]
        curvature = self._curvature(metric, a)
        if b is not None:
            change = change - self._slopes[metric][:, b]
            curvature -= self._curvature(metric, b)
        shift = self._moments.centred @ change / error if error > 0.0 else np.zeros(change.size)

        def along(multiples: FloatArray) -> FloatArray:
            moved = self._total + multiples[:, None] * shift
            score = scores(self.metrics[metric], moved[:, self.columns[metric][a]])
            if b is None:
                return score
            return score - scores(self.metrics[metric], moved[:, self.columns[metric][b]])

        return Expansion(error, acceleration, curvature, found.largest, Path(along))

    def _directions(self, columns: IntArray) -> Directions:
        return Directions.of(self._moments.centred[np.ix_(columns, columns)] / self.data.n)

    def _curvature(self, metric: int, system: int) -> float:
        used, score = self.columns[metric][system], Functional(self.metrics[metric])
        return self._directions(used).curvature(score, self._total[used], self.data.n)

    @cached_property
    def _slopes(self) -> list[FloatArray]:
        """The slopes of the scores of each metric by the columns of an item, shape (K, S)."""
        out = []
        for metric, systems in zip(self.metrics, self.columns, strict=True):
            by_column = np.zeros((self._total.size, self.n_systems))
            for s, used in enumerate(systems):
                directions = self._directions(used)
                slopes = directions.slopes(Functional(metric), self._total[used][None, :], self.data.n)[0]
                by_column[used, s] = directions.across @ slopes
            out.append(by_column)
        return out

    @cached_property
    def _powers(self) -> dict[tuple[int, tuple[int, ...]], Powers]:
        """The powers of the influence of the items on each score and each difference of two systems."""
        systems = range(self.n_systems)
        targets = [*itertools.combinations(systems, 1), *itertools.combinations(systems, 2)]
        found = {(m, chosen): Powers() for m in range(len(self.metrics)) for chosen in targets}
        mean = self._total / self.data.n
        for _, X in self._passed():
            for m, slopes in enumerate(self._slopes):
                influence = (X - mean) @ slopes
                for chosen in targets:
                    first, *others = (influence[:, s] for s in chosen)
                    found[m, chosen].add(first - others[0] if others else first)
        return found

    def permutation(
        self,
        pairs: Sequence[Pair],
        alternative: Alternative,
        drawing: Drawing,
        *,
        standardised: bool = False,  # noqa: ARG002
    ) -> dict[Pair, TestResult]:
        """Return the paired permutation test of each pair, by swaps drawn by the keys of the items."""
        taken = self._drawn(drawing, poisson.add_swapped)
        found = {}
        full = self.scores()
        for m, a, b in pairs:
            of_a, of_b = self.columns[m][a], self.columns[m][b]
            moved = taken[:, of_b] - taken[:, of_a]
            drawn = scores(self.metrics[m], self._total[of_a] + moved)
            drawn = drawn - scores(self.metrics[m], self._total[of_b] - moved)
            observed = float(full[m, a] - full[m, b])
            scale = float(np.abs(full[m, [a, b]]).max())
            found[m, a, b] = permutation.monte_carlo(
                drawn, observed, alternative, name="permutation", scale=scale
            )
        return found

    def every_unit(self, what: str) -> None:
        """Refuse it: the items come in batches."""
        self.data.uncounted(what)

    def differing(self, pair: Pair) -> tuple[int, int]:
        """Return on how many items the two systems differ, twice."""
        m, a, b = pair
        number = self._moments.differing[m, min(a, b), max(a, b)]
        return number, number


def takes_batches(metric: BaseMetric) -> bool:
    """Return whether a metric can be computed of batches: sums of numbers, with nothing fixed before."""
    return isinstance(metric, Metric) and metric.reads == "numbers" and type(metric).fit is BaseMetric.fit


def groups(data: Streamed, metrics: Sequence[BaseMetric]) -> list[tuple[Group, list[int]]]:
    """Put the metrics into one group."""
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
    return [(StreamGroup(chosen, data), list(range(len(metrics))))]
