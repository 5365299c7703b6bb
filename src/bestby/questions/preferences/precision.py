"""How well judgements determine what was fitted: sandwiches over judgements, clusters and both ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from bestby._core import special
from bestby._core.chunks import chunks
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.inference.clusters import equal_units
from bestby.questions.preferences.model import Fit, Moments, constant, information, products
from bestby.questions.preferences.source import Clusters, Members

HEAVY = 0.1
"""Leverage (sum of w z'Vz) up to which a cluster is left out to first order, which is off by less than it."""

MOST_WORK = 2e9
"""Floating-point operations for exact deletion, half a second: P^3 each; the heaviest clusters first."""

LEAST = 4.0
"""Units at the least by which a variance is short of that of a coin: about the square of a normal quantile.

Tango's interval of n ties says that, too: data that do not vary are no certainty.
"""

Quadratic = Callable[[FloatArray], FloatArray]
"""Returns from a covariance of the parameters the variances of what is estimated."""


class Way(NamedTuple):
    """A covariance of the parameters, (P, P), by the scores of the clusters of one grouping.

    `meat` is the sum of outer products of these scores, and `moved` how the parameters move without each of
    the clusters `heavy`, (H, P), the one of most leverage first.
    """

    covariance: FloatArray
    meat: FloatArray
    heavy: IntArray
    moved: FloatArray


@dataclass(frozen=True, eq=False)
class Precision:
    """How well judgements determine the parameters: one way; or those of two groupings, and of both crossed.

    `df` are the degrees of freedom of each: its units of equal size, less one. `fisher` is the covariance if
    all judgements are independent wins and losses, and `floor` the share of it that there is at the least.
    """

    ways: tuple[Way, ...]
    df: tuple[float, ...]
    fisher: FloatArray
    floor: float

    def of(self, form: Quadratic) -> tuple[FloatArray, FloatArray]:
        """Return standard errors, and degrees of freedom, of what has these variances.

        Both ways: V_1 + V_2 - V_12 (Cameron, Gelbach & Miller 2011, J. Bus. Econ. Statist. 29, 238-249), and
        no less than either; degrees of freedom as of a sum (Satterthwaite 1946, Biometrics Bull. 2, 110-114).
        """
        variances = [form(way.covariance) for way in self.ways]
        df = np.full_like(variances[0], self.df[0])
        variance = variances[0]
        if len(self.ways) == 3:
            one, two, both = variances
            variance = np.maximum(one + two - both, np.maximum(one, two))
            parts = one**2 / self.df[0] + two**2 / self.df[1]
            df = np.divide(variance**2, parts, out=np.full_like(one, min(self.df[:2])), where=parts > 0.0)
        return np.sqrt(np.maximum(variance, self.floor * form(self.fisher))), df

    @property
    def covariance(self) -> FloatArray:
        """One covariance of all parameters; both ways, the nearest to their sum that can be one."""
        if len(self.ways) == 1:
            return self.ways[0].covariance
        one, two, both = (way.covariance for way in self.ways)
        values, vectors = np.linalg.eigh(one + two - both)
        return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def variance_between(a: Array, b: Array) -> Quadratic:
    """Return the variances of differences of two parameters each, by a covariance or several, (B, P, P)."""
    return lambda V: V[..., a, a] + V[..., b, b] - 2.0 * V[..., a, b]


def quantile(level: float, df: FloatArray) -> FloatArray:
    """Return the quantile of Student's t of a two-sided interval."""
    return np.asarray(special.stdtrit(np.maximum(df, 1.0), 0.5 * (1.0 + level)))


def precision_of(found: Fit, groupings: Iterable[Clusters]) -> Precision:
    """Return how well judgements determine what was fitted, those of a cluster taken together."""
    groupings, judged = [*groupings], found.trials.judged
    units = [units_of(one.codes, judged.weights) for one in groupings] or [float(judged.n)]
    # Residuals that Jeffreys' prior leaves of a system that won all vary less than its wins
    floor = 1.0 if found.jeffreys else LEAST / min(units)
    if not groupings:
        # HC3 (MacKinnon & White 1985, J. Econometrics 29, 305-325, eq. 13), whose squares also hold for ties.
        # A judgement that alone determines something fits itself: its leverage is 1 but for rounding
        meat = _squared_scores(found, found.trials.count / np.maximum(1.0 - found.leverage, 0.1) ** 2)
        way = Way(found.inverse @ meat @ found.inverse, meat, np.zeros(0, dtype=np.int64), np.zeros((0, 0)))
        return Precision((way,), (max(found.trials.count.sum() - len(meat), 1.0),), found.inverse, floor)
    if len(groupings) == 2:
        groupings.append(groupings[0].crossed(groupings[1]))
    ways = tuple(_by_clusters(found, clusters) for clusters in groupings)
    return Precision(ways, tuple(max(n - 1.0, 1.0) for n in units), found.inverse, floor)


def units_of(codes: IntArray, weights: FloatArray | None = None) -> float:
    """Return how many clusters of equal size there would be (Kish 1965, section 8.2)."""
    return equal_units(np.bincount(codes, weights).astype(np.float64))


def _squared_scores(found: Fit, count: FloatArray) -> FloatArray:
    """Return the sum of squared scores of `count` judgements of each trial."""
    of_y, *of_tie = found.residuals
    more = [count * tie * x for tie in of_tie for x in (tie, of_y)]
    return products(found.trials, count * of_y**2, more)


def _by_clusters(found: Fit, clusters: Clusters) -> Way:
    """Return the covariance of the parameters by the scores of clusters.

    Clusters with leverage are left out by one exact Newton step each, CR3 (Bell & McCaffrey 2002, Surv.
    Methodol. 28, 169-181; MacKinnon, Nielsen & Webb 2023, J. Appl. Econometrics 38, 671-694, eq. 15), the
    others to first order, CR1: the two differ by the leverage.
    """
    V, n, heavy = found.inverse, clusters.n, heaviest(found, clusters)
    light = np.ones(n, dtype=np.bool_)
    light[heavy] = False
    meat = score_products(found, clusters, np.flatnonzero(light))
    out = n / (n - 1.0) * V @ meat @ V
    moved = np.empty((heavy.size, len(V)))
    for part, left_out in without(found, clusters, heavy):
        strengths, others = _sums_of_scores(found, clusters.members(heavy[part]))
        rows = np.hstack([strengths.toarray(), others])
        moved[part] = np.linalg.solve(left_out, rows[..., None])[..., 0]
        meat += rows.T @ rows
    out += (n - 1.0) / n * moved.T @ moved
    return Way(0.5 * (out + out.T), meat, heavy, moved)


def heaviest(found: Fit, clusters: Clusters) -> IntArray:
    """Return the clusters that are not left out to first order, the one of most leverage first."""
    leverage = np.bincount(clusters.codes, found.trials.weighted(found.leverage))
    heavy = np.flatnonzero(leverage > HEAVY)
    heavy = heavy[np.argsort(-leverage[heavy], kind="stable")]
    return heavy[: int(MOST_WORK / found.parameters.size**3) + 1]


def without(found: Fit, clusters: Clusters, chosen: IntArray) -> Iterator[tuple[slice, FloatArray]]:
    """Yield the information without each of some clusters, (B, P, P), invertible."""
    full, P = found.information, found.parameters.size
    # A cluster that alone tells of something leaves nothing of it: there its scores are 0, too
    full = full + float(np.trace(full)) / P * (constant(found.component, P) + 1e-9 * np.eye(P))
    for part, informations in _informations(found, clusters, chosen):
        yield part, full - informations


def _informations(found: Fit, clusters: Clusters, chosen: IntArray) -> Iterator[tuple[slice, FloatArray]]:
    """Yield the Fisher information of some clusters, (B, P, P), a part of them at a time."""
    trials, weights = found.trials, found.trials.judged.weights
    for part in chunks(chosen.size, found.parameters.size**2 // 8):
        some = clusters.members(chosen[part])
        inside = trials.place[some.places] >= 0
        members, group = some.places[inside], some.clusters[inside]
        place = trials.place[members]
        moments = Moments(*(x[place] if x.size else x for x in found.moments))
        one = replace(trials.at(place), count=np.ones(members.size) if weights is None else weights[members])
        yield part, information(one, moments, found.davidson, group=group, n=some.sizes.size)


def scores(found: Fit, members: IntArray) -> list[FloatArray]:
    """Return the scores of judgements: by the log odds, and by each parameter beside the strengths."""
    trials = found.trials
    y, *tie = (trials.weighted(x, members) for x in found.residuals)
    return [y, *(y * trials.by_judgement(x, members) for x in trials.columns.T), *tie]


def _sums_of_scores(found: Fit, some: Members) -> tuple[Any, FloatArray]:
    """Return sums of scores by cluster: of strengths, sparse (G, S), and of other parameters, (G, k)."""
    judged, (y, *others) = found.trials.judged, scores(found, some.places)
    shown = judged.first[some.places], judged.second[some.places]
    return some.sparse_sums((y, -y), shown, found.trials.size), some.sums(others)


def score_products(found: Fit, clusters: Clusters, chosen: IntArray) -> FloatArray:
    """Return the sum over some clusters of outer products of their scores, (P, P)."""
    trials, S, alone = found.trials, found.trials.size, clusters.sizes[chosen] == 1
    single = clusters.members(chosen[alone]).places
    single = single[trials.place[single] >= 0]
    weights = None if trials.judged.weights is None else trials.judged.weights[single] ** 2
    count = np.bincount(trials.place[single], weights, trials.count.size).astype(np.float64)
    out = _squared_scores(found, count)
    for some in clusters.blocks(chosen[~alone]):
        strengths, others = _sums_of_scores(found, some)
        # Sparse products take as long as the squares of what clusters hold, dense ones as that of the size
        few = some.sizes <= S / 8
        small, large = strengths[few], strengths[~few].toarray()
        out[:S, :S] += (small.T @ small).toarray() + large.T @ large
        border = strengths.T @ others
        out[:S, S:] += border
        out[S:, :S] += border.T
        out[S:, S:] += others.T @ others
    return out


# -- weights of voters ------------------------------------------------------------------------------


def shrunk_weights(found: Fit, voter: Clusters) -> FloatArray:
    """Return weights of judgements by which voters count alike, as far as voters differ.

    w = 1 / (1 + (n_g - 1) rho) for a voter of n_g judgements: the best weights if judgements of a voter have
    the correlation rho, which moments estimate, pooled over pairs of systems and the heaviest voters.
    """
    heavy, n = heaviest(found, voter), voter.sizes
    S, V = found.trials.size, found.inverse
    if heavy.size < 2:
        return np.ones(voter.codes.size)
    strengths, others = _sums_of_scores(found, voter.members(heavy))
    steps = np.hstack([strengths.toarray(), others]) @ V
    a, b = np.triu_indices(S, 1)
    between, of_y = variance_between(a, b), found.residuals[0]
    squared = replace(found, moments=found.moments._replace(variance=of_y * of_y))
    both = (_informations(fit, voter, heavy) for fit in (found, squared))
    clustered = single = squares = share = 0.0
    for (part, informations), (_, of_squares) in zip(*both, strict=True):
        q, moved = between(V @ informations @ V), steps[part]
        squares += float((q * q).sum())
        share += float(q.sum())
        single += float(between(V @ of_squares @ V).sum())
        clustered += float(((moved[:, a] - moved[:, b]) ** 2).sum())
    correlation = (clustered - single) / squares * share / (a.size * float(n[heavy].sum()))
    return np.asarray(1.0 / (1.0 + (n - 1.0) * min(max(correlation, 0.0), 1.0)))[voter.codes]
