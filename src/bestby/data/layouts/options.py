"""What the user says about a table of items."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted, suggestion
from bestby._core.typing import OnMissing
from bestby.data.columns import Missing
from bestby.data.layouts.soft import Soft
from bestby.data.roles import Roles, listed, matching, unknown_system
from bestby.data.table import Table


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
        item: Any = None,
        cluster: Any = None,
        stratum: str | None = None,
        *,
        annotators: tuple[str, ...] = (),
        systems: Any = None,
        ignore: Any = None,
        **others: Any,
    ) -> TableOptions:
        """Return what the user says, checked; ids of several columns and crossed clusters are taken apart."""
        item, item_columns = item_ids(item)
        cluster, crossed = groupings(cluster)
        for name, what in ((gold, "gold"), (stratum, "stratum")):
            checks.valid_name(name, what)
        return cls(
            Roles(gold, item, cluster, stratum, annotators, crossed),
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

    def prepared(self, table: Table) -> tuple[Table, TableOptions]:
        """Return the table without ignored columns and with one column of ids."""
        table, rest = table.without(self.ignore), dataclasses.replace(self, ignore=())
        if not self.item_columns:
            return table, rest
        table, item = table.with_joined_ids(self.item_columns, [name for _, name in self.roles.named()])
        roles = dataclasses.replace(self.roles, item=item)
        return table, dataclasses.replace(rest, roles=roles, item_columns=())


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
    named = {str(name): values for name, values in data.items()}
    return {name: named[name] for name in chosen_names([*named], systems, ignore)}


def with_keys(data: Any, side: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return data without the gold and groups that are named by their keys, and these with their values.

    >>> with_keys({"a": [1], "gold": [0]}, {"gold": "gold", "items": None})
    ({'a': [1]}, {'gold': [0], 'items': None})
    """
    if not isinstance(data, Mapping):
        return data, dict(side)
    keys = {role: key for role, key in side.items() if isinstance(key, str)}
    for role, key in keys.items():
        if key not in data:
            raise InvalidInputError(
                f"the data have no {quoted(key)} (named as {role}){suggestion(key, map(str, data))}",
                hint=f"give the values of {role} themselves, or one of the keys: {listed([*map(str, data)])}",
            )
    rest = {name: values for name, values in data.items() if name not in keys.values()}
    return rest, {role: data[keys[role]] if role in keys else value for role, value in side.items()}


def item_ids(item: str | Sequence[str] | None) -> tuple[str | None, tuple[str, ...]]:
    """Return the column of item ids, or those that make an id together."""
    if item is None or isinstance(item, str):
        return checks.valid_name(item, "item"), ()
    columns = checks.valid_name_list(item, "item")
    if not columns:
        raise InvalidInputError("item is an empty list", hint="name the columns of the item ids")
    return (columns[0], ()) if len(columns) == 1 else (None, columns)


def groupings(cluster: str | Sequence[str] | None) -> tuple[str | None, str | None]:
    """Return the columns of one grouping of the items, or of two crossed ones."""
    if cluster is None or isinstance(cluster, str):
        return checks.valid_name(cluster, "cluster"), None
    names = checks.valid_name_list(cluster, "clusters")
    if not 1 <= len(names) <= 2 or len(set(names)) < len(names):
        raise InvalidInputError(
            f"clusters are one grouping of the items, or two that cross each other, got {listed(names)}",
            hint="name one column, or two",
        )
    return names[0], names[1] if len(names) == 2 else None
