"""Tables larger than memory: DuckDB counts equal rows, streaming; what comes back are cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bestby._core.arrays import objects
from bestby._core.errors import DesignError
from bestby._core.typing import Array, IntArray
from bestby.data.columns import Column, Missing
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.counted import evaluation_of_counts
from bestby.data.layouts.long import is_long
from bestby.data.layouts.options import TableOptions
from bestby.data.layouts.soft_tables import gathered
from bestby.data.layouts.wide import (
    check_no_counter,
    described,
    roles_of,
    systems_of,
    with_left_out,
)
from bestby.data.order import merged_order
from bestby.data.partitions import MOST_CELLS
from bestby.data.roles import Roles
from bestby.data.table import Table, table_of_columns
from bestby.data.values import as_scores
from bestby.readers import blank_rows
from bestby.readers.batches import Passes, check_cells, key_of, number_of, read_batches, text_of
from bestby.readers.database import in_order, lines, literal, quoted, streaming
from bestby.readers.files import kind_of
from bestby.readers.gold_beside import is_gold_beside
from bestby.readers.multi_file import Piece, Pieces, check_same_columns, joined
from bestby.readers.packing import csv_source
from bestby.readers.parquet import columns_of, differ_in_capitals
from bestby.readers.tables import header_of, parsed_json, records_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

COUNTED_FROM = 20_000_000
"""Values (rows times columns) of a table from which it is counted, if it can be."""

BATCHED_FROM = 200_000_000
"""Values of a table of scores from which it is read in batches."""

_HEAD = 100
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
        abouts = [_about(database, query, delimited=pieces.form == "delimited") for query in queries]
        n_cells = sum(about.n_cells for about in abouts)
        if any(about.n_blank for about in abouts):
            pieces = blank_rows.cut(pieces)
            database.execute("SET preserve_insertion_order = true")  # the first rows of a file are read
            queries = _queries(pieces, head, used, database)
        if n_cells > MOST_CELLS:
            size = f"the table has about {n_cells} distinct rows, more than the {MOST_CELLS} that are counted"
            reason = _unstreamable(pieces, head, roles, used, stream)
            if reason is None:
                passes = _passes(pieces, head, roles, names, options, database)
                batches = read_batches(passes, names, options.on_missing)
                return with_left_out(batches, head, roles, options.systems), described(head, names, roles)
            _refuse(f"{size}, and {reason}", stream)
            return None
        table, counts = _counted(pieces, queries, used, database, options.missing)
    evaluation = evaluation_of_counts(table, counts, names, roles, options)
    return with_left_out(evaluation, head, roles, options.systems), described(head, names, roles)


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
    if is_gold_beside(head, options):
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
        records = records_of(first.path, lines(first.path, kind_of(first.path).compression, most=_HEAD))
        names = merged_order(records)
        if options.systems is None or {*options.systems} - {*names}:  # a key may come late
            names += [name for name in _keys(pieces, database) if name not in names]
        columns = [objects([record.get(name) for record in records]) for name in names]
        return names, columns
    source, given, columns_of_file = _relation(pieces.form, [first], database)
    selected = ", ".join(f"{value} AS k{i}" for i, (_, value) in enumerate(columns_of_file))
    with in_order(first.path) as ordered:
        arrays = ordered.execute(f"SELECT {selected} FROM {source} LIMIT {_HEAD}", given).fetchnumpy()
    return [name for name, _ in columns_of_file], list(arrays.values())


def _keys(pieces: Pieces, database: DuckDBPyConnection) -> list[str]:
    found: set[str] = set()
    for compression, group in _grouped_by(pieces.pieces, lambda piece: kind_of(piece.path).compression):
        rows = database.execute(
            "SELECT DISTINCT unnest(json_keys(json)) FROM read_ndjson_objects(?, compression=?)",
            [[literal(piece.path) for piece in group], compression],
        ).fetchall()
        found.update(name for (name,) in rows)
    return sorted(found)


def _grouped_by(pieces: Sequence[Piece], key: Any) -> Iterator[tuple[Any, list[Piece]]]:
    groups: dict[Any, list[Piece]] = {}
    for piece in pieces:
        groups.setdefault(key(piece), []).append(piece)
    yield from groups.items()


@dataclass(frozen=True)
class _Query:
    """The columns of some files, and what their folders say of the others."""

    source: str
    given: Sequence[Any]
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
            written = list(columns_of(piece.path, database)) if capitals else []
            header = tuple(written)
        if pieces.form == "delimited":
            names, delimiter = header_of(piece.path, kind.compression)
            header = (*names, delimiter)
        apart = None if piece.n_rows is None else (piece.path, piece.n_rows)
        return tuple(said.get(name) for name in folders), kind.compression, header, apart

    if pieces.form == "parquet" and len(pieces.pieces) > 1:
        for path in pieces.paths[1:]:
            here = [name.strip() for name in columns_of(path, database)]
            check_same_columns(pieces, path, here, of_files)
    queries = []
    for (said, _, _, apart), group in _grouped_by(pieces.pieces, key):
        wanted = [name for name in used if name not in folders]
        source, given, columns_of_file = _relation(pieces.form, group, database, wanted)
        by_name = {name.strip(): value for name, value in columns_of_file}
        if pieces.form == "delimited":
            check_same_columns(pieces, group[0].path, list(by_name), of_files)
        if apart is not None:
            source = f"(SELECT * FROM {source} LIMIT {apart[1]:d})"
        columns = {name: by_name[name] for name in wanted}
        queries.append(_Query(source, given, columns, dict(zip(folders, said, strict=True))))
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
        of_file = list(columns_of(group[0].path, database).items())
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


class _About(NamedTuple):
    """About how many distinct rows there are, and how many rows of text have no value in any column used."""

    n_cells: int
    n_blank: int


def _about(database: DuckDBPyConnection, query: _Query, *, delimited: bool) -> _About:
    """Look at the rows of a query, in a fixed memory."""
    if not query.columns:
        return _About(1, 0)
    blank = blank_rows.all_blank(query.selected) if delimited else "false"
    found = database.execute(
        f"SELECT approx_count_distinct(hash({', '.join(query.selected)})), count(*) FILTER (WHERE {blank})"
        f" FROM {query.source}",
        [*query.given],
    ).fetchall()[0]
    return _About(*map(int, found))


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
            [*query.given],
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
        kinds = {name: _kind(pieces, head, name) for name in query.columns}
        if query.folders:
            raise DesignError(
                f"column {next(iter(query.folders))!r} comes from the names of folders, and holds no scores",
                hint="name columns of the files",
            )
        key = key_of(query.columns[item], kinds[item], options.missing)
        numbers = [number_of(query.columns[name], kinds[name], options.missing) for name in values]
        queries.append((f"SELECT {', '.join([key, *numbers])} FROM {query.source}", tuple(query.given)))
        texts = {name: text_of(query.columns[name], kind, options.missing) for name, kind in kinds.items()}
        written = {name: texts[name] for name in values if kinds[name] != "number"}
        cells.append((query.source, query.given, texts[item], written))
    check_cells(database, pieces.source, item, cells)
    return Passes(pieces.source, tuple(queries), roles.gold is not None)


def _kind(pieces: Pieces, head: Table, name: str) -> str:
    if pieces.form != "parquet":
        return "json" if pieces.form == "json" else "text"
    return "text" if head.column(name).is_text else "number"
