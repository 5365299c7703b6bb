"""Confidence sequences in closed form: mixtures, and the asymptotic sequence of values without bounds.

`bestby.Monitor` uses the two-sided normal mixture and the asymptotic sequence. The one-sided normal mixture
and `beta_binomial_interval` are for callers that watch one sum or one proportion, such as the accuracy of a
single system, and not a difference.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bestby._core.typing import FloatArray
from bestby.inference.bisection import last_that_holds


def best_rho(v_opt: float, alpha: float) -> float:
    """Return the parameter of a mixture that is tightest at the intrinsic time `v_opt`.

    Howard et al. (2021), proposition 3, with the expansion of Lambert's W that follows it.
    """
    spent = 2.0 * math.log(1.0 / alpha)
    return v_opt / (spent + math.log1p(spent))


def normal_mixture_bound(v: float, alpha: float, v_opt: float, *, two_sided: bool = True) -> float:
    """Return how far a sum of deviations strays at any time with probability of at most `alpha`.

    Parameters
    ----------
    v : float
        The intrinsic time: the sum of the variances (sub-Gaussian parameters) of what was added up.
    alpha : float
        The error over all times.
    v_opt : float
        The intrinsic time at which the bound is to be tightest.
    two_sided : bool
        Whether to bound the size of the sum or, one-sided, the sum.

    Returns
    -------
    float
        The bound.

    See Also
    --------
    asymptotic_interval : The same with an estimated variance.

    References
    ----------
    .. [1] Howard, Ramdas, McAuliffe & Sekhon (2021), Time-uniform, nonparametric, nonasymptotic confidence
       sequences, Ann. Statist. 49, 1055-1080: equations (14) and, one-sided, proposition 6.

    Examples
    --------
    >>> round(normal_mixture_bound(100.0, 0.05, 100.0), 5)
    30.35209
    >>> round(normal_mixture_bound(100.0, 0.05, 100.0, two_sided=False), 5)
    27.66071
    """
    if two_sided:
        rho = best_rho(v_opt, alpha)
        return math.sqrt((v + rho) * math.log((v + rho) / (alpha * alpha * rho)))
    rho = best_rho(v_opt, 2.0 * alpha)

    def allowed(s: float) -> bool:
        normal = 0.5 * math.erfc(-s / math.sqrt(2.0 * (v + rho)))
        mixed = 0.5 * math.log(4.0 * rho / (v + rho)) + s * s / (2.0 * (v + rho)) + math.log(normal)
        return mixed + math.log(alpha) < 0.0

    return last_that_holds(allowed, 0.0, 2.0 * normal_mixture_bound(v, alpha, v_opt))[1]


def beta_binomial_interval(successes: int, trials: int, alpha: float, t_opt: float) -> tuple[float, float]:
    """Return the interval of a proportion that holds at every look, by a mixture of beta distributions.

    Parameters
    ----------
    successes, trials : int
        What was counted so far.
    alpha : float
        The error over all looks.
    t_opt : float
        The number of trials at which the interval is to be tightest.

    Returns
    -------
    tuple of float
        The ends.

    See Also
    --------
    bestby.questions.monitor.betting.betting_interval : For values between bounds.

    References
    ----------
    .. [1] Howard, Ramdas, McAuliffe & Sekhon (2021), Ann. Statist. 49, 1055-1080: proposition 7.

    Examples
    --------
    >>> low, high = beta_binomial_interval(700, 1000, 0.05, 100)
    >>> round(low, 6), round(high, 6)
    (0.65163, 0.74595)
    """
    if trials == 0:
        return 0.0, 1.0
    strength = max(best_rho(t_opt, alpha) - 1.0, 1e-3)
    failures, threshold = trials - successes, math.log(1.0 / alpha)

    def excess(p: float) -> float:
        """Return the logarithm of the mixture of the likelihood ratios over its bound."""
        a, b = strength * p, strength * (1.0 - p)
        mixed = _log_beta(a + successes, b + failures) - _log_beta(a, b)
        return mixed - successes * math.log(p) - failures * math.log1p(-p) - threshold

    share, edge = successes / trials, 1e-12
    low = 0.0 if successes == 0 else last_that_holds(lambda p: excess(p) <= 0.0, share, edge)[1]
    high = 1.0 if failures == 0 else last_that_holds(lambda p: excess(p) <= 0.0, share, 1.0 - edge)[1]
    return low, high


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def asymptotic_radius(n: float, alpha: float, n_opt: float) -> float:
    """Return the half-length of the asymptotic sequence in standard deviations of a value.

    Waudby-Smith et al. (2024), equation (4), with rho from their appendix B.2, by which it is tightest at
    `n_opt` values.
    """
    spent = -2.0 * math.log(alpha)
    rho2 = (spent + math.log(spent) + 1.0) / n_opt
    scaled = n * rho2 + 1.0
    return math.sqrt(2.0 * scaled / (n * n * rho2) * math.log(math.sqrt(scaled) / alpha))


def rare_loss(largest: NDArray[np.float64] | float, n: float, alpha: float) -> FloatArray:
    """Return what is added to the half-length of an asymptotic sequence for rare large values.

    The sequence takes its spread from the values so far, and misses a mean that rests on values too rare to
    be among them. The term of a Bernstein bound that is linear in the largest deviation allows for these:
    ``largest * ln(2 / alpha) / n``, in the manner of Maurer & Pontil (2009), Empirical Bernstein bounds and
    sample-variance penalization, COLT, theorem 4. Where the largest that can occur is known, the sequence is
    then right at all looks (calibration, subject `rare_losses`); the largest so far is only an estimate.

    >>> round(float(rare_loss(100.0, 1000, 0.05)), 3)
    0.369
    """
    return np.asarray(largest, dtype=np.float64) * math.log(2.0 / alpha) / n


def asymptotic_interval(
    mean: NDArray[np.float64] | float,
    deviation: NDArray[np.float64] | float,
    n: int,
    alpha: float,
    n_opt: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the intervals of means of values without known bounds, valid at all late looks.

    The sequence replaces the values by Gaussian ones of the same variance. Its error over all looks tends to
    `alpha` as the number of values before the first look grows; with few values of heavy tails it is larger.

    Parameters
    ----------
    mean, deviation : float or ndarray
        Mean and standard deviation of the values so far.
    n : int
        Their number.
    alpha : float
        The error over all looks.
    n_opt : float
        The number of values at which the interval is to be tightest.

    Returns
    -------
    tuple of ndarray
        The ends.

    See Also
    --------
    bestby.questions.monitor.betting.betting_interval : For values between bounds, valid from the first on.

    References
    ----------
    .. [1] Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024), Time-uniform central limit theory and
       asymptotic confidence sequences, Ann. Statist. 52, 2613-2640.

    Examples
    --------
    >>> low, high = asymptotic_interval(0.2, 1.0, 400, 0.05, 400)
    >>> round(float(low), 3), round(float(high), 3)
    (0.048, 0.352)
    """
    radius = asymptotic_radius(n, alpha, n_opt) * np.asarray(deviation, dtype=np.float64)
    centre = np.asarray(mean, dtype=np.float64)
    return centre - radius, centre + radius
