"""Very many swaps without a draw for each unit: beside exact tests, integrals, and draws of all signs."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from calibration.dominating_points import DATA, halves_and_difference, importance_sampled, tilt_towards
from scipy.integrate import quad
from scipy.special import ndtr

import bestby as bb
from bestby import compare
from bestby._core.typing import FloatArray
from bestby.inference import dominating_point, permutation
from bestby.inference.dominating_point import swapped_sums, swapped_weights
from bestby.inference.permutation import SADDLEPOINT, exact_mean
from bestby.results.values import TestResult

N = 21_000
ONES = np.ones(N, dtype=np.int64)


def halves(seed: int = 0) -> FloatArray:
    return np.random.default_rng(seed).standard_t(6, (N, 2)) * [1.0, 1000.0]


@pytest.mark.parametrize("out", [0.1, 1.0, 3.0, 6.0, 12.0])
@pytest.mark.parametrize("bend", ["line", "root"])
def test_a_function_of_one_combination_has_the_p_value_of_its_mean(out: float, bend: str) -> None:
    """However steep the difference is, its level sets are flat."""
    rows = halves()
    both = rows @ [1.0, -0.002]
    far = out * math.sqrt(float(both @ both))

    def difference(shift: FloatArray) -> FloatArray:
        x = shift @ [1.0, -0.002] / far
        return x if bend == "line" else np.asarray(np.cbrt(np.sinh(3.0 * x)))

    observed = float(difference(far * np.array([[1.0, 0.0]]))[0])
    exact = exact_mean(both, ONES, "two-sided", 1.0, total=far)
    found = swapped_sums(rows, difference, observed, 1000, 0)
    assert exact is not None
    assert found is not None
    assert (found.method, found.exact, found.n_resamples) == ("saddlepoint", False, 0)
    assert found.p_value == pytest.approx(exact.p_value, rel=1e-3)
    assert found.error == pytest.approx(0.02 * found.p_value)
    assert swapped_sums(rows, lambda s: -difference(s), -observed, 1, 1).p_value == pytest.approx(  # type: ignore[union-attr]
        found.p_value, rel=1e-9
    )


def curved(rows: FloatArray, bend: float) -> Callable[[FloatArray], FloatArray]:
    sd = np.sqrt((rows**2).sum(axis=0))

    def difference(shift: FloatArray) -> FloatArray:
        z = shift / sd
        return np.asarray(z[:, 0] * (1.0 + bend * z[:, 1] ** 2))

    return difference


@pytest.mark.parametrize(("bend", "out"), [(0.003, 2.0), (0.003, 3.5), (-0.003, 3.5), (0.0005, 8.0)])
def test_level_sets_that_bend(bend: float, out: float) -> None:
    """So many units add up to a normal vector, over which the tail is an integral."""
    rows = np.random.default_rng(1).uniform(-1.0, 1.0, (100_000, 2))
    expected, _ = quad(
        lambda z: 2.0 * ndtr(-out / (1.0 + bend * z * z)) * math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi),
        -8.0, 8.0,
    )  # fmt: skip
    flat = 2.0 * ndtr(-out)
    found = swapped_sums(rows, curved(rows, bend), out, 1000, 0)
    assert found is not None
    assert found.method == "saddlepoint"
    assert found.p_value == pytest.approx(expected, rel=0.01)
    assert abs(flat / expected - 1.0) > 0.01


@pytest.mark.parametrize("out", [2.5, 4.2])
def test_swaps_are_drawn_where_the_difference_bends_too_much(out: float) -> None:
    rows = np.random.default_rng(1).uniform(-1.0, 1.0, (30_000, 2))
    expected, _ = quad(
        lambda z: 2.0 * ndtr(-out / (1.0 + 0.01 * z * z)) * math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi),
        -8.0, 8.0,
    )  # fmt: skip
    found = swapped_sums(rows, curved(rows, 0.01), out, 10_000, 0)
    assert found is not None
    assert found.method == ("monte carlo" if out < 3.0 else "importance sampling")
    # Four standard errors.
    assert found.p_value == pytest.approx(expected, abs=4.0 * found.error)


def test_kinks_are_drawn() -> None:
    """A second derivative by small steps sees nothing of a kink nearby."""
    rows = np.random.default_rng(1).uniform(-1.0, 1.0, (30_000, 2))
    sd = np.sqrt((rows**2).sum(axis=0))

    def difference(shift: FloatArray) -> FloatArray:
        z = shift / sd
        return np.asarray(z[:, 0] * (1.0 + 0.5 * np.abs(np.abs(z[:, 1]) - 0.1)))

    found = swapped_sums(rows, difference, 2.0, 1000, 0)
    assert found is not None
    assert found.method == "monte carlo"


@pytest.mark.parametrize("case", ["few differ", "few kinds", "nearly dependent"])
def test_all_signs_are_drawn(case: str) -> None:
    rng = np.random.default_rng(0)
    rows = halves()
    if case == "few differ":
        rows[400:] = 0.0
    if case == "few kinds":
        rows = rng.integers(-3, 4, (N, 2)).astype(np.float64)
    if case == "nearly dependent":
        rows[:, 1] = rows[:, 0] + 1e-9 * rows[:, 1]
    assert swapped_sums(rows, lambda s: s[:, 0], 1.0, 100, 0) is None


@pytest.mark.parametrize(
    ("name", "out", "method"),
    [
        ("normal", 4.0, "saddlepoint"),
        ("B on 1/30 of the scale", 3.0, "saddlepoint"),
        ("unequal clusters", 3.0, "saddlepoint"),
        ("ratio, Pareto 1.5", 4.0, "saddlepoint"),
        ("t, 3 degrees of freedom", 3.0, "importance sampling"),
        ("20 heavy items", 1.5, "monte carlo"),
    ],
)
def test_nasty_data_as_by_signs_of_all_units(name: str, out: float, method: str) -> None:
    rows, difference = halves_and_difference(DATA[name](np.random.default_rng(0), 20_500))
    rng = np.random.default_rng(1)
    some = difference(np.where(rng.random((200, len(rows))) < 0.5, 1.0, -1.0) @ rows)
    observed = 0.5 * out * float(np.diff(np.quantile(some, (0.16, 0.84)))[0])
    found = swapped_sums(rows, difference, observed, 10_000, 0)
    tilt = tilt_towards(rows, difference, observed)
    assert found is not None
    assert tilt is not None
    assert found.method == method
    mirrored = swapped_sums(-rows, difference, -observed, 10_000, 0)
    assert mirrored is not None
    assert (mirrored.p_value, mirrored.method) == (found.p_value, method)
    p, error = importance_sampled(rows, difference, observed, tilt, 1000)
    # Four standard errors of both.
    assert found.p_value == pytest.approx(p, abs=4.0 * math.hypot(error, found.error))


def test_compare_tests_many_items_by_the_formula() -> None:
    """Neither the seed nor other systems nor the number of resamples change the p-value."""
    rng = np.random.default_rng(0)
    gold = rng.normal(size=N)
    systems = {name: gold + s * rng.normal(size=N) for name, s in zip("abc", (0.6, 0.605, 0.61), strict=True)}
    how = {"metric": "pearson", "interval": None}
    every = bb.compare(systems, gold, **how)["a", "b"]
    pair = bb.compare({name: systems[name] for name in "ab"}, gold, **how, rng=1, n_resamples=99)["a", "b"]
    assert every.test.method == pair.test.method == "saddlepoint"
    assert every.p_value == pytest.approx(pair.p_value, rel=1e-6)
    assert not every.exact
    alone = bb.compare({name: systems[name] for name in "ab"}, gold, **how)
    assert "(saddlepoint, error about 2 % of p)" in " ".join(str(alone).split())
    assert "Robinson" in alone.methods()
    assert bb.load(alone.to_json()) == alone
    standardised = bb.compare(systems, gold, **how, test="permutation-standardised")["a", "b"].test
    assert (standardised.name, standardised.method) == ("permutation-standardised", "saddlepoint")
    assert standardised.p_value == pytest.approx(every.p_value, rel=0.05)
    one_sided = bb.compare(
        {name: systems[name] for name in "ab"}, gold, **how, alternative="greater", n_resamples=200
    )["a", "b"].test
    assert one_sided.method == "monte carlo"


def outcome(metric: str, alternative: str = "two-sided", n_clusters: int = 0, n: int = 900) -> TestResult:
    rng = np.random.default_rng(3)
    signal = rng.normal(size=n)
    gold = (signal > 0.3).astype(int) if metric == "average_precision" else np.round(signal)
    systems = {
        "a": np.round(signal + rng.normal(size=n), 1),
        "b": np.round(signal + 1.15 * rng.normal(size=n), 1),
    }
    clusters = np.arange(n) % n_clusters if n_clusters else None
    result = compare(
        systems, gold, metric=metric, alternative=alternative, clusters=clusters, n_resamples=20_000
    )
    test = result.differences[0].test
    assert test is not None
    return test


@pytest.mark.long
@pytest.mark.parametrize("n_clusters", [0, 600])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("metric", ["average_precision", "kendall", "spearman"])
def test_p_values_are_those_of_draws(
    metric: str, alternative: str, n_clusters: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within four standard errors of the draws and 2 % of p."""
    found = outcome(metric, alternative, n_clusters)
    monkeypatch.setattr(dominating_point, "FEWEST_WEIGHTED", math.inf)
    drawn = outcome(metric, alternative, n_clusters)
    assert (found.method, drawn.method) == (SADDLEPOINT, "monte carlo")
    assert (found.exact, found.n_resamples) == (False, 0)
    assert found.error == pytest.approx(0.02 * found.p_value)
    assert found.statistic == drawn.statistic
    assert abs(found.p_value - drawn.p_value) < 4.0 * drawn.error + 0.02 * drawn.p_value


def sum_of(effects: np.ndarray, signs: np.ndarray, bend: float = 0.0) -> float:
    part = float(effects @ signs)
    return 2.0 * part + bend * part**3


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_a_sum_has_its_exact_test(alternative: str) -> None:
    effects = np.random.default_rng(0).normal(size=700) / 700
    ones = np.ones(700, dtype=np.int64)
    for observed in (0.11, -0.11, 0.0, 0.4):
        found = swapped_weights(effects, lambda signs: sum_of(effects, signs), observed, alternative)
        expected = permutation.exact_mean(effects, ones, alternative, 1.0, total=observed / 2.0)
        assert found is not None
        assert expected is not None
        assert found.p_value == pytest.approx(expected.p_value, rel=1e-5)
        assert found.statistic == observed


def test_the_place_in_the_sum_follows_the_bend() -> None:
    """A rising function of the sum has the tail of the sum."""
    effects = np.random.default_rng(0).normal(size=700) / 700
    plain = swapped_weights(effects, lambda signs: sum_of(effects, signs), 0.2, "two-sided")
    bent = swapped_weights(
        effects,
        lambda signs: sum_of(effects, signs, 50.0),
        sum_of(np.ones(1), np.array([0.1]), 50.0),
        "two-sided",
    )
    assert plain is not None
    assert bent is not None
    assert bent.p_value == pytest.approx(plain.p_value, rel=0.02)


def test_few_units_unequal_ones_and_what_no_swap_reaches_are_left_to_draws() -> None:
    effects = np.random.default_rng(0).normal(size=700)
    assert (
        swapped_weights(effects[:499], lambda signs: sum_of(effects[:499], signs), 1.0, "two-sided") is None
    )
    unequal = effects.copy()
    unequal[:20] *= 100.0
    assert swapped_weights(unequal, lambda signs: sum_of(unequal, signs), 1.0, "two-sided") is None
    beyond = 2.1 * float(np.abs(effects).sum())
    assert swapped_weights(effects, lambda signs: sum_of(effects, signs), beyond, "two-sided") is None
    assert swapped_weights(np.zeros(700), lambda _: 0.0, 0.0, "two-sided") is None
