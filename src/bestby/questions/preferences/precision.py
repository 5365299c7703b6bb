"""How well judgements determine what was fitted: sandwiches over judgements, clusters and both ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bestby._core import special
from bestby._core.cached import cached_property
from bestby._core.chunks import chunks
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.inference.clusters import equal_units
from bestby.questions.preferences.model import Fit, Moments, constant, information, products
from bestby.questions.preferences.source import Judgements

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


@dataclass(frozen=True, eq=False)
class Precision:
    """Covariances of the parameters, (P, P): one; or of two groupings, and of both crossed.

    `units` are the numbers of units of equal size of each; infinitely many where judgements are independent.
    `fisher` is that of the model if all judgements are independent wins and losses, and `floor` the share of
    its variances that there are at the least; `meats` the sums of outer products of the scores of clusters.
    """

    ways: tuple[FloatArray, ...]
    df: tuple[float, ...]
    fisher: FloatArray
    floor: float
    meats: tuple[FloatArray, ...] = ()

    def of(self, form: Quadratic) -> tuple[FloatArray, FloatArray]:
        """Return standard errors, and degrees of freedom, of what has these variances.

        Both ways: V_1 + V_2 - V_12 (Cameron, Gelbach & Miller 2011, J. Bus. Econ. Statist. 29, 238-249), and
        no less than either; degrees of freedom as of a sum (Satterthwaite 1946, Biometrics Bull. 2, 110-114).
        """
        variances = [form(way) for way in self.ways]
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
            return self.ways[0]
        values, vectors = np.linalg.eigh(self.ways[0] + self.ways[1] - self.ways[2])
        return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def pairs_of(a: Array, b: Array) -> Quadratic:
    """Return the variances of differences of two parameters each."""
    return lambda V: V[a, a] + V[b, b] - 2.0 * V[a, b]


def quantile(level: float, df: FloatArray) -> FloatArray:
    """Return the quantile of Student's t of a two-sided interval."""
    return np.asarray(special.stdtrit(np.maximum(df, 1.0), 0.5 * (1.0 + level)))


def precision_of(rows: Rows) -> Precision:
    """Return how well judgements determine what was fitted to them, clusters taken together."""
    found, judged, weights = rows.found, rows.judged, rows.weights
    groupings = [*judged.clusters.values()]
    units = [units_of(codes, weights) for codes in groupings] or [float(judged.n)]
    # Residuals that Jeffreys' prior leaves of a system that won all vary less than its wins
    floor = 1.0 if found.jeffreys else LEAST / min(units)
    if not groupings:
        way = found.inverse @ _meat_of_judgements(found) @ found.inverse
        df = max(found.trials.count.sum() - len(way), 1.0)
        return Precision((way,), (df,), found.inverse, floor)
    if len(groupings) == 2:
        groupings.append(_crossed(*groupings))
    ways, meats = zip(*(_of_clusters(rows, codes) for codes in groupings), strict=True)
    return Precision(ways, tuple(max(n - 1.0, 1.0) for n in units), found.inverse, floor, meats)


def units_of(codes: IntArray, weights: FloatArray | None = None) -> float:
    """Return how many clusters of equal size there would be (Kish 1965, section 8.2)."""
    return equal_units(np.bincount(codes, weights).astype(np.float64))


def _meat_of_judgements(found: Fit) -> FloatArray:
    """Return the sum of squared scores of judgements, each over 1 - its leverage.

    HC3 (MacKinnon & White 1985, J. Econometrics 29, 305-325, eq. 13), whose squares also hold for ties.
    """
    of_y, of_tie = found.residuals
    # A judgement that alone determines something fits itself: its leverage is 1 but for rounding
    free = np.maximum(1.0 - found.leverage, 0.1)
    y = of_y / free
    c = found.trials.count
    more = () if of_tie is None else (c * (of_tie / free) ** 2, c * y * of_tie / free)
    return products(found.trials, c * y * y, *more)


def _crossed(one: IntArray, two: IntArray) -> IntArray:
    """Return codes of the groups that judgements in the same group of both groupings make."""
    keys = one.astype(np.int64) * (int(two.max()) + 1) + two
    codes: IntArray = np.unique(keys, return_inverse=True)[1].reshape(-1)
    return codes


def cluster_sums(judged: Judgements, codes: IntArray, of_first: FloatArray, of_second: FloatArray) -> Any:
    """Return sums by cluster of what judgements give the system shown first and the other, sparse (G, S)."""
    from scipy.sparse import coo_array

    place = np.concatenate([codes, codes]), np.concatenate([judged.first, judged.second])
    shape = int(codes.max()) + 1, len(judged.systems)
    return coo_array((np.concatenate([of_first, of_second]), place), shape=shape).tocsr()


@dataclass(frozen=True, eq=False)
class Rows:
    """What was fitted, and the judgements with their weights (1 if None): a row of the design for each."""

    found: Fit
    judged: Judgements
    weights: FloatArray | None = None

    def weighted(self, of_trial: FloatArray) -> FloatArray:
        """Return the values of the trials of judgements, each times its weight."""
        values = self.found.trials.by_judgement(of_trial)
        return values if self.weights is None else values * self.weights

    @cached_property
    def of_y(self) -> FloatArray:
        """Weighted residuals of y, (n,)."""
        return self.weighted(self.found.residuals[0])

    @cached_property
    def of_tie(self) -> FloatArray | None:
        """Weighted residuals of ties in Davidson's model, (n,)."""
        of_tie = self.found.residuals[1]
        return None if of_tie is None else self.weighted(of_tie)

    def sums(self, codes: IntArray) -> tuple[Any, FloatArray]:
        """Return sums of scores by cluster: of strengths, sparse (G, S), and of other parameters, (G, k)."""
        trials, y = self.found.trials, self.of_y
        others = [np.bincount(codes, y * trials.by_judgement(x)) for x in trials.columns.T]
        others += [] if self.of_tie is None else [np.bincount(codes, self.of_tie)]
        strengths = cluster_sums(self.judged, codes, y, -y)
        return strengths, np.column_stack(others) if others else np.empty((strengths.shape[0], 0))

    def heaviest(self, codes: IntArray, most: int | None = None) -> IntArray:
        """Return the clusters that are not left out to first order, the one of most leverage first."""
        leverage = np.bincount(codes, self.weighted(self.found.leverage))
        allowed = int(MOST_WORK / self.found.parameters.size**3) + 1
        heavy = np.argsort(-leverage, kind="stable")[: min(allowed, most or allowed)]
        return heavy[leverage[heavy] > HEAVY]

    def informations(self, codes: IntArray, clusters: IntArray) -> Iterator[tuple[slice, FloatArray]]:
        """Yield the Fisher information of some clusters, (B, P, P), a part of them at a time."""
        found, trials = self.found, self.found.trials
        number = np.full(int(codes.max()) + 1, -1, dtype=np.int32)
        number[clusters] = np.arange(clusters.size)
        chosen = np.flatnonzero((number[codes] >= 0) & (trials.place >= 0))
        chosen = chosen[np.argsort(number[codes[chosen]], kind="stable")]
        group, place = number[codes[chosen]], trials.place[chosen]
        count = np.ones(chosen.size) if self.weights is None else self.weights[chosen]
        size = max(1, (1 << 21) // found.parameters.size**2)
        for start in range(0, clusters.size, size):
            part = slice(*np.searchsorted(group, [start, start + size]))
            some = trials.at(place[part])
            moments = Moments(*(x[place[part]] if x.size else x for x in found.moments))
            n = min(size, clusters.size - start)
            by_group = group[part] - start
            yield (
                slice(start, start + n),
                information(some, moments, found.davidson, count[part], by_group, n),
            )


def _of_clusters(rows: Rows, codes: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the covariance of the parameters by the scores of clusters, and the sum of their outer products.

    Clusters with leverage are left out by one exact Newton step each, CR3 (Bell & McCaffrey 2002, Surv.
    Methodol. 28, 169-181; MacKinnon, Nielsen & Webb 2023, J. Appl. Econometrics 38, 671-694, eq. 15), the
    others to first order, CR1: the two differ by the leverage.
    """
    V, n, heavy = rows.found.inverse, int(codes.max()) + 1, rows.heaviest(codes)
    strengths, others = rows.sums(codes)
    light = np.ones(n, dtype=np.bool_)
    light[heavy] = False
    meat = outer(strengths[light], others[light])
    scores = np.hstack([strengths[heavy].toarray(), others[heavy]])
    out = n / (n - 1.0) * V @ meat @ V
    meat += scores.T @ scores
    for part, left_out in without(rows, codes, heavy):
        moved = np.linalg.solve(left_out, scores[part, :, None])[..., 0]
        out += (n - 1.0) / n * moved.T @ moved
    return 0.5 * (out + out.T), meat


def without(rows: Rows, codes: IntArray, clusters: IntArray) -> Iterator[tuple[slice, FloatArray]]:
    """Yield the information without each of some clusters, (B, P, P), invertible."""
    found = rows.found
    full = found.information
    amount = float(np.trace(full)) / len(full)
    # A cluster that alone tells of something leaves nothing of it: there its scores are 0, too
    full += amount * (constant(found.component, len(full)) + 1e-9 * np.eye(len(full)))
    for part, informations in rows.informations(codes, clusters):
        yield part, full - informations


def outer(strengths: Any, others: FloatArray) -> FloatArray:
    """Return the sum over clusters of outer products of their scores, (P, P)."""
    size = strengths.shape[1]
    out = np.zeros((size + others.shape[1],) * 2)
    held = np.diff(strengths.indptr)
    # Sparse products take as long as the squares of what clusters hold, dense ones as the square of the size
    few = held <= size / 4
    some = strengths[few]
    out[:size, :size] = (some.T @ some).toarray()
    full = np.flatnonzero(~few)
    for part in chunks(full.size, size):
        block = strengths[full[part]].toarray()
        out[:size, :size] += block.T @ block
    out[:size, size:] = strengths.T @ others
    out[size:, :size] = out[:size, size:].T
    out[size:, size:] = others.T @ others
    return out


# -- weights of voters ------------------------------------------------------------------------------


def shrunk_weights(rows: Rows, voter: IntArray) -> FloatArray:
    """Return weights of judgements by which voters count alike, as far as voters differ.

    w = 1 / (1 + (n_g - 1) rho) for a voter of n_g judgements: the best weights if judgements of a voter have
    the correlation rho, which moments estimate, pooled over pairs of systems and the heaviest voters.
    """
    found, heavy, n = rows.found, rows.heaviest(voter), np.bincount(voter)
    S, V = found.trials.size, found.inverse
    if heavy.size < 2:
        return np.ones(voter.size)
    strengths, others = rows.sums(voter)
    scores = np.hstack([strengths[heavy].toarray(), others[heavy]]) @ V
    clustered = single = squares = share = 0.0
    upper = np.triu_indices(S, 1)

    def over_pairs(A: FloatArray) -> FloatArray:
        diagonal = np.diagonal(A, axis1=-2, axis2=-1)
        every: FloatArray = diagonal[..., :, None] + diagonal[..., None, :] - 2.0 * A
        return every[..., upper[0], upper[1]]

    of_y = found.residuals[0]
    squared = replace(rows, found=replace(found, moments=found.moments._replace(variance=of_y * of_y)))
    for part, informations in rows.informations(voter, heavy):
        q = over_pairs((V @ informations @ V)[:, :S, :S])
        squares += float((q * q).sum())
        share += float(q.sum())
        moved = scores[part, :S]
        clustered += float(((moved[:, upper[0]] - moved[:, upper[1]]) ** 2).sum())
    for _, informations in squared.informations(voter, heavy):
        single += float(over_pairs((V @ informations @ V)[:, :S, :S]).sum())
    correlation = (clustered - single) / squares * share / (upper[0].size * float(n[heavy].sum()))
    return np.asarray(1.0 / (1.0 + (n - 1.0) * min(max(correlation, 0.0), 1.0)))[voter]
