"""A data frame in partitions, as dask has them: equal rows are counted where the rows are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bestby._core.errors import DesignError
from bestby._core.typing import IntArray

MOST_CELLS = 1_000_000
"""Distinct rows up to which a frame is counted; more would be the table itself, in one place."""

_N = "n"


def counted(frame: Any, columns: Sequence[str]) -> tuple[Any, IntArray]:
    """Return the distinct joint rows of a dask frame and their counts, added up in a tree to save memory."""
    # Counts of partitions that are added at once, and the sums of these, and so on
    cells = frame[list(columns)].reduction(_counts, combine=_added, aggregate=_added, split_every=8).compute()
    counts = np.asarray(cells[_N], dtype=np.int64)
    return cells.drop(columns=_N).set_axis(list(columns), axis=1).reset_index(drop=True), counts


def _counts(part: Any) -> Any:
    """Return the distinct rows of a partition, columns numbered, with their counts."""
    plain = part.set_axis([str(i) for i in range(part.shape[1])], axis=1)
    for name in plain.columns:
        if type(plain[name].dtype).__name__ == "CategoricalDtype":  # partitions may know other categories
            plain[name] = plain[name].astype(plain[name].cat.categories.dtype)
    return _added(plain.assign(**{_N: 1}))


def _added(rows: Any) -> Any:
    """Return the distinct rows of one or several partitions, with the sums of their counts."""
    names = [name for name in rows.columns if name != _N]
    added = rows.groupby(names, dropna=False, sort=False, observed=True)[_N].sum().reset_index()
    if len(added) > MOST_CELLS:
        raise DesignError(
            f"the frame has more than {MOST_CELLS} distinct rows, which are not counted",
            hint="scores that hardly repeat cannot be counted: pass frame.compute() if it fits into memory",
        )
    return added
