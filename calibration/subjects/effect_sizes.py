"""Intervals of effect sizes of runs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.special import ndtri

from bestby._core.typing import FloatArray
from bestby.questions.runs import differences
from calibration.runs import few
from calibration.statements import Outcome, Statements, What

TITLE = "Effect sizes of runs"

TEXT = """
Normal runs; the true d_av, the difference in roots of the mean variance, is 0, .5 or 2. *auto* is the
interval of Bonett (2008). *Borenstein* is the earlier interval: for pairs the large-sample variance of d_av
in Borenstein et al. (2009), which needs equal variances and is too small wherever d is not, for independent
runs that of Hedges' g, whose pooled standard deviation needs equal variances where numbers are unequal. Of
three runs Bonett's interval is long; the note `few_runs` is counted.
"""

LEVEL = 0.95
EFFECTS = (0.0, 0.5, 2.0)


def cells() -> Iterator[Statements]:
    """Yield pairs by number, correlation and effect; independent runs by numbers, spread and effect."""
    for n, correlation, effect in itertools.product((3, 5, 10, 20, 50), (0.0, 0.8, 0.95), EFFECTS):
        yield _cell(n, n, 1.0, effect, correlation)
    for n, effect in itertools.product((5, 20), EFFECTS):
        yield _cell(n, n, 3.0, effect, 0.5)
    sizes = ((3, 3), (5, 5), (3, 10), (5, 10), (20, 20), (10, 40))
    for (n, m), spread, effect in itertools.product(sizes, (1.0, 3.0), EFFECTS):
        yield _cell(n, m, spread, effect, None)


def _cell(n: int, m: int, spread: float, effect: float, correlation: float | None) -> Statements:
    kind = "independent" if correlation is None else f"paired, correlation {correlation:g}"
    one = partial(_one, n=n, m=m, spread=spread, effect=effect, correlation=correlation)
    size = f"{n} v {m}" if correlation is None else f"{n} pairs"
    population = f"{kind}, spreads {spread:g} : 1, d = {effect:g}"
    return Statements("effect_sizes", population, size, min(n, m), one, datasets=1500)


def _one(
    rng: np.random.Generator,
    _seed: int,
    n: int,
    m: int,
    spread: float,
    effect: float,
    correlation: float | None,
) -> dict[What, Outcome]:
    z, b = rng.normal(size=n), rng.normal(size=m)
    if correlation is not None:
        z = correlation * b + math.sqrt(1.0 - correlation**2) * z
    shift = effect * math.sqrt(0.5 * (spread**2 + 1.0))
    paired = correlation is not None
    noted = few(min(n, m))
    a = spread * z + shift
    _, interval = differences.effect_size(a, b, LEVEL, paired=paired)
    # Hedges' g is of the pooled standard deviation.
    pooled = effect if paired else shift / math.sqrt(((n - 1) * spread**2 + m - 1) / (n + m - 2))
    low, high = _borenstein(a, b, paired)
    return {
        What("coverage", "auto", True): Outcome(interval is not None and effect in interval, noted),
        What("coverage", "Borenstein"): Outcome(low <= pooled <= high, noted),
    }


def _borenstein(a: FloatArray, b: FloatArray, paired: bool) -> tuple[float, float]:
    """Return the normal interval from the large-sample variance (Borenstein et al. 2009, ch. 4)."""
    n, m = a.size, b.size
    var_a, var_b = float(a.var(ddof=1)), float(b.var(ddof=1))
    freedom = n - 1 if paired else n + m - 2
    square = 0.5 * (var_a + var_b) if paired else ((n - 1) * var_a + (m - 1) * var_b) / freedom
    d = float(a.mean() - b.mean()) / math.sqrt(square)
    if paired:
        variance = (1.0 / n + d * d / (2.0 * n)) * 2.0 * (1.0 - float(np.corrcoef(a, b)[0, 1]))
    else:
        variance = (n + m) / (n * m) + d * d / (2.0 * (n + m))
    correction = 1.0 - 3.0 / (4.0 * freedom - 1.0)
    half = float(ndtri(0.5 * (1.0 + LEVEL))) * math.sqrt(max(0.0, variance))
    return correction * (d - half), correction * (d + half)
