"""Data in several files: pieces of one table, one file per system, a table and its gold."""

from __future__ import annotations

import dataclasses
import glob
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.paths import exists, is_directory, is_file, is_url, readable, readable_file, user_path
from bestby._core.text import counted, quoted, suggestion
from bestby._core.typing import Array, OnMissing
from bestby.data.columns import Coded, Column, Missing, Raw, column_of_texts, raw_values, text_of
from bestby.data.evaluation import Evaluation
from bestby.data.layouts import assemble
from bestby.data.layouts.assemble import (
    agreed,
    by_id,
    check_present,
    check_unique,
    check_whole,
    side_by_side,
    typed,
    values_of,
)
from bestby.data.layouts.items import first_rows, is_long, value_word
from bestby.data.layouts.samples import check_no_samples
from bestby.data.layouts.soft import class_columns, gathered, has_classes
from bestby.data.roles import (
    GOLD_WORDS,
    VALUE_WORDS,
    Roles,
    Soft,
    TableOptions,
    are_scores,
    check_no_gold,
    gold_names,
    left_out_notes,
    listed,
    recognised,
    score_column,
)
from bestby.data.table import Table, headless_hint, merged_order, table_of_columns
from bestby.data.values import Rule, as_scores
from bestby.readers.database import connection, literal
from bestby.readers.files import header_word, kind_of, read_table, read_values, stem_of
from bestby.readers.formats.base import format_in
from bestby.readers.paths import files_in, left_out, matches
from bestby.readers.tables import read_parquets
from bestby.results.base import Note

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
    """Return the table that a pattern or a folder of tables stands for; None for anything else.

    A pattern that matches files of a format, or folders of such, stands for systems.
    """
    place = paths[0] if isinstance(paths, list | tuple) and len(paths) == 1 else paths
    if not isinstance(place, str | Path) or not str(place) or "\0" in str(place) or is_url(place):
        return None
    path = user_path(place)
    text = str(path)
    if is_directory(path):
        readable(path)
        if format_in(path) is not None:
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
    root, there = _fixed(path), matches(path)
    files = [file for file in there if is_file(file) and not _is_hidden(file, root)]
    folders = [one for one in there if is_directory(one)]
    if any(format_in(one) is not None for one in (*folders, *files[:1])):
        return None
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
    columns = []
    for part in _below(file, root)[:-1]:
        name, sign, value = part.partition("=")
        if sign and name:
            columns.append((unquote(name), None if value == _NONE else unquote(value)))
    return tuple(columns)


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
    columns += [np.repeat(np.array(values_of_folders(pieces, name), dtype=object), sizes) for name in folders]
    whole = table_of_columns(pieces.source, [*names, *folders], columns, missing)
    return replace(whole, files=tuple(map(str, pieces.paths)) if len(tables) > 1 else ())


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
                hint=f"all files of {pieces.source} must have the same columns; or name the files, if each"
                f" holds a system: {listed([str(one) for one in pieces.paths], 3)}",
            )


def values_of_folders(pieces: Pieces, name: str) -> list[str | None]:
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


@dataclass(frozen=True, eq=False)
class Part:
    """The file of one system, or of the gold; `value` is the name of its column in the table."""

    source: str
    column: Column
    items: list[str] | None = None
    table: Table | None = None
    value: str | None = None
    """The name of the column of the values, if it has one."""

    @property
    def keys(self) -> list[str]:
        """The ids, or the numbers of the rows where there are none."""
        return self.items if self.items is not None else [str(row + 1) for row in range(self.column.size)]


def read_file_per_system(paths: Mapping[str, str | Path], options: TableOptions) -> tuple[Evaluation, str]:
    """Make an evaluation of one file per system; the gold is a file or a column that the files share."""
    roles = options.roles
    files = {name: file_of(path) for name, path in paths.items()}
    if roles.gold is None:
        _check_no_gold_file(files)
    parts = {name: system_part(path, name, options) for name, path in files.items()}
    _check_same_scores([*parts.values()])
    gold = None
    if roles.gold is None and (options.value_column is None or _some_text([*parts.values()])):
        _check_no_gold_column([*parts.values()])
    if roles.annotators:
        gold = annotated_part(options)
    elif roles.gold is not None:
        gold = gold_part(roles.gold, [*parts.values()], options)
    evaluation, joined = evaluation_of_parts(parts, gold, options)
    message = f"one file per system, joined by {joined}: {listed(list(parts))}; {roles.description()}"
    if gold is not None:
        files["gold"] = Path(gold.source)
    words = {path: header_word(path, name) for name, path in files.items()}
    headers = [f"{path.name} ({word})" for path, word in words.items() if word is not None]
    if headers:
        message += f"; the first line is the name of the column in {listed(headers)}"
    called = {
        name: _name_of_values(files[name], part.value or words[files[name]]) for name, part in parts.items()
    }
    left_out = _left_out(parts, {one for _, one in [*roles.named(), *group_names(roles, gold)]})
    return dataclasses.replace(evaluation, called=called, notes=(*evaluation.notes, *left_out)), message


def evaluation_of_parts(
    parts: Mapping[str, Part], gold: Part | None, options: TableOptions
) -> tuple[Evaluation, str]:
    """Return the evaluation of systems and gold that were read apart, and what they are joined by."""
    roles, soft, on_missing = options.roles, options.soft, options.on_missing
    everything = [*parts.values()] + ([] if gold is None else [gold])
    groups = {role: groups_of(role, name, everything) for role, name in group_names(roles, gold)}
    slices = {name: groups_of("slice", name, everything) for name in roles.slices}
    if any(part.items is not None for part in everything):
        return _joined(parts, gold, groups, slices, on_missing, soft), "item id"
    if roles.item is not None:
        raise InvalidInputError(
            f"no file has a column {roles.item!r} (named as item)",
            hint="give the ids in every file, beside the values; lines without ids are joined in their order",
        )
    evaluation = side_by_side(
        listed([*dict.fromkeys(part.source for part in everything)], 3),
        {name: part.column for name, part in parts.items()},
        None if gold is None else gold.column,
        items=None,
        groups={role: list(by_item.values()) for role, by_item in groups.items()},
        slices={name: list(by_item.values()) for name, by_item in slices.items()},
        on_missing=on_missing,
        soft=soft,
    )
    return evaluation, "line"


def file_of(path: str | Path) -> Path:
    """Return the file of one system, which may be the only table of a folder."""
    pieces = pieces_of(path) if is_directory(user_path(path)) else None
    if pieces is None:
        return readable_file(path)
    if len(pieces.pieces) > 1:
        raise InvalidInputError(
            f"{path} is a folder with {len(pieces.pieces)} tables, expected the file of one system",
            hint=f"name one: {listed([str(one) for one in pieces.paths], 3)}",
        )
    return pieces.paths[0]


def system_part(path: Path, name: str, options: TableOptions) -> Part:
    """Read the predictions or scores of one system."""
    content = read_values(path, name, options.missing, options.soft)
    if isinstance(content, Column):
        return Part(str(path), content)
    content, options = content.prepared(options)
    roles, value, soft = options.roles, options.value_column, options.soft
    table = gathered(content, soft, {value, *(column for _, column in roles.named())}, roles.item)
    ids = table.item_column(roles.item)
    other = {ids, "gold", "cluster", "stratum", *(column for _, column in roles.named())}
    if value is None:
        table, value = class_columns(table, soft, {*other, *VALUE_WORDS}, marks=True)
    value = value or value_word(table.data, prefer_score=roles.gold is None)
    others = [column for column in table.names if column not in other]
    if value is None and roles.gold is None and not roles.annotators:
        value = score_column(others)
    if value is None:
        value = _only_column(table, "the predictions or scores", others, (name,))
    return _part(table, table.require(value, "value column"), ids, soft)


def _part(table: Table, value: str, ids: str | None, soft: Soft) -> Part:
    items = None if ids is None else table.texts(ids, "item")
    if ids is not None and items is not None:
        check_no_samples(table, ids, items)
    return Part(table.source, values_of(table, value, soft), items, table, value)


def only_column(table: Table, columns: Sequence[str], words: tuple[str, ...]) -> str | None:
    """Return the column with a telling name, or the only one, or the only one of distributions, if any."""
    named = [word for word in words if word in columns]
    soft = [name for name in table.soft if name in columns]
    return next((one[0] for one in (named[:1], columns, soft) if len(one) == 1), None)


def _only_column(table: Table, what: str, columns: Sequence[str], words: tuple[str, ...]) -> str:
    """Return the column that `only_column` finds; refuse a table where it finds none."""
    column = only_column(table, columns, words)
    if column is not None:
        return column
    headless = headless_hint(columns, map(table.distinct, columns))
    unique = [name for name in columns if len(table.distinct(name)) == table.n_rows]
    ids = [name for name in unique if name.lower().endswith("id")]
    if not ids and what != "the gold":
        ids = [name for name in unique if as_scores(table.column(name)).is_text]
    ids = ids if table.item_column(None) is None else []
    rest = [name for name in columns if name not in ids[:1]]
    hint = "name the column of predictions or scores: value_column=..., or call it prediction or score"
    if ids:
        value = f" and value_column={only_column(table, rest, ()) or rest[-1]!r}" if len(rest) > 1 else ""
        hint = f"name the columns: items={ids[0]!r}{value}"
    if what == "the gold":
        named = f"{hint}; or " if ids else ""
        hint = f"{named}call it gold; columns of several annotators are annotators=[...]"
    hard = [column for column in map(table.column, rest) if not column.is_soft]
    if sum(as_scores(column).values.dtype.kind in "iuf" for column in hard) > 1:
        hint = (
            "if columns are the probabilities of classes, or mark labels by 0 and 1, name them: classes=[...]"
            f"; otherwise {hint}"
        )
    if headless is not None:
        hint = f"{headless}; otherwise {hint}"
    raise InvalidInputError(
        f"{table.source}: which column holds {what}? its columns are: {listed(table.names)}", hint=hint
    )


def gold_part(gold: str, parts: Sequence[Part], options: TableOptions) -> Part:
    """Read the gold from its file, or from a column that the files of the systems share."""
    tables = [part.table for part in parts if part.table is not None and gold in part.table.data]
    if len(tables) == len(parts) and not is_file(gold):
        return _shared_gold(parts, [values_of(table, gold, options.soft) for table in tables])
    first = parts[0].table if parts else None
    if first is not None and not exists(user_path(gold)):
        raise InvalidInputError(
            f"gold: there is no file {quoted(gold)}, and no such column in all files of the systems"
            f"{suggestion(gold, first.names)}",
            hint=f"the columns of {first.source} are: {listed(first.names)}",
        )
    path = readable_file(gold)
    content = read_values(path, "gold", options.missing, options.soft)
    if isinstance(content, Column):
        return Part(str(path), content)
    content, options = content.prepared(options)
    roles, soft = options.roles, options.soft
    table = gathered(content, soft, {roles.cluster, roles.stratum, *roles.slices}, roles.item)
    ids = _gold_ids(table, roles)
    groups = {ids, roles.cluster, roles.stratum, "cluster", "stratum"}
    other = groups | {*roles.slices}
    table, value = class_columns(table, soft, other, GOLD_WORDS, marks=True)
    if value is None:  # items may be sliced by the gold, too
        called = [word for word in gold_names(table.names) if word not in groups]
        value = min(called, key=lambda word: word in other, default=None)
    if value is None:
        value = _only_column(table, "the gold", [column for column in table.names if column not in other], ())
    return _part(table, value, ids, soft)


def _gold_ids(table: Table, roles: Roles) -> str | None:
    return table.item_column(roles.item if roles.item in table.data else None)


def _shared_gold(parts: Sequence[Part], columns: Sequence[Column]) -> Part:
    for part, column in zip(parts, columns, strict=True):
        check_whole(part.source, column, part.items)
    if len({(column.values.shape[1:], column.classes) for column in columns}) > 1:
        raise InvalidInputError(
            "the gold in the files of the systems is not written in one way",
            hint="give the gold in a file of its own: gold=...",
        )
    ids = [item for part in parts for item in part.keys]
    # Of the same kind, one below the other.
    as_they_are = columns[0].is_soft or columns[0].is_items
    alike = list(columns) if as_they_are else [text_of(column) for column in columns]
    values, missing = ([getattr(column, name) for column in alike] for name in ("values", "missing"))
    everything = dataclasses.replace(
        alike[0], data=np.concatenate(values), missing=np.concatenate(missing), classes=columns[0].classes
    )
    rule = None if as_they_are else Rule.of(everything)
    agreed("the files of the systems", "gold", ids, everything, rule)
    first = [*first_rows(ids).values()]
    whole = everything.take(first)
    return Part(parts[0].source, whole, None if parts[0].items is None else [ids[row] for row in first])


def annotated_part(options: TableOptions) -> Part:
    """Read the labels of the annotators from the file of the gold."""
    roles = options.roles
    if roles.gold is None:
        raise InvalidInputError(
            "there is one file per system, and none with the labels of the annotators",
            hint="name the file that has them: gold=...",
        )
    path = readable_file(roles.gold)
    table = read_values(path, "gold", options.missing)
    if isinstance(table, Column):
        raise InvalidInputError(
            f"{path} has no columns with names, expected one per annotator ({listed(roles.annotators)})",
            hint="give a table (CSV, TSV, JSON Lines or Parquet) whose first line names the columns",
        )
    table, options = table.prepared(options)
    roles = options.roles
    ids = _gold_ids(table, roles)
    if len(roles.annotators) > 1:
        labels = assemble.labels_of_columns(table, roles.annotators)
        return Part(str(path), labels, None if ids is None else table.texts(ids, "item"), table)
    groups = [name for name in (roles.cluster or "cluster", roles.stratum or "stratum") if name in table.data]
    labels, items, per_item = assemble.labels_of_rows(table, roles.annotators[0], ids, groups)
    return Part(str(path), labels, items, per_item)


def group_names(roles: Roles, gold: Part | None) -> list[tuple[str, str]]:
    """Return the columns of clusters and strata: those named, and those so called beside the gold."""
    beside = gold.table.data if gold is not None and gold.table is not None else {}
    cluster, stratum = (
        name or (role if role in beside else None)
        for role, name in (("cluster", roles.cluster), ("stratum", roles.stratum))
    )
    pairs = (("cluster", cluster), ("crossed", roles.crossed), ("stratum", stratum))
    return [(role, name) for role, name in pairs if name is not None]


def groups_of(role: str, name: str, parts: Sequence[Part]) -> dict[str, str]:
    """Return the group of each item, from every table that has the column; they must agree."""
    holders = [(part, part.table) for part in parts if part.table is not None and name in part.table.data]
    if not holders:
        raise InvalidInputError(
            f"no file has a column {name!r} (named as {role})",
            hint=f"put it beside the gold: a CSV file with the columns item, gold, {name}",
        )
    texts = [text for _, table in holders for text in table.texts(name, role)]
    ids = [item for part, _ in holders for item in part.keys]
    return agreed("the files", role, ids, column_of_texts(texts))


def _check_no_gold_file(files: Mapping[str, Path]) -> None:
    """Refuse a file of a system that is called as a gold is."""
    for name, path in files.items():
        if gold_names([name]):
            raise InvalidInputError(
                f"the file of system {name!r} looks like gold",
                hint=f"name it as such: gold={str(path)!r}; or give the system another name: name={path}",
            )


def _check_same_scores(parts: Sequence[Part]) -> None:
    """Refuse files that have the same columns of scores, of which not the same was taken in each."""
    first = parts[0]
    for part in parts[1:]:
        names = [one for one in (first.value, part.value) if one is not None and score_column([one])]
        shared = [
            one for one in names if all(p.table is not None and one in p.table.data for p in (first, part))
        ]
        if len({*names}) == 2 and shared:
            raise InvalidInputError(
                f"the scores are in column {first.value!r} of {first.source}, and in {part.value!r} of"
                f" {part.source}",
                hint=f"name the column of all files: value_column={shared[0]!r}",
            )


def _some_text(parts: Sequence[Part]) -> bool:
    return any(not part.column.is_soft and as_scores(part.column).is_text for part in parts)


def _check_no_gold_column(parts: Sequence[Part]) -> None:
    """Refuse predictions beside a column that all files have and that is called as a gold is."""
    tables = [part.table for part in parts if part.table is not None]
    called = [name for table in tables[:1] for name in gold_names(table.names)]
    name = next((name for name in called if all(name in table.data for table in tables)), None)
    # Scores need no gold, though labels may stand beside them.
    if name is None or len(tables) < len(parts) or any(part.value in (name, "score") for part in parts):
        return
    columns = listed(tables[0].names)
    raise InvalidInputError(
        f"{parts[0].source}: column {quoted(name)} looks like gold; its columns are: {columns}",
        hint=f"gold={name!r} if it is; or name the column of scores: value_column=...",
    )


def _joined(
    parts: Mapping[str, Part],
    gold: Part | None,
    groups: Mapping[str, dict[str, str]],
    slices: Mapping[str, dict[str, str]],
    on_missing: OnMissing,
    soft: Soft,
) -> Evaluation:
    everything = [*parts.values()] + ([] if gold is None else [gold])
    check_ids(everything)
    columns, labels, classes, notes = typed(
        {name: part.column for name, part in parts.items()}, None if gold is None else gold.column, soft
    )
    if gold is not None:
        check_whole(gold.source, gold.column, gold.items)
    if on_missing == "error":
        for name, part in parts.items():
            check_present(part.source, name, part.column, part.items)
    return by_id(
        {name: (part.keys, columns[name]) for name, part in parts.items()},
        None if gold is None or labels is None else (gold.keys, labels),
        classes,
        notes,
        groups=groups,
        slices=slices,
        on_missing=on_missing,
        objects=soft.objects,
    )


def check_ids(parts: Sequence[Part]) -> None:
    """Refuse files of which one has item ids and another has none, or ids that occur twice."""
    without = [part.source for part in parts if part.items is None]
    if without:
        keyed = next(part.source for part in parts if part.items is not None)
        raise InvalidInputError(
            f"{keyed} has item ids, {without[0]} has none",
            hint="give ids in every file (an item column in each), or in none",
        )
    for part in parts:
        check_unique(part.keys, f"{part.source}: item ids")


def _name_of_values(path: Path, column: str | None) -> str:
    """Return what tells of the values of a file what they are: its column, or else its own name."""
    own = stem_of(path) if are_scores(path.suffix) is None else path.name  # as in a.pred
    return (
        column if column is not None and (are_scores(column) is not None or are_scores(own) is None) else own
    )


def _left_out(parts: Mapping[str, Part], used: Collection[str]) -> Iterator[Note]:
    """Yield notes on columns of numbers beside that of the scores."""
    part = next(iter(parts.values()))
    if part.table is None or part.value is None or score_column([part.value]) is None:
        return
    other = {part.value, part.table.item_column(None), *used}
    columns = {name: part.table.column(name) for name in part.table.names if name not in other}
    numbers = [name for name, one in columns.items() if not one.is_soft and not as_scores(one).is_text]
    yield from left_out_notes([part.value], numbers)


def is_gold_another_file(table: Table, options: TableOptions) -> bool:
    """Tell whether the gold of a table is another file."""
    gold = options.roles.gold
    return gold is not None and gold not in table.data and is_file(gold)


def holds_systems(table: Table, options: TableOptions) -> bool:
    """Tell whether a table beside its gold holds several systems, and not the values of one."""
    if options.ignore:  # columns, as one file is not to be left out
        return True
    roles, soft = dataclasses.replace(options.roles, gold=None), options.soft
    table, options = table.prepared(dataclasses.replace(options, roles=roles))
    named = any(name in table.data for name in options.systems or ()) or options.system_column is not None
    if named or is_long(table, roles, options.systems, soft, options.value_column):
        return True
    is_value_named = options.value_column is not None or any(word in table.data for word in VALUE_WORDS)
    if (
        is_value_named
        or any(one in table.data for one in roles.annotators)
        or soft.every_column
        or has_classes(table, soft)
    ):
        return False
    table = gathered(table, soft, options.columns, roles.item)
    taken = {name for _, name in recognised(options.roles, table.data).named()}
    others = [name for name in table.names if name not in taken]
    return len(others) > 1 and only_column(table, others, (stem_of(table.source),)) is None


def with_gold(table: Table, options: TableOptions) -> tuple[Table, TableOptions, str]:
    """Return the table with the gold, and groups that stand beside it, as columns; and how they were joined.

    The column of the gold is called as its file; of several annotators each has a column.
    """
    name = str(options.roles.gold)
    named = options.roles.annotators
    of_gold = dataclasses.replace(options, ignore=())  # columns of the table
    gold = annotated_part(of_gold) if named else gold_part(name, [], of_gold)
    own = dataclasses.replace(options, roles=dataclasses.replace(options.roles, gold=None, annotators=()))
    table, prepared = table.prepared(own)
    _check_no_other_gold(table, prepared)
    ids = table.item_column(prepared.roles.item)
    items = None if ids is None else table.texts(ids, "item")
    rows, joined = _gold_rows(table, items, gold, options.on_missing)
    labelled = Part(table.source, gold.column.take(rows), items, table)
    labels = {name: labelled.column} if not named else _by_annotator(labelled.column, named, name)
    data: dict[str, Raw | Column] = {**table.data, **labels}
    for role, group in _groups_to_look_up(gold, prepared.roles, data):
        of_item = groups_of(role, group, [labelled, gold])
        data[group] = column_of_texts([of_item[key] for key in labelled.keys])
    roles = dataclasses.replace(prepared.roles, item=ids)
    roles = dataclasses.replace(roles, **({"annotators": tuple(labels)} if named else {"gold": name}))
    return dataclasses.replace(table, data=data), dataclasses.replace(prepared, roles=roles), joined


def _by_annotator(labels: Column, named: Sequence[str], file: str) -> dict[str, Column]:
    """Return a column for each annotator, or for each first, second, ... label of items in rows."""
    n = labels.values.shape[1]
    names = named if len(named) > 1 else [str(place + 1) for place in range(n)]
    gone = [[value is None for value in column] for column in labels.values.T.tolist()]
    return {
        f"{file} {name}": Column(labels.values[:, place], np.array(gone[place], dtype=np.bool_))
        for place, name in enumerate(names)
    }


def _check_no_other_gold(table: Table, options: TableOptions) -> None:
    """Refuse a wide table with a column that is called as a gold is: it would pass for a system."""
    roles, systems = options.roles, options.systems
    is_said = systems is not None or options.system_column is not None or options.value_column is not None
    if not is_said and not is_long(table, roles, systems, options.soft):
        taken = {name for _, name in roles.named()}
        check_no_gold(table.source, [name for name in table.names if name not in taken])


def _groups_to_look_up(gold: Part, roles: Roles, data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return role and name of the groups to look up beside the gold: those there, and those in no file."""
    beside = {} if gold.table is None else gold.table.data
    groups = [*group_names(roles, gold), *(("slice", name) for name in roles.slices)]
    return [(role, name) for role, name in groups if name in beside or name not in data]


def _gold_rows(
    table: Table, items: list[str] | None, gold: Part, on_missing: str
) -> tuple[Sequence[int], str]:
    """Return the row of the gold for every row of the table."""
    if (items is None) != (gold.items is None):
        with_ids, without = (table, gold) if gold.items is None else (gold, table)
        remedy = "give it a column called item or id"
        if without is table:
            remedy = "name the column that holds them: items=..."
        raise InvalidInputError(
            f"{with_ids.source} has item ids, {without.source} has none",
            hint=f"{remedy}; or give ids in both, or in none",
        )
    if items is None or gold.items is None:
        if gold.column.size != table.n_rows:
            raise InvalidInputError(
                f"{table.source} has {counted(table.n_rows, 'row')}, {gold.source} has {gold.column.size}",
                hint="give one label per row in the same order, or an item column in both files",
            )
        return range(table.n_rows), "joined by line"
    check_unique(gold.items, f"{gold.source}: item ids")
    places = {item: place for place, item in enumerate(gold.items)}
    left_out = _n_without_row(table, items, gold, places, on_missing)
    more = f"; {counted(left_out, 'item')} of {gold.source} without a row left out" if left_out else ""
    return [places[item] for item in items], f"joined by item id{more}"


def _n_without_row(
    table: Table, items: Sequence[str], gold: Part, places: Mapping[str, int], on_missing: str
) -> int:
    """Return how many items of the gold have no row, which may be dropped; refuse items without gold."""
    lacking = [item for item in dict.fromkeys(items) if item not in places]
    if lacking:
        raise InvalidInputError(
            f"{gold.source} has no gold for {counted(len(lacking), 'item')} of {table.source}; first:"
            f" {quoted(lacking[0])}",
            hint="complete the gold, or leave these items out of the table",
        )
    known = {*items}
    extra = [item for item in places if item not in known]
    if extra and on_missing != "drop":
        raise InvalidInputError(
            f"{table.source} has no row for {counted(len(extra), 'item')} of {gold.source}; first:"
            f" {quoted(extra[0])}",
            hint='pass on_missing="drop" to compare the other items only, or add the rows',
        )
    return len(extra)
