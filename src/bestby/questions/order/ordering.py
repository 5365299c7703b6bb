"""Almost stochastic order: by how much the runs of one system fail to be better than those of another.

System A is stochastically larger than B if every quantile of its scores is at least that of B. The violation
ratio says how far from that two samples are: 0 if A is ahead at every quantile, 1 if B is. It is computed
exactly, its error by bootstrap samples of both systems.

The test deals the pooled values of both samples at random to A and to B. If the runs of both systems are
exchangeable, the data are one deal among all, so the share of the deals that favour A at least as much is a
p-value that holds for any distribution of the scores and for any number of deals drawn.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
from scipy.special import ndtri

from bestby._core import arrays, checks, rounding
from bestby._core.arrays import is_table
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import counted, quoted
from bestby._core.typing import Array, ArrayLike, BoolArray, FloatArray, IntArray, Rng
from bestby.data.layouts.runs import runs_of
from bestby.data.roles import TableOptions, listed
from bestby.data.table import backend_of, table_of, unreadable
from bestby.inference.samples import FEW_RUNS
from bestby.questions.order.result import StochasticOrder, StochasticOrders
from bestby.report.reported import with_backend
from bestby.resampling import streams
from bestby.resampling.settings import Resampling, combined_settings
from bestby.results.base import Note, Provenance, provenance_of
from bestby.results.values import TestResult


@with_suggestions
def aso(
    a: ArrayLike,
    b: ArrayLike,
    *,
    greater_is_better: bool = True,
    level: float = 0.95,
    n_comparisons: int = 1,
    rng: Rng = 0,
    n_resamples: int = 1000,
    resampling: Resampling | None = None,
) -> StochasticOrder:
    """Measure how nearly system A is stochastically better than system B, from the scores of their runs.

    Parameters
    ----------
    a, b : array_like, shapes (n,) and (m,), or mapping of run to score
        One score per run; the runs are independent of each other, and not paired, so that the names of runs
        play no part.
    greater_is_better : bool
        False if lower scores are better.
    level : float
        Confidence level of `epsilon_min`; 1 - level is the level of the test.
    n_comparisons : int
        Comparisons the error rate 1 - level is divided among (Bonferroni).
    rng : int, numpy.random.Generator or None
        Seed; None for fresh entropy.
    n_resamples : int
        B, the number of bootstrap samples, and the least number of permutations where those cannot be
        enumerated; of a pair with a small p-value more are drawn, until they suffice for the level.
    resampling : Resampling, optional
        The last two as one record.

    Returns
    -------
    StochasticOrder
        The violation ratio, its upper confidence bound `epsilon_min`, and the permutation test that decides
        whether A is dominant.

    Raises
    ------
    InvalidInputError
        If scores are missing, infinite or no numbers, or an argument is out of its range.
    DesignError
        If a system has one run only.

    See Also
    --------
    multi_aso : Every two of several systems.
    compare_runs : Means of runs, their differences, and almost stochastic order beside them.

    Notes
    -----
    With F and G the distribution functions of the scores of A and B, larger scores better, the
    violation ratio [1]_ is the share of the squared Wasserstein distance where B is ahead::

        e(A, B) = integral of max(G^-1(t) - F^-1(t), 0)^2 dt / integral of (F^-1(t) - G^-1(t))^2 dt

    Both integrals are exact sums over the merged steps of the two quantile functions. Its upper
    confidence bound is that of [2]_, eq. 8: ``e - sqrt((n + m) / (n m)) * s * z``, with z the
    (1 - level) / n_comparisons quantile of the normal distribution and s^2 the variance of
    ``sqrt(n m / (n + m)) * (e* - e)`` over bootstrap samples of both systems. A resample in which the
    samples are identical has no ratio and counts as 1/2.

    If the systems are alike, `epsilon_min` falls below 0.5 in about one of five comparisons, so that limit
    is no test. `dominant` goes by the p-value: the share of all ways to deal out the runs to two systems in
    which A comes out at least as well. If the systems are alike, it is at most 1 - level in no more than
    1 - level of cases, whatever the distribution of the scores and the number of resamples. The
    deals are compared by the ratio shrunk towards 1/2, ``(V + k) / (V + W + 2 k)``, where V and W are the
    integrals of the squared distance where B and where A is ahead, and k is a tenth of
    ``s^2 (1 / n + 1 / m)``, s being the interquartile range of all runs over 1.349: a small distance of the
    wrong sign then counts for little. Deals with the same shrunk ratio are ordered by the difference of the
    means.

    The test asks whether the runs of both systems are exchangeable. Systems whose runs vary unequally around
    the same mean are called dominant less often than 1 - level if they have equal numbers of runs; if the
    system with fewer runs varies more, it is called dominant too often, and a note says so.

    References
    ----------
    .. [1] del Barrio, Cuesta-Albertos & Matran (2018), An optimal transportation approach for assessing
       almost stochastic order, in The Mathematics of the Uncertain, 33-44.
    .. [2] Dror, Shlomov & Reichart (2019), Deep dominance: how to properly compare deep neural models,
       ACL, eq. 4 and 8.

    Examples
    --------
    >>> order = aso([71.2, 72.9, 73.4, 74.0, 75.1], [70.3, 70.9, 71.8, 72.0, 73.6])
    >>> order.violation_ratio, round(order.epsilon_min, 2), round(order.p_value, 3)
    (0.0, 0.18, 0.052)
    """
    settings = _Settings.of(level, n_comparisons, n_resamples, rng, resampling)
    scores = {"A": _runs(a, "a", greater_is_better), "B": _runs(b, "b", greater_is_better)}
    order = _orders(scores, [("A", "B")], settings, greater_is_better)["A", "B"][0]
    return replace(order, provenance=_provenance(scores, settings, n_comparisons, greater_is_better))


@with_suggestions
def multi_aso(
    data: Mapping[str, ArrayLike] | Any,
    *,
    greater_is_better: bool = True,
    level: float = 0.95,
    n_comparisons: int | None = None,
    rng: Rng = 0,
    n_resamples: int = 1000,
    resampling: Resampling | None = None,
) -> StochasticOrders:
    """Measure almost stochastic order between every two of several systems.

    Parameters
    ----------
    data : mapping of str to array_like, or to mapping of run to score, or data frame, or sequence
        The scores of the runs of each system; systems may have different numbers of runs. A frame or a list
        of records is read as by `compare_runs`, which the note ``"read_as"`` tells. Systems without names,
        in a list of their scores or in the rows of an array, are called "1", "2", ...
    greater_is_better
        As for `aso`.
    level : float
        Confidence level of the whole matrix.
    n_comparisons : int, optional
        Comparisons the error rate 1 - level is divided among. S (S - 1) if not given: every two of the S
        systems are compared, in both directions. 1 for no correction.
    rng, n_resamples, resampling
        As for `aso`.

    Returns
    -------
    StochasticOrders
        The matrices, to be read row over column. Every entry is what `aso` gives for the pair, and the notes
        of the whole name each cause once.

    Raises
    ------
    InvalidInputError
        If there are fewer than two systems, or scores cannot be used.
    DesignError
        If a system has one run only.

    See Also
    --------
    aso : Two systems.
    compare_runs : Means of runs, their differences, and almost stochastic order beside them.

    Examples
    --------
    >>> orders = multi_aso(
    ...     {"old": [1.0, 2.0, 3.0, 4.0, 5.0], "new": [2.5, 3.5, 4.5, 5.5, 6.5]}
    ... )
    >>> orders.violation_ratio
    array([[nan,  1.],
           [ 0., nan]])
    >>> orders["new", "old"].level
    0.975
    """
    notes: tuple[Note, ...] = ()
    backend = backend_of(data)
    if is_table(data):
        table = table_of(data)
        read = runs_of(table, TableOptions())
        data = read.runs
        notes = (Note("read_as", f"{table.source} was read as {read.description}"),)
    if isinstance(data, list | tuple) or getattr(data, "ndim", 0) == 2:
        data = {str(place): runs for place, runs in enumerate(data, start=1)}
    if isinstance(data, str | PathLike):
        raise unreadable(data, "the runs of systems", "", "multi_aso(bestby.read_runs({}).runs)")
    if not isinstance(data, Mapping) or len(data) < 2:
        raise InvalidInputError(
            "data must map the names of at least two systems to the scores of their runs, got"
            f" {counted(len(data), 'system') if isinstance(data, Mapping) else type(data).__name__}",
            hint="multi_aso({'old': [...], 'new': [...]})",
            argument="data",
        )
    names = checks.valid_names(map(str, data), "system")
    if len(set(names)) < len(names):
        raise InvalidInputError(f"the names of the systems must differ, got {', '.join(names)}")
    pairs = list(itertools.permutations(names, 2))
    count = len(pairs) if n_comparisons is None else n_comparisons
    settings = _Settings.of(level, count, n_resamples, rng, resampling)
    scores = {
        name: _runs(values, f"the runs of {quoted(name)}", greater_is_better)
        for name, values in zip(names, data.values(), strict=True)
    }
    cells = _orders(scores, pairs, settings, greater_is_better)
    orders = {pair: order for pair, (order, _) in cells.items()}
    once = [cells[pair][1] for pair in itertools.combinations(names, 2)]
    provenance = _provenance(scores, settings, count, greater_is_better)
    return with_backend(StochasticOrders(names, orders, (*notes, *_notes(once)), provenance), backend)


@with_suggestions
def aso_tightness(m_old: int, n_old: int, m_new: int, n_new: int) -> float:
    """Return the factor by which more runs tighten the bound of almost stochastic order.

    The bound lies z s sqrt((n + m) / (n m)) above the violation ratio; with s unchanged, new numbers of runs
    divide that distance by this factor.

    Parameters
    ----------
    m_old, n_old : int
        Runs of the two systems.
    m_new, n_new : int
        Runs they would have.

    Returns
    -------
    float
        Above 1 if the new numbers make the bound tighter.

    Raises
    ------
    InvalidInputError
        If a number of runs is no positive integer.

    See Also
    --------
    aso : The bound that more runs tighten.

    References
    ----------
    .. [1] Ulmer, Hardmeier & Frellsen (2022), deep-significance: easy and meaningful statistical
       significance testing in the age of neural networks, section 3.

    Examples
    --------
    >>> round(aso_tightness(5, 5, 20, 20), 3)
    2.0
    """
    numbers = {"m_old": m_old, "n_old": n_old, "m_new": m_new, "n_new": n_new}
    for name, value in numbers.items():
        checks.positive_int(value, name)
    return math.sqrt((m_old + n_old) / (m_old * n_old) * (m_new * n_new) / (m_new + n_new))


@dataclass(frozen=True)
class _Settings:
    level: float
    n_resamples: int
    seed: int

    @classmethod
    def of(
        cls,
        level: float,
        n_comparisons: int,
        n_resamples: int,
        rng: Rng,
        resampling: Resampling | None,
    ) -> _Settings:
        """Check the arguments; the level is the corrected one."""
        count = checks.positive_int(n_comparisons, "n_comparisons")
        corrected = 1.0 - (1.0 - checks.level(level)) / count
        chosen = combined_settings(
            resampling,
            n_resamples,
            rng,
            1000,
            function="almost stochastic order",
            unused="n_jobs progress executor cache resample_size rescale",
        )
        return cls(corrected, int(chosen.n_resamples or 0), streams.seed_of(chosen.rng))

    @property
    def alpha(self) -> float:
        # 1 - 0.95 is a little more than 0.05
        return round(1.0 - self.level, 14)


def _runs(values: ArrayLike, what: str, greater_is_better: bool) -> FloatArray:
    """Return the scores of one system, sorted, larger better."""
    scores = checks.column(arrays.values_of(values), what)
    if scores.dtype.kind not in "biuf":
        raise InvalidInputError(f"{what} must be scores, got values of type {scores.dtype}")
    if scores.size == 0:
        raise InvalidInputError(f"{what} must hold at least two scores, got none")
    if scores.size == 1:
        raise DesignError(
            f"{what} must hold at least two scores, got one: one run does not show a distribution",
            hint="train the system with more seeds, or compare single models item by item with compare()",
        )
    numbers = np.sort(scores.astype(np.float64))
    return numbers if greater_is_better else 0.0 - numbers[::-1]


def _provenance(
    scores: Mapping[str, FloatArray], settings: _Settings, n_comparisons: int, greater_is_better: bool
) -> Provenance:
    chosen = {
        "question": "stochastic order",
        "level": settings.level,
        "comparisons": n_comparisons,
        "greater_is_better": greater_is_better,
    }
    runs = [(name, sorted(values.tolist())) for name, values in scores.items()]
    data = {"systems": len(runs), "runs": [len(values) for _, values in runs]}
    return provenance_of(chosen, data, runs, seed=settings.seed, n_resamples=settings.n_resamples)


def _orders(
    scores: dict[str, FloatArray],
    pairs: list[tuple[str, str]],
    settings: _Settings,
    greater_is_better: bool,
) -> dict[tuple[str, str], tuple[StochasticOrder, Ordered]]:
    """Return the order of each pair, the first over the second, and the pair it was read from.

    A pair is put into one order by its values before anything is drawn, so that A over B and B over A see
    the same resamples, whichever was asked for. Pairs of the same sizes share their resamples.
    """
    shapes: dict[tuple[int, int], dict[tuple[str, str], None]] = {}
    for pair in pairs:
        first, second = sorted(pair, key=lambda name: (scores[name].size, scores[name].tolist()))
        shapes.setdefault((scores[first].size, scores[second].size), {})[first, second] = None
    by_pair: dict[tuple[str, str], Estimate] = {}
    for (n, m), members in shapes.items():
        samples = [(scores[a], scores[b]) for a, b in members]
        estimated = estimates(samples, n, m, settings.n_resamples, settings.alpha, settings.seed)
        by_pair.update(zip(members, estimated, strict=True))
    orders = {}
    for a, b in pairs:
        estimate = by_pair[a, b] if (a, b) in by_pair else by_pair[b, a].mirrored()
        ordered = Ordered(a, b, scores[a], scores[b], estimate, settings.alpha, settings.n_resamples)
        orders[a, b] = _order(ordered, settings.level, greater_is_better), ordered
    return orders


def _order(pair: Ordered, level: float, greater_is_better: bool) -> StochasticOrder:
    estimate = pair.estimate
    # epsilon_min is the upper end of a one-sided interval: ratio - se z_alpha, and z_alpha is below 0.
    bound = estimate.ratio + estimate.error * -float(ndtri(pair.alpha))
    p, size = estimate.greater, estimate.n_deals
    test = TestResult(
        "permutation",
        p,
        "greater" if greater_is_better else "less",
        estimate.exact,
        "enumeration" if estimate.exact else "monte carlo",
        0.0 if estimate.exact else math.sqrt(p * (1.0 - p) / size),
        0 if estimate.exact else size,
        estimate.shrunk,
        signed=False,
    )
    n, m = pair.sizes
    return StochasticOrder(
        a=pair.a,
        b=pair.b,
        violation_ratio=estimate.ratio,
        standard_error=estimate.error,
        epsilon_min=bound if math.isnan(bound) else min(max(bound, 0.0), 1.0),
        level=level,
        n_a=n,
        n_b=m,
        test=test,
        notes=tuple(_notes([pair])),
    )


# -- the violation ratio -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimate:
    """The violation ratio of the first of two samples over the second, and its test.

    `ratio` is NaN if the samples are the same, and `error` its bootstrap standard error; `undefined` counts
    the resamples in which they were. `shrunk` is the ratio that the test looks at, shrunk towards 1/2.
    `greater` and `less` are the shares of the `n_deals` deals counted that are at least as much in favour of
    the first, and of the second; `exact` says whether those are all deals.
    """

    ratio: float
    error: float
    undefined: int
    shrunk: float
    greater: float
    less: float
    n_deals: int
    exact: bool

    def mirrored(self) -> Estimate:
        """Return the estimate for the second over the first."""
        return dataclasses.replace(
            self, ratio=1.0 - self.ratio, shrunk=1.0 - self.shrunk, greater=self.less, less=self.greater
        )


def estimates(
    pairs: list[tuple[FloatArray, FloatArray]], n: int, m: int, n_resamples: int, alpha: float, seed: int
) -> list[Estimate]:
    """Estimate the violation ratios of pairs of samples of the same sizes, sorted, larger better.

    All pairs see the same `n_resamples` bootstrap samples, which is also the least number of deals where not
    all are enumerated.
    """
    first, second, width = merged_steps(n, m)
    scaled = [_scaled(a, b) for a, b in pairs]
    replicates: list[list[FloatArray]] = [[] for _ in pairs]
    for p, q in bootstrap_positions(n, m, n_resamples, seed):
        for (a, b), ratios in zip(scaled, replicates, strict=True):
            ratios.append(_ratios(_gaps(a, p, b, q), width))
    tested = [_Pair.of(a, b, (a[first] - b[second])[None, :]) for a, b in scaled]
    out = []
    for pair, ratios, test in zip(
        tested, replicates, _tests(tested, n, m, n_resamples, alpha, seed), strict=True
    ):
        ratio, shrunk = (float(_ratios(pair.apart, width, shrink)[0]) for shrink in (0.0, pair.shrink))
        values = np.concatenate(ratios)
        undefined = int(np.count_nonzero(np.isnan(values)))
        error = float(np.std(np.where(np.isnan(values), 0.5, values)))
        greater, less, count, exact = test
        if math.isnan(ratio):
            shrunk, greater, less = 0.5, 1.0, 1.0
        out.append(Estimate(ratio, error, undefined, shrunk, greater, less, count, exact))
    return out


def merged_steps(n: int, m: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return where the quantile functions of n and of m values are constant together.

    For each of the L stretches: which of the sorted values of either sample is the quantile, and the width.
    """
    if n == m:
        same = np.arange(n, dtype=np.int64)
        return same, same, np.full(n, 1.0 / n)
    # Steps end at multiples of 1/n and of 1/m: at multiples of m and of n on a lattice of n m points.
    ends = np.union1d(np.arange(m, n * m + 1, m), np.arange(n, n * m + 1, n))
    width = np.diff(ends, prepend=0) / (n * m)
    return (ends - 1) // m, (ends - 1) // n, width


def _gaps(a: FloatArray, p: Array, b: FloatArray, q: Array) -> FloatArray:
    """Return a[p] - b[q]; positions need no check, which would take as long as the rest."""
    gaps = a.take(p, mode="clip")
    gaps -= b.take(q, mode="clip")
    return gaps


def _scaled(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return both samples on the scale where the least score is 0 and the greatest 1."""
    low, high = min(a[0], b[0]), max(a[-1], b[-1])
    spread = high - low
    if rounding.is_nothing(spread, max(abs(low), abs(high))):  # rounding is all that differs
        return np.zeros_like(a), np.zeros_like(b)
    return (a - low) / spread, (b - low) / spread


NOTHING = rounding.SPREAD**2
"""Squared distance, for scores scaled to [0, 1], that is rounding and no distance."""


def _ratios(differences: FloatArray, width: FloatArray, shrink: float = 0.0) -> FloatArray:
    """Return the violation ratio of each row of quantile differences A - B, NaN for copies.

    `shrink` is added to the squared distance in either direction, which draws the ratio towards 1/2.
    """
    # del Barrio, Cuesta-Albertos & Matran (2018): the integral of (A - B)^2 over the quantiles at which A is
    # below B, over that of all quantiles; here a sum over the stretches on which both are constant.
    total = np.square(differences) @ width
    ahead = np.minimum(differences, 0.0)
    violation = np.square(ahead, out=ahead) @ width
    total[total <= NOTHING] = np.nan
    return np.minimum((violation + shrink) / (total + 2.0 * shrink), 1.0)


# -- the permutation test ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pair:
    """Two scaled samples as the test needs them: pooled; the quantile differences (1, L); the shrinkage.

    `ahead` is 1 if every run of A is above every run of B, -1 the other way round, and 0 otherwise.
    """

    pool: FloatArray
    apart: FloatArray
    shrink: float
    ahead: int

    @classmethod
    def of(cls, a: FloatArray, b: FloatArray, apart: FloatArray) -> _Pair:
        pool = np.sort(np.concatenate([a, b]))
        width = rounding.spread_width(1.0)
        ahead = int(a[0] - b[-1] > width) - int(b[0] - a[-1] > width)
        return cls(pool, apart, _shrinkage(pool, a.size, b.size), ahead)


SHRINKAGE = 0.1
"""What is added to the squared distance of either direction, in squared standard errors of a difference of
means. Of normal scores larger values up to 0.8 have more power, of failing runs and skewed ones smaller."""

IQR_OF_NORMAL = 1.3489795
"""The interquartile range of the standard normal distribution."""


def _shrinkage(pool: FloatArray, n: int, m: int) -> float:
    """Return what is added to the squared distance of either direction, for all deals of the pooled values.

    The interquartile range keeps it small beside the distance that a few failed runs make.
    """
    at = np.array([0.25, 0.75]) * (pool.size - 1)
    low, high = np.interp(at, np.arange(pool.size), pool)
    spread = float(high - low) / IQR_OF_NORMAL
    return SHRINKAGE * spread * spread * (1.0 / n + 1.0 / m)


_Test = tuple[float, float, int, bool]
"""The shares of deals in favour of A and of B, how many deals were counted, and whether those are all."""

MOST_ENUMERATED = 1 << 21
"""Numbers up to which all ways of dealing out the runs are enumerated: 9 and 10 runs, but not 10 and 10."""


def _tests(pairs: list[_Pair], n: int, m: int, n_resamples: int, alpha: float, seed: int) -> list[_Test]:
    """Return the permutation test of every pair.

    If all runs of A are above all of B, no other deal is as extreme: exchanging a run of A with a better one
    of B raises the quantiles of A and lowers those of B, and so lowers the statistic. Nothing is drawn then.
    """
    width = merged_steps(n, m)[2]
    every = n_deals(n, m)
    if every * (n + m) <= MOST_ENUMERATED:
        hits = _hits(pairs, _every_deal(n, m), width)
        return [(*(np.maximum(pair_hits, 1) / every).tolist(), int(every), True) for pair_hits in hits]
    least = max(1 / math.comb(n + m, n), np.finfo(np.float64).tiny)
    tests: dict[int, _Test] = {
        i: (least, 1.0, 0, True) if pair.ahead > 0 else (1.0, least, 0, True)
        for i, pair in enumerate(pairs)
        if pair.ahead
    }
    counts, drawn = np.zeros((len(pairs), 2), dtype=np.int64), 0
    for stage, stop in enumerate(_stages(n_resamples, alpha)):
        left = [i for i in range(len(pairs)) if i not in tests]
        if not left:
            break
        deals = _random_deals(n, m, stop - drawn, seed, stage)
        counts[left] += _hits([pairs[i] for i in left], deals, width)
        drawn = stop
        more = stop < _most_deals(n_resamples, alpha)
        for i in left:
            if not more or counts[i].min() >= ENOUGH:
                greater, less = ((1 + counts[i]) / (1 + drawn)).tolist()
                tests[i] = (greater, less, drawn, False)
    return [tests[i] for i in range(len(pairs))]


ENOUGH = 10
"""Deals as favourable as the data after which no more are drawn: the p-value is then not small."""

MOST_DEALS = 100_000
"""Deals drawn of a pair at most, unless more were asked for."""


def _most_deals(n_resamples: int, alpha: float) -> int:
    """Return how many deals are drawn of a pair whose p-value is small.

    With ENOUGH / alpha of them a test at the level alpha rejects if fewer than ENOUGH deals are as extreme as
    the data. A pair that reached as many before is not significant, so that it may stop.
    """
    return max(n_resamples, min(math.ceil(ENOUGH / alpha), MOST_DEALS))


def _stages(n_resamples: int, alpha: float) -> Iterator[int]:
    """Yield after how many deals to look: first n_resamples, then four times as many each time."""
    stop, most = n_resamples, _most_deals(n_resamples, alpha)
    while stop < most:
        yield stop
        stop *= 4
    yield most


Positions = tuple[Array, Array]
Blocks = Iterator[Positions]


def _hits(pairs: list[_Pair], deals: Blocks, width: FloatArray) -> IntArray:
    """Count the deals at least as much in favour of A as the data, and of B, shape (pairs, 2)."""
    hits = np.zeros((len(pairs), 2), dtype=np.int64)
    for p, q in deals:
        for row, pair in enumerate(pairs):
            hits[row] += _extreme(_gaps(pair.pool, p, pair.pool, q), pair.apart, width, pair.shrink)
    return hits


def _extreme(dealt: FloatArray, observed: FloatArray, width: FloatArray, shrink: float) -> tuple[int, int]:
    """Count the deals at least as much in favour of A as the data, and of B; tied ratios go by the means."""
    ratio, seen = _ratios(dealt, width, shrink), float(_ratios(observed, width, shrink)[0])
    ratio[np.isnan(ratio)] = 0.5
    further = ratio - (0.5 if math.isnan(seen) else seen)
    least = rounding.spread_width(1.0)
    tied = np.flatnonzero(np.abs(further) <= least)
    gap = dealt[tied] @ width - float(observed[0] @ width)
    for_a = np.count_nonzero(further < -least) + np.count_nonzero(gap >= -least)
    for_b = np.count_nonzero(further > least) + np.count_nonzero(gap <= least)
    return int(for_a), int(for_b)


def n_deals(n: int, m: int) -> float:
    """Return in how many ways n + m values can be dealt out, n to A and m to B.

    Infinity if beyond counting.
    """
    return math.comb(n + m, n) if min(n, m) <= 30 else math.inf


# -- what is drawn -------------------------------------------------------------------------------------------


BLOCK_NUMBERS = 1 << 17
"""Numbers drawn at once: a block that stays in the cache of one core."""

STAGE_BITS = 20
"""Blocks of one stage: 2^20 at most, each of which deals out thousands of values."""


def bootstrap_positions(n: int, m: int, n_resamples: int, seed: int) -> Blocks:
    """Yield the quantiles of bootstrap samples, block by block, as positions in two sorted samples.

    Each has shape (R, L): a row for each resample, a column for each of the stretches of `merged_steps`.
    """
    first, second, _ = merged_steps(n, m)
    for generator, rows in _blocks("bootstrap", n + m, n_resamples, seed):
        p, q = _drawn(generator, rows, n), _drawn(generator, rows, m)
        yield (p, q) if n == m else (np.take(p, first, axis=1), np.take(q, second, axis=1))


def _blocks(
    purpose: str, numbers: int, n_resamples: int, seed: int, stage: int = 0
) -> Iterator[tuple[np.random.Generator, int]]:
    """Yield the generators of the blocks and their sizes; the streams of one stage are unlike another's."""
    size = max(1, BLOCK_NUMBERS // numbers)
    for block, start in enumerate(range(0, n_resamples, size)):
        generator = streams.block_generator(seed, purpose, (stage << STAGE_BITS) + block)
        yield generator, min(size, n_resamples - start)


def _drawn(generator: np.random.Generator, rows: int, n: int) -> Array:
    """Return positions drawn with replacement, sorted in each row: the sorted resample of sorted values."""
    kind = np.uint16 if n <= 1 << 16 else np.int64  # short integers are drawn and sorted faster
    drawn = generator.integers(0, n, size=(rows, n), dtype=kind)
    drawn.sort(axis=1)
    return drawn.astype(np.intp, copy=False)


def _every_deal(n: int, m: int) -> Blocks:
    """Yield all ways of dealing out n + m values, n to A and m to B."""
    subsets = itertools.combinations(range(n + m), n)
    size = max(1, BLOCK_NUMBERS // (n + m))
    while block := list(itertools.islice(subsets, size)):
        labels = np.zeros((len(block), n + m), dtype=np.bool_)
        labels[np.arange(len(block))[:, None], np.array(block)] = True
        yield _split(labels, n, m)


def _random_deals(n: int, m: int, n_resamples: int, seed: int, stage: int = 0) -> Blocks:
    """Yield random ways of dealing out n + m values, n to A and m to B.

    The label is the last bit of a random number; sorted, the numbers bring the labels into random order.
    """
    kind = np.uint32 if n + m < 1 << 12 else np.uint64
    for generator, rows in _blocks("swap", n + m, n_resamples, seed, stage):
        numbers = generator.integers(0, np.iinfo(kind).max, size=(rows, n + m), dtype=kind, endpoint=True)
        numbers |= kind(1)
        numbers[:, n:] ^= kind(1)
        numbers.sort(axis=1)
        yield _split((numbers & kind(1)).astype(np.bool_), n, m)


def _split(labels: BoolArray, n: int, m: int) -> Positions:
    """Return the positions of the quantiles of A, where labels (R, n + m) are set, and of B."""
    first, second, _ = merged_steps(n, m)
    start = np.arange(0, labels.size, n + m)[:, None]
    p = np.flatnonzero(labels).reshape(-1, n) - start
    q = np.flatnonzero(~labels).reshape(-1, m) - start
    return (p, q) if n == m else (np.take(p, first, axis=1), np.take(q, second, axis=1))


# -- what must be known --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ordered:
    """Two systems and what was estimated of them; `alpha` is the level of the test after correction."""

    a: str
    b: str
    scores_a: FloatArray
    scores_b: FloatArray
    estimate: Estimate
    alpha: float
    n_resamples: int

    @property
    def sizes(self) -> tuple[int, int]:
        """The numbers of runs."""
        return self.scores_a.size, self.scores_b.size

    @property
    def out_of_reach(self) -> bool:
        """Whether even runs that do not overlap would have a p-value above alpha."""
        return not rounding.at_most(1.0, self.alpha * n_deals(*self.sizes))

    @property
    def few_resamples(self) -> bool:
        """Whether the deals drawn are too few for a p-value as small as alpha."""
        most = max(self.n_resamples, MOST_DEALS)
        return not (self.estimate.exact or self.out_of_reach) and self.alpha * (most + 1) < 1.0

    @property
    def unequal_spread(self) -> bool:
        """Whether the system with fewer runs varies much more than the other."""
        fewer, more = sorted((self.scores_a, self.scores_b), key=lambda scores: scores.size)
        return fewer.size < more.size and _ratio(fewer, more) > SPREAD_APART

    @property
    def few_and_unequal(self) -> bool:
        """Whether one of two systems with equally few runs looks dominant, and one varies much more."""
        a, b, estimate = self.scores_a, self.scores_b, self.estimate
        few = a.size == b.size < FEW_TO_EXCHANGE and min(estimate.greater, estimate.less) <= self.alpha
        return few and max(_ratio(a, b), _ratio(b, a)) > SPREAD_APART


SPREAD_APART = 2.0
"""Ratio of standard deviations from which runs of unequal number, or few runs, are not safely exchanged."""

FEW_TO_EXCHANGE = 10
"""Runs of each system below which that is so of equally many, too."""


def _ratio(a: FloatArray, b: FloatArray) -> float:
    """Return the ratio of the standard deviations; 0 if the second system has none, which a note tells."""
    spread = float(b.std(ddof=1))
    return float(a.std(ddof=1)) / spread if spread > 0.0 else 0.0


MOST_NAMED = 3
"""Pairs or systems that a note names."""


def _notes(pairs: Sequence[Ordered]) -> Iterator[Note]:
    """Yield the notes on one pair, or on all pairs of a comparison: one for each cause."""
    same = [pair for pair in pairs if math.isnan(pair.estimate.ratio)]
    if same:
        message = (
            f"the scores of {_named(same)} are the same at every quantile: the violation ratio is undefined"
        )
        yield Note("identical_runs", message, _about(same))
    yield from _on_systems(pairs)
    beyond = [pair for pair in pairs if pair.out_of_reach]
    if beyond:
        yield Note("out_of_reach", _out_of_reach(beyond), _about(beyond))
    short = [pair for pair in pairs if pair.few_resamples]
    if short:
        most = max(short[0].n_resamples, MOST_DEALS)
        message = (
            f"{most} resamples give no p-value below {1 / (most + 1):.2g}, but the level requires"
            f" {short[0].alpha:.2g}: raise n_resamples; otherwise no dominance can be shown for"
            f" {_named(short)}"
        )
        yield Note("few_resamples", message, _about(short))
    uneven = [pair for pair in pairs if pair.unequal_spread]
    if uneven:
        message = (
            f"for {_named(uneven)}, the system with fewer runs varies more than twice as much as the other:"
            " the permutation test can take that for an advantage; compare equal numbers of runs"
        )
        yield Note("unequal_spread", message, _about(uneven))
    far = [pair for pair in pairs if pair.few_and_unequal]
    if far:
        message = (
            f"for {_named(far)}, one system varies more than twice as much as the other: with fewer"
            f" than {FEW_TO_EXCHANGE} runs each the permutation test takes that for an advantage somewhat too"
            " often; use more runs"
        )
        yield Note("unequal_spread", message, _about(far))
    undefined = [pair for pair in pairs if pair.estimate.undefined]
    if undefined:
        most = max(pair.estimate.undefined for pair in undefined)
        message = (
            f"in {most} of {undefined[0].n_resamples} resamples of {_named(undefined)} the two samples were"
            " the same; they count as a violation ratio of 1/2"
        )
        if len(undefined) > 1:
            message = message.replace("in ", "in up to ", 1)
        yield Note("undefined_resamples", message, _about(undefined))


def _on_systems(pairs: Sequence[Ordered]) -> Iterator[Note]:
    """Yield the notes that are about the runs of single systems."""
    runs = {name: scores for pair in pairs for name, scores in _systems(pair)}
    few = {name: scores.size for name, scores in runs.items() if scores.size < FEW_RUNS}
    if few:
        sizes = listed([f"{name} has {size} runs" for name, size in few.items()], MOST_NAMED)
        message = (
            f"{sizes}; with fewer than {FEW_RUNS} runs the bootstrap underestimates how much they vary, and"
            " epsilon_min is too often too small; the p-value allows for it"
        )
        about = [pair for pair in pairs if min(pair.sizes) < FEW_RUNS]
        yield Note("few_runs", message, _about(about))
    differing = [pair for pair in pairs if not math.isnan(pair.estimate.ratio)]
    runs = {name: scores for pair in differing for name, scores in _systems(pair)}
    constant = [name for name, scores in runs.items() if scores[0] == scores[-1]]
    if constant:
        message = (
            f"all runs of {listed(constant, MOST_NAMED)} have the same score: they are"
            " copies, or the metric is too coarse to show how they vary"
        )
        about = [pair for pair in differing if pair.a in constant or pair.b in constant]
        yield Note("constant_runs", message, _about(about))


def _out_of_reach(pairs: Sequence[Ordered]) -> str:
    """Say that no data could show dominance, and of one pair why."""
    alpha = f"{pairs[0].alpha:.2g}"
    if len(pairs) > 1:
        return (
            f"with as few runs as {_named(pairs)} have, no p-value reaches {alpha}, which the level requires:"
            " no dominance can be shown; use more runs or fewer comparisons"
        )
    (pair,) = pairs
    (n, m), deals = pair.sizes, n_deals(*pair.sizes)
    return (
        f"with {n} and {m} runs of equal systems, all runs of {pair.a} exceed all runs of {pair.b} once in"
        f" {deals:.0f} times, more often than {alpha}: no scores can show dominance at this level"
    )


def _systems(pair: Ordered) -> tuple[tuple[str, FloatArray], tuple[str, FloatArray]]:
    return (pair.a, pair.scores_a), (pair.b, pair.scores_b)


def _about(pairs: Sequence[Ordered]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for pair in pairs for name, _ in _systems(pair)))


def _named(pairs: Sequence[Ordered]) -> str:
    """Return "x and y", or the first of several pairs and how many there are."""
    if len(pairs) == 1:
        return f"{pairs[0].a} and {pairs[0].b}"
    names = [f"{pair.a} and {pair.b}" for pair in pairs]
    return f"{len(pairs)} pairs ({listed(names, MOST_NAMED)})"
