"""Tables with two numbers per item and system: log-probability and length, samples and right ones."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bestby._core.arrays import objects
from bestby._core.errors import InvalidInputError, OtherQuestionError
from bestby._core.paths import readable_file
from bestby._core.typing import OnMissing
from bestby.data.columns import MISSING, Column
from bestby.data.layouts.items import read_long, system_column_of
from bestby.data.layouts.soft import is_number
from bestby.data.roles import ITEM_WORDS, Roles, Soft, TableOptions, listed
from bestby.data.table import Table
from bestby.data.values import as_scores
from bestby.metrics._items import NamedPair
from bestby.readers.files import read_table
from bestby.readers.formats.base import Read
from bestby.readers.joined_files import Part, evaluation_of_parts
from bestby.readers.tables import types_in_head
from bestby.readers.text import csv_rows, first_lines
from bestby.results.base import Note

Pair = tuple[str, str]

PAIRS: Mapping[tuple[str, str], str] = {
    ("logprob", "tokens"): "perplexity",
    ("logprob", "bytes"): "bits_per_byte",
    ("n", "c"): "pass@1",
    ("samples", "correct"): "pass@1",
}
"""Names of two columns that belong together, and the metric they suggest."""

_DELIMITERS = (",", "\t", ";", "|")


_ROLES = {*ITEM_WORDS, "system", "cluster", "stratum"}
_OTHER = {"gold", "prediction", "score", "winner"}
"""Columns of tables of other kinds."""


def recognises(path: Path, head: bytes) -> bool:
    """Tell whether a file is a table whose columns are called as one of `PAIRS`."""
    names = _column_names(path, head)
    if _OTHER & {*names}:
        return False
    # Two systems may be called n and c, or samples and correct: nothing else may lie beside them then.
    alone = "system" in names or {*names} <= _ROLES | {name for pair in PAIRS for name in pair}
    pairs = _named(names)
    return bool(_prefixed(names)) or (bool(pairs) and (alone or pairs[0][0] == "logprob"))


def _column_names(path: Path, head: bytes) -> list[str]:
    """Return the names of the columns as far as the start of a file tells."""
    if head.startswith(b"PAR1"):
        return [*types_in_head(path, head)]
    lines = first_lines(head)
    first = lines[0].strip() if lines else ""
    if first.startswith("{"):
        try:
            record = json.loads(first)
        except (ValueError, RecursionError):
            return []
        return [str(name) for name in record] if isinstance(record, dict) else []
    cut = [row for delimiter in _DELIMITERS for row in csv_rows([first], delimiter)]
    return [name.strip() for name in max(cut, key=len, default=[])]


def _named(names: Sequence[str]) -> list[Pair]:
    """Return the pairs whose two names are both there."""
    return [pair for pair in PAIRS if pair[0] in names and pair[1] in names]


def _prefixed(names: Sequence[str], pairs: Sequence[Pair] = tuple(PAIRS)) -> dict[Pair, list[str]]:
    """Return the systems of a wide table, by the pair of columns that two or more of them have."""
    known = {*names}
    pairs_of_two = {}
    for one, two in pairs:
        systems = [name.removesuffix(f".{one}") for name in names if name.endswith(f".{one}")]
        systems = [system for system in systems if system and f"{system}.{two}" in known]
        if len(systems) >= 2:
            pairs_of_two[(one, two)] = systems
    return pairs_of_two


def read(
    paths: Mapping[str, Path],
    *,
    on_missing: OnMissing = "error",
    items: str | None = None,
    clusters: str | None = None,
    strata: str | None = None,
    system_column: str | None = None,
    value_column: str | None = None,
) -> Read:
    """Read two numbers per item and system, for perplexity, bits per byte and pass@k.

    `paths` is one long table (columns system, item, and the two numbers), one wide table (columns
    ``gpt.logprob``, ``gpt.tokens``, ``llama.logprob``, ...), or one table per system, with a column of item
    ids or in the same order. `value_column` holds the names of the two columns with a comma between, if none
    or several of `PAIRS` are there.
    """
    tables = {name: read_table(readable_file(path), frozenset(MISSING)) for name, path in paths.items()}
    table = next(iter(tables.values()))
    wanted = _pair_of_columns(value_column)
    wide = _prefixed(table.names, list(PAIRS) if wanted is None else [wanted])
    roles = Roles(
        item=items,
        cluster=_group(clusters, "cluster", tables.values()),
        stratum=_group(strata, "stratum", tables.values()),
    )
    options = TableOptions(roles, on_missing=on_missing, soft=Soft(objects=True))
    if len(tables) > 1:
        pair, form = _pair(table, wanted), "one table per system"
        parts = {name: _part(one, pair, items) for name, one in tables.items()}
        evaluation, _ = evaluation_of_parts(parts, None, options)
    elif wide and system_column is None:
        (pair, names), form = _only(table, wide), "a wide table"
        parts = {name: _part(table, (f"{name}.{pair[0]}", f"{name}.{pair[1]}"), items) for name in names}
        evaluation, _ = evaluation_of_parts(parts, None, options)
    else:
        pair, system = _pair(table, wanted), system_column or system_column_of(table, roles, None)
        if system is None:
            raise InvalidInputError(
                f"{table.source}: the system is unknown: there is no column 'system'",
                hint="give one file per system, name=path, or name the column: system_column=...",
            )
        form, value = f"a long table (column {system})", ", ".join(pair)
        rest = {name: column for name, column in table.data.items() if name not in pair}
        long = dataclasses.replace(table, data={**rest, value: _pairs(table, pair)})
        options = dataclasses.replace(options, system_column=system, value_column=value)
        try:
            evaluation, _ = read_long(long, options)
        except OtherQuestionError as error:  # no question compares runs of pairs
            raise InvalidInputError(
                f"{error.message}, and pairs of numbers have no runs",
                hint="give each item and system one pair, such as the sums over its runs",
            ) from None
    description = f"pairs of numbers ({', '.join(pair)}), {form}; systems: {listed(evaluation.names)}"
    lengths = [[number for _, number in values] for values in evaluation.systems.values()]
    if pair[1] == "tokens" and any(numbers != lengths[0] for numbers in lengths):
        message = (
            "the systems count different numbers of tokens in the same texts: comparisons per token are not"
            " fair; bits per byte are comparable"
        )
        note = Note("tokens_differ", message)
        evaluation = dataclasses.replace(evaluation, notes=(*evaluation.notes, note))
    return Read(description, evaluation, metric=PAIRS.get(pair))


def _group(named: str | None, word: str, tables: Iterable[Table]) -> str | None:
    """Return the column of the groups of items: the one that is named, or one that is called so."""
    return named or (word if any(word in table.data for table in tables) else None)


def _pair_of_columns(text: str | None) -> Pair | None:
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
    return _only(table, {pair: [] for pair in _named(table.names)})[0]


def _only(table: Table, candidates: Mapping[Pair, list[str]]) -> tuple[Pair, list[str]]:
    if len(candidates) == 1:
        return next(iter(candidates.items()))
    known = "; ".join(", ".join(pair) for pair in candidates or PAIRS)
    message = "several pairs of columns are possible" if candidates else "no known pair of columns"
    raise InvalidInputError(
        f"{table.source}: {message} ({known})",
        hint=f"name the two: value_column=...; its columns are: {listed(table.names)}",
    )


def _part(table: Table, pair: Pair, items: str | None) -> Part:
    ids = table.item_column(items)
    return Part(table.source, _pairs(table, pair), None if ids is None else table.texts(ids, "item"), table)


def _pairs(table: Table, pair: Pair) -> Column:
    """Return two columns of numbers as one of pairs."""
    columns = []
    for name in pair:
        column = as_scores(table.column(table.require(name, "value column")))
        if column.values.ndim != 1 or column.values.dtype.kind not in "iuf":
            texts = (value for value in column.values[~column.missing] if not is_number(str(value)))
            text = next(texts, "nothing")
            raise InvalidInputError(
                f"{table.source}: column {name!r} must hold numbers, got {str(text)[:40]!r}",
                hint="name the two columns of numbers: value_column=...",
            )
        columns.append(column)
    gone = columns[0].missing | columns[1].missing
    rows = zip(columns[0].values.tolist(), columns[1].values.tolist(), gone.tolist(), strict=True)
    return Column(objects([None if out else NamedPair((one, two)) for one, two, out in rows]), gone)
