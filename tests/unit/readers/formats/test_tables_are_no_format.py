"""An ordinary table, wide or long, in any form, is taken for no format of a tool."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bestby.readers.formats.base import format_in

CELLS: dict[str, list[Any]] = {
    "words": ["x", "y"],
    "classes": ["B", "I", "O"],
    "labels": ["positive", "negative", "not sure"],
    "texts": ["the cat sat", 'he said "no" {sic}', "a (b) c", "1, 2"],
    "ids": ["q1", "q-2", "u_3"],
    "numbers": [1, 0, 12, -3],
    "scores": [0.5, 0.25, 1.0, -0.125],
    "booleans": [True, False],
}
NAMES = ("system", "bert", "gpt-4", "model_1", "score", "prediction", "target", "text", "language", "length")
WIDTHS = (2, 3, 5, 8, 12, 30)


def records(kind: str, n_columns: int, n_rows: int) -> list[dict[str, Any]]:
    """Return the rows of a wide table with item, gold and systems, or of one with systems only."""
    draw = random.Random(f"{kind}{n_columns}")
    names = ["item", "gold", *NAMES[1:4], *(f"system {i}" for i in range(n_columns))][:n_columns]
    if n_columns % 2:
        names = [f"s{i}" for i in range(n_columns)]
    rows = []
    for row in range(n_rows):
        cells = {name: draw.choice(CELLS[kind]) for name in names}
        rows.append({**cells, "item": str(row)} if "item" in cells else cells)
    return rows


def long_records(kind: str) -> list[dict[str, Any]]:
    """Return the rows of a long table."""
    draw = random.Random(kind)
    return [
        {
            "system": system,
            "item": f"q{item}",
            "gold": draw.choice(CELLS[kind]),
            "prediction": draw.choice(CELLS[kind]),
        }
        for system in ("bert", "gpt")
        for item in range(20)
    ]


def written(rows: list[dict[str, Any]]) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of files of one table, in each form."""
    for name, delimiter in (("t.csv", ","), ("t.tsv", "\t"), ("t.txt", ","), ("t", ";")):
        stream = io.StringIO()
        writer = csv.DictWriter(stream, [*rows[0]], delimiter=delimiter, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        yield name, stream.getvalue().encode()
    yield "t.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode()
    yield "spaced.jsonl", "".join(json.dumps(row) + "\r\n\r\n" for row in rows).encode()
    yield "t.json", json.dumps(rows).encode()
    yield "indented.json", json.dumps(rows, indent=1).encode()


def check(folder: Path, rows: list[dict[str, Any]]) -> None:
    for name, content in written(rows):
        path = folder / name
        path.write_bytes(content)
        form = format_in(path)
        assert form is None, (form, name, content[:200])


@pytest.mark.long
@pytest.mark.parametrize("kind", CELLS)
def test_ordinary_tables(tmp_path: Path, kind: str) -> None:
    for n_columns in WIDTHS:
        for n_rows in (2, 20):
            check(tmp_path, records(kind, n_columns, n_rows))
    check(tmp_path, long_records(kind))


def test_wide_lines_that_are_longer_than_what_is_looked_at(tmp_path: Path) -> None:
    rows = records("labels", 6000, 3)
    assert len(json.dumps(rows[0])) > 1 << 16
    check(tmp_path, rows)


@pytest.mark.parametrize("kind", CELLS)
def test_plain_values(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"{CELLS[kind][i % len(CELLS[kind])]}\n" for i in range(40)))
    assert format_in(path) is None


def test_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for kind in CELLS:
        parquet.write_table(pa.Table.from_pylist(records(kind, 9, 20)), tmp_path / "t.parquet")
        assert format_in(tmp_path / "t.parquet") is None
