"""The scores of a group of metrics on the data and on resamples, of which intervals and tests are made."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.typing import FloatArray
from bestby.engine.base import Contributions, Drawing, Group, LeftOut
from bestby.engine.memo import Memo
from bestby.engine.sums import AnnotatedGroup, SumGroup
from bestby.engine.targets import Target, defined_replicates, value_of
from bestby.inference import intervals, skewness
from bestby.inference.clusters import StandardError
from bestby.inference.distributions import Distribution
from bestby.inference.intervals import Moments
from bestby.inference.mean_bootstrap import mean_bootstrap
from bestby.results.base import Note

SCARCE = 20
"""Units of a class from which their influence shows how much others would change a score."""

MOST_LEFT_OUT, MOST_RANKED_ANEW = 1000, 100
"""Units up to which a score of sums, and one of ranks, is computed without each: derivatives tell the same
of more, and without a unit all others are ranked anew."""

BELOW_ONE = 1.0 - 1e-12
"""The largest correlation without a unit whose place on Fisher's scale is used."""

MOST_KEPT = 256
"""Distributions kept for what is asked next: the test of a difference needs that of its interval."""


@dataclass(frozen=True, eq=False)
class Resampled:
    """A group of metrics and its resamples; what several intervals and tests need is made once."""

    group: Group
    drawing: Drawing

    @cached_property
    def scores(self) -> FloatArray:
        """The scores on the full data, shape (M, S)."""
        return self.group.scores()

    @cached_property
    def replicates(self) -> FloatArray:
        """The scores of all systems on common bootstrap resamples, shape (B, M, S)."""
        return self._in_place(self.drawn, self.scores, self.gold_shift)

    @cached_property
    def drawn(self) -> FloatArray:
        """The same as they were drawn."""
        return self.group.bootstrap(self.drawing)

    def _in_place(self, drawn: FloatArray, scores: FloatArray, gold_shift: FloatArray) -> FloatArray:
        """Return the scores (B, ...) of resamples, around those of the data.

        The deviations of smaller resamples are brought to scale. Resampled annotators (`gold_shift`) and
        strata that do not give equal shares shift the scores: the replicates are put back around them.
        """
        contraction = self.drawing.contraction(self.group.stratum_sizes)
        if contraction == 1.0 and not self.group.gold_varies and not self._uneven:
            return drawn
        centre = scores + gold_shift
        if self._uneven:
            defined = np.isfinite(drawn)
            centre = np.where(defined, drawn, 0.0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
        return scores + contraction * (drawn - centre)

    @cached_property
    def _uneven(self) -> bool:
        """Whether resamples hold more of one stratum than the sample, as each must give at least one unit."""
        return self.subsampling and bool(np.ptp(self.drawing.shares(self.group.stratum_sizes)) > 0.0)

    @cached_property
    def gold_shift(self) -> FloatArray:
        """By how much the scores of all items are off against resampled annotators, shape (M, S)."""
        if not isinstance(self.group, AnnotatedGroup):
            return np.zeros_like(self.scores)
        shift = self.group.resampled_scores() - self.scores
        return np.where(np.isfinite(shift), shift, 0.0)

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

    def estimate(self, target: Target) -> float:
        """Return the score or difference on the full data."""
        if target.b is None:
            return float(self.scores[target.metric, target.a])
        return float(value_of(self.scores, target))

    def scale(self, target: Target) -> float:
        """Return the size of the scores, which rounding is relative to; other systems have no say in it."""
        sizes = self._sizes[target.metric]
        return sizes[target.a] if target.b is None else max(sizes[target.a], sizes[target.b])

    @cached_property
    def _sizes(self) -> list[list[float]]:
        """The sizes of the scores, by metric and system."""
        found: list[list[float]] = np.abs(self.scores).tolist()
        return found

    def proportion(self, target: Target) -> Contributions | None:
        """Return the contributions if they are 0/1 values of single items, or differences of such."""
        plain = self.group.contributions(target.metric, target.a, target.b)
        return plain if self.is_proportion(target, plain) else None

    def answers(self, target: Target, plain: Contributions | None) -> Contributions | None:
        """Return the 0/1 values, or differences of such, of which a score is the mean or a share.

        `plain` are the contributions of the target. A score interval is made of these values.
        """
        if self.is_proportion(target, plain):
            return plain
        return self.group.shares(target.metric, target.a, target.b)

    def is_proportion(self, target: Target, plain: Contributions | None) -> bool:
        """Return whether contributions are 0/1 values of single items, or differences of such."""
        return plain is not None and self.group.are_answers(target.metric, target.systems)

    def distribution(self, target: Target) -> tuple[Distribution, tuple[Note, ...]]:
        """Return the bootstrap distribution: the exact one of a plain mean where there is one."""
        return self._distributions.get(target, self._distribution)

    @cached_property
    def _distributions(self) -> Memo[Target, tuple[Distribution, tuple[Note, ...]]]:
        return Memo(MOST_KEPT)

    def _distribution(self, target: Target) -> tuple[Distribution, tuple[Note, ...]]:
        plain = self.group.contributions(*target)
        if plain is not None and self.by_formula:
            known = None if plain.moments is None else plain.moments.powers
            exact = mean_bootstrap(plain.values, plain.counts, plain.bounds, known)
            if exact is not None:
                return exact, ()
        return defined_replicates(self.replicates_of(target), self.scale(target))

    def replicates_of(self, target: Target) -> FloatArray:
        """Return the score or difference on bootstrap resamples of its units, shape (B,); NaN if undefined."""
        own = self.drawn_of(target)
        if own is None:
            return value_of(self.replicates, target)
        systems = list(target.systems)
        of_m = (of_all[target.metric, systems] for of_all in (self.scores, self.gold_shift))
        placed = self._in_place(own, *of_m)
        return placed[:, 0] if target.b is None else rounding.difference(placed[:, 0], placed[:, 1])

    def drawn_of(self, target: Target) -> FloatArray | None:
        """Return the scores of the systems of a target on resamples of its own units, as they were drawn."""
        return self._drawn_of.get(target, lambda one: self.group.resampled(*one, self.drawing))

    @cached_property
    def _drawn_of(self) -> Memo[Target, FloatArray | None]:
        return Memo(MOST_KEPT)

    def acceleration(self, target: Target) -> float | None:
        """Return the acceleration; None if the metric is undefined without some unit."""
        plain = self.group.contributions(*target)
        if plain is not None:
            return None if plain.moments is None else plain.moments.acceleration
        without = self.left_out(target)
        return intervals.acceleration(*without) if np.isfinite(without.values).all() else None

    def left_out(self, target: Target) -> LeftOut:
        """Return the score or difference without each unit."""
        return self.group.left_out(*target, self.drawing)

    def robust_error(
        self, target: Target, errors: float, scale: Callable[[FloatArray], FloatArray] | None = None
    ) -> StandardError | None:
        """Return the standard error of a score or difference that allows for skewness, also on another scale.

        The score of one system that is no mean has that of the jackknife, whose values without each unit show
        how the score bends: of few units the derivatives alone make it too small. None if there is none.
        """
        group, (m, a, b) = self.group, target
        linear = b is not None or group.contributions(m, a) is not None
        most = MOST_LEFT_OUT if isinstance(group, SumGroup) else MOST_RANKED_ANEW
        if not linear and not group.clustered and group.n_strata == 1 and group.n_units <= most:
            left_out, counts, _ = self.left_out(Target(m, a))
            left_out = left_out if scale is None else scale(np.clip(left_out, -BELOW_ONE, BELOW_ONE))
            units = Moments.of(-(group.n_units - 1.0) * left_out, counts)
            if units is not None and units.n == group.n_units:
                return skewness.robust(StandardError(units.error_of_mean, units.n - 1.0), units, errors)
        error = group.robust_error(m, a, b, errors)
        if error is None or scale is None:
            return error
        r = self.estimate(target)  # atanh has the slope 1 / (1 - r^2)
        return dataclasses.replace(error, se=error.se / (1.0 - r * r))

    def effective_units(self, target: Target) -> float:
        """Return how many units of equal weight would carry the variance of the estimate."""
        return self.effective_of(target, self.group.contributions(target.metric, target.a, target.b))

    def effective_of(self, target: Target, plain: Contributions | None) -> float:
        """Return the same of a target whose contributions are known, if it has any.

        Where few units have items of the class without which the score is undefined, there are no more than
        these: if they agree by chance, their influence does not show how much others would change it. Where
        the score is undefined without a single unit, that is the one.
        """
        most = self.group.scarce_units(target.a)
        found = math.nan if most == 1 else self._effective_of(target, plain)
        if math.isnan(found):  # without the unit no influence is known
            apart = target.b is None or self.group.differing((target.metric, target.a, target.b))[0] > 0
            return float(apart)
        return found if most is None or most >= SCARCE else min(found, float(most))

    def _effective_of(self, target: Target, plain: Contributions | None) -> float:
        """Return how many units of equal weight would carry the variance, by their influence."""
        known = self.group.effective_units(target.metric, target.a, target.b)
        if known is not None:
            return known
        if plain is not None:
            return 0.0 if plain.moments is None else plain.moments.effective_units
        return intervals.effective_units(*self.left_out(target), self.group.n_units)
