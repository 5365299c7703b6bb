"""Data frames as tables: what narwhals knows (pandas, polars, Arrow, dask, DuckDB and more), and records."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from os import PathLike
from typing import Any

import numpy as np

from bestby._core import arrays, checks
from bestby._core.arrays import objects
from bestby._core.errors import InvalidInputError
from bestby._core.text import path_text, quoted, shortened
from bestby._core.typing import Array
from bestby.data.arrays import is_other_key
from bestby.data.coding import CODED_FROM, HEAD, Coded, coded_texts, has_few
from bestby.data.columns import Raw
from bestby.data.table import Table, merged_order, table_of_columns

FRAME = "the data frame"
"""What messages call a frame, where they give the path of a file."""

_NO_FRAMES = (Mapping, str, bytes, list, tuple, set, np.ndarray, np.generic)


def is_table(data: Any) -> bool:
    """Tell whether `data` is a data frame, or a list of records: mappings of column to value."""
    if isinstance(data, list | tuple):
        return bool(data) and all(isinstance(record, Mapping) for record in data)
    return is_frame(data)


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


def is_frame(data: Any) -> bool:
    """Tell whether `data` has named columns: a frame of any library, lazy or not."""
    if isinstance(data, _NO_FRAMES) or type(data).__module__.partition(".")[0] in ("builtins", "bestby"):
        return False
    return is_partitioned(data) or _narwhal(data) is not None or _has_named_columns(data)


def is_partitioned(data: Any) -> bool:
    """Tell whether `data` is a data frame of dask, which is not imported for that."""
    return type(data).__module__.partition(".")[0].startswith("dask") and hasattr(data, "map_partitions")


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
        columns = [_plain([record.get(name) for record in data]) for name in names]
        return table_of_columns("the list of records", names, columns, frozenset())
    if isinstance(data, Mapping):
        columns = [_plain(arrays.listed(values, f"column {quoted(name)}")) for name, values in data.items()]
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
    return table_of_columns(FRAME, names, [_array(frame[name]) for name in names], frozenset())


def _collected(frame: Any) -> Any:
    """Return a lazy frame with its columns computed."""
    try:
        return frame.collect()
    except ImportError as error:
        raise InvalidInputError(
            f"a frame of {frame.implementation.value} cannot be read without another package: {error}",
            hint="install pyarrow, or pass the frame as one of pandas or polars",
        ) from error


def _check_lengths(names: list[str], columns: list[Array]) -> None:
    for name, column in zip(names, columns, strict=True):
        if len(column) != len(columns[0]):
            raise InvalidInputError(
                f"column {quoted(names[0])} has {len(columns[0])} values, {quoted(name)} has {len(column)}",
                hint="give every column one value per row",
            )


def _narwhal(data: Any) -> Any:
    """Return a frame as narwhals sees it; None for what is none."""
    import narwhals as nw

    try:
        frame = nw.from_native(data, pass_through=True)
    except ValueError:  # duplicate names, which are refused where the columns are looked at
        return data
    return frame if isinstance(frame, nw.DataFrame | nw.LazyFrame) else None


def _has_named_columns(data: Any) -> bool:
    """Tell whether `data` is a table that narwhals does not know, such as a data set of Hugging Face."""
    return hasattr(data, "column_names") and hasattr(data, "__getitem__")


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


def _coded(series: Any) -> Coded | None:
    """Return a long column of texts or categories as the codes that its library makes; None for others."""
    import narwhals as nw

    native, is_category = series.to_native(), series.dtype in (nw.Categorical, nw.Enum)
    if len(series) < CODED_FROM or not (is_category or series.dtype in (nw.String, nw.Object)):
        return None
    if isinstance(getattr(native, "dtype", None), np.dtype):  # objects of pandas, which may be of any type
        return coded_texts(native.to_numpy())
    head = [] if is_category else series.head(HEAD).to_list()
    if not is_category and (series.dtype == nw.Object or not has_few(head)):
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
