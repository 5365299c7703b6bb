"""Results in the style of SWE-bench: which instances were resolved, in lists of ids or one by one."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.typing import OnMissing
from bestby.data.roles import listed
from bestby.readers.formats._logs import Sample, Scored, Tool, named_apart, quantities_of, system_of
from bestby.readers.formats.base import File, Read, files_of
from bestby.readers.text import (
    Record,
    csv_rows,
    document,
    listing,
    number,
    parsed,
    records,
    text_of,
    word,
)
from bestby.results.base import Note

_RESOLVED = ("resolved_ids", "resolved")
_INSTANCE_LISTS = {
    *("resolved", "generated", "no_generation", "with_logs", "no_logs", "applied", "no_apply"),
    *("install_fail", "reset_failed", "test_errored", "test_timeout"),
}
"""Lists of the leaderboard that hold ids of instances; in reports of the harness these end in ``_ids``."""

_ID = "instance_id"
SIBLINGS = ("resolved_by_*.json", "all_preds.jsonl", "preds.json")
_KEYS = re.compile(
    rb'"(resolved_ids|unresolved_ids|resolved_instances|submitted_ids|resolved|no_generation|no_logs|'
    rb'with_logs|install_fail)"\s*:'
)
_ONLY_IDS = re.compile(rb'\s*\{\s*"[a-z_]+"\s*:\s*(\[|\d)')
_OF_INSTANCES = re.compile(rb'\s*\{\s*"[^"]+"\s*:\s*\{')
_IS_RESOLVED = re.compile(rb'"resolved"\s*:\s*(true|false)')
_TRIALS = (b'"results"', b'"task_id"', b'"is_resolved"')
_COUNTS = re.compile(rb'"(resolved_instances|n_resolved)"\s*:\s*\d')


@dataclass(frozen=True)
class _Report:
    """What the files of one system say of each instance and run.

    `lists` are the lists of ids by their names. A `whole` report has an entry of each instance that was run;
    any other says how many instances there are, or it may leave out those that failed.
    """

    system: str
    record: Record
    samples: Sequence[Sample]
    lists: Mapping[str, set[str]]
    whole: bool


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file is a report or a list of results.

    It is an object of numbers and lists of ids, or of instances by their ids, or with a list of trials.
    """
    if _OF_INSTANCES.match(head) is not None:
        return _IS_RESOLVED.search(head) is not None
    if all(key in head for key in _TRIALS) or _COUNTS.search(head) is not None:
        return head.lstrip().startswith(b"{")
    return _ONLY_IDS.match(head) is not None and _KEYS.search(head) is not None


def read(
    paths: Mapping[str, Path],
    *,
    gold: Path | None = None,
    on_missing: OnMissing = "error",
    value_column: str | None = None,
    clusters: str | None = None,
) -> Read:
    """Read the results of two or more systems.

    A report lists ids of instances. Or it is of instances, one (``report.json``, of which a system has a
    folder) or several; or of trials of tasks, as Terminal-Bench writes it, where trials of one task are runs.
    An instance that is not in the list of the resolved ones was not resolved. The instances are those of the
    benchmark, not those that a system has tried: reports of the harness list them all; for other results
    `gold` holds them: an id per line, a table with the column ``instance_id``, or JSON. Without it, reports
    of instances and trials are of those that they name. `clusters` may be "repository". `value_column` may
    name what an instance or trial took, such as ``cost`` or ``total_output_tokens``, where the entries say.
    """
    reports, left_out = _reports(files_of(paths, recognises))
    instances = None
    denominator = "the instances that have a report"
    if gold is not None:
        instances = _benchmark(gold)
        _check_known(reports, instances, gold)
        denominator = f"the {len(instances)} instances of {gold.name}"
    elif not all(report.whole for report in reports):
        instances = _submitted(reports)
        denominator = f"the {len(instances)} instances that the reports list"
    of_tasks = all("results" in report.record.data for report in reports)
    tool = f"results of {'Terminal-Bench' if of_tasks else 'SWE-bench'}, over {denominator}"
    scored = [
        Scored(one.record.where, one.system, one.system, None, _on_all(one, instances)) for one in reports
    ]
    read = Tool(tool, main=_RESOLVED[1:], items="instances").compared(
        scored, value_column, on_missing, clusters
    )
    if not left_out or read.evaluation is None:
        return read
    message = f"{len(left_out)} files are left out because they hold no list of resolved instances:"
    note = Note("files_left_out", f"{message} {listed(left_out)}")
    return replace(read, evaluation=replace(read.evaluation, notes=(note, *read.evaluation.notes)))


def _on_all(report: _Report, instances: Sequence[str] | None) -> Sequence[Sample]:
    """Return the samples on all instances of the benchmark: one that a run lacks was not resolved in it."""
    if instances is None:
        return report.samples
    there = {(sample.run, sample.item): sample for sample in report.samples}
    where, runs = report.record.where, {sample.run for sample in report.samples} or {0}
    return [there.get((run, item)) or _sample(where, item, 0.0, run) for run in runs for item in instances]


def _sample(
    where: str, item: str, resolved: float, run: int = 0, taken: Mapping[str, Any] | None = None
) -> Sample:
    # The repository of an instance is in its name: django__django-11099
    groups = {"repository": item.rpartition("-")[0].replace("__", "/") or item}
    return Sample(where, item, {_RESOLVED[1]: resolved}, run, None, groups, quantities_of(taken or {}))


def _reports(files: Sequence[File]) -> tuple[list[_Report], list[str]]:
    """Return the reports of the systems, and the files that are none, such as summaries beside them.

    A file that the user gave a name must be a report, and so must all if there are fewer than two. Reports of
    the instances that lie beside the lists of a system say the same, and are not needed.
    """
    read = [(file, document(file.path)) for file in files]
    found = [
        (file, one) for file, one in read if file.named or _trials(one) or _list_of_resolved(one) is not None
    ]
    if len(found) < 2:
        found = read
    left_out = [one.where for file, one in read if (file, one) not in found]
    lists = [_of_lists(file.name, one) for file, one in found if not _trials(one)]
    of_trials = [(file, one) for file, one in found if _trials(one)]
    places = [_place(file, one) for file, one in of_trials]
    names = named_apart(
        [
            (file.name, what, system_of(file, None))
            for (file, _), (what, _) in zip(of_trials, places, strict=True)
        ],
        [place for _, place in places],
    )
    by_system: dict[str, list[Record]] = {}
    for (_, one), name in zip(of_trials, names, strict=True):
        by_system.setdefault(name, []).append(one)
    known = {report.system for report in lists}
    return [*lists, *(_of_trials(*one) for one in by_system.items() if one[0] not in known)], left_out


def _place(file: File, report: Record) -> tuple[str, Path]:
    """Return what a report of instances is about and where it lies: that of one, in the folder of its id."""
    ids = {item for item, _, _ in _trials(report)}
    what = "instances" if len(ids) > 1 else next(iter(ids))
    return what, file.path.parent if file.path.parent.name == what else file.path


def _trials(report: Record) -> list[tuple[str, float, dict[str, Any]]]:
    """Return the instances or tasks that a report has entries of, whether each was resolved, and these."""
    entries = report.data.get("results")
    if isinstance(entries, list) and entries and isinstance(entries[0], dict) and "is_resolved" in entries[0]:
        rows = listing(report, "results")
        # As Terminal-Bench counts them: what has no verdict was not resolved.
        resolved = [float(bool(row.need("is_resolved"))) for row in rows]
        ids = [_id(row.data, row.where, "task_id") for row in rows]
        return [*zip(ids, resolved, (row.data for row in rows), strict=True)]
    told = [(item, one.get("resolved"), one) for item, one in report.data.items() if isinstance(one, dict)]
    verdicts = [(item, float(right), one) for item, right, one in told if isinstance(right, bool)]
    return verdicts if len(verdicts) == len(report.data) else []


def _of_trials(system: str, records: Sequence[Record]) -> _Report:
    """Return the report of a system from entries of instances; several of one instance in a file are runs."""
    samples = []
    for record in records:
        times: Counter[str] = Counter()
        for item, resolved, entry in _trials(record):
            samples.append(_sample(record.where, item, resolved, times[item], entry))
            times[item] += 1
    return _Report(system, records[0], samples, {"reports": {sample.item for sample in samples}}, whole=True)


def _of_lists(system: str, report: Record) -> _Report:
    """Return the report of a system from lists of ids."""
    resolved = _resolved_key(report)
    lists = _listings(report)
    everything = sorted(set().union(*lists.values()))
    whole = not {"unresolved_ids", "unresolved"}.isdisjoint(lists) and "total_instances" not in report.data
    samples = [_sample(report.where, item, float(item in lists[resolved])) for item in everything]
    return _Report(system, report, samples, lists, whole)


def _list_of_resolved(report: Record) -> str | None:
    return next((key for key in _RESOLVED if isinstance(report.data.get(key), list)), None)


def _resolved_key(report: Record) -> str:
    key = _list_of_resolved(report)
    if key is None:
        counts = [name for name, value in report.data.items() if number(value) is not None]
        only = f", only counts: {listed(counts)}" if counts else ""
        raise InvalidInputError(
            f"{report.where}: no list of resolved instances (resolved_ids or resolved){only}",
            hint="give the report that the harness wrote, not its summary, or the folder of the reports of"
            " all instances (report.json)",
        )
    return key


def _listings(report: Record) -> dict[str, set[str]]:
    """Return the lists of ids of instances; others hold names of containers, of images and the like."""
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


def _submitted(reports: Sequence[_Report]) -> list[str]:
    """Return the instances of the benchmark, if the reports list as many as they say there are."""
    union = set().union(*(ids for report in reports for ids in report.lists.values()))
    hint = "give the ids of the benchmark, one per line: gold=..."
    for report in reports:
        where, total = report.record.where, number(report.record.data.get("total_instances"))
        if total is None and not report.whole:
            raise InvalidInputError(
                f"{where} does not say which instances the benchmark has: those that {report.system!r} failed"
                " may be in no list",
                hint,
            )
        if total is not None and total != len(union):
            raise InvalidInputError(
                f"{where}: the benchmark has {total:.0f} instances, but the reports list {len(union)}", hint
            )
    return sorted(union)


def _check_known(reports: Sequence[_Report], instances: Sequence[str], gold: Path) -> None:
    known = set(instances)
    for report in reports:
        for key, ids in report.lists.items():
            strange = sorted(ids - known)
            if strange:
                raise InvalidInputError(
                    f"{report.record.where}: {len(strange)} of the {len(ids)} ids in {key!r} are not in"
                    f" {gold}; first: {strange[0]!r}",
                    hint="give the ids of the same benchmark and split",
                )


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


def _id(entry: Any, where: str, key: str = _ID) -> str:
    item = word(entry.get(key) if isinstance(entry, dict) else entry)
    if item is None:
        raise InvalidInputError(f"{where}: expected an id or an object with {key!r}")
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
