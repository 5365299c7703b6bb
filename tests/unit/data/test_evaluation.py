"""Alignment by item id, kinds of labels, hashes."""

from __future__ import annotations

import dataclasses

import numpy as np

from bestby import Evaluation, compare
from bestby.data.evaluation import Streamed


def test_items_are_aligned_by_id_whatever_their_order() -> None:
    made = Evaluation.of(
        {"a": {"q2": 2.0, "q1": 1.0, "q3": 3.0}, "b": {"q3": 30.0, "q2": 20.0, "q1": 10.0}},
        clusters={"q1": "c", "q2": "d", "q3": "c"},
    )
    assert made.items is not None
    by_id = {
        str(item): (float(a), float(b))
        for item, a, b in zip(made.items, made.systems["a"], made.systems["b"], strict=True)
    }
    assert by_id == {"q1": (1.0, 10.0), "q2": (2.0, 20.0), "q3": (3.0, 30.0)}
    assert made.clusters is not None
    assert dict(zip(made.items.tolist(), made.clusters.tolist(), strict=True)) == {
        "q1": "c",
        "q2": "d",
        "q3": "c",
    }


def test_missing_ids_of_scores_are_drawn_from_all_systems_together() -> None:
    made = Evaluation.of({"a": {1: 0.1, 2: 0.2}, "b": {2: 0.3, 3: 0.4}}, on_missing="worst")
    assert made.n_items == 3
    assert {name: int(mask.sum()) for name, mask in made.missing.items()} == {"a": 1, "b": 1}
    dropped = Evaluation.of({"a": {1: 0.1, 2: 0.2, 3: 0.5}, "b": {2: 0.3, 3: 0.4}}, on_missing="drop")
    assert dropped.n_items == 2
    assert [note.code for note in dropped.notes] == ["items_dropped"]


def test_hashes_of_64_bits_are_labels_clusters_and_strata() -> None:
    hashes = np.array([2**63 + 5, 2**63 + 6], dtype=np.uint64)
    hits = [np.arange(60) % step > 0 for step in (3, 4)]
    of_small, of_large = (
        compare(
            {name: np.where(hit, gold, gold[::-1]) for name, hit in zip("ab", hits, strict=True)},
            gold,
            clusters=first + np.arange(60).astype(first.dtype) // 3,
            strata=gold[0] + np.arange(60).astype(gold.dtype) // 30,
            n_resamples=99,
        )
        for gold, first in ((np.tile([0, 1], 30), np.int64(0)), (np.tile(hashes, 30), hashes[0]))
    )
    assert of_large.systems == of_small.systems
    assert of_large.differences == of_small.differences


def test_the_hash_tells_where_one_column_ends() -> None:
    one = Evaluation.of({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    other = Evaluation.of({"a": [1.0, 2.0], "b": [3.0, 4.0]}, clusters=[0, 1])
    renamed = Evaluation.of({"ab": [1.0, 2.0], "c": [3.0, 4.0]})
    assert len({one.data_hash(), other.data_hash(), renamed.data_hash()}) == 3
    assert len(one.data_hash()) == 16


def test_the_trials_of_items_are_part_of_the_hash() -> None:
    plain = Evaluation.of({"a": [1.0, 0.5, 0.0], "b": [0.5, 0.5, 1.0]})
    whole = Evaluation.of({"a": [1, 1, 0], "b": [0, 1, 1]})
    for evaluation in (plain, whole):
        few, many = (
            dataclasses.replace(
                evaluation,
                trials={
                    name: np.column_stack([np.full(3, n), np.asarray(x) * n]).astype(np.int64)
                    for name, x in evaluation.systems.items()
                },
            )
            for n in (2, 4)
        )
        hashes = {one.data_hash() for one in (evaluation, few, many)}
        assert len(hashes) == len({one.cells_hash() for one in (evaluation, few, many)}) == 3
        assert few.with_systems(["b", "a"]).data_hash() == few.data_hash()


def test_its_repr_is_one_line() -> None:
    systems = {"a": [1.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 1.0, 0.0]}
    assert repr(Evaluation.of(systems)) == "<evaluation of 2 systems on 4 items: a, b>"
    grouped = Evaluation.of(systems, clusters=[1, 1, 2, 2])
    assert repr(grouped) == "<evaluation of 2 systems on 4 items in 2 clusters: a, b>"
    counted = Evaluation.of(systems, counts=[1, 2, 3, 4])
    assert repr(counted) == "<evaluation of 2 systems on 10 items: a, b>"
    streamed = Streamed({name: np.empty(0) for name in systems}, n=7)
    assert repr(streamed) == "<evaluation of 2 systems on 7 items: a, b>"
