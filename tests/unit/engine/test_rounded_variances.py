"""Resamples without variance, values that are 0 or 1 by chance, and crossed groupings with resample_size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.engine.functionals import MeanPivots
from bestby.errors import DesignError

NEARLY_CONSTANT = {"b": [100.0] * 40 + [300.0, 700.0], "a": [100.0] * 39 + [100.0, 500.0, 900.0]}


@pytest.mark.parametrize("metric", ["mean", "rmse"])
@pytest.mark.parametrize("unit", [1.0, 1e-3])
def test_no_end_is_far_beyond_the_data(metric: str, unit: float) -> None:
    systems = {name: unit * np.array(values) for name, values in NEARLY_CONSTANT.items()}
    gold = None if metric == "mean" else np.zeros(42)
    found = bb.compare(systems, gold, metric=metric, interval="studentized", n_resamples=999)
    for interval in [*(s.interval for s in found.systems), *(d.interval for d in found.differences)]:
        assert interval is not None
        assert interval.high - interval.low < 800.0 * unit
    assert "studentized_undefined" in {note.code for note in found.notes}


def test_a_resample_of_one_value_has_an_infinite_pivot() -> None:
    """The sum of squares and the square of the sum of 42 equal values differ by rounding only."""
    x = np.array([100.0] * 40 + [300.0, 700.0])
    centred = x - x.mean()
    totals = np.array([[42 * centred[0], float(np.sum(np.full(42, centred[0] ** 2)))]])
    totals[0, 1] *= 1.0 + 4e-16
    assert MeanPivots(42, float(np.abs(centred).max()))(totals).tolist() == [-np.inf]


def test_without_a_variance_the_studentized_interval_of_scores_is_the_percentile_one() -> None:
    found = bb.compare(NEARLY_CONSTANT, metric="mean", interval="studentized", rng=1, n_resamples=2000)
    found = found.score("b").interval
    assert found is not None
    assert (found.method, found.low) == ("percentile", 100.0)
    assert found.high < 300.0


@pytest.mark.parametrize("metric", ["mae", "mse"])
def test_errors_of_0_and_1_are_no_proportion(metric: str) -> None:
    gold = np.tile([1.0, 2.0, 4.0], 10)
    systems: dict[str, Any] = {"a": gold + (np.arange(30) % 4 == 0), "b": gold + (np.arange(30) % 3 == 0)}
    with pytest.raises(DesignError):
        bb.compare(systems, gold, metric=metric, interval="tango")
    with pytest.raises(DesignError):
        bb.compare(systems, gold, metric=metric, test="mcnemar")
    given = {name: values - gold for name, values in systems.items()}
    found = bb.compare(given, metric="mean")
    assert {system.interval.method for system in found.systems if system.interval} == {"wilson-midp"}
