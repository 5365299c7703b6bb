"""A table of named columns, as a file, a data frame or records hold it, before anything is made of them."""

from __future__ import annotations

import dataclasses
import heapq
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import PurePath
from typing import Any

import numpy as np

from bestby._core import arrays, checks
from bestby._core.arrays import _narwhal, is_frame, is_partitioned, objects
from bestby._core.checks import missing as missing_value
from bestby._core.errors import InvalidInputError
from bestby._core.paths import is_file
from bestby._core.text import path_text, quoted, shortened, suggestion
from bestby._core.typing import Array
from bestby.data.alignment import joined_ids
from bestby.data.columns import (
    CODED_FROM,
    HEAD,
    Coded,
    Column,
    Missing,
    Raw,
    coded_texts,
    column_of,
    column_of_texts,
    has_few,
    identifiers,
    is_other_key,
    raw_values,
    text_of,
)
from bestby.data.roles import GOLD_WORDS, ITEM_WORDS, VALUE_WORDS, Roles, TableOptions, listed, matching
from bestby.data.values import as_scores

SYSTEM_WORDS = ("system", "model", "model_name", "method", "algorithm", "algo", "arch", "architecture")
"""Names of columns that say which system a row is of."""

ONE_OF_SEVERAL = {"system": "systems", "annotator": "annotators", "slice": "by"}
"""Parts that several columns play, and the arguments that name these."""

ARGUMENTS = {
    **ONE_OF_SEVERAL,
    "item": "items",
    "cluster": "clusters",
    "crossed": "clusters",
    "stratum": "strata",
    "system column": "system_column",
    "value column": "value_column",
}
"""The arguments that name the columns of a part, where they are not called as the part."""

_INDEX = "call it item if it holds item ids, else leave it out: pandas does so with to_csv(index=False)"
"""For a first column without a name: it may be ids, or the numbers of rows, which mean nothing."""


@dataclass(frozen=True, eq=False)
class Table:
    """Columns with names: as read (masked or None where nothing was), or a `Column` of distributions."""

    source: str
    data: Mapping[str, Raw | Column]
    missing: Missing
    files: tuple[str, ...] = ()
    """The files of which it is made, if there are several."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.data)

    @property
    def n_rows(self) -> int:
        """The number of rows, the header not counted."""
        return len(next(iter(self.data.values()), ()))

    def column(self, name: str) -> Column:
        """Return the values of a column, told from the missing ones."""
        raw = self.data[name]
        if isinstance(raw, Column):
            return raw
        return column_of(raw, f"{self.source}: column {name!r}", self.missing)

    def raw(self, name: str) -> Array | Column:
        """Return the values of a column as they were read."""
        raw = self.data[name]
        return raw if isinstance(raw, Column) else raw_values(raw)

    def texts(self, name: str, role: str) -> list[str]:
        """Return a column of ids or groups as text; nothing may be missing in it."""
        column = self.column(name)
        if column.missing.any():
            first = int(np.flatnonzero(column.missing)[0])
            raise InvalidInputError(
                f"{self.source}: {role} column {name!r} has no value in {int(column.missing.sum())} of"
                f" {column.size} rows; first: row {first + 1}",
                hint=f"every item needs its {role}",
            )
        raw = self.raw(name)
        if isinstance(raw, np.ndarray) and raw.dtype.kind == "O" and set(map(type, raw)) - {str}:
            return [str(value) for value in identifiers(list(raw), f"{self.source}: column {name!r}")]
        return [str(value) for value in text_of(column).values]

    def cells(self, name: str) -> list[str]:
        """Return a column as text, "" where nothing is."""
        column = text_of(self.column(name))
        return ["" if gone else str(text) for text, gone in zip(column.values, column.missing, strict=True)]

    def objects(self, name: str) -> Column:
        """Return the items of a column as they are, neither labels nor numbers."""
        raw = self.raw(name)
        values = objects(list(raw.values if isinstance(raw, Column) else raw))
        return Column(values, np.array([missing_value(value) for value in values], dtype=np.bool_))

    def without(self, patterns: Sequence[str]) -> Table:
        """Return the table without the columns that are to be ignored, by name or pattern."""
        ignored = matching(patterns, self.names, lambda name: self.unknown(name, "ignore"))
        rest = {name: raw for name, raw in self.data.items() if name not in ignored}
        return dataclasses.replace(self, data=rest)

    def with_joined_ids(self, columns: Sequence[str], used: Collection[str | None]) -> tuple[Table, str]:
        """Return the table with one column of ids made of several, which are left out if not `used`."""
        parts = list(zip(*(self.texts(self.require(name, "item"), "item") for name in columns), strict=True))
        ids = column_of_texts(joined_ids(parts))
        name = " and ".join(columns)
        rest = {key: raw for key, raw in self.data.items() if key not in columns or key in used}
        return dataclasses.replace(self, data={name: ids, **rest}), name

    def prepared(self, options: TableOptions) -> tuple[Table, TableOptions]:
        """Return the table without ignored columns and with one column of ids, and the remaining options."""
        table, rest = self.without(options.ignore), dataclasses.replace(options, ignore=())
        if not options.item_columns:
            return table, rest
        used = [name for _, name in options.roles.named()]
        table, item = table.with_joined_ids(options.item_columns, used)
        roles = dataclasses.replace(options.roles, item=item)
        return table, dataclasses.replace(rest, roles=roles, item_columns=())

    @property
    def soft(self) -> list[str]:
        """The names of the columns where every row is a distribution over classes."""
        return [name for name, raw in self.data.items() if isinstance(raw, Column) and raw.is_soft]

    def require(self, name: str, role: str) -> str:
        """Return `name` if there is such a column."""
        if name not in self.data:
            raise self.unknown(name, role)
        return name

    def unknown(self, name: str, role: str) -> InvalidInputError:
        """Return the error for a column that is not there."""
        argument = ARGUMENTS.get(role, role)
        part = f" (named as {role if role in ONE_OF_SEVERAL else argument})"
        if role == "gold" and PurePath(name).suffix and not is_file(name):
            part = ", and there is no file of that name"
        return InvalidInputError(
            f"{self.source} has no column {quoted(name)}{part}{suggestion(name, self.names)}",
            hint=f"its columns are: {listed(self.names)}",
            argument=argument,
        )

    def column_called(self, name: str | None, words: Sequence[str], role: str) -> str:
        """Return the column that plays a part: the one named, or else one that is called so."""
        if name is not None:
            return self.require(name, role)
        word = next((word for word in words if word in self.data), None)
        if word is None:
            raise InvalidInputError(
                f"{self.source}: no column is called {' or '.join(words)}",
                hint=f"name the column: {role}=...; its columns are: {listed(self.names)}",
            )
        return word

    def item_column(self, item: str | None) -> str | None:
        """Return the name of the column of item ids: the one asked for, or one with a telling name."""
        if item is not None:
            return self.require(item, "item")
        return next((word for word in ITEM_WORDS if word in self.data), None)

    def distinct(self, name: str) -> set[str]:
        """Return the values of a column, each once, as text; none of a column of distributions."""
        column = self.column(name)
        if column.is_soft or column.is_items:
            return set()
        distinct = column.distinct
        return set(text_of(distinct).values[~distinct.missing].tolist())

    def repeats(self, name: str) -> bool:
        """Tell whether a column holds texts that are not all different, as names in a long table are."""
        column = self.column(name)
        is_text = not column.is_soft and as_scores(column).is_text
        return is_text and len(self.distinct(name)) < int((~column.missing).sum())


def headless_hint(names: Sequence[str], columns: Iterable[Collection[str]]) -> str | None:
    """Return what to do about a first line that holds a row: a name that is also a value of its column.

    `columns` are the values of each. None where a name is one that columns have.
    """
    known = {*ITEM_WORDS, *VALUE_WORDS, *GOLD_WORDS, *SYSTEM_WORDS}
    name = next((name for name, values in zip(names, columns, strict=True) if name in values), None)
    if name is None or any(name.lower() in known for name in names):
        return None
    return (
        f"{quoted(name)} is also a value of its column: if the first line is a row, put a line with the names"
        " of the columns before it"
    )


def _counts(raw: Raw, missing: Missing, part: bool) -> bool:
    """Tell whether a column counts the rows from 0 or 1, or in part of a table from any number."""
    column = as_scores(column_of(raw, "the index", missing))
    if column.is_text or not column.size or column.missing.any():
        return False
    first = column.values[0]
    return (part or first in (0, 1)) and np.array_equal(column.values, first + np.arange(column.size))


def table_of_columns(
    source: str, names: Sequence[str], columns: Sequence[Any], missing: Missing, *, part: bool = False
) -> Table:
    """Make a table, or part of one, which may have no rows, of columns after checking their names.

    A first column without a name that counts the rows, as the index that pandas writes does, is left out.
    """
    stripped = [name.strip() for name in names]
    if len(stripped) > 1 and not stripped[0] and all(stripped[1:]) and _counts(columns[0], missing, part):
        stripped, columns = stripped[1:], columns[1:]
    for position, name in enumerate(stripped):
        if not name:
            raise InvalidInputError(
                f"{source}: column {position + 1} of {len(names)} has no name",
                hint=_INDEX
                if position == 0 and all(stripped[1:])
                else "the first line must name every column",
            )
    times = Counter(stripped)
    if len(times) < len(stripped):
        name = next(name for name in stripped if times[name] > 1)
        raise InvalidInputError(
            f"{source}: column name {quoted(name)} occurs {times[name]} times",
            hint="the first line must name the columns, each by a name of its own",
        )
    table = Table(source, dict(zip(stripped, columns, strict=True)), missing)
    if not stripped or (table.n_rows == 0 and not part):
        raise InvalidInputError(
            f"{source} has a header but no rows" if stripped else f"{source} has no columns",
            hint="one row per item is needed",
        )
    return table


def check_there(table: Table, roles: Roles) -> None:
    """Refuse roles of columns that the table does not have."""
    if roles.gold is not None and roles.gold not in table.data and is_file(roles.gold):
        raise InvalidInputError(
            f"{table.source} has no column {roles.gold!r}, which is a file",
            hint="put the gold into the table as a column; a table that is a file, too, is read with it:"
            " bestby.read(table, gold=file)",
        )
    for role, name in roles.named():
        table.require(name, role)


def merged_order(records: Iterable[Iterable[str]], places: Mapping[str, int] | None = None) -> list[str]:
    """Return all names in the order in which the records list them, whichever record lacks one.

    A one-sided question about pairs of systems stands in this order, which therefore must not change with the
    record that happens to come first. A name that a record lacks is placed by its neighbours in the others.
    Where fewer than nine of ten records agree on two neighbours, or none holds both, the alphabet decides.
    """
    distinct = Counter(tuple(record) for record in records)
    names = {name for record in distinct for name in record}
    times: Counter[tuple[str, str]] = Counter()
    for record, count in distinct.items():
        for pair in pairwise(record):
            times[pair] += count
    after: dict[str, list[str]] = {name: [] for name in names}
    waiting = dict.fromkeys(names, 0)
    for (first, second), count in times.items():
        # Nine of ten records must agree
        if count >= 0.9 * (count + times.get((second, first), 0)):
            after[first].append(second)
            waiting[second] += 1
    if places is None or any((second, first) in times for first, second in times):
        places = dict.fromkeys(names, 0)
    rank = {name: (places[name], name) for name in names}
    ready = [rank[name] for name in names if waiting[name] == 0]
    heapq.heapify(ready)
    ordered: dict[str, None] = {}
    while len(ordered) < len(names):
        if not ready:  # the records contradict each other in a circle: the first of the rest breaks it
            ready = [min(rank[name] for name in names if name not in ordered)]
        _, name = heapq.heappop(ready)
        if name in ordered:
            continue
        ordered[name] = None
        for follower in after[name]:
            waiting[follower] -= 1
            if waiting[follower] == 0 and follower not in ordered:
                heapq.heappush(ready, rank[follower])
    return list(ordered)


def order_in_groups(names: Iterable[str], groups: Iterable[Hashable]) -> list[str]:
    """Return the names in a long table in the order in which its groups of rows (items) list them."""
    members: dict[Hashable, dict[str, None]] = {}
    places: dict[str, int] = {}
    for name, group in zip(names, groups, strict=True):
        members.setdefault(group, {}).setdefault(name)
        places.setdefault(name, len(places))
    return merged_order(members.values(), places)


FRAME = "the data frame"
"""What messages call a frame, where they give the path of a file."""


def unreadable(data: Any, needed: str, hint: str, reader: str = "") -> InvalidInputError:
    """Return the error for data of no form that is known; of records, the first entry that is none.

    `reader` is the call for a path, such as ``"compare_runs(bestby.read_runs({}))"``; without it the hint is.
    """
    rows = list(data) if isinstance(data, list | tuple) else []
    if any(isinstance(row, Mapping) for row in rows):
        place, entry = next((i, row) for i, row in enumerate(rows, 1) if not isinstance(row, Mapping))
        return InvalidInputError(
            f"data: row {place} of the list of records must be a mapping of column to value, got"
            f" {quoted(entry)}",
            hint="give every row as a dictionary, or leave it out",
            argument="data",
        )
    if isinstance(data, str | PathLike):
        call = reader.format(shortened(path_text(data), 80)) if reader else hint
        hint = f"read the file first, with one of bestby's read functions: {call}"
    return InvalidInputError(f"data must be {needed}, got {type(data).__name__}", hint=hint, argument="data")


def backend_of(data: Any) -> str | None:
    """Return the library of a frame, such as "pandas"; None for anything else."""
    if not is_frame(data) or is_partitioned(data):
        return "dask" if is_partitioned(data) else None
    frame = _narwhal(data)
    return None if frame is None else str(frame.implementation.value)


def column_names(data: Any) -> list[str]:
    """Return the names of the columns of a frame, which must be text."""
    native = getattr(data, "column_names", None)
    names = list(getattr(data, "columns", ()) if native is None else native)
    for name in names:
        if not isinstance(name, str):
            raise InvalidInputError(
                f"columns must be named by strings, got {name!r} ({type(name).__name__})",
                hint="rename the columns, for example with frame.columns = frame.columns.astype(str)",
            )
        if names.count(name) > 1:
            raise InvalidInputError(
                f"column name {name!r} occurs {names.count(name)} times",
                hint="give every column a name of its own",
            )
    return names


def table_of(data: Any) -> Table:
    """Return a frame, records or a mapping of columns as a table; the frame says which values are missing."""
    if isinstance(data, list | tuple):
        names = merged_order(data)
        odd = next((name for name in names if not isinstance(name, str)), "")
        if not isinstance(odd, str):
            raise InvalidInputError(f"the keys of records must be text, got {quoted(odd)}")
        columns = [_texts_or_plain([record.get(name) for record in data]) for name in names]
        return table_of_columns("the list of records", names, columns, frozenset())
    if isinstance(data, Mapping):
        columns = [_of_sequence(values, f"column {quoted(name)}") for name, values in data.items()]
        _check_lengths(list(data), columns)
        return table_of_columns(
            "the mapping", [checks.name_text(name, "column") for name in data], columns, frozenset()
        )
    if is_partitioned(data):
        data = data.compute()
    frame = _narwhal(data)
    if hasattr(frame, "collect"):
        frame = _collected(frame)
        data = frame
    names = column_names(data)
    if frame is None:
        columns = [_plain(list(data[name])) for name in names]
        return table_of_columns(FRAME, names, columns, frozenset())
    table_of_columns(FRAME, names, [frame[names[0]]] * len(names) if names else [], frozenset())  # checked
    return Table(FRAME, FrameColumns(frame, names), frozenset())


class FrameColumns(Mapping[str, Raw]):
    """The columns of a frame, each converted when it is first asked for."""

    def __init__(self, frame: Any, names: Sequence[str]) -> None:
        self._frame, self._names = frame, {name.strip(): name for name in names}
        self._converted: dict[str, Raw] = {}

    def __getitem__(self, name: str) -> Raw:
        if name not in self._converted:
            self._converted[name] = _array(self._frame[self._names[name]])
        return self._converted[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def coded(self, name: str) -> Coded | None:
        """Return a column of texts as the codes that its library makes; None for others."""
        return _coded(self._frame[self._names[name]], few=False)


def _of_sequence(values: Any, what: str) -> Raw:
    """Return the values of a column: an array of numbers as it is, texts of which few differ as codes."""
    if type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind in "biuf":
        return values
    return _texts_or_plain(arrays.listed(values, what))


def _texts_or_plain(values: list[Any]) -> Raw:
    coded = coded_texts(values)
    return _plain(values) if coded is None else coded


def _collected(frame: Any) -> Any:
    """Return a lazy frame with its columns computed."""
    try:
        return frame.collect()
    except ImportError as error:
        raise InvalidInputError(
            f"a frame of {frame.implementation.value} cannot be read without another package: {error}",
            hint="install pyarrow, or pass the frame as one of pandas or polars",
        ) from error


def _check_lengths(names: list[str], columns: Sequence[Raw]) -> None:
    for name, column in zip(names, columns, strict=True):
        if len(column) != len(columns[0]):
            raise InvalidInputError(
                f"column {quoted(names[0])} has {len(columns[0])} values, {quoted(name)} has {len(column)}",
                hint="give every column one value per row",
            )


def _array(series: Any) -> Raw:
    """Return the values of a column: numbers or dates as an array if all are there, else objects or codes."""
    import narwhals as nw

    kind = series.dtype
    is_whole = kind == nw.Boolean or (kind.is_integer() and kind not in (nw.Int128, nw.UInt128))
    if kind.is_float() or kind.is_temporal() or (is_whole and not series.null_count()):
        array: Array = series.to_numpy()
        if array.dtype.kind != "O":
            return array
    coded = _coded(series)
    return _plain(series.to_list()) if coded is None else coded


def _coded(series: Any, *, few: bool = True) -> Coded | None:
    """Return a long column of texts or categories as the codes that its library makes; None for others.

    With `few`, a column of texts of which most differ is one of the others.
    """
    import narwhals as nw

    native, is_category = series.to_native(), series.dtype in (nw.Categorical, nw.Enum)
    if len(series) < CODED_FROM or not (is_category or series.dtype in (nw.String, nw.Object)):
        return None
    if isinstance(getattr(native, "dtype", None), np.dtype):  # objects of pandas, which may be of any type
        return coded_texts(native.to_numpy())
    if not is_category and (series.dtype == nw.Object or (few and not has_few(series.head(HEAD).to_list()))):
        return None
    if series.implementation.is_pandas():
        codes, distinct = native.factorize()
        return Coded.of(_plain(distinct.tolist()), codes)
    if series.implementation.is_polars():
        return _cast(series, native)
    if series.implementation.is_pyarrow():
        encoded = native.dictionary_encode().unify_dictionaries().combine_chunks()
        indices = encoded.indices.cast("int64").fill_null(-1)
        return Coded.of(_plain(encoded.dictionary.to_pylist()), indices.to_numpy())
    return None


def _cast(series: Any, native: Any) -> Coded:
    """Return a column of texts or categories of polars as the codes that polars makes."""
    import narwhals as nw

    enum = series.__native_namespace__().Enum
    texts = sorted(series.head(HEAD).drop_nulls().unique().cast(nw.String).to_list())
    physical = native.cast(enum(texts), strict=False).to_physical()
    if physical.null_count() > series.null_count():  # there are more than at the beginning
        texts = sorted(series.drop_nulls().unique().cast(nw.String).to_list())
        physical = native.cast(enum(texts)).to_physical()
    if not series.null_count():
        return Coded(objects(texts), physical.to_numpy())
    return Coded.of(texts, physical.cast(int).fill_null(-1).to_numpy())


def _plain(values: list[Any]) -> Array:
    """Return values as objects of plain types, None where one is missing."""
    if {*map(type, values)} <= {str, type(None)}:
        return objects(values)
    return objects([_plain_value(value) for value in values])


def _plain_value(value: Any) -> Any:
    if type(value) is str:
        return value
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if is_missing(value):
        return None
    return str(value) if isinstance(value, Hashable) and is_other_key(value) else value


def is_missing(value: Any) -> bool:
    """Tell whether a cell holds no value."""
    return not isinstance(value, list | dict) and checks.missing(value)
