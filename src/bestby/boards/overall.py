"""The systems of a phase over all tasks: mean differences, rank sets, in how many tasks an effect holds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from bestby._core import rounding
from bestby._core.typing import FloatArray, IntArray
from bestby.boards.content import Gap, Overall, OverallStanding, Table
from bestby.comparisons import family
from bestby.comparisons.best import FEWEST_SYSTEMS
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.inference import multiplicity
from bestby.inference.best import SetOfBest, by_t, standing
from bestby.inference.multiplicity import Joint, Spread
from bestby.metrics.base import BaseMetric
from bestby.metrics.suitability import chosen_metrics, notes_of_parts
from bestby.report.comparison import Comparison, better_by_test
from bestby.report.pairs import position_among_all
from bestby.results.values import Interval

METHOD = "max-t"
_N_RESAMPLES = 2000
_SEED = 0


@dataclass(frozen=True, eq=False)
class Means:
    """The mean scores of systems over the tasks, shape (S,), and how they vary together."""

    names: tuple[str, ...]
    scores: FloatArray
    spread: Spread


def overall(
    phase: str,
    first: Mapping[str, Table],
    evaluations: Mapping[str, Evaluation],
    directions: Mapping[str, bool | None],
    baseline: str | None,
    level: float,
) -> Overall | None:
    """Return the table over several tasks from the first table and the evaluation of each.

    None with a single task, without two systems that have predictions for all tasks, and where the first
    metrics do not point in one direction. Items vary within these very tasks, and the tasks are taken as they
    are; the items of different tasks are independent.
    """
    every = {row.system for table in first.values() for row in table.standings}
    shared = [
        {row.system for row in table.standings} - evaluations[task].missing.keys()
        for task, table in first.items()
    ]
    common = set.intersection(*shared) if shared else set()
    greater = {table.metric.greater_is_better for table in first.values()}
    if len(first) < 2 or len(common) < 2 or len(greater) > 1:
        return None
    names = tuple(sorted(common))
    read = {
        task: chosen_metrics(table.metric.name, evaluations[task].with_systems(names), directions[task])
        for task, table in first.items()
    }
    means = means_over(names, list(read.values()))
    higher = greater.pop()
    pairs = MeanDifferences.of(means, level)
    order = family.ranked(means.scores, names, higher)
    low, high, _ = family.standings_of(pairs.better(order, higher), lettered=False)
    found = best_of(means, level, greater_is_better=higher) if len(names) >= FEWEST_SYSTEMS else None
    best = names[order[0]]
    base = baseline if baseline in names else None
    holds = {name: _tasks(name, best, first, level) for name in names if name != best}
    standings = tuple(
        OverallStanding(
            system=names[s],
            mean=float(means.scores[s]),
            rank_low=int(low[place]),
            rank_high=int(high[place]),
            to_best=None if names[s] == best else pairs.gap(s, order[0], higher),
            to_baseline=None if base in (None, names[s]) else pairs.gap(s, names.index(str(base)), higher),
            n_better=holds.get(names[s], (0, 0))[0],
            n_worse=holds.get(names[s], (0, 0))[1],
            **standing(found, s),
        )
        for place, s in enumerate(order)
    )
    return Overall(
        phase,
        tuple(first),
        standings,
        tuple(sorted(every - common)),
        (
            *_notes(first, pairs, baseline),
            *(note.message for note in notes_of_parts({task: part for task, (_, part) in read.items()})),
        ),
        level,
    )


def means_over(names: tuple[str, ...], tasks: Sequence[tuple[Sequence[BaseMetric], Evaluation]]) -> Means:
    """Return the mean scores over the tasks and their covariance, which is the sum of those of the tasks."""
    n = len(tasks)
    scores, parts = np.zeros(len(names)), []
    for metrics, evaluation in tasks:
        task_scores, spread = _scores_and_spread(evaluation, metrics)
        scores += task_scores / n
        parts.append(spread)
    traces, units = [float(np.trace(part.covariance)) for part in parts], [part.n_units for part in parts]
    # Satterthwaite: a task whose few items carry most of the variance says how well it is known.
    total = sum(traces)
    n_units = (
        total**2 / sum(t**2 / u for t, u in zip(traces, units, strict=True)) if total > 0.0 else min(units)
    )
    return Means(names, scores, Spread.of_sum(parts, n_units, n))


def best_of(means: Means, level: float, *, greater_is_better: bool) -> SetOfBest:
    """Return which systems may be the best over the tasks, by t over the units that carry the variance."""
    sign, df = 1.0 if greater_is_better else -1.0, max(1.0, means.spread.n_units - 1.0)
    return by_t(sign * means.scores, means.spread, df, multiplicity.alpha_at(level), _SEED)


def _scores_and_spread(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> tuple[FloatArray, Spread]:
    """Return the scores of the systems of a task, and how they vary: by formula, else by resampling."""
    (group,) = prepare.groups(evaluation, metrics, supports=prepare.ALL_GROUPINGS, consumer="a board")
    spread = group.spread
    estimates = Estimates(group, Drawing(_N_RESAMPLES, _SEED))
    if spread is None:
        drawn = estimates.replicates
        spread = Spread.from_resamples(drawn[np.isfinite(drawn).all(axis=1)], group.n_units)
    return estimates.scores, spread


@dataclass(frozen=True, eq=False)
class MeanDifferences:
    """All pairs of systems: estimates, intervals that hold at once, and p-values read from these."""

    means: Means
    a: IntArray
    b: IntArray
    estimate: FloatArray
    error: FloatArray
    half: FloatArray
    p_adjusted: FloatArray
    level: float
    bonferroni: bool

    @classmethod
    def of(cls, means: Means, level: float) -> MeanDifferences:
        """Return the differences of the means, as t over the units that carry the variance."""
        a, b = np.triu_indices(len(means.names), 1)
        c = means.spread.covariance
        error = np.sqrt(np.maximum(c.diagonal()[a] + c.diagonal()[b] - 2.0 * c[a, b], 0.0))
        estimate = rounding.difference(means.scores[a], means.scores[b])
        scale = np.maximum(np.abs(means.scores[a]), np.abs(means.scores[b]))
        error[rounding.is_nothing(error, scale, rounding.ERROR)] = 0.0
        df = max(1.0, means.spread.n_units - 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(error > 0.0, np.abs(estimate) / error, 0.0)
        p = 2.0 * stdtr(df, -t)
        joint = Joint.of(means.spread, a, b, _SEED)
        at = joint.single_level(multiplicity.alpha_at(level))
        half = float(-stdtrit(df, 0.5 * at)) * error
        half[error == 0.0] = math.nan
        adjusted = np.where(error > 0.0, joint.adjusted(p), 1.0)
        return cls(means, a, b, estimate, error, half, adjusted, level, joint.bonferroni)

    def better(self, order: Sequence[int], greater: bool) -> np.ndarray:
        """Return which system wins significantly against which, shape (S, S), in the order given."""
        shown = np.abs(self.estimate) > self.half  # NaN is not shown
        ahead = (self.estimate > 0.0) == greater
        place = np.argsort(np.array(order))
        beaten = np.zeros((len(order), len(order)), dtype=np.bool_)
        winner, loser = np.where(ahead, self.a, self.b)[shown], np.where(ahead, self.b, self.a)[shown]
        beaten[place[winner], place[loser]] = True
        return beaten

    def gap(self, s: int, other: int, greater: bool) -> Gap:
        """Return the difference of a system minus another one."""
        position = position_among_all(min(s, other), max(s, other), len(self.means.names))
        sign = 1.0 if s < other else -1.0
        estimate, half = sign * float(self.estimate[position]) + 0.0, float(self.half[position])
        interval = None
        if not math.isnan(half):
            interval = Interval(estimate - half, estimate + half, self.level, METHOD, True)
        significant = abs(estimate) > half  # not where it is NaN
        winner = self.means.names[s if (estimate > 0.0) == greater else other] if significant else None
        p, name = float(self.p_adjusted[position]), self.means.names[other]
        return Gap(name, estimate, interval, p, None, significant, winner)


def _tasks(name: str, best: str, first: Mapping[str, Table], level: float) -> tuple[int, int]:
    """Return in how many tasks a system wins and loses against the best one significantly, by Holm."""
    against_best = []
    for table in first.values():
        assert isinstance(table.comparison, Comparison)
        against_best.append(table.comparison[name, best])
    p = multiplicity.adjust([1.0 if d.p_value is None else d.p_value for d in against_best], "holm")
    alpha = multiplicity.alpha_at(level)
    winners = [
        better_by_test(d)
        for d, one in zip(against_best, p.tolist(), strict=True)
        if multiplicity.rejects(one, alpha)
    ]
    return winners.count(name), winners.count(best)


def _notes(first: Mapping[str, Table], pairs: MeanDifferences, baseline: str | None) -> tuple[str, ...]:
    size = pairs.a.size
    how = "the largest of all of them in draws of how they vary together"
    if pairs.bonferroni:
        how = "Bonferroni's bound"
    taken = (
        f"mean of {len(first)} tasks, each counted once; the intervals let the items vary and take the tasks"
    )
    at_once = f"the {size} intervals of differences hold at once with {100.0 * pairs.level:.4g} % ({how})"
    notes = [
        f"{taken} as they are, so they say nothing of other tasks",
        f"{at_once}; ranks are read from them. They take the mean difference as normal",
    ]
    metrics = {table.metric.name for table in first.values()}
    if len(metrics) > 1:
        notes.append(f"the mean is of different metrics as they are: {', '.join(sorted(metrics))}")
    if baseline is not None and baseline not in pairs.means.names:
        notes.append(f"the baseline {baseline} has not been submitted for every task")
    return tuple(notes)
