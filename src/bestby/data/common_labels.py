"""Labels of several columns in one list, compared exactly."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from bestby._core.typing import Array, IntArray
from bestby.data.coding import EXACT
from bestby.data.columns import Column
from bestby.data.values import BOOLEAN_WORDS, Key, are_whole, integer_type, key_of, number_of, spelled


def label_codes(columns: Sequence[Array]) -> tuple[Array, list[IntArray]]:
    """Return the sorted union of the labels of several columns, compared exactly, and each column's codes."""
    kinds = {values.dtype.kind for values in columns}
    if len(kinds) > 1 and ("U" in kinds or not _type_holds(columns, kinds)):
        return _joined_exactly(columns)
    labels = np.unique(np.concatenate(columns))
    return labels, [np.searchsorted(labels, values).astype(np.int64) for values in columns]


def share_a_label(gold: Array, values: Array) -> bool:
    """Tell whether some value is a label of the gold.

    >>> share_a_label(np.array([1, 2]), np.array(["?", "2"]))
    True
    """
    _, (known, there) = label_codes([np.unique(gold), np.unique(values)])
    return bool(np.isin(there, known).any())


def without_labels(gold: Column, systems: Mapping[str, Column]) -> list[str]:
    """Return which columns hold none of the gold's labels, such as sentences or scores that are not whole."""
    if not any(column.is_text for column in systems.values()):
        return []
    gold, systems = gold.distinct, {name: column.distinct for name, column in systems.items()}
    known = gold.values[~gold.missing]
    present = {
        name: column.values[~column.missing]
        for name, column in systems.items()
        if column.is_text or gold.is_text
    }
    strange = [name for name, values in present.items() if values.size and not share_a_label(known, values)]
    if len(strange) == len(present):
        return strange
    return [name for name in strange if present[name].dtype.kind != "f" or are_whole(systems[name])]


def _joined_exactly(columns: Sequence[Array]) -> tuple[Array, list[IntArray]]:
    """Return the same for values that no one type of numbers holds."""
    has_texts = any(values.dtype.kind == "U" and values.size for values in columns)
    words = BOOLEAN_WORDS if columns[0].dtype.kind == "b" else None

    def label(value: Any) -> Key:
        if isinstance(value, str):
            return value
        key = key_of(value)
        return words[int(key)] if words is not None and key in (0, 1) else spelled(key) if has_texts else key

    def place_in_order(key: Key) -> tuple[bool, Any]:
        number = key if not isinstance(key, str) else number_of(key)
        return (True, key) if number is None else (False, number)

    keys = [[label(value) for value in values.tolist()] for values in columns]
    distinct = {key for own in keys for key in own}
    order = sorted(distinct, key=place_in_order)
    place = {key: position for position, key in enumerate(order)}
    whole = None if has_texts or not all(isinstance(key, int) for key in distinct) else integer_type(distinct)
    names = np.array([spelled(key) for key in order]) if whole is None else np.array(order, dtype=whole)
    return names, [np.array([place[key] for key in own], dtype=np.int64) for own in keys]


def _type_holds(columns: Sequence[Array], kinds: Collection[str]) -> bool:
    """Tell whether one type of numbers holds the values of all columns as they are."""
    if "f" not in kinds:
        return np.result_type(*columns).kind != "f"  # of signed and unsigned integers NumPy makes floats
    whole = [values for values in columns if values.dtype.kind in "iu" and values.size]
    return all(int(values.max()) <= EXACT and int(values.min()) >= -EXACT for values in whole)
