"""The best of several systems: the set of those that may be it, and its score without luck."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, t, ttest_1samp

from bestby._core.typing import FloatArray
from bestby.inference import best
from bestby.inference.best import MOST_SPLITS, Optimism, _parts, optimism
from bestby.inference.multiplicity import Joint, Spread


def of_means(values: FloatArray, **settings: object) -> Optimism | None:
    scores = values.mean(axis=0)
    return optimism(scores, (values - scores) / len(values), **settings)  # type: ignore[arg-type]


def by_splitting(values: FloatArray, rng: np.random.Generator, n_splits: int) -> float:
    """Return the mean score of winners on the part that did not choose them, by plain loops."""
    found = []
    for _ in range(n_splits):
        for part in np.array_split(rng.permutation(len(values)), 3):
            others = np.delete(values, part, axis=0).mean(axis=0)
            first = np.flatnonzero(np.isclose(others, others.max(), atol=1e-12))
            found.append(values[part][:, first].mean())
    return float(np.mean(found))


@pytest.mark.parametrize(("n", "k"), [(60, 2), (60, 20), (61, 5), (6, 3)])
def test_it_is_what_plain_loops_find(n: int, k: int) -> None:
    rng = np.random.default_rng(n + k)
    for values in (rng.normal(size=(n, k)), rng.integers(0, 2, (n, k)).astype(float)):
        found = of_means(values)
        assert found is not None
        plain = by_splitting(values, rng, 1000)
        assert found.corrected == pytest.approx(min(plain, values.mean(axis=0).max()), abs=0.06 / n**0.5 * 3)
        assert found.best == values.mean(axis=0).argmax()
        assert found.n_splits == MOST_SPLITS


def test_fifty_coins_are_no_better_than_one() -> None:
    rng = np.random.default_rng(5)
    raw, corrected = [], []
    for seed in range(60):
        values = rng.integers(0, 2, (200, 50)).astype(float)
        found = of_means(values, seed=seed, n_splits=40)
        assert found is not None
        raw.append(values.mean(axis=0).max() - 0.5)
        corrected.append(found.corrected - 0.5)
    assert np.mean(raw) > 0.07
    error = np.std(corrected) / np.sqrt(60)
    assert abs(np.mean(corrected)) < 4.0 * error  # false alarm: 1 in 16,000
    assert error < 0.006


def test_a_score_of_which_less_is_better_is_corrected_upwards() -> None:
    values = np.random.default_rng(8).normal(size=(80, 12))
    up, down = of_means(values), of_means(-values, greater_is_better=False)
    assert up is not None
    assert down is not None
    assert (down.corrected, down.optimism, down.best) == (-up.corrected, up.optimism, up.best)
    assert down.corrected > -values.mean(axis=0).max()


@pytest.mark.parametrize("unit", [1e-12, 1e12])
def test_other_units_give_the_same_in_these_units(unit: float) -> None:
    values = np.random.default_rng(9).normal(size=(80, 12))
    plain, scaled = of_means(values), of_means(unit * values)
    assert plain is not None
    assert scaled is not None
    assert scaled.corrected == pytest.approx(unit * plain.corrected, rel=1e-5)


def test_counted_units_are_the_units_one_by_one() -> None:
    rng = np.random.default_rng(10)
    rows, counts = rng.integers(0, 2, (30, 6)).astype(float), rng.integers(1, 9, 30)
    each = np.repeat(rows, counts, axis=0)
    scores = each.mean(axis=0)
    counted = optimism(scores, (rows - scores) / counts.sum(), counts)
    single = of_means(each)
    assert counted is not None
    assert single is not None
    assert counted.corrected == pytest.approx(single.corrected, abs=1e-6)


def test_clusters_are_kept_together() -> None:
    rng = np.random.default_rng(11)
    of_clusters = rng.normal(size=(20, 40))
    values = np.repeat(of_clusters, 10, axis=0)
    whole, itemwise = of_means(of_clusters), of_means(values)
    assert whole is not None
    assert itemwise is not None
    assert whole.optimism > 2.0 * itemwise.optimism


def test_every_part_has_its_share_of_each_stratum() -> None:
    counts, bounds = np.array([3, 1, 2, 9, 1, 4, 10]), np.array([0, 3, 5, 7])
    for n_parts in (2, 3):
        for parts in _parts(counts, bounds, n_parts, 20, seed=1):
            assert parts.shape == (20 * n_parts, 7)
            assert (parts.reshape(20, n_parts, 7).sum(axis=1) == counts).all()
            for start, stop in ((0, 3), (3, 5), (5, 7)):
                own = parts[:, start:stop].sum(axis=1)
                assert np.abs(own - counts[start:stop].sum() / n_parts).max() < 2.0
            assert np.ptp(parts.sum(axis=1)) <= 1.0


def test_strata_take_no_part_in_the_luck() -> None:
    rng = np.random.default_rng(12)
    strata = np.repeat(np.arange(4), 30)
    effect = rng.normal(size=(4, 20))[strata]
    effect -= effect.mean(axis=0)
    values = 10.0 * effect + rng.normal(size=(120, 20))
    stratified, plain = of_means(values, bounds=np.array([0, 30, 60, 90, 120])), of_means(values)
    assert stratified is not None
    assert plain is not None
    assert stratified.optimism < 0.5 * plain.optimism


def test_the_seed_alone_decides() -> None:
    values = np.random.default_rng(13).normal(size=(80, 12))
    assert of_means(values, seed=3) == of_means(values, seed=3)
    assert of_means(values, seed=3) != of_means(values, seed=4)


@pytest.mark.parametrize("shape", [(5, 10), (100, 1)])
def test_few_units_or_one_system_say_nothing(shape: tuple[int, int]) -> None:
    assert of_means(np.random.default_rng(14).normal(size=shape)) is None


def test_what_is_undefined_says_nothing() -> None:
    values = np.random.default_rng(15).normal(size=(50, 3))
    assert optimism(np.array([0.1, np.nan, 0.2]), values) is None
    assert optimism(np.zeros(3), np.where(values > 2.0, np.inf, values)) is None


def test_scores_without_any_spread_have_no_optimism() -> None:
    assert optimism(np.array([0.1, 0.3]), np.zeros((10, 2))) == Optimism(1, 0.3, 0.0, 0)


def spread_of(values: FloatArray) -> Spread:
    """Return how the means of items (n, S) vary together."""
    n = len(values)
    influence = (values - values.mean(axis=0)) / n
    found = Spread.from_influence(influence, np.ones(n), np.ones(n, dtype=np.int64), np.array([0, n]))
    assert found is not None
    return found


def of_items(values: FloatArray, alpha: float = 0.05, sign: float = 1.0) -> best.SetOfBest:
    return best.by_t(sign * values.mean(axis=0), spread_of(values), len(values) - 1.0, alpha, 0)


def answers(n: int, right: FloatArray, seed: int = 0) -> FloatArray:
    return (np.random.default_rng(seed).random((n, right.size)) < right).astype(float)


@pytest.mark.parametrize("seed", range(6))
def test_of_two_systems_it_is_a_one_sided_test(seed: int) -> None:
    values = np.random.default_rng(seed).normal([0.0, 0.3], size=(60, 2))
    d = values[:, 1] - values[:, 0]
    p = ttest_1samp(d, 0.0, alternative="greater").pvalue
    for alpha in (0.9 * p, 1.1 * p):
        assert bool(of_items(values, alpha).kept[0]) == (p >= alpha)
    assert of_items(values).kept[values.mean(axis=0).argmax()]


def test_scores_shifted_and_in_other_units_have_the_same_set() -> None:
    values = answers(300, np.linspace(0.7, 0.8, 6))
    found, moved = of_items(values), of_items(100.0 * values + 7.0)
    np.testing.assert_array_equal(found.kept, moved.kept)
    np.testing.assert_allclose(100.0 * found.behind, moved.behind, rtol=1e-6)
    # Errors instead of right answers, of which fewer are better
    np.testing.assert_allclose(of_items(1.0 - values, sign=-1.0).behind, found.behind, rtol=1e-6)


@pytest.mark.parametrize("k", [3, 12, 30])
def test_it_lies_within_the_systems_that_all_pairs_leave_first(k: int) -> None:
    values = answers(400, np.linspace(0.7, 0.8, k), seed=k)
    spread, scores = spread_of(values), values.mean(axis=0)
    a, b = np.triu_indices(k, 1)
    d, error = scores[a] - scores[b], np.sqrt(spread.variances(a, b))
    adjusted = Joint.of(spread, a, b, 0).adjusted(2.0 * t.sf(np.abs(d / error), 399))
    beaten = set(np.where(d < 0.0, a, b)[adjusted <= 0.05].tolist())
    kept = set(np.flatnonzero(of_items(values).kept).tolist())
    assert kept <= set(range(k)) - beaten
    assert len(kept) < k - len(beaten) or k == 3


def test_it_keeps_the_best_and_bounds_how_far_all_are_behind() -> None:
    true = np.r_[0.8, 0.8, np.linspace(0.79, 0.65, 8)]
    sets = [of_items(answers(200, true, seed)) for seed in range(80)]
    assert np.mean([one.kept[0] for one in sets]) > 0.87  # false alarm: 1 in 1,000 at 0.95
    assert np.mean([(true.max() - true <= one.behind + 1e-12).all() for one in sets]) > 0.87


def test_the_points_of_equal_systems_come_from_few_units_by_bonferroni() -> None:
    few = spread_of(np.random.default_rng(1).normal(size=(14, 5)))
    np.testing.assert_allclose(best.points(few, 5, 0.05, 0), norm.isf(0.05 / 4))
    assert best.leader_point(few, 5, 0.05, 0) == pytest.approx(norm.isf(0.05 / 5))
    many = spread_of(np.random.default_rng(1).normal(size=(15, 5)))
    assert (best.points(many, 5, 0.05, 0) < norm.isf(0.05 / 4)).all()


def test_a_copy_takes_no_place_among_the_others() -> None:
    values = answers(200, np.linspace(0.7, 0.8, 4))
    doubled = np.column_stack([values, values[:, 3]])
    at = best.points(spread_of(doubled), 5, 0.05, 0)
    np.testing.assert_allclose(at[3:], best.points(spread_of(values), 4, 0.05, 0)[3], atol=0.04)
    found = of_items(doubled)
    assert found.kept[3] == found.kept[4]
    assert found.behind[3] == pytest.approx(found.behind[4])


def test_pairs_that_are_not_compared_leave_open_how_far_they_are_behind() -> None:
    differences = np.array([[0.0, 1.0, 5.0], [-1.0, 0.0, np.nan], [-5.0, np.nan, 0.0]])
    errors = np.where(np.isnan(differences), np.nan, 1.0)
    evidence, at = best.evidence_by_t(differences, errors, 50.0), np.full(3, 2.0)
    kept = best.kept(evidence, at)
    assert kept.tolist() == [True, True, False]
    found = best.set_of_best(kept, best.upper_by_t(differences, errors, 50.0, at))
    assert found.behind[0] == pytest.approx(-1.0 + t.isf(norm.sf(2.0), 50))
    assert np.isnan(found.behind[2])


def test_each_candidate_may_have_a_covariance_of_its_own() -> None:
    values = answers(500, np.linspace(0.7, 0.8, 5))
    spread = spread_of(values)
    together = best.points(spread, 5, 0.05, 0)
    for candidate in range(5):
        minus = np.delete(np.eye(5), candidate, axis=0) - np.eye(5)[candidate]
        of_differences = minus @ spread.covariance @ minus.T
        sd = np.sqrt(of_differences.diagonal())
        drawn = np.random.default_rng(candidate).multivariate_normal(np.zeros(4), of_differences, 50_000) / sd
        assert np.quantile(drawn.max(axis=1), 0.95) == pytest.approx(together[candidate], abs=0.05)
