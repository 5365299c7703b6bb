"""Intervals of the probability that a run of A is above a run of B."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.special import ndtri

from bestby.inference import samples as inference_samples
from calibration.statements import Outcome, Statements, What

TITLE = "P(A > B) of runs that vary unequally"

TEXT = """
Independent runs; the spread is that of A to that of B. *auto* is Newcombe's score interval whose variance
is that of two normal distributions with the observed variances wherever that is larger, with Student's
quantile where a system has fewer than five runs. *Newcombe* is the
interval itself, the earlier default, which takes both systems to vary alike. *Brunner-Munzel* is the t
interval of the placements. Exponential scores are skewed; they were not looked at when the variance was
chosen. The note `few_runs` is counted.
"""

LEVEL = 0.95
SIZES = ((3, 3), (5, 5), (3, 10), (10, 3), (10, 10), (20, 20))
MORE_SIZES = ((4, 20), (20, 4))


def cells() -> Iterator[Statements]:
    """Yield normal runs by sizes, spread and truth, and some exponential ones."""
    for (n, m), spread, truth in itertools.product(SIZES, (1.0, 3.0, 10.0), (0.5, 0.8)):
        yield _cell("normal", n, m, spread, truth)
    for (n, m), spread, truth in itertools.product(MORE_SIZES, (1.0, 6.0), (0.5, 0.95)):
        yield _cell("normal", n, m, spread, truth)
    for (n, m), spread in itertools.product(((5, 5), (10, 10), (20, 20)), (1.0, 5.0)):
        yield _cell("exponential", n, m, spread, spread / (1.0 + spread))


def _cell(name: str, n: int, m: int, spread: float, truth: float) -> Statements:
    one = partial(_one, name=name, n=n, m=m, spread=spread, truth=truth)
    population = f"{name}, spreads {spread:g} : 1, P = {truth:.2g}"
    return Statements("improvement", population, f"{n} v {m}", min(n, m), one, datasets=800)


def _one(
    rng: np.random.Generator, _seed: int, name: str, n: int, m: int, spread: float, truth: float
) -> dict[What, Outcome]:
    if name == "normal":
        a = rng.normal(float(ndtri(truth)) * math.hypot(spread, 1.0), spread, n)
        b = rng.normal(size=m)
    else:
        a, b = spread * rng.exponential(size=n), rng.exponential(size=m)
    noted = min(n, m) < inference_samples.FEW_RUNS
    p, interval = inference_samples.improvement(a, b, LEVEL, paired=False)
    low, high = _newcombe(p, n, m)
    placed = inference_samples.placements(a, b)[1:]
    error = inference_samples.difference_error(*placed, "mean", paired=False)
    assert error is not None
    t = inference_samples.t_interval(p, *error, LEVEL, "brunner-munzel")
    return {
        What("coverage", "auto", True): Outcome(truth in interval, noted),
        What("coverage", "Newcombe"): Outcome(low <= truth <= high, noted),
        What("coverage", "Brunner-Munzel"): Outcome(truth in t, noted),
    }


def _newcombe(p: float, n: int, m: int) -> tuple[float, float]:
    """Return the interval of Newcombe (2006, method 5): all theta within z of their standard errors of p."""
    theta = np.linspace(0.0, 1.0, 4001)
    common = 0.5 * (n + m) - 1.0
    shape = 1.0 + common * ((1.0 - theta) / (2.0 - theta) + theta / (1.0 + theta))
    near = (p - theta) ** 2 <= float(ndtri(0.975)) ** 2 * theta * (1.0 - theta) / (n * m) * shape + 1e-12
    return float(theta[near].min()), float(theta[near].max())
