"""Confidence intervals of scores and differences of one group of metrics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.typing import IntArray
from bestby.engine import interval_methods
from bestby.engine.ranked import WeightGroup
from bestby.engine.resampled import Resampled
from bestby.engine.sums import SumGroup
from bestby.engine.targets import Situation, Target
from bestby.inference import intervals
from bestby.inference.joint import Joint, Spread
from bestby.metrics.base import MeanMetric
from bestby.results.base import Note
from bestby.results.values import Interval, defined, without_interval

USUAL = 0.95
"""A level at which an interval tells whether it is made of resamples."""

OF_RESAMPLES = ("percentile", "basic", "bca")
"""Intervals whose ends are quantiles of the bootstrap distribution."""

_ABOUT = 1.0 - 1e-6  # a level is known to its last digits only


@dataclass(frozen=True, eq=False)
class Intervals(Resampled):
    """Makes intervals for a group; what several of them need is made once."""

    def interval(self, target: Target, method: str, level: float) -> tuple[Interval | None, tuple[Note, ...]]:
        """Return the interval of one target by one method.

        Returns the interval, whose `method` says what was done in the end, and what must be known about it.
        None if it is undefined or would have no length, which a note then says.
        """
        return self._checked(target, *interval_methods.interval(self, target, method, level))

    def _checked(
        self, target: Target, interval: Interval, notes: tuple[Note, ...] = ()
    ) -> tuple[Interval | None, tuple[Note, ...]]:
        """Return an interval if it is defined and has a length; else a bound from unseen units, or None."""
        constant = "constant_scores" if target.b is None else "constant_difference"
        checked, told = defined(interval, scale=self._size(target), constant=constant)
        if target.b is not None and self.group.same_ranks(target.metric, target.a, target.b):
            checked, told = None, (without_interval("identical_ranks", interval.method),)
        if checked is not None or told[0].code == "undefined_interval":
            return checked, (*notes, *told)
        # Notes on how the method got to its ends mean nothing now; that on lost resamples does.
        left = tuple(note for note in notes if note.code == "undefined_resamples")
        if told[0].code != constant:
            return None, (*left, *told)
        some_vary = self._some_resamples_vary(target, interval.method)
        bound = interval_methods.unseen(self, target, interval.level)
        if bound is None:
            why = (without_interval("equal_resamples", interval.method),) if some_vary else told
            return None, (*left, *why)
        what = "score" if target.b is None else "difference"
        same = "in nearly all resamples" if some_vary else "whichever of the items or clusters are taken"
        same = f"the {what} is the same {same}"
        text = f"{same}: the interval says only how far items of a kind that these data lack could move it"
        return bound, (*left, Note(constant, text))

    def _some_resamples_vary(self, target: Target, method: str) -> bool:
        """Return whether an interval is of resamples of which only those at the ends differ."""
        if method not in OF_RESAMPLES:
            return False
        return not rounding.is_nothing(self.distribution(target)[0].sd, self._size(target))

    def _size(self, target: Target) -> float:
        """Return the size of the scores, or where these are means of the numbers they are made of."""
        size = self.scale(target)
        for system in target.systems:
            plain = self.group.contributions(target.metric, system)
            if plain is not None and plain.moments is not None:
                size = max(size, plain.moments.size)
        return size

    def situation(self, target: Target, *, jackknife: bool = True) -> Situation:
        """Return what the choice of an interval depends on.

        `jackknife` says whether to make the jackknife, for the number of effective units, where it is not
        cheap (ranks, callables).
        """
        group, (m, a, b) = self.group, (target.metric, target.a, target.b)
        plain = group.contributions(m, a, b)
        answers, shown = self.answers(target, plain), group.shown(self.drawing)
        cheap = isinstance(group, SumGroup)
        n_differing = group.n_units if b is None else group.differing((m, a, b))[1]
        if plain is None and answers is not None and b is not None:
            n_differing = int(answers.counts @ np.abs(answers.values))
        return Situation(
            proportion=answers is not None,
            difference=b is not None,
            n_differing=n_differing,
            n_effective=self.effective_of(target, plain) if jackknife or cheap else None,
            n_units=group.n_units,
            mean=cheap and isinstance(group.metrics[m], MeanMetric),
            plain_mean=plain is not None and plain.single_items,
            formula=group.has_formula,
            stratified=plain is not None and plain.bounds.size > 2,
            drawn=not self.by_units,
            clustered=group.clustered,
            few_clusters=group.few_units,
            blocks=group.in_blocks,
            crossed=group.crossed,
            robust=group.has_robust_error,
            ranks=isinstance(group, WeightGroup) and group.has_derivatives,
            correlation=group.metrics[m].correlation,
            in_batches=group.in_batches,
            steps=b is not None and jackknife and group.moves_in_steps(m, a, b),
            shown_by_formula=shown.by_formula,
            shown_by_resamples=shown.by_resamples,
        )

    def joint(self, metric: int, pairs: IntArray, order: Sequence[int]) -> Joint:
        """Return how the differences of pairs of systems, shape (m, 2), vary together.

        `order` holds all systems in an order that does not depend on how they were given. The influence of
        each unit tells it, or, where no formula does, the resamples.
        """
        spread = self.group.spread(metric)
        if spread is None and not self.group.crossed:
            drawn = self.replicates[:, metric, :]
            drawn = drawn[np.isfinite(drawn).all(axis=1)]
            spread = Spread.from_resamples(drawn, self.group.n_units) if len(drawn) > 1 else None
        place = np.argsort(order)
        a, b = place[pairs.T]
        return Joint.of(None if spread is None else spread.ordered(order), a, b, self.drawing.seed)

    def simultaneous(
        self, target: Target, method: str, level: float, family_method: str, at: float
    ) -> tuple[Interval | None, Interval | None, tuple[Note, ...]]:
        """Return the interval of a target as one of a family, and by itself, with what must be known.

        By itself it is by `method` at `level`; as one of the family by `family_method` at the level
        `at`, made longer where it does not contain the other.
        """
        single, notes = self.interval(target, method, level)
        wide, more = self.interval(target, family_method, at)
        notes = tuple(dict.fromkeys((*notes, *more)))
        if single is None or wide is None:
            return None, single, notes
        low, high = min(single.low, wide.low), max(single.high, wide.high)
        return Interval(low, high, level, "max-t", single.exact and wide.exact), single, notes

    def p_value(self, target: Target, method: str) -> float:
        """Return one minus the level at which the interval of a target by a method ends at 0.

        1 if the interval contains 0 at every level, and not less than what the resamples can tell.
        """
        side = np.sign(self.estimate(target))
        usual, _ = self.interval(target, method, USUAL)
        if side == 0.0 or usual is None:
            return 1.0

        if usual.method == "abc":
            known = interval_methods.abc_p_value(self, target, float(side), intervals.LEAST_P)
            if known is not None:
                return known
        fewest = min(1.0, 2.0 / (self.drawing.n_resamples + 1))

        def clearance(level: float) -> float:
            # As it is made: at a low level the interval of a score that moves in steps has no length.
            told = 1.0 - level >= _ABOUT * fewest  # by resamples
            if usual.method == "unseen":
                interval = interval_methods.unseen(self, target, level)
            else:
                interval = interval_methods.without_fallback(self, target, method, level)
            if interval is None and told:
                interval, _ = interval_methods.interval(self, target, method, level)
            if interval is None or not (interval.exact or told):
                return -1.0
            end = interval.low if side > 0.0 else -interval.high
            return -1.0 if math.isnan(end) else end

        return intervals.p_value(clearance, intervals.LEAST_P if usual.exact else fewest)
