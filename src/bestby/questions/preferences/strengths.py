"""From judgements to strengths: which are finite, whether the order is in the model, weights, covariates."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.inference.proportions import tango_high
from bestby.questions.preferences.existence import (
    Identified,
    components,
    order_identified,
    order_is_separated,
    reaches,
    scored,
)
from bestby.questions.preferences.model import WITHIN, Fit, Trials, fit
from bestby.questions.preferences.precision import (
    Precision,
    Rows,
    precision_of,
    quantile,
    shrunk_weights,
    units_of,
)
from bestby.questions.preferences.source import Clusters, Judgements
from bestby.results.values import Interval, defined


@dataclass(frozen=True, eq=False)
class Strengths:
    """Fitted strengths, and what else was fitted and found on the way.

    `trials` are all that were counted, those between systems without a finite difference as well; `reach`,
    (S, S), says from which systems wins and ties lead to which. `plain` is the fit without covariates and
    `without_order` that without both; the status of the order is for `OrderEffect`. `sd` are the scales of
    the covariates.
    """

    judged: Judgements
    trials: Trials
    fit: Fit
    plain: Fit
    without_order: Fit
    reach: BoolArray
    identified: Identified
    status: str
    weights: FloatArray | None
    sd: FloatArray

    @cached_property
    def rows(self) -> Rows:
        """What was fitted to each judgement."""
        return Rows(self.fit, self.judged, self.weights)

    @cached_property
    def precision(self) -> Precision:
        """How well the judgements determine what was fitted."""
        return precision_of(self.rows)

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
    davidson: bool,
    jeffreys: bool,
    order: bool | str,
    voter_weights: str,
) -> Strengths:
    """Fit the model to judgements."""
    weights = None
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
        weights = shrunk_weights(Rows(plain, judged), Clusters(judged.voter))
        inside = Trials.of(judged, weights).among(component[cells.first] == component[cells.second])
        again = inside.with_order() if ordered else inside
        plain = fit(again, component, start=plain.parameters, **how)
    found, sd = plain, np.zeros(0)
    if judged.covariates.shape[1]:
        sd = judged.covariates.std(axis=0)
        rows = inside.one_by_one(judged, judged.covariates / np.where(sd > 0.0, sd, 1.0))
        if weights is not None:
            rows = replace(rows, count=weights[rows.place >= 0])
        start = plain.parameters[: rows.size + ordered]
        names = judged.covariate_names
        found = fit(rows.with_order() if ordered else rows, component, start=start, names=names, **how)
    return Strengths(
        judged,
        cells.with_order() if ordered else cells,
        found,
        plain,
        without_order,
        reaches(scored(cells)),
        identified,
        status,
        weights,
        sd,
    )


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
    of_first = [float(x.sum()) for x in cells.tables()]
    losses, ties, wins = (np.append(*both) for both in zip((lost, tied, won), of_first, strict=True))
    total = wins + losses + ties
    rate = (wins + 0.5 * ties) / total
    squares = (wins + 0.25 * ties) - total * rate**2
    effect, df = np.ones(size + 1), math.inf
    value = 0.5 * judged.outcome
    for clusters in judged.groupings:
        squared = np.zeros(size)
        for members, sizes in clusters.blocks(np.arange(clusters.n)):
            v = value[members]
            of_systems = v - rate[judged.first[members]], 1.0 - v - rate[judged.second[members]]
            sums = judged.sums_by_system(members, sizes, *of_systems)
            sums.sum_duplicates()
            squared += np.bincount(sums.indices, sums.data**2, size)
        first = float((np.bincount(clusters.codes, value - rate[-1]) ** 2).sum())
        clustered = np.append(squared, first) * clusters.n / (clusters.n - 1.0)
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
