"""Test runs of DeepEval: a test case per item, with the scores of its metrics.

A test case is an item, by its name; if several are called alike (evaluated in a loop), by its place. Scores
are the metrics, by default the only one, and ``success`` (all metrics reached their thresholds). Whether
lower is better shows in which side of its threshold succeeds. A metric that ended in an error has no score.
The metadata of the cases are groupings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from bestby.readers.formats._logs import Fields, Harness, Scored, each, holding
from bestby.readers.formats.base import File
from bestby.readers.text import Record, beginning, document, listing, number, word

_CASES = ("testCases", "conversationalTestCases")
_FIELDS = Fields(
    item=("item",),
    scores=("metricsData", "success"),
    content="asked",
    groups=("metadata",),
    quantities=("completionTime", "tokenCost"),  # of the system; others are those of the evaluation
)
recognises = holding(rb'\s*\{\s*("testRunData"\s*:\s*\{\s*)?"\w+"\s*:', "metricsData", "success", _CASES)


def _scored(file: File) -> list[Scored]:
    whole = document(file.path)
    run = Record(str(file.path), whole.part("testRunData") or whole.data)
    rows = [row for key in _CASES if key in run.data for row in listing(run, key)]
    names = [word(row.data.get("name")) for row in rows]
    unique = None not in names and len({*names}) == len(names)
    for place, (row, name) in enumerate(zip(rows, names, strict=True)):
        row.data["item"] = name if unique else row.data.get("order", place)
        row.data["asked"] = beginning(row.data.get("input", row.data.get("scenario")))
        if not row.data.get("metricsData"):  # nothing says that it succeeds
            row.data["success"] = None
    sides = {*_sides(rows)}
    rising, falling = (frozenset(name for name, above in sides if above is side) for side in (True, False))
    return _FIELDS.scored(file, rows, falling=falling, rising=rising)


def _sides(rows: Iterable[Record]) -> Iterator[tuple[str, bool]]:
    """Yield the metrics with whether they succeed above their thresholds, wherever a case shows it."""
    of_cases = (listing(row, "metricsData") for row in rows if row.data.get("metricsData") is not None)
    for metric in chain.from_iterable(of_cases):
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
