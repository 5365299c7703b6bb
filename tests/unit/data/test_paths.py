"""The same table gives the same scores on every path by which it can come."""

# ruff: noqa: E501 - rows of tables

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bestby import Study, compare, read
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.items import evaluation_of_frame
from bestby.data.roles import TableOptions
from bestby.engine import prepare
from bestby.metrics import resolve
from bestby.questions.study.source import aligned, checked_gold

Cells = dict[str, list[str]]

WHOLE, BIG, HUGE = "9007199254740992", "9007199254740993", "10000000000000000001"

# The spellings of gold, a and b, and the scores (right of 6) of a and b.
TABLES: dict[str, tuple[str, str, str, int, int]] = {
    "whole numbers": ("0 1 0 1 2 2", "0 1 1 1 2 0", "1 1 0 1 2 2", 4, 5),
    "as pandas writes them after a gap": ("0 1 0 1 1 0", "0.0 1.0 0.0 1.0 1.0 1.0", "0 1 0 0 0 1", 5, 3),
    "a text among numbers": ("0 1 0 1 1 0", "0.0 1.0 0.0 1.0 1.0 1.0", "0 unknown 0 1 1 ?", 5, 4),
    "numbers among texts": ("0 1 no 1 1 0", "0.0 1.0 no 1.0 1 1", "no 1 0 1 1 0", 5, 4),
    "beyond 53 bits": (f"{BIG} 1 {BIG} 1 1 2", f"{WHOLE} 1 {BIG} 1 1 2", f"{BIG} 1 {BIG} 1 2 1", 5, 4),
    "beyond 64 bits": (f"{HUGE} 1 {HUGE} 1 1 2", f"{HUGE[:-1]}2 1 {HUGE} 1 1 2", "1 1 1 1 1 2", 5, 4),
    "beyond 53 bits, beside a half": (f"{BIG} 1 {BIG} 1 1 2", f"{WHOLE} 1 {BIG} 1 1 2", "0.5 1 0.5 1 1 2", 5, 4),
    "halves": ("0.5 1 2 0.5 1.5 2", "0.50 1.0 2 0.5 1.5 2.5", "0.5 1 2 1 1 1", 5, 3),
    "codes with zeros at the end": ("1.1 1.10 1.1 1.2 1.2 1.1", "1.10 1.10 1.1 1.2 1.2 1.1", "1.1 1.1 1.1 1 2 3", 5, 2),
    "codes with zeros in front": ("01 1 01 2 2 1", "1 1 01 2 2 1", "01 01 01 2 2 2", 5, 4),
    "codes with an e": ("12e1 120 12e1 3 3 4", "120 120 12e1 3 3 4", "12e1 120 12e1 4 4 3", 5, 3),
    "booleans": ("true false true false true true", "True False True False True False", "1 0 1 1 0 0", 5, 3),
    "0 and 1, beside booleans": ("1 0 1 0 1 1", "true false TRUE False true false", "1 0 1 1 0 0", 5, 3),
    "booleans among texts": ("true false maybe true true false", "True FALSE maybe True 1 maybe", "0 x x true x x", 4, 1),
    "words that spell booleans": ("True true a a b b", "true true a a b b", "True True a a a a", 5, 3),
    "a boolean against a number": ("0 1 2 2 1 0", "0 True 2 2 1 2", "0 1 x x x x", 5, 2),
    "signs": ("-1 1 0 -1 1 0", "-1.0 +1 -0 -1 1 1", "-1 1 0 1 -1 1", 5, 3),
    "words for numbers": ("inf x nan_ x inf x", "inf x nan_ x inf inf", "Inf x x x inf x", 5, 4),
    "underscores and other digits": ("1_000 1000 ٣ 3 x x", "1000 1000 ٣ 3 x x", "1_000 1000 3 3 x y", 5, 4),
    "quotes and commas": ('a,b "c" d a,b "c" d', 'a,b "c" d a,b "c" x', 'a,b c d a,b "c" x', 5, 4),
}  # fmt: skip


def cells_of(name: str) -> Cells:
    gold, a, b = (column.split(" ") for column in TABLES[name][:3])
    return {"id": [f"q{i}" for i in range(6)], "gold": gold, "a": a, "b": b}


def as_csv(cells: Cells, mark: str = ",") -> str:
    rows = [list(cells), *map(list, zip(*cells.values(), strict=True))]
    return "".join(mark.join('"' + c.replace('"', '""') + '"' for c in row) + "\n" for row in rows)


def as_lines(cells: Cells, typed: bool = False) -> str:
    def value(text: str) -> Any:
        try:
            found = json.loads(text) if typed else text
        except ValueError:
            return text
        exact = isinstance(found, bool) or (isinstance(found, int | float) and str(found) == text)
        return found if exact else text

    rows = zip(*cells.values(), strict=True)
    return "".join(json.dumps({k: value(v) for k, v in zip(cells, row, strict=True)}) + "\n" for row in rows)


def table(form: str, stream: bool = False) -> Callable[[Cells, Path], Any]:
    def path(cells: Cells, folder: Path) -> Any:
        file = folder / f"t.{form.partition(' ')[0]}"
        if form == "parquet":
            pq.write_table(pa.table(cells), file)
        else:
            lines = as_lines(cells, typed=form.endswith("typed"))
            text = lines if form.startswith("jsonl") else as_csv(cells, "\t" if form == "tsv" else ",")
            file.write_text(text, encoding="utf-8")
        return read(file, gold="gold", systems=["a", "b"], stream=stream or None)

    return path


def one_per_system(cells: Cells, folder: Path) -> Any:
    for name in ("a", "b"):
        part = {"id": cells["id"], "prediction": cells[name]}
        (folder / f"{name}.csv").write_text(as_csv(part), encoding="utf-8")
    (folder / "gold.jsonl").write_text(as_lines({"id": cells["id"], "gold": cells["gold"]}), encoding="utf-8")
    return read({name: folder / f"{name}.csv" for name in ("a", "b")}, gold=folder / "gold.jsonl")


def long_table(cells: Cells, folder: Path) -> Any:
    long = {
        "system": ["a"] * 6 + ["b"] * 6,
        "id": cells["id"] * 2,
        "gold": cells["gold"] * 2,
        "prediction": cells["a"] + cells["b"],
    }
    (folder / "long.csv").write_text(as_csv(long), encoding="utf-8")
    return read(folder / "long.csv")


def frame(maker: Callable[[Cells], Any]) -> Callable[[Cells, Path], Any]:
    def path(cells: Cells, folder: Path) -> Any:
        return maker(cells)

    return path


def mapping(cells: Cells, folder: Path) -> Any:
    keyed = {name: dict(zip(cells["id"], cells[name], strict=True)) for name in ("gold", "a", "b")}
    return Evaluation.of({name: keyed[name] for name in ("a", "b")}, keyed["gold"])


def typed_lists(cells: Cells, folder: Path) -> Any:
    lists = [json.loads(line) for line in as_lines(cells, typed=True).splitlines()]
    column = {name: [row[name] for row in lists] for name in ("gold", "a", "b")}
    return Evaluation.of({name: column[name] for name in ("a", "b")}, column["gold"])


PATHS: dict[str, Callable[[Cells, Path], Any]] = {
    "csv": table("csv"),
    "tsv": table("tsv"),
    "jsonl": table("jsonl"),
    "jsonl typed": table("jsonl typed"),
    "parquet": table("parquet"),
    "csv, counted": table("csv", stream=True),
    "jsonl typed, counted": table("jsonl typed", stream=True),
    "parquet, counted": table("parquet", stream=True),
    "one file per system": one_per_system,
    "long": long_table,
    "pandas": frame(pd.DataFrame),
    "polars": frame(pl.DataFrame),
    "polars, lazy": frame(pl.LazyFrame),
    "arrow": frame(pa.table),
    "mapping": mapping,
    "lists": typed_lists,
}


TYPED = ("jsonl typed", "jsonl typed, counted", "lists")


def right(data: Any) -> dict[str, int]:
    evaluation = (
        data
        if isinstance(data, Evaluation)
        else evaluation_of_frame(data, TableOptions.of("gold", systems=["a", "b"]))
    )
    (group,) = prepare.groups(evaluation, [resolve("accuracy")])
    return dict(zip(evaluation.names, np.rint(6 * group.scores).astype(int).tolist(), strict=True))


@pytest.mark.long
@pytest.mark.parametrize("name", list(TABLES))
def test_scores_do_not_depend_on_the_path(name: str, tmp_path: Path) -> None:
    cells = cells_of(name)
    expected = dict(zip("ab", TABLES[name][3:], strict=True))
    # JSON knows no "True": beside it, true is a text that was meant as a boolean.
    paths = {p: of for p, of in PATHS.items() if name != "words that spell booleans" or p not in TYPED}
    assert {path: right(of(cells, tmp_path)) for path, of in paths.items()} == dict.fromkeys(paths, expected)


@pytest.mark.parametrize("name", list(TABLES))
def test_nor_on_whether_a_study_keeps_them(name: str) -> None:
    cells = cells_of(name)
    gold = checked_gold(cells["gold"])
    runs = {system: aligned(gold, cells[system], system)[0] for system in "ab"}
    scores = right(Evaluation.of(runs, gold.values))
    assert scores == dict(zip("ab", TABLES[name][3:], strict=True))


def test_compare_and_study_agree(tmp_path: Path) -> None:
    cells = cells_of("a text among numbers")
    gold = [text == "1" for text in cells["gold"]]  # a study begun with booleans, and runs from files
    study = Study(tmp_path / "study")
    for system in "ab":
        study.add(system, run=0, predictions=cells[system], gold=gold if system == "a" else None)
    found = study.compare(metric="accuracy", n_resamples=50)
    direct = compare({name: cells[name] for name in "ab"}, gold, n_resamples=50)
    assert {s: 6 * found.score(s).runs[0] for s in "ab"} == pytest.approx({"a": 5, "b": 4})
    assert {entry.system: 6 * entry.score for entry in direct.systems} == pytest.approx({"a": 5, "b": 4})


def test_what_became_one_label_is_named(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("gold,a,b\n1.10,1.1,1.10\n1.2,1.2,1.2\n3,3.0,4\n", encoding="utf-8")
    note = next(note for note in read(file, gold="gold").notes if note.code == "labels_merged")
    assert "'1.1' and '1.10'; '3' and '3.0'" in note.message
    file.write_text("gold,a,b\n1.10,1.10,1.10\n1.2,1.2,1.2\n3,3,4\n", encoding="utf-8")
    assert "labels_merged" not in {note.code for note in read(file, gold="gold").notes}


def test_numbers_in_two_spellings_are_no_news_to_a_metric_of_numbers() -> None:
    data = Evaluation.of({"a": ["1.50", "2"], "b": ["1", "2"]}, ["1.5", "2"])
    assert "labels_merged" in {note.code for note in compare(data, n_resamples=20).notes}
    numbers = [1.5, 2.0]
    plain = Evaluation.of({"a": numbers, "b": [1.0, 2.0]}, numbers)
    noted = dataclasses.replace(plain, notes=data.notes)
    assert "labels_merged" not in {note.code for note in compare(noted, metric="mse", n_resamples=20).notes}
