"""On how many of several datasets there is an effect: partial conjunctions of their p-values."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import chdtrc

from bestby._core import arrays, checks
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.typing import ArrayLike, FloatArray
from bestby.inference.multiplicity import holm
from bestby.report.replicability import Replicability
from bestby.results.base import provenance_of


@with_suggestions
def replicability(p_values: Mapping[str, float] | ArrayLike, *, alpha: float = 0.05) -> Replicability:
    """Count the datasets with an effect, from one p-value per dataset.

    Counting the p-values below 0.05 overstates the number of datasets on which a system is better: of
    twenty datasets without any effect, one is below 0.05 on average. The two counts given here exceed the
    true number with probability `alpha` at most.

    Parameters
    ----------
    p_values : mapping of str to float, or array_like, shape (n,)
        One p-value per dataset; the index of a pandas series names the datasets. From two-sided tests the
        claims are about effects in either direction; to count the datasets on which A is better, give
        p-values of one-sided tests.
    alpha : float
        The probability with which a count may be too high.

    Returns
    -------
    Replicability
        K-Bonferroni, K-Fisher, and the datasets that Holm's procedure names.

    Raises
    ------
    InvalidInputError
        If a p-value is missing or outside [0, 1], or `alpha` is not strictly between 0 and 1.

    See Also
    --------
    compare_datasets : Scores or items of several datasets, with these counts for every pair.

    Notes
    -----
    The estimator is that of [1]_, equation 6 there being made monotone: the largest u such that the
    p-values of the partial conjunctions of 1, 2, ... u are *all* at most `alpha`. The p-value for "at least
    u of n" is (n - u + 1) times the u-th smallest (Bonferroni, any dependence), or that of Fisher's
    combination of the n - u + 1 largest (independence) [2]_. Made monotone, the Bonferroni ones are
    Holm's adjusted p-values, so the count and the list agree.

    References
    ----------
    .. [1] Dror, Baumer, Bogomolov and Reichart (2017), Replicability Analysis for Natural Language
       Processing: Testing Significance with Multiple Datasets, TACL 5, 471-486.
    .. [2] Benjamini and Heller (2008), Screening for partial conjunction hypotheses, Biometrics 64,
       1215-1222.
    .. [3] Holm (1979), Scand. J. Statist. 6, 65-70.

    Examples
    --------
    >>> result = replicability([0.168, 0.297, 0.357, 0.019, 0.218, 0.001])
    >>> result.k_bonferroni, result.k_fisher, result.found
    (1, 2, ('6',))
    """
    names, p = _named(p_values)
    threshold = checks.probability(alpha, "alpha")
    adjusted = holm(p)
    by_bonferroni, by_fisher = partial_conjunctions(p, "bonferroni"), partial_conjunctions(p, "fisher")
    return Replicability(
        datasets=names,
        p_values=tuple(p.tolist()),
        p_adjusted=tuple(adjusted.tolist()),
        alpha=threshold,
        bonferroni=tuple(by_bonferroni.tolist()),
        fisher=tuple(by_fisher.tolist()),
        k_bonferroni=int((by_bonferroni <= threshold).sum()),
        k_fisher=int((by_fisher <= threshold).sum()),
        found=tuple(name for name, value in zip(names, adjusted, strict=True) if value <= threshold),
        provenance=provenance_of(
            {"question": "replicability", "alpha": threshold},
            {"datasets": len(names)},
            (names, p.tolist()),
        ),
    )


def partial_conjunctions(p_values: ArrayLike, combination: str) -> FloatArray:
    """Return the p-values of "at least u of n hypotheses are false", u = 1, ..., n, made monotone.

    The number of entries at most alpha is the estimate of Dror et al. (2017).
    """
    checks.choice(combination, ("bonferroni", "fisher"), "combination")
    p = np.sort(checks.p_values(p_values))
    remaining = np.arange(p.size, 0, -1)  # n - u + 1
    if combination == "bonferroni":
        raw = np.minimum(remaining * p, 1.0)
    else:
        with np.errstate(divide="ignore"):  # a p-value of 0 makes every sum it is in infinite
            logs = -2.0 * np.log(p)
        sums = np.cumsum(logs[::-1])[::-1]
        raw = np.maximum(chdtrc(2.0 * remaining, sums), np.where(p > 0.0, sys.float_info.min, 0.0))
    return np.maximum.accumulate(raw)


def _named(p_values: Any) -> tuple[tuple[str, ...], FloatArray]:
    index = arrays.labels_of(p_values)
    if index is not None and p_values.ndim == 1 and not arrays.is_numbered(index):
        named = dict(zip(map(str, index), arrays.listed(p_values, "p_values"), strict=True))
        if len(named) < len(index):
            raise InvalidInputError(
                "a dataset occurs more than once in the index of p_values",
                hint="give one p-value per dataset",
                argument="p_values",
            )
        p_values = named
    if isinstance(p_values, Mapping):
        names = tuple(
            checks.check_text(checks.name_text(name, "dataset"), "dataset names") for name in p_values
        )
        p = checks.p_values(list(p_values.values()))
    else:
        p = checks.p_values(p_values)
        names = tuple(str(position) for position in range(1, p.size + 1))
    if p.size == 0:
        raise InvalidInputError("at least one p-value is needed, got none", hint="give one per dataset")
    return names, p
