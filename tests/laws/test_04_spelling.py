"""Law 4 for values: how a third system spells its labels never changes the scores of two others."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestby import read
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.items import evaluation_of_frame
from bestby.data.roles import TableOptions
from bestby.engine import prepare
from bestby.metrics import resolve
from bestby.questions.study.source import aligned, checked_gold

Columns = Mapping[str, Sequence[str]]

N = 6
METRICS = ("accuracy", "matthews_corrcoef")

NUMBERS = st.sampled_from(
    ["0", "1", "2", "10", "0.0", "1.0", "2.00", "+1", "-0", "1e0", "0.5", "0.50", "5e-1"]
)
LARGE = st.sampled_from(
    ["9007199254740992", "9007199254740993", "9007199254740993.0", "10000000000000000001"]
)
BOOLEANS = st.sampled_from(["true", "false", "True", "FALSE"])
TEXTS = st.sampled_from(
    ["x", "y", "unknown", "01", "1.10", "1_0", "inf", "Infinity", "None", "٣", "-", "1.2.3"]
)
ANY = st.one_of(NUMBERS, LARGE, BOOLEANS, TEXTS)
GOLDS = st.sampled_from(
    [
        ["0", "1", "0", "1", "1", "0"],
        ["0.0", "1.0", "1.0", "0.0", "1.0", "0.0"],
        ["true", "false", "true", "false", "true", "false"],
        ["true", "false", "unknown", "true", "false", "true"],
        ["1.1", "1.10", "1.1", "2", "2", "1.10"],
        ["x", "y", "1", "x", "true", "1.0"],
        ["9007199254740993", "9007199254740992", "1", "1", "0", "0"],
        ["0.5", "1", "2", "0.5", "2", "10"],
    ]
)


def written(columns: Columns, folder: Path) -> Evaluation:
    with (folder / "t.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([list(columns), *zip(*columns.values(), strict=True)])
    return read(folder / "t.csv", gold="gold", systems=[name for name in columns if name != "gold"])


def counted(columns: Columns, folder: Path) -> Evaluation:
    lines = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    (folder / "t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    systems = [name for name in columns if name != "gold"]
    return read(folder / "t.jsonl", gold="gold", systems=systems, stream=True)


def typed_files(columns: Columns, folder: Path) -> Evaluation:
    """One Parquet file per system, of the type that its values can have."""
    for name, values in columns.items():
        try:
            column: list[Any] = [float(value) for value in values if abs(float(value)) < 2**53]
        except ValueError:
            column = []
        whole = len(column) == len(values) and name != "gold"
        pq.write_table(
            pa.table({"prediction": column if whole else list(values)}), folder / f"{name}.parquet"
        )
    systems = {name: folder / f"{name}.parquet" for name in columns if name != "gold"}
    (folder / "gold.txt").write_text("\n".join(columns["gold"]) + "\n", encoding="utf-8")
    return read(systems, gold=folder / "gold.txt")


def framed(columns: Columns, folder: Path) -> Evaluation:
    systems = [name for name in columns if name != "gold"]
    return evaluation_of_frame(pd.DataFrame(dict(columns)), TableOptions.of("gold", systems=systems))


def listed(columns: Columns, folder: Path) -> Evaluation:
    return Evaluation.of(
        {name: list(columns[name]) for name in columns if name != "gold"}, list(columns["gold"])
    )


def studied(columns: Columns, folder: Path) -> Evaluation:
    gold = checked_gold(columns["gold"])
    runs = {name: aligned(gold, columns[name], name)[0] for name in columns if name != "gold"}
    return Evaluation.of(runs, gold.values)


def scores(evaluation: Evaluation) -> dict[str, list[float]]:
    metrics = [resolve(name) for name in METRICS]
    parts = [group.scores.tolist() for group in prepare.groups(evaluation, metrics)]
    return {name: list(of_system) for name, *of_system in zip(evaluation.names, *parts, strict=True)}


@pytest.mark.parametrize("path", [written, counted, typed_files, framed, listed, studied])
def test_a_third_system_changes_nothing(path: Callable[[Columns, Path], Evaluation]) -> None:
    in_memory = path in (framed, listed, studied)

    @settings(max_examples=60 if in_memory else 5, deadline=None)
    @given(GOLDS, st.data())
    def holds(gold: list[str], data: st.DataObject) -> None:
        column = st.lists(ANY, min_size=N - 1, max_size=N - 1)
        # Each shares a label with the gold: a column that shares none may be refused.
        columns = {name: [gold[0], *data.draw(column, label=name)] for name in "abc"}
        with tempfile.TemporaryDirectory() as folder:
            two = path({"gold": gold, "a": columns["a"], "b": columns["b"]}, Path(folder))
            three = path({"gold": gold, **columns}, Path(folder))
            alone, beside = scores(two), scores(three)
        assert {name: beside[name] for name in "ab"} == {
            name: pytest.approx(values, abs=1e-12) for name, values in alone.items()
        }
        for name in "ab":
            assert np.array_equal(two.systems[name], three.systems[name])

    holds()
