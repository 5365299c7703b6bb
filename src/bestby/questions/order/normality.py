"""Three tests of normality: a description of the differences, not a gate before a test.

Anderson-Darling and Kolmogorov-Smirnov are computed with the mean and the variance estimated from the same
values, as they must be here; their p-values come from simulated normal samples treated in the same way.
"""

from __future__ import annotations

import math
import warnings
from functools import lru_cache

import numpy as np
from scipy.special import log_ndtr, ndtr

from bestby._core import arrays, checks, rounding
from bestby._core.chunks import chunks
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import percentage
from bestby._core.typing import ArrayLike, FloatArray, Rng
from bestby.questions.order.result import Normality, NormalityTest
from bestby.resampling.settings import Resampling, combined_settings
from bestby.resampling.streams import seed_of
from bestby.results.base import Note, provenance_of

MOST_ROYSTON = 5000
"""Values up to which Royston's p-value of the Shapiro-Wilk test was fitted."""


MOST_SHOWN = 200
"""Values that a figure shows."""

_FEW = 20
_MANY = 500
_TIED = 0.1


@with_suggestions
def normality(
    values: ArrayLike, *, rng: Rng = 0, n_resamples: int = 9_999, resampling: Resampling | None = None
) -> Normality:
    """Describe how far values are from a normal distribution, with three tests.

    Parameters
    ----------
    values : array_like, shape (n,)
        For example the differences between two systems, item by item.
    rng : int, numpy.random.Generator or None
        The seed of the simulated samples; None for fresh entropy.
    n_resamples : int
        Normal samples that are simulated for the p-values of Anderson-Darling and Lilliefors.
    resampling : Resampling, optional
        The last two as one record.

    Returns
    -------
    Normality
        Moments, share of ties, and statistic and p-value of Shapiro-Wilk, Anderson-Darling and
        Kolmogorov-Smirnov with estimated parameters (Lilliefors).

    Raises
    ------
    InvalidInputError
        If there are fewer than 3 values, one is not finite, or all are equal.

    See Also
    --------
    advise : Which test suits a comparison; it does not ask for normality.

    Notes
    -----
    Do not choose between a t-test and another test by these p-values. A test that follows a test of
    normality has, among the samples that passed, another type-I error than it has by itself [5]_. And they
    answer the wrong question: a few values pass whatever they were drawn from, and of many every trifle is
    rejected, while it is for many values that the mean is nearly normal anyway. The permutation test
    needs none of it.

    The p-values of A² and D are (1 + hits) / (1 + `n_resamples`), from simulated normal samples of the same
    n, whose mean and variance are estimated too. Above 200 values the samples have 200, and what is compared
    are the modified statistics A²(1 + 0.75/n + 2.25/n²) of [4]_ and D(√n - 0.01 + 0.85/√n) of [3]_, whose
    distributions hardly depend on n.

    References
    ----------
    .. [1] Shapiro and Wilk (1965), Biometrika 52, 591-611; p-value by Royston (1995), Appl. Statist. 44,
       547-551.
    .. [2] Lilliefors (1967), J. Amer. Statist. Assoc. 62, 399-402.
    .. [3] Stephens (1974), J. Amer. Statist. Assoc. 69, 730-737.
    .. [4] D'Agostino and Stephens (1986), Goodness-of-Fit Techniques, chapter 4.
    .. [5] Rochon, Gondan and Kieser (2012), BMC Med. Res. Methodol. 12, 81.

    Examples
    --------
    >>> found = normality(np.random.default_rng(3).exponential(size=40))
    >>> [(test.name, round(test.statistic, 3)) for test in found.tests]
    [('shapiro-wilk', 0.876), ('anderson-darling', 1.446), ('lilliefors', 0.149)]
    >>> all(test.p_value < 0.03 for test in found.tests)
    True
    """
    column = checks.column(arrays.values_of(values), "values")
    if column.dtype.kind not in "iuf":
        raise InvalidInputError(f"normality needs numbers, got values of type {column.dtype}")
    x = np.sort(column.astype(np.float64))
    if x.size < 3:
        raise InvalidInputError(f"normality needs at least 3 values, got {x.size}")
    # Subtracted before it is squared, so that neither a large mean nor a tiny scale loses the digits.
    spread = float(x[-1] - x[0])
    if rounding.is_nothing(spread, max(abs(float(x[0])), abs(float(x[-1])))):
        raise InvalidInputError(
            f"all {x.size} values are equal: there is no distribution to describe",
            hint="two systems that never differ need no test",
        )
    z = _standardised(((x - x.mean()) / spread)[None, :])
    chosen = combined_settings(
        resampling,
        n_resamples,
        rng,
        9_999,
        function="normality",
        unused="n_jobs progress executor cache resample_size rescale",
    )
    drawn, seed = int(chosen.n_resamples or 0), seed_of(chosen.rng)
    tests = (_shapiro(z[0]), *_simulated(z, drawn, seed))
    tied = 1.0 - np.unique(x).size / x.size
    return Normality(
        n=x.size,
        mean=float(x.mean()),
        std=float(((x - x.mean()) / spread).std(ddof=1) * spread),
        skewness=_moment(z[0], 3),
        kurtosis=_moment(z[0], 4) - 3.0,
        tied=tied,
        tests=tests,
        order_statistics=_order_statistics(x),
        notes=_notes(x.size, tied),
        provenance=provenance_of(
            {"question": "normality"}, {"values": x.size}, x.tolist(), seed=seed, n_resamples=drawn
        ),
    )


def _order_statistics(x: FloatArray) -> tuple[tuple[int, float], ...]:
    """Return ranks and sorted values for a figure: all, or both tails and some of the values between."""
    ranks = np.arange(1, x.size + 1)
    if x.size > MOST_SHOWN:
        tail, between = MOST_SHOWN // 8, np.linspace(1, x.size, 3 * MOST_SHOWN // 4)
        ranks = np.unique([*ranks[:tail], *np.rint(between).astype(int), *ranks[-tail:]])
    return tuple(zip(ranks.tolist(), x[ranks - 1].tolist(), strict=True))


def _standardised(x: FloatArray) -> FloatArray:
    """Return each row of sorted values less its mean, over its standard deviation (n - 1)."""
    centred = x - x.mean(axis=1, keepdims=True)
    return np.asarray(centred / centred.std(axis=1, ddof=1, keepdims=True))


def _moment(z: FloatArray, power: int) -> float:
    return float((z**power).mean() / (z * z).mean() ** (power / 2.0))


def anderson_darling(z: FloatArray) -> FloatArray:
    """Return A² of each row of sorted, standardised values, shape (R, n) -> (R,)."""
    n = z.shape[1]
    weights = (2.0 * np.arange(1, n + 1) - 1.0) / n
    return np.asarray(-n - (log_ndtr(z) + log_ndtr(-z[:, ::-1])) @ weights)


def kolmogorov_smirnov(z: FloatArray) -> FloatArray:
    """Return D of each row of sorted, standardised values, shape (R, n) -> (R,)."""
    n = z.shape[1]
    p, steps = ndtr(z), np.arange(n + 1) / n
    return np.asarray(np.maximum((steps[1:] - p).max(axis=1), (p - steps[:-1]).max(axis=1)))


def _modified(z: FloatArray) -> FloatArray:
    """Return Stephens's modifications of A² and D, whose distributions hardly depend on n, shape (2, R)."""
    n = z.shape[1]
    root = math.sqrt(n)
    squared = anderson_darling(z) * (1.0 + 0.75 / n + 2.25 / n**2)
    return np.stack([squared, kolmogorov_smirnov(z) * (root - 0.01 + 0.85 / root)])


@lru_cache(maxsize=16)
def _reference(n: int, n_resamples: int, seed: int) -> FloatArray:
    """Return the modified statistics of simulated normal samples of n, each sorted, shape (2, B)."""
    generator = np.random.default_rng(seed)
    blocks = [
        _modified(_standardised(np.sort(generator.standard_normal((part.stop - part.start, n)), axis=1)))
        for part in chunks(n_resamples, n)
    ]
    drawn = np.sort(np.concatenate(blocks, axis=1), axis=1)
    drawn.flags.writeable = False
    return drawn


def _simulated(z: FloatArray, n_resamples: int, seed: int) -> tuple[NormalityTest, NormalityTest]:
    # Values per simulated sample; Stephens's modified statistics hardly depend on more
    reference = _reference(min(z.shape[1], 200), n_resamples, seed)
    plain = (float(anderson_darling(z)[0]), float(kolmogorov_smirnov(z)[0]))
    tests = []
    for name, statistic, value, drawn in zip(
        ("anderson-darling", "lilliefors"), plain, _modified(z)[:, 0], reference, strict=True
    ):
        hits = drawn.size - int(np.searchsorted(drawn, value - rounding.level_width(value), side="left"))
        p = (1.0 + hits) / (1.0 + drawn.size)
        tests.append(NormalityTest(name, statistic, p, math.sqrt(p * (1.0 - p) / drawn.size)))
    return tests[0], tests[1]


def _shapiro(z: FloatArray) -> NormalityTest:
    from scipy.stats import shapiro

    with warnings.catch_warnings():  # above 5000 values, which a note tells
        warnings.simplefilter("ignore", UserWarning)
        statistic, p = shapiro(z)
    return NormalityTest("shapiro-wilk", float(statistic), float(p))


def _notes(n: int, tied: float) -> tuple[Note, ...]:
    few = f"with {n} values these tests rarely reject, whatever the distribution"
    many = (
        f"with {n} values these tests reject small departures that do not matter for a mean of so many values"
    )
    tying = f"{percentage(tied)} of the values are ties: with many values that alone is enough for rejection"
    royston = f"the p-value of Shapiro-Wilk is an extrapolation above {MOST_ROYSTON} values"
    notes = (
        (n < _FEW, Note("low_power", few)),
        (n >= _MANY, Note("rejects_trifles", many)),
        (rounding.at_most(_TIED, tied), Note("ties", tying)),
        (n > MOST_ROYSTON, Note("royston", royston)),
    )
    return tuple(note for applies, note in notes if applies)
