"""Confidence intervals of scores and differences of one group of metrics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bestby._core import rounding
from bestby._core.errors import DesignError
from bestby._core.typing import FloatArray
from bestby.engine.base import Contributions, Drawing, Group, Jackknife
from bestby.engine.dependent_units import CrossedGroup
from bestby.engine.sums import AnnotatedGroup, SumGroup, merged_values
from bestby.engine.targets import Situation, Target, binary, defined_replicates, undefined_note, value_of
from bestby.engine.weighted import WeightGroup
from bestby.inference import intervals, proportions
from bestby.inference.distributions import Distribution, mean_bootstrap
from bestby.metrics.base import MeanMetric
from bestby.results.base import Note
from bestby.results.values import Interval
from bestby.results.values import defined as defined_interval

MOST_KEPT = 256
"""Distributions kept for what is asked next: the test of a difference needs that of its interval."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """Makes intervals for a group; what several of them need is made once."""

    group: Group
    drawing: Drawing

    @cached_property
    def scores(self) -> FloatArray:
        """The scores on the full data, shape (M, S)."""
        return self.group.scores()

    @cached_property
    def replicates(self) -> FloatArray:
        """The scores of the bootstrap resamples, shape (B, M, S).

        The deviations of smaller resamples are brought to scale. Resampled annotators (`gold_shift`) and
        strata that do not give equal shares shift the scores: the replicates are put back around them.
        """
        drawn = self._drawn
        contraction = self.drawing.contraction(self.group.units)
        if contraction == 1.0 and not self.group.gold_varies and not self._uneven:
            return drawn
        return self.scores + contraction * (drawn - self._centre)

    @cached_property
    def _uneven(self) -> bool:
        """Whether resamples hold more of one stratum than the sample, as each must give at least one unit."""
        return self.subsampling and bool(np.ptp(self.drawing.shares(self.group.units)) > 0.0)

    @property
    def _centre(self) -> FloatArray:
        """What the scores of resamples vary around, shape (M, S)."""
        if not self._uneven:
            return self.scores + self.gold_shift
        defined = np.isfinite(self._drawn)
        summed = np.where(defined, self._drawn, 0.0).sum(axis=0)
        return np.asarray(summed / np.maximum(defined.sum(axis=0), 1))

    @cached_property
    def _drawn(self) -> FloatArray:
        return self.group.bootstrap(self.drawing)

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
        return self.drawing.subsampling(self.group.units)

    @property
    def by_formula(self) -> bool:
        """Whether what is known of the units gives the bootstrap distribution without drawing."""
        return self.by_units and not self.group.in_blocks

    @property
    def by_units(self) -> bool:
        """Whether what varies is which units there are, all of them, so that formulas for these hold."""
        return not self.subsampling and not self.group.gold_varies

    @cached_property
    def _jackknife(self) -> Jackknife:
        return self.group.jackknife(self.drawing.seed)

    def estimate(self, target: Target) -> float:
        """Return the score or difference on the full data."""
        return float(value_of(self.scores, target))

    def scale(self, target: Target) -> float:
        """Return the size of the scores, which rounding is relative to; other systems have no say in it."""
        scores = self.scores[target.metric]
        own = [target.a] if target.b is None else [target.a, target.b]
        return float(np.abs(scores[own]).max())

    def proportion(self, target: Target) -> Contributions | None:
        """Return the contributions if they are 0/1 values of single items, or differences of such."""
        plain = self.group.contributions(target.metric, target.a, target.b)
        return plain if self._is_proportion(target, plain) else None

    def _is_proportion(self, target: Target, plain: Contributions | None) -> bool:
        metric = self.group.metrics[target.metric]
        if plain is None or not plain.single_items:
            return False
        if not isinstance(metric, MeanMetric) or not metric.proportions:
            return False
        if target.b is None:
            return binary(plain)
        both = (self.group.contributions(target.metric, system) for system in (target.a, target.b))
        return all(binary(values) for values in both)

    def distribution(self, target: Target) -> tuple[Distribution, tuple[Note, ...]]:
        """Return the bootstrap distribution: the exact one of a plain mean where there is one."""
        if target not in self._distributions:
            if len(self._distributions) == MOST_KEPT:
                self._distributions.clear()
            self._distributions[target] = self._distribution(target)
        return self._distributions[target]

    @cached_property
    def _distributions(self) -> dict[Target, tuple[Distribution, tuple[Note, ...]]]:
        return {}

    def _distribution(self, target: Target) -> tuple[Distribution, tuple[Note, ...]]:
        plain = self.group.contributions(target.metric, target.a, target.b)
        if plain is not None and self.by_formula:
            exact = mean_bootstrap(plain.values, plain.counts, plain.bounds)
            if exact is not None:
                return exact, ()
        return defined_replicates(value_of(self.replicates, target), self.scale(target))

    def replicates_of(self, target: Target) -> FloatArray:
        """Return the score or difference on the bootstrap resamples, shape (B,); NaN where undefined."""
        return value_of(self.replicates, target)

    def interval(self, target: Target, method: str, level: float) -> tuple[Interval | None, tuple[Note, ...]]:
        """Return the interval of one target by one method.

        Returns the interval, whose `method` says what was done in the end, and what must be known about it.
        None if it is undefined, which a note then says.
        """
        return defined_interval(*self._interval(target, method, level))

    def _interval(self, target: Target, method: str, level: float) -> tuple[Interval, tuple[Note, ...]]:
        self._check(method)
        if method in ("cr2", "two-way"):
            return self._robust(target, method, level)
        if method in ("tango", "wilson"):
            return self._score_interval(target, level), ()
        if method == "normal":
            return self._normal(target, level), ()
        if method == "studentized":
            return self._studentized(target, level)
        distribution, notes = self.distribution(target)
        notes += self._coarse_gold(target)
        estimate = self.estimate(target)
        if method == "basic":
            low, high = intervals.basic(distribution, estimate, level)
        elif method == "percentile":
            low, high = intervals.percentile(distribution, level)
        else:
            rate = self._acceleration(target)
            if rate is None:
                notes += (
                    Note(
                        "no_acceleration",
                        "the metric is undefined without some single unit: the BCa interval is corrected"
                        " for bias, not for skewness",
                    ),
                )
            ends = intervals.bca(distribution, estimate, rate or 0.0, level)
            if ends is None:
                method = "percentile"
                notes += (
                    Note(
                        "bca_undefined",
                        "the BCa interval is undefined here (the estimate lies at the edge of its"
                        " replicates); the percentile interval is given",
                    ),
                )
                ends = intervals.percentile(distribution, level)
            low, high = ends
        return self._clipped(target, low, high, level, method, distribution.exact), notes

    def _check(self, method: str) -> None:
        """Refuse a method that does not allow for how the items are resampled."""
        group = self.group
        if (method == "two-way") != group.crossed:
            if group.crossed:
                raise DesignError(
                    f"the {method} interval supports one grouping of the items, not two crossed ones",
                    hint='interval="two-way", or give one grouping as clusters',
                )
            raise DesignError(
                "the two-way interval needs two crossed groupings", hint="clusters=[templates, languages]"
            )
        of_units = method in ("tango", "wilson", "normal", "cr2", "two-way")
        if (of_units and not self.by_units) or (method in ("studentized", "bca") and not self.by_formula):
            what = "resample_size" if self.subsampling else 'annotators="resample"'
            raise DesignError(
                f"the {method} interval does not allow for {what if not self.by_units else 'blocks'}",
                hint='interval="basic" or "percentile", which use the resamples as they are drawn',
            )

    def _robust(self, target: Target, method: str, level: float) -> tuple[Interval, tuple[Note, ...]]:
        """Return the interval by a standard error for few, unequal or crossed clusters."""
        if not self.group.has_robust_error:
            self.group.every_unit(f"the {method} interval")
            raise DesignError(
                f"{self.group.metrics[target.metric].name} is not a function of sums, and of"
                f" {self.group.n_units} units one cannot be left out at a time",
                hint='interval="basic" or "percentile"',
            )
        error = self.group.error(target.metric, target.a, target.b)
        if error is None:
            found, notes = self._interval(target, "basic", level)
            told = "the metric is undefined without some unit: the basic interval is given in place of cr2"
            return found, (*notes, Note("cr2_undefined", told))
        low, high = intervals.normal(self.estimate(target), error.se, level, df=max(error.df, 1.0))
        return self._clipped(target, low, high, level, method, True), ()

    def _coarse_gold(self, target: Target) -> tuple[Note, ...]:
        """Return a note if resampled annotators shift a score by more than a quarter of its spread."""
        if target.b is not None or not self.group.gold_varies:
            return ()
        shift = float(value_of(self.gold_shift, target))
        if abs(shift) <= 0.25 * float(np.nanstd(value_of(self._drawn, target))):
            return ()
        way = "lower" if shift < 0.0 else "higher"
        told = (
            f"the score against resampled annotators is {abs(shift):.3g} {way}, because few labels per item"
            " make a coarse gold; against a gold of very many annotators it would probably be as much"
            f" {'higher' if way == 'lower' else 'lower'}, and the interval is for a gold with as many labels"
            " as here"
        )
        return (Note("coarse_gold", told),)

    def _clipped(
        self, target: Target, low: float, high: float, level: float, method: str, exact: bool
    ) -> Interval:
        """Return the interval cut to the values the metric can take."""
        least, greatest = self.group.metrics[target.metric].bounds
        if target.b is not None:
            least, greatest = least - greatest, greatest - least
        return Interval(max(low, least), min(high, greatest), level, method, exact)

    def _score_interval(self, target: Target, level: float) -> Interval:
        plain = self.proportion(target)
        metric = self.group.metrics[target.metric].name
        if plain is None or plain.bounds.size > 2:
            self.group.every_unit("a score interval")
            raise DesignError(
                "a score interval needs 0/1 values of independent, unstratified items;"
                f" {metric} has none here",
                hint='interval="auto" chooses one that applies',
            )
        values, counts = merged_values(plain)
        n = int(counts.sum())
        if target.b is None:
            low, high = proportions.wilson(int(counts[values == 1.0].sum()), n, level)
            return Interval(low, high, level, "wilson", True)
        n10, n01 = int(counts[values == 1.0].sum()), int(counts[values == -1.0].sum())
        low, high = proportions.tango(n10, n01, n, level)
        return Interval(low, high, level, "tango", True)

    def _normal(self, target: Target, level: float) -> Interval:
        se = self.group.standard_error(target.metric, target.a, target.b)
        if se is None:
            raise DesignError(
                f"{self.group.metrics[target.metric].name} has no delta-method standard error",
                hint='pass interval="bca" or "percentile"',
            )
        # Each stratum takes a mean of its own, so a degree of freedom; where none is left, se is 0.
        df = max(1, self.group.n_units - self.group.n_strata)
        low, high = intervals.normal(self.estimate(target), se, level, df=df)
        return self._clipped(target, low, high, level, "normal", True)

    def _studentized(self, target: Target, level: float) -> tuple[Interval, tuple[Note, ...]]:
        se = self.group.standard_error(target.metric, target.a, target.b)
        pivots = None
        if se is not None:
            pivots = self.group.pivots(target.metric, target.a, target.b, self.drawing)
        if se is None or pivots is None:
            self.group.every_unit("the studentized interval")
            raise DesignError(
                f"no studentized interval for {self.group.metrics[target.metric].name} here:"
                " it needs a metric of at most 24 sums and no strata",
                hint='pass interval="bca" or "percentile"',
            )
        distribution, notes = defined_replicates(pivots, 1.0)
        low, high = intervals.studentized(distribution, self.estimate(target), se, level)
        if not (np.isfinite(low) and np.isfinite(high)):
            fallback, more = self._interval(target, "percentile", level)
            note = Note(
                "studentized_undefined",
                "too many resamples have no variance for the studentized interval;"
                " the percentile interval is given",
            )
            return fallback, (*notes, *more, note)
        return self._clipped(target, low, high, level, "studentized", False), notes

    def _acceleration(self, target: Target) -> float | None:
        """Return the acceleration; None if the metric is undefined without some unit."""
        plain = self.group.contributions(target.metric, target.a, target.b)
        if plain is not None:
            return intervals.acceleration(-plain.values, plain.counts, plain.bounds)
        jackknife = self._jackknife
        left_out = value_of(jackknife.scores, target)
        if not np.isfinite(left_out).all():
            return None
        return intervals.acceleration(left_out, jackknife.counts, jackknife.bounds)

    def effective_units(self, target: Target) -> float:
        """Return how many units of equal weight would carry the variance of the estimate."""
        return self._effective(target, self.group.contributions(target.metric, target.a, target.b))

    def _effective(self, target: Target, plain: Contributions | None) -> float:
        if isinstance(self.group, CrossedGroup):
            return self.group.effective_units(target.metric, target.a, target.b)
        if plain is not None:
            return intervals.effective_units(plain.values, plain.counts, plain.bounds)
        jackknife = self._jackknife
        return intervals.effective_units(
            value_of(jackknife.scores, target), jackknife.counts, jackknife.bounds
        )

    def situation(self, target: Target, *, jackknife: bool = True) -> Situation:
        """Return what the choice of an interval depends on.

        `jackknife` says whether to make the jackknife, for the number of effective units, where it is not
        cheap (ranks, callables).
        """
        group, (m, a, b) = self.group, (target.metric, target.a, target.b)
        plain = group.contributions(m, a, b)
        cheap = isinstance(group, SumGroup)
        return Situation(
            proportion=self._is_proportion(target, plain),
            difference=b is not None,
            n_differing=group.n_units if b is None else group.differing((m, a, b))[1],
            n_effective=self._effective(target, plain) if jackknife or cheap else None,
            plain_mean=plain is not None and plain.single_items,
            formula=group.has_formula,
            stratified=plain is not None and plain.bounds.size > 2,
            drawn=not self.by_units,
            clustered=group.clustered,
            few_clusters=group.few_units,
            blocks=group.in_blocks,
            crossed=group.crossed,
            robust=group.has_robust_error,
            ranks=isinstance(group, WeightGroup),
            steps=b is not None and jackknife and group.moves_in_steps(m, a, b),
        )

    def simultaneous(
        self, targets: list[Target], level: float
    ) -> tuple[list[Interval | None], tuple[Note, ...]]:
        """Return intervals that cover all targets at once with probability `level` (max-T).

        Returns one interval per target, and what must be known about all of them.
        """
        if self.group.crossed:
            raise DesignError(
                "simultaneous intervals need resamples, which two crossed groupings have none of",
                hint="pass simultaneous=False, or one grouping as clusters",
            )
        estimates = np.array([self.estimate(target) for target in targets])
        drawn = np.column_stack([value_of(self.replicates, target) for target in targets])
        defined = np.isfinite(drawn).all(axis=1)
        notes = () if defined.all() else (undefined_note(int((~defined).sum()), defined.size),)
        drawn = drawn[defined]
        if drawn.shape[0] < 2:
            raise DesignError(
                f"simultaneous intervals need resamples on which the metric is defined, got {len(drawn)}"
                f" of {defined.size}",
                hint="use more resamples, more items or another metric",
            )
        se = drawn.std(axis=0, ddof=1)
        varying = se > rounding.noise_width(np.array([self.scale(target) for target in targets]))
        deviations = np.divide(drawn - estimates, se, out=np.zeros_like(drawn), where=varying)
        reach = intervals.max_t_quantile(deviations, level) * np.where(varying, se, 0.0)
        family = [
            self._clipped(target, float(estimate - half), float(estimate + half), level, "max-t", False)
            for target, estimate, half in zip(targets, estimates, reach, strict=True)
        ]
        checked = [defined_interval(interval) for interval in family]
        lacking = dict.fromkeys(note for _, more in checked for note in more)
        return [interval for interval, _ in checked], (*notes, *lacking)
