"""Numbers of SciPy and of textbooks.

The law school data: Efron & Tibshirani (1993), An Introduction to the Bootstrap, Table 3.1 (15 schools,
LSAT and GPA); their correlation is .776, its bootstrap standard error .132 (Table 6.1, B = 3200).
"""

from __future__ import annotations

import inspect
import math
import warnings

import numpy as np
import pytest
import scipy.stats

from bestby import compare
from bestby.data.evaluation import Evaluation
from bestby.engine import interval_methods, prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.metrics import resolve

LSAT = [576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594]
SEEDED_BY = "rng" if "rng" in inspect.signature(scipy.stats.bootstrap).parameters else "random_state"
"""What SciPy calls the generator: from 1.15 on, and before."""

GPA = [3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96]


def law_school(resamples: int) -> Estimates:
    evaluation = Evaluation.of({"lsat": LSAT, "again": LSAT}, GPA)
    group = prepare.groups(evaluation, [resolve("pearson")])[0]
    return Estimates(group, Drawing(resamples, 0))


def test_law_school_correlation_and_its_bootstrap_standard_error() -> None:
    made = law_school(20_000)
    assert made.of(0).value == pytest.approx(0.776, abs=5e-4)
    assert made.replicates[:, 0].std() == pytest.approx(0.1325, abs=0.003)


def test_law_school_bca_is_that_of_scipy() -> None:
    ends, _ = interval_methods.interval(law_school(20_000).of(0), "bca", 0.9)
    expected = scipy.stats.bootstrap(
        (LSAT, GPA),
        lambda x, y: scipy.stats.pearsonr(x, y)[0],
        paired=True,
        vectorized=False,
        n_resamples=4000,
        confidence_level=0.9,
        method="BCa",
        **{SEEDED_BY: np.random.default_rng(1)},
    ).confidence_interval
    # The ends' Monte Carlo standard errors: about 0.008 at B = 4000 (low), a fifth of that (high).
    assert ends.low == pytest.approx(expected.low, abs=0.04)
    assert ends.high == pytest.approx(expected.high, abs=0.01)


@pytest.mark.parametrize("method", ["BCa", "percentile", "basic"])
def test_intervals_of_a_skewed_mean_are_those_of_scipy(method: str) -> None:
    d = np.random.default_rng(3).exponential(size=80) - 0.8
    found = compare({"a": d, "b": np.zeros(80)}, interval=method.lower())["a", "b"].interval
    assert (found.method, found.exact) == (method.lower(), True)
    seeded = {SEEDED_BY: np.random.default_rng(1)}
    expected = scipy.stats.bootstrap(
        (d,), np.mean, n_resamples=100_000, batch=10_000, method=method, **seeded
    ).confidence_interval
    # A quantile's standard error is sqrt(p q / B) / density: 0.0005 / (0.058 / sd) for 2.5 %, so 0.0085 sd.
    sd = d.std() / math.sqrt(80)
    assert found.low == pytest.approx(expected.low, abs=6 * 0.0085 * sd)
    assert found.high == pytest.approx(expected.high, abs=6 * 0.0085 * sd)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("n", [5, 9, 12])
def test_exact_permutation_p_is_that_of_scipy(n: int, alternative: str) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.normal(0.4, 1, n), rng.normal(0, 1, n)
    found = compare({"a": a, "b": b}, alternative=alternative).differences[0]
    expected = scipy.stats.permutation_test(
        (a, b),
        lambda x, y: np.mean(x) - np.mean(y),
        permutation_type="samples",
        n_resamples=np.inf,
        alternative=alternative,
        vectorized=False,
    ).pvalue
    if alternative == "two-sided":  # SciPy doubles the smaller tail; the distribution is symmetric
        assert (found.a, found.b) in (("a", "b"), ("b", "a"))
    assert found.p_value == pytest.approx(expected, abs=1e-12)


def test_a_t_interval_is_that_of_scipy() -> None:
    d = np.random.default_rng(5).normal(0.2, 1.0, 25)
    found = compare({"a": d, "b": np.zeros(25)}, interval="normal")["a", "b"].interval
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = scipy.stats.ttest_1samp(d, 0.0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-6)


def test_darwins_maize_by_fisher() -> None:
    """Fisher (1935), The Design of Experiments, section 21: 15 pairs of plants, differences in eighths of an
    inch; 863 of the 32 768 sign changes give a sum of at least 314 (835 above it and 28 equal), one-sided.
    """
    d = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    assert sum(d) == 314
    found = compare({"crossed": d, "selfed": [0] * 15}, alternative="greater").differences[0]
    assert found.exact
    assert found.p_value == pytest.approx(863 / 32768, rel=1e-12)
    both = compare({"crossed": d, "selfed": [0] * 15}).differences[0]
    assert both.p_value == pytest.approx(1726 / 32768, rel=1e-12)
