"""Test runs of DeepEval: a test case per item, with the scores of its metrics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.typing import OnMissing
from bestby.readers.formats._logs import Sample, Scored, compared, quantities_of
from bestby.readers.formats.base import File, Read, files_of, refuse_gold
from bestby.readers.text import Record, beginning, document, listing, number, word

_CASES = ("testCases", "conversationalTestCases")
_TAKEN = ("completionTime", "tokenCost")  # by the system; others are those of the evaluation
_KEYS = (b'"metricsData"', b'"success"')
_START = re.compile(rb'\s*\{\s*("testRunData"\s*:\s*\{\s*)?"\w+"\s*:')


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file is a test run, or the copy of the latest one."""
    cases = any(f'"{key}"'.encode() in head for key in _CASES)
    return _START.match(head) is not None and cases and all(key in head for key in _KEYS)


def read(
    paths: Mapping[str, Path],
    *,
    gold: Path | None = None,
    on_missing: OnMissing = "error",
    value_column: str | Mapping[str, str] | None = None,
    clusters: str | None = None,
) -> Read:
    """Read two or more test runs.

    A test case is an item, by its name; if several are called alike (evaluated in a loop), by its place.
    `value_column` is the metric, or ``success`` (all metrics reached their thresholds); by default the only
    metric. Whether lower is better shows in which side of its threshold succeeds. A metric that ended in an
    error has no score. The metadata of the cases are groupings.
    """
    refuse_gold(gold, "the test runs of DeepEval hold their scores and need no gold")
    files = files_of(paths, recognises)
    cases = [(file, _cases(file.path)) for file in files]
    scored = [_scored(file, rows) for file, rows in cases]
    metrics = {name for one in scored for name in one.names} - {"success"}
    return compared(
        scored,
        "test runs of DeepEval",
        wanted=value_column,
        main=metrics.pop() if len(metrics) == 1 else None,
        falling=_falling(row for _, rows in cases for row in rows),
        what="metric",
        on_missing=on_missing,
        clusters=clusters,
    )


def _cases(path: Path) -> list[Record]:
    whole = document(path)
    run = Record(str(path), whole.part("testRunData") or whole.data)
    rows = [row for key in _CASES if key in run.data for row in listing(run, key)]
    if not rows:
        raise InvalidInputError(f"{path} has no test cases", hint="run the evaluation to its end")
    return rows


def _scored(file: File, rows: list[Record]) -> Scored:
    names = [word(row.data.get("name")) for row in rows]
    unique = None not in names and len({*names}) == len(names)
    samples = [
        _sample(row, str(names[place]) if unique else str(row.data.get("order", place)))
        for place, row in enumerate(rows)
    ]
    return Scored(str(file.path), file.system(None), file.name, "test cases", samples)


def _metrics(row: Record) -> list[Record]:
    """Return what the metrics say of a case."""
    return listing(row, "metricsData") if row.data.get("metricsData") is not None else []


def _sample(row: Record, item: str) -> Sample:
    passed = row.data.get("success")
    scores: dict[str, float | None] = {}
    for metric in _metrics(row):
        name = word(metric.need("name"))
        if name is None or name in scores:
            raise InvalidInputError(
                f"{metric.where}: expected the name of another metric, got {metric.data['name']!r:.40}",
                hint="give each metric a name of its own",
            )
        failed = metric.data.get("error") is not None
        scores[name] = None if failed else number(metric.data.get("score"))
    if scores and isinstance(passed, bool):
        scores["success"] = float(passed)
    asked = row.data.get("input", row.data.get("scenario"))
    return Sample(
        row.where,
        item,
        scores,
        content=beginning(asked),
        groups=row.labels("metadata"),
        quantities=quantities_of({key: row.data.get(key) for key in _TAKEN}),
    )


def _falling(rows: Iterable[Record]) -> frozenset[str]:
    """Return the metrics that succeed below their thresholds, and never above."""
    sides: dict[Any, set[bool]] = {}
    for row in rows:
        for metric in _metrics(row):
            score, threshold = (number(metric.data.get(key)) for key in ("score", "threshold"))
            passed = metric.data.get("success")
            if score is None or threshold is None or score == threshold or not isinstance(passed, bool):
                continue
            sides.setdefault(word(metric.data.get("name")), set()).add((score > threshold) == passed)
    return frozenset(name for name, rising in sides.items() if name is not None and rising == {False})
