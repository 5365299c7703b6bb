"""A metric that is a function of sums: the statistics of each system, and a sample of each score or difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.engine import permutations, raw_values
from bestby.engine.base import Contributions, Drawing, Group, Influences, Jackknife, LeftOut, Pair, Squares
from bestby.engine.sample import Sample, resampled
from bestby.engine.scoring import scores
from bestby.engine.statistics import Design, Statistics
from bestby.inference import clusters, tilting
from bestby.inference.abc import Expansion
from bestby.inference.clusters import StandardError
from bestby.metrics.base import MeanMetric, Metric, StandardisedMetric
from bestby.resampling.blocks import Blocks
from bestby.resampling.units import Units
from bestby.results.values import TestResult

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
    def metrics(self) -> Sequence[Metric]:  # type: ignore[override]
        """The one metric."""
        return (self.metric,)

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

    # -- samples -------------------------------------------------------------------------------------------

    def sample(self, a: int, b: int | None = None) -> Sample:
        """Return the sample of the score of A, or of the difference A minus B."""
        key = (a, b)
        if key not in self._samples:
            systems = [self.statistics[s] for s in (a, b) if s is not None]
            found = Sample.of(systems, self.design)
            held = sum(one.n_held for one in self._samples.values()) + found.n_held
            while self._samples and held > MOST_HELD:
                held -= self._samples.pop(next(iter(self._samples))).n_held
            self._samples[key] = found
        return self._samples[key]

    @cached_property
    def _samples(self) -> dict[tuple[int, int | None], Sample]:
        return {}

    @cached_property
    def together(self) -> Sample:
        """The sample of all systems, for what is joint by nature."""
        return Sample.of(self.statistics, self.design)

    # -- what is computed of a sample ------------------------------------------------------------------------

    def scores(self) -> FloatArray:
        """Return the scores on the full data, shape (1, S)."""
        return np.array([[one.score for one in self.statistics]])

    def totals(self, metric: int, system: int) -> FloatArray:  # noqa: ARG002
        """Return the totals of the statistics of one system."""
        return self.statistics[system].total

    def squares(self, metric: int, system: int) -> Squares:  # noqa: ARG002
        """Return sums over the units of the statistics of a system."""
        return self.statistics[system].squares

    def contributions(self, metric: int, a: int, b: int | None = None) -> Contributions | None:  # noqa: ARG002
        """Return the plain mean, if the metric is a mean and all units hold equally many items."""
        if not isinstance(self.metric, MeanMetric):
            return None
        return self.sample(a, b).contributions

    def shares(self, metric: int, a: int, b: int | None = None) -> Contributions | None:  # noqa: ARG002
        """Return whether each item that a share counts is a success, or the difference of two systems."""
        return self.sample(a, b).shares

    def equal_units(self, metric: int, a: int, b: int | None = None) -> float | None:  # noqa: ARG002
        """Return how many units of equal size a mean or a share is made of."""
        return self.sample(a, b).equal_units

    def differing(self, pair: Pair) -> tuple[int, int]:
        """Return the numbers of items and of units whose rows differ."""
        return self.sample(*pair[1:]).differing

    def effective_units(self, metric: int, a: int, b: int | None = None) -> float | None:  # noqa: ARG002
        """Return how many units of equal weight would carry the variance; None where the jackknife tells."""
        if isinstance(self.metric, MeanMetric) or self.clustered or self.in_blocks:
            return None
        return self.sample(a, b).effective_units

    def standard_error(self, metric: int, a: int, b: int | None = None) -> float | None:  # noqa: ARG002
        """Return the delta-method standard error of a score or difference."""
        return self.sample(a, b).standard_error

    def error(self, metric: int, a: int, b: int | None = None) -> StandardError | None:  # noqa: ARG002
        """Return the standard error CR2 of a score or difference, with Satterthwaite's degrees of freedom."""
        return self.sample(a, b).error

    def influence_by_unit(self, metric: int, a: int, b: int | None = None) -> Influences | None:  # noqa: ARG002
        """Return what each distinct unit adds to a score or difference."""
        return self.sample(a, b).influences

    def item_influence(self, a: int, b: int | None = None) -> FloatArray:
        """Return what each item adds to a score or difference, to first order, shape (I,)."""
        return self.sample(a, b).item_influence

    def expansion(self, metric: int, a: int, b: int | None = None) -> Expansion | None:  # noqa: ARG002
        """Return a score or difference to second order in the weights of the units."""
        return self.sample(a, b).expansion

    def left_out(self, metric: int, a: int, b: int | None, drawing: Drawing | None = None) -> LeftOut:  # noqa: ARG002
        """Return a score or difference without one unit of each kind: its totals minus one row."""
        return self.sample(a, b).left_out

    def pivots(self, metric: int, a: int, b: int | None, drawing: Drawing) -> FloatArray | None:  # noqa: ARG002
        """Return studentized replicates; None with strata or too many columns."""
        return self.sample(a, b).pivots(drawing)

    def resampled(self, metric: int, a: int, b: int | None, drawing: Drawing) -> FloatArray:  # noqa: ARG002
        """Return the scores of the systems of a target on resamples of their units, shape (B, 1 or 2)."""
        return self._bootstrap(self.sample(a, b), drawing)

    def _bootstrap(self, sample: Sample, drawing: Drawing) -> FloatArray:
        return sample.bootstrap(drawing)

    def permutation(
        self,
        pairs: Sequence[Pair],
        alternative: Alternative,
        drawing: Drawing,
        *,
        standardised: bool = False,
    ) -> dict[Pair, TestResult]:
        """Return the paired permutation test of each pair: exact, by cells, or by dense swaps."""
        words = tilting.words_of_draws(drawing.seed, kept=len(pairs) > 1)
        return {
            pair: permutations.test(
                self.sample(*pair[1:]), alternative, drawing, standardised=standardised, words=words
            )
            for pair in pairs
        }

    def sampled_permutation(
        self, pairs: Sequence[Pair], alternative: Alternative, drawing: Drawing
    ) -> dict[Pair, TestResult]:
        """Return the same tests with swaps drawn, also where all could be counted."""
        return {
            pair: permutations.test(self.sample(*pair[1:]), alternative, drawing, exact=False)
            for pair in pairs
        }

    # -- standard scores -------------------------------------------------------------------------------------

    def same_ranks(self, metric: int, a: int, b: int) -> bool:  # noqa: ARG002
        """Whether the standard scores of two systems are the same, but for rounding."""
        return isinstance(self.metric, StandardisedMetric) and raw_values.same(self.sample(a, b), self.metric)

    def has_standardised_swaps(self, metric: int) -> bool:  # noqa: ARG002
        """Whether the statistics are of standard scores."""
        return isinstance(self.metric, StandardisedMetric)

    def numbers(self, metric: int, system: int) -> tuple[FloatArray, IntArray] | None:  # noqa: ARG002
        """Return the numbers of a system as given, and how many items have each; None without such swaps."""
        if not isinstance(self.metric, StandardisedMetric):
            return None
        centre, scale = self.metric.locations[system]
        items = self.statistics[system].of_items
        scores = self.metric.standard_scores(items.spread(items.X[:, self.metric.standard_column]))
        return centre + scale * scores, self.design.item_counts

    # -- all systems together --------------------------------------------------------------------------------

    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of all systems on the same resamples, shape (B, 1, S)."""
        return self._bootstrap(self.together, drawing)[:, None, :]

    def jackknife(self, drawing: Drawing | None = None) -> Jackknife:  # noqa: ARG002
        """Return the leave-one-out scores of all systems: the totals minus one row, once per distinct unit."""
        sample = self.together
        without = np.column_stack(sample.spread([one.left_out for one in self.statistics]))
        return Jackknife(without[:, None, :], sample.units.counts, sample.units.bounds)

    def unit_means(self, metric: int) -> tuple[FloatArray, IntArray] | None:  # noqa: ARG002
        """Return the mean of each unit for every system, and how many units there are of each."""
        if not isinstance(self.metric, MeanMetric):
            return None
        means = [one.X[:, 0] / one.X[:, 1] for one in self.statistics]
        return np.column_stack(self.together.spread(means)), self.together.units.counts

    def influences(self, metric: int) -> Influences | None:  # noqa: ARG002
        """Return what each distinct unit adds to the scores of all systems."""
        sample = self.together
        values = np.column_stack(sample.spread([one.influence for one in self.statistics]))
        return Influences(values, sample.sizes, sample.units.counts, sample.units.bounds)


@dataclass(frozen=True, eq=False)
class BlockGroup(SumGroup):
    """A metric on ordered text. Units are blocks laid end to end; the bootstrap draws blocks from anywhere."""

    blocks: Blocks

    @property
    def in_blocks(self) -> bool:
        """True."""
        return True

    def _bootstrap(self, sample: Sample, drawing: Drawing) -> FloatArray:
        """Return the scores of circular block resamples, shape (B, S)."""
        rows = [self.blocks.sums(one.of_items.each()) for one in sample.systems]
        return resampled(self.metric, rows, self.blocks.units, drawing, self.blocks.draws)


@dataclass(frozen=True, eq=False)
class AnnotatedGroup(SumGroup):
    """A metric against a gold made of annotations, which the bootstrap resamples within the items.

    A resample draws as many units as there are, each with one of V versions of its gold; a version is a
    resample of the item's annotators. `versions` are the statistics of these, and `of_versions` their design.
    """

    versions: Sequence[Statistics]
    of_versions: Design

    gold_varies = True

    def _bootstrap(self, sample: Sample, drawing: Drawing) -> FloatArray:
        """Return the scores of resampled items with resampled annotators, shape (B, S)."""
        versions = Sample.of([self.versions[one.system] for one in sample.systems], self.of_versions)
        draws = drawing.draws(self.stratum_sizes)
        return resampled(self.metric, versions.rows(), versions.units, drawing, draws)

    def resampled_scores(self) -> FloatArray:
        """Return the scores of all items against the mean of their versions, shape (1, S)."""
        means = [one.total * (self.n_units / one.units.n) for one in self.versions]
        return np.array([[float(scores(self.metric, mean)) for mean in means]])
