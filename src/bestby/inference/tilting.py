"""Small p-values of permutation tests: swaps drawn where they reach the observed difference.

Draws from the null hypothesis cannot give a p-value below 1 / (1 + B), and say little of one with a few hits.
Drawn with other chances, and weighted by how much likelier the null hypothesis makes each draw, they reach as
far out as the data do (importance sampling with exponential tilting).
"""

from __future__ import annotations

import dataclasses
import math
import sys
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, ndtr, pdtrc

from bestby._core import rounding
from bestby._core.typing import Alternative, FloatArray
from bestby.inference.tilted_draws import (
    Draws,
    Swaps,
    chances_elsewhere,
    chances_near,
    log_odds_of,
)
from bestby.resampling.streams import BlockWords
from bestby.results.values import TestResult

FEW_HITS = 10
"""Hits among the draws of the null hypothesis below which tilted draws follow."""

EXPECTED_HITS = 1.0
"""Hits that the normal distribution expects among the draws of the null hypothesis, below which `CHECKED`
trial draws come first. If none of these is a hit, the others are not made."""

CERTAIN_MISS = 0.01
"""Expected hits below which fewer trial draws do: as many as tell whether effects describe the difference."""

CHECKED = 1_000
"""Trial draws where a hit is less unlikely, if at least four times as many draws were asked for."""

RELATIVE_ERROR = 0.15
"""Relative standard error of the p-value at which tilted draws end."""

MOST_DRAWS = 5_000
"""Tilted draws after which they end in any case, or after as many as there were of the null hypothesis."""

FEWEST_DRAWS = 1_000
"""Tilted draws that may be made however few there were of the null hypothesis."""

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
"""Tilted draws after which their error is looked at, and the fewest trial draws."""

_OUT_OF_REACH = 5.0
"""Standard deviations below the data at which the mean of tilted draws lies too low for hits."""

_MOST_KEPT = 1 << 22
"""Random words that are kept for other pairs: those of a dozen batches of 4,000 units."""

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

    A unit of kind j gets its plus sign with probability 1 / (1 + exp(-2 theta e_j)), where e_j is its effect
    and theta makes the sum of the effects of all signs, in the mean, what it is in the data. The weights are
    exact, so the estimate is unbiased for any statistic; but where the difference is no sum, a part of the
    tail that these draws hardly reach is missed without a sign in the error, which is why few units may not
    have most of the effect. The weight of the data counts as one more draw, after [1]_; without a tilt all
    weights are 1 and this is (1 + hits) / (1 + B). The draws end when the estimated error is small enough, so
    that it is often too low: over seeds the p-value spreads by 15 to 25 %. How many draws there are depends
    on the pair alone.

    Where the difference bends, most arrangements as far out as the data lie elsewhere, where the effects are
    others. The draws then fall short of the data, and the p-value would be little more than the weight of the
    data. They are made again by the effects at the mean of a tilt that reaches the data, which is near the
    dominating point [2]_.

    References
    ----------
    .. [1] Harrison (2012), Conservative hypothesis tests and confidence intervals using importance sampling,
       Biometrika 99, 57-69.
    .. [2] Sadowsky & Bucklew (1990), On large deviations theory and asymptotically efficient Monte Carlo
       estimation, IEEE Trans. Inf. Theory 36, 579-588.
    """
    swaps = swaps.towards(_direction(plain.alternative, plain.statistic))
    words = words_of_draws(seed)
    if not (linear or _described(swaps, _null_draws(swaps, words))):
        return plain
    return _refined(plain, swaps, swaps.least(tolerance), words)


def _refined(plain: TestResult, swaps: Swaps, least: float, words: BlockWords) -> TestResult:
    """Return the same for swaps that are turned towards the data, and described by their effects."""
    chances = chances_near(swaps)
    if chances is None:
        return plain
    most = min(MOST_DRAWS, max(FEWEST_DRAWS, plain.n_resamples)) // _BATCH
    drawn = _drawn(swaps, chances, least, words, most)
    if drawn.total == 0.0 or not drawn.error <= LARGEST_ERROR:
        return plain
    log_odds = log_odds_of(drawn.chances)
    all_minus = -float(swaps.counts @ (math.log(2.0) + np.log1p(-drawn.chances)))
    log_own = all_minus - 0.5 * float((swaps.counts + swaps.own) @ log_odds)
    mean_weight = (1.0 + drawn.total) / (1.0 + drawn.size)
    log_p = max(log_own + math.log(mean_weight), -math.log(2.0) * float(swaps.counts.sum()))
    sides = 2.0 if plain.alternative == "two-sided" else 1.0
    p = min(1.0, max(sides * math.exp(max(log_p, -745.0)), sys.float_info.min))
    if too_small(p, plain):
        return plain
    size = drawn.size + plain.n_resamples
    return dataclasses.replace(plain, p_value=p, method=METHOD, error=drawn.error * p, n_resamples=size)


def words_of_draws(seed: int, *, kept: bool = False) -> BlockWords:
    """Return the random words of tilted draws; `kept` for more pairs, which read the same ones."""
    return BlockWords(seed, "tilted", _MOST_KEPT if kept else 0)


def far(
    swaps: Swaps,
    observed: float,
    alternative: Alternative,
    tolerance: float,
    words: BlockWords,
    n_resamples: int,
) -> TestResult | None:
    """Return the test by tilted draws where the data are so far out that most plain draws say nothing.

    It is the p-value of `refined`. None where the data are nearer, or tilted draws fail.
    """
    direction, effects = _direction(alternative, observed), swaps.effects
    sd = math.sqrt(float(swaps.counts @ effects**2))
    tries = n_resamples * (2.0 if alternative == "two-sided" else 1.0)
    most = EXPECTED_HITS if n_resamples >= 4 * CHECKED else CERTAIN_MISS

    def expected(out: float) -> float:
        return tries * float(ndtr(-out / sd)) if out > 0.0 else math.inf

    out = direction * float(effects @ swaps.own)
    if not expected(out) < most:  # the difference itself, which takes longer, cannot change that
        return None
    swaps = swaps.towards(direction)
    least = swaps.least(tolerance)
    hits = expected(min(out, least))
    if not hits < most:
        return None
    null = _null_draws(swaps, words, _BATCH if hits < CERTAIN_MISS else CHECKED)
    if not (null[0] < least).all() or not _described(swaps, null):
        return None
    unhit = 1.0 / (1.0 + n_resamples)
    plain = TestResult("permutation", unhit, alternative, False, "monte carlo", 0.0, n_resamples, observed)
    found = _refined(plain, swaps, least, words)
    return None if found is plain else dataclasses.replace(found, n_resamples=found.n_resamples - n_resamples)


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


@dataclass(frozen=True, eq=False)
class _Drawn:
    """The weights of the hits among `size` draws with some chances, relative to that of the data and summed.

    `error` is the relative standard error of the p-value.
    """

    chances: FloatArray
    total: float
    error: float
    size: int


def _drawn(swaps: Swaps, chances: FloatArray, least: float, words: BlockWords, most: int) -> _Drawn:
    """Return at most so many batches with these chances, or where they fall short of the data with others."""
    bends, batches = swaps.changes_at is not None, range(1, 1 + most)
    short = bends and _falls_short(swaps, chances, least)
    near = None if short else _weighed(swaps, chances, least, words, batches, patient=not bends)
    if near is not None and (not bends or (near.total >= 1.0 and near.error <= LARGEST_ERROR)):
        return near
    elsewhere = chances_elsewhere(swaps, least)
    if elsewhere is not None:
        far = _weighed(swaps, elsewhere, least, words, range(1 + most, 1 + 2 * most))
        if far.total >= 1.0 and far.error <= LARGEST_ERROR:
            return far
    return near or _weighed(swaps, chances, least, words, batches)


def _falls_short(swaps: Swaps, chances: FloatArray, least: float) -> bool:
    """Return whether a tilt leads to a difference so far below the data that a batch would have no hit."""
    spread = math.sqrt(float((4.0 * swaps.counts * chances * (1.0 - chances)) @ swaps.effects**2))
    return swaps.at(swaps.counts * (2.0 * chances - 1.0)) < least - _OUT_OF_REACH * spread


def _weighed(
    swaps: Swaps,
    chances: FloatArray,
    least: float,
    words: BlockWords,
    batches: range,
    *,
    patient: bool = False,
) -> _Drawn:
    """Return batches of draws that follow each other until the error is small enough.

    About half of the draws by a tilt that leads to the data are hits: unless `patient`, a first batch without
    any is the last.
    """
    log_odds = log_odds_of(chances)
    of_own = float(swaps.own @ log_odds)
    total = squares = error = 0.0
    drawn = 0
    draws = Draws(swaps, chances, log_odds)
    for batch in batches:
        found, along = draws.batch(words, batch, _BATCH)
        hits = (found >= least) | np.isnan(found)
        with np.errstate(over="ignore"):
            weights = np.exp(0.5 * (of_own - along[hits]))
            total, squares = total + float(weights.sum()), squares + float(weights @ weights)
        drawn += _BATCH
        error = math.sqrt(max(squares - total * total / drawn, 0.0)) / (1.0 + total)  # a power would raise
        if error <= RELATIVE_ERROR if total > 0.0 else not patient:
            break
    return _Drawn(chances, total, error, drawn)


def _null_draws(swaps: Swaps, words: BlockWords, size: int = _BATCH) -> tuple[FloatArray, FloatArray]:
    """Return the differences, and the sums of the effects, of draws of the null hypothesis."""
    return Draws(swaps, np.full(swaps.counts.size, 0.5), swaps.effects).batch(words, 0, size)


def _described(swaps: Swaps, null: tuple[FloatArray, FloatArray]) -> bool:
    """Return whether effects of many units describe the difference."""
    squares = swaps.effects**2
    effective = float(swaps.counts @ squares) ** 2 / max(float(swaps.counts @ squares**2), sys.float_info.min)
    return effective >= LEAST_EFFECTIVE and _fit(*null) >= LEAST_FIT


def _fit(x: FloatArray, y: FloatArray) -> float:
    """Return how closely the sum of the effects follows the difference under the null hypothesis."""
    kept = np.isfinite(x)
    x, y = x[kept] - x[kept].mean(), y[kept] - y[kept].mean()
    sizes = math.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / sizes if sizes > 0.0 else 0.0


def _direction(alternative: Alternative, observed: float) -> float:
    return {"two-sided": math.copysign(1.0, observed), "greater": 1.0, "less": -1.0}[alternative]


def too_small(p: float, plain: TestResult) -> bool:
    """Return whether there were more hits among the draws of the null hypothesis than p explains."""
    hits = _hits(plain)
    return hits > 0 and float(pdtrc(hits - 1, plain.n_resamples * p)) < _DISAGREES
