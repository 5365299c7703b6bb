"""Equal joint rows are counted as a table of all rows counts them."""

from __future__ import annotations

import numpy as np
import pytest

from bestby.data import columns as data_columns


@pytest.mark.parametrize("n", [7, 1000])
@pytest.mark.parametrize("sizes", [(3, 3, 3), (2, 5), (64,), (3, 70)])
@pytest.mark.parametrize("strata", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_joint_row_is_counted(n: int, sizes: tuple[int, ...], strata: bool, weighted: bool) -> None:
    rng = np.random.default_rng(n)
    columns = [rng.integers(0, size, n).astype(np.uint8) for size in sizes]
    stratum = rng.integers(0, 2, n) if strata else None
    counts = rng.integers(1, 5, n) if weighted else None
    position, found = data_columns.collapsed(columns, sizes, stratum, counts)
    together = [*columns, np.zeros(n, dtype=np.int64) if stratum is None else stratum]
    number = np.ravel_multi_index(together, (*sizes, 2))
    rows, inverse = np.unique(number, return_inverse=True)
    order = np.argsort(number[position])
    assert np.array_equal(number[position][order], rows)
    assert np.array_equal(found[order], np.bincount(inverse, counts).astype(np.int64))
    assert found.dtype == np.int64


@pytest.mark.parametrize(
    "size", [2, 50, 5000, 1 << 20]
)  # keys of four such columns fit into 64 bits, or do not
@pytest.mark.parametrize("strata", [False, True])
def test_joint_rows_of_any_codes_are_told_apart(size: int, strata: bool) -> None:
    rng = np.random.default_rng(1)
    stratum = rng.integers(0, 3, 400) if strata else None
    columns = [rng.integers(0, size, 400) for _ in range(4)]
    for column in columns:
        column[::2] = column[0]
    joint = np.column_stack([*columns] if stratum is None else [stratum, *columns])
    distinct, kinds, counts = np.unique(joint, axis=0, return_inverse=True, return_counts=True)
    position, found = data_columns.collapsed(columns, [size] * 4, stratum)
    order = np.lexsort(joint[position].T[::-1])
    assert (joint[position][order] == distinct).all()
    assert (found[order] == counts).all()
    position, kind = data_columns.numbered([stratum, *columns])
    assert (joint[position] == distinct).all()
    assert (kind == kinds.reshape(-1)).all()
    position, kind = data_columns.numbered([column - 1 for column in columns])  # where -1 stands for none
    assert (joint[position[kind]][:, -4:] == joint[:, -4:]).all()
