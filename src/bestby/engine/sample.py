"""One system, or two, on the units that they share, and all that is computed of the score or difference.

What is computed of two systems is computed of these alone, so that no other system can change it. A sample of
all systems serves what is joint by nature: resamples of all at once, and how scores vary together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.chunks import CHUNK
from bestby._core.typing import Alternative, BoolArray, FloatArray, IntArray
from bestby.data.coding import collapsed
from bestby.engine import pivots, raw_values, slopes
from bestby.engine.base import STANDARDISED, Contributions, Drawing, Influences, LeftOut, Sample, less
from bestby.engine.permutations import Swaps, many_units_test
from bestby.engine.statistics import Design, Rows, Statistics
from bestby.engine.transforms import Functional, Scores, SideBySide
from bestby.inference import clusters, intervals
from bestby.inference.abc import Expansion
from bestby.inference.clusters import StandardError
from bestby.inference.influence import Path, standard_error
from bestby.metrics._lines import has_own_derivatives
from bestby.metrics.base import MeanMetric, Metric, StandardisedMetric
from bestby.resampling import totals as resampling
from bestby.resampling.units import Units
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
            return cls(systems, [one.place for one in systems], design.single, design)
        order = sorted(range(len(systems)), key=lambda s: systems[s].rank)
        places, units = _together([systems[s] for s in order], design)
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
        values = less(self.spread([one.X[:, 0] for one in self.systems]))
        values = values if size == 1.0 else values / size
        return Contributions(values, self.units.counts, self.units.bounds, not self.design.clustered)

    @cached_property
    def shares(self) -> Contributions | None:
        """Whether each item that a share counts is a success, or the difference of two systems.

        None if the score is no share of single items in one stratum, or counts no item.
        """
        found = self._trials
        if found is None or self.design.clustered or self.units.n_strata > 1:
            return None
        tried = found[1] == 1.0
        counts = self.units.counts[tried]
        if not counts.size:
            return None
        return Contributions(found[0][tried], counts, np.array([0, counts.size]), single_items=True)

    @property
    def _trials(self) -> tuple[FloatArray, FloatArray] | None:
        """The successes of A, or those less the ones of B, and the trials of each distinct unit."""
        metric = self.metric
        if type(metric).trials is Metric.trials or (self.difference and not metric.same_trials):
            return None
        found = [metric.trials(one.X) for one in self.systems]
        known = [one for one in found if one is not None]
        if len(known) < len(found):
            return None
        successes = self.spread([one[0] for one in known])
        trials = self.spread([one[1] for one in known])[0]
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
        items = [one.of_items for one in self.systems]
        apart = _apart([one.X for one in items], [one.place for one in items])
        return int(self.design.item_counts[apart].sum()), n_units

    def _differing_numbers(self, metric: StandardisedMetric) -> tuple[int, int]:
        """Return on how many items, and on how many units, the numbers of two systems differ."""
        systems = [one.system for one in self.systems]
        columns = [one.X[:, metric.standard_column] for one in self.systems]
        if not self.design.clustered:
            apart = raw_values.apart_singly(metric, systems, self.spread(columns), self.rows)
            n_units = int(self.units.counts[apart].sum())
            return n_units, n_units
        n_units = int(self.units.counts[raw_values.apart(metric, systems, self.rows())].sum())
        items = [one.of_items for one in self.systems]
        scores = [one.spread(one.X[:, metric.standard_column]) for one in items]
        of_items = raw_values.apart_singly(metric, systems, scores, lambda: [one.each() for one in items])
        return int(self.design.item_counts[of_items].sum()), n_units

    def _same_standard_scores(self, metric: StandardisedMetric) -> bool:
        """Return whether two systems have the same standard scores on every item, but for rounding."""
        # Standard scores are as inexact as the numbers are far from 0, in standard deviations.
        locations = [metric.locations[one.system] for one in self.systems]
        far = max(abs(centre) / scale for centre, scale in locations)

        def are_level(first: FloatArray, second: FloatArray) -> bool:
            return bool(rounding.level(first, second, np.maximum(np.abs(first), 1.0 + far)).all())

        items = [one.of_items for one in self.systems]
        beginning = [one.spread(one.X[:, metric.standard_column])[:64] for one in items]
        if not are_level(*beginning):  # as mostly
            return False
        return are_level(*(one.each() for one in items))

    # -- derivatives by the weights of units -------------------------------------------------------------

    @property
    def influence(self) -> FloatArray:
        """What each distinct unit adds to the score or difference, to first order, shape (C,)."""
        of_a, *of_b = self.spread([one.influence for one in self.systems])
        return of_a - of_b[0] if of_b else of_a

    @property
    def influences(self) -> Influences:
        """The same with the sizes and counts of the units."""
        return Influences(self.influence, self.sizes, self.units.counts, self.units.bounds)

    @property
    def item_influence(self) -> FloatArray:
        """What each item adds to the score or difference, to first order, shape (I,).

        It is 0 of all items if rounding is all that is left of the difference, as of scores that are shifted
        by a constant.
        """
        of_a, *of_b = (one.item_influence for one in self.systems)
        if not of_b:
            return of_a
        size = float(np.abs(self.scores).max()) / max(of_a.size, 1)
        largest = max(size, *(float(np.abs(one).max(initial=0.0)) for one in (of_a, of_b[0])))
        difference: FloatArray = of_a - of_b[0]
        if rounding.is_nothing(float(np.abs(difference).max(initial=0.0)), largest):
            return np.zeros_like(difference)
        return difference

    @cached_property
    def expansion(self) -> Expansion:
        """The score or difference to second order in the weights of the units."""
        responses = [one.response for one in self.systems]
        first, *of_b = self.spread([response.first for response in responses])
        curvature = responses[0].curvature
        if of_b:
            first, curvature = first - of_b[0], curvature - responses[1].curvature
        return Expansion.from_derivatives(first, self.units.weights, curvature, Along(self))

    @cached_property
    def standard_error(self) -> float:
        """The delta-method standard error of the score or difference (Efron 1982, eq. 6.13)."""
        if self.units.n_strata == 1 and has_own_derivatives(self.metric):
            known = self.expansion.standard_error(self.units.n)  # an interval needs it, too
            if known is not None:
                return known
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
        return LeftOut(less(without), self.units.counts, self.units.bounds)

    @cached_property
    def effective_units(self) -> float | None:
        """How many units of equal weight would carry the variance; None of means and of clusters."""
        if isinstance(self.metric, MeanMetric) or self.clustered or self.in_blocks:
            return None
        if all(one.nearly_linear for one in self.systems):
            known = self.expansion.effective_units(float(np.abs(self.scores).max()))
            if known is not None:
                return known
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
            renamed = not raw_values.comparable(metric, systems)
            systems = None if renamed else systems
        # The scores stay those of the standard scores, which are accurate.
        found = None if systems else self._swaps(rows).one_sum_test(alternative)
        if found is None and alternative == "two-sided" and (metric.reads != "labels" or self.clustered):
            totals = [one.total for one in self.systems]
            found = many_units_test(metric, rows, totals, self.units, self.estimate, drawing, systems)
        if found is None:
            if isinstance(metric, StandardisedMetric) and systems is not None:
                rows = raw_values.as_given(metric, systems, rows)
            found = self._swaps(rows).test(alternative, drawing)
        return replace(found, name=STANDARDISED) if renamed else found

    def sampled_permutation(self, alternative: Alternative, drawing: Drawing) -> TestResult:
        """Return the same test with swaps drawn, also where all could be counted."""
        rows = self.rows()
        if isinstance(self.metric, StandardisedMetric):
            systems = [one.system for one in self.systems]
            rows = raw_values.as_given(self.metric, systems, rows)
        return self._swaps(rows).test(alternative, drawing, exact=False)

    def _swaps(self, rows: Sequence[FloatArray]) -> Swaps:
        of_a, of_b = rows
        return Swaps(self.metric, of_a, of_b, self.units, self.scores, clustered=self.clustered)

    def pivots(self, drawing: Drawing) -> FloatArray | None:
        """Return studentized replicates; None with strata or too many columns."""
        if self.units.n_strata > 1:
            return None
        if self.contributions is not None:
            return pivots.mean_pivots(self.contributions.values, self.units, drawing)
        return pivots.function_pivots(self.metric, SideBySide.of(self.rows()), self.units, drawing)


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
            own -= mean if units.single else counts[start:stop] * mean
        shifts = []
        for one, place in zip(self.sample.systems, self.sample.place, strict=True):
            of_rows = weights if place is None else np.bincount(place, weights, one.units.n_rows)
            shifts.append(of_rows @ one.X)
        return _path(self.sample.estimate, self.sample.systems, shifts)


def _path(estimate: float, systems: Sequence[Statistics], shifts: Sequence[FloatArray]) -> Path:
    """Return the path on which the totals of one system or two move by multiples of a shift (k,) each."""
    score = Functional(systems[0].metric)
    totals = [one.total for one in systems]  # an expansion holds these, and not the rows

    def along(multiples: FloatArray) -> FloatArray:
        steps = multiples[:, None]
        moved = [total + steps * shift for total, shift in zip(totals, shifts, strict=True)]
        of_a, *of_b = score.each_score(moved)
        return of_a - of_b[0] if of_b else of_a

    bends = [slopes.bend(score.metric, total, shift) for total, shift in zip(totals, shifts, strict=True)]
    known = [bend for bend in bends if bend is not None]
    if len(known) < len(bends):
        return Path(along)
    return Path(along, (estimate, known[0] - sum(known[1:])))


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
        Scores(metric, columns.used, columns.constants * int(draws.sum())),
        draws=draws,
        n_jobs=drawing.n_jobs,
        progress=drawing.progress,
        executor=drawing.executor,
    )


def _together(systems: Sequence[Statistics], design: Design) -> tuple[list[IntArray], Units]:
    """Return which rows the distinct units of several systems have, sorted by them, and the units."""
    places = [one.place for one in systems]
    assert all(place is not None for place in places)  # see `Sample.of`
    known = [place for place in places if place is not None]
    sizes = [one.units.n_rows for one in systems]
    n, counts = design.n_units, design.counts if design.clusters is None else None
    lead = next((s for s, size in enumerate(sizes) if size == n), 0)
    if sizes[lead] == n:  # one system alone tells all units apart
        unit = np.empty(n, dtype=np.int64)
        unit[known[lead]] = np.arange(n)
        if lead:
            unit = unit[np.lexsort([place.take(unit) for place in known[lead::-1]])]
        found = [place.take(unit) for place in known]
        of_each = np.ones(n, dtype=np.int64) if counts is None else counts.take(unit)
    elif math.prod(sizes) <= max(4 * n, CHUNK):
        found, of_each = _counted(known, sizes, counts)
    else:
        unit, of_each = collapsed(known, sizes, None, counts)
        found = [place.take(unit) for place in known]
    bounds = np.searchsorted(found[0], systems[0].units.bounds)
    return found, Units(of_each, bounds)


def _counted(
    places: Sequence[IntArray], sizes: Sequence[int], counts: IntArray | None
) -> tuple[list[IntArray], IntArray]:
    """Return the combinations of rows that occur, in rising order, and how often each does."""
    span = math.prod(sizes)
    kind = np.min_scalar_type(span)
    found = np.zeros(span, dtype=np.int64)
    step = max(CHUNK, span)
    for start in range(0, places[0].size, step):
        part = slice(start, start + step)
        key = places[0][part].astype(kind)
        for place, size in zip(places[1:], sizes[1:], strict=True):
            key *= kind.type(size)
            key += place[part].astype(kind)
        # A weighted count goes through floats, which hold whole numbers to 2**53.
        weights = None if counts is None else counts[part]
        found += np.bincount(key, weights, minlength=span).astype(np.int64, copy=False)
    present = np.flatnonzero(found)
    return list(np.unravel_index(present, sizes)), found[present]


def _apart(rows: Sequence[FloatArray], places: Sequence[IntArray | None]) -> BoolArray:
    """Return for which units the rows of two systems differ by more than rounding."""
    (of_a, of_b), (place_a, place_b) = rows, places
    grid = len(of_a) * len(of_b)
    if place_a is not None and place_b is not None and grid < place_a.size:  # few rows, each of many units
        every = np.arange(grid)
        on_grid = _apart(rows, (every // len(of_b), every % len(of_b)))
        return on_grid.take(place_a.astype(np.int64) * len(of_b) + place_b)
    apart: BoolArray | None = None
    for one, other in zip(of_a.T, of_b.T, strict=True):
        first, second = Rows(one, place_a).spread(one), Rows(other, place_b).spread(other)
        unlike = first != second
        unlike[unlike] = rounding.difference(first[unlike], second[unlike]) != 0.0
        apart = unlike if apart is None else apart | unlike
    assert apart is not None  # there is a column
    return apart
