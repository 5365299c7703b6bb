"""Trajectories of tau-bench: a record per task and trial, with its reward."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby._core.typing import OnMissing
from bestby.readers.formats._logs import Sample, Scored, compared, datasets_of, quantities_of, system_of
from bestby.readers.formats.base import File, Read, files_of, refuse_gold
from bestby.readers.text import Record, beginning, number, records, whole_number, word

_START = re.compile(rb'\s*(\[\s*)?\{\s*"task_id"\s*:')
_POLICY = re.compile(r"\s*#\s*(?P<domain>airline|retail) agent policy", re.IGNORECASE)
_DOMAIN = re.compile(r"(?<![a-z])(?P<domain>airline|retail)(?![a-z])", re.IGNORECASE)
_KEYS = (b'"reward"', b'"info"')


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file is a list of trajectories."""
    return _START.match(head) is not None and all(key in head for key in _KEYS)


def read(
    paths: Mapping[str, Path],
    *,
    gold: Path | None = None,
    on_missing: OnMissing = "error",
    value_column: str | Mapping[str, str] | None = None,
    clusters: str | None = None,
) -> Read:
    """Read the trajectories of two or more agents.

    The trials of a task are runs, and its reward is the score; a trial that ended in an error has the reward
    0, as tau-bench counts it. The file does not tell its agent, which is called as the file is. A domain
    (airline, retail), which the policy of the agent or the name of the file tells, is a dataset. The user of
    a task (``user_id``) is a grouping. `value_column` may name what a trial took, such as ``user_cost``.
    """
    refuse_gold(gold, "the trajectories of tau-bench hold their rewards and need no gold")
    trajectories = [(file, records(file.path)) for file in files_of(paths, recognises)]
    domains = datasets_of([_domain(file, rows) for file, rows in trajectories], "tasks")
    scored = [_scored(*one, domain) for one, domain in zip(trajectories, domains, strict=True)]
    errors = sum("error" in row.part("info") for _, rows in trajectories for row in rows)
    tool = "trajectories of tau-bench"
    if errors:
        tool += f" ({errors} ended in an error)"
    return compared(
        scored, tool, wanted=value_column, main="reward", on_missing=on_missing, clusters=clusters
    )


def _domain(file: File, rows: Sequence[Record]) -> str | None:
    """Return the domain of the tasks, which the policy in a dialogue or the name of the file tells."""
    opening = rows[0].data.get("traj") if rows else None
    first = opening[0] if isinstance(opening, list) and opening else None
    policy = _POLICY.match(str(first.get("content"))) if isinstance(first, dict) else None
    found = policy or _DOMAIN.search(file.path.stem)
    return found["domain"].lower() if found else None


def _scored(file: File, rows: Sequence[Record], domain: str) -> Scored:
    if not rows:
        raise InvalidInputError(f"{file.path} has no trajectories", hint="run the benchmark to its end")
    return Scored(str(file.path), system_of(file, None), file.name, domain, [_sample(row) for row in rows])


def _sample(row: Record) -> Sample:
    item = word(row.need("task_id"))
    trial = whole_number(row.data.get("trial", 0))
    if item is None or trial is None:
        raise InvalidInputError(
            f"{row.where}: expected the numbers of a task and a trial, got {row.data['task_id']!r:.40} and"
            f" {row.data.get('trial', 0)!r:.40}"
        )
    reward = number(row.need("reward"))
    info = Record(row.where, row.part("info"))
    task = info.part("task")
    user = word(task.get("user_id"))
    groups = {} if user is None else {"user_id": user}
    return Sample(
        row.where,
        item,
        {"reward": reward},
        trial,
        beginning(task.get("instruction")),
        groups,
        quantities_of({**row.data, "traj": None, "task": None}),
    )
