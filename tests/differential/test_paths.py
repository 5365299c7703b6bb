"""The same table by every path gives the same comparison."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from tests.differential.paths import MAPPING, PATHS, InputPath
from tests.differential.rounds import generator, rounds
from tests.differential.tables import RandomTable, random_settings, random_table

import bestby as bb
from bestby._core.errors import BestbyError

ABOUT_INPUT = {"read_as", "counted"}
"""Notes on the path, not on the data."""


def _compared(path: InputPath, table: RandomTable, folder: Path, on_missing: str, settings: Any) -> Any:
    """Return the comparison by a path, or the error that refuses it."""
    try:
        positional, named = path.arguments(table, folder, on_missing)
        return bb.compare(*positional, **named, **settings)
    except BestbyError as error:
        return error


def _numbers(result: bb.results.Comparison) -> dict[str, Any]:
    """Return everything of a result that must not depend on the path."""
    out: dict[str, Any] = {"n": result.n_items, "clusters": result.n_clusters}
    for entry in result.systems:
        key = f"system {entry.system}"
        out[key] = [entry.score, *_ends(entry.interval), entry.rank_low, entry.rank_high, entry.group]
    for d in result:
        key = f"difference {d.a} - {d.b}"
        out[key] = [d.estimate, *_ends(d.interval), d.p_value, d.p_adjusted, d.n_differing]
        out[key] += [d.test.method, d.exact, d.verdict, *sorted(note.code for note in d.notes)]
    out["order"] = [(d.a, d.b) for d in result]
    out["omnibus"] = [(test.statistic, test.p_value) for test in result.omnibus]
    out["notes"] = sorted({note.code for note in result.notes} - ABOUT_INPUT)
    return out


def _ends(interval: Any) -> list[Any]:
    return [None] if interval is None else [interval.low, interval.high, interval.method]


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12) or (one != one and other != other)
    return bool(one == other)


def assert_same(first: bb.results.Comparison, second: bb.results.Comparison, where: str) -> None:
    """Fail where a number, a method or a note of two comparisons differs."""
    expected, found = _numbers(first), _numbers(second)
    assert expected.keys() == found.keys(), where
    for key, value in expected.items():
        assert _same(value, found[key]), f"{where}, {key}: {value} in memory, {found[key]} by this path"


@rounds(30)
def test_every_path_gives_the_same_comparison(number: int, tmp_path: Path) -> None:
    rng = generator("paths", number)
    table = random_table(rng)
    settings = random_settings(rng, table)
    ways = ["drop", "worst", "drop-systems", "pairs", "bounds"]
    on_missing = str(rng.choice(ways)) if table.has_missing else "error"
    expected = _compared(MAPPING, table, tmp_path, on_missing, settings)
    for path in _chosen(rng, table):
        folder = tmp_path / path.name.replace(" ", "_")
        folder.mkdir()
        result = _compared(path, table, folder, on_missing, settings)
        where = f"{path.name}, {table.kind}, {on_missing}, {settings}"
        if isinstance(expected, BestbyError):
            assert isinstance(result, type(expected)), f"{where}: refused in memory ({expected}), not here"
        else:
            assert not isinstance(result, BestbyError), f"{where}: {result}"
            assert_same(expected, result, where)


def _chosen(rng: np.random.Generator, table: RandomTable) -> list[InputPath]:
    """Return four of the paths that the table can take."""
    able = [path for path in PATHS if path.applies(table)]
    return [able[place] for place in rng.permutation(len(able))[:4]]
