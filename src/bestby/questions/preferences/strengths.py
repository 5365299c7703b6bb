"""From judgements to strengths: which are finite, whether the order is in the model, weights, covariates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.inference.proportions import tango_high
from bestby.questions.preferences.model import WITHIN, Fit, Trials, fit
from bestby.questions.preferences.precision import Precision, precision_of, quantile, shrunk_weights, units_of
from bestby.questions.preferences.source import Judgements
from bestby.results.values import Interval, defined

MOST_TESTS, MOST_WORK = 500, 2e10
"""Infinite differences that are tested, some ten seconds: 6 steps of P^3 operations each.

A hundredth of them have bounds, too, of ten such fits.
"""


@dataclass(frozen=True, eq=False)
class Strengths:
    """Fitted strengths, and what else was fitted and found on the way.

    `trials` are all that were counted, those between systems without a finite difference as well; `reach`,
    (S, S), says from which systems wins and ties lead to which. `plain` is the fit without covariates and
    `without_order` that without both; the status of the order is for `OrderEffect`. `sd` are the scales of
    the covariates.
    """

    trials: Trials
    fit: Fit
    plain: Fit
    without_order: Fit
    reach: BoolArray
    identified: Identified
    status: str
    sd: FloatArray

    @property
    def judged(self) -> Judgements:
        """The judgements, with their weights."""
        return self.fit.trials.judged

    @cached_property
    def precision(self) -> Precision:
        """How well the judgements determine what was fitted."""
        return precision_of(self.fit, self.judged.clusters.values())

    @property
    def ordered(self) -> bool:
        """Whether the order is in the model; its effect is the first parameter after the strengths."""
        return self.status == "in the model"

    @property
    def scores(self) -> FloatArray:
        """Log strengths: infinite ahead of the largest group of systems and behind it, NaN of no relation."""
        sizes = np.bincount(self.fit.component)[self.fit.component]
        # Of groups of one size the weakest
        main = self.fit.component == self.fit.component[np.lexsort((self._led, -sizes))[0]]
        over, under = self.reach[:, main].any(axis=1), self.reach[main].any(axis=0)
        beyond = np.select([over & ~under, under & ~over], [math.inf, -math.inf], math.nan)
        log = self.fit.strengths
        return np.where(main, np.where(np.abs(log) < rounding.spread_width(1.0), 0.0, log), beyond)

    @property
    def _led(self) -> IntArray:
        """How many systems each is infinitely stronger than, less those that are so than it."""
        over = self.reach & ~self.reach.T
        led: IntArray = over.sum(axis=1) - over.sum(axis=0)
        return led

    @property
    def places(self) -> FloatArray:
        """Numbers that order the systems, the greatest for the strongest, equal where strengths are level."""
        scores, size = self.scores, len(self.judged.systems)
        led = np.where(np.isnan(scores), -size - 1, self._led)
        levelled = np.round(self.fit.strengths / rounding.spread_width(1.0))
        places = np.unique(np.column_stack([led, levelled]), axis=0, return_inverse=True)[1]
        return places.reshape(-1).astype(np.float64)


def strengths(
    judged: Judgements,
    *,
    davidson: bool = False,
    jeffreys: bool = False,
    order: bool | str = "auto",
    voter_weights: str = "votes",
) -> Strengths:
    """Fit the model to judgements."""
    cells = Trials.of(judged)
    component = components(cells, met=jeffreys)
    inside = cells.among(component[cells.first] == component[cells.second])
    davidson = davidson and bool((inside.outcome == 1).any())
    how: Any = {"davidson": davidson, "jeffreys": jeffreys}
    without_order = fit(inside, component, **how)
    identified = order_identified(without_order)
    status = _status(inside, identified, order, jeffreys=jeffreys)
    plain = without_order
    if status == "in the model":
        try:
            plain = fit(inside.with_order(), component, start=without_order.strengths, **how)
        except DesignError:  # ties grow with the order without end where the second never won
            if order is True:
                raise
            status = "separated"
    ordered = status == "in the model"
    if voter_weights == "shrunk" and judged.voter is not None:
        judged = replace(judged, weights=shrunk_weights(plain, judged.voter))
        inside = Trials.of(judged).among(component[cells.first] == component[cells.second])
        again = inside.with_order() if ordered else inside
        plain = fit(again, component, start=plain.parameters, **how)
    found, sd = plain, judged.covariates.std(axis=0)
    if sd.size:
        rows = plain.trials.one_by_one(judged.covariates / np.where(sd > 0.0, sd, 1.0))
        start, names = plain.parameters[: rows.size + ordered], judged.covariate_names
        found = fit(rows, component, start=start, names=names, **how)
    every = cells.with_order() if ordered else cells
    return Strengths(every, found, plain, without_order, reaches(scored(cells)), identified, status, sd)


def _status(inside: Trials, identified: Identified, order: bool | str, *, jeffreys: bool) -> str:
    """Return whether the order is in the model, or why not; never by whether it has an effect.

    A test of the order that decides about it would let through what it misses.
    """
    if order is False:
        return "left out"
    separated = identified.left > 0.0 and not jeffreys and order_is_separated(inside)
    if order is True and (identified.left <= 0.0 or separated):
        why = "the first shown always won" if separated else "no pair was shown both ways"
        raise DesignError(
            f"an order effect has no finite estimate: {why}, but for what strengths explain",
            hint='order="auto" leaves it out then',
        )
    if separated:
        return "separated"
    return "in the model" if order is True or identified.within >= WITHIN else "one order"


# -- which estimates are finite ---------------------------------------------------------------------


def scored(trials: Trials) -> BoolArray:
    """Return which systems ever won or tied against which, shape (S, S)."""
    wins, ties, _ = trials.records
    return wins + ties > 0.0


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
    lost, tied, won = trials.tables()
    first, second = won + tied > 0.0, lost + tied > 0.0
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


def bounds(
    found: Strengths, lead: IntArray, levels: Sequence[float]
) -> tuple[dict[float, FloatArray], FloatArray, tuple[int, int]]:
    """Return for pairs (a, b), of which a is infinitely stronger than b, the least differences by level.

    With the p-values of no difference, and how many pairs have no bound, for which there would be too much
    work, and no test. The least difference is where twice the loss of log likelihood, other parameters being
    free, is -2 log((1 - level) / 2): where the estimate is infinite, the usual quantile 3.84 covers too
    little. That of the other parameters is at the fit to trials between systems of finite difference.
    """
    fits = MOST_WORK / (6 * found.fit.parameters.size**3)
    n_tested = min(len(lead), MOST_TESTS, int(fits) + 1)
    if not n_tested:
        return {level: np.empty(0) for level in levels}, np.empty(0), (0, 0)
    n_bounded = min(n_tested, int(0.01 * fits) + 1)
    trials, plain = Trials.of(found.judged), found.plain
    trials = trials.with_order() if found.ordered else trials
    lows = {level: np.full(len(lead), -np.inf) for level in levels}
    p, effects = np.ones(len(lead)), _judgements_per_unit(found, lead[:n_tested])
    for place, ((a, b), effect) in enumerate(zip(lead[:n_tested].tolist(), effects.tolist(), strict=True)):
        at_zero, _, at_start = _profile(trials, plain, a, b, 0.0, plain.parameters)
        p[place] = min(1.0, 2.0 * math.exp(-(plain.log_likelihood - at_zero) / effect))
        for level in levels if place < n_bounded else ():
            critical = -2.0 * effect * math.log(0.5 * (1.0 - level))
            low, start = 0.0, at_start
            # Newton's method for the gap; the derivative of the profile is that of the likelihood by the gap
            for _ in range(30):
                value, slope, start = _profile(trials, plain, a, b, low, start)
                miss = 2.0 * (plain.log_likelihood - value) - critical
                move = miss / max(2.0 * slope, 1e-12)
                low += float(np.clip(move, -2.0, 2.0))
                if abs(move) < 1e-7:
                    break
            lows[level][place] = low
    return lows, p, (len(lead) - n_bounded, len(lead) - n_tested)


def _judgements_per_unit(found: Strengths, lead: IntArray) -> FloatArray:
    """Return how many judgements count as one for pairs without a finite difference: those of a cluster.

    Wins that never end have no variance by which clusters could show how alike theirs are.
    """
    judged, component = found.judged, found.fit.component
    first, second = component[judged.first], component[judged.second]
    effect = np.ones(component.size)
    for group in np.unique(component[lead]).tolist():
        # The judgements of these systems with all others
        rows = (first == group) != (second == group)
        for clusters in judged.clusters.values():
            effect[group] = max(effect[group], rows.sum() / units_of(clusters.codes[rows]))
    return np.asarray(effect[component[lead]].max(axis=1))


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
    )
    component = components(merged)
    inside = component[merged.first] == component[merged.second]
    sign = sign[inside]
    again = fit(merged.among(inside), component, davidson=plain.davidson, start=start, offset=gap * sign)
    slope = float((sign * again.trials.count) @ again.residuals[0])
    return again.log_likelihood, slope, again.parameters


# -- shares of judgements ---------------------------------------------------------------------------


Share = tuple[float, Interval | None]
"""A share of judgements, with its interval; None if that has no length."""


def shares_won(judged: Judgements, cells: Trials, level: float) -> list[Share]:
    """Return the shares of counted judgements that systems won and, last, that the first shown won.

    A tie counts half. Intervals are Tango's (1998, Statist. Med. 17, 891-908), of as many judgements as would
    be as sure if they were independent: the variance is that of the sums of clusters over that of judgements,
    in the worse grouping of two.
    """
    size, n = len(judged.systems), judged.n
    won, tied, lost = (x.sum(axis=1) for x in cells.records)
    totals = [float(x.sum()) for x in cells.tables()]
    losses, ties, wins = (np.append(*both) for both in zip((lost, tied, won), totals, strict=True))
    total = wins + losses + ties
    rate = (wins + 0.5 * ties) / total
    squares = (wins + 0.25 * ties) - total * rate**2
    effect, df = np.ones(size + 1), math.inf
    for clusters in judged.clusters.values():
        squared = np.zeros(size)
        for some in clusters.blocks(np.arange(clusters.n)):
            places = some.places
            v, first, second = 0.5 * judged.outcome[places], judged.first[places], judged.second[places]
            sums = some.sparse_sums((v - rate[first], 1.0 - v - rate[second]), (first, second), size)
            sums.sum_duplicates()
            squared += np.bincount(sums.indices, sums.data**2, size)
        of_first = (np.bincount(clusters.codes, 0.5 * judged.outcome - rate[-1]) ** 2).sum()
        clustered = np.append(squared, of_first) * clusters.n / (clusters.n - 1.0)
        units = units_of(clusters.codes)
        varies = squares > 1e-9 * total
        more = np.where(varies, clustered / np.where(varies, squares, 1.0), n / units)
        effect = np.maximum(effect, np.where(varies & (clustered <= 1e-9 * total), 1.0, more))
        df = min(df, units - 1.0)
    z = float(quantile(level, np.array(df)))
    net, differing, counted = (wins - losses) / effect, (wins + losses) / effect, total / effect
    high = 0.5 * (1.0 + tango_high(net, differing, counted, z))
    low = 0.5 * (1.0 - tango_high(-net, differing, counted, z))
    intervals = (
        Interval(*ends, level, "tango", True) for ends in zip(low.tolist(), high.tolist(), strict=True)
    )
    return [(share, defined(one)[0]) for share, one in zip(rate.tolist(), intervals, strict=True)]
