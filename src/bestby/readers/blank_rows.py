"""Rows without a value at the end of a delimited table that is not read into memory: they are no items."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from bestby.readers.database import in_order, literal
from bestby.readers.files import kind_of
from bestby.readers.multi_file import Piece, Pieces
from bestby.readers.packing import csv_source
from bestby.readers.tables import SPACE, header_of


def cut(pieces: Pieces) -> Pieces:
    """Return the files of a table with how many rows are read of those that end with rows without a value.

    `read_delimited` of `bestby.readers.tables` does the same in memory. Of a single column all rows count.
    """
    return dataclasses.replace(pieces, pieces=tuple(map(_cut, pieces.pieces)))


def all_blank(columns: Sequence[str]) -> str:
    """Return the condition, in SQL, that none of the columns of text has a value."""
    return " AND ".join(f"({column} IS NULL OR trim({column}, '{SPACE}') = '')" for column in columns)


def _cut(piece: Piece) -> Piece:
    compression = kind_of(piece.path).compression
    names, delimiter = header_of(piece.path, compression)
    if len(names) == 1:
        return piece
    source = csv_source(len(names), [piece.path], compression, delimiter)
    value = f"NOT ({all_blank([f'c{i}' for i in range(len(names))])})"
    numbered = f"SELECT row_number() OVER () AS place, {value} AS valued FROM {source}"
    with in_order(piece.path) as database:
        n_rows, last = database.execute(
            f"SELECT count(*), coalesce(max(place) FILTER (WHERE valued), 0) FROM ({numbered})",
            [literal(piece.path), compression, delimiter],
        ).fetchall()[0]
    return piece if last == n_rows else dataclasses.replace(piece, n_rows=int(last))
