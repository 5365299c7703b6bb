"""The items of a monitor: what is refused changes nothing, clusters count whole, and a sorted order shows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.questions.monitor.examples import filled, ids

import bestby as bb
from bestby.questions.monitor.items import order_note, rank_correlation

# -- items that are refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "scores", "cluster", "message"),
    [
        ("q0", {"a": 0, "b": 0}, None, "was added before with the score 1 of a, and now with 0"),
        ("q9", {"a": 2, "b": 0}, None, "must lie between 0 and 1, got 2"),
        ("q9", {"a": float("nan"), "b": 0}, None, "must be finite, got nan"),
        ("q9", {"a": "x", "b": 0}, None, "must be a number"),
        ("q9", {"a": 1}, None, "has no score of system 'b'"),
        ("q9", {"a": 1, "b": 0, "c": 1}, None, "'c', which is not monitored"),
        ("q9", [1, 0], None, "must be a mapping"),
        ("q9", {"a": 1, "b": 0}, "doc", "has a cluster, unlike those before"),
        (None, {"a": 1, "b": 0}, None, "the id of an item must be text"),
        (True, {"a": 1, "b": 0}, None, "the id of an item must be text"),
        ("", {"a": 1, "b": 0}, None, "the id of an item must be text"),
    ],
)
def test_what_is_refused_changes_nothing(
    item: Any, scores: Any, cluster: Any, message: str, tmp_path: Path
) -> None:
    monitor = bb.Monitor(["a", "b"], bounds=(0, 1), n_items=5)
    monitor.save(tmp_path / "m.jsonl")
    monitor.add("q0", {"a": 1, "b": 0})
    before = monitor.result(), (tmp_path / "m.jsonl").read_bytes()
    with pytest.raises(bb.errors.InvalidInputError, match=message) as caught:
        monitor.add(item, scores, cluster=cluster)
    assert caught.value.hint
    assert (monitor.result(), (tmp_path / "m.jsonl").read_bytes()) == before
    assert monitor.add("q1", {"a": 1, "b": 0})


def test_one_item_too_many() -> None:
    monitor = filled([(1, 0), (0, 0)], n_items=2)
    with pytest.raises(bb.errors.InvalidInputError, match="one more than the 2 items announced"):
        monitor.add("more", {"a": 1, "b": 0})


def test_the_same_item_again_changes_nothing() -> None:
    monitor = filled([(1, 0), (0, 0)])
    before = monitor.result()
    assert not monitor.add(ids(2)[0], {"a": 1, "b": 0})
    assert monitor.result() == before


# -- clusters --------------------------------------------------------------------------------------


def clustered(sizes: list[int], **options: Any) -> bb.Monitor:
    monitor = bb.Monitor(["a", "b"], **{"bounds": (0, 1), **options})
    for cluster, size in enumerate(sizes):
        for item in range(size):
            scores = {"a": int(cluster % 3 > 0), "b": int((cluster + item) % 4 == 0)}
            monitor.add(f"{7 * cluster % 11}.{item}.{cluster}", scores, cluster=cluster)
    return monitor


def test_clusters_count_whole() -> None:
    monitor = clustered([3, 2, 4])
    result = monitor.result()
    assert (result.n_items, result.n_clusters, monitor.n_items) == (5, 2, 9)
    assert {note.code for note in result.notes} == {"approximate_clusters", "open_cluster"}
    monitor.close_cluster()
    assert (monitor.result().n_items, monitor.result().n_clusters) == (9, 3)
    with pytest.raises(bb.errors.InvalidInputError, match="cluster 2, which was complete"):
        monitor.add("late", {"a": 1, "b": 1}, cluster=2)


def test_the_last_item_of_a_benchmark_closes_its_cluster() -> None:
    monitor = clustered([3, 2, 4], n_items=9, largest_cluster=4)
    assert monitor.result().n_items == 9
    assert monitor.result().notes == ()
    assert monitor.interval is not None
    assert monitor.interval.low == monitor.interval.high


def test_a_cluster_larger_than_announced() -> None:
    with pytest.raises(bb.errors.InvalidInputError, match="more than 3 items, the largest_cluster"):
        clustered([3, 2, 4], largest_cluster=3)


def test_clusters_of_one_item_are_items() -> None:
    whole = clustered([1] * 50, largest_cluster=1)
    whole.close_cluster()
    alone = bb.Monitor(["a", "b"], bounds=(0, 1))
    for cluster in range(50):
        alone.add(f"c{cluster}", {"a": int(cluster % 3 > 0), "b": int(cluster % 4 == 0)})
    assert whole.interval == alone.interval


def noted_order(items: Iterable[tuple[Any, Any]]) -> str | None:
    """Return what a monitor notes of the order of items and their clusters, and what `order` does."""
    monitor = bb.Monitor(["a", "b"], bounds=(0, 1))
    for place, (item, cluster) in enumerate(items):
        monitor.add(item, {"a": place % 2, "b": 0}, cluster=cluster)
    notes = [note for note in monitor.result().notes if note.code.startswith("order_of")]
    assert notes == [note for note in [monitor.order] if note is not None]
    return notes[0].code if notes else None


def nearly(n: int) -> list[int]:
    """Return numbers as answers arrive that were asked for in order, eight at a time."""
    waits = np.random.default_rng(2).exponential(8.0, n)
    return np.argsort(np.arange(n) + waits).tolist()


SUBJECTS = ["biology", "maths", "art", "law"]  # in no order of their names
SHUFFLED = np.random.default_rng(1).permutation(60).tolist()


@pytest.mark.parametrize(
    ("items", "code"),
    [
        ([(f"q{i}", None) for i in range(30)], "order_of_ids"),
        ([(i, None) for i in range(30)], "order_of_ids"),
        ([(f"q{i}", None) for i in range(30)][::-1], "order_of_ids"),
        ([(f"q{i}", None) for i in nearly(200)], "order_of_ids"),
        ([(f"q{i}", None) for i in range(19)], None),
        ([(f"q{i}", None) for i in SHUFFLED], None),
        # The items of a document together, the documents in random order: without clusters, and with them.
        ([(f"doc{d}-q{i}", None) for d in SHUFFLED[:30] for i in (2, 1, 3)], "order_of_groups"),
        ([(f"doc{d}-q{i}", f"doc{d}") for d in SHUFFLED[:30] for i in (2, 1, 3)], None),
        # The documents in their order, told by the clusters or by the items that they begin with.
        ([((31 * d + i) * 7919 % 10007, d) for d in range(30) for i in range(3)], "order_of_ids"),
        ([(f"q{3 * d + i}", f"{d * 7919 % 10007}") for d in range(30) for i in range(3)], "order_of_ids"),
        ([(f"{one}/{i}", None) for one in SUBJECTS for i in SHUFFLED[:20]], "order_of_groups"),
        ([(f"{one[-1]}{i}", f"{one}/{i}") for one in SUBJECTS for i in SHUFFLED], "order_of_groups"),
        ([(f"{SUBJECTS[i % 4]}/{i}", None) for i in SHUFFLED], None),
    ],
)
def test_an_order_that_is_not_random_is_noticed(items: list[tuple[Any, Any]], code: str | None) -> None:
    assert noted_order(items) == code


def test_random_orders_are_not_noted() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        n = int(rng.integers(20, 60))
        names = [f"{SUBJECTS[i % 4]}/{i}" for i in rng.permutation(n).tolist()]
        assert order_note(names, [None] * n) is None
        hexadecimal = [bytes(one).hex() for one in rng.integers(0, 256, (n, 8)).tolist()]
        assert order_note(hexadecimal, [None] * n) is None


PARTS = ["a", "b", "ab", "a-", "A", "é", "/", "0", "1", "01", "9", "10", "٣", "²", "\n", " "]


def parts_of(name: str) -> list[tuple[str, int]]:
    """Return the texts and the numbers of which a name is made."""
    return [(words, int(digits or 0)) for words, digits in re.findall(r"(\D*)(\d*)", name)]


def test_numbers_in_ids_count_as_numbers() -> None:
    rng = np.random.default_rng(4)
    for _ in range(500):
        names = ["".join(rng.choice(PARTS, rng.integers(1, 6))) for _ in range(8)]
        ranks = np.empty(8)
        ranks[sorted(range(8), key=[parts_of(name) for name in names].__getitem__)] = np.arange(8)
        gaps = ranks - np.arange(8)
        assert rank_correlation(names) == 1.0 - 6.0 * float(gaps @ gaps) / (8 * 63.0), names


def test_a_number_may_have_thousands_of_digits() -> None:
    assert noted_order((f"q{'9' * 4500}{i}", None) for i in range(30)) == "order_of_ids"
