"""The best of several systems: which may be it, how far each may be behind it, and its score without luck.

A multiple comparison with the best keeps every system that no other one is significantly better than. For
each candidate that is a family of its own: the differences of all others minus it, one-sided, whose largest
is compared with the point that it passes with the probability alpha if none of them is better. A system that
is the best is so kept with the probability 1 - alpha, whichever it is. The same event bounds by how much each
other system is behind it, so that all these bounds hold at once with it (Hsu 1984, Ann. Statist. 12,
1136-1144; Hsu 1996, Multiple Comparisons, chapters 4 and 5).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core import rounding, special
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.inference import multiplicity
from bestby.inference.multiplicity import DRAWS, FEW_UNITS, Joint, Spread
from bestby.resampling import streams


@dataclass(frozen=True, eq=False)
class SetOfBest:
    """The systems that may be the best, and how far each system is behind the best one at most.

    Parameters
    ----------
    kept : ndarray of bool, shape (S,)
        Which systems may be the best.
    behind : ndarray, shape (S,)
        What the true score of the best system exceeds that of each by at most, on the scale of the metric;
        NaN where it is not known.
    """

    kept: BoolArray
    behind: FloatArray


def standing(found: SetOfBest | None, system: int) -> dict[str, Any]:
    """Return how the system at a position stands to the best, as its score holds it."""
    if found is None:
        return {"may_be_best": None, "behind": None}
    behind = float(found.behind[system])
    return {"may_be_best": bool(found.kept[system]), "behind": None if math.isnan(behind) else behind}


def set_of_best(kept: BoolArray, upper: Callable[[int], FloatArray]) -> SetOfBest:
    """Return the systems that are kept with how far each system is behind the best.

    `upper(l)`, shape (S,), has the upper ends of the differences of a system minus each one, in the direction
    of the better score, at the level of its `points`: they hold at once if it is the best. NaN where there is
    none; the end of a system minus itself is not read. Asked for of those kept alone.
    """
    behind = np.zeros(kept.size)
    for candidate in np.flatnonzero(kept).tolist():
        ends = upper(candidate).copy()
        ends[candidate] = 0.0
        np.maximum(behind, ends, out=behind)
    return SetOfBest(kept, behind)


def kept(evidence: FloatArray, points: FloatArray) -> BoolArray:
    """Return which systems may be the best: those than which no other one is significantly better.

    `evidence[j, i]`, shape (S, S), says how far j is shown to be better than i: the point that a normal
    variable passes with the one-sided p-value. It is NaN where two are not compared. `points`, shape (S,), is
    what the evidence against each system must pass.
    """
    against = np.where(np.isnan(evidence), -np.inf, evidence)
    np.fill_diagonal(against, -np.inf)
    remain: BoolArray = against.max(axis=0) <= points
    return remain


def points(
    spread: Spread | None, size: int, alpha: float, seed: int, needed: BoolArray | None = None
) -> FloatArray:
    """Return what the evidence against each of `size` systems must pass to exclude it, shape (S,).

    It is the 1 - alpha quantile of the largest of all other systems' differences to it, in standard errors,
    and never above Bonferroni's bound, which is all there is if the spread is not known or comes from fewer
    than 15 units. `needed` says of which systems it is asked for; the others have the bound.
    """
    every = np.arange(size)
    a, b = np.repeat(every, size), np.tile(every, size)
    variances = np.ones((size, size)) if spread is None else spread.variances(a, b).reshape(size, size)
    np.fill_diagonal(variances, 0.0)
    others = np.maximum(1, (variances > 0.0).sum(axis=0))
    found: FloatArray = -special.ndtri(alpha / others)
    asked = np.flatnonzero(others > 1 if needed is None else needed & (others > 1))
    if spread is None or spread.n_units < FEW_UNITS or not asked.size:
        return found
    shrunk = spread.shrunk()
    shrunk /= float(shrunk.diagonal().mean())
    variances_drawn = np.add.outer(shrunk.diagonal(), shrunk.diagonal()) - 2.0 * shrunk
    scale = np.where(variances > 0.0, 1.0 / np.sqrt(np.where(variances > 0.0, variances_drawn, 1.0)), 0.0)
    largest = np.empty((asked.size, _n_draws(size)), dtype=np.float32)
    start = 0
    for drawn in multiplicity.draws(shrunk, largest.shape[1], size, seed):
        by_system = np.ascontiguousarray(drawn.T, dtype=np.float32)
        for row, candidate in zip(largest, asked.tolist(), strict=True):
            z = by_system - by_system[candidate]
            z *= scale[:, candidate, None].astype(np.float32)
            # A copy is never ahead, and neither is the system itself
            z.max(axis=0, out=row[start : start + len(drawn)])
        start += len(drawn)
    found[asked] = np.minimum(found[asked], _passed_by(largest, alpha))
    return found


def point_of_one(correlations: FloatArray | None, size: int, alpha: float, seed: int) -> float:
    """Return what the evidence against one system must pass, from how its differences vary together.

    `correlations`, shape (size, size), are those of the other systems minus it; None for Bonferroni's bound.
    """
    bound = -float(special.ndtri(alpha / max(1, size)))
    if correlations is None or size < 2:
        return bound
    drawn = multiplicity.draws(correlations, _n_draws(size), size, seed)
    largest = np.concatenate([part.max(axis=1) for part in drawn])
    return min(bound, float(_passed_by(largest, alpha)))


def _n_draws(size: int) -> int:
    """Return how often the scores of so many systems are drawn."""
    # As often as families, but 2^27 differences at most; the share of 5 % of 2,000 has an error of 0.5 %
    return max(2_000, min(DRAWS, (1 << 27) // size**2))


def evidence_by_t(differences: FloatArray, errors: FloatArray, df: FloatArray | float) -> FloatArray:
    """Return how far each system is shown to be better than each other one, as `kept` reads it.

    `differences[j, i]` is by how much j is better than i, `errors` has the standard errors, both of shape
    (S, S), and `df` the degrees of freedom of these. A difference without an error is shown or is none.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(differences == 0.0, 0.0, differences / errors)
    z: FloatArray = -np.sign(t) * special.ndtri(special.stdtr(df, -np.abs(t)))
    return z


def upper_by_t(
    differences: FloatArray, errors: FloatArray, df: FloatArray | float, points: FloatArray
) -> Callable[[int], FloatArray]:
    """Return what gives the upper ends for `set_of_best`, from differences as for `evidence_by_t`."""
    all_df = np.broadcast_to(df, differences.shape)

    def upper(candidate: int) -> FloatArray:
        t = -special.stdtrit(all_df[candidate], special.ndtr(-points[candidate]))
        ends: FloatArray = differences[candidate] + t * errors[candidate]
        return ends

    return upper


def by_t(scores: FloatArray, spread: Spread, df: float, alpha: float, seed: int) -> SetOfBest:
    """Return the set of the best of scores that vary as the spread says; larger scores are better."""
    size = scores.size
    every = np.arange(size)
    a, b = np.repeat(every, size), np.tile(every, size)
    differences = rounding.difference(scores[a], scores[b]).reshape(size, size)
    errors = np.sqrt(spread.variances(a, b)).reshape(size, size)
    evidence = evidence_by_t(differences, errors, df)
    bound = points(None, size, alpha, seed)
    at = points(spread, size, alpha, seed, needed=kept(evidence, bound))
    return set_of_best(kept(evidence, at), upper_by_t(differences, errors, df, at))


def rank_of_one(joint: Joint, better_by: FloatArray, p_values: FloatArray, alpha: float) -> tuple[int, int]:
    """Return the ranks of one system, named in advance, that its differences to the others leave open.

    `joint`, `better_by` and the two-sided `p_values`, shape (S - 1,), are of these differences alone, so that
    the ranks are narrower than those that hold for all systems at once (Mogstad, Romano, Shaikh & Wilhelm
    2024, Rev. Econ. Stud. 91, 476-518, whose marginal confidence sets these are).
    """
    shown = multiplicity.rejects(joint.stepped_down(p_values), alpha)
    ahead = int((shown & (better_by < 0.0)).sum())
    return 1 + ahead, 1 + better_by.size - int((shown & (better_by > 0.0)).sum())


def _passed_by(drawn: Array, alpha: float) -> Array:
    """Return the number that a share alpha of draws, along the last axis, lies above.

    >>> _passed_by(np.arange(100.0), 0.05)
    array(94.)
    """
    place = drawn.shape[-1] - 1 - rounding.round_down(alpha * drawn.shape[-1])
    return np.asarray(np.partition(drawn, place, axis=-1)[..., place])


def leader_point(spread: Spread | None, size: int, alpha: float, seed: int) -> float:
    """Return the point that the largest error of the scores of `size` systems passes with probability alpha.

    It is in standard errors of each score. The lower end of the score of a leader, taken there, allows for
    its having been chosen as the first of all. Correlations are drawn towards none, the worst case (Slepian
    1962, Bell System Tech. J. 41, 463-501).
    """
    bound = -float(special.ndtri(alpha / size))
    if spread is None or spread.of_scores is None or spread.n_units < FEW_UNITS:
        return bound
    sd = np.sqrt(np.maximum(spread.of_scores.diagonal(), 0.0))
    of_sd = np.multiply.outer(sd, sd)
    r = np.divide(spread.of_scores, of_sd, out=np.zeros((size, size)), where=of_sd > 0.0)
    r = multiplicity.drawn_towards(r, 0.0, spread.n_units)
    every = multiplicity.draws(r, _n_draws(size), size, seed)
    largest = np.concatenate([drawn.max(axis=1) for drawn in every])
    return min(bound, float(_passed_by(largest, alpha)))


# -- the score of the best without the luck by which it was chosen -----------------------------------
# The units are split at random, the best system is chosen by two thirds of them, and scored on the third that
# had no say in it.


PARTS = 3
"""Parts of the items, each of which scores the system that the others chose.

With more parts the system is chosen more as by all items, but the smaller part tells less of its score. The
page "Calibration" has the bias with two, three and ten.
"""

FEWEST = 2 * PARTS
"""Units below which nothing is said."""

MOST_SPLITS, FEWEST_SPLITS = 1000, 60

_AT_ONCE = 1 << 23


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
        minus the mean, over n.
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
    0.5625 0.511
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
    x = influence * (sign / largest)
    stratum = np.repeat(np.arange(edges.size - 1), np.diff(edges))
    # Losses are split as what they are the mirror image of; rounding must not put equal units in an order.
    rows = np.lexsort((*np.round(x, 5).T, stratum))
    x, c = x[rows], c[rows]
    behind = sign * (scores - scores[best]) / largest  # of each system, in the same unit
    width = 4.0 * float(np.finfo(np.float64).eps) * float((c @ np.abs(x)).max())
    if n_splits is None:
        # Numbers that are added up, above which there are fewer splits
        affordable = 6_000_000_000 // (n_parts * x.size + 100 * n)
        n_splits = int(np.clip(affordable, FEWEST_SPLITS, MOST_SPLITS))
    total = 0.0
    for part in _parts(c, edges, n_parts, n_splits, seed):
        sums, sizes = part @ x, part.sum(axis=1, keepdims=True)
        chosen_by = behind - sums * (n / (n - sizes))  # what a part lacks, the others have
        scored_on = behind + sums * (n / sizes)
        first = chosen_by >= chosen_by.max(axis=1, keepdims=True) - width
        total += float(sizes[:, 0] / n @ ((first * scored_on).sum(axis=1) / first.sum(axis=1)))
    gap = largest * max(0.0, -total / n_splits)
    return Optimism(best, float(scores[best] - sign * gap), gap, n_splits)


def normal_optimism(scores: FloatArray, covariance: FloatArray, seed: int) -> float:
    """Return the optimism of many units, whose sums are normal, from how the scores vary, shape (S, S).

    A third of the units has the scores + sqrt(2) Z, and the other two thirds the scores - Z / sqrt(2), where
    Z has the covariance of the scores: what one part has too much the others lack. Larger scores are better.
    """
    unit = float(covariance.diagonal().mean())
    if unit == 0.0:
        return 0.0
    total = n = 0.0
    for drawn in multiplicity.draws(covariance / unit, DRAWS, scores.size, seed):
        # Z and -Z both: what is linear in them then takes no part in chance
        z = np.sqrt(unit) * np.concatenate([drawn, -drawn])
        chosen = (scores - z / np.sqrt(2.0)).argmax(axis=1)
        total += float((scores[chosen] + np.sqrt(2.0) * z[np.arange(len(z)), chosen]).sum())
        n += len(z)
    return max(0.0, float(scores.max()) - total / n)


def _parts(counts: IntArray, bounds: IntArray, n_parts: int, n_splits: int, seed: int) -> Iterator[Array]:
    """Yield how many units of each kind are in each part of some splits, shape (R, C).

    Every part has nearly its share of the units of each stratum.
    """
    kinds = np.repeat(np.arange(counts.size), counts)
    stratum = np.repeat(np.arange(bounds.size - 1.0), np.diff(bounds))[kinds]
    first_cells = np.arange(n_parts) * counts.size
    in_turn = np.arange(kinds.size) % n_parts
    generator = streams.block_generator(seed, "splits", 0)
    at_once = max(1, _AT_ONCE // (n_parts * counts.size))
    for first in range(0, n_splits, at_once):
        parts = np.empty((min(at_once, n_splits - first), n_parts * counts.size))
        for split in parts:
            cells = first_cells[generator.permutation(n_parts)][in_turn]
            if bounds.size == 2:
                generator.shuffle(cells)
            else:
                cells[np.argsort(stratum + generator.random(kinds.size))] = cells.copy()
            split[:] = np.bincount(cells + kinds, minlength=split.size)
        yield parts.reshape(-1, counts.size)
