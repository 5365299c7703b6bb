"""Results in the style of SWE-bench: which instances were resolved, in lists of ids or one by one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.typing import OnMissing
from bestby.data.columns import MISSING
from bestby.data.roles import listed
from bestby.readers.files import read_table
from bestby.readers.formats._logs import Sample, Scored, Tool, quantities_of
from bestby.readers.formats.base import File, Read, files_of
from bestby.readers.paths import named_apart
from bestby.readers.text import Record, check_new, document, listing, number, parsed, records, text_of, word
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


_Trial = tuple[str, float, dict[str, Any]]
"""An instance or task, whether it was resolved, and what else is said of it."""


@dataclass(frozen=True)
class _Report(Scored):
    """What the files of one system say of each instance and run.

    `lists` are the lists of ids by their names. A `whole` report has an entry of each instance that was run;
    any other says by its `total` how many instances there are, or it may leave out those that failed.
    """

    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)
    whole: bool = True
    total: float | None = None
    of_tasks: bool = False


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
        denominator = f"the {len(instances)} instances of {gold.name}"
        _check_listed(reports, {*instances}, gold)
    elif not all(report.whole for report in reports):
        instances = _submitted(reports)
        denominator = f"the {len(instances)} instances that the reports list"
    name = "Terminal-Bench" if all(report.of_tasks for report in reports) else "SWE-bench"
    tool = Tool(f"results of {name}, over {denominator}", main=("resolved",), items="instances")
    scored = [one if instances is None else replace(one, samples=_on_all(one, instances)) for one in reports]
    read = tool.compared(scored, value_column, on_missing, clusters)
    message = f"files without a list of resolved instances are left out: {listed(left_out)}"
    return replace(read, notes=(Note("files_left_out", message),)) if left_out else read


def _on_all(report: _Report, instances: Sequence[str]) -> list[Sample]:
    """Return the samples on all instances of the benchmark: one that a run lacks was not resolved in it."""
    there = {(sample.run, sample.item): sample for sample in report.samples}
    runs = {sample.run for sample in report.samples} or {0}
    return [
        there.get((run, item)) or _sample(report.source, item, 0.0, run) for run in runs for item in instances
    ]


def _sample(
    where: str, item: str, resolved: float, run: int = 0, taken: Mapping[str, Any] | None = None
) -> Sample:
    # The repository of an instance is in its name: django__django-11099
    groups = {"repository": item.rpartition("-")[0].replace("__", "/") or item}
    return Sample(where, item, {"resolved": resolved}, run, None, groups, quantities_of(taken or {}))


def _reports(files: Sequence[File]) -> tuple[list[_Report], list[str]]:
    """Return the reports of the systems, and the files that are none, such as summaries beside them.

    A file that the user gave a name must be a report, and so must all if there are fewer than two. Reports of
    the instances that lie beside the lists of a system say the same, and are not needed.
    """
    read = [(file, one, [*_trials(one)]) for file, one in ((file, document(file.path)) for file in files)]
    found = [one for one in read if one[0].named or one[2] or _listed_in(one[1]) is not None]
    found = read if len(found) < 2 else found
    left_out = [one.where for file, one, _ in read if file not in [there for there, *_ in found]]
    reports = [_of_lists(file.name, one) for file, one, trials in found if not trials]
    known = {report.system for report in reports}
    parts = [(file, one, trials, *_about(file, trials)) for file, one, trials in found if trials]
    named = [(file.name, what, file.name if file.explicit else None) for file, _, _, what, _ in parts]
    by_system: dict[str, list[tuple[Record, list[_Trial]]]] = {}
    for (_, one, trials, *_), name in zip(
        parts, named_apart(named, [place for *_, place in parts]), strict=True
    ):
        by_system.setdefault(name, []).append((one, trials))
    return [*reports, *(_of_trials(*one) for one in by_system.items() if one[0] not in known)], left_out


def _about(file: File, trials: Sequence[_Trial]) -> tuple[str, Path]:
    """Return what a report of instances is about and where it lies: that of one, in the folder of its id."""
    ids, above = {item for item, _, _ in trials}, file.path.parent
    what = "instances" if len(ids) > 1 else min(ids)
    return what, above if above.name == what else file.path


def _of_trials(system: str, parts: Sequence[tuple[Record, Sequence[_Trial]]]) -> _Report:
    """Return the report of a system from entries of instances; several of one instance in a file are runs."""
    samples = []
    for one, trials in parts:
        times: Counter[str] = Counter()
        for item, resolved, entry in trials:
            samples.append(_sample(one.where, item, resolved, times[item], entry))
            times[item] += 1
    first, lists = parts[0][0], {"reports": [*dict.fromkeys(sample.item for sample in samples)]}
    total, of_tasks = number(first.data.get("total_instances")), "results" in first.data
    return _Report(first.where, system, system, None, samples, lists=lists, total=total, of_tasks=of_tasks)


def _trials(report: Record) -> Iterator[_Trial]:
    """Yield the instances or tasks that a report has entries of, whether each was resolved, and these."""
    entries = report.data.get("results")
    if isinstance(entries, list) and entries and isinstance(entries[0], dict) and "is_resolved" in entries[0]:
        for row in listing(report, "results"):
            # As Terminal-Bench counts them: what has no verdict was not resolved.
            yield _id(row.data, row.where, "task_id"), float(bool(row.need("is_resolved"))), row.data
    elif all(isinstance(one, dict) and isinstance(one.get("resolved"), bool) for one in report.data.values()):
        for item, one in report.data.items():
            yield item, float(one["resolved"]), one


def _of_lists(system: str, report: Record) -> _Report:
    """Return the report of a system from lists of ids; others hold names of containers and the like."""
    resolved = _listed_in(report)
    if resolved is None:
        counts = [name for name, value in report.data.items() if number(value) is not None]
        only = f", only counts: {listed(counts)}" if counts else ""
        raise InvalidInputError(
            f"{report.where}: no list of resolved instances (resolved_ids or resolved){only}",
            hint="give the report that the harness wrote, not its summary, or the folder of the reports of"
            " all instances (report.json)",
        )
    lists = {
        key: _ids(value, f"{report.where}, {key}")
        for key, value in report.data.items()
        if isinstance(value, list) and (key.endswith("_ids") or key in _INSTANCE_LISTS)
    }
    everything = sorted({item for ids in lists.values() for item in ids})
    total = number(report.data.get("total_instances"))
    whole = not {"unresolved_ids", "unresolved"}.isdisjoint(lists) and "total_instances" not in report.data
    right = {*lists[resolved]}
    samples = [_sample(report.where, item, float(item in right)) for item in everything]
    # A system that is in no list failed on all instances of the benchmark.
    return _Report(report.where, system, system, None, samples, lists=lists, whole=whole, total=total)


def _listed_in(report: Record) -> str | None:
    return next((key for key in _RESOLVED if isinstance(report.data.get(key), list)), None)


def _ids(entries: Sequence[Any], where: str) -> list[str]:
    """Return ids, or those of objects, of which none may be there twice."""
    ids = [_id(entry, f"{where}, entry {place}") for place, entry in enumerate(entries, 1)]
    places: dict[str, str] = {}
    for place, item in enumerate(ids, 1):
        check_new(places, item, f"{where}, entry {place}", repr(item), "every instance counts once")
    return ids


def _id(entry: Any, where: str, key: str = _ID) -> str:
    item = word(entry.get(key) if isinstance(entry, dict) else entry)
    if item is None:
        raise InvalidInputError(f"{where}: expected an id or an object with {key!r}, got {entry!r:.60}")
    return item


def _submitted(reports: Sequence[_Report]) -> list[str]:
    """Return the instances of the benchmark, if the reports list as many as they say there are."""
    union = {item for report in reports for ids in report.lists.values() for item in ids}
    hint = "give the ids of the benchmark, one per line: gold=..."
    for report in reports:
        if report.total is None and not report.whole:
            raise InvalidInputError(
                f"{report.source} does not say which instances the benchmark has: those that"
                f" {report.system!r} failed may be in no list",
                hint,
            )
        if report.total is not None and report.total != len(union):
            raise InvalidInputError(
                f"{report.source}: the benchmark has {report.total:.0f} instances, but the reports list"
                f" {len(union)}",
                hint,
            )
    return sorted(union)


def _check_listed(reports: Sequence[_Report], instances: AbstractSet[str], gold: Path) -> None:
    for report, key, ids in ((one, key, ids) for one in reports for key, ids in one.lists.items()):
        strange = sorted({*ids} - instances)
        if strange:
            raise InvalidInputError(
                f"{report.source}: {len(strange)} of the {len(ids)} ids in {key!r} are not in {gold};"
                f" first: {strange[0]!r}",
                hint="give the ids of the same benchmark and split",
            )


def _benchmark(path: Path) -> list[str]:
    """Return the ids of a list: one per line, a column of a table, or JSON."""
    text = text_of(path).lstrip()
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    entries: Sequence[Any] = lines
    if text.startswith("["):
        entries = parsed(text, str(path))
    elif text.startswith("{"):
        entries = [row.data for row in records(path)]
    elif lines and any(_ID in lines[0].split(delimiter) for delimiter in ",\t"):
        entries = [cell for cell in read_table(path, frozenset(MISSING)).cells(_ID) if cell]
    if not entries:
        raise InvalidInputError(f"{path} is empty", hint="give the ids of the benchmark, one per line")
    return _ids(entries, str(path))
