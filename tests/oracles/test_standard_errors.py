"""Standard errors of differences against the textbook, and against statsmodels."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from tests.oracles.test_permutation import labels, numbers

from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.metrics import resolve


def estimates(metric: Any, systems: Any, gold: Any = None, resamples: int = 400, **groups: Any) -> Estimates:
    evaluation = Evaluation.of(systems, gold, **groups)
    group = prepare.groups(evaluation, [resolve(metric)])[0]
    return Estimates(group, Drawing(resamples, 3))


def test_standard_error_of_an_accuracy_difference_is_the_textbook_one() -> None:
    gold, a, b = labels(random.Random(3), 50)
    d = [(x == g) - (y == g) for g, x, y in zip(gold, a, b, strict=True)]
    centre = sum(d) / 50
    expected = math.sqrt(sum((v - centre) ** 2 for v in d) / 49 / 50)
    made = estimates("accuracy", {"a": a, "b": b}, gold)
    assert made.of(0, 1).sample.standard_error == pytest.approx(expected, rel=1e-7)


def test_standard_error_of_a_ratio_is_the_textbook_one() -> None:
    """RMSE is the root of a mean: se = se(mean of squares) / (2 RMSE)."""
    gold, a, b = numbers(random.Random(3), 50)
    squares = [(g - x) ** 2 for g, x in zip(gold, a, strict=True)]
    centre = sum(squares) / 50
    se = math.sqrt(sum((v - centre) ** 2 for v in squares) / 49 / 50)
    made = estimates("rmse", {"a": a, "b": b}, gold)
    assert made.of(0).sample.standard_error == pytest.approx(se / (2 * math.sqrt(centre)), rel=1e-7)


def test_clustered_standard_error_is_the_ratio_estimators() -> None:
    """A mean over clusters of unequal sizes: Cochran (1977), eq. 2.46 without finite population."""
    rng = random.Random(5)
    sizes = [rng.randint(1, 6) for _ in range(25)]
    clusters = [c for c, size in enumerate(sizes) for _ in range(size)]
    effect = [rng.gauss(0, 1) for _ in sizes]
    x = [effect[c] + rng.gauss(0, 0.5) for c in clusters]
    y = [0.3 * effect[c] + rng.gauss(0, 0.5) for c in clusters]
    d = [p - q for p, q in zip(x, y, strict=True)]
    n, m = len(d), len(sizes)
    centre = sum(d) / n
    residual = [sum(v - centre for v, k in zip(d, clusters, strict=True) if k == c) for c in range(m)]
    expected = math.sqrt(m / (m - 1) * sum(r * r for r in residual)) / n
    made = estimates("mean", {"x": x, "y": y}, clusters=clusters)
    assert made.of(0, 1).sample.standard_error == pytest.approx(expected, rel=1e-7)


def test_clustered_standard_error_is_that_of_statsmodels() -> None:
    import statsmodels.api as sm

    rng = np.random.default_rng(6)
    clusters = rng.integers(0, 20, 150)
    d = rng.normal(size=20)[clusters] + rng.normal(size=150)
    fit = sm.OLS(d, np.ones(150)).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    # statsmodels multiplies by (n - 1) / (n - k) too, which is 1 for a single mean.
    made = estimates("mean", {"x": d, "y": np.zeros(150)}, clusters=clusters)
    assert made.of(0, 1).sample.standard_error == pytest.approx(float(fit.bse[0]), rel=1e-7)


def test_stratified_standard_error_is_the_sum_over_strata() -> None:
    rng = random.Random(6)
    strata = [i % 3 for i in range(48)]
    x = [rng.gauss(2 * s, 1 + s) for s in strata]
    variance = 0.0
    for s in range(3):
        part = [v for v, t in zip(x, strata, strict=True) if t == s]
        centre = sum(part) / 16
        variance += 16 * sum((v - centre) ** 2 for v in part) / 15
    made = estimates("mean", {"x": x, "y": [0.0] * 48}, strata=strata)
    assert made.of(0, 1).sample.standard_error == pytest.approx(math.sqrt(variance) / 48, rel=1e-7)
