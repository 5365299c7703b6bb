"""Test runs of DeepEval: a test case per item, with the scores of its metrics.

A test case is an item, by its name; if several are called alike (evaluated in a loop), by its place. Scores
are the metrics, by default the only one, and ``success`` (all metrics reached their thresholds). Whether
lower is better shows in which side of its threshold succeeds. A metric that ended in an error has no score.
The metadata of the cases are groupings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby.readers.formats._logs import Harness, Sample, Scored, each, holding, quantities_of
from bestby.readers.formats.base import File
from bestby.readers.text import Record, beginning, document, listing, number, word

_CASES = ("testCases", "conversationalTestCases")
_TAKEN = ("completionTime", "tokenCost")  # by the system; others are those of the evaluation
_is_run = holding(rb'\s*\{\s*("testRunData"\s*:\s*\{\s*)?"\w+"\s*:', "metricsData", "success")


def recognises(path: Path, head: bytes) -> bool:
    """Tell whether a file is a test run, or the copy of the latest one."""
    return _is_run(path, head) and any(f'"{key}"'.encode() in head for key in _CASES)


def _scored(file: File) -> list[Scored]:
    whole = document(file.path)
    run = Record(str(file.path), whole.part("testRunData") or whole.data)
    rows = [row for key in _CASES if key in run.data for row in listing(run, key)]
    names = [word(row.data.get("name")) for row in rows]
    unique = None not in names and len({*names}) == len(names)
    samples = [
        _sample(row, str(names[place]) if unique else str(row.data.get("order", place)))
        for place, row in enumerate(rows)
    ]
    sides = {*_sides(rows)}
    rising, falling = (frozenset(name for name, above in sides if above is side) for side in (True, False))
    return [Scored.of(file, samples, falling=falling, rising=rising)]


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
    taken = quantities_of({key: row.data.get(key) for key in _TAKEN})
    return Sample(
        row.where, item, scores, content=beginning(asked), groups=row.labels("metadata"), quantities=taken
    )


def _sides(rows: Iterable[Record]) -> Iterator[tuple[str, bool]]:
    """Yield the metrics with whether they succeed above their thresholds, wherever a case shows it."""
    for metric in (metric for row in rows for metric in _metrics(row)):
        score, threshold = (number(metric.data.get(key)) for key in ("score", "threshold"))
        name, passed = word(metric.data.get("name")), metric.data.get("success")
        if name is None or score is None or threshold is None or not isinstance(passed, bool):
            continue
        if score != threshold:
            yield name, (score > threshold) == passed


read = Harness(
    "test runs of DeepEval",
    recognises=recognises,
    scored=each(_scored),
    beside=frozenset({"success"}),
    what="metric",
    items="test cases",
).read
