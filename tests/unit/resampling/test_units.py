"""Units to resample: what a cell costs, and how counted units are expanded."""

from __future__ import annotations

import numpy as np

from bestby.resampling.units import Units, single_stratum


def test_a_cell_costs_as_many_draws_as_are_given() -> None:
    units = Units(np.array([12, 12]), np.array([0, 2]))
    assert units.by_cells(12)
    assert not units.by_cells(13)


def test_expanded_units_are_counted_in_whole_numbers() -> None:
    X = np.array([[1.0, -1.0], [2.0, 0.0], [3.0, 5.0]])
    rows, units = Units(np.array([2, 1, 3]), np.array([0, 2, 3])).expanded(X)
    assert rows.tolist() == [[1.0, -1.0]] * 2 + [[2.0, 0.0]] + [[3.0, 5.0]] * 3
    assert (units.counts.dtype, units.counts.tolist()) == (np.int64, [1] * 6)
    assert (units.sizes.dtype, units.sizes.tolist()) == (np.int64, [3, 3])
    alone = single_stratum(3)
    assert (alone.counts.dtype, alone.bounds.dtype, alone.sizes.tolist()) == (np.int64, np.int64, [3])
    again, same = alone.expanded(X)
    assert again is X
    assert same is alone
