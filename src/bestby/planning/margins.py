"""The power to show on which side of a margin a mean difference lies, by paired t-tests."""

from __future__ import annotations

import numpy as np
from scipy.special import gammainc, gammaincinv, ndtr, stdtrit

from bestby._core.errors import DesignError
from bestby._core.typing import FloatArray
from bestby.inference.power import t_power
from bestby.planning import doubt
from bestby.planning.base import Question


def margin_power(
    difference: float, margin: float, error: FloatArray, df: FloatArray, question: Question
) -> FloatArray:
    """Return the power to show what is true of a difference and a margin.

    Beyond the margin this is that the interval at level 1 - alpha lies beyond it on that side; within it,
    that two one-sided tests at level alpha show it to be equivalent.

    Parameters
    ----------
    difference, margin : float
        The true mean difference, and the smallest that matters.
    error, df : ndarray
        The standard errors of the mean, and their degrees of freedom.
    question : Question
        The level; the alternative must be "two-sided".

    Returns
    -------
    ndarray
        The power at each standard error; NaN where there are no degrees of freedom.

    Raises
    ------
    DesignError
        If the alternative has one side.

    References
    ----------
    .. [1] Phillips (1990), Power of the two one-sided tests procedure in bioequivalence, J. Pharmacokinet.
       Biopharm. 18, 137-144.
    """
    if question.alternative != "two-sided":
        raise DesignError(
            f"a margin is looked at on both sides, and the alternative is {question.alternative!r}",
            hint='alternative="two-sided"',
        )
    if abs(difference) > margin:
        return t_power((abs(difference) - margin) / error, df, question.alpha / 2.0, "greater")
    return _both_shown(difference / error, margin / error, df, question.alpha)


def _both_shown(centre: FloatArray, reach: FloatArray, df: FloatArray, alpha: float) -> FloatArray:
    """Return the power of two one-sided t-tests at `alpha`; all lengths are in standard errors.

    Given the estimated over the true standard error, w, the estimate must lie within reach - t w of 0. The
    mean over w is taken up to where nothing is left of that.
    """
    df, reach, centre = np.broadcast_arrays(df, reach, centre)
    usable = np.where(df > 0.0, df, 1.0)[..., None]
    critical = -stdtrit(usable, alpha)
    points, weights = doubt.gauss_legendre()
    last = gammainc(0.5 * usable, 0.5 * usable * (reach[..., None] / critical) ** 2)
    ratio = np.sqrt(2.0 * gammaincinv(0.5 * usable, points * last) / usable)
    room = reach[..., None] - critical * ratio
    shown = ndtr(room - centre[..., None]) - ndtr(-room - centre[..., None])
    power: FloatArray = (shown * last) @ weights
    return np.where(df > 0.0, np.clip(power, 0.0, 1.0), np.nan)
