"""Intervals of the score of one system: which method makes them, and how often they hold."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bestby as bb


def interval_of(values: object, gold: object, metric: str) -> bb.results.Interval:
    found = bb.evaluate({"a": values}, gold, metric=metric).systems[0].interval
    assert found is not None
    return found


def test_the_method_suits_the_metric() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 3, 60)
    said = np.where(rng.random(60) < 0.7, gold, rng.integers(0, 3, 60))
    x = rng.normal(size=60)
    assert interval_of(said, gold, "accuracy").method == "wilson-midp"
    assert interval_of(said, gold, "f1_macro").method == "hall-wide"
    assert interval_of(x + rng.normal(size=60), x, "rmse").method == "hall-wide"
    for metric in ("pearson", "spearman", "kendall"):
        assert interval_of(x + rng.normal(size=60), x, metric).method == "fisher-z"
    assert interval_of(x, (x + rng.normal(size=60) > 0).astype(int), "roc_auc").method == "bca-expanded"


def test_a_correlation_is_judged_on_fishers_scale() -> None:
    rng = np.random.default_rng(1)
    for n in (20, 400, 1500):
        x = rng.normal(size=n)
        found = interval_of(x + rng.normal(size=n), x, "pearson")
        # Of normal columns atanh(r) has the standard error 1 / sqrt(n - 3) (Fisher 1921).
        width = math.atanh(found.high) - math.atanh(found.low)
        assert width == pytest.approx(2 * 1.96 / math.sqrt(n - 3), rel=0.6 if n == 20 else 0.2)
        assert -1.0 < found.low < found.high < 1.0


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "least"), [("wer", 0.93), ("f1_macro", 0.915), ("pearson", 0.93)])
def test_the_score_of_one_system_is_covered(metric: str, least: float) -> None:
    rng, times, held = np.random.default_rng(2), 300, 0
    for _ in range(times):
        if metric == "pearson":
            shared, x, y = rng.standard_t(6, size=(3, 40))
            found, true = interval_of(shared + x, shared + y, metric), 0.5
        elif metric == "wer":
            words = 1 + rng.poisson(rng.gamma(2.0, 5.0, size=50))
            errors = rng.binomial(words, rng.beta(0.6, 4.4, size=50))
            gold = [" ".join("w" * int(count)) for count in words]
            said = [" ".join("w" * int(c - e) + "x" * int(e)) for c, e in zip(words, errors, strict=True)]
            found, true = interval_of(said, gold, metric), 0.12
        else:
            share = np.array([0.5, 0.3, 0.15, 0.05])
            gold = rng.choice(4, size=80, p=share)
            said = np.where(rng.random(80) < 0.7, gold, rng.choice(4, size=80, p=share))
            found, true = interval_of(said, gold, metric), float((0.7 + 0.3 * share).mean())
        held += true in found
    assert held / times >= least - 2.0 * math.sqrt(0.05 * 0.95 / times)
