"""The items on which a system is better or worse than the best one and the baseline."""

from __future__ import annotations

import numpy as np

from bestby._core.typing import FloatArray
from bestby.boards.content import ItemsAgainst, Table
from bestby.boards.scoring import form_of
from bestby.boards.tables import Scored


def outcomes(scored: Scored, table: Table) -> list[ItemsAgainst]:
    """Return the items of the best systems, against the best one and the baseline.

    Labels are right or wrong, scores more or less. Of other predictions no item is won by itself.
    """
    hidden = scored.hidden
    task = hidden.task
    if not (task.scores or form_of(task) == "labels"):
        return []
    order = [row.system for row in table.standings]
    # The best systems whose items are shown
    chosen = list(dict.fromkeys([*order[:50], *([table.baseline] if table.baseline else [])]))
    values: dict[str, FloatArray] = {}
    for key in chosen:
        own = scored.evaluation.systems[key]
        worth = own if hidden.gold is None else own == hidden.gold
        values[key] = np.asarray(worth, dtype=np.float64)
    if hidden.gold is None and not table.metric.greater_is_better:
        values = {key: -own for key, own in values.items()}
    against = list(dict.fromkeys([order[0], *([table.baseline] if table.baseline else [])]))
    return [
        ItemsAgainst(
            key,
            task.name,
            table.metric.name,
            other,
            tuple(hidden.items[values[key] > values[other]].tolist()),
            tuple(hidden.items[values[key] < values[other]].tolist()),
        )
        for key in chosen
        for other in against
        if key != other
    ]
