"""How well judgements determine strengths: covariances, and score intervals that hold near 0 and 1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, stdtrit

from bestby._core import rounding
from bestby._core.typing import ArrayLike, FloatArray, IntArray
from bestby.inference.clusters import equal_units
from bestby.inference.intervals import Ends
from bestby.inference.proportions import tango_ends, two_sided_quantile, wilson_ends
from bestby.questions.preferences import _strengths
from bestby.questions.preferences.preference import Strengths


class Variance(NamedTuple):
    """The variance of an estimate by the model, as if all judgements were wins and losses and independent.

    `decided` is what ties multiply it by, and `effect` what clusters do.
    """

    model: float
    decided: float
    effect: float


@dataclass(frozen=True, eq=False)
class Errors:
    """What the judgements say of the log strengths (S) and the log tie parameter, each shape (S + 1, S + 1).

    `inverse` is the inverse Fisher information, prior included, for strengths whose mean is 0; `information`
    that of the judgements, and `ties` the part of it that tied judgements lack where a tie is half a win.
    `single` and `clustered` are sums of the outer products of the scores of the judgements and of the
    clusters, the latter times G / (G - 1).
    """

    inverse: FloatArray
    information: FloatArray
    ties: FloatArray
    single: FloatArray
    clustered: FloatArray
    units: Units

    @property
    def fisher(self) -> FloatArray:
        """Covariance of log strengths: right if the model is and the judgements are independent."""
        return self.inverse[:-1, :-1]

    @property
    def robust(self) -> FloatArray:
        """Covariance of log strengths from the judgements, summed over each cluster.

        It is H M H with H the inverse information and M the sum over clusters of the outer product of their
        scores (Liang & Zeger 1986, Biometrika 73, 13-22, eq. 6), times G / (G - 1) for G clusters.
        """
        covariance: FloatArray = (self.inverse @ self.clustered @ self.inverse)[:-1, :-1]
        return covariance

    def variance(self, contrast: FloatArray) -> Variance:
        """Return how precise an estimate is whose derivatives by the parameters (S + 1,) are given."""
        along = self.inverse @ contrast
        variance = float(contrast @ along)
        informed = float(along @ self.information @ along)
        decided = 1.0 - float(along @ self.ties @ along) / informed if informed > 0.0 else 1.0
        single, clustered = float(along @ self.single @ along), float(along @ self.clustered @ along)
        return Variance(variance, max(decided, 0.0), self.units.effect(single, clustered, informed))


@dataclass(frozen=True)
class Units:
    """How many judgements there are, in how many clusters, and in how many if these were of equal size."""

    n: int
    clusters: int
    equal: float
    alone: bool

    @classmethod
    def of(cls, codes: IntArray | None, n: int) -> Units:
        """Return the numbers of judgements in clusters, as codes; None: each is its own."""
        if codes is None:
            return cls(n, n, float(n), True)
        sizes = np.unique(codes, return_counts=True)[1]
        return cls(n, sizes.size, equal_units(sizes.astype(np.float64)), False)

    def effect(self, single: float, clustered: float, expected: float) -> float:
        """Return how many times as large clusters make a variance; judgements that all agree count as one.

        Where wins and losses balance within every cluster, nothing varies between clusters. That is no
        certainty: judgements then count as independent.
        """
        if self.alone:
            return 1.0
        if rounding.is_nothing(single, expected):
            return self.n / self.equal
        if rounding.is_nothing(clustered, single):
            return 1.0
        return clustered / single

    def quantile(self, level: float) -> float:
        """Return the normal quantile, or with clusters that of Student's t."""
        if self.alone:
            return two_sided_quantile(level)
        return float(stdtrit(max(self.equal - 1.0, 1.0), 0.5 * (1.0 + level)))


def errors(
    fitted: Strengths,
    first: ArrayLike,
    second: ArrayLike,
    values: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    model: str = "half",
    prior: float = 0.0,
) -> Errors:
    """Return what judgements say of the strengths fitted to them.

    The arrays have shape (n,); `values` are 1 where the first was preferred, 0 where the second was, 0.5 for
    a tie.
    """
    a, b = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    y = np.asarray(values, dtype=np.float64)
    size, log_tie = fitted.log.shape[-1], _strengths.log_of(fitted.tie)
    pairs = np.zeros((size, size))
    np.add.at(pairs, (a, b), 1.0)
    pairs = pairs + pairs.T
    probabilities = _strengths.all_probabilities(fitted.log[None], log_tie[None])
    information, with_prior = (
        _strengths.information_of((pairs + more)[None], *probabilities)[0]
        for more in (0.0, prior * (1.0 - np.eye(size)))
    )
    tied = np.zeros((size + 1, size + 1))
    if model == "half":
        t = y == 0.5
        np.add.at(tied, (np.r_[a[t], b[t]], np.r_[b[t], a[t]]), -0.25)
        np.fill_diagonal(tied, -tied.sum(axis=1))
    q, p_tie = _strengths.probabilities(fitted.log[a] - fitted.log[b], log_tie)
    ties = (y == 0.5) - p_tie if model == "davidson" and fitted.tie > 0.0 else np.zeros(a.size)
    unit = np.arange(a.size) if clusters is None else np.asarray(clusters, dtype=np.int64)
    units = Units.of(None if clusters is None else unit, a.size)
    single = _products(a, b, y - q, ties, np.arange(a.size), size)
    clustered = _products(a, b, y - q, ties, unit, size)
    spread = clustered * (units.clusters / max(units.clusters - 1, 1))
    return Errors(_inverse(with_prior), information, tied, single, spread, units)


def _inverse(information: FloatArray) -> FloatArray:
    """Return the inverse of the information for strengths whose mean is 0, shape (S + 1, S + 1).

    A constant added to all strengths changes nothing, so the information has no inverse in that direction: it
    is given some there, which is taken away again. Zero for the tie parameter where nothing tells of it.
    """
    size = len(information) - 1
    constant = np.zeros_like(information)
    constant[:-1, :-1] = 1.0 / size
    amount = float(np.trace(information[:-1, :-1])) / size
    full = information + amount * constant
    told = information[-1, -1] > 0.0
    if not told:
        full[-1, -1] = amount
    inverse: FloatArray = np.linalg.inv(full) - constant / amount
    if not told:
        inverse[-1, -1] = 0.0
    return 0.5 * (inverse + inverse.T)


def _products(
    a: IntArray, b: IntArray, residuals: FloatArray, ties: FloatArray, unit: IntArray, size: int
) -> FloatArray:
    """Return the sum over units of the outer products of their scores, shape (S + 1, S + 1)."""
    from scipy.sparse import coo_array

    rows = np.concatenate([unit, unit, unit])
    columns = np.concatenate([a, b, np.full(a.size, size)])
    entries = np.concatenate([residuals, -residuals, ties])
    score = coo_array((entries, (rows, columns)), shape=(int(unit.max()) + 1, size + 1)).tocsr()
    return np.asarray((score.T @ score).todense(), dtype=np.float64)


def odds_interval(log_odds: float, n: float, decided: float, quantile: float) -> Ends:
    """Return the score interval of a probability in n judgements, as log odds.

    `decided` is the variance over that of wins and losses alone. Without ties the interval is Wilson's
    (1927), written for the less likely outcome, so that odds of any size keep their digits; with ties it is
    Tango's (1998), of wins and losses as the items that only one of two systems has right.

    >>> low, high = odds_interval(math.log(4.0), 50.0, 1.0, 1.959964)
    >>> round(float(expit(low)), 4), round(float(expit(high)), 4)  # 40 of 50
    (0.6696, 0.8876)
    """
    if log_odds > 0.0:
        low, high = odds_interval(-log_odds, n, decided, quantile)
        return -high, -low
    p = float(expit(log_odds))
    if rounding.at_most(1.0, decided):
        low, high = (float(end) for end in wilson_ends(np.asarray(n * p), np.asarray(n), quantile))
    else:
        lead = 2.0 * p - 1.0
        share = lead * lead + decided * (1.0 - lead * lead)
        low, high = (0.5 * (1.0 + end) for end in tango_ends(lead * n, share * n, n, quantile))
    return _log_odds(low), _log_odds(high)


def _log_odds(p: float) -> float:
    if p <= 0.0:
        return -math.inf
    return math.log(p / (1.0 - p)) if p < 1.0 else math.inf


def share_interval(wins: float, losses: float, n: float, effect: float, quantile: float) -> Ends:
    """Return the score interval of a share of n judgements, a tie being half a win.

    `effect` is that of clusters on its variance.

    >>> tuple(round(end, 3) for end in share_interval(0, 0, 60, 1.0, 1.959964))  # nothing but ties
    (0.47, 0.53)
    """
    low, high = tango_ends((wins - losses) / effect, (wins + losses) / effect, n / effect, quantile)
    return 0.5 * (1.0 + low), 0.5 * (1.0 + high)
