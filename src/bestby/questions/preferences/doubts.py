"""What speaks against the model: pairs that strengths do not describe, cycles, and voters who decide."""

from __future__ import annotations

import math
from itertools import chain
from typing import NamedTuple

import numpy as np

from bestby._core import special
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.questions.preferences.model import Fit
from bestby.questions.preferences.precision import precision_of, scores, variance_between, without
from bestby.questions.preferences.result import Cycle, FitTest, Influence
from bestby.questions.preferences.strengths import Strengths

MOVED = 0.7
"""Standard errors by which a voter must move a difference to be named: calm voters of 29 % move less."""

MOST_VOTERS = 100
"""Voters left out, those of most leverage."""


class PairSums(NamedTuple):
    """The pairs of systems that met, i < j, (p,): residuals and variances of y summed, over both orders.

    `border` are the sums of the variances with each other column of the design, (p, k), and `number`, (S, S),
    are the places of the pairs. Residuals and borders of the other order are subtracted.
    """

    i: IntArray
    j: IntArray
    residual: FloatArray
    weight: FloatArray
    border: FloatArray
    number: Array


def _pairs(found: Fit) -> PairSums:
    """Return the sums of scores and information by pair of systems."""
    trials, w = found.trials, found.trials.count * found.moments.variance
    met = trials.table(trials.count)
    i, j = np.nonzero(np.triu(met + met.T))
    number = np.zeros(met.shape, dtype=np.int32)
    number[i, j] = number[j, i] = np.arange(i.size)

    def over_orders(values: FloatArray, sign: float) -> FloatArray:
        table = trials.table(values)
        return np.asarray((table + sign * table.T)[i, j])

    more = (trials.count * found.moments.both,) if found.davidson else ()
    columns = chain((x * w for x in trials.columns.T), more)
    border = np.column_stack([np.empty((i.size, 0)), *(over_orders(x, -1.0) for x in columns)])
    residual = over_orders(trials.count * found.residuals[0], -1.0)
    return PairSums(i, j, residual, over_orders(w, 1.0), border, number)


def fit_test(strengths: Strengths) -> FitTest | None:
    """Return the score test of free pairs beside the model, and the largest cycle of three systems.

    With r and w the residuals and variances of pairs, B their sums with the order and covariates and C the
    information of these, X2 = sum r^2 / w + a' (C - B' W^-1 B)^-1 a with a = B' W^-1 r (Rao 1948, Proc. Camb.
    Phil. Soc. 44, 50-57, by inverting in blocks), over its mean design effect (Rao & Scott 1984, Ann.
    Statist. 12, 46-60, first order). None where there is nothing to test.
    """
    found = strengths.fit
    pairs = _pairs(found)
    n_groups = int(found.component.max()) + 1
    over = pairs.border / pairs.weight[:, None]
    corner = found.information[found.trials.size :, found.trials.size :]
    left = corner - pairs.border.T @ over
    # What pairs determine is left out; so is the order where no pair was shown both ways
    scale = np.maximum(np.diag(corner), 1e-300)
    free = np.diag(left) > 1e-9 * scale
    df = pairs.i.size - (found.trials.size - n_groups) - int((~free).sum())
    if df <= 0:
        return None
    inner = np.linalg.inv(left[np.ix_(free, free)])
    a = over[:, free].T @ pairs.residual
    statistic = float((pairs.residual**2 / pairs.weight).sum() + a @ inner @ a)
    effect = _design_effect(strengths, pairs, over[:, free], inner, free, df)
    statistic /= effect
    p_value = float(special.chdtrc(df, statistic))
    return FitTest(statistic, df, p_value, effect, _largest_cycle(strengths, pairs, effect))


def _design_effect(
    strengths: Strengths, pairs: PairSums, over: Array, inner: Array, free: BoolArray, df: int
) -> float:
    """Return by how much more the scores of pairs vary than the model says, on average over the test."""
    found, judged = strengths.fit, strengths.judged
    trials, n = found.trials, float(found.trials.count.sum())
    if not judged.clusters:
        squares = float(trials.count @ found.residuals[0] ** 2)
        # Residuals are short by what was fitted
        return max(squares / float(pairs.weight.sum()) * n / max(n - len(found.parameters), 1.0), 1e-300)
    # Of two groupings the one with fewer clusters
    by_size = zip(judged.clusters.values(), strengths.precision.ways, strict=False)
    clusters, way = min(by_size, key=lambda one: one[0].n)
    trace = 0.0
    for some in clusters.blocks(np.arange(clusters.n)):
        r, *others = scores(found, some.places)
        first, second = judged.first[some.places], judged.second[some.places]
        number, signed = pairs.number[first, second], np.where(first < second, r, -r)
        of_free = zip(np.flatnonzero(free), over.T, strict=True)
        more = some.sums(others[k] - of_k[number] * signed for k, of_k in of_free)
        trace += float(np.einsum("gk,kl,gl->", more, inner, more))
        by_pair = some.sparse_sums((signed,), (number,), pairs.i.size)
        by_pair.sum_duplicates()  # in place
        trace += float((by_pair.data**2 / pairs.weight[by_pair.indices]).sum())
    trace -= float((found.inverse * way.meat).sum())
    return max(trace / df, 1e-300)


def _largest_cycle(strengths: Strengths, pairs: PairSums, effect: float) -> Cycle | None:
    """Return the three systems whose log odds, each by one Newton step, are farthest from adding up.

    Strengths cancel in the sum around three systems; Bonferroni's correction is for all of them.
    """
    trials, S = strengths.fit.trials, strengths.trials.size
    step, variance = np.zeros((S, S)), np.full((S, S), np.inf)
    step[pairs.i, pairs.j] = pairs.residual / pairs.weight
    step = step - step.T
    variance[pairs.i, pairs.j] = variance[pairs.j, pairs.i] = effect / pairs.weight
    best, triple, n_triples = 0.0, None, 0
    for i in range(S - 2):
        rest = slice(i + 1, S)
        around = step[i, rest, None] + step[rest, rest] + step[rest, i][None, :]
        spread = variance[i, rest, None] + variance[rest, rest] + variance[rest, i][None, :]
        upper = np.triu(np.isfinite(spread), 1)
        n_triples += int(upper.sum())
        z = np.where(upper, around / np.sqrt(spread), 0.0)
        place = int(np.abs(z).argmax())
        if abs(z.flat[place]) > abs(best):
            best, (j, k) = float(z.flat[place]), divmod(place, S - i - 1)
            triple = (i, i + 1 + j, i + 1 + k) if best > 0 else (i, i + 1 + k, i + 1 + j)
    if triple is None:
        return None
    p_value = min(1.0, n_triples * float(special.erfc(abs(best) / math.sqrt(2.0))))
    won, met = trials.table(trials.count * (0.5 * trials.outcome)), trials.table(trials.count)
    share = (won + (met - won).T) / np.maximum(met + met.T, 1e-300)
    shares = tuple(float(share[x, y]) for x, y in zip(triple, (*triple[1:], triple[0]), strict=True))
    names = tuple(strengths.judged.systems[s] for s in triple)
    return Cycle(names, shares, abs(best), p_value)


def order_by_pair(found: Fit, effect: float) -> float | None:
    """Return the p-value of an order effect alike in all pairs; None if under two were shown both ways.

    Each pair gives an effect by one step, (R_ij / w_ij + R_ji / w_ji) / 2, and these are compared (Cochran
    1954, Biometrics 10, 101-129).
    """
    trials = found.trials
    w = trials.table(trials.count * found.moments.variance)
    r = trials.table(trials.count * found.residuals[0])
    i, j = np.nonzero(np.triu((w > 0.0) & (w.T > 0.0)))
    if i.size < 2:
        return None
    effects = 0.5 * (r[i, j] / w[i, j] + r[j, i] / w[j, i])
    weight = 4.0 / (1.0 / w[i, j] + 1.0 / w[j, i]) / effect
    q = float(weight @ (effects - weight @ effects / weight.sum()) ** 2)
    return float(special.chdtrc(i.size - 1, q))


def influence(strengths: Strengths, unit: float) -> tuple[Influence, ...]:
    """Return the voters who move a difference of strengths more than voters like the others would.

    Each is left out by a Newton step. Two conditions: a difference moves by .7 of its standard error, which
    is that of clusters of voters, and by more than chance for this voter at Bonferroni's level (Hausman 1978,
    Econometrica 46, 1251-1271, eq. 2.16: the variance of the move is the difference of the two). Either alone
    names honest voters who only vote much, or who are only one of many.
    """
    found, judged, S = strengths.fit, strengths.judged, strengths.trials.size
    if judged.voter is None:
        return ()
    precision, groupings = strengths.precision, [*judged.clusters.values()]
    if judged.voter not in groupings:
        precision, groupings = precision_of(found, [judged.voter]), [judged.voter]
    way = precision.ways[groupings.index(judged.voter)]
    voters, moved = way.heavy[:MOST_VOTERS], way.moved[:MOST_VOTERS]
    if not voters.size:
        return ()
    a, b = np.triu_indices(S, 1)
    same = found.component[a] == found.component[b]
    a, b = a[same], b[same]
    between = variance_between(a, b)
    gaps, errors = found.strengths[a] - found.strengths[b], precision.of(between)[0]
    critical = -float(special.ndtri(0.025 / (voters.size * a.size)))
    shifts = moved[:, a] - moved[:, b]
    far = np.abs(shifts) > MOVED * errors
    moving = np.flatnonzero(far.any(axis=1))
    out = []
    for part, left_out in without(found, judged.voter, voters[moving]):
        for k, inverse in zip(moving[part], np.linalg.inv(left_out), strict=True):
            voter, shift = voters[k], shifts[k]
            gained = np.maximum(between(inverse) - between(found.inverse), 1e-300)
            named = far[k] & (np.abs(shift) > critical * np.sqrt(gained))
            if not named.any():
                continue
            p = int(np.where(named, np.abs(shift) / errors, 0.0).argmax())
            sign = 1.0 if gaps[p] >= 0.0 else -1.0  # the stronger system first
            x, y = (a[p], b[p]) if sign > 0.0 else (b[p], a[p])
            before, after = (unit * sign * float(gap) for gap in (gaps[p], gaps[p] - shift[p]))
            n, leader = int(judged.voter.sizes[voter]), int((found.strengths - moved[k, :S]).argmax())
            a_name, b_name, first = (judged.systems[s] for s in (x, y, leader))
            name = judged.voter.names[voter]
            out.append(Influence(name, n, n / judged.n, a_name, b_name, before, after, first))
    return tuple(sorted(out, key=lambda one: -one.n))
