"""Significance tests and intervals beside SciPy, statsmodels and full enumeration, on random data."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import cochrans_q
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from tests.differential.rounds import generator, rounds

import bestby as bb

SIDES = ("two-sided", "greater", "less")


def _right_or_wrong(rng: np.random.Generator) -> tuple[Any, Any]:
    n = int(rng.integers(8, 200))
    a = (rng.random(n) < rng.uniform(0.3, 0.95)).astype(int)
    b = np.where(rng.random(n) < rng.uniform(0.2, 0.9), a, rng.integers(0, 2, n))
    b[0], b[1] = 1 - a[0], a[1]
    return a, b


def _paired(rng: np.random.Generator) -> tuple[Any, Any]:
    n = int(rng.integers(8, 60))
    a = rng.normal(size=n)
    return a, a + rng.normal(rng.uniform(-0.5, 0.5), rng.uniform(0.2, 2.0), n)


def _p(a: Any, b: Any, **named: Any) -> float:
    return bb.compare({"a": a, "b": b}, n_resamples=50, interval="normal", **named)["a", "b"].p_value


def _sign(a: Any, b: Any, side: str) -> float:
    wins, losses = int((a > b).sum()), int((a < b).sum())
    return float(stats.binomtest(wins, wins + losses, 0.5, side).pvalue)


PEERS: dict[str, tuple[Callable[..., Any], Callable[[Any, Any, str], float]]] = {
    "mcnemar": (_right_or_wrong, _sign),
    "sign": (_paired, _sign),
    "t": (_paired, lambda a, b, side: float(stats.ttest_rel(a, b, alternative=side).pvalue)),
    "wilcoxon": (
        _paired,
        lambda a, b, side: float(stats.wilcoxon(a, b, alternative=side, method="exact").pvalue),
    ),
}


@rounds(6)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("test", PEERS)
def test_paired_tests_are_those_of_scipy(test: str, side: str, number: int) -> None:
    data, peer = PEERS[test]
    a, b = data(generator(test, number))
    assert _p(a, b, test=test, alternative=side) == pytest.approx(peer(a, b, side), rel=1e-9)


def _enumerated(a: Any, b: Any, metric: Callable[[Any, Any], float], gold: Any, side: str) -> float:
    """Return the p-value of all ways to swap the two systems, item by item."""
    observed = metric(gold, a) - metric(gold, b)
    scale = abs(metric(gold, a)) + abs(metric(gold, b))
    extreme = 0
    for swap in itertools.product([False, True], repeat=len(a)):
        x, y = np.where(swap, b, a), np.where(swap, a, b)
        difference = metric(gold, x) - metric(gold, y)
        beyond = {
            "two-sided": abs(difference) - abs(observed),
            "greater": difference - observed,
            "less": observed - difference,
        }[side]
        extreme += bool(beyond >= -1e-9 * scale)
    return extreme / 2.0 ** len(a)


METRICS: dict[str, Callable[[Any, Any], float]] = {
    "mse": lambda gold, predictions: float(np.mean((gold - predictions) ** 2)),
    "mae": lambda gold, predictions: float(np.mean(np.abs(gold - predictions))),
    "rmse": lambda gold, predictions: float(np.sqrt(np.mean((gold - predictions) ** 2))),
    "accuracy": lambda gold, predictions: float(np.mean(gold == predictions)),
}


@rounds(2)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("metric", METRICS)
def test_exact_permutation_tests_are_full_enumeration(metric: str, side: str, number: int) -> None:
    rng = generator(metric, number)
    n = int(rng.integers(4, 9))
    gold, a, b = rng.normal(size=n), rng.normal(size=n), rng.normal(size=n)
    if metric == "accuracy":
        gold, a, b = (np.sign(values) for values in (gold, a, b))
        a[0] = b[1] = gold[0] = gold[1] = 1.0
    elif rng.random() < 0.5:
        a = gold.copy()  # a perfect system: roots are steepest at 0
    result = bb.compare({"a": a, "b": b}, gold, metric=metric, alternative=side, interval="percentile",
                        test="permutation", n_resamples=50)["a", "b"]  # fmt: skip
    assert result.exact
    expected = _enumerated(a, b, METRICS[metric], gold, side)
    assert result.p_value == pytest.approx(expected, rel=1e-9)
    assert result.p_value >= 2.0 ** -len(a)


@rounds(6)
def test_wilson_intervals_are_those_of_statsmodels(number: int) -> None:
    a, b = _right_or_wrong(generator("wilson", number))
    result = bb.compare({"a": a, "b": b}, n_resamples=50)
    for entry, values in ((result.score("a"), a), (result.score("b"), b)):
        if entry.interval.method == "wilson":
            expected = proportion_confint(int(values.sum()), values.size, 0.05, method="wilson")
            assert [entry.interval.low, entry.interval.high] == pytest.approx(expected, abs=1e-9)


@rounds(6)
def test_tests_of_all_systems_are_those_of_scipy_and_statsmodels(number: int) -> None:
    rng = generator("omnibus", number)
    n, names = int(rng.integers(10, 60)), "abcd"[: rng.integers(3, 5)]
    right = {name: rng.integers(0, 2, n) for name in names}
    expected = cochrans_q(np.column_stack(list(right.values())))
    (found,) = bb.compare(right, n_resamples=50).omnibus
    assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
    scores = {name: np.round(rng.normal(size=n), int(rng.integers(0, 4))) for name in names}
    friedman = stats.friedmanchisquare(*scores.values())
    (found,) = bb.compare(scores, n_resamples=50).omnibus
    assert (found.statistic, found.p_value) == pytest.approx((friedman.statistic, friedman.pvalue), rel=1e-9)


@rounds(6)
@pytest.mark.parametrize(
    ("correction", "peer"), [("holm", "holm"), ("bonferroni", "bonferroni"), ("bh", "fdr_bh")]
)
def test_corrections_are_those_of_statsmodels(correction: str, peer: str, number: int) -> None:
    rng = generator(correction, number)
    n = int(rng.integers(10, 60))
    systems = {name: rng.normal(rng.uniform(0.0, 0.8), 1.0, n) for name in "abcd"}
    result = bb.compare(systems, test="t", correction=correction, interval="normal", n_resamples=50)
    expected = multipletests([d.p_value for d in result], method=peer)[1]
    assert [d.p_adjusted for d in result] == pytest.approx(expected, rel=1e-12)


@rounds(6)
@pytest.mark.parametrize("side", SIDES)
def test_welch_of_runs_is_that_of_scipy(side: str, number: int) -> None:
    rng = generator("welch", number)
    a, b = (rng.normal(rng.normal(), rng.uniform(0.2, 3.0), int(rng.integers(3, 15))) for _ in "ab")
    result = bb.compare_runs({"a": a, "b": b}, test="t", alternative=side, n_resamples=50)["a", "b"]
    assert result.p_value == pytest.approx(stats.ttest_ind(a, b, equal_var=False, alternative=side).pvalue)
