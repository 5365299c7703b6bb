"""Scores of many systems and pairs at once are those of each by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby import Metric, compare
from bestby.engine import stacked, table
from bestby.engine.base import Drawing
from bestby.engine.permutations import Permutations
from bestby.engine.sums import SumGroup, TableGroup
from bestby.metrics import resolve
from bestby.resampling import totals

N, SYSTEMS = 60, 5


class Spread(Metric):
    """Variance of the errors over that of the gold, with as many spare columns as the class is told."""

    name = "spread"
    bounds = (0.0, np.inf)

    def statistics(self, gold: Any, predictions: Any) -> Any:
        error = predictions - gold
        spare = [np.arange(gold.size) * (1.0 + i) for i in range(round(float(predictions[0])) % 3)]
        return np.column_stack([np.ones(gold.size), error, error**2, gold**2, *spare])

    def score(self, totals: Any) -> Any:
        n, first, second, gold = (totals[..., i] for i in range(4))
        return (second - first**2 / n) / gold


def numbers(seed: int = 3) -> tuple[np.ndarray, list[np.ndarray]]:
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=N)
    systems = [gold + rng.normal(size=N) for _ in range(SYSTEMS)]
    for i, system in enumerate(systems):
        system[0] = float(i)  # decides how many spare columns `Spread` has
    return gold, systems


def group(*, clusters: bool = False, metrics: tuple[Metric, ...] | None = None) -> SumGroup:
    gold, systems = numbers()
    fitted = metrics or tuple(resolve(name).fit(gold, systems, None) for name in ("rmse", "pearson", "mae"))
    statistics = [[metric.statistics(gold, system) for system in systems] for metric in fitted]
    of = np.arange(N) // 4 if clusters else None
    return TableGroup(fitted, table.build(statistics, np.ones(N, dtype=np.int64), None, of))


def one_by_one(made: SumGroup, rows: np.ndarray) -> np.ndarray:
    return np.array(
        [
            [
                [float(metric.score(row[used])) for used in made.table.columns[m]]
                for m, metric in enumerate(made.metrics)
            ]
            for row in rows
        ]
    )


@pytest.mark.parametrize("at_once", [1, 50, 1 << 17])
def test_scores_of_all_systems_are_those_of_each(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(stacked, "STACKED", at_once)
    made = group()
    rows = made.table.total() * np.linspace(0.5, 1.5, 7)[:, None]
    found = stacked.scored(made.metrics, made.table, rows)
    assert found.shape == (7, 3, SYSTEMS)
    np.testing.assert_allclose(found, one_by_one(made, rows), rtol=1e-13)
    np.testing.assert_array_equal(stacked.scored(made.metrics, made.table, rows[2]), found[2])


def test_systems_may_have_statistics_of_different_width() -> None:
    made = group(metrics=(Spread(),))
    assert {used.size for used in made.table.columns[0]} == {4, 5, 6}
    rows = made.table.total() * np.ones((3, 1))
    np.testing.assert_allclose(
        stacked.scored(made.metrics, made.table, rows), one_by_one(made, rows), rtol=1e-13
    )
    pairs = [(0, 0, 3), (0, 1, 4)]  # the pairs that are as wide as each other
    together = made.permutation(pairs, "two-sided", Drawing(199, 0))
    alone = [made.permutation([pair], "two-sided", Drawing(199, 0))[pair] for pair in pairs]
    assert [together[pair].p_value for pair in pairs] == [test.p_value for test in alone]


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_pairs_tested_together_are_those_tested_alone(clusters: bool, alternative: Any) -> None:
    made = group(clusters=clusters)
    pairs = [(m, a, b) for m in (0, 1) for a in range(SYSTEMS) for b in range(SYSTEMS) if a != b]
    together = made.sampled_permutation(pairs, alternative, Drawing(299, 1))
    assert list(together) == pairs
    for pair in pairs:
        alone = made.sampled_permutation([pair], alternative, Drawing(299, 1))[pair]
        assert together[pair].p_value == alone.p_value
        assert together[pair].statistic == pytest.approx(alone.statistic, rel=1e-14)
    assert len({test.p_value for test in together.values()}) > 5


def test_how_many_numbers_are_handed_over_at_once_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, systems = numbers()
    named = {f"s{i}": system for i, system in enumerate(systems)}

    def run(n_jobs: int = 1) -> Any:
        settings: dict[str, Any] = {"metric": ["rmse", "pearson"], "n_resamples": 500, "n_jobs": n_jobs}
        return compare(named, gold, **settings).differences

    expected = run()
    assert run(n_jobs=2) == expected
    for at_once in (1, 700):
        monkeypatch.setattr(stacked, "STACKED", at_once)
        for found, difference in zip(run(), expected, strict=True):
            assert found.test == difference.test
            assert found.interval.low == pytest.approx(difference.interval.low, rel=1e-12)
            assert found.interval.high == pytest.approx(difference.interval.high, rel=1e-12)


def test_what_a_swap_changes_is_found_once_per_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    plain = Permutations._kinds

    def counted(self: Permutations, pair: Any) -> Any:
        asked.append(pair)
        return plain(self, pair)

    monkeypatch.setattr(Permutations, "_kinds", counted)
    group().permutation([(1, 0, 2)], "two-sided", Drawing(99, 0))
    assert asked == [(0, 0, 1)]  # in a table of these two systems, with the numbers as given


@pytest.mark.parametrize("clusters", [False, True])
def test_differing_items_and_units_are_those_a_loop_counts(clusters: bool) -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2, (3, 40, 2)).astype(float)
    rows[1, :10] = rows[0, :10]
    rows[2] = rows[0]
    of = np.arange(40) // 4
    made = table.build([list(rows)], np.ones(40, dtype=np.int64), None, of if clusters else None)
    for a, b in ((0, 1), (1, 2), (0, 2)):
        items = sum(
            any(x != y for x, y in zip(*pair, strict=True)) for pair in zip(rows[a], rows[b], strict=True)
        )
        units = items
        if clusters:
            units = sum(bool((rows[a, of == c].sum(0) != rows[b, of == c].sum(0)).any()) for c in range(10))
        assert made.differing(made.columns[0][a], made.columns[0][b]) == (items, units)


@pytest.mark.parametrize("at_once", [1, 1 << 16])
def test_rows_gathered_whole_have_the_sums_of_their_columns(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(totals, "GATHERED", at_once)
    rng = np.random.default_rng(2)
    drawn = rng.integers(0, 50, (33, 12))
    whole = rng.integers(-9, 9, (50, 6)).astype(float)
    np.testing.assert_array_equal(totals._row_sums(whole, drawn), whole[drawn].sum(axis=1))
    np.testing.assert_array_equal(totals._column_sums(whole, drawn), whole[drawn].sum(axis=1))
    real = rng.normal(size=(50, 6))
    np.testing.assert_allclose(
        totals._row_sums(real, drawn), totals._column_sums(real, drawn), rtol=1e-12, atol=1e-14
    )
