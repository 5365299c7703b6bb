"""Containers of every kind, with the same values, with others, or with none."""

from __future__ import annotations

import array
import collections
import decimal
import itertools
import pathlib
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

PLAIN = [1, 0, 1, 1, 0, 1]
SCORES = [0.5, 0.25, 0.75, 0.5, 1.0, 0.25]
OTHER = [1, 1, 0, 1, 0, 0]


class Refuses:
    """Looks like an array, and refuses."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise self.error


class Unprintable(list):  # type: ignore[type-arg]
    """A list whose repr fails."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class Lined:
    """Something with a long repr over several lines."""

    def __repr__(self) -> str:
        return "Lined(\n" + "x\n" * 200 + ")"


class Stops:
    """Iterates, and fails half-way."""

    def __iter__(self) -> Any:
        yield 1
        raise OSError("the disk is gone")


def _objects(values: list[Any]) -> Any:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _frozen(values: Any) -> Any:
    values.flags.writeable = False
    return values


def alike(values: list[Any]) -> dict[str, Any]:
    """Return containers that hold the same values in the same order."""
    return {
        "tuple": tuple(values),
        "array": np.array(values),
        "objects": _objects(values),
        "iterator": iter(values),
        "generator": (value for value in values),
        "deque": collections.deque(values),
        "dict values": dict(enumerate(values)).values(),
        "masked, nothing hidden": np.ma.array(values, mask=[False] * len(values)),
        "series": pd.Series(values),
        "labelled series": pd.Series(values, index=list("uvwxyz")[: len(values)]),
        "nullable series": pd.Series(values).convert_dtypes(),
        "pandas array": pd.array(values),
        "index": pd.Index(values),
        "polars": pl.Series(values),
        "arrow": pa.array(values),
        "chunks": pa.chunked_array([values[:2], values[2:]]),
        "read-only": _frozen(np.array(values)),
        **({"texts": np.array(values, np.dtypes.StringDType())} if type(values[0]) is str else {}),
    }


def refused(values: list[Any]) -> dict[str, Any]:
    """Return what holds no values in an order, or not all of them."""
    n = len(values)
    values = PLAIN[:n] if isinstance(values[0], list) else values
    return {
        "set": set(range(n)),
        "frozenset": frozenset(range(n)),
        "keys": dict.fromkeys(range(n)).keys(),
        "items": dict(enumerate(values)).items(),
        "a number": 3,
        "a float": 2.5,
        "0-d array": np.array(1.0),
        "0-d text": np.array("abc"),
        "NumPy scalar": np.float64(1.0),
        "bytes": b"101101",
        "bytearray": bytearray(b"101101"),
        "object": object(),
        "ellipsis": ...,
        "function": len,
        "a class": int,
        "complex": 1j,
        "decimal": decimal.Decimal(1),
        "masked": np.ma.array(values, mask=[True] + [False] * (n - 1)),
        "masked constant": np.ma.masked,
        "all masked": np.ma.array(values, mask=True),
        "list with a masked cell": [np.ma.masked, *values[1:]],
        "list with None": [None, *values[1:]],
        "list with NaN": [float("nan"), *values[1:]],
        "list with NA": [pd.NA, *values[1:]],
        "series with NA": pd.Series([None, *values[1:]]).convert_dtypes(),
        "polars with null": pl.Series([None, *values[1:]]),
        "arrow with null": pa.array([None, *values[1:]]),
        "array that raises": Refuses(RuntimeError("no array\ncan be made")),
        "array that raises a KeyError": Refuses(KeyError("x")),
        "array that raises NotImplementedError": Refuses(NotImplementedError()),
        "iterator that fails": Stops(),
        "records": np.zeros(n, dtype="i4,f8"),
        "void": np.zeros(n, "V2"),
        "times": np.zeros(n, "M8[s]"),
        "three dimensions": np.zeros((2, n, 3)),
        "complex numbers": np.zeros(n, complex),
        "objects with long names": [Lined() for _ in range(n)],
        "mappings": [{1: 2}] * n,
    }


def anything(values: list[Any]) -> dict[str, Any]:
    """Return what some functions take and others refuse."""
    n = len(values)
    values = PLAIN[:n] if isinstance(values[0], list) else values
    return {
        "None": None,
        "text": "101101",
        "long text": "x\ny" * 500,
        "mapping": dict(enumerate(values)),
        "mapping in another order": dict(reversed(list(enumerate(values)))),
        "ordered mapping": collections.OrderedDict(enumerate(values)),
        "empty": [],
        "empty array": np.zeros(0),
        "empty mapping": {},
        "no columns": np.zeros((n, 0)),
        "column vector": np.array(values)[:, None],
        "one row": np.array(values)[None, :],
        "rows": [[0.5, 0.5]] * n,
        "masked rows": np.ma.array([[0.5, 0.5]] * n, mask=[[True, False]] + [[False, False]] * (n - 1)),
        "ragged rows": [[0.5, 0.5]] * (n - 1) + [[1.0]],
        "list of arrays": [np.array([0.5, 0.5])] * n,
        "list of masked arrays": [np.ma.array([0.5, 0.5], mask=[True, False])] * n,
        "frame": pd.DataFrame({"no": [0.5] * n, "yes": [0.5] * n}),
        "polars frame": pl.DataFrame({"no": [0.5] * n, "yes": [0.5] * n}),
        "arrow table": pa.table({"no": [0.5] * n, "yes": [0.5] * n}),
        "shifted series": pd.Series(values, index=range(1, n + 1)),
        "dated series": pd.Series(values, index=pd.date_range("2020-01-01", periods=n)),
        "tuples as index": pd.Series(values, index=pd.MultiIndex.from_product([["x"], range(n)])),
        "range": range(n),
        "bytes in an array": np.array([b"1"] * n),
        "array.array": array.array("d", [0.5] * n),
        "memoryview": memoryview(array.array("d", [0.5] * n)),
        "half": np.full(n, 0.5, dtype=np.float16),
        "unprintable": Unprintable(values),
        "sets in a list": [{"x"}] * n,
        "huge": [10**400] * n,
        "endless count": itertools.islice(itertools.count(), n),
        "path": pathlib.Path("no such file"),
        "a system's frame": pd.DataFrame({"a": values, "b": values}),
    }


def nested(values: list[list[Any]]) -> dict[str, Any]:
    """Return containers that hold the same rows in the same order."""
    return {
        "tuples": tuple(map(tuple, values)),
        "array": np.array(values),
        "list of arrays": [np.array(row) for row in values],
        "iterator": iter(values),
        "frame": pd.DataFrame(values),
        "polars": pl.DataFrame(values, orient="row"),
        "masked, nothing hidden": np.ma.array(values, mask=False),
    }


GAPS = (
    "masked",
    "list with a masked cell",
    "list with None",
    "list with NaN",
    "list with NA",
    "series with NA",
    "polars with null",
    "arrow with null",
)
"""What has a value in every cell but one."""
