"""Tables in many files and folders: the same numbers as one table, in memory and counted."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from tests.unit.readers.counted_tables import CHOSEN, NAMES, ROWS, both, csv_of, parquet_of, same
from tests.unit.readers.helpers import columns, message

from bestby import compare
from bestby._core.errors import BestbyError, InvalidInputError
from bestby.readers import joined_files, read


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    parquet_of(tmp_path / "preds" / "lang=de" / "part-0.parquet", ROWS[:30])
    parquet_of(tmp_path / "preds" / "lang=en" / "part-0.parquet", ROWS[30:40])
    parquet_of(tmp_path / "preds" / "lang=en" / "part-1.parquet", ROWS[40:])
    (tmp_path / "preds" / "_SUCCESS").touch()
    (tmp_path / "preds" / "lang=de" / ".part-0.parquet.crc").write_bytes(b"crc")
    return tmp_path


@pytest.mark.parametrize(
    "pattern", ["preds/*/*.parquet", "preds/**/*.parquet", "preds", "preds/lang=*/part*.parquet"]
)
def test_many_files_are_one_table(folder: Path, pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    one, other = both(pattern, items="id", **CHOSEN)
    assert one.n_items == other.n_items == 50
    assert one.notes[0].message.startswith(f"{pattern} was read as a wide table; systems: aen, bert")
    whole = folder / "whole.parquet"
    parquet_of(whole, ROWS)
    assert sorted(columns(one)) == sorted(columns(read(whole, items="id", **CHOSEN)))
    same(read(whole, items="id", **CHOSEN), other)
    same(one, other)


def test_folders_name_a_column(tmp_path: Path) -> None:
    for name, rows in (("lang=de", ROWS[:30]), ("lang=zh%2FTW", ROWS[30:])):
        path = tmp_path / name / "part.csv"
        path.parent.mkdir()
        path.write_text(csv_of([row[:4] for row in rows], NAMES[:4]), encoding="utf-8")
    one, other = both(str(tmp_path), strata="lang", **CHOSEN)
    assert one.strata is not None
    assert sorted({*one.strata.tolist()}) == ["de", "zh/TW"]
    assert other.strata is not None
    assert sorted({*other.strata.tolist()}) == ["de", "zh/TW"]
    same(one, other, metric="f1_macro")
    # It is no system, though every column without another part is one.
    assert read(tmp_path, gold="label").names == ("aen", "bert")
    assert read(tmp_path, gold="label", stream=True).names == ("aen", "bert")


def test_a_folder_without_a_value_is_a_missing_one(tmp_path: Path) -> None:
    for name in ("lang=de", "lang=__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.csv").write_text(csv_of([row[:4] for row in ROWS], NAMES[:4]), encoding="utf-8")
    told = message(str(tmp_path), strata="lang", stream=True, **CHOSEN)
    assert told == f"{tmp_path}: stratum column 'lang' has no value in 50 of 100 rows"


def test_columns_in_another_order_and_of_another_type(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("label,aen,bert\n1,1,2\n2,2,2\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("bert;label;aen\n1;1;2\n2;2;1\n", encoding="utf-8")
    one, other = both(str(tmp_path / "*.csv"), gold="label")
    assert columns(one) == {"gold": [1, 2, 1, 2], "aen": [1, 2, 2, 1], "bert": [2, 2, 1, 2]}
    same(one, other)
    with duckdb.connect() as database:
        for name, kind in (("p0", "INTEGER"), ("p1", "BIGINT"), ("p2", "DOUBLE")):
            database.execute(
                f"COPY (SELECT 1::{kind} label, 1::{kind} aen, x::{kind} bert FROM range(3) t(x)) TO '{tmp_path / name}.parquet' (FORMAT parquet)"
            )
    one, other = both(str(tmp_path / "p[01].parquet"), gold="label")
    same(one, other)
    one, other = both(str(tmp_path / "*.parquet"), gold="label")
    assert compare(one).differences[0] == compare(other).differences[0]


def test_the_size_is_told_by_rows_or_bytes(tmp_path: Path) -> None:
    parquet_of(tmp_path / "a.parquet", ROWS)
    parquet_of(tmp_path / "b.parquet", ROWS)
    found = joined_files.pieces_of(str(tmp_path / "*.parquet"))
    assert found is not None
    assert found.n_values() == 100 * 5
    (tmp_path / "a.csv").write_text(csv_of(ROWS), encoding="utf-8")
    one = joined_files.single(tmp_path / "a.csv")
    assert one is not None
    assert one.n_values() == len(csv_of(ROWS)) // 4


@pytest.mark.parametrize(
    ("make_files", "pattern", "expected"),
    [
        ({}, "*.parquet", "no file matches '{}'"),
        ({"a.csv": "x,y\n1,2\n", "b.jsonl": '{"x": 1, "y": 2}\n'}, "*", "the files of one table must be of one kind, but {0}/a.csv is delimited, {0}/b.jsonl is json"),
        ({"a.csv": "x,y\n1,2\n", "b.csv": "x,z\n1,2\n"}, "*.csv", "{0}/b.csv has no column 'y', which {0}/a.csv has"),
        ({"a.csv": "x,y\n1,2\n", "b.csv": "x,y,z\n1,2,3\n"}, "*.csv", "{0}/a.csv has no column 'z', which {0}/b.csv has"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("stream", [True, False])
def test_patterns_that_match_no_table(
    tmp_path: Path, make_files: dict[str, str], pattern: str, expected: str, stream: bool
) -> None:
    for name, content in make_files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    given = str(tmp_path / pattern)
    with pytest.raises(InvalidInputError) as caught:
        read(given, stream=stream)
    assert caught.value.message == expected.format(tmp_path if "{0}" in expected else given, given)
    assert caught.value.hint
    assert "\n" not in caught.value.hint


def test_an_empty_folder_is_no_table(tmp_path: Path) -> None:
    said = "{} is a folder that holds no table (.parquet, .csv, .tsv, .tab, .jsonl, .ndjson)"
    assert message(tmp_path) == said
    (tmp_path / "a.txt").write_text("x\ny\n", encoding="utf-8")
    with pytest.raises(InvalidInputError) as caught:
        read(tmp_path)
    assert caught.value.hint == f"name its files, one per system: {tmp_path / '*.txt'}"


def test_a_pattern_with_a_name_is_one_system(tmp_path: Path) -> None:
    with pytest.raises(BestbyError, match="no file"):
        read([f"a={tmp_path}/*.csv", f"b={tmp_path}/*.csv"])


@pytest.mark.parametrize(
    ("place", "form"), [(0, "csv"), (1, "csv"), (2, "jsonl"), (0, "parquet"), (2, "parquet")]
)
def test_a_file_without_rows_adds_nothing_to_a_table_of_several(
    tmp_path: Path, place: int, form: str
) -> None:
    names = ["label", "aen", "bert"]
    frame = pd.DataFrame([(int(gold == "x"), len(a), len(b)) for _, gold, a, b, _ in ROWS], columns=names)
    parts = [frame[:20], frame[20:]]
    parts.insert(place, frame[:0])
    for number, part in enumerate(parts):
        path = tmp_path / f"{number}.{form}"
        if form == "csv":
            part.to_csv(path, index=False)
        elif form == "jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in part.to_dict("records")), "utf-8")
        else:
            part.to_parquet(path)
    one, other = both(tmp_path / f"*.{form}", gold="label", systems=["aen", "bert"])
    assert one.n_items == other.n_items == len(ROWS)
    assert one.systems["aen"].dtype.kind == "i"
    same(one, other)
