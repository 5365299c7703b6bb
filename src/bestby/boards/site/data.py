"""The data files of a site: every table as CSV and JSON, numbers unrounded."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from bestby._core.text import safe_json
from bestby._core.typing import Array
from bestby.boards.content import Entry, Gap, Overall, OverallStanding, Standing, Table
from bestby.report.comparison import Comparison, Difference
from bestby.report.data import plain, table_of
from bestby.report.pairs import VERDICTS, Pairs, parts_of
from bestby.report.writers.csv import lines, lines_of_columns
from bestby.results.values import Interval

_GAP = ("other", "difference", "low", "high", "p_adjusted", "verdict")
_PAIRS = ("a", "b", "difference", "low", "high", "p_adjusted", "verdict")

Rows = tuple[Sequence[str], list[dict[str, Any]]]


def standings(table: Table) -> Rows:
    """Return the columns and rows of a table of systems."""
    rows = [
        {
            **_ranked(one),
            "group": one.group,
            "score": one.score,
            **_ends(one.interval),
            **_gap("best", one.to_best),
            **_gap("baseline", one.to_baseline),
            "submission": one.submission,
            "n_submissions": one.n_submissions,
        }
        for one in table.standings
    ]
    return _columns("group", "score", "low", "high", more=("submission", "n_submissions")), rows


def overall(one: Overall) -> Rows:
    """Return the columns and rows of the table over all tasks."""
    rows = [
        {
            **_ranked(standing),
            "mean": standing.mean,
            **_gap("best", standing.to_best),
            **_gap("baseline", standing.to_baseline),
            "n_better": standing.n_better,
            "n_worse": standing.n_worse,
        }
        for standing in one.standings
    ]
    return _columns("mean", more=("n_better", "n_worse")), rows


def submissions(entries: Iterable[Entry]) -> Rows:
    """Return the columns and rows of the list of submissions."""
    names = [field.name for field in dataclasses.fields(Entry)]
    return names, [dataclasses.asdict(one) for one in entries]


def result(c: Any) -> Rows:
    """Return the columns and rows of the first table of slices or of runs."""
    table = table_of(c, None)
    return [field.name for field in table.columns(c)], table.rows(c)


def csv(rows: Rows) -> bytes:
    """Return rows as CSV: floats to the last bit, texts that a spreadsheet does not take for formulas."""
    columns, values = rows
    cells = ([row[name] for name in columns] for row in values)
    return lines(chain([columns], cells), spreadsheet_safe=True).encode()


def as_json(about: Mapping[str, Any], rows: Rows) -> bytes:
    """Return rows as JSON below what they are about; what is undefined is null."""
    columns, values = rows
    listed = [{name: row[name] for name in columns} for row in values]
    return written({**about, "rows": listed})


def written(document: Any) -> bytes:
    """Return a document as JSON."""
    text = json.dumps(plain(document), ensure_ascii=False, indent=1, allow_nan=False)
    return f"{safe_json(text)}\n".encode()


def pairs_csv(c: Comparison) -> bytes:
    """Return the differences of all pairs as CSV."""
    columns = _pairs(c)
    head = lines([list(columns)])
    return (head + lines_of_columns(list(columns.values()), spreadsheet_safe=True)).encode()


def pairs_json(c: Comparison) -> bytes:
    """Return the differences of all pairs as JSON by columns: there may be half a million.

    `a` and `b` are places in the list of systems, from 0.
    """
    columns = _pairs(c)
    systems = list(dict.fromkeys(one.system for one in c.systems))
    place = {name: at for at, name in enumerate(systems)}
    named = {side: [place[name] for name in columns.pop(side)] for side in ("a", "b")}
    numbers = {name: _finite(values) for name, values in columns.items()}
    document = {"metric": c.metrics[0].name, "systems": systems, **named, **numbers}
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return f"{safe_json(text)}\n".encode()


def _finite(values: Sequence[Any] | Array) -> list[Any]:
    """Return a column as JSON knows it: None for numbers that are not finite."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "f" and np.isfinite(values).all():
        return list(values.tolist())
    return [plain(value) for value in values]


def pairs_mark(c: Comparison) -> str:
    """Return a hash of the differences of all pairs, in less time than it takes to write them."""
    mark = hashlib.sha256()
    for part in parts_of(c.differences):
        if isinstance(part, Pairs):
            mark.update(repr((part.metric, part.names)).encode())
            shown = (part.a, part.b, part.estimate, part.low, part.high, part.p_value, part.p_adjusted)
            for column in (*shown, part.verdict):
                mark.update(np.ascontiguousarray(column).tobytes())
        else:
            values = [(d.metric, d.a, d.b, d.estimate, d.interval, d.test, d.p_adjusted) for d in part]
            mark.update(repr((values, [d.verdict for d in part])).encode())
    return mark.hexdigest()


def _pairs(c: Comparison) -> dict[str, Any]:
    """Return the differences of all pairs by columns."""
    parts = [_part(part) for part in parts_of(c.differences)]
    return {name: np.concatenate([part[name] for part in parts]) for name in _PAIRS}


def _part(part: Sequence[Difference]) -> dict[str, Any]:
    if isinstance(part, Pairs):
        names = np.array(part.names, dtype=object)
        verdicts = np.array(VERDICTS, dtype=object)[part.verdict]
        columns = (
            names[part.a],
            names[part.b],
            part.estimate,
            part.low,
            part.high,
            part.p_adjusted,
            verdicts,
        )
        return dict(zip(_PAIRS, columns, strict=True))
    rows = [(d.a, d.b, d.estimate, *_ends(d.interval).values(), d.p_adjusted, d.verdict) for d in part]
    return {name: np.array([row[at] for row in rows], dtype=object) for at, name in enumerate(_PAIRS)}


def _columns(*first: str, more: Sequence[str]) -> tuple[str, ...]:
    gaps = (f"{side}_{name}" for side in ("best", "baseline") for name in _GAP)
    return ("rank_low", "rank_high", "system", *first, *gaps, *more)


def _ranked(one: Standing | OverallStanding) -> dict[str, Any]:
    return {"rank_low": one.rank_low, "rank_high": one.rank_high, "system": one.system}


def _gap(side: str, gap: Gap | None) -> dict[str, Any]:
    if gap is None:
        return {f"{side}_{name}": None for name in _GAP}
    values = (gap.other, gap.estimate, *_ends(gap.interval).values(), gap.p_adjusted, gap.verdict)
    return {f"{side}_{name}": value for name, value in zip(_GAP, values, strict=True)}


def _ends(interval: Interval | None) -> dict[str, float | None]:
    """Return both ends of an interval, which an infinite one has not in JSON."""
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return {"low": low, "high": high}
