"""The best of many systems: by how much its score is better than it deserves, as it was chosen for it.

Who is first among many is so by luck too: its score, on the items it was chosen by, is better than what other
items would give. Here the items are split at random, the best system is chosen by two thirds of them, and
scored on the third that had no say in it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestby.boards.content import Best
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.engine.base import Group, Influences
from bestby.engine.ranked import WeightGroup
from bestby.inference.best import optimism
from bestby.metrics.base import BaseMetric

_SPLIT_SEED = 0


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
    chance = optimism(
        scores,
        units.values,
        units.counts,
        units.bounds,
        greater_is_better=greater,
        seed=_SPLIT_SEED,
    )
    if chance is None:
        return None
    score = float(scores[0])
    corrected = score - chance.optimism if greater else score + chance.optimism
    method = f"{chance.n_splits} random splits: two thirds choose the best system, one third scores it"
    return Best(candidates[0], score, corrected, chance.optimism, method)


def _influences(group: Group) -> Influences:
    """Return what each unit adds to the scores: by derivatives, or from the scores without each unit."""
    influences = group.influences
    if influences is not None:
        return influences
    if isinstance(group, WeightGroup) and group.has_derivatives:
        by_system = [group.sample(system).influences for system in range(group.n_systems)]
        parts = [part for part in by_system if part is not None]
        values, bounds = np.column_stack([part.values for part in parts]), parts[0].bounds
        counts = np.ones(len(values), dtype=np.int64)
    else:
        left_out = group.jackknife()
        counts, bounds = left_out.counts, left_out.bounds
        n = int(counts.sum())
        values = (group.scores - left_out.scores) * ((n - 1) / n)
    return Influences(values, np.ones(len(values)), counts, bounds)
