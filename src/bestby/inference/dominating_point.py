"""Permutation tests of very many units, without a draw for each: functions of sums, and of weights.

A swap of unit i gives a sign to h_i, half of what it changes in the totals of two systems. The totals are
shifted by s, the sum of all h_i with their signs, and the difference D(s) = f(mid + s) - f(mid - s) is odd in
s. Of 500 units and more, all but the few that count most add a normal vector to s. There the most likely
shift with which the difference is as large as in the data, the dominating point, is found without passes over
the units. At it the difference is a sum of one number per unit, whose tail a saddlepoint gives. Where the
difference bends too much for that, or few units carry it, swaps are drawn: the signs of these few, and a
normal vector for the others. Metrics of ranks, which are functions of the weights of items, have a test by
the same idea at the end.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_ndtr

from bestby._core import rounding
from bestby._core.typing import Alternative, FloatArray
from bestby.inference import permutation, tilting
from bestby.inference.characteristic_functions import LARGEST_REMAINDER, SignSeries, lugannani_rice, n_outer
from bestby.resampling.streams import block_generator
from bestby.results.values import TestResult

FEWEST_UNITS = 500
"""Differing units from which the formula is used: its error was measured at 520 units and more."""

LARGEST_BEND = 0.05
"""How much the curvature of the difference may change the logarithm of the p-value."""

LEAST_EFFECTIVE = 20.0
"""Units of equal size that would have the sum of squares and of fourth powers of the effects."""

_TOP = 1024
"""Units that keep their signs; the others are normal."""

_MOST_DIRECTIONS = 64
"""Directions of the shift: the curvature takes twice their square of differences."""

_LEAST_SPREAD, _NO_SPREAD = 1e-8, 1e-13
"""Parts of the variance of all columns in a direction: below the first, rounding of the sums might be seen in
the difference; below the second there is nothing but rounding in that direction."""

_SAMPLE = 8192
"""Units among which most must change the totals in ways of their own: else there are few kinds, or steps."""

_BLOCK = 1 << 14
"""Units that are looked at at a time: they stay in the cache of the processor."""

_BATCH = 1 << 12
"""Swaps that are drawn at a time."""

_STEP = 0.01
"""Standard deviations of a step by which derivatives are taken."""

_ROUNDS, _CLOSE = 10, 1e-6
"""Rounds in which the direction of the dominating point must settle, and how nearly."""

Difference = Callable[[FloatArray], FloatArray]
"""Takes shifts (R, k) and returns the differences (R,)."""


def swapped_sums(
    halves: FloatArray, difference: Difference, observed: float, n_resamples: int, seed: int
) -> TestResult | None:
    """Return the two-sided permutation test of a function of sums.

    `halves`, of shape (n, k), are the halves of what a swap of each unit changes in the totals. The formula
    takes the dominating point [1]_, the curvature of the difference there as its mean over the level set
    (after [2]_), and the saddlepoint of the sum of the effects. It is used where the curvature changes p by 5
    % at most, and the effects weigh as 20 equal ones at least; its error was measured beside importance
    sampling with a sign for every unit (`calibration/dominating_points.py`). Elsewhere, `n_resamples` swaps
    are drawn. The result is None for fewer than 500 units that differ, for few kinds of them, for sums
    that nearly depend on each other, and where few draws reach the data, tilted or not: then all signs must
    be drawn.

    References
    ----------
    .. [1] Sadowsky & Bucklew (1990), On large deviations theory and asymptotically efficient Monte Carlo
       estimation, IEEE Trans. Inf. Theory 36, 579-588.
    .. [2] Breitung (1984), Asymptotic approximations for multinormal integrals, J. Eng. Mech. 110, 357-366.
    """
    shift = _Shift.of(halves)
    if shift is None:
        return None

    def along(z: FloatArray) -> FloatArray:
        return difference(z @ shift.back)

    point = _dominating(shift, along, abs(observed))
    p = None if point is None else _tail(shift, halves, along, point)
    if p is not None:
        p = min(1.0, max(p, sys.float_info.min))
        error, how = permutation.SADDLEPOINT_ERROR * p, permutation.SADDLEPOINT
        return TestResult("permutation", p, "two-sided", False, how, error, statistic=observed)
    return _drawn(shift, along, point, observed, n_resamples, seed)


@dataclass(frozen=True, eq=False)
class _Shift:
    """The shift of the totals in coordinates z (r,) of covariance 1: s = z @ back; z = h @ forth of a unit.

    `top`, of shape (M, r), are units that keep their signs; `rest`, (r, r), is the covariance of the others.
    """

    forth: FloatArray
    back: FloatArray
    top: FloatArray
    rest: FloatArray

    @classmethod
    def of(cls, halves: FloatArray) -> _Shift | None:
        """Return the shift; None of too few units, too few kinds of them, or sums that are rounding."""
        gram = halves.T @ halves
        scale = np.sqrt(np.diag(gram))
        used = np.flatnonzero(scale > 0.0)
        if used.size == 0:
            return None
        # Sums may be of any size: eigenvalues of their correlations say which directions are rounding.
        spread, axes = np.linalg.eigh(gram[np.ix_(used, used)] / np.multiply.outer(scale[used], scale[used]))
        varying = spread > _NO_SPREAD * used.size
        if spread[varying].min() < _LEAST_SPREAD or np.count_nonzero(varying) > _MOST_DIRECTIONS:
            return None
        axes, roots = axes[:, varying], np.sqrt(spread[varying])
        back, forth = np.zeros((roots.size, scale.size)), np.zeros((scale.size, roots.size))
        back[:, used] = (axes * roots).T * scale[used]
        forth[used] = axes / roots / scale[used][:, None]
        # The squared length of z of a unit: its share of the variance in the direction in which it moves the
        # totals most. The units with the largest are those that a normal distribution would misrepresent.
        leverage = np.empty(len(halves))
        for start in range(0, len(halves), _BLOCK):
            z = halves[start : start + _BLOCK] @ forth
            np.einsum("nr,nr->n", z, z, out=leverage[start : start + _BLOCK])
        if np.count_nonzero(leverage) < FEWEST_UNITS or _few_kinds(leverage):
            return None
        top = halves[np.argpartition(leverage, -min(_TOP, leverage.size))[-_TOP:]] @ forth
        top *= np.where(top[:, :1] < 0.0, -1.0, 1.0)  # the same draws whichever system comes first
        return cls(forth, back, top, np.eye(roots.size) - top.T @ top)

    def mean(self, tilt: FloatArray) -> FloatArray:
        """Return the mean of z (R, r) under tilts (R, r)."""
        # A sign has the mean tanh(tilt' z) under the tilt, a normal vector the mean covariance @ tilt.
        out: FloatArray = np.tanh(tilt @ self.top.T) @ self.top + tilt @ self.rest
        return out

    def covariance(self, tilt: FloatArray) -> FloatArray:
        """Return the covariance of z (r, r) under a tilt (r,)."""
        slope = np.tanh(self.top @ tilt)
        out: FloatArray = (self.top.T * (1.0 - slope * slope)) @ self.top + self.rest
        return out


def _few_kinds(leverage: FloatArray) -> bool:
    """Return whether many units change the totals alike, by a sample of those that change them."""
    some = np.sort(leverage[leverage > 0.0][:: max(1, np.count_nonzero(leverage) // _SAMPLE)])
    distinct = 1 + np.count_nonzero(~rounding.level(some[1:], some[:-1], some[1:]))
    return bool(distinct < 0.5 * some.size)


@dataclass(frozen=True, eq=False)
class _Point:
    """The dominating point z (r,), its tilt (r,), and the gradient of the difference there (r,)."""

    z: FloatArray
    tilt: FloatArray
    gradient: FloatArray


def _dominating(shift: _Shift, along: Difference, distance: float) -> _Point | None:
    """Return the most likely z with that difference; None if the search for it does not settle."""
    gradient = _gradient(along, np.zeros(len(shift.rest)))
    slope = math.sqrt(float(gradient @ gradient))
    if not (0.0 < slope < math.inf and distance > 0.0):
        return None
    guess, direction = distance / slope, gradient / slope
    for _ in range(_ROUNDS):
        # At the most likely z the tilt is along the gradient: alternate between the two until they agree.
        theta = _reaching(shift, along, direction, distance, guess)
        if theta is None:
            return None
        tilt = theta * direction
        z = shift.mean(tilt[None])[0]
        gradient = _gradient(along, z)
        slope = math.sqrt(float(gradient @ gradient))
        if not 0.0 < slope < math.inf:
            return None
        before, direction = direction, gradient / slope
        if np.abs(direction - before).max() <= _CLOSE:
            return _Point(z, tilt, gradient)
    return None


def _gradient(along: Difference, z: FloatArray) -> FloatArray:
    steps = _STEP * np.eye(z.size)
    up, down = along(np.concatenate([z + steps, z - steps])).reshape(2, -1)
    return (up - down) / (2.0 * _STEP)


def _reaching(
    shift: _Shift, along: Difference, direction: FloatArray, distance: float, guess: float
) -> float | None:
    """Return the least tilt in a direction whose mean has that difference: of ever finer steps the first."""
    low, steps = 0.0, guess * 2.0 ** np.arange(-6.0, 10.0)
    for _ in range(7):
        differences = along(shift.mean(np.multiply.outer(steps, direction)))
        at = int((~(differences < distance)).argmax())
        if not distance <= differences[at] < math.inf:
            return None
        low, high = (float(steps[at - 1]) if at else low), float(steps[at])
        steps = np.linspace(low, high, 17)[1:]
    return high


def _tail(shift: _Shift, halves: FloatArray, along: Difference, point: _Point) -> float | None:
    """Return the p-value by the formula; None where it may be off by more than a few percent."""
    effects = np.abs(halves @ (shift.forth @ point.gradient))
    squares = effects * effects
    if float(squares.sum()) ** 2 < LEAST_EFFECTIVE * float(squares @ squares):
        return None
    bend, unevenness = _curvature(shift, along, point)
    # The curvature of the level set, in standard deviations, moves the mean of the difference by half its
    # sum.
    far = float(point.gradient @ point.z) - 0.5 * float(bend.sum())
    sd = math.sqrt(float(squares.sum()))
    if not math.isfinite(far):
        return None
    series = SignSeries.of(
        np.partition(effects, effects.size - n_outer(effects.size))
    ) or SignSeries.term_by_term(effects)
    out = far / sd
    # phi / (1 - Phi) over the standard deviation: by how much log p falls as the difference grows by one.
    hazard = math.exp(-0.5 * out * out - float(log_ndtr(-out))) / math.sqrt(2.0 * math.pi) / sd
    if not (0.5 * float(np.abs(bend).sum()) + unevenness) * hazard <= LARGEST_BEND:
        return None
    if far <= 0.0:
        return 1.0
    if not series.remainder(np.array([series.tilt(far)]))[0] <= LARGEST_REMAINDER:
        series = SignSeries.term_by_term(effects)
    tail, _ = lugannani_rice(series, far)
    return 2.0 * tail if tail >= 0.0 else None


def _curvature(shift: _Shift, along: Difference, point: _Point) -> tuple[FloatArray, float]:
    """Return the curvatures of the difference over its level set, in standard deviations of z under the tilt.

    The second result is by how much half of their sum changes if it is taken by steps of a whole standard
    deviation, as it does where the difference has kinks or bends unevenly.
    """
    root = np.linalg.cholesky(shift.covariance(point.tilt))
    normal = root.T @ point.gradient
    # The first column is the normal of the level set in uncorrelated coordinates; the others span the set.
    basis = np.linalg.qr(np.column_stack([normal, np.eye(normal.size)]))[0][:, 1 : normal.size]
    level = (root @ basis).T
    m = len(level)
    if m == 0:
        return np.zeros(0), 0.0
    i, j = np.triu_indices(m)

    def second(step: float, i: np.ndarray, j: np.ndarray) -> FloatArray:
        a, b = step * level[i], step * level[j]
        moved = np.concatenate([a + b, a - b, b - a, -a - b])
        plus, one, other, minus = along(point.z + moved).reshape(4, -1)
        return (plus - one - other + minus) / (4.0 * step * step)

    hessian = np.zeros((m, m))
    hessian[i, j] = hessian[j, i] = second(_STEP, i, j)
    if not np.isfinite(hessian).all():
        return np.full(m, math.nan), math.nan
    every = np.arange(m)
    coarse = float(second(0.5, every, every).sum())  # a + b is a whole standard deviation
    bends = np.asarray(np.linalg.eigvalsh(hessian), dtype=np.float64)
    return bends, 0.5 * abs(coarse - float(bends.sum()))


def _drawn(
    shift: _Shift,
    along: Difference,
    point: _Point | None,
    observed: float,
    n_resamples: int,
    seed: int,
) -> TestResult | None:
    """Return the test by draws of the signs of the top units and of a normal vector for the others.

    With few hits, more are tilted towards the dominating point and weighted, as in `tilting`; None where that
    is of no use.
    """
    values, vectors = np.linalg.eigh(shift.rest)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))).T

    def draws(tilt: FloatArray, size: int, purpose: str) -> tuple[FloatArray, FloatArray]:
        """Return differences, and the sums along the tilt, of so many draws."""
        batches = []
        for start in range(0, size, _BATCH):
            generator = block_generator(seed, purpose, start // _BATCH)
            rows = min(_BATCH, size - start)
            plus = generator.random((rows, len(shift.top))) < expit(2.0 * (shift.top @ tilt))
            z = (2.0 * plus - 1.0) @ shift.top + generator.standard_normal((rows, tilt.size)) @ root
            z += tilt @ shift.rest
            batches.append((along(z), z @ tilt))
        differences, sums = (np.concatenate(parts) for parts in zip(*batches, strict=True))
        return differences, sums

    null, _ = draws(np.zeros(len(shift.rest)), n_resamples, "swap")
    plain = permutation.monte_carlo(null, observed, "two-sided", name="permutation")
    if not tilting.few_hits(plain):
        return plain
    if point is not None:
        size = max(n_resamples, 1000)  # fewer do not show their error
        differences, sums = draws(point.tilt, size, "tilted")
        hits = (differences >= abs(observed)) | np.isnan(differences)
        # Draws weigh exp(-tilt' z) M(tilt), M the moment generating function of the sum.
        # They are relative to the weight of the point, which counts as one more draw.
        along_tilt, effects = float(point.tilt @ point.z), shift.top @ point.tilt
        with np.errstate(over="ignore"):
            weights = np.exp(along_tilt - sums[hits])
        total = float(weights.sum())
        error = math.sqrt(max(float(weights @ weights) - total * total / size, 0.0)) / (1.0 + total)
        log_moment = float(np.sum(np.logaddexp(effects, -effects) - math.log(2.0)))
        log_moment += 0.5 * float(point.tilt @ shift.rest @ point.tilt)
        p = 2.0 * math.exp(log_moment - along_tilt) * (1.0 + total) / (1.0 + size)
        p = min(1.0, max(p, sys.float_info.min))
        if total > 0.0 and error <= tilting.LARGEST_ERROR and not tilting.too_small(p, plain):
            return dataclasses.replace(
                plain, p_value=p, method=tilting.METHOD, error=error * p, n_resamples=n_resamples + size
            )
    return None


# -- smooth functions of the weights of many items -------------------------------------------------
# A swap of unit i gives it a sign s_i. Of its items, the score of A has those of A with the weight 1 + s_i
# and those of B with 1 - s_i; the score of B has them the other way round, so that the difference D(s) is
# odd in s. To first order it is twice the sum of s_i h_i, where h_i is how the score responds to the weight
# of what the unit has from A, less that from B; as D is odd, the next term is cubic. The tail of the sum is
# exact. How far out in it the data lie is read at the most likely signs at which the difference is as large
# as in the data, tanh(a h_i) on average (the dominating point of Sadowsky & Bucklew 1990), where D is
# computed and not expanded.


FEWEST_WEIGHTED = 500
"""Units that must differ: what is left out is of the order of one over their number."""

LEAST_RESPONDING = 50.0
"""Units of equal size that would have the sum of squares and of fourth powers of the responses."""

_PLACE_ROUNDS, _PLACE_CLOSE = 20, 5e-3
"""Rounds in which the place in the sum must settle, and how nearly, as a part of it."""

_STEPS = 60
"""Steps of Newton's method that find the signs on average: ten suffice unless nearly all units must agree."""


def swapped_weights(
    effects: FloatArray, difference: Callable[[FloatArray], float], observed: float, alternative: Alternative
) -> TestResult | None:
    """Return the test of an odd function of the signs of many units, of slopes 2 `effects` (n,) at 0.

    `difference` is the function at mean signs (n,), from -1 to 1. None where too few units carry it, or it
    bends too much: then draw.
    """
    unit = max(float(np.abs(effects).max(initial=0.0)), float(np.finfo(np.float64).tiny))
    effects = effects / unit
    squares = effects * effects
    total, fourth = float(squares.sum()), float(squares @ squares)
    if np.count_nonzero(effects) < FEWEST_WEIGHTED or total * total < LEAST_RESPONDING * fourth:
        return None
    place = _place(effects, difference, abs(observed), unit)
    if place is None:
        return None
    ones = np.broadcast_to(np.int64(1), effects.size)
    result = permutation.exact_mean(effects, ones, alternative, 1.0, total=math.copysign(place, observed))
    if result is None:
        return None
    error, how = permutation.SADDLEPOINT_ERROR * result.p_value, permutation.SADDLEPOINT
    return dataclasses.replace(result, exact=False, method=how, error=error, statistic=observed)


def _place(
    effects: FloatArray, difference: Callable[[FloatArray], float], observed: float, unit: float
) -> float | None:
    """Return the sum of effects at the most likely mean signs at which the difference is the one observed."""
    if observed == 0.0:
        return 0.0
    # To first order the difference is twice the sum; a place beyond half of all effects is no start.
    place = min(0.5 * observed / unit, 0.5 * float(np.abs(effects).sum()))
    for _ in range(_PLACE_ROUNDS):
        signs = _likeliest(effects, place)
        reached = math.nan if signs is None else difference(signs)
        if not reached > 0.0:
            return None
        # A difference over its sum hardly varies, as it bends with the square of the sum: a round that
        # changes the place by a small part leaves an error of the square of that part.
        before, place = place, place * observed / reached
        if abs(place - before) <= _PLACE_CLOSE * before:
            return place
    return None


def _likeliest(effects: FloatArray, place: float) -> FloatArray | None:
    """Return the mean signs tanh(a effect) at which the effects sum to a place, by Newton's method."""
    # The sum is concave in a, and its tangents lie above it, so that no step goes too far.
    tilt = place / float(effects @ effects)
    for _ in range(_STEPS):
        signs = np.tanh(tilt * effects)
        missing = place - float(effects @ signs)
        if missing <= 1e-9 * place:
            return signs
        slope = float(effects * effects @ (1.0 - signs * signs))
        if slope <= 0.0:
            return None
        tilt += missing / slope
    return None
