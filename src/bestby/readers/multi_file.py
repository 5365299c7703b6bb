"""One table in one file or in many: patterns, folders of tables, folders that name a column (``lang=de``)."""

from __future__ import annotations

import glob
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.paths import exists, is_directory, is_file, is_url, readable, readable_file, user_path
from bestby._core.typing import Array
from bestby.data.columns import Coded, Column, Missing, Raw, raw_values
from bestby.data.roles import listed
from bestby.data.table import Table, merged_order, table_of_columns
from bestby.readers.database import connection, literal
from bestby.readers.files import kind_of, read_table
from bestby.readers.formats.base import recognised
from bestby.readers.paths import files_in, left_out
from bestby.readers.tables import read_parquets

_ENDINGS = (".parquet", ".csv", ".tsv", ".tab", ".jsonl", ".ndjson")
_PACKED = (".gz", ".zst")
_NONE = "__HIVE_DEFAULT_PARTITION__"
"""The folder of the rows that have no value, as Hive and Spark write it."""

GROUPS = ("gold", "cluster", "stratum", "system")
"""Columns that a folder's name can give without being asked for."""


@dataclass(frozen=True)
class Piece:
    """A file of a table; `folders` has the columns and values that its folders name.

    `n_rows` says how many of its rows are read, where these are not all.
    """

    path: Path
    folders: tuple[tuple[str, str | None], ...] = ()
    n_rows: int | None = None


@dataclass(frozen=True)
class Pieces:
    """A table in one or more files of one kind, in the order of their paths.

    `others` are files of data in the same folder that are no tables.
    """

    source: str
    pieces: tuple[Piece, ...]
    form: str
    others: tuple[Path, ...] = ()

    @property
    def paths(self) -> list[Path]:
        """The files."""
        return [piece.path for piece in self.pieces]

    def folder_columns(self, names: Collection[str], asked: Collection[str | None]) -> tuple[str, ...]:
        """Return which columns come from the names of folders."""
        known = dict.fromkeys(name for piece in self.pieces for name, _ in piece.folders)
        return tuple(name for name in known if name not in names and (name in asked or name in GROUPS))

    def n_values(self) -> int:
        """Return about how many values the table has: rows times columns, or by the size of text."""
        if self.form == "parquet":
            with connection(self.paths[0]) as database:
                literals = [literal(path) for path in self.paths]
                counted = database.execute(
                    "SELECT sum(num_rows) FROM parquet_file_metadata(?)", [literals]
                ).fetchone()
                columns = database.execute(
                    "SELECT count(*) FROM (DESCRIBE SELECT * FROM read_parquet(?, hive_partitioning=false))",
                    [literals[0]],
                ).fetchone()
            return int(counted[0]) * int(columns[0]) if counted and columns else 0
        # How many times longer packed text is taken to be unpacked
        sizes = (
            path.stat().st_size * (1 if kind_of(path).compression == "none" else 5) for path in self.paths
        )
        # Bytes of text that are taken for one value
        return sum(sizes) // 4


def pieces_of(paths: Any) -> Pieces | None:
    """Return the table that a pattern or a folder of tables stands for; None for anything else."""
    given = paths[0] if isinstance(paths, list | tuple) and len(paths) == 1 else paths
    if not isinstance(given, str | Path) or not str(given) or "\0" in str(given) or is_url(given):
        return None
    path = user_path(given)
    text = str(path)
    if is_directory(path):
        readable(path)
        if recognised(path) is not None:
            return None
        there = [file for file in files_in(path) if not _is_hidden(file, path)]
        files = [file for file in there if _is_table(file)]
        others = left_out([file for file in there if not _is_table(file)], files)
        if not files:
            texts = any(file.suffix == ".txt" for file in path.iterdir())
            raise InvalidInputError(
                f"{text} is a folder that holds no table ({', '.join(_ENDINGS)})",
                hint=f"name its files, one per system: {path / '*.txt'}" if texts else "name a file",
            )
        return replace(_pieces(text, path, files), others=tuple(others))
    if exists(path) or not glob.has_magic(text):
        return None
    root = _fixed(path)
    found = (Path(name) for name in sorted(glob.glob(text, recursive=True)))  # noqa: PTH207 - any pattern
    files = [file for file in found if is_file(file) and not _is_hidden(file, root)]
    if files:
        return _pieces(text, root, files)
    if "=" in text:  # name=path
        return None
    raise InvalidInputError(
        f"no file matches {text!r}", hint="check the pattern and the current directory; ** means any folders"
    )


def single(path: Path) -> Pieces:
    """Return a table in one file."""
    return Pieces(str(path), (Piece(path),), _form(kind_of(readable_file(path)).form))


def _form(form: str) -> str:
    return "delimited" if form == "text" else form


def _fixed(pattern: Path) -> Path:
    """Return the folders before the first that is a pattern.

    >>> _fixed(Path("preds/lang=*/part*.parquet")).as_posix()
    'preds'
    """
    parts = list(pattern.parts)
    first = next(i for i, part in enumerate(parts) if glob.has_magic(part))
    return Path(*parts[:first])


def _is_table(file: Path) -> bool:
    suffixes = [suffix.lower() for suffix in file.suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return bool(suffixes) and suffixes[-1] in _ENDINGS


def _is_hidden(file: Path, root: Path) -> bool:
    """Tell whether a file is a tool's own: ``_SUCCESS``, ``.part-0.crc``."""
    return any(part.startswith(("_", ".")) and part not in (".", "..") for part in _below(file, root))


def _below(file: Path, root: Path) -> tuple[str, ...]:
    try:
        return file.relative_to(root).parts
    except ValueError:  # a pattern such as "./*.csv", whose matches are spelt otherwise
        return (file.name,)


def _pieces(source: str, root: Path, files: Sequence[Path]) -> Pieces:
    forms = {file: _form(kind_of(readable_file(file)).form) for file in files}
    first = files[0]
    for file, form in forms.items():
        if form != forms[first]:
            raise InvalidInputError(
                f"the files of one table must be of one kind, but {first} is {forms[first]},"
                f" {file} is {form}",
                hint="give a pattern that matches the files of the table only",
            )
    if forms[first] == "npy":
        raise InvalidInputError(
            f"{first} holds one array, expected a table with a column per system",
            hint="give one file per system: name=path other=path",
        )
    return Pieces(source, tuple(Piece(file, _folders(file, root)) for file in files), forms[first])


def _folders(file: Path, root: Path) -> tuple[tuple[str, str | None], ...]:
    """Return the columns that the folders between the root and the file name.

    >>> _folders(Path("preds/lang=de/day=1%2F2/part-0.parquet"), Path("preds"))
    (('lang', 'de'), ('day', '1/2'))
    """
    found = []
    for part in _below(file, root)[:-1]:
        name, sign, value = part.partition("=")
        if sign and name:
            found.append((unquote(name), None if value == _NONE else unquote(value)))
    return tuple(found)


def whole_table(
    pieces: Pieces, missing: Missing, asked: Collection[str | None], *, blank: bool = False
) -> Table:
    """Read all pieces into memory; `asked` holds columns that the user names, which folders may give."""
    if pieces.form == "parquet":
        tables = read_parquets(pieces.paths, missing)
    else:
        part = len(pieces.paths) > 1
        tables = [read_table(readable_file(path), missing, part=part, blank=blank) for path in pieces.paths]
    names = list(tables[0].names)
    if pieces.form == "json":
        names = merged_order(table.names for table in tables)
    else:
        for table, path in zip(tables, pieces.paths, strict=True):
            check_same_columns(pieces, path, table.names, names)
    filled = [table for table in tables if table.n_rows] or tables[:1]  # of no rows the type is not known
    columns = [joined([_raw(table, name) for table in filled]) for name in names]
    folders = pieces.folder_columns(names, asked)
    sizes = [table.n_rows for table in tables]
    columns += [np.repeat(np.array(values_of(pieces, name), dtype=object), sizes) for name in folders]
    return table_of_columns(pieces.source, [*names, *folders], columns, missing)


def check_same_columns(pieces: Pieces, path: Path, names: Collection[str], first: Collection[str]) -> None:
    """Refuse a file that has other columns than the first file of the table."""
    for ours, theirs, here, there in (
        (first, names, path, pieces.paths[0]),
        (names, first, pieces.paths[0], path),
    ):
        lacking = [name for name in ours if name not in theirs]
        if lacking:
            raise InvalidInputError(
                f"{here} has no column {lacking[0]!r}, which {there} has",
                hint=f"all files of {pieces.source} must have the same columns; it has: {listed([*theirs])}",
            )


def values_of(pieces: Pieces, name: str) -> list[str | None]:
    """Return what the folders of each piece say of a column; None if they say nothing."""
    return [dict(piece.folders).get(name) for piece in pieces.pieces]


def _raw(table: Table, name: str) -> Raw:
    if name not in table.data:
        return np.full(table.n_rows, None, dtype=object)
    column = table.data[name]
    assert not isinstance(column, Column)  # as it was read
    return column


def joined(raw: Sequence[Raw]) -> Raw:
    """Return raw columns of several files one after the other, of one type or as objects."""
    if len(raw) == 1:
        return raw[0]
    coded = [column for column in raw if isinstance(column, Coded)]
    if len(coded) == len(raw):
        firsts = np.cumsum([0, *(len(column.distinct) for column in coded)])
        codes = [column.codes + first for column, first in zip(coded, firsts[:-1], strict=True)]
        return Coded(np.concatenate([column.distinct for column in coded]), np.concatenate(codes))
    columns = [raw_values(column) for column in raw]
    if len({column.dtype.kind for column in columns}) > 1:
        columns = [_as_objects(column) for column in columns]
    if any(isinstance(column, np.ma.MaskedArray) for column in columns):
        together: Array = np.ma.concatenate(columns)  # type: ignore[no-untyped-call]
        return together
    return np.concatenate(columns)


def _as_objects(column: Array) -> Array:
    values = np.ma.getdata(column).astype(object)
    values[np.ma.getmaskarray(column)] = None
    return values
