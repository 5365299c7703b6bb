"""One file per system: joined by item id where the files have ids, by position where they have none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.typing import OnMissing
from bestby.evaluation import Evaluation
from bestby.readers.assemble import (
    check_present,
    check_unique,
    check_whole,
    keyed,
    one_type,
    side_by_side,
)
from bestby.readers.files import checked, read_values
from bestby.readers.long import agreed, value_word
from bestby.readers.roles import Roles
from bestby.readers.table import Table, listed
from bestby.readers.values import Column, Missing, column_of_texts, text_of


@dataclass(frozen=True, eq=False)
class Part:
    """The file of one system, or of the gold.

    Parameters
    ----------
    source : str
        Its path.
    column : Column, shape (n,)
        Its values.
    items : list of str, shape (n,), or None
        Its item ids.
    table : Table or None
        The whole table, if it is one.
    """

    source: str
    column: Column
    items: list[str] | None = None
    table: Table | None = None

    @property
    def keys(self) -> list[str]:
        """The ids, or the numbers of the rows where there are none."""
        return self.items if self.items is not None else [str(row + 1) for row in range(self.column.size)]


def read_several(
    paths: Mapping[str, str | Path],
    roles: Roles,
    on_missing: OnMissing,
    *,
    value_column: str | None,
    missing: Missing,
) -> tuple[Evaluation, str]:
    """Make an evaluation of one file per system.

    Parameters
    ----------
    paths : mapping of str to path
        The file of each system.
    roles : Roles
        The gold is a file, or a column that the files of the systems share; the rest are columns.
    on_missing : {"error", "drop", "worst"}
        What to do with items that some system has no value for.
    value_column : str, optional
        The column of the predictions or scores in tables that have several.
    missing : frozenset of str
        The texts that stand for a missing value.

    Returns
    -------
    Evaluation
        The data.
    str
        What was taken for what.
    """
    parts = {name: _system(checked(path), name, roles, value_column, missing) for name, path in paths.items()}
    gold = None if roles.gold is None else _gold(roles.gold, [*parts.values()], roles, missing)
    everything = [*parts.values()] + ([] if gold is None else [gold])
    groups = {role: _groups(role, name, everything) for role, name in _group_names(roles, gold)}
    by_line = all(part.items is None for part in everything)
    if by_line:
        evaluation = side_by_side(
            listed([part.source for part in everything], 3),
            {name: part.column for name, part in parts.items()},
            None if gold is None else gold.column,
            items=None,
            clusters=_in_order(groups.get("cluster")),
            strata=_in_order(groups.get("stratum")),
            on_missing=on_missing,
        )
    else:
        evaluation = _joined(parts, gold, groups, on_missing)
    joined = "line" if by_line else "item id"
    return evaluation, f"one file per system, joined by {joined}: {listed(list(parts))}; {roles.told()}"


def _joined(
    parts: Mapping[str, Part], gold: Part | None, groups: Mapping[str, dict[str, str]], on_missing: OnMissing
) -> Evaluation:
    everything = [*parts.values()] + ([] if gold is None else [gold])
    without = [part.source for part in everything if part.items is None]
    if without:
        given = next(part.source for part in everything if part.items is not None)
        raise InvalidInputError(
            f"{given} has item ids, {without[0]} has none",
            hint="give ids in every file (an item column in each), or in none",
        )
    for part in everything:
        check_unique(part.keys, f"{part.source}: item ids")
    columns, labels = one_type(
        {name: part.column for name, part in parts.items()}, None if gold is None else gold.column
    )
    if gold is not None:
        check_whole(gold.source, gold.column, gold.items)
    if on_missing == "error":
        for name, part in parts.items():
            check_present(part.source, name, part.column, part.items)
    return Evaluation.of(
        {name: keyed(part.keys, columns[name]) for name, part in parts.items()},
        None if gold is None or labels is None else keyed(gold.keys, labels),
        clusters=groups.get("cluster"),
        strata=groups.get("stratum"),
        on_missing=on_missing,
    )


def _system(path: Path, name: str, roles: Roles, value: str | None, missing: Missing) -> Part:
    content = read_values(path, name, missing)
    if isinstance(content, Column):
        return Part(str(path), content)
    ids = content.item_column(roles.item)
    value = value or value_word(content.data, prefer_score=roles.gold is None)
    if value is None:
        other = {ids, "gold", "cluster", "stratum", *(column for _, column in roles.named())}
        value = _only(content, name, [column for column in content.names if column not in other], (name,))
    content.require(value, "value column")
    return Part(
        str(path), content.column(value), None if ids is None else content.texts(ids, "item"), content
    )


def _gold(gold: str, parts: Sequence[Part], roles: Roles, missing: Missing) -> Part:
    """Read the gold from its file, or from a column that the files of the systems share."""
    tables = [part.table for part in parts if part.table is not None and gold in part.table.data]
    if len(tables) == len(parts) and not Path(gold).is_file():
        return _shared_gold(parts, [table.column(gold) for table in tables])
    path = checked(gold)
    content = read_values(path, "gold", missing)
    if isinstance(content, Column):
        return Part(str(path), content)
    ids = content.item_column(roles.item if roles.item in content.data else None)
    other = {ids, roles.cluster, roles.stratum, "cluster", "stratum"}
    value = _only(
        content, "the gold", [column for column in content.names if column not in other], ("gold", "label")
    )
    return Part(
        str(path), content.column(value), None if ids is None else content.texts(ids, "item"), content
    )


def _shared_gold(parts: Sequence[Part], columns: Sequence[Column]) -> Part:
    for part, column in zip(parts, columns, strict=True):
        check_whole(part.source, column, part.items)
    ids = [item for part in parts for item in part.keys]
    texts = [text for column in columns for text in text_of(column).values.tolist()]
    values = agreed("the files of the systems", "gold", ids, column_of_texts(texts))
    items = None if parts[0].items is None else list(values)
    return Part(parts[0].source, column_of_texts(list(values.values())), items)


def _only(table: Table, what: str, columns: Sequence[str], words: tuple[str, ...]) -> str:
    """Return the column with a telling name, or the only one."""
    found = next((word for word in words if word in columns), columns[0] if len(columns) == 1 else None)
    if found is None:
        raise InvalidInputError(
            f"{table.source}: which column holds {what}? its columns are: {listed(table.names)}",
            hint="name the column of predictions or scores: value_column=..., or call it prediction or score"
            if what != "the gold"
            else "call it gold",
        )
    return found


def _group_names(roles: Roles, gold: Part | None) -> list[tuple[str, str]]:
    """Return the columns of clusters and strata: those named, and those so called beside the gold."""
    beside = gold.table.data if gold is not None and gold.table is not None else {}
    pairs = (("cluster", roles.cluster), ("stratum", roles.stratum))
    named = [(role, name or (role if role in beside else None)) for role, name in pairs]
    return [(role, name) for role, name in named if name is not None]


def _groups(role: str, name: str, parts: Sequence[Part]) -> dict[str, str]:
    """Return the group of each item, from every table that has the column; they must agree."""
    holders = [(part, part.table) for part in parts if part.table is not None and name in part.table.data]
    if not holders:
        raise InvalidInputError(
            f"no file has a column {name!r} (asked for as {role})",
            hint=f"put it beside the gold: a CSV file with the columns item, gold, {name}",
        )
    texts = [text for _, table in holders for text in table.texts(name, role)]
    ids = [item for part, _ in holders for item in part.keys]
    return agreed("the files", role, ids, column_of_texts(texts))


def _in_order(groups: Mapping[str, Any] | None) -> list[str] | None:
    return None if groups is None else list(groups.values())
