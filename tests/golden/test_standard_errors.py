"""The standard error of a pair against formulas worked by hand, on every path, and in every output."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pandas as pd
import pytest

from bestby import compare, compare_datasets, compare_folds, compare_preferences, compare_runs
from bestby.report.comparison import Difference

RNG = np.random.default_rng(5)
GOLD = RNG.integers(0, 2, 120)
LABELS = {name: np.where(RNG.random(120) < 0.75, GOLD, 1 - GOLD) for name in "abcdef"}
TWO = {name: LABELS[name] for name in "ab"}
RIGHT = {name: (values == GOLD).astype(float) for name, values in LABELS.items()}
SCORES = {name: RNG.normal(size=50) for name in "ab"}


def of(d: Difference) -> tuple[float | None, str | None]:
    return d.standard_error, d.standard_error_method


def on_paper(differences: np.ndarray) -> float:
    return float(differences.std(ddof=1) / math.sqrt(differences.size))


def test_of_a_mean_it_is_sd_over_root_n() -> None:
    result = compare(SCORES)
    expected = on_paper(SCORES["a"] - SCORES["b"])
    assert of(result["a", "b"]) == (pytest.approx(expected, rel=1e-12), "formula")
    assert of(result["b", "a"]) == of(result["a", "b"])
    score = result.score("a")
    assert score.standard_error == pytest.approx(on_paper(SCORES["a"]), rel=1e-12)


@pytest.mark.parametrize("n", [3, 40])
def test_of_a_constant_difference_it_is_0_not_what_rounding_leaves(n: int) -> None:
    b = np.random.default_rng(0).normal(size=n)
    clusters = np.arange(n) // 2 if n > 3 else None
    for systems in ({"a": b + 0.2, "b": b}, {"a": 1e6 * b + 0.2, "b": 1e6 * b}):
        assert compare(systems, clusters=clusters)["a", "b"].standard_error == 0.0
        assert compare(systems)["a", "b"].standard_error == 0.0
    assert compare({"a": 0.2 + 1e-6 * b, "b": np.zeros(n)})["a", "b"].standard_error > 0.0


@pytest.mark.parametrize("systems", [TWO, LABELS])  # of six systems, all pairs are counted at once
def test_of_right_and_wrong(systems: dict[str, np.ndarray]) -> None:
    found = compare(systems, GOLD)["a", "b"]
    assert of(found) == (pytest.approx(on_paper(RIGHT["a"] - RIGHT["b"]), rel=1e-12), "formula")
    assert found.standard_error == compare(TWO, GOLD)["a", "b"].standard_error


def test_of_equal_clusters_it_is_that_of_their_means() -> None:
    found = compare(TWO, GOLD, clusters=np.arange(120) // 6)["a", "b"]
    means = (RIGHT["a"] - RIGHT["b"]).reshape(20, 6).mean(axis=1)
    assert of(found) == (pytest.approx(on_paper(means), rel=1e-12), "cr2")


def test_of_unequal_clusters_it_is_cr2() -> None:
    """Bell and McCaffrey (2002): each squared sum of residuals over 1 - h, h its share of the items."""
    sizes = np.array([60, 30, 15, 10, 5])
    cluster = np.repeat(np.arange(5), sizes)
    d = RIGHT["a"] - RIGHT["b"]
    sums = np.bincount(cluster, weights=d - d.mean()) / d.size
    expected = math.sqrt((sums**2 / (1.0 - sizes / sizes.sum())).sum())
    found = compare(TWO, GOLD, clusters=cluster)["a", "b"]
    assert of(found) == (pytest.approx(expected, rel=1e-12), "cr2")
    assert of(compare(SCORES, clusters=[np.arange(50) // 5, np.arange(50) % 5])["a", "b"])[1] == "two-way"


def test_of_f1_it_is_the_delta_method() -> None:
    """F1 = 2 T / (P + G): the influence of an item is (2 t - F1 (p + g)) / (P + G)."""
    found = compare(TWO, GOLD, metric="f1[1]")["a", "b"]

    def influence(predicted: np.ndarray) -> np.ndarray:
        total = predicted.sum() + GOLD.sum()
        f1 = 2 * (predicted * GOLD).sum() / total
        return (2 * predicted * GOLD - f1 * (predicted + GOLD)) / total

    gap = influence(LABELS["a"]) - influence(LABELS["b"])
    expected = gap.std(ddof=1) * math.sqrt(gap.size)
    assert of(found) == (pytest.approx(expected, rel=1e-6), "formula")


def test_without_a_formula_it_is_that_of_the_replicates() -> None:
    values = {name: RNG.normal(size=120) + GOLD for name in "ab"}
    found = compare(values, GOLD, metric="roc_auc", interval="percentile", n_resamples=400)["a", "b"]
    assert found.standard_error_method == "bootstrap"
    assert found.interval is not None
    width = (found.interval.high - found.interval.low) / (2 * 1.96)
    assert found.standard_error == pytest.approx(width, rel=0.15)


def test_of_runs() -> None:
    runs = {"a": RNG.normal(size=6), "b": RNG.normal(size=9)}
    result = compare_runs(runs)
    expected = math.hypot(*(on_paper(x) for x in runs.values()))
    assert of(result["a", "b"]) == (pytest.approx(expected, rel=1e-12), "formula")
    assert result.systems[0].standard_error == pytest.approx(on_paper(runs[result.systems[0].system]))
    medians = compare_runs(runs, statistic="median", n_resamples=99)["a", "b"]
    assert medians.standard_error_method == "formula"
    on_items = {name: [RIGHT[name], RIGHT[other]] for name, other in zip("ab", "cd", strict=True)}
    crossed = compare_runs(on_items, metric="mean", n_resamples=99)
    pair = next(v for v in crossed.variances if v.b is not None)
    assert of(crossed[pair.a, str(pair.b)]) == (pytest.approx(pair.standard_error()), "crossed")


def test_of_datasets() -> None:
    table = {f"data {i}": {name: float(x[i]) for name, x in SCORES.items()} for i in range(50)}
    result = compare_datasets(table)
    expected = on_paper(SCORES["a"] - SCORES["b"])
    assert of(result["a", "b"]) == (pytest.approx(expected, rel=1e-12), "formula")
    assert result.overall[0].standard_error == result.differences[0].standard_error
    assert result.to_dict()["differences"][0]["standard_error"] == result.differences[0].standard_error


@pytest.mark.parametrize(
    ("shape", "ratio", "test", "method"),
    [
        ((1, 10), None, "auto", "corrected-t"),
        ((5, 2), None, "auto", "corrected-t"),
        ((5, 2), None, "5x2cv-f", "corrected-t"),  # has no interval of its own
        ((10, 1), 0.25, "auto", "conservative-t"),
        ((4, 5), None, "auto", "conservative-t"),
    ],
)
def test_of_folds(shape: tuple[int, int], ratio: float | None, test: str, method: str) -> None:
    """sqrt((1 / J + ratio) s^2); of random splits (2 ratio / (1 + ratio^2)) s^2, or between the two."""
    folds = {name: RNG.normal(0.7, 0.02, shape) for name in "ab"}
    found = compare_folds(folds, ratio=ratio, test=test)["b", "a"]
    d = folds["a"] - folds["b"]
    q = 1.0 / (shape[1] - 1) if ratio is None else ratio
    nadeau, pairs = 1.0 / d.size + q, 2.0 * q / (1.0 + q * q)
    k, share = shape[1], 1.0
    if shape == (4, 5):
        least = 2.0 * (k - 1) / (k * (k - 2)) * d.var(axis=1, ddof=1).mean()
        share = min(k * d.mean(axis=1).var(ddof=1) / least, 1.0)
    factor = nadeau if method == "corrected-t" else nadeau + share * (pairs - nadeau)
    assert of(found) == (pytest.approx(math.sqrt(factor * d.var(ddof=1)), rel=1e-12), method)
    assert found.interval is not None
    assert found.interval.method == method
    if found.test.name == method:
        assert found.test.statistic == pytest.approx(found.estimate / found.standard_error)


def test_of_folds_in_every_output() -> None:
    result = compare_folds({"a": [0.75, 0.71, 0.74], "b": [0.74, 0.69, 0.75]})
    d = result.differences[0]
    error = math.sqrt((1 / 3 + 1 / 2) * np.var([0.01, 0.02, -0.01], ddof=1))
    assert of(d) == (pytest.approx(error), "corrected-t")
    assert json.loads(result.to_json())["differences"][0]["standard_error"] == d.standard_error
    (row,) = csv.DictReader(io.StringIO(result.to_csv()))
    assert (float(row["standard_error"]), row["standard_error_method"]) == of(d)
    assert str(d).endswith("(of the corrected resampled t-test).")
    level = compare_folds({"a": [0.7, 0.8, 0.9], "b": [0.7, 0.8, 0.9]}).differences[0]
    assert of(level) == (0.0, "corrected-t")


def test_of_preferences() -> None:
    """The log odds of 30 wins in 40: 1 / sqrt(40 * .75 * .25) over 1 - 1/40 (HC3), without order."""
    judged = [("new", "old", "new")] * 30 + [("old", "new", "old")] * 10
    found = compare_preferences(judged, order=False)["new", "old"]
    expected = 40 / 39 / math.sqrt(40 * 0.75 * 0.25)
    assert of(found) == (pytest.approx(expected, rel=1e-6), "sandwich")


def test_every_output_has_it() -> None:
    result = compare(SCORES)
    d = result.differences[0]
    frame = result.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert (frame.standard_error[0], frame.standard_error_method[0]) == of(d)
    (row,) = csv.DictReader(io.StringIO(result.to_csv()))
    assert (float(row["standard_error"]), row["standard_error_method"]) == of(d)
    document = json.loads(result.to_json())
    assert document["differences"][0]["standard_error"] == d.standard_error
    assert document["systems"][0]["standard_error"] == result.systems[0].standard_error
    assert f"Standard error of the difference: {d.standard_error:.3g} (by formula)." in str(d)
    assert "tandard error" not in str(result)  # the table of a terminal has no room for it
