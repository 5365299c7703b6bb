"""Strengths by Bradley and Terry's model or Davidson's, from win matrices, and how well these determine them.

A win matrix is a sum over judgements, so strengths are functions of sums: all that is fitted here takes any
number of win matrices at once, and resampled ones are refitted together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, stdtrit

from bestby._core import checks, rounding
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import ArrayLike, BoolArray, FloatArray, IntArray
from bestby.inference.clusters import equal_units
from bestby.inference.intervals import Ends
from bestby.inference.proportions import tango_ends, two_sided_quantile, wilson_ends
from bestby.vocabulary import allowed_names

ELO = 400.0 / math.log(10.0)
"""Points on the Elo scale per unit of log strength."""


def strengths(
    wins: ArrayLike, ties: ArrayLike | None = None, *, model: str = "half", prior: float = 0.0
) -> Strengths:
    """Fit strengths by maximum likelihood to win matrices of shape (..., S, S).

    With strengths exp(b), the odds of A against B are exp(b_A - b_B) (Bradley & Terry 1952, Biometrika 39,
    324-345); Davidson's tie has the weight nu exp((b_A + b_B) / 2) beside exp(b_A) and exp(b_B) (Davidson
    1970, J. Amer. Statist. Assoc. 65, 317-328). A minorise-maximise step multiplies each strength by the wins
    observed over those expected (Hunter 2004, Ann. Statist. 32, 384-406, eq. 3), and nu by the ties observed
    over those expected. Such steps converge slowly where few judgements join groups of systems, so after five
    of them Newton's method finishes, its steps damped by log(1 + r) / r with r their reach, by which it
    converges from anywhere (Bach 2010, Electron. J. Statist. 4, 384-414).

    `prior` judgements, half of them won and half lost, are added between every two systems, which gives a
    system that won or lost all a finite strength. The estimates are NaN where there are none: for every two
    groups of systems, some of each must have won against some of the other.
    """
    checks.choice(model, allowed_names("ties"), "ties")
    if not 0.0 <= prior <= checks.LARGEST:
        raise InvalidInputError(
            f"prior must be a number of judgements, at least 0 and at most {checks.LARGEST:g}, got {prior}",
            hint="prior=1 is usual",
            argument="prior",
        )
    w, t = _matrices(wins, ties)
    w = w + 0.5 * prior * (1.0 - np.eye(w.shape[-1]))
    if model == "half":
        w, t = w + 0.5 * t, np.zeros_like(t)
    shape, size = w.shape[:-2], w.shape[-1]
    log, tie = _maximum_likelihood(w.reshape(-1, size, size), t.reshape(-1, size, size))
    return Strengths(log.reshape(*shape, size), tie.reshape(shape))


@dataclass(frozen=True, eq=False)
class Strengths:
    """Strengths fitted to one or several win matrices.

    `log`, of shape (..., S): log strengths, whose mean is 0; NaN where there is no finite estimate. `tie`, of
    shape (...): Davidson's tie parameter; 0 where ties are halves.
    """

    log: FloatArray
    tie: FloatArray

    def preference(self, a: int, b: int) -> FloatArray:
        """Return the probability that A is preferred to B, a tie counting half, shape (...)."""
        q, _ = win_and_tie_probabilities(self.log[..., a] - self.log[..., b], log_of(self.tie))
        return q


def win_rates(wins: ArrayLike, ties: ArrayLike | None = None) -> FloatArray:
    """Return the share of its judgements that each system wins, a tie counting half; NaN without any."""
    w, t = _matrices(wins, ties)
    won: FloatArray = (w + 0.5 * t).sum(axis=-1)
    judged = (w + np.swapaxes(w, -1, -2) + t).sum(axis=-1)
    rates: FloatArray = np.divide(won, judged, out=np.full_like(won, np.nan), where=judged > 0.0)
    return rates


def _matrices(wins: ArrayLike, ties: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
    w = np.asarray(wins, dtype=np.float64)
    if w.ndim < 2 or w.shape[-1] != w.shape[-2] or w.shape[-1] < 2:
        raise InvalidInputError(f"wins must have a row and a column per system, two at least, got {w.shape}")
    t = np.zeros_like(w) if ties is None else np.asarray(ties, dtype=np.float64)
    if t.shape != w.shape:
        raise InvalidInputError(f"wins and ties must have one shape, got {w.shape} and {t.shape}")
    for what, matrix in (("wins", w), ("ties", t)):
        if not (np.isfinite(matrix).all() and (matrix >= 0.0).all()):
            raise InvalidInputError(f"{what} must be numbers of judgements, at least 0")
        if np.diagonal(matrix, axis1=-2, axis2=-1).any():
            raise InvalidInputError(f"{what} must be 0 on the diagonal: no system is judged against itself")
    if (t != np.swapaxes(t, -1, -2)).any():
        raise InvalidInputError("ties must be symmetric", hint="ties[i, j] and ties[j, i] are the same ties")
    return w, t


def groups(wins: ArrayLike, ties: ArrayLike | None = None) -> list[tuple[list[int], str]]:
    """Return the groups of systems within which wins and ties lead from each to each, and how they stand.

    A group is "apart": never judged with any other; "ahead": never lost or tied with another group; "behind":
    never won or tied; "between": the rest.
    """
    reach = leads(*_matrices(wins, ties))
    both = reach & reach.T
    out = []
    for members in sorted({tuple(np.flatnonzero(row).tolist()) for row in both}):
        inside = np.isin(np.arange(reach.shape[0]), members)
        wins_out, loses_out = bool(reach[inside][:, ~inside].any()), bool(reach[~inside][:, inside].any())
        stands = {(False, False): "apart", (True, False): "ahead", (False, True): "behind"}
        out.append((list(members), stands.get((wins_out, loses_out), "between")))
    return out


def refuse_unconnected(wins: ArrayLike, ties: ArrayLike, names: Sequence[str]) -> None:
    """Refuse a win matrix without finite strengths, naming the systems that stand apart."""
    parts = groups(wins, ties)
    if len(parts) == 1:
        return
    reasons = {
        "apart": "never met any of the others",
        "ahead": "never lost or tied against any of the others",
        "behind": "never won or tied against any of the others",
    }
    members, stands = next(entry for kind in reasons for entry in parts if entry[1] == kind)
    listed = ", ".join(names[i] for i in members[:5]) + (", …" if len(members) > 5 else "")
    raise DesignError(
        f"strengths have no finite estimate: {listed} {reasons[stands]}",
        hint="prior=1 adds a judgement, half won and half lost, between every two systems;"
        " or leave these systems out",
    )


def refuse_infinite(fitted: Strengths) -> None:
    """Refuse strengths without a finite estimate though wins and ties lead from every system to every other.

    All judgements are ties then, or every lead above some size was a win, every one below it a tie.
    """
    if np.isnan(fitted.log).any():
        raise DesignError(
            "strengths have no finite estimate: the judgements are all ties, or wins and ties can be told"
            " apart without error",
            hint='ties="half" counts a tie as half a win for both',
        )


# -- maximum likelihood for many win matrices at once ----------------------------------------------


def _maximum_likelihood(wins: FloatArray, ties: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return log strengths (R, S) and tie parameters (R,) of win matrices (R, S, S)."""
    log = np.full(wins.shape[:-1], np.nan)
    tie = np.full(wins.shape[0], np.nan)
    # Where nothing but ties was judged, the tie parameter has no finite estimate.
    decided = wins.any(axis=(-1, -2))
    active = np.flatnonzero(leads(wins, ties).all(axis=(-1, -2)) & decided)
    won = (wins + 0.5 * ties).sum(axis=-1)[active]
    tied = 0.5 * ties.sum(axis=(-1, -2))[active]
    pairs = (wins + np.swapaxes(wins, -1, -2) + ties)[active]
    b, eta = np.zeros_like(won), np.where(tied > 0.0, 0.0, -np.inf)
    # A bound: what has not converged by then stays NaN
    for step in range(200):
        if active.size == 0:
            break
        q, p_tie = all_probabilities(b, eta)
        expected, expected_ties = (pairs * q).sum(axis=-1), 0.5 * (pairs * p_tie).sum(axis=(-1, -2))
        # Minorise-maximise steps before Newton's
        if step < 5:
            # Hunter's eq. 3, on the log scale: observed wins over expected ones, observed ties likewise
            b = b + np.log(won / expected)
            eta = eta + np.log(np.where(tied > 0.0, tied / np.where(tied > 0.0, expected_ties, 1.0), 1.0))
            continue
        gradient = np.column_stack([won - expected, np.where(tied > 0.0, tied - expected_ties, 0.0)])
        move, reach = newton_step(information_of(pairs, q, p_tie), gradient)
        b, eta = b + move[:, :-1], eta + move[:, -1]
        # Reach of a Newton step after which the error is that squared
        done = reach < 1e-7
        log[active[done]], tie[active[done]] = b[done], np.exp(eta[done])
        # Spread of log strengths from which there is no finite estimate
        going = ~done & (np.ptp(b, axis=-1) < 60.0)
        active, won, tied, pairs, b, eta = (x[going] for x in (active, won, tied, pairs, b, eta))
    return log - log.mean(axis=-1, keepdims=True), tie


def newton_step(matrix: FloatArray, gradient: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return damped Newton steps (R, S + 1) by the information, and how far the full ones would reach."""
    size = matrix.shape[-1]
    # A constant added to all log strengths changes nothing: that direction is given some curvature, and the
    # steps, whose gradient has no part in it, none. Without ties the last row is empty.
    curvature = np.trace(matrix, axis1=-2, axis2=-1) / size
    free = np.ones((size, size))
    free[-1], free[:, -1] = 0.0, 0.0
    steep = matrix + curvature[:, None, None] * (free / size + 1e-13 * np.eye(size))
    steep[matrix[:, -1, -1] == 0.0, -1, -1] = 1.0
    move = np.linalg.solve(steep, gradient[..., None])[..., 0]
    reach = np.ptp(move[:, :-1], axis=-1) + np.abs(move[:, -1])
    damping = np.divide(np.log1p(reach), reach, out=np.ones_like(reach), where=reach > 0.0)
    return move * damping[:, None], reach


def information_of(pairs: FloatArray, q: FloatArray, p_tie: FloatArray) -> FloatArray:
    """Return the Fisher information (R, S + 1, S + 1) of log strengths and log tie parameter."""
    size = pairs.shape[-1]
    out = np.zeros((pairs.shape[0], size + 1, size + 1))
    # A judgement is 1, 0 or 1/2: its variance is q - p_tie / 4 - q^2 = q (1 - q) - p_tie / 4, and 1 - q is
    # the entry of the mirrored pair, to the last digit.
    variance = pairs * (q * np.swapaxes(q, -1, -2) - 0.25 * p_tie)
    out[:, :size, :size] = -variance
    diagonal = np.arange(size)
    out[:, diagonal, diagonal] += variance.sum(axis=-1)
    out[:, :size, size] = out[:, size, :size] = (pairs * p_tie * (0.5 - q)).sum(axis=-1)
    out[:, size, size] = 0.5 * (pairs * p_tie * (1.0 - p_tie)).sum(axis=(-1, -2))
    return out


def all_probabilities(b: FloatArray, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what `probabilities` does for every two systems, (..., S, S)."""
    return win_and_tie_probabilities(b[..., :, None] - b[..., None, :], eta[..., None, None])


def win_and_tie_probabilities(gap: FloatArray, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the expected value of a judgement, a tie counting half, and the probability of a tie."""
    if np.isneginf(eta).all():
        q: FloatArray = expit(gap)
        return q, np.zeros_like(q)
    # Over exp(|gap| / 2), so that nothing overflows.
    small = np.exp(-np.abs(gap))
    tie = np.exp(eta - 0.5 * np.abs(gap))
    p_tie: FloatArray = tie / (1.0 + small + tie)
    ahead = (1.0 + 0.5 * tie) / (1.0 + small + tie)
    return np.where(gap >= 0.0, ahead, 1.0 - ahead), p_tie


def log_of(tie: FloatArray) -> FloatArray:
    """Return the logarithm of tie parameters, of which some may be 0."""
    with np.errstate(divide="ignore"):
        return np.log(tie)


def leads(wins: FloatArray, ties: FloatArray) -> BoolArray:
    """Return from which systems wins and ties lead to which, (..., S, S)."""
    size = wins.shape[-1]
    reach: BoolArray = (wins + ties > 0.0) | np.eye(size, dtype=np.bool_)
    for _ in range(max(1, math.ceil(math.log2(size)))):  # each square doubles the length of the paths
        step = reach.astype(np.float32)
        reach = step @ step > 0.0
    return reach


# -- covariances -----------------------------------------------------------------------------------


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
    size, log_tie = fitted.log.shape[-1], log_of(fitted.tie)
    pairs = np.zeros((size, size))
    np.add.at(pairs, (a, b), 1.0)
    pairs = pairs + pairs.T
    probabilities = all_probabilities(fitted.log[None], log_tie[None])
    information, with_prior = (
        information_of((pairs + more)[None], *probabilities)[0]
        for more in (0.0, prior * (1.0 - np.eye(size)))
    )
    tied = np.zeros((size + 1, size + 1))
    if model == "half":
        t = y == 0.5
        np.add.at(tied, (np.r_[a[t], b[t]], np.r_[b[t], a[t]]), -0.25)
        np.fill_diagonal(tied, -tied.sum(axis=1))
    q, p_tie = win_and_tie_probabilities(fitted.log[a] - fitted.log[b], log_tie)
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
    has_ties = information[-1, -1] > 0.0
    if not has_ties:
        full[-1, -1] = amount
    inverse: FloatArray = np.linalg.inv(full) - constant / amount
    if not has_ties:
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


class Variance(NamedTuple):
    """The variance of an estimate by the model, as if all judgements were wins and losses and independent.

    `decided` is what ties multiply it by, and `effect` what clusters do.
    """

    model: float
    decided: float
    effect: float


@dataclass(frozen=True)
class Units:
    """How many judgements there are, in how many clusters, and in how many if these were of equal size."""

    n: int
    clusters: int
    equal: float
    independent: bool

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
        if self.independent:
            return 1.0
        if rounding.is_nothing(single, expected):
            return self.n / self.equal
        if rounding.is_nothing(clustered, single):
            return 1.0
        return clustered / single

    def quantile(self, level: float) -> float:
        """Return the normal quantile, or with clusters that of Student's t."""
        if self.independent:
            return two_sided_quantile(level)
        return float(stdtrit(max(self.equal - 1.0, 1.0), 0.5 * (1.0 + level)))


# -- score intervals that hold near 0 and 1 --------------------------------------------------------


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
    return _logit(low), _logit(high)


def _logit(p: float) -> float:
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
