"""Tables larger than memory: DuckDB counts equal rows, or reads scores in batches."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bestby._core import checks
from bestby._core.arrays import objects
from bestby._core.checks import NUMERAL, number_hint
from bestby._core.errors import DesignError, InvalidInputError, MissingExtraError
from bestby._core.typing import Array, IntArray, OnMissing
from bestby.data.alignment import dropped_note
from bestby.data.columns import Column, Missing
from bestby.data.evaluation import Batch, Evaluation, Streamed
from bestby.data.layouts.items import (
    MOST_CELLS,
    check_no_counter,
    described,
    evaluation_of_counts,
    is_long,
    roles_of,
    systems_of,
    with_left_out,
)
from bestby.data.layouts.soft import gathered
from bestby.data.roles import Roles, TableOptions
from bestby.data.table import Table, merged_order, table_of_columns
from bestby.data.values import as_scores
from bestby.readers.database import csv_source, in_order, lines, literal, quoted, streaming
from bestby.readers.files import kind_of
from bestby.readers.joined_files import Piece, Pieces, check_same_columns, is_gold_another_file, joined
from bestby.readers.tables import (
    SPACE,
    differ_in_capitals,
    header_of,
    parquet_columns,
    parsed_json,
    records_of,
)
from bestby.resampling.streams import GOLDEN, mix
from bestby.results.base import Note

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

COUNTED_FROM = 20_000_000
"""Values (rows times columns) of a table from which it is counted, if it can be."""

BATCHED_FROM = 200_000_000
"""Values of a table of scores from which it is read in batches."""

_FIRST_ROWS = 100
"""Rows that are looked at to tell what the columns are."""


def read_counted(pieces: Pieces, options: TableOptions, stream: bool | None) -> tuple[Evaluation, str] | None:
    """Count the rows of a wide table of labels; None if it is to be read whole."""
    if stream is None and pieces.n_values() < COUNTED_FROM:
        return None
    with streaming(pieces.source) as database:
        reason = _uncountable(pieces, options)
        head = None if reason is not None else _head(pieces, options, database).without(options.ignore)
        reason = reason if head is None else _other_kind(head, options)
        if head is None or reason is not None:
            _refuse(f"only wide tables of labels can be counted, and {reason}", stream)
            return None
        roles = roles_of(head, options.roles, chosen=options.systems is not None)
        if roles.slices:
            _refuse(f"slices (column {roles.slices[0]}) need every item", stream)
            return None
        if roles.cluster is not None:
            _refuse(f"clusters (column {roles.cluster}) need every item", stream)
            return None
        names = systems_of(head, roles, options.systems)
        if options.systems is None:  # the first rows show it: nothing else begins with 0, 1, 2, ...
            gold = None if roles.gold is None else head.column(roles.gold)
            check_no_counter(head, {name: head.column(name) for name in names}, gold)
        others = [name for name in (roles.gold, roles.stratum) if name is not None]
        used = [*names, *others]
        queries = _queries(pieces, head, used, database)
        abouts = [_estimated(database, query, delimited=pieces.form == "delimited") for query in queries]
        n_cells = sum(about.n_cells for about in abouts)
        if any(about.n_blank for about in abouts):
            pieces = without_blank_ends(pieces)
            database.execute("SET preserve_insertion_order = true")  # the first rows of a file are read
            queries = _queries(pieces, head, used, database)
        if n_cells > MOST_CELLS:
            size = f"the table has about {n_cells} distinct rows, more than the {MOST_CELLS} that are counted"
            reason = _unstreamable(pieces, head, roles, used, stream)
            if reason is None:
                passes = _passes(pieces, head, roles, names, options, database)
                batches = read_batches(passes, names, options.on_missing)
                return with_left_out(batches, head, names, roles, options.systems), described(
                    head, names, roles
                )
            _refuse(f"{size}, and {reason}", stream)
            return None
        table, counts = _counted(pieces, queries, used, database, options.missing)
    evaluation = evaluation_of_counts(table, counts, names, roles, options)
    return with_left_out(evaluation, head, names, roles, options.systems), described(head, names, roles)


def _refuse(reason: str, stream: bool | None) -> None:
    """Raise if the rows must be counted; otherwise they are read whole."""
    if stream:
        raise DesignError(reason, hint="read the table whole: leave stream=True out")


def _uncountable(pieces: Pieces, options: TableOptions) -> str | None:
    """Return what there is that is no wide table of hard labels."""
    if pieces.form == "json" and _is_array(pieces.paths[0]):
        return "this one is a single JSON array"
    if options.item_columns:
        return "these have item ids made of several columns"
    if options.roles.annotators:
        return "these have labels of several annotators"
    if options.soft.as_given:
        return "these hold sets of labels" if options.soft.label_sets else "these hold texts"
    if options.soft.classes is not None or options.soft.every_column or options.soft.normalise:
        return "these hold soft labels"
    return None


def _is_array(path: Path) -> bool:
    first = lines(path, kind_of(path).compression, most=1)
    return bool(first) and first[0].lstrip().startswith("[")


def _other_kind(head: Table, options: TableOptions) -> str | None:
    """Return what the columns show to be no hard label per system beside its gold."""
    if is_gold_another_file(head, options):
        return f"the gold is another file, {options.roles.gold}"
    table = gathered(head, options.soft, options.columns, options.roles.item)
    if table.soft:
        return f"column {table.soft[0]!r} holds soft labels"
    if any(isinstance(column, Column) and column.is_items for column in table.data.values()):
        return "these hold sets of labels"
    if is_long(table, options.roles, options.systems, options.soft):
        return "this one is long (a row per item and system)"
    return None


def _head(pieces: Pieces, options: TableOptions, database: DuckDBPyConnection) -> Table:
    """Return the first rows, with all columns that the table has; files without rows show nothing."""
    for first in pieces.pieces:
        names, columns = _first_rows(pieces, first, options, database)
        if columns and len(columns[0]):
            break
    folders = pieces.folder_columns(names, options.columns)
    said = dict(first.folders)
    size = len(columns[0]) if columns else 0
    constant = [np.full(size, said.get(name), dtype=object) for name in folders]
    return table_of_columns(pieces.source, [*names, *folders], [*columns, *constant], options.missing)


def _first_rows(
    pieces: Pieces, first: Piece, options: TableOptions, database: DuckDBPyConnection
) -> tuple[list[str], list[Array]]:
    if pieces.form == "json":
        records = records_of(first.path, lines(first.path, kind_of(first.path).compression, most=_FIRST_ROWS))
        names = merged_order(records)
        if options.systems is None or {*options.systems} - {*names}:  # a key may come late
            names += [name for name in _json_keys(pieces, database) if name not in names]
        columns = [objects([record.get(name) for record in records]) for name in names]
        return names, columns
    source, parameters, columns_of_file = _relation(pieces.form, [first], database)
    selected = ", ".join(f"{value} AS k{i}" for i, (_, value) in enumerate(columns_of_file))
    with in_order(first.path) as ordered:
        arrays = ordered.execute(
            f"SELECT {selected} FROM {source} LIMIT {_FIRST_ROWS}", parameters
        ).fetchnumpy()
    return [name for name, _ in columns_of_file], list(arrays.values())


def _json_keys(pieces: Pieces, database: DuckDBPyConnection) -> list[str]:
    keys: set[str] = set()
    for compression, group in _grouped_by(pieces.pieces, lambda piece: kind_of(piece.path).compression):
        rows = database.execute(
            "SELECT DISTINCT unnest(json_keys(json)) FROM read_ndjson_objects(?, compression=?)",
            [[literal(piece.path) for piece in group], compression],
        ).fetchall()
        keys.update(name for (name,) in rows)
    return sorted(keys)


def _grouped_by(pieces: Sequence[Piece], key: Any) -> Iterator[tuple[Any, list[Piece]]]:
    groups: dict[Any, list[Piece]] = {}
    for piece in pieces:
        groups.setdefault(key(piece), []).append(piece)
    yield from groups.items()


@dataclass(frozen=True)
class _Query:
    """The columns of some files, and what their folders say of the others."""

    source: str
    parameters: Sequence[Any]
    columns: Mapping[str, str]
    folders: Mapping[str, str | None]

    @property
    def selected(self) -> list[str]:
        return list(self.columns.values())


def _queries(pieces: Pieces, head: Table, used: Sequence[str], database: DuckDBPyConnection) -> list[_Query]:
    """Group the files that one query can read: of one header, one packing, one value of each folder used."""
    of_files = _columns_of_files(pieces, head, database)
    folders = [name for name in used if name in pieces.folder_columns(of_files, used)]
    capitals = differ_in_capitals(of_files)

    def key(piece: Piece) -> Any:
        said = dict(piece.folders)
        kind = kind_of(piece.path)
        header: Any = None
        if pieces.form == "parquet":
            written = list(parquet_columns(piece.path, database)) if capitals else []
            header = tuple(written)
        if pieces.form == "delimited":
            names, delimiter = header_of(piece.path, kind.compression)
            header = (*names, delimiter)
        apart = None if piece.n_rows is None else (piece.path, piece.n_rows)
        return tuple(said.get(name) for name in folders), kind.compression, header, apart

    if pieces.form == "parquet" and len(pieces.pieces) > 1:
        for path in pieces.paths[1:]:
            here = [name.strip() for name in parquet_columns(path, database)]
            check_same_columns(pieces, path, here, of_files)
    queries = []
    for (said, _, _, apart), group in _grouped_by(pieces.pieces, key):
        wanted = [name for name in used if name not in folders]
        source, parameters, columns_of_file = _relation(pieces.form, group, database, wanted)
        by_name = {name.strip(): value for name, value in columns_of_file}
        if pieces.form == "delimited":
            check_same_columns(pieces, group[0].path, list(by_name), of_files)
        if apart is not None:
            source = f"(SELECT * FROM {source} LIMIT {apart[1]:d})"
        columns = {name: by_name[name] for name in wanted}
        queries.append(_Query(source, parameters, columns, dict(zip(folders, said, strict=True))))
    return queries


def _columns_of_files(pieces: Pieces, head: Table, database: DuckDBPyConnection) -> list[str]:
    known = {name for piece in pieces.pieces for name, _ in piece.folders}
    if pieces.form == "json":
        return [name for name in head.names if name not in known]
    _, _, columns_of_file = _relation(pieces.form, pieces.pieces[:1], database)
    return [name.strip() for name, _ in columns_of_file]


def _relation(
    form: str, group: Sequence[Piece], database: DuckDBPyConnection, wanted: Sequence[str] = ()
) -> tuple[str, list[Any], list[tuple[str, str]]]:
    """Return the files as a table of SQL, its parameters, and its columns: names and SQL of the values."""
    paths = [literal(piece.path) for piece in group]
    if form == "parquet":
        of_file = list(parquet_columns(group[0].path, database).items())
        return "read_parquet(?, hive_partitioning=false, union_by_name=true)", [paths], of_file
    compression = kind_of(group[0].path).compression
    if form == "json":
        if differ_in_capitals(list(wanted)):  # which DuckDB takes for one column
            values = [(name, f"json->{quoted(_json_path(name))}") for name in wanted]
            return "read_ndjson_objects(?, compression=?)", [paths, compression], values
        columns = ", ".join(f"{quoted(name)}: 'JSON'" for name in wanted)
        source = (
            f"read_json(?, compression=?, format='newline_delimited', records=true, auto_detect=false,"
            f" hive_partitioning=false, columns={{{columns}}})"
        )
        return source, [paths, compression], [(name, _identifier(name)) for name in wanted]
    names, delimiter = header_of(group[0].path, compression)
    source = csv_source(len(names), [piece.path for piece in group], compression, delimiter)
    return source, [paths, compression, delimiter], [(name, f"c{i}") for i, name in enumerate(names)]


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _json_path(name: str) -> str:
    return '$."' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _Estimate(NamedTuple):
    """About how many distinct rows there are, and how many rows of text have no value in any column used."""

    n_cells: int
    n_blank: int


def _estimated(database: DuckDBPyConnection, query: _Query, *, delimited: bool) -> _Estimate:
    """Look at the rows of a query, in a fixed memory."""
    if not query.columns:
        return _Estimate(1, 0)
    blank = _all_blank(query.selected) if delimited else "false"
    estimates = database.execute(
        f"SELECT approx_count_distinct(hash({', '.join(query.selected)})), count(*) FILTER (WHERE {blank})"
        f" FROM {query.source}",
        [*query.parameters],
    ).fetchall()[0]
    return _Estimate(*map(int, estimates))


def _all_blank(columns: Sequence[str]) -> str:
    """Return the condition, in SQL, that none of the columns of text has a value."""
    return " AND ".join(f"({column} IS NULL OR trim({column}, '{SPACE}') = '')" for column in columns)


def without_blank_ends(pieces: Pieces) -> Pieces:
    """Return the files of a table with how many rows are read of those that end with rows without a value.

    `read_delimited` of `bestby.readers.tables` does the same in memory. Of a single column all rows count.
    """
    return dataclasses.replace(pieces, pieces=tuple(map(_without_blank_end, pieces.pieces)))


def _without_blank_end(piece: Piece) -> Piece:
    compression = kind_of(piece.path).compression
    names, delimiter = header_of(piece.path, compression)
    if len(names) == 1:
        return piece
    source = csv_source(len(names), [piece.path], compression, delimiter)
    value = f"NOT ({_all_blank([f'c{i}' for i in range(len(names))])})"
    numbered = f"SELECT row_number() OVER () AS place, {value} AS valued FROM {source}"
    with in_order(piece.path) as database:
        n_rows, last = database.execute(
            f"SELECT count(*), coalesce(max(place) FILTER (WHERE valued), 0) FROM ({numbered})",
            [literal(piece.path), compression, delimiter],
        ).fetchall()[0]
    return piece if last == n_rows else dataclasses.replace(piece, n_rows=int(last))


def _counted(
    pieces: Pieces,
    queries: Sequence[_Query],
    used: Sequence[str],
    database: DuckDBPyConnection,
    missing: Missing,
) -> tuple[Table, IntArray]:
    """Return the distinct rows of the columns used, and how often each occurs."""
    parts: dict[str, list[Array]] = {name: [] for name in used}
    counts: list[IntArray] = []
    for query in queries:
        selected = ", ".join(f"{column} AS k{i}" for i, column in enumerate(query.selected))
        comma = ", " if selected else ""
        arrays = database.execute(
            f"SELECT {selected}{comma}count(*) AS n FROM {query.source}"
            + (" GROUP BY ALL ORDER BY ALL" if selected else ""),
            [*query.parameters],
        ).fetchnumpy()
        number = np.asarray(arrays["n"]).astype(np.int64)
        counts.append(number)
        for i, name in enumerate(query.columns):
            raw = arrays[f"k{i}"]
            parts[name].append(_decoded(pieces, raw) if pieces.form == "json" else raw)
        for name, said in query.folders.items():
            parts[name].append(np.full(number.size, said, dtype=object))
    table = table_of_columns(pieces.source, list(used), [joined(parts[name]) for name in used], missing)
    return table, np.concatenate(counts)


def _decoded(pieces: Pieces, raw: Array) -> Array:
    """Return the values that JSON spells."""
    gone, texts = np.ma.getmaskarray(raw), np.ma.getdata(raw)
    return objects(
        [
            None if absent else parsed_json(pieces.source, text)
            for text, absent in zip(texts, gone, strict=True)
        ]
    )


def _unstreamable(
    pieces: Pieces, head: Table, roles: Roles, used: Sequence[str], stream: bool | None
) -> str | None:
    """Return why a table of many distinct rows is not read in batches."""
    if stream is None and pieces.n_values() < BATCHED_FROM:
        return "it is small enough to be read whole"
    if roles.stratum is not None:
        return "strata need every item"
    if roles.item is None:
        return "items have no ids, which their resamples are drawn by (items=...)"
    texts = [name for name in used if as_scores(head.column(name)).is_text]
    return None if not texts else f"column {texts[0]!r} holds text, not scores"


def _passes(
    pieces: Pieces,
    head: Table,
    roles: Roles,
    names: Sequence[str],
    options: TableOptions,
    database: DuckDBPyConnection,
) -> Passes:
    item = str(roles.item)
    values = [*([] if roles.gold is None else [roles.gold]), *names]
    queries, cells = [], []
    for query in _queries(pieces, head, [item, *values], database):
        kinds = {name: _value_kind(pieces, head, name) for name in query.columns}
        if query.folders:
            raise DesignError(
                f"column {next(iter(query.folders))!r} comes from the names of folders, and holds no scores",
                hint="name columns of the files",
            )
        key = _key_sql(query.columns[item], kinds[item], options.missing)
        numbers = [_number_sql(query.columns[name], kinds[name], options.missing) for name in values]
        queries.append((f"SELECT {', '.join([key, *numbers])} FROM {query.source}", tuple(query.parameters)))
        texts = {name: _text_sql(query.columns[name], kind, options.missing) for name, kind in kinds.items()}
        written = {name: texts[name] for name in values if kinds[name] != "number"}
        cells.append((query.source, query.parameters, texts[item], written))
    _check_cells(database, pieces.source, item, cells)
    return Passes(pieces.source, tuple(queries), roles.gold is not None)


def _value_kind(pieces: Pieces, head: Table, name: str) -> str:
    if pieces.form != "parquet":
        return "json" if pieces.form == "json" else "text"
    return "text" if head.column(name).is_text else "number"


def _number_sql(column: str, kind: str, missing: Missing) -> str:
    """Return SQL for the number in a column; NULL where the value is missing."""
    if kind == "number":
        return f"CAST({column} AS DOUBLE)"
    return f"CAST({_text_sql(column, kind, missing)} AS DOUBLE)"


def _text_sql(column: str, kind: str, missing: Missing) -> str:
    """Return SQL for the text of a column without white space around it; NULL where the value is missing."""
    text = f"{column}->>'$'" if kind == "json" else f"CAST({column} AS VARCHAR)"
    text = f"trim({text}, {quoted(_WHITE_SPACE)})"
    words = ", ".join(map(quoted, sorted(missing)))
    return f"CASE WHEN {text} IN ({words}) THEN NULL ELSE {text} END"


_WHITE_SPACE = "".join(letter for letter in map(chr, range(0x3001)) if letter.isspace())
"""What `str.strip` removes; SQL removes blanks only unless it is told."""


def _key_sql(column: str, kind: str, missing: Missing) -> str:
    """Return SQL for the key of an item, see `bestby.engine.poisson`; NULL without an id."""
    return f"CAST(md5_number_lower({_text_sql(column, kind, missing)}) AS UBIGINT)"


def _check_cells(
    database: DuckDBPyConnection,
    source: str,
    item: str,
    relations: Sequence[tuple[str, Sequence[Any], str, Mapping[str, str]]],
) -> None:
    """Refuse a table where an item has no id, or a text that is to be read as a number is not one."""
    n = absent = 0
    for relation, parameters, id_text, texts in relations:
        odd = [
            f"min({text}) FILTER (WHERE NOT regexp_full_match({text}, {quoted(NUMERAL.pattern)}))"
            for text in texts.values()
        ]
        asked = ", ".join(["count(*)", f"count({id_text})", *odd])
        rows, present, *examples = database.execute(
            f"SELECT {asked} FROM {relation}", [*parameters]
        ).fetchall()[0]
        n, absent = n + rows, absent + rows - present
        for name, text in zip(texts, examples, strict=True):
            if text is not None:
                raise InvalidInputError(
                    f"{source}: column {name!r} holds text that is not a number: {text!r}",
                    hint=number_hint(
                        text, "correct this value; if it stands for a missing one, say so: missing=..."
                    ),
                )
    if absent:
        raise InvalidInputError(
            f"{source}: item column {item!r} has no value in {absent} of {n} rows",
            hint="every item needs its id",
        )


ROWS = 1 << 17
"""Items of a batch."""


@dataclass(frozen=True)
class Passes:
    """Makes passes over the items of a table; `queries` are SQL and its parameters."""

    source: str
    queries: tuple[tuple[str, tuple[Any, ...]], ...]
    with_gold: bool
    complete: bool = False

    def __call__(self) -> Iterator[Batch]:
        """Yield all items, in the same order in each pass."""
        for query, parameters in self.queries:
            with in_order(self.source) as database:
                relation: Any = database.sql(query, params=list(parameters))
                # The older name is all that DuckDB before 1.4 has.
                reader = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
                for rows in reader(ROWS):
                    keys, *columns = (
                        rows.column(i).to_numpy(zero_copy_only=False) for i in range(rows.num_columns)
                    )
                    values = [np.asarray(column, dtype=np.float64) for column in columns]
                    batch = Batch(
                        np.asarray(keys, dtype=np.uint64),
                        values[0] if self.with_gold else None,
                        values[1:] if self.with_gold else values,
                    )
                    if self.complete:
                        batch = _complete_items(batch)
                    if batch.keys.size:
                        yield batch


def _complete_items(batch: Batch) -> Batch:
    complete = ~np.isnan(np.column_stack(batch.systems)).any(axis=1)
    gold = None if batch.gold is None else batch.gold[complete]
    return Batch(batch.keys[complete], gold, [values[complete] for values in batch.systems])


def read_batches(passes: Passes, names: Sequence[str], on_missing: OnMissing) -> Streamed:
    """Go over the items once, to count them, to look for missing values and for the hash of the data."""
    _check_arrow()
    if on_missing not in ("error", "drop"):
        raise DesignError(
            f'on_missing="{on_missing}" needs all scores at once, but the table is read in batches',
            hint='pass on_missing="drop", or read the table whole: stream=False',
        )
    n = n_complete = 0
    gold_gone, gone, summed = 0, np.zeros(len(names), dtype=np.int64), 0
    order = sorted(range(len(names)), key=lambda s: names[s])
    for batch in passes():
        absent = np.isnan(np.column_stack(batch.systems))
        gone += absent.sum(axis=0)
        complete = ~absent.any(axis=1)
        n_complete += int(complete.sum())
        for name, column in zip(names, batch.systems, strict=True):
            checks.check_bounded(np.where(complete, column, 0.0), f"system {name!r}", n)
        if batch.gold is not None:
            checks.check_bounded(np.where(complete & ~np.isnan(batch.gold), batch.gold, 0.0), "gold", n)
        n += batch.keys.size
        hashed = batch.keys
        columns = [batch.systems[s] for s in order]
        if batch.gold is not None:
            gold_gone += int(np.isnan(batch.gold).sum())
            columns.append(batch.gold)
        for column in columns:
            hashed = mix(hashed * GOLDEN + np.ascontiguousarray(column).view(np.uint64))
        summed += int(hashed[complete].sum(dtype=np.uint64))  # a sum does not know the order of its terms
    if gold_gone:
        raise InvalidInputError(
            f"{passes.source}: the gold is missing for {gold_gone} of {n} items", hint="remove these items"
        )
    if on_missing == "error" and gone.any():
        first = int(np.flatnonzero(gone)[0])
        raise InvalidInputError(
            f"{passes.source}: system {names[first]!r} has no value for {int(gone[first])} of {n} items",
            hint='pass on_missing="drop" to compare the other items only',
        )
    if n_complete < 2:
        raise InvalidInputError(
            f"a comparison needs at least 2 items, got {n_complete}",
            hint="with one item nothing can be said about the uncertainty",
        )
    content = f"batches|{'|'.join(sorted(names))}|{passes.with_gold}|{n_complete}|{summed % (1 << 64)}"
    empty = np.empty(0)
    return Streamed(
        systems=dict.fromkeys(names, empty),
        gold=empty if passes.with_gold else None,
        notes=(*_notes(n_complete), *([dropped_note(n - n_complete, n)] if n_complete < n else [])),
        batches=Passes(passes.source, passes.queries, passes.with_gold, complete=n_complete < n),
        n=n_complete,
        digest=hashlib.blake2b(content.encode(), digest_size=8).hexdigest(),
    )


def _notes(n: int) -> tuple[Note, ...]:
    message = (
        "the scores were read in batches. A resample takes each item a Poisson number of times (mean 1), by"
        f" its id, so that the size of a resample varies: by {1.0 / np.sqrt(n):.1g} of the {n} items. Totals"
        " are divided by the resample's own size, so that scores vary as those of n items drawn, up to 1/n."
        " That ids are unique was not checked: items of one id are drawn and swapped together"
    )
    return (Note("poisson_resamples", message),)


def _check_arrow() -> None:
    if importlib.util.find_spec("pyarrow") is None:
        raise MissingExtraError("pyarrow", "arrow")
