"""Where estimates are finite: systems never beaten or never winning, order effects without end, bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.questions.preferences.model import Fit, Trials, fit


def scored(trials: Trials) -> BoolArray:
    """Return which systems ever won or tied against which, shape (S, S)."""
    first, second = _scored_by_place(trials)
    return first | second.T


def _scored_by_place(trials: Trials) -> tuple[BoolArray, BoolArray]:
    """Return where the system shown first, of the row, ever won or tied, and where the other did."""
    lost, tied, won = trials.tables()
    return won + tied > 0.0, lost + tied > 0.0


def reaches(leads: BoolArray) -> BoolArray:
    """Return from which systems steps lead to which, however many, shape (S, S)."""
    reach: BoolArray = leads | np.eye(len(leads), dtype=np.bool_)
    for _ in range(math.ceil(math.log2(len(leads)))):  # each square doubles the length of the paths
        step = reach.astype(np.float32)
        reach = step @ step > 0.0
    return reach


def components(trials: Trials, *, met: bool = False) -> IntArray:
    """Return the number of the group of each system within which all differences of strength are finite.

    Wins and ties lead from each system of a group to every other (Ford 1957, Amer. Math. Monthly 64, 28-33);
    `met`: judgements do, which suffices with Jeffreys' prior.
    """
    leads = scored(trials)
    reach = reaches(leads | leads.T if met else leads)
    # The first system that is in the group of each
    found: IntArray = np.unique((reach & reach.T).argmax(axis=1), return_inverse=True)[1].reshape(-1)
    return found


def order_is_separated(trials: Trials) -> bool:
    """Return whether no finite order effect is most likely: strengths and an endless one explain everything.

    Some strengths then obey th_j - th_i <= s where i, shown first, won or tied against j, and
    th_i - th_j <= -s where j did, for s = 1 or -1: difference constraints, which hold together if no cycle of
    them has a negative sum (Bellman 1958, Quart. Appl. Math. 16, 87-90; all cycles at once by Floyd's way).
    """
    first, second = _scored_by_place(trials)
    for s in (1.0, -1.0):
        bound = np.minimum(np.where(first.T, s, np.inf), np.where(second, -s, np.inf))
        for k in range(trials.size):
            bound = np.minimum(bound, bound[:, k, None] + bound[None, k, :])
        if not (np.diag(bound) < 0.0).any():
            return True
    return False


class Identified(NamedTuple):
    """What the judgements tell of an order effect.

    `left` is the share of its information that strengths leave, `within` the share of that which comes from
    pairs shown both ways; `shared`, (S,), is the information that it has in common with each strength.
    """

    left: float
    within: float
    shared: FloatArray


def order_identified(plain: Fit) -> Identified:
    """Return what the judgements tell of an order effect, at a fit without one."""
    trials = plain.trials
    w = trials.table(trials.count * plain.moments.variance)
    total, border = float(w.sum()), w.sum(axis=1) - w.sum(axis=0)
    S = slice(0, trials.size)
    left = total - float(border @ plain.inverse[S, S] @ border)
    if left <= 1e-9 * total:  # rounding
        return Identified(0.0, 0.0, border)
    both = np.divide(4.0 * w * w.T, w + w.T, out=np.zeros_like(w), where=w + w.T > 0.0)
    return Identified(left / total, float(np.triu(both).sum()) / left, border)


# -- bounds of what has no finite estimate ----------------------------------------------------------


class Bound(NamedTuple):
    """How much stronger one system is than another at the least, and the p-value of no difference."""

    low: float
    p_value: float


def bounds(
    trials: Trials, plain: Fit, lead: IntArray, effects: FloatArray, level: float, most: int
) -> Iterator[Bound]:
    """Yield for pairs (a, b), of which a is infinitely stronger than b, the least difference by likelihood.

    `plain` is the fit to those of the trials that are between systems with a finite difference. From the
    pair at `most` on there is the p-value only, for which the model is fitted once and not some ten times.
    That is where twice the loss of log likelihood, other parameters being free, is -2 log((1 - level) / 2):
    where the estimate is infinite, the usual quantile 3.84 covers too little. `effects` are the judgements
    of each pair that count as one.
    """
    free = plain.log_likelihood
    for place, ((a, b), effect) in enumerate(zip(lead.tolist(), effects.tolist(), strict=True)):
        critical = -2.0 * effect * math.log(0.5 * (1.0 - level))
        at_zero, _, start = _profile(trials, plain, a, b, 0.0, plain.parameters)
        loss = 2.0 * (free - at_zero)
        p = min(1.0, 2.0 * math.exp(-0.5 * loss / effect))
        low = 0.0 if place < most else -math.inf
        # Newton's method for the gap; the derivative of the profile is that of the likelihood by the gap
        for _ in range(30 if place < most else 0):
            value, slope, start = _profile(trials, plain, a, b, low, start)
            miss = 2.0 * (free - value) - critical
            move = miss / max(2.0 * slope, 1e-12)
            low += float(np.clip(move, -2.0, 2.0))
            if abs(move) < 1e-7:
                break
        yield Bound(low, p)


def _profile(
    trials: Trials, plain: Fit, a: int, b: int, gap: float, start: FloatArray
) -> tuple[float, float, FloatArray]:
    """Return the greatest log likelihood if a is stronger than b by `gap`, its slope, and the parameters.

    The two are one system then, a ahead of it by the gap: an offset of the trials of a.
    """
    sign = (trials.first == a).astype(np.float64) - (trials.second == a)
    merged = replace(
        trials,
        first=np.where(trials.first == a, b, trials.first),
        second=np.where(trials.second == a, b, trials.second),
        offset=trials.offset + gap * sign,
    )
    component = components(merged)
    inside = component[merged.first] == component[merged.second]
    merged = merged.among(inside)
    again = fit(merged, component, davidson=plain.davidson, start=start)
    slope = float((sign[inside] * merged.count) @ again.residuals[0])
    return again.log_likelihood, slope, again.parameters
