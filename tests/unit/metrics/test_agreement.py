"""Agreement of annotators: what rows may hold, what is refused, what is undefined."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from bestby import compare
from bestby.metrics import agreement

ROWS = [(1, 1, 2), (2, 2, None), (3, 3, 3), (1, None, None), (2, 1, 2)]
ALL = [build(name) for name, (_, build) in agreement.NAMES.items()]
ALPHAS = [metric for metric in ALL if metric.name != "fleiss_kappa"]


def scored(metric: Any, rows: Any) -> float:
    fitted = metric.fit(None, [rows], None)
    return float(fitted.score(fitted.statistics(None, rows).sum(axis=0)))


@pytest.mark.parametrize("metric", ALPHAS, ids=lambda m: m.name)
def test_missing_labels_come_in_many_forms(metric: Any) -> None:
    import pandas as pd

    expected = pytest.approx(scored(metric, ROWS), abs=1e-12)
    assert scored(metric, [[x for x in row if x is not None] for row in ROWS]) == expected
    assert scored(metric, [np.array([math.nan if x is None else x for x in row]) for row in ROWS]) == expected
    assert scored(metric, [[pd.NA if x is None else x for x in row] for row in ROWS]) == expected
    assert scored(metric, [*ROWS, (), (None, 4)]) == expected  # nothing to agree with


@pytest.mark.parametrize("metric", ALL, ids=lambda m: m.name)
def test_a_resample_with_one_label_is_undefined(metric: Any) -> None:
    rows = [(1, 1), (2, 2), (7, 7), (1, 2)]
    fitted = metric.fit(None, [rows], None)
    table = fitted.statistics(None, rows)
    scores = fitted.score(np.array([2 * table[0], 2 * table[2], table[0] + table[1], 0.0 * table[0]]))
    assert np.isnan(scores[[0, 1, 3]]).all()
    assert scores[2] == 1.0


def test_labels_of_any_kind() -> None:
    assert scored(agreement.NominalAlpha(), [("a", "a"), ("b", 1), (1, 1), (True, 1)]) == scored(
        agreement.NominalAlpha(), [(0, 0), (5, 9), (9, 9), (9, 9)]
    )


def test_numbers_may_be_written_as_text() -> None:
    metric = agreement.OrdinalAlpha()
    assert scored(metric, [("10", "9"), ("2", "2"), ("9", "9")]) == scored(metric, [(3, 2), (1, 1), (2, 2)])


def test_ordinal_cares_for_order_only_and_interval_for_distance() -> None:
    rows = [(1, 2), (3, 3), (2, 2), (1, 1), (3, 2)]
    moved = [tuple(x**3 for x in row) for row in rows]
    assert scored(agreement.OrdinalAlpha(), rows) == scored(agreement.OrdinalAlpha(), moved)
    assert scored(agreement.IntervalAlpha(), rows) != pytest.approx(scored(agreement.IntervalAlpha(), moved))
    shifted = [tuple(1e6 + x for x in row) for row in rows]
    assert scored(agreement.IntervalAlpha(), shifted) == pytest.approx(
        scored(agreement.IntervalAlpha(), rows), abs=1e-12
    )


@pytest.mark.parametrize("noise", [0.0, 0.1], ids=["whole", "any"])
@pytest.mark.parametrize("scale", [1e3, 3e6, 1e9])
def test_the_scale_of_one_system_is_nothing_to_another(scale: float, noise: float) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 6, (60, 1))
    a, b = (truth + rng.integers(-1, 2, (60, 3)) + noise * rng.normal(size=(60, 3)) for _ in "ab")
    metric = agreement.IntervalAlpha()
    near, far = (
        compare({"a": a.tolist(), "b": (b * k).tolist()}, metric=metric, n_resamples=99)["a", "b"]
        for k in (1.0, scale)
    )
    # By hand: observed disagreement within items, expected between all labels.
    observed = sum((x - y) ** 2 for row in a for x in row for y in row) / 2
    expected = sum((x - y) ** 2 for x in a.flat for y in a.flat) / (a.size - 1)
    assert near.score_a == pytest.approx(1.0 - observed / expected, rel=1e-13)
    assert (far.score_a, far.score_b) == pytest.approx((near.score_a, near.score_b), rel=1e-12)
    assert far.interval.low == pytest.approx(near.interval.low, rel=1e-6)
    assert far.interval.high == pytest.approx(near.interval.high, rel=1e-6)
