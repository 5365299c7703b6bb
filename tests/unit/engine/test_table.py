"""Distinct units, counted; columns, once each; clusters summed first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby import compare
from bestby.data.cells import collapsed
from bestby.engine import row_order, table


def rows(*columns: list[float]) -> np.ndarray:
    return np.column_stack([np.array(c, dtype=float) for c in columns])


def test_equal_rows_are_counted_and_columns_shared() -> None:
    ones = [1.0] * 5
    a, b = rows([1, 0, 1, 0, 1], ones), rows([1, 1, 1, 0, 1], ones)
    made = table.build([[a, b]], np.ones(5, dtype=np.int64), None, None)
    assert sorted(made.units.counts.tolist()) == [1, 1, 3]
    assert made.X.shape == (3, 2)
    assert made.constants.tolist() == [1.0]
    (value_a, count_a), (value_b, count_b) = made.columns[0]
    assert count_a == count_b == 2  # the column of ones is there once
    assert made.total()[[value_a, value_b, count_a]].tolist() == [3, 4, 5]
    assert made.differing(*made.columns[0]) == (1, 1)


def test_the_order_of_the_items_leaves_no_trace() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 3, (50, 2)).astype(float), rng.integers(0, 3, (50, 2)).astype(float)
    strata = rng.integers(0, 2, 50)
    order = rng.permutation(50)
    one = table.build([[a, b]], np.ones(50, dtype=np.int64), strata, None)
    other = table.build([[a[order], b[order]]], np.ones(50, dtype=np.int64), strata[order], None)
    assert (one.X == other.X).all()
    assert (one.units.counts == other.units.counts).all()
    assert (one.units.bounds == other.units.bounds).all()


def test_clusters_are_summed_and_items_still_counted() -> None:
    a, b = rows([1, 0, 1, 1], [1] * 4), rows([0, 1, 1, 1], [1] * 4)
    made = table.build([[a, b]], np.ones(4, dtype=np.int64), None, np.array([0, 0, 1, 1]))
    assert made.clustered
    assert made.units.n == 2
    # Items 0 and 1 differ, but their cluster has the same sum in both systems.
    assert made.differing(*made.columns[0]) == (2, 0)


@pytest.mark.parametrize("clusters", [None, np.array([0, 0, 1, 1, 2])])
def test_the_rows_of_items_are_those_that_were_given(clusters: np.ndarray | None) -> None:
    """Also where equal rows were counted, strata put in order, and columns that do not vary left out."""
    a, b = rows([1, 0, 1, 3, 1], [1] * 5), rows([2, 1, 2, 0.5, 2], [1] * 5)
    strata = None if clusters is not None else np.array([1, 0, 1, 1, 0])
    made = table.build([[a, b]], np.ones(5, dtype=np.int64), strata, clusters)
    for given, columns in zip((a, b), made.columns[0], strict=True):
        assert (made.items[:, columns] == given).all()
    assert made.bare().items.shape == (0, 3)
    assert (made.rows(made.columns[0][1], slice(1, 3)) == made.rows(made.columns[0][1])[1:3]).all()


def test_strata_are_contiguous_and_equal_rows_in_two_strata_stay_apart() -> None:
    a = rows([1, 0, 1, 0], [1] * 4)
    made = table.build([[a]], np.ones(4, dtype=np.int64), np.array([1, 0, 0, 1]), None)
    assert made.units.bounds.tolist() == [0, 2, 4]
    assert made.units.counts.tolist() == [1, 1, 1, 1]


def test_columns_that_do_not_vary_are_totalled_for_any_number_of_units() -> None:
    a = rows([1, 2, 3], [5, 5, 5])
    made = table.build([[a]], np.ones(3, dtype=np.int64), None, None)
    value, constant = made.columns[0][0]
    full = made.full(np.array([[6.0], [7.0]]), 2)
    assert full[:, value].tolist() == [6.0, 7.0]
    assert full[:, constant].tolist() == [10.0, 10.0]
    assert made.constant(int(constant)) == 5.0
    assert made.constant(int(value)) is None


def test_joint_rows_of_many_labels_are_collapsed_alike() -> None:
    rng = np.random.default_rng(1)
    for k in (2, 50, 5000):
        columns = [rng.integers(0, k, 400) for _ in range(4)]
        strata = rng.integers(0, 3, 400)
        for given in (None, strata):
            position, counts = collapsed(columns, [k] * 4, given)
            joint = np.column_stack([*columns] if given is None else [given, *columns])
            distinct, expected = np.unique(joint, axis=0, return_counts=True)
            order = np.lexsort(joint[position].T[::-1])
            assert (joint[position][order] == distinct).all()
            assert (counts[order] == expected).all()


def test_a_huge_column_does_not_make_other_rows_one() -> None:
    """In a sum of all columns, numbers 1e30 times as small are lost: rows are told apart by themselves."""
    rng = np.random.default_rng(0)
    huge, small, other = np.repeat([1e30, 0.0], 100), rng.normal(size=200), rng.integers(0, 2, 200)
    columns = [rows(x.tolist(), [1.0] * 200) for x in (huge, small, other.astype(float))]
    order = rng.permutation(200)
    one = table.build([columns], np.ones(200, dtype=np.int64), None, None)
    two = table.build([[x[order] for x in columns]], np.ones(200, dtype=np.int64), None, None)
    assert one.units.n_rows == 200
    assert one.total()[one.columns[0][1][0]] == pytest.approx(small.sum(), rel=1e-12)
    assert (one.X == two.X).all()
    assert (one.units.counts == two.units.counts).all()


def test_rows_that_a_huge_column_hides_are_counted_where_they_are_equal() -> None:
    order, fresh = row_order.ordered(
        rows([1e30, 1e30, 1e30, 1e30], [2.0, 1.0, 2.0, 1.0]), [np.full(4, 1e30), np.array([0, 0, 0, 1])]
    )
    assert order.tolist() == [1, 0, 2, 3]
    assert fresh.tolist() == [True, True, False, True]


def test_clusters_that_were_summed_before_keep_their_sizes() -> None:
    """Two of the three rows are alike but for how many items they stand for."""
    summed = rows([4.0, 4.0, 1.0], [1.0, 1.0, 1.0])
    made = table.build([[summed]], np.array([2, 1, 3]), None, None, np.array([5.0, 7.0, 5.0]))
    assert made.clustered
    found = zip(made.column(0).tolist(), made.sizes.tolist(), made.units.counts.tolist(), strict=True)
    assert sorted(found) == [(1.0, 5.0, 3), (4.0, 5.0, 2), (4.0, 7.0, 1)]


def test_columns_that_only_begin_and_add_up_alike_are_told_apart() -> None:
    rng = np.random.default_rng(5)
    first = np.concatenate([np.zeros(200), rng.permutation(np.repeat([0.0, 1.0], 50))])
    other = np.concatenate([np.zeros(200), rng.permutation(first[200:])])
    assert (first != other).any()
    rows = [np.column_stack([column, np.ones(300)]) for column in (first, other, first)]
    made = table.build([rows], np.ones(300, dtype=np.int64), None, None)
    a, b, again = (columns.tolist() for columns in made.columns[0])
    assert a == again
    assert a[0] != b[0]
    assert a[1] == b[1]


@pytest.mark.parametrize("unit", [1.0, 0.1])
def test_differences_are_those_of_more_than_the_last_bits(unit: float) -> None:
    """Whole numbers need no tolerance, and give the same."""
    a = unit * np.array([[3.0, 1.0], [2.0, 1.0], [5.0, 1.0]])
    b = unit * np.array([[3.0, 1.0], [4.0, 1.0], [5.0, 2.0]])
    a[0, 0] += 1e-17 * (unit != 1.0)
    b[2, 0] = np.nextafter(b[2, 0], 9.0) if unit != 1.0 else b[2, 0]
    made = table.build([[a, b]], np.array([1, 2, 4]), None, None)
    of_a, of_b = made.columns[0]
    changes = made.changes(of_b, of_a)
    assert sorted(map(tuple, np.round(changes / unit).tolist())) == [(0.0, 0.0), (0.0, 1.0), (2.0, 0.0)]
    assert (changes == 0.0).sum() == 4
    assert made.differing(of_a, of_b) == (6, 6)


@pytest.mark.parametrize("k", [1, 7, 8, 16, 200])
@pytest.mark.parametrize("more", [-1, 0, 1, 2])
@pytest.mark.parametrize("blocks", [1, 2])
def test_equal_rows_meet_wherever_the_blocks_end(k: int, more: int, blocks: int) -> None:
    """A last block of a single row would be added up in another order."""
    size = blocks * (row_order._AT_ONCE // k) + more
    rows = np.tile(np.random.default_rng(k).normal(size=k), (size, 1))
    assert np.unique(row_order.projected(rows)).size == 1
    assert np.unique(row_order.projected(np.asfortranarray(rows))).size == 1


def test_a_shuffle_of_the_items_changes_nothing_of_many_systems() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(5, 16))[rng.integers(0, 5, row_order._AT_ONCE // 16 + 1)]
    settings: dict[str, Any] = {"interval": "percentile", "test": "bootstrap", "n_resamples": 99}
    first, second = (
        compare({f"s{i}": one[:, i] for i in range(16)}, **settings).differences
        for one in (scores, rng.permutation(scores))
    )
    assert [one.interval for one in first] == [one.interval for one in second]
    assert [one.p_value for one in first] == [one.p_value for one in second]
