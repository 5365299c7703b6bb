"""Each distinct column is added up once, and the sums are those of all columns."""

from __future__ import annotations

import numpy as np
import pytest

from bestby.resampling.columns import Columns


@pytest.mark.parametrize("distinct", [0, 1, 6, 8, 9])
def test_the_sums_are_those_of_all_columns(distinct: int) -> None:
    rng = np.random.default_rng(distinct)
    base = rng.integers(-9, 10, (70, distinct + 1)).astype(np.float32)
    base[:, -1] = 0.0
    rows = base[:, rng.permutation(np.repeat(np.arange(distinct + 1), 2))]
    columns = Columns.of(rows)
    assert columns.distinct.shape == (70, -(-distinct // 8) * 8)
    assert columns.distinct.any(axis=0).sum() == distinct
    weights = rng.integers(0, 5, (30, 70)).astype(np.float32)
    found = columns.sums(weights)
    assert found.dtype == np.float64
    assert (found == (weights @ rows).T).all()
