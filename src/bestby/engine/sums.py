"""Metrics that are functions of sums: the statistics of each system, and the samples made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.typing import FloatArray, IntArray
from bestby.engine.base import Drawing, Group, Influences, Jackknife, Squares
from bestby.engine.memo import Memo
from bestby.engine.sample import SumSample, resampled
from bestby.engine.statistics import Design, Statistics
from bestby.engine.transforms import scores
from bestby.inference import clusters
from bestby.metrics.base import MeanMetric, Metric, StandardisedMetric
from bestby.resampling.blocks import Blocks
from bestby.resampling.units import Units

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
        items = self.statistics[system].of_items
        of_items = self.metric.standard_scores(items.spread(items.X[:, self.metric.standard_column]))
        return centre + scale * of_items

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
        sample = self.together
        values = np.column_stack(sample.spread([one.influence for one in self.statistics]))
        return Influences(values, sample.sizes, sample.units.counts, sample.units.bounds)


@dataclass(frozen=True, eq=False)
class BlockSample(SumSample):
    """Systems on ordered text, of which the bootstrap draws blocks from anywhere."""

    blocks: Blocks

    in_blocks = True

    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of circular block resamples, shape (B, S)."""
        rows = [self.blocks.sums(one.of_items.each()) for one in self.systems]
        return resampled(self.metric, rows, self.blocks.units, drawing, self.blocks.draws)


@dataclass(frozen=True, eq=False)
class BlockGroup(SumGroup):
    """A metric on ordered text. Units are blocks laid end to end."""

    blocks: Blocks

    in_blocks = True

    def _sampled(self, systems: Sequence[Statistics]) -> SumSample:
        found = SumSample.of(systems, self.design)
        return BlockSample(found.systems, found.place, found.units, found.design, self.blocks)


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
        of_all = [
            float(scores(self.metric, one.total * (self.units.n / one.units.n)))
            for one in self.versions.systems
        ]
        shift = np.array(of_all) - self.scores
        return np.where(np.isfinite(shift), shift, 0.0)


@dataclass(frozen=True, eq=False)
class AnnotatedGroup(SumGroup):
    """A metric against a gold made of annotations; `versions` are the statistics of resampled annotators."""

    versions: Sequence[Statistics]
    of_versions: Design

    gold_varies = True

    def _sampled(self, systems: Sequence[Statistics]) -> SumSample:
        found = SumSample.of(systems, self.design)
        versions = SumSample.of([self.versions[one.system] for one in systems], self.of_versions)
        return AnnotatedSample(found.systems, found.place, found.units, found.design, versions)
