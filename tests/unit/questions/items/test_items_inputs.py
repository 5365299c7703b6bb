"""`compare`: inputs of every kind, and strata."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.unit.comparisons.two_systems import GOLD, A, B, codes

from bestby import FunctionMetric, compare

# -- inputs ----------------------------------------------------------------------------------------


class OnlyArray:
    """A tensor of some library: nothing but ``__array__``."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values


class OnlyDlpack:
    """Nothing but the DLPack protocol."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.values.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


class Detached:
    """A tensor that requires a gradient."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def detach(self) -> Any:
        return self

    def cpu(self) -> Any:
        return OnlyArray(self.values)


@pytest.mark.parametrize("wrap", [list, tuple, np.array, OnlyArray, OnlyDlpack, Detached])
def test_arrays_of_every_protocol_give_the_same_numbers(wrap: Any) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=30), rng.normal(size=30)
    expected = compare({"a": a.tolist(), "b": b.tolist()}, n_resamples=100)
    assert compare({"a": wrap(a), "b": wrap(b)}, n_resamples=100).differences == expected.differences


# -- strata ----------------------------------------------------------------------------------------


def test_strata_take_the_variance_between_them_out() -> None:
    d = np.concatenate([np.full(50, 10.0), np.full(50, -10.0)]) + np.random.default_rng(0).normal(size=100)
    x = {"a": d, "b": np.zeros(100)}
    for interval in ("normal", "percentile", "bca"):
        free = compare(x, interval=interval)["a", "b"].interval
        held = compare(x, interval=interval, strata=np.arange(100) // 50)["a", "b"].interval
        assert held.high - held.low < 0.2 * (free.high - free.low)


def test_strata_hold_for_measures_of_the_items_themselves() -> None:
    """Drawn within the classes, every resample has the one positive item; a share of them never varies."""
    gold = np.array([1] + [0] * 19)
    x = np.random.default_rng(0).normal(size=(2, 20))
    systems = {"a": x[0], "b": x[1]}
    free = compare(systems, gold, metric="roc_auc", interval="percentile", n_resamples=200)
    held = compare(systems, gold, metric="roc_auc", interval="percentile", n_resamples=200, strata=gold)
    assert "undefined_resamples" in [note.code for note in free["a", "b"].notes]
    assert "undefined_resamples" not in [note.code for note in held["a", "b"].notes]

    def positives(labels: Any, _: Any) -> float:
        return float(np.mean(labels))

    share = compare(systems, gold, metric=positives, interval="percentile", n_resamples=200, strata=gold)
    assert (share.score("a").score, share.score("a").interval) == (0.05, None)
    assert "constant_scores" in codes(share)


def test_one_stratum_is_no_stratum() -> None:
    one = compare({"a": A, "b": B}, GOLD, metric="f1_macro", strata=[1] * 40, n_resamples=200)
    none = compare({"a": A, "b": B}, GOLD, metric="f1_macro", n_resamples=200)
    assert one.differences == none.differences


# -- signature -------------------------------------------------------------------------------------


def area(gold: Any, scores: Any) -> float:
    """Return the share of pairs in which the greater label has the higher score."""
    positive = gold == max(gold)
    return float(np.mean(scores[positive][:, None] > scores[~positive]))


@pytest.mark.long
@pytest.mark.parametrize("metric", ["roc_auc", "roc_auc[yes]", "average_precision", "callable"])
def test_scores_against_labels_of_text(metric: str) -> None:
    rng = np.random.default_rng(3)
    number = rng.integers(0, 2, 40)
    systems = {"a": rng.random(40) + number, "b": rng.random(40) + 0.3 * number}
    text = np.array(["no", "yes"])[number]
    used = FunctionMetric(area, "roc_auc") if metric == "callable" else metric
    one = compare(systems, text, metric=used, n_resamples=99)["a", "b"]
    plain = used if metric == "callable" else metric.partition("[")[0]
    other = compare(systems, number, metric=plain, n_resamples=99)["a", "b"]
    assert one.estimate > 0.1
    assert (one.estimate, one.interval, one.p_value) == (other.estimate, other.interval, other.p_value)
