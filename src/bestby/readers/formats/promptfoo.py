"""Results of promptfoo: a record per test and column, where a column is a prompt with a provider.

A column is a system, and a test an item; tests that are alike in all else, as ``--repeat`` makes them, are
runs. Scores are ``pass`` (by default), ``score``, and those that an assertion names. A test that ended in an
error of the provider has no score. Variables and metadata of the tests are groupings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby.readers.formats._logs import Fields, Harness, Scored, any_of, each, holding
from bestby.readers.formats.base import File, head_of
from bestby.readers.text import Record, document, listing, records, whole_number, word

_WHOLE = rb'\s*\{\s*"(evalId|results)"\s*:'
recognises = any_of(
    holding(_WHOLE, "results", ("prompts", "testIdx")), holding(rb'\s*\{\s*"\w+"\s*:', "promptIdx", "testIdx")
)
_ERROR = 2  # the reason of a failure where the provider gave no answer
_FIELDS = Fields(
    item=("item",),
    scores=("pass", "score", "namedScores"),
    run="run",
    content="vars",
    groups=("vars", "testCase.metadata"),
    aside=("vars", "testCase", "gradingResult", "namedScores"),  # which say nothing of what the answer took
    error="failed",
)


def _scored(file: File) -> Iterator[Scored]:
    """Yield the systems of a file."""
    rows = _rows(file.path)
    columns: dict[int, list[Record]] = {}
    for row in sorted(rows, key=lambda row: _place(row, "testIdx")):  # they stand as they ended
        columns.setdefault(_place(row, "promptIdx"), []).append(row)
    places, items = sorted(columns), _items(rows)
    names = _names([columns[place][0] for place in places])
    if not rows:
        yield Scored.of(file, [])
    for place, name in zip(places, names, strict=True):
        for row in columns[place]:
            item, run = items[_place(row, "testIdx")]
            failed = row.data.get("failureReason") == _ERROR
            row.data.update({"item": item, "run": run, "pass": row.data.get("success"), "failed": failed})
        yield from _FIELDS.scored(file, columns[place], system=name, is_one=len(columns) == 1)


def _rows(path: Path) -> list[Record]:
    if not re.match(_WHOLE, head_of(path)):
        return records(path)
    return listing(Record(str(path), document(path).part("results")), "results")


def _place(row: Record, key: str) -> int:
    value = whole_number(row.data.get(key))
    if value is None:
        raise InvalidInputError(
            f"{row.where}: {key} is {row.data.get(key)!r:.40}, expected a number",
            hint="export the evaluation again with a current version: promptfoo export eval ID",
        )
    return value


def _names(rows: Sequence[Record]) -> list[str]:
    """Return the names of the columns: the provider, with the prompt where a provider has several."""
    providers = []
    for row in rows:
        named = row.part("provider") or {"id": row.data.get("provider")}
        providers.append(word(named.get("label")) or word(named.get("id")) or "provider")
    names = []
    for place, (row, provider) in enumerate(zip(rows, providers, strict=True), 1):
        label = word(row.part("prompt").get("label"))
        # Longer labels of prompts are the prompts themselves
        short = label is not None and len(label) <= 40 and "\n" not in label
        alike = providers.count(provider) > 1
        names.append(f"{provider} [{label if short else f'prompt {place}'}]" if alike else provider)
    return [f"{name} {place}" if names.count(name) > 1 else name for place, name in enumerate(names, 1)]


def _items(rows: Sequence[Record]) -> dict[int, tuple[str, int]]:
    """Return item and run of each test: tests are runs of one item if each is there equally often."""
    alike: dict[str, list[int]] = {}
    for place, row in sorted({_place(row, "testIdx"): row for row in rows}.items()):
        test = [row.data.get("vars"), *(row.part("testCase").get(key) for key in ("assert", "description"))]
        alike.setdefault(json.dumps(test, sort_keys=True, default=str), []).append(place)
    counts = {len(places) for places in alike.values()}
    if len(counts) == 1 and counts != {1}:
        return {place: (str(places[0]), run) for places in alike.values() for run, place in enumerate(places)}
    return {place: (str(place), 0) for places in alike.values() for place in places}


read = Harness(
    "results of promptfoo", recognises=recognises, scored=each(_scored), main=("pass",), items="tests"
).read
