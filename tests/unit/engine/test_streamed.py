"""Items that come in batches: a batch may be empty, and what needs all items says so."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from tests.unit.item_keys import item_keys

from bestby import Metric, Reading, compare
from bestby.data.evaluation import Batch, Streamed
from bestby.errors import DesignError

N = 300
RNG = np.random.default_rng(0)
KEYS = item_keys([f"q{i}" for i in range(N)])
A, B = RNG.normal(size=(2, N))


def streamed(*ends: int, gold: Any = None, systems: Any = (A, B)) -> Streamed:
    """Return the items, divided where told."""
    edges = [0, *ends, N]

    def batches() -> Any:
        for start, stop in itertools.pairwise(edges):
            of = slice(start, stop)
            yield Batch(KEYS[of], None if gold is None else gold[of], [values[of] for values in systems])

    named = {name: values[:0] for name, values in zip("abc", systems, strict=False)}
    start = None if gold is None else gold[:0]
    return Streamed(systems=named, gold=start, batches=batches, n=N, digest="x")


def test_systems_keep_their_columns_in_any_order_and_number() -> None:
    data = streamed(150, systems=(A, B, A + 1.0))
    scores = {entry.system: entry.score for entry in compare(data, test=None, interval=None).systems}
    for names in (["b", "a"], ["c", "a"], ["c", "b", "a"]):
        found = compare(data, systems=names, test=None, interval=None).systems
        assert {entry.system: entry.score for entry in found} == {name: scores[name] for name in names}
    assert scores["c"] == pytest.approx(scores["a"] + 1.0)


@pytest.mark.parametrize("ends", [(0,), (100, 100), (N,)], ids=str)
def test_an_empty_batch_changes_nothing(ends: tuple[int, ...]) -> None:
    for test in ("permutation", "bootstrap"):
        asked: dict[str, Any] = {"test": test, "interval": "normal", "n_resamples": 200}
        one, whole = compare(streamed(*ends), **asked)["a", "b"], compare(streamed(150), **asked)["a", "b"]
        assert one.interval.low == pytest.approx(whole.interval.low, rel=1e-9)
        assert one.p_value == whole.p_value


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({"test": "t"}, "test 't'"),
        ({"test": "sign"}, "test 'sign'"),
        ({"test": "mcnemar"}, "test 'mcnemar'"),
        ({"test": "wald"}, "test 'wald'"),
        ({"interval": "tango"}, "a score interval"),
        ({"interval": "cr2"}, "the cr2 interval"),
        ({"interval": "studentized"}, "the studentized interval"),
        ({"reading": Reading(annotators="resample")}, "resampling annotators"),
    ],
    ids=str,
)
def test_what_needs_every_item_says_that_they_come_in_batches(asked: dict[str, Any], what: str) -> None:
    with pytest.raises(DesignError) as caught:
        compare(streamed(), n_resamples=50, **asked)
    assert caught.value.message == f"{what} needs all items at once, but the table is read in batches"
    assert caught.value.hint == "read it whole: stream=False"


class Cosine(Metric):
    """The cosine of gold and predictions: a function of three sums."""

    name = "cosine"
    reads = "numbers"

    def statistics(self, gold: Any, predictions: Any) -> Any:
        return np.column_stack([gold * predictions, gold**2, predictions**2])

    def score(self, totals: Any) -> Any:
        return totals[..., 0] / np.sqrt(totals[..., 1] * totals[..., 2])


@pytest.mark.parametrize("metric", ["mean", "rmse", Cosine()], ids=str)
def test_abc_intervals_are_those_of_the_whole_table(metric: Any) -> None:
    rng = np.random.default_rng(1)
    gold = None if metric == "mean" else rng.exponential(size=N)
    noise = rng.exponential(size=(3, N))
    systems = noise if gold is None else gold + noise * np.array([[1.0], [1.3], [0.8]])
    whole = compare(dict(zip("abc", systems, strict=True)), gold, metric=metric, interval="abc", test=None)
    found = compare(
        streamed(70, 200, gold=gold, systems=tuple(systems)), metric=metric, interval="abc", test=None
    )
    for one, other in zip(
        [*found.differences, *found.systems], [*whole.differences, *whole.systems], strict=True
    ):
        assert one.interval.method == other.interval.method == "abc"
        ends = (other.interval.low, other.interval.high)
        slack = 1e-4 * (ends[1] - ends[0])
        assert (one.interval.low, one.interval.high) == pytest.approx(ends, abs=slack)


def test_auto_draws_no_resamples_of_many_items() -> None:
    difference = compare(streamed(150), test=None)["a", "b"]
    assert (difference.interval.method, difference.interval.exact) == ("abc", True)
