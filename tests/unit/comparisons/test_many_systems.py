"""Comparisons of many systems: the same numbers as pair by pair."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import numpy as np
import pytest
from tests.unit.comparisons.many import N_ITEMS, N_SYSTEMS, right

from bestby import Evaluation, Resampling, compare, load
from bestby.comparisons import many_systems, one_metric
from bestby.report.pairs import Differences, Pairs, differences_on

pytestmark = pytest.mark.long


def predictions(n_systems: int = N_SYSTEMS) -> tuple[dict[str, list[str]], list[str]]:
    """Return predictions and a gold of which the systems of `right` are right."""
    gold = [("cat", "dog", "owl")[i % 3] for i in range(N_ITEMS)]
    wrong = {"cat": "dog", "dog": "owl", "owl": "cat"}
    return {
        name: [label if hit else wrong[label] for label, hit in zip(gold, hits, strict=True)]
        for name, hits in right(n_systems).items()
    }, gold


KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "one-sided": {"alternative": "greater"},
    "better": {"alternative": "better", "level": 0.9},
    "baseline": {"baseline": "s10"},
    "mcnemar": {"test": "mcnemar"},
    "mid-p": {"test": "mcnemar-midp", "correction": "bh", "alternative": "less"},
    "margin": {"margin": 0.05},
    "auto": {"test": "auto", "interval": "tango", "correction": "none"},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gold", [False, True])
def test_the_numbers_are_those_of_pair_by_pair(
    kind: str, gold: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = dict(KINDS[kind])
    systems: Any = right(24)  # of 64, one pair at a time takes seconds
    if gold:
        systems, asked["gold"] = predictions(24)
    monkeypatch.setattr(one_metric, "MOST_HELD", 10)
    monkeypatch.setattr(many_systems, "FEW_PAIRS", 10)
    together = compare(systems, **asked)
    monkeypatch.setattr(many_systems, "FEW_PAIRS", 10**9)
    alone = compare(systems, **asked)
    assert isinstance(together.differences, Differences)
    assert isinstance(alone.differences, tuple)
    assert tuple(together.differences) == alone.differences
    assert together.systems == alone.systems
    assert together.omnibus == alone.omnibus
    assert together.notes == alone.notes
    assert together.provenance == alone.provenance


@pytest.mark.parametrize(
    "asked",
    [
        {"clusters": np.arange(N_ITEMS) // 3},
        {"strata": np.arange(N_ITEMS) % 2},
        {"interval": "normal"},
        {"test": "sign"},
        {"resampling": Resampling(resample_size=0.5), "n_resamples": 50},
    ],
    ids=["clusters", "strata", "interval", "test", "resample_size"],
)
def test_what_counts_do_not_tell_is_computed_pair_by_pair(
    asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many_systems, "FEW_PAIRS", 2)
    monkeypatch.setattr(one_metric, "MOST_HELD", 1)
    systems = dict(list(right().items())[:4])
    assert isinstance(compare(systems, **asked).differences, tuple)
    assert isinstance(compare(systems).differences, Differences)


def test_scores_other_than_0_and_1_are_computed_pair_by_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_systems, "FEW_PAIRS", 2)
    monkeypatch.setattr(one_metric, "MOST_HELD", 1)
    systems = dict(list(right().items())[:4])
    assert isinstance(compare(systems | {"half": np.full(N_ITEMS, 0.5)}).differences, tuple)


def test_several_metrics_share_one_sequence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_metric, "MOST_HELD", 10)
    monkeypatch.setattr(many_systems, "FEW_PAIRS", 2)
    systems, gold = predictions()
    few = {name: systems[name] for name in ("s00", "s20", "s40", "s50", "s59", "copy")}
    result = compare(few, gold=gold, metric=["f1_macro", "accuracy"], n_resamples=200)
    assert [d.metric for d in result] == ["f1_macro"] * 15 + ["accuracy"] * 15
    assert result.differences[20] == compare(few, gold=gold).differences[5]
    assert result["s00", "s59", "f1_macro"].metric == "f1_macro"
    assert result["s59", "s00", "accuracy"] == compare(few, gold=gold)["s59", "s00"]
    assert isinstance(differences_on(result.differences, "accuracy"), Pairs)
    assert len(differences_on(result.differences, "f1_macro")) == 15
    assert len(result.to_frame()) == len(result.to_csv().splitlines()) - 1 == 30
    assert json.loads(result.to_json()) == result.to_dict()


def test_more_items_than_32_bits_count_are_compared_pair_by_pair() -> None:
    """Tables that are counted have no limit; the keys of all pairs at once would overflow."""
    rows = {f"s{i}": [1.0 if j == i else 0.0 for j in range(7)] + [1.0] for i in range(6)}
    counts = np.array([10**9 + i * 10**5 for i in range(7)] + [4 * 10**9])
    found = compare(Evaluation.of(rows, counts=counts), metric="mean")
    n = int(counts.sum())
    for d in found.differences:
        gap = float(counts[int(d.a[1])] - counts[int(d.b[1])])
        differing = float(counts[int(d.a[1])] + counts[int(d.b[1])])
        assert d.estimate == pytest.approx(gap / n)
        assert d.p_value == pytest.approx(math.erfc((abs(gap) - 1) / math.sqrt(2 * differing)), rel=1e-5)
        half = 1.959964 * math.sqrt(differing) / n
        assert (d.interval.low, d.interval.high) == pytest.approx((gap / n - half, gap / n + half), rel=1e-3)


SIMULTANEOUS: dict[str, dict[str, Any]] = {
    "two-sided": {},
    "margin": {"margin": 0.02},
    "better": {"alternative": "better"},
    "less": {"alternative": "less", "margin": 0.05},
    "baseline": {"baseline": "s05"},
    "without a test": {"test": None},
    "half": {"level": 0.5, "margin": 0.05},
}


@pytest.mark.parametrize("arguments", SIMULTANEOUS.values(), ids=SIMULTANEOUS)
def test_simultaneous_intervals_of_many_are_those_pair_by_pair(
    arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = {name: right()[name] for name in ("s05", "s09", "s20", "s50", "copy", "near", "always", "never")}
    more = {f"t{i}": np.roll(scores["s20"], i) for i in range(4)}
    one_by_one = compare(scores | more, correction="simultaneous", **arguments)
    monkeypatch.setattr(many_systems, "ALONE", 0)
    at_once = compare(scores | more, correction="simultaneous", **arguments)
    assert at_once.systems == one_by_one.systems
    assert at_once.notes == one_by_one.notes
    for found, known in zip(at_once.differences, one_by_one.differences, strict=True):
        # The p-value at which an interval ends at 0 is sought there, to ten digits of the normal quantile.
        assert found.p_adjusted == (
            None if known.p_adjusted is None else pytest.approx(known.p_adjusted, 1e-6)
        )
        assert dataclasses.replace(found, p_adjusted=known.p_adjusted) == known


def test_of_many_with_simultaneous_intervals_columns_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_metric, "MOST_HELD", 100)
    result = compare(right(), correction="simultaneous")
    assert len(result.differences) == 2016
    assert isinstance(result.differences, Differences)
    first = result.differences[0]
    assert first.interval is not None
    assert first.interval.method == "max-t"
    assert result.correction == "max-t"
    assert load(json.loads(json.dumps(result.to_dict()))) == result
