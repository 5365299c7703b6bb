"""What rounding leaves is no difference, and nothing else is taken for rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby._core import rounding
from bestby.errors import InvalidInputError
from bestby.inference import classical
from bestby.planning.paired import PairedScores
from bestby.questions.datasets import ranking

# Scores in per cent, 0.01 apart on every item: 91.37 - 91.36 and 88.12 - 88.11 differ in the last bits.
A = np.array([91.37, 88.12, 90.55, 87.91, 89.24, 90.03, 86.62, 88.88])
B = np.array([91.36, 88.11, 90.54, 87.90, 89.23, 90.02, 86.61, 88.87])


@pytest.mark.parametrize("test", ["t", "sign", "wilcoxon", "permutation"])
def test_a_constant_difference_is_worth_its_signs(test: str) -> None:
    assert np.ptp(A - B) > 0.0
    found = bb.compare({"a": A, "b": B}, test=test, n_resamples=50)["a", "b"]
    assert found.p_value == 2.0**-7


def test_a_constant_difference_of_runs_folds_and_datasets() -> None:
    assert bb.compare_runs({"a": A, "b": B}, paired=True, test="t")["a", "b"].p_value == 2.0**-7
    folds = bb.compare_folds({"a": A, "b": B})["a", "b"]
    assert folds.p_value == 2.0**-7
    assert [note.code for note in folds.notes] == ["constant_difference"]
    assert folds.interval is None
    scores = {f"d{i}": {"a": a, "b": b} for i, (a, b) in enumerate(zip(A.tolist(), B.tolist(), strict=True))}
    assert bb.compare_datasets(scores, across="t")["a", "b"].p_value == 2.0**-7
    with pytest.raises(InvalidInputError, match="whose differences vary"):
        PairedScores.from_pilot(A, B)


def test_small_differences_that_vary_stay_as_they_are() -> None:
    a = np.array([1e6 + 1e-3, 2e6 + 2e-3, 3e6 + 5e-3])
    d = classical.paired_differences(a, np.array([1e6, 2e6, 3e6]))
    assert d.tolist() == (a - np.array([1e6, 2e6, 3e6])).tolist()
    far = classical.paired_differences(np.array([1e15, 2.0, 3.0]), np.array([0.0, 1.0, 2.5]))
    assert far.tolist() == [1e15, 1.0, 0.5]


def test_scores_that_only_rounding_tells_apart_share_a_rank() -> None:
    third = np.array([0.1 + 0.2, 0.3, 0.3 - 1e-16])
    x = np.array([third, third * 1e9, third[::-1], -third])
    assert ranking.average_ranks(x).tolist() == [2.0, 2.0, 2.0]
    assert ranking.friedman(x).statistic == 0.0
    assert ranking.friedman(x).p_exact == 1.0
    # One system far off ties nobody, and neither does a chain of neighbours that are apart.
    assert ranking.average_ranks([[1e30, 0.5, 0.25]]).tolist() == [1.0, 2.0, 3.0]
    assert ranking.average_ranks([[0.3, 0.3 + 1e-9, 0.3 + 2e-9]]).tolist() == [3.0, 2.0, 1.0]
    assert ranking.average_ranks([[0.5, 0.3, 0.1 + 0.2, 0.7]]).tolist() == [2.0, 3.5, 3.5, 1.0]


@pytest.mark.long
def test_classifiers_that_are_relabellings_have_equal_ranks() -> None:
    """Macro-averages of the same numbers in another order differ in the last bit."""
    rng = np.random.default_rng(0)
    data = {}
    for d in range(8):
        gold = np.concatenate([np.full(40, label) for label in range(3)])
        one = np.where(rng.random(120) < 0.3, rng.integers(0, 3, 120), gold)
        turned = {f"s{k}": np.roll((one + k) % 3, 40 * k) for k in range(3)}
        data[f"d{d}"] = bb.Evaluation.of(turned, gold)
    for metric in ("precision_macro", "f1_macro"):
        found = bb.compare_datasets(data, metric=metric, n_resamples=50)
        assert found.average_ranks == (2.0, 2.0, 2.0)


@pytest.mark.parametrize("statistic", ["median", "iqm"])
@pytest.mark.parametrize("test", ["permutation", "bootstrap", "t"])
def test_robust_statistics_of_runs_forget_a_run_far_off(statistic: str, test: str) -> None:
    if statistic == "median" and test == "t":
        pytest.skip("the median has no t test")
    b = [25.1, 25.4, 25.2, 25.3, 25.5, 25.6]

    def p(far: float) -> float:
        runs = {"a": [21.1, 21.4, 21.2, 21.3, 21.5, far], "b": b}
        found = bb.compare_runs(runs, statistic=statistic, test=test, n_resamples=500)
        return float(found["a", "b"].p_value)

    assert p(1e6) == p(1e12) == p(1e20)


@pytest.mark.parametrize("offset", [0.0, 2.0**20, 2.0**27, 2.0**30])
def test_a_shift_of_all_scores_changes_no_test_and_no_interval(offset: float) -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(-64, 64, 300) / 64
    b = a + rng.integers(-16, 19, 300) / 64
    asked: dict[str, Any] = {
        "clusters": rng.integers(0, 60, 300),
        "test": "bootstrap",
        "interval": "bca",
        "n_resamples": 2000,
    }
    plain = bb.compare({"a": a, "b": b}, **asked)["a", "b"]
    moved = bb.compare({"a": a + offset, "b": b + offset}, **asked)["a", "b"]
    assert moved.p_value == pytest.approx(plain.p_value, abs=0.015)
    assert moved.interval.low == pytest.approx(plain.interval.low, abs=0.006)
    assert moved.interval.high == pytest.approx(plain.interval.high, abs=0.006)


def test_a_difference_of_many_is_that_of_each() -> None:
    rng = np.random.default_rng(1)
    columns = np.round(rng.normal(size=(50_000, 2)), 2) + np.array([0.0, 1e-17])
    columns[::3, 1] = columns[::3, 0] * (1.0 + 4e-16)
    found = rounding.difference(columns[:, 0], columns[:, 1])
    few = [rounding.difference(part[:, 0], part[:, 1]) for part in np.array_split(columns, 20)]
    assert np.array_equal(found, np.concatenate(few))
    assert (found[::3] == 0.0).all()
    assert (found != 0.0).any()
