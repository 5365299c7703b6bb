"""Trajectories of tau-bench: a record per task and trial, with its reward.

The trials of a task are runs, and its reward is the score; a trial that ended in an error has the reward 0,
as tau-bench counts it. The file does not tell its agent, which is called as the file is. A domain (airline,
retail), which the policy of the agent or the name of the file tells, is a dataset. The user of a task
(``user_id``) is a grouping, and what a trial took, such as ``user_cost``, a quantity.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bestby.readers.formats._logs import Fields, Harness, Scored, each, holding, lines_in
from bestby.readers.formats.base import File
from bestby.readers.text import Record

recognises = holding(rb'\s*(\[\s*)?\{\s*"task_id"\s*:', "reward", "info")
_POLICY = re.compile(r"\s*#\s*(?P<domain>airline|retail) agent policy", re.IGNORECASE)
_DOMAIN = re.compile(r"(?<![a-z])(?P<domain>airline|retail)(?![a-z])", re.IGNORECASE)
_FIELDS = Fields(
    item=("task_id",),
    scores=("reward",),
    run="trial",
    content="info.task.instruction",
    groups=("info.task.user_id",),
    aside=("traj", "task"),
)


def _scored(file: File) -> list[Scored]:
    rows = lines_in(file.path)
    for row in rows:
        row.need("reward")
    errors = sum("error" in row.part("info") for row in rows)
    remarks = {"trials that ended in an error": f"{errors} in {file.path}"} if errors else {}
    return _FIELDS.scored(file, rows, dataset=_domain(file, rows), remarks=remarks)


def _domain(file: File, rows: Sequence[Record]) -> str | None:
    """Return the domain of the tasks, which the policy in a dialogue or the name of the file tells."""
    opening = rows[0].data.get("traj")
    first = opening[0] if isinstance(opening, list) and opening else None
    policy = _POLICY.match(str(first.get("content"))) if isinstance(first, dict) else None
    found = policy or _DOMAIN.search(file.path.stem)
    return found["domain"].lower() if found else None


read = Harness(
    "trajectories of tau-bench", recognises=recognises, scored=each(_scored), main=("reward",), items="tasks"
).read
