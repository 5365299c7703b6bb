"""Tables of a judge's and humans' verdicts, which tell the error rates of the judge."""

from __future__ import annotations

import numpy as np

from bestby.data.layouts.judged import (
    HUMAN,
    JUDGE,
    JudgedColumns,
    JudgedItems,
    groups,
    joined_humans,
    judged_of,
    numbers,
    plain,
    role_columns,
    source_name,
    wide_parts,
)
from bestby.data.roles import listed
from bestby.data.table import SYSTEM_WORDS, Table

EVERY = ""
"""The name of the system whose verdicts are for all systems alike."""


def calibration_of(table: Table, named: JudgedColumns | None = None) -> JudgedItems:
    """Return the verdicts of a table: by system, or for all of them where it has no column of systems."""
    named = named or JudgedColumns()
    by_system = any(name.lower() in SYSTEM_WORDS for name in table.names)
    if wide_parts(table) or by_system or named.system is not None:
        return judged_of(table, named)
    item = table.item_column(named.items)
    taken = () if item is None else (item,)
    judges = role_columns(table, JUDGE, named.judge, taken)
    humans = role_columns(table, HUMAN, named.human, (*taken, *judges))
    scores = np.stack([numbers(table, name) for name in judges], axis=1)
    labels = np.stack([numbers(table, name) for name in humans], axis=1)
    mean, n, variance = joined_humans(labels[:, None, :])
    used = {*taken, *judges, *humans}
    columns = {name: plain(table.column(name)) for name in table.names if name not in used}
    return JudgedItems(
        (EVERY,), tuple(judges), scores[:, None, :], mean, n, variance, columns=columns, **groups(columns),
        description=f"{source_name(table)} was read as a calibration set; judge: {listed(judges)}; human:"
        f" {listed(humans)}",
    )  # fmt: skip
