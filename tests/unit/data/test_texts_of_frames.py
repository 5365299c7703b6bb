"""Texts of data frames, which their library makes codes of, are those of lists."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest

from bestby import compare
from bestby._core.errors import BestbyError
from bestby.data import table


@pytest.mark.parametrize("longest", ["x" * 12, "x" * 13])
@pytest.mark.parametrize("missing", [False, True])
def test_a_frame_gives_what_its_lists_give(longest: str, missing: bool) -> None:
    draw = random.Random(longest)
    n = table.CODED_FROM
    columns: dict[str, list[Any]] = {
        name: draw.choices(["a", "b", longest], k=n) for name in ("gold", "s", "t")
    }
    if missing:
        columns["t"][n // 2] = None
    columns["s"][-1] = "a label that is not at the beginning" if missing else "c"
    lists = {name: columns[name] for name in ("s", "t")}
    by_frame = compare(pl.DataFrame(columns), "gold", on_missing="worst")
    by_lists = compare(lists, columns["gold"], on_missing="worst")
    assert by_frame.differences == by_lists.differences
    assert by_frame.systems == by_lists.systems
    assert by_frame.provenance.data_hash == by_lists.provenance.data_hash


def test_messages_name_the_row_of_a_value_that_is_wrong() -> None:
    n = table.CODED_FROM
    column = ["a", "b"] * (n // 2)
    wrong = [*column[:-1], None]
    with pytest.raises(BestbyError, match=f"'s' has no value for 1 of {n} items; first: row {n}"):
        compare(pl.DataFrame({"gold": column, "s": wrong, "t": column}), "gold")
    with pytest.raises(BestbyError, match=f"NUL character in row {n}"):
        compare(pl.DataFrame({"gold": column, "s": [*column[:-1], "a\0"], "t": column}), "gold")
