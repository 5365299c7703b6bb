"""The best system of a table: what its score would be without the luck of having been chosen among many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestby.boards.content import Best
from bestby.boards.winner import optimism
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.engine.base import Group, Influences
from bestby.engine.ranked import WeightGroup
from bestby.metrics.base import BaseMetric

_SEED = 0


def best_of(evaluation: Evaluation, metric: BaseMetric, candidates: Sequence[str]) -> Best | None:
    """Return the score of the best system, the first of the candidates, and what is left of it without luck.

    The candidates are the systems that could be first: those that are established to be worse than another
    one have next to no chance to be chosen by other items. None where nothing can be said: of one candidate
    alone, whom no luck made the best, or of very few items or clusters.
    """
    if len(candidates) < 2:
        return None
    among = evaluation.with_systems(list(candidates))
    (group,) = prepare.groups(among, [metric], consumer="the best of many")
    units, scores = _influences(group), group.scores
    greater = metric.greater_is_better
    found = optimism(
        scores,
        units.values,
        units.counts,
        units.bounds,
        greater_is_better=greater,
        seed=_SEED,
    )
    if found is None:
        return None
    score = float(scores[0])
    corrected = score - found.optimism if greater else score + found.optimism
    method = f"{found.n_splits} random splits: two thirds choose the best system, one third scores it"
    return Best(candidates[0], score, corrected, found.optimism, method)


def _influences(group: Group) -> Influences:
    """Return what each unit adds to the scores: by derivatives, or from the scores without each unit."""
    known = group.influences
    if known is not None:
        return known
    if isinstance(group, WeightGroup) and group.has_derivatives:
        found = [group.sample(system).influences for system in range(group.n_systems)]
        parts = [part for part in found if part is not None]
        values, bounds = np.column_stack([part.values for part in parts]), parts[0].bounds
        counts = np.ones(len(values), dtype=np.int64)
    else:
        left_out = group.jackknife()
        counts, bounds = left_out.counts, left_out.bounds
        n = int(counts.sum())
        values = (group.scores - left_out.scores) * ((n - 1) / n)
    return Influences(values, np.ones(len(values)), counts, bounds)
