"""The best of many systems: chosen by two parts of the units, scored on the third."""

from __future__ import annotations

import numpy as np
import pytest

from bestby._core.typing import FloatArray
from bestby.boards.winner import MOST_SPLITS, Optimism, _parts, optimism


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


def test_who_is_far_ahead_keeps_the_score() -> None:
    rng = np.random.default_rng(6)
    values = (rng.random((500, 10)) < np.r_[0.95, np.full(9, 0.5)]).astype(float)
    found = of_means(values)
    assert found is not None
    assert (found.best, found.optimism) == (0, pytest.approx(0.0, abs=1e-6))
    assert found.corrected == pytest.approx(values[:, 0].mean(), abs=1e-6)


def test_copies_are_not_chosen_from() -> None:
    values = np.repeat(np.random.default_rng(7).integers(0, 2, (100, 1)), 30, axis=1).astype(float)
    found = of_means(values)
    assert found is not None
    assert found.optimism == pytest.approx(0.0, abs=1e-6)


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
