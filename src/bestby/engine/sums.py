"""Metrics that are functions of sums: samples of one system or two, and the groups that make them.

What is computed of two systems is computed of these alone, so that no other system can change it. A sample of
all systems serves what is joint by nature: resamples of all at once, and how scores vary together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, NoReturn

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.chunks import CHUNK
from bestby._core.errors import DesignError
from bestby._core.typing import Alternative, BoolArray, FloatArray, IntArray
from bestby.data.columns import collapsed
from bestby.engine import functionals, permutations
from bestby.engine.base import (
    STANDARDISED,
    Contributions,
    Drawing,
    Group,
    Influences,
    Jackknife,
    LeftOut,
    Memo,
    Pair,
    Sample,
    Squares,
    score_or_difference,
)
from bestby.engine.functionals import Functional, ScoresOfTotals, SideBySide, scores
from bestby.engine.permutations import Swaps, many_units_test
from bestby.engine.statistics import IN_ORDER_FROM, Design, Rows, Statistics
from bestby.inference import clusters, intervals
from bestby.inference.clusters import DesignEffect, StandardError, equal_units
from bestby.inference.influence import Expansion, Path, standard_error
from bestby.inference.multiplicity import Spread
from bestby.metrics.base import MeanMetric, Metric, StandardisedMetric
from bestby.metrics.smooth import has_own_derivatives
from bestby.resampling import totals as resampling
from bestby.resampling.units import Blocks, Units
from bestby.results.values import TestResult


@dataclass(frozen=True, eq=False)
class SumSample(Sample):
    """Some systems on the distinct units that they have together.

    `place`, an array of shape (C,) for each system, says which row of its statistics each unit has; None if
    unit c has row c. `units` are their multiplicities and strata.
    """

    systems: Sequence[Statistics]
    place: Sequence[IntArray | None]
    units: Units
    design: Design

    @classmethod
    def of(cls, systems: Sequence[Statistics], design: Design) -> SumSample:
        """Return the sample of these systems.

        The order of its units does not depend on that of the systems, unless these have the same totals.
        """
        if len(systems) == 1:
            return cls(systems, [None], systems[0].units, design)
        if any(one.place is None for one in systems):  # very many single items
            return _of_items(systems, design)
        # By score and totals, not by place: draws are then the same whichever system comes first.
        order = sorted(range(len(systems)), key=lambda s: systems[s].rank)
        places, units = _shared_units([systems[s] for s in order], design)
        back = np.argsort(order)
        return cls(systems, [places[i] for i in back.tolist()], units, design)

    @property
    def metric(self) -> Metric:  # type: ignore[override]
        """The metric."""
        return self.systems[0].metric

    @property
    def clustered(self) -> bool:
        """Whether units are clusters of items."""
        return self.design.clustered

    @property
    def n_held(self) -> int:
        """About how many numbers the sample holds beside the statistics of its systems."""
        arrays = sum(place is not None for place in self.place) + isinstance(self.metric, MeanMetric)
        return self.units.n_rows * arrays

    @cached_property
    def scores(self) -> FloatArray:
        """The scores of the systems on the full data."""
        return np.array([one.score for one in self.systems])

    def spread(self, values: Sequence[FloatArray]) -> list[FloatArray]:
        """Return for every unit here what values (C_s,) of each system have for its row."""
        return [
            one if place is None else one.take(place) for one, place in zip(values, self.place, strict=True)
        ]

    def rows(self) -> list[FloatArray]:
        """Return the statistics of the units of each system, shape (C, k), column by column."""
        every = zip(self.systems, self.place, strict=True)
        return [Rows(one.X, place).each() for one, place in every]

    @cached_property
    def sizes(self) -> FloatArray:
        """The items of each unit, shape (C,)."""
        return Rows(self.systems[0].X, self.place[0]).spread(self.systems[0].sizes)

    # -- means and shares --------------------------------------------------------------------------------

    @cached_property
    def contributions(self) -> Contributions | None:
        """The score or difference as a plain mean; None if it is none, or units hold unequally many items."""
        size = self.systems[0].items_of_each
        if size is None:
            return None
        values = score_or_difference(self.spread([one.X[:, 0] for one in self.systems]))
        values = values if size == 1.0 else values / size
        return Contributions(values, self.units.counts, self.units.bounds, not self.design.clustered)

    @cached_property
    def shares(self) -> Contributions | None:
        """Whether each item that a share counts is a success, or the difference of two systems.

        None if the score is no share of single items in one stratum, or counts no item.
        """
        trials = self._trials
        if trials is None or self.design.clustered or self.units.n_strata > 1:
            return None
        tried = trials[1] == 1.0
        counts = self.units.counts[tried]
        if not counts.size:
            return None
        return Contributions(trials[0][tried], counts, np.array([0, counts.size]), single_items=True)

    @property
    def _trials(self) -> tuple[FloatArray, FloatArray] | None:
        """The successes of A, or those less the ones of B, and the trials of each distinct unit."""
        metric = self.metric
        if type(metric).trials is Metric.trials or (self.difference and not metric.same_trials):
            return None
        counted = [metric.trials(one.X) for one in self.systems]
        defined = [one for one in counted if one is not None]
        if len(defined) < len(counted):
            return None
        successes = self.spread([one[0] for one in defined])
        trials = self.spread([one[1] for one in defined])[0]
        return successes[0] if len(successes) == 1 else successes[0] - successes[1], trials

    @cached_property
    def equal_units(self) -> float | None:
        """How many units of equal size a mean or a share is made of (Kish 1965, section 8.2).

        None for what is neither, and for a share of nothing.
        """
        sizes = self.sizes
        if not isinstance(self.metric, MeanMetric):
            trials = self._trials
            if trials is None or not trials[1].any():
                return None
            sizes = trials[1]
        return clusters.equal_units(sizes, self.units.counts)

    # -- where two systems differ ------------------------------------------------------------------------

    @cached_property
    def differing(self) -> tuple[int, int]:
        """On how many items, and on how many units, the two systems differ."""
        if isinstance(self.metric, StandardisedMetric):
            return self._differing_numbers(self.metric)
        plain = self.contributions
        if plain is not None and plain.single_items:
            n_units = int(plain.counts[plain.values != 0.0].sum())
            return n_units, n_units
        n_units = int(self.units.counts[_apart([one.X for one in self.systems], self.place)].sum())
        if not self.design.clustered:
            return n_units, n_units
        items = [one.item_rows for one in self.systems]
        apart = _apart([one.X for one in items], [one.place for one in items])
        return int(self.design.item_counts[apart].sum()), n_units

    def _differing_numbers(self, metric: StandardisedMetric) -> tuple[int, int]:
        """Return on how many items, and on how many units, the numbers of two systems differ."""
        systems = [one.system for one in self.systems]
        columns = [one.X[:, metric.standard_column] for one in self.systems]
        if not self.design.clustered:
            apart = permutations.items_apart(metric, systems, self.spread(columns), self.rows)
            n_units = int(self.units.counts[apart].sum())
            return n_units, n_units
        n_units = int(self.units.counts[permutations.rows_apart(metric, systems, self.rows())].sum())
        items = [one.item_rows for one in self.systems]
        scores = [one.spread(one.X[:, metric.standard_column]) for one in items]
        items_differ = permutations.items_apart(
            metric, systems, scores, lambda: [one.each() for one in items]
        )
        return int(self.design.item_counts[items_differ].sum()), n_units

    def _same_standard_scores(self, metric: StandardisedMetric) -> bool:
        """Return whether two systems have the same standard scores on every item, but for rounding."""
        # Standard scores are as inexact as the numbers are far from 0, in standard deviations.
        locations = [metric.locations[one.system] for one in self.systems]
        far = max(abs(centre) / scale for centre, scale in locations)

        def are_level(first: FloatArray, second: FloatArray) -> bool:
            return bool(rounding.level(first, second, np.maximum(np.abs(first), 1.0 + far)).all())

        items = [one.item_rows for one in self.systems]
        beginning = [one.spread(one.X[:, metric.standard_column])[:64] for one in items]
        if not are_level(*beginning):  # as mostly
            return False
        return are_level(*(one.each() for one in items))

    # -- derivatives by the weights of units -------------------------------------------------------------

    @property
    def influence(self) -> FloatArray:
        """What each distinct unit adds to the score or difference, to first order, shape (C,)."""
        influence_a, *influence_b = self.spread([one.influence for one in self.systems])
        return influence_a - influence_b[0] if influence_b else influence_a

    @property
    def influences(self) -> Influences:
        """What each distinct unit adds, with the sizes and counts of the units."""
        return Influences(self.influence, self.sizes, self.units.counts, self.units.bounds)

    @property
    def item_influence(self) -> FloatArray:
        """What each item adds to the score or difference, to first order, shape (I,).

        It is 0 of all items if rounding is all that is left of the difference, as of scores that are shifted
        by a constant.
        """
        influence_a, *influence_b = (one.item_influence for one in self.systems)
        if not influence_b:
            return influence_a
        size = float(np.abs(self.scores).max()) / max(influence_a.size, 1)
        largest = max(size, *(float(np.abs(one).max(initial=0.0)) for one in (influence_a, influence_b[0])))
        difference: FloatArray = influence_a - influence_b[0]
        if rounding.is_nothing(float(np.abs(difference).max(initial=0.0)), largest):
            return np.zeros_like(difference)
        return difference

    @cached_property
    def expansion(self) -> Expansion:
        """The score or difference to second order in the weights of the units."""
        responses = [one.response for one in self.systems]
        first, *first_b = self.spread([response.first for response in responses])
        curvature = responses[0].curvature
        if first_b:
            first, curvature = first - first_b[0], curvature - responses[1].curvature
        return Expansion.from_derivatives(first, self.units.weights, curvature, Along(self))

    @cached_property
    def standard_error(self) -> float:
        """The delta-method standard error of the score or difference (Efron 1982, eq. 6.13)."""
        if self.units.n_strata == 1 and has_own_derivatives(self.metric):
            by_expansion = self.expansion.standard_error(self.units.n)  # an interval needs it, too
            if by_expansion is not None:
                return by_expansion
        plain = self.contributions
        if plain is not None and plain.moments is not None and plain.bounds.size == 2:
            return plain.moments.error_of_mean
        return standard_error(self.influence, self.units.weights, self.units.bounds)

    @cached_property
    def error(self) -> StandardError:
        """The standard error CR2 of the score or difference, with Satterthwaite's degrees of freedom."""
        return clusters.cr2(self.influence, self.sizes, self.units.counts, self.units.bounds)

    def left_out(self, drawing: Drawing | None = None) -> LeftOut:  # noqa: ARG002
        """Return the score or difference without one unit of each kind: its totals minus one row."""
        return self._left_out

    @cached_property
    def _left_out(self) -> LeftOut:
        without = self.spread([one.left_out for one in self.systems])
        return LeftOut(score_or_difference(without), self.units.counts, self.units.bounds)

    @cached_property
    def effective_units(self) -> float | None:
        """How many units of equal weight would carry the variance; None of means and of clusters."""
        if isinstance(self.metric, MeanMetric) or self.clustered or self.in_blocks:
            return None
        if all(one.nearly_linear for one in self.systems):
            by_expansion = self.expansion.effective_units(float(np.abs(self.scores).max()))
            if by_expansion is not None:
                return by_expansion
        return intervals.effective_units(*self._left_out)

    @property
    def same_ranks(self) -> bool:
        """Whether the standard scores of the two systems are the same, but for rounding."""
        return isinstance(self.metric, StandardisedMetric) and self._same_standard_scores(self.metric)

    # -- resamples -----------------------------------------------------------------------------------------

    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of the systems on resamples of the units, shape (B, S)."""
        return resampled(self.metric, self.rows(), self.units, drawing)

    def permutation(
        self, alternative: Alternative, drawing: Drawing, *, standardised: bool = False
    ) -> TestResult:
        """Return the paired permutation test: by all swaps, or by draws of them.

        Raw values are swapped also where the statistics are of standard scores, unless `standardised` asks
        for these; two systems whose scales are too far apart swap standard scores, and the name of the test
        says so.
        """
        metric, rows, systems = self.metric, self.rows(), None
        renamed = False
        if isinstance(metric, StandardisedMetric) and not standardised:
            systems = [one.system for one in self.systems]
            renamed = not permutations.raw_values_comparable(metric, systems)
            systems = None if renamed else systems
        # The scores stay those of the standard scores, which are accurate.
        result = None if systems else self._swaps(rows).one_sum_test(alternative)
        if result is None and alternative == "two-sided" and (metric.reads != "labels" or self.clustered):
            totals = [one.total for one in self.systems]
            result = many_units_test(metric, rows, totals, self.units, self.estimate, drawing, systems)
        if result is None:
            if isinstance(metric, StandardisedMetric) and systems is not None:
                rows = permutations.raw_rows(metric, systems, rows)
            result = self._swaps(rows).test(alternative, drawing)
        return replace(result, name=STANDARDISED) if renamed else result

    def sampled_permutation(self, alternative: Alternative, drawing: Drawing) -> TestResult:
        """Return the paired permutation test with swaps drawn, also where all could be counted."""
        rows = self.rows()
        if isinstance(self.metric, StandardisedMetric):
            systems = [one.system for one in self.systems]
            rows = permutations.raw_rows(self.metric, systems, rows)
        return self._swaps(rows).test(alternative, drawing, exact=False)

    def _swaps(self, rows: Sequence[FloatArray]) -> Swaps:
        rows_a, rows_b = rows
        return Swaps(self.metric, rows_a, rows_b, self.units, self.scores, clustered=self.clustered)

    def pivots(self, drawing: Drawing) -> FloatArray | None:
        """Return studentized replicates; None with strata or too many columns."""
        if self.units.n_strata > 1:
            return None
        if self.contributions is not None:
            return functionals.mean_pivots(self.contributions.values, self.units, drawing)
        return functionals.function_pivots(self.metric, SideBySide.of(self.rows()), self.units, drawing)


@dataclass(frozen=True, eq=False)
class Along:
    """A score, or the difference of two, as the weights of units change and their sum by stratum does not."""

    sample: SumSample

    def __call__(self, change: FloatArray) -> Path:
        """Return the path on which the weights change by multiples of a change (C,)."""
        units, counts = self.sample.units, self.sample.units.weights
        weights = change.copy() if units.single else counts * change
        for size, (start, stop) in zip(units.sizes.tolist(), pairwise(units.bounds.tolist()), strict=True):
            own = weights[start:stop]
            mean = own.sum() / size
            # Weights w_i = c_i (change_i - mean of the stratum), so that their sum stays the same.
            own -= mean if units.single else counts[start:stop] * mean
        shifts = []
        for one, place in zip(self.sample.systems, self.sample.place, strict=True):
            row_weights = weights if place is None else np.bincount(place, weights, one.units.n_rows)
            shifts.append(row_weights @ one.X)
        return _path(self.sample.estimate, self.sample.systems, shifts)


def _path(estimate: float, systems: Sequence[Statistics], shifts: Sequence[FloatArray]) -> Path:
    """Return the path on which the totals of one system or two move by multiples of a shift (k,) each."""
    score = Functional(systems[0].metric)
    totals = [one.total for one in systems]  # an expansion holds these, and not the rows

    def along(multiples: FloatArray) -> FloatArray:
        steps = multiples[:, None]
        moved = [total + steps * shift for total, shift in zip(totals, shifts, strict=True)]
        score_a, *score_b = score.each_score(moved)
        return score_a - score_b[0] if score_b else score_a

    bends = [
        functionals.second_derivative(score.metric, total, shift)
        for total, shift in zip(totals, shifts, strict=True)
    ]
    defined = [bend for bend in bends if bend is not None]
    if len(defined) < len(bends):
        return Path(along)
    return Path(along, (estimate, defined[0] - sum(defined[1:])))


def resampled(
    metric: Metric,
    rows: Sequence[FloatArray],
    units: Units,
    drawing: Drawing,
    draws: IntArray | None = None,
) -> FloatArray:
    """Return the scores (B, S) of some systems on resamples of units with these rows (C, k) of each.

    `draws` says how many units are drawn from each stratum, by default as many as the drawing says.
    """
    draws = drawing.draws(units.sizes) if draws is None else draws
    columns = SideBySide.of(rows)
    return resampling.bootstrap(
        columns.X,
        units,
        drawing.n_resamples,
        drawing.seed,
        ScoresOfTotals(metric, columns.used, columns.constants * int(draws.sum())),
        draws=draws,
        n_jobs=drawing.n_jobs,
        progress=drawing.progress,
        executor=drawing.executor,
    )


def _of_items(systems: Sequence[Statistics], design: Design) -> SumSample:
    """Return the sample of single items in the order in which they came, no two of them put together."""
    return SumSample(systems, [one.place for one in systems], design.single, design)


def _shared_units(systems: Sequence[Statistics], design: Design) -> tuple[list[IntArray], Units]:
    """Return which rows the distinct units of several systems have, sorted by them, and the units."""
    places = [one.place for one in systems]
    assert all(place is not None for place in places)  # see `Sample.of`
    defined = [place for place in places if place is not None]
    sizes = [one.units.n_rows for one in systems]
    n, counts = design.n_units, design.counts if design.clusters is None else None
    # Three ways, the quickest that applies: one system tells all units apart; the possible combinations of
    # rows are few enough to be counted; or the units are sorted.
    lead = next((s for s, size in enumerate(sizes) if size == n), 0)
    if sizes[lead] == n:  # one system alone tells all units apart
        unit = np.empty(n, dtype=np.int64)
        unit[defined[lead]] = np.arange(n)
        if lead:
            unit = unit[np.lexsort([place.take(unit) for place in defined[lead::-1]])]
        shared = [place.take(unit) for place in defined]
        multiplicities = np.ones(n, dtype=np.int64) if counts is None else counts.take(unit)
    elif _few_combinations(sizes, n):
        shared, multiplicities = _counted_combinations(defined, sizes, counts)
    else:
        unit, multiplicities = collapsed(defined, sizes, None, counts)
        shared = [place.take(unit) for place in defined]
    bounds = np.searchsorted(shared[0], systems[0].units.bounds)
    return shared, Units(multiplicities, bounds)


def _few_combinations(sizes: Sequence[int], n: int) -> bool:
    """Return whether the combinations of so many rows of each system are counted sooner than n are sorted."""
    return math.prod(sizes) <= max(4 * n, CHUNK)


def _counted_combinations(
    places: Sequence[IntArray], sizes: Sequence[int], counts: IntArray | None
) -> tuple[list[IntArray], IntArray]:
    """Return the combinations of rows that occur, in rising order, and how often each does."""
    span = math.prod(sizes)
    kind = np.min_scalar_type(span)
    numbers = np.zeros(span, dtype=np.int64)
    step = max(CHUNK, span)
    for start in range(0, places[0].size, step):
        part = slice(start, start + step)
        key = places[0][part].astype(kind)
        for place, size in zip(places[1:], sizes[1:], strict=True):
            key *= kind.type(size)
            key += place[part].astype(kind)
        # A weighted count goes through floats, which hold whole numbers to 2**53.
        weights = None if counts is None else counts[part]
        numbers += np.bincount(key, weights, minlength=span).astype(np.int64, copy=False)
    present = np.flatnonzero(numbers)
    return list(np.unravel_index(present, sizes)), numbers[present]


def _apart(rows: Sequence[FloatArray], places: Sequence[IntArray | None]) -> BoolArray:
    """Return for which units the rows of two systems differ by more than rounding."""
    (rows_a, rows_b), (place_a, place_b) = rows, places
    grid = len(rows_a) * len(rows_b)
    if place_a is not None and place_b is not None and grid < place_a.size:  # few rows, each of many units
        every = np.arange(grid)
        on_grid = _apart(rows, (every // len(rows_b), every % len(rows_b)))
        return on_grid.take(place_a.astype(np.int64) * len(rows_b) + place_b)
    apart: BoolArray | None = None
    for one, other in zip(rows_a.T, rows_b.T, strict=True):
        first, second = Rows(one, place_a).spread(one), Rows(other, place_b).spread(other)
        unlike = first != second
        unlike[unlike] = rounding.difference(first[unlike], second[unlike]) != 0.0
        apart = unlike if apart is None else apart | unlike
    assert apart is not None  # there is a column
    return apart


# -- groups ----------------------------------------------------------------------------------------


MOST_HELD = 1 << 22
"""Numbers up to which samples are held: results ask for those of their intervals and tests again."""


@dataclass(frozen=True, eq=False)
class SumGroup(Group):
    """One metric that is a function of sums, the statistics of every system, and how items make units."""

    metric: Metric
    statistics: Sequence[Statistics]
    design: Design

    has_formula = True
    has_robust_error = True

    @property
    def n_systems(self) -> int:  # type: ignore[override]
        """The number of systems."""
        return len(self.statistics)

    @property
    def units(self) -> Units:  # type: ignore[override]
        """The units, by stratum."""
        return self.design.units

    @property
    def clustered(self) -> bool:
        """Whether units are clusters of items."""
        return self.design.clustered

    @cached_property
    def few_units(self) -> bool:
        """Whether units are clusters, fewer than 30 or one with more than a third of the items."""
        sizes = self.design.unit_sizes
        return sizes is not None and clusters.few(sizes, self.design.unit_counts)

    @property
    def has_standardised_swaps(self) -> bool:
        """Whether the statistics are of standard scores."""
        return isinstance(self.metric, StandardisedMetric)

    def sample(self, a: int, b: int | None = None) -> SumSample:
        """Return the sample of the score of A, or of the difference A minus B."""
        return self._samples.get(
            (a, b), lambda key: self._sampled([self.statistics[s] for s in key if s is not None])
        )

    @cached_property
    def _samples(self) -> Memo[tuple[int, int | None], SumSample]:
        return Memo(MOST_HELD, lambda sample: 1 + sample.n_held)

    def _sampled(self, systems: Sequence[Statistics]) -> SumSample:
        return SumSample.of(systems, self.design)

    # -- all systems together --------------------------------------------------------------------------------

    @cached_property
    def together(self) -> SumSample:
        """The sample of all systems, for what is joint by nature."""
        return self._sampled(self.statistics)

    @cached_property
    def scores(self) -> FloatArray:
        """The scores on the full data, shape (S,)."""
        return np.array([one.score for one in self.statistics])

    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of all systems on the same resamples, shape (B, S)."""
        return self.together.bootstrap(drawing)

    def jackknife(self, drawing: Drawing | None = None) -> Jackknife:  # noqa: ARG002
        """Return the leave-one-out scores of all systems: the totals minus one row, once per kind."""
        sample = self.together
        without = np.column_stack(sample.spread([one.left_out for one in self.statistics]))
        return Jackknife(without, sample.units.counts, sample.units.bounds)

    def numbers(self, system: int) -> FloatArray | None:
        """Return the numbers of a system as given, one per item; None without such swaps."""
        if not isinstance(self.metric, StandardisedMetric):
            return None
        centre, scale = self.metric.locations[system]
        items = self.statistics[system].item_rows
        standard_scores = self.metric.standard_scores(items.spread(items.X[:, self.metric.standard_column]))
        return centre + scale * standard_scores

    def squares(self, system: int) -> Squares:
        """Return sums over the units of the statistics of a system."""
        return self.statistics[system].squares

    @property
    def unit_means(self) -> tuple[FloatArray, IntArray] | None:
        """The mean of each unit for every system, and how many units there are of each."""
        if not isinstance(self.metric, MeanMetric):
            return None
        means = [one.X[:, 0] / one.X[:, 1] for one in self.statistics]
        return np.column_stack(self.together.spread(means)), self.together.units.counts

    @property
    def influences(self) -> Influences:
        """What each distinct unit adds to the scores of all systems."""
        return self._influences(self.together)

    @property
    def spread(self) -> Spread | None:
        """How the scores of all systems vary together."""
        design, sizes = self.design, [one.units.n_rows for one in self.statistics]
        plain = not design.clustered and design.counts is None and design.strata is None
        if plain and design.n_rows > IN_ORDER_FROM and not _few_combinations(sizes, design.n_rows):
            # Adding up all items takes less time than the sort that puts equal ones together.
            return self._influences(_of_items(self.statistics, design)).spread
        return super().spread

    def _influences(self, sample: SumSample) -> Influences:
        """Return what each unit of a sample of all systems adds to their scores."""
        values = np.stack(sample.spread([one.influence for one in self.statistics])).T
        return Influences(values, sample.sizes, sample.units.counts, sample.units.bounds)


# -- ordered text, and a gold of annotations -------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BlockSample(SumSample):
    """Systems on ordered text, of which the bootstrap draws blocks from anywhere."""

    blocks: Blocks

    in_blocks = True

    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of circular block resamples, shape (B, S)."""
        rows = [self.blocks.sums(one.item_rows.each()) for one in self.systems]
        return resampled(self.metric, rows, self.blocks.units, drawing, self.blocks.draws)


@dataclass(frozen=True, eq=False)
class BlockGroup(SumGroup):
    """A metric on ordered text. Units are blocks laid end to end."""

    blocks: Blocks

    in_blocks = True

    def _sampled(self, systems: Sequence[Statistics]) -> SumSample:
        plain = SumSample.of(systems, self.design)
        return BlockSample(plain.systems, plain.place, plain.units, plain.design, self.blocks)


@dataclass(frozen=True, eq=False)
class AnnotatedSample(SumSample):
    """Systems against a gold made of annotations, which the bootstrap resamples within the items.

    A resample draws as many units as there are, each with one of V versions of its gold; a version is a
    resample of the item's annotators. `versions` is the sample of these.
    """

    versions: SumSample

    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of resampled items with resampled annotators, shape (B, S)."""
        draws = drawing.draws(self.design.units.sizes)
        return resampled(self.metric, self.versions.rows(), self.versions.units, drawing, draws)

    @property
    def gold_shift(self) -> FloatArray:
        """By how much the scores against the mean of all versions are higher, shape (S,); 0 if undefined."""
        all_versions = [
            float(scores(self.metric, one.total * (self.units.n / one.units.n)))
            for one in self.versions.systems
        ]
        shift = np.array(all_versions) - self.scores
        return np.where(np.isfinite(shift), shift, 0.0)


@dataclass(frozen=True, eq=False)
class AnnotatedGroup(SumGroup):
    """A metric against a gold made of annotations; `versions` are the statistics of resampled annotators."""

    versions: Sequence[Statistics]
    version_design: Design

    gold_varies = True

    def _sampled(self, systems: Sequence[Statistics]) -> SumSample:
        plain = SumSample.of(systems, self.design)
        versions = SumSample.of([self.versions[one.system] for one in systems], self.version_design)
        return AnnotatedSample(plain.systems, plain.place, plain.units, plain.design, versions)


# -- items in two crossed groupings ----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CrossedSample(SumSample):
    """Systems on items in two crossed groupings, such as templates and languages.

    No resampling keeps both groupings, so intervals and tests are by formula, from what each item adds; what
    would take the groups of one for all the dependence there is raises a DesignError. `first` and `second`,
    of shape (n,), are the two groups of each item, as codes from 0.
    """

    first: IntArray
    second: IntArray

    crossed = True
    clustered = True
    contributions: ClassVar[None] = None  # no mean over the groups of one grouping has the right variance,
    shares: ClassVar[None] = None  # nor has a share of single items

    @cached_property
    def error(self) -> StandardError:
        """The two-way cluster-robust standard error of a score or difference."""
        return clusters.two_way(self.item_influence, self.first, self.second)

    @property
    def standard_error(self) -> float:
        """The two-way standard error without its degrees of freedom."""
        return self.error.se

    @property
    def differing(self) -> tuple[int, int]:
        """On how many items two systems differ, and on how many groups, of the grouping with fewer."""
        rows_a, rows_b = (one.item_rows.each() for one in self.systems)
        differs = (rows_a != rows_b).any(axis=1)
        n_groups = min(np.unique(codes[differs]).size for codes in (self.first, self.second))
        return int(differs.sum()), int(n_groups)

    @property
    def effective_units(self) -> float:
        """How many groups of equal weight would carry the variance, of the grouping with fewer."""
        numbers = []
        for codes in (self.first, self.second):
            sums = np.bincount(codes, weights=self.item_influence).astype(np.float64)
            numbers.append(intervals.effective_units(-sums, np.ones(sums.size, dtype=np.int64)))
        return float(np.min(numbers))

    @property
    def equal_units(self) -> float | None:
        """How many groups of equal size a mean is made of, in the grouping with fewer."""
        if not isinstance(self.metric, MeanMetric):
            return None
        sizes = (np.bincount(codes).astype(np.float64) for codes in (self.first, self.second))
        return min(equal_units(size) for size in sizes)

    @property
    def influences(self) -> Influences:
        """What each group adds to a score or difference, of the grouping with fewer groups."""
        codes = min((self.first, self.second), key=lambda one: int(one.max()))
        values = np.bincount(codes, weights=self.item_influence).astype(np.float64)
        sizes = np.bincount(codes).astype(np.float64)
        return Influences(values, sizes, np.ones(values.size, dtype=np.int64), np.array([0, values.size]))

    @property
    def expansion(self) -> Expansion:
        """Refuse derivatives by the weights of the groups of the first grouping."""
        _refuse("an interval from the units of one grouping")

    @property
    def degrees_of_freedom(self) -> float:
        """Refuse those of the groups of the first grouping."""
        _refuse("a standard error from the units of one grouping")

    def left_out(self, drawing: Drawing | None = None) -> LeftOut:  # noqa: ARG002
        """Refuse scores without each group of the first grouping."""
        _refuse("the jackknife")

    def bootstrap(self, drawing: Drawing) -> FloatArray:  # noqa: ARG002
        """Refuse resamples."""
        _refuse("the bootstrap")

    def pivots(self, drawing: Drawing) -> FloatArray | None:  # noqa: ARG002
        """Refuse studentized resamples."""
        _refuse("the bootstrap")

    def permutation(
        self,
        alternative: Alternative,  # noqa: ARG002
        drawing: Drawing,  # noqa: ARG002
        *,
        standardised: bool = False,  # noqa: ARG002
    ) -> TestResult:
        """Refuse swaps of the groups of the first grouping."""
        _refuse("the permutation test")

    def sampled_permutation(self, alternative: Alternative, drawing: Drawing) -> TestResult:  # noqa: ARG002
        """Refuse drawn swaps of the groups of the first grouping."""
        _refuse("the permutation test")


@dataclass(frozen=True, eq=False)
class CrossedGroup(SumGroup):
    """A metric on items in two crossed groupings; see `CrossedSample`."""

    first: IntArray
    second: IntArray

    crossed = True
    clustered = True
    unit_means: ClassVar[None] = None  # its groups have no right variance

    @cached_property
    def units(self) -> Units:  # type: ignore[override]
        """The groups of the first grouping."""
        n = int(self.first.max()) + 1
        return Units(np.ones(n, dtype=np.int64), np.array([0, n]))

    @cached_property
    def few_units(self) -> bool:
        """Whether the groups of the first grouping are few, or one has more than a third of the items."""
        return clusters.few(np.bincount(self.first).astype(np.float64), self.units.counts)

    def _sampled(self, systems: Sequence[Statistics]) -> SumSample:
        plain = SumSample.of(systems, self.design)
        return CrossedSample(plain.systems, plain.place, plain.units, plain.design, self.first, self.second)

    @property
    def influences(self) -> Influences:
        """Refuse the influence of each group of the first grouping."""
        _refuse("a standard error from the units of one grouping")

    @property
    def spread(self) -> Spread | None:
        """How the scores of all systems vary together: the sum of what the two groupings tell."""
        values = np.column_stack([one.item_influence for one in self.statistics])
        parts = [_spread_of_groups(values, codes) for codes in (self.first, self.second)]
        if None in parts:
            return None
        first, second = (part for part in parts if part is not None)
        return Spread.of_sum((first, second), min(first.n_units, second.n_units))

    def jackknife(self, drawing: Drawing | None = None) -> Jackknife:  # noqa: ARG002
        """Refuse scores without each group of the first grouping."""
        _refuse("the jackknife")


def _spread_of_groups(values: FloatArray, codes: IntArray) -> Spread | None:
    """Return how scores vary together with the groups of the items, of which influences are (I, S)."""
    sums = np.column_stack([np.bincount(codes, weights=column) for column in values.T]).astype(np.float64)
    sizes = np.bincount(codes).astype(np.float64)
    return Spread.from_influence(sums, sizes, np.ones(sizes.size, dtype=np.int64), np.array([0, sizes.size]))


def _refuse(what: str) -> NoReturn:
    raise DesignError(
        f"{what} supports one grouping of the items, not two crossed ones",
        hint='interval="two-way" and test="wald" support both',
    )


def design_effects(
    group: SumGroup, pairs: Sequence[Pair], codes: IntArray, strata: IntArray | None = None
) -> list[DesignEffect]:
    """Return the standard error of each difference item-wise and clustered, in the order of the pairs.

    `codes` and `strata` have shape (n,). Of items in two crossed groupings the clustered error is the two-way
    one.
    """
    effects = []
    for pair in pairs:
        sample = group.sample(*pair)
        effect = clusters.design_effect(sample.item_influence, codes, strata)
        if isinstance(sample, CrossedSample):
            effect = DesignEffect(effect.itemwise, sample.error.se)
        effects.append(effect)
    return effects
