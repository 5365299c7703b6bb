"""Tables that are counted: the same numbers as a table in memory, and why one cannot be counted."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.readers.counted_tables import CHOSEN, ROWS, both, csv_of, jsonl_of, same
from tests.unit.readers.helpers import Make, message

from bestby import Reading, compare
from bestby._core.errors import BestbyError, DesignError
from bestby.readers import large_tables, read


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("table.csv", csv_of(ROWS)),
        ("table.tsv", csv_of(ROWS).replace(",", "\t")),
        ("crlf.csv", csv_of(ROWS).replace("\n", "\r\n")),
        ("spaces.csv", csv_of(ROWS).replace(",", " , ")),
        ("quoted.csv", '"' + csv_of(ROWS).replace(",", '","').replace("\n", '"\n"')[:-1]),
        ("packed.csv.gz", gzip.compress(csv_of(ROWS).encode(), mtime=0)),
        ("rows.jsonl", jsonl_of(ROWS)),
        ("rows.jsonl.gz", gzip.compress(jsonl_of(ROWS).encode(), mtime=0)),
        ("numbers.csv", csv_of(ROWS).translate(str.maketrans("xyz", "012"))),
        ("a[1]*?.csv", csv_of(ROWS)),
    ],
)
def test_one_file_is_counted_to_the_same_numbers(make: Make, name: str, content: str | bytes) -> None:
    path = make(name, content)
    one, other = both(path, **CHOSEN)
    assert other.n_rows < 50
    same(one, other, metric=["accuracy", "f1_macro"])
    one, other = both(path, strata="lang", **CHOSEN)
    same(one, other)


def test_large_tables_are_counted_and_small_ones_are_not(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make("t.csv", csv_of(ROWS))
    assert read(path, **CHOSEN).counts is None
    monkeypatch.setattr(large_tables, "COUNTED_FROM", 100)
    assert read(path, **CHOSEN).counts is not None
    # What cannot be counted is read whole, as ever.
    assert read(path, clusters="lang", **CHOSEN).clusters is not None
    long = make(
        "long.csv",
        "system,item,prediction,gold\n" + "\n".join(f"{s},{i},x,x" for s in "ab" for i in range(50)),
    )
    assert read(long).counts is None
    monkeypatch.setattr(large_tables, "MOST_CELLS", 3)
    assert read(path, **CHOSEN).counts is None


MISSING = "label,aen,bert\nx,x,y\ny,NA,y\nx,,x\ny,y,NA\nx,x,x\ny,y,y\n"


@pytest.mark.parametrize("on_missing", ["drop", "worst"])
@pytest.mark.parametrize(
    "body", [MISSING, MISSING.translate(str.maketrans("xy", "12"))], ids=["text", "numbers"]
)
def test_missing_predictions_follow_the_same_policy(make: Make, on_missing: str, body: str) -> None:
    one, other = both(make("m.csv", body), gold="label", on_missing=on_missing)
    assert [note for note in other.notes if note.code != "counted"] == list(one.notes)
    same(one, other, metric=["accuracy", "f1_macro"])


@pytest.mark.parametrize("on_missing", ["drop", "worst"])
def test_missing_scores_follow_the_same_policy(make: Make, on_missing: str) -> None:
    rows = [(f"{i % 3}", "NA" if i % 7 == 0 else f"{i % 4}", "NA" if i % 14 == 0 else "1") for i in range(40)]
    path = make("s.csv", csv_of(rows, ("aen", "bert", "c")).replace("\n0,NA,NA\n", "\nNA,NA,NA\n"))
    one, other = both(path, on_missing=on_missing)
    assert [note for note in other.notes if note.code != "counted"] == list(one.notes)
    same(one, other)


@pytest.mark.parametrize(
    ("content", "arguments", "expected"),
    [
        (MISSING, {}, "{}: system 'aen' has no value for 2 of 6 items"),
        (MISSING.replace("y,y,y", "NA,y,y"), {}, "{}: the gold is missing for 1 of 6 items"),
        (MISSING, {"systems": ["aen", "cat"]}, "{} has no column 'cat' (named as system)"),
        (MISSING, {"gold": "truth"}, "{} has no column 'truth' (named as gold)"),
        (MISSING, {"strata": "aen", "systems": ["bert", "label"]}, "{}: column 'label' cannot be gold and system at once"),
        ("label\nx\n", {}, "{}: there is no column of a system (gold: label)"),
        ("label,aen,bert\n", {}, "{} has a header but no rows"),
        ("label,aen,bert\nx,x,y\nx,y\n", {}, "{}, line 3: expected 3 columns, found 2"),
        ("label,aen,bert\nx,x,x\n", {}, "a comparison needs at least 2 items, got 1"),
        ("label,aen,bert\nx,x,text one\ny,y,text two\n", {}, "{}: column 'bert' shares no value with the gold; is it a system?"),
    ],
)  # fmt: skip
def test_errors_are_of_two_lines(make: Make, content: str, arguments: dict[str, Any], expected: str) -> None:
    path = make("t.csv", content)
    assert message(path, stream=True, **({"gold": "label"} | arguments)) == expected


@pytest.mark.parametrize(
    ("content", "arguments", "expected"),
    [
        ("label,aen,bert,doc\nx,x,y,1\ny,y,y,2\n", {"clusters": "doc"}, "clusters (column doc) need every item"),
        ("system,item,prediction\na,1,x\nb,1,x\n", {"gold": None}, "only wide tables of labels can be counted, and this one is long (a row per item and system)"),
        ("label,aen,bert\nx,x,y\ny,y,y\n", {"texts": True}, "only wide tables of labels can be counted, and these hold texts"),
        ("label,a[x],a[y],b[x],b[y]\nx,0,1,0,1\ny,1,0,0,1\n", {}, "only wide tables of labels can be counted, and column 'a' holds soft labels"),
        ("label,aen,bert\nx,x,y\ny,y,y\n", {"reading": Reading(system_column="aen")}, "a long table cannot be counted"),
    ],
)  # fmt: skip
def test_what_cannot_be_counted_says_so(
    make: Make, content: str, arguments: dict[str, Any], expected: str
) -> None:
    path = make("t.csv", content)
    with pytest.raises(DesignError) as caught:
        read(path, **({"gold": "label", "stream": True} | arguments))
    assert caught.value.message == expected
    assert caught.value.hint


def test_several_files_and_other_formats_cannot_be_counted(make: Make) -> None:
    one, two = make("a.txt", "x\ny\n"), make("b.txt", "x\nx\n")
    with pytest.raises(DesignError, match="only one wide table can be counted"):
        read([one, two], gold=str(make("gold.txt", "x\ny\n")), stream=True)
    array = make(
        "t.json", '[{"label": "x", "aen": "x", "bert": "y"}, {"label": "y", "aen": "x", "bert": "y"}]'
    )
    with pytest.raises(DesignError, match="single JSON array"):
        read(array, gold="label", stream=True)


def test_many_distinct_rows_need_ids(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_tables, "MOST_CELLS", 3)
    path = make("t.csv", csv_of(ROWS))
    with pytest.raises(DesignError) as caught:
        read(path, gold="label", systems=["aen", "bert"], stream=True)
    assert " distinct rows, more than the 3 that are counted, and " in caught.value.message
    assert caught.value.message.endswith("items have no ids, which their resamples are drawn by (items=...)")
    with pytest.raises(DesignError, match="column 'aen' holds text, not scores"):
        read(path, gold="label", systems=["aen", "bert"], items="id", stream=True)


cell = st.sampled_from(["x", "y", " x", "NA", "", "01", "1", "1.0", "true", "é"])


@pytest.mark.long
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["x", "y", "1"]), cell, cell, st.sampled_from("st")),
        min_size=1,
        max_size=25,
    ),
    on_missing=st.sampled_from(["error", "drop", "worst"]),
    cut=st.integers(0, 25),
)
def test_any_small_table_reads_alike(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]], on_missing: Any, cut: int
) -> None:
    """Counted or whole, in one file or two: the same numbers and signature, or both an error."""
    folder = tmp_path_factory.mktemp("any")
    names = ("gold", "a", "b", "stratum")
    for name, part in (("p0.csv", rows[:cut]), ("p1.csv", rows[cut:])):
        if part:
            (folder / name).write_text(csv_of(part, names), encoding="utf-8")
    results: list[Any] = []
    for stream in (False, True):
        try:
            data = read(str(folder / "*.csv"), stream=stream, on_missing=on_missing)
            found = compare(data, metric=["accuracy", "f1_macro"], n_resamples=30)
            results.append((found.signature, list(found.differences), found.systems))
        except BestbyError as error:
            results.append(error.message.partition("; first")[0])
    assert results[0] == results[1]


def test_late_keys_of_json_are_systems(make: Make) -> None:
    rows = [{"gold": "x", "a": "x", "b": "y"} for _ in range(150)]
    rows += [{"gold": "y", "a": "y", "b": "y", "c": "x"} for _ in range(50)]
    path = make("r.jsonl", "\n".join(map(json.dumps, rows)) + "\n")
    one, other = both(path, on_missing="worst")
    assert one.names == other.names == ("a", "b", "c")
    same(one, other)


def test_types_of_json_stay_what_they_are(make: Make) -> None:
    rows: list[dict[str, Any]] = [
        {"gold": i % 2 == 0, "a": i % 3 == 0, "b": None if i == 4 else i % 5 == 0} for i in range(40)
    ]
    path = make("r.jsonl", "\n".join(map(json.dumps, rows)) + "\n")
    one, other = both(path, on_missing="drop")
    assert one.gold is not None
    assert one.gold.dtype == np.bool_
    same(one, other)


BLANK = ",,,,\n  , ,,\t,\n,,,,\n"


@pytest.mark.parametrize(
    "files",
    [
        {"t.csv": csv_of(ROWS) + BLANK},
        {"t.csv.gz": gzip.compress((csv_of(ROWS) + BLANK).encode())},
        {"d/1.csv": csv_of(ROWS[:20]) + BLANK, "d/2.csv": csv_of(ROWS[20:35]), "d/3.csv": csv_of(ROWS[35:]) + BLANK},
    ],
    ids=["plain", "packed", "several"],
)  # fmt: skip
def test_rows_without_a_value_at_the_end_are_no_items(tmp_path: Path, files: dict[str, Any]) -> None:
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    one, other = both(tmp_path / next(iter(files)).split("/")[0], gold="label", systems=["aen", "bert"])
    assert one.n_items == other.n_items == len(ROWS)
    same(one, other)


def test_rows_without_a_value_elsewhere_are_items_without_a_value(make: Make) -> None:
    path = make("t.csv", csv_of(ROWS[:9]) + BLANK + csv_of(ROWS[9:]).split("\n", 1)[1] + BLANK)
    for stream in (False, True):
        found = message(path, stream=stream, gold="label", systems=["aen", "bert"])
        assert "{}: the gold is missing for 3 of 53 items" in found.replace("label", "gold"), found


@pytest.mark.parametrize(("start", "form"), [(0, "csv"), (1, "csv"), (0, "jsonl"), (1, "parquet")])
def test_a_column_of_row_numbers_is_no_system(tmp_path: Path, start: int, form: str) -> None:
    rows = [(gold, a, b, i + start) for i, (_, gold, a, b, _) in enumerate(ROWS)]
    names, path = ("gold", "aen", "bert", "No."), tmp_path / f"t.{form}"
    if form == "csv":
        path.write_text(csv_of([tuple(map(str, row)) for row in rows], names), encoding="utf-8")
    elif form == "jsonl":
        path.write_text("\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows), "utf-8")
    else:
        pd.DataFrame(rows, columns=[*names]).to_parquet(path)
    refused = [message(path, stream=stream) for stream in (False, True)]
    assert refused[0] == refused[1]
    assert "column 'No.'" in refused[0]
    assert read(path, stream=True, items="No.").names == ("aen", "bert")
