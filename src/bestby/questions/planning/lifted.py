"""Scores of one system, and these scores lifted: how often a test tells the two apart.

The tests return the p-values of whole arrays of simulated studies.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import ndtr, stdtr

from bestby._core import arrays, checks, rounding
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import quoted
from bestby._core.typing import Alternative, ArrayLike, FloatArray, IntArray, Lift
from bestby.inference.classical import doubled_ranks
from bestby.planning import doubt
from bestby.planning.base import Design, Question
from bestby.questions.planning.own_test import OwnTest, checked_test, name_of, p_value_of
from bestby.results.base import Note
from bestby.vocabulary import LiftedTest, allowed_names

_WORDS = {
    "permutation": "the permutation test of two independent samples",
    "bootstrap": "the bootstrap test of two independent samples",
    "welch": "Welch's t-test",
    "mann-whitney": "the Mann–Whitney test",
}


@with_suggestions
@dataclass(frozen=True, eq=False)
class LiftedScores(Design):
    """Scores of one system in several runs, and an imagined system that is better by a factor or an offset.

    Power is the share of significant tests between resamples, drawn with replacement and
    independently, of the scores and of the scores lifted: bootstrap power analysis [1]_ as used for
    runs in [2]_. A few scores do not hold their population: the spread of n scores is too small by a factor
    of (n - 1) / n in the variance, and may be far from the true one. Unless they are the population, each
    simulated study therefore has a variance of its own, which the scores leave open: that of the
    scores, unbiased, over a chi-square [3]_.

    Parameters
    ----------
    scores : array_like, shape (n,)
        Scores of one system, one per run.
    lift : float
        What the scores are multiplied by, or what is added to them.
    by : {"factor", "offset"}
        Which of the two. A factor widens the spread too, and means nothing for scores without a zero.
    test : {"permutation", "bootstrap", "welch", "mann-whitney"} or callable
        The test; the lifted scores are A, the scores B. A function of your own, ``test(a, b) -> p``, takes
        the scores of both and returns a p-value, which is used as it is: `alternative` has no effect on it.
    as_population : bool
        Take the scores for all there could be, as [1]_ and [2]_ do. Of five scores, a size planned for a
        power of .80 then has one of about .65.

    Raises
    ------
    InvalidInputError
        If there are fewer than two scores or they do not vary.
    DesignError
        If scores that are not positive are to be multiplied.

    References
    ----------
    .. [1] Yuan & Hayashi (2003), Bootstrap approach to inference and power analysis based on three test
       statistics for covariance structure models, Br. J. Math. Stat. Psychol. 56, 93-110.
    .. [2] Ulmer, Hardmeier & Frellsen (2022), deep-significance, arXiv:2204.06815, section 3.
    .. [3] Julious & Owen (2006), Sample size calculations for clinical studies allowing for uncertainty about
       the variance, Pharmaceutical Statistics 5, 29-37.

    Examples
    --------
    >>> from bestby import power
    >>> scores = [0.71, 0.74, 0.69, 0.75, 0.73]
    >>> plan = power(LiftedScores(scores, lift=1.05, test="welch"), 10)
    >>> 0.7 < plan.power < 0.9, plan.power_as_estimated > 0.9
    (True, True)
    """

    scores: ArrayLike
    lift: float = 1.25
    by: Lift = "factor"
    test: LiftedTest | OwnTest = "permutation"
    as_population: bool = False
    values: FloatArray = field(init=False, repr=False)

    name: ClassVar[str] = "lifted scores"
    simulated: ClassVar[bool] = True
    simulations: ClassVar[int] = 5000
    unit: ClassVar[str] = "runs"
    most: ClassVar[int] = 10_000
    too_small: ClassVar[str] = "plan for a larger lift or a lower power"

    def __post_init__(self) -> None:
        checks.choice(self.by, allowed_names("by"), "by")
        checked_test(self.test, "lifted")
        values = checks.column(arrays.values_of(self.scores), "scores")
        if values.dtype.kind == "U":
            raise InvalidInputError(f"scores must be numbers, got text: {quoted(str(values[0]))}")
        values = values.astype(np.float64)
        if values.size < 2 or float(np.ptp(values)) == 0.0:
            raise InvalidInputError(
                f"at least 2 scores that vary are needed, got {values.size} without variation",
                hint="train the system with several seeds",
            )
        if self.by == "factor" and not (values > 0.0).all():
            raise DesignError(
                f"scores are multiplied by the lift, but one of them is {values.min():g}",
                hint='by="offset" adds the lift instead',
            )
        if not math.isfinite(checks.amount(self.lift, "lift")) or (self.by == "factor" and self.lift <= 0.0):
            raise InvalidInputError(
                f"lift must be a {'positive ' * (self.by == 'factor')}number, got {self.lift}",
                argument="lift",
            )
        object.__setattr__(self, "values", values)

    @property
    def size(self) -> int:
        """The number of scores given."""
        return int(self.values.size)

    @property
    def true_difference(self) -> float:
        """The mean of the lifted scores minus that of the scores."""
        return float(self._lifted(self.values).mean() - self.values.mean())

    @property
    def effect(self) -> float:
        """The lift."""
        return self.lift

    @property
    def null(self) -> float:
        """The lift that changes nothing."""
        return 1.0 if self.by == "factor" else 0.0

    def reach(self, alternative: Alternative) -> float:
        """Return infinity; downward a factor of nearly 0, for scores stay above it."""
        if alternative == "less" or (alternative == "two-sided" and self.lift < self.null):
            return 1e-9 if self.by == "factor" else -math.inf
        return math.inf

    def with_effect(self, effect: float) -> Self:
        """Return the design with another lift."""
        return dataclasses.replace(self, lift=effect)

    def _lifted(self, scores: FloatArray) -> FloatArray:
        return scores * self.lift if self.by == "factor" else scores + self.lift

    def powers(self, n: IntArray, question: Question) -> tuple[FloatArray, FloatArray]:
        """Return the share of significant tests at each n, with its Monte Carlo error."""
        return self._simulated(n, question, self._hits)

    def _hits(self, n: int, studies: int, question: Question) -> int:
        # Drawn run by run: studies of different size under one seed share their first runs, and
        # studies of different lift all of them, so that power changes with neither by chance alone.
        lifted, plain, resampled, spreads = (
            np.random.Generator(np.random.PCG64(child))
            for child in np.random.SeedSequence(question.seed).spawn(4)
        )
        x, y = (
            np.ascontiguousarray(self.values[generator.integers(self.values.size, size=(n, studies))].T)
            for generator in (lifted, plain)
        )
        if not self.as_population:
            mean, factor = self.values.mean(), self._factors(studies, spreads)
            x, y = mean + (x - mean) * factor, mean + (y - mean) * factor
        x = self._lifted(x)
        if isinstance(self.test, str):
            p = TESTS[self.test](x, y, question.alternative, question.n_resamples, resampled)
        else:
            p = np.array([p_value_of(self.test, *pair) for pair in zip(x, y, strict=True)])
        return int(np.count_nonzero(p <= question.alpha))

    def _factors(self, studies: int, generator: np.random.Generator) -> FloatArray:
        """Return the spread of each study over that of the pilot, shape (S, 1)."""
        u = generator.permutation((np.arange(studies) + 0.5) / studies)
        unbiased = self.values.size / (self.values.size - 1.0)
        return np.sqrt(unbiased / doubt.mean_squares(self.pilot_df, u))[:, None]

    @property
    def pilot_df(self) -> float:
        """Degrees of freedom with which the scores know their variance: n - 1, fewer if tails are heavy."""
        one = np.ones(self.values.size)
        return doubt.clustered_df((self.values - self.values.mean()) ** 2, one, one)

    def taken_as_true(self) -> Self:
        """Return the design whose population is the scores given."""
        return dataclasses.replace(self, as_population=True)

    @property
    def doubt_words(self) -> str:
        """The spread of the scores, and how well it is known."""
        if self.as_population:
            return ""
        return f"the spread of the scores, estimated with {self.pilot_df:.3g} degrees of freedom"

    @property
    def test_words(self) -> str:
        """The test."""
        return _WORDS[self.test] if isinstance(self.test, str) else name_of(self.test)

    @property
    def assumed_words(self) -> str:
        """The assumptions."""
        how = "multiplied by" if self.by == "factor" else "lifted by"
        return f"scores like the {self.values.size} given, and the same {how} {self.lift:.4g}"

    def settings(self) -> dict[str, Any]:
        """Return the assumptions by name."""
        return {
            "scores": self.values.tolist(),
            "lift": self.lift,
            "by": self.by,
            "test": name_of(self.test),
            "as_population": self.as_population,
        }

    def notes(self, n: int, question: Question) -> tuple[Note, ...]:  # noqa: ARG002
        """Warn of few scores."""
        if not self.as_population:
            return doubt.few_df_notes(self.pilot_df)
        # Fewer scores say little of their distribution
        if self.values.size >= 30:
            return ()
        return (
            Note(
                "few_scores",
                f"{self.values.size} scores are used as the population; new scores vary more, so the power"
                f" is lower than stated",
            ),
        )


# -- tests of many pairs of samples at once ------------------------------------------------------------------


PValues = Callable[[FloatArray, FloatArray, Alternative, int, np.random.Generator], FloatArray]


def permutation(
    x: FloatArray, y: FloatArray, alternative: Alternative, n_resamples: int, generator: np.random.Generator
) -> FloatArray:
    """Return p-values of the permutation test of the difference of means of (S, n) scores.

    All divisions of the pooled sample are taken if they are not more than `n_resamples`; otherwise a new set
    is drawn for every 500 pairs of samples.
    """
    n, size = x.shape[1], x.shape[1] + y.shape[1]
    pooled = np.concatenate([x, y], axis=1)
    pooled = pooled - pooled.mean(axis=1, keepdims=True)
    every = math.comb(size, n) <= max(n_resamples, 1) + 1
    taken = _all_divisions(size, n) if every else None
    out = np.empty(x.shape[0])
    for start in range(0, x.shape[0], _BLOCK):
        part = pooled[start : start + _BLOCK]
        sets = _divisions(size, n, n_resamples, generator) if taken is None else taken
        hits = _hits(part @ sets, part[:, :n].sum(axis=1), np.abs(part).max(axis=1) * n, alternative)
        out[start : start + _BLOCK] = hits / sets.shape[1] if every else (1 + hits) / (1 + n_resamples)
    return out


def bootstrap(
    x: FloatArray, y: FloatArray, alternative: Alternative, n_resamples: int, generator: np.random.Generator
) -> FloatArray:
    """Return p-values of the bootstrap test: both samples shifted to one mean, then resampled.

    Parameters and result are those of `permutation`. See Efron & Tibshirani (1993), section 16.2.

    >>> x, y = np.array([[1.0, 2.0, 3.0]]), np.array([[3.0, 4.0, 6.0]])
    >>> bool(bootstrap(x, y, "less", 999, np.random.default_rng(0))[0] < 0.05)
    True
    """
    observed = x.mean(axis=1) - y.mean(axis=1)
    centred = [z - z.mean(axis=1, keepdims=True) for z in (x, y)]
    out = np.empty(x.shape[0])
    for start in range(0, x.shape[0], _BLOCK):
        drawn = 0.0
        for z, sign in zip(centred, (1.0, -1.0), strict=True):
            n = z.shape[1]
            weights = generator.multinomial(n, np.full(n, 1.0 / n), size=n_resamples).T / (sign * n)
            drawn = drawn + z[start : start + _BLOCK] @ weights
        gap = observed[start : start + _BLOCK]
        hits = _hits(np.asarray(drawn), gap, np.abs(x[start : start + _BLOCK]).max(axis=1), alternative)
        out[start : start + _BLOCK] = (1 + hits) / (1 + n_resamples)
    return out


_BLOCK = 500
"""Studies that share one set of resamples: enough for a matrix product, few enough not to hang on one set."""


def _all_divisions(size: int, n: int) -> FloatArray:
    chosen = np.array(list(combinations(range(size), n)))
    return _indicators(chosen, size)


def _divisions(size: int, n: int, count: int, generator: np.random.Generator) -> FloatArray:
    chosen = np.argpartition(generator.random((count, size), dtype=np.float32), n, axis=1)[:, :n]
    return _indicators(chosen, size)


def _indicators(chosen: IntArray, size: int) -> FloatArray:
    """Return a column of 0 and 1 per set of positions."""
    sets = np.zeros((size, chosen.shape[0]))
    sets[chosen.T, np.arange(chosen.shape[0])] = 1.0
    return sets


def _hits(drawn: FloatArray, observed: FloatArray, scale: FloatArray, alternative: Alternative) -> FloatArray:
    """Count the replicates (S, B) at least as extreme as what was observed (S,), ties included."""
    slack = rounding.spread_width(scale)
    if alternative == "two-sided":
        extreme = np.abs(drawn) >= (np.abs(observed) - slack)[:, None]
    elif alternative == "greater":
        extreme = drawn >= (observed - slack)[:, None]
    else:
        extreme = drawn <= (observed + slack)[:, None]
    counts: FloatArray = np.count_nonzero(extreme, axis=1).astype(np.float64)
    return counts


def welch(
    x: FloatArray,
    y: FloatArray,
    alternative: Alternative,
    n_resamples: int = 0,  # noqa: ARG001 - all tests take the same arguments
    generator: np.random.Generator | None = None,  # noqa: ARG001
) -> FloatArray:
    """Return p-values of Welch's t-test of (S, n) scores; of constant samples 1 if they are alike, else 0."""
    n, m = x.shape[1], y.shape[1]
    x_variance, y_variance = x.var(axis=1, ddof=1) / n, y.var(axis=1, ddof=1) / m
    variance = x_variance + y_variance
    gap = x.mean(axis=1) - y.mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(gap == 0.0, 0.0, gap / np.sqrt(variance))
        df = variance**2 / (x_variance**2 / (n - 1) + y_variance**2 / (m - 1))
    return _tails(t, lambda value: stdtr(np.where(np.isnan(df), n + m - 2.0, df), value), alternative)


def _tails(t: FloatArray, cdf: Callable[[FloatArray], FloatArray], alternative: Alternative) -> FloatArray:
    if alternative == "two-sided":
        return 2.0 * cdf(-np.abs(t))
    return cdf(-t) if alternative == "greater" else cdf(t)


def mann_whitney(
    x: FloatArray,
    y: FloatArray,
    alternative: Alternative,
    n_resamples: int = 0,  # noqa: ARG001
    generator: np.random.Generator | None = None,  # noqa: ARG001
) -> FloatArray:
    """Return p-values of the Mann–Whitney test: normal approximation, corrected for ties and continuity."""
    n, m = x.shape[1], y.shape[1]
    ranks = 0.5 * doubled_ranks(np.concatenate([x, y], axis=1))
    u = ranks[:, :n].sum(axis=1) - n * (n + 1) / 2.0 - n * m / 2.0
    spread = n * m / ((n + m) * (n + m - 1.0)) * ((ranks - (n + m + 1) / 2.0) ** 2).sum(axis=1)
    sd = np.sqrt(spread)
    with np.errstate(divide="ignore", invalid="ignore"):
        upper, lower = (np.where(sd > 0.0, ndtr(-(side * u - 0.5) / sd), 1.0) for side in (1.0, -1.0))
    if alternative == "two-sided":
        doubled: FloatArray = np.minimum(1.0, 2.0 * np.minimum(upper, lower))
        return doubled
    one: FloatArray = upper if alternative == "greater" else lower
    return one


TESTS: dict[str, PValues] = {
    "permutation": permutation,
    "bootstrap": bootstrap,
    "welch": welch,
    "mann-whitney": mann_whitney,
}
