"""A score or difference as an estimate: its resamples, and what the choice of an interval depends on."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.typing import FloatArray, IntArray
from bestby.engine.base import (
    MOST_KEPT,
    Contributions,
    Drawing,
    Group,
    LeftOut,
    Memo,
    Sample,
    score_or_difference,
)
from bestby.engine.ranked import WeightGroup
from bestby.engine.sums import AnnotatedSample, SumGroup
from bestby.inference import intervals, skewness
from bestby.inference.clusters import StandardError
from bestby.inference.distributions import Distribution, defined_replicates, mean_bootstrap
from bestby.inference.intervals import Moments
from bestby.inference.multiplicity import Joint, Spread
from bestby.metrics.base import BaseMetric, MeanMetric
from bestby.results.base import Note

SCARCE = 20
"""Units of a class from which their influence shows how much others would change a score."""

MOST_LEFT_OUT, MOST_RANKED_ANEW = 1000, 100
"""Units up to which a score of sums, and one of ranks, is computed without each: derivatives tell the same
of more, and without a unit all others are ranked anew."""

BELOW_ONE = 1.0 - 1e-12
"""The largest correlation without a unit whose place on Fisher's scale is used."""


class Situation(TypedDict):
    """What the choice of an interval depends on; `choose_interval` explains each."""

    proportion: bool
    difference: bool
    n_differing: int
    n_effective: float | None
    n_units: int
    mean: bool
    plain_mean: bool
    formula: bool
    stratified: bool
    drawn: bool
    clustered: bool
    few_clusters: bool
    blocks: bool
    crossed: bool
    robust: bool
    ranks: bool
    correlation: bool
    in_batches: bool
    steps: bool
    shown_by_formula: float
    shown_by_resamples: float


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of all systems on one metric, on the data and on resamples: what their estimates share."""

    group: Group
    drawing: Drawing

    @cached_property
    def samples(self) -> Memo[tuple[int, int | None], Sample]:
        """What the last score or difference that was asked for is computed from."""
        return Memo(1)

    @cached_property
    def scores(self) -> FloatArray:
        """The scores on the full data, shape (S,)."""
        return self.group.scores

    @cached_property
    def drawn(self) -> FloatArray:
        """The scores of all systems on common bootstrap resamples, as they were drawn, shape (B, S)."""
        return self.group.bootstrap(self.drawing)

    @cached_property
    def replicates(self) -> FloatArray:
        """The scores on common resamples around those of the data, shape (B, S)."""
        sample = self.group.together if isinstance(self.group, SumGroup) else None
        shift = sample.gold_shift if isinstance(sample, AnnotatedSample) else 0.0
        return self.in_place(self.drawn, self.scores, shift)

    def in_place(self, drawn: FloatArray, scores: FloatArray, gold_shift: FloatArray | float) -> FloatArray:
        """Return the scores (B, ...) of resamples, around those of the data.

        The deviations of smaller resamples are brought to scale. Resampled annotators (`gold_shift`) and
        strata that do not give equal shares shift the scores: the replicates are put back around them.
        """
        contraction = self.drawing.contraction(self.group.stratum_sizes)
        if contraction == 1.0 and not self.group.gold_varies and not self._uneven:
            return drawn
        centre = scores + gold_shift
        if self._uneven:
            # Uneven shares bias the replicates: their mean, and not the score, is what they deviate from.
            defined = np.isfinite(drawn)
            centre = np.where(defined, drawn, 0.0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
        return scores + contraction * (drawn - centre)

    @cached_property
    def _uneven(self) -> bool:
        """Whether resamples hold more of one stratum than the sample, as each must give at least one unit."""
        return self.subsampling and bool(np.ptp(self.drawing.shares(self.group.stratum_sizes)) > 0.0)

    @cached_property
    def subsampling(self) -> bool:
        """Whether resamples are smaller than the sample."""
        return self.drawing.subsampling(self.group.stratum_sizes)

    @property
    def by_formula(self) -> bool:
        """Whether what is known of the units gives the bootstrap distribution without drawing."""
        return self.by_units and not self.group.in_blocks

    @property
    def by_units(self) -> bool:
        """Whether what varies is which units there are, all of them, so that formulas for these hold."""
        return not self.subsampling and not self.group.gold_varies


@dataclass(frozen=True, eq=False)
class Estimate:
    """The score of A, or the difference A minus B; what several intervals and tests need is made once."""

    among: Scores
    a: int
    b: int | None

    @property
    def group(self) -> Group:
        """The metric, its systems, and how items make units."""
        return self.among.group

    @property
    def drawing(self) -> Drawing:
        """How to resample."""
        return self.among.drawing

    @property
    def metric(self) -> BaseMetric:
        """The metric."""
        return self.among.group.metric

    @property
    def sample(self) -> Sample:
        """What the estimate is computed from."""
        return self.among.samples.get((self.a, self.b), lambda key: self.group.sample(*key))

    @property
    def systems(self) -> list[int]:
        """The position of the system, or of both."""
        return [self.a] if self.b is None else [self.a, self.b]

    @property
    def scores(self) -> FloatArray:
        """The score, or both."""
        scores: FloatArray = self.among.scores[self.systems]
        return scores

    @cached_property
    def value(self) -> float:
        """The score or difference on the full data."""
        return float(score_or_difference(self.scores))

    @cached_property
    def scale(self) -> float:
        """The size of the scores, which rounding is relative to; other systems have no say in it."""
        return float(np.abs(self.scores).max())

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value that the score or difference can take."""
        least, greatest = self.metric.bounds
        return (least, greatest) if self.b is None else (least - greatest, greatest - least)

    @property
    def differs(self) -> bool:
        """Whether two systems differ on some unit; a score of one counts as such."""
        return self.b is None or self.sample.differing[1] > 0

    # -- right and wrong answers -----------------------------------------------------------------------------

    @property
    def proportion(self) -> Contributions | None:
        """The contributions if they are 0/1 values of single items, or differences of such."""
        plain = self.sample.contributions
        return plain if plain is not None and self.group.are_answers(self.systems) else None

    @property
    def answers(self) -> Contributions | None:
        """The 0/1 values, or differences of such, of which the score is the mean or a share.

        A score interval is made of these.
        """
        return self.proportion or self.sample.shares

    # -- resamples -------------------------------------------------------------------------------------------

    @cached_property
    def drawn(self) -> FloatArray:
        """The scores of the systems on resamples, as they were drawn, shape (B, 1 or 2)."""
        if self.group.shares_draws:
            drawn: FloatArray = self.among.drawn[:, self.systems]
            return drawn
        return self.sample.bootstrap(self.drawing)

    @cached_property
    def replicates(self) -> FloatArray:
        """The score or difference on bootstrap resamples of the units, shape (B,); NaN where undefined."""
        return score_or_difference(self.among.in_place(self.drawn, self.scores, self.gold_shift).T)

    @property
    def gold_shift(self) -> FloatArray:
        """By how much the scores are off against resampled annotators."""
        sample = self.sample
        return sample.gold_shift if isinstance(sample, AnnotatedSample) else np.zeros(len(self.systems))

    @cached_property
    def distribution(self) -> tuple[Distribution, tuple[Note, ...]]:
        """The bootstrap distribution: the exact one of a plain mean where there is one."""
        plain = self.sample.contributions
        if plain is not None and self.among.by_formula:
            powers = None if plain.moments is None else plain.moments.powers
            exact = mean_bootstrap(plain.values, plain.counts, plain.bounds, powers)
            if exact is not None:
                return exact, ()
        return defined_replicates(self.replicates, self.scale)

    # -- what units add --------------------------------------------------------------------------------------

    def left_out(self) -> LeftOut:
        """Return the score or difference without each unit."""
        return self.sample.left_out(self.drawing)

    @property
    def acceleration(self) -> float | None:
        """The acceleration; None if the metric is undefined without some unit."""
        plain = self.sample.contributions
        if plain is not None:
            return None if plain.moments is None else plain.moments.acceleration
        without = self.left_out()
        return intervals.acceleration(*without) if np.isfinite(without.values).all() else None

    def robust_error(
        self, errors: float, scale: Callable[[FloatArray], FloatArray] | None = None
    ) -> StandardError | None:
        """Return the standard error of the estimate that allows for skewness, also on another scale.

        The score of one system that is no mean has that of the jackknife, whose values without each unit show
        how the score bends: of few units the derivatives alone make it too small. None if there is none.
        """
        group, sample = self.group, self.sample
        linear = self.b is not None or sample.contributions is not None
        most = MOST_LEFT_OUT if isinstance(group, SumGroup) else MOST_RANKED_ANEW
        if not linear and not group.clustered and group.n_strata == 1 and group.n_units <= most:
            left_out, counts, _ = self.left_out()
            left_out = left_out if scale is None else scale(np.clip(left_out, -BELOW_ONE, BELOW_ONE))
            # Pseudo-values: (n - 1)(mean - left out) is the influence of a unit times n, with the bend of the
            # score.
            units = Moments.of(-(group.n_units - 1.0) * left_out, counts)
            if units is not None and units.n == group.n_units:
                return skewness.robust(StandardError(units.error_of_mean, units.n - 1.0), units, errors)
        error = sample.robust_error(errors)
        if error is None or scale is None:
            return error
        r = self.value  # atanh has the slope 1 / (1 - r^2)
        return dataclasses.replace(error, se=error.se / (1.0 - r * r))

    @cached_property
    def effective_units(self) -> float:
        """How many units of equal weight would carry the variance of the estimate.

        Where few units have items of the class without which the score is undefined, there are no more than
        these: if they agree by chance, their influence does not show how much others would change it. Where
        the score is undefined without a single unit, that is the one.
        """
        most = self.sample.scarce_units
        effective = math.nan if most == 1 else self.sample.effective_units
        plain = self.sample.contributions
        if effective is None and plain is not None:
            effective = 0.0 if plain.moments is None else plain.moments.effective_units
        elif effective is None:
            effective = intervals.effective_units(*self.left_out(), self.group.n_units)
        if math.isnan(effective):  # without the unit no influence is known
            return float(self.b is None or self.sample.differing[0] > 0)
        return effective if most is None or most >= SCARCE else min(effective, float(most))

    def situation(self, *, jackknife: bool = True) -> Situation:
        """Return what the choice of an interval depends on.

        `jackknife` says whether to make the jackknife, for the number of effective units, where it is not
        cheap (ranks, callables).
        """
        group, sample, difference = self.group, self.sample, self.b is not None
        plain, answers, shown = sample.contributions, self.answers, group.shown(self.drawing)
        cheap = isinstance(group, SumGroup)
        n_differing = sample.differing[1] if difference else group.n_units
        if plain is None and answers is not None and difference:
            n_differing = int(answers.counts @ np.abs(answers.values))
        return Situation(
            proportion=answers is not None,
            difference=difference,
            n_differing=n_differing,
            n_effective=self.effective_units if jackknife or cheap else None,
            n_units=group.n_units,
            mean=cheap and isinstance(self.metric, MeanMetric),
            plain_mean=plain is not None and plain.single_items,
            formula=group.has_formula,
            stratified=plain is not None and plain.bounds.size > 2,
            drawn=not self.among.by_units,
            clustered=group.clustered,
            few_clusters=group.few_units,
            blocks=group.in_blocks,
            crossed=group.crossed,
            robust=group.has_robust_error,
            ranks=isinstance(group, WeightGroup) and group.has_derivatives,
            correlation=self.metric.correlation,
            in_batches=group.in_batches,
            steps=difference and jackknife and sample.moves_in_steps,
            shown_by_formula=shown.by_formula,
            shown_by_resamples=shown.by_resamples,
        )


@dataclass(frozen=True, eq=False)
class Estimates:
    """The scores and differences of one metric; what several of them need is made once.

    An estimate refers to what all share, and not to this, so that no circle keeps the arrays of a comparison.
    """

    group: Group
    drawing: Drawing

    def of(self, a: int, b: int | None = None) -> Estimate:
        """Return the score of A, or the difference A minus B."""
        return self._estimates.get((a, b), lambda key: Estimate(self.shared, *key))

    @cached_property
    def _estimates(self) -> Memo[tuple[int, int | None], Estimate]:
        return Memo(MOST_KEPT)

    @cached_property
    def shared(self) -> Scores:
        """What the estimates share."""
        return Scores(self.group, self.drawing)

    @property
    def metric(self) -> BaseMetric:
        """The metric."""
        return self.group.metric

    @property
    def scores(self) -> FloatArray:
        """The scores on the full data, shape (S,)."""
        return self.shared.scores

    @property
    def replicates(self) -> FloatArray:
        """The scores on common resamples around those of the data, shape (B, S)."""
        return self.shared.replicates

    @property
    def by_formula(self) -> bool:
        """Whether what is known of the units gives the bootstrap distribution without drawing."""
        return self.shared.by_formula

    @cached_property
    def spread(self) -> Spread | None:
        """How the scores of all systems vary together: by the influence of each unit, else by resamples."""
        spread = self.group.spread
        if spread is None and not self.group.crossed:
            drawn = self.replicates[np.isfinite(self.replicates).all(axis=1)]
            # No formula tells it: the resamples of all systems, which are common to them, do.
            spread = Spread.from_resamples(drawn, self.group.n_units) if len(drawn) > 1 else None
        return spread

    def joint(self, pairs: IntArray, order: Sequence[int]) -> Joint:
        """Return how the differences of pairs of systems, shape (m, 2), vary together.

        `order` holds all systems in an order that does not depend on how they were given.
        """
        place = np.argsort(order)
        a, b = place[pairs.T]
        spread = None if self.spread is None else self.spread.ordered(order)
        return Joint.of(spread, a, b, self.drawing.seed)
