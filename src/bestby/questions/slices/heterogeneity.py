"""Whether effects in several groups differ or change their sign, and what each is without chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtr, chdtrc, fdtrc, ndtri, stdtr

from bestby._core import rounding
from bestby._core.chunks import chunks
from bestby._core.text import percentage, quoted
from bestby._core.typing import FloatArray, IntArray
from bestby.engine.base import Pair
from bestby.inference import exchangeability
from bestby.metrics.base import MeanMetric
from bestby.questions.slices import source
from bestby.questions.slices.result import Heterogeneity, HeterogeneityTest
from bestby.questions.slices.source import Part
from bestby.report.comparison import Difference
from bestby.resampling import streams
from bestby.results.base import Note


@dataclass(frozen=True, eq=False)
class Pooled:
    """Effects of several groups put together.

    Parameters
    ----------
    q : float
        Cochran's Q: the weighted squared distance of the effects from their mean.
    df : int
        The number of groups less 1.
    tau : float
        The standard deviation of the true effects, by DerSimonian and Laird; 0 if Q is at most `df`.
    mean, error : float
        The mean of the true effects and its standard error.
    shrunken : ndarray, shape (K,)
        The empirical-Bayes estimate of each effect.
    """

    q: float
    df: int
    tau: float
    mean: float
    error: float
    shrunken: FloatArray


def pooled_effect(estimates: FloatArray, covariance: FloatArray) -> Pooled:
    """Return Q, the spread of the true effects and the shrunken effects, from effects of shape (K,).

    Cochran (1954, Biometrics 10, 101-129); DerSimonian & Laird (1986, Controlled Clin. Trials 7, 177-188).
    Their moment equation is solved here for errors of any `covariance`, shape (K, K): with W its inverse and
    P = W - W 1 1' W / (1' W 1), E(Q) = K - 1 + tau^2 tr(P). Effects shrink towards their mean as normal
    effects do (Morris 1983, J. Amer. Statist. Assoc. 78, 47-55).

    >>> found = pooled_effect(np.array([0.1, 0.3, 0.35]), np.diag([0.01, 0.01, 0.02]))
    >>> round(found.q, 3), found.df, round(found.tau, 3), found.shrunken.round(3)
    (2.9, 2, 0.075, array([0.186, 0.258, 0.26 ]))
    """
    weights = np.linalg.inv(covariance)
    rows = weights.sum(axis=1)
    projection = weights - np.outer(rows, rows) / rows.sum()
    q, df = max(0.0, float(estimates @ projection @ estimates)), estimates.size - 1
    variance = max(0.0, (q - df) / float(np.trace(projection)))
    inverse = np.linalg.inv(covariance + variance * np.eye(estimates.size))
    total = float(inverse.sum())
    mean = float(inverse.sum(axis=0) @ estimates) / total
    shrunken = mean + variance * (inverse @ (estimates - mean))
    return Pooled(q, df, math.sqrt(variance), mean, 1.0 / math.sqrt(total), shrunken)


def missed(df: int) -> float:
    """Return how often the spread is estimated as 0 where it is as large as the errors, which are all equal.

    Q is then twice a chi-squared with `df` degrees of freedom, and the estimate is 0 where Q is at most `df`.

    >>> [round(missed(k - 1), 3) for k in (2, 3, 5, 10, 20)]
    [0.52, 0.393, 0.264, 0.124, 0.036]
    """
    return float(chdtr(df, 0.5 * df))


def chi_squared(q: float, df: int) -> float:
    """Return the p-value of Q for effects whose errors are known.

    >>> round(chi_squared(5.99, 2), 4)
    0.05
    """
    return float(chdtrc(df, q))


def welch(estimates: FloatArray, errors: FloatArray, freedom: FloatArray) -> float:
    """Return the p-value of Q for independent effects whose errors have degrees of freedom, shape (K,).

    Welch (1951), Biometrika 38, 330-336: Q over K - 1 and a correction, by the F distribution. It holds its
    level however unequally groups of ten values or more vary, and not with many smaller ones: 10 % of tests
    of 20 groups of 6 reject at 5 %.

    >>> a, b = np.array([1.0, 2.0, 3.0, 5.0]), np.array([2.0, 6.0, 7.0, 9.0, 11.0])
    >>> errors = np.array([x.std(ddof=1) / x.size**0.5 for x in (a, b)])
    >>> from scipy.stats import ttest_ind
    >>> p = welch(np.array([a.mean(), b.mean()]), errors, np.array([3.0, 4.0]))
    >>> bool(np.isclose(p, ttest_ind(a, b, equal_var=False).pvalue))
    True
    """
    k, weights = estimates.size, errors**-2.0
    total = float(weights.sum())
    mean = float(weights @ estimates) / total
    statistic = float(weights @ (estimates - mean) ** 2) / (k - 1)
    loss = float(((1.0 - weights / total) ** 2 / freedom).sum())
    statistic /= 1.0 + 2.0 * (k - 2) * loss / (k**2 - 1)
    return float(fdtrc(k - 1, (k**2 - 1) / (3.0 * loss), statistic))


def skewed(groups: Sequence[FloatArray]) -> bool:
    """Tell whether values are so skewed that it moves the level of tests of the mean of the smallest group.

    The skewness is that of all values, standardised within their groups: a small group shows little of its
    own. Values that are 0 or of one size, as differences of answers, are as skewed as their mean is not 0.

    >>> values = np.repeat([0.0, 1.0, 5.0], [60, 30, 10])
    >>> skewed([values, values[::4]]), skewed([np.tile(values, 20)] * 2), skewed([-1.0 * (values > 0.0)] * 2)
    (True, False, False)
    """
    sizes = np.abs(np.concatenate(groups))
    largest = float(sizes.max(initial=0.0))
    there = sizes[sizes > rounding.level_width(largest)]
    if there.size == 0 or rounding.level(float(there.min()), largest, largest):
        return False
    centred = [(group - group.mean(), group.std()) for group in groups]
    u = np.concatenate([away / spread for away, spread in centred if spread > 0.0])
    least = min(group.size for group in groups)
    return abs(float((u**3).mean())) > exchangeability.SKEWNESS * math.sqrt(least)


def hotelling(q: float, df: int, n_units: float) -> float:
    """Return the p-value of Q for effects that the same units tell, whose joint covariance is estimated.

    Hotelling (1931), Ann. Math. Statist. 2, 360-378: Q is T^2 of the `df` contrasts of the effects, from
    `n_units` units, of which there have to be more than contrasts.

    >>> round(hotelling(10.0, 2, 1e9), 4), round(hotelling(10.0, 2, 12), 4)
    (0.0067, 0.0394)
    """
    return float(fdtrc(df, n_units - df, q * (n_units - df) / (df * (n_units - 1.0))))


def gail_simon(
    estimates: FloatArray,
    errors: FloatArray,
    freedom: FloatArray | float = math.inf,
    exact: FloatArray | float = math.nan,
) -> tuple[float, float]:
    """Return the statistic and the p-value of the test that independent effects have different signs.

    Gail & Simon (1985), Biometrics 41, 361-372: a qualitative, or crossover, interaction. The null hypothesis
    is that no two effects have opposite signs. The statistic is the smaller of the sums of squared standard
    scores of the positive and of the negative effects. The p-value is the largest under the null hypothesis:
    one effect of unknown sign and far from 0, all others 0.

    They take the standard errors to be known. Where these have degrees of freedom, of shape (K,), an effect
    over its error is replaced by the normal score with the same tail as this value of Student's t: errors of
    few items would otherwise make signs change that do not. `exact`, of shape (K,), are one-sided p-values
    that take the place of these tails where they are not NaN, as where no spread is seen.

    >>> statistic, p = gail_simon(
    ...     np.array([0.163, -0.114, -0.047, -0.151]), np.array([0.0788, 0.0689, 0.0614, 0.0547])
    ... )  # the example of that paper, as in the R package biostatUZH
    >>> round(statistic, 2), round(p, 3)
    (4.28, 0.088)
    """
    tails = np.where(np.isnan(exact), stdtr(freedom, -np.abs(estimates / errors)), exact)
    tails = np.maximum(tails, np.finfo(np.float64).tiny)
    squares = ndtri(tails) ** 2
    statistic = min(float(squares[estimates > 0.0].sum()), float(squares[estimates < 0.0].sum()))
    if statistic == 0.0:
        return 0.0, 1.0
    n = estimates.size - 1
    h = range(1, n + 1)
    chances = np.array([math.comb(n, k) / 2**n for k in h])  # of so many heads in n throws of a coin
    return statistic, float(chances @ chdtrc(h, statistic))


def steadied(variances: FloatArray, sizes: IntArray) -> FloatArray:
    """Return the variance of the values of each group, shape (..., K); if it is 0, that of all groups.

    A group in which nothing varies by chance would otherwise count as known without error.

    >>> steadied(np.array([0.2, 0.0, 0.4]), np.array([11, 8, 11])).round(4)
    array([0.2   , 0.2222, 0.4   ])
    """
    within = ((sizes - 1) * variances).sum(axis=-1, keepdims=True) / max(1.0, float((sizes - 1).sum()))
    return np.where(rounding.is_nothing(variances, within, rounding.ERROR), within, variances)


def steadied_errors(estimates: FloatArray, errors: FloatArray, sizes: IntArray) -> FloatArray:
    """Return the standard errors of effects, shape (K,), of which some may be 0.

    An effect whose error is 0 gets the error of its size in a group that varies as all do within themselves;
    if none does, in one that varies as the units of all groups together: that is their variance if the
    effects are equal, and makes Q the squares between the groups over those of all. 0 is left where the
    effects are equal, too.

    >>> steadied_errors(np.array([1.0, -1.0]), np.zeros(2), np.array([20, 20])).round(3)
    array([0.226, 0.226])
    """
    variances = steadied(errors**2 * sizes, sizes)
    if not (variances > 0.0).all():
        away = estimates - float(sizes @ estimates) / float(sizes.sum())
        away[np.abs(away) <= rounding.level_width(float(np.abs(estimates).max()))] = 0.0
        variances = np.full(sizes.size, float(sizes @ away**2) / (float(sizes.sum()) - 1.0))
    steady: FloatArray = np.sqrt(variances / sizes)
    return steady


def permuted(groups: Sequence[FloatArray], n_resamples: int, seed: int) -> float:
    """Return the p-value of Q of the means of groups of values, by permutations.

    The values are shuffled among the groups, and Q is studentised by the variances of the shuffled groups:
    exact if all groups have one distribution, and right for many values if they only have one mean (Pauly,
    Brunner & Konietschke 2015, J. R. Statist. Soc. B 77, 461-473).

    >>> permuted([np.array([0.0, 1.0, 0.0, 1.0]), np.array([7.0, 9.0, 8.0])], 999, seed=0) < 0.06
    True
    """
    values = np.concatenate(groups)
    sizes = np.array([group.size for group in groups])
    observed = _statistics(values[None, :], sizes)[0]
    generator = streams.block_generator(seed, "slices", 0)
    hits = 0
    for part in chunks(n_resamples, values.size):
        rows = np.repeat(values[None, :], part.stop - part.start, axis=0)
        generator.permuted(rows, axis=1, out=rows)
        hits += int(rounding.as_extreme(_statistics(rows, sizes), observed).sum())
    return (hits + 1) / (n_resamples + 1)


def _statistics(rows: FloatArray, sizes: IntArray) -> FloatArray:
    """Return Q of each row of values, shape (R, n), cut into groups of these sizes."""
    starts, scale = np.cumsum(sizes) - sizes, float(np.abs(rows[0]).max())
    means = np.add.reduceat(rows, starts, axis=1) / sizes
    squares = np.add.reduceat(rows**2, starts, axis=1) - sizes * means**2
    variances = steadied(np.maximum(squares, 0.0) / np.maximum(1, sizes - 1), sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.where(variances > 0.0, sizes / variances, np.inf)
        centre = (weights * means).sum(axis=1, keepdims=True) / weights.sum(axis=1, keepdims=True)
        away = rounding.on_marks(means - centre, (0.0,), scale)
        statistics: FloatArray = (weights * away**2).sum(axis=1)
    flat = ~(variances[:, 0] > 0.0)  # every group is constant: they are equal, or differ without error
    statistics[flat] = np.where(np.ptp(means[flat], axis=1) > rounding.level_width(scale), np.inf, 0.0)
    return statistics


FEWEST_UNITS = 10
"""Items (clusters) of a slice below which nothing made of a standard error holds its level."""

MOST_WORK = 30_000_000
"""Permutations times items above which there are fewer permutations."""

LEAST_PERMUTATIONS = 999


@dataclass(frozen=True, eq=False)
class Tested:
    """Whether a difference depends on the slices of a column; `errors` and `shrunken` have shape (K,)."""

    errors: FloatArray | None
    shrunken: FloatArray | None
    result: Heterogeneity | None
    notes: tuple[Note, ...]


def tested(
    parts: Sequence[Part],
    pair: Pair,
    differences: Sequence[Difference],
    together: FloatArray | None,
    spanned: bool,
) -> Tested:
    """Return the test of heterogeneity of one pair over the slices of one column.

    `together`, of shape (K, K), are the correlations of the differences, and `spanned` says whether clusters
    lie in more than one slice, so that they are correlated.
    """
    d = differences[0]
    about, column = (d.metric, d.a, d.b), parts[0].column
    errors = _errors(parts, differences, spanned=spanned)
    if errors is None:
        why = "nothing tells how far the differences in the slices vary"
        return Tested(None, None, None, (_untested(column, why, about),))
    n_spanning, correlations = None, np.eye(len(parts))
    if spanned:
        n_spanning = np.unique(np.concatenate([np.asarray(part.evaluation.clusters) for part in parts])).size
        if together is None or not _well_known(together, n_spanning):
            why = (
                f"the {n_spanning} clusters across the slices do not tell how all {len(parts)} vary together"
            )
            return Tested(errors, None, None, (_untested(column, why, about),))
        correlations = together
    estimates = np.array([one.estimate for one in differences])
    pooled = pooled_effect(estimates, correlations * np.outer(errors, errors))
    name: HeterogeneityTest = "hotelling"
    notes: tuple[Note, ...] = ()
    if n_spanning is not None:
        p, sign, sign_p = hotelling(pooled.q, pooled.df, n_spanning), None, None
    else:
        degrees = np.array([freedom(part, pair) for part in parts])
        name, p, notes = _p_value(parts, pair, differences, errors, degrees)
        exact = np.array([_tail(part, one) for part, one in zip(parts, differences, strict=True)])
        sign, sign_p = gail_simon(estimates, errors, degrees, exact)
    result = Heterogeneity(
        *about, column, pooled.q, pooled.df, p, name, pooled.mean, pooled.error, pooled.tau, sign, sign_p
    )
    return Tested(errors, pooled.shrunken, result, (*notes, *_few(parts, pooled, about)))


def _few(parts: Sequence[Part], pooled: Pooled, about: tuple[str, ...]) -> tuple[Note, ...]:
    """Return a note if few slices tell how far to shrink: how often a spread would then be missed."""
    # Slices below which the spread of the true differences is known so badly that a note says it
    if len(parts) >= 10:
        return ()
    spread = "0, so that all of them are the mean" if pooled.tau == 0.0 else f"{pooled.tau:.2g}"
    message = (
        f"the shrunken differences of {quoted(parts[0].column)} rest on the spread of {len(parts)} slices,"
        f" estimated as {spread}: if the true spread were as large as the standard errors, the"
        " estimate from so few independent slices would be 0 in"
        f" {percentage(missed(pooled.df))} of all cases"
    )
    return (Note("few_slices", message, about),)


def _untested(column: str, why: str, about: tuple[str, ...]) -> Note:
    """Return the note that nothing tests whether a difference depends on a column."""
    return Note(
        "heterogeneity", f"whether the difference depends on {quoted(column)} is not tested: {why}", about
    )


def _well_known(correlations: FloatArray, n_units: int) -> bool:
    """Return whether enough clusters tell the correlations of slices, and no slice is known from others."""
    size = len(correlations)
    return n_units > 2 * size and bool(np.linalg.matrix_rank(correlations) == size)


def _errors(parts: Sequence[Part], differences: Sequence[Difference], *, spanned: bool) -> FloatArray | None:
    """Return the standard errors; where nothing varies, that of a slice that varies as the others do."""
    if any(one.standard_error is None for one in differences):
        return None
    sizes = np.array([part.estimates.group.n_units for part in parts])
    errors = np.array([one.standard_error for one in differences], dtype=np.float64)
    if spanned and not errors.any():
        return None  # the clusters show no correlations
    estimates = np.array([one.estimate for one in differences])
    steadied = steadied_errors(estimates, errors, sizes)
    return steadied if bool((steadied > 0.0).all()) else None


def _tail(part: Part, d: Difference) -> float:
    """Return the one-sided p-value of a mean to which all units add the same; NaN of others.

    It is that of the swaps, of which only one leaves all of them as they are.
    """
    group = part.estimates.group
    constant = d.standard_error == 0.0 and isinstance(group.metric, MeanMetric)
    return 0.5**group.n_units if constant and d.estimate != 0.0 else math.nan


def _p_value(
    parts: Sequence[Part],
    pair: Pair,
    differences: Sequence[Difference],
    errors: FloatArray,
    degrees: FloatArray,
) -> tuple[HeterogeneityTest, float, tuple[Note, ...]]:
    """Return the test of independent slices, its p-value and what to know of it.

    It is Welch's F, which lets slices vary unequally; where a slice does not vary at all, permutations.
    `errors` and their `degrees` of freedom have shape (K,).
    """
    values = _values(parts, pair, differences)
    constant = any(one.standard_error == 0.0 for one in differences)
    if constant and values is not None:
        n = sum(one.size for one in values)
        drawing = parts[0].estimates.drawing
        times = min(drawing.n_resamples, max(LEAST_PERMUTATIONS, MOST_WORK // n))
        return "permutation-q", permuted(values, times, drawing.seed), ()
    p = welch(np.array([one.estimate for one in differences]), errors, degrees)
    if constant:
        why = "in some slice nothing varies, and its standard error is taken from all slices"
    elif values is not None and skewed(values):
        why = "the differences of the items are skewed, and some slice has few"
    else:
        return "welch-q", p, ()
    d = differences[0]
    message = (
        f"the test whether the difference depends on {quoted(parts[0].column)} takes the differences in the"
        f" slices for normal, and is approximate: {why}"
    )
    return "welch-q", p, (Note("heterogeneity_approximate", message, (d.metric, d.a, d.b)),)


def freedom(part: Part, pair: Pair) -> float:
    """Return the degrees of freedom of the standard error in a slice."""
    group = part.estimates.group
    error = group.sample(*pair).error if group.clustered else None
    return max(1.0, group.sample(*pair).degrees_of_freedom if error is None else error.df)


def _values(parts: Sequence[Part], pair: Pair, differences: Sequence[Difference]) -> list[FloatArray] | None:
    """Return numbers of the items of each slice whose mean is its difference; None if items are no units."""
    values = []
    # Items up to which they are permuted
    if sum(part.evaluation.n_items for part in parts) > 30_000:
        return None
    for part, one in zip(parts, differences, strict=True):
        group = part.estimates.group
        if group.clustered or group.n_strata > 1:
            return None
        influence = source.added_by_units(group, pair)
        if influence is None or not np.isfinite(influence).all():
            return None
        values.append(one.estimate + influence.size * influence)
    return values
