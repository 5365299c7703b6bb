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
