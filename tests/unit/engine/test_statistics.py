"""The statistics of one system: distinct units, counted, in an order that the items leave no trace in."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from bestby import Evaluation, Metric
from bestby.engine import prepare
from bestby.engine import statistics as engine_statistics
from bestby.engine.statistics import Design, Rows, Statistics, _summed
from bestby.engine.sums import SumGroup
from bestby.metrics.registry import resolve

N = 120
RNG = np.random.default_rng(0)
SMALL = np.column_stack([RNG.integers(0, 3, N), RNG.integers(0, 2, N), np.ones(N)]).astype(float)
CLUSTERS = RNG.integers(0, 50, N)
CLUSTERS[:50] = np.arange(50)
DESIGNS = {
    "plain": Design(N),
    "strata": Design(N, strata=np.arange(N) % 3),
    "counts": Design(N, counts=1 + np.arange(N) % 4),
    "counts and strata": Design(N, counts=1 + np.arange(N) % 4, strata=np.arange(N) % 3),
    "clusters": Design(N, clusters=CLUSTERS),
    "clusters and strata": Design(N, strata=CLUSTERS % 3, clusters=CLUSTERS),
    "clusters summed before": Design(N, counts=1 + np.arange(N) % 4, sizes=1.0 + np.arange(N) % 2),
}
every_design = pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)


def of(rows: Any, design: Design) -> Statistics:
    """Return the statistics of a system; the metric has no say in them."""
    return Statistics.of(resolve("mean"), 0, Rows(np.asarray(rows, dtype=float)), design)  # type: ignore[arg-type]


def units_of(found: Statistics) -> Counter[tuple[float, ...]]:
    """Return how many units there are of each stratum, size and row."""
    bounds, counts = found.units.bounds, found.units.counts
    strata = np.repeat(np.arange(bounds.size - 1), np.diff(bounds))
    kinds = np.column_stack([strata, found.sizes, found.X]).tolist()
    return Counter({tuple(kind): count for kind, count in zip(kinds, counts.tolist(), strict=True)})


def same(one: Statistics, other: Statistics) -> bool:
    """Return whether all but the places of the units is the same to the bit."""
    pairs = [
        (one.X, other.X),
        (one.units.counts, other.units.counts),
        (one.units.bounds, other.units.bounds),
        (one.sizes, other.sizes),
    ]
    return all(np.array_equal(first, second) for first, second in pairs)


@every_design
def test_distinct_units_are_counted(design: Design) -> None:
    found = of(SMALL, design)
    expected: Counter[tuple[float, ...]] = Counter()
    stratum = np.zeros(N) if design.strata is None else design.strata
    if design.clusters is None:
        sizes = np.ones(N) if design.sizes is None else design.sizes
        for i, count in enumerate(design.item_counts.tolist()):
            expected[stratum[i], sizes[i], *SMALL[i]] += count
    else:
        for cluster in range(50):
            items = np.flatnonzero(design.clusters == cluster)
            expected[stratum[items[0]], items.size, *SMALL[items].sum(axis=0)] += 1
    assert units_of(found) == expected
    assert len(found.X) == len(expected)
    assert found.units.n == design.units.n == sum(expected.values())
    assert found.units.sizes.tolist() == design.units.sizes.tolist()
    assert (found.item_rows.each() == SMALL).all()  # of clusters, too
    assert found.total.tolist() == (design.item_counts @ SMALL).tolist()


@every_design
@pytest.mark.parametrize("real", [False, True])
def test_the_order_of_the_items_leaves_no_trace(design: Design, real: bool) -> None:
    rows = np.random.default_rng(3).normal(size=(N, 4)) if real and design.clusters is None else SMALL
    order = np.random.default_rng(1).permutation(N)
    parts = (design.counts, design.strata, design.clusters, design.sizes)
    moved = Design(N, *(None if part is None else part[order] for part in parts))
    one, other = of(rows, design), of(rows[order], moved)
    assert same(one, other)
    assert one.item_rows.each()[order].tolist() == other.item_rows.each().tolist()


LABELS = np.random.default_rng(5).integers(0, 4, (3, 400))


@pytest.mark.parametrize("stratified", [False, True])
def test_counted_rows_are_the_items_they_stand_for(stratified: bool) -> None:
    strata = np.arange(400) % 2 if stratified else np.zeros(400, dtype=np.int64)
    rows = Counter(zip(strata.tolist(), *LABELS.tolist(), strict=True))
    of_stratum, gold, *predicted = (np.array(column) for column in zip(*rows, strict=True))
    found = []
    for one, counts, parts in (
        (LABELS, None, strata),
        ((gold, *predicted), list(rows.values()), of_stratum),
    ):
        data = Evaluation.of(
            dict(zip("ab", one[1:], strict=True)), one[0], counts=counts, strata=parts if stratified else None
        )
        found.append(prepare.groups(data, [resolve("f1_macro")])[0].statistics)  # type: ignore[attr-defined]
    assert all(same(one, other) for one, other in zip(*found, strict=True))


class Reusing(Metric):
    """Fills the same array for every system."""

    name = "reusing"
    reads = "numbers"

    def __init__(self, n: int, k: int) -> None:
        self.memory = np.empty((k, n))

    def statistics(self, gold: np.ndarray, predictions: np.ndarray) -> np.ndarray:
        self.memory[:] = np.arange(len(self.memory))[:, None] + predictions - gold
        return self.memory.T

    def score(self, totals: np.ndarray) -> np.ndarray:
        return totals[..., 0]


@pytest.mark.parametrize(("n", "k"), [(50, 2), (100, 2000), (100_000, 2)])
def test_a_metric_may_use_its_memory_again(n: int, k: int) -> None:
    gold = np.linspace(0.0, 1.0, n)
    data = Evaluation.of({f"s{s}": gold + 0.25 * s for s in range(3)}, gold=gold)
    (group,) = prepare.groups(data, [Reusing(n, k)])
    for s in range(3):
        assert group.statistics[s].total == pytest.approx(n * (np.arange(k) + 0.25 * s))  # type: ignore[attr-defined]


# -- rows that look alike, and rows that are ---------------------------------------------------------------


def test_a_huge_column_does_not_make_other_rows_one() -> None:
    """In a sum of all columns, numbers 1e30 times as small are lost: rows are told apart by themselves."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([np.repeat([1e30, 0.0], 100), rng.normal(size=200), rng.integers(0, 2, 200)])
    order = rng.permutation(200)
    one, other = of(rows, Design(200)), of(rows[order], Design(200))
    assert one.units.n_rows == 200
    assert one.total[1] == pytest.approx(rows[:, 1].sum(), rel=1e-12)
    assert same(one, other)


def test_rows_that_a_huge_column_hides_are_counted_where_they_are_equal() -> None:
    rows = np.column_stack([np.full(4, 1e30), [2.0, 1.0, 2.0, 1.0]])
    order, fresh = engine_statistics.ordered(rows, [np.full(4, 1e30), np.array([0, 0, 0, 1])])
    assert order.tolist() == [1, 0, 2, 3]
    assert fresh.tolist() == [True, True, False, True]


# -- what the score makes of them --------------------------------------------------------------------------


def system(name: str, **groups: Any) -> Statistics:
    """Return the statistics of a system of real numbers, or of labels."""
    rng = np.random.default_rng(8)
    gold = rng.normal(size=90) if name in ("rmse", "pearson", "mse") else rng.integers(0, 3, 90)
    noisy = gold + rng.normal(size=90) if gold.dtype == float else np.where(rng.random(90) < 0.6, gold, 0)
    (group,) = prepare.groups(Evaluation.of({"a": noisy}, gold, **groups), [resolve(name)])
    assert isinstance(group, SumGroup)
    return group.statistics[0]


@pytest.mark.parametrize("name", ["rmse", "pearson", "f1_macro"])
def test_the_influence_of_items_adds_up_to_that_of_their_clusters(name: str) -> None:
    clusters = np.arange(90) // 10  # few, so that their names are in the order of their codes
    found = system(name, clusters=clusters)
    assert found.place is not None
    sums = np.bincount(clusters, found.item_influence)
    assert found.influence[found.place] == pytest.approx(sums, rel=1e-9, abs=1e-12)
    assert found.item_influence == pytest.approx(system(name).item_influence, rel=1e-9, abs=1e-12)


def test_units_of_a_mean_say_how_many_items_they_hold_if_all_hold_as_many() -> None:
    assert system("mse").items_of_each == 1.0
    assert system("mse", clusters=np.arange(90) // 3).items_of_each == 3.0
    assert system("mse", clusters=np.arange(90) // 4).items_of_each is None
    assert system("rmse").items_of_each is None


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
def test_sums_of_clusters_do_not_depend_on_the_order_of_the_items(scale: float) -> None:
    rng = np.random.default_rng(11)
    rows, clusters = rng.choice([0.1, 0.2, 0.3, 0.7], size=(400, 2)) * scale, rng.integers(0, 40, 400)
    first = _summed(Rows(rows), clusters, 40)
    for _ in range(20):
        order = rng.permutation(400)
        assert (_summed(Rows(rows[order]), clusters[order], 40) == first).all()
    exact = [[math.fsum(column) for column in rows[clusters == c].T] for c in range(40)]
    assert first.tolist() == exact


def test_sums_of_numbers_that_are_not_finite() -> None:
    rows = np.array([[np.inf, 1.0], [2.0, np.nan], [3.0, 4.0]])
    assert _summed(Rows(rows), np.array([0, 0, 1]), 2) == pytest.approx(
        np.array([[np.inf, np.nan], [3.0, 4.0]]), nan_ok=True
    )
