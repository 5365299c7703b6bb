"""Tests of the differences of items: what counts as rounding, and how many items there may be."""

from __future__ import annotations

import numpy as np
import pytest

from bestby import Evaluation, compare
from bestby.engine import significance_tests
from bestby.errors import DesignError
from bestby.inference import classical


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_one_item_far_off_does_not_hide_the_others(test: str) -> None:
    """Tests of ranks are chosen because one value has no more to say than any other, however large."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=40)
    b = a + rng.uniform(0.5, 1.5, 40)
    a[7], b[7] = 1e14, 0.0
    capped = np.minimum(a, 1e3)
    p = compare({"a": a, "b": b}, test=test, n_resamples=50)["a", "b"].p_value
    assert p == compare({"a": capped, "b": b}, test=test, n_resamples=50)["a", "b"].p_value < 1e-7


def test_rounding_is_no_difference_and_makes_no_order() -> None:
    a = np.array([0.1 + 0.2, 0.7, 0.5, 0.9, 0.3, 1.1, 0.2])
    b = np.array([0.3, 0.6, 0.4, 0.8, 0.4, 0.1, 0.0])  # differences 0, ±0.1 four times, 1.0 and 0.2
    exact = classical.wilcoxon([0, 1, 1, 1, -1, 10, 2])
    found = compare({"a": a, "b": b}, test="wilcoxon", n_resamples=50)["a", "b"].test
    assert (found.p_value, found.statistic) == (exact.p_value, exact.statistic)
    assert compare({"a": a, "b": b}, test="sign", n_resamples=50)["a", "b"].test.statistic == 4


def test_the_size_of_rounding_is_told_or_taken_from_the_largest() -> None:
    d = [1e13, *[1.0] * 19]
    assert classical.sign(d).statistic == 1
    assert classical.sign(d, rounding=0.0).statistic == 20
    assert classical.wilcoxon(d, rounding=1e-12).p_value == pytest.approx(2.0**-19)
    assert classical.wilcoxon([1.0, 1.0 + 1e-9, -3.0], rounding=1e-6).statistic == 0.0
    assert classical.wilcoxon([1.0, 1.0 + 1e-9, -3.0, 4.0], rounding=0.0).statistic == 4.0


@pytest.mark.parametrize("test", ["t", "sign", "wilcoxon"])
def test_counted_items_are_not_written_out_beyond_memory(test: str) -> None:
    rows = Evaluation.of({"a": [1.0, 0.0, 1.0], "b": [0.0, 1.0, 1.0]}, counts=np.array([3, 1, 2]) * 10**9)
    with pytest.raises(DesignError) as caught:
        compare(rows, metric="mean", test=test)
    assert caught.value.message == (
        f"test {test!r} needs a difference per item, and the table counts 6000000000 items"
    )
    few = Evaluation.of({"a": [1.0, 0.0, 1.0], "b": [0.0, 1.0, 1.0]}, counts=np.array([30, 10, 20]))
    assert few.n_items <= significance_tests.MOST_DIFFERENCES
    assert 0.0 < compare(few, metric="mean", test=test)["a", "b"].p_value < 0.05
