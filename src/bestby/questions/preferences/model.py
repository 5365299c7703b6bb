"""The model of judgements: strengths, the effect of being shown first, covariates and ties, fitted by Newton.

    logit E y = th_i - th_j + g + x'b,    y = 1 where i, shown first, won, 1/2 for a tie, 0 where j won,

for strengths th with the mean 0, fitted to counted judgements. With ties as half wins it is quasi-likelihood:
the mean must be right, and the covariance of `precision` gets the variance of ties right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from bestby._core import special
from bestby._core.cached import cached_property
from bestby._core.errors import DesignError
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.questions.preferences.source import Judgements

WITHIN = 0.05
"""Share of what is known of the order that must come from pairs shown both ways for it to be in the model."""

FARTHEST = 30.0
"""Log odds of a judgement beyond which a fit with covariates or ties of its own has no finite estimate."""

COLLINEAR = 1e10
"""Condition of the scaled information from which covariates cannot be told from strengths."""


@dataclass(frozen=True, eq=False)
class Trials:
    """Judgements, equal ones once: `count` of them, or the sum of their weights, each array of shape (m,).

    `outcome` is 2 where the first won, 1 for a tie, 0 where the second did. `columns`, of shape (m, k), are
    those of the design beside the strengths: ones for the order, and covariates. `place` is the trial of each
    judgement, -1 where it is in none.
    """

    judged: Judgements
    first: Array
    second: Array
    outcome: Array
    count: FloatArray
    columns: FloatArray
    place: Array

    @property
    def size(self) -> int:
        """The number of systems."""
        return len(self.judged.systems)

    @classmethod
    def of(cls, judged: Judgements) -> Trials:
        """Count judgements by systems and outcome."""
        size = len(judged.systems)
        codes = (judged.outcome.astype(np.int32) * size + judged.first) * size + judged.second
        count = np.bincount(codes, judged.weights, 3 * size**2).astype(np.float64)
        cells = np.flatnonzero(count)
        place = np.full(count.size, -1, dtype=np.int32)
        place[cells] = np.arange(cells.size)
        outcome, first, second = (x.astype(np.int32) for x in np.unravel_index(cells, (3, size, size)))
        return cls(judged, first, second, outcome, count[cells], np.empty((cells.size, 0)), place[codes])

    def one_by_one(self, columns: FloatArray) -> Trials:
        """Return a trial per judgement, with more columns, of those that are in a trial."""
        judged, there = self.judged, self.place >= 0
        kept = slice(None) if there.all() else there  # of all a view, for there may be many
        return Trials(
            judged,
            judged.first[kept],
            judged.second[kept],
            judged.outcome[kept],
            np.ones(there.sum()) if judged.weights is None else judged.weights[kept],
            np.hstack([self.columns[self.place[kept]], columns[kept]]),
            np.where(there, np.cumsum(there, dtype=np.int32) - 1, -1),
        )

    def at(self, positions: Array) -> Trials:
        """Return the trials at some positions, which judgements are in none of."""
        names = ("first", "second", "outcome", "count", "columns")
        return replace(self, **{name: getattr(self, name)[positions] for name in names}, place=positions[:0])

    def among(self, chosen: BoolArray) -> Trials:
        """Return some of the trials; judgements of the others are in none."""
        if chosen.all():
            return self
        moved = np.append(np.where(chosen, np.cumsum(chosen) - 1, -1), -1).astype(np.int32)
        return replace(self.at(np.flatnonzero(chosen)), place=moved[self.place])

    def with_order(self) -> Trials:
        """Return the trials with a column of ones before the others."""
        return replace(self, columns=np.column_stack([np.ones(self.count.size), self.columns]))

    @cached_property
    def pair(self) -> IntArray:
        """The number of the two systems, of that shown first before that of the other."""
        return np.asarray(self.first.astype(np.int64) * self.size + self.second)

    def table(self, values: FloatArray) -> FloatArray:
        """Return the sum of values of trials by the system shown first and the other, shape (S, S)."""
        return np.asarray(np.bincount(self.pair, values, self.size**2).reshape(self.size, self.size))

    def tables(self) -> list[FloatArray]:
        """Return how often the second won, neither and the first, by the two systems, each (S, S)."""
        return [self.table(np.where(self.outcome == outcome, self.count, 0.0)) for outcome in (0, 1, 2)]

    @property
    def records(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Wins, ties and losses of the system of the row against that of the column, each (S, S)."""
        lost, tied, won = self.tables()
        wins = won + lost.T
        return wins, tied + tied.T, wins.T

    def by_judgement(self, values: Array, some: Any = slice(None)) -> FloatArray:
        """Return for each judgement, or some of them, the value of its trial, 0 of those in none."""
        held: FloatArray = np.append(values, 0.0)[self.place[some]]
        return held

    def weighted(self, values: FloatArray, some: Any = slice(None)) -> FloatArray:
        """Return what `by_judgement` does, times the weights of the judgements."""
        held, weights = self.by_judgement(values, some), self.judged.weights
        return held if weights is None else held * weights[some]


class Moments(NamedTuple):
    """Of each trial: the mean of y, its variance, that of a tie, their covariance, and the share of ties."""

    mean: FloatArray
    variance: FloatArray
    tied: FloatArray
    both: FloatArray
    ties: FloatArray


@dataclass(frozen=True, eq=False)
class Fit:
    """The fitted model: parameters (P,) are the S strengths, the columns of the trials, and log nu of ties.

    `component` tells which systems have finite differences of strength: those of one number, whose mean
    is 0. `information`, (P, P), is Fisher's of all judgements; `inverse` is its inverse in their space.
    """

    trials: Trials
    parameters: FloatArray
    component: IntArray
    davidson: bool
    jeffreys: bool
    information: FloatArray
    inverse: FloatArray
    moments: Moments

    @property
    def strengths(self) -> FloatArray:
        """Log strengths, shape (S,)."""
        return self.parameters[: self.trials.size]

    @property
    def tie(self) -> float:
        """Davidson's nu: twice the odds of a tie between equals; 0 where ties are halves."""
        return float(np.exp(self.parameters[-1])) if self.davidson else 0.0

    def preferred(self, gap: FloatArray) -> FloatArray:
        """Return the probability that the first is preferred, a tie counting half, at these log odds."""
        return moments_at(gap, float(self.parameters[-1]) if self.davidson else None).mean

    @cached_property
    def residuals(self) -> tuple[FloatArray, ...]:
        """Y less its mean of one judgement of each trial, and in Davidson's model a tie less its probability.

        These are the derivatives of the log likelihood by the log odds and by log nu.
        """
        outcome, moments = self.trials.outcome, self.moments
        of_y = 0.5 * outcome - moments.mean
        return (of_y, (outcome == 1) - moments.ties) if self.davidson else (of_y,)

    @cached_property
    def leverage(self) -> FloatArray:
        """The leverage of one judgement of each trial: w z'Vz."""
        trials, V = self.trials, self.inverse
        i, j, S = trials.first, trials.second, trials.size
        spread = V[i, i] + V[j, j] - 2.0 * V[i, j]
        for k, x in enumerate(trials.columns.T, start=S):
            spread = spread + 2.0 * x * (V[i, k] - V[j, k])
            spread += sum(x * y * V[k, m] for m, y in enumerate(trials.columns.T, start=S))
        return self.moments.variance * spread

    @property
    def log_likelihood(self) -> float:
        """The log likelihood of the counted judgements; with ties as half wins the quasi-likelihood."""
        q, ties = self.moments.mean, self.moments.ties
        win, loss = (q - 0.5 * ties, 1.0 - q - 0.5 * ties) if self.davidson else (q, 1.0 - q)
        tied = np.log(ties) if self.davidson else 0.5 * (np.log(q) + np.log(1.0 - q))
        logs = np.choose(self.trials.outcome, (np.log(loss), tied, np.log(win)))
        return float(self.trials.count @ logs)


def log_odds(trials: Trials, parameters: FloatArray) -> FloatArray:
    """Return d, the log odds of the first against the second in each trial."""
    S, k = trials.size, trials.columns.shape[1]
    gap: FloatArray = parameters[trials.first] - parameters[trials.second]
    return gap + trials.columns @ parameters[S : S + k] if k else gap


def moments_at(gap: FloatArray, log_tie: float | None) -> Moments:
    """Return the moments of one judgement each, at these log odds; `log_tie` is Davidson's log nu."""
    if log_tie is None:
        mean, nothing = special.expit(gap), np.zeros(0)
        return Moments(mean, mean * special.expit(-gap), nothing, nothing, nothing)
    # Davidson (1970): exp(d / 2), nu and exp(-d / 2), over exp(|d| / 2) so that nothing overflows; the order
    # is in d (Davidson & Beaver 1977, Biometrics 33, 693-702).
    small, tie = np.exp(-np.abs(gap)), np.exp(log_tie - 0.5 * np.abs(gap))
    ties = tie / (1.0 + small + tie)
    ahead = (1.0 + 0.5 * tie) / (1.0 + small + tie)
    mean = np.where(gap >= 0.0, ahead, 1.0 - ahead)
    variance = ahead * (1.0 - ahead) - 0.25 * ties
    return Moments(mean, variance, ties * (1.0 - ties), ties * (0.5 - mean), ties)


def products(
    trials: Trials, of_y: FloatArray, of_ties: Sequence[FloatArray] = (), *, group: Any = None, n: int = 1
) -> FloatArray:
    """Return the sums over trials of outer products of their rows of the design, (P, P) or (n, P, P).

    The weights are those of y, and `of_ties`, of the tie and of both, if it has a parameter. Strengths make a
    Laplacian, since rows are e_i - e_j. `group` are numbers of trials below n, if there are groups.
    """
    S, columns = trials.size, trials.columns.T
    pair = trials.pair if group is None else group * S**2 + trials.pair

    def total(values: FloatArray) -> Any:
        return values.sum() if group is None else np.bincount(group, values, n)

    def by_pair(values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(pair, values, n * S**2).reshape(n, S, S))

    out = np.zeros((n, *[S + len(columns) + bool(of_ties)] * 2))
    pairs = by_pair(of_y)
    pairs += pairs.swapaxes(1, 2).copy()
    out[:, :S, :S] = -pairs
    out[:, np.arange(S), np.arange(S)] += pairs.sum(axis=2)
    weighted = chain((x * of_y for x in columns), of_ties[1:])
    for column, values in enumerate(weighted, start=S):
        table = by_pair(values)
        out[:, :S, column] = out[:, column, :S] = table.sum(axis=2) - table.sum(axis=1)
        for row, x in enumerate(columns[: column - S + 1], start=S):
            out[:, row, column] = out[:, column, row] = total(x * values)
    if of_ties:
        out[:, -1, -1] = total(of_ties[0])
    return out[0] if group is None else out


def information(
    trials: Trials, moments: Moments, davidson: bool, *, group: Any = None, n: int = 1
) -> FloatArray:
    """Return the Fisher information of the trials, (P, P), or by `group`, (n, P, P)."""
    c = trials.count
    ties = (c * moments.tied, c * moments.both) if davidson else ()
    return products(trials, c * moments.variance, ties, group=group, n=n)


def constant(component: IntArray, n_parameters: int) -> FloatArray:
    """Return the projection on what the judgements tell nothing of: constants added to a component."""
    same = component[:, None] == component[None, :]
    out = np.zeros((n_parameters, n_parameters))
    out[: component.size, : component.size] = same / same.sum(axis=1)
    return out


def fit(
    trials: Trials,
    component: IntArray,
    *,
    davidson: bool = False,
    jeffreys: bool = False,
    start: FloatArray | None = None,
    offset: FloatArray | float = 0.0,
    names: tuple[str, ...] = (),
) -> Fit:
    """Fit the model by Newton's method; `offset`, (m,), is added to the log odds.

    Steps are damped by log(1 + r) / r with r their reach, by which they converge from anywhere (Bach 2010,
    Electron. J. Statist. 4, 384-414). `jeffreys` adds to each judgement h of one, half of it won, with h its
    leverage: Jeffreys' prior, by which estimates are finite and nearly unbiased (Firth 1993, Biometrika
    80, 27-38, section 3.3). `names` are those of covariates, which are refused where they do not converge.
    """
    P = trials.size + trials.columns.shape[1] + davidson
    beta = np.zeros(P)
    if start is not None:
        beta[: start.size] = start
    free = constant(component, P)
    if davidson and trials.outcome.size and (trials.outcome == 1).all():
        raise DesignError(
            "strengths have no finite estimate: the judgements are all ties",
            hint='ties="half" counts a tie as half a win for both',
        )
    gap = log_odds(trials, beta) + offset
    for step_number in range(100):
        moments = moments_at(gap, float(beta[-1]) if davidson else None)
        matrix = information(trials, moments, davidson)
        if names and step_number == 0:
            _refuse_collinear(matrix, trials.size, names)
        amount = max(float(np.trace(matrix)) / P, 1e-300)
        inverse = np.linalg.inv(matrix + amount * free) - free / amount
        inverse = 0.5 * (inverse + inverse.T)
        found = Fit(trials, beta, component, davidson, jeffreys, matrix, inverse, moments)
        of_y, *of_tie = (trials.count * x for x in found.residuals)
        if jeffreys:
            of_y += trials.count * found.leverage * (0.5 - moments.mean)
        ahead = np.bincount(trials.first, of_y, trials.size) - np.bincount(trials.second, of_y, trials.size)
        gradient = np.concatenate([ahead, of_y @ trials.columns, [x.sum() for x in of_tie]])
        step = inverse @ gradient
        reach = float(np.abs(log_odds(trials, step)).max(initial=0.0))
        reach += abs(float(step[-1])) if davidson else 0.0
        # Log odds by which a step moves at the most
        if reach < 1e-10:
            return found
        beta = beta + step * (np.log1p(reach) / reach)
        gap = log_odds(trials, beta) + offset
        if (names or davidson) and float(np.abs(gap).max()) > FARTHEST:
            break
    if names:
        raise DesignError(
            f"the covariates {', '.join(names)} predict some judgements without error, so that their"
            " coefficients have no finite estimate",
            hint="leave covariates out, or use fewer of them",
        )
    raise DesignError(
        "the strengths have no finite estimate: wins and ties can be told apart without error",
        hint='ties="half" counts a tie as half a win',
    )


def _refuse_collinear(matrix: FloatArray, size: int, names: tuple[str, ...]) -> None:
    """Refuse covariates that strengths, the order or one another determine: what is left of each is 0."""
    scale = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    scaled = matrix / np.outer(scale, scale)
    S = slice(0, size)
    inner = np.linalg.pinv(scaled[S, S], rcond=1.0 / COLLINEAR, hermitian=True)
    left = scaled[size:, size:] - scaled[size:, S] @ inner @ scaled[S, size:]
    if np.linalg.eigvalsh(left)[0] > 1.0 / COLLINEAR:
        return
    raise DesignError(
        f"the covariates {', '.join(names)} cannot be told from strengths or from one another: one is"
        " constant, constant for each system, or a sum of others",
        hint="leave it out; a covariate must vary between the answers of one system",
    )
