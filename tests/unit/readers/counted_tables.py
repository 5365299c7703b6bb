"""Tables of labels, written in several forms, and how a counted one is compared with the same in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb

from bestby import compare
from bestby.data.evaluation import Evaluation
from bestby.readers import read

ROWS = [
    (f"q{i}", "xyz"[i % 3], "xyz"[(i + i // 5) % 3], "xyz"[(i * i) % 3], "de" if i < 30 else "en")
    for i in range(50)
]


NAMES = ("id", "label", "aen", "bert", "lang")


def csv_of(rows: list[tuple[str, ...]], names: tuple[str, ...] = NAMES) -> str:
    return "\n".join(",".join(row) for row in [names, *rows]) + "\n"


def jsonl_of(rows: list[tuple[str, ...]]) -> str:
    return "\n".join(json.dumps(dict(zip(NAMES, row, strict=True))) for row in rows) + "\n"


def parquet_of(path: Path, rows: list[tuple[str, ...]], kinds: str = "VARCHAR") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE t ({', '.join(f'{name} {kinds}' for name in NAMES)})")
        database.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(NAMES))})", rows)
        database.execute(f"COPY t TO '{path}' (FORMAT parquet)")


def same(one: Evaluation, other: Evaluation, **asked: Any) -> None:
    """The first in memory, the second counted."""
    assert one.counts is None
    assert other.counts is not None
    results = [compare(data, n_resamples=100, **asked) for data in (one, other)]
    assert list(results[0].differences) == list(results[1].differences)
    assert results[0].systems == results[1].systems
    assert results[0].signature == results[1].signature


def both(paths: Any, **arguments: Any) -> tuple[Evaluation, Evaluation]:
    one = read(paths, stream=False, **arguments)
    other = read(paths, stream=True, **arguments)
    assert [note.code for note in other.notes[:2]] == ["read_as", "counted"]
    assert one.notes[0] == other.notes[0]
    return one, other


CHOSEN: dict[str, Any] = {"gold": "label", "systems": ["aen", "bert"]}
