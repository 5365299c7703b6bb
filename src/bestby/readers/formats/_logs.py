"""Logs of several systems, brought together: one evaluation, several datasets, several runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, OnMissing
from bestby.data.evaluation import Evaluation
from bestby.data.table import listed
from bestby.metrics.base import BaseMetric
from bestby.readers.formats.base import File, Read
from bestby.results.base import Note

Groups = Mapping[str, Mapping[str, str]]

_VERSIONS = "the systems saw different versions of the data; evaluate them on the same version"

CLUSTER_WORDS = frozenset(
    (
        *("article", "book", "cluster", "contest", "context", "conversation", "dialogue", "document"),
        *("group", "lang", "language", "page", "paragraph", "passage", "patient", "problem"),
        *("repo", "repository", "session", "speaker", "story", "template", "territory", "thread"),
        *("topic", "url", "user", "video"),
    )
)
"""What a grouping of the items is called in the logs, also with ``_id``; no other is offered."""


@dataclass(frozen=True, eq=False)
class Log:
    """What one system did on one dataset: per item a score, or a prediction beside the `gold`.

    `runs` has the scores of each run by item, if there are several; `groups` has by the name of a grouping
    the group of each item; `hashes` tell whether two systems saw the same item.
    """

    system: str
    dataset: str
    source: str
    values: Mapping[str, Any]
    gold: Mapping[str, Any] | None = None
    runs: tuple[Mapping[str, float], ...] = ()
    groups: Groups = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)


def gathered(
    logs: Sequence[Log],
    metric: BaseMetric | str,
    description: str,
    *,
    on_missing: OnMissing,
    cluster: str | None = None,
    objects: bool = False,
) -> Read:
    """Bring logs together by dataset and item; "drop" leaves out datasets that some system lacks, too."""
    description += f"; systems: {listed(list(dict.fromkeys(log.system for log in logs)))}"
    by_dataset = _by_dataset(logs, on_missing)
    if cluster is not None:
        description += f"; cluster: {cluster}"
    parts = {
        name: _evaluation(list(group.values()), on_missing, cluster, objects)
        for name, group in by_dataset.items()
    }
    left = len({log.dataset for log in logs}) - len(parts)
    if left:
        description += f"; {left} datasets were left out because some system has no log of them"
    if len(parts) > 1:
        description += f"; datasets: {listed(list(parts))}"
        return Read(description, _pooled(parts), datasets=parts, metric=metric)
    ((_, group),) = by_dataset.items()
    (evaluation,) = parts.values()
    runs = _runs(list(group.values()), evaluation)
    falling = not isinstance(metric, str) and not metric.greater_is_better
    if runs is not None:
        numbers = ", ".join(f"{name}: {len(rows)}" for name, rows in runs.items())
        description += f"; the score of an item is its mean over the runs ({numbers})"
    return Read(
        description,
        evaluation,
        runs=runs,
        metric=metric,
        greater_is_better=False if falling and runs is not None else None,
        clusters=_offered(list(group.values()), evaluation, cluster),
    )


def named_apart(files: Sequence[tuple[str, str, str | None]]) -> list[str]:
    """Return a name for the system of each file: as it tells, unless that would make two files one.

    >>> named_apart([("log1", "qa", "gpt"), ("log2", "qa", "gpt"), ("log3", "qa", "llm")])
    ['log1', 'log2', 'llm']
    """
    seen = [(own, dataset) for _, dataset, own in files]
    doubled = {own for own, dataset in seen if seen.count((own, dataset)) > 1}
    return [name if own is None or own in doubled else own for name, _, own in files]


def systems_of(files: Sequence[tuple[File, str | None]]) -> list[str | None]:
    """Return the system of each file, as the user or else the file tells; None if neither does.

    The files of a directory are of one system, which is called as the directory is, unless they tell of
    several and the user named none.
    """
    told: dict[str, set[str]] = {}
    for file, name in files:
        if name is not None:
            told.setdefault(file.name, set()).add(name)
    return [
        name if name is not None and not file.explicit and len(told[file.name]) > 1 else file.system(name)
        for file, name in files
    ]


def datasets_of(names: Sequence[str | None], other: str) -> list[str]:
    """Return the dataset of each file: where it does not tell, the only one that others tell of.

    >>> datasets_of(["qa", None], "items"), datasets_of([None, None], "items")
    (['qa', 'qa'], ['items', 'items'])
    """
    known = {name for name in names if name is not None}
    name = known.pop() if len(known) == 1 else other
    return [name if one is None else one for one in names]


def mean_of_runs(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean score of the items that all runs have.

    >>> mean_of_runs([{"q1": 1.0, "q2": 0.0}, {"q1": 0.0}])
    {'q1': 0.5}
    """
    shared = [item for item in runs[0] if all(item in run for run in runs)]
    return {item: sum(run[item] for run in runs) / len(runs) for item in shared}


def _by_dataset(logs: Sequence[Log], on_missing: OnMissing) -> dict[str, dict[str, Log]]:
    datasets: dict[str, dict[str, Log]] = {}
    for log in logs:
        systems = datasets.setdefault(log.dataset, {})
        if log.system in systems:
            raise InvalidInputError(
                f"{systems[log.system].source} and {log.source} are both logs of system {log.system!r} on"
                f" {log.dataset!r}",
                hint="give each system a name of its own: name=path",
            )
        systems[log.system] = log
    names = list(dict.fromkeys(log.system for log in logs))
    for dataset, systems in datasets.items():
        absent = [name for name in names if name not in systems]
        if absent and on_missing != "drop":
            raise InvalidInputError(
                f"system {absent[0]!r} has no log of {dataset!r}; {next(iter(systems.values())).source} is"
                f" that of {next(iter(systems))!r}",
                hint='pass on_missing="drop" to compare on the datasets that all systems have',
            )
    complete = {
        name: {s: systems[s] for s in names} for name, systems in datasets.items() if set(names) <= {*systems}
    }
    if not complete:
        raise InvalidInputError(
            f"no dataset has logs of all systems ({listed(names)})",
            hint="each file was read as a different system; name the systems: name=path",
        )
    return complete


def _evaluation(logs: Sequence[Log], on_missing: OnMissing, cluster: str | None, objects: bool) -> Evaluation:
    _check_alike(logs)
    gold: dict[str, Any] | None = None
    if any(log.gold is not None for log in logs):
        gold = {}
        for log in logs:
            for item, right in (log.gold or {}).items():
                if gold.setdefault(item, right) != right:
                    raise InvalidInputError(
                        f"the gold of item {item!r} in {log.source} differs from that in {logs[0].source}",
                        hint=_VERSIONS,
                    )
    for log in logs:
        if not log.values:
            raise InvalidInputError(
                f"{log.source}: no item has a score", hint="check that the evaluation was finished"
            )
    clusters = None if cluster is None else _grouping(logs, cluster)
    values = {log.system: log.values for log in logs}
    return Evaluation.of(values, gold, clusters=clusters, on_missing=on_missing, objects=objects)


def _check_alike(logs: Sequence[Log]) -> None:
    """Refuse items that are called alike and are not the same."""
    first: dict[str, tuple[str, Log]] = {}
    for log in logs:
        for item, value in log.hashes.items():
            known, other = first.setdefault(item, (value, log))
            if known != value:
                raise InvalidInputError(
                    f"item {item!r} is not the same in {other.source} and in {log.source}: its hash differs",
                    hint=_VERSIONS,
                )


def _grouping(logs: Sequence[Log], name: str) -> dict[str, str]:
    """Return the group of each item, on which the logs must agree."""
    groups: dict[str, str] = {}
    for log in logs:
        for item, group in log.groups.get(name, {}).items():
            if groups.setdefault(item, group) != group:
                raise InvalidInputError(
                    f"item {item!r} is in {name} {groups[item]!r} and, in {log.source}, in {group!r}"
                )
    if not groups:
        known = list(dict.fromkeys(name for log in logs for name in log.groups))
        raise InvalidInputError(
            f"the logs have no grouping {name!r} of their items",
            hint=f"groupings in these logs: {listed(known)}" if known else "these logs have no groupings",
        )
    return groups


def _offered(logs: Sequence[Log], evaluation: Evaluation, used: str | None) -> dict[str, Array]:
    """Return the groupings with telling names that every item has and that put some items together."""
    names = dict.fromkeys(name for log in logs for name in log.groups)
    offered = {}
    for name in names:
        if name == used or name.lower().rpartition(".")[2].removesuffix("_id") not in CLUSTER_WORDS:
            continue
        groups: dict[str, str] = {}
        for log in logs:
            groups.update(log.groups.get(name, {}))
        items = [] if evaluation.items is None else evaluation.items.tolist()
        if all(item in groups for item in items):
            column = np.array([groups[item] for item in items])
            if 1 < np.unique(column).size < column.size:
                offered[name] = column
    return offered


def _runs(logs: Sequence[Log], evaluation: Evaluation) -> dict[str, Array] | None:
    """Return the scores of the runs, shape (runs, items), if every system has several."""
    if any(len(log.runs) < 2 for log in logs) or evaluation.items is None:
        return None
    items = evaluation.items.tolist()
    if not all(item in run for log in logs for run in log.runs for item in items):
        return None
    return {log.system: np.array([[run[item] for item in items] for run in log.runs]) for log in logs}


def _pooled(parts: Mapping[str, Evaluation]) -> Evaluation:
    """Return the items of all datasets as one, with the datasets as strata."""
    names = next(iter(parts.values())).names
    whole = list(parts.values())
    strata = np.repeat(np.array(list(parts)), [part.n_items for part in whole])

    def labels(columns: Mapping[str, Array | None]) -> list[str]:
        rows = ((name, column) for name, column in columns.items() if column is not None)
        return [f"{name}/{label}" for name, column in rows for label in column.tolist()]

    clusters = labels({name: part.clusters for name, part in parts.items()})
    missing = {
        name: np.concatenate([part.missing.get(name, np.zeros(part.n_items, np.bool_)) for part in whole])
        for name in names
        if any(name in part.missing for part in whole)
    }
    notes = tuple(
        Note(note.code, f"{name}: {note.message}", note.about)
        for name, part in parts.items()
        for note in part.notes
    )
    golds = [part.gold for part in whole if part.gold is not None]
    pooled = Evaluation.of(
        {name: np.concatenate([part.systems[name] for part in whole]) for name in names},
        np.concatenate(golds) if golds else None,
        items=labels({name: part.items for name, part in parts.items()}),
        clusters=clusters or None,
        strata=strata,
        objects=any(part.systems[names[0]].dtype.kind == "O" for part in whole),
    )
    return dataclasses.replace(pooled, missing=missing, notes=notes, tasks=strata)
