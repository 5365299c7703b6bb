"""Small p-values of permutation tests: swaps drawn where they reach the observed difference.

Draws from the null hypothesis cannot give a p-value below 1 / (1 + B), and say little of one with a few hits.
Drawn with other chances, and weighted by how much likelier the null hypothesis makes each draw, they reach as
far out as the data do (importance sampling with exponential tilting).
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, expit, ndtr, pdtrc

from bestby._core import rounding
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.resampling import executing
from bestby.resampling.streams import block_generator
from bestby.results.values import TestResult

FEW_HITS = 10
"""Hits among the draws of the null hypothesis below which tilted draws follow."""

EXPECTED_HITS = 1.0
"""Hits that the normal distribution expects among the draws of the null hypothesis, below which these are not
made, unless a few trial draws show that there could be more."""

RELATIVE_ERROR = 0.15
"""Relative standard error of the p-value at which tilted draws end."""

MOST_DRAWS = 5_000
"""Tilted draws after which they end in any case."""

LARGEST_ERROR = 0.5
"""Relative standard error from which they are no better than the draws of the null hypothesis."""

LEAST_FIT = 0.95
"""Correlation of the difference with the sum of the effects, over draws of the null hypothesis.

A tilt that is made from effects which do not describe the difference, as those of medians and quantiles, can
miss a part of the tail.
"""

LEAST_EFFECTIVE = 20.0
"""Units of equal effect that would have the sum of squares and of fourth powers of the effects.

With an outlier, as in a correlation, the data may be as far out with it on the other side, which draws that
are tilted towards the data hardly reach: their weights are then too small, and their error does not show it.
"""

MORE_PLAIN = 10
"""How many times as many plain draws follow where tilted ones fail."""

MOST_PLAIN_WORK = 1_000_000_000
"""Plain draws times units that are made for one pair where tilted ones fail; a tenth of it for ranks."""

METHOD = "importance sampling"
"""The method of a test by tilted draws."""

_BATCH = 250
"""Tilted draws after which their error is looked at, and trial draws."""

_DISAGREES = 1e-4
"""Chance of the hits among plain draws below which the p-value of tilted draws is too small."""


def few_hits(result: TestResult) -> bool:
    """Return whether a p-value rests on few hits, or none, among draws of the null hypothesis."""
    return result.method == "monte carlo" and _hits(result) < FEW_HITS


def most_plain(n_resamples: int, n_units: int, work: int = MOST_PLAIN_WORK) -> int:
    """Return how many plain draws a pair may get if it has few hits and cannot be tilted.

    >>> most_plain(10_000, 500), most_plain(10_000, 50_000), most_plain(10_000, 1_000_000)
    (100000, 20000, 10000)
    """
    return max(n_resamples, min(MORE_PLAIN * n_resamples, work // n_units))


def least_p(result: TestResult) -> float:
    """Return the p-value, or the lower end of its 95 % interval where it rests on few hits."""
    if not few_hits(result):
        return result.p_value
    hits = _hits(result)
    return float(betaincinv(hits, result.n_resamples - hits + 1, 0.025)) if hits > 0 else 0.0


def _hits(result: TestResult) -> int:
    return round(result.p_value * (1 + result.n_resamples)) - 1


def refined(
    plain: TestResult, swaps: Swaps, tolerance: float, seed: int, *, linear: bool = False
) -> TestResult:
    """Return a permutation test with few hits again, its p-value from tilted draws.

    A draw that is as extreme as the data counts as much as the null hypothesis makes it likelier than the
    tilt does [1]_. So the estimate is unbiased for any statistic; but where the difference is no sum, a part
    of the tail that these draws hardly reach is missed without a sign in the error, which is why few units
    may not have most of the effect. The draws end when the estimated error is small enough, so that it is
    often too low: over seeds the p-value spreads by 10 to 15 %. How many draws there are depends on the pair
    alone.

    References
    ----------
    .. [1] Mehta, Patel & Senchaudhuri (1988), Importance sampling for estimating exact probabilities in
       permutational inference, J. Am. Stat. Assoc. 83, 999-1005.
    """
    swaps = swaps.towards(_direction(plain.alternative, plain.statistic))
    if not (linear or _described(swaps, *_null_draws(swaps, seed))):
        return plain
    return _refined(plain, swaps, swaps.least(tolerance), seed)


def _refined(plain: TestResult, swaps: Swaps, least: float, seed: int) -> TestResult:
    """Return a test again by tilted draws of swaps that are turned towards the data."""
    chances = tilt(swaps, least)
    if chances is None:
        return plain
    # Signs s have the chance prod sqrt(p (1 - p)) exp(s log_odds / 2), so that a draw weighs exp((own - s)
    # log_odds / 2) beside the data: near 1 where draws reach as far as these.
    log_odds = np.log(chances) - np.log1p(-chances)
    own_log_odds, n_units = float(swaps.own @ log_odds), float(swaps.counts.sum())
    total = squares = 0.0
    error, size = math.inf, 0
    while size < MOST_DRAWS and error > RELATIVE_ERROR:
        differences, along = drawn(swaps, chances, log_odds, seed, 1 + size // _BATCH, _BATCH)
        size += _BATCH
        hits = (differences >= least) | np.isnan(differences)
        if not hits.any() and total == 0.0:  # about half of them are, if the tilt leads to the data
            return plain
        with np.errstate(over="ignore"):
            weights = np.exp(0.5 * (own_log_odds - along[hits]))
            total, squares = total + float(weights.sum()), squares + float(weights @ weights)
        # Standard error of the mean weight, over that mean; the square of a huge total would raise.
        error = math.sqrt(max(squares - total * total / size, 0.0)) / total
    if not error <= LARGEST_ERROR:
        return plain
    # How much likelier the null hypothesis makes the data than the tilt does: all signs minus have 2^-n over
    # prod(1 - p), and from there log_odds / 2 are left for each step to the data.
    all_minus = -float(swaps.counts @ (math.log(2.0) + np.log1p(-chances)))
    log_own = all_minus - 0.5 * (float(swaps.counts @ log_odds) + own_log_odds)
    log_p = max(log_own + math.log(total / size), -math.log(2.0) * n_units)
    sides = 2.0 if plain.alternative == "two-sided" else 1.0
    p = min(1.0, max(sides * math.exp(max(log_p, -745.0)), sys.float_info.min))
    if too_small(p, plain):
        return plain
    size += plain.n_resamples
    return dataclasses.replace(plain, p_value=p, method=METHOD, error=error * p, n_resamples=size)


def far(
    swaps: Swaps,
    observed: float,
    alternative: Alternative,
    tolerance: float,
    seed: int,
    n_resamples: int,
) -> TestResult | None:
    """Return the test by tilted draws where the data are so far out that most plain draws say nothing.

    It is the p-value of `refined`. None where the data are nearer, or tilted draws fail.
    """
    swaps = swaps.towards(_direction(alternative, observed))
    # Hits that a normal distribution of the sum of effects expects: below one, plain draws cannot tell p.
    sd = math.sqrt(float(swaps.counts @ swaps.effects**2))
    tries = n_resamples * (2.0 if alternative == "two-sided" else 1.0)
    least = swaps.least(tolerance)
    out = min(float(swaps.effects @ swaps.own), least)
    if not (out > 0.0 and tries * float(ndtr(-out / sd)) < EXPECTED_HITS):
        return None
    null, along = _null_draws(swaps, seed)
    if not (null < least).all() or not _described(swaps, null, along):
        return None
    unhit = 1.0 / (1.0 + n_resamples)
    plain = TestResult("permutation", unhit, alternative, False, "monte carlo", 0.0, n_resamples, observed)
    result = _refined(plain, swaps, least, seed)
    return (
        None if result is plain else dataclasses.replace(result, n_resamples=result.n_resamples - n_resamples)
    )


def refined_mean(plain: TestResult, differences: FloatArray, divisor: float, seed: int) -> TestResult:
    """Return the test of a mean of differences, the units one by one: by tilted draws if it has few hits."""
    if not few_hits(plain):
        return plain
    differing = differences[differences != 0.0]
    differing = differing[np.argsort(np.abs(differing), kind="stable")]
    signs, sizes = np.sign(differing).astype(np.int64), np.abs(differing) / divisor
    ones = np.ones(signs.size, dtype=np.int64)
    swaps = Swaps(ones, signs, 2.0 * sizes, lambda sums: sums[:, 0], sizes[:, None])
    return refined(plain, swaps, rounding.tie_width(0.0, abs(plain.statistic)), seed, linear=True)


def _null_draws(swaps: Swaps, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return the differences, and the sums of the effects, of draws of the null hypothesis."""
    return drawn(swaps, np.full(swaps.counts.size, 0.5), swaps.effects, seed, 0, _BATCH)


def _described(swaps: Swaps, null: FloatArray, along: FloatArray) -> bool:
    """Return whether effects of many units describe the differences of draws of the null hypothesis."""
    squares = swaps.effects**2
    effective = float(swaps.counts @ squares) ** 2 / max(float(swaps.counts @ squares**2), sys.float_info.min)
    finite = np.isfinite(null)
    with np.errstate(divide="ignore", invalid="ignore"):  # of differences that are all the same
        fit = np.corrcoef(null[finite], along[finite])[0, 1] if finite.sum() > 1 else 0.0
    return bool(effective >= LEAST_EFFECTIVE and fit >= LEAST_FIT)


def _direction(alternative: Alternative, observed: float) -> float:
    return {"two-sided": math.copysign(1.0, observed), "greater": 1.0, "less": -1.0}[alternative]


def too_small(p: float, plain: TestResult) -> bool:
    """Return whether there were more hits among the draws of the null hypothesis than p explains."""
    hits = _hits(plain)
    return hits > 0 and float(pdtrc(hits - 1, plain.n_resamples * p)) < _DISAGREES


# -- swaps drawn with other chances than one half --------------------------------------------------


_STEEPEST = 1e6
"""The tilt, per unit of the largest effect, after which none is looked for."""

_ACCURACY = 0.01
"""Relative accuracy of a tilt. Any tilt near the right one gives nearly as accurate a p-value."""

_ROUNDS = 2
"""How many times the effects are taken at the mean of a tilt."""

_ONE_BY_ONE = 128
"""Units of a kind up to which each is drawn; of more, only their number, which takes as long as so many."""

_NUMBERS = 1 << 17
"""Signs that are multiplied with rows at a time, which bounds the memory."""


@dataclass(frozen=True, eq=False)
class Swaps:
    """How the difference of a pair depends on the swaps of its units.

    Parameters
    ----------
    counts : ndarray of int, shape (D,)
        How many units there are of each kind; the units of a kind change the difference alike.
    own : ndarray of int, shape (D,)
        The data: of each kind, the units with a plus sign less those with a minus sign.
    changes : ndarray, shape (D,)
        What the sign of one unit of each kind changes in the difference, near the data; it may be undefined.
    difference : callable
        Takes sums (R, k) of the rows times the signs, and returns the differences A minus B, shape (R,).
    rows : ndarray, shape (D, k), optional
        What the sign of one unit of each kind adds to these sums. None if `difference` takes the signs (R, D)
        themselves; there is one unit of each kind then.
    changes_at : callable, optional
        Takes sums of signs (D,), which need not be whole, and returns what the sign of one unit of each kind
        changes there, shape (D,). None if the difference is known at whole numbers of units only.
    """

    counts: IntArray
    own: IntArray
    changes: FloatArray
    difference: Callable[[FloatArray], FloatArray]
    rows: FloatArray | None = None
    changes_at: Callable[[FloatArray], FloatArray] | None = None

    @property
    def effects(self) -> FloatArray:
        """Half of the changes, 0 where they are undefined: the effect of a plus sign."""
        return _effects(self.changes)

    def at(self, signs: FloatArray) -> float:
        """Return the difference at sums of signs (D,)."""
        sums = signs if self.rows is None else signs @ self.rows
        return float(self.difference(sums[None, :])[0])

    def least(self, tolerance: float) -> float:
        """Return the difference from which draws are as extreme as the data."""
        return self.at(self.own.astype(np.float64)) - tolerance

    def towards(self, direction: float) -> Swaps:
        """Return the swaps with signs turned such that no plus sign moves against the direction."""
        # Exchanging the two systems then changes nothing.
        turn = np.where(direction * self.effects < 0.0, -1, 1)

        def difference(sums: FloatArray) -> FloatArray:
            return direction * self.difference(sums * turn if self.rows is None else sums)

        def changes_at(signs: FloatArray) -> FloatArray:
            assert self.changes_at is not None
            return direction * turn * self.changes_at(signs * turn)

        own, changes = turn * self.own, direction * turn * self.changes
        rows = None if self.rows is None else turn[:, None] * self.rows
        return Swaps(self.counts, own, changes, difference, rows, self.changes_at and changes_at)


def _effects(changes: FloatArray) -> FloatArray:
    effects: FloatArray = np.where(np.isfinite(changes), 0.5 * changes, 0.0)
    return effects


def tilt(swaps: Swaps, least: float) -> FloatArray | None:
    """Return the chance of a plus sign for each kind with which the difference is `least` in the mean.

    The chance of a unit of effect e is 1 / (1 + exp(-2 theta e)). Where the difference bends, most
    arrangements as far out as the data lie elsewhere, where the effects are others: they are taken at the
    mean of the tilt by those near the data, which is near the dominating point [1]_. None if the effects lead
    away from the data.

    References
    ----------
    .. [1] Sadowsky & Bucklew (1990), On large deviations theory and asymptotically efficient Monte Carlo
       estimation, IEEE Trans. Inf. Theory 36, 579-588.
    """
    effects, changes_at = swaps.effects, swaps.changes_at
    target = float(effects @ swaps.own)
    if target <= 0.0:
        return None
    if changes_at is None:
        chances = _reaching(swaps.counts, effects, lambda signs: float(effects @ signs), target)
    else:
        chances = _reaching(swaps.counts, effects, swaps.at, least)
        for _ in range(_ROUNDS):
            effects = _effects(changes_at(swaps.counts * (2.0 * chances - 1.0)))
            chances = _reaching(swaps.counts, effects, swaps.at, least)
    return np.clip(np.rint(65536 * chances), 1, 65535) / 65536  # a sign is drawn from 16 random bits


def _reaching(
    counts: IntArray, effects: FloatArray, mean: Callable[[FloatArray], float], least: float
) -> FloatArray:
    """Return the chances of the tilt by these effects whose mean, a function of mean signs, is `least`."""
    effects = effects / (float(np.abs(effects).max()) or 1.0)
    low, high = 0.0, 1.0
    while mean(np.tanh(high * effects) * counts) < least and high < _STEEPEST:
        low, high = high, 2.0 * high
    while high - low > _ACCURACY * high:
        middle = 0.5 * (low + high)
        reached = mean(np.tanh(middle * effects) * counts) >= least
        low, high = (low, middle) if reached else (middle, high)
    return np.asarray(expit(2.0 * high * effects))


def drawn(
    swaps: Swaps, chances: FloatArray, along: FloatArray, seed: int, batch: int, size: int
) -> tuple[FloatArray, FloatArray]:
    """Return the differences of a batch of draws with these chances, and the sums of signs times `along`."""
    few = np.flatnonzero(swaps.counts <= _ONE_BY_ONE)
    many = np.flatnonzero(swaps.counts > _ONE_BY_ONE)
    few_counts = swaps.counts[few]
    n_units = int(few_counts.sum())
    generator = block_generator(seed, "tilted", batch)
    read = generator.bit_generator.random_raw(-(-size * n_units // 4)).astype("<u8", copy=False).view("<u2")
    limits = (65536 * np.repeat(chances[few], few_counts)).astype("<u2")
    plus = read[: size * n_units].reshape(size, n_units) < limits
    if swaps.rows is None:
        signs = 2.0 * plus.astype(np.float64) - 1.0
        return swaps.difference(signs), signs @ along
    columns = 2.0 * np.column_stack([swaps.rows, along])
    rows = np.repeat(columns[few], few_counts, axis=0)
    if n_units > 8 * few.size:  # it is quicker to count those of each kind first
        plus = np.add.reduceat(
            plus.view(np.uint8), np.cumsum(few_counts) - few_counts, axis=1, dtype=np.uint16
        )
        rows = columns[few]
    # All signs are minus, but for those drawn as plus: each of them moves the sums by twice its row.
    sums: FloatArray = np.tile(-0.5 * (swaps.counts @ columns), (size, 1))
    step = max(1, _NUMBERS // max(1, len(rows)))
    with executing.one_blas_thread():
        for start in range(0, size, step):
            sums[start : start + step] += plus[start : start + step].astype(np.float64) @ rows
    if many.size:
        number = generator.binomial(swaps.counts[many], chances[many], (size, many.size))
        sums += number.astype(np.float64) @ columns[many]
    return swaps.difference(sums[:, :-1]), sums[:, -1]
