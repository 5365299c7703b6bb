"""Values, columns and settings of every kind, drawn by hypothesis."""

from __future__ import annotations

import array
import collections
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from tests.laws.outcomes import numbers

DTYPES = (
    "?",
    "i1",
    "u1",
    "<i2",
    ">i4",
    "i8",
    "u8",
    "f2",
    ">f4",
    "f8",
    "g",
    "c8",
    "c16",
    "M8[D]",
    "m8[s]",
    "U3",
    "S3",
    "O",
    "i4,f8",
)
texts = st.one_of(
    st.sampled_from(
        ["a", "b", "", " ", "\x00", "a\x00", "a", "é", "é", "\ud800", "𝒳", "\u202e", "nan", "NA", "0"]
    ),
    st.text(max_size=3),
)
scalars = st.one_of(
    numbers,
    texts,
    st.booleans(),
    st.none(),
    st.binary(max_size=2),
    st.sampled_from(
        [pd.NA, pd.NaT, np.datetime64("NaT"), np.float16(1), np.longdouble("0.1"), 1j, object(), ()]
    ),
    st.sampled_from(
        [pd.Timestamp("2020-01-01"), np.str_("a"), np.bool_(True), {"a": 1}, frozenset(), [1], [0.5, 0.5]]
    ),
)


class Shy:
    """Looks like an array, and refuses."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no array can be made of this")


def _frozen(values: Any) -> Any:
    values.flags.writeable = False
    return values


def _objects(values: list[Any]) -> Any:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def plain(n: int) -> st.SearchStrategy[list[Any]]:
    """Return lists that most functions can use."""
    return st.one_of(
        *(st.lists(one, min_size=n, max_size=n) for one in (st.integers(0, 1), st.sampled_from("xyz"))),
        st.lists(st.floats(-2, 2, width=16), min_size=n, max_size=n),
    )


def columns(n: int) -> st.SearchStrategy[Any]:
    """Return n values of whatever kind, or something that is no n values."""
    lists = st.one_of(
        plain(n),
        *(st.lists(one, min_size=n, max_size=n) for one in (numbers, texts, st.booleans(), scalars)),
    )
    homogeneous = st.one_of(
        plain(n), *(st.lists(one, min_size=n, max_size=n) for one in (numbers, st.booleans()))
    )
    small = homogeneous.filter(lambda values: not any(isinstance(v, int) and abs(v) > 2**62 for v in values))
    typed = st.sampled_from(DTYPES).flatmap(
        lambda dtype: arrays.arrays(np.dtype(dtype), n, elements=st.integers(0, 3) if dtype == "O" else None)
    )
    return st.one_of(
        lists,
        plain(n),
        typed,
        typed.map(_frozen),
        lists.map(_objects),
        plain(n).map(tuple),
        plain(n).map(iter),
        plain(n).map(collections.deque),
        plain(n).map(lambda values: (value for value in values)),
        plain(n).map(lambda values: dict(enumerate(values))),
        plain(n).map(lambda values: [[value] for value in values]),
        plain(n).map(lambda values: np.array(values)[None, :]),
        plain(n).map(lambda values: np.ma.masked_array(values, [i == 1 for i in range(n)])),
        plain(n).map(lambda values: np.ma.masked_array(values, [False] * n)),
        small.map(pd.Series),
        small.map(lambda values: pd.Series(values, dtype="category")),
        plain(n).map(lambda values: pd.Series(values, index=range(n, 0, -1)).convert_dtypes()),
        small.map(lambda values: pl.Series(values, strict=False)),
        small.map(pa.array).map(lambda column: pa.chunked_array([column])),
        st.lists(st.floats(-1, 1, width=16), min_size=n, max_size=n).map(lambda v: array.array("d", v)),
        st.lists(st.lists(numbers, max_size=3), min_size=n, max_size=n),
        st.lists(
            st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=2, max_size=2), min_size=n, max_size=n
        ),
        st.sampled_from(
            [None, 3, 2.5, "xyxy", b"xyxy", np.array(1.0), range(n), memoryview(b"\0\1\2\3"), set("ab")]
        ),
        st.sampled_from(
            [Shy(), object(), np.zeros(n, "V2"), np.zeros((n, 0)), np.zeros((2, n, 1)), np.zeros(0), [], {}]
        ),
        st.sampled_from(
            [pd.DataFrame({"a": [1] * n}), pl.DataFrame({"a": [1] * n}), pa.table({"a": [1] * n})]
        ),
        st.integers(0, n + 1).flatmap(plain),
    )


names = st.one_of(st.sampled_from(["a", "b", "c"]), texts, st.sampled_from([None, 1, ("a",), b"a"]))
sizes = st.sampled_from([0, 1, 2, 3, 4, 5, 8])
odd_settings = st.one_of(
    st.just({}),
    st.sampled_from(
        [{"level": v} for v in (0.5, 0.999, 0, 1, "0.9", None, math.nan, np.float32(0.9), 1j, [0.9])]
        + [{"n_resamples": v} for v in (1, 0, -1, 2.0, None, "9", True, np.int8(7), math.nan)]
        + [{"rng": v} for v in (None, 2**70, -1, "0", 0.5, np.random.default_rng(1), np.uint8(3), True)]
        + [{"alternative": v} for v in ("greater", "less", "both", None, 1, ["less"])]
    ),
)
