"""Small p-values from tilted draws: against enumeration, exact tails, and where the tilt fails."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bestby import Metric, compare
from bestby._core.typing import Alternative, FloatArray
from bestby.inference import permutation, tilting
from bestby.inference.tilting import Swaps, drawn
from bestby.results.values import TestResult

Score = Callable[[FloatArray], FloatArray]

SEED = 0


def plain(statistic: float, hits: int = 0, alternative: Alternative = "two-sided") -> TestResult:
    p = (1 + hits) / 10_001
    return TestResult("permutation", p, alternative, False, "monte carlo", 0.0, 10_000, statistic)


def one_by_one(difference: Score, n: int) -> Swaps:
    """Return swaps of n single units, all with a plus sign in the data."""
    ones = np.ones(n, dtype=np.int64)
    flipped = 1.0 - 2.0 * np.eye(n)
    changes = difference(np.ones((1, n))) - difference(flipped)
    return Swaps(ones, ones, changes, difference)


@pytest.mark.parametrize("seed", range(4))
def test_a_ratio_of_sums_as_by_enumeration(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """More units could not be enumerated; the effects of these are not far apart."""
    monkeypatch.setattr(tilting, "LEAST_EFFECTIVE", 0.0)
    rng = np.random.default_rng(seed)
    a, b, size = rng.gamma(2.0, size=14) + 1.2, rng.gamma(2.0, size=14), rng.gamma(3.0, size=14)

    def difference(signs: FloatArray) -> FloatArray:
        of_a = signs @ ((a - b) / 2) + (a + b).sum() / 2
        of_b = (a + b).sum() - of_a
        return np.sqrt(of_a / size.sum()) - np.sqrt(of_b / size.sum())

    every = difference(np.array(list(itertools.product([1.0, -1.0], repeat=14))))
    observed = float(difference(np.ones((1, 14)))[0])
    p = float((np.abs(every) >= abs(observed) - 1e-12).mean())
    found = tilting.refined(plain(observed), one_by_one(difference, 14), 1e-12, seed)
    assert found.method == "importance sampling"
    assert found.p_value == pytest.approx(p, rel=max(4.0 * found.error / found.p_value, 0.02))
    assert not found.exact


@pytest.mark.parametrize("z", [5.0, 6.5, 9.0, 14.0])
def test_means_far_out_as_by_convolution(z: float) -> None:
    """Whole numbers have an exact tail, here down to 1e-46."""
    rng = np.random.default_rng(3)
    d = rng.integers(1, 9, 300) * np.where(rng.random(300) < 0.5, 1, -1)
    for i in np.flatnonzero(d < 0):
        if d.sum() >= z * math.sqrt(d @ d):
            break
        d[i] = -d[i]
    values, counts = np.unique(d.astype(float), return_counts=True)
    exact = permutation.exact_mean(values, counts, "two-sided", 1.0)
    assert exact is not None
    assert exact.method == "convolution"
    found = tilting.refined_mean(plain(float(d.sum())), d.astype(float), 1.0, 0)
    assert found.p_value == pytest.approx(exact.p_value, rel=4.0 * tilting.RELATIVE_ERROR)
    assert abs(math.log(found.p_value / exact.p_value)) <= 4.0 * found.error / found.p_value
    assert 0.0 < found.error <= tilting.RELATIVE_ERROR * found.p_value
    assert 10_000 < found.n_resamples <= 10_000 + tilting.MOST_DRAWS


def test_kinds_with_several_units_are_the_same_as_units_one_by_one() -> None:
    sizes, counts = np.array([1.0, 2.5]), np.array([40, 15])
    own = np.array([32, 11])
    swaps = Swaps(counts, own, 2.0 * sizes, lambda sums: sums[:, 0], sizes[:, None])
    observed = float(own @ sizes)
    found = tilting.refined(plain(observed), swaps, 1e-9, 0)
    values = np.concatenate([sizes, -sizes])
    exact = permutation.exact_mean(
        values, np.concatenate([(counts + own) // 2, (counts - own) // 2]), "two-sided", 1.0
    )
    assert exact is not None
    assert abs(found.p_value - exact.p_value) <= 4.0 * found.error


def test_where_the_difference_bends_the_draws_go_where_most_of_the_tail_is() -> None:
    """Most arrangements as far out as these data have half as much of each of two kinds as they of one."""
    counts, own = np.array([300, 300]), np.array([160, 0])

    def difference(signs: FloatArray) -> FloatArray:
        return np.asarray(np.arctan(signs / 196.0).sum(axis=1))

    def changes_at(signs: FloatArray) -> FloatArray:
        return np.asarray(np.arctan((signs + 1.0) / 196.0) - np.arctan((signs - 1.0) / 196.0))

    observed = float(difference(own[None, :].astype(float))[0])
    delta = 2.0 * np.eye(2)
    exact = permutation.exact_enumeration(delta, counts, own, difference, observed, "two-sided", 1e-12)
    assert exact is not None
    changes = changes_at(own.astype(float))
    for seed in range(3):
        swaps = Swaps(counts, own, changes, difference, np.eye(2), changes_at)
        found = tilting.refined(plain(observed), swaps, 1e-12, seed)
        assert found.method == "importance sampling"
        assert abs(found.p_value - exact.p_value) <= 4.0 * found.error


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_p_is_half_and_mirrored(alternative: Alternative) -> None:
    rng = np.random.default_rng(0)
    d = rng.normal(1.0, 1.0, 60) * (1.0 if alternative == "greater" else -1.0)
    both = tilting.refined_mean(plain(float(d.sum())), d, 1.0, 0)
    one = tilting.refined_mean(plain(float(d.sum()), alternative=alternative), d, 1.0, 0)
    assert one.p_value == pytest.approx(0.5 * both.p_value, rel=1e-12)
    assert tilting.refined_mean(plain(-float(d.sum())), -d, 1.0, 0).p_value == both.p_value


def test_a_median_which_the_effects_do_not_describe_keeps_its_draws() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(1.0, 1.0, 101), rng.normal(0.0, 1.0, 101)

    def difference(signs: FloatArray) -> FloatArray:
        of_a = np.median(np.where(signs > 0, a, b), axis=1)
        return np.asarray(of_a - np.median(np.where(signs > 0, b, a), axis=1))

    before = plain(float(difference(np.ones((1, 101)))[0]))
    assert tilting.refined(before, one_by_one(difference, 101), 1e-12, 0) is before


def test_more_hits_than_the_tilted_p_explains_keep_the_draws() -> None:
    d = np.random.default_rng(0).normal(1.0, 1.0, 60)
    before = plain(float(d.sum()), hits=5)
    assert tilting.refined_mean(before, d, 1.0, 0) is before


def test_no_tilt_against_the_direction_of_the_alternative() -> None:
    d = np.random.default_rng(0).normal(1.0, 1.0, 60)
    before = plain(float(d.sum()), alternative="less")
    assert tilting.refined_mean(before, d, 1.0, 0) is before


def test_ten_hits_are_enough() -> None:
    d = np.random.default_rng(0).normal(1.0, 1.0, 60)
    before = plain(float(d.sum()), hits=tilting.FEW_HITS)
    assert not tilting.few_hits(before)
    assert tilting.refined_mean(before, d, 1.0, 0) is before


def test_one_way_gives_all_signs_and_no_less() -> None:
    d = np.random.default_rng(0).gamma(2.0, size=40)
    p = tilting.refined_mean(plain(float(d.sum())), d, 1.0, 0).p_value
    assert p == pytest.approx(2.0 * 0.5**40, rel=0.01)
    assert tilting.refined_mean(plain(3e3), np.ones(3000), 1.0, 0).p_value > 0.0


def test_the_least_p_behind_a_few_hits() -> None:
    assert tilting.least_p(plain(1.0)) == 0.0
    assert 0.0 < tilting.least_p(plain(1.0, hits=3)) < 4 / 10_001
    assert tilting.least_p(plain(1.0, hits=50)) == 51 / 10_001


def test_systems_on_scales_too_far_apart_for_a_tilt_get_more_draws() -> None:
    """66 pairs times 1 / (1 + 499) is above 0.05; times 1 / (1 + 4990) it is not."""
    rng = np.random.default_rng(0)
    gold = rng.normal(size=150)
    systems = {f"s{i}": gold + rng.normal(size=150) * (3.0 if i == 11 else 0.5) for i in range(12)}
    behind = compare(systems, gold, metric="pearson", n_resamples=499, interval="percentile")["s0", "s11"]
    assert (behind.test.method, behind.test.n_resamples) == ("monte carlo", 4990)
    assert behind.p_value == pytest.approx(1 / 4991)
    assert behind.p_adjusted < 0.05


@pytest.mark.parametrize(("seed", "n_resamples"), [(58, 10_000), (10492, 1000), (12122, 1000)])
def test_an_outlier_in_a_correlation_gets_no_tilted_p(seed: int, n_resamples: int) -> None:
    """Tilted draws gave a p-value 20 to 340 times too small: they never had the outlier on the other side."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([21, 25, 30, 40]))
    gold = rng.normal(size=n)
    systems = {"a": gold + rng.normal(size=n) * 0.2, "b": rng.normal(size=n)}
    systems["b"][0] += 4.0
    test = compare(systems, gold, metric="pearson", interval="normal", n_resamples=n_resamples)["a", "b"].test
    assert test.method == "monte carlo"
    assert test.p_value >= 1.0 / (1 + 10 * n_resamples)


def test_weights_whose_squares_are_too_large_for_a_float_tell_nothing() -> None:
    """All draws are hits, some of which count e^400: far more than the tilt explains."""
    n = np.array([10_000_000])
    swaps = Swaps(n, n // 20, np.ones(1), lambda sums: np.ones(len(sums)), np.ones((1, 1)))
    before = plain(1.0)
    assert tilting.refined(before, swaps, 0.0, 0, linear=True) is before


class RelativeError(Metric):
    """The absolute errors over the sizes of the predictions: two sums, both of which swaps change."""

    name = "relative_error"
    greater_is_better = False

    def statistics(self, gold: Any, predictions: Any) -> Any:
        return np.column_stack([np.abs(predictions - gold), 10.0 + np.abs(predictions)])

    def score(self, totals: Any) -> Any:
        return totals[..., 0] / totals[..., 1]


def test_few_resamples_do_not_make_a_tilt_less_careful() -> None:
    rng = np.random.default_rng(3)
    gold = rng.normal(size=300)
    systems = {name: gold + rng.uniform(-x, x, size=300) for name, x in (("a", 1.0), ("b", 1.5))}
    p, tests = {}, {}
    for size in (2, 2000):
        tests[size] = compare(systems, gold, metric=RelativeError(), interval="normal", n_resamples=size)[
            "a", "b"
        ].test
        p[size] = tests[size].p_value
    assert {test.method for test in tests.values()} == {"importance sampling"}
    assert abs(math.log(p[2] / p[2000])) < 1.0
    assert tests[2].n_resamples >= 252


@pytest.mark.parametrize("metric", ["f1_macro", "spearman"])
def test_a_system_far_behind_is_told_apart_in_a_large_family(metric: str) -> None:
    """66 pairs times 1 / (1 + 499) is above 0.05: draws alone could reject nothing."""
    rng = np.random.default_rng(0)
    if metric == "f1_macro":
        gold = rng.integers(0, 6, 150)
        systems = {
            f"s{i}": np.where(rng.random(150) < (0.9 if i == 11 else 0.2), rng.integers(0, 6, 150), gold)
            for i in range(12)
        }
    else:
        gold = rng.normal(size=150)
        loud = [3.0 if i == 11 else 0.5 for i in range(12)]
        systems = {f"s{i}": np.round(gold + rng.normal(size=150) * loud[i], 1) for i in range(12)}
    result = compare(systems, gold, metric=metric, n_resamples=499, interval="percentile")
    behind = result["s0", "s11"]
    assert behind.test.method == "importance sampling"
    assert behind.p_adjusted < 1e-4
    alone = compare({k: systems[k] for k in ("s0", "s11")}, gold, metric=metric, n_resamples=499,
                    interval="percentile")  # fmt: skip
    assert alone["s0", "s11"].p_value == pytest.approx(behind.p_value, rel=1e-9)
    assert "few_resamples" not in {note.code for note in result.notes}


def far_swaps(scale: float) -> tuple[Swaps, float]:
    """Return 200 kinds of units and a ratio of sums that depends on them, the data being `scale` far out."""
    rng = np.random.default_rng(2)
    counts = rng.integers(1, 4, 200)
    own = np.where(rng.random(200) < 0.5 + 0.5 * scale, counts, -counts)
    shifts = rng.gamma(4.0, 0.01, (200, 2)) * [1.0, 0.2]

    def difference(moved: FloatArray) -> FloatArray:
        return (60.0 + moved[:, 0]) / (90.0 + moved[:, 1]) - (60.0 - moved[:, 0]) / (90.0 - moved[:, 1])

    step = np.where(own < 0, -1.0, 1.0)
    flipped = np.broadcast_to(own, (200, 200)) - 2.0 * np.diag(step)
    data = difference(own[None, :] @ shifts)
    changes = step * (data - difference(flipped @ shifts))
    return Swaps(counts, own, changes, difference, shifts), float(data[0])


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_far_out_the_same_p_value_without_plain_draws(alternative: Alternative) -> None:
    swaps, observed = far_swaps(0.7)
    before = tilting.refined(plain(observed, alternative=alternative), swaps, 1e-12, 0)
    found = tilting.far(swaps, observed, alternative, 1e-12, SEED, 10_000)
    assert found is not None
    assert (found.method, found.p_value, found.error) == ("importance sampling", before.p_value, before.error)
    assert found.n_resamples == before.n_resamples - 10_000 > 0
    assert found.statistic == observed
    assert tilting.far(swaps, observed, "less", 1e-12, SEED, 10_000) is None


def test_less_than_one_expected_hit_needs_no_plain_draws() -> None:
    """Of 10,000 plain draws .3 would be hits, of 100,000 three."""
    swaps, observed = far_swaps(0.25)
    found = tilting.far(swaps, observed, "two-sided", 1e-12, SEED, 10_000)
    assert found is not None
    assert found.p_value == tilting.refined(plain(observed), swaps, 1e-12, 0).p_value
    assert tilting.far(swaps, observed, "two-sided", 1e-12, SEED, 100_000) is None


def test_plain_draws_are_made_where_they_may_be_hits() -> None:
    near, observed = far_swaps(0.1)
    assert tilting.far(near, observed, "two-sided", 1e-12, SEED, 10_000) is None
    swaps, observed = far_swaps(0.7)

    def sometimes(value: float) -> Score:
        return lambda sums: np.where(sums[:, 0] < 0.0, value, swaps.difference(sums))

    for value in (np.nan, 2.0 * observed):  # not near the data: undefined, or as extreme as they are
        other = dataclasses.replace(swaps, difference=sometimes(value))
        assert tilting.far(other, observed, "two-sided", 1e-12, SEED, 10_000) is None


@pytest.mark.parametrize("chance", [0.5, None])
@pytest.mark.parametrize("unit", [1.0, 0.3])
def test_sums_of_signs_have_the_moments_of_binomials(unit: float, chance: float | None) -> None:
    """Kinds of one, several and many units; a correct z is beyond 5 with a chance of 2e-5 in all 40."""
    counts = np.tile([1, 2, 7, 24, 128, 129, 150, 300], 5)
    chances = np.rint(np.linspace(0.02, 0.98, counts.size) * 2**16) / 2**16
    chances = chances if chance is None else np.full(counts.size, chance)
    along = np.random.default_rng(0).normal(size=counts.size)
    rows = unit * np.eye(counts.size)
    sums: list[FloatArray] = []

    def difference(of_batch: FloatArray) -> FloatArray:
        sums.append(of_batch)
        return of_batch[:, 0]

    swaps = Swaps(counts, counts, np.ones(counts.size), difference, rows)
    batches = [drawn(swaps, chances, along, 1, batch, 250) for batch in range(8)]
    signs = np.concatenate(sums) / unit
    assert np.concatenate([found for found, _ in batches]).tolist() == (np.concatenate(sums)[:, 0]).tolist()
    np.testing.assert_allclose(np.concatenate([part for _, part in batches]), signs @ along, atol=1e-7)
    np.testing.assert_allclose(signs, np.rint(signs), atol=1e-9)
    assert (np.abs(signs) <= counts + 1e-9).all()
    assert ((np.rint(signs).astype(int) - counts) % 2 == 0).all()
    variances = 4 * counts * chances * (1 - chances)
    z = (signs.mean(axis=0) - counts * (2 * chances - 1)) / np.sqrt(variances / len(signs))
    assert np.abs(z).max() < 5
    np.testing.assert_allclose(signs.var(axis=0), variances, rtol=0.5)
    assert np.abs(np.corrcoef(signs.T) - np.eye(counts.size)).max() < 0.15
