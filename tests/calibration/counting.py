"""Draw data sets, count rejections and misses, and say what counts are due to chance.

Every bound leaves a tail of 1e-4 to the binomial distribution: a test whose method keeps its level exactly
fails by chance once in 10 000 changes of its seed. Seeds are fixed, so a test that passes goes on passing.
"""

from __future__ import annotations

import numpy as np
from calibration.populations import Population
from scipy.stats import binom

from bestby._core.typing import Alternative
from bestby.engine import prepare, significance_tests
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.metrics import resolve

ALARM = 1e-4


def at_most(rate: float, size: int) -> int:
    """Return the count that a binomial of this rate exceeds with probability 1e-4 at most."""
    return int(binom.isf(ALARM, size, rate))


def at_least(rate: float, size: int) -> int:
    """Return the count that a binomial of this rate falls short of with probability 1e-4 at most."""
    return int(binom.ppf(ALARM, size, rate))


def makers_of(
    population: Population, metric: str, n: int, seed: int, datasets: int, resamples: int, forget: str = ""
) -> list[Estimates]:
    """Return data sets of n units, ready to be tested; `forget` drops the clusters."""
    rng = np.random.default_rng(seed)
    out = []
    while len(out) < datasets:
        evaluation = population.draw(rng, n)
        if forget == "clusters":
            evaluation = type(evaluation)(evaluation.systems, evaluation.gold)
        group = prepare.groups(evaluation, [resolve(metric)])[0]
        estimates = Estimates(group, Drawing(resamples, seed + len(out)))
        if np.isfinite(estimates.scores).all():
            out.append(estimates)
    return out


def p_values(name: str, data: list[Estimates], alternative: Alternative = "two-sided") -> np.ndarray:
    """Return the p-value of A against B on each data set."""
    return np.array(
        [significance_tests.result(name, estimates.of(0, 1), alternative).p_value for estimates in data]
    )
