"""Results in the style of SWE-bench: lists of the ids of the instances that were resolved, and others."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.typing import OnMissing
from bestby.data.table import listed
from bestby.metrics.regression import Mean
from bestby.readers.formats._documents import Record, document, number, records, text_of, word
from bestby.readers.formats._logs import Log, gathered
from bestby.readers.formats.base import File, Read, files_of
from bestby.readers.json_text import parsed
from bestby.readers.text import csv_rows
from bestby.results.base import Note

_RESOLVED = ("resolved_ids", "resolved")
_INSTANCE_LISTS = {
    *("resolved", "generated", "no_generation", "with_logs", "no_logs", "applied", "no_apply"),
    *("install_fail", "reset_failed", "test_errored", "test_timeout"),
}
"""Lists of the leaderboard that hold ids of instances; in reports of the harness these end in ``_ids``."""

_ID = "instance_id"
_KEYS = re.compile(
    rb'"(resolved_ids|unresolved_ids|resolved_instances|submitted_ids|resolved|no_generation|no_logs|'
    rb'with_logs|install_fail)"\s*:'
)
_ONLY_IDS = re.compile(rb'\s*\{\s*"[a-z_]+"\s*:\s*(\[|\d)')


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file is a report or a list of results: an object of numbers and lists of ids."""
    return _ONLY_IDS.match(head) is not None and _KEYS.search(head) is not None


def read(
    paths: Mapping[str, Path],
    *,
    gold: Path | None = None,
    on_missing: OnMissing = "error",  # noqa: ARG001 - an instance in no list is a failure, never missing
    clusters: str | None = None,
) -> Read:
    """Read the results of two or more systems.

    An instance that is not in the list of the resolved ones was not resolved. The instances are those of the
    benchmark, not those that a system has tried: reports of the harness list them all; for other results
    `gold` holds them: an id per line, a table with the column ``instance_id``, or JSON. `clusters` may be
    "repository".
    """
    results, left_out = _reports(files_of(paths, recognises))
    listings = [_listings(report) for _, report in results]
    if gold is not None:
        instances = _benchmark(gold)
        _check_known(results, listings, instances, gold)
        denominator = f"the {len(instances)} instances of {gold.name}"
    else:
        instances = _submitted(results, listings)
        denominator = f"the {len(instances)} instances that the reports list"
    repositories = {item: _repository(item) for item in instances}
    logs = []
    for (name, report), lists in zip(results, listings, strict=True):
        resolved = lists[_resolved_key(report)]
        scores = {item: float(item in resolved) for item in instances}
        logs.append(Log(name, "instances", report.where, scores, groups={"repository": repositories}))
    description = f"results of SWE-bench, over {denominator}"
    read = gathered(logs, Mean("resolved"), description, on_missing="error", cluster=clusters)
    if not left_out or read.evaluation is None:
        return read
    message = f"{len(left_out)} files are left out because they hold no list of resolved instances:"
    note = Note("files_left_out", f"{message} {listed(left_out)}")
    return replace(read, evaluation=replace(read.evaluation, notes=(note, *read.evaluation.notes)))


def _reports(files: Sequence[File]) -> tuple[list[tuple[str, Record]], list[str]]:
    """Return the reports by system, and the files that are none, such as summaries beside them.

    A file that the user gave a name must be a report, and so must all if there are fewer than two.
    """
    read = [(file, document(file.path)) for file in files]
    reports = [(file, report) for file, report in read if file.named or _list_of_resolved(report) is not None]
    if len(reports) < 2:
        reports = read
    left_out = [report.where for pair in read if pair not in reports for report in pair[1:]]
    return [(file.name, report) for file, report in reports], left_out


def _list_of_resolved(report: Record) -> str | None:
    return next((key for key in _RESOLVED if isinstance(report.data.get(key), list)), None)


def _resolved_key(report: Record) -> str:
    key = _list_of_resolved(report)
    if key is None:
        raise InvalidInputError(
            f"{report.where}: no list of resolved instances (resolved_ids or resolved)",
            hint="give the report that the harness wrote, not its summary",
        )
    return key


def _listings(report: Record) -> dict[str, set[str]]:
    """Return the lists of ids of instances; others hold names of containers, of images and the like."""
    _resolved_key(report)
    listings: dict[str, set[str]] = {}
    for key, value in report.data.items():
        if not isinstance(value, list) or not (key.endswith("_ids") or key in _INSTANCE_LISTS):
            continue
        ids = []
        for entry in value:
            item = word(entry)
            if item is None:
                raise InvalidInputError(f"{report.where}: {key!r} holds {entry!r:.60}, expected an id")
            ids.append(item)
        _check_once(ids, report.where, f" in {key!r}")
        listings[key] = set(ids)
    return listings


def _check_once(ids: Sequence[str], where: str, place: str = "") -> None:
    if ids and (most := Counter(ids).most_common(1)[0])[1] > 1:
        raise InvalidInputError(
            f"{where}: {most[0]!r} occurs {most[1]} times{place}", hint="every instance counts once"
        )


def _submitted(
    results: Sequence[tuple[str, Record]], listings: Sequence[Mapping[str, set[str]]]
) -> list[str]:
    """Return the instances of the benchmark, if the reports list as many as they say there are."""
    union = set().union(*(ids for lists in listings for ids in lists.values()))
    hint = "give the ids of the benchmark, one per line: gold=..."
    for name, report in results:
        total = number(report.data.get("total_instances"))
        if total is None:
            raise InvalidInputError(
                f"{report.where} does not say which instances the benchmark has: those that {name!r} failed"
                " may be in no list",
                hint,
            )
        if total != len(union):
            raise InvalidInputError(
                f"{report.where}: the benchmark has {total:.0f} instances, but the reports list {len(union)}",
                hint,
            )
    return sorted(union)


def _check_known(
    results: Sequence[tuple[str, Record]],
    listings: Sequence[Mapping[str, set[str]]],
    instances: Sequence[str],
    gold: Path,
) -> None:
    known = set(instances)
    for (_, report), lists in zip(results, listings, strict=True):
        for key, ids in lists.items():
            strange = sorted(ids - known)
            if strange:
                raise InvalidInputError(
                    f"{report.where}: {len(strange)} of the {len(ids)} ids in {key!r} are not in {gold};"
                    f" first: {strange[0]!r}",
                    hint="give the ids of the same benchmark and split",
                )


def _repository(item: str) -> str:
    """Return the repository of an instance.

    >>> _repository("django__django-11099"), _repository("task7")
    ('django/django', 'task7')
    """
    return item.rpartition("-")[0].replace("__", "/") or item


def _benchmark(path: Path) -> list[str]:
    text = text_of(path)
    if text.lstrip().startswith("["):
        entries = parsed(text, str(path))
        ids = [_id(entry, f"{path}, entry {place}") for place, entry in enumerate(entries, 1)]
    elif text.lstrip().startswith("{"):
        ids = [_id(row.data, row.where) for row in records(path)]
    else:
        ids = _listed_ids(text)
    if not ids:
        raise InvalidInputError(f"{path} is empty", hint="give the ids of the benchmark, one per line")
    _check_once(ids, str(path))
    return ids


def _id(entry: Any, where: str) -> str:
    item = word(entry.get(_ID) if isinstance(entry, dict) else entry)
    if item is None:
        raise InvalidInputError(f"{where}: expected an id or an object with {_ID!r}")
    return item


def _listed_ids(text: str) -> list[str]:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    for delimiter in (",", "\t"):
        header = lines[0].split(delimiter) if lines else []
        if _ID in header:
            place = header.index(_ID)
            try:
                rows = list(csv_rows(text.split("\n"), delimiter))[1:]
            except csv.Error as error:
                raise InvalidInputError(f"the list of instances is not a table: {error}") from error
            return [item for row in rows if len(row) > place and (item := word(row[place])) is not None]
    return [item for line in lines if (item := word(line)) is not None]
