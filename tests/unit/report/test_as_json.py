"""JSON and CSV of thousands of differences are the same, to the byte, in pieces and by any writer."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby._core import chunks
from bestby.comparisons import one_metric
from bestby.report.pairs import Differences
from bestby.report.writers import csv

ASKED: dict[str, dict[str, Any]] = {
    "plain": {},
    "margin": {"margin": 0.05},
    "no interval": {"interval": None},
    "no test": {"test": None},
    "two metrics": {"gold": np.ones(150, dtype=np.int64), "metric": ["accuracy", "f1_macro"]},
}


@cache
def many(asked: str) -> Any:
    """Return a comparison of 153 pairs in columns; the second metric of the last has none."""
    right = np.random.default_rng(0).random((18, 150)) < 0.7
    systems = {f"s{i} \u2028": row.astype(np.int64) for i, row in enumerate(right)}
    if asked == "two metrics":
        systems["copy"] = systems["s0 \u2028"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(one_metric, "MOST_HELD", 100)
        return bb.compare(systems, n_resamples=99, **ASKED[asked])


@pytest.mark.parametrize("asked", ASKED)
def test_pieces_and_floats_of_duckdb_give_the_same_text(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = many(asked)
    assert isinstance(result.differences, Differences)
    text, table = result.to_json(), result.to_csv()
    assert json.loads(text) == result.to_dict()
    assert bb.load(text) == result
    assert len(text.split('\n  "record": ')[1].splitlines()) == 2
    monkeypatch.setattr(chunks, "CHUNK", 100)
    monkeypatch.setattr(csv, "MANY", 1)
    assert result.to_json() == text
    assert result.to_csv() == table


def test_duckdb_writes_floats_as_python_does(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2**64, 100_000, dtype=np.uint64).view(np.float64)
    sizes = rng.normal(size=100_000) * 10.0 ** rng.integers(-20, 25, 100_000)
    edges = np.resize([0.0, -0.0, 1e16, 1e15, 1e-4, 9.999e-5, 5e-324, np.inf, -np.inf, np.nan, 1.0], 100_000)
    monkeypatch.setattr(csv, "MANY", 0)
    for column in (bits, sizes, edges, edges[::-1]):
        (found,) = csv.float_texts([column])
        assert found == [repr(x) for x in column.tolist()]
