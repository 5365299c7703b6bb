"""Almost stochastic order: by how much the runs of one system fail to be better than those of another.

System A is stochastically larger than B if every quantile of its scores is at least that of B. The violation
ratio says how far from that two samples are: 0 if A is ahead at every quantile, 1 if B is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
from scipy.special import ndtri

from bestby._core import arrays, checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.text import counted, quoted
from bestby._core.typing import ArrayLike, FloatArray, Rng
from bestby.data.frames import is_table, table_of, unreadable
from bestby.data.layouts.options import TableOptions
from bestby.data.layouts.runs import runs_of
from bestby.questions.order.ordering_notes import Ordered, pair_notes
from bestby.questions.order.ordering_result import StochasticOrder, StochasticOrders
from bestby.questions.order.violation import Estimate, estimates
from bestby.resampling import streams
from bestby.resampling.settings import Resampling, combined
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
    n_resamples: int = 1000,
    rng: Rng = 0,
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
    n_resamples : int
        B, the number of bootstrap samples, and the least number of permutations where those cannot be
        enumerated; of a pair with a small p-value more are drawn, until they suffice for the level.
    rng : int, numpy.random.Generator or None
        Seed; None for fresh entropy.
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
    n_resamples: int = 1000,
    rng: Rng = 0,
    resampling: Resampling | None = None,
) -> StochasticOrders:
    """Measure almost stochastic order between every two of several systems.

    Parameters
    ----------
    data : mapping of str to array_like, or to mapping of run to score, or data frame, or sequence
        The scores of the runs of each system; systems may have different numbers of runs. A frame or a list
        of records is read as by `compare_runs`, which the note ``"read_as"`` tells. Systems without names,
        in a list of their scores or in the rows of an array, are called "1", "2", ...
    level : float
        Confidence level of the whole matrix.
    n_comparisons : int, optional
        Comparisons the error rate 1 - level is divided among. S (S - 1) if not given: every two of the S
        systems are compared, in both directions. 1 for no correction.
    greater_is_better, n_resamples, rng, resampling
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
    >>> orders = multi_aso({"old": [1.0, 2.0, 3.0, 4.0, 5.0], "new": [2.5, 3.5, 4.5, 5.5, 6.5]})
    >>> orders.violation_ratio
    array([[nan,  1.],
           [ 0., nan]])
    >>> orders["new", "old"].level
    0.975
    """
    notes: tuple[Note, ...] = ()
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
    return StochasticOrders(names, orders, (*notes, *pair_notes(once)), provenance)


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
        corrected = 1.0 - (1.0 - checks.probability(level, "level")) / count
        chosen = combined(resampling, n_resamples, 1000, rng=rng)
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


def _orders(
    scores: dict[str, FloatArray],
    pairs: list[tuple[str, str]],
    settings: _Settings,
    greater_is_better: bool,
) -> dict[tuple[str, str], tuple[StochasticOrder, Ordered]]:
    """Return the order of each pair, the first over the second, and what it was made of.

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
        made_of = Ordered(a, b, scores[a], scores[b], estimate, settings.alpha, settings.n_resamples)
        orders[a, b] = _order(made_of, settings.level, greater_is_better), made_of
    return orders


def _order(pair: Ordered, level: float, greater_is_better: bool) -> StochasticOrder:
    estimate = pair.estimate
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
        notes=pair_notes([pair]),
    )
