"""The best of many systems: by how much its score is better than it deserves, as it was chosen for it.

Who is first among many is so by luck too: its score, on the items it was chosen by, is better than what other
items would give. Here the items are split at random, the best system is chosen by two thirds of them, and
scored on the third that had no say in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core.typing import Array, FloatArray, IntArray
from bestby.boards.content import Best
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.engine.base import Group, Influences
from bestby.engine.ranked import WeightGroup
from bestby.metrics.base import BaseMetric
from bestby.resampling import streams

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


PARTS = 3
"""Parts of the items, each of which scores the system that the others chose.

With more parts the system is chosen more as by all items, but the smaller part tells less of its score. The
page "Calibration" has the bias with two, three and ten.
"""

FEWEST = 2 * PARTS
"""Units below which nothing is said."""

MOST_SPLITS, FEWEST_SPLITS = 1000, 60

_AT_ONCE = 1 << 24


@dataclass(frozen=True, slots=True)
class Optimism:
    """By how much the score of the best of several systems is better than its true score, on average.

    Parameters
    ----------
    best : int
        The position of the system with the best score.
    corrected : float
        Its score less the optimism, in the direction of the metric.
    optimism : float
        At least 0, on the scale of the metric.
    n_splits : int
        How often the units were split.
    """

    best: int
    corrected: float
    optimism: float
    n_splits: int


def optimism(
    scores: FloatArray,
    influence: FloatArray,
    counts: IntArray | None = None,
    bounds: IntArray | None = None,
    *,
    greater_is_better: bool = True,
    seed: int = 0,
    n_parts: int = PARTS,
    n_splits: int | None = None,
) -> Optimism | None:
    """Return by how much the best of several scores overstates, from random splits of the units.

    In each split the units (items or clusters) are put into three parts, strata evenly. Each part scores the
    system that was best on the other two; several that were equally good there count alike. The mean of these
    scores, over the splits and the parts by their sizes, estimates the true score of a system that is chosen
    by two thirds of the units, without bias. For systems that are alike this is exactly what is sought, for
    others a little less, as fewer units choose a little worse. Scores that are no means are taken as linear
    in the weights of the units.

    Parameters
    ----------
    scores : ndarray, shape (S,)
        Scores of the systems on all units.
    influence : ndarray, shape (C, S)
        What each distinct unit adds to them, to first order: for a mean of n items, the value of the item
        minus the mean, over n. Numbers of single precision are enough.
    counts : ndarray of int, shape (C,), optional
        How many units are of each kind, one by default.
    bounds : ndarray of int, shape (H + 1,), optional
        Where the strata begin; one stratum by default.
    greater_is_better : bool
        Whether the best score is the largest.
    seed : int
        Of the splits.
    n_parts : int
        How many parts a split has.
    n_splits : int, optional
        How often to split; 60 to 1000 times by default, as the data are large or small.

    Returns
    -------
    Optimism or None
        None of a single system, of fewer than six units, or of scores that are not all finite.

    References
    ----------
    .. [1] Stone (1974), Cross-validatory choice and assessment of statistical predictions, J. R. Statist.
       Soc. B 36, 111-147: the choice is assessed by what did not make it.

    Examples
    --------
    >>> right = np.random.default_rng(0).integers(0, 2, (400, 50))  # fifty coins
    >>> found = optimism(right.mean(axis=0), (right - right.mean(axis=0)) / 400)
    >>> print(right.mean(axis=0).max(), round(found.corrected, 3))
    0.5625 0.509
    """
    c = np.ones(len(influence), dtype=np.int64) if counts is None else counts
    edges = np.array([0, c.size]) if bounds is None else bounds
    n = int(c.sum())
    if scores.size < 2 or n < FEWEST or not (np.isfinite(scores).all() and np.isfinite(influence).all()):
        return None
    sign = 1.0 if greater_is_better else -1.0
    best = int(np.argmax(sign * scores))
    largest = max(float(influence.max()), -float(influence.min()))
    if largest == 0.0:
        return Optimism(best, float(scores[best]), 0.0, 0)
    x = (influence * (sign / largest)).astype(np.float32)
    behind = sign * (scores - scores[best]) / largest  # of each system, in the same unit
    width = 4.0 * float(np.finfo(np.float32).eps) * float((c @ np.abs(x)).max())
    if n_splits is None:
        # Numbers that are added up, above which there are fewer splits
        affordable = 6_000_000_000 // (n_parts * x.size + 100 * n)
        n_splits = int(np.clip(affordable, FEWEST_SPLITS, MOST_SPLITS))
    total = 0.0
    for part in _parts(c, edges, n_parts, n_splits, seed):
        sums, sizes = (part @ x).astype(np.float64), part.sum(axis=1, keepdims=True, dtype=np.float64)
        chosen_by = behind - sums * (n / (n - sizes))  # what a part lacks, the others have
        scored_on = behind + sums * (n / sizes)
        first = chosen_by >= chosen_by.max(axis=1, keepdims=True) - width
        total += float(sizes[:, 0] / n @ ((first * scored_on).sum(axis=1) / first.sum(axis=1)))
    gap = largest * max(0.0, -total / n_splits)
    return Optimism(best, float(scores[best] - sign * gap), gap, n_splits)


def _parts(counts: IntArray, bounds: IntArray, n_parts: int, n_splits: int, seed: int) -> Iterator[Array]:
    """Yield how many units of each kind are in each part of some splits, shape (R, C).

    Every part has nearly its share of the units of each stratum.
    """
    starts = np.concatenate([[0], np.cumsum(counts)])
    n, edges, starts = int(starts[-1]), starts[bounds], starts[:-1]
    stratum = np.repeat(np.arange(edges.size - 1.0), np.diff(edges))
    in_turn = (np.arange(n) % n_parts).astype(np.int8)
    generator = streams.block_generator(seed, "splits", 0)
    at_once = max(1, _AT_ONCE // (n_parts * counts.size))
    for first in range(0, n_splits, at_once):
        size = min(at_once, n_splits - first)
        parts = np.empty((size, n_parts, counts.size), dtype=np.float32)
        for split in parts:
            part_of = generator.permutation(n_parts).astype(np.int8)[in_turn]
            if edges.size == 2:
                generator.shuffle(part_of)
            else:
                part_of[np.argsort(stratum + generator.random(n))] = part_of.copy()
            for number in range(n_parts):
                mine = part_of == number
                split[number] = mine if n == counts.size else np.add.reduceat(mine, starts, dtype=np.float32)
        yield parts.reshape(-1, counts.size)
