"""One order of systems, whichever record lacks one: a missing value must not turn a one-sided question."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestby as bb
from bestby.data.table import merged_order, order_in_groups
from bestby.readers import read
from bestby.readers.reading import read_runs

NAMES = ["zeta", "beta", "alpha", "gamma"]


@given(st.lists(st.sets(st.sampled_from(NAMES)), max_size=6), st.randoms())
def test_records_without_a_name_do_not_move_it(gaps: list[set[str]], random: object) -> None:
    records = [[name for name in NAMES if name not in gap] for gap in gaps] + [NAMES]
    random.shuffle(records)  # type: ignore[attr-defined]
    assert merged_order(records) == NAMES


@given(st.lists(st.permutations(NAMES).flatmap(lambda p: st.integers(0, 4).map(lambda k: p[:k])), max_size=8))
def test_any_records_give_each_name_once_and_the_same_in_any_order(records: list[list[str]]) -> None:
    found = merged_order(records)
    assert sorted(found) == sorted({name for record in records for name in record})
    assert merged_order(records[::-1]) == found


def test_what_no_group_decides() -> None:
    assert order_in_groups(["b", "b", "a", "a"], [1, 2, 3, 4]) == ["b", "a"]
    assert order_in_groups(["b", "a", "a", "b"], [1, 1, 2, 2]) == ["a", "b"]
    assert merged_order([["a", "b"], ["b", "c"], ["c", "a"]]) == ["a", "b", "c"]


def scores() -> list[tuple[float, float]]:
    rng = np.random.default_rng(3)
    return [(float(x), float(x) + 0.1 + float(e)) for x, e in rng.normal(size=(40, 2)).round(3)]


@pytest.mark.parametrize("row", [0, 1, 39])
@pytest.mark.parametrize("missing", ["old", "new"])
def test_a_one_sided_question_of_json_lines(tmp_path: Path, row: int, missing: str) -> None:
    records = [{"id": i, "old": a, "new": b} for i, (a, b) in enumerate(scores())]
    del records[row][missing]
    path = tmp_path / "scores.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    for stream in (False, True):
        found = read(path, items="id", on_missing="drop", stream=stream)
        assert found.names == ("old", "new")
        (d,) = bb.compare(found, alternative="greater").differences
        assert (d.a, d.b) == ("old", "new")


@pytest.mark.parametrize("dropped", [0, 1, 2])
def test_long_tables(tmp_path: Path, dropped: int) -> None:
    rows = [
        f"{i},{name},{value}"
        for i, pair in enumerate(scores())
        for name, value in zip(("old", "new"), pair, strict=True)
    ]
    del rows[dropped]
    path = tmp_path / "long.csv"
    path.write_text("item,system,score\n" + "\n".join(rows) + "\n", encoding="utf-8")
    assert read(path, on_missing="drop").names == ("old", "new")
    path.write_text("run,system,score\n" + "\n".join(rows) + "\n", encoding="utf-8")
    assert list(read_runs(path).runs) == ["old", "new"]


def test_datasets() -> None:
    table = {f"d{i}": {"old": a, "new": b} for i, (a, b) in enumerate(scores())}
    del table["d0"]["old"]
    found = bb.compare_datasets(table, on_missing="drop", alternative="greater")
    assert (found.differences[0].a, found.differences[0].b) == ("old", "new")
