"""Labels of gold and systems in types that differ, and statistics by classes of users."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby import compare

LARGE = 2**63


def test_labels_beyond_53_bits_stay_apart_whatever_their_types() -> None:
    """NumPy puts uint64 and int64 into one array as floats, in which these are equal."""
    gold = np.array([LARGE + 5, LARGE + 6, 7] * 20, dtype=np.uint64)
    near = np.array([LARGE + 6, LARGE + 6, 7] * 20, dtype=np.uint64)
    small = np.array([7, 8, 7] * 20)
    found = compare({"near": near, "small": small}, gold, n_resamples=50)
    assert found.score("near").score == pytest.approx(2 / 3)
    assert found.score("small").score == pytest.approx(1 / 3)
    negative = np.array([2**62 + 1, -(2**62) - 1, 7] * 20)
    unsigned = np.array([2**62 + 1, 2**62, 7] * 20, dtype=np.uint64)
    found = compare({"x": unsigned, "y": small}, negative, n_resamples=50)
    assert found.score("x").score == pytest.approx(2 / 3)


def test_labels_that_no_type_of_64_bits_holds_are_compared_exactly() -> None:
    gold = np.array([LARGE, 7] * 20, dtype=np.uint64)
    found = compare({"x": np.array([-7, 7] * 20), "y": np.array([7, 7] * 20)}, gold, n_resamples=50)
    assert [found.score(name).score for name in "xy"] == [0.5, 0.5]


@pytest.mark.parametrize(
    ("values", "trouble"),
    [
        (lambda hits: np.where(hits > 0.0, 1.0, np.nan), "statistics that are not finite for system 'a'"),
        (lambda hits: hits[1:], r"must return statistics of shape \(4, k\), got \(3, 2\) for system 'a'"),
    ],
)
def test_values_of_labels_by_a_class_of_a_user_are_checked(values: Any, trouble: str) -> None:
    class Own(bb.MeanMetric):
        name = "own"
        reads = "labels"

        def values(self, gold: Any, predictions: Any) -> Any:
            return values((gold == predictions).astype(float))

    with pytest.raises(bb.errors.InvalidInputError, match=trouble):
        bb.compare({"a": list("xyzy"), "b": list("xyzx")}, list("xyyz"), metric=Own(), n_resamples=99)


class _Reversing(bb.MeanMetric):
    """A user's metric that writes to the labels it is shown."""

    name = "reversing"
    reads = "labels"

    def fit(self, gold: Any, systems: Any, labels: Any) -> Any:  # noqa: ARG002
        labels[:] = labels[::-1].copy()
        return self

    def values(self, gold: Any, predictions: Any) -> Any:
        return gold == predictions


def test_a_users_metric_may_write_to_its_labels() -> None:
    gold, systems = [3, 4, 5, 4], {"a": [3, 4, 5, 5], "b": [3, 5, 5, 4]}
    first = compare(systems, gold=gold, metric=[_Reversing(), "f1_macro"])
    again = compare(systems, gold=gold, metric=[_Reversing(), "f1_macro"])
    assert [one.labels for one in first.classes] == [("3", "4", "5")] * 3
    assert first == again


class _Codes(bb.MeanMetric):
    """A user's metric that does sums with codes of labels."""

    name = "codes"
    reads = "labels"

    def values(self, gold: Any, predictions: Any) -> Any:
        return 10_000 * gold + predictions


def test_a_users_metric_gets_codes_to_do_sums_with() -> None:
    """Narrow types, which are enough for three labels, would overflow."""
    found = compare({"a": list("xyz"), "b": list("xyy")}, list("zyz"), metric=_Codes(), n_resamples=50)
    assert found.score("a").score == pytest.approx((50_000 + 3) / 3)
    assert found.score("b").score == pytest.approx((50_000 + 2) / 3)
