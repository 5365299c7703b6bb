"""Tables with two numbers per item and system: log-probability and length, samples and right ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby._core.typing import OnMissing
from bestby.data.columns import MISSING, column_of_texts
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.assemble import agreed, check_unique
from bestby.data.table import ITEM_WORDS, Table, listed
from bestby.data.values import as_scores
from bestby.readers.files import read_table
from bestby.readers.formats._pair_names import PAIRS, Pair, named, names_of, prefixed
from bestby.readers.formats.base import Read, refuse_gold
from bestby.results.base import Note

_ROLES = {*ITEM_WORDS, "system", "cluster", "stratum"}
_OTHER = {"gold", "prediction", "score", "winner"}
"""Columns of tables of other kinds."""


def recognises(path: Path, head: bytes) -> bool:
    """Tell whether a file is a table whose columns are called as one of `PAIRS`."""
    names = names_of(path, head)
    if _OTHER & {*names}:
        return False
    # Two systems may be called n and c, or samples and correct: nothing else may lie beside them then.
    alone = "system" in names or {*names} <= _ROLES | {name for pair in PAIRS for name in pair}
    found = named(names)
    return bool(prefixed(names)) or (bool(found) and (alone or found[0][0] == "logprob"))


def read(
    paths: Mapping[str, Path],
    *,
    gold: Path | None = None,
    on_missing: OnMissing = "error",
    item: str | None = None,
    cluster: str | None = None,
    stratum: str | None = None,
    system_column: str | None = None,
    value_column: str | None = None,
) -> Read:
    """Read two numbers per item and system, for perplexity, bits per byte and pass@k.

    `paths` is one long table (columns system, item, and the two numbers), one wide table (columns
    ``gpt.logprob``, ``gpt.tokens``, ``llama.logprob``, ...), or one table per system, with a column of item
    ids or in the same order. CSV, TSV, JSON Lines or Parquet. `value_column` holds the names of the two
    columns, with a comma between: ``"logprob,bytes"``. Needed if they are called otherwise than in `PAIRS`,
    or several pairs are there.
    """
    refuse_gold(gold, "pairs of numbers have no gold")
    tables = {name: read_table(readable_file(path), MISSING) for name, path in paths.items()}
    by = _By(item, cluster, stratum, system_column)
    wanted = _wanted(value_column)
    if len(tables) > 1:
        pair = _pair(next(iter(tables.values())), wanted)
        parts, form = {name: _part(table, by, pair) for name, table in tables.items()}, "one table per system"
    else:
        table = next(iter(tables.values()))
        wide = prefixed(table.names, list(PAIRS) if wanted is None else [wanted])
        if wide and system_column is None:
            pair, names = _only(table, wide)
            parts = {name: _part(table, by, (f"{name}.{pair[0]}", f"{name}.{pair[1]}")) for name in names}
            form = "a wide table"
        else:
            pair = _pair(table, wanted)
            parts, form = _long(table, by, pair), f"a long table (column {system_column or 'system'})"
    evaluation = _evaluation(parts, on_missing)
    description = f"pairs of numbers ({', '.join(pair)}), {form}; systems: {listed(list(parts))}"
    evaluation = dataclasses.replace(evaluation, notes=(*evaluation.notes, *_lengths(evaluation, pair)))
    return Read(description=description, evaluation=evaluation, metric=PAIRS.get(pair))


def _lengths(evaluation: Evaluation, pair: Pair) -> tuple[Note, ...]:
    """Return a note if systems count different numbers of tokens in the same texts."""
    counted = [[number for _, number in values] for values in evaluation.systems.values()]
    if pair[1] != "tokens" or all(numbers == counted[0] for numbers in counted):
        return ()
    told = (
        "the systems count different numbers of tokens in the same texts: comparisons per token are not fair;"
        " bits per byte are comparable"
    )
    return (Note("tokens_differ", told),)


@dataclass(frozen=True)
class _By:
    """The columns that the user named."""

    item: str | None
    cluster: str | None
    stratum: str | None
    system: str | None


@dataclass(frozen=True, eq=False)
class _Part:
    """The rows of one system: pairs (None where one is missing), ids and groups."""

    source: str
    pairs: list[tuple[Any, Any] | None]
    items: list[str] | None
    groups: dict[str, list[str]]

    def take(self, rows: Sequence[int]) -> _Part:
        return _Part(
            self.source,
            [self.pairs[row] for row in rows],
            None if self.items is None else [self.items[row] for row in rows],
            {role: [values[row] for row in rows] for role, values in self.groups.items()},
        )


def _wanted(text: str | None) -> Pair | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise InvalidInputError(
            f"expected two column names separated by a comma, got {text!r}", hint='as in "logprob,tokens"'
        )
    return names[0], names[1]


def _pair(table: Table, wanted: Pair | None) -> Pair:
    if wanted is not None:
        for name in wanted:
            table.require(name, "value column")
        return wanted
    return _only(table, {pair: [] for pair in named(table.names)})[0]


def _only(table: Table, found: Mapping[Pair, list[str]]) -> tuple[Pair, list[str]]:
    if len(found) == 1:
        return next(iter(found.items()))
    known = "; ".join(", ".join(pair) for pair in found or PAIRS)
    told = "several pairs of columns are possible" if found else "no known pair of columns"
    raise InvalidInputError(
        f"{table.source}: {told} ({known})",
        hint=f"name the two: value_column=...; its columns are: {listed(table.names)}",
    )


def _part(table: Table, by: _By, pair: Pair) -> _Part:
    columns = []
    for name in pair:
        table.require(name, "value column")
        column = as_scores(table.column(name))
        if column.values.ndim != 1 or column.values.dtype.kind not in "iuf":
            there = [value for value, gone in zip(column.values, column.missing, strict=True) if not gone]
            text = next((value for value in there if not _is_number(value)), there[0] if there else "nothing")
            raise InvalidInputError(
                f"{table.source}: column {name!r} must hold numbers, got {str(text)[:40]!r}",
                hint="name the two columns of numbers: value_column=...",
            )
        columns.append(column)
    gone = columns[0].missing | columns[1].missing
    rows = zip(columns[0].values.tolist(), columns[1].values.tolist(), gone.tolist(), strict=True)
    found = table.item_column(by.item)
    groups = {}
    for role, asked in (("cluster", by.cluster), ("stratum", by.stratum)):
        if asked is not None or role in table.data:
            groups[role] = table.texts(table.require(asked or role, role), role)
    items = None if found is None else table.texts(found, "item")
    return _Part(table.source, [None if out else (one, two) for one, two, out in rows], items, groups)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _long(table: Table, by: _By, pair: Pair) -> dict[str, _Part]:
    name = by.system or "system"
    if name not in table.data:
        raise InvalidInputError(
            f"{table.source}: the system is unknown: there is no column {name!r}",
            hint="give one file per system, name=path, or name the column: system_column=...",
        )
    whole = _part(table, by, pair)
    if whole.items is None:
        raise InvalidInputError(
            f"{table.source}: a long table needs a column of item ids",
            hint=f"name it: item=...; its columns are: {listed(table.names)}",
        )
    rows: dict[str, list[int]] = {}
    for row, system in enumerate(table.texts(name, "system")):
        rows.setdefault(system, []).append(row)
    return {system: whole.take(mine) for system, mine in rows.items()}


def _evaluation(parts: Mapping[str, _Part], on_missing: OnMissing) -> Evaluation:
    keyed = [name for name, part in parts.items() if part.items is not None]
    if keyed and len(keyed) < len(parts):
        without = next(part.source for name, part in parts.items() if name not in keyed)
        raise InvalidInputError(
            f"{parts[keyed[0]].source} has item ids, {without} has none",
            hint="give ids in every file, or in none",
        )
    for name, part in parts.items():
        check_unique(part.items or [], f"{part.source}: item ids of system {name!r}")
        if on_missing == "error" or not keyed:
            _check_present(name, part)
    systems = {name: _values(part.pairs, part.items) for name, part in parts.items()}
    groups = {role: _groups(role, parts) for role in ("cluster", "stratum")}
    return Evaluation.of(
        systems,
        clusters=groups["cluster"],
        strata=groups["stratum"],
        on_missing=on_missing,
        objects=True,
    )


def _values(values: Sequence[Any], items: Sequence[str] | None) -> Any:
    if items is None:
        return list(values)
    return {item: value for item, value in zip(items, values, strict=True) if value is not None}


def _check_present(name: str, part: _Part) -> None:
    gone = [place for place, pair in enumerate(part.pairs) if pair is None]
    if gone:
        which = f"row {gone[0] + 1}" if part.items is None else f"item {part.items[gone[0]]!r}"
        raise InvalidInputError(
            f"{part.source}: system {name!r} has no value for {len(gone)} of {len(part.pairs)} items; first:"
            f" {which}",
            hint='with item ids, on_missing="drop" compares the others',
        )


def _groups(role: str, parts: Mapping[str, _Part]) -> Any:
    """Return the group of each item, on which all systems that tell it must agree."""
    telling = [part for part in parts.values() if role in part.groups]
    if not telling:
        return None
    if telling[0].items is None:
        odd = next((part for part in telling if part.groups[role] != telling[0].groups[role]), None)
        if odd is not None:
            raise InvalidInputError(f"{telling[0].source} and {odd.source} differ in the {role} of the items")
        return telling[0].groups[role]
    items = [item for part in telling for item in part.items or ()]
    values = [value for part in telling for value in part.groups[role]]
    return agreed(telling[0].source, role, items, column_of_texts(values))
