"""Tables: delimited text, JSON Lines, Parquet."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bestby._core.arrays import objects
from bestby._core.checks import NUMERAL, SEVERAL_LABELS
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array
from bestby.data.columns import (
    HEAD,
    MOST_DISTINCT,
    Coded,
    Column,
    Missing,
    Numerals,
    Raw,
    has_few,
    raw_values,
)
from bestby.data.roles import are_scores, listed
from bestby.data.table import Table, merged_order, table_of_columns
from bestby.readers.database import (
    CLOSE_QUOTES,
    connection,
    csv_source,
    lines,
    literal,
    quoted,
    ragged,
    small_text,
)
from bestby.readers.text import csv_rows, cut, decoded, has_mixed_ends, json_decoder, parsed, unpacked

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def read_delimited(
    path: Path, compression: str, missing: Missing, *, part: bool = False, blank: bool = False
) -> Table:
    """Read CSV, TSV and their like; the first line names the columns.

    Rows without any value at the end, which spreadsheets write, are no more than blank lines are. A cell of
    nothing but white space has no value. One of several files of a table (`part`) may have no rows. With
    `blank`, a blank cell is a value, such as a set without any label.
    """
    names, delimiter = header_of(path, compression)
    columns: Sequence[Raw]
    if len(names) > _MOST_COLUMNS:
        columns = _columns_of_text(path, compression, names, delimiter)
    elif (small := _columns_of_small_file(path, compression, names, delimiter)) is not None:
        columns = small
    else:
        try:
            columns = _columns_of_database(path, compression, names, delimiter, missing)
        except InvalidInputError:
            if not has_mixed_ends(path, compression):
                raise
            columns = _columns_of_text(path, compression, names, delimiter)
    if blank:
        columns = [objects(["" if one is None else one for one in _cells(column)]) for column in columns]
        return table_of_columns(str(path), names, columns, missing, part=part)
    n_rows = _rows_with_values(columns)
    if n_rows < len(columns[0]):
        columns = [_first_rows(column, n_rows) for column in columns]
    return table_of_columns(str(path), names, columns, missing, part=part)


def header_of(path: Path, compression: str) -> tuple[list[str], str]:
    """Return the cells of the first line and the delimiter that cuts it into most of them."""
    first = lines(path, compression, most=1)
    if not first or not first[0].strip():
        raise InvalidInputError(
            f"{path}, line 1: blank, expected the names of the columns" if first else f"{path} is empty",
            hint="the first line must name the columns, every other line is one item",
        )
    line = cut(first[0])[0]
    if re.fullmatch(r"sep=.\s*", line, re.IGNORECASE):
        raise InvalidInputError(
            f"{path}, line 1: {line.strip()!r} tells a spreadsheet the delimiter, and names no columns",
            hint="delete this line: the delimiter is recognised",
        )
    if line.count('"') % 2:
        raise InvalidInputError(
            f"{path}, line 1: unterminated quote in the names of the columns",
            hint="give every column a name on one line",
        )
    suffixes = {suffix.lower() for suffix in path.suffixes}
    candidates = ("\t",) if suffixes & {".tsv", ".tab"} else _DELIMITERS
    cells = {delimiter: next(csv_rows([line], delimiter)) for delimiter in candidates}
    best = max(candidates, key=lambda delimiter: len(cells[delimiter]))
    return cells[best], best


_DELIMITERS = (",", "\t", ";", "|")

_MOST_COLUMNS = 20_000
"""Columns up to which DuckDB reads a table: it takes 32 kB of memory for each, however few the rows are."""


def _columns_of_database(
    path: Path, compression: str, names: Sequence[str], delimiter: str, missing: Missing
) -> list[Raw]:
    source = csv_source(len(names), [path], compression, delimiter)
    parameters, selected = [literal(path), compression, delimiter], [f"c{i}" for i in range(len(names))]
    with connection(path) as database:
        return columns_of_query(database, path, source, parameters, selected, missing)


def _columns_of_small_file(
    path: Path, compression: str, names: Sequence[str], delimiter: str
) -> list[Array] | None:
    """Return the columns of a small table that Python cuts as DuckDB does; None of others and faulty ones."""
    text = small_text(path, compression)
    # DuckDB lets a quoted cell begin with blanks, and takes blank lines of a single column for rows.
    if text is None or len(names) < 2 or re.search(rf'(?:^|{re.escape(delimiter)}) +"', text, re.MULTILINE):
        return None
    try:
        rows = [row for row in csv_rows(io.StringIO(text), delimiter, strict=True) if row]
    except csv.Error:
        return None
    if any(len(row) != len(names) for row in rows):
        return None
    columns = zip(*rows[1:], strict=True) if len(rows) > 1 else [()] * len(names)
    return [objects([cell or None for cell in column]) for column in columns]


def _columns_of_text(path: Path, compression: str, names: Sequence[str], delimiter: str) -> list[Array]:
    """Return the columns of what DuckDB does not read: a great many, or lines that end in several ways."""
    rows = []
    text = decoded(path, compression).replace("\r\r\n", "\r\n")  # written twice for Windows
    reader = csv_rows(io.StringIO(text, newline=""), delimiter, strict=True)  # ends in a cell are kept
    number = 1
    try:
        for row in reader:
            if len(row) == len(names) or (len(names) == 1 and not row):
                rows.append(row or [""])
            elif row:
                raise ragged(f"{path}, line {number}", len(names), len(row))
            number = reader.line_num + 1
    except csv.Error as error:
        raise InvalidInputError(
            f"{path}, line {number}: a quote is opened and not closed", hint=CLOSE_QUOTES
        ) from error
    return [objects(list(column)) for column in zip(*rows[1:], strict=True)] or [objects([])] * len(names)


def _cells(column: Raw) -> list[Any]:
    values = raw_values(column)
    gone = np.ma.getmaskarray(values).tolist()
    return [None if void else cell for cell, void in zip(np.ma.getdata(values).tolist(), gone, strict=True)]


def _rows_with_values(columns: Sequence[Raw]) -> int:
    """Return the number of rows up to the last that has a value; of a single column all of them."""
    n_rows = len(columns[0])
    if len(columns) == 1 or not n_rows or not all(map(_may_end_blank, columns)):
        return n_rows
    values = [raw_values(column) for column in columns]
    while n_rows and all(_is_blank(column[n_rows - 1]) for column in values):
        n_rows -= 1
    return n_rows


def _may_end_blank(column: Raw) -> bool:
    """Tell, at little cost, whether the last value of a column may be missing."""
    if isinstance(column, Numerals):
        return bool(column.missing[-1])
    return _is_blank(column.distinct[column.codes[-1]] if isinstance(column, Coded) else column[-1])


def _is_blank(value: Any) -> bool:
    return value is None or value is np.ma.masked or (isinstance(value, str) and not value.strip(SPACE))


SPACE = " \t\r\n\v\f"
"""White space of which a cell without a value may consist."""


def _first_rows(column: Raw, n_rows: int) -> Raw:
    """Return the first rows of a column that ends with rows without a value."""
    if isinstance(column, Numerals):
        texts = column.texts
        return Numerals(column.numbers[:n_rows], column.missing[:n_rows], lambda: texts()[:n_rows])
    if isinstance(column, Coded):  # a value of the rows that are cut off need not occur any more
        return Coded.of(column.distinct, column.codes[:n_rows])
    return column[:n_rows]


def columns_of_query(
    database: DuckDBPyConnection,
    path: Path,
    source: str,
    parameters: Sequence[Any],
    selected: Sequence[str],
    missing: Missing,
) -> list[Raw]:
    """Return the columns of a query, each given as SQL; values that are unusual are read as texts."""
    head = _fetched(database, source, parameters, selected, f" LIMIT {HEAD}")
    if not head or len(head[0]) < HEAD:
        return [*head]
    first = [_texts_or_none(column) for column in head]
    labels = {
        place: _distinct_texts(texts) for place, texts in enumerate(first) if texts and _are_labels(texts)
    }
    labels = {place: texts for place, texts in labels.items() if texts}
    numbers = [
        place
        for place, texts in enumerate(first)
        if texts and place not in labels and _spell_numbers(texts, missing)
    ]
    asked = [_code_sql(column, labels[i]) if i in labels else column for i, column in enumerate(selected)]
    for place in numbers:
        asked[place] = f"TRY_CAST({selected[place]} AS DOUBLE)"
    kinds = [_kind_sql(selected[place], missing) for place in numbers]
    read = _fetched(database, source, parameters, [*asked, *kinds])
    out: list[Raw] = [*read[: len(asked)]]

    def texts_of(place: int) -> Array:
        with connection(path) as again:
            return _fetched(again, source, parameters, [selected[place]])[0]

    for place, texts in labels.items():
        coded = _coded_column(database, source, parameters, selected[place], texts, read[place])
        out[place] = texts_of(place) if coded is None else coded
    for place, kind in zip(numbers, read[len(asked) :], strict=True):
        numerals = _numeral_column(read[place], np.asarray(kind), lambda place=place: texts_of(place))
        out[place] = texts_of(place) if numerals is None else numerals
    return out


def _fetched(
    database: DuckDBPyConnection,
    source: str,
    parameters: Sequence[Any],
    selected: Sequence[str],
    more: str = "",
) -> list[Array]:
    columns = ", ".join(f"{column} AS k{i}" for i, column in enumerate(selected))
    return [
        *database.execute(f"SELECT {columns or '*'} FROM {source}{more}", [*parameters]).fetchnumpy().values()
    ]


def _texts_or_none(column: Array) -> list[str] | None:
    """Return the texts that are there at the beginning of a column; None if it holds something else."""
    if column.dtype.kind != "O":
        return None
    texts = np.ma.compressed(column).tolist() if np.ma.isMaskedArray(column) else column.tolist()
    return texts if all(type(text) is str for text in texts) else None


def _are_labels(texts: list[str]) -> bool:
    """Tell whether few texts are distinct, and few others are to be expected after these.

    DuckDB compares a text that is no label with all labels. A share of the texts that come is new, which is
    about that of texts that came once (Good 1953, Biometrika 40, 237-264).
    """
    once = sum(times == 1 for times in Counter(texts).values())
    # As many comparisons for each row take as long as to read the text
    return has_few(texts) and once * len({*texts}) <= 10 * len(texts)


def _distinct_texts(texts: list[str]) -> list[str]:
    """Return the distinct texts in order; none if SQL cannot spell one of them."""
    distinct = sorted({*texts})
    return [] if any("\0" in text for text in distinct) else distinct


def _spell_numbers(texts: list[str], missing: Missing) -> bool:
    return all(text in missing or NUMERAL.fullmatch(text) for text in texts)


def _code_sql(column: str, texts: list[str]) -> str:
    """Return SQL for the place of a text among others; NULL for any that is not one of them."""
    return f"enum_code(TRY_CAST({column} AS ENUM({', '.join(map(quoted, texts))})))"


def _kind_sql(column: str, missing: Missing) -> str:
    """Return SQL for 0 where a value is missing, 1 where it spells a number, and 2 elsewhere.

    DuckDB reads texts as numbers that `NUMERAL` leaves out: with leading zeros, underscores or two signs, and
    with white space, which at the end is no matter. Comparisons take a third of the time of a pattern.
    """
    words = ", ".join(map(quoted, sorted(missing)))
    spans = [("", "!"), ("+-", "+."), *((f"{sign}00", f"{sign}0:") for sign in ("", "+", "-"))]
    odd = " OR ".join(f"({column} >= {quoted(low)} AND {column} < {quoted(high)})" for low, high in spans)
    return (
        f"CAST(CASE WHEN {column} IS NULL OR {column} IN ({words}) THEN 0"
        f" WHEN TRY_CAST({column} AS DOUBLE) IS NULL OR {odd} OR contains({column}, '_') THEN 2"
        " ELSE 1 END AS UTINYINT)"
    )


def _coded_column(
    database: DuckDBPyConnection,
    source: str,
    parameters: Sequence[Any],
    column: str,
    texts: list[str],
    codes: Array,
) -> Coded | None:
    """Return a column with its codes; None if it has too many distinct texts after all."""
    if not np.ma.is_masked(codes):
        return Coded(objects(texts), np.ma.getdata(codes))
    rows = database.execute(
        f"SELECT DISTINCT {column} FROM {source} LIMIT {MOST_DISTINCT + 1}", [*parameters]
    ).fetchall()
    every = _distinct_texts([text for (text,) in rows if text is not None])
    if len(rows) > MOST_DISTINCT or not every:
        return None
    if every != texts:
        codes = _fetched(database, source, parameters, [_code_sql(column, every)])[0]
    return Coded.of(every, np.ma.filled(codes.astype(np.int64), -1))


def _numeral_column(numbers: Array, kind: Array, texts: Any) -> Numerals | None:
    """Return texts as numbers; None unless each is a finite number or missing, and not all are whole."""
    missing = kind == 0
    if (kind == 2).any() or missing.all():
        return None
    values = np.ma.getdata(numbers)
    if missing.any():
        values = np.where(missing, values[int(missing.argmin())], values)
    if not np.isfinite(values).all() or (values == np.rint(values)).all():
        return None
    return Numerals(values + 0.0, missing, texts)  # "-0" is 0


def read_json(path: Path, compression: str, missing: Missing, *, part: bool = False) -> Table:
    """Read JSON Lines or a JSON array of objects; a key that an object lacks is a missing value.

    One of several files of a table (`part`) may be empty.
    """
    text = unpacked(path, compression)
    if not text.strip():
        if part:
            return Table(str(path), {}, missing)
        raise InvalidInputError(f"{path} is empty", hint=_ONE_OBJECT_PER_LINE)
    if text.lstrip().startswith("["):
        records = [
            _record(path, f"element {i}", entry) for i, entry in enumerate(_parsed(path, text), start=1)
        ]
    else:
        records = _objects(path, text, part=part)
    names = merged_order(records)
    columns = [objects([record.get(name) for record in records]) for name in names]
    return table_of_columns(str(path), names, columns, missing)


_ONE_OBJECT_PER_LINE = "one JSON object per line is needed, one line per item"


def _objects(path: Path, text: str, *, part: bool) -> list[dict[str, Any]]:
    """Return the objects of JSON Lines, or of objects that take several lines each."""
    try:
        records = records_of(path, text.split("\n"))
    except InvalidInputError:
        values = _json_values(text)
        if not all(isinstance(value, dict) for value in values):
            raise
        records = values
    nested = [isinstance(value, dict | list) for value in records[0].values()]
    if len(records) == 1 and not part and any(nested) and (all(nested) or "\n" in text.strip()):
        raise _no_rows(path, records[0])
    return records


def records_of(path: Path, texts: Sequence[str]) -> list[dict[str, Any]]:
    """Return the objects of lines of JSON; blank lines are none."""
    numbered = ((i, line) for i, line in enumerate(texts, start=1) if line.strip())
    return [_record(path, f"line {i}", _parsed(path, line, i)) for i, line in numbered]


def _json_values(text: str) -> list[Any]:
    """Return the values of JSON texts that follow each other; one that is None if there is anything else."""
    decoder, values, place = json_decoder(), [], 0
    text = text.strip()
    try:
        while place < len(text):
            value, place = decoder.raw_decode(text, place)
            values.append(value)
            while text[place : place + 1].isspace():
                place += 1
    except (ValueError, RecursionError):
        return [None]
    return values


def _no_rows(path: Path, record: dict[str, Any]) -> InvalidInputError:
    """Return the refusal of one object that holds other things than the values of an item."""
    if {"kind", "format", "signature"} <= {*record}:
        message = f"{path} is a result of bestby ({record['kind']}), and no data to compare"
        return InvalidInputError(
            message, hint="name the files it was computed from; `load` of Python reads it"
        )
    rows = next((name for name, value in record.items() if isinstance(value, list) and value), None)
    hint = 'give rows, one object per line or a list of them, or one value per item id: {"q1": "x", ...}'
    if all(isinstance(value, list) for value in record.values()):
        hint += f"; {SEVERAL_LABELS}"
    if rows is not None and isinstance(record[rows][0], dict):
        hint = f"if {rows!r} holds the rows, write this list to a file of its own"
    elif all(isinstance(value, dict | list) and len(value) > 1 for value in record.values()):
        hint = (
            f'if these are columns of pandas, write the rows: to_json with orient "records"; otherwise {hint}'
        )
    return InvalidInputError(
        f"{path} is one JSON object, expected rows; its keys are: {listed([*record])}", hint=hint
    )


def parsed_json(source: str, text: str) -> Any:
    """Return what a text of JSON stands for."""
    return _parsed(Path(source), text)


def _parsed(path: Path, text: str, line: int | None = None) -> Any:
    return parsed(text, str(path), line, hint=_ONE_OBJECT_PER_LINE)


def _record(path: Path, where: str, record: Any) -> dict[str, Any]:
    if not isinstance(record, dict):
        raise InvalidInputError(
            f"{path}, {where}: expected a JSON object, got {str(record)[:40]}",
            hint='one line per item, such as {"gold": "x", "system_a": "x", "system_b": "y"}',
        )
    return record


def by_item(table: Table) -> Table:
    """Return a table of one row, whose columns are called as items are, with a row per item."""
    if all(map(are_scores, table.names)):
        raise InvalidInputError(
            f"{table.source}: {listed(table.names, 3)} are names of scores, so the values are of a whole test"
            " set, not of items",
            hint="give the score or the prediction of each item; published scores are compared by"
            " compare_published (bestby published)",
        )
    values = objects([raw_values(raw)[0] for raw in table.data.values() if not isinstance(raw, Column)])
    return table_of_columns(table.source, ["id", "value"], [objects([*table.names]), values], table.missing)


def read_parquet(path: Path, missing: Missing) -> Table:
    """Read a Parquet file; columns keep their types."""
    return read_parquets([path], missing)[0]


def read_parquets(paths: Sequence[Path], missing: Missing) -> list[Table]:
    """Read several Parquet files, through one connection, which takes longer to open than a small file."""
    tables = []
    with connection(paths[0] if len(paths) == 1 else f"{paths[0]} (or a file beside it)") as database:
        for path in paths:
            columns = parquet_columns(path, database)
            source, parameters = "read_parquet(?, hive_partitioning=false)", [literal(path)]
            read = columns_of_query(database, path, source, parameters, [*columns.values()], missing)
            part = len(paths) > 1
            tables.append(table_of_columns(str(path), list(columns), read, missing, part=part))
    return tables


def parquet_columns(path: Path, database: DuckDBPyConnection) -> dict[str, str]:
    """Return the SQL for the values of each column by its name; DuckDB ignores the case of names."""
    described = database.execute(
        "DESCRIBE SELECT * FROM read_parquet(?, hive_partitioning=false)", [literal(path)]
    ).fetchall()
    names = _column_names(path, database)
    if len(names) != len(described):
        names = [row[0] for row in described]
    return {name: _exact_value(row[0], row[1]) for name, row in zip(names, described, strict=True)}


def types_in_head(path: Path, head: bytes) -> dict[str, str]:
    """Return the types of the columns of a file that begins as Parquet does; none if it cannot be read."""
    if not head.startswith(b"PAR1"):
        return {}
    try:
        with connection(path) as database:
            rows = database.execute("DESCRIBE SELECT * FROM read_parquet(?)", [literal(path)]).fetchall()
    except InvalidInputError:
        return {}
    return {str(name): str(kind) for name, kind, *_ in rows}


def _column_names(path: Path, database: DuckDBPyConnection) -> list[str]:
    """Return the names of the columns of the table itself, not of those that lie inside others."""
    rows = database.execute("SELECT name, num_children FROM parquet_schema(?)", [literal(path)]).fetchall()
    names = []
    inside = 0
    for name, children in rows[1:]:
        if inside == 0:
            names.append(name)
        else:
            inside -= 1
        inside += children or 0
    return names


def _exact_value(name: str, kind: str) -> str:
    column = '"' + name.replace('"', '""') + '"'
    return f"CAST({column} AS VARCHAR)" if kind.partition("(")[0] in _EXACT_AS_TEXT else column


_EXACT_AS_TEXT = ("DECIMAL", "HUGEINT", "UHUGEINT", "UUID", "TIME", "TIME_NS", "TIME WITH TIME ZONE")
"""Types of which NumPy has none that holds all values exactly."""


def differ_in_capitals(names: list[str]) -> bool:
    """Tell whether some names differ in capitals only.

    >>> differ_in_capitals(["sys", "SYS"]), differ_in_capitals(["a", "b"])
    (True, False)
    """
    return len({name.lower() for name in names}) < len({*names})
