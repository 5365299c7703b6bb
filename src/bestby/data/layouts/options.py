"""What the user says about a table of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bestby._core import arrays, checks, paths
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted, suggestion
from bestby._core.typing import OnMissing
from bestby.data.columns import Missing
from bestby.data.layouts.soft import Soft
from bestby.data.roles import Roles, listed, matching, unknown_system
from bestby.data.table import joined_ids


@dataclass(frozen=True)
class TableOptions:
    """What the user says about a table of items; `item_columns` make an item id together."""

    roles: Roles = field(default_factory=Roles)
    item_columns: tuple[str, ...] = ()
    systems: Sequence[str] | None = None
    ignore: Sequence[str] = ()
    on_missing: OnMissing = "error"
    system_column: str | None = None
    value_column: str | None = None
    soft: Soft = field(default_factory=Soft)
    missing: Missing = frozenset()

    @classmethod
    def of(
        cls,
        gold: str | None = None,
        items: Any = None,
        clusters: Any = None,
        strata: str | None = None,
        *,
        annotators: tuple[str, ...] = (),
        slices: tuple[str, ...] = (),
        systems: Any = None,
        ignore: Any = None,
        **others: Any,
    ) -> TableOptions:
        """Return what the user says, checked; ids of several columns and crossed clusters are taken apart."""
        item, item_columns = item_ids(items)
        cluster, crossed = groupings(clusters)
        for name, what in ((gold, "gold"), (strata, "strata")):
            checks.valid_name(name, what)
        return cls(
            Roles(gold, item, cluster, strata, annotators, crossed, slices),
            item_columns,
            None if systems is None else checks.valid_name_list(systems, "systems"),
            () if ignore is None else checks.valid_name_list(ignore, "ignore"),
            **others,
        )

    @property
    def columns(self) -> frozenset[str]:
        """The names of columns that the user gave."""
        named = {name for _, name in self.roles.named()} | {*self.item_columns, *(self.systems or ())}
        return frozenset(named | {name for name in (self.system_column, self.value_column) if name})


def chosen_names(names: Sequence[str], systems: Any, ignore: Any, source: str | None = None) -> list[str]:
    """Return the systems asked for, by name or pattern, without those to ignore."""
    names = list(names)

    def chosen(patterns: Any, what: str) -> list[str]:
        unknown = unknown_system(source, names, argument=what)
        return matching(checks.valid_name_list(patterns, what), names, unknown)

    ignored = [] if ignore is None else chosen(ignore, "ignore")
    return [
        name for name in (names if systems is None else chosen(systems, "systems")) if name not in ignored
    ]


def chosen_systems(data: Any, systems: Any, ignore: Any) -> Any:
    """Return a mapping of system to data with the systems asked for only."""
    if not isinstance(data, Mapping) or (systems is None and ignore is None):
        return data
    named = {checks.name_text(name, "system"): values for name, values in data.items()}
    return {name: named[name] for name in chosen_names([*named], systems, ignore)}


def with_keys(data: Any, side: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return data without the gold and groups that are named by their keys, and these with their values.

    >>> with_keys({"a": [1], "gold": [0]}, {"gold": "gold", "items": None})
    ({'a': [1]}, {'gold': [0], 'items': None})
    """
    if not isinstance(data, Mapping):
        return data, dict(side)
    keys = {role: [key] for role, key in side.items() if isinstance(key, str)}
    if _are_keys(side.get("items"), data):
        keys["items"] = list(side["items"])
    for role, names in keys.items():
        key = next((key for key in names if key not in data), None)
        if key is not None:
            raise InvalidInputError(
                f"the data have no {quoted(key)} (named as {role}){suggestion(key, map(str, data))}",
                hint=f"it is a file: {role}=bestby.read_labels(path) reads one with a label per line"
                if paths.is_file(key)
                else f"give the values of {role} themselves, or one of the keys: {listed([*map(str, data)])}",
                argument=role,
            )
    used = {key for names in keys.values() for key in names}
    rest = {name: values for name, values in data.items() if name not in used}
    values = {role: _values_of([data[key] for key in names], role) for role, names in keys.items()}
    return rest, {**side, **values}


def _are_keys(items: Any, data: Mapping[Any, Any]) -> bool:
    """Return whether these are keys of the data, which make item ids together, and not an id per item."""
    if not isinstance(items, list | tuple) or not all(isinstance(key, str) for key in items):
        return False
    first = next((key for key in items if key in data), None)
    return first is not None and len(arrays.listed(data[first], "items")) != len(items)


def _values_of(columns: Sequence[Any], role: str) -> Any:
    """Return the one column, or the ids that several make together."""
    if len(columns) == 1:
        return columns[0]
    parts = [arrays.listed(column, role) for column in columns]
    if len({len(part) for part in parts}) > 1 or any(
        checks.missing(value) for part in parts for value in part
    ):
        raise InvalidInputError(
            "the keys that make item ids together must have a value for every item",
            hint="complete them, or give the ids themselves",
            argument=role,
        )
    return joined_ids([tuple(map(str, row)) for row in zip(*parts, strict=True)])


def item_ids(items: str | Sequence[str] | None) -> tuple[str | None, tuple[str, ...]]:
    """Return the column of item ids, or those that make an id together."""
    if items is None or isinstance(items, str):
        return checks.valid_name(items, "items"), ()
    columns = checks.valid_name_list(items, "items")
    if not columns:
        raise InvalidInputError(
            "items is an empty list", hint="name the columns of the item ids", argument="items"
        )
    return (columns[0], ()) if len(columns) == 1 else (None, columns)


def groupings(clusters: str | Sequence[str] | None) -> tuple[str | None, str | None]:
    """Return the columns of one grouping of the items, or of two crossed ones."""
    if clusters is None or isinstance(clusters, str):
        return checks.valid_name(clusters, "clusters"), None
    names = checks.valid_name_list(clusters, "clusters")
    if not 1 <= len(names) <= 2 or len(set(names)) < len(names):
        raise InvalidInputError(
            f"clusters are one grouping of the items, or two that cross each other, got {listed(names)}",
            hint="name one column, or two",
            argument="clusters",
        )
    return names[0], names[1] if len(names) == 2 else None
