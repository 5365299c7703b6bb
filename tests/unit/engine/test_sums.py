"""Samples of functions of sums: the units that systems share, counted rows, and all systems together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from bestby import Evaluation, compare
from bestby.engine import prepare, sums
from bestby.engine.base import Drawing
from bestby.engine.statistics import Design, Rows, Statistics
from bestby.engine.sums import SumGroup, SumSample
from bestby.metrics.registry import resolve

N = 150
RNG = np.random.default_rng(151)
NAMES = "abcde"
GOLD = RNG.choice(list("pqr"), N)
LABELS = {
    name: np.where(RNG.random(N) < 0.3 + 0.02 * i, RNG.choice(list("pqr"), N), GOLD).astype(object)
    for i, name in enumerate(NAMES)
}
NUMBER = RNG.normal(size=N)
NUMBERS = {name: NUMBER + RNG.normal(0.05 * i, 0.8, N) for i, name in enumerate(NAMES)}
WORDS = RNG.choice(["the", "cat", "sat", "on", "a", "mat"], (N, 6))
TEXTS = {
    name: [" ".join(row) for row in np.where(RNG.random((N, 6)) < 0.3 + 0.03 * i, "dog", WORDS)]
    for i, name in enumerate(NAMES)
}


@dataclass(frozen=True)
class Data:
    """Systems, gold and a metric."""

    systems: dict[str, Any]
    gold: Any
    metric: Any

    def group(self, names: str = NAMES, **parts: Any) -> SumGroup:
        """Return the group of some systems."""
        chosen = Evaluation.of({name: self.systems[name] for name in names}, self.gold, **parts)
        (found,) = prepare.groups(chosen, [resolve(self.metric)])
        assert isinstance(found, SumGroup)
        return found

    def compare(self, names: str = NAMES, **asked: Any) -> Any:
        """Compare some systems."""
        asked = {"n_resamples": 199, "metric": self.metric, **asked}
        return compare({name: self.systems[name] for name in names}, self.gold, **asked)


KINDS = {
    "accuracy": Data(LABELS, GOLD, "accuracy"),
    "macro-F1": Data(LABELS, GOLD, "f1_macro"),
    "recall": Data(LABELS, GOLD, "recall[p]"),
    "mean": Data(NUMBERS, None, "mean"),
    "RMSE": Data(NUMBERS, NUMBER, "rmse"),
    "correlation": Data(NUMBERS, NUMBER, "pearson"),
    "texts": Data(TEXTS, [" ".join(row) for row in WORDS], "bleu"),
}
CLUSTERS = np.arange(N) // 4
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


# -- how units of several systems are counted ----------------------------------------------------------------


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("at_once", [True, False])
def test_differing_items_and_units_are_those_a_loop_counts(clusters: bool, at_once: bool) -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2 if at_once else 40, (3, 40, 2)).astype(float)
    rows[1, :10] = rows[0, :10]
    rows[2] = rows[0]
    of = np.arange(40) // 4
    design = Design(40, clusters=of if clusters else None)
    metric: Any = resolve("rmse")
    systems = [Statistics.of(metric, s, Rows(one), design) for s, one in enumerate(rows)]
    for a, b in ((0, 1), (1, 2), (0, 2)):
        items = sum(bool((x != y).any()) for x, y in zip(rows[a], rows[b], strict=True))
        units = items
        if clusters:
            units = sum(bool((rows[a, of == c].sum(0) != rows[b, of == c].sum(0)).any()) for c in range(10))
        assert SumSample.of([systems[a], systems[b]], design).differing == (items, units)


# -- all systems together ------------------------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("design", [{}, {"clusters": CLUSTERS}], ids=["plain", "clusters"])
def test_common_resamples_of_all_systems_vary_as_those_of_each_pair(
    kind: Data, design: dict[str, Any]
) -> None:
    group = kind.group(**design)
    drawn = group.bootstrap(Drawing(1999, 3))
    assert drawn.shape == (1999, len(NAMES))
    for a, b in ((0, 1), (4, 2)):
        of_pair = group.sample(a, b).bootstrap(Drawing(1999, 3))
        apart = [np.std(one[:, 0] - one[:, 1]) for one in (drawn[:, [a, b]], of_pair)]
        assert apart[0] == pytest.approx(apart[1], rel=0.1)


def test_very_many_items_vary_together_as_the_distinct_ones_do(monkeypatch: pytest.MonkeyPatch) -> None:
    group = KINDS["macro-F1"].group()
    distinct = group.spread
    assert distinct is not None
    monkeypatch.setattr(sums, "IN_ORDER_FROM", N - 1)
    monkeypatch.setattr(sums, "CHUNK", 1)  # more combinations of rows than can be counted
    monkeypatch.setattr(SumGroup, "together", property(lambda _: pytest.fail("equal items are sorted")))
    of_items = KINDS["macro-F1"].group().spread
    assert of_items is not None
    assert of_items.n_units == distinct.n_units
    assert of_items.noise == pytest.approx(distinct.noise, rel=1e-9)
    assert of_items.covariance == pytest.approx(distinct.covariance, rel=1e-9)
    assert of_items.of_scores == pytest.approx(distinct.of_scores, rel=1e-9)


# -- counted rows, and very many items -----------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("metric", ["mean", "rmse", "pearson"])
@pytest.mark.parametrize(("interval", "test"), [("auto", "auto"), ("normal", "wald"), ("abc", "hall")])
def test_very_many_items_say_the_same_in_another_order(metric: str, interval: str, test: str) -> None:
    """Above 65,536 items rows stay in the order in which they came."""
    n, rng = 70_000, np.random.default_rng(3)
    gold = rng.normal(size=n)
    systems = {name: gold + rng.standard_t(5, n) + shift for name, shift in (("a", 0.004), ("b", 0.0))}
    order = rng.permutation(n)
    one, other = (
        compare(
            {name: values[place] for name, values in systems.items()},
            None if metric == "mean" else gold[place],
            metric=metric,
            interval=interval,
            test=test,
        )["a", "b"]
        for place in (np.arange(n), order)
    )
    width = one.interval.high - one.interval.low
    assert one.estimate == pytest.approx(other.estimate, rel=1e-9, abs=1e-12)
    assert one.interval.low == pytest.approx(other.interval.low, abs=1e-7 * width)
    assert one.interval.high == pytest.approx(other.interval.high, abs=1e-7 * width)
    assert one.p_value == pytest.approx(
        other.p_value, rel=1e-5, abs=6.0 * (one.test.error + other.test.error)
    )
