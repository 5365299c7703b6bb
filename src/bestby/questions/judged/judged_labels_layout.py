"""Tables of predictions with the labels of a judge for all items and those of humans for a few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array
from bestby.data.layouts import judged
from bestby.data.layouts.judged import HUMAN, JUDGE, Judged, JudgedColumns, JudgedItems
from bestby.data.roles import listed
from bestby.data.table import Table

PREDICTION = "prediction"
"""What columns of predictions are called, with the name of a system: prediction[a]."""

FORM = 'a table with a row per item has the columns "judge", "human", "prediction[a]", "prediction[b]", ...'


@dataclass(frozen=True, eq=False, repr=False)
class JudgedLabels(Judged):
    """Predictions of S systems for N items, and labels of the items by J judges and by humans.

    Parameters
    ----------
    names, judges : tuple of str
        The systems and the judges.
    judge : ndarray of objects, shape (N, J)
        The labels that judges give to the items, or their numbers; None where there is none.
    human : ndarray of objects, shape (N,)
        Those of humans; None where there is none.
    predictions : ndarray of objects, shape (N, S)
        What the systems predict.
    ids : tuple or None
        The ids of the items.
    columns : dict
        Other columns: a value per item, shape (N,); None where there is no value.
    clusters, strata : str or None
        Those of `columns` that are called "cluster" and "stratum".
    description : str
        What was taken for what.
    """

    judge: Array
    human: Array
    predictions: Array


def judged_table(table: Table, named: JudgedColumns | None = None) -> JudgedItems | JudgedLabels:
    """Return the scores of a table, or predictions and labels if it has columns of predictions."""
    predictions = _predictions(table)
    if not predictions:
        return judged.judged_of(table, named)
    named = named or JudgedColumns()
    if named.system is not None:
        raise InvalidInputError(
            f"{table.source} has a column for each system, so that {quoted(named.system)} names none",
            hint=FORM, argument="system_column",
        )  # fmt: skip
    item = table.item_column(named.items)
    taken = tuple(predictions.values()) if item is None else (item, *predictions.values())
    judges = judged.role_columns(table, JUDGE, named.judge, taken)
    humans = judged.role_columns(table, HUMAN, named.human, (*taken, *judges))
    if len(humans) > 1:
        raise InvalidInputError(
            f"{table.source} has labels of several humans: {listed(humans)}",
            hint="name one column of human labels, such as that of their majority", argument="human",
        )  # fmt: skip
    ids = None if item is None else judged.ids_of(table, item)
    used = {*taken, *judges, *humans}
    columns = {name: judged.plain(table.column(name)) for name in table.names if name not in used}
    names = tuple(predictions)
    return JudgedLabels(
        names,
        judged.judge_names(judges, named),
        _side_by_side(table, judges),
        judged.plain(table.column(humans[0])),
        _side_by_side(table, predictions.values()),
        ids=ids,
        columns=columns,
        **judged.groups(columns),
        description=f"{judged.source_name(table)} was read as predictions and labels of items; systems:"
        f" {listed(names)}; judge: {listed(judges)}; human: {listed(humans)}",
    )


def _predictions(table: Table) -> dict[str, str]:
    """Return the columns of predictions by the name of the system."""
    start = f"{PREDICTION}["
    found = [name for name in table.names if name.startswith(start) and name.endswith("]")]
    return {name[len(start) : -1]: name for name in found if len(name) > len(start) + 1}


def _side_by_side(table: Table, names: Any) -> Array:
    """Return columns as objects, shape (N, k)."""
    return np.stack([judged.plain(table.column(name)) for name in names], axis=1)
