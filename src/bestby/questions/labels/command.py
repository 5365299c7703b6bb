"""`bestby choose`: a random draw of the items to label."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby.data.columns import MISSING
from bestby.data.roles import ITEM_WORDS
from bestby.questions.labels.choose import choose_items
from bestby.questions.labels.parameters import Choose
from bestby.readers.opening import one_table
from bestby.readers.reading import read

_OF_SCORES = {
    "systems": "--system",
    "ignore": "--ignore",
    "system_column": "--system-column",
    "value_column": "--value-column",
}


def choose(values: Choose, progress: Any) -> Any:
    """Read and draw."""
    del progress  # a draw takes no time
    data, draw = values.data.arguments(), values.draw.arguments()
    if data.pop("ids_only"):
        ids, groups = _ids(values)
        return choose_items(ids, **groups, **draw)
    return choose_items(read(values.paths, stream=False, **data), **draw)


def _ids(values: Choose) -> tuple[Any, dict[str, Any]]:
    """Return the ids of a table without scores, and its clusters and strata."""
    data = values.data
    given = next((option for name, option in _OF_SCORES.items() if getattr(data, name)), None)
    if given is not None:
        raise InvalidInputError(
            f"--ids-only reads no scores, and {given} is about scores", hint="leave one out"
        )
    table = one_table(values.paths, "the ids of the items", data.missing or MISSING)
    if data.items:
        table, item = table.with_joined_ids(data.items, ()) if len(data.items) > 1 else (table, data.items[0])
    else:
        item = table.column_called(None, ITEM_WORDS, "items")
    named = {
        "clusters": (data.clusters, "cluster"),
        "strata": (data.strata, "stratum"),
    }
    groups = {
        what: np.array(table.texts(table.require(column or word, word), word))
        for what, (column, word) in named.items()
        if column is not None or word in table.data
    }
    return np.array(table.texts(table.require(item, "item"), "item")), groups
