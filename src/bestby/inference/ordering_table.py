"""What epsilon_min of systems that are alike stays above: the shipped table, interpolated.

`calibration/aso_thresholds.py` makes the table: for each two numbers of runs and each error rate the least
quantile over normal, uniform, lognormal, t (3 degrees of freedom) and coarsely rounded scores.
"""

from __future__ import annotations

import csv
import math
from functools import cache, lru_cache
from importlib.resources import files

import numpy as np

from bestby._core.typing import FloatArray
from bestby.inference.violation import n_deals


@cache
def _table() -> tuple[list[int], FloatArray, FloatArray]:
    """Return the numbers of runs, the error rates, and the thresholds, shape (sizes, sizes, rates)."""
    text = (files("bestby.inference") / "data" / "aso_thresholds.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    sizes = sorted({int(row[0]) for row in rows})
    thresholds = np.full((len(sizes), len(sizes), len(header) - 2), np.nan)
    for row in rows:
        thresholds[sizes.index(int(row[0])), sizes.index(int(row[1]))] = [
            float(value or "nan") for value in row[2:]
        ]
    order = np.argsort([float(rate) for rate in header[2:]])
    return sizes, np.array([float(rate) for rate in header[2:]])[order], thresholds[:, :, order]


def smallest_alpha() -> float:
    """Return the smallest error rate of the table."""
    return float(_table()[1][0])


@lru_cache(maxsize=1024)
def threshold(n_a: int, n_b: int, alpha: float) -> float | None:
    """Return what `epsilon_min` of like systems is at most equal to with probability alpha.

    Linear in 1 / n_a, 1 / n_b and the logarithm of alpha between the lines of the table, cells without a
    threshold counting as 0; its last line serves for more runs, and its first column for larger alpha.

    Parameters
    ----------
    n_a, n_b : int
        Numbers of runs, at least 2.
    alpha : float
        The error rate.

    Returns
    -------
    float or None
        None if alpha is below the table, or if even 0 is more likely than alpha: complete separation of the
        runs of like systems has probability 1 / C(n_a + n_b, n_a).

    Examples
    --------
    >>> threshold(2, 2, 0.05) is None, threshold(3, 3, 0.05)
    (True, 0.0)
    """
    sizes, rates, thresholds = _table()
    # 1 / C(6, 3) is 0.05, which 1 - 0.95 must not miss for its last bit.
    if alpha < rates[0] * (1.0 - 1e-9) or alpha * n_deals(n_a, n_b) < 1.0 - 1e-9:
        return None
    value = empty = 0.0
    for i, share_a in _between([-1.0 / size for size in sizes], -1.0 / n_a):
        for j, share_b in _between([-1.0 / size for size in sizes], -1.0 / n_b):
            for k, share in _between([math.log(rate) for rate in rates], math.log(alpha)):
                known, weight = float(thresholds[i, j, k]), share_a * share_b * share
                value += 0.0 if math.isnan(known) else weight * known
                empty += weight if math.isnan(known) else 0.0
    return None if empty > 0.5 else value


def _between(grid: list[float], x: float) -> list[tuple[int, float]]:
    """Return the neighbours of x on a rising grid, each with its share; the end alone beyond it."""
    if x <= grid[0]:
        return [(0, 1.0)]
    if x >= grid[-1]:
        return [(len(grid) - 1, 1.0)]
    above = next(i for i, point in enumerate(grid) if point >= x)
    share = (x - grid[above - 1]) / (grid[above] - grid[above - 1])
    return [(i, part) for i, part in ((above - 1, 1.0 - share), (above, share)) if part > 0.0]
