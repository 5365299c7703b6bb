"""Exact unconditional test that one of two paired shares of right answers is lower by more than a margin."""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, betaincinv, gammaln, xlog1py, xlogy

from bestby._core import rounding
from bestby._core.typing import FloatArray, IntArray

GRID = 40
"""Shares of gains for which the tail is computed."""


def p_value(losses: int, gains: int, n: int, margin: float, alpha: float = 0.05) -> float:
    """Return the p-value of a loss of at most the margin, for answers to the same items.

    Of n independent items the candidate alone is wrong on `losses` and alone right on `gains`; with the
    probabilities p and q of the two, the null hypothesis is p - q <= `margin`. The statistic is Tango's score
    [1]_ at the margin. Its p-value is the largest tail over the values of q that an interval at the level
    1 - beta holds, plus beta [2]_: a test that rejects where it is at most some level errs no more often than
    that, whatever n, p and q are.

    Parameters
    ----------
    losses, gains, n : int
        The items on which only the candidate is wrong, on which only it is right, and all items.
    margin : float
        The loss that is allowed, above 0; from 1 on nothing is shown, as no loss is greater.
    alpha : float
        The level at which the p-value is used. beta is this over 50: no p-value is below beta, so a strict
        level needs a wide interval.

    Returns
    -------
    float
        The p-value; 1 if the loss is at most the margin in the data.

    Notes
    -----
    For given q the tail is largest where p is, at min(q + margin, 1 - q), as the score grows with the losses
    if the gains are fixed [3]_. It is

        sum over c of Bin(c; n, q) P(Bin(n - c, min(1, (q + margin) / (1 - q))) >= b_c)

    with b_c the least number of losses beside c gains whose score is as large as the observed one. The
    interval of q is that of Clopper and Pearson. These are of the papers; ours are beta = alpha / 50 and
    where the tail is computed: at 40 values of q that are equally far apart in their roots, then at 15 about
    the one with the largest tail.

    References
    ----------
    .. [1] Tango (1998), Statist. Med. 17, 891-908, section 3.
    .. [2] Berger & Boos (1994), J. Amer. Statist. Assoc. 89, 1012-1016, equation 3.
    .. [3] Sidik (2003), Statist. Med. 22, 265-278.

    See Also
    --------
    bestby.inference.proportions.tango : The interval of the same score, which is approximate.

    Examples
    --------
    Six of 300 items lost against a margin of 1 %: by the score alone p is .042.

    >>> [round(p_value(losses, 0, 300, 0.01), 3) for losses in (3, 6, 7)]
    [1.0, 0.09, 0.045]
    """
    if margin >= 1.0:
        return 1.0
    observed = float(score(np.array(losses), np.array(gains), n, margin))
    if not observed > 0.0:
        return 1.0
    # How often the interval of the share of gains may miss it: a fiftieth of the level of the test
    beta = alpha / 50
    low = 0.0 if gains == 0 else float(betaincinv(gains, n - gains + 1, 0.5 * beta))
    high = 1.0 if gains == n else float(betaincinv(gains + 1, n - gains, 1.0 - 0.5 * beta))
    c = _likely(low, high, n)
    b = _least_losses(c, n, margin, observed)

    def tails(q: FloatArray) -> FloatArray:
        chance = np.minimum(q + margin, 1.0 - q) / np.maximum(1.0 - q, np.finfo(np.float64).tiny)
        beyond = np.where(b > n - c, 0.0, betainc(b, np.maximum(n - c - b + 1, 1), chance[:, None]))
        sums: FloatArray = (_binomial(c, n, q[:, None]) * beyond).sum(axis=1)
        return sums

    # The largest p is min(q + margin, 1 - q), so that the tail may have its maximum at the edge.
    edge = min(max(low, 0.5 * (1.0 - margin)), high)
    roots = np.sort(np.append(np.linspace(np.sqrt(low), np.sqrt(high), GRID), np.sqrt(edge)))
    coarse = tails(roots**2)
    best = int(coarse.argmax())
    # Shares about the one with the largest tail for which it is computed then
    near = np.linspace(roots[max(best - 1, 0)], roots[min(best + 1, GRID)], 15)
    return min(1.0, float(max(coarse.max(), tails(near**2).max())) + beta)


def score(losses: IntArray, gains: IntArray, n: int, margin: float) -> FloatArray:
    """Return Tango's score: the loss beyond the margin over its standard error where the loss is the margin.

    It is above z where the one-sided bound of `proportions.tango` with the quantile z shows more than the
    margin, and it grows with the losses and falls with the gains.

    >>> score(np.array([3, 6]), np.array([0, 0]), 300, 0.01).round(3)
    array([0.   , 1.723])
    """
    net, differing = losses - gains, losses + gains
    half = 0.5 * (differing + net * margin)
    inner = half * half - n * (net * margin - (n - differing) * margin * margin)
    # The larger root is the probability that the systems differ, estimated under this loss: at least the
    # margin, so that the variance below is above 0.
    share = np.maximum((half + np.sqrt(np.maximum(inner, 0.0))) / n, margin)
    scores: FloatArray = (net - n * margin) / np.sqrt(n * (share - margin * margin))
    return scores


def _least_losses(gains: IntArray, n: int, margin: float, observed: float) -> IntArray:
    """Return the least losses beside each number of gains with so large a score; n - gains + 1 for none."""
    below, reached = np.zeros_like(gains), n - gains + 1  # without losses the score is below 0
    while (reached - below > 1).any():
        middle = (below + reached) // 2
        extreme = rounding.as_extreme(score(middle, gains, n, margin), observed)
        reached, below = np.where(extreme, middle, reached), np.where(extreme, below, middle)
    return reached


def _likely(low: float, high: float, n: int) -> IntArray:
    """Return the numbers of successes of n outside of which all shares in an interval have less than 1e-13.

    By Bernstein's inequality, with x = 8 sd + 40 from the mean: exp(-x^2 / (2 sd^2 + 2 x / 3)).
    """
    middle = min(max(low, 0.5), high)
    reach = 8.0 * np.sqrt(n * middle * (1.0 - middle)) + 40.0
    return np.arange(max(0, int(n * low - reach)), min(n, int(n * high + reach) + 1) + 1)


def _binomial(k: IntArray, n: int, p: FloatArray) -> FloatArray:
    """Return the probabilities of k successes of n, for p of shape (G, 1)."""
    ways = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    chances: FloatArray = np.exp(ways + xlogy(k, p) + xlog1py(n - k, -p))
    return chances
