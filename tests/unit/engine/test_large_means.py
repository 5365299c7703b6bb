"""Means of very many items by their values are those of a table of distinct rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby._core.typing import FloatArray
from bestby.engine import large_means, prepare
from bestby.engine.large_means import LargeMeans
from bestby.engine.sums import TableGroup
from bestby.inference import lattice, series
from bestby.inference.lattice import rising
from bestby.metrics.registry import resolve

N = 3000

Switch = Callable[[bool], None]


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> Switch:
    """Take sorted values for data of any size, or for none."""

    def switch(on: bool) -> None:
        monkeypatch.setattr(prepare, "LARGE", 1 if on else 1 << 60)

    return switch


def scores(kind: str) -> dict[str, FloatArray]:
    rng = np.random.default_rng(3)
    a, b, c = rng.normal(size=(3, N)) + np.array([[0.1], [0.0], [0.05]])
    made = {
        "real": (a, b, c),
        "rounded": tuple(np.round(x, 1) for x in (a, b, c)),
        "binary": tuple((x > 0.0).astype(float) for x in (a, b, c)),
        "heavy": tuple(rng.standard_cauchy((3, N))),
        "far": (a + 1.0, b, c),
        "copies": (a, a.copy(), c),
        "few differ": (a, np.where(np.arange(N) < 30, b, a), c),
    }
    return dict(zip("abc", made[kind], strict=True))


def numbers(result: bb.Comparison) -> Any:
    found = json.loads(result.to_json())
    return {key: found[key] for key in ("systems", "differences", "omnibus", "notes")}


def assert_near(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_near(one[key], other[key])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for x, y in zip(one, other, strict=True):
            assert_near(x, y)
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=1e-8, abs=1e-12)
    else:
        assert one == other


@pytest.mark.parametrize("kind", ["real", "rounded", "binary", "heavy", "far", "copies", "few differ"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"systems": ["a", "b"]},
        {"interval": "normal", "test": "paired-t"},
        {"interval": "studentized", "test": "bootstrap"},
        {"interval": "percentile", "resample_size": 0.5, "test": "sign"},
        {"interval": "cr2", "test": "wald"},
        {"simultaneous": True, "margin": 0.01},
        {"alternative": "greater", "test": "auto"},
        {"test": "wilcoxon", "correction": "step-down"},
    ],
    ids=str,
)
def test_all_that_a_comparison_says_is_the_same(large: Switch, kind: str, settings: dict[str, Any]) -> None:
    found = []
    for on in (True, False):
        large(on)
        try:
            found.append(numbers(bb.compare(scores(kind), n_resamples=100, **settings)))
        except bb.BestbyError as error:
            found.append(str(error))
    assert_near(*found)


def test_the_order_of_items_and_other_systems_change_no_bit(large: Switch) -> None:
    large(True)
    data = scores("real")
    order = np.random.default_rng(0).permutation(N)
    shuffled = {name: values[order] for name, values in data.items()}
    result = bb.compare(data)
    assert numbers(bb.compare(shuffled)) == numbers(result)
    alone = bb.compare({name: data[name] for name in ("a", "b")})["a", "b"]
    cell = result["a", "b"]
    assert (alone.estimate, alone.interval, alone.p_value) == (
        cell.estimate,
        cell.interval,
        cell.test.p_value,
    )


def test_the_table_is_made_when_it_is_asked_for(large: Switch) -> None:
    large(True)
    evaluation = bb.Evaluation.of(scores("real"))
    ((group, _),) = prepare.groups(evaluation, [resolve("mean")])
    assert isinstance(group, LargeMeans)
    assert "table" not in vars(group)
    large(False)
    ((other, _),) = prepare.groups(evaluation, [resolve("mean")])
    assert isinstance(other, TableGroup)
    assert group.units.n_rows == other.units.n_rows == N
    assert np.array_equal(group.table.X, other.table.X)


@pytest.mark.parametrize("kind", ["real", "rounded", "heavy", "few differ"])
def test_numbers_of_a_system_that_are_not_in_order(
    large: Switch, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(lattice, "MANY", 1 << 11)
    monkeypatch.setattr(lattice, "MOST_VALUES", 1 << 9)
    monkeypatch.setattr(lattice, "_SAMPLE", 1 << 10)
    monkeypatch.setattr(series, "SERIES_FROM", 1 << 11)
    data = scores(kind)
    large(False)
    expected = numbers(bb.compare(data, n_resamples=100))
    large(True)
    ((group, _),) = prepare.groups(bb.Evaluation.of(data), [resolve("mean")])
    own = group.contributions(0, 0)
    assert own is not None
    assert rising(own.values) == (kind == "rounded")
    result = numbers(bb.compare(data, n_resamples=100))
    assert_near(result, expected)
    order = np.random.default_rng(1).permutation(N)
    assert_near(numbers(bb.compare({name: v[order] for name, v in data.items()}, n_resamples=100)), result)


@pytest.mark.parametrize(
    "groups", [{"clusters": np.arange(N) // 3}, {"strata": np.arange(N) % 2}, {"blocks": 10}], ids=str
)
def test_grouped_items_have_a_table(large: Switch, groups: dict[str, Any]) -> None:
    found = []
    for on in (True, False):
        large(on)
        found.append(numbers(bb.compare(scores("real"), n_resamples=100, **groups)))
    assert found[0] == found[1]


def test_numbers_that_are_not_finite_are_refused_with_the_system(large: Switch) -> None:
    class Odd(bb.MeanMetric):
        name = "odd"

        def values(self, gold: Any, predictions: Any) -> FloatArray:
            return np.log(predictions - gold)

    large(True)
    data = scores("real")
    with (
        np.errstate(invalid="ignore"),
        pytest.raises(bb.InvalidInputError, match="not finite for system 'a'"),
    ):
        bb.compare(data, gold=np.zeros(N), metric=Odd())


def test_texts_are_counted_once_and_kept(large: Switch, tmp_path: Path) -> None:
    gold = [f"the {word} word" for word in ("first", "second", "third", "fourth")]
    systems = {"a": gold, "b": [text.replace("word", "one") for text in gold]}
    large(True)
    found = numbers(bb.compare(systems, gold=gold, metric="chrf_segment_mean", cache=tmp_path))
    assert any(path.is_file() for path in tmp_path.rglob("*"))
    large(False)
    assert found == numbers(bb.compare(systems, gold=gold, metric="chrf_segment_mean"))


def test_few_differences_are_kept_and_every_system(large: Switch, monkeypatch: pytest.MonkeyPatch) -> None:
    large(True)
    evaluation = bb.Evaluation.of(scores("real"))
    ((group, _),) = prepare.groups(evaluation, [resolve("mean")])
    monkeypatch.setattr(large_means, "MOST_HELD", 2 * N)
    pairs = [(0, 1), (0, 2), (1, 2), (1, 0)]
    alone = [group.contributions(0, system) for system in range(3)]
    first = [group.contributions(0, *pair) for pair in pairs]
    assert all(group.contributions(0, system) is one for system, one in enumerate(alone))
    again = [group.contributions(0, *pair) for pair in reversed(pairs)][::-1]
    assert [one is other for one, other in zip(first, again, strict=True)] == [False, False, True, True]
    assert all((one.values == other.values).all() for one, other in zip(first, again, strict=True))


@pytest.mark.parametrize("n_systems", [2, 3, 6])
def test_a_comparison_of_real_scores_makes_no_table(
    large: Switch, monkeypatch: pytest.MonkeyPatch, n_systems: int
) -> None:
    rng = np.random.default_rng(n_systems)
    data = {f"s{i}": rng.normal(size=N) for i in range(n_systems)}
    large(False)
    expected = numbers(bb.compare(data))
    large(True)

    def refused(*_: Any) -> None:
        pytest.fail("a table was made")

    monkeypatch.setattr(prepare.table, "build", refused)
    assert_near(numbers(bb.compare(data)), expected)


def test_runs_of_answers_are_joined_item_by_item(large: Switch) -> None:
    rng = np.random.default_rng(5)
    runs = {
        name: [(rng.random(N) < p).astype(float) for _ in range(3)] for name, p in (("a", 0.9), ("b", 0.8))
    }
    found = []
    for on in (True, False):
        large(on)
        found.append(json.loads(bb.compare_runs(runs, n_resamples=50).to_json())["differences"])
    assert_near(*found)
