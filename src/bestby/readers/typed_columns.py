"""Columns of a query to DuckDB: texts of few distinct values as codes, texts that are numbers as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bestby._core.arrays import objects
from bestby._core.checks import NUMERAL
from bestby._core.typing import Array
from bestby.data.coding import HEAD, MOST_DISTINCT, Coded, has_few
from bestby.data.columns import Missing, Numerals, Raw
from bestby.readers.database import connection, quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def columns_of_query(
    database: DuckDBPyConnection,
    path: Path,
    source: str,
    given: Sequence[Any],
    selected: Sequence[str],
    missing: Missing,
) -> list[Raw]:
    """Return the columns of a query, each given as SQL; values that are unusual are read as texts."""
    head = _fetched(database, source, given, selected, f" LIMIT {HEAD}")
    if not head or len(head[0]) < HEAD:
        return [*head]
    first = [_texts(column) for column in head]
    labels = {place: _guess(texts) for place, texts in enumerate(first) if texts and has_few(texts)}
    labels = {place: texts for place, texts in labels.items() if texts}
    numbers = [
        place
        for place, texts in enumerate(first)
        if texts and place not in labels and _spell_numbers(texts, missing)
    ]
    asked = [_code(column, labels[i]) if i in labels else column for i, column in enumerate(selected)]
    for place in numbers:
        asked[place] = f"TRY_CAST({selected[place]} AS DOUBLE)"
    kinds = [_kind(selected[place], missing) for place in numbers]
    read = _fetched(database, source, given, [*asked, *kinds])
    out: list[Raw] = [*read[: len(asked)]]

    def texts_of(place: int) -> Array:
        with connection(path) as again:
            return _fetched(again, source, given, [selected[place]])[0]

    for place, texts in labels.items():
        coded = _coded(database, source, given, selected[place], texts, read[place])
        out[place] = texts_of(place) if coded is None else coded
    for place, kind in zip(numbers, read[len(asked) :], strict=True):
        numerals = _numerals(read[place], np.asarray(kind), lambda place=place: texts_of(place))
        out[place] = texts_of(place) if numerals is None else numerals
    return out


def _fetched(
    database: DuckDBPyConnection, source: str, given: Sequence[Any], selected: Sequence[str], more: str = ""
) -> list[Array]:
    columns = ", ".join(f"{column} AS k{i}" for i, column in enumerate(selected))
    return [*database.execute(f"SELECT {columns or '*'} FROM {source}{more}", [*given]).fetchnumpy().values()]


def _texts(column: Array) -> list[str] | None:
    """Return the texts that are there at the beginning of a column; None if it holds something else."""
    if column.dtype.kind != "O":
        return None
    texts = np.ma.compressed(column).tolist() if np.ma.isMaskedArray(column) else column.tolist()
    return texts if all(type(text) is str for text in texts) else None


def _guess(texts: list[str]) -> list[str]:
    """Return the distinct texts in order; none if SQL cannot spell one of them."""
    distinct = sorted({*texts})
    return [] if any("\0" in text for text in distinct) else distinct


def _spell_numbers(texts: list[str], missing: Missing) -> bool:
    return all(text in missing or NUMERAL.fullmatch(text) for text in texts)


def _code(column: str, texts: list[str]) -> str:
    """Return SQL for the place of a text among others; NULL for any that is not one of them."""
    return f"enum_code(TRY_CAST({column} AS ENUM({', '.join(map(quoted, texts))})))"


def _kind(column: str, missing: Missing) -> str:
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


def _coded(
    database: DuckDBPyConnection,
    source: str,
    given: Sequence[Any],
    column: str,
    texts: list[str],
    codes: Array,
) -> Coded | None:
    """Return a column with its codes; None if it has too many distinct texts after all."""
    if not np.ma.is_masked(codes):
        return Coded(objects(texts), np.ma.getdata(codes))
    rows = database.execute(
        f"SELECT DISTINCT {column} FROM {source} LIMIT {MOST_DISTINCT + 1}", [*given]
    ).fetchall()
    every = _guess([text for (text,) in rows if text is not None])
    if len(rows) > MOST_DISTINCT or not every:
        return None
    if every != texts:
        codes = _fetched(database, source, given, [_code(column, every)])[0]
    return Coded.of(every, np.ma.filled(codes.astype(np.int64), -1))


def _numerals(numbers: Array, kind: Array, texts: Any) -> Numerals | None:
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
