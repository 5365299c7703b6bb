"""Confidence intervals of scores and differences of one group of metrics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.errors import DesignError
from bestby.engine import interval_methods
from bestby.engine.ranked import WeightGroup
from bestby.engine.resampled import Resampled
from bestby.engine.sums import SumGroup
from bestby.engine.targets import Situation, Target, undefined_note, value_of
from bestby.inference import intervals
from bestby.results.base import Note
from bestby.results.values import Interval, defined, without_interval


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
        bound = interval_methods.unseen(self, target, interval.level) if told[0].code == constant else None
        if bound is None:
            return None, (*left, *told)
        text = (
            f"the {'score' if target.b is None else 'difference'} is the same whichever of the items or"
            " clusters are taken: the interval says only how far items of a kind that these data lack could"
            " move it"
        )
        return bound, (*left, Note(constant, text))

    def _size(self, target: Target) -> float:
        """Return the size of the scores, or where these are means of the numbers they are made of."""
        size = self.scale(target)
        for system in (target.a, target.a if target.b is None else target.b):
            plain = self.group.contributions(target.metric, system)
            if plain is not None:
                size = max(size, float(np.abs(plain.values).max(initial=0.0)))
        return size

    def situation(self, target: Target, *, jackknife: bool = True) -> Situation:
        """Return what the choice of an interval depends on.

        `jackknife` says whether to make the jackknife, for the number of effective units, where it is not
        cheap (ranks, callables).
        """
        group, (m, a, b) = self.group, (target.metric, target.a, target.b)
        plain = group.contributions(m, a, b)
        answers = self.answers(target, plain)
        cheap = isinstance(group, SumGroup)
        n_differing = group.n_units if b is None else group.differing((m, a, b))[1]
        if plain is None and answers is not None and b is not None:
            n_differing = int(answers.counts @ np.abs(answers.values))
        return Situation(
            proportion=answers is not None,
            difference=b is not None,
            n_differing=n_differing,
            n_effective=self.effective_of(target, plain) if jackknife or cheap else None,
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
            interval_methods.clipped(
                self.group, target, float(estimate - half), float(estimate + half), level, "max-t", False
            )
            for target, estimate, half in zip(targets, estimates, reach, strict=True)
        ]
        checked = [self._checked(target, made) for target, made in zip(targets, family, strict=True)]
        lacking = dict.fromkeys(note for _, more in checked for note in more)
        return [interval for interval, _ in checked], (*notes, *lacking)
