"""Maximum likelihood of strengths for many win matrices at once: minorise-maximise steps, then Newton's."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit

from bestby._core.typing import BoolArray, FloatArray


def fit(wins: FloatArray, ties: FloatArray) -> tuple[FloatArray, FloatArray]:
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
    variance = pairs * (q * np.swapaxes(q, -1, -2) - 0.25 * p_tie)  # 1 - q of each pair, to the last digit
    out[:, :size, :size] = -variance
    diagonal = np.arange(size)
    out[:, diagonal, diagonal] += variance.sum(axis=-1)
    out[:, :size, size] = out[:, size, :size] = (pairs * p_tie * (0.5 - q)).sum(axis=-1)
    out[:, size, size] = 0.5 * (pairs * p_tie * (1.0 - p_tie)).sum(axis=(-1, -2))
    return out


def all_probabilities(b: FloatArray, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what `probabilities` does for every two systems, (..., S, S)."""
    return probabilities(b[..., :, None] - b[..., None, :], eta[..., None, None])


def probabilities(gap: FloatArray, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
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
    for _ in range(max(1, math.ceil(math.log2(size)))):
        step = reach.astype(np.float32)
        reach = step @ step > 0.0
    return reach
